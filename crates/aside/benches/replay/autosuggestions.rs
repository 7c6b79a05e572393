//! The two history-based strategies of zsh-autosuggestions, as version 0.7 computes them. `check` compares this with the plugin itself.

use std::collections::HashMap;

use super::history_lines::HistoryLine;
use super::playback::Tool;
use super::typist::Offers;

/// Prefixes up to this many characters have their own list; longer ones are looked up in the list of the longest.
const LISTED: usize = 24;
/// `match_prev_cmd` looks at no more matches.
const LOOKED_AT: usize = 200;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    History,
    MatchPrevCmd,
}

/// zsh's history as the plugin sees it: every line, duplicates included. Lines are numbered from 1.
#[derive(Debug, Default)]
pub struct History {
    lines: Vec<String>,
    /// The numbers of the lines with this prefix, oldest first.
    beginning: HashMap<Box<str>, Vec<u32>>,
}

impl History {
    pub fn add(&mut self, line: &str) {
        self.lines.push(line.to_owned());
        let number = self.lines.len() as u32;
        for (start, character) in line.char_indices().take(LISTED) {
            let prefix = &line[..start + character.len_utf8()];
            match self.beginning.get_mut(prefix) {
                Some(numbers) => numbers.push(number),
                None => _ = self.beginning.insert(prefix.into(), vec![number]),
            }
        }
    }

    fn line(&self, number: u32) -> &str {
        &self.lines[number as usize - 1]
    }

    /// The whole line that would be suggested. A line equal to the typed text adds nothing, and hides any older one.
    pub fn suggests(&self, strategy: Strategy, typed: &str) -> Option<&str> {
        let listed = typed.char_indices().nth(LISTED).map_or(typed, |(end, _)| &typed[..end]);
        let numbers = self.beginning.get(listed)?;
        let mut newest = numbers.iter().rev().copied().filter(|&number| self.line(number).starts_with(typed));
        let found = match strategy {
            Strategy::History => newest.next()?,
            Strategy::MatchPrevCmd => {
                // The plugin escapes the last command for use as a pattern and then compares it as plain text: after a command with
                // any of these characters it never finds a match.
                let last = self.lines.last().filter(|last| !last.contains(ESCAPED));
                let fallback = newest.clone().next()?;
                let mut looked_at = newest.by_ref().take(LOOKED_AT).take_while(|&number| number > 1);
                // A command substitution strips the trailing newlines.
                let follows =
                    |number: &u32| last.is_some_and(|last| self.line(number - 1) == last.trim_end_matches('\n'));
                looked_at.find(follows).unwrap_or(fallback)
            }
        };
        Some(self.line(found)).filter(|line| line.len() > typed.len())
    }
}

pub struct Autosuggestions {
    strategy: Strategy,
    history: History,
}

impl Autosuggestions {
    pub fn new(strategy: Strategy) -> Self {
        Self { strategy, history: History::default() }
    }
}

impl Tool for Autosuggestions {
    fn offers(&mut self, left: &str, _cwd: &str) -> Offers {
        self.history.suggests(self.strategy, left).map(str::to_owned).into_iter().collect()
    }

    fn ran(&mut self, typed: &HistoryLine) {
        self.history.add(&typed.command);
    }
}

const ESCAPED: [char; 11] = ['"', '\'', '\\', '(', ')', '[', ']', '|', '*', '?', '~'];
