//! The throughput of watching a terminal's stream, compared with copying the same bytes and searching them for a single byte; and
//! how long it takes to render an output of maximum size. `make bench-screen`.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::disallowed_macros,
    reason = "a bench needs a clock, and says what it found"
)]

use std::hint::black_box;
use std::time::Instant;

use aside_text::screen::{CommandOutput, OutputWatcher};

/// The read size of a program that relays a terminal.
const SLICE: usize = 64 * 1024;
/// Bytes in a round. They exceed every CPU cache, as in practice.
const ROUND: usize = 64 * 1024 * 1024;
const ROUNDS: usize = 7;
/// The budget for rendering an output, in milliseconds.
const GOAL: f64 = 5.0;

const BEGIN: &[u8] = b"\x1b]7133;C;aside=0123456789abcdef.1.120.40\x07";
const END: &[u8] = b"\x1b]7133;D;0;aside=0123456789abcdef.1\x07";

fn main() {
    // `cargo test --benches` only checks that it starts.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let streams: [(&str, &[u8], &[u8]); 6] = [
        ("plain text", b"", b"-rw-r--r-- 1 me me  4096 Jan  1 00:00 some-file-with-a-name.txt\r\n"),
        (
            "coloured text",
            b"",
            b"\x1b[0m\x1b[01;34mdirectory\x1b[0m  \x1b[01;32mprogram\x1b[0m  a file, another file\r\n",
        ),
        ("nothing but escapes", b"", b"\x1b[1m\x1b[7m\x1b[27m\x1b[0m\x1b[?25l\x1b[?25h"),
        ("titles and links", b"", b"\x1b]8;;file:///home/me/some/file\x1b\\file\x1b]8;;\x1b\\ \x1b]0;title\x07"),
        ("the other screen", b"\x1b[?1049h", b"\x1b[12;1H\x1b[2Kdrawn by a program\x1b[m\x1b[13;1H~\x1b[K"),
        ("a picture", b"\x1bPq", b"#0;2;0;0;0~~@@vv@@~~@@~~$#1??}}GG}}??}}??-"),
    ];
    println!("GB/s (times the cost of memcpy)      copied  searched      outside    in an output");
    for (name, before, piece) in streams {
        let bytes: Vec<u8> = piece.iter().copied().cycle().take(ROUND).collect();
        let mut target = vec![0; SLICE];
        let copied = speed(&bytes, |slice| {
            let target = &mut target[..slice.len()];
            target.copy_from_slice(slice);
            black_box(target);
        });
        // The byte does not occur, so each slice is a single search.
        let searched = speed(&bytes, |slice| {
            black_box(memchr::memchr(0, slice));
        });
        let mut watch = OutputWatcher::default();
        let outside = speed(&bytes, |slice| watch.see(black_box(slice), &mut |_| {}));
        let mut watch = OutputWatcher::default();
        watch.see(&[BEGIN, before].concat(), &mut |_| {});
        let inside = speed(&bytes, |slice| watch.see(black_box(slice), &mut |_| {}));
        println!(
            "{name:34} {copied:8.1}  {searched:8.1}  {outside:5.1} ({:4.1})    {inside:5.1} ({:4.1})",
            copied / outside,
            copied / inside
        );
    }
    println!("\nms to show an output of megabytes, of which both ends are kept");
    let numbers: String = (0..300_000).map(|number| format!("{number}\r\n")).collect();
    let mut slowest = 0.0_f64;
    let plain = streams.iter().take(3).map(|(name, _, piece)| (*name, piece.repeat(100_000)));
    for (name, bytes) in plain.chain([
        ("short lines", numbers.into_bytes()),
        ("one line", b"x".repeat(4_000_000)),
        ("wide letters", "日本語".repeat(400_000).into_bytes()),
        ("blank lines", b"\r\n".repeat(400_000)),
    ]) {
        let mut outputs = Vec::new();
        OutputWatcher::default().see(&[BEGIN, &bytes, END].concat(), &mut |output| outputs.push(output));
        let [output] = outputs.as_slice() else { panic!("one output") };
        let time = shown(output);
        slowest = slowest.max(time);
        println!("{name:34} {time:8.2}");
    }
    println!("goal: {GOAL} ms for the slowest, {}", if slowest <= GOAL { "kept" } else { "missed" });
    let bad = [
        ("repeated letters", &b"x\x1b[65535b"[..]),
        ("scrolling", b"\x1b[65535S"),
        ("erasing", b"\x1b[2J"),
        ("far columns", b"\x1b[999Cx\r\n"),
        ("rows moved", b"\x1b[2;9999r\x1b[99L\x1b[99M"),
        ("accents", "e\u{301}\u{301}\u{301}".as_bytes()),
    ];
    println!("\nms for what nobody prints, on a screen of 1000 × 300");
    for (name, piece) in bad {
        let bytes = piece.repeat(80_000 / piece.len());
        let output = CommandOutput {
            columns: 1000,
            rows: 300,
            bytes: bytes.len() as u64,
            head: bytes,
            ..CommandOutput::default()
        };
        println!("{name:34} {:8.2}", shown(&output));
    }
}

/// The median, in gigabytes per second.
fn speed(bytes: &[u8], mut see: impl FnMut(&[u8])) -> f64 {
    let mut speeds: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let begin = Instant::now();
            bytes.chunks(SLICE).for_each(&mut see);
            bytes.len() as f64 / 1e9 / begin.elapsed().as_secs_f64()
        })
        .collect();
    speeds.sort_unstable_by(f64::total_cmp);
    speeds[ROUNDS / 2]
}

/// The median, in milliseconds.
fn shown(output: &CommandOutput) -> f64 {
    let mut times: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let begin = Instant::now();
            black_box(black_box(output).shown());
            begin.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_unstable_by(f64::total_cmp);
    times[ROUNDS / 2]
}
