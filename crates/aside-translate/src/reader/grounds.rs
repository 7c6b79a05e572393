//! Holds each word of a proposed command against what it may come from: the request, this machine, or the language of commands, whose words
//! stand in a list that the pairs make. A name that comes from none of them was invented; one that the request has and the command lacks was
//! lost on the way.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

use aside_commands::world::{Fact, FileKind};
use shell_line::{self as line, Word};

use crate::TranslateContext;
use crate::check::kind_at;
use crate::read_only::is_read_only;

/// Words that commands have and requests have not (`scripts/reader-words.py`).
static WORDS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| include_str!("../../data/translate/reader_words.txt").lines().collect());

/// Directories that are looked into for a file.
const MOST_BELOW: usize = 64;
/// Units of a number: how many of the next smaller one each has, as commands count them.
const CONVERTED: &[u64] =
    &[2, 7, 12, 14, 24, 28, 30, 31, 52, 60, 90, 365, 512, 1000, 1024, 1440, 3600, 86400, 1_000_000, 1_048_576];

/// The command, with names as they are spelled here; `None` if something in it is invented, or a name of the request is missing.
pub fn grounded(request: &str, command: &str, place: &TranslateContext<'_>) -> Option<String> {
    let command = edited(command, respelled(request, command, place));
    let mut command = as_this_user(command, place);
    if is_read_only(&command, place.dialect) {
        command = found_below(request, command, place);
    }
    // Code in the request is text there, and may be none in the command.
    if request.contains(['`', '$']) && command.contains(['`', '$']) {
        return None;
    }
    let kept_places = places(request, place).iter().all(|name| command.contains(name));
    let request = Request::of(request, place);
    let kept = request.names.iter().all(|name| request.keeps(name, &command, place));
    // Half is none of fifty.
    let counted = request.counts.iter().filter(|count| **count != 50).chain(&request.numbers);
    let counted = counted.copied().all(|number| is_counted(number, &command));
    (kept_places && kept && counted && !invents(&request, &command, place)).then_some(command)
}

/// Without `sudo` where the user is root, or has none.
fn as_this_user(command: String, place: &TranslateContext<'_>) -> String {
    let is_needless = place.world.is_root() || place.world.has_program("sudo").yes() == Some(false);
    let line = line::parse(&command, place.dialect);
    let names = line.commands.iter().filter_map(|run| Some((run.words.first()?, run.words.get(1)?)));
    let starts = names.filter(|(name, next)| is_needless && name.value == "sudo" && !next.value.starts_with('-'));
    edited(&command, starts.map(|(name, next)| (name.span.start..next.span.start, String::new())).collect())
}

/// The command with other text in these places, which need not be in their order: a command in another stands behind it.
fn edited(command: &str, mut edits: Vec<(Range<usize>, String)>) -> String {
    edits.sort_by_key(|(span, _)| std::cmp::Reverse(span.start));
    let mut edited = command.to_owned();
    for (span, text) in edits {
        edited.replace_range(span, &text);
    }
    edited
}

/// For a command that reads: a file that the request names, and that is in one directory below this one alone, with its path.
fn found_below(request: &str, command: String, place: &TranslateContext<'_>) -> String {
    let Some(entries) = place.world.entries(place.cwd).yes() else { return command };
    let below = || {
        entries
            .iter()
            .filter(|entry| entry.kind == FileKind::Directory && !entry.name.starts_with('.'))
            .take(MOST_BELOW)
    };
    let line = line::parse(&command, place.dialect);
    let words = line.commands.iter().flat_map(|run| run.words.iter().skip(1));
    let mut changes = Vec::new();
    for word in words {
        let name = word.value.as_str();
        let is_named = word.fixed && name.contains('.') && !name.contains('/') && request.contains(name);
        if !is_named || command.get(word.span.clone()) != Some(name) || exists(name, place) != Some(false) {
            continue;
        }
        let found: Vec<String> = below()
            .map(|entry| format!("{}/{name}", entry.name))
            .filter(|path| exists(path, place) == Some(true))
            .collect();
        if let [path] = found.as_slice()
            && path.chars().all(is_plain)
        {
            changes.push((word.span.clone(), path.clone()));
        }
    }
    edited(&command, changes)
}

