//! Parses git's output for review only. Lenient where `task::diff` is strict: accepts binary files, links, submodules, copies and modes,
//! since nothing here is ever applied.

use aside_core::agent::language::Bilingual;
use aside_text as text;

use crate::diff::header::{Header, Side, git_names, side};

/// Bytes of a diff that are reviewed.
pub const MAX_BYTES: usize = 4 * 1024 * 1024;
const MAX_FILES: usize = 2000;

#[derive(Debug, Default)]
pub struct Patch<'a> {
    pub files: Vec<PatchFile<'a>>,
    pub notes: Vec<Bilingual>,
}

#[derive(Debug)]
pub struct PatchFile<'a> {
    /// The new name; the old one for a deleted file.
    pub path: String,
    pub change: FileChangeKind,
    /// As git writes them: `100644`.
    pub modes: (Option<&'a str>, Option<&'a str>),
    pub binary: bool,
    pub rows: Vec<PatchRow<'a>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileChangeKind {
    Modified,
    Added,
    Deleted,
    Renamed { from: String },
    Copied { from: String },
}

/// An added, removed or context line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PatchRow<'a> {
    pub side: RowSide,
    /// Line in the new file, or in the old one for a removed line.
    pub line: usize,
    /// Index of the hunk in its file, from 0.
    pub hunk: usize,
    pub text: &'a str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowSide {
    Context,
    Added,
    Removed,
}

impl<'a> PatchFile<'a> {
    pub fn of_side(&self, side: RowSide) -> impl Iterator<Item = &PatchRow<'a>> {
        self.rows.iter().filter(move |row| row.side == side)
    }

    /// The added lines, with their numbers.
    pub fn added(&self) -> impl Iterator<Item = (usize, &'a str)> {
        self.of_side(RowSide::Added).map(|row| (row.line, row.text))
    }

    pub fn counts(&self) -> (usize, usize) {
        (self.of_side(RowSide::Added).count(), self.of_side(RowSide::Removed).count())
    }
}

pub fn read(diff: &str) -> Patch<'_> {
    let mut patch = Patch::default();
    let mut diff = diff;
    if diff.len() > MAX_BYTES {
        let head = diff.get(..diff.floor_char_boundary(MAX_BYTES)).unwrap_or_default();
        diff = head.rsplit_once('\n').map_or(head, |(whole, _)| whole);
        let megabytes = MAX_BYTES / 1024 / 1024;
        patch.notes.push(Bilingual::new(
            format!("only the first {megabytes} MB of the diff were looked at"),
            format!("只看了差异的前 {megabytes} MB"),
        ));
    }
    let lines: Vec<&str> = diff.split('\n').collect();
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        let next = |ahead: usize| lines.get(at + ahead).copied().unwrap_or_default();
        if patch.files.len() >= MAX_FILES {
            patch.notes.push(Bilingual::new(
                format!("only the first {MAX_FILES} files were looked at"),
                format!("只看了前 {MAX_FILES} 个文件"),
            ));
            break;
        }
        if let Some(names) = line.strip_prefix("diff --git ") {
            at = file(names, &lines, at + 1, &mut patch);
        } else if let Some(name) = line.strip_prefix("diff --cc ").or(line.strip_prefix("diff --combined ")) {
            let name = text::clean(name.trim()).into_owned();
            patch.notes.push(Bilingual::new(
                format!("{name} was merged by hand; a combined diff is not looked at"),
                format!("{name} 是手工合并的；没有看合并后的差异"),
            ));
            at += 1;
        } else if line.starts_with("--- ") && next(1).starts_with("+++ ") && next(2).starts_with("@@ ") {
            at = file("", &lines, at, &mut patch);
        } else {
            at += 1;
        }
    }
    patch
}

