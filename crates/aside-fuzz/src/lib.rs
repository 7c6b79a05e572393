//! Feeds mutated inputs to a check until the time is up, and reduces the first input that panics or hangs. In a build by `make fuzz` it is
//! guided by coverage: an input that reaches a new place is kept and mutated further. In any other build it mutates the seeds alone, with
//! a fixed seed and a fixed number of inputs, so that `make test` is reproducible. Knows nothing about what it tests.

mod corpus;
mod coverage;
mod mutate;
pub mod random;

use std::fmt::Write as _;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::{Duration, Instant};

use corpus::Corpus;
use coverage::Coverage;
use random::Random;

/// CPU time after which an input counts as a hang.
const HANG: Duration = Duration::from_secs(5);
/// Inputs of a run without a time, and when it ends early: an unoptimised build on a busy machine is slow.
const INPUTS: u64 = 1500;
const SHORT: Duration = Duration::from_secs(4);
/// How long a failing input is reduced.
const REDUCING: Duration = Duration::from_secs(20);
/// Bytes of a failing input that are printed; all of it is in its file.
const MAX_SHOWN: usize = 4000;

static START: LazyLock<Instant> = LazyLock::new(Instant::now);

/// What is fuzzed.
pub struct Target {
    pub name: &'static str,
    /// Inputs to begin with. One that failed once belongs here.
    pub seeds: Vec<Vec<u8>>,
    /// Pieces that are inserted.
    pub words: &'static [&'static str],
    /// Bytes of the longest input.
    pub longest: usize,
    /// Panics if a property does not hold.
    pub check: fn(&[u8]),
}

/// The input that is being checked.
#[derive(Default)]
struct Current {
    input: Vec<u8>,
    number: u64,
}

/// Fails with the reduced input if a check panics, or with the input if it hangs.
pub fn fuzz(target: Target) {
    let Target { name, words, longest, check, .. } = target;
    let seconds = std::env::var("ASIDE_FUZZ_SECONDS").ok().and_then(|seconds| seconds.parse::<u64>().ok());
    let end = Instant::now() + seconds.map_or(SHORT, Duration::from_secs);
    let most = if seconds.is_some() { u64::MAX } else { INPUTS };
    let current = Arc::new(Mutex::new(Current::default()));
    let (sender, receiver) = mpsc::channel();
    let shared = Arc::clone(&current);
    let worker = std::thread::Builder::new().name(name.to_owned()).spawn(move || {
        let _ = sender.send(std::fs::read_link("/proc/thread-self").ok());
        let mut coverage = Coverage::default();
        let mut corpus = Corpus::load(name, target.seeds);
        let mut random = Random::new(seconds.map_or(0x5eed, |_| seed()));
        let mut failed = None;
        let (mut replayed, mut number) = (0, 0);
        while failed.is_none() && number < most && Instant::now() < end {
            let input = match corpus.inputs.get(replayed) {
                Some(input) if replayed < corpus.given => {
                    replayed += 1;
                    input.clone()
                }
                _ => mutate::mutated(&corpus.inputs, words, longest, &mut random),
            };
            number += 1;
            begin(&shared, &input);
            coverage.clear();
            match panic::catch_unwind(AssertUnwindSafe(|| check(&input))) {
                Ok(()) if coverage.is_new() && replayed == corpus.given => corpus.add(input),
                Ok(()) => {}
                Err(_) => failed = Some(reduced(input, check)),
            }
        }
        corpus.save(name, check, &mut coverage, &|input| begin(&shared, input));
        let _ = sender.send(None);
        (failed, number, corpus.inputs.len(), coverage.places())
    });
    let worker = worker.expect("a thread can be started");
    watch(name, &current, &receiver);
    let (failed, number, kept, places) = worker.join().expect("the check's panics are caught");
    eprintln!("{name}: {number} inputs, {kept} kept, {places} places reached");
    if let Some(input) = failed {
        panic!("{name}: input {number} fails the check:\n{}", shown(name, &input));
    }
    assert!(number > 0);
}

/// Tells the watchdog which input is checked from now on.
fn begin(current: &Mutex<Current>, input: &[u8]) {
    if let Ok(mut current) = current.lock() {
        input.clone_into(&mut current.input);
        current.number += 1;
    }
}

/// `ASIDE_FUZZ_SEED`, or another one at each run: a longer run should see other inputs than the last.
fn seed() -> u64 {
    let given = std::env::var("ASIDE_FUZZ_SEED").ok().and_then(|seed| seed.parse().ok());
    given.unwrap_or_else(|| {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        now.map_or(1, |now| now.as_nanos() as u64)
    })
}

/// Waits for the worker, and fails when it stays on one input.
fn watch(name: &str, current: &Mutex<Current>, receiver: &mpsc::Receiver<Option<PathBuf>>) {
    let thread = receiver.recv().ok().flatten();
    let mut seen = (0, Duration::ZERO);
    loop {
        match receiver.recv_timeout(HANG / 8) {
            Ok(_) | Err(RecvTimeoutError::Disconnected) => return,
            Err(RecvTimeoutError::Timeout) => {
                let Ok(current) = current.lock() else { return };
                let worked = worked(thread.as_deref());
                if current.number != seen.0 {
                    seen = (current.number, worked);
                } else if worked.saturating_sub(seen.1) > HANG {
                    panic!("{name}: input {} hangs:\n{}", current.number, shown(name, &current.input));
                }
            }
        }
    }
}

/// The CPU time of a thread, not its wall time: a busy machine must not look like a hang. Where the system does not report it,
/// falls back to a tenth of the wall time.
fn worked(thread: Option<&Path>) -> Duration {
    let told =
        thread.and_then(|thread| std::fs::read_to_string(Path::new("/proc").join(thread).join("schedstat")).ok());
    let told = told.and_then(|told| told.split(' ').next()?.parse().ok());
    told.map_or_else(|| START.elapsed() / 10, Duration::from_nanos)
}

/// Removes pieces, large ones first, as long as the check still fails.
fn reduced(mut input: Vec<u8>, check: fn(&[u8])) -> Vec<u8> {
    let end = Instant::now() + REDUCING;
    let hook = panic::take_hook();
    // A few thousand reports of the same panic help no reader.
    panic::set_hook(Box::new(|_| {}));
    let mut size = input.len() / 2;
    while size > 0 && Instant::now() < end {
        let mut at = 0;
        while at < input.len() && Instant::now() < end {
            let mut shorter = input.clone();
            shorter.drain(at..(at + size).min(input.len()));
            if panic::catch_unwind(AssertUnwindSafe(|| check(&shorter))).is_err() {
                input = shorter;
            } else {
                at += size;
            }
        }
        size /= 2;
    }
    panic::set_hook(hook);
    input
}

/// The input as a byte string literal, and where all of it is.
fn shown(name: &str, input: &[u8]) -> String {
    let mut shown = String::new();
    let _ = write!(shown, "b\"{}\"", input[..input.len().min(MAX_SHOWN)].escape_ascii());
    if let Some(file) = corpus::keep_failure(name, input) {
        let _ = write!(shown, "\n{} bytes, in {}", input.len(), file.display());
    }
    shown
}
