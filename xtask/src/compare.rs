//! `cargo xtask compare`: Show two or more measured images side by side.

use std::path::PathBuf;

use anyhow::Result;

use crate::report::{self, Measure};
use crate::user_bail;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Two or more measure.json files, or folders that have one
    #[arg(required = true, num_args = 1..)]
    images: Vec<PathBuf>,
    /// Write report.md and report.html into this folder
    #[arg(long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Print the measurements as one JSON array
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    if args.images.len() < 2 {
        user_bail!("compare needs two or more measured images");
    }
    let measures = args.images.iter().map(|path| Measure::load(path)).collect::<Result<Vec<_>>>()?;
    if args.json {
        println!("{}", serde_json::to_string_pretty(&measures)?);
    } else {
        print!("{}", report::table(&measures));
    }
    if let Some(dir) = &args.output {
        std::fs::create_dir_all(dir)?;
        for file in report::write_reports(&measures, dir)? {
            eprintln!("wrote {}", file.display());
        }
    }
    Ok(())
}
