//! Adds items to a list or takes one out: arguments of a CMake command, words of a variable, strings of an array, lines of an ignore file.

use std::collections::BTreeMap;
use std::ops::Range;

use aside_text::lazy_regex::Regex;

use super::cmake::{self, Arguments};
use super::ending;
use crate::run::code;
use crate::run::exact_edit::EditResult;
use crate::run::exact_edit::add_to::{self, Addition};
use crate::run::exact_edit::assign::{self, Value};

const MAX_PLACES: usize = 6;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    pub values: Vec<Value>,
    pub container: Container,
    pub remove: bool,
    pub file: Option<String>,
}

/// What holds the items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Container {
    /// The file itself, or the only list in it that has the item.
    File,
    Variable(String),
    Cmake(Arguments),
}

/// The items of an enumeration: `SE and DK`.
pub fn split(words: &str) -> Vec<Value> {
    let all = words.split(',').flat_map(|part| part.split(" and "));
    let all = all.map(str::trim).filter(|part| !part.is_empty());
    all.map(|text| Value { text: text.to_owned(), quoted: false }).collect()
}

impl Item {
    pub fn change(&self, files: &BTreeMap<String, String>) -> EditResult {
        match (&self.container, self.remove) {
            (Container::Cmake(arguments), false) => self.add_arguments(arguments, files),
            (Container::Cmake(_), true) => EditResult::Nothing(String::new()),
            (Container::Variable(name), false) => self.add_to_variable(name, files),
            (Container::Variable(name), true) => self.remove_from_variable(name, files),
            (Container::File, false) => self.add_line(files),
            (Container::File, true) => self.remove_from_file(files),
        }
    }

    fn said(&self) -> String {
        self.values.iter().map(|value| code(&value.text)).collect::<Vec<_>>().join(", ")
    }

    fn add_arguments(&self, arguments: &Arguments, files: &BTreeMap<String, String>) -> EditResult {
        let mut found = Vec::new();
        for (path, text) in files.iter().filter(|(path, _)| cmake::is_cmake(path)) {
            let fitting = cmake::commands(text).into_iter().filter(|command| arguments.fits(command));
            found.extend(fitting.map(|command| (path, text, command)));
        }
        let name = arguments.name();
        let (path, text, command) = match found.as_slice() {
            [] => {
                return EditResult::Nothing(format!("No {} that is meant is in the files of CMake here.", code(name)));
            }
            [only] => only,
            several => {
                let rows: Vec<String> = several
                    .iter()
                    .take(MAX_PLACES)
                    .map(|(path, _, command)| {
                        let target = command.arguments.first().map_or("", |first| first.text);
                        format!("- `{path}` {}", code(&format!("{}({target} …)", command.name)))
                    })
                    .collect();
                return EditResult::Nothing(format!(
                    "There are several; say the target, as in: add {} to the compile options of TARGET.\n\n{}",
                    self.values.first().map_or("", |value| value.text.as_str()),
                    rows.join("\n")
                ));
            }
        };
        let Some(last) = command.arguments.last() else { return EditResult::Nothing(String::new()) };
        let new: Vec<&str> = self
            .values
            .iter()
            .map(|value| value.text.as_str())
            .filter(|value| !command.arguments.iter().any(|known| known.text == *value))
            .collect();
        if new.is_empty() {
            return EditResult::Nothing(format!("{} is there already.", self.said()));
        }
        let made = inserted(text, last.range.clone(), &new);
        super::one(path, made, format!("Add {} to {} in {}", self.said(), code(command.name), code(path)))
    }

