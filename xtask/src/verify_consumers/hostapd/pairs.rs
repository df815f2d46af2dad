//! Which backends meet which, and what a peer cannot even do with itself: that is not ours to answer for.

use anyhow::Result;

use super::{Report, Side};
use crate::consumers::Backend;

/// Every side with itself, then ours with each other one, both ways round.
pub(super) fn pairs(sides: &[Side]) -> Vec<(&Side, &Side)> {
    let own = sides.iter().map(|side| (side, side));
    let mixed = sides.iter().skip(1).flat_map(|other| [(&sides[0], other), (other, &sides[0])]);
    own.chain(mixed).collect()
}

/// Remembers the exchanges that failed between two ends of one foreign backend.
#[derive(Default)]
pub(super) struct Judge {
    broken: Vec<(Backend, String)>,
}

impl Judge {
    /// Run and record one exchange of a pair; the word for the matrix.
    pub(super) fn record(
        &mut self,
        report: &mut Report,
        (one, other): (&Side, &Side),
        (what, pair): (&str, &str),
        exchange: impl FnOnce() -> Result<String>,
    ) -> String {
        let (one, other) = (one.library.backend, other.library.backend);
        let check = format!("{what}: {pair}");
        let known = self.broken.iter().find(|(backend, name)| [one, other].contains(backend) && name == what);
        if let Some((backend, _)) = known {
            report.skipped(check, format!("{backend} fails at it with itself"));
            return "-".into();
        }
        match exchange() {
            // OpenSSL is what hostap is developed on: where that fails with itself, the test is at fault
            Err(error) if one == other && [Backend::WolfSsl, Backend::MbedTls].contains(&one) => {
                report.skipped(check, format!("a fault of {one}, or something it was built without: {error:#}"));
                self.broken.push((one, what.to_owned()));
                "-".into()
            }
            result => {
                let word = if result.is_ok() { "yes" } else { "NO" };
                report.record(check, result);
                word.into()
            }
        }
    }
}