/// The directories here that the request says it is about: `in photos`, `the logs folder`.
fn places<'a>(request: &'a str, place: &TranslateContext<'_>) -> Vec<&'a str> {
    const BEFORE: &[&str] = &[
        "in", "from", "under", "below", "inside", "into", "within", "to", "of", "im", "aus", "unter", "dans", "de",
        "sous", "en", "desde", "на", "в", "из",
    ];
    const NOUNS: &[&str] =
        &["folder", "directory", "dir", "ordner", "verzeichnis", "dossier", "carpeta", "папка", "папке", "папку"];
    const ARTICLES: &[&str] = &["the", "my", "this", "our", "dem", "der", "den", "le", "la", "el"];
    let Some(entries) = place.world.entries(place.cwd).yes() else { return Vec::new() };
    let is_directory =
        |name: &str| entries.iter().any(|entry| &*entry.name == name && entry.kind == FileKind::Directory);
    let words: Vec<&str> = request
        .split(|letter: char| letter.is_whitespace())
        .map(|word| word.trim_matches(|letter: char| !letter.is_alphanumeric()))
        .collect();
    let low = |at: usize| words.get(at).map(|word| word.to_lowercase()).unwrap_or_default();
    let is_place = |at: usize| {
        let before = (0..at).rev().map(low).find(|word| !ARTICLES.contains(&word.as_str())).unwrap_or_default();
        BEFORE.contains(&before.as_str()) || NOUNS.contains(&before.as_str()) || NOUNS.contains(&low(at + 1).as_str())
    };
    (0..words.len())
        .filter(|at| words[*at].len() > 1 && is_directory(words[*at]) && is_place(*at))
        .map(|at| words[at])
        .collect()
}

/// A request, taken apart into what a command has to repeat.
struct Request {
    low: String,
    /// Paths, names of files, quoted texts, words with digits or underscores.
    names: Vec<String>,
    numbers: Vec<u64>,
    /// Those too that are written in letters.
    counts: Vec<u64>,
}

impl Request {
    fn of(request: &str, place: &TranslateContext<'_>) -> Self {
        let mut names = quoted(request);
        let entries = place.world.entries(place.cwd).yes();
        let spaced = entries.iter().flat_map(|entries| entries.iter()).filter(|entry| entry.name.contains(' '));
        names.extend(spaced.filter(|entry| request.contains(&*entry.name)).map(|entry| entry.name.to_string()));
        let mut numbers = Vec::new();
        for word in words(request) {
            if names.iter().any(|name| name.contains(word)) {
                continue;
            }
            match number(word) {
                Some(number) => numbers.push(number),
                None if is_name(word) || is_spelled_name(word, place) => names.push(word.to_owned()),
                None => {}
            }
        }
        let low = request.to_lowercase();
        let mut counts = numbers.clone();
        counts.extend(low.split(|letter: char| !letter.is_alphanumeric()).filter_map(spoken));
        Self { low, names, numbers, counts }
    }

    /// Whether the command has a name of the request: as it stands, as it is spelled here, or without its ending (`a.png to jpg`).
    fn keeps(&self, name: &str, command: &str, place: &TranslateContext<'_>) -> bool {
        let bare = name.trim_start_matches("./").trim_end_matches('/');
        let has = |text: &str| !text.is_empty() && command.to_lowercase().contains(&text.to_lowercase());
        // `3,000` and `1.5` are numbers with marks.
        let is_number = bare.chars().all(|letter| letter.is_ascii_digit() || matches!(letter, ',' | '.'));
        // A name that says what is meant by a kind of files: `.txt`, `*.log`.
        let ending = bare.trim_start_matches('*').trim_start_matches('.');
        // What exists here is spelled exactly so; other names may be products (`node.js`).
        let exists = exists(bare, place) == Some(true);
        let escaped = bare.replace('.', r"\.");
        command.contains(bare)
            || command.contains(&escaped)
            || is_number && has(&bare.replace([',', '.'], ""))
            || !exists && (has(bare) || !ending.contains(['.', '/']) && has(ending))
    }
}

