//! Parses the edits of a model in whatever form it writes them: a unified diff, a patch, search and replace blocks, or whole files. Turns
//! all of them into one unified diff against the files as they are, which is then treated like any other (`task::diff`). Opens no file: the
//! caller passes the contents.
//!
//! A block is clearly a change. A whole file might be an explanation: it counts when its name stands there as a name, and when the model
//! was shown all of the file.

pub mod parse;

mod locate;
mod patch;
mod path;
mod text;
mod whole_file;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use crate::diff::compute::unified_diff;
use crate::diff::parse::parse_patch;
use crate::diff::path::RelativePath;
use crate::diff::{DiffRefusal, MAX_FILE_BYTES};
use crate::run::context::ModelContext;
use crate::run::edits::parse::{AnswerPart, AnswerPartKind};
use crate::run::edits::path::{NamedFile, ShownFiles};
use crate::run::edits::text::FileText;

/// Edits of one answer.
const MAX_EDITS: usize = 300;

/// What an answer does to files, in its own order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edits(Vec<Edit>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Edit {
    Diff(String),
    Block {
        path: String,
        /// Number in the answer, from 1.
        number: usize,
        old: Vec<String>,
        new: Vec<String>,
    },
    Whole {
        path: String,
        lines: Vec<String>,
        sure: Sure,
    },
    /// Intended as an edit, but unusable.
    Unclear(DiffRefusal),
}

/// How sure it is that a code block is a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sure {
    /// The name stands alone above the block, or in it.
    Named,
    /// A sentence mentions the file, and may just quote it.
    Said,
    /// A sentence mentions a file to create.
    SaidNew,
}

