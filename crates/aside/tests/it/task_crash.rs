//! The daemon dies while tasks are running: at random moments, and at the worst ones. No change is left half written, no reported
//! event is lost, nothing runs twice, and waiting proposals can still be approved. `make soak` runs a thousand tasks.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};
use serde_json::{Map, Value, json};

use crate::harness::home::{Home, is_running};
use crate::harness::patience;
use crate::model::Model;
use crate::model::scripted_reply::ScriptedReply;

/// Tasks in the life of a daemon.
const BATCH: usize = 10;
/// The files of a change.
const FILES: [&str; 3] = ["one.txt", "two.txt", "sub/three.txt"];
const OLD: &str = "before\nold\nafter\n";
const NEW: &str = "before\nnew\nafter\n";

#[test]
fn no_death_of_the_daemon_loses_or_doubles_anything() {
    let count: usize = std::env::var("ASIDE_TEST_CRASHES").ok().and_then(|count| count.parse().ok()).unwrap_or(40);
    let seed =
        std::env::var("ASIDE_TEST_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(0x9e37_79b9_7f4a_7c15);
    let mut chance = Chance(seed);
    let stage = Stage::new();
    let mut tasks: Vec<Task> = Vec::new();
    let mut tally = Tally::default();
    for round in 0.. {
        if tasks.len() - tally.unheard >= count {
            break;
        }
        let begun = tasks.len();
        stage.lives(round, &mut chance, &mut tasks, &mut tally);
        stage.is_sound(&mut tasks[begun..], &mut chance, &mut tally);
    }
    // Whatever was still running when its daemon died has ended by now, and has not run more often than approved.
    for task in &tasks {
        task.once(&stage);
    }
    eprintln!("{} tasks, {tally:?}, seed {seed}", tasks.len() - tally.unheard);
    assert!(tally.completed > 0 && tally.failed > 0 && tally.waited > 0, "{tally:?}");
}

#[derive(Debug, Default)]
struct Tally {
    kills: usize,
    events: usize,
    completed: usize,
    failed: usize,
    /// Failed, and was approved once more.
    retried: usize,
    /// Waited for the next daemon, and was approved there.
    waited: usize,
    /// Never acknowledged: the daemon died before it confirmed the request.
    unheard: usize,
}

struct Stage {
    home: Home,
    model: Model,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Command,
    Change,
}

struct Task {
    number: usize,
    kind: Kind,
    id: String,
    /// By sequence number, as a watcher saw them.
    seen: BTreeMap<u64, Value>,
    approved: usize,
}

/// When the daemon is killed.
#[derive(Clone, Copy, Debug)]
enum Moment {
    After(Duration),
    /// As soon as a log says that a step is being carried out.
    Approved,
    /// As soon as a temporary file for a write exists.
    Writing,
    /// As soon as a command has written its line.
    Ran,
}

impl Stage {
    fn new() -> Self {
        let (home, model) = (Home::new(), Model::start());
        let llm = format!("[llm]\nprovider = 'openai'\nbase_url = '{}'\nmodel = 'scripted'\n", model.base_url());
        home.write(".config/aside/config.toml", llm);
        home.write("project/.git/HEAD", "ref: refs/heads/main\n");
        home.write("project/counts/.keep", "");
        Self { home, model }
    }

    fn project(&self) -> PathBuf {
        self.home.path("project")
    }

    fn logs(&self) -> PathBuf {
        self.home.path(".local/state/aside/tasks")
    }

    /// Starts a daemon, runs some tasks, and kills it.
    fn lives(&self, round: usize, chance: &mut Chance, tasks: &mut Vec<Task>, tally: &mut Tally) {
        self.home.aside_does(&["daemon", "start"]);
        let mut client = Client::connect(&self.home.socket()).expect("a daemon that was just started");
        let daemon = client.daemon();
        let moment = match round % 5 {
            0 => Moment::Approved,
            1 => Moment::Writing,
            2 => Moment::Ran,
            _ => Moment::After(Duration::from_micros(chance.below(300_000))),
        };
        let (first, before) = (tasks.len(), files(&self.logs()));
        let (asked, over) = (AtomicUsize::new(0), AtomicBool::new(false));
        // Not always during the first task.
        let wanted = chance.below(BATCH as u64 - 1) as usize;
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while asked.load(Ordering::Relaxed) < wanted && !over.load(Ordering::Relaxed) {
                    std::thread::sleep(Duration::from_micros(200));
                }
                self.waits_for(moment, first, &before, &over);
                _ = rustix::process::kill_process(daemon, Signal::KILL);
            });
            for _ in 0..BATCH {
                let number = tasks.len();
                let kind = if chance.below(2) == 0 { Kind::Command } else { Kind::Change };
                let mut task = Task { number, kind, id: String::new(), seen: BTreeMap::new(), approved: 0 };
                // The first message without a reply means that the daemon is gone.
                let alive = self.goes(&mut client, &mut task, chance);
                client.sort(tasks);
                client.sort(std::slice::from_mut(&mut task));
                tasks.push(task);
                asked.fetch_add(1, Ordering::Relaxed);
                if alive.is_none() {
                    break;
                }
            }
            client.reads_on(tasks, Duration::from_millis(chance.below(30)));
            over.store(true, Ordering::Relaxed);
        });
        let deadline = Instant::now() + patience();
        while is_running(daemon) {
            assert!(Instant::now() < deadline, "the daemon does not die");
            std::thread::sleep(Duration::from_millis(1));
        }
        // Events from before the kill may still be in the socket.
        client.reads_on(tasks, Duration::from_millis(50));
        tally.kills += 1;
    }

    /// `first` and `before` are where this daemon's tasks begin.
    fn waits_for(&self, moment: Moment, first: usize, before: &[PathBuf], over: &AtomicBool) {
        let begun = Instant::now();
        let mine = || first..first + BATCH;
        let is_there = || match moment {
            Moment::After(delay) => begun.elapsed() >= delay,
            Moment::Approved => files(&self.logs()).iter().filter(|log| !before.contains(log)).any(|log| {
                let text = fs::read_to_string(log).unwrap_or_default();
                text.contains("\"EXECUTING\"") && !text.contains("\"task_end\"")
            }),
            Moment::Writing => mine()
                .flat_map(|number| files(&self.project().join(number.to_string())))
                .any(|path| path.to_string_lossy().contains("/.aside-")),
            Moment::Ran => mine().any(|number| self.project().join(format!("counts/{number}")).exists()),
        };
        while !over.load(Ordering::Relaxed) && !is_there() {
            std::thread::yield_now();
        }
    }

    /// Sends a request, waits, looks and approves. `None` once the daemon is gone.
    fn goes(&self, client: &mut Client, task: &mut Task, chance: &mut Chance) -> Option<()> {
        let number = task.number;
        let text = match task.kind {
            Kind::Command => {
                let pause = if chance.below(2) == 0 { "sleep 0.05; " } else { "" };
                self.home.write(
                    &format!("project/run{number}.sh"),
                    format!("{pause}echo {number} >> counts/{number}; echo told\n"),
                );
                format!("run `sh run{number}.sh`")
            }
            Kind::Change => {
                FILES.iter().for_each(|file| self.home.write(&format!("project/{number}/{file}"), OLD));
                self.model_mends(number);
                format!("fix the typo in {number}/one.txt")
            }
        };
        let asked = client.says("ask", json!({ "text": text, "cwd": self.project(), "shell": "bash" }))?;
        task.id = asked["tasks"][0]["taskId"].as_str().unwrap_or_else(|| panic!("{asked}")).to_owned();
        client.says("watch", json!({ "taskId": task.id }))?;
        client.rests(&task.id)?;
        let offer = client.says("show", json!({ "taskId": task.id }))?["offer"].clone();
        assert!(offer.is_object(), "{} does not wait: {:?}", task.id, client.heard);
        if chance.below(5) == 0 {
            return Some(());
        }
        let answer = json!({ "taskId": task.id, "step": offer["step"], "digest": offer["digest"], "by": "a test" });
        task.approved += 1;
        if chance.below(3) == 0 {
            // Does not wait for the daemon's reply.
            client.sends("approve", answer)?;
            return Some(());
        }
        let approved = client.says("approve", answer)?;
        assert_eq!(approved["type"], "task", "{approved}");
        Some(())
    }

    /// Makes the model's next reply the change of this task.
    fn model_mends(&self, number: usize) {
        let hunk = "@@ -1,3 +1,3 @@\n before\n-old\n+new\n after\n";
        let diff = FILES.map(|file| format!("--- a/{number}/{file}\n+++ b/{number}/{file}\n{hunk}")).concat();
        self.model.always(ScriptedReply::chat(&format!("This mends it.\n\n```diff\n{diff}```\n")));
    }

    /// Approves the waiting proposal and checks that it is carried out.
    #[track_caller]
    fn is_approved(&self, client: &mut Client, task: &Task) {
        let offer = client.says("show", json!({ "taskId": task.id })).unwrap()["offer"].clone();
        let answer = json!({ "taskId": task.id, "step": offer["step"], "digest": offer["digest"], "by": "a test" });
        let approved = client.says("approve", answer).unwrap();
        assert_eq!(approved["type"], "task", "{approved}");
        assert_eq!(client.ended(&task.id), "COMPLETED", "{}", task.id);
        assert!((1..=task.approved).contains(&task.count(self)), "{:?} {} is said to be done", task.kind, task.id);
    }

    /// Checks what the next daemon finds.
    fn is_sound(&self, tasks: &mut [Task], chance: &mut Chance, tally: &mut Tally) {
        self.home.aside_does(&["daemon", "start"]);
        let mut client = Client::connect(&self.home.socket()).expect("a daemon that was just started");
        for task in tasks.iter_mut() {
            if task.id.is_empty() {
                tally.unheard += 1;
                task.once(self);
                continue;
            }
            let state = client.settled(&task.id);
            let log = fs::read_to_string(self.logs().join(format!("{}.jsonl", task.id))).unwrap_or_default();
            let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
            for (place, line) in lines.iter().enumerate() {
                assert_eq!(line["seq"], place + 1, "{}", task.id);
            }
            for (seq, event) in &task.seen {
                assert_eq!(lines.get(*seq as usize - 1), Some(event), "{} had told number {seq}: {log}", task.id);
            }
            tally.events += task.seen.len();
            // All events are reported again.
            let mut again = Client::connect(&self.home.socket()).unwrap();
            again.says("watch", json!({ "taskId": task.id })).unwrap();
            let deadline = Instant::now() + patience();
            while again.heard.len() < lines.len() {
                assert!(Instant::now() < deadline);
                again.read().unwrap();
            }
            assert_eq!(again.heard, lines, "{}", task.id);
            let told = task.seen.values().any(|event| event["state"] == "COMPLETED");
            assert!(!told || state == "COMPLETED", "{} was told to be completed and is {state}", task.id);
            task.once(self);
            match state.as_str() {
                "COMPLETED" => {
                    task.has_happened(self);
                    tally.completed += 1;
                }
                "FAILED" => {
                    if task.kind == Kind::Change {
                        assert_eq!(task.files(self), [OLD; 3], "{} failed and changed something: {log}", task.id);
                    }
                    tally.failed += 1;
                    if chance.below(3) == 0 {
                        if task.kind == Kind::Change {
                            self.model_mends(task.number);
                        }
                        let retried = client.says("retry", json!({ "taskId": task.id })).unwrap();
                        assert_eq!(retried["type"], "task", "{retried}");
                        assert_eq!(client.settled(&task.id), "WAITING_APPROVAL", "{}", task.id);
                        task.approved += 1;
                        self.is_approved(&mut client, task);
                        tally.retried += 1;
                    }
                }
                "WAITING_APPROVAL" => {
                    assert_eq!(task.count(self), 0);
                    task.approved = 1;
                    self.is_approved(&mut client, task);
                    assert_eq!(task.count(self), 1);
                    tally.waited += 1;
                }
                other => panic!("{} is {other} after a restart", task.id),
            }
        }
        let left = every_file(&self.project()).into_iter().filter(|path| path.to_string_lossy().contains("/.aside-"));
        assert_eq!(left.collect::<Vec<_>>(), [] as [PathBuf; 0]);
        self.home.aside_does(&["daemon", "stop"]);
    }
}

