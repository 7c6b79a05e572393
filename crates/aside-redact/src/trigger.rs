//! What each trigger word may be the beginning of, and who reads on from there. A scanner sees a window of the text,
//! never all of it (`view`).

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use aside_text::rebuilt::Rebuilt;

use crate::rules::{self, Rule};
use crate::secret_strength::{self, SecretClass};
use crate::view::{Window, Windows};
use crate::{
    Secret, argv, function_call, key_value, kubernetes, nested, password_notes, pem, program, recovery_codes, scan,
    secret_name, shell, table, url, vocabulary,
};

/// Bytes of a text for which the faster automaton is made, which takes longer than searching less.
const LONG: usize = 256 * 1024;

/// Parts of the names of secrets. Those of other languages are in `data/redact/words.toml`.
const NAMES: &[&str] = &[
    "pass",
    "pwd",
    "pw",
    "secret",
    "token",
    "key",
    "psk",
    "credential",
    "creds",
    "auth",
    "bearer",
    "mdp",
    "psw",
    "clave",
    "signing",
    "hmac",
    "pepper",
    "seed",
    "salt",
    "sessid",
    "sessionid",
    "mnemonic",
    "access",
    "connect.sid",
    "erlang",
    "refresh",
    "_session",
    "-session",
    "pin",
    "puk",
    "_pat",
    "_ticket",
    "ww",
    "kenncode",
    "zugangscode",
    "license",
    "licence",
    "lizenz",
    "hash_iv",
    "hashiv",
    "aes_iv",
];

/// Bytes before a `key` that are searched for its parent.
const MAX_PARENT: usize = 80;

/// Letters of a name without a separator.
const MAX_WORD: usize = 48;

/// Bytes on either side of a word in a wide window, and what is left between a secret and the end of a window that
/// seems to have cut a list.
const REACH: usize = 16 * 1024;
const CUT: usize = 256;

/// Bytes of one command line.
const MAX_LINE: usize = 8 * 1024;

pub struct Triggers {
    pub ascii: Words,
    /// Words with letters outside ASCII, in a separate automaton: one for both would be several times as large.
    pub other: Words,
}

/// Words, and the trigger of each.
pub struct Words {
    finder: Option<AhoCorasick>,
    /// Finds the same, faster, in many times the memory: for long text. Words with letters outside ASCII would take too much.
    fast: Option<Rebuilt<AhoCorasick>>,
    pub words: Vec<Box<str>>,
    pub triggers: Vec<Vec<Trigger>>,
}

impl Words {
    fn of(words: BTreeMap<String, Vec<Trigger>>) -> Self {
        let (words, triggers): (Vec<_>, _) = words.into_iter().map(|(word, of)| (word.into_boxed_str(), of)).unzip();
        let fast = words.iter().all(|word| word.is_ascii()).then(Rebuilt::default);
        Self { finder: finder(&words, AhoCorasickKind::ContiguousNFA), fast, words, triggers }
    }

    /// `low` is the text in lower case.
    pub fn secrets(&self, text: &str, low: &str, found: &mut Vec<Secret>) {
        let fast = self.fast.as_ref().filter(|_| low.len() >= LONG);
        let fast = fast.and_then(|fast| fast.get_or_try_make(|| finder(&self.words, AhoCorasickKind::DFA)));
        let Some(finder) = fast.as_deref().or(self.finder.as_ref()) else { return };
        let hits: Vec<_> = finder.find_overlapping_iter(low).collect();
        let mut windows = Windows::of(text, hits.iter().map(|hit| hit.range()));
        let mut done = Done::default();
        for hit in hits {
            for trigger in self.triggers.get(hit.pattern().as_usize()).into_iter().flatten() {
                trigger.secrets(text, &hit.range(), &mut windows, &mut done, found);
            }
        }
    }
}

