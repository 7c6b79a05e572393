//! The conversation of each shell, independent of who listens: the current state of one answer, and the last exchanges for follow-up
//! questions. Knows neither how prose is answered nor how the answer is encoded.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use aside_core::agent::prompt::{Exchange, MAX_EXCHANGES};
use aside_proto::prose::AskResult;
use aside_proto::query::ReplyStage;
use tokio::sync::watch;
use tokio::task::AbortHandle;

use crate::text_work::{self, Unread};

/// Cap on shells with a current or recent answer.
const MAX_TALKS: usize = 256;
/// Cap on shells whose last exchanges are remembered, and their TTL.
const MAX_MEMORIES: usize = 64;
const REMEMBERED_FOR: Duration = Duration::from_secs(30 * 60);
/// Rows of one answer.
const MAX_ROWS: usize = 400;
/// How long an answer continues without listeners: a shell reconnects with its next line.
const LINGER: Duration = Duration::from_secs(60);

pub struct Conversations {
    inner: Mutex<Inner>,
    linger: Duration,
}

#[derive(Default)]
struct Inner {
    conversations: HashMap<String, Conversation>,
    memories: HashMap<String, VecDeque<Remembered>>,
}

/// The last question of a shell.
struct Conversation {
    number: u64,
    query: String,
    said: Arc<watch::Sender<AskResult>>,
    task: AbortHandle,
    since: Instant,
}

struct Remembered {
    when: Instant,
    exchange: Exchange,
    leaves: SharePolicy,
}

/// Whether an exchange may be sent to a model later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SharePolicy {
    Yes,
    /// It was private, or the settings keep it out of the history.
    Never,
}

/// Publishes the answer so far, for current and later listeners.
pub struct ReplySink {
    said: Arc<watch::Sender<AskResult>>,
    /// Rows from before the text changed; they stay.
    pinned: Mutex<Vec<String>>,
}

/// Marks the answer as ended, however the computation ends.
struct End(Arc<watch::Sender<AskResult>>);

impl Default for Conversations {
    fn default() -> Self {
        Self { inner: Mutex::default(), linger: LINGER }
    }
}

impl Conversations {
    /// Starts answering, and cancels the shell's previous answer. It is cancelled after a while without listeners, or at once if it has no
    /// number with which a client could reattach.
    pub fn begin<T>(
        &self,
        who: &str,
        number: u64,
        query: &str,
        think: impl FnOnce(ReplySink) -> T,
    ) -> watch::Receiver<AskResult>
    where
        T: Future<Output = ()> + Send + 'static,
    {
        let linger = if number == 0 { Duration::ZERO } else { self.linger };
        let (sender, receiver) = watch::channel(blank());
        let said = Arc::new(sender);
        let thinking = think(ReplySink { said: Arc::clone(&said), pinned: Mutex::default() });
        let (end, abandoned) = (End(Arc::clone(&said)), abandoned(Arc::clone(&said), linger));
        let task = text_work::spawn(text_work::NO_TEXT, async move {
            let _end = end;
            tokio::select! {
                _ = text_work::apart(text_work::UNKNOWN, thinking) => {}
                () = abandoned => {}
            }
        });
        let talk =
            Conversation { number, query: query.to_owned(), said, task: task.abort_handle(), since: Instant::now() };
        let mut inner = self.lock();
        let older = inner.conversations.insert(who.to_owned(), talk);
        let oldest = inner.too_many();
        drop(inner);
        for given_up in [older, oldest].into_iter().flatten() {
            given_up.stop();
        }
        receiver
    }

    /// Reattaches to the answer with this number. The query must match, since a client that restarted may reuse a number.
    pub fn attach(&self, who: &str, number: u64, query: &str) -> Option<watch::Receiver<AskResult>> {
        let inner = self.lock();
        let talk =
            inner.conversations.get(who).filter(|talk| number != 0 && talk.number == number && talk.query == query)?;
        Some(talk.said.subscribe())
    }

    /// Stops the answer of a shell, down to the connection to a model, and returns what was said.
    pub fn stop(&self, who: &str) -> AskResult {
        let inner = self.lock();
        match inner.conversations.get(who) {
            Some(talk) => {
                talk.stop();
                talk.said.borrow().clone()
            }
            None => ended(blank()),
        }
    }

    pub fn remember(&self, who: &str, exchange: Exchange, leaves: SharePolicy) {
        self.lock().remember(who, exchange, leaves, Instant::now());
    }

    /// The earlier exchanges that may be sent to a model, oldest first.
    pub fn earlier(&self, who: &str) -> Vec<Exchange> {
        self.lock().earlier(who, Instant::now())
    }

