//! `cargo bench --bench capture`: the cost of the proxy terminal around a shell, compared with the same shell without it and with a proxy
//! that only copies, interleaved in one run: how much a program can print in a second, and how long a key takes to be echoed. A second
//! pty has a price of its own: the kernel holds some 10 KiB in each, so programs wait for each other; the copying proxy shows it. Prints
//! figures and asserts nothing.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "the benchmark starts shells itself, and prints"
)]

use std::fs::File;
use std::io::{Read, Write};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

#[path = "../tests/it/harness/mod.rs"]
#[expect(dead_code, reason = "the tests use more of it")]
mod harness;

use harness::home::{ASIDE, Home};
use harness::pty;

const ROUNDS: usize = 9;
const KEYS: usize = 2000;
/// The goals: the minimum ratio of the throughput to that of the bare pty, and the maximum latency added to a key.
const LEAST_RATIO: f64 = 0.9;
/// Turns this program into the copying proxy.
const COPY: &str = "--copy";
const MOST_ADDED_US: f64 = 100.0;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, copy, words @ ..] = arguments.as_slice()
        && copy == COPY
    {
        return copy_only(words);
    }
    // `cargo test --benches` only checks that it starts.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let own = std::env::current_exe().expect("a program has a path").display().to_string();
    let home = Home::new();
    let text: Vec<u8> = (0..100_000_000u32 / 64).flat_map(coloured).collect();
    home.write("text", &text);
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    println!("{cores} cores, load average {}", load.split(' ').next().unwrap_or_default());
    println!("\nMB in a second, of {ROUNDS} rounds in turns: median (best)\n");
    for (name, line) in [
        ("seq 1 2000000", "seq 1 2000000".to_owned()),
        ("cat of 100 MB with colours", "cat text".to_owned()),
        ("the same between marks", marked("cat text")),
    ] {
        let (mut bare, mut copied, mut ours) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            bare.push(throughput(&home, &[], &line));
            copied.push(throughput(&home, &[&own, COPY], &line));
            ours.push(throughput(&home, &[ASIDE, "proxy", "--"], &line));
        }
        let (bare_median, copied_median, ours_median) = (median(&mut bare), median(&mut copied), median(&mut ours));
        println!(
            "{name:<28} bare {bare_median:>6.1} ({:.1})  copied {copied_median:>6.1} ({:.1})  ours {ours_median:>6.1} ({:.1})\n\
             {:<28} of bare {:.2}, best {:.2}  {}; of copied {:.2}, best {:.2}",
            best(&bare),
            best(&copied),
            best(&ours),
            "",
            ours_median / bare_median,
            best(&ours) / best(&bare),
            verdict(ours_median / bare_median >= LEAST_RATIO),
            ours_median / copied_median,
            best(&ours) / best(&copied),
        );
    }
    let (mut bare, mut ours) = (echoes(&home, &[]), echoes(&home, &[ASIDE, "proxy", "--"]));
    for _ in 0..2 {
        bare.extend(echoes(&home, &[]));
        ours.extend(echoes(&home, &[ASIDE, "proxy", "--"]));
    }
    let added = median(&mut ours) - median(&mut bare);
    println!("\nµs from a key to its echo, {} keys each: median (90th percentile)\n", bare.len());
    println!(
        "echo of the terminal         bare {:>6.1} ({:.1})  ours {:>6.1} ({:.1})  added {added:.1}  {}",
        median(&mut bare),
        tenth(&bare),
        median(&mut ours),
        tenth(&ours),
        verdict(added <= MOST_ADDED_US)
    );
}

fn verdict(good: bool) -> &'static str {
    if good { "ok" } else { "too slow" }
}

fn marked(line: &str) -> String {
    let mark = "aside=0123456789abcdef.1";
    format!("printf '\\033]7133;C;{mark}.80.24\\007'; {line}; printf '\\033]7133;D;0;{mark}\\007'")
}

/// A line of 64 bytes, as a compiler prints them.
fn coloured(number: u32) -> Vec<u8> {
    let mut line = format!("\x1b[1;32m{number:>12}\x1b[0m src/some/place.rs: ").into_bytes();
    line.resize(63, b'.');
    line.push(b'\n');
    line
}

