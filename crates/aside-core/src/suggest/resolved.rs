//! Decides whether a failure is resolved: the same command succeeded afterwards. Does not know why it failed.

/// A command that has ended.
#[derive(Clone, Copy, Debug)]
pub struct FinishedRun<'a> {
    pub command: &'a str,
    pub cwd: &'a str,
    pub end: RunStatus,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunStatus {
    Well,
    Failed,
    /// Interrupted by the user, or nothing that a user asks about.
    Other,
}

impl RunStatus {
    pub fn of(exit: i32) -> Self {
        match exit {
            0 => RunStatus::Well,
            // Ctrl-C
            130 => RunStatus::Other,
            _ => RunStatus::Failed,
        }
    }
}

/// Index of the newest command that failed and has not succeeded since; `ran` begins with the oldest.
pub fn last_failure(ran: &[FinishedRun<'_>]) -> Option<usize> {
    (0..ran.len()).rev().find(|number| ran[*number].end == RunStatus::Failed && !is_over(ran, *number))
}

/// Whether the command with this index failed and succeeded later.
pub fn is_over(ran: &[FinishedRun<'_>], number: usize) -> bool {
    ran.get(number).is_some_and(|ran| ran.end == RunStatus::Failed) && is_cured(ran, number)
}

/// Whether the command with this index succeeded later in the same directory.
fn is_cured(ran: &[FinishedRun<'_>], number: usize) -> bool {
    let Some((failed, later)) = ran.get(number..).and_then(<[_]>::split_first) else { return false };
    later.iter().any(|later| {
        later.end == RunStatus::Well && later.cwd == failed.cwd && words(later.command).eq(words(failed.command))
    })
}

/// The command's words without `sudo` and the like: with other privileges it is still the same command.
fn words(command: &str) -> impl Iterator<Item = &str> {
    command.split_whitespace().skip_while(|word| matches!(*word, "sudo" | "doas" | "time"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows such as `make test 2` and `make test 0 in lib`.
    fn newest(rows: &[&'static str]) -> Option<&'static str> {
        let ran: Vec<FinishedRun<'_>> = rows
            .iter()
            .map(|row| {
                let (row, cwd) = row.split_once(" in ").unwrap_or((row, ""));
                let (command, exit) = row.rsplit_once(' ').expect("a command and its status");
                FinishedRun { command, cwd, end: RunStatus::of(exit.parse().expect("a status")) }
            })
            .collect();
        last_failure(&ran).map(|number| rows[number])
    }

    #[test]
    fn a_failure_is_over_when_the_same_command_goes_well() {
        assert_eq!(newest(&["make test 2", "vim a.c 0"]), Some("make test 2"));
        assert_eq!(newest(&["make test 2", "vim a.c 0", "make test 0", "ls 0"]), None);
        assert_eq!(newest(&["make test 2", "make 0"]), Some("make test 2"));
        assert_eq!(newest(&["make test 2", "make test 0", "make test 2"]), Some("make test 2"));
        assert_eq!(newest(&["npm ci 1", "pytest 1", "pytest 0"]), Some("npm ci 1"), "an older one is still open");
        assert_eq!(newest(&["apt update 100", "sudo  apt update 0"]), None);
        assert_eq!(newest(&["make 2 in lib", "make 0 in app"]), Some("make 2 in lib"), "elsewhere");
        assert_eq!(newest(&["sleep 9 130", "true 0"]), None);
        assert_eq!(newest(&[]), None);
    }
}
