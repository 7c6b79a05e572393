//! One question to the daemon from a command of ours. Blocking, bounded, and without a runtime: it must start fast.

pub mod tasks;

use std::fmt;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use aside_core::proto::{Answer, Call, Reply, Request, json};
use rustix::io::Errno;
use rustix::net::{self, AddressFamily, SocketAddrUnix, SocketFlags, SocketType};

use crate::exec::taint::{self, Rank};

/// A daemon that takes longer than this hangs.
const PATIENCE: Duration = Duration::from_secs(3);
/// Unless it was asked to wait for a model, which takes it eight seconds at most.
const LONG_PATIENCE: Duration = Duration::from_secs(10);
/// What is read of an answer.
const MAX_ANSWER: u64 = 4 * 1024 * 1024;

#[derive(Debug)]
pub enum ClientError {
    /// Nobody listens.
    Absent,
    /// Somebody listens and does not answer.
    Silent,
    /// Another user listens there, who must not hear what we would say.
    Foreign,
    /// A command of a task listens there, or what it has started.
    Impostor,
    /// The answer is not one.
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
    ask_patiently(socket, request, if waits { LONG_PATIENCE } else { PATIENCE })
}

/// For an answer that may take as long as this.
pub fn ask_patiently(socket: &Path, request: Request, patience: Duration) -> Result<Reply, ClientError> {
    let mut stream = connect(socket)?;
    stream.set_read_timeout(Some(patience)).map_err(|_| ClientError::Silent)?;
    let call = call(1, request);
    stream.write_all(&json::encode_call(&call)).map_err(|_| ClientError::Silent)?;
    let mut line = String::new();
    BufReader::new(stream.take(MAX_ANSWER)).read_line(&mut line).map_err(|_| ClientError::Silent)?;
    if line.is_empty() {
        return Err(ClientError::Silent);
    }
    let answer: Answer = serde_json::from_str(&line).map_err(|error| ClientError::Garbled(error.to_string()))?;
    Ok(answer.reply)
}

/// What a command of ours asks. `ASIDE_PRIVATE` holds for everything that it asks, whatever that is.
pub fn call(id: u64, request: Request) -> Call {
    let mut call = Call::new(id, request);
    call.private |= is_private();
    call
}

pub fn is_private() -> bool {
    std::env::var_os("ASIDE_PRIVATE").is_some_and(|value| !value.is_empty() && value != "0")
}

/// An ordinary `connect` waits for ever when the queue of a daemon that hangs is full.
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
        Some(Rank::Command) => return Err(ClientError::Impostor),
        Some(Rank::Daemon | Rank::User) => {}
        // A daemon that has gone meanwhile; or whatever has inherited a listener that a command has made.
        None => return Err(ClientError::Silent),
    }
    let stream = UnixStream::from(stream);
    stream.set_nonblocking(false).map_err(|_| ClientError::Silent)?;
    Ok(stream)
}

/// Whether somebody listens, busy or not.
pub fn is_served(socket: &Path) -> bool {
    !matches!(connect_at_once(socket), Err(ClientError::Absent))
}

#[cfg(target_os = "linux")]
fn is_ours(stream: &OwnedFd, _: &Path) -> bool {
    net::sockopt::socket_peercred(stream).is_ok_and(|peer| peer.uid == rustix::process::getuid())
}

/// Where the kernel is not asked as easily: by who made the socket.
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
