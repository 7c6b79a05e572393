//! The commands a person ran, in memory, for answers while a key is being pressed. Knows what ran where, how it ended
//! and what came last; does not rank and does not read the store.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

use crate::history::sorted::{Entry, Sorted};
use crate::text;

/// A command longer than this is kept in the store but never offered.
pub const MAX_COMMAND: usize = 4096;
/// Distinct commands; beyond it new ones are not learnt until everything is read again. As many as the store has rows, so
/// that what is read, oldest first, always fits.
pub const MAX_COMMANDS: usize = 5_000_000;
/// Directories in which something ran; beyond it those where nothing ran for longest are not told from elsewhere.
pub const MAX_DIRECTORIES: usize = 100_000;
/// The longest path there is.
const MAX_DIRECTORY: usize = 4096;
/// All texts together, so that offsets fit 32 bits with room to spare.
pub const MAX_TEXT: usize = 1 << 31;

/// What the shells return for "not found" and "cannot be run": offering such a line again helps nobody.
const CANNOT_RUN: [i16; 2] = [126, 127];
const UNKNOWN_EXIT: i16 = i16::MIN;

/// Twelve bytes each: there may be millions.
#[derive(Clone, Copy, Debug)]
struct Command {
    start: u32,
    length: u16,
    exit: i16,
    runs: u32,
}

/// One command that ran, as the index wants to know it.
#[derive(Clone, Copy, Debug)]
pub struct Ran<'a> {
    pub command: &'a str,
    pub cwd: Option<&'a str>,
    pub exit: Option<i32>,
}

/// A command found by its prefix, with what is known about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Match<'a> {
    pub command: &'a str,
    /// It ran in the directory that was asked about.
    pub here: bool,
    pub runs: u32,
    pub exit: Option<i32>,
    /// When it last ran (in the directory, if it was found there): larger is later.
    pub order: u32,
}

#[derive(Debug, Default)]
pub struct Index {
    texts: String,
    commands: Vec<Command>,
    everywhere: Sorted,
    directories: HashMap<Box<str>, Sorted>,
    clock: u32,
}

impl Index {
    /// How many distinct commands it knows.
    pub fn len(&self) -> usize {
        self.commands.len()
    }

    pub fn is_empty(&self) -> bool {
        self.commands.is_empty()
    }

    /// Takes note of the command that ran last.
    pub fn add(&mut self, ran: Ran<'_>) {
        if !is_offerable(ran.command) {
            return;
        }
        let text = |id: u32| text_of(&self.texts, &self.commands, id);
        let known = self.everywhere.find(ran.command, text);
        let Some(id) = known.or_else(|| learn(&mut self.texts, &mut self.commands, ran.command)) else { return };
        note_run(&mut self.commands[id as usize], ran.exit);
        self.clock += 1;
        let text = |id: u32| text_of(&self.texts, &self.commands, id);
        self.everywhere.put(id, self.clock, text);
        let known = |cwd: &str| self.directories.contains_key(cwd) || self.directories.len() < MAX_DIRECTORIES;
        if let Some(cwd) = directory(ran.cwd).filter(|cwd| known(cwd)) {
            self.directories.entry(cwd.into()).or_default().put(id, self.clock, text);
        }
    }

    /// The newest commands that begin with `prefix` and go on after it: first up to `limit` that ran in `cwd`, then up
    /// to `limit` from anywhere.
    pub fn starting_with(&self, prefix: &str, cwd: &str, limit: usize) -> Vec<Match<'_>> {
        let text = |id: u32| text_of(&self.texts, &self.commands, id);
        let goes_on = |id: u32| {
            let command = &self.commands[id as usize];
            usize::from(command.length) > prefix.len() && !CANNOT_RUN.contains(&command.exit)
        };
        let here = self.directories.get(cwd).map(|sorted| sorted.newest(prefix, limit, text, goes_on));
        let here = here.unwrap_or_default();
        let elsewhere = self.everywhere.newest(prefix, limit, text, goes_on);
        let new = |entry: &&Entry| !here.iter().any(|other| other.id == entry.id);
        let found = here.iter().map(|entry| self.describe(entry, true));
        found.chain(elsewhere.iter().filter(new).map(|entry| self.describe(entry, false))).collect()
    }

    fn describe(&self, entry: &Entry, here: bool) -> Match<'_> {
        let command = &self.commands[entry.id as usize];
        Match {
            command: text_of(&self.texts, &self.commands, entry.id),
            here,
            runs: command.runs,
            exit: (command.exit != UNKNOWN_EXIT).then_some(i32::from(command.exit)),
            order: entry.order,
        }
    }
}

