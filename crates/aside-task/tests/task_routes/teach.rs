//! Trains the weights of `data/task/classifier.txt`: a softmax regression over the traits of the training requests, with weight
//! decay. Deterministic for the same requests.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use aside_task::route::intent::TaskKind;
use aside_task::route::{classifier, traits};

use crate::corpus::{self, Part};

/// The weight of requests that the rules were written from: there the rules know more than elsewhere.
const KNOWN_WEIGH: f32 = 1.0;
/// How many requests must show a trait before it counts.
const SHOWN_AT_LEAST: usize = 3;
/// The weight decay.
const DRAWN: f32 = 0.2;
/// A trait whose weights are all below this, in the file's steps, is not written.
const LEAST: i8 = 2;
const ROUNDS: usize = 150;
const RATE: f32 = 0.15;

struct Lesson {
    /// The index of each trait, and its value.
    traits: Vec<(usize, f32)>,
    /// The target share of each kind; they sum to the weight of the request.
    right: [f32; 8],
    weighs: f32,
}

/// `ASIDE_ROUTE_TEACH` names the output file.
#[test]
fn weights_are_found_when_asked_for() {
    let Ok(path) = std::env::var("ASIDE_ROUTE_TEACH") else { return };
    let taught = [corpus::taught(), corpus::voices_dev()].map(|part| (part, 1.0));
    let known = [corpus::dev(), corpus::late(), corpus::last(), corpus::seed()].map(|part| (part, KNOWN_WEIGH));
    let parts: Vec<(Part, f32)> = taught.into_iter().chain(known).collect();
    std::fs::write(path, written(&parts)).unwrap();
}

fn written(parts: &[(Part, f32)]) -> String {
    let cases = parts.iter().flat_map(|(part, weighs)| part.cases.iter().map(move |case| (case, *weighs)));
    let shown: Vec<_> = cases.map(|(case, weighs)| (traits(&case.request), case, weighs)).collect();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for name in shown.iter().flat_map(|(traits, ..)| traits.keys()) {
        *counts.entry(name).or_default() += 1;
    }
    let kept: BTreeSet<&str> =
        counts.into_iter().filter(|(_, count)| *count >= SHOWN_AT_LEAST).map(|(name, _)| name).collect();
    let places: BTreeMap<&str, usize> = kept.into_iter().enumerate().map(|(place, name)| (name, place)).collect();
    let lessons: Vec<Lesson> = shown
        .iter()
        .map(|(traits, case, weighs)| {
            let traits = traits.iter().filter_map(|(name, much)| Some((*places.get(name.as_str())?, *much))).collect();
            let is_right = |kind: &TaskKind| case.kinds.contains(&kind.name());
            let count = TaskKind::ALL.iter().filter(|kind| is_right(kind)).count().max(1);
            #[expect(clippy::cast_precision_loss, reason = "one or two")]
            let right = TaskKind::ALL.map(|kind| if is_right(&kind) { weighs / count as f32 } else { 0.0 });
            Lesson { traits, right, weighs: *weighs }
        })
        .collect();
    let weights = learnt(&lessons, places.len());
    let mut text = String::from(
        "# What a request is like, by what it shows: weights for the kinds, in sixteenths. Made by `make teach-route`.\n",
    );
    for (name, place) in places {
        #[expect(clippy::cast_possible_truncation, reason = "within the bounds of a byte")]
        let rounded = weights[place].map(|weight| (weight / classifier::STEP).round().clamp(-127.0, 127.0) as i8);
        if rounded.iter().any(|weight| weight.abs() >= LEAST) {
            let numbers: Vec<String> = rounded.iter().map(i8::to_string).collect();
            let _ = writeln!(text, "{name}\t{}", numbers.join(" "));
        }
    }
    text
}

/// Full-batch gradient descent with the Adam update.
fn learnt(lessons: &[Lesson], count: usize) -> Vec<[f32; 8]> {
    let mut weights = vec![[0.0_f32; 8]; count];
    let mut way = vec![[0.0_f32; 8]; count];
    let mut spread = vec![[0.0_f32; 8]; count];
    for round in 1..=ROUNDS {
        let mut slope: Vec<[f32; 8]> = weights.iter().map(|row| row.map(|weight| weight * DRAWN)).collect();
        for Lesson { traits, right, weighs } in lessons {
            let mut sums = [0.0; 8];
            for (place, much) in traits {
                for (sum, weight) in sums.iter_mut().zip(&weights[*place]) {
                    *sum += weight * much;
                }
            }
            let most = sums.iter().copied().fold(f32::MIN, f32::max);
            let powers = sums.map(|sum: f32| (sum - most).exp());
            let whole: f32 = powers.iter().sum();
            for (place, much) in traits {
                for kind in 0..8 {
                    slope[*place][kind] += (powers[kind] / whole * weighs - right[kind]) * much;
                }
            }
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "some hundred rounds")]
        let (first, second) = (1.0 - 0.9_f32.powi(round as i32), 1.0 - 0.999_f32.powi(round as i32));
        for place in 0..count {
            for kind in 0..8 {
                let pull = slope[place][kind];
                way[place][kind] = 0.9 * way[place][kind] + 0.1 * pull;
                spread[place][kind] = 0.999 * spread[place][kind] + 0.001 * pull * pull;
                weights[place][kind] -=
                    RATE * (way[place][kind] / first) / ((spread[place][kind] / second).sqrt() + 1e-6);
            }
        }
    }
    weights
}
