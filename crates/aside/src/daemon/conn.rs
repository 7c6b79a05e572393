//! One connection: reads requests, has them answered, writes what is ready. Never lets a client that does not read
//! hold anything up.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use aside_core::proto::stream::{self, Frame, Spelling, Stream};
use aside_core::proto::{Answer, Call, Candidates, Reply, Request};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::{Notify, Semaphore};

use crate::daemon::dispatch;
use crate::daemon::state::{State, Work};

/// Open connections; a shell has one while it waits at its prompt.
const MAX_CONNECTIONS: usize = 512;
/// Requests of one connection under way at once. Reading stops until one has ended.
const MAX_UNDER_WAY: usize = 64;
/// Answers waiting for one client to read them. The oldest is dropped: the newest is the one it wants.
const MAX_WAITING: usize = 64;

pub fn accept(state: Arc<State>, stream: UnixStream) {
    let ours = rustix::process::getuid().as_raw();
    match stream.peer_cred() {
        Ok(peer) if peer.uid() == ours => {}
        Ok(peer) => return state.notice(format!("refused a connection from user {}", peer.uid())),
        Err(error) => return state.notice(format!("refused a connection whose user is unknown: {error}")),
    }
    if state.connections() >= MAX_CONNECTIONS {
        return state.notice(format!("refused a connection: {MAX_CONNECTIONS} are open"));
    }
    let presence = state.connected();
    tokio::spawn(async move {
        let _presence = presence;
        let (read, write) = stream.into_split();
        let outbox = Arc::new(Outbox::default());
        let writer = tokio::spawn(deliver(Arc::clone(&outbox), write));
        listen(&state, read, &outbox).await;
        // A client that hangs up right after its last request still gets it answered; the writer ends by itself.
        outbox.close();
        let _ = writer.await;
    });
}

async fn listen(state: &Arc<State>, mut read: OwnedReadHalf, outbox: &Arc<Outbox>) {
    let room = Arc::new(Semaphore::new(MAX_UNDER_WAY));
    let mut stream = Stream::default();
    let mut chunk = vec![0; 8192];
    'reading: loop {
        let length = match read.read(&mut chunk).await {
            Ok(0) | Err(_) => break,
            Ok(length) => length,
        };
        stream.push(&chunk[..length]);
        let frames = stream.frames();
        let spelling = stream.spelling();
        let newest = frames.iter().rposition(is_complete);
        for (place, frame) in frames.into_iter().enumerate() {
            let superseded = newest.is_some_and(|newest| place < newest);
            let work = state.working();
            match frame {
                // Its client has typed on; the answer would be thrown away.
                Frame::Call(Call { id, request: Request::Complete(_) }) if superseded => {
                    outbox.put(spelling, Answer { id, reply: Reply::Complete(Candidates::default()) }, work);
                }
                Frame::Call(Call { id, request }) => {
                    let Ok(permit) = Arc::clone(&room).acquire_owned().await else { return };
                    let (state, outbox) = (Arc::clone(state), Arc::clone(outbox));
                    tokio::spawn(async move {
                        let reply = guarded(&state, dispatch::answer(Arc::clone(&state), request)).await;
                        outbox.put(spelling, Answer { id, reply }, work);
                        drop(permit);
                    });
                }
                Frame::Bad { id, why } => {
                    outbox.put(spelling, Answer { id, reply: Reply::error("bad_request", why) }, work);
                }
                Frame::Lost { why } => {
                    outbox.put(spelling, Answer { id: 0, reply: Reply::error("bad_request", why) }, work);
                    break 'reading;
                }
            }
        }
    }
    // Everything under way has given its permit back when all of them can be taken.
    let _ = room.acquire_many(MAX_UNDER_WAY as u32).await;
}

fn is_complete(frame: &Frame) -> bool {
    matches!(frame, Frame::Call(Call { request: Request::Complete(_), .. }))
}

/// A panic loses this answer and nothing else.
async fn guarded(state: &State, answer: impl Future<Output = Reply> + Send + 'static) -> Reply {
    match tokio::spawn(answer).await {
        Ok(reply) => reply,
        Err(_) => {
            state.notice("an answer was lost to a fault of ours; the log says where");
            Reply::error("internal", "this answer was lost; `aside doctor` says more")
        }
    }
}

/// Answers on their way to a client.
#[derive(Default)]
struct Outbox {
    waiting: Mutex<Waiting>,
    changed: Notify,
}

#[derive(Default)]
struct Waiting {
    /// Each with the work that it ends: it is done when the answer is on its way, not before.
    answers: VecDeque<(Vec<u8>, Work)>,
    closed: bool,
}

impl Outbox {
    fn put(&self, spelling: Spelling, answer: Answer, work: Work) {
        let bytes = stream::encode(spelling, &answer);
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.answers.len() == MAX_WAITING {
            waiting.answers.pop_front();
        }
        waiting.answers.push_back((bytes, work));
        drop(waiting);
        self.changed.notify_one();
    }

    fn close(&self) {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).closed = true;
        self.changed.notify_one();
    }

    /// The next bytes to write, `None` once it is closed and empty.
    async fn next(&self) -> Option<(Vec<u8>, Work)> {
        loop {
            let changed = self.changed.notified();
            {
                let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(answer) = waiting.answers.pop_front() {
                    return Some(answer);
                }
                if waiting.closed {
                    return None;
                }
            }
            changed.await;
        }
    }
}

async fn deliver(outbox: Arc<Outbox>, mut write: OwnedWriteHalf) {
    let mut open = true;
    // Nobody reads once the other side is closed, but the answers still have to be taken out.
    while let Some((bytes, work)) = outbox.next().await {
        // Waits here for as long as the client does not read, and only here.
        open = open && write.write_all(&bytes).await.is_ok();
        drop(work);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paths::Paths;

    fn state() -> Arc<State> {
        let nowhere = std::path::Path::new("/nowhere");
        State::new(Paths {
            config_file: nowhere.join("config.toml"),
            data_dir: nowhere.into(),
            state_dir: nowhere.into(),
            socket: nowhere.join("s"),
        })
    }

    #[tokio::test]
    async fn a_panic_loses_one_answer() {
        let state = state();
        let lost = guarded(&state, async { panic!("the answer is 42") }).await;
        assert_eq!(lost, Reply::error("internal", "this answer was lost; `aside doctor` says more"));
        assert!(state.status().notices[0].text.contains("lost to a fault"));
        assert_eq!(guarded(&state, async { Reply::Ok }).await, Reply::Ok);
    }

    #[tokio::test]
    async fn a_client_that_does_not_read_keeps_the_newest_answers() {
        let (outbox, state) = (Outbox::default(), state());
        for id in 0..MAX_WAITING as u64 + 10 {
            outbox.put(Spelling::Record, Answer { id, reply: Reply::Ok }, state.working());
        }
        assert_eq!(outbox.next().await.unwrap().0, b"10\x1fok\0");
    }

    #[tokio::test]
    async fn a_request_is_under_way_until_its_answer_is() {
        let (outbox, state) = (Outbox::default(), state());
        outbox.put(Spelling::Record, Answer { id: 1, reply: Reply::Ok }, state.working());
        let soon = std::time::Duration::from_millis(20);
        assert!(tokio::time::timeout(soon, state.drained()).await.is_err());
        drop(outbox.next().await);
        assert!(tokio::time::timeout(soon, state.drained()).await.is_ok());
    }
}
