//! Finds the file name in a line around a block. Models write it in headings, in bold, in backquotes, after the language of a fence, in a
//! comment, in a sentence. Finds forbidden names too, so that they are refused where names are checked, and not taken for another file.

use crate::diff::path::RelativePath;
use crate::run::context::ModelContext;
use crate::run::edits::whole_file::comment;

const MAX_NAME: usize = 300;
/// Rounds of removing what surrounds a name.
const MAX_ROUNDS: usize = 8;
/// Common file names without an extension.
const USUAL: [&str; 12] = [
    "Makefile",
    "GNUmakefile",
    "makefile",
    "Dockerfile",
    "Containerfile",
    "Justfile",
    "justfile",
    "Gemfile",
    "Rakefile",
    "Procfile",
    "LICENSE",
    "README",
];
const LABELS: [&str; 17] = [
    "file name",
    "filename",
    "file path",
    "filepath",
    "new file",
    "updated file",
    "modified file",
    "changed file",
    "file",
    "path",
    "create",
    "update",
    "edit",
    "modify",
    "change",
    "文件名",
    "文件",
];

/// Files that the model was shown, or whose names it was shown.
#[derive(Clone, Copy)]
pub struct ShownFiles<'a>(pub &'a ModelContext);

impl ShownFiles<'_> {
    pub fn has(self, path: &str) -> bool {
        self.is_shown(path) || self.0.tree.lines().any(|line| line == path)
    }

    pub fn is_shown(self, path: &str) -> bool {
        self.0.files.iter().any(|file| file.path == path)
    }

    /// The full path for a name without its directory; the name itself where that is ambiguous.
    pub fn meant(self, path: &str) -> String {
        let tail = format!("/{path}");
        let mut shown = self.0.files.iter().filter(|file| file.path.ends_with(&tail));
        match (self.has(path), shown.next(), shown.next()) {
            (false, Some(only), None) => only.path.clone(),
            _ => path.to_owned(),
        }
    }

    pub fn only(self) -> Option<String> {
        match self.0.files.as_slice() {
            [only] => Some(only.path.clone()),
            [] | [_, _, ..] => None,
        }
    }
}

/// A line that has a name and nothing else but decoration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedFile {
    pub path: String,
    /// It also names a line, so it means a part of the file.
    pub part: bool,
}

pub fn alone(line: &str, known: ShownFiles<'_>) -> Option<NamedFile> {
    name(bare(line)?, known)
}

/// A single word above a block that must have a name, whatever the word is.
pub fn word(line: &str) -> Option<String> {
    let word = bare(line).filter(|_| !line.trim().ends_with([':', '：']))?;
    (!word.is_empty() && !word.contains(char::is_whitespace)).then(|| word.to_owned())
}

fn bare(line: &str) -> Option<&str> {
    let mut rest = line.trim();
    if rest.len() > MAX_NAME {
        return None;
    }
    for _ in 0..MAX_ROUNDS {
        let before = rest;
        rest = rest.trim_start_matches(['#', '>', '+']).trim();
        for bullet in ["- ", "* ", "• "] {
            rest = rest.strip_prefix(bullet).unwrap_or(rest).trim();
        }
        rest = without_number(rest);
        rest = comment(rest).filter(|inside| !inside.is_empty() && !rest.starts_with('#')).unwrap_or(rest);
        rest = rest.trim_end_matches([':', '：', ',']).trim();
        for mark in ["**", "__", "`", "\"", "'", "*", "_"] {
            rest = rest.strip_prefix(mark).and_then(|rest| rest.strip_suffix(mark)).unwrap_or(rest).trim();
        }
        rest = without_label(rest);
        rest = without_note(rest);
        if rest == before {
            break;
        }
    }
    Some(rest)
}

fn without_number(text: &str) -> &str {
    let rest = text.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let rest = (rest.len() < text.len()).then_some(rest);
    rest.and_then(|rest| rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") "))).unwrap_or(text).trim()
}

fn without_label(text: &str) -> &str {
    for label in LABELS {
        let head = text.get(..label.len()).filter(|head| head.eq_ignore_ascii_case(label));
        let rest = head.and_then(|_| text.get(label.len()..)).map(|rest| rest.trim_start_matches(['*', '_']));
        if let Some(rest) = rest.filter(|rest| rest.starts_with([':', '：', ' ', '`', '='])) {
            return rest.trim_start_matches([':', '：', ' ', '=', '*']).trim();
        }
    }
    text
}

/// Strips a note such as `(new file)` after it.
fn without_note(text: &str) -> &str {
    let open = text.rfind(" (").filter(|_| text.ends_with(')'));
    open.and_then(|open| text.get(..open)).unwrap_or(text).trim()
}

