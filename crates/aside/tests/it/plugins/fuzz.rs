//! Random keys in two shells with the same setup, one of them with Aside: the line, the commands that ran, their exit codes and the
//! screen are the same in both, while the daemon is killed, Aside turned off and on, the rc file read again and the program
//! replaced.

use std::collections::VecDeque;
use std::panic::AssertUnwindSafe;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use crate::plugins::setups::{Order, Setup};

mod pair;
mod sequence;

use pair::{Builds, Pair};
use sequence::sequence;

/// A sequence that differs is repeated after this many of its predecessors: state left by them may cause the difference.
const BEFORE: usize = 4;

/// How often two shells without Aside are compared when a difference was found: some plugins are not deterministic.
const CONTROLS: usize = 3;

/// A run may be ended before all of its sequences: a line is printed after this many of each setup.
const REPORT_EVERY: usize = 100;

/// Where the second shell of a pair loads Aside. `ASIDE_TEST_CONTROL` leaves it out, to see what differs by chance.
fn order() -> Order {
    if std::env::var_os("ASIDE_TEST_CONTROL").is_some() { Order::Absent } else { Order::Last }
}

/// How many sequences differ, of `count` starting at `seed`. The setups run in parallel, and each takes the next seed when it is ready.
pub fn run<'a>(setups: impl Iterator<Item = &'a Setup>, plugins: &Path, seed: u64, count: u64) -> usize {
    let (builds, next) = (Builds::new(), AtomicU64::new(seed));
    let take = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|number| *number < seed + count);
    std::thread::scope(|scope| {
        let start = |setup: &'a Setup| scope.spawn(|| run_one(setup, plugins, &builds, std::iter::from_fn(&take)));
        let runs: Vec<_> = setups.map(start).collect();
        runs.into_iter().map(|run| run.join().unwrap()).sum()
    })
}

/// A shell that ended differs, too: otherwise its setup would take no further part.
fn differs(pair: &Pair, number: u64) -> Option<String> {
    let played = std::panic::catch_unwind(AssertUnwindSafe(|| pair.differs_after(&sequence(number))));
    played.unwrap_or_else(|_| Some("a shell ended, or did not answer\n".to_owned()))
}

fn run_one(setup: &Setup, plugins: &Path, builds: &Builds, numbers: impl Iterator<Item = u64>) -> usize {
    let started = Instant::now();
    let start = |order| Pair::start(setup, order, plugins, builds);
    let mut pair = start(order());
    let (mut count, mut differ, mut late, mut unsteady) = (0, 0, 0, 0);
    let mut before = VecDeque::new();
    let report = |count, differ, late, unsteady| {
        let (name, seconds) = (setup.name, started.elapsed().as_secs());
        eprintln!(
            "{name}: {count} sequences in {seconds} s, {differ} differ, {late} only once, {unsteady} without Aside too"
        );
    };
    for number in numbers {
        if count > 0 && count % REPORT_EVERY == 0 {
            report(count, differ, late, unsteady);
        }
        count += 1;
        before.push_back(number);
        if before.len() > BEFORE {
            before.pop_front();
        }
        let Some(first) = differs(&pair, number) else { continue };
        let describe = |what: &str, difference: &str| {
            eprintln!("--- {} SEED={number} {what}: {:?}\n{difference}---", setup.name, sequence(number));
        };
        pair = start(order());
        let again = differs(&pair, number).or_else(|| {
            pair = start(order());
            before.iter().filter_map(|number| differs(&pair, *number)).last()
        });
        if let Some(difference) = again {
            let bare = start(Order::Absent);
            if (0..CONTROLS).any(|_| differs(&bare, number).is_some()) {
                unsteady += 1;
                describe("differs without Aside too", &difference);
            } else {
                differ += 1;
                describe("N=1", &difference);
            }
        } else {
            late += 1;
            describe("once", &first);
        }
        pair = start(order());
    }
    report(count, differ, late, unsteady);
    differ
}
