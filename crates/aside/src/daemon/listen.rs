//! Ensures one daemon per socket. A lock file decides, not the socket file: a socket file may be left over, and a daemon behind it may be
//! busy. A daemon whose files were deleted makes them again, or ends if another one has taken their place.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read, Seek, Write};
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, anyhow};
use rustix::fs::{Mode, OFlags};
use rustix::io::FdFlags;
use rustix::net::{self, AddressFamily, SocketAddrUnix, SocketFlags, SocketType};
use rustix::process::Pid;

use crate::client;
use crate::exec::Inherited;
use crate::exec::taint::{self, TrustLevel};
use crate::paths::{self, Paths};

/// How often to retry while the lock holder no longer replies: it is about to end.
const PATIENCE: u32 = 20;
const PAUSE: Duration = Duration::from_millis(50);
/// Bytes of the lock file that are read: a pid.
const MAX_LOCK: u64 = 32;
/// Connections that may wait to be accepted, as the standard library has it.
const BACKLOG: i32 = 128;

/// The socket and the lock. Both last until the process ends or `close` is called.
pub struct ListenSocket {
    listener: UnixListener,
    lock: File,
    socket: PathBuf,
    lock_path: PathBuf,
    /// The socket's file: its path may come to name another one.
    bound: Option<FileId>,
}

/// Device and inode.
type FileId = (u64, u64);

/// What became of the files of a daemon.
#[derive(Debug, PartialEq, Eq)]
pub enum Restored {
    Nothing,
    Socket,
    /// Another daemon holds the lock by now.
    Superseded,
}

/// Returns `None` when another daemon serves this socket.
pub fn listen(paths: &Paths) -> anyhow::Result<Option<ListenSocket>> {
    let socket = paths.socket.clone();
    if let Some(inherited) = Inherited::from_env() {
        return inherit(inherited, paths).map(Some);
    }
    paths::prepare_socket_dir(&socket)?;
    let lock_path = paths.lock_file();
    let Some(lock) = lock(&lock_path, &socket)? else { return Ok(None) };
    match std::fs::remove_file(&socket) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(error).with_context(|| format!("could not remove the old socket {}", socket.display()));
        }
        _ => {}
    }
    // No other thread runs yet, so nothing else is created with this umask.
    let mask = rustix::process::umask(Mode::from_raw_mode(0o177));
    let listener = UnixListener::bind(&socket);
    rustix::process::umask(mask);
    let listener = listener.with_context(|| format!("could not listen on {}", socket.display()))?;
    let bound = file_id(&socket);
    Ok(Some(ListenSocket { listener, lock, socket, lock_path, bound }))
}

fn file_id(path: &Path) -> Option<FileId> {
    path.symlink_metadata().ok().map(|meta| (meta.dev(), meta.ino()))
}

/// Listens like `listen`, while other threads run: the umask is the whole process's, so the mode is set on the socket before it has a name.
fn bind_again(socket: &Path) -> anyhow::Result<UnixListener> {
    match std::fs::remove_file(socket) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            return Err(error).with_context(|| format!("could not remove the old socket {}", socket.display()));
        }
        _ => {}
    }
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let fresh = net::socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None).context("no socket")?;
    let private = Mode::from_raw_mode(0o600);
    // Only Linux takes the mode of the file from here.
    let _ = rustix::fs::fchmod(&fresh, private);
    let listens = SocketAddrUnix::new(socket)
        .and_then(|address| net::bind(&fresh, &address))
        .and_then(|()| rustix::fs::chmod(socket, private))
        .and_then(|()| net::listen(&fresh, BACKLOG));
    listens.with_context(|| format!("could not listen on {}", socket.display()))?;
    Ok(UnixListener::from(fresh))
}

fn lock(path: &Path, socket: &Path) -> anyhow::Result<Option<File>> {
    let mut file = open_lock(path, File::options().read(true).write(true).create(true).truncate(false).mode(0o600))?;
    for _ in 0..PATIENCE {
        match file.try_lock() {
            Ok(()) => {
                sign(&mut file);
                return Ok(Some(file));
            }
            Err(TryLockError::WouldBlock) if client::is_listening(socket) => return Ok(None),
            Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
            Err(TryLockError::Error(error)) => {
                return Err(error).with_context(|| format!("could not lock {}", path.display()));
            }
        }
    }
    Ok(None)
}

