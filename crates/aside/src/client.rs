//! Sends one request to the daemon from a command-line program. Blocking, bounded, and without an async runtime: it must start fast.

pub mod tasks;

use std::fmt;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use aside_proto::{Answer, Call, Reply, Request, json};
use rustix::io::Errno;
use rustix::net::{self, AddressFamily, SocketAddrUnix, SocketFlags, SocketType};
use serde_json::Value;

use crate::exec::taint::{self, TrustLevel};

/// Reply timeout: a daemon that takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(3);
/// Reply timeout when the daemon waits for a model, which takes at most eight seconds.
const LONG_PATIENCE: Duration = Duration::from_secs(10);
/// Cap on the bytes of a reply.
const MAX_ANSWER: u64 = 4 * 1024 * 1024;
/// Fields of a reply that are shown by views which spell out what they contain.
const EXACT: [&str; 2] = ["offer", "event"];

#[derive(Debug)]
pub enum ClientError {
    /// No process listens on the socket.
    Absent,
    /// A process listens but does not reply.
    Silent,
    /// The listener belongs to another user, who must not receive our requests.
    Foreign,
    /// The listener is a command of a task, or a descendant of it.
    Impostor,
    /// The reply cannot be parsed.
    Garbled(String),
}

impl fmt::Display for ClientError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ClientError::Absent => write!(formatter, "the daemon is not running; `aside daemon start` starts it"),
            ClientError::Silent => {
                write!(formatter, "the daemon does not answer; `aside daemon stop` and `aside daemon start` replace it")
            }
            ClientError::Foreign => {
                write!(formatter, "another user listens on the socket; set ASIDE_SOCKET to a path of your own")
            }
            ClientError::Impostor => {
                write!(
                    formatter,
                    "what listens on the socket was started by a command of a task, and is not your daemon; \
                     `aside daemon stop` ends it"
                )
            }
            ClientError::Garbled(what) => {
                write!(formatter, "the daemon gave an answer that makes no sense ({what}); restart it")
            }
        }
    }
}

impl std::error::Error for ClientError {}

pub fn ask(socket: &Path, request: Request) -> Result<Reply, ClientError> {
    let waits = matches!(&request, Request::Complete(asked) if asked.wait);
    ask_with_timeout(socket, request, if waits { LONG_PATIENCE } else { PATIENCE })
}

/// Sends a request with its own reply timeout.
pub fn ask_with_timeout(socket: &Path, request: Request, patience: Duration) -> Result<Reply, ClientError> {
    let mut stream = connect(socket)?;
    stream.set_read_timeout(Some(patience)).map_err(|_| ClientError::Silent)?;
    let call = call(1, request);
    stream.write_all(&json::encode_call(&call)).map_err(|_| ClientError::Silent)?;
    let mut line = String::new();
    BufReader::new(stream.take(MAX_ANSWER)).read_line(&mut line).map_err(|_| ClientError::Silent)?;
    if line.is_empty() {
        return Err(ClientError::Silent);
    }
    Ok(decode(line.as_bytes())?.reply)
}

/// Decodes one reply. What it says is meant for a terminal, and the program behind the socket may not be the daemon: control characters become
/// visible escapes, all at this one place. An offer and an event keep theirs, since an answer must name their exact text, and the views of
/// tasks spell them out.
pub fn decode(line: &[u8]) -> Result<Answer, ClientError> {
    let garbled = |error: serde_json::Error| ClientError::Garbled(error.to_string());
    let mut answer: Value = serde_json::from_slice(line).map_err(garbled)?;
    if let Value::Object(fields) = &mut answer {
        fields.iter_mut().filter(|(name, _)| !EXACT.contains(&name.as_str())).for_each(|(_, value)| defuse(value));
    }
    serde_json::from_value(answer).map_err(garbled)
}

