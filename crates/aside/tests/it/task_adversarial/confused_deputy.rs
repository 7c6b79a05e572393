//! Commands that try to make the daemon act for them outside of the workspace, where they cannot act themselves: talk to a tmux
//! server of their own, run a program of theirs, record false history for the user, exit.

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::fixture::{Attempt, Fixture};
use super::self_approval::is_refused;
use crate::harness::home;
use crate::harness::tasks::ShownProposal;

/// Connects, sends every line of a file, and prints each reply. `leaves`: without waiting for a reply.
const TALKS: &str = r#"
zmodload zsh/net/socket || exit 9
zsocket $1 || exit 8
fd=$REPLY
while read -r said; do
  print -r -u $fd -- "$said"
  [[ $3 == leaves ]] || { read -r -t 60 -u $fd line || line="waited for an answer: $line"; print -r -- "$line" }
done < $2
"#;

/// The same, with a fake tmux socket beside itself.
const LURES: &str = r#"
zmodload zsh/net/socket || exit 9
zsocket -l $4/lure || exit 7
lure=$REPLY
source $HOME/talks.zsh
zsocket -a -t $lure && print somebody came && touch $HOME/outside/canary $4/canary
rm $4/lure
"#;

pub fn all() -> (Vec<Attempt>, usize) {
    let mut stage = Fixture::open("confused_deputy");
    stage.home.write("talks.zsh", TALKS);
    stage.home.write("lures.zsh", LURES);
    greets(&stage);
    twins(&mut stage);
    programs(&mut stage);
    last_words(&mut stage);
    tmux(&mut stage);
    notes(&mut stage);
    inbox(&mut stage);
    looks(&mut stage);
    stage.done()
}

/// A record in the inbox of bash and fish: at once, just before the command ends, and by overwriting.
fn inbox(stage: &mut Fixture) {
    let dir = stage.home.socket().with_extension("sock.inbox").display().to_string();
    let record = "printf '%s\\0' 10 3 finished ada 9 / 0 0 0 bash evil";
    for (way, command) in [
        ("and waits", format!("{record} > {dir}/bash-4711-1.1.off; sleep 0.3")),
        ("and ends", format!("{record} > {dir}/bash-4711-1.2.off")),
        ("moved there", format!("{record} > x.off; mv x.off {dir}/bash-4711-1.3.off || rm x.off")),
        ("made anew", format!("rm -rf {dir}; mkdir -m 700 {dir}; {record} > {dir}/bash-4711-1.4.off; sleep 0.5")),
        ("many times", format!("for n in $(seq 200); do {record} > {dir}/bash-4711-1.$n.off; done")),
    ] {
        for confine in ["no", "workspace"] {
            stage.attempt(format!("a record in the inbox, {way}, confined: {confine}"), |stage| {
                runs(stage, &command, confine);
                let names = || std::fs::read_dir(&dir).into_iter().flatten().flatten().map(|entry| entry.file_name());
                let deadline = std::time::Instant::now() + crate::harness::patience();
                while names().any(|name| name != "daemon") && std::time::Instant::now() < deadline {
                    std::thread::sleep(std::time::Duration::from_millis(20));
                }
                assert!(names().all(|name| name == "daemon"), "a file stays for the next daemon");
                let found = stage.home.aside(&["history", "search", "evil"]).stdout;
                assert!(found.is_empty(), "{found}");
            });
        }
    }
}

/// Sends `hello` as the user's shell would.
fn greets(stage: &Fixture) {
    let hello = json!({ "type": "hello", "request_id": 1, "protocol": 1, "shell": "zsh", "session_id": "ada", "facts": "mine" });
    assert_eq!(stage.home.wire().json(hello)["type"], "hello");
}

