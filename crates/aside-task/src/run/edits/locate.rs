//! Finds the lines of a file that a model wants to replace. Tries an exact match; then ignores trailing blanks; then compares with the text
//! as shown, with secrets redacted; then allows a uniform change of indentation. Refuses when two places match.

use std::ops::Range;

use memchr::memmem;

use crate::run::edits::text::{FileText, ModelLine};
use crate::run::short;

/// Places that are counted.
const MAX_PLACES: usize = 100;
/// Characters of a quoted line.
const MAX_QUOTED: usize = 80;
/// Shortest part of a line, in characters, that is matched.
const LEAST: usize = 3;

/// Replaces `old` by `new`. The error continues "the file: in block 1, ".
pub fn replace(text: &mut FileText, old: &[String], new: &[String]) -> Result<(), String> {
    if old.iter().all(|line| line.trim().is_empty()) {
        return Err("the text to replace is only blanks; copy the lines that change".to_owned());
    }
    for (old, new) in variants(old, new) {
        for way in [Way::Exactly, Way::Blanks, Way::Shown, Way::Indented] {
            let places = places(text, &old, &new, way);
            match places.as_slice() {
                [] => {}
                [place] => {
                    let told: Vec<&str> = old.iter().map(String::as_str).collect();
                    text.replace(place.at.clone(), &told, &place.new);
                    return Ok(());
                }
                several => {
                    let (count, more) = (several.len(), if several.len() == MAX_PLACES { "at least " } else { "" });
                    return Err(format!("the text to replace is there {more}{count} times; add lines around it"));
                }
            }
        }
    }
    within_a_line(text, old, new)
}

/// Spellings to try: as it is, without empty lines around it, with tabs that the model turned into blanks.
fn variants(old: &[String], new: &[String]) -> Vec<(Vec<String>, Vec<String>)> {
    let mut all = vec![(old.to_vec(), new.to_vec())];
    let trimmed = (without_blank_ends(old), without_blank_ends(new));
    if trimmed.0.len() < old.len() {
        all.push(trimmed.clone());
    }
    for width in [4, 2, 8] {
        let tabbed = |lines: &[String]| lines.iter().map(|line| tabbed(line, width)).collect::<Option<Vec<String>>>();
        if let (Some(old), Some(new)) = (tabbed(&trimmed.0), tabbed(&trimmed.1))
            && old != trimmed.0
        {
            all.push((old, new));
        }
    }
    all
}

fn without_blank_ends(lines: &[String]) -> Vec<String> {
    let blank = |line: &&String| line.trim().is_empty();
    let head = lines.iter().take_while(blank).count();
    let tail = lines.iter().skip(head).rev().take_while(blank).count();
    lines.get(head..lines.len() - tail).unwrap_or_default().to_vec()
}

fn tabbed(line: &str, width: usize) -> Option<String> {
    let rest = line.trim_start_matches(' ');
    let blanks = line.len() - rest.len();
    if rest.is_empty() {
        return Some(String::new());
    }
    blanks.is_multiple_of(width).then(|| format!("{}{rest}", "\t".repeat(blanks / width)))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Exactly,
    Blanks,
    /// With placeholders for secrets.
    Shown,
    /// All lines indented by the same amount more or less.
    Indented,
}

struct Place {
    at: Range<usize>,
    new: Vec<ModelLine>,
}

fn places(text: &FileText, old: &[String], new: &[String], way: Way) -> Vec<Place> {
    let key = |line: &str| match way {
        Way::Exactly => line.to_owned(),
        Way::Blanks | Way::Shown => line.trim_end().to_owned(),
        Way::Indented => line.trim().to_owned(),
    };
    let lines = text.lines.iter().map(|line| if way == Way::Shown { &line.shown } else { &line.real });
    let lines: Vec<&String> = lines.collect();
    // Delimited by newlines, so that a substring search finds whole lines only, in linear time.
    let mut all = String::from("\n");
    let mut starts = Vec::new();
    for line in &lines {
        starts.push(all.len() - 1);
        all.push_str(&key(line));
        all.push('\n');
    }
    let wanted: String = old.iter().map(|line| format!("\n{}", key(line))).collect::<String>() + "\n";
    let finder = memmem::Finder::new(&wanted);
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(ahead) = all.as_bytes().get(from..).and_then(|rest| finder.find(rest)) {
        from += ahead;
        if let Ok(at) = starts.binary_search(&from) {
            let there = lines.get(at..at + old.len()).unwrap_or_default();
            let written = match way {
                Way::Exactly | Way::Blanks | Way::Shown => Some(new.to_vec()),
                Way::Indented => shift(there, old).and_then(|shift| shift.all(new)),
            };
            found.extend(written.map(|written| {
                let pairs = new.iter().zip(written);
                let new = pairs.map(|(compared, written)| ModelLine { compared: compared.clone(), written }).collect();
                Place { at: at..at + old.len(), new }
            }));
        }
        from += 1;
        if found.len() == MAX_PLACES {
            break;
        }
    }
    found
}

