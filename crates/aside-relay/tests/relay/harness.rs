//! One relay or several on one store, a chat behind a webhook, and machines that speak the protocol and nothing else.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use aside_relay::chat::webhook;
use aside_relay::http::{self, HttpResponse};
use aside_relay::key::MachineKey;
use aside_relay::protocol::{MACHINE_PATH, Message, ToMachine, ToRelay};
use aside_relay::relay::Relay;
use aside_relay::settings::{self, Settings};
use aside_relay::store::Store;
use aside_relay::{seconds, serve};
use futures_util::{SinkExt, StreamExt};
use hyper::StatusCode;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message as Frame;
use tokio_tungstenite::tungstenite::protocol::Role;

/// A hang, not a slow machine.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Where the state is.
pub enum Backend {
    Sqlite(TempDir),
    Nats(Nats),
}

/// A real server, which ends with the test.
pub struct Nats {
    program: PathBuf,
    dir: TempDir,
    port: u16,
    server: Child,
}

impl Nats {
    /// Nothing where `make test-relay` has not said which program.
    pub fn start() -> Option<Self> {
        let program = PathBuf::from(std::env::var_os("ASIDE_TEST_NATS")?);
        let dir = tempfile::tempdir().unwrap();
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let server = spawn(&program, dir.path(), port);
        Some(Self { program, dir, port, server })
    }

    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// Without a word to its clients.
    pub fn kill(&mut self) {
        self.server.kill().unwrap();
        self.server.wait().unwrap();
    }

    pub fn restart(&mut self) {
        self.server = spawn(&self.program, self.dir.path(), self.port);
    }
}

impl Drop for Nats {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

fn spawn(program: &Path, dir: &Path, port: u16) -> Child {
    let mut command = Command::new(program);
    command.args(["-a", "127.0.0.1", "-p", &port.to_string(), "-js", "-sd"]).arg(dir);
    let server = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let begun = std::time::Instant::now();
    while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(begun.elapsed() < PATIENCE, "nats-server does not listen");
        std::thread::sleep(Duration::from_millis(20));
    }
    server
}

/// SQLite, and NATS where it is there.
pub fn backends() -> Vec<Backend> {
    let sqlite = Backend::Sqlite(tempfile::tempdir().unwrap());
    std::iter::once(sqlite).chain(Nats::start().map(Backend::Nats)).collect()
}

pub fn sqlite() -> Backend {
    Backend::Sqlite(tempfile::tempdir().unwrap())
}

impl Backend {
    pub async fn store(&self, expire: Duration) -> Arc<dyn Store> {
        match self {
            Backend::Sqlite(dir) => {
                let settings = plain("", expire);
                serve::store(&settings, dir.path()).await.unwrap()
            }
            Backend::Nats(nats) => {
                let settings = plain(&nats.url(), expire);
                serve::store(&settings, nats.dir.path()).await.unwrap()
            }
        }
    }
}

pub const TOKEN: &str = "an admin token that is long enough";
pub const KEY: &str = "a webhook key that is long enough too";

fn plain(nats: &str, expire: Duration) -> Settings {
    let text = format!("admin_token = '{TOKEN}'\n[webhook]\nkey = '{KEY}'\n[nats]\nurl = '{nats}'\n");
    let mut settings = settings::read(&text).unwrap();
    (settings.listen, settings.admin_listen) = ("127.0.0.1:0".to_owned(), "127.0.0.1:0".to_owned());
    settings.expire = expire;
    settings
}

/// A relay that listens.
pub struct Site {
    pub relay: Arc<Relay>,
    pub public: SocketAddr,
    pub admin: SocketAddr,
    running: JoinHandle<()>,
}

impl Drop for Site {
    fn drop(&mut self) {
        self.running.abort();
    }
}

pub async fn site(backend: &Backend, chat: &Chat) -> Site {
    site_with(backend, |settings| settings.reply_url = chat.address.clone()).await
}

pub async fn site_with(backend: &Backend, change: impl FnOnce(&mut Settings)) -> Site {
    let mut settings = plain("", Duration::from_secs(3600));
    change(&mut settings);
    let relay = Arc::new(Relay::new(backend.store(settings.expire).await, settings).unwrap());
    let (tell, told) = oneshot::channel();
    let serving = Arc::clone(&relay);
    let running = tokio::spawn(async move {
        let listens = |public: &TcpListener, operator: &TcpListener| {
            let _ = tell.send((public.local_addr().unwrap(), operator.local_addr().unwrap()));
        };
        serve::run(serving, listens).await.unwrap();
    });
    let (public, admin) = told.await.unwrap();
    Site { relay, public, admin, running }
}

impl Site {
    /// A machine that is enrolled for a user, not connected yet.
    pub async fn enrols(&self, machine: &str, users: &[&str]) -> Identity {
        let users: Vec<String> = users.iter().map(|user| (*user).to_owned()).collect();
        let code = self.relay.invite(machine, &users, PATIENCE).await.unwrap();
        let (key, _) = MachineKey::generate().unwrap();
        let body = json!({ "code": code, "public_key": key.public() }).to_string();
        let (status, body) = call(self.public, "POST", "/enroll", &[], &body).await;
        assert_eq!(status, 200, "{body}");
        assert_eq!(serde_json::from_str::<Value>(&body).unwrap()["machine"], machine);
        Identity { name: machine.to_owned(), key }
    }

    /// A message through the webhook: the status.
    pub async fn hears(&self, id: &str, user: &str, text: &str) -> u16 {
        let body = json!({ "id": id, "user": user, "text": text }).to_string();
        let (time, signature) = webhook::headers(KEY, seconds(), &body);
        let headers = [(webhook::TIMESTAMP, time.as_str()), (webhook::SIGNATURE, signature.as_str())];
        call(self.public, "POST", "/webhook", &headers, &body).await.0
    }

