//! Opens a file whose content can run or allow something: settings, rules, keys, what is written back. It counts only if no other user but
//! root could have written it: the file, and every directory and link on the way to it. Walks the path itself, each step from the descriptor
//! of the last one, and checks what it has opened: between check and read nothing can be put in its place.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

/// Links on the way, as Linux has it.
const MAX_LINKS: usize = 40;
/// Components on the way, those of links included.
const MAX_PARTS: usize = 1024;

/// Why a file is not read.
#[derive(Debug)]
pub enum Refused {
    /// This, or what it is in, is another user's.
    Foreign {
        path: PathBuf,
        user: u32,
    },
    /// Others can write to this.
    Writable {
        path: PathBuf,
    },
    /// It is in a directory in which every user can create files.
    InPublic {
        directory: PathBuf,
    },
    NotPlain,
    TooLarge {
        most: u64,
    },
    Unreadable(io::Error),
}

/// Where a file is: found, not yet opened.
pub struct Found {
    directory: Directory,
    name: OsString,
    pub stat: Stat,
}

/// A directory on the way, opened.
struct Directory {
    fd: OwnedFd,
    path: PathBuf,
    opened_to: OpenTo,
}

/// Who can create and rename entries.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OpenTo {
    Us,
    /// A group, and each of its users only their own.
    Group,
    All,
}

/// Reads the file; `None` if there is none.
pub fn read(path: &Path, most: u64) -> Result<Option<Vec<u8>>, Refused> {
    find(path)?.map(|found| found.read(most)).transpose()
}

/// Opens the file; `None` if there is none.
pub fn open(path: &Path) -> Result<Option<File>, Refused> {
    find(path)?.map(|found| found.open()).transpose()
}

/// Whether no other user can replace or change this file or directory.
pub fn is_ours(path: &Path) -> bool {
    find(path).is_ok_and(|found| found.is_some())
}

/// Follows the path through links. `None` if nothing is there: what is not there may be in any directory.
pub fn find(path: &Path) -> Result<Option<Found>, Refused> {
    match walk(path) {
        Err(Refused::Unreadable(error))
            if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) =>
        {
            Ok(None)
        }
        walked => walked.map(Some),
    }
}

fn walk(path: &Path) -> Result<Found, Refused> {
    let path = std::path::absolute(path)?;
    let mut refused = None;
    let mut directory = Directory::root(&mut refused)?;
    let mut parts = parts(&path);
    let (mut links, mut walked) = (0, 0);
    while let Some(name) = parts.pop_front() {
        walked += 1;
        if walked > MAX_PARTS {
            return Err(Errno::NAMETOOLONG.into());
        }
        let stat = rustix::fs::statat(&directory.fd, &name, AtFlags::SYMLINK_NOFOLLOW)?;
        let (kind, here) = (FileType::from_raw_mode(stat.st_mode), directory.path.join(&name));
        if kind != FileType::Directory && directory.opened_to == OpenTo::All {
            // Other users can give such an entry another name there: a hard link.
            refused.get_or_insert(Refused::InPublic { directory: directory.path.clone() });
        }
        if kind == FileType::Symlink {
            links += 1;
            if links > MAX_LINKS {
                return Err(Errno::LOOP.into());
            }
            check_owner(&stat, &here, &mut refused);
            let target = OsString::from_vec(rustix::fs::readlinkat(&directory.fd, &name, Vec::new())?.into_bytes());
            if target.as_bytes().starts_with(b"/") {
                directory = Directory::root(&mut refused)?;
            }
            for part in self::parts(Path::new(&target)).into_iter().rev() {
                parts.push_front(part);
            }
        } else if kind == FileType::Directory {
            directory = directory.below(&name, here, &mut refused)?;
        } else if parts.is_empty() {
            check_owner(&stat, &here, &mut refused);
            let found = Found { directory, name, stat };
            // Told only now that something is there.
            return match refused {
                Some(refused) => Err(refused),
                None if found.is_writable() => Err(Refused::Writable { path: here }),
                None => Ok(found),
            };
        } else {
            return Err(Errno::NOTDIR.into());
        }
    }
    if directory.opened_to != OpenTo::Us {
        refused.get_or_insert(Refused::Writable { path: directory.path.clone() });
    }
    let stat = rustix::fs::fstat(&directory.fd)?;
    refused.map_or(Ok(Found { directory, name: ".".into(), stat }), Err)
}

