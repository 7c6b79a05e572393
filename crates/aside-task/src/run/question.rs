//! Reads a question by what it asks (a facet of `data/task/questions.toml`) and by the things that it names: branches, authors, files,
//! targets, names of the code. Every word counts: one that means nothing here makes the reading a near one, which the answer has to say,
//! and a thing that the facet has no place for makes it another question. Answers nothing itself.

mod period;
mod table;
mod things;
pub mod way;

#[cfg(test)]
mod tests;

use aside_core::detect::word_lists::{is_one_slip, lists};

use crate::run::phrase::Phrase;
use crate::run::question::table::{Asks, TABLE};
use crate::run::question::things::Grounded;
use crate::run::reader::tokens::{Token, TokenKind, tokens};
use crate::run::search::identifiers::{parts, stem};

pub use crate::run::question::table::{Facet, Slot};
pub use crate::run::question::things::{QuestionFacts, Things};

/// Characters of a question that is read; a longer one is prose.
const MAX_LETTERS: usize = 220;
/// Words shorter than that have too many neighbours for a slip to be recognized.
const LEAST_SLIP: usize = 4;
/// Words that a near reading may leave over.
const MAX_LEFT: usize = 2;

/// What a question means.
#[derive(Clone, Debug)]
pub struct QuestionReading {
    pub facet: &'static Facet,
    pub things: Things,
    /// Words that mean nothing here; none in a certain reading.
    pub left: Vec<String>,
    explained: usize,
}

impl QuestionReading {
    pub fn is_certain(&self) -> bool {
        self.left.is_empty()
    }
}

/// Whether the words of some facet are there, so that it is worth looking at the repository.
pub fn may_mean(request: &str) -> bool {
    let all = words(request);
    let asks = asks(&all);
    is_short(request) && TABLE.facets.iter().any(|facet| Binding::new(facet, &all, asks).is_some())
}

/// Whether a request asks for a way of doing something: "how do I", "…, what's the command".
pub fn asks_how(request: &str) -> bool {
    asks(&words(request)) == Asks::How
}

/// Whether a request asks something at all, and orders nothing.
pub fn is_question(request: &str) -> bool {
    let all = words(request);
    let is_marked = request.trim_end().ends_with(['?', '？']);
    let bare = |at: usize, phrase: &Phrase| matches(&all, phrase, at, &|_, _| false);
    let asks_first = (0..all.len().min(4)).any(|at| TABLE.questions.iter().any(|phrase| bare(at, phrase)));
    (is_marked || asks_first || asks(&all) == Asks::How) && !orders(&all)
}

/// The content words of a request, in small letters: what a text has to mention to be about the same.
pub fn content_words(request: &str) -> Vec<String> {
    let all = words(request);
    let mut used: Vec<bool> = all.iter().map(|token| token.kind == TokenKind::Break).collect();
    let empty = TABLE.fillers.iter().chain(&TABLE.how).chain(&TABLE.questions).chain(&TABLE.empty);
    for phrase in empty {
        take_all(&all, &mut used, phrase);
    }
    left(&all, &used).into_iter().filter(|word| !TABLE.limits(word)).collect()
}

/// Whether a request has a word about the state of the repository or of tasks, or no content at all.
pub fn is_about_state(request: &str) -> bool {
    let all = words(request);
    let has = |phrase: &Phrase| (0..all.len()).any(|at| matches(&all, phrase, at, &is_slip));
    TABLE.state.iter().any(has) || content_words(request).len() < 2
}

/// The words of a request that look like names of the code.
pub fn code_names(request: &str) -> Vec<String> {
    let all = words(request);
    let names = all.iter().filter_map(|token| token.text.split('(').next()).filter(|text| things::is_name(text));
    names.map(str::to_owned).collect()
}

/// The commands within a question: what follows a program, up to a word that is none of a command; a text in quotes is one.
pub fn commands(request: &str, is_program: &dyn Fn(&str) -> bool) -> Vec<String> {
    let all = words(request);
    let mut found: Vec<Vec<&str>> = Vec::new();
    let quoted: Vec<String> =
        all.iter().filter(|token| token.kind == TokenKind::Quoted).map(|token| token.text.clone()).collect();
    let mut is_open = false;
    for token in &all {
        let text = token.text.as_str();
        let program = text.split_whitespace().next().unwrap_or_default();
        if token.kind == TokenKind::Quoted {
            found.extend(is_program(program).then(|| vec![text]));
            is_open = false;
            continue;
        }
        let ends = token.kind == TokenKind::Break
            || !text.is_ascii()
            || TABLE
                .ends_command
                .iter()
                .any(|phrase| phrase.len() == 1 && phrase.words().next() == Some(&text.to_lowercase()));
        match () {
            () if ends => is_open = false,
            () if is_open => {
                if let Some(command) = found.last_mut() {
                    command.push(text);
                }
            }
            () if is_program(text) && text.chars().all(|letter| !letter.is_uppercase()) => {
                found.push(vec![text]);
                is_open = true;
            }
            () => {}
        }
    }
    // Words of prose may be programs too: without quotes only a flag tells a command from them.
    found
        .into_iter()
        .map(|words| words.join(" "))
        .filter(|command| command.contains(" -") || quoted.contains(command))
        .collect()
}

