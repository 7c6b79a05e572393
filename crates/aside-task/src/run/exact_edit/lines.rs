//! Deletes lines of a file, by their numbers or by what they contain.

use std::collections::BTreeMap;

use crate::run::code;
use crate::run::exact_edit::{EditResult, Lines};

pub fn delete(which: &Lines, files: &BTreeMap<String, String>) -> EditResult {
    let Some((path, text)) = files.first_key_value() else { return EditResult::Nothing(String::new()) };
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let all = lines.len();
    let (first, last) = match which {
        Lines::From(first, last) => (*first, *last),
        Lines::First(many) => (1, *many),
        Lines::Last(many) => ((all + 1).saturating_sub(*many), all),
        Lines::Containing(_) | Lines::Blank => (1, all),
    };
    if first == 0 || last > all || first > last {
        return EditResult::Nothing(format!("{} has {all} lines, so nothing is deleted.", code(path)));
    }
    let goes = |(at, line): &(usize, &&str)| {
        (first..=last).contains(&(at + 1))
            && match which {
                Lines::Containing(text) => line.contains(text.as_str()),
                Lines::Blank => line.trim().is_empty(),
                Lines::From(..) | Lines::First(_) | Lines::Last(_) => true,
            }
    };
    let kept: Vec<&str> = lines.iter().enumerate().filter(|line| !goes(line)).map(|(_, line)| *line).collect();
    let gone = all - kept.len();
    if gone == 0 {
        return EditResult::Nothing(format!("{} has no such lines.", code(path)));
    }
    let what = match which {
        Lines::From(first, last) if first == last => format!("line {first}"),
        Lines::From(first, last) => format!("lines {first} to {last}"),
        _ if gone == 1 => "1 line".to_owned(),
        _ => format!("{gone} lines"),
    };
    let summary = format!("Delete {what} of {}", code(path));
    EditResult::Texts { files: BTreeMap::from([(path.clone(), kept.concat())]), summary, note: String::new() }
}
