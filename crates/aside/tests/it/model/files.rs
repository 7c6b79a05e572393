//! A loopback server for a single file: whole or truncated, unchanged or replaced, with the validators of real servers.

use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Instant;

use crate::harness::patience;

#[derive(Clone, Default)]
pub struct Host {
    pub file: Vec<u8>,
    pub etag: Option<String>,
    /// The file's etag, sent as `x-linked-etag` like the model hub does.
    pub linked: Option<String>,
    /// Closes each of the next connections after that many bytes of the body.
    pub cuts: Vec<usize>,
    /// Stops sending after this many bytes and keeps the connection open.
    pub hangs_after: Option<usize>,
    /// Returned in place of the file.
    pub status: Option<u16>,
    /// The length that it claims for the file.
    pub claims: Option<u64>,
    /// Where `/sent-on` redirects to.
    pub location: Option<String>,
}

pub struct Files {
    address: SocketAddr,
    stage: Arc<Stage>,
}

#[derive(Default)]
struct Stage {
    host: Mutex<Host>,
    asked: Mutex<Vec<String>>,
    /// Body bytes sent so far.
    sent: Mutex<usize>,
    changed: Condvar,
}

impl Files {
    pub fn start(host: Host) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let stage = Arc::new(Stage { host: Mutex::new(host), ..Stage::default() });
        let shared = Arc::clone(&stage);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let stage = Arc::clone(&shared);
                std::thread::spawn(move || stage.serve(stream));
            }
        });
        Self { address, stage }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}/{path}", self.address)
    }

    pub fn change(&self, change: impl FnOnce(&mut Host)) {
        change(&mut self.stage.host.lock().unwrap());
    }

    /// Each request: its path, its range, its condition.
    pub fn asked(&self) -> Vec<String> {
        self.stage.asked.lock().unwrap().clone()
    }

    #[track_caller]
    pub fn wait_until_sent(&self, bytes: usize) {
        let deadline = Instant::now() + patience();
        let mut sent = self.stage.sent.lock().unwrap();
        while *sent < bytes {
            let left = deadline.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "only {sent} bytes were asked for");
            sent = self.stage.changed.wait_timeout(sent, left).unwrap().0;
        }
    }
}

impl Stage {
    fn serve(&self, mut stream: TcpStream) {
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        while let Some((path, range, condition)) = read(&mut reader) {
            let said = [path.as_str(), range.as_deref().unwrap_or("-"), condition.as_deref().unwrap_or("-")].join(" ");
            self.asked.lock().unwrap().push(said);
            let host = self.host.lock().unwrap().clone();
            if self.answer(&mut stream, &host, &path, range, condition).is_err() {
                return;
            }
        }
    }

    /// An error when the connection has ended.
    fn answer(
        &self,
        stream: &mut TcpStream,
        host: &Host,
        path: &str,
        range: Option<String>,
        condition: Option<String>,
    ) -> std::io::Result<()> {
        let mut stamps = String::new();
        let quoted = |name: &str, value: &Option<String>| {
            value.as_ref().map(|value| format!("{name}: \"{value}\"\r\n")).unwrap_or_default()
        };
        if let Some(location) = host.location.as_ref().filter(|_| path == "/sent-on") {
            let linked = quoted("x-linked-etag", &host.linked);
            let head = format!("HTTP/1.1 302 Found\r\nlocation: {location}\r\n{linked}content-length: 0\r\n\r\n");
            return stream.write_all(head.as_bytes());
        }
        if let Some(status) = host.status {
            return stream.write_all(format!("HTTP/1.1 {status} No\r\ncontent-length: 0\r\n\r\n").as_bytes());
        }
        stamps += &quoted("etag", &host.etag);
        if host.location.is_none() {
            stamps += &quoted("x-linked-etag", &host.linked);
        }
        let whole = host.file.len();
        let etag = host.etag.as_ref().map(|etag| format!("\"{etag}\""));
        let still = condition.is_none() || condition == etag;
        let from =
            range.filter(|_| still).and_then(|range| range.strip_prefix("bytes=")?.strip_suffix('-')?.parse().ok());
        let (head, body) = match from {
            Some(from) if from >= whole => {
                let head = format!("416 No\r\ncontent-range: bytes */{whole}\r\ncontent-length: 0\r\n{stamps}\r\n");
                (head, &[][..])
            }
            Some(from) => {
                let rest = &host.file[from..];
                let range = format!("content-range: bytes {from}-{}/{whole}\r\n", whole - 1);
                (format!("206 Partial\r\n{range}content-length: {}\r\n{stamps}\r\n", rest.len()), rest)
            }
            None => {
                let length = host.claims.unwrap_or(whole as u64);
                (format!("200 OK\r\ncontent-length: {length}\r\n{stamps}\r\n"), &host.file[..])
            }
        };
        stream.write_all(format!("HTTP/1.1 {head}").as_bytes())?;
        let cut = {
            let mut host = self.host.lock().unwrap();
            if host.cuts.is_empty() { None } else { Some(host.cuts.remove(0)) }
        };
        let end = cut.or(host.hangs_after).unwrap_or(body.len()).min(body.len());
        stream.write_all(&body[..end])?;
        *self.sent.lock().unwrap() += end;
        self.changed.notify_all();
        if cut.is_some() {
            stream.shutdown(std::net::Shutdown::Both)?;
            return Err(std::io::ErrorKind::ConnectionReset.into());
        }
        Ok(())
    }
}

fn read(reader: &mut impl BufRead) -> Option<(String, Option<String>, Option<String>)> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|count| *count > 0)?;
    let path = line.split(' ').nth(1)?.to_owned();
    let (mut range, mut condition) = (None, None);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        match name.to_ascii_lowercase().as_str() {
            "range" => range = Some(value.to_owned()),
            "if-range" => condition = Some(value.to_owned()),
            _ => {}
        }
    }
    Some((path, range, condition))
}
