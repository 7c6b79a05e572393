//! The daemon's side of the reader: starts its process when a request begins, passes requests on, and ends it when it is late or has not been
//! asked for a while. Without it, or when it dies, answers come from elsewhere; `aside doctor` says why.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, PipeReader, Read};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use aside_translate::reader::ReaderAnswer;
use tokio::sync::oneshot;

use crate::daemon::blocking_io;
use crate::daemon::state::State;
use crate::exec::reader::{self, ReaderLine, ReaderProcess, ReaderReply};
use crate::reader_file;
use crate::text_work;

/// How long an answer may take; a process that exceeds it is ended. Far more than it needs, for a busy machine.
const DEADLINE: Duration = Duration::from_secs(4);
/// How long the process may take to check its file and to confine itself.
const STARTING: Duration = Duration::from_secs(6);
/// How long it stays after the last request.
const WARM: Duration = Duration::from_mins(10);
/// Requests that may wait for it at the same time.
const MAX_WAITING: usize = 16;
/// Processes that may fail in a row before it is given a rest.
const MAX_FAILURES: u32 = 3;
const REST: Duration = Duration::from_mins(10);
/// Bytes of a reply, and of what it says when it dies.
const MAX_LINE: u64 = 64 * 1024;
const MAX_ERROR: u64 = 2 * 1024;

/// Before what is noted for doctor.
pub const NOTICE: &str = "the reader: ";

#[derive(Default)]
pub struct Reader {
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    running: Option<Running>,
    /// Numbers of requests and of processes.
    number: u64,
    used: Option<Instant>,
    failures: u32,
    failed: Option<Instant>,
}

struct Running {
    number: u64,
    process: ReaderProcess,
    waiting: HashMap<u64, oneshot::Sender<Vec<ReaderAnswer>>>,
    is_new: bool,
}

impl Reader {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts the process while the user is still typing. Returns at once.
    pub fn warm(state: &Arc<State>) {
        if state.config().llm.reader && !state.reader().is_ready() {
            let state = Arc::clone(state);
            text_work::spawn(text_work::NO_TEXT, async move { start(&state).await });
        }
    }

    fn is_ready(&self) -> bool {
        let inner = self.lock();
        inner.running.is_some() || inner.rests()
    }

    /// Its answers to a prompt, the best first; none if it is not installed, off, late or dead. Dropping the future cancels it.
    pub async fn ask(state: &Arc<State>, prompt: String) -> Vec<ReaderAnswer> {
        if !state.config().llm.reader {
            state.reader().lock().running = None;
            return Vec::new();
        }
        if state.reader().lock().rests() || !start(state).await {
            return Vec::new();
        }
        let Some((process, id, patience, answered)) = state.reader().send(prompt) else { return Vec::new() };
        let mut asked = Asked { state, process, id, is_answered: false };
        match tokio::time::timeout(patience, answered).await {
            Ok(answers) => {
                asked.is_answered = true;
                answers.unwrap_or_default()
            }
            Err(_) => {
                Self::fail(state, process, "it did not answer in time");
                Vec::new()
            }
        }
    }

    fn send(&self, prompt: String) -> Option<(u64, u64, Duration, oneshot::Receiver<Vec<ReaderAnswer>>)> {
        let mut inner = self.lock();
        inner.number += 1;
        inner.used = Some(Instant::now());
        let id = inner.number;
        let running = inner.running.as_mut().filter(|running| running.waiting.len() < MAX_WAITING)?;
        let ms = u64::try_from(DEADLINE.as_millis()).unwrap_or(u64::MAX);
        let (process, is_new) = (running.number, running.is_new);
        // If it has died, its listener finds that out.
        running.process.say(&ReaderLine::Ask { id, prompt, ms }).ok()?;
        let (sender, answered) = oneshot::channel();
        let queue = u32::try_from(running.waiting.len() + 1).unwrap_or(1);
        running.waiting.insert(id, sender);
        let patience = DEADLINE * queue + Duration::from_secs(1) + if is_new { STARTING } else { Duration::ZERO };
        Some((process, id, patience, answered))
    }

    /// Ends a process that failed; doctor says why.
    fn fail(state: &State, process: u64, why: &str) {
        if state.reader().lock().ended(process) {
            state.notice(format!("{NOTICE}{why}"));
        }
    }

