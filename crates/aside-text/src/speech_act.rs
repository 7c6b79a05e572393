//! Classifies the mood of a request: an order, a wish or a question for a command, or anything else (a question about a
//! state, a report, a condition, a warning, a thank-you). Only the first three ask for an action, and only for the
//! verbs that they govern. Reads words alone: knows no command, no machine and no rule.
//!
//! A clause asks for something only on positive evidence; whatever is not understood is a statement.

mod chinese;
mod english;
mod token;
mod verb_phrase;
pub mod verbs;
mod waits;
pub mod word_lists;

#[cfg(test)]
mod tests;

use std::ops::Range;

use token::{Token, TokenKind};

/// Bytes that are read; of a longer text the beginning decides.
pub const MAX_READ: usize = 4000;
/// Clauses of a request that are read.
const MAX_CLAUSES: usize = 60;

/// Whether a word can order a change of state: `stop`, but not `stopped`.
pub fn is_order(word: &str) -> bool {
    matches!(word_lists::LISTS.verbs.get(word), Some((verb, verbs::VerbForm::Base)) if verb.acts)
}

/// The clauses of a request, in order. Spans are byte ranges of the request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpeechActs {
    pub clauses: Vec<Clause>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    pub span: Range<usize>,
    pub kind: SpeechAct,
    /// The words that decided its kind.
    pub by: Range<usize>,
    /// The verbs that the clause governs; usually one.
    pub heads: Vec<ClauseVerb>,
    /// Words that defer it: `tomorrow`, `next week`.
    pub later: Option<Range<usize>>,
    /// Words that say when it is to happen, or on what condition: `as soon as the build is green`, `tomorrow`.
    pub waits: Option<Range<usize>>,
    /// The words before the verb of an order that add nothing: `could you please`, `what is the best way to`.
    pub frame: Option<Range<usize>>,
    /// It is about the present state or the past: `who stopped it`, `it was stopped`.
    pub settled: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpeechAct {
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

impl SpeechAct {
    /// Whether it asks for an action.
    pub fn asks_to_act(self) -> bool {
        match self {
            SpeechAct::Order | SpeechAct::Wish | SpeechAct::HowTo => true,
            SpeechAct::Forbids
            | SpeechAct::Question
            | SpeechAct::Condition
            | SpeechAct::Statement
            | SpeechAct::Reported
            | SpeechAct::Thanks
            | SpeechAct::Talk
            | SpeechAct::Writing
            | SpeechAct::Mention => false,
        }
    }
}

/// The verb of a clause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClauseVerb {
    pub span: Range<usize>,
    pub act: VerbEffect,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VerbEffect {
    /// `delete`, `restart`, `install`
    Changes,
    /// `make`, `turn`, `do`: the words after it say what to do.
    Light,
    /// `list`, `show`, `count`
    Reads,
}

impl SpeechActs {
    pub fn of(request: &str) -> Self {
        let request = request.get(..request.floor_char_boundary(MAX_READ)).unwrap_or_default();
        let tokens = token::tokens(request);
        let clauses = if token::is_chinese(&tokens) { chinese::clauses(&tokens) } else { english::clauses(&tokens) };
        Self { clauses }
    }

    /// Clauses that ask for a change, or may.
    pub fn orders(&self) -> impl Iterator<Item = &Clause> {
        self.clauses
            .iter()
            .filter(|clause| clause.kind.asks_to_act())
            .filter(|clause| clause.heads.iter().any(|head| head.act != VerbEffect::Reads))
    }

    /// Whether it clearly asks for nothing: it forbids, thanks, or is about the present state or the past (`who stopped
    /// it`, `it was stopped`). For callers that accept requests in any wording: what is not understood does not count
    /// as denied.
    pub fn denies(&self) -> bool {
        let says = |clause: &&Clause| clause.kind != SpeechAct::Talk || clause.settled;
        let denied = |clause: &Clause| matches!(clause.kind, SpeechAct::Forbids | SpeechAct::Thanks) || clause.settled;
        let mut said = self.clauses.iter().filter(says).peekable();
        said.peek().is_some() && said.all(denied)
    }

    /// Like `denies`, but a prohibition does not count: `never log the token` is a change to code.
    pub fn is_past(&self) -> bool {
        self.denies()
            && !self
                .clauses
                .iter()
                .any(|clause| matches!(clause.kind, SpeechAct::Forbids | SpeechAct::Talk | SpeechAct::Reported))
    }

    /// Whether a clause asks or jokes, and none asks for an action.
    pub fn asks_or_jests(&self) -> bool {
        let talks =
            |clause: &Clause| clause.kind == SpeechAct::Question || clause.kind == SpeechAct::Talk && clause.settled;
        self.clauses.iter().any(talks) && !self.clauses.iter().any(|clause| clause.kind.asks_to_act())
    }

    /// Whether a change is forbidden and nothing else is asked for: `don't delete app.log`, `不要删除 a.txt`.
    pub fn only_forbids(&self) -> bool {
        let changes = |clause: &Clause| clause.heads.iter().any(|head| head.act == VerbEffect::Changes);
        let says = |clause: &&Clause| !matches!(clause.kind, SpeechAct::Talk | SpeechAct::Thanks);
        let mut said = self.clauses.iter().filter(says).peekable();
        said.peek().is_some() && said.all(|clause| clause.kind == SpeechAct::Forbids && changes(clause))
    }

    /// What the action that is asked for waits for, if none is asked for now: the command would run at once.
    pub fn waits(&self) -> Option<Range<usize>> {
        let acts = |clause: &Clause| clause.heads.iter().any(|head| head.act != VerbEffect::Reads);
        let now = |clause: &Clause| clause.kind.asks_to_act() && acts(clause) && clause.waits.is_none();
        if self.clauses.iter().any(now) {
            return None;
        }
        self.clauses.iter().find_map(|clause| clause.waits.clone())
    }

    /// Whether any action is asked for; if not, no command that changes something may answer the request.
    pub fn asks_to_act(&self) -> bool {
        self.orders().next().is_some()
    }
}

/// Passes each sentence to its parser, with whether it ends in a question mark.
fn read_sentences(tokens: &[Token], read: impl Fn(&[Token], bool, &mut Vec<Clause>)) -> Vec<Clause> {
    let ends =
        |token: &Token| token.sort == TokenKind::Mark && matches!(token.low.as_str(), "." | "!" | "?" | ";" | "\n");
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

/// A deferral in one clause of a sentence applies to all: `tomorrow, delete it`.
fn put_off(sentence: &mut [Clause]) {
    let later = sentence.iter().find_map(|clause| clause.later.clone());
    sentence.iter_mut().for_each(|clause| clause.later = clause.later.take().or_else(|| later.clone()));
}
