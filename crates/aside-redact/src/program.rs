//! Arguments of programs that are secrets, by each program's own rules: `data/redact/programs`.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

use shell_line::Word;
use toml_edit::{Document, Table};

use crate::placeholder::{is_label, is_placeholder, is_secret_name};
use crate::rules::list;
use crate::secret_strength::{self, SecretClass, SecretStrength};
use crate::{secret_name, url};

const TABLES: &[&str] = &[
    include_str!("../data/redact/programs/cloud.toml"),
    include_str!("../data/redact/programs/databases.toml"),
    include_str!("../data/redact/programs/files.toml"),
    include_str!("../data/redact/programs/network.toml"),
    include_str!("../data/redact/programs/packages.toml"),
    include_str!("../data/redact/programs/system.toml"),
];

#[derive(Default)]
pub struct Program {
    pub names: Vec<String>,
    /// These words must be among its arguments, in this order. `|` separates alternatives.
    sub: Vec<Vec<String>>,
    /// None of these words may be.
    unless: Vec<String>,
    value: Vec<String>,
    glued: Vec<String>,
    pair: Vec<String>,
    at: Option<char>,
    cookies: Vec<String>,
    place: Vec<usize>,
    pub stdin: Vec<String>,
    /// A here-string is a secret if one of its arguments is the name of one.
    pub named_input: bool,
    /// An argument that is the name of a secret is followed by its value.
    named: bool,
    /// Words of the form `user/password@database`.
    login: bool,
    /// Every `name=value` behind `sub`.
    assign: bool,
    last: bool,
    /// Its flags end where the program that it runs begins.
    until: bool,
    /// A short number is a port.
    port: bool,
    /// The value must look like a secret, because the flag has other uses too.
    chosen: bool,
    /// The same, and joined words are not a secret.
    token: bool,
    #[cfg(test)]
    pub hits: Vec<String>,
    #[cfg(test)]
    pub misses: Vec<String>,
}

pub struct Programs {
    pub all: Vec<Program>,
    by_name: HashMap<String, Vec<usize>>,
}

pub fn programs() -> &'static Programs {
    static ALL: LazyLock<Programs> = LazyLock::new(|| {
        let all: Vec<Program> = TABLES.iter().flat_map(|text| read(text)).collect();
        let mut by_name: HashMap<String, Vec<usize>> = HashMap::new();
        for (number, program) in all.iter().enumerate() {
            program.names.iter().for_each(|name| by_name.entry(name.clone()).or_default().push(number));
        }
        Programs { all, by_name }
    });
    &ALL
}

impl Programs {
    /// The entries of the program that a word names, perhaps by path: `/usr/bin/mysql`, `C:\tools\plink.exe`.
    pub fn of(&self, word: &str) -> impl Iterator<Item = &Program> {
        let own = word.rsplit(['/', '\\']).next().unwrap_or_default();
        let stem = own.rsplit_once('.').filter(|(_, end)| SUFFIXES.contains(&end.to_ascii_lowercase().as_str()));
        let own = stem.map_or(own, |(stem, _)| stem);
        // Windows ignores case.
        let windows = stem.is_some() || word.contains('\\');
        let low = own.to_ascii_lowercase();
        let numbers = self.by_name.get(own).or_else(|| self.by_name.get(low.as_str()).filter(|_| windows));
        numbers.into_iter().flatten().filter_map(|number| self.all.get(*number))
    }
}

/// Suffixes of a program's file name.
pub const SUFFIXES: &[&str] = &["exe", "py", "sh", "cmd", "bat", "pl", "x86_64", "vbs", "ps1"];

fn read(text: &str) -> Vec<Program> {
    let Ok(document) = Document::parse(text) else { return Vec::new() };
    let tables = document.get("program").and_then(|programs| programs.as_array_of_tables());
    tables.into_iter().flatten().map(program).collect()
}

