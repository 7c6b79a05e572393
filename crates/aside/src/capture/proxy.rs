//! A pty of ours around a shell: setup and teardown. `relay` moves the bytes, `observe` looks at them, `terminal_modes` sets the outer terminal's
//! modes. An error before the shell runs goes to the caller, who can still exec the shell directly.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use ring::rand::{SecureRandom, SystemRandom};
use rustix::fs::OFlags;
use rustix::process::{Pid, WaitStatus};
use rustix::pty::OpenptFlags;
use rustix::termios;

use crate::exec::{self, Shell};

mod completion_client;
mod follow_cwd;
mod ghost;
mod observe;
mod relay;
mod signals;
pub mod terminal_modes;

use ghost::Ghost;
use observe::Observer;
use relay::Relay;
use signals::Signals;
use terminal_modes::TerminalModes;

/// Tells the shell and its children that their terminal is ours: `TTY:PID`.
pub const VARIABLE: &str = "ASIDE_PROXY";
/// A nonce with which the shell marks the start and end of its prompt, so that printed text cannot fake the mark.
pub const MARK: &str = "ASIDE_PROXY_MARK";
/// Bytes of a mark; two hex digits for each.
const MARK_BYTES: usize = 8;

/// A fresh pty.
struct Inner {
    master: OwnedFd,
    slave: OwnedFd,
    name: OsString,
}

/// Runs the shell in a pty until it ends. An error means that it never ran, and that nothing has changed.
pub fn run(shell: &Shell, socket: Option<PathBuf>) -> anyhow::Result<WaitStatus> {
    let inherited = exec::inherited();
    let outer = outer()?;
    let inner = open()?;
    let mut modes = TerminalModes::of(&outer)?;
    termios::tcsetattr(&inner.slave, termios::OptionalActions::Now, modes.saved())
        .context("could not set the modes")?;
    relay::copy_size(&outer, &inner.master);
    let mut variable = inner.name.clone();
    variable.push(format!(":{}", std::process::id()));
    let signals = Signals::prepare()?;
    // A panic message would be drawn over the screen.
    std::panic::set_hook(Box::new(|_| {}));

    modes.enter(&outer)?;
    // Only bash needs a mark: other shells draw grey text themselves.
    let is_bash = Path::new(&shell.program).file_name().is_some_and(|name| name.to_string_lossy().contains("bash"));
    let mark = if is_bash { mark() } else { String::new() };
    let variables = [(VARIABLE, variable.as_os_str()), (MARK, OsStr::new(&mark))];
    let variables = if mark.is_empty() { &variables[..1] } else { &variables };
    let started = exec::start_in_terminal(shell, variables, &inner.slave);
    let pid = match started {
        Ok(pid) => pid,
        Err(error) => {
            modes.leave(&outer);
            return Err(error);
        }
    };
    // Only after the spawn: the shell must inherit ignored signals as ignored.
    signals.listen();
    let Inner { master, slave, name } = inner;
    drop(slave);
    exec::close_inherited(inherited);
    let ghost = match &socket {
        Some(socket) if !mark.is_empty() => {
            Ghost::start(&mark, termios::tcgetwinsize(&outer).ok(), pid, socket.clone())
        }
        Some(_) | None => Ghost::off(),
    };
    let observer = Observer::start(pid, socket, name);
    let status = Relay::new(&outer, master, pid, signals, observer, ghost, &mut modes).run();
    modes.leave(&outer);
    Ok(status)
}

/// Empty without a random source: then nothing is drawn.
fn mark() -> String {
    let mut bytes = [0; MARK_BYTES];
    match SystemRandom::new().fill(&mut bytes) {
        Ok(()) => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
        Err(_) => String::new(),
    }
}

/// Whether a pty can be opened here.
pub fn can_open() -> bool {
    open().is_ok()
}

/// Whether `value`, of our variable, names this terminal, and the proxy that made it still runs.
pub fn is_ours(value: &OsStr, terminal: &OsStr) -> bool {
    let Some((name, pid)) = value.to_str().and_then(|value| value.rsplit_once(':')) else { return false };
    let pid = pid.parse().ok().and_then(Pid::from_raw);
    // Any error but ESRCH counts as alive: after `su` the process belongs to another user.
    let is_there = |pid| rustix::process::test_kill_process(pid) != Err(rustix::io::Errno::SRCH);
    terminal == name && pid.is_some_and(is_there)
}

/// The terminal that the proxy was started in. Opens it again, so that O_NONBLOCK does not affect other processes that share the
/// descriptor.
fn outer() -> anyhow::Result<OwnedFd> {
    let (stdin, stdout, stderr) = (std::io::stdin(), std::io::stdout(), std::io::stderr());
    let name = termios::ttyname(&stdin, Vec::new()).context("the input is no terminal")?;
    let devices =
        [stdin.as_fd(), stdout.as_fd(), stderr.as_fd()].map(|fd| rustix::fs::fstat(fd).map(|stat| stat.st_rdev));
    ensure!(devices.iter().all(|device| *device == devices[0]), "the output is not the terminal of the input");
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let empty = rustix::fs::Mode::empty();
    // After `su` the terminal belongs to another user; the controlling terminal can be opened all the same.
    let opened = rustix::fs::open(name.as_c_str(), flags, empty).or_else(|error| {
        let controls = termios::tcgetsid(&stdin) == rustix::process::getsid(None);
        if controls { rustix::fs::open("/dev/tty", flags, empty) } else { Err(error) }
    });
    opened.context("could not open the terminal")
}

fn open() -> anyhow::Result<Inner> {
    let opened = || {
        let master = rustix::pty::openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
        rustix::pty::grantpt(&master)?;
        rustix::pty::unlockpt(&master)?;
        rustix::fs::fcntl_setfl(&master, rustix::fs::fcntl_getfl(&master)? | OFlags::NONBLOCK)?;
        let name = rustix::pty::ptsname(&master, Vec::new())?;
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
        let slave = rustix::fs::open(name.as_c_str(), flags, rustix::fs::Mode::empty())?;
        Ok::<_, rustix::io::Errno>(Inner { master, slave, name: OsString::from_vec(name.into_bytes()) })
    };
    opened().context("could not open a terminal")
}

/// `aside proxy --keep-modes`: waits on stdin for the end of a proxy, and restores the modes of the terminal on stdout if the proxy ended
/// without a farewell.
pub fn keep_modes() -> anyhow::Result<()> {
    // A session of its own: no job control applies to it, and no signal of the terminal reaches it.
    let _ = rustix::process::setsid();
    exec::close_inherited(exec::inherited());
    let told = std::io::read_to_string(std::io::stdin()).context("could not hear the proxy")?;
    let terminal = File::from(std::io::stdout().as_fd().try_clone_to_owned()?);
    terminal_modes::repair(&terminal, &told);
    Ok(())
}
