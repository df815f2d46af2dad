//! The `lab` engine: a small real image from Debian's kernel and our own builds, booted in QEMU and measured there.

mod apk;
mod board_cpu;
mod budget;
mod card;
mod cpio;
mod guest;
mod image;
mod kernel;
pub(crate) mod library;
mod musl;
mod programs;
pub(crate) mod results;
pub(crate) mod rootfs;
mod settings;
mod tools;
pub(crate) mod userland;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

use crate::catalogue::target::Target;
use crate::report::{Measure, SCHEMA};
use crate::root::root;
use crate::sources::{Options, Sources, hex, sha256_file};
use crate::toolchain::{self, Toolchain};
use crate::user_bail;
use board_cpu::BoardCpu;
use guest::Guest;
use image::{Image, Parts};
use settings::{Card, Settings};
use tools::Tool;

/// What to build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Variant {
    pub(crate) backend: String,
    /// Empty for a library that has only one.
    pub(crate) profile: String,
}

impl Variant {
    pub(crate) fn new(backend: &str, profile: &str) -> Self {
        Self { backend: backend.to_owned(), profile: profile.to_owned() }
    }

    /// Name of its folder.
    pub(crate) fn name(&self) -> String {
        if self.profile.is_empty() { self.backend.clone() } else { format!("{}-{}", self.backend, self.profile) }
    }
}

const METHOD: &str = "Lab image booted in QEMU. Root filesystem: squashfs, xz, 256 KiB blocks; a package's share is the whole shared out by how small xz makes each package alone. Heap: peak live bytes that the program requested (heapmeter), allocator overhead not counted.";
const TIME_METHOD: &str = "CPU time is emulated: QEMU's -icount shift=1 counts 2 ns for each guest instruction, so these figures compare instruction counts, repeatable within 1%, and are not wall time on hardware.";
const HOST_TIME_METHOD: &str = "CPU time is the guest's own clock in QEMU without instruction counting, which this machine's timer does not work with: it depends on the host and its load, and compares images only roughly.";

/// Folders of xtask/lab that a guest or a device gets.
const SHARED: [&str; 3] = ["guest", "fixtures", "index"];

/// Modules that every guest loads, beside the target's own.
const MODULES: [&str; 13] = [
    "virtio_mmio",
    "virtio_blk",
    "virtio_net",
    "squashfs",
    "overlay",
    "9p",
    "9pnet_virtio",
    "ccm",
    "cmac",
    "gcm",
    "ctr",
    "mac80211_hwsim",
    "af_packet",
];

/// The engine for one target, with everything that its images share.
pub(crate) struct Lab<'a> {
    sources: Sources,
    target: &'a Target,
    settings: Settings,
    toolchain: Toolchain,
    mksquashfs: Tool,
    qemu: Tool,
}

impl<'a> Lab<'a> {
    pub(crate) fn open(options: &Options, target: &'a Target) -> Result<Self> {
        let settings = Settings::of(target)?;
        let sources = Sources::open(options)?;
        let Some(triple) = target.rust.musl.as_ref() else {
            user_bail!("images/{}.toml: the lab needs a musl triple in table rust", target.name);
        };
        let toolchain = toolchain::for_target(&sources, triple)?;
        let mksquashfs = Tool::find(&sources, "lab-tools", "mksquashfs")?;
        let qemu = Tool::find(&sources, &settings.qemu_bundle, &target.qemu.system)?;
        Ok(Self { sources, target, settings, toolchain, mksquashfs, qemu })
    }

    pub(crate) fn folder(&self, variant: &Variant) -> PathBuf {
        root().join("target/images").join(&self.target.name).join(variant.name())
    }

