//! Serves one connection: reads requests, dispatches them, writes replies. A client that does not read never blocks anything else.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use aside_proto::compat::{CompatMessage, CompatReplyFormat};
use aside_proto::query::TranslateResult;
use aside_proto::stream::{self, Frame, Stream, WireFormat};
use aside_proto::{Answer, Call, CompleteResult, Reply, Request};
use tokio::io::{AsyncReadExt, AsyncWriteExt, Interest};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::{Notify, Semaphore};

use crate::connections::ConnectionSlot;
use crate::daemon::dispatch;
use crate::daemon::state::{ActiveRequest, State};
use crate::daemon::updates::{self, LatestLine, ReplyMode, StreamTasks, Updates};
use crate::exec::taint::Caller;

/// Cap on concurrent requests of one connection. Reading pauses until one ends.
const MAX_UNDER_WAY: usize = 64;
/// Cap on replies waiting for a client. Drops the oldest: the client wants the newest.
const MAX_WAITING: usize = 64;
/// Cap on task events waiting for a client. Their sender waits (backpressure), so none is dropped.
const MAX_STREAMED: usize = 16;
/// Poll interval for whether a client that has stopped sending still reads.
const LOOK: Duration = Duration::from_millis(20);

pub fn accept(state: Arc<State>, stream: UnixStream) {
    let ours = rustix::process::getuid().as_raw();
    let process = match stream.peer_cred() {
        Ok(peer) if peer.uid() == ours => peer.pid(),
        Ok(peer) => return state.notice(format!("refused a connection from user {}", peer.uid())),
        Err(error) => return state.notice(format!("refused a connection whose user is unknown: {error}")),
    };
    let caller = Caller::of(&stream);
    // At once: the daemon may check for idleness before the task begins, and several times after the machine slept.
    state.touch();
    tokio::spawn(async move {
        let Some(place) = state.connections().admit(process, caller) else {
            return state.notice("refused a connection: commands of tasks have too many open");
        };
        let (read, write) = stream.into_split();
        let outbox = Arc::new(Outbox::default());
        let mut writer = tokio::spawn(deliver(Arc::clone(&outbox), write));
        let client = Client { process, caller, place: &place };
        let served = async {
            listen(&state, read, &outbox, &client).await;
            // A client that stops sending after its last request still gets the reply; the writer ends by itself.
            outbox.close();
            let _ = (&mut writer).await;
        };
        tokio::select! {
            () = served => {}
            () = place.evicted() => {
                outbox.close();
                writer.abort();
            }
        }
        drop(place);
        state.touch();
    });
}

/// The peer of a connection.
struct Client<'p> {
    process: Option<i32>,
    caller: Caller,
    place: &'p ConnectionSlot,
}

