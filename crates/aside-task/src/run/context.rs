//! Decides which files a model is shown. `plan` picks those worth reading, with a reason for each; the caller reads them, and `gather`
//! bounds and redacts the contents. Reads nothing itself.
//!
//! A file on the deny list is never read, whatever names it. A file that git ignores is read only when the request names it: it is not part
//! of the project, but the user pointed at it. Binary files are left out. Secrets are redacted before anything is cut, so that none is cut
//! in two.

pub mod gather;
pub mod index;
pub mod plan;

#[cfg(test)]
mod table_tests;
#[cfg(test)]
mod tests;

/// Files, bytes of one file, and bytes of everything together, including the tree and the output of git.
pub const MAX_FILES: usize = 10;
pub const MAX_FILE_BYTES: usize = 12_000;
pub const MAX_TOTAL_BYTES: usize = 60_000;
/// Bytes of the list of files, of git's output, of the selection, and of the diagnostics.
pub const MAX_TREE_BYTES: usize = 6_000;
pub const MAX_GIT_BYTES: usize = 4_000;
pub const MAX_SELECTION_BYTES: usize = 8_000;
pub const MAX_DIAGNOSTICS_BYTES: usize = 4_000;
/// Bytes that the caller should read of a file.
pub const MAX_READ: usize = 512 * 1024;

/// What is known before any file is read.
#[derive(Clone, Copy, Debug, Default)]
pub struct ContextRequest<'a> {
    /// As it was written.
    pub words: &'a str,
    /// Files that the request names, relative to the workspace.
    pub files: &'a [String],
    /// Files that an error names, with the line, 0 if it names none.
    pub places: &'a [(String, usize)],
    /// The active file of the editor, and the line of the cursor.
    pub active: Option<(&'a str, usize)>,
    /// The other open files.
    pub open: &'a [String],
    /// Files of the workspace; those that git ignores are marked.
    pub tree: &'a [ListedFile<'a>],
    /// Files that `git status` lists as changed.
    pub changed: &'a [String],
    /// Files that define, test or use what the words name.
    pub hits: &'a [index::Hit],
    /// README and manifests.
    pub project: &'a [String],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListedFile<'a> {
    pub path: &'a str,
    pub ignored: Ignored,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ignored {
    No,
    Yes,
}

/// A file to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PickedFile {
    pub path: String,
    pub reason: PickReason,
    /// The line around which it is cut, 0 for its beginning.
    pub line: usize,
    /// The name that it was picked for; mostly empty.
    pub name: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PickReason {
    Named,
    Error,
    Active,
    /// It defines what the request names.
    Defines,
    /// It tests what the request names.
    Tests,
    Uses,
    /// Its name has words of the request.
    Words,
    Open,
    /// It says what the project is.
    Project,
    Changed,
}

impl PickReason {
    pub fn told(self) -> &'static str {
        match self {
            PickReason::Named => "the request names it",
            PickReason::Error => "the error names it",
            PickReason::Active => "it is before the user",
            PickReason::Defines => "defines",
            PickReason::Tests => "tests",
            PickReason::Uses => "uses",
            PickReason::Project => "it says what the project is",
            PickReason::Words => "its name is like the words of the request",
            PickReason::Open => "it is open",
            PickReason::Changed => "it has changed since the last commit",
        }
    }
}

/// What the model is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelContext {
    pub files: Vec<ContextFile>,
    /// The user's selection; may be empty.
    pub selection: String,
    /// Paths only.
    pub tree: String,
    pub git: String,
    /// Messages of compilers and linters.
    pub diagnostics: String,
    /// What was left out or changed, for the user.
    pub notes: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContextFile {
    pub path: String,
    pub reason: PickReason,
    pub text: String,
    /// The first and the last line that is shown, and how many there are.
    pub lines: (usize, usize, usize),
    /// The line that it was picked for, 0 for none.
    pub line: usize,
    /// The name that it was picked for; mostly empty.
    pub name: String,
}