/// The controls, before any command has run: then no client is suspected.
fn twins(stage: &mut Fixture) {
    stage.twin("a program on a path that the person's shell tells", |stage| {
        let lines = path_and_question(stage, "tools");
        let said = by_the_person(stage, "talks.zsh", &lines, "");
        assert!(stage.home.path("outside/canary").exists(), "{said}");
    });
    stage.twin("a tmux that the person's shell is in", |stage| {
        let lines = capture(stage);
        let said = by_the_person(stage, "lures.zsh", &lines, "");
        assert!(said.contains("somebody came"), "{said}");
    });
    stage.twin("what a command that is not confined sees of the daemon", |stage| {
        let said = runs(stage, &peeks(stage), "no");
        assert_eq!(said, "read\n");
    });
    // Leaves nothing behind for the attempts.
    let nowhere = json!({ "type": "names", "request_id": 1, "session_id": "ada", "kind": "path", "part": 0, "names": "/nowhere" });
    assert_eq!(stage.home.wire().json(nowhere)["type"], "ok");
}

fn programs(stage: &mut Fixture) {
    // A program that a confined command has written there must not be run for the user either.
    stage.attempt("a program of a project on the path that the person's shell tells", |stage| {
        let lines = path_and_question(stage, "project/bin");
        by_the_person(stage, "talks.zsh", &lines, "");
    });
    for (way, how) in WAYS {
        for confine in ["no", "workspace"] {
            stage.attempt(format!("a path of its own, {way}, confined: {confine}"), |stage| {
                let lines = path_and_question(stage, "project/bin");
                let said = runs(stage, &how.replace("TALKS", &talks(stage, "talks.zsh", &lines)), confine);
                assert!(is_refused(&said, confine), "{said}");
                assert!(!asks_for_help(stage));
            });
        }
    }
}

/// The command sends its message and exits with all its processes, before the daemon has even seen the connection.
fn last_words(stage: &mut Fixture) {
    for confine in ["no", "workspace"] {
        stage.attempt(format!("a path that is told with its last breath, confined: {confine}"), |stage| {
            let lines = path_alone(stage, "project/bin");
            let talks = format!("{} leaves", talks(stage, "talks.zsh", &lines));
            let shown =
                edited(stage, &format!("touch ready; while ! [ -e go ]; do sleep 0.02; done; {talks}"), confine);
            assert_eq!(stage.ada.approves(&shown)["type"], "task");
            stage.granted();
            stage.forgive("project/ready");
            stage.forgive("project/go");
            stage.until("it runs", |stage| stage.home.path("project/ready").exists());
            while_it_stands_still(stage, |stage| {
                stage.home.write("project/go", "");
                let keeper = children(daemon(stage));
                assert!(!keeper.is_empty());
                stage.until("it is over", |_| !keeper.iter().any(|pid| home::is_running(*pid)));
            });
            stage.settles();
            assert!(!asks_for_help(stage));
        });
    }
}

fn tmux(stage: &mut Fixture) {
    for confine in ["no", "workspace"] {
        stage.attempt(format!("a tmux of its own, confined: {confine}"), |stage| {
            let lines = capture(stage);
            let said = runs(stage, &talks(stage, "lures.zsh", &lines), confine);
            assert!(is_refused(&said, confine) && !said.contains("somebody"), "{said}");
        });
    }
}

