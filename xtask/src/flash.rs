//! `cargo xtask flash`: Write an image to a card.

mod device;

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::user_bail;
use device::Device;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Card image (sdcard.img), or the folder that build-image wrote
    image: PathBuf,
    /// Where to write: a block device, or a regular file. Name it twice to write to a disk that is not removable or is in use
    #[arg(long, required = true)]
    device: Vec<PathBuf>,
    /// Do not ask
    #[arg(long)]
    yes: bool,
}

const CHUNK: usize = 4 << 20;

pub(crate) fn run(args: &Args) -> Result<()> {
    let image = card_image(&args.image)?;
    let size = image.metadata().with_context(|| format!("cannot read {}", image.display()))?.len();
    let path = &args.device[0];
    let insist = match args.device.as_slice() {
        [_] => false,
        [first, second] if first == second => true,
        _ => user_bail!("--device twice must name the same device twice; once is the usual way"),
    };
    let device = Device::look(path, Path::new("/sys/class/block"), Path::new("/proc/self/mounts"))?;
    device.check(size, insist)?;
    eprintln!("{}: {} bytes", image.display(), crate::report::thousands(size));
    eprintln!("{}", device.describe());
    if !args.yes {
        confirm(path, &mut io::stdin().lock())?;
    }
    let started = Instant::now();
    copy(&image, path, size)?;
    verify(&image, path, size)?;
    eprintln!("written and verified in {:.1} s; the card can be taken out", started.elapsed().as_secs_f64());
    Ok(())
}

/// The file itself, or the card image in a folder; a router's image is not for a card.
fn card_image(path: &Path) -> Result<PathBuf> {
    let file = if path.is_dir() { path.join("sdcard.img") } else { path.to_owned() };
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if name.contains("sysupgrade") {
        user_bail!(
            "{name} is for a router that runs OpenWrt, not for a card: `scp -O {0} root@ROUTER:/tmp/ && ssh root@ROUTER sysupgrade -n /tmp/{name}`",
            file.display()
        );
    }
    if name.contains("factory") || name.contains("initramfs") {
        user_bail!(
            "{name} is for a boot loader, not for a card: serve it by TFTP from the address that the router's boot loader asks (its wiki page says which) and reset the router with its button held"
        );
    }
    if !file.is_file() {
        user_bail!("{}: no such card image; `cargo xtask build-image --target rpi5` writes sdcard.img", file.display());
    }
    Ok(file)
}

fn confirm(path: &Path, answers: &mut impl BufRead) -> Result<()> {
    eprint!("everything on {0} will be lost. Type {0} to go on: ", path.display());
    io::stderr().flush()?;
    let mut answer = String::new();
    answers.read_line(&mut answer)?;
    if Path::new(answer.trim()) != path {
        user_bail!("nothing was written");
    }
    Ok(())
}

fn copy(image: &Path, to: &Path, size: u64) -> Result<()> {
    let mut from = File::open(image)?;
    let mut out =
        OpenOptions::new().write(true).open(to).with_context(|| format!("cannot write to {}", to.display()))?;
    let mut buffer = vec![0; CHUNK];
    let mut done = 0;
    while done < size {
        let n = from.read(&mut buffer)?;
        if n == 0 {
            bail!("{}: became shorter while it was read", image.display());
        }
        out.write_all(&buffer[..n])
            .with_context(|| format!("writing to {} failed after {done} bytes", to.display()))?;
        done += n as u64;
        progress("writing", done, size);
    }
    out.sync_all().with_context(|| format!("{} did not take all the data", to.display()))
}

/// Read back. The device was closed by its only user, which makes the kernel forget what it had in memory of it.
fn verify(image: &Path, written: &Path, size: u64) -> Result<()> {
    let (mut a, mut b) = (File::open(image)?, File::open(written)?);
    let (mut left, mut right) = (vec![0; CHUNK], vec![0; CHUNK]);
    let mut done = 0;
    while done < size {
        let n = CHUNK.min((size - done) as usize);
        a.read_exact(&mut left[..n])?;
        b.read_exact(&mut right[..n]).with_context(|| format!("reading {} back failed", written.display()))?;
        if let Some(at) = left[..n].iter().zip(&right[..n]).position(|(x, y)| x != y) {
            bail!(
                "{}: what was written does not read back, first at byte {}: a bad card",
                written.display(),
                done + at as u64
            );
        }
        done += n as u64;
        progress("verifying", done, size);
    }
    Ok(())
}

fn progress(what: &str, done: u64, size: u64) {
    eprint!("\r{what} {:3} %", done * 100 / size.max(1));
    if done == size {
        eprintln!();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::root::UserError;

    fn args(image: &Path, device: &[&Path]) -> Args {
        Args { image: image.into(), device: device.iter().map(Into::into).collect(), yes: true }
    }

    #[test]
    fn an_image_is_written_verified_and_leaves_the_rest_alone() {
        let dir = tempfile::tempdir().unwrap();
        let (image, card) = (dir.path().join("sdcard.img"), dir.path().join("card"));
        let content: Vec<u8> = (0..CHUNK + 12345).map(|i| (i % 251) as u8).collect();
        std::fs::write(&image, &content).unwrap();
        std::fs::write(&card, vec![7; content.len() + 4096]).unwrap();
        run(&args(dir.path(), &[&card])).unwrap();
        let written = std::fs::read(&card).unwrap();
        assert_eq!(&written[..content.len()], &content[..]);
        assert!(written[content.len()..].iter().all(|&b| b == 7));
    }

    #[test]
    fn a_bad_byte_is_found() {
        let dir = tempfile::tempdir().unwrap();
        let (image, card) = (dir.path().join("a"), dir.path().join("b"));
        std::fs::write(&image, vec![1; 10_000]).unwrap();
        let mut bad = vec![1; 10_000];
        bad[9_000] = 2;
        std::fs::write(&card, bad).unwrap();
        let error = verify(&image, &card, 10_000).unwrap_err().to_string();
        assert!(error.contains("byte 9000"), "{error}");
    }

    #[test]
    fn mistakes_are_the_users() {
        let dir = tempfile::tempdir().unwrap();
        let (image, small) = (dir.path().join("sdcard.img"), dir.path().join("small"));
        std::fs::write(&image, vec![1; 5000]).unwrap();
        std::fs::write(&small, vec![1; 4000]).unwrap();
        let router = dir.path().join("openwrt-sysupgrade.bin");
        std::fs::write(&router, "x").unwrap();
        for (args, want) in [
            (args(&image, &[&small]), "too small"),
            (args(&image, &[&small, &small]), "too small"),
            (args(&image, &[&small, &image]), "the same device twice"),
            (args(&image, &[&dir.path().join("none")]), "no such device"),
            (args(&dir.path().join("none.img"), &[&small]), "no such card image"),
            (args(&router, &[&small]), "sysupgrade -n"),
        ] {
            let error = run(&args).unwrap_err();
            assert!(error.is::<UserError>() && error.to_string().contains(want), "{error}");
        }
    }

    #[test]
    fn anything_but_the_devices_name_is_a_no() {
        let path = Path::new("/dev/sdx");
        assert!(confirm(path, &mut &b"/dev/sdx\n"[..]).is_ok());
        for answer in ["yes\n", "\n", "", "/dev/sdy\n"] {
            assert!(confirm(path, &mut answer.as_bytes()).is_err());
        }
    }
}