fn program(table: &Table) -> Program {
    let on = |key: &str| table.get(key).and_then(|value| value.as_bool()).unwrap_or(false);
    let pair = table.get("pair").and_then(|pair| pair.as_inline_table());
    let flags = pair.and_then(|pair| pair.get("flags")?.as_array()).into_iter().flatten();
    let at = pair.and_then(|pair| pair.get("at")?.as_str()).or_else(|| table.get("at")?.as_str());
    let place = table.get("place");
    let places = place.and_then(|place| place.as_array()).into_iter().flatten().filter_map(|place| place.as_integer());
    let places = places.chain(place.and_then(|place| place.as_integer()));
    let alternatives = |word: &str| word.split('|').map(str::to_owned).collect();
    Program {
        names: list(table, "names"),
        sub: table
            .get("sub")
            .and_then(|sub| sub.as_str())
            .into_iter()
            .flat_map(str::split_whitespace)
            .map(alternatives)
            .collect(),
        unless: list(table, "unless"),
        value: list(table, "value"),
        glued: list(table, "glued"),
        pair: flags.filter_map(|flag| flag.as_str().map(str::to_owned)).collect(),
        at: at.and_then(|at| at.chars().next()),
        cookies: list(table, "cookies"),
        place: places.filter_map(|place| usize::try_from(place).ok()).collect(),
        stdin: list(table, "stdin"),
        named_input: table.get("here").is_some(),
        named: on("named"),
        login: on("login"),
        assign: on("assign"),
        last: on("last"),
        until: on("until"),
        port: on("port"),
        chosen: on("chosen"),
        token: on("token"),
        #[cfg(test)]
        hits: list(table, "hits"),
        #[cfg(test)]
        misses: list(table, "misses"),
    }
}

/// Receives a part of the source that may be a secret.
type Tell<'t> = &'t mut dyn FnMut(Range<usize>);

impl Program {
    /// Reads the arguments. Returns false if this form of the program takes no secret.
    pub fn arguments(&self, source: &str, arguments: &[Word], tell: Tell<'_>) -> bool {
        let Some(behind) = self.behind_sub(arguments) else { return false };
        let placed = if self.place.is_empty() && !self.assign && !self.last { arguments } else { behind };
        if arguments.iter().any(|word| self.unless.iter().any(|unless| is_sub(unless, &word.value))) {
            return false;
        }
        self.flags(source, arguments, tell);
        let plain: Vec<&Word> = placed.iter().filter(|word| !is_flag(&word.value)).collect();
        for place in &self.place {
            if let Some(word) = place.checked_sub(1).and_then(|place| plain.get(place)) {
                self.word(source, word, tell);
            }
        }
        if self.last
            && plain.len() > 1
            && let Some(word) = plain.last()
        {
            self.word(source, word, tell);
        }
        if self.login {
            plain.iter().for_each(|word| self.login(source, word, tell));
        }
        if self.assign {
            placed.iter().for_each(|word| self.assigned(source, word, tell));
        }
        if self.named {
            self.named(source, arguments, tell);
        }
        true
    }