impl ContextFile {
    fn within(&self, bytes: usize) -> Option<Self> {
        let (first, _, all) = self.lines;
        let (text, from, to, _) = gather::window(&self.text, self.line.saturating_sub(first - 1), bytes);
        let whole = text.len() == self.text.len();
        let lines = if whole { self.lines } else { (first + from - 1, first + to - 1, all) };
        (whole || !text.is_empty()).then(|| Self { text: text.to_owned(), lines, ..self.clone() })
    }
}

impl ModelContext {
    /// Bytes of everything that is shown.
    pub fn bytes(&self) -> usize {
        let Self { files, selection, tree, git, diagnostics, notes: _ } = self;
        let files: usize = files.iter().map(|file| file.text.len()).sum();
        files + selection.len() + tree.len() + git.len() + diagnostics.len()
    }

    /// Which files, and why, in a line for the user; empty when there are none.
    pub fn shown(&self) -> String {
        let row = |file: &ContextFile| {
            let name = if file.name.is_empty() { String::new() } else { format!(" `{}`", file.name) };
            format!("`{}` ({}{name})", file.path, file.reason.told())
        };
        let rows: Vec<String> = self.files.iter().map(row).collect();
        if rows.is_empty() { String::new() } else { format!("Context: {}.", rows.join(", ")) }
    }

    /// Renders it for the prompt: always in the same order, and between markers that the contents cannot contain.
    pub fn told(&self) -> String {
        let Self { files, selection, tree, git, diagnostics, notes: _ } = self;
        let mark = self.mark();
        let mut told = String::new();
        let mut part = |title: &str, text: &str| {
            if !text.is_empty() {
                let newline = if text.ends_with('\n') { "" } else { "\n" };
                told.push_str(&format!("{mark} {title}\n{text}{newline}"));
            }
        };
        part("FILES OF THE WORKSPACE (names only)", tree);
        part("GIT", git);
        for file in files {
            let (first, last, all) = file.lines;
            let lines =
                if (first, last) == (1, all) { String::new() } else { format!(" (lines {first} to {last} of {all})") };
            let text = if file.text.is_empty() { "(empty)\n" } else { &file.text };
            part(&format!("FILE {}{lines}", file.path), text);
        }
        part("DIAGNOSTICS", diagnostics);
        part("SELECTED BY THE PERSON", selection);
        if !told.is_empty() {
            told.push_str(&format!("{mark} END\n"));
        }
        told
    }

    /// Shrinks it for a model with a smaller context: keeps the selection longest, then the files in their order.
    pub fn within(&self, bytes: usize) -> Self {
        let mut kept = self.clone();
        if self.bytes() <= bytes {
            return kept;
        }
        kept.files.clear();
        let part = |text: &str, most: usize| gather::cut(text, most).to_owned();
        kept.selection = part(&self.selection, bytes / 3);
        kept.diagnostics = part(&self.diagnostics, bytes / 6);
        kept.git = part(&self.git, bytes / 12);
        kept.tree = part(&self.tree, bytes / 8);
        for file in &self.files {
            let room = bytes.saturating_sub(kept.bytes());
            let Some(shown) = file.within(room) else {
                kept.notes.push(format!("{} is left out: the model reads no more", file.path));
                continue;
            };
            if shown.lines != file.lines {
                let (first, last, all) = shown.lines;
                kept.notes.push(format!("{}: lines {first} to {last} of {all} are shown", file.path));
            }
            kept.files.push(shown);
        }
        kept
    }

    /// A run of `=` that is longer than any at the beginning of a line of the contents.
    fn mark(&self) -> String {
        let texts = self.files.iter().map(|file| &file.text);
        let all = texts.chain([&self.selection, &self.tree, &self.git, &self.diagnostics]);
        let signs = |line: &str| line.bytes().take_while(|byte| *byte == b'=').count();
        let longest = all.flat_map(|text| text.lines()).map(signs).max().unwrap_or(0);
        "=".repeat((longest + 1).max(5))
    }
}