fn name(text: &str, known: ShownFiles<'_>) -> Option<NamedFile> {
    let text = text.strip_prefix("./").unwrap_or(text);
    if known.has(text) {
        return Some(NamedFile { path: text.to_owned(), part: false });
    }
    let whole = text.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '-');
    let bare =
        whole.trim_end_matches(':').trim_end_matches(|letter: char| letter.is_ascii_digit()).trim_end_matches(':');
    let part = whole.len() < text.len() && whole.ends_with(':');
    let path = if part { bare } else { text };
    looks_like_one(path).then(|| NamedFile { path: path.to_owned(), part })
}

/// Whether it looks like a path, or a name with an extension.
fn looks_like_one(text: &str) -> bool {
    let odd = |letter: char| letter.is_whitespace() || letter.is_control() || "<>|\"*?{}$;=,`!^".contains(letter);
    if text.is_empty() || text.contains(odd) || text.contains("://") || text.ends_with(['/', '.', '\\']) {
        return false;
    }
    if ["text/", "application/", "image/", "vb.net", "asp.net"].iter().any(|other| text.starts_with(other)) {
        return false;
    }
    let last = text.rsplit(['/', '\\']).next().unwrap_or_default();
    let ending = last.rsplit_once('.').map(|(_, ending)| ending).filter(|ending| ending.len() <= 12);
    let has_ending = ending.is_some_and(|ending| {
        ending.starts_with(|letter: char| letter.is_ascii_alphabetic())
            && ending.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-+".contains(letter))
    });
    let hidden = last.starts_with('.') && last.len() > 1;
    let leads_out = text.starts_with(['/', '~']) || text.split(['/', '\\']).any(|part| part == ".." || part == ".git");
    has_ending || hidden || USUAL.contains(&last) || (leads_out && text.contains(['/', '\\']))
}

/// A name after the language of a fence: `python src/a.py`, `python:src/a.py`, `src/a.py`, `title="src/a.py"`.
pub fn in_info(info: &str, known: ShownFiles<'_>) -> Option<NamedFile> {
    let unquoted = |word: &str| word.trim_matches(['"', '\'', '`', '(', ')', '{', '}', ',']).to_owned();
    let keyed = |word: &str| {
        let (key, value) = word.split_once('=')?;
        ["title", "file", "filename", "path", "name"].contains(&key.trim_start_matches('{')).then(|| unquoted(value))
    };
    // A single word is a language, even if a file has that name.
    let dotted = |word: &str| word.contains(['.', '/', '\\']);
    for (number, word) in info.split_whitespace().enumerate() {
        let candidate = match keyed(word) {
            Some(value) => Some(value),
            // Line highlighting options of some renderers.
            None if word.starts_with('{') => None,
            None if dotted(word) || number > 0 => Some(unquoted(word)),
            None => None,
        };
        let after_language = |word: &str| {
            let (language, path) = word.split_once(':')?;
            let plain = !language.is_empty()
                && language.chars().all(|letter| letter.is_ascii_alphanumeric() || "+#-".contains(letter));
            (plain && language.len() > 1 && !path.starts_with(|letter: char| letter.is_ascii_digit()))
                .then(|| path.to_owned())
        };
        let Some(candidate) = candidate else {
            if let Some(named) = after_language(word).and_then(|path| name(&path, known)) {
                return Some(named);
            }
            continue;
        };
        let candidate = after_language(&candidate).unwrap_or(candidate);
        if let Some(named) = name(&candidate, known) {
            return Some(named);
        }
    }
    None
}

/// A name in the first line of a block: `# src/a.py`, `// file: src/a.py`. Ignores a forbidden one: an answer about ~/.bashrc is advice to
/// the user.
pub fn in_comment(line: &str, known: ShownFiles<'_>) -> Option<NamedFile> {
    let inside = comment(line)?;
    alone(inside, known).filter(|named| !named.part && RelativePath::new(&named.path).is_ok())
}

/// The one file that a sentence before a block mentions: `Here is the new src/a.py:`.
pub fn in_sentence(line: &str, known: ShownFiles<'_>) -> Option<NamedFile> {
    let line = line.trim();
    if !line.ends_with([':', '：']) || line.len() > MAX_NAME {
        return None;
    }
    let quoted = line.split('`').skip(1).step_by(2).filter_map(|span| name(span.trim(), known));
    let plain = line.split(|letter: char| letter.is_whitespace() || "`，。：:；'\"*()".contains(letter));
    let plain = plain.filter(|word| known.is_shown(word)).map(|word| NamedFile { path: word.to_owned(), part: false });
    let mut all: Vec<NamedFile> = quoted.chain(plain).collect();
    all.dedup();
    all.sort_by(|one, other| one.path.cmp(&other.path));
    all.dedup();
    match all.as_slice() {
        [only] => Some(only.clone()),
        [] | [_, _, ..] => None,
    }
}

/// Whether a sentence mentions a file to be created.
pub fn is_new(line: &str) -> bool {
    let lower = line.to_lowercase();
    ["create", "new ", "add ", "创建", "新建", "新增", "添加"].iter().any(|word| lower.contains(word))
}
