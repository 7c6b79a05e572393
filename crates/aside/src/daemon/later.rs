//! What an answer says after it was given: something better for a line that is still the newest of its connection. Knows
//! neither the wire nor what is said.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use aside_core::proto::Reply;
use tokio::sync::watch;
use tokio::task::AbortHandle;

use crate::daemon::thought::Hold;

/// How often the client can be spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// As often as there is something better.
    Updates,
    /// It reads one answer and goes: whatever takes a moment has to be waited for.
    Once,
}

/// Somebody who is told how an answer goes on; dropped with the connection, or with the line it is about.
pub struct Listening(pub AbortHandle);

impl Drop for Listening {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// The newest line of a connection, and the question that is asked for it.
pub struct Newest {
    /// The process at the other end: names a client that has no name of its own.
    peer: Option<i32>,
    number: AtomicU64,
    /// What the next line may go on with.
    hold: Mutex<Option<Hold>>,
    /// What is given up with its line.
    work: Mutex<Option<Box<dyn Send>>>,
}

/// Cheap to clone; silent once another line came or the connection ended. Holds nothing alive.
#[derive(Clone)]
pub struct Later(Option<Arc<Line>>, Option<Stream>);

/// For what is told whole, however long it takes the client to read it: whoever tells waits. Ends with the connection.
#[derive(Clone)]
pub struct Stream(Arc<Streaming>);

struct Streaming {
    /// What is told on this connection; each is given up with it.
    tellers: Weak<Tellers>,
    begun: watch::Sender<bool>,
    put: Put,
}

/// Takes an answer when there is room for it. `false` once nobody reads any more.
pub type Put = Box<dyn Fn(Reply) -> BoxFuture + Send + Sync>;
pub type BoxFuture = std::pin::Pin<Box<dyn Future<Output = bool> + Send>>;

/// Of one connection.
#[derive(Default)]
pub struct Tellers {
    tellers: Mutex<Vec<Listening>>,
}

/// Streams on one connection. The oldest ends.
const MAX_STREAMS: usize = 32;

struct Line {
    tone: Tone,
    number: u64,
    newest: Weak<Newest>,
    say: Box<dyn Fn(Reply) + Send + Sync>,
    state: Mutex<Told>,
}

/// Nothing may be said before the answer itself.
enum Told {
    Waiting(Option<Box<Reply>>),
    Begun,
}

impl Newest {
    pub fn of(peer: Option<i32>) -> Self {
        Self { peer, number: AtomicU64::new(0), hold: Mutex::default(), work: Mutex::default() }
    }

    /// For a line that has just come. What was said later about the one before is silent from now on.
    pub fn later(self: &Arc<Self>, tone: Tone, say: impl Fn(Reply) + Send + Sync + 'static) -> Later {
        let number = self.supersede();
        let line = Line {
            tone,
            number,
            newest: Arc::downgrade(self),
            say: Box::new(say),
            state: Mutex::new(Told::Waiting(None)),
        };
        Later(Some(Arc::new(line)), None)
    }

    /// Something else came: whatever was under way for a line is of no use any more, but what can be gone on with.
    pub fn supersede(&self) -> u64 {
        let number = self.number.fetch_add(1, Ordering::Relaxed) + 1;
        let work = locked(&self.work).take();
        drop(work);
        number
    }

    /// The connection is over: nobody hears any more, so nobody needs to think.
    pub fn end(&self) {
        self.supersede();
        let hold = locked(&self.hold).take();
        drop(hold);
    }
}

impl Later {
    /// For answers that have nothing to add.
    pub fn never() -> Self {
        Self(None, None)
    }

    pub fn tone(&self) -> Tone {
        self.0.as_ref().map_or(Tone::Once, |line| line.tone)
    }

    /// Whose line it is when the shell does not say.
    pub fn who(&self) -> String {
        match self.newest() {
            Some(newest) => match newest.peer {
                Some(peer) => format!("process {peer}"),
                None => format!("connection {:p}", Arc::as_ptr(&newest)),
            },
            None => String::new(),
        }
    }

    /// Keeps a question alive for as long as the line is the newest.
    pub fn keep(&self, hold: Option<Hold>) {
        let Some((line, newest)) = self.0.as_ref().zip(self.newest()) else { return };
        let mut kept = locked(&newest.hold);
        let is_newest = newest.number.load(Ordering::Relaxed) == line.number;
        let old = if is_newest { std::mem::replace(&mut *kept, hold) } else { hold };
        drop(kept);
        drop(old);
    }