    /// The arguments behind the required words.
    fn behind_sub<'w>(&self, arguments: &'w [Word]) -> Option<&'w [Word]> {
        let mut behind = arguments;
        for alternatives in &self.sub {
            let at = behind.iter().position(|word| alternatives.iter().any(|sub| is_sub(sub, &word.value)))?;
            behind = behind.get(at + 1..).unwrap_or_default();
        }
        Some(behind)
    }

    /// Whether its standard input is a secret.
    pub fn listens(&self, arguments: &[Word]) -> bool {
        let flag = |flag: &String| flag.is_empty() || arguments.iter().any(|word| is_sub(flag, &word.value));
        let excluded = arguments.iter().any(|word| self.unless.iter().any(|unless| is_sub(unless, &word.value)));
        !excluded && self.behind_sub(arguments).is_some() && self.stdin.iter().any(flag)
    }

    /// An argument that is a secret by its position.
    fn word(&self, source: &str, word: &Word, tell: Tell<'_>) {
        // `vault login role=backend`: an argument with a name of its own.
        let named = |(name, value): (&str, &str)| {
            let plain = name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
            !name.is_empty()
                && plain
                && !value.is_empty()
                && !value.starts_with('=')
                && secret_name::class(name).is_none()
        };
        if self.token && word.value.split_once('=').is_some_and(named) {
            return;
        }
        if word.fixed || is_quoted(source, &word.span) || !word.value.contains(['$', '`', '~']) {
            self.tell(source, inside(source, &word.span), tell);
        }
    }

    fn tell(&self, source: &str, span: Range<usize>, tell: Tell<'_>) {
        let span = to_word_end(source, span);
        let secret = source.get(span.clone()).unwrap_or_default();
        let digits = secret.bytes().all(|byte| byte.is_ascii_digit());
        let port = self.port && secret.len() < 6 && digits;
        let strength = secret_strength::secret_strength(secret);
        // Several quoted words are a passphrase.
        let phrase = secret.contains(' ') && secret_strength::is_passphrase(secret);
        let weak = self.chosen && strength < Some(SecretStrength::Soft) && !phrase
            || self.token && strength < Some(SecretStrength::Chosen) && !secret_strength::is_token(secret);
        if !span.is_empty()
            && !port
            && !weak
            && !is_placeholder(secret)
            && !secret_strength::is_file(secret)
            && !is_label(secret)
            && secret != "*"
            && secret != "-"
        {
            tell(span);
        }
    }

    /// `user/password@database`, `CONNECT user/password`
    fn login(&self, source: &str, word: &Word, tell: Tell<'_>) {
        let span = inside(source, &word.span);
        let text = source.get(span.clone()).unwrap_or_default();
        // `userid=user/password`
        let keyword = text.get(..7).filter(|start| start.eq_ignore_ascii_case("userid=")).map_or(0, str::len);
        let span = span.start + keyword..span.end;
        let text = text.get(keyword..).unwrap_or_default();
        let Some((user, rest)) = text.split_once('/') else { return };
        let named = user.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_$#.\\\"".contains(&byte))
            && user.bytes().any(|byte| byte.is_ascii_alphabetic())
            && !user.starts_with(['.', '$']);
        let start = span.start + user.len() + 1;
        // `user/"pass@word"@database`
        let quoted = rest.strip_prefix('"').and_then(|inner| inner.find('"')).map(|close| start + close + 2);
        let end = quoted.unwrap_or_else(|| rest.rfind('@').map_or(span.end, |at| start + at));
        let password = source.get(start..end).unwrap_or_default();
        let quotes = password.len() - password.trim_start_matches(['\\', '"', '\'']).len();
        let inner = password.trim_matches(['\\', '"', '\'']);
        if named
            && !inner.is_empty()
            && (rest.contains('@') || quotes > 0 || !inner.contains(['/', '.', '=']))
            && !inner.starts_with('$')
        {
            self.tell(source, start + quotes..start + quotes + inner.len(), tell);
        }
    }

    /// `name=value` with any name.
    fn assigned(&self, source: &str, word: &Word, tell: Tell<'_>) {
        let raw = source.get(word.span.clone()).unwrap_or_default();
        let quoted = is_quoted(source, &word.span);
        let span = inside(source, &word.span);
        let text = source.get(span.clone()).unwrap_or_default();
        let Some((name, value)) = text.split_once('=') else { return };
        let user = ["user", "username", "login", "email", "host", "port", "name", "title", "url"]
            .contains(&name.rsplit('=').next().unwrap_or(name));
        if user
            || value.is_empty()
            || value.starts_with('@')
            || raw.starts_with("--") && !raw.starts_with("--from-literal")
        {
            return;
        }
        // `--from-literal=name=value`
        let named = secret_name::class(name.rsplit('.').next().unwrap_or(name)).is_some();
        let literal = value.split_once('=').filter(|_| name == "--from-literal");
        if literal.is_some_and(|(name, _)| ["user", "username", "host", "port"].contains(&name)) {
            return;
        }
        let skipped = literal.map_or(0, |(name, _)| name.len() + 1);
        let start = span.start + name.len() + 1 + skipped;
        let span = if quoted { start..span.end } else { unquoted(source, start..span.end) };
        let strength = source.get(span.clone()).and_then(secret_strength::secret_strength);
        if named || literal.is_some() || strength >= Some(SecretStrength::Soft) {
            self.tell(source, span, tell);
        }
    }

    /// `NAME value`
    fn named(&self, source: &str, arguments: &[Word], tell: Tell<'_>) {
        for (word, next) in arguments.iter().zip(arguments.iter().skip(1)) {
            let last = word.value.rsplit(':').next().unwrap_or_default();
            if !word.value.starts_with('-')
                && matches!(
                    secret_name::class(last),
                    Some(SecretClass::Password | SecretClass::Secret | SecretClass::Token)
                )
                && !next.value.starts_with('-')
                && !is_secret_name(&next.value)
            {
                self.word(source, next, tell);
            }
        }
    }

    fn flags(&self, source: &str, arguments: &[Word], tell: Tell<'_>) {
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
                let bare = !flag.starts_with(['-', '/', '+']);
                let (span, whole) = if word.value == *flag || bare && word.value.ends_with(&format!(":{flag}")) {
                    let Some(next) = next.filter(|next| !next.value.starts_with('-') || next.value.len() < 2) else {
                        continue;
                    };
                    skip = true;
                    (inside(source, &next.span), next)
                } else if !bare
                    && !self.has_longer(raw, flag)
                    && let Some(start) = rest_of(raw, flag)
                {
                    (unquoted(source, word.span.start + start..word.span.end), word)
                } else if bare
                    && let Some(start) =
                        raw.strip_prefix(flag.as_str()).filter(|rest| rest.starts_with('=')).map(|_| flag.len() + 1)
                {
                    (unquoted(source, word.span.start + start..word.span.end), word)
                } else {
                    continue;
                };
                self.flag(source, flag, span, whole, tell);
            }
            for flag in &self.glued {
                let unquoted_start = raw.trim_start_matches(['"', '\'']);
                let quotes = raw.len() - unquoted_start.len();
                if let Some(rest) = unquoted_start.strip_prefix(flag.as_str()).filter(|rest| rest.len() > 1) {
                    let start = word.span.end - rest.len();
                    let end = word.span.end - if quotes > 0 { quotes } else { 0 };
                    self.tell(source, unquoted(source, start..end), tell);
                }
            }
        }
    }

    /// `-pw=x` is `-pw`, not `-p` and `w=x`.
    fn has_longer(&self, raw: &str, flag: &str) -> bool {
        let mut flags = self.value.iter().chain(&self.pair).chain(&self.cookies).chain(&self.glued);
        flags.any(|other| other.len() > flag.len() && raw.starts_with(other.as_str()))
    }

    fn flag(&self, source: &str, flag: &String, span: Range<usize>, word: &Word, tell: Tell<'_>) {
        if self.cookies.contains(flag) {
            url::cookies(source, span).into_iter().for_each(|span| self.tell(source, span, tell));
        } else if self.pair.contains(flag) {
            let text = source.get(span.clone()).unwrap_or_default();
            if let Some(at) = self.at.and_then(|at| text.find(at)) {
                // `curl -u key:`: the user is the key, and the password is empty.
                let user = text.get(..at).unwrap_or_default();
                if at + 1 == text.len()
                    && user.len() >= 16
                    && secret_strength::is_token(user)
                    && !user.contains(['@', '.', '$'])
                {
                    self.tell(source, span.start..span.start + at, tell);
                }
                self.tell(source, unquoted(source, span.start + at + 1..span.end), tell);
            }
        } else if word.fixed || !word.value.starts_with('$') {
            self.tell(source, span, tell);
        }
    }

    /// The program's standard input.
    pub fn input(&self, source: &str, span: Range<usize>, tell: Tell<'_>) {
        let mut span = span;
        if let Some(at) = self.at {
            let Some(colon) = source.get(span.clone()).and_then(|text| text.find(at)) else { return };
            span.start += colon + 1;
        }
        let text = source.get(span.clone()).unwrap_or_default();
        let trimmed = text.trim_end_matches("\\n").len();
        self.tell(source, span.start..span.start + trimmed, tell);
    }
}

