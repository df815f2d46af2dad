//! The real programs: libubox, ustream-ssl, uhttpd and uclient-fetch, built from `--sources DIR` for the host.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};

use super::super::exec::{Server, copy_with_glue, output, run, source};
use super::super::pki::{self, BAD, Pki};
use super::super::{Context, Report};
use super::others;
use super::peers::{self, BIG, DATA};
use crate::consumers::Library;
use crate::sources::have;

/// (name, a file that is in it)
const TREES: [(&str, &str); 4] =
    [("libubox", "ustream.c"), ("ustream-ssl", "ustream-ssl.c"), ("uhttpd", "tls.c"), ("uclient", "uclient-fetch.c")];

pub(super) fn check(context: &Context, library: &Library, pki: &Pki, work: &Path, report: &mut Report) -> Result<()> {
    let what = "uhttpd, uclient-fetch on the real libubox and ustream-ssl";
    let mut trees = Vec::new();
    for (name, mark) in TREES {
        match source(&context.sources, name, mark, &format!("https://git.openwrt.org/project/{name}.git")) {
            Ok(tree) => trees.push(tree),
            Err(how) => {
                report.skipped(what, how);
                return Ok(());
            }
        }
    }
    if !have("cmake") || !Path::new("/usr/include/json-c/json.h").exists() {
        report.skipped(what, "cmake or json-c is not here: apt-get install cmake libjson-c-dev");
        return Ok(());
    }
    let real = Real {
        prefix: work.join("prefix"),
        lib: library.lib.clone().context("no library")?,
        pki,
        dir: work.join("www"),
    };
    report.record("they build, ustream-ssl with its own flags", real.build(&trees, library, work));
    if !real.prefix.join("bin/uclient-fetch").exists() {
        return Ok(());
    }
    report.record("ustream-ssl's own examples", others::examples(&work.join("ustream-ssl")));
    let ours = real.prefix.join("lib/libustream-ssl.so");
    others::sizes(&ours, &trees[1], &real.prefix, work, report);
    peers::write_files(&real.dir)?;
    real.uclient(report);
    real.uhttpd(report);
    Ok(())
}

/// How often a bad certificate is offered until uclient-fetch ends as it should.
const TRIES: u32 = 20;

struct Real<'a> {
    prefix: PathBuf,
    lib: PathBuf,
    pki: &'a Pki,
    /// What the servers serve.
    dir: PathBuf,
}

