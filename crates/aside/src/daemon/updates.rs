//! Sends further replies to a request after the first: updates for the newest line of a connection, and streams of events. Knows neither
//! the wire format nor the content.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use aside_proto::Reply;
use tokio::sync::watch;
use tokio::task::AbortHandle;

use crate::daemon::complete_model::CancelOnDrop;

/// How many replies the client accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplyMode {
    /// One whenever there is something better.
    Stream,
    /// Exactly one: the handler has to wait for slow results.
    Single,
}

/// A task that sends updates; aborted with the connection, or with the line that they are about.
pub struct AbortOnDrop(pub AbortHandle);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// The newest line of a connection, and the work for it.
pub struct LatestLine {
    /// The client's process, which identifies a client without a session.
    peer: Option<i32>,
    number: AtomicU64,
    /// A model request that the next line may reuse.
    hold: Mutex<Option<CancelOnDrop>>,
    /// Work that is cancelled with its line.
    work: Mutex<Option<Box<dyn Send>>>,
}

/// Cheap to clone; does nothing once another line arrived or the connection ended. Keeps nothing alive.
#[derive(Clone)]
pub struct Updates(Option<Arc<Line>>, Option<ReplyStream>);

/// Sends messages that are never dropped: the sender waits for the client to read. Ends with the connection.
#[derive(Clone)]
pub struct ReplyStream(Arc<Streaming>);

struct Streaming {
    /// The senders of this connection; aborted with it.
    tellers: Weak<StreamTasks>,
    begun: watch::Sender<bool>,
    put: Put,
}

/// Enqueues a reply when there is room. Returns `false` once the client no longer reads.
pub type Put = Box<dyn Fn(Reply) -> BoxFuture + Send + Sync>;
pub type BoxFuture = std::pin::Pin<Box<dyn Future<Output = bool> + Send>>;

/// The streams of one connection.
#[derive(Default)]
pub struct StreamTasks {
    tellers: Mutex<Vec<AbortOnDrop>>,
}

/// Cap on the streams of one connection. The oldest ends.
const MAX_STREAMS: usize = 32;

struct Line {
    mode: ReplyMode,
    number: u64,
    newest: Weak<LatestLine>,
    say: Box<dyn Fn(Reply) + Send + Sync>,
    state: Mutex<Told>,
}

/// Holds the latest update back until the first reply is sent.
enum Told {
    Waiting(Option<Box<Reply>>),
    Begun,
}

impl LatestLine {
    pub fn of(peer: Option<i32>) -> Self {
        Self { peer, number: AtomicU64::new(0), hold: Mutex::default(), work: Mutex::default() }
    }

    /// Creates the handle for a new line. Silences the handle of the previous one.
    pub fn updates(self: &Arc<Self>, mode: ReplyMode, say: impl Fn(Reply) + Send + Sync + 'static) -> Updates {
        let number = self.supersede();
        let line = Line {
            mode,
            number,
            newest: Arc::downgrade(self),
            say: Box::new(say),
            state: Mutex::new(Told::Waiting(None)),
        };
        Updates(Some(Arc::new(line)), None)
    }

    /// Another line arrived: cancels the work for the previous one, except what the next line may reuse.
    pub fn supersede(&self) -> u64 {
        let number = self.number.fetch_add(1, Ordering::Relaxed) + 1;
        let work = locked(&self.work).take();
        drop(work);
        number
    }

    /// The connection ended: cancels all work for it.
    pub fn end(&self) {
        self.supersede();
        let hold = locked(&self.hold).take();
        drop(hold);
    }
}

impl Updates {
    /// A handle for requests that have only one reply.
    pub fn never() -> Self {
        Self(None, None)
    }

    pub fn mode(&self) -> ReplyMode {
        self.0.as_ref().map_or(ReplyMode::Single, |line| line.mode)
    }

    /// Identifies the client when the shell sends no session.
    pub fn who(&self) -> String {
        match self.newest() {
            Some(newest) => match newest.peer {
                Some(peer) => format!("process {peer}"),
                None => format!("connection {:p}", Arc::as_ptr(&newest)),
            },
            None => String::new(),
        }
    }

    /// Keeps a model request alive for as long as the line is the newest.
    pub fn hold_request(&self, hold: Option<CancelOnDrop>) {
        let Some((line, newest)) = self.0.as_ref().zip(self.newest()) else { return };
        let mut kept = locked(&newest.hold);
        let is_newest = newest.number.load(Ordering::Relaxed) == line.number;
        let old = if is_newest { std::mem::replace(&mut *kept, hold) } else { hold };
        drop(kept);
        drop(old);
    }

