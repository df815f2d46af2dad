//! `cargo xtask verify-consumers`: build the real consumers on librustcrypto, run their own tests and real exchanges
//! with peers on other libraries, and say what passed, what failed and what could not run here.

mod apk;
mod curl;
pub(crate) mod exec;
mod fault;
mod hostapd;
mod library;
mod lighttpd;
pub(crate) mod pki;
mod report;
mod ustream;

use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};

use crate::consumers::Backend;
use crate::root::root;
use crate::sources::Options;
use crate::user_bail;

pub(crate) use report::Report;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only these consumers, comma separated
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    only: Vec<String>,
    #[command(flatten)]
    sources: Options,
    /// Libraries that play the peer
    #[arg(long, value_delimiter = ',', default_value = "openssl", value_name = "BACKENDS")]
    against: Vec<String>,
    /// Profile of librustcrypto; speed and minimal are what ships, and take longer to build
    #[arg(long, default_value = "release", value_parser = ["release", "speed", "minimal"])]
    profile: String,
    /// Also print the results as JSON on standard output
    #[arg(long)]
    json: bool,
}

/// What every consumer's checks are given.
pub(crate) struct Context {
    /// `--sources`, `--cache` and `--debian-mirror`.
    pub(crate) sources: Options,
    /// The peers' libraries, without rustcrypto.
    pub(crate) against: Vec<Backend>,
    /// Cargo profile of librustcrypto.
    pub(crate) profile: String,
    /// Where to build and to leave logs: `target/consumers`.
    pub(crate) work: PathBuf,
}

/// One consumer: its name on the command line and what it runs. A check that fails is recorded and the rest goes on;
/// `Err` is for what makes going on pointless, and counts as one failed check.
pub(crate) struct Consumer {
    pub(crate) name: &'static str,
    pub(crate) run: fn(&Context, &mut Report) -> Result<()>,
}

const CONSUMERS: &[Consumer] =
    &[hostapd::CONSUMER, ustream::CONSUMER, apk::CONSUMER, curl::CONSUMER, lighttpd::CONSUMER];

pub(crate) fn run(args: &Args) -> Result<()> {
    let names: Vec<&str> = CONSUMERS.iter().map(|consumer| consumer.name).collect();
    if let Some(unknown) = args.only.iter().find(|name| !names.contains(&name.as_str())) {
        user_bail!("no consumer '{unknown}': choose from {}", names.join(", "));
    }
    let mut against = Vec::new();
    for name in &args.against {
        match name.parse() {
            Ok(Backend::RustCrypto) | Err(_) => {
                user_bail!("--against {name}: choose from openssl, wolfssl, mbedtls")
            }
            Ok(backend) => against.push(backend),
        }
    }
    let work = root().join("target/consumers");
    std::fs::create_dir_all(&work).with_context(|| format!("cannot make {}", work.display()))?;
    let context = Context { sources: args.sources.clone(), against, profile: args.profile.clone(), work };

    let mut report = Report::default();
    for consumer in CONSUMERS.iter().filter(|c| args.only.is_empty() || args.only.iter().any(|name| name == c.name)) {
        report.begin(consumer.name);
        if let Err(error) = (consumer.run)(&context, &mut report) {
            report.failed("the run itself", format!("{error:#}"));
        }
    }
    report.print();
    if args.json {
        println!("{}", report.json()?);
    }
    match report.failures() {
        0 => Ok(()),
        n => bail!("{n} checks failed: see the list above; logs are under {}", context.work.display()),
    }
}
