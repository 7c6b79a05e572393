//! Finds placeholders that a model left for the user to fill in: `<file>`, `{{name}}`, `path/to/file`. Does not know
//! the query.
//!
//! Some placeholders would do something else if they were run: `cat <file>` redirects from `file`. Those make a command
//! useless. Others only name a thing that does not exist; such a command is still worth showing, with less confidence.

use std::ops::Range;
use std::sync::LazyLock;

use aside_text::lazy_regex::Regex;
use shell_line::{Command, Word};

/// A placeholder and where it stands in the line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placeholder {
    pub span: Range<usize>,
    pub kind: PlaceholderKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaceholderKind {
    /// The shell reads it as other syntax, such as a redirection.
    Misread,
    /// A word that only stands for a name.
    Name,
}

/// Angle brackets around a name or several words.
static ANGLES: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"<[A-Za-z][A-Za-z0-9_.-]*(?: [A-Za-z0-9_.-]+)*>").ok());
/// Double braces, as in cheat sheets. A dot is excluded because the templates of programs begin with one or have one
/// inside.
static BRACES: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\{\{[A-Za-z_/][^{}.]*\}\}").ok());
/// Square brackets, as in manuals.
static SQUARES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)^\[(?:options?|flags?|args?|arguments?|files?|filename|path|dir|directory|name|url|pattern|command|branch|user|host)\]$").ok()
});
/// Whole words that stand for a name.
static NAMES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?x)
        ^(?:\./|/|~/)?path/to(?:/.*)?$
        | ^(?:.*[/@=:])?(?i:your)(?:[-_.][A-Za-z]+)+$
        | ^(?i:your)(?:file|dir|folder|name|branch|message|host|server|script|project|repo)(?:\.[a-z]+)?$
        | ^(?i:your)\ [a-z\ ]+$
        | ^(?:FILE|FILENAME|FILE_NAME|DIR|DIRECTORY|FOLDER|PATTERN|URL|BRANCH|BRANCH_NAME|USERNAME|HOSTNAME|PID|PORT|NAME|CONTAINER|CONTAINER_ID|IMAGE|PROCESS_ID|PROCESS_NAME|SOURCE|DESTINATION|TARGET|REMOTE|COMMIT|PACKAGE|PACKAGE_NAME)$
        | ^(?:file_?name|folder_?name|directory_?name|branch_name|container_name|container_id|process_name|process_id|package_name|commit_hash|old_?name|new_?name)(?:\.[a-z]+)?$
        ",
    )
    .ok()
});

/// All placeholders in the order of the line. `exists` says whether a word names something that is there after all.
pub fn find_placeholders(line: &str, commands: &[Command], exists: impl Fn(&Word) -> bool) -> Vec<Placeholder> {
    let bare = unquoted(line);
    let mut holes: Vec<Placeholder> = Vec::new();
    // Compiles no pattern before the line has something that it could match.
    let angles = bare.contains('<').then(|| ANGLES.as_ref()).flatten();
    let braces = bare.contains("{{").then(|| BRACES.as_ref()).flatten();
    for pattern in [angles, braces].into_iter().flatten() {
        for found in pattern.find_iter(&bare) {
            let next = bare.get(found.end()..).and_then(|rest| rest.chars().next());
            // In `sort <in>out` the word after `>` is a redirection target.
            if !next.is_some_and(|next| next.is_alphanumeric() && found.as_str().ends_with('>'))
                && !is_herestring(&bare, found.start())
            {
                holes.push(Placeholder { span: found.range(), kind: PlaceholderKind::Misread });
            }
        }
    }
    let words = commands.iter().flat_map(|command| command.words.iter().skip(1).map(move |word| (command, word)));
    for (command, word) in words {
        let is = |pattern: &Option<Regex>| pattern.as_ref().is_some_and(|pattern| pattern.is_match(&word.value));
        let raw = line.get(word.span.clone()).unwrap_or_default();
        if raw == word.value && raw.starts_with('[') && is(&SQUARES) || raw == "..." {
            holes.push(Placeholder { span: word.span.clone(), kind: PlaceholderKind::Misread });
        } else if (may_stand_for_a_name(&word.value) && is(&NAMES)
            || is_quoted_angle(&word.value) && !looks_for_text(command))
            && !exists(word)
        {
            holes.push(Placeholder { span: word.span.clone(), kind: PlaceholderKind::Name });
        }
    }
    holes.sort_unstable_by_key(|hole| hole.span.start);
    holes
}

