//! `cargo xtask list`: List targets, packages or backends.

use anyhow::Result;

use crate::catalogue::Catalogue;
use crate::catalogue::package::{Package, Upstream};
use crate::catalogue::target::Target;
use crate::root::root;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// What to list; everything when left out
    #[arg(value_enum)]
    what: Option<What>,
    /// Print the catalogue's own data as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum What {
    Targets,
    Packages,
    Backends,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let catalogue = Catalogue::load(&root())?;
    if args.json {
        let value = match args.what {
            None => serde_json::to_value(&catalogue)?,
            Some(What::Targets) => serde_json::to_value(&catalogue.targets)?,
            Some(What::Packages) => serde_json::to_value(&catalogue.packages)?,
            Some(What::Backends) => serde_json::to_value(catalogue.backends())?,
        };
        println!("{}", serde_json::to_string_pretty(&value)?);
        return Ok(());
    }
    let wanted = |what| args.what.is_none_or(|chosen| chosen == what);
    if wanted(What::Targets) {
        print_table(
            "Targets (--target)",
            ["NAME", "CPU", "OPENWRT", "YOCTO", ""],
            catalogue.targets.values().map(target_row),
        );
    }
    if wanted(What::Backends) {
        let rows = catalogue.backends().into_iter().map(|(name, package)| {
            let title = package.library.as_ref().map_or("", |library| &library.title);
            [name.to_string(), package.version.clone(), package.license.clone(), title.to_string(), String::new()]
        });
        print_table("Backends (--tls)", ["NAME", "VERSION", "LICENCE", "LIBRARY", ""], rows);
    }
    if wanted(What::Packages) {
        print_table(
            "Packages",
            ["NAME", "VERSION", "SOURCE", "BACKENDS", ""],
            catalogue.packages.values().map(package_row),
        );
    }
    Ok(())
}

fn target_row(target: &Target) -> [String; 5] {
    let openwrt =
        target.openwrt.as_ref().map_or("-".to_string(), |o| format!("{}/{} {}", o.target, o.subtarget, o.profile));
    let yocto = target.yocto.as_ref().map_or("-", |yocto| &yocto.machine);
    let crypto = if target.crypto_instructions { "" } else { " (no crypto instructions)" };
    [target.name.clone(), format!("{}{crypto}", target.cpu), openwrt, yocto.to_string(), target.summary.clone()]
}

fn package_row(package: &Package) -> [String; 5] {
    let source = match &package.upstream {
        Upstream::Workspace { krate } => format!("crates/{krate}"),
        Upstream::Git { revision, .. } => format!("git {}", &revision[..12]),
        Upstream::Tarball { url, .. } => url.rsplit('/').next().unwrap_or(url).to_string(),
    };
    let backends: Vec<&str> = package.backends.keys().map(String::as_str).collect();
    let backends = if backends.is_empty() { "-".to_string() } else { backends.join(" ") };
    [package.name.clone(), package.version.clone(), source, backends, package.summary.clone()]
}

/// Columns as wide as their widest cell, two spaces apart.
fn print_table(title: &str, head: [&str; 5], rows: impl Iterator<Item = [String; 5]>) {
    let rows: Vec<[String; 5]> = std::iter::once(head.map(str::to_string)).chain(rows).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..5).map(width).collect();
    println!("{title}");
    for row in &rows {
        let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        println!("  {}", cells.join("  ").trim_end());
    }
    println!();
}
