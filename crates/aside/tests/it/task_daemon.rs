//! Tasks at the daemon's socket: a request becomes a proposal, an approved proposal is carried out once, and its events can be replayed.

use serde_json::json;

use crate::harness::home::Home;
use crate::harness::tasks::TaskClient;

fn home() -> Home {
    set_up("")
}

fn set_up(config: &str) -> Home {
    let home = Home::new();
    home.write(".config/aside/config.toml", config);
    home.write("project/.git/HEAD", "ref: refs/heads/main\n");
    // A request's text after a command is ignored, so commands with several steps are scripts.
    home.write("project/make.sh", "touch made; echo done\n");
    home.write("project/two.sh", "echo one; echo two\n");
    home.write("project/long.sh", "echo begun; exec sleep 1000\n");
    home.aside_does(&["daemon", "start"]);
    home
}

fn person(home: &Home) -> TaskClient {
    TaskClient::at(home, &home.path("project"))
}

#[test]
fn a_command_runs_once_it_is_approved_and_not_before() {
    let home = home();
    let mut ada = person(&home);
    let task = ada.asks("run `sh make.sh`");
    assert_eq!(ada.rests(&task)["state"], "WAITING_APPROVAL");
    let shown = ada.sees(&task);
    assert_eq!(shown.row("command"), ["sh make.sh"]);
    assert!(!home.path("project/made").exists());
    assert_eq!(ada.approves(&shown)["type"], "task");
    let events = ada.hears_until(&task, &["COMPLETED", "FAILED"]);
    assert_eq!(events.last().unwrap()["state"], "COMPLETED", "{events:#?}");
    let output: String = events.iter().filter_map(|event| event["chunk"].as_str()).collect();
    assert_eq!(output, "done\n");
    assert!(home.path("project/made").exists());
    // It cannot be approved twice.
    let again = ada.approves(&shown);
    assert_eq!(again["error"]["code"], "refused", "{again}");
}

#[test]
fn where_a_confined_command_may_write_is_shown_by_name() {
    let home = set_up("[task]\nconfine = 'workspace'\n");
    let mut ada = person(&home);
    let task = ada.asks("run `sh make.sh`");
    ada.rests(&task);
    let shown = ada.sees(&task);
    assert_eq!(shown.row("writes"), ["in the workspace only: ~/project"]);
    let mut edit = shown.answer("a test");
    edit["text"] = json!("sh make.sh");
    edit["confine"] = json!("no");
    ada.says("edit", edit);
    assert_eq!(ada.sees(&task).row("writes"), ["anywhere: not confined, it can do all that you can"]);
}

#[test]
fn what_shells_say_counts_while_a_command_runs() {
    let home = home();
    let mut ada = person(&home);
    let task = ada.asks("run `sh long.sh`");
    ada.rests(&task);
    let shown = ada.sees(&task);
    ada.approves(&shown);
    while ada.hears()["chunk"] != "begun\n" {}
    let mut wire = home.wire();
    let mut asks = |message| wire.json(message);
    assert_eq!(asks(json!({ "type": "hello", "protocol": 1, "shell": "zsh", "session_id": "s" }))["type"], "hello");
    let names = json!({ "type": "names", "session_id": "s", "kind": "alias", "part": 0, "names": "ll=ls -l" });
    assert_eq!(asks(names)["type"], "ok");
    // For a shell without its own connection.
    let fields = ["1", "finished", "s", "1", "/", "0", "0", "0", "bash", "frobnicate --all"];
    let said = home.aside_reads(&["call"], &fields.map(|field| format!("{field}\0")).concat());
    assert_eq!((said.code, said.stdout.as_str()), (0, "1\tok\n"), "{}", said.stderr);
    let capture = json!({ "type": "capture", "session_id": "s", "mark": "5f1c9a2be07d4413", "tty": "/dev/pts/0" });
    assert_eq!(asks(capture)["type"], "capture");
    let status = asks(json!({ "type": "status" }));
    assert_eq!((&status["sessions"][0]["aliases"], &status["history"]["records"]), (&json!(1), &json!(1)), "{status}");
    ada.says("cancel", json!({ "taskId": task }));
    ada.ends(&task);
}

#[test]
fn every_event_is_told_again_from_any_number() {
    let home = home();
    let mut ada = person(&home);
    let task = ada.asks("run `sh two.sh`");
    ada.rests(&task);
    let shown = ada.sees(&task);
    ada.approves(&shown);
    ada.ends(&task);
    let log = home.read(&format!(".local/state/aside/tasks/{task}.jsonl"));
    let lines: Vec<serde_json::Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for from in [0, 1, lines.len() / 2, lines.len() - 1] {
        let mut late = person(&home);
        late.watches(&task, from as u64);
        let heard: Vec<_> = lines[from..].iter().map(|_| late.hears()).collect();
        assert_eq!(heard, lines[from..], "{from}");
    }
}

#[test]
fn what_waits_waits_for_the_next_daemon_under_another_digest() {
    let home = home();
    let mut ada = person(&home);
    let task = ada.asks("run `echo hello`");
    ada.rests(&task);
    let before = ada.sees(&task);
    home.aside_does(&["daemon", "stop"]);
    home.aside_does(&["daemon", "start"]);
    let mut ada = person(&home);
    let after = ada.sees(&task);
    assert_eq!((before.step, &before.rows), (after.step, &after.rows));
    assert_ne!(before.digest, after.digest);
    let stale = ada.approves(&before);
    assert_eq!(stale["error"]["code"], "refused", "{stale}");
    ada.watches(&task, 0);
    ada.approves(&after);
    assert_eq!(ada.ends(&task)["state"], "COMPLETED");
}

