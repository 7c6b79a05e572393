//! Whether a task's command may be running: one of this daemon's, or a process that one left behind. A TCP connection does not tell which
//! process is at its far end, so what only the user may do is refused over TCP while a command may hold such a connection. When in doubt, a
//! command counts as present.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::Notify;

/// Running commands.
static RUNNING: AtomicUsize = AtomicUsize::new(0);
/// Ended commands whose leftover processes are still supervised.
static LEFT: AtomicUsize = AtomicUsize::new(0);
/// Set when a supervisor was killed, so that its leftovers are unknown. Stays until the daemon ends.
static LOST: AtomicBool = AtomicBool::new(false);
/// How many have begun.
static BEGUN: AtomicU64 = AtomicU64::new(0);
/// One task waits for it.
static CHANGED: Notify = Notify::const_new();
/// Whether files of shells are read, which ends while a command may run.
static READS: AtomicBool = AtomicBool::new(false);
/// Commands that wait for the reader before they begin.
static PREPARING: AtomicUsize = AtomicUsize::new(0);
static ASKED: Notify = Notify::const_new();
static DRAINED: Notify = Notify::const_new();
/// How long a command waits for it.
const PREPARE: Duration = Duration::from_secs(1);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    None,
    Running,
    Left,
    /// It is unknown what a command has left.
    Lost,
    /// The system does not tell.
    Unknown,
}

impl Presence {
    /// From this daemon's own counters. Immediate.
    pub fn known() -> Self {
        let (left, is_lost) = (LEFT.load(Ordering::SeqCst), LOST.load(Ordering::SeqCst));
        match RUNNING.load(Ordering::SeqCst) {
            1.. => Presence::Running,
            0 if left > 0 => Presence::Left,
            0 if is_lost => Presence::Lost,
            0 => Presence::None,
        }
    }

    /// Also scans the system: an earlier daemon may have run something. Reads every process, so not while a key waits.
    pub fn looked_up() -> Self {
        match Self::known() {
            Presence::None => platform::look(),
            there => there,
        }
    }

    /// As `why`, with the processes' names where there are any. Reads every process.
    pub fn told(self) -> String {
        let named = match self {
            Presence::Left | Presence::Lost => platform::named(None),
            Presence::None | Presence::Running | Presence::Unknown => Vec::new(),
        };
        match named.first() {
            Some((pid, _)) => {
                let names: Vec<&str> = named.iter().map(|(_, name)| name.as_str()).collect();
                format!(
                    "{}, which a command of a task has started, is still running and could press buttons here; end it with `kill {pid}`",
                    names.join(", ")
                )
            }
            None => self.why().to_owned(),
        }
    }

    /// The message for a user who has to do it elsewhere.
    pub fn why(self) -> &'static str {
        match self {
            Presence::None => "",
            Presence::Running => {
                "a command of a task is running, and could press buttons here; wait until it has ended, or approve in a terminal"
            }
            Presence::Left => {
                "something that a command of a task has started is still running and could press buttons here; `aside doctor` names it"
            }
            Presence::Lost => {
                "what watched over a command of a task was killed, and something of that command may still be running, which could press buttons \
                 here; approve in a terminal, or run `aside daemon stop`"
            }
            Presence::Unknown => {
                "the system does not tell whether a command of a task is running, which could press buttons here; approve in a terminal"
            }
        }
    }
}

/// How many commands this daemon has begun to run.
pub fn begun() -> u64 {
    BEGUN.load(Ordering::SeqCst)
}

/// Called before a command begins: has the files that shells have left read while no command can have written them. Bounded: what is not
/// read by then is discarded.
pub async fn prepare() {
    struct Waits;
    impl Drop for Waits {
        fn drop(&mut self) {
            PREPARING.fetch_sub(1, Ordering::SeqCst);
        }
    }
    if !READS.load(Ordering::SeqCst) {
        return;
    }
    PREPARING.fetch_add(1, Ordering::SeqCst);
    let _waits = Waits;
    let mut drained = std::pin::pin!(DRAINED.notified());
    drained.as_mut().enable();
    ASKED.notify_one();
    let _ = tokio::time::timeout(PREPARE, drained).await;
}

/// For the reader of those files: waits until a command is about to begin.
pub async fn asked() {
    loop {
        ASKED.notified().await;
        // The permit may be left over from a command that has begun.
        if PREPARING.load(Ordering::SeqCst) > 0 {
            return;
        }
    }
}

/// The reader begins, or has read everything and stops.
pub fn set_reading(reads: bool) {
    READS.store(reads, Ordering::SeqCst);
    if !reads {
        DRAINED.notify_waiters();
    }
}

/// Waits until what is known may have changed.
pub async fn changed() {
    CHANGED.notified().await;
}

