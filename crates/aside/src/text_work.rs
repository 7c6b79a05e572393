//! Where a text is read whose length others decide: a short one at once, a long one on a thread of its own, so that every request but its
//! own goes on. A reader that is not done in time is given up: its text counts as secret and is withheld, or its request gets an empty
//! answer. Knows neither readers nor texts.

use std::fmt;
use std::future::poll_fn;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::Instant;

/// Bytes that are read on the thread where requests wait: almost every line, command and request. Another thread would cost a keystroke
/// more than the reading.
pub const SHORT: usize = 4 * 1024;
/// For work that waits, passes on what is read already, or names the lengths of its texts itself.
pub const NO_TEXT: usize = 0;
/// The length of a text that is not known yet: what a model says, a program prints, a file holds.
pub const UNKNOWN: usize = usize::MAX;
/// How long a reader may work without a pause. Hundreds of times what a megabyte takes.
const DEADLINE: Duration = Duration::from_secs(10);
/// Cap on readers that are late and still at work, since a thread cannot be ended. At the cap every long text is given up at once.
const MAX_LATE: usize = 4;
/// Cap on readers at work at the same time, late ones included. A further text is given up at once.
const MAX_AT_WORK: usize = 32;

/// The text takes too long to read, and counts as secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unread;

impl fmt::Display for Unread {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a text in it takes too long to read, so it is withheld; ask about less of it")
    }
}

static READERS: Readers = Readers::new(DEADLINE, MAX_LATE);

/// Reads a text of this many bytes.
pub async fn read<T: Send + 'static>(length: usize, reader: impl FnOnce() -> T + Send + 'static) -> Result<T, Unread> {
    apart(length, async { reader() }).await
}

/// Runs work that reads texts of this many bytes, among other things. What it waits for does not count as reading. It ends when this is
/// dropped, a reader at its next pause.
pub async fn apart<T: Send + 'static>(
    length: usize,
    work: impl Future<Output = T> + Send + 'static,
) -> Result<T, Unread> {
    if length <= SHORT { Ok(work.await) } else { READERS.apart(Box::pin(work)).await }
}

/// The same as a task.
pub fn spawn<T: Send + 'static>(
    length: usize,
    work: impl Future<Output = T> + Send + 'static,
) -> JoinHandle<Result<T, Unread>> {
    tokio::spawn(apart(length, work))
}

struct Readers {
    deadline: Duration,
    most_late: usize,
    late: AtomicUsize,
    at_work: AtomicUsize,
}

/// One piece of work on its thread.
#[derive(Default)]
struct Turn {
    reading: Mutex<Reading>,
    given_up: Notify,
}

#[derive(Default)]
struct Reading {
    /// Since when it has not paused; `None` while it waits.
    since: Option<Instant>,
    is_late: bool,
}

impl Readers {
    const fn new(deadline: Duration, most_late: usize) -> Self {
        Self { deadline, most_late, late: AtomicUsize::new(0), at_work: AtomicUsize::new(0) }
    }

    fn has_room(&self) -> bool {
        self.late.load(Ordering::Relaxed) < self.most_late && self.at_work.load(Ordering::Relaxed) < MAX_AT_WORK
    }

    async fn apart<T: Send + 'static>(
        &'static self,
        mut work: std::pin::Pin<Box<impl Future<Output = T> + Send + 'static>>,
    ) -> Result<T, Unread> {
        if !self.has_room() {
            return Err(Unread);
        }
        let turn = Arc::new(Turn::default());
        let given_up = GiveUp(Arc::clone(&turn));
        let runtime = Handle::current();
        let mut thread = tokio::task::spawn_blocking(move || {
            let ended = Ended { readers: self, turn };
            let turn = &ended.turn;
            runtime.block_on(async {
                tokio::select! {
                    biased;
                    () = turn.given_up.notified() => Err(Unread),
                    done = poll_fn(|context| {
                        turn.begins(self);
                        let polled = work.as_mut().poll(context);
                        turn.pauses(self);
                        polled
                    }) => Ok(done),
                }
            })
        });
        loop {
            tokio::select! {
                done = &mut thread => return match done {
                    Ok(done) => done,
                    Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
                    // The daemon ends.
                    Err(_) => Err(Unread),
                },
                () = tokio::time::sleep_until(given_up.0.due(self.deadline)) => {
                    if given_up.0.is_late(self) {
                        tracing::warn!("a text takes longer than {} seconds to read and is given up", self.deadline.as_secs());
                        return Err(Unread);
                    }
                }
            }
        }
    }
}