impl Task {
    /// The number of lines that its command has written; for a change, whether it was written.
    fn count(&self, stage: &Stage) -> usize {
        match self.kind {
            Kind::Command => {
                let text = fs::read_to_string(stage.project().join(format!("counts/{}", self.number)));
                text.unwrap_or_default().lines().count()
            }
            Kind::Change => self.files(stage).iter().filter(|text| **text == NEW).count() / FILES.len(),
        }
    }

    fn files(&self, stage: &Stage) -> [String; 3] {
        FILES
            .map(|file| fs::read_to_string(stage.project().join(format!("{}/{file}", self.number))).unwrap_or_default())
    }

    /// Checks that it ran no more often than approved, and left nothing half done.
    #[track_caller]
    fn once(&self, stage: &Stage) {
        assert!(self.count(stage) <= self.approved, "{:?} {} ran unasked or twice", self.kind, self.id);
        if self.kind == Kind::Change {
            let files = self.files(stage);
            assert!(files.iter().all(|text| *text == files[0]), "{} is half written: {files:?}", self.id);
        }
    }

    #[track_caller]
    fn has_happened(&self, stage: &Stage) {
        assert_eq!(self.count(stage), 1, "{:?} {} is said to be done", self.kind, self.id);
    }
}

/// A client that survives the end of its daemon.
struct Client {
    reader: BufReader<UnixStream>,
    writer: UnixStream,
    number: u64,
    heard: Vec<Value>,
}

