//! `cargo xtask openwrt`: Apply the switch to an OpenWrt tree, or take it back.

#[derive(clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(_args: &Args) -> anyhow::Result<()> {
    anyhow::bail!("not built yet")
}
