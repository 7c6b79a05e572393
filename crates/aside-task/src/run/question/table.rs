//! The table of facets, `data/task/questions.toml`: the words that ask for a facet, the things that it takes, and who answers it.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use aside_core::agent::language::Bilingual;

use crate::run::phrase::{Phrase, longest_first};
use crate::run::toml_lists;

pub const LIST: &str = include_str!("../../../data/task/questions.toml");

/// Whether a facet is asked with "how do I", which wants a way and no fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asks {
    What,
    How,
}

/// What a facet takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// A branch, a tag or a commit.
    Ref,
    Author,
    File,
    Directory,
    Target,
    /// A name of the code.
    Name,
    Number,
    Period,
    /// A text in quotes, or one that only code has.
    Text,
    /// All words that are left.
    Words,
}

impl Slot {
    fn of(name: &str) -> Option<Self> {
        Some(match name {
            "ref" => Slot::Ref,
            "author" => Slot::Author,
            "file" => Slot::File,
            "directory" => Slot::Directory,
            "target" => Slot::Target,
            "name" => Slot::Name,
            "number" => Slot::Number,
            "period" => Slot::Period,
            "text" => Slot::Text,
            "words" => Slot::Words,
            _ => return None,
        })
    }
}

#[derive(Debug)]
pub struct Facet {
    pub name: String,
    pub asks: Asks,
    pub needs: Vec<Vec<Phrase>>,
    pub not: Vec<Phrase>,
    pub allows: Vec<Phrase>,
    /// Kinds of things, each with how many there must be.
    pub slots: Vec<(Slot, usize)>,
    /// Files of the root of which one has to be there.
    pub files: Vec<String>,
    /// The kind of request that it is: `status`, `search`, `explain`, `help`.
    pub kind: String,
    /// Who answers, and a word for it: `commits unpushed`. Empty where the entry says it all.
    pub answer: String,
    pub cmd: String,
    pub says: Option<Bilingual>,
}

impl Facet {
    /// Whether one more thing of a kind has a place.
    pub fn takes(&self, slot: Slot, so_far: usize) -> bool {
        let most = self.slots.iter().filter(|(kind, _)| *kind == slot).map(|(_, needed)| (*needed).max(1)).max();
        most.is_some_and(|most| so_far < most.max(if matches!(slot, Slot::Ref | Slot::Target) { 2 } else { 1 }))
    }
}

pub struct Table {
    pub facets: Vec<Facet>,
    /// Words that say nothing about what is asked.
    pub fillers: Vec<Phrase>,
    /// How a way is asked for.
    pub how: Vec<Phrase>,
    /// How a question begins.
    pub questions: Vec<Phrase>,
    /// Verbs with which an order begins.
    pub orders: Vec<Phrase>,
    /// Words that say nothing about which passage is meant.
    pub empty: Vec<Phrase>,
    /// Words about the state of the repository, of tasks, and of Aside.
    pub state: Vec<Phrase>,
    /// Words that are no part of a command.
    pub ends_command: Vec<Phrase>,
    restricting: Vec<Phrase>,
}

pub static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let concepts: BTreeMap<String, String> = toml_lists::tables(LIST, "concept", |table| {
        Some((toml_lists::text(table, "name")?, toml_lists::text(table, "words")?))
    })
    .into_iter()
    .collect();
    let listed = |name: &str| -> Vec<Phrase> {
        let all = toml_lists::tables(LIST, "words", |table| {
            let words = toml_lists::text(table, "words")?;
            (toml_lists::text(table, "name")? == name).then(|| phrases(&words, &concepts))
        });
        longest_first(all.into_iter().flatten().collect())
    };
    let facets = toml_lists::tables(LIST, "facet", |table| facet(table, &concepts));
    let (fillers, how, questions) = (listed("fillers"), listed("how"), listed("questions"));
    let (orders, restricting) = (listed("orders"), listed("restricting"));
    let (empty, ends_command, state) = (listed("empty"), listed("ends-command"), listed("state"));
    Table { empty, state, ends_command, fillers, how, questions, orders, restricting, facets }
});

impl Table {
    /// Whether a word only limits.
    pub fn limits(&self, word: &str) -> bool {
        self.restricting.iter().any(|phrase| phrase.len() == 1 && phrase.words().next() == Some(word))
    }

    /// Whether a word limits what is asked, so that an answer without it is one to another question.
    pub fn restricts(&self, word: &str) -> bool {
        let is_verb = |phrase: &&Phrase| phrase.len() == 1 && phrase.words().next() == Some(word);
        self.restricting.iter().chain(&self.orders).any(|phrase| is_verb(&phrase))
    }
}

fn phrases(text: &str, concepts: &BTreeMap<String, String>) -> Vec<Phrase> {
    let mut all = Vec::new();
    for phrase in text.split('|').map(str::trim).filter(|phrase| !phrase.is_empty()) {
        match phrase.strip_prefix('@') {
            Some(name) => all.extend(concepts.get(name).map(|words| phrases(words, concepts)).unwrap_or_default()),
            None => all.push(Phrase::of(tokens(phrase))),
        }
    }
    all
}

/// The words of a phrase, as the request is cut: Chinese letters are tokens of their own.
fn tokens(phrase: &str) -> impl Iterator<Item = &str> {
    phrase.split_whitespace().flat_map(|word| {
        let mut parts = Vec::new();
        let mut start = 0;
        for (at, letter) in word.char_indices().filter(|(_, letter)| aside_text::is_han(*letter)) {
            parts.extend(word.get(start..at).filter(|part| !part.is_empty()));
            start = at + letter.len_utf8();
            parts.extend(word.get(at..start));
        }
        parts.extend(word.get(start..).filter(|part| !part.is_empty()));
        parts
    })
}

fn facet(table: &toml_edit::Table, concepts: &BTreeMap<String, String>) -> Option<Facet> {
    let text = |key: &str| toml_lists::text(table, key).unwrap_or_default();
    let slots = toml_lists::texts(table, "slots");
    // `ref` is needed, `ref?` may be there, `ref2` is needed twice.
    let slot = |text: &String| {
        let name = text.trim_end_matches(['?', '2']);
        let needed = match () {
            () if text.ends_with('?') => 0,
            () if text.ends_with('2') => 2,
            () => 1,
        };
        Some((Slot::of(name)?, needed))
    };
    let read: Vec<(Slot, usize)> = slots.iter().filter_map(slot).collect();
    let says = toml_lists::both(table, "says");
    let answer = text("answer");
    (read.len() == slots.len() && (says.is_some() || !answer.is_empty())).then_some(())?;
    let asks = match text("asks").as_str() {
        "how" => Asks::How,
        "what" => Asks::What,
        _ if answer.is_empty() => Asks::How,
        _ => Asks::What,
    };
    let needs: Vec<Vec<Phrase>> =
        toml_lists::texts(table, "needs").iter().map(|group| phrases(group, concepts)).collect();
    // A word that asks for the facet may be said twice.
    let allows = needs.iter().flatten().cloned().chain(phrases(&text("allows"), concepts)).collect();
    Some(Facet {
        name: toml_lists::text(table, "name")?,
        asks,
        needs,
        not: phrases(&text("not"), concepts),
        allows: longest_first(allows),
        slots: read,
        files: toml_lists::texts(table, "files"),
        kind: toml_lists::text(table, "kind").unwrap_or_else(|| "help".to_owned()),
        answer,
        cmd: text("cmd"),
        says,
    })
}