/// The texts in quotes.
fn quoted(request: &str) -> Vec<String> {
    const PAIRS: &[(char, char)] = &[
        ('"', '"'),
        ('`', '`'),
        ('“', '”'),
        ('„', '“'),
        ('«', '»'),
        ('「', '」'),
        ('『', '』'),
        ('‘', '’'),
        ('\'', '\''),
    ];
    let mut texts = Vec::new();
    let mut rest = request;
    while let Some(at) = rest.find(|letter| PAIRS.iter().any(|(open, _)| *open == letter)) {
        let before = rest[..at].chars().next_back();
        let open = rest[at..].chars().next().unwrap_or_default();
        let inner = &rest[at + open.len_utf8()..];
        // `it's` opens nothing.
        let opens = before.is_none_or(|before| !before.is_ascii_alphanumeric());
        let close = PAIRS.iter().filter(|(start, _)| *start == open).find_map(|(_, end)| inner.find(*end));
        match close.filter(|_| opens) {
            Some(end) => {
                let text = inner[..end].trim();
                if !text.is_empty() {
                    texts.push(text.to_owned());
                }
                let closed = inner[end..].chars().next().map_or(0, char::len_utf8);
                rest = &inner[end + closed..];
            }
            None => rest = inner,
        }
    }
    texts
}

/// Runs of what names are written with, without the marks of the sentence around them.
fn words(request: &str) -> impl Iterator<Item = &str> {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || "._-/~*@:+%#$?=&".contains(letter);
    request
        .split(move |letter| !is_part(letter))
        .map(|word| {
            word.trim_end_matches(['.', ':', '?', '-', '=', '&', '+'])
                .trim_start_matches([':', '-', '+', '=', '?', '&'])
        })
        .filter(|word| !word.is_empty())
}

/// A word that is no word of a sentence.
fn is_name(word: &str) -> bool {
    let inner = word.trim_matches(|letter: char| !letter.is_ascii_alphanumeric());
    let is_abbreviation = || inner.split('.').all(|part| part.len() == 1);
    let has_digit = word.bytes().any(|byte| byte.is_ascii_digit());
    let letters = word.bytes().filter(u8::is_ascii_alphabetic).count();
    inner.contains(['_', '@'])
        || inner.contains('.') && !is_abbreviation()
        || word.starts_with(['/', '~', '.']) && !inner.is_empty()
        || word.contains('*') && !inner.is_empty()
        || inner.contains('/') && !is_choice(inner)
        || has_digit && letters >= 2 && !is_quantity(word)
}

/// `Makefile`: a word with a capital that is the name of something here.
fn is_spelled_name(word: &str, place: &TranslateContext<'_>) -> bool {
    word.bytes().any(|byte| byte.is_ascii_uppercase()) && exists(word, place) == Some(true)
}

/// `and/or`, `read/write`
fn is_choice(word: &str) -> bool {
    const CHOICES: &[&str] =
        &["and/or", "either/or", "read/write", "yes/no", "on/off", "true/false", "tcp/udp", "n/a", "w/o", "i/o"];
    CHOICES.contains(&word.to_lowercase().as_str())
}

/// `10MB`, `2nd`, `5pm`, `30min`
fn is_quantity(word: &str) -> bool {
    let unit = word.trim_start_matches(|letter: char| letter.is_ascii_digit() || matches!(letter, '.' | ','));
    const UNITS: &[&str] = &[
        "k", "kb", "kib", "m", "mb", "mib", "g", "gb", "gib", "t", "tb", "tib", "b", "s", "st", "nd", "rd", "th", "am",
        "pm", "d", "h", "w", "y", "ms", "sec", "secs", "min", "mins", "hr", "hrs", "x", "p", "px", "fps", "dpi",
        "kbps", "mbps", "hz", "khz", "%", "bit", "bits",
    ];
    word.len() > unit.len() && UNITS.contains(&unit.to_lowercase().as_str())
}

/// A whole number, with or without a unit.
fn number(word: &str) -> Option<u64> {
    let digits = word.trim_end_matches(|letter: char| letter.is_ascii_alphabetic() || letter == '%');
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    (is_number && (digits.len() == word.len() || is_quantity(word))).then(|| digits.parse().ok()).flatten()
}

