//! `cargo xtask doctor`: Check this machine, or a build log, and say how to mend what is wrong.

#[derive(clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(_args: &Args) -> anyhow::Result<()> {
    anyhow::bail!("not built yet")
}
