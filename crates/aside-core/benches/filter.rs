//! How long the history filter takes for a single recorded line and for an import of 100 000. `make bench-filter`.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::disallowed_macros,
    reason = "a bench needs a clock, and says what it found"
)]

use std::hint::black_box;
use std::time::Instant;

use aside_core::history::HistoryEntry;
use aside_core::history::filter::{HistoryFilter, SecretPolicy};

const IMPORT: usize = 100_000;
const ROUNDS: usize = 5;
/// The budgets: microseconds for a recorded line, milliseconds for an import.
const GOAL_LINE: f64 = 200.0;
const GOAL_IMPORT: f64 = 5000.0;

const LINES: &[&str] = &[
    "ls -la",
    "git status --short",
    "git commit -m 'make sure that it works with the new version of the library'",
    "git checkout 8cb84041a2f3e5d6c7b8a9f0e1d2c3b4a5968778",
    "for file in *.txt; do mv \"$file\" \"${file%.txt}.md\"; done",
    "docker run --rm -it -v \"$PWD:/work\" -w /work alpine sh -c 'apk add make && make test'",
    "find . -name '*.rs' -newer Cargo.toml -exec grep -l TODO {} + | sort | uniq -c | sort -rn | head",
    "mysql -u root -p shop",
    "mysql -u root -phunter2 shop",
    "curl -sS -H 'Authorization: Bearer q8Zr4Tn2LwK7vB3x' https://host/v1/items?page=2",
    "kubectl -n prod get pods -o wide",
    "ssh -i ~/.ssh/id_ed25519 me@host uptime",
];

fn main() {
    let filter = HistoryFilter::new(&[], SecretPolicy::Skip).expect("no patterns");
    LINES.iter().for_each(|line| drop(black_box(filter.stored(line))));
    let mut slowest = (0.0, "");
    for line in LINES {
        let began = Instant::now();
        (0..1000).for_each(|_| drop(black_box(filter.stored(black_box(line)))));
        let each = began.elapsed().as_secs_f64() * 1e3;
        println!("{each:8.2} µs  {line}");
        slowest = if each > slowest.0 { (each, line) } else { slowest };
    }
    let entry = |number: usize| HistoryEntry {
        command: format!("{} # {number}", LINES.get(number % LINES.len()).copied().unwrap_or_default()),
        ..HistoryEntry::default()
    };
    let entries: Vec<HistoryEntry> = (0..IMPORT).map(entry).collect();
    for secrets in [SecretPolicy::Skip, SecretPolicy::Redact, SecretPolicy::Keep] {
        let filter = HistoryFilter::new(&[], secrets).expect("no patterns");
        let mut times = Vec::new();
        let mut left = 0;
        for _ in 0..ROUNDS {
            let mut entries = entries.clone();
            let began = Instant::now();
            filter.sift(&mut entries, |_| {});
            times.push(began.elapsed().as_secs_f64() * 1e3);
            left = entries.len();
        }
        times.sort_by(f64::total_cmp);
        let median = times.get(ROUNDS / 2).copied().unwrap_or_default();
        println!("{IMPORT} lines, {secrets:?}: {median:.0} ms, {left} stored");
        assert!(median < GOAL_IMPORT, "an import may take {GOAL_IMPORT} ms");
    }
    assert!(slowest.0 < GOAL_LINE, "a line may take {GOAL_LINE} µs: {}", slowest.1);
}
