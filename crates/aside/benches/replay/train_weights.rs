//! Trains the weights by which ghost text is judged: a logistic regression for each class of candidates over what was shown first
//! at each letter of synthetic histories.

use std::collections::BTreeMap;
use std::sync::Mutex;

use aside_core::complete::{ghost, uncalibrated};

use super::compare::{self, Past};
use super::history_lines::{HistoryLine, Role};
use super::in_process::InProcess;
use super::playback::{Tally, Tool};
use super::typist::beginning;

/// Steps of Newton's method; it needs about six.
const STEPS: usize = 12;
/// The ridge penalty: keeps weights of rare features small.
const RIDGE: f64 = 1.0;

type Row = (Vec<(&'static str, f32)>, bool);

/// The lines of `data/complete/ghost.txt`.
pub fn weights(pasts: &[Past]) -> String {
    let rows: Mutex<BTreeMap<&'static str, Vec<Row>>> = Mutex::default();
    compare::at_once(pasts, |past| {
        let found = watch(past);
        let mut rows = rows.lock().expect("nothing panics while holding it");
        found.into_iter().for_each(|(class, row)| rows.entry(class).or_default().push(row));
        Tally::default()
    });
    let rows = rows.into_inner().expect("nothing panics while holding it");
    let lines = rows.iter().flat_map(|(class, rows)| {
        let weights = regression(rows).into_iter();
        weights.map(move |(feature, weight)| format!("{class} {feature} {weight:.3}\n"))
    });
    lines.collect()
}

/// The features of the first candidate at each letter, and whether it was the intended line.
fn watch(past: &[HistoryLine]) -> Vec<(&'static str, Row)> {
    let mut inside = InProcess::of(past);
    let mut rows = Vec::new();
    for typed in past {
        let length = if typed.role == Role::Replayed { typed.command.chars().count() } else { 0 };
        for left in (1..=length).map(|count| beginning(&typed.command, count)) {
            let found = uncalibrated(&inside.ask(left, &typed.cwd));
            let Some(first) = found.first().filter(|first| first.candidate.text.starts_with(left)) else { continue };
            let ghost::GhostFeatures { class, values } = ghost::features(left, first, &found);
            rows.push((class, (values, typed.command.starts_with(&first.candidate.text))));
        }
        inside.ran(typed);
    }
    rows
}

fn regression(rows: &[Row]) -> Vec<(&'static str, f64)> {
    let mut names: Vec<&'static str> =
        rows.iter().flat_map(|(values, _)| values.iter().map(|(name, _)| *name)).collect();
    names.sort_unstable();
    names.dedup();
    let dense: Vec<(Vec<(usize, f64)>, f64)> = rows
        .iter()
        .map(|(values, is_right)| {
            let place = |name: &str| names.binary_search(&name).expect("it is one of them");
            let values = values.iter().map(|(name, value)| (place(name), f64::from(*value))).collect();
            (values, f64::from(u8::from(*is_right)))
        })
        .collect();
    let count = names.len();
    let mut weights = vec![0.0; count];
    for _ in 0..STEPS {
        let mut slope: Vec<f64> = weights.iter().map(|weight| RIDGE * weight).collect();
        let mut curve = vec![vec![0.0; count]; count];
        for (place, row) in curve.iter_mut().enumerate() {
            row[place] = RIDGE;
        }
        for (values, right) in &dense {
            let sum: f64 = values.iter().map(|(place, value)| weights[*place] * value).sum();
            let chance = 1.0 / (1.0 + (-sum).exp());
            for (one, value) in values {
                slope[*one] += (chance - right) * value;
                for (other, by) in values {
                    curve[*one][*other] += chance * (1.0 - chance) * value * by;
                }
            }
        }
        let step = solve(curve, slope);
        weights.iter_mut().zip(step).for_each(|(weight, step)| *weight -= step);
    }
    names.into_iter().zip(weights).collect()
}

/// Gauss-Jordan elimination; the ridge keeps every pivot above zero.
fn solve(mut rows: Vec<Vec<f64>>, mut right: Vec<f64>) -> Vec<f64> {
    let count = right.len();
    for at in 0..count {
        let pivot = rows[at].clone();
        let value = right[at] / pivot[at];
        for (other, row) in rows.iter_mut().enumerate().filter(|(other, _)| *other != at) {
            let factor = row[at] / pivot[at];
            row.iter_mut().zip(&pivot).for_each(|(cell, from)| *cell -= factor * from);
            right[other] -= factor * pivot[at] * value;
        }
        rows[at].iter_mut().for_each(|cell| *cell /= pivot[at]);
        right[at] = value;
    }
    right
}
