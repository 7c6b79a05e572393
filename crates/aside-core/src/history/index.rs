//! In-memory index of the user's commands, fast enough to answer on every keystroke. Knows what ran where, how it ended
//! and what came last; does not rank and does not read the store.

use std::collections::hash_map::RandomState;
use std::collections::{HashMap, HashSet};
use std::hash::BuildHasher;

use aside_redact::REDACTED;
use aside_text as text;

use crate::history::prefix_index::{Entry, PrefixIndex};
use crate::history::run_record::RunRecord;
use crate::history::sequence::{Followers, RunSequence};
use crate::history::word_stats::{self, WordStats};

/// A command longer than this is kept in the store but never offered.
pub const MAX_COMMAND: usize = 4096;
/// Distinct commands; beyond it new ones are ignored until the index is rebuilt. As many as the store has rows, so that
/// everything read from it, oldest first, fits.
pub const MAX_COMMANDS: usize = 5_000_000;
/// Directories with commands; beyond it the least recently used ones are not told apart from elsewhere.
pub const MAX_DIRECTORIES: usize = 100_000;
/// The longest possible path.
const MAX_DIRECTORY: usize = 4096;
/// Bytes of all texts, so that offsets fit 32 bits with room to spare.
pub const MAX_TEXT: usize = 1 << 31;

/// Exit statuses for "not found" and "cannot be run": such a line is useless as a completion.
const CANNOT_RUN: [i16; 2] = [126, 127];
const UNKNOWN_EXIT: i16 = i16::MIN;

/// Twelve bytes each, because there may be millions.
#[derive(Clone, Copy, Debug)]
struct Command {
    start: u32,
    length: u16,
    exit: i16,
    runs: u32,
}

/// A query to the index.
#[derive(Clone, Copy, Debug)]
pub struct HistoryQuery<'a> {
    /// The beginning of the line.
    pub prefix: &'a str,
    pub cwd: &'a str,
    /// The session that asks.
    pub session: &'a str,
    /// The root of the repository that `cwd` is in.
    pub root: Option<&'a str>,
}

/// A command found by its prefix, with its facts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistoryMatch<'a> {
    id: u32,
    pub command: &'a str,
    /// It ran in the queried directory.
    pub here: bool,
    pub runs: u32,
    pub exit: Option<i32>,
    /// Sequence number of its last run (in the directory, if it was found there): larger is later.
    pub order: u32,
    /// How many commands ran since.
    pub age: u32,
    /// How often it followed the last command, the last two, a similar command.
    pub followed: [u16; 3],
    /// It ran in this session recently,
    pub session: bool,
    /// or in this repository.
    pub repository: bool,
    /// It ran only in private sessions: must not leave this machine.
    pub private: bool,
}

#[derive(Debug, Default)]
pub struct HistoryIndex {
    texts: String,
    commands: Vec<Command>,
    everywhere: PrefixIndex,
    directories: HashMap<Box<str>, PrefixIndex>,
    clock: u32,
    log: RunSequence,
    words: WordStats,
    /// Commands that ran only in private sessions.
    private: HashSet<u32>,
    /// The name of the command that ran last.
    last: Box<str>,
}

/// How many of the newest commands with a prefix are considered, in this directory and everywhere.
const NEWEST: usize = 24;
/// How many runs are scanned for commands that are not found by their prefix.
const LATELY: usize = 5000;

impl HistoryIndex {
    /// Number of distinct commands.
    pub fn len(&self) -> usize {
        self.commands.len()
    }

    pub fn is_empty(&self) -> bool {
        self.commands.is_empty()
    }

    /// Records the command that ran last.
    pub fn add(&mut self, ran: RunRecord<'_>) {
        if !is_offerable(ran.command) {
            return;
        }
        let text = |id: u32| text_of(&self.texts, &self.commands, id);
        let known = self.everywhere.find(ran.command, text);
        let Some(id) = known.or_else(|| learn(&mut self.texts, &mut self.commands, ran.command)) else { return };
        note_privacy(&mut self.private, id, self.commands[id as usize].runs, ran.private);
        note_run(&mut self.commands[id as usize], ran.exit);
        self.clock += 1;
        let text = |id: u32| text_of(&self.texts, &self.commands, id);
        self.everywhere.put(id, self.clock, text);
        let known = |cwd: &str| self.directories.contains_key(cwd) || self.directories.len() < MAX_DIRECTORIES;
        if let Some(cwd) = directory(ran.cwd).filter(|cwd| known(cwd)) {
            self.directories.entry(cwd.into()).or_default().put(id, self.clock, text);
        }
        self.log.add(id, ran.command, &RunRecord { cwd: directory(ran.cwd), ..ran });
        if is_worth_learning(&self.commands[id as usize]) {
            learn_words(&mut self.words, ran.command, &self.last);
        }
        self.last = name_of(ran.command).into();
    }

