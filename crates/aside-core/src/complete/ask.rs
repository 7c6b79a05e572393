//! What a source is asked: the line, the place, the person's past and the machine. And how a source spells its answer.

use crate::complete::candidate::{Candidate, Facts, Fit, Kind, Source};
use crate::complete::spec::Specs;
use crate::history::index::Index;
use crate::line::quote::{self, After};
use crate::line::{Dialect, Quote, Spot};
use crate::text;
use crate::world::World;

pub struct Ask<'a> {
    /// Text before the cursor.
    pub left: &'a str,
    /// Text after the cursor.
    pub right: &'a str,
    pub cwd: &'a str,
    pub dialect: Dialect,
    /// What the shell said about itself.
    pub names: &'a Names,
    pub history: &'a Index,
    /// The shell that asks, as the history knows it; empty when it is not known.
    pub session: &'a str,
    pub world: &'a dyn World,
    pub specs: &'a Specs,
    /// What a model thinks comes at the cursor.
    pub idea: Option<&'a str>,
    /// How many candidates are wanted in the end.
    pub limit: usize,
}

/// Names that only the shell itself knows, each list in the order of names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// With what they stand for.
    pub aliases: Vec<(Box<str>, Box<str>)>,
    pub functions: Vec<Box<str>>,
    pub builtins: Vec<Box<str>>,
    /// Names of variables, without their values.
    pub variables: Vec<Box<str>>,
    /// `~name` and the path it stands for.
    pub directories: Vec<(Box<str>, Box<str>)>,
    /// Where the shell looks for programs, as its PATH spells it; none before it has said so.
    pub path: Option<Box<str>>,
}

/// Names of one kind; a shell with more has them cut.
const MAX_NAMES: usize = 20_000;
/// Bytes of one name, or of what an alias stands for.
const MAX_NAME: usize = 1024;
/// Bytes of a PATH; directories that would make it longer are left out.
const MAX_PATH: usize = 32 * 1024;

impl Names {
    /// Takes in one part of a list, as lines. Part 0 begins it anew. Kinds that are not known are left alone.
    pub fn take(&mut self, kind: &str, part: u32, lines: &str) {
        let lines = lines.lines().filter(|line| !line.is_empty() && line.len() <= MAX_NAME && text::is_clean(line));
        match kind {
            "alias" => put(&mut self.aliases, part, lines.filter_map(pair)),
            "directory" => put(&mut self.directories, part, lines.filter_map(pair)),
            "function" => put(&mut self.functions, part, lines.map(Box::from)),
            "builtin" => put(&mut self.builtins, part, lines.map(Box::from)),
            "variable" => put(&mut self.variables, part, lines.map(Box::from)),
            "path" => self.search(part, lines),
            _ => {}
        }
    }

    /// Directories, in the order in which programs are looked for.
    fn search<'a>(&mut self, part: u32, directories: impl Iterator<Item = &'a str>) {
        let mut path = self.path.take().filter(|_| part > 0).map(String::from).unwrap_or_default();
        for directory in directories.filter(|directory| !directory.contains(':')) {
            if path.len() + directory.len() >= MAX_PATH {
                break;
            }
            if !path.is_empty() {
                path.push(':');
            }
            path.push_str(directory);
        }
        self.path = Some(path.into());
    }
}

fn put<T: Ord>(list: &mut Vec<T>, part: u32, new: impl Iterator<Item = T>) {
    if part == 0 {
        list.clear();
    }
    list.extend(new);
    list.truncate(MAX_NAMES);
    list.sort();
    list.dedup();
}

fn pair(line: &str) -> Option<(Box<str>, Box<str>)> {
    line.split_once('=').map(|(name, value)| (name.into(), value.into()))
}

impl Ask<'_> {
    /// The line with `value` in the place of the word at the cursor, quoted as the shell needs it there. What is typed
    /// stays as it is typed when `value` begins with it. No blank follows: that is left to the person, as in every ghost
    /// text.
    pub fn word(&self, spot: &Spot<'_>, value: &str, source: Source, facts: Facts, after: After) -> Candidate {
        let mut text = String::with_capacity(self.left.len() + value.len() + self.right.len());
        match value.strip_prefix(spot.typed.as_str()) {
            Some(rest) => {
                text.push_str(self.left);
                text.push_str(&quote::rest(rest, spot.quote, self.dialect, after));
            }
            None => {
                text.push_str(&self.left[..spot.start]);
                text.push_str(&quote::word(value, self.dialect));
            }
        }
        let cursor = (!self.right.is_empty()).then_some(text.len());
        text.push_str(self.right);
        Candidate { text, cursor, source, facts, about: String::new() }
    }

    /// Whether the word goes on after the cursor, so that nothing can be put there.
    pub fn is_in_word(&self, quote: Quote) -> bool {
        let right = self.closed(quote).unwrap_or(self.right);
        right.chars().next().is_some_and(|letter| !letter.is_whitespace() && !";|&)<>}`".contains(letter))
    }

    /// A quote that is closed after the cursor already must not be closed again.
    pub fn after(&self, quote: Quote, after: After) -> After {
        if self.closed(quote).is_some() { After::More } else { after }
    }

    /// What comes after the quote that ends the word, if that is what comes next.
    fn closed(&self, quote: Quote) -> Option<&str> {
        match quote {
            Quote::None => None,
            Quote::Single | Quote::Dollar => self.right.strip_prefix('\''),
            Quote::Double => self.right.strip_prefix('"'),
        }
    }
}

impl Facts {
    pub fn new(kind: Kind, fit: Fit) -> Self {
        Self { kind, fit, rivals: 1, place: 0, typed: 0, adds: 0, past: None, habit: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_in_parts_and_begin_anew_with_part_0() {
        let mut names = Names::default();
        names.take("alias", 0, "gst=git status\nbroken\n");
        names.take("alias", 1, "a=b=c\n\n");
        names.take("function", 0, "mkcd\nmkcd\nback");
        names.take("nonsense", 0, "x");
        assert_eq!(names.aliases, [("a".into(), "b=c".into()), ("gst".into(), "git status".into())]);
        assert_eq!(names.functions, ["back".into(), "mkcd".into()]);
        names.take("alias", 0, "");
        assert!(names.aliases.is_empty());
    }

    #[test]
    fn a_path_is_put_together_in_its_own_order_and_has_an_end() {
        let mut names = Names::default();
        assert_eq!(names.path, None);
        names.take("path", 0, "/usr/bin\n/bin\n\nodd:one\n");
        names.take("path", 1, "/a b");
        assert_eq!(names.path.as_deref(), Some("/usr/bin:/bin:/a b"));
        names.take("path", 0, "/bin");
        assert_eq!(names.path.as_deref(), Some("/bin"));
        for part in 1..100 {
            names.take("path", part, &format!("/{}", "x".repeat(MAX_NAME - 1)));
        }
        let length = names.path.as_deref().map_or(0, str::len);
        assert!(length > MAX_PATH - 2 * MAX_NAME && length <= MAX_PATH, "{length}");
        names.take("path", 0, "");
        assert_eq!(names.path.as_deref(), Some(""), "a shell may have none");
    }
}
