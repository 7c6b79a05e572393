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
    let Some(start) = WalkStart::of(root) else { return WalkEnd::Whole };
    let mut left = most;
    let mut queue = VecDeque::from([start.first]);
    let mut later = VecDeque::new();
    while let Some(unlisted) = queue.pop_front().or_else(|| later.pop_front()) {
        if let Some(ended) = until.over() {
            return ended;
        }
        let Some(listed) = unlisted.list(root, start.device, left, &|| until.over()) else { continue };
        left -= listed.entries;
        for (path, ignored) in &listed.files {
            if visit(path, *ignored).is_break() {
                return WalkEnd::Whole;
            }
        }
        for (unlisted, ignored) in listed.dirs {
            match (ignored, below) {
                (Ignored::No, _) => queue.push_back(unlisted),
                (Ignored::Yes, IgnoredDirs::Ignored) => later.push_back(unlisted),
                (Ignored::Yes, IgnoredDirs::Tracked) => {}
            }
        }
        if let Some(ended) = listed.ended {
            return ended;
        }
    }
    WalkEnd::Whole
}

/// Where a walk begins, and the file system that it stays on.
pub struct WalkStart {
    pub first: UnlistedDir,
    pub device: u64,
}

impl WalkStart {
    pub fn of(root: &Root) -> Option<Self> {
        let device = device(&root.dir(&[]).ok()?)?;
        Some(Self { first: UnlistedDir { path: String::new(), rules: IgnoreRules::of(root) }, device })
    }
}

/// A directory that the walk has still to list, with the rules that hold in it. Its path is relative to the root.
pub struct UnlistedDir {
    path: String,
    rules: Arc<IgnoreRules>,
}

/// What is in a directory, sorted by name.
pub struct ListedDir {
    pub dir: Dir,
    /// Paths from the root.
    pub files: Vec<(String, Ignored)>,
    pub dirs: Vec<(UnlistedDir, Ignored)>,
    /// Number of entries, also of those that are not shown.
    pub entries: usize,
    /// Why some are missing.
    pub ended: Option<WalkEnd>,
}

impl UnlistedDir {
    /// `None` for a directory that vanished, cannot be read, or is on another file system.
    pub fn list(
        self,
        root: &Root,
        on_device: u64,
        most: usize,
        over: &dyn Fn() -> Option<WalkEnd>,
    ) -> Option<ListedDir> {
        let parts: Vec<&str> = self.path.split('/').filter(|part| !part.is_empty()).collect();
        let dir = root.dir(&parts).ok()?;
        if device(&dir) != Some(on_device) {
            return None;
        }
        let (entries, ended) = entries(&dir, most, over);
        let has = |name: &str| entries.binary_search_by(|(entry, _)| entry.as_str().cmp(name)).is_ok();
        let begins = if has(".git") { RepositoryStart::Repository } else { RepositoryStart::No };
        let has = DirectoryMarkers { ignore: has(".ignore"), gitignore: has(".gitignore"), begins };
        let rules = self.rules.below(&self.path, &dir, has);
        let (mut files, mut dirs) = (Vec::new(), Vec::new());
        for (name, kind) in entries.iter().filter(|(name, _)| is_shown(name)) {
            let path = if self.path.is_empty() { name.clone() } else { format!("{}/{name}", self.path) };
            match kind {
                FileType::RegularFile => {
                    let ignored = rules.ignored(&path, false);
                    files.push((path, ignored));
                }
                FileType::Directory if parts.len() < MAX_DEPTH => {
                    let ignored = rules.ignored(&path, true);
                    dirs.push((UnlistedDir { path, rules: Arc::clone(&rules) }, ignored));
                }
                _ => {}
            }
        }
        Some(ListedDir { dir, files, dirs, entries: entries.len(), ended })
    }
}

/// The file system that a directory is on.
fn device(dir: &Dir) -> Option<u64> {
    rustix::fs::fstat(dir.fd()).ok().map(|stat| stat.st_dev)
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

/// The UTF-8 names of a directory's entries, sorted, their types, and why the list is incomplete.
fn entries(dir: &Dir, most: usize, over: &dyn Fn() -> Option<WalkEnd>) -> (Vec<(String, FileType)>, Option<WalkEnd>) {
    let (mut entries, mut ended) = (Vec::new(), None);
    let Ok(listing) = rustix::fs::Dir::read_from(dir.fd()) else { return (entries, ended) };
    for entry in listing.flatten() {
        let Ok(name) = entry.file_name().to_str() else { continue };
        if matches!(name, "." | "..") {
            continue;
        }
        if entries.len() >= most {
            ended = Some(WalkEnd::Many);
            break;
        }
        if entries.len() % BREATH == BREATH - 1 {
            ended = over();
            if ended.is_some() {
                break;
            }
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
    (entries, ended)
}

/// Hides git's own directory, Aside's temporary files, and names with characters that could deceive the user.
fn is_shown(name: &str) -> bool {
    !name.eq_ignore_ascii_case(".git")
        && !name.starts_with(".aside-")
        && text::is_clean(name)
        && !name.contains(['\n', '\t'])
}
