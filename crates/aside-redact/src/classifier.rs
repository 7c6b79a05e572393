//! Finds secrets that no name announces, or only a sentence does: `log in as deploy, Befund-Rot7`. A linear classifier
//! sums weights for the shape of a word and for the words around it; `make teach-redact` trains the weights
//! (docs/redact-inside.md). Independent of the rules.

mod column;
mod features;
mod hints;

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::hash::Hash;
use std::ops::Range;
use std::sync::LazyLock;

use crate::classifier::hints::Hint;
use crate::key_value::is_unspaced;
use crate::secret_strength::SecretStrength;
use crate::{entropy, placeholder, secret_name, secret_strength};

const WEIGHTS: &str = include_str!("../data/redact/classifier.txt");

/// Scale of the weights in the file.
pub const STEP: f32 = 1.0 / 16.0;

/// The shape of a candidate. Each has its own threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CandidateShape {
    /// Letters mixed with digits, capitals or symbols.
    Chosen,
    /// Four digits or more, like a PIN.
    Number,
    /// Hexadecimal digits.
    Hex,
    /// An ordinary word, if the words before it announce a password.
    Word,
}

impl CandidateShape {
    pub const ALL: [Self; 4] = [Self::Chosen, Self::Number, Self::Hex, Self::Word];

    pub fn name(self) -> &'static str {
        match self {
            Self::Chosen => "chosen",
            Self::Number => "number",
            Self::Hex => "hex",
            Self::Word => "plain",
        }
    }

    /// The score above which a word is a secret.
    pub fn threshold(self) -> f32 {
        match self {
            Self::Chosen => 1.7,
            Self::Number => 1.5,
            Self::Hex => 1.5,
            Self::Word => 2.0,
        }
    }
}

/// Bytes of a word that may be a secret,
const SIZES: std::ops::RangeInclusive<usize> = 5..=40;
/// and of one that only a machine can have generated.
const LONG_SIZES: std::ops::RangeInclusive<usize> = 41..=128;
const NUMBER_SIZES: std::ops::RangeInclusive<usize> = 4..=20;
const HEX_SIZES: std::ops::RangeInclusive<usize> = 8..=128;
/// Minimum bytes of a user name before a colon that follows a digit, as in `4471:k4nafeh`.
const MIN_USER: usize = 4;
/// Bytes of a name before `=`, or of a user before a slash.
const MAX_NAME: usize = 80;
/// Bytes behind a user name and a slash in which a password may be.
const MAX_LOGIN: usize = 64;
/// Distance in words within which a weak candidate must be announced.
const REACH_BEFORE: usize = 12;
const REACH_BEHIND: usize = 5;
/// Approximate number of features of a word.
const MOST_FEATURES: usize = 200;
/// Distance in words within which an ordinary word must be announced.
const TOLD_BEFORE: usize = 6;
/// What the score of a word with a number loses if nothing announces it.
const OF_THING: f32 = 1.0;

/// Words of a text whose scores are remembered, the most scores, and the words around one that its features see.
const MIN_REMEMBERED: usize = 1024;
const MAX_REMEMBERED: usize = 4 * 1024;
const SEEN_BEFORE: usize = 16;
const SEEN_BEHIND: usize = 6;

/// Weights by the hash of a feature's name. An open-addressing hash table: each word looks up some hundred features,
/// and a binary search would take most of the time.
struct Weights {
    /// A power of two, at most half full. Hash 0 marks an empty slot.
    hashes: Vec<u64>,
    /// By the slot of the hash. Beside it, each would take eight bytes.
    weights: Vec<i8>,
}

impl Weights {
    fn read(text: &str) -> Self {
        let row = |row: &str| {
            let (name, weight) = row.split_once('\t')?;
            Some((hash(&[name]), weight.parse::<i8>().ok()?))
        };
        let rows: Vec<(u64, i8)> = text.lines().filter_map(row).collect();
        let slots = (2 * rows.len() + 1).next_power_of_two();
        let mut all = Self { hashes: vec![0; slots], weights: vec![0; slots] };
        for (hash, weight) in rows {
            let slot = all.slot(hash);
            if let (Some(taken), Some(of)) = (all.hashes.get_mut(slot), all.weights.get_mut(slot)) {
                (*taken, *of) = (hash, weight);
            }
        }
        all
    }

