//! Where the repository is, and how an error ends the program.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The top of this checkout.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace").to_path_buf()
}

/// A mistake of the caller's (exit 2): a wrong name, a missing file, a bad value. Everything else is ours (exit 1).
#[derive(Debug)]
pub(crate) struct UserError(pub(crate) String);

impl fmt::Display for UserError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UserError {}

/// Return early with a [`UserError`]: `user_bail!("no target '{name}'")`.
#[macro_export]
macro_rules! user_bail {
    ($($arg:tt)*) => { return Err(anyhow::Error::new($crate::root::UserError(format!($($arg)*)))) };
}

/// Print the error chain on stderr and choose the exit status.
pub(crate) fn report(error: &anyhow::Error) -> ExitCode {
    eprintln!("error: {error:#}");
    ExitCode::from(if error.chain().any(<dyn std::error::Error>::is::<UserError>) { 2 } else { 1 })
}
