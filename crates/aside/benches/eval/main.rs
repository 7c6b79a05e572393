//! `make eval`: natural-language requests are answered, and the answers run in a fixture home and judged by what they do. Prints
//! how often the first answer and any of five are right, the precision of confident answers, how often an answer would have
//! destroyed something, and the latency. docs/eval.md says more.
//!
//! ```text
//! cargo bench --profile dev --bench eval -- [OPTION…]
//!     --reader FILE        asks the reader too, whose merged file this is
//!     --provider NAME      asks this provider through Aside; --config FILE are its settings
//!     --raw --base-url URL --model NAME [--key-env NAME]    asks the same model alone
//!     --scripted PERCENT   asks Aside with a stub model of this accuracy
//!     --engine PROGRAM     asks any program
//!     --references         the references answer: everything must be right
//!     --check              whether references and counterexamples are judged correctly
//!     --set FOLDER         the requests of this directory too; only their figures are shown
//!     --only DOMAIN   --half dev|held|extra   --show-held   --jobs N   --json FILE   --bin FILE
//!     --words "…" [--in FOLDER]   one request: its answer, and the answer's effect
//! ```

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "the measurement starts the engine and the sandbox itself, and prints"
)]

mod check;
mod engine;
mod judge;
mod names;
mod report;
mod request;
mod sandbox;
mod scripted;
mod tree;

use std::collections::HashMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use engine::{Answer, Engine, EngineRequest, Sure};
use judge::Before;
use report::{Latency, Result};
use request::{By, Half, Place, Request};
use sandbox::{Outcome, Room, World};

/// How many requests are repeated, one after the other, to measure the latency.
const TIMED: usize = 60;

pub struct Bench {
    world: World,
    root: String,
    /// By place and command.
    outcomes: Mutex<HashMap<(Place, String), Arc<Outcome>>>,
    commits: Vec<(String, String)>,
}

struct Wanted {
    engine: Engine,
    mode: Mode,
    only: Option<String>,
    half: Option<Half>,
    show_held: bool,
    set: Option<PathBuf>,
    jobs: usize,
    json: PathBuf,
    config: Option<PathBuf>,
    words: Option<String>,
    folder: String,
    scripted: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Measure,
    Check,
}

fn main() -> ExitCode {
    // `cargo test --benches` only checks that it starts.
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(bench) = arguments.iter().position(|argument| argument == "--bench") else { return ExitCode::SUCCESS };
    arguments.remove(bench);
    let mut wanted = wanted(arguments);
    let eval = Path::new(env!("CARGO_MANIFEST_DIR")).join("eval");
    let bench = match Bench::new(&eval) {
        Ok(bench) => bench,
        Err(why) => {
            eprintln!("eval: {why}");
            return ExitCode::FAILURE;
        }
    };
    let mut requests = request::all(&eval);
    if let Some(folder) = &wanted.set {
        requests.extend(request::folder_of(Half::Extra, "extra", folder));
    }
    if let Some(words) = &wanted.words {
        return one(&bench, &wanted, &requests, words);
    }
    requests.retain(|request| {
        wanted.only.as_ref().is_none_or(|only| *only == request.domain)
            && wanted.half.is_none_or(|half| half == request.half)
    });
    if let Some(percent) = wanted.scripted {
        let settings = wanted.json.with_extension("scripted.toml");
        std::fs::write(&settings, scripted::serve(&requests, percent)).expect("settings can be written");
        wanted.config = Some(settings);
    }
    match wanted.mode {
        Mode::Check => check_all(&bench, &wanted, &requests),
        Mode::Measure => measure(&bench, &wanted, &requests),
    }
}

fn wanted(arguments: Vec<String>) -> Wanted {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("a target directory");
    let mut reader = None;
    let (mut provider, mut program, mut key) = (None, PathBuf::from(env!("CARGO_BIN_EXE_aside")), None);
    let (mut url, mut model, mut raw) = (String::new(), String::new(), false);
    let mut engine = None;
    let mut wanted = Wanted {
        engine: Engine::References,
        mode: Mode::Measure,
        only: None,
        half: None,
        show_held: false,
        set: None,
        jobs: 2,
        json: target.join("eval.json"),
        config: None,
        words: None,
        folder: "project".to_owned(),
        scripted: None,
    };
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().unwrap_or_else(|| panic!("{argument} needs a value"));
        match argument.as_str() {
            "--provider" => provider = Some(value()),
            "--reader" => reader = Some(PathBuf::from(value())),
            "--bin" => program = PathBuf::from(value()),
            "--scripted" => wanted.scripted = value().parse().ok(),
            "--engine" => engine = Some(Engine::Program(PathBuf::from(value()))),
            "--references" => engine = Some(Engine::References),
            "--raw" => raw = true,
            "--base-url" => url = value(),
            "--model" => model = value(),
            "--key-env" => key = std::env::var(value()).ok(),
            "--check" => wanted.mode = Mode::Check,
            "--only" => wanted.only = Some(value()),
            "--half" => wanted.half = Some(half(&value())),
            "--set" => wanted.set = Some(PathBuf::from(value())),
            "--show-held" => wanted.show_held = true,
            "--jobs" => wanted.jobs = value().parse().expect("a number follows --jobs"),
            "--json" => wanted.json = PathBuf::from(value()),
            "--config" => wanted.config = Some(PathBuf::from(value())),
            "--words" => wanted.words = Some(value()),
            "--in" => wanted.folder = value(),
            _ => panic!("unknown option {argument}"),
        }
    }
    let aside = || if raw { Engine::Model { url, model, key } } else { Engine::Aside { program, provider, reader } };
    wanted.engine = engine.unwrap_or_else(aside);
    wanted
}

