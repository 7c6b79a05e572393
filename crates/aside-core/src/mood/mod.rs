//! In which mood a request is said: as an order, a wish or a question for a command, or as anything else (a question about a state, a
//! report, a condition, a warning, a thank-you). Only the first three ask for something to be done, and only for the verbs that they
//! govern. Reads words alone: knows no command, no machine and no rule.
//!
//! A clause asks for something only if it positively looks like it; whatever is not understood is a statement.

mod chinese;
mod english;
pub(crate) mod lists;
mod phrase;
mod token;
pub(crate) mod verbs;

#[cfg(test)]
mod tests;

use std::ops::Range;

use token::{Sort, Token};

/// Bytes that are read; what is longer is a text, and its beginning decides.
pub const MAX_READ: usize = 4000;
/// Clauses of a request that are read.
const MAX_CLAUSES: usize = 60;

/// Whether a word can order something that changes a state: `stop`, and not `stopped`.
pub fn is_order(word: &str) -> bool {
    matches!(lists::LISTS.verbs.get(word), Some((verb, verbs::Form::Base)) if verb.acts)
}

/// The clauses of a request, in their order. Spans are bytes of the request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mood {
    pub clauses: Vec<Clause>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    pub span: Range<usize>,
    pub kind: Kind,
    /// The words that decided.
    pub by: Range<usize>,
    /// The verbs that the clause governs; mostly one.
    pub heads: Vec<Head>,
    /// Words that put it off: `tomorrow`, `next week`.
    pub later: Option<Range<usize>>,
    /// What stands before the verb of an order and adds nothing to it: `could you please`, `what is the best way to`.
    pub frame: Option<Range<usize>>,
    /// It speaks of what is or was: `who stopped it`, `it was stopped`.
    pub settled: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `delete a.txt`, `please delete a.txt`, `can you delete a.txt`
    Order,
    /// `I want to delete a.txt`
    Wish,
    /// `how do I delete a branch`
    HowTo,
    /// `don't delete a.txt`, `no deleting`, `keep the logs`
    Forbids,
    /// `is nginx stopped`, `who deleted a.txt`
    Question,
    /// `if the disk is full`, and what depends on it
    Condition,
    /// `the volume was removed`, `I deleted it`
    Statement,
    /// `the ticket says: restart tomcat`
    Reported,
    /// `thanks, restarting helped`
    Thanks,
    /// A greeting, a joke, a sigh
    Talk,
    /// `write a script that deletes logs`, `explain what kill does`
    Writing,
    /// `restart count of all pods`: words without a verb of their own
    Mention,
}

impl Kind {
    /// Whether it asks for something to be done.
    pub fn asks_to_act(self) -> bool {
        match self {
            Kind::Order | Kind::Wish | Kind::HowTo => true,
            Kind::Forbids
            | Kind::Question
            | Kind::Condition
            | Kind::Statement
            | Kind::Reported
            | Kind::Thanks
            | Kind::Talk
            | Kind::Writing
            | Kind::Mention => false,
        }
    }
}

/// The verb of a clause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    pub span: Range<usize>,
    pub act: Act,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// `delete`, `restart`, `install`
    Changes,
    /// `make`, `turn`, `do`: what is done is in the words behind it.
    Light,
    /// `list`, `show`, `count`
    Reads,
}

impl Mood {
    pub fn of(request: &str) -> Self {
        let request = request.get(..request.floor_char_boundary(MAX_READ)).unwrap_or_default();
        let tokens = token::tokens(request);
        let clauses = if token::is_chinese(&tokens) { chinese::clauses(&tokens) } else { english::clauses(&tokens) };
        Self { clauses }
    }

    /// Clauses that ask for something to be changed, or may.
    pub fn orders(&self) -> impl Iterator<Item = &Clause> {
        self.clauses
            .iter()
            .filter(|clause| clause.kind.asks_to_act())
            .filter(|clause| clause.heads.iter().any(|head| head.act != Act::Reads))
    }

    /// Whether it positively asks for nothing: it forbids, thanks, or speaks of what is or was (`who stopped it`, `it was stopped`).
    /// For readers of requests that may be put in any words; what is not understood denies nothing.
    pub fn denies(&self) -> bool {
        let says = |clause: &&Clause| clause.kind != Kind::Talk || clause.settled;
        let denied = |clause: &Clause| matches!(clause.kind, Kind::Forbids | Kind::Thanks) || clause.settled;
        let mut said = self.clauses.iter().filter(says).peekable();
        said.peek().is_some() && said.all(denied)
    }

    /// As `denies`, but not because something is forbidden: `never log the token` is a change to code.
    pub fn is_past(&self) -> bool {
        self.denies()
            && !self.clauses.iter().any(|clause| matches!(clause.kind, Kind::Forbids | Kind::Talk | Kind::Reported))
    }

    /// Whether some clause asks or jests, and none asks for something to be done.
    pub fn asks_or_jests(&self) -> bool {
        let talks = |clause: &Clause| clause.kind == Kind::Question || clause.kind == Kind::Talk && clause.settled;
        self.clauses.iter().any(talks) && !self.clauses.iter().any(|clause| clause.kind.asks_to_act())
    }

    /// Whether something that would change things is forbidden, and nothing else is asked for: `don't delete app.log`, `不要删除 a.txt`.
    pub fn only_forbids(&self) -> bool {
        let changes = |clause: &Clause| clause.heads.iter().any(|head| head.act == Act::Changes);
        let says = |clause: &&Clause| !matches!(clause.kind, Kind::Talk | Kind::Thanks);
        let mut said = self.clauses.iter().filter(says).peekable();
        said.peek().is_some() && said.all(|clause| clause.kind == Kind::Forbids && changes(clause))
    }

    /// Whether anything is asked to be done; when not, nothing that changes something answers the request.
    pub fn asks_to_act(&self) -> bool {
        self.orders().next().is_some()
    }
}

/// Hands each sentence to its reader, with whether it ends in a question mark.
fn read_sentences(tokens: &[Token], read: impl Fn(&[Token], bool, &mut Vec<Clause>)) -> Vec<Clause> {
    let ends = |token: &Token| token.sort == Sort::Mark && matches!(token.low.as_str(), "." | "!" | "?" | ";" | "\n");
    let mut clauses = Vec::new();
    let mut start = 0;
    while start < tokens.len() && clauses.len() < MAX_CLAUSES {
        let length = tokens.iter().skip(start).take_while(|token| !ends(token)).count();
        let marks = tokens.iter().skip(start + length).take_while(|token| ends(token));
        let asked = marks.clone().any(|token| token.low == "?");
        let next = start + length + marks.count().max(1);
        if length > 0 {
            read(tokens.get(start..start + length).unwrap_or_default(), asked, &mut clauses);
        }
        start = next;
    }
    clauses.truncate(MAX_CLAUSES);
    clauses
}

/// What is put off in one clause of a sentence is so in all: `tomorrow, delete it`.
fn put_off(sentence: &mut [Clause]) {
    let later = sentence.iter().find_map(|clause| clause.later.clone());
    sentence.iter_mut().for_each(|clause| clause.later = clause.later.take().or_else(|| later.clone()));
}
