//! When a file that the daemon keeps in memory is looked at again: at most once a second where changes are rare, on a thread of its own, one look at a time.
//! A look that hangs holds one thread, and delays a request by `PATIENCE` at most; until it returns, no further one begins.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::watch;

const LOOK_EVERY: Duration = Duration::from_secs(1);
/// How long a request waits for a look that its answer may depend on. A file system that is well answers in microseconds.
const PATIENCE: Duration = Duration::from_millis(40);

pub struct Refresh {
    pace: Arc<Mutex<Pace>>,
    every: Duration,
}

impl Default for Refresh {
    fn default() -> Self {
        Self { pace: Arc::default(), every: LOOK_EVERY }
    }
}

#[derive(Default)]
struct Pace {
    /// When the last look began.
    began: Option<Instant>,
    /// Ends with the look that is under way.
    under_way: Option<watch::Receiver<()>>,
}

impl Refresh {
    /// Looks each time, for what a person has just changed and tries at once.
    pub fn each_time() -> Self {
        Self { every: Duration::ZERO, ..Self::default() }
    }

    /// Looks when that is due, and waits for a look that has just begun.
    pub async fn run(&self, look: impl FnOnce() + Send + 'static) {
        let Some((began, mut under_way)) = self.begin(look) else { return };
        let left = PATIENCE.saturating_sub(began.elapsed());
        if !left.is_zero() {
            // The sender is dropped when the look has ended.
            let _ = tokio::time::timeout(left, under_way.changed()).await;
        }
    }

    /// Makes the next one due, whenever the last one was.
    pub fn hurry(&self) {
        let mut pace = locked(&self.pace);
        if pace.under_way.is_none() {
            pace.began = None;
        }
    }

    /// The look under way; none when nothing is due.
    fn begin(&self, look: impl FnOnce() + Send + 'static) -> Option<(Instant, watch::Receiver<()>)> {
        let mut pace = locked(&self.pace);
        if let (Some(began), Some(under_way)) = (pace.began, &pace.under_way) {
            return Some((began, under_way.clone()));
        }
        if pace.began.is_some_and(|began| began.elapsed() < self.every) {
            return None;
        }
        let (sender, receiver) = watch::channel(());
        let (now, ended) = (Instant::now(), Ended { pace: Arc::clone(&self.pace), _sender: sender });
        pace.began = Some(now);
        pace.under_way = Some(receiver.clone());
        drop(pace);
        // Not of the runtime's pool: a look that hangs must not be waited for when the daemon ends.
        let looking = std::thread::Builder::new().spawn(move || {
            let _ended = ended;
            look();
        });
        looking.ok().map(|_| (now, receiver))
    }
}

/// Dropped by the thread that looks, also when that panics, and when there is no such thread.
struct Ended {
    pace: Arc<Mutex<Pace>>,
    _sender: watch::Sender<()>,
}

impl Drop for Ended {
    fn drop(&mut self) {
        locked(&self.pace).under_way = None;
    }
}

fn locked(pace: &Mutex<Pace>) -> MutexGuard<'_, Pace> {
    pace.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;

    use super::*;

    #[tokio::test]
    async fn a_look_is_waited_for_and_not_repeated_at_once() {
        let (refresh, looks) = (Refresh::default(), Arc::new(AtomicUsize::new(0)));
        for _ in 0..3 {
            let looks = Arc::clone(&looks);
            refresh.run(move || _ = looks.fetch_add(1, Ordering::Relaxed)).await;
        }
        assert_eq!(looks.load(Ordering::Relaxed), 1);
        locked(&refresh.pace).began = Instant::now().checked_sub(LOOK_EVERY);
        let again = Arc::clone(&looks);
        refresh.run(move || _ = again.fetch_add(1, Ordering::Relaxed)).await;
        assert_eq!(looks.load(Ordering::Relaxed), 2);
        refresh.hurry();
        let again = Arc::clone(&looks);
        refresh.run(move || _ = again.fetch_add(1, Ordering::Relaxed)).await;
        assert_eq!(looks.load(Ordering::Relaxed), 3);
    }

    #[tokio::test]
    async fn a_look_that_hangs_delays_one_request_for_a_moment() {
        let refresh = Refresh::default();
        let (wake, asleep) = mpsc::channel::<()>();
        let begin = Instant::now();
        refresh.run(move || _ = asleep.recv()).await;
        assert!(begin.elapsed() >= PATIENCE);
        locked(&refresh.pace).began = Instant::now().checked_sub(LOOK_EVERY * 2);
        let begin = Instant::now();
        for _ in 0..1000 {
            refresh.run(|| unreachable!("the first look has not returned")).await;
        }
        assert!(begin.elapsed() < Duration::from_secs(5));
        drop(wake);
        while locked(&refresh.pace).under_way.is_some() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let (sender, looked) = mpsc::channel();
        refresh.run(move || sender.send(()).unwrap()).await;
        looked.recv_timeout(Duration::from_secs(20)).unwrap();
    }
}