/// For the user and `aside daemon stop`; no decision depends on it.
fn sign(lock: &mut File) {
    let _ = lock.set_len(0).and_then(|()| lock.rewind()).and_then(|()| writeln!(lock, "{}", std::process::id()));
}

/// The daemon that holds the lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LockHolder {
    /// From the kernel, else from the file.
    pub pid: Option<Pid>,
}

/// Returns `None` when the lock is free: the pid in the file may belong to another process by now.
pub fn holder(paths: &Paths) -> anyhow::Result<Option<LockHolder>> {
    let path = paths.lock_file();
    if path.symlink_metadata().is_err_and(|error| error.kind() == ErrorKind::NotFound) {
        return Ok(None);
    }
    let file = open_lock(&path, File::options().read(true))?;
    match file.try_lock_shared() {
        Err(TryLockError::WouldBlock) => {
            let mut text = String::new();
            let _ = (&file).take(MAX_LOCK).read_to_string(&mut text);
            // 0 and negative numbers would be process groups, and 1 is never a daemon.
            let written = text.trim().parse().ok().filter(|pid| *pid > 1).and_then(Pid::from_raw);
            Ok(Some(LockHolder { pid: holder_of(&file).or(written) }))
        }
        Ok(()) | Err(TryLockError::Error(_)) => Ok(None),
    }
}

/// Opens only a regular file of the user and never blocks: a FIFO would wait for a writer, and a link could make the daemon truncate any
/// file. So could another name of one: where other users can create files they can give our files names, too.
fn open_lock(path: &Path, options: &mut OpenOptions) -> anyhow::Result<File> {
    let found =
        |what: &str| anyhow!("the lock {0} is {what}, not a file of Aside's; remove it: rm -r {0}", path.display());
    match path.symlink_metadata() {
        Ok(meta) if meta.is_symlink() => return Err(found("a link")),
        Ok(meta) if meta.is_dir() => return Err(found("a directory")),
        Ok(meta) if !meta.is_file() => return Err(found("a pipe, a socket or a device")),
        Ok(_) | Err(_) => {}
    }
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = options
        .custom_flags(flags.bits().cast_signed())
        .open(path)
        .with_context(|| format!("could not open the lock {}", path.display()))?;
    // The file may have been replaced meanwhile.
    let meta = file.metadata().with_context(|| format!("could not look at the lock {}", path.display()))?;
    if !meta.is_file() {
        return Err(found("a pipe, a socket or a device"));
    }
    if meta.uid() != rustix::process::getuid().as_raw() {
        return Err(found("another user's"));
    }
    if meta.nlink() > 1 {
        return Err(found("another name of a file"));
    }
    Ok(file)
}

/// Whether a command of a task, or what it has started, holds the lock.
fn is_held_by_a_command(lock: &File) -> bool {
    holder_of(lock).is_some_and(|pid| taint::of_process(pid.as_raw_pid()) == Some(TrustLevel::Command))
}

/// The process that holds the lock, according to the kernel: any process of the user can write to the file.
#[cfg(target_os = "linux")]
fn holder_of(file: &File) -> Option<Pid> {
    let meta = file.metadata().ok()?;
    let (major, minor) = (rustix::fs::major(meta.dev()), rustix::fs::minor(meta.dev()));
    let wanted = format!("{major:02x}:{minor:02x}:{}", meta.ino());
    let locks = std::fs::read_to_string("/proc/locks").ok()?;
    // `1: FLOCK  ADVISORY  WRITE 4711 08:01:131090 0 EOF`
    locks.lines().find_map(|line| {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        match words.as_slice() {
            [_, "FLOCK", _, "WRITE", pid, place, ..] if *place == wanted => {
                pid.parse().ok().filter(|pid| *pid > 1).and_then(Pid::from_raw)
            }
            _ => None,
        }
    })
}

#[cfg(not(target_os = "linux"))]
fn holder_of(_: &File) -> Option<Pid> {
    None
}

#[expect(unsafe_code, reason = "the descriptors were left open for us by the program that became this one")]
fn inherit(inherited: Inherited, paths: &Paths) -> anyhow::Result<ListenSocket> {
    let take = |fd: RawFd| -> anyhow::Result<OwnedFd> {
        // SAFETY: `become_daemon` passes two descriptors that nothing else in this fresh process owns.
        let owned = unsafe { OwnedFd::from_raw_fd(fd) };
        rustix::io::fcntl_setfd(&owned, FdFlags::CLOEXEC).context("could not take over the socket")?;
        Ok(owned)
    };
    Ok(ListenSocket {
        listener: UnixListener::from(take(inherited.listener)?),
        lock: File::from(take(inherited.lock)?),
        socket: paths.socket.clone(),
        lock_path: paths.lock_file(),
        bound: file_id(&paths.socket),
    })
}

