//! How long it takes to find, judge and rank the candidates for a keystroke, compared with the history lookup alone. `make bench-complete`.

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
use aside_core::complete::complete;
use aside_core::complete::context::CompletionContext;
use aside_core::history::index::HistoryQuery;
use shell_line::Dialect;

mod fixture;

use fixture::history;
use fixture::machine::Machine;

const CANDIDATES: usize = 4;
/// How often each prefix is requested.
const TIMES: usize = 40;

/// Lines that are typed key by key.
const LINES: &[&str] = &[
    "git status",
    "git checkout name-7",
    "git commit -m 'mend the parser'",
    "rm file-0012.txt",
    "docker run --rm -it alpine sh",
    "cd src && make test",
    "find . -name '*.rs' | xargs grep TODO",
    "sudo systemctl restart nginx",
];

fn main() {
    // `cargo test --benches` only checks that it starts.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let (machine, specs, index) = (Machine::new(), Specs::default(), history());
    let mut names = ShellNames::default();
    names.take("builtin", 0, "cd");
    let (mut all, mut looked_up) = (Vec::new(), Vec::new());
    let mut slowest = (0.0_f64, String::new());
    println!("    complete     lookup   µs a key, medians of a line");
    for line in LINES {
        let (mut of_line, mut of_lookup) = (Vec::new(), Vec::new());
        for end in (1..=line.len()).filter(|end| line.is_char_boundary(*end)) {
            let left = &line[..end];
            let context = CompletionContext {
                left,
                right: "",
                cwd: "/code",
                dialect: Dialect::Zsh,
                names: &names,
                history: &index,
                session: "1",
                world: &machine,
                specs: &specs,
                idea: None,
                limit: CANDIDATES,
                list: false,
            };
            let question = HistoryQuery { prefix: left, cwd: "/code", session: "1", root: Some("/code") };
            let took = median(|| drop(black_box(complete(black_box(&context)))));
            of_lookup.push(median(|| drop(black_box(index.likely(black_box(question))))));
            of_line.push(took);
            if took > slowest.0 {
                slowest = (took, left.to_owned());
            }
        }
        println!("{:12.1} {:10.1}   {line}", middle(&mut of_line), middle(&mut of_lookup));
        all.extend(of_line);
        looked_up.extend(of_lookup);
    }
    let (whole, lookup) = (middle(&mut all), middle(&mut looked_up));
    let (late, late_lookup) = (all[all.len() * 99 / 100], looked_up[looked_up.len() * 99 / 100]);
    println!("{whole:12.1} {lookup:10.1}   median of all keys: {:.1} times the lookup", whole / lookup);
    println!("{late:12.1} {late_lookup:10.1}   99th: {:.1} times the lookup", late / late_lookup);
    println!("the slowest: {:?}, {:.1} µs", slowest.1, slowest.0);
}

/// In microseconds.
fn median(mut act: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..TIMES)
        .map(|_| {
            let begin = Instant::now();
            act();
            begin.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    middle(&mut times)
}

fn middle(times: &mut [f64]) -> f64 {
    times.sort_unstable_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or_default()
}