impl Real<'_> {
    fn build(&self, trees: &[PathBuf], library: &Library, work: &Path) -> Result<String> {
        let include = library.include.as_deref().context("no headers")?;
        for (index, (name, _)) in TREES.iter().enumerate() {
            let copy = work.join(name);
            copy_with_glue(&trees[index], &copy, (*name == "ustream-ssl").then_some("ustream-ssl"))?;
            let flags = match *name {
                "ustream-ssl" => format!("-I{} -I{}/include", include.display(), self.prefix.display()),
                // newer compilers warn about code that is not ours
                _ => format!("-I{}/include -Wno-stringop-overread", self.prefix.display()),
            };
            let mut cmake = Command::new("cmake");
            cmake.arg("-S").arg(&copy).arg("-B").arg(copy.join("build")).arg("-DCMAKE_BUILD_TYPE=Release");
            cmake.args([
                "-DRUSTCRYPTO=on",
                "-DBUILD_LUA=OFF",
                "-DBUILD_EXAMPLES=OFF",
                "-DUNIT_TESTING=OFF",
                "-DBUILD_UCODE=OFF",
            ]);
            cmake.args(["-DLUA_SUPPORT=OFF", "-DUBUS_SUPPORT=OFF", "-DUCODE_SUPPORT=OFF", "-DTLS_SUPPORT=ON"]);
            cmake.arg(format!("-DCMAKE_C_FLAGS={flags}"));
            cmake.arg(format!(
                "-DCMAKE_PREFIX_PATH={};{}",
                self.prefix.display(),
                self.lib.parent().unwrap_or(&self.lib).display()
            ));
            cmake.arg(format!("-DCMAKE_INSTALL_RPATH={}/lib;{}", self.prefix.display(), self.lib.display()));
            run(cmake.arg(format!("-DCMAKE_INSTALL_PREFIX={}", self.prefix.display())))?;
            run(Command::new("cmake").arg("--build").arg(copy.join("build")))?;
            run(Command::new("cmake").arg("--install").arg(copy.join("build")))?;
        }
        Ok("as OpenWrt builds them".into())
    }

    /// uclient-fetch: (exit status, what it said). The file is at `out`.
    fn fetch(&self, url: &str, args: &[&str]) -> Result<(Option<i32>, String)> {
        let out = self.dir.join("out");
        let _ = fs::remove_file(&out);
        let done = output(
            Command::new("timeout")
                .arg("120")
                .arg(self.prefix.join("bin/uclient-fetch"))
                .args(args)
                .arg("-O")
                .arg(&out)
                .arg(url),
        )?;
        Ok((done.status.code(), String::from_utf8_lossy(&done.stderr).into_owned()))
    }

    fn fetched(&self, url: &str, args: &[&str], file: &str) -> Result<()> {
        let (status, said) = self.fetch(url, args)?;
        ensure!(status == Some(0), "{url}: exit status {status:?}: {said}");
        ensure!(fs::read(self.dir.join("out"))? == fs::read(self.dir.join(file))?, "{url}: what came is not {file}");
        Ok(())
    }

    fn uclient(&self, report: &mut Report) {
        let ca = format!("--ca-certificate={}", self.pki.path("ca.crt").display());
        for (name, start) in [("nginx", peers::nginx as peers::Start), ("lighttpd", peers::lighttpd)] {
            if !have(name) {
                report.skipped(
                    format!("uclient-fetch from {name}"),
                    format!("{name} is not here: apt-get install {name}"),
                );
                continue;
            }
            for version in ["1.2", "1.3"] {
                let check = format!(
                    "uclient-fetch from {name}, TLS {version}: a file, chunked, 100 MB, a redirect to another host"
                );
                report.record(
                    check,
                    start(&self.dir, self.pki, "server", version).and_then(|server| self.downloads(&server, &ca, name)),
                );
            }
        }
        for version in ["-tls1_2", "-tls1_3"] {
            report.record(
                format!("uclient-fetch from openssl s_server {version}"),
                self.download_from_s_server("server", version, &ca),
            );
        }
        for bad in BAD {
            let check = format!(
                "uclient-fetch, certificate {}: exit status 5 and a reason; fetched with --no-check-certificate",
                bad.name
            );
            report.record(check, self.bad(bad.name, &ca));
        }
    }

    fn downloads(&self, server: &Server, ca: &str, name: &str) -> Result<String> {
        let url = |host: &str, path: &str| format!("https://{host}:{}/{path}", server.port);
        self.fetched(&url("localhost", DATA), &[ca], DATA)?;
        self.fetched(&url("127.0.0.1", DATA), &[ca], DATA)?;
        self.fetched(&url("localhost", BIG), &[ca], BIG)?;
        self.fetched(&url("localhost", "elsewhere"), &[ca], DATA)?;
        if name == "nginx" {
            self.fetched(&url("localhost", "chunked/data.html"), &[ca], "chunked/data.html")?;
        }
        Ok(format!(
            "{} bytes and {} bytes",
            fs::metadata(self.dir.join(DATA))?.len(),
            fs::metadata(self.dir.join(BIG))?.len()
        ))
    }

    fn s_server(&self, certificate: &str, args: &[&str]) -> Result<Server> {
        let port = pki::free_port()?;
        let mut command = Command::new("openssl");
        // -HTTP: the file is the whole answer, header included
        command
            .args(["s_server", "-HTTP", "-quiet", "-accept"])
            .arg(port.to_string())
            .args(args)
            .current_dir(&self.dir);
        command.arg("-cert").arg(self.pki.crt(certificate)).arg("-key").arg(self.pki.key(certificate));
        let chain = self.pki.path(&format!("{certificate}.chain"));
        if chain.exists() {
            command.arg("-cert_chain").arg(chain);
        }
        Server::start(&mut command, port)
    }

    fn download_from_s_server(&self, certificate: &str, version: &str, ca: &str) -> Result<String> {
        let server = self.s_server(certificate, &[version])?;
        self.fetched(&format!("https://localhost:{}/answer", server.port), &[ca], DATA)?;
        Ok("fetched".into())
    }

    fn bad(&self, certificate: &str, ca: &str) -> Result<String> {
        let server = self.s_server(certificate, &["-cipher", "DEFAULT:@SECLEVEL=0"])?;
        let url = format!("https://localhost:{}/answer", server.port);
        // A handshake that is over before the request was handed over makes uclient-fetch say "Failed to send request"
        // and end with 4, on every backend. Whenever it is not, it must be 5.
        let mut told = None;
        for _ in 0..TRIES {
            let (status, said) = self.fetch(&url, &[ca])?;
            ensure!(matches!(status, Some(4 | 5)), "exit status {status:?}: {said}");
            let arrived = fs::metadata(self.dir.join("out")).map_or(0, |meta| meta.len());
            ensure!(arrived == 0, "{arrived} bytes were written: {said}");
            if status == Some(5) {
                told = Some(said);
                break;
            }
        }
        let said = told.with_context(|| format!("never exit status 5 in {TRIES} tries"))?;
        self.fetched(&url, &["--no-check-certificate"], DATA)?;
        let reason = said
            .lines()
            .find(|line| line.contains("verify error") || line.contains("mismatch") || line.contains("does not match"));
        Ok(reason.unwrap_or("told by exit status and uclient-fetch's own text").to_owned())
    }

    fn uhttpd(&self, report: &mut Report) {
        for kind in ["server", "rsa"] {
            let server = match self.start_uhttpd(kind, &[]) {
                Ok(server) => server,
                Err(error) => {
                    report.failed(format!("uhttpd with a {kind} key starts"), format!("{error:#}"));
                    continue;
                }
            };
            if have("curl") {
                report.record(
                    format!("curl from uhttpd, {kind} key: TLS 1.2 and 1.3, 100 MB, 40 connections, 1.1 refused"),
                    self.curl(&server),
                );
            } else {
                report.skipped("curl from uhttpd", "curl is not here: apt-get install curl");
            }
            let url = format!("https://localhost:{}/{DATA}", server.port);
            let ca = format!("--ca-certificate={}", self.pki.path("ca.crt").display());
            report.record(
                format!("uclient-fetch from uhttpd, {kind} key"),
                self.fetched(&url, &[&ca], DATA).map(|()| "rustcrypto on both sides".into()),
            );
            report.record(
                format!("uclient-fetch from uhttpd that hangs up after each answer, {kind} key: small files, 20 times"),
                self.hung_up(kind, &ca),
            );
            if have("chromium") {
                report.record(format!("Chromium shows a page of uhttpd, {kind} key"), self.chromium(&server, kind));
            } else {
                report.skipped("Chromium from uhttpd", "chromium is not here: apt-get install chromium");
            }
        }
    }

    /// uhttpd closes without `close_notify`: what came whole is no failure for that.
    fn hung_up(&self, kind: &str, ca: &str) -> Result<String> {
        let server = self.start_uhttpd(kind, &["-k", "0"])?;
        for bytes in (1..=20).map(|n| n * n) {
            fs::write(self.dir.join("small"), vec![b'x'; bytes])?;
            self.fetched(&format!("https://localhost:{}/small", server.port), &[ca], "small")?;
        }
        Ok("exit status 0, every byte".into())
    }

    fn start_uhttpd(&self, kind: &str, args: &[&str]) -> Result<Server> {
        let port = pki::free_port()?;
        let mut command = Command::new(self.prefix.join("bin/uhttpd"));
        command.args(args).args(["-f", "-n", "60", "-s"]).arg(format!("127.0.0.1:{port}")).arg("-h").arg(&self.dir);
        Server::start(command.arg("-C").arg(self.pki.crt(kind)).arg("-K").arg(self.pki.key(kind)), port)
    }

    fn curl(&self, server: &Server) -> Result<String> {
        let base = format!("https://localhost:{}", server.port);
        let curl = |args: &[&str]| {
            let mut command = Command::new("curl");
            run(command
                .args(["--silent", "--show-error", "--fail", "--max-time", "120", "--cacert"])
                .arg(self.pki.path("ca.crt"))
                .args(args))
        };
        let data = fs::read(self.dir.join(DATA))?;
        for version in [&["--tlsv1.2", "--tls-max", "1.2"][..], &["--tlsv1.3"]] {
            ensure!(
                curl(&[version, &[&format!("{base}/{DATA}")]].concat())? == data,
                "{version:?}: what came is not {DATA}"
            );
            let big = curl(&[version, &[&format!("{base}/{BIG}")]].concat())?;
            ensure!(big == fs::read(self.dir.join(BIG))?, "{version:?}: what came is not {BIG}");
        }
        let many = format!("{base}/{DATA}?[1-40]");
        let all = curl(&["--parallel", "--parallel-max", "20", &many, "--output", "/dev/null"]);
        all.context("40 requests at a time")?;
        if curl(&["--tls-max", "1.1", "--tlsv1.0", "--ciphers", "ALL:@SECLEVEL=0", &format!("{base}/{DATA}")]).is_ok() {
            bail!("TLS 1.1 was accepted");
        }
        Ok("as it should be".into())
    }

    /// The page is shown because its certificate is the one Chromium was told to take, by the hash of its key.
    fn chromium(&self, server: &Server, kind: &str) -> Result<String> {
        let spki = run(Command::new("sh").arg("-c").arg(
            "openssl x509 -in \"$0\" -pubkey -noout | openssl pkey -pubin -outform DER | openssl dgst -sha256 -binary | base64",
        ).arg(self.pki.crt(kind)))?;
        let profile = self.dir.join("chromium");
        let page = run(Command::new("timeout")
            .arg("90")
            .args(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"])
            .arg(format!("--user-data-dir={}", profile.display()))
            .arg(format!("--ignore-certificate-errors-spki-list={}", String::from_utf8_lossy(&spki).trim()))
            .arg(format!("https://localhost:{}/page.html", server.port)))?;
        ensure!(
            String::from_utf8_lossy(&page).contains("served by uhttpd"),
            "the page: {}",
            String::from_utf8_lossy(&page)
        );
        Ok("page shown".into())
    }
}
