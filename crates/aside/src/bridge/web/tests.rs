//! Tests of the page's server over real connections, in front of a stub daemon. Attacks are in `adversarial`.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::{LIMITS, Limits, MAX_CONNECTIONS, MAX_STREAMS, Web, bind};
use crate::bridge;
use crate::bridge::web::persistence::PersistedState;
use crate::bridge::web::session::{IDLE, PageContext};
use crate::paths;

/// Test deadline: what takes longer hangs.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// A server with a stub daemon behind it.
pub struct Scene {
    web: Option<Web>,
    pub port: u16,
    /// The server's host name, with the port.
    pub host: String,
    pub daemon: Arc<Daemon>,
    socket: PathBuf,
    end: Option<oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
    _directory: tempfile::TempDir,
}

#[derive(Default)]
pub struct Daemon {
    heard: Mutex<Vec<Value>>,
    /// Events written to the server, and connections that it closed.
    written: AtomicUsize,
    gone: AtomicUsize,
}

/// The secrets that an open page has.
#[derive(Clone)]
pub struct Visit {
    pub cookie: String,
    pub token: String,
    pub proof: String,
}

/// A response, with header names in lower case.
#[derive(Debug, Default)]
pub struct Response {
    pub status: u16,
    pub head: String,
    pub body: String,
}

/// A request, header by header.
#[derive(Clone)]
pub struct Asking {
    pub method: String,
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Scene {
    pub fn new() -> Self {
        Self::with(LIMITS)
    }

    pub fn with(limits: Limits) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let socket = directory.path().join("aside.sock");
        let daemon = Arc::new(Daemon::default());
        let listener = UnixListener::bind(&socket).unwrap();
        let answering = Arc::clone(&daemon);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (Ok(stream), daemon) = (stream, Arc::clone(&answering)) else { return };
                std::thread::spawn(move || daemon.answer(stream));
            }
        });
        let (started, web) = mpsc::channel();
        let (end, ended) = oneshot::channel::<()>();
        let asked = socket.clone();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let kept = PersistedState::read(asked.with_file_name("web.json"), bridge::seconds()).unwrap();
                let bound = bind(kept.port()).unwrap();
                started.send(Web::serve(asked, kept, bound, limits).unwrap()).unwrap();
                let _ = ended.await;
            });
        });
        let web = web.recv_timeout(PATIENCE).unwrap();
        let (port, host) = (web.shared.port, web.shared.host.clone());
        let (end, thread) = (Some(end), Some(thread));
        Self { web: Some(web), port, host, daemon, socket, end, thread, _directory: directory }
    }

    pub fn link(&self) -> String {
        self.web.as_ref().unwrap().link(PageContext { cwd: "/home/ada/work".into(), shell: "fish".into() })
    }

    pub fn key(&self) -> String {
        self.link().split_once("?key=").unwrap().1.to_owned()
    }

    /// Opens the page like a browser that has no cookie yet.
    pub fn visit(&self) -> Visit {
        let opened = self.ask(&self.get(&format!("/?key={}", self.key())));
        assert_eq!(opened.status, 200, "{opened:?}");
        let cookie = opened.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
        let (_, proof) = opened.body.split_once("url=/#k=").unwrap();
        let proof = proof.split('"').next().unwrap().to_owned();
        let token = cookie.split_once('=').unwrap().1.to_owned();
        Visit { cookie, token, proof }
    }

    pub fn get(&self, path: &str) -> Asking {
        let headers = vec![("Host".into(), self.host.clone()), ("Connection".into(), "close".into())];
        Asking { method: "GET".into(), path: path.into(), headers, body: String::new() }
    }

    /// A GET request as the page sends it.
    pub fn read(&self, visit: &Visit, path: &str) -> Asking {
        let asking = self.get(path).with("Cookie", &visit.cookie).with("X-Aside", &visit.proof);
        asking.with("Sec-Fetch-Site", "same-origin")
    }

    /// A POST request as the page sends it.
    pub fn post(&self, visit: &Visit, body: &Value) -> Asking {
        let asking = self.read(visit, "/api/task").with("Origin", &format!("http://{}", self.host));
        Asking { method: "POST".into(), body: body.to_string(), ..asking.with("Content-Type", "application/json") }
    }

    /// Sends a request like a browser: answers a challenge, and follows a link.
    pub fn ask(&self, asking: &Asking) -> Response {
        let response = self.ask_once(asking);
        if response.status == 428 {
            let challenge = response.json()["again"].as_str().unwrap().to_owned();
            return self.ask_once(&asking.clone().with("X-Aside-Again", &challenge));
        }
        match response.body.split_once("url=/?").and_then(|(_, rest)| rest.split_once('"')) {
            Some((query, _)) => {
                let path = format!("/?{}", query.replace("&amp;", "&"));
                self.ask_once(&Asking { path, ..asking.clone() })
            }
            None => response,
        }
    }

    pub fn ask_once(&self, asking: &Asking) -> Response {
        self.raw(asking.spelled().as_bytes())
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// All that comes back for these bytes until the server closes. A client that is cut off while it writes has a response, too.
    pub fn raw(&self, bytes: &[u8]) -> Response {
        let mut stream = self.connect();
        let _ = stream.write_all(bytes);
        let mut read = Vec::new();
        let started = Instant::now();
        let _ = stream.read_to_end(&mut read);
        assert!(started.elapsed() < PATIENCE, "it neither answered nor hung up: {:?}", String::from_utf8_lossy(bytes));
        Response::read(&String::from_utf8_lossy(&read))
    }

    /// Reads a stream until its text satisfies `enough`.
    pub fn stream(&self, asking: &Asking, enough: impl Fn(&str) -> bool) -> (TcpStream, String) {
        let mut stream = self.connect();
        stream.write_all(asking.spelled().as_bytes()).unwrap();
        let mut text = String::new();
        let mut chunk = [0; 4096];
        while !enough(&text) {
            let length = stream.read(&mut chunk).unwrap_or_else(|error| panic!("{error}: {text}"));
            assert!(length > 0, "it ended: {text}");
            text.push_str(&String::from_utf8_lossy(&chunk[..length]));
        }
        (stream, text)
    }

    pub fn heard(&self) -> Vec<Value> {
        self.daemon.heard.lock().unwrap().clone()
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        drop(self.web.take());
        drop(self.end.take());
        let _ = self.thread.take().unwrap().join();
    }
}

