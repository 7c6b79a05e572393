//! Opens directories and files below a root, only from its descriptor and never through a symbolic link, so that a checked name cannot lead
//! elsewhere later. Read-only.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use aside_task::diff::path::RelativePath;
use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

/// How often to retry a lookup that the kernel could not finish because of concurrent renames.
const TRIES: usize = 16;

#[derive(Debug)]
pub struct Root {
    dir: OwnedFd,
    path: PathBuf,
}

/// What exists at a name, opened if possible.
#[derive(Debug)]
pub enum OpenedEntry {
    Nothing,
    File(File, Stat),
    /// A directory, a link or a device, in words.
    Other(&'static str),
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

    /// Fails if the path no longer leads to this directory.
    pub fn check(&self) -> anyhow::Result<()> {
        let there = rustix::fs::lstat(&self.path).ok();
        let own = rustix::fs::fstat(&self.dir).context("could not look at the workspace")?;
        if there.is_none_or(|there| (there.st_dev, there.st_ino) != (own.st_dev, own.st_ino)) {
            bail!("{} is another directory than before; ask again", self.path.display());
        }
        Ok(())
    }

    /// Opens a directory by its path components. Fails with `NotFound` if it does not exist.
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

    pub fn open_file(&self, name: &RelativePath) -> io::Result<OpenedEntry> {
        let (parents, last) = name.split();
        match self.dir(&parents) {
            Ok(dir) => dir.open_file(last),
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound) => Ok(OpenedEntry::Nothing),
            Err(error) if Errno::from_io_error(&error) == Some(Errno::LOOP) => {
                Ok(OpenedEntry::Other("behind a symbolic link"))
            }
            // In the component-wise fallback, a link fails as not a directory, too.
            Err(error) if Errno::from_io_error(&error) == Some(Errno::NOTDIR) => {
                Ok(OpenedEntry::Other("behind a file or a link"))
            }
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

/// The component-wise fallback for kernels without `openat2`. No component is `..`, and none may be a link.
fn walk(dir: &OwnedFd, parts: &[&str]) -> rustix::io::Result<OwnedFd> {
    let mut dir = rustix::io::fcntl_dupfd_cloexec(dir, 0)?;
    for part in parts {
        dir = rustix::fs::openat(&dir, *part, DIRECTORY, Mode::empty())?;
    }
    Ok(dir)
}

/// A directory below the root. Stays the same one, whatever happens to its name.
#[derive(Debug)]
pub struct Dir(OwnedFd);

impl Dir {
    pub fn fd(&self) -> &OwnedFd {
        &self.0
    }

    /// Opens a regular file for reading; never blocks on a FIFO or a device.
    pub fn open_file(&self, name: &str) -> io::Result<OpenedEntry> {
        // Checked before opening, since opening a device can have side effects.
        let stat = match rustix::fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => stat,
            Err(Errno::NOENT) => return Ok(OpenedEntry::Nothing),
            Err(error) => return Err(error.into()),
        };
        if let Some(other) = other(FileType::from_raw_mode(stat.st_mode)) {
            return Ok(OpenedEntry::Other(other));
        }
        self.open_listed(name)
    }

    /// Like `open_file`, for an entry that the directory lists as a regular file, which saves a look at it before it is opened.
    pub fn open_listed(&self, name: &str) -> io::Result<OpenedEntry> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = match rustix::fs::openat(&self.0, name, flags, Mode::empty()) {
            Ok(file) => file,
            Err(Errno::NOENT) => return Ok(OpenedEntry::Nothing),
            Err(Errno::LOOP) => return Ok(OpenedEntry::Other("a symbolic link")),
            Err(error) => return Err(error.into()),
        };
        let stat = rustix::fs::fstat(&file)?;
        Ok(match other(FileType::from_raw_mode(stat.st_mode)) {
            Some(other) => OpenedEntry::Other(other),
            None => OpenedEntry::File(File::from(file), stat),
        })
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

    /// Both ways to open a directory agree, also about links.
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
