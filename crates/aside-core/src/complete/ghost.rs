//! Decides whether a candidate is likely enough to be ghost text: calibrates its probability and compares it with a
//! threshold. The weights are trained on replayed histories (`make teach-ghost`, docs/complete-eval.md); the ranking
//! does not use them.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::complete::candidate::{CandidateFacts, CandidateKind, LastOutcome, MatchKind, PastRuns, Proximity};
use crate::complete::rank::Ranked;

/// Each line has a class, a feature and its weight.
const WEIGHTS: &str = include_str!("../../data/complete/ghost.txt");

static BY_FEATURE: LazyLock<HashMap<(&str, &str), f32>> = LazyLock::new(|| {
    let rows = WEIGHTS.lines().filter(|line| !line.starts_with('#')).filter_map(|line| {
        let mut fields = line.split_whitespace();
        Some(((fields.next()?, fields.next()?), fields.next()?.parse().ok()?))
    });
    rows.collect()
});

/// The default of the setting.
pub const THRESHOLD: f32 = 0.35;
/// Letters up to which a line has hardly begun: a whole line saves most typing then, and a wrong one disappears with
/// the next keystroke.
const EARLY: usize = 3;
/// Factors on the threshold for whole lines then: after the first letter, and after the next two.
const FIRST_LETTER: f32 = 0.15;
const NEXT_LETTERS: f32 = 0.4;
/// Factor on the threshold for lines that the user ran while the history is short: users expect to see them, as in
/// other shells.
const NEW_USER: f32 = 0.1;
/// A history with fewer distinct commands is short.
const SHORT_HISTORY: usize = 100;
/// How many whole lines go before likelier, shorter candidates, and the probability they need: after the first letter,
/// and after the next two.
const LEADING: usize = 3;
const LEADS_FIRST: f32 = 0.055;
const LEADS_NEXT: f32 = 0.33;

/// The features that a candidate's probability is computed from.
pub struct GhostFeatures {
    /// Which weights apply: those of whole lines, of words known from history, or of what specs, files and names say.
    pub class: &'static str,
    pub values: Vec<(&'static str, f32)>,
}

impl GhostFeatures {
    fn chance(&self) -> f32 {
        let weight = |feature| BY_FEATURE.get(&(self.class, feature)).copied().unwrap_or(0.0);
        let sum: f32 = self.values.iter().map(|(feature, value)| weight(*feature) * value).sum();
        1.0 / (1.0 + (-sum).exp())
    }
}

/// For candidates with the ranking's own probabilities; `shown` are all that are shown, including this one.
pub fn features(left: &str, ranked: &Ranked, shown: &[Ranked]) -> GhostFeatures {
    // No `..`: a new fact must become a feature, or be ignored here by name.
    let CandidateFacts { kind, fit: _, rivals: _, place: _, usual: _, typed: _, adds, past, habit: _ } =
        ranked.candidate.facts;
    let yes = |is: bool| f32::from(u8::from(is));
    let chance = ranked.chance.clamp(0.01, 0.99);
    let letters = left.chars().count();
    let in_word = left.chars().rev().take_while(|letter| !letter.is_whitespace()).count();
    let mut values = vec![
        ("bias", 1.0),
        ("ranking", (chance / (1.0 - chance)).ln()),
        ("letters", (letters as f32).ln_1p()),
        ("early", yes(letters <= EARLY)),
        ("adds", f32::from(adds).ln_1p()),
        ("rival", (best_rival(ranked, shown) + 0.01).ln()),
        ("blank", yes(in_word == 0)),
        ("in_word", (in_word as f32).ln_1p()),
    ];
    let class = match (past, kind) {
        (Some(past), _) => {
            let PastRuns { place, session: _, outcome, runs, age, after_last, after_both: _, after_alike } = past;
            values.extend([
                ("age", (age as f32).ln_1p()),
                ("just_ran", yes(age == 0)),
                ("ran_last_two", yes(age <= 1)),
                ("here", yes(place == Proximity::Here)),
                ("failed", yes(outcome == LastOutcome::Failed)),
                ("once", yes(runs <= 1)),
                ("after_last", yes(after_last > 0)),
                ("after_alike", yes(after_alike > 0)),
            ]);
            "line"
        }
        (None, CandidateKind::Words | CandidateKind::Line) => "words",
        (None, _) => {
            values.push(("goes_on", yes(ranked.candidate.text.ends_with(['/', '=', ':', '@', ' ']))));
            values.push((kind_name(kind), 1.0));
            "other"
        }
    };
    GhostFeatures { class, values }
}

/// A model's suggestions have no weight of their own: there is no training data for them.
fn kind_name(kind: CandidateKind) -> &'static str {
    match kind {
        CandidateKind::Line | CandidateKind::Words | CandidateKind::Idea => "unknown",
        CandidateKind::Command => "command",
        CandidateKind::Subcommand => "subcommand",
        CandidateKind::Flag => "flag",
        CandidateKind::Value | CandidateKind::Name => "name",
        CandidateKind::Path => "path",
        CandidateKind::Variable => "variable",
    }
}

