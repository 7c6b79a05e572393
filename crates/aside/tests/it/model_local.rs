//! The local model server that the daemon supervises: started on the first request, stopped when idle, and never waited for at a prompt.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};
use serde_json::{Value, json};

use crate::harness::home::Home;
use crate::harness::patience;
use crate::model::Model;
use crate::model::fake_llama_server::{FakeLlamaServer, settings};
use crate::model::fixture::{ModelFixture, NONE, bare_home};

fn desk(more: &str) -> (ModelFixture, FakeLlamaServer) {
    let home = bare_home();
    let settings = settings(&home, more);
    set(home, &settings)
}

fn set(home: Home, settings: &str) -> (ModelFixture, FakeLlamaServer) {
    let stand_in = FakeLlamaServer::install(&home);
    // A program that the embedded engine knows.
    home.write("bin/ls", "#!/bin/sh\n");
    (ModelFixture::set(Model::start(), home, settings), stand_in)
}

fn told(answer: &Value) -> String {
    format!("{} {}", answer["source"].as_str().unwrap_or_default(), answer["text"].as_str().unwrap_or_default())
        .trim()
        .to_owned()
}

#[track_caller]
fn assert_note(answer: &Value, part: &str) {
    assert!(answer["note"].as_str().unwrap_or_default().contains(part), "no {part:?} in {answer}");
}

/// Retries until the reply is the expected one.
#[track_caller]
fn wishes_until(desk: &ModelFixture, words: &str, expected: &str) {
    let deadline = Instant::now() + patience();
    loop {
        let answer = desk.wishes(words);
        if told(&answer) == expected {
            return;
        }
        assert!(Instant::now() < deadline, "{answer}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn daemon(desk: &ModelFixture) -> Pid {
    let status = desk.home.wire().json(json!({"type": "status"}));
    Pid::from_raw(status["pid"].as_i64().unwrap() as i32).unwrap()
}

#[test]
fn it_is_started_when_somebody_asks_and_asked_again_while_it_runs() {
    let (desk, server) = desk("[llm.local]\narguments = ['--n-gpu-layers', '7']\n");
    assert_eq!(server.starts(), Vec::<String>::new(), "nobody has asked");
    assert_eq!(told(&desk.wishes("frobnicate the quux")), "llm frob status");
    assert_eq!(told(&desk.wishes("quux the frob")), "llm frob status");
    let starts = server.starts();
    assert_eq!(starts.len(), 1, "{starts:?}");
    assert!(starts[0].contains("--host 127.0.0.1 --port ") && starts[0].contains("--threads 1 "), "{}", starts[0]);
    assert!(starts[0].ends_with("--parallel 1 --n-gpu-layers 7"), "{}", starts[0]);
    // The same server answers completion requests.
    let mut shell = desk.shell("a");
    assert_eq!(shell.types("frob"), NONE);
    assert_eq!(shell.is_told(), ["frob status  llm"]);
    assert_eq!(server.starts().len(), 1);
    assert!(server.asked()[2].starts_with("/v1/completions"), "{:?}", server.asked());
    // The journal has the request, and the key appears nowhere.
    let pid = starts[0].split(' ').next().unwrap();
    let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    let environment = String::from_utf8_lossy(&environment).into_owned();
    let key = environment.split('\0').find_map(|line| line.strip_prefix("LLAMA_API_KEY="));
    if let Some(key) = key {
        assert_eq!(key.len(), 48);
        assert!(!starts[0].contains(key));
        for file in ["privacy.jsonl", "model.log", "daemon.log"] {
            let text = std::fs::read_to_string(desk.home.path(".local/state/aside").join(file)).unwrap_or_default();
            assert!(!text.contains(key), "the key is in {file}");
        }
    }
    let address = desk.journal()[0]["address"].as_str().unwrap().to_owned();
    assert!(address.starts_with("http://127.0.0.1:"), "{address}");
    let report = desk.home.aside(&["doctor"]).stdout;
    assert!(report.contains("local at http://127.0.0.1:"), "{report}");
}

#[test]
fn it_is_stopped_when_nobody_asks_and_comes_back() {
    let (desk, server) = desk("[llm.local]\nidle_s = 1\n");
    assert_eq!(told(&desk.wishes("frobnicate the quux")), "llm frob status");
    server.wait_until_running(0);
    assert_eq!(desk.servers(), ["local well"]);
    assert_eq!(told(&desk.wishes("quux the frob")), "llm frob status");
    assert_eq!(server.starts().len(), 2);
    assert_eq!(desk.notices(), Vec::<String>::new(), "that is no trouble");
}

#[test]
fn it_ends_with_the_daemon_however_that_ends() {
    let (desk, server) = desk("");
    desk.wishes("frobnicate the quux");
    server.wait_until_running(1);
    desk.home.aside_does(&["daemon", "stop"]);
    server.wait_until_running(0);
    desk.home.aside_does(&["daemon", "start"]);
    desk.wishes("frobnicate the quux");
    server.wait_until_running(1);
    // Only Linux can tie its lifetime to a daemon that is killed.
    if cfg!(target_os = "linux") {
        rustix::process::kill_process(daemon(&desk), Signal::KILL).unwrap();
        server.wait_until_running(0);
    }
}

#[test]
fn it_ends_when_the_settings_name_another() {
    let (desk, server) = desk("");
    desk.wishes("frobnicate the quux");
    server.wait_until_running(1);
    desk.home.aside_does(&["config", "set", "llm.local.threads", "2"]);
    server.wait_until_running(0);
    assert_eq!(told(&desk.wishes("quux the frob")), "llm frob status");
    assert!(server.starts()[1].contains("--threads 2 "), "{:?}", server.starts());
}

#[test]
fn one_that_dies_is_started_again_for_the_same_wish() {
    let (desk, server) = desk("");
    server.does("die-once");
    let answer = desk.wishes("frobnicate the quux");
    assert_eq!(told(&answer), "llm frob status", "{answer} {:?} {:?}", server.starts(), desk.journal());
    assert_eq!(server.starts().len(), 2);
}

#[test]
fn one_that_dies_and_dies_is_left_alone() {
    let (desk, server) = desk("");
    server.does("die");
    for words in ["frobnicate the quux", "quux the zork", "zork the quux", "quux the quux", "zork the zork"] {
        let answer = desk.wishes(words);
        assert_eq!(told(&answer), "", "{answer}");
    }
    assert_eq!(server.starts().len(), 3, "{:?}", server.starts());
    let report = desk.home.aside(&["doctor"]).stdout;
    assert!(report.contains("model.log"), "{report}");
    assert!(desk.home.read(".local/state/aside/model.log").contains("out of memory"));
}

#[test]
fn nobody_waits_while_it_starts() {
    let (desk, server) = desk("timeout_wish_first_ms = 300\n");
    server.does("slow");
    // A completion request gets no notice at all.
    assert_eq!(desk.completes("frob st"), NONE);
    server.wait_until_running(1);
    let mut wire = desk.home.wire();
    wire.sends_json(json!({"type": "translate", "request_id": 1, "session_id": "a", "query": "frobnicate the quux",
        "cwd": desk.cwd(), "now": true}));
    let first = wire.reads_json();
    assert_eq!(first["state"], "thinking", "{first}");
    let last = loop {
        let said = wire.reads_json();
        if said["state"] == "done" {
            break said;
        }
    };
    assert_note(&last, "still starting");
    assert_eq!(desk.notices(), Vec::<String>::new(), "that is no trouble");
    server.stops_to("slow");
    wishes_until(&desk, "frobnicate the quux", "llm frob status");
    assert_eq!(server.starts().len(), 1);
}

#[test]
fn a_model_that_cannot_be_read_is_told_by_the_doctor() {
    let (desk, server) = desk("");
    server.does("refuse");
    let answer = desk.wishes("frobnicate the quux");
    assert_note(&answer, "its server ended");
    assert_note(&answer, "invalid magic");
    let report = desk.home.aside(&["doctor"]).stdout;
    assert!(report.contains("invalid magic"), "{report}");
}

#[test]
fn nothing_is_asked_of_a_stranger_at_its_port() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let heard = Arc::new(Mutex::new(Vec::new()));
    let stranger = Arc::clone(&heard);
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let mut bytes = [0; 4096];
            let count = stream.read(&mut bytes).unwrap_or(0);
            stranger.lock().unwrap().push(String::from_utf8_lossy(&bytes[..count]).into_owned());
            _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}");
        }
    });
    let (desk, server) = desk(&format!("[llm.local]\nport = {port}\n"));
    let answer = desk.wishes("frobnicate the quux");
    assert_eq!(told(&answer), "");
    let note = answer["note"].as_str().unwrap();
    assert!(note.contains("another program answers there") || note.contains("couldn't bind"), "{note}");
    let heard = heard.lock().unwrap().clone();
    assert!(heard.iter().all(|asked| asked.starts_with("GET /health") || asked.starts_with("GET /props")), "{heard:?}");
    assert_eq!(server.asked(), Vec::<String>::new());
}

