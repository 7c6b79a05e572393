//! Reads a request by the things that it names: finds the one operation of `data/task/operations.toml` whose trigger words and slots are
//! all there, with no content word left over, and writes the request in the words that the exact readers know, or as a command. Returns
//! nothing where a word is not understood; makes no proposal itself.

pub mod ground;
mod table;
pub mod tokens;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use aside_core::detect::word_lists::{is_one_slip, lists};

use crate::run::reader::ground::{RepositoryFacts, SlotKind, has_word};
use crate::run::reader::table::{Operation, Phrase, Slot, TABLE};
use crate::run::reader::tokens::{Token, TokenKind, tokens};

/// Characters of a request that is read; a longer one is prose.
const MAX_LETTERS: usize = 200;
/// Words shorter than that have too many neighbours for a slip to be recognized.
const LEAST_SLIP: usize = 4;

/// How an operation becomes a proposal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reading {
    /// Exact changes, one per line, in the words of `exact_edit`.
    Change(String),
    /// A command line.
    Command(String),
}

/// What a request means; the error is the word that was not understood, where all else fits an operation.
pub type ReadResult = Result<Reading, Option<String>>;

/// Whether the trigger words of some operation are there, so that it is worth looking at the files.
pub fn may_mean(request: &str) -> bool {
    let all = tokens(request, &|word| TABLE.is_han_word(word));
    let facts = RepositoryFacts::default();
    is_short(request) && TABLE.operations.iter().any(|operation| Binding::new(operation, &all, &facts).triggered())
}

pub fn read(request: &str, facts: &RepositoryFacts) -> ReadResult {
    if !is_short(request) {
        return Err(None);
    }
    let all = tokens(request, &|word| TABLE.is_han_word(word));
    let mut found: Vec<Reading> = Vec::new();
    let mut missed = None;
    for operation in &TABLE.operations {
        match Binding::new(operation, &all, facts).read(request) {
            Ok(reading) if !found.contains(&reading) => found.push(reading),
            Ok(_) => {}
            Err(word) => missed = missed.or(word),
        }
    }
    // Two readings with different effects are as good as none.
    match found.len() {
        1 => found.pop().ok_or(None),
        _ => Err(missed),
    }
}

fn is_short(request: &str) -> bool {
    !request.contains('\n') && request.chars().nth(MAX_LETTERS).is_none()
}

/// One operation against the tokens of a request.
struct Binding<'a> {
    operation: &'a Operation,
    tokens: &'a [Token],
    facts: &'a RepositoryFacts,
    used: Vec<bool>,
    values: BTreeMap<&'a str, Vec<String>>,
}

impl<'a> Binding<'a> {
    fn new(operation: &'a Operation, tokens: &'a [Token], facts: &'a RepositoryFacts) -> Self {
        let used = tokens.iter().map(|token| token.kind == TokenKind::Break).collect();
        Self { operation, tokens, facts, used, values: BTreeMap::new() }
    }

    fn read(mut self, request: &str) -> Result<Reading, Option<String>> {
        if TABLE.questions.iter().any(|phrase| self.matches_exactly(phrase, 0)) {
            return Err(None);
        }
        self.rest(request).ok_or(None)?;
        for phrase in &TABLE.tails {
            self.take_all(phrase);
        }
        if !self.triggered() {
            return Err(None);
        }
        let slots = &self.operation.slots;
        // What a marker points at is settled first, so that the rest is what stands alone.
        let marked = slots.iter().filter(|slot| slot.marker.is_some());
        let order: Vec<&Slot> = marked.chain(slots.iter().filter(|slot| slot.marker.is_none())).collect();
        for slot in order.into_iter().filter(|slot| slot.kind != SlotKind::Rest) {
            self.bind(slot).ok_or(None)?;
        }
        for phrase in self.operation.allows.iter().chain(&TABLE.fillers) {
            self.take_all(phrase);
        }
        match self.unexplained() {
            Some(word) => Err(Some(word)),
            None => self.rendered().ok_or(None),
        }
    }

