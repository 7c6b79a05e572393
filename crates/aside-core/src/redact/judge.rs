//! Secrets that no name announces: `log in as deploy, Befund-Rot7`. A linear classifier adds up weights for the shape of a
//! word and for the words around it; `make teach-redact` finds the weights (docs/privacy.md). Knows nothing of the rules.

use std::ops::Range;
use std::sync::LazyLock;

use crate::redact::key_value::is_unspaced;
use crate::redact::value::{self, Class, Strength};
use crate::redact::vocabulary::words;
use crate::redact::{name, placeholder};

const WEIGHTS: &str = include_str!("../../data/redact/judge.txt");

/// A weight of one in the file is this much.
pub const STEP: f32 = 1.0 / 16.0;
/// The sum of weights above which a word is a secret.
const THRESHOLD: f32 = 1.5;

/// Bytes of a word that may be a secret.
const SIZES: std::ops::RangeInclusive<usize> = 6..=24;
/// Words before and behind that are looked at, and letters of one.
const MAX_BEFORE: usize = 6;
const MAX_BEHIND: usize = 2;
const MAX_LETTERS: usize = 24;

/// Features by the hash of their names, in order.
static ALL: LazyLock<Vec<(u64, i8)>> = LazyLock::new(|| {
    let row = |row: &str| {
        let (name, weight) = row.split_once('\t')?;
        Some((hash(&[name]), weight.parse().ok()?))
    };
    let mut all: Vec<(u64, i8)> = WEIGHTS.lines().filter_map(row).collect();
    all.sort_unstable_by_key(|(hash, _)| *hash);
    all
});

/// FNV-1a, of the parts as if they were one.
fn hash(parts: &[&str]) -> u64 {
    let bytes = parts.iter().flat_map(|part| part.bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Words that are secrets by what they look like and what stands around them.
pub fn secrets(text: &str) -> Vec<Range<usize>> {
    let page = Page::of(text);
    let all = 0..page.words.len();
    all.filter(|at| page.is_candidate(*at) && page.sum(*at) > THRESHOLD).map(|at| page.words[at].clone()).collect()
}

/// A text and its words.
pub struct Page<'t> {
    text: &'t str,
    pub words: Vec<Range<usize>>,
}

impl<'t> Page<'t> {
    pub fn of(text: &'t str) -> Self {
        let mut words = Vec::new();
        let mut start = None;
        let mut before = ' ';
        for (at, letter) in text.char_indices() {
            let assigns = letter == '=' && before.is_alphanumeric() && text.as_bytes().get(at + 1) != Some(&b'=');
            let colon =
                letter == ':' && before.is_alphabetic() && !text.get(at..).is_some_and(|rest| rest.starts_with("://"));
            if assigns || colon || separates(letter) {
                words.extend(start.take().and_then(|start| trimmed(text, start..at)));
            } else if start.is_none() {
                start = Some(at);
            }
            before = letter;
        }
        words.extend(start.and_then(|start| trimmed(text, start..text.len())));
        Self { text, words }
    }

    fn word(&self, at: usize) -> &'t str {
        self.words.get(at).and_then(|word| self.text.get(word.clone())).unwrap_or_default()
    }

    /// May have been chosen by a person: no plain word, number, identifier of a machine, path or flag.
    pub fn is_candidate(&self, at: usize) -> bool {
        let word = self.word(at);
        let plain = |letter: char| letter.is_alphabetic() && !letter.is_uppercase();
        SIZES.contains(&word.len())
            && word.chars().any(char::is_alphabetic)
            && !word.chars().skip(1).all(plain)
            && !word.starts_with(['-', '$', '/', '.', '%', '~'])
            && !word.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
            && !placeholder::is_placeholder(word)
            && !value::is_ordinary(word)
    }

    fn sum(&self, at: usize) -> f32 {
        let mut sum = 0.0;
        self.features(at, &mut |parts| {
            let hash = hash(parts);
            let weight = ALL.binary_search_by_key(&hash, |(hash, _)| *hash).ok().and_then(|place| ALL.get(place));
            sum += weight.map_or(0.0, |(_, weight)| f32::from(*weight) * STEP);
        });
        sum
    }

    /// Every feature that the word shows, by the parts of its name.
    pub fn features(&self, at: usize, put: &mut dyn FnMut(&[&str])) {
        put(&["bias"]);
        of_shape(self.word(at), put);
        self.of_place(at, put);
        self.of_neighbours(at, put);
    }

    fn between(&self, at: usize) -> &'t str {
        let from = at.checked_sub(1).and_then(|before| self.words.get(before)).map_or(0, |word| word.end);
        let to = self.words.get(at).map_or(self.text.len(), |word| word.start);
        self.text.get(from..to).unwrap_or_default()
    }

    fn of_place(&self, at: usize, put: &mut dyn FnMut(&[&str])) {
        let (before, behind) = (glue(self.between(at)), glue(self.between(at + 1)));
        put(&["before ", &before]);
        put(&["behind ", &behind]);
        put(&["around ", &before, " ", &behind]);
        let first = at == 0 || self.between(at).contains('\n');
        let last = at + 1 == self.words.len() || self.between(at + 1).contains('\n');
        put(&["line ", if first { "first" } else { "" }, if last { "last" } else { "" }]);
        put(&["count ", bucket(self.words.len())]);
    }

    fn of_neighbours(&self, at: usize, put: &mut dyn FnMut(&[&str])) {
        const PLACES: [&str; MAX_BEFORE] = ["1", "2", "3", "4", "5", "6"];
        let mut line = "";
        for (distance, place) in PLACES.iter().enumerate() {
            let Some(before) = at.checked_sub(distance + 1) else { break };
            if self.between(before + 1).contains('\n') {
                line = "/";
            }
            let word = self.word(before);
            let low = low(word);
            if distance < 3 {
                put(&["word", place, line, " ", &low]);
                put(&["kind", place, line, " ", kind(word)]);
            }
            put(&["near", line, " ", &low]);
            put(&["stem", line, " ", stem(&low)]);
            if let Some(class) = name::class(word) {
                put(&["name", place, line, " ", class_name(class)]);
                put(&["name", line, " ", class_name(class)]);
            }
            if words().user_titles.contains(low.as_str()) {
                put(&["user", place, line]);
                put(&["user", line]);
            }
            let unspaced: Vec<char> = self.between(before + 1).chars().filter(|letter| is_unspaced(*letter)).collect();
            for pair in unspaced.windows(2) {
                let pair: String = pair.iter().collect();
                put(&["han", line, " ", &pair]);
            }
        }
        for (distance, place) in PLACES.iter().take(MAX_BEHIND).enumerate() {
            let behind = at + distance + 1;
            if behind >= self.words.len() {
                break;
            }
            let line = if self.between(behind).contains('\n') { "/" } else { "" };
            let word = self.word(behind);
            put(&["next", place, line, " ", &low(word)]);
            put(&["follows", place, line, " ", kind(word)]);
        }
    }
}

