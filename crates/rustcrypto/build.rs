//! `cfg(accelerated)`: graviola is in this build and the target has code in it.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(accelerated)");
    let target = |name: &str| env::var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    // Only the 64-bit little-endian ABIs: x32 and big-endian ARM share the architecture's name, not the code.
    let fits = matches!(target("ARCH").as_str(), "x86_64" | "aarch64")
        && target("POINTER_WIDTH") == "64"
        && target("ENDIAN") == "little";
    if fits && env::var_os("CARGO_FEATURE_GRAVIOLA").is_some() {
        println!("cargo::rustc-cfg=accelerated");
    }
}
