//! A connection to the daemon that starts, watches and answers tasks. Uses no thread and no runtime: the caller waits for the terminal and
//! this connection together, with `wait`, so that no thread swallows a key meant for an editor. Does not interpret what it receives.
//!
//! ```ignore
//! let mut tasks = cli::tasks(&paths)?;              // starts the daemon if there is none
//! let brief = tasks.call(Task { op: Op::Ask, text, ..Task::default() })?.tasks.remove(0);
//! let watch = tasks.watch(&brief.task_id, 0)?;
//! loop {
//!     while let Some(heard) = tasks.hear() { … }    // until there is none: what is buffered makes no descriptor ready
//!     let ready = tasks.wait(&[stdin.as_fd()], Some(Duration::from_millis(100)))?;
//!     if ready[0] { … }                             // there are keys to read
//! }
//! ```

use std::collections::VecDeque;
use std::fmt;
use std::io::Write;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use aside_proto::task::{TaskBrief, TaskList as Told, TaskOp, TaskParams};
use aside_proto::{Failure, Reply, Request, json};
use aside_task::event::Event;
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use rustix::net::RecvFlags;

use crate::client::{self, ClientError};

/// Reply timeout of a request. Long work is reported as events.
const PATIENCE: Duration = Duration::from_secs(15);
/// Bytes of one message: the longest proposal, with everything in it escaped.
const MAX_LINE: usize = 48 * 1024 * 1024;
/// Bytes per read.
const CHUNK: usize = 64 * 1024;

pub struct Tasks {
    stream: UnixStream,
    /// The start of an incomplete message, and how much of it is known to hold no newline.
    part: Vec<u8>,
    looked: usize,
    heard: VecDeque<TaskMessage>,
    asked: u64,
    gone: bool,
}

/// An event, or the reply to `send`.
#[derive(Debug)]
pub enum TaskMessage {
    /// An event of a watched task. All of its events arrive, in order.
    Event(Box<Event>),
    /// The reply to the request of this number; a followed request gets further ones.
    Answer { number: u64, told: Result<Box<Told>, TaskError> },
    /// The daemon has closed the connection. Tasks keep running, and a new connection can watch from where this one stopped.
    Gone(TaskError),
}

/// Why there is no reply.
#[derive(Debug)]
pub enum TaskError {
    /// The daemon refuses, with the reason and what to do.
    Refused(String),
    Lost(ClientError),
}

impl fmt::Display for TaskError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TaskError::Refused(message) => out.write_str(message),
            TaskError::Lost(error) => error.fmt(out),
        }
    }
}

impl std::error::Error for TaskError {}

impl Tasks {
    /// `stream` comes from `client::connect`, which has verified the daemon.
    pub fn over(stream: UnixStream) -> Self {
        Self { stream, part: Vec::new(), looked: 0, heard: VecDeque::new(), asked: 0, gone: false }
    }

    /// Sends a request and waits for its reply. Keeps what arrives meanwhile for `hear`.
    pub fn call(&mut self, task: TaskParams) -> Result<Told, TaskError> {
        let number = self.send(task)?;
        let deadline = Instant::now() + PATIENCE;
        loop {
            let is_it = |heard: &TaskMessage| matches!(heard, TaskMessage::Answer { number: of, .. } if *of == number);
            if let Some(place) = self.heard.iter().position(is_it) {
                if let Some(TaskMessage::Answer { told, .. }) = self.heard.remove(place) {
                    return told.map(|told| *told);
                }
            } else if self.gone {
                return Err(TaskError::Lost(ClientError::Silent));
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(TaskError::Lost(ClientError::Silent));
            }
            // Polls the stream itself: pending events would make `wait` return at once and this loop spin.
            let _ = ready(&[self.stream.as_fd()], Some(left));
            self.read();
        }
    }

    /// Sends a request without waiting: `hear` returns the reply under the returned number.
    pub fn send(&mut self, task: TaskParams) -> Result<u64, TaskError> {
        self.asked += 1;
        let call = client::call(self.asked, Request::Task(Box::new(task)));
        let sent = self.stream.write_all(&json::encode_call(&call));
        sent.map_err(|_| TaskError::Lost(ClientError::Silent))?;
        Ok(self.asked)
    }

