//! What each trigger word may be the beginning of, and who reads on from there. A scanner sees a window of the text,
//! never all of it (`view`).

use std::collections::{BTreeMap, HashMap};
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
        let mut memory = Memory::default();
        for hit in hits {
            let pattern = hit.pattern().as_usize();
            for (number, trigger) in self.triggers.get(pattern).into_iter().flatten().enumerate() {
                let place = Place { trigger: *trigger, id: (pattern, number), word: hit.range() };
                place.secrets(text, &mut windows, &mut done, &mut memory, found);
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
    tables: table::Tables,
    list: usize,
    line: Range<usize>,
    /// The quoted parts of that line.
    quotes: Vec<Range<usize>>,
    pem: usize,
    /// The line of the last end of a key.
    ends: usize,
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

/// A trigger, its number among all, and where its word is.
struct Place {
    trigger: Trigger,
    id: (usize, usize),
    word: Range<usize>,
}

impl Place {
    fn secrets<'t>(
        &self,
        text: &'t str,
        windows: &mut Windows<'t>,
        done: &mut Done,
        memory: &mut Memory<'t>,
        found: &mut Vec<Secret>,
    ) {
        let Self { trigger, id, word } = self;
        if trigger.is_done(word, done) {
            return;
        }
        if trigger.is_key() {
            let window = Window { text, base: 0 };
            let reading = trigger.read(text, word.clone());
            reading.report(window, found);
            reading.done(*trigger, 0, done);
            if matches!(trigger, Trigger::End) {
                done.ends = scan::line_end(text, word.end);
            }
            return;
        }
        let first = found.len();
        let lists = trigger.reach().and_then(|reach| windows.wide(word, reach));
        let window = lists.unwrap_or_else(|| windows.near(word));
        let seen = Seen { id: *id, word: window.inside(word), text: window.text };
        let mut base = window.base;
        let mut reading = memory.reading(seen, lists.is_none() && text.len() > MIN_REMEMBERED, *trigger);
        reading.report(window, found);
        let is_cut = |end: usize, secret: &Secret| {
            end < text.len() && secret.span.end + CUT > end || window.base > 0 && secret.span.start < window.base + CUT
        };
        let mut end = window.end();
        if lists.is_none()
            && found.iter().skip(first).any(|secret| is_cut(end, secret))
            && let Some(wide) = windows.wide(word, REACH)
        {
            found.truncate(first);
            reading = trigger.read(wide.text, wide.inside(word));
            reading.report(wide, found);
            (base, end) = (wide.base, wide.end());
        }
        reading.done(*trigger, base, done);
        for secret in found.iter_mut().skip(first) {
            let is_longest = secret.span.len() + CUT > scan::MAX_LINE;
            if secret.span.end < text.len() && (secret.span.end == end || is_longest) {
                secret.span.end = windows.continued(secret.span.end);
                // What it goes on with is part of it.
                if reading.value.is_some() {
                    done.value = done.value.max(secret.span.end);
                }
            }
        }
        if let Some((title, class)) = reading.title {
            let name = base + title.start..base + title.end;
            let reader = key_value::NamedSecret { text, bytes: text.as_bytes(), name, class };
            let cells = done.tables.below(&reader);
            found.extend(cells.into_iter().map(|span| Secret { span, kind: class.kind() }));
        }
        if matches!(trigger, Trigger::Program) && is_word(window.text, &window.inside(word)) {
            command_lines(text, word, done, found);
        }
    }
}

/// What a trigger's reading depends on.
#[derive(PartialEq, Eq, Hash)]
struct Seen<'t> {
    id: (usize, usize),
    word: Range<usize>,
    text: &'t str,
}

/// What a trigger has found in its window, and how far it has read, by the offset in the window.
#[derive(Clone, Default)]
struct Reading {
    secrets: Vec<Secret>,
    name: Option<usize>,
    value: Option<usize>,
    /// What may be the title of a column.
    title: Option<(Range<usize>, SecretClass)>,
    /// The end of a list, a key, a header, or the last match of a rule.
    end: Option<usize>,
}

impl Reading {
    fn report(&self, window: Window, found: &mut Vec<Secret>) {
        let base = window.base;
        let of = |Secret { span, kind }: &Secret| Secret { span: base + span.start..base + span.end, kind };
        found.extend(self.secrets.iter().map(of));
    }

