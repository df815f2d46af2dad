//! Where a crate's source can be fetched from, as BitBake spells it.

use std::path::Path;
use std::process::Command;

use serde::Serialize;

/// A git address and commit.
#[derive(Debug, Serialize)]
pub(super) struct Git {
    pub(super) uri: String,
    pub(super) revision: String,
    /// Folder of the workspace in the repository, with a slash at its end; "" at the top.
    pub(super) prefix: String,
}

impl Git {
    /// From the work tree's remote, else from the note that cargo leaves in a published crate.
    pub(super) fn of(workspace: &Path, crate_dir: &Path, repository: Option<&str>) -> Option<Self> {
        Self::from_checkout(workspace).or_else(|| Self::from_package(crate_dir, repository?))
    }

    fn from_checkout(workspace: &Path) -> Option<Self> {
        let revision = git(workspace, &["rev-parse", "HEAD"])?;
        let remote = git(workspace, &["remote", "get-url", "origin"])?;
        // A remote on this machine is of no use to anybody else.
        if !remote.contains(':') {
            return None;
        }
        let prefix = git(workspace, &["rev-parse", "--show-prefix"]).unwrap_or_default();
        let branch = git(workspace, &["symbolic-ref", "--short", "HEAD"]);
        Some(Self { uri: bitbake_uri(&remote, branch.as_deref()), revision, prefix })
    }

    /// `.cargo_vcs_info.json` of a crate unpacked from a registry.
    fn from_package(crate_dir: &Path, repository: &str) -> Option<Self> {
        let text = std::fs::read_to_string(crate_dir.join(".cargo_vcs_info.json")).ok()?;
        let info: serde_json::Value = serde_json::from_str(&text).ok()?;
        let revision = info["git"]["sha1"].as_str()?.to_string();
        let folder = info["path_in_vcs"].as_str().unwrap_or_default();
        let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        // Published metadata links to a folder on the web; the repository is its first two parts.
        let repository = repository.split("/tree/").next().unwrap_or(repository);
        Some(Self { uri: bitbake_uri(repository, None), revision, prefix })
    }
}

/// `https://host/path` or `user@host:path` -> `git://...;protocol=...;branch=...`; nobranch where the branch is not known.
pub(super) fn bitbake_uri(remote: &str, branch: Option<&str>) -> String {
    let (protocol, rest) = match remote.split_once("://") {
        Some((protocol, rest)) => (protocol, rest.to_string()),
        // git's short form of ssh
        None => ("ssh", remote.replacen(':', "/", 1)),
    };
    let branch = branch.map_or("nobranch=1".to_string(), |branch| format!("branch={branch}"));
    format!("git://{};protocol={protocol};{branch}", rest.trim_end_matches('/'))
}

fn git(folder: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").arg("-C").arg(folder).args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_string();
    (output.status.success() && !text.is_empty()).then_some(text)
}