/// The words that are not used, in small letters; Chinese letters beside each other are one.
fn left(all: &[Token], used: &[bool]) -> Vec<String> {
    let mut words: Vec<(usize, String)> = Vec::new();
    for (at, (token, _)) in all.iter().zip(used).enumerate().filter(|(_, (_, used))| !**used) {
        let is_han = |text: &str| text.chars().all(aside_text::is_han);
        match words.last_mut().filter(|(last, word)| last + 1 == at && is_han(word) && is_han(&token.text)) {
            Some((last, word)) => {
                word.push_str(&token.text);
                *last = at;
            }
            None => words.push((at, token.text.to_lowercase())),
        }
    }
    words.into_iter().map(|(_, word)| word).collect()
}

/// The best reading of a request; `None` where it is another question, an order, or has more than a few words without a meaning here.
pub fn read(request: &str, facts: &QuestionFacts<'_>) -> Option<QuestionReading> {
    if !is_short(request) {
        return None;
    }
    let all = words(request);
    let asks = asks(&all);
    let grounded = Grounded::of(&all, facts);
    if asks == Asks::What && orders(&all) {
        return None;
    }
    let readings = TABLE.facets.iter().filter_map(|facet| {
        let fits = facet.files.is_empty() || facet.files.iter().any(|file| (facts.has_root_file)(file));
        let binding = Binding::new(facet, &all, asks).filter(|_| fits)?;
        binding.read(&grounded)
    });
    // The first of equals: the table has the more special ones first.
    let mut best: Option<QuestionReading> = None;
    for reading in readings {
        let rank = |reading: &QuestionReading| (std::cmp::Reverse(reading.left.len()), reading.explained);
        if best.as_ref().is_none_or(|best| rank(&reading) > rank(best)) {
            best = Some(reading);
        }
    }
    best
}

/// The stems of the words of a text, also of those within an identifier.
pub fn stems(text: &str) -> Vec<String> {
    text.split_whitespace().flat_map(parts).map(|part| stem(&part)).collect()
}

fn is_short(request: &str) -> bool {
    !request.contains('\n') && request.chars().nth(MAX_LETTERS).is_none()
}

fn words(request: &str) -> Vec<Token> {
    let mut all = tokens(request.trim(), &|_| false);
    for token in all.iter_mut().filter(|token| token.kind == TokenKind::Word) {
        // A dash between two clauses.
        if !token.text.contains(char::is_alphanumeric) && !token.text.contains(['.', '/', '_']) || token.text == "/" {
            token.kind = TokenKind::Break;
        }
    }
    all
}

fn asks(all: &[Token]) -> Asks {
    let is_how = (0..all.len()).any(|at| TABLE.how.iter().any(|phrase| matches(all, phrase, at, &|_, _| false)));
    // "…, how?"
    let is_last = |at: usize| all.get(at + 1).is_none_or(|next| next.kind == TokenKind::Break);
    let ends =
        (0..all.len()).any(|at| all.get(at).is_some_and(|token| token.text.eq_ignore_ascii_case("how")) && is_last(at));
    if is_how || ends { Asks::How } else { Asks::What }
}

/// Whether a request begins with a verb of an order: "delete the merged branches".
fn orders(all: &[Token]) -> bool {
    // "I'd like to run the tests, could you do that?"
    let wishes =
        [&["i'd", "like", "to"][..], &["i", "would", "like", "to"], &["i", "want", "to"], &["i", "want", "you", "to"]];
    let is_wish = |wish: &&&[&str]| {
        let said = |(at, word): (usize, &&str)| {
            all.get(at).is_some_and(|token: &Token| token.text.to_lowercase().replace('’', "'") == **word)
        };
        asks(all) == Asks::What && wish.iter().enumerate().all(said)
    };
    let skipped = wishes.iter().find(is_wish).map_or(0, |wish| wish.len());
    let all = all.get(skipped..).unwrap_or_default();
    let first = all.iter().position(|token| {
        let courtesy = ["please", "pls", "can", "could", "would", "you", "just", "now", "请", "帮我", "把", "将"];
        token.kind != TokenKind::Break && !courtesy.contains(&token.text.to_lowercase().as_str())
    });
    // "make check, what does it do" begins with a target, "stash 里有什么" with a noun.
    let nouns = ["make", "run", "build", "stash", "tag", "release", "commit", "format", "test"];
    let is_noun = |at: usize| all.get(at).is_some_and(|token| nouns.contains(&token.text.to_lowercase().as_str()));
    let first = first.filter(|at| !(is_noun(*at) && mentions_question(all)));
    first.is_some_and(|at| TABLE.orders.iter().any(|phrase| matches(all, phrase, at, &|_, _| false)))
}

/// Whether a word for a question is anywhere.
fn mentions_question(all: &[Token]) -> bool {
    let words = ["what", "why", "which", "does", "么", "吗"];
    all.iter().any(|token| words.contains(&token.text.to_lowercase().as_str()))
}

