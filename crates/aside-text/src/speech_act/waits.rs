//! What an English order waits for: `as soon as the build is green, delete it`, `delete it once CI passes`, `tomorrow delete it`. Judges by
//! the place of the words: at the start of a clause with an order behind it, or at the end of an order.

use std::ops::Range;

use crate::speech_act::token::{Token, TokenKind};
use crate::speech_act::verbs::VerbForm;
use crate::speech_act::word_lists::English;

/// Tokens of the words that an order waits for, and of the order.
pub struct Wait {
    pub by: Range<usize>,
    pub over: Range<usize>,
}

/// `orders` are the tokens where a clause begins that asks for an action.
pub fn of(lists: &English, tokens: &[Token], orders: &[usize]) -> Option<Wait> {
    let sentence = Sentence { lists, tokens, orders };
    (0..tokens.len()).find_map(|at| sentence.condition(at).or_else(|| sentence.time(at)))
}

struct Sentence<'t> {
    lists: &'t English,
    tokens: &'t [Token],
    orders: &'t [usize],
}

impl Sentence<'_> {
    fn from(&self, at: usize) -> &[Token] {
        self.tokens.get(at..).unwrap_or_default()
    }

    fn low(&self, at: usize) -> &str {
        self.tokens.get(at).filter(|token| token.sort != TokenKind::Quoted).map_or("", |token| token.low.as_str())
    }

    fn before(&self, at: usize) -> &str {
        at.checked_sub(1).map_or("", |before| self.low(before))
    }

    /// `once CI passes`, before an order or behind it.
    fn condition(&self, at: usize) -> Option<Wait> {
        let rest = self.from(at);
        let taken = self.lists.awaits.at(rest).filter(|_| self.lists.existence.at(rest).is_none())?;
        let begin = at + taken;
        // `run it once more`
        if matches!(self.low(begin), "" | "," | "more" | "again" | "and") {
            return None;
        }
        if self.starts(at) {
            let order = (begin + 1..self.tokens.len()).find(|place| self.is_order(*place))?;
            let end = (begin..order).find(|place| self.low(*place) == ",").unwrap_or(order);
            return Some(Wait { by: at..end, over: at..self.tokens.len() });
        }
        // Something has to happen in it: `insert a line after the header` does not wait.
        let is_verb = |token: &Token| {
            token.is_word()
                && (matches!(
                    token.low.as_str(),
                    "is" | "are" | "was" | "were" | "has" | "have" | "does" | "goes" | "gets"
                ) || self.lists.finite.contains(token.low.as_str())
                    || self.lists.verbs.get(&token.low).is_some_and(|(_, form)| form != VerbForm::Base))
        };
        let end = (begin..self.tokens.len()).find(|place| self.low(*place) == ",").unwrap_or(self.tokens.len());
        let tells = self.lists.subjects.contains(self.low(begin));
        let happens = tells || self.tokens.get(begin + 1..end).unwrap_or_default().iter().any(is_verb);
        let order = self.governor(at)?;
        happens.then_some(Wait { by: at..end, over: self.clause_of(order)..end })
    }

    /// The order that words behind it belong to; not in `check if it runs`, `the job that hangs when it runs`.
    fn governor(&self, at: usize) -> Option<usize> {
        let is_verb = |place: usize| self.lists.verbs.get(self.low(place)).is_some() && !self.is_governed(place);
        let place = (0..at).rev().find(|place| self.lists.relatives.contains(self.low(*place)) || is_verb(*place))?;
        // `tell me if it passes` says what to say.
        let says = self.lists.verbs.get(self.low(place)).is_some_and(|(verb, _)| verb.reads || verb.speaks);
        let says = says || matches!(self.low(place + 1), "me" | "us" | "whoever");
        (self.is_order(place) && !says).then_some(place)
    }

    /// `tomorrow`, before an order or behind it.
    fn time(&self, at: usize) -> Option<Wait> {
        let rest = self.from(at);
        let taken = self.lists.later.at(rest).max(self.lists.idle.at(rest))?;
        let end = at + taken;
        let by = at..end;
        if self.starts(at) {
            let order = (end..self.tokens.len()).find(|place| self.is_order(*place))?;
            return (order > at).then_some(Wait { by, over: at..self.tokens.len() });
        }
        // `delete what is older than one day`, `set the date to tomorrow`
        let before = self.before(at);
        let is_object = self.lists.prepositions.contains(before)
            || self.lists.determiners.contains(before)
            || matches!(before, "than" | "to" | "called" | "named" | "until" | "till" | "as");
        let ends = matches!(self.low(end), "" | "," | "please" | "pls" | "and" | "then")
            && self.tokens.get(end).is_none_or(|token| token.sort != TokenKind::Quoted);
        let order = self.governor(at)?;
        (ends && !is_object).then_some(Wait { by, over: self.clause_of(order)..end })
    }

    /// Whether only manners precede in the clause.
    fn starts(&self, at: usize) -> bool {
        let start = (0..at).rev().find(|place| self.low(*place) == ",").map_or(0, |comma| comma + 1);
        let mut place = start;
        while place < at {
            let joins = matches!(self.low(place), "and" | "then" | "but" | "so" | "or" | "ok" | "okay");
            match self.lists.polite.at(self.from(place)).or(joins.then_some(1)) {
                Some(taken) => place += taken,
                None => return false,
            }
        }
        place == at
    }

    /// Whether a word orders, by the words before it: no subject, no `to`.
    fn is_order(&self, at: usize) -> bool {
        if self.orders.contains(&at) {
            return true;
        }
        let acts = self.tokens.get(at).is_some_and(|token| {
            token.is_word()
                && self.lists.verbs.get(&token.low).is_some_and(|(verb, form)| verb.acts && form == VerbForm::Base)
        });
        acts && !self.is_governed(at)
    }

    /// Whether a verb has a subject or a modal before it, or is a noun: `the branch`.
    fn is_governed(&self, at: usize) -> bool {
        let English { subjects, determiners, prepositions, .. } = self.lists;
        let before = self.before(at);
        if matches!(before, "and" | "then" | "or" | "but" | "please" | "pls" | "plz") {
            return false;
        }
        [subjects, determiners, prepositions].iter().any(|set| set.contains(before))
            || matches!(
                before,
                "to" | "will"
                    | "would"
                    | "can"
                    | "could"
                    | "should"
                    | "must"
                    | "may"
                    | "might"
                    | "not"
                    | "don't"
                    | "never"
            )
    }

    /// Where the clauses begin that share the wait of an order: `stop it and delete it once CI passes`.
    fn clause_of(&self, order: usize) -> usize {
        (0..order).rev().find(|place| self.low(*place) == ",").map_or(0, |comma| comma + 1)
    }
}
