//! How long it takes to route a request, compared with parsing the same text as a line, which completion does for every keystroke;
//! and the time and memory that loading the weights takes. `make bench-route`.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::disallowed_macros,
    reason = "a bench needs a clock, and says what it found"
)]

use std::hint::black_box;
use std::time::Instant;

use aside_task::route::{RouteOptions, classifier, route};
use shell_line::{Dialect, parse};

/// Each request is routed this often per batch, and the batch's time is divided.
const BATCH: u32 = 20;
const BATCHES: usize = 40;
/// The budget for the slowest of these, in microseconds.
const GOAL: f64 = 500.0;

const REQUESTS: &[&str] = &[
    "tests pls",
    "run the tests",
    "dark mode",
    "why is the build red",
    "把按钮改成蓝色",
    "登录那块报错了 帮忙看看咋回事",
    "what does `rm -rf build` do?",
    "cargo test -p core --no-fail-fast",
    "Rename getUser to fetchUser in src/api.ts and src/main.ts, and update the callers.",
    "plz fxi teh tset taht keesp faling on windws",
    "could you have a look at my last commit and tell me whether anything in it would break older clients?",
    "it's broken\nTypeError: x is not a function\n    at render (src/app.js:30:11)\n    at main (src/app.js:3:1)",
    "so the thing is that since we moved everything to the new cluster the nightly job does not finish any more, and nobody \
     has touched it for months, so before i change anything i would like to know where the timeout is set and what reads it",
];

fn main() {
    // `cargo test --benches` only checks that it starts.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let options = RouteOptions::default();
    let before = resident();
    let begin = Instant::now();
    black_box(classifier::known());
    let weights = begin.elapsed().as_secs_f64() * 1e6;
    let held = resident().saturating_sub(before);
    println!("reading {} weights   {weights:8.1} µs, {held} KiB\n", classifier::known());
    let begin = Instant::now();
    black_box(route(REQUESTS[0], &options));
    let first = begin.elapsed().as_secs_f64() * 1e6;
    println!("the first request, with reading the rules   {first:8.1} µs, {} KiB in all\n", resident());
    println!("   route   parsing    µs, medians");
    let (mut all, mut all_parsed) = (Vec::new(), Vec::new());
    let mut slowest = 0.0_f64;
    for request in REQUESTS {
        let routed = times(|| drop(black_box(route(black_box(request), &options))));
        let parsed = times(|| drop(black_box(parse(black_box(request), Dialect::Zsh))));
        let shown: String = request.chars().map(|letter| if letter == '\n' { ' ' } else { letter }).take(70).collect();
        println!("{:8.1}  {:8.1}    {shown}", at(&routed, 0.5), at(&parsed, 0.5));
        slowest = slowest.max(at(&routed, 0.5));
        all.extend(routed);
        all_parsed.extend(parsed);
    }
    for times in [&mut all, &mut all_parsed] {
        times.sort_unstable_by(f64::total_cmp);
    }
    for (share, name) in [(0.5, "median"), (0.99, "99th")] {
        let [routed, parsed] = [&all, &all_parsed].map(|times| at(times, share));
        println!("{routed:8.1}  {parsed:8.1}    {name}; a route is {:.1} times parsing", routed / parsed);
    }
    println!("goal: {GOAL} µs for the slowest request, {}", if slowest <= GOAL { "kept" } else { "missed" });
}

/// The resident memory of this process in KiB, where the system reports it.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let row = status.lines().find_map(|row| row.strip_prefix("VmRSS:"));
    row.and_then(|row| row.split_whitespace().next()?.parse().ok()).unwrap_or_default()
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
