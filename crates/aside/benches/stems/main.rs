//! `make eval-complete`: are the completions of a command prefix sane? Stems by authors who have seen neither specs nor ranking are
//! typed on a machine with five directories and histories of three sizes; the first candidate and the bar are judged by the
//! patterns of each stem, and by rules. Sets are JSON lines in `crates/aside/eval/stems`; see docs/complete-eval.md.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "the measurement starts daemons itself, and prints"
)]

mod fixture;
#[path = "../../tests/it/harness/mod.rs"]
#[expect(dead_code, reason = "the tests use more of it")]
mod harness;
mod judge;

use std::collections::BTreeMap;
use std::path::PathBuf;

use fixture::{Machine, Size};
use judge::{Stem, Verdict};

fn main() {
    // `cargo test --benches` only checks that it starts.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let own = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/eval/stems"));
    let sets = std::env::var_os("ASIDE_STEMS").map_or(own.clone(), PathBuf::from);
    let lists = std::env::var_os("ASIDE_STEMS_LIST").is_some();
    let mut machines: BTreeMap<Size, Machine> = BTreeMap::new();
    let (mut all, mut by_size): (Figures, BTreeMap<Size, Figures>) = Default::default();
    for (name, stems) in judge::sets(&sets) {
        let mut figures = Figures::default();
        for stem in &stems {
            let machine = machines.entry(stem.size()).or_insert_with(|| Machine::new(stem.size(), &own));
            let shown = machine.complete(&stem.cwd, &stem.left);
            let verdicts: Vec<Verdict> = shown.iter().map(|line| stem.verdict(line)).collect();
            for figures in [&mut figures, &mut all, by_size.entry(stem.size()).or_default()] {
                figures.add(stem, &verdicts);
            }
            if lists {
                list(&name, stem, &shown, &verdicts);
            }
        }
        println!("{name}: {figures}");
    }
    for (size, figures) in &by_size {
        println!("history of {}: {figures}", size.name());
    }
    println!("all: {all}");
}

/// A line for each error.
fn list(set: &str, stem: &Stem, shown: &[String], verdicts: &[Verdict]) {
    for (place, (line, verdict)) in shown.iter().zip(verdicts).enumerate() {
        if *verdict != Verdict::Good {
            println!(
                "{verdict:?}\t{}\t{set}\t{}\t{}\t{:?} -> {line:?}",
                place + 1,
                stem.size().name(),
                stem.cwd,
                stem.left
            );
        }
    }
    if shown.is_empty() && !stem.silence {
        println!("Silent\t-\t{set}\t{}\t{}\t{:?}", stem.size().name(), stem.cwd, stem.left);
    }
}

#[derive(Default)]
struct Figures {
    stems: usize,
    shown: usize,
    first: BTreeMap<Verdict, usize>,
    all: BTreeMap<Verdict, usize>,
    /// Where a candidate should have been known.
    silent: usize,
}

impl Figures {
    fn add(&mut self, stem: &Stem, verdicts: &[Verdict]) {
        self.stems += 1;
        match verdicts.first() {
            Some(first) => {
                self.shown += 1;
                *self.first.entry(*first).or_default() += 1;
            }
            None if stem.silence => {}
            None => self.silent += 1,
        }
        for verdict in verdicts {
            *self.all.entry(*verdict).or_default() += 1;
        }
    }
}

impl std::fmt::Display for Figures {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let share = |count: usize, all: usize| count as f64 * 100.0 / all.max(1) as f64;
        let total: usize = self.all.values().sum();
        let of = |figures: &BTreeMap<Verdict, usize>, verdict| figures.get(&verdict).copied().unwrap_or_default();
        write!(
            out,
            "{} stems, {} shown; first: nonsense {:.1} %, doubtful {:.1} %, good {:.1} %; of all {total}: nonsense {:.1} %, doubtful {:.1} %; silent where something is plain {:.1} %",
            self.stems,
            self.shown,
            share(of(&self.first, Verdict::Nonsense), self.shown),
            share(of(&self.first, Verdict::Doubtful), self.shown),
            share(of(&self.first, Verdict::Good), self.shown),
            share(of(&self.all, Verdict::Nonsense), total),
            share(of(&self.all, Verdict::Doubtful), total),
            share(self.silent, self.stems),
        )
    }
}
