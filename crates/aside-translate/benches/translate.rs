//! How long the embedded engine takes for a query: the median and the slowest of a hundred, with the first one apart, since it
//! loads the words and rules. For comparison, in the same run, what a shell does all the time: starting a program, and a round trip
//! through a pipe. `make bench-translate`.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::disallowed_macros,
    reason = "a bench needs a clock and a process to compare with, and says what it found"
)]

use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use aside_commands::shell_names::ShellNames;
use aside_commands::spec::Specs;
use aside_commands::world::{DirEntry, Fact, FileKind, LiveItem, LiveKind, World};
use aside_translate::{ToolFlavor, TranslateContext, TranslateQuery, embedded};
use shell_line::Dialect;

/// How often each query is asked.
const ROUNDS: usize = 40;
/// The budgets for a reply, and for the first one.
const GOAL: Duration = Duration::from_millis(3);
const FIRST: Duration = Duration::from_millis(8);

const WISHES: &[&str] = &[
    "list all files larger than 100MB modified in the last 7 days",
    "kill whatever is using port 3000",
    "undo my last commit but keep the changes",
    "replace foo with bar in every python file under src",
    "show the 10 largest directories sorted by size in human readable form",
    "run deploy.sh every day at 3am",
    "docker logs of container web1 from the last 10 minutes",
    "find files containing 'TODO' but not in node_modules",
    "how much disk space is left",
    "convert the video talk.mkv to talk.mp4",
    "查找最近7天修改的大于100MB的文件",
    "thsi is nto realy a wihs that anybdoy undrestands becuase evrey wrod is mispelt",
    "what do you think about rust",
    "create a self-signed certificate for example.com and copy it to bob@example.com with the key ~/.ssh/id_work",
];

struct Machine;

impl World for Machine {
    fn home(&self) -> &str {
        "/home/me"
    }

    fn entries(&self, directory: &str) -> Fact<Arc<[DirEntry]>> {
        if directory != "/code" {
            return Fact::No;
        }
        let names = (0..500).map(|number| DirEntry { name: format!("file-{number}.txt").into(), kind: FileKind::File });
        Fact::Yes(names.collect())
    }

    fn programs(&self) -> Fact<Arc<[Box<str>]>> {
        Fact::NotYet
    }

    fn repository(&self, _directory: &str) -> Fact<Arc<str>> {
        Fact::Yes("/code".into())
    }

    fn live(&self, what: LiveKind, _directory: &str) -> Fact<Arc<[LiveItem]>> {
        let names = if what == LiveKind::GitBranch { 200 } else { 30 };
        Fact::Yes(
            (0..names).map(|number| LiveItem { name: format!("name-{number}").into(), about: "".into() }).collect(),
        )
    }
}

fn main() {
    // `cargo test --benches` only checks that it starts.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let (names, specs) = (ShellNames::default(), Specs::default());
    let place = TranslateContext {
        cwd: "/code",
        dialect: Dialect::Zsh,
        system: ToolFlavor::Gnu,
        world: &Machine,
        names: &names,
        specs: &specs,
    };
    let ask = |words: &str| {
        let begin = Instant::now();
        let answers = embedded::answer(&TranslateQuery { words, place, limit: 5 });
        (begin.elapsed(), answers.len())
    };
    let (first, _) = ask(WISHES[0]);
    println!("first query, with reading words and rules   {}", shown(first));
    let mut all = Vec::new();
    for words in WISHES {
        let mut times: Vec<Duration> = (0..ROUNDS).map(|_| ask(words).0).collect();
        times.sort_unstable();
        println!("{}  {}", shown(times[ROUNDS / 2]), words);
        all.extend(times);
    }
    all.sort_unstable();
    let median = all[all.len() / 2];
    let slow = all[all.len() * 99 / 100];
    let process = process();
    let pipe = pipe();
    println!("median {}   99th {}", shown(median), shown(slow));
    println!("starting `true` {}   a round trip of a pipe {}", shown(process), shown(pipe));
    println!(
        "a query takes {:.2} times as long as starting `true`, the first one {:.2} times",
        median.as_secs_f64() / process.as_secs_f64(),
        first.as_secs_f64() / process.as_secs_f64()
    );
    let kept = |is: bool| if is { "kept" } else { "missed" };
    println!(
        "goals: {} a query {}, {} the first {}",
        shown(GOAL),
        kept(slow <= GOAL),
        shown(FIRST),
        kept(first <= FIRST)
    );
}

fn shown(time: Duration) -> String {
    format!("{:8.3} ms", time.as_secs_f64() * 1000.0)
}

/// The median of starting a program that does nothing.
fn process() -> Duration {
    let mut times: Vec<Duration> = (0..ROUNDS)
        .map(|_| {
            let begin = Instant::now();
            let ended = Command::new("true").stdin(Stdio::null()).status();
            assert!(ended.is_ok(), "there is no `true`");
            begin.elapsed()
        })
        .collect();
    times.sort_unstable();
    times[ROUNDS / 2]
}

/// The median of a line through `cat` and back.
fn pipe() -> Duration {
    let mut cat = Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("there is no `cat`");
    let (mut to, mut from) = (cat.stdin.take().expect("piped"), cat.stdout.take().expect("piped"));
    let mut times: Vec<Duration> = (0..ROUNDS)
        .map(|_| {
            let begin = Instant::now();
            let mut byte = [b'x'];
            to.write_all(&byte)
                .and_then(|()| to.flush())
                .and_then(|()| from.read_exact(&mut byte))
                .expect("cat is there");
            begin.elapsed()
        })
        .collect();
    drop(to);
    cat.wait().expect("cat ends");
    times.sort_unstable();
    times[ROUNDS / 2]
}
