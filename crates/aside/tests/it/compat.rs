//! The clients of ashlet and ghst at Aside's socket: their exchanges, transcribed by hand.

use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::home::Home;
use crate::harness::socket_client::SocketClient;
use crate::model::scripted_reply::ScriptedReply;
use crate::model::{Ending, Model};

/// A daemon whose history has these commands, oldest first. No other source knows `frob`.
fn home(commands: &[&str]) -> Home {
    let mut home = Home::new();
    home.write("bin/frob", "#!/bin/sh\n");
    home.set_env("PATH", &home.path("bin").display().to_string());
    home.aside_does(&["daemon", "start"]);
    for (seq, command) in commands.iter().enumerate() {
        let ended = json!({"type": "finished", "session_id": "s", "seq": seq, "cwd": "/home/ada", "command": command});
        assert_eq!(home.wire().json(ended)["type"], "ok");
    }
    home
}

/// As `print -r -- "$request" | socat -t10 - UNIX-CONNECT:…` does: sends one line, then waits until the daemon closes the connection.
#[track_caller]
fn socat(home: &Home, request: &str) -> String {
    let mut wire = home.wire();
    wire.raw(format!("{request}\n").as_bytes()).falls_silent();
    wire.ends()
}

/// As ghst does with `zsocket`: sends one line, keeps the connection open, reads one line.
#[track_caller]
fn zsocket(home: &Home, request: &str) -> String {
    home.wire().raw(format!("{request}\n").as_bytes()).reads_line()
}

#[test]
fn an_ashlet_client_gets_candidates() {
    let home = home(&["frob stop", "frob start"]);
    // Both strings end with the newline of the `print` that produced them.
    let request = r#"{"request_id":3,"input":"frob st\n","cursor_pos":7,"cwd":"/home/ada\n","session_id":"4242","max_candidates":1}"#;
    let said = socat(&home, request);
    let sure = serde_json::from_str::<Value>(&said).unwrap()["candidates"][0]["confidence"].as_f64().unwrap();
    assert!(sure > 0.0 && sure < 1.0, "{said}");
    assert_eq!(
        said,
        format!("{{\"request_id\":3,\"candidates\":[{{\"completion\":\"frob start\",\"confidence\":{sure}}}]}}\n")
    );
    let more = request.replace("\"max_candidates\":1", "\"max_candidates\":4");
    assert!(socat(&home, &more).contains("\"frob stop\""));
    let none = request.replace("frob st", "nosuch ");
    assert_eq!(socat(&home, &none), "{\"request_id\":3,\"candidates\":[]}\n");
}

#[test]
fn an_ashlet_client_gets_corrections() {
    let home = home(&["frob start"]);
    let request = r#"{"request_id":3,"input":"frbo start\n","cursor_pos":10,"cwd":"/home/ada\n","session_id":"4242","max_candidates":4}"#;
    assert!(socat(&home, request).contains("\"completion\":\"frob start\""), "{}", socat(&home, request));
}

#[test]
fn an_ashlet_client_gets_no_letters_twice_within_a_word() {
    let home = home(&["frob start", "echo äöü start"]);
    for (input, cursor) in [("frob start", 7), ("frob sart", 6), ("echo äöü start", 11), ("echo äöü start", 6)] {
        let request = format!(
            r#"{{"request_id":1,"input":"{input}\n","cursor_pos":{cursor},"cwd":"/home/ada\n","session_id":"1","max_candidates":4}}"#
        );
        let said: Value = serde_json::from_str(&socat(&home, &request)).unwrap();
        for candidate in said["candidates"].as_array().unwrap() {
            let completion = candidate["completion"].as_str().unwrap();
            assert!(["frob start", "echo äöü start"].contains(&completion), "{input} {cursor}: {said}");
        }
    }
}

