//! Lists directories. Reads one again when it changed; others decide what to hide from the user.

use std::fs::{File, Metadata, OpenOptions};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use aside_commands::world::{DirEntry, FileKind};
use aside_text::is_clean;
use rustix::fs::{Access, AtFlags, Dir, FileType, OFlags};

/// Cap on the names kept of one directory.
const MAX_ENTRIES: usize = 20_000;
/// Cap on the names read: a directory of files with unpresentable names must end too.
const MAX_READ: usize = 100_000;
/// The longest path that is opened, and the longest file name on Linux and macOS.
const MAX_PATH: usize = 4096;
pub const MAX_NAME: usize = 255;
/// A directory with so few names is always read again: `chmod +x` and a retargeted link do not change the directory's mtime.
const SMALL: usize = 500;
/// TTL of a larger one.
const TRUSTED_FOR: Duration = Duration::from_secs(60);
/// File systems round mtimes to up to two seconds; a second change within that time does not show.
const STEP: Duration = Duration::from_secs(2);

#[derive(Clone, Debug)]
pub struct Listing {
    pub entries: Arc<[DirEntry]>,
    stamp: Option<Stamp>,
    read: Instant,
}

/// Changes whenever a name comes or goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    device: u64,
    inode: u64,
    seconds: i64,
    nanoseconds: i64,
}

/// `None` when there is no such directory, or we may not read it.
pub fn list(path: &str, last: Option<Listing>) -> Option<Listing> {
    if path.len() > MAX_PATH {
        return None;
    }
    let flags = (OFlags::DIRECTORY | OFlags::NONBLOCK).bits() as i32;
    let directory = OpenOptions::new().read(true).custom_flags(flags).open(path).ok()?;
    let stamp = directory.metadata().ok().and_then(|meta| stamp(&meta));
    let now = Instant::now();
    if let Some(last) = &last
        && last.entries.len() > SMALL
        && stamp.is_some()
        && last.stamp == stamp
        && now.saturating_duration_since(last.read) < TRUSTED_FOR
    {
        return Some(last.clone());
    }
    let mut entries = Vec::new();
    for entry in Dir::read_from(&directory).ok()?.take(MAX_READ) {
        let Ok(entry) = entry else { break };
        let Ok(name) = entry.file_name().to_str() else { continue };
        if matches!(name, "." | "..") || !is_presentable(name) {
            continue;
        }
        if entries.len() == MAX_ENTRIES {
            break;
        }
        entries.push(DirEntry { kind: kind(&directory, name, entry.file_type()), name: name.into() });
    }
    entries.sort_unstable_by(|one, other| one.name.cmp(&other.name));
    // Keeps the old list if it is equal, so that callers can compare pointers.
    let entries = match last {
        Some(last) if *last.entries == *entries => last.entries,
        Some(_) | None => entries.into(),
    };
    Some(Listing { entries, stamp, read: now })
}

/// Whether there is a program of this name, by the same rules as `list`.
pub fn has_program(path: &str, name: &str) -> bool {
    let program = format!("{path}/{name}");
    let is_file = || std::fs::metadata(&program).is_ok_and(|meta| meta.is_file());
    program.len() <= MAX_PATH && rustix::fs::access(&program, Access::EXEC_OK).is_ok() && is_file()
}

/// Whether a name may be inserted and shown. Leaves out names with line breaks, although quotes could protect them.
pub fn is_presentable(name: &str) -> bool {
    !name.is_empty() && name.len() <= MAX_NAME && is_clean(name) && !name.contains(['\n', '\t'])
}

/// `None` while a change could go unnoticed.
fn stamp(meta: &Metadata) -> Option<Stamp> {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).ok()?;
    let changed = Duration::from_secs(u64::try_from(meta.mtime()).ok()?);
    let settled = changed + STEP < now;
    let stamp = Stamp { device: meta.dev(), inode: meta.ino(), seconds: meta.mtime(), nanoseconds: meta.mtime_nsec() };
    settled.then_some(stamp)
}

