//! Tells the user's own processes from those that the daemon started, in a way that no process can evade.
//!
//! The mark is a lowered hard limit on file locks (`RLIMIT_LOCKS`), a limit that Linux has not enforced since 2.4.25. The kernel inherits
//! limits through fork and exec, and lets only `CAP_SYS_RESOURCE` raise them again. So every descendant carries the mark, however many
//! processes lie between, whichever session it makes for itself, and after its supervisor and its daemon are gone. The daemon marks itself
//! when it starts, and therefore everything it runs; a task's command is marked once more, so that it cannot pass for a daemon.
//!
//! An unknown process counts as a command. Off Linux there is no such mark, and `run` refuses to run tasks' commands.

use std::os::fd::AsFd;

/// A process's rank, lowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TrustLevel {
    /// A task's command, or a descendant of one.
    Command,
    /// The daemon, or a process that it started: git, a model server.
    Daemon,
    /// Not started by a daemon.
    User,
}

impl TrustLevel {
    /// The hard limit that marks the rank.
    fn limit(self) -> Option<u64> {
        match self {
            TrustLevel::Command => Some(1_000_000_000),
            TrustLevel::Daemon => Some(2_000_000_000),
            TrustLevel::User => None,
        }
    }

    fn of_limit(limit: Option<u64>) -> Self {
        match limit {
            None => TrustLevel::User,
            limit if limit >= TrustLevel::Daemon.limit() => TrustLevel::Daemon,
            // A command may lower it further.
            Some(_) => TrustLevel::Command,
        }
    }

    /// The rank of this process.
    pub fn own() -> Self {
        platform::own()
    }

    /// Lowers this process and its future children to this rank, for good.
    pub fn take(self) -> anyhow::Result<()> {
        platform::take(self)
    }
}

/// The process at the far end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caller {
    User,
    /// The daemon itself, on behalf of the page. It has checked the browser, but a descriptor can be taken from it.
    Page,
    Command,
    /// It has ended, or is not visible from here: it may be a command.
    Unknown,
}

impl Caller {
    /// Call this when the connection is accepted: a rank never rises, and an ended process cannot be judged.
    pub fn of(connection: impl AsFd) -> Self {
        platform::caller(connection)
    }
}

/// The rank of the server at the far end of a connection that this process has made.
pub fn listener(connection: impl AsFd) -> Option<TrustLevel> {
    platform::peer(connection).map(|(_, rank)| rank)
}

/// Reads a process's file in /proc: `status`, `limits`.
#[cfg(target_os = "linux")]
pub fn text(pid: i32, file: &str) -> std::io::Result<String> {
    platform::text(pid, file)
}

/// Prevents all processes but root's from tracing this one or taking its descriptors.
pub fn refuse_tracing() {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable);
}

/// The rank from a process's `limits`.
#[cfg(target_os = "linux")]
pub fn rank_of(limits: &str) -> Option<TrustLevel> {
    platform::hard_limit(limits).map(TrustLevel::of_limit)
}

/// The rank of a process that cannot end meanwhile.
pub fn of_process(pid: i32) -> Option<TrustLevel> {
    platform::rank(pid)
}

