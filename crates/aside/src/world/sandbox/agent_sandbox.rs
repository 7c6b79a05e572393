//! The sandbox of an agent: it sees the files as the user does, except those with secrets, and can write only its own state. Uses a mount
//! namespace, so that the agent can still sandbox its own commands; where the kernel refuses that, Landlock. With it comes a PID namespace:
//! the agent sees no other processes, and when its first process ends, the kernel kills them all.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// All absolute, with links resolved.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentSandbox {
    /// Directories that it may write in.
    pub writable: Vec<PathBuf>,
    /// Directories and files that appear empty, or that it cannot read.
    pub hidden: Vec<PathBuf>,
}

/// Returns in a process that is restricted for good, as is what it execs. The calling process may stay behind to wait for it, and ends with
/// it; `tie` is called there once its credentials do not change any more. Call it before any thread is started.
pub fn enclose(enclosure: &AgentSandbox, tie: impl Fn() -> anyhow::Result<()>) -> anyhow::Result<()> {
    platform::enclose(enclosure, tie)
}

#[cfg(target_os = "linux")]
mod platform {
    use std::fs::OpenOptions;
    use std::io::Write;
    use std::os::fd::OwnedFd;
    use std::os::unix::ffi::OsStrExt;
    use std::path::{Path, PathBuf};

    use anyhow::{Context, ensure};
    use rustix::fs::{Mode, OFlags};
    use rustix::mount::{MountFlags, MountPropagationFlags, mount, mount_bind, mount_bind_recursive, mount_change};
    use rustix::thread::UnshareFlags;

    use super::AgentSandbox;
    use crate::world::sandbox::{WriteAccess, confine, pid_namespace, platform};

    /// libc does not define them yet.
    const MOUNT_ATTR_RDONLY: u64 = 1;
    const MOUNT_ATTR_NODEV: u64 = 4;

    /// Its own terminals, which no user sees.
    const TERMINALS: &str = "/dev/pts";
    const NEW_TERMINAL: &str = "/dev/ptmx";
    const NOTHING: &str = "/dev/null";
    /// Contains the memory of other programs.
    const SHARED_MEMORY: &str = "/dev/shm";
    /// Root's kernel settings: a mount namespace keeps root from files, not from these.
    const OF_ROOT: [&str; 5] = ["/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/proc/fs"];

    pub fn enclose(enclosure: &AgentSandbox, tie: impl Fn() -> anyhow::Result<()>) -> anyhow::Result<()> {
        match own_view() {
            // No fallback from here on: half a sandbox is none.
            Ok(()) => {
                unshare(UnshareFlags::NEWPID | UnshareFlags::NEWIPC).context("could not enclose the agent")?;
                tie()?;
                let above = pid_namespace::first().context("could not enclose the agent")?;
                arrange(enclosure).context("could not enclose the agent")?;
                // A second namespace, in which mounts of the first are locked, even for its root.
                own_view().context("could not enclose the agent")?;
                above.tie()?;
                platform::alone_with_files()?;
                pid_namespace::second()
            }
            Err(_) => {
                by_landlock(enclosure)?;
                tie()
            }
        }
    }

    fn by_landlock(enclosure: &AgentSandbox) -> anyhow::Result<()> {
        let opened: Vec<OwnedFd> =
            enclosure.writable.iter().map(|place| opened(place)).collect::<anyhow::Result<_>>()?;
        confine(&WriteAccess::Beneath { places: &opened.iter().collect::<Vec<_>>(), hidden: &enclosure.hidden })?;
        platform::keep_modes()
    }

