//! `cargo xtask bench`: Run every algorithm beside Mbed TLS, wolfSSL and OpenSSL.
//!
//! One C program per library (`crates/rustcrypto-capi/bench/`) answers for one row at a time, so that the libraries take turns on
//! every row: what the machine does meanwhile hits all of them.

mod peer;
mod serve;
mod show;
mod targets;

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::builder::PossibleValuesParser;
use serde::Serialize;

use crate::sources::{self, Sources};
use crate::user_bail;
use peer::{OURS, Program};

#[derive(clap::Args)]
#[allow(clippy::struct_excessive_bools, reason = "switches of a command line")]
pub(crate) struct Args {
    /// Libraries to run beside ours, separated by commas
    #[arg(long, value_delimiter = ',', default_values = peer::names(), value_parser = PossibleValuesParser::new(peer::names()))]
    against: Vec<String>,
    /// Take the libraries' development packages that are installed on this machine instead of building them from source
    #[arg(long)]
    installed: bool,
    /// Where librustcrypto is installed (lib/, include/) instead of building it
    #[arg(long, value_name = "PREFIX")]
    library: Option<PathBuf>,
    /// Rust target triple to measure for, under QEMU's user emulation where it is not this machine's own; the figures then follow
    /// the number of instructions, not a real CPU's speed
    #[arg(long, value_name = "TRIPLE")]
    target: Option<String>,
    /// For --target: the directory with the target's lib/ld-*, for example an image's root filesystem
    #[arg(long, value_name = "DIR", requires = "target")]
    sysroot: Option<PathBuf>,
    /// With --sysroot: count executed instructions instead of taking time; figures are then per 10^9 instructions
    #[arg(long, requires = "sysroot")]
    instructions: bool,
    /// Profile to build librustcrypto with
    #[arg(long, default_value = "speed")]
    profile: String,
    /// Only rows whose name contains this
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Turns that each library gets on each row
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// CPU time per turn, in milliseconds
    #[arg(long, default_value_t = 40)]
    ms: u32,
    #[arg(long)]
    json: bool,
    /// Write a chart
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Fail when a row is under its target (crates/rustcrypto-capi/bench/targets.toml)
    #[arg(long)]
    check: bool,
    #[command(flatten)]
    sources: sources::Options,
}

/// What came out. The keys are part of the tool's documented output.
#[derive(Serialize)]
struct Report {
    cpu: String,
    /// How the figures came about.
    method: String,
    /// Library -> version and where it came from.
    libraries: BTreeMap<String, String>,
    rounds: usize,
    rows: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    algorithm: String,
    /// Bytes of a message; 0 where operations are counted.
    size: usize,
    unit: &'static str,
    /// Median of the rounds; a library that does not have the algorithm is not in it.
    results: BTreeMap<String, f64>,
    /// Ours to the best of the others; none where one of the two is missing.
    ratio_to_best: Option<f64>,
    /// Least ratio asked for.
    target: Option<f64>,
    /// What limits the row where it is under 1.
    limit: Option<String>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    if args.rounds == 0 || args.ms == 0 {
        user_bail!("--rounds and --ms are at least 1");
    }
    let targets = targets::load()?;
    let sources = Sources::open(&args.sources)?;
    let scratch = tempfile::tempdir()?;
    let mut finder = peer::Finder {
        sources: &sources,
        scratch: scratch.path(),
        installed: args.installed,
        cross: args.target.as_deref(),
        runner: Vec::new(),
    };
    if let (Some(target), None) = (&args.target, &args.sysroot)
        && *target != format!("{}-unknown-linux-gnu", std::env::consts::ARCH)
    {
        user_bail!(
            "--target {target}: its programs need a --sysroot DIR to run in, an image's root filesystem for one"
        );
    }
    if let Some(sysroot) = &args.sysroot {
        finder.emulate(sysroot, args.instructions)?;
    }
    let mut programs = vec![finder.ours(args.library.as_deref(), &args.profile)?];
    for name in &args.against {
        match finder.peer(name)? {
            peer::Found::Program(program) => programs.push(program),
            peer::Found::Missing(why) => eprintln!("SKIPPED: bench against {name}: {why}"),
        }
    }
    let rows = measure(args, &finder.runner, &programs, &targets)?;
    let report = Report {
        cpu: if finder.runner.is_empty() { cpu() } else { finder.runner.join(" ") },
        method: match (finder.runner.is_empty(), args.instructions) {
            (true, _) => format!("thread CPU time, {} ms a turn, on the machine itself", args.ms),
            (false, false) => format!("thread CPU time, {} ms a turn, under user emulation", args.ms),
            (false, true) => {
                "executed instructions, counted by the user emulation: figures are per 10^9 of them".to_owned()
            }
        },
        libraries: programs.iter().map(|program| (program.name.clone(), program.version.clone())).collect(),
        rounds: args.rounds,
        rows,
    };
    let names: Vec<String> = programs.into_iter().map(|program| program.name).collect();
    if let Some(file) = &args.svg {
        show::write_svg(file, &report, &names)?;
    }
    if args.json {
        println!("{}", serde_json::to_string_pretty(&report)?);
    } else {
        print!("{}", show::table(&report, &names));
    }
    let short: Vec<&str> = report.rows.iter().filter(|row| row.is_short()).map(|row| row.algorithm.as_str()).collect();
    if args.check && !short.is_empty() {
        bail!("under target: {}", short.join(", "));
    }
    Ok(())
}