impl Turn {
    fn begins(&self, readers: &Readers) {
        self.reading().since = Some(Instant::now());
        readers.at_work.fetch_add(1, Ordering::Relaxed);
    }

    fn pauses(&self, readers: &Readers) {
        if self.reading().since.take().is_some() {
            readers.at_work.fetch_sub(1, Ordering::Relaxed);
        }
    }

    fn due(&self, deadline: Duration) -> Instant {
        self.reading().since.unwrap_or_else(Instant::now) + deadline
    }

    fn is_late(&self, readers: &Readers) -> bool {
        let mut reading = self.reading();
        reading.is_late = reading.since.is_some_and(|since| since.elapsed() >= readers.deadline);
        if reading.is_late {
            readers.late.fetch_add(1, Ordering::Relaxed);
        }
        reading.is_late
    }

    fn reading(&self) -> MutexGuard<'_, Reading> {
        self.reading.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Its result is not waited for any more.
struct GiveUp(Arc<Turn>);

impl Drop for GiveUp {
    fn drop(&mut self) {
        self.0.given_up.notify_one();
    }
}

/// The thread is free again, also after a panic.
struct Ended {
    readers: &'static Readers,
    turn: Arc<Turn>,
}

impl Drop for Ended {
    fn drop(&mut self) {
        // After a panic it has not paused.
        self.turn.pauses(self.readers);
        if self.turn.reading().is_late {
            self.readers.late.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    fn readers(most_late: usize) -> &'static Readers {
        Box::leak(Box::new(Readers::new(Duration::from_millis(50), most_late)))
    }

    #[tokio::test]
    async fn a_reader_that_does_not_end_keeps_nobody_waiting_and_its_text_is_withheld() {
        let readers = readers(2);
        let (wake, asleep) = mpsc::channel::<()>();
        let (second, also_asleep) = mpsc::channel::<()>();
        let slow = tokio::spawn(readers.apart(Box::pin(async move { asleep.recv().is_ok() })));
        // Another request of the same runtime, which has one thread.
        assert_eq!(read(1, || 7).await, Ok(7));
        assert_eq!(readers.apart(Box::pin(async { 8 })).await, Ok(8));
        assert_eq!(slow.await.unwrap(), Err(Unread));
        assert_eq!(readers.apart(Box::pin(async move { also_asleep.recv().is_ok() })).await, Err(Unread));
        // As many are late as may be: the next one is not begun.
        let third = readers.apart(Box::pin(async { unreachable!("no third thread is lost") }));
        assert_eq!(third.await, Err::<(), _>(Unread));
        drop((wake, second));
        while readers.late.load(Ordering::Relaxed) > 0 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        assert_eq!(readers.apart(Box::pin(async { 9 })).await, Ok(9));
    }

    #[tokio::test]
    async fn waiting_is_not_reading() {
        let waits = async {
            tokio::time::sleep(Duration::from_millis(200)).await;
            3
        };
        assert_eq!(readers(1).apart(Box::pin(waits)).await, Ok(3));
    }

    #[tokio::test]
    async fn work_ends_when_nobody_waits_for_it_and_a_panic_is_the_callers() {
        let (sender, receiver) = tokio::sync::oneshot::channel::<()>();
        let work = spawn(UNKNOWN, async move {
            let _held = sender;
            std::future::pending::<()>().await;
        });
        tokio::task::yield_now().await;
        work.abort();
        assert!(receiver.await.is_err());
        let lost = spawn(UNKNOWN, async { panic!("of the reader") }).await;
        assert!(lost.is_err_and(|error| error.is_panic()));
    }
}
