//! How long the reader takes to merge, to open, to read a prompt and to answer. `make bench-reader BASE=FILE.gguf`; with OUT=FILE the merged
//! file is kept, for tests with ASIDE_TEST_READER.
#![expect(clippy::disallowed_macros, reason = "a benchmark prints its figures")]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use aside_reader::merge;
use aside_reader::model::Model;
use aside_reader::search::{Next, Reader, Search, Step};

/// How often each figure is taken; the best and the median are printed.
const TIMES: usize = 15;
const PROMPT: &str = "# show me the ten largest files in my downloads\n$";

fn main() {
    let Some(base) = std::env::var_os("ASIDE_READER_BASE") else {
        println!("ASIDE_READER_BASE=FILE.gguf names the base; without it there is nothing to measure");
        return;
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let out = std::env::var_os("ASIDE_READER_OUT").map_or(root.join("target/reader.merged"), PathBuf::from);
    let names = ["1-of-3", "2-of-3", "3-of-3"].map(|part| root.join(format!("data/reader/reader-{part}.safetensors")));
    let weights = names.map(|name| std::fs::read(name).expect("the weights are in data/reader"));
    let base = std::fs::read(base).expect("the base can be read");
    print_load();
    let start = Instant::now();
    merge::merge(&base, &weights.each_ref().map(Vec::as_slice), &out).expect("the weights belong to the base");
    println!("merge             {:8.2} s", start.elapsed().as_secs_f64());
    drop((base, weights));

    report("open", || Model::open(&out).expect("the file is sound"));
    let model = Arc::new(Model::open(&out).expect("the file is sound"));
    for threads in [1, 2] {
        let mut reader = Reader::new(Arc::clone(&model), threads);
        println!("threads           {threads:8}");
        let tokens = model.tokenizer().encode(PROMPT).len();
        report(&format!("prompt of {tokens}"), || run(&mut reader, PROMPT, 1, 1));
        let short = report("greedy, 1 token", || run(&mut reader, "#", 1, 1));
        let long = report("greedy, 41 tokens", || run(&mut reader, "#", 1, 41));
        println!("tokens per second {:8.1}", 40.0 / (long - short).as_secs_f64());
        let beams = report("4 beams × 12", || run(&mut reader, PROMPT, 4, 12));
        println!("each step of 4    {:8.2} ms", beams.as_secs_f64() * 1000.0 / 12.0);
        for answers in [1, 4] {
            report(&format!("4 beams, best {answers}"), || {
                let search = Search { beams: 4, answers, tokens: 72, deadline: None, cancel: None };
                reader.search(PROMPT, &search, &mut |_: &Step| true).expect("the prompt is short")
            });
        }
    }
    print_memory();
    print_load();
}

/// Never ends before the last token, so that each run does the same.
fn run(reader: &mut Reader, prompt: &str, beams: usize, tokens: usize) {
    let search = Search { beams, answers: beams, tokens, deadline: None, cancel: None };
    let found = reader.search(prompt, &search, &mut |step: &Step| step.next != Next::End);
    found.expect("the prompt is short");
}

fn report<T>(what: &str, mut work: impl FnMut() -> T) -> Duration {
    let mut times: Vec<Duration> = (0..TIMES)
        .map(|_| {
            let start = Instant::now();
            std::hint::black_box(work());
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    let milliseconds = |time: Duration| time.as_secs_f64() * 1000.0;
    let median = times[TIMES / 2];
    println!("{what:17} {:8.1} ms, at best {:.1}", milliseconds(median), milliseconds(times[0]));
    median
}

fn print_memory() {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    for line in status.lines().filter(|line| line.starts_with("Rss") || line.starts_with("VmRSS")) {
        println!("{line}");
    }
}

fn print_load() {
    println!("load {}", std::fs::read_to_string("/proc/loadavg").unwrap_or_default().trim());
}