async fn listen(state: &Arc<State>, mut read: OwnedReadHalf, outbox: &Arc<Outbox>, client: &Client<'_>) {
    let room = Arc::new(Semaphore::new(MAX_UNDER_WAY));
    let Client { process, caller, place } = *client;
    let threads = Threads {
        line: Arc::new(LatestLine::of(process)),
        explanation: Arc::new(LatestLine::of(process)),
        talk: Arc::new(LatestLine::of(process)),
        next: Arc::new(LatestLine::of(process)),
        watch: Arc::new(LatestLine::of(process)),
        tellers: Arc::default(),
    };
    // The last privacy state that the connected shell reported.
    let mut is_private = false;
    let mut stream = Stream::default();
    let mut chunk = vec![0; 8192];
    'reading: loop {
        let length = match read.read(&mut chunk).await {
            Ok(0) | Err(_) => break,
            Ok(length) => length,
        };
        place.touch();
        state.touch();
        stream.push(&chunk[..length]);
        let frames = stream.frames();
        let spelling = stream.spelling();
        let newest = frames.iter().rposition(is_about_the_line);
        for (place, frame) in frames.into_iter().enumerate() {
            let superseded = newest.is_some_and(|newest| place < newest);
            let work = state.working();
            let (voice, says_private, request) = match frame {
                // The user has typed on; the client would discard the reply.
                Frame::Call(Call { id, request: Request::Complete(_), .. }) if superseded => {
                    outbox.put(spelling, Answer { id, reply: Reply::Complete(CompleteResult::default()) }, work);
                    continue;
                }
                Frame::Call(Call { id, request: Request::Translate(_), .. }) if superseded => {
                    outbox.put(
                        spelling,
                        Answer { id, reply: Reply::Translate(Box::new(TranslateResult::none(""))) },
                        work,
                    );
                    continue;
                }
                Frame::Call(Call { id, private, request }) => (ReplyEncoding::Ours { spelling, id }, private, request),
                Frame::Foreign(CompatMessage::Asks { request, shape }) => {
                    (ReplyEncoding::Theirs(shape), false, request)
                }
                Frame::Foreign(CompatMessage::Answered(bytes)) => {
                    outbox.put_bytes(bytes, work);
                    continue;
                }
                Frame::Bad { id, why } => {
                    outbox.put(spelling, Answer { id, reply: Reply::error("bad_request", why) }, work);
                    continue;
                }
                Frame::Lost { why } => {
                    outbox.put(spelling, Answer { id: 0, reply: Reply::error("bad_request", why) }, work);
                    break 'reading;
                }
            };
            let Ok(permit) = Arc::clone(&room).acquire_owned().await else { return };
            if let Request::Hello(hello) = &request {
                is_private = hello.private;
                if is_private {
                    // Cancels requests from before private mode, so that what has not been sent to a model yet is never sent.
                    threads.give_up();
                }
            }
            let privacy = dispatch::privacy(state, &request, is_private || says_private);
            let updates = voice.updates(&request, &threads, outbox);
            // Handled in order: later requests depend on these, and names arrive in ordered parts.
            let tells_of_the_shell = matches!(request, Request::Hello(_) | Request::Names(_));
            let (state, outbox) = (Arc::clone(state), Arc::clone(outbox));
            let answering = tokio::spawn(async move {
                let answer = dispatch::dispatch(Arc::clone(&state), request, caller, privacy, updates.clone());
                let reply = guarded(&state, answer).await;
                outbox.put_bytes(voice.encode(reply), work);
                updates.begin();
                drop(permit);
            });
            if tells_of_the_shell {
                let _ = answering.await;
            }
        }
    }
    // Once all permits can be acquired, no request is in progress.
    let all = room.acquire_many(MAX_UNDER_WAY as u32);
    tokio::select! {
        _ = all => {
            // Event streams continue for a client that only reads.
            if threads.tellers.are_streaming() {
                left(&read).await;
            }
            threads.end();
        }
        () = left(&read) => {
            threads.end();
            let _ = room.acquire_many(MAX_UNDER_WAY as u32).await;
        }
    }
}

/// What may send several replies on a connection. Explaining a command is not a new line: a translation continues meanwhile.
struct Threads {
    line: Arc<LatestLine>,
    explanation: Arc<LatestLine>,
    /// The answer to prose continues while the user types other lines.
    talk: Arc<LatestLine>,
    /// The next command, until the user types.
    next: Arc<LatestLine>,
    /// A terminal that the peer captures.
    watch: Arc<LatestLine>,
    /// Watched tasks. Dropped with the connection.
    tellers: Arc<StreamTasks>,
}

impl Threads {
    /// Cancels all work in progress, including work that the next line could reuse. Later requests are served.
    fn give_up(&self) {
        self.line.end();
        self.explanation.end();
        self.talk.end();
        self.next.end();
    }

    fn end(&self) {
        self.give_up();
        self.watch.end();
    }
}

/// Returns when the client no longer reads. A client that has only stopped sending still waits for its replies.
async fn left(read: &OwnedReadHalf) {
    loop {
        match read.ready(Interest::WRITABLE).await {
            Ok(ready) if !ready.is_write_closed() => tokio::time::sleep(LOOK).await,
            Ok(_) | Err(_) => return,
        }
    }
}

