//! The registry of captured terminals: where each shell runs, which watcher captures it, and how often a pane's pipe may be opened.
//! Remembers and decides; `tmux_pipes` talks to tmux.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use aside_proto::Reply;
use aside_proto::command_ended::WatchParams;
use rustix::io::Errno;
use rustix::process::Pid;
use tokio::sync::Notify;

use crate::capture::tmux::{self, Pane};
use crate::config::{Capture, Suggest};
use crate::daemon::state::State;
use crate::daemon::updates::Updates;
use crate::paths;

/// Cap on shells whose place is known; the least recently seen is evicted.
const MAX_PLACES: usize = 256;
/// Cap on watchers. Each has a connection, and those are limited too.
const MAX_WATCHES: usize = 512;
/// Cap on ended watchers, which may still send the reason of their end.
const MAX_ENDED: usize = 32;
/// Cap on panes whose attempts are counted; the one tried longest ago is evicted.
const MAX_TRIES_KEPT: usize = 256;
/// Length of a mark.
const MARK: std::ops::RangeInclusive<usize> = 16..=64;
/// Attempts in a row to open a pipe: the first two at once, for a watcher that was killed, the others after a pause. A watcher that ran for
/// `STEADY` resets the count.
const MAX_TRIES: u32 = 5;
const FREE_TRIES: u32 = 2;
const PAUSE: Duration = Duration::from_secs(5);
const STEADY: Duration = Duration::from_secs(60);
/// Cap on panes that are left to the user's own pipes; the oldest is evicted.
const MAX_LEFT: usize = 256;
/// How long tmux may take to notice that a watcher has ended: it does with the next byte of the pane.
const CLOSING: Duration = Duration::from_secs(5);
/// Why the output of a shell is not captured after `aside-off`.
pub const SWITCHED_OFF: &str = "Aside is off in this shell";

/// How the output of a shell is captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tier {
    /// Through the pipe of a tmux pane.
    Tmux,
    /// Through Aside's proxy terminal around the shell.
    Pty,
}

/// Where a shell runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShellLocation {
    pub mark: String,
    pub tty: String,
    pub pane: Option<Pane>,
    /// What the shell was told; `None` if its output is not captured.
    pub tier: Option<Tier>,
    pub reason: String,
}

/// For `status`.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct CaptureStatus {
    /// Empty for a shell that has not reported where it runs.
    pub tier: &'static str,
    pub reason: String,
    pub watched: bool,
}

/// Whether a pipe may be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PipePermission {
    Yours,
    /// Another request is opening it.
    UnderWay,
    /// It was tried too often.
    Spent,
}

#[derive(Default)]
pub struct CaptureRegistry {
    known: Mutex<Known>,
    changed: Notify,
}

#[derive(Default)]
struct Known {
    places: HashMap<String, (ShellLocation, Instant)>,
    watches: Vec<Watch>,
    /// Process and pane, newest last.
    ended: VecDeque<(u32, Option<Pane>)>,
    tries: HashMap<Pane, Tries>,
    /// Panes whose pipe the user closed or replaced, oldest first.
    left: VecDeque<Pane>,
    /// Panes whose watcher was told to end, and when.
    closing: HashMap<Pane, Instant>,
    numbers: u64,
}

struct Watch {
    number: u64,
    tty: String,
    /// What the watcher calls the terminal: the tty that the pane had when the watcher started.
    told: String,
    tier: Tier,
    pid: u32,
    /// `None` until a shell reports the pane of this terminal.
    pane: Option<Pane>,
    since: Instant,
    later: Updates,
}

struct Tries {
    in_a_row: u32,
    last: Instant,
    under_way: bool,
}

/// A registered watcher. Dropped when its connection ends, or when it says so.
pub struct WatcherGuard {
    state: Arc<State>,
    number: u64,
}

/// An attempt to open a pipe. Dropped when tmux was asked.
pub struct PipeAttempt {
    state: Arc<State>,
    pane: Pane,
}

