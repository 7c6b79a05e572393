//! Sets a damaged database aside: renames it, deletes nothing, and says so. Repairs nothing; `salvage` copies what can be read.

use std::ffi::OsString;
use std::fs::File;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::Context;
use rusqlite::ErrorCode;

use crate::store::Notice;

/// Identifies a file, since its path may come to name another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    device: u64,
    inode: u64,
}

impl Identity {
    pub fn of(path: &Path) -> Option<Self> {
        let meta = std::fs::metadata(path).ok()?;
        Some(Self { device: meta.dev(), inode: meta.ino() })
    }
}

pub fn is_corruption(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<rusqlite::Error>())
        .filter_map(rusqlite::Error::sqlite_error_code)
        .any(|code| matches!(code, ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
}

/// The file must not be open in this process. Returns its new name; `None` if another process has replaced it already.
pub fn set_aside(path: &Path, damaged: Identity) -> anyhow::Result<Option<PathBuf>> {
    // Two processes may see the damage at the same moment; the second must not set the first one's new file aside.
    let _lock = lock(path)?;
    if Identity::of(path) != Some(damaged) {
        return Ok(None);
    }
    let aside = free_name(path);
    // The database is renamed last: a new one would replay the WAL of the old one.
    for suffix in ["-wal", "-shm", ""] {
        let (from, to) = (with_suffix(path, suffix), with_suffix(&aside, suffix));
        match std::fs::rename(&from, &to) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            renamed => renamed.with_context(|| format!("could not set {} aside", from.display()))?,
        }
    }
    Ok(Some(aside))
}

/// `saved` commands of the damaged file are in the new one.
pub fn notice(path: &Path, aside: &Path, saved: usize) -> Notice {
    let (path, aside) = (path.display(), aside.display());
    let with = match saved {
        0 => "and a new one begun, since nothing of it could be read. To fill it".to_owned(),
        1 => "and a new one begun with the one command that could be read. To fill in the rest".to_owned(),
        _ => format!("and a new one begun with the {saved} commands that could be read. To fill in the rest"),
    };
    Notice(format!(
        "The history in {path} was damaged. It was set aside as {aside}, {with} from your shell's own history, \
         run `aside history import zsh` (or bash, fish, atuin)."
    ))
}

fn lock(path: &Path) -> anyhow::Result<File> {
    let path = with_suffix(path, ".lock");
    let open = File::options().write(true).create(true).truncate(false).mode(0o600).open(&path);
    let file = open.with_context(|| format!("could not create {}", path.display()))?;
    file.lock().with_context(|| format!("could not lock {}", path.display()))?;
    Ok(file)
}

fn free_name(path: &Path) -> PathBuf {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let taken = |name: &Path| ["", "-wal", "-shm"].iter().any(|suffix| with_suffix(name, suffix).exists());
    let first = with_suffix(path, &format!(".corrupt-{now}"));
    let others = (1..).map(|number| with_suffix(&first, &format!(".{number}")));
    std::iter::once(first.clone()).chain(others).find(|name| !taken(name)).unwrap_or(first)
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    PathBuf::from(name)
}
