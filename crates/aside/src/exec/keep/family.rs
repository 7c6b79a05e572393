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
        for process in
            all.iter().filter(|process| process.parent == parent && !found.contains(&process.pid)).collect::<Vec<_>>()
        {
            found.push(process.pid);
            if !process.has_ended {
                let is_in_session = process.session == Some(own);
                members.push(Member { pid: process.pid, group: process.group, is_in_session });
            }
        }
    }
    members
}

/// Whether somebody descends from this process: the next above it, and so on.
#[cfg(target_os = "linux")]
pub fn is_of_the_family(pid: Pid) -> bool {
    let own = rustix::process::getpid();
    let above = |pid: &Pid| {
        let number = pid.as_raw_pid();
        Some(process(number, &std::fs::read(format!("/proc/{number}/stat")).ok()?)?.parent)
    };
    // Nobody has so many parents; numbers that are given again meanwhile might make a circle.
    std::iter::successors(Some(pid), above).skip(1).take(MAX_PARENTS).any(|parent| parent == own)
}

#[cfg(not(target_os = "linux"))]
pub fn is_of_the_family(_: Pid) -> bool {
    false
}

#[cfg(target_os = "linux")]
struct Process {
    pid: Pid,
    parent: Pid,
    group: Pid,
    session: Option<Pid>,
    has_ended: bool,
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
    let (parent, group, session) = (pid()??, pid()?, pid()?);
    let has_ended = matches!(state, "Z" | "X" | "x");
    Some(Process { pid: Pid::from_raw(number)?, parent, group: group?, session, has_ended })
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
        assert!(!is_of_the_family(Pid::INIT));
        assert!(!is_of_the_family(rustix::process::getpid()));
        assert!(!is_of_the_family(rustix::process::getppid().unwrap()));
        let mut child = crate::exec::command("sleep").arg("60").spawn().unwrap();
        assert!(is_of_the_family(Pid::from_child(&child)));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!is_of_the_family(Pid::from_child(&child)));
    }

    #[test]
    fn a_process_is_read_whatever_it_is_called() {
        let read = |stat: &str| {
            let process = process(7, stat.as_bytes())?;
            Some((process.parent.as_raw_pid(), process.group.as_raw_pid(), process.has_ended))
        };
        assert_eq!(read("7 (sh) S 1 7 7 0 -1"), Some((1, 7, false)));
        assert_eq!(read("7 (a) Z 9) Z 2 3 4 0"), Some((2, 3, true)));
        assert_eq!(read("7 (sh) S 0 0 0 0 -1"), None);
        assert_eq!(read("7 (sh"), None);
        assert_eq!(read(""), None);
    }
}