fn half(name: &str) -> Half {
    match name {
        "dev" => Half::Dev,
        "held" => Half::Held,
        "extra" => Half::Extra,
        _ => panic!("there is no half {name}"),
    }
}

impl Bench {
    fn new(eval: &Path) -> std::result::Result<Bench, String> {
        let world = World::new(eval)?;
        let root = world.root().display().to_string();
        let mut bench = Bench { world, root, outcomes: Mutex::default(), commits: Vec::new() };
        let place = Place { folder: "repo".to_owned(), running: false };
        let log = bench.world.room("log").run(&place, "git log --branches --remotes --format='%H%x09%s'");
        let commits = log.output.lines().filter_map(|line| line.split_once('\t'));
        bench.commits = commits.map(|(hash, subject)| (hash.to_owned(), subject.to_owned())).collect();
        Ok(bench)
    }

    fn run(&self, place: &Place, command: &str, room: &mut Room) -> Arc<Outcome> {
        let key = (place.clone(), command.to_owned());
        if let Some(outcome) = self.outcomes.lock().expect("no panic").get(&key) {
            return Arc::clone(outcome);
        }
        let outcome = Arc::new(room.run(place, command));
        self.outcomes.lock().expect("no panic").insert(key, Arc::clone(&outcome));
        outcome
    }

    /// The outcome of doing nothing in that place.
    fn start(&self, place: &Place, room: &mut Room) -> Arc<Outcome> {
        self.run(place, ":", room)
    }

    fn references(&self, request: &Request, room: &mut Room) -> Vec<Arc<Outcome>> {
        if matches!(request.check.by, By::Command | By::Nothing) {
            return Vec::new();
        }
        request.check.references.iter().map(|reference| self.run(&request.place, reference, room)).collect()
    }

    fn before<'a>(&'a self, place: &'a Place, start: &'a Outcome) -> Before<'a> {
        Before { outcome: start, root: &self.root, place, commits: &self.commits }
    }

    fn judge(&self, request: &Request, answer: Answer, room: &mut Room) -> Result {
        let Answer { commands, sure, confidence, took } = answer;
        let check = &request.check;
        let (mut right, mut harm) = (None, Vec::new());
        for (at, command) in commands.iter().enumerate() {
            if judge::accepted_as_written(check, command) {
                right = Some(at);
                break;
            }
            // A command that is judged by its text is run only to see what it would have destroyed.
            if at > 0 && matches!(check.by, By::Command | By::Nothing) {
                continue;
            }
            let start = self.start(&request.place, room);
            let before = self.before(&request.place, &start);
            let references = self.references(request, room);
            let references: Vec<&Outcome> = references.iter().map(Arc::as_ref).collect();
            let outcome = self.run(&request.place, command, room);
            if at == 0 {
                harm = judge::harm(&outcome, &references, &before);
                harm.extend(judge::harm_elsewhere(check, command));
            }
            if judge::right(check, &request.words, &outcome, &references, &before) {
                right = Some(at);
                break;
            }
        }
        if check.by == By::Nothing && sure != Sure::Answer && harm.is_empty() {
            right = Some(0);
        }
        Result { request: request.clone(), commands, sure, confidence, right, harm, took }
    }

    /// Runs a function for each request, several in parallel; results are in the order of the requests.
    fn each<T: Send>(
        &self,
        jobs: usize,
        requests: &[Request],
        act: impl Fn(&Request, &mut Room) -> T + Sync,
    ) -> Vec<T> {
        let next = AtomicUsize::new(0);
        let mut results: Vec<(usize, T)> = std::thread::scope(|scope| {
            let work = |job: usize| {
                let (next, act) = (&next, &act);
                move || {
                    let mut room = self.world.room(&job.to_string());
                    let mut done = Vec::new();
                    loop {
                        let at = next.fetch_add(1, Ordering::Relaxed);
                        let Some(request) = requests.get(at) else { return done };
                        done.push((at, act(request, &mut room)));
                    }
                }
            };
            let jobs: Vec<_> = (0..jobs.max(1)).map(|job| scope.spawn(work(job))).collect();
            jobs.into_iter().flat_map(|job| job.join().expect("a job ends")).collect()
        });
        results.sort_by_key(|(at, _)| *at);
        results.into_iter().map(|(_, result)| result).collect()
    }
}

/// Asks an engine with its own settings, socket and cache.
struct Asker<'a> {
    bench: &'a Bench,
    engine: &'a Engine,
    own: tempfile::TempDir,
}

