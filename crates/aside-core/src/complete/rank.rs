//! The order of candidates: the only place where facts become an order.

use std::cmp::Reverse;

use crate::complete::candidate::{Candidate, Facts, Outcome, Place};

/// Best first.
pub fn order(candidates: &mut [Candidate]) {
    candidates.sort_by_key(|candidate| Reverse(score(&candidate.facts)));
}

/// Compared from left to right. No `..`: a new fact must be given a place, or be set aside here by name.
fn score(facts: &Facts) -> (bool, Place, u32) {
    let Facts { place, outcome, runs: _, order } = *facts;
    // A command that failed the last time is often the typo that the next one mended.
    let worked = match outcome {
        Outcome::Succeeded | Outcome::Unknown => true,
        Outcome::Failed => false,
    };
    (worked, place, order)
}