    fn add_to_variable(&self, name: &str, files: &BTreeMap<String, String>) -> EditResult {
        let mut texts = files.clone();
        let mut last = EditResult::Nothing(String::new());
        for value in &self.values {
            let addition = Addition { name: name.to_owned(), value: value.clone(), file: self.file.clone() };
            last = add_to::add(&addition, &texts);
            match &last {
                EditResult::Texts { files, .. } => texts.extend(files.clone()),
                EditResult::Move { .. } | EditResult::Nothing(_) => return last,
            }
        }
        match last {
            EditResult::Texts { files, .. } => {
                let path = files.keys().next().cloned().unwrap_or_default();
                let summary = format!("Add {} to {} in {}", self.said(), code(name), code(&path));
                EditResult::Texts { files, summary, note: String::new() }
            }
            other => other,
        }
    }

    fn remove_from_variable(&self, name: &str, files: &BTreeMap<String, String>) -> EditResult {
        let Some(value) = self.values.first() else { return EditResult::Nothing(String::new()) };
        let mut found: Vec<(&String, &String, Range<usize>)> = Vec::new();
        let mut is_set = false;
        for (path, text) in files {
            let lists: Vec<Range<usize>> = match cmake::is_cmake(path) {
                true => cmake::assigned(text, name),
                false => assign::assigned(path, text, name)
                    .into_iter()
                    .map(|(_, at, _)| at..at + extent(text.get(at..).unwrap_or_default()))
                    .collect(),
            };
            is_set |= !lists.is_empty();
            for list in lists {
                found.extend(
                    items(text, list)
                        .into_iter()
                        .filter(|range| is_item(text, range, value))
                        .map(|range| (path, text, range)),
                );
            }
        }
        match found.as_slice() {
            [] if is_set => {
                EditResult::Nothing(format!("{} does not have {}, so nothing is changed.", code(name), self.said()))
            }
            [] => EditResult::Nothing(String::new()),
            [(path, text, range)] => {
                let summary = format!("Remove {} from {} in {}", self.said(), code(name), code(path));
                super::one(path, removed(text, range.clone()), summary)
            }
            several => EditResult::Nothing(places(&self.said(), several)),
        }
    }

    /// A line of an ignore file.
    fn add_line(&self, files: &BTreeMap<String, String>) -> EditResult {
        let (Some((path, text)), Some(value)) = (files.first_key_value(), self.values.first()) else {
            return EditResult::Nothing(String::new());
        };
        if text.lines().any(|line| line.trim() == value.text) {
            return EditResult::Nothing(format!("{} has {} already.", code(path), code(&value.text)));
        }
        let newline = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        super::one(path, format!("{text}{newline}{}\n", value.text), format!("Add {} to {}", self.said(), code(path)))
    }

    fn remove_from_file(&self, files: &BTreeMap<String, String>) -> EditResult {
        let (Some((path, text)), Some(value)) = (files.first_key_value(), self.values.first()) else {
            return EditResult::Nothing(String::new());
        };
        let name = path.rsplit('/').next().unwrap_or(path);
        // Its package manager keeps it.
        if ["package.json", "Cargo.toml", "requirements.txt", "pyproject.toml", "go.mod"].contains(&name) {
            return EditResult::Nothing(String::new());
        }
        let found: Vec<Range<usize>> = match ending(path) {
            _ if cmake::is_cmake(path) => {
                let commands = cmake::commands(text);
                // The name of a target is no item.
                let arguments = commands.iter().flat_map(|command| command.arguments.iter().skip(1));
                arguments.map(|argument| argument.range.clone()).collect()
            }
            _ if name.ends_with("ignore") || name.starts_with(".env") => lines(text, &|line| line.trim().to_owned()),
            "yml" | "yaml" => lines(text, &|line| {
                let item = line.trim().strip_prefix("- ").unwrap_or_default();
                item.split(" #").next().unwrap_or_default().trim().trim_matches(['"', '\'']).to_owned()
            }),
            "json" | "jsonc" | "toml" => strings(text),
            "mk" => words(text),
            "" if name.to_lowercase().ends_with("makefile") => words(text),
            _ => return EditResult::Nothing(String::new()),
        };
        let is_line = name.ends_with("ignore") || name.starts_with(".env") || matches!(ending(path), "yml" | "yaml");
        let found: Vec<Range<usize>> = match is_line {
            true => found.into_iter().filter(|range| line_item(text, range, path) == value.text).collect(),
            false => found.into_iter().filter(|range| is_item(text, range, value)).collect(),
        };
        match found.as_slice() {
            [] => EditResult::Nothing(String::new()),
            [range] => {
                let mut made = text.clone();
                match is_line {
                    true => made.replace_range(range.clone(), ""),
                    false => made = removed(text, range.clone()),
                }
                super::one(path, made, format!("Remove {} from {}", self.said(), code(path)))
            }
            several => {
                let several: Vec<_> = several.iter().map(|range| (path, text, range.clone())).collect();
                EditResult::Nothing(places(&self.said(), &several))
            }
        }
    }
}

