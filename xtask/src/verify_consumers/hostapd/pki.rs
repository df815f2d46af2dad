//! Certificates for the EAP checks, made by the openssl program: none of them by the library under test.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use super::peer::last_lines;

const EXTENSIONS: &str = "\
[ca]\nbasicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign,cRLSign\n\
[server]\nbasicConstraints=CA:FALSE\nkeyUsage=critical,digitalSignature\nextendedKeyUsage=serverAuth\n\
subjectAltName=DNS:radius.example\n\
[client]\nbasicConstraints=CA:FALSE\nkeyUsage=critical,digitalSignature\nextendedKeyUsage=clientAuth\n";

/// What Suite B 192 asks for.
const P384: [&str; 4] = ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384"];
const RSA: [&str; 4] = ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:3072"];

/// ca, other-ca, server and client (P-384), client-rsa, other-client: `NAME.pem` and `NAME.key` in one folder.
pub(super) fn make(folder: &Path) -> Result<PathBuf> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    fs::write(folder.join("ext.cnf"), EXTENSIONS)?;
    for ca in ["ca", "other-ca"] {
        key(folder, ca, P384)?;
        let (own, subject) = (format!("{ca}.key"), format!("/CN=Test {ca}"));
        request(folder, ca, &subject)?;
        sign(folder, ca, "ca", &["-signkey", &own])?;
    }
    let leaves = [
        ("server", P384, "server", "ca"),
        ("client", P384, "client", "ca"),
        ("client-rsa", RSA, "client", "ca"),
        ("other-client", P384, "client", "other-ca"),
    ];
    for (name, algorithm, extension, ca) in leaves {
        key(folder, name, algorithm)?;
        request(folder, name, &format!("/CN={name}"))?;
        let (cert, issuer) = (format!("{ca}.pem"), format!("{ca}.key"));
        sign(folder, name, extension, &["-CA", &cert, "-CAkey", &issuer, "-CAcreateserial"])?;
    }
    Ok(folder.to_path_buf())
}

fn key(folder: &Path, name: &str, algorithm: [&str; 4]) -> Result<()> {
    let file = format!("{name}.key");
    openssl(folder, &[&["genpkey", "-out", &file][..], &algorithm].concat())
}

fn request(folder: &Path, name: &str, subject: &str) -> Result<()> {
    let (key, csr) = (format!("{name}.key"), format!("{name}.csr"));
    openssl(folder, &["req", "-new", "-key", &key, "-out", &csr, "-subj", subject])
}

fn sign(folder: &Path, name: &str, extension: &str, by: &[&str]) -> Result<()> {
    let (csr, pem) = (format!("{name}.csr"), format!("{name}.pem"));
    let fixed = [
        "x509",
        "-req",
        "-sha384",
        "-in",
        &csr,
        "-out",
        &pem,
        "-days",
        "30",
        "-extfile",
        "ext.cnf",
        "-extensions",
        extension,
    ];
    openssl(folder, &[&fixed[..], by].concat())
}

fn openssl(folder: &Path, args: &[&str]) -> Result<()> {
    let output = Command::new("openssl")
        .args(args)
        .current_dir(folder)
        .output()
        .context("cannot run openssl, which makes the test certificates: apt-get install openssl")?;
    if !output.status.success() {
        bail!("openssl {}: {}", args[0], last_lines(&String::from_utf8_lossy(&output.stderr)));
    }
    Ok(())
}