/// Pid and name of processes that this daemon's commands have started. Reads every process.
pub fn left_by(daemon: i32) -> Vec<(i32, String)> {
    platform::named(Some(daemon))
}

/// Held while a command runs, and then while its leftovers are supervised.
pub struct RunningGuard {
    count: &'static AtomicUsize,
    is_accounted: bool,
}

impl RunningGuard {
    pub async fn begin_prepared() -> Self {
        prepare().await;
        Self::begin()
    }

    pub fn begin() -> Self {
        BEGUN.fetch_add(1, Ordering::SeqCst);
        RUNNING.fetch_add(1, Ordering::SeqCst);
        CHANGED.notify_one();
        Self { count: &RUNNING, is_accounted: false }
    }

    /// The command has ended, and something of it goes on.
    pub fn left(&mut self) {
        LEFT.fetch_add(1, Ordering::SeqCst);
        self.count.fetch_sub(1, Ordering::SeqCst);
        self.count = &LEFT;
    }

    /// It has ended with its whole process tree; or it was never started.
    pub fn ended_with_all(mut self) {
        self.is_accounted = true;
    }
}

impl Drop for RunningGuard {
    fn drop(&mut self) {
        if !self.is_accounted {
            LOST.store(true, Ordering::SeqCst);
        }
        self.count.fetch_sub(1, Ordering::SeqCst);
        CHANGED.notify_one();
    }
}

#[cfg(target_os = "linux")]
mod platform {
    use std::collections::HashSet;
    use std::io::ErrorKind;
    use std::mem::MaybeUninit;

    use rustix::fs::{Mode, OFlags, RawDir};

    use super::Presence;
    use crate::exec::supervisor::process_tree;
    use crate::exec::taint::{self, TrustLevel};

    /// /proc lists processes by pid, and may miss one that forks and ends meanwhile: requires so many complete scans.
    const LOOKS: usize = 2;
    /// A listed process that is gone may have forked another that was not listed: such a scan does not count.
    const MAX_LOOKS: usize = 60;

    pub fn look() -> Presence {
        if hides_processes() {
            return Presence::Unknown;
        }
        let ours = Ours::here();
        let mut dead = HashSet::new();
        decided(|| any_command(&ours, &mut dead))
    }

    /// Decides from scans of the process list, of which two have to be complete.
    pub(super) fn decided(mut look: impl FnMut() -> Option<Look>) -> Presence {
        let mut whole = 0;
        for _ in 0..MAX_LOOKS {
            match look() {
                Some(Look { is_there: true, .. }) => return Presence::Left,
                Some(Look { is_whole, .. }) => whole += usize::from(is_whole),
                None => return Presence::Unknown,
            }
            if whole == LOOKS {
                return Presence::None;
            }
        }
        Presence::Unknown
    }

    /// Pid and name of processes that commands have started: all, or those below a daemon.
    pub fn named(daemon: Option<i32>) -> Vec<(i32, String)> {
        let ours = Ours::here();
        let mut found = Vec::new();
        let _ = commands(&ours, &mut HashSet::new(), |pid| {
            if daemon.is_some_and(|daemon| !process_tree::is_below(pid, daemon)) {
                return true;
            }
            found.push((pid, process_tree::name(pid)));
            found.len() < MAX_NAMED
        });
        found
    }

    const MAX_NAMED: usize = 3;

    /// Buffer for a few entries at a time: hardly any process ends between being listed and being read, however many others fork and end.
    const ROOM: usize = 128;

    pub(super) struct Look {
        pub is_there: bool,
        /// No process ended between being listed and being read.
        pub is_whole: bool,
    }

    /// `None` when some processes cannot be read.
    fn any_command(ours: &Ours, dead: &mut HashSet<i32>) -> Option<Look> {
        let mut is_there = false;
        let is_whole = commands(ours, dead, |_| {
            is_there = true;
            false
        })?;
        Some(Look { is_there, is_whole })
    }

    /// Calls `tell` for each process with a command's mark, until it returns false. Returns whether the scan was complete: every listed
    /// process was there, or was `dead` in an earlier scan.
    fn commands(ours: &Ours, dead: &mut HashSet<i32>, mut tell: impl FnMut(i32) -> bool) -> Option<bool> {
        let mut is_whole = true;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let list = rustix::fs::open("/proc", flags, Mode::empty()).ok()?;
        let mut room = [MaybeUninit::uninit(); ROOM];
        let mut entries = RawDir::new(list, &mut room);
        while let Some(entry) = entries.next() {
            let Some(pid) = entry.ok()?.file_name().to_str().ok().and_then(|name| name.parse::<i32>().ok()) else {
                continue;
            };
            let limits = match taint::text(pid, "limits") {
                Ok(limits) => limits,
                Err(error) if has_gone(&error) => {
                    is_whole = false;
                    continue;
                }
                Err(_) => return None,
            };
            if taint::rank_of(&limits)? != TrustLevel::Command {
                continue;
            }
            match taint::text(pid, "status") {
                // A zombie can do nothing, but may have forked another that was not listed.
                Ok(status) if is_dead(&status) => is_whole &= !dead.insert(pid),
                Ok(status) if users(&status)?.into_iter().any(|user| ours.has(user)) => {
                    if !tell(pid) {
                        return Some(is_whole);
                    }
                }
                Ok(_) => {}
                Err(error) if has_gone(&error) => is_whole = false,
                Err(_) => return None,
            }
        }
        Some(is_whole)
    }

