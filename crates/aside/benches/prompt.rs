//! `cargo bench --bench prompt`: what Aside costs at the prompt, compared with a bare zsh and with zsh-autosuggestions, all with
//! the same history and in the same run; and what it costs in bash and fish. Prints figures and asserts nothing.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "the benchmark starts shells and daemons itself, and prints"
)]

use std::time::Instant;

mod callers;
mod daemon;
#[path = "../tests/it/harness/mod.rs"]
#[expect(dead_code, reason = "the tests use more of it")]
mod harness;
mod index;
mod others;
mod past;
mod repository;
mod searches;
mod sentences;
mod shells;
mod table;
mod typist;
mod wishes;

fn main() {
    // `cargo test --benches` only checks that it starts.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    // The part for `make bench-detect`, `make bench-callers` and `make bench-search`: seconds rather than minutes.
    if std::env::args().any(|argument| argument == "sentences") {
        println!("{}\n", machine());
        return table::print(&sentences::measure());
    }
    if std::env::args().any(|argument| argument == "callers") {
        println!("{}\n", machine());
        return table::print(&callers::measure());
    }
    if std::env::args().any(|argument| argument == "shells") {
        println!("{}\n", machine());
        let (mut rows, _) = shells::measure(&past::commands(10_000, past::Novelty(30)));
        rows.extend(others::measure());
        return table::print(&rows);
    }
    if std::env::args().any(|argument| argument == "others") {
        println!("{}\n", machine());
        return table::print(&others::measure());
    }
    if std::env::args().any(|argument| argument == "searches") {
        println!("{}\n", machine());
        return searches::measure();
    }
    let started = Instant::now();
    let short = past::commands(100_000, past::Novelty(30));
    println!("{}\n{}", machine(), described(&short));
    let (mut rows, details) = shells::measure(&short);
    let wishes = wishes::measure();
    let sentences = sentences::measure();
    // Not created earlier: starting a shell takes longer the more memory this process holds.
    let long = past::commands(1_000_000, past::Novelty(60));
    println!("{}", described(&long));
    rows.extend(daemon::measure(&short, &long));
    rows.extend(index::measure(&long));
    rows.extend(wishes);
    rows.extend(sentences);

    println!("\nMedians.\n");
    table::print(&rows);
    println!("\nms: minimum, 90th percentile, count {:>24} | Aside {:>16} | zsh-autosuggestions", "bare zsh", "");
    details.iter().for_each(|line| println!("{line}"));
    println!("\n{}; {} s in all", load(), started.elapsed().as_secs());
}

/// The numbers mean little on another machine; the ratios mean more.
fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split(": ").nth(1));
    format!("{cores} cores, {}, {}", model.unwrap_or("unknown processor"), load())
}

fn load() -> String {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let first: Vec<&str> = load.split(' ').take(3).collect();
    format!("load average {}", first.join(" "))
}

fn described(past: &[String]) -> String {
    let bytes: usize = past.iter().map(String::len).sum();
    let mut distinct: Vec<&String> = past.iter().collect();
    distinct.sort_unstable();
    distinct.dedup();
    let share = distinct.len() * 100 / past.len();
    format!("{} commands of {} bytes, {share} % distinct", past.len(), bytes / past.len())
}