impl Edits {
    /// Parses an answer into its edits and the remaining words.
    pub fn of(answer: &str, shown: &ModelContext) -> (Self, String) {
        let mut reader =
            Reader { known: ShownFiles(shown), words: Vec::new(), edits: Vec::new(), last: None, blocks: 0 };
        for piece in parse::pieces(answer) {
            reader.take(piece);
        }
        if reader.edits.len() > MAX_EDITS {
            let refusal = DiffRefusal::whole(format!("it has more than {MAX_EDITS} parts; ask for smaller steps"));
            reader.edits = vec![Edit::Unclear(refusal)];
        }
        (Self(reader.edits), reader.words.concat())
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether any of it is a change for certain.
    pub fn is_sure(&self) -> bool {
        self.0.iter().any(|edit| match edit {
            Edit::Diff(_) | Edit::Block { .. } | Edit::Unclear(_) => true,
            Edit::Whole { sure, .. } => *sure == Sure::Named,
        })
    }

    /// Files that the caller has to read for `diff`.
    pub fn names(&self) -> Result<BTreeSet<RelativePath>, DiffRefusal> {
        let mut names = BTreeSet::new();
        for edit in &self.0 {
            match edit {
                Edit::Unclear(refusal) => return Err(refusal.clone()),
                Edit::Diff(_) => {}
                Edit::Block { path, .. } | Edit::Whole { path, sure: Sure::Named, .. } => {
                    names.insert(checked(path)?);
                }
                // A mentioned path may be anything, so a bad one is no error.
                Edit::Whole { path, sure: Sure::Said | Sure::SaidNew, .. } => {
                    names.extend(RelativePath::new(path).ok())
                }
            }
        }
        Ok(names)
    }

    /// All of it as one unified diff. `found` has those files of `names` that exist. `None` when it was an explanation after all.
    pub fn diff(
        &self,
        found: &BTreeMap<RelativePath, Vec<u8>>,
        shown: &ModelContext,
    ) -> Result<Option<Vec<u8>>, DiffRefusal> {
        self.names()?;
        let mut diff = Vec::new();
        for edit in &self.0 {
            if let Edit::Diff(text) = edit {
                diff.extend(text.as_bytes());
                if !text.ends_with('\n') {
                    diff.push(b'\n');
                }
            }
        }
        let mut files = Files { found, shown, texts: BTreeMap::new() };
        // A diff or block for a file takes precedence over the whole file, which then only shows the result.
        let mut said: BTreeSet<RelativePath> =
            parse_patch(&diff).map(|patch| patch.names().cloned().collect()).unwrap_or_default();
        for edit in &self.0 {
            if let Edit::Block { path, number, old, new } = edit {
                said.insert(files.replace(path, *number, old, new)?);
            }
        }
        let mut unchanged = None;
        let mut wholes: BTreeMap<RelativePath, &[String]> = BTreeMap::new();
        for edit in &self.0 {
            let Edit::Whole { path, lines, sure } = edit else { continue };
            if *sure != Sure::Named && self.is_sure() {
                continue;
            }
            let Ok(name) = RelativePath::new(path) else { continue };
            if said.contains(&name) || (*sure != Sure::Named && !files.may_be(&name, lines, *sure)) {
                continue;
            }
            // Quoted as it is now, for comparison.
            if files.is_now(&name, lines) {
                unchanged.get_or_insert(name);
                continue;
            }
            match wholes.get(&name) {
                Some(other) if *other != lines.as_slice() => {
                    return Err(DiffRefusal::of(name.as_str(), "it is written twice, and not the same; write it once"));
                }
                _ => drop(wholes.insert(name, lines)),
            }
        }
        for (name, lines) in wholes {
            files.rewrite(&name, lines)?;
        }
        for (name, text) in &files.texts {
            let before = found.get(name).map(Vec::as_slice);
            let made = unified_diff(name, before, &text.bytes());
            if made.is_empty() {
                unchanged.get_or_insert_with(|| name.clone());
            }
            diff.extend(made);
        }
        match (diff.is_empty(), unchanged) {
            (false, _) => Ok(Some(diff)),
            (true, Some(name)) => {
                Err(DiffRefusal::of(name.as_str(), "nothing of it would change: that is the file as it was"))
            }
            (true, None) => Ok(None),
        }
    }
}

/// Whether a line is just the name of a file, as above a block.
pub fn is_name(line: &str) -> bool {
    path::alone(line, ShownFiles(&ModelContext::default())).is_some()
}

/// Whether a fence states which file it is.
pub fn is_file(info: &str, lines: &[String]) -> bool {
    let shown = ModelContext::default();
    let known = ShownFiles(&shown);
    let commented = lines.first().and_then(|line| path::in_comment(line, known));
    path::in_info(info, known).or(commented).is_some()
}

fn checked(path: &str) -> Result<RelativePath, DiffRefusal> {
    RelativePath::new(path).map_err(|sentence| DiffRefusal::of(path, sentence))
}

/// The files during the edit.
struct Files<'a> {
    found: &'a BTreeMap<RelativePath, Vec<u8>>,
    shown: &'a ModelContext,
    texts: BTreeMap<RelativePath, FileText>,
}

