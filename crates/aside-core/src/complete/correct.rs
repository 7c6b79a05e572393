//! Candidates that correct a typo. Only where a word is finished, is wrong as far as is known, and something similar
//! would be right.

mod path;
mod word;

use std::borrow::Cow;
use std::ops::Range;

use aside_commands::world::Fact;
use shell_line::{self as line, Command, Line, Redirect, Word};

use crate::complete::candidate::{Candidate, CandidateFacts, CandidateKind, CandidateSource, MatchKind};
use crate::complete::context::CompletionContext;
use crate::complete::{command_names, resolve_path, spec};

/// How many corrections of a line are offered.
const MAX_OFFERS: usize = 2;
/// How many typos in one line are corrected together; with more it is no typo.
const MAX_SLIPS: usize = 3;
/// Commands of a line that are checked.
const MAX_COMMANDS: usize = 8;
/// Words of a command that are checked.
const MAX_WORDS: usize = 16;

pub fn candidates(context: &CompletionContext<'_>) -> Vec<Candidate> {
    if context.left.trim().is_empty() {
        return Vec::new();
    }
    let text = [context.left, context.right].concat();
    let mut candidates: Vec<Candidate> = Vec::new();
    let (fixes, rivals) = fixes(context, &text, context.left.len());
    for (place, fix) in fixes.iter().take(MAX_OFFERS).enumerate() {
        candidates.push(mended(context, &text, fix, place, rivals));
    }
    candidates
}

/// The line with one typo corrected, and those after it where the correction is unambiguous.
fn mended(context: &CompletionContext<'_>, text: &str, first: &Fix, place: usize, rivals: usize) -> Candidate {
    let mut cursor = context.left.len();
    let mut line = text.to_owned();
    let mut about = String::new();
    let (mut edits, mut adds) = (0u8, 0usize);
    let mut fix = Cow::Borrowed(first);
    for _ in 0..MAX_SLIPS {
        let Some(old) = line.get(fix.span.clone()) else { break };
        if !about.is_empty() {
            about.push_str(", ");
        }
        about.push_str(&format!("{old} → {}", fix.text));
        edits = edits.saturating_add(fix.edits);
        adds += fix.text.chars().count().saturating_sub(old.chars().count());
        if cursor >= fix.span.end {
            cursor = cursor - fix.span.len() + fix.text.len();
        }
        line.replace_range(fix.span.clone(), &fix.text);
        // Where there is a choice, the user has to make it first.
        match fixes(context, &line, cursor) {
            (mut more, 1) => match more.pop() {
                Some(next) => fix = Cow::Owned(next),
                None => break,
            },
            _ => break,
        }
    }
    if first.kind == CandidateKind::Command
        && context.right.is_empty()
        && let Some(whole) = with_subcommand(context, &line)
    {
        adds += whole.chars().count().saturating_sub(line.chars().count());
        line = whole;
    }
    let short = |number: usize| u16::try_from(number).unwrap_or(u16::MAX);
    let facts = CandidateFacts {
        rivals: short(rivals),
        place: short(place),
        typed: short(text.get(first.span.clone()).unwrap_or_default().chars().count()),
        adds: short(adds),
        ..CandidateFacts::new(first.kind, MatchKind::Mends { edits })
    };
    let cursor = (!context.right.is_empty()).then_some(cursor);
    Candidate { text: line, cursor, source: CandidateSource::Correction, facts, about }
}

/// Completes an abbreviated subcommand at the end of the line: `git st` is `git status`.
fn with_subcommand(context: &CompletionContext<'_>, line: &str) -> Option<String> {
    let context = CompletionContext { left: line, ..*context };
    let parsed = line::parse(line, context.dialect);
    let spot = parsed.at(line.len());
    if spot.typed.chars().count() < 2 {
        return None;
    }
    let is_sub = |candidate: &Candidate| {
        candidate.facts.kind == CandidateKind::Subcommand && candidate.facts.fit == MatchKind::Extends
    };
    spec::candidates(&context, &spot).into_iter().find(is_sub).map(|candidate| candidate.text)
}

/// A replacement for a word.
#[derive(Clone, Debug)]
struct Fix {
    span: Range<usize>,
    /// Quoted for the shell.
    text: String,
    edits: u8,
    kind: CandidateKind,
}

/// A line and the cursor position in it.
struct Scene<'a> {
    context: &'a CompletionContext<'a>,
    line: &'a Line<'a>,
    cursor: usize,
}

impl Scene<'_> {
    /// Spelled without quotes, escapes and expansions.
    fn is_plain(&self, word: &Word) -> bool {
        word.fixed && self.line.text.get(word.span.clone()) == Some(&*word.value)
    }

    /// The cursor is not in it.
    fn is_finished(&self, span: &Range<usize>) -> bool {
        self.cursor > span.end || self.cursor < span.start
    }

    /// Whether a line with the same beginning, including the word, succeeded before: then the word is right.
    fn ran(&self, command: &Command, word: &Word) -> bool {
        let Some(begin) = self.line.text.get(command.span.start..word.span.end) else { return false };
        let found = self.context.history.starting_with(begin, self.context.cwd, 4);
        found.iter().any(|found| found.exit == Some(0) && found.command[begin.len()..].starts_with([' ', '\n', ';']))
    }
}

/// The corrections for the first typo of the line, best first, and how many there are.
fn fixes(context: &CompletionContext<'_>, text: &str, cursor: usize) -> (Vec<Fix>, usize) {
    let line = line::parse(text, context.dialect);
    // The shell will know names that the line defines, but we do not.
    let defines = ["()", "function ", "alias "].iter().any(|begin| text.contains(begin));
    for command in line.commands.iter().take(MAX_COMMANDS) {
        let Some(cwd) = resolve_path::cwd(context, &line, command) else { continue };
        let context = CompletionContext { cwd: &cwd, ..*context };
        let scene = Scene { context: &context, line: &line, cursor };
        let found = slip(&scene, command, defines);
        if !found.is_empty() {
            let rivals = found.len();
            return (found, rivals);
        }
    }
    (Vec::new(), 0)
}

fn slip(scene: &Scene<'_>, command: &Command, defines: bool) -> Vec<Fix> {
    let Some(name) = command.words.first() else { return redirections(scene, command) };
    if name.value.contains('/') {
        let found = path::name(scene, command, name);
        if !found.is_empty() {
            return found;
        }
    } else if command_names::known(scene.context, &name.value) == Fact::No {
        // The arguments of an unknown command cannot be checked.
        return if defines { Vec::new() } else { word::name(scene, command, 0, name) };
    }
    for (number, word) in command.words.iter().enumerate().take(MAX_WORDS).skip(1) {
        if word::is_name(scene, command, number) {
            if !word.value.contains('/') && command_names::known(scene.context, &word.value) == Fact::No {
                return word::name(scene, command, number, word);
            }
            break;
        }
    }
    let found = word::listed(scene, command);
    if !found.is_empty() {
        return found;
    }
    for (number, word) in command.words.iter().enumerate().take(MAX_WORDS).skip(1) {
        let found = word::argument(scene, command, number, word);
        if !found.is_empty() {
            return found;
        }
    }
    redirections(scene, command)
}

fn redirections(scene: &Scene<'_>, command: &Command) -> Vec<Fix> {
    let reads = command.redirections.iter().filter(|redirection| redirection.kind == Redirect::Read);
    let targets = reads.filter_map(|redirection| redirection.target.as_ref());
    targets.map(|word| path::target(scene, command, word)).find(|found| !found.is_empty()).unwrap_or_default()
}

#[cfg(test)]
mod tests;
