//! Computes what a patch does to the files as they are: the exact bytes before and after. This is what the user approves and what is
//! written; the text of the patch is dropped here. Reads no files itself.

use std::collections::BTreeMap;

use aside_text as text;

use crate::diff::locate::{self, Splice};
use crate::diff::path::RelativePath;
use crate::diff::{
    DiffRefusal, FileAction, FileChange, MAX_CHANGED, MAX_FILE_BYTES, MAX_FILE_LINES, MAX_TOTAL_BYTES, Mode, Patch,
};

/// Bytes that are searched for NUL to detect a binary file, as git does.
const LOOKED_AT: usize = 8000;

/// A file as it is, or as it will be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileState {
    pub bytes: Vec<u8>,
    pub executable: bool,
}

/// Only `resolve` makes one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolvedChanges {
    files: Vec<ResolvedFile>,
}

/// One file. It has at least one of `before` and `after`, and they differ, or the name does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolvedFile {
    name: RelativePath,
    from: Option<RelativePath>,
    before: Option<FileState>,
    after: Option<FileState>,
    splices: Vec<Splice>,
}

/// `found` has those files of `patch.names()` that exist.
pub fn resolve(patch: &Patch, found: &BTreeMap<RelativePath, FileState>) -> Result<ResolvedChanges, DiffRefusal> {
    let files: Vec<ResolvedFile> = patch.files().iter().map(|file| one(file, found)).collect::<Result<_, _>>()?;
    let total: usize =
        files.iter().flat_map(|file| [&file.before, &file.after]).flatten().map(|state| state.bytes.len()).sum();
    if total > MAX_TOTAL_BYTES {
        return Err(DiffRefusal::whole(format!(
            "the files have more than {MAX_TOTAL_BYTES} bytes; ask for smaller steps"
        )));
    }
    let changed: usize = files.iter().map(ResolvedFile::counts).map(|(added, removed)| added + removed).sum();
    if changed > MAX_CHANGED {
        return Err(DiffRefusal::whole(format!("more than {MAX_CHANGED} lines would change; ask for smaller steps")));
    }
    Ok(ResolvedChanges { files })
}

fn one(file: &FileChange, found: &BTreeMap<RelativePath, FileState>) -> Result<ResolvedFile, DiffRefusal> {
    let refuse = |sentence: String| DiffRefusal::of(file.name.as_str(), sentence);
    let there = found.get(&file.name);
    let before = match &file.action {
        FileAction::Create if there.is_some() => {
            return Err(refuse("it is there already; ask for a change to it".to_owned()));
        }
        FileAction::Create => None,
        // Models leave out /dev/null.
        FileAction::Modify if there.is_none() && begins_a_file(file) => None,
        FileAction::Modify | FileAction::Delete => Some(
            there.ok_or_else(|| refuse("there is no such file; ask for a new one, or check the name".to_owned()))?,
        ),
        FileAction::Rename { from } => {
            if there.is_some() {
                return Err(refuse(format!("it is there already, and {from} cannot get its name")));
            }
            let old = found.get(from);
            Some(old.ok_or_else(|| DiffRefusal::of(from.as_str(), "there is no such file; check the name"))?)
        }
    };
    let bytes = before.map_or(&[][..], |state| &state.bytes);
    // A file whose bytes do not change may be binary.
    let shown = !file.hunks.is_empty() || file.action == FileAction::Delete;
    if shown && bytes.iter().take(LOOKED_AT).any(|byte| *byte == 0) {
        return Err(refuse("it is a binary file; only text can be changed".to_owned()));
    }
    let lines = locate::lines(bytes);
    if bytes.len() > MAX_FILE_BYTES || lines.len() > MAX_FILE_LINES {
        return Err(refuse(format!(
            "it has more than {MAX_FILE_BYTES} bytes or {MAX_FILE_LINES} lines; change it yourself"
        )));
    }
    let splices = match (&file.action, file.hunks.is_empty()) {
        // A deletion may leave out the contents; the rendered diff has them all the same.
        (FileAction::Delete, true) => whole(lines.len()),
        _ => locate::locate(bytes, &file.hunks)
            .map_err(|failing| DiffRefusal::at(file.name.as_str(), failing.hunk, failing.why.to_string()))?,
    };
    let after = locate::spliced(&lines, &splices);
    if after.len() > MAX_FILE_BYTES {
        return Err(refuse(format!("it would have more than {MAX_FILE_BYTES} bytes; ask for smaller steps")));
    }
    let executable = match file.mode {
        Mode::Kept => before.is_some_and(|state| state.executable),
        Mode::Plain => false,
        Mode::Executable => true,
    };
    let after = match &file.action {
        FileAction::Delete if !after.is_empty() => {
            return Err(refuse(
                "it has more lines than the diff deletes; ask again with the file as it is now".to_owned(),
            ));
        }
        FileAction::Delete => None,
        FileAction::Modify | FileAction::Create | FileAction::Rename { .. } => {
            Some(FileState { bytes: after, executable })
        }
    };
    if file.from().is_none() && before == after.as_ref() {
        return Err(refuse("nothing of it would change; leave it out".to_owned()));
    }
    let from = file.from().cloned();
    Ok(ResolvedFile { name: file.name.clone(), from, before: before.cloned(), after, splices })
}

