//! `cargo xtask measure`: Measure an image, a root filesystem or a device.

#[derive(clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(_args: &Args) -> anyhow::Result<()> {
    anyhow::bail!("not built yet")
}