    fn opened(place: &Path) -> anyhow::Result<OwnedFd> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        rustix::fs::open(place, flags, Mode::empty()).with_context(|| format!("could not open {}", place.display()))
    }

    /// A user and mount namespace, in which this process keeps its user id.
    fn own_view() -> anyhow::Result<()> {
        // Otherwise root owns what is below /proc/self; this process has no secrets to read.
        rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::Dumpable)?;
        let (user, group) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
        unshare(UnshareFlags::NEWUSER | UnshareFlags::NEWNS).context("the kernel gives no view of its own")?;
        // Fails where it is already set.
        let _ = put("/proc/self/setgroups", "deny");
        put("/proc/self/uid_map", &format!("{user} {user} 1"))?;
        put("/proc/self/gid_map", &format!("{group} {group} 1"))
    }

    #[expect(unsafe_code, reason = "rustix marks it so, for flags that are not used here")]
    fn unshare(flags: UnshareFlags) -> rustix::io::Result<()> {
        // SAFETY: descriptors stay shared.
        unsafe { rustix::thread::unshare_unsafe(flags) }
    }

    fn put(file: &str, text: &str) -> anyhow::Result<()> {
        let mut opened = OpenOptions::new().write(true).open(file)?;
        opened.write_all(text.as_bytes()).with_context(|| format!("could not write {file}"))
    }

    fn arrange(enclosure: &AgentSandbox) -> anyhow::Result<()> {
        mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?;
        for place in &enclosure.writable {
            mount_bind_recursive(place, place).with_context(|| format!("could not keep {}", place.display()))?;
        }
        let empty = empty_file();
        for place in &enclosure.hidden {
            hide(place, &empty).with_context(|| format!("could not hide {}", place.display()))?;
        }
        let devices = own_devices();
        // Shows only its own processes; within a container that may not be allowed.
        let _ = mount("proc", "/proc", "proc", MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC, None);
        if rustix::process::geteuid().is_root() {
            let there = OF_ROOT.iter().filter(|place| Path::new(place).exists());
            for place in there {
                mount_bind(*place, *place).with_context(|| format!("could not keep {place}"))?;
            }
        }
        // A read-only mount does not protect devices, and the user's terminals are devices.
        set("/".as_ref(), Reach::All, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NODEV, 0)?;
        // An agent that sandboxes its own commands writes its uid map there.
        set("/proc".as_ref(), Reach::One, 0, MOUNT_ATTR_RDONLY)?;
        for device in devices {
            set(device.as_ref(), Reach::One, 0, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NODEV)?;
        }
        for place in &enclosure.writable {
            set(place, Reach::One, 0, MOUNT_ATTR_RDONLY)?;
            let probe = rustix::fs::statvfs(place)?;
            ensure!(!probe.f_flag.contains(rustix::fs::StatVfsMountFlags::RDONLY), "{} is read-only", place.display());
        }
        Ok(())
    }

    /// The devices that it may use, each a mount of its own.
    fn own_devices() -> Vec<&'static str> {
        let is_kept = |device: &&str| mount_bind(*device, *device).is_ok();
        let mut kept: Vec<&str> = platform::DEVICES.into_iter().filter(is_kept).collect();
        let options = c"newinstance,ptmxmode=0666,mode=0620";
        let made = mount("devpts", TERMINALS, "devpts", MountFlags::NOSUID | MountFlags::NOEXEC, Some(options));
        if made.is_ok() {
            kept.push(TERMINALS);
            let is_link = std::fs::symlink_metadata(NEW_TERMINAL).is_ok_and(|there| there.is_symlink());
            if !is_link && mount_bind("/dev/pts/ptmx", NEW_TERMINAL).is_ok() {
                kept.push(NEW_TERMINAL);
            }
        }
        kept
    }

    /// Stands in the place of shared memory, which is hidden with it.
    fn empty_file() -> PathBuf {
        let shared = std::fs::canonicalize(SHARED_MEMORY);
        let made = shared.map_err(anyhow::Error::from).and_then(|shared| {
            hide(&shared, Path::new(NOTHING))?;
            let empty = shared.join("empty");
            std::fs::File::create(&empty)?;
            Ok(empty)
        });
        made.unwrap_or_else(|_| PathBuf::from(NOTHING))
    }

    fn hide(place: &Path, empty: &Path) -> anyhow::Result<()> {
        let Ok(there) = std::fs::symlink_metadata(place) else { return Ok(()) };
        if there.is_dir() {
            mount("tmpfs", place, "tmpfs", MountFlags::NOSUID | MountFlags::NODEV, Some(c"size=4k,mode=500"))?;
        } else if there.is_file() {
            mount_bind(empty, place)?;
        }
        Ok(())
    }

    #[derive(Clone, Copy, PartialEq, Eq)]
    enum Reach {
        One,
        All,
    }

    #[expect(unsafe_code, reason = "rustix has no name for this system call")]
    fn set(place: &Path, reach: Reach, set: u64, cleared: u64) -> anyhow::Result<()> {
        let path = std::ffi::CString::new(place.as_os_str().as_bytes())?;
        let attributes: [u64; 4] = [set, cleared, 0, 0];
        let flags = if reach == Reach::All { libc::AT_RECURSIVE } else { 0 };
        // SAFETY: both pointers are valid for the call, and the size is that of the attributes.
        let done = unsafe {
            libc::syscall(
                libc::SYS_mount_setattr,
                libc::AT_FDCWD,
                path.as_ptr(),
                flags,
                attributes.as_ptr(),
                size_of_val(&attributes),
            )
        };
        ensure!(done == 0, "could not set {}: {}", place.display(), std::io::Error::last_os_error());
        Ok(())
    }
}

#[cfg(not(target_os = "linux"))]
mod platform {
    pub fn enclose(_: &super::AgentSandbox, _: impl Fn() -> anyhow::Result<()>) -> anyhow::Result<()> {
        anyhow::bail!("agents run only where the kernel can keep them from writing, which is Linux")
    }
}
