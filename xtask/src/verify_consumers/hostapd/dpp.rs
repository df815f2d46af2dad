//! DPP (Wi-Fi Easy Connect) between two `wpa_supplicant`s over TCP, which needs no radio: one is the configurator, the
//! other is enrolled by it. Bootstrapping, authentication, configuration, and the enterprise kind with a certificate.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};

use super::super::exec::{self, text};
use super::super::pki::free_port;
use super::pairs::{Judge, pairs};
use super::peer::last_lines;
use super::{Report, Side};

const CURVES: [(&str, &str); 3] = [("P-256", "prime256v1"), ("P-384", "secp384r1"), ("P-521", "secp521r1")];
/// An access point's network that the configurator hands out: "rustcrypto" in hexadecimal.
const SSID: &str = "7275737463727970746f";
/// PKCS #9 challengePassword as `CsrAttrs` (RFC 7030), as the configurator asks for it.
const CSR_ATTRS: &str = "MAsGCSqGSIb3DQEJBw==";
const PATIENCE: Duration = Duration::from_secs(20);

pub(super) fn run(sides: &[Side], pki: &Path, work: &Path, report: &mut Report) {
    if text(Command::new("id").arg("-u")).is_ok_and(|id| id != "0") {
        report.skipped("DPP", "wpa_supplicant opens a packet socket, which only root may: run as root");
        return;
    }
    let (mut matrix, mut judge) = (Vec::new(), Judge::default());
    for (configurator, enrollee) in pairs(sides) {
        let pair = format!("{} configurator, {} enrollee", configurator.library.backend, enrollee.library.backend);
        if let Some(without) = [configurator, enrollee].into_iter().find(|side| !side.dpp) {
            report.skipped(
                format!("DPP: {pair}"),
                format!("hostap has no DPP release 2 on this {}", without.library.backend),
            );
            continue;
        }
        let mut row = vec![pair.clone()];
        let mut cell = |what: &str, exchange: &dyn Fn() -> Result<String>| {
            row.push(judge.record(report, (configurator, enrollee), (what, &pair), exchange));
        };
        for (name, curve) in CURVES {
            cell(&format!("DPP {name}"), &|| enrol(configurator, enrollee, curve, work));
        }
        cell("DPP with a certificate", &|| enterprise(configurator, enrollee, pki, work));
        cell("DPP by somebody else's code is refused", &|| stranger(configurator, enrollee, work));
        matrix.push(row);
    }
    report.table("DPP over TCP", &["exchange", "P-256", "P-384", "P-521", "certificate", "wrong code"], matrix);
}

/// One running `wpa_supplicant` on the loopback interface, without a driver.
struct Station<'a> {
    side: &'a Side,
    child: Child,
    /// Of its control socket, whose path must be short.
    dir: PathBuf,
    log: PathBuf,
}

impl<'a> Station<'a> {
    fn start(side: &'a Side, role: &str, work: &Path) -> Result<Self> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let dir = std::env::temp_dir().join(format!("rustcrypto-dpp-{}-{count}", std::process::id()));
        exec::fresh(&dir)?;
        let config = work.join(format!("dpp-{role}.conf"));
        fs::write(&config, format!("ctrl_interface={}\ndpp_config_processing=0\n", dir.display()))
            .with_context(|| format!("cannot write {}", config.display()))?;
        let log = work.join(format!("dpp-{role}-{}.log", side.library.backend));
        let out = fs::File::create(&log).with_context(|| format!("cannot write {}", log.display()))?;
        let mut command = Command::new(&side.built.wpa_supplicant);
        side.environment(&mut command);
        command.args(["-D", "none", "-i", "lo", "-d", "-c"]).arg(&config);
        let child = command.stdin(Stdio::null()).stdout(out.try_clone()?).stderr(out).spawn()?;
        let station = Self { side, child, dir, log };
        let deadline = Instant::now() + PATIENCE;
        while station.command(&["ping"]).is_err() {
            ensure!(Instant::now() < deadline, "wpa_supplicant does not answer: see {}", station.log.display());
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(station)
    }

    /// What it answers; FAIL is an error.
    fn command(&self, words: &[&str]) -> Result<String> {
        let mut command = Command::new(&self.side.built.wpa_cli);
        self.side.environment(&mut command);
        let told = text(command.arg("-p").arg(&self.dir).args(["-i", "lo"]).args(words))?;
        ensure!(!told.starts_with("FAIL"), "wpa_cli {}: {told}", words.join(" "));
        Ok(told)
    }

    fn said(&self) -> String {
        String::from_utf8_lossy(&fs::read(&self.log).unwrap_or_default()).into_owned()
    }

    /// What follows an event's name, as soon as it is there.
    fn event(&self, name: &str) -> Result<String> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let said = self.said();
            // "lo: DPP-CONFOBJ-SSID name"
            let found = said.lines().find_map(|line| line.split_once(": ")?.1.strip_prefix(name));
            if let Some(rest) = found {
                return Ok(rest.trim().to_owned());
            }
            if said.contains("DPP-FAIL") || said.contains("DPP-CONF-FAILED") || Instant::now() > deadline {
                let dpp: Vec<&str> = said.lines().filter(|line| line.contains("DPP")).collect();
                bail!("no {name}: {} (see {})", last_lines(&dpp.join("\n")), self.log.display());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// A bootstrapping key of its own: its code as other devices scan it.
    fn code(&self, curve: &str) -> Result<String> {
        let id = self.command(&["dpp_bootstrap_gen", "type=qrcode", &format!("curve={curve}")])?;
        self.command(&["dpp_bootstrap_get_uri", &id])
    }

    /// Listen for whoever wants to be enrolled; `conf` is what they get.
    fn configure(&self, curve: &str, conf: &str) -> Result<u16> {
        let id = self.command(&["dpp_configurator_add", &format!("curve={curve}")])?;
        self.command(&["set", "dpp_configurator_params", &format!(" configurator={id} {conf}")])?;
        let port = free_port()?;
        self.command(&["dpp_controller_start", &format!("tcp_port={port}")])?;
        Ok(port)
    }

    fn ask(&self, code: &str, port: u16) -> Result<()> {
        let peer = self.command(&["dpp_qr_code", code])?;
        let (peer, port) = (format!("peer={peer}"), format!("tcp_port={port}"));
        // hostap wants a channel even where no radio has one
        self.command(&["dpp_auth_init", &peer, "role=enrollee", "neg_freq=2412", "tcp_addr=127.0.0.1", &port]).map(drop)
    }
}

impl Drop for Station<'_> {
    fn drop(&mut self) {
        // It may have ended already; what is left behind is a socket in the temporary folder.
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.dir);
    }
}

