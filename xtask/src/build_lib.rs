//! `cargo xtask lib`: Build librustcrypto for a target, and say how large it is and why.
//!
//! (Not `lib.rs`: cargo would take that for a library crate's root.)

mod budget;
mod map;
mod table;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use serde::Serialize;

use crate::sources::{self, Sources};
use crate::toolchain::{self, RustChoice, Toolchain};
use crate::{elf, pack, root::root};

#[derive(clap::Args)]
#[allow(clippy::struct_excessive_bools, reason = "switches of a command line")]
pub(crate) struct Args {
    /// Rust target triple; images/toolchains.toml has them
    #[arg(long, default_value = "aarch64-unknown-linux-musl")]
    target: String,
    /// `minimal` or `speed`
    #[arg(long, default_value = "minimal")]
    profile: String,
    /// Cargo features of rustcrypto-capi instead of the profile's own, separated by commas
    #[arg(long, value_delimiter = ',')]
    features: Vec<String>,
    /// Which Rust to build with
    #[arg(long, value_enum, default_value_t)]
    rust: RustChoice,
    /// Print which crates the bytes belong to
    #[arg(long)]
    breakdown: bool,
    /// Print both profiles beside the baseline libraries, all built by the same compiler
    #[arg(long)]
    table: bool,
    /// Print what each feature adds: one build without each of the profile's, one with each other of `speed`'s
    #[arg(long)]
    marginal: bool,
    /// Build these baseline libraries (recipes/baselines) instead, and print where they are
    #[arg(long, value_delimiter = ',')]
    baseline: Vec<String>,
    /// Fail when the library is larger than images/budgets.toml allows
    #[arg(long)]
    check_budget: bool,
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    sources: sources::Options,
}

/// What one build of the library is. The keys are part of the tool's documented output.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Report {
    pub(crate) target: String,
    pub(crate) profile: String,
    pub(crate) features: Vec<String>,
    pub(crate) stripped_bytes: u64,
    pub(crate) xz_bytes: u64,
    pub(crate) squashfs_bytes: u64,
    pub(crate) soname: Option<String>,
    pub(crate) needed: Vec<String>,
    pub(crate) exported_symbols: usize,
    pub(crate) seconds: f64,
    pub(crate) rustc: String,
    pub(crate) cc: String,
    /// Directory with lib/, include/, lib/pkgconfig/ and bin/rustcrypto-bench.
    pub(crate) prefix: PathBuf,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let sources = Sources::open(&args.sources)?;
    let toolchain = toolchain::for_target_with(&sources, &args.target, args.rust)?;
    if !args.baseline.is_empty() {
        for dir in table::build_baselines(&sources, &toolchain, &args.baseline)? {
            println!("{}", dir.display());
        }
        return Ok(());
    }
    if args.table {
        return table::print(&args.target, &table::compare(&sources, &toolchain)?, args.json);
    }
    if args.marginal {
        return table::print(&args.target, &table::marginal(&sources, &toolchain, &args.profile)?, args.json);
    }
    let report = build(&sources, &toolchain, &args.profile, &args.features)?;
    if args.json {
        println!("{}", serde_json::to_string_pretty(&report)?);
    } else {
        print(&report);
    }
    if args.breakdown {
        map::print(&map_file(&toolchain, &args.profile, &args.features))?;
    }
    if args.check_budget { budget::check(&report) } else { Ok(()) }
}

fn print(report: &Report) {
    println!("librustcrypto for {}, profile {} ({})", report.target, report.profile, report.features.join(","));
    println!("  stripped            {:>9} bytes", report.stripped_bytes);
    println!("  xz                  {:>9} bytes", report.xz_bytes);
    println!("  squashfs-xz 256K    {:>9} bytes", report.squashfs_bytes);
    println!("  exported symbols    {:>9}", report.exported_symbols);
    println!("  SONAME              {}", report.soname.as_deref().unwrap_or("(none)"));
    println!("  needs               {}", report.needed.join(", "));
    println!("  rustc               {}", report.rustc);
    println!("  linker              {}", report.cc);
    println!("  built in            {:.1} s", report.seconds);
    println!("  installed in        {}", report.prefix.display());
}