impl Client {
    fn connect(socket: &Path) -> Option<Self> {
        let deadline = Instant::now() + patience();
        let stream = loop {
            match UnixStream::connect(socket) {
                Ok(stream) => break stream,
                Err(_) if Instant::now() > deadline => return None,
                Err(_) => std::thread::sleep(Duration::from_millis(2)),
            }
        };
        stream.set_read_timeout(Some(patience())).unwrap();
        let reader = BufReader::new(stream.try_clone().unwrap());
        Some(Self { reader, writer: stream, number: 0, heard: Vec::new() })
    }

    fn daemon(&mut self) -> Pid {
        self.writer.write_all(b"{\"type\":\"status\",\"request_id\":0}\n").unwrap();
        let status = self.read().unwrap();
        Pid::from_raw(i32::try_from(status["pid"].as_i64().unwrap()).unwrap()).unwrap()
    }

    fn sends(&mut self, op: &str, fields: Value) -> Option<u64> {
        self.number += 1;
        let mut message = Map::from_iter([
            ("type".to_owned(), json!("task")),
            ("request_id".to_owned(), json!(self.number)),
            ("op".to_owned(), json!(op)),
        ]);
        message.extend(fields.as_object().unwrap().clone());
        let line = format!("{}\n", Value::Object(message));
        self.writer.write_all(line.as_bytes()).ok().map(|()| self.number)
    }