fn separates(letter: char) -> bool {
    letter.is_whitespace()
        || is_unspaced(letter)
        || "\"'`<>()[]{},;|，。、；：（）「」『』【】“”„«»‘’→•·".contains(letter)
}

/// Without the marks of a sentence.
fn trimmed(text: &str, word: Range<usize>) -> Option<Range<usize>> {
    let inner = text.get(word.clone())?;
    let mut end = inner.trim_end_matches(['.', ',', ':', ';', '…']);
    let stem = end.trim_end_matches(['!', '?']);
    if stem.chars().all(char::is_alphabetic) {
        end = stem;
    }
    (!end.is_empty()).then_some(word.start..word.start + end.len())
}

fn of_shape(word: &str, put: &mut dyn FnMut(&[&str])) {
    put(&["shape ", &shape(word, 3)]);
    put(&["runs ", &shape(word, 1)]);
    put(&["size ", bucket(word.len())]);
    put(&["kind ", kind(word)]);
    put(&["variety ", bucket(value::variety(word))]);
    put(&["digits ", bucket(word.bytes().filter(u8::is_ascii_digit).count())]);
    put(&[
        "strength ",
        match value::strength(word) {
            None => "none",
            Some(Strength::Word) => "word",
            Some(Strength::Soft) => "soft",
            Some(Strength::Chosen) => "chosen",
            Some(Strength::Strong) => "strong",
        },
    ]);
    for symbol in word.chars().filter(|letter| !letter.is_alphanumeric()) {
        put(&["has ", symbol.encode_utf8(&mut [0; 4])]);
    }
    let tests: [(&str, bool); 8] = [
        ("ordinary", value::is_ordinary(word)),
        ("prose", value::is_prose(word)),
        ("words", value::is_words(word)),
        ("random", value::is_random(word)),
        ("identifier", value::is_identifier(word)),
        ("hash", value::is_hash(word)),
        ("dated", value::is_dated(word)),
        ("secret name", placeholder::is_secret_name(word)),
    ];
    for (name, _) in tests.iter().filter(|(_, holds)| *holds) {
        put(&["is ", name]);
    }
    if let Some(class) = name::class(word) {
        put(&["names ", class_name(class)]);
    }
    let bytes = word.as_bytes();
    if bytes.windows(3).any(|three| matches!(three, [one, two, three] if one.is_ascii_alphabetic() && two.is_ascii_digit() && three.is_ascii_lowercase())) {
        put(&["leet"]);
    }
    if !word.is_ascii() {
        put(&["letters other"]);
    }
    let head: String = word.chars().take(3).flat_map(char::to_lowercase).collect();
    put(&["head ", &head]);
    let tail: String = word.chars().rev().take(3).flat_map(char::to_lowercase).collect();
    put(&["tail ", &tail]);
}

