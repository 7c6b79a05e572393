//! Renders a rule's template as a command: fills slots with words of the line, pieces of the output, and similar names.
//! A template with an empty slot gives nothing.

use std::collections::BTreeMap;
use std::ops::Range;

use shell_line::{self as line, Dialect, Join, quote};

use crate::suggest::did_you_mean::{self, NameKind};
use crate::suggest::packages;
use crate::suggest::parsed_run::{CommandWord, ParsedRun, SimpleCommand};

/// What a rule has matched.
pub struct RuleMatch<'s> {
    pub step: &'s SimpleCommand,
    /// Index of the word behind the words that the rule matches.
    pub after: usize,
    pub captures: BTreeMap<String, String>,
}

pub fn fill_template(template: &str, parsed_run: &ParsedRun<'_>, found: &RuleMatch<'_>) -> Option<String> {
    let mut command = String::new();
    let mut rest = template;
    while let Some((before, behind)) = rest.split_once('<') {
        let (slot, behind) = behind.split_once('>')?;
        command.push_str(before);
        command.push_str(&filled(slot, parsed_run, found)?);
        rest = behind;
    }
    command.push_str(rest);
    Some(command.trim().to_owned())
}

/// One line, with the captures inserted.
pub fn reason(template: &str, found: &RuleMatch<'_>) -> String {
    let mut reason = template.to_owned();
    for (name, value) in &found.captures {
        let slot = format!("<{name}>");
        if reason.contains(&slot) {
            reason = reason.replace(&slot, value);
        }
    }
    reason
}

/// Whether it is one simple command that the shell does not expand, redirect or substitute.
pub fn is_plain(command: &str, dialect: Dialect) -> bool {
    let parsed = line::parse(command, dialect);
    !command.contains(['$', '`'])
        && parsed.commands.len() == 1
        && parsed.commands.iter().all(|command| {
            command.join == Join::First
                && command.redirections.is_empty()
                && command.assignments.is_empty()
                && !command.words.is_empty()
        })
}

fn filled(slot: &str, parsed_run: &ParsedRun<'_>, found: &RuleMatch<'_>) -> Option<String> {
    let dialect = parsed_run.place.dialect;
    let mut words = slot.split_whitespace();
    let (kind, rest) = (words.next()?, slot.split_once(' ').map_or("", |(_, rest)| rest.trim()));
    let mut capture = || found.captures.get(words.next()?).filter(|value| !value.is_empty());
    match kind {
        "line" => Some(parsed_run.line.to_owned()),
        // The name of this directory.
        "here" => {
            parsed_run.place.cwd.rsplit('/').next().filter(|name| !name.is_empty()).map(|name| quoted(name, dialect))
        }
        "rest" => rest_of(parsed_run, found),
        "raw" => capture().cloned(),
        "add" => edited(parsed_run, after(found)?, &format!(" {rest}")),
        "before" => {
            let at = found.step.span.start;
            edited(parsed_run, at..at, &format!("{rest} "))
        }
        "append" => {
            let end = found.step.words.iter().filter_map(|word| word.span.clone()).map(|span| span.end).max()?;
            edited(parsed_run, end..end, &format!(" {rest}"))
        }
        "swap" => swapped(rest, parsed_run, found),
        "drop" => {
            let span = word(found, capture()?)?.span.clone()?;
            let command = edited(parsed_run, span.start.saturating_sub(1)..span.end, "")?;
            // Drops a `--` that has nothing behind it any more.
            Some(command.strip_suffix(" --").map_or(command.clone(), str::to_owned))
        }
        // Swaps two words.
        "exchange" => {
            let (one, other) = (word(found, capture()?)?.span.clone()?, word(found, capture()?)?.span.clone()?);
            let (left, right) = if one.start < other.start { (one, other) } else { (other, one) };
            let command = edited(parsed_run, right.clone(), parsed_run.line.get(left.clone())?)?;
            Some([command.get(..left.start)?, parsed_run.line.get(right)?, command.get(left.end..)?].concat())
        }
        // Moves a flag before the arguments.
        "lift" => {
            let (span, at) = (word(found, capture()?)?.span.clone()?, after(found)?);
            let flag = parsed_run.line.get(span.clone())?;
            let command = edited(parsed_run, span.start.saturating_sub(1)..span.end, "")?;
            let flags_end = flags_end(found, at.end, span.start);
            Some([command.get(..flags_end)?, " ", flag, command.get(flags_end..)?].concat())
        }
        "near" => {
            let names = words.next()?;
            let typed = found.captures.get(words.next()?)?;
            Some(quoted(&near_to(names, typed, parsed_run, found)?, dialect))
        }
        // A program that the rule names itself, or a captured one.
        "install" => {
            let name = words.next()?;
            packages::install(found.captures.get(name).map_or(name, String::as_str), &parsed_run.place)
        }
        "module" => packages::module(capture()?, &parsed_run.place),
        // A header that the rule names itself, or a captured one.
        "header" => {
            let name = words.next()?;
            packages::header(found.captures.get(name).map_or(name, String::as_str), &parsed_run.place)
        }
        "dirname" => dirname(capture()?).map(|directory| quoted(directory, dialect)),
        "quote" => {
            let pattern = capture()?;
            let at = parsed_run.line.rfind(pattern.as_str()).filter(|_| !pattern.contains('\''))?;
            edited(parsed_run, at..at + pattern.len(), &format!("'{pattern}'"))
        }
        // Terminates an unterminated sed script.
        "sed" => {
            let script = capture()?;
            let at = parsed_run.line.find(script.as_str())? + script.len();
            edited(parsed_run, at..at, script.get(1..2)?)
        }
        // Replaces a part of a word, such as the scheme of an address.
        "turn" => {
            let (old, new) = (capture()?, words.next()?);
            let at = parsed_run.line.find(old.as_str())?;
            edited(parsed_run, at..at + old.len(), new)
        }
        "lead" => {
            let at = word(found, capture()?)?.span.clone()?.start;
            edited(parsed_run, at..at, &format!("{} ", words.next()?))
        }
        "without" => {
            let (flags, letter) = (capture()?, words.next()?);
            let at = parsed_run.line.find(flags.as_str())?;
            edited(parsed_run, at..at + flags.len(), &flags.replacen(letter, "", 1))
        }
        name => {
            let value = found.captures.get(name).filter(|value| !value.is_empty() && is_word(value))?;
            // A value that looks like a flag was not meant as one.
            (!value.starts_with('-')).then(|| quoted(value, dialect))
        }
    }
}