fn begins_a_file(file: &FileChange) -> bool {
    let only_added = file.hunks.iter().all(|hunk| hunk.old_lines().next().is_none() && hunk.start == Some(0));
    only_added && file.hunks.len() == 1
}

fn whole(removed: usize) -> Vec<Splice> {
    if removed == 0 { Vec::new() } else { vec![Splice { at: 0, removed, added: Vec::new() }] }
}

impl ResolvedChanges {
    pub fn files(&self) -> &[ResolvedFile] {
        &self.files
    }

    /// The names of the files that exist afterwards.
    pub fn names(&self) -> Vec<String> {
        let left = self.files.iter().filter(|file| file.after.is_some());
        left.map(|file| file.name.as_str().to_owned()).collect()
    }
}

impl ResolvedFile {
    /// A computed change, to be rendered. It has to be settled before it can be applied.
    pub(super) fn made(name: RelativePath, before: Option<FileState>, after: FileState, splices: Vec<Splice>) -> Self {
        Self { name, from: None, before, after: Some(after), splices }
    }

    pub fn name(&self) -> &RelativePath {
        &self.name
    }

    /// The old name, if the file is renamed.
    pub fn from(&self) -> Option<&RelativePath> {
        self.from.as_ref()
    }

    pub fn before(&self) -> Option<&FileState> {
        self.before.as_ref()
    }

    pub fn after(&self) -> Option<&FileState> {
        self.after.as_ref()
    }

    pub(super) fn splices(&self) -> &[Splice] {
        &self.splices
    }

    /// Added and removed lines.
    pub fn counts(&self) -> (usize, usize) {
        self.splices
            .iter()
            .fold((0, 0), |(added, removed), splice| (added + splice.added.len(), removed + splice.removed))
    }

    /// Numbers of the added lines, in the new file and from 1, that have invisible characters: those that reverse text, have no width, or
    /// control a terminal.
    pub fn hidden(&self) -> Vec<usize> {
        let mut hidden = Vec::new();
        let mut shift = 0_i64;
        for splice in &self.splices {
            let first = i64::try_from(splice.at).unwrap_or(0) + shift;
            for (ahead, line) in splice.added.iter().enumerate() {
                let line = String::from_utf8_lossy(line);
                if !text::is_clean(line.trim_end_matches(['\n', '\r'])) {
                    hidden.push(usize::try_from(first).unwrap_or(0) + ahead + 1);
                }
            }
            shift += i64::try_from(splice.added.len()).unwrap_or(0) - i64::try_from(splice.removed).unwrap_or(0);
        }
        hidden
    }
}
