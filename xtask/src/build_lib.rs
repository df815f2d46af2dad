//! `cargo xtask lib`: Build librustcrypto for a target.

#[derive(clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(_args: &Args) -> anyhow::Result<()> {
    anyhow::bail!("not built yet")
}
