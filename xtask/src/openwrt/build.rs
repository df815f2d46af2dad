//! `build-image --engine openwrt`: configure a tree, build it, collect what it made.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};

use super::tree::{Tree, read};
use super::{apply, collect, kconfig};
use crate::catalogue::Catalogue;
use crate::catalogue::openwrt::Group;
use crate::catalogue::target::{OpenwrtTarget, Target};
use crate::doctor;
use crate::lab::Variant;
use crate::report::{Measure, write};
use crate::{sources, user_bail};

/// Options of `build-image` for this engine.
#[derive(clap::Args, Debug)]
#[group(skip)]
pub(crate) struct Options {
    /// OpenWrt: the tree to build in
    #[arg(long, value_name = "DIR")]
    tree: Option<PathBuf>,
    /// OpenWrt: build the packages in this SDK
    #[arg(long, value_name = "DIR", requires = "imagebuilder", conflicts_with = "tree")]
    sdk: Option<PathBuf>,
    /// OpenWrt: put the image together with this `ImageBuilder`
    #[arg(long, value_name = "DIR", requires = "sdk")]
    imagebuilder: Option<PathBuf>,
    /// OpenWrt: jobs of make (default: one per processor)
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    /// OpenWrt: build the Rust compiler from the packages feed (hours) instead of using this machine's cargo
    #[arg(long)]
    feed_rust: bool,
}

impl Options {
    /// The build that was asked for, into the artefact folder `out`.
    pub(crate) fn build<'a>(
        &self,
        catalogue: &'a Catalogue,
        target: &'a Target,
        variant: &'a Variant,
        run_programs: Option<&'a sources::Options>,
        out: PathBuf,
    ) -> Result<Build<'a>> {
        let from = match (&self.tree, &self.sdk, &self.imagebuilder) {
            (Some(tree), _, _) => From::Tree(tree.clone()),
            (None, Some(sdk), Some(imagebuilder)) => From::Sdk { sdk: sdk.clone(), imagebuilder: imagebuilder.clone() },
            _ => user_bail!("--engine openwrt needs --tree DIR, or --sdk DIR and --imagebuilder DIR"),
        };
        let jobs = self.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, std::num::NonZero::get));
        Ok(Build {
            catalogue,
            target,
            tls: &variant.backend,
            profile: &variant.profile,
            from,
            jobs,
            feed_rust: self.feed_rust,
            run_programs,
            out,
        })
    }
}

/// What to build from.
#[derive(Debug, Clone)]
pub(crate) enum From {
    /// A source tree: everything is built.
    Tree(PathBuf),
    /// An SDK builds the packages, an `ImageBuilder` of the same release puts the image together.
    Sdk { sdk: PathBuf, imagebuilder: PathBuf },
}

#[derive(Debug)]
pub(crate) struct Build<'a> {
    pub(crate) catalogue: &'a Catalogue,
    pub(crate) target: &'a Target,
    /// A backend of the catalogue.
    pub(crate) tls: &'a str,
    /// `minimal` or `speed`; ignored for other backends.
    pub(crate) profile: &'a str,
    pub(crate) from: From,
    pub(crate) jobs: usize,
    /// Let lang/rust of the packages feed build the compiler (hours) instead of using the machine's cargo.
    pub(crate) feed_rust: bool,
    /// Where what runs and measures the image's programs comes from; nothing: do not run them.
    pub(crate) run_programs: Option<&'a sources::Options>,
    /// The artefact folder.
    pub(crate) out: PathBuf,
}

