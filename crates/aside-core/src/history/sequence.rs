//! The order in which commands ran: what followed what, where, and in which session. Holds ids; the texts live in the
//! index. Drops the oldest runs first.

use std::collections::{HashMap, VecDeque};

use crate::history::hash;
use crate::history::run_record::RunRecord;

/// Runs that are remembered, at 32 bytes each.
pub const MAX_RUNS: usize = 1 << 18;
/// Sessions whose last command is remembered.
const MAX_SESSIONS: usize = 4096;
/// Directories that are told apart.
const MAX_DIRECTORIES: usize = 1 << 16;

const NONE: u32 = u32::MAX;

/// One run. Runs are numbered from the first one ever.
#[derive(Clone, Copy, Debug)]
struct Run {
    command: u32,
    directory: u32,
    /// A hash, because the number of sessions is unbounded.
    session: u32,
    /// The previous run of the same command,
    same: u32,
    /// of a command with the same beginning,
    alike: u32,
    /// and of the same session; and the next one there.
    before: u32,
    after: u32,
    /// Exit status, clamped to this type.
    exit: i16,
}

/// The exit status is unknown.
const UNKNOWN: i16 = i16::MIN;

#[derive(Debug, Default)]
pub struct RunSequence {
    runs: VecDeque<Run>,
    /// The number of the first run that is remembered.
    first: u32,
    /// The last run of each command.
    of_command: Vec<u32>,
    /// The last run by the beginning of the command.
    of_beginning: HashMap<u32, u32>,
    of_session: HashMap<u32, u32>,
    directories: HashMap<Box<str>, u32>,
    names: Vec<Box<str>>,
}

/// How often a command followed the most recent ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Followers {
    pub command: u32,
    /// Runs right after the last command,
    pub last: u16,
    /// right after the last two,
    pub both: u16,
    /// right after a command that begins like the last one.
    pub alike: u16,
}

/// A command that followed another one with the same exit status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Next {
    pub command: u32,
    /// Counts in one directory, and in any, including that one.
    pub here: u32,
    pub anywhere: u32,
}

/// How many runs of one command are followed back, newest first.
const LOOK_BACK: usize = 96;

impl RunSequence {
    pub fn add(&mut self, command: u32, text: &str, ran: &RunRecord<'_>) {
        let RunRecord { command: _, cwd, exit, session, private: _ } = *ran;
        let number = self.first + self.runs.len() as u32;
        let session = hash(session.unwrap_or_default());
        if self.of_command.len() <= command as usize {
            self.of_command.resize(command as usize + 1, NONE);
        }
        let same = std::mem::replace(&mut self.of_command[command as usize], number);
        let alike = self.of_beginning.insert(hash(beginning(text)), number).unwrap_or(NONE);
        let before = self.of_session.insert(session, number).unwrap_or(NONE);
        if let Some(run) = self.run_mut(before) {
            run.after = number;
        }
        let directory = cwd.map_or(NONE, |cwd| self.directory(cwd));
        self.runs.push_back(Run { command, directory, session, same, alike, before, after: NONE, exit: spelled(exit) });
        if self.runs.len() > MAX_RUNS {
            self.runs.pop_front();
            self.first += 1;
        }
        if self.of_session.len() > MAX_SESSIONS {
            let mut numbers: Vec<u32> = self.of_session.values().copied().collect();
            let (_, middle, _) = numbers.select_nth_unstable(MAX_SESSIONS / 2);
            let oldest = *middle;
            self.of_session.retain(|_, number| *number >= oldest);
        }
        if self.of_beginning.len() > MAX_RUNS {
            let first = self.first;
            self.of_beginning.retain(|_, number| *number >= first);
        }
    }