impl Files<'_> {
    /// The file as it is, with the version that the model was shown.
    fn text(&self, name: &RelativePath) -> Result<Option<FileText>, DiffRefusal> {
        let Some(bytes) = self.found.get(name) else { return Ok(None) };
        if bytes.contains(&0) {
            return Err(DiffRefusal::of(name.as_str(), "it is a binary file; only text can be changed"));
        }
        if bytes.len() > MAX_FILE_BYTES {
            return Err(DiffRefusal::of(
                name.as_str(),
                format!("it has more than {MAX_FILE_BYTES} bytes; change it yourself"),
            ));
        }
        let mut text = FileText::new(bytes);
        if let Some(shown) = self.shown.files.iter().find(|file| file.path == name.as_str()) {
            text.learn(shown);
        }
        Ok(Some(text))
    }

    fn replace(
        &mut self,
        path: &str,
        number: usize,
        old: &[String],
        new: &[String],
    ) -> Result<RelativePath, DiffRefusal> {
        let name = checked(path)?;
        let refuse = |sentence: String| DiffRefusal::of(path, format!("in block {number}, {sentence}"));
        let known = match self.texts.get(&name) {
            Some(text) => Some(text.clone()),
            None => self.text(&name)?,
        };
        let is_new = old.iter().all(|line| line.is_empty());
        let mut text = match (known, is_new) {
            (Some(text), true) if !text.lines.is_empty() => {
                return Err(refuse("SEARCH is empty, and the file is there; copy the lines that change".to_owned()));
            }
            (None, false) => {
                return Err(refuse(
                    "there is no such file; check the name, or leave SEARCH empty for a new file".to_owned(),
                ));
            }
            (Some(text), _) => text,
            (None, true) => FileText::new(b""),
        };
        if let Some(gap) = gap(path, &text, new) {
            return Err(refuse(format!("`{gap}` stands for lines that are left out; write them all")));
        }
        if is_new {
            whole_file::rewrite(&mut text, new).map_err(refuse)?;
        } else {
            locate::replace(&mut text, old, new).map_err(refuse)?;
        }
        self.texts.insert(name.clone(), text);
        Ok(name)
    }

    fn rewrite(&mut self, name: &RelativePath, lines: &[String]) -> Result<(), DiffRefusal> {
        let refuse = |sentence: String| DiffRefusal::of(name.as_str(), sentence);
        let mut text = match self.text(name)? {
            None => FileText::new(b""),
            Some(text) if text.lines.is_empty() => text,
            Some(mut text) => {
                let shown = self.shown.files.iter().find(|file| file.path == name.as_str());
                let whole = shown.filter(|file| file.lines.0 <= 1 && file.lines.1 == file.lines.2);
                let whole = whole.filter(|file| file.lines.2 == text.lines.len());
                if !whole.is_some_and(|file| text.learn(file)) {
                    return Err(refuse(
                        "it is there, and not all of it was shown; write a block with SEARCH and REPLACE instead of the \
                         whole file"
                            .to_owned(),
                    ));
                }
                text
            }
        };
        if let Some(gap) = gap(name.as_str(), &text, lines) {
            return Err(refuse(format!(
                "`{gap}` stands for lines that are left out; write all of the file, or only blocks"
            )));
        }
        whole_file::rewrite(&mut text, lines).map_err(refuse)?;
        self.texts.insert(name.clone(), text);
        Ok(())
    }

    /// Whether it is the file, and not a quotation.
    fn may_be(&self, name: &RelativePath, lines: &[String], sure: Sure) -> bool {
        match (self.text(name), sure) {
            (Ok(None), sure) => sure == Sure::SaidNew,
            (Ok(Some(text)), _) => {
                let mut clone = Self { found: self.found, shown: self.shown, texts: BTreeMap::new() };
                whole_file::resembles(&text, lines) && clone.rewrite(name, lines).is_ok()
            }
            (Err(_), _) => false,
        }
    }

    fn is_now(&self, name: &RelativePath, lines: &[String]) -> bool {
        let Ok(Some(text)) = self.text(name) else { return false };
        text.lines.len() == lines.len() && text.lines.iter().zip(lines).all(|(line, said)| line.shown == *said)
    }
}

/// A line that stands for omitted lines and is not in the file itself.
fn gap(path: &str, text: &FileText, new: &[String]) -> Option<String> {
    let known = |line: &str| text.lines.iter().any(|known| known.real.trim() == line);
    new.iter().map(|line| line.trim()).find(|line| whole_file::elides(path, line) && !known(line)).map(str::to_owned)
}

struct Reader<'a> {
    known: ShownFiles<'a>,
    words: Vec<String>,
    edits: Vec<Edit>,
    /// The file of the last block.
    last: Option<String>,
    blocks: usize,
}