/// Without `.`: each of them is a name, or `..`.
fn parts(path: &Path) -> VecDeque<OsString> {
    let parts = path.as_os_str().as_bytes().split(|byte| *byte == b'/');
    parts.filter(|part| !part.is_empty() && *part != b".").map(|part| OsStr::from_bytes(part).to_owned()).collect()
}

#[cfg(target_os = "linux")]
const STEP: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
const STEP: OFlags = OFlags::RDONLY;

const DIRECTORY: OFlags = STEP.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

impl Directory {
    fn root(refused: &mut Option<Refused>) -> Result<Self, Refused> {
        let fd = rustix::fs::open("/", DIRECTORY, Mode::empty())?;
        Self::opened(fd, "/".into(), refused)
    }

    fn below(&self, name: &OsStr, path: PathBuf, refused: &mut Option<Refused>) -> Result<Self, Refused> {
        let fd = rustix::fs::openat(&self.fd, name, DIRECTORY, Mode::empty())?;
        // For messages alone.
        let path = if name == ".." { path.parent().and_then(Path::parent).unwrap_or(&path).to_owned() } else { path };
        Self::opened(fd, path, refused)
    }

    fn opened(fd: OwnedFd, path: PathBuf, refused: &mut Option<Refused>) -> Result<Self, Refused> {
        let stat = rustix::fs::fstat(&fd)?;
        let mode = Mode::from_raw_mode(stat.st_mode);
        check_owner(&stat, &path, refused);
        let opened_to = match (is_writable(&stat, &fd), mode.contains(Mode::SVTX)) {
            (false, _) => OpenTo::Us,
            (true, true) if mode.contains(Mode::WOTH) => OpenTo::All,
            (true, true) => OpenTo::Group,
            (true, false) => {
                refused.get_or_insert(Refused::Writable { path: path.clone() });
                OpenTo::Us
            }
        };
        Ok(Self { fd, path, opened_to })
    }
}

impl Found {
    pub fn read(&self, most: u64) -> Result<Vec<u8>, Refused> {
        let mut bytes = Vec::new();
        self.open()?.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > most {
            return Err(Refused::TooLarge { most });
        }
        Ok(bytes)
    }

    /// Opens a regular file: a FIFO would block, and opening a device can have side effects.
    fn open(&self) -> Result<File, Refused> {
        let is_plain = |stat: &Stat| FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
        if !is_plain(&self.stat) {
            return Err(Refused::NotPlain);
        }
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let fd = rustix::fs::openat(&self.directory.fd, &self.name, flags, Mode::empty())?;
        // Our own programs replace files, too: the one that was opened counts.
        let (stat, path) = (rustix::fs::fstat(&fd)?, self.directory.path.join(&self.name));
        let mut refused = None;
        check_owner(&stat, &path, &mut refused);
        match refused {
            Some(refused) => Err(refused),
            None if !is_plain(&stat) => Err(Refused::NotPlain),
            None if is_writable(&stat, &fd) => Err(Refused::Writable { path }),
            None => Ok(File::from(fd)),
        }
    }

    /// As far as the mode of a file tells that is not open yet.
    fn is_writable(&self) -> bool {
        let mode = Mode::from_raw_mode(self.stat.st_mode);
        mode.contains(Mode::WOTH) || mode.contains(Mode::WGRP) && !is_alone_in(self.stat.st_gid)
    }
}

fn check_owner(stat: &Stat, path: &Path, refused: &mut Option<Refused>) {
    let is_directory = FileType::from_raw_mode(stat.st_mode) == FileType::Directory;
    let is_root = stat.st_uid == 0 || is_directory && *UNMAPPED == Some(stat.st_uid);
    if !is_root && stat.st_uid != us() {
        refused.get_or_insert(Refused::Foreign { path: path.to_owned(), user: stat.st_uid });
    }
}