/// Collects a whole history, oldest command first, and sorts once: ten times faster than adding one by one.
pub struct Builder {
    texts: String,
    commands: Vec<Command>,
    orders: Vec<u32>,
    directories: HashMap<Box<str>, u32>,
    /// Last time each command ran in each directory.
    here: HashMap<(u32, u32), u32>,
    /// Command numbers by the hash of their text, the next free number up where two texts share a hash. One flat table,
    /// since a million small allocations would stay in the heap after the builder is gone.
    known: HashMap<u64, u32>,
    hasher: RandomState,
    clock: u32,
}

impl Default for Builder {
    fn default() -> Self {
        Self {
            texts: String::new(),
            commands: Vec::new(),
            orders: Vec::new(),
            directories: HashMap::new(),
            here: HashMap::new(),
            known: HashMap::new(),
            hasher: RandomState::new(),
            clock: 0,
        }
    }
}

impl Builder {
    pub fn add(&mut self, ran: Ran<'_>) {
        if !is_offerable(ran.command) {
            return;
        }
        let mut slot = self.hasher.hash_one(ran.command);
        let id = loop {
            match self.known.get(&slot) {
                Some(&id) if text_of(&self.texts, &self.commands, id) == ran.command => break id,
                Some(_) => slot = slot.wrapping_add(1),
                None => {
                    let Some(id) = learn(&mut self.texts, &mut self.commands, ran.command) else { return };
                    self.known.insert(slot, id);
                    self.orders.push(0);
                    break id;
                }
            }
        };
        note_run(&mut self.commands[id as usize], ran.exit);
        self.clock += 1;
        self.orders[id as usize] = self.clock;
        if let Some(cwd) = directory(ran.cwd) {
            let next = self.directories.len() as u32;
            let directory = match self.directories.get(cwd) {
                Some(&directory) => directory,
                None => {
                    self.directories.insert(cwd.into(), next);
                    next
                }
            };
            self.here.insert((directory, id), self.clock);
        }
    }

    pub fn finish(self) -> Index {
        let Self { mut texts, mut commands, orders, directories, here, known, hasher: _, clock } = self;
        drop(known);
        texts.shrink_to_fit();
        commands.shrink_to_fit();

        let mut sorted: Vec<u32> = (0..commands.len() as u32).collect();
        sorted.sort_unstable_by(|&a, &b| text_of(&texts, &commands, a).cmp(text_of(&texts, &commands, b)));
        let everywhere = Sorted::from_sorted(sorted.iter().map(|&id| Entry { id, order: orders[id as usize] }));

        // Per directory, sort by the place in the sorted list: numbers instead of texts.
        let mut place = orders;
        for (rank, &id) in sorted.iter().enumerate() {
            place[id as usize] = rank as u32;
        }
        let mut here: Vec<(u32, u32, Entry)> = here
            .into_iter()
            .map(|((directory, id), order)| (directory, place[id as usize], Entry { id, order }))
            .collect();
        drop(place);
        here.sort_unstable_by_key(|&(directory, rank, _)| (directory, rank));
        let mut names: Vec<Box<str>> = vec!["".into(); directories.len()];
        for (name, directory) in directories {
            names[directory as usize] = name;
        }
        let groups = || here.chunk_by(|a, b| a.0 == b.0);
        let oldest = oldest_kept(groups().map(newest_of).collect(), MAX_DIRECTORIES);
        let directories = groups()
            .filter(|group| newest_of(group) >= oldest)
            .map(|group| {
                let name = std::mem::take(&mut names[group[0].0 as usize]);
                (name, Sorted::from_sorted(group.iter().map(|&(_, _, entry)| entry)))
            })
            .collect();
        Index { texts, commands, everywhere, directories, clock }
    }
}

