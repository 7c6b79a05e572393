//! Reads files that a lookup is about, all of them bounded: their beginning, their end, files that match a pattern, and what they list.

use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use aside_commands::world::LiveItem;
use regex::Regex;

/// Cap on any file, in bytes.
pub const MAX_BYTES: u64 = 1024 * 1024;
/// Caps on matching files per file, on patterns, and on directory entries compared with them: a hostile file must not keep a thread busy.
const MAX_MATCHES: usize = 500;
const MAX_PATTERNS: usize = 500;
const MAX_COMPARED: usize = 50_000;
/// The longest possible file name.
const MAX_NAME: usize = 255;

pub fn item(name: impl Into<Box<str>>, about: impl Into<Box<str>>) -> LiveItem {
    LiveItem { name: name.into(), about: about.into() }
}

/// The beginning of a regular file: opening a FIFO would block.
pub fn read(file: &Path) -> Option<String> {
    let file = open(file)?;
    let mut bytes = Vec::new();
    file.take(MAX_BYTES).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The complete lines at the end of a file, within so many bytes.
pub fn read_end(file: &Path, bytes: u64) -> Option<String> {
    use std::io::{Seek, SeekFrom};
    let mut file = open(file)?;
    let length = file.metadata().ok()?.len();
    let skipped = length.saturating_sub(bytes);
    file.seek(SeekFrom::Start(skipped)).ok()?;
    let mut end = Vec::new();
    file.take(bytes).read_to_end(&mut end).ok()?;
    let text = String::from_utf8_lossy(&end).into_owned();
    match text.split_once('\n') {
        Some((_, whole)) if skipped > 0 => Some(whole.to_owned()),
        _ => Some(text),
    }
}

/// The files that match the patterns, sorted by name for each. Only the last component may contain `*` or `?`; as in a shell, it does not
/// match hidden files.
pub fn glob(patterns: impl IntoIterator<Item = PathBuf>) -> Vec<PathBuf> {
    let mut compared = 0;
    let mut files = Vec::new();
    for pattern in patterns.into_iter().take(MAX_PATTERNS) {
        if files.len() < MAX_MATCHES && compared < MAX_COMPARED {
            files.extend(matches(pattern, &mut compared));
        }
    }
    files.truncate(MAX_MATCHES);
    files
}

fn matches(pattern: PathBuf, compared: &mut usize) -> Vec<PathBuf> {
    let (Some(directory), Some(last)) = (pattern.parent(), pattern.file_name().and_then(|last| last.to_str())) else {
        return Vec::new();
    };
    if last.len() > MAX_NAME {
        return Vec::new();
    }
    if !last.contains(['*', '?']) {
        return vec![pattern];
    }
    let wanted = regex::escape(last).replace(r"\*", ".*").replace(r"\?", ".");
    let Ok(wanted) = Regex::new(&format!("^{wanted}$")) else { return Vec::new() };
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries
        .take(MAX_COMPARED - *compared)
        .inspect(|_| *compared += 1)
        .filter(|entry| entry.file_name().to_str().is_some_and(|name| !name.starts_with('.') && wanted.is_match(name)))
        .map(|entry| entry.path())
        .collect();
    files.sort();
    files
}

/// The same for a file that another file names: reads it only if it is below this directory after resolving links.
pub fn read_below(base: &Path, file: &Path) -> Option<String> {
    read(&resolved_below(base, file)?)
}

/// The path with links resolved, if it is then below this directory.
pub fn resolved_below(base: &Path, path: &Path) -> Option<PathBuf> {
    let (base, path) = (base.canonicalize().ok()?, path.canonicalize().ok()?);
    path.starts_with(&base).then_some(path)
}

fn open(file: &Path) -> Option<std::fs::File> {
    // Opening a device or a FIFO can have side effects.
    if !std::fs::metadata(file).ok()?.is_file() {
        return None;
    }
    let flags = (rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY).bits() as i32;
    let file = std::fs::OpenOptions::new().read(true).custom_flags(flags).open(file).ok()?;
    // It may have been replaced meanwhile.
    file.metadata().ok()?.is_file().then_some(file)
}

/// A fixture: `netrc`, which parses as a makefile and a justfile, beside `repo`, which has a link to it and an empty directory `below`.
#[cfg(test)]
pub fn repository_beside_a_secret() -> tempfile::TempDir {
    let temp = tempfile::tempdir().unwrap();
    let at = |name: &str| temp.path().join(name);
    std::fs::create_dir_all(at("repo/.git")).unwrap();
    std::fs::create_dir_all(at("repo/below")).unwrap();
    std::fs::write(at("netrc"), "machine: \npassword: \n").unwrap();
    std::os::unix::fs::symlink(at("netrc"), at("repo/link")).unwrap();
    temp
}