/// Whether another user can write. A group counts unless the user is alone in it, which is what makes `umask 002` safe.
fn is_writable(stat: &Stat, fd: &OwnedFd) -> bool {
    let mode = Mode::from_raw_mode(stat.st_mode);
    mode.contains(Mode::WOTH) || mode.contains(Mode::WGRP) && (!is_alone_in(stat.st_gid) || has_access_list(fd))
}

/// An access list shows as what the group may do, and can name any user.
#[cfg(target_os = "linux")]
fn has_access_list(fd: &OwnedFd) -> bool {
    use std::os::fd::AsRawFd;
    let there = format!("/proc/self/fd/{}", fd.as_raw_fd());
    let asked = rustix::fs::getxattr(there, "system.posix_acl_access", &mut [0_u8; 0]);
    !matches!(asked, Err(Errno::NODATA | Errno::NOTSUP))
}

#[cfg(not(target_os = "linux"))]
fn has_access_list(_: &OwnedFd) -> bool {
    true
}

/// Whether the user is the only one in a group. A machine that does not say so in its files is taken to have others.
fn is_alone_in(group: u32) -> bool {
    static ACCOUNTS: LazyLock<[String; 2]> =
        LazyLock::new(|| ["/etc/passwd", "/etc/group"].map(|file| std::fs::read_to_string(file).unwrap_or_default()));
    let [passwd, groups] = &*ACCOUNTS;
    is_private_group(group, us(), passwd, groups)
}

fn is_private_group(group: u32, user: u32, passwd: &str, groups: &str) -> bool {
    // Of a user: name, password, uid, gid. Of a group: name, password, gid, members.
    let rows = |text: &'_ str| -> Vec<Vec<String>> {
        text.lines()
            .map(|line| line.split(':').map(str::to_owned).collect())
            .filter(|row: &Vec<_>| row.len() > 3)
            .collect()
    };
    let users = rows(passwd);
    let is = |text: &str, number: u32| text.parse() == Ok(number);
    let is_us = |name: &str| users.iter().any(|row| row[0] == name && is(&row[2], user));
    let mut primary = users.iter().filter(|row| is(&row[3], group)).peekable();
    let is_primary = primary.peek().is_some() && primary.all(|row| is(&row[2], user));
    let mut named = rows(groups).into_iter().filter(|row| is(&row[2], group)).peekable();
    let is_named = named.peek().is_some();
    is_primary && is_named && named.all(|row| row[3].split(',').all(|member| member.is_empty() || is_us(member)))
}

/// In a container that does not map every user, whom the directories above belong to that come from outside: root, there.
static UNMAPPED: LazyLock<Option<u32>> = LazyLock::new(|| {
    let map = std::fs::read_to_string("/proc/self/uid_map").ok()?;
    let is_whole = map.split_ascii_whitespace().eq(["0", "0", "4294967295"]);
    let overflow = || std::fs::read_to_string("/proc/sys/kernel/overflowuid").ok()?.trim().parse().ok();
    if is_whole { None } else { overflow() }
});

fn us() -> u32 {
    rustix::process::geteuid().as_raw()
}

impl From<io::Error> for Refused {
    fn from(error: io::Error) -> Self {
        Refused::Unreadable(error)
    }
}

impl From<Errno> for Refused {
    fn from(error: Errno) -> Self {
        Refused::Unreadable(error.into())
    }
}

impl From<Refused> for io::Error {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Unreadable(error) => error,
            refused => io::Error::other(refused.to_string()),
        }
    }
}

impl std::error::Error for Refused {}

impl Refused {
    /// What is wrong; goes on from the name of the file.
    pub fn what(&self) -> String {
        match self {
            Refused::Foreign { path, user } => format!("is not read: {} belongs to user {user}", path.display()),
            Refused::Writable { path } => format!("is not read: other users can write to {}", path.display()),
            Refused::InPublic { directory } => {
                format!("is not read: every user can write to {}", directory.display())
            }
            Refused::NotPlain => "is not a plain file".to_owned(),
            Refused::TooLarge { most } => format!("is larger than {most} bytes"),
            Refused::Unreadable(error) => format!("could not be read: {error}"),
        }
    }

