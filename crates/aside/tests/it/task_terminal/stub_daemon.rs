//! A stub daemon with a single task: it reports what the test wants and records every message. It carries nothing out.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::harness::home::Home;
use crate::harness::patience;

#[derive(Clone, Default)]
pub struct StubDaemon(Arc<Mutex<Inner>>);

#[derive(Default)]
struct Inner {
    said: Vec<Value>,
    events: Vec<Value>,
    state: String,
    offer: Option<Value>,
    refusals: HashMap<String, String>,
    watchers: Vec<(UnixStream, Value)>,
}

pub fn command_offer(command: &str, step: u32) -> Value {
    json!({
        "taskId": "tabc", "step": step, "digest": format!("d{step}"), "action": "run_command", "text": command, "confine": "no",
        "rows": [
            { "label": "command", "text": command },
            { "label": "in", "text": "/w" },
            { "label": "because", "text": "the Makefile has it" },
            { "label": "danger", "text": "it may write" },
            { "label": "rule", "text": "asks: no rule knows it" },
        ],
    })
}

/// A new file with this many lines, and one with wide letters.
pub fn diff_offer(lines: usize, step: u32) -> Value {
    let added: String = (0..lines).map(|line| format!("+line {line}\n")).collect();
    let count = lines + 1;
    json!({
        "taskId": "tabc", "step": step, "digest": format!("d{step}"), "action": "apply_diff", "confine": "no",
        "text": format!("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -0,0 +1,{count} @@\n+日本\n{added}"),
        "rows": [
            { "label": "file", "text": format!("M x +{lines} -0") },
            { "label": "because", "text": "it was asked for" },
            { "label": "rule", "text": "asks: a change is always asked about" },
        ],
    })
}

