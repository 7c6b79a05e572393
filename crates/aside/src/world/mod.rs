//! What is on this machine, for whoever asks while a key is pressed: remembered, answered from memory at once, looked up
//! again in the background. Decides how long an answer counts; the files beside it know how to find one.

mod accounts;
pub mod ancestors;
mod cargo;
pub mod changes;
mod directory;
mod docker;
mod finding;
mod git;
pub mod git_config;
pub mod here;
mod hosts;
mod just;
mod learn;
mod make;
mod manual;
mod memory;
pub mod mounts;
pub mod now;
mod npm;
mod packages;
mod pool;
mod processes;
pub mod repository;
pub mod sandbox;
pub mod system;
mod tmux;
mod units;

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use aside_core::world::{Entry, Item, Known, Live, World};

use finding::Finder;
use learn::Learner;
use memory::{Found, Lifetime, Memory};
use pool::Question;

/// A question that has been under way for so long is not going to be answered while somebody waits for a key.
const SLOW: Duration = Duration::from_millis(15);

/// Shared by everybody who asks. Its threads start when there is something to find out and end when there is not.
pub struct Machine {
    finder: Arc<Finder>,
}

/// What a shell sees that another may not.
#[derive(Clone, Debug)]
pub struct Environment {
    /// Without a slash at the end.
    pub home: Arc<str>,
    /// The value of PATH.
    pub path: Arc<str>,
}

impl Environment {
    /// Our own: a shell that does not say usually has the same.
    pub fn own() -> Self {
        let home = std::env::home_dir().and_then(|home| home.into_os_string().into_string().ok()).unwrap_or_default();
        let path = std::env::var("PATH").unwrap_or_default();
        Self { home: plain(&home).unwrap_or("/").into(), path: path.into() }
    }
}

/// Whether programs that the person has run may be asked for their help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Learning {
    On,
    Off,
}

impl Machine {
    /// Keeps what it learns about programs in `directory`.
    pub fn new(directory: &Path) -> Self {
        // The program on disk may be replaced while we run; what it becomes can do this as well.
        let aside = std::env::current_exe().unwrap_or_default();
        Self { finder: Arc::new(Finder::new(Learner::new(aside, directory.to_owned()))) }
    }

    /// Asks on behalf of one line.
    pub fn view(&self, environment: Environment, learning: Learning) -> View {
        View { finder: Arc::clone(&self.finder), environment, learning, trust: Trust::Old, asked: Mutex::default() }
    }

    /// The person ran this command, and it succeeded. Only such commands are ever asked for their help.
    pub fn ran(&self, command: &str) {
        self.finder.learner.ran(command);
    }

    /// A command ended: whatever it may have changed is looked at again before it counts as known.
    pub fn something_ran(&self, cwd: &str) {
        self.finder.memory().commands += 1;
        // The next line is likely to ask for these, and then they are there.
        if let Some(cwd) = plain(cwd) {
            self.finder.ask(Question::Entries(cwd.into()));
            self.finder.ask(Question::Repository(cwd.into()));
        }
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        self.finder.pool.close();
    }
}

/// The machine as one line sees it. Remembers which of its questions are still under way.
pub struct View {
    finder: Arc<Finder>,
    environment: Environment,
    learning: Learning,
    trust: Trust,
    asked: Mutex<Vec<Question>>,
}

/// What counts as known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trust {
    /// What was so a while ago, until somebody has looked again.
    Old,
    /// Only what is so now.
    Fresh,
}

impl View {
    /// The same machine, of which only that is known which nobody has to look at again.
    pub fn doubting(&self) -> Self {
        let (finder, environment) = (Arc::clone(&self.finder), self.environment.clone());
        Self { finder, environment, learning: self.learning, trust: Trust::Fresh, asked: Mutex::default() }
    }

    /// Whether an answer was missing or old when it was asked for, and has not arrived yet.
    pub fn waits(&self) -> bool {
        self.finder.pool.under_way(&self.asked()).next().is_some()
    }

    /// Whether it is worth a moment of waiting: something is missing that is usually found within a millisecond.
    pub fn waits_briefly(&self) -> bool {
        let now = Instant::now();
        self.finder
            .pool
            .under_way(&self.asked())
            .any(|(question, since)| question.is_quick() && now.saturating_duration_since(since) < SLOW)
    }

    /// Whether something is missing or old that is usually found at once, however long it takes this time.
    pub fn is_behind(&self) -> bool {
        self.finder.pool.under_way(&self.asked()).any(|(question, _)| question.is_quick())
    }

    /// Whether something arrived since it was asked for, so that asking again tells more. Says so once.
    pub fn take_news(&self) -> bool {
        let mut asked = self.asked();
        let waits: Vec<Question> = self.finder.pool.under_way(&asked).map(|(question, _)| question.clone()).collect();
        let has_news = waits.len() < asked.len();
        *asked = waits;
        has_news
    }

    /// Waits until every question is answered, or for as long as the patience lasts. Says whether all are.
    pub async fn settled(&self, patience: Duration) -> bool {
        self.until(patience, Self::waits).await
    }

