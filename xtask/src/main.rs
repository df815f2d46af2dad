//! `cargo xtask <verb>`: one file per verb; this one only dispatches.

mod baselines;
mod bench;
mod build_image;
mod build_lib;
mod catalogue;
mod compare;
mod consumers;
mod dist;
mod doctor;
mod elf;
mod explain;
mod flash;
mod generate;
mod lab;
mod list;
mod measure;
mod openwrt;
mod pack;
mod recipe;
mod report;
mod root;
mod sources;
mod test;
mod toolchain;
mod verify_consumers;
mod yocto;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", version, about = "rustcrypto for distributions: build, generate, measure")]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// List targets, packages or backends
    List(list::Args),
    /// Say which packages a switch changes, from what to what, and why
    Explain(explain::Args),
    /// Check this machine, or a build log, and say how to mend what is wrong
    Doctor(doctor::Args),
    /// Write the Yocto layer and the OpenWrt feed from the catalogue
    Generate(generate::Args),
    /// Write a BitBake recipe and crates.inc for any cargo project
    Recipe(recipe::Args),
    /// Build librustcrypto for a target
    Lib(build_lib::Args),
    /// Run every algorithm beside Mbed TLS, wolfSSL and OpenSSL
    Bench(bench::Args),
    /// Build, boot and measure an image
    BuildImage(build_image::Args),
    /// Measure an image, a root filesystem or a device
    Measure(measure::Args),
    /// Show two or more measured images side by side
    Compare(compare::Args),
    /// Write an image to a card
    Flash(flash::Args),
    /// Build the real consumers on librustcrypto and run their tests
    VerifyConsumers(verify_consumers::Args),
    /// Apply the switch to an OpenWrt tree, or take it back
    Openwrt(openwrt::Args),
    /// Write a reproducible release tarball
    Dist(dist::Args),
    /// Run every test this machine can run
    Test(test::Args),
    /// Show, fetch, check and update the pinned external sources
    Sources(sources::Args),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let result = match cli.verb {
        Verb::List(args) => list::run(&args),
        Verb::Explain(args) => explain::run(&args),
        Verb::Doctor(args) => doctor::run(&args),
        Verb::Generate(args) => generate::run(&args),
        Verb::Recipe(args) => recipe::run(&args),
        Verb::Lib(args) => build_lib::run(&args),
        Verb::Bench(args) => bench::run(&args),
        Verb::BuildImage(args) => build_image::run(&args),
        Verb::Measure(args) => measure::run(&args),
        Verb::Compare(args) => compare::run(&args),
        Verb::Flash(args) => flash::run(&args),
        Verb::VerifyConsumers(args) => verify_consumers::run(&args),
        Verb::Openwrt(args) => openwrt::run(&args),
        Verb::Dist(args) => dist::run(&args),
        Verb::Test(args) => test::run(&args),
        Verb::Sources(args) => sources::run(&args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => root::report(&error),
    }
}
