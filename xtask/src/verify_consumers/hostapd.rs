//! hostapd and `wpa_supplicant`: built on rustcrypto and on the peers' libraries, their own tests, and exchanges between
//! the backends in both directions.

mod eap;
mod figures;
mod harm;
mod interop;
mod peer;
mod pki;

use std::path::Path;
use std::process::Command;

use anyhow::Result;

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
        match peer_library(backend) {
            Err(why) => report.skipped(check, why),
            Ok(library) => match side(&source, &compiler, library, &work) {
                Ok(side) => {
                    report.passed(check, "full");
                    sides.push(side);
                }
                Err(error) => report.failed(check, format!("{error:#}")),
            },
        }
    }

    own_tests(&sides, report);
    not_offered(&sides[0], report);
    interop::run(&sides, report);
    if let Err(error) = eap::run(&sides, &work, report) {
        report.failed("EAP", format!("{error:#}"));
    }
    harm::run(&sides[0], &compiler, &work, report);
    figures::run(&sides, report)
}

fn side(source: &Path, compiler: &Compiler, library: Library, work: &Path) -> Result<Side> {
    eprintln!("building hostapd and wpa_supplicant on {}", library.backend);
    let built = build(&Build {
        source,
        compiler,
        library: &library,
        features: Features::Full,
        extra: &[],
        also: &["eapol_test"],
        out: &work.join(library.backend.name()),
    })?;
    let peer = Peer::build(&built, compiler, &library)?;
    Ok(Side { built, peer, library })
}

/// The host's own copy of a peer's library.
fn peer_library(backend: Backend) -> Result<Library, &'static str> {
    let module = match backend {
        Backend::MbedTls => return Err("hostap has no Mbed TLS backend upstream; only OpenWrt's tree carries one"),
        Backend::WolfSsl => "wolfssl",
        Backend::OpenSsl | Backend::RustCrypto => "openssl",
    };
    let found = Command::new("pkg-config").args(["--exists", module]).status();
    if !found.is_ok_and(|status| status.success()) {
        return Err("its development files are not installed: apt-get install libwolfssl-dev or libssl-dev");
    }
    Ok(Library { backend, include: None, lib: None })
}

/// hostap's `crypto_module_tests` and `common_module_tests` (with the SAE vectors), on every backend.
fn own_tests(sides: &[Side], report: &mut Report) {
    for side in sides {
        let result = side.peer.run(&["modules"]).map(|_| "crypto and common module tests".to_owned());
        report.record(format!("hostap's own module tests on {}", side.library.backend), result);
    }
}

/// What the backend does not offer ends `make` at once, with the reason, and not in the field.
fn not_offered(ours: &Side, report: &mut Report) {
    for option in ["CONFIG_EAP_FAST", "CONFIG_EAP_TEAP", "CONFIG_EAP_IKEV2", "CONFIG_EAP_UNAUTH_TLS", "CONFIG_DPP2"] {
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
