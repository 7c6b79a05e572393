//! Parses a unified diff from what a model or git wrote: skips prose and fences around it, recounts wrong line counts, and refuses what is
//! ambiguous. Does not know what is in the files.

use crate::diff::header::{Header, Side, git_names, side};
use crate::diff::path::RelativePath;
use crate::diff::{
    DiffLine, DiffRefusal, FileAction, FileChange, Hunk, LineKind, MAX_BYTES, MAX_CHANGED, MAX_FILES, MAX_HUNKS, Mode,
    Patch, quoted,
};

pub fn parse_patch(text: &[u8]) -> Result<Patch, DiffRefusal> {
    if text.len() > MAX_BYTES {
        return Err(DiffRefusal::whole(format!("the diff is longer than {MAX_BYTES} bytes; ask for smaller steps")));
    }
    if text.contains(&0) {
        return Err(DiffRefusal::whole("the diff has binary data in it; only text can be changed"));
    }
    let mut reader = Reader { lines: lines(text), at: 0 };
    let mut files = Vec::new();
    while let Some(line) = reader.line(0) {
        if let Some(rest) = line.strip_prefix(b"diff --git ") {
            reader.at += 1;
            files.push(reader.file_of_git(rest)?);
        } else if reader.is_file(0) {
            files.push(reader.file(Header::default())?);
        } else {
            reader.check_prose(line)?;
            reader.at += 1;
        }
        if files.len() > MAX_FILES {
            return Err(DiffRefusal::whole(format!(
                "the diff is about more than {MAX_FILES} files; ask for smaller steps"
            )));
        }
    }
    if files.is_empty() {
        return Err(DiffRefusal::whole("there is no unified diff in it; ask for one with ---, +++ and @@ lines"));
    }
    let files = together(files)?;
    check_sizes(&files)?;
    Ok(Patch { files })
}

/// Lines without their newlines. When the headers end with CR, the whole patch came with CRLF, and the CRs belong to no file.
fn lines(text: &[u8]) -> Vec<&[u8]> {
    let mut lines: Vec<&[u8]> = text.split(|byte| *byte == b'\n').collect();
    // The text after the last newline is not a line.
    if lines.last().is_some_and(|last| last.is_empty()) {
        lines.pop();
    }
    let is_header = |line: &&&[u8]| line.starts_with(b"@@ ") || line.starts_with(b"+++ ") || line.starts_with(b"diff ");
    let mut headers = lines.iter().filter(is_header).peekable();
    if headers.peek().is_some() && headers.all(|line| line.ends_with(b"\r")) {
        return lines.iter().map(|line| line.strip_suffix(b"\r").unwrap_or(line)).collect();
    }
    lines
}

struct Reader<'a> {
    lines: Vec<&'a [u8]>,
    at: usize,
}