/// Cheap pre-check before `NAMES`, which takes longer to compile than everything else here.
fn may_stand_for_a_name(value: &str) -> bool {
    let low = value.to_lowercase();
    ["path/to", "your", "name", "_id", "_hash"].iter().any(|part| low.contains(part))
        || value.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
}

/// `"<message>"`, `'<your name>'`; not `'<title>'`, which may be a search for an HTML tag.
fn is_quoted_angle(value: &str) -> bool {
    let Some(inside) = value.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')) else { return false };
    let inside = inside.to_lowercase();
    inside.starts_with("your")
        || matches!(
            &*inside,
            "message"
                | "commit message"
                | "commit_message"
                | "file"
                | "filename"
                | "path"
                | "url"
                | "pattern"
                | "directory"
                | "name"
                | "branch"
        )
}

/// For commands that search text, angle brackets may be part of the text.
fn looks_for_text(command: &Command) -> bool {
    let name = command.words.first().map_or("", |name| name.value.as_str());
    matches!(name, "grep" | "egrep" | "rg" | "ag" | "ack" | "sed" | "awk" | "echo" | "printf" | "xmllint" | "perl")
}

fn is_herestring(line: &str, at: usize) -> bool {
    line.get(..at).is_some_and(|before| before.ends_with('<'))
}

/// The line with quoted parts replaced by blanks, byte for byte, so that offsets stay valid.
fn unquoted(line: &str) -> String {
    let mut bare = String::with_capacity(line.len());
    let mut quote = None;
    let mut escaped = false;
    for letter in line.chars() {
        let inside = quote.is_some();
        match (quote, letter) {
            _ if escaped => escaped = false,
            (None | Some('"'), '\\') => escaped = true,
            (None, '\'' | '"') => quote = Some(letter),
            (Some(open), _) if open == letter => quote = None,
            _ => {}
        }
        if inside || quote.is_some() {
            bare.extend(std::iter::repeat_n('\'', letter.len_utf8()));
        } else {
            bare.push(letter);
        }
    }
    bare
}

#[cfg(test)]
mod tests {
    use super::*;
    use shell_line::{self as line, Dialect};

    #[test]
    fn hits_and_misses() {
        let of = |text: &str| {
            let line = line::parse(text, Dialect::Zsh);
            let found = find_placeholders(text, &line.commands, |word| word.value == "FILE");
            found
                .iter()
                .map(|hole| format!("{:?} {}", hole.kind, &text[hole.span.clone()]))
                .collect::<Vec<_>>()
                .join(", ")
        };
        let hits = [
            ("cat <file>", "Misread <file>"),
            ("cp <source> <destination>", "Misread <source>, Misread <destination>"),
            ("ssh user@<host> ls", "Misread <host>"),
            ("git checkout <branch name>", "Misread <branch name>"),
            ("cat <file>.txt", "Misread <file>"),
            ("tar xf {{archive}}", "Misread {{archive}}"),
            ("ls [options]", "Misread [options]"),
            ("rm [FILE]", "Misread [FILE]"),
            ("git commit ...", "Misread ..."),
            ("cat path/to/file", "Name path/to/file"),
            ("cat /path/to/file.txt", "Name /path/to/file.txt"),
            ("cat your_file.txt", "Name your_file.txt"),
            ("ssh user@your-server.com", "Name user@your-server.com"),
            ("kill PID", "Name PID"),
            ("cat filename.txt", "Name filename.txt"),
            ("git commit -m '<message>'", "Name '<message>'"),
            ("git commit -m \"your commit message\"", "Name \"your commit message\""),
            ("cat yourfile.txt", "Name yourfile.txt"),
        ];
        for (text, expected) in hits {
            assert_eq!(of(text), expected, "{text}");
        }
        let misses = [
            "ls",
            "sort <in >out",
            "sort <in>out",
            "sort < in > out",
            "grep '<file>' x.html",
            "grep -r \"<title>\" .",
            "docker ps --format '{{.Names}}'",
            "docker ps --format {{.ID}}",
            "cat <(ls)",
            "go test ./...",
            "cat FILE",
            "cat <<<x",
            "echo {a,b}",
            "ls [abc]",
            "[ -f x ]",
            "find . -name '*.txt'",
            "echo yours > x",
            "diff <(a) <(b)",
            "cat <in | sort >out",
            "awk '{{print}}' f",
            "cat yourself",
            "ls ...é",
        ];
        for text in misses {
            assert_eq!(of(text), "", "{text}");
        }
    }
}
