//! Walks the files of a workspace, nearest to the root first, with a cap on entries and time. Follows no link, stays on the workspace's
//! file system, and never enters `.git`.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use aside_task::run::context::Ignored;
use aside_text as text;
use rustix::fs::{AtFlags, FileType};

use crate::workspace::ignore_rules::{DirectoryMarkers, IgnoreRules, RepositoryStart};
use crate::workspace::rooted_fs::{Dir, Root};

/// Users do not work in deeper directories.
const MAX_DEPTH: usize = 64;
/// Entries of a directory between two checks of the deadline.
const BREATH: usize = 512;

/// A deadline and a cancellation flag.
pub struct WalkDeadline<'a> {
    end: Instant,
    cancelled: &'a AtomicBool,
}

impl<'a> WalkDeadline<'a> {
    pub fn new(time: Duration, cancelled: &'a AtomicBool) -> Self {
        Self { end: Instant::now() + time, cancelled }
    }

    pub fn over(&self) -> Option<WalkEnd> {
        if self.cancelled.load(Ordering::Relaxed) {
            return Some(WalkEnd::Cancelled);
        }
        (Instant::now() >= self.end).then_some(WalkEnd::Late)
    }
}

/// Why the walk ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WalkEnd {
    Whole,
    Many,
    Late,
    Cancelled,
}

/// Whether ignored directories are entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IgnoredDirs {
    Tracked,
    /// They are, after everything else.
    Ignored,
}

/// Passes each file to `visit`, including ignored ones.
pub fn walk(
    root: &Root,
    below: IgnoredDirs,
    most: usize,
    until: &WalkDeadline<'_>,
    visit: &mut dyn FnMut(&str, Ignored) -> ControlFlow<()>,
) -> WalkEnd {
    let Ok(top) = root.dir(&[]).and_then(|dir| Ok(rustix::fs::fstat(dir.fd())?)) else { return WalkEnd::Whole };
    let mut left = most;
    let mut queue = VecDeque::from([(String::new(), IgnoreRules::of(root))]);
    let mut later = VecDeque::new();
    while let Some((path, above)) = queue.pop_front().or_else(|| later.pop_front()) {
        if let Some(ended) = until.over() {
            return ended;
        }
        let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
        // Skips directories that vanish or cannot be read.
        let Ok(dir) = root.dir(&parts) else { continue };
        if rustix::fs::fstat(dir.fd()).map(|stat| stat.st_dev) != Ok(top.st_dev) {
            continue;
        }
        let (entries, ended) = entries(&dir, left, until);
        left -= entries.len();
        let has = |name: &str| entries.iter().any(|(entry, _)| entry == name);
        let begins = if has(".git") { RepositoryStart::Repository } else { RepositoryStart::No };
        let has = DirectoryMarkers { ignore: has(".ignore"), gitignore: has(".gitignore"), begins };
        let rules = above.below(&path, &dir, has);
        for (name, kind) in entries.iter().filter(|(name, _)| is_shown(name)) {
            let path = if path.is_empty() { name.clone() } else { format!("{path}/{name}") };
            match kind {
                FileType::RegularFile => {
                    let ignored = rules.ignored(&path, false);
                    if visit(&path, ignored).is_break() {
                        return WalkEnd::Whole;
                    }
                }
                FileType::Directory if parts.len() < MAX_DEPTH => match (rules.ignored(&path, true), below) {
                    (Ignored::No, _) => queue.push_back((path, Arc::clone(&rules))),
                    (Ignored::Yes, IgnoredDirs::Ignored) => later.push_back((path, Arc::clone(&rules))),
                    (Ignored::Yes, IgnoredDirs::Tracked) => {}
                },
                _ => {}
            }
        }
        if let Some(ended) = ended {
            return ended;
        }
    }
    WalkEnd::Whole
}

/// Whether an existing file is ignored, itself or by a directory above it.
pub fn is_ignored(root: &Root, path: &str) -> Ignored {
    let mut rules = IgnoreRules::of(root);
    let parts: Vec<&str> = path.split('/').collect();
    for depth in 0..parts.len() {
        let above = &parts[..depth];
        let Ok(dir) = root.dir(above) else { return Ignored::No };
        let is = |name: &str| rustix::fs::statat(dir.fd(), name, AtFlags::SYMLINK_NOFOLLOW).is_ok();
        let begins = if is(".git") { RepositoryStart::Repository } else { RepositoryStart::No };
        rules = rules.below(&above.join("/"), &dir, DirectoryMarkers { ignore: true, gitignore: true, begins });
        let is_dir = depth + 1 < parts.len();
        if rules.ignored(&parts[..=depth].join("/"), is_dir) == Ignored::Yes {
            return Ignored::Yes;
        }
    }
    Ignored::No
}

/// The UTF-8 names of a directory's entries, their types, and why the list is incomplete.
fn entries(dir: &Dir, most: usize, until: &WalkDeadline<'_>) -> (Vec<(String, FileType)>, Option<WalkEnd>) {
    let mut entries = Vec::new();
    let Ok(listing) = rustix::fs::Dir::read_from(dir.fd()) else { return (entries, None) };
    for entry in listing.flatten() {
        let Ok(name) = entry.file_name().to_str() else { continue };
        if matches!(name, "." | "..") {
            continue;
        }
        if entries.len() >= most {
            return (entries, Some(WalkEnd::Many));
        }
        if entries.len() % BREATH == BREATH - 1
            && let Some(ended) = until.over()
        {
            return (entries, Some(ended));
        }
        let kind = match entry.file_type() {
            // Some file systems do not report the type.
            FileType::Unknown => rustix::fs::statat(dir.fd(), name, AtFlags::SYMLINK_NOFOLLOW)
                .map_or(FileType::Unknown, |stat| FileType::from_raw_mode(stat.st_mode)),
            kind => kind,
        };
        entries.push((name.to_owned(), kind));
    }
    entries.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
    (entries, None)
}

/// Hides git's own directory, Aside's temporary files, and names with characters that could deceive the user.
fn is_shown(name: &str) -> bool {
    !name.eq_ignore_ascii_case(".git")
        && !name.starts_with(".aside-")
        && text::is_clean(name)
        && !name.contains(['\n', '\t'])
}
