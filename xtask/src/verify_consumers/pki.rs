//! Certificates for the exchanges, made by openssl(1): good ones, and one of each kind that must be refused.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};

use super::exec::{fresh, run};

/// A certificate for "localhost" with one fault.
pub(super) struct Bad {
    pub(super) name: &'static str,
    /// Extensions, as in openssl's -extfile.
    extensions: &'static str,
    /// Who signs: a name of [`Pki`].
    issuer: &'static str,
    /// Further arguments of `openssl x509 -req`.
    args: &'static [&'static str],
    /// Faults of the clock need a date that x509 cannot set: `faketime`-free, through `openssl ca`.
    dates: Option<(&'static str, &'static str)>,
}

const NAME: &str = "subjectAltName=DNS:localhost,IP:127.0.0.1\nextendedKeyUsage=serverAuth\n";

pub(super) const BAD: [Bad; 8] = [
    Bad { name: "of a stranger", extensions: NAME, issuer: "stranger", args: &[], dates: None },
    Bad { name: "self-signed", extensions: NAME, issuer: "", args: &[], dates: None },
    Bad {
        name: "expired",
        extensions: NAME,
        issuer: "ca",
        args: &[],
        dates: Some(("20200101000000Z", "20210101000000Z")),
    },
    Bad {
        name: "not yet valid",
        extensions: NAME,
        issuer: "ca",
        args: &[],
        dates: Some(("20990101000000Z", "21000101000000Z")),
    },
    Bad {
        name: "for another name",
        extensions: "subjectAltName=DNS:example.org\n",
        issuer: "ca",
        args: &[],
        dates: None,
    },
    Bad {
        name: "for clients only",
        extensions: "subjectAltName=DNS:localhost\nextendedKeyUsage=clientAuth\n",
        issuer: "ca",
        args: &[],
        dates: None,
    },
    Bad { name: "signed with SHA-1", extensions: NAME, issuer: "ca", args: &["-sha1"], dates: None },
    Bad { name: "of an issuer that is no CA", extensions: NAME, issuer: "server", args: &[], dates: None },
];

pub(super) struct Pki {
    dir: PathBuf,
}

impl Pki {
    /// A CA, good certificates on a P-256 ("server") and an RSA ("rsa") key, and the bad ones.
    pub(super) fn make(dir: &Path) -> Result<Self> {
        fresh(dir)?;
        let pki = Self { dir: dir.to_owned() };
        for name in ["ca", "stranger"] {
            pki.new_key(name, false)?;
            pki.openssl(&[
                "req",
                "-x509",
                "-new",
                "-key",
                &format!("{name}.key"),
                "-out",
                &format!("{name}.crt"),
                "-days",
                "30",
                "-subj",
                &format!("/CN=test {name}"),
            ])?;
        }
        pki.new_key("other", false)?;
        for (name, rsa) in [("server", false), ("rsa", true)] {
            pki.new_key(name, rsa)?;
            pki.issue(name, NAME, "ca", &[], None)?;
        }
        for bad in &BAD {
            let name = file(bad.name);
            pki.new_key(&name, false)?;
            pki.issue(&name, bad.extensions, bad.issuer, bad.args, bad.dates)?;
            if bad.issuer == "server" {
                fs::copy(pki.path("server.crt"), pki.path(&format!("{name}.chain")))?;
            }
        }
        Ok(pki)
    }

    pub(super) fn path(&self, file_name: &str) -> PathBuf {
        self.dir.join(file_name.replace(' ', "-"))
    }

    pub(super) fn crt(&self, name: &str) -> PathBuf {
        self.path(&format!("{}.crt", file(name)))
    }

    pub(super) fn key(&self, name: &str) -> PathBuf {
        self.path(&format!("{}.key", file(name)))
    }

    /// CA, certificate, key of the good server.
    pub(super) fn server_files(&self) -> [PathBuf; 3] {
        [self.path("ca.crt"), self.crt("server"), self.key("server")]
    }

    fn openssl(&self, args: &[&str]) -> Result<()> {
        run(Command::new("openssl").args(args).current_dir(&self.dir)).map(drop)
    }

    fn new_key(&self, name: &str, rsa: bool) -> Result<()> {
        let kind: &[&str] = if rsa {
            &["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"]
        } else {
            &["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]
        };
        self.openssl(&[&["genpkey", "-out", &format!("{name}.key")], kind].concat())
    }

    fn issue(
        &self,
        name: &str,
        extensions: &str,
        issuer: &str,
        args: &[&str],
        dates: Option<(&str, &str)>,
    ) -> Result<()> {
        let [key, crt, csr, ext] = ["key", "crt", "csr", "ext"].map(|end| format!("{name}.{end}"));
        fs::write(self.path(&ext), extensions)?;
        self.openssl(&["req", "-new", "-key", &key, "-subj", "/CN=localhost", "-out", &csr])?;
        if let Some((from, to)) = dates {
            // only `openssl ca` takes dates
            for (file_name, text) in [("index.txt", ""), ("serial", "1000\n"), ("ca.cnf", CA_CONFIG)] {
                fs::write(self.path(file_name), text)?;
            }
            return self.openssl(&[
                "ca",
                "-batch",
                "-notext",
                "-config",
                "ca.cnf",
                "-in",
                &csr,
                "-out",
                &crt,
                "-extfile",
                &ext,
                "-startdate",
                from,
                "-enddate",
                to,
            ]);
        }
        let signer: Vec<String> = match issuer {
            "" => vec!["-signkey".into(), key],
            _ => vec![
                "-CA".into(),
                format!("{issuer}.crt"),
                "-CAkey".into(),
                format!("{issuer}.key"),
                "-CAcreateserial".into(),
            ],
        };
        let signer: Vec<&str> = signer.iter().map(String::as_str).collect();
        self.openssl(
            &[&["x509", "-req", "-in", &csr, "-out", &crt, "-days", "30", "-extfile", &ext][..], &signer, args]
                .concat(),
        )
    }
}

const CA_CONFIG: &str = "[ca]\ndefault_ca=d\n[d]\ndatabase=index.txt\nserial=serial\nnew_certs_dir=.\ncertificate=ca.crt\nprivate_key=ca.key\ndefault_md=sha256\npolicy=p\nunique_subject=no\n[p]\ncommonName=supplied\n";

fn file(name: &str) -> String {
    name.replace(' ', "-")
}

/// A TCP port of this machine that nobody listens on.
pub(crate) fn free_port() -> Result<u16> {
    let listener = TcpListener::bind("127.0.0.1:0").context("no free port")?;
    Ok(listener.local_addr()?.port())
}