    /// The remembered commands in the order in which they ran, up to `limit` of the last.
    pub fn commands(&self, limit: usize) -> impl Iterator<Item = u32> + '_ {
        let skip = self.runs.len().saturating_sub(limit);
        self.runs.iter().skip(skip).map(|run| run.command)
    }

    /// The same, the newest first.
    pub fn newest(&self, limit: usize) -> impl Iterator<Item = u32> + '_ {
        self.runs.iter().rev().take(limit).map(|run| run.command)
    }

    /// What followed the last command of this session, in no order. An unknown session uses the newest run of all.
    pub fn followers(&self, session: &str) -> Vec<Followers> {
        let newest = (self.first + self.runs.len() as u32).checked_sub(1).unwrap_or(NONE);
        let last = match self.of_session.get(&hash(session)) {
            Some(number) if !session.is_empty() => *number,
            _ => newest,
        };
        let Some(run) = self.run(last) else { return Vec::new() };
        let before = self.run(run.before).map(|before| before.command);
        let mut found: Vec<Followers> = Vec::new();
        let mut note = |command: u32, how: &dyn Fn(&mut Followers)| {
            let place = found.iter().position(|known| known.command == command).unwrap_or_else(|| {
                found.push(Followers { command, ..Followers::default() });
                found.len() - 1
            });
            how(&mut found[place]);
        };
        for run in self.chain(run.same, |run| run.same) {
            let Some(after) = self.run(run.after) else { continue };
            let both = before.is_some() && self.run(run.before).map(|run| run.command) == before;
            note(after.command, &|followed| {
                followed.last += 1;
                followed.both += u16::from(both);
            });
        }
        for run in self.chain(run.alike, |run| run.alike) {
            let Some(after) = self.run(run.after) else { continue };
            note(after.command, &|followed| followed.alike += 1);
        }
        found
    }

    /// What followed a command with this exit status, in no order. Leaves out followers that failed each time.
    pub fn next(&self, command: u32, exit: i32, cwd: &str) -> Vec<Next> {
        let exit = spelled(Some(exit));
        let directory = self.directories.get(cwd).copied();
        let newest = self.of_command.get(command as usize).copied().unwrap_or(NONE);
        let mut found: Vec<Next> = Vec::new();
        let mut worked: Vec<bool> = Vec::new();
        for run in self.chain(newest, |run| run.same).filter(|run| run.exit == exit) {
            let Some(after) = self.run(run.after) else { continue };
            let place = found.iter().position(|known| known.command == after.command).unwrap_or_else(|| {
                found.push(Next { command: after.command, here: 0, anywhere: 0 });
                worked.push(false);
                found.len() - 1
            });
            found[place].here += u32::from(Some(run.directory) == directory);
            found[place].anywhere += 1;
            worked[place] |= !is_failure(i32::from(after.exit));
        }
        let mut worked = worked.into_iter();
        found.retain(|_| worked.next().unwrap_or(true));
        found
    }

    /// Whether the command ran in this session recently, and whether below this directory.
    pub fn ran_in(&self, command: u32, session: &str, root: Option<&str>) -> (bool, bool) {
        let session = (!session.is_empty()).then(|| hash(session));
        let newest = self.of_command.get(command as usize).copied().unwrap_or(NONE);
        let (mut here, mut below) = (false, false);
        for run in self.chain(newest, |run| run.same) {
            here |= session == Some(run.session);
            below |= root.is_some_and(|root| self.is_below(run.directory, root));
        }
        (here, below)
    }

    fn is_below(&self, directory: u32, root: &str) -> bool {
        let Some(name) = self.names.get(directory as usize) else { return false };
        name.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    fn chain(&self, from: u32, next: impl Fn(&Run) -> u32) -> impl Iterator<Item = &Run> {
        std::iter::successors(self.run(from), move |run| self.run(next(run))).take(LOOK_BACK)
    }

    fn run(&self, number: u32) -> Option<&Run> {
        self.runs.get(number.checked_sub(self.first)? as usize)
    }

    fn run_mut(&mut self, number: u32) -> Option<&mut Run> {
        self.runs.get_mut(number.checked_sub(self.first)? as usize)
    }

    fn directory(&mut self, cwd: &str) -> u32 {
        if let Some(number) = self.directories.get(cwd) {
            return *number;
        }
        if self.names.len() >= MAX_DIRECTORIES {
            return NONE;
        }
        let number = self.names.len() as u32;
        self.names.push(cwd.into());
        self.directories.insert(cwd.into(), number);
        number
    }
}

/// Whether a command failed by itself. One that the user stopped (Ctrl-C, Ctrl-Z, a signal) did not.
pub fn is_failure(exit: i32) -> bool {
    exit > 0 && !matches!(exit, 130 | 131 | 137 | 143 | 146..=148)
}

fn spelled(exit: Option<i32>) -> i16 {
    exit.map_or(UNKNOWN, |exit| i16::try_from(exit).unwrap_or(i16::MAX))
}

