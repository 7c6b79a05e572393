//! Scores lines and files of a search. Decides the order, nothing else.

use crate::run::search::plan::{SearchPlan, SearchTarget};
use crate::run::search::term::MAX_TERMS;
use crate::run::search::{FileMatches, MatchedLine, Sort};

/// Weight of each term: one that occurs everywhere says little about a place.
pub type Weights = [f32; MAX_TERMS];

pub fn weights(plan: &SearchPlan, found: &[FileMatches], files: usize) -> Weights {
    let mut weights = [0.0; MAX_TERMS];
    let all = files.max(found.len()).max(1) as f32;
    for (at, weight) in weights.iter_mut().enumerate().take(plan.terms.len()) {
        let files = found.iter().filter(|found| found.has.get(at).is_some_and(|has| *has >= 40)).count() as f32;
        *weight = plan.weight(at) * (1.0 + (1.0 + all / (1.0 + files)).ln());
    }
    weights
}

/// Score of a file, for its name.
pub fn worth_file(plan: &SearchPlan, found: &FileMatches, weights: &Weights) -> f32 {
    // All files match, so they are ordered by name.
    if plan.every {
        return 1.0;
    }
    let whole: f32 = weights.iter().sum();
    let part = |at: usize| {
        let name = found.name_has.get(at).copied().unwrap_or(0);
        let path = found.path_has.get(at).copied().unwrap_or(0);
        f32::from(name).max(f32::from(path) * 0.6) / 100.0 * weights.get(at).copied().unwrap_or(0.0)
    };
    let sum: f32 = (0..MAX_TERMS).map(part).sum();
    // Without terms, every file matches.
    let coverage = if plan.terms.is_empty() { 1.0 } else { sum / whole.max(f32::EPSILON) };
    let asked = match plan.want {
        SearchTarget::Names => 1.5,
        SearchTarget::File => 1.25,
        SearchTarget::Anything | SearchTarget::Setting | SearchTarget::Definition => 0.85,
        SearchTarget::Uses => 0.3,
    };
    // Prefers shorter paths, and so files nearer to the root.
    let length = 1.0 / (1.0 + found.path.len() as f32 / 400.0);
    coverage * coverage * asked * of_kind(plan, found) * length
}

pub fn worth(plan: &SearchPlan, found: &FileMatches, line: &MatchedLine, weights: &Weights) -> f32 {
    let MatchedLine { number: _, text: _, here, defines, near, sort } = line;
    let whole: f32 = weights.iter().sum::<f32>().max(f32::EPSILON);
    let (mut sum, mut defined) = (0.0, 0.0);
    for (at, weight) in weights.iter().enumerate() {
        let of = |strengths: &[u8; MAX_TERMS]| f32::from(strengths.get(at).copied().unwrap_or(0)) / 100.0;
        let (here, near) = (of(here), of(near));
        let (path, name) = (of(&found.path_has), of(&found.name_has));
        // A match nearby or in the path counts where the line itself has none.
        let elsewhere = (near * 0.4).max(path * 0.45).max(name * 0.55);
        sum += weight * (here.max(elsewhere) + here.min(elsewhere) * 0.2);
        defined += weight * of(defines);
    }
    let (coverage, defined) = (sum / whole, defined / whole);
    let sort = match (plan.want, sort) {
        (SearchTarget::Uses, Sort::Defines) => -0.25 * defined.min(1.0),
        (SearchTarget::Uses, Sort::Imports) => {
            if plan.imports {
                0.3
            } else {
                -0.15
            }
        }
        (SearchTarget::Uses, Sort::Comments) => -0.2,
        (SearchTarget::Uses, Sort::Calls) => 0.1,
        (SearchTarget::Uses, Sort::Other) => 0.0,
        (SearchTarget::Definition, Sort::Defines) => 0.9 * defined,
        (SearchTarget::Setting, Sort::Defines) => 0.6 * defined,
        (_, Sort::Defines) => 0.6 * defined,
        (_, Sort::Imports) => -0.2,
        (_, Sort::Comments) if plan.comments => 0.3,
        (_, Sort::Comments) => -0.2,
        (_, Sort::Calls | Sort::Other) => 0.0,
    };
    (coverage * coverage.min(1.2) + sort * coverage.min(1.0)) * of_kind(plan, found)
}

fn of_kind(plan: &SearchPlan, found: &FileMatches) -> f32 {
    let kind = match found.kind {
        "lock file" | "generated" => 0.25,
        "media" => 0.5,
        "tests" => {
            if plan.tests {
                1.25
            } else {
                0.4
            }
        }
        "documentation" => {
            if plan.documents {
                1.25
            } else {
                0.5
            }
        }
        "configuration" | "dependencies" => {
            if plan.want == SearchTarget::Setting {
                1.2
            } else {
                0.95
            }
        }
        _ => 1.0,
    };
    let named = plan.files.iter().any(|file| found.path == *file || found.path.ends_with(&format!("/{file}")));
    let ends = plan.boosted.iter().any(|ending| found.path.rsplit('.').next() == Some(ending.as_str()));
    kind * if named { 1.5 } else { 1.0 } * if ends { 1.3 } else { 1.0 }
}
