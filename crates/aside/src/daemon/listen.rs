//! One daemon for one socket. The lock decides who it is, not the socket file: a file that is there may be left over,
//! and one that answers may be busy.

use std::fs::{File, TryLockError};
use std::io::{Read, Seek, Write};
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use rustix::fs::{Mode, OFlags};
use rustix::io::FdFlags;
use rustix::process::Pid;

use crate::client;
use crate::exec::Inherited;
use crate::paths::{self, Paths};

/// How long to wait for a daemon that holds the lock but no longer answers: it is on its way out.
const PATIENCE: u32 = 20;
const PAUSE: Duration = Duration::from_millis(50);

/// The socket and the lock. Both stay until the process ends or `close` is called.
pub struct Listening {
    listener: UnixListener,
    lock: File,
    socket: PathBuf,
}

/// `None` when another daemon serves this socket.
pub fn listen(paths: &Paths) -> anyhow::Result<Option<Listening>> {
    let socket = paths.socket.clone();
    if let Some(inherited) = Inherited::from_env() {
        return inherit(inherited, socket).map(Some);
    }
    paths::prepare_socket_dir(&socket)?;
    let Some(lock) = lock(&paths.lock_file(), &socket)? else { return Ok(None) };
    match std::fs::remove_file(&socket) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(error).with_context(|| format!("could not remove the old socket {}", socket.display()));
        }
        _ => {}
    }
    // No other thread runs yet, so nothing else is created with this mask.
    let mask = rustix::process::umask(Mode::from_raw_mode(0o177));
    let listener = UnixListener::bind(&socket);
    rustix::process::umask(mask);
    let listener = listener.with_context(|| format!("could not listen on {}", socket.display()))?;
    Ok(Some(Listening { listener, lock, socket }))
}

fn lock(path: &Path, socket: &Path) -> anyhow::Result<Option<File>> {
    let mut file = File::options()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        // In a directory that others can write to, a link could make us empty any file of ours.
        .custom_flags(OFlags::NOFOLLOW.bits() as i32)
        .open(path)
        .with_context(|| format!("could not open the lock {}", path.display()))?;
    for _ in 0..PATIENCE {
        match file.try_lock() {
            Ok(()) => {
                // For people and for `aside daemon stop`; nothing decides by it.
                let _ = file
                    .set_len(0)
                    .and_then(|()| file.rewind())
                    .and_then(|()| writeln!(file, "{}", std::process::id()));
                return Ok(Some(file));
            }
            Err(TryLockError::WouldBlock) if client::is_served(socket) => return Ok(None),
            Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
            Err(TryLockError::Error(error)) => {
                return Err(error).with_context(|| format!("could not lock {}", path.display()));
            }
        }
    }
    Ok(None)
}

/// The daemon that holds the lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Holder {
    /// What it wrote into the lock, if there was room on the disk.
    pub pid: Option<Pid>,
}

/// `None` when nobody holds the lock, or nobody can tell: the number of a daemon that has gone may be another process
/// by now.
pub fn holder(paths: &Paths) -> Option<Holder> {
    let mut file = File::open(paths.lock_file()).ok()?;
    match file.try_lock_shared() {
        Err(TryLockError::WouldBlock) => {
            let mut text = String::new();
            let _ = file.read_to_string(&mut text);
            // 0 and below would be whole groups of processes, and 1 is nobody's daemon.
            let pid = text.trim().parse().ok().filter(|pid| *pid > 1).and_then(Pid::from_raw);
            Some(Holder { pid })
        }
        Ok(()) | Err(TryLockError::Error(_)) => None,
    }
}

#[expect(unsafe_code, reason = "the descriptors were left open for us by the program that became this one")]
fn inherit(inherited: Inherited, socket: PathBuf) -> anyhow::Result<Listening> {
    let take = |fd: RawFd| -> anyhow::Result<OwnedFd> {
        // SAFETY: `become_daemon` passes two descriptors that nothing else in this fresh process owns.
        let owned = unsafe { OwnedFd::from_raw_fd(fd) };
        rustix::io::fcntl_setfd(&owned, FdFlags::CLOEXEC).context("could not take over the socket")?;
        Ok(owned)
    };
    Ok(Listening {
        listener: UnixListener::from(take(inherited.listener)?),
        lock: File::from(take(inherited.lock)?),
        socket,
    })
}

impl Listening {
    /// A listener for the runtime. Its end leaves the socket open: the next program may go on with it.
    pub fn listener(&self) -> anyhow::Result<tokio::net::UnixListener> {
        let listener = self.listener.try_clone().context("could not share the socket")?;
        listener.set_nonblocking(true).context("could not make the socket non-blocking")?;
        tokio::net::UnixListener::from_std(listener).context("could not watch the socket")
    }

    /// A connection that nobody has accepted yet.
    pub fn waiting(&self) -> Option<tokio::net::UnixStream> {
        // Both listeners are one to the kernel, so this one does not block either.
        let (stream, _) = self.listener.accept().ok()?;
        stream.set_nonblocking(true).and_then(|()| tokio::net::UnixStream::from_std(stream)).ok()
    }

    /// Lets both survive the start of another program in this process.
    pub fn inheritable(&self) -> anyhow::Result<Inherited> {
        for fd in [self.listener.as_fd(), self.lock.as_fd()] {
            rustix::io::fcntl_setfd(fd, FdFlags::empty()).context("could not hand over the socket")?;
        }
        Ok(Inherited { listener: self.listener.as_raw_fd(), lock: self.lock.as_raw_fd() })
    }

    /// Removes the socket while the lock is still held, so that it cannot be another daemon's.
    pub fn close(self) {
        let _ = std::fs::remove_file(&self.socket);
    }
}
