//! Running the build: by kas, or by bitbake in the user's own build directory.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use super::kas::Plan;
use crate::catalogue::Catalogue;
use crate::user_bail;

/// `kas build FILE` below `folder`; gives the build directory.
pub(super) fn with_kas(file: &Path, folder: &Path) -> Result<PathBuf> {
    let work = folder.join("kas");
    std::fs::create_dir_all(&work).with_context(|| format!("cannot create {}", work.display()))?;
    let mut command = Command::new("kas");
    command.arg("build").arg(file).env("KAS_WORK_DIR", &work);
    run(command, "install kas (`pip install kas`), or name an initialised build directory with --build-dir")?;
    Ok(work.join("build"))
}

/// Add the layer, turn the switch on as its fragment, and build the image.
pub(super) fn in_build_dir(catalogue: &Catalogue, plan: &Plan, build_dir: &Path) -> Result<()> {
    if !build_dir.join("conf/local.conf").is_file() {
        user_bail!(
            "{} is not a BitBake build directory: it has no conf/local.conf; run `. oe-init-build-env` first",
            build_dir.display()
        );
    }
    let hint = "run this in a shell in which `. oe-init-build-env` was read, so that bitbake is on PATH";
    let tool = |program: &str| {
        let mut command = Command::new(program);
        // BitBake finds its build directory from here.
        command.current_dir(build_dir).env("BBPATH", build_dir).env("BUILDDIR", build_dir);
        command
    };
    let mut add = tool("bitbake-layers");
    add.arg("add-layer").arg(catalogue.root.join(&catalogue.yocto.layer));
    run(add, hint)?;
    if plan.feature.is_some() {
        let mut enable = tool("bitbake-config-build");
        enable.args(["enable-fragment", "rustcrypto/rustcrypto"]);
        run(enable, hint)?;
    }
    let extra = build_dir.join("conf").join("rustcrypto-image.conf");
    let settings = format!(
        "IMAGE_INSTALL:append = \" {}\"\nIMAGE_FSTYPES:append = \" squashfs-xz\"\nINHERIT += \"buildhistory\"\nBUILDHISTORY_COMMIT = \"0\"\n",
        plan.install.join(" ")
    );
    crate::generate::replace(&extra, &settings)?;
    let mut build = tool("bitbake");
    build.arg("--postread").arg(&extra).arg(&plan.image).env("MACHINE", &plan.machine);
    run(build, hint)
}

/// Run it with its output on standard error; of BitBake's thousands of task lines, one in a hundred and the failures.
fn run(mut command: Command, hint: &str) -> Result<()> {
    let shown = format!("{command:?}");
    eprintln!("+ {shown}");
    let mut child = match command.stdout(Stdio::piped()).spawn() {
        Ok(child) => child,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            user_bail!("{} is not on PATH: {hint}", command.get_program().display())
        }
        Err(error) => return Err(error).with_context(|| format!("cannot run {shown}")),
    };
    let output = child.stdout.take().context("its output is piped")?;
    for line in BufReader::new(output).lines() {
        let line = line?;
        match progress(&line) {
            Some((done, all)) if done % 100 != 0 && done != all => {}
            Some((done, all)) => eprintln!("  task {done} of {all}"),
            None if line.starts_with("NOTE: recipe ") && !line.ends_with("Failed") => {}
            None => eprintln!("  {line}"),
        }
    }
    let status = child.wait()?;
    if !status.success() {
        bail!("{shown} failed ({status}); `cargo xtask doctor --log LOG` knows the usual reasons");
    }
    Ok(())
}

/// `NOTE: Running task 12 of 3456 (...)` -> (12, 3456).
fn progress(line: &str) -> Option<(u64, u64)> {
    let rest = line.strip_prefix("NOTE: Running ")?;
    let (_, rest) = rest.split_once("task ")?;
    let (done, rest) = rest.split_once(" of ")?;
    Some((done.parse().ok()?, rest.split(' ').next()?.parse().ok()?))
}

#[cfg(test)]
#[test]
fn task_lines_of_bitbake() {
    assert_eq!(progress("NOTE: Running task 12 of 3456 (/a.bb:do_compile)"), Some((12, 3456)));
    assert_eq!(progress("NOTE: Running noexec task 45 of 45 (/a.bb:do_build)"), Some((45, 45)));
    assert_eq!(progress("NOTE: Executing Tasks"), None);
}