fn kind(directory: &File, name: &str, told: FileType) -> FileKind {
    let found = match told {
        // Follows links; also asks where the file system does not report types.
        FileType::Symlink | FileType::Unknown => match rustix::fs::statat(directory, name, AtFlags::empty()) {
            Ok(stat) => FileType::from_raw_mode(stat.st_mode),
            Err(_) => return FileKind::Other,
        },
        told => told,
    };
    match found {
        FileType::Directory => FileKind::Directory,
        FileType::RegularFile => match rustix::fs::accessat(directory, name, Access::EXEC_OK, AtFlags::empty()) {
            Ok(()) => FileKind::Program,
            Err(_) => FileKind::File,
        },
        _ => FileKind::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn names(listing: &Listing) -> Vec<String> {
        listing.entries.iter().map(|entry| format!("{} {:?}", entry.name, entry.kind)).collect()
    }

    #[test]
    fn every_kind_is_told_and_what_could_not_be_shown_is_left_out() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path();
        std::fs::create_dir(path.join("src")).unwrap();
        for name in ["b", "a b", ".hidden", "run", "esc\u{1b}[31m", "new\nline", "rtl\u{202e}"] {
            std::fs::write(path.join(name), "").unwrap();
        }
        std::fs::write(path.join(OsStr::from_bytes(b"bad\xff")), "").unwrap();
        std::fs::set_permissions(path.join("run"), std::fs::Permissions::from_mode(0o755)).unwrap();
        symlink("src", path.join("to-src")).unwrap();
        symlink("run", path.join("to-run")).unwrap();
        symlink("gone", path.join("to-nowhere")).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(path.join("socket")).unwrap();
        let listing = list(path.to_str().unwrap(), None).unwrap();
        let expected = [
            ".hidden File",
            "a b File",
            "b File",
            "run Program",
            "socket Other",
            "src Directory",
            "to-nowhere Other",
            "to-run Program",
            "to-src Directory",
        ];
        assert_eq!(names(&listing), expected);
        assert!(list(path.join("b").to_str().unwrap(), None).is_none());
        assert!(list(path.join("missing").to_str().unwrap(), None).is_none());
        assert!(list(&"/x".repeat(9999), None).is_none());
    }

    #[test]
    fn a_program_that_became_one_is_noticed() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().to_str().unwrap();
        std::fs::write(temp.path().join("run"), "").unwrap();
        let first = list(path, None);
        std::fs::set_permissions(temp.path().join("run"), std::fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(names(&list(path, first).unwrap()), ["run Program"]);
    }

    #[test]
    fn a_large_directory_is_read_again_only_when_it_changed() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().to_str().unwrap();
        for number in 0..SMALL + 1 {
            std::fs::write(temp.path().join(format!("{number:05}")), "").unwrap();
        }
        let age = |seconds| {
            let times = std::fs::FileTimes::new().set_modified(SystemTime::now() - Duration::from_secs(seconds));
            std::fs::File::open(path).unwrap().set_times(times).unwrap();
        };
        age(100);
        let first = list(path, None).unwrap();
        let second = list(path, Some(first.clone())).unwrap();
        assert!(first.read == second.read && Arc::ptr_eq(&first.entries, &second.entries));
        std::fs::write(temp.path().join("new"), "").unwrap();
        let third = list(path, Some(second)).unwrap();
        assert_eq!(third.entries.len(), first.entries.len() + 1);
        // It changed a moment ago, and may have changed again within the mtime's resolution.
        let fourth = list(path, Some(third.clone())).unwrap();
        assert!(fourth.read > third.read && Arc::ptr_eq(&third.entries, &fourth.entries));
    }

    #[test]
    fn the_rest_of_a_huge_directory_is_cut() {
        let temp = tempfile::tempdir().unwrap();
        for number in 0..MAX_ENTRIES + 10 {
            std::fs::File::create(temp.path().join(number.to_string())).unwrap();
        }
        assert_eq!(list(temp.path().to_str().unwrap(), None).unwrap().entries.len(), MAX_ENTRIES);
    }
}