    /// Waits while `waits_briefly`. Says whether every question is answered.
    pub async fn settled_briefly(&self) -> bool {
        self.until(SLOW, Self::waits_briefly).await;
        !self.waits()
    }

    async fn until(&self, patience: Duration, waits: impl Fn(&Self) -> bool) -> bool {
        let mut answers = self.finder.pool.answers();
        let settled = async {
            while waits(self) {
                if answers.changed().await.is_err() {
                    break;
                }
            }
        };
        tokio::time::timeout(patience, settled).await.is_ok()
    }

    /// The PATH of whoever asks.
    pub fn path(&self) -> &str {
        &self.environment.path
    }

    fn asked(&self) -> MutexGuard<'_, Vec<Question>> {
        locked(&self.asked)
    }

    /// What is known, and has somebody look again when that is nothing or old.
    fn look<V>(&self, question: Question, find: impl FnOnce(&mut Memory, Instant) -> Found<V>) -> Known<V> {
        let found = find(&mut self.finder.memory(), Instant::now());
        let (known, fresh) = match found {
            Found::Fresh(Some(value)) => (Known::Yes(value), true),
            Found::Fresh(None) => (Known::No, true),
            Found::Old(Some(value)) if self.trust == Trust::Old => (Known::Yes(value), false),
            Found::Old(Some(_)) => (Known::NotYet, false),
            Found::Old(None) | Found::Nothing => (Known::NotYet, false),
        };
        if !fresh {
            self.finder.ask(question.clone());
            self.asked().push(question);
        }
        known
    }
}

impl World for View {
    fn home(&self) -> &str {
        &self.environment.home
    }

    fn entries(&self, directory: &str) -> Known<Arc<[Entry]>> {
        let Some(directory) = plain(directory) else { return Known::No };
        let found = self.look(Question::Entries(directory.into()), |memory, now| {
            let lifetime = Lifetime::until_a_command(Duration::from_secs(1));
            memory.entries.find(directory, now, memory.commands, lifetime)
        });
        match found {
            Known::Yes(listing) => Known::Yes(listing.entries),
            Known::No => Known::No,
            Known::NotYet => Known::NotYet,
        }
    }

    fn programs(&self) -> Known<Arc<[Box<str>]>> {
        let path = &self.environment.path;
        let found = self.look(Question::Programs(Arc::clone(path)), |memory, now| {
            let lifetime = Lifetime::until_a_command(Duration::from_secs(5));
            memory.programs.find(path, now, memory.commands, lifetime)
        });
        match found {
            Known::Yes(programs) => Known::Yes(programs.names),
            Known::No => Known::No,
            Known::NotYet => Known::NotYet,
        }
    }

    fn repository(&self, directory: &str) -> Known<Arc<str>> {
        let Some(directory) = plain(directory) else { return Known::No };
        self.look(Question::Repository(directory.into()), |memory, now| {
            let lifetime = Lifetime::until_a_command(Duration::from_secs(5));
            memory.repositories.find(directory, now, memory.commands, lifetime)
        })
    }

    fn live(&self, what: Live, directory: &str) -> Known<Arc<[Item]>> {
        let place = match finding::place(what) {
            finding::Place::Directory => plain(directory),
            finding::Place::Home => Some(&*self.environment.home),
            finding::Place::Anywhere => Some(""),
        };
        let Some(place) = place else { return Known::No };
        let key = (what, Arc::from(place));
        self.look(Question::Live(what, Arc::clone(&key.1)), |memory, now| {
            memory.live.find(&key, now, memory.commands, finding::lifetime(what))
        })
    }

    fn learnt(&self, command: &str) -> Known<Arc<str>> {
        if self.learning == Learning::Off {
            return Known::No;
        }
        let Environment { home, path } = &self.environment;
        let key = (Arc::from(command), Arc::clone(path));
        let question = Question::Learnt { command: Arc::clone(&key.0), path: Arc::clone(path), home: Arc::clone(home) };
        self.look(question, |memory, now| {
            let lifetime = Lifetime::until_a_command(Duration::from_secs(60));
            memory.learnt.find(&key, now, memory.commands, lifetime)
        })
    }

    fn manual(&self, command: &str) -> Known<Arc<str>> {
        if !manual::is_fit(command) {
            return Known::No;
        }
        let path = &self.environment.path;
        let key = (Arc::from(command), Arc::clone(path));
        let question = Question::Manual { command: Arc::clone(&key.0), path: Arc::clone(path) };
        self.look(question, |memory, now| {
            memory.manuals.find(&key, now, memory.commands, Lifetime::time(Duration::from_secs(3600)))
        })
    }
}

/// An absolute path without a slash at the end, so that one directory has one name.
fn plain(path: &str) -> Option<&str> {
    match path.trim_end_matches('/') {
        "" => path.starts_with('/').then_some("/"),
        path => path.starts_with('/').then_some(path),
    }
}

/// A thread that panicked while it held the lock lost its answer; what it guarded is still there.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