/// How the replies to a request are encoded.
#[derive(Clone)]
enum ReplyEncoding {
    Ours { spelling: WireFormat, id: u64 },
    Theirs(CompatReplyFormat),
}

impl ReplyEncoding {
    fn encode(&self, reply: Reply) -> Vec<u8> {
        match self {
            ReplyEncoding::Ours { spelling, id } => stream::encode(*spelling, &Answer { id: *id, reply }),
            ReplyEncoding::Theirs(shape) => shape.encode(&reply),
        }
    }

    /// The handle with which a handler sends further replies.
    fn updates(&self, request: &Request, threads: &Threads, outbox: &Arc<Outbox>) -> Updates {
        let (newest, wait) = match request {
            Request::Complete(asked) => (&threads.line, asked.wait),
            Request::Translate(asked) => (&threads.line, asked.wait),
            Request::Explain(asked) => (&threads.explanation, asked.wait),
            Request::Ask(asked) => (&threads.talk, asked.wait),
            Request::Suggest(asked) => (&threads.next, asked.wait),
            Request::Watching(_) => (&threads.watch, false),
            Request::Task(_) => return Updates::streaming(self.stream(threads, outbox)),
            Request::Hello(_)
            | Request::Capture(_)
            | Request::Captured(_)
            | Request::Recall(_)
            | Request::Outcome(_)
            | Request::Detect(_)
            | Request::Wrong(_)
            | Request::Finished(_)
            | Request::Names(_)
            | Request::Reload
            | Request::Why(_)
            | Request::Status
            | Request::Stop => return Updates::never(),
        };
        // An explanation or suggestion for the previous line is obsolete.
        if Arc::ptr_eq(newest, &threads.line) {
            threads.explanation.supersede();
            threads.next.supersede();
        }
        let mode = match self {
            ReplyEncoding::Ours { .. } if !wait => ReplyMode::Stream,
            ReplyEncoding::Ours { .. } | ReplyEncoding::Theirs(_) => ReplyMode::Single,
        };
        let (voice, outbox) = (self.clone(), Arc::downgrade(outbox));
        let say = move |reply| {
            if let (ReplyEncoding::Ours { id, .. }, Some(outbox)) = (&voice, outbox.upgrade()) {
                outbox.put_better(*id, voice.encode(reply));
            }
        };
        newest.updates(mode, say)
    }
}

impl ReplyEncoding {
    /// A stream whose messages are never dropped.
    fn stream(&self, threads: &Threads, outbox: &Arc<Outbox>) -> updates::ReplyStream {
        let (voice, outbox) = (self.clone(), Arc::downgrade(outbox));
        let put = move |reply| {
            let bytes = voice.encode(reply);
            let outbox = outbox.upgrade();
            Box::pin(async move {
                match outbox {
                    Some(outbox) => outbox.put_streamed(bytes).await,
                    None => false,
                }
            }) as _
        };
        updates::ReplyStream::new(&threads.tellers, Box::new(put))
    }
}

fn is_about_the_line(frame: &Frame) -> bool {
    matches!(frame, Frame::Call(Call { request: Request::Complete(_) | Request::Translate(_), .. }))
}

/// Runs a handler so that a panic loses only its own reply.
async fn guarded(state: &State, answer: impl Future<Output = Reply> + Send + 'static) -> Reply {
    match tokio::spawn(answer).await {
        Ok(reply) => reply,
        Err(_) => {
            state.notice("an answer was lost to a fault of ours; the log says where");
            Reply::error("internal", "this answer was lost; `aside doctor` says more")
        }
    }
}

/// Replies on their way to a client.
#[derive(Default)]
struct Outbox {
    waiting: Mutex<Waiting>,
    changed: Notify,
    /// Notified when there is room for streamed messages.
    room: Notify,
}

struct QueuedReply {
    bytes: Vec<u8>,
    /// Ends when the reply is written, not before. Updates have none.
    work: Option<ActiveRequest>,
    /// The request that this update is for: a later update of it replaces this one.
    better: Option<u64>,
    /// Whether the message belongs to a stream, which is counted apart from the replies and never dropped.
    streamed: bool,
}

