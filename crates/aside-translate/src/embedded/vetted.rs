//! Holds a command that the reader proposes to what holds for our own, and to more where it changes something: what asks for it is not known
//! word by word, so a request that limits, forbids or puts off gets none, and a loss needs a verb that asks for that loss.

use std::collections::HashSet;
use std::sync::LazyLock;

use aside_commands::safety::{self, Harm};
use aside_redact as redact;
use shell_line as line;

use crate::embedded::analysis::AnalyzedQuery;
use crate::embedded::bulk::Named;
use crate::embedded::draft::{Draft, Objects};
use crate::embedded::{BOOK, accounted, authorize, bulk, dropped};
use crate::{TranslateQuery, read_only};

/// See the head of the file.
static RESTRAINTS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    let lines = include_str!("../../data/translate/restraints.txt").lines().filter(|line| !line.starts_with('#'));
    lines.flat_map(str::split_whitespace).collect()
});

/// Units of the time until something is to happen.
const TIMES: &[&str] = &["second", "minute", "min", "hour", "day", "week", "month"];

/// The command as it may be shown for the request; `None` if it may not.
pub fn vetted(query: &TranslateQuery<'_>, command: &str) -> Option<String> {
    let reading = AnalyzedQuery::new(query.words, query.place, &BOOK.lexicon);
    if reading.speech_acts.only_forbids() {
        return None;
    }
    let mut secrets = redact::secrets(query.words).into_iter().filter_map(|secret| query.words.get(secret.span));
    if secrets.any(|secret| secret.len() > 2 && command.contains(secret)) {
        return None;
    }
    let command = bulk::confined(command, Named::of(&reading), &query.place)?;
    let command = bulk::safe_patterns(&command, &query.place);
    let command = dropped::guarded(query.words, &command, query.place.dialect);
    if read_only::is_read_only(&command, query.place.dialect) {
        return Some(command);
    }
    let mut used = reading.unused();
    (0..reading.words.len()).for_each(|place| used.mark(place));
    let about = String::new();
    let draft = Draft { command, about, used, objects: Objects::Spelled, doubt: 0.0, specific: 0, rule: "reader" };
    let harms: Vec<Harm> = safety::dangers_in(&draft.command, query.place.dialect, query.place.cwd, query.place.world)
        .into_iter()
        .map(|danger| danger.harm)
        .collect();
    let is_asked = !is_restrained(&reading, query.words)
        && accounted::is_accounted_for(&reading, &draft.command)
        && authorize::permits(&reading, &draft)
        && harms.iter().all(|harm| asks_for(&reading, *harm))
        && (harms.is_empty() || is_ordered(&reading, query.words, &draft));
    is_asked.then_some(draft.command)
}

/// Whether something in the request limits what it asks for, or puts it off.
fn is_restrained(reading: &AnalyzedQuery<'_>, request: &str) -> bool {
    let low = request.to_lowercase().replace('’', "'");
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '\'';
    let words: Vec<&str> = low.split(|letter: char| !is_word(letter)).filter(|word| !word.is_empty()).collect();
    let is_late = |pair: &[&str]| match pair {
        ["in", count, unit] => {
            let counts = ["a", "an", "one", "two", "half", "few", "some"].contains(count);
            (counts || count.bytes().all(|byte| byte.is_ascii_digit())) && TIMES.contains(&unit.trim_end_matches('s'))
        }
        ["at", hour, _] => hour.starts_with(|letter: char| letter.is_ascii_digit()),
        _ => false,
    };
    // A word may end the text.
    let padded: Vec<&str> = words.iter().copied().chain([""]).collect();
    let clauses = &reading.speech_acts.clauses;
    words.iter().any(|word| RESTRAINTS.contains(word))
        || RESTRAINTS.iter().any(|word| !word.chars().next().is_some_and(is_spaced) && low.contains(word))
        || padded.windows(3).any(is_late)
        || clauses.iter().any(|clause| clause.later.is_some() || clause.waits.is_some())
}

/// Whether the letter is of a script that puts blanks between words.
fn is_spaced(letter: char) -> bool {
    letter < '\u{1100}'
}

