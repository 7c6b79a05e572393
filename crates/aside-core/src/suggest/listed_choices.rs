//! Corrects a word that the tool rejects, if its output lists the words it accepts: in a usage line (`[start|stop]`),
//! in a table of commands, behind "available … are". Takes the listed name that is clearly nearest, or nothing.

use std::sync::LazyLock;

use aside_text::lazy_regex::Regex;

use crate::suggest::check::{Trust, passes};
use crate::suggest::parsed_run::{CommandWord, ParsedRun, SimpleCommand};
use crate::suggest::tool_did_you_mean::mentions;
use crate::suggest::{Suggestion, SuggestionSource, did_you_mean, never_suggested, worth_asking};

/// A shorter word is similar to too many.
const MIN_WORD: usize = 3;
/// Names of an output that are read; a longer list is a manual.
const MAX_NAMES: usize = 400;
/// Words of a command that its usage may begin with.
const MAX_DEPTH: usize = 3;
/// Flags from which a text counts as help.
const MIN_FLAGS: usize = 2;
/// Lines below a complaint that may contain the word.
const MAX_BELOW: usize = 3;
const CONFIDENCE: f32 = 0.8;

/// How tools say that they do not know a word.
static COMPLAINT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)\b(?:unknown|invalid|unrecogni[sz]ed|unsupported|undefined|no such|not (?:a )?(?:valid|known|defined|found|recogni[sz]ed)",
        r"|is(?: not|n't) (?:a|an|in|one of)\b|does(?: not|n't) exist|don't know|could not find|couldn't find|must be one of)",
    ))
    .ok()
});
static USAGE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?im)^\s*(?:usage:|(?:available |possible |management )?(?:sub)?commands(?: are)?:?\s*$)").ok()
});
/// `[a|b]`, `{a,b}`, `a|b|c`.
static BRACKETS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"[\[{(<]?\s*([a-z][\w:.-]*(?:\s?[|,]\s?[a-z][\w:.-]*){1,})\s*[\]})>]?").ok());
/// `  name   description`, optionally with the program before it.
static ROW: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?m)^[ \t*•-]+(?:([\w./-]+) )?([a-z][\w:.-]*)(?:,? -\w)?(?:[ \t]*$|\s{2,}|\t| [-–:#\[<(])").ok()
});

/// A long flag anywhere in an output.
static FLAG: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"--([a-z][a-z0-9]*(?:-[a-z0-9]+)*)").ok());

pub fn suggestion(parsed_run: &ParsedRun<'_>) -> Option<Suggestion> {
    let output = parsed_run.output.as_deref()?;
    let [step] = parsed_run.steps.as_slice() else { return None };
    if worth_asking::filter().is_content(step) || worth_asking::filter().is_hostile(&parsed_run.lower) {
        return None;
    }
    name_meant(output, step, parsed_run).or_else(|| flag_meant(output, step, parsed_run))
}

/// Corrects an unknown flag if the tool's usage has one that is clearly nearest.
fn flag_meant(output: &str, step: &SimpleCommand, parsed_run: &ParsedRun<'_>) -> Option<Suggestion> {
    let complaint = COMPLAINT.as_ref()?;
    let is_said = |name: &str| output.lines().any(|line| complaint.is_match(line) && mentions(line, name));
    let typed = step.words.iter().skip(1).find(|word| {
        let name = word.value.split('=').next().unwrap_or_default();
        name.strip_prefix("--").is_some_and(|bare| bare.len() >= MIN_WORD && (is_said(name) || is_said(bare)))
    })?;
    let (name, value) =
        typed.value.split_once('=').map_or((typed.value.as_str(), None), |(name, value)| (name, Some(value)));
    let bare = name.strip_prefix("--")?;
    let listed = FLAG.as_ref()?.captures_iter(output).filter_map(|flag| flag.get(1)).map(|flag| flag.as_str());
    let found = did_you_mean::clear_nearest(bare, listed.filter(|flag| *flag != bare).take(MAX_NAMES))?;
    let new = value.map_or_else(|| format!("--{found}"), |value| format!("--{found}={value}"));
    let span = typed.span.clone()?;
    let command = [parsed_run.line.get(..span.start)?, &new, parsed_run.line.get(span.end..)?].concat();
    let fits = passes(&command, Trust::Typed, &parsed_run.place) && never_suggested::allows(&command, parsed_run);
    let reason = format!("{} knows no {name}, but --{found}", step.name());
    fits.then_some(Suggestion { command, source: SuggestionSource::Output, reason, confidence: CONFIDENCE })
}

fn name_meant(output: &str, step: &SimpleCommand, parsed_run: &ParsedRun<'_>) -> Option<Suggestion> {
    let mut names = names(output, step.name());
    names.extend(behind_the_same_words(output, step));
    names.sort_unstable();
    names.dedup();
    names.retain(|name| !is_listed_as_unknown(output, name));
    names.truncate(MAX_NAMES);
    let typed = unknown(output, &names, step)?;
    let old = task(&typed.value);
    let name = did_you_mean::clear_nearest(old, names.iter().copied())?;
    let span = typed.span.clone()?;
    let end = span.start + old.len();
    let command = [parsed_run.line.get(..span.start)?, &name, parsed_run.line.get(end..)?].concat();
    let fits = passes(&command, Trust::Typed, &parsed_run.place) && never_suggested::allows(&command, parsed_run);
    let reason = format!("{} knows no {}, but {name}", step.name(), typed.value);
    fits.then_some(Suggestion { command, source: SuggestionSource::Output, reason, confidence: CONFIDENCE })
}