fn newest_of(group: &[(u32, u32, Entry)]) -> u32 {
    group.iter().map(|(_, _, entry)| entry.order).max().unwrap_or(0)
}

/// The smallest of the `limit` largest orders, all of which differ.
fn oldest_kept(mut orders: Vec<u32>, limit: usize) -> u32 {
    match orders.len().checked_sub(limit) {
        Some(excess @ 1..) => *orders.select_nth_unstable(excess).1,
        Some(0) | None => 0,
    }
}

fn directory(cwd: Option<&str>) -> Option<&str> {
    cwd.filter(|cwd| cwd.len() <= MAX_DIRECTORY)
}

/// Control characters would be executed by the terminal or vanish from the line, so such commands stay in the store.
fn is_offerable(command: &str) -> bool {
    !command.is_empty() && command.len() <= MAX_COMMAND && text::is_clean(command)
}

fn text_of<'a>(texts: &'a str, commands: &[Command], id: u32) -> &'a str {
    let command = &commands[id as usize];
    let start = command.start as usize;
    &texts[start..start + usize::from(command.length)]
}

fn learn(texts: &mut String, commands: &mut Vec<Command>, command: &str) -> Option<u32> {
    if commands.len() >= MAX_COMMANDS || texts.len() + command.len() > MAX_TEXT {
        return None;
    }
    let id = commands.len() as u32;
    let start = texts.len() as u32;
    texts.push_str(command);
    commands.push(Command { start, length: command.len() as u16, exit: UNKNOWN_EXIT, runs: 0 });
    Some(id)
}