    /// Likely commands that begin with a prefix and continue after it: those that ran recently here or anywhere, and
    /// those that followed the last command. In no order.
    pub fn likely(&self, question: HistoryQuery<'_>) -> Vec<HistoryMatch<'_>> {
        let HistoryQuery { prefix, cwd, session, root } = question;
        let mut found = self.starting_with(prefix, cwd, NEWEST);
        let fits = |followed: &&Followers| {
            let text = text_of(&self.texts, &self.commands, followed.command);
            text.len() > prefix.len() && text.starts_with(prefix) && self.can_run(followed.command)
        };
        let followers = self.log.followers(session);
        for followed in followers.iter().filter(fits) {
            let text = text_of(&self.texts, &self.commands, followed.command);
            let counts = [followed.last, followed.both, followed.alike];
            match found.iter_mut().find(|known| known.id == followed.command) {
                Some(known) => known.followed = counts,
                None => {
                    let order = self.everywhere.order_of(text, |id| text_of(&self.texts, &self.commands, id));
                    let entry = Entry { id: followed.command, order: order.unwrap_or(0) };
                    found.push(HistoryMatch { followed: counts, ..self.describe(&entry, false) });
                }
            }
        }
        for known in &mut found {
            (known.session, known.repository) = self.log.ran_in(known.id, session, root);
        }
        found
    }

    /// Up to `limit` commands of the last few thousand that `wanted` accepts, the newest first.
    pub fn lately(
        &self,
        question: HistoryQuery<'_>,
        limit: usize,
        wanted: impl Fn(&str) -> bool,
    ) -> Vec<HistoryMatch<'_>> {
        let mut seen: HashSet<u32> = HashSet::new();
        let fits =
            |id: &u32| seen.insert(*id) && self.can_run(*id) && wanted(text_of(&self.texts, &self.commands, *id));
        let found: Vec<u32> = self.log.newest(LATELY).filter(fits).take(limit).collect();
        let here = self.directories.get(question.cwd);
        let text = |id: u32| text_of(&self.texts, &self.commands, id);
        let describe = |id: u32| {
            let order = self.everywhere.order_of(text(id), text).unwrap_or(0);
            let is_here = here.is_some_and(|here| here.find(text(id), text).is_some());
            let (session, repository) = self.log.ran_in(id, question.session, question.root);
            HistoryMatch { session, repository, ..self.describe(&Entry { id, order }, is_here) }
        };
        found.into_iter().map(describe).collect()
    }

    /// What followed a command that ended with this status: the command, how often here, how often anywhere.
    pub fn next(&self, command: &str, exit: i32, cwd: &str) -> Vec<(&str, u32, u32)> {
        let text = |id: u32| text_of(&self.texts, &self.commands, id);
        let Some(id) = self.everywhere.find(command, text) else { return Vec::new() };
        let found = self.log.next(id, exit, cwd).into_iter();
        found.map(|next| (text(next.command), next.here, next.anywhere)).collect()
    }

    /// Whether a command ran only in private sessions.
    pub fn is_private(&self, command: &str) -> bool {
        let found = self.everywhere.find(command, |id| text_of(&self.texts, &self.commands, id));
        found.is_some_and(|id| self.private.contains(&id))
    }

    /// The word statistics for guessing the next word of a line.
    pub fn words(&self) -> &WordStats {
        &self.words
    }

    /// The name of the command that ran last.
    pub fn last(&self) -> &str {
        &self.last
    }

    fn can_run(&self, id: u32) -> bool {
        !CANNOT_RUN.contains(&self.commands[id as usize].exit)
    }

