//! Candidates from history: lines that begin with what is typed, and words that often come here.

use aside_commands::spec::walk::{SpecEnd, SpecWalk, SpecWord};
use aside_commands::world::Fact;
use shell_line::{self as line, CursorRole, CursorSpot, Join, Word};

use crate::complete::candidate::{
    Candidate, CandidateFacts, CandidateKind, CandidateSource, LastOutcome, MatchKind, PastRuns, Proximity,
};
use crate::complete::command_names;
use crate::complete::context::CompletionContext;
use crate::complete::fuzzy;
use crate::complete::spec::resolve;
use crate::history::index::{HistoryMatch, HistoryQuery};
use crate::history::word_stats::{self, Locality, WordGuess, WordPosition};

/// A longer command is a script: as ghost text it would push the prompt off the screen.
const MAX_LINES: usize = 12;

pub fn lines(context: &CompletionContext<'_>) -> Vec<Candidate> {
    if context.left.trim().is_empty() || !context.right.is_empty() {
        return Vec::new();
    }
    let root = context.world.repository(context.cwd).yes();
    let question =
        HistoryQuery { prefix: context.left, cwd: context.cwd, session: context.session, root: root.as_deref() };
    let mut found = context.history.likely(question);
    found.retain(|found| found.command.lines().count() <= MAX_LINES);
    let rivals = found.len() as u16;
    found.iter().map(|found| line(context, found, rivals)).collect()
}

/// Commands that run the one after them as it would run alone.
const WRAPPERS: [&str; 8] = ["sudo", "doas", "time", "env", "nohup", "nice", "command", "exec"];

/// Lines that ran alone, for a command typed behind another one, a wrapper or assignments: `time make`, `A=1 cargo`,
/// `make && git`.
pub fn inner_lines(context: &CompletionContext<'_>, spot: &CursorSpot<'_>) -> Vec<Candidate> {
    let Some(command) = spot.command.filter(|command| command.join != Join::Pipe && command.inside.is_none()) else {
        return Vec::new();
    };
    let is_wrapper = |word: &&Word| WRAPPERS.contains(&&*word.value) || word.value.contains('=');
    let Some(name) = command.words.iter().find(|word| !is_wrapper(word)).filter(|name| name.span.start > 0) else {
        return Vec::new();
    };
    let start = name.span.start;
    let Some((before, left)) = context.left.split_at_checked(start).filter(|(_, left)| !left.trim().is_empty()) else {
        return Vec::new();
    };
    let mut candidates = lines(&CompletionContext { left, ..*context });
    candidates.retain(|candidate| line::parse(&candidate.text, context.dialect).commands.len() == 1);
    for candidate in &mut candidates {
        candidate.text.insert_str(0, before);
        // The sequence counts are about the line alone, so they do not apply.
        if let Some(past) = &mut candidate.facts.past {
            (past.after_last, past.after_both, past.after_alike) = (0, 0, 0);
        }
    }
    candidates
}

/// Fewer letters are in nearly every line.
const MIN_SOUGHT: usize = 3;
/// How many lines are offered that only contain what is typed.
const MAX_SOUGHT: usize = 4;

/// Fuzzy matches: lines that contain what is typed but begin differently: `stash pop`, or `gsp`, for `git stash pop`.
pub fn fuzzy_lines(context: &CompletionContext<'_>) -> Vec<Candidate> {
    let typed = context.left.trim_start();
    if typed.trim_end().chars().count() < MIN_SOUGHT || !context.right.is_empty() {
        return Vec::new();
    }
    let root = context.world.repository(context.cwd).yes();
    let question = HistoryQuery { prefix: "", cwd: context.cwd, session: context.session, root: root.as_deref() };
    // A command's name begins a new line and is no fuzzy search: `tar czf b` must not match `ssh web tar czf b`.
    let name = typed.split_whitespace().next().unwrap_or_default();
    let is_command = matches!(command_names::known(context, name), Fact::Yes(()));
    let sub = is_command.then(|| subcommand(context, typed)).flatten();
    let wanted = |command: &str| {
        let begins = command.starts_with(context.left) || command.lines().count() > MAX_LINES;
        let mut words = command.split_whitespace();
        let is_other = is_command && words.next() != Some(name) || sub.is_some_and(|sub| words.next() != Some(sub));
        !begins && !is_other && (fuzzy::is_subsequence(command, typed) || fuzzy::matches_initials(command, typed))
    };
    let found = context.history.lately(question, MAX_SOUGHT, wanted);
    let rivals = found.len() as u16;
    let contains = |found: &HistoryMatch<'_>| {
        let mut candidate = line(context, found, rivals);
        candidate.facts.fit = MatchKind::Contains;
        candidate
    };
    found.iter().map(contains).collect()
}

