//! Private mode holds for every kind of message, however it is requested: by the message, by the connection, by the shell, by the
//! environment of a command.

use aside_proto::{Request, json};
use serde_json::{Value, json};

use crate::bash::recorded;
use crate::harness::home::{ASIDE, Home, run};
use crate::harness::scene::Scene;
use crate::harness::socket_client::SocketClient;
use crate::model::Model;
use crate::model::scripted_reply::ScriptedReply;

const TTY: &str = "/dev/pts/77";
const MARK: &str = "5f1c9a2be07d4413";

/// The wire belongs to a terminal whose output is captured.
fn desk() -> (Model, Home, SocketClient) {
    let (model, mut home) = (Model::start(), Home::new());
    home.write("bin/frobnicate", "#!/bin/sh\n");
    home.set_env("PATH", &format!("{}:/usr/bin:/bin", home.path("bin").display()));
    let url = model.base_url();
    let llm = format!("provider = 'openai'\nbase_url = '{url}'\nmodel = 'scripted'\nnl_debounce_ms = 0\n");
    let complete = "[complete]\nmodel_delay_ms = 0\nmodel_delay_short_ms = 0\nmodel_min_chars = 1\n";
    home.write(".config/aside/config.toml", format!("{complete}[llm]\n{llm}"));
    model.always(ScriptedReply::chat("ls --frobnicated"));
    home.aside_does(&["daemon", "start"]);
    let mut watcher = home.wire();
    watcher.json(json!({ "type": "watching", "request_id": 1, "tty": TTY, "tier": "pty", "pid": 1 }));
    let proxy = format!("{TTY}:1");
    let told =
        json!({ "type": "capture", "request_id": 1, "session_id": "s", "mark": MARK, "tty": TTY, "proxy": proxy });
    assert_eq!(home.wire().json(told)["tier"], "pty");
    let output = "frobnicate: the quux is loose\nfrobnicate: giving up on it\n";
    watcher.json(json!({ "type": "captured", "request_id": 2, "tty": TTY, "mark": MARK, "seq": 1, "output": output }));
    (model, home, watcher)
}

/// A message of every kind; those that can ask a model do so in a shell that is not private.
fn messages(home: &Home) -> Vec<Value> {
    let here = home.path("").display().to_string();
    let message = |kind: &str, fields: Value| {
        let mut message = json!({ "type": kind, "session_id": "s", "cwd": here, "shell": "zsh", "wait": true });
        message.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        message
    };
    vec![
        message("complete", json!({ "buffer_left": "frobnicate --qu", "left": "frobnicate --qu" })),
        message("translate", json!({ "query": "frobnicate the quux", "now": true })),
        message("explain", json!({ "command": "frobnicate --quux 7" })),
        message("ask", json!({ "query": "why is the quux of this frobnicated so slowly", "number": 1 })),
        message("suggest", json!({ "command": "frobnicate quux", "exit_status": 3, "seq": 1 })),
        message("task", json!({ "op": "ask", "text": "explain how quuxes are frobnicated in this project" })),
        message("detect", json!({ "line": "why is it so", "phase": "before" })),
        message("outcome", json!({ "action": "accept", "query": "q", "suggestion": "s" })),
        message("wrong", json!({ "line": "why is it so" })),
        message("finished", json!({ "seq": 2, "command": "frobnicate", "exit_status": 1 })),
        message("capture", json!({ "mark": MARK, "tty": "/dev/pts/0" })),
        message("watching", json!({ "tty": "/dev/pts/0", "tier": "tmux", "pid": 1 })),
        message("captured", json!({ "tty": "/dev/pts/0", "mark": "x", "seq": 1, "output": "o", "bytes": 1 })),
        message("recall", json!({ "limit": 1 })),
        message("names", json!({ "kind": "alias", "part": 0, "names": "g=git" })),
        message("why", json!({})),
        message("status", json!({})),
        message("reload", json!({})),
        message("hello", json!({ "protocol": 1, "session_id": "s" })),
        message("stop", json!({})),
    ]
}

