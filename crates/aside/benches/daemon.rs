//! The daemon without a shell: how soon it answers after its start, how fast then, and how much memory it uses.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};
use serde_json::Value;

use crate::harness::home::{ASIDE, Home};
use crate::history_fixture;
use crate::repository;
use crate::table::{Row, Samples, Target};

const STARTS: usize = 12;
const QUERIES: usize = 3000;
/// A daemon without requests is at rest before that.
const REST: Duration = Duration::from_secs(60);
/// More than the daemon's first batch at start, so that reaching it means that everything is loaded.
const SURELY_LOADED: u64 = 10_000;

pub fn measure(short: &[String], long: &[String]) -> Vec<Row> {
    let homes = [Home::new(), Home::new(), Home::new()];
    let [empty, some, full] = &homes;
    import(some, short);
    let imported = import(full, long);
    let mut rows = cold_starts(&homes);
    rows.extend(repository::answers(some));
    rows.extend(memory(empty, full));
    rows.extend(every_behaviour(empty));
    rows.extend(queries(full, long));
    let speed = long.len() as f64 / imported.as_secs_f64() / 1000.0;
    rows.push(Row::alone("import of 1 000 000 lines, thousands", "/s", Some(speed), Target::None));
    rows.extend(with_directories(full));
    rows
}

fn import(home: &Home, past: &[String]) -> Duration {
    home.write(".zsh_history", history_fixture::as_zsh_history(past));
    let started = Instant::now();
    let ended = home.command(ASIDE).args(["history", "import", "zsh"]).output().expect("aside runs");
    assert!(ended.status.success(), "could not import: {}", String::from_utf8_lossy(&ended.stderr));
    started.elapsed()
}

fn cold_starts(homes: &[Home; 3]) -> Vec<Row> {
    let mut first: [Samples; 3] = Default::default();
    let mut useful: [Samples; 3] = Default::default();
    for _ in 0..STARTS {
        for (place, home) in homes.iter().enumerate() {
            let mut daemon = Daemon::start(home);
            let (answer, took) = daemon.first_answer();
            first[place].add(took);
            if place > 0 {
                useful[place].add(if answer.is_empty() { daemon.first_candidate() } else { took });
            }
        }
    }
    let [none, hundred_thousand, million] = ["no history", "100 000 records", "1 000 000 records"];
    let row = |what: &str, which: &str, samples: &Samples, target| {
        Row::alone(format!("cold start to first {what}, {which}"), "ms", samples.median(), target)
    };
    vec![
        row("answer", none, &first[0], Target::Value(50.0)),
        row("answer", hundred_thousand, &first[1], Target::Value(50.0)),
        row("answer", million, &first[2], Target::Value(50.0)),
        row("candidate", hundred_thousand, &useful[1], Target::Value(50.0)),
        row("candidate", million, &useful[2], Target::Value(50.0)),
    ]
}

fn memory(empty: &Home, full: &Home) -> Vec<Row> {
    let mut idle = Daemon::start(empty);
    idle.first_answer();
    std::thread::sleep(Duration::from_millis(500));
    let idle_rss = idle.resident("VmRSS");
    let idle_own = idle.resident("RssAnon");
    let mut daemon = Daemon::start(full);
    let started = daemon.started;
    daemon.first_answer();
    wait_until_loaded(full);
    let loaded = started.elapsed().as_secs_f64() * 1e3;
    vec![
        Row::alone("RSS, no history", "MB", idle_rss, Target::Value(15.0)),
        Row::alone("  of it private", "MB", idle_own, Target::None),
        Row::alone("RSS, 1 000 000 records", "MB", daemon.resident("VmRSS"), Target::Value(120.0)),
        Row::alone("  of it private", "MB", daemon.resident("RssAnon"), Target::None),
        Row::alone("  at its peak", "MB", daemon.resident("VmHWM"), Target::None),
        Row::alone("1 000 000 records read after", "ms", Some(loaded), Target::None),
    ]
}

/// Memory once every behaviour was used, then of the same daemon at rest, and what the first answers cost after that.
fn every_behaviour(home: &Home) -> Vec<Row> {
    home.write("project/Makefile", "test:\n\techo ok\n");
    home.write("project/app.py", "RETRIES = 3\n\ndef timeout():\n    return 30\n");
    let cwd = home.path("project").display().to_string();
    let mut daemon = Daemon::start(home);
    daemon.first_answer();
    use_each(&mut daemon, &cwd);
    let used = ["VmRSS", "RssAnon"].map(|which| daemon.resident(which));
    let deadline = Instant::now() + REST;
    while daemon.resident("VmRSS") >= used[0] && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(500));
    }
    std::thread::sleep(Duration::from_secs(1));
    let rests = ["VmRSS", "RssAnon"].map(|which| daemon.resident(which));
    let mut row = |name: &str, act: &mut dyn FnMut(&mut Daemon)| {
        let began = Instant::now();
        act(&mut daemon);
        Row::alone(name, "ms", Some(began.elapsed().as_secs_f64() * 1e3), Target::None)
    };
    let first = vec![
        row("first candidate after a rest", &mut |daemon| drop(daemon.asks_in(&cwd, "git st"))),
        row("first translation after a rest", &mut |daemon| drop(daemon.wishes(&cwd, "find files larger than 200MB"))),
        row("first suggestion after a rest", &mut |daemon| daemon.suggests(&cwd)),
        row("first task after a rest", &mut |daemon| daemon.task(&cwd, "where is the timeout set")),
    ];
    let mut rows = vec![
        Row::alone("RSS, every behaviour used once", "MB", used[0], Target::None),
        Row::alone("  of it private", "MB", used[1], Target::None),
        Row::alone("RSS, the same at rest", "MB", rests[0], Target::Value(15.0)),
        Row::alone("  of it private", "MB", rests[1], Target::None),
    ];
    rows.extend(first);
    rows
}

