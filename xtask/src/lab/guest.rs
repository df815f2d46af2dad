//! One boot in QEMU: the console streams to the terminal, a silent or panicking guest ends with its last lines.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::settings::Settings;
use super::tools::Tool;
use crate::catalogue::target::Target;

/// What to boot.
pub(super) struct Guest<'a> {
    pub(super) target: &'a Target,
    pub(super) settings: &'a Settings,
    pub(super) qemu: &'a Tool,
    pub(super) kernel: &'a Path,
    pub(super) initramfs: &'a Path,
    pub(super) squashfs: &'a Path,
    /// Folder that the guest sees as /share.
    pub(super) share: &'a Path,
    /// Script in share/guest.
    pub(super) script: &'a str,
    /// QEMU's `-plugin` argument.
    pub(super) plugin: Option<&'a str>,
    /// Host port that leads to the guest's port 443.
    pub(super) https_port: Option<u16>,
}

/// Nothing on the console for so long means that the guest hangs. The slowest step (16 handshakes at once on emulated MIPS)
/// takes a minute on a busy machine.
const SILENCE: Duration = Duration::from_secs(300);
/// A guest that says nothing from its start is started again: emulated timers are not perfect.
const BOOTS: usize = 2;
const LAST_LINES: usize = 30;
/// Runs a program that ends when our end of the shell's standard input closes, however we ended: killed, even.
const LEASH: &str = r#"exec 3<&0
"$@" </dev/null 3<&- &
program=$!
{ cat <&3; kill -9 "$program"; } >/dev/null 2>&1 &
exec 3<&-
wait "$program"
"#;
/// Said by our own scripts; the rest of the console is the kernel's.
const MARK: &str = "LAB: ";

fn leashed(tool: &Tool) -> Command {
    let plain = tool.command();
    let mut command = Command::new("sh");
    command.args(["-c", LEASH, "sh", "env"]);
    // For the program alone: its libraries are not the shell's.
    for (key, value) in plain.get_envs() {
        let mut pair = key.to_owned();
        pair.push("=");
        pair.push(value.unwrap_or_default());
        command.arg(pair);
    }
    command.arg(plain.get_program()).stdin(Stdio::piped());
    command
}