#[test]
fn a_model_that_is_not_here_is_offered_once() {
    let (desk, server) = set(bare_home(), "[llm]\nprovider = 'local'\nmodel = 'qwen2.5-coder-0.5b'\n");
    let wish = |session: &str| {
        let answer = desk.wishes_with(json!({"query": "list all files", "session_id": session}));
        assert_eq!(answer["source"], "embedded", "{answer}");
        answer["note"].as_str().unwrap().to_owned()
    };
    assert_eq!(
        wish("a"),
        "the model qwen2.5-coder-0.5b is not here; get it (428 MB) with: aside model pull qwen2.5-coder-0.5b; \
         from the embedded engine"
    );
    assert!(wish("b").contains("aside model pull"));
    let again = wish("b");
    assert!(again.contains("is not here") && !again.contains("aside model pull"), "{again}");
    let report = desk.home.aside(&["doctor"]);
    assert!(report.stdout.contains("get it (428 MB) with: aside model pull qwen2.5-coder-0.5b"), "{}", report.stdout);
    assert_eq!(report.code, 1);
    assert_eq!(server.starts(), Vec::<String>::new());
    // As soon as the model is installed, it answers.
    desk.home.write("x.gguf", "GGUF\x03");
    desk.home.aside_does(&["model", "pull", "x.gguf", "--name", "qwen2.5-coder-0.5b"]);
    wishes_until(&desk, "frobnicate the quux", "llm frob status");
}

#[test]
fn without_a_program_the_embedded_engine_answers() {
    let (desk, _server) = desk("");
    std::fs::remove_file(desk.home.path("bin/llama-server")).unwrap();
    let wish = || desk.wishes_with(json!({"query": "list all files", "session_id": "a"}));
    let answer = wish();
    assert_eq!(answer["source"], "embedded", "{answer}");
    assert_note(&answer, "install llama.cpp");
    assert!(!wish()["note"].as_str().unwrap().contains("install"), "once is enough");
    let report = desk.home.aside(&["doctor"]).stdout;
    assert!(report.contains("llama-server is not on PATH"), "{report}");
}
