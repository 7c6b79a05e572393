//! The daemon's side of the reader: starts its process when a request begins, passes requests on, and ends it when it is late or has not been
//! asked for a while. Without it, or when it dies, answers come from elsewhere; `aside doctor` says why. Its lock is held for moments only:
//! no process is started, written to or waited for under it.

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

/// How long an answer may take. Far more than it needs, for a busy machine.
const DEADLINE: Duration = Duration::from_secs(4);
/// How much longer a process may be silent before it is ended.
const GRACE: Duration = Duration::from_secs(2);
/// How long the process may take to check its file and to confine itself.
const STARTING: Duration = Duration::from_secs(6);
/// How long it stays after the last request, and how often that is looked at.
const WARM: Duration = Duration::from_mins(10);
const LOOK: Duration = Duration::from_secs(15);
/// Requests that it may have at the same time, cancelled ones included.
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
    /// Held while a process is started.
    starting: tokio::sync::Mutex<()>,
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
    /// What waits for each answer; `None` once it was cancelled.
    waiting: HashMap<u64, Option<oneshot::Sender<Vec<ReaderAnswer>>>>,
    is_new: bool,
}

/// A request that is under way. Dropping it cancels the request.
struct Asked<'a> {
    reader: &'a Reader,
    process: u64,
    id: u64,
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
        self.inner.try_lock().is_ok_and(|inner| inner.running.is_some() || inner.rests())
    }

    /// Its answers to a prompt, the best first; none if it is not installed, off, late or dead. Dropping the future cancels it.
    pub async fn ask(state: &Arc<State>, prompt: &str) -> Vec<ReaderAnswer> {
        // A process that has died since is started once more.
        for _ in 0..2 {
            if state.reader().lock().rests() || !start(state).await {
                break;
            }
            let Some((asked, answered)) = Self::send(state, prompt) else { continue };
            let answers = answered.await;
            drop(asked);
            if let Ok(answers) = answers {
                return answers;
            }
        }
        Vec::new()
    }

    fn send<'a>(state: &'a Arc<State>, prompt: &str) -> Option<(Asked<'a>, oneshot::Receiver<Vec<ReaderAnswer>>)> {
        let reader = state.reader();
        let mut inner = reader.lock();
        inner.number += 1;
        inner.used = Some(Instant::now());
        let id = inner.number;
        let running = inner.running.as_mut().filter(|running| running.waiting.len() < MAX_WAITING)?;
        let ms = u64::try_from(DEADLINE.as_millis()).unwrap_or(u64::MAX);
        let process = running.number;
        let (sender, answered) = oneshot::channel();
        running.waiting.insert(id, Some(sender));
        let queue = u32::try_from(running.waiting.len()).unwrap_or(u32::MAX);
        let patience = DEADLINE * queue + GRACE + if running.is_new { STARTING } else { Duration::ZERO };
        let is_said = running.process.say(&ReaderLine::Ask { id, prompt: prompt.to_owned(), ms });
        drop(inner);
        if !is_said {
            reader.fail(state, process, "it reads no requests");
            return None;
        }
        let daemon = Arc::clone(state);
        text_work::spawn(text_work::NO_TEXT, async move {
            tokio::time::sleep(patience).await;
            if daemon.reader().owes(process, id) {
                daemon.reader().fail(&daemon, process, "it did not answer in time");
            }
        });
        Some((Asked { reader, process, id }, answered))
    }

    fn owes(&self, process: u64, id: u64) -> bool {
        let inner = self.lock();
        inner.running.as_ref().is_some_and(|running| running.number == process && running.waiting.contains_key(&id))
    }

    /// Ends a process that failed; doctor says why.
    fn fail(&self, state: &State, process: u64, why: &str) {
        let mut inner = self.lock();
        let failed = inner.running.take_if(|running| running.number == process);
        if failed.is_some() {
            inner.failures += 1;
            inner.failed = Some(Instant::now());
        }
        drop(inner);
        // What waits for it is answered without it.
        if failed.is_some() {
            state.notice(format!("{NOTICE}{why}"));
        }
    }

    /// Passes replies on until the process ends.
    fn listen(&self, state: &State, process: u64, output: PipeReader, errors: PipeReader) {
        let mut lines = BufReader::new(output);
        loop {
            let mut line = String::new();
            match lines.by_ref().take(MAX_LINE).read_line(&mut line) {
                Ok(read) if read > 0 && line.ends_with('\n') => {}
                Ok(_) | Err(_) => break,
            }
            let Ok(ReaderReply { id, answers }) = serde_json::from_str(&line) else { break };
            let mut inner = self.lock();
            let Some(running) = inner.running.as_mut().filter(|running| running.number == process) else { break };
            running.is_new = false;
            let waits = running.waiting.remove(&id).flatten();
            inner.failures = 0;
            inner.failed = None;
            drop(inner);
            let answers = answers.into_iter().map(|(text, score)| ReaderAnswer { text, score }).collect();
            // The request may have been given up.
            let _ = waits.map(|waits| waits.send(answers));
        }
        // Killed, so that its errors end too.
        if let Some(running) = self.lock().running.as_ref().filter(|running| running.number == process) {
            running.process.kill();
        }
        let mut said = String::new();
        let _ = errors.take(MAX_ERROR).read_to_string(&mut said);
        let said = said.lines().next().unwrap_or("it ended").trim_start_matches("aside: ").to_owned();
        self.fail(state, process, &said);
    }

    /// Ends a process that has not been asked for a while, or that the settings no longer allow; whether one is left.
    fn cool(&self, state: &State) -> bool {
        let mut inner = self.lock();
        let is_unused = inner.used.is_none_or(|used| used.elapsed() >= WARM);
        let ended = if is_unused || !state.config().llm.reader { inner.running.take() } else { None };
        let is_left = inner.running.is_some();
        drop(inner);
        drop(ended);
        is_left
    }

    /// Ends the process and waits for its end: another program takes this one's place.
    pub fn end(&self) {
        let ended = self.lock().running.take();
        if let Some(Running { process, .. }) = ended {
            process.end();
        }
    }
}

