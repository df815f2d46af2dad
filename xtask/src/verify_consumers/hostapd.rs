//! hostapd and `wpa_supplicant`: built on rustcrypto and on the peers' libraries.

use anyhow::Result;

use super::{Consumer, Context, Report};
use crate::consumers::hostapd::{Build, Features, build};
use crate::consumers::{Backend, Compiler, Library, source};

pub(super) const CONSUMER: Consumer = Consumer { name: "hostapd", run };

fn run(context: &Context, report: &mut Report) -> Result<()> {
    let (source, version) = source::hostap(&context.sources)?;
    let compiler = Compiler::host();
    let work = context.work.join(format!("hostapd-{version}"));
    for &backend in &context.against {
        let check = format!("{version} builds on {backend}");
        if backend == Backend::MbedTls {
            report.skipped(check, "hostap has no Mbed TLS backend upstream; only OpenWrt's tree carries one");
            continue;
        }
        let library = Library { backend, include: None, lib: None };
        let out = work.join(backend.name());
        let built = build(&Build {
            source: &source,
            compiler: &compiler,
            library: &library,
            features: Features::Full,
            extra: &[],
            also: &[],
            out: &out,
        });
        report.record(check, built.map(|built| built.tree.display().to_string()));
    }
    Ok(())
}
