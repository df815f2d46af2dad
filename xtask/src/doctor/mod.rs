//! `cargo xtask doctor`: Check this machine, or a build log, and say how to mend what is wrong.

mod host;
mod log;

use std::path::PathBuf;

use anyhow::Result;
use serde::Serialize;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Look for known failures in this log of an OpenWrt or BitBake build instead of at the machine
    #[arg(long)]
    log: Option<PathBuf>,
    /// Check only what this engine needs
    #[arg(long, value_enum)]
    engine: Option<Engine>,
    /// Print the findings as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Engine {
    Lab,
    Openwrt,
    Yocto,
}

/// One thing looked at.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
struct Finding {
    what: String,
    ok: bool,
    /// Who needs it; empty is everybody.
    engines: Vec<Engine>,
    why: String,
    /// The command that mends it; empty if it is well.
    mend: String,
}

/// What is known about the failures in the text of a build log: what is wrong and how to mend it, one line each.
pub(crate) fn advice(text: &str) -> Result<Vec<String>> {
    Ok(log::find(text)?
        .into_iter()
        .map(|finding| format!("{}: {}: {}", finding.what, finding.why, finding.mend))
        .collect())
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let mut findings = match &args.log {
        Some(path) => log::read(path)?,
        None => host::check()?,
    };
    if let Some(engine) = args.engine {
        findings.retain(|finding| finding.engines.is_empty() || finding.engines.contains(&engine));
    }
    if args.json {
        println!("{}", serde_json::to_string_pretty(&findings)?);
        return Ok(());
    }
    for finding in &findings {
        let engines: Vec<String> = finding.engines.iter().map(|engine| format!("{engine:?}").to_lowercase()).collect();
        let engines = if engines.is_empty() { String::new() } else { format!(" [{}]", engines.join(", ")) };
        println!("{} {}{engines}: {}", if finding.ok { "ok  " } else { "MEND" }, finding.what, finding.why);
        if !finding.mend.is_empty() {
            println!("       {}", finding.mend);
        }
    }
    let wrong = findings.iter().filter(|finding| !finding.ok).count();
    match (&args.log, wrong) {
        (Some(path), 0) => println!(
            "nothing that is known is in {}; the first line with 'error' in it is the place to look",
            path.display()
        ),
        _ => println!("{wrong} to mend"),
    }
    Ok(())
}