    /// Requests the events of a task after `from`, and every later one as it happens.
    pub fn watch(&mut self, task: &str, from: u64) -> Result<TaskBrief, TaskError> {
        let told = self.call(TaskParams { op: TaskOp::Watch, task: task.to_owned(), from, ..TaskParams::default() })?;
        told.tasks.into_iter().next().ok_or_else(|| garbled("no task in the answer"))
    }

    /// Returns the next message that has arrived. Never blocks.
    pub fn next_message(&mut self) -> Option<TaskMessage> {
        if self.heard.is_empty() {
            self.read();
        }
        self.heard.pop_front()
    }

    /// Waits for a message or for one of `others` to become readable, and returns which of those are. Also returns at a signal and at the
    /// timeout.
    pub fn wait(&self, others: &[BorrowedFd<'_>], patience: Option<Duration>) -> Result<Vec<bool>, Errno> {
        let patience = if self.heard.is_empty() { patience } else { Some(Duration::ZERO) };
        // A closed connection always polls as ready and has been reported already.
        let own = [self.stream.as_fd()];
        let fds: Vec<BorrowedFd<'_>> = own.into_iter().filter(|_| !self.gone).chain(others.iter().copied()).collect();
        let mut ready = ready(&fds, patience)?;
        ready.drain(..fds.len() - others.len());
        Ok(ready)
    }

    fn read(&mut self) {
        let mut chunk = vec![0; CHUNK];
        while !self.gone {
            match rustix::net::recv(&self.stream, &mut chunk[..], RecvFlags::DONTWAIT) {
                Ok((_, 0)) => self.ends(TaskError::Lost(ClientError::Absent)),
                Ok((_, length)) => {
                    self.part.extend_from_slice(chunk.get(..length).unwrap_or_default());
                    self.take_lines();
                    if length < CHUNK {
                        return;
                    }
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return,
                Err(_) => self.ends(TaskError::Lost(ClientError::Absent)),
            }
        }
    }

    fn take_lines(&mut self) {
        while let Some(end) = self.part.iter().skip(self.looked).position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.part.drain(..=self.looked + end).collect();
            self.looked = 0;
            match understand(&line) {
                Ok(heard) => self.heard.extend(heard),
                Err(trouble) => return self.ends(trouble),
            }
        }
        self.looked = self.part.len();
        if self.part.len() > MAX_LINE {
            self.ends(garbled("one message is too long"));
        }
    }

    fn ends(&mut self, why: TaskError) {
        self.gone = true;
        self.part = Vec::new();
        self.heard.push_back(TaskMessage::Gone(why));
    }
}

fn understand(line: &[u8]) -> Result<Option<TaskMessage>, TaskError> {
    let answer = client::decode(line).map_err(TaskError::Lost)?;
    let number = answer.id;
    Ok(match answer.reply {
        Reply::Task(told) => Some(TaskMessage::Answer { number, told: Ok(told) }),
        Reply::TaskEvent(told) => {
            let event = serde_json::from_value(told.event).map_err(|error| garbled(&error.to_string()))?;
            Some(TaskMessage::Event(event))
        }
        Reply::Error(Failure { error }) => {
            Some(TaskMessage::Answer { number, told: Err(TaskError::Refused(error.message)) })
        }
        // A reply to something that was never requested.
        _ => None,
    })
}

fn garbled(what: &str) -> TaskError {
    TaskError::Lost(ClientError::Garbled(what.to_owned()))
}

/// Polls which descriptors are readable or closed.
fn ready(fds: &[BorrowedFd<'_>], patience: Option<Duration>) -> Result<Vec<bool>, Errno> {
    let mut polled: Vec<PollFd<'_>> = fds.iter().map(|fd| PollFd::from_borrowed_fd(*fd, PollFlags::IN)).collect();
    let timeout = patience.and_then(|patience| Timespec::try_from(patience).ok());
    match rustix::event::poll(&mut polled, timeout.as_ref()) {
        Ok(_) | Err(Errno::INTR) => {}
        Err(error) => return Err(error),
    }
    Ok(polled.iter().map(|fd| !fd.revents().is_empty()).collect())
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader};

    use serde_json::{Value, json};

    use super::*;

    /// A connection and its peer.
    fn pair() -> (Tasks, BufReader<UnixStream>) {
        let (ours, theirs) = UnixStream::pair().unwrap();
        (Tasks::over(ours), BufReader::new(theirs))
    }

    fn says(to: &UnixStream, message: &Value) {
        let mut to = to;
        writeln!(to, "{message}").unwrap();
    }

    fn event(seq: u64) -> Value {
        let event = json!({
            "type": "task_stream_chunk", "messageId": "m", "channel": "answer", "chunk": "x",
            "threadId": "t", "taskId": "t1", "attempt": 1, "seq": seq, "at": 1, "v": 1
        });
        json!({ "type": "task_event", "request_id": 1, "event": event })
    }

    fn seqs(tasks: &mut Tasks) -> Vec<u64> {
        std::iter::from_fn(|| tasks.next_message())
            .map(|heard| match heard {
                TaskMessage::Event(event) => event.seq,
                other => panic!("{other:?}"),
            })
            .collect()
    }

    #[test]
    fn an_answer_is_found_among_events_and_none_of_them_is_lost() {
        let (mut tasks, theirs) = pair();
        let daemon = std::thread::spawn(move || {
            let mut theirs = theirs;
            let mut asked = String::new();
            theirs.read_line(&mut asked).unwrap();
            for seq in 1..=3 {
                says(theirs.get_ref(), &event(seq));
            }
            says(theirs.get_ref(), &json!({ "type": "task", "request_id": 1, "tasks": [{ "taskId": "t1" }] }));
            says(theirs.get_ref(), &event(4));
            (theirs, asked)
        });
        let brief = tasks.watch("t1", 0).unwrap();
        let (theirs, asked) = daemon.join().unwrap();
        assert_eq!(brief.task_id, "t1");
        let asked: Value = serde_json::from_str(&asked).unwrap();
        assert_eq!((&asked["type"], &asked["op"], &asked["taskId"]), (&json!("task"), &json!("watch"), &json!("t1")));
        tasks.wait(&[], Some(Duration::from_secs(5))).unwrap();
        assert_eq!(seqs(&mut tasks), [1, 2, 3, 4]);
        drop(theirs);
        assert!(matches!(tasks.next_message(), Some(TaskMessage::Gone(TaskError::Lost(ClientError::Absent)))));
        assert!(tasks.next_message().is_none());
    }

    #[test]
    fn a_message_that_comes_in_pieces_is_heard_when_it_is_whole() {
        let (mut tasks, theirs) = pair();
        let message = format!("{}\n", event(7));
        let (first, second) = message.split_at(40);
        let mut to = theirs.get_ref();
        to.write_all(first.as_bytes()).unwrap();
        assert!(tasks.next_message().is_none());
        to.write_all(second.as_bytes()).unwrap();
        assert_eq!(seqs(&mut tasks), [7]);
    }

    #[test]
    fn a_refusal_has_the_sentence_of_the_daemon() {
        let (mut tasks, theirs) = pair();
        says(
            theirs.get_ref(),
            &json!({ "type": "error", "request_id": 1, "error": { "code": "not_found", "message": "no such task" } }),
        );
        let refused = tasks.call(TaskParams::default()).unwrap_err();
        assert!(matches!(&refused, TaskError::Refused(_)));
        assert_eq!(refused.to_string(), "no such task");
    }

    #[test]
    fn what_makes_no_sense_ends_the_connection() {
        let (mut tasks, theirs) = pair();
        let mut to = theirs.get_ref();
        to.write_all(b"what\n").unwrap();
        assert!(matches!(tasks.next_message(), Some(TaskMessage::Gone(TaskError::Lost(ClientError::Garbled(_))))));
        assert!(tasks.next_message().is_none());
    }

    #[test]
    fn waiting_says_who_can_be_read() {
        let (tasks, theirs) = pair();
        let (keys, terminal) = UnixStream::pair().unwrap();
        assert_eq!(tasks.wait(&[keys.as_fd()], Some(Duration::ZERO)).unwrap(), [false]);
        (&terminal).write_all(b"y").unwrap();
        assert_eq!(tasks.wait(&[keys.as_fd()], None).unwrap(), [true]);
        says(theirs.get_ref(), &event(1));
        assert_eq!(tasks.wait(&[], None).unwrap(), Vec::<bool>::new());
    }
}
