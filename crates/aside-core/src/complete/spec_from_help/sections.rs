//! The lines of a help text: usage, description, lists of commands. Does not parse flags.

use std::borrow::Cow;

use aside_text::clean;

/// Lines that are read, and bytes of each.
const MAX_ROWS: usize = 4000;
const MAX_BYTES: usize = 500;
const TAB: usize = 8;
const MAX_NAME: usize = 40;

/// A line that is not empty.
#[derive(Debug)]
pub struct Row<'a> {
    pub indent: usize,
    pub body: &'a str,
    /// An empty line precedes it.
    pub apart: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub struct Command {
    pub name: String,
    pub aliases: Vec<String>,
    pub about: String,
}

/// The usage line.
#[derive(Debug, Default)]
pub struct Usage<'a> {
    pub is_there: bool,
    /// The words after the program's name, in the first form.
    pub words: Vec<&'a str>,
    /// In any form.
    pub takes_command: bool,
}

/// Removes colours and the overstrikes that man pages use for bold.
pub fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\u{1b}' => {
                // `ESC [ … letter` is a CSI sequence; any other sequence counts as two characters.
                if letters.next_if_eq(&'[').is_some() {
                    while letters.next_if(|letter| !letter.is_ascii_alphabetic()).is_some() {}
                }
                letters.next();
            }
            '\u{8}' => {
                plain.pop();
            }
            letter => plain.push(letter),
        }
    }
    match clean(&plain) {
        Cow::Borrowed(_) => plain,
        Cow::Owned(clean) => clean,
    }
}

pub fn rows(text: &str) -> Vec<Row<'_>> {
    let mut rows = Vec::new();
    let mut apart = true;
    for line in text.lines().take(MAX_ROWS) {
        let body = line.trim();
        if body.is_empty() || body.len() > MAX_BYTES {
            apart = true;
            continue;
        }
        let mut indent = 0;
        for letter in line.chars().take_while(|letter| letter.is_whitespace()) {
            indent = if letter == '\t' { (indent / TAB + 1) * TAB } else { indent + 1 };
        }
        rows.push(Row { indent, body, apart });
        apart = false;
    }
    rows
}

pub fn usage<'a>(rows: &[Row<'a>]) -> Usage<'a> {
    let mut usage = Usage::default();
    let says_usage = |row: &Row<'_>| row.body.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("usage"));
    let Some(first) = rows.iter().position(says_usage) else { return usage };
    usage.is_there = true;
    let rest = rows[first].body[5..].trim_start_matches([':', ' ', '\t']);
    let inline = (!rest.is_empty()).then_some(rest);
    // The lines below belong to it until the next paragraph, unless the heading stands alone.
    let below = rows[first + 1..].iter().enumerate();
    let below = below.take_while(|(number, row)| row.indent > rows[first].indent && (!row.apart || *number == 0));
    let ways = inline.into_iter().chain(below.map(|(_, row)| row.body));
    for (number, way) in ways.enumerate() {
        usage.takes_command |= way.split_whitespace().any(is_command_word);
        if number == 0 {
            usage.words = way.split_whitespace().skip(1).collect();
        }
    }
    usage
}

fn is_command_word(word: &str) -> bool {
    let word = word.trim_matches(|letter: char| !letter.is_ascii_alphanumeric()).to_ascii_lowercase();
    matches!(word.as_str(), "command" | "commands" | "subcommand" | "cmd" | "sub-command")
}

/// The first line that is a description and not usage.
pub fn about(rows: &[Row<'_>]) -> String {
    let mut in_usage = false;
    for row in rows {
        let lower = row.body.to_ascii_lowercase();
        if lower.starts_with("usage") {
            in_usage = true;
            continue;
        }
        if row.indent > 0 && (in_usage || !row.apart) {
            continue;
        }
        in_usage = false;
        let mut words = row.body.split_whitespace();
        let first = words.next().unwrap_or("");
        let second = words.next().unwrap_or("");
        let version = second.trim_start_matches(['v', '(']).starts_with(|letter: char| letter.is_ascii_digit());
        let says = first.starts_with(char::is_alphabetic) && !second.is_empty() && words.next().is_some();
        let listed = row.body.contains("  ") || row.body.contains('\t');
        if says && !version && !listed && !row.body.ends_with(':') && !row.body.contains(['@', '©']) {
            // Drops the program's name before it: `frob - turn things`.
            let said = row.body.split_once(" - ").or_else(|| row.body.split_once(" — "));
            return short(said.filter(|(name, _)| !name.contains(' ')).map_or(row.body, |(_, said)| said));
        }
        // After the prologue, a line at the margin is a heading.
        if row.body.ends_with(':') {
            break;
        }
    }
    String::new()
}

/// Whether the line lists commands in braces that are explained below, as argparse does.
pub fn lists(row: &Row<'_>, below: &[Row<'_>]) -> bool {
    let Some((names, _)) = row.body.strip_prefix('{').and_then(|rest| rest.split_once('}')) else { return false };
    let next =
        below.first().filter(|next| next.indent > row.indent).and_then(|next| next.body.split_whitespace().next());
    next.is_some_and(|next| names.split(',').any(|name| name.trim() == next))
}