#[test]
fn an_ashlet_client_finds_us_at_its_own_path_through_a_link() {
    let home = home(&["frob start"]);
    let link = home.path("ashlet.sock");
    std::os::unix::fs::symlink(home.socket(), &link).unwrap();
    let mut wire = SocketClient::connect(&link);
    wire.raw(b"{\"request_id\":1,\"input\":\"frob st\\n\",\"cursor_pos\":7,\"cwd\":\"/\\n\"}\n").falls_silent();
    let said = wire.ends();
    assert!(said.contains("\"frob start\""), "{said}");
}

#[test]
fn an_ashlet_client_hears_that_a_model_is_missing() {
    let home = home(&[]);
    home.aside_does(&["config", "set", "llm.model", "qwen2.5-coder-0.5b"]);
    home.aside_does(&["config", "set", "llm.provider", "local"]);
    home.aside_does(&["daemon", "stop"]);
    home.aside_does(&["daemon", "start"]);
    let request = r#"{"request_id":3,"input":"nosuch thing \n","cursor_pos":13,"cwd":"/home/ada\n","session_id":"4242","max_candidates":4}"#;
    let said: Value = serde_json::from_str(&socat(&home, request)).unwrap();
    assert_eq!(said["candidates"], json!([]), "{said}");
    assert_eq!(said["error"]["code"], "model_not_found", "{said}");
    assert_eq!(said["error"]["models"][0]["name"], "qwen2.5-coder-0.5b", "{said}");
}

#[test]
fn an_ashlet_client_may_count_characters_or_bytes() {
    let home = home(&["echo äöü done"]);
    for cursor in [8, 11] {
        let request = format!(
            r#"{{"request_id":1,"input":"echo äöü\n","cursor_pos":{cursor},"cwd":"/\n","session_id":"1","max_candidates":4}}"#
        );
        assert!(socat(&home, &request).contains("\"completion\":\"echo äöü done\""), "{cursor}");
    }
}

