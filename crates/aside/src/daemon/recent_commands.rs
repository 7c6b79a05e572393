//! Remembers the last commands of each shell and their output, for as long as the daemon runs: the session that suggestions are made from.
//! Nothing of it is written to disk.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use aside_core::suggest::prompt::MAX_SESSION;
use aside_core::suggest::resolved::{self, FinishedRun, RunStatus};
use aside_core::suggest::{self, InteractivePrograms, worth_asking};
use aside_proto::command_ended::RecalledCommand;
use aside_redact::redact;
use tokio::sync::watch;

use crate::daemon::state::{SessionRef, State};
use crate::provider::Privacy;

/// Cap on remembered shells; the least recently seen is evicted.
const MAX_SHELLS: usize = 64;
/// The newest commands of each shell. Older ones stay only if they are sent to a model (`MAX_SESSION`).
const MAX_COMMANDS: usize = 20;
/// Lines that are kept of an output, from its end, and bytes of each.
const MAX_LINES: usize = 20;
const MAX_LINE: usize = 400;
/// Bytes of a command.
const MAX_COMMAND: usize = 4096;
/// Bytes of the last command's output: enough to suggest the next command.
const MAX_FRESH: usize = 32 * 1024;
/// Cap on outputs that arrive before their command is reported: with lines typed ahead, a shell's reports are a few commands behind.
const MAX_EARLY: usize = 4;
/// How long an output may take to arrive. No prompt waits for it.
const ARRIVAL: Duration = Duration::from_millis(500);

#[derive(Default)]
pub struct RecentCommands {
    shells: Mutex<HashMap<String, Shell>>,
    /// Counts the outputs that arrived.
    arrived: watch::Sender<u64>,
}

struct Shell {
    commands: VecDeque<Kept>,
    /// The raw output of the last command, and of commands not reported yet. Secrets are redacted in what is kept longer, and where it
    /// leaves the machine.
    fresh: VecDeque<Fresh>,
    /// Number and status of the last command that is not kept, so that an older one does not count as the last.
    hidden: Option<(i64, i32)>,
    /// Number of commands worth sending to a model that have been evicted.
    forgotten: i64,
    seen: Instant,
}

struct Fresh {
    seq: i64,
    output: String,
    /// What is kept of it.
    kept: String,
}

struct Kept {
    seq: i64,
    command: String,
    /// The program whose output is the last on the screen.
    name: String,
    cwd: String,
    exit: i32,
    looks: Looks,
    /// The end of the output without secrets; `None` if it was not captured.
    output: Option<String>,
    ended: Instant,
    privacy: Privacy,
}

/// A command that has ended.
#[derive(Clone, Copy)]
struct Ended<'a> {
    seq: i64,
    command: &'a str,
    name: &'a str,
    cwd: &'a str,
    exit: i32,
    /// Whether its output may be read.
    looks: Looks,
    /// The privacy of the shell when the command ran.
    privacy: Privacy,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Looks {
    Yes,
    /// The program took over the terminal, or the line ran Aside, whose output quotes others.
    No,
}

impl State {
    /// Records a command that has ended. Returns whether it is new.
    pub fn ran(
        &self,
        session: &str,
        shell: &str,
        (seq, command, cwd, exit): (i64, &str, &str, i32),
        privacy: Privacy,
    ) -> bool {
        // Shells report each command twice; the line is parsed once.
        if self.recent_commands().knows(session, seq, privacy) {
            return false;
        }
        let config = self.config();
        let (names, dialect) = self.shell(SessionRef { session, shell, wait: false });
        let interactive = InteractivePrograms {
            always: &config.suggest.capture_blocklist,
            bare: &config.suggest.capture_blocklist_bare,
        };
        let is_unread =
            interactive.takes_over(command, dialect, &names) || suggest::runs_aside(command, dialect, &names);
        let looks = if is_unread { Looks::No } else { Looks::Yes };
        let name = &suggest::name(command, dialect, &names);
        self.recent_commands().ran(session, Ended { seq, command, name, cwd, exit, looks, privacy })
    }

