//! The door for the model server that the settings name: it ends with us, however we end.

use std::ffi::OsString;
use std::io::PipeReader;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ExitStatus, Stdio};

use anyhow::Context;
#[cfg(target_os = "linux")]
use rustix::process::Signal;

use crate::exec::{command, end};

/// A model server: llama.cpp's, on this machine alone.
pub struct Serve<'a> {
    pub program: &'a Path,
    pub arguments: &'a [OsString],
    /// In its environment, which only its user can read; arguments are seen by everybody.
    pub key: &'a str,
}

/// A model server that runs. Dropping it ends it.
pub struct Served {
    child: Child,
}

/// Starts it, and gives what it says. It ends when we do, also when we are killed: to be called on a thread that lives as
/// long as we do, since Linux takes the end of that thread for ours.
pub fn serve(serve: &Serve<'_>) -> anyhow::Result<(Served, PipeReader)> {
    let Serve { program, arguments, key } = serve;
    let executable = std::env::current_exe().context("could not find the program itself")?;
    let (said, says) = std::io::pipe().context("could not make a pipe")?;
    // Ours first, which asks the kernel to be ended with us and then becomes the server.
    let mut command = command(executable);
    command.args(["model", "serve", "--parent", &std::process::id().to_string(), "--"]).arg(program).args(*arguments);
    // What the person set for servers of their own is not for this one: it might listen to the world.
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.as_encoded_bytes().starts_with(b"LLAMA_")) {
        command.env_remove(name);
    }
    // Variables, since a server that does not know one yet, or calls it otherwise by now, would refuse an argument.
    command.env("LLAMA_API_KEY", key).env("LLAMA_ARG_NO_WEBUI", "1").env("LLAMA_ARG_WEBUI", "0");
    // Megabytes for prompts that it may be asked again; it would take eight thousand.
    command.env("LLAMA_ARG_CACHE_RAM", "256");
    command.stdin(Stdio::null()).stdout(says.try_clone()?).stderr(says).process_group(0);
    let child = command.spawn().with_context(|| format!("could not start {}", program.display()))?;
    Ok((Served { child }, said))
}

impl Served {
    pub fn has_ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // One that was collected has lost its number, which may be somebody else's by now.
        if self.has_ended().is_none() {
            end(&mut self.child);
        }
    }
}

/// Becomes the model server, which is ended with its parent. Returns only when that fails.
pub fn become_model_server(parent: u32, program: &Path, arguments: &[OsString]) -> anyhow::Error {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::set_parent_process_death_signal(Some(Signal::KILL)) {
        return anyhow::Error::new(error).context("could not tie the model server to the daemon");
    }
    // It may have gone before that was asked for.
    let is_there = rustix::process::getppid().is_some_and(|pid| pid.as_raw_pid().unsigned_abs() == parent);
    if !is_there {
        return anyhow::anyhow!("the daemon has gone");
    }
    let error = command(program).args(arguments).exec();
    anyhow::Error::new(error).context(format!("could not start {}", program.display()))
}
