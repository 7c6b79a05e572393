//! `aside keep --agent`: the supervisor between the daemon and an agent. Passes on what the daemon says, and ends the agent's process tree
//! on EOF, which the daemon causes on purpose or by its own end.

use std::io::{PipeWriter, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::time::{Duration, Instant};

use anyhow::Context;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{Mode, OFlags};
use rustix::process::{Pid, Signal};

use crate::exec::agent::Spec;
use crate::exec::command;
use crate::exec::supervisor::{Kept, KillScope, remove};
use crate::exec::taint::TrustLevel;
use crate::world::sandbox::agent_sandbox::enclose;

/// How long an agent may take to end by itself after EOF.
const LINGER: Duration = Duration::from_millis(700);
/// Bytes per read.
const BUFFER: usize = 64 * 1024;

/// What is left after an agent has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leftover {
    Nothing,
    /// A process that it started could not be killed.
    Something,
}

/// Standard input goes to the agent; its output is ours.
pub fn supervise(said: &str) -> anyhow::Result<Leftover> {
    let spec: Spec = serde_json::from_str(said).context("it is not said which agent")?;
    rustix::process::setsid().context("could not leave the terminal")?;
    #[cfg(target_os = "linux")]
    rustix::process::set_child_subreaper(Some(rustix::process::getpid())).context("could not watch over processes")?;
    let (woken, wake) = UnixStream::pair().context("could not make a socket")?;
    woken.set_nonblocking(true).context("could not make a socket")?;
    signal_hook::low_level::pipe::register(signal_hook::consts::SIGCHLD, wake)
        .context("could not watch over processes")?;
    let (hears, tell) = std::io::pipe().context("could not make a pipe")?;
    rustix::io::ioctl_fionbio(&tell, true).context("could not make a pipe")?;
    let executable = std::env::current_exe().context("could not find the program itself")?;
    let mut entering = command(executable);
    entering.args(["keep", "--agent", said, "--enter", &std::process::id().to_string()]);
    let child = entering.stdin(hears).process_group(0).spawn().context("could not start the agent")?;
    drop(entering);
    // The daemon sees EOF of the agent's output only if this process does not hold it open.
    let nothing = rustix::fs::open("/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())?;
    rustix::stdio::dup2_stdout(&nothing)?;
    rustix::stdio::dup2_stderr(&nothing)?;
    let shell = Pid::from_child(&child);
    let mut kept = Kept { shell, ended: None, has_children: true, ended_with_it: String::new(), woken };
    pass_on(&mut kept, &tell);
    drop(tell);
    let until = Instant::now() + LINGER;
    while kept.ended.is_none() && Instant::now() < until {
        kept.rest();
        kept.reap();
    }
    kept.end(KillScope::All);
    // Also when the daemon, which made it, is gone.
    remove(&spec.temp);
    Ok(if kept.is_left(KillScope::All) { Leftover::Something } else { Leftover::Nothing })
}

/// Relays until the agent has ended, or the daemon closes the input.
fn pass_on(kept: &mut Kept, mut tell: &PipeWriter) {
    let input = std::io::stdin();
    let mut buffer = vec![0; BUFFER];
    // The part of the buffer that is not passed on yet.
    let mut due = 0..0;
    loop {
        kept.reap();
        if kept.ended.is_some() {
            return;
        }
        let (wants, ready) = match due.is_empty() {
            true => (PollFlags::IN, PollFlags::empty()),
            false => (PollFlags::empty(), PollFlags::OUT),
        };
        let heard = {
            let mut seen = [
                PollFd::new(&input, wants),
                PollFd::from_borrowed_fd(tell.as_fd(), ready),
                PollFd::new(&kept.woken, PollFlags::IN),
            ];
            let _ = poll(&mut seen, None);
            seen[0].revents()
        };
        kept.forget_wakes();
        // The daemon is gone; the rest of its message is of no use.
        if !due.is_empty() && heard.intersects(PollFlags::HUP | PollFlags::ERR) {
            return;
        }
        if due.is_empty() && !heard.is_empty() {
            match rustix::io::read(&input, &mut buffer) {
                Ok(0) => return,
                Ok(read) => due = 0..read,
                Err(rustix::io::Errno::INTR) => continue,
                Err(_) => return,
            }
        }
        if !due.is_empty() {
            match tell.write(buffer.get(due.clone()).unwrap_or_default()) {
                Ok(written) => due.start += written,
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
                Err(_) => return,
            }
        }
    }
}

/// Execs the agent in its sandbox; it dies with `parent`. Returns only on failure.
pub fn exec_agent(parent: u32, said: &str) -> anyhow::Error {
    let ready = || -> anyhow::Result<Spec> {
        let spec: Spec = serde_json::from_str(said).context("it is not said which agent")?;
        TrustLevel::Command.take()?;
        enclose(&spec.enclosure, || {
            #[cfg(target_os = "linux")]
            rustix::process::set_parent_process_death_signal(Some(Signal::KILL))
                .context("could not tie it to the daemon")?;
            let is_there = rustix::process::getppid().is_some_and(|pid| pid.as_raw_pid().unsigned_abs() == parent);
            anyhow::ensure!(is_there, "what would watch over it has gone");
            Ok(())
        })?;
        rustix::process::chdir(&spec.cwd).with_context(|| format!("could not go to {}", spec.cwd.display()))?;
        Ok(spec)
    };
    match ready() {
        Ok(spec) => {
            let error = command(&spec.program).args(&spec.arguments).exec();
            anyhow::Error::new(error).context(format!("could not start {}", spec.program.display()))
        }
        Err(error) => error,
    }
}
