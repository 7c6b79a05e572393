//! What a source is asked: the line, the place, the person's past and the machine. And how a source spells its answer.

use crate::complete::candidate::{Candidate, Facts, Fit, Kind, Source};
use crate::history::index::Index;
use crate::line::quote::{self, After};
use crate::line::{Dialect, Quote, Spot};
use crate::names::Names;
use crate::spec::Specs;
use crate::world::World;

pub struct Ask<'a> {
    /// Text before the cursor.
    pub left: &'a str,
    /// Text after the cursor.
    pub right: &'a str,
    pub cwd: &'a str,
    pub dialect: Dialect,
    /// What the shell said about itself.
    pub names: &'a Names,
    pub history: &'a Index,
    /// The shell that asks, as the history knows it; empty when it is not known.
    pub session: &'a str,
    pub world: &'a dyn World,
    pub specs: &'a Specs,
    /// What a model thinks comes at the cursor.
    pub idea: Option<&'a str>,
    /// How many candidates are wanted in the end.
    pub limit: usize,
    /// The user asked for a list: what may stand here needs no other reason.
    pub list: bool,
}

impl Ask<'_> {
    /// The line with `value` in the place of the word at the cursor, quoted as the shell needs it there. What is typed
    /// stays as it is typed when `value` begins with it. No blank follows: that is left to the person, as in every ghost
    /// text.
    pub fn word(&self, spot: &Spot<'_>, value: &str, source: Source, facts: Facts, after: After) -> Candidate {
        let mut text = String::with_capacity(self.left.len() + value.len() + self.right.len());
        match value.strip_prefix(spot.typed.as_str()) {
            Some(rest) => {
                text.push_str(self.left);
                text.push_str(&quote::rest(rest, spot.quote, self.dialect, after));
            }
            None => {
                text.push_str(&self.left[..spot.start]);
                text.push_str(&quote::word(value, self.dialect));
            }
        }
        let cursor = (!self.right.is_empty()).then_some(text.len());
        text.push_str(self.right);
        Candidate { text, cursor, source, facts, about: String::new() }
    }

    /// Whether the word goes on after the cursor, so that nothing can be put there.
    pub fn is_in_word(&self, quote: Quote) -> bool {
        let right = self.closed(quote).unwrap_or(self.right);
        right.chars().next().is_some_and(|letter| !letter.is_whitespace() && !";|&)<>}`".contains(letter))
    }

    /// A quote that is closed after the cursor already must not be closed again.
    pub fn after(&self, quote: Quote, after: After) -> After {
        if self.closed(quote).is_some() { After::More } else { after }
    }

    /// What comes after the quote that ends the word, if that is what comes next.
    fn closed(&self, quote: Quote) -> Option<&str> {
        match quote {
            Quote::None => None,
            Quote::Single | Quote::Dollar => self.right.strip_prefix('\''),
            Quote::Double => self.right.strip_prefix('"'),
        }
    }
}

impl Facts {
    pub fn new(kind: Kind, fit: Fit) -> Self {
        Self { kind, fit, rivals: 1, place: 0, usual: false, typed: 0, adds: 0, past: None, habit: None }
    }
}