    /// What the user can do. Empty if `what` says it.
    pub fn advice(&self) -> String {
        match self {
            Refused::Foreign { .. } if us() == 0 => "you are root: be that user, or use `sudo -H`".to_owned(),
            Refused::Foreign { path, .. } => {
                format!("look through it, then `sudo chown {} {}`", us(), quoted(path))
            }
            Refused::Writable { path } => format!("look through it, then `chmod go-w {}`", quoted(path)),
            Refused::InPublic { .. } => "move it to a directory of your own".to_owned(),
            Refused::NotPlain | Refused::TooLarge { .. } | Refused::Unreadable(_) => String::new(),
        }
    }
}

/// As a word of a shell.
fn quoted(path: &Path) -> String {
    let path = path.display().to_string();
    let is_plain = |letter: char| letter.is_alphanumeric() || "/._-+@:,".contains(letter);
    if path.chars().all(is_plain) { path } else { format!("'{}'", path.replace('\'', r"'\''")) }
}

impl fmt::Display for Refused {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let advice = self.advice();
        write!(out, "{}{}{advice}", self.what(), if advice.is_empty() { "" } else { "; " })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::Permissions;
    use std::os::unix::fs::{PermissionsExt, chown, symlink};

    /// `home/file` in a directory of ours.
    struct Scene(tempfile::TempDir);

    impl Scene {
        fn new() -> Self {
            let scene = Scene(tempfile::tempdir().unwrap());
            std::fs::create_dir_all(scene.at("home/below")).unwrap();
            for directory in ["home", "home/below"] {
                scene.mode(directory, 0o755);
            }
            std::fs::write(scene.at("home/file"), "x").unwrap();
            scene.mode("home/file", 0o644);
            scene
        }

        fn at(&self, name: &str) -> PathBuf {
            self.0.path().join(name)
        }

        fn mode(&self, name: &str, mode: u32) {
            std::fs::set_permissions(self.at(name), Permissions::from_mode(mode)).unwrap();
        }

        /// The content, or why not.
        fn read(&self, name: &str) -> String {
            match read(&self.at(name), 100) {
                Ok(Some(bytes)) => String::from_utf8(bytes).unwrap(),
                Ok(None) => "nothing".to_owned(),
                Err(refused) => refused.to_string().replace(self.0.path().to_str().unwrap(), "T"),
            }
        }
    }

    #[test]
    fn what_others_can_write_to_is_not_read() {
        let scene = Scene::new();
        assert_eq!((scene.read("home/file").as_str(), scene.read("home/none").as_str()), ("x", "nothing"));
        let refused = |what: &str| {
            format!("is not read: other users can write to {what}; look through it, then `chmod go-w {what}`")
        };
        for mode in [0o666, 0o646, 0o622] {
            scene.mode("home/file", mode);
            assert_eq!(scene.read("home/file"), refused("T/home/file"), "{mode:o}");
        }
        scene.mode("home/file", 0o600);
        scene.mode("home", 0o777);
        assert_eq!(scene.read("home/file"), refused("T/home"));
        assert_eq!(scene.read("home/none"), "nothing", "whatever the directory");
        assert_eq!(scene.read("home/below/../file"), refused("T/home"));
        assert!(!is_ours(&scene.at("home")) && !is_ours(&scene.at("home/below")));
        scene.mode("home", 0o755);
        assert!(is_ours(&scene.at("home/below")) && is_ours(&scene.at("home/file")) && !is_ours(&scene.at("none")));
    }

