//! The word lists that moods are classified by, from `data/speech_act`: sets of words, phrases, and frames with optional
//! words.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use crate::speech_act::token::{Token, TokenKind};
use crate::speech_act::verbs::Verbs;

const ENGLISH: &str = include_str!("../../data/speech_act/english.words");

pub static LISTS: LazyLock<English> = LazyLock::new(|| English::read(ENGLISH));

pub type Set = HashSet<&'static str>;

pub struct English {
    pub verbs: Verbs,
    pub polite: Phrases,
    pub adverbs: Phrases,
    pub tools: Phrases,
    pub requests: Frames,
    pub wishes: Frames,
    pub howto: Frames,
    pub forbids: Phrases,
    pub nothing: Set,
    pub asks: Phrases,
    pub finite: Set,
    pub relatives: Set,
    pub conditions: Phrases,
    pub awaits: Phrases,
    pub idle: Phrases,
    pub existence: Phrases,
    pub subjects: Set,
    pub persons: Set,
    pub determiners: Set,
    pub prepositions: Set,
    pub reports: Set,
    pub thanks: Phrases,
    pub jests: Phrases,
    pub later: Phrases,
    pub past: Phrases,
    pub compounds: Set,
    pub texts: Set,
    pub unnamed: Set,
    pub kinds: Set,
    pub qualities: Set,
    pub ongoing: Set,
    pub seeking: Set,
    pub nouns: Set,
    pub pairs: Phrases,
}

impl English {
    fn read(text: &'static str) -> Self {
        let sections = sections(text);
        let items = |name: &str| sections.get(name).map(Vec::as_slice).unwrap_or_default();
        let set = |name: &str| items(name).iter().copied().collect::<Set>();
        let phrases = |name: &str| Phrases::new(items(name));
        let frames = |name: &str| Frames::new(items(name));
        Self {
            verbs: Verbs::new(
                items("acts"),
                items("reads"),
                items("speaks"),
                items("light"),
                items("destroys"),
                items("irregular"),
            ),
            polite: phrases("polite"),
            adverbs: phrases("adverbs"),
            tools: phrases("tools"),
            requests: frames("requests"),
            wishes: frames("wishes"),
            howto: frames("howto"),
            forbids: phrases("forbids"),
            nothing: set("nothing"),
            asks: phrases("asks"),
            finite: set("finite"),
            relatives: set("relatives"),
            conditions: phrases("conditions"),
            awaits: phrases("awaits"),
            idle: phrases("idle"),
            existence: phrases("existence"),
            subjects: set("subjects"),
            persons: set("persons"),
            determiners: set("determiners"),
            prepositions: set("prepositions"),
            reports: set("reports"),
            thanks: phrases("thanks"),
            jests: phrases("jests"),
            later: phrases("later"),
            past: phrases("past"),
            compounds: set("compounds"),
            texts: set("texts"),
            unnamed: set("unnamed"),
            kinds: set("kinds"),
            qualities: set("qualities"),
            ongoing: set("ongoing"),
            seeking: set("seeking"),
            nouns: set("nouns"),
            pairs: phrases("pairs"),
        }
    }
}

/// The lists of a file by name. In `frames` each line is one item, elsewhere commas separate them.
pub fn sections(text: &'static str) -> HashMap<&'static str, Vec<&'static str>> {
    let mut sections: HashMap<&str, Vec<&str>> = HashMap::new();
    let mut name = "";
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(begun) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            name = begun;
            continue;
        }
        let items = line.split(',').map(str::trim).filter(|item| !item.is_empty());
        sections.entry(name).or_default().extend(items);
    }
    sections
}

/// Words and sequences of words, indexed by the first.
#[derive(Default)]
pub struct Phrases(HashMap<&'static str, Vec<Vec<&'static str>>>);

impl Phrases {
    fn new(items: &[&'static str]) -> Self {
        let mut by_first: HashMap<&str, Vec<Vec<&str>>> = HashMap::new();
        for item in items {
            let mut words = item.split(' ');
            if let Some(first) = words.next() {
                by_first.entry(first).or_default().push(words.collect());
            }
        }
        for list in by_first.values_mut() {
            list.sort_by_key(|rest| std::cmp::Reverse(rest.len()));
        }
        Self(by_first)
    }

    /// Number of tokens of the longest phrase that begins here.
    pub fn at(&self, tokens: &[Token]) -> Option<usize> {
        let first = tokens.first().filter(|token| token.sort != TokenKind::Quoted)?;
        let list = self.0.get(first.low.as_str())?;
        let fits = |rest: &&Vec<&str>| {
            let behind = tokens.get(1..=rest.len());
            behind.is_some_and(|behind| behind.iter().zip(rest.iter()).all(|(token, word)| token.is(word)))
        };
        list.iter().find(fits).map(|rest| rest.len() + 1)
    }

    /// Whether a single word is one of them.
    pub fn is(&self, word: &str) -> bool {
        self.0.get(word).is_some_and(|list| list.iter().any(Vec::is_empty))
    }

    /// The first phrase anywhere: its position, and its number of tokens.
    pub fn find(&self, tokens: &[Token]) -> Option<(usize, usize)> {
        (0..tokens.len()).find_map(|at| Some((at, self.at(tokens.get(at..)?)?)))
    }
}

struct Slot {
    any: Vec<&'static str>,
    times: Times,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Times {
    Once,
    AtMostOnce,
    Any,
}

/// Sequences with alternatives and optional words.
pub struct Frames(Vec<Vec<Slot>>);

impl Frames {
    fn new(items: &[&'static str]) -> Self {
        let slot = |word: &'static str| {
            let (word, times) = match (word.strip_suffix('?'), word.strip_suffix('*')) {
                (Some(word), _) => (word, Times::AtMostOnce),
                (_, Some(word)) => (word, Times::Any),
                (None, None) => (word, Times::Once),
            };
            Slot { any: word.split('|').collect(), times }
        };
        Self(items.iter().map(|item| item.split(' ').map(slot).collect()).collect())
    }

    /// Number of tokens of the longest frame that begins here.
    pub fn at(&self, tokens: &[Token]) -> Option<usize> {
        self.0.iter().filter_map(|frame| length(frame, tokens)).max()
    }
}

/// Optional words match greedily: no frame has the same word behind one.
fn length(frame: &[Slot], tokens: &[Token]) -> Option<usize> {
    let mut at = 0;
    for slot in frame {
        let fits = |at: usize| tokens.get(at).is_some_and(|token| slot.any.iter().any(|word| token.is(word)));
        match slot.times {
            Times::Once if fits(at) => at += 1,
            Times::Once => return None,
            Times::AtMostOnce => at += usize::from(fits(at)),
            Times::Any => {
                while fits(at) {
                    at += 1;
                }
            }
        }
    }
    Some(at)
}