    /// The newest commands that begin with `prefix` and continue after it: first up to `limit` that ran in `cwd`, then
    /// up to `limit` from anywhere.
    pub fn starting_with(&self, prefix: &str, cwd: &str, limit: usize) -> Vec<HistoryMatch<'_>> {
        let text = |id: u32| text_of(&self.texts, &self.commands, id);
        let goes_on = |id: u32| usize::from(self.commands[id as usize].length) > prefix.len() && self.can_run(id);
        let here = self.directories.get(cwd).map(|sorted| sorted.newest(prefix, limit, text, goes_on));
        let here = here.unwrap_or_default();
        let elsewhere = self.everywhere.newest(prefix, limit, text, goes_on);
        let new = |entry: &&Entry| !here.iter().any(|other| other.id == entry.id);
        let found = here.iter().map(|entry| self.describe(entry, true));
        found.chain(elsewhere.iter().filter(new).map(|entry| self.describe(entry, false))).collect()
    }

    fn describe(&self, entry: &Entry, here: bool) -> HistoryMatch<'_> {
        let command = &self.commands[entry.id as usize];
        HistoryMatch {
            id: entry.id,
            command: text_of(&self.texts, &self.commands, entry.id),
            here,
            runs: command.runs,
            exit: (command.exit != UNKNOWN_EXIT).then_some(i32::from(command.exit)),
            order: entry.order,
            age: self.clock - entry.order,
            followed: [0; 3],
            session: false,
            repository: false,
            private: self.private.contains(&entry.id),
        }
    }
}

/// Collects a whole history, oldest command first, and sorts once: ten times faster than adding one by one.
pub struct HistoryIndexBuilder {
    texts: String,
    commands: Vec<Command>,
    orders: Vec<u32>,
    directories: HashMap<Box<str>, u32>,
    /// The last run of each command in each directory.
    here: HashMap<(u32, u32), u32>,
    /// Command ids by the hash of their text, with linear probing on collisions. One flat table, since a million small
    /// allocations would stay in the heap after the builder is dropped.
    known: HashMap<u64, u32>,
    hasher: RandomState,
    clock: u32,
    log: RunSequence,
    private: HashSet<u32>,
}

impl Default for HistoryIndexBuilder {
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
            log: RunSequence::default(),
            private: HashSet::new(),
        }
    }
}

impl HistoryIndexBuilder {
    pub fn add(&mut self, ran: RunRecord<'_>) {
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
        note_privacy(&mut self.private, id, self.commands[id as usize].runs, ran.private);
        note_run(&mut self.commands[id as usize], ran.exit);
        self.clock += 1;
        self.orders[id as usize] = self.clock;
        self.log.add(id, ran.command, &RunRecord { cwd: directory(ran.cwd), ..ran });
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

    pub fn finish(self) -> HistoryIndex {
        let Self { mut texts, mut commands, orders, directories, here, known, hasher: _, clock, log, private } = self;
        drop(known);
        texts.shrink_to_fit();
        commands.shrink_to_fit();

        let mut sorted: Vec<u32> = (0..commands.len() as u32).collect();
        sorted.sort_unstable_by(|&a, &b| text_of(&texts, &commands, a).cmp(text_of(&texts, &commands, b)));
        let everywhere = PrefixIndex::from_sorted(sorted.iter().map(|&id| Entry { id, order: orders[id as usize] }));

        // Per directory, sorts by the position in the sorted list: compares numbers instead of texts.
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
                (name, PrefixIndex::from_sorted(group.iter().map(|&(_, _, entry)| entry)))
            })
            .collect();
        let mut words = WordStats::default();
        let mut last = "";
        for id in log.commands(word_stats::MAX_LEARNT) {
            let command = text_of(&texts, &commands, id);
            if is_worth_learning(&commands[id as usize]) {
                learn_words(&mut words, command, last);
            }
            last = name_of(command);
        }
        let last = last.into();
        HistoryIndex { texts, commands, everywhere, directories, clock, log, words, private, last }
    }
}

/// A command may have failed because of its words: typos must not be learnt. An interrupt is not a failure.
fn is_worth_learning(command: &Command) -> bool {
    matches!(command.exit, 0 | 130 | UNKNOWN_EXIT)
}

fn learn_words(words: &mut WordStats, command: &str, last: &str) {
    for command in word_stats::pieces(command) {
        let pieces: Vec<&str> = command.words.iter().map(|(_, piece)| *piece).collect();
        words.learn(&pieces, command.after(last), command.stdin());
    }
}

