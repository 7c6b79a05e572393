//! A minimal HTTP client and server for tests: one request per connection.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};

use crate::harness::patience;

/// A request as a server sees it.
#[derive(Clone, Debug)]
pub struct Called {
    /// Includes the query string.
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Called {
    pub fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map_or("", |(_, value)| value)
    }
}

/// A server that answers with the result of a function and records every request.
pub struct Server {
    pub address: String,
    called: Receiver<Called>,
}

impl Server {
    pub fn start(mut answer: impl FnMut(&Called) -> (u16, String) + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let (tell, called): (Sender<Called>, _) = channel();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let Some(request) = read(&stream) else { continue };
                let (status, body) = answer(&request);
                let head =
                    format!("HTTP/1.1 {status} x\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
                let _ = stream.write_all(format!("{head}{body}").as_bytes());
                if tell.send(request).is_err() {
                    return;
                }
            }
        });
        Self { address, called }
    }

    /// The next request whose path begins with `path`.
    #[track_caller]
    pub fn hears(&self, path: &str) -> Called {
        loop {
            let called = self.called.recv_timeout(patience()).unwrap_or_else(|_| panic!("no call of {path}"));
            if called.path.starts_with(path) {
                return called;
            }
        }
    }
}

fn read(stream: &TcpStream) -> Option<Called> {
    stream.set_read_timeout(Some(patience())).unwrap();
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
    let mut words = line.split_whitespace().map(str::to_owned);
    let path = words.nth(1)?;
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        headers.push((name.to_owned(), value.to_owned()));
    }
    let mut called = Called { path, headers, body: String::new() };
    let length: u64 = called.header("content-length").parse().unwrap_or(0);
    reader.take(length).read_to_string(&mut called.body).ok()?;
    Some(called)
}

/// Sends raw bytes and returns everything until the peer closes.
pub fn raw(address: &str, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(patience())).unwrap();
    // The server may have closed the connection already.
    let _ = stream.write_all(bytes);
    let mut answer = Vec::new();
    let mut piece = [0; 4096];
    while let Ok(read) = stream.read(&mut piece) {
        if read == 0 {
            break;
        }
        answer.extend_from_slice(&piece[..read]);
    }
    String::from_utf8_lossy(&answer).into_owned()
}

/// Sends a request and returns the status and body of the reply.
pub fn call(address: &str, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> (u16, String) {
    let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let length = body.len();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{headers}Content-Length: {length}\r\n\r\n"
    );
    let answer = raw(address, format!("{head}{body}").as_bytes());
    let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    (status, answer.split_once("\r\n\r\n").map(|(_, body)| body.to_owned()).unwrap_or_default())
}

/// A local port that was free a moment ago.
pub fn free() -> String {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string()
}
