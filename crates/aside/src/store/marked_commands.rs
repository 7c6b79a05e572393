//! Stores lines that the user marked as wrongly classified as prose: they go to the shell from then on. One file, read and written by the
//! daemon and by commands at once. Does not know why a line was classified as prose.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use aside_redact::redact;
use jiff::Timestamp;
use ring::digest;
use serde::{Deserialize, Serialize};

use crate::paths::{self, Paths};
use crate::trusted_file;

/// Cap on marks; the newest stay.
pub const MAX_MARKS: usize = 1000;

/// Bytes of a line that are stored. A longer one is identified by its digest.
const MAX_LINE: usize = 1024;

/// Bytes of the file that are read: more than all marks take.
const MAX_FILE: u64 = 8 * 1024 * 1024;

pub struct MarkedCommands {
    path: PathBuf,
    read: Mutex<Known>,
}

/// A mark as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MarkedCommand {
    /// RFC 3339, in UTC.
    pub ts: String,
    /// Redacted and truncated.
    pub line: String,
    /// The digest of the whole line, if `line` is not that.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub sha256: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkOutcome {
    New,
    /// It was marked before.
    Again,
}

/// The content of the file at the last check.
#[derive(Default)]
struct Known {
    stamp: Option<Stamp>,
    set: Arc<Set>,
}

#[derive(Default)]
struct Set {
    lines: HashSet<Box<str>>,
    digests: HashSet<Box<str>>,
}

/// Changes when the file does.
#[derive(PartialEq)]
struct Stamp {
    inode: u64,
    size: u64,
    modified: (i64, i64),
}

impl MarkedCommands {
    /// Accesses no file yet.
    pub fn new(paths: &Paths) -> Self {
        Self::at(paths.marks())
    }

