//! A client of the daemon's socket, in both encodings: records as shells write them, and JSON lines.

use std::io::{ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::harness::patience;

pub struct SocketClient {
    stream: UnixStream,
    /// Received, but not yet consumed.
    unread: Vec<u8>,
}

impl SocketClient {
    /// Waits until the daemon listens at `socket`.
    #[track_caller]
    pub fn connect(socket: &Path) -> Self {
        let deadline = Instant::now() + patience();
        loop {
            match UnixStream::connect(socket) {
                Ok(stream) => {
                    stream.set_read_timeout(Some(patience())).unwrap();
                    stream.set_write_timeout(Some(patience())).unwrap();
                    return Self { stream, unread: Vec::new() };
                }
                Err(error) if Instant::now() > deadline => {
                    panic!("no daemon listens at {}: {error}", socket.display())
                }
                Err(_) => std::thread::sleep(Duration::from_millis(2)),
            }
        }
    }

    /// Sends one record and reads one reply: `wire.record(&["1", "hello"])`.
    #[track_caller]
    pub fn record(&mut self, fields: &[&str]) -> Vec<String> {
        self.sends_record(fields).reads_record()
    }

    /// A count, then the fields, each terminated by NUL: what `print -rNu $fd -- N "f1" …` writes.
    #[track_caller]
    pub fn sends_record(&mut self, fields: &[&str]) -> &mut Self {
        let mut bytes = format!("{}\0", fields.len()).into_bytes();
        for field in fields {
            bytes.extend_from_slice(field.as_bytes());
            bytes.push(0);
        }
        self.raw(&bytes)
    }

    /// Fields between unit separators, the last one terminated by NUL.
    #[track_caller]
    pub fn reads_record(&mut self) -> Vec<String> {
        let record = self.reads_until(0, "a record");
        record.split('\x1f').map(str::to_owned).collect()
    }

    /// Sends one JSON line and reads one back.
    #[track_caller]
    pub fn json(&mut self, request: Value) -> Value {
        self.sends_json(request).reads_json()
    }

    #[track_caller]
    pub fn sends_json(&mut self, request: Value) -> &mut Self {
        self.raw(format!("{request}\n").as_bytes())
    }

    #[track_caller]
    pub fn reads_line(&mut self) -> String {
        self.reads_until(b'\n', "a line")
    }

    #[track_caller]
    pub fn reads_json(&mut self) -> Value {
        let line = self.reads_until(b'\n', "a line of JSON");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("not JSON ({error}): {line}"))
    }

    /// A JSON line, if one arrives within `limit`.
    pub fn polls_json(&mut self, limit: Duration) -> Option<Value> {
        let deadline = Instant::now() + limit;
        while !self.unread.contains(&b'\n') {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return None;
            }
            self.stream.set_read_timeout(Some(left)).unwrap();
            let mut bytes = [0; 4096];
            let read = self.stream.read(&mut bytes);
            self.stream.set_read_timeout(Some(patience())).unwrap();
            self.unread.extend_from_slice(&bytes[..read.unwrap_or(0)]);
        }
        Some(self.reads_json())
    }

    /// Sends raw bytes.
    #[track_caller]
    pub fn raw(&mut self, bytes: &[u8]) -> &mut Self {
        self.stream.write_all(bytes).unwrap_or_else(|error| panic!("the daemon does not take what we send: {error}"));
        self
    }

    /// Shuts down the write half and keeps reading: what `socat` does when its input ends.
    #[track_caller]
    pub fn falls_silent(&mut self) -> &mut Self {
        self.stream.shutdown(std::net::Shutdown::Write).unwrap();
        self
    }

    /// Shuts down the write half and returns everything that still arrives.
    #[track_caller]
    pub fn falls_silent_and_hears(mut self) -> String {
        self.falls_silent();
        self.ends()
    }

    /// Waits until the peer closes the connection and returns what it sent before that.
    #[track_caller]
    pub fn ends(mut self) -> String {
        while self.reads_more("the end") {}
        String::from_utf8_lossy(&self.unread).into_owned()
    }

    #[track_caller]
    fn reads_until(&mut self, end: u8, what: &str) -> String {
        loop {
            if let Some(length) = self.unread.iter().position(|byte| *byte == end) {
                let taken: Vec<u8> = self.unread.drain(..=length).collect();
                return String::from_utf8(taken[..length].to_vec()).expect("the daemon speaks UTF-8");
            }
            if !self.reads_more(what) {
                panic!("the daemon hung up before {what} ended; it had said {:?}", self.so_far());
            }
        }
    }

    /// False at the end of the stream.
    #[track_caller]
    fn reads_more(&mut self, what: &str) -> bool {
        let mut bytes = [0; 4096];
        match self.stream.read(&mut bytes) {
            Ok(count) => {
                self.unread.extend_from_slice(&bytes[..count]);
                count > 0
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => true,
            Err(error) if error.kind() == ErrorKind::ConnectionReset => false,
            Err(error) => panic!("waited for {what} from the daemon ({error}); it had said {:?}", self.so_far()),
        }
    }

    fn so_far(&self) -> String {
        String::from_utf8_lossy(&self.unread).into_owned()
    }
}