impl StubDaemon {
    pub fn listens(home: &Home) -> Self {
        let desk = Self::default();
        let listener = UnixListener::bind(home.socket()).unwrap();
        let serving = desk.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let desk = serving.clone();
                std::thread::spawn(move || desk.serves(&stream));
            }
        });
        let request = json!({ "source": "local_ui", "threadId": "t", "text": "run the tests" });
        desk.moves(json!({ "type": "task_state", "state": "RECEIVED", "request": request, "cause": "received" }));
        desk
    }

    fn serves(&self, stream: &UnixStream) {
        for line in BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok) {
            let said: Value = serde_json::from_str(&line).unwrap();
            let mut inner = self.lock();
            inner.said.push(said.clone());
            let op = said["op"].as_str().unwrap_or_default().to_owned();
            if let Some(why) = inner.refusals.get(&op) {
                let error = json!({ "code": "refused", "message": why });
                tell(stream, &said, json!({ "type": "error", "error": error }));
                continue;
            }
            let brief = json!({
                "taskId": "tabc", "threadId": "t", "state": inner.state, "seq": inner.events.len(), "text": "run the tests",
                "summary": "Run: the tests",
            });
            let mut reply = json!({ "type": "task", "tasks": [brief] });
            if op == "show" && inner.state == "WAITING_APPROVAL" {
                reply["offer"] = inner.offer.clone().unwrap_or_default();
            }
            tell(stream, &said, reply);
            if op == "watch" {
                let from = said["from"].as_u64().unwrap_or(0) as usize;
                for event in inner.events.iter().skip(from) {
                    tell(stream, &said, json!({ "type": "task_event", "event": event }));
                }
                inner.watchers.push((stream.try_clone().unwrap(), said));
            }
        }
    }

    /// Appends an event.
    pub fn moves(&self, mut event: Value) {
        let mut inner = self.lock();
        let rest = json!({
            "threadId": "t", "taskId": "tabc", "attempt": 1, "seq": inner.events.len() + 1, "at": 1, "v": 1,
        });
        for (name, value) in rest.as_object().unwrap() {
            event[name] = value.clone();
        }
        if let Some(state) = event["state"].as_str() {
            inner.state = state.to_owned();
        }
        inner.events.push(event.clone());
        for (to, watch) in &inner.watchers {
            tell(to, watch, json!({ "type": "task_event", "event": event }));
        }
    }

    pub fn thinks(&self) {
        let intent = json!({ "kind": "run", "confidence": 0.75, "summary": "Run: the tests" });
        self.moves(json!({ "type": "task_start", "intent": intent, "scope": "full", "cause": "routed" }));
        for state in ["ROUTED", "CONTEXT_COLLECTED", "PROPOSING"] {
            self.moves(json!({ "type": "task_state", "state": state }));
        }
    }

    pub fn proposes(&self, offer: Value) {
        if self.lock().state == "RECEIVED" {
            self.thinks();
        }
        let is_diff = offer["action"] == "apply_diff";
        let proposal = if is_diff {
            json!({ "type": "diff", "diffId": "x", "unifiedDiff": offer["text"], "files": [] })
        } else {
            json!({ "type": "command", "cmd": offer["text"] })
        };
        let result = json!({
            "taskId": "tabc", "intent": { "kind": "run", "confidence": 0.75, "summary": "Run: the tests" }, "proposal": proposal,
            "requires": { "mode": "local_approval", "action": offer["action"] },
            "summary": if is_diff { "Change x" } else { "Run the tests" },
        });
        let (step, digest) = (offer["step"].clone(), "a".repeat(64));
        self.lock().offer = Some(offer);
        self.moves(json!({ "type": "task_proposal", "result": result, "step": step, "digest": digest }));
        self.moves(json!({ "type": "task_state", "state": "PROPOSAL_READY" }));
        self.moves(json!({ "type": "task_state", "state": "WAITING_APPROVAL", "step": step, "digest": digest }));
    }

    pub fn replaces_offer(&self, offer: Value) {
        self.lock().offer = Some(offer);
    }

    pub fn executes(&self) {
        self.moves(
            json!({ "type": "task_state", "state": "EXECUTING", "step": 1, "by": "pts/99", "cause": "approved" }),
        );
    }

    pub fn prints(&self, chunk: &str) {
        self.moves(json!({ "type": "task_stream_chunk", "messageId": "o", "channel": "output", "chunk": chunk }));
    }

    pub fn completes(&self, summary: &str) {
        self.ends("COMPLETED", "ok", json!({ "outcome": { "summary": summary, "exit": 0 } }));
    }

    pub fn writes(&self, summary: &str) {
        self.ends("COMPLETED", "ok", json!({ "outcome": { "summary": summary, "undo": "7" } }));
    }

    pub fn rejects(&self) {
        self.ends("REJECTED", "rejected", json!({}));
    }

    fn ends(&self, state: &str, status: &str, with: Value) {
        let mut event = with;
        event["type"] = "task_state".into();
        event["state"] = state.into();
        self.moves(event);
        self.moves(json!({ "type": "task_end", "status": status }));
    }

    /// Answers this operation with an error from now on.
    pub fn refuses(&self, op: &str, why: &str) {
        self.lock().refusals.insert(op.to_owned(), why.to_owned());
    }

    pub fn hangs_up(&self) {
        for (stream, _) in std::mem::take(&mut self.lock().watchers) {
            stream.shutdown(std::net::Shutdown::Both).unwrap();
        }
    }

    pub fn said(&self, op: &str) -> Vec<Value> {
        self.lock().said.iter().filter(|said| said["op"] == op).cloned().collect()
    }

    #[track_caller]
    pub fn waits_for(&self, op: &str) -> Value {
        self.waits_for_all(op, 1).remove(0)
    }

    #[track_caller]
    pub fn waits_for_all(&self, op: &str, count: usize) -> Vec<Value> {
        let deadline = Instant::now() + patience();
        while self.said(op).len() < count {
            assert!(Instant::now() < deadline, "waited for {op}: {:?}", self.lock().said);
            std::thread::sleep(Duration::from_millis(2));
        }
        self.said(op)
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

fn tell(mut stream: &UnixStream, asked: &Value, mut say: Value) {
    say["request_id"] = asked["request_id"].clone();
    // The client may have disconnected.
    _ = writeln!(stream, "{say}");
}
