//! `cargo xtask measure`: Measure an image, a root filesystem or a device.

mod scenarios;
#[cfg(test)]
mod tests;
pub(crate) mod user;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::lab::{self, Lab};
use crate::report::{self, Measure, PackageSize, Rootfs, SCHEMA};
use crate::root::root;
use crate::sources::{self, Sources};
use crate::{pack, user_bail};

#[derive(clap::Args)]
#[group(id = "what", required = true, multiple = false, args = ["path", "ssh"])]
pub(crate) struct Args {
    /// A squashfs file, or the directory of an unpacked root filesystem: sizes, TLS libraries, and the heap of its programs
    path: Option<PathBuf>,
    /// A device that runs an image with tlsprobe: heap and time by the same scenarios as in QEMU
    #[arg(long, value_name = "USER@HOST", requires = "target")]
    ssh: Option<String>,
    /// Board of the device or image
    #[arg(long)]
    target: Option<String>,
    /// Write measure.json, report.md and report.html into this folder
    #[arg(long, value_name = "DIR")]
    output: Option<PathBuf>,
    #[arg(long)]
    json: bool,
    /// Do not run the root filesystem's programs (under qemu-user): sizes only
    #[arg(long, conflicts_with = "ssh")]
    no_run: bool,
    #[command(flatten)]
    sources: sources::Options,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let (measure, failed) = match (&args.path, &args.ssh) {
        (Some(path), _) => rootfs(args, path)?,
        (None, Some(host)) => (device(args, host)?, Vec::new()),
        (None, None) => user_bail!("measure what? A squashfs file, a directory, or --ssh USER@HOST"),
    };
    if args.json {
        println!("{}", serde_json::to_string_pretty(&measure)?);
    } else {
        print!("{}", report::table(std::slice::from_ref(&measure)));
        println!("TLS libraries: {}", measure.tls_libraries.join(", "));
    }
    if let Some(dir) = &args.output {
        fs::create_dir_all(dir).with_context(|| format!("cannot make {}", dir.display()))?;
        eprintln!("wrote {}", measure.save(dir)?.display());
        for file in report::write_reports(&[measure], dir)? {
            eprintln!("wrote {}", file.display());
        }
    }
    user::report(&failed)
}

fn empty(args: &Args, engine: &str, method: &str) -> Measure {
    Measure {
        schema: SCHEMA,
        target: args.target.clone().unwrap_or_else(|| "unknown".to_owned()),
        tls: String::new(),
        profile: String::new(),
        engine: engine.to_owned(),
        method: method.to_owned(),
        rootfs: Rootfs::default(),
        heap: Vec::new(),
        time: Vec::new(),
        tls_libraries: Vec::new(),
        absent: BTreeMap::new(),
        self_test: None,
    }
}

/// By its superblock, which starts with a magic number, little-endian (Linux, Documentation/filesystems/squashfs.rst).
fn is_squashfs(path: &Path) -> bool {
    let mut magic = [0; 4];
    let read = fs::File::open(path).and_then(|mut file| file.read_exact(&mut magic));
    read.is_ok() && &magic == b"hsqs"
}

