//! What a command runs that is given to it in words. Which commands do that is data; `find` and `fd` are in code.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

use crate::line::{Dialect, Word};
use crate::safety::runs::{Place, Run, is_flag};

/// Something that a command would run.
pub enum Inner {
    /// These words are a command.
    Command { words: Range<usize>, place: Place },
    /// These words, with blanks between, are read by a shell. No dialect: by the one that reads the line.
    Script { words: Range<usize>, place: Place, dialect: Option<Dialect> },
    /// A part of one word is read by a shell.
    Text { text: String, word: usize, dialect: Option<Dialect> },
}

/// What is in our table.
const TABLE: &str = include_str!("../../data/safety/wrappers.toml");

#[derive(Debug, Default)]
struct Wrapper {
    /// Words that have to follow the name: `exec`.
    sub: Vec<String>,
    /// Flags that take the next word.
    values: Vec<String>,
    /// Flags with which nothing is run.
    stops: Vec<String>,
    /// Flags whose value is a script.
    scripts: Vec<String>,
    /// What the words after the flags are.
    rest: Rest,
    /// Words before the command that are not flags.
    skip: usize,
    /// `NAME=value` may stand before the command.
    assigns: bool,
    /// The command begins behind this word, and is none without it.
    after: Option<String>,
    /// The command ends before a word that begins with this.
    until: Option<String>,
    place: Option<Place>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Rest {
    /// They run nothing.
    #[default]
    Nothing,
    Command,
    /// All of them, as one.
    Script,
    /// The first alone.
    First,
    /// Each by itself.
    Each,
}

/// By name; one command may have several, told apart by what follows.
static WRAPPERS: LazyLock<HashMap<String, Vec<Wrapper>>> = LazyLock::new(|| read(TABLE));

fn read(table: &str) -> HashMap<String, Vec<Wrapper>> {
    let mut wrappers: HashMap<String, Vec<Wrapper>> = HashMap::new();
    let Ok(table) = table.parse::<toml_edit::DocumentMut>() else { return wrappers };
    let rows = table.get("wrapper").and_then(|rows| rows.as_array_of_tables());
    for row in rows.into_iter().flatten() {
        let list = |key: &str| -> Vec<String> {
            let list = row.get(key).and_then(|list| list.as_array());
            list.into_iter().flatten().filter_map(|item| item.as_str()).map(str::to_owned).collect()
        };
        let text = |key: &str| row.get(key).and_then(|text| text.as_str());
        for command in list("command") {
            let mut names = command.split(' ').map(str::to_owned);
            let Some(name) = names.next() else { continue };
            wrappers.entry(name).or_default().push(Wrapper {
                sub: names.collect(),
                values: list("values"),
                stops: list("stops"),
                scripts: list("scripts"),
                rest: match text("rest") {
                    Some("command") => Rest::Command,
                    Some("script") => Rest::Script,
                    Some("first") => Rest::First,
                    Some("each") => Rest::Each,
                    _ => Rest::Nothing,
                },
                skip: row.get("skip").and_then(|skip| skip.as_integer()).map_or(0, |skip| skip.unsigned_abs() as usize),
                assigns: row.get("assigns").and_then(|assigns| assigns.as_bool()).unwrap_or_default(),
                after: text("after").map(str::to_owned),
                until: text("until").map(str::to_owned),
                place: text("place").map(|_| Place::Elsewhere),
            });
        }
    }
    wrappers
}

/// All that the command runs, in the order of its words.
pub fn inner(run: &Run) -> Vec<Inner> {
    let name = run.name();
    match name {
        "find" => return after_flags(run, &["-exec", "-execdir", "-ok", "-okdir"]),
        "fd" | "fdfind" => return after_flags(run, &["-x", "-X", "--exec", "--exec-batch"]),
        _ => {}
    }
    let mut found = Vec::new();
    for wrapper in WRAPPERS.get(name).map(Vec::as_slice).unwrap_or_default() {
        wrapper.unwrap(run, &mut found);
    }
    found
}

/// A shell that reads its commands from what it is fed: it has no script and no file.
pub fn reads_commands(run: &Run) -> bool {
    if !is_shell(run.name()) {
        return run.dialect == Dialect::Fish && run.name() == "source" && run.arguments().is_empty();
    }
    let mut arguments = run.arguments().iter().map(|word| word.value.as_str());
    loop {
        match arguments.next() {
            None | Some("-") => return true,
            Some("-o" | "+o" | "-O" | "+O" | "--rcfile" | "--init-file") => drop(arguments.next()),
            Some("-s") => return true,
            Some(flag) if flag.starts_with("--") => {}
            Some(flag) if is_flag(flag) && flag.contains('c') => return false,
            Some(flag) if is_flag(flag) && flag.contains('s') => return true,
            Some(flag) if is_flag(flag) => {}
            Some(file) => return matches!(file, "/dev/stdin" | "/dev/fd/0"),
        }
    }
}

pub fn is_shell(name: &str) -> bool {
    matches!(name, "sh" | "bash" | "zsh" | "fish" | "dash" | "ksh" | "mksh" | "ash" | "tcsh" | "csh")
}

/// `find … -exec COMMAND ;`
fn after_flags(run: &Run, flags: &[&str]) -> Vec<Inner> {
    let mut found = Vec::new();
    let mut words = run.words.iter().enumerate();
    while let Some((number, word)) = words.next() {
        if !flags.contains(&word.value.as_str()) {
            continue;
        }
        let ends = |word: &Word| word.value == ";" || word.value == "+";
        let end = words.by_ref().find(|(_, word)| ends(word)).map_or(run.words.len(), |(end, _)| end);
        found.push(Inner::Command { words: number + 1..end, place: Place::Here });
    }
    found
}

impl Wrapper {
    fn unwrap(&self, run: &Run, found: &mut Vec<Inner>) {
        let words = &run.words;
        let place = self.place.unwrap_or(Place::Here);
        let dialect = is_shell(run.name()).then(|| Dialect::of(run.name())).or(self.place.map(|_| Dialect::Bash));
        let value = |at: usize| words.get(at).map(|word| word.value.as_str());
        let mut at = 1;
        for sub in &self.sub {
            // Flags of the command itself may stand before it.
            while let Some(flag) = value(at).filter(|word| is_flag(word)) {
                at += if self.takes_value(flag) { 2 } else { 1 };
            }
            if value(at) != Some(sub) {
                return;
            }
            at += 1;
        }
        if let Some(after) = &self.after {
            let Some(place_of) = words.iter().skip(at).position(|word| word.value == *after) else { return };
            let from = at + place_of + 1;
            return self.rest(run, from, place, dialect, found);
        }
        let mut skip = self.skip;
        while let Some(word) = value(at) {
            if word == "--" {
                at += 1;
                if skip == 0 {
                    break;
                }
            } else if is_flag(word) {
                if self.stops.iter().any(|stop| stop == word) {
                    return;
                }
                if let Some(script) = self.script_in(word) {
                    match script {
                        None => found.push(Inner::Script { words: at + 1..(at + 2).min(words.len()), place, dialect }),
                        Some(text) => found.push(Inner::Text { text: text.to_owned(), word: at, dialect }),
                    }
                    // What follows are its arguments, or more flags.
                    at += 2;
                    if is_shell(run.name()) {
                        return;
                    }
                    continue;
                }
                at += if self.takes_value(word) { 2 } else { 1 };
            } else if self.assigns && is_assignment(word) {
                at += 1;
            } else if skip > 0 {
                skip -= 1;
                at += 1;
                // What follows the host or the time limit is the command, unless only flags are of interest.
                if skip == 0 && self.rest != Rest::Nothing && !self.has_script(words.get(at)) {
                    break;
                }
            } else if self.rest == Rest::Nothing {
                if is_shell(run.name()) {
                    return;
                }
                at += 1;
            } else {
                break;
            }
        }
        if skip == 0 {
            self.rest(run, at, place, dialect, found);
        }
    }

