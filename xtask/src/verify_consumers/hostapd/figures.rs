//! Figures side by side: size of the programs, and what one SAE exchange costs, per backend.

use std::process::Stdio;

use anyhow::{Context as _, Result, ensure};

use super::peer::stripped_size;
use super::{Peer, Report, Side};
use crate::consumers::Backend;

pub(super) fn run(sides: &[Side], report: &mut Report) -> Result<()> {
    sizes(sides, report)?;
    let header: Vec<String> = std::iter::once("SAE exchange, both ends".to_owned())
        .chain(sides.iter().map(|side| side.library.backend.to_string()))
        .collect();
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    let [mut counts, mut times] = [Vec::new(), Vec::new()];
    for method in ["h2e", "hnp"] {
        for group in ["19", "20", "21"] {
            let name = format!("{method} group {group}");
            let (mut count, mut time) = (vec![name.clone()], vec![name]);
            for side in sides {
                let figures = instructions(&side.peer, group, method)
                    .and_then(|count| Ok((count, cpu_microseconds(&side.peer, group, method)?)));
                match figures {
                    Ok((instructions, microseconds)) => {
                        count.push(format!("{:.1}", instructions / 1e6));
                        time.push(format!("{:.2}", microseconds / 1e3));
                    }
                    // an exchange that this peer cannot do, as the matrix has told
                    Err(_) if side.library.backend != Backend::RustCrypto => {
                        count.push("-".into());
                        time.push("-".into());
                    }
                    Err(error) => return Err(error),
                }
            }
            counts.push(count);
            times.push(time);
        }
    }
    let title = "Million instructions (callgrind; its CPU has no ADX, so rustcrypto runs portable code)";
    report.table(title, &header, counts);
    report.table("Milliseconds of this machine's CPU (median of 5 runs of 20; no wall time)", &header, times);
    Ok(())
}

/// CPU time of one exchange on this machine, with whatever its CPU lets each library use.
fn cpu_microseconds(peer: &Peer, group: &str, method: &str) -> Result<f64> {
    let mut runs = Vec::new();
    for _ in 0..5 {
        let told = peer.run(&["self", group, method, "20"])?;
        // "cpu 1234 us each"
        let figure = told.lines().find_map(|line| line.strip_prefix("cpu ")?.strip_suffix(" us each"));
        runs.push(figure.context("the peer program told no time")?.parse::<f64>()?);
    }
    runs.sort_by(f64::total_cmp);
    Ok(runs[2])
}

fn sizes(sides: &[Side], report: &mut Report) -> Result<()> {
    let mut rows = Vec::new();
    for side in sides {
        // a peer whose library is not a shared object has it in the program
        let inside = side.library.backend == Backend::WolfSsl;
        let mut row = vec![format!("{}{}", side.library.backend, if inside { " (inside)" } else { "" })];
        for program in [&side.built.hostapd, &side.built.wpa_supplicant] {
            row.push(stripped_size(program)?.to_string());
        }
        rows.push(row);
    }
    report.table(
        "Programs without symbols, without the library, bytes (host, full)",
        &["backend", "hostapd", "wpa_supplicant"],
        rows,
    );
    Ok(())
}

/// Instructions of one exchange: the difference between one and none, so that starting and the password element of
/// hash-to-element, which is made once per configuration, do not count.
fn instructions(peer: &Peer, group: &str, method: &str) -> Result<f64> {
    let count = |n: &str| -> Result<f64> {
        let output = peer
            .under(&["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"], &["self", group, method, n])
            .stdin(Stdio::null())
            .output()
            .context("cannot run valgrind")?;
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        ensure!(output.status.success(), "callgrind: {}", super::peer::last_lines(&told));
        // "==1== Collected : 123456"
        let figure =
            told.lines().find_map(|line| line.split_once("Collected :")).context("no figure from callgrind")?.1;
        Ok(figure.trim().parse()?)
    };
    Ok(count("1")? - count("0")?)
}
