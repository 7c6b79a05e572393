//! Finds the objects in a request: quotes, code, files, identifiers and program output, as opposed to the words about them.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

use aside_text::lazy_regex::Regex;

const LOGS: &str = include_str!("../../data/task/logs.txt");
const FILES: &str = include_str!("../../data/task/files.txt");

/// Characters of a quote; a longer one is taken as unclosed.
const MAX_QUOTE: usize = 400;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MentionKind {
    /// Between fences.
    Block,
    Diff,
    /// Error output of a program.
    Log,
    /// In backquotes.
    Code,
    Quote,
    File,
    /// An identifier as only code has it: `getUser`, `MAX_RETRIES`, `Config::load`, `load()`.
    Name,
    /// `--dry-run`
    Flag,
    Link,
}

impl MentionKind {
    /// The marker that replaces the object in the normalised text. No request can contain it, since brackets are removed from the text.
    pub fn mark(self) -> &'static str {
        match self {
            MentionKind::Block => "<block>",
            MentionKind::Diff => "<diff>",
            MentionKind::Log => "<log>",
            MentionKind::Code => "<code>",
            MentionKind::Quote => "<quote>",
            MentionKind::File => "<file>",
            MentionKind::Name => "<name>",
            MentionKind::Flag => "<flag>",
            MentionKind::Link => "<link>",
        }
    }
}

fn log_line() -> Option<&'static Regex> {
    static LOG: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let patterns = LOGS.lines().filter(|row| row.starts_with('^'));
        Regex::new(&patterns.map(|row| format!("(?:{row})")).collect::<Vec<_>>().join("|")).ok()
    });
    LOG.as_ref()
}

fn is_log(line: &str) -> bool {
    log_line().is_some_and(|log| log.is_match(line))
}

/// Splits a text: prose by line, and consecutive lines of the same sort as one piece.
pub fn lines(text: &str) -> Vec<(Option<MentionKind>, Range<usize>)> {
    let mut found: Vec<(Option<MentionKind>, Range<usize>)> = Vec::new();
    // Where the fence begins, and its length: a shorter one inside is text.
    let mut fence: Option<(usize, usize)> = None;
    let mut at = 0;
    for whole in text.split_inclusive('\n') {
        let line = whole.trim_end_matches('\n');
        let range = at..at + line.len();
        at += whole.len();
        let ticks = line.trim_start().bytes().take_while(|byte| *byte == b'`').count();
        if let Some((start, length)) = fence {
            if ticks >= length {
                found.push((Some(sort_of_block(text.get(start..range.end).unwrap_or_default())), start..range.end));
                fence = None;
            }
            continue;
        }
        // A fence that closes on its own line is an inline quote.
        if ticks >= 3 && !line.trim_start().get(ticks..).is_some_and(|rest| rest.contains("```")) {
            fence = Some((range.start, ticks));
            continue;
        }
        let before = found.last().and_then(|(sort, _)| *sort);
        let sort = match before {
            Some(MentionKind::Diff) if line.starts_with(['+', '-', ' ', '@']) || line.is_empty() => {
                Some(MentionKind::Diff)
            }
            // Stack frames follow the line that says what happened.
            Some(MentionKind::Log) if line.starts_with([' ', '\t']) => Some(MentionKind::Log),
            _ if line.starts_with("diff --git ") || line.starts_with("--- a/") => Some(MentionKind::Diff),
            _ if is_log(line) => Some(MentionKind::Log),
            _ => None,
        };
        match found.last_mut() {
            Some((last, so_far)) if sort.is_some() && *last == sort => so_far.end = range.end,
            _ => found.push((sort, range)),
        }
    }
    if let Some((start, _)) = fence {
        found.push((Some(sort_of_block(text.get(start..).unwrap_or_default())), start..text.len()));
    }
    found.retain(|(_, range)| !text.get(range.clone()).unwrap_or_default().trim().is_empty());
    found
}

fn sort_of_block(text: &str) -> MentionKind {
    let mut lines = text.lines();
    let label = lines.next().unwrap_or_default().trim_start_matches('`').trim();
    let is_diff = label == "diff" || label == "patch" || text.contains("\n@@ ") || text.contains("\ndiff --git ");
    match () {
        () if is_diff => MentionKind::Diff,
        () if lines.any(is_log) => MentionKind::Log,
        () => MentionKind::Block,
    }
}

