//! A consumer's glue (`patches/<consumer>/`) as one patch file for a package's `patches/` folder.
//!
//! The upstream source is not at hand when a tree is changed: the build fetches it. So a hunk carries nothing but the
//! lines that the hook looks for, which it removes and puts back: `patch` finds those at any line number.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use crate::consumers::hook::Hook;

/// The patch that does to the consumer's source what the hook in `dir` says.
pub(crate) fn patch(dir: &Path) -> Result<String> {
    let hook = Hook::read(dir)?;
    let mut out = String::from("Make librustcrypto one of the backends.\n\n");
    for copy in &hook.copy {
        for file in &copy.files {
            let path = dir.join(file);
            let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
            out.push_str(&new_file(&copy.to.join(file), &text));
        }
    }
    let mut files: Vec<&Path> = hook.edit.iter().flat_map(|edit| edit.files.iter().map(PathBuf::as_path)).collect();
    files.sort_unstable();
    files.dedup();
    for file in files {
        let name = file.display();
        let _ = write!(out, "--- a/{name}\n+++ b/{name}\n");
        for edit in hook.edit.iter().filter(|edit| edit.files.iter().any(|path| path == file)) {
            let kept = if edit.instead { "" } else { edit.after.as_str() };
            let new = format!("{kept}{}", edit.insert);
            let _ = writeln!(out, "@@ -1,{} +1,{} @@", edit.after.lines().count(), new.lines().count());
            out.extend(edit.after.lines().map(|line| format!("-{line}\n")));
            out.extend(new.lines().map(|line| format!("+{line}\n")));
        }
    }
    Ok(out)
}

/// A unified diff that makes a file.
pub(crate) fn new_file(path: &Path, text: &str) -> String {
    let name: PathBuf = path.components().filter(|part| part.as_os_str() != ".").collect();
    let mut out = format!("--- /dev/null\n+++ b/{}\n@@ -0,0 +1,{} @@\n", name.display(), text.lines().count());
    out.extend(text.lines().map(|line| format!("+{line}\n")));
    out
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;
    use crate::root::root;

    /// The real `patch`, with the options OpenWrt's build gives it, on a source where the lines stand elsewhere.
    #[test]
    fn patch_applies_it_at_any_line_number() {
        for consumer in ["ustream-ssl", "apk-tools", "hostapd"] {
            let dir = root().join("patches").join(consumer);
            let hook = Hook::read(&dir).unwrap();
            let tree = tempfile::tempdir().unwrap();
            for file in hook.edit.iter().flat_map(|edit| &edit.files) {
                let path = tree.path().join(file);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                let mut text = "first\n".repeat(40);
                for edit in hook.edit.iter().filter(|edit| edit.files.contains(file)) {
                    text = text + "unrelated\n\n" + &edit.after + "\nmore\n";
                }
                fs::write(path, text).unwrap();
            }
            let expected = tempfile::tempdir().unwrap();
            let copied =
                Command::new("cp").args(["-a"]).arg(tree.path()).arg(expected.path().join("t")).status().unwrap();
            assert!(copied.success());
            for copy in &hook.copy {
                fs::create_dir_all(expected.path().join("t").join(&copy.to)).unwrap();
            }
            hook.apply(&dir, &expected.path().join("t")).unwrap();

            let file = expected.path().join("glue.patch");
            fs::write(&file, patch(&dir).unwrap()).unwrap();
            let patched = Command::new("patch")
                .args(["-f", "-p1", "-E", "-s", "--no-backup-if-mismatch", "-d"])
                .arg(tree.path())
                .arg("-i")
                .arg(&file)
                .status()
                .unwrap();
            assert!(patched.success(), "{consumer}");
            let same = Command::new("diff").arg("-r").arg(tree.path()).arg(expected.path().join("t")).output().unwrap();
            assert!(same.status.success(), "{consumer}: {}", String::from_utf8_lossy(&same.stdout));
        }
    }
}
