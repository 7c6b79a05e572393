//! Schedules the re-reading of files that the daemon caches: at most one check per interval, on its own thread, one at a time. A check that
//! hangs blocks one thread and delays a request by at most `PATIENCE`; no further check starts until it returns.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::watch;

const LOOK_EVERY: Duration = Duration::from_secs(1);
/// How long a request waits for a check that its answer may depend on. A healthy file system answers in microseconds.
const PATIENCE: Duration = Duration::from_millis(40);

pub struct FilePoller {
    pace: Arc<Mutex<Pace>>,
    every: Duration,
}

impl Default for FilePoller {
    fn default() -> Self {
        Self { pace: Arc::default(), every: LOOK_EVERY }
    }
}

#[derive(Default)]
struct Pace {
    /// When the last check began.
    began: Option<Instant>,
    /// Closes when the check in progress ends.
    under_way: Option<watch::Receiver<()>>,
}

impl FilePoller {
    /// Checks on every call, for files that the user edits and tries at once.
    pub fn each_time() -> Self {
        Self { every: Duration::ZERO, ..Self::default() }
    }

    /// Starts a check if due, and waits for a check that has just begun.
    pub async fn run(&self, look: impl FnOnce() + Send + 'static) {
        let Some((began, mut under_way)) = self.begin(look) else { return };
        let left = PATIENCE.saturating_sub(began.elapsed());
        if !left.is_zero() {
            // The sender is dropped when the check ends.
            let _ = tokio::time::timeout(left, under_way.changed()).await;
        }
    }

    /// Makes the next check due at once.
    pub fn hurry(&self) {
        let mut pace = locked(&self.pace);
        if pace.under_way.is_none() {
            pace.began = None;
        }
    }

    /// Returns the check in progress; `None` if none is due.
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
        // Not on the runtime's pool: shutdown would wait for a check that hangs.
        let looking = std::thread::Builder::new().spawn(move || {
            let _ended = ended;
            look();
        });
        looking.ok().map(|_| (now, receiver))
    }
}

/// Dropped by the checking thread, also on a panic or if the thread could not be started.
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
        let (refresh, looks) = (FilePoller::default(), Arc::new(AtomicUsize::new(0)));
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
        let refresh = FilePoller::default();
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
