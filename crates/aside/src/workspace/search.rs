//! Searches the files of a workspace for a plan's pattern, on a few threads, for a few seconds. Skips ignored, denied, binary and very
//! large files. Does not decide what is worth showing.

use std::fs::File;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::Context;
use aside_task::diff::path::RelativePath;
use aside_task::run::context::Ignored;
use aside_task::run::search::file_matches::FileMatcher;
use aside_task::run::search::plan::SearchPlan;
use aside_task::run::search::{FileMatches, SearchOutcome};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, MmapChoice, Searcher, SearcherBuilder, Sink, SinkMatch};

use crate::workspace::Workspace;
use crate::workspace::masked::{self, Masked, Secrets};
use crate::workspace::rooted_fs::{OpenedEntry, Root};
use crate::workspace::scan::{ScannedFile, Visitor, scan};
use crate::workspace::walk::{WalkDeadline, WalkEnd};

const TIME: Duration = Duration::from_secs(5);
/// For a search in masked texts: finding the secrets of a file takes longer than searching it, and a remote user waits for a message anyway.
const MASKED_TIME: Duration = Duration::from_secs(15);
/// Caps on directory entries, and on files with matches.
const MAX_ENTRIES: usize = 500_000;
const MAX_FOUND: usize = 20_000;
/// Bytes of a file; anything larger is data.
const MAX_BYTES: i64 = 16 * 1024 * 1024;
/// The same for a file whose secrets have to be masked first.
const MAX_MASKED: i64 = 2 * 1024 * 1024;
/// Bytes of a file that is read at once, into a buffer that the thread keeps; larger ones are read in parts.
const MAX_WHOLE: i64 = 1024 * 1024;
/// Bytes of memory for a line and its context.
const MAX_HEAP: usize = 8 * 1024 * 1024;
/// Lines of a file between two checks of the deadline.
const BREATH: usize = 64;
/// Bytes of a compiled expression.
const MAX_REGEX: usize = 4 * 1024 * 1024;

impl Workspace {
    /// With `Secrets::Masked` every file is masked before it is searched, also one without a match: neither the answer nor the time that
    /// it takes depends on whether the query is part of a secret.
    pub fn search(&self, plan: &SearchPlan, secrets: Secrets, cancelled: &AtomicBool) -> anyhow::Result<SearchOutcome> {
        let time = match secrets {
            Secrets::Included => TIME,
            Secrets::Masked => MASKED_TIME,
        };
        self.search_within(time, plan, secrets, cancelled)
    }

    /// What a thread finds in a file after the time is left out.
    fn search_within(
        &self,
        time: Duration,
        plan: &SearchPlan,
        secrets: Secrets,
        cancelled: &AtomicBool,
    ) -> anyhow::Result<SearchOutcome> {
        let until = WalkDeadline::new(time, cancelled);
        let matcher = plan.reads().then(|| matcher(&plan.pattern)).transpose()?;
        let (root, plan) = (Root::open(&self.root)?, plan.clone());
        let search = Arc::new(Search { plan, secrets, matcher, found: Mutex::default(), counts: Counts::default() });
        let ended = scan(root, MAX_ENTRIES, &until, &search)?;
        Ok(search.outcome(ended, time))
    }
}

struct Search {
    plan: SearchPlan,
    secrets: Secrets,
    /// `None` if only names count.
    matcher: Option<RegexMatcher>,
    found: Mutex<Vec<FileMatches>>,
    counts: Counts,
}

#[derive(Default)]
struct Counts {
    files: AtomicUsize,
    denied: AtomicUsize,
    large: AtomicUsize,
    unread: AtomicUsize,
    full: AtomicBool,
}

/// What a thread needs to search.
struct Tools {
    searcher: Searcher,
    buffer: Vec<u8>,
}

impl Visitor for Search {
    type Tools = Tools;

    fn tools(&self) -> Tools {
        let searcher = SearcherBuilder::new()
            .line_number(true)
            .binary_detection(BinaryDetection::quit(0))
            // Truncating a mapped file would crash the process.
            .memory_map(MmapChoice::never())
            .heap_limit(Some(MAX_HEAP))
            .build();
        Tools { searcher, buffer: Vec::new() }
    }

    fn visit(&self, tools: &mut Tools, file: &ScannedFile<'_>) -> ControlFlow<()> {
        if file.ignored == Ignored::Yes || !self.plan.admits(file.path) {
            return ControlFlow::Continue(());
        }
        let Some(found) = self.file(tools, file).filter(|_| !file.is_stopped()) else {
            return ControlFlow::Continue(());
        };
        let mut all = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() < MAX_FOUND {
            all.push(found);
        }
        if all.len() < MAX_FOUND {
            return ControlFlow::Continue(());
        }
        self.counts.full.store(true, Ordering::Relaxed);
        ControlFlow::Break(())
    }
}

impl Search {
    fn file(&self, tools: &mut Tools, scanned: &ScannedFile<'_>) -> Option<FileMatches> {
        let count = |counter: &AtomicUsize| counter.fetch_add(1, Ordering::Relaxed);
        let path = scanned.path;
        let Ok(name) = RelativePath::new(path) else {
            count(&self.counts.denied);
            return None;
        };
        count(&self.counts.files);
        let mut look = FileMatcher::new(&self.plan, path);
        if let Some(matcher) = &self.matcher {
            match scanned.open(&name) {
                Ok(OpenedEntry::File(_, stat)) if stat.st_size > self.most() => {
                    count(&self.counts.large);
                }
                Ok(OpenedEntry::File(file, stat)) => {
                    let secrets = self.secrets;
                    let mut lines = Lines { look: &mut look, secrets, scanned, left: BREATH, binary: false };
                    let read = match secrets {
                        Secrets::Included => search_file(tools, matcher, file, stat.st_size, &mut lines),
                        Secrets::Masked => masked_text(file)
                            .and_then(|text| tools.searcher.search_slice(matcher, text.as_bytes(), &mut lines)),
                    };
                    // A file that turns out to be binary has no matches, whatever was found before.
                    if lines.binary {
                        look = FileMatcher::new(&self.plan, path);
                    }
                    if read.is_err() {
                        count(&self.counts.unread);
                    }
                }
                Ok(OpenedEntry::Nothing | OpenedEntry::Other(_)) => {}
                Err(_) => {
                    count(&self.counts.unread);
                }
            }
        }
        look.done()
    }

