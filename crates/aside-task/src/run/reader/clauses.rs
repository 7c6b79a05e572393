//! Which clauses of a request only give a reason, and so need no meaning of their own: "ci is slow, so raise TIMEOUT to 30", "drop lodash, it
//! is not used". A clause that may restrict or order something is never a reason.

use crate::run::phrase::Phrase;
use crate::run::reader::table::{TABLE, Table};
use crate::run::reader::tokens::{Token, TokenKind};

/// Tokens from the begin of a clause to the verb that makes it a statement.
const MAX_SUBJECT: usize = 5;

/// For each token, whether it belongs to a reason.
pub fn reasons(tokens: &[Token]) -> Vec<bool> {
    let mut optional = vec![false; tokens.len()];
    let clauses = clauses(tokens);
    let last = clauses.len().saturating_sub(1);
    for (number, (from, to)) in clauses.iter().copied().enumerate() {
        let Some(clause) = tokens.get(from..to) else { continue };
        let concludes = clauses.get(number + 1).is_some_and(|(next, _)| starts(&TABLE.conclusions, tokens, *next));
        let head = from..to.min(from + MAX_SUBJECT);
        let states = TABLE.statements.iter().any(|phrase| head.clone().any(|at| phrase.stands_at(tokens, at)));
        let explains = starts(&TABLE.because, tokens, from);
        let about = starts(&TABLE.subjects, tokens, from);
        let is_reason =
            explains || number < last && (concludes || states) || number == last && number > 0 && about && states;
        if is_reason && !restricts(clause) && (explains || !orders(clause)) {
            optional.iter_mut().take(to).skip(from).for_each(|optional| *optional = true);
        }
    }
    // The word that draws the conclusion has no other meaning.
    for (from, to) in clauses.iter().copied().skip(1) {
        if starts(&TABLE.conclusions, tokens, from) && optional.get(from.saturating_sub(2)).copied().unwrap_or(false) {
            optional.iter_mut().take((from + 1).min(to)).skip(from).for_each(|optional| *optional = true);
        }
    }
    optional
}

/// The ranges between breaks, and from a word like "because" on.
fn clauses(tokens: &[Token]) -> Vec<(usize, usize)> {
    let mut all = Vec::new();
    let mut from = 0;
    for at in 0..=tokens.len() {
        let token = tokens.get(at);
        let is_break = token.is_none_or(|token| token.kind == TokenKind::Break);
        let begins = at > from && TABLE.because_anywhere.iter().any(|phrase| phrase.stands_at(tokens, at));
        let concludes = at > from && TABLE.conclusions.iter().any(|phrase| phrase.stands_at(tokens, at));
        if is_break || begins || concludes {
            if at > from {
                all.push((from, at));
            }
            from = if is_break { at + 1 } else { at };
        }
    }
    all
}

fn starts(phrases: &[Phrase], tokens: &[Token], at: usize) -> bool {
    phrases.iter().any(|phrase| phrase.stands_at(tokens, at))
}

fn restricts(clause: &[Token]) -> bool {
    TABLE.restricting.iter().any(|phrase| (0..clause.len()).any(|at| phrase.stands_at(clause, at)))
}

/// Whether a clause begins with a verb of some operation, or has one behind a courtesy.
fn orders(clause: &[Token]) -> bool {
    let Table { operations, fillers, .. } = &*TABLE;
    let polite = |at: usize| {
        fillers.iter().any(|phrase| phrase.len() == 1 && phrase.stands_at(clause, at))
            && !TABLE.subjects.iter().any(|phrase| phrase.stands_at(clause, at))
    };
    let first = (0..clause.len()).find(|at| !polite(*at)).unwrap_or(0);
    // "Tests are slow" says how they are.
    if TABLE.statements.iter().any(|phrase| phrase.stands_at(clause, first + 1)) {
        return false;
    }
    let verbs = operations.iter().filter_map(|operation| operation.needs.first()).flatten();
    verbs.into_iter().any(|phrase| phrase.is_verb() && phrase.stands_at(clause, first))
}
