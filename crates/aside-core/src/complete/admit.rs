//! Decides whether a candidate of any source fits the slot it goes into: it parses, it names what exists, its flags
//! belong to the command, and it destroys nothing that was not typed. Judges only what the candidate adds, not what is
//! already typed.

mod dates;
mod destroys;
pub(super) mod git;
mod module;
mod needs;
pub mod reason;
mod stdin;
mod tail;
mod value;

use std::borrow::Cow;

use crate::complete::ask::Ask;
use crate::complete::candidate::{Candidate, Facts, Fit, Kind as Adds, Outcome, Place, Source};
use crate::complete::commands;
use crate::complete::path;
use crate::complete::resolve;
use crate::complete::spec::reach::{self, Reach, Reached};
use crate::line::{self, Command, Line, Word};
use crate::spec::kind::Kind;
use crate::spec::walk::{Next, Piece, Step};
use crate::world::{Known, Live};

/// Words of a line that are checked.
const MAX_WORDS: usize = 64;

/// What history says in favour of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Proof {
    /// The whole line ran in this directory and did not fail.
    RanHere,
    /// The whole line ran somewhere and did not fail.
    Ran,
    /// Its words were used in this slot before.
    Habit,
    None,
}

impl Proof {
    fn of(facts: &Facts) -> Self {
        match (facts.past, facts.habit) {
            (Some(past), _) if past.outcome == Outcome::Failed => Proof::None,
            (Some(past), _) if past.place == Place::Here => Proof::RanHere,
            (Some(_), _) => Proof::Ran,
            (None, Some(_)) => Proof::Habit,
            (None, None) => Proof::None,
        }
    }

    /// The user has used such a word with this command.
    fn is_used(self) -> bool {
        self != Proof::None
    }
}

pub fn admits(ask: &Ask<'_>, candidate: &Candidate) -> bool {
    let text = candidate.text.trim_end();
    let line = line::parse(text, ask.dialect);
    // Enter would only open a continuation prompt.
    let is_typed_open = || line::parse(ask.left, ask.dialect).open.is_some();
    if line.open.is_some() && (candidate.facts.past.is_some() || !is_typed_open()) {
        return false;
    }
    let from = changed_from(ask.left, text);
    // Words are guessed for one command; a guess for a further command would be a second guess.
    let is_guess = candidate.facts.kind == Adds::Words;
    if is_guess && line.commands.iter().any(|command| command.span.start > ask.left.len()) {
        return false;
    }
    let proof = Proof::of(&candidate.facts);
    if candidate.source == Source::History && dates::names_old_date(ask, text, from) {
        return false;
    }
    if !tail::agrees(ask, candidate) {
        return false;
    }
    let to = text.len() - unchanged_at_end(ask, text, from);
    let slot = Slot { ask, candidate, from, to, proof };
    let fits =
        line.commands.iter().filter(|command| command.span.end > from).all(|command| slot.admits(&line, command));
    // The danger check comes last because it is the most expensive; few candidates get here.
    fits && !destroys::guesses_destruction(ask, candidate, text, from, proof)
}

/// Bytes at the end of the candidate that are already typed.
fn unchanged_at_end(ask: &Ask<'_>, text: &str, from: usize) -> usize {
    let typed = || ask.right.trim_end().bytes().rev().chain(ask.left.bytes().rev());
    let is_changed = |typed: usize| typed >= text.len() - from;
    let same = text.bytes().rev().zip(typed()).take_while(|(one, other)| one == other).count();
    if is_changed(same) { text.len() - from } else { same }
}

/// Offset where the candidate differs from what is typed.
fn changed_from(left: &str, text: &str) -> usize {
    left.bytes().zip(text.bytes()).take_while(|(one, other)| one == other).count()
}

struct Slot<'a, 'k> {
    ask: &'a Ask<'k>,
    candidate: &'a Candidate,
    /// The byte range of the candidate that is not typed yet.
    from: usize,
    to: usize,
    proof: Proof,
}