/// The part that makes commands similar: the name, and the first word when that is not an option or a path.
pub fn beginning(command: &str) -> &str {
    let name = command.find(char::is_whitespace).unwrap_or(command.len());
    let rest = &command[name..];
    let blank = rest.len() - rest.trim_start_matches(' ').len();
    let word = &rest[blank..];
    let end = word.find(|char: char| !char.is_ascii_alphanumeric() && char != '-').unwrap_or(word.len());
    let plain = word[end..].is_empty() || word[end..].starts_with(' ');
    if end > 0 && plain && !word.starts_with('-') { &command[..name + blank + end] } else { &command[..name] }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ran<'a>(cwd: &'a str, exit: i32, session: Option<&'a str>) -> RunRecord<'a> {
        RunRecord { command: "", cwd: Some(cwd), exit: Some(exit), session, private: false }
    }

    fn log(runs: &[(u32, &str)]) -> RunSequence {
        let mut log = RunSequence::default();
        for (command, session) in runs {
            log.add(*command, &format!("c{command} x"), &ran("/here", 0, Some(session)));
        }
        log
    }

    #[test]
    fn knows_what_came_next_in_the_same_shell() {
        let log = log(&[(0, "a"), (9, "b"), (1, "a"), (0, "a"), (2, "a"), (0, "a")]);
        let mut followers = log.followers("a");
        followers.sort_by_key(|followed| followed.command);
        let follows = |command, both| Followers { command, last: 1, both, alike: 1 };
        assert_eq!(followers, [follows(1, 0), follows(2, 0)]);
        assert_eq!(log.followers("b"), []);
    }

    #[test]
    fn two_commands_in_a_row_tell_more_than_one() {
        let log = log(&[(5, "a"), (0, "a"), (1, "a"), (6, "a"), (0, "a"), (2, "a"), (5, "a"), (0, "a")]);
        let followers = log.followers("a");
        let both: Vec<u32> = followers.iter().filter(|followed| followed.both > 0).map(|found| found.command).collect();
        assert_eq!((followers.len(), both), (2, vec![1]));
    }

    #[test]
    fn a_shell_that_is_not_known_stands_at_the_newest_command() {
        let log = log(&[(0, "a"), (1, "a"), (0, "a")]);
        assert_eq!(log.followers("new"), log.followers("a"));
        assert_eq!(log.followers(""), log.followers("a"));
    }

    #[test]
    fn commands_are_alike_when_they_begin_alike() {
        for (command, begins) in [
            ("git commit -m 'x y'", "git commit"),
            ("git commit", "git commit"),
            ("git", "git"),
            ("ls -la", "ls"),
            ("vim src/main.rs", "vim"),
            ("cat a.txt", "cat"),
            ("docker compose up", "docker compose"),
            ("echo 'hi'", "echo"),
            ("", ""),
            (" é é", ""),
        ] {
            assert_eq!(beginning(command), begins, "{command}");
        }
    }

    #[test]
    fn the_oldest_runs_are_forgotten() {
        let mut log = RunSequence::default();
        for number in 0..MAX_RUNS as u32 + 10 {
            log.add(number % 7, "x", &ran("/", 0, None));
        }
        assert_eq!((log.runs.len(), log.first), (MAX_RUNS, 10));
        assert!(!log.followers("").is_empty());
    }

    #[test]
    fn knows_what_came_after_the_same_end() {
        let mut log = RunSequence::default();
        for (command, cwd, exit, session) in [
            (0, "/a", 2, "s"),
            (0, "/b", 2, "t"),
            (1, "/a", 0, "s"),
            (1, "/b", 0, "t"),
            (0, "/a", 0, "s"),
            (2, "/a", 0, "s"),
            (0, "/a", 2, "s"),
        ] {
            log.add(command, "x", &ran(cwd, exit, Some(session)));
        }
        assert_eq!(log.next(0, 2, "/a"), [Next { command: 1, here: 1, anywhere: 2 }]);
        assert_eq!(log.next(0, 0, "/elsewhere"), [Next { command: 2, here: 0, anywhere: 1 }]);
        assert_eq!(log.next(0, 1, "/a"), []);
        assert_eq!(log.next(9, 0, "/a"), []);
    }

    #[test]
    fn what_failed_each_time_is_not_what_comes_next() {
        let mut log = RunSequence::default();
        for (command, exit) in
            [(0, 0), (1, 1), (0, 0), (1, 2), (0, 0), (2, 1), (0, 0), (2, 0), (0, 0), (3, 130), (0, 0)]
        {
            log.add(command, "x", &ran("/a", exit, Some("s")));
        }
        let next: Vec<u32> = log.next(0, 0, "/a").iter().map(|next| next.command).collect();
        assert_eq!(next.len(), 2);
        assert!(next.contains(&2) && next.contains(&3), "{next:?}");
    }

    #[test]
    fn knows_where_a_command_ran() {
        let mut log = RunSequence::default();
        log.add(3, "make", &ran("/code/a/src", 0, Some("s")));
        assert_eq!(log.ran_in(3, "s", Some("/code/a")), (true, true));
        assert_eq!(log.ran_in(3, "t", Some("/code/ab")), (false, false));
        assert_eq!(log.ran_in(3, "", None), (false, false));
        assert_eq!(log.ran_in(8, "s", Some("/code/a")), (false, false));
    }
}
