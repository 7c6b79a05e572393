//! Lines that may be prose, sent to the daemon's socket as Enter does: compared with a request that needs no work, and the first
//! one after a command ended, when the cached facts about the directory have to be refreshed.

use std::time::Instant;

use crate::daemon::Daemon;
use crate::harness::home::Home;
use crate::table::{Row, Samples, Target};

const ROUNDS: usize = 300;

/// What the plugin asks about: prose, and commands that could be prose.
const LINES: [(&str, &str); 8] = [
    ("make sure the tests pass", "program"),
    ("find out how the auth system works", "program"),
    ("git me the latest changes", "program"),
    ("while you are at it fix the tests", "reserved"),
    ("touch base with me about the plan", "program"),
    ("what is using all the memory", "none"),
    ("npm run build", "none"),
    ("in the codebase where is auth?", "none"),
];

pub fn measure() -> Vec<Row> {
    let home = Home::new();
    (0..2000).for_each(|number| home.write(&format!("code/file-{number:04}.txt"), "x\n"));
    home.write("code/Makefile", "all:\n\techo\ntest: all\n\techo\n");
    home.write("code/package.json", "{\"scripts\": {\"build\": \"x\", \"test\": \"y\"}}\n");
    let cwd = home.path("code").display().to_string();
    let mut daemon = Daemon::start(&home);
    daemon.first_answer();
    let [mut nothing, mut known, mut looked]: [Samples; 3] = Default::default();
    let mut slowest_first = Samples::default();
    for round in 0..ROUNDS {
        for (number, (line, first)) in LINES.into_iter().enumerate() {
            let ask = |daemon: &mut Daemon, samples: &mut Samples| {
                let began = Instant::now();
                daemon.detects(&cwd, line, first);
                samples.add(began.elapsed());
            };
            if round == 0 {
                ask(&mut daemon, &mut slowest_first);
            }
            daemon.finishes(&cwd, round * LINES.len() + number);
            ask(&mut daemon, &mut looked);
            ask(&mut daemon, &mut known);
            let began = Instant::now();
            daemon.status();
            nothing.add(began.elapsed());
        }
    }
    let ratio = |samples: &Samples, share| Some(samples.quantile(share)? / nothing.quantile(share)?);
    vec![
        Row::alone("Enter: is it a sentence, p50", "ms", known.median(), Target::Value(10.0)),
        Row::alone("  as a ratio to `status`", "×", ratio(&known, 0.5), Target::None),
        Row::alone("Enter: is it a sentence, p99", "ms", known.quantile(0.99), Target::Value(10.0)),
        Row::alone("  as a ratio to `status`", "×", ratio(&known, 0.99), Target::None),
        Row::alone("  right after a command ended, p50", "ms", looked.median(), Target::Value(10.0)),
        Row::alone("  right after a command ended, p99", "ms", looked.quantile(0.99), Target::Value(10.0)),
        Row::alone("  the slowest of the first of each", "ms", slowest_first.quantile(1.0), Target::None),
    ]
}
