//! Accesses files off the runtime thread and with a timeout: a network mount whose server is gone never answers, and a request about it
//! must not block the others. Bounds the threads that hang on a dead mount, however often it is accessed.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

use crate::world::mounts::mount_point;

/// Timeout of an access.
const TIMEOUT: Duration = Duration::from_secs(5);
/// Cap on hanging accesses; at the cap, all further ones fail until one returns.
const MAX_HANGING: usize = 64;

/// The start times of accesses in progress, by mount.
static UNDER_WAY: Mutex<Option<HashMap<String, Vec<Instant>>>> = Mutex::new(None);

/// Runs a short file access at this place. The error is for the user.
pub async fn run<T: Send + 'static>(place: &str, look: impl FnOnce() -> T + Send + 'static) -> anyhow::Result<T> {
    look_within(place, TIMEOUT, look).await
}

/// Accesses a file that may be leased to another process: a hang there says nothing about the rest of its mount.
pub async fn run_at_file<T: Send + 'static>(
    file: &Path,
    look: impl FnOnce() -> T + Send + 'static,
) -> anyhow::Result<T> {
    let place = file.display().to_string();
    let under_way = UnderWay::begin_at(&place, place.clone(), TIMEOUT)?;
    finish(&place, TIMEOUT, under_way, look).await
}

/// The same without waiting for the result. Skipped if the file hangs.
pub fn spawn_at_file(file: &Path, act: impl FnOnce() + Send + 'static) -> anyhow::Result<()> {
    let place = file.display().to_string();
    let under_way = UnderWay::begin_at(&place, place.clone(), TIMEOUT)?;
    let runtime = tokio::runtime::Handle::try_current().context("the daemon is ending")?;
    runtime.spawn_blocking(move || {
        let _under_way = under_way;
        act();
    });
    Ok(())
}

async fn look_within<T: Send + 'static>(
    place: &str,
    timeout: Duration,
    look: impl FnOnce() -> T + Send + 'static,
) -> anyhow::Result<T> {
    let under_way = UnderWay::begin(place, timeout)?;
    finish(place, timeout, under_way, look).await
}

async fn finish<T: Send + 'static>(
    place: &str,
    timeout: Duration,
    under_way: UnderWay,
    look: impl FnOnce() -> T + Send + 'static,
) -> anyhow::Result<T> {
    let looking = tokio::task::spawn_blocking(move || {
        let _under_way = under_way;
        look()
    });
    match tokio::time::timeout(timeout, looking).await {
        Ok(looked) => looked.context("looking at the disk went wrong"),
        Err(_) => bail!("{place} does not answer; its disk or network may have gone"),
    }
}

/// Held by the accessing thread for as long as it takes.
struct UnderWay {
    /// The mount point, or the path of a single file.
    mount: String,
    began: Instant,
}

impl UnderWay {
    fn begin(place: &str, timeout: Duration) -> anyhow::Result<Self> {
        // When a mount hangs, everything on it does.
        let mount = mount_point(Path::new(place)).display().to_string();
        Self::begin_at(place, mount, timeout)
    }

    fn begin_at(place: &str, mount: String, timeout: Duration) -> anyhow::Result<Self> {
        let began = Instant::now();
        let mut under_way = locked();
        let under_way = under_way.get_or_insert_default();
        let hangs = |since: &Instant| began.saturating_duration_since(*since) >= timeout;
        if under_way.get(&mount).is_some_and(|looks| looks.iter().any(hangs)) {
            bail!("{place} does not answer; its disk or network may have gone");
        }
        if under_way.values().flatten().filter(|since| hangs(since)).count() >= MAX_HANGING {
            bail!("too many directories do not answer; restart the daemon: aside daemon stop");
        }
        under_way.entry(mount.clone()).or_default().push(began);
        Ok(Self { mount, began })
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        let mut under_way = locked();
        let under_way = under_way.get_or_insert_default();
        if let Some(looks) = under_way.get_mut(&self.mount) {
            if let Some(own) = looks.iter().position(|began| *began == self.began) {
                looks.swap_remove(own);
            }
            if looks.is_empty() {
                under_way.remove(&self.mount);
            }
        }
    }
}

fn locked() -> MutexGuard<'static, Option<HashMap<String, Vec<Instant>>>> {
    UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[tokio::test]
    async fn a_place_that_hangs_is_asked_once_and_again_when_it_has_woken() {
        let short = Duration::from_millis(50);
        let (wake, asleep) = mpsc::channel::<()>();
        let hangs = look_within("/hangs", short, move || {
            let _ = asleep.recv();
        })
        .await;
        assert!(hangs.unwrap_err().to_string().contains("/hangs does not answer"));
        let again = look_within("/hangs", short, || unreachable!("no second thread waits for it")).await;
        assert!(again.is_err());
        assert_eq!(run("/well", || 7).await.unwrap(), 7);
        drop(wake);
        while look_within("/hangs", short, || 7).await.is_err() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
}