    /// The slot of the hash, or the empty one for it.
    fn slot(&self, hash: u64) -> usize {
        let mask = self.hashes.len() - 1;
        let mut slot = usize::try_from(hash & 0xffff_ffff).unwrap_or_default() & mask;
        while self.hashes.get(slot).is_some_and(|taken| *taken != 0 && *taken != hash) {
            slot = (slot + 1) & mask;
        }
        slot
    }

    fn of(&self, hash: u64) -> i8 {
        self.weights.get(self.slot(hash)).copied().unwrap_or(0)
    }
}

static ALL: LazyLock<Weights> = LazyLock::new(|| Weights::read(WEIGHTS));

/// FNV-1a over the concatenated parts.
fn hash(parts: &[&str]) -> u64 {
    let bytes = parts.iter().flat_map(|part| part.bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Words that the classifier takes for secrets by more than `margin`, except those already in `found`, which is sorted.
pub fn secrets(text: &str, found: &[Range<usize>], margin: f32) -> Vec<Range<usize>> {
    let page = WordTokens::of(text);
    let is_secret = |(at, word): &(usize, &Range<usize>)| {
        let is_found = || {
            let next = found.partition_point(|found| found.end <= word.start);
            found.get(next).is_some_and(|found| found.start < word.end)
        };
        !is_found() && page.score(*at).is_some_and(|score| score > margin)
    };
    page.words.iter().enumerate().filter(is_secret).map(|(_, word)| word.clone()).collect()
}

/// Whether a word is about passwords or users.
pub fn speaks_of_accounts(text: &str) -> bool {
    let page = WordTokens::of(text);
    let about = |hint: Hint| matches!(hint, Hint::Password | Hint::User);
    (0..page.words.len()).any(|at| page.hint(at).is_some_and(about)) || hints::unspaced(text).any(about)
}

/// Whether the word says nothing about secrets.
pub fn is_neutral(word: &str) -> bool {
    hints::of(&features::low(word)).is_none()
}

/// A text, tokenized.
pub struct WordTokens<'t> {
    text: &'t str,
    pub words: Vec<Range<usize>>,
    hints: OnceCell<Vec<Option<Hint>>>,
    sorts: RefCell<HashMap<Near<'t>, Option<CandidateShape>>>,
    scores: RefCell<HashMap<Seen<'t>, f32>>,
}

/// The text around a word, and the offset of the word in it.
type Near<'t> = (&'t str, usize);

/// Also, whether something explains the word, and its column.
type Seen<'t> = (Near<'t>, bool, Option<(&'t str, &'t str)>);

fn remembered<K: Eq + Hash, V: Copy>(known: &RefCell<HashMap<K, V>>, key: K, make: impl FnOnce() -> V) -> V {
    if let Some(value) = known.borrow().get(&key) {
        return *value;
    }
    let value = make();
    let mut known = known.borrow_mut();
    if known.len() >= MAX_REMEMBERED {
        known.clear();
    }
    known.insert(key, value);
    value
}

impl<'t> WordTokens<'t> {
    pub fn of(text: &'t str) -> Self {
        let mut words = Vec::new();
        let mut start: Option<usize> = None;
        let mut before = ' ';
        // End of a quoted value that is one word whatever it contains.
        let mut quoted = 0;
        for (at, letter) in text.char_indices() {
            if at < quoted {
                before = letter;
                continue;
            }
            if is_quote(letter)
                && opens_value(before)
                && let Some(end) = quoted_value(text, at + letter.len_utf8(), letter)
            {
                words.extend(start.take().and_then(|start| trimmed(text, start..at)));
                words.push(at + letter.len_utf8()..end);
                quoted = end;
                before = letter;
                continue;
            }
            let so_far = start.and_then(|start| text.get(start..at)).unwrap_or_default();
            let assigns = letter == '='
                && before.is_alphanumeric()
                && text.as_bytes().get(at + 1) != Some(&b'=')
                && is_name_like(so_far);
            let behind = text.get(at + letter.len_utf8()..).unwrap_or_default();
            let colon = letter == ':'
                && !behind.starts_with("//")
                && (before.is_alphabetic()
                    || before.is_ascii_digit()
                        && so_far.len() >= MIN_USER
                        && behind.starts_with(|next: char| next.is_alphabetic()));
            if assigns || colon || separates(letter) || letter == '/' && is_login(so_far, behind) {
                words.extend(start.take().and_then(|start| trimmed(text, start..at)));
            } else if start.is_none() {
                start = Some(at);
            }
            before = letter;
        }
        words.extend(start.and_then(|start| trimmed(text, start..text.len())));
        join_groups(text, &mut words);
        Self { text, words, hints: OnceCell::new(), sorts: RefCell::default(), scores: RefCell::default() }
    }