    /// Build, boot and measure one image; what is unchanged since last time is not done again.
    pub(crate) fn make(&self, variant: &Variant, boot: bool) -> Result<Measure> {
        let started = Instant::now();
        let title = format!("{} {}", self.target.name, variant.name());
        let say = |what: &str| eprintln!("[{:6.1} s] {title}: {what}", started.elapsed().as_secs_f64());
        let dir = self.folder(variant);
        fs::create_dir_all(&dir).with_context(|| format!("cannot make {}", dir.display()))?;
        let _guard = self.sources.cache.lock(&format!("image-{}-{}", self.target.name, variant.name()))?;
        let parts = Parts { sources: &self.sources, settings: &self.settings, toolchain: &self.toolchain };
        say("library");
        let library = library::build(&self.sources, &self.toolchain, &variant.backend, &variant.profile)?;
        let image = image::build(&parts, &library, &self.mksquashfs, &dir, &say)?;
        let mut measure = Measure {
            schema: SCHEMA,
            target: self.target.name.clone(),
            tls: variant.backend.clone(),
            profile: variant.profile.clone(),
            engine: "lab".to_owned(),
            method: self.method()?,
            rootfs: image.rootfs.clone(),
            heap: Vec::new(),
            time: Vec::new(),
            tls_libraries: image.tls_libraries.clone(),
            absent: image.missing.iter().cloned().collect::<BTreeMap<_, _>>(),
            self_test: None,
        };
        if let Some(card) = &self.settings.card {
            self.card(card, &image, &dir, &say)?;
        }
        if boot {
            self.measure(&image, &dir, &mut measure, &say)?;
        }
        measure.save(&dir)?;
        if self.sources.options().sources.is_some() {
            // What a user's own sources make of the image is not what the limits are for.
            say("done; no budget is held against an image with --sources");
            return Ok(measure);
        }
        for hint in budget::check(&root().join("images/budgets.toml"), &variant.name(), &measure)? {
            eprintln!("budget {hint}");
        }
        say("done");
        Ok(measure)
    }

    /// `sdcard.img`, unless it was made of the same parts.
    fn card(&self, card: &Card, image: &Image, dir: &Path, say: &dyn Fn(&str)) -> Result<()> {
        let stamp = dir.join("card.stamp");
        let init = sha256_file(&root().join("xtask/lab/guest/card-init"))?;
        let key = format!("{}\n{init}\n{card:?}\n{}", image.sha256, self.settings.busybox);
        if dir.join("sdcard.img").exists() && fs::read_to_string(&stamp).unwrap_or_default() == key {
            return Ok(());
        }
        say("card image");
        let _ = fs::remove_file(&stamp);
        let busybox = image::busybox(&self.sources, &self.settings)?;
        card::build(&self.sources, card, &busybox, &image.squashfs, dir)?;
        Ok(fs::write(stamp, key)?)
    }

    /// Boot an image that was built before and serve HTTPS from it on this port of the host, until the guest is ended.
    pub(crate) fn serve(&self, variant: &Variant, port: u16) -> Result<()> {
        let dir = self.folder(variant);
        let squashfs = dir.join("rootfs.squashfs");
        if !squashfs.is_file() {
            user_bail!("{}: build the image first", squashfs.display());
        }
        let share = dir.join("serve");
        let _ = fs::remove_dir_all(&share);
        self.fill_share(&share)?;
        let (kernel, initramfs) = self.boot_files()?;
        let guest = Guest {
            target: self.target,
            settings: &self.settings,
            qemu: &self.qemu,
            kernel: &kernel,
            initramfs: &initramfs,
            squashfs: &squashfs,
            share: &share,
            script: "serve",
            plugin: None,
            https_port: Some(port),
        };
        eprintln!(
            "https://localhost:{port}/ once the guest serves; its certificate: {}",
            share.join("out/px5g.crt").display()
        );
        guest.run(|line| eprintln!("{line}")).map(|_| ())
    }

    /// Boot the image and run the scenarios, unless the same image was measured by the same scenarios before.
    fn measure(&self, image: &Image, dir: &Path, measure: &mut Measure, say: &dyn Fn(&str)) -> Result<()> {
        let heapmeter = userland::heapmeter(&self.toolchain)?;
        let (kernel, initramfs) = self.boot_files()?;
        let board = self.settings.board_cpu.as_ref();
        let scenarios = root().join("xtask/lab");
        let share = dir.join("share");
        let out = share.join("out");
        let key = [
            image.sha256.clone(),
            sha256_file(&initramfs)?,
            sha256_file(&heapmeter)?,
            userland::fingerprint(&SHARED.map(|name| scenarios.join(name)).each_ref().map(PathBuf::as_path))?,
            format!(
                "{:?} {:?} {:?} {} {board:?}",
                self.target.qemu, self.settings.environment, self.settings.qemu_args, self.settings.icount
            ),
        ];
        let key = hex(&Sha256::digest(key.join("\n")));
        let stamp = dir.join("measure.stamp");
        if fs::read_to_string(&stamp).unwrap_or_default() == key {
            say("measured before");
        } else {
            let _ = fs::remove_file(&stamp);
            let _ = fs::remove_dir_all(&share);
            self.fill_share(&share)?;
            if let Ok(wifi) = &image.wifi {
                fs::copy(wifi.dir.join("wpa_cli"), share.join("wpa_cli"))?;
            }
            say(&format!(
                "booting {} ({}, {})",
                self.target.qemu.system, self.target.qemu.machine, self.target.qemu.cpu
            ));
            let plugin = board.map(|_| BoardCpu::plugin(&self.qemu, dir)).transpose()?;
            let guest = Guest {
                target: self.target,
                settings: &self.settings,
                qemu: &self.qemu,
                kernel: &kernel,
                initramfs: &initramfs,
                squashfs: &image.squashfs,
                share: &share,
                script: "scenarios",
                plugin: plugin.as_deref(),
                https_port: None,
            };
            guest.run(|line| say(&format!("  {line}")))?;
            if let Some(board) = board {
                board.verdict(dir)?;
            }
            fs::write(&stamp, key)?;
        }
        if let Some(board) = board {
            measure.method = format!("{} {}", measure.method, board.verdict(dir)?);
        }
        let time = if self.settings.icount { TIME_METHOD } else { HOST_TIME_METHOD };
        let results = results::read(&out, time)?;
        (measure.heap, measure.time, measure.self_test) = (results.heap, results.time, results.self_test);
        measure.absent.extend(results.absent);
        Ok(())
    }

