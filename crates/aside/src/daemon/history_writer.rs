//! The thread that owns the history on disk, and keeps the index in memory in step with it. Replies wait for it only if they promise that
//! something is stored.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::anyhow;
use aside_core::history::HistoryEntry;
use aside_core::history::filter::MAX_COMMAND;
use aside_core::history::import::{ImportFormat, ParsedHistory};
use aside_core::history::index::{HistoryIndex, HistoryIndexBuilder};
use aside_core::history::run_record::RunRecord;
use tokio::sync::oneshot;

use crate::daemon::state::State;
use crate::store::{Appended, History, Row, RowRef, history_files};

/// Cap on jobs waiting for the disk. Beyond it, commands are refused; clients send them again later.
const MAX_JOBS: usize = 1024;
/// Rows that are read first, so that a shell gets answers while the rest of a long history is still being read.
const FIRST: usize = 5000;
/// How long the thread may take to end. It may wait up to half a minute for another process that locks the file.
const CLOSE: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_millis(2);
/// Backoff while the history cannot be opened or written.
const RETRY: Duration = Duration::from_secs(2);
const MAX_RETRY: Duration = Duration::from_secs(60);
/// Cap on commands that wait in memory meanwhile. The oldest is lost first.
const MAX_WAITING: usize = 1000;

enum Job {
    Append {
        entry: HistoryEntry,
        seq: Option<i64>,
        learnt: u64,
        done: oneshot::Sender<Result<(), String>>,
    },
    Reload,
    Loaded {
        index: Box<HistoryIndex>,
        up_to: i64,
    },
    ImportFirst {
        shell: String,
        histfile: String,
    },
    /// The entries of a shell's history file, already filtered.
    Import {
        histfile: String,
        entries: Vec<HistoryEntry>,
    },
    Close,
}

/// A handle to the thread.
#[derive(Clone)]
pub struct HistoryWriter {
    jobs: SyncSender<Job>,
    closing: Arc<AtomicBool>,
    thread: Arc<Mutex<Option<JoinHandle<()>>>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CloseOutcome {
    Ended,
    /// The thread still waits for the file and dies with the process. What it had not stored was not acknowledged.
    Busy,
}

pub fn start(state: Arc<State>) -> HistoryWriter {
    let (jobs, queue) = mpsc::sync_channel(MAX_JOBS);
    let history_writer = HistoryWriter { jobs, closing: Arc::default(), thread: Arc::default() };
    state.set_keeper(history_writer.clone());
    let (back, closing) = (history_writer.jobs.clone(), Arc::clone(&history_writer.closing));
    let thread = std::thread::spawn(move || WriterThread::new(state, back).work(queue, &closing));
    *history_writer.thread.lock().unwrap_or_else(PoisonError::into_inner) = Some(thread);
    history_writer
}

impl HistoryWriter {
    /// Returns once the command is stored, or will certainly not be. `learnt` is the result of `State::learn` for the command.
    pub async fn append(&self, entry: HistoryEntry, seq: Option<i64>, learnt: u64) -> Result<(), String> {
        let (done, stored) = oneshot::channel();
        self.jobs.try_send(Job::Append { entry, seq, learnt, done }).map_err(|_| "the disk is too slow".to_owned())?;
        stored.await.unwrap_or_else(|_| Err("nobody stored it".to_owned()))
    }

    /// Reads the history again, in the background.
    pub fn reload(&self) {
        let _ = self.jobs.try_send(Job::Reload);
    }

    /// Imports the shell's own history file if there is no history at all.
    pub fn import_first(&self, shell: String, histfile: String) {
        let _ = self.jobs.try_send(Job::ImportFirst { shell, histfile });
    }

    /// Ends the thread after its current job. Callers have waited for everything that was promised to be stored.
    pub fn close(&self) -> CloseOutcome {
        self.closing.store(true, Ordering::Relaxed);
        // With a full queue the thread is awake anyway.
        let _ = self.jobs.try_send(Job::Close);
        let Some(thread) = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take() else {
            return CloseOutcome::Ended;
        };
        let deadline = Instant::now() + CLOSE;
        while !thread.is_finished() {
            if Instant::now() >= deadline {
                return CloseOutcome::Busy;
            }
            std::thread::sleep(PAUSE);
        }
        CloseOutcome::Ended
    }
}

/// The state of the thread.
struct WriterThread {
    state: Arc<State>,
    history: Option<History>,
    /// Sends the results of reader threads back to this thread.
    back: SyncSender<Job>,
    reading: Reading,
    import_tried: bool,
    /// A first command may be stored before its shell has greeted us.
    began_empty: bool,
    /// What could not be stored, oldest first.
    waiting: VecDeque<Waiting>,
    /// Since something failed: when to try again, and the backoff after that.
    retry: Option<(Instant, Duration)>,
}

struct Waiting {
    entry: HistoryEntry,
    seq: Option<i64>,
    learnt: u64,
}

#[derive(PartialEq, Eq)]
enum Reading {
    No,
    Yes,
    /// Something changed during the read.
    Again,
}

impl WriterThread {
    fn new(state: Arc<State>, back: SyncSender<Job>) -> Self {
        Self {
            state,
            history: None,
            back,
            reading: Reading::No,
            import_tried: false,
            began_empty: false,
            waiting: VecDeque::new(),
            retry: None,
        }
    }

