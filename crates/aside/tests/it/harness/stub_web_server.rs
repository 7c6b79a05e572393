//! A stub server for the page that sends what a test scripted: contents that no honest daemon would send, and states that are hard
//! to reach. It speaks the page's half of HTTP and the daemon's messages; it checks the header, and makes no decisions.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::harness::patience;

/// Exactly the real server's policy.
pub const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; worker-src 'none'; frame-ancestors 'none'";
const SECRET: &str = "0123456789012345678901234567890123456789abc";
/// 2026-11-15, so that screenshots are reproducible.
const NOON: u64 = 1_794_744_000_000;

#[derive(Clone)]
pub struct StubWebServer {
    address: SocketAddr,
    shared: Arc<(Mutex<Stage>, Condvar)>,
}

#[derive(Default)]
struct Stage {
    tasks: BTreeMap<String, Task>,
    heard: Vec<Value>,
    refusals: BTreeMap<String, String>,
    open: Vec<TcpStream>,
    /// The model's name; empty for none.
    model: String,
    away: bool,
    over: bool,
    moves: u64,
}

#[derive(Default)]
struct Task {
    brief: Value,
    log: Vec<Value>,
    offer: Value,
}

impl StubWebServer {
    pub fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let backstage = Self { address, shared: Arc::default() };
        let serving = backstage.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let serving = serving.clone();
                std::thread::spawn(move || _ = serving.serve(&stream));
            }
        });
        backstage
    }

    /// The address with the key that opens it.
    pub fn url(&self) -> String {
        format!("http://{}/#k={SECRET}", self.address)
    }

    pub fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    /// A task that the user requested on this machine. The first task of a thread names it.
    pub fn asks(&self, thread: &str, task: &str, text: &str) -> &Self {
        self.asks_with(thread, task, text, json!({}))
    }

    pub fn asks_with(&self, thread: &str, task: &str, text: &str, more: Value) -> &Self {
        let mut stage = self.stage();
        let at = NOON + 60_000 * u64::try_from(stage.tasks.len()).unwrap();
        let mut brief = json!({
            "taskId": task, "threadId": thread, "state": "RECEIVED", "attempt": 1, "seq": 0, "since": at, "at": at, "text": text,
            "source": "local_ui", "fromUser": "", "workspace": "/home/ada/src/lines", "kind": "", "summary": "", "action": "", "undo": false,
        });
        merge(&mut brief, &more);
        stage.tasks.insert(task.to_owned(), Task { brief, ..Task::default() });
        drop(stage);
        let source = if more["source"].is_string() { more["source"].clone() } else { "local_ui".into() };
        self.state(task, "RECEIVED", json!({"request": {"source": source, "threadId": thread, "text": text}}))
    }

    /// Appends an event and numbers it.
    pub fn tells(&self, task: &str, mut event: Value) -> &Self {
        let mut stage = self.stage();
        stage.moves += 1;
        let Task { brief, log, .. } = stage.tasks.get_mut(task).unwrap();
        let seq = log.len() + 1;
        let at = brief["at"].as_u64().unwrap() + 400;
        let own = json!({"seq": seq, "at": at, "v": 1, "attempt": brief["attempt"], "taskId": task, "threadId": brief["threadId"]});
        merge(&mut event, &own);
        brief["seq"] = seq.into();
        brief["at"] = at.into();
        if let Some(state) = event["state"].as_str() {
            brief["state"] = state.into();
        }
        log.push(event);
        drop(stage);
        self.shared.1.notify_all();
        self
    }

    pub fn state(&self, task: &str, state: &str, more: Value) -> &Self {
        let mut event = json!({"type": "task_state", "state": state});
        merge(&mut event, &more);
        self.tells(task, event)
    }

    /// Moves a task up to the state before its proposal.
    pub fn understands(&self, task: &str, kind: &str) -> &Self {
        self.tells(
            task,
            json!({"type": "task_start", "intent": {"kind": kind, "confidence": 0.9, "summary": ""}, "scope": "full"}),
        );
        self.state(task, "ROUTED", json!({}));
        self.state(
            task,
            "CONTEXT_COLLECTED",
            json!({"context": {"files": ["Makefile", "src/lines.rs"], "bytes": 812}}),
        );
        self.state(task, "PROPOSING", json!({}))
    }

    pub fn says(&self, task: &str, chunk: &str) -> &Self {
        self.tells(task, json!({"type": "task_stream_chunk", "messageId": "m", "channel": "answer", "chunk": chunk}))
    }

    pub fn prints(&self, task: &str, chunk: &str) -> &Self {
        self.tells(task, json!({"type": "task_stream_chunk", "messageId": "o", "channel": "output", "chunk": chunk}))
    }

    pub fn proposes(&self, task: &str, step: u32, proposal: Value) -> &Self {
        let action = match proposal["type"].as_str() {
            Some("diff") => json!({"mode": "local_approval", "action": "apply_diff"}),
            Some("command") => json!({"mode": "local_approval", "action": "run_command"}),
            _ => json!({"mode": "none"}),
        };
        let result = json!({"taskId": task, "proposal": proposal, "requires": action, "summary": "", "intent": {"kind": "run", "confidence": 1.0, "summary": ""}});
        self.tells(task, json!({"type": "task_proposal", "result": result, "step": step}));
        self.state(task, "PROPOSAL_READY", json!({}))
    }

    /// A command that waits for approval, with rows as `show` returns them.
    pub fn offers_command(&self, task: &str, step: u32, command: &str, rows: &[(&str, &str)]) -> &Self {
        self.proposes(task, step, json!({"type": "command", "cmd": command, "cwd": "/home/ada/src/lines"}));
        self.offers(task, step, "run_command", command, rows)
    }

    pub fn offers_diff(&self, task: &str, step: u32, diff: &str, files: &[&str]) -> &Self {
        let summaries: Vec<Value> = files
            .iter()
            .map(|row| json!({"path": row.split(' ').nth(1).unwrap(), "additions": 1, "deletions": 1}))
            .collect();
        self.proposes(task, step, json!({"type": "diff", "diffId": "d", "unifiedDiff": diff, "files": summaries}));
        let mut rows: Vec<(&str, &str)> = files.iter().map(|file| ("file", *file)).collect();
        rows.push(("rule", "asked, since it writes files"));
        self.offers(task, step, "apply_diff", diff, &rows)
    }

    fn offers(&self, task: &str, step: u32, action: &str, text: &str, rows: &[(&str, &str)]) -> &Self {
        let rows: Vec<Value> = rows.iter().map(|(label, text)| json!({"label": label, "text": text})).collect();
        let digest = format!("{step:064x}");
        let offer = json!({"taskId": task, "step": step, "digest": digest, "action": action, "rows": rows, "text": text, "confine": "no"});
        self.stage().tasks.get_mut(task).unwrap().offer = offer;
        self.state(task, "WAITING_APPROVAL", json!({"step": step, "digest": digest}))
    }

    pub fn ends(&self, task: &str, state: &str, more: Value) -> &Self {
        self.state(task, state, more);
        let status = match state {
            "COMPLETED" => "ok",
            "REJECTED" => "rejected",
            _ => "error",
        };
        self.tells(task, json!({"type": "task_end", "status": status}))
    }

    /// Changes the task's entry in the list.
    pub fn brief(&self, task: &str, more: Value) -> &Self {
        merge(&mut self.stage().tasks.get_mut(task).unwrap().brief, &more);
        self
    }

    /// Makes this `op` fail with `message` from now on.
    pub fn refuses(&self, op: &str, message: &str) -> &Self {
        self.stage().refusals.insert(op.to_owned(), message.to_owned());
        self
    }

    /// Reports this model from now on.
    pub fn has_model(&self, name: &str) -> &Self {
        name.clone_into(&mut self.stage().model);
        self
    }

    /// The daemon goes away with all its connections, or its socket is back.
    pub fn is_away(&self, away: bool) {
        let mut stage = self.stage();
        stage.away = away;
        for stream in std::mem::take(&mut stage.open) {
            _ = stream.shutdown(Shutdown::Both);
        }
        self.shared.1.notify_all();
    }

    /// Ends the session.
    pub fn is_over(&self) {
        self.stage().over = true;
        self.is_away(false);
    }

    pub fn heard(&self, op: &str) -> Vec<Value> {
        self.stage().heard.iter().filter(|message| message["op"] == op).cloned().collect()
    }

    #[track_caller]
    pub fn waits_to_hear(&self, op: &str, count: usize) -> Vec<Value> {
        let deadline = Instant::now() + patience();
        loop {
            let heard = self.heard(op);
            if heard.len() >= count {
                return heard;
            }
            assert!(Instant::now() < deadline, "waited for {count} of {op}; heard {:#?}", self.stage().heard);
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn stage(&self) -> MutexGuard<'_, Stage> {
        self.shared.0.lock().unwrap()
    }

    fn serve(&self, stream: &TcpStream) -> std::io::Result<()> {
        {
            let mut stage = self.stage();
            if stage.away {
                return stream.shutdown(Shutdown::Both);
            }
            stage.open.push(stream.try_clone()?);
        }
        let mut reader = BufReader::new(stream.try_clone()?);
        while let Some(request) = Request::read(&mut reader)? {
            self.answer(&request, stream)?;
        }
        Ok(())
    }

    fn answer(&self, request: &Request, mut stream: &TcpStream) -> std::io::Result<()> {
        let path = request.path.split(['?', '#']).next().unwrap_or_default();
        if !path.starts_with("/api/") {
            let name = if path == "/" { "index.html" } else { path.trim_start_matches('/') };
            let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("web").join(name);
            let (status, body) = match std::fs::read(&file) {
                Ok(body) if !name.contains('/') => ("200 OK", body),
                _ => ("404 Not Found", Vec::new()),
            };
            let kind = match name.rsplit('.').next() {
                Some("html") => "text/html; charset=utf-8",
                Some("css") => "text/css; charset=utf-8",
                Some("js") => "text/javascript; charset=utf-8",
                _ => "image/svg+xml",
            };
            return whole(stream, status, kind, &body);
        }
        if request.header != SECRET || self.stage().over {
            let body = json!({"type": "error", "error": {"code": "session", "message": "this session is over"}});
            return whole(stream, "401 Unauthorized", "application/json", body.to_string().as_bytes());
        }
        let query = |name: &str| {
            let pairs = request.path.split(['?', '&']).skip(1).filter_map(|pair| pair.split_once('='));
            pairs.filter(|(key, _)| *key == name).map(|(_, value)| value.to_owned()).next()
        };
        match path {
            "/api/here" => {
                let here = json!({"cwd": "/home/ada/src/lines", "by": "page 1", "version": "0"});
                whole(stream, "200 OK", "application/json", here.to_string().as_bytes())
            }
            // This server is not persistent, so it never recognises a tab from before.
            "/api/keep" => {
                let body = json!({"type": "error", "error": {"code": "not_found", "message": "there is nothing of that name"}});
                whole(stream, "404 Not Found", "application/json", body.to_string().as_bytes())
            }
            "/api/task" => {
                let message: Value = serde_json::from_str(&request.body).unwrap();
                let (status, body) = self.task(&message);
                whole(stream, status, "application/json", body.to_string().as_bytes())
            }
            _ => {
                stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")?;
                match query("task") {
                    Some(task) => {
                        self.watch(&task, query("from").and_then(|from| from.parse().ok()).unwrap_or(0), stream)
                    }
                    None => self.follow(stream),
                }
            }
        }
    }

    fn task(&self, message: &Value) -> (&'static str, Value) {
        let mut stage = self.stage();
        stage.heard.push(message.clone());
        let op = message["op"].as_str().unwrap();
        if let Some(message) = stage.refusals.get(op) {
            return ("409 Conflict", json!({"type": "error", "error": {"code": "refused", "message": message}}));
        }
        let id = message["taskId"].as_str().unwrap_or_default().to_owned();
        let applied = message["text"].as_str().and_then(|text| text.strip_prefix("@dev apply "));
        if let Some(task) = applied {
            return (
                "200 OK",
                json!({"type": "task", "tasks": [stage.tasks[task].brief], "offer": stage.tasks[task].offer}),
            );
        }
        if op == "ask" {
            drop(stage);
            let id = format!("asked-{}", self.heard("ask").len());
            let thread = message["threadId"].as_str().map_or_else(|| format!("thread-{id}"), str::to_owned);
            self.asks(&thread, &id, message["text"].as_str().unwrap());
            return ("200 OK", json!({"type": "task", "tasks": [self.stage().tasks[&id].brief]}));
        }
        if op == "welcome" {
            let examples = ["run the tests", "review my changes", "explain src/lines.rs"];
            let welcome = json!({"model": stage.model, "editor": "edit://open{path}:{line}", "examples": examples});
            return ("200 OK", json!({"type": "task", "tasks": [], "welcome": welcome}));
        }
        if op == "list" {
            let words = message["text"].as_str().unwrap_or_default().to_lowercase();
            let has = |task: &&Task| Value::from(task.log.clone()).to_string().to_lowercase().contains(&words);
            let tasks: Vec<&Value> = stage.tasks.values().filter(has).map(|task| &task.brief).collect();
            return ("200 OK", json!({"type": "task", "tasks": tasks}));
        }
        let Some(task) = stage.tasks.get(&id) else {
            return (
                "404 Not Found",
                json!({"type": "error", "error": {"code": "unknown", "message": format!("there is no task {id}")}}),
            );
        };
        let mut answer = json!({"type": "task", "tasks": [task.brief]});
        if op == "show" && task.brief["state"] == "WAITING_APPROVAL" {
            answer["offer"] = task.offer.clone();
        }
        ("200 OK", answer)
    }

    fn watch(&self, task: &str, mut from: usize, mut stream: &TcpStream) -> std::io::Result<()> {
        let brief = self.stage().tasks[task].brief.clone();
        stream.write_all(format!("event: task\ndata: {}\n\n", json!({"type": "task", "tasks": [brief]})).as_bytes())?;
        loop {
            let stage = self.stage();
            let events: Vec<Value> = stage.tasks[task].log.iter().skip(from).cloned().collect();
            if events.is_empty() {
                drop(self.shared.1.wait_timeout(stage, Duration::from_millis(500)).unwrap());
                stream.write_all(b": \n\n")?;
                continue;
            }
            drop(stage);
            for event in events {
                from += 1;
                stream.write_all(format!("id: {from}\ndata: {event}\n\n").as_bytes())?;
            }
        }
    }

    fn follow(&self, mut stream: &TcpStream) -> std::io::Result<()> {
        let mut known = None;
        loop {
            let stage = self.stage();
            if known == Some(stage.moves) {
                drop(self.shared.1.wait_timeout(stage, Duration::from_millis(500)).unwrap());
                stream.write_all(b": \n\n")?;
                continue;
            }
            known = Some(stage.moves);
            let tasks: Vec<Value> = stage.tasks.values().map(|task| task.brief.clone()).collect();
            drop(stage);
            stream.write_all(format!("data: {}\n\n", json!({"type": "task", "tasks": tasks})).as_bytes())?;
        }
    }
}

struct Request {
    path: String,
    /// The header that proves that the request comes from the page.
    header: String,
    body: String,
}

impl Request {
    fn read(reader: &mut impl BufRead) -> std::io::Result<Option<Self>> {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
        let (mut header, mut length) = (String::new(), 0);
        loop {
            line.clear();
            reader.read_line(&mut line)?;
            let Some((name, value)) = line.trim_end().split_once(':') else { break };
            match name.to_ascii_lowercase().as_str() {
                "x-aside" => header = value.trim().to_owned(),
                "content-length" => length = value.trim().parse().unwrap(),
                _ => {}
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        Ok(Some(Self { path, header, body: String::from_utf8_lossy(&body).into_owned() }))
    }
}

fn whole(mut stream: &TcpStream, status: &str, kind: &str, body: &[u8]) -> std::io::Result<()> {
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {}\r\ncontent-security-policy: {POLICY}\r\nx-content-type-options: nosniff\r\ncache-control: no-store\r\n\r\n",
        body.len()
    );
    stream.write_all(&[head.as_bytes(), body].concat())
}

fn merge(into: &mut Value, more: &Value) {
    for (name, value) in more.as_object().unwrap() {
        into[name] = value.clone();
    }
}
