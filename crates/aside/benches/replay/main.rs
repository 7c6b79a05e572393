//! `make bench-replay`: a history typed again, character by character, with Aside and with zsh-autosuggestions; each command sees
//! only what ran before it. Prints how many keys each would have saved, and how often it was wrong. Asserts nothing.
//!
//! ```text
//! cargo bench --bench replay -- [--json FILE] [--lines N] [--seed N] [HISTORY…]
//!     through the daemon; without a history, one of N lines is generated for each of several users
//! cargo bench --bench replay -- --in-process [HISTORY…]    without the daemon: in seconds
//! cargo bench --bench replay -- --teach                     trains the weights by which ghost text is judged
//! cargo bench --bench replay -- --check [HISTORY…]         our model of zsh-autosuggestions against the plugin
//! cargo bench --bench replay -- --generate N [--seed N] [--person NAME]     prints a synthetic history
//! ```

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "the benchmark starts zsh and the daemon itself, and prints"
)]

mod autosuggestions;
mod check;
mod compare;
mod daemon;
mod generate;
#[path = "../../tests/it/harness/mod.rs"]
#[expect(dead_code, reason = "the tests use more of it")]
mod harness;
mod history_lines;
mod in_process;
mod playback;
mod report;
mod train_weights;
mod typist;
mod world;

use compare::Past;
use daemon::{Daemon, Times};
use history_lines::Role;
use in_process::InProcess;

/// The length of each synthetic history.
const LINES: usize = 1500;
const SEED: u64 = 1;
/// The seeds used for training; others are left for testing.
const TAUGHT: [u64; 2] = [1, 2];

#[derive(Default)]
struct Wanted {
    mode: Mode,
    files: Vec<String>,
    json: Option<String>,
    lines: Option<usize>,
    seed: Option<u64>,
    person: Option<String>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Mode {
    #[default]
    Daemon,
    InProcess,
    Teach,
    Check,
    Generate,
}

fn main() {
    // `cargo test --benches` only checks that it starts.
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(bench) = arguments.iter().position(|argument| argument == "--bench") else { return };
    arguments.remove(bench);
    let wanted = wanted(arguments);
    match wanted.mode {
        Mode::Daemon => through_the_daemon(&wanted),
        Mode::InProcess => {
            compare::print(&compare::at_once(&pasts(&wanted), |typed| {
                playback::play(typed, &mut InProcess::of(typed))
            }));
        }
        Mode::Teach => {
            let pasts: Vec<Past> =
                TAUGHT.iter().flat_map(|seed| pasts(&Wanted { seed: Some(*seed), ..Wanted::default() })).collect();
            print!("{}", train_weights::weights(&pasts));
        }
        Mode::Check => against_the_plugin(&wanted),
        Mode::Generate => {
            let all: String = made_up(&wanted).into_iter().map(|(_, history)| history).collect();
            print!("{all}");
        }
    }
}

fn wanted(arguments: Vec<String>) -> Wanted {
    let mut wanted = Wanted::default();
    let mut arguments = arguments.into_iter();
    let number = |text: Option<String>| text.and_then(|text| text.parse().ok()).expect("a number follows");
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--in-process" => wanted.mode = Mode::InProcess,
            "--teach" => wanted.mode = Mode::Teach,
            "--check" => wanted.mode = Mode::Check,
            "--generate" => {
                wanted.mode = Mode::Generate;
                wanted.lines = Some(number(arguments.next()) as usize);
            }
            "--lines" => wanted.lines = Some(number(arguments.next()) as usize),
            "--seed" => wanted.seed = Some(number(arguments.next())),
            "--person" => wanted.person = arguments.next(),
            "--json" => wanted.json = arguments.next(),
            _ if argument.starts_with('-') => panic!("unknown option {argument}"),
            _ => wanted.files.push(argument),
        }
    }
    wanted
}

fn pasts(wanted: &Wanted) -> Vec<Past> {
    if wanted.files.is_empty() {
        let made = made_up(wanted).into_iter();
        return made.map(|(name, text)| Past { typed: history_lines::read("zsh", text.as_bytes()), name }).collect();
    }
    let read = |path: &String| {
        let file = std::fs::read(path).unwrap_or_else(|error| panic!("could not read {path}: {error}"));
        let name = path.rsplit('/').next().unwrap_or(path).to_owned();
        Past { typed: history_lines::read(path, &file), name }
    };
    wanted.files.iter().map(read).collect()
}

fn made_up(wanted: &Wanted) -> Vec<(String, String)> {
    let (lines, seed) = (wanted.lines.unwrap_or(LINES), wanted.seed.unwrap_or(SEED));
    generate::people(lines, seed, wanted.person.as_deref())
}

fn through_the_daemon(wanted: &Wanted) {
    let pasts = pasts(wanted);
    let mut times = Times::default();
    let mut rows = Vec::new();
    for past in &pasts {
        let mut daemon = Daemon::start();
        let ours = playback::play(&past.typed, &mut daemon);
        times.add(std::mem::take(&mut daemon.times));
        rows.push(compare::row(past, ours));
    }
    let only_past = |past: &Past| past.typed.iter().filter(|typed| typed.role == Role::OnlyPast).count();
    let only_past = pasts.iter().map(only_past).sum();
    compare::print(&rows);
    report::print(&rows, only_past, &times);
    if let Some(path) = &wanted.json {
        let report = report::json(&rows, only_past, &times);
        std::fs::write(path, format!("{report:#}\n")).unwrap_or_else(|error| panic!("could not write {path}: {error}"));
    }
}

fn against_the_plugin(wanted: &Wanted) {
    let mut differ = 0;
    for past in pasts(wanted) {
        match check::check(&past.typed) {
            Ok(count) => println!("{}: {count} suggestions as the plugin makes them", past.name),
            Err(lines) => {
                differ += 1;
                println!("{}: not as the plugin makes them", past.name);
                lines.iter().for_each(|line| println!("  {line}"));
            }
        }
    }
    assert_eq!(differ, 0, "our account of zsh-autosuggestions is wrong");
}
