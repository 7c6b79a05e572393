//! `cargo bench --bench prompt`: what Aside costs at the prompt, compared with a bare zsh and with zsh-autosuggestions, all with
//! the same history and in the same run; and what it costs in bash and fish. Prints figures and asserts nothing.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "the benchmark starts shells and daemons itself, and prints"
)]

use std::time::Instant;

mod bash_fish_keys;
mod daemon;
mod detect_latency;
#[path = "../tests/it/harness/mod.rs"]
#[expect(dead_code, reason = "the tests use more of it")]
mod harness;
mod history_fixture;
mod index;
mod peer_checks;
mod repository;
mod searches;
mod shells;
mod table;
mod translate_latency;
mod typist;

fn main() {
    // `cargo test --benches` only checks that it starts.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    // The part for `make bench-detect`, `make bench-callers` and `make bench-search`: seconds rather than minutes.
    if std::env::args().any(|argument| argument == "detect") {
        println!("{}\n", machine());
        return table::print(&detect_latency::measure());
    }
    if std::env::args().any(|argument| argument == "callers") {
        println!("{}\n", machine());
        return table::print(&peer_checks::measure());
    }
    if std::env::args().any(|argument| argument == "shells") {
        println!("{}\n", machine());
        let (mut rows, _) = shells::measure(&history_fixture::commands(100_000, history_fixture::Novelty(30)));
        rows.extend(bash_fish_keys::measure());
        return table::print(&rows);
    }
    if std::env::args().any(|argument| argument == "others") {
        println!("{}\n", machine());
        return table::print(&bash_fish_keys::measure());
    }
    if std::env::args().any(|argument| argument == "searches") {
        println!("{}\n", machine());
        return searches::measure();
    }
    let started = Instant::now();
    let short = history_fixture::commands(100_000, history_fixture::Novelty(30));
    println!("{}\n{}", machine(), described(&short));
    let (mut rows, details) = shells::measure(&short);
    let wishes = translate_latency::measure();
    let sentences = detect_latency::measure();
    // Not created earlier: starting a shell takes longer the more memory this process holds.
    let long = history_fixture::commands(1_000_000, history_fixture::Novelty(60));
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