/// What a trigger word may be the beginning of.
#[derive(Clone, Copy)]
pub enum Trigger {
    Name,
    /// A name of several words, whose class is known.
    Phrase(SecretClass),
    Codes,
    Seeds,
    /// A map of users and passwords.
    Logins,
    /// The header of a section of secrets.
    Section,
    /// The heading of a note.
    Heading,
    /// The header of a column of secrets, beside one of users.
    Column,
    /// The slash between a user and a password.
    Slash,
    /// A command that prints a secret.
    Printing,
    Address,
    Begin,
    End,
    Putty,
    KeyBody,
    Kubernetes,
    Cookie,
    Call,
    /// The `@` between a password and its host.
    At,
    Program,
    /// A rule, by its index.
    Rule(usize, &'static Rule),
}

/// Ranges that need not be scanned again: trigger words overlap, and several may be in one name or line.
#[derive(Default)]
struct Done {
    name: usize,
    value: usize,
    /// The rows below the last table header.
    table: Range<usize>,
    list: usize,
    line: Range<usize>,
    /// The quoted parts of that line.
    quotes: Vec<Range<usize>>,
    pem: usize,
    cookie: usize,
    /// The end of each rule's last secret.
    rules: Vec<usize>,
}

pub static TRIGGERS: LazyLock<Triggers> = LazyLock::new(|| {
    let mut words: BTreeMap<String, Vec<Trigger>> = BTreeMap::new();
    let mut add = |word: &str, trigger: Trigger| {
        for word in spellings(word) {
            words.entry(word).or_default().push(trigger);
        }
    };
    let vocabulary = vocabulary::words();
    let roots = [&vocabulary.password_roots, &vocabulary.secret_roots, &vocabulary.key_roots];
    let roots = roots.into_iter().flatten().map(String::as_str);
    NAMES.iter().copied().chain(roots).for_each(|name| add(name, Trigger::Name));
    vocabulary.password_phrases.iter().for_each(|phrase| add(phrase, Trigger::Phrase(SecretClass::Password)));
    vocabulary.token_phrases.iter().for_each(|phrase| add(phrase, Trigger::Phrase(SecretClass::Token)));
    vocabulary.code_lists.iter().for_each(|phrase| add(phrase, Trigger::Codes));
    vocabulary.seed_lists.iter().for_each(|phrase| add(phrase, Trigger::Seeds));
    vocabulary.printing.iter().for_each(|command| add(command, Trigger::Printing));
    vocabulary.access_columns.iter().for_each(|title| add(title, Trigger::Column));
    recovery_codes::LOGINS.iter().for_each(|users| add(users, Trigger::Logins));
    recovery_codes::SECTIONS.iter().for_each(|head| add(head, Trigger::Section));
    password_notes::HEADINGS.iter().for_each(|heading| add(heading, Trigger::Heading));
    add("://", Trigger::Address);
    add("-----begin ", Trigger::Begin);
    add("-----end ", Trigger::End);
    add("private-lines:", Trigger::Putty);
    pem::BODIES.iter().for_each(|start| add(start, Trigger::KeyBody));
    ["kind: secret", "\"kind\":\"secret\"", "\"kind\": \"secret\""]
        .iter()
        .for_each(|kind| add(kind, Trigger::Kubernetes));
    add("cookie", Trigger::Cookie);
    add("@", Trigger::At);
    add(" / ", Trigger::Slash);
    function_call::CALLS.iter().for_each(|call| add(call, Trigger::Call));
    let mut programs: Vec<&str> =
        program::programs().all.iter().flat_map(|program| &program.names).map(String::as_str).collect();
    programs.sort_unstable();
    programs.dedup();
    programs.into_iter().for_each(|name| add(name, Trigger::Program));
    for (number, rule) in rules::all().iter().enumerate() {
        rule.keywords.iter().for_each(|word| add(word, Trigger::Rule(number, rule)));
    }
    let (ascii, other) = words.into_iter().partition(|(word, _)| word.is_ascii());
    Triggers { ascii: Words::of(ascii), other: Words::of(other) }
});

fn finder(words: &[Box<str>], kind: AhoCorasickKind) -> Option<AhoCorasick> {
    let words = words.iter().map(|word| word.as_bytes());
    AhoCorasick::builder().match_kind(MatchKind::Standard).kind(Some(kind)).build(words).ok()
}

/// The automaton folds only ASCII case: for other letters it gets both spellings.
fn spellings(word: &str) -> Vec<String> {
    let low = word.to_lowercase();
    let mut spellings = vec![low.to_ascii_lowercase()];
    if !low.is_ascii() {
        let mut letters = low.chars();
        let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
        spellings.extend([
            first.to_ascii_lowercase() + letters.as_str(),
            low.to_uppercase().to_ascii_lowercase(),
            word.to_ascii_lowercase(),
        ]);
        spellings.sort_unstable();
        spellings.dedup();
    }
    spellings
}

impl Trigger {
    fn secrets(self, text: &str, word: &Range<usize>, windows: &mut Windows, done: &mut Done, found: &mut Vec<Secret>) {
        if self.is_done(word, done) {
            return;
        }
        let first = found.len();
        let lists = self.reach().and_then(|reach| windows.wide(word, reach));
        let window = lists.unwrap_or_else(|| windows.near(word));
        self.read(window, word, done, found);
        if matches!(self, Trigger::Program) && is_word(window.text, &window.inside(word)) {
            command_lines(text, word, done, found);
        }
        let is_cut = |end: usize, secret: &Secret| {
            end < text.len() && secret.span.end + CUT > end || window.base > 0 && secret.span.start < window.base + CUT
        };
        let mut end = window.end();
        if lists.is_none()
            && found.iter().skip(first).any(|secret| is_cut(end, secret))
            && let Some(wide) = windows.wide(word, REACH)
        {
            found.truncate(first);
            self.read(wide, word, done, found);
            end = wide.end();
        }
        if end < text.len() {
            let cut = found.iter_mut().skip(first).filter(|secret| secret.span.end == end);
            cut.for_each(|secret| secret.span.end = windows.continued(end));
        }
    }