/// The commands that a line of a list names. `sure`: the heading says that they are commands.
pub fn commands(row: &Row<'_>, below: &[Row<'_>], sure: bool) -> Vec<Command> {
    let (left, about) = match gap(row.body) {
        Some((left, about)) => (left, about),
        None => row.body.split_once(" - ").unwrap_or((row.body, "")),
    };
    let bare = |name: String| Command { name, aliases: Vec::new(), about: String::new() };
    let listed: Vec<&str> = row.body.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
    if sure && listed.len() > 2 && listed.iter().all(|name| is_name(name)) {
        return listed.into_iter().map(|name| bare(name.to_owned())).collect();
    }
    let mut names = Vec::new();
    let mut rest = left;
    loop {
        let end = rest.find([' ', ',', '|']).unwrap_or(rest.len());
        let name = rest[..end].trim_end_matches([':', '*']);
        if !is_name(name) {
            return Vec::new();
        }
        names.push(name.to_owned());
        rest = &rest[end..];
        match rest.trim_start().strip_prefix([',', '|']) {
            Some(next) => rest = next.trim_start(),
            None => break,
        }
    }
    // Behind the name may come placeholders, but no sentence.
    let takes = |word: &str| {
        let word = word.trim_end_matches("...");
        word.starts_with(['<', '[', '(', '{', '-', '|'])
            || word.ends_with(['>', ']', ')', '}'])
            || word.bytes().all(|byte| byte.is_ascii_uppercase() || b"_-|.".contains(&byte))
    };
    if !rest.split_whitespace().all(takes) {
        return Vec::new();
    }
    let next = below.first().filter(|next| next.indent > row.indent && !next.body.starts_with('-'));
    let about = match about.trim_start_matches(['-', ':', ' ']) {
        "" => next.map_or("", |next| next.body),
        about => about,
    };
    if about.is_empty() && !sure {
        return Vec::new();
    }
    let name = names.remove(0);
    vec![Command { name, aliases: names, about: short(about) }]
}

fn is_name(name: &str) -> bool {
    name.len() <= MAX_NAME
        && name.starts_with(|letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit())
        && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_:.+".contains(&byte))
        && !name.ends_with('.')
}

/// The two sides of the first gap of two blanks or a tab.
pub fn gap(text: &str) -> Option<(&str, &str)> {
    let at = [text.find("  "), text.find('\t')].into_iter().flatten().min()?;
    Some((text[..at].trim_end(), text[at..].trim_start()))
}

/// Characters of a description.
const MAX_ABOUT: usize = 72;

/// Shortens a description to our style: the first sentence, in lower case, without a full stop.
pub fn short(text: &str) -> String {
    let text = text.trim();
    let end = text.find(". ").or_else(|| text.find("; ")).unwrap_or(text.len());
    let mut sentence = &text[..end];
    // Defaults and possible values are stored elsewhere.
    for mark in ["[default", "[possible", "[env", "(default", "[aliases"] {
        sentence = sentence.split(mark).next().unwrap_or("");
    }
    let words: Vec<&str> = sentence.split_whitespace().collect();
    let sentence = words.join(" ");
    let sentence = sentence.trim_start_matches("- ").trim_end_matches(['.', ':', ',', ';']).trim_end();
    // A note in brackets is about the program that prints it, not a description.
    if !sentence.contains(|letter: char| letter.is_alphanumeric())
        || (sentence.starts_with('[') && sentence.ends_with(']'))
    {
        return String::new();
    }
    let cut = match sentence.char_indices().nth(MAX_ABOUT) {
        Some((end, _)) => sentence[..end].rsplit_once(' ').map_or(&sentence[..end], |(whole, _)| whole),
        None => sentence,
    };
    let mut letters = cut.chars();
    let (first, second) = (letters.next(), letters.next());
    match (first, second) {
        // `API` and `I` keep their capital.
        (Some(first), Some(second))
            if first.is_uppercase() && (second.is_lowercase() || (first == 'A' && second == ' ')) =>
        {
            first.to_lowercase().chain(cut.chars().skip(1)).collect()
        }
        _ => cut.to_owned(),
    }
}
