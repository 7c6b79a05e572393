//! Decides whether a failure is resolved: the same command succeeded afterwards. Does not know why it failed.

/// A command that has ended.
#[derive(Clone, Copy, Debug)]
pub struct Ran<'a> {
    pub command: &'a str,
    pub cwd: &'a str,
    pub end: End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Well,
    Failed,
    /// Interrupted by the user, or nothing that a user asks about.
    Other,
}

impl End {
    pub fn of(exit: i32) -> Self {
        match exit {
            0 => End::Well,
            // Ctrl-C
            130 => End::Other,
            _ => End::Failed,
        }
    }
}

/// Index of the newest command that failed and has not succeeded since; `ran` begins with the oldest.
pub fn last_failure(ran: &[Ran<'_>]) -> Option<usize> {
    (0..ran.len()).rev().find(|number| ran[*number].end == End::Failed && !is_over(ran, *number))
}

/// Whether the command with this index failed and succeeded later.
pub fn is_over(ran: &[Ran<'_>], number: usize) -> bool {
    ran.get(number).is_some_and(|ran| ran.end == End::Failed) && is_cured(ran, number)
}

/// Whether the command with this index succeeded later in the same directory.
fn is_cured(ran: &[Ran<'_>], number: usize) -> bool {
    let Some((failed, later)) = ran.get(number..).and_then(<[_]>::split_first) else { return false };
    later.iter().any(|later| {
        later.end == End::Well && later.cwd == failed.cwd && words(later.command).eq(words(failed.command))
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
        let ran: Vec<Ran<'_>> = rows
            .iter()
            .map(|row| {
                let (row, cwd) = row.split_once(" in ").unwrap_or((row, ""));
                let (command, exit) = row.rsplit_once(' ').expect("a command and its status");
                Ran { command, cwd, end: End::of(exit.parse().expect("a status")) }
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