impl Slot<'_, '_> {
    fn admits(&self, line: &Line<'_>, command: &Command) -> bool {
        let Some(name) = command.words.first() else { return true };
        let is_new = |word: &Word| word.span.end > self.from && word.span.start < self.to;
        if !self.knows_name(line, name, is_new(name)) {
            return false;
        }
        if self.is_blind(command) {
            return false;
        }
        // After a `cd` that only the shell can resolve, nothing is known about files.
        let cwd = resolve::cwd(self.ask, line, command);
        if let Some(cwd) = &cwd
            && self.may_need()
            && !needs::are_met(&Ask { cwd, ..*self.ask }, line, command, self.past())
        {
            return false;
        }
        let words = command.words.iter().enumerate().take(MAX_WORDS).skip(1).filter(|(_, word)| is_new(word));
        words.into_iter().all(|(number, word)| match &cwd {
            Some(cwd) => {
                let ask = Ask { cwd, ..*self.ask };
                !self.is_undeletable(&ask, command, word) && self.admits_word(&ask, command, number, word)
            }
            None => true,
        })
    }

    /// Whether the candidate says what to do, so that its needs are checked. A user who has typed that, and only
    /// completes a name or a file, knows why.
    fn may_need(&self) -> bool {
        let Facts { kind, fit, .. } = self.candidate.facts;
        let says = matches!(kind, Adds::Line | Adds::Words | Adds::Subcommand | Adds::Flag | Adds::Idea);
        says && !matches!(fit, Fit::Mends { .. })
    }

    fn past(&self) -> needs::Past {
        let has_worked = self.candidate.facts.past.is_some_and(|past| past.outcome == Outcome::Succeeded);
        match self.proof {
            Proof::RanHere if has_worked => needs::Past::WorkedHere,
            Proof::RanHere | Proof::Ran | Proof::Habit => needs::Past::Ran,
            Proof::None => needs::Past::Nothing,
        }
    }

    /// A command that does not exist is corrected, never completed.
    fn knows_name(&self, line: &Line<'_>, name: &Word, is_new: bool) -> bool {
        if !name.fixed || name.value.is_empty() || name.value.contains('/') {
            return true;
        }
        match commands::known(self.ask, &name.value) {
            Known::Yes(()) => true,
            Known::NotYet => self.proof != Proof::None || !is_new,
            // The line itself may define a function or an alias. A typed name may belong to another shell, if it ever
            // worked or the user has a spec for it.
            Known::No => {
                let has_worked = self.candidate.facts.past.is_some_and(|past| past.outcome == Outcome::Succeeded);
                let is_meant =
                    self.candidate.source == Source::Correction || has_worked || self.ask.specs.is_own(&name.value);
                let typed = line.commands.iter().filter_map(|command| command.words.first());
                let is_typed = !is_new
                    || typed.take_while(|typed| typed.span.end <= self.from).any(|typed| typed.value == name.value);
                is_typed && is_meant
                    || ["()", "function ", "alias "].iter().any(|begin| line.text.contains(begin))
                    || name.value.starts_with(['!', '^', '%'])
            }
        }
    }

    /// Whether it is a pattern for a path that matches nothing here. Subdirectories are not searched, so a pattern for
    /// them must have run here.
    fn is_pattern_of_nothing(&self, ask: &Ask<'_>, reached: &Reached<'_>, word: &Word) -> bool {
        let Next::Argument { kinds, .. } = reached.walk.next(&word.value) else { return false };
        let is_path = |kind: &Kind| matches!(kind, Kind::File(_) | Kind::Directory | Kind::Path);
        if !kinds.iter().any(is_path) {
            return false;
        }
        let pattern = word.value.trim_end_matches('/');
        match ask.world.entries(ask.cwd) {
            Known::Yes(entries) if !pattern.contains(['/', '?', '[', '{']) => {
                !entries.iter().any(|entry| path::fits(pattern, &entry.name))
            }
            _ => self.proof != Proof::RanHere,
        }
    }

