//! What is on this machine, for callers that answer a key press: cached, answered from memory at once, refreshed in the background. Decides
//! how long an answer is valid; the other files look it up.

mod accounts;
pub mod ancestors;
pub mod blocking;
mod cache;
mod cargo;
mod directory;
mod docker;
pub mod git;
pub mod git_changes;
pub mod git_config;
mod hosts;
mod just;
mod learn;
mod lookup;
mod make;
mod manual;
pub mod mounts;
mod npm;
pub mod one_shot;
mod packages;
mod pool;
mod processes;
mod read;
pub mod repository;
pub mod sandbox;
pub mod system;
mod systemd_units;
mod tmux;

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use aside_commands::world::{DirEntry, Fact, LiveItem, LiveKind, World};

use cache::{Cache, Cached, Lifetime};
use learn::Learner;
use lookup::Lookup;
use pool::Question;

/// A lookup that takes longer than this will not finish while the user waits for a key.
const SLOW: Duration = Duration::from_millis(15);

/// Shared by all callers. Its threads start when there is work and end when idle.
pub struct Machine {
    lookup: Arc<Lookup>,
}

/// What may differ between shells.
#[derive(Clone, Debug)]
pub struct Environment {
    /// Without a trailing slash.
    pub home: Arc<str>,
    /// The value of PATH.
    pub path: Arc<str>,
}

impl Environment {
    /// Our own: a shell that does not send its environment usually has the same.
    pub fn own() -> Self {
        let home = std::env::home_dir().and_then(|home| home.into_os_string().into_string().ok()).unwrap_or_default();
        let path = std::env::var("PATH").unwrap_or_default();
        Self { home: plain(&home).unwrap_or("/").into(), path: path.into() }
    }
}

/// Whether programs that the user has run may be asked for their help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Learning {
    On,
    Off,
}

impl Machine {
    /// Caches what it learns about programs in `directory`.
    pub fn new(directory: &Path) -> Self {
        // The executable may be replaced while we run; a newer one can do this as well.
        let aside = std::env::current_exe().unwrap_or_default();
        Self { lookup: Arc::new(Lookup::new(Learner::new(aside, directory.to_owned()))) }
    }

    /// A view for one request.
    pub fn view(&self, environment: Environment, learning: Learning) -> MachineView {
        MachineView {
            lookup: Arc::clone(&self.lookup),
            environment,
            learning,
            trust: Trust::Old,
            asked: Mutex::default(),
        }
    }

    /// The user ran this command successfully. Only such commands are ever asked for their help.
    pub fn ran(&self, command: &str) {
        self.lookup.learner.ran(command);
    }

    /// A command ended: whatever it may have changed is stale now.
    pub fn something_ran(&self, cwd: &str) {
        self.lookup.cache().commands += 1;
        // Prefetches what the next line will probably ask for.
        if let Some(cwd) = plain(cwd) {
            self.lookup.ask(Question::Entries(cwd.into()));
            self.lookup.ask(Question::Repository(cwd.into()));
        }
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        self.lookup.pool.close();
    }
}

/// The machine as seen by one request. Remembers which of its lookups are pending.
pub struct MachineView {
    lookup: Arc<Lookup>,
    environment: Environment,
    learning: Learning,
    trust: Trust,
    asked: Mutex<Vec<Question>>,
}

/// Which answers count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trust {
    /// Stale ones too, until they are refreshed.
    Old,
    /// Fresh ones only.
    Fresh,
}

impl MachineView {
    /// The same machine, but only fresh answers count.
    pub fn doubting(&self) -> Self {
        let (lookup, environment) = (Arc::clone(&self.lookup), self.environment.clone());
        Self { lookup, environment, learning: self.learning, trust: Trust::Fresh, asked: Mutex::default() }
    }

    /// Whether an answer was missing or stale when it was asked for, and has not arrived yet.
    pub fn waits(&self) -> bool {
        self.lookup.pool.under_way(&self.asked()).next().is_some()
    }

    /// Whether a short wait is worthwhile: something is missing that is usually found within a millisecond.
    pub fn waits_briefly(&self) -> bool {
        let now = Instant::now();
        self.lookup
            .pool
            .under_way(&self.asked())
            .any(|(question, since)| question.is_quick() && now.saturating_duration_since(since) < SLOW)
    }

    /// Whether something is missing or stale that is usually found at once, however long it takes this time.
    pub fn is_behind(&self) -> bool {
        self.lookup.pool.under_way(&self.asked()).any(|(question, _)| question.is_quick())
    }

    /// Whether an answer arrived since it was asked for, so that asking again gives more. Returns true once.
    pub fn take_news(&self) -> bool {
        let mut asked = self.asked();
        let waits: Vec<Question> = self.lookup.pool.under_way(&asked).map(|(question, _)| question.clone()).collect();
        let has_news = waits.len() < asked.len();
        *asked = waits;
        has_news
    }

    /// Waits until every lookup is answered, or for the timeout. Returns whether all are.
    pub async fn settled(&self, patience: Duration) -> bool {
        self.until(patience, Self::waits).await
    }