impl ListenSocket {
    /// A listener for the runtime. Dropping it leaves the socket open for the next version of the daemon.
    pub fn listener(&self) -> anyhow::Result<tokio::net::UnixListener> {
        let listener = self.listener.try_clone().context("could not share the socket")?;
        listener.set_nonblocking(true).context("could not make the socket non-blocking")?;
        tokio::net::UnixListener::from_std(listener).context("could not watch the socket")
    }

    /// A connection that has not been accepted yet.
    pub fn waiting(&self) -> Option<tokio::net::UnixStream> {
        // Both listeners share one file description, so this one does not block either.
        let (stream, _) = self.listener.accept().ok()?;
        stream.set_nonblocking(true).and_then(|()| tokio::net::UnixStream::from_std(stream)).ok()
    }

    /// Lets both descriptors survive the exec of a new version.
    pub fn inheritable(&self) -> anyhow::Result<Inherited> {
        for fd in [self.listener.as_fd(), self.lock.as_fd()] {
            rustix::io::fcntl_setfd(fd, FdFlags::empty()).context("could not hand over the socket")?;
        }
        Ok(Inherited { listener: self.listener.as_raw_fd(), lock: self.lock.as_raw_fd() })
    }

    /// Makes the lock and the socket again if they were deleted or replaced. Changes nothing where another daemon has the lock.
    pub fn restore(&mut self) -> anyhow::Result<Restored> {
        let held = self.lock.metadata().ok().map(|meta| (meta.dev(), meta.ino()));
        let has_lock = held.is_some() && file_id(&self.lock_path) == held;
        let has_socket = self.bound.is_some() && file_id(&self.socket) == self.bound;
        if has_lock && has_socket {
            return Ok(Restored::Nothing);
        }
        paths::restore_socket_dir(&self.socket)?;
        if !has_lock {
            let options = &mut File::options();
            options.read(true).write(true).create(true).truncate(false).mode(0o600);
            let mut file = open_lock(&self.lock_path, options)?;
            match file.try_lock() {
                Ok(()) => {
                    sign(&mut file);
                    self.lock = file;
                }
                // It must not end the daemon by that.
                Err(TryLockError::WouldBlock) if is_held_by_a_command(&file) => {}
                Err(TryLockError::WouldBlock) => return Ok(Restored::Superseded),
                Err(TryLockError::Error(error)) => return Err(error).context("could not lock"),
            }
        }
        if has_socket {
            return Ok(Restored::Nothing);
        }
        self.listener = bind_again(&self.socket)?;
        self.bound = file_id(&self.socket);
        Ok(Restored::Socket)
    }

    /// Tells when a file beside the socket was deleted. `None` where the system does not tell.
    pub fn deletions(&self) -> Option<Deletions> {
        self.socket.parent().and_then(|dir| Deletions::watch(dir).ok())
    }

    /// Removes the socket, unless its path names another one by now.
    pub fn close(self) {
        if self.bound.is_some() && file_id(&self.socket) == self.bound {
            let _ = std::fs::remove_file(&self.socket);
        }
    }
}

#[cfg(target_os = "linux")]
pub use deletions::Deletions;

#[cfg(target_os = "linux")]
mod deletions {
    use std::mem::MaybeUninit;
    use std::os::fd::OwnedFd;
    use std::path::Path;

    use rustix::fs::inotify::{self, CreateFlags, Reader, WatchFlags};
    use tokio::io::unix::AsyncFd;

    /// Deletions in a directory.
    pub struct Deletions(AsyncFd<OwnedFd>);

    impl Deletions {
        #[expect(unsafe_code, reason = "tokio cannot tell that a descriptor stays open while it is registered")]
        pub fn watch(dir: &Path) -> std::io::Result<Self> {
            let events = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?;
            let gone = WatchFlags::DELETE | WatchFlags::MOVED_FROM | WatchFlags::DELETE_SELF | WatchFlags::MOVE_SELF;
            inotify::add_watch(&events, dir, gone | WatchFlags::ONLYDIR)?;
            // SAFETY: an `OwnedFd` gives the same open descriptor for as long as it lives, and `AsyncFd` owns it.
            Ok(Self(unsafe { AsyncFd::register(events) }.map_err(std::io::Error::other)?))
        }

