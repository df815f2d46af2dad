//! Exchanges between backends: each pair, each side once as access point and once as station.

use anyhow::{Result, bail};

use super::peer::exchange;
use super::{Report, Side};

const GROUPS: [&str; 3] = ["19", "20", "21"];
/// Enough to meet the odd ones: a leading zero in a coordinate comes once in 256.
const SAE_COUNT: &str = "3";
const OWE_COUNT: &str = "300";
/// Both with a valid check digit.
const PIN: &str = "12345670";
const WRONG_PIN: &str = "76543210";

/// SAE by hunting-and-pecking and by hash-to-element, SAE-PK, OWE, mesh, WPS, and the keys of PSK and FT.
pub(super) fn run(sides: &[Side], report: &mut Report) {
    let mut matrix = Vec::new();
    for ap in sides {
        for sta in sides {
            let pair = format!("{} access point, {} station", ap.library.backend, sta.library.backend);
            let mut row = vec![pair.clone()];
            let mut cell = |what: String, result: Result<String>| {
                row.push(if result.is_ok() { "yes" } else { "NO" }.into());
                report.record(format!("{what}: {pair}"), result.map(|_| "same keys".into()));
            };
            for method in ["hnp", "h2e"] {
                for group in GROUPS {
                    cell(format!("SAE {method} group {group}"), sae(ap, sta, group, method));
                }
            }
            cell("SAE-PK group 19".into(), sae(ap, sta, "19", "pk"));
            for group in GROUPS {
                let result = exchange(
                    (&ap.peer, &["owe", group, OWE_COUNT, "ap"]),
                    (&sta.peer, &["owe", group, OWE_COUNT, "sta"]),
                );
                cell(format!("OWE group {group}"), result);
            }
            let both = |ap_args: &[&str], sta_args: &[&str]| exchange((&ap.peer, ap_args), (&sta.peer, sta_args));
            for group in GROUPS {
                cell(
                    format!("mesh peering after SAE group {group}"),
                    both(&["mesh", group, "ap"], &["mesh", group, "sta"]),
                );
            }
            cell("WPS by PIN".into(), both(&["wps", PIN, "ap"], &["wps", PIN, "sta"]));
            let wrong = match both(&["wps", PIN, "ap"], &["wps", WRONG_PIN, "sta"]) {
                Ok(_) => Err(anyhow::anyhow!("it ended well")),
                // whoever ends first: a crash would be told as a signal
                Err(why) if format!("{why:#}").contains("exit status: 1") => Ok(String::new()),
                Err(why) => Err(why),
            };
            cell("WPS by a wrong PIN is refused".into(), wrong);
            matrix.push(row);
        }
    }
    let header = [
        "exchange",
        "hnp 19",
        "hnp 20",
        "hnp 21",
        "h2e 19",
        "h2e 20",
        "h2e 21",
        "pk 19",
        "owe 19",
        "owe 20",
        "owe 21",
        "mesh 19",
        "mesh 20",
        "mesh 21",
        "wps",
        "wrong pin",
    ];
    report.table("Exchanges over hostap's own protocol code", &header, matrix);
    for other in &sides[1..] {
        let check = format!("keys of PSK, PSK-SHA256 and FT-PSK as on {}", other.library.backend);
        report.record(check, same_keys(&sides[0], other));
    }
}

fn sae(ap: &Side, sta: &Side, group: &str, method: &str) -> Result<String> {
    let of = |role| ["sae", group, method, SAE_COUNT, role];
    exchange((&ap.peer, &of("ap")), (&sta.peer, &of("sta")))
}

/// PBKDF2, PTK derivation, EAPOL-Key MICs (HMAC-SHA1 and CMAC), key wrap, and FT's key hierarchy.
fn same_keys(ours: &Side, other: &Side) -> Result<String> {
    let (ours, theirs) = (ours.peer.run(&["keys"])?, other.peer.run(&["keys"])?);
    match ours.lines().zip(theirs.lines()).find(|(a, b)| a != b) {
        Some((a, b)) => bail!("{a} but {b}"),
        None if ours.lines().count() != theirs.lines().count() => bail!("one of them told less"),
        None => Ok(format!("{} keys", ours.lines().count())),
    }
}
