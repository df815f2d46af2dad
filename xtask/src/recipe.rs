//! `cargo xtask recipe`: Write a BitBake recipe and crates.inc for any cargo project.

#[derive(clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(_args: &Args) -> anyhow::Result<()> {
    anyhow::bail!("not built yet")
}
