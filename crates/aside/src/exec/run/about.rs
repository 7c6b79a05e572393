//! Whether a command of ours is about, or was a moment ago: whoever connects then is looked at more closely. Knows neither whose it is nor
//! what it does.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// How long a connection may wait for a daemon that is busy: by then a command that has made one may be over.
const MOMENT: Duration = Duration::from_secs(10);

static COMMANDS: Mutex<Commands> = Mutex::new(Commands { running: 0, ended: None });

static SERVED: OnceLock<PathBuf> = OnceLock::new();

/// On which socket this process listens: commands of a daemon that did so before are told by it from those of others.
pub fn serve(socket: &Path) {
    let _ = SERVED.set(socket.to_owned());
}

/// Nothing for whoever is no daemon.
pub fn served() -> Option<&'static Path> {
    SERVED.get().map(PathBuf::as_path)
}

struct Commands {
    running: usize,
    /// The last of them; in the time to come for one that is about without us.
    ended: Option<Instant>,
}

/// Commands of a daemon before us may be about for so long.
pub fn expect(most: Duration) {
    commands().ended = Some(Instant::now() + most);
}

/// Held from before the keeper of a command is started until it was collected.
pub struct About(());

impl About {
    pub fn new() -> Self {
        commands().running += 1;
        Self(())
    }
}

impl Drop for About {
    fn drop(&mut self) {
        let mut commands = commands();
        commands.running -= 1;
        commands.ended = Some(Instant::now());
    }
}

pub fn is_any() -> bool {
    let commands = commands();
    commands.running > 0 || commands.ended.is_some_and(|ended| ended.elapsed() < MOMENT)
}

fn commands() -> MutexGuard<'static, Commands> {
    COMMANDS.lock().unwrap_or_else(PoisonError::into_inner)
}