fn use_each(daemon: &mut Daemon, cwd: &str) {
    for line in ["git st", "docker ru", "ls -", "gti status", "cd s"] {
        daemon.asks_in(cwd, line);
    }
    for query in ["find files larger than 100MB", "列出最近修改的文件"] {
        daemon.wishes(cwd, query);
    }
    daemon.sends(&["explain", "bench", cwd, "tar -czf src.tar.gz src", "zsh", "1"]);
    daemon.detects(cwd, "make sure the tests pass", "program");
    daemon.sends(&["ask", "bench", cwd, "how do I undo my last commit", "zsh", "1", "80", "1"]);
    daemon.suggests(cwd);
    for text in [
        "where is the timeout set",
        "explain app.py",
        "rename RETRIES to MAX_RETRIES in app.py",
        "run the tests",
        "why did the last command fail",
        "review my changes",
        "解释一下 app.py",
    ] {
        daemon.task(cwd, text);
    }
}

/// Round trips at the socket: with nothing to look for, and with a million commands to search.
fn queries(full: &Home, past: &[String]) -> Vec<Row> {
    let mut daemon = Daemon::start(full);
    daemon.first_answer();
    wait_until_loaded(full);
    let (mut nothing, mut prefix) = (Samples::default(), Samples::default());
    for number in 0..QUERIES {
        let command = &past[number * 7919 % past.len()];
        let letters = 1 + number % 12;
        for (line, samples) in [("", &mut nothing), (&command[..letters], &mut prefix)] {
            let asked = Instant::now();
            daemon.asks(line);
            samples.add(asked.elapsed());
        }
    }
    let ratio = |share| Some(prefix.quantile(share)? / nothing.quantile(share)?);
    vec![
        Row::alone("empty question, median", "ms", nothing.median(), Target::None),
        Row::alone("prefix in 1 000 000 records, median", "ms", prefix.median(), Target::None),
        Row::alone("  as a ratio to the empty one", "×", ratio(0.5), Target::None),
        Row::alone("prefix in 1 000 000 records, p99", "ms", prefix.quantile(0.99), Target::None),
        Row::alone("  as a ratio to the empty one", "×", ratio(0.99), Target::None),
        Row::alone("command ends to stored, 1 000 000 records", "ms", daemon.stores().median(), Target::None),
    ]
}

/// A shell's history file has no directories; Aside's own records do.
fn with_directories(full: &Home) -> Vec<Row> {
    let database = full.path(".local/share/aside/history.db");
    let connection = rusqlite::Connection::open(database).expect("the history is there");
    let sql = "UPDATE history SET cwd = '/home/ada/code/project-' || (abs(id * 2654435761) >> 8) % 400";
    connection.execute(sql, []).expect("the history can be changed");
    drop(connection);
    let mut daemon = Daemon::start(full);
    daemon.first_answer();
    wait_until_loaded(full);
    vec![
        Row::alone("RSS, the same in 400 directories", "MB", daemon.resident("VmRSS"), Target::Value(120.0)),
        Row::alone("  at its peak", "MB", daemon.resident("VmHWM"), Target::None),
    ]
}

pub struct Daemon {
    child: Child,
    started: Instant,
    socket: std::path::PathBuf,
    stream: Option<UnixStream>,
    unread: Vec<u8>,
    asked: u64,
}