    /// Passes replies on until the process ends.
    fn listen(state: &State, process: u64, output: PipeReader, errors: PipeReader) {
        let reader = state.reader();
        let mut lines = BufReader::new(output);
        loop {
            let mut line = String::new();
            match lines.by_ref().take(MAX_LINE).read_line(&mut line) {
                Ok(read) if read > 0 && line.ends_with('\n') => {}
                Ok(_) | Err(_) => break,
            }
            let Ok(ReaderReply { id, answers }) = serde_json::from_str(&line) else { break };
            let mut inner = reader.lock();
            let Some(running) = inner.running.as_mut().filter(|running| running.number == process) else { break };
            running.is_new = false;
            let waits = running.waiting.remove(&id);
            inner.failures = 0;
            inner.failed = None;
            drop(inner);
            let answers = answers.into_iter().map(|(text, score)| ReaderAnswer { text, score }).collect();
            // The request may have been given up.
            let _ = waits.map(|waits| waits.send(answers));
        }
        let mut said = String::new();
        reader.end(process);
        let _ = errors.take(MAX_ERROR).read_to_string(&mut said);
        let said = said.lines().next().unwrap_or("it ended").trim_start_matches("aside: ").to_owned();
        Self::fail(state, process, &said);
    }

    /// Kills a process whose output has ended, so that its errors end too.
    fn end(&self, process: u64) {
        let inner = self.lock();
        if let Some(running) = inner.running.as_ref().filter(|running| running.number == process) {
            running.process.kill();
        }
    }

    /// Ends a process that has not been asked for a while. Called by the housekeeping too.
    fn cool(&self) -> Option<Duration> {
        let mut inner = self.lock();
        let unused = inner.used.map(|used| used.elapsed()).unwrap_or_default();
        match WARM.checked_sub(unused) {
            Some(left) if !left.is_zero() => inner.running.is_some().then_some(left),
            Some(_) | None => {
                inner.running = None;
                None
            }
        }
    }
}

impl Inner {
    /// Whether it failed so often that it is not started for a while.
    fn rests(&self) -> bool {
        self.failures >= MAX_FAILURES && self.failed.is_some_and(|when| when.elapsed() < REST)
    }

    /// Whether it was this process that ran. Drops what waits: those requests are answered without it.
    fn ended(&mut self, process: u64) -> bool {
        let is_this = self.running.as_ref().is_some_and(|running| running.number == process);
        if is_this {
            self.running = None;
            self.failures += 1;
            self.failed = Some(Instant::now());
        }
        is_this
    }
}

/// Starts the process if it is installed and does not run; whether it runs now.
async fn start(state: &Arc<State>) -> bool {
    if state.reader().lock().running.is_some() {
        return true;
    }
    let (daemon, place) = (Arc::clone(state), reader_file::own(&state.paths).display().to_string());
    let started = blocking_io::run(&place, move || {
        let Some(file) = reader_file::installed(&daemon.paths) else { return false };
        let mut inner = daemon.reader().lock();
        if inner.running.is_some() {
            return true;
        }
        inner.number += 1;
        inner.used = Some(Instant::now());
        let number = inner.number;
        match reader::start(daemon.program.path(), &file) {
            Ok((process, output, errors)) => {
                inner.running = Some(Running { number, process, waiting: HashMap::new(), is_new: true });
                drop(inner);
                let listener = Arc::clone(&daemon);
                std::thread::spawn(move || Reader::listen(&listener, number, output, errors));
                true
            }
            Err(error) => {
                inner.failures += 1;
                inner.failed = Some(Instant::now());
                drop(inner);
                daemon.notice(format!("{NOTICE}{error:#}"));
                false
            }
        }
    });
    let is_started = started.await.unwrap_or(false);
    if is_started {
        let cooler = Arc::clone(state);
        text_work::spawn(text_work::NO_TEXT, async move {
            while let Some(left) = cooler.reader().cool() {
                tokio::time::sleep(left).await;
            }
        });
    }
    is_started
}

/// A request that is under way.
struct Asked<'a> {
    state: &'a Arc<State>,
    process: u64,
    id: u64,
    is_answered: bool,
}

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        if self.is_answered {
            return;
        }
        let mut inner = self.state.reader().lock();
        if let Some(running) = inner.running.as_mut().filter(|running| running.number == self.process) {
            running.waiting.remove(&self.id);
            let _ = running.process.say(&ReaderLine::Cancel { id: self.id });
        }
    }
}