/// The second word if it is a finished subcommand: then nothing else is searched for.
fn subcommand<'t>(context: &CompletionContext<'_>, typed: &'t str) -> Option<&'t str> {
    let mut words = typed.split_whitespace();
    let (name, word) = (words.next()?, words.next()?);
    let is_finished = words.next().is_some() || typed.ends_with(char::is_whitespace);
    let spec = context.specs.find(name, context.world).filter(|_| is_finished)?;
    spec.sub(word).map(|_| word)
}

fn line(context: &CompletionContext<'_>, found: &HistoryMatch<'_>, rivals: u16) -> Candidate {
    let place = match (found.here, found.repository) {
        (true, _) => Proximity::Here,
        (false, true) => Proximity::Repository,
        (false, false) => Proximity::Elsewhere,
    };
    let outcome = match found.exit {
        None => LastOutcome::Unknown,
        Some(0) => LastOutcome::Succeeded,
        Some(_) => LastOutcome::Failed,
    };
    let [after_last, after_both, after_alike] = found.followed;
    let past = PastRuns {
        place,
        session: found.session,
        outcome,
        runs: found.runs,
        age: found.age,
        after_last,
        after_both,
        after_alike,
    };
    let typed = context.left.chars().count();
    let facts = CandidateFacts {
        rivals,
        typed: typed as u16,
        adds: found.command.chars().count().saturating_sub(typed) as u16,
        past: Some(past),
        ..CandidateFacts::new(CandidateKind::Line, MatchKind::Extends)
    };
    Candidate {
        text: found.command.to_owned(),
        cursor: None,
        source: CandidateSource::History,
        facts,
        about: String::new(),
    }
}

/// How many words are guessed at the cursor.
const GUESSES: usize = 24;
/// How many words in a row may be guessed,
const MAX_CHAIN: usize = 4;
/// for this many of the guesses.
const CHAINED: usize = 3;
/// A guess continues with the next word if that is at least this likely.
const SURE: f32 = 0.6;
/// A word after which commands ended less often than this also gets a trailing blank,
const ENDS: f32 = 0.08;
/// if something follows it at least this often.
const GOES_ON: f32 = 0.4;

/// The spec's view of the words before the cursor, if there is a spec.
#[derive(Clone)]
struct Slot {
    walk: Option<SpecWalk>,
    reach: Locality,
}

impl Slot {
    fn at(context: &CompletionContext<'_>, spot: &CursorSpot<'_>) -> Self {
        let (CursorRole::Argument(number), Some(command)) = (&spot.role, spot.command) else { return Self::unknown() };
        let resolve::Resolution::Spec(reached) = resolve::resolve(context, command, *number) else {
            return Self::unknown();
        };
        let walk = reached.walk;
        // Subcommands take different arguments, and a flag's value belongs to that flag alone.
        let has_subs = walk.chain.len() > 1 || !walk.spec().subs.is_empty() || walk.is_past_flags();
        let reach = match walk.pending() {
            Some(_) => Locality::Slot,
            None if has_subs => Locality::Subcommand,
            None => Locality::Command,
        };
        Self { walk: Some(walk), reach }
    }

    /// Without a spec only this exact slot counts.
    fn unknown() -> Self {
        Self { walk: None, reach: Locality::Slot }
    }

    fn is_switch(&self, flag: &str) -> bool {
        self.walk.as_ref().is_some_and(|walk| walk.end() == SpecEnd::Open && walk.is_switch(flag))
    }

