//! `make bench-relay`: many machines and requests through two relays on a real nats-server, and through one with SQLite; quiet, and with
//! relays and the server killed and connections cut. Fails if a request is lost or run twice; prints how long they took.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "it starts relays and a server, and prints figures"
)]

use std::collections::{HashMap, HashSet};
use std::net::SocketAddr;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use aside_relay::chat::webhook;
use aside_relay::http::{self, HttpResponse};
use aside_relay::key::MachineKey;
use aside_relay::outbound_http;
use aside_relay::protocol::{MACHINE_PATH, Message, ToMachine, ToRelay};
use aside_relay::relay::Relay;
use aside_relay::{seconds, serve, settings};
use futures_util::{SinkExt, StreamExt};
use hyper::StatusCode;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::time::{sleep, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message as Frame;
use tokio_tungstenite::tungstenite::protocol::Role;

const TOKEN: &str = "an admin token that is long enough";
const KEY: &str = "a webhook key that is long enough too";
/// Requests of all users together, unless `ASIDE_BENCH_RATE` says otherwise.
const PER_SECOND: usize = 200;
/// Everything has to have arrived this long after the last request was sent.
const PATIENCE: Duration = Duration::from_secs(180);
const DOWN: Duration = Duration::from_secs(3);
const CUT_EVERY: Duration = Duration::from_millis(200);
const CUTS: usize = 5;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    if let [word, dir] = &arguments[..]
        && word == "serve"
    {
        runtime.block_on(relay(Path::new(dir)));
        return ExitCode::FAILURE;
    }
    let number =
        |name: &str, usual: usize| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual);
    let (machines, requests) = (number("ASIDE_BENCH_MACHINES", 500), number("ASIDE_BENCH_REQUESTS", 5000));
    let nats = std::env::var_os("ASIDE_TEST_NATS").map(PathBuf::from);
    println!("{machines} machines, {requests} requests, {} a second\n", rate());
    println!(
        "| state | what happens | lost | run twice | request to machine p50 / p99 / most | to the answer in the chat \
         p50 / p99 / most | delivered again | answers sent twice |\n|---|---|---|---|---|---|---|---|"
    );
    let mut is_good = true;
    for (nats, faults) in [(None, false), (None, true), (nats.clone(), false), (nats.clone(), true)] {
        let what = match (&nats, faults) {
            (None, false) => "one relay, SQLite | nothing",
            (None, true) => "one relay, SQLite | the relay is killed three times, connections are cut",
            (Some(_), false) => "two relays, NATS | nothing",
            (Some(_), true) => "two relays, NATS | each relay is killed, the server is killed, connections are cut",
        };
        // `NATS | nothing` is one row of the table.
        if std::env::var("ASIDE_BENCH_ONLY").is_ok_and(|only| !what.contains(&only)) {
            continue;
        }
        let outcome = runtime.block_on(run(nats.as_deref(), faults, machines, requests));
        println!("| {what} | {outcome} |");
        is_good &= outcome.lost == 0 && outcome.twice == 0;
    }
    if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// A relay in a process of its own, which is killed.
async fn relay(dir: &Path) {
    let (settings, _) = settings::of(dir).unwrap();
    // The server may be down at the moment.
    let store = loop {
        match serve::store(&settings, dir).await {
            Ok(store) => break store,
            Err(error) => eprintln!("{error:#}"),
        }
        sleep(Duration::from_millis(200)).await;
    };
    let relay = Arc::new(Relay::new(store, settings).unwrap());
    serve::run(relay, |_, _| ()).await.unwrap();
}

struct Outcome {
    lost: usize,
    twice: usize,
    reached: Vec<Duration>,
    answered: Vec<Duration>,
    redelivered: usize,
    answers_twice: usize,
}

impl std::fmt::Display for Outcome {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let figures = |times: &[Duration]| {
            let mut times = times.to_vec();
            times.sort_unstable();
            let at = |share: f64| {
                let index = ((times.len() as f64 * share) as usize).min(times.len().saturating_sub(1));
                times.get(index).map_or(0.0, |time| time.as_secs_f64() * 1000.0)
            };
            format!("{:.0} / {:.0} / {:.0} ms", at(0.5), at(0.99), at(1.0))
        };
        let Self { lost, twice, reached, answered, redelivered, answers_twice } = self;
        let (reached, answered) = (figures(reached), figures(answered));
        write!(formatter, "{lost} | {twice} | {reached} | {answered} | {redelivered} | {answers_twice}")
    }
}