/// What these messages report would be stored for the user, or believed about their shells.
fn notes(stage: &mut Fixture) {
    let mark = "5f1c9a2be07d4413";
    for (name, message) in [
        (
            "a command that ended",
            json!({ "type": "finished", "session_id": "ada", "seq": 9, "cwd": "/", "command": "evil", "shell": "zsh" }),
        ),
        ("an alias", json!({ "type": "names", "session_id": "ada", "kind": "alias", "part": 0, "names": "ls=evil" })),
        (
            "an output",
            json!({ "type": "captured", "tty": "/dev/pts/0", "mark": mark, "seq": 1, "output": "evil", "bytes": 4 }),
        ),
        ("a watcher", json!({ "type": "watching", "tty": "/dev/pts/0", "tier": "tmux", "pid": 1 })),
        (
            "an outcome",
            json!({ "type": "outcome", "session_id": "ada", "action": "accept", "query": "evil", "suggestion": "evil" }),
        ),
        ("a line that was no sentence", json!({ "type": "wrong", "session_id": "ada", "line": "evil" })),
        ("that the daemon is to end", json!({ "type": "stop" })),
    ] {
        stage.attempt(format!("it tells of {name}"), |stage| {
            let before = status(stage);
            let lines = writes(stage, std::slice::from_ref(&message));
            let said = runs(stage, &talks(stage, "talks.zsh", &lines), "no");
            assert!(is_refused(&said, "no"), "{said}");
            let after = status(stage);
            assert_eq!((&after["pid"], &after["history"]["records"]), (&before["pid"], &before["history"]["records"]));
            let aliases = |status: &Value| status["sessions"][0]["aliases"].clone();
            assert_eq!(aliases(&after), aliases(&before));
        });
    }
    stage.attempt("it greets in the person's name", |stage| {
        let hello = |session: &str| json!({ "type": "hello", "protocol": 1, "shell": "fish", "session_id": session, "facts": "evil" });
        let lines = writes(stage, &[hello("ada"), hello("eve")]);
        let said = runs(stage, &talks(stage, "talks.zsh", &lines), "no");
        assert_eq!(said.matches("\"type\":\"hello\"").count(), 2, "{said}");
        let sessions = status(stage)["sessions"].clone();
        assert_eq!(sessions.as_array().unwrap().len(), 1, "{sessions}");
        assert_eq!((&sessions[0]["shell"], &sessions[0]["facts"]), (&json!("zsh"), &json!("mine")));
    });
}

/// The daemon's memory and environment may contain keys.
fn looks(stage: &mut Fixture) {
    stage.attempt("a confined command looks into the daemon", |stage| {
        let said = runs(stage, &peeks(stage), "workspace");
        assert_eq!(said, "");
    });
}

fn peeks(stage: &Fixture) -> String {
    let pid = daemon(stage).as_raw_pid();
    // Guarded by the same check as its memory and environment; the environment itself is open to root by another way.
    format!("readlink /proc/{pid}/cwd >/dev/null 2>&1 && echo read && touch canary")
}

const WAYS: [(&str, &str); 3] = [
    ("itself", "TALKS"),
    ("in a session of its own", "setsid -w TALKS"),
    (
        "without a parent",
        "(setsid TALKS > said.txt 2>&1; echo >> said.txt) & while ! [ -s said.txt ]; do sleep 0.02; done; wait; cat said.txt; rm said.txt",
    ),
];

/// The program is in the workspace, where the command can write it itself.
fn path_alone(stage: &mut Fixture, place: &str) -> String {
    let canary = stage.home.path("outside/canary");
    stage.home.write(&format!("{place}/man"), format!("#!/bin/sh\n: > {}\n", canary.display()));
    writes(
        stage,
        &[json!({ "type": "names", "session_id": "ada", "kind": "path", "part": 0, "names": stage.home.path(place) })],
    )
}

fn path_and_question(stage: &mut Fixture, place: &str) -> String {
    path_alone(stage, place);
    let place = stage.home.path(place);
    let path = json!({ "type": "names", "session_id": "ada", "kind": "path", "part": 0, "names": place });
    writes(stage, &[path, question()])
}

fn question() -> Value {
    // A name that was not asked about before, because help texts are cached.
    static ASKED: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    let number = ASKED.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    json!({ "type": "explain", "session_id": "ada", "cwd": "/", "shell": "zsh", "wait": true, "private": true, "command": format!("frobnicate{number} --all") })
}

/// The user asks what a command does; returns whether that ran the program in the workspace.
fn asks_for_help(stage: &Fixture) -> bool {
    let mut question = question();
    question["request_id"] = json!(1);
    assert_eq!(stage.home.wire().json(question)["type"], "explain");
    stage.home.path("outside/canary").exists()
}