    fn done(&self, trigger: Trigger, base: usize, done: &mut Done) {
        if let Some(name) = self.name {
            done.name = base + name;
        }
        if let Some(value) = self.value {
            done.value = done.value.max(base + value);
        }
        let Some(end) = self.end.map(|end| base + end) else { return };
        match trigger {
            Trigger::Codes => done.list = end,
            Trigger::Begin | Trigger::End | Trigger::Putty | Trigger::KeyBody => done.pem = done.pem.max(end),
            Trigger::Cookie => done.cookie = end,
            Trigger::Rule(number, _) => done.rules.get_mut(number).into_iter().for_each(|last| *last = end),
            Trigger::Name
            | Trigger::Phrase(_)
            | Trigger::Seeds
            | Trigger::Logins
            | Trigger::Section
            | Trigger::Heading
            | Trigger::Column
            | Trigger::Slash
            | Trigger::Printing
            | Trigger::Address
            | Trigger::Kubernetes
            | Trigger::Call
            | Trigger::At
            | Trigger::Program => {}
        }
    }
}

/// Bytes of a text whose readings are remembered, and of a window; readings; and those made in vain before it is given
/// up.
const MIN_REMEMBERED: usize = 4 * 1024;
const MAX_WINDOW: usize = 2 * 1024;
const MAX_READINGS: usize = 4 * 1024;
const MAX_VAIN: usize = 512;

/// Readings by what they depend on. Logs and dense texts repeat themselves, and a window need not be read twice.
#[derive(Default)]
struct Memory<'t> {
    readings: HashMap<Seen<'t>, Reading>,
    used: usize,
    made: usize,
}

impl<'t> Memory<'t> {
    fn reading(&mut self, seen: Seen<'t>, remembered: bool, trigger: Trigger) -> Reading {
        let in_vain = self.made > MAX_VAIN + self.used;
        if !remembered || in_vain || seen.text.len() > MAX_WINDOW {
            return trigger.read(seen.text, seen.word);
        }
        if let Some(reading) = self.readings.get(&seen) {
            self.used += 1;
            return reading.clone();
        }
        self.made += 1;
        if self.readings.len() >= MAX_READINGS {
            self.readings.clear();
        }
        let reading = trigger.read(seen.text, seen.word.clone());
        self.readings.insert(seen, reading.clone());
        reading
    }
}

