//! Who descends from a keeper, as far as the system tells.

#[cfg(target_os = "linux")]
use std::os::unix::ffi::OsStrExt;
use std::sync::OnceLock;

use rustix::process::Pid;

use crate::exec::keep::PATIENCE;
use crate::exec::run::about;

#[cfg(target_os = "linux")]
const MAX_PARENTS: usize = 10_000;

/// A process that has not ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    pub pid: Pid,
    pub group: Pid,
    /// Whether it is still in the keeper's session.
    pub is_in_session: bool,
}

/// All who descend from this process. Whoever loses its parent becomes its child, so the tree is whole.
#[cfg(target_os = "linux")]
pub fn family(_shell: Pid) -> Vec<Member> {
    let own = rustix::process::getpid();
    let all: Vec<Process> = processes();
    let mut found = vec![own];
    let mut next = 0;
    let mut members = Vec::new();
    while let Some(parent) = found.get(next).copied() {
        next += 1;
        for process in all
            .iter()
            .filter(|process| process.parent == Some(parent) && !found.contains(&process.pid))
            .collect::<Vec<_>>()
        {
            found.push(process.pid);
            if let (false, Some(group)) = (process.has_ended, process.group) {
                let is_in_session = process.session == Some(own);
                members.push(Member { pid: process.pid, group, is_in_session });
            }
        }
    }
    members
}

/// Whether a command that we run, or anything that it started, has this socket open.
#[cfg(target_os = "linux")]
pub fn has_open(inode: &str) -> bool {
    let wanted = format!("socket:[{inode}]");
    let is_it =
        |open: std::fs::DirEntry| std::fs::read_link(open.path()).is_ok_and(|file| file.as_os_str() == &*wanted);
    family(rustix::process::getpid()).into_iter().any(|member| {
        let open = std::fs::read_dir(format!("/proc/{}/fd", member.pid.as_raw_pid()));
        open.into_iter().flatten().flatten().any(is_it)
    })
}

#[cfg(not(target_os = "linux"))]
pub fn has_open(_: &str) -> bool {
    false
}

/// A process that has connected, as it was then: its number may be another one's later.
#[derive(Debug)]
pub struct Caller {
    pid: Pid,
    /// When it was started, if it was still there.
    started: Option<u64>,
    /// Whether it is a command, once somebody has looked while it was there.
    known: OnceLock<bool>,
}

impl Caller {
    /// Nobody, when the system says nobody's number. Reads one file; whoever connects while a command of ours is about is looked at whole,
    /// since it may have gone when that matters, or those above it.
    pub fn now(pid: i32) -> Option<Self> {
        Some(Self::among(Pid::from_raw(pid)?, about::is_any()))
    }

    fn among(pid: Pid, commands: bool) -> Self {
        let caller = Self { pid, started: started(pid), known: OnceLock::new() };
        if commands {
            let _ = caller.known.set(caller.descends().unwrap_or(true));
        }
        caller
    }

    fn look(&self) -> Option<bool> {
        let known = self.known.get().copied().or_else(|| self.descends())?;
        Some(*self.known.get_or_init(|| known))
    }

    /// Whether it may be one, as far as anybody can tell: of one that has gone nobody can, since a command could connect, leave the
    /// connection to its child, and end. For what a person waits for: they are still there to hear the answer.
    pub fn could_be_a_command(&self) -> bool {
        self.look().unwrap_or(true)
    }
}

/// Says on which socket this process will listen, before anybody can connect to it. A command of a daemon that did so before us is being ended,
/// and may speak to us meanwhile, with its last breath.
pub fn serve(socket: &std::path::Path) {
    about::serve(socket);
    // One that ended in peace took its socket along, and its commands.
    if socket.exists() && is_any_orphan() {
        about::expect(PATIENCE);
    }
}

#[cfg(target_os = "linux")]
impl Caller {
    /// Whether it descends from us or from any keeper, which may be one of a daemon before us. One that has gone may be one if a command was
    /// about when it connected: shells tell us things and do not wait.
    pub fn may_be_a_command(&self) -> bool {
        self.look().unwrap_or_else(is_any_orphan)
    }

    /// Nothing when it is not there any more.
    fn descends(&self) -> Option<bool> {
        let caller = looked_up(self.pid).filter(|process| !process.has_ended)?;
        if self.started != Some(caller.started) {
            return None;
        }
        let own = rustix::process::getpid();
        let name = own_name();
        let mut parents = above(caller.parent);
        Some(parents.any(|parent| parent.pid == own || parent.is_a_keeper(&name) && !is_above_us(parent.pid)))
    }
}

#[cfg(not(target_os = "linux"))]
impl Caller {
    pub fn may_be_a_command(&self) -> bool {
        false
    }

