//! What must hold when things go wrong: mutated frames, no memory, no entropy; and that nothing leaks.

use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail, ensure};

use super::peer::last_lines;
use super::{Peer, Report, Side};
use crate::consumers::Compiler;
use crate::root::root;

/// Mutated exchanges per group and method.
const MUTATED: &str = "300";
const SEED: &str = "20261130";
/// How many of the points where something can fail are tried, spread over the whole exchange.
const POINTS: u64 = 40;
/// Exchanges whose live blocks must not be more than after the first ones.
const MANY: &str = "1000";

pub(super) fn run(side: &Side, compiler: &Compiler, work: &Path, report: &mut Report) {
    let peer = &side.peer;
    for method in ["hnp", "h2e"] {
        for group in ["19", "20", "21"] {
            let result = peer.run(&["fuzz", group, method, MUTATED, SEED]);
            report.record(format!("mutated SAE frames, {method} group {group}"), result);
        }
    }
    match shim(compiler, work) {
        Err(error) => report.failed("fault injection", format!("{error:#}")),
        Ok(shim) => {
            report.record(format!("{MANY} SAE exchanges leave nothing behind"), leak(peer, &shim));
            report.record("no entropy: SAE is refused", entropy(peer, &shim));
            report.record("no memory: SAE is refused or stops, never a weak key", memory(peer, &shim));
        }
    }
    valgrind(peer, report);
}

/// patches/hostapd/tests/fail.c as a shared object.
fn shim(compiler: &Compiler, work: &Path) -> Result<PathBuf> {
    let out = work.join("fail.so");
    let output = Command::new(&compiler.cc)
        .args(["-O1", "-fPIC", "-shared", "-o"])
        .arg(&out)
        .arg(root().join("patches/hostapd/tests/fail.c"))
        .output()
        .with_context(|| format!("cannot run {}", compiler.cc))?;
    if !output.status.success() {
        bail!("fail.c does not compile: {}", last_lines(&String::from_utf8_lossy(&output.stderr)));
    }
    Ok(out)
}

/// How a run under the shim ended.
struct End {
    code: Option<i32>,
    signal: Option<i32>,
    told: String,
}

fn under(peer: &Peer, shim: &Path, env: (&str, &str), count: &str) -> Result<End> {
    let output = peer
        .command(&["self", "19", "h2e", count])
        .env("LD_PRELOAD", shim)
        .env(env.0, env.1)
        .stdin(Stdio::null())
        .output()
        .context("cannot run the peer program")?;
    let told = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Ok(End { code: output.status.code(), signal: output.status.signal(), told })
}

/// `allocations A live L entropy E` of a run without any failure.
fn counts(peer: &Peer, shim: &Path, exchanges: &str) -> Result<[u64; 3]> {
    let end = under(peer, shim, ("COUNT", "1"), exchanges)?;
    ensure!(end.code == Some(0), "a run without failures failed: {}", last_lines(&end.told));
    let words: Vec<&str> = end.told.split_whitespace().collect();
    let [.., "allocations", a, "live", l, "entropy", e] = words[..] else { bail!("no counts in: {}", end.told) };
    Ok([a.parse()?, l.parse()?, e.parse()?])
}

fn leak(peer: &Peer, shim: &Path) -> Result<String> {
    let ([_, few, _], [allocations, many, _]) = (counts(peer, shim, "10")?, counts(peer, shim, MANY)?);
    ensure!(many <= few, "{few} blocks live after 10 exchanges, {many} after {MANY}");
    Ok(format!("{many} blocks live at the end, {allocations} allocations"))
}

/// Points from 1 to `last`, all of them if they are few.
fn points(last: u64) -> impl Iterator<Item = u64> {
    let n = last.min(POINTS);
    (0..n).map(move |i| 1 + i * last / n)
}

fn entropy(peer: &Peer, shim: &Path) -> Result<String> {
    let [_, _, requests] = counts(peer, shim, "1")?;
    ensure!(requests > 0, "the exchange asked for no entropy that the shim could see");
    for at in points(requests) {
        let end = under(peer, shim, ("FAIL_ENTROPY", &at.to_string()), "1")?;
        ensure!(
            end.code == Some(1) && end.told.contains("refused"),
            "without entropy from request {at} on it ended with {:?}, signal {:?}: {}",
            end.code,
            end.signal,
            last_lines(&end.told)
        );
    }
    Ok(format!("at {} of {requests} requests", requests.min(POINTS)))
}

fn memory(peer: &Peer, shim: &Path) -> Result<String> {
    let [allocations, _, _] = counts(peer, shim, "1")?;
    let [mut refused, mut aborted, mut unharmed] = [0; 3];
    for at in points(allocations) {
        let end = under(peer, shim, ("FAIL_ALLOCATION", &at.to_string()), "1")?;
        match (end.code, end.signal) {
            (Some(0), _) => unharmed += 1,
            (Some(1 | 2), _) => refused += 1,
            // Rust's own allocations end the process: hostap is restarted, no key was made
            (_, Some(6)) => aborted += 1,
            _ => bail!("allocation {at} fails: {:?}, signal {:?}: {}", end.code, end.signal, last_lines(&end.told)),
        }
    }
    Ok(format!("{refused} refused, {aborted} aborted, {unharmed} went on with a whole key"))
}

/// Memory errors and leaks by valgrind's count, of fewer exchanges. Its CPU lacks ADX, so portable code runs.
fn valgrind(peer: &Peer, report: &mut Report) {
    if Command::new("valgrind").arg("--version").stdout(Stdio::null()).status().is_err() {
        report.skipped("valgrind", "not installed: apt-get install valgrind");
        return;
    }
    let wrapper =
        ["valgrind", "--quiet", "--leak-check=full", "--errors-for-leak-kinds=definite", "--error-exitcode=9"];
    for args in [["self", "19", "h2e", "2"], ["self", "19", "hnp", "1"], ["self", "19", "pk", "1"]] {
        let result = peer.under(&wrapper, &args).stdin(Stdio::null()).output().context("cannot run valgrind");
        let result = result.and_then(|output| {
            let told = String::from_utf8_lossy(&output.stderr).into_owned();
            ensure!(output.status.success(), "{}: {}", output.status, last_lines(&told));
            Ok("no error, no leak".to_owned())
        });
        report.record(format!("valgrind, SAE {} group 19", args[2]), result);
    }
}

#[cfg(test)]
mod tests {
    use super::points;

    #[test]
    fn points_are_all_of_few_and_some_of_many() {
        assert_eq!(points(3).collect::<Vec<_>>(), [1, 2, 3]);
        let many: Vec<u64> = points(10_000).collect();
        assert_eq!((many.len(), many[0]), (40, 1));
        assert!(many.iter().all(|at| *at <= 10_000) && many.is_sorted());
    }
}