/// Parses one file, from the line after `diff --git`; returns the index of the next line.
fn file<'a>(names: &str, lines: &[&'a str], from: usize, patch: &mut Patch<'a>) -> usize {
    let mut at = from;
    let mut header = Header { git: git_names(names.as_bytes()), ..Header::default() };
    let mut change = FileChangeKind::Modified;
    let mut modes = (None, None);
    let mut moved: Option<String> = None;
    let mut binary = false;
    let mut rows = Vec::new();
    let mut hunk = 0;
    while let Some(line) = lines.get(at).copied() {
        let line = line.strip_suffix('\r').unwrap_or(line);
        if line.starts_with("diff --") {
            break;
        }
        let named = |start: &str| match side(line.strip_prefix(start)?.as_bytes())? {
            Side::Path(path) => Some(path),
            Side::Nothing => None,
        };
        if line.starts_with("@@ ") {
            at = rows_of(line, lines, at + 1, hunk, &mut rows);
            hunk += 1;
            continue;
        } else if let Some(old) = line.strip_prefix("--- ") {
            // The next file, in a diff that git did not write.
            if header.old.is_some() {
                break;
            }
            header.old = side(old.as_bytes());
        } else if let Some(new) = line.strip_prefix("+++ ") {
            header.new = side(new.as_bytes());
        } else if let Some(from) = named("rename from ") {
            change = FileChangeKind::Renamed { from };
        } else if let Some(from) = named("copy from ") {
            change = FileChangeKind::Copied { from };
        } else if let Some(to) = named("rename to ").or_else(|| named("copy to ")) {
            moved = Some(to);
        } else if let Some(mode) = line.strip_prefix("new file mode ") {
            change = FileChangeKind::Added;
            modes.1 = Some(mode.trim());
        } else if let Some(mode) = line.strip_prefix("deleted file mode ") {
            change = FileChangeKind::Deleted;
            modes.0 = Some(mode.trim());
        } else if let Some(mode) = line.strip_prefix("old mode ") {
            modes.0 = Some(mode.trim());
        } else if let Some(mode) = line.strip_prefix("new mode ") {
            modes.1 = Some(mode.trim());
        } else if line.starts_with("index ") {
            // The `index` line has the mode of a file that keeps it.
            if let Some((_, mode)) = line.rsplit_once(' ').filter(|(_, mode)| mode.len() == 6)
                && modes == (None, None)
            {
                modes = (Some(mode), Some(mode));
            }
        } else if line.starts_with("GIT binary patch") || line.starts_with("Binary files ") {
            binary = true;
        }
        at += 1;
    }
    let meant = header.names().ok();
    match (&header.old, &header.new) {
        (Some(Side::Nothing), _) if change == FileChangeKind::Modified => change = FileChangeKind::Added,
        (_, Some(Side::Nothing)) if change == FileChangeKind::Modified => change = FileChangeKind::Deleted,
        _ => {}
    }
    let found = meant.and_then(|names| names.new.or(names.old));
    let path = moved.or(found).or_else(|| header.git.map(|(_, new)| new));
    // The boundary between the two names is unknown.
    let path = path.unwrap_or_else(|| names.trim().to_owned());
    patch.files.push(PatchFile { path: text::clean(&path).into_owned(), change, modes, binary, rows });
    at
}

/// Parses the lines of a hunk: as far as its counts go, and what follows with a sign.
fn rows_of<'a>(header: &str, lines: &[&'a str], from: usize, hunk: usize, rows: &mut Vec<PatchRow<'a>>) -> usize {
    let range = |word: Option<&str>, sign: char| -> Option<(usize, usize)> {
        let text = word?.strip_prefix(sign)?;
        let (start, count) = text.split_once(',').unwrap_or((text, "1"));
        Some((start.parse().ok()?, count.parse().ok()?))
    };
    let mut words = header.split(' ').skip(1);
    let ranges = range(words.next(), '-').zip(range(words.next(), '+'));
    let Some(((mut old, mut old_left), (mut new, mut new_left))) = ranges else { return from };
    let mut at = from;
    while let Some(line) = lines.get(at).copied() {
        // Counts of a diff that was edited by hand are often too small: a line with a sign still belongs to the hunk.
        let is_signed =
            line.starts_with(['+', '-', ' ']) && !["--- ", "+++ "].iter().any(|head| line.starts_with(head));
        if old_left == 0 && new_left == 0 && (!is_signed || line.trim_end() == "--") {
            break;
        }
        let (side, text) = match line.as_bytes().first() {
            Some(b'+') => (RowSide::Added, line.get(1..)),
            Some(b'-') => (RowSide::Removed, line.get(1..)),
            Some(b' ') => (RowSide::Context, line.get(1..)),
            None | Some(b'\r') => (RowSide::Context, Some(line)),
            Some(b'\\') => {
                at += 1;
                continue;
            }
            Some(_) => break,
        };
        let text = text.unwrap_or_default();
        let row = |line| PatchRow { side, line, hunk, text: text.strip_suffix('\r').unwrap_or(text) };
        match side {
            RowSide::Added => rows.push(row(new)),
            RowSide::Removed => rows.push(row(old)),
            RowSide::Context => rows.push(row(new)),
        }
        if side != RowSide::Added {
            old = old.saturating_add(1);
            old_left = old_left.saturating_sub(1);
        }
        if side != RowSide::Removed {
            new = new.saturating_add(1);
            new_left = new_left.saturating_sub(1);
        }
        at += 1;
    }
    at
}
