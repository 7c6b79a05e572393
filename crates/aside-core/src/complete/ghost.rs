//! Whether a candidate is sure enough to be grey text: its calibrated chance, and what is asked of it. The tables are learnt from replayed
//! histories (docs/complete-eval.md); the ranking knows nothing of them.

use crate::complete::candidate::{Fit, Kind, Outcome};
use crate::complete::rank::Ranked;

/// The ranking's chances at which the tables have a value; between them it is interpolated.
const AT: [f32; 13] = [0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.97, 1.0];

/// How often the candidate was the beginning of what was meant, of those to which the ranking gave such a chance: after at most three
/// letters, and later.
struct Table {
    early: [f32; 13],
    late: [f32; 13],
}

/// Isotonic regression over ten made-up people; each half was tried with the table of the other.
const LINES: Table = Table {
    early: [0.03, 0.12, 0.15, 0.22, 0.23, 0.37, 0.49, 0.56, 0.66, 0.81, 0.89, 0.95, 0.98],
    late: [0.04, 0.1, 0.13, 0.16, 0.24, 0.28, 0.38, 0.45, 0.6, 0.74, 0.83, 0.95, 0.99],
};
const WORDS: Table = Table {
    early: [0.32, 0.34, 0.38, 0.46, 0.51, 0.68, 0.81, 0.89, 0.95, 0.97, 0.97, 0.98, 0.98],
    late: [0.35, 0.35, 0.47, 0.5, 0.51, 0.54, 0.64, 0.75, 0.85, 0.9, 0.91, 0.96, 0.99],
};
/// What specs, files and names say. Of a model's ideas nothing is known, so they count as these.
const OTHERS: Table = Table {
    early: [0.11, 0.13, 0.37, 0.7, 0.73, 0.81, 0.85, 0.9, 0.96, 0.98, 0.99, 0.99, 0.99],
    late: [0.13, 0.27, 0.51, 0.64, 0.69, 0.75, 0.83, 0.9, 0.95, 0.95, 0.96, 0.98, 0.99],
};

/// Letters after which a line is hardly begun: a whole line saves most of it, and a wrong one is gone with the next key.
const EARLY: usize = 3;
/// What is asked of a whole line then, of what is asked of the others: after the first letter, and after the next two.
const FIRST_LETTER: f32 = 0.25;
const NEXT_LETTERS: f32 = 0.56;
/// What is asked of a line that the user ran, of what is asked of the others.
const OWN_LINE: f32 = 0.1;
/// The default of the setting, for the order of candidates.
pub const THRESHOLD: f32 = 0.5;
/// Whole lines that go before what is surer and shorter.
const LEADING: usize = 3;

/// How likely it is that the candidate is the beginning of what is meant.
pub fn calibrated(left: &str, ranked: &Ranked) -> f32 {
    let facts = &ranked.candidate.facts;
    let table = match (facts.past, facts.kind) {
        (Some(_), _) => LINES,
        (None, Kind::Words | Kind::Line) => WORDS,
        (None, _) => OTHERS,
    };
    let values = if left.chars().count() <= EARLY { table.early } else { table.late };
    let chance = ranked.chance.clamp(AT[0], 1.0);
    let above = AT.iter().position(|at| *at >= chance).unwrap_or(AT.len() - 1).max(1);
    let part = (chance - AT[above - 1]) / (AT[above] - AT[above - 1]);
    values[above - 1] + part * (values[above] - values[above - 1])
}

/// Whether a candidate with its calibrated chance may be grey, with `threshold` as the setting has it. Of a line that the user ran little is
/// asked: with a short history the tables, learnt from long ones, would show nothing, and such a line is what other shells show.
pub fn is_fit(left: &str, candidate: &Ranked, threshold: f32) -> bool {
    let facts = &candidate.candidate.facts;
    let is_own = facts.fit == Fit::Extends && facts.past.is_some_and(|past| past.outcome != Outcome::Failed);
    let needed = if is_own { threshold * OWN_LINE } else { needed(left, candidate, threshold) };
    candidate.chance >= needed
}

