//! Starts the agent that the settings name, where it can write nothing but its own state. It ends with its process tree when our end of its
//! input is closed, by us or by our own end.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use anyhow::Context;
use serde::{Deserialize, Serialize};
use tokio::net::unix::pipe::{Receiver, Sender};

use crate::exec::command;
use crate::exec::presence::RunningGuard;
use crate::exec::supervisor::PATIENCE;
use crate::world::sandbox::agent_sandbox::AgentSandbox;

/// What to start, as told to the supervisor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spec {
    /// Absolute.
    pub program: PathBuf,
    pub arguments: Vec<String>,
    pub cwd: PathBuf,
    pub enclosure: AgentSandbox,
    /// A directory for its temporary files, removed when it has ended.
    pub temp: PathBuf,
}

/// A running agent. Dropping it ends it, a moment later.
pub struct Agent {
    child: Option<Child>,
    running: Option<RunningGuard>,
    /// Dropping it ends the agent.
    pub input: Option<Sender>,
    /// Its stdout and stderr.
    output: Option<(Receiver, Receiver)>,
}

/// Adds `environment` to our own.
pub fn start(aside: &Path, spec: &Spec, environment: &[(OsString, OsString)]) -> anyhow::Result<Agent> {
    let said = serde_json::to_string(spec).context("a path of the agent is not UTF-8")?;
    let pipe = || std::io::pipe().context("could not make a pipe");
    let ((heard, input), (output, prints), (errors, complains)) = (pipe()?, pipe()?, pipe()?);
    let failed = "could not listen to the agent";
    let input = Sender::from_owned_fd(input.into()).context(failed)?;
    let output = Receiver::from_owned_fd(output.into()).context(failed)?;
    let errors = Receiver::from_owned_fd(errors.into()).context(failed)?;
    let mut supervisor = command(aside);
    supervisor.args(["keep", "--agent", &said]).current_dir("/");
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.as_encoded_bytes().starts_with(b"ASIDE_")) {
        supervisor.env_remove(name);
    }
    supervisor.envs(environment.iter().map(|(name, value)| (name, value)));
    supervisor.stdin(Stdio::from(heard)).stdout(Stdio::from(prints)).stderr(Stdio::from(complains));
    let running = RunningGuard::begin();
    match supervisor.spawn() {
        Ok(child) => {
            Ok(Agent { child: Some(child), running: Some(running), input: Some(input), output: Some((output, errors)) })
        }
        Err(error) => {
            running.ended_with_all();
            Err(anyhow::Error::new(error).context(format!("could not start {}", aside.display())))
        }
    }
}

impl Agent {
    pub fn take_output(&mut self) -> Option<(Receiver, Receiver)> {
        self.output.take()
    }

    /// Waits until the agent and its process tree have ended.
    pub async fn end(mut self) {
        drop(self.input.take());
        let (child, running) = (self.child.take(), self.running.take());
        let ended = tokio::task::spawn_blocking(move || collect(child, running));
        let _ = tokio::time::timeout(PATIENCE, ended).await;
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        drop(self.input.take());
        let (child, running) = (self.child.take(), self.running.take());
        if child.is_some() {
            std::thread::spawn(move || collect(child, running));
        }
    }
}

/// The exit status of a supervisor that could not kill all of the process tree.
const LEFT: i32 = 3;

/// Reaps the supervisor. If it was killed, it is unknown whether something of the agent is left.
fn collect(child: Option<Child>, running: Option<RunningGuard>) {
    let Some(mut child) = child else { return };
    let is_over = child.wait().is_ok_and(|status| status.code().is_some_and(|code| code != LEFT));
    if let Some(running) = running.filter(|_| is_over) {
        running.ended_with_all();
    }
}