    fn word(&self, at: usize) -> &'t str {
        self.words.get(at).and_then(|word| self.text.get(word.clone())).unwrap_or_default()
    }

    /// The text between a word and the one before it.
    fn between(&self, at: usize) -> &'t str {
        let from = at.checked_sub(1).and_then(|before| self.words.get(before)).map_or(0, |word| word.end);
        let to = self.words.get(at).map_or(self.text.len(), |word| word.start);
        self.text.get(from..to).unwrap_or_default()
    }

    /// What the word says about its neighbours.
    fn hint(&self, at: usize) -> Option<Hint> {
        let hints = self.hints.get_or_init(|| {
            let hint = |at| hints::of_name(&features::low(self.word(at)));
            (0..self.words.len()).map(hint).collect()
        });
        hints.get(at).copied().flatten()
    }

    /// The shape of the word, if it may be a secret.
    pub fn sort(&self, at: usize) -> Option<CandidateShape> {
        let word = self.word(at);
        let sort = sort(word)?;
        let is_candidate = match sort {
            CandidateShape::Chosen => true,
            CandidateShape::Number | CandidateShape::Hex => self.is_announced(at),
            CandidateShape::Word => self.is_told(at),
        };
        (is_candidate && !placeholder::is_placeholder(word)).then_some(sort)
    }

    /// Whether a word for a password or a user precedes it on the line, and a separator or a word such as `is` directly
    /// precedes it.
    fn is_told(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1) else { return false };
        let between = self.between(at);
        let linked = between
            .contains([':', '=', '/', '"', '\'', '`', '(', '→', '>', '|', '：', '「', '“', '„', '«', '，', ','])
            || self.hint(before).is_some_and(Hint::links)
            || between.chars().any(is_unspaced);
        let told = |hint: Hint| matches!(hint, Hint::Password | Hint::Code | Hint::User);
        let unspaced = || hints::unspaced(between).any(told);
        linked
            && (self.nearest(at).is_some_and(|(hint, distance)| told(hint) && distance <= TOLD_BEFORE) || unspaced())
            && self.hint(at).is_none()
            && !secret_strength::is_prose(self.word(at))
    }

    /// Whether a word on the line, or on the line above, announces secrets.
    fn is_announced(&self, at: usize) -> bool {
        let announces = |at: usize| {
            self.hint(at).is_some_and(Hint::announces) || hints::unspaced(self.between(at)).any(Hint::announces)
        };
        let before = (at.saturating_sub(REACH_BEFORE)..at).any(announces);
        before
            || hints::unspaced(self.between(at)).any(Hint::announces)
            || (at + 1..at + 1 + REACH_BEHIND).take_while(|behind| !self.between(*behind).contains('\n')).any(announces)
    }

    /// How far the word is above the threshold of its shape. A long text repeats itself, so the answer is remembered by
    /// everything that it depends on.
    fn score(&self, at: usize) -> Option<f32> {
        sort(self.word(at))?;
        if self.words.len() < MIN_REMEMBERED {
            let sort = self.sort(at)?;
            return Some(self.above(at, sort));
        }
        let end = |at: usize| self.words.get(at).map_or(self.text.len(), |word| word.end);
        let start = at.checked_sub(SEEN_BEFORE).map_or(0, end);
        let word = self.words.get(at)?;
        let near = (self.text.get(start..end(at + SEEN_BEHIND)).unwrap_or_default(), word.start - start);
        let sort = remembered(&self.sorts, near, || self.sort(at))?;
        let explained =
            word.len() >= features::MIN_EXPLAINED && !entropy::is_unexplained(self.text, word.start, word.end);
        let seen = (near, explained, column::title(self.text, word.start));
        Some(remembered(&self.scores, seen, || self.above(at, sort)))
    }

    fn above(&self, at: usize, sort: CandidateShape) -> f32 {
        // `Sommer2025`, `Server2019`: more often a thing and its number, unless a word announces it.
        let thing = sort == CandidateShape::Chosen
            && secret_strength::is_numbered_word(self.word(at))
            && !self.is_announced(at)
            && !self.is_in_account_column(at);
        self.sum(at, sort) - sort.threshold() - if thing { OF_THING } else { 0.0 }
    }

    /// Whether the first row of its table speaks of passwords or users.
    fn is_in_account_column(&self, at: usize) -> bool {
        let start = self.words.get(at).map_or(0, |word| word.start);
        column::title(self.text, start).is_some_and(|(_, head)| speaks_of_accounts(head))
    }

    fn sum(&self, at: usize, sort: CandidateShape) -> f32 {
        // A feature counts once, as in training.
        let mut shown: Vec<u64> = Vec::with_capacity(MOST_FEATURES);
        self.features(at, sort, &mut |parts| shown.push(hash(parts)));
        shown.sort_unstable();
        shown.dedup();
        shown.into_iter().map(|hash| f32::from(ALL.of(hash)) * STEP).sum()
    }
}