    fn has_script(&self, word: Option<&Word>) -> bool {
        word.is_some_and(|word| is_flag(&word.value) && self.script_in(&word.value).is_some())
    }

    fn rest(&self, run: &Run, from: usize, place: Place, dialect: Option<Dialect>, found: &mut Vec<Inner>) {
        let rest = run.words.get(from..).unwrap_or_default();
        let ends = |word: &Word| self.until.as_ref().is_some_and(|until| word.value.starts_with(until));
        let end = from + rest.iter().position(ends).unwrap_or(rest.len());
        let from = if rest.first().is_some_and(|word| word.value == "--") { from + 1 } else { from };
        if from >= end {
            return;
        }
        match self.rest {
            Rest::Nothing => {}
            Rest::Command => found.push(Inner::Command { words: from..end, place }),
            Rest::Script => found.push(Inner::Script { words: from..end, place, dialect }),
            Rest::First => found.push(Inner::Script { words: from..from + 1, place, dialect }),
            Rest::Each => {
                let mut at = from;
                while let Some(word) = run.words.get(at).filter(|_| at < end) {
                    if !is_flag(&word.value) {
                        found.push(Inner::Script { words: at..at + 1, place, dialect });
                    }
                    at += if self.takes_value(&word.value) { 2 } else { 1 };
                }
            }
        }
    }

