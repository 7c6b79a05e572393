//! What a source is asked: the line, the place, the user's history and the machine. Also builds a source's candidates.

use aside_commands::shell_names::ShellNames;
use aside_commands::spec::Specs;
use aside_commands::world::World;
use shell_line::quote::{self, WordEnd};
use shell_line::{CursorSpot, Dialect, Quote};

use crate::complete::candidate::{Candidate, CandidateFacts, CandidateKind, CandidateSource, MatchKind};
use crate::history::index::HistoryIndex;

pub struct CompletionContext<'a> {
    /// Text before the cursor.
    pub left: &'a str,
    /// Text after the cursor.
    pub right: &'a str,
    pub cwd: &'a str,
    pub dialect: Dialect,
    /// Aliases, functions and variables that the shell reported.
    pub names: &'a ShellNames,
    pub history: &'a HistoryIndex,
    /// Id of the asking shell's session in the history; empty when unknown.
    pub session: &'a str,
    pub world: &'a dyn World,
    pub specs: &'a Specs,
    /// A model's suggestion for the text at the cursor.
    pub idea: Option<&'a str>,
    /// How many candidates the client wants.
    pub limit: usize,
    /// The user asked for a list: candidates need no further reason to be shown.
    pub list: bool,
}

impl CompletionContext<'_> {
    /// The line with `value` in place of the word at the cursor, quoted as the shell needs it. Typed text stays as it
    /// is if `value` begins with it. Adds no blank: the user types it, as with every ghost text.
    pub fn word(
        &self,
        spot: &CursorSpot<'_>,
        value: &str,
        source: CandidateSource,
        facts: CandidateFacts,
        after: WordEnd,
    ) -> Candidate {
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

    /// Whether the word continues after the cursor, so that nothing can be inserted.
    pub fn is_in_word(&self, quote: Quote) -> bool {
        let right = self.closed(quote).unwrap_or(self.right);
        right.chars().next().is_some_and(|letter| !letter.is_whitespace() && !";|&)<>}`".contains(letter))
    }

    /// A quote that is already closed after the cursor must not be closed again.
    pub fn after(&self, quote: Quote, after: WordEnd) -> WordEnd {
        if self.closed(quote).is_some() { WordEnd::More } else { after }
    }

    /// The text after the closing quote, if that quote comes next.
    fn closed(&self, quote: Quote) -> Option<&str> {
        match quote {
            Quote::None => None,
            Quote::Single | Quote::Dollar => self.right.strip_prefix('\''),
            Quote::Double => self.right.strip_prefix('"'),
        }
    }
}

impl CandidateFacts {
    pub fn new(kind: CandidateKind, fit: MatchKind) -> Self {
        Self { kind, fit, rivals: 1, place: 0, usual: false, typed: 0, adds: 0, past: None, habit: None }
    }
}
