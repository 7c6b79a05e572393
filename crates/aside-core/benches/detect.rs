//! How long it takes to classify a line as prose or command, compared with parsing the same line, which completion does for every
//! keystroke. `make bench-detect`.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::disallowed_macros,
    reason = "a bench needs a clock, and says what it found"
)]

use std::hint::black_box;
use std::time::Instant;

use aside_commands::shell_names::ShellNames;
use aside_commands::spec::Specs;
use aside_core::detect::{DetectContext, FirstWord, RunEnd, after_failure, before_run};
use shell_line::{Dialect, parse};

#[path = "fixture/machine.rs"]
mod machine;

use machine::Machine;

/// Each line is judged this often per batch, and the batch's time is divided.
const BATCH: u32 = 50;
const BATCHES: usize = 60;
/// The budget for a verdict, in microseconds.
const GOAL: f64 = 50.0;

const LINES: &[&str] = &[
    "do We already have a way to uninstall?",
    "in the codebase where is auth?",
    "find out how the auth system works",
    "make sure the tests pass",
    "git me the latest changes",
    "while you are at it fix the tests",
    "touch base with me about the plan before the end of the week",
    "ls -la",
    "git commit -m 'make sure that it works with the new version of the library'",
    "for file in *.txt; do mv \"$file\" \"${file%.txt}.md\"; done",
    "docker run --rm -it -v \"$PWD:/work\" -w /work alpine sh -c 'apk add make && make test'",
    "find . -name '*.rs' -newer Cargo.toml -exec grep -l TODO {} + | sort | uniq -c | sort -rn | head",
    "帮我找出这个目录里最大的文件",
    "bitte zeig mir alle Dateien, die größer als ein Megabyte sind",
    "what is the difference between a rebase and a merge, and when should i prefer one over the other?",
    "please explain why the build that worked yesterday fails today with an error about a missing header file, and tell \
     me what i should change in the configuration so that it works again on the other machines that we use as well",
];

fn main() {
    // `cargo test --benches` only checks that it starts.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let (machine, specs) = (Machine::new(), Specs::default());
    let mut names = ShellNames::default();
    names.take("builtin", 0, "cd");
    let facts = DetectContext {
        cwd: "/code",
        dialect: Dialect::Zsh,
        first: FirstWord::Unasked,
        world: &machine,
        names: &names,
        specs: &specs,
        agent_prefix: "@",
    };
    let output = "make: *** No rule to make target 'sure'.  Stop.";
    let end = RunEnd { exit: 2, unreadable: false, output: Some(output) };
    let begin = Instant::now();
    black_box(before_run(LINES[0], &facts));
    println!("the first line, with reading the lists   {:8.1} µs\n", begin.elapsed().as_secs_f64() * 1e6);
    println!("  before     after   parsing    µs, medians");
    let [mut all, mut all_after, mut all_parsed] = [(); 3].map(|()| Vec::new());
    let mut slowest = 0.0_f64;
    for line in LINES {
        let judged = times(|| drop(black_box(before_run(black_box(line), &facts))));
        let ended = times(|| drop(black_box(after_failure(black_box(line), &end, &facts))));
        let parsed = times(|| drop(black_box(parse(black_box(line), Dialect::Zsh))));
        let shown: String = line.chars().take(70).collect();
        println!("{:8.1}  {:8.1}  {:8.1}    {shown}", at(&judged, 0.5), at(&ended, 0.5), at(&parsed, 0.5));
        slowest = slowest.max(at(&judged, 0.5)).max(at(&ended, 0.5));
        all.extend(judged);
        all_after.extend(ended);
        all_parsed.extend(parsed);
    }
    for times in [&mut all, &mut all_after, &mut all_parsed] {
        times.sort_unstable_by(f64::total_cmp);
    }
    for share in [0.5, 0.99] {
        let [before, after, parsed] = [&all, &all_after, &all_parsed].map(|times| at(times, share));
        println!(
            "{before:8.1}  {after:8.1}  {parsed:8.1}    {}; before is {:.1} times parsing, after {:.1} times",
            if share == 0.5 { "median" } else { "99th" },
            before / parsed,
            after / parsed
        );
    }
    // The 99th percentile also reflects a busy machine: compare it with parsing.
    println!("goal: {GOAL} µs for the slowest line, {}", if slowest <= GOAL { "kept" } else { "missed" });
}

/// In microseconds, sorted.
fn times(mut act: impl FnMut()) -> Vec<f64> {
    let mut times: Vec<f64> = (0..BATCHES)
        .map(|_| {
            let begin = Instant::now();
            (0..BATCH).for_each(|_| act());
            begin.elapsed().as_secs_f64() * 1e6 / f64::from(BATCH)
        })
        .collect();
    times.sort_unstable_by(f64::total_cmp);
    times
}

fn at(sorted: &[f64], share: f64) -> f64 {
    let last = sorted.len().saturating_sub(1);
    sorted.get((last as f64 * share).round() as usize).copied().unwrap_or_default()
}