impl<'a> Reader<'a> {
    fn line(&self, ahead: usize) -> Option<&'a [u8]> {
        self.lines.get(self.at + ahead).copied()
    }

    fn starts(&self, at: usize, start: &[u8]) -> bool {
        self.lines.get(at).is_some_and(|line| line.starts_with(start))
    }

    /// Whether a `---` and `+++` pair begins here.
    fn is_file(&self, ahead: usize) -> bool {
        self.starts(self.at + ahead, b"--- ") && self.starts(self.at + ahead + 1, b"+++ ")
    }

    /// Accepts a line outside of the files as prose, unless it is part of an unsupported kind of diff.
    fn check_prose(&self, line: &[u8]) -> Result<(), DiffRefusal> {
        let sentence =
            if line.starts_with(b"@@@") || line.starts_with(b"diff --cc ") || line.starts_with(b"diff --combined ") {
                "it is the combined diff of a merge; ask for a diff against one side"
            } else if line.starts_with(b"@@ ") || line == b"@@" {
                "a hunk stands before any file name; write `--- a/NAME` and `+++ b/NAME` above it"
            } else if is_binary(line) {
                "it has a binary patch; only text can be changed"
            } else if line.starts_with(b"*** Begin Patch") {
                "it is not a unified diff; ask for one with ---, +++ and @@ lines"
            } else {
                return Ok(());
            };
        Err(DiffRefusal::whole(sentence))
    }

    fn file_of_git(&mut self, rest: &[u8]) -> Result<FileChange, DiffRefusal> {
        let mut header = Header { git: git_names(rest), ..Header::default() };
        let shown = header.git.as_ref().map_or_else(|| quoted(rest), |(_, new)| new.clone());
        while let Some(line) = self.line(0) {
            match header.take(line) {
                Ok(true) => self.at += 1,
                Ok(false) => break,
                Err(sentence) => return Err(DiffRefusal::of(&shown, sentence)),
            }
        }
        self.file(header)
    }

    /// Parses from `---`, if present, to the end of the last hunk.
    fn file(&mut self, mut header: Header) -> Result<FileChange, DiffRefusal> {
        if self.is_file(0) {
            let behind = |line: Option<&[u8]>| line.and_then(|line| side(line.get(4..)?));
            header.old = behind(self.line(0));
            header.new = behind(self.line(1));
            if header.old.is_none() || header.new.is_none() {
                return Err(DiffRefusal::of(&quoted(self.line(1).unwrap_or_default()), "its name is not UTF-8"));
            }
            self.at += 2;
        }
        let shown = shown(&header);
        if self.line(0).is_some_and(is_binary) {
            return Err(DiffRefusal::of(&shown, "it is a binary patch; only text can be changed"));
        }
        let names = header.names().map_err(|sentence| DiffRefusal::of(&shown, sentence))?;
        let checked = |name: &str| RelativePath::new(name).map_err(|sentence| DiffRefusal::of(name, sentence));
        let old = names.old.as_deref().map(checked).transpose()?;
        let new = names.new.as_deref().map(checked).transpose()?;
        let hunks = self.hunks(&shown)?;
        change(&header, old, new, hunks).map_err(|sentence| DiffRefusal::of(&shown, sentence))
    }

    fn hunks(&mut self, file: &str) -> Result<Vec<Hunk>, DiffRefusal> {
        let mut hunks = Vec::new();
        let mut number = 0;
        loop {
            let blank =
                (0..).take_while(|ahead| self.line(*ahead).is_some_and(|line| line.trim_ascii().is_empty())).count();
            let Some(line) = self.line(blank) else { break };
            if line.starts_with(b"@@@") {
                return Err(DiffRefusal::of(
                    file,
                    "it is the combined diff of a merge; ask for a diff against one side",
                ));
            }
            let Some(rest) = line.strip_prefix(b"@@") else { break };
            self.at += blank + 1;
            number += 1;
            if number > MAX_HUNKS {
                return Err(DiffRefusal::of(
                    file,
                    format!("it has more than {MAX_HUNKS} hunks; ask for smaller steps"),
                ));
            }
            let ranges = ranges(rest);
            let lines = self.hunk(ranges).map_err(|sentence| DiffRefusal::at(file, number, sentence))?;
            // Drops a hunk that changes nothing.
            if lines.iter().any(|line| line.kind != LineKind::Context) {
                hunks.push(Hunk { number, start: ranges.map(|ranges| ranges.start), lines });
            }
        }
        Ok(hunks)
    }

    /// Parses a hunk by its counts if these are right, else as far as the lines look like a hunk.
    fn hunk(&mut self, ranges: Option<Ranges>) -> Result<Vec<DiffLine>, String> {
        let end = match ranges.and_then(|ranges| self.counted(ranges)) {
            Some(end) => end,
            None => self.recounted()?,
        };
        let body = self.lines.get(self.at..end).unwrap_or_default();
        self.at = end;
        let mut lines: Vec<DiffLine> = Vec::new();
        for line in body {
            let (kind, text) = match line.split_first() {
                Some((b'+', text)) => (LineKind::Added, text),
                Some((b'-', text)) => (LineKind::Removed, text),
                Some((b'\\', _)) => {
                    let last = lines.last_mut().ok_or("it begins with a mark that a newline is missing")?;
                    last.bytes.pop_if(|byte| *byte == b'\n');
                    continue;
                }
                Some((b' ', text)) => (LineKind::Context, text),
                // A context line whose leading blank was lost: it is empty, or holds only the CR of an empty line.
                _ => (LineKind::Context, *line),
            };
            lines.push(DiffLine { kind, bytes: [text, b"\n"].concat() });
        }
        for side in [LineKind::Removed, LineKind::Added] {
            let of_side: Vec<&DiffLine> =
                lines.iter().filter(|line| line.kind == side || line.kind == LineKind::Context).collect();
            let unfinished = of_side.iter().rev().skip(1).any(|line| !line.bytes.ends_with(b"\n"));
            if unfinished {
                return Err(
                    "it says in its middle that the file ends; put that mark behind the last line only".to_owned()
                );
            }
        }
        Ok(lines)
    }

    /// Where the hunk ends by its counts. `None` when they are wrong.
    fn counted(&self, ranges: Ranges) -> Option<usize> {
        let (mut old, mut new) = (ranges.old, ranges.new);
        let mut at = self.at;
        while old > 0 || new > 0 {
            let line = self.lines.get(at)?;
            match line.first() {
                Some(b'+') => new = new.checked_sub(1)?,
                Some(b'-') => old = old.checked_sub(1)?,
                Some(b' ' | b'\r') | None => {
                    old = old.checked_sub(1)?;
                    new = new.checked_sub(1)?;
                }
                Some(b'\\') => {}
                Some(_) => return None,
            }
            at += 1;
        }
        while self.starts(at, b"\\ ") {
            at += 1;
        }
        (!self.goes_on(at)).then_some(at)
    }

    /// Whether hunk lines follow that the counts do not cover. Bullet points after an empty line are not counted.
    fn goes_on(&self, at: usize) -> bool {
        let run = (at..).take_while(|at| !self.is_end(*at)).map_while(|at| Some((at, self.lines.get(at)?)));
        let mut after_blank = false;
        for (at, line) in run {
            match line.split_first() {
                None | Some((b'\r', [])) => after_blank = true,
                Some((b'+', _)) => return true,
                Some((b'-', rest)) if !after_blank || !rest.starts_with(b" ") => return true,
                Some((b' ', _)) if !after_blank => return true,
                Some((b'-' | b' ' | b'\\', _)) => {}
                // Prose, or a context line whose leading blank was lost: added lines below it mean the latter.
                Some(_) => {
                    let mut below = (at..).take_while(|at| !self.is_end(*at));
                    return !after_blank && below.any(|at| self.starts(at, b"+"));
                }
            }
        }
        false
    }

    /// Whether this line cannot belong to a hunk, whatever the counts say.
    fn is_end(&self, at: usize) -> bool {
        let Some(line) = self.lines.get(at) else { return true };
        let file = self.starts(at, b"--- ") && self.starts(at + 1, b"+++ ") && self.starts(at + 2, b"@@");
        // The mail signature with which `git format-patch` ends.
        let signature = matches!(*line, b"-- " | b"--")
            && self
                .lines
                .get(at + 1)
                .is_none_or(|next| next.is_empty() || next.first().is_some_and(u8::is_ascii_digit));
        file || signature
            || [&b"@@"[..], b"diff --", b"```", b"~~~", b"Index: "].iter().any(|start| line.starts_with(start))
    }

    fn recounted(&self) -> Result<usize, String> {
        let mut at = self.at;
        while !self.is_end(at) {
            let line = self.lines.get(at).copied().unwrap_or_default();
            if !matches!(line.first(), Some(b' ' | b'+' | b'-' | b'\\' | b'\r') | None) {
                let later =
                    (at..).take_while(|at| !self.is_end(*at)).any(|at| self.starts(at, b"+") || self.starts(at, b"-"));
                if later {
                    let sentence = "the line `{}` begins with neither a blank, + nor -, and lines of the diff follow; \
                                    begin every line with one of them";
                    return Err(sentence.replace("{}", &quoted(line)));
                }
                break;
            }
            at += 1;
        }
        // Trailing empty lines only separate the hunk from what follows.
        while at > self.at
            && self.lines.get(at - 1).is_some_and(|line| line.trim_ascii().is_empty() && line.first() != Some(&b' '))
        {
            at -= 1;
        }
        Ok(at)
    }
}

