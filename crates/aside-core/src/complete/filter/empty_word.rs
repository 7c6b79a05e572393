//! Decides whether there is a reason to show a candidate while no letter of its word is typed.

use std::collections::HashSet;
use std::sync::LazyLock;

use shell_line::{CursorRole, CursorSpot, Join};

use crate::complete::candidate::{Candidate, CandidateFacts, CandidateKind as Adds, MatchKind};
use crate::complete::context::CompletionContext;
use crate::complete::filter::is_hash;
use crate::history::word_stats::{self, PIPED, Stdin};

/// Whether there is a reason to show a candidate while no letter of its word is typed: a habit in this slot, the usual
/// subcommands, a handful of names. The first files of the alphabet and the first flags are no reason.
pub fn has_reason(context: &CompletionContext<'_>, spot: &CursorSpot<'_>, candidate: &Candidate, chance: f32) -> bool {
    let CandidateFacts { kind, rivals, past, habit, .. } = candidate.facts;
    if past.is_none() && kind != Adds::Idea && matches!(spot.role, CursorRole::Name) && is_piped(context, spot) {
        let name = candidate.text.get(spot.start..).and_then(|name| name.split_whitespace().next());
        return name.is_some_and(|name| reads_pipe(context, name));
    }
    let word = context.left.rsplit(char::is_whitespace).next().unwrap_or_default();
    if word == "-" && past.is_none() && habit.is_none() && takes_dash(context, spot) {
        return false;
    }
    let is_open =
        word.is_empty() || word.ends_with(['/', '=', ':']) || word.ends_with("/.") || matches!(word, "-" | "--" | ".");
    if !is_open || candidate.facts.fit != MatchKind::Extends {
        return true;
    }
    match (past, habit, kind) {
        (Some(_), _, _) => true,
        (None, Some(_), _) => chance >= STRONG,
        (None, None, Adds::Idea | Adds::Line | Adds::Subcommand | Adds::Words) => true,
        // The first argument of scp is usually a local file.
        (None, None, Adds::Name) if candidate.text.ends_with(':') && is_first_argument(spot) => false,
        (None, None, Adds::Name | Adds::Value) => rivals <= FEW && !is_hash(last_word(&candidate.text)),
        (None, None, Adds::Flag) => candidate.facts.usual || rivals == 1,
        (None, None, Adds::Path | Adds::Command | Adds::Variable) => rivals == 1,
    }
}

/// Whether the command reads from a pipe, also when nothing is typed after the pipe yet.
fn is_piped(context: &CompletionContext<'_>, spot: &CursorSpot<'_>) -> bool {
    match spot.command {
        Some(command) => command.join == Join::Pipe,
        None => word_stats::pieces(context.left).last().is_some_and(|command| command.stdin() == Stdin::Pipe),
    }
}

/// A filter, or a program of the user's own that has followed a pipe before. For programs with a spec the list of
/// filters decides.
fn reads_pipe(context: &CompletionContext<'_>, name: &str) -> bool {
    is_filter(name) || name.contains('/') || !context.specs.has(name) && context.history.words().follows(name, PIPED)
}

/// Whether a lone dash is an argument of the command: the previous directory, a login shell, standard input.
fn takes_dash(context: &CompletionContext<'_>, spot: &CursorSpot<'_>) -> bool {
    const ALWAYS: [&str; 3] = ["cd", "pushd", "su"];
    const PIPED: [&str; 11] = ["vim", "vi", "nvim", "view", "emacs", "code", "diff", "comm", "join", "paste", "patch"];
    let names = || spot.command.into_iter().flat_map(|command| &command.words).map(|word| word.value.as_str());
    let is = |list: &[&str]| names().find(|name| *name != "sudo").is_some_and(|name| list.contains(&name));
    is(&ALWAYS) || is(&PIPED) && is_piped(context, spot)
}

fn is_first_argument(spot: &CursorSpot<'_>) -> bool {
    let words = spot.command.map_or(&[][..], |command| &command.words);
    !words.iter().skip(1).any(|word| !word.value.is_empty() && !word.value.starts_with('-'))
}

fn last_word(text: &str) -> &str {
    text.split_whitespace().next_back().unwrap_or_default()
}

/// Whether the command makes sense after a pipe.
pub fn is_filter(name: &str) -> bool {
    FILTERS.contains(name)
}

static FILTERS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| include_str!("../../../data/complete/filters.txt").split_whitespace().collect());

/// Probability that a guessed word needs where nothing is typed.
const STRONG: f32 = 0.2;

/// Number of names that can be read at a glance.
const FEW: u16 = 8;