fn note_run(command: &mut Command, exit: Option<i32>) {
    command.runs = command.runs.saturating_add(1);
    command.exit = exit.and_then(|exit| i16::try_from(exit).ok()).unwrap_or(UNKNOWN_EXIT);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ran(command: &str) -> Ran<'_> {
        Ran { command, cwd: Some("/here"), exit: Some(0) }
    }

    fn index(commands: &[Ran<'_>]) -> Index {
        let mut index = Index::default();
        commands.iter().for_each(|ran| index.add(*ran));
        index
    }

    fn found<'a>(index: &'a Index, prefix: &str, cwd: &str) -> Vec<&'a str> {
        index.starting_with(prefix, cwd, 4).iter().map(|found| found.command).collect()
    }

    #[test]
    fn the_newest_comes_first() {
        let index = index(&[ran("git status"), ran("git stash"), ran("ls"), ran("git status")]);
        assert_eq!(found(&index, "git s", "/here"), ["git status", "git stash"]);
    }

    #[test]
    fn what_ran_here_comes_before_what_ran_elsewhere() {
        let there = Ran { command: "make test", cwd: Some("/there"), exit: Some(0) };
        let index = index(&[ran("make"), ran("make all"), there]);
        assert_eq!(found(&index, "make", "/here"), ["make all", "make test"]);
        assert_eq!(found(&index, "make", "/there"), ["make test", "make all"]);
        assert_eq!(found(&index, "make", "/nowhere"), ["make test", "make all"]);
    }

    #[test]
    fn the_line_itself_is_no_completion() {
        assert_eq!(found(&index(&[ran("ls"), ran("ls -l")]), "ls", "/here"), ["ls -l"]);
    }

    #[test]
    fn what_could_not_run_is_not_offered_until_it_does() {
        let lost = |exit| Ran { command: "gti status", cwd: None, exit: Some(exit) };
        let mut index = index(&[lost(127)]);
        assert_eq!(found(&index, "gti", "/"), [""; 0]);
        index.add(lost(0));
        assert_eq!(found(&index, "gti", "/"), ["gti status"]);
    }

    #[test]
    fn control_characters_and_monsters_are_not_offered() {
        let monster = "x".repeat(MAX_COMMAND + 1);
        let index = index(&[ran("echo \u{1b}[31m"), ran(&monster), ran("echo é")]);
        assert_eq!(found(&index, "", "/"), ["echo é"]);
    }

    #[test]
    fn directories_have_a_cap_and_the_newest_stay() {
        let mut builder = Builder::default();
        let mut one_by_one = Index::default();
        for number in 0..MAX_DIRECTORIES + 10 {
            let ran = Ran { command: "make", cwd: Some(&format!("/{number}")), exit: Some(0) };
            builder.add(ran);
            one_by_one.add(ran);
        }
        let built = builder.finish();
        assert_eq!((built.directories.len(), one_by_one.directories.len()), (MAX_DIRECTORIES, MAX_DIRECTORIES));
        let here = |cwd: &str| built.starting_with("ma", cwd, 1)[0].here;
        assert!(!here("/0") && !here("/9") && here("/10") && here(&format!("/{}", MAX_DIRECTORIES + 9)));
    }

    #[test]
    fn a_path_longer_than_any_is_no_directory() {
        let long = "/x".repeat(MAX_DIRECTORY);
        let index = index(&[Ran { command: "make", cwd: Some(&long), exit: Some(0) }]);
        assert!(index.directories.is_empty());
        assert_eq!(found(&index, "ma", &long), ["make"]);
    }

    #[test]
    fn no_prefix_makes_it_panic() {
        let index = index(&[ran("é"), ran("éa"), ran("日本語"), ran("\u{10ffff}x")]);
        for prefix in ["", "é", "e\u{301}", "日", "\u{10ffff}", "\u{10ffff}x", "\0", "\u{fffd}"] {
            index.starting_with(prefix, prefix, 3);
        }
        assert_eq!(found(&index, "日", "/here"), ["日本語"]);
        assert_eq!(found(&index, "\u{10ffff}", "/here"), ["\u{10ffff}x"]);
    }

    /// What the index promises, done the slow way.
    fn slow(history: &[(String, u8)], prefix: &str, cwd: &str, limit: usize) -> Vec<(String, bool)> {
        let newest = |only: Option<&str>| {
            let mut seen: Vec<String> = Vec::new();
            for (command, directory) in history.iter().rev() {
                let there = only.is_none_or(|only| only == format!("/{directory}"));
                if there && command.len() > prefix.len() && command.starts_with(prefix) && !seen.contains(command) {
                    seen.push(command.clone());
                }
            }
            seen.truncate(limit);
            seen
        };
        let here = newest(Some(cwd));
        let elsewhere = newest(None).into_iter().filter(|command| !here.contains(command));
        let elsewhere: Vec<_> = elsewhere.map(|command| (command, false)).collect();
        here.into_iter().map(|command| (command, true)).chain(elsewhere).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn agrees_with_the_slow_way(
            history in prop::collection::vec(("[ab]{1,6}", 0u8..3), 0..3000),
            later in prop::collection::vec(("[abc]{1,6}", 0u8..3), 0..50),
            prefix in "[ab]{0,3}",
            limit in 1usize..6,
        ) {
            let mut builder = Builder::default();
            let mut one_by_one = Index::default();
            for (command, directory) in &history {
                let cwd = format!("/{directory}");
                builder.add(Ran { command, cwd: Some(&cwd), exit: Some(0) });
                one_by_one.add(Ran { command, cwd: Some(&cwd), exit: Some(0) });
            }
            let mut built = builder.finish();
            for (command, directory) in &later {
                let cwd = format!("/{directory}");
                built.add(Ran { command, cwd: Some(&cwd), exit: Some(0) });
                one_by_one.add(Ran { command, cwd: Some(&cwd), exit: Some(0) });
            }
            let all: Vec<_> = history.into_iter().chain(later).collect();
            let expected = slow(&all, &prefix, "/1", limit);
            for index in [&built, &one_by_one] {
                let got: Vec<_> = index
                    .starting_with(&prefix, "/1", limit)
                    .iter()
                    .map(|found| (found.command.to_owned(), found.here))
                    .collect();
                prop_assert_eq!(&got, &expected);
            }
        }
    }
}
