//! Looks up, writes, renames and removes files in a workspace, never through a symbolic link. Does not decide what is written.

use std::fs::File;
use std::io::{self, Read, Write};

use aside_task::diff::MAX_FILE_BYTES;
use aside_task::diff::path::RelativePath;
use rustix::fs::{AtFlags, Gid, Mode, OFlags, RawMode, RenameFlags, Uid};
use rustix::io::Errno;

use crate::apply::fingerprint::Fingerprint;
use crate::workspace::rooted_fs::{Dir, OpenedEntry, Root};

/// What exists at a name.
#[derive(Debug)]
pub enum PathEntry {
    Nothing,
    File(RegularFile),
    /// A directory, a link or a device, in words.
    Other(&'static str),
}

#[derive(Debug)]
pub struct RegularFile {
    pub bytes: Vec<u8>,
    /// The permission bits, without set-uid, set-gid and sticky.
    pub mode: RawMode,
    pub owner: (u32, u32),
    pub inode: u64,
}

/// Permissions of a temporary file that is not in place yet.
#[derive(Clone, Copy)]
pub enum Permissions {
    /// Follows the umask.
    New {
        executable: bool,
    },
    Old {
        mode: RawMode,
        owner: Option<(u32, u32)>,
    },
}

impl Root {
    pub fn look(&self, name: &RelativePath) -> io::Result<PathEntry> {
        let (parents, last) = name.split();
        match self.dir(&parents) {
            Ok(dir) => dir.look(last),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(PathEntry::Nothing),
            Err(error) => Err(error),
        }
    }
}

impl Dir {
    pub fn look(&self, name: &str) -> io::Result<PathEntry> {
        let (file, stat) = match self.open_file(name)? {
            OpenedEntry::Nothing => return Ok(PathEntry::Nothing),
            OpenedEntry::Other(other) => return Ok(PathEntry::Other(other)),
            OpenedEntry::File(file, stat) => (file, stat),
        };
        let mut bytes = Vec::new();
        let most = u64::try_from(MAX_FILE_BYTES).unwrap_or(u64::MAX);
        file.take(most + 1).read_to_end(&mut bytes)?;
        if bytes.len() > MAX_FILE_BYTES {
            return Ok(PathEntry::Other("larger than what is changed here"));
        }
        Ok(PathEntry::File(RegularFile {
            bytes,
            mode: stat.st_mode & 0o777,
            owner: (stat.st_uid, stat.st_gid),
            inode: stat.st_ino,
        }))
    }

    /// Writes a new file and syncs it to disk. Fails if the name exists.
    pub fn write(&self, name: &str, bytes: &[u8], like: Permissions) -> io::Result<()> {
        let create = match like {
            Permissions::New { executable: false } => 0o666,
            Permissions::New { executable: true } => 0o777,
            Permissions::Old { .. } => 0o600,
        };
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut file = File::from(rustix::fs::openat(self.fd(), name, flags, Mode::from_raw_mode(create))?);
        file.write_all(bytes)?;
        if let Permissions::Old { mode, owner } = like {
            let stat = rustix::fs::fstat(&file)?;
            if let Some((user, group)) = owner.filter(|owner| *owner != (stat.st_uid, stat.st_gid)) {
                rustix::fs::fchown(&file, Some(Uid::from_raw(user)), Some(Gid::from_raw(group)))?;
            }
            rustix::fs::fchmod(&file, Mode::from_raw_mode(mode))?;
        }
        file.sync_all()
    }

    /// Swaps the files of two names atomically. Returns `Unsupported` where the file system cannot.
    pub fn exchange(&self, one: &str, other: &str) -> io::Result<()> {
        match rustix::fs::renameat_with(self.fd(), one, self.fd(), other, RenameFlags::EXCHANGE) {
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => Err(io::ErrorKind::Unsupported.into()),
            other => Ok(other?),
        }
    }

    /// Renames, but never over an existing file.
    pub fn rename_new(&self, from: &str, to: &str) -> io::Result<()> {
        match rustix::fs::renameat_with(self.fd(), from, self.fd(), to, RenameFlags::NOREPLACE) {
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
                rustix::fs::linkat(self.fd(), from, self.fd(), to, AtFlags::empty())?;
                self.remove(from)
            }
            other => Ok(other?),
        }
    }

    pub fn rename_over(&self, from: &str, to: &str) -> io::Result<()> {
        Ok(rustix::fs::renameat(self.fd(), from, self.fd(), to)?)
    }

    pub fn remove(&self, name: &str) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(self.fd(), name, AtFlags::empty())?)
    }

    pub fn make_dir(&self, name: &str) -> io::Result<()> {
        match rustix::fs::mkdirat(self.fd(), name, Mode::from_raw_mode(0o777)) {
            Err(Errno::EXIST) => Ok(()),
            other => Ok(other?),
        }
    }

    /// Removes a directory; leaves one that is not empty.
    pub fn remove_dir(&self, name: &str) -> io::Result<()> {
        match rustix::fs::unlinkat(self.fd(), name, AtFlags::REMOVEDIR) {
            Err(Errno::NOTEMPTY | Errno::EXIST | Errno::NOENT | Errno::NOTDIR) => Ok(()),
            other => Ok(other?),
        }
    }

    pub fn sync(&self) -> io::Result<()> {
        Ok(rustix::fs::fsync(self.fd())?)
    }
}

impl PathEntry {
    pub fn fingerprint(&self) -> Option<Fingerprint> {
        match self {
            PathEntry::File(file) => Some(Fingerprint::of(&file.bytes, file.executable())),
            PathEntry::Nothing | PathEntry::Other(_) => None,
        }
    }
}

impl RegularFile {
    pub fn executable(&self) -> bool {
        self.mode & 0o100 != 0
    }
}
