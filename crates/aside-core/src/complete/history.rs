//! Candidates from what the person ran before: lines that begin with what is typed.

use crate::complete::Line;
use crate::complete::candidate::{Candidate, Facts, Outcome, Place, Source};
use crate::history::index::{Index, Match};

/// A longer command is a script: as ghost text it would push the prompt off the screen.
const MAX_LINES: usize = 12;
/// More than are shown, so that the ranking has a choice.
const LOOK_AT: usize = 3;

pub fn candidates(line: Line<'_>, index: &Index, limit: usize) -> Vec<Candidate> {
    if line.left.trim().is_empty() || !line.right.is_empty() {
        return Vec::new();
    }
    let found = index.starting_with(line.left, line.cwd, limit * LOOK_AT);
    found.iter().filter(|found| found.command.lines().count() <= MAX_LINES).map(candidate).collect()
}

fn candidate(found: &Match<'_>) -> Candidate {
    let facts = Facts {
        place: if found.here { Place::Here } else { Place::Elsewhere },
        outcome: match found.exit {
            None => Outcome::Unknown,
            Some(0) => Outcome::Succeeded,
            Some(_) => Outcome::Failed,
        },
        runs: found.runs,
        order: found.order,
    };
    Candidate { text: found.command.to_owned(), source: Source::History, facts }
}