/// The indentation that every line of the file has in addition, or lacks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shift<'a> {
    In(&'a str),
    Out(&'a str),
}

fn shift<'a>(there: &[&'a String], old: &'a [String]) -> Option<Shift<'a>> {
    let mut all = there.iter().zip(old).filter(|(line, _)| !line.trim().is_empty()).map(|(line, said)| {
        let (line, said) = (line.trim_end(), said.trim_end());
        match (line.strip_suffix(said), said.strip_suffix(line)) {
            (Some(before), _) => Some(Shift::In(before)),
            (None, Some(before)) => Some(Shift::Out(before)),
            (None, None) => None,
        }
    });
    let first = all.next()??;
    all.all(|shift| shift == Some(first)).then_some(first)
}

impl Shift<'_> {
    fn all(self, lines: &[String]) -> Option<Vec<String>> {
        let one = |line: &String| match self {
            _ if line.trim().is_empty() => Some(String::new()),
            Shift::In(before) => Some(format!("{before}{line}")),
            Shift::Out(before) => line.strip_prefix(before).map(str::to_owned),
        };
        lines.iter().map(one).collect()
    }
}

/// Models sometimes give only the changed words and not the whole line.
fn within_a_line(text: &mut FileText, old: &[String], new: &[String]) -> Result<(), String> {
    let (old, new) = (without_blank_ends(old), without_blank_ends(new));
    let (wanted, becomes) = match (old.as_slice(), new.as_slice()) {
        ([wanted], [becomes]) => (wanted.trim(), becomes.trim()),
        ([_], [] | [_, _, ..]) | ([] | [_, _, ..], _) => return Err(missing(text, &old, &new)),
    };
    let words = |line: &str| -> usize {
        line.match_indices(wanted).filter(|(at, _)| stands_alone(line, *at..at + wanted.len())).count()
    };
    let all: usize = text.lines.iter().map(|line| line.real.matches(wanted).count()).sum();
    let hit = text.lines.iter().position(|line| words(&line.real) == 1);
    match (all, hit) {
        (1, Some(at)) if wanted.chars().count() >= LEAST => {
            text.reword(at, wanted, becomes);
            Ok(())
        }
        (2.., _) => Err(format!("the text to replace is there {all} times; write whole lines, and lines around them")),
        (0 | 1, _) => Err(missing(text, &old, &new)),
    }
}

/// Not part of a longer word.
fn stands_alone(line: &str, at: Range<usize>) -> bool {
    let word = |letter: Option<char>| letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '_');
    let inside = line.get(at.clone()).unwrap_or_default();
    let before = line.get(..at.start).unwrap_or_default().chars().next_back();
    let behind = line.get(at.end..).unwrap_or_default().chars().next();
    let goes_on = word(before) && word(inside.chars().next()) || word(inside.chars().next_back()) && word(behind);
    !goes_on
}

fn missing(text: &FileText, old: &[String], new: &[String]) -> String {
    let has = |wanted: &String| text.lines.iter().any(|line| line.real.trim() == wanted.trim());
    let new_lines: Vec<&String> = new.iter().filter(|line| !line.trim().is_empty() && !old.contains(line)).collect();
    if !new_lines.is_empty() && new_lines.iter().all(|line| has(line)) {
        return "the file has what it would become already; leave this block out".to_owned();
    }
    match old.iter().find(|line| !has(line)) {
        Some(line) => format!(
            "the text to replace is not in the file: it has no line `{}`; copy the lines exactly as they are shown",
            short(line.trim(), MAX_QUOTED)
        ),
        None => {
            "the text to replace is not in the file in this order; copy the lines exactly as they are shown".to_owned()
        }
    }
}
