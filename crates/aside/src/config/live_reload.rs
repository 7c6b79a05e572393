//! Holds the configuration of a running daemon: re-reads the file when it changes, and keeps the last valid version while the file is
//! invalid or unreachable. Compares `stat` results instead of using a watcher: that survives editors that replace the file and dotfiles
//! behind links, and costs a microsecond. The check runs on its own thread, so that a dead mount or a file lease delays no request.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::config::Config;
use crate::config::check::Problems;
use crate::config::file_poll::FilePoller;
use crate::trusted_file;

pub struct LiveConfig {
    file: Arc<Watched>,
    refresh: FilePoller,
}

struct Watched {
    path: PathBuf,
    state: Mutex<State>,
}

struct State {
    good: Arc<Config>,
    problems: Option<String>,
    stamp: Stamp,
}

/// Changes whenever the file does, or what others can do to it. The inode's change time catches a `chmod` that makes the file readable.
#[derive(PartialEq)]
enum Stamp {
    Absent,
    File { place: (u64, u64), size: i64, modified: (i64, i64), changed: (i64, i64) },
    Refused(String),
}

impl LiveConfig {
    /// Reads the file synchronously, before the daemon serves requests.
    pub fn new(path: PathBuf) -> Self {
        let mut state = State { good: Arc::default(), problems: None, stamp: Stamp::of(&path) };
        state.take(Config::load(&path));
        Self { file: Arc::new(Watched { path, state: Mutex::new(state) }), refresh: FilePoller::default() }
    }

    /// Returns the same `Arc` until a value changes, so that callers can cache by its address. Reads no file.
    pub fn current(&self) -> Arc<Config> {
        Arc::clone(&self.file.lock().good)
    }

    /// What is wrong with the file now, one problem per line, while an earlier configuration stays in force.
    pub fn problems(&self) -> Option<String> {
        self.file.lock().problems.clone()
    }

    /// Makes the next check due at once: a new line begins, and the previous command may have changed a setting.
    pub fn hurry(&self) {
        self.refresh.hurry();
    }

    /// Checks the file if that is due. Returns soon even if the file system hangs.
    pub async fn refresh(&self) {
        let file = Arc::clone(&self.file);
        self.refresh.run(move || file.reload_if_changed()).await;
    }
}

impl Watched {
    /// Holds no lock while it accesses the file system.
    fn reload_if_changed(&self) {
        // Taken before reading, so that a change during the read is seen by the next check.
        let stamp = Stamp::of(&self.path);
        if stamp == self.lock().stamp {
            return;
        }
        let loaded = Config::load(&self.path);
        let mut state = self.lock();
        state.stamp = stamp;
        state.take(loaded);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Every intermediate state is a valid configuration, so a poisoned lock is safe to use.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn take(&mut self, loaded: Result<Config, Problems>) {
        match loaded {
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
    #[cfg_attr(target_os = "linux", expect(clippy::unnecessary_cast, reason = "their types are different on macOS"))]
    fn of(path: &Path) -> Self {
        match trusted_file::find(path) {
            Ok(None) => Stamp::Absent,
            Ok(Some(trusted_file::Found { stat, .. })) => Stamp::File {
                place: (stat.st_dev as u64, stat.st_ino),
                size: stat.st_size,
                modified: (stat.st_mtime as i64, stat.st_mtime_nsec as i64),
                changed: (stat.st_ctime as i64, stat.st_ctime_nsec as i64),
            },
            Err(refused) => Stamp::Refused(refused.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Scene {
        _temp: tempfile::TempDir,
        file: PathBuf,
        live: LiveConfig,
    }

    fn scene(text: &str) -> Scene {
        let temp = tempfile::tempdir().unwrap();
        let file = temp.path().join("config.toml");
        std::fs::write(&file, text).unwrap();
        let live = LiveConfig::new(file.clone());
        Scene { _temp: temp, file, live }
    }

    impl Scene {
        fn candidates(&self) -> usize {
            self.live.file.reload_if_changed();
            self.live.current().complete.max_candidates
        }
    }

    #[test]
    fn the_last_good_configuration_stays_while_the_file_is_wrong() {
        let scene = scene("complete.max_candidates = 5");
        std::fs::write(&scene.file, "complete.max_candidates = 99").unwrap();
        assert_eq!(scene.candidates(), 5);
        let wrong = format!("{}:1: complete.max_candidates must be between 1 and 20, not 99", scene.file.display());
        assert_eq!(scene.live.problems(), Some(wrong));
        std::fs::write(&scene.file, "complete.max_candidates = 6").unwrap();
        assert_eq!(scene.candidates(), 6);
        assert_eq!(scene.live.problems(), None);
    }

    #[test]
    fn a_file_that_is_wrong_from_the_start_leaves_the_defaults() {
        let scene = scene("[complete");
        assert_eq!(scene.candidates(), 4);
        assert!(scene.live.problems().is_some());
    }

    #[test]
    fn a_file_that_goes_away_leaves_the_defaults_and_may_come_back() {
        let scene = scene("complete.max_candidates = 5");
        std::fs::remove_file(&scene.file).unwrap();
        assert_eq!(scene.candidates(), 4);
        std::fs::write(&scene.file, "complete.max_candidates = 6").unwrap();
        assert_eq!(scene.candidates(), 6);
    }

    #[test]
    fn a_replaced_file_and_a_link_that_moves_are_seen() {
        let scene = scene("complete.max_candidates = 5");
        let other = scene.file.with_file_name("other.toml");
        std::fs::write(&other, "complete.max_candidates = 6").unwrap();
        std::fs::rename(&other, &scene.file).unwrap();
        assert_eq!(scene.candidates(), 6);
        std::fs::write(&other, "complete.max_candidates = 7").unwrap();
        std::fs::remove_file(&scene.file).unwrap();
        std::os::unix::fs::symlink(&other, &scene.file).unwrap();
        assert_eq!(scene.candidates(), 7);
    }

    #[test]
    fn a_file_that_others_can_write_to_counts_again_once_they_cannot() {
        use std::os::unix::fs::PermissionsExt;
        let scene = scene("complete.max_candidates = 5");
        let directory = scene.file.parent().unwrap().to_owned();
        let set = |path: &Path, mode| std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
        for (path, open, closed) in [(&scene.file, 0o666, 0o644), (&directory, 0o777, 0o755)] {
            set(path, open);
            std::fs::write(&scene.file, "complete.max_candidates = 7").unwrap();
            assert_eq!(scene.candidates(), 5);
            let problem = scene.live.problems().unwrap();
            assert!(problem.contains("is not read: other users can write to"), "{problem}");
            assert!(problem.ends_with(&format!("`chmod go-w {}`", path.display())), "{problem}");
            std::fs::write(&scene.file, "complete.max_candidates = 5").unwrap();
            set(path, closed);
            assert_eq!((scene.candidates(), scene.live.problems()), (5, None));
        }
    }

    #[test]
    fn a_change_that_changes_nothing_keeps_the_same_arc() {
        let scene = scene("complete.max_candidates = 5");
        let before = scene.live.current();
        std::fs::write(&scene.file, "# The same.\ncomplete.max_candidates = 5").unwrap();
        scene.live.file.reload_if_changed();
        assert!(Arc::ptr_eq(&before, &scene.live.current()));
    }
}
