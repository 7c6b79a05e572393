//! Read-only commands, with exactly the flags and arguments for which that holds: `data/task/read-only.toml`. Being listed does not allow a
//! command; it makes it one that the user's rules may allow. A flag that is not listed is not harmless, however it is abbreviated.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use aside_text::lazy_regex::Regex;
use toml_edit::{Document, Table};

use crate::gate::GateContext;
use crate::gate::unambiguous::{self, JoinKind, PlainCommand, UnambiguousLine};

const TABLE: &str = include_str!("../../data/task/read-only.toml");

pub(super) struct ReadOnlyCommand {
    pub program: String,
    /// Subcommand words after the name; may be empty.
    pub sub: Vec<String>,
    /// Flags between the name and the subcommand.
    before: Vec<String>,
    /// Flags that take no value.
    flags: Vec<String>,
    /// Flags that take a value, attached or as the next word.
    values: Vec<String>,
    /// Flags that may take a value after `=`.
    optional: Vec<String>,
    /// At least one of these flags is required.
    needs: Vec<String>,
    /// Flags that are refused, with what each would do; shown as the reason.
    never: BTreeMap<String, String>,
    /// Patterns that the whole value of a flag must match.
    patterns: BTreeMap<String, Regex>,
    /// A flag is a whole word with one dash, as for `find`.
    whole: bool,
    /// `-5` is a flag.
    numbers: bool,
    /// Patterns for the first argument, and for every argument.
    first: Option<Regex>,
    arguments: Option<Regex>,
    /// Maximum number of arguments.
    most: Option<usize>,
    /// It shows only names and sizes, so a glob discloses no contents.
    globs: bool,
    /// It depends on files of the working directory, so it has to run in the workspace root.
    root: bool,
    #[cfg(test)]
    pub hits: Vec<String>,
    #[cfg(test)]
    pub misses: Vec<String>,
}

struct Catalogue {
    entries: Vec<ReadOnlyCommand>,
    /// Programs that look harmless and are not, with the reason.
    never: BTreeMap<String, String>,
}

static ALL: LazyLock<Catalogue> = LazyLock::new(|| read(TABLE));

pub(super) fn entries() -> &'static [ReadOnlyCommand] {
    &ALL.entries
}

/// Why the program has no entry, if the catalogue gives a reason.
pub(super) fn never(program: &str) -> Option<&'static str> {
    ALL.never.get(program).map(String::as_str)
}

fn read(table: &str) -> Catalogue {
    let mut catalogue = Catalogue { entries: Vec::new(), never: BTreeMap::new() };
    let Ok(document) = Document::parse(table) else { return catalogue };
    if let Some(never) = document.get("never").and_then(|never| never.as_table()) {
        catalogue.never = texts(never);
    }
    let tables = document.get("read").and_then(|tables| tables.as_array_of_tables());
    for table in tables.into_iter().flatten() {
        let programs = strings(table, "program");
        let subs = match strings(table, "sub") {
            subs if subs.is_empty() => vec![String::new()],
            subs => subs,
        };
        for program in &programs {
            for sub in &subs {
                catalogue.entries.extend(entry(table, program, sub));
            }
        }
    }
    // Longest subcommand first: `stash list` before `stash`.
    catalogue.entries.sort_by_key(|entry| std::cmp::Reverse(entry.sub.len()));
    catalogue
}

/// `None` when a pattern does not compile: an entry that cannot be read must not count as harmless.
fn entry(table: &Table, program: &str, sub: &str) -> Option<ReadOnlyCommand> {
    let pattern = |key: &str| match table.get(key).and_then(|text| text.as_str()) {
        Some(text) => Regex::new(&format!("^(?:{text})$")).ok().map(Some),
        None => Some(None),
    };
    let is = |key: &str| table.get(key).and_then(|item| item.as_bool()).unwrap_or_default();
    let most = table.get("most").map(|most| most.as_integer().and_then(|most| usize::try_from(most).ok()));
    Some(ReadOnlyCommand {
        program: program.to_owned(),
        sub: sub.split_whitespace().map(str::to_owned).collect(),
        before: strings(table, "before"),
        flags: strings(table, "flags"),
        values: strings(table, "values"),
        optional: strings(table, "optional"),
        needs: strings(table, "needs"),
        never: table.get("never").and_then(|never| never.as_table_like()).map(texts).unwrap_or_default(),
        patterns: patterns(table)?,
        whole: is("whole"),
        numbers: is("numbers"),
        first: pattern("first")?,
        arguments: pattern("arguments")?,
        most: most.map_or(Some(None), |most| most.map(Some))?,
        globs: is("globs"),
        root: is("root"),
        #[cfg(test)]
        hits: strings(table, "hits"),
        #[cfg(test)]
        misses: strings(table, "misses"),
    })
}

