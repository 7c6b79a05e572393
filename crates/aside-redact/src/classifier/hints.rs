//! Words around a value that reveal what it is, in many languages: `data/redact/hints.toml`.

use std::collections::HashMap;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use toml_edit::Document;

const HINTS: &str = include_str!("../../data/redact/hints.toml");

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hint {
    Password,
    Code,
    Key,
    User,
    Copula,
    With,
    Change,
    /// What a code opens, such as a door.
    Place,
    Open,
    /// General talk about passwords.
    About,
    /// Units that other numbers count.
    Count,
}

impl Hint {
    const ALL: [Self; 11] = [
        Self::Password,
        Self::Code,
        Self::Key,
        Self::User,
        Self::Copula,
        Self::With,
        Self::Change,
        Self::Place,
        Self::Open,
        Self::About,
        Self::Count,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Password => "password",
            Self::Code => "code",
            Self::Key => "key",
            Self::User => "user",
            Self::Copula => "copula",
            Self::With => "with",
            Self::Change => "change",
            Self::Place => "place",
            Self::Open => "open",
            Self::About => "about",
            Self::Count => "count",
        }
    }

    /// Whether it may stand between a name and its value in a sentence, or is the name.
    pub fn links(self) -> bool {
        matches!(self, Self::Password | Self::Code | Self::User | Self::Copula | Self::With | Self::Change | Self::Open)
    }

    /// Whether it announces a secret, so that numbers and hexadecimal digits near it are considered.
    pub fn announces(self) -> bool {
        matches!(self, Self::Password | Self::Code | Self::Key | Self::User | Self::Open | Self::Place)
    }
}

/// Letters at the beginning or the end of a word that are matched.
const LENGTHS: std::ops::RangeInclusive<usize> = 2..=14;

#[derive(Default)]
struct Lists {
    whole: HashMap<String, Hint>,
    starts: HashMap<String, Hint>,
    ends: HashMap<String, Hint>,
    unspaced: Option<AhoCorasick>,
    unspaced_hints: Vec<Hint>,
}

static LISTS: LazyLock<Lists> = LazyLock::new(|| {
    let mut lists = Lists::default();
    let Ok(document) = Document::parse(HINTS) else { return lists };
    let list = |key: &str| -> Vec<String> {
        let items = document.get(key).and_then(|list| list.as_array()).into_iter().flatten();
        items.filter_map(|item| item.as_str().map(str::to_owned)).collect()
    };
    let mut unspaced = Vec::new();
    for hint in Hint::ALL {
        for word in list(hint.name()) {
            let (words, word) = match (word.strip_suffix('*'), word.strip_prefix('*')) {
                (Some(start), _) => (&mut lists.starts, start),
                (None, Some(end)) => (&mut lists.ends, end),
                (None, None) => (&mut lists.whole, word.as_str()),
            };
            words.entry(word.to_owned()).or_insert(hint);
        }
        let words = list(&format!("{}_unspaced", hint.name()));
        lists.unspaced_hints.extend(words.iter().map(|_| hint));
        unspaced.extend(words);
    }
    lists.unspaced = AhoCorasick::new(unspaced).ok();
    lists
});

/// The hint of a word in lower case.
pub fn of(low: &str) -> Option<Hint> {
    let lists = &*LISTS;
    if let Some(hint) = lists.whole.get(low) {
        return Some(*hint);
    }
    let places = low.char_indices().map(|(at, _)| at).skip(1).chain([low.len()]);
    let begins = |end: usize| lists.starts.get(low.get(..end)?).copied();
    let ends = |start: usize| lists.ends.get(low.get(start..)?).copied();
    let longest = places.clone().filter(|end| LENGTHS.contains(end)).filter_map(begins).last();
    longest.or_else(|| places.filter(|start| LENGTHS.contains(&(low.len() - start))).find_map(ends))
}

/// The hint of a word, or of a part of it: `pin_correio_voz`.
pub fn of_name(low: &str) -> Option<Hint> {
    of(low).or_else(|| {
        let name = low.len() <= MAX_NAME && low.contains(['_', '-', '.']) && !low.contains(['/', '@', ':', '0']);
        name.then(|| low.split(['_', '-', '.']).rev().filter(|part| part.len() > 1).find_map(of)).flatten()
    })
}

/// Letters of a name whose parts are matched.
const MAX_NAME: usize = 24;

/// Hints in text of scripts that do not separate words.
pub fn unspaced(text: &str) -> impl Iterator<Item = Hint> {
    let lists = &*LISTS;
    let found = (!text.is_ascii()).then_some(lists.unspaced.as_ref()).flatten();
    found
        .into_iter()
        .flat_map(move |finder| finder.find_iter(text))
        .filter_map(|found| lists.unspaced_hints.get(found.pattern().as_usize()).copied())
}
