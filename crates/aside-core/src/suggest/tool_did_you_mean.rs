//! Reads the "did you mean" of tools in its various forms: one name or a list, on the same line or below. The suggested
//! name replaces the word that the tool complains about; if two names are equally likely, nothing is suggested.

use std::ops::Range;
use std::sync::LazyLock;

use aside_text::lazy_regex::Regex;
use shell_line::quote;

use crate::suggest::carry_flags::{self, FlagScope};
use crate::suggest::check::{Trust, passes};
use crate::suggest::did_you_mean::is_swap;
use crate::suggest::parsed_run::{ParsedRun, SimpleCommand};
use crate::suggest::placeholder::has_placeholder;
use crate::suggest::{Suggestion, SuggestionSource, never_suggested, template, trust};

/// Limits for names of a list, its lines, and bytes of a name.
const MAX_NAMES: usize = 24;
const MAX_LINES: usize = 12;
const MAX_NAME: usize = 60;
/// Lines above the question that are searched for the complaint.
const MAX_ABOVE: usize = 4;
/// Names that cost this much more than the best are dropped.
const CLEARLY: f32 = 0.25;
/// Similarity that the only name needs with the word.
const ALIKE: f64 = 0.4;
/// Bytes of a word that is similar to many names.
const SHORT: usize = 4;
const CONFIDENCE: f32 = 0.85;

const QUOTES: [(char, char); 6] = [('\'', '\''), ('`', '`'), ('"', '"'), ('“', '”'), ('‘', '’'), ('`', '\'')];

/// The beginning of the question, and what may stand between it and the names.
static QUESTION: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)(?:did you (?:perhaps )?mean|do you mean|(?:perhaps|maybe) you (?:meant|wanted)|you (?:might|may) have meant",
        r"|similar (?:\w+ ){0,2}(?:to \S{1,60} )?(?:is|are|exists?)\b|(?:some )?candidates are|ambiguous[^\n]{1,80} could be",
        r"|(?:the )?(?:closest|nearest) (?:\w+ )?(?:match(?:es)?|commands?|choices?|names?|options?)(?: is| are)?\b",
        r"|you probably (?:meant|wanted)|were you looking for|did you want|(?:^|\n)could be)",
        r"(?:[ ,]*\b(?:this|these|those|one of|any of|to use|to run|the|command|subcommand|option|flag|argument|task|perhaps)\b)*",
        r"[ ]*[?:]?[ ]*",
    ))
    .ok()
});

pub fn suggestion(output: &str, parsed_run: &ParsedRun<'_>) -> Option<Suggestion> {
    let question = QUESTION.as_ref()?.find(output)?;
    let names = names(output.get(question.end()..)?)?;
    let step = parsed_run.last()?;
    let above = complaint(output.get(..question.end())?);
    let own = |name: &str| name.strip_prefix(step.name()).and_then(|rest| rest.strip_prefix(' ')).map(str::to_owned);
    // `conda list` for `conda lst`: strips the program's name, which was not misspelt.
    let bare: Vec<String> = names.iter().map(|name| own(name).unwrap_or_else(|| name.clone())).collect();
    let single: Vec<&str> = bare.iter().map(String::as_str).filter(|name| !name.contains(' ')).collect();
    if let Some((span, name)) = replaced(&single, &above, parsed_run) {
        let new = if name.starts_with('-') { name.to_owned() } else { quote::word(name, parsed_run.place.dialect) };
        let command = [parsed_run.line.get(..span.start)?, &new, parsed_run.line.get(span.end..)?].concat();
        return offered(command, name, Trust::Typed, parsed_run);
    }
    // A whole command of the program itself.
    let [only] = names.as_slice() else { return None };
    let is_own = parsed_run.steps.iter().any(|step| only.split(' ').next() == Some(step.name()));
    if !is_own
        || !only.contains(' ')
        || !template::is_plain(only, parsed_run.place.dialect)
        || never_suggested::is_incomplete(only, &parsed_run.place)
    {
        return None;
    }
    if !passes(only, Trust::Output { typed: &[parsed_run.line] }, &parsed_run.place) {
        return None;
    }
    let command = carry_flags::with_flags(only, step, FlagScope::All, parsed_run)?;
    offered(command, only, Trust::Rule { may: None, line: parsed_run.line }, parsed_run)
}

