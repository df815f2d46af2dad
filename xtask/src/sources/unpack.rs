//! Unpack .deb, tar and wheel files with what the machine has; nothing is installed and nothing needs root.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use super::have;

/// Unpack a .deb into `into` (its root directory).
pub(crate) fn deb(file: &Path, into: &Path) -> Result<()> {
    if have("dpkg-deb") {
        return run(Command::new("dpkg-deb").arg("-x").arg(file).arg(into), file);
    }
    // A machine that is not Debian: a .deb is an ar archive with data.tar.* in it.
    let list = Command::new("ar").arg("t").arg(file).output().context("cannot run ar: install binutils")?;
    let members = String::from_utf8_lossy(&list.stdout).into_owned();
    let Some(data) = members.lines().find(|name| name.starts_with("data.tar")) else {
        bail!("{}: not a Debian package: no data.tar in it", file.display());
    };
    let mut ar = Command::new("ar").arg("p").arg(file).arg(data).stdout(Stdio::piped()).spawn()?;
    let decompress = match data.rsplit('.').next() {
        Some("xz") => "--xz",
        Some("zst") => "--zstd",
        _ => "--gzip",
    };
    let pipe = ar.stdout.take().context("ar gave no output")?;
    let untar = run(Command::new("tar").args(["-x", decompress, "-C"]).arg(into).stdin(pipe), file);
    if !ar.wait()?.success() {
        bail!("{}: ar cannot read it", file.display());
    }
    untar
}

/// Unpack a tar archive of any compression into `into`, without its top directory.
pub(crate) fn tar(file: &Path, into: &Path) -> Result<()> {
    fs::create_dir_all(into)?;
    run(
        Command::new("tar").arg("-xf").arg(file).args(["--strip-components=1", "--no-same-owner", "-C"]).arg(into),
        file,
    )
}

/// Unpack a wheel (a zip file) into `into`; zip keeps no mode, so the caller sets the bit on what it runs.
pub(crate) fn wheel(file: &Path, into: &Path) -> Result<()> {
    fs::create_dir_all(into)?;
    if have("python3") {
        return run(Command::new("python3").args(["-m", "zipfile", "-e"]).arg(file).arg(into), file);
    }
    if have("unzip") {
        return run(Command::new("unzip").arg("-q").arg(file).arg("-d").arg(into), file);
    }
    crate::user_bail!("to unpack {} this machine needs python3 or unzip: `apt-get install unzip`", file.display())
}

/// Check out `rev` of the git repository `repo` (a work tree or a bare one) into `into`.
pub(crate) fn git(repo: &Path, rev: &str, into: &Path) -> Result<()> {
    fs::create_dir_all(into)?;
    let tar = into.join(".archive.tar");
    let file = File::create(&tar)?;
    // safe.directory: a mirror may belong to another user; we only read objects.
    let mut command = Command::new("git");
    command.arg("-c").arg("safe.directory=*").arg("-C").arg(repo).args(["archive", "--format=tar", rev]).stdout(file);
    run(&mut command, repo)?;
    run(Command::new("tar").arg("-xf").arg(&tar).args(["--no-same-owner", "-C"]).arg(into), &tar)?;
    Ok(fs::remove_file(tar)?)
}

fn run(command: &mut Command, file: &Path) -> Result<()> {
    let tool = command.get_program().to_string_lossy().into_owned();
    let output = command
        .stderr(Stdio::piped())
        .spawn()
        .and_then(std::process::Child::wait_with_output)
        .with_context(|| format!("cannot run {tool}"))?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        bail!("{tool} cannot unpack {}: {}", file.display(), text.lines().last().unwrap_or("no reason given"));
    }
    Ok(())
}
