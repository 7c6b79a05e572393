//! Takes out statements that are one call and nothing else: `remove the breakpoint() call`, `take out all console.log calls`.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::run::code;
use crate::run::exact_edit::EditResult;
use crate::run::exact_edit::text::Quotes;

/// Places that are listed where one was meant and several are there.
const MAX_PLACES: usize = 8;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Without its brackets: `console.log`.
    pub name: String,
    /// All of them, or the only one.
    pub all: bool,
    pub file: Option<String>,
}

pub fn remove(call: &Call, files: &BTreeMap<String, String>) -> EditResult {
    let mut made: BTreeMap<String, String> = BTreeMap::new();
    let (mut places, mut kept) = (Vec::new(), Vec::new());
    for (path, text) in files {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let is_python = path.ends_with(".py");
        let mut left = String::new();
        for (at, line) in lines.iter().enumerate() {
            let place = || format!("`{path}:{}` {}", at + 1, code(line.trim()));
            match is_statement(line, &call.name) {
                true if is_python && is_alone(&lines, &(at..at + 1)) => {
                    kept.push(place());
                    left.push_str(line);
                }
                true => places.push(place()),
                false => left.push_str(line),
            }
        }
        if left != *text {
            made.insert(path.clone(), left);
        }
    }
    let name = code(&call.name);
    let rows =
        |places: &[String]| places.iter().take(MAX_PLACES).map(|row| format!("- {row}")).collect::<Vec<_>>().join("\n");
    match places.len() {
        0 if !kept.is_empty() => EditResult::Nothing(format!(
            "{name} is the only statement of its block here, so it cannot simply go:\n\n{}",
            rows(&kept)
        )),
        0 => EditResult::Nothing(format!("No line here is a call of {name} and nothing else.")),
        many if many > 1 && !call.all => EditResult::Nothing(format!(
            "{name} is called in {many} lines. Say `all`, or the file:\n\n{}",
            rows(&places)
        )),
        many => {
            let times = if many == 1 { "the call".to_owned() } else { format!("{many} calls") };
            let note = match kept.is_empty() {
                true => String::new(),
                false => format!("Left, since they are the only statements of their blocks:\n\n{}", rows(&kept)),
            };
            EditResult::Texts { files: made, summary: format!("Remove {times} of {name}"), note }
        }
    }
}

/// Whether a line is one call, from its first letter to its last.
fn is_statement(line: &str, name: &str) -> bool {
    let line = line.trim().trim_end_matches(';').trim_end();
    let line = line.strip_prefix("await ").unwrap_or(line);
    // `debugger` is a statement without brackets.
    if line == name {
        return name == "debugger";
    }
    let Some(rest) =
        line.strip_prefix(name).and_then(|rest| rest.strip_prefix('(').or_else(|| rest.strip_prefix("!(")))
    else {
        return false;
    };
    let (mut depth, mut quotes) = (1, Quotes::default());
    let mut letters = rest.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            _ if quotes.hold(letter, "\"'`") => {}
            '(' => depth += 1,
            ')' => {
                depth -= 1;
                if depth == 0 {
                    return letters.peek().is_none();
                }
            }
            _ => {}
        }
    }
    false
}

/// Whether a statement of Python is all that its block has.
pub fn is_alone(lines: &[&str], range: &Range<usize>) -> bool {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let own = lines.get(range.start).map_or(0, |line| indent(line));
    let other = |line: &&&str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    let before = lines.get(..range.start).unwrap_or_default().iter().rev().find(other);
    let after = lines.get(range.end..).unwrap_or_default().iter().find(other);
    before.is_some_and(|line| line.trim_end().ends_with(':') && indent(line) < own)
        && after.is_none_or(|line| indent(line) < own)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn removed(path: &str, text: &str, name: &str, all: bool) -> String {
        let files = BTreeMap::from([(path.to_owned(), text.to_owned())]);
        match remove(&Call { name: name.to_owned(), all, file: None }, &files) {
            EditResult::Texts { files, .. } => files.into_values().next().unwrap(),
            EditResult::Nothing(why) => format!("? {why}"),
            EditResult::Move { .. } => panic!("no move"),
        }
    }

    #[test]
    fn a_line_that_is_only_the_call_goes() {
        assert_eq!(removed("a.py", "x = 1\nbreakpoint()\ny = 2\n", "breakpoint", false), "x = 1\ny = 2\n");
        assert_eq!(removed("a.ts", "  console.log(\")\", f(1));\n  go();\n", "console.log", true), "  go();\n");
        assert_eq!(removed("a.ts", "debugger;\ngo();\n", "debugger", true), "go();\n");
        assert!(removed("a.ts", "const x = console.log(1);\n", "console.log", true).starts_with("? No line"));
        assert!(removed("a.ts", "log(1).then(x);\n", "log", true).starts_with("? No line"));
        assert!(removed("a.py", "p()\np()\n", "p", false).contains("2 lines"));
        assert!(removed("a.py", "def f():\n    p()\n\nx = 1\n", "p", true).contains("only statement"));
        assert_eq!(removed("a.py", "def f():\n    p()\n    q()\n", "p", true), "def f():\n    q()\n");
    }
}