/// `None` when a pattern does not compile.
fn patterns(table: &Table) -> Option<BTreeMap<String, Regex>> {
    let texts = table.get("patterns").and_then(|patterns| patterns.as_table_like()).map(texts).unwrap_or_default();
    let ready = |(flag, text): (String, String)| Some((flag, Regex::new(&format!("^(?:{text})$")).ok()?));
    texts.into_iter().map(ready).collect()
}

fn strings(table: &Table, key: &str) -> Vec<String> {
    let items = table.get(key).and_then(|list| list.as_array()).into_iter().flatten();
    items.filter_map(|item| item.as_str().map(str::to_owned)).collect()
}

fn texts<T: toml_edit::TableLike + ?Sized>(table: &T) -> BTreeMap<String, String> {
    let texts = table.iter().filter_map(|(key, text)| text.as_str().map(|text| (key.to_owned(), text.to_owned())));
    texts.collect()
}

/// The entry for a command, or why there is none.
pub(super) fn find(command: &UnambiguousLine) -> Result<&'static ReadOnlyCommand, String> {
    let name = command.words.first().map(|word| word.value.as_str()).unwrap_or_default();
    let mine = || ALL.entries.iter().filter(|entry| entry.program == name);
    if let Some(entry) = mine().find(|entry| entry.own_words(&command.words).is_some()) {
        return Ok(entry);
    }
    match never(name) {
        Some(why) => Err(format!("{name} {why}")),
        None if mine().next().is_some() => Err(format!("this use of {name} is not known to be harmless")),
        None => Err(format!("{name} is not known to be harmless")),
    }
}

impl ReadOnlyCommand {
    pub(super) fn name(&self) -> String {
        [&self.program].into_iter().chain(&self.sub).map(String::as_str).collect::<Vec<_>>().join(" ")
    }

    pub(super) fn permits(&self, flag: &str) -> bool {
        [&self.flags, &self.values, &self.optional].into_iter().flatten().any(|known| known == flag)
    }

    /// The words after the subcommand.
    fn own_words<'w>(&self, words: &'w [PlainCommand]) -> Option<&'w [PlainCommand]> {
        let mut rest = words.get(1..)?;
        while let Some((first, behind)) = rest.split_first().filter(|(first, _)| self.before.contains(&first.value)) {
            debug_assert!(first.kind == JoinKind::Fixed);
            rest = behind;
        }
        let sub = rest.get(..self.sub.len())?;
        let fits = sub.iter().zip(&self.sub).all(|(word, sub)| word.kind == JoinKind::Fixed && word.value == *sub);
        if fits { rest.get(self.sub.len()..) } else { None }
    }

    /// Fails with the reason why the command does, or may do, more than read.
    pub(super) fn check(&self, command: &UnambiguousLine, place: &GateContext<'_>) -> Result<(), String> {
        let words = self.own_words(&command.words).ok_or("it is another command")?;
        if self.root && place.cwd.trim_end_matches('/') != place.workspace.trim_end_matches('/') {
            return Err(format!("{} may be set up otherwise below the root of the workspace", self.program));
        }
        let read = self.read(words)?;
        if !self.needs.is_empty() && !read.flags.iter().any(|flag| self.needs.contains(flag)) {
            return Err(format!("without {} it may do more than read", self.needs.join(" or ")));
        }
        let globs = words.iter().any(|word| word.kind == JoinKind::Glob);
        if globs && (!self.globs || self.most.is_some() || self.first.is_some()) {
            return Err("which files that is, is not certain".to_owned());
        }
        if self.most.is_some_and(|most| read.arguments.len() > most) {
            return Err("with so many arguments it may do more than read".to_owned());
        }
        if let Some((pattern, first)) = self.first.as_ref().zip(read.arguments.first())
            && !pattern.is_match(first)
        {
            return Err(format!("`{first}` may do more than read"));
        }
        if self.first.is_some() && read.arguments.is_empty() {
            return Err("something is missing".to_owned());
        }
        if let Some(pattern) = &self.arguments
            && let Some(odd) = read.arguments.iter().find(|argument| !pattern.is_match(argument))
        {
            return Err(format!("`{odd}` may do more than read"));
        }
        // Some programs have flags that begin with `+`.
        if self.arguments.is_none()
            && let Some(odd) = read.arguments.iter().find(|argument| argument.starts_with('+'))
        {
            return Err(format!("`{odd}` may be a flag"));
        }
        let given = read.arguments.iter().chain(&read.values).chain(&command.reads);
        given.map(|word| unambiguous::reaches(word, place.workspace)).find_map(|why| why).map_or(Ok(()), Err)
    }

    fn read(&self, words: &[PlainCommand]) -> Result<Given, String> {
        let mut given = Given::default();
        let mut ended = false;
        let mut rest = words.iter().map(|word| word.value.as_str());
        while let Some(word) = rest.next() {
            if word == "--" && !ended && !self.whole {
                ended = true;
            } else if word.len() < 2 || !word.starts_with('-') {
                given.arguments.push(word.to_owned());
            } else if ended {
                // Not every program supports `--`.
                return Err(format!("`{word}` may be a flag"));
            } else if self.numbers && word.bytes().skip(1).all(|byte| byte.is_ascii_digit()) {
                given.flags.push(word.to_owned());
            } else if self.whole || word.starts_with("--") {
                self.long(word, &mut rest, &mut given)?;
            } else {
                self.cluster(word, &mut rest, &mut given)?;
            }
        }
        Ok(given)
    }

    fn long<'w>(&self, word: &str, rest: &mut impl Iterator<Item = &'w str>, given: &mut Given) -> Result<(), String> {
        let (flag, glued) = match word.split_once('=').filter(|_| !self.whole) {
            Some((flag, value)) => (flag, Some(value)),
            None => (word, None),
        };
        let known = |list: &[String]| list.iter().any(|known| known == flag);
        if let Some(value) = glued.filter(|_| known(&self.optional) || known(&self.values)) {
            given.values.push(self.fitting(flag, value.to_owned())?);
        } else if glued.is_none() && known(&self.values) {
            given.values.push(self.fitting(flag, next(flag, rest)?)?);
        } else if glued.is_some() || !(known(&self.flags) || known(&self.optional)) {
            return Err(self.refuse(flag));
        }
        given.flags.push(flag.to_owned());
        Ok(())
    }

    /// Short flags: `-la`, `-n5`, `-n 5`.
    fn cluster<'w>(
        &self,
        word: &str,
        rest: &mut impl Iterator<Item = &'w str>,
        given: &mut Given,
    ) -> Result<(), String> {
        let mut letters = word.chars();
        letters.next();
        while let Some(letter) = letters.next() {
            let flag = format!("-{letter}");
            if self.values.contains(&flag) {
                given.values.push(match letters.as_str() {
                    "" => next(&flag, rest)?,
                    glued => glued.to_owned(),
                });
                given.flags.push(flag);
                return Ok(());
            }
            if !self.flags.contains(&flag) {
                return Err(self.refuse(&flag));
            }
            given.flags.push(flag);
        }
        Ok(())
    }

    /// The value of a flag, if its pattern accepts it.
    fn fitting(&self, flag: &str, value: String) -> Result<String, String> {
        match self.patterns.get(flag) {
            Some(pattern) if !pattern.is_match(&value) => Err(format!("`{value}` of {flag} may do more than read")),
            _ => Ok(value),
        }
    }

    fn refuse(&self, flag: &str) -> String {
        // Many programs accept a unique prefix of a long flag.
        let begins =
            |known: &str| known == flag || flag.len() > 3 && known.starts_with("--") && known.starts_with(flag);
        match self.never.iter().find(|(known, _)| begins(known)) {
            Some((known, why)) => format!("{known} {why}"),
            None => format!("{flag} of {} is not known to be harmless", self.name()),
        }
    }
}

