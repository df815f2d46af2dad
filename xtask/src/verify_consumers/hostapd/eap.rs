//! EAP: hostapd's own RADIUS server on one backend, `eapol_test` (`wpa_supplicant`'s EAP peer) on another.

use std::fs;
use std::net::UdpSocket;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use serde::Deserialize;

use super::super::exec;
use super::pairs::{Judge, pairs};
use super::peer::last_lines;
use super::{Report, Side};
use crate::consumers::Backend;
use crate::root::root;

const SECRET: &str = "radius";
const USERS: &str = "\"0\"* AKA\n\"1\"* SIM\n\"2\"* AKA\n\"3\"* SIM\n\"4\"* AKA\n\"5\"* SIM\n\"6\"* AKA'\n\"7\"* AKA'\n\"8\"* AKA'\n\
    \"md5\" MD5 \"secret\"\n\"mschap\" MSCHAPV2 \"secret\"\n\"pwd\" PWD \"secret\"\n\"client\" TLS\n\
    \"ttls\" TTLS\n\"peap\" PEAP\n\"user\" TTLS-MSCHAPV2,TTLS-PAP,MSCHAPV2,GTC \"secret\" [2]\n";

/// IMSI, Ki, `OPc`, AMF, SQN: test sets 20 and 19 of 3GPP TS 35.208 (AKA' wants the separation bit of the second's AMF).
const SIMS: &str = "\
232010000000000 90dca4eda45b53cf0f12d7c9c3bc6a89 cb9cccc4b9258e6dca4760379fb82581 61df 000000000000\n\
555444333222111 5122250214c33e723a5dd523fc145fc0 981d464c7c52eb6e5036234984ad0bcf c3ab 16f3b3f70fc1\n";