    /// Whether a line ran in a private shell: from this session if remembered, else from the history.
    pub fn ran_privately(&self, session: &str, line: &str) -> bool {
        let remembered = self.recent_commands().ran_privately(session, line);
        remembered.unwrap_or_else(|| self.index().is_private(line.trim()))
    }

    /// The same for a command whose number is known. A daemon that has just started uses the history.
    pub fn seq_ran_privately(&self, session: &str, seq: i64, line: &str) -> bool {
        let is_known = self.recent_commands().lock().get(session).is_some_and(|shell| !shell.commands.is_empty());
        if is_known { self.recent_commands().is_private(session, seq) } else { self.index().is_private(line.trim()) }
    }

    /// The output of a command, for use on this machine only. Waits a moment for it if the terminal is captured.
    pub async fn printed(&self, session: &str, seq: i64) -> Option<String> {
        let patience = if self.capture_registry().seen(session).watched { ARRIVAL } else { Duration::ZERO };
        self.recent_commands().output(session, seq, patience).await
    }

    /// The same for the shell's last command, if it is this line.
    pub async fn printed_last(&self, session: &str, line: &str) -> Option<String> {
        let seq = self.recent_commands().last(session, line)?;
        self.printed(session, seq).await
    }
}

impl RecentCommands {
    /// Returns whether the command is new: an equal number means the same command.
    fn ran(&self, session: &str, ended: Ended<'_>) -> bool {
        if session.is_empty() {
            return true;
        }
        let mut shells = self.lock();
        let shell = heard_from(&mut shells, session);
        if shell.knows(ended.seq) {
            return false;
        }
        // The output may have arrived before the command.
        if ended.looks == Looks::No {
            shell.fresh.retain(|fresh| fresh.seq != ended.seq);
        }
        let output = shell.fresh_of(ended.seq).map(|fresh| fresh.kept.clone());
        let command = cut(ended.command, MAX_COMMAND).to_owned();
        let Ended { seq, name, cwd, exit, looks, privacy, command: _ } = ended;
        let (name, cwd, now) = (name.to_owned(), cwd.to_owned(), Instant::now());
        let place = shell.commands.partition_point(|kept| kept.seq < seq);
        shell.commands.insert(place, Kept { seq, command, name, cwd, exit, looks, output, ended: now, privacy });
        shell.forget();
        let Shell { commands, fresh, .. } = shell;
        let is_past = |seq| commands.iter().rev().skip(1).any(|kept| kept.seq == seq);
        fresh.retain(|fresh| !is_past(fresh.seq));
        true
    }

    /// Records a command of which nothing is kept.
    pub fn ran_hidden(&self, session: &str, seq: i64, exit: i32) {
        if !session.is_empty() {
            heard_from(&mut self.lock(), session).hidden = Some((seq, exit));
        }
    }

    /// Whether the command is known. Once reported as private, it stays private.
    fn knows(&self, session: &str, seq: i64, privacy: Privacy) -> bool {
        let mut shells = self.lock();
        let commands = shells.get_mut(session).into_iter().flat_map(|shell| &mut shell.commands);
        let Some(known) = { commands }.find(|command| command.seq == seq) else { return false };
        if privacy == Privacy::Private {
            known.privacy = privacy;
        }
        true
    }

    /// Whether a command ran in a private shell: nothing of it may leave, even after the shell leaves private mode.
    pub fn is_private(&self, session: &str, seq: i64) -> bool {
        let shells = self.lock();
        let mut commands = shells.get(session).into_iter().flat_map(|shell| &shell.commands);
        commands.any(|command| command.seq == seq && command.privacy == Privacy::Private)
    }

