//! `cargo xtask flash`: Write an image to a card.

#[derive(clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(_args: &Args) -> anyhow::Result<()> {
    anyhow::bail!("not built yet")
}
