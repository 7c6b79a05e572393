//! Reads the texts of a workspace on a few threads, for readers of all of them: one reader in the order of the paths, or one for each
//! thread. Leaves out files that are ignored, denied or no text. Does not decide what is in a text.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use aside_task::run::context::{Ignored, ListedFile, MAX_READ};

use crate::workspace::Workspace;
use crate::workspace::masked::Secrets;
use crate::workspace::read::read;
use crate::workspace::rooted_fs::Root;
use crate::workspace::scan::threads;
use crate::workspace::walk::WalkDeadline;

/// Cap on the bytes of a look through all files.
const MAX_TEXTS: usize = 256 * 1024 * 1024;
/// Files that a thread reads at a time.
const BATCH: usize = 16;
/// Batches of each thread that wait for the reader.
const AHEAD: usize = 4;

/// Which texts a reader wants. Decided on the threads that read, so that the reader itself is passed few.
pub struct TextFilter<'a> {
    /// By the path, before the file is opened.
    pub path: &'a (dyn Fn(&str) -> bool + Sync),
    /// By the path and the text.
    pub text: &'a (dyn Fn(&str, &str) -> bool + Sync),
}

impl TextFilter<'static> {
    pub const ALL: Self = Self { path: &|_| true, text: &|_, _| true };
}

impl Workspace {
    /// Passes every text file that git does not ignore, as it may be shown, in the order of the paths. A file that is larger than
    /// `MAX_READ` is left out: a cut could lie inside of a secret. Returns `None` if it was cancelled.
    pub fn each_text(&self, secrets: Secrets, cancelled: &AtomicBool, take: impl FnMut(&str, &str)) -> Option<()> {
        self.each_text_of(&TextFilter::ALL, secrets, cancelled, take)
    }

    /// The same, of the texts that the filter wants.
    pub fn each_text_of(
        &self,
        filter: &TextFilter<'_>,
        secrets: Secrets,
        cancelled: &AtomicBool,
        mut take: impl FnMut(&str, &str),
    ) -> Option<()> {
        let root = Root::open(&self.root).ok()?;
        let tree = self.tree(&[], cancelled).ok()?;
        let listed = tree.listed();
        let wanted = listed.iter().filter(|listed| listed.ignored == Ignored::No && (filter.path)(listed.path));
        let paths: Vec<&str> = wanted.map(|listed| listed.path).collect();
        let batches: Vec<&[&str]> = paths.chunks(BATCH).collect();
        let queue = Queue::new(batches.len());
        let read_batch = |batch: &[&str]| -> Vec<ReadText> {
            let read = |path: &&str| {
                let text = text(&root, path).filter(|text| text.len() <= MAX_READ)?;
                let length = text.len();
                let text = secrets.shown(text).filter(|text| (filter.text)(path, text));
                Some(ReadText { length, text })
            };
            batch.iter().map(|path| read(path).unwrap_or_default()).collect()
        };
        std::thread::scope(|scope| {
            for _ in 0..threads().min(batches.len()) {
                scope.spawn(|| {
                    // Ends the others, too, if a text makes this thread panic.
                    let _end = EndOnDrop(&queue);
                    while let Some(at) = queue.next() {
                        queue.put(at, read_batch(batches.get(at).copied().unwrap_or_default()));
                    }
                });
            }
            let _end = EndOnDrop(&queue);
            let mut total = 0;
            for (at, batch) in batches.iter().enumerate() {
                let Some(texts) = queue.take(at) else { break };
                for (path, read) in batch.iter().zip(texts) {
                    if cancelled.load(Ordering::Relaxed) {
                        return None;
                    }
                    if total > MAX_TEXTS {
                        return Some(());
                    }
                    total += read.length;
                    if let Some(text) = read.text {
                        take(path, &text);
                    }
                }
            }
            Some(())
        })
    }

