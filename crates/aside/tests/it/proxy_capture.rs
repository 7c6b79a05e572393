//! Output in the proxy terminal reaches a daemon, if there is one, and never waits for it.

use std::io::Read;
use std::os::unix::net::{UnixListener, UnixStream};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};

use crate::harness::home::Home;
use crate::harness::patience;
use crate::proxy::{Around, READY, sh};

const MARK: &str = "0123456789abcdef";

/// A line that prints `text` between marks, like those of zsh in the proxy terminal.
pub fn marked(seq: usize, text: &str) -> String {
    format!(
        "printf '\\033]7133;C;aside={MARK}.{seq}.80.24\\007'; {text}; printf '\\033]7133;D;0;aside={MARK}.{seq}\\007'\n"
    )
}

/// A stub daemon that only listens.
pub struct Listener(UnixListener);

impl Listener {
    pub fn new(home: &Home) -> Self {
        _ = std::fs::remove_file(home.socket());
        Self(UnixListener::bind(home.socket()).unwrap())
    }

    /// Accepts the next connection and checks that it announces its terminal.
    #[track_caller]
    pub fn accepts(&self) -> Heard {
        let mut ready = [PollFd::new(&self.0, PollFlags::IN)];
        let limit = patience().try_into().unwrap();
        assert_eq!(poll(&mut ready, Some(&limit)), Ok(1), "nobody called");
        let (stream, _) = self.0.accept().unwrap();
        stream.set_read_timeout(Some(patience())).unwrap();
        let mut heard = Heard { stream, bytes: Vec::new() };
        let watching = heard.record();
        assert!(watching[1] == "watching" && watching[3] == "pty" && watching[2].starts_with("/dev/"), "{watching:?}");
        heard
    }
}

pub struct Heard {
    stream: UnixStream,
    bytes: Vec<u8>,
}

impl Heard {
    /// The fields of the next request.
    #[track_caller]
    pub fn record(&mut self) -> Vec<String> {
        loop {
            let fields: Vec<&[u8]> = self.bytes.split(|byte| *byte == 0).collect();
            let count = String::from_utf8_lossy(fields[0]).parse::<usize>().unwrap_or(usize::MAX - 1);
            if fields.len() > count.saturating_add(1) {
                let record: Vec<String> =
                    fields[1..=count].iter().map(|field| String::from_utf8_lossy(field).into_owned()).collect();
                let length = fields[..=count].iter().map(|field| field.len() + 1).sum::<usize>();
                self.bytes.drain(..length);
                return record;
            }
            let mut bytes = [0; 65536];
            let count = self.stream.read(&mut bytes).expect("something to hear");
            assert!(count > 0, "the connection ended");
            self.bytes.extend_from_slice(&bytes[..count]);
        }
    }
}

#[test]
fn what_a_command_printed_is_delivered_as_it_was_on_the_screen() {
    let home = Home::new();
    let daemon = Listener::new(&home);
    let mut tape = sh(&home, Around::Proxy);
    let mut heard = daemon.accepts();
    tape.sends(marked(3, "printf 'one\\r\\033[Ktwo\\nth\\033[31mree\\033[m\\n'")).hears("th").hears(READY);
    let captured = heard.record();
    assert_eq!(captured[1..], ["captured", &captured[2], MARK, "3", "two\nthree", &captured[6]]);
    assert!(captured[2].starts_with("/dev/pts/"), "{captured:?}");
    // Output outside of marks belongs to no command.
    tape.sends("echo secret\n").hears("\r\nsecret").hears(READY);
    tape.sends(marked(4, "seq 1 30000")).hears("\n30000").hears(READY);
    let captured = heard.record();
    assert!(captured[4] == "4" && captured[5].starts_with("1\n2\n") && captured[5].ends_with("\n29999\n30000"));
    assert_eq!(
        captured[6].parse::<u64>().unwrap(),
        (1..=30_000).map(|n: u32| n.to_string().len() as u64 + 2).sum::<u64>()
    );
}

#[test]
fn a_daemon_that_comes_later_or_again_is_told() {
    let home = Home::new();
    let mut tape = sh(&home, Around::Proxy);
    tape.sends(marked(1, "echo lo''st")).hears("lost").hears(READY);
    let daemon = Listener::new(&home);
    tape.sends("echo he''re\n").hears("here").hears(READY);
    let heard = daemon.accepts();
    drop((heard, daemon));
    let daemon = Listener::new(&home);
    tape.sends(marked(2, "echo ki''lled")).hears("killed").hears(READY);
    // On a busy machine the first output may be reported only now.
    let mut heard = daemon.accepts();
    let mut captured = heard.record();
    if captured[4] == "1" {
        captured = heard.record();
    }
    assert_eq!((captured[4].as_str(), captured[5].as_str()), ("2", "killed"));
}

#[test]
fn a_daemon_that_hangs_is_not_waited_for() {
    let home = Home::new();
    let _daemon = Listener::new(&home);
    let mut tape = sh(&home, Around::Proxy);
    for seq in 0..40 {
        tape.sends(marked(seq, "seq 1 20000")).hears("\n20000\r").hears(READY);
    }
    tape.sends("exit 3\n");
    assert_eq!(tape.ends(), 3);
}

#[test]
fn nothing_is_written_to_a_disk() {
    let home = Home::new();
    let mut tape = sh(&home, Around::Proxy);
    tape.sends(marked(1, "echo fro''bnicate")).hears("frobnicate").hears(READY);
    std::thread::sleep(Duration::from_millis(300));
    let mut left = Vec::new();
    files(&home.path(""), &mut left);
    assert_eq!(left, [home.path(".inputrc")]);
}

fn files(directory: &std::path::Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(directory).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() { files(&path, found) } else { found.push(path) }
    }
}
