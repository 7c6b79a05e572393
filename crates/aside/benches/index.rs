//! The in-memory history index alone: no socket, no store.

use std::time::Instant;

use aside_core::history::index::HistoryIndexBuilder;
use aside_core::history::run_record::RunRecord;

use crate::table::{Row, Samples, Target};

const QUERIES: usize = 5000;
const CANDIDATES: usize = 5;

pub fn measure(past: &[String]) -> Vec<Row> {
    let started = Instant::now();
    let mut builder = HistoryIndexBuilder::default();
    for command in past {
        builder.add(RunRecord { command, cwd: None, exit: None, session: None, private: false });
    }
    let index = builder.finish();
    let built = started.elapsed().as_secs_f64() * 1e3;
    let mut samples = Samples::default();
    for number in 0..QUERIES {
        let prefix = &past[number * 7919 % past.len()][..1 + number % 12];
        let asked = Instant::now();
        let found = index.starting_with(prefix, "/", CANDIDATES).len();
        samples.add(asked.elapsed());
        std::hint::black_box(found);
    }
    let micro = |share| samples.quantile(share).map(|time| time * 1e3);
    vec![
        Row::alone("index of 1 000 000 commands built", "ms", Some(built), Target::None),
        Row::alone("  asked for a prefix, median", "µs", micro(0.5), Target::None),
        Row::alone("  asked for a prefix, p99", "µs", micro(0.99), Target::None),
    ]
}
