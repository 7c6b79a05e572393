//! Types a history, line by line, with a tool, and counts what the tool saves.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::history_lines::{HistoryLine, Role};
use super::typist::{Keys, Offers, Watched, beginning};

pub trait Tool {
    /// What the line could become, best first.
    fn offers(&mut self, left: &str, cwd: &str) -> Offers;

    /// The command ran: from now on it is part of the history.
    fn ran(&mut self, typed: &HistoryLine);
}

/// Sums over all typed lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub lines: usize,
    /// Keys without any tool.
    pub characters: usize,
    pub plain: usize,
    pub right: usize,
    pub ghost: usize,
    pub bar: usize,
    /// The part of these sums for lines that had run before.
    pub again: Part,
    /// Lines that the ghost completed to their end after one character; after at most three; ever.
    pub at_first: usize,
    pub at_third: usize,
    pub at_any: usize,
    pub ghosts: Ghosts,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Part {
    pub lines: usize,
    pub characters: usize,
    pub bar: usize,
}

/// The ghosts that a user sees who types every character of every line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ghosts {
    /// Positions where a ghost was possible: after each character, the last included.
    pub places: usize,
    pub shown: usize,
    /// Not even a prefix of the intended line.
    pub wrong: usize,
    /// Not the whole intended line.
    pub not_whole: usize,
    /// The wrong ones after the last character: the line was complete.
    pub after_the_end: usize,
}

pub fn play(past: &[HistoryLine], tool: &mut dyn Tool) -> Tally {
    let mut tally = Tally::default();
    let mut seen: HashSet<&str> = HashSet::new();
    for typed in past {
        if typed.role == Role::Replayed {
            let length = typed.command.chars().count();
            // Nothing is offered before the first character.
            let mut offers = vec![Offers::new()];
            offers.extend((1..=length).map(|count| tool.offers(beginning(&typed.command, count), &typed.cwd)));
            tally.add(&Watched { line: &typed.command, offers: &offers }, seen.contains(typed.command.as_str()));
        }
        tool.ran(typed);
        seen.insert(&typed.command);
    }
    tally
}

impl Tally {
    fn add(&mut self, watched: &Watched<'_>, again: bool) {
        let length = watched.length();
        let bar = watched.fewest(Keys::Bar);
        self.lines += 1;
        self.characters += length;
        self.plain += watched.fewest(Keys::Plain);
        self.right += watched.fewest(Keys::Right);
        self.ghost += watched.fewest(Keys::Ghost);
        self.bar += bar;
        if again {
            self.again.lines += 1;
            self.again.characters += length;
            self.again.bar += bar;
        }
        let completed = (1..length).find(|&typed| watched.ghost(typed) == Some(watched.line));
        self.at_first += usize::from(completed == Some(1));
        self.at_third += usize::from(completed.is_some_and(|typed| typed <= 3));
        self.at_any += usize::from(completed.is_some());
        self.ghosts.places += length;
        for typed in 1..=length {
            let Some(ghost) = watched.ghost(typed) else { continue };
            let wrong = !watched.line.starts_with(ghost);
            self.ghosts.shown += 1;
            self.ghosts.wrong += usize::from(wrong);
            self.ghosts.not_whole += usize::from(ghost != watched.line);
            self.ghosts.after_the_end += usize::from(typed == length);
        }
    }

    pub fn plus(mut self, other: &Self) -> Self {
        self.lines += other.lines;
        self.characters += other.characters;
        self.plain += other.plain;
        self.right += other.right;
        self.ghost += other.ghost;
        self.bar += other.bar;
        self.again.lines += other.again.lines;
        self.again.characters += other.again.characters;
        self.again.bar += other.again.bar;
        self.at_first += other.at_first;
        self.at_third += other.at_third;
        self.at_any += other.at_any;
        self.ghosts.places += other.ghosts.places;
        self.ghosts.shown += other.ghosts.shown;
        self.ghosts.wrong += other.ghosts.wrong;
        self.ghosts.not_whole += other.ghosts.not_whole;
        self.ghosts.after_the_end += other.ghosts.after_the_end;
        self
    }

    /// The share of keys saved, in percent.
    pub fn saved(&self, keys: usize) -> f64 {
        100.0 - percent(keys, self.characters)
    }

    pub fn json(&self) -> Value {
        json!({
            "lines": self.lines,
            "characters": self.characters,
            "keys": { "plain": self.plain, "right": self.right, "ghost": self.ghost, "bar": self.bar },
            "again": {
                "lines": self.again.lines, "characters": self.again.characters, "keys_bar": self.again.bar,
            },
            "completed": { "at_first": self.at_first, "at_third": self.at_third, "at_any": self.at_any },
            "ghosts": {
                "places": self.ghosts.places,
                "shown": self.ghosts.shown,
                "wrong": self.ghosts.wrong,
                "not_whole": self.ghosts.not_whole,
                "after_the_end": self.ghosts.after_the_end,
            },
        })
    }
}

impl Ghosts {
    pub fn wrong_of_shown(&self) -> f64 {
        percent(self.wrong, self.shown)
    }

    pub fn wrong_of_places(&self) -> f64 {
        percent(self.wrong, self.places)
    }

    pub fn not_whole_of_shown(&self) -> f64 {
        percent(self.not_whole, self.shown)
    }
}

pub fn percent(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { 100.0 * part as f64 / whole as f64 }
}
