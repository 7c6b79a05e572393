//! `aside sink` between a pipe and a stub daemon: which records it sends, and when it exits.

use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::process::{Child, ChildStdin, Stdio};
use std::time::{Duration, Instant};

use crate::harness::home::{ASIDE, Home};
use crate::harness::patience;

/// A sink, and the socket at which it expects its daemon.
struct Sink {
    _home: Home,
    child: Child,
    pane: Option<ChildStdin>,
}

/// The daemon's end of a connection.
struct Ear(UnixStream);

impl Sink {
    fn start(home: Home) -> Self {
        let mut command = home.command(ASIDE);
        command.args(["sink", "--tty", "/dev/pts/77", "--socket"]).arg(home.socket());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let pane = child.stdin.take();
        Self { _home: home, child, pane }
    }

    fn prints(&mut self, bytes: &[u8]) {
        self.pane.as_mut().unwrap().write_all(bytes).unwrap();
    }

    fn marked(&mut self, seq: u32, bytes: &[u8]) {
        self.prints(format!("\x1b]133;C;aside=5f1c9a2be07d4413.{seq}.80.24\x07").as_bytes());
        self.prints(bytes);
        self.prints(format!("\x1b]133;D;0;aside=5f1c9a2be07d4413.{seq}\x07").as_bytes());
    }

    #[track_caller]
    fn ends(&mut self) {
        let deadline = Instant::now() + patience();
        while self.child.try_wait().unwrap().is_none() {
            assert!(Instant::now() < deadline, "the sink did not end");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Sink {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Ear {
    #[track_caller]
    fn of(listener: &UnixListener) -> Self {
        let (stream, _) = listener.accept().unwrap();
        stream.set_read_timeout(Some(patience())).unwrap();
        Self(stream)
    }

    fn field(&mut self) -> String {
        let mut field = Vec::new();
        let mut byte = [0];
        while self.0.read(&mut byte).expect("the sink says something") == 1 && byte != [0] {
            field.push(byte[0]);
        }
        String::from_utf8(field).unwrap()
    }

    /// The next record, without its count; empty at end of file.
    fn hears(&mut self) -> Vec<String> {
        let count = self.field().parse::<usize>().unwrap_or(0);
        (0..count).map(|_| self.field()).skip(1).collect()
    }

    fn says(&mut self, answer: &str) {
        self.0.write_all(answer.as_bytes()).unwrap();
    }
}

fn listening(home: &Home) -> UnixListener {
    // Without its lock Aside is not installed.
    std::fs::write(home.socket().with_extension("sock.lock"), "").unwrap();
    UnixListener::bind(home.socket()).unwrap()
}

#[test]
fn outputs_are_told_as_they_were_on_the_screen_and_the_end_is_said() {
    let home = Home::new();
    let listener = listening(&home);
    let mut sink = Sink::start(home);
    let mut ear = Ear::of(&listener);
    let pid = sink.child.id().to_string();
    assert_eq!(ear.hears(), ["watching", "/dev/pts/77", "tmux", pid.as_str()]);
    ear.says("1\x1fok\0");
    sink.prints(b"nobody's business\r\n");
    sink.marked(7, b"10 %\r90 %\r\n\x1b[31mfatal\x1b[0m: no\r\n");
    let captured = ear.hears();
    assert_eq!(captured[..5], ["captured", "/dev/pts/77", "5f1c9a2be07d4413", "7", "90 %\nfatal: no"]);
    ear.says("2\x1fok\0");
    sink.pane = None;
    assert_eq!(ear.hears(), ["watching", "/dev/pts/77", "", pid.as_str()]);
    sink.ends();
}

#[test]
fn a_daemon_that_does_not_want_to_know_any_more_ends_it() {
    let home = Home::new();
    let listener = listening(&home);
    let mut sink = Sink::start(home);
    let mut ear = Ear::of(&listener);
    ear.hears();
    ear.says("1\x1fok\0");
    sink.marked(1, b"one\r\n");
    ear.hears();
    ear.says("2\x1fok\x001\x1ferror\x1fnot_wanted\x1fgo\0");
    sink.ends();
}

#[test]
fn a_daemon_that_comes_back_hears_what_is_printed_then() {
    let home = Home::new();
    let listener = listening(&home);
    let mut sink = Sink::start(home);
    drop(Ear::of(&listener));
    let mut ear = Ear::of(&listener);
    assert_eq!(ear.hears()[0], "watching");
    sink.marked(2, b"two\r\n");
    assert_eq!(ear.hears()[4], "two");
}

#[test]
fn a_daemon_that_hangs_does_not_hold_the_pane_up() {
    let home = Home::new();
    let listener = listening(&home);
    let mut sink = Sink::start(home);
    let ear = Ear::of(&listener);
    // Far more than pipe and socket can buffer: a sink that waited for the daemon would never read it all.
    let line = [b"x".repeat(78).as_slice(), b"\r\n"].concat().repeat(1000);
    for seq in 1..=200 {
        sink.marked(seq, &line);
    }
    sink.pane = None;
    drop(ear);
    sink.ends();
}
