//! What the tests of the C ABI share: finding the library and tools, running programs, comparing with committed files.
#![allow(dead_code, reason = "each test binary uses its part")]

pub(crate) mod abi;

use std::env;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The shared object that cargo built beside this test binary.
pub(crate) fn library() -> PathBuf {
    let library = env::current_exe().unwrap().with_file_name("librustcrypto_capi.so");
    assert!(library.is_file(), "{} is missing", library.display());
    library
}

/// A command for a program in the PATH, if it is there.
pub(crate) fn program(name: &str) -> Option<Command> {
    let found = env::split_paths(&env::var_os("PATH")?).map(|dir| dir.join(name)).find(|path| path.is_file())?;
    Some(Command::new(found))
}

/// Run to success and return standard output.
pub(crate) fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?}: {}\n{stdout}\n{stderr}", output.status);
    stdout.into_owned()
}

/// Say on the real stderr, past the test harness's capture, what did not run and how to make it run.
pub(crate) fn skipped(what: &str, why: &str) {
    let _ = writeln!(std::io::stderr(), "SKIPPED: {what}: {why}");
}

/// Is this run to refresh the committed files?
pub(crate) fn update() -> bool {
    env::var_os("UPDATE").is_some_and(|value| !value.is_empty())
}

/// The committed file is `text`; `UPDATE=1` makes it so.
pub(crate) fn matches_file(file: &Path, expected: &str, test: &str) {
    if update() {
        fs::write(file, expected).unwrap();
    }
    let committed = fs::read_to_string(file).unwrap_or_default();
    let (file, at) = (file.display(), committed.lines().zip(expected.lines()).position(|(a, b)| a != b));
    assert!(
        committed == expected,
        "{file} is stale from line {}: UPDATE=1 cargo test -p rustcrypto-capi --test {test}",
        at.unwrap_or_else(|| committed.lines().count().min(expected.lines().count())) + 1
    );
}