/// Whether an output says that the tool does not know a word.
pub fn complains(output: &str) -> bool {
    COMPLAINT.as_ref().is_some_and(|complaint| complaint.is_match(output))
}

/// Whether an output is a help text: it has a usage line, or lists several flags.
pub fn is_help(output: &str) -> bool {
    let flags = output.lines().filter(|line| line.starts_with(' ') && line.trim_start().starts_with('-'));
    USAGE.as_ref().is_some_and(|usage| usage.is_match(output)) || flags.take(MIN_FLAGS).count() == MIN_FLAGS
}

/// Whether a line complains about a word: it contains the word, or the word is alone on one of the next lines.
pub fn complains_about(output: &str, word: &str) -> bool {
    let Some(complaint) = COMPLAINT.as_ref() else { return false };
    output.lines().any(|line| complaint.is_match(line) && mentions(line, word)) || is_listed_as_unknown(output, word)
}

/// `Command(s) not found:` with the word alone on one of the next lines.
fn is_listed_as_unknown(output: &str, word: &str) -> bool {
    let lines: Vec<&str> = output.lines().collect();
    lines.iter().enumerate().filter(|(_, line)| line.trim_end().ends_with(':') && complains(line)).any(|(at, _)| {
        let mut below = lines.iter().skip(at + 1).take(MAX_BELOW).take_while(|below| !below.trim().is_empty());
        below.any(|below| below.trim() == word)
    })
}

/// The name of a task with arguments: `deploy:host=web1`.
fn task(word: &str) -> &str {
    word.split_once([':', '=']).map_or(word, |(name, _)| name)
}

/// The word that the output complains about; if it only prints usage, the first word that is none of its commands.
fn unknown<'s>(output: &str, names: &[&str], step: &'s SimpleCommand) -> Option<&'s CommandWord> {
    let is_word = |word: &&CommandWord| {
        word.value.len() >= MIN_WORD
            && word.value.starts_with(|letter: char| letter.is_ascii_lowercase())
            && !task(&word.value).contains(['/', '*', '$', '.', '\\', '\'', '"'])
            && !names.contains(&task(&word.value))
    };
    let arguments = || step.words.iter().skip(1);
    let said = arguments()
        .filter(is_word)
        .find(|word| complains_about(output, &word.value) || complains_about(output, task(&word.value)));
    if said.is_some() {
        return said;
    }
    let usage = USAGE.as_ref()?.find(output)?;
    let line = output.get(usage.start()..)?.lines().find(|line| !line.trim().is_empty())?;
    let mut at = step.skip_flags(1);
    while step.words.get(at).is_some_and(|word| mentions(line, &word.value)) {
        at = step.skip_flags(at + 1);
    }
    step.words.get(at).filter(is_word)
}

fn names<'o>(output: &'o str, program: &str) -> Vec<&'o str> {
    let (Some(brackets), Some(row)) = (BRACKETS.as_ref(), ROW.as_ref()) else { return Vec::new() };
    let lists = brackets.captures_iter(output).filter_map(|list| list.get(1));
    let mut names: Vec<&str> = lists.flat_map(|list| list.as_str().split(['|', ',']).map(str::trim)).collect();
    names.extend(row.captures_iter(output).filter_map(|row| {
        let before = row.get(1).is_none_or(|before| before.as_str() == program);
        row.get(2).filter(|_| before).map(|name| name.as_str())
    }));
    names.sort_unstable();
    names.dedup();
    names
}

/// What follows the command's words in usage lines: `git stash list`, `tool show`.
fn behind_the_same_words<'o>(output: &'o str, step: &SimpleCommand) -> Vec<&'o str> {
    let mut names = Vec::new();
    let mut prefix = String::new();
    for word in step.words.iter().take(MAX_DEPTH) {
        prefix.push_str(&word.value);
        prefix.push(' ');
        for line in output.lines() {
            let line = line.trim_start();
            let line = ["usage:", "Usage:", "or:", "$"].iter().find_map(|mark| line.strip_prefix(mark)).unwrap_or(line);
            let name = line
                .trim_start()
                .strip_prefix(&prefix)
                .and_then(|rest| rest.trim_start_matches(['[', '(', ' ']).split([' ', ',', ':']).next());
            let is_name = |name: &&str| name.starts_with(|letter: char| letter.is_ascii_lowercase());
            names.extend(name.filter(is_name));
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_in_brackets_in_tables_and_in_sentences() {
        for (output, expected) in [
            ("usage: git stash [list|show|drop]", vec!["drop", "list", "show"]),
            ("  build       Build an image\n  history     Show it", vec!["build", "history"]),
            ("Valid phases are: clean, package, verify.", vec!["clean", "package", "verify."]),
            (" tool devices [-l]    - list them\n other one   - not its", vec!["devices"]),
        ] {
            assert_eq!(names(output, "tool"), expected, "{output}");
        }
    }
}
