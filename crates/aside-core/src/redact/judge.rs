//! Secrets that no name announces, or that only a sentence does: `log in as deploy, Befund-Rot7`. A linear classifier adds up
//! weights for the shape of a word and for the words around it; `make teach-redact` finds the weights (docs/privacy.md). Knows
//! nothing of the rules.

mod features;
mod hints;

use std::cell::OnceCell;
use std::ops::Range;
use std::sync::LazyLock;

use crate::redact::judge::hints::Hint;
use crate::redact::key_value::is_unspaced;
use crate::redact::{placeholder, value};

const WEIGHTS: &str = include_str!("../../data/redact/judge.txt");

/// A weight of one in the file is this much.
pub const STEP: f32 = 1.0 / 16.0;

/// What a candidate looks like. Each sort has a threshold of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// Letters with digits, capitals or symbols among them.
    Chosen,
    /// Four digits or more, as of a PIN.
    Number,
    /// Hexadecimal digits.
    Hex,
}

impl Sort {
    pub const ALL: [Self; 3] = [Self::Chosen, Self::Number, Self::Hex];

    pub fn name(self) -> &'static str {
        match self {
            Self::Chosen => "chosen",
            Self::Number => "number",
            Self::Hex => "hex",
        }
    }

    /// The sum of weights above which a word is a secret.
    pub fn threshold(self) -> f32 {
        match self {
            Self::Chosen => 1.6,
            Self::Number => 1.4,
            Self::Hex => 1.5,
        }
    }
}

/// Bytes of a word that may be a secret.
const SIZES: std::ops::RangeInclusive<usize> = 5..=24;
const NUMBER_SIZES: std::ops::RangeInclusive<usize> = 4..=12;
const HEX_SIZES: std::ops::RangeInclusive<usize> = 8..=128;
/// Words around a weak candidate among which one has to announce it.
const REACH_BEFORE: usize = 12;
const REACH_BEHIND: usize = 5;

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

/// Words that are secrets by what they look like and what stands around them, beside those that were `found`, which
/// are in order.
pub fn secrets(text: &str, found: &[Range<usize>]) -> Vec<Range<usize>> {
    let page = Page::of(text);
    let is_secret = |(at, word): &(usize, &Range<usize>)| {
        let is_found = || {
            let next = found.partition_point(|found| found.end <= word.start);
            found.get(next).is_some_and(|found| found.start < word.end)
        };
        let sort = page.sort(*at).filter(|_| !is_found());
        sort.is_some_and(|sort| page.sum(*at, sort) > sort.threshold())
    };
    page.words.iter().enumerate().filter(is_secret).map(|(_, word)| word.clone()).collect()
}

/// A word of it is about passwords or users.
pub fn speaks_of_accounts(text: &str) -> bool {
    let page = Page::of(text);
    let about = |hint: Hint| matches!(hint, Hint::Password | Hint::User);
    (0..page.words.len()).any(|at| page.hint(at).is_some_and(about)) || hints::unspaced(text).any(about)
}

/// Says nothing about secrets.
pub fn is_neutral(word: &str) -> bool {
    hints::of(&features::low(word)).is_none()
}

/// A text and its words.
pub struct Page<'t> {
    text: &'t str,
    pub words: Vec<Range<usize>>,
    hints: OnceCell<Vec<Option<Hint>>>,
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
        Self { text, words, hints: OnceCell::new() }
    }

    fn word(&self, at: usize) -> &'t str {
        self.words.get(at).and_then(|word| self.text.get(word.clone())).unwrap_or_default()
    }

    /// What stands between a word and the one before it.
    fn between(&self, at: usize) -> &'t str {
        let from = at.checked_sub(1).and_then(|before| self.words.get(before)).map_or(0, |word| word.end);
        let to = self.words.get(at).map_or(self.text.len(), |word| word.start);
        self.text.get(from..to).unwrap_or_default()
    }

    /// What the word says about its neighbours.
    fn hint(&self, at: usize) -> Option<Hint> {
        let hints = self.hints.get_or_init(|| {
            let hint = |at| hints::of(&features::low(self.word(at)));
            (0..self.words.len()).map(hint).collect()
        });
        hints.get(at).copied().flatten()
    }

    /// Which sort of secret the word may be.
    pub fn sort(&self, at: usize) -> Option<Sort> {
        let word = self.word(at);
        let sort = sort(word)?;
        let weak = matches!(sort, Sort::Number | Sort::Hex);
        ((!weak || self.is_announced(at)) && !placeholder::is_placeholder(word)).then_some(sort)
    }

    /// A word on the line, or above it, speaks of secrets.
    fn is_announced(&self, at: usize) -> bool {
        let announces = |at: usize| {
            self.hint(at).is_some_and(Hint::announces) || hints::unspaced(self.between(at)).any(Hint::announces)
        };
        let before = (at.saturating_sub(REACH_BEFORE)..at).any(announces);
        before
            || hints::unspaced(self.between(at)).any(Hint::announces)
            || (at + 1..at + 1 + REACH_BEHIND).take_while(|behind| !self.between(*behind).contains('\n')).any(announces)
    }

    fn sum(&self, at: usize, sort: Sort) -> f32 {
        let mut sum = 0.0;
        self.features(at, sort, &mut |parts| {
            let hash = hash(parts);
            let weight = ALL.binary_search_by_key(&hash, |(hash, _)| *hash).ok().and_then(|place| ALL.get(place));
            sum += weight.map_or(0.0, |(_, weight)| f32::from(*weight) * STEP);
        });
        sum
    }
}

/// By the letters alone.
fn sort(word: &str) -> Option<Sort> {
    if word.starts_with(['-', '$', '/', '%', '~']) {
        return None;
    }
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let code = word.bytes().all(|byte| byte.is_ascii_digit() || b"#*-".contains(&byte));
    if code {
        return (digits > 3 && NUMBER_SIZES.contains(&word.len())).then_some(Sort::Number);
    }
    if digits > 0 && word.len() > 7 && word.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return HEX_SIZES.contains(&word.len()).then_some(Sort::Hex);
    }
    if !SIZES.contains(&word.len()) || !word.chars().any(char::is_alphabetic) {
        return None;
    }
    let plain = |letter: char| letter.is_alphabetic() && !letter.is_uppercase();
    if word.chars().skip(1).all(plain) {
        return None;
    }
    (!value::is_ordinary(word)).then_some(Sort::Chosen)
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

#[cfg(test)]
mod tests {
    use super::secrets;

    fn taken(text: &str) -> Vec<&str> {
        secrets(text, &[]).into_iter().map(|span| &text[span]).collect()
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