    fn says(&mut self, op: &str, fields: Value) -> Option<Value> {
        let number = self.sends(op, fields)?;
        loop {
            let answer = self.read()?;
            if answer["request_id"] == number && answer["type"] != "task_event" {
                return Some(answer);
            }
        }
    }

    /// The next message; events are stored.
    fn read(&mut self) -> Option<Value> {
        let mut line = String::new();
        let read = self.reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
        // The last line of a killed daemon may be incomplete.
        let message: Value = serde_json::from_str(&line[..read]).ok()?;
        if message["type"] == "task_event" {
            self.heard.push(message["event"].clone());
        }
        Some(message)
    }

    /// Waits until the task waits for approval or has ended.
    fn rests(&mut self, task: &str) -> Option<()> {
        let rests = |event: &Value| {
            event["taskId"] == task
                && matches!(event["state"].as_str(), Some("WAITING_APPROVAL" | "COMPLETED" | "FAILED" | "REJECTED"))
        };
        while !self.heard.iter().any(rests) {
            self.read()?;
        }
        Some(())
    }

    /// The state of a task once it waits for approval or has ended.
    fn settled(&mut self, task: &str) -> String {
        self.until(task, &["WAITING_APPROVAL", "COMPLETED", "FAILED", "REJECTED"])
    }

    fn ended(&mut self, task: &str) -> String {
        self.until(task, &["COMPLETED", "FAILED", "REJECTED"])
    }

    fn until(&mut self, task: &str, states: &[&str]) -> String {
        let deadline = Instant::now() + patience();
        loop {
            let shown = self.says("show", json!({ "taskId": task })).unwrap();
            let state =
                shown["tasks"][0]["state"].as_str().unwrap_or_else(|| panic!("{task} is lost: {shown}")).to_owned();
            if states.contains(&state.as_str()) {
                return state;
            }
            assert!(Instant::now() < deadline, "{task} stays {state}");
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Reads whatever still arrives.
    fn reads_on(&mut self, tasks: &mut [Task], limit: Duration) {
        let deadline = Instant::now() + limit;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            self.writer.set_read_timeout(Some(left)).unwrap();
            if self.read().is_none() {
                break;
            }
        }
        self.writer.set_read_timeout(Some(patience())).unwrap();
        self.sort(tasks);
    }

    /// Moves the received events to their tasks.
    fn sort(&mut self, tasks: &mut [Task]) {
        self.heard.retain(|event| {
            let of = tasks.iter_mut().find(|task| event["taskId"] == task.id.as_str());
            let Some(task) = of else { return true };
            let seq = event["seq"].as_u64().unwrap();
            assert_eq!(task.seen.keys().last().copied().unwrap_or(0) + 1, seq, "{} left one out", task.id);
            task.seen.insert(seq, event.clone());
            false
        });
    }
}

struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit.max(1)
    }
}

fn files(dir: &Path) -> Vec<PathBuf> {
    fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}

fn every_file(dir: &Path) -> Vec<PathBuf> {
    let inside = files(dir).into_iter();
    inside.flat_map(|path| if path.is_dir() { every_file(&path) } else { vec![path] }).collect()
}
