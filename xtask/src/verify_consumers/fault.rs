//! Faults under a program: no memory, no entropy, from a given point on, by a shim that is preloaded.

use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail, ensure};

use super::exec::run;
use crate::root::root;

/// How many of the points where something can fail are tried, spread over the whole run.
const POINTS: u64 = 40;

/// `patches/hostapd/tests/fail.c` as a shared object.
pub(super) struct Shim(PathBuf);

/// How a run under the shim ended.
pub(super) struct End {
    pub(super) code: Option<i32>,
    pub(super) signal: Option<i32>,
    pub(super) told: String,
}

/// Of a run without any failure.
pub(super) struct Counts {
    pub(super) allocations: u64,
    /// Blocks that are live at the end.
    pub(super) live: u64,
    pub(super) entropy: u64,
}

impl Shim {
    pub(super) fn build(cc: &str, work: &Path) -> Result<Self> {
        let out = work.join("fail.so");
        let source = root().join("patches/hostapd/tests/fail.c");
        run(Command::new(cc).args(["-O1", "-fPIC", "-shared", "-o"]).arg(&out).arg(source))?;
        Ok(Self(out))
    }

    fn under(&self, command: &mut Command, variable: &str, value: &str) -> Result<End> {
        let command = command.env("LD_PRELOAD", &self.0).env(variable, value).env("RUST_BACKTRACE", "0");
        let output = command.stdin(Stdio::null()).output().context("cannot run the program under test")?;
        let told = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        Ok(End { code: output.status.code(), signal: output.status.signal(), told })
    }

    pub(super) fn counts(&self, mut command: Command) -> Result<Counts> {
        let end = self.under(&mut command, "COUNT", "1")?;
        ensure!(end.code == Some(0), "a run without failures failed: {}", end.told);
        let words: Vec<&str> = end.told.split_whitespace().collect();
        let [.., "allocations", a, "live", l, "entropy", e] = words[..] else { bail!("no counts in: {}", end.told) };
        Ok(Counts { allocations: a.parse()?, live: l.parse()?, entropy: e.parse()? })
    }

    /// No request for entropy is answered from one point on, for every point: each time the program must end with exit
    /// status 1 and with `says` in what it told. Only the last `spare` requests may be ones that no key depends on.
    pub(super) fn without_entropy(&self, program: impl Fn() -> Command, says: &str, spare: u64) -> Result<String> {
        let requests = self.counts(program())?.entropy;
        ensure!(requests > 0, "it asked for no entropy that the shim could see");
        let [mut refused, mut unharmed] = [0; 2];
        for at in points(requests) {
            let end = self.under(&mut program(), "FAIL_ENTROPY", &at.to_string())?;
            match end.code {
                Some(0) if at + spare > requests => unharmed += 1,
                Some(1) if end.told.contains(says) => refused += 1,
                code => bail!(
                    "without entropy from request {at} of {requests} on it ended with {code:?}, signal {:?}: {}",
                    end.signal,
                    end.told
                ),
            }
        }
        Ok(format!("{requests} requests, {refused} refused, {unharmed} after the keys were made"))
    }

    /// One allocation fails, at many points: an error, or the end of the process, or (where nothing depends on it) no harm.
    pub(super) fn without_memory(&self, program: impl Fn() -> Command) -> Result<String> {
        let allocations = self.counts(program())?.allocations;
        let [mut refused, mut aborted, mut unharmed] = [0; 3];
        for at in points(allocations) {
            let end = self.under(&mut program(), "FAIL_ALLOCATION", &at.to_string())?;
            match (end.code, end.signal) {
                (Some(0), _) => unharmed += 1,
                (Some(1 | 2), _) => refused += 1,
                // Rust's own allocations end the process: the daemon is restarted, no key was made
                (_, Some(6)) => aborted += 1,
                _ => bail!("allocation {at} fails: {:?}, signal {:?}: {}", end.code, end.signal, end.told),
            }
        }
        Ok(format!("{refused} refused, {aborted} aborted, {unharmed} went on unharmed"))
    }
}

/// Points from 1 to `last`, all of them if they are few.
fn points(last: u64) -> impl Iterator<Item = u64> {
    let n = last.min(POINTS);
    (0..n).map(move |i| 1 + i * last / n)
}

/// Memory errors and leaks, by valgrind. Its CPU lacks ADX, so portable code runs. `None`: it is not installed.
pub(super) fn valgrind(under: impl FnOnce(&[&str]) -> Command) -> Option<Result<String>> {
    Command::new("valgrind").arg("--version").stdout(Stdio::null()).status().ok()?;
    let wrapper =
        ["valgrind", "--quiet", "--leak-check=full", "--errors-for-leak-kinds=definite", "--error-exitcode=9"];
    Some(run(under(&wrapper).stdin(Stdio::null())).map(|_| "no error, no leak".to_owned()))
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
