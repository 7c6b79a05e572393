//! Where an agent runs: it sees the files as the user does, but for those that hold secrets, and can write only where it keeps its own state.
//! A view of the mounts sees to that, so that the agent can still enclose its own commands; where the kernel gives none, Landlock does.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// All absolute, with links resolved.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Enclosure {
    /// Directories that it may write in: the first two count where there is only Landlock.
    pub writable: Vec<PathBuf>,
    /// Directories and files that are empty for it.
    pub hidden: Vec<PathBuf>,
}

/// Restricts this process for good, and what it becomes. Must be called before any thread is started.
pub fn enclose(enclosure: &Enclosure) -> anyhow::Result<()> {
    platform::enclose(enclosure)
}

#[cfg(target_os = "linux")]
mod platform {
    use std::fs::OpenOptions;
    use std::io::Write;
    use std::os::fd::OwnedFd;
    use std::os::unix::ffi::OsStrExt;
    use std::path::Path;

    use anyhow::{Context, ensure};
    use rustix::fs::{Mode, OFlags};
    use rustix::mount::{MountFlags, MountPropagationFlags, mount, mount_bind, mount_bind_recursive, mount_change};
    use rustix::thread::UnshareFlags;

    use super::Enclosure;
    use crate::world::sandbox::{Writes, confine, platform};

    /// libc does not name it yet.
    const MOUNT_ATTR_RDONLY: u64 = 1;

    pub fn enclose(enclosure: &Enclosure) -> anyhow::Result<()> {
        match own_view() {
            // From here on there is no way back: half a view is none.
            Ok(()) => {
                arrange(enclosure).context("could not enclose the agent")?;
                // A second one, in which nothing of the first can be changed, not even by its root.
                own_view().context("could not enclose the agent")?;
                platform::alone_with_files()
            }
            Err(_) => by_landlock(enclosure),
        }
    }

    fn by_landlock(enclosure: &Enclosure) -> anyhow::Result<()> {
        let mut opened = enclosure.writable.iter().map(|place| opened(place));
        let (Some(state), Some(temp)) = (opened.next(), opened.next()) else {
            anyhow::bail!("the agent has nowhere to write")
        };
        confine(&Writes::Beneath { workspace: &state?, temp: &temp? })
    }

    fn opened(place: &Path) -> anyhow::Result<OwnedFd> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        rustix::fs::open(place, flags, Mode::empty()).with_context(|| format!("could not open {}", place.display()))
    }

    /// A user and a view of the mounts of its own, in which this process is the user that it was.
    fn own_view() -> anyhow::Result<()> {
        let (user, group) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
        unshare().context("the kernel gives no view of its own")?;
        // Refused where it is decided already.
        let _ = put("/proc/self/setgroups", "deny");
        put("/proc/self/uid_map", &format!("{user} {user} 1"))?;
        put("/proc/self/gid_map", &format!("{group} {group} 1"))
    }

    #[expect(unsafe_code, reason = "rustix marks it so, for flags that are not used here")]
    fn unshare() -> rustix::io::Result<()> {
        // SAFETY: descriptors stay shared.
        unsafe { rustix::thread::unshare_unsafe(UnshareFlags::NEWUSER | UnshareFlags::NEWNS) }
    }

    fn put(file: &str, text: &str) -> anyhow::Result<()> {
        let mut opened = OpenOptions::new().write(true).open(file)?;
        opened.write_all(text.as_bytes()).with_context(|| format!("could not write {file}"))
    }

    fn arrange(enclosure: &Enclosure) -> anyhow::Result<()> {
        mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?;
        for place in &enclosure.writable {
            mount_bind_recursive(place, place).with_context(|| format!("could not keep {}", place.display()))?;
        }
        for place in &enclosure.hidden {
            hide(place).with_context(|| format!("could not hide {}", place.display()))?;
        }
        set_read_only("/".as_ref(), Reach::All, true)?;
        // An agent that encloses a command of its own writes its user there.
        set_read_only("/proc".as_ref(), Reach::One, false)?;
        for place in &enclosure.writable {
            set_read_only(place, Reach::One, false)?;
            let probe = rustix::fs::statvfs(place)?;
            ensure!(!probe.f_flag.contains(rustix::fs::StatVfsMountFlags::RDONLY), "{} is read-only", place.display());
        }
        Ok(())
    }

    fn hide(place: &Path) -> anyhow::Result<()> {
        let Ok(there) = std::fs::symlink_metadata(place) else { return Ok(()) };
        if there.is_dir() {
            mount("tmpfs", place, "tmpfs", MountFlags::NOSUID | MountFlags::NODEV, Some(c"size=4k,mode=500"))?;
        } else if there.is_file() {
            mount_bind("/dev/null", place)?;
        }
        Ok(())
    }

    #[derive(Clone, Copy, PartialEq, Eq)]
    enum Reach {
        One,
        All,
    }

    #[expect(unsafe_code, reason = "rustix has no name for this system call")]
    fn set_read_only(place: &Path, reach: Reach, is_set: bool) -> anyhow::Result<()> {
        let path = std::ffi::CString::new(place.as_os_str().as_bytes())?;
        let (set, cleared) = if is_set { (MOUNT_ATTR_RDONLY, 0) } else { (0, MOUNT_ATTR_RDONLY) };
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
    pub fn enclose(_: &super::Enclosure) -> anyhow::Result<()> {
        anyhow::bail!("agents run only where the kernel can keep them from writing, which is Linux")
    }
}