fn capture(stage: &mut Fixture) -> String {
    let lure = stage.home.path("project/lure");
    writes(
        stage,
        &[json!({
            "type": "capture", "session_id": "ada", "mark": "5f1c9a2be07d4413", "tty": "/dev/pts/0",
            "tmux": format!("{},1,0", lure.display()), "pane": "%0",
        })],
    )
}

/// Writes a file with a message on each line.
fn writes(stage: &mut Fixture, messages: &[Value]) -> String {
    let numbered = messages.iter().enumerate().map(|(number, message)| {
        let mut message = message.clone();
        message["request_id"] = json!(number + 1);
        format!("{message}\n")
    });
    stage.home.write("lines.json", numbered.collect::<String>());
    stage.mark();
    stage.home.path("lines.json").to_str().unwrap().to_owned()
}

fn talks(stage: &Fixture, script: &str, lines: &str) -> String {
    let [script, project] = [script, "project"].map(|path| stage.home.path(path).display().to_string());
    let socket = stage.home.socket().display().to_string();
    // The third argument is the mode; `lures.zsh` also needs the project's path.
    match script.ends_with("lures.zsh") {
        true => format!("zsh -f {script} {socket} {lines} hears {project}"),
        false => format!("zsh -f {script} {socket} {lines}"),
    }
}

fn by_the_person(stage: &Fixture, script: &str, lines: &str, how: &str) -> String {
    let [script, project] = [script, "project"].map(|path| stage.home.path(path).display().to_string());
    let socket = stage.home.socket().display().to_string();
    let mut command = stage.home.command("zsh");
    let said = home::run(command.args(["-f", &script, &socket, lines, how, &project]), "");
    said.stdout + &said.stderr
}

#[track_caller]
fn edited(stage: &mut Fixture, command: &str, confine: &str) -> ShownProposal {
    let shown = stage.proposes("true");
    let mut edit = shown.answer("a test");
    edit["text"] = json!(command);
    edit["confine"] = json!(confine);
    let edited = stage.ada.says("edit", edit);
    ShownProposal::of(&edited["offer"]).unwrap_or_else(|| panic!("nothing is shown: {edited}"))
}

/// Approves this command and returns what it printed, which is what it was answered.
#[track_caller]
fn runs(stage: &mut Fixture, command: &str, confine: &str) -> String {
    let shown = edited(stage, command, confine);
    assert_eq!(stage.ada.approves(&shown)["type"], "task");
    stage.granted();
    stage.settles();
    let log = std::fs::read_to_string(stage.log(&shown.task)).unwrap();
    let events = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let printed = events.filter(|event| event["channel"] == "output");
    printed.filter_map(|event| Some(event["chunk"].as_str()?.to_owned())).collect()
}

fn status(stage: &Fixture) -> Value {
    stage.home.wire().json(json!({ "type": "status", "request_id": 1 }))
}

fn daemon(stage: &Fixture) -> Pid {
    let lock = stage.home.socket().with_extension("sock.lock");
    let pid = std::fs::read_to_string(&lock).unwrap_or_else(|error| panic!("{}: {error}", lock.display()));
    Pid::from_raw(pid.trim().parse().unwrap()).unwrap()
}

/// Stops the daemon while `act` runs, so that messages queue up.
fn while_it_stands_still(stage: &mut Fixture, act: impl FnOnce(&mut Fixture)) {
    let daemon = daemon(stage);
    kill_process(daemon, Signal::STOP).unwrap();
    let acted = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| act(stage)));
    kill_process(daemon, Signal::CONT).unwrap();
    if let Err(panic) = acted {
        std::panic::resume_unwind(panic);
    }
}

fn children(of: Pid) -> Vec<Pid> {
    let tasks = std::fs::read_dir(format!("/proc/{}/task", of.as_raw_pid())).into_iter().flatten().flatten();
    let lists = tasks.map(|task| std::fs::read_to_string(task.path().join("children")).unwrap_or_default());
    let numbers =
        lists.flat_map(|list| list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<i32>>());
    numbers.filter_map(Pid::from_raw).collect()
}
