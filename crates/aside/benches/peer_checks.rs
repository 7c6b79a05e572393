//! The cost of telling the user from a command of a task: once for each connection, never for a keystroke. For comparison, in the
//! same run, the same exchange with a server that checks nothing, and a keystroke on an open connection.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use crate::daemon::Daemon;
use crate::harness::home::Home;
use crate::table::{Row, Samples, Target};

const ROUNDS: usize = 3000;
const QUESTION: &[u8] = b"{\"type\":\"why\",\"request_id\":1,\"session_id\":\"s\"}\n";

pub fn measure() -> Vec<Row> {
    let home = Home::new();
    let mut daemon = Daemon::start(&home);
    daemon.first_answer();
    let bare = home.path("bare.sock");
    echoes(&bare);
    let [mut whole, mut plain, mut key, mut check]: [Samples; 4] = Default::default();
    let (mut open, mut lines) = connected(&home.socket());
    for _ in 0..ROUNDS {
        let began = Instant::now();
        let (mut stream, mut reader) = connected(&home.socket());
        asks(&mut stream, &mut reader);
        drop((stream, reader));
        whole.add(began.elapsed());
        let began = Instant::now();
        let (mut stream, mut reader) = connected(&bare);
        asks(&mut stream, &mut reader);
        drop((stream, reader));
        plain.add(began.elapsed());
        let began = Instant::now();
        asks(&mut open, &mut lines);
        key.add(began.elapsed());
        let began = Instant::now();
        checks();
        check.add(began.elapsed());
    }
    let micro = |samples: &Samples| samples.median().map(|ms| ms * 1e3);
    let ratio = |one: &Samples, other: &Samples| Some(one.median()? / other.median()?);
    vec![
        Row::alone("connect, ask, close at the daemon", "µs", micro(&whole), Target::None),
        Row::alone("  the same at a server that checks nothing", "µs", micro(&plain), Target::None),
        Row::alone("  as a ratio to that", "×", ratio(&whole, &plain), Target::None),
        Row::alone("the check: pidfd, limits, still alive", "µs", micro(&check), Target::Value(50.0)),
        Row::alone("  as a share of the exchange", "×", ratio(&check, &whole), Target::None),
        Row::alone("a question on an open connection (no check)", "µs", micro(&key), Target::None),
    ]
}

/// The checks that the daemon makes for each accepted connection.
fn checks() {
    let own = rustix::process::getpid();
    let process = pidfd_open(own, PidfdFlags::empty()).unwrap();
    let limits = std::fs::read_to_string(format!("/proc/{}/limits", Pid::as_raw_pid(own))).unwrap();
    assert!(limits.lines().any(|row| row.starts_with("Max file locks")));
    let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
    assert_eq!(poll(&mut [PollFd::new(&process, PollFlags::IN)], Some(&at_once)), Ok(0));
}

fn connected(socket: &Path) -> (UnixStream, BufReader<UnixStream>) {
    let stream = UnixStream::connect(socket).unwrap();
    let reader = BufReader::new(stream.try_clone().unwrap());
    (stream, reader)
}

fn asks(stream: &mut UnixStream, reader: &mut BufReader<UnixStream>) {
    stream.write_all(QUESTION).unwrap();
    let mut line = String::new();
    assert_ne!(reader.read_line(&mut line).unwrap(), 0);
}

fn echoes(socket: &Path) {
    let listener = UnixListener::bind(socket).unwrap();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let mut lines = BufReader::new(stream.try_clone().unwrap());
            let mut line = String::new();
            while lines.read_line(&mut line).is_ok_and(|length| length > 0) {
                let _ = stream.write_all(line.as_bytes());
                line.clear();
            }
        }
    });
}
