//! `cargo xtask generate`: Write the Yocto layer and the OpenWrt feed from the catalogue.

#[derive(clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(_args: &Args) -> anyhow::Result<()> {
    anyhow::bail!("not built yet")
}
