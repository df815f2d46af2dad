//! Running programs: what they said is in the error when they fail.

use std::fs;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use crate::consumers::hook::Hook;
use crate::root::root;
use crate::sources::Options;

/// Run it, whatever it returns.
pub(crate) fn output(command: &mut Command) -> Result<Output> {
    command.output().with_context(|| format!("cannot run {}", command.get_program().display()))
}

/// Run it; standard output if it succeeds, the end of what it printed if not.
pub(crate) fn run(command: &mut Command) -> Result<Vec<u8>> {
    let output = output(command)?;
    if !output.status.success() {
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said);
        let lines: Vec<&str> = said.trim().lines().collect();
        let program = command.get_program().display().to_string();
        let args: Vec<_> = command.get_args().map(|arg| arg.to_string_lossy().into_owned()).collect();
        bail!(
            "{program} {} ({}): {}",
            args.join(" "),
            output.status,
            lines[lines.len().saturating_sub(12)..].join("\n")
        );
    }
    Ok(output.stdout)
}

/// `run`, as text without the last line end.
pub(crate) fn text(command: &mut Command) -> Result<String> {
    Ok(String::from_utf8_lossy(&run(command)?).trim_end().to_owned())
}

/// The tree `name` in `--sources DIR` if `mark` is in it, or how to supply it.
pub(super) fn source(options: &Options, name: &str, mark: &str, url: &str) -> Result<PathBuf, String> {
    let dir = options.sources.as_ref().map(|dir| dir.join(name)).filter(|tree| tree.join(mark).is_file());
    dir.ok_or_else(|| format!("no source of {name}: give --sources DIR with a clone of {url} in DIR/{name}"))
}

/// As `source`, and every other release beside it: DIR/name and DIR/name-*, in the order of their names.
pub(super) fn releases(options: &Options, name: &str, mark: &str, url: &str) -> Result<Vec<PathBuf>, String> {
    let entries = options.sources.iter().flat_map(fs::read_dir).flatten().flatten();
    let mut trees: Vec<PathBuf> = entries
        .filter(|entry| {
            let found = entry.file_name().to_string_lossy().into_owned();
            found == name || found.starts_with(&format!("{name}-"))
        })
        .map(|entry| entry.path())
        .filter(|tree| tree.join(mark).is_file())
        .collect();
    trees.sort();
    if trees.is_empty() { source(options, name, mark, url).map(|tree| vec![tree]) } else { Ok(trees) }
}

/// A fresh copy of `source` at `to`, with the glue of `patches/<glue>` put in if asked for.
pub(super) fn copy_with_glue(source: &Path, to: &Path, glue: Option<&str>) -> Result<()> {
    if to.exists() {
        fs::remove_dir_all(to).with_context(|| format!("cannot remove {}", to.display()))?;
    }
    fs::create_dir_all(to.parent().context("a folder at the root")?)?;
    run(Command::new("cp").arg("-a").arg(source).arg(to))?;
    if let Some(glue) = glue {
        let dir = root().join("patches").join(glue);
        Hook::read(&dir)?.apply(&dir, to)?;
    }
    Ok(())
}

/// A folder made anew.
pub(super) fn fresh(dir: &Path) -> Result<()> {
    if dir.exists() {
        fs::remove_dir_all(dir).with_context(|| format!("cannot remove {}", dir.display()))?;
    }
    fs::create_dir_all(dir).with_context(|| format!("cannot make {}", dir.display()))
}

/// A server that ends with its scope.
pub(super) struct Server {
    child: Child,
    pub(super) port: u16,
}

impl Server {
    /// Start it and wait until the port answers.
    pub(super) fn start(command: &mut Command, port: u16) -> Result<Self> {
        let mut server = Self::start_blind(command)?;
        server.port = port;
        let deadline = Instant::now() + Duration::from_secs(20);
        while !listens(port) {
            if let Some(status) = server.child.try_wait()? {
                bail!("{} ended at once: {status}", command.get_program().display());
            }
            if Instant::now() > deadline {
                bail!("{} does not listen on port {port}", command.get_program().display());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(server)
    }

    /// Start it.
    pub(super) fn start_blind(command: &mut Command) -> Result<Self> {
        let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = quiet.spawn().with_context(|| format!("cannot run {}", command.get_program().display()))?;
        Ok(Self { child, port: 0 })
    }
}

/// Somebody else than the trying socket itself answers, which TCP allows on a port of the range it takes its own from.
fn listens(port: u16) -> bool {
    let stream = TcpStream::connect(("127.0.0.1", port));
    stream.and_then(|stream| Ok(stream.local_addr()? != stream.peer_addr()?)).unwrap_or(false)
}

impl Drop for Server {
    fn drop(&mut self) {
        // it may have ended by itself
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
