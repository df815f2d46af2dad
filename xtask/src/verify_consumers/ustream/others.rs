//! ustream-ssl's own examples on our library, and how large `libustream-ssl.so` is on each of the libraries it knows.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use super::super::Report;
use super::super::exec::{Server, copy_with_glue, run};
use super::super::pki::free_port;

/// (name, switch of its CMake, a header, where that comes from)
const OTHERS: [(&str, &[&str], &str, &str); 3] = [
    ("openssl", &[], "openssl/ssl.h", "libssl-dev"),
    ("wolfssl", &["-DWOLFSSL=on"], "wolfssl/options.h", "libwolfssl-dev"),
    ("mbedtls", &["-DMBEDTLS=on"], "mbedtls/ssl.h", "libmbedtls-dev"),
];

/// `ours` is our `libustream-ssl.so`, `source` the upstream tree, `prefix` where libubox is.
pub(super) fn sizes(ours: &Path, source: &Path, prefix: &Path, work: &Path, report: &mut Report) {
    let mut rows = Vec::new();
    match stripped(ours, work) {
        Ok(bytes) => rows.push(vec!["rustcrypto".to_owned(), bytes.to_string()]),
        Err(error) => report.failed("its size", format!("{error:#}")),
    }
    for (name, switch, header, package) in OTHERS {
        let check = format!("libustream-ssl.so on {name}, for its size");
        if !Path::new("/usr/include").join(header).is_file() {
            report.skipped(check, format!("its development files are not installed: apt-get install {package}"));
            continue;
        }
        match build(source, prefix, &work.join(format!("ustream-ssl-{name}")), switch) {
            Ok(bytes) => rows.push(vec![name.to_owned(), bytes.to_string()]),
            Err(error) => report.failed(check, format!("{error:#}")),
        }
    }
    report.table("libustream-ssl.so without symbols, without the library, bytes (host)", &["backend", "bytes"], rows);
}

fn build(source: &Path, prefix: &Path, copy: &Path, switch: &[&str]) -> Result<u64> {
    copy_with_glue(source, copy, None)?;
    let build = copy.join("build");
    let mut cmake = Command::new("cmake");
    cmake.arg("-S").arg(copy).arg("-B").arg(&build).arg("-DCMAKE_BUILD_TYPE=Release").args(switch);
    // newer compilers warn about code that is not ours
    cmake.arg(format!("-DCMAKE_C_FLAGS=-I{}/include -Wno-error", prefix.display()));
    run(cmake.arg(format!("-DCMAKE_PREFIX_PATH={}", prefix.display())))?;
    run(Command::new("cmake").arg("--build").arg(&build).args(["--target", "ustream-ssl"]))?;
    stripped(&build.join("libustream-ssl.so"), copy)
}

fn stripped(library: &Path, work: &Path) -> Result<u64> {
    let out = work.join("libustream-ssl.stripped");
    run(Command::new("strip").arg("-o").arg(&out).arg(library))?;
    Ok(fs::metadata(&out)?.len())
}

/// The two example programs of a built tree, which has their certificate, talk to each other.
pub(super) fn examples(tree: &Path) -> Result<String> {
    let port = free_port()?.to_string();
    let mut server = Command::new(tree.join("build/ustream-example-server"));
    let _server = Server::start(server.args(["-p", &port]).current_dir(tree), port.parse()?)?;
    let mut client = Command::new("sh");
    client.args(["-c", "(printf 'GET / HTTP/1.0\\r\\n\\r\\n'; sleep 1) | timeout 20 \"$0\" 127.0.0.1 \"$1\" 2>&1"]);
    client.arg(tree.join("build/ustream-example-client")).arg(&port);
    let done = client.output().context("cannot run the example client")?;
    let said = String::from_utf8_lossy(&done.stdout).into_owned();
    ensure!(said.contains("SSL connection established"), "no connection: {said}");
    ensure!(said.contains("Got request header: GET / HTTP/1.0"), "no answer: {said}");
    Ok("request answered".into())
}
