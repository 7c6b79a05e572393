//! The configuration of a running daemon: re-read when the file changes, and the last good one while the file is wrong.
//! No watcher: a look at the file survives editors that replace it and dotfiles behind links, and costs a microsecond.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::config::Config;

const LOOK_EVERY: Duration = Duration::from_secs(1);

pub struct Live {
    path: PathBuf,
    state: Mutex<State>,
}

struct State {
    good: Arc<Config>,
    problems: Option<String>,
    stamp: Option<Stamp>,
    looked: Instant,
}

/// Changes when the file does. The time of the last change to the inode tells that a `chmod` made it readable.
#[derive(PartialEq)]
struct Stamp {
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Live {
    pub fn new(path: PathBuf) -> Self {
        Self::new_at(path, Instant::now())
    }

    /// The same `Arc` as before unless a value changed, so that whatever was made from it can be kept by its address.
    pub fn current(&self) -> Arc<Config> {
        self.current_at(Instant::now())
    }

    /// What is wrong with the file now, one problem a line, while an earlier configuration stays in force.
    pub fn problems(&self) -> Option<String> {
        self.look(Instant::now(), |state| state.problems.clone())
    }

    fn new_at(path: PathBuf, now: Instant) -> Self {
        let mut state = State { good: Arc::default(), problems: None, stamp: Stamp::of(&path), looked: now };
        state.read(&path);
        Self { path, state: Mutex::new(state) }
    }

    fn current_at(&self, now: Instant) -> Arc<Config> {
        self.look(now, |state| Arc::clone(&state.good))
    }

    fn look<T>(&self, now: Instant, answer: impl FnOnce(&State) -> T) -> T {
        // Every state in between is a configuration too, so one that a panic left behind is good enough.
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if now.saturating_duration_since(state.looked) >= LOOK_EVERY {
            state.looked = now;
            // Before reading: a change while we read is seen by the next look.
            let stamp = Stamp::of(&self.path);
            if stamp != state.stamp {
                state.stamp = stamp;
                state.read(&self.path);
            }
        }
        answer(&state)
    }
}

impl State {
    fn read(&mut self, path: &Path) {
        match Config::load(path) {
            Ok(config) => {
                self.problems = None;
                if *self.good != config {
                    self.good = Arc::new(config);
                }
            }
            Err(problems) => self.problems = Some(problems.to_string()),
        }
    }
}

impl Stamp {
    fn of(path: &Path) -> Option<Self> {
        let meta = std::fs::metadata(path).ok()?;
        Some(Self {
            device: meta.dev(),
            inode: meta.ino(),
            size: meta.size(),
            modified: (meta.mtime(), meta.mtime_nsec()),
            changed: (meta.ctime(), meta.ctime_nsec()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Scene {
        _temp: tempfile::TempDir,
        file: PathBuf,
        live: Live,
        now: Instant,
    }

    fn scene(text: &str) -> Scene {
        let temp = tempfile::tempdir().unwrap();
        let file = temp.path().join("config.toml");
        std::fs::write(&file, text).unwrap();
        let now = Instant::now();
        let live = Live::new_at(file.clone(), now);
        Scene { _temp: temp, file, live, now }
    }

    impl Scene {
        fn candidates_after(&mut self, pause: Duration) -> usize {
            self.now += pause;
            self.live.current_at(self.now).complete.max_candidates
        }
    }

    #[test]
    fn a_change_is_seen_at_the_next_look_and_not_before() {
        let mut scene = scene("complete.max_candidates = 5");
        std::fs::write(&scene.file, "complete.max_candidates = 17").unwrap();
        assert_eq!(scene.candidates_after(LOOK_EVERY / 2), 5);
        assert_eq!(scene.candidates_after(LOOK_EVERY / 2), 17);
    }

    #[test]
    fn the_last_good_configuration_stays_while_the_file_is_wrong() {
        let mut scene = scene("complete.max_candidates = 5");
        std::fs::write(&scene.file, "complete.max_candidates = 99").unwrap();
        assert_eq!(scene.candidates_after(LOOK_EVERY), 5);
        let wrong = format!("{}:1: complete.max_candidates must be between 1 and 20, not 99", scene.file.display());
        assert_eq!(scene.live.problems(), Some(wrong));
        std::fs::write(&scene.file, "complete.max_candidates = 6").unwrap();
        assert_eq!(scene.candidates_after(LOOK_EVERY), 6);
        assert_eq!(scene.live.problems(), None);
    }

    #[test]
    fn a_file_that_is_wrong_from_the_start_leaves_the_defaults() {
        let mut scene = scene("[complete");
        assert_eq!(scene.candidates_after(Duration::ZERO), 4);
        assert!(scene.live.problems().is_some());
    }

    #[test]
    fn a_file_that_goes_away_leaves_the_defaults_and_may_come_back() {
        let mut scene = scene("complete.max_candidates = 5");
        std::fs::remove_file(&scene.file).unwrap();
        assert_eq!(scene.candidates_after(LOOK_EVERY), 4);
        std::fs::write(&scene.file, "complete.max_candidates = 6").unwrap();
        assert_eq!(scene.candidates_after(LOOK_EVERY), 6);
    }

    #[test]
    fn a_replaced_file_and_a_link_that_moves_are_seen() {
        let mut scene = scene("complete.max_candidates = 5");
        let other = scene.file.with_file_name("other.toml");
        std::fs::write(&other, "complete.max_candidates = 6").unwrap();
        std::fs::rename(&other, &scene.file).unwrap();
        assert_eq!(scene.candidates_after(LOOK_EVERY), 6);
        std::fs::write(&other, "complete.max_candidates = 7").unwrap();
        std::fs::remove_file(&scene.file).unwrap();
        std::os::unix::fs::symlink(&other, &scene.file).unwrap();
        assert_eq!(scene.candidates_after(LOOK_EVERY), 7);
    }

    #[test]
    fn a_change_that_changes_nothing_keeps_the_same_arc() {
        let mut scene = scene("complete.max_candidates = 5");
        let before = scene.live.current_at(scene.now);
        std::fs::write(&scene.file, "# The same.\ncomplete.max_candidates = 5").unwrap();
        scene.candidates_after(LOOK_EVERY);
        assert!(Arc::ptr_eq(&before, &scene.live.current_at(scene.now)));
    }
}