fn start<'a>(configurator: &'a Side, enrollee: &'a Side, work: &Path) -> Result<(Station<'a>, Station<'a>)> {
    Ok((Station::start(configurator, "configurator", work)?, Station::start(enrollee, "enrollee", work)?))
}

/// The enrollee's own code checks the connector's signature before it tells of it.
fn enrol(configurator: &Side, enrollee: &Side, curve: &str, work: &Path) -> Result<String> {
    let (configurator, enrollee) = start(configurator, enrollee, work)?;
    let port = configurator.configure(curve, &format!("conf=sta-dpp ssid={SSID}"))?;
    enrollee.ask(&configurator.code(curve)?, port)?;
    configurator.event("DPP-AUTH-SUCCESS")?;
    configurator.event("DPP-CONF-SENT")?;
    enrollee.event("DPP-CONF-RECEIVED")?;
    let connector = enrollee.event("DPP-CONNECTOR")?;
    ensure!(connector.split('.').count() == 3, "no connector: {connector}");
    enrollee.event("DPP-C-SIGN-KEY")?;
    enrollee.event("DPP-NET-ACCESS-KEY")?;
    Ok(format!("a connector of {} characters", connector.len()))
}

/// A certificate request, which openssl(1) signs, and the bag it comes back in.
fn enterprise(configurator: &Side, enrollee: &Side, pki: &Path, work: &Path) -> Result<String> {
    let (configurator, enrollee) = start(configurator, enrollee, work)?;
    let port = configurator.configure("prime256v1", &format!("conf=sta-dot1x ssid={SSID} csrattrs={CSR_ATTRS}"))?;
    enrollee.ask(&configurator.code("prime256v1")?, port)?;
    let event = configurator.event("DPP-CSR")?;
    let (peer, csr) = event.split_once(" csr=").context("DPP-CSR without a request")?;
    let dir = work.join("dpp");
    exec::fresh(&dir)?;
    let sh = |script: &str, argument: &str| {
        text(Command::new("sh").args(["-ec", script]).arg(pki).arg(argument).current_dir(&dir))
    };
    let bag = sh(
        "echo \"$1\" | openssl base64 -d -A | openssl req -inform DER -out csr.pem -verify
         openssl x509 -req -in csr.pem -out cert.pem -days 30 -CA \"$0/ca.pem\" -CAkey \"$0/ca.key\" -CAcreateserial
         openssl crl2pkcs7 -nocrl -certfile cert.pem -certfile \"$0/ca.pem\" -outform DER | openssl base64 -A",
        csr,
    )?;
    configurator.command(&["raw", &format!("DPP_CA_SET {peer} name=certBag value={bag}")])?;
    configurator.event("DPP-CONF-SENT")?;
    enrollee.event("DPP-CONF-RECEIVED")?;
    ensure!(enrollee.event("DPP-CERTBAG")? == bag, "another bag arrived than was sent");
    Ok("request signed by openssl, certificates delivered".into())
}

/// Who scanned a code that is not this configurator's gets no answer.
fn stranger(configurator: &Side, enrollee: &Side, work: &Path) -> Result<String> {
    let (configurator, enrollee) = start(configurator, enrollee, work)?;
    let port = configurator.configure("prime256v1", &format!("conf=sta-dpp ssid={SSID}"))?;
    enrollee.ask(&enrollee.code("prime256v1")?, port)?;
    // its own words when it has seen the request
    let deadline = Instant::now() + PATIENCE;
    while !configurator.said().contains("No matching own bootstrapping key found") {
        ensure!(Instant::now() < deadline, "the request was not seen: see {}", configurator.log.display());
        std::thread::sleep(Duration::from_millis(20));
    }
    ensure!(!enrollee.said().contains("DPP-AUTH-SUCCESS"), "authenticated all the same");
    Ok("no answer".into())
}