/// The words of a command by their role.
#[derive(Default)]
struct Given {
    flags: Vec<String>,
    values: Vec<String>,
    arguments: Vec<String>,
}

/// Takes the value of a flag. Refuses one with a dash, which would be a flag if this flag took no value after all; `-5` could not be one.
fn next<'w>(flag: &str, rest: &mut impl Iterator<Item = &'w str>) -> Result<String, String> {
    let number = |word: &str| word.strip_prefix('-').is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()));
    match rest.next() {
        Some(word) if !word.starts_with('-') || number(word) => Ok(word.to_owned()),
        Some(word) => Err(format!("`{word}` behind {flag} may be a flag")),
        None => Err(format!("{flag} has no value")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_entry_permits_what_it_says_is_never_harmless() {
        assert!(ALL.entries.len() >= 60, "{}", ALL.entries.len());
        assert!(ALL.never.len() >= 30, "{}", ALL.never.len());
        for entry in &ALL.entries {
            assert!(!entry.hits.is_empty() && !entry.misses.is_empty(), "{}", entry.name());
            assert!(!ALL.never.contains_key(&entry.program), "{}", entry.name());
            for flag in entry.never.keys().chain(&entry.needs) {
                assert_eq!(entry.permits(flag), entry.needs.contains(flag), "{} {flag}", entry.name());
            }
        }
    }

    #[test]
    fn every_row_of_the_table_is_read() {
        let document = Document::parse(TABLE).unwrap();
        let known = [
            "program",
            "sub",
            "before",
            "flags",
            "values",
            "optional",
            "needs",
            "never",
            "patterns",
            "whole",
            "numbers",
            "first",
            "arguments",
            "most",
            "globs",
            "root",
            "hits",
            "misses",
        ];
        for table in document["read"].as_array_of_tables().unwrap() {
            for (key, _) in table {
                assert!(known.contains(&key), "{key}");
            }
            for program in strings(table, "program") {
                for sub in strings(table, "sub") {
                    assert!(entry(table, &program, &sub).is_some(), "{program} {sub}");
                }
                assert!(entry(table, &program, "").is_some(), "{program}");
            }
        }
    }
}