    /// Whether one of these answers was given in this conversation.
    pub fn has_said(&self, who: &str, answers: &[&str]) -> bool {
        let inner = self.lock();
        let mut memory = inner.memories.get(who).into_iter().flatten();
        memory.any(|known| answers.contains(&known.exchange.answer.as_str()))
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // A panic while it was held lost one answer; the remaining state is valid.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn too_many(&mut self) -> Option<Conversation> {
        if self.conversations.len() <= MAX_TALKS {
            return None;
        }
        let oldest = self.conversations.iter().min_by_key(|(_, talk)| talk.since).map(|(who, _)| who.clone())?;
        self.conversations.remove(&oldest)
    }

    fn remember(&mut self, who: &str, exchange: Exchange, leaves: SharePolicy, now: Instant) {
        if !self.memories.contains_key(who) && self.memories.len() == MAX_MEMORIES {
            let newest = |memory: &VecDeque<Remembered>| memory.back().map(|last| last.when);
            let oldest = self.memories.iter().min_by_key(|(_, memory)| newest(memory)).map(|(who, _)| who.clone());
            oldest.map(|who| self.memories.remove(&who));
        }
        let memory = self.memories.entry(who.to_owned()).or_default();
        if memory.len() == MAX_EXCHANGES {
            memory.pop_front();
        }
        memory.push_back(Remembered { when: now, exchange, leaves });
    }

    fn earlier(&mut self, who: &str, now: Instant) -> Vec<Exchange> {
        let is_fresh = |known: &Remembered| now.saturating_duration_since(known.when) < REMEMBERED_FOR;
        for memory in self.memories.values_mut() {
            memory.retain(is_fresh);
        }
        self.memories.retain(|_, memory| !memory.is_empty());
        let memory = self.memories.get(who).into_iter().flatten();
        memory.filter(|known| known.leaves == SharePolicy::Yes).map(|known| known.exchange.clone()).collect()
    }
}

impl Conversation {
    fn stop(&self) {
        end(&self.said);
        self.task.abort();
    }
}

impl ReplySink {
    /// Replaces the answer so far. Settled rows stay: a client has printed them.
    pub fn send(&self, said: AskResult) {
        let mut pinned = self.pinned.lock().unwrap_or_else(PoisonError::into_inner);
        self.said.send_if_modified(|old| {
            if old.state == ReplyStage::Done {
                return false;
            }
            let mut said = said;
            let mut rows = [pinned.as_slice(), said.rows.as_slice()].concat();
            if !rows.starts_with(&old.rows) {
                pinned.clone_from(&old.rows);
                rows = [pinned.as_slice(), said.rows.as_slice()].concat();
            }
            rows.truncate(MAX_ROWS.max(old.rows.len()));
            said.rows = rows;
            let is_news = said != *old;
            *old = said;
            is_news
        });
    }
}

impl Drop for End {
    fn drop(&mut self) {
        end(&self.0);
    }
}

fn end(said: &watch::Sender<AskResult>) {
    said.send_if_modified(|said| {
        let is_news = said.state != ReplyStage::Done;
        if is_news {
            *said = ended(said.clone());
        }
        is_news
    });
}

/// The answer to prose that takes too long to read.
pub fn unread() -> AskResult {
    AskResult { note: Unread.to_string(), ..ended(blank()) }
}

/// The final state: the tail becomes settled rows.
fn ended(mut said: AskResult) -> AskResult {
    said.state = ReplyStage::Done;
    said.rows.append(&mut said.tail);
    said
}

fn blank() -> AskResult {
    let [note, proposal, warning] = [(); 3].map(|()| String::new());
    AskResult { state: ReplyStage::Waiting, note, proposal, warning, rows: Vec::new(), tail: Vec::new() }
}