fn is_binary(line: &[u8]) -> bool {
    line.starts_with(b"GIT binary patch")
        || (line.starts_with(b"Binary files ") && line.trim_ascii_end().ends_with(b" differ"))
}

/// The file's name for use in a message.
fn shown(header: &Header) -> String {
    if let Ok(names) = header.names()
        && let Some(name) = names.new.or(names.old)
    {
        return name;
    }
    match (&header.new, &header.old) {
        (Some(Side::Path(name)), _) | (_, Some(Side::Path(name))) => name.clone(),
        _ => header.git.as_ref().map(|(_, new)| new.clone()).unwrap_or_default(),
    }
}

#[derive(Clone, Copy)]
struct Ranges {
    start: usize,
    old: usize,
    new: usize,
}

/// Parses the ranges after `@@`. Models write all kinds of things there; without numbers the lines alone have to tell the place.
fn ranges(text: &[u8]) -> Option<Ranges> {
    let text = std::str::from_utf8(text).ok()?;
    let mut words = text.split_whitespace();
    let (start, old) = range(words.next()?.strip_prefix('-')?)?;
    let (_, new) = range(words.next()?.strip_prefix('+')?)?;
    Some(Ranges { start, old, new })
}

fn range(text: &str) -> Option<(usize, usize)> {
    // A number with more digits than any file has lines is rejected.
    let number = |text: &str| text.parse::<u32>().ok().and_then(|number| usize::try_from(number).ok());
    match text.split_once(',') {
        Some((start, count)) => Some((number(start)?, number(count)?)),
        None => Some((number(text)?, 1)),
    }
}

