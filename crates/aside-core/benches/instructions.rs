//! `instructions NAME COUNT` runs a hot path COUNT times, for a tool that counts instructions: unlike times they hardly depend on what else
//! the machine does. `make bench-instructions` counts them and compares with `instructions.txt`.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "a bench reads its arguments, and says what it can do"
)]

use std::hint::black_box;

use aside_commands::shell_names::ShellNames;
use aside_commands::spec::Specs;
use aside_core::complete::complete;
use aside_core::complete::context::CompletionContext;
use aside_core::detect::{DetectContext, FirstWord, before_run};
use aside_core::history::filter::{HistoryFilter, SecretPolicy};
use aside_redact::redact;
use shell_line::{Dialect, parse};

mod fixture;

use fixture::history;
use fixture::machine::Machine;

/// Typed lines: each is one operation. Short ones and long ones, with and without a secret, prose and commands.
const LINES: &[&str] = &[
    "git checkout name-7",
    "git commit -m 'mend the parser'",
    "docker run --rm -it alpine sh",
    "find . -name '*.rs' | xargs grep TODO",
    "mysql -u root -phunter2 shop",
    "make sure the tests pass",
    "find out how the auth system works",
    "for file in *.txt; do mv \"$file\" \"${file%.txt}.md\"; done",
];

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    // `cargo test --benches` and `cargo bench` only check that it starts.
    let [_, name, count] = arguments.as_slice() else { return };
    let count: usize = count.parse().unwrap_or_default();
    let (machine, specs) = (Machine::new(), Specs::default());
    let mut names = ShellNames::default();
    names.take("builtin", 0, "cd");
    let lines = LINES.iter().cycle().take(count * LINES.len());
    match name.as_str() {
        "parse" => lines.for_each(|line| drop(black_box(parse(black_box(line), Dialect::Zsh)))),
        "redact" => lines.for_each(|line| drop(black_box(redact(black_box(line))))),
        "filter" => {
            let filter = HistoryFilter::new(&[], SecretPolicy::Skip).expect("no patterns");
            lines.for_each(|line| drop(black_box(filter.stored(black_box(line)))));
        }
        "detect" => lines.for_each(|line| {
            let context = DetectContext {
                cwd: "/code",
                dialect: Dialect::Zsh,
                first: FirstWord::Unasked,
                world: &machine,
                names: &names,
                specs: &specs,
                agent_prefix: "",
            };
            black_box(before_run(black_box(line), &context));
        }),
        "complete" => {
            let index = history();
            lines.for_each(|line| {
                let left = &line[..line.len() * 2 / 3];
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
                    limit: 4,
                    list: false,
                };
                drop(black_box(complete(black_box(&context))));
            });
        }
        other => panic!("{other}: there are parse, redact, filter, detect and complete"),
    }
}
