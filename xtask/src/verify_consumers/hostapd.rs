//! hostapd and `wpa_supplicant`: built on rustcrypto and on the peers' libraries, their own tests, and exchanges between
//! the backends in both directions.

mod dpp;
mod eap;
mod figures;
mod harm;
mod interop;
mod own;
mod pairs;
mod peer;
mod pki;

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use super::exec::{fresh, text};
use super::{Consumer, Context, Report, library};
use crate::consumers::hostapd::{Build, Built, Features, build};
use crate::consumers::{Backend, Compiler, Library, source};
use peer::Peer;

pub(super) const CONSUMER: Consumer = Consumer { name: "hostapd", run };

/// One backend's programs.
struct Side {
    built: Built,
    peer: Peer,
    library: Library,
    /// Whether DPP release 2 is in it.
    dpp: bool,
}

impl Side {
    /// Let a program find this side's library.
    fn environment(&self, command: &mut Command) {
        if let Some(dir) = &self.library.lib {
            command.env("LD_LIBRARY_PATH", dir);
        }
    }
}

fn run(context: &Context, report: &mut Report) -> Result<()> {
    let (source, version) = source::hostap(&context.sources)?;
    let compiler = Compiler::host();
    let work = context.work.join(format!("hostapd-{version}"));

    let ours = side(&source, &compiler, library::rustcrypto(&context.work, &context.profile)?, &work)?;
    report.passed(format!("hostapd and wpa_supplicant {version} build on rustcrypto"), "full");
    let mut sides = vec![ours];
    for &backend in &context.against {
        let check = format!("hostapd and wpa_supplicant {version} build on {backend}");
        // the others are in every release
        let tree = match backend {
            Backend::MbedTls => source::hostap_mbedtls(&context.sources),
            _ => Some(source.clone()),
        };
        match (tree, peer_library(backend, &work)) {
            (None, _) => report.skipped(
                check,
                "upstream has no Mbed TLS backend: give --sources DIR with a tree that has (branch mbedtls of \
                 https://github.com/gstrauss/hostap) in DIR/hostap-mbedtls",
            ),
            (_, Err(why)) => report.skipped(check, why),
            (Some(tree), Ok(library)) => match side(&tree, &compiler, library, &work) {
                Ok(side) => {
                    report.passed(check, "full");
                    sides.push(side);
                }
                Err(error) => report.failed(check, format!("{error:#}")),
            },
        }
    }

    let pki = pki::make(&work.join("pki"))?;
    own::run(&sides, &source, &pki, &work, report);
    not_offered(&sides[0], report);
    interop::run(&sides, report);
    if let Err(error) = eap::run(&sides, &pki, &work, report) {
        report.failed("EAP", format!("{error:#}"));
    }
    dpp::run(&sides, &pki, &work, report);
    harm::run(&sides[0], &compiler, &work, report);
    figures::run(&sides, report)
}

/// Mbed TLS before 3.3 has no PKCS #7, which the forks' backend wants for DPP release 2.
const WITHOUT_DPP: &str = "CONFIG_DPP2=";

fn side(source: &Path, compiler: &Compiler, library: Library, work: &Path) -> Result<Side> {
    eprintln!("building hostapd and wpa_supplicant on {}", library.backend);
    let dpp = library.backend != Backend::MbedTls;
    // the peer's SIM is simulated, and DPP over TCP needs no radio
    let mut extra = vec!["CONFIG_SIM_SIMULATOR=y", "CONFIG_USIM_SIMULATOR=y", "CONFIG_DRIVER_NONE=y"];
    extra.extend((!dpp).then_some(WITHOUT_DPP));
    let built = build(&Build {
        source,
        compiler,
        library: &library,
        features: Features::Full,
        extra: &extra,
        also: &["eapol_test"],
        out: &work.join(library.backend.name()),
    })?;
    let peer = Peer::build(&built, compiler, &library)?;
    Ok(Side { built, peer, library, dpp })
}

/// The host's own copy of a peer's library.
fn peer_library(backend: Backend, work: &Path) -> Result<Library, String> {
    let (header, package) = match backend {
        Backend::MbedTls => ("mbedtls/ssl.h", "libmbedtls-dev"),
        Backend::WolfSsl => ("wolfssl/options.h", "libwolfssl-dev"),
        Backend::OpenSsl | Backend::RustCrypto => ("openssl/ssl.h", "libssl-dev"),
    };
    if !Path::new("/usr/include").join(header).is_file() {
        return Err(format!("its development files are not installed: apt-get install {package}"));
    }
    let lib = (backend == Backend::WolfSsl).then(|| static_wolfssl(work)).transpose()?;
    Ok(Library { backend, include: None, lib })
}

/// Debian's shared object keeps the point functions that SAE needs to itself; its archive does not. A folder with only
/// the archive, for the linker to look into first.
fn static_wolfssl(work: &Path) -> Result<PathBuf, String> {
    let archive =
        text(Command::new("cc").arg("-print-file-name=libwolfssl.a")).map_err(|error| format!("{error:#}"))?;
    if !Path::new(&archive).is_absolute() {
        return Err("libwolfssl.a is not installed: apt-get install libwolfssl-dev".into());
    }
    let folder = work.join("libwolfssl");
    let linked = fresh(&folder).and_then(|()| Ok(symlink(&archive, folder.join("libwolfssl.a"))?));
    linked.map_err(|error| format!("{error:#}"))?;
    Ok(folder)
}

/// What the backend does not offer ends `make` at once, with the reason, and not in the field.
fn not_offered(ours: &Side, report: &mut Report) {
    for option in ["CONFIG_EAP_FAST", "CONFIG_EAP_TEAP", "CONFIG_EAP_IKEV2", "CONFIG_EAP_UNAUTH_TLS", "CONFIG_DPP3"] {
        for program in ["hostapd", "wpa_supplicant"] {
            let make = Command::new("make")
                .args(["--dry-run", &format!("{option}=y")])
                .current_dir(ours.built.tree.join(program))
                .output();
            let check = format!("{program} with {option} is refused by make");
            match make {
                Err(error) => report.failed(check, error.to_string()),
                Ok(output) => {
                    let told = String::from_utf8_lossy(&output.stderr).into_owned();
                    match told.lines().find(|line| line.contains("CONFIG_TLS=rustcrypto: ")) {
                        Some(line) if !output.status.success() => report.passed(check, line),
                        _ => report.failed(check, peer::last_lines(&told)),
                    }
                }
            }
        }
    }
}
