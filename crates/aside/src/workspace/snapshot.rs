//! Records when each file of a workspace last changed, to tell later which did. Uses the kernel's change time, which no program can set
//! back. Reads no file.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use aside_task::run::context::Ignored;
use rustix::fs::{AtFlags, statat};

use crate::workspace::Workspace;
use crate::workspace::rooted_fs::Root;
use crate::workspace::walk::{IgnoredDirs, WalkDeadline, WalkEnd, walk};

/// Cap on directory entries, and the timeout.
const MAX_ENTRIES: usize = 20_000;
const TIME: Duration = Duration::from_secs(2);
/// Files that git obeys. Its index is left out: a prompt that shows the status writes it.
const OF_GIT: [&str; 3] = [".git/HEAD", ".git/config", ".git/hooks"];

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    files: BTreeMap<String, Stamp>,
    /// Whether all files were seen.
    is_whole: bool,
}

/// Seconds and nanoseconds of the change time, and the inode.
type Stamp = (i64, u64, u64);

impl Workspace {
    /// Takes a snapshot of the files that are not ignored, since builds write those, and not below `except`.
    pub fn snapshot(&self, except: &[PathBuf], cancelled: &AtomicBool) -> Snapshot {
        let Ok(root) = Root::open(self.root()) else { return Snapshot::default() };
        let Ok(top) = root.dir(&[]) else { return Snapshot::default() };
        let stamp = |path: &str| {
            let stat = statat(top.fd(), path, AtFlags::SYMLINK_NOFOLLOW).ok()?;
            Some((stat.st_ctime as i64, stat.st_ctime_nsec as u64, stat.st_ino as u64))
        };
        let mut files = BTreeMap::new();
        let ended = walk(
            &root,
            IgnoredDirs::Tracked,
            MAX_ENTRIES,
            &WalkDeadline::new(TIME, cancelled),
            &mut |path, ignored| {
                let is_except = except.iter().any(|place| self.root().join(path).starts_with(place));
                if ignored == Ignored::No
                    && !is_except
                    && let Some(stamp) = stamp(path)
                {
                    files.insert(path.to_owned(), stamp);
                }
                ControlFlow::Continue(())
            },
        );
        files.extend(OF_GIT.iter().filter_map(|path| Some(((*path).to_owned(), stamp(path)?))));
        Snapshot { files, is_whole: ended == WalkEnd::Whole }
    }
}

impl Snapshot {
    /// Files that were added, removed or changed. If a snapshot is incomplete, only files that are in both count.
    pub fn changed(&self, later: &Self) -> Vec<String> {
        let both_whole = self.is_whole && later.is_whole;
        let is_other = |path: &&String| match (self.files.get(*path), later.files.get(*path)) {
            (Some(before), Some(after)) => before != after,
            _ => both_whole,
        };
        let new = later.files.keys().filter(|path| !self.files.contains_key(*path));
        let mut changed: Vec<String> = self.files.keys().chain(new).filter(is_other).cloned().collect();
        changed.sort_unstable();
        changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_was_written_made_or_removed_is_found_and_its_time_cannot_hide_it() {
        let temp = tempfile::tempdir().unwrap();
        let at = |name: &str| temp.path().join(name);
        std::fs::create_dir_all(at(".git/hooks")).unwrap();
        std::fs::create_dir_all(at("own")).unwrap();
        for name in [".git/HEAD", "a", "b", "c", "d", "own/x", ".gitignore"] {
            std::fs::write(at(name), "target\n").unwrap();
        }
        let workspace = Workspace::of(temp.path()).unwrap();
        let own = [workspace.root().join("own")];
        let look = || workspace.snapshot(&own, &AtomicBool::new(false));
        let before = look();
        assert_eq!(before.changed(&look()), Vec::<String>::new());
        let time = std::fs::metadata(at("a")).unwrap().modified().unwrap();
        std::fs::write(at("a"), "Target\n").unwrap();
        std::fs::File::options().write(true).open(at("a")).unwrap().set_modified(time).unwrap();
        std::fs::remove_file(at("b")).unwrap();
        std::fs::rename(at("d"), at("c")).unwrap();
        std::fs::write(at("own/x"), "its own").unwrap();
        std::fs::write(at("target"), "built").unwrap();
        std::fs::write(at(".git/hooks/post-commit"), "x").unwrap();
        assert_eq!(before.changed(&look()), [".git/hooks", "a", "b", "c", "d"]);
    }

    #[test]
    fn where_not_all_was_seen_nothing_counts_as_new() {
        let part = |files: &[(&str, i64)]| Snapshot {
            files: files.iter().map(|(name, time)| ((*name).to_owned(), (*time, 0, 1))).collect(),
            is_whole: false,
        };
        assert_eq!(part(&[("a", 1), ("b", 1)]).changed(&part(&[("a", 2), ("c", 1)])), ["a"]);
    }
}