    fn admits_word(&self, ask: &Ask<'_>, command: &Command, number: usize, word: &Word) -> bool {
        let reached = match reach::reach(ask, command, number) {
            Reach::Spec(reached) => reached,
            Reach::Command => return !word.fixed || may_run(ask, &word.value),
            // Without a spec only the history of this command says what it takes; a file must have been begun.
            Reach::Unknown => return self.admits_unknown(ask, word),
        };
        // `find -name *.log`: the shell would expand it to file names.
        let is_guess = self.candidate.facts.kind == Adds::Words;
        let is_expanded = !word.fixed && word.value.contains(['*', '?']);
        if is_guess && is_expanded && matches!(reached.walk.next(&word.value), Next::Value { .. }) {
            return false;
        }
        // `cd pkg-*/` from another directory.
        if is_expanded && self.candidate.source == Source::History && self.is_pattern_of_nothing(ask, &reached, word) {
            return false;
        }
        let value = match word.fixed {
            true => Cow::Borrowed(&*word.value),
            // `~` can be resolved; other expansions cannot.
            false => match resolve::absolute(ask, &word.value, false) {
                Some(path) => Cow::Owned(path),
                None => return self.proof.is_used() || self.candidate.source != Source::History,
            },
        };
        let piece = Piece { value: word.value.as_str().into(), fixed: word.fixed, word: Some(number) };
        let next = reached.walk.next(&word.value);
        let mut walk = reached.walk.clone();
        walk.go(reached.pieces.len(), &piece);
        // A whole line that ran is accepted as it is.
        if self.candidate.facts.past.is_none() && stdin::turns_away(command, &reached, &next, &walk) {
            return false;
        }
        let Some(step) = walk.steps.last() else { return true };
        match step {
            Step::Subcommand => self.has_subcommand(ask, &reached, &word.value),
            Step::Dashes => true,
            Step::Flag => self.admits_flag(ask, &reached, word, &next),
            Step::Unknown => {
                let wants_sub = reached.walk.spec().args.is_empty() && !reached.walk.spec().subs.is_empty();
                let is_lax = !word.value.starts_with('-') && !wants_sub;
                if is_lax { self.proof.is_used() } else { self.is_of_the_line() }
            }
            Step::Value | Step::Argument(..) | Step::AfterDashes => match next {
                Next::Value { flag, skip } => self.admits_value(ask, &reached, flag, skip, word),
                Next::Argument { kinds, .. } => self.takes(ask, &reached, kinds, &value),
                Next::Command => may_run(ask, &word.value),
                // The command takes no such word, unless the whole line ran.
                Next::Nothing | Next::Flag => self.is_of_the_line(),
            },
        }
    }

    /// Whether the subcommand can work here: `npm start` needs a script of that name.
    fn has_subcommand(&self, ask: &Ask<'_>, reached: &Reached<'_>, sub: &str) -> bool {
        let [name] = reached.pieces.as_slice() else { return true };
        match &*name.value {
            "npm" | "yarn" | "pnpm" if matches!(sub, "start" | "test") => {
                match ask.world.live(Live::NpmScript, ask.cwd) {
                    Known::Yes(scripts) => scripts.iter().any(|script| *script.name == *sub),
                    Known::No => false,
                    Known::NotYet => true,
                }
            }
            _ => true,
        }
    }

    /// Whether the whole line ran: then the command has what our spec lacks.
    fn is_of_the_line(&self) -> bool {
        matches!(self.proof, Proof::RanHere | Proof::Ran)
    }

    fn admits_unknown(&self, ask: &Ask<'_>, word: &Word) -> bool {
        match self.candidate.source {
            Source::History | Source::Llm => {
                // A path from another project.
                let is_path = word.fixed && word.value.contains('/') && !word.value.contains("://");
                !is_path || !is_missing(ask, &word.value) || word.value.starts_with('-')
            }
            Source::Spec | Source::Filesystem | Source::Environment | Source::Correction => true,
        }
    }

    fn admits_flag(&self, ask: &Ask<'_>, reached: &Reached<'_>, word: &Word, next: &Next<'_>) -> bool {
        if let Next::Value { flag, skip } = next {
            return self.admits_value(ask, reached, flag, *skip, word);
        }
        // The flag is already on the line.
        let is_used = reached.walk.flag(&word.value).is_some_and(|flag| reached.walk.is_used(flag));
        !is_used || self.is_of_the_line()
    }
}

/// Whether a command of this name or path exists.
fn may_run(ask: &Ask<'_>, value: &str) -> bool {
    if value.contains('/') { !is_missing(ask, value) } else { commands::known(ask, value) != Known::No }
}

fn is_missing(ask: &Ask<'_>, value: &str) -> bool {
    resolve::absolute(ask, value, true).is_some_and(|path| matches!(resolve::kind(ask, &path), Known::No))
}

fn is_hash(value: &str) -> bool {
    value.len() >= 7 && value.chars().all(|letter| letter.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests;