impl Build<'_> {
    /// Build the image; the artefact folder holds its files, build.log and measure.json afterwards. With the scenarios that
    /// failed in it.
    pub(crate) fn run(&self) -> Result<(Measure, Vec<String>)> {
        let Some(openwrt) = &self.target.openwrt else {
            user_bail!("{} has no [openwrt] table in images/{}.toml", self.target.name, self.target.name);
        };
        fs::create_dir_all(&self.out).with_context(|| format!("cannot make {}", self.out.display()))?;
        match &self.from {
            From::Tree(dir) => self.tree(&Tree::open(dir)?, openwrt),
            From::Sdk { sdk, imagebuilder } => self.sdk(&Tree::open(sdk)?, imagebuilder, openwrt),
        }
    }

    fn tree(&self, tree: &Tree, openwrt: &OpenwrtTarget) -> Result<(Measure, Vec<String>)> {
        if self.tls == "rustcrypto" {
            apply(tree, self.catalogue, false)?;
        }
        let device = format!("TARGET_{0}_{1}", openwrt.target, openwrt.subtarget);
        let fragment =
            vec![format!("TARGET_{}", openwrt.target), device.clone(), format!("{device}_DEVICE_{}", openwrt.profile)];
        self.configure(tree, &fragment)?;
        self.make(&tree.top, &[format!("-j{}", self.jobs)])?;
        collect::collect(self, &tree.top, openwrt)
    }

    fn sdk(&self, sdk: &Tree, imagebuilder: &Path, openwrt: &OpenwrtTarget) -> Result<(Measure, Vec<String>)> {
        if !imagebuilder.join("repositories").exists() && !imagebuilder.join("repositories.conf").exists() {
            user_bail!("{}: not an ImageBuilder: it has no repositories file", imagebuilder.display());
        }
        if self.tls == "rustcrypto" {
            apply(sdk, self.catalogue, false)?;
        }
        self.configure(sdk, &[])?;
        let sources = self.catalogue.openwrt.groups.iter().filter_map(|group| match &group.core_path {
            Some(path) => path.rsplit('/').next(),
            None => group.packages.get(self.tls).map(String::as_str),
        });
        let mut sources: Vec<&str> = sources.collect();
        sources.sort_unstable();
        sources.dedup();
        let goals: Vec<String> = sources.iter().map(|name| format!("package/{name}/compile")).collect();
        self.make(&sdk.top, &[&[format!("-j{}", self.jobs)], &goals[..]].concat())?;
        let packages = collect::copy_packages(&sdk.top.join("bin"), &imagebuilder.join("packages"))?;
        eprintln!("{packages} packages into the ImageBuilder");
        // what its release chose: the package manager, the packages a target has by default
        let config = read(&imagebuilder.join(".config"))?;
        self.make(
            imagebuilder,
            &[
                "image".into(),
                format!("PROFILE={}", openwrt.profile),
                format!("PACKAGES={}", self.package_list(&config)),
            ],
        )?;
        collect::collect(self, imagebuilder, openwrt)
    }

    /// The groups that count in a configuration: one that goes with another choice (a package manager, a package that
    /// the target has by default) does only where that is made.
    fn groups(&self, config: &str) -> impl Iterator<Item = &Group> {
        let symbols = kconfig::parse(config);
        let chosen = |group: &&Group| group.only_with.as_deref().is_none_or(|with| symbols.get(with) == Some(&"y"));
        let groups: Vec<&Group> = self.catalogue.openwrt.groups.iter().filter(chosen).collect();
        groups.into_iter().filter(|group| group.packages.contains_key(self.tls))
    }

    /// The packages that a configuration needs for the backend, as symbols.
    fn packages(&self, config: &str) -> Vec<String> {
        self.groups(config).map(|group| format!("PACKAGE_{}", group.packages[self.tls])).collect()
    }

    /// For the `ImageBuilder`: ours in, every other of the same function out.
    fn package_list(&self, config: &str) -> String {
        let words = self.groups(config).flat_map(|group| {
            let others = group
                .packages
                .iter()
                .filter(|(backend, _)| *backend != self.tls)
                .map(|(_, package)| format!("-{package}"));
            others.chain([group.packages[self.tls].clone()])
        });
        words.collect::<Vec<_>>().join(" ")
    }

    /// Choose the device and the backend, let OpenWrt fill in the rest, and see whether it says what was asked.
    fn configure(&self, tree: &Tree, device: &[String]) -> Result<()> {
        let config = tree.top.join(".config");
        if config.exists() {
            let kept = self.out.join("config.before");
            fs::copy(&config, &kept).with_context(|| format!("cannot write {}", kept.display()))?;
            eprintln!("your .config is kept in {}", kept.display());
        }
        let mut wanted = device.to_vec();
        if self.tls == "rustcrypto" {
            wanted.push(self.catalogue.openwrt.kconfig.clone());
            wanted.push(format!("RUSTCRYPTO_PROFILE_{}", self.profile.to_uppercase()));
            wanted.extend((!self.feed_rust).then(|| "RUSTCRYPTO_HOST_CARGO".to_owned()));
        } else {
            // no one symbol switches to these: ask for each package, once it is known which are needed
            wanted.extend(self.packages(&self.defconfig(tree, device)?));
        }
        let got = self.defconfig(tree, &wanted)?;
        fs::copy(&config, self.out.join("config")).context("cannot keep the .config")?;
        let menus = read(&tree.top.join("tmp/.config-package.in")).unwrap_or_default();
        let symbols = kconfig::parse(&got);
        wanted.extend(self.packages(&got));
        if let Some(why) = kconfig::refused(&wanted, &got, &menus) {
            bail!("{}: Kconfig refused what was asked:{why}", tree.top.display());
        }
        if self.tls != "rustcrypto" {
            return Ok(());
        }
        let others: Vec<&str> = self.catalogue.openwrt.groups.iter().flat_map(|group| group.conflicts()).collect();
        let still = others.iter().filter(|package| symbols.get(format!("PACKAGE_{package}").as_str()) == Some(&"y"));
        let still: Vec<String> = still
            .map(|package| format!("{package} (selected by {})", selected_by(package, &symbols, &menus)))
            .collect();
        if !still.is_empty() {
            bail!("{}: packages on another library are still =y: {}", tree.top.display(), still.join(", "));
        }
        Ok(())
    }

    /// The `.config` that OpenWrt makes of these symbols.
    fn defconfig(&self, tree: &Tree, symbols: &[String]) -> Result<String> {
        let config = tree.top.join(".config");
        write(&config, &symbols.iter().fold(String::new(), |text, symbol| text + "CONFIG_" + symbol + "=y\n"))?;
        self.make(&tree.top, &["defconfig".into()])?;
        read(&config)
    }

    /// Run make, its steps as progress, everything in build.log; a failure shows the end of the log and what is known
    /// about it.
    fn make(&self, dir: &Path, args: &[String]) -> Result<()> {
        let log_path = self.out.join("build.log");
        let mut log = fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(&log_path)
            .with_context(|| format!("cannot write {}", log_path.display()))?;
        let start = log.metadata()?.len();
        eprintln!("make {} in {}", args.join(" "), dir.display());
        // OpenWrt's make writes its steps to standard error; one pipe keeps the order
        let mut child = Command::new("sh")
            .args(["-c", "exec make \"$@\" 2>&1", "make"])
            .args(args)
            .current_dir(dir)
            .env("FORCE_UNSAFE_CONFIGURE", "1")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .context("cannot run make")?;
        let lines = BufReader::new(child.stdout.take().context("no pipe")?).split(b'\n');
        for line in lines {
            let line = line?;
            log.write_all(&line)
                .and_then(|()| log.write_all(b"\n"))
                .with_context(|| format!("cannot write {}", log_path.display()))?;
            if line.starts_with(b" make[") {
                eprintln!("{}", String::from_utf8_lossy(&line));
            }
        }
        if child.wait()?.success() {
            return Ok(());
        }
        let whole = fs::read(&log_path)?;
        let said = String::from_utf8_lossy(&whole[usize::try_from(start)?.min(whole.len())..]).into_owned();
        bail!("make {} failed{}", args.join(" "), failure(dir, &said, &log_path)?)
    }
}