fn defuse(value: &mut Value) {
    match value {
        Value::String(text) => {
            let moves = |letter: char| letter.is_control() && !matches!(letter, '\n' | '\t');
            if text.contains(moves) {
                let spelled = |letter: char| match moves(letter) {
                    true => letter.escape_default().to_string(),
                    false => letter.to_string(),
                };
                *text = text.chars().map(spelled).collect();
            }
        }
        Value::Array(items) => items.iter_mut().for_each(defuse),
        Value::Object(fields) => fields.values_mut().for_each(defuse),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Wraps a request. `ASIDE_PRIVATE` applies to every request.
pub fn call(id: u64, request: Request) -> Call {
    let mut call = Call::new(id, request);
    call.private |= is_private();
    call
}

pub fn is_private() -> bool {
    std::env::var_os("ASIDE_PRIVATE").is_some_and(|value| !value.is_empty() && value != "0")
}

/// Connects without blocking: a plain `connect` waits forever when the accept queue of a hung daemon is full.
fn connect_at_once(socket: &Path) -> Result<UnixStream, ClientError> {
    let address = SocketAddrUnix::new(socket).map_err(|_| ClientError::Absent)?;
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let stream = net::socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None);
    let stream = stream.map_err(|_| ClientError::Absent)?;
    match net::connect(&stream, &address) {
        Ok(()) => {}
        Err(Errno::AGAIN) => return Err(ClientError::Silent),
        Err(_) => return Err(ClientError::Absent),
    }
    if !is_ours(&stream, socket) {
        return Err(ClientError::Foreign);
    }
    match taint::listener(&stream) {
        Some(TrustLevel::Command) => return Err(ClientError::Impostor),
        Some(TrustLevel::Daemon | TrustLevel::User) => {}
        // The daemon has just ended, or a process inherited the listener of a task's command.
        None => return Err(ClientError::Silent),
    }
    let stream = UnixStream::from(stream);
    stream.set_nonblocking(false).map_err(|_| ClientError::Silent)?;
    Ok(stream)
}

/// Whether a process listens, busy or not.
pub fn is_listening(socket: &Path) -> bool {
    !matches!(connect_at_once(socket), Err(ClientError::Absent))
}

#[cfg(target_os = "linux")]
fn is_ours(stream: &OwnedFd, _: &Path) -> bool {
    net::sockopt::socket_peercred(stream).is_ok_and(|peer| peer.uid == rustix::process::getuid())
}

/// Without a portable way to ask for the peer's credentials, checks the owner of the socket file.
#[cfg(not(target_os = "linux"))]
fn is_ours(_: &OwnedFd, socket: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(socket).is_ok_and(|meta| meta.uid() == rustix::process::getuid().as_raw())
}

pub fn connect(socket: &Path) -> Result<UnixStream, ClientError> {
    let stream = connect_at_once(socket)?;
    let bounded = stream.set_read_timeout(Some(PATIENCE)).and_then(|()| stream.set_write_timeout(Some(PATIENCE)));
    bounded.map_err(|_| ClientError::Silent)?;
    Ok(stream)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn nothing_that_comes_off_the_socket_moves_the_cursor() {
        let hostile = "a\u{1b}[2J\u{9b}1m\r\u{7}b\u{7f}\n\tc";
        let spelled = r"a\u{1b}[2J\u{9b}1m\r\u{7}b\u{7f}".to_owned() + "\n\tc";
        let line = json!({
            "type": "task", "request_id": 1,
            "tasks": [{ "taskId": hostile, "text": hostile, "workspace": hostile }], "lines": [hostile],
            "offer": { "taskId": "t", "step": 1, "digest": "", "action": "run_command", "rows": [], "text": hostile, "confine": "no" },
        });
        let Ok(Answer { reply: Reply::Task(told), .. }) = decode(line.to_string().as_bytes()) else { panic!() };
        let brief = &told.tasks[0];
        assert_eq!([&brief.task_id, &brief.text, &brief.workspace, &told.lines[0]], [&spelled; 4]);
        assert_eq!(told.offer.unwrap().text, hostile, "what is answered is exact");
        let line = json!({ "type": "error", "request_id": 1, "error": { "code": "refused", "message": hostile } });
        let Ok(Answer { reply: Reply::Error(failure), .. }) = decode(line.to_string().as_bytes()) else { panic!() };
        assert_eq!(failure.error.message, spelled);
        assert!(matches!(decode(b"what\n"), Err(ClientError::Garbled(_))));
    }
}