impl Trigger {
    /// Bytes that a list or a block may have, for what is wanted rarely and reads one.
    fn reach(self) -> Option<usize> {
        match self {
            Trigger::Codes
            | Trigger::Seeds
            | Trigger::Logins
            | Trigger::Section
            | Trigger::Heading
            | Trigger::Column
            | Trigger::Kubernetes => Some(REACH),
            Trigger::Begin
            | Trigger::End
            | Trigger::Putty
            | Trigger::KeyBody
            | Trigger::Name
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

    /// A key is read in the whole text, as each line is part of one key only.
    fn is_key(self) -> bool {
        matches!(self, Trigger::Begin | Trigger::End | Trigger::Putty | Trigger::KeyBody)
    }

    /// Whether an earlier trigger has read this place.
    fn is_done(self, word: &Range<usize>, done: &mut Done) -> bool {
        match self {
            Trigger::Name => word.end <= done.name || word.start < done.value,
            Trigger::Phrase(_) => word.start < done.value,
            Trigger::Codes => word.start < done.list,
            Trigger::Begin | Trigger::Putty | Trigger::KeyBody => word.start < done.pem,
            Trigger::End => word.start < done.pem.max(done.ends),
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

    fn read(self, text: &str, word: Range<usize>) -> Reading {
        let mut reading = Reading::default();
        let of = |kind: &'static str| move |span: Range<usize>| Secret { span, kind };
        match self {
            Trigger::Name => {
                let mut name = key_value::around(text, word);
                // Trigger words overlap within a name, and one within a secret goes with it.
                reading.name = Some(name.end);
                if !is_checksum(text, &name) {
                    if let Some(class) = class_at(text, &mut name) {
                        named(text, name, class, &mut reading);
                    } else {
                        let plural = text.get(name.clone()).and_then(secret_name::plural);
                        let values =
                            plural.map(|class| recovery_codes::values(text, name.clone(), class)).unwrap_or_default();
                        let values = if values.is_empty() { recovery_codes::cookie_keys(text, name) } else { values };
                        reading.secrets.extend(values.into_iter().map(of("key")));
                    }
                }
            }
            Trigger::Phrase(_) if !is_whole(text, &word) => {}
            Trigger::Phrase(class) => named(text, numbered(text, word), class, &mut reading),
            Trigger::Codes => {
                let codes = recovery_codes::codes(text, word);
                reading.end = codes.last().map(|code| code.end);
                reading.secrets.extend(codes.into_iter().map(of("recovery code")));
            }
            Trigger::Seeds => reading.secrets.extend(recovery_codes::seeds(text, word).map(of("seed phrase"))),
            Trigger::Logins => {
                reading.secrets.extend(recovery_codes::logins(text, word).into_iter().map(of("password")))
            }
            Trigger::Section => {
                reading.secrets.extend(recovery_codes::section(text, word).into_iter().map(of("secret")))
            }
            Trigger::Heading => {
                reading.secrets.extend(password_notes::passwords(text, word).into_iter().map(of("password")))
            }
            Trigger::Column if !is_whole(text, &word) => {}
            Trigger::Column => {
                let reader =
                    key_value::NamedSecret { text, bytes: text.as_bytes(), name: word, class: SecretClass::Password };
                let cells = table::Tables::default().access(&reader);
                reading.secrets.extend(cells.into_iter().map(of("password")));
            }
            Trigger::Slash => reading.secrets.extend(password_notes::behind_slash(text, word).map(of("password"))),
            Trigger::Printing => reading.secrets.extend(nested::printed(text, word).map(of("secret"))),
            Trigger::Address => reading.secrets.extend(url::password(text, word.start).map(of("password"))),
            Trigger::Begin | Trigger::End | Trigger::Putty | Trigger::KeyBody => {
                let key = match self {
                    Trigger::Begin => pem::key(text, word.start),
                    Trigger::End => pem::beheaded(text, word.start),
                    Trigger::Putty => pem::putty(text, word.start),
                    _ => pem::body(text, word.start),
                };
                reading.end = key.as_ref().map(|key| key.end);
                reading.secrets.extend(key.map(of("private key")));
            }
            Trigger::Kubernetes => reading.secrets.extend(kubernetes::values(text, word).into_iter().map(of("secret"))),
            Trigger::Cookie => {
                let header = url::cookie_header(text, word.end);
                reading.end = Some(header.end);
                reading.secrets.extend(url::cookies(text, header).into_iter().map(of("cookie")));
            }
            Trigger::At => {
                let login = url::login(text, word.start).or_else(|| function_call::by_email(text, word.start));
                reading.secrets.extend(login.map(of("password")));
            }
            Trigger::Call => reading.secrets.extend(function_call::by_place(text, word).map(of("password"))),
            Trigger::Program => reading.secrets.extend(argv::secrets(text, &word).into_iter().map(of("password"))),
            Trigger::Rule(_, rule) => {
                let secrets = rule.find(text, word);
                reading.end = secrets.last().map(|last| last.end);
                reading.secrets.extend(secrets.into_iter().map(of(&rule.kind)));
            }
        }
        reading
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

/// The value of a name, which may also be the title of a column.
fn named(text: &str, name: Range<usize>, class: SecretClass, reading: &mut Reading) {
    let kind = class.kind();
    let of = |span: Range<usize>| Secret { span, kind };
    if let Some(span) = key_value::of_class(text, name.clone(), class) {
        reading.value = Some(span.end);
        // A Terraform plan: `"old" -> "new"`.
        let rest = text.get(span.end..).unwrap_or_default();
        let new = rest.starts_with("\" -> \"").then(|| scan::quoted(text, span.end + 5)).flatten();
        reading.secrets.extend(
            new.filter(|new| text.get(new.clone()).is_some_and(|new| secret_strength::fits(class, new))).map(of),
        );
        reading.secrets.extend(recovery_codes::continued(text, &span).into_iter().map(of));
        reading.secrets.push(of(span));
        return;
    }
    if matches!(class, SecretClass::Password | SecretClass::Secret) {
        let values = recovery_codes::literals(text, name.clone(), class);
        if !values.is_empty() {
            reading.secrets.extend(values.into_iter().map(of));
            return;
        }
    }
    let reader = key_value::NamedSecret { text, bytes: text.as_bytes(), name, class };
    if let Some(span) = table::record(&reader).or_else(|| table::row(&reader)) {
        reading.secrets.push(of(span));
        return;
    }
    reading.title = Some((reader.name, class));
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
    let first = at.saturating_sub(MAX_LINE);
    let last = text.floor_char_boundary(at.saturating_add(MAX_LINE));
    let joined = |end: usize| end.checked_sub(1).and_then(|before| bytes.get(before)) == Some(&b'\\');
    let mut start = at;
    while start > first && (bytes.get(start - 1) != Some(&b'\n') || joined(start - 1)) {
        start -= 1;
    }
    // A longer line begins with a whole word, at a new command if there is one.
    if start > 0 && start == first {
        let cut = bytes.get(start..at).unwrap_or_default();
        let begins = cut.iter().position(|byte| b";|&".contains(byte));
        let begins = begins.or_else(|| cut.iter().position(u8::is_ascii_whitespace));
        start += begins.map_or(0, |before| before + 1);
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