    fn has_gone(error: &std::io::Error) -> bool {
        error.kind() == ErrorKind::NotFound || error.raw_os_error() == Some(libc::ESRCH)
    }

    /// Whether it is a zombie. One whose other threads go on looks the same but for their number.
    pub(super) fn is_dead(status: &str) -> bool {
        let field =
            |name: &str| status.lines().find_map(|row| row.strip_prefix(name)).map(str::trim).unwrap_or_default();
        field("State:").starts_with(['Z', 'X']) && matches!(field("Threads:"), "0" | "1")
    }

    /// `Uid:  REAL  EFFECTIVE  SAVED  FILES`. Each is enough to act for a user: a setuid program may swap them.
    pub(super) fn users(status: &str) -> Option<Vec<u32>> {
        let users = status.lines().find_map(|row| row.strip_prefix("Uid:"))?;
        let users: Option<Vec<u32>> = users.split_ascii_whitespace().map(|user| user.parse().ok()).collect();
        users.filter(|users| !users.is_empty())
    }

    /// The user ids that a command of this user can take on.
    pub(super) struct Ours {
        pub user: u32,
        /// Subordinate ids of this user, for containers.
        pub lent: Vec<std::ops::Range<u32>>,
    }

    impl Ours {
        fn here() -> Self {
            let user = rustix::process::getuid().as_raw();
            let text = |file: &str| std::fs::read_to_string(file).unwrap_or_default();
            Self { user, lent: lent(&text("/etc/subuid"), user, &text("/etc/passwd")) }
        }

        /// A command of root can become any user.
        pub fn has(&self, user: u32) -> bool {
            self.user == 0 || self.user == user || self.lent.iter().any(|lent| lent.contains(&user))
        }
    }

    /// Parses `NAME-OR-NUMBER:FIRST:COUNT`. A user of a directory service is not in `passwd`: an unknown name may be that user's, and
    /// counts as such.
    pub(super) fn lent(table: &str, user: u32, passwd: &str) -> Vec<std::ops::Range<u32>> {
        let known: Vec<(&str, Option<u32>)> = passwd
            .lines()
            .filter_map(|row| {
                let mut fields = row.split(':');
                Some((fields.next()?, fields.nth(1)?.parse().ok()))
            })
            .collect();
        let is_known = known.iter().any(|(_, number)| *number == Some(user));
        let is_ours = |whose: &str| {
            let mut numbers = known.iter().filter(|(name, _)| *name == whose).map(|(_, number)| *number).peekable();
            match (numbers.peek(), whose.parse::<u32>()) {
                (Some(_), _) => numbers.any(|number| number == Some(user)),
                (None, Ok(number)) => number == user,
                (None, Err(_)) => !is_known,
            }
        };
        let rows = table.lines().filter_map(|row| {
            let mut fields = row.trim().split(':');
            let (whose, first, count) = (fields.next()?, fields.next()?, fields.next()?);
            let first: u32 = first.parse().ok().filter(|_| is_ours(whose))?;
            Some(first..first.saturating_add(count.parse().ok()?))
        });
        rows.collect()
    }

    /// Whether /proc hides processes that cannot be traced (`hidepid`).
    fn hides_processes() -> bool {
        let Ok(mounts) = std::fs::read_to_string("/proc/self/mounts") else { return true };
        hides(&mounts)
    }

    pub(super) fn hides(mounts: &str) -> bool {
        let mut of_proc = mounts.lines().rev().filter_map(|row| {
            let fields: Vec<&str> = row.split(' ').collect();
            let [_, "/proc", "proc", options, ..] = fields.as_slice() else { return None };
            Some((*options).to_owned())
        });
        // The last mount is on top.
        let Some(options) = of_proc.next() else { return true };
        options.split(',').any(|option| option.strip_prefix("hidepid=").is_some_and(|how| !matches!(how, "0" | "off")))
    }
}

#[cfg(not(target_os = "linux"))]
mod platform {
    use super::Presence;

    /// Tasks' commands do not run on this system.
    pub fn look() -> Presence {
        Presence::None
    }

