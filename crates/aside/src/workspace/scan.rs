//! Passes the files of a workspace to a visitor, on a few threads. A thread takes some files of a directory that is listed already, or
//! else lists the next directory. No thread waits for another one's file, and few directories are open at a time. Does not decide what is
//! done with a file.

use std::collections::VecDeque;
use std::io;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, TryRecvError};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use aside_task::diff::path::RelativePath;
use aside_task::run::context::Ignored;

use crate::workspace::rooted_fs::{Dir, OpenedEntry, Root};
use crate::workspace::walk::{UnlistedDir, WalkDeadline, WalkEnd, WalkStart};

/// Leaves CPU for the daemon, which answers keystrokes meanwhile.
const MAX_THREADS: usize = 4;
/// Files that a thread takes at a time.
const BATCH: usize = 64;
/// Between two checks of the deadline while threads are waited for.
const LOOK: Duration = Duration::from_millis(10);

/// What is done with each file, on several threads at once.
pub trait Visitor: Send + Sync + 'static {
    /// What a thread keeps from one file to the next: a searcher, a buffer.
    type Tools;

    fn tools(&self) -> Self::Tools;

    /// Called with each file, ignored ones included, in any order. `Break` ends the scan.
    fn visit(&self, tools: &mut Self::Tools, file: &ScannedFile<'_>) -> ControlFlow<()>;
}

/// A regular file, as the directory lists it.
pub struct ScannedFile<'a> {
    /// Relative to the root.
    pub path: &'a str,
    pub ignored: Ignored,
    dir: &'a Dir,
    stopped: &'a AtomicBool,
}

impl ScannedFile<'_> {
    /// Opens the file. Its checked name shows that no task is denied to read it.
    pub fn open(&self, name: &RelativePath) -> io::Result<OpenedEntry> {
        let (_, last) = name.split();
        self.dir.open_listed(last)
    }

    /// Whether the time is over or the scan was cancelled: the rest of a long file is not needed.
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}

/// Number of threads that read files at the same time.
pub fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS)
}

/// Visits all files outside of ignored directories, nearest to the root first, at most `most` entries. Returns in time, whatever a file
/// takes: a thread that is still at one then ends behind it.
pub fn scan<V: Visitor>(
    root: Root,
    most: usize,
    until: &WalkDeadline<'_>,
    visitor: &Arc<V>,
) -> anyhow::Result<WalkEnd> {
    if let Some(ended) = until.over() {
        return Ok(ended);
    }
    let Some(WalkStart { first, device }) = WalkStart::of(&root) else { return Ok(WalkEnd::Whole) };
    let jobs = Jobs { dirs: VecDeque::from([first]), files: Vec::new(), listing: 0, left: most, ended: None };
    let (stopped, enough) = (AtomicBool::new(false), AtomicBool::new(false));
    let run = Arc::new(Run {
        root,
        device,
        jobs: Mutex::new(jobs),
        more: Condvar::new(),
        stopped,
        enough,
        cut: false.into(),
    });
    // Disconnected once all threads have ended.
    let (working, ends) = mpsc::channel::<()>();
    for _ in 0..threads() {
        let (run, visitor, working) = (Arc::clone(&run), Arc::clone(visitor), working.clone());
        std::thread::Builder::new().name("scan".to_owned()).spawn(move || {
            run.work(&*visitor);
            drop(working);
        })?;
    }
    drop(working);
    while until.over().is_none() && ends.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {}
    let have_ended = ends.try_recv() == Err(TryRecvError::Disconnected);
    run.stopped.store(true, Ordering::Relaxed);
    run.more.notify_all();
    Ok(match run.jobs().ended {
        Some(ended) => ended,
        None if have_ended && !run.cut.load(Ordering::Relaxed) => WalkEnd::Whole,
        None => until.over().unwrap_or(WalkEnd::Late),
    })
}

struct Run {
    root: Root,
    device: u64,
    jobs: Mutex<Jobs>,
    /// Notified when there are more jobs, or no more will come.
    more: Condvar,
    /// The time is over, or the scan was cancelled.
    stopped: AtomicBool,
    /// The visitor wants no more files.
    enough: AtomicBool,
    /// A file was passed over, since the time was over.
    cut: AtomicBool,
}