/// Build and install the library into `target/lib/<triple>/<profile>/`; `features` empty = the profile's own.
pub(crate) fn build(sources: &Sources, toolchain: &Toolchain, profile: &str, features: &[String]) -> Result<Report> {
    let start = Instant::now();
    let settings = toolchain::lib_profile(profile)?;
    let own = features.is_empty();
    let features = if own { settings.features.clone() } else { features.to_vec() };
    let map = map_file(toolchain, profile, if own { &[] } else { &features });
    fs::create_dir_all(map.parent().context("the map has a directory")?)?;

    let mut flags: Vec<&str> = Vec::new();
    if toolchain.rust.build_std {
        flags.extend(settings.rustflags.iter().map(String::as_str));
    }
    let target_dir = root().join("target/cross");
    let mut cargo = Command::new("cargo");
    cargo.current_dir(root()).args([
        "rustc",
        "--locked",
        "--package",
        "rustcrypto-capi",
        "--lib",
        "--crate-type",
        "cdylib",
    ]);
    cargo.args(["--profile", profile, "--no-default-features", "--features", &features.join(",")]);
    cargo.args(["--target", &toolchain.triple]).arg("--target-dir").arg(&target_dir);
    if toolchain.rust.build_std {
        cargo.arg(format!("-Zbuild-std={}", settings.std.join(",")));
        cargo.arg(format!("-Zbuild-std-features={}", settings.std_features.join(",")));
    }
    // Only the last link writes a map; the flag must not rebuild every crate.
    cargo.arg("--").arg(format!("-Clink-arg=-Wl,-Map={}", map.display()));
    cargo.args(&settings.link_rustflags);
    cargo.arg("-Cstrip=symbols"); // cargo forgets the profile's where a package has an opt-level of its own
    if toolchain.rust.build_std {
        cargo.arg("-Clink-arg=-Wl,--icf=all"); // no Rust code compares addresses of functions
    }
    cargo.envs(toolchain.cargo_env(&flags)).stdin(Stdio::null()).stdout(Stdio::null());
    for key in ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_BUILD_TARGET"] {
        cargo.env_remove(key); // what an outer cargo or a shell set is not meant for this target
    }
    eprintln!("building librustcrypto for {}, profile {profile} ({}) ...", toolchain.triple, features.join(","));
    if !cargo.status().context("cannot run cargo")?.success() {
        bail!(
            "librustcrypto does not build for {} in profile {profile}: the compiler's words are above",
            toolchain.triple
        );
    }
    let built = target_dir.join(&toolchain.triple).join(profile).join("librustcrypto_capi.so");
    let prefix = root().join("target/lib").join(&toolchain.triple).join(profile_dir(profile, own, &features));
    let library = install(&built, &prefix)?;
    compile_bench(toolchain, &prefix)?;
    let dynamic = elf::dynamic(&library)?;
    Ok(Report {
        target: toolchain.triple.clone(),
        profile: profile.to_owned(),
        features,
        stripped_bytes: fs::metadata(&library)?.len(),
        xz_bytes: pack::xz_bytes(&library)?,
        squashfs_bytes: pack::squashfs_bytes(sources, &library)?,
        soname: dynamic.soname,
        needed: dynamic.needed,
        exported_symbols: dynamic.exported.len(),
        seconds: start.elapsed().as_secs_f64(),
        rustc: toolchain.rust.name.clone(),
        cc: toolchain.c_name.clone(),
        prefix,
    })
}

/// `bin/rustcrypto-bench` of a prefix: every algorithm's speed where the library is installed.
fn compile_bench(toolchain: &Toolchain, prefix: &Path) -> Result<()> {
    let bin = prefix.join("bin");
    fs::create_dir_all(&bin)?;
    let mut flags: Vec<String> = ["-std=c99", "-D_POSIX_C_SOURCE=200809L", "-O2", "-s"].map(str::to_owned).into();
    flags.push(format!("-I{}", prefix.join("include").display()));
    flags.extend([format!("-L{}", prefix.join("lib").display()), "-lrustcrypto".to_owned()]);
    let source = root().join("crates/rustcrypto-capi/bench/rustcrypto.c");
    compile(toolchain, &source, &bin.join("rustcrypto-bench"), &flags)
}

fn compile(toolchain: &Toolchain, source: &Path, to: &Path, flags: &[String]) -> Result<()> {
    let output = Command::new(&toolchain.cc)
        .arg(source)
        .args(flags)
        .arg("-o")
        .arg(to)
        .output()
        .with_context(|| format!("cannot run {}", toolchain.cc.display()))?;
    if !output.status.success() {
        bail!("{} does not compile:\n{}", source.display(), String::from_utf8_lossy(&output.stderr));
    }
    Ok(())
}

/// The profile's own feature set lies under its name, another one beside it.
fn profile_dir(profile: &str, own: bool, features: &[String]) -> String {
    if own { profile.to_owned() } else { format!("{profile}-{}", features.join("+")) }
}

fn map_file(toolchain: &Toolchain, profile: &str, features: &[String]) -> PathBuf {
    let name = profile_dir(profile, features.is_empty(), features);
    root().join("target/lib").join(&toolchain.triple).join(format!("{name}.map"))
}

/// The prefix as a package installs it: versioned object, its links, header, pkg-config file. Gives the object's path.
fn install(built: &Path, prefix: &Path) -> Result<PathBuf> {
    let version = env!("CARGO_PKG_VERSION"); // one version for the whole workspace
    let lib = prefix.join("lib");
    fs::create_dir_all(lib.join("pkgconfig"))?;
    fs::create_dir_all(prefix.join("include"))?;
    let name = format!("librustcrypto.so.{version}");
    let part = lib.join(format!("{name}.part"));
    fs::copy(built, &part).with_context(|| format!("cannot read {}", built.display()))?;
    fs::rename(&part, lib.join(&name))?;
    let major = version.split('.').next().unwrap_or("0");
    for link in [format!("librustcrypto.so.{major}"), "librustcrypto.so".to_owned()] {
        let _ = fs::remove_file(lib.join(&link));
        std::os::unix::fs::symlink(&name, lib.join(&link))?;
    }
    let capi = root().join("crates/rustcrypto-capi");
    let header = capi.join("include/rustcrypto.h");
    fs::copy(&header, prefix.join("include/rustcrypto.h"))
        .with_context(|| format!("cannot read {}", header.display()))?;
    let template = fs::read_to_string(capi.join("rustcrypto.pc.in"))
        .context("cannot read crates/rustcrypto-capi/rustcrypto.pc.in")?;
    let values = [
        ("@prefix@", prefix.display().to_string()),
        ("@libdir@", lib.display().to_string()),
        ("@includedir@", prefix.join("include").display().to_string()),
        ("@version@", version.to_owned()),
    ];
    let pc = values.iter().fold(template, |text, (key, value)| text.replace(key, value));
    fs::write(lib.join("pkgconfig/rustcrypto.pc"), pc)?;
    Ok(lib.join(name))
}
