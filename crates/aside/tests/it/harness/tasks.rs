//! A user with tasks at the daemon's socket: requests, looks at proposals, approves or rejects them. Knows the messages, so that
//! scenes need not.

use std::path::Path;
use std::time::Instant;

use serde_json::{Map, Value, json};

use crate::harness::home::Home;
use crate::harness::patience;
use crate::harness::socket_client::SocketClient;

pub struct TaskClient {
    wire: SocketClient,
    cwd: String,
    number: u64,
    /// Events that arrived while waiting for something else.
    heard: Vec<Value>,
}

/// A proposal as shown to a user who may approve it.
#[derive(Clone, Debug)]
pub struct ShownProposal {
    pub task: String,
    pub step: u64,
    pub digest: String,
    pub rows: Vec<(String, String)>,
    pub text: String,
}

impl TaskClient {
    /// Works in this directory. The daemon has to run.
    pub fn at(home: &Home, cwd: &Path) -> Self {
        Self { wire: home.wire(), cwd: cwd.to_str().unwrap().to_owned(), number: 0, heard: Vec::new() }
    }

    /// Sends a task message and returns the reply, whatever it is.
    #[track_caller]
    pub fn says(&mut self, op: &str, fields: Value) -> Value {
        let number = self.sends(op, fields);
        loop {
            let answer = self.wire.reads_json();
            if answer["type"] == "task_event" {
                self.heard.push(answer["event"].clone());
            } else if answer["request_id"] == number {
                return answer;
            }
        }
    }

    #[track_caller]
    pub fn sends(&mut self, op: &str, fields: Value) -> u64 {
        self.number += 1;
        let mut message = Map::from_iter([
            ("type".to_owned(), json!("task")),
            ("request_id".to_owned(), json!(self.number)),
            ("op".to_owned(), json!(op)),
        ]);
        message.extend(fields.as_object().unwrap().clone());
        self.wire.sends_json(Value::Object(message));
        self.number
    }

    /// Requests a task and returns its id. The task is watched from now on.
    #[track_caller]
    pub fn asks(&mut self, text: &str) -> String {
        let asked = self.says("ask", json!({ "text": text, "cwd": self.cwd, "shell": "bash" }));
        let task = asked["tasks"][0]["taskId"].as_str().unwrap_or_else(|| panic!("{asked}")).to_owned();
        self.watches(&task, 0);
        task
    }

    #[track_caller]
    pub fn watches(&mut self, task: &str, from: u64) {
        let answer = self.says("watch", json!({ "taskId": task, "from": from }));
        assert_eq!(answer["type"], "task", "{answer}");
    }

    /// The next event of any watched task.
    #[track_caller]
    pub fn hears(&mut self) -> Value {
        if !self.heard.is_empty() {
            return self.heard.remove(0);
        }
        loop {
            let answer = self.wire.reads_json();
            if answer["type"] == "task_event" {
                return answer["event"].clone();
            }
        }
    }

    /// All events of a task until one of these states; the last event is that state's.
    #[track_caller]
    pub fn hears_until(&mut self, task: &str, states: &[&str]) -> Vec<Value> {
        let deadline = Instant::now() + patience();
        let mut events = Vec::new();
        loop {
            assert!(Instant::now() < deadline, "{task} did not come to {states:?}: {events:#?}");
            let event = self.hears();
            if event["taskId"] != task {
                continue;
            }
            let state = event["state"].as_str().unwrap_or_default().to_owned();
            events.push(event);
            if states.contains(&state.as_str()) {
                return events;
            }
        }
    }

    /// The state in which a task rests: it waits for approval, or has ended.
    #[track_caller]
    pub fn rests(&mut self, task: &str) -> Value {
        self.hears_until(task, &["WAITING_APPROVAL", "COMPLETED", "FAILED", "REJECTED"]).pop().unwrap()
    }

    #[track_caller]
    pub fn ends(&mut self, task: &str) -> Value {
        self.hears_until(task, &["COMPLETED", "FAILED", "REJECTED"]).pop().unwrap()
    }

    /// The proposal that waits for approval.
    #[track_caller]
    pub fn sees(&mut self, task: &str) -> ShownProposal {
        let answer = self.says("show", json!({ "taskId": task }));
        ShownProposal::of(&answer["offer"]).unwrap_or_else(|| panic!("nothing waits: {answer}"))
    }

    #[track_caller]
    pub fn approves(&mut self, shown: &ShownProposal) -> Value {
        self.says("approve", shown.answer("a test"))
    }

    #[track_caller]
    pub fn rejects(&mut self, shown: &ShownProposal) -> Value {
        self.says("reject", shown.answer("a test"))
    }

    /// Requests a task, waits for its proposal, approves it, and returns how it ended.
    #[track_caller]
    pub fn gets(&mut self, text: &str) -> Value {
        let task = self.asks(text);
        let rest = self.rests(&task);
        if rest["state"] != "WAITING_APPROVAL" {
            return rest;
        }
        let shown = self.sees(&task);
        let answer = self.approves(&shown);
        assert_eq!(answer["type"], "task", "{answer}");
        self.ends(&task)
    }

    #[track_caller]
    pub fn brief(&mut self, task: &str) -> Value {
        self.says("show", json!({ "taskId": task }))["tasks"][0].clone()
    }
}

impl ShownProposal {
    pub fn of(offer: &Value) -> Option<Self> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let rows = offer["rows"].as_array()?.iter();
        Some(Self {
            task: text(&offer["taskId"]),
            step: offer["step"].as_u64()?,
            digest: text(&offer["digest"]),
            rows: rows.map(|row| (text(&row["label"]), text(&row["text"]))).collect(),
            text: text(&offer["text"]),
        })
    }

    /// The fields that identify the proposal which the user answers.
    pub fn answer(&self, by: &str) -> Value {
        json!({ "taskId": self.task, "step": self.step, "digest": self.digest, "by": by })
    }

    /// The texts of the rows with this label.
    pub fn row(&self, label: &str) -> Vec<&str> {
        self.rows.iter().filter(|(name, _)| name == label).map(|(_, text)| text.as_str()).collect()
    }
}
