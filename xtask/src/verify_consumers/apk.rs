//! apk: its crypto backend on our library, against OpenSSL's keys, signatures and digests.

mod real;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};

use super::exec::{fresh, output, run, text};
use super::fault::Shim;
use super::{Consumer, Context, Report, library};
use crate::consumers::Library;
use crate::consumers::apk::missing_tools;
use crate::root::root;
use crate::sources::{Options, have};

pub(super) const CONSUMER: Consumer = Consumer { name: "apk", run: check };

/// (name, arguments of `openssl genpkey`): what apk signs with, OpenWrt's own kind first.
const KEYS: [(&str, &[&str]); 4] = [
    ("ec-p256", &["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]),
    ("ec-p384", &["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384"]),
    ("rsa-2048", &["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"]),
    ("rsa-4096", &["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:4096"]),
];
const DIGESTS: [&str; 3] = ["sha1", "sha256", "sha512"];

fn check(context: &Context, report: &mut Report) -> Result<()> {
    let library = library::rustcrypto(&context.work, &context.profile)?;
    let work = context.work.join("apk");
    fresh(&work)?;
    if have("openssl") {
        let harness = Harness::build(&library, &work)?;
        harness.check(report)?;
    } else {
        report.skipped("the backend against OpenSSL", "openssl(1) is not here: apt-get install openssl");
    }
    real::check(&context.sources, &library, &work, report)
}

/// Our own driver of the backend (patches/apk-tools/test), which stands in for apk.
struct Harness {
    library: Library,
    program: PathBuf,
    work: PathBuf,
}

impl Harness {
    fn build(library: &Library, work: &Path) -> Result<Self> {
        let program = work.join("harness");
        compile(library, &program, &["-Wall", "-Wextra", "-Werror", "-fsanitize=address,undefined"])?;
        Ok(Self { library: library.clone(), program, work: work.to_owned() })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.work.join(name)
    }

    fn run(&self, args: &[&str]) -> Result<String> {
        text(Command::new(&self.program).args(args).current_dir(&self.work))
    }

    fn openssl(&self, args: &[&str]) -> Result<Vec<u8>> {
        run(Command::new("openssl").args(args).current_dir(&self.work))
    }

    fn check(&self, report: &mut Report) -> Result<()> {
        let data: Vec<u8> = (0..100_003_u32).map(|n| ((n * n) >> 7) as u8).collect();
        fs::write(self.path("data"), &data)?;
        let mut flipped = data;
        flipped[50_000] ^= 1;
        fs::write(self.path("flipped"), flipped)?;

        report.record("digests equal OpenSSL's", self.digests());
        for (name, args) in KEYS {
            self.make_key(name, args)?;
            report.record(format!("{name}: key ids equal OpenSSL's"), self.ids(name));
            report.record(format!("{name}: signatures both ways"), self.signatures(name));
            report.record(
                format!("{name}: what apk relies on"),
                self.run(&["contract", &pem(name), &public(name)])
                    .map(|_| "reuse, errors, every bit of a signature".into()),
            );
        }
        for (name, _) in KEYS {
            report.record(format!("{name}: without entropy no signature, or a good one"), self.starved(name));
        }
        report
            .record("another key is refused", self.expect_refused("sha512", "ec-p384", "data", "ec-p256.sha512.ours"));
        Ok(())
    }

    fn digests(&self) -> Result<String> {
        for name in DIGESTS {
            let theirs = self.openssl(&["dgst", "-r", &format!("-{name}"), "data"])?;
            let theirs = String::from_utf8_lossy(&theirs);
            let ours = self.run(&["digest", name, "data"])?;
            ensure!(theirs.starts_with(&ours), "{name}: ours {ours}, OpenSSL's {theirs}");
            if name == "sha256" {
                ensure!(
                    self.run(&["digest", "sha256-160", "data"])? == ours[..40],
                    "sha256-160 is not the start of sha256"
                );
            }
        }
        Ok("SHA-1, SHA-256, SHA-256-160, SHA-512, in uneven pieces".into())
    }

    /// A private key as PKCS#8 and in the traditional form, and the public key.
    fn make_key(&self, name: &str, args: &[&str]) -> Result<()> {
        let made = pem(name);
        self.openssl(&[&["genpkey", "-out", &made], args].concat())?;
        self.openssl(&["pkey", "-in", &made, "-traditional", "-out", &format!("{name}.old.pem")])?;
        self.openssl(&["pkey", "-in", &made, "-pubout", "-out", &public(name)])?;
        Ok(())
    }

    fn ids(&self, name: &str) -> Result<String> {
        let raw = if name.starts_with("rsa") {
            self.openssl(&["rsa", "-pubin", "-in", &public(name), "-RSAPublicKey_out", "-outform", "DER"])?
        } else {
            // the uncompressed point is the end of the SubjectPublicKeyInfo
            let der = self.openssl(&["pkey", "-pubin", "-in", &public(name), "-outform", "DER"])?;
            let length = if name.ends_with("256") { 65 } else { 97 };
            der[der.len() - length..].to_vec()
        };
        fs::write(self.path("raw"), raw)?;
        let theirs = String::from_utf8_lossy(&self.openssl(&["dgst", "-r", "-sha512", "raw"])?)[..32].to_owned();
        for (kind, file) in [("public", public(name)), ("private", pem(name)), ("private", format!("{name}.old.pem"))] {
            let ours = self.run(&["id", kind, &file])?;
            ensure!(ours == theirs, "{file}: ours {ours}, OpenSSL's {theirs}");
        }
        Ok(theirs)
    }

    fn signatures(&self, name: &str) -> Result<String> {
        for digest in DIGESTS {
            let (ours, theirs) = (format!("{name}.{digest}.ours"), format!("{name}.{digest}.theirs"));
            // SHA-1 is checked for the sake of old packages, never used for new ones
            if digest != "sha1" {
                self.run(&["sign", digest, &pem(name), "data", &ours])?;
                self.openssl(&["dgst", &format!("-{digest}"), "-verify", &public(name), "-signature", &ours, "data"])?;
            }
            self.openssl(&["dgst", &format!("-{digest}"), "-sign", &pem(name), "-out", &theirs, "data"])?;
            self.run(&["verify", digest, &public(name), "data", &theirs])?;
            self.expect_refused(digest, name, "flipped", &theirs)?;
            let whole = fs::read(self.path(&theirs))?;
            fs::write(self.path("cut"), &whole[..whole.len() - 1])?;
            self.expect_refused(digest, name, "data", "cut")?;
        }
        Ok("ours read by OpenSSL, OpenSSL's by us; a flipped bit and a cut signature refused".into())
    }

    /// A signature either needs no entropy, and is then as good as ever, or is refused without leaving anything behind.
    fn starved(&self, name: &str) -> Result<String> {
        // the sanitizers' own allocator and the shim's do not go together
        let program = self.path("harness-plain");
        if !program.exists() {
            compile(&self.library, &program, &[])?;
        }
        let (shim, out) = (Shim::build("cc", &self.work)?, format!("{name}.starved"));
        let sign = || {
            let mut command = Command::new(&program);
            command.args(["sign", "sha512", &pem(name), "data", &out]).current_dir(&self.work);
            command
        };
        let told = if shim.counts(sign())?.entropy == 0 {
            run(&mut sign())?;
            "it needs none".to_owned()
        } else {
            let told = shim.without_entropy(sign, ".c:", 0)?;
            ensure!(fs::read(self.path(&out))?.is_empty(), "a refused signature left octets behind");
            return Ok(told);
        };
        self.openssl(&["dgst", "-sha512", "-verify", &public(name), "-signature", &out, "data"])?;
        Ok(told)
    }

    fn expect_refused(&self, digest: &str, key: &str, data: &str, signature: &str) -> Result<String> {
        let output = output(
            Command::new(&self.program).args(["verify", digest, &public(key), data, signature]).current_dir(&self.work),
        )?;
        match output.status.code() {
            Some(3) => Ok("exit status 3".into()),
            code => bail!(
                "{signature} over {data} with {key}: exit status {code:?}, not 3: {}",
                String::from_utf8_lossy(&output.stderr)
            ),
        }
    }
}

fn compile(library: &Library, program: &Path, flags: &[&str]) -> Result<()> {
    let glue = root().join("patches/apk-tools");
    let (include, lib) =
        (library.include.as_deref().context("no headers")?, library.lib.as_deref().context("no library")?);
    let mut cc = Command::new("cc");
    cc.args(["-std=gnu11", "-g", "-O1", "-D_GNU_SOURCE"]).args(flags);
    cc.arg("-I").arg(glue.join("test")).arg("-I").arg(include);
    cc.arg(glue.join("crypto_rustcrypto.c")).arg(glue.join("test/harness.c")).arg("-o").arg(program);
    run(cc.arg("-L").arg(lib).arg(format!("-Wl,-rpath,{}", lib.display())).arg("-lrustcrypto"))?;
    Ok(())
}

fn pem(name: &str) -> String {
    format!("{name}.pem")
}

fn public(name: &str) -> String {
    format!("{name}.pub")
}

/// What the real program needs from the machine.
fn missing(options: &Options) -> Option<String> {
    let tools = missing_tools();
    let missing = (!tools.is_empty()).then(|| {
        format!("{} missing: apt-get install meson ninja-build pkgconf zlib1g-dev libssl-dev", tools.join(", "))
    });
    missing.filter(|_| options.sources.is_some())
}
