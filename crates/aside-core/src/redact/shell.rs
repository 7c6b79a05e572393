//! Secrets in command lines: what a program is given as a password, by its own rules (`data/redact/programs.toml`), on
//! its standard input, or in a command line within quotes.

use std::ops::Range;
use std::sync::LazyLock;

use toml_edit::{Document, Table};

use crate::line::{self, Command, Dialect, Join, Redirect, Word};
use crate::redact::rules::list;
use crate::redact::value;
use crate::redact::{address, name};

const PROGRAMS: &str = include_str!("../../data/redact/programs.toml");

/// Command lines within command lines: `ssh host "bash -c '…'"`.
const MAX_DEPTH: usize = 3;

/// Words of one program that are looked at, and programs in one command: more is no line that somebody typed.
const MAX_WORDS: usize = 256;
const MAX_PROGRAMS: usize = 8;

pub struct Program {
    pub names: Vec<String>,
    sub: Option<String>,
    value: Vec<String>,
    glued: Vec<String>,
    pair: Vec<String>,
    at: Option<char>,
    cookies: Vec<String>,
    place: Option<usize>,
    stdin: Vec<String>,
    /// What is here-strung into it, if one of its words is the name of a secret.
    named: bool,
    last: bool,
    /// Its flags end where the program begins that it runs.
    until: bool,
    /// A short number is a port.
    port: bool,
    #[cfg(test)]
    pub hits: Vec<String>,
    #[cfg(test)]
    pub misses: Vec<String>,
}

pub fn all() -> &'static [Program] {
    static ALL: LazyLock<Vec<Program>> = LazyLock::new(|| {
        let Ok(document) = Document::parse(PROGRAMS) else { return Vec::new() };
        let tables = document.get("program").and_then(|programs| programs.as_array_of_tables());
        tables.into_iter().flatten().map(program).collect()
    });
    &ALL
}

fn program(table: &Table) -> Program {
    let on = |key: &str| table.get(key).and_then(|value| value.as_bool()).unwrap_or(false);
    let pair = table.get("pair").and_then(|pair| pair.as_inline_table());
    let flags = pair.and_then(|pair| pair.get("flags")?.as_array()).into_iter().flatten();
    let at = pair.and_then(|pair| pair.get("at")?.as_str()).or_else(|| table.get("at")?.as_str());
    Program {
        names: list(table, "names"),
        sub: table.get("sub").and_then(|sub| sub.as_str()).map(str::to_owned),
        value: list(table, "value"),
        glued: list(table, "glued"),
        pair: flags.filter_map(|flag| flag.as_str().map(str::to_owned)).collect(),
        at: at.and_then(|at| at.chars().next()),
        cookies: list(table, "cookies"),
        place: table.get("place").and_then(|place| usize::try_from(place.as_integer()?).ok()),
        stdin: list(table, "stdin"),
        named: table.get("here").is_some(),
        last: on("last"),
        until: on("until"),
        port: on("port"),
        #[cfg(test)]
        hits: list(table, "hits"),
        #[cfg(test)]
        misses: list(table, "misses"),
    }
}

/// The secrets in one command line, which is a part of `text`.
pub fn secrets(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    read(text, range, 0, &mut found);
    found
}

fn read(text: &str, range: Range<usize>, depth: usize, found: &mut Vec<Range<usize>>) {
    let Some(source) = text.get(range.clone()) else { return };
    let line = line::parse(source, Dialect::Bash);
    let shift = |span: &Range<usize>| range.start + span.start..range.start + span.end;
    for (number, command) in line.commands.iter().enumerate() {
        let earlier = line.commands.get(..number).unwrap_or_default();
        // Before the pipe, in the same list.
        let piped = earlier.last().filter(|_| command.join == Join::Pipe);
        let mut programs = 0;
        for (at, word) in command.words.iter().enumerate() {
            let own = word.value.rsplit('/').next().unwrap_or_default();
            let words = command.words.get(at..command.words.len().min(at + MAX_WORDS)).unwrap_or_default();
            let known = |program: &&Program| programs < MAX_PROGRAMS && program.names.iter().any(|name| name == own);
            let mut found_program = false;
            for program in all().iter().filter(known) {
                found_program = true;
                program.secrets(source, words, command, piped, &mut |span| found.push(shift(&span)));
            }
            programs += usize::from(found_program);
            if depth < MAX_DEPTH && word.value.contains(' ') {
                let inner = inside(source, &word.span);
                if inner.len() < word.span.len() {
                    read(text, shift(&inner), depth + 1, found);
                }
            }
        }
    }
}

impl Program {
    fn secrets(
        &self,
        source: &str,
        words: &[Word],
        command: &Command,
        piped: Option<&Command>,
        tell: &mut impl FnMut(Range<usize>),
    ) {
        let Some((_, arguments)) = words.split_first() else { return };
        let mut arguments = arguments;
        if let Some(sub) = &self.sub {
            let Some(at) = arguments.iter().position(|word| is_sub(sub, &word.value)) else { return };
            if self.place.is_some() {
                arguments = arguments.get(at + 1..).unwrap_or_default();
            }
        }
        let mut tell = |span: Range<usize>, needed: fn(&str) -> bool| {
            let secret = source.get(span.clone()).unwrap_or_default();
            let port = self.port && secret.len() < 6 && secret.bytes().all(|byte| byte.is_ascii_digit());
            if !span.is_empty() && !port && !value::is_placeholder(secret) && needed(secret) {
                tell(span);
            }
        };
        self.flags(source, arguments, &mut tell);
        let plain = |word: &&Word| !word.value.starts_with('-');
        if let Some(place) = self.place
            && let Some(word) = arguments.iter().filter(plain).nth(place - 1)
            && word.fixed
        {
            tell(inside(source, &word.span), |_| true);
        }
        if self.last
            && let Some(word) = arguments.last().filter(|word| plain(word) && word.fixed)
            && arguments.iter().filter(plain).count() > 1
        {
            tell(inside(source, &word.span), |_| true);
        }
        let listens = |flag: &String| flag.is_empty() || arguments.iter().any(|word| is_sub(flag, &word.value));
        let named = self.named && arguments.iter().any(|word| name::class(&word.value).is_some());
        if self.stdin.iter().any(listens) || named {
            for target in here_strings(command) {
                self.spoken(source, target, &mut tell);
            }
            if let Some(word) = piped.filter(|_| !named).and_then(said) {
                self.spoken(source, word, &mut tell);
            }
        }
    }

