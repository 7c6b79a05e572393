//! Tells what is in a file from the file and from other files: what is removed or replaced there must be what the request names.

use std::ops::Range;

use shell_line as line;

use crate::embedded::analysis::AnalyzedQuery;
use crate::embedded::authorize::{ARTICLES, occurrences, places};
use crate::embedded::draft::Draft;
use crate::embedded::entities::Entity;

/// `throw away what I did in app.py`: the file is a location, not what to remove.
pub(super) fn removes_place(reading: &AnalyzedQuery<'_>, draft: &Draft) -> bool {
    const REMOVES: &[&str] = &["rm", "unlink", "shred", "trash"];
    const BEFORE: &[&str] = &["in", "inside", "within", "to", "on", "with", "from"];
    let at = |place: usize| reading.words.get(place).map_or("", |word| word.low.as_str());
    let is_place = |range: Range<usize>| {
        let skipped = |place: &usize| ARTICLES.contains(&at(*place)) || matches!(at(*place), "file" | "my" | "this");
        (0..range.start).rev().find(|place| !skipped(place)).is_some_and(|place| BEFORE.contains(&at(place)))
    };
    let line = line::parse(&draft.command, reading.place.dialect);
    let program = |command: &line::Command| command.words.first().map(|word| word.value.clone()).unwrap_or_default();
    let mut removed = line.commands.iter().filter(|command| {
        let searches = program(command) == "find"
            && command.words.iter().any(|word| word.value == "-delete" || REMOVES.contains(&word.value.as_str()));
        searches || REMOVES.contains(&program(command).as_str())
    });
    removed.any(|command| {
        let is_search = program(command) == "find";
        command.words.iter().skip(1).any(|word| {
            // A search is for what is in a directory; `old entries from notes.txt` are lines.
            if is_search && !is_file_name(&word.value) {
                return false;
            }
            let mut said = occurrences(reading, &word.value.to_lowercase()).peekable();
            said.peek().is_some() && said.all(is_place)
        })
    })
}

/// `notes.txt`, and neither a pattern nor a directory.
pub(super) fn is_file_name(value: &str) -> bool {
    let name = value.rsplit('/').next().unwrap_or_default();
    let ending = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map_or("", |(_, ending)| ending);
    !value.contains(['*', '?', '[']) && !ending.is_empty() && ending.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// `strip output cells from a.ipynb`, `change the port to 8080`: text that is replaced in a file must be all that the verb is about, and
/// not the name of a value.
pub(super) fn edits_leftover(reading: &AnalyzedQuery<'_>, draft: &Draft) -> bool {
    const MARKS: &[&str] = &[
        "all",
        "every",
        "each",
        "any",
        "the",
        "a",
        "an",
        "word",
        "words",
        "string",
        "strings",
        "text",
        "occurrence",
        "occurrences",
        "instance",
        "instances",
        "of",
        "phrase",
        "character",
        "characters",
        "letter",
        "line",
        "lines",
        "variable",
        "function",
        "name",
        "value",
        "pattern",
        "first",
        "single",
        "from",
        "in",
        "inside",
        "with",
        "to",
    ];
    const SETS: &[&str] = &["change", "set", "update", "make", "adjust", "bump", "increase", "raise", "lower"];
    let line = line::parse(&draft.command, reading.place.dialect);
    let edits = line.commands.iter().any(|command| {
        let mut words = command.words.iter().map(|word| word.value.as_str());
        words.any(|word| word == "sed") && words.any(|word| word.starts_with("-i"))
    });
    let at = |place: usize| reading.words.get(place).map_or("", |word| word.low.as_str());
    let says_line = (0..reading.words.len()).any(|place| matches!(at(place), "line" | "lines" | "row" | "rows"));
    let Some(old) = line.commands.iter().flat_map(|command| &command.words).find_map(|word| {
        let replaced = word.value.strip_prefix("s/").and_then(|rest| rest.split('/').next());
        let deleted = || word.value.strip_prefix('/')?.strip_suffix("/d").filter(|_| !says_line);
        replaced.or_else(deleted).filter(|old| !old.is_empty()).map(str::to_lowercase)
    }) else {
        return false;
    };
    // `,`, `[0-9]`: the last word of the object names them.
    let is_class = old.chars().count() == 1 || old.starts_with('[') && old.ends_with(']') && !old.contains("space");
    let is_literal = old.chars().all(|letter| letter.is_alphabetic() || letter == ' ');
    if !edits || !is_literal && !is_class {
        return false;
    }
    let is_quoted = reading.words.iter().any(|word| matches!(&word.thing, Some(Entity::Text(_))));
    let Some(verb) =
        reading.speech_acts.orders().flat_map(|order| &order.heads).find_map(|head| places(reading, &head.span).next())
    else {
        return false;
    };
    // What the verb is about ends before its first preposition.
    let object: Vec<usize> = (verb + 1..reading.words.len())
        .take_while(|place| {
            !matches!(at(*place), "from" | "in" | "inside" | "with" | "to" | "by" | "into" | "as" | "for" | "->")
        })
        .collect();
    let is_part = |place: usize| old.split(' ').any(|word| word == at(place));
    let left = object
        .iter()
        .rev()
        .skip(usize::from(is_class))
        .filter(|place| !MARKS.contains(&at(**place)) && !is_part(**place));
    let names_value = SETS.contains(&at(verb)) && at(verb + 1) == "the" && object.len() == 2;
    at(verb).is_ascii() && !is_quoted && (left.count() > 0 || names_value)
}