#[test]
fn ashlets_other_messages_are_answered() {
    let home = home(&[]);
    assert_eq!(socat(&home, r#"{"type":"context","cwd":"/home/ada"}"#), "{\"ok\":true}\n");
    // The client prints "daemon reloaded" for any reply.
    assert_eq!(socat(&home, r#"{"action":"reload"}"#), "{}\n");
    assert!(socat(&home, r#"{"action":"get"}"#).contains("aside config"));
}

const GHST: &str = r#"{"type": "complete", "request_id": "ac-30121", "buffer": "frob st", "cursor_pos": 7, "cwd": "/home/ada", "shell": "zsh", "history": ["ls", "cd src"], "exit_status": 0}"#;

#[test]
fn a_ghst_client_gets_what_goes_behind_the_line() {
    let home = home(&["frob start"]);
    assert_eq!(zsocket(&home, GHST), r#"{"type": "complete", "request_id": "ac-30121", "suggestion": "art"}"#);
    assert_eq!(
        zsocket(&home, &GHST.replace("frob st", "nosuch ")),
        r#"{"type": "complete", "request_id": "ac-30121", "suggestion": ""}"#
    );
}

#[test]
fn a_ghst_client_asks_what_comes_next() {
    let home = home(&[]);
    home.write("bin/copilot", "#!/bin/sh\n");
    let request = r#"{"type": "complete", "request_id": "pro-xyz789", "buffer": "", "cursor_pos": 0, "cwd": "/home/ada", "shell": "zsh", "history": ["copilot"], "exit_status": 0, "last_command": "copilot", "last_output": "...\nResume this session with copilot --resume=64a11e60-0fe6-4517-9e1b-3675ac2cccf2"}"#;
    let suggestion = "copilot --resume=64a11e60-0fe6-4517-9e1b-3675ac2cccf2";
    let answer = format!(r#"{{"type": "complete", "request_id": "pro-xyz789", "suggestion": "{suggestion}"}}"#);
    for _ in 0..2 {
        assert_eq!(zsocket(&home, request), answer);
    }
    let routine =
        request.replace("Resume this session with copilot --resume=64a11e60-0fe6-4517-9e1b-3675ac2cccf2", "bye");
    assert!(zsocket(&home, &routine).ends_with("\"suggestion\": \"\"}"));
}

#[test]
fn a_ghst_client_may_lose_its_backslashes() {
    let home = home(&[r#"grep "a" file"#]);
    let request = GHST.replace("frob st", r#"grep "a""#).replace("\"cursor_pos\": 7", "\"cursor_pos\": 8");
    let request = request.replace("\"ls\"", r#""echo "hi" \.""#);
    assert!(zsocket(&home, &request).ends_with("\"suggestion\": \" file\"}"));
}

#[test]
fn ghsts_other_messages_are_answered() {
    let home = home(&[]);
    let search = r#"{"type":"history_search","query":"push","history":["git push","ls"],"shell":"zsh"}"#;
    assert_eq!(socat(&home, search), "{\"type\": \"history_search\", \"results\": [\"git push\"]}\n");
    let wish = r#"{"type":"nl","prompt":"frobnicate the quux","buffer":"","cwd":"/","shell":"zsh","history":[]}"#;
    assert_eq!(socat(&home, wish), "{\"type\": \"nl\", \"command\": \"\"}\n");
    // The program did not exist a moment ago; a command that ends invalidates the cache.
    home.write("bin/git", "#!/bin/sh\n");
    home.wire().json(json!({"type": "finished", "cwd": "/", "command": "frob"}));
    let known = wish.replace("frobnicate the quux", "show the last 5 commits as one-liners");
    assert!(socat(&home, &known).starts_with("{\"type\": \"nl\", \"command\": \"git log --oneline "));
}

#[test]
fn a_client_that_reads_one_answer_gets_the_models_when_there_is_no_other() {
    let model = Model::start();
    let home = home(&["frob start"]);
    home.aside_does(&["config", "set", "llm.base_url", &model.base_url()]);
    home.aside_does(&["config", "set", "complete.model_delay_ms", "0"]);
    home.aside_does(&["config", "set", "llm.provider", "openai"]);
    home.aside_does(&["daemon", "stop"]);
    home.aside_does(&["daemon", "start"]);
    model.next(ScriptedReply::streams(["frob go", " away"]).pace(Duration::from_millis(20)));
    assert!(zsocket(&home, &GHST.replace("frob st", "frob go")).ends_with("\"suggestion\": \" away\"}"));
    assert!(zsocket(&home, GHST).ends_with("\"suggestion\": \"art\"}"));
    // A shell that has typed on sends a new request, which cancels the first.
    model.next(ScriptedReply::hangs()).next(ScriptedReply::chat("frob fetch all"));
    let request =
        r#"{"request_id":7,"input":"frob f\n","cursor_pos":6,"cwd":"/home/ada\n","session_id":"1","max_candidates":4}"#;
    let mut first = home.wire();
    first.raw(format!("{request}\n").as_bytes()).falls_silent();
    model.wait_for_requests(2);
    let second = socat(&home, &request.replace("frob f", "frob fe").replace("\"cursor_pos\":6", "\"cursor_pos\":7"));
    assert!(second.contains("\"frob fetch all\""), "{second}");
    assert_eq!(model.wait_for_ending(1), Ending::ClientLeft);
    assert_eq!(first.ends(), "{\"request_id\":7,\"candidates\":[]}\n");
}

#[test]
fn our_own_clients_share_the_socket() {
    let home = home(&["frob start"]);
    let (mut records, mut json) = (home.wire(), home.wire());
    let said = zsocket(&home, GHST);
    assert!(said.ends_with("\"suggestion\": \"art\"}"), "{said}");
    let record = records.record(&["7", "complete", "s", "/home/ada", "frob st", ""]);
    assert_eq!(record[..2], ["7", "complete"]);
    let request = json!({"type": "complete", "request_id": 7, "cwd": "/home/ada", "left": "frob st", "right": ""});
    assert_eq!(json.json(request)["candidates"][0]["completion"], "frob start");
}
