//! `build-image --engine yocto`: a kas file for the target, then kas or the user's own build directory, then the report.

mod collect;
mod drive;
mod kas;
#[cfg(test)]
mod tests;

use std::path::PathBuf;

use anyhow::Result;

use crate::catalogue::Catalogue;
use crate::generate::replace;
use crate::report::Measure;
use crate::root::root;
use crate::user_bail;

/// Where the kas file, the image and its report go.
pub(crate) fn folder(target: &str, tls: &str) -> PathBuf {
    root().join("target/images").join(target).join(format!("{tls}-yocto"))
}

/// Options of the yocto engine.
#[derive(Debug, Default, Clone, clap::Args)]
#[group(skip)]
pub(crate) struct Options {
    /// yocto: an initialised BitBake build directory to build in, instead of letting kas make one
    #[arg(long)]
    pub(crate) build_dir: Option<PathBuf>,
    /// yocto: write the kas file and stop
    #[arg(long)]
    pub(crate) kas_only: bool,
    /// yocto: the release to build on; the first one the catalogue names when left out
    #[arg(long)]
    pub(crate) series: Option<String>,
    /// yocto: a package that may pull in another TLS library; repeat for each, there is no way to allow all
    #[arg(long)]
    pub(crate) allow_tls: Vec<String>,
}

/// Build `target` on the backend `tls`; None with `--kas-only`. Files go to `target/images/TARGET/TLS-yocto/`.
pub(crate) fn run(catalogue: &Catalogue, target: &str, tls: &str, options: &Options) -> Result<Option<Measure>> {
    let plan = kas::Plan::new(catalogue, target, tls, options.series.as_deref())?;
    let folder = folder(target, tls);
    let file = folder.join(format!("{target}-{tls}.yml"));
    replace(&file, &plan.text(catalogue, &file)?)?;
    eprintln!("wrote {}", file.display());
    if options.kas_only {
        return Ok(None);
    }
    let build_dir = match &options.build_dir {
        Some(build_dir) => {
            drive::in_build_dir(catalogue, &plan, build_dir)?;
            build_dir.clone()
        }
        None => drive::with_kas(&file, &folder)?,
    };
    let (measure, lint) = collect::collect(catalogue, &plan.collected(target, tls), &build_dir, &folder)?;
    measure.save(&folder)?;
    let refused: Vec<String> =
        lint.iter().filter(|find| !find.allowed(&options.allow_tls)).map(ToString::to_string).collect();
    if !refused.is_empty() {
        user_bail!(
            "image lint:\n  {}\nswitch or remove what pulls it in (`cargo xtask explain` says what can be), or allow each of them by name with --allow-tls NAME",
            refused.join("\n  ")
        );
    }
    Ok(Some(measure))
}