/// A number in letters.
fn spoken(word: &str) -> Option<u64> {
    const SPOKEN: &[(u64, &[&str])] = &[
        (2, &["two", "twice", "double", "both", "second", "zwei", "deux", "dos"]),
        (3, &["three", "third", "drei", "trois", "tres", "три"]),
        (4, &["four", "vier", "quatre", "cuatro", "четыре"]),
        (5, &["five", "fünf", "cinq", "cinco", "пять"]),
        (6, &["six", "sechs", "seis", "шесть"]),
        (7, &["seven", "sieben", "sept", "siete", "семь"]),
        (8, &["eight", "acht", "huit", "ocho"]),
        (9, &["nine", "neun", "nueve"]),
        (10, &["ten", "zehn", "dix", "diez", "десять"]),
        (11, &["eleven"]),
        (12, &["twelve", "dozen"]),
        (15, &["fifteen"]),
        (20, &["twenty", "zwanzig", "vingt", "veinte", "двадцать"]),
        (30, &["thirty"]),
        (50, &["fifty", "half"]),
        (100, &["hundred", "hundert", "cent", "cien", "сто"]),
        (1000, &["thousand"]),
    ];
    SPOKEN.iter().find(|(_, names)| names.contains(&word)).map(|(number, _)| *number)
}

/// Whether the command has the number, in its unit or a smaller one. One and two may be said by the command's form.
fn is_counted(number: u64, command: &str) -> bool {
    let said: HashSet<u64> = numbers(command).collect();
    // `-mtime +6` is a week and more.
    let bound = |number: u64| ["+", "-"].iter().any(|sign| command.contains(&format!("{sign}{number}")));
    number <= 2
        // `head` prints ten lines.
        || number == 10 && (command.contains("head") || command.contains("tail"))
        || said.contains(&number)
        || [number.saturating_sub(1), number + 1].into_iter().any(bound)
        || CONVERTED.iter().any(|unit| said.contains(&number.saturating_mul(*unit)))
        || CONVERTED.iter().any(|unit| number.is_multiple_of(*unit) && said.contains(&(number / unit)))
        || said.iter().any(|other| other.to_string().starts_with(&number.to_string()))
}

fn numbers(text: &str) -> impl Iterator<Item = u64> {
    text.split(|letter: char| !letter.is_ascii_digit()).filter_map(|digits| digits.parse().ok())
}

/// `lösche a.txt` is no search for `lösche`: the first word of a request says what to do.
fn searches_for_verb(request: &Request, command: &line::Command) -> bool {
    let is_search =
        command.words.first().is_some_and(|name| ["grep", "rg", "ag", "ack"].contains(&name.value.as_str()));
    let pattern = command.words.iter().skip(1).find(|word| !word.value.starts_with('-'));
    let is_typed = |text: &str| request.names.iter().any(|name| name == text);
    is_search
        && pattern.is_some_and(|pattern| {
            let low = pattern.value.to_lowercase();
            !low.is_empty() && request.low.trim_start().starts_with(&low) && !is_typed(&pattern.value)
        })
}

/// Whether something in the command comes from nowhere.
fn invents(request: &Request, command: &str, place: &TranslateContext<'_>) -> bool {
    let line = line::parse(command, place.dialect);
    if line.commands.iter().any(|run| searches_for_verb(request, run)) {
        return true;
    }
    let words = line.commands.iter().flat_map(|run| {
        let values = run.assignments.iter().map(|assignment| &assignment.value);
        let targets = run.redirections.iter().filter_map(|redirection| redirection.target.as_ref());
        run.words.iter().skip(1).chain(values).chain(targets)
    });
    let mut words: Vec<&Word> = words.collect();
    words.sort_by_key(|word| word.span.start);
    words.iter().any(|word| is_invented(request, word, place))
}

