//! Exchanges between backends: each pair, each side once as access point and once as station.

use anyhow::{Result, bail};

use super::pairs::{Judge, pairs};
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
    let (mut matrix, mut judge) = (Vec::new(), Judge::default());
    for (ap, sta) in pairs(sides) {
        let pair = format!("{} access point, {} station", ap.library.backend, sta.library.backend);
        let mut row = vec![pair.clone()];
        let mut cell = |what: &str, ap_args: &[&str], sta_args: &[&str]| {
            row.push(judge.record(report, (ap, sta), (what, &pair), || {
                exchange((&ap.peer, ap_args), (&sta.peer, sta_args)).map(|_| "same keys".into())
            }));
        };
        for method in ["hnp", "h2e"] {
            for group in GROUPS {
                let of = |role| ["sae", group, method, SAE_COUNT, role];
                cell(&format!("SAE {method} group {group}"), &of("ap"), &of("sta"));
            }
        }
        let pk = |role| ["sae", "19", "pk", SAE_COUNT, role];
        cell("SAE-PK group 19", &pk("ap"), &pk("sta"));
        for group in GROUPS {
            let of = |role| ["owe", group, OWE_COUNT, role];
            cell(&format!("OWE group {group}"), &of("ap"), &of("sta"));
        }
        for group in GROUPS {
            cell(&format!("mesh peering after SAE group {group}"), &["mesh", group, "ap"], &["mesh", group, "sta"]);
        }
        cell("WPS by PIN", &["wps", PIN, "ap"], &["wps", PIN, "sta"]);
        let refused = || wrong_pin(ap, sta);
        row.push(judge.record(report, (ap, sta), ("WPS by a wrong PIN is refused", &pair), refused));
        matrix.push(row);
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

fn wrong_pin(ap: &Side, sta: &Side) -> Result<String> {
    match exchange((&ap.peer, &["wps", PIN, "ap"]), (&sta.peer, &["wps", WRONG_PIN, "sta"])) {
        Ok(_) => bail!("it ended well"),
        // whoever ends first: a crash would be told as a signal
        Err(why) if format!("{why:#}").contains("exit status: 1") => Ok("refused".into()),
        Err(why) => Err(why),
    }
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
