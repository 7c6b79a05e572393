//! Texts that are long, and made to be slow to read: in requests, and in what a command prints. Every other request is answered meanwhile.

use serde_json::{Value, json};

use crate::harness::home::Home;
use crate::harness::socket_client::SocketClient;
use crate::harness::tasks::TaskClient;

/// Bytes that fit in one message.
const IN_A_MESSAGE: usize = 60 * 1024;
/// Bytes of a file.
const IN_A_FILE: usize = 512 * 1024;

/// Lines without an end, of what a reader may look at again from each place.
fn hostile(length: usize) -> Vec<String> {
    let pieces =
        ["token=", "a:b@", "-----BEGIN ", "\"'", "((", "password is ", "x/", "$(", "how do i ", "0123456789abcdef"];
    pieces.map(|piece| piece.repeat(length / piece.len())).to_vec()
}

fn messages(text: &str) -> Vec<Value> {
    let message = |kind: &str, fields: Value| {
        let mut message =
            json!({ "type": kind, "request_id": 7, "session_id": "s", "cwd": "/", "shell": "zsh", "wait": true });
        message.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        message
    };
    // Half of it, where a request is refused above that.
    let line = &text[..text.len() / 2];
    vec![
        message("complete", json!({ "left": line })),
        message("detect", json!({ "line": "make", "phase": "after", "exit_status": 2, "output": text })),
        message("detect", json!({ "line": line, "phase": "before" })),
        message("explain", json!({ "command": line })),
        message("ask", json!({ "query": line, "number": 1 })),
        message("suggest", json!({ "command": "make", "exit_status": 2, "seq": 1, "output": text })),
        message("finished", json!({ "seq": 2, "command": text, "exit_status": 1 })),
        message("recall", json!({})),
        message("task", json!({ "op": "ask", "text": text })),
    ]
}

/// Another shell is served.
#[track_caller]
fn is_well(home: &Home, during: &str) {
    assert_eq!(home.wire().json(json!({ "type": "status", "request_id": 1 }))["type"], "status", "{during}");
    let typed =
        json!({ "type": "complete", "request_id": 2, "session_id": "o", "cwd": "/", "left": "ls", "shell": "zsh" });
    assert_eq!(home.wire().json(typed)["type"], "complete", "{during}");
}

#[test]
fn a_request_with_a_long_text_holds_no_other_up() {
    let home = Home::new();
    home.aside_does(&["daemon", "start"]);
    let mut wires: Vec<SocketClient> = Vec::new();
    for text in hostile(IN_A_MESSAGE) {
        for message in messages(&text) {
            let mut wire = home.wire();
            wire.sends_json(message.clone());
            wires.push(wire);
            is_well(&home, &format!("{} with {}…", message["type"], &text[..11]));
        }
    }
    // Every one of them is answered, be it with nothing.
    for wire in &mut wires {
        assert_eq!(wire.reads_json()["request_id"], 7);
    }
}

#[test]
fn a_command_that_prints_a_long_text_holds_nothing_up_and_can_be_stopped() {
    let home = Home::new();
    for (number, text) in hostile(IN_A_FILE).into_iter().enumerate() {
        home.write(&format!("project/{number}.txt"), text);
    }
    home.write("project/show.sh", "cat $1.txt; sleep 1000\n");
    home.aside_does(&["daemon", "start"]);
    let mut ada = TaskClient::at(&home, &home.path("project"));
    for number in 0..3 {
        let task = ada.asks(&format!("run `sh show.sh {number}`"));
        assert_eq!(ada.rests(&task)["state"], "WAITING_APPROVAL");
        let shown = ada.sees(&task);
        ada.approves(&shown);
        for _ in 0..20 {
            is_well(&home, "while it prints");
        }
        ada.says("cancel", json!({ "taskId": task }));
        assert_eq!(ada.hears_until(&task, &["COMPLETED", "FAILED"]).last().unwrap()["state"], "FAILED");
    }
}
