//! Decides when this daemon should hand over to another version: its executable was replaced, or a newer plugin was loaded by a shell. The
//! exchange itself is in `daemon::run`.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::daemon::state::{ShutdownReason, State};
use crate::exec::{self, Probe};

/// Retry interval for a file that hangs or is still being written.
const PAUSE: Duration = Duration::from_secs(5);

/// The executable of this process, as it was on disk when it started.
pub struct Program {
    path: PathBuf,
    identity: Option<Identity>,
    asking: AtomicBool,
    next_look: Mutex<Option<Instant>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Identity {
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
}

impl Program {
    pub fn running() -> Self {
        let path = std::env::current_exe().unwrap_or_default();
        let identity = identity(&path);
        Self { path, identity, asking: AtomicBool::new(false), next_look: Mutex::new(None) }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    fn was_replaced(&self) -> bool {
        let now = identity(&self.path);
        // A missing file is being replaced; a later check will find it.
        now.is_some() && self.identity.is_some() && now != self.identity
    }
}

fn identity(path: &Path) -> Option<Identity> {
    let meta = std::fs::metadata(path).ok()?;
    let modified = (meta.mtime(), meta.mtime_nsec());
    Some(Identity { device: meta.dev(), inode: meta.ino(), size: meta.size(), modified })
}

/// Called for every shell that connects. Checks the executable on its own thread: its disk may hang.
pub fn check(state: &Arc<State>, plugin: &str) {
    // Running tasks are not interrupted for a new version; the next shell triggers the check again.
    if state.tasks().are_busy() {
        return;
    }
    // One check at a time. A newer plugin is not skipped: its shell may be the only one that connects.
    let is_newer = is_newer(plugin, env!("CARGO_PKG_VERSION"));
    if state.program.asking.swap(true, Ordering::Relaxed) && !is_newer {
        return;
    }
    let (state, plugin) = (Arc::clone(state), plugin.to_owned());
    std::thread::spawn(move || {
        let _asking = Asking(&state.program);
        if state.program.was_replaced() {
            replace(&state);
        } else if is_newer {
            tracing::info!(plugin, "a newer version is installed elsewhere, going");
            state.end(ShutdownReason::Stopped);
        }
    });
}

/// Clears the flag that allows one check at a time.
struct Asking<'a>(&'a Program);

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        self.0.asking.store(false, Ordering::Relaxed);
    }
}

/// Asks the new executable for its version before switching to it: a broken one must not take the daemon down.
fn replace(state: &Arc<State>) {
    let program = &state.program;
    {
        let mut next_look = program.next_look.lock().unwrap_or_else(PoisonError::into_inner);
        if next_look.is_some_and(|next| Instant::now() < next) {
            return;
        }
        *next_look = Some(Instant::now() + PAUSE);
    }
    let path = program.path().to_owned();
    match exec::probe(&Probe::AsideVersion(&path)) {
        // A task may have begun meanwhile.
        Some(answer) if answer.starts_with("aside ") && !state.tasks().are_busy() => {
            tracing::info!(version = answer.trim(), "the program was replaced, handing over");
            state.end(ShutdownReason::Replaced(path));
        }
        Some(answer) if answer.starts_with("aside ") => {}
        _ => state.notice(format!("{} was replaced by something that does not run", path.display())),
    }
}

/// Compares two version numbers; an unreadable one is never newer.
fn is_newer(version: &str, than: &str) -> bool {
    let numbers = |version: &str| -> Option<Vec<u64>> {
        let core = version.split(['-', '+']).next()?;
        core.split('.').map(|part| part.parse().ok()).collect()
    };
    matches!((numbers(version), numbers(than)), (Some(version), Some(than)) if version > than)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_newer_version_takes_over() {
        let hits = [("0.2.0", "0.1.9"), ("1.0.0", "0.9.9"), ("0.1.10", "0.1.9")];
        let misses = [("0.1.0", "0.1.0"), ("0.1.0", "0.2.0"), ("", "0.1.0"), ("x.y", "0.1.0"), ("0.1.0-rc1", "0.1.0")];
        for (version, than) in hits {
            assert!(is_newer(version, than), "{version} {than}");
        }
        for (version, than) in misses {
            assert!(!is_newer(version, than), "{version} {than}");
        }
    }

    #[test]
    fn a_file_renamed_over_the_program_is_noticed() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("aside");
        std::fs::write(&path, "one").unwrap();
        let identity = identity(&path);
        let program =
            Program { path: path.clone(), identity, asking: AtomicBool::new(false), next_look: Mutex::new(None) };
        assert!(!program.was_replaced());
        std::fs::remove_file(&path).unwrap();
        assert!(!program.was_replaced(), "gone for a moment");
        std::fs::write(temp.path().join("new"), "two").unwrap();
        std::fs::rename(temp.path().join("new"), &path).unwrap();
        assert!(program.was_replaced());
    }
}