/// A quote at the beginning of a text: its sort, its contents, and its length.
pub fn quoted(text: &str, before: Option<char>) -> Option<(MentionKind, &str, usize)> {
    let open = text.chars().next()?;
    let (close, sort) = match open {
        '`' => ("`", MentionKind::Code),
        '"' => ("\"", MentionKind::Quote),
        '“' => ("”", MentionKind::Quote),
        '「' => ("」", MentionKind::Quote),
        '『' => ("』", MentionKind::Quote),
        // Otherwise it is an apostrophe.
        '\'' if before.is_none_or(|before| !before.is_alphanumeric()) => ("'", MentionKind::Quote),
        '‘' => ("’", MentionKind::Quote),
        _ => return None,
    };
    let ticks = if open == '`' { text.bytes().take_while(|byte| *byte == b'`').count() } else { 0 };
    let (opening, close) = if ticks > 1 { (ticks, "`".repeat(ticks)) } else { (open.len_utf8(), close.to_owned()) };
    let rest = text.get(opening..)?;
    let mut ends = rest.match_indices(&close).map(|(end, _)| end);
    let end = ends.find(|end| {
        let after = rest.get(end + close.len()..).and_then(|rest| rest.chars().next());
        close != "'" && close != "’" || after.is_none_or(|after| !after.is_ascii_alphanumeric())
    })?;
    let inner = rest.get(..end)?;
    let is_quote = !inner.trim().is_empty() && inner.chars().count() <= MAX_QUOTE;
    is_quote.then_some((sort, inner.trim(), opening + end + close.len()))
}

/// Characters of words, files and identifiers.
pub fn is_word_letter(letter: char) -> bool {
    letter.is_ascii_alphanumeric()
        || matches!(letter, '_' | '/' | '~' | '.' | '@' | '+' | '-' | ':' | '$' | '*' | '%' | '#' | '=' | '\\')
}

/// Length of the word at the beginning of a text, including the brackets of a call.
pub fn word_length(text: &str) -> usize {
    let mut length = 0;
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        let next = letters.peek().map(|(_, next)| *next);
        let is_apostrophe =
            matches!(letter, '\'' | '’') && at > 0 && next.is_some_and(|next| next.is_ascii_alphabetic());
        if !is_word_letter(letter) && !is_apostrophe {
            break;
        }
        length = at + letter.len_utf8();
    }
    // `load()`, `charge(order)`
    let rest = text.get(length..).unwrap_or_default();
    let called = rest.starts_with('(')
        && text
            .get(..length)
            .is_some_and(|name| name.ends_with(|last: char| last.is_ascii_alphanumeric() || last == '_'));
    let closes = rest.find(')').filter(|end| called && *end <= 40);
    length + closes.map_or(0, |end| end + 1)
}

/// The sort of a word, `None` for an ordinary word, and its length without trailing punctuation.
pub fn mention_kind(word: &str) -> (Option<MentionKind>, usize) {
    let bare = word.trim_end_matches(['.', ':', '/', '-', '*', '=', '@', '#', '\\', '+']);
    let with_slash =
        if word.get(bare.len()..).is_some_and(|tail| tail.starts_with('/')) { bare.len() + 1 } else { bare.len() };
    let folder = word.get(..with_slash).unwrap_or(bare);
    match () {
        () if bare.is_empty() => (None, 0),
        () if bare.contains("://") => (Some(MentionKind::Link), bare.len()),
        () if is_file(folder) => (Some(MentionKind::File), folder.len()),
        () if is_flag(bare) => (Some(MentionKind::Flag), bare.len()),
        () if is_name(bare) => (Some(MentionKind::Name), bare.len()),
        // `try/catch` is two words.
        () => (
            None,
            bare.find(['/', '.', ':', '=', '@', '+', '*', '#']).filter(|_| !is_number(bare)).unwrap_or(bare.len()),
        ),
    }
}

fn is_number(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_digit())
}

fn is_flag(word: &str) -> bool {
    let name = word.trim_start_matches('-');
    word.len() > name.len() && !name.is_empty() && word.len() - name.len() <= 2
}

/// File extensions, folders, and file names.
struct Names {
    extensions: HashSet<&'static str>,
    folders: HashSet<&'static str>,
    files: HashSet<&'static str>,
    no_files: HashSet<&'static str>,
}

fn names() -> &'static Names {
    static NAMES: LazyLock<Names> = LazyLock::new(|| Names {
        extensions: section("extensions"),
        folders: section("folders"),
        files: section("files"),
        no_files: section("no-files"),
    });
    &NAMES
}

