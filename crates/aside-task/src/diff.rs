//! Changes to files as a unified diff: `parse` from what a model or git wrote, `resolve`d against the files as they are, and shown as what
//! will really be written. Opens no file and writes none; does not know who may approve a change.

pub mod compute;
pub mod header;
pub mod locate;
pub mod parse;
pub mod path;
pub mod resolve;

mod render;

#[cfg(test)]
mod adversarial;
#[cfg(test)]
mod tests;

use std::fmt;

use aside_text as text;

use crate::diff::path::RelativePath;

/// Bytes of one patch as written.
pub const MAX_BYTES: usize = 1024 * 1024;
pub const MAX_FILES: usize = 50;
pub const MAX_HUNKS: usize = 500;
/// Added and removed lines, in all files together.
pub const MAX_CHANGED: usize = 20_000;
/// Bytes and lines of a changed file.
pub const MAX_FILE_BYTES: usize = 2 * 1024 * 1024;
pub const MAX_FILE_LINES: usize = 100_000;
/// Bytes of all changed files, before and after.
pub const MAX_TOTAL_BYTES: usize = 16 * 1024 * 1024;
/// Characters that a refusal quotes.
const MAX_QUOTED: usize = 80;

/// A proposed patch. Only `read` makes one, so its names are known to stay inside the workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    files: Vec<FileChange>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    name: RelativePath,
    action: FileAction,
    mode: Mode,
    hunks: Vec<Hunk>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileAction {
    Modify,
    Create,
    Delete,
    Rename { from: RelativePath },
}

/// What happens to the executable bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Kept,
    Plain,
    Executable,
}

/// Consecutive lines, at least one of which is added or removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk {
    /// Number of the hunk in its file, from 1, in the order of the patch.
    number: usize,
    /// The line of the old file that the hunk claims to begin at; models guess it, or leave it out.
    start: Option<usize>,
    lines: Vec<DiffLine>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiffLine {
    kind: LineKind,
    /// Includes the newline, unless the patch says that there is none.
    bytes: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    Context,
    Removed,
    Added,
}

/// Why a patch was refused, in one sentence that says what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiffRefusal {
    pub file: Option<String>,
    /// Counts from 1.
    pub hunk: Option<usize>,
    pub sentence: String,
}

impl Patch {
    pub fn files(&self) -> &[FileChange] {
        &self.files
    }

    /// Every file that the caller has to read before the patch can be settled.
    pub fn names(&self) -> impl Iterator<Item = &RelativePath> {
        self.files.iter().flat_map(|file| std::iter::once(&file.name).chain(file.from()))
    }
}

impl FileChange {
    pub fn name(&self) -> &RelativePath {
        &self.name
    }

    pub fn action(&self) -> &FileAction {
        &self.action
    }

    fn from(&self) -> Option<&RelativePath> {
        match &self.action {
            FileAction::Rename { from } => Some(from),
            FileAction::Modify | FileAction::Create | FileAction::Delete => None,
        }
    }

    /// Added and removed lines, as the patch has them.
    pub fn counts(&self) -> (usize, usize) {
        let of = |kind| self.hunks.iter().flat_map(|hunk| &hunk.lines).filter(|line| line.kind == kind).count();
        (of(LineKind::Added), of(LineKind::Removed))
    }
}

impl Hunk {
    fn old_lines(&self) -> impl Iterator<Item = &DiffLine> {
        self.lines.iter().filter(|line| line.kind != LineKind::Added)
    }

    fn new_lines(&self) -> impl Iterator<Item = &DiffLine> {
        self.lines.iter().filter(|line| line.kind != LineKind::Removed)
    }
}

impl DiffRefusal {
    pub fn whole(sentence: impl Into<String>) -> Self {
        Self { file: None, hunk: None, sentence: sentence.into() }
    }

    pub fn of(file: &str, sentence: impl Into<String>) -> Self {
        Self { file: Some(quoted(file.as_bytes())), hunk: None, sentence: sentence.into() }
    }

    fn at(file: &str, hunk: usize, sentence: impl Into<String>) -> Self {
        Self { hunk: Some(hunk), ..Self::of(file, sentence) }
    }
}

impl fmt::Display for DiffRefusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.file, self.hunk) {
            (Some(file), Some(hunk)) => write!(out, "{file}, hunk {hunk}: {}", self.sentence),
            (Some(file), None) => write!(out, "{file}: {}", self.sentence),
            (None, _) => out.write_str(&self.sentence),
        }
    }
}

impl std::error::Error for DiffRefusal {}

/// Bytes, cleaned and cut for a sentence.
fn quoted(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let clean = text::clean(text.trim_end_matches(['\n', '\r'])).replace(['\n', '\t'], " ");
    match clean.char_indices().nth(MAX_QUOTED) {
        Some((at, _)) => format!("{}…", clean.get(..at).unwrap_or_default()),
        None => clean,
    }
}