    /// Bytes that a list or a block may have, for what is wanted rarely and reads one.
    fn reach(self) -> Option<usize> {
        match self {
            Trigger::Begin | Trigger::End | Trigger::Putty | Trigger::KeyBody => Some(pem::MAX_KEY),
            Trigger::Codes
            | Trigger::Seeds
            | Trigger::Logins
            | Trigger::Section
            | Trigger::Heading
            | Trigger::Column
            | Trigger::Kubernetes => Some(REACH),
            Trigger::Name
            | Trigger::Phrase(_)
            | Trigger::Slash
            | Trigger::Printing
            | Trigger::Address
            | Trigger::Cookie
            | Trigger::Call
            | Trigger::At
            | Trigger::Program
            | Trigger::Rule(..) => None,
        }
    }

    /// Whether an earlier trigger has read this place.
    fn is_done(self, word: &Range<usize>, done: &mut Done) -> bool {
        match self {
            Trigger::Name => word.end <= done.name || word.start < done.value,
            Trigger::Phrase(_) => word.start < done.value,
            Trigger::Codes => word.start < done.list,
            Trigger::Begin | Trigger::End | Trigger::Putty | Trigger::KeyBody => word.start < done.pem,
            Trigger::Cookie => word.start < done.cookie,
            Trigger::Rule(number, _) => {
                done.rules.resize(rules::all().len(), 0);
                done.rules.get(number).is_none_or(|end| *end > word.start)
            }
            Trigger::Seeds
            | Trigger::Logins
            | Trigger::Section
            | Trigger::Heading
            | Trigger::Column
            | Trigger::Kubernetes
            | Trigger::Slash
            | Trigger::Printing
            | Trigger::Address
            | Trigger::Call
            | Trigger::At
            | Trigger::Program => false,
        }
    }