impl Inner {
    /// Whether it failed so often that it is not started for a while.
    fn rests(&self) -> bool {
        self.failures >= MAX_FAILURES && self.failed.is_some_and(|when| when.elapsed() < REST)
    }
}

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        let mut inner = self.reader.lock();
        let Some(running) = inner.running.as_mut().filter(|running| running.number == self.process) else { return };
        if let Some(waits) = running.waiting.get_mut(&self.id) {
            *waits = None;
            running.process.say(&ReaderLine::Cancel { id: self.id });
        }
    }
}

/// Starts the process if it is installed and does not run; whether it runs now.
async fn start(state: &Arc<State>) -> bool {
    if state.reader().lock().running.is_some() {
        return true;
    }
    let _turn = state.reader().starting.lock().await;
    if state.reader().lock().running.is_some() {
        return true;
    }
    let (daemon, place) = (Arc::clone(state), reader_file::own(&state.paths).display().to_string());
    let started = blocking_io::run(&place, move || {
        let Some(file) = reader_file::installed(&daemon.paths) else { return false };
        match reader::start(daemon.program.path(), &file) {
            Ok((process, output, errors)) => {
                let mut inner = daemon.reader().lock();
                inner.number += 1;
                inner.used = Some(Instant::now());
                let number = inner.number;
                // One that came too late for its own request may find another here, which goes.
                let other = inner.running.replace(Running { number, process, waiting: HashMap::new(), is_new: true });
                drop(inner);
                drop(other);
                std::thread::spawn(move || daemon.reader().listen(&daemon, number, output, errors));
                true
            }
            Err(error) => {
                let mut inner = daemon.reader().lock();
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
            while cooler.reader().cool(&cooler) {
                tokio::time::sleep(LOOK).await;
            }
        });
    }
    is_started
}