    #[test]
    fn links_of_ours_are_followed_and_what_they_pass_counts() {
        let scene = Scene::new();
        symlink("../home/file", scene.at("home/link")).unwrap();
        symlink(scene.at("home"), scene.at("way")).unwrap();
        symlink("way/link", scene.at("far")).unwrap();
        for name in ["home/link", "way/file", "way/link", "far", "way/../home/./file"] {
            assert_eq!(scene.read(name), "x", "{name}");
        }
        std::fs::create_dir(scene.at("open")).unwrap();
        symlink("../home/file", scene.at("open/link")).unwrap();
        scene.mode("open", 0o777);
        symlink("open/link", scene.at("round")).unwrap();
        assert!(scene.read("round").contains("can write to T/open;"), "{}", scene.read("round"));
        symlink("circle", scene.at("circle")).unwrap();
        assert!(scene.read("circle").starts_with("could not be read: "));
        symlink("none", scene.at("dangling")).unwrap();
        assert_eq!(scene.read("dangling"), "nothing");
    }

    #[test]
    fn in_a_directory_for_everybody_only_a_directory_of_ours_counts() {
        let scene = Scene::new();
        std::fs::create_dir_all(scene.at("tmp/ours")).unwrap();
        std::fs::write(scene.at("tmp/file"), "x").unwrap();
        std::fs::write(scene.at("tmp/ours/file"), "x").unwrap();
        symlink("ours/file", scene.at("tmp/link")).unwrap();
        scene.mode("tmp", 0o1777);
        assert_eq!(scene.read("tmp/ours/file"), "x");
        let public = "is not read: every user can write to T/tmp; move it to a directory of your own";
        assert_eq!([scene.read("tmp/file"), scene.read("tmp/link")], [public, public]);
        // As the store of Nix: its builders can add what is theirs, and rename nothing of root's.
        scene.mode("tmp", 0o1775);
        assert_eq!([scene.read("tmp/file"), scene.read("tmp/link")], ["x", "x"]);
    }

    #[test]
    fn what_is_no_file_or_too_large_is_not_read() {
        let scene = Scene::new();
        let fifo = scene.at("home/fifo");
        rustix::fs::mkfifoat(rustix::fs::CWD, &fifo, Mode::from_raw_mode(0o600)).unwrap();
        assert_eq!(
            (scene.read("home/fifo").as_str(), scene.read("home").as_str()),
            ("is not a plain file", "is not a plain file")
        );
        std::fs::write(scene.at("home/file"), "x".repeat(101)).unwrap();
        assert_eq!(scene.read("home/file"), "is larger than 100 bytes");
    }

    #[test]
    fn what_belongs_to_another_user_is_not_read() {
        // Only root can act as two users.
        if us() != 0 {
            return;
        }
        let scene = Scene::new();
        chown(scene.at("home/file"), Some(4711), None).unwrap();
        assert!(scene.read("home/file").starts_with("is not read: T/home/file belongs to user 4711"));
        chown(scene.at("home/file"), Some(0), None).unwrap();
        chown(scene.at("home"), Some(4711), None).unwrap();
        assert!(scene.read("home/file").starts_with("is not read: T/home belongs to user 4711"));
        chown(scene.at("home"), Some(0), None).unwrap();
        assert_eq!(scene.read("home/file"), "x");
        // A group of others, which may have a member.
        scene.mode("home/file", 0o664);
        chown(scene.at("home/file"), None, Some(4711)).unwrap();
        assert!(scene.read("home/file").contains("other users can write to T/home/file"));
    }

    #[test]
    fn a_group_is_private_when_nobody_else_is_in_it() {
        let passwd = "root:x:0:0::/:/bin/sh\nme:x:1000:1000::/:/bin/sh\nother:x:1001:100::/:/bin/sh\n";
        let groups = "root:x:0:\nme:x:1000:\nusers:x:100:\n";
        let is_private = |group, passwd: &str, groups: &str| is_private_group(group, 1000, passwd, groups);
        assert!(is_private(1000, passwd, groups));
        assert!(is_private(1000, passwd, &groups.replace("me:x:1000:", "me:x:1000:me")));
        assert!(!is_private(1000, passwd, &groups.replace("me:x:1000:", "me:x:1000:me,other")));
        assert!(!is_private(1000, &passwd.replace(":100:", ":1000:"), groups), "another user's primary group");
        assert!(!is_private(100, passwd, groups) && !is_private(0, passwd, groups));
        assert!(!is_private(1000, passwd, "") && !is_private(1000, "", groups), "they are elsewhere");
    }
}