/// `Aa9!`: runs of capitals, small letters, digits and symbols, each letter at most so often.
fn shape(word: &str, most: usize) -> String {
    let mut shape = String::new();
    let (mut last, mut run) = (' ', 0);
    for letter in word.chars().take(MAX_LETTERS) {
        let class = match letter {
            letter if letter.is_numeric() => '9',
            letter if letter.is_uppercase() => 'A',
            letter if letter.is_alphabetic() => 'a',
            other => other,
        };
        run = if class == last { run + 1 } else { 1 };
        last = class;
        if run <= most {
            shape.push(class);
        }
    }
    shape
}

/// What sort of word it is, roughly.
fn kind(word: &str) -> &'static str {
    let low = word.to_lowercase();
    let count = word.chars().count();
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let letters = word.chars().filter(|letter| letter.is_alphabetic()).count();
    match () {
        () if word.starts_with('-') => "flag",
        () if word.contains("://") => "url",
        () if word.contains('@') && word.contains('.') => "mail",
        () if word.contains('/') => "path",
        () if digits == count => "number",
        () if letters == 0 && digits > 0 => "numbers",
        () if letters == count && low == word => "word",
        () if letters == count && word.chars().all(char::is_uppercase) => "shout",
        () if letters == count && word.chars().skip(1).all(char::is_lowercase) => "title",
        () if letters == count => "camel",
        () if word.contains('.') && !word.contains(['!', '#', '$', '*', '&']) => "dotted",
        () if digits == 0 && word.contains(['_', '-']) => "joined",
        () if digits > 0 && digits + letters == count => "mixed",
        () => "other",
    }
}

fn low(word: &str) -> String {
    word.chars()
        .take(MAX_LETTERS)
        .flat_map(char::to_lowercase)
        .map(|letter| if letter.is_ascii_digit() { '0' } else { letter })
        .collect()
}

fn stem(low: &str) -> &str {
    low.char_indices().nth(4).map_or(low, |(end, _)| low.get(..end).unwrap_or(low))
}

/// What stands between two words.
fn glue(between: &str) -> String {
    let mut glue = String::new();
    for letter in between.chars().take(6) {
        let mark = match letter {
            '\n' | '\r' => '/',
            letter if letter.is_whitespace() => ' ',
            letter if is_unspaced(letter) => '字',
            letter => letter,
        };
        if !glue.ends_with(mark) {
            glue.push(mark);
        }
    }
    glue
}

fn bucket(count: usize) -> &'static str {
    match count {
        0 => "0",
        1 => "1",
        2 => "2",
        3 => "3",
        4 => "4",
        5..=6 => "5",
        7..=8 => "7",
        9..=11 => "9",
        12..=15 => "12",
        16..=23 => "16",
        24..=39 => "24",
        40..=80 => "40",
        _ => "80",
    }
}

fn class_name(class: Class) -> &'static str {
    match class {
        Class::Password => "password",
        Class::Secret => "secret",
        Class::Token => "token",
        Class::Random => "random",
    }
}

#[cfg(test)]
mod tests {
    use super::secrets;

    fn taken(text: &str) -> Vec<&str> {
        secrets(text).into_iter().map(|span| &text[span]).collect()
    }

    /// It finds some of what no rule can know, so that a share is asked for.
    #[test]
    fn takes_what_only_a_password_looks_like() {
        let cases = [
            ("the box at 10.0.0.7: log in as deploy, Gru3ner*Baum and restart it", "Gru3ner*Baum"),
            ("Anmelden als wartung (Blau-Meise77), dann neu starten", "Blau-Meise77"),
            ("entra como soporte y Verano#Azul21, luego reinicia", "Verano#Azul21"),
            ("python import.py shop-prod kim@x.example Rosinante#74 --all", "Rosinante#74"),
        ];
        let found: Vec<&str> = cases.iter().flat_map(|(text, _)| taken(text)).collect();
        assert!(found.len() >= 2, "{found:?}");
        assert!(found.iter().all(|found| cases.iter().any(|(_, password)| password == found)), "{found:?}");
    }

    #[test]
    fn leaves_what_machines_and_sentences_write() {
        for text in [
            "upgrade to Node20 and React18, then run build-all_v2",
            "see JIRA-1234 and the branch feature/new_login2",
            "git checkout -b fix/issue-88 origin/release-2.4",
            "the iPhone15 and the MacBook2 are in room B12",
            "kubectl -n prod logs web-7d9f8b6c5-x2x9z",
            "def test_parses_utf8_bom2(self): pass",
            "the file keeps getUserById3 and MAX_RETRY_COUNT2",
        ] {
            assert_eq!(taken(text), <[&str; 0]>::default(), "{text}");
        }
    }
}