/// `-*b` matches any cluster of short flags with a `b`.
fn is_sub(sub: &str, word: &str) -> bool {
    match sub.strip_prefix("-*") {
        Some(letter) => word.starts_with('-') && !word.starts_with("--") && word.contains(letter),
        None => word == sub || sub.ends_with('=') && word.starts_with(sub),
    }
}

/// `-x`, `+quit`, `/domain`, `/user:bob`; but not a path.
fn is_flag(word: &str) -> bool {
    let slash = |rest: &str| {
        let name = rest.split(':').next().unwrap_or_default();
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'?')
    };
    word.starts_with(['-', '+']) || word.strip_prefix('/').is_some_and(slash)
}

/// Offset of the value in `--flag=value`, `/flag:value` and `-fvalue`.
fn rest_of(raw: &str, flag: &str) -> Option<usize> {
    let rest = raw.strip_prefix(flag)?;
    if flag.starts_with(['/', '+']) {
        return rest.starts_with([':', '=']).then(|| flag.len() + 1);
    }
    if flag.starts_with("--") || flag.len() > 2 {
        return rest.starts_with('=').then(|| flag.len() + 1);
    }
    if rest.starts_with('=') {
        return Some(flag.len() + 1).filter(|start| raw.len() > *start);
    }
    // `-password`, `-port` and `-pkcs12` are flags of their own, not `-p` and a password.
    let long = raw.bytes().all(|byte| byte.is_ascii_lowercase() || b"-_".contains(&byte));
    let named = secret_name::class(raw).is_some() && raw.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'-');
    let ordinary =
        secret_strength::is_ordinary(raw.trim_start_matches('-')) || raw.contains('=') && !raw.contains(['"', '\'']);
    (!rest.is_empty() && !long && !named && !ordinary).then_some(flag.len())
}