    /// Advances by one word.
    fn go(&mut self, word: &str) {
        if let Some(walk) = self.walk.as_mut().filter(|walk| walk.end() == SpecEnd::Open) {
            let number = walk.steps.len() + 1;
            walk.go(number, &SpecWord { value: word.into(), fixed: true, word: None });
        }
    }
}

/// Words that were used in similar places, for a line that never ran.
pub fn words(context: &CompletionContext<'_>, spot: &CursorSpot<'_>) -> Vec<Candidate> {
    if !context.right.is_empty() {
        return Vec::new();
    }
    let commands = word_stats::pieces(context.left);
    let Some(command) = commands.last() else { return Vec::new() };
    let pieces = &command.words;
    let start = match pieces.last() {
        Some((start, piece)) if start + piece.len() == context.left.len() => *start,
        _ => context.left.len(),
    };
    let before: Vec<&str> = pieces.iter().take_while(|(at, _)| *at < start).map(|(_, piece)| *piece).collect();
    let typed = &context.left[start..];
    if before.is_empty() && typed.is_empty() {
        return Vec::new();
    }
    let slot = Slot::at(context, spot);
    let stdin = command.stdin();
    let at =
        WordPosition { before: &before, after: command.after(context.history.last()), typed, reach: slot.reach, stdin };
    let guesses = context.history.words().next_with(at, GUESSES + 1, |flag| slot.is_switch(flag));
    let guesses: Vec<_> = guesses.into_iter().filter(|guess| guess.word != word_stats::END).take(GUESSES).collect();
    let rivals = guesses.len() as u16;
    let candidates = guesses.iter().enumerate().map(|(place, guess)| {
        let mut text = context.left[..start].to_owned();
        text.push_str(guess.word);
        let habit = if place < CHAINED { go_on(context, at, guess, slot.clone(), &mut text) } else { guess.chance };
        let facts = CandidateFacts {
            rivals,
            place: place as u16,
            typed: typed.chars().count() as u16,
            adds: text[context.left.len()..].chars().count() as u16,
            habit: Some(habit),
            ..CandidateFacts::new(CandidateKind::Words, MatchKind::Extends)
        };
        Candidate { text, cursor: None, source: CandidateSource::History, facts, about: String::new() }
    });
    candidates.collect()
}

/// Extends the guess while the next word is likely: whole words, then the part of one that the history agrees on, or
/// the blank before it. Returns the probability of the whole.
fn go_on(
    context: &CompletionContext<'_>,
    at: WordPosition<'_>,
    first: &WordGuess<'_>,
    mut slot: Slot,
    text: &mut String,
) -> f32 {
    let mut before = at.before.to_vec();
    let mut chance = first.chance;
    before.push(first.word);
    slot.go(first.word);
    for _ in 1..MAX_CHAIN {
        let at = WordPosition { before: &before, after: "", typed: "", ..at };
        let guesses = context.history.words().next_with(at, GUESSES, |flag| slot.is_switch(flag));
        let (ends, goes_on): (Vec<_>, Vec<_>) = guesses.into_iter().partition(|guess| guess.word == word_stats::END);
        match goes_on.first() {
            Some(guess) if guess.chance >= SURE => {
                text.push(' ');
                text.push_str(guess.word);
                chance *= guess.chance;
                before.push(guess.word);
                slot.go(guess.word);
            }
            _ => {
                let ends = ends.first().map_or(0.0, |guess| guess.chance);
                if let Some((part, sure)) = agreed(&goes_on).filter(|(_, sure)| *sure >= SURE) {
                    text.push(' ');
                    text.push_str(part);
                    chance *= sure;
                } else if ends < ENDS && goes_on.iter().map(|guess| guess.chance).sum::<f32>() >= GOES_ON {
                    text.push(' ');
                    chance *= 1.0 - ends;
                }
                break;
            }
        }
    }
    chance
}

/// The common beginning of the likeliest words, up to a separator of a path or name.
fn agreed<'a>(guesses: &[WordGuess<'a>]) -> Option<(&'a str, f32)> {
    let part = |word: &'a str| word.find(['/', '=', ':', '@']).map(|at| &word[..=at]);
    let best = part(guesses.first()?.word)?;
    let sure = guesses.iter().filter(|guess| guess.word.starts_with(best)).map(|guess| guess.chance).sum();
    Some((best, sure))
}
