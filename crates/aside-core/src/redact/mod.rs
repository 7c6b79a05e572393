//! Secrets out, before anything leaves. Judges text only: who may be told is not decided here.
//!
//! One pass over the text looks for some hundred words; only where one of them stands is anything else tried, within a
//! bounded distance. So the time is linear in the text, and a text without such words costs next to nothing.

mod address;
mod name;
mod named;
mod pem;
mod random;
mod rules;
mod shell;
mod value;

#[cfg(test)]
mod corpus;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use crate::redact::rules::Rule;

/// A secret in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Secret {
    /// Its bytes, without what stands around it: the name of a variable stays readable.
    pub span: Range<usize>,
    /// What it is, in a word or two: `github token`, `password`.
    pub kind: &'static str,
}

/// What is put in the place of a secret.
pub const REDACTED: &str = "[redacted]";

/// Parts of the names of secrets.
const NAMES: &[&str] =
    &["pass", "pwd", "pw", "secret", "token", "key", "psk", "credential", "auth", "kennwort", "bearer", "contrasena"];

/// Taking a secret out can, rarely, show another: what is left is looked at again, at most so often.
const MAX_PASSES: usize = 6;

/// Bytes of one command line.
const MAX_LINE: usize = 8 * 1024;

/// In the order of the text, none within another.
pub fn secrets(text: &str) -> Vec<Secret> {
    let mut found = Vec::new();
    let mut done = Done::default();
    let words = &*WORDS;
    let Some(finder) = &words.finder else { return Vec::new() };
    for hit in finder.find_overlapping_iter(text) {
        let Some(meanings) = words.meanings.get(hit.pattern().as_usize()) else { continue };
        for meaning in meanings {
            found.extend(meaning.secrets(text, hit.start()..hit.end(), &mut done));
        }
    }
    found.extend(random::strings(text).into_iter().map(|span| Secret { span, kind: "random string" }));
    joined(found)
}

/// The text without its secrets. What it gives, it leaves as it is.
pub fn redact(text: &str) -> Cow<'_, str> {
    let mut clean = Cow::Borrowed(text);
    for _ in 0..MAX_PASSES {
        let secrets = secrets(&clean);
        if secrets.is_empty() {
            break;
        }
        clean = Cow::Owned(without(&clean, &secrets));
    }
    clean
}

fn without(text: &str, secrets: &[Secret]) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut from = 0;
    for secret in secrets {
        clean.push_str(text.get(from..secret.span.start).unwrap_or_default());
        clean.push_str(REDACTED);
        from = secret.span.end;
    }
    clean.push_str(text.get(from..).unwrap_or_default());
    clean
}

/// What overlaps becomes one: no rest of a secret may stay.
fn joined(mut found: Vec<Secret>) -> Vec<Secret> {
    // Of two that begin together, the one whose kind says more was found by its shape: it is first.
    found.sort_by_key(|secret| (secret.span.start, usize::MAX - secret.span.end));
    let mut joined: Vec<Secret> = Vec::with_capacity(found.len());
    for secret in found {
        match joined.last_mut() {
            Some(last) if secret.span.start < last.span.end => {
                last.span.end = last.span.end.max(secret.span.end);
                if is_general(last.kind) {
                    last.kind = secret.kind;
                }
            }
            _ => joined.push(secret),
        }
    }
    joined
}

fn is_general(kind: &str) -> bool {
    ["password", "secret", "token", "key", "random string", "authorization"].contains(&kind)
}

struct Words {
    finder: Option<AhoCorasick>,
    /// Of each word.
    meanings: Vec<Vec<Meaning>>,
}

