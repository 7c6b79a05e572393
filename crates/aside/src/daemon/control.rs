//! Queries, starts and stops the daemon from another process.

use std::time::{Duration, Instant};

use anyhow::{bail, ensure};
use aside_proto::{Reply, Request, Status};
use rustix::process::{Pid, Signal};

use crate::client::{self, ClientError};
use crate::daemon::listen::{self, LockHolder};
use crate::exec::taint::{self, TrustLevel};
use crate::exec::{self, Inherited, Own};
use crate::paths::{self, Paths};

/// Timeout for each way of stopping it.
const PATIENCE: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(5);
/// How long a daemon that was just started may take to acquire the lock.
const AGAIN: Duration = Duration::from_secs(1);
/// How long a daemon may hold the lock without a socket while it starts or ends.
const UNREACHABLE: Duration = Duration::from_secs(1);

pub fn status(paths: &Paths) -> Result<Status, ClientError> {
    match client::ask(&paths.socket, Request::Status)? {
        Reply::Status(status) => Ok(*status),
        other => Err(ClientError::Garbled(format!("{other:?}"))),
    }
}

/// Refuses to start a daemon from a command of a task: that daemon would treat the command as the user.
pub fn refuse_commands() -> anyhow::Result<()> {
    let is_the_users = match TrustLevel::own() {
        TrustLevel::User => true,
        // The new version of a daemon runs in the same process.
        TrustLevel::Daemon => Inherited::from_env().is_some(),
        TrustLevel::Command => false,
    };
    ensure!(
        is_the_users,
        "a command of a task cannot start the daemon; run `aside daemon start` in a terminal of your own"
    );
    Ok(())
}

/// Whether a plugin (which sets its socket) asks, in a shell that was open while Aside was uninstalled.
pub fn is_unwanted(paths: &Paths) -> bool {
    std::env::var_os("ASIDE_SOCKET").is_some() && paths.lock_file().symlink_metadata().is_err()
}

/// Starts a daemon in the background if none runs, and waits for its first reply.
pub fn start(paths: &Paths) -> anyhow::Result<Status> {
    refuse_commands()?;
    ensure!(
        !is_unwanted(paths),
        "Aside is not set up in this home, or was uninstalled; `aside daemon start` starts it"
    );
    // The daemon would refuse too, but its message would be lost.
    paths::leave_to_its_owner(&paths.data_dir)?;
    paths::prepare_socket_dir(&paths.socket)?;
    let deadline = Instant::now() + PATIENCE;
    let mut next_start = Instant::now();
    let mut unreachable_since = None;
    loop {
        let holder = listen::holder(paths)?;
        match (holder, status(paths)) {
            (_, Ok(status)) => return Ok(status),
            // A lock holder is starting or ending; in the latter case a new daemon is started once it has gone.
            (None, Err(_)) if Instant::now() >= next_start => {
                exec::own(Own::Daemon)?;
                next_start = Instant::now() + AGAIN;
            }
            // Its socket is gone for good: no client can reach it, and no other daemon can start.
            (Some(holder), Err(ClientError::Absent)) => {
                let since = *unreachable_since.get_or_insert_with(Instant::now);
                if since.elapsed() >= UNREACHABLE {
                    end_unreachable(paths, holder)?;
                    unreachable_since = None;
                }
            }
            _ => {}
        }
        match status(paths) {
            Ok(status) => return Ok(status),
            Err(_) if Instant::now() < deadline => std::thread::sleep(PAUSE),
            // A hung daemon holds the lock, and `aside daemon run` would only report that.
            Err(error @ ClientError::Silent) => return Err(error.into()),
            Err(_) => bail!("the daemon did not start; `aside daemon run` shows why"),
        }
    }
}

/// Stops a daemon that holds the lock without a socket. Any other lock holder is reported to the user instead.
fn end_unreachable(paths: &Paths, holder: LockHolder) -> anyhow::Result<()> {
    let lock = paths.lock_file();
    let Some(pid) = holder.pid else {
        bail!("a process that cannot be named holds the lock {0}; remove it: rm {0}", lock.display())
    };
    let number = pid.as_raw_pid();
    if taint::of_process(number) != Some(TrustLevel::Daemon) {
        bail!(
            "process {number} holds the lock {} and is not your daemon; end it: kill {number}, then run `aside daemon start`",
            lock.display()
        );
    }
    let _ = rustix::process::kill_process(pid, Signal::TERM);
    if !gone(paths, PATIENCE)? {
        bail!("the daemon (pid {number}) runs without its socket and does not end; run `aside daemon stop`");
    }
    Ok(())
}

/// The pid of the daemon that holds the lock, whether it replies or not.
pub fn holder(paths: &Paths) -> Option<i32> {
    listen::holder(paths).ok()??.pid.map(Pid::as_raw_pid)
}

/// Stops a daemon that can only be reached by its socket, since its lock is gone.
pub fn stop_listening(paths: &Paths) -> anyhow::Result<()> {
    let deadline = Instant::now() + PATIENCE;
    while client::is_listening(&paths.socket) {
        let _ = client::ask(&paths.socket, Request::Stop);
        ensure!(Instant::now() < deadline, "the daemon does not end; `aside daemon stop` ends it");
        std::thread::sleep(PAUSE);
    }
    Ok(())
}

/// Returns whether a daemon was running. Sends a request first, then SIGTERM, then SIGKILL.
pub fn stop(paths: &Paths) -> anyhow::Result<bool> {
    ensure!(TrustLevel::own() > TrustLevel::Command, "a command of a task cannot stop the daemon");
    let Some(LockHolder { pid }) = listen::holder(paths)? else { return Ok(false) };
    let asked = client::ask(&paths.socket, Request::Stop);
    if asked.is_ok() && gone(paths, PATIENCE)? {
        return Ok(true);
    }
    let Some(pid) = pid else { bail!("the daemon does not end, and its lock does not name it; kill it by hand") };
    for signal in [Signal::TERM, Signal::KILL] {
        let _ = rustix::process::kill_process(pid, signal);
        if gone(paths, PATIENCE)? {
            return Ok(true);
        }
    }
    bail!("the daemon (pid {}) does not end; kill it by hand", pid.as_raw_pid())
}

fn gone(paths: &Paths, patience: Duration) -> anyhow::Result<bool> {
    let deadline = Instant::now() + patience;
    while listen::holder(paths)?.is_some() {
        if Instant::now() >= deadline {
            return Ok(false);
        }
        std::thread::sleep(PAUSE);
    }
    Ok(true)
}