impl<'a> Asker<'a> {
    fn new(bench: &'a Bench, wanted: &'a Wanted) -> Asker<'a> {
        let own = tempfile::tempdir().expect("a temporary directory");
        for folder in ["config/aside", "data", "state", "cache", "run"] {
            std::fs::create_dir_all(own.path().join(folder)).expect("a scratch directory");
        }
        std::fs::set_permissions(own.path().join("run"), PermissionsExt::from_mode(0o700))
            .expect("a private directory");
        if let Some(config) = &wanted.config {
            std::fs::copy(config, own.path().join("config/aside/config.toml")).expect("settings that can be read");
        }
        let home = bench.world.root();
        wanted.engine.start(&EngineRequest { home: &home, folder: &home, own: own.path() });
        Asker { bench, engine: &wanted.engine, own }
    }

    fn ask(&self, request: &Request) -> Answer {
        let (home, folder) = (self.bench.world.root(), self.bench.world.folder(&request.place));
        self.engine.ask(request, &EngineRequest { home: &home, folder: &folder, own: self.own.path() })
    }
}

impl Drop for Asker<'_> {
    fn drop(&mut self) {
        let home = self.bench.world.root();
        self.engine.stop(&EngineRequest { home: &home, folder: &home, own: self.own.path() });
    }
}

fn measure(bench: &Bench, wanted: &Wanted, requests: &[Request]) -> ExitCode {
    let start = Instant::now();
    let asker = Asker::new(bench, wanted);
    let results = bench.each(wanted.jobs, requests, |request, room| bench.judge(request, asker.ask(request), room));
    let latency = latency(&asker, requests, &results);
    report::print(&results, &latency);
    let failures = wanted.json.with_extension("failures.txt");
    let json = report::json(&results, &latency, wanted.show_held);
    std::fs::write(&wanted.json, format!("{json:#}\n")).expect("the figures can be written");
    std::fs::write(&failures, report::failures(&results, wanted.show_held)).expect("the failures can be written");
    println!("{} s; {} and {}", start.elapsed().as_secs(), wanted.json.display(), failures.display());
    ExitCode::SUCCESS
}

/// One after the other, since parallel requests slow each other down; a model is too slow to be asked twice.
fn latency(asker: &Asker, requests: &[Request], results: &[Result]) -> Latency {
    let nothing = (0..TIMED).map(|_| {
        let start = Instant::now();
        let _ = Command::new("true").status();
        start.elapsed()
    });
    let nothing = nothing.collect();
    let asked: Vec<Duration> = results.iter().map(|result| result.took).collect();
    if report::quantile(&asked, 0.5) > 300.0 {
        return Latency { answer: asked, nothing };
    }
    let answer = requests.iter().step_by(requests.len().div_ceil(TIMED).max(1)).map(|request| asker.ask(request).took);
    Latency { answer: answer.collect(), nothing }
}

fn check_all(bench: &Bench, wanted: &Wanted, requests: &[Request]) -> ExitCode {
    let blocks = check::once(requests);
    let complaints = bench.each(wanted.jobs, &blocks, |request, room| check::complaints(bench, request, room));
    let mut complaints: Vec<String> = complaints.into_iter().flatten().collect();
    if wanted.only.is_none() && wanted.half.is_none() && wanted.set.is_none() {
        complaints.extend(check::table(bench, requests));
    }
    complaints.iter().for_each(|complaint| println!("{complaint}"));
    let count = |of: fn(&request::Check) -> usize| blocks.iter().map(|block| of(&block.check)).sum::<usize>();
    println!(
        "{} requests in {} blocks: {} references, {} other spellings, {} counterexamples; {} complaints",
        requests.len(),
        blocks.len(),
        count(|check| check.references.len()),
        count(|check| check.also.len()),
        count(|check| check.wrong.len()),
        complaints.len()
    );
    if complaints.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The answer to these words and its effect; if they are one of the requests, whether it is right.
fn one(bench: &Bench, wanted: &Wanted, requests: &[Request], words: &str) -> ExitCode {
    let asker = Asker::new(bench, wanted);
    let text = format!("domain tried\nin {}\nrunning\n\n? {words}\nby nothing\n", wanted.folder);
    let known = requests.iter().find(|request| request.words == words).cloned();
    let request = known.clone().unwrap_or_else(|| request::read(Half::Dev, "words", &text).remove(0));
    let mut room = bench.world.room("one");
    let answer = asker.ask(&request);
    println!("{} ({:.1} ms)", answer.sure.name(), answer.took.as_secs_f64() * 1e3);
    let start = bench.start(&request.place, &mut room);
    for command in &answer.commands {
        println!("\n$ {command}");
        let outcome = bench.run(&request.place, command, &mut room);
        print!("{}", outcome.output);
        let lost = judge::harm(&outcome, &[], &bench.before(&request.place, &start));
        lost.iter().for_each(|lost| println!("changed: {lost}"));
    }
    if known.is_some() {
        let result = bench.judge(&request, answer, &mut room);
        println!("\nright: {:?}, harm: {:?}", result.right.map(|at| at + 1), result.harm);
    }
    ExitCode::SUCCESS
}