    /// Waits while `waits_briefly`. Returns whether every lookup is answered.
    pub async fn settled_briefly(&self) -> bool {
        self.until(SLOW, Self::waits_briefly).await;
        !self.waits()
    }

    async fn until(&self, patience: Duration, waits: impl Fn(&Self) -> bool) -> bool {
        let mut answers = self.lookup.pool.answers();
        let settled = async {
            while waits(self) {
                if answers.changed().await.is_err() {
                    break;
                }
            }
        };
        tokio::time::timeout(patience, settled).await.is_ok()
    }

    /// The PATH of the asking shell.
    pub fn path(&self) -> &str {
        &self.environment.path
    }

    fn asked(&self) -> MutexGuard<'_, Vec<Question>> {
        locked(&self.asked)
    }

    /// The cached answer; starts a lookup when it is missing or stale.
    fn look<V>(&self, question: Question, find: impl FnOnce(&mut Cache, Instant) -> Cached<V>) -> Fact<V> {
        let found = find(&mut self.lookup.cache(), Instant::now());
        let (known, fresh) = match found {
            Cached::Fresh(Some(value)) => (Fact::Yes(value), true),
            Cached::Fresh(None) => (Fact::No, true),
            Cached::Old(Some(value)) if self.trust == Trust::Old => (Fact::Yes(value), false),
            Cached::Old(Some(_)) => (Fact::NotYet, false),
            Cached::Old(None) | Cached::Nothing => (Fact::NotYet, false),
        };
        if !fresh {
            self.lookup.ask(question.clone());
            self.asked().push(question);
        }
        known
    }
}

impl World for MachineView {
    fn home(&self) -> &str {
        &self.environment.home
    }

    fn is_root(&self) -> bool {
        rustix::process::geteuid().is_root()
    }

    fn entries(&self, directory: &str) -> Fact<Arc<[DirEntry]>> {
        let Some(directory) = plain(directory) else { return Fact::No };
        let found = self.look(Question::Entries(directory.into()), |cache, now| {
            let lifetime = Lifetime::until_a_command(Duration::from_secs(1));
            cache.entries.find(directory, now, cache.commands, lifetime)
        });
        match found {
            Fact::Yes(listing) => Fact::Yes(listing.entries),
            Fact::No => Fact::No,
            Fact::NotYet => Fact::NotYet,
        }
    }

    fn programs(&self) -> Fact<Arc<[Box<str>]>> {
        let path = &self.environment.path;
        let found = self.look(Question::Programs(Arc::clone(path)), |cache, now| {
            let lifetime = Lifetime::until_a_command(Duration::from_secs(5));
            cache.programs.find(path, now, cache.commands, lifetime)
        });
        match found {
            Fact::Yes(programs) => Fact::Yes(programs.names),
            Fact::No => Fact::No,
            Fact::NotYet => Fact::NotYet,
        }
    }

    fn repository(&self, directory: &str) -> Fact<Arc<str>> {
        let Some(directory) = plain(directory) else { return Fact::No };
        self.look(Question::Repository(directory.into()), |cache, now| {
            let lifetime = Lifetime::until_a_command(Duration::from_secs(5));
            cache.repositories.find(directory, now, cache.commands, lifetime)
        })
    }

    fn live(&self, what: LiveKind, directory: &str) -> Fact<Arc<[LiveItem]>> {
        let place = match lookup::scope(what) {
            lookup::LookupScope::Directory => plain(directory),
            lookup::LookupScope::Home => Some(&*self.environment.home),
            lookup::LookupScope::Anywhere => Some(""),
        };
        let Some(place) = place else { return Fact::No };
        let key = (what, Arc::from(place));
        self.look(Question::Live(what, Arc::clone(&key.1)), |cache, now| {
            cache.live.find(&key, now, cache.commands, lookup::lifetime(what))
        })
    }

    fn learnt(&self, command: &str) -> Fact<Arc<str>> {
        if self.learning == Learning::Off {
            return Fact::No;
        }
        let Environment { home, path } = &self.environment;
        let key = (Arc::from(command), Arc::clone(path));
        let question = Question::Learnt { command: Arc::clone(&key.0), path: Arc::clone(path), home: Arc::clone(home) };
        self.look(question, |cache, now| {
            let lifetime = Lifetime::until_a_command(Duration::from_secs(60));
            cache.learnt.find(&key, now, cache.commands, lifetime)
        })
    }

    fn manual(&self, command: &str) -> Fact<Arc<str>> {
        if !manual::is_fit(command) {
            return Fact::No;
        }
        let path = &self.environment.path;
        let key = (Arc::from(command), Arc::clone(path));
        let question = Question::Manual { command: Arc::clone(&key.0), path: Arc::clone(path) };
        self.look(question, |cache, now| {
            cache.manuals.find(&key, now, cache.commands, Lifetime::time(Duration::from_secs(3600)))
        })
    }
}

/// An absolute path without a trailing slash, so that one directory has one key.
fn plain(path: &str) -> Option<&str> {
    match path.trim_end_matches('/') {
        "" => path.starts_with('/').then_some("/"),
        path => path.starts_with('/').then_some(path),
    }
}

/// Ignores poisoning: a thread that panicked lost its own answer, and the data is still valid.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