/// The failing package, the end of its own log or of ours, and the doctor's advice.
fn failure(dir: &Path, said: &str, log_path: &Path) -> Result<String> {
    let package = said
        .lines()
        .filter_map(|line| line.trim().strip_prefix("ERROR: ")?.strip_suffix(" failed to build."))
        .next_back();
    let own_log =
        package.map(|package| dir.join("logs").join(package).join("compile.txt")).filter(|path| path.is_file());
    let text = own_log.as_ref().map_or(Ok(said.to_owned()), |path| read(path))?;
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let tail = lines[lines.len().saturating_sub(15)..].join("\n  ");
    let mut advice = doctor::advice(&text)?;
    if advice.is_empty() {
        advice.push(format!(
            "run make V=s {} in the tree to see every command",
            package.map_or_else(String::new, |package| format!("{package}/compile"))
        ));
    }
    let package = package.map_or_else(String::new, |package| format!(" in {package}"));
    Ok(format!(
        "{package}:\n  {tail}\nwhat to do: {}\nthe whole log: {}",
        advice.join("\n  "),
        own_log.as_deref().unwrap_or(log_path).display()
    ))
}

/// Packages that are in the image and select this one.
fn selected_by(package: &str, symbols: &std::collections::BTreeMap<&str, &str>, menus: &str) -> String {
    let mut at = "";
    let mut by = Vec::new();
    for line in menus.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix("config ") {
            at = name;
        } else if line.split_whitespace().take(2).eq(["select", format!("PACKAGE_{package}").as_str()])
            && symbols.get(at) == Some(&"y")
        {
            by.push(at.trim_start_matches("PACKAGE_"));
        }
    }
    if by.is_empty() { "you or the target's defaults".into() } else { by.join(", ") }
}
