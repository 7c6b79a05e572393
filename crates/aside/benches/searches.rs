//! Searches as tasks, from the request to the last event, compared with the programs that a user would run instead; and the memory
//! that the daemon keeps afterwards.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::daemon::Daemon;
use crate::harness::home::Home;
use crate::harness::tasks::TaskClient;
use crate::table::Samples;

/// Files of the first repository, and lines of one.
const FILES: usize = 6000;
const LINES: usize = 180;
/// The same of the large one.
const MANY_FILES: usize = 50_000;
const FEW_LINES: usize = 30;
const ROUNDS: usize = 9;

/// The request, and the regular expression that it means.
const ASKED: [(&str, &str); 3] = [
    ("find where frobnicate_config is used", "frobnicate_config"),
    ("find all TODO comments", "TODO"),
    ("where is the function parse_level_17 defined", "parse_level_17"),
];

pub fn measure() {
    measure_in(FILES, LINES);
    println!();
    measure_in(MANY_FILES, FEW_LINES);
}

/// A search has one answer, so its first result comes with its last event; ripgrep's first line comes before its last.
fn measure_in(files: usize, lines: usize) {
    let home = Home::new();
    let bytes = write(&home, files, lines);
    println!("{files} files with {} MB, as many again ignored; times of {ROUNDS} rounds, median\n", bytes / 1_000_000);
    let mut daemon = Daemon::start(&home);
    daemon.first_answer();
    let code = home.path("code");
    let mut person = TaskClient::at(&home, &code);
    let before = daemon.resident("RssAnon");
    println!(
        "{:<48} {:>9} {:>14} {:>14} {:>14} {:>14}",
        "", "Aside, ms", "Aside / rg", "/ git grep", "/ grep -r", "/ rg, first"
    );
    for (words, pattern) in ASKED {
        let mut ours = Samples::default();
        let mut others: [Option<Samples>; 4] = std::array::from_fn(|_| Some(Samples::default()));
        for _ in 0..ROUNDS {
            let began = Instant::now();
            let task = person.asks(words);
            let ended = person.ends(&task);
            ours.add(began.elapsed());
            assert_eq!(ended["state"], "COMPLETED", "{ended}");
            let programs: [&[&str]; 3] = [
                &["rg", "-n", pattern],
                &["git", "grep", "-n", pattern],
                &["grep", "-rn", "--exclude-dir=.git", pattern, "."],
            ];
            let whole = programs.iter().map(|program| took(&home, &code, program));
            let times: Vec<Option<Duration>> = whole.chain([first_line(&home, &code, programs[0])]).collect();
            for (time, samples) in times.into_iter().zip(&mut others) {
                match (time, &mut *samples) {
                    (Some(time), Some(samples)) => samples.add(time),
                    (None, samples) => *samples = None,
                    (Some(_), None) => {}
                }
            }
        }
        let median = ours.median().unwrap_or_default();
        let ratios = others.iter().map(|other| match other.as_ref().and_then(Samples::median) {
            Some(other) => format!("{:>14.2}", median / other),
            None => format!("{:>14}", "not there"),
        });
        println!("{words:<48} {median:>9.1} {}", ratios.collect::<Vec<_>>().join(" "));
    }
    if let (Some(before), Some(after)) = (before, daemon.resident("RssAnon")) {
        println!("\nprivate memory of the daemon: {before:.1} MB before the first task, {after:.1} MB after the last");
    }
}

/// Fake code: names, calls and comments, mostly different in each file.
fn write(home: &Home, files: usize, lines: usize) -> usize {
    let mut bytes = 0;
    for number in 0..files {
        let mut text =
            format!("use crate::level_{};\n\nfn parse_level_{number}(text: &str) -> usize {{\n", number % 90);
        for line in 0..lines {
            let mixed = number * 7919 + line * 104_729;
            text.push_str(&format!("    let value_{} = level_{}(text, {mixed});\n", mixed % 997, mixed % 89));
        }
        if number % 40 == 0 {
            text.push_str("    // TODO: say what happens when it is empty\n");
        }
        if number % 250 == 0 {
            text.push_str("    frobnicate_config(text);\n");
        }
        text.push_str("    0\n}\n");
        bytes += text.len();
        home.write(&format!("code/src/part_{}/level_{number}.rs", number % 60), &text);
        home.write(&format!("code/target/part_{}/level_{number}.rs", number % 60), &text);
    }
    home.write("code/.gitignore", "/target\n");
    for arguments in [&["init", "-q"][..], &["add", "."]] {
        let ended = home.command("git").current_dir(home.path("code")).args(arguments).status().expect("git runs");
        assert!(ended.success(), "git {arguments:?}");
    }
    bytes
}

/// `None` where there is no such program.
fn took(home: &Home, code: &std::path::Path, program: &[&str]) -> Option<Duration> {
    let began = Instant::now();
    let mut command: Command = home.command(program[0]);
    let ended = command.args(&program[1..]).current_dir(code).stdin(Stdio::null()).output().ok()?;
    let time = began.elapsed();
    assert!(ended.status.success() && !ended.stdout.is_empty(), "{program:?} found nothing");
    Some(time)
}

/// The time to the first line that a program prints; `None` where there is no such program.
fn first_line(home: &Home, code: &std::path::Path, program: &[&str]) -> Option<Duration> {
    let began = Instant::now();
    let mut command: Command = home.command(program[0]);
    let mut child =
        command.args(&program[1..]).current_dir(code).stdin(Stdio::null()).stdout(Stdio::piped()).spawn().ok()?;
    let mut line = String::new();
    BufReader::new(child.stdout.take()?).read_line(&mut line).ok()?;
    let time = began.elapsed();
    // Its reader is gone, so it ends by itself.
    let _ = child.wait();
    Some(time)
}