#[cfg(target_os = "linux")]
mod platform {
    use std::io::Read;
    use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd, RawFd};
    use std::sync::LazyLock;

    use anyhow::Context;
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::fs::{Mode, OFlags, ResolveFlags};
    use rustix::io::Errno;
    use rustix::process::{Pid, PidfdFlags, Resource, Rlimit, getrlimit, pidfd_open, setrlimit};
    use rustix::thread::{
        CapabilitySet, capabilities, capability_is_in_bounding_set, configure_capability_in_ambient_set,
        remove_capability_from_bounding_set, set_capabilities,
    };

    use super::{Caller, TrustLevel};

    /// A generic socket option that libc does not define yet.
    const SO_PEERPIDFD: libc::c_int = 77;

    pub fn own() -> TrustLevel {
        TrustLevel::of_limit(getrlimit(Resource::Locks).maximum)
    }

    pub fn take(rank: TrustLevel) -> anyhow::Result<()> {
        LazyLock::force(&PROC);
        if own() > rank {
            let limit = rank.limit();
            let lowered = setrlimit(Resource::Locks, Rlimit { current: limit, maximum: limit });
            lowered.context("could not mark this process")?;
        }
        keep_rank().context("could not give up the right to raise limits")
    }

    /// Root could raise the limit again: drops that one capability, and keeps all others.
    fn keep_rank() -> rustix::io::Result<()> {
        let raises = CapabilitySet::SYS_RESOURCE;
        let mut sets = capabilities(None)?;
        if capability_is_in_bounding_set(raises)? && sets.effective.contains(CapabilitySet::SETPCAP) {
            remove_capability_from_bounding_set(raises)?;
        }
        if (sets.permitted | sets.inheritable).contains(raises) {
            let _ = configure_capability_in_ambient_set(raises, false);
            sets.effective.remove(raises);
            sets.permitted.remove(raises);
            sets.inheritable.remove(raises);
            set_capabilities(None, sets)?;
        }
        Ok(())
    }

    pub fn caller(connection: impl AsFd) -> Caller {
        match peer(connection) {
            Some((pid, _)) if pid == rustix::process::getpid() => Caller::Page,
            Some((_, TrustLevel::User)) => Caller::User,
            Some((_, TrustLevel::Command | TrustLevel::Daemon)) => Caller::Command,
            None => Caller::Unknown,
        }
    }

    /// The process that made the far end, and its rank; `None` when it has ended.
    pub fn peer(connection: impl AsFd) -> Option<(Pid, TrustLevel)> {
        let pid = peer_pid(connection.as_fd())?;
        let process = match peer_pidfd(connection.as_fd()) {
            Ok(process) => process,
            // Before Linux 6.5. A pid that was reused before this call is not noticed there.
            Err(Errno::NOPROTOOPT) => pidfd_open(pid, PidfdFlags::empty()).ok()?,
            Err(_) => return None,
        };
        let rank = rank(pid.as_raw_pid())?;
        // The process still lives, so its pid was not reused: the limit is its own.
        is_alive(&process).then_some((pid, rank))
    }

    /// `None` for a process outside of our PID namespace, whose pid is 0 here.
    fn peer_pid(connection: impl AsFd) -> Option<Pid> {
        let peer = rustix::net::sockopt::socket_peercred(connection).ok()?;
        (peer.pid.as_raw_pid() > 0).then_some(peer.pid)
    }

    #[expect(unsafe_code, reason = "rustix has no call for SO_PEERPIDFD")]
    fn peer_pidfd(connection: impl AsFd) -> rustix::io::Result<OwnedFd> {
        let mut fd: RawFd = -1;
        let mut length = size_of::<RawFd>() as libc::socklen_t;
        // SAFETY: the kernel writes at most `length` bytes to `fd`, which has that size.
        let got = unsafe {
            libc::getsockopt(
                connection.as_fd().as_raw_fd(),
                libc::SOL_SOCKET,
                SO_PEERPIDFD,
                (&raw mut fd).cast(),
                &raw mut length,
            )
        };
        if got != 0 || fd < 0 {
            return Err(Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::INVAL));
        }
        // SAFETY: the kernel has just opened it for this call alone.
        Ok(unsafe { OwnedFd::from_raw_fd(fd) })
    }

    fn is_alive(process: &OwnedFd) -> bool {
        let mut polled = [PollFd::new(process, PollFlags::IN)];
        let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
        matches!(poll(&mut polled, Some(&at_once)), Ok(0))
    }

    /// Readable for every process of this user, even one that is not dumpable.
    pub fn rank(pid: i32) -> Option<TrustLevel> {
        hard_limit(&text(pid, "limits").ok()?).map(TrustLevel::of_limit)
    }

    /// Reads a process's file in /proc.
    pub fn text(pid: i32, file: &str) -> std::io::Result<String> {
        let mut text = String::new();
        std::fs::File::from(open(&format!("{pid}/{file}"))?).read_to_string(&mut text)?;
        Ok(text)
    }

    /// Opens a file in /proc, without crossing mounts: root can mount another file over it.
    fn open(name: &str) -> rustix::io::Result<OwnedFd> {
        let proc = PROC.as_ref().ok_or(Errno::NOENT)?;
        let flags = OFlags::RDONLY | OFlags::CLOEXEC;
        let within = ResolveFlags::NO_XDEV | ResolveFlags::NO_SYMLINKS | ResolveFlags::BENEATH;
        match rustix::fs::openat2(proc, name, flags, Mode::empty(), within) {
            // A kernel or a container may lack openat2.
            Err(Errno::NOSYS | Errno::PERM) => rustix::fs::openat(proc, name, flags, Mode::empty()),
            opened => opened,
        }
    }

    /// Opened once, early: a later mount does not affect it.
    static PROC: LazyLock<Option<OwnedFd>> = LazyLock::new(|| {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let proc = rustix::fs::open("/proc", flags, Mode::empty()).ok()?;
        let is_proc = rustix::fs::fstatfs(&proc).is_ok_and(|system| system.f_type == rustix::fs::PROC_SUPER_MAGIC);
        is_proc.then_some(proc)
    });

    /// `Max file locks   SOFT   HARD   locks`
    pub(super) fn hard_limit(limits: &str) -> Option<Option<u64>> {
        let row = limits.lines().find_map(|row| row.strip_prefix("Max file locks"))?;
        match row.split_ascii_whitespace().nth(1)? {
            "unlimited" => Some(None),
            number => Some(Some(number.parse().ok()?)),
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod platform {
    use std::os::fd::AsFd;

    use super::{Caller, TrustLevel};

    pub fn own() -> TrustLevel {
        TrustLevel::User
    }

    pub fn take(rank: TrustLevel) -> anyhow::Result<()> {
        match rank {
            TrustLevel::User | TrustLevel::Daemon => Ok(()),
            TrustLevel::Command => {
                anyhow::bail!("commands of tasks run on Linux only: elsewhere they cannot be told from you")
            }
        }
    }

    /// Tasks' commands do not run on this system.
    pub fn caller(_: impl AsFd) -> Caller {
        Caller::User
    }

    pub fn peer(_: impl AsFd) -> Option<((), TrustLevel)> {
        Some(((), TrustLevel::User))
    }

    pub fn rank(_: i32) -> Option<TrustLevel> {
        Some(TrustLevel::User)
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::os::unix::net::{UnixListener, UnixStream};

    use super::*;

    #[test]
    fn the_hard_limit_decides_and_what_cannot_be_read_is_no_rank() {
        let rank = |limits: &str| platform::hard_limit(limits).map(TrustLevel::of_limit);
        let row = |soft: &str, hard: &str| format!("Max cpu time  1 2 s\nMax file locks    {soft}   {hard}  locks \n");
        assert_eq!(rank(&row("unlimited", "unlimited")), Some(TrustLevel::User));
        assert_eq!(rank(&row("7", "unlimited")), Some(TrustLevel::User), "a soft limit can be raised again");
        assert_eq!(rank(&row("2000000000", "2000000000")), Some(TrustLevel::Daemon));
        for hard in ["1999999999", "1000000000", "5", "0"] {
            assert_eq!(rank(&row("0", hard)), Some(TrustLevel::Command), "{hard}");
        }
        for limits in ["", "Max file locks", "Max file locks 1", "Max file locks 1 x", "Max cpu time 1 2 s"] {
            assert_eq!(rank(limits), None, "{limits:?}");
        }
    }

    #[test]
    fn this_process_is_the_users_and_one_that_has_gone_is_not_known() {
        assert_eq!(TrustLevel::own(), TrustLevel::User, "these tests are not for a command of a task");
        let temp = tempfile::tempdir().unwrap();
        let socket = temp.path().join("s");
        let server = UnixListener::bind(&socket).unwrap();
        let own = UnixStream::connect(&socket).unwrap();
        assert_eq!(Caller::of(&server.accept().unwrap().0), Caller::Page, "the daemon itself");
        assert_eq!(listener(&own), Some(TrustLevel::User));
        let connects = "zmodload zsh/net/socket && zsocket $0";
        let mut child = crate::exec::command("zsh").args(["-fc", connects]).arg(&socket).spawn().unwrap();
        child.wait().unwrap();
        assert_eq!(Caller::of(&server.accept().unwrap().0), Caller::Unknown);
    }
}
