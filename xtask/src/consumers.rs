//! Building the real consumers of the library from their upstream sources, for the host or for a target.

pub(crate) mod apk;
pub(crate) mod hook;
pub(crate) mod hostapd;
pub(crate) mod libnl;
pub(crate) mod source;

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use crate::toolchain::Toolchain;

/// The TLS and crypto library that a consumer is built on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Backend {
    RustCrypto,
    OpenSsl,
    WolfSsl,
    MbedTls,
}

impl Backend {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Backend::RustCrypto => "rustcrypto",
            Backend::OpenSsl => "openssl",
            Backend::WolfSsl => "wolfssl",
            Backend::MbedTls => "mbedtls",
        }
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Backend {
    type Err = anyhow::Error;

    fn from_str(name: &str) -> anyhow::Result<Self> {
        [Backend::RustCrypto, Backend::OpenSsl, Backend::WolfSsl, Backend::MbedTls]
            .into_iter()
            .find(|backend| backend.name() == name)
            .ok_or_else(|| anyhow::anyhow!("no backend '{name}': choose from rustcrypto, openssl, wolfssl, mbedtls"))
    }
}

/// Where a library's headers and its `.so` or `.a` are. `None` in both: the compiler finds them by itself.
#[derive(Clone, Debug)]
pub(crate) struct Library {
    pub(crate) backend: Backend,
    pub(crate) include: Option<PathBuf>,
    pub(crate) lib: Option<PathBuf>,
}

/// A C compiler for the target and what to add to its command line.
#[derive(Clone, Debug)]
pub(crate) struct Compiler {
    /// Program and fixed arguments, as in make's `CC`.
    pub(crate) cc: String,
    pub(crate) cflags: Vec<String>,
    pub(crate) ldflags: Vec<String>,
    /// More for the environment of configure and make (`AR`, `RANLIB`).
    pub(crate) tools: Vec<(&'static str, PathBuf)>,
    /// `PKG_CONFIG_LIBDIR` for a cross build; `None` on the host.
    pub(crate) pkg_config_libdir: Option<PathBuf>,
}

impl Compiler {
    /// The host's `cc`, size optimised as routers build it.
    pub(crate) fn host() -> Self {
        let flags = ["-Os", "-g0", "-ffunction-sections", "-fdata-sections"];
        Compiler {
            cc: "cc".into(),
            cflags: flags.map(String::from).to_vec(),
            ldflags: vec!["-Wl,--gc-sections".into()],
            tools: Vec::new(),
            pkg_config_libdir: None,
        }
    }

    /// The cross compiler of a triple; `pkg_config_libdir` is the caller's to set (see [`libnl`]).
    pub(crate) fn of(toolchain: &Toolchain) -> Self {
        Compiler {
            cc: toolchain.cc.display().to_string(),
            tools: vec![("AR", toolchain.ar.clone()), ("RANLIB", toolchain.ranlib.clone())],
            ..Compiler::host()
        }
    }
}
