//! `cargo xtask dist`: a reproducible release tarball of what is committed.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use xshell::{Shell, cmd};

use crate::root::root;
use crate::sources::sha256_file;
use crate::user_bail;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Where to write it (default: target/dist/rustcrypto-VERSION.tar.gz)
    #[arg(long)]
    out: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let sh = Shell::new()?;
    sh.change_dir(root());
    let changed =
        cmd!(sh, "git status --porcelain").quiet().read().context("git does not answer: is this a checkout?")?;
    if !changed.is_empty() {
        user_bail!("there are uncommitted changes, and a release is made from what is committed:\n{changed}");
    }
    let name = format!("rustcrypto-{}", env!("CARGO_PKG_VERSION"));
    let out = args.out.clone().unwrap_or_else(|| root().join(format!("target/dist/{name}.tar.gz")));
    if let Some(folder) = out.parent() {
        fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    }
    // git stamps every entry with the commit's time and writes no time into the gzip header: one commit, one file.
    let part = out.with_extension("part");
    cmd!(sh, "git archive --format=tar.gz --prefix={name}/ --output={part} HEAD").quiet().run()?;
    let sum = sha256_file(&part)?;
    fs::rename(&part, &out).with_context(|| format!("cannot write {}", out.display()))?;
    println!("{sum}  {}", out.display());
    Ok(())
}
