//! What a daemon without requests gives up: memory that it can get again, and most of its wake-ups.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use aside_text::rebuilt;
use tokio::sync::Notify;

use crate::daemon::state::State;

/// Time without a request after which the daemon is at rest.
const QUIET: Duration = Duration::from_secs(30);
/// Between two rounds of housekeeping, while there are requests.
const AWAKE: Duration = Duration::from_secs(1);
/// The same at rest: for a setting that was changed outside of every shell.
const AT_REST: Duration = Duration::from_secs(60);

/// When housekeeping is due. A request wakes a daemon that is at rest.
#[derive(Default)]
pub struct Rest {
    is_resting: AtomicBool,
    woken: Notify,
}

impl Rest {
    /// Called for each request.
    pub fn end(&self) {
        if self.is_resting.swap(false, Ordering::Relaxed) {
            self.woken.notify_one();
        }
    }

    pub async fn ended(&self) {
        self.woken.notified().await;
    }

    /// How long housekeeping can wait. Releases memory where the rest begins.
    pub fn until_next_round(&self, state: &Arc<State>) -> Duration {
        let quiet = state.quiet(Instant::now());
        if quiet < QUIET || !state.is_resting() {
            return AWAKE;
        }
        if !self.is_resting.swap(true, Ordering::Relaxed) {
            tokio::task::spawn_blocking(release_memory);
        }
        pause_at_rest(quiet, Duration::from_secs(state.config().daemon.idle_exit_s))
    }
}

/// `limit` is the quiet after which a daemon without connections ends; zero for never.
fn pause_at_rest(quiet: Duration, limit: Duration) -> Duration {
    match limit.saturating_sub(quiet) {
        Duration::ZERO => AT_REST,
        left => left.min(AT_REST),
    }
}

/// Called at the start, before there are other threads. An allocator with a heap for each thread leaves holes in all of them.
pub fn keep_memory_together() {
    system::limit_heaps();
}

/// Drops what can be made again, returns free memory to the system, and unmaps the pages of the program, which stay in the page cache.
fn release_memory() {
    rebuilt::release();
    system::return_free_memory();
    system::unmap_program();
}

#[cfg(target_os = "linux")]
mod system {
    use std::ops::Range;

    /// The runtime's, and one for all other threads.
    #[cfg(target_env = "gnu")]
    const MAX_HEAPS: libc::c_int = 2;

    #[cfg_attr(target_env = "gnu", expect(unsafe_code, reason = "a setting of the C library"))]
    pub fn limit_heaps() {
        #[cfg(target_env = "gnu")]
        // SAFETY: has no preconditions but to be called before other threads allocate.
        unsafe {
            libc::mallopt(libc::M_ARENA_MAX, MAX_HEAPS);
        }
    }

    #[cfg_attr(target_env = "gnu", expect(unsafe_code, reason = "only the C library knows its free memory"))]
    pub fn return_free_memory() {
        #[cfg(target_env = "gnu")]
        // SAFETY: has no preconditions.
        unsafe {
            libc::malloc_trim(0);
        }
    }

    /// The next use of a page maps it again, with its neighbours, in about a microsecond.
    #[expect(unsafe_code, reason = "there is no safe call that unmaps pages")]
    pub fn unmap_program() {
        let maps = std::fs::read_to_string("/proc/self/smaps").unwrap_or_default();
        for range in read_only_files(&maps) {
            // SAFETY: the mapping is of a file, private, not writable, and no page of it was ever changed: the file has the same bytes.
            unsafe { libc::madvise(range.start as *mut libc::c_void, range.len(), libc::MADV_DONTNEED) };
        }
    }

    /// Mappings without a page that differs from the file. A program's relocated data is read-only too, and does differ.
    fn read_only_files(smaps: &str) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        let mut candidate = None;
        for line in smaps.lines() {
            let mut words = line.split_ascii_whitespace();
            match (words.next(), words.next()) {
                (Some("Anonymous:"), Some("0")) => found.extend(candidate.take()),
                (Some("Anonymous:"), _) => candidate = None,
                (Some(range), Some("r-xp" | "r--p")) if words.nth(3).is_some_and(|file| file.starts_with('/')) => {
                    let (start, end) = range.split_once('-').unwrap_or_default();
                    let number = |text| usize::from_str_radix(text, 16).ok();
                    candidate = number(start).zip(number(end)).map(|(start, end)| start..end);
                }
                (Some(field), _) if field.contains('-') => candidate = None,
                _ => {}
            }
        }
        found
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn only_unchanged_read_only_mappings_of_files_are_unmapped() {
            let maps = "\
55d0-55e0 r--p 00000000 fe:00 42 /usr/bin/aside
Rss: 8 kB
Anonymous:             0 kB
55e0-55f0 r-xp 00000000 fe:00 42 /usr/bin/aside
Anonymous:             0 kB
55f0-5600 r--p 00000000 fe:00 42 /usr/bin/aside
Anonymous:            16 kB
5600-5610 rw-p 00000000 fe:00 42 /usr/bin/aside
Anonymous:             0 kB
5610-5620 rw-p 00000000 00:00 0 [heap]
Anonymous:             0 kB
7000-7010 r--s 00000000 fe:00 43 /shared
Anonymous:             0 kB
7010-7020 r--p 00000000 00:00 0 [vvar]
Anonymous:             0 kB
7020-7030 r--p 00000000 00:00 0
Anonymous:             0 kB
";
            assert_eq!(read_only_files(maps), [0x55d0..0x55e0, 0x55e0..0x55f0]);
        }

        #[test]
        fn a_program_goes_on_when_its_pages_are_unmapped() {
            let word = String::from("still here");
            super::super::release_memory();
            assert_eq!(word.to_uppercase(), "STILL HERE");
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    pub fn limit_heaps() {}

    pub fn return_free_memory() {}

    pub fn unmap_program() {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_daemon_at_rest_wakes_in_time_to_end() {
        let paused = |quiet, limit| pause_at_rest(Duration::from_secs(quiet), Duration::from_secs(limit)).as_secs();
        assert_eq!((paused(30, 0), paused(30, 1800), paused(30, 45)), (60, 60, 15));
        assert_eq!(paused(50, 45), 60, "a shell is connected, so it does not end");
    }

    #[tokio::test]
    async fn a_request_wakes_a_daemon_at_rest_once() {
        let rest = Rest::default();
        rest.end();
        rest.is_resting.store(true, Ordering::Relaxed);
        rest.end();
        rest.end();
        rest.ended().await;
        let again = tokio::time::timeout(Duration::from_millis(1), rest.ended()).await;
        assert!(again.is_err());
    }
}
