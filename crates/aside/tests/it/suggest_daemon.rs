//! The next command over the daemon's socket: what it is based on, when it arrives, and which clients may report output.

use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::home::Home;
use crate::harness::socket_client::SocketClient;

const MARK: &str = "0123456789abcdef";
const TTY: &str = "/dev/pts/4242";
/// git's message for a push without an upstream.
const NO_UPSTREAM: &str = "fatal: The current branch topic has no upstream branch.\n\
    To push the current branch and set the remote as upstream, use\n\n    git push --set-upstream origin topic\n";

/// A daemon, and a shell on a captured terminal.
struct Desk {
    home: Home,
    watcher: SocketClient,
}

impl Desk {
    fn new(settings: &str) -> Self {
        let mut desk = Self::unseen(settings);
        let watching = json!({"type": "watching", "tty": TTY, "tier": "pty", "pid": 1});
        assert_eq!(desk.watcher.json(watching)["type"], "ok");
        let told = desk.home.wire().json(json!({
            "type": "capture", "session_id": "s", "mark": MARK, "tty": TTY, "proxy": format!("{TTY}:1"),
        }));
        assert_eq!(told["tier"], "pty", "{told}");
        desk
    }

    /// Without capture.
    fn unseen(settings: &str) -> Self {
        let home = Home::new();
        home.write(".config/aside/config.toml", settings);
        home.aside_does(&["daemon", "start"]);
        Self { watcher: home.wire(), home }
    }

    fn printed(&mut self, seq: i64, output: &str) {
        self.prints_with(MARK, TTY, seq, output);
    }

    fn prints_with(&mut self, mark: &str, tty: &str, seq: i64, output: &str) {
        let captured = json!({"type": "captured", "tty": tty, "mark": mark, "seq": seq, "output": output});
        assert_eq!(self.watcher.json(captured)["type"], "ok");
    }

    fn ended(&self, seq: i64, command: &str, exit: i32) -> Value {
        json!({
            "type": "suggest", "session_id": "s", "cwd": self.cwd(), "command": command, "exit_status": exit,
            "shell": "zsh", "seq": seq,
        })
    }

    fn cwd(&self) -> String {
        self.home.path("").display().to_string()
    }

    /// The final suggestion.
    fn next(&self, seq: i64, command: &str, exit: i32) -> Value {
        let mut asked = self.ended(seq, command, exit);
        asked["wait"] = true.into();
        self.home.wire().json(asked)
    }

    fn finished(&self, seq: i64, command: &str, exit: i32) {
        let ended = json!({
            "type": "finished", "session_id": "s", "seq": seq, "cwd": self.cwd(), "command": command,
            "exit_status": exit, "shell": "zsh",
        });
        assert_eq!(self.home.wire().json(ended)["type"], "ok");
    }
}

#[test]
fn what_a_command_printed_names_the_next() {
    let mut desk = Desk::new("");
    desk.printed(8, NO_UPSTREAM);
    let next = desk.next(8, "git push", 128);
    assert_eq!((&next["command"], &next["source"]), (&"git push --set-upstream origin topic".into(), &"output".into()));
    assert_eq!((&next["state"], &next["warning"]), (&"done".into(), &"".into()), "{next}");
    assert!(!next["reason"].as_str().unwrap().is_empty(), "{next}");
}

#[test]
fn an_answer_waits_for_the_output_and_comes_later() {
    let mut desk = Desk::new("");
    // The request sent while a prompt is drawn gets no further reply.
    let asked = desk.ended(8, "git push", 128);
    desk.home.wire().sends_json(asked.clone());
    let mut wire = desk.home.wire();
    let first = wire.json(asked);
    assert_eq!((&first["type"], &first["state"], &first["command"]), (&"next".into(), &"thinking".into(), &"".into()));
    desk.printed(8, NO_UPSTREAM);
    let second = wire.reads_json();
    assert_eq!(
        (&second["state"], &second["command"]),
        (&"done".into(), &"git push --set-upstream origin topic".into())
    );
    // A repeated request is answered at once.
    let again = desk.home.wire().json(desk.ended(8, "git push", 128));
    assert_eq!(again["command"], second["command"]);
}

#[test]
fn marks_of_strangers_are_not_believed() {
    let mut desk = Desk::new("");
    desk.prints_with("fedcba9876543210", TTY, 8, NO_UPSTREAM);
    desk.prints_with("", TTY, 8, NO_UPSTREAM);
    desk.prints_with(MARK, "/dev/pts/4243", 8, NO_UPSTREAM);
    desk.printed(7, NO_UPSTREAM);
    assert_eq!(desk.next(8, "git push", 128)["command"], "");
}

#[test]
fn typing_ends_the_question() {
    let desk = Desk::new("");
    let mut wire = desk.home.wire();
    assert_eq!(wire.json(desk.ended(8, "git push", 128))["state"], "thinking");
    let typed = wire.json(json!({"type": "complete", "request_id": 2, "session_id": "s", "cwd": "/", "left": "l"}));
    assert_eq!(typed["type"], "complete");
    // The earlier request gets no reply, even after its timeout.
    let mut heard = Vec::new();
    while let Some(answer) = wire.polls_json(Duration::from_millis(900)) {
        heard.push(answer["type"].clone());
    }
    assert!(heard.iter().all(|kind| kind == "update"), "{heard:?}");
}

