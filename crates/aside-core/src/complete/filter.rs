//! Decides whether a candidate of any source fits the slot it goes into: it parses, it names what exists, its flags
//! belong to the command, and it destroys nothing that was not typed. Judges only what the candidate adds, not what is
//! already typed.

mod after_cursor;
mod argument;
mod destructive;
pub mod empty_word;
pub(super) mod git;
mod preconditions;
mod python_module;
mod stale_dates;
mod stdin;

use std::borrow::Cow;

use aside_commands::spec::kind::ArgKind;
use aside_commands::spec::walk::{NextWord, SpecWord, WalkStep};
use aside_commands::world::{Fact, LiveKind};
use shell_line::{self as line, Command, Line, Word};

use crate::complete::candidate::{
    Candidate, CandidateFacts, CandidateKind as Adds, CandidateSource, LastOutcome, MatchKind, Proximity,
};
use crate::complete::command_names;
use crate::complete::context::CompletionContext;
use crate::complete::path;
use crate::complete::resolve_path;
use crate::complete::spec::resolve::{self, Resolution, ResolvedCommand};

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
    fn of(facts: &CandidateFacts) -> Self {
        match (facts.past, facts.habit) {
            (Some(past), _) if past.outcome == LastOutcome::Failed => Proof::None,
            (Some(past), _) if past.place == Proximity::Here => Proof::RanHere,
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

pub fn accepts(context: &CompletionContext<'_>, candidate: &Candidate) -> bool {
    let text = candidate.text.trim_end();
    let line = line::parse(text, context.dialect);
    // Enter would only open a continuation prompt.
    let is_typed_open = || line::parse(context.left, context.dialect).open.is_some();
    if line.open.is_some() && (candidate.facts.past.is_some() || !is_typed_open()) {
        return false;
    }
    let from = changed_from(context.left, text);
    // Words are guessed for one command; a guess for a further command would be a second guess.
    let is_guess = candidate.facts.kind == Adds::Words;
    if is_guess && line.commands.iter().any(|command| command.span.start > context.left.len()) {
        return false;
    }
    let proof = Proof::of(&candidate.facts);
    if candidate.source == CandidateSource::History && stale_dates::names_old_date(context, text, from) {
        return false;
    }
    if !after_cursor::agrees(context, candidate) {
        return false;
    }
    let to = text.len() - unchanged_at_end(context, text, from);
    let slot = Slot { context, candidate, from, to, proof };
    let fits =
        line.commands.iter().filter(|command| command.span.end > from).all(|command| slot.admits(&line, command));
    // The danger check comes last because it is the most expensive; few candidates get here.
    fits && !destructive::guesses_destruction(context, candidate, text, from, proof)
}

/// Bytes at the end of the candidate that are already typed.
fn unchanged_at_end(context: &CompletionContext<'_>, text: &str, from: usize) -> usize {
    let typed = || context.right.trim_end().bytes().rev().chain(context.left.bytes().rev());
    let is_changed = |typed: usize| typed >= text.len() - from;
    let same = text.bytes().rev().zip(typed()).take_while(|(one, other)| one == other).count();
    if is_changed(same) { text.len() - from } else { same }
}

/// Offset where the candidate differs from what is typed.
fn changed_from(left: &str, text: &str) -> usize {
    left.bytes().zip(text.bytes()).take_while(|(one, other)| one == other).count()
}

struct Slot<'a, 'k> {
    context: &'a CompletionContext<'k>,
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
        let cwd = resolve_path::cwd(self.context, line, command);
        if let Some(cwd) = &cwd
            && self.may_need()
            && !preconditions::are_met(&CompletionContext { cwd, ..*self.context }, line, command, self.past())
        {
            return false;
        }
        let words = command.words.iter().enumerate().take(MAX_WORDS).skip(1).filter(|(_, word)| is_new(word));
        words.into_iter().all(|(number, word)| match &cwd {
            Some(cwd) => {
                let context = CompletionContext { cwd, ..*self.context };
                !self.is_undeletable(&context, command, word) && self.admits_word(&context, command, number, word)
            }
            None => true,
        })
    }

    /// Whether the candidate says what to do, so that its needs are checked. A user who has typed that, and only
    /// completes a name or a file, knows why.
    fn may_need(&self) -> bool {
        let CandidateFacts { kind, fit, .. } = self.candidate.facts;
        let says = matches!(kind, Adds::Line | Adds::Words | Adds::Subcommand | Adds::Flag | Adds::Idea);
        says && !matches!(fit, MatchKind::Mends { .. })
    }

    fn past(&self) -> preconditions::Past {
        let has_worked = self.candidate.facts.past.is_some_and(|past| past.outcome == LastOutcome::Succeeded);
        match self.proof {
            Proof::RanHere if has_worked => preconditions::Past::WorkedHere,
            Proof::RanHere | Proof::Ran | Proof::Habit => preconditions::Past::Ran,
            Proof::None => preconditions::Past::Nothing,
        }
    }

    /// A command that does not exist is corrected, never completed.
    fn knows_name(&self, line: &Line<'_>, name: &Word, is_new: bool) -> bool {
        if !name.fixed || name.value.is_empty() || name.value.contains('/') {
            return true;
        }
        match command_names::known(self.context, &name.value) {
            Fact::Yes(()) => true,
            Fact::NotYet => self.proof != Proof::None || !is_new,
            // The line itself may define a function or an alias. A typed name may belong to another shell, if it ever
            // worked or the user has a spec for it.
            Fact::No => {
                let has_worked = self.candidate.facts.past.is_some_and(|past| past.outcome == LastOutcome::Succeeded);
                let is_meant = self.candidate.source == CandidateSource::Correction
                    || has_worked
                    || self.context.specs.is_own(&name.value);
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
    fn is_pattern_of_nothing(
        &self,
        context: &CompletionContext<'_>,
        reached: &ResolvedCommand<'_>,
        word: &Word,
    ) -> bool {
        let NextWord::Argument { kinds, .. } = reached.walk.next(&word.value) else { return false };
        let is_path = |kind: &ArgKind| matches!(kind, ArgKind::File(_) | ArgKind::Directory | ArgKind::Path);
        if !kinds.iter().any(is_path) {
            return false;
        }
        let pattern = word.value.trim_end_matches('/');
        match context.world.entries(context.cwd) {
            Fact::Yes(entries) if !pattern.contains(['/', '?', '[', '{']) => {
                !entries.iter().any(|entry| path::fits(pattern, &entry.name))
            }
            _ => self.proof != Proof::RanHere,
        }
    }

    fn admits_word(&self, context: &CompletionContext<'_>, command: &Command, number: usize, word: &Word) -> bool {
        let reached = match resolve::resolve(context, command, number) {
            Resolution::Spec(reached) => reached,
            Resolution::Command => return !word.fixed || may_run(context, &word.value),
            // Without a spec only the history of this command says what it takes; a file must have been begun.
            Resolution::Unknown => return self.admits_unknown(context, word),
        };
        // `find -name *.log`: the shell would expand it to file names.
        let is_guess = self.candidate.facts.kind == Adds::Words;
        let is_expanded = !word.fixed && word.value.contains(['*', '?']);
        if is_guess && is_expanded && matches!(reached.walk.next(&word.value), NextWord::Value { .. }) {
            return false;
        }
        // `cd pkg-*/` from another directory.
        if is_expanded
            && self.candidate.source == CandidateSource::History
            && self.is_pattern_of_nothing(context, &reached, word)
        {
            return false;
        }
        let value = match word.fixed {
            true => Cow::Borrowed(&*word.value),
            // `~` can be resolved; other expansions cannot.
            false => match resolve_path::absolute(context, &word.value, false) {
                Some(path) => Cow::Owned(path),
                None => return self.proof.is_used() || self.candidate.source != CandidateSource::History,
            },
        };
        let piece = SpecWord { value: word.value.as_str().into(), fixed: word.fixed, word: Some(number) };
        let next = reached.walk.next(&word.value);
        let mut walk = reached.walk.clone();
        walk.go(reached.pieces.len(), &piece);
        // A whole line that ran is accepted as it is.
        if self.candidate.facts.past.is_none() && stdin::ignores_pipe(command, &reached, &next, &walk) {
            return false;
        }
        let Some(step) = walk.steps.last() else { return true };
        match step {
            WalkStep::Subcommand => self.has_subcommand(context, &reached, &word.value),
            WalkStep::Dashes => true,
            WalkStep::Flag => self.admits_flag(context, &reached, word, &next),
            WalkStep::Unknown => {
                let wants_sub = reached.walk.spec().args.is_empty() && !reached.walk.spec().subs.is_empty();
                let is_lax = !word.value.starts_with('-') && !wants_sub;
                if is_lax { self.proof.is_used() } else { self.is_of_the_line() }
            }
            WalkStep::Value | WalkStep::Argument(..) | WalkStep::AfterDashes => match next {
                NextWord::Value { flag, skip } => self.admits_value(context, &reached, flag, skip, word),
                NextWord::Argument { kinds, .. } => self.takes(context, &reached, kinds, &value),
                NextWord::Command => may_run(context, &word.value),
                // The command takes no such word, unless the whole line ran.
                NextWord::Nothing | NextWord::Flag => self.is_of_the_line(),
            },
        }
    }

    /// Whether the subcommand can work here: `npm start` needs a script of that name.
    fn has_subcommand(&self, context: &CompletionContext<'_>, reached: &ResolvedCommand<'_>, sub: &str) -> bool {
        let [name] = reached.pieces.as_slice() else { return true };
        match &*name.value {
            "npm" | "yarn" | "pnpm" if matches!(sub, "start" | "test") => {
                match context.world.live(LiveKind::NpmScript, context.cwd) {
                    Fact::Yes(scripts) => scripts.iter().any(|script| *script.name == *sub),
                    Fact::No => false,
                    Fact::NotYet => true,
                }
            }
            _ => true,
        }
    }

    /// Whether the whole line ran: then the command has what our spec lacks.
    fn is_of_the_line(&self) -> bool {
        matches!(self.proof, Proof::RanHere | Proof::Ran)
    }

    fn admits_unknown(&self, context: &CompletionContext<'_>, word: &Word) -> bool {
        match self.candidate.source {
            CandidateSource::History | CandidateSource::Llm => {
                // A path from another project.
                let is_path = word.fixed && word.value.contains('/') && !word.value.contains("://");
                !is_path || !is_missing(context, &word.value) || word.value.starts_with('-')
            }
            CandidateSource::Spec
            | CandidateSource::Filesystem
            | CandidateSource::Environment
            | CandidateSource::Correction => true,
        }
    }

    fn admits_flag(
        &self,
        context: &CompletionContext<'_>,
        reached: &ResolvedCommand<'_>,
        word: &Word,
        next: &NextWord<'_>,
    ) -> bool {
        if let NextWord::Value { flag, skip } = next {
            return self.admits_value(context, reached, flag, *skip, word);
        }
        // The flag is already on the line.
        let is_used = reached.walk.flag(&word.value).is_some_and(|flag| reached.walk.is_used(flag));
        !is_used || self.is_of_the_line()
    }
}

/// Whether a command of this name or path exists.
fn may_run(context: &CompletionContext<'_>, value: &str) -> bool {
    if value.contains('/') { !is_missing(context, value) } else { command_names::known(context, value) != Fact::No }
}

fn is_missing(context: &CompletionContext<'_>, value: &str) -> bool {
    resolve_path::absolute(context, value, true)
        .is_some_and(|path| matches!(resolve_path::kind(context, &path), Fact::No))
}

fn is_hash(value: &str) -> bool {
    value.len() >= 7 && value.chars().all(|letter| letter.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests;
