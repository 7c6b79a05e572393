//! `complete`: what could follow on the line being typed.

use aside_core::complete::candidate::{self, Facts, Outcome, Place};
use aside_core::complete::{Line, complete};
use aside_core::proto::{Candidate, Candidates, Complete, Reply};

use crate::daemon::state::State;

pub async fn answer(state: &State, asked: Complete) -> Reply {
    state.readable().await;
    let config = state.config();
    if !config.complete.enabled {
        return Reply::Complete(Candidates::default());
    }
    let line = Line { left: &asked.left, right: &asked.right, cwd: &asked.cwd };
    let candidates = complete(line, &state.index(), config.complete.max_candidates);
    Reply::Complete(Candidates { candidates: candidates.into_iter().map(spoken).collect() })
}

fn spoken(candidate: candidate::Candidate) -> Candidate {
    let candidate::Candidate { text, source, facts } = candidate;
    Candidate { completion: text, cursor_pos: None, source: source.name().to_owned(), facts: in_words(facts) }
}

fn in_words(facts: Facts) -> String {
    let Facts { place, outcome, runs, order: _ } = facts;
    let place = match place {
        Place::Here => "ran here",
        Place::Elsewhere => "ran elsewhere",
    };
    let outcome = match outcome {
        Outcome::Succeeded => ", succeeded",
        Outcome::Failed => ", failed",
        Outcome::Unknown => "",
    };
    format!("{place}{outcome}, {runs}×")
}
