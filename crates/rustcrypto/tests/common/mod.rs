//! Shared by the vector tests: run the same tests again on the other implementation.
#![allow(dead_code, reason = "each test binary uses its part")]

use std::io::Write as _;
use std::process::Command;

/// Run this test binary again with the portable code forced. Call it from a test named `again_portable`.
pub(crate) fn again_portable() {
    if !rustcrypto::primitives::cpu::report().contains(": graviola") {
        return skipped(
            "graviola's path",
            "this CPU or build has none; the tests beside this one already ran the portable code",
        );
    }
    let tests = std::env::current_exe().expect("this binary's path");
    passes(Command::new(tests).env("RUSTCRYPTO_IMPL", "portable"));
}

/// Run this test binary again on an emulated CPU without AES, carry-less multiplication, SHA and AVX instructions.
/// Call it from a test named `again_plain_cpu`.
pub(crate) fn again_plain_cpu() {
    // This model is what an old x86 router has: SSSE3 and no more.
    let qemu = ["qemu-x86_64", "qemu-x86_64-static"]
        .into_iter()
        .find(|name| Command::new(name).arg("--version").output().is_ok());
    match qemu {
        _ if !cfg!(target_arch = "x86_64") => skipped("an x86 CPU without AES instructions", "this is not x86_64"),
        None => skipped("an x86 CPU without AES instructions", "install qemu-user"),
        Some(qemu) => {
            let tests = std::env::current_exe().expect("this binary's path");
            passes(Command::new(qemu).args(["-cpu", "Conroe"]).arg(tests));
        }
    }
}

/// All tests but the `again_*` ones, which would run themselves for ever.
fn passes(command: &mut Command) {
    let output = command.args(["--skip", "again_"]).output().expect("start the tests again");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    assert!(!text.contains("running 0 tests"), "no test ran: {text}");
}

/// Say on the real stderr, past the test harness's capture, what did not run and how to make it run.
pub(crate) fn skipped(what: &str, why: &str) {
    let _ = writeln!(std::io::stderr(), "SKIPPED: {what}: {why}");
}

/// Bytes from hexadecimal digits; blanks are ignored.
pub(crate) fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u32> = text.chars().filter_map(|c| c.to_digit(16)).collect();
    digits.chunks_exact(2).map(|pair| (pair[0] * 16 + pair[1]) as u8).collect()
}
