//! OpenWrt's own web server and downloader in the image: libubox, ustream-ssl, uhttpd and uclient from `--sources DIR`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use super::library::Library;
use super::rootfs::Package;
use super::userland::{fingerprint, run};
use crate::consumers::hook::Hook;
use crate::root::root;
use crate::sources::{Sources, have};
use crate::toolchain::{self, Toolchain};

/// (name, a file that is in it), in the order of building.
const TREES: [(&str, &str); 4] =
    [("libubox", "ustream.c"), ("ustream-ssl", "ustream-ssl.c"), ("uhttpd", "tls.c"), ("uclient", "uclient-fetch.c")];
/// What libubox needs; locked, because it is not OpenWrt's.
const JSON: &str = "json-c";
const VERSION: &str = "from --sources";

/// What an image gets of it.
pub(super) struct Programs {
    pub(super) packages: Vec<Package>,
    /// Programs whose libraries the image needs.
    pub(super) binaries: Vec<PathBuf>,
}

/// The packages; or, as a sentence for the report, why the image has none.
pub(super) fn build(
    sources: &Sources,
    toolchain: &Toolchain,
    library: &Library,
) -> Result<std::result::Result<Programs, String>> {
    let Some(dir) = &sources.options().sources else {
        return Ok(Err("OpenWrt's own sources are in no registry: give clones of libubox, ustream-ssl, uhttpd and uclient with --sources DIR".to_owned()));
    };
    for (name, mark) in TREES {
        if !dir.join(name).join(mark).is_file() {
            return Ok(Err(format!("{} has no clone of {name}", dir.display())));
        }
    }
    if !have("cmake") {
        return Ok(Err("cmake is not here: apt-get install cmake".to_owned()));
    }
    let glue = root().join("patches/ustream-ssl");
    let trees: Vec<PathBuf> = TREES.iter().map(|(name, _)| dir.join(name)).collect();
    let mut inputs: Vec<&Path> = trees.iter().map(PathBuf::as_path).collect();
    inputs.push(&glue);
    let key =
        format!("{}\n{}\n{}\n{}", toolchain.c_name, library.key()?, fingerprint(&inputs)?, sources.identity(JSON)?);
    let build = Build { sources, toolchain, library };
    sources.fetch(JSON)?; // a download that fails says nothing of the library
    let made = sources.cache.made("programs", &key, |part| {
        let prefix = part.join("prefix");
        build.json(&part.join(JSON), &prefix)?;
        for ((name, _), tree) in TREES.iter().zip(&trees) {
            build.one(name, tree, &part.join(name), &prefix)?;
        }
        for (name, _) in TREES.iter().chain(&[(JSON, "")]) {
            fs::remove_dir_all(part.join(name))?;
        }
        Ok(())
    });
    match made {
        Ok(dir) => Ok(Ok(packages(&dir.join("prefix"), &library.backend))),
        // Ours has to build; that another library's code in ustream-ssl does not fit its release is a fact for the report.
        Err(error) if library.backend != "rustcrypto" => Ok(Err(format!("{error:#}"))),
        Err(error) => Err(error),
    }
}

struct Build<'a> {
    sources: &'a Sources,
    toolchain: &'a Toolchain,
    library: &'a Library,
}