fn offered(command: String, name: &str, trust: Trust<'_>, parsed_run: &ParsedRun<'_>) -> Option<Suggestion> {
    let fits = command != parsed_run.line
        && !has_placeholder(name)
        && passes(&command, trust, &parsed_run.place)
        && never_suggested::allows(&command, parsed_run)
        && trust::installs_known(&command, &[parsed_run.line], &parsed_run.place);
    let reason = format!("{} asks: did you mean {name}?", parsed_run.last().map_or("it", SimpleCommand::name));
    fits.then_some(Suggestion { command, source: SuggestionSource::Output, reason, confidence: CONFIDENCE })
}

/// The names behind a question: on its own line, else one on each line below.
fn names(behind: &str) -> Option<Vec<String>> {
    let (line, below) = behind.split_once('\n').unwrap_or((behind, ""));
    let mut names = if line.trim().is_empty() { listed(below) } else { inline(line.trim())? };
    names.retain(|name| !name.is_empty());
    names.truncate(MAX_NAMES);
    // A truncated or malformed name makes the whole list unusable.
    let is_name = |name: &String| name.len() <= MAX_NAME && aside_text::is_clean(name);
    (!names.is_empty() && names.iter().all(is_name)).then_some(names)
}

/// `'a', 'b'?`, `a, b or c?`, `a?)`
fn inline(line: &str) -> Option<Vec<String>> {
    let line = line.split_once('?').map_or(line, |(line, _)| line);
    let first = line.chars().next()?;
    if let Some((open, _)) = QUOTES.iter().find(|(open, _)| *open == first) {
        let closes: Vec<char> = QUOTES.iter().filter(|(other, _)| other == open).map(|(_, close)| *close).collect();
        let mut names = Vec::new();
        let mut rest = line;
        while let Some((_, inner)) = rest.split_once(*open) {
            let (name, behind) = inner.split_once(closes.as_slice())?;
            names.push(name.trim().to_owned());
            rest = behind;
        }
        return Some(names);
    }
    let line = line.split_once(". ").map_or(line, |(line, _)| line);
    let trimmed =
        |name: &str| name.trim().trim_matches(['`', '\'', '"', '.', ',', ':', ';', ')', '”', '’']).trim().to_owned();
    Some(line.split(", ").flat_map(|part| part.split(" or ")).map(trimmed).collect())
}

/// Indented or marked lines, each with a name and an optional description.
fn listed(below: &str) -> Vec<String> {
    let is_row = |line: &&str| line.starts_with([' ', '\t', '*', '-', '•']) && !line.trim().is_empty();
    let rows = below.lines().take(MAX_LINES).skip_while(|line| line.trim().is_empty()).take_while(is_row);
    let name = |line: &str| {
        let line = line.trim().trim_start_matches(['*', '•']).trim_start_matches("- ").trim();
        let ends = ["  ", "\t", " #"].iter().filter_map(|end| line.find(end)).min();
        let name = line.get(..ends.unwrap_or(line.len())).unwrap_or(line);
        name.trim_matches(['`', '\'', '"', '?', ',', '.', '“', '”', '‘', '’']).trim().to_owned()
    };
    rows.map(name).collect()
}

/// The lines in which the tool complains, before the question.
fn complaint(before: &str) -> String {
    let lines: Vec<&str> = before.lines().rev().filter(|line| !line.trim().is_empty()).take(MAX_ABOVE).collect();
    lines.join("\n")
}

