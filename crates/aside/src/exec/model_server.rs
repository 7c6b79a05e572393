//! Starts the model server that the settings name. It ends with us, however we end.

use std::ffi::OsString;
use std::io::PipeReader;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ExitStatus, Stdio};

use anyhow::Context;
#[cfg(target_os = "linux")]
use rustix::process::Signal;

use crate::exec::{command, end};

/// A model server: llama.cpp's, on this machine only.
pub struct ModelServerSpec<'a> {
    pub program: &'a Path,
    pub arguments: &'a [OsString],
    /// Passed in its environment, which only its user can read; arguments are visible to all users.
    pub key: &'a str,
}

/// A running model server. Dropping it ends it.
pub struct ModelServer {
    child: Child,
}

/// Starts it, and returns its output. It ends when we do, even if we are killed: call this on a thread that lives as long as the process,
/// since Linux sends the death signal at the end of that thread.
pub fn serve(serve: &ModelServerSpec<'_>) -> anyhow::Result<(ModelServer, PipeReader)> {
    let ModelServerSpec { program, arguments, key } = serve;
    let executable = std::env::current_exe().context("could not find the program itself")?;
    let (said, says) = std::io::pipe().context("could not make a pipe")?;
    // Starts ourselves first, which sets the death signal and then execs the server.
    let mut command = command(executable);
    command.args(["model", "serve", "--parent", &std::process::id().to_string(), "--"]).arg(program).args(*arguments);
    // Removes the user's variables for servers of their own, which might make this one listen on the network.
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.as_encoded_bytes().starts_with(b"LLAMA_")) {
        command.env_remove(name);
    }
    // Variables instead of arguments: a server of another version would refuse an unknown argument.
    command.env("LLAMA_API_KEY", key).env("LLAMA_ARG_NO_WEBUI", "1").env("LLAMA_ARG_WEBUI", "0");
    // Megabytes for its prompt cache; the default is eight thousand.
    command.env("LLAMA_ARG_CACHE_RAM", "256");
    command.stdin(Stdio::null()).stdout(says.try_clone()?).stderr(says).process_group(0);
    let child = command.spawn().with_context(|| format!("could not start {}", program.display()))?;
    Ok((ModelServer { child }, said))
}

impl ModelServer {
    pub fn has_ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        // Once reaped, its pid may have been reused.
        if self.has_ended().is_none() {
            end(&mut self.child);
        }
    }
}

/// Execs the model server, which dies with its parent. Returns only on failure.
pub fn become_model_server(parent: u32, program: &Path, arguments: &[OsString]) -> anyhow::Error {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::set_parent_process_death_signal(Some(Signal::KILL)) {
        return anyhow::Error::new(error).context("could not tie the model server to the daemon");
    }
    // The parent may have ended before the death signal was set.
    let is_there = rustix::process::getppid().is_some_and(|pid| pid.as_raw_pid().unsigned_abs() == parent);
    if !is_there {
        return anyhow::anyhow!("the daemon has gone");
    }
    let error = command(program).args(arguments).exec();
    anyhow::Error::new(error).context(format!("could not start {}", program.display()))
}