    /// The same for the newest command with this text; `None` if there is none.
    fn ran_privately(&self, session: &str, line: &str) -> Option<bool> {
        let shells = self.lock();
        let line = cut(line, MAX_COMMAND).trim();
        let newest = shells.get(session)?.commands.iter().rev().find(|command| command.command.trim() == line)?;
        Some(newest.privacy == Privacy::Private)
    }

    pub fn printed(&self, session: &str, seq: i64, output: &str) {
        if self.is_unseen(session, seq) {
            return;
        }
        // Not under the lock, which every prompt takes.
        let kept = kept(output);
        let mut shells = self.lock();
        let shell = heard_from(&mut shells, session);
        if let Some(command) = shell.commands.iter_mut().find(|command| command.seq == seq) {
            if command.looks == Looks::No {
                return;
            }
            command.output = Some(kept.clone());
        }
        if shell.commands.back().is_none_or(|last| last.seq <= seq) {
            shell.fresh.retain(|fresh| fresh.seq != seq);
            shell.fresh.push_back(Fresh { seq, output: cut(output, MAX_FRESH).to_owned(), kept });
            if shell.fresh.len() > MAX_EARLY {
                shell.fresh.pop_front();
            }
        }
        drop(shells);
        self.arrived.send_modify(|count| *count += 1);
    }

    async fn output(&self, session: &str, seq: i64, patience: Duration) -> Option<String> {
        let mut arrived = self.arrived.subscribe();
        let deadline = tokio::time::Instant::now() + patience;
        loop {
            if let Some(output) = self.known_output(session, seq) {
                return Some(output);
            }
            if self.is_unseen(session, seq) {
                return None;
            }
            // The sender lives as long as `self`, so only the deadline ends this wait.
            tokio::time::timeout_at(deadline, arrived.changed()).await.ok()?.ok()?;
        }
    }

    /// Whether the output of this command will never arrive.
    fn is_unseen(&self, session: &str, seq: i64) -> bool {
        let shells = self.lock();
        let mut commands = shells.get(session).into_iter().flat_map(|shell| &shell.commands);
        commands.any(|command| command.seq == seq && command.looks == Looks::No)
    }

    fn known_output(&self, session: &str, seq: i64) -> Option<String> {
        let shells = self.lock();
        let shell = shells.get(session)?;
        let fresh = shell.fresh_of(seq).map(|fresh| fresh.output.clone());
        fresh.or_else(|| shell.commands.iter().find(|command| command.seq == seq)?.output.clone())
    }

    /// How long ago a command ended.
    pub fn since(&self, session: &str, seq: i64) -> Option<Duration> {
        let shells = self.lock();
        let mut commands = shells.get(session)?.commands.iter();
        commands.find(|command| command.seq == seq).map(|command| command.ended.elapsed())
    }

    /// Finds a shell by its name.
    pub fn called(&self, is_it: &dyn Fn(&str) -> bool) -> Option<String> {
        self.lock().keys().find(|session| is_it(session)).cloned()
    }

    /// A number for the next command of a client that does not count its commands.
    pub fn after_last(&self, session: &str) -> i64 {
        let shells = self.lock();
        shells.get(session).and_then(|shell| shell.commands.back()).map_or(1, |last| last.seq + 1)
    }

    /// The number of the shell's last command, if it is this one.
    pub fn last(&self, session: &str, command: &str) -> Option<i64> {
        let shells = self.lock();
        let last = shells.get(session)?.commands.back()?;
        (last.command.trim() == cut(command, MAX_COMMAND).trim()).then_some(last.seq)
    }

    /// The commands before this one, oldest first, for use on this machine only.
    pub fn before(&self, session: &str, seq: i64) -> Vec<RecalledCommand> {
        self.past(session, seq, |_| true)
    }

    /// The same without commands that ran while the shell was private.
    pub fn before_in_the_open(&self, session: &str, seq: i64) -> Vec<RecalledCommand> {
        self.past(session, seq, |kept| kept.privacy == Privacy::Open)
    }

