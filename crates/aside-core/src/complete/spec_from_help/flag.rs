//! Parses a line of a help text that begins with a dash: the names of a flag, its value, its description.

use crate::complete::spec_from_help::{placeholder, sections};

const MAX_NAME: usize = 50;
const MAX_NAMES: usize = 6;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flag {
    pub names: Vec<String>,
    pub takes: Option<Takes>,
    pub about: String,
    pub repeats: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Takes {
    pub kind: String,
    pub optional: bool,
}

/// State of the parser.
struct Reader<'a> {
    rest: &'a str,
    names: Vec<String>,
    value: Option<&'a str>,
    optional: bool,
    repeats: bool,
    negates: bool,
}

/// `first` and `all` are the first paragraph and all of the lines below. Returns two flags when one has a `no-` in
/// brackets.
pub fn parse(body: &str, first: &str, all: &str) -> Vec<Flag> {
    let mut reader =
        Reader { rest: body, names: Vec::new(), value: None, optional: false, repeats: false, negates: false };
    while reader.names.len() < MAX_NAMES {
        if !reader.name() {
            return Vec::new();
        }
        reader.value();
        if !reader.another() {
            break;
        }
    }
    let Reader { rest, names, value, optional, repeats, negates } = reader;
    // Something unreadable follows directly after the name.
    if !rest.is_empty() && !rest.starts_with([' ', '\t']) {
        return Vec::new();
    }
    let beside = rest.trim_start_matches([' ', '\t', ':']).trim_start_matches("- ");
    let takes = value.map(|value| Takes { kind: placeholder::of(value, &format!("{beside} {all}")), optional });
    let about = sections::short(&if beside.is_empty() { first.to_owned() } else { format!("{beside} {first}") });
    let opposite = negates.then(|| {
        let positive = names.last().map_or("", |name| name.as_str());
        let negative = positive.replacen("--", "--no-", 1);
        Flag { names: vec![negative], takes: None, about: format!("the opposite of {positive}"), repeats: false }
    });
    let flag = Flag { names, takes, about, repeats };
    [flag].into_iter().chain(opposite).collect()
}

impl<'a> Reader<'a> {
    fn name(&mut self) -> bool {
        let dashes = self.rest.len() - self.rest.trim_start_matches('-').len();
        if !(1..=2).contains(&dashes) {
            return false;
        }
        let mut after = &self.rest[dashes..];
        if dashes == 2
            && let Some(positive) = after.strip_prefix("[no-]")
        {
            self.negates = true;
            after = positive;
        }
        let good =
            |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.' | '?' | '#' | '@' | '+');
        let end = after.find(|letter| !good(letter)).unwrap_or(after.len());
        let name = &after[..end];
        let many = name.ends_with("...");
        let name = name.trim_end_matches('.');
        if name.is_empty() || name.len() > MAX_NAME || name.starts_with(['-', '.', '_']) {
            return false;
        }
        self.repeats |= many;
        self.names.push(format!("{}{name}", &"--"[..dashes]));
        self.rest = &after[end..];
        true
    }

    fn value(&mut self) {
        let rest = self.rest;
        let (value, after, optional) = if let Some(inside) = rest.strip_prefix("[=").or_else(|| rest.strip_prefix("["))
        {
            let Some((value, after)) = inside.split_once(']') else { return };
            (value, after, true)
        } else if let Some(inside) = rest.strip_prefix('=') {
            let end = word_end(inside);
            (&inside[..end], &inside[end..], inside.starts_with('['))
        } else if rest.starts_with(['<', '{']) {
            let end = word_end(rest);
            (&rest[..end], &rest[end..], false)
        } else if let Some(word) = rest.strip_prefix(' ').filter(|word| !word.starts_with([' ', '-'])) {
            let end = word_end(word);
            let (value, after) = word.split_at(end);
            if !is_value(value, after) {
                return;
            }
            (value, after, value.starts_with('['))
        } else {
            return;
        };
        self.repeats |= value.ends_with("...") && value != "...";
        self.optional |= optional;
        let mut after = after;
        if let Some(rest) = after.strip_prefix("...") {
            self.repeats = true;
            after = rest;
        }
        self.value = Some(value);
        self.rest = after;
    }

    /// Whether another name of the same flag follows.
    fn another(&mut self) -> bool {
        let after = self.rest.trim_start();
        let marked = ["or ", ",", "|", "/"].iter().find_map(|mark| after.strip_prefix(mark)).map(str::trim_start);
        // docopt separates names by a blank only, and some programs align short and long names in columns.
        let blank = self.rest.strip_prefix(' ').filter(|next| !next.starts_with("- "));
        let column =
            Some(after).filter(|after| after.starts_with("--") && self.names.iter().all(|name| name.len() == 2));
        let next = marked.or(blank.filter(|next| next.starts_with('-'))).or(column);
        match next.filter(|next| next.starts_with('-')) {
            Some(next) => {
                self.rest = next;
                true
            }
            None => false,
        }
    }
}

/// Whether the word after a flag is its value, and not the beginning of the description.
fn is_value(word: &str, after: &str) -> bool {
    let bracketed = word.starts_with(['<', '[', '{']) && word.trim_end_matches('.').ends_with(['>', ']', '}']);
    let capitals = word.starts_with(|letter: char| letter.is_ascii_uppercase())
        && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || b"_-|:,.=/".contains(&byte));
    let ends = after.is_empty() || after.starts_with("  ") || after.starts_with('\t') || after.starts_with(", -");
    let lower = word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-|.:/+".contains(&byte));
    bracketed || (capitals && (word.len() > 1 || ends)) || (lower && ends)
}

/// The end of a word; inside brackets it may contain blanks.
fn word_end(text: &str) -> usize {
    let mut depth = 0_usize;
    for (at, letter) in text.char_indices() {
        match letter {
            '<' | '[' | '{' | '(' => depth += 1,
            '>' | ']' | '}' | ')' => {
                if depth == 0 {
                    return at;
                }
                depth -= 1;
            }
            ' ' | '\t' | ',' if depth == 0 => return at,
            _ => {}
        }
    }
    text.len()
}
