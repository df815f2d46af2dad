//! Web servers on other TLS libraries, with the same files.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result};

use super::super::exec::Server;
use super::super::pki::{Pki, free_port};

pub(super) const DATA: &str = "data";
/// 100 MB.
pub(super) const BIG: &str = "big";
const BIG_BYTES: usize = 100_000_000;

/// Start a server on the files of a folder, with a certificate, for one TLS version.
pub(super) type Start = fn(&Path, &Pki, &str, &str) -> Result<Server>;

pub(super) fn write_files(dir: &Path) -> Result<()> {
    fs::create_dir_all(dir.join("chunked")).with_context(|| format!("cannot make {}", dir.display()))?;
    let pattern: Vec<u8> = (0..BIG_BYTES).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let data = &pattern[..300_007];
    fs::write(dir.join(DATA), data)?;
    let header = format!("HTTP/1.0 200 OK\r\nContent-Length: {}\r\n\r\n", data.len());
    fs::write(dir.join("answer"), [header.as_bytes(), data].concat())?;
    fs::write(dir.join(BIG), &pattern)?;
    fs::write(dir.join("chunked/data.html"), "text\n".repeat(100_000))?;
    fs::write(dir.join("page.html"), "<html><body>served by uhttpd</body></html>\n")?;
    Ok(())
}

pub(super) fn nginx(dir: &Path, pki: &Pki, certificate: &str, version: &str) -> Result<Server> {
    let port = free_port()?;
    let state = dir.with_extension("nginx");
    fs::create_dir_all(&state)?;
    let (crt, key, state_shown, root) = (pki.crt(certificate), pki.key(certificate), state.display(), dir.display());
    let temporary: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map(|name| format!("{name}_temp_path {state_shown}/{name};\n"))
        .concat();
    // server-side includes make the length unknown beforehand, so the answer is chunked
    let text = format!(
        "daemon off;\nmaster_process off;\npid {state_shown}/pid;\nerror_log {state_shown}/error.log;\nevents {{}}\nhttp {{\naccess_log off;\n{temporary}server {{
         listen 127.0.0.1:{port} ssl;\nssl_certificate {};\nssl_certificate_key {};\nssl_protocols TLSv{version};\nroot {root};
         location /chunked/ {{ ssi on; }}\nlocation = /elsewhere {{ return 302 https://127.0.0.1:{port}/{DATA}; }}\n}}\n}}\n",
        crt.display(),
        key.display()
    );
    let config = state.join("conf");
    fs::write(&config, text)?;
    Server::start(Command::new("nginx").arg("-e").arg(state.join("error.log")).arg("-c").arg(config), port)
}

pub(super) fn lighttpd(dir: &Path, pki: &Pki, certificate: &str, version: &str) -> Result<Server> {
    let port = free_port()?;
    let text = format!(
        "server.modules = (\"mod_redirect\", \"mod_openssl\")\nserver.document-root = \"{}\"\nserver.bind = \"127.0.0.1\"\nserver.port = {port}
         ssl.engine = \"enable\"\nssl.pemfile = \"{}\"\nssl.privkey = \"{}\"
         ssl.openssl.ssl-conf-cmd = (\"MinProtocol\" => \"TLSv{version}\", \"MaxProtocol\" => \"TLSv{version}\")
         url.redirect = (\"^/elsewhere$\" => \"https://127.0.0.1:{port}/{DATA}\")\n",
        dir.display(),
        pki.crt(certificate).display(),
        pki.key(certificate).display()
    );
    let config = dir.with_extension("lighttpd");
    fs::write(&config, text)?;
    Server::start(Command::new("lighttpd").arg("-D").arg("-f").arg(config), port)
}