fn needed(left: &str, ranked: &Ranked, threshold: f32) -> f32 {
    let is_line = ranked.candidate.facts.past.is_some();
    match left.chars().count() {
        0..=1 if is_line => threshold * FIRST_LETTER,
        2..=EARLY if is_line => threshold * NEXT_LETTERS,
        _ => threshold,
    }
}

/// Where the line is hardly begun, the likeliest whole lines come first: a part of one can be taken from it too.
pub fn lead_with_lines(left: &str, ranked: &mut Vec<Ranked>) {
    if left.chars().count() > EARLY {
        return;
    }
    let leads = |ranked: &Ranked| {
        let facts = &ranked.candidate.facts;
        facts.fit == Fit::Extends
            && facts.past.is_some_and(|past| past.outcome != Outcome::Failed)
            && calibrated(left, ranked) >= needed(left, ranked, THRESHOLD)
    };
    let (mut lines, others): (Vec<Ranked>, Vec<Ranked>) = ranked.drain(..).partition(leads);
    lines.sort_by(|a, b| b.chance.total_cmp(&a.chance));
    let rest = lines.split_off(lines.len().min(LEADING));
    ranked.extend(lines.into_iter().chain(others).chain(rest));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::complete::candidate::{Candidate, Facts, Past, Place, Source};

    fn ranked(text: &str, kind: Kind, chance: f32) -> Ranked {
        let past = Past {
            place: Place::Here,
            session: false,
            outcome: Outcome::Succeeded,
            runs: 3,
            age: 1,
            after_last: 0,
            after_both: 0,
            after_alike: 0,
        };
        let facts = Facts { past: (kind == Kind::Line).then_some(past), ..Facts::new(kind, Fit::Extends) };
        let candidate =
            Candidate { text: text.into(), cursor: None, source: Source::History, facts, about: String::new() };
        Ranked { candidate, chance }
    }

    #[test]
    fn a_greater_chance_is_never_less_likely() {
        for kind in [Kind::Line, Kind::Words, Kind::Flag] {
            for left in ["g", "git stat"] {
                let at = |percent: u8| calibrated(left, &ranked("git status", kind, f32::from(percent) / 100.0));
                let chances: Vec<f32> = (0..=100).map(at).collect();
                assert!(chances.is_sorted(), "{kind:?} {left} {chances:?}");
                assert!(chances.iter().all(|chance| (0.0..1.0).contains(chance)), "{kind:?} {left} {chances:?}");
            }
        }
    }

    #[test]
    fn less_is_asked_of_a_line_that_ran() {
        let fit = |left, kind| is_fit(left, &ranked("git status", kind, 0.3), THRESHOLD);
        assert_eq!(["g", "git", "git "].map(|left| fit(left, Kind::Line)), [true, true, true]);
        assert_eq!(["g", "git "].map(|left| fit(left, Kind::Words)), [false, false]);
        assert!(is_fit("git ", &ranked("git status", Kind::Words, 0.0), 0.0), "zero shows all");
    }

    #[test]
    fn a_line_that_failed_is_judged_like_the_rest() {
        let with = |outcome| {
            let mut line = ranked("git status --short", Kind::Line, 0.2);
            line.candidate.facts.past = line.candidate.facts.past.map(|past| Past { outcome, ..past });
            is_fit("git st", &line, THRESHOLD)
        };
        assert_eq!([Outcome::Succeeded, Outcome::Failed].map(with), [true, false]);
    }

    #[test]
    fn whole_lines_lead_only_where_the_line_is_hardly_begun() {
        let all = || vec![ranked("git ", Kind::Words, 0.9), ranked("git status", Kind::Line, 0.4)];
        let order = |left| {
            let mut all = all();
            lead_with_lines(left, &mut all);
            all.iter().map(|ranked| ranked.candidate.text.clone()).collect::<Vec<_>>()
        };
        assert_eq!(order("g"), ["git status", "git "]);
        assert_eq!(order("git s"), ["git ", "git status"]);
    }
}
