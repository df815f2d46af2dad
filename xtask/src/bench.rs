//! `cargo xtask bench`: Run every algorithm beside Mbed TLS, wolfSSL and OpenSSL.

#[derive(clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(_args: &Args) -> anyhow::Result<()> {
    anyhow::bail!("not built yet")
}
