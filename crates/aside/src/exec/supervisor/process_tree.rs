//! The descendants of a supervisor, as far as the system reports them.

use rustix::process::Pid;

/// A process that has not ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    pub pid: Pid,
    pub group: Pid,
    /// Whether it is still in the supervisor's session.
    pub is_in_session: bool,
}

/// `sleep (pid 12), node (pid 13)`, for the user.
pub fn names(members: &[Member]) -> String {
    let named: Vec<String> = members.iter().take(MAX_NAMED).map(|member| name(member.pid.as_raw_pid())).collect();
    let more = if members.len() > MAX_NAMED { " and more" } else { "" };
    named.join(", ") + more
}

/// A process by its name, which it chooses itself, and its pid.
pub fn name(pid: i32) -> String {
    let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    let name = aside_text::clean(name.trim());
    format!("{} (pid {pid})", if name.is_empty() { "a process" } else { &name })
}

/// Whether a process descends from another. Gives up after `MAX_DEPTH` parents.
#[cfg(target_os = "linux")]
pub fn is_below(pid: i32, above: i32) -> bool {
    let parent = |pid: &i32| linux::process(*pid)?.parent.map(Pid::as_raw_pid);
    std::iter::successors(Some(pid), parent).take(MAX_DEPTH).any(|pid| pid == above)
}

/// Cap on the parents followed.
#[cfg(target_os = "linux")]
const MAX_DEPTH: usize = 1000;

/// Cap on processes that are named.
const MAX_NAMED: usize = 3;

/// All descendants of this process. It is a subreaper: an orphan becomes its child, so the tree is complete.
#[cfg(target_os = "linux")]
pub fn descendants(_shell: Pid) -> Vec<Member> {
    let own = rustix::process::getpid();
    let mut children: HashMap<Pid, Vec<Process>> = HashMap::new();
    for process in processes() {
        if let Some(parent) = process.parent {
            children.entry(parent).or_default().push(process);
        }
    }
    let mut members = Vec::new();
    let mut parents = vec![own];
    while let Some(parent) = parents.pop() {
        // Removed, so that a reused pid cannot make a cycle.
        for process in children.remove(&parent).unwrap_or_default() {
            parents.push(process.pid);
            if let (false, Some(group)) = (process.has_ended, process.group) {
                let is_in_session = process.session == Some(own);
                members.push(Member { pid: process.pid, group, is_in_session });
            }
        }
    }
    members
}

/// Other systems only report the group.
#[cfg(not(target_os = "linux"))]
pub fn descendants(shell: Pid) -> Vec<Member> {
    let is_there = rustix::process::test_kill_process_group(shell).is_ok();
    is_there.then_some(Member { pid: shell, group: shell, is_in_session: true }).into_iter().collect()
}

#[cfg(target_os = "linux")]
use linux::{Process, processes};
#[cfg(target_os = "linux")]
use std::collections::HashMap;

#[cfg(target_os = "linux")]
mod linux {
    use rustix::process::Pid;

    pub struct Process {
        pub pid: Pid,
        /// `None` for the first process, and for one from outside of a container.
        pub parent: Option<Pid>,
        pub group: Option<Pid>,
        pub session: Option<Pid>,
        pub has_ended: bool,
    }

    pub fn processes() -> Vec<Process> {
        let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        // A process that ended meanwhile has no file.
        numbers.filter_map(process).collect()
    }

    pub fn process(number: i32) -> Option<Process> {
        parse(number, &std::fs::read(format!("/proc/{number}/stat")).ok()?)
    }

    /// Parses `stat`: the name, in parentheses, may contain anything.
    fn parse(number: i32, stat: &[u8]) -> Option<Process> {
        let behind = stat.iter().rposition(|byte| *byte == b')')?;
        let mut fields = std::str::from_utf8(stat.get(behind + 1..)?).ok()?.split_ascii_whitespace();
        let state = fields.next()?;
        // The group and the session of a process that is being reaped are -1.
        let mut pid = || fields.next()?.parse().ok().map(|number: i32| Pid::from_raw(number.max(0)));
        let (parent, group, session) = (pid()?, pid()?, pid()?);
        let has_ended = matches!(state, "Z" | "X" | "x");
        Some(Process { pid: Pid::from_raw(number)?, parent, group, session, has_ended })
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn a_process_is_read_whatever_it_is_called() {
            let read = |stat: &str| {
                let process = parse(7, stat.as_bytes())?;
                Some((Pid::as_raw(process.parent), Pid::as_raw(process.group), process.has_ended))
            };
            assert_eq!(read("7 (sh) S 1 7 7 0 -1"), Some((1, 7, false)));
            assert_eq!(read("7 (a) Z (9) Z 2 3 4 0 -1"), Some((2, 3, true)));
            assert_eq!(read("7 (sh) S 0 0 0 0 -1"), Some((0, 0, false)));
            assert_eq!(read("7 (sh) X 1 -1 -1 0 -1"), Some((1, 0, true)));
            for stat in ["7 (sh) S 1 7", "7 (sh", "7 )sh(", ""] {
                assert_eq!(read(stat), None, "{stat}");
            }
        }
    }
}
