//! apk-tools: the options that a build for the host and one for an image share.

use std::fs;
use std::path::Path;

use crate::sources::have;

/// A file that only a tree of apk-tools has.
pub(crate) const MARK: &str = "src/apk_crypto.h";
/// Name of its tree in `--sources DIR`, and of our glue in patches/.
pub(crate) const NAME: &str = "apk-tools";

/// meson as OpenWrt calls it for a device, but without the help texts, which a Lua interpreter of the host compresses.
pub(crate) fn options(tree: &Path, backend: &str) -> Vec<String> {
    let mut options: Vec<String> =
        ["docs", "help", "lua", "python"].iter().map(|name| format!("-D{name}=disabled")).collect();
    // A boolean before 3.0.
    options.push(format!("-Dzstd={}", if boolean(tree, "zstd") { "false" } else { "disabled" }));
    options.extend(["-Ddefault_library=static", "-Durl_backend=wget"].map(str::to_owned));
    options.push(format!("-Dcrypto_backend={backend}"));
    options
}

fn boolean(tree: &Path, option: &str) -> bool {
    let options = fs::read_to_string(tree.join("meson_options.txt")).unwrap_or_default();
    let start = format!("option('{option}'");
    options.lines().any(|line| line.starts_with(&start) && line.contains("type: 'boolean'"))
}

/// Has this release code for the backend? Ours is brought along; upstream has none for wolfSSL.
pub(crate) fn knows(tree: &Path, backend: &str) -> bool {
    backend == "rustcrypto" || tree.join(format!("src/crypto_{backend}.c")).is_file()
}

/// Programs that its build needs and this machine has not.
pub(crate) fn missing_tools() -> Vec<&'static str> {
    ["meson", "ninja", "pkg-config"].into_iter().filter(|tool| !have(tool)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zstd_is_left_out_in_the_words_of_the_release() {
        let dir = tempfile::tempdir().unwrap();
        let of = |line: &str| {
            fs::write(dir.path().join("meson_options.txt"), line).unwrap();
            options(dir.path(), "mbedtls")
        };
        let old = of("option('zstd', description: 'Build with zstd support', type: 'boolean', value: true)\n");
        assert!(old.contains(&"-Dzstd=false".to_owned()), "{old:?}");
        let new = of("option('minimal', type: 'boolean')\noption('zstd', type: 'feature', value: 'auto')\n");
        assert!(new.contains(&"-Dzstd=disabled".to_owned()), "{new:?}");
        assert!(new.contains(&"-Dcrypto_backend=mbedtls".to_owned()), "{new:?}");
    }

    #[test]
    fn a_backend_is_known_by_its_file_and_ours_always() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("src")).unwrap();
        fs::write(dir.path().join("src/crypto_mbedtls.c"), "").unwrap();
        assert!(knows(dir.path(), "mbedtls") && knows(dir.path(), "rustcrypto"));
        assert!(!knows(dir.path(), "wolfssl"));
    }
}
