//! Aside as a shell uses it: the real program, started in its own home without any history, queried over its socket. One
//! connection, one session, and it waits for every reply.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use aside_proto::{
    self as proto, Answer, Call, CompleteParams, CompleteResult, Finished, Ghost, Hello, NamesParams, Reply, Request,
};
use rustix::process::{Pid, Signal};

use super::history_lines::{self, HistoryLine};
use super::playback::Tool;
use super::typist::Offers;
use crate::harness::home::{ASIDE, Home};

const SESSION: &str = "replay";
/// Every tenth request is repeated with an empty line: the cost of a round trip at that moment.
const EMPTY_EVERY: usize = 10;
/// For a history without times: shells count in seconds.
const FIRST_TIME: i64 = 1_600_000_000_000;

pub struct Daemon {
    child: Child,
    stream: UnixStream,
    unread: Vec<u8>,
    asked: u64,
    ran: i64,
    /// Commands that the session has reported.
    known: std::collections::HashSet<String>,
    pub times: Times,
    /// Declared last, so dropped last: the home ends what is left of the daemon.
    _home: Home,
}

/// The latencies of replies.
#[derive(Clone, Debug, Default)]
pub struct Times {
    pub line: Vec<Duration>,
    pub nothing: Vec<Duration>,
}

impl Daemon {
    pub fn start() -> Self {
        let home = Home::new();
        let mut command = home.command(ASIDE);
        command.args(["daemon", "run"]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn().expect("aside runs");
        let stream = loop {
            match UnixStream::connect(home.socket()) {
                Ok(stream) => break stream,
                Err(_) => std::thread::sleep(Duration::from_millis(1)),
            }
        };
        let known = std::collections::HashSet::new();
        let times = Times::default();
        let mut daemon = Self { child, stream, unread: Vec::new(), asked: 0, ran: 0, known, times, _home: home };
        let hello = Hello {
            protocol: proto::PROTOCOL,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            shell: "zsh".to_owned(),
            session: SESSION.to_owned(),
            ..Hello::default()
        };
        daemon.asks(Request::Hello(hello));
        daemon
    }

    fn asks(&mut self, request: Request) -> (Reply, Duration) {
        self.asked += 1;
        let call = proto::json::encode_call(&Call::new(self.asked, request));
        let began = Instant::now();
        self.stream.write_all(&call).expect("the daemon reads");
        loop {
            let line = self.line();
            let took = began.elapsed();
            let Answer { id, reply } = serde_json::from_slice(&line).expect("the daemon speaks its protocol");
            // An update after the reply comes too late for a user who types on.
            if id == self.asked && !matches!(reply, Reply::Update(_)) {
                return (reply, took);
            }
        }
    }

    fn line(&mut self) -> Vec<u8> {
        loop {
            if let Some(end) = self.unread.iter().position(|byte| *byte == b'\n') {
                return self.unread.drain(..=end).collect();
            }
            let mut bytes = [0; 1 << 14];
            let count = self.stream.read(&mut bytes).expect("the daemon answers");
            assert!(count > 0, "the daemon hung up");
            self.unread.extend_from_slice(&bytes[..count]);
        }
    }

    fn completes(&mut self, left: &str, cwd: &str) -> (CompleteResult, Duration) {
        let (session, cwd, left) = (SESSION.to_owned(), cwd.to_owned(), left.to_owned());
        let asked = CompleteParams { session, cwd, left, ..CompleteParams::default() };
        match self.asks(Request::Complete(asked)) {
            (Reply::Complete(candidates), took) => (candidates, took),
            (other, _) => panic!("the daemon answers {other:?}"),
        }
    }
}

impl Tool for Daemon {
    fn offers(&mut self, left: &str, cwd: &str) -> Offers {
        if self.times.line.len().is_multiple_of(EMPTY_EVERY) {
            let (_, took) = self.completes("", cwd);
            self.times.nothing.push(took);
        }
        let (answer, took) = self.completes(left, cwd);
        self.times.line.push(took);
        let unsure = (answer.ghost == Ghost::Unsure).then(String::new);
        unsure.into_iter().chain(answer.candidates.into_iter().map(|candidate| candidate.completion)).collect()
    }

    fn ran(&mut self, typed: &HistoryLine) {
        self.ran += 1;
        let start_ms = if typed.start_ms > 0 { typed.start_ms } else { FIRST_TIME + self.ran * 1000 };
        let finished = Finished {
            session: SESSION.to_owned(),
            seq: self.ran,
            cwd: typed.cwd.clone(),
            exit: 0,
            start_ms,
            duration_ms: 1,
            shell: "zsh".to_owned(),
            command: typed.command.clone(),
            private: false,
        };
        let (reply, _) = self.asks(Request::Finished(finished));
        assert_eq!(reply, Reply::Ok, "{}", typed.command);
        for name in history_lines::commands_in(&typed.command) {
            if self.known.insert(name.to_owned()) {
                let kind = "function".to_owned();
                let names = NamesParams { session: SESSION.to_owned(), kind, part: 1, names: name.to_owned() };
                self.asks(Request::Names(names));
            }
        }
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = rustix::process::kill_process(Pid::from_child(&self.child), Signal::TERM);
        let _ = self.child.wait();
    }
}

impl Times {
    pub fn add(&mut self, other: Self) {
        self.line.extend(other.line);
        self.nothing.extend(other.nothing);
    }

    /// In milliseconds.
    pub fn quantile(times: &[Duration], share: f64) -> f64 {
        let mut sorted = times.to_vec();
        sorted.sort_unstable();
        let last = sorted.len().saturating_sub(1);
        sorted.get((last as f64 * share).round() as usize).map_or(0.0, |time| time.as_secs_f64() * 1e3)
    }
}