/// The shape by the letters alone.
fn sort(word: &str) -> Option<CandidateShape> {
    if word.starts_with(['-', '$', '/', '%', '~']) || is_mention(word) {
        return None;
    }
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let code = word.bytes().all(|byte| byte.is_ascii_digit() || b"#*- ".contains(&byte));
    if code && is_count_or_date(word) {
        return None;
    }
    if code {
        return (digits > 3 && NUMBER_SIZES.contains(&word.len())).then_some(CandidateShape::Number);
    }
    if digits > 0 && word.len() > 7 && word.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return HEX_SIZES.contains(&word.len()).then_some(CandidateShape::Hex);
    }
    let long = LONG_SIZES.contains(&word.len()) && secret_strength::is_random(word);
    if !long && !SIZES.contains(&word.len()) || !word.chars().any(char::is_alphabetic) {
        return None;
    }
    let plain = |letter: char| letter.is_alphabetic() && !letter.is_uppercase();
    if word.chars().skip(1).all(plain) {
        return word.chars().all(char::is_alphabetic).then_some(CandidateShape::Word);
    }
    (!secret_strength::is_ordinary(word)).then_some(CandidateShape::Chosen)
}

/// `1-2-3-4`, `2023-12-19`: steps or a date.
fn is_count_or_date(word: &str) -> bool {
    let groups: Vec<&str> = word.split('-').collect();
    let lengths: Vec<usize> = groups.iter().map(|group| group.len()).collect();
    groups.len() > 1
        && (lengths.iter().any(|length| *length < 2)
            || lengths == [4, 2, 2] && groups.iter().any(|group| group.starts_with("20")))
}

/// `@kim`, `rand#1491`: a user or an issue. `#ff5a36`: a colour.
fn is_mention(word: &str) -> bool {
    let plain = |text: &str| {
        text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_-/".contains(&byte))
    };
    let issue = word.split_once('#').is_some_and(|(project, number)| {
        project.len() > 1 && plain(project) && !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    });
    let hex =
        |colour: &str| [3, 4, 6, 8].contains(&colour.len()) && colour.bytes().all(|byte| byte.is_ascii_hexdigit());
    issue || word.strip_prefix('@').is_some_and(plain) || word.strip_prefix('#').is_some_and(hex)
}

fn is_quote(letter: char) -> bool {
    matches!(letter, '"' | '\'' | '`')
}

/// Whether a quote behind this character opens a value.
fn opens_value(before: char) -> bool {
    before.is_whitespace() || "=([{,:>".contains(before)
}