fn section(name: &str) -> HashSet<&'static str> {
    let rows = FILES.lines().skip_while(|row| row.trim_matches(['[', ']']) != name).skip(1);
    rows.take_while(|row| !row.starts_with(['[', '#'])).flat_map(str::split_whitespace).collect()
}

fn is_file(word: &str) -> bool {
    // `Cart.java:42`
    let path = word.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == ':');
    let path = if path.len() < word.len() && word.get(path.len()..).is_some_and(|tail| tail.starts_with(':')) {
        path
    } else {
        word
    };
    if path.is_empty() || path.contains("::") || path.starts_with('@') || path.contains(['=', '$']) {
        return false;
    }
    let names = names();
    let lower = path.to_ascii_lowercase();
    let name = lower.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    if names.no_files.contains(name) {
        return false;
    }
    if names.files.contains(name) {
        return true;
    }
    let extended = name.rsplit_once('.').is_some_and(|(stem, extension)| {
        !extension.is_empty()
            && names.extensions.contains(extension)
            && !stem.trim_matches(|letter| matches!(letter, '.' | '*')).is_empty()
            || stem == "*"
    });
    let first = lower.split('/').next().unwrap_or_default();
    let is_path = path.contains('/')
        && !path.starts_with("//")
        && (names.folders.contains(first)
            || path.ends_with('/') && path.len() > 1
            || path.starts_with("./")
            || path.starts_with("../")
            || path.starts_with("~/"));
    extended || is_path
}

/// Spelled as only code is.
fn is_name(word: &str) -> bool {
    let bare = word.trim_start_matches(['@', '$', '#', '*']);
    if bare.contains("::") || word.ends_with(')') || word.starts_with('$') && !bare.is_empty() {
        return true;
    }
    let starts = bare.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    if bare.starts_with('/') && bare.len() > 1 {
        return true;
    }
    if is_commit(bare) {
        return true;
    }
    if !starts {
        return false;
    }
    let is_simple = bare.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '.'));
    let humps = bare
        .as_bytes()
        .windows(2)
        .any(|pair| matches!(pair, [small, large] if small.is_ascii_lowercase() && large.is_ascii_uppercase()));
    let dotted = bare.split('.').filter(|part| part.len() > 1).count() > 1 && !bare.contains("..");
    is_simple && (bare.contains('_') || humps || dotted)
}

fn is_commit(word: &str) -> bool {
    (7..=40).contains(&word.len())
        && word.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'a'..=b'f'))
        && word.bytes().any(|byte| byte.is_ascii_digit())
        && word.bytes().any(|byte| byte.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_logs_are_told_from_prose() {
        assert!(log_line().is_some());
        let mut pattern: Option<Regex> = None;
        let mut seen = [false; 2];
        for row in LOGS.lines() {
            if row.starts_with('^') {
                assert!(pattern.is_none() || seen == [true; 2], "no example: {row}");
                (pattern, seen) = (Some(Regex::new(row).unwrap()), [false; 2]);
            } else if let Some((index, line)) =
                row.strip_prefix("+ ").map(|line| (0, line)).or(row.strip_prefix("- ").map(|line| (1, line)))
            {
                let fits = pattern.as_ref().unwrap().is_match(line);
                assert_eq!(fits, index == 0, "{line}");
                assert!(index == 0 || !is_log(line), "{line}");
                seen[index] = true;
            }
        }
    }

    #[test]
    fn files_and_names_are_told_from_words() {
        use MentionKind::*;
        for (word, sort) in [
            ("src/main.rs", Some(File)),
            ("utils.py", Some(File)),
            ("Cart.java:42", Some(File)),
            ("Dockerfile", Some(File)),
            ("README", Some(File)),
            ("legacy/", Some(File)),
            ("docs/index.md", Some(File)),
            ("../x", Some(File)),
            (".env", Some(File)),
            ("*.rs", Some(File)),
            ("getUser", Some(Name)),
            ("MAX_RETRIES", Some(Name)),
            ("Config::load", Some(Name)),
            ("load()", Some(Name)),
            ("process.env", Some(Name)),
            ("3f2a91c", Some(Name)),
            ("--dry-run", Some(Flag)),
            ("https://example.com/a.rs", Some(Link)),
            ("tests", None),
            ("re-run", None),
            ("async/await", None),
            ("v1.2.0", None),
            ("30s", None),
            ("it's", None),
            ("README's", None),
            ("node.", None),
            ("defaced", None),
        ] {
            assert_eq!(mention_kind(word).0, sort, "{word}");
        }
    }
}
