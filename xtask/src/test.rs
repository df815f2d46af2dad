//! `cargo xtask test`: Run every test this machine can run.

#[derive(clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(_args: &Args) -> anyhow::Result<()> {
    anyhow::bail!("not built yet")
}