/// `old new`: puts another word in the place of a captured one.
fn swapped(rest: &str, parsed_run: &ParsedRun<'_>, found: &RuleMatch<'_>) -> Option<String> {
    let dialect = parsed_run.place.dialect;
    let mut parts = rest.split_whitespace();
    let (old, new) = (found.captures.get(parts.next()?)?, parts.next()?);
    let new = match (new.strip_prefix('~'), new.strip_prefix('=')) {
        (Some(names), _) => {
            let typed = word(found, old).map_or(old.as_str(), |word| word.value.as_str());
            let typed = if names == "flag" { typed } else { old };
            quoted(&near_to(names, typed, parsed_run, found)?, dialect)
        }
        (_, Some(literal)) => literal.to_owned(),
        (None, None) => quoted(found.captures.get(new).filter(|new| is_word(new))?, dialect),
    };
    let word = word(found, old)?;
    // `git diff mian main` does not mean `main` twice.
    let is_name = !rest.ends_with(" ~sub") && !rest.ends_with(" ~program") && !rest.ends_with(" ~flag");
    if is_name && found.step.words.iter().skip(1).any(|word| word.value == new) {
        return None;
    }
    // A flag that the error spells without dashes has them in the line.
    let new = match word.value.starts_with('-') && !new.starts_with('-') {
        true => format!("--{new}"),
        false => new,
    };
    let slash = if word.value.ends_with('/') && !new.ends_with('/') { "/" } else { "" };
    edited(parsed_run, word.span.clone()?, &format!("{new}{slash}"))
}

fn near_to(names: &str, typed: &str, parsed_run: &ParsedRun<'_>, found: &RuleMatch<'_>) -> Option<String> {
    did_you_mean::nearest(NameKind::of(names)?, typed, found.step, &parsed_run.place)
}

/// The parent directory that a path needs.
fn dirname(path: &str) -> Option<&str> {
    match path.strip_suffix('/') {
        Some(directory) => Some(directory),
        None => path.rsplit_once('/').map(|(directory, _)| directory),
    }
    .filter(|directory| !directory.is_empty())
}

/// `quote::word` leaves a `~` to be expanded; here it is literal text.
fn quoted(value: &str, dialect: Dialect) -> String {
    quote::word(value, dialect)
}

fn is_word(value: &str) -> bool {
    aside_text::is_clean(value) && !value.contains(['\n', '\t'])
}

/// The first word with this value: exact, with or without a trailing slash, then a flag without its dashes.
fn word<'s>(found: &RuleMatch<'s>, value: &str) -> Option<&'s CommandWord> {
    let words = || found.step.words.iter().filter(|word| word.span.is_some());
    let plain = value.trim_end_matches('/');
    let as_it_stands = words().find(|word| word.value.trim_end_matches('/') == plain);
    as_it_stands.or_else(|| {
        words().find(|word| {
            let flag = word.value.split_once('=').map_or(word.value.as_str(), |(name, _)| name);
            flag.starts_with('-') && flag.trim_start_matches('-') == value
        })
    })
}

/// The position behind the words that the rule matches.
fn after(found: &RuleMatch<'_>) -> Option<Range<usize>> {
    let before = found.step.words.get(..found.after)?;
    let end = before.iter().filter_map(|word| word.span.as_ref()).map(|span| span.end).max()?;
    Some(end..end)
}

/// The end of the flags that begin at `from`, at most `to`.
fn flags_end(found: &RuleMatch<'_>, from: usize, to: usize) -> usize {
    let spans = found.step.words.iter().filter_map(|word| Some((word, word.span.clone()?)));
    let behind = spans.filter(|(_, span)| span.start >= from && span.end <= to);
    behind.take_while(|(word, _)| word.value.starts_with('-')).map(|(_, span)| span.end).last().unwrap_or(from)
}

fn rest_of(parsed_run: &ParsedRun<'_>, found: &RuleMatch<'_>) -> Option<String> {
    let words = found.step.words.get(found.after..)?;
    let start = words.iter().find_map(|word| word.span.as_ref())?.start;
    let end = words.iter().rev().find_map(|word| word.span.as_ref())?.end;
    parsed_run.line.get(start..end).map(str::to_owned)
}

fn edited(parsed_run: &ParsedRun<'_>, span: Range<usize>, new: &str) -> Option<String> {
    Some([parsed_run.line.get(..span.start)?, new, parsed_run.line.get(span.end..)?].concat())
}
