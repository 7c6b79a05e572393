//! Searches as tasks, from the request to the last event and from `aside task` to its first line, compared with the programs that a user
//! would run instead; how long it takes until a model is asked about a name; and the memory that the daemon keeps afterwards.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use crate::daemon::Daemon;
use crate::harness::home::{ASIDE, Home};
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

/// A question that a model answers, with the files that define and use the name.
const ASKED_MODEL: &str = "explain how parse_level_17 works and who calls it";

pub fn measure() {
    measure_in(FILES, LINES);
    println!();
    measure_in(MANY_FILES, FEW_LINES);
}

/// A search has one answer: its first line comes with the whole of it. ripgrep's first line comes long before its last.
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
        "{:<48} {:>9} {:>9} {:>9} {:>12} {:>12} {:>12} {:>12} {:>12}",
        "", "whole, ms", "1st, ms", "rg, ms", "whole / rg", "1st / rg", "/ git grep", "/ grep -r", "/ rg, first"
    );
    for (words, pattern) in ASKED {
        let (mut ours, mut first) = (Samples::default(), Samples::default());
        let mut others: [Option<Samples>; 4] = std::array::from_fn(|_| Some(Samples::default()));
        for _ in 0..ROUNDS {
            let began = Instant::now();
            let task = person.asks(words);
            let ended = person.ends(&task);
            ours.add(began.elapsed());
            assert_eq!(ended["state"], "COMPLETED", "{ended}");
            first.add(first_line(&home, &code, &[ASIDE, "task", words]).expect("aside runs"));
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
        let (whole, first) = (ours.median().unwrap_or_default(), first.median().unwrap_or_default());
        let other = |at: usize| others[at].as_ref().and_then(Samples::median);
        let ratio = |ours: f64, other: Option<f64>| match other {
            Some(other) => format!("{:>12.2}", ours / other),
            None => format!("{:>12}", "not there"),
        };
        println!(
            "{words:<48} {whole:>9.1} {first:>9.1} {:>9.1} {} {} {} {} {}",
            other(0).unwrap_or_default(),
            ratio(whole, other(0)),
            ratio(first, other(0)),
            ratio(whole, other(1)),
            ratio(whole, other(2)),
            ratio(first, other(3)),
        );
    }
    if let (Some(before), Some(after)) = (before, daemon.resident("RssAnon")) {
        println!("\nprivate memory of the daemon: {before:.1} MB before the first task, {after:.1} MB after the last");
    }
    drop(daemon);
    measure_context(&home);
}

/// From the request to the prompt with the definition: routing, git's status, and the files that define and use the name.
fn measure_context(home: &Home) {
    let server = StubModel::start();
    home.write(
        ".config/aside/config.toml",
        format!("[llm]\nprovider = 'openai'\nbase_url = 'http://{}/v1'\nmodel = 'scripted'\n", server.address),
    );
    let mut daemon = Daemon::start(home);
    daemon.first_answer();
    let code = home.path("code");
    let mut person = TaskClient::at(home, &code);
    let (mut asked, mut theirs, mut status) = (Samples::default(), Samples::default(), Samples::default());
    for _ in 0..ROUNDS {
        let began = Instant::now();
        let task = person.asks(ASKED_MODEL);
        let asks = server.asked.recv_timeout(PATIENCE).expect("the model is shown the definition");
        asked.add(asks.duration_since(began));
        person.ends(&task);
        theirs.add(took(home, &code, &["rg", "-n", "parse_level_17"]).unwrap_or_default());
        status.add(took(home, &code, &["git", "status", "--branch"]).unwrap_or_default());
    }
    let [asked, theirs, status] = [asked, theirs, status].map(|samples| samples.median().unwrap_or_default());
    println!(
        "\n{ASKED_MODEL}: the model is asked after {asked:.1} ms, {:.2} times rg ({theirs:.1} ms), {:.2} times git status ({status:.1} ms)",
        asked / theirs,
        asked / status
    );
}

/// A model's server that notes when it is shown the definition, and says one sentence.
struct StubModel {
    address: std::net::SocketAddr,
    asked: mpsc::Receiver<Instant>,
}

const DEFINITION: &str = "fn parse_level_17(";
const PATIENCE: Duration = Duration::from_secs(60);

impl StubModel {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let address = listener.local_addr().expect("it has an address");
        let (sender, asked) = mpsc::channel();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let _ = Self::answer(stream, &sender);
            }
        });
        Self { address, asked }
    }

    fn answer(mut stream: TcpStream, asked: &mpsc::Sender<Instant>) -> std::io::Result<()> {
        let mut reader = BufReader::new(stream.try_clone()?);
        let (mut length, mut line) = (0, String::new());
        while reader.read_line(&mut line)? > 2 {
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap_or(0);
            }
            line.clear();
        }
        let mut body = Vec::new();
        reader.take(length).read_to_end(&mut body)?;
        if String::from_utf8_lossy(&body).contains(DEFINITION) {
            let _ = asked.send(Instant::now());
        }
        let said = "data: {\"choices\":[{\"delta\":{\"content\":\"It parses a level.\"}}]}\n\ndata: [DONE]\n\n";
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
        stream.write_all(format!("{head}{said}").as_bytes())
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
