//! `cargo xtask test`: every check this machine can run, each with its time; what cannot run is counted as skipped.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::root::root;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Run only the steps whose name contains this
    #[arg(long)]
    only: Option<String>,
}

/// One step: a name, environment on top of ours, and a cargo command line.
struct Step {
    name: &'static str,
    env: &'static [(&'static str, &'static str)],
    cargo: &'static [&'static str],
    /// Why this machine cannot run it, and what would make it able to.
    cannot: fn() -> Option<&'static str>,
}

const fn step(name: &'static str, cargo: &'static [&'static str]) -> Step {
    Step { name, env: &[], cargo, cannot: || None }
}

const STEPS: &[Step] = &[
    step("format", &["fmt", "--all", "--check"]),
    step("lint", &["clippy", "--quiet", "--workspace", "--all-targets", "--", "-D", "warnings"]),
    step("generated trees are fresh", &["xtask", "generate", "--check"]),
    // --show-output: what a passing test prints says which parts of it were skipped.
    step("tests", &["test", "--workspace", "--no-fail-fast", "--", "--show-output"]),
    Step {
        env: &[("RUSTCRYPTO_IMPL", "portable")],
        ..step(
            "tests, portable implementations",
            &["test", "--package", "rustcrypto", "--no-fail-fast", "--", "--show-output"],
        )
    },
    step(
        "the minimal feature set compiles without warnings",
        &[
            "clippy",
            "--quiet",
            "--package",
            "rustcrypto-capi",
            "--no-default-features",
            "--features",
            "minimal",
            "--",
            "-D",
            "warnings",
        ],
    ),
    Step {
        cannot: no_cargo_deny,
        ..step(
            "dependencies: licences, bans and sources",
            &["deny", "--all-features", "check", "licenses", "bans", "sources"],
        )
    },
    Step {
        cannot: no_advisories,
        // Offline: the database is as old as its last fetch, and a test reaches no host by itself.
        ..step("dependencies: advisories", &["deny", "--offline", "--all-features", "check", "advisories"])
    },
    step("consumers", &["xtask", "verify-consumers"]),
];

#[derive(Default)]
struct Tally {
    passed: usize,
    failed: Vec<&'static str>,
    skipped: Vec<String>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let logs = root().join("target/test-logs");
    fs::create_dir_all(&logs).with_context(|| format!("cannot create {}", logs.display()))?;
    let mut tally = Tally::default();
    for step in STEPS.iter().filter(|step| args.only.as_ref().is_none_or(|only| step.name.contains(only.as_str()))) {
        run_step(step, &logs, &mut tally)?;
    }
    if tally.passed + tally.failed.len() + tally.skipped.len() == 0 {
        crate::user_bail!("no step has '{}' in its name", args.only.as_deref().unwrap_or_default());
    }
    println!("\nskipped:{}", if tally.skipped.is_empty() { " nothing" } else { "" });
    for line in &tally.skipped {
        println!("  {line}");
    }
    println!("{} passed, {} failed, {} skipped", tally.passed, tally.failed.len(), tally.skipped.len());
    if !tally.failed.is_empty() {
        bail!("failed: {} (whole output in {})", tally.failed.join("; "), logs.display());
    }
    Ok(())
}

fn run_step(step: &Step, logs: &Path, tally: &mut Tally) -> Result<()> {
    if let Some(why) = (step.cannot)() {
        let line = format!("SKIPPED: {}: {why}", step.name);
        println!("== {line}");
        tally.skipped.push(line);
        return Ok(());
    }
    println!("== {}: cargo {}", step.name, step.cargo.join(" "));
    let start = Instant::now();
    let log = logs.join(format!("{}.log", step.name.replace([' ', ',', ':'], "-")));
    let ok = stream(step, &log, &mut tally.skipped)?;
    println!("   {} after {:.0} s", if ok { "passed" } else { "FAILED" }, start.elapsed().as_secs_f64());
    if ok {
        tally.passed += 1;
    } else {
        let text = fs::read_to_string(&log).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        for line in &lines[lines.len().saturating_sub(60)..] {
            println!("   | {line}");
        }
        tally.failed.push(step.name);
    }
    Ok(())
}

fn no_cargo_deny() -> Option<&'static str> {
    let version =
        Command::new("cargo").args(["deny", "--version"]).stdout(Stdio::null()).stderr(Stdio::null()).status();
    let installed = version.is_ok_and(|status| status.success());
    (!installed).then_some("cargo-deny is not installed: cargo install --locked cargo-deny")
}

fn no_advisories() -> Option<&'static str> {
    let fetched = std::env::home_dir().is_some_and(|home| {
        let cargo_home = std::env::var_os("CARGO_HOME").map_or_else(|| home.join(".cargo"), Into::into);
        fs::read_dir(cargo_home.join("advisory-dbs"))
            .is_ok_and(|mut entries| entries.any(|entry| entry.is_ok_and(|entry| entry.path().join("crates").is_dir())))
    });
    no_cargo_deny().or((!fetched).then_some("no advisory database: `cargo deny fetch db` gets it from GitHub"))
}

/// Run the step, keep all it prints in `log`, and show the lines that sum it up.
fn stream(step: &Step, log: &Path, skipped: &mut Vec<String>) -> Result<bool> {
    let mut file = fs::File::create(log).with_context(|| format!("cannot write {}", log.display()))?;
    // One pipe for both streams, so that the log keeps their order and a skip is seen on either.
    let (reader, writer) = std::io::pipe().context("cannot make a pipe")?;
    let mut command = Command::new("cargo");
    command.args(step.cargo).envs(step.env.iter().copied()).current_dir(root()).stdin(Stdio::null());
    command.stdout(writer.try_clone()?).stderr(writer);
    let mut child = command.spawn().context("cannot start cargo")?;
    // The command holds the pipe's writing ends open.
    drop(command);
    for line in BufReader::new(reader).lines() {
        let line = line.unwrap_or_else(|error| format!("(not UTF-8: {error})"));
        writeln!(file, "{line}")?;
        if line.trim_start().starts_with("SKIPPED:") {
            println!("   {}", line.trim());
            skipped.push(line.trim().to_owned());
        } else if line.starts_with("test result:") || line.starts_with("failures:") {
            println!("   {line}");
        }
    }
    Ok(child.wait()?.success())
}
