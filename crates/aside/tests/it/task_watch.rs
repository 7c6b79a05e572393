//! Many clients that watch many tasks: each receives every event, in order, however slowly it reads; a client that never reads
//! affects no other; and the daemon's memory stays bounded. Also: which finished tasks are kept.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Value, json};

use crate::harness::home::Home;
use crate::harness::patience;
use crate::harness::tasks::TaskClient;

const WATCHERS: usize = 20;
/// By how much a daemon may grow while all clients receive everything, in kilobytes.
const ROOM: u64 = 48 * 1024;

fn home() -> Home {
    let home = Home::new();
    home.write("project/.git/HEAD", "ref: refs/heads/main\n");
    home
}

fn person(home: &Home) -> TaskClient {
    TaskClient::at(home, &home.path("project"))
}

fn logs(home: &Home) -> PathBuf {
    home.path(".local/state/aside/tasks")
}

fn number(name: &str, usual: usize) -> usize {
    std::env::var(name).ok().and_then(|number| number.parse().ok()).unwrap_or(usual)
}

/// How a client reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Manner {
    AtOnce,
    /// Not before the others have received everything.
    Late,
    /// With a pause after each hundred events.
    Resting,
    /// In small reads.
    Sipping,
}

/// Reads this many events of each of these tasks and returns their number.
fn hears(home: &Home, tasks: &[(String, usize)], manner: Manner) -> usize {
    let mut writer = UnixStream::connect(home.socket()).unwrap();
    writer.set_read_timeout(Some(patience() * 6)).unwrap();
    for (place, (task, _)) in tasks.iter().enumerate() {
        let watch = json!({ "type": "task", "request_id": place, "op": "watch", "taskId": task });
        writer.write_all(format!("{watch}\n").as_bytes()).unwrap();
    }
    if manner == Manner::Late {
        std::thread::sleep(Duration::from_millis(1500));
    }
    let room = if manner == Manner::Sipping { 512 } else { 64 * 1024 };
    let mut reader = BufReader::with_capacity(room, writer);
    let mut heard = vec![0_u64; tasks.len()];
    let wanted: usize = tasks.iter().map(|(_, count)| count).sum();
    let (mut count, mut line) = (0, String::new());
    while count < wanted {
        line.clear();
        assert!(reader.read_line(&mut line).unwrap() > 0, "the daemon hung up on {manner:?} after {count} of {wanted}");
        let message: Value = serde_json::from_str(&line).unwrap();
        if message["type"] != "task_event" {
            assert_eq!(message["type"], "task", "{message}");
            continue;
        }
        let place = message["request_id"].as_u64().unwrap() as usize;
        let event = &message["event"];
        assert_eq!(event["taskId"], tasks[place].0.as_str());
        heard[place] += 1;
        assert_eq!(event["seq"], heard[place], "{manner:?} has missed one of {}", tasks[place].0);
        count += 1;
        if manner == Manner::Resting && count % 100 == 0 {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
    count
}

/// In kilobytes. Only Linux can tell.
fn memory(home: &Home) -> u64 {
    let pid = home.wire().json(json!({ "type": "status" }))["pid"].as_i64().unwrap();
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").trim().parse().ok()).unwrap_or(0)
}

fn manner(place: usize) -> Manner {
    match place % 5 {
        0 => Manner::Late,
        1 => Manner::Resting,
        2 => Manner::Sipping,
        _ => Manner::AtOnce,
    }
}

/// Watches these tasks and never reads.
fn is_deaf(home: &Home, tasks: &[(String, usize)]) -> UnixStream {
    let mut deaf = UnixStream::connect(home.socket()).unwrap();
    for (task, _) in tasks {
        deaf.write_all(format!("{}\n", json!({ "type": "task", "op": "watch", "taskId": task })).as_bytes()).unwrap();
    }
    deaf
}

fn all_hear(home: &Home, tasks: &[(String, usize)]) -> (usize, Duration) {
    let begun = Instant::now();
    let heard = std::thread::scope(|scope| {
        let watching: Vec<_> =
            (0..WATCHERS).map(|place| scope.spawn(move || hears(home, tasks, manner(place)))).collect();
        watching.into_iter().map(|watcher| watcher.join().unwrap()).sum()
    });
    (heard, begun.elapsed())
}

#[test]
fn many_watchers_hear_ten_thousand_events_of_a_log() {
    let home = home();
    home.aside_does(&["daemon", "start"]);
    let mut ada = person(&home);
    assert_eq!(ada.gets("run `echo hello; echo there`")["state"], "COMPLETED");
    let log = fs::read_dir(logs(&home)).unwrap().next().unwrap().unwrap().path();
    let task = log.file_stem().unwrap().to_str().unwrap().to_owned();
    home.aside_does(&["daemon", "stop"]);
    // The same task, as if its command had printed more.
    let lines: Vec<Value> = home_lines(&log);
    let chunk = lines.iter().position(|line| line["channel"] == "output").unwrap();
    let count = number("ASIDE_TEST_EVENTS", 10_000);
    let more = std::iter::repeat_n(&lines[chunk], count - lines.len());
    let long = lines[..chunk].iter().chain(more).chain(&lines[chunk..]);
    let mut text = String::new();
    for (place, line) in long.enumerate() {
        let mut line = line.clone();
        line["seq"] = json!(place + 1);
        if line["channel"] == "output" {
            line["chunk"] = json!(format!("line {place}\n"));
        }
        text.push_str(&format!("{line}\n"));
    }
    fs::write(&log, &text).unwrap();
    home.aside_does(&["daemon", "start"]);
    let mut ada = person(&home);
    assert_eq!(ada.brief(&task)["seq"], count, "the log is read whole");
    let before = memory(&home);
    let tasks = [(task, count)];
    let _deaf = [is_deaf(&home, &tasks), is_deaf(&home, &tasks)];
    let (heard, took) = all_hear(&home, &tasks);
    let after = memory(&home);
    eprintln!(
        "{WATCHERS} watchers heard {heard} events of a log in {took:.1?}; the daemon had {before} kB before and {after} kB after"
    );
    assert_eq!(heard, WATCHERS * count);
    assert!(after < before + ROOM, "from {before} kB to {after} kB");
}

fn home_lines(log: &std::path::Path) -> Vec<Value> {
    let text = fs::read_to_string(log).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn many_watchers_hear_many_tasks_while_they_run() {
    let home = home();
    home.aside_does(&["daemon", "start"]);
    let mut ada = person(&home);
    // Output is batched into events of some ten milliseconds, so a task has about as many events as pauses.
    let pieces = number("ASIDE_TEST_PIECES", 15);
    home.write("project/told.sh", format!("for i in $(seq {pieces}); do echo $1 $i; sleep 0.1; done\n"));
    let mut tasks = Vec::new();
    let mut shown = Vec::new();
    for place in 0..20 {
        let task = ada.asks(&format!("run `sh told.sh {place}`"));
        assert_eq!(ada.rests(&task)["state"], "WAITING_APPROVAL");
        shown.push(ada.sees(&task));
        tasks.push(task);
    }
    let before = memory(&home);
    let watched: Vec<(String, usize)> = tasks.iter().map(|task| (task.clone(), usize::MAX)).collect();
    let _deaf = is_deaf(&home, &watched);
    let begun = Instant::now();
    let logs = logs(&home);
    let home = &home;
    let (heard, after) = std::thread::scope(|scope| {
        let watched = &watched;
        let watching: Vec<_> =
            (0..WATCHERS).map(|place| scope.spawn(move || live(home, watched, manner(place)))).collect();
        for shown in &shown {
            assert_eq!(ada.approves(shown)["type"], "task");
        }
        let heard: Vec<Vec<u64>> = watching.into_iter().map(|watcher| watcher.join().unwrap()).collect();
        (heard, memory(home))
    });
    let counts: Vec<u64> =
        tasks.iter().map(|task| home_lines(&logs.join(format!("{task}.jsonl"))).len() as u64).collect();
    let total: u64 = counts.iter().sum();
    eprintln!(
        "{WATCHERS} watchers heard {total} events each of 20 tasks while they ran, in {:.1?}; the daemon had {before} kB before and {after} kB after",
        begun.elapsed()
    );
    for heard in heard {
        assert_eq!(heard, counts);
    }
    assert!(after < before + ROOM, "from {before} kB to {after} kB");
}

/// Watches tasks to their ends; returns the number of events of each.
fn live(home: &Home, tasks: &[(String, usize)], manner: Manner) -> Vec<u64> {
    let mut writer = UnixStream::connect(home.socket()).unwrap();
    writer.set_read_timeout(Some(patience() * 6)).unwrap();
    for (place, (task, _)) in tasks.iter().enumerate() {
        let watch = json!({ "type": "task", "request_id": place, "op": "watch", "taskId": task });
        writer.write_all(format!("{watch}\n").as_bytes()).unwrap();
    }
    if manner == Manner::Late {
        std::thread::sleep(Duration::from_secs(3));
    }
    let mut reader = BufReader::with_capacity(if manner == Manner::Sipping { 512 } else { 64 * 1024 }, writer);
    let (mut heard, mut ended, mut line) = (vec![0_u64; tasks.len()], 0, String::new());
    while ended < tasks.len() {
        line.clear();
        assert!(reader.read_line(&mut line).unwrap() > 0, "the daemon hung up on {manner:?}");
        let message: Value = serde_json::from_str(&line).unwrap();
        if message["type"] != "task_event" {
            continue;
        }
        let place = message["request_id"].as_u64().unwrap() as usize;
        heard[place] += 1;
        assert_eq!(message["event"]["seq"], heard[place], "{manner:?} has missed one of {}", tasks[place].0);
        if message["event"]["type"] == "task_end" {
            assert_eq!(message["event"]["status"], "ok");
            ended += 1;
        }
        if manner == Manner::Resting {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
    heard
}

#[test]
fn only_tasks_that_are_over_are_tidied_away() {
    let home = home();
    home.write(".config/aside/config.toml", "[task]\nkeep = 3\nkeep_days = 10\n");
    home.aside_does(&["daemon", "start"]);
    let mut ada = person(&home);
    let waits = |ada: &mut TaskClient| {
        let task = ada.asks("run `echo hello`");
        assert_eq!(ada.rests(&task)["state"], "WAITING_APPROVAL");
        task
    };
    let over = |ada: &mut TaskClient| {
        let task = waits(ada);
        assert_eq!(ada.says("cancel", json!({ "taskId": task }))["type"], "task");
        task
    };
    let oldest = waits(&mut ada);
    let ended: Vec<String> = (0..6).map(|_| over(&mut ada)).collect();
    let newest = waits(&mut ada);
    let aged = over(&mut ada);
    home.aside_does(&["daemon", "stop"]);
    let age = |task: &str, days: u64| {
        let path = logs(&home).join(format!("{task}.jsonl"));
        let then = SystemTime::now() - Duration::from_secs(days * 24 * 60 * 60);
        fs::File::options().append(true).open(path).unwrap().set_modified(then).unwrap();
    };
    // A waiting task is kept however old it is, and however many came after it.
    age(&oldest, 400);
    for (place, task) in ended.iter().enumerate() {
        age(task, 9 - place as u64);
    }
    age(&aged, 11);
    home.write(".local/state/aside/tasks/notes.txt", "mine");
    home.aside_does(&["daemon", "start"]);
    let mut ada = person(&home);
    let listed = ada.says("list", json!({ "limit": 100 }));
    let listed = listed["tasks"].as_array().unwrap();
    let is_there = |task: &String| listed.iter().any(|brief| brief["taskId"] == task.as_str());
    assert!(is_there(&oldest) && is_there(&newest), "{listed:#?}");
    // Of the others, the newest that still fit beside the waiting ones.
    let kept: Vec<bool> = ended.iter().chain([&aged]).map(is_there).collect();
    assert_eq!(kept, [false, false, false, false, false, true, false], "{listed:#?}");
    let mut files: Vec<String> =
        fs::read_dir(logs(&home)).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    files.retain(|name| name.ends_with(".jsonl"));
    assert_eq!(files.len(), listed.len(), "{files:?}");
    assert_eq!(home.read(".local/state/aside/tasks/notes.txt"), "mine");
    for task in [&oldest, &newest] {
        let shown = ada.sees(task);
        ada.watches(task, 0);
        ada.approves(&shown);
        assert_eq!(ada.ends(task)["state"], "COMPLETED");
    }
}