/// Returns after a while without listeners.
async fn abandoned(said: Arc<watch::Sender<AskResult>>, linger: Duration) {
    loop {
        said.closed().await;
        tokio::time::sleep(linger).await;
        if said.receiver_count() == 0 {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(state: ReplyStage, rows: &[&str], tail: &[&str]) -> AskResult {
        let own = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        AskResult { state, rows: own(rows), tail: own(tail), ..blank() }
    }

    fn exchange(question: &str) -> Exchange {
        Exchange { question: question.to_owned(), answer: "so".to_owned() }
    }

    /// Publishes one state and never ends. Drops `hold` when it is cancelled.
    fn endless(hold: Arc<()>) -> impl FnOnce(ReplySink) -> std::pin::Pin<Box<dyn Future<Output = ()> + Send>> {
        move |sink| {
            Box::pin(async move {
                let _hold = hold;
                sink.send(said(ReplyStage::Partial, &["one"], &["two"]));
                std::future::pending::<()>().await;
            })
        }
    }

    #[tokio::test]
    async fn an_answer_is_heard_by_whoever_comes_later_and_stops_with_what_stands() {
        let (conversations, hold) = (Conversations::default(), Arc::new(()));
        let mut first = conversations.begin("a", 1, "q", endless(Arc::clone(&hold)));
        first.changed().await.unwrap();
        drop(first);
        let mut second = conversations.attach("a", 1, "q").unwrap();
        assert_eq!(*second.borrow_and_update(), said(ReplyStage::Partial, &["one"], &["two"]));
        for (who, number, query) in [("a", 2, "q"), ("b", 1, "q"), ("a", 1, "other"), ("a", 0, "q")] {
            assert!(conversations.attach(who, number, query).is_none(), "{who} {number} {query}");
        }
        let stands = said(ReplyStage::Done, &["one", "two"], &[]);
        assert_eq!(conversations.stop("a"), stands);
        assert_eq!(*second.wait_for(|said| said.state == ReplyStage::Done).await.unwrap(), stands);
        while Arc::strong_count(&hold) > 1 {
            tokio::task::yield_now().await;
        }
        assert_eq!(conversations.stop("a"), stands, "once more changes nothing");
        assert_eq!(conversations.stop("b"), said(ReplyStage::Done, &[], &[]), "nothing was said there");
    }

    #[tokio::test]
    async fn another_question_takes_its_place() {
        let (conversations, hold) = (Conversations::default(), Arc::new(()));
        let mut old = conversations.begin("a", 1, "q", endless(Arc::clone(&hold)));
        old.changed().await.unwrap();
        let mut new =
            conversations.begin("a", 2, "q", |sink| async move { sink.send(said(ReplyStage::Done, &["new"], &[])) });
        assert_eq!(
            *old.wait_for(|said| said.state == ReplyStage::Done).await.unwrap(),
            said(ReplyStage::Done, &["one", "two"], &[])
        );
        assert_eq!(
            *new.wait_for(|said| said.state == ReplyStage::Done).await.unwrap(),
            said(ReplyStage::Done, &["new"], &[])
        );
        while Arc::strong_count(&hold) > 1 {
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn what_nobody_hears_ends_after_a_while_and_what_panics_ends_too() {
        let conversations = Conversations { linger: Duration::from_millis(1), ..Conversations::default() };
        let hold = Arc::new(());
        drop(conversations.begin("a", 1, "q", endless(Arc::clone(&hold))));
        while Arc::strong_count(&hold) > 1 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        drop(Conversations::default().begin("a", 0, "q", endless(Arc::clone(&hold))));
        while Arc::strong_count(&hold) > 1 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let mut lost = conversations.begin("b", 1, "q", |_| async { panic!("it knows nothing") });
        assert!(lost.wait_for(|said| said.state == ReplyStage::Done).await.is_ok());
    }

    #[tokio::test]
    async fn rows_only_grow() {
        let conversations = Conversations::default();
        let mut heard = conversations.begin("a", 1, "q", |sink| async move {
            sink.send(said(ReplyStage::Partial, &["hm", "let me see"], &[]));
            sink.send(said(ReplyStage::Partial, &["the answer"], &["is"]));
            sink.send(said(ReplyStage::Done, &["the answer", "is this"], &[]));
            sink.send(said(ReplyStage::Partial, &["too late"], &[]));
        });
        let rows = &["hm", "let me see", "the answer", "is this"];
        assert_eq!(
            *heard.wait_for(|said| said.state == ReplyStage::Done).await.unwrap(),
            said(ReplyStage::Done, rows, &[])
        );
    }

    #[test]
    fn the_last_exchanges_are_remembered_for_half_an_hour_where_they_were() {
        let (mut inner, now) = (Inner::default(), Instant::now());
        for number in 0..=MAX_EXCHANGES {
            inner.remember("a", exchange(&number.to_string()), SharePolicy::Yes, now);
        }
        inner.remember("b", exchange("private"), SharePolicy::Never, now);
        let questions = |inner: &mut Inner, who: &str, now| {
            inner.earlier(who, now).into_iter().map(|exchange| exchange.question).collect::<Vec<_>>()
        };
        assert_eq!(questions(&mut inner, "a", now), ["1", "2", "3", "4"]);
        assert_eq!(questions(&mut inner, "b", now), [""; 0]);
        assert_eq!(questions(&mut inner, "a", now + REMEMBERED_FOR), [""; 0]);
        assert!(inner.memories.is_empty());
        for number in 0..=MAX_MEMORIES {
            inner.remember(
                &number.to_string(),
                exchange("x"),
                SharePolicy::Yes,
                now + Duration::from_secs(number as u64),
            );
        }
        assert_eq!(inner.memories.len(), MAX_MEMORIES);
        assert!(!inner.memories.contains_key("0"));
    }
}