/// What a word in the text may be the beginning of.
#[derive(Clone, Copy)]
enum Meaning {
    Name,
    Address,
    Pem,
    Cookie,
    Program,
    /// By its number.
    Rule(usize, &'static Rule),
}

/// What need not be looked at again: words overlap, and several stand in one name or line.
#[derive(Default)]
struct Done {
    name: usize,
    value: usize,
    line: Range<usize>,
    /// Of that line.
    quotes: Vec<Range<usize>>,
    pem: usize,
    cookie: usize,
    /// Where the last secret of each rule ends.
    rules: Vec<usize>,
}

static WORDS: LazyLock<Words> = LazyLock::new(|| {
    let mut words: BTreeMap<String, Vec<Meaning>> = BTreeMap::new();
    let mut add = |word: &str, meaning| words.entry(word.to_ascii_lowercase()).or_default().push(meaning);
    NAMES.iter().for_each(|name| add(name, Meaning::Name));
    add("://", Meaning::Address);
    add("-----begin ", Meaning::Pem);
    add("cookie", Meaning::Cookie);
    let mut programs: Vec<&str> = shell::all().iter().flat_map(|program| &program.names).map(String::as_str).collect();
    programs.sort_unstable();
    programs.dedup();
    programs.into_iter().for_each(|name| add(name, Meaning::Program));
    for (number, rule) in rules::all().iter().enumerate() {
        rule.keywords.iter().for_each(|word| add(word, Meaning::Rule(number, rule)));
    }
    let finder =
        AhoCorasick::builder().ascii_case_insensitive(true).match_kind(MatchKind::Standard).build(words.keys());
    Words { finder: finder.ok(), meanings: words.into_values().collect() }
});

impl Meaning {
    fn secrets(self, text: &str, word: Range<usize>, done: &mut Done) -> Vec<Secret> {
        let of = |kind: &'static str| move |span: Range<usize>| Secret { span, kind };
        match self {
            Meaning::Name if word.end <= done.name || word.start < done.value => Vec::new(),
            Meaning::Name => {
                let name = named::around(text, word);
                // Words overlap within a name, and one within a secret goes with it.
                done.name = name.end;
                let secret = named::value(text, name).map(|(span, class)| Secret { span, kind: class.kind() });
                done.value = secret.as_ref().map_or(done.value, |secret| secret.span.end);
                secret.into_iter().collect()
            }
            Meaning::Address => address::password(text, word.start).map(of("password")).into_iter().collect(),
            Meaning::Pem if word.start < done.pem => Vec::new(),
            Meaning::Pem => {
                let key = pem::key(text, word.start);
                done.pem = key.as_ref().map_or(done.pem, |key| key.end);
                key.map(of("private key")).into_iter().collect()
            }
            Meaning::Cookie if word.start < done.cookie => Vec::new(),
            Meaning::Cookie => {
                let header = address::cookie_header(text, word.end);
                done.cookie = header.end;
                address::cookies(text, header).into_iter().map(of("cookie")).collect()
            }
            Meaning::Program if !is_word(text, &word) => Vec::new(),
            Meaning::Program => {
                let mut found = Vec::new();
                if word.start >= done.line.end {
                    done.line = command_line(text, word.start);
                    done.quotes = quotes(text, done.line.clone());
                    found.extend(shell::secrets(text, done.line.clone()));
                }
                // In a line that is none of a shell, such as JSON, a command line may stand in quotes.
                let quotes = done.quotes.partition_point(|quotes| quotes.end <= word.start);
                if let Some(quotes) = done.quotes.get_mut(quotes).filter(|quotes| quotes.start <= word.start) {
                    found.extend(shell::secrets(text, word.start..quotes.end));
                    // Once.
                    quotes.start = quotes.end;
                }
                found.into_iter().map(of("password")).collect()
            }
            Meaning::Rule(number, rule) => {
                done.rules.resize(rules::all().len(), 0);
                let Some(end) = done.rules.get_mut(number).filter(|end| **end <= word.start) else { return Vec::new() };
                let found = rule.find(text, word.start);
                *end = found.as_ref().map_or(*end, |found| found.end);
                found.map(of(&rule.kind)).into_iter().collect()
            }
        }
    }
}

impl value::Class {
    fn kind(self) -> &'static str {
        match self {
            value::Class::Password => "password",
            value::Class::Secret => "secret",
            value::Class::Token => "token",
            value::Class::Random => "key",
        }
    }
}

/// The name of a program is a word of its own, maybe behind a directory.
fn is_word(text: &str, word: &Range<usize>) -> bool {
    let bytes = text.as_bytes();
    let of_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.".contains(byte);
    let before = word.start.checked_sub(1).and_then(|before| bytes.get(before));
    !before.is_some_and(of_name) && bytes.get(word.end).is_some_and(u8::is_ascii_whitespace)
}

/// The line around `at`, and those that a backslash joins to it.
fn command_line(text: &str, at: usize) -> Range<usize> {
    let bytes = text.as_bytes();
    let first = text.ceil_char_boundary(at.saturating_sub(MAX_LINE / 4));
    let last = text.floor_char_boundary(at.saturating_add(MAX_LINE));
    let joined = |end: usize| end.checked_sub(1).and_then(|before| bytes.get(before)) == Some(&b'\\');
    let mut start = at;
    while start > first && (bytes.get(start - 1) != Some(&b'\n') || joined(start - 1)) {
        start -= 1;
    }
    let mut end = at;
    while end < last && (bytes.get(end) != Some(&b'\n') || joined(end)) {
        end += 1;
    }
    text.ceil_char_boundary(start)..text.floor_char_boundary(end)
}

/// What stands between double quotes. (An apostrophe opens nothing in a sentence.)
fn quotes(text: &str, line: Range<usize>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let (mut escaped, mut open) = (false, None);
    for (place, byte) in text.get(line.clone()).unwrap_or_default().bytes().enumerate() {
        let place = line.start + place;
        match (byte, open) {
            _ if std::mem::take(&mut escaped) => {}
            (b'\\', _) => escaped = true,
            (b'"', Some(start)) => {
                found.push(start..place);
                open = None;
            }
            (b'"', None) => open = Some(place + 1),
            _ => {}
        }
    }
    found
}