    pub fn named(_daemon: Option<i32>) -> Vec<(i32, String)> {
        Vec::new()
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::Presence;
    use super::platform::{Look, Ours, decided, hides, is_dead, lent, users};

    /// A process that forks all the time is in no list for long: its parent is gone when it is read.
    #[test]
    fn a_list_from_which_a_process_vanished_does_not_clear_anything() {
        let by = |looks: &[(bool, bool)]| {
            let mut looks = looks.iter().cycle();
            decided(|| looks.next().map(|(is_there, is_whole)| Look { is_there: *is_there, is_whole: *is_whole }))
        };
        assert_eq!(by(&[(false, true)]), Presence::None);
        assert_eq!(by(&[(false, false)]), Presence::Unknown, "a process vanished in every look");
        assert_eq!(by(&[(false, true), (false, false), (true, false)]), Presence::Left);
        assert_eq!(by(&[(false, false), (false, false), (false, true)]), Presence::None, "it went quiet");
        assert_eq!(decided(|| None), Presence::Unknown, "not every process could be looked at");
    }

    /// With real processes: a zombie child, and a process whose first thread has ended while another goes on.
    #[test]
    fn what_has_ended_is_told_from_what_only_looks_so() {
        use crate::exec::taint;
        let mut child = crate::exec::command("true").spawn().unwrap();
        let pid = i32::try_from(child.id()).unwrap();
        let begin = std::time::Instant::now();
        while !taint::text(pid, "status").is_ok_and(|status| is_dead(&status)) {
            assert!(begin.elapsed().as_secs() < 60, "a child that has ended does not count as dead");
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        child.wait().unwrap();
        assert!(!is_dead(&taint::text(std::process::id().cast_signed(), "status").unwrap()));
        assert!(!is_dead("State:\tZ (zombie)\nThreads:\t2\n"), "another thread goes on");
        assert!(!is_dead("Name:\tx\n"), "what is not known counts as alive");
    }

    #[test]
    fn a_command_is_ours_by_any_of_its_users_or_by_one_that_is_lent() {
        assert_eq!(users("Name:\tsu\nUid:\t1000\t0\t0\t0\n"), Some(vec![1000, 0, 0, 0]));
        assert_eq!(users("Name:\tx\nUid:\t54321\t1000\t1000\t1000\n").map(|users| users.contains(&1000)), Some(true));
        assert_eq!(users("Name:\tsu\n"), None);
        assert_eq!(users("Uid:\t1000\tx\t0\t0\n"), None);
        let table = "me:100000:65536\nother:165536:65536\n1000:300000:10\nbroken\nme:x:1\n";
        let passwd = "root:x:0:0::/:/bin/sh\nme:x:1000:1000::/:/bin/sh\nother:x:1001:1001::/:/bin/sh\n";
        let ours = Ours { user: 1000, lent: lent(table, 1000, passwd) };
        for user in [1000, 100_000, 165_535, 300_009] {
            assert!(ours.has(user), "{user}");
        }
        for user in [0, 1001, 99_999, 165_536, 300_010] {
            assert!(!ours.has(user), "{user}");
        }
        assert!(Ours { user: 0, lent: Vec::new() }.has(65_534), "root's command can become anybody");
    }

    #[test]
    fn a_name_that_only_a_directory_service_knows_may_be_ours() {
        let table = "ada:100000:10\nother:200000:10\n1000:300000:10\n1001:400000:10\n";
        let passwd = "root:x:0:0::/:/bin/sh\nother:x:1001:1001::/:/bin/sh\n";
        assert_eq!(lent(table, 1000, passwd), [100_000..100_010, 300_000..300_010]);
        let passwd = format!("{passwd}me:x:1000:1000::/:/bin/sh\nalso:x:1000:1000::/:/bin/sh\n");
        assert_eq!(lent(table, 1000, &passwd), vec![300_000_u32..300_010; 1]);
        assert_eq!(lent("also:1:1\nme:2:1\n", 1000, &passwd), [1..2, 2..3]);
    }

    #[test]
    fn a_list_of_processes_that_is_not_whole_is_told() {
        let row = |options: &str| format!("/dev/sda / ext4 rw 0 0\nproc /proc proc {options} 0 0\n");
        for options in ["rw,nosuid", "rw,hidepid=0", "rw,hidepid=off"] {
            assert!(!hides(&row(options)), "{options}");
        }
        for options in ["rw,hidepid=2", "rw,hidepid=invisible", "rw,gid=4,hidepid=1"] {
            assert!(hides(&row(options)), "{options}");
        }
        assert!(hides(""), "there is none");
        assert!(hides(&(row("rw") + &row("rw,hidepid=2"))), "another one on top of it");
    }
}