    /// Takes one phrase of each group of triggers.
    fn triggered(&mut self) -> bool {
        let operation = self.operation;
        operation.needs.iter().all(|group| {
            // An arrow only stands for a verb where there is none.
            let is_verb = |phrase: &Phrase| phrase.words().all(|word| !["->", "=", "from"].contains(&word));
            let found = group.iter().filter_map(|phrase| Some((is_verb(phrase), phrase.len(), self.find(phrase)?)));
            let found = found.max_by_key(|(verb, len, _)| (*verb, *len)).map(|(_, len, at)| (at, len));
            let Some((at, len)) = found else { return false };
            self.take(at, len);
            true
        })
    }

    /// The text behind a marker, to the end of the request. `None` where it may hold more than that.
    fn rest(&mut self, request: &str) -> Option<()> {
        let Some(slot) = self.operation.slots.iter().find(|slot| slot.kind == SlotKind::Rest) else { return Some(()) };
        let markers = TABLE.markers(slot.marker.as_deref()?);
        let at = markers.iter().filter_map(|phrase| Some((self.find(phrase)?, phrase.len()))).min();
        let Some((at, len)) = at else { return slot.optional.then_some(()) };
        let behind = (at + len..self.tokens.len())
            .find(|behind| self.tokens.get(*behind).is_some_and(|token| token.kind != TokenKind::Break))?;
        let first = self.tokens.get(behind)?;
        if first.kind == TokenKind::Quoted {
            self.take(at, behind + 1 - at);
            self.values.insert(&slot.name, vec![first.text.clone()]);
            return Some(());
        }
        let text = request.get(first.start..)?.trim();
        // The quotes may be gone, and with them the end of the text.
        let lower = text.to_lowercase();
        let more = [" push", "don't", "do not", " then ", ", and ", " but ", " amend", "，", " please", "不要"];
        if text.is_empty() || more.iter().any(|more| lower.contains(more)) {
            return None;
        }
        self.take(at, self.tokens.len() - at);
        self.values.insert(&slot.name, vec![text.to_owned()]);
        Some(())
    }

    /// Fills a slot. `None` if it is missing, or if two things would fit.
    fn bind(&mut self, slot: &'a Slot) -> Option<()> {
        let mut found: Vec<(usize, usize, String)> = Vec::new();
        for at in 0..self.tokens.len() {
            if self.is_used(at) || found.last().is_some_and(|(last, len, _)| at < last + len) {
                continue;
            }
            let Some((value, len)) = self.facts.ground(slot.kind, self.tokens, at) else { continue };
            let is_marked = slot.marker.as_deref().is_none_or(|marker| self.is_behind(at, marker));
            if is_marked && (len > 1 || !self.is_plain(at, slot.kind)) {
                found.push((at, len, value));
            }
        }
        // Of the words that no dictionary has, the one that is meant is near the right one.
        if let Some(right) = self.values.get("right").and_then(|all| all.first()).filter(|_| found.len() > 1) {
            found.retain(|(_, _, value)| is_one_slip(value, right));
        }
        // The stem of a file is its name only where no path is written.
        let is_written = |at: usize| self.tokens.get(at).is_some_and(|token| token.text.contains(['.', '/']));
        if slot.kind == SlotKind::File && found.iter().any(|(at, _, _)| is_written(*at)) {
            found.retain(|(at, _, _)| is_written(*at));
        }
        let mut values: Vec<String> = Vec::new();
        for (at, len, value) in found {
            self.take(at, len);
            if !values.contains(&value) {
                values.push(value);
            }
        }
        match values.len() {
            0 => slot.optional.then_some(()),
            many if many > 1 && !slot.many => None,
            _ => {
                self.values.insert(&slot.name, values);
                Some(())
            }
        }
    }

    /// Whether a token is a word of the table, which names something only where the slot is for such words.
    fn is_plain(&self, at: usize, kind: SlotKind) -> bool {
        let takes_any = matches!(
            kind,
            SlotKind::Identifier | SlotKind::Name | SlotKind::Word | SlotKind::Misspelt | SlotKind::Module
        );
        let quoted = self.tokens.get(at).is_some_and(|token| token.kind == TokenKind::Quoted);
        let known = self.operation.allows.iter().chain(&TABLE.fillers).chain(self.operation.needs.iter().flatten());
        takes_any && !quoted && known.into_iter().any(|phrase| phrase.len() == 1 && self.matches_exactly(phrase, at))
    }