#[test]
fn an_edit_is_a_new_proposal() {
    let home = home();
    let mut ada = person(&home);
    let task = ada.asks("run `echo one`");
    ada.rests(&task);
    let first = ada.sees(&task);
    let mut edit = first.answer("a test");
    edit["text"] = json!("echo two");
    let edited = ada.says("edit", edit);
    assert_eq!(edited["offer"]["text"], "echo two", "{edited}");
    let stale = ada.approves(&first);
    assert_eq!(stale["error"]["code"], "refused", "{stale}");
    let second = ada.sees(&task);
    assert_eq!(second.step, first.step + 1);
    ada.approves(&second);
    let events = ada.hears_until(&task, &["COMPLETED"]);
    let output: String = events.iter().filter_map(|event| event["chunk"].as_str()).collect();
    assert_eq!(output, "two\n");
}

#[test]
fn what_runs_can_be_stopped_and_what_failed_can_be_tried_again() {
    let home = home();
    let mut ada = person(&home);
    let task = ada.asks("run `sh long.sh`");
    ada.rests(&task);
    let shown = ada.sees(&task);
    ada.approves(&shown);
    while ada.hears()["chunk"] != "begun\n" {}
    ada.says("cancel", json!({ "taskId": task }));
    assert_eq!(ada.ends(&task)["state"], "FAILED");
    let retried = ada.says("retry", json!({ "taskId": task }));
    assert_eq!(retried["type"], "task", "{retried}");
    assert_eq!(ada.rests(&task)["state"], "WAITING_APPROVAL");
    let shown = ada.sees(&task);
    let rejected = ada.rejects(&shown);
    assert_eq!(rejected["tasks"][0]["state"], "REJECTED", "{rejected}");
}

#[test]
fn who_follows_hears_of_every_move() {
    let home = home();
    let mut ada = person(&home);
    let mut bob = home.wire();
    let first = bob.json(json!({ "type": "task", "request_id": 7, "op": "follow" }));
    assert_eq!(first["tasks"], json!([]));
    let task = ada.asks("run `echo hello`");
    ada.rests(&task);
    loop {
        let told = bob.reads_json();
        assert_eq!(told["request_id"], 7);
        if told["tasks"][0]["state"] == "WAITING_APPROVAL" {
            assert_eq!(told["tasks"][0]["taskId"], task.as_str());
            break;
        }
    }
}

#[test]
fn somebody_from_afar_can_ask_and_never_approve() {
    let home = home();
    let mut ada = person(&home);
    let cwd = home.path("project").to_str().unwrap().to_owned();
    let asked =
        ada.says("ask", json!({ "text": "@dev run `echo hi`", "cwd": cwd, "source": "wecom", "fromUser": "eve" }));
    let task = asked["tasks"][0]["taskId"].as_str().unwrap().to_owned();
    ada.watches(&task, 0);
    assert_eq!(ada.rests(&task)["state"], "WAITING_APPROVAL");
    let shown = ada.sees(&task);
    for op in ["approve", "reject", "edit"] {
        let mut answer = shown.answer("eve");
        answer["source"] = json!("wecom");
        answer["text"] = json!("echo other");
        let refused = ada.says(op, answer);
        assert_eq!(refused["error"]["code"], "refused", "{op}: {refused}");
    }
    ada.approves(&shown);
    assert_eq!(ada.ends(&task)["state"], "COMPLETED");
}

#[test]
fn settings_turn_tasks_and_acts_off() {
    let home = set_up("[task]\nallow_run_terminal = false\n");
    let mut ada = person(&home);
    let task = ada.asks("run `echo hi`");
    if ada.rests(&task)["state"] == "WAITING_APPROVAL" {
        let shown = ada.sees(&task);
        assert_eq!(ada.approves(&shown)["error"]["code"], "refused");
    }
    home.write(".config/aside/config.toml", "[task]\nenabled = false\n");
    let cwd = home.path("project").to_str().unwrap().to_owned();
    let deadline = std::time::Instant::now() + crate::harness::patience();
    loop {
        let answer = ada.says("ask", json!({ "text": "help", "cwd": cwd }));
        if answer["error"]["code"] == "refused" {
            break;
        }
        assert!(std::time::Instant::now() < deadline, "{answer}");
    }
}

#[test]
fn a_bad_question_gets_a_sentence() {
    let home = home();
    let mut ada = person(&home);
    let unknown = ada.says("show", json!({ "taskId": "tzzzzzz" }));
    assert_eq!(unknown["error"]["code"], "not_found");
    let empty = ada.says("ask", json!({ "text": " ", "cwd": "/" }));
    assert_eq!(empty["error"]["code"], "refused");
    let nowhere = ada.says("ask", json!({ "text": "run the tests", "cwd": "/nonexistent" }));
    assert_eq!(nowhere["error"]["code"], "refused");
    let nobody = ada.says("ask", json!({ "text": "run the tests", "cwd": "/", "source": "root" }));
    assert_eq!(nobody["error"]["code"], "refused");
}
