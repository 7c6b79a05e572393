//! Completes the line being typed. Asks the sources for candidates and the ranking for their order; does not know how
//! they are shown.

pub mod candidate;
mod command_names;
mod common_prefix;
pub mod context;
pub mod correct;
mod environment;
mod filter;
mod fuzzy;
pub mod ghost;
mod history;
pub mod model;
mod path;
mod project_hints;
pub mod rank;
mod resolve_path;
pub mod runnable;
pub mod spec;
pub mod spec_from_help;

#[cfg(test)]
pub mod fake;
#[cfg(test)]
mod fuzz_tests;
#[cfg(test)]
mod random_tests;
#[cfg(test)]
mod tests;

use shell_line::{self as line, CursorSpot};

use candidate::{Candidate, CandidateFacts, CandidateKind, CandidateSource, LastOutcome, MatchKind};
use context::CompletionContext;
use rank::Ranked;

/// A client that asks for more than this shows a list, and takes unlikely candidates too.
const USUAL_LIMIT: usize = 5;

/// At most `ask.limit` candidates, best first, each with its calibrated probability.
pub fn complete(context: &CompletionContext<'_>) -> Vec<Ranked> {
    let mut chosen = uncalibrated(context);
    ghost::calibrate(context.left, &mut chosen);
    chosen
}

/// The same with the ranking's own probabilities.
pub fn uncalibrated(context: &CompletionContext<'_>) -> Vec<Ranked> {
    let line = line::parse(context.left, context.dialect);
    let spot = line.at(context.left.len());
    let mut candidates = history::lines(context);
    if candidates.is_empty() {
        candidates = history::inner_lines(context, &spot);
    }
    candidates.extend(history::words(context, &spot));
    candidates.extend(spec::candidates(context, &spot));
    candidates.extend(path::candidates(context, &spot));
    candidates.extend(environment::candidates(context, &spot));
    candidates.extend(correct::candidates(context));
    candidates.extend(idea(context));
    if candidates.len() < context.limit {
        candidates.extend(history::fuzzy_lines(context));
    }
    let mut ranked =
        rank::order(candidates, if context.list || context.limit > USUAL_LIMIT { 0.0 } else { rank::QUIET });
    ranked.extend(common_prefix::common_prefixes(&ranked, context.left.len()));
    rank::sort(&mut ranked);
    finish(&mut ranked);
    ghost::lead_with_lines(context.left, &mut ranked);
    if context.list {
        // Flags are offered after a dash is typed.
        let is_unused_flag = |CandidateFacts { kind, past, habit, .. }: CandidateFacts| {
            kind == CandidateKind::Flag && past.is_none() && habit.is_none()
        };
        ranked.sort_by_key(|ranked| is_unused_flag(ranked.candidate.facts));
    }
    choose(context, &spot, ranked)
}

/// If the first candidate is the prefix of exactly one line that ran before, that line goes first: a user who wants
/// less accepts a word of it.
fn finish(ranked: &mut [Ranked]) {
    let Some(first) = ranked.first().filter(|first| first.candidate.facts.kind == CandidateKind::Words) else { return };
    let goes_on = |ranked: &Ranked| {
        ranked.candidate.facts.past.is_some_and(|past| past.outcome != LastOutcome::Failed)
            && ranked.candidate.text.starts_with(&first.candidate.text)
    };
    let mut lines = ranked.iter().enumerate().filter(|(_, ranked)| goes_on(ranked)).map(|(place, _)| place);
    if let (Some(only), None) = (lines.next(), lines.next()) {
        ranked[..=only].rotate_right(1);
    }
}

/// The first distinct candidates that can run.
fn choose(context: &CompletionContext<'_>, spot: &CursorSpot<'_>, ranked: Vec<Ranked>) -> Vec<Ranked> {
    // Errors in the typed words are not held against the candidate.
    let typed = context.left[..spot.start].trim_end();
    let is_sound = typed.is_empty() || runnable::can_run(context, typed);
    let is_half_said = is_half_said(&ranked);
    let is_exact = |ranked: &Ranked| {
        ranked.candidate.facts.fit == MatchKind::Extends && ranked.candidate.source != CandidateSource::History
    };
    let has_exact = ranked.iter().any(is_exact);
    let mut chosen: Vec<Ranked> = Vec::with_capacity(context.limit);
    for Ranked { candidate, chance } in ranked {
        let is_idea = candidate.facts.kind == CandidateKind::Idea;
        if is_idea && is_half_said || !is_idea && chosen.len() >= context.limit {
            continue;
        }
        let text = candidate.text.trim_end();
        let same = |known: &&mut Ranked| bare(&known.candidate.text) == bare(text);
        if let Some(known) = chosen.iter_mut().find(same) {
            // A later candidate with the same text may have a description.
            if known.candidate.about.is_empty() {
                known.candidate.about = candidate.about;
            }
            // Who asks for a list tells names from files by the source, and a word that ran before is still one of them.
            if context.list && known.candidate.source == CandidateSource::History {
                known.candidate.source = candidate.source;
            }
            continue;
        }
        // The first candidate can be accepted word by word, so a prefix of it adds nothing. A list has both.
        let is_part = |first: &Ranked| !context.list && first.candidate.text.starts_with(text);
        if chosen.first().is_some_and(is_part) || bare(text) == bare(context.left) {
            continue;
        }
        // No typed text is changed if a candidate fits it as it is.
        if has_exact
            && matches!(candidate.facts.fit, MatchKind::Mends { .. })
            && candidate.source != CandidateSource::Correction
        {
            continue;
        }
        // The other sources only offer what exists.
        let may_be_gone = matches!(candidate.source, CandidateSource::History | CandidateSource::Llm);
        // Cheapest check first: most candidates are rejected for want of a reason.
        if !context.list && !filter::empty_word::has_reason(context, spot, &candidate, chance)
            || is_sound && may_be_gone && !runnable::can_run(context, text)
            || !filter::accepts(context, &candidate)
        {
            continue;
        }
        // If more than one candidate is wanted, the model's suggestion takes the last place.
        if chosen.len() >= context.limit {
            if context.limit <= 1 {
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
    let Some(idea) = ranked.iter().find(|ranked| ranked.candidate.facts.kind == CandidateKind::Idea) else {
        return false;
    };
    let goes_on = |rest: &str| rest.starts_with(|next: char| !next.is_whitespace() && next != '/');
    ranked.iter().any(|known| known.candidate.text.strip_prefix(&idea.candidate.text).is_some_and(goes_on))
}

/// The text without a trailing blank or slash, which the user would not see.
fn bare(text: &str) -> &str {
    let text = text.trim_end();
    text.strip_suffix('/').unwrap_or(text)
}

/// A model's suggestion as a candidate like any other.
fn idea(context: &CompletionContext<'_>) -> Option<Candidate> {
    let idea = context.idea.filter(|idea| !idea.is_empty())?;
    let text = format!("{}{idea}{}", context.left, context.right);
    let cursor = (!context.right.is_empty()).then_some(context.left.len() + idea.len());
    let adds = idea.chars().count() as u16;
    let facts = CandidateFacts { adds, ..CandidateFacts::new(CandidateKind::Idea, MatchKind::Extends) };
    Some(Candidate { text, cursor, source: CandidateSource::Llm, facts, about: String::new() })
}