/// The end of a quoted value that looks like a password and contains separators: `'pi(x)Prod-0900'`.
fn quoted_value(text: &str, start: usize, quote: char) -> Option<usize> {
    let limit = text.floor_char_boundary(start.saturating_add(*SIZES.end()));
    let inner = text.get(start..limit)?;
    let inner = inner.get(..inner.find(|letter: char| letter == quote || letter.is_whitespace())?)?;
    let closes = text.get(start + inner.len()..)?.starts_with(quote);
    let marked = inner.contains([',', ';', '(', ')', '[', ']', '{', '}', '<', '>', '|', '=', ':', '\'', '"', '`']);
    let pair = inner.split_once(['=', ':']).is_some_and(|(name, rest)| is_name_like(name) && !rest.is_empty());
    let code = inner.contains("()")
        || inner.contains("${")
        || inner.contains("{{")
        || inner.contains("</")
        || inner.contains("://")
        || inner.starts_with(['<', '(', '[', '{', '-', '.', '/', ':']);
    (closes && marked && !pair && !code && secret_strength::secret_strength(inner) == Some(SecretStrength::Strong))
        .then_some(start + inner.len())
}

/// `DB_HOST`, `userName`: names that may precede `=`. A password has digits and capitals among its letters.
fn is_name_like(run: &str) -> bool {
    if run.is_empty() || run.len() > MAX_NAME {
        return false;
    }
    let letters = || run.bytes().filter(u8::is_ascii_alphabetic);
    let plain = run.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.-/:@%[]".contains(&byte) || byte >= 0x80);
    let one_case =
        letters().all(|letter| letter.is_ascii_lowercase()) || letters().all(|letter| letter.is_ascii_uppercase());
    plain && (one_case || secret_strength::is_words(run) || secret_name::class(run).is_some())
}

/// `root/Sierra_Gorda5`: a user, and something that only a password looks like.
fn is_login(user: &str, behind: &str) -> bool {
    let behind = behind.get(..behind.floor_char_boundary(MAX_LOGIN)).unwrap_or(behind);
    if user.len() > MAX_NAME {
        return false;
    }
    let end = behind.find(|letter: char| letter.is_whitespace() || separates(letter)).unwrap_or(behind.len());
    let password = behind.get(..end).unwrap_or_default().trim_end_matches(['.', ',', ':', ';']);
    let is_user = user.len() >= 2
        && user.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"._-@".contains(&byte))
        && user.starts_with(|first: char| first.is_ascii_lowercase());
    is_user
        && !password.contains('/')
        && SIZES.contains(&password.len())
        && password.bytes().any(|byte| byte.is_ascii_uppercase())
        && secret_strength::secret_strength(password) == Some(SecretStrength::Strong)
}

/// `660 918`: a code written in two groups.
fn join_groups(text: &str, words: &mut Vec<Range<usize>>) {
    let three = |word: &Range<usize>| {
        word.len() == 3 && text.get(word.clone()).is_some_and(|word| word.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let mut joined: Vec<Range<usize>> = Vec::with_capacity(words.len());
    let mut at = 0;
    while let Some(one) = words.get(at) {
        let apart = |group: &Range<usize>, other: Option<&Range<usize>>| {
            !other.is_some_and(|other| is_near_number(text, other, group))
        };
        let other = words.get(at + 1).filter(|two| {
            three(one)
                && three(two)
                && text.get(one.end..two.start) == Some(" ")
                && apart(one, joined.last())
                && apart(two, words.get(at + 2))
        });
        joined.push(one.start..other.unwrap_or(one).end);
        at += 1 + usize::from(other.is_some());
    }
    *words = joined;
}

/// Whether another number is adjacent with one blank between: then there are more than two groups.
fn is_near_number(text: &str, word: &Range<usize>, group: &Range<usize>) -> bool {
    let between = if word.end <= group.start { word.end..group.start } else { group.end..word.start };
    text.get(between) == Some(" ")
        && text.get(word.clone()).is_some_and(|word| word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'+'))
}

fn separates(letter: char) -> bool {
    letter.is_whitespace()
        || is_unspaced(letter)
        || "\"'`<>()[]{},;|，。、；：（）「」『』【】“”„«»‘’→•·".contains(letter)
}

/// Without punctuation.
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
        secrets(text, &[], 0.0).into_iter().map(|span| &text[span]).collect()
    }

    /// The classifier finds part of what no rule can know, so the test requires a share.
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
