//! A daemon configured with the stub model server, and shells that type at it. Asserts nothing about the replies.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::harness::home::Home;
use crate::harness::patience;
use crate::harness::socket_client::SocketClient;
use crate::model::Model;

/// A daemon that may ask a model, and the shells that use it.
pub struct ModelFixture {
    pub model: Model,
    pub home: Home,
}

/// A debounce delay that outlasts all the keys of a burst, however busy the machine is.
pub const REST: &str = "model_delay_ms = 1000\nmodel_delay_short_ms = 1000\n";
pub const AT_ONCE: &str = "model_delay_ms = 0\nmodel_delay_short_ms = 0\n";

/// A home with a single program, `frob`, about which only the history and the model can suggest anything.
pub fn bare_home() -> Home {
    let mut home = Home::new();
    home.write("bin/frob", "#!/bin/sh\n");
    home.write("here/.hidden", "");
    home.set_env("PATH", &home.path("bin").display().to_string());
    home
}

impl ModelFixture {
    pub fn new() -> Self {
        Self::with(AT_ONCE, "openai")
    }

    pub fn with(complete: &str, provider: &str) -> Self {
        let model = Model::start();
        let desk = Self { model, home: bare_home() };
        desk.settings(complete, provider, &desk.model.base_url(), "");
        desk.home.aside_does(&["daemon", "start"]);
        desk
    }

    /// With custom settings, in which URL stands for the server's address.
    pub fn set(model: Model, home: Home, settings: &str) -> Self {
        let desk = Self { model, home };
        let complete = format!("[complete]\n{AT_ONCE}");
        let settings = settings.replace("URL", &desk.model.base_url());
        desk.home.write(".config/aside/config.toml", format!("{complete}{settings}"));
        desk.home.aside_does(&["daemon", "start"]);
        desk
    }

    pub fn settings(&self, complete: &str, provider: &str, base_url: &str, rest: &str) {
        let llm = format!("[llm]\nprovider = '{provider}'\nbase_url = '{base_url}'\nmodel = 'scripted'\n");
        self.home.write(".config/aside/config.toml", format!("[complete]\n{complete}{llm}{rest}"));
    }

    pub fn shell(&self, session: &str) -> Shell {
        Shell { wire: self.home.wire(), session: session.to_owned(), cwd: self.cwd(), id: 0 }
    }

    /// An empty directory.
    pub fn cwd(&self) -> String {
        self.home.path("here").display().to_string()
    }

    /// The reply to a client that reads one reply and waits for the model's.
    #[track_caller]
    pub fn completes(&self, left: &str) -> Vec<String> {
        let mut shell = self.shell("waits");
        shell.wire.sends_json(json!({
            "type": "complete", "request_id": 0, "session_id": "waits", "cwd": self.cwd(), "left": left, "wait": true,
        }));
        shell.hears("complete")
    }

    /// The final reply to a query.
    #[track_caller]
    pub fn wishes(&self, words: &str) -> Value {
        self.wishes_with(json!({"query": words}))
    }

    #[track_caller]
    pub fn wishes_with(&self, mut wish: Value) -> Value {
        wish["type"] = "translate".into();
        wish["wait"] = true.into();
        wish["cwd"] = self.cwd().into();
        self.home.wire().json(wish)
    }

    /// The state of each server, as `provider state`.
    pub fn servers(&self) -> Vec<String> {
        let status = self.home.wire().json(json!({"type": "status"}));
        let text = |server: &Value, name: &str| server[name].as_str().unwrap().to_owned();
        let servers = status["models"].as_array().unwrap();
        servers.iter().map(|server| format!("{} {}", text(server, "provider"), text(server, "state"))).collect()
    }

    /// The privacy journal: what was sent to a model.
    pub fn journal(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(self.home.path(".local/state/aside/privacy.jsonl")).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    pub fn ran(&self, seq: u64, command: &str) {
        let ended = json!({
            "type": "finished", "request_id": seq, "session_id": "s", "seq": seq, "cwd": self.cwd(), "command": command,
        });
        assert_eq!(self.home.wire().json(ended)["type"], "ok");
    }

    pub fn notices(&self) -> Vec<String> {
        let status = self.home.wire().json(json!({"type": "status"}));
        let notices = status["notices"].as_array().unwrap();
        notices.iter().map(|notice| notice["text"].as_str().unwrap().to_owned()).collect()
    }

    #[track_caller]
    pub fn waits_for_notice(&self, part: &str) {
        let deadline = Instant::now() + patience();
        while !self.notices().iter().any(|notice| notice.contains(part)) {
            assert!(Instant::now() < deadline, "no {part:?} in {:?}", self.notices());
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

pub struct Shell {
    pub wire: SocketClient,
    pub session: String,
    cwd: String,
    pub id: u64,
}

impl Shell {
    /// The immediate reply.
    #[track_caller]
    pub fn types(&mut self, left: &str) -> Vec<String> {
        self.id += 1;
        self.wire.sends_json(json!({
            "type": "complete", "request_id": self.id, "session_id": self.session, "cwd": self.cwd, "left": left,
        }));
        self.hears("complete")
    }

    #[track_caller]
    pub fn is_told(&mut self) -> Vec<String> {
        self.hears("update")
    }

    /// The candidates of the next reply, as `completion  source`.
    #[track_caller]
    fn hears(&mut self, kind: &str) -> Vec<String> {
        let answer = loop {
            let answer = self.wire.reads_json();
            // Skips replies about an older line, sent before this one was read.
            if answer["request_id"] == self.id {
                break answer;
            }
            assert_eq!(answer["type"], "update", "{answer}");
        };
        assert_eq!(answer["type"], kind, "{answer}");
        let text = |candidate: &Value, name: &str| candidate[name].as_str().unwrap().to_owned();
        let candidates = answer["candidates"].as_array().unwrap();
        candidates.iter().map(|found| format!("{}  {}", text(found, "completion"), text(found, "source"))).collect()
    }
}

pub const NONE: [&str; 0] = [];
