//! Completes the line being typed. Asks the sources for candidates and the ranking for their order; does not know how
//! they are shown.

mod admit;
pub mod ask;
pub mod candidate;
mod commands;
pub mod correct;
mod environment;
pub mod ghost;
mod history;
pub mod learn;
pub mod model;
mod part;
mod path;
pub mod possible;
mod project;
pub mod rank;
mod resolve;
mod sought;
pub mod spec;

#[cfg(test)]
mod anything;
#[cfg(test)]
pub mod fake;
#[cfg(test)]
mod random;
#[cfg(test)]
mod tests;

use crate::line::{self, Spot};
use ask::Ask;
use candidate::{Candidate, Facts, Fit, Kind, Outcome, Source};
use rank::Ranked;

/// A client that asks for more than this shows a list, and takes unlikely candidates too.
const USUAL_LIMIT: usize = 5;

/// At most `ask.limit` candidates, best first, each with its calibrated probability.
pub fn complete(ask: &Ask<'_>) -> Vec<Ranked> {
    let mut chosen = uncalibrated(ask);
    ghost::calibrate(ask.left, &mut chosen);
    chosen
}

/// The same with the ranking's own probabilities.
pub fn uncalibrated(ask: &Ask<'_>) -> Vec<Ranked> {
    let line = line::parse(ask.left, ask.dialect);
    let spot = line.at(ask.left.len());
    let mut candidates = history::lines(ask);
    if candidates.is_empty() {
        candidates = history::inner_lines(ask, &spot);
    }
    candidates.extend(history::words(ask, &spot));
    candidates.extend(spec::candidates(ask, &spot));
    candidates.extend(path::candidates(ask, &spot));
    candidates.extend(environment::candidates(ask, &spot));
    candidates.extend(correct::candidates(ask));
    candidates.extend(idea(ask));
    if candidates.len() < ask.limit {
        candidates.extend(history::sought(ask));
    }
    let mut ranked = rank::order(candidates, if ask.list || ask.limit > USUAL_LIMIT { 0.0 } else { rank::QUIET });
    ranked.extend(part::parts(&ranked, ask.left.len()));
    rank::sort(&mut ranked);
    finish(&mut ranked);
    ghost::lead_with_lines(ask.left, &mut ranked);
    if ask.list {
        // Flags are offered after a dash is typed.
        let is_unused_flag =
            |Facts { kind, past, habit, .. }: Facts| kind == Kind::Flag && past.is_none() && habit.is_none();
        ranked.sort_by_key(|ranked| is_unused_flag(ranked.candidate.facts));
    }
    choose(ask, &spot, ranked)
}

/// If the first candidate is the prefix of exactly one line that ran before, that line goes first: a user who wants
/// less accepts a word of it.
fn finish(ranked: &mut [Ranked]) {
    let Some(first) = ranked.first().filter(|first| first.candidate.facts.kind == Kind::Words) else { return };
    let goes_on = |ranked: &Ranked| {
        ranked.candidate.facts.past.is_some_and(|past| past.outcome != Outcome::Failed)
            && ranked.candidate.text.starts_with(&first.candidate.text)
    };
    let mut lines = ranked.iter().enumerate().filter(|(_, ranked)| goes_on(ranked)).map(|(place, _)| place);
    if let (Some(only), None) = (lines.next(), lines.next()) {
        ranked[..=only].rotate_right(1);
    }
}

/// The first distinct candidates that can run.
fn choose(ask: &Ask<'_>, spot: &Spot<'_>, ranked: Vec<Ranked>) -> Vec<Ranked> {
    // Errors in the typed words are not held against the candidate.
    let typed = ask.left[..spot.start].trim_end();
    let is_sound = typed.is_empty() || possible::runs(ask, typed);
    let is_half_said = is_half_said(&ranked);
    let is_exact =
        |ranked: &Ranked| ranked.candidate.facts.fit == Fit::Extends && ranked.candidate.source != Source::History;
    let has_exact = ranked.iter().any(is_exact);
    let mut chosen: Vec<Ranked> = Vec::with_capacity(ask.limit);
    for Ranked { candidate, chance } in ranked {
        let is_idea = candidate.facts.kind == Kind::Idea;
        if is_idea && is_half_said || !is_idea && chosen.len() >= ask.limit {
            continue;
        }
        let text = candidate.text.trim_end();
        let same = |known: &&mut Ranked| bare(&known.candidate.text) == bare(text);
        if let Some(known) = chosen.iter_mut().find(same) {
            // A later candidate with the same text may have a description.
            if known.candidate.about.is_empty() {
                known.candidate.about = candidate.about;
            }
            continue;
        }
        // The first candidate can be accepted word by word, so a prefix of it adds nothing. A list has both.
        let is_part = |first: &Ranked| !ask.list && first.candidate.text.starts_with(text);
        if chosen.first().is_some_and(is_part) || bare(text) == bare(ask.left) {
            continue;
        }
        // No typed text is changed if a candidate fits it as it is.
        if has_exact && matches!(candidate.facts.fit, Fit::Mends { .. }) && candidate.source != Source::Correction {
            continue;
        }
        // The other sources only offer what exists.
        let may_be_gone = matches!(candidate.source, Source::History | Source::Llm);
        // Cheapest check first: most candidates are rejected for want of a reason.
        if !ask.list && !admit::reason::has_reason(ask, spot, &candidate, chance)
            || is_sound && may_be_gone && !possible::runs(ask, text)
            || !admit::admits(ask, &candidate)
        {
            continue;
        }
        // If more than one candidate is wanted, the model's suggestion takes the last place.
        if chosen.len() >= ask.limit {
            if ask.limit <= 1 {
                continue;
            }
            chosen.pop();
        }
        chosen.push(Ranked { candidate, chance });
    }
    chosen
}

/// Whether a model's suggestion ends inside a word that is known here: the rest is still streaming, and `git stat` in
/// place of `git status` is useless.
fn is_half_said(ranked: &[Ranked]) -> bool {
    let Some(idea) = ranked.iter().find(|ranked| ranked.candidate.facts.kind == Kind::Idea) else { return false };
    let goes_on = |rest: &str| rest.starts_with(|next: char| !next.is_whitespace() && next != '/');
    ranked.iter().any(|known| known.candidate.text.strip_prefix(&idea.candidate.text).is_some_and(goes_on))
}

/// The text without a trailing blank or slash, which the user would not see.
fn bare(text: &str) -> &str {
    let text = text.trim_end();
    text.strip_suffix('/').unwrap_or(text)
}

/// A model's suggestion as a candidate like any other.
fn idea(ask: &Ask<'_>) -> Option<Candidate> {
    let idea = ask.idea.filter(|idea| !idea.is_empty())?;
    let text = format!("{}{idea}{}", ask.left, ask.right);
    let cursor = (!ask.right.is_empty()).then_some(ask.left.len() + idea.len());
    let adds = idea.chars().count() as u16;
    let facts = Facts { adds, ..Facts::new(Kind::Idea, Fit::Extends) };
    Some(Candidate { text, cursor, source: Source::Llm, facts, about: String::new() })
}