struct Jobs {
    /// Nearest to the root first.
    dirs: VecDeque<UnlistedDir>,
    /// Taken before another directory is listed, so that few are open.
    files: Vec<Batch>,
    /// Threads that list a directory, and may add jobs.
    listing: usize,
    /// Entries that may still be listed.
    left: usize,
    ended: Option<WalkEnd>,
}

/// Files of one directory.
struct Batch {
    dir: Arc<Dir>,
    files: Vec<(String, Ignored)>,
}

enum Job {
    Files(Batch),
    Dir(UnlistedDir, usize),
}

/// Counts a thread that lists a directory, also where it panics: the others would wait for it.
struct Listing<'a>(&'a Run);

impl Drop for Listing<'_> {
    fn drop(&mut self) {
        self.0.jobs().listing -= 1;
        self.0.more.notify_all();
    }
}

impl Run {
    fn jobs(&self) -> MutexGuard<'_, Jobs> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work<V: Visitor>(&self, visitor: &V) {
        let mut tools = visitor.tools();
        while let Some(job) = self.next() {
            match job {
                Job::Files(Batch { dir, files }) => {
                    for (path, ignored) in &files {
                        if self.stopped.load(Ordering::Relaxed) {
                            self.cut.store(true, Ordering::Relaxed);
                            return;
                        }
                        if self.enough.load(Ordering::Relaxed) {
                            return;
                        }
                        let file = ScannedFile { path, ignored: *ignored, dir: &dir, stopped: &self.stopped };
                        if visitor.visit(&mut tools, &file).is_break() {
                            self.enough.store(true, Ordering::Relaxed);
                            self.more.notify_all();
                        }
                    }
                }
                Job::Dir(unlisted, left) => {
                    let _listing = Listing(self);
                    self.list(unlisted, left);
                }
            }
        }
    }

    /// Waits while a thread that lists a directory may add a job.
    fn next(&self) -> Option<Job> {
        let mut jobs = self.jobs();
        loop {
            if self.enough.load(Ordering::Relaxed) {
                return None;
            }
            if self.stopped.load(Ordering::Relaxed) {
                self.cut.store(true, Ordering::Relaxed);
                return None;
            }
            if let Some(batch) = jobs.files.pop() {
                return Some(Job::Files(batch));
            }
            let left = jobs.left;
            if let Some(unlisted) = jobs.dirs.pop_front() {
                jobs.listing += 1;
                return Some(Job::Dir(unlisted, left));
            }
            if jobs.listing == 0 {
                return None;
            }
            jobs = self.more.wait(jobs).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn list(&self, unlisted: UnlistedDir, left: usize) {
        // The thread that waits knows whether the time is over or the scan was cancelled.
        let over = || self.stopped.load(Ordering::Relaxed).then_some(WalkEnd::Late);
        let Some(mut listed) = unlisted.list(&self.root, self.device, left, &over) else { return };
        let dir = Arc::new(listed.dir);
        let mut batches = Vec::with_capacity(listed.files.len() / BATCH + 1);
        while !listed.files.is_empty() {
            let rest = listed.files.split_off(listed.files.len().saturating_sub(BATCH));
            batches.push(Batch { dir: Arc::clone(&dir), files: rest });
        }
        let dirs = listed.dirs.into_iter().filter(|(_, ignored)| *ignored == Ignored::No).map(|(dir, _)| dir);
        let mut jobs = self.jobs();
        jobs.left = jobs.left.saturating_sub(listed.entries);
        jobs.files.extend(batches);
        match listed.ended {
            None => jobs.dirs.extend(dirs),
            Some(WalkEnd::Many) => {
                jobs.ended = Some(WalkEnd::Many);
                jobs.dirs.clear();
            }
            Some(WalkEnd::Whole | WalkEnd::Late | WalkEnd::Cancelled) => self.cut.store(true, Ordering::Relaxed),
        }
        drop(jobs);
        self.more.notify_all();
    }
}

#[cfg(test)]
mod tests;
