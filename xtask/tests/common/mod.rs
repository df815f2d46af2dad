//! What the test programs share: the checkout, and a Python environment with pinned packages.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace").to_path_buf()
}

/// The Python of a virtual environment with the packages in `tests/bitbake/requirements.txt`; made once and kept in `target/`.
/// None (and a counted SKIPPED line) where pip cannot bring them.
#[allow(dead_code)] // each test program uses a part of this module
pub(crate) fn python(what: &str) -> Option<PathBuf> {
    static PYTHON: OnceLock<Option<PathBuf>> = OnceLock::new();
    let python = PYTHON.get_or_init(|| {
        let requirements = root().join("xtask/tests/bitbake/requirements.txt");
        let wanted = std::fs::read_to_string(&requirements).expect("requirements.txt");
        let folder = root().join("target/test-python");
        let (python, stamp) = (folder.join("bin/python"), folder.join("installed.txt"));
        if std::fs::read_to_string(&stamp).ok().as_deref() == Some(&wanted) {
            return Some(python);
        }
        // A lock by file name: two test programs may come here at once.
        let guard = std::fs::File::create(root().join("target/test-python.lock")).expect("target is writable");
        guard.lock().expect("a lock on our own file");
        if std::fs::read_to_string(&stamp).ok().as_deref() == Some(&wanted) {
            return Some(python);
        }
        let run = |program: &Path, arguments: &[&std::ffi::OsStr]| {
            Command::new(program).args(arguments).output().is_ok_and(|output| output.status.success())
        };
        let made = run(Path::new("python3"), &["-m".as_ref(), "venv".as_ref(), folder.as_os_str()])
            && run(
                &python,
                &[
                    "-m".as_ref(),
                    "pip".as_ref(),
                    "install".as_ref(),
                    "--quiet".as_ref(),
                    "-r".as_ref(),
                    requirements.as_os_str(),
                ],
            );
        made.then(|| {
            std::fs::write(&stamp, &wanted).expect("target is writable");
            python
        })
    });
    if python.is_none() {
        println!(
            "SKIPPED: {what}: needs python3 with venv, and pip able to install what xtask/tests/bitbake/requirements.txt names"
        );
    }
    python.clone()
}