    pub async fn admin(&self, method: &str, path: &str, body: &Value) -> (u16, Value) {
        let token = format!("Bearer {TOKEN}");
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let (status, body) = call(self.admin, method, path, &[("authorization", &token)], &body).await;
        (status, serde_json::from_str(&body).unwrap_or_default())
    }

    /// The events of the audit log.
    pub async fn audited(&self) -> Vec<String> {
        let lines = self.relay.store.audited(1000).await.unwrap();
        let event = |line: &String| serde_json::from_str::<Value>(line).unwrap()["event"].as_str().unwrap().to_owned();
        lines.iter().map(event).collect()
    }
}

pub struct Identity {
    pub name: String,
    pub key: MachineKey,
}

/// One connection of a machine.
pub struct Machine(pub WebSocketStream<TcpStream>);

impl Identity {
    pub async fn connects(&self, site: &Site) -> Machine {
        let mut machine = Machine::opens(site.public).await;
        let nonce = machine.challenged().await;
        machine
            .says(&ToRelay::Hello { machine: self.name.clone(), signature: self.key.sign(&self.name, &nonce) })
            .await;
        assert_eq!(machine.next().await, Some(ToMachine::Welcome { machine: self.name.clone() }));
        machine
    }
}

impl Machine {
    pub async fn opens(address: SocketAddr) -> Self {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        let request = format!(
            "GET {MACHINE_PATH} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(stream.read_u8().await.unwrap());
        }
        let head = String::from_utf8(head).unwrap();
        assert!(head.starts_with("HTTP/1.1 101 ") && head.contains("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="), "{head}");
        Self(WebSocketStream::from_raw_socket(stream, Role::Client, None).await)
    }

    pub async fn challenged(&mut self) -> String {
        match self.next().await {
            Some(ToMachine::Challenge { nonce }) => nonce,
            other => panic!("{other:?}"),
        }
    }

    pub async fn says(&mut self, frame: &ToRelay) {
        self.0.send(Frame::text(serde_json::to_string(frame).unwrap())).await.unwrap();
    }

    /// The next frame; nothing when the relay has hung up.
    pub async fn next(&mut self) -> Option<ToMachine> {
        loop {
            match timeout(PATIENCE, self.0.next()).await.expect("the relay says nothing") {
                Some(Ok(Frame::Text(text))) => return Some(serde_json::from_str(&text).unwrap()),
                Some(Ok(Frame::Ping(_) | Frame::Pong(_))) => {}
                _ => return None,
            }
        }
    }

    pub async fn delivered(&mut self) -> Message {
        match self.next().await {
            Some(ToMachine::Deliver(message)) => message,
            other => panic!("{other:?}"),
        }
    }

    /// Takes the next message, and gives its text.
    pub async fn takes(&mut self) -> String {
        let message = self.delivered().await;
        self.says(&ToRelay::Taken { id: message.id }).await;
        message.text
    }

    pub async fn replies(&mut self, id: &str, chat: &str, text: &str) -> Option<ToMachine> {
        let (id, chat, text) = (id.to_owned(), chat.to_owned(), text.to_owned());
        self.says(&ToRelay::Reply { id, chat, topic: "t1".to_owned(), text }).await;
        self.next().await
    }
}

/// A chat behind a webhook: what it is told.
pub struct Chat {
    pub address: String,
    told: mpsc::UnboundedReceiver<Value>,
    running: JoinHandle<()>,
}

impl Drop for Chat {
    fn drop(&mut self) {
        self.running.abort();
    }
}

impl Chat {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}/reply", listener.local_addr().unwrap());
        let (tell, told) = mpsc::unbounded_channel();
        let running = tokio::spawn(http::serve(listener, move |asked| {
            let body = std::str::from_utf8(&asked.body).unwrap();
            let (_, signature) = webhook::headers(KEY, asked.header(webhook::TIMESTAMP).parse().unwrap(), body);
            assert_eq!(asked.header(webhook::SIGNATURE), signature);
            let _ = tell.send(serde_json::from_str(body).unwrap());
            async { HttpResponse::of(StatusCode::OK, "") }
        }));
        Self { address, told, running }
    }

    /// What it is told next: where, and which words.
    pub async fn hears(&mut self) -> (String, String) {
        let told = timeout(PATIENCE, self.told.recv()).await.expect("the chat is told nothing").unwrap();
        (told["chat"].as_str().unwrap().to_owned(), told["text"].as_str().unwrap().to_owned())
    }

    pub fn heard_nothing(&mut self) -> bool {
        self.told.try_recv().is_err()
    }
}

/// One request over a connection of its own: the status and the body.
pub async fn call(
    address: SocketAddr,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> (u16, String) {
    let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let length = body.len();
    let text = format!(
        "{method} {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{headers}Content-Length: {length}\r\n\r\n{body}"
    );
    let answer = raw(address, text.as_bytes()).await;
    let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    (status, answer.split_once("\r\n\r\n").map(|(_, body)| body.to_owned()).unwrap_or_default())
}

/// Sends bytes as they are, and gives what comes until the other side closes.
pub async fn raw(address: SocketAddr, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    // A server that has heard enough may have closed.
    let _ = stream.write_all(bytes).await;
    let mut answer = Vec::new();
    let mut piece = [0; 4096];
    while let Ok(Ok(read)) = timeout(PATIENCE, stream.read(&mut piece)).await {
        if read == 0 {
            break;
        }
        answer.extend_from_slice(&piece[..read]);
    }
    String::from_utf8_lossy(&answer).into_owned()
}
