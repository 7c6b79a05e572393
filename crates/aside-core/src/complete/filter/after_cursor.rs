//! Decides whether a candidate makes sense together with the text after the cursor: that text stays as it is, is not
//! repeated, and keeps its meaning.

use aside_commands::spec::walk::{NextWord, SpecEnd, WalkStep};
use shell_line::{self as line, Command, Word};

use crate::complete::candidate::{Candidate, MatchKind};
use crate::complete::context::CompletionContext;
use crate::complete::spec::resolve::{self, Resolution};

pub fn agrees(context: &CompletionContext<'_>, candidate: &Candidate) -> bool {
    let tail = context.right.trim_end();
    if tail.is_empty() {
        return true;
    }
    let text = candidate.text.trim_end();
    // A correction may change the rest of the line.
    if matches!(candidate.facts.fit, MatchKind::Mends { .. }) {
        return true;
    }
    let Some(cursor) = text.strip_suffix(tail).map(str::len).filter(|cursor| *cursor >= context.left.len()) else {
        return false;
    };
    let line = line::parse(text, context.dialect);
    let Some(command) = line.commands.iter().rfind(|command| command.span.start < cursor) else { return true };
    let (before, behind): (Vec<&Word>, Vec<&Word>) = command.words.iter().partition(|word| word.span.end <= cursor);
    let begin = context.left.rfind(char::is_whitespace).map_or(0, |blank| blank + 1);
    let added = || before.iter().filter(|word| word.span.end > begin);
    // The word at the cursor continues after it, or is already there.
    let is_torn =
        command.words.iter().any(|word| word.span.start < cursor && cursor < word.span.end && is_letter(tail));
    let is_twice = || added().any(|added| behind.iter().any(|word| word.value == added.value));
    !is_torn && !is_twice() && !displaces(context, command, cursor)
}

fn is_letter(tail: &str) -> bool {
    tail.starts_with(|first: char| !first.is_whitespace() && !"'\")}`;|&<>".contains(first))
}

/// Whether a word after the cursor loses its role: `git | status` with a subcommand inserted.
fn displaces(context: &CompletionContext<'_>, command: &Command, cursor: usize) -> bool {
    // Parses the line as it would be without the word at the cursor.
    let left = &context.left[..context.left.rfind(char::is_whitespace).map_or(0, |blank| blank + 1)];
    let plain = [left, context.right].concat();
    let typed = line::parse(&plain, context.dialect);
    let Some(old) = typed.commands.iter().rfind(|command| command.span.start <= left.len()) else { return false };
    let behind = |command: &'_ Command, cursor: usize| -> Vec<usize> {
        let words = command.words.iter().enumerate().filter(|(_, word)| word.span.start >= cursor);
        words.map(|(number, _)| number).collect()
    };
    let (old_words, new_words) = (behind(old, left.len()), behind(command, cursor));
    old_words.into_iter().zip(new_words).any(|(was, is)| {
        let (before, after) = (meaning(context, old, was), meaning(context, command, is));
        before == Meaning::Subcommand && after != Meaning::Subcommand
            || before != Meaning::Nothing && after == Meaning::Nothing
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Meaning {
    Subcommand,
    /// A flag, its value, an argument, or unknown.
    Other,
    /// The command takes no such word.
    Nothing,
}

fn meaning(context: &CompletionContext<'_>, command: &Command, number: usize) -> Meaning {
    let Some(word) = command.words.get(number).filter(|_| number > 0) else { return Meaning::Other };
    let Resolution::Spec(reached) = resolve::resolve(context, command, number) else { return Meaning::Other };
    if reached.walk.end() != SpecEnd::Open || reached.walk.next(&word.value) == NextWord::Nothing {
        return Meaning::Nothing;
    }
    let Resolution::Spec(reached) = resolve::resolve(context, command, number + 1) else { return Meaning::Other };
    match reached.walk.steps.last() {
        Some(WalkStep::Subcommand) => Meaning::Subcommand,
        Some(WalkStep::Unknown) => Meaning::Nothing,
        _ => Meaning::Other,
    }
}