#[test]
fn what_was_done_next_before_is_suggested_without_any_output() {
    let desk = Desk::unseen("[suggest]\ncapture = 'off'\n");
    for round in 0..3 {
        desk.finished(10 * round + 1, "make frobnicate", 2);
        desk.finished(10 * round + 2, "echo mended", 0);
    }
    desk.finished(99, "make frobnicate", 2);
    let next = desk.next(99, "make frobnicate", 2);
    assert_eq!((&next["command"], &next["source"]), (&"echo mended".into(), &"history".into()), "{next}");
    let other = desk.next(100, "make frobnicate", 0);
    assert_eq!(other["command"], "", "it ended otherwise: {other}");
    let why = desk.home.wire().json(json!({"type": "why", "session_id": "s"}));
    assert_eq!(why["candidates"][0]["completion"], "echo mended", "{why}");
}

#[test]
fn the_session_is_remembered_and_not_for_what_is_a_secret() {
    let mut desk = Desk::new("[suggest]\ncapture_blocklist = ['frobnicate']\n");
    desk.finished(1, "echo one", 0);
    desk.printed(1, "one\nexport TOKEN=ghp_0123456789abcdefghijABCDEFGHIJ012345");
    desk.finished(2, "curl -u me:hunter2 http://127.0.0.1/", 0);
    desk.printed(2, "hunter2");
    desk.finished(3, "sudo frobnicate --now", 0);
    desk.printed(3, "all of the screen");
    let recalled = desk.home.wire().json(json!({"type": "recall", "tty": TTY}));
    assert_eq!((&recalled["session_id"], &recalled["tier"]), (&"s".into(), &"pty".into()));
    let commands = recalled["commands"].as_array().unwrap();
    let told: Vec<(&Value, &Value)> = commands.iter().map(|past| (&past["command"], &past["seq"])).collect();
    assert_eq!(told, [(&"echo one".into(), &1.into()), (&"sudo frobnicate --now".into(), &3.into())]);
    let output = commands[0]["output"].as_str().unwrap();
    assert!(output.starts_with("one\n") && !output.contains("ghp_0123"), "{output}");
    assert_eq!(commands[1]["output"], Value::Null, "it is on the list of those that are not looked at");
}

#[test]
fn what_was_printed_tells_a_sentence_from_a_command() {
    let mut desk = Desk::new("");
    let line = "deploy please make sure that the tests pass";
    // The first word is a function of the user's: only its output tells that it did not understand the words.
    let asked = json!({
        "type": "detect", "session_id": "s", "cwd": desk.cwd(), "line": line, "shell": "zsh", "phase": "after",
        "exit_status": 2, "first": "function",
    });
    desk.finished(5, line, 2);
    assert_eq!(desk.home.wire().json(asked.clone())["verdict"], "nothing");
    desk.finished(6, line, 2);
    desk.printed(6, "deploy: unknown command 'please'\n");
    let sentence = desk.home.wire().json(asked);
    assert_eq!(sentence["verdict"], "agent", "{sentence}");
    // A line that is answered as prose gets no suggestion.
    assert_eq!(desk.next(6, line, 2)["command"], "");
}

#[test]
fn nothing_is_said_when_it_is_off() {
    let desk = Desk::unseen("[suggest]\nenabled = false\n");
    let watching = json!({"type": "watching", "tty": TTY, "tier": "pty", "pid": 1});
    assert_eq!(desk.home.wire().json(watching)["error"]["code"], "not_wanted");
    let next = desk.next(8, "git push", 128);
    assert_eq!((&next["command"], &next["state"]), (&"".into(), &"done".into()));
}

#[test]
fn how_outputs_could_be_seen_is_said_once_and_not_in_private() {
    let desk = Desk::unseen("");
    let told = desk.home.wire().json(json!({"type": "capture", "session_id": "s", "mark": MARK, "tty": TTY}));
    assert_eq!(told["tier"], "off", "{told}");
    let mut private = desk.ended(1, "frob --all", 3);
    private["private"] = true.into();
    private["wait"] = true.into();
    assert_eq!(desk.home.wire().json(private)["warning"], "");
    assert_eq!(desk.next(2, "true", 0)["warning"], "");
    for ours in ["aside task run the tests", "~/.local/bin/aside doctor"] {
        assert_eq!(desk.next(2, ours, 1)["warning"], "", "{ours}");
    }
    let first = desk.next(3, "make all", 2);
    let tip = first["warning"].as_str().unwrap();
    assert!(tip.starts_with("aside: outputs are not seen here"), "{first}");
    assert!(tip.len() < 80, "fits a terminal of 80 columns: {tip}");
    // The doctor explains why output is not captured: a shell in tmux whose pipe is taken by another program needs no advice to start tmux.
    assert!(!tip.contains("tmux") && tip.contains("aside doctor"), "{tip}");
    assert_eq!(first["command"], "");
    assert_eq!(desk.next(4, "make all", 2)["warning"], "");
}
