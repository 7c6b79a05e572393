//! Maps a placeholder in a help text to a kind of our specs: FILE is a file, `{a,b}` is a list of two.

use std::sync::LazyLock;

use aside_text::lazy_regex::Regex;

const MAX_VALUES: usize = 50;
const MAX_ARGS: usize = 6;

/// Endings of placeholders in lower case, and the kinds they stand for.
const WORDS: &[(&str, &[&str])] = &[
    ("directory", &["dir", "directory", "folder", "dirname"]),
    ("file", &["file", "filename", "files", "script", "config", "conf", "archive", "image"]),
    ("path", &["path", "paths", "pathname", "source", "src", "dest", "destination", "input", "output", "out"]),
    (
        "number",
        &[
            "n", "num", "number", "count", "int", "integer", "uint", "uint16", "uint32", "uint64", "int32", "int64",
            "float", "float64", "secs", "seconds", "sec", "ms", "lines", "width", "columns", "cols", "depth", "jobs",
            "threads", "limit", "max", "min", "percent",
        ],
    ),
    ("url", &["url", "uri"]),
    ("host", &["host", "hostname", "server"]),
    ("port", &["port"]),
    ("user", &["user", "username", "login"]),
    ("group", &["group"]),
    ("pattern", &["pattern", "patterns", "regex", "regexp", "glob", "expr", "expression"]),
    ("size", &["size", "bytes"]),
    ("date", &["date", "timestamp"]),
    ("command", &["cmd", "program", "prog", "executable"]),
    ("signal", &["signal", "sig"]),
    ("process", &["pid"]),
];

/// The kind according to the placeholder and its description.
pub fn of(placeholder: &str, said: &str) -> String {
    static SAID: LazyLock<[Regex; 3]> = LazyLock::new(|| {
        [
            r"\[(?:possible values|choices|one of): ?([^\]]+)\]",
            r"\((?:one of|choices)?:? ?([\w.-]+(?: ?[|,] ?[\w.-]+)+)\)",
            r"\b(?:[Oo]ne of|[Ee]ither|is|be):? ((?:['‘`][\w.-]+['’](?:,? or |, |\|)?){2,})",
        ]
        .map(|pattern| Regex::new(pattern).unwrap_or_else(|_| unreachable!("a fixed pattern")))
    });
    if let Some(list) = list(placeholder) {
        return list;
    }
    let listed = SAID.iter().find_map(|pattern| pattern.captures(said)).and_then(|found| list(&found[1]));
    let kind = listed.or_else(|| by_name(placeholder).map(str::to_owned));
    kind.unwrap_or_else(|| if is_vague(placeholder) { by_text(said) } else { "text" }.to_owned())
}

/// Kinds of a program's arguments. Empty when none is known.
pub fn args(words: &[&str]) -> Vec<String> {
    let mut args = Vec::new();
    let mut known = false;
    let mut inside_flag = false;
    for word in words {
        let opens = word.starts_with("[-") || word.starts_with("{-") || word.starts_with("(-");
        let flag = inside_flag || opens || word.starts_with('-');
        inside_flag = (inside_flag || opens) && !word.trim_end_matches('.').ends_with([']', '}', ')']);
        let name = word.trim_matches(|letter: char| !letter.is_ascii_alphanumeric()).to_ascii_lowercase();
        if flag || name.starts_with("option") || name.starts_with("flag") || args.len() == MAX_ARGS {
            continue;
        }
        if word.trim_matches(['.', '[', ']', '…']).is_empty() {
            args.last_mut().into_iter().for_each(|last: &mut String| last.push_str("..."));
            continue;
        }
        let kind = of(word, "");
        known |= kind != "text";
        let dots = if word.contains("...") || word.contains('…') { "..." } else { "" };
        args.push(format!("{kind}{dots}"));
    }
    if known { args } else { Vec::new() }
}

/// `{a,b}`, `a|b`, `a, b` in the syntax of our specs. Words in capitals are placeholders themselves.
fn list(text: &str) -> Option<String> {
    let inside = text.trim_matches(|letter: char| "<>[]{}()=. ".contains(letter));
    let values: Vec<&str> = inside
        .split(['|', ','])
        .flat_map(|part| part.split(" or "))
        .map(|value| value.trim().trim_matches(['\'', '"', '`', '‘', '’']))
        .filter(|value| !value.is_empty())
        .collect();
    let fits = |value: &&str| {
        value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._+-:/".contains(&byte))
            && value.bytes().any(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    ((2..=MAX_VALUES).contains(&values.len()) && values.iter().all(fits)).then(|| values.join("|"))
}

/// Whether the placeholder names only a type, so that the description has to say what it is for.
fn is_vague(placeholder: &str) -> bool {
    let word = placeholder.trim_matches(|letter: char| !letter.is_ascii_alphanumeric());
    matches!(word, "string" | "strings" | "stringArray" | "val" | "value" | "VALUE" | "arg" | "ARG" | "list")
}

fn by_text(said: &str) -> &'static str {
    let mut words = said.split(|letter: char| !letter.is_ascii_alphabetic()).take(8).map(str::to_ascii_lowercase);
    let kind = words.find_map(|word| match word.as_str() {
        "directory" | "folder" | "dir" => Some("directory"),
        "file" | "files" | "filename" => Some("file"),
        "path" => Some("path"),
        "url" => Some("url"),
        _ => None,
    });
    kind.unwrap_or("text")
}

fn by_name(placeholder: &str) -> Option<&'static str> {
    let lower = placeholder.to_ascii_lowercase();
    let last = lower.split(|letter: char| !letter.is_ascii_alphanumeric()).rfind(|part| !part.is_empty())?;
    let whole = |(_, words): &&(&str, &[&str])| words.contains(&last);
    let ending = |(_, words): &&(&str, &[&str])| words.iter().any(|word| word.len() > 2 && last.ends_with(word));
    WORDS.iter().find(whole).or_else(|| WORDS.iter().find(ending)).map(|(kind, _)| *kind)
}