/// What happened to each request, by its number.
#[derive(Default)]
struct Book {
    sent: HashMap<usize, Instant>,
    runs: HashMap<usize, usize>,
    reached: HashMap<usize, Duration>,
    answers: HashMap<usize, usize>,
    answered: HashMap<usize, Duration>,
    redelivered: usize,
}

struct Processes {
    nats: Option<(PathBuf, PathBuf, u16, Child)>,
    relays: Vec<(PathBuf, Child)>,
}

impl Processes {
    fn start_relay(dir: &Path) -> Child {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.arg("serve").arg(dir).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    fn start_nats(program: &Path, dir: &Path, port: u16) -> Child {
        let mut command = Command::new(program);
        command.args(["-a", "127.0.0.1", "-p", &port.to_string(), "-js", "-sd"]).arg(dir);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    async fn kill_relay(&mut self, index: usize) {
        let (dir, child) = &mut self.relays[index];
        child.kill().unwrap();
        child.wait().unwrap();
        sleep(DOWN).await;
        *child = Self::start_relay(dir);
    }

    async fn kill_nats(&mut self) {
        let Some((program, dir, port, child)) = &mut self.nats else { return };
        child.kill().unwrap();
        child.wait().unwrap();
        sleep(DOWN).await;
        *child = Self::start_nats(program, dir, *port);
    }
}

impl Drop for Processes {
    fn drop(&mut self) {
        for child in self.relays.iter_mut().map(|(_, child)| child).chain(self.nats.iter_mut().map(|nats| &mut nats.3))
        {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

async fn run(nats: Option<&Path>, faults: bool, machines: usize, requests: usize) -> Outcome {
    let temp = tempfile::tempdir().unwrap();
    let book = Arc::new(Mutex::new(Book::default()));
    let reply_url = chat(Arc::clone(&book)).await;
    let mut processes = Processes { nats: None, relays: Vec::new() };
    let mut url = String::new();
    if let Some(program) = nats {
        let (port, dir) = (free().port(), temp.path().join("nats"));
        url = format!("nats://127.0.0.1:{port}");
        let child = Processes::start_nats(program, &dir, port);
        processes.nats = Some((program.to_owned(), dir, port, child));
    }
    let mut places = Vec::new();
    for index in 0..if nats.is_some() { 2 } else { 1 } {
        let (listen, admin) = (free(), free());
        let dir = temp.path().join(format!("relay-{index}"));
        std::fs::create_dir(&dir).unwrap();
        let text = format!(
            "listen = '{listen}'\nadmin_listen = '{admin}'\nadmin_token = '{TOKEN}'\n\
             [webhook]\nkey = '{KEY}'\nreply_url = '{reply_url}'\n[nats]\nurl = '{url}'\n"
        );
        let file = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(dir.join(settings::FILE));
        std::io::Write::write_all(&mut file.unwrap(), text.as_bytes()).unwrap();
        processes.relays.push((dir.clone(), Processes::start_relay(&dir)));
        places.push((listen, admin));
    }
    for (listen, _) in &places {
        while TcpStream::connect(listen).await.is_err() {
            sleep(Duration::from_millis(50)).await;
        }
    }
    let public: Arc<Vec<SocketAddr>> = Arc::new(places.iter().map(|(listen, _)| *listen).collect());
    let connected = Arc::new(AtomicUsize::new(0));
    let cuts: Arc<Vec<Notify>> = Arc::new((0..machines).map(|_| Notify::new()).collect());
    let mut work = tokio::task::JoinSet::new();
    for index in 0..machines {
        let key = enrol(places[index % places.len()], index).await;
        let (public, book, cuts) = (Arc::clone(&public), Arc::clone(&book), Arc::clone(&cuts));
        work.spawn(machine(index, key, public, book, Arc::clone(&connected), cuts));
    }
    let began = Instant::now();
    while connected.load(Ordering::Relaxed) < machines {
        assert!(began.elapsed() < PATIENCE, "not every machine connects");
        sleep(Duration::from_millis(50)).await;
    }
    let is_over = Arc::new(AtomicBool::new(false));
    if faults {
        let is_over = Arc::clone(&is_over);
        work.spawn(async move {
            let mut at = 0;
            while !is_over.load(Ordering::Relaxed) {
                sleep(CUT_EVERY).await;
                for _ in 0..CUTS {
                    // A walk that visits every machine in an order of its own.
                    at = (at + 7919) % cuts.len();
                    cuts[at].notify_one();
                }
            }
        });
    }
    let sending = send(Arc::clone(&public), Arc::clone(&book), machines, requests);
    let breaking = async {
        if faults {
            let part = Duration::from_secs_f64(requests as f64 / rate() / 4.0);
            sleep(part).await;
            processes.kill_relay(0).await;
            sleep(part.saturating_sub(DOWN)).await;
            match nats {
                Some(_) => processes.kill_nats().await,
                None => processes.kill_relay(0).await,
            }
            sleep(part.saturating_sub(DOWN)).await;
            processes.kill_relay(places.len() - 1).await;
        }
    };
    tokio::join!(sending, breaking);
    is_over.store(true, Ordering::Relaxed);
    let sent = Instant::now();
    while book.lock().unwrap().answered.len() < requests && sent.elapsed() < PATIENCE {
        sleep(Duration::from_millis(100)).await;
    }
    // What would run twice has a chance to.
    sleep(Duration::from_secs(if faults { 25 } else { 1 })).await;
    work.shutdown().await;
    let book = book.lock().unwrap();
    Outcome {
        lost: (0..requests)
            .filter(|number| !book.runs.contains_key(number) || !book.answers.contains_key(number))
            .count(),
        twice: book.runs.values().filter(|runs| **runs > 1).count(),
        reached: book.reached.values().copied().collect(),
        answered: book.answered.values().copied().collect(),
        redelivered: book.redelivered,
        answers_twice: book.answers.values().filter(|answers| **answers > 1).count(),
    }
}

async fn enrol((listen, admin): (SocketAddr, SocketAddr), index: usize) -> MachineKey {
    let base = format!("http://{admin}");
    let client = outbound_http::client(&base.parse().unwrap()).unwrap();
    let body = json!({ "machine": format!("m-{index}"), "users": [format!("u-{index}")] });
    let request = outbound_http::post(&client, &format!("{base}/admin/enroll"), body.to_string()).bearer_auth(TOKEN);
    let (status, told) = outbound_http::exchange(request).await.unwrap();
    assert_eq!(status, StatusCode::OK);
    let told: Value = serde_json::from_slice(&told).unwrap();
    let (key, _) = MachineKey::generate().unwrap();
    let body = json!({ "code": told["code"], "public_key": key.public() });
    let request = outbound_http::post(&client, &format!("http://{listen}/enroll"), body.to_string());
    assert_eq!(outbound_http::exchange(request).await.unwrap().0, StatusCode::OK);
    key
}

/// The chat that is told the answers.
async fn chat(book: Arc<Mutex<Book>>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}/", listener.local_addr().unwrap());
    tokio::spawn(http::serve(listener, move |asked| {
        let told: Value = serde_json::from_slice(&asked.body).unwrap();
        if let Some(number) = told["text"].as_str().and_then(|text| text.strip_prefix("did ")?.parse().ok()) {
            let mut book = book.lock().unwrap();
            *book.answers.entry(number).or_default() += 1;
            if let Some(sent) = book.sent.get(&number).copied() {
                book.answered.entry(number).or_insert_with(|| sent.elapsed());
            }
        }
        async { HttpResponse::of(StatusCode::OK, "") }
    }));
    address
}

/// Users write at a steady rate; what is not taken is delivered again, as WeCom does.
async fn send(public: Arc<Vec<SocketAddr>>, book: Arc<Mutex<Book>>, machines: usize, requests: usize) {
    let mut sending = tokio::task::JoinSet::new();
    let began = Instant::now();
    for number in 0..requests {
        let due = Duration::from_secs_f64(number as f64 / rate());
        sleep(due.saturating_sub(began.elapsed())).await;
        let (public, book) = (Arc::clone(&public), Arc::clone(&book));
        sending.spawn(async move {
            book.lock().unwrap().sent.insert(number, Instant::now());
            let user = format!("u-{}", number % machines);
            let body =
                json!({ "id": format!("id-{number}"), "user": user, "text": format!("do {number}") }).to_string();
            let mut attempt = number;
            while !post(public[attempt % public.len()], &body).await {
                attempt += 1;
                sleep(Duration::from_millis(300)).await;
            }
        });
    }
    while sending.join_next().await.is_some() {}
}

async fn post(address: SocketAddr, body: &str) -> bool {
    let (time, signature) = webhook::headers(KEY, seconds(), body);
    let text = format!(
        "POST /webhook HTTP/1.1\r\nHost: x\r\nConnection: close\r\nx-aside-timestamp: {time}\r\n\
         x-aside-signature: {signature}\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let answered = async {
        let mut stream = TcpStream::connect(address).await.ok()?;
        stream.write_all(text.as_bytes()).await.ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.ok()?;
        answer.starts_with("HTTP/1.1 202 ").then_some(())
    };
    matches!(timeout(Duration::from_secs(10), answered).await, Ok(Some(())))
}

/// A machine that acts on each message once, whatever it is handed, and answers.
async fn machine(
    index: usize,
    key: MachineKey,
    public: Arc<Vec<SocketAddr>>,
    book: Arc<Mutex<Book>>,
    connected: Arc<AtomicUsize>,
    cuts: Arc<Vec<Notify>>,
) {
    let name = format!("m-{index}");
    let mut state = State { seen: HashSet::new(), unstored: HashMap::new(), book };
    let mut attempt = index;
    loop {
        let address = public[attempt % public.len()];
        attempt += 1;
        let is_first = attempt == index + 1;
        tokio::select! {
            _ = state.session(&name, &key, address, is_first.then_some(&*connected)) => {}
            () = cuts[index].notified() => {}
        }
        sleep(Duration::from_millis(100 + (index as u64 * 37) % 400)).await;
    }
}

struct State {
    seen: HashSet<String>,
    unstored: HashMap<String, ToRelay>,
    book: Arc<Mutex<Book>>,
}

impl State {
    async fn session(
        &mut self,
        name: &str,
        key: &MachineKey,
        address: SocketAddr,
        connected: Option<&AtomicUsize>,
    ) -> Option<()> {
        let mut stream = TcpStream::connect(address).await.ok()?;
        stream.set_nodelay(true).ok()?;
        let request = format!(
            "GET {MACHINE_PATH} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).await.ok()?;
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(stream.read_u8().await.ok()?);
        }
        if !head.starts_with(b"HTTP/1.1 101 ") {
            return None;
        }
        let mut socket = WebSocketStream::from_raw_socket(stream, Role::Client, None).await;
        loop {
            // The relay pings every ten seconds.
            let Frame::Text(text) = timeout(Duration::from_secs(30), socket.next()).await.ok()??.ok()? else {
                continue;
            };
            match serde_json::from_str(&text).ok()? {
                ToMachine::Challenge { nonce } => {
                    let signature = key.sign(name, &nonce);
                    say(&mut socket, &ToRelay::Hello { machine: name.to_owned(), signature }).await?;
                }
                ToMachine::Welcome { .. } => {
                    if let Some(connected) = connected {
                        connected.fetch_add(1, Ordering::Relaxed);
                    }
                    for reply in self.unstored.values() {
                        say(&mut socket, reply).await?;
                    }
                }
                ToMachine::Deliver(message) => {
                    let id = message.id.clone();
                    let reply = self.run(message);
                    say(&mut socket, &ToRelay::Taken { id }).await?;
                    if let Some(reply) = reply {
                        say(&mut socket, &reply).await?;
                    }
                }
                ToMachine::Stored { id } => drop(self.unstored.remove(&id)),
                ToMachine::Refused { why } | ToMachine::Rejected { why, .. } => eprintln!("{name}: {why}"),
            }
        }
    }

    fn run(&mut self, message: Message) -> Option<ToRelay> {
        let number: usize = message.text.strip_prefix("do ")?.parse().ok()?;
        let mut book = self.book.lock().unwrap();
        if !self.seen.insert(message.id.clone()) {
            book.redelivered += 1;
            return None;
        }
        *book.runs.entry(number).or_default() += 1;
        if let Some(sent) = book.sent.get(&number).copied() {
            book.reached.entry(number).or_insert_with(|| sent.elapsed());
        }
        let (id, text) = (message.id, format!("did {number}"));
        let reply = ToRelay::Reply { id: id.clone(), chat: message.chat, topic: format!("t-{number}"), text };
        self.unstored.insert(id, reply.clone());
        Some(reply)
    }
}

async fn say(socket: &mut WebSocketStream<TcpStream>, frame: &ToRelay) -> Option<()> {
    socket.send(Frame::text(serde_json::to_string(frame).ok()?)).await.ok()
}

fn rate() -> f64 {
    let set = std::env::var("ASIDE_BENCH_RATE").ok().and_then(|text| text.parse().ok());
    set.unwrap_or(PER_SECOND as f64)
}

fn free() -> SocketAddr {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}
