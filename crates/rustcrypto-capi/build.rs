//! The shared object's name for the dynamic linker. It changes only when the ABI breaks, never with the configuration.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,librustcrypto.so.0");
}