    fn at(path: PathBuf) -> Self {
        Self { path, read: Mutex::default() }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the line goes to the shell, as of the last check. Accesses no file.
    pub fn has(&self, line: &str) -> bool {
        let set = Arc::clone(&self.known().set);
        set.has(line.trim())
    }

    /// Reads the file if it has changed; otherwise takes a microsecond. Holds no lock while it accesses the file system.
    pub fn reload_if_changed(&self) {
        let stamp = Stamp::of(&self.path);
        if stamp == self.known().stamp {
            return;
        }
        let set = Arc::new(Set::of(&self.list().unwrap_or_default()));
        let mut known = self.known();
        (known.set, known.stamp) = (set, stamp);
    }

    /// Oldest first. Skips lines of the file that are not marks.
    pub fn list(&self) -> io::Result<Vec<MarkedCommand>> {
        let Some(file) = trusted_file::open(&self.path)? else { return Ok(Vec::new()) };
        let mut bytes = Vec::new();
        file.take(MAX_FILE).read_to_end(&mut bytes)?;
        Ok(bytes.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect())
    }

    /// The mark is in the file when this returns.
    pub fn mark(&self, line: &str) -> io::Result<MarkOutcome> {
        let new = MarkedCommand::of(line);
        self.change(|marks| {
            let before = marks.len();
            marks.retain(|mark| !mark.is_same(&new));
            let marked = if marks.len() < before { MarkOutcome::Again } else { MarkOutcome::New };
            marks.push(new);
            marks.drain(..marks.len().saturating_sub(MAX_MARKS));
            marked
        })
    }

    /// Removes a mark, the newest if no line is given. Returns it.
    pub fn unmark(&self, line: Option<&str>) -> io::Result<Option<MarkedCommand>> {
        let named = line.map(MarkedCommand::of);
        self.change(|marks| {
            let place = match &named {
                Some(named) => marks.iter().rposition(|mark| mark.is_same(named)),
                None => marks.len().checked_sub(1),
            };
            place.map(|place| marks.remove(place))
        })
    }

    /// Redacts marks that were written with secrets. Returns their number.
    pub fn clean(&self) -> io::Result<usize> {
        if !self.path.exists() {
            return Ok(0);
        }
        self.change(|marks| {
            let mut cleaned = 0;
            for mark in marks {
                if let std::borrow::Cow::Owned(redacted) = redact(&mark.line) {
                    // The digest still identifies the line.
                    mark.sha256 = mark.sha256.take().or_else(|| Some(digest_of(mark.line.trim())));
                    mark.line = redacted;
                    cleaned += 1;
                }
            }
            cleaned
        })
    }

    /// Changes the file under a lock, by an atomic rename.
    fn change<T>(&self, change: impl FnOnce(&mut Vec<MarkedCommand>) -> T) -> io::Result<T> {
        let dir = self.path.parent().unwrap_or(Path::new("/"));
        paths::private_dir(dir).map_err(|error| io::Error::other(format!("{error:#}")))?;
        let lock = File::open(dir)?;
        lock.lock()?;
        let mut marks = self.list()?;
        let before = marks.clone();
        let outcome = change(&mut marks);
        if marks != before {
            let mut text = Vec::new();
            for mark in &marks {
                serde_json::to_writer(&mut text, mark)?;
                text.push(b'\n');
            }
            // Temporary files are created with mode 0600.
            let mut file = tempfile::Builder::new().prefix(".aside-").tempfile_in(dir)?;
            file.write_all(&text)?;
            file.persist(&self.path)?;
        }
        Ok(outcome)
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.read.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl MarkedCommand {
    fn of(line: &str) -> Self {
        let line = line.trim();
        let shown = redact(&line[..line.floor_char_boundary(MAX_LINE)]).into_owned();
        let sha256 = (shown != line).then(|| digest_of(line));
        Self { ts: Timestamp::now().to_string(), line: shown, sha256 }
    }

    fn is_same(&self, other: &Self) -> bool {
        self.line == other.line && self.sha256 == other.sha256
    }
}

impl Set {
    fn of(marks: &[MarkedCommand]) -> Self {
        let mut set = Self::default();
        for MarkedCommand { ts: _, line, sha256 } in marks {
            match sha256 {
                Some(digest) => set.digests.insert(digest.as_str().into()),
                None => set.lines.insert(line.trim().into()),
            };
        }
        set
    }

    fn has(&self, line: &str) -> bool {
        self.lines.contains(line) || (!self.digests.is_empty() && self.digests.contains(digest_of(line).as_str()))
    }
}

fn digest_of(line: &str) -> String {
    let digest = digest::digest(&digest::SHA256, line.as_bytes());
    digest.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Stamp {
    fn of(path: &Path) -> Option<Self> {
        let meta = std::fs::metadata(path).ok()?;
        Some(Self { inode: meta.ino(), size: meta.size(), modified: (meta.mtime(), meta.mtime_nsec()) })
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn marks(dir: &Path) -> MarkedCommands {
        MarkedCommands::at(dir.join("state/wrong.jsonl"))
    }

    fn looked(marks: &MarkedCommands) -> &MarkedCommands {
        marks.reload_if_changed();
        marks
    }

    fn listed(marks: &MarkedCommands) -> Vec<String> {
        marks.list().unwrap().into_iter().map(|mark| mark.line).collect()
    }

    #[test]
    fn a_marked_line_is_known_by_whoever_looks_and_private() {
        let temp = tempfile::tempdir().unwrap();
        let (one, other) = (marks(temp.path()), marks(temp.path()));
        assert!(!looked(&one).has("make sure") && !looked(&other).has("make sure"));
        assert_eq!(one.mark("  make sure\n").unwrap(), MarkOutcome::New);
        assert_eq!(one.mark("make sure").unwrap(), MarkOutcome::Again);
        assert!(looked(&one).has("make sure ") && looked(&other).has("make sure"));
        assert!(!looked(&other).has("make sure it works") && !looked(&other).has("Make sure"));
        assert_eq!(listed(&other), ["make sure"]);
        let mode = std::fs::metadata(one.path()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn a_mark_can_be_taken_back() {
        let temp = tempfile::tempdir().unwrap();
        let (one, other) = (marks(temp.path()), marks(temp.path()));
        assert_eq!(one.unmark(None).unwrap(), None);
        for line in ["a b", "c d", "e f"] {
            one.mark(line).unwrap();
        }
        assert!(looked(&other).has("a b"));
        assert_eq!(one.unmark(Some(" a b ")).unwrap().map(|mark| mark.line).as_deref(), Some("a b"));
        assert_eq!(one.unmark(None).unwrap().map(|mark| mark.line).as_deref(), Some("e f"));
        assert_eq!(one.unmark(Some("e f")).unwrap(), None);
        assert!(!looked(&other).has("a b") && !looked(&other).has("e f") && looked(&other).has("c d"));
    }

    #[test]
    fn the_newest_stay() {
        let temp = tempfile::tempdir().unwrap();
        let marks = marks(temp.path());
        let many: String =
            (0..MAX_MARKS).map(|number| format!("{{\"ts\":\"\",\"line\":\"line {number}\"}}\n")).collect();
        std::fs::create_dir_all(marks.path().parent().unwrap()).unwrap();
        std::fs::write(marks.path(), many).unwrap();
        assert!(looked(&marks).has("line 0"));
        // Marking a line again makes it the newest.
        marks.mark("line 0").unwrap();
        marks.mark("one more").unwrap();
        assert_eq!(marks.list().unwrap().len(), MAX_MARKS);
        assert!(
            looked(&marks).has("line 0")
                && looked(&marks).has("one more")
                && looked(&marks).has("line 2")
                && !looked(&marks).has("line 1")
        );
    }

    #[test]
    fn a_secret_is_not_written_down_and_its_line_is_known_all_the_same() {
        let temp = tempfile::tempdir().unwrap();
        let marks = marks(temp.path());
        let (line, long) = ("please try mysql -phunter2 shop", format!("say {}", "x y ".repeat(MAX_LINE)));
        marks.mark(line).unwrap();
        marks.mark(&long).unwrap();
        let file = std::fs::read_to_string(marks.path()).unwrap();
        assert!(!file.contains("hunter2") && file.len() < 2 * MAX_LINE, "{file}");
        assert!(looked(&marks).has(line) && looked(&marks).has(&long));
        assert!(!looked(&marks).has("please try mysql -phunter3 shop") && !looked(&marks).has(&listed(&marks)[0]));
        assert!(marks.unmark(Some(line)).unwrap().is_some() && !looked(&marks).has(line));
    }

    #[test]
    fn what_is_no_mark_is_passed_over() {
        let temp = tempfile::tempdir().unwrap();
        let marks = marks(temp.path());
        std::fs::create_dir_all(marks.path().parent().unwrap()).unwrap();
        std::fs::write(marks.path(), "{\"ts\":\"\",\"line\":\"a b\"}\n{\"ts\":\nnonsense\n\u{0}").unwrap();
        assert!(looked(&marks).has("a b"));
        marks.mark("c d").unwrap();
        assert_eq!(listed(&marks), ["a b", "c d"]);
    }

    #[test]
    fn a_mark_that_was_written_with_a_secret_is_cleaned_and_still_holds() {
        let temp = tempfile::tempdir().unwrap();
        let marks = marks(temp.path());
        marks.mark("make sure it works").unwrap();
        let line = "make sure mysql -phunter2 works";
        let old = format!("{{\"ts\":\"\",\"line\":\"{line}\"}}\n");
        std::fs::write(marks.path(), old).unwrap();
        assert_eq!(marks.clean().unwrap(), 1);
        assert!(!std::fs::read_to_string(marks.path()).unwrap().contains("hunter2"));
        assert!(looked(&marks).has(line) && !looked(&marks).has("make sure mysql -phunter3 works"));
        assert_eq!(marks.clean().unwrap(), 0);
    }
}
