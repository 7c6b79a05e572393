//! Goes through the files of a workspace, the nearest to the top first, in at most so many entries and so much time. Follows no link,
//! leaves neither the workspace nor its file system, and never sees `.git`.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use aside_core::task::run::context::Ignored;
use aside_core::text;
use rustix::fs::{AtFlags, FileType};

use crate::workspace::beneath::{Dir, Root};
use crate::workspace::rules::{Begins, Has, Rules};

/// A path that is deeper is no place that a person works in.
const MAX_DEPTH: usize = 64;
/// After so many entries of one directory it is asked whether there is still time.
const BREATH: usize = 512;

/// How long something may go on.
pub struct Until<'a> {
    end: Instant,
    cancelled: &'a AtomicBool,
}

impl<'a> Until<'a> {
    pub fn new(time: Duration, cancelled: &'a AtomicBool) -> Self {
        Self { end: Instant::now() + time, cancelled }
    }

    pub fn over(&self) -> Option<Ended> {
        if self.cancelled.load(Ordering::Relaxed) {
            return Some(Ended::Cancelled);
        }
        (Instant::now() >= self.end).then_some(Ended::Late)
    }
}

/// Why it did not go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    Whole,
    Many,
    Late,
    Cancelled,
}

/// Whether what is below an ignored directory is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Below {
    Tracked,
    /// That too, after all else.
    Ignored,
}

/// Gives each file to `visit`, those that are ignored as well.
pub fn walk(
    root: &Root,
    below: Below,
    most: usize,
    until: &Until<'_>,
    visit: &mut dyn FnMut(&str, Ignored) -> ControlFlow<()>,
) -> Ended {
    let Ok(top) = root.dir(&[]).and_then(|dir| Ok(rustix::fs::fstat(dir.fd())?)) else { return Ended::Whole };
    let mut left = most;
    let mut queue = VecDeque::from([(String::new(), Rules::of(root))]);
    let mut later = VecDeque::new();
    while let Some((path, above)) = queue.pop_front().or_else(|| later.pop_front()) {
        if let Some(ended) = until.over() {
            return ended;
        }
        let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
        // What vanishes, or may not be read, is passed over.
        let Ok(dir) = root.dir(&parts) else { continue };
        if rustix::fs::fstat(dir.fd()).map(|stat| stat.st_dev) != Ok(top.st_dev) {
            continue;
        }
        let (entries, ended) = entries(&dir, left, until);
        left -= entries.len();
        let has = |name: &str| entries.iter().any(|(entry, _)| entry == name);
        let begins = if has(".git") { Begins::Repository } else { Begins::No };
        let has = Has { ignore: has(".ignore"), gitignore: has(".gitignore"), begins };
        let rules = above.below(&path, &dir, has);
        for (name, kind) in entries.iter().filter(|(name, _)| is_shown(name)) {
            let path = if path.is_empty() { name.clone() } else { format!("{path}/{name}") };
            match kind {
                FileType::RegularFile => {
                    let ignored = rules.ignored(&path, false);
                    if visit(&path, ignored).is_break() {
                        return Ended::Whole;
                    }
                }
                FileType::Directory if parts.len() < MAX_DEPTH => match (rules.ignored(&path, true), below) {
                    (Ignored::No, _) => queue.push_back((path, Arc::clone(&rules))),
                    (Ignored::Yes, Below::Ignored) => later.push_back((path, Arc::clone(&rules))),
                    (Ignored::Yes, Below::Tracked) => {}
                },
                _ => {}
            }
        }
        if let Some(ended) = ended {
            return ended;
        }
    }
    Ended::Whole
}

/// Whether a file that is there is ignored, itself or with a directory above it.
pub fn is_ignored(root: &Root, path: &str) -> Ignored {
    let mut rules = Rules::of(root);
    let parts: Vec<&str> = path.split('/').collect();
    for depth in 0..parts.len() {
        let above = &parts[..depth];
        let Ok(dir) = root.dir(above) else { return Ignored::No };
        let is = |name: &str| rustix::fs::statat(dir.fd(), name, AtFlags::SYMLINK_NOFOLLOW).is_ok();
        let begins = if is(".git") { Begins::Repository } else { Begins::No };
        rules = rules.below(&above.join("/"), &dir, Has { ignore: true, gitignore: true, begins });
        let is_dir = depth + 1 < parts.len();
        if rules.ignored(&parts[..=depth].join("/"), is_dir) == Ignored::Yes {
            return Ignored::Yes;
        }
    }
    Ignored::No
}

/// Names that can be written down, what each is, and why there are no more of them.
fn entries(dir: &Dir, most: usize, until: &Until<'_>) -> (Vec<(String, FileType)>, Option<Ended>) {
    let mut entries = Vec::new();
    let Ok(listing) = rustix::fs::Dir::read_from(dir.fd()) else { return (entries, None) };
    for entry in listing.flatten() {
        let Ok(name) = entry.file_name().to_str() else { continue };
        if matches!(name, "." | "..") {
            continue;
        }
        if entries.len() >= most {
            return (entries, Some(Ended::Many));
        }
        if entries.len() % BREATH == BREATH - 1
            && let Some(ended) = until.over()
        {
            return (entries, Some(ended));
        }
        let kind = match entry.file_type() {
            // Some file systems do not say.
            FileType::Unknown => rustix::fs::statat(dir.fd(), name, AtFlags::SYMLINK_NOFOLLOW)
                .map_or(FileType::Unknown, |stat| FileType::from_raw_mode(stat.st_mode)),
            kind => kind,
        };
        entries.push((name.to_owned(), kind));
    }
    entries.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
    (entries, None)
}

/// Neither git's own, nor a file that we are about to put in place, nor a name that would deceive whoever reads it.
fn is_shown(name: &str) -> bool {
    !name.eq_ignore_ascii_case(".git")
        && !name.starts_with(".aside-")
        && text::is_clean(name)
        && !name.contains(['\n', '\t'])
}