    /// Whether the flag takes the word after it: `-n` of `-n 5` and of `-0n 5`, not of `-n5`.
    fn takes_value(&self, flag: &str) -> bool {
        let known = |flag: &str| self.values.iter().any(|value| value == flag);
        if known(flag) {
            return true;
        }
        let Some(letters) = flag.strip_prefix('-').filter(|letters| !letters.starts_with('-')) else { return false };
        let mut letters = letters.chars();
        let last = letters.next_back();
        let glued = letters.any(|letter| known(&format!("-{letter}")));
        !glued && last.is_some_and(|letter| known(&format!("-{letter}")))
    }

    /// Whether a script comes with the flag: in the next word, or in this one.
    fn script_in<'w>(&self, flag: &'w str) -> Option<Option<&'w str>> {
        for script in &self.scripts {
            if flag == script {
                return Some(None);
            }
            if let Some(text) = flag.strip_prefix(script.as_str()).and_then(|rest| rest.strip_prefix('=')) {
                return Some(Some(text));
            }
        }
        let letters =
            flag.strip_prefix('-').filter(|letters| letters.bytes().all(|letter| letter.is_ascii_alphabetic()))?;
        let last = letters.chars().next_back()?;
        let inside = |letter: char| self.scripts.iter().any(|script| *script == format!("-{letter}"));
        // `-lc`, and `-cl` too: shells look for the letter anywhere.
        (inside(last) || letters.len() < 5 && letters.chars().any(inside)).then_some(None)
    }
}

fn is_assignment(word: &str) -> bool {
    let Some((name, _)) = word.split_once('=') else { return false };
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::safety::{self, Harm};

    #[test]
    fn every_wrapper_finds_what_it_runs() {
        let table: toml_edit::DocumentMut = TABLE.parse().unwrap();
        let rows = table["wrapper"].as_array_of_tables().unwrap();
        let mut count = 0;
        let mut wrong = Vec::new();
        for row in rows {
            let list = |key: &str| -> Vec<String> {
                let list = row.get(key).and_then(|list| list.as_array()).into_iter().flatten();
                list.map(|item| item.as_str().unwrap().to_owned()).collect()
            };
            let finds = |line: &str| {
                let dangers = safety::dangers(line, Dialect::Bash);
                dangers.iter().any(|danger| danger.harm == Harm::DeletesFiles)
            };
            assert!(!list("hits").is_empty(), "{row}");
            for hit in list("hits") {
                count += 1;
                if !finds(&hit) {
                    wrong.push(hit);
                }
            }
            for miss in list("misses") {
                count += 1;
                if finds(&miss) {
                    wrong.push(miss);
                }
            }
        }
        assert_eq!(wrong, [""; 0]);
        assert!(count > 80, "{count}");
    }
}