fn name_of(command: &str) -> &str {
    command.split_whitespace().next().unwrap_or_default()
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

/// Control characters would be interpreted by the terminal or vanish from the line, so such commands stay in the store.
/// A line that was stored redacted would run with the placeholder in place of the secret.
fn is_offerable(command: &str) -> bool {
    !command.is_empty() && command.len() <= MAX_COMMAND && text::is_clean(command) && !command.contains(REDACTED)
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

/// A command that also ran in a session that is not private, before or after, is not private.
fn note_privacy(privately: &mut HashSet<u32>, id: u32, runs_before: u32, private: bool) {
    if !private {
        privately.remove(&id);
    } else if runs_before == 0 {
        privately.insert(id);
    }
}

fn note_run(command: &mut Command, exit: Option<i32>) {
    command.runs = command.runs.saturating_add(1);
    command.exit = exit.and_then(|exit| i16::try_from(exit).ok()).unwrap_or(UNKNOWN_EXIT);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ran(command: &str) -> RunRecord<'_> {
        RunRecord { command, cwd: Some("/here"), exit: Some(0), session: None, private: false }
    }

    #[test]
    fn a_command_is_private_until_it_runs_in_an_open_shell() {
        let privately = |command| RunRecord { private: true, ..ran(command) };
        let all = [privately("deploy quux"), ran("make"), privately("make"), privately("ls"), ran("ls")];
        let mut one_by_one = HistoryIndex::default();
        all.iter().for_each(|ran| one_by_one.add(*ran));
        for mut index in [index(&all), one_by_one] {
            let private = |index: &HistoryIndex| -> Vec<String> {
                let found = index.starting_with("", "/here", 9).into_iter();
                found.filter(|found| found.private).map(|found| found.command.to_owned()).collect()
            };
            assert_eq!(private(&index), ["deploy quux"]);
            assert!(index.is_private("deploy quux") && !index.is_private("make") && !index.is_private("other"));
            index.add(privately("deploy quux"));
            assert_eq!(private(&index), ["deploy quux"]);
            index.add(ran("deploy quux"));
            assert!(private(&index).is_empty());
        }
    }

    fn index(commands: &[RunRecord<'_>]) -> HistoryIndex {
        let mut index = HistoryIndex::default();
        commands.iter().for_each(|ran| index.add(*ran));
        index
    }

    fn found<'a>(index: &'a HistoryIndex, prefix: &str, cwd: &str) -> Vec<&'a str> {
        index.starting_with(prefix, cwd, 4).iter().map(|found| found.command).collect()
    }

    #[test]
    fn the_newest_comes_first() {
        let index = index(&[ran("git status"), ran("git stash"), ran("ls"), ran("git status")]);
        assert_eq!(found(&index, "git s", "/here"), ["git status", "git stash"]);
    }

    #[test]
    fn what_ran_here_comes_before_what_ran_elsewhere() {
        let there =
            RunRecord { command: "make test", cwd: Some("/there"), exit: Some(0), session: None, private: false };
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
        let lost =
            |exit| RunRecord { command: "gti status", cwd: None, exit: Some(exit), session: None, private: false };
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
        let mut builder = HistoryIndexBuilder::default();
        let mut one_by_one = HistoryIndex::default();
        for number in 0..MAX_DIRECTORIES + 10 {
            let ran = RunRecord {
                command: "make",
                cwd: Some(&format!("/{number}")),
                exit: Some(0),
                session: None,
                private: false,
            };
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
        let index =
            index(&[RunRecord { command: "make", cwd: Some(&long), exit: Some(0), session: None, private: false }]);
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

    /// A slow reference implementation as the oracle.
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
            let mut builder = HistoryIndexBuilder::default();
            let mut one_by_one = HistoryIndex::default();
            for (command, directory) in &history {
                let cwd = format!("/{directory}");
                builder.add(RunRecord { command, cwd: Some(&cwd), exit: Some(0), session: None, private: false });
                one_by_one.add(RunRecord { command, cwd: Some(&cwd), exit: Some(0), session: None, private: false });
            }
            let mut built = builder.finish();
            for (command, directory) in &later {
                let cwd = format!("/{directory}");
                built.add(RunRecord { command, cwd: Some(&cwd), exit: Some(0), session: None, private: false });
                one_by_one.add(RunRecord { command, cwd: Some(&cwd), exit: Some(0), session: None, private: false });
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