/// Exhaustive match: a new kind of request has to get a message above.
fn number(request: &Request) -> usize {
    match request {
        Request::Hello(_) => 0,
        Request::Complete(_) => 1,
        Request::Translate(_) => 2,
        Request::Explain(_) => 3,
        Request::Outcome(_) => 4,
        Request::Detect(_) => 5,
        Request::Wrong(_) => 6,
        Request::Ask(_) => 7,
        Request::Finished(_) => 8,
        Request::Capture(_) => 9,
        Request::Watching(_) => 10,
        Request::Captured(_) => 11,
        Request::Suggest(_) => 12,
        Request::Recall(_) => 13,
        Request::Names(_) => 14,
        Request::Reload => 15,
        Request::Why(_) => 16,
        Request::Status => 17,
        Request::Stop => 18,
        Request::Task(_) => 19,
    }
}

/// How private mode is requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Open,
    Message,
    Connection,
    Shell,
}

fn sends_all(home: &Home, way: Way) {
    for (id, mut message) in messages(home).into_iter().enumerate() {
        if message["type"] == "stop" || message["type"] == "hello" && way != Way::Message {
            continue;
        }
        let mut wire = home.wire();
        let hello = |session: &str| json!({ "type": "hello", "request_id": 1, "protocol": 1, "shell": "zsh", "session_id": session, "private": true });
        match way {
            Way::Open => {}
            Way::Message => message["private"] = json!(true),
            // From another session: what was said on this connection applies to it.
            Way::Connection => drop(wire.json(hello("another"))),
            // On another connection.
            Way::Shell => drop(home.wire().json(hello("s"))),
        }
        message["request_id"] = json!(id + 10);
        let answer = wire.json(message.clone());
        assert_ne!(answer["type"], "error", "{message}: {answer}");
    }
    // Tasks continue asynchronously.
    let mut wire = home.wire();
    let is_over =
        |task: &Value| matches!(task["state"].as_str(), Some("COMPLETED" | "FAILED" | "REJECTED" | "WAITING_APPROVAL"));
    let deadline = std::time::Instant::now() + crate::harness::patience();
    loop {
        let list = wire.json(json!({ "type": "task", "request_id": 1, "op": "list" }));
        if list["tasks"].as_array().unwrap().iter().all(is_over) {
            return;
        }
        assert!(std::time::Instant::now() < deadline, "{list}");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

#[test]
fn privacy_private_every_kind_of_message_has_a_row() {
    let home = Home::new();
    let mut numbers: Vec<usize> = messages(&home)
        .iter()
        .map(|message| {
            let call = json::decode(&message.to_string()).unwrap_or_else(|error| panic!("{message}: {error}"));
            assert!(!call.private, "{message}");
            let mut private = message.clone();
            private["private"] = json!(true);
            assert!(json::decode(&private.to_string()).unwrap().private, "{private}");
            number(&call.request)
        })
        .collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (0..20).collect::<Vec<_>>());
}

#[test]
fn privacy_private_no_message_makes_anything_leave_however_it_was_said() {
    for way in [Way::Message, Way::Connection, Way::Shell] {
        let (model, home, _watcher) = desk();
        sends_all(&home, way);
        assert_eq!(model.requests().len(), 0, "{way:?}: {:?}", model.requests());
        assert_eq!(model.connections(), 0, "{way:?}");
    }
}

/// The control: from a shell that is not private the same messages do ask the model, or the test above would prove nothing.
#[test]
fn privacy_private_the_same_messages_leave_an_open_shell() {
    let (model, home, _watcher) = desk();
    sends_all(&home, Way::Open);
    let journal = home.read(".local/state/aside/privacy.jsonl");
    for usage in ["complete", "translate", "explain", "ask", "suggest", "task"] {
        assert!(journal.contains(&format!("\"use\":\"{usage}\"")), "{usage} is not in {journal}");
    }
    assert!(model.requests().len() >= 6);
}

#[test]
fn privacy_private_a_command_with_the_variable_asks_no_model() {
    let (model, mut home, _watcher) = desk();
    let commands: &[&[&str]] = &[
        &["complete", "--", "frobnicate --qu"],
        &["translate", "frobnicate the quux"],
        &["explain", "--", "frobnicate --quux 7"],
        &["answer", "why is the quux of this frobnicated so slowly"],
        &["suggest", "--exit", "3", "--", "frobnicate quux"],
        &["fix", "--", "frobnicate quux"],
        &["task", "explain how quuxes are frobnicated in this project"],
        &["detect", "before", "--", "why is it so"],
        &["why"],
        &["doctor"],
        &["daemon", "status"],
    ];
    home.set_env("ASIDE_PRIVATE", "1");
    for arguments in commands {
        run(home.command(ASIDE).args(*arguments), "");
    }
    assert_eq!(model.connections(), 0, "{:?}", model.requests());
    home.set_env("ASIDE_PRIVATE", "");
    run(home.command(ASIDE).args(commands[0]), "");
    assert!(!model.requests().is_empty(), "the same command in an open shell");
}

fn hello(session: &str, private: &Value) -> Value {
    json!({ "type": "hello", "request_id": 1, "protocol": 1, "shell": "zsh", "session_id": session, "private": private })
}

/// Everything that the model received.
fn told(model: &Model) -> String {
    model.requests().iter().map(|request| request.text.as_str()).collect::<Vec<_>>().join("\n")
}

/// Waits until no task is running.
fn tasks_rest(home: &Home) {
    let deadline = std::time::Instant::now() + crate::harness::patience();
    loop {
        let list = home.wire().json(json!({ "type": "task", "request_id": 1, "op": "list" }));
        let rests = |task: &Value| {
            matches!(task["state"].as_str(), Some("COMPLETED" | "FAILED" | "REJECTED" | "WAITING_APPROVAL"))
        };
        if list["tasks"].as_array().unwrap().iter().all(rests) {
            return;
        }
        assert!(std::time::Instant::now() < deadline, "{list}");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

#[test]
fn privacy_private_a_task_that_is_retried_in_private_stays_here() {
    let (model, home, _watcher) = desk();
    let here = home.path("").display().to_string();
    let ask = json!({ "type": "task", "request_id": 1, "op": "ask", "cwd": here, "shell": "zsh", "text": "explain how quuxes are frobnicated in this project" });
    let task = home.wire().json(ask)["tasks"][0]["taskId"].as_str().unwrap().to_owned();
    tasks_rest(&home);
    let asked = model.requests().len();
    assert!(asked > 0, "in the open a model is asked");
    let retry = |private: bool| {
        let answer = home
            .wire()
            .json(json!({ "type": "task", "request_id": 1, "op": "retry", "taskId": task, "private": private }));
        assert_eq!(answer["type"], "task", "{answer}");
        tasks_rest(&home);
    };
    retry(true);
    assert_eq!(model.requests().len(), asked, "retried in private");
    // A task that was private once stays private, for the next daemon too.
    retry(false);
    assert_eq!(model.requests().len(), asked, "retried in the open after that");
    home.aside_does(&["daemon", "stop"]);
    home.aside_does(&["daemon", "start"]);
    retry(false);
    assert_eq!(model.requests().len(), asked, "retried after a restart");
}

/// Neither in the formerly private shell once it is public again, nor in another shell, nor with the next daemon.
#[test]
fn privacy_private_what_ran_in_private_is_never_told() {
    let (model, home, mut watcher) = desk();
    let here = home.path("").display().to_string();
    let ran = |seq: u64, command: &str| {
        let ended = json!({ "type": "finished", "request_id": seq, "session_id": "s", "seq": seq, "cwd": here, "shell": "zsh", "command": command, "exit_status": 3 });
        assert_eq!(home.wire().json(ended)["type"], "ok");
    };
    ran(10, "frobnicate openhost");
    home.wire().json(hello("s", &json!(true)));
    ran(11, "frobnicate sesamehost");
    let output = "frobnicate: sesameoutput is loose\n";
    watcher.json(json!({ "type": "captured", "request_id": 3, "tty": TTY, "mark": MARK, "seq": 11, "output": output }));
    home.wire().json(hello("s", &json!(false)));
    let asks_all = || {
        for session in ["s", "other"] {
            let messages = [
                json!({ "type": "complete", "left": "frobnicate --qu" }),
                json!({ "type": "translate", "query": "frobnicate the quux", "now": true }),
                json!({ "type": "ask", "query": "why is the quux of this frobnicated so slowly", "number": 7 }),
                json!({ "type": "ask", "query": "frobnicate sesamehost", "number": 8, "exit_status": 3 }),
                json!({ "type": "suggest", "command": "frobnicate sesamehost", "exit_status": 3, "seq": 11 }),
                json!({ "type": "suggest", "command": "frobnicate quux", "exit_status": 3, "seq": 12 }),
                json!({ "type": "explain", "command": "frobnicate --quux 7" }),
                json!({ "type": "task", "op": "ask", "text": "why did it fail" }),
                json!({ "type": "task", "op": "ask", "text": "explain how quuxes are frobnicated in this project" }),
            ];
            for (number, mut message) in messages.into_iter().enumerate() {
                // A shell that never ran it can only mention it by sending it itself.
                if session == "other" && message.to_string().contains("sesamehost") {
                    continue;
                }
                for (name, value) in [("session_id", session), ("cwd", &here), ("shell", "zsh")] {
                    message[name] = json!(value);
                }
                message["wait"] = json!(true);
                message["request_id"] = json!(number + 1);
                home.wire().json(message);
            }
        }
        tasks_rest(&home);
    };
    asks_all();
    let all = told(&model);
    assert!(!all.contains("sesame"), "{all}");
    assert!(all.contains("openhost"), "what ran in the open is told, or this shows nothing");
    home.aside_does(&["daemon", "stop"]);
    home.aside_does(&["daemon", "start"]);
    asks_all();
    assert!(!told(&model).contains("sesame"), "after a restart");
    // Locally it is still offered.
    let complete = json!({ "type": "complete", "request_id": 1, "session_id": "x", "cwd": here, "left": "frobnicate se", "shell": "zsh", "wait": true, "private": true });
    assert!(home.wire().json(complete).to_string().contains("frobnicate sesamehost"));
}

#[test]
fn privacy_private_a_line_that_ends_it_is_still_private() {
    for (shell, line) in [
        (Scene::zsh(), "echo privandback1; aside-private"),
        (Scene::bash(), "echo privandback1; unset ASIDE_PRIVATE"),
        (Scene::fish(), "echo privandback1; set -e ASIDE_PRIVATE"),
    ] {
        let model = Model::start();
        model.always(ScriptedReply::chat("ls --frobnicated"));
        let url = model.base_url();
        let llm = format!("provider = 'openai'\nbase_url = '{url}'\nmodel = 'scripted'\n");
        let mut scene = shell.config(&format!("[llm]\n{llm}")).env("ASIDE_PRIVATE", "1").start();
        scene.runs(line);
        scene.runs("echo openly2");
        recorded(&scene.home, 2);
        scene.runs("aside translate frobnicate the snorf");
        scene.runs("aside answer why is the quux of this frobnicated so slowly");
        let all = told(&model);
        assert!(all.contains("openly2"), "what ran in the open is told, or this shows nothing: {all}");
        assert!(!all.contains("privandback1"), "{line}: {all}");
    }
}

#[test]
fn privacy_private_what_waits_when_a_shell_becomes_private_is_given_up() {
    let (model, home, _watcher) = desk();
    let config = home.read(".config/aside/config.toml");
    let config = config.replace("nl_debounce_ms = 0", "nl_debounce_ms = 1500");
    let config = config.replace("delay_ms = 0", "delay_ms = 1500").replace("short_ms = 0", "short_ms = 1500");
    home.write(".config/aside/config.toml", config);
    home.aside_does(&["daemon", "stop"]);
    home.aside_does(&["daemon", "start"]);
    let here = home.path("").display().to_string();
    let line = |kind: &str, session: &str| json!({ "type": kind, "request_id": 5, "session_id": session, "cwd": here, "shell": "zsh", "left": "frobnicate --qu", "query": "frobnicate the quux" });
    let mut wires = Vec::new();
    for kind in ["complete", "translate"] {
        // The shell announces it on another connection, or on the same one without a session id.
        let mut wire = home.wire();
        wire.sends_json(line(kind, "s"));
        wires.push(wire);
        home.wire().json(hello("s", &json!(true)));
        home.wire().json(hello("s", &json!(false)));
        home.wire().json(hello("s", &json!(true)));
        let mut wire = home.wire();
        wire.sends_json(line(kind, ""));
        wire.sends_json(hello("", &json!(true)));
        wires.push(wire);
    }
    std::thread::sleep(std::time::Duration::from_millis(3000));
    assert_eq!(model.connections(), 0, "{}", told(&model));
    let mut wire = home.wire();
    wire.sends_json(line("translate", "open"));
    model.wait_for_requests(1);
}

#[test]
fn privacy_private_whatever_is_not_a_no_is_private() {
    let (model, home, _watcher) = desk();
    let here = home.path("").display().to_string();
    let long = "long".repeat(200);
    let asks = |session: &str, private: Option<Value>| {
        for message in [
            json!({ "type": "complete", "left": "frobnicate --qu" }),
            json!({ "type": "translate", "query": "frobnicate the quux", "now": true }),
            json!({ "type": "explain", "command": "frobnicate --quux 7" }),
            json!({ "type": "ask", "query": "why is the quux of this frobnicated so slowly", "number": 7 }),
            json!({ "type": "suggest", "command": "frobnicate quux", "exit_status": 3, "seq": 12 }),
        ] {
            let mut message = message;
            for (name, value) in [("session_id", session), ("cwd", &here), ("shell", "zsh")] {
                message[name] = json!(value);
            }
            (message["wait"], message["request_id"]) = (json!(true), json!(9));
            if let Some(private) = &private {
                message["private"] = private.clone();
            }
            let answer = home.wire().json(message.clone());
            assert_ne!(answer["type"], "error", "{message}: {answer}");
        }
    };
    for (number, word) in ["1", "true", "yes", "on", "2", "ja"].into_iter().enumerate() {
        let session = format!("r{number}");
        let fields = ["1", "hello", "1", "", "zsh", "", &session, "7", "", "", word];
        assert_eq!(home.wire().record(&fields)[1], "hello");
        asks(&session, None);
    }
    for (number, word) in [json!("yes"), json!(1), json!("on"), json!([])].into_iter().enumerate() {
        let session = format!("j{number}");
        assert_eq!(home.wire().json(hello(&session, &word))["type"], "hello");
        asks(&session, None);
        asks("m", Some(word));
    }
    home.wire().json(hello(&long, &json!(true)));
    asks(&long, None);
    // More shells than the daemon remembers.
    home.wire().json(hello("first", &json!(true)));
    for number in 0..300 {
        home.wire().json(hello(&format!("crowd{number}"), &json!(number % 2 == 0)));
    }
    asks("first", None);
    assert_eq!(model.connections(), 0, "{}", told(&model));
    home.wire().json(hello("no", &json!("off")));
    asks("no", None);
    assert!(!model.requests().is_empty());
}

/// Lines that were taken for prose, and what became of suggestions, would stay on disk with their texts.
#[test]
fn privacy_private_no_log_has_what_was_said() {
    let logs = ["reroutes.jsonl", "interactions.jsonl"].map(|name| format!(".local/state/aside/{name}"));
    let (_model, home, _watcher) = desk();
    for way in [Way::Message, Way::Connection, Way::Shell] {
        sends_all(&home, way);
    }
    // The logs are written in order, so that this one comes last.
    let asks = json!({ "type": "ask", "session_id": "open", "request_id": 1, "query": "what is in the open", "number": 1, "wait": true });
    home.wire().json(asks);
    let deadline = std::time::Instant::now() + crate::harness::patience();
    while !std::fs::read_to_string(home.path(&logs[0])).is_ok_and(|text| text.contains("in the open")) {
        assert!(std::time::Instant::now() < deadline, "an open shell's is not logged");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    for log in logs {
        let text = std::fs::read_to_string(home.path(&log)).unwrap_or_default();
        assert!(!text.contains("quux") && !text.contains("why is it so") && !text.contains("\"s\""), "{log}: {text}");
    }
}

/// fish remembers nothing in its private mode, and neither do we.
#[test]
fn privacy_private_fish_is_a_private_shell() {
    for (rc, is_logged) in [("", true), ("set -g fish_private_mode 1", false)] {
        let mut scene = Scene::fish().rc(rc).start();
        scene.home.aside_does(&["daemon", "start"]);
        scene.types("@ why is the quux so slow").sends("\r").shows("This needs a model").settles();
        let value = if is_logged { "\np=." } else { "\np=1." };
        scene.types("echo \"p=$ASIDE_PRIVATE.\"").sends("\r").shows(value);
        let file = scene.home.path(".local/state/aside/reroutes.jsonl");
        let log = || std::fs::read_to_string(&file).unwrap_or_default();
        if is_logged {
            let deadline = std::time::Instant::now() + crate::harness::patience();
            while !log().contains("quux") {
                assert!(std::time::Instant::now() < deadline, "nothing is logged");
                std::thread::sleep(std::time::Duration::from_millis(20));
            }
        }
        scene.settles().types("set -e fish_private_mode; echo \"q=$ASIDE_PRIVATE.\"").sends("\r").shows("\nq=.");
        assert_eq!(log().contains("quux"), is_logged);
    }
}
