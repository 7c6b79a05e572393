//! Who descends from a keeper, as far as the system tells.

use rustix::process::Pid;

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
#[derive(Clone, Copy, Debug)]
pub struct Caller {
    pid: Pid,
    /// When it was started, if it was still there.
    started: Option<u64>,
}

impl Caller {
    /// Nobody, when the system says nobody's number.
    pub fn now(pid: i32) -> Option<Self> {
        let pid = Pid::from_raw(pid)?;
        Some(Self { pid, started: started(pid) })
    }
}

#[cfg(target_os = "linux")]
impl Caller {
    /// Whether this descends from us or from any keeper: the next above it, and so on. A keeper may be one of a daemon before us. Of one
    /// that has gone nobody can tell, so it does: a command could connect, leave the connection to its child, and end.
    pub fn may_be_a_command(&self) -> bool {
        let Some(caller) = looked_up(self.pid).filter(|process| !process.has_ended) else { return true };
        if self.started != Some(caller.started) {
            return true;
        }
        let own = rustix::process::getpid();
        // A keeper above ourselves is that of somebody who tries us out in a command of theirs.
        let ours: Vec<Pid> = above(rustix::process::getppid()).collect();
        above(caller.parent).any(|parent| parent == own || !ours.contains(&parent) && is_a_keeper(parent))
    }
}

#[cfg(not(target_os = "linux"))]
impl Caller {
    pub fn may_be_a_command(&self) -> bool {
        false
    }
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
fn above(first: Option<Pid>) -> impl Iterator<Item = Pid> {
    // Nobody has so many parents; numbers that are given again meanwhile might make a circle.
    std::iter::successors(first, |pid| looked_up(*pid)?.parent).take(MAX_PARENTS)
}

#[cfg(target_os = "linux")]
fn is_a_keeper(pid: Pid) -> bool {
    let words = std::fs::read(format!("/proc/{}/cmdline", pid.as_raw_pid())).unwrap_or_default();
    let own = std::env::current_exe().unwrap_or_default();
    let own = own.file_name().unwrap_or_default().as_encoded_bytes();
    // A newer one has taken its place meanwhile.
    are_a_keepers(&words, own.strip_suffix(b" (deleted)").unwrap_or(own))
}

/// By the words with which we start one.
#[cfg(target_os = "linux")]
fn are_a_keepers(words: &[u8], own: &[u8]) -> bool {
    let mut words = words.split(|byte| *byte == 0);
    let program = words.next().and_then(|program| program.rsplit(|byte| *byte == b'/').next());
    program == Some(own) && words.next() == Some(b"keep")
}

#[cfg(target_os = "linux")]
struct Process {
    pid: Pid,
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
    let behind = stat.iter().rposition(|byte| *byte == b')')? + 1;
    let mut fields = std::str::from_utf8(stat.get(behind..)?).ok()?.split_ascii_whitespace();
    let state = fields.next()?;
    let mut pid = || Some(Pid::from_raw(fields.next()?.parse().ok()?));
    let (parent, group, session) = (pid()?, pid()?, pid()?);
    let has_ended = matches!(state, "Z" | "X" | "x");
    // Between them: its terminal, its faults, its times.
    let started = fields.nth(15)?.parse().ok()?;
    Some(Process { pid: Pid::from_raw(number)?, parent, group, session, has_ended, started })
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
    fn of_one_that_has_gone_or_is_another_by_now_nobody_can_tell() {
        let mut child = crate::exec::command("true").spawn().unwrap();
        let caller = Caller::now(Pid::from_child(&child).as_raw_pid()).unwrap();
        child.wait().unwrap();
        assert!(caller.may_be_a_command());
        let other = Caller { pid: rustix::process::getppid().unwrap(), started: Some(u64::MAX) };
        assert!(other.may_be_a_command());
        assert!(Caller { started: None, ..other }.may_be_a_command());
    }

    #[test]
    fn a_keeper_is_known_by_its_words() {
        let is = |words: &str| are_a_keepers(words.as_bytes(), b"aside");
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
            Some((Pid::as_raw(process.parent), Pid::as_raw(process.group), process.has_ended))
        };
        assert_eq!(read(&format!("7 (sh) S 1 7 7 {REST}")), Some((1, 7, false)));
        assert_eq!(read(&format!("7 (a) Z 9) Z 2 3 4 {REST}")), Some((2, 3, true)));
        assert_eq!(read(&format!("7 (sh) S 0 0 0 {REST}")), Some((0, 0, false)));
        assert_eq!(read("7 (sh) S 1 7 7 0 -1"), None);
        assert_eq!(read("7 (sh"), None);
        assert_eq!(read(""), None);
    }
}
