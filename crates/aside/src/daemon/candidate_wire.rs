//! The wire form of a candidate, with its facts in words.

use aside_core::complete::candidate::{
    self, CandidateFacts, CandidateKind, LastOutcome, MatchKind, PastRuns, Proximity,
};
use aside_core::complete::rank::Ranked;
use aside_proto::WireCandidate;

/// Best first. A candidate that saves much ranks before a slightly surer one; a client that sorts by confidence must not undo that, so each
/// confidence is capped by the one before it.
pub fn encode(found: Vec<Ranked>) -> Vec<WireCandidate> {
    let mut least = 1.0_f32;
    let candidates = found.into_iter().map(one).map(|candidate| {
        least = least.min(candidate.confidence);
        WireCandidate { confidence: least, ..candidate }
    });
    candidates.collect()
}

fn one(ranked: Ranked) -> WireCandidate {
    let Ranked { candidate, chance } = ranked;
    let candidate::Candidate { text, cursor, source, facts, about } = candidate;
    WireCandidate {
        cursor_pos: cursor.map(|cursor| text[..cursor].chars().count() as u32),
        completion: text,
        // More than two digits would be spurious precision.
        confidence: (chance * 100.0).round() / 100.0,
        source: source.name().to_owned(),
        description: about,
        facts: in_words(&facts),
    }
}

/// Destructures without `..`: everything that the ranking sees should be visible to the user.
fn in_words(facts: &CandidateFacts) -> String {
    let CandidateFacts { kind, fit, rivals, place, usual: _, typed: _, adds: _, past, habit } = *facts;
    let kind = match kind {
        CandidateKind::Line => "whole line",
        CandidateKind::Words => "words that often come here",
        CandidateKind::Command => "command",
        CandidateKind::Subcommand => "subcommand",
        CandidateKind::Flag => "flag",
        CandidateKind::Value => "value",
        CandidateKind::Name => "name",
        CandidateKind::Path => "path",
        CandidateKind::Variable => "variable",
        CandidateKind::Idea => "a model's idea",
    };
    let mut words = vec![kind.to_owned()];
    match fit {
        MatchKind::Extends => {}
        MatchKind::Contains => words.push("has these letters".to_owned()),
        MatchKind::Mends { edits: 1 } => words.push("one letter mended".to_owned()),
        MatchKind::Mends { edits } => words.push(format!("{edits} letters mended")),
    }
    words.extend(past.map(past_in_words));
    if let Some(habit) = habit {
        words.push(format!("comes here {:.0} times of 100", habit * 100.0));
    }
    if rivals > 1 && past.is_none() {
        words.push(format!("{} of {rivals}", place + 1));
    }
    words.join(", ")
}

fn past_in_words(past: PastRuns) -> String {
    let PastRuns { place, session, outcome, runs, age, after_last, after_both, after_alike } = past;
    let place = match place {
        Proximity::Here => "ran here",
        Proximity::Repository => "ran in this repository",
        Proximity::Elsewhere => "ran elsewhere",
    };
    let outcome = match outcome {
        LastOutcome::Succeeded => ", succeeded",
        LastOutcome::Failed => ", failed",
        LastOutcome::Unknown => "",
    };
    let session = if session { ", in this shell" } else { "" };
    let followed = match (after_both, after_last, after_alike) {
        (0, 0, 0) => String::new(),
        (0, 0, alike) => format!(", {alike}× after a command like the last"),
        (0, last, _) => format!(", {last}× after the last command"),
        (both, _, _) => format!(", {both}× after the last two"),
    };
    format!("{place}{session}{outcome}, {runs}×, {age} commands ago{followed}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use aside_core::complete::candidate::CandidateSource;

    #[test]
    fn the_confidence_says_the_order() {
        let ranked = |text: &str, chance| {
            let facts = CandidateFacts::new(CandidateKind::Line, MatchKind::Extends);
            let (text, source) = (text.to_owned(), CandidateSource::History);
            Ranked {
                candidate: candidate::Candidate { text, cursor: None, source, facts, about: String::new() },
                chance,
            }
        };
        let found = vec![ranked("a", 0.4), ranked("b", 0.6), ranked("c", 0.2), ranked("d", 0.3)];
        let said: Vec<(String, f32)> =
            encode(found).into_iter().map(|candidate| (candidate.completion, candidate.confidence)).collect();
        assert_eq!(said, [("a".into(), 0.4), ("b".into(), 0.4), ("c".into(), 0.2), ("d".into(), 0.2)]);
    }
}