/// patches/hostapd/tests/eap.toml
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Cases {
    method: Vec<Case>,
    refused: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Case {
    name: String,
    network: String,
    /// Whether the method derives keys that must be the same on both ends.
    #[serde(default = "yes")]
    keys: bool,
    /// Whether `FreeRADIUS` is tried too.
    #[serde(default = "yes")]
    freeradius: bool,
    /// Only with a peer on this backend, and rustcrypto on the other end.
    peer: Option<String>,
    /// What the side on rustcrypto must say when it refuses.
    says: Option<String>,
}

fn yes() -> bool {
    true
}

pub(super) fn run(sides: &[Side], pki: &Path, work: &Path, report: &mut Report) -> Result<()> {
    let file = root().join("patches/hostapd/tests/eap.toml");
    let text = fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
    let cases: Cases = toml::from_str(&text).with_context(|| format!("{} is not as it should be", file.display()))?;
    let mut header = vec!["EAP".to_owned()];
    let mut matrix: Vec<Vec<String>> = cases.method.iter().map(|case| vec![case.name.clone()]).collect();
    let mut judge = Judge::default();
    let mut running = Vec::new();
    for side in sides {
        let home = Home::start(side, work)?;
        running.push((Server::start(side, pki, work, &home.socket)?, home));
    }
    for (server, peer) in pairs(sides) {
        let pair = format!("{} server, {} peer", server.library.backend, peer.library.backend);
        header.push(pair.replace(" server, ", " <- ").replace(" peer", ""));
        let at = sides.iter().position(|side| side.library.backend == server.library.backend);
        let (radius, home) = &mut running[at.context("a pair of other sides")?];
        for (case, row) in cases.method.iter().zip(&mut matrix) {
            let authenticate = || {
                // one that fell over in the exchange before, which was told there
                if radius.ended() {
                    *radius = Server::start(server, pki, work, &home.socket)?;
                }
                radius.authenticate(peer, pki, case, true)
            };
            row.push(judge.record(report, (server, peer), (&format!("EAP-{}", case.name), &pair), authenticate));
        }
        for case in cases.refused.iter().filter(|case| case.applies(server, peer)) {
            let result = radius.authenticate(peer, pki, case, false);
            report.record(format!("EAP refuses {}: {pair}", case.name), result);
        }
    }
    freeradius(sides, &cases, pki, work, report);
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    report.table("EAP, hostapd's RADIUS server <- eapol_test", &header, matrix);
    Ok(())
}

/// The same methods against `FreeRADIUS`: a server that shares no code with hostapd.
fn freeradius(sides: &[Side], cases: &Cases, pki: &Path, work: &Path, report: &mut Report) {
    match Server::start_freeradius(pki, work) {
        Ok(None) => report.skipped("EAP with FreeRADIUS", "not installed: apt-get install freeradius"),
        Err(error) => report.failed("EAP with FreeRADIUS", format!("{error:#}")),
        Ok(Some(server)) => {
            for case in cases.method.iter().filter(|case| case.freeradius) {
                report.record(
                    format!("EAP-{}: FreeRADIUS server, rustcrypto peer", case.name),
                    server.authenticate(&sides[0], pki, case, true),
                );
            }
        }
    }
}

impl Case {
    fn applies(&self, server: &Side, peer: &Side) -> bool {
        let ours = [server, peer].iter().any(|side| side.library.backend == Backend::RustCrypto);
        match &self.peer {
            None => ours,
            Some(name) => {
                peer.library.backend.name() == name
                    && (name == "rustcrypto" || server.library.backend == Backend::RustCrypto)
            }
        }
    }
}

/// A port that was free a moment ago.
fn free_port() -> Result<u16> {
    Ok(UdpSocket::bind("127.0.0.1:0")?.local_addr()?.port())
}

/// hostap's simulated home operator, which knows the SIMs' keys.
struct Home {
    child: Child,
    /// A Unix socket, whose path must be short.
    socket: PathBuf,
}

impl Home {
    fn start(side: &Side, work: &Path) -> Result<Self> {
        let folder = side.built.tree.join("hostapd");
        exec::run(Command::new("nice").args(["make", "-j2", "hlr_auc_gw"]).current_dir(&folder))?;
        let sims = work.join("milenage");
        fs::write(&sims, SIMS).with_context(|| format!("cannot write {}", sims.display()))?;
        let socket =
            std::env::temp_dir().join(format!("rustcrypto-hlr-{}-{}", side.library.backend, std::process::id()));
        let mut command = Command::new(folder.join("hlr_auc_gw"));
        side.environment(&mut command);
        command.arg("-m").arg(&sims).arg("-s").arg(&socket);
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        let home = Self { child, socket };
        for _ in 0..100 {
            if home.socket.exists() {
                return Ok(home);
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        bail!("hlr_auc_gw did not come up in 5 s")
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        // It may have ended already, and then taken its socket with it.
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_file(&self.socket);
    }
}

/// A RADIUS server on the loopback interface. Ends when dropped.
struct Server {
    child: Child,
    port: u16,
    log: PathBuf,
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already; both calls then only say so.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server {
    /// hostapd with no radio, its RADIUS server on a backend.
    fn start(side: &Side, pki: &Path, work: &Path, home: &Path) -> Result<Self> {
        let port = free_port()?;
        let folder = work.join(format!("radius-{}", side.library.backend));
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let pki = pki.display();
        let (users, clients, config) = (folder.join("users"), folder.join("clients"), folder.join("hostapd.conf"));
        fs::write(&users, USERS)?;
        fs::write(&clients, format!("127.0.0.1/32 {SECRET}\n"))?;
        let text = format!(
            "driver=none\ninterface=radius\nlogger_stdout=-1\nlogger_stdout_level=0\neap_server=1\neap_user_file={}\n\
             radius_server_clients={}\nradius_server_auth_port={port}\nca_cert={pki}/ca.pem\n\
             server_cert={pki}/server.pem\nprivate_key={pki}/server.key\ntls_flags=[ENABLE-TLSv1.3]\n\
             eap_sim_db=unix:{}\n",
            users.display(),
            clients.display(),
            home.display()
        );
        fs::write(&config, text)?;
        let mut command = Command::new(&side.built.hostapd);
        side.environment(&mut command);
        command.arg("-dd").arg(&config);
        Server::spawn(command, port, folder.join("hostapd.log"))
    }

    /// `FreeRADIUS`, if it is installed.
    fn start_freeradius(pki: &Path, work: &Path) -> Result<Option<Self>> {
        let Some(program) = ["/usr/sbin/freeradius", "/usr/sbin/radiusd"].into_iter().find(|p| Path::new(p).is_file())
        else {
            return Ok(None);
        };
        let port = free_port()?;
        let folder = work.join("radius-freeradius");
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let template = root().join("patches/hostapd/tests/freeradius.conf");
        let text = fs::read_to_string(&template).with_context(|| format!("cannot read {}", template.display()))?;
        let text = text
            .replace("PKI", &pki.display().to_string())
            .replace("DIR", &folder.display().to_string())
            .replace("PORT", &port.to_string());
        fs::write(folder.join("radiusd.conf"), text)?;
        let users = ["user", "md5", "mschap", "pwd"].map(|user| format!("{user} Cleartext-Password := \"secret\"\n"));
        fs::write(folder.join("users"), users.concat())?;
        let mut command = Command::new(program);
        command.arg("-X").arg("-d").arg(&folder);
        Server::spawn(command, port, folder.join("freeradius.log")).map(Some)
    }

    fn spawn(mut command: Command, port: u16, log: PathBuf) -> Result<Self> {
        let out = fs::File::create(&log).with_context(|| format!("cannot write {}", log.display()))?;
        let child = command.stdin(Stdio::null()).stdout(out.try_clone()?).stderr(out).spawn()?;
        let mut server = Server { child, port, log };
        server.wait_until_up()?;
        Ok(server)
    }

    fn wait_until_up(&mut self) -> Result<()> {
        for _ in 0..200 {
            std::thread::sleep(Duration::from_millis(50));
            let text = self.said(0);
            if ["AP-ENABLED", "Setup of interface done", "Ready to process requests"].iter().any(|up| text.contains(up))
            {
                return Ok(());
            }
            if let Some(status) = self.child.try_wait()? {
                bail!("the RADIUS server ended ({status}): {}", last_lines(&text));
            }
        }
        bail!("the RADIUS server did not come up in 10 s: see {}", self.log.display())
    }

    fn ended(&mut self) -> bool {
        self.child.try_wait().is_ok_and(|status| status.is_some())
    }

    /// The log from octet `from` on.
    fn said(&self, from: usize) -> String {
        let bytes = fs::read(&self.log).unwrap_or_default();
        String::from_utf8_lossy(bytes.get(from..).unwrap_or_default()).into_owned()
    }

    /// One authentication, which must end as `wanted`.
    fn authenticate(&self, peer: &Side, pki: &Path, case: &Case, wanted: bool) -> Result<String> {
        let before = self.said(0).len();
        let config = self.log.with_file_name(format!("peer-{}.conf", peer.library.backend));
        let network = case.network.replace("PKI", &pki.display().to_string());
        fs::write(&config, format!("network={{\nssid=\"test\"\nkey_mgmt=WPA-EAP\neapol_flags=0\n{network}}}\n"))?;
        let mut command = Command::new(peer.built.tree.join("wpa_supplicant/eapol_test"));
        peer.environment(&mut command);
        // -r 1: a second authentication on the same state, as a station has it every hour
        command.args(["-a", "127.0.0.1", "-s", SECRET, "-t", "8", "-r", "1", "-p", &self.port.to_string()]);
        command.arg("-c").arg(&config);
        if !case.keys {
            command.arg("-n");
        }
        let output = command.stdin(Stdio::null()).output().context("cannot run eapol_test")?;
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        let log = config.with_extension("log");
        fs::write(&log, told.as_bytes())?;
        let succeeded = output.status.success() && told.lines().last() == Some("SUCCESS");
        ensure!(
            succeeded == wanted,
            "it {}: {} (peer log {}, server log {})",
            if succeeded { "succeeded" } else { "failed" },
            told.lines().rfind(|line| line.contains("TLS: ")).unwrap_or("no word of TLS"),
            log.display(),
            self.log.display()
        );
        ensure!(output.status.code().is_some(), "eapol_test was ended by a signal: see {}", log.display());
        if let Some(says) = &case.says {
            ensure!(told.contains(says) || self.said(before).contains(says), "nobody said \"{says}\"");
        }
        Ok(if wanted { "same keys on both ends" } else { "refused" }.into())
    }
}