    fn descends(&self) -> Option<bool> {
        Some(false)
    }
}

/// Whether there is a command of a daemon that was here before us: it is being ended, and has a moment left. Ours would have been known when
/// it connected.
#[cfg(target_os = "linux")]
fn is_any_orphan() -> bool {
    let Some(socket) = about::served() else { return false };
    let name = own_name();
    let is_left = |process: &Process| {
        process.parent != Some(rustix::process::getpid())
            && process.has_name(&name)
            && are_a_keepers(&process.words(), &name, Some(socket.as_os_str().as_bytes()))
    };
    processes().iter().any(is_left)
}

#[cfg(not(target_os = "linux"))]
fn is_any_orphan() -> bool {
    false
}

/// A keeper above ourselves is that of somebody who tries us out in a command of theirs.
#[cfg(target_os = "linux")]
fn is_above_us(pid: Pid) -> bool {
    above(rustix::process::getppid()).any(|process| process.pid == pid)
}

#[cfg(target_os = "linux")]
fn started(pid: Pid) -> Option<u64> {
    Some(looked_up(pid)?.started)
}

#[cfg(not(target_os = "linux"))]
fn started(_: Pid) -> Option<u64> {
    None
}

#[cfg(target_os = "linux")]
fn looked_up(pid: Pid) -> Option<Process> {
    let number = pid.as_raw_pid();
    process(number, &std::fs::read(format!("/proc/{number}/stat")).ok()?)
}

/// This one, the next above it, and so on.
#[cfg(target_os = "linux")]
fn above(first: Option<Pid>) -> impl Iterator<Item = Process> {
    // Nobody has so many parents; numbers that are given again meanwhile might make a circle.
    let next = |pid: Option<Pid>| looked_up(pid?);
    std::iter::successors(next(first), move |process| next(process.parent)).take(MAX_PARENTS)
}

/// What the file is called from which we were started.
#[cfg(target_os = "linux")]
fn own_name() -> Vec<u8> {
    let own = std::env::current_exe().unwrap_or_default();
    let own = own.file_name().unwrap_or_default().as_encoded_bytes();
    // A newer one has taken its place meanwhile.
    own.strip_suffix(b" (deleted)").unwrap_or(own).to_owned()
}

#[cfg(target_os = "linux")]
impl Process {
    /// The system keeps so many letters of a name. A keeper does not change its own.
    const NAME: usize = 15;

    fn has_name(&self, name: &[u8]) -> bool {
        self.name == name.get(..Self::NAME).unwrap_or(name)
    }

    fn is_a_keeper(&self, own: &[u8]) -> bool {
        if !self.has_name(own) {
            return false;
        }
        are_a_keepers(&self.words(), own, None)
    }

    fn words(&self) -> Vec<u8> {
        std::fs::read(format!("/proc/{}/cmdline", self.pid.as_raw_pid())).unwrap_or_default()
    }
}

/// By the words with which we start one, for this socket or for any.
#[cfg(target_os = "linux")]
fn are_a_keepers(words: &[u8], own: &[u8], socket: Option<&[u8]>) -> bool {
    let mut words = words.split(|byte| *byte == 0);
    let program = words.next().and_then(|program| program.rsplit(|byte| *byte == b'/').next());
    let is_keeper = program == Some(own) && words.next() == Some(b"keep");
    is_keeper && socket.is_none_or(|socket| words.next() == Some(b"--for") && words.next() == Some(socket))
}

#[cfg(target_os = "linux")]
struct Process {
    pid: Pid,
    /// Of its program, as far as the system keeps it.
    name: Vec<u8>,
    /// Nobody that can be seen from here, of the first process and of one that came in from outside of a container.
    parent: Option<Pid>,
    group: Option<Pid>,
    session: Option<Pid>,
    has_ended: bool,
    /// Since the machine was, in its ticks.
    started: u64,
}

#[cfg(target_os = "linux")]
fn processes() -> Vec<Process> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    // One that has ended meanwhile has no file any more.
    numbers.filter_map(|number: i32| process(number, &std::fs::read(format!("/proc/{number}/stat")).ok()?)).collect()
}

/// Out of its `stat`: the name, in parentheses, may hold anything.
#[cfg(target_os = "linux")]
fn process(number: i32, stat: &[u8]) -> Option<Process> {
    let (before, behind) = (stat.iter().position(|byte| *byte == b'(')?, stat.iter().rposition(|byte| *byte == b')')?);
    let name = stat.get(before + 1..behind)?.to_owned();
    let mut fields = std::str::from_utf8(stat.get(behind + 1..)?).ok()?.split_ascii_whitespace();
    let state = fields.next()?;
    // Of one that is being buried the group and the session are -1.
    let mut pid = || fields.next()?.parse().ok().map(|number: i32| Pid::from_raw(number.max(0)));
    let (parent, group, session) = (pid()?, pid()?, pid()?);
    let has_ended = matches!(state, "Z" | "X" | "x");
    // Between them: its terminal, its faults, its times.
    let started = fields.nth(15)?.parse().ok()?;
    Some(Process { pid: Pid::from_raw(number)?, name, parent, group, session, has_ended, started })
}