    fn work(mut self, queue: Receiver<Job>, closing: &AtomicBool) {
        self.open();
        self.began_empty = self.is_empty();
        self.state.set_readable();
        // Loaded in advance, so that neither the first command nor the first line of prose waits for it.
        self.state.filter();
        self.state.reroute_log().marks().reload_if_changed();
        while let Some(job) = self.next(&queue) {
            if closing.load(Ordering::Relaxed) {
                break;
            }
            // A panic loses one job, not all that follow.
            if catch_unwind(AssertUnwindSafe(|| self.perform(job))).is_err() {
                self.state.notice("a job of the history was lost to a fault of ours; the log says where");
            }
        }
        if !self.waiting.is_empty() {
            self.store_waiting();
        }
    }

    /// Waits for the next job. While something could not be stored, tries that again now and then.
    fn next(&mut self, queue: &Receiver<Job>) -> Option<Job> {
        loop {
            let Some((when, _)) = self.retry else { return queue.recv().ok() };
            match queue.recv_timeout(when.saturating_duration_since(Instant::now())) {
                Ok(job) => return Some(job),
                Err(RecvTimeoutError::Timeout) => self.store_waiting(),
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        }
    }

    fn perform(&mut self, job: Job) {
        match job {
            Job::Append { entry, seq, learnt, done } => {
                let stored = self.append(Waiting { entry, seq, learnt });
                // The client may have disconnected; the command is stored all the same.
                let _ = done.send(stored);
            }
            Job::Reload => self.read_all(),
            Job::Loaded { index, up_to } => self.loaded(*index, up_to),
            Job::ImportFirst { shell, histfile } => self.import_first(&shell, histfile),
            Job::Import { histfile, entries } => self.import(&histfile, entries),
            // Only wakes the thread; the loop has ended before.
            Job::Close => {}
        }
    }

    fn open(&mut self) {
        match History::open(&self.state.paths.history_db()) {
            // Its notice is passed on with later ones.
            Ok((history, _)) => {
                self.history = Some(history);
                self.read_first();
            }
            Err(error) => self.failed(&format!("{error:#}")),
        }
    }

    /// Backs off, and tells the user once.
    fn failed(&mut self, problem: &str) {
        let pause = self.retry.map_or(RETRY, |(_, pause)| MAX_RETRY.min(2 * pause));
        self.retry = Some((Instant::now() + pause, pause));
        self.state.notice(format!("commands cannot be stored: {problem}"));
        self.state.set_unstored(problem, self.waiting.len());
    }

    /// Tries what could not be stored, oldest first, until something fails again.
    fn store_waiting(&mut self) {
        if self.history.is_none() {
            self.open();
        }
        if self.history.is_none() {
            return;
        }
        while let Some(waiting) = self.waiting.pop_front() {
            if let Err(problem) = self.store(&waiting) {
                self.waiting.push_front(waiting);
                return self.failed(&problem);
            }
        }
        if self.retry.take().is_some() {
            tracing::info!("the history can be written again");
            self.state.set_unstored("", 0);
        }
    }

    /// Reads the newest part at once, the rest in the background.
    fn read_first(&mut self) {
        let Some(history) = &mut self.history else { return };
        match history.newest(FIRST, None) {
            Ok(rows) => {
                let mut builder = HistoryIndexBuilder::default();
                for Row { entry, .. } in rows.iter().rev() {
                    builder.add(ran(entry));
                }
                let complete = rows.len() < FIRST;
                self.state.replace_index(builder.finish());
                self.state.set_readable();
                if !complete {
                    self.read_all();
                }
                // Counting reads all rows.
                self.count();
            }
            Err(error) => self.state.notice(format!("could not read the history: {error:#}")),
        }
        self.pass_on_notice();
    }

    /// Starts a thread that reads everything through its own connection, so that commands can be stored meanwhile.
    fn read_all(&mut self) {
        if self.reading != Reading::No {
            self.reading = Reading::Again;
            return;
        }
        self.reading = Reading::Yes;
        self.state.set_loading(true);
        let (state, back) = (Arc::clone(&self.state), self.back.clone());
        std::thread::spawn(move || {
            let path = state.paths.history_db();
            let read = catch_unwind(|| read(&path)).unwrap_or_else(|_| Err(anyhow!("a fault of ours")));
            let (index, up_to) = read.unwrap_or_else(|error| {
                state.notice(format!("could not read the history: {error:#}"));
                (HistoryIndex::default(), -1)
            });
            let _ = back.send(Job::Loaded { index: Box::new(index), up_to });
        });
    }

    fn loaded(&mut self, mut index: HistoryIndex, up_to: i64) {
        self.state.set_loading(false);
        let again = self.reading == Reading::Again;
        self.reading = Reading::No;
        if up_to >= 0
            && let Some(history) = &mut self.history
        {
            let since = history.each_since(up_to, |row| {
                index.add(passed(row));
            });
            match since {
                Ok(()) => self.state.replace_index(index),
                Err(error) => self.state.notice(format!("could not read the history: {error:#}")),
            }
        }
        self.pass_on_notice();
        self.count();
        if again {
            self.read_all();
        }
    }

    /// Stores a command, behind those that wait. What cannot be stored waits too, and is not acknowledged.
    fn append(&mut self, new: Waiting) -> Result<(), String> {
        if new.entry.command.len() > MAX_COMMAND {
            return Err(format!("the command has more than {MAX_COMMAND} bytes"));
        }
        // The disk may have room again, or the home directory may be mounted by now.
        if self.retry.is_some_and(|(when, _)| Instant::now() >= when) {
            self.store_waiting();
        }
        let problem = match self.retry {
            Some(_) => "the history cannot be written".to_owned(),
            None => match self.store(&new) {
                Ok(()) => return Ok(()),
                Err(problem) => problem,
            },
        };
        if self.waiting.len() == MAX_WAITING {
            self.waiting.pop_front();
        }
        self.waiting.push_back(new);
        match self.retry {
            Some(_) => self.state.set_unstored_count(self.waiting.len()),
            None => self.failed(&problem),
        }
        Err(problem)
    }

    fn store(&mut self, Waiting { entry, seq, learnt }: &Waiting) -> Result<(), String> {
        let Some(history) = &mut self.history else { return Err("the history is not open".to_owned()) };
        let stored = history.append(entry, *seq);
        self.pass_on_notice();
        match stored {
            Ok(Appended::New(_)) => {
                self.state.learn_again(ran(entry), *learnt);
                self.state.add_record();
                Ok(())
            }
            Ok(Appended::Known) => Ok(()),
            Err(error) => Err(format!("{error:#}")),
        }
    }

    fn is_empty(&mut self) -> bool {
        self.history.as_mut().is_some_and(|history| history.is_empty().unwrap_or(false))
    }

    fn import_first(&mut self, shell: &str, histfile: String) {
        if std::mem::replace(&mut self.import_tried, true) {
            return;
        }
        if !self.began_empty && !self.is_empty() {
            return;
        }
        let Some(format) = [ImportFormat::Zsh, ImportFormat::Bash, ImportFormat::Fish]
            .into_iter()
            .find(|format| format.name() == shell)
        else {
            return;
        };
        let (state, back) = (Arc::clone(&self.state), self.back.clone());
        // On its own thread: the file may be on a disk that hangs, and commands have to be stored meanwhile.
        std::thread::spawn(move || {
            // The daemon's working directory is not the shell's, and opening a FIFO would block.
            let file = Path::new(&histfile);
            if !file.is_absolute() || !file.is_file() {
                return;
            }
            // Scanning 100 000 lines for secrets takes a moment, too.
            let (Ok(ParsedHistory { mut entries, skipped: _ }), Some(filter)) =
                (history_files::read_file(format, file), state.filter())
            else {
                return;
            };
            filter.sift(&mut entries, |_| {});
            if !entries.is_empty() {
                let _ = back.send(Job::Import { histfile, entries });
            }
        });
    }

    fn import(&mut self, histfile: &str, entries: Vec<HistoryEntry>) {
        let Some(history) = &mut self.history else { return };
        match history.import(&entries, &mut |_| {}) {
            Ok(imported) => {
                tracing::info!(added = imported.added, histfile, "imported the shell's own history");
                self.read_all();
            }
            Err(error) => self.state.notice(format!("could not import {histfile}: {error:#}")),
        }
    }

    /// The store may have found its file damaged and begun a new one.
    fn pass_on_notice(&mut self) {
        if let Some(notice) = self.history.as_mut().and_then(History::take_notice) {
            self.state.notice(notice.0);
        }
    }

    fn count(&mut self) {
        if let Some(records) = self.history.as_mut().and_then(|history| history.count().ok()) {
            self.state.set_records(records as u64);
        }
    }
}

fn ran(entry: &HistoryEntry) -> RunRecord<'_> {
    RunRecord {
        command: &entry.command,
        cwd: entry.cwd.as_deref(),
        exit: entry.exit,
        session: entry.session.as_deref(),
        private: entry.private,
    }
}

fn passed(row: RowRef<'_>) -> RunRecord<'_> {
    RunRecord { command: row.command, cwd: row.cwd, exit: row.exit, session: row.session, private: row.private }
}

/// Builds an index of the whole store; also returns the id of its last row.
fn read(path: &Path) -> anyhow::Result<(HistoryIndex, i64)> {
    let Some(mut history) = History::open_to_read(path)? else { return Ok((HistoryIndex::default(), 0)) };
    let mut builder = HistoryIndexBuilder::default();
    let mut up_to = 0;
    history.each_in_time_order(|row| {
        up_to = up_to.max(row.id);
        builder.add(passed(row));
    })?;
    Ok((builder.finish(), up_to))
}
