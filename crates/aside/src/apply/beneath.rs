//! Files of a workspace, reached only from its root's descriptor and never through a symbolic link, so that a name that was checked
//! cannot lead elsewhere later. Decides nothing about what is written.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use aside_core::task::diff::MAX_FILE_BYTES;
use aside_core::task::diff::name::Name;
use rustix::fs::{AtFlags, FileType, Gid, Mode, OFlags, RawMode, RenameFlags, Uid};
use rustix::io::Errno;

use crate::apply::print::Print;

/// How often a look that the kernel could not finish, since somebody renames things meanwhile, is repeated.
const TRIES: usize = 16;

#[derive(Debug)]
pub struct Root {
    dir: OwnedFd,
    path: PathBuf,
}

/// What is at a name.
#[derive(Debug)]
pub enum Found {
    Nothing,
    File(Regular),
    /// A directory, a link, a device: in words.
    Other(&'static str),
}

#[derive(Debug)]
pub struct Regular {
    pub bytes: Vec<u8>,
    /// The permissions, without set-uid and its like.
    pub mode: RawMode,
    pub owner: (u32, u32),
    pub inode: u64,
}

/// How a file is made that nobody sees yet.
#[derive(Clone, Copy)]
pub enum Like {
    /// As the umask wants it.
    New {
        executable: bool,
    },
    Old {
        mode: RawMode,
        owner: Option<(u32, u32)>,
    },
}

impl Root {
    pub fn open(path: &Path) -> anyhow::Result<Self> {
        let path = path.canonicalize().with_context(|| format!("could not find {}", path.display()))?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let dir = rustix::fs::open(&path, flags, Mode::empty());
        Ok(Self { dir: dir.with_context(|| format!("could not open {}", path.display()))?, path })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether its path still leads to it.
    pub fn check(&self) -> anyhow::Result<()> {
        let there = rustix::fs::lstat(&self.path).ok();
        let own = rustix::fs::fstat(&self.dir).context("could not look at the workspace")?;
        if there.is_none_or(|there| (there.st_dev, there.st_ino) != (own.st_dev, own.st_ino)) {
            bail!("{} is another directory than before; ask again", self.path.display());
        }
        Ok(())
    }

    /// The directory of these parts. `NotFound` when it is not there.
    pub fn dir(&self, parts: &[&str]) -> io::Result<Dir> {
        if parts.is_empty() {
            return Ok(Dir(rustix::io::fcntl_dupfd_cloexec(&self.dir, 0)?));
        }
        for _ in 0..TRIES {
            match beneath(&self.dir, &parts.join("/")) {
                Err(Errno::AGAIN) => {}
                Err(Errno::NOSYS | Errno::INVAL | Errno::PERM) => return Ok(Dir(walk(&self.dir, parts)?)),
                other => return Ok(Dir(other?)),
            }
        }
        Ok(Dir(walk(&self.dir, parts)?))
    }

    pub fn look(&self, name: &Name) -> io::Result<Found> {
        let (parents, last) = name.split();
        match self.dir(&parents) {
            Ok(dir) => dir.look(last),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Found::Nothing),
            Err(error) => Err(error),
        }
    }
}

const DIRECTORY: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

#[cfg(target_os = "linux")]
fn beneath(dir: &OwnedFd, path: &str) -> rustix::io::Result<OwnedFd> {
    use rustix::fs::ResolveFlags;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    rustix::fs::openat2(dir, path, DIRECTORY, Mode::empty(), resolve)
}

#[cfg(not(target_os = "linux"))]
fn beneath(_: &OwnedFd, _: &str) -> rustix::io::Result<OwnedFd> {
    Err(Errno::NOSYS)
}

/// The same, part by part: for kernels that cannot do it at once. No part is `..`, and none may be a link.
fn walk(dir: &OwnedFd, parts: &[&str]) -> rustix::io::Result<OwnedFd> {
    let mut dir = rustix::io::fcntl_dupfd_cloexec(dir, 0)?;
    for part in parts {
        dir = rustix::fs::openat(&dir, *part, DIRECTORY, Mode::empty())?;
    }
    Ok(dir)
}

/// A directory below the root. Whatever happens to its name, this stays the one that was found.
#[derive(Debug)]
pub struct Dir(OwnedFd);

impl Dir {
    pub fn look(&self, name: &str) -> io::Result<Found> {
        // Opening a device can do something, so it is not opened.
        let stat = match rustix::fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => stat,
            Err(Errno::NOENT) => return Ok(Found::Nothing),
            Err(error) => return Err(error.into()),
        };
        if let Some(other) = other(FileType::from_raw_mode(stat.st_mode)) {
            return Ok(Found::Other(other));
        }
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = match rustix::fs::openat(&self.0, name, flags, Mode::empty()) {
            Ok(file) => file,
            Err(Errno::NOENT) => return Ok(Found::Nothing),
            Err(Errno::LOOP) => return Ok(Found::Other("a symbolic link")),
            Err(error) => return Err(error.into()),
        };
        let stat = rustix::fs::fstat(&file)?;
        if let Some(other) = other(FileType::from_raw_mode(stat.st_mode)) {
            return Ok(Found::Other(other));
        }
        let mut bytes = Vec::new();
        let most = u64::try_from(MAX_FILE_BYTES).unwrap_or(u64::MAX);
        File::from(file).take(most + 1).read_to_end(&mut bytes)?;
        if bytes.len() > MAX_FILE_BYTES {
            return Ok(Found::Other("larger than what is changed here"));
        }
        Ok(Found::File(Regular {
            bytes,
            mode: stat.st_mode & 0o777,
            owner: (stat.st_uid, stat.st_gid),
            inode: stat.st_ino,
        }))
    }