/// Elsewhere only the group is known.
#[cfg(not(target_os = "linux"))]
pub fn family(shell: Pid) -> Vec<Member> {
    let is_there = rustix::process::test_kill_process_group(shell).is_ok();
    is_there.then_some(Member { pid: shell, group: shell, is_in_session: true }).into_iter().collect()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn who_descends_from_us_is_known() {
        let is = |pid: Pid| Caller::now(pid.as_raw_pid()).unwrap().may_be_a_command();
        assert!(!is(Pid::INIT));
        assert!(!is(rustix::process::getpid()));
        assert!(!is(rustix::process::getppid().unwrap()));
        let mut child = crate::exec::command("sleep").arg("60").spawn().unwrap();
        assert!(is(Pid::from_child(&child)));
        child.kill().unwrap();
        child.wait().unwrap();
    }

    #[test]
    fn one_that_has_gone_may_be_a_command_if_one_was_about_when_it_connected() {
        let gone = |commands| {
            let mut child = crate::exec::command("true").spawn().unwrap();
            let pid = Pid::from_child(&child);
            child.wait().unwrap();
            let caller = Caller::among(pid, commands);
            assert!(caller.could_be_a_command(), "nobody can tell");
            caller.may_be_a_command()
        };
        assert!(gone(true));
        assert!(!gone(false));
        let parent = rustix::process::getppid().unwrap();
        let another = Caller { pid: parent, started: Some(u64::MAX), known: OnceLock::new() };
        assert_eq!(another.descends(), None, "its number was given again");
    }

    #[test]
    fn who_was_there_when_it_connected_is_known_after_it_has_gone() {
        let mut child = crate::exec::command("sleep").arg("60").spawn().unwrap();
        let ours = Caller::among(Pid::from_child(&child), true);
        let asked = Caller::among(Pid::from_child(&child), false);
        assert!(asked.may_be_a_command());
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(ours.may_be_a_command() && asked.may_be_a_command());
        assert!(!Caller::among(rustix::process::getppid().unwrap(), true).may_be_a_command());
    }

    #[test]
    fn a_keeper_is_known_by_its_words() {
        let is = |words: &str| are_a_keepers(words.as_bytes(), b"aside", None);
        let is_here = |words: &str| are_a_keepers(words.as_bytes(), b"aside", Some(b"/run/s"));
        assert!(is_here("aside\0keep\0--for\0/run/s\0") && is("aside\0keep\0--for\0/run/s\0"));
        for words in ["aside\0keep\0", "aside\0keep\0--for\0/run/t\0", "aside\0keep\0--enter\0/run/s\0"] {
            assert!(!is_here(words), "{words:?}");
        }
        assert!(is("/usr/bin/aside\0keep\0") && is("aside\0keep\0--enter\0x\0"));
        for words in [
            "",
            "aside\0",
            "aside\0daemon\0run\0",
            "keep\0",
            "/bin/sh\0keep\0",
            "/usr/bin/aside keep\0",
            "aside\0-x\0keep\0",
        ] {
            assert!(!is(words), "{words:?}");
        }
    }

    /// A terminal and so on, when it was started, and more.
    const REST: &str = "0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 9876 11 12";

    #[test]
    fn a_process_is_read_whatever_it_is_called() {
        let read = |stat: &str| {
            let process = process(7, stat.as_bytes())?;
            let name = String::from_utf8(process.name).unwrap();
            Some((name, Pid::as_raw(process.parent), Pid::as_raw(process.group), process.has_ended))
        };
        assert_eq!(read(&format!("7 (sh) S 1 7 7 {REST}")), Some(("sh".to_owned(), 1, 7, false)));
        assert_eq!(read(&format!("7 (a) Z (9) Z 2 3 4 {REST}")), Some(("a) Z (9".to_owned(), 2, 3, true)));
        assert_eq!(read(&format!("7 (sh) S 0 0 0 {REST}")), Some(("sh".to_owned(), 0, 0, false)));
        assert_eq!(read(&format!("7 (sh) X 1 -1 -1 {REST}")), Some(("sh".to_owned(), 1, 0, true)));
        assert_eq!(read("7 (sh) S 1 7 7 0 -1"), None);
        assert_eq!(read("7 (sh"), None);
        assert_eq!(read("7 )sh("), None);
        assert_eq!(read(""), None);
    }
}