    /// The earlier commands outside private mode that are worth sending to a model, each with its number among such commands. Routine
    /// commands are left out, and the numbers are stable while older commands are evicted.
    pub fn session(&self, session: &str, seq: i64) -> Vec<(i64, RecalledCommand)> {
        let shells = self.lock();
        let Some(shell) = shells.get(session) else { return Vec::new() };
        let before: Vec<&Kept> = shell.commands.iter().take_while(|command| command.seq != seq).collect();
        let ran: Vec<FinishedRun<'_>> = before.iter().map(|kept| kept.ran()).collect();
        let worth = before.iter().enumerate().filter(|(_, kept)| kept.is_worth());
        let numbered = (shell.forgotten..).zip(worth);
        // A model would try to fix a failure that has been resolved already.
        let open =
            numbered.filter(|(_, (place, kept))| kept.privacy == Privacy::Open && !resolved::is_over(&ran, *place));
        let open = open.map(|(number, (_, kept))| (number, kept));
        open.map(|(number, kept)| (number, kept.told())).collect()
    }

    fn past(&self, session: &str, seq: i64, fits: impl Fn(&Kept) -> bool) -> Vec<RecalledCommand> {
        let shells = self.lock();
        let Some(shell) = shells.get(session) else { return Vec::new() };
        let newest = shell.commands.iter().skip(shell.commands.len().saturating_sub(MAX_COMMANDS));
        newest.take_while(|command| command.seq != seq).filter(|kept| fits(kept)).map(Kept::told).collect()
    }

    /// The last commands, oldest first; a limit of 0 means all that are remembered.
    pub fn recall(&self, session: &str, limit: u32) -> Vec<RecalledCommand> {
        let limit = if limit == 0 { MAX_COMMANDS } else { limit as usize };
        let shells = self.lock();
        let Some(shell) = shells.get(session) else { return Vec::new() };
        let skip = shell.commands.len().saturating_sub(limit);
        let without_secrets =
            |past: RecalledCommand| RecalledCommand { command: redact(&past.command).into_owned(), ..past };
        let last = shell.commands.back().map_or(i64::MIN, |kept| kept.seq);
        let hidden = shell.hidden.filter(|(seq, _)| *seq > last);
        let hidden = hidden.map(|(seq, exit)| RecalledCommand { seq, exit, ..RecalledCommand::default() });
        let commands: Vec<RecalledCommand> = shell.commands.iter().skip(skip).map(Kept::told).collect();
        drop(shells);
        commands.into_iter().map(without_secrets).chain(hidden).collect()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Shell>> {
        // A panic while it was held lost one answer; the remaining state is valid.
        self.shells.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shell {
    fn knows(&self, seq: i64) -> bool {
        self.commands.iter().any(|kept| kept.seq == seq)
    }

    /// Evicts the oldest commands, first those that are not sent to a model.
    fn forget(&mut self) {
        let old = self.commands.len().saturating_sub(MAX_COMMANDS);
        let mut place = 0;
        self.commands.retain(|kept| {
            place += 1;
            place > old || kept.is_worth()
        });
        while self.commands.iter().filter(|kept| kept.is_worth()).count() > MAX_SESSION {
            self.commands.pop_front();
            self.forgotten += 1;
        }
    }

    fn fresh_of(&self, seq: i64) -> Option<&Fresh> {
        self.fresh.iter().find(|fresh| fresh.seq == seq)
    }
}

impl Kept {
    fn is_worth(&self) -> bool {
        worth_asking::is_worth(&self.name, self.exit, self.output.as_deref().unwrap_or_default())
    }

    fn ran(&self) -> FinishedRun<'_> {
        FinishedRun { command: self.command.trim(), cwd: &self.cwd, end: RunStatus::of(self.exit) }
    }

    fn told(&self) -> RecalledCommand {
        RecalledCommand {
            seq: self.seq,
            command: self.command.clone(),
            cwd: self.cwd.clone(),
            exit: self.exit,
            output: self.output.clone(),
            s_ago: self.ended.elapsed().as_secs(),
        }
    }
}

fn heard_from<'a>(shells: &'a mut HashMap<String, Shell>, session: &str) -> &'a mut Shell {
    if shells.len() >= MAX_SHELLS && !shells.contains_key(session) {
        let oldest = shells.iter().min_by_key(|(_, shell)| shell.seen).map(|(name, _)| name.clone());
        oldest.map(|name| shells.remove(&name));
    }
    let blank = || Shell {
        commands: VecDeque::new(),
        fresh: VecDeque::new(),
        hidden: None,
        forgotten: 0,
        seen: Instant::now(),
    };
    let shell = shells.entry(session.to_owned()).or_insert_with(blank);
    shell.seen = Instant::now();
    shell
}