fn places(said: &str, found: &[(&String, &String, Range<usize>)]) -> String {
    let line = |text: &str, at: usize| text.get(..at).unwrap_or_default().matches('\n').count() + 1;
    let rows: Vec<String> = found
        .iter()
        .take(MAX_PLACES)
        .map(|(path, text, range)| {
            let number = line(text, range.start);
            format!("- `{path}:{number}` {}", code(text.lines().nth(number - 1).unwrap_or("").trim()))
        })
        .collect();
    format!("{said} is there {} times; which one is meant, cannot be told.\n\n{}", found.len(), rows.join("\n"))
}

fn line_item(text: &str, range: &Range<usize>, path: &str) -> String {
    let line = text.get(range.clone()).unwrap_or_default().trim();
    let item = if matches!(ending(path), "yml" | "yaml") { line.strip_prefix("- ").unwrap_or_default() } else { line };
    let item = item.split(" #").next().unwrap_or_default().trim().trim_matches(['"', '\'']);
    // `NAME=value` is called by its name.
    match path.rsplit('/').next().is_some_and(|name| name.starts_with(".env")) {
        true => item.split('=').next().unwrap_or_default().to_owned(),
        false => item.to_owned(),
    }
}

fn is_item(text: &str, range: &Range<usize>, value: &Value) -> bool {
    text.get(range.clone()).is_some_and(|item| item.trim_matches(['"', '\'']) == value.text)
}

/// The ranges of lines that have an item.
fn lines(text: &str, item: &dyn Fn(&str) -> String) -> Vec<Range<usize>> {
    let mut at = 0;
    let mut all = Vec::new();
    for line in text.split_inclusive('\n') {
        if !item(line).is_empty() {
            all.push(at..at + line.len());
        }
        at += line.len();
    }
    all
}