fn is_quoted(source: &str, span: &Range<usize>) -> bool {
    inside(source, span).len() < span.len()
}

/// `a&b` is one word in cmd.exe, and to the user who typed it.
fn to_word_end(source: &str, span: Range<usize>) -> Range<usize> {
    let rest = source.get(span.end..).unwrap_or_default();
    if rest.starts_with('&')
        && rest.get(1..).is_some_and(|rest| rest.starts_with(|next: char| next.is_ascii_alphanumeric()))
        && !span.is_empty()
    {
        let end = rest.find(|letter: char| letter.is_whitespace() || "\"';|<>".contains(letter)).unwrap_or(rest.len());
        return span.start..span.end + end;
    }
    span
}

/// A word without the quotes around the whole of it.
pub fn inside(source: &str, span: &Range<usize>) -> Range<usize> {
    unquoted(source, span.clone())
}

fn unquoted(source: &str, span: Range<usize>) -> Range<usize> {
    let raw = source.get(span.clone()).unwrap_or_default();
    let dollar = usize::from(raw.starts_with("$'") || raw.starts_with("$\""));
    let quotes = raw.get(dollar..).unwrap_or_default();
    for quote in ["\\\"", "\"", "'"] {
        if quotes.len() > 2 * quote.len() - 1 && quotes.starts_with(quote) && quotes.ends_with(quote) {
            return span.start + dollar + quote.len()..span.end - quote.len();
        }
    }
    span
}
