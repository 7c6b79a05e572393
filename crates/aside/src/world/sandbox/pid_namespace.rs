//! The PID namespace of an agent. Its first process only waits: when it ends, by itself or with its parent, the kernel kills all others,
//! however detached. The calling process stays outside, for the supervisor to see.

use std::io::{PipeReader, PipeWriter};
use std::os::fd::OwnedFd;

use anyhow::{Context, bail};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus};

/// Signals that the supervisor sends to the whole group first. The waiting processes ignore them, and leave them to the agent.
const POLITE: [i32; 3] = [libc::SIGTERM, libc::SIGHUP, libc::SIGINT];

/// The parent of the first process.
pub struct ParentProcess {
    /// Readable when the parent has ended.
    is_there: PipeReader,
}

impl ParentProcess {
    /// Makes this process die with its parent. Its credentials must not change afterwards, which would clear the death signal.
    pub fn tie(&self) -> anyhow::Result<()> {
        rustix::process::set_parent_process_death_signal(Some(Signal::KILL))
            .context("could not tie the agent to us")?;
        let mut seen = [PollFd::new(&self.is_there, PollFlags::IN)];
        let ended = poll(&mut seen, Some(&Timespec { tv_sec: 0, tv_nsec: 0 }))?;
        anyhow::ensure!(ended == 0, "what would watch over the agent has gone");
        Ok(())
    }
}

/// Returns in the first process of the new namespace.
pub fn first() -> anyhow::Result<ParentProcess> {
    let (is_there, held) = std::io::pipe().context("could not make a pipe")?;
    // Opened before the fork: the child changes the mounts of both.
    let nothing = nothing()?;
    match fork()? {
        Some(child) => {
            drop(is_there);
            wait_for(child, &nothing, Some(held))
        }
        None => Ok(ParentProcess { is_there }),
    }
}

/// Returns in the process that becomes the agent.
pub fn second() -> anyhow::Result<()> {
    let nothing = nothing()?;
    match fork()? {
        Some(child) => wait_for(child, &nothing, None),
        None => Ok(()),
    }
}

fn nothing() -> anyhow::Result<OwnedFd> {
    Ok(rustix::fs::open("/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())?)
}

/// Holds nothing but `_held`, reaps children, and exits as `child` does.
fn wait_for(child: Pid, nothing: &OwnedFd, _held: Option<PipeWriter>) -> ! {
    answer(&POLITE, libc::SIG_IGN);
    let _ = rustix::stdio::dup2_stdin(nothing);
    let _ = rustix::stdio::dup2_stdout(nothing);
    let _ = rustix::stdio::dup2_stderr(nothing);
    loop {
        match rustix::process::wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) if pid == child => std::process::exit(code(status)),
            Ok(_) | Err(Errno::INTR) => {}
            Err(_) => std::process::exit(1),
        }
    }
}

fn code(status: WaitStatus) -> i32 {
    status.exit_status().or(status.terminating_signal().map(|signal| 128 + signal)).unwrap_or(1)
}

/// `None` in the child, which handles signals as usual.
#[expect(unsafe_code, reason = "the standard library starts programs, not processes")]
fn fork() -> anyhow::Result<Option<Pid>> {
    // SAFETY: there is one thread, so that the child may do whatever its parent could.
    match unsafe { libc::fork() } {
        -1 => bail!("could not make a process: {}", std::io::Error::last_os_error()),
        0 => {
            answer(&POLITE, libc::SIG_DFL);
            Ok(None)
        }
        child => Ok(Pid::from_raw(child)),
    }
}

#[expect(unsafe_code, reason = "the standard library has no signals")]
fn answer(signals: &[i32], how: libc::sighandler_t) {
    for signal in signals {
        // SAFETY: no handler is set, only whether the signal is ignored.
        unsafe { libc::signal(*signal, how) };
    }
}