/// Strings that are items of an array: a comma or a bracket on both sides, no colon behind.
fn strings(text: &str) -> Vec<Range<usize>> {
    let Ok(pattern) = Regex::new(r#""(?:[^"\\\n]|\\.)*"|'[^'\n]*'"#) else { return Vec::new() };
    let is_between = |range: &Range<usize>| {
        let before = text.get(..range.start).unwrap_or_default().trim_end();
        let after = text.get(range.end..).unwrap_or_default().trim_start();
        before.ends_with(['[', ',']) && after.starts_with([']', ','])
    };
    pattern.find_iter(text).map(|found| found.range()).filter(is_between).collect()
}

/// Words on the right of an assignment in a Makefile.
fn words(text: &str) -> Vec<Range<usize>> {
    let mut at = 0;
    let mut goes_on = false;
    let mut all = Vec::new();
    for line in text.split_inclusive('\n') {
        let is_recipe = line.starts_with('\t') && !goes_on;
        let value = match line.find('=').filter(|_| !is_recipe) {
            Some(sign) if !goes_on => Some(sign + 1),
            _ if goes_on => Some(0),
            _ => None,
        };
        if let Some(start) = value {
            all.extend(items(text, at + start..at + line.len()));
        }
        goes_on = line.trim_end().ends_with('\\') && value.is_some();
        at += line.len();
    }
    all
}

/// The length of a value that may be a list in brackets, or go on behind a backslash.
fn extent(rest: &str) -> usize {
    if rest.starts_with(['[', '(', '{']) {
        return add_to::end(rest).map_or(0, |end| end + 1);
    }
    let mut length = 0;
    for line in rest.split_inclusive('\n') {
        length += line.len();
        if !line.trim_end().ends_with('\\') {
            break;
        }
    }
    length
}

/// The items of a list: those between commas in brackets, else words between blanks.
fn items(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let list = text.get(range.clone()).unwrap_or_default();
    let in_brackets = list.starts_with(['[', '(', '{']);
    let separates = |letter: char| match in_brackets {
        true => ",[](){}\n".contains(letter),
        false => letter.is_whitespace() || letter == '\\',
    };
    let mut all = Vec::new();
    let mut start = None;
    let (mut quote, mut comment) = (None, false);
    for (at, letter) in list.char_indices().chain([(list.len(), '\n')]) {
        if letter == '\n' {
            comment = false;
        }
        if comment {
            continue;
        }
        match (quote, letter) {
            (Some(open), letter) if open == letter => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') if in_brackets => {
                quote = Some(letter);
                start = start.or(Some(at));
            }
            (None, '#') if start.is_none() => comment = true,
            (None, letter) if separates(letter) => {
                if let Some(from) = start.take() {
                    let item = list.get(from..at).unwrap_or_default().trim_end();
                    all.push(range.start + from..range.start + from + item.len());
                }
            }
            (None, letter) if !letter.is_whitespace() => start = start.or(Some(at)),
            (None, _) => {}
        }
    }
    all
}

/// Behind the last item, in the same way as that stands behind the one before.
fn inserted(text: &str, last: Range<usize>, new: &[&str]) -> String {
    let line_start = text.get(..last.start).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
    let before = text.get(line_start..last.start).unwrap_or_default();
    let between = if before.trim().is_empty() && line_start > 0 { format!("\n{before}") } else { " ".to_owned() };
    let row: String = new.iter().map(|value| format!("{between}{value}")).collect();
    let mut made = text.to_owned();
    made.insert_str(last.end, &row);
    made
}

/// Without an item and what separates it from its neighbours; without its line where it is alone there.
fn removed(text: &str, range: Range<usize>) -> String {
    let mut made = text.to_owned();
    let line_start = text.get(..range.start).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
    let line_end = text.get(range.end..).and_then(|rest| rest.find('\n')).map_or(text.len(), |at| range.end + at + 1);
    let before = text.get(line_start..range.start).unwrap_or_default();
    let after = text.get(range.end..line_end).unwrap_or_default();
    let alone = before.trim().is_empty() && matches!(after.trim(), "" | "," | "\\");
    if alone {
        let keeps_comma =
            after.trim() == "," || text.get(line_end..).unwrap_or_default().trim_start().starts_with([')']);
        made.replace_range(line_start..line_end, "");
        // The item before it is the last now.
        if !keeps_comma {
            let head = made.get(..line_start).unwrap_or_default().trim_end().len();
            if made.get(..head).is_some_and(|head| head.ends_with([',', '\\'])) {
                let cut = made.get(..head - 1).unwrap_or_default().trim_end().len();
                made.replace_range(cut..head, "");
            }
        }
        return made;
    }
    // The comma or the blank before it goes along; the first item takes that behind it.
    let rest = after.trim_start_matches(' ');
    let head = before.trim_end();
    let from = match () {
        () if head.ends_with(',') => line_start + head.len() - 1,
        () if !rest.starts_with(',') && !head.ends_with(['(', '[', '{', '=']) => line_start + head.len(),
        () => {
            let skipped = match rest.strip_prefix(',') {
                Some(more) => after.len() - more.trim_start_matches(' ').len(),
                None if head.ends_with('=') => 0,
                None => after.len() - rest.len(),
            };
            made.replace_range(range.start..range.end + skipped, "");
            return made;
        }
    };
    made.replace_range(from..range.end, "");
    made
}