impl Daemon {
    pub fn start(home: &Home) -> Self {
        let mut command = home.command(ASIDE);
        command.args(["daemon", "run"]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let started = Instant::now();
        let child = command.spawn().expect("aside runs");
        Self { child, started, socket: home.socket(), stream: None, unread: Vec::new(), asked: 0 }
    }

    /// The reply, and the time since the start.
    pub fn first_answer(&mut self) -> (Vec<String>, Duration) {
        while self.stream.is_none() {
            self.stream = UnixStream::connect(&self.socket).ok();
            std::thread::sleep(Duration::from_micros(100));
        }
        let answer = self.asks("g");
        (answer, self.started.elapsed())
    }

    fn first_candidate(&mut self) -> Duration {
        while self.asks("g").is_empty() {
            std::thread::sleep(Duration::from_micros(100));
        }
        self.started.elapsed()
    }

    /// The candidates for `line`.
    fn asks(&mut self, line: &str) -> Vec<String> {
        self.asks_in("/", line)
    }

    pub fn asks_in(&mut self, cwd: &str, line: &str) -> Vec<String> {
        let fields = self.sends(&["complete", "bench", cwd, line, ""]);
        fields.into_iter().skip(3).collect()
    }

    /// Sends a query and waits for the final reply.
    pub fn wishes(&mut self, cwd: &str, wish: &str) -> Vec<String> {
        self.sends(&["translate", "bench", cwd, wish, "zsh", "1", "1", "0", "embedded", "3"])
    }

    /// Asks whether a line is prose, as Enter does.
    pub fn detects(&mut self, cwd: &str, line: &str, first: &str) -> Vec<String> {
        let fields = self.sends(&["detect", "bench", cwd, line, "zsh", "before", "0", first, "0", ""]);
        assert_eq!(fields[1], "detect");
        fields
    }

    /// Asks for the next command after one that failed.
    fn suggests(&mut self, cwd: &str) {
        let seq = (self.asked + 1).to_string();
        self.sends(&["finished", "bench", &seq, cwd, "128", "1700000000000", "1", "zsh", "git push"]);
        self.sends(&["suggest", "bench", cwd, "git push", "128", "zsh", &seq, "0", "1"]);
    }

    /// Asks for a task, and waits until it has ended or needs the user.
    fn task(&mut self, cwd: &str, text: &str) {
        let ask = serde_json::json!({ "op": "ask", "text": text, "cwd": cwd, "shell": "zsh" });
        self.sends(&["task", &ask.to_string()]);
        let ends = ["WAITING_APPROVAL", "COMPLETED", "FAILED"];
        while !self.sends(&["task", r#"{"op":"show"}"#]).iter().any(|field| ends.iter().any(|end| field.contains(end)))
        {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// A request that needs no work.
    pub fn status(&mut self) {
        self.sends(&["status"]);
    }

    /// Reports that a command ended, which may have changed what is there.
    pub fn finishes(&mut self, cwd: &str, seq: usize) {
        self.sends(&["finished", "bench", &seq.to_string(), cwd, "0", "1700000000000", "1", "zsh", "true"]);
    }

    /// How long it takes until a command is acknowledged as stored.
    fn stores(&mut self) -> Samples {
        let mut samples = Samples::default();
        for number in 0..40 {
            let began = Instant::now();
            let seq = number.to_string();
            let fields = self.sends(&["finished", "bench", &seq, "/", "0", "1700000000000", "1", "zsh", "true"]);
            assert_eq!(fields[1], "ok");
            samples.add(began.elapsed());
        }
        samples
    }

    fn sends(&mut self, fields: &[&str]) -> Vec<String> {
        self.asked += 1;
        let stream = self.stream.as_mut().expect("first_answer connects");
        let mut record = format!("{}\0{}\0", fields.len() + 1, self.asked);
        fields.iter().for_each(|field| record.extend([field, "\0"]));
        stream.write_all(record.as_bytes()).expect("the daemon reads");
        let asked = self.asked.to_string();
        loop {
            let fields = self.reads();
            // Updates arrive without a request.
            if fields[0] == asked && fields[1] != "update" {
                return fields;
            }
        }
    }

    fn reads(&mut self) -> Vec<String> {
        let stream = self.stream.as_mut().expect("first_answer connects");
        loop {
            if let Some(end) = self.unread.iter().position(|byte| *byte == 0) {
                let answer: Vec<u8> = self.unread.drain(..=end).collect();
                let answer = String::from_utf8_lossy(&answer[..end]).into_owned();
                return answer.split('\x1f').map(str::to_owned).collect();
            }
            let mut bytes = [0; 4096];
            let count = stream.read(&mut bytes).expect("the daemon answers");
            assert!(count > 0, "the daemon hung up");
            self.unread.extend_from_slice(&bytes[..count]);
        }
    }

    /// A line of `/proc/PID/status`, in megabytes. Only Linux has it.
    pub fn resident(&self, which: &str) -> Option<f64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix(which)?.strip_prefix(':'))?;
        Some(line.trim().trim_end_matches(" kB").parse::<f64>().ok()? / 1024.0)
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = rustix::process::kill_process(Pid::from_child(&self.child), Signal::TERM);
        let _ = self.child.wait();
    }
}

pub fn wait_until_loaded(home: &Home) {
    loop {
        let status = home.aside(&["daemon", "status", "--json"]).stdout;
        let status: Value = serde_json::from_str(&status).unwrap_or_default();
        let history = &status["history"];
        if history["loading"] == false && history["commands"].as_u64() > Some(SURELY_LOADED) {
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}