/// Whether a verb of the request asks for this kind of loss. Of some kinds no request is enough.
fn asks_for(reading: &AnalyzedQuery<'_>, harm: Harm) -> bool {
    const DELETES: &[&str] = &[
        "delete", "remove", "erase", "rm", "wipe", "clean", "cleanup", "clear", "purge", "trash", "shred", "truncate",
        "empty", "prune", "discard", "rid", "nuke",
    ];
    let verbs: &[&str] = match harm {
        Harm::DeletesFiles | Harm::DeletesBuild => DELETES,
        Harm::DeletesOther => &["delete", "remove", "drop", "prune", "rm", "clean", "purge", "destroy"],
        Harm::Overwrites => &["overwrite", "replace", "save", "write", "store", "redirect"],
        Harm::EditsInPlace => &[
            "replace",
            "change",
            "edit",
            "substitute",
            "convert",
            "add",
            "insert",
            "remove",
            "delete",
            "strip",
            "trim",
            "append",
            "comment",
            "uncomment",
            "set",
        ],
        Harm::RunsLater => &["add", "append", "write", "put", "schedule", "edit"],
        Harm::Uninstalls => &["uninstall", "remove", "purge"],
        Harm::Stops => &["stop", "kill", "end", "terminate", "quit", "close", "restart"],
        Harm::WorldWritable | Harm::ChangesOwner => {
            &["chmod", "chown", "chgrp", "permission", "owner", "writable", "world-writable", "give", "make", "set"]
        }
        Harm::LosesWork => {
            &["discard", "reset", "revert", "undo", "drop", "clean", "restore", "abort", "delete", "remove"]
        }
        Harm::RewritesShared => &["force", "rewrite"],
        Harm::TakesDown => &["shutdown", "reboot", "restart", "halt", "poweroff"],
        Harm::Unprotects => &["disable", "flush", "allow", "open"],
        Harm::RunsUnseen | Harm::Opaque | Harm::DeletesHome | Harm::RawDisk | Harm::EndsSystem => &[],
    };
    (0..reading.words.len()).any(|place| {
        let low = reading.words[place].low.as_str();
        verbs.contains(&low)
            || low.split(' ').any(|word| verbs.contains(&word))
            || verbs.contains(&reading.meaning(place))
    })
}

/// For a command that loses something: whether each of its operands is said in the request, each word of the request in it, and its verb asks.
fn is_ordered(reading: &AnalyzedQuery<'_>, request: &str, draft: &Draft) -> bool {
    let low = request.to_lowercase();
    let line = line::parse(&draft.command, reading.place.dialect);
    let words = line.commands.iter().flat_map(|run| run.words.iter().skip(1));
    let mut operands = words.filter(|word| !word.value.starts_with('-')).map(|word| word.value.as_str());
    accounted::accounts_for_each(reading, &draft.command)
        && authorize::is_evident(reading, draft)
        && (draft.command.starts_with("find ") || operands.all(|operand| is_said(&low, operand)))
}

/// Whether the request has the operand, as a name of its own, or the words of a pattern.
fn is_said(request: &str, operand: &str) -> bool {
    let value = operand
        .split_once('=')
        .map_or(operand, |(_, value)| value)
        .trim_start_matches("./")
        .trim_end_matches('/')
        .to_lowercase();
    let part = |letter: char| letter.is_alphanumeric() || matches!(letter, '.' | '_' | '-' | '/' | '~');
    let stands = request.match_indices(value.as_str()).any(|(at, _)| {
        let before = request[..at].chars().next_back();
        let mut after = request[at + value.len()..].chars();
        let next = after.next();
        let is_end = next == Some('.') && !after.next().is_some_and(char::is_alphanumeric);
        !before.is_some_and(part) && (is_end || !next.is_some_and(part) || next == Some('/'))
    });
    let mut parts = value.split(|letter: char| !letter.is_alphanumeric()).filter(|part| !part.is_empty()).peekable();
    let is_pattern = value.contains('*') && parts.peek().is_some() && parts.all(|part| request.contains(part));
    !value.is_empty() && (stands || is_pattern)
}