impl Asking {
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    pub fn without(mut self, name: &str) -> Self {
        self.headers.retain(|header| header.0 != name);
        self
    }

    pub fn but(self, name: &str, value: &str) -> Self {
        self.without(name).with(name, value)
    }

    pub fn spelled(&self) -> String {
        let headers: String = self.headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let length =
            if self.body.is_empty() { String::new() } else { format!("Content-Length: {}\r\n", self.body.len()) };
        format!("{} {} HTTP/1.1\r\n{headers}{length}\r\n{}", self.method, self.path, self.body)
    }
}

impl Response {
    fn read(text: &str) -> Self {
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((text, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_default();
        // Names in lower case, values unchanged.
        let head = head.lines().map(|line| match line.split_once(": ") {
            Some((name, value)) => format!("{}: {value}\n", name.to_ascii_lowercase()),
            None => format!("{line}\n"),
        });
        Self { status, head: head.collect(), body: body.to_owned() }
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

impl Daemon {
    fn answer(&self, stream: UnixStream) {
        let mut writer = stream.try_clone().unwrap();
        for line in BufReader::new(stream).lines() {
            let Ok(line) = line else { break };
            let said: Value = serde_json::from_str(&line).unwrap();
            self.heard.lock().unwrap().push(said.clone());
            let mut say = |reply: Value| writer.write_all(format!("{reply}\n").as_bytes()).is_ok();
            let brief = json!({"type": "task", "request_id": 1, "tasks": [{"taskId": "t1", "text": "what was asked"}]});
            let error = |code: &str| {
                let error = json!({"code": code, "message": "no"});
                json!({"type": "error", "request_id": 1, "error": error})
            };
            let event = |seq: u64, data: &str| {
                let event = json!({"seq": seq, "type": "task_progress", "data": data});
                json!({"type": "task_event", "request_id": 1, "event": event})
            };
            match (said["op"].as_str().unwrap(), said["taskId"].as_str().unwrap_or_default()) {
                (_, "silent") => {}
                (_, "nobody") => drop(say(error("not_found"))),
                ("approve", "other") => drop(say(error("stale"))),
                ("watch", "flood") => {
                    say(brief);
                    let data = "x".repeat(1000);
                    let written =
                        |seq| say(event(seq, &data)) && self.written.fetch_add(1, Ordering::SeqCst) < usize::MAX;
                    (1..=100_000).all(written);
                }
                ("watch", "broken") => {
                    say(brief);
                    say(error("internal"));
                    break;
                }
                ("watch", _) => {
                    say(brief);
                    let from = said["from"].as_u64().unwrap_or_default();
                    (from + 1..=from + 3).all(|seq| say(event(seq, "two\nlines")));
                }
                ("follow", _) => {
                    say(brief.clone());
                    say(brief);
                }
                _ => drop(say(brief)),
            }
        }
        self.gone.fetch_add(1, Ordering::SeqCst);
    }
}

#[track_caller]
pub fn eventually(what: &str, happens: impl Fn() -> bool) {
    let started = Instant::now();
    while !happens() {
        assert!(started.elapsed() < PATIENCE, "{what}: never");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_link_opens_the_page_once() {
    let scene = Scene::new();
    std::fs::write(paths::page_file(&scene.socket), "leads here").unwrap();
    let key = scene.key();
    let first = scene.ask(&scene.get(&format!("/?key={key}")));
    assert_eq!(first.status, 200);
    let cookie = first.header("set-cookie").unwrap();
    assert!(cookie.starts_with(&format!("aside-{}=", scene.port)), "{cookie}");
    assert!(cookie.ends_with("; HttpOnly; SameSite=Strict; Path=/"), "{cookie}");
    assert!(!paths::page_file(&scene.socket).exists(), "the file that led here has done its work");

    let again = scene.ask(&scene.get(&format!("/?key={key}")));
    assert_eq!((again.status, again.header("set-cookie")), (403, None));
    assert!(again.body.contains("aside web"), "{}", again.body);

    let visit = scene.visit();
    let page = scene.ask(&scene.get("/").with("Cookie", &visit.cookie));
    assert_eq!(page.status, 200);
    assert!(!page.body.contains(&visit.proof) && !page.head.contains(&visit.proof), "a cookie does not buy the proof");
    let without = scene.ask(&scene.get("/"));
    assert_eq!(without.status, 401);
    assert!(without.body.contains("aside web"), "{}", without.body);
}

#[test]
fn every_file_of_the_page_is_served_with_its_type() {
    let scene = Scene::new();
    let visit = scene.visit();
    let files = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/web")).unwrap();
    for file in files {
        let name = file.unwrap().file_name().into_string().unwrap();
        let path = if name == "index.html" { "/".into() } else { format!("/{name}") };
        let got = scene.ask(&scene.read(&visit, &path));
        assert_eq!(got.status, 200, "{path} is not in bridge/web/page.rs");
        let kind = match name.rsplit_once('.').unwrap().1 {
            "html" => "text/html; charset=utf-8",
            "css" => "text/css; charset=utf-8",
            "js" => "text/javascript; charset=utf-8",
            "svg" => "image/svg+xml",
            other => panic!("what type is {other}?"),
        };
        assert_eq!(got.header("content-type"), Some(kind), "{path}");
    }
}

#[test]
fn a_message_reaches_the_daemon_as_this_sessions() {
    let scene = Scene::new();
    let (_, visit) = (scene.visit(), scene.visit());
    let said = json!({
        "op": "ask", "text": "run the tests", "threadId": "h1", "private": true,
        "by": "the owner", "source": "wecom", "fromUser": "root", "session_id": "1.2", "shell": "zsh", "from": 7,
        "environment": ["LD_PRELOAD=/tmp/x.so"], "type": "stop", "request_id": 9, "what": "else",
    });
    let answered = scene.ask(&scene.post(&visit, &said));
    assert_eq!((answered.status, answered.header("content-type")), (200, Some("application/json")));
    assert_eq!(answered.json()["tasks"][0]["taskId"], "t1");
    let heard = json!({
        "type": "task", "request_id": 1, "op": "ask", "text": "run the tests", "threadId": "h1", "private": true,
        "by": "page 2", "source": "local_ui", "cwd": "/home/ada/work", "shell": "fish",
    });
    assert_eq!(scene.heard(), [heard]);

    scene.ask(&scene.post(&visit, &json!({"op": "rules", "cwd": "/elsewhere"})));
    assert_eq!(scene.heard()[1]["cwd"], "/elsewhere");
    let here = scene.ask(&scene.read(&visit, "/api/here")).json();
    assert_eq!((&here["cwd"], &here["by"]), (&json!("/home/ada/work"), &json!("page 2")));
}

/// A command may write a request into a connection and end before it is read: it counts only if its sender is there to send it again.
#[test]
fn what_only_the_user_may_do_is_asked_for_twice() {
    let scene = Scene::new();
    let (visit, other) = (scene.visit(), scene.visit());
    let challenge = |asking: &Asking| {
        let response = scene.ask_once(asking);
        assert_eq!(response.status, 428, "{response:?}");
        response.json()["again"].as_str().unwrap().to_owned()
    };
    for op in ["approve", "edit", "undo"] {
        let before = scene.heard().len();
        let message = |step: u64| json!({"op": op, "taskId": "t1", "step": step, "digest": "d", "text": "x"});
        let first = scene.post(&visit, &message(1));
        let value = challenge(&first);
        // Rejects a guess, another message, and another session; a failed attempt uses up the challenge.
        for wrong in [
            first.clone().with("X-Aside-Again", "guess"),
            scene.post(&visit, &message(2)).with("X-Aside-Again", &value),
            first.clone().with("X-Aside-Again", &value),
            scene.post(&other, &message(1)).with("X-Aside-Again", &challenge(&first)),
        ] {
            challenge(&wrong);
        }
        assert_eq!(scene.heard().len(), before, "{op}");
        let value = challenge(&first);
        assert_eq!(scene.ask_once(&first.clone().with("X-Aside-Again", &value)).status, 200);
        challenge(&first.clone().with("X-Aside-Again", &value));
        assert_eq!(scene.heard().len(), before + 1, "{op}");
    }
    for op in ["list", "show", "reject", "cancel"] {
        let asked = scene.ask_once(&scene.post(&visit, &json!({"op": op, "taskId": "t1"})));
        assert_ne!(asked.status, 428, "{op}");
    }
    // A link that a command followed as its last act stays valid.
    let key = scene.key();
    for _ in 0..3 {
        let followed = scene.ask_once(&scene.get(&format!("/?key={key}")));
        assert_eq!((followed.status, followed.header("set-cookie")), (200, None));
    }
    assert!(scene.ask(&scene.get(&format!("/?key={key}"))).header("set-cookie").is_some());
}

#[test]
fn what_the_daemon_refuses_keeps_its_words_and_has_a_status() {
    let scene = Scene::new();
    let visit = scene.visit();
    let missing = scene.ask(&scene.post(&visit, &json!({"op": "show", "taskId": "nobody"})));
    let error = json!({"type": "error", "error": {"code": "not_found", "message": "no"}});
    assert_eq!((missing.status, missing.json()), (404, error));
    let late = scene.ask(&scene.post(&visit, &json!({"op": "approve", "taskId": "other", "digest": "d"})));
    assert_eq!((late.status, &late.json()["error"]["code"]), (409, &json!("stale")));
    let watched = scene.ask(&scene.read(&visit, "/api/watch?task=nobody"));
    assert_eq!((watched.status, &watched.json()["error"]["code"]), (404, &json!("not_found")));

    std::fs::remove_file(&scene.socket).unwrap();
    let alone = scene.ask(&scene.post(&visit, &json!({"op": "list"})));
    assert_eq!((alone.status, &alone.json()["error"]["code"]), (502, &json!("no_daemon")));
    assert_eq!(scene.ask(&scene.read(&visit, "/api/follow")).status, 502);
}

#[test]
fn a_task_is_watched_event_by_event_and_from_where_it_was() {
    let scene = Scene::new();
    let visit = scene.visit();
    let (stream, text) =
        scene.stream(&scene.read(&visit, "/api/watch?task=t1&from=4"), |text| text.contains("id: 7\n"));
    assert!(text.to_lowercase().contains("content-type: text/event-stream"), "{text}");
    assert!(text.contains("event: task\ndata: {\"type\":\"task\",\"tasks\":[{\"taskId\":\"t1\""), "{text}");
    let event = text.split("id: 5\ndata: ").nth(1).and_then(|rest| rest.split("\n\n").next()).unwrap_or_default();
    let event: serde_json::Value = serde_json::from_str(event).unwrap_or_default();
    assert_eq!(event, json!({"seq": 5, "type": "task_progress", "data": "two\nlines"}), "{text}");
    assert_eq!((&scene.heard()[0]["op"], &scene.heard()[0]["from"]), (&json!("watch"), &json!(4)));
    drop(stream);
    eventually("the daemon hears that the browser has gone", || scene.daemon.gone.load(Ordering::SeqCst) == 1);

    let again = scene.read(&visit, "/api/watch?task=t1&from=4").with("Last-Event-ID", "6");
    let (_stream, text) = scene.stream(&again, |text| text.contains("id: 9\n"));
    assert!(!text.contains("id: 6\n"), "{text}");
    let (_stream, _) =
        scene.stream(&scene.read(&visit, "/api/follow?limit=5"), |text| text.matches("data: ").count() == 2);
    assert_eq!(scene.heard()[2]["limit"], 5);
    let (_stream, text) =
        scene.stream(&scene.read(&visit, "/api/watch?task=broken"), |text| text.contains("event: error"));
    assert!(text.contains("\"code\":\"internal\""), "{text}");
}

#[test]
fn a_browser_that_does_not_read_holds_the_daemon_back_and_is_let_go() {
    let scene = Scene::with(Limits { stall: Duration::from_millis(500), ..LIMITS });
    let visit = scene.visit();
    let (mut stream, _) = scene.stream(&scene.read(&visit, "/api/watch?task=flood"), |text| text.contains("id: 1\n"));
    // The client stops reading: the server cuts it off long before the daemon has sent everything.
    eventually("the browser is let go", || scene.daemon.gone.load(Ordering::SeqCst) == 1);
    let written = scene.daemon.written.load(Ordering::SeqCst);
    assert!(written < 50_000, "{written} events were taken from the daemon for a browser that read none");
    let mut rest = Vec::new();
    let _ = stream.read_to_end(&mut rest);
}

#[test]
fn all_of_a_long_log_arrives_in_order() {
    let scene = Scene::new();
    let visit = scene.visit();
    let mut stream = scene.connect();
    stream.write_all(scene.read(&visit, "/api/watch?task=flood").spelled().as_bytes()).unwrap();
    let mut expected = 1;
    for line in BufReader::new(stream).lines().map(|line| line.unwrap()) {
        let Some(number) = line.strip_prefix("id: ") else { continue };
        assert_eq!(number, expected.to_string());
        expected += 1;
        if expected > 20_000 {
            return;
        }
    }
    panic!("it ended at {expected}");
}

#[test]
fn a_stream_gives_signs_of_life_and_ends_with_its_session() {
    let scene = Scene::with(Limits { beat: Duration::from_millis(50), ..LIMITS });
    let visit = scene.visit();
    let (mut stream, _) = scene.stream(&scene.read(&visit, "/api/follow"), |text| text.matches(":\n\n").count() > 2);
    // By then the session would have expired.
    scene.web.as_ref().unwrap().shared.sessions().knows(&[], Instant::now() + IDLE * 2);
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).unwrap();
    assert_eq!(scene.ask(&scene.read(&visit, "/api/here")).status, 401);
    eventually("and the daemon is let go", || scene.daemon.gone.load(Ordering::SeqCst) == 1);
}

#[test]
fn slow_clients_are_let_go() {
    let short = Duration::from_millis(300);
    let scene = Scene::with(Limits { head: short, body: short, daemon: short, ..LIMITS });
    // Nothing at all, half a head, and an endless head, a letter at a time.
    for beginning in ["", "GET / HTTP/1.1\r\nHost: x\r\nA: "] {
        let mut stream = scene.connect();
        stream.write_all(beginning.as_bytes()).unwrap();
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest);
        assert!(!String::from_utf8_lossy(&rest).contains(" 200 "));
    }
    let mut stream = scene.connect();
    let started = Instant::now();
    while stream.write_all(b"G").and_then(|()| stream.write_all(b"")).is_ok() {
        std::thread::sleep(Duration::from_millis(20));
        assert!(started.elapsed() < PATIENCE, "a letter at a time, for ever");
    }
    let visit = scene.visit();
    let mut slow = scene.post(&visit, &json!({"op": "list"}));
    slow = slow.with("Content-Length", "100");
    slow.body.clear();
    assert_eq!(scene.ask(&slow).status, 408);
    let unanswered = scene.ask(&scene.post(&visit, &json!({"op": "show", "taskId": "silent"})));
    assert_eq!((unanswered.status, &unanswered.json()["error"]["code"]), (504, &json!("no_daemon")));
}

#[test]
fn there_is_room_for_so_many_and_no_more() {
    let scene = Scene::new();
    let visit = scene.visit();
    let follow = scene.read(&visit, "/api/follow");
    let mut streams: Vec<TcpStream> =
        (0..MAX_STREAMS).map(|_| scene.stream(&follow, |text| text.contains("data: ")).0).collect();
    assert_eq!(scene.ask(&follow).status, 429);
    assert_eq!(scene.ask(&scene.post(&visit, &json!({"op": "list"}))).status, 200, "asking still works");
    drop(streams.pop());
    let is_followed = || {
        let (stream, text) = scene.stream(&follow, |text| text.contains("\r\n\r\n"));
        text.starts_with("HTTP/1.1 200").then_some(stream)
    };
    eventually("a place is free again", || is_followed().is_some());

    // Idle connections lock no client out: the one idle for longest is closed.
    let mut idle: Vec<TcpStream> = (0..2 * MAX_CONNECTIONS).map(|_| scene.connect()).collect();
    assert_eq!(scene.ask(&scene.read(&visit, "/api/here")).status, 200);
    let is_closed = |stream: &mut TcpStream| {
        let _ = stream.set_nonblocking(true);
        matches!(stream.read(&mut [0; 1]), Ok(0))
    };
    let deadline = Instant::now() + Duration::from_secs(20);
    while idle.len() > MAX_CONNECTIONS {
        assert!(Instant::now() < deadline, "{} are open", idle.len());
        idle.retain_mut(|stream| !is_closed(stream));
    }
}

#[test]
fn it_listens_on_loopback_alone_and_ends_when_it_is_dropped() {
    let mut scene = Scene::new();
    let visit = scene.visit();
    let (mut stream, _) = scene.stream(&scene.read(&visit, "/api/follow"), |text| text.contains("data: "));
    let elsewhere = std::net::TcpListener::bind(("127.0.0.2", scene.port));
    assert!(elsewhere.is_ok(), "it listens on more than 127.0.0.1");
    drop(scene.web.take());
    let mut rest = Vec::new();
    let _ = stream.read_to_end(&mut rest);
    eventually("the port is closed", || TcpStream::connect(("127.0.0.1", scene.port)).is_err());
    eventually("and the daemon is let go", || scene.daemon.gone.load(Ordering::SeqCst) == 1);
}
