//! What must hold when things go wrong: mutated frames, no memory, no entropy; and that nothing leaks.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};

use super::super::fault::{Shim, valgrind};
use super::{Peer, Report, Side};
use crate::consumers::Compiler;

/// Mutated exchanges per group and method.
const MUTATED: &str = "300";
const SEED: &str = "20261130";
/// Exchanges whose live blocks must not be more than after the first ones.
const MANY: &str = "1000";

pub(super) fn run(side: &Side, compiler: &Compiler, work: &Path, report: &mut Report) {
    let peer = &side.peer;
    for method in ["hnp", "h2e"] {
        for group in ["19", "20", "21"] {
            let result = peer.run(&["fuzz", group, method, MUTATED, SEED]);
            report.record(format!("mutated SAE frames, {method} group {group}"), result);
        }
    }
    match Shim::build(&compiler.cc, work) {
        Err(error) => report.failed("fault injection", format!("{error:#}")),
        Ok(shim) => {
            report.record(format!("{MANY} SAE exchanges leave nothing behind"), leak(peer, &shim));
            report.record("no entropy: SAE is refused", shim.without_entropy(|| exchanges(peer, "1"), "refused", 0));
            report.record(
                "no memory: SAE is refused or stops, never a weak key",
                shim.without_memory(|| exchanges(peer, "1")),
            );
        }
    }
    for args in [["self", "19", "h2e", "2"], ["self", "19", "hnp", "1"], ["self", "19", "pk", "1"]] {
        let check = format!("valgrind, SAE {} group 19", args[2]);
        match valgrind(|wrapper| peer.under(wrapper, &args)) {
            Some(result) => report.record(check, result),
            None => report.skipped(check, "not installed: apt-get install valgrind"),
        }
    }
}

fn exchanges(peer: &Peer, count: &str) -> Command {
    peer.command(&["self", "19", "h2e", count])
}

fn leak(peer: &Peer, shim: &Shim) -> Result<String> {
    let (few, many) = (shim.counts(exchanges(peer, "10"))?, shim.counts(exchanges(peer, MANY))?);
    ensure!(many.live <= few.live, "{} blocks live after 10 exchanges, {} after {MANY}", few.live, many.live);
    Ok(format!("{} blocks live at the end, {} allocations", many.live, many.allocations))
}