/// Sizes, TLS libraries and heap of a root filesystem that some build system made; and the scenarios that failed.
fn rootfs(args: &Args, path: &Path) -> Result<(Measure, Vec<String>)> {
    let sources = Sources::open(&args.sources)?;
    let scratch = tempfile::tempdir()?;
    let (dir, squashfs_bytes) = if path.is_dir() {
        (path.to_owned(), pack::squashfs_bytes(&sources, path)?)
    } else if path.is_file() {
        if !is_squashfs(path) {
            user_bail!("{}: neither a squashfs file nor a directory", path.display());
        }
        let dir = scratch.path().join("root");
        lab::unsquash(&sources, path, &dir)?;
        (dir, fs::metadata(path)?.len())
    } else {
        user_bail!("{}: no such file or directory", path.display());
    };
    let mut measure = empty(
        args,
        "foreign",
        "Root filesystem as it was found; a directory was packed as squashfs, xz, 256 KiB blocks.",
    );
    let mut groups: BTreeMap<String, u64> = BTreeMap::new();
    let mut libraries = BTreeSet::new();
    for entry in walkdir::WalkDir::new(&dir).sort_by_file_name() {
        let entry = entry?;
        if !entry.file_type().is_file() {
            continue;
        }
        let relative = entry.path().strip_prefix(&dir).unwrap_or(entry.path()).to_string_lossy().into_owned();
        libraries.extend(lab::library::known(&relative));
        // Files of a kilobyte are not worth a row; their folder is.
        let bytes = entry.metadata()?.len();
        let group = if bytes >= 32 << 10 {
            format!("/{relative}")
        } else {
            format!("/{}/ (small files)", relative.split('/').next().unwrap_or(""))
        };
        *groups.entry(group).or_default() += bytes;
    }
    let unpacked_bytes: u64 = groups.values().sum();
    let mut packages: Vec<PackageSize> = groups
        .into_iter()
        .map(|(name, bytes)| PackageSize {
            name,
            version: String::new(),
            bytes,
            squashfs_share: squashfs_bytes * bytes / unpacked_bytes.max(1),
        })
        .collect();
    packages.sort_by_key(|package| std::cmp::Reverse(package.bytes));
    measure.rootfs = Rootfs { squashfs_bytes, unpacked_bytes, packages, ..Rootfs::default() };
    measure.tls_libraries = libraries.into_iter().map(str::to_owned).collect();
    measure.tls = measure.tls_libraries.join("+");
    let failed = if args.no_run { Vec::new() } else { user::heap(&args.sources, &dir)?.into(&mut measure) };
    Ok((measure, failed))
}

/// Copy the scenarios over, run them, bring the results back; nothing stays on the device.
fn device(args: &Args, host: &str) -> Result<Measure> {
    let catalogue = crate::catalogue::Catalogue::load(&root())?;
    let target = catalogue.target(args.target.as_deref().unwrap_or_default())?;
    let lab = Lab::open(&args.sources, target)?;
    let scratch = tempfile::tempdir()?;
    let share = scratch.path().join("rustcrypto-lab");
    lab.fill_share(&share)?;
    // One connection each way: in through tar, out through tar; the folder is removed whatever happens.
    let script = "set -e; d=$(mktemp -d); trap 'rm -rf \"$d\"' EXIT; tar -x -C \"$d\" -f -; export SHARE=$d/rustcrypto-lab; \
                  sh \"$SHARE/guest/scenarios\" >&2; ls /usr/lib /usr/local/lib /lib 2>/dev/null >\"$SHARE/out/libraries\" || true; tar -c -C \"$SHARE\" -f - out";
    let archive = Command::new("tar")
        .arg("-C")
        .arg(scratch.path())
        .args(["-cf", "-", "rustcrypto-lab"])
        .stdout(Stdio::piped())
        .spawn();
    let mut archive = archive.context("cannot run tar")?;
    let stream = archive.stdout.take().context("tar gave no output")?;
    let output = Command::new("ssh").arg("--").arg(host).arg(script).stdin(stream).stderr(Stdio::inherit()).output();
    let output = output.context("cannot run ssh: install openssh-client")?;
    archive.wait()?;
    if !output.status.success() {
        bail!(
            "the scenarios failed on {host}: its words are above (it needs tlsprobe and busybox: an image of this project has them)"
        );
    }
    let back = scratch.path().join("back");
    fs::create_dir_all(&back)?;
    let mut untar =
        Command::new("tar").arg("-x").arg("-C").arg(&back).args(["-f", "-"]).stdin(Stdio::piped()).spawn()?;
    std::io::Write::write_all(&mut untar.stdin.take().context("tar takes no input")?, &output.stdout)?;
    if !untar.wait()?.success() {
        bail!("{host} sent results that tar cannot read");
    }
    let mut measure = empty(
        args,
        "ssh",
        &format!("Measured on {}; heap: peak live bytes that the program requested.", target.summary),
    );
    let results = lab::results::read(&back.join("out"), "CPU time of the device's own clock.")?;
    (measure.heap, measure.time, measure.self_test) = (results.heap, results.time, results.self_test);
    measure.absent = results.absent;
    let listed = fs::read_to_string(back.join("out/libraries")).unwrap_or_default();
    let libraries: BTreeSet<&str> = listed.lines().filter_map(lab::library::known).collect();
    measure.tls_libraries = libraries.into_iter().map(str::to_owned).collect();
    measure.tls = measure.tls_libraries.join("+");
    Ok(measure)
}
