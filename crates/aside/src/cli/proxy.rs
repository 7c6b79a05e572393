//! `aside proxy`: runs a shell in a terminal of ours, so that what its commands print can be seen. Where that cannot be, it
//! becomes the shell: somebody waits for one.

use std::ffi::{OsStr, OsString};

use rustix::process::{Resource, Rlimit, Signal, WaitStatus};

use crate::capture::proxy;
use crate::cli::Exit;
use crate::exec::{self, Shell};
use crate::paths::Paths;

/// Run a shell so that what its commands print can be seen
#[derive(clap::Args)]
pub struct Args {
    /// What the shell is told that it is called; -zsh makes a login shell
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    name: Option<OsString>,
    /// Give a terminal its modes back when the proxy that sets them was killed; used by the proxy
    #[arg(long, hide = true)]
    keep_modes: bool,
    /// The shell and its arguments
    #[arg(value_name = "SHELL", required_unless_present = "keep_modes", trailing_var_arg = true)]
    #[arg(allow_hyphen_values = true)]
    shell: Vec<OsString>,
}

/// What the variable says where there is no terminal of ours: the rc file must not try again.
const OFF: &str = "off";

pub fn run(args: Args) -> anyhow::Result<Exit> {
    if args.keep_modes {
        proxy::keep_modes()?;
        return Ok(Exit::Done);
    }
    let mut words = args.shell.into_iter();
    let program = words.next().unwrap_or_default();
    let name = args.name.unwrap_or_else(|| program.clone());
    let shell = Shell { program, name, arguments: words.collect() };
    // Without a place for it nobody hears what is seen; the shell is there all the same.
    let socket = Paths::from_env().ok().map(|paths| paths.socket);
    let ran = std::panic::catch_unwind(|| proxy::run(&shell, socket));
    match ran {
        Ok(Ok(status)) => end_like(status),
        Ok(Err(_)) | Err(_) => Err(become_some_shell(&shell)),
    }
}

/// The one that was asked for, or any: who typed the command must not be locked out.
fn become_some_shell(shell: &Shell) -> anyhow::Error {
    let off = (proxy::VARIABLE, OsStr::new(OFF));
    let error = exec::become_shell(shell, off);
    let other = |program: OsString| Shell { name: program.clone(), program, arguments: Vec::new() };
    for program in std::env::var_os("SHELL").into_iter().chain(["/bin/sh".into()]) {
        exec::become_shell(&other(program), off);
    }
    error
}

/// Ends with the code of the shell, or by the signal that ended it.
fn end_like(status: WaitStatus) -> ! {
    if let Some(signal) = status.terminating_signal().and_then(Signal::from_named_raw) {
        // One picture of its memory is enough.
        let _ = rustix::process::setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: None });
        let _ = signal_hook::low_level::emulate_default_handler(signal.as_raw());
        let _ = rustix::process::kill_process(rustix::process::getpid(), signal);
        std::process::exit(128 + signal.as_raw());
    }
    std::process::exit(status.exit_status().unwrap_or(1))
}