    /// Keeps work alive until another line comes.
    pub fn works(&self, work: impl Send + 'static) {
        let Some((line, newest)) = self.0.as_ref().zip(self.newest()) else { return };
        let mut kept = locked(&newest.work);
        let is_newest = newest.number.load(Ordering::Relaxed) == line.number;
        let old = if is_newest { kept.replace(Box::new(work)) } else { Some(Box::new(work) as Box<dyn Send>) };
        drop(kept);
        drop(old);
    }

    /// In place of what was said before, to a client that reads more than one answer.
    pub fn say(&self, reply: Reply) {
        let Some((line, newest)) = self.0.as_ref().zip(self.newest()) else { return };
        if line.tone == Tone::Once || newest.number.load(Ordering::Relaxed) != line.number {
            return;
        }
        let mut state = locked(&line.state);
        match &mut *state {
            Told::Waiting(waiting) => *waiting = Some(Box::new(reply)),
            Told::Begun => (line.say)(reply),
        }
    }

    pub fn streaming(stream: Stream) -> Self {
        Self(None, Some(stream))
    }

    /// For an answer that goes on and on.
    pub fn stream(&self) -> Option<&Stream> {
        self.1.as_ref()
    }

    /// The answer itself is on its way.
    pub fn begin(&self) {
        if let Some(Stream(stream)) = &self.1 {
            stream.begun.send_replace(true);
        }
        let Some(line) = &self.0 else { return };
        let told = std::mem::replace(&mut *locked(&line.state), Told::Begun);
        if let Told::Waiting(Some(reply)) = told {
            self.say(*reply);
        }
    }

    fn newest(&self) -> Option<Arc<Newest>> {
        self.0.as_ref()?.newest.upgrade()
    }
}

impl Tellers {
    pub fn are_telling(&self) -> bool {
        locked(&self.tellers).iter().any(|teller| !teller.0.is_finished())
    }
}

impl Stream {
    pub fn new(tellers: &Arc<Tellers>, put: Put) -> Self {
        Self(Arc::new(Streaming { tellers: Arc::downgrade(tellers), begun: watch::Sender::new(false), put }))
    }

    /// Waits until the answer itself was given and there is room. `false` when nobody hears it any more.
    pub async fn put(&self, reply: Reply) -> bool {
        let mut begun = self.0.begun.subscribe();
        begun.wait_for(|begun| *begun).await.is_ok() && (self.0.put)(reply).await
    }

    /// Tells until it has no more to say, or the connection ends.
    pub fn tell(&self, teller: impl Future<Output = ()> + Send + 'static) {
        let Some(tellers) = self.0.tellers.upgrade() else { return };
        let mut tellers = locked(&tellers.tellers);
        tellers.retain(|teller| !teller.0.is_finished());
        if tellers.len() == MAX_STREAMS {
            tellers.remove(0);
        }
        tellers.push(Listening(tokio::spawn(teller).abort_handle()));
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(newest: &Arc<Newest>) -> (Later, Arc<Mutex<Vec<Reply>>>) {
        let said: Arc<Mutex<Vec<Reply>>> = Arc::default();
        let heard = Arc::clone(&said);
        (newest.later(Tone::Updates, move |reply| heard.lock().unwrap().push(reply)), said)
    }

    #[test]
    fn nothing_is_said_before_the_answer_and_only_the_last_of_it_after() {
        let newest = Arc::new(Newest::of(None));
        let (later, said) = line(&newest);
        later.say(Reply::error("1", ""));
        later.say(Reply::error("2", ""));
        assert_eq!(*said.lock().unwrap(), []);
        later.begin();
        later.say(Reply::error("3", ""));
        assert_eq!(*said.lock().unwrap(), [Reply::error("2", ""), Reply::error("3", "")]);
    }

    #[test]
    fn a_line_that_is_not_the_newest_is_silent() {
        let newest = Arc::new(Newest::of(None));
        let (first, said) = line(&newest);
        first.begin();
        let (second, _) = line(&newest);
        first.say(Reply::Ok);
        assert_eq!(*said.lock().unwrap(), []);
        let (third, said) = line(&newest);
        second.begin();
        third.begin();
        newest.end();
        third.say(Reply::Ok);
        assert_eq!(*said.lock().unwrap(), []);
    }

    #[test]
    fn work_for_a_line_ends_with_it() {
        let newest = Arc::new(Newest::of(None));
        let (first, _) = line(&newest);
        let work = Arc::new(());
        first.works(Arc::clone(&work));
        assert_eq!(Arc::strong_count(&work), 2);
        let (second, _) = line(&newest);
        assert_eq!(Arc::strong_count(&work), 1, "another line came");
        first.works(Arc::clone(&work));
        assert_eq!(Arc::strong_count(&work), 1, "it is too late for that");
        second.works(Arc::clone(&work));
        newest.end();
        assert_eq!(Arc::strong_count(&work), 1, "the connection ended");
    }
}