impl Guest<'_> {
    fn command(&self) -> Command {
        let (target, settings) = (self.target, self.settings);
        let mut command = leashed(self.qemu);
        if let Some(firmware) = self.qemu.firmware() {
            command.arg("-L").arg(firmware);
        }
        command.args(["-M", &target.qemu.machine, "-cpu", &target.qemu.cpu, "-m", &settings.memory.to_string()]);
        command.args(["-smp", "1"]);
        if self.https_port.is_none() && settings.icount {
            // A clock that counts instructions: the same figures on a busy and on an idle host. It runs ahead while the guest
            // waits, which a browser outside would not keep up with.
            command.args(["-icount", "shift=1,sleep=off"]);
        }
        if let Some(plugin) = self.plugin {
            command.args(["-plugin", plugin]);
        }
        command.args([
            "-display",
            "none",
            "-nodefaults",
            "-monitor",
            "none",
            "-serial",
            "stdio",
            "-no-reboot",
            "-kernel",
        ]);
        command.arg(self.kernel).arg("-initrd").arg(self.initramfs).arg("-append");
        command.arg(format!("console={} quiet panic=-1 lab.script={}", settings.console, self.script));
        command.arg("-drive").arg(format!("file={},format=raw,if=virtio,readonly=on", self.squashfs.display()));
        command.arg("-virtfs");
        command.arg(format!("local,path={},mount_tag=share,security_model=none", self.share.display()));
        let forward = self.https_port.map(|port| format!(",hostfwd=tcp:127.0.0.1:{port}-:443")).unwrap_or_default();
        command.arg("-netdev").arg(format!("user,id=n0,restrict=on{forward}"));
        command.args(["-device", "virtio-net-pci,netdev=n0,romfile="]).args(&settings.qemu_args);
        command
    }

    /// Boot, run the script to its end, and say how long it took. `on_line` sees every line of our scripts.
    pub(super) fn run(&self, mut on_line: impl FnMut(&str)) -> Result<Duration> {
        for _ in 1..BOOTS {
            if let Some(time) = self.once(true, &mut on_line)? {
                return Ok(time);
            }
            on_line(&format!("said nothing for {} s: started again", SILENCE.as_secs()));
        }
        self.once(false, &mut on_line)?.context("a last try has an end")
    }

    /// One boot; nothing if it stayed silent before our first line and is to be tried `again`.
    fn once(&self, again: bool, on_line: &mut impl FnMut(&str)) -> Result<Option<Duration>> {
        let started = Instant::now();
        let mut child = self
            .command()
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot run {}", self.target.qemu.system))?;
        let leash = child.stdin.take();
        let (sender, lines) = channel();
        let streams: [Box<dyn std::io::Read + Send>; 2] = [
            Box::new(child.stdout.take().context("no console")?),
            Box::new(child.stderr.take().context("no error stream")?),
        ];
        for stream in streams {
            let sender = sender.clone();
            std::thread::spawn(move || {
                let mut reader = BufReader::new(stream);
                let mut line = Vec::new();
                while reader.read_until(b'\n', &mut line).is_ok_and(|n| n > 0) {
                    let text = String::from_utf8_lossy(&line).trim_end().to_owned();
                    line.clear();
                    if sender.send(text).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let mut last = VecDeque::new();
        let (mut booted, mut done) = (false, false);
        let failure = loop {
            match lines.recv_timeout(SILENCE) {
                Ok(line) => {
                    if let Some(at) = line.find(MARK) {
                        let said = &line[at + MARK.len()..];
                        on_line(said);
                        booted = true;
                        done |= said == "DONE";
                    }
                    if last.len() == LAST_LINES {
                        last.pop_front();
                    }
                    last.push_back(line);
                }
                Err(RecvTimeoutError::Disconnected) if done => break None,
                Err(RecvTimeoutError::Disconnected) => break Some("ended before its script did".to_owned()),
                Err(RecvTimeoutError::Timeout) if !booted && again => {
                    drop(leash);
                    child.wait()?;
                    return Ok(None);
                }
                Err(RecvTimeoutError::Timeout) => {
                    break Some(format!("said nothing for {} s", SILENCE.as_secs()));
                }
            }
        };
        drop(leash);
        child.wait()?;
        if let Some(reason) = failure {
            let console: Vec<String> = last.into();
            bail!("the guest {reason}; the end of its console:\n{}", console.join("\n"));
        }
        Ok(Some(started.elapsed()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A shell that holds the leash of a sleeping program, as xtask holds QEMU's.
    #[test]
    fn a_guest_ends_with_whoever_started_it() {
        let dir = tempfile::tempdir().unwrap();
        let pid = dir.path().join("pid");
        let mut child = Command::new("sh")
            .args(["-c", LEASH, "sh", "sh", "-c", "echo $$ >\"$1\"; exec sleep 60", "sh"])
            .arg(&pid)
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let within = |what: &dyn Fn() -> bool| {
            (0..100).any(|_| what() || (std::thread::sleep(Duration::from_millis(50)), false).1)
        };
        assert!(within(&|| std::fs::read_to_string(&pid).is_ok_and(|text| text.ends_with('\n'))));
        let process = format!("/proc/{}", std::fs::read_to_string(&pid).unwrap().trim());
        assert!(Path::new(&process).exists());
        drop(child.stdin.take());
        assert!(within(&|| !Path::new(&process).exists()), "the program outlived its leash");
        assert!(!child.wait().unwrap().success());
    }

    #[test]
    fn a_leashed_program_keeps_its_output_and_its_exit_code() {
        let mut child = Command::new("sh")
            .args(["-c", LEASH, "sh", "sh", "-c", "echo word; exit 3"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let leash = child.stdin.take();
        let output = child.wait_with_output().unwrap();
        drop(leash);
        assert_eq!((output.status.code(), &*output.stdout), (Some(3), &b"word\n"[..]));
    }
}