/// The last lines, without secrets. Redacts the whole output first: a secret may span several lines.
fn kept(output: &str) -> String {
    let clean = redact(output);
    let mut lines: Vec<&str> = clean.lines().rev().take(MAX_LINES).map(|line| cut(line, MAX_LINE)).collect();
    lines.reverse();
    lines.join("\n")
}

fn cut(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(seq: i64, command: &str) -> Ended<'_> {
        Ended {
            seq,
            command,
            name: command.split(' ').next().unwrap_or_default(),
            cwd: "/here",
            exit: 1,
            looks: Looks::Yes,
            privacy: Privacy::Open,
        }
    }

    #[test]
    fn keeps_the_end_of_the_last_commands_without_secrets() {
        let memory = RecentCommands::default();
        for seq in 1..=30 {
            memory.ran("a", ended(seq, &format!("command {seq}")));
            let lines: String = (0..60).map(|line| format!("{seq}.{line}\n")).collect();
            memory.printed(
                "a",
                seq,
                &format!("{lines}token=ghp_0123456789abcdefghijABCDEFGHIJ012345\n{}", "x".repeat(900)),
            );
        }
        let past = memory.recall("a", 0);
        assert_eq!((past.len(), past[0].command.as_str(), past[19].seq), (MAX_COMMANDS, "command 11", 30));
        let output = past[19].output.as_deref().unwrap();
        assert_eq!(output.lines().count(), MAX_LINES);
        assert!(output.starts_with("30.42\n") && !output.contains("ghp_0123"), "{output}");
        assert_eq!(output.lines().last().unwrap().len(), MAX_LINE);
        assert_eq!(memory.recall("a", 2).len(), 2);
        assert_eq!(memory.recall("b", 2), []);
        let before: Vec<i64> = memory.before("a", 13).iter().map(|kept| kept.seq).collect();
        assert_eq!(before, [11, 12]);
    }

    #[tokio::test]
    async fn an_output_may_come_before_its_command_or_after_it() {
        let memory = RecentCommands::default();
        let short = Duration::from_millis(1);
        memory.printed("a", 7, "early");
        memory.ran("a", ended(7, "make"));
        assert_eq!(memory.output("a", 7, short).await.as_deref(), Some("early"));
        assert_eq!(memory.recall("a", 1)[0].output.as_deref(), Some("early"));
        memory.ran("a", ended(8, "make test"));
        memory.ran("a", ended(8, "make test"));
        assert_eq!(memory.recall("a", 0).len(), 2, "said twice, ran once");
        assert_eq!(memory.output("a", 8, short).await, None, "nobody saw it");
        let (waited, ()) = tokio::join!(memory.output("a", 8, Duration::from_secs(20)), async {
            tokio::task::yield_now().await;
            memory.printed("b", 8, "somebody else's");
            tokio::task::yield_now().await;
            memory.printed("a", 8, "late");
        });
        assert_eq!(waited.as_deref(), Some("late"));
        assert_eq!(memory.last("a", " make test\n"), Some(8));
        assert_eq!(memory.last("a", "make"), None);
        memory.printed("a", 9, "an editor");
        memory.ran("a", Ended { looks: Looks::No, ..ended(9, "vim") });
        memory.printed("a", 9, "an editor");
        assert_eq!(memory.output("a", 9, Duration::from_secs(600)).await, None, "nobody looks, so nobody waits");
    }

    /// Lines that were typed ahead run before the shell reports how the previous one ended.
    #[tokio::test]
    async fn outputs_may_be_ahead_of_what_the_shell_tells() {
        let memory = RecentCommands::default();
        for seq in 1..=3 {
            memory.printed("a", seq, &format!("of {seq}"));
        }
        for seq in [1, 3, 2] {
            memory.ran("a", ended(seq, "make"));
        }
        let past: Vec<_> = memory.recall("a", 0).into_iter().map(|past| (past.seq, past.output.unwrap())).collect();
        assert_eq!(past, [(1, "of 1".to_owned()), (2, "of 2".to_owned()), (3, "of 3".to_owned())]);
        for seq in 4..=40 {
            memory.printed("a", seq, "nobody told");
        }
        assert_eq!(memory.lock()["a"].fresh.len(), MAX_EARLY);
        assert_eq!(memory.output("a", 40, Duration::ZERO).await.as_deref(), Some("nobody told"));
    }

    /// The numbers count messages of every kind, so those of commands have gaps.
    #[test]
    fn routine_commands_neither_fill_the_session_nor_move_its_numbers() {
        let memory = RecentCommands::default();
        let mut seq = 0;
        let mut ran = |command: &str, exit| {
            seq += 1 + seq % 7;
            memory.ran("a", Ended { exit, ..ended(seq, command) });
            seq
        };
        for number in 0..40 {
            ran(&format!("frob {number}"), 1);
            ran("ls", 0);
        }
        for _ in 0..30 {
            ran("make", 0);
        }
        let last = ran("frob 40", 1);
        let told: Vec<(i64, String)> =
            memory.session("a", last).into_iter().map(|(number, past)| (number, past.command)).collect();
        let newest = 40 - i64::try_from(MAX_SESSION).unwrap() + 1..40;
        assert_eq!(told, newest.map(|number| (number, format!("frob {number}"))).collect::<Vec<_>>());
        assert_eq!(memory.recall("a", 0).len(), MAX_COMMANDS);
    }

    #[test]
    fn a_failure_that_is_over_is_not_told() {
        let memory = RecentCommands::default();
        for (seq, command, exit) in [(1, "make test", 2), (2, "npm ci", 1), (3, "make test", 0), (4, "frob", 1)] {
            memory.ran("a", Ended { exit, ..ended(seq, command) });
        }
        let told: Vec<(i64, String)> =
            memory.session("a", 4).into_iter().map(|(number, past)| (number, past.command)).collect();
        assert_eq!(told, [(1, "npm ci".to_owned())], "and the numbers stay");
    }

    #[test]
    fn the_shell_not_heard_from_longest_is_forgotten() {
        let memory = RecentCommands::default();
        for number in 0..=MAX_SHELLS {
            memory.ran(&number.to_string(), ended(1, "ls"));
        }
        assert_eq!(memory.lock().len(), MAX_SHELLS);
        assert_eq!(memory.recall("0", 0), []);
        memory.ran("", ended(1, "ls"));
        assert_eq!(memory.recall("", 0), [], "nobody's");
        // A command that is not kept is still the last.
        memory.ran("1", ended(1, "ls"));
        memory.ran_hidden("1", 2, 1);
        let last = memory.recall("1", 0).pop().unwrap();
        assert_eq!((last.seq, last.exit, last.command.as_str()), (2, 1, ""));
        memory.ran("1", ended(3, "ls"));
        assert_eq!(memory.recall("1", 0).pop().unwrap().command, "ls");
    }
}