impl Row {
    fn is_short(&self) -> bool {
        matches!((self.ratio_to_best, self.target), (Some(ratio), Some(target)) if ratio < target)
    }
}

fn measure(args: &Args, runner: &[String], programs: &[Program], targets: &targets::Targets) -> Result<Vec<Row>> {
    let mut wanted = serve::rows(runner, &programs[0].path)?;
    if let Some(text) = &args.only {
        wanted.retain(|(name, _)| name.contains(text.as_str()));
        if wanted.is_empty() {
            user_bail!("no row's name contains '{text}'");
        }
    }
    let mut servers = programs
        .iter()
        .map(|program| serve::Server::start(&program.name, runner, &program.path))
        .collect::<Result<Vec<_>>>()?;
    let mut rows = Vec::new();
    for (index, (algorithm, size)) in wanted.iter().enumerate() {
        eprint!("\r{:>3}/{} {algorithm:<20} {size:>6}", index + 1, wanted.len());
        let mut figures: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        for _ in 0..args.rounds {
            for server in &mut servers {
                let figure = server.ask(algorithm, *size, args.ms)?;
                figures.entry(server.name).or_default().extend(figure);
            }
        }
        let results: BTreeMap<String, f64> = figures
            .into_iter()
            .filter_map(|(name, mut figures)| Some((name.to_owned(), median(&mut figures)?)))
            .collect();
        let best = results.iter().filter(|(name, _)| *name != OURS).map(|(_, value)| *value).reduce(f64::max);
        let ratio_to_best = results.get(OURS).zip(best).map(|(ours, best)| ours / best);
        let target = targets.find(algorithm, *size);
        rows.push(Row {
            algorithm: algorithm.clone(),
            size: *size,
            unit: if *size == 0 { "ops/s" } else { "MB/s" },
            results,
            ratio_to_best,
            target: target.map(|target| target.least),
            limit: target
                .and_then(|target| target.limit.clone())
                .filter(|_| ratio_to_best.is_some_and(|ratio| ratio < 1.0)),
        });
    }
    eprintln!();
    Ok(rows)
}

fn median(figures: &mut [f64]) -> Option<f64> {
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied()
}

/// The CPU's name, as the kernel says it.
fn cpu() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").context("no /proc/cpuinfo").unwrap_or_default();
    let name =
        text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':').map(|(_, name)| name.trim()));
    format!("{} ({})", name.unwrap_or("unknown"), std::env::consts::ARCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle() {
        assert_eq!(median(&mut [3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&mut []), None);
    }
}
