//! Phrase search over the words of a query about text, with a record of the words explained so far. Decides nothing.

use std::ops::Range;
use std::rc::Rc;

use crate::embedded::analysis::{AnalyzedQuery, ExplainedWords, QueryWord};
use crate::embedded::entities::{self, Entity};
use crate::embedded::lexicon::forms;

#[derive(Clone)]
pub struct PhraseReader<'r, 'a> {
    pub reading: &'r AnalyzedQuery<'a>,
    pub used: ExplainedWords,
    /// Each word without its ending; cached because phrases are matched about a thousand times per query.
    forms: Rc<[Vec<String>]>,
}

impl<'r, 'a> PhraseReader<'r, 'a> {
    pub fn new(reading: &'r AnalyzedQuery<'a>) -> Self {
        let forms = reading.words.iter().map(|word| forms(&word.low)).collect();
        Self { reading, used: reading.unused(), forms }
    }

    pub fn len(&self) -> usize {
        self.reading.words.len()
    }

    pub fn word(&self, place: usize) -> Option<&'r QueryWord> {
        self.reading.words.get(place)
    }

    pub fn low(&self, place: usize) -> &'r str {
        self.word(place).map_or("", |word| word.low.as_str())
    }

    /// The first match of any of the phrases, which are separated by `|`. A word of a phrase stands for all words of
    /// its meaning and all its forms; with a leading `=` only for itself.
    pub fn find(&self, phrases: &str) -> Option<Range<usize>> {
        self.find_from(0, phrases)
    }

    pub fn find_from(&self, from: usize, phrases: &str) -> Option<Range<usize>> {
        (from..self.len()).find_map(|place| self.begins(place, phrases))
    }

    /// The longest of the phrases that begins at a place.
    pub fn begins(&self, place: usize, phrases: &str) -> Option<Range<usize>> {
        phrases.split('|').filter_map(|phrase| self.phrase(place, phrase)).max_by_key(|range| range.end)
    }

    fn phrase(&self, place: usize, phrase: &str) -> Option<Range<usize>> {
        let (mut rest, mut at) = (phrase, place);
        while !rest.is_empty() {
            let word = self.word(at).filter(|word| !is_name(word))?;
            let whole = rest.strip_prefix(word.low.as_str()).filter(|more| more.is_empty() || more.starts_with(' '));
            rest = match whole {
                Some(more) => more,
                None => {
                    let (first, more) = rest.split_at(rest.find(' ').unwrap_or(rest.len()));
                    let same = match first.strip_prefix('=') {
                        Some(exact) => word.low == exact,
                        None => {
                            // A Chinese word in a phrase matches only Chinese words.
                            let same_script = first.is_ascii() || !word.low.is_ascii();
                            same_script && word.concept.is_some() && self.reading.is(at, first)
                                || self.forms.get(at).is_some_and(|forms| forms.iter().any(|form| form == first))
                        }
                    };
                    if !same {
                        return None;
                    }
                    more
                }
            };
            rest = rest.strip_prefix(' ').unwrap_or(rest);
            at += 1;
        }
        Some(place..at)
    }

    pub fn says(&self, phrases: &str) -> bool {
        self.find(phrases).is_some()
    }

    /// Marks every match of the phrases; returns whether there was one.
    pub fn take(&mut self, phrases: &str) -> bool {
        let mut place = 0;
        let mut found = false;
        while place < self.len() {
            match self.begins(place, phrases) {
                Some(range) => {
                    place = range.end.max(place + 1);
                    self.mark(range);
                    found = true;
                }
                None => place += 1,
            }
        }
        found
    }

    pub fn mark(&mut self, places: Range<usize>) {
        places.for_each(|place| self.used.mark(place));
    }

    pub fn is_free(&self, place: usize) -> bool {
        place < self.len() && !self.used.has(place)
    }

    /// `5`, `five`
    pub fn number(&self, place: usize) -> Option<u64> {
        match &self.word(place)?.thing {
            Some(Entity::Number(number)) => Some(*number),
            Some(Entity::Port(port)) => Some(u64::from(*port)),
            Some(Entity::Mode(mode)) => mode.parse().ok(),
            _ => None,
        }
    }

    /// `5th`, `second`, but not `first`, which counts from the beginning.
    pub fn ordinal(&self, place: usize) -> Option<u64> {
        let word = self.word(place)?;
        word.thing.is_none().then(|| entities::ordinal(&word.low)).flatten().filter(|number| *number > 0)
    }

    /// A number of any spelling, `n`th included.
    pub fn any_number(&self, place: usize) -> Option<u64> {
        self.number(place).or_else(|| self.ordinal(place))
    }

    /// Whether the word is unknown and was only matched to a similar one.
    pub fn is_misspelt(&self, place: usize) -> bool {
        let Some(word) = self.word(place).filter(|word| word.concept.is_some() && word.low.is_ascii()) else {
            return false;
        };
        let is_known = |text: &str| self.reading.is(place, text);
        !word.low.contains(' ') && !is_known(&word.low) && !forms(&word.low).iter().any(|form| is_known(form))
    }

    pub fn quoted(&self, place: usize) -> Option<&'r str> {
        match &self.word(place)?.thing {
            Some(Entity::Text(text)) => Some(text),
            _ => None,
        }
    }
}

/// A name or a text, which has no other meaning.
fn is_name(word: &QueryWord) -> bool {
    matches!(word.thing, Some(Entity::Text(_) | Entity::Path(_) | Entity::Glob(_) | Entity::Url(_) | Entity::Email(_)))
}