impl Build<'_> {
    fn json(&self, copy: &Path, prefix: &Path) -> Result<()> {
        self.sources.unpack(JSON, copy)?;
        self.cmake(JSON, copy, prefix, &["-DBUILD_APPS=OFF", "-DBUILD_TESTING=OFF", "-DBUILD_STATIC_LIBS=OFF"])
    }

    fn one(&self, name: &str, tree: &Path, copy: &Path, prefix: &Path) -> Result<()> {
        run(name, Command::new("cp").arg("-a").arg(tree).arg(copy))?;
        let backend = self.library.backend.to_uppercase();
        if name == "ustream-ssl" && self.library.backend == "rustcrypto" {
            let glue = root().join("patches/ustream-ssl");
            Hook::read(&glue)?.apply(&glue, copy)?;
        }
        let backend = format!("-D{backend}=ON");
        let off = ["BUILD_LUA", "BUILD_EXAMPLES", "BUILD_UCODE", "LUA_SUPPORT", "UBUS_SUPPORT", "UCODE_SUPPORT"];
        let off: Vec<String> = off.iter().map(|option| format!("-D{option}=OFF")).collect();
        let mut options: Vec<&str> = off.iter().map(String::as_str).collect();
        options.push(&backend);
        self.cmake(name, copy, prefix, &options)
    }

    /// Configure, build and install for the target; nothing of the host is found.
    fn cmake(&self, name: &str, tree: &Path, prefix: &Path, options: &[&str]) -> Result<()> {
        let build = tree.join("build");
        let (own, library) = (prefix.display(), self.library.prefix.display());
        let mut cmake = Command::new("cmake");
        cmake.arg("-S").arg(tree).arg("-B").arg(&build).args(options).envs(self.toolchain.c_env());
        cmake.args(["-DCMAKE_BUILD_TYPE=MinSizeRel", "-DCMAKE_SYSTEM_NAME=Linux", "-DCMAKE_SKIP_RPATH=ON"]);
        cmake.args(["-DCMAKE_POLICY_VERSION_MINIMUM=3.5", "-DCMAKE_INSTALL_LIBDIR=lib"]);
        cmake.arg(format!("-DCMAKE_AR={}", self.toolchain.ar.display()));
        cmake.arg(format!("-DCMAKE_RANLIB={}", self.toolchain.ranlib.display()));
        cmake.arg(format!("-DCMAKE_INSTALL_PREFIX={own}")).arg(format!("-DCMAKE_FIND_ROOT_PATH={own};{library}"));
        for kind in ["LIBRARY", "INCLUDE", "PACKAGE"] {
            cmake.arg(format!("-DCMAKE_FIND_ROOT_PATH_MODE_{kind}=ONLY"));
        }
        // -w: warnings of other compilers' years are errors in these projects.
        cmake.arg(format!(
            "-DCMAKE_C_FLAGS=-Os -g0 -w -ffunction-sections -fdata-sections -I{own}/include -I{library}/include"
        ));
        cmake.arg("-DCMAKE_EXE_LINKER_FLAGS=-s -Wl,--gc-sections");
        // Stripped, and where -lssl is: ustream-ssl names OpenSSL's libraries without a folder and resets the linker flags.
        cmake.arg(format!("-DCMAKE_C_STANDARD_LIBRARIES=-s -L{library}/lib"));
        cmake.env("PKG_CONFIG_LIBDIR", prefix.join("lib/pkgconfig")).env_remove("PKG_CONFIG_PATH");
        run(&format!("{name}'s cmake"), &mut cmake)?;
        run(name, Command::new("cmake").arg("--build").arg(&build).arg(toolchain::jobs()))?;
        run(name, Command::new("cmake").arg("--install").arg(&build))
    }
}

fn packages(prefix: &Path, backend: &str) -> Programs {
    let lib =
        |package: Package, name: &str| package.copy(&format!("usr/lib/{name}"), 0o755, &prefix.join("lib").join(name));
    let bin = |name: &str| prefix.join("bin").join(name);
    let (uhttpd, fetch) = (bin("uhttpd"), bin("uclient-fetch"));
    let mut libubox = Package::new("libubox", VERSION);
    for name in ["libubox.so", "libblobmsg_json.so", "libjson_script.so"] {
        libubox = lib(libubox, name);
    }
    // Both programs open it by this name.
    let ustream = Package::new(&format!("libustream-{backend}"), VERSION);
    Programs {
        packages: vec![
            lib(Package::new("libjson-c", VERSION), "libjson-c.so.5"),
            libubox,
            lib(ustream, "libustream-ssl.so"),
            Package::new("uhttpd", VERSION).copy("usr/sbin/uhttpd", 0o755, &uhttpd),
            lib(Package::new("uclient-fetch", VERSION).copy("usr/bin/uclient-fetch", 0o755, &fetch), "libuclient.so"),
        ],
        binaries: vec![prefix.join("lib/libustream-ssl.so")],
    }
}