    /// Passes the texts of listed files to readers, one for each thread, in any order, and returns these. Ends in time.
    pub fn fold_texts<R: Send>(
        &self,
        listed: &[ListedFile<'_>],
        secrets: Secrets,
        (time, cancelled): (Duration, &AtomicBool),
        new: impl Fn() -> R + Sync,
        look: impl Fn(&mut R, &str, &str) + Sync,
    ) -> Vec<R> {
        let until = WalkDeadline::new(time, cancelled);
        let Ok(root) = Root::open(&self.root) else { return Vec::new() };
        let wanted = listed.iter().filter(|listed| listed.ignored == Ignored::No);
        let paths: Vec<&str> = wanted.map(|listed| listed.path).collect();
        let (next, total) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let work = || {
            let mut reader = new();
            while let Some(batch) = paths.chunks(BATCH).nth(next.fetch_add(1, Ordering::Relaxed)) {
                for path in batch {
                    if until.over().is_some() || total.load(Ordering::Relaxed) > MAX_TEXTS {
                        return reader;
                    }
                    let Some(text) = text(&root, path) else { continue };
                    total.fetch_add(text.len(), Ordering::Relaxed);
                    if let Some(text) = secrets.searched(text) {
                        look(&mut reader, path, &text);
                    }
                }
            }
            reader
        };
        std::thread::scope(|scope| {
            let readers: Vec<_> = (0..threads()).map(|_| scope.spawn(work)).collect();
            readers.into_iter().filter_map(|reader| reader.join().ok()).collect()
        })
    }
}

/// A file, if it is text, and one byte more than `MAX_READ` of one that is longer.
fn text(root: &Root, path: &str) -> Option<String> {
    let bytes = read(root, path).ok().filter(|bytes| !bytes.contains(&0))?;
    String::from_utf8(bytes).ok()
}

#[derive(Default)]
struct ReadText {
    /// Bytes of the file.
    length: usize,
    /// `None` if the filter does not want it.
    text: Option<String>,
}

/// Batches on their way from the threads that read them to the one that takes them in order.
struct Queue {
    batches: Mutex<Batches>,
    changed: Condvar,
    all: usize,
    ahead: usize,
}

#[derive(Default)]
struct Batches {
    next: usize,
    taken: usize,
    read: BTreeMap<usize, Vec<ReadText>>,
    ended: bool,
}

/// Lets the threads on the other side of the queue end.
struct EndOnDrop<'a>(&'a Queue);

impl Drop for EndOnDrop<'_> {
    fn drop(&mut self) {
        let mut batches = self.0.batches();
        // A thread that has nothing left to read ends nothing.
        batches.ended |= std::thread::panicking() || batches.next < self.0.all;
        drop(batches);
        self.0.changed.notify_all();
    }
}

impl Queue {
    fn new(all: usize) -> Self {
        Self { batches: Mutex::default(), changed: Condvar::new(), all, ahead: AHEAD * threads() }
    }

    fn batches(&self) -> MutexGuard<'_, Batches> {
        self.batches.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next batch to read; waits while the reader is too far behind.
    fn next(&self) -> Option<usize> {
        let mut batches = self.batches();
        while !batches.ended && batches.next < self.all && batches.next >= batches.taken + self.ahead {
            batches = self.changed.wait(batches).unwrap_or_else(PoisonError::into_inner);
        }
        if batches.ended || batches.next >= self.all {
            return None;
        }
        batches.next += 1;
        Some(batches.next - 1)
    }

    fn put(&self, at: usize, texts: Vec<ReadText>) {
        let mut batches = self.batches();
        batches.read.insert(at, texts);
        let is_awaited = at == batches.taken;
        drop(batches);
        if is_awaited {
            self.changed.notify_all();
        }
    }

    /// The batch with this number; `None` if a thread failed.
    fn take(&self, at: usize) -> Option<Vec<ReadText>> {
        let mut batches = self.batches();
        loop {
            if let Some(texts) = batches.read.remove(&at) {
                batches.taken = at + 1;
                drop(batches);
                self.changed.notify_all();
                return Some(texts);
            }
            if batches.ended {
                return None;
            }
            batches = self.changed.wait(batches).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

#[cfg(test)]
mod tests;