impl Reader<'_> {
    fn take(&mut self, piece: AnswerPart) {
        match piece.what {
            AnswerPartKind::Words => self.words.push(piece.raw),
            AnswerPartKind::Diff { text, .. } => self.edits.push(Edit::Diff(text)),
            AnswerPartKind::Patch(text) => {
                self.edits.push(patch::unified(&text).map_or_else(Edit::Unclear, Edit::Diff))
            }
            AnswerPartKind::Blocks { info, blocks } => {
                for block in blocks {
                    self.block(&info, block);
                }
            }
            AnswerPartKind::Fence { info, lines, closed } => self.fence(piece.raw, &info, lines, closed),
        }
    }

    fn block(&mut self, info: &str, block: parse::Block) {
        self.blocks += 1;
        let number = self.blocks;
        let named = path::alone(&block.above, self.known)
            .or_else(|| path::alone(&block.behind, self.known))
            .or_else(|| path::in_info(info, self.known))
            .or_else(|| self.before())
            .or_else(|| self.spoken_of());
        let path = named.map(|named| named.path).or_else(|| self.last.clone()).or_else(|| self.known.only());
        let path = path.or_else(|| path::word(&block.above)).or_else(|| path::word(&self.above()));
        if let Some(broken) = block.broken {
            let sentence = format!("block {number} {broken}");
            let refusal = path
                .as_deref()
                .map_or_else(|| DiffRefusal::whole(&*sentence), |path| DiffRefusal::of(path, &*sentence));
            self.edits.push(Edit::Unclear(refusal));
            return;
        }
        let Some(path) = path else {
            let sentence =
                format!("block {number} does not say which file it is about; write the path on the line above it");
            self.edits.push(Edit::Unclear(DiffRefusal::whole(sentence)));
            return;
        };
        let path = if block.old.is_empty() { path } else { self.known.meant(&path) };
        self.last = Some(path.clone());
        self.edits.push(Edit::Block { path, number, old: block.old, new: block.new });
    }

    fn fence(&mut self, raw: String, info: &str, mut lines: Vec<String>, closed: bool) {
        let language = info.split([' ', ':']).next().unwrap_or_default().to_lowercase();
        let prose = ["md", "markdown", "console", "text", "txt", "output"].contains(&language.as_str());
        let mut named = path::in_info(info, self.known).or_else(|| self.before());
        if named.is_none() && !prose {
            named = lines.first().and_then(|line| path::in_comment(line, self.known));
            let kept = named.as_ref().is_some_and(|named| {
                let file = self.known.0.files.iter().find(|file| file.path == named.path);
                file.is_some_and(|file| file.text.lines().next() == lines.first().map(String::as_str))
            });
            if named.is_some() && !kept {
                lines.remove(0);
            }
        }
        let line = self.above();
        let (named, sure) = match named {
            Some(named) => (Some(named), Sure::Named),
            None if path::is_new(&line) => (self.spoken_of(), Sure::SaidNew),
            None => (self.spoken_of(), Sure::Said),
        };
        match named {
            Some(NamedFile { path, part: false }) if sure == Sure::Named && !closed => {
                let refusal =
                    DiffRefusal::of(&path, "its block has no end; write ``` behind the last line of the file");
                self.edits.push(Edit::Unclear(refusal));
            }
            Some(NamedFile { path, part: false }) if closed => {
                if sure != Sure::Named {
                    self.words.push(raw);
                }
                self.last = Some(path.clone());
                self.edits.push(Edit::Whole { path, lines, sure });
            }
            Some(_) | None => self.words.push(raw),
        }
    }

    /// The nearest non-empty line of words above.
    fn above(&self) -> String {
        let line = self.words.iter().rev().take(3).find(|line| !line.trim().is_empty());
        line.map(|line| line.trim().to_owned()).unwrap_or_default()
    }

    /// The file that the line above names, if it has nothing else. Removes that line from the words for the user.
    fn before(&mut self) -> Option<NamedFile> {
        let named = path::alone(&self.above(), self.known)?;
        let at = self.words.iter().rposition(|line| !line.trim().is_empty())?;
        self.words.truncate(at);
        Some(named)
    }

    fn spoken_of(&self) -> Option<NamedFile> {
        path::in_sentence(&self.above(), self.known)
    }
}
