//! A benchmark program as a partner in a conversation: one line asks for a row, one line answers.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, bail};

/// The rows that the program knows: (name, size).
pub(super) fn rows(runner: &[String], program: &Path) -> Result<Vec<(String, usize)>> {
    let output = command(runner, program).arg("--rows").output().context("cannot run rustcrypto-bench")?;
    if !output.status.success() {
        bail!("rustcrypto-bench --rows: {}\n{}", output.status, String::from_utf8_lossy(&output.stderr));
    }
    let text = String::from_utf8(output.stdout)?;
    text.lines()
        .map(|line| {
            let (name, size) = line.split_once(' ').context("a row is a name and a size")?;
            Ok((name.to_owned(), size.parse()?))
        })
        .collect()
}

/// The program, under an emulator where there is one.
fn command(runner: &[String], program: &Path) -> Command {
    let Some((emulator, args)) = runner.split_first() else { return Command::new(program) };
    let mut command = Command::new(emulator);
    command.args(args).arg(program);
    command
}

pub(super) struct Server<'a> {
    pub(super) name: &'a str,
    child: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl<'a> Server<'a> {
    pub(super) fn start(name: &'a str, runner: &[String], program: &Path) -> Result<Self> {
        let mut child = command(runner, program)
            .arg("--serve")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {name}'s benchmark"))?;
        let questions = child.stdin.take().context("stdin is piped")?;
        let answers = BufReader::new(child.stdout.take().context("stdout is piped")?);
        Ok(Self { name, child, questions, answers })
    }

    /// MB/s, or operations per second for size 0; none where the library does not have it.
    pub(super) fn ask(&mut self, algorithm: &str, size: usize, milliseconds: u32) -> Result<Option<f64>> {
        let lost = || format!("{}'s benchmark stopped at {algorithm} {size}: its words are above", self.name);
        writeln!(self.questions, "{algorithm} {size} {milliseconds}").with_context(lost)?;
        let mut answer = String::new();
        if self.answers.read_line(&mut answer).with_context(lost)? == 0 {
            bail!(lost());
        }
        match answer.trim() {
            "-" => Ok(None),
            figure => figure.parse().map(Some).with_context(|| format!("{} answered '{figure}'", self.name)),
        }
    }
}

impl Drop for Server<'_> {
    fn drop(&mut self) {
        // Its own child, waiting for a question that will not come.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