fn change(
    header: &Header,
    old: Option<RelativePath>,
    new: Option<RelativePath>,
    hunks: Vec<Hunk>,
) -> Result<FileChange, &'static str> {
    let renamed = header.rename.0.is_some();
    let created = header.created || old.is_none();
    let deleted = header.deleted || new.is_none();
    let has = |kind: LineKind| hunks.iter().flat_map(|hunk| &hunk.lines).any(|line| line.kind == kind);
    let old_lines = has(LineKind::Context) || has(LineKind::Removed);
    let new_lines = has(LineKind::Context) || has(LineKind::Added);
    let mode = header.mode.unwrap_or(Mode::Kept);
    let (name, action) = match (created, deleted, renamed) {
        (true, true, _) | (true, _, true) | (_, true, true) => {
            return Err("it says two things at once of new, deleted and renamed; say one");
        }
        (true, false, false) if old_lines => return Err("it is new and yet has old lines; write only + lines"),
        (true, false, false) => (new.or(old), FileAction::Create),
        (false, true, false) if new_lines => return Err("it is deleted and yet keeps lines; write only - lines"),
        (false, true, false) => (old.or(new), FileAction::Delete),
        (false, false, true) => {
            let from = old.ok_or("its old name is missing")?;
            if Some(&from) == new.as_ref() {
                return Err("it is renamed to its own name");
            }
            (new, FileAction::Rename { from })
        }
        (false, false, false) if hunks.is_empty() && mode == Mode::Kept => {
            return Err("nothing of it is changed; write hunks that begin with @@");
        }
        (false, false, false) => (new.or(old), FileAction::Modify),
    };
    let name = name.ok_or("its name is missing")?;
    Ok(FileChange { name, action, mode, hunks })
}

/// Merges a file that the patch modifies in two places. Anything else that names a file twice is ambiguous and refused.
fn together(files: Vec<FileChange>) -> Result<Vec<FileChange>, DiffRefusal> {
    let mut all: Vec<FileChange> = Vec::new();
    for file in files {
        let plain = |file: &FileChange| file.action == FileAction::Modify;
        let known = all.iter_mut().find(|known| known.name == file.name && plain(known) && plain(&file));
        if let Some(known) = known {
            let before = known.hunks.last().map_or(0, |hunk| hunk.number);
            let more = file.hunks.into_iter().map(|hunk| Hunk { number: hunk.number + before, ..hunk });
            known.hunks.extend(more);
            if file.mode != Mode::Kept {
                known.mode = file.mode;
            }
        } else {
            all.push(file);
        }
    }
    let names: Vec<&RelativePath> =
        all.iter().flat_map(|file| std::iter::once(&file.name).chain(file.from())).collect();
    for (at, name) in names.iter().enumerate() {
        let others = names.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, other)| other);
        for other in others {
            if name == other {
                return Err(DiffRefusal::of(name.as_str(), "two parts of the diff are about it; say all of it in one"));
            }
            if name.is_above(other) {
                return Err(DiffRefusal::of(name.as_str(), format!("it cannot be a file, since {other} is below it")));
            }
        }
    }
    Ok(all)
}

fn check_sizes(files: &[FileChange]) -> Result<(), DiffRefusal> {
    let hunks: usize = files.iter().map(|file| file.hunks.len()).sum();
    if hunks > MAX_HUNKS {
        return Err(DiffRefusal::whole(format!("the diff has more than {MAX_HUNKS} hunks; ask for smaller steps")));
    }
    let changed: usize = files.iter().map(FileChange::counts).map(|(added, removed)| added + removed).sum();
    if changed > MAX_CHANGED {
        return Err(DiffRefusal::whole(format!(
            "the diff changes more than {MAX_CHANGED} lines; ask for smaller steps"
        )));
    }
    Ok(())
}