/// The probability of the likeliest candidate with another text.
fn best_rival(ranked: &Ranked, shown: &[Ranked]) -> f32 {
    let text = ranked.candidate.text.trim_end();
    let differs = |other: &&Ranked| {
        let other_text = other.candidate.text.trim_end();
        other.candidate.facts.fit == MatchKind::Extends
            && !text.starts_with(other_text)
            && !other_text.starts_with(text)
    };
    shown.iter().filter(differs).map(|other| other.chance).fold(0.0, f32::max)
}

/// Replaces the ranking's value by the calibrated probability that the candidate is a prefix of the intended line.
pub fn calibrate(left: &str, shown: &mut [Ranked]) {
    let chance = |ranked: &Ranked| match ranked.candidate.facts.fit {
        MatchKind::Extends => features(left, ranked, shown).chance(),
        // Replayed lines contain no typos, so they say nothing about corrections.
        MatchKind::Contains | MatchKind::Mends { .. } => ranked.chance.sqrt(),
    };
    let chances: Vec<f32> = shown.iter().map(chance).collect();
    shown.iter_mut().zip(chances).for_each(|(ranked, chance)| ranked.chance = chance);
}

/// What the threshold depends on.
#[derive(Clone, Copy, Debug)]
pub struct GhostRequirements {
    /// The value of the setting.
    pub threshold: f32,
    /// Number of distinct commands in the history.
    pub commands: usize,
}

/// Whether a candidate with a calibrated probability may be ghost text.
pub fn is_fit(left: &str, candidate: &Ranked, needs: GhostRequirements) -> bool {
    let GhostRequirements { threshold, commands } = needs;
    let part = match (is_own(candidate), left.chars().count()) {
        (true, _) if commands < SHORT_HISTORY => NEW_USER,
        (true, 0..=1) => FIRST_LETTER,
        (true, 2..=EARLY) => NEXT_LETTERS,
        _ => 1.0,
    };
    candidate.chance >= threshold * part
}

/// A line that the user ran, and that did not fail.
fn is_own(ranked: &Ranked) -> bool {
    let facts = &ranked.candidate.facts;
    facts.fit == MatchKind::Extends && facts.past.is_some_and(|past| past.outcome != LastOutcome::Failed)
}

