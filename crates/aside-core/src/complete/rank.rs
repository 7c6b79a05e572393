//! Ranks candidates: the only place where facts become an order. Knows no source; what a source contributes is in the
//! facts.

use std::collections::HashMap;

use crate::complete::candidate::{
    Candidate, CandidateFacts, CandidateKind, CandidateSource, LastOutcome, MatchKind, PastRuns, Proximity,
};

/// A candidate and the probability that it is meant, 0 to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranked {
    pub candidate: Candidate,
    pub chance: f32,
}

/// Below this probability a candidate is noise and is not shown.
pub const QUIET: f32 = 0.008;

/// Factor for guessed words, which rest on fewer facts than lines.
const WORDS: f32 = 0.85;

/// Best first. Candidates below the probability `least` are dropped.
pub fn order(candidates: Vec<Candidate>, least: f32) -> Vec<Ranked> {
    let crowd = Crowd::of(&candidates);
    let mut ranked: Vec<Ranked> = candidates
        .into_iter()
        .map(|candidate| Ranked { chance: crowd.chance(&candidate.facts), candidate })
        .filter(|ranked| ranked.chance >= least)
        .collect();
    join(&mut ranked);
    sort(&mut ranked);
    ranked
}

/// Approximate number of usual flags of a command.
const USUAL: u16 = 5;

/// Two sources with the same text support each other: each gets the probability that either is right.
fn join(ranked: &mut [Ranked]) {
    let mut alike: HashMap<&str, f32> = HashMap::with_capacity(ranked.len());
    for ranked in ranked.iter().filter(|ranked| ranked.candidate.source == CandidateSource::History) {
        let not = alike.entry(ranked.candidate.text.trim_end()).or_insert(1.0);
        *not *= 1.0 - ranked.chance;
    }
    let joined: Vec<f32> = ranked
        .iter()
        .map(|ranked| alike.get(ranked.candidate.text.trim_end()).map_or(ranked.chance, |not| 1.0 - not))
        .collect();
    for (ranked, chance) in ranked.iter_mut().zip(joined) {
        ranked.chance = ranked.chance.max(chance);
    }
}

pub fn sort(ranked: &mut [Ranked]) {
    ranked.sort_by(|a, b| worth(b).total_cmp(&worth(a)));
}

/// The expected saving, with likely candidates first: a wrong ghost text costs a glance at every keystroke, so twice
/// the probability is worth more than twice the letters.
fn worth(ranked: &Ranked) -> f32 {
    let CandidateFacts { kind, adds, .. } = ranked.candidate.facts;
    // A streamed suggestion grows: its length must not lift it above what is already shown.
    let adds = if kind == CandidateKind::Idea { 1.0 } else { f32::from(adds.max(1)) };
    ranked.chance.powi(2) * adds.sqrt()
}

/// Totals over all candidates, to compute each one's share.
#[derive(Default)]
struct Crowd {
    lines: f32,
    runs: f32,
    after_last: f32,
    after_both: f32,
    after_alike: f32,
    newest: u32,
    /// Probability that one of the words known from history comes here.
    habits: f32,
}

impl Crowd {
    fn of(candidates: &[Candidate]) -> Self {
        let mut crowd = Crowd { newest: u32::MAX, ..Crowd::default() };
        for facts in candidates.iter().map(|candidate| &candidate.facts) {
            crowd.habits += facts.habit.unwrap_or(0.0);
            let Some(past) = facts.past else { continue };
            crowd.lines += 1.0;
            crowd.runs += past.runs as f32;
            crowd.after_last += f32::from(past.after_last);
            crowd.after_both += f32::from(past.after_both);
            crowd.after_alike += f32::from(past.after_alike);
            crowd.newest = crowd.newest.min(past.age);
        }
        crowd
    }

