//! Which messages were acted upon, also by an earlier daemon: WeCom and a relay deliver at least once, and what is done for a message must
//! happen once. A message is written down before anything is done for it and again behind that, so that after a crash in between it is
//! known that something may have happened.

use std::collections::{HashMap, VecDeque};
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::Context;

use crate::trusted_file;

/// Messages that are remembered; the oldest is forgotten first.
const MAX_KEYS: usize = 4096;
/// Lines of the file before it is written anew: two for each message.
const MAX_LINES: usize = 4 * MAX_KEYS;
const MAX_FILE: u64 = 4 * 1024 * 1024;

pub struct SeenMessages {
    path: PathBuf,
    /// Never held while the disk is waited for.
    known: Mutex<Known>,
    file: Mutex<Option<Lines>>,
}

#[derive(Default)]
struct Known {
    states: HashMap<String, State>,
    order: VecDeque<String>,
}

struct Lines {
    file: File,
    count: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// By an earlier process, at this time.
    Interrupted(u64),
    AtWork(u64),
    Done,
}

/// What is known of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeenState {
    New,
    /// An earlier process began with it, at this time, and may have done everything.
    Interrupted(u64),
    AtWork,
    Done,
}

impl SeenMessages {
    /// Empty when there is no file. A line that cannot be read is the end of what a crash left.
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        let mut known = Known::default();
        if let Some(file) = trusted_file::open(path).with_context(|| path.display().to_string())? {
            for line in BufReader::new(file.take(MAX_FILE)).lines() {
                let Ok(line) = line else { break };
                known.note(&line);
            }
        }
        let seen = Self { path: path.to_owned(), known: Mutex::new(known), file: Mutex::default() };
        *seen.file.lock().unwrap_or_else(PoisonError::into_inner) = Some(seen.rewritten()?);
        Ok(seen)
    }

    pub fn look(&self, key: &str) -> SeenState {
        match self.lock().states.get(key) {
            None => SeenState::New,
            Some(State::Interrupted(since)) => SeenState::Interrupted(*since),
            Some(State::AtWork(_)) => SeenState::AtWork,
            Some(State::Done) => SeenState::Done,
        }
    }

    /// Another delivery finds it at work from here on.
    pub fn claim(&self, key: &str, now: u64) {
        let mut known = self.lock();
        let since = match known.states.get(key) {
            Some(State::Interrupted(since)) => *since,
            Some(State::AtWork(_) | State::Done) | None => now,
        };
        known.set(key, State::AtWork(since));
    }

    /// Writes down that something is about to be done. If this fails nothing may be, and it is as if it had not been claimed. Waits for
    /// the disk.
    pub fn begin(&self, key: &str) -> anyhow::Result<()> {
        let state = self.lock().states.get(key).copied();
        let Some(State::AtWork(since)) = state else { return Ok(()) };
        let written = self.append(&format!("begun {since} {key}\n"));
        if written.is_err() {
            self.lock().forget(key);
        }
        written
    }

    /// Waits for the disk.
    pub fn done(&self, key: &str) -> anyhow::Result<()> {
        self.lock().set(key, State::Done);
        self.append(&format!("done 0 {key}\n"))
    }

    fn append(&self, line: &str) -> anyhow::Result<()> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let mut lines = match file.take().filter(|lines| lines.count < MAX_LINES) {
            Some(lines) => lines,
            None => self.rewritten()?,
        };
        lines.file.write_all(line.as_bytes())?;
        lines.file.sync_data()?;
        lines.count += 1;
        *file = Some(lines);
        Ok(())
    }

    /// The file with what is remembered and nothing else, whole or as it was.
    fn rewritten(&self) -> anyhow::Result<Lines> {
        let dir = self.path.parent().context("there is no directory for the list of messages")?;
        std::fs::create_dir_all(dir)?;
        let (text, count) = {
            let known = self.lock();
            (known.text(), known.order.len())
        };
        let mut file = tempfile::NamedTempFile::new_in(dir)?;
        file.write_all(text.as_bytes())?;
        file.as_file().sync_all()?;
        file.persist(&self.path)?;
        Ok(Lines { file: std::fs::OpenOptions::new().append(true).open(&self.path)?, count })
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    fn note(&mut self, line: &str) {
        let mut words = line.split(' ');
        let (Some(word), Some(time), Some(key), None) = (words.next(), words.next(), words.next(), words.next()) else {
            return;
        };
        let Ok(time) = time.parse() else { return };
        match word {
            "begun" => self.set(key, State::Interrupted(time)),
            "done" => self.set(key, State::Done),
            _ => {}
        }
    }

    fn set(&mut self, key: &str, state: State) {
        if self.states.insert(key.to_owned(), state).is_none() {
            self.order.push_back(key.to_owned());
        }
        while self.order.len() > MAX_KEYS
            && let Some(oldest) = self.order.pop_front()
        {
            self.states.remove(&oldest);
        }
    }

    fn forget(&mut self, key: &str) {
        self.states.remove(key);
        self.order.retain(|known| known != key);
    }

    fn text(&self) -> String {
        let line = |key: &String| match self.states.get(key) {
            Some(State::Interrupted(since) | State::AtWork(since)) => format!("begun {since} {key}\n"),
            Some(State::Done) => format!("done 0 {key}\n"),
            None => String::new(),
        };
        self.order.iter().map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_done_is_known_to_the_next_process_and_so_is_what_was_begun() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("aside/seen");
        let seen = SeenMessages::read(&path).unwrap();
        assert_eq!(seen.look("a"), SeenState::New);
        for (key, now) in [("a", 7), ("b", 8)] {
            seen.claim(key, now);
            seen.begin(key).unwrap();
        }
        assert_eq!(seen.look("a"), SeenState::AtWork);
        seen.done("a").unwrap();
        drop(seen);
        // A crash in the middle of a line.
        std::fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(b"begun 9").unwrap();
        let seen = SeenMessages::read(&path).unwrap();
        assert_eq!((seen.look("a"), seen.look("b")), (SeenState::Done, SeenState::Interrupted(8)));
        seen.claim("b", 10);
        assert_eq!(seen.look("b"), SeenState::AtWork);
        seen.begin("b").unwrap();
        seen.done("b").unwrap();
        assert_eq!(SeenMessages::read(&path).unwrap().look("b"), SeenState::Done);
    }

    #[test]
    fn the_list_and_its_file_are_bounded() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("seen");
        let seen = SeenMessages::read(&path).unwrap();
        for number in 0..2 * MAX_KEYS {
            seen.lock().set(&number.to_string(), State::Done);
        }
        let counts = {
            let known = seen.lock();
            (known.states.len(), known.order.len())
        };
        assert_eq!(counts, (MAX_KEYS, MAX_KEYS));
        seen.file.lock().unwrap().as_mut().unwrap().count = MAX_LINES;
        seen.done("x").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap().lines().count(), MAX_KEYS + 1);
    }
}