    /// Whether a marker stands before a token, with nothing but fillers between them.
    fn is_behind(&self, at: usize, marker: &str) -> bool {
        let markers = TABLE.markers(marker);
        for before in (0..at).rev() {
            let ends = |phrase: &&Phrase| {
                before + 1 >= phrase.len() && self.matches_exactly(phrase, before + 1 - phrase.len())
            };
            if markers.iter().any(|phrase| ends(&phrase)) {
                return true;
            }
            let is_article = TABLE.articles.iter().any(|phrase| self.matches_exactly(phrase, before));
            if !is_article {
                return false;
            }
        }
        false
    }

    fn is_used(&self, at: usize) -> bool {
        self.used.get(at).copied().unwrap_or(true)
    }

    fn take(&mut self, at: usize, len: usize) {
        for used in self.used.iter_mut().skip(at).take(len) {
            *used = true;
        }
    }

    fn take_all(&mut self, phrase: &Phrase) {
        while let Some(at) = self.find(phrase) {
            self.take(at, phrase.len());
        }
    }

    /// Where the words of a phrase follow each other and are not used yet.
    fn find(&self, phrase: &Phrase) -> Option<usize> {
        (0..self.tokens.len()).find(|at| {
            (0..phrase.len()).all(|offset| !self.is_used(at + offset))
                && self.matches(phrase, *at, &|known, word| self.is_slip(known, word))
        })
    }

    fn matches_exactly(&self, phrase: &Phrase, at: usize) -> bool {
        self.matches(phrase, at, &|_, _| false)
    }

    fn matches(&self, phrase: &Phrase, at: usize, is_slip: &dyn Fn(&str, &str) -> bool) -> bool {
        phrase.words().enumerate().all(|(offset, known)| {
            let Some(token) = self.tokens.get(at + offset).filter(|token| token.kind == TokenKind::Word) else {
                return false;
            };
            let word = token.text.to_lowercase();
            word == known || word.strip_suffix('s') == Some(known) || is_slip(known, &word)
        })
    }

    /// A misspelt word that nothing here is called.
    fn is_slip(&self, known: &str, word: &str) -> bool {
        let long = known.len() >= LEAST_SLIP && word.len() >= LEAST_SLIP && word.is_ascii();
        long && is_one_slip(known, word) && !lists().is_word(word) && !self.facts.occurs(word)
    }

    /// The first word that means nothing here. Words about the only place where something stands need no meaning of their own.
    fn unexplained(&self) -> Option<String> {
        let line = self.only_line();
        let recipe = self.recipe();
        let is_there = |word: &str| {
            let said = |text: &str| {
                text.to_lowercase().split(|letter: char| !letter.is_alphanumeric()).any(|part| {
                    part == word || part.strip_suffix('s') == Some(word) || word.strip_suffix('s') == Some(part)
                })
            };
            line.is_some_and(said) || recipe.is_some_and(said)
        };
        let describes =
            |at: usize| line.is_some() && TABLE.describing.iter().any(|phrase| self.matches_exactly(phrase, at));
        let left = |at: &usize| {
            let word = self.tokens.get(*at).map(|token| token.text.to_lowercase()).unwrap_or_default();
            let word = word.trim_end_matches('/');
            !self.is_used(*at) && !is_there(word) && !describes(*at)
        };
        let at = (0..self.tokens.len()).find(left)?;
        self.tokens.get(at).map(|token| token.text.clone())
    }

    /// The only line of the repository, or of the file, that has the value of the slot which locates the change.
    fn only_line(&self) -> Option<&'a str> {
        let word = self.values.get(self.operation.locates.as_deref()?)?.first()?;
        let file = self.values.get("file").and_then(|files| files.first()).map(String::as_str);
        match self.facts.lines_with(word, file).as_slice() {
            [only] if has_word(only, word) => Some(only),
            _ => None,
        }
    }

    fn recipe(&self) -> Option<&'a str> {
        let Some(name) = self.values.get("target").and_then(|names| names.first()) else {
            return self.operation.target(self.facts).map(|target| target.recipe.as_str());
        };
        self.facts.targets.iter().find(|target| target.name == *name).map(|target| target.recipe.as_str())
    }

    fn rendered(&self) -> Option<Reading> {
        self.operation.is_sound(&self.values, self.facts).then_some(())?;
        self.operation.rendered(&self.values, self.facts)
    }
}