/// The misspelt word of the line, and the name that was meant.
fn replaced<'n>(names: &[&'n str], above: &str, parsed_run: &ParsedRun<'_>) -> Option<(Range<usize>, &'n str)> {
    let words = || parsed_run.steps.iter().flat_map(|step| step.words.iter()).filter(|word| word.span.is_some());
    let is_named = |value: &str| mentions(above, value) || mentions(above, value.trim_start_matches('-'));
    let programs: Vec<&str> = parsed_run.steps.iter().map(SimpleCommand::name).collect();
    let is_wrong = |value: &str| !programs.contains(&value) && is_named(value);
    let any_named = words().any(|word| is_wrong(&word.value));
    let mut found: Vec<(f32, Range<usize>, &str)> = Vec::new();
    for word in words().filter(|word| !any_named || is_wrong(&word.value)) {
        for name in names.iter().filter(|name| fits_dashes(name, &word.value)) {
            if let (Some(cost), Some(span)) = (cost(&word.value, name, any_named), word.span.clone()) {
                found.push((cost, span, name));
            }
        }
    }
    // The tool complains about one word and offers one name: then a larger distance is accepted.
    let mut wrong = words().filter(|word| any_named && is_wrong(&word.value));
    if let (true, [only], Some(word), None) = (found.is_empty(), names, wrong.next(), wrong.next())
        && fits_dashes(only, &word.value)
        && (is_swap(&word.value, only) || strsim::normalized_damerau_levenshtein(&word.value, only) >= ALIKE)
    {
        return Some((word.span.clone()?, only));
    }
    let (cost, span, name) = found.iter().min_by(|one, other| one.0.total_cmp(&other.0))?.clone();
    // A short word that is far from all of several names clearly means none of them.
    let typed = parsed_run.line.get(span.clone())?;
    let has_it = name.starts_with(typed) || name.ends_with(typed);
    if names.len() > 1 && typed.len() <= SHORT && !has_it && strsim::osa_distance(typed, name) > 1 {
        return None;
    }
    let is_rival = |other: &(f32, Range<usize>, &str)| other.2 != name && other.0 - cost < CLEARLY;
    (!found.iter().any(is_rival)).then_some((span, name))
}

/// A flag does not replace a plain word, unless only the dash is missing.
fn fits_dashes(name: &str, typed: &str) -> bool {
    name.starts_with('-') == typed.starts_with('-') || name.strip_prefix('-') == Some(typed)
}

/// The distance of a name from the typed word; `None` if it is too different. A word that the tool itself rejects may
/// be farther away.
fn cost(typed: &str, name: &str, named: bool) -> Option<f32> {
    let edits = strsim::osa_distance(typed, name);
    let letters = name.chars().count();
    if edits == 0 {
        return None;
    }
    let number = |count: usize| f32::from(u8::try_from(count).unwrap_or(u8::MAX));
    // `local` for `origin/local`, `list` for `list-keys`.
    if named && name.strip_suffix(typed).is_some_and(|begin| begin.ends_with('/')) {
        return Some(0.5);
    }
    if named && typed.chars().count() > 1 && name.starts_with(typed) {
        return Some(0.4 + 0.15 * number(letters - typed.chars().count()));
    }
    // `rebase` for `base`, `branch` for `branchch`.
    if named && typed.chars().count() >= SHORT && name.ends_with(typed) {
        return Some(0.5 + 0.15 * number(letters - typed.chars().count()));
    }
    if named && letters >= SHORT && typed.starts_with(name) {
        return Some(0.3 + 0.15 * number(typed.chars().count() - letters));
    }
    let most = if named { (letters / 2).max(2) } else { (1 + letters / 3).max(2) };
    let sorted = |word: &str| {
        let mut letters: Vec<char> = word.chars().collect();
        letters.sort_unstable();
        letters
    };
    let swapped = if sorted(typed) == sorted(name) { 0.5 } else { 0.0 };
    let begins = if typed.chars().next() == name.chars().next() { 0.3 } else { 0.0 };
    (edits <= most).then(|| number(edits) - swapped - begins)
}

/// Whether a text contains the word as a whole word.
pub fn mentions(text: &str, word: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_' | '/');
    !word.is_empty()
        && text.match_indices(word).any(|(at, _)| {
            let before = text.get(..at).and_then(|before| before.chars().next_back());
            let behind = text.get(at + word.len()..).and_then(|behind| behind.chars().next());
            !before.is_some_and(is_part) && !behind.is_some_and(is_part)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_from_a_line_or_from_a_list() {
        for (behind, expected) in [
            ("commit?)\n(use x)", vec!["commit"]),
            ("add, addremove, cat?)", vec!["add", "addremove", "cat"]),
            ("'list' ?\n\nExamples", vec!["list"]),
            ("'a', 'b'.", vec!["a", "b"]),
            ("a or b?", vec!["a", "b"]),
            ("\n\tlist\n", vec!["list"]),
            ("\n\n  * one\n  * two\n\nmore", vec!["one", "two"]),
            ("\n  npm test # Test a package\n\nTo see", vec!["npm test"]),
            ("install? [y/n]", vec!["install"]),
        ] {
            assert_eq!(names(behind), Some(expected.into_iter().map(str::to_owned).collect()), "{behind}");
        }
        for behind in ["", "\n\nNothing", "'open", "x".repeat(80).as_str()] {
            assert_eq!(names(behind), None, "{behind}");
        }
    }
}