impl Tier {
    pub fn name(self) -> &'static str {
        match self {
            Tier::Tmux => "tmux",
            Tier::Pty => "pty",
        }
    }

    pub fn of(name: &str) -> Option<Self> {
        [Tier::Tmux, Tier::Pty].into_iter().find(|tier| tier.name() == name)
    }

    /// Whether the settings allow it.
    pub fn is_wanted(self, settings: &Suggest) -> bool {
        let chosen = match (self, settings.capture) {
            (_, Capture::Auto) | (Tier::Tmux, Capture::Tmux) | (Tier::Pty, Capture::Pty) => true,
            (_, Capture::Off) | (Tier::Tmux, Capture::Pty) | (Tier::Pty, Capture::Tmux) => false,
        };
        settings.enabled && chosen
    }
}

/// Whether a mark is long enough not to occur in a program's output by chance.
pub fn is_mark(mark: &str) -> bool {
    MARK.contains(&mark.len()) && mark.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

impl CaptureRegistry {
    /// Records where a shell runs.
    pub fn place(&self, session: &str, place: ShellLocation) {
        let mut known = self.known();
        if known.places.len() >= MAX_PLACES && !known.places.contains_key(session) {
            let oldest = known.places.iter().min_by_key(|(_, (_, heard))| *heard).map(|(name, _)| name.clone());
            oldest.map(|name| known.places.remove(&name));
        }
        for watch in known.watches.iter_mut().filter(|watch| watch.tty == place.tty && watch.tier == Tier::Tmux) {
            // The watcher was started before this daemon: only its shell can tell the pane.
            if watch.pane.is_none() {
                watch.pane.clone_from(&place.pane);
            }
        }
        known.places.insert(session.to_owned(), (place, Instant::now()));
    }

    /// Records whether the shell's output is captured, and why.
    pub fn settle(&self, session: &str, tier: Option<Tier>, reason: &str) {
        if let Some((place, _)) = self.known().places.get_mut(session) {
            place.tier = tier;
            reason.clone_into(&mut place.reason);
        }
    }

    /// How a terminal is captured, if it is.
    pub fn sees(&self, tty: &str) -> Option<Tier> {
        self.known().watch(tty).map(|watch| watch.tier)
    }

    /// The same, but waits for a watcher that may be about to connect.
    pub async fn will_see(&self, tty: &str, limit: Duration) -> Option<Tier> {
        let seen = async {
            loop {
                let changed = self.changed.notified();
                if let Some(tier) = self.sees(tty) {
                    return tier;
                }
                changed.await;
            }
        };
        tokio::time::timeout(limit, seen).await.ok()
    }

    /// Whether a watcher captures this pane with this terminal: a closed terminal leaves its number to another pane, and for a moment also
    /// its watcher.
    pub fn has(&self, pane: &Pane, tty: &str) -> bool {
        let known = self.known();
        known.watches.iter().any(|watch| watch.pane.as_ref() == Some(pane) && watch.tty == tty)
    }

    /// Records the pane's new terminal as tmux reports it: a respawned pane has a new tty, but keeps its pipe. Returns whether a watcher
    /// captures it.
    pub fn moves(&self, pane: &Pane, tty: &str) -> bool {
        let mut known = self.known();
        let watch = known.watches.iter_mut().rev().find(|watch| watch.pane.as_ref() == Some(pane));
        let Some(watch) = watch else { return false };
        tty.clone_into(&mut watch.tty);
        true
    }

    pub fn turn(state: &Arc<State>, pane: &Pane) -> Result<PipeAttempt, PipePermission> {
        let mut known = state.capture_registry().known();
        match known.turn(pane, Instant::now()) {
            PipePermission::Yours => Ok(PipeAttempt { state: Arc::clone(state), pane: pane.clone() }),
            other => Err(other),
        }
    }

    /// Called when a shell sends a message: the pane whose pipe has to be opened again, if no watcher has it.
    pub fn wants(&self, session: &str) -> Option<(Pane, String)> {
        let mut known = self.known();
        let (place, heard) = known.places.get_mut(session)?;
        *heard = Instant::now();
        if place.tier != Some(Tier::Tmux) {
            return None;
        }
        let (pane, tty) = (place.pane.clone()?, place.tty.clone());
        known.watch(&tty).is_none().then_some((pane, tty))
    }

    /// Notifies watchers that the settings no longer allow.
    pub fn dismiss(&self, settings: &Suggest) {
        let unwanted: Vec<Updates> = {
            let known = self.known();
            let unwanted = known.watches.iter().filter(|watch| !watch.tier.is_wanted(settings));
            unwanted.map(|watch| watch.later.clone()).collect()
        };
        for later in unwanted {
            later.send(not_wanted());
        }
    }

    /// `aside-off`: ends the watcher of the shell's pane. An outer shell in that pane has it opened again with its next message.
    pub fn switch_off(&self, session: &str) {
        let mut known = self.known();
        let Some((place, _)) = known.places.get_mut(session) else { return };
        if place.tier == Some(Tier::Pty) {
            return;
        }
        place.tier = None;
        SWITCHED_OFF.clone_into(&mut place.reason);
        let tty = place.tty.clone();
        let (ended, rest) = std::mem::take(&mut known.watches)
            .into_iter()
            .partition(|watch| watch.tty == tty && watch.tier == Tier::Tmux);
        known.watches = rest;
        known.closing.retain(|_, since| since.elapsed() < CLOSING);
        let ended: Vec<Watch> = ended;
        for pane in ended.iter().filter_map(|watch| watch.pane.clone()) {
            known.tries.remove(&pane);
            known.closing.insert(pane, Instant::now());
        }
        drop(known);
        for watch in ended {
            watch.later.send(not_wanted());
        }
    }

    /// Whether the shell in this terminal was switched off: what was started for it before comes too late.
    pub fn is_switched_off(&self, tty: &str) -> bool {
        self.known().newest_on(tty).is_some_and(|(_, place)| place.reason == SWITCHED_OFF)
    }

    /// Whether tmux may not have noticed yet that our watcher of this pane has ended.
    pub fn is_closing(&self, pane: &Pane) -> bool {
        self.known().closing.get(pane).is_some_and(|since| since.elapsed() < CLOSING)
    }

    /// Whether the user has closed or replaced our pipe of this pane.
    pub fn is_left(&self, pane: &Pane) -> bool {
        self.known().left.contains(pane)
    }

    /// Whether this shell's pane is one of those.
    pub fn is_left_by(&self, session: &str) -> bool {
        let known = self.known();
        let pane = known.places.get(session).and_then(|(place, _)| place.pane.as_ref());
        pane.is_some_and(|pane| known.left.contains(pane))
    }

    pub fn seen(&self, session: &str) -> CaptureStatus {
        let known = self.known();
        let Some((place, _)) = known.places.get(session) else { return CaptureStatus::default() };
        CaptureStatus {
            tier: place.tier.map_or("off", Tier::name),
            reason: place.reason.clone(),
            watched: known.watch(&place.tty).is_some(),
        }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The reply to a watcher that the settings do not allow.
pub fn not_wanted() -> Reply {
    Reply::error("not_wanted", "the settings do not want outputs to be seen")
}

impl State {
    /// Registers a watcher until the guard is dropped. Returns `None` if there are too many, or if the request is invalid.
    pub fn watch(self: &Arc<Self>, watching: &WatchParams, later: &Updates) -> Option<WatcherGuard> {
        let tier = Tier::of(&watching.tier)?;
        let mut known = self.capture_registry().known();
        if known.watches.len() >= MAX_WATCHES || !tmux::is_terminal(&watching.tty) {
            return None;
        }
        known.numbers += 1;
        let number = known.numbers;
        let pane = known.newest_on(&watching.tty).and_then(|(_, place)| place.pane.clone());
        known.watches.push(Watch {
            number,
            tty: watching.tty.clone(),
            told: watching.tty.clone(),
            tier,
            pid: watching.pid,
            pane: pane.filter(|_| tier == Tier::Tmux),
            since: Instant::now(),
            later: later.clone(),
        });
        drop(known);
        self.capture_registry().changed.notify_waiters();
        Some(WatcherGuard { state: Arc::clone(self), number })
    }

    /// The pipe to a watcher was closed on purpose, so it is not opened again in that pane. A shell that has the same tty by now, in another
    /// pane, is not affected.
    pub fn watched_in_vain(&self, watching: &WatchParams, reason: &str) {
        let mut known = self.capture_registry().known();
        let ended = known.ended.iter().rev().find(|(pid, _)| *pid == watching.pid);
        let pane = ended.and_then(|(_, pane)| pane.clone());
        if let Some(pane) = pane.clone().filter(|pane| !known.left.contains(pane)) {
            if known.left.len() == MAX_LEFT {
                known.left.pop_front();
            }
            known.left.push_back(pane);
        }
        for (place, _) in known.places.values_mut() {
            let same = if pane.is_some() { place.pane == pane } else { place.tty == watching.tty };
            if same && place.tier == Some(Tier::Tmux) {
                place.tier = None;
                reason.clone_into(&mut place.reason);
            }
        }
    }

    /// The session whose outputs carry this mark.
    pub fn session_of_mark(&self, mark: &str) -> Option<String> {
        let known = self.capture_registry().known();
        let of_it = known.places.iter().filter(|(_, (place, _))| place.mark == mark && is_mark(mark));
        of_it.max_by_key(|(_, (_, heard))| *heard).map(|(session, _)| session.clone())
    }

    /// The shell on a terminal that was seen last: others may be waiting for it to end.
    pub fn session_on(&self, tty: &str) -> Option<String> {
        let known = self.capture_registry().known();
        known.newest_on(tty).map(|(session, _)| session.to_owned())
    }

    /// The terminal of a shell, under the name that its watcher uses.
    pub fn tty_of(&self, session: &str) -> Option<String> {
        let known = self.capture_registry().known();
        let (place, _) = known.places.get(session)?;
        Some(known.watch(&place.tty).map_or(&place.tty, |watch| &watch.told).clone())
    }
}

/// Whether the shell of a session has ended.
fn has_ended(session: &str) -> bool {
    let pid = paths::shell_of_session(session).and_then(Pid::from_raw);
    pid.is_some_and(|pid| rustix::process::test_kill_process(pid) == Err(Errno::SRCH))
}

impl Known {
    /// The newest, since an older watcher may not have noticed that its terminal was reused.
    fn watch(&self, tty: &str) -> Option<&Watch> {
        self.watches.iter().rev().find(|watch| watch.tty == tty)
    }

    fn newest_on(&self, tty: &str) -> Option<(&str, &ShellLocation)> {
        // The terminal of a shell that has ended may be that of another, which has not said where it runs.
        let is_there =
            |session: &str, place: &ShellLocation| place.tty == tty && !tty.is_empty() && !has_ended(session);
        let there = self.places.iter().filter(|(session, (place, _))| is_there(session, place));
        let newest = there.max_by_key(|(_, (_, heard))| *heard);
        newest.map(|(session, (place, _))| (session.as_str(), place))
    }

    fn turn(&mut self, pane: &Pane, now: Instant) -> PipePermission {
        if self.tries.len() >= MAX_TRIES_KEPT && !self.tries.contains_key(pane) {
            let oldest = self.tries.iter().filter(|(_, tries)| !tries.under_way).min_by_key(|(_, tries)| tries.last);
            let oldest = oldest.map(|(pane, _)| pane.clone());
            oldest.map(|pane| self.tries.remove(&pane));
        }
        let tries = self.tries.entry(pane.clone()).or_insert(Tries { in_a_row: 0, last: now, under_way: false });
        if tries.under_way {
            return PipePermission::UnderWay;
        }
        let soon = tries.in_a_row >= FREE_TRIES && now.saturating_duration_since(tries.last) < PAUSE;
        if tries.in_a_row >= MAX_TRIES || soon {
            return PipePermission::Spent;
        }
        *tries = Tries { in_a_row: tries.in_a_row + 1, last: now, under_way: true };
        PipePermission::Yours
    }
}

impl Drop for WatcherGuard {
    fn drop(&mut self) {
        let mut known = self.state.capture_registry().known();
        let Some(place) = known.watches.iter().position(|watch| watch.number == self.number) else { return };
        let watch = known.watches.remove(place);
        if known.ended.len() == MAX_ENDED {
            known.ended.pop_front();
        }
        known.ended.push_back((watch.pid, watch.pane.clone()));
        if watch.since.elapsed() >= STEADY
            && let Some(tries) = watch.pane.and_then(|pane| known.tries.get_mut(&pane))
        {
            tries.in_a_row = 0;
        }
    }
}

impl PipeAttempt {
    /// There was nothing to open; the attempt does not count.
    pub fn in_vain(self) {
        if let Some(tries) = self.state.capture_registry().known().tries.get_mut(&self.pane) {
            tries.in_a_row = tries.in_a_row.saturating_sub(1);
        }
    }
}

impl Drop for PipeAttempt {
    fn drop(&mut self) {
        if let Some(tries) = self.state.capture_registry().known().tries.get_mut(&self.pane) {
            tries.under_way = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paths::Paths;
    use std::os::unix::net::UnixListener;

    const MARK: &str = "5f1c9a2be07d4413";

    /// Panes of a tmux server that is only a socket.
    struct Scene {
        state: Arc<State>,
        socket: String,
        _server: (tempfile::TempDir, UnixListener),
    }

    impl Scene {
        fn new() -> Self {
            let temp = tempfile::tempdir().unwrap();
            let listener = UnixListener::bind(temp.path().join("s")).unwrap();
            let nowhere = std::path::PathBuf::from("/nowhere");
            let state = State::new(Paths {
                config_file: nowhere.join("config.toml"),
                data_dir: nowhere.clone(),
                state_dir: nowhere.clone(),
                socket: nowhere,
            });
            let socket = temp.path().join("s").display().to_string();
            Self { state, socket, _server: (temp, listener) }
        }

        fn pane(&self, id: &str) -> Pane {
            Pane::of(&format!("{},1,0", self.socket), id).unwrap()
        }

        fn place(&self, session: &str, mark: &str, tty: &str, pane: &str) {
            self.state.capture_registry().place(
                session,
                ShellLocation {
                    mark: mark.to_owned(),
                    tty: tty.to_owned(),
                    pane: Some(self.pane(pane)),
                    tier: Some(Tier::Tmux),
                    reason: "seen".to_owned(),
                },
            );
        }

        fn watch(&self, tty: &str, pid: u32) -> Option<WatcherGuard> {
            self.state.watch(&watching(tty, "tmux", pid), &Updates::never())
        }

        fn tier(&self, session: &str) -> &'static str {
            self.state.capture_registry().seen(session).tier
        }
    }

    fn watching(tty: &str, tier: &str, pid: u32) -> WatchParams {
        WatchParams { tty: tty.to_owned(), tier: tier.to_owned(), pid }
    }

    #[test]
    fn a_terminal_is_seen_for_as_long_as_somebody_watches() {
        let scene = Scene::new();
        let capture_registry = scene.state.capture_registry();
        assert_eq!(capture_registry.sees("/dev/pts/3"), None);
        let guard = scene.watch("/dev/pts/3", 1).unwrap();
        assert_eq!(capture_registry.sees("/dev/pts/3"), Some(Tier::Tmux));
        assert_eq!(capture_registry.sees("/dev/pts/4"), None);
        drop(guard);
        assert_eq!(capture_registry.sees("/dev/pts/3"), None);
        for nonsense in [watching("/dev/pts/3", "video", 1), watching("not a terminal", "tmux", 1)] {
            assert!(scene.state.watch(&nonsense, &Updates::never()).is_none());
        }
    }

    #[test]
    fn the_shell_on_a_terminal_is_the_one_heard_from_last() {
        let scene = Scene::new();
        scene.place("outer", MARK, "/dev/pts/3", "%1");
        scene.place("inner", "0123456789abcdef", "/dev/pts/3", "%1");
        assert_eq!(scene.state.session_on("/dev/pts/3").as_deref(), Some("inner"));
        scene.state.capture_registry().wants("outer");
        assert_eq!(scene.state.session_on("/dev/pts/3").as_deref(), Some("outer"));
        assert_eq!(scene.state.session_of_mark(MARK).as_deref(), Some("outer"));
        assert_eq!(scene.state.session_of_mark("0123456789abcdee"), None, "a stranger's");
        assert_eq!((scene.state.session_of_mark(""), scene.state.session_on("")), (None, None));
        assert_eq!(scene.state.tty_of("inner").as_deref(), Some("/dev/pts/3"));
        assert_eq!(scene.state.tty_of("nobody"), None);
    }

    #[test]
    fn a_mark_cannot_be_guessed_and_is_plain() {
        for (mark, is) in [(MARK, true), ("", false), ("1", false), ("5f1c9a2be07d441;", false)] {
            assert_eq!(is_mark(mark), is, "{mark}");
        }
        assert!(!is_mark(&"a".repeat(65)));
    }

    #[test]
    fn a_pipe_is_opened_five_times_in_a_row_and_not_at_once() {
        let scene = Scene::new();
        let pane = scene.pane("%1");
        let mut known = scene.state.capture_registry().known();
        let start = Instant::now();
        let mut turn = |seconds: u64| {
            let turn = known.turn(&pane, start + Duration::from_secs(seconds));
            known.tries.get_mut(&pane).unwrap().under_way = false;
            turn
        };
        let turns = [0, 0, 0, 4, 5, 6, 10, 15, 20, 1000].map(&mut turn);
        use PipePermission::{Spent, Yours};
        assert_eq!(turns, [Yours, Yours, Spent, Spent, Yours, Spent, Yours, Yours, Spent, Spent]);
    }

    #[test]
    fn one_asks_at_a_time_and_what_opened_nothing_does_not_count() {
        let scene = Scene::new();
        let pane = scene.pane("%1");
        for _ in 0..10 {
            let turn = CaptureRegistry::turn(&scene.state, &pane).ok().unwrap();
            assert_eq!(CaptureRegistry::turn(&scene.state, &pane).err(), Some(PipePermission::UnderWay));
            turn.in_vain();
        }
    }

    #[test]
    fn a_goodbye_is_for_the_shells_of_that_pane() {
        let scene = Scene::new();
        scene.place("old", MARK, "/dev/pts/3", "%1");
        let old = scene.watch("/dev/pts/3", 11).unwrap();
        // The pane was closed, and its tty is reused before its watcher has reported that.
        scene.place("new", "0123456789abcdef", "/dev/pts/3", "%2");
        assert!(!scene.state.capture_registry().has(&scene.pane("%2"), "/dev/pts/3"), "that is the old one");
        let new = scene.watch("/dev/pts/3", 12).unwrap();
        drop(old);
        scene.state.watched_in_vain(&watching("/dev/pts/3", "", 11), "closed");
        assert_eq!((scene.tier("old"), scene.tier("new")), ("off", "tmux"));
        assert_eq!(scene.state.capture_registry().sees("/dev/pts/3"), Some(Tier::Tmux));
        drop(new);
        assert!(scene.state.capture_registry().wants("new").is_some());
        assert!(scene.state.capture_registry().wants("old").is_none());
    }

    #[test]
    fn a_pane_that_was_started_anew_is_watched_under_its_old_name() {
        let scene = Scene::new();
        scene.place("old", MARK, "/dev/pts/3", "%1");
        let _guard = scene.watch("/dev/pts/3", 11).unwrap();
        scene.place("new", "0123456789abcdef", "/dev/pts/4", "%1");
        assert!(!scene.state.capture_registry().has(&scene.pane("%1"), "/dev/pts/4"), "it may be one inside of it");
        assert!(scene.state.capture_registry().seen("old").watched);
        assert!(scene.state.capture_registry().moves(&scene.pane("%1"), "/dev/pts/4"));
        assert!(scene.state.capture_registry().seen("new").watched);
        assert_eq!(scene.state.tty_of("new").as_deref(), Some("/dev/pts/3"));
        assert_eq!(scene.state.session_on("/dev/pts/4").as_deref(), Some("new"));
    }

    #[test]
    fn places_that_were_not_heard_from_are_forgotten_first() {
        let scene = Scene::new();
        for number in 0..=MAX_PLACES {
            scene.place(&format!("s{number}"), MARK, "/dev/pts/3", "%1");
        }
        assert_eq!(scene.tier("s0"), "");
        assert_eq!((scene.tier("s1"), scene.tier(&format!("s{MAX_PLACES}"))), ("tmux", "tmux"));
    }
}
