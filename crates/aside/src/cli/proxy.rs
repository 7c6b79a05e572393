//! `aside proxy`: runs a shell in a pty of ours, so that its commands' output can be captured. If that fails, it execs the shell directly,
//! so that the user always gets one.

use std::ffi::{OsStr, OsString};

use rustix::process::{Resource, Rlimit, Signal, WaitStatus};

use crate::capture::proxy;
use crate::cli::{Exit, one_line};
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

/// The variable's value when there is no proxy: keeps the rc file from trying again.
const OFF: &str = "off";

pub fn run(args: Args) -> anyhow::Result<Exit> {
    if args.keep_modes {
        proxy::keep_modes()?;
        return Ok(Exit::Done);
    }
    if let Some(option) = args.shell.first().filter(|word| word.as_encoded_bytes().starts_with(b"-")) {
        complain!("aside: proxy has no option {}; `aside proxy zsh` runs a zsh", one_line(&option.to_string_lossy()));
        return Ok(Exit::Usage);
    }
    let mut words = args.shell.into_iter();
    let program = words.next().unwrap_or_default();
    let name = args.name.unwrap_or_else(|| program.clone());
    let shell = Shell { program, name, arguments: words.collect() };
    // Without a socket nothing is captured, but the shell still runs.
    let socket = Paths::from_env().ok().map(|paths| paths.socket);
    let ran = std::panic::catch_unwind(|| proxy::run(&shell, socket));
    match ran {
        Ok(Ok(status)) => end_like(status),
        Ok(Err(_)) | Err(_) => Err(become_some_shell(&shell)),
    }
}

/// Execs the requested shell, or any other: the user must not be locked out.
fn become_some_shell(shell: &Shell) -> anyhow::Error {
    let off = (proxy::VARIABLE, OsStr::new(OFF));
    let error = exec::become_shell(shell, off);
    complain!("aside: {error:#}; you get another shell");
    let other = |program: OsString| Shell { name: program.clone(), program, arguments: Vec::new() };
    for program in std::env::var_os("SHELL").into_iter().chain(["/bin/sh".into()]) {
        exec::become_shell(&other(program), off);
    }
    error
}

/// Exits with the shell's status, or by the signal that ended it.
fn end_like(status: WaitStatus) -> ! {
    if let Some(signal) = status.terminating_signal().and_then(Signal::from_named_raw) {
        // The shell has dumped core already; the proxy need not.
        let _ = rustix::process::setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: None });
        let _ = signal_hook::low_level::emulate_default_handler(signal.as_raw());
        let _ = rustix::process::kill_process(rustix::process::getpid(), signal);
        std::process::exit(128 + signal.as_raw());
    }
    std::process::exit(status.exit_status().unwrap_or(1))
}