        /// Waits for the next ones. Which files they were does not matter.
        pub async fn next(&self) {
            let Ok(mut ready) = self.0.readable().await else { return std::future::pending().await };
            let mut room = [MaybeUninit::uninit(); 4096];
            let mut reader = Reader::new(self.0.get_ref(), &mut room);
            while reader.next().is_ok() {}
            ready.clear_ready();
        }
    }
}

#[cfg(not(target_os = "linux"))]
pub struct Deletions;

#[cfg(not(target_os = "linux"))]
impl Deletions {
    pub fn watch(_: &Path) -> std::io::Result<Self> {
        Err(std::io::ErrorKind::Unsupported.into())
    }

    pub async fn next(&self) {
        std::future::pending().await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(directory: &Path) -> Paths {
        let at = |name: &str| directory.join(name);
        Paths { config_file: at("config.toml"), data_dir: at("data"), state_dir: at("state"), socket: at("s") }
    }

    #[test]
    fn what_is_no_regular_file_is_an_error_and_never_waited_for() {
        let temp = tempfile::tempdir().unwrap();
        let paths = paths(temp.path());
        let file = paths.lock_file();
        assert_eq!(holder(&paths).unwrap(), None, "there is none");
        let refused = |what: &str| {
            for error in [holder(&paths).unwrap_err(), lock(&file, &paths.socket).unwrap_err()] {
                let error = error.to_string();
                assert!(error.contains(what) && error.contains("remove it: rm -r "), "{error}");
            }
        };
        std::fs::create_dir(&file).unwrap();
        refused("a directory");
        std::fs::remove_dir(&file).unwrap();
        std::fs::write(temp.path().join("mine"), "precious").unwrap();
        std::os::unix::fs::symlink(temp.path().join("mine"), &file).unwrap();
        refused("a link");
        assert_eq!(std::fs::read_to_string(temp.path().join("mine")).unwrap(), "precious");
        std::fs::remove_file(&file).unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, &file, Mode::from_raw_mode(0o600)).unwrap();
        refused("a pipe");
    }

    #[test]
    fn deleted_files_are_made_again_unless_another_daemon_has_them() {
        let temp = tempfile::tempdir().unwrap();
        let paths = paths(temp.path());
        let mode = |path: &Path| path.metadata().unwrap().mode() & 0o777;
        let mut first = listen(&paths).unwrap().unwrap();
        assert_eq!(first.restore().unwrap(), Restored::Nothing);
        std::fs::remove_file(&paths.socket).unwrap();
        assert_eq!(first.restore().unwrap(), Restored::Socket);
        assert!(std::os::unix::net::UnixStream::connect(&paths.socket).is_ok() && mode(&paths.socket) == 0o600);
        std::fs::remove_file(paths.lock_file()).unwrap();
        assert_eq!(first.restore().unwrap(), Restored::Nothing, "the socket is the same");
        assert!(holder(&paths).unwrap().is_some() && mode(&paths.lock_file()) == 0o600);
        for file in [&paths.socket, &paths.lock_file()] {
            std::fs::remove_file(file).unwrap();
        }
        let second = listen(&paths).unwrap().unwrap();
        assert_eq!(first.restore().unwrap(), Restored::Superseded);
        first.close();
        assert!(paths.socket.exists(), "it is the other one's");
        drop(second);
    }

    #[test]
    fn the_kernel_says_which_process_holds_the_lock() {
        let temp = tempfile::tempdir().unwrap();
        let paths = paths(temp.path());
        let mut held = lock(&paths.lock_file(), &paths.socket).unwrap().unwrap();
        let own = Pid::from_raw(std::process::id().cast_signed());
        assert_eq!(holder(&paths).unwrap(), Some(LockHolder { pid: own }));
        held.set_len(0).and_then(|()| held.rewind()).unwrap();
        writeln!(held, "4711").unwrap();
        let told = holder(&paths).unwrap().unwrap().pid;
        // On a file system that spans several devices, the kernel lists other device numbers; then the file's text is used.
        assert!(told == own || told == Pid::from_raw(4711), "{told:?}");
        drop(held);
        assert_eq!(holder(&paths).unwrap(), None);
    }
}
