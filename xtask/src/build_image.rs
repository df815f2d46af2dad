//! `cargo xtask build-image`: Build, boot and measure an image.

use std::time::Instant;

use anyhow::Result;

use crate::catalogue::Catalogue;
use crate::lab::{Lab, Variant};
use crate::report::{self, Measure};
use crate::root::root;
use crate::{measure, openwrt, sources, user_bail, yocto};

/// Which build system makes the image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Engine {
    /// A small image of our own; needs only the package registries
    Lab,
    /// An OpenWrt tree (--tree), or an SDK and an image builder of one release
    Openwrt,
    /// BitBake, by kas or in your build directory (--build-dir)
    Yocto,
}

#[derive(clap::Args)]
pub(crate) struct Args {
    /// A board or machine: `cargo xtask list targets`
    #[arg(long)]
    target: String,
    /// TLS library of the image
    #[arg(long, default_value = "rustcrypto")]
    tls: String,
    /// minimal or speed for rustcrypto; speed for a tuned wolfssl
    #[arg(long)]
    profile: Option<String>,
    /// Build and measure the same image on every library, and compare
    #[arg(long)]
    compare: bool,
    #[arg(long, value_enum, default_value = "lab")]
    engine: Engine,
    #[command(flatten)]
    openwrt: openwrt::build::Options,
    #[command(flatten)]
    yocto: yocto::Options,
    /// Afterwards boot the image and serve a page over HTTPS on this port of the host, with px5g's certificate, until Ctrl-C
    #[arg(long, value_name = "PORT", conflicts_with = "compare")]
    serve: Option<u16>,
    /// Build only; do not boot the image or run its programs
    #[arg(long)]
    no_boot: bool,
    /// Print the measurements as JSON on standard output
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    sources: sources::Options,
}

/// What `--compare` measures; the first is what the others are held against.
const COMPARED: [(&str, &str); 6] = [
    ("rustcrypto", "minimal"),
    ("rustcrypto", "speed"),
    ("mbedtls", ""),
    ("wolfssl", ""),
    ("wolfssl", "speed"),
    ("openssl", ""),
];

fn variant(tls: &str, profile: Option<&str>) -> Result<Variant> {
    let profile = match (tls, profile) {
        ("rustcrypto", None) => "minimal",
        (_, None) => "",
        (_, Some(profile)) => profile,
    };
    let known: Vec<&str> = COMPARED.iter().filter(|(t, _)| *t == tls).map(|(_, p)| *p).collect();
    if !known.contains(&profile) {
        let known: Vec<&str> = known.into_iter().filter(|p| !p.is_empty()).collect();
        if known.is_empty() {
            user_bail!("{tls} has no profiles: leave --profile away");
        }
        user_bail!("{tls} has no profile '{profile}': choose from {}", known.join(", "));
    }
    Ok(Variant::new(tls, profile))
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let started = Instant::now();
    let catalogue = Catalogue::load(&root())?;
    let target = catalogue.target(&args.target)?;
    catalogue.backend(&args.tls)?;
    let first = variant(&args.tls, args.profile.as_deref())?;
    let mut variants = vec![first];
    if args.compare {
        variants = COMPARED.iter().map(|(tls, profile)| Variant::new(tls, profile)).collect();
    }
    let images = root().join("target/images").join(&target.name);
    let mut failed = Vec::new();
    let (measures, dir) = match args.engine {
        Engine::Lab => {
            let lab = Lab::open(&args.sources, target)?;
            let make = |variant| lab.make(variant, !args.no_boot);
            let measures = variants.iter().map(make).collect::<Result<Vec<Measure>>>()?;
            (measures, if args.compare { images } else { lab.folder(&variants[0]) })
        }
        Engine::Yocto if args.compare => {
            user_bail!("--compare: build with each --tls, then cargo xtask compare")
        }
        Engine::Yocto => {
            let dir = yocto::folder(&target.name, &args.tls);
            match yocto::run(&catalogue, &target.name, &args.tls, &args.yocto)? {
                Some(measure) => (vec![measure], dir),
                None => return Ok(()),
            }
        }
        Engine::Openwrt if args.compare => {
            user_bail!("--compare: a tree holds one configuration; build with each --tls, then cargo xtask compare")
        }
        Engine::Openwrt => {
            let dir = images.join(format!("{}-openwrt", variants[0].name()));
            let run_programs = (!args.no_boot).then_some(&args.sources);
            let build = args.openwrt.build(&catalogue, target, &variants[0], run_programs, dir.clone())?;
            let (measure, not_run) = build.run()?;
            failed = not_run;
            (vec![measure], dir)
        }
    };
    let files = report::write_reports(&measures, &dir)?;
    if args.json {
        println!("{}", serde_json::to_string_pretty(&measures)?);
    } else {
        print!("{}", report::table(&measures));
    }
    for file in files {
        eprintln!("wrote {}", file.display());
    }
    eprintln!("{:.1} s in all", started.elapsed().as_secs_f64());
    measure::user::report(&failed)?;
    match args.serve {
        Some(port) => Lab::open(&args.sources, target)?.serve(&variants[0], port),
        None => Ok(()),
    }
}