#[derive(Default)]
struct Waiting {
    answers: VecDeque<QueuedReply>,
    closed: bool,
}

impl Outbox {
    fn put(&self, spelling: WireFormat, answer: Answer, work: ActiveRequest) {
        self.put_bytes(stream::encode(spelling, &answer), work);
    }

    fn put_bytes(&self, bytes: Vec<u8>, work: ActiveRequest) {
        self.add(QueuedReply { bytes, work: Some(work), better: None, streamed: false });
    }

    /// Replaces an older update, so that updates cannot push the replies of a client that does not read out of the queue.
    fn put_better(&self, id: u64, bytes: Vec<u8>) {
        self.add(QueuedReply { bytes, work: None, better: Some(id), streamed: false });
    }

    /// Waits for room. Returns `false` once the client no longer reads.
    async fn put_streamed(&self, bytes: Vec<u8>) -> bool {
        loop {
            let mut room = std::pin::pin!(self.room.notified());
            room.as_mut().enable();
            {
                let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
                if waiting.closed {
                    return false;
                }
                if waiting.answers.iter().filter(|waits| waits.streamed).count() < MAX_STREAMED {
                    break;
                }
            }
            room.await;
        }
        self.add(QueuedReply { bytes, work: None, better: None, streamed: true });
        true
    }

    fn add(&self, new: QueuedReply) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let is_older = |waits: &mut QueuedReply| waits.better.is_some() && waits.better == new.better;
        if waiting.answers.pop_back_if(is_older).is_none() && !new.streamed {
            let answers = waiting.answers.iter().filter(|waits| !waits.streamed).count();
            let oldest = waiting.answers.iter().position(|waits| !waits.streamed);
            if let Some(oldest) = oldest.filter(|_| answers == MAX_WAITING) {
                waiting.answers.remove(oldest);
            }
        }
        waiting.answers.push_back(new);
        drop(waiting);
        self.changed.notify_one();
    }

    fn close(&self) {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).closed = true;
        self.changed.notify_one();
        self.room.notify_waiters();
    }

    /// Returns the next message to write, or `None` once the outbox is closed and empty.
    async fn next(&self) -> Option<QueuedReply> {
        loop {
            let changed = self.changed.notified();
            {
                let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(answer) = waiting.answers.pop_front() {
                    if answer.streamed {
                        self.room.notify_waiters();
                    }
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
    // After a write error the remaining messages are still removed, which ends their work.
    while let Some(QueuedReply { bytes, work, better: _, streamed: _ }) = outbox.next().await {
        // The only place that waits for a client that does not read.
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
            outbox.put(WireFormat::Record, Answer { id, reply: Reply::Ok }, state.working());
        }
        assert_eq!(outbox.next().await.unwrap().bytes, b"10\x1fok\0");
    }

    #[tokio::test]
    async fn of_several_thoughts_about_a_line_only_the_last_waits() {
        let (outbox, state) = (Outbox::default(), state());
        outbox.put_bytes(b"answer".to_vec(), state.working());
        for number in 0..MAX_WAITING {
            outbox.put_better(7, vec![number as u8]);
        }
        outbox.put_better(8, b"other".to_vec());
        let mut waiting = Vec::new();
        for _ in 0..3 {
            waiting.push(outbox.next().await.unwrap().bytes);
        }
        assert_eq!(waiting, [b"answer".to_vec(), vec![MAX_WAITING as u8 - 1], b"other".to_vec()]);
    }

    #[tokio::test]
    async fn a_request_is_under_way_until_its_answer_is() {
        let (outbox, state) = (Outbox::default(), state());
        outbox.put(WireFormat::Record, Answer { id: 1, reply: Reply::Ok }, state.working());
        let soon = std::time::Duration::from_millis(20);
        assert!(tokio::time::timeout(soon, state.drained()).await.is_err());
        drop(outbox.next().await);
        assert!(tokio::time::timeout(soon, state.drained()).await.is_ok());
    }
}