fn is_invented(request: &Request, word: &Word, place: &TranslateContext<'_>) -> bool {
    let value = word.value.as_str();
    // What a flag is given with `=` is a value; the rest of a flag is checked as words are.
    let value = value.strip_prefix("--").and_then(|flag| flag.split_once('=')).map_or(value, |(_, value)| value);
    let value = value.strip_prefix('@').unwrap_or(value);
    // What is hidden, or only root may read, is no answer to a question that does not name it.
    let is_hidden = |part: &str| part.len() > 1 && part.starts_with('.') && part != "..";
    if word.fixed
        && value.split('/').any(is_hidden)
        && !request.low.contains(&value.trim_start_matches("./").to_lowercase())
        && exists(value, place) == Some(true)
    {
        return true;
    }
    if word.fixed && is_path(value) && !request.low.contains(&value.trim_end_matches('/').to_lowercase()) {
        match exists(value, place) {
            Some(true) => return false,
            // A directory that was looked into has no such name; what the request names as parts may be put together.
            Some(false) if value.starts_with(['/', '~']) => return true,
            Some(false) | None => {}
        }
    }
    let is_said = |part: &str| {
        let low = part.to_lowercase();
        request.low.contains(&low) || low.len() > 3 && is_stem(&request.low, &low)
    };
    let mut parts =
        value.split(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_')).filter(|part| !part.is_empty());
    parts.any(|part| match part.parse::<u64>() {
        Ok(number) => !is_derived(number, value, request, part),
        Err(_) => {
            !WORDS.contains(part)
                && !is_said(part)
                && exists(part, place) != Some(true)
                && !is_part_of_name(part, place)
        }
    })
}

/// Whether a word of the request begins as this one does: `photo` for `photos`.
fn is_stem(request: &str, word: &str) -> bool {
    let stem = word.trim_end_matches('s');
    stem.len() > 3 && request.contains(stem)
}

/// Whether a name here has this part: `main` of `main.c`.
fn is_part_of_name(part: &str, place: &TranslateContext<'_>) -> bool {
    part.len() > 2
        && place.world.entries(place.cwd).yes().is_some_and(|entries| {
            entries
                .iter()
                .any(|entry| entry.name.split(|letter: char| !letter.is_alphanumeric()).any(|own| own == part))
        })
}

fn is_derived(number: u64, value: &str, request: &Request, digits: &str) -> bool {
    let (is_whole, is_bound) = (value == digits, value.starts_with(['+', '-']));
    let from = |said: u64| {
        let near = |target: u64| number.abs_diff(target) <= u64::from(is_bound);
        near(said)
            || CONVERTED
                .iter()
                .any(|unit| near(said.saturating_mul(*unit)) || said.is_multiple_of(*unit) && near(said / unit))
    };
    let is_common = match digits.len() {
        1 => number <= 3 || !is_whole || request.numbers.is_empty(),
        _ => WORDS.contains(digits),
    };
    is_common || request.low.contains(digits) || request.counts.iter().any(|said| from(*said))
}

fn is_plain(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || !letter.is_ascii() || "._-/~+@".contains(letter)
}

fn is_path(value: &str) -> bool {
    value.contains('/') && value.len() > 1 && value.chars().all(is_plain)
}

/// Whether a path exists, if that is known.
fn exists(path: &str, place: &TranslateContext<'_>) -> Option<bool> {
    let absolute = match path.strip_prefix('~') {
        Some(below) if below.is_empty() || below.starts_with('/') => format!("{}{below}", place.world.home()),
        _ if path.starts_with('/') => path.to_owned(),
        _ => format!("{}/{path}", place.cwd),
    };
    match kind_at(&absolute, place) {
        Fact::Yes(_) => Some(true),
        Fact::No => Some(false),
        Fact::NotYet => None,
    }
}

/// The paths that do not exist where a name here is the same in other letters, or where the request does not say that it is at home:
/// `~/Downloads` for the `downloads` that is here.
fn respelled(request: &str, command: &str, place: &TranslateContext<'_>) -> Vec<(Range<usize>, String)> {
    let Some(entries) = place.world.entries(place.cwd).yes() else { return Vec::new() };
    let line = line::parse(command, place.dialect);
    let words = line.commands.iter().flat_map(|run| run.words.iter().skip(1));
    let mut changes = Vec::new();
    for word in words {
        let written = command.get(word.span.clone()).unwrap_or_default();
        let bare = written.trim_end_matches('/');
        let (head, name) = match bare.strip_prefix("~/") {
            Some(name) if !request.contains("~/") => ("~/", name),
            _ => ("", bare.strip_prefix("./").unwrap_or(bare)),
        };
        if name.is_empty()
            || name.contains('/')
            || !head.is_empty() && request.contains(bare)
            || exists(bare, place) == Some(true)
        {
            continue;
        }
        let same: Vec<&str> =
            entries.iter().map(|entry| &*entry.name).filter(|entry| entry.eq_ignore_ascii_case(name)).collect();
        if let [same] = same.as_slice()
            && (!head.is_empty() || *same != name)
            && is_path_letters(same)
        {
            changes.push((word.span.clone(), (*same).to_owned()));
        }
    }
    changes
}

fn is_path_letters(name: &str) -> bool {
    name.chars().all(|letter| letter.is_ascii_alphanumeric() || "._-+".contains(letter)) && !name.starts_with('-')
}