    /// A new file, whole on the disk when this returns. Fails when there is one.
    pub fn write(&self, name: &str, bytes: &[u8], like: Like) -> io::Result<()> {
        let create = match like {
            Like::New { executable: false } => 0o666,
            Like::New { executable: true } => 0o777,
            Like::Old { .. } => 0o600,
        };
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut file = File::from(rustix::fs::openat(&self.0, name, flags, Mode::from_raw_mode(create))?);
        file.write_all(bytes)?;
        if let Like::Old { mode, owner } = like {
            let stat = rustix::fs::fstat(&file)?;
            if let Some((user, group)) = owner.filter(|owner| *owner != (stat.st_uid, stat.st_gid)) {
                rustix::fs::fchown(&file, Some(Uid::from_raw(user)), Some(Gid::from_raw(group)))?;
            }
            rustix::fs::fchmod(&file, Mode::from_raw_mode(mode))?;
        }
        file.sync_all()
    }

    /// Both names are there afterwards, with each other's file. `Unsupported` where the file system cannot.
    pub fn exchange(&self, one: &str, other: &str) -> io::Result<()> {
        match rustix::fs::renameat_with(&self.0, one, &self.0, other, RenameFlags::EXCHANGE) {
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => Err(io::ErrorKind::Unsupported.into()),
            other => Ok(other?),
        }
    }

    /// Never over something that is there.
    pub fn rename_new(&self, from: &str, to: &str) -> io::Result<()> {
        match rustix::fs::renameat_with(&self.0, from, &self.0, to, RenameFlags::NOREPLACE) {
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
                rustix::fs::linkat(&self.0, from, &self.0, to, AtFlags::empty())?;
                self.remove(from)
            }
            other => Ok(other?),
        }
    }

    pub fn rename_over(&self, from: &str, to: &str) -> io::Result<()> {
        Ok(rustix::fs::renameat(&self.0, from, &self.0, to)?)
    }

    pub fn remove(&self, name: &str) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.0, name, AtFlags::empty())?)
    }

    pub fn make_dir(&self, name: &str) -> io::Result<()> {
        match rustix::fs::mkdirat(&self.0, name, Mode::from_raw_mode(0o777)) {
            Err(Errno::EXIST) => Ok(()),
            other => Ok(other?),
        }
    }

    /// If it is empty.
    pub fn remove_dir(&self, name: &str) -> io::Result<()> {
        match rustix::fs::unlinkat(&self.0, name, AtFlags::REMOVEDIR) {
            Err(Errno::NOTEMPTY | Errno::EXIST | Errno::NOENT | Errno::NOTDIR) => Ok(()),
            other => Ok(other?),
        }
    }

    pub fn sync(&self) -> io::Result<()> {
        Ok(rustix::fs::fsync(&self.0)?)
    }
}

impl Found {
    pub fn print(&self) -> Option<Print> {
        match self {
            Found::File(file) => Some(Print::of(&file.bytes, file.executable())),
            Found::Nothing | Found::Other(_) => None,
        }
    }
}

impl Regular {
    pub fn executable(&self) -> bool {
        self.mode & 0o100 != 0
    }
}

fn other(kind: FileType) -> Option<&'static str> {
    match kind {
        FileType::RegularFile => None,
        FileType::Directory => Some("a directory"),
        FileType::Symlink => Some("a symbolic link"),
        FileType::Fifo => Some("a pipe"),
        FileType::Socket => Some("a socket"),
        _ => Some("a device"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The two ways to a directory agree, also about links.
    #[test]
    fn kernels_that_cannot_look_at_once_find_the_same() {
        let temp = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(temp.path().join("a/b")).unwrap();
        std::fs::write(temp.path().join("file"), "").unwrap();
        std::os::unix::fs::symlink("a", temp.path().join("link")).unwrap();
        std::os::unix::fs::symlink("/", temp.path().join("out")).unwrap();
        let root = Root::open(temp.path()).unwrap();
        for (path, there) in [
            ("a", true),
            ("a/b", true),
            ("link", false),
            ("link/b", false),
            ("out", false),
            ("out/etc", false),
            ("file", false),
            ("a/c", false),
        ] {
            let parts: Vec<&str> = path.split('/').collect();
            assert_eq!(walk(&root.dir, &parts).is_ok(), there, "{path}");
            assert_eq!(root.dir(&parts).is_ok(), there, "{path}");
        }
    }
}
