//! Fetch one URL into a file: resumes, shows rate and time left, and says why it failed in one line.

use std::fs;
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

/// Why a download did not come.
pub(crate) enum Failure {
    /// The server answered, and has no such file.
    Gone,
    /// Anything else, as a sentence.
    Other(String),
}

/// Fetch `url` into `part`, going on where an earlier try stopped. `size` is for the progress line (0 = unknown).
pub(crate) fn download(url: &str, part: &Path, label: &str, size: u64) -> Result<Result<(), Failure>> {
    let have = file_size(part);
    if size > 0 && have > size {
        fs::remove_file(part)?; // not a prefix of what we want
    }
    if let Some(reason) = too_full(part, size.saturating_sub(have)) {
        return Ok(Err(Failure::Other(reason)));
    }
    let (tool, mut command) = command(url, part)?;
    let errors = tempfile::tempfile()?;
    let child = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(errors.try_clone()?)
        .spawn()
        .with_context(|| format!("cannot run {tool}"))?;
    let status = watch(child, part, label, size)?;
    if status.success() {
        return Ok(Ok(()));
    }
    let text = read_back(errors)?;
    let reason = text.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("no reason given").trim().to_owned();
    Ok(Err(match (tool, status.code()) {
        ("curl", Some(22)) if reason.contains("404") || reason.contains("410") => Failure::Gone,
        ("curl", Some(37)) => Failure::Gone, // a mirror in a directory
        ("wget", Some(8)) if text.contains("404") || text.contains("410") => Failure::Gone,
        ("apt-helper", _) if text.contains("404") => Failure::Gone,
        ("curl", Some(23)) | ("wget", Some(3)) => Failure::Other(format!("cannot write {}: {reason}", part.display())),
        _ => Failure::Other(format!("{url}: {reason}")),
    }))
}

/// curl, wget, or what every Debian machine has.
fn command(url: &str, part: &Path) -> Result<(&'static str, Command)> {
    if crate::sources::have("curl") {
        let mut command = Command::new("curl");
        command.args(["--fail", "--silent", "--show-error", "--location", "--retry", "3", "--connect-timeout", "20"]);
        command
            .args(["--speed-limit", "1000", "--speed-time", "60", "--continue-at", "-", "--output"])
            .arg(part)
            .arg(url);
        return Ok(("curl", command));
    }
    if crate::sources::have("wget") {
        let mut command = Command::new("wget");
        command
            .args(["--no-verbose", "--continue", "--tries=3", "--timeout=60", "--output-document"])
            .arg(part)
            .arg(url);
        return Ok(("wget", command));
    }
    let helper = Path::new("/usr/lib/apt/apt-helper");
    if helper.exists() {
        let mut command = Command::new(helper);
        command.arg("download-file").arg(url).arg(part);
        return Ok(("apt-helper", command));
    }
    crate::user_bail!("to fetch {url} this machine needs curl or wget: `apt-get install curl`")
}

/// Wait for the child; meanwhile tell how far it is.
fn watch(mut child: Child, part: &Path, label: &str, size: u64) -> Result<std::process::ExitStatus> {
    let (start, first) = (Instant::now(), file_size(part));
    let terminal = std::io::stderr().is_terminal();
    let mut last = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            let (bytes, seconds) = (file_size(part), start.elapsed().as_secs_f64());
            if terminal {
                eprint!("\r\x1b[K");
            }
            if status.success() {
                eprintln!("fetched {label}: {} in {seconds:.1} s", megabytes(bytes));
            }
            return Ok(status);
        }
        std::thread::sleep(Duration::from_millis(50));
        if last.elapsed() > Duration::from_millis(if terminal { 250 } else { 10_000 }) {
            last = Instant::now();
            let (now, end) = if terminal { ("\r\x1b[K", "") } else { ("", "\n") };
            eprint!("{now}{}{end}", progress(label, first, file_size(part), size, start.elapsed()));
            std::io::stderr().flush()?;
        }
    }
}

/// `name: 12.0 of 93.1 MB, 4.0 MB/s, 0:20 left`.
fn progress(label: &str, first: u64, now: u64, size: u64, elapsed: Duration) -> String {
    let rate = now.saturating_sub(first) as f64 / elapsed.as_secs_f64().max(0.001);
    let mut line = format!("{label}: {}", megabytes(now));
    if size > 0 {
        line = format!("{line} of {}", megabytes(size));
    }
    line = format!("{line}, {}/s", megabytes(rate as u64));
    if size > now && rate > 1.0 {
        let left = ((size - now) as f64 / rate).ceil() as u64;
        line = format!("{line}, {}:{:02} left", left / 60, left % 60);
    }
    line
}

pub(crate) fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

fn file_size(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |meta| meta.len())
}

/// Why so many bytes more do not fit beside `part`.
pub(super) fn too_full(part: &Path, bytes: u64) -> Option<String> {
    let dir = part.parent().unwrap_or(part);
    let free = free_bytes(dir)?;
    let why = || {
        let (needed, free) = (megabytes(bytes), megabytes(free));
        format!("disk full: {needed} more are needed, {} has {free} free", dir.display())
    };
    (bytes > free).then(why)
}

/// Bytes free on the file system of `dir`, if df(1) tells.
pub(super) fn free_bytes(dir: &Path) -> Option<u64> {
    let output = Command::new("df").args(["--output=avail", "-B1"]).arg(dir).stderr(Stdio::null()).output().ok()?;
    String::from_utf8(output.stdout).ok()?.lines().nth(1)?.trim().parse().ok()
}

fn read_back(mut file: fs::File) -> Result<String> {
    use std::io::{Read, Seek};
    let mut text = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut text)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_tells_rate_and_time_left() {
        let line = progress("linux", 10_000_000, 30_000_000, 93_000_000, Duration::from_secs(10));
        assert_eq!(line, "linux: 30.0 MB of 93.0 MB, 2.0 MB/s, 0:32 left");
    }
}