    fn read(self, window: Window, word: &Range<usize>, done: &mut Done, found: &mut Vec<Secret>) {
        let Window { text, base } = window;
        let word = window.inside(word);
        let first = found.len();
        let of = |kind: &'static str| move |span: Range<usize>| Secret { span, kind };
        match self {
            Trigger::Name => {
                let mut name = key_value::around(text, word);
                // Trigger words overlap within a name, and one within a secret goes with it.
                done.name = base + name.end;
                if !is_checksum(text, &name) {
                    if let Some(class) = class_at(text, &mut name) {
                        named(window, name, class, done, found);
                    } else {
                        let plural = text.get(name.clone()).and_then(secret_name::plural);
                        let values =
                            plural.map(|class| recovery_codes::values(text, name.clone(), class)).unwrap_or_default();
                        let values = if values.is_empty() { recovery_codes::cookie_keys(text, name) } else { values };
                        found.extend(values.into_iter().map(of("key")));
                    }
                }
            }
            Trigger::Phrase(_) if !is_whole(text, &word) => {}
            Trigger::Phrase(class) => named(window, numbered(text, word), class, done, found),
            Trigger::Codes => {
                let codes = recovery_codes::codes(text, word);
                done.list = codes.last().map_or(done.list, |code| base + code.end);
                found.extend(codes.into_iter().map(of("recovery code")));
            }
            Trigger::Seeds => found.extend(recovery_codes::seeds(text, word).map(of("seed phrase"))),
            Trigger::Logins => found.extend(recovery_codes::logins(text, word).into_iter().map(of("password"))),
            Trigger::Section => found.extend(recovery_codes::section(text, word).into_iter().map(of("secret"))),
            Trigger::Heading => found.extend(password_notes::passwords(text, word).into_iter().map(of("password"))),
            Trigger::Column if !is_whole(text, &word) => {}
            Trigger::Column => found.extend(table::access(text, word).into_iter().map(of("password"))),
            Trigger::Slash => found.extend(password_notes::behind_slash(text, word).map(of("password"))),
            Trigger::Printing => found.extend(nested::printed(text, word).map(of("secret"))),
            Trigger::Address => found.extend(url::password(text, word.start).map(of("password"))),
            Trigger::Begin | Trigger::End | Trigger::Putty | Trigger::KeyBody => {
                let key = match self {
                    Trigger::Begin => pem::key(text, word.start),
                    Trigger::End => pem::beheaded(text, word.start),
                    Trigger::Putty => pem::putty(text, word.start),
                    _ => pem::body(text, word.start),
                };
                done.pem = key.as_ref().map_or(done.pem, |key| base + key.end);
                found.extend(key.map(of("private key")));
            }
            Trigger::Kubernetes => found.extend(kubernetes::values(text, word).into_iter().map(of("secret"))),
            Trigger::Cookie => {
                let header = url::cookie_header(text, word.end);
                done.cookie = base + header.end;
                found.extend(url::cookies(text, header).into_iter().map(of("cookie")));
            }
            Trigger::At => {
                let login = url::login(text, word.start).or_else(|| function_call::by_email(text, word.start));
                found.extend(login.map(of("password")));
            }
            Trigger::Call => found.extend(function_call::by_place(text, word).map(of("password"))),
            Trigger::Program => found.extend(argv::secrets(text, &word).into_iter().map(of("password"))),
            Trigger::Rule(number, rule) => {
                let secrets = rule.find(text, word);
                if let (Some(last), Some(end)) = (secrets.last(), done.rules.get_mut(number)) {
                    *end = base + last.end;
                }
                found.extend(secrets.into_iter().map(of(&rule.kind)));
            }
        }
        for secret in found.iter_mut().skip(first) {
            secret.span = base + secret.span.start..base + secret.span.end;
        }
    }
}

/// The secrets of the command line around the name of a program. Reads each line, and each quoted part of it, once.
fn command_lines(text: &str, word: &Range<usize>, done: &mut Done, found: &mut Vec<Secret>) {
    let mut spans = Vec::new();
    if word.start >= done.line.end {
        done.line = command_line(text, word.start);
        done.quotes = quotes(text, done.line.clone());
        spans.extend(shell::secrets(text, done.line.clone()));
    }
    // A line that is not shell syntax, such as JSON, may contain a quoted command line.
    let quotes = done.quotes.partition_point(|quotes| quotes.end <= word.start);
    if let Some(quotes) = done.quotes.get_mut(quotes).filter(|quotes| quotes.start <= word.start) {
        spans.extend(shell::secrets(text, word.start..quotes.end));
        // Scans each quoted part once.
        quotes.start = quotes.end;
    }
    found.extend(spans.into_iter().map(|span| Secret { span, kind: "password" }));
}

/// `checksum/secret: …` of a Helm chart: the value is the hash of a secret.
fn is_checksum(text: &str, name: &Range<usize>) -> bool {
    let before = text.get(..name.start).and_then(|before| before.strip_suffix('/')).unwrap_or_default();
    ["checksum", "hash", "sha256", "digest"].iter().any(|kind| before.ends_with(kind))
}

/// The class of a name. A plain `key` may be part of two words: `Signing key`.
fn class_at(text: &str, name: &mut Range<usize>) -> Option<SecretClass> {
    let own = text.get(name.clone())?;
    // A line of base64 that happens to end like a name.
    if own.len() > MAX_WORD && !own.contains(['_', '.', '-']) {
        return None;
    }
    if let Some(class) = secret_name::class(own) {
        return Some(class);
    }
    let before = text.get(text.ceil_char_boundary(name.start.saturating_sub(MAX_PARENT))..name.start)?;
    // `'Security' => ['salt' => '…']`: a framework's signing salt, not the salt of one user.
    if own.eq_ignore_ascii_case("salt") {
        let low = before.to_ascii_lowercase();
        return ["security", "cookie", "session", "crypt"]
            .iter()
            .any(|of| low.contains(of))
            .then_some(SecretClass::Random);
    }
    if !own.eq_ignore_ascii_case("key") {
        return None;
    }
    if is_in_key_section(before) {
        return Some(SecretClass::Token);
    }
    // Its parent: `"jwt": { "key": "…" }`.
    let outer = before.trim_end_matches([' ', '\n', '\r', '\t', '"', '\'', '{', '[', '(', ':', '=', '>', '-']);
    let word =
        outer.len() - outer.bytes().rev().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
    let parent = outer.get(word..)?;
    let class = secret_name::class(&format!("{parent}_key")).filter(|_| !parent.is_empty() && parent.len() < 32)?;
    let next = before.get(outer.len()..)?;
    match next {
        " " => {
            name.start -= parent.len() + 1;
            Some(class)
        }
        _ if (class == SecretClass::Token || ["crypt", "cipher", "login"].contains(&parent))
            && (next.contains(['{', '[', '(']) || next.contains(":\n")) =>
        {
            Some(SecretClass::Random)
        }
        _ => None,
    }
}

/// Whether `[LinkKey]` is the last section header.
fn is_in_key_section(before: &str) -> bool {
    let head = before.rfind("\n[").and_then(|at| before.get(at + 2..)).or_else(|| before.strip_prefix('['));
    let title = head.and_then(|head| head.split_once(']')).map_or("", |(title, _)| title);
    before.ends_with('\n') && title.len() > 3 && title.ends_with("Key")
}

/// The value of a name, or the cells of the column with this name.
fn named(window: Window, name: Range<usize>, class: SecretClass, done: &mut Done, found: &mut Vec<Secret>) {
    let Window { text, base } = window;
    let kind = class.kind();
    let of = |span: Range<usize>| Secret { span, kind };
    if let Some(span) = key_value::of_class(text, name.clone(), class) {
        done.value = done.value.max(base + span.end);
        // A Terraform plan: `"old" -> "new"`.
        let rest = text.get(span.end..).unwrap_or_default();
        let new = rest.starts_with("\" -> \"").then(|| scan::quoted(text, span.end + 5)).flatten();
        found.extend(
            new.filter(|new| text.get(new.clone()).is_some_and(|new| secret_strength::fits(class, new))).map(of),
        );
        found.extend(recovery_codes::continued(text, &span).into_iter().map(of));
        found.push(of(span));
        return;
    }
    if matches!(class, SecretClass::Password | SecretClass::Secret) {
        let values = recovery_codes::literals(text, name.clone(), class);
        if !values.is_empty() {
            found.extend(values.into_iter().map(of));
            return;
        }
    }
    let reader = key_value::NamedSecret { text, bytes: text.as_bytes(), name, class };
    if let Some(span) = table::record(&reader).or_else(|| table::row(&reader)) {
        found.push(of(span));
        return;
    }
    if done.table.contains(&(base + reader.name.start)) {
        return;
    }
    if let Some((cells, end)) = table::cells(&reader) {
        done.table = base + scan::line_end(text, reader.name.end)..base + end;
        found.extend(cells.into_iter().map(of));
    }
    found.extend(table::inserted(&reader).into_iter().map(of));
}

/// A phrase must not be part of a longer word, in scripts that separate words.
fn is_whole(text: &str, word: &Range<usize>) -> bool {
    let joins =
        |letter: Option<char>| letter.is_some_and(|letter| letter.is_alphanumeric() && !key_value::is_unspaced(letter));
    let own = text.get(word.clone()).and_then(|word| word.chars().next());
    own.is_some_and(key_value::is_unspaced)
        || !joins(text.get(..word.start).and_then(|before| before.chars().next_back()))
            && !joins(text.get(word.end..).and_then(|rest| rest.chars().next()))
}

/// `Unseal Key 1`: the number belongs to the name.
fn numbered(text: &str, word: Range<usize>) -> Range<usize> {
    let rest = text.get(word.end..).unwrap_or_default();
    let number = rest.strip_prefix(" #").or_else(|| rest.strip_prefix(' ')).unwrap_or_default();
    let digits = number.bytes().take_while(u8::is_ascii_digit).count();
    let ends = number.get(digits..).is_some_and(|rest| rest.starts_with([':', '=', ' ']));
    if (1..=2).contains(&digits) && ends { word.start..word.end + (rest.len() - number.len()) + digits } else { word }
}

impl SecretClass {
    fn kind(self) -> &'static str {
        match self {
            SecretClass::Password => "password",
            SecretClass::Secret => "secret",
            SecretClass::Token => "token",
            SecretClass::Random => "key",
        }
    }
}

/// Whether the name of a program is a whole word, perhaps behind a directory and before `.exe`.
fn is_word(text: &str, word: &Range<usize>) -> bool {
    let bytes = text.as_bytes();
    let of_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.@".contains(byte);
    let before = word.start.checked_sub(1).and_then(|before| bytes.get(before));
    if before.is_some_and(of_name) {
        return false;
    }
    let rest = text.get(word.end..text.floor_char_boundary(word.end.saturating_add(8))).unwrap_or_default();
    let suffix = rest
        .strip_prefix('.')
        .and_then(|rest| program::SUFFIXES.iter().find(|end| rest.to_ascii_lowercase().starts_with(*end)));
    let rest = suffix.and_then(|suffix| rest.get(suffix.len() + 1..)).unwrap_or(rest);
    rest.is_empty() || rest.starts_with(|next: char| next.is_whitespace() || "\"')".contains(next))
}

/// The line around `at`, with the lines that a backslash joins to it.
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

/// The parts between double quotes. (An apostrophe opens no quote in prose.)
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
