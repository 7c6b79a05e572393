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
        Lines::Containing(_) | Lines::Marked(_) | Lines::Blank => (1, all),
    };
    if first == 0 || last > all || first > last {
        return EditResult::Nothing(format!("{} has {all} lines, so nothing is deleted.", code(path)));
    }
    // A comment behind code would take the code with it, and one of several lines would leave its rest.
    if let Lines::Marked(mark) = which
        && let Some(at) = lines.iter().position(|line| has_mark(line, mark) && !is_comment(line))
    {
        return EditResult::Nothing(format!(
            "`{path}:{}` has more than the comment, or only a part of it, so nothing is deleted.",
            at + 1
        ));
    }
    let goes = |(at, line): &(usize, &&str)| {
        (first..=last).contains(&(at + 1))
            && match which {
                Lines::Containing(text) => line.contains(text.as_str()),
                Lines::Marked(mark) => has_mark(line, mark),
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

pub fn has_mark(line: &str, mark: &str) -> bool {
    line.split(|letter: char| !letter.is_alphanumeric() && letter != '_').any(|word| word == mark)
}

/// Whether a line is one whole comment.
pub fn is_comment(line: &str) -> bool {
    let line = line.trim();
    let closed = [("/*", "*/"), ("<!--", "-->"), ("{/*", "*/}")];
    ["//", "#", "--", ";", "%"].iter().any(|lead| line.starts_with(lead))
        || closed.iter().any(|(open, close)| {
            line.strip_prefix(open).and_then(|rest| rest.strip_suffix(close)).is_some_and(|rest| !rest.contains(close))
        })
}
