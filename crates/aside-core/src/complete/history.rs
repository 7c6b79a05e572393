//! Candidates from what the person ran before: lines that begin with what is typed, and words that often come here.

use crate::complete::ask::Ask;
use crate::complete::candidate::{Candidate, Facts, Fit, Kind, Outcome, Past, Place, Source};
use crate::complete::sought;
use crate::history::index::{Match, Question};
use crate::history::words::{self, At, Guess};

/// A longer command is a script: as ghost text it would push the prompt off the screen.
const MAX_LINES: usize = 12;

pub fn lines(ask: &Ask<'_>) -> Vec<Candidate> {
    if ask.left.trim().is_empty() || !ask.right.is_empty() {
        return Vec::new();
    }
    let root = ask.world.repository(ask.cwd).yes();
    let question = Question { prefix: ask.left, cwd: ask.cwd, session: ask.session, root: root.as_deref() };
    let mut found = ask.history.likely(question);
    found.retain(|found| found.command.lines().count() <= MAX_LINES);
    let rivals = found.len() as u16;
    found.iter().map(|found| line(ask, found, rivals)).collect()
}

/// Fewer letters are in every line.
const MIN_SOUGHT: usize = 3;
/// How many lines are offered that only have what is typed in them.
const MAX_SOUGHT: usize = 4;

/// Lines that have what is typed in them, though they begin in another way: `stash pop`, or `gsp`, for `git stash pop`.
pub fn sought(ask: &Ask<'_>) -> Vec<Candidate> {
    let typed = ask.left.trim();
    if typed.chars().count() < MIN_SOUGHT || !ask.right.is_empty() {
        return Vec::new();
    }
    let root = ask.world.repository(ask.cwd).yes();
    let question = Question { prefix: "", cwd: ask.cwd, session: ask.session, root: root.as_deref() };
    let wanted = |command: &str| {
        let begins = command.starts_with(ask.left) || command.lines().count() > MAX_LINES;
        !begins && (sought::has_in_order(command, typed) || sought::has_initials(command, typed))
    };
    let found = ask.history.lately(question, MAX_SOUGHT, wanted);
    let rivals = found.len() as u16;
    let contains = |found: &Match<'_>| {
        let mut candidate = line(ask, found, rivals);
        candidate.facts.fit = Fit::Contains;
        candidate
    };
    found.iter().map(contains).collect()
}

fn line(ask: &Ask<'_>, found: &Match<'_>, rivals: u16) -> Candidate {
    let place = match (found.here, found.repository) {
        (true, _) => Place::Here,
        (false, true) => Place::Repository,
        (false, false) => Place::Elsewhere,
    };
    let outcome = match found.exit {
        None => Outcome::Unknown,
        Some(0) => Outcome::Succeeded,
        Some(_) => Outcome::Failed,
    };
    let [after_last, after_both, after_alike] = found.followed;
    let past = Past {
        place,
        session: found.session,
        outcome,
        runs: found.runs,
        age: found.age,
        after_last,
        after_both,
        after_alike,
    };
    let typed = ask.left.chars().count();
    let facts = Facts {
        rivals,
        typed: typed as u16,
        adds: found.command.chars().count().saturating_sub(typed) as u16,
        past: Some(past),
        ..Facts::new(Kind::Line, Fit::Extends)
    };
    Candidate { text: found.command.to_owned(), cursor: None, source: Source::History, facts, about: String::new() }
}

/// How many words are guessed at the cursor.
const GUESSES: usize = 24;
/// How many words in a row may be guessed.
const MAX_CHAIN: usize = 4;
/// For so many guesses.
const CHAINED: usize = 3;
/// A guess goes on to the next word as long as that is this likely.
const SURE: f32 = 0.6;
/// A word after which a command ended less often than this gets the blank behind it too.
const ENDS: f32 = 0.08;
/// And more has to come at least so often, as far as is known.
const GOES_ON: f32 = 0.4;

/// Words that were used in places like this one, for a line that never ran.
pub fn words(ask: &Ask<'_>) -> Vec<Candidate> {
    if !ask.right.is_empty() {
        return Vec::new();
    }
    let commands = words::pieces(ask.left);
    let Some(pieces) = commands.last() else { return Vec::new() };
    let start = match pieces.last() {
        Some((start, piece)) if start + piece.len() == ask.left.len() => *start,
        _ => ask.left.len(),
    };
    let before: Vec<&str> = pieces.iter().take_while(|(at, _)| *at < start).map(|(_, piece)| *piece).collect();
    let after = if commands.len() == 1 { ask.history.last() } else { words::PIPED };
    let typed = &ask.left[start..];
    if before.is_empty() && typed.is_empty() {
        return Vec::new();
    }
    let guesses = ask.history.words().next(At { before: &before, after, typed }, GUESSES + 1);
    let guesses: Vec<_> = guesses.into_iter().filter(|guess| guess.word != words::END).take(GUESSES).collect();
    let rivals = guesses.len() as u16;
    let candidates = guesses.iter().enumerate().map(|(place, guess)| {
        let mut text = ask.left[..start].to_owned();
        text.push_str(guess.word);
        let habit =
            if place < CHAINED { go_on(ask, &before, guess.word, guess.chance, &mut text) } else { guess.chance };
        let facts = Facts {
            rivals,
            place: place as u16,
            typed: typed.chars().count() as u16,
            adds: text[ask.left.len()..].chars().count() as u16,
            habit: Some(habit),
            ..Facts::new(Kind::Words, Fit::Extends)
        };
        Candidate { text, cursor: None, source: Source::History, facts, about: String::new() }
    });
    candidates.collect()
}

/// Goes on with what comes next as long as that is sure: whole words, then as much of one as the past agrees on, or the
/// blank before it. Returns how likely all of it is.
fn go_on(ask: &Ask<'_>, before: &[&str], word: &str, mut chance: f32, text: &mut String) -> f32 {
    let mut before = before.to_vec();
    before.push(word);
    for _ in 1..MAX_CHAIN {
        let guesses = ask.history.words().next(At { before: &before, after: "", typed: "" }, GUESSES);
        let (ends, goes_on): (Vec<_>, Vec<_>) = guesses.into_iter().partition(|guess| guess.word == words::END);
        match goes_on.first() {
            Some(guess) if guess.chance >= SURE => {
                text.push(' ');
                text.push_str(guess.word);
                chance *= guess.chance;
                before.push(guess.word);
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

/// The beginning, up to where a path or a name goes on, that the likeliest words have in common.
fn agreed<'a>(guesses: &[Guess<'a>]) -> Option<(&'a str, f32)> {
    let part = |word: &'a str| word.find(['/', '=', ':', '@']).map(|at| &word[..=at]);
    let best = part(guesses.first()?.word)?;
    let sure = guesses.iter().filter(|guess| guess.word.starts_with(best)).map(|guess| guess.chance).sum();
    Some((best, sure))
}