    /// Bytes of a file that is searched.
    fn most(&self) -> i64 {
        match self.secrets {
            Secrets::Included => MAX_BYTES,
            Secrets::Masked => MAX_MASKED,
        }
    }

    fn outcome(&self, ended: WalkEnd, time: Duration) -> SearchOutcome {
        let most = self.most() / (1024 * 1024);
        let Counts { files, denied, large, unread, full } = &self.counts;
        let mut found = std::mem::take(&mut *self.found.lock().unwrap_or_else(PoisonError::into_inner));
        // Threads end in any order.
        found.sort_unstable_by(|one, other| one.path.cmp(&other.path));
        let mut notes = Vec::new();
        match ended {
            WalkEnd::Whole => {}
            WalkEnd::Many => {
                notes.push(format!("only the first {MAX_ENTRIES} entries of the workspace were looked at"))
            }
            WalkEnd::Late => {
                notes.push(format!("not everything was looked at: it took longer than {} seconds", time.as_secs()))
            }
            WalkEnd::Cancelled => notes.push("the search was broken off".to_owned()),
        }
        if full.load(Ordering::Relaxed) {
            notes.push(format!("too much was found: the search ended after {MAX_FOUND} files"));
        }
        let counted = |count: &AtomicUsize, what: &str| match count.load(Ordering::Relaxed) {
            0 => None,
            1 => Some(format!("1 file was not searched: {what}")),
            count => Some(format!("{count} files were not searched: {what}")),
        };
        // These files matter only if nothing else was found.
        if found.is_empty() || !self.plan.reads() {
            notes.extend(counted(denied, "no task reads such a file"));
        }
        notes.extend(counted(large, &format!("larger than {most} MB")));
        notes.extend(counted(unread, "they could not be read"));
        SearchOutcome { found, files: files.load(Ordering::Relaxed), notes }
    }
}

/// Searches a file. Most are small, and are read with one call; a NUL byte ends the search in one before any line is looked at.
fn search_file(
    tools: &mut Tools,
    matcher: &RegexMatcher,
    mut file: File,
    size: i64,
    lines: &mut Lines<'_, '_>,
) -> io::Result<()> {
    let Tools { searcher, buffer } = tools;
    // Some file systems do not know the size of a file.
    if size > MAX_WHOLE || size == 0 {
        return searcher.search_file(matcher, &file, lines);
    }
    let size = usize::try_from(size).unwrap_or_default();
    buffer.resize(size, 0);
    let mut length = 0;
    while length < size {
        match file.read(buffer.get_mut(length..).unwrap_or_default())? {
            0 => break,
            read => length += read,
        }
    }
    let text = buffer.get(..length).unwrap_or_default();
    // The searcher decodes UTF-16, in which every other byte is NUL.
    let is_wide = text.starts_with(b"\xff\xfe") || text.starts_with(b"\xfe\xff");
    if !is_wide && text.contains(&0) {
        lines.binary = true;
        return Ok(());
    }
    searcher.search_slice(matcher, text, lines)
}

fn matcher(pattern: &str) -> anyhow::Result<RegexMatcher> {
    let mut builder = RegexMatcherBuilder::new();
    builder.line_terminator(Some(b'\n')).size_limit(MAX_REGEX).dfa_size_limit(MAX_REGEX);
    builder.build(pattern).context("could not look for that: it means the end of a line, or is too long")
}

fn masked_text(file: File) -> io::Result<String> {
    let mut bytes = Vec::new();
    file.take(MAX_MASKED.unsigned_abs()).read_to_end(&mut bytes)?;
    // A binary file is not text: the searcher stops at the first NUL, and there is no need to mask what follows.
    if bytes.contains(&0) {
        return Ok("\0".to_owned());
    }
    let masked = Masked::new(&String::from_utf8_lossy(&bytes));
    masked.map(|masked| masked.text).ok_or_else(|| io::ErrorKind::InvalidData.into())
}

/// Passes lines to a look until the deadline.
struct Lines<'a, 'b> {
    look: &'a mut FileMatcher<'b>,
    secrets: Secrets,
    scanned: &'a ScannedFile<'a>,
    left: usize,
    binary: bool,
}

impl Sink for Lines<'_, '_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, io::Error> {
        let number = usize::try_from(found.line_number().unwrap_or(0)).unwrap_or(usize::MAX);
        let text = String::from_utf8_lossy(found.bytes());
        let goes_on = match self.secrets {
            Secrets::Included => self.look.line(number, &text),
            Secrets::Masked => self.look.line(number, &masked::shown(&text)),
        };
        self.left -= 1;
        if self.left == 0 {
            self.left = BREATH;
            return Ok(goes_on && !self.scanned.is_stopped());
        }
        Ok(goes_on)
    }

    fn binary_data(&mut self, _: &Searcher, _: u64) -> Result<bool, io::Error> {
        self.binary = true;
        Ok(false)
    }
}

#[cfg(test)]
mod tests;