/// Whether the words of a phrase follow each other from a token on; a break may stand between them.
fn matches(all: &[Token], phrase: &Phrase, at: usize, is_slip: &dyn Fn(&str, &str) -> bool) -> bool {
    phrase.words().enumerate().all(|(offset, known)| {
        let Some(token) = all.get(at + offset).filter(|token| token.kind == TokenKind::Word) else { return false };
        let word = token.text.to_lowercase().replace('’', "'");
        word == known || is_slip(known, &word)
    })
}

fn take_all(all: &[Token], used: &mut [bool], phrase: &Phrase) {
    for at in 0..all.len() {
        let free = (0..phrase.len()).all(|offset| used.get(at + offset) == Some(&false));
        if free && matches(all, phrase, at, &|_, _| false) {
            used.iter_mut().skip(at).take(phrase.len()).for_each(|used| *used = true);
        }
    }
}

/// A misspelt word that no dictionary has.
fn is_slip(known: &str, word: &str) -> bool {
    let long = known.len() >= LEAST_SLIP && word.len() >= LEAST_SLIP && word.is_ascii();
    long && is_one_slip(known, word) && !lists().is_word(word)
}

/// Which of the phrases of a group is taken.
#[derive(Clone, Copy)]
enum Prefer {
    Long,
    Short,
}

/// One facet whose needs are met by the tokens of a question.
struct Binding<'a> {
    facet: &'static Facet,
    all: &'a [Token],
    used: Vec<bool>,
    explained: usize,
}

impl<'a> Binding<'a> {
    fn new(facet: &'static Facet, all: &'a [Token], asks: Asks) -> Option<Self> {
        if facet.asks != asks {
            return None;
        }
        let has = |phrase: &Phrase| (0..all.len()).any(|at| matches(all, phrase, at, &|_, _| false));
        if facet.not.iter().any(has) {
            return None;
        }
        let used: Vec<bool> = all.iter().map(|token| token.kind == TokenKind::Break).collect();
        let binding = || Self { facet, all, used: Vec::clone(&used), explained: 0 };
        // A long phrase may take a word that another group needs.
        [Prefer::Long, Prefer::Short].into_iter().find_map(|prefer| {
            let mut binding = binding();
            facet.needs.iter().all(|group| binding.take_one(group, prefer)).then_some(binding)
        })
    }

    /// Takes a phrase of a group that is there.
    fn take_one(&mut self, group: &[Phrase], prefer: Prefer) -> bool {
        let found = group.iter().filter_map(|phrase| Some((phrase.len(), self.find(phrase)?)));
        let best = match prefer {
            Prefer::Long => found.max_by_key(|(len, at)| (*len, std::cmp::Reverse(*at))),
            Prefer::Short => found.min(),
        };
        let Some((len, at)) = best else { return false };
        self.used.iter_mut().skip(at).take(len).for_each(|used| *used = true);
        self.explained += len;
        true
    }

    fn find(&self, phrase: &Phrase) -> Option<usize> {
        (0..self.all.len()).find(|at| {
            (0..phrase.len()).all(|offset| self.used.get(at + offset) == Some(&false))
                && matches(self.all, phrase, *at, &is_slip)
        })
    }

    fn read(mut self, grounded: &Grounded) -> Option<QuestionReading> {
        let mut things = Things::default();
        for thing in &grounded.all {
            let is_free = (thing.at..thing.at + thing.len).all(|at| self.used.get(at) == Some(&false));
            // A number that a facet takes is one, though "two" may be said of anything.
            let own = if thing.kind == Slot::Number { &[][..] } else { self.facet.allows.as_slice() };
            let allowed = own.iter().chain(&TABLE.fillers);
            let is_plain = thing.is_weak
                && thing.kind != Slot::Ref
                && allowed
                    .into_iter()
                    .any(|phrase| phrase.len() == thing.len && matches(self.all, phrase, thing.at, &|_, _| false));
            if !is_free || is_plain {
                continue;
            }
            if !self.facet.takes(thing.kind, things.count(thing.kind)) {
                // A thing without a place makes it another question; what is also a plain word may be that.
                if thing.is_weak {
                    continue;
                }
                return None;
            }
            things.add(thing);
            self.used.iter_mut().skip(thing.at).take(thing.len).for_each(|used| *used = true);
        }
        for phrase in self.facet.allows.iter().chain(&TABLE.how).chain(&TABLE.fillers) {
            take_all(self.all, &mut self.used, phrase);
        }
        let mut left = left(self.all, &self.used);
        if self.facet.takes(Slot::Words, 0) && !left.is_empty() {
            things.words = std::mem::take(&mut left);
        }
        let is_complete = self.facet.slots.iter().all(|(slot, needed)| things.count(*slot) >= *needed);
        let restricts = left.iter().any(|word| TABLE.restricts(word));
        let is_near = left.len() <= MAX_LEFT && self.facet.needs.len() > 1;
        let may_be = is_complete && !restricts && (left.is_empty() || is_near);
        may_be.then_some(QuestionReading { facet: self.facet, things, left, explained: self.explained })
    }
}