/// What a pty around a program costs at least: reads and writes, and looks at nothing.
fn copy_only(words: &[String]) {
    use rustix::termios::{self, OptionalActions};
    let (master, slave) = pty::open();
    pty::set_size(&master, 24, 80);
    let stdin = std::io::stdin();
    let saved = termios::tcgetattr(&stdin).expect("a terminal");
    termios::tcsetattr(&slave, OptionalActions::Now, &saved).expect("modes can be set");
    let mut raw = saved.clone();
    raw.make_raw();
    termios::tcsetattr(&stdin, OptionalActions::Now, &raw).expect("modes can be set");
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]);
    command.stdin(slave.try_clone().unwrap()).stdout(slave.try_clone().unwrap()).stderr(slave.try_clone().unwrap());
    pty::lead_a_session(&mut command, slave.try_clone().unwrap());
    let mut child = command.spawn().unwrap();
    drop((command, slave));
    let mut keys = File::from(master.try_clone().unwrap());
    std::thread::spawn(move || std::io::copy(&mut std::io::stdin().lock(), &mut keys));
    let (mut from, mut to) = (File::from(master), File::options().write(true).open("/dev/tty").expect("a terminal"));
    let mut bytes = vec![0; 64 * 1024];
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        to.write_all(&bytes[..count]).expect("a terminal that is read");
    }
    let _ = child.wait();
    let _ = termios::tcsetattr(&stdin, OptionalActions::Drain, &saved);
    std::process::exit(0);
}

struct Running {
    master: File,
    child: Child,
}

fn start(home: &Home, around: &[&str], line: &str) -> Running {
    let words = [around, &["sh", "-c", line]].concat();
    let mut command: Command = home.command(words[0]);
    command.args(&words[1..]);
    let (master, slave) = pty::open();
    pty::set_size(&master, 24, 80);
    command.stdin(slave.try_clone().unwrap()).stdout(slave.try_clone().unwrap()).stderr(slave.try_clone().unwrap());
    pty::lead_a_session(&mut command, slave.try_clone().unwrap());
    let child = command.spawn().unwrap();
    drop((command, slave));
    Running { master: File::from(master), child }
}

/// From the first byte of the output to its end, in MB per second: the start is not counted.
fn throughput(home: &Home, around: &[&str], line: &str) -> f64 {
    let mut running = start(home, around, &format!("echo go; read -r go; {line}; echo; echo THE-END"));
    let mut bytes = vec![0; 64 * 1024];
    let mut last = Vec::new();
    let mut read = |running: &mut Running| {
        let count = running.master.read(&mut bytes).unwrap_or(0);
        last.extend_from_slice(&bytes[..count]);
        let keep = last.len().saturating_sub(64);
        last.drain(..keep);
        (count, String::from_utf8_lossy(&last).into_owned())
    };
    while !read(&mut running).1.contains("go") {}
    std::thread::sleep(Duration::from_millis(20));
    let started = Instant::now();
    running.master.write_all(b"\n").unwrap();
    let mut total = 0;
    loop {
        let (count, end) = read(&mut running);
        total += count;
        if count == 0 || end.contains("THE-END") {
            break;
        }
    }
    let took = started.elapsed();
    running.child.wait().unwrap();
    total as f64 / 1e6 / took.as_secs_f64()
}

/// Microseconds from a key to its echo, which the kernel's terminal driver makes.
fn echoes(home: &Home, around: &[&str]) -> Vec<f64> {
    let mut running = start(home, around, "echo go; exec cat >/dev/null");
    let mut bytes = [0; 4096];
    let mut heard = String::new();
    while !heard.contains("go\r\n") {
        let count = running.master.read(&mut bytes).unwrap();
        heard.push_str(&String::from_utf8_lossy(&bytes[..count]));
    }
    std::thread::sleep(Duration::from_millis(50));
    let mut times = Vec::new();
    for number in 0..KEYS {
        let key = if number % 60 == 59 { b"\n" } else { b"x" };
        let wanted = if key == b"\n" { 2 } else { 1 };
        let typed = Instant::now();
        running.master.write_all(key).unwrap();
        let mut count = 0;
        while count < wanted {
            count += running.master.read(&mut bytes).unwrap();
        }
        times.push(typed.elapsed().as_secs_f64() * 1e6);
        std::thread::sleep(Duration::from_micros(300));
    }
    running.master.write_all(b"\n\x04").unwrap();
    running.child.wait().unwrap();
    times
}

fn median(numbers: &mut [f64]) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

fn best(sorted: &[f64]) -> f64 {
    sorted[sorted.len() - 1]
}

fn tenth(sorted: &[f64]) -> f64 {
    sorted[sorted.len() * 9 / 10]
}