    fn flags(&self, source: &str, arguments: &[Word], tell: &mut impl FnMut(Range<usize>, fn(&str) -> bool)) {
        let mut skip = false;
        for (at, word) in arguments.iter().enumerate() {
            if std::mem::take(&mut skip) {
                continue;
            }
            if self.until && !word.value.starts_with('-') {
                return;
            }
            let next = arguments.get(at + 1);
            let raw = source.get(word.span.clone()).unwrap_or_default();
            for flag in self.value.iter().chain(&self.pair).chain(&self.cookies) {
                let bare = !flag.starts_with('-');
                let (span, whole) = if word.value == *flag || bare && word.value.ends_with(&format!(":{flag}")) {
                    let Some(next) = next.filter(|next| !next.value.starts_with('-') || next.value.len() < 2) else {
                        continue;
                    };
                    skip = true;
                    (inside(source, &next.span), next)
                } else if !bare && let Some(start) = rest_of(raw, flag) {
                    (unquoted(source, word.span.start + start..word.span.end), word)
                } else {
                    continue;
                };
                self.flag(source, flag, span, whole, tell);
            }
            for flag in &self.glued {
                if let Some(start) = raw.strip_prefix(flag.as_str()).map(|_| flag.len()) {
                    tell(unquoted(source, word.span.start + start..word.span.end), |secret| secret.len() > 1);
                }
            }
        }
    }

    fn flag(
        &self,
        source: &str,
        flag: &String,
        span: Range<usize>,
        word: &Word,
        tell: &mut impl FnMut(Range<usize>, fn(&str) -> bool),
    ) {
        if self.cookies.contains(flag) {
            address::cookies(source, span).into_iter().for_each(|span| tell(span, |_| true));
        } else if self.pair.contains(flag) {
            if let Some(at) = self.at.and_then(|at| source.get(span.clone())?.find(at)) {
                tell(span.start + at + 1..span.end, |_| true);
            }
        } else if word.fixed || !word.value.starts_with('$') {
            tell(span, |_| true);
        }
    }

    /// What goes to its standard input.
    fn spoken(&self, source: &str, word: &Word, tell: &mut impl FnMut(Range<usize>, fn(&str) -> bool)) {
        let mut span = inside(source, &word.span);
        if let Some(at) = self.at {
            let Some(colon) = source.get(span.clone()).and_then(|text| text.find(at)) else { return };
            span.start += colon + 1;
        }
        let text = source.get(span.clone()).unwrap_or_default();
        let trimmed = text.trim_end_matches("\\n").len();
        tell(span.start..span.start + trimmed, |_| true);
    }
}

/// `-*b` is any group of short flags with a `b` in it.
fn is_sub(sub: &str, word: &str) -> bool {
    match sub.strip_prefix("-*") {
        Some(letter) => word.starts_with('-') && !word.starts_with("--") && word.contains(letter),
        None => word == sub,
    }
}

/// Where the value begins in `--flag=value` and `-fvalue`.
fn rest_of(raw: &str, flag: &str) -> Option<usize> {
    let rest = raw.strip_prefix(flag)?;
    if flag.starts_with("--") || flag.len() > 2 {
        return rest.starts_with('=').then(|| flag.len() + 1);
    }
    // `-password` is a flag of its own, not `-p` and a password.
    let named = raw.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'-') && name::class(raw).is_some();
    (!rest.is_empty() && !named).then(|| flag.len() + usize::from(rest.starts_with('=')))
}

fn here_strings(command: &Command) -> impl Iterator<Item = &Word> {
    command
        .redirections
        .iter()
        .filter(|redirection| redirection.kind == Redirect::HereString)
        .filter_map(|here| here.target.as_ref())
}

/// What `echo` and `printf` say: the last word.
fn said(command: &Command) -> Option<&Word> {
    let name = command.words.iter().position(|word| ["echo", "printf", "print"].contains(&word.value.as_str()))?;
    let last = command.words.last()?;
    (command.words.len() > name + 1).then_some(last)
}

/// A word without the quotes around all of it.
fn inside(source: &str, span: &Range<usize>) -> Range<usize> {
    unquoted(source, span.clone())
}

fn unquoted(source: &str, span: Range<usize>) -> Range<usize> {
    let raw = source.get(span.clone()).unwrap_or_default();
    let dollar = usize::from(raw.starts_with("$'") || raw.starts_with("$\""));
    let quotes = raw.get(dollar..).unwrap_or_default();
    for quote in ['"', '\''] {
        if quotes.len() > 1 && quotes.starts_with(quote) && quotes.ends_with(quote) {
            return span.start + dollar + 1..span.end - 1;
        }
    }
    span
}