    fn method(&self) -> Result<String> {
        let environment: Vec<String> = self.settings.environment.iter().map(|(k, v)| format!("{k}={v}")).collect();
        let extra =
            if environment.is_empty() { String::new() } else { format!(" Environment: {}.", environment.join(", ")) };
        let libc = match &self.settings.musl {
            Some(name) => {
                let deb = Path::new(self.sources.source(name)?.file_name()).extension().is_some_and(|end| end == "deb");
                let from = if deb { "Debian's package" } else { "built from its source" };
                format!(" C library: musl {}, {from}.", self.sources.version(name)?)
            }
            None => String::new(),
        };
        Ok(format!("{METHOD}{libc}{extra}"))
    }

    /// The folder that a guest or a device gets: scenarios, fixtures, an index, heapmeter, and `out` for the results.
    pub(crate) fn fill_share(&self, share: &Path) -> Result<()> {
        let scenarios = root().join("xtask/lab");
        fs::create_dir_all(share.join("out"))?;
        for name in SHARED {
            copy_files(&scenarios.join(name), &share.join(name))?;
        }
        let lines = self.settings.environment.iter().map(|(key, value)| format!("export {key}='{value}'\n"));
        let preload = match &self.settings.board_cpu {
            Some(board) => {
                board.shim(&self.toolchain, share)?;
                format!("export PRELOAD=\"$SHARE/{}\"\nexport LD_PRELOAD=\"$PRELOAD\"\n", board_cpu::SHIM)
            }
            None => String::new(),
        };
        fs::write(share.join("environment"), lines.collect::<String>() + &preload)?;
        fs::copy(userland::heapmeter(&self.toolchain)?, share.join("libheapmeter.so"))?;
        Ok(())
    }

    /// Kernel and initramfs, the same for every image of the target.
    fn boot_files(&self) -> Result<(PathBuf, PathBuf)> {
        let tree = self.sources.tree(&self.settings.kernel)?;
        let kernel = kernel::image(&tree)?;
        let init = fs::read(root().join("xtask/lab/guest/init"))?;
        let mut modules: Vec<String> = MODULES.iter().map(|&m| m.to_owned()).collect();
        modules.splice(0..0, self.settings.modules.iter().cloned());
        let key = format!(
            "{}\n{}\n{modules:?}\n{}",
            self.settings.kernel,
            self.settings.busybox,
            hex(&Sha256::digest(&init))
        );
        let key = format!("{key}\n{}", self.sources.identity(&self.settings.kernel)?);
        let dir = self.sources.cache.made("initramfs", &key, |part| {
            let modules = kernel::Modules::find(&tree)?.closure(&modules)?;
            let busybox = image::busybox(&self.sources, &self.settings)?;
            Ok(fs::write(part.join("initramfs.cpio"), kernel::initramfs(&busybox, &init, &modules)?)?)
        })?;
        Ok((kernel, dir.join("initramfs.cpio")))
    }
}

fn copy_files(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))? {
        let entry = entry?;
        fs::copy(entry.path(), to.join(entry.file_name()))?;
    }
    Ok(())
}

/// Unpack a squashfs file.
pub(crate) fn unsquash(sources: &Sources, file: &Path, into: &Path) -> Result<()> {
    let unsquashfs = Tool::find(sources, "lab-tools", "unsquashfs")?;
    let args = ["-no-xattrs", "-no-progress", "-ignore-errors", "-dest"].map(std::ffi::OsStr::new);
    let unpacked = unsquashfs.run(args.into_iter().chain([into.as_os_str(), file.as_os_str()]));
    unpacked.with_context(|| format!("cannot unpack {}", file.display()))?;
    Ok(())
}