    fn chance(&self, facts: &CandidateFacts) -> f32 {
        // No `..`: a new fact must be given a weight, or be ignored here by name.
        let CandidateFacts { kind, fit, rivals, place, usual, typed, adds, past, habit } = *facts;
        // The usual flags compete only with each other.
        let rivals = if usual { rivals.min(USUAL) } else { rivals };
        match (past, habit) {
            (Some(past), _) => self.line(past, typed, adds) * fitting(fit),
            (None, Some(habit)) => habit * WORDS * fitting(fit),
            (None, None) => self.stranger(kind, rivals, place, typed) * fitting(fit),
        }
    }

    /// A line that ran before. The weights are a logistic regression over what twenty people typed next, fitted on half
    /// of them and tested on the others: there the newest line was meant 34 times of 100, the first of this order 38
    /// times.
    fn line(&self, past: PastRuns, typed: u16, adds: u16) -> f32 {
        let PastRuns { place, session: _, outcome, runs, age, after_last, after_both, after_alike } = past;
        let yes = |is: bool| f32::from(u8::from(is));
        let log = |number: f32| number.ln_1p();
        let share = |part: f32, whole: f32, doubt: f32| part / (whole + doubt);
        let (runs, last, both, alike) =
            (runs as f32, f32::from(after_last), f32::from(after_both), f32::from(after_alike));
        let place = match place {
            Proximity::Here => 0.59,
            Proximity::Repository => 0.3,
            Proximity::Elsewhere => 0.0,
        };
        // A command that failed the last time is often the typo that the next one corrected.
        let outcome = match outcome {
            LastOutcome::Succeeded | LastOutcome::Unknown => 0.0,
            LastOutcome::Failed => -3.0,
        };
        let sum = -1.56 + place + outcome + 0.1 * log(runs)
            - 0.11 * log(age as f32)
            - 0.48 * log(self.lines)
            - 0.34 * log(f32::from(adds))
            + 0.35 * log(f32::from(typed))
            - 0.36 * log(last)
            + 0.11 * log(both)
            + 0.33 * log(alike)
            + 2.83 * share(last, self.after_last, 0.5)
            + 2.44 * share(both, self.after_both, 0.5)
            - 0.16 * share(alike, self.after_alike, 1.0)
            + 2.27 * share(runs, self.runs, 1.0)
            + 1.44 * yes(age == self.newest)
            - 1.44 * yes(runs <= 1.0);
        1.0 / (1.0 + (-sum).exp())
    }

    /// A candidate without history. It gets the probability that the habits leave, shared with its rivals; the first of
    /// its source gets more than the second.
    fn stranger(&self, kind: CandidateKind, rivals: u16, place: u16, typed: u16) -> f32 {
        let usual = match kind {
            CandidateKind::Line | CandidateKind::Words => 0.5,
            CandidateKind::Subcommand => 0.8,
            CandidateKind::Name | CandidateKind::Value | CandidateKind::Path | CandidateKind::Variable => 0.6,
            CandidateKind::Flag | CandidateKind::Command => 0.5,
            // A model knows the line, but not the user.
            CandidateKind::Idea => 0.4,
        };
        let typed = match (kind, typed) {
            (CandidateKind::Idea, _) | (_, 3..) => 1.0,
            (_, 2) => 0.8,
            (_, 1) => 0.6,
            // Any file is possible, and the shell's own completion shows them all.
            (CandidateKind::Path, 0) => 0.12,
            (_, 0) => 0.35,
        };
        let share = 1.0 / (f32::from(place) + 1.0) / (f32::from(rivals.max(1)).ln() + 1.0);
        let left = (1.0 - self.habits).max(0.2);
        usual * typed * share * left
    }
}

/// Changing typed text needs a better reason than continuing it.
fn fitting(fit: MatchKind) -> f32 {
    match fit {
        MatchKind::Extends => 1.0,
        MatchKind::Mends { edits: 0 | 1 } => 0.7,
        MatchKind::Mends { edits: 2 } => 0.5,
        MatchKind::Mends { .. } => 0.3,
        MatchKind::Contains => 0.3,
    }
}