    /// Keeps work alive until another line arrives.
    pub fn hold_work(&self, work: impl Send + 'static) {
        let Some((line, newest)) = self.0.as_ref().zip(self.newest()) else { return };
        let mut kept = locked(&newest.work);
        let is_newest = newest.number.load(Ordering::Relaxed) == line.number;
        let old = if is_newest { kept.replace(Box::new(work)) } else { Some(Box::new(work) as Box<dyn Send>) };
        drop(kept);
        drop(old);
    }

    /// Sends an update that replaces earlier replies, if the client accepts updates.
    pub fn send(&self, reply: Reply) {
        let Some((line, newest)) = self.0.as_ref().zip(self.newest()) else { return };
        if line.mode == ReplyMode::Single || newest.number.load(Ordering::Relaxed) != line.number {
            return;
        }
        let mut state = locked(&line.state);
        match &mut *state {
            Told::Waiting(waiting) => *waiting = Some(Box::new(reply)),
            Told::Begun => (line.say)(reply),
        }
    }

    pub fn streaming(stream: ReplyStream) -> Self {
        Self(None, Some(stream))
    }

    /// The stream of messages for this request.
    pub fn stream(&self) -> Option<&ReplyStream> {
        self.1.as_ref()
    }

    /// Called once the first reply is sent.
    pub fn begin(&self) {
        if let Some(ReplyStream(stream)) = &self.1 {
            stream.begun.send_replace(true);
        }
        let Some(line) = &self.0 else { return };
        let told = std::mem::replace(&mut *locked(&line.state), Told::Begun);
        if let Told::Waiting(Some(reply)) = told {
            self.send(*reply);
        }
    }

    fn newest(&self) -> Option<Arc<LatestLine>> {
        self.0.as_ref()?.newest.upgrade()
    }
}

impl StreamTasks {
    pub fn are_streaming(&self) -> bool {
        locked(&self.tellers).iter().any(|teller| !teller.0.is_finished())
    }
}

impl ReplyStream {
    pub fn new(tellers: &Arc<StreamTasks>, put: Put) -> Self {
        Self(Arc::new(Streaming { tellers: Arc::downgrade(tellers), begun: watch::Sender::new(false), put }))
    }

    /// Waits until the first reply is sent and there is room. Returns `false` once the client no longer reads.
    pub async fn put(&self, reply: Reply) -> bool {
        let mut begun = self.0.begun.subscribe();
        begun.wait_for(|begun| *begun).await.is_ok() && (self.0.put)(reply).await
    }

    /// Runs a sender until it ends or the connection does.
    pub fn tell(&self, teller: impl Future<Output = ()> + Send + 'static) {
        let Some(tellers) = self.0.tellers.upgrade() else { return };
        let mut tellers = locked(&tellers.tellers);
        tellers.retain(|teller| !teller.0.is_finished());
        if tellers.len() == MAX_STREAMS {
            tellers.remove(0);
        }
        tellers.push(AbortOnDrop(tokio::spawn(teller).abort_handle()));
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(newest: &Arc<LatestLine>) -> (Updates, Arc<Mutex<Vec<Reply>>>) {
        let said: Arc<Mutex<Vec<Reply>>> = Arc::default();
        let heard = Arc::clone(&said);
        (newest.updates(ReplyMode::Stream, move |reply| heard.lock().unwrap().push(reply)), said)
    }

    #[test]
    fn nothing_is_said_before_the_answer_and_only_the_last_of_it_after() {
        let newest = Arc::new(LatestLine::of(None));
        let (updates, said) = line(&newest);
        updates.send(Reply::error("1", ""));
        updates.send(Reply::error("2", ""));
        assert_eq!(*said.lock().unwrap(), []);
        updates.begin();
        updates.send(Reply::error("3", ""));
        assert_eq!(*said.lock().unwrap(), [Reply::error("2", ""), Reply::error("3", "")]);
    }

    #[test]
    fn a_line_that_is_not_the_newest_is_silent() {
        let newest = Arc::new(LatestLine::of(None));
        let (first, said) = line(&newest);
        first.begin();
        let (second, _) = line(&newest);
        first.send(Reply::Ok);
        assert_eq!(*said.lock().unwrap(), []);
        let (third, said) = line(&newest);
        second.begin();
        third.begin();
        newest.end();
        third.send(Reply::Ok);
        assert_eq!(*said.lock().unwrap(), []);
    }

    #[test]
    fn work_for_a_line_ends_with_it() {
        let newest = Arc::new(LatestLine::of(None));
        let (first, _) = line(&newest);
        let work = Arc::new(());
        first.hold_work(Arc::clone(&work));
        assert_eq!(Arc::strong_count(&work), 2);
        let (second, _) = line(&newest);
        assert_eq!(Arc::strong_count(&work), 1, "another line came");
        first.hold_work(Arc::clone(&work));
        assert_eq!(Arc::strong_count(&work), 1, "it is too late for that");
        second.hold_work(Arc::clone(&work));
        newest.end();
        assert_eq!(Arc::strong_count(&work), 1, "the connection ended");
    }
}