/// At the beginning of a line, puts the likeliest whole lines first: the user can also accept a part of one.
pub fn lead_with_lines(left: &str, ranked: &mut Vec<Ranked>) {
    let least = match left.chars().count() {
        0..=1 => LEADS_FIRST,
        2..=EARLY => LEADS_NEXT,
        _ => return,
    };
    let leads = |ranked: &Ranked| is_own(ranked) && ranked.chance >= least;
    let (mut lines, others): (Vec<Ranked>, Vec<Ranked>) = ranked.drain(..).partition(leads);
    lines.sort_by(|a, b| b.chance.total_cmp(&a.chance));
    let rest = lines.split_off(lines.len().min(LEADING));
    ranked.extend(lines.into_iter().chain(others).chain(rest));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::complete::candidate::{Candidate, CandidateSource};

    fn ranked(text: &str, kind: CandidateKind, chance: f32) -> Ranked {
        let past = PastRuns {
            place: Proximity::Here,
            session: false,
            outcome: LastOutcome::Succeeded,
            runs: 3,
            age: 1,
            after_last: 0,
            after_both: 0,
            after_alike: 0,
        };
        let facts = CandidateFacts {
            past: (kind == CandidateKind::Line).then_some(past),
            ..CandidateFacts::new(kind, MatchKind::Extends)
        };
        let candidate = Candidate {
            text: text.into(),
            cursor: None,
            source: CandidateSource::History,
            facts,
            about: String::new(),
        };
        Ranked { candidate, chance }
    }

    fn calibrated(left: &str, mut shown: Vec<Ranked>) -> f32 {
        calibrate(left, &mut shown);
        shown[0].chance
    }

    #[test]
    fn every_feature_has_a_weight_and_every_weight_a_feature() {
        let kinds = [
            CandidateKind::Line,
            CandidateKind::Words,
            CandidateKind::Path,
            CandidateKind::Flag,
            CandidateKind::Command,
            CandidateKind::Subcommand,
            CandidateKind::Name,
        ];
        let known: std::collections::BTreeSet<(&str, &str)> = kinds
            .iter()
            .flat_map(|kind| {
                let GhostFeatures { class, values } = features("git", &ranked("git status", *kind, 0.3), &[]);
                values.into_iter().map(move |(feature, _)| (class, feature))
            })
            .collect();
        assert_eq!(known, BY_FEATURE.keys().copied().collect());
    }

    #[test]
    fn a_greater_chance_is_never_less_likely() {
        for kind in [CandidateKind::Line, CandidateKind::Words, CandidateKind::Flag] {
            for left in ["g", "git stat"] {
                let at = |percent: u8| calibrated(left, vec![ranked("git status", kind, f32::from(percent) / 100.0)]);
                let chances: Vec<f32> = (0..=100).map(at).collect();
                assert!(chances.is_sorted(), "{kind:?} {left} {chances:?}");
                assert!(chances.iter().all(|chance| (0.0..1.0).contains(chance)), "{kind:?} {left} {chances:?}");
            }
        }
    }

    #[test]
    fn a_rival_makes_it_less_likely_unless_it_says_the_same() {
        let with = |other| {
            calibrated(
                "git s",
                vec![ranked("git status", CandidateKind::Line, 0.4), ranked(other, CandidateKind::Line, 0.35)],
            )
        };
        assert!(with("git stash") < with("git status --short"));
    }

    #[test]
    fn a_line_that_just_ran_twice_ago_is_likelier_than_an_old_one() {
        let with = |age| {
            let mut line = ranked("cargo test -p core", CandidateKind::Line, 0.4);
            line.candidate.facts.past = line.candidate.facts.past.map(|past| PastRuns { age, ..past });
            calibrated("cargo t", vec![line])
        };
        assert!(with(1) > with(300));
    }

    fn is_grey(left: &str, candidate: &Ranked, commands: usize) -> bool {
        is_fit(left, candidate, GhostRequirements { threshold: THRESHOLD, commands })
    }

    #[test]
    fn less_is_asked_of_a_line_that_ran_where_it_is_hardly_begun() {
        let at = |left, kind, chance| is_grey(left, &ranked("git status", kind, chance), 1000);
        assert_eq!(["g", "gi", "git "].map(|left| at(left, CandidateKind::Line, 0.2)), [true, true, false]);
        assert_eq!(["g", "gi", "git "].map(|left| at(left, CandidateKind::Line, 0.1)), [true, false, false]);
        assert_eq!(["g", "git "].map(|left| at(left, CandidateKind::Words, 0.2)), [false, false]);
        let all = GhostRequirements { threshold: 0.0, commands: 1000 };
        assert!(is_fit("git ", &ranked("git status", CandidateKind::Words, 0.0), all), "zero shows all");
    }

    #[test]
    fn a_new_user_sees_the_lines_they_ran() {
        let line = ranked("git status", CandidateKind::Line, 0.1);
        assert_eq!([12, 5000].map(|commands| is_grey("git s", &line, commands)), [true, false]);
        assert!(!is_grey("git s", &ranked("git status", CandidateKind::Words, 0.1), 12));
    }

    #[test]
    fn a_line_that_failed_is_judged_like_the_rest() {
        let with = |outcome| {
            let mut line = ranked("git status --short", CandidateKind::Line, 0.2);
            line.candidate.facts.past = line.candidate.facts.past.map(|past| PastRuns { outcome, ..past });
            is_grey("git st", &line, 12)
        };
        assert_eq!([LastOutcome::Succeeded, LastOutcome::Failed].map(with), [true, false]);
    }

    #[test]
    fn whole_lines_lead_only_where_the_line_is_hardly_begun() {
        let all = || vec![ranked("git ", CandidateKind::Words, 0.9), ranked("git status", CandidateKind::Line, 0.4)];
        let order = |left| {
            let mut all = all();
            lead_with_lines(left, &mut all);
            all.iter().map(|ranked| ranked.candidate.text.clone()).collect::<Vec<_>>()
        };
        assert_eq!(order("g"), ["git status", "git "]);
        assert_eq!(order("git s"), ["git ", "git status"]);
    }
}
