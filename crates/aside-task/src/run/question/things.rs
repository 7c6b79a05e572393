//! What the words of a question name in the repository. A thing is weak where the word may also be a plain one.

use crate::run::question::period::{number, period};
use crate::run::question::table::Slot;
use crate::run::reader::tokens::{Token, TokenKind};
use crate::run::repository::Period;

/// What the repository has; the closures look it up where a word could be such a thing.
pub struct QuestionFacts<'a> {
    pub files: &'a [String],
    /// Branches, branches of remotes and tags.
    pub refs: &'a [String],
    /// Full names.
    pub authors: &'a [String],
    /// Names of targets and scripts.
    pub targets: &'a [String],
    pub has_name: &'a dyn Fn(&str) -> bool,
    pub has_root_file: &'a dyn Fn(&str) -> bool,
}

/// The things of a question, as the repository calls them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Things {
    pub refs: Vec<String>,
    pub authors: Vec<String>,
    pub files: Vec<String>,
    pub directories: Vec<String>,
    pub targets: Vec<String>,
    pub names: Vec<String>,
    pub numbers: Vec<usize>,
    pub period: Option<Period>,
    pub texts: Vec<String>,
    pub words: Vec<String>,
}

impl Things {
    pub fn count(&self, slot: Slot) -> usize {
        match slot {
            Slot::Ref => self.refs.len(),
            Slot::Author => self.authors.len(),
            Slot::File => self.files.len(),
            Slot::Directory => self.directories.len(),
            Slot::Target => self.targets.len(),
            Slot::Name => self.names.len(),
            Slot::Number => self.numbers.len(),
            Slot::Period => usize::from(self.period.is_some()),
            Slot::Text => self.texts.len(),
            Slot::Words => self.words.len(),
        }
    }

    pub fn add(&mut self, thing: &Thing) {
        let value = thing.value.clone();
        match thing.kind {
            Slot::Ref => self.refs.push(value),
            Slot::Author => self.authors.push(value),
            Slot::File => self.files.push(value),
            Slot::Directory => self.directories.push(value),
            Slot::Target => self.targets.push(value),
            Slot::Name => self.names.push(value),
            Slot::Number => self.numbers.extend(number(&value)),
            Slot::Period => self.period = thing.period,
            Slot::Text => self.texts.push(value),
            Slot::Words => self.words.push(value),
        }
    }
}

pub struct Thing {
    pub kind: Slot,
    pub value: String,
    pub period: Option<Period>,
    pub at: usize,
    pub len: usize,
    pub is_weak: bool,
}

/// All things of a question, those that take more tokens first.
pub struct Grounded {
    pub all: Vec<Thing>,
}

impl Grounded {
    pub fn of(tokens: &[Token], facts: &QuestionFacts<'_>) -> Self {
        let mut all: Vec<Thing> = (0..tokens.len()).flat_map(|at| things(tokens, at, facts)).collect();
        all.sort_by_key(|thing| (std::cmp::Reverse(thing.len), thing.at));
        Self { all }
    }
}

/// Programs that run a target.
const RUNNERS: [&str; 8] = ["make", "just", "npm", "pnpm", "yarn", "bun", "run", "task"];

fn things(tokens: &[Token], at: usize, facts: &QuestionFacts<'_>) -> Vec<Thing> {
    let Some(token) = tokens.get(at).filter(|token| token.kind != TokenKind::Break) else { return Vec::new() };
    let text = token.text.as_str();
    let next = |offset: usize| tokens.get(at + offset).map(|token| token.text.to_lowercase()).unwrap_or_default();
    let thing = |kind: Slot, value: &str, len: usize, is_weak: bool| Thing {
        kind,
        value: value.to_owned(),
        period: None,
        at,
        len,
        is_weak,
    };
    let mut found = Vec::new();
    if let Some((when, len)) = period(tokens, at) {
        found.push(Thing { period: Some(when), ..thing(Slot::Period, text, len, true) });
    }
    if token.kind == TokenKind::Quoted {
        match target_in(text, facts) {
            Some(target) => found.push(thing(Slot::Target, &target, 1, false)),
            None => found.push(thing(Slot::Text, text, 1, false)),
        }
        return found;
    }
    if let Some(name) = reference(text, facts) {
        let is_plain = name.chars().all(char::is_alphabetic);
        found.push(thing(Slot::Ref, &name, 1, is_plain));
    }
    if let Some((name, len)) = author(text, &next(1), facts) {
        found.push(thing(Slot::Author, &name, len, false));
    }
    if let Some(place) = place(text, facts) {
        found.push(thing(place.0, &place.1, 1, !text.contains(['/', '.'])));
    }
    // `make test`, `npm run build`, `the build target`.
    if RUNNERS.contains(&text.to_lowercase().as_str()) {
        // `run` is a target of its own where no name of one follows.
        let is_target = |name: &str| facts.targets.iter().any(|target| target == name);
        let runs = usize::from(next(1) == "run" && is_target(&next(2)));
        let name = tokens.get(at + 1 + runs).map(|token| token.text.as_str()).unwrap_or_default();
        if facts.targets.iter().any(|target| target == name) {
            found.push(thing(Slot::Target, name, 2 + runs, false));
        }
    }
    if ["target", "script", "recipe", "task"].contains(&next(1).as_str())
        && let Some(name) = facts.targets.iter().find(|target| target.eq_ignore_ascii_case(text))
    {
        found.push(thing(Slot::Target, name, 2, false));
    }
    if number(text).is_some() {
        found.push(thing(Slot::Number, text, 1, true));
    }
    if found.is_empty() {
        let bare = text.trim_end_matches("()");
        match () {
            () if is_name(bare) && (facts.has_name)(bare) => found.push(thing(Slot::Name, bare, 1, false)),
            () if is_code(text) => found.push(thing(Slot::Text, text, 1, false)),
            () => {}
        }
    }
    found
}

/// The target of a command in quotes.
fn target_in(text: &str, facts: &QuestionFacts<'_>) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let (runner, name) = match words.as_slice() {
        [runner, name] | [runner, "run", name] => (*runner, *name),
        _ => return None,
    };
    let is_target = RUNNERS.contains(&runner);
    facts.targets.iter().find(|target| is_target && target.as_str() == name).cloned()
}

/// A branch, a tag or a commit, as git calls it.
fn reference(text: &str, facts: &QuestionFacts<'_>) -> Option<String> {
    let has = |name: &str| facts.refs.iter().any(|known| known == name);
    let candidates = [text.to_owned(), format!("v{text}"), format!("origin/{text}")];
    if let Some(known) = candidates.into_iter().find(|name| has(name)) {
        return Some(known);
    }
    let base = text.split(['~', '^']).next().unwrap_or_default();
    if base.eq_ignore_ascii_case("head") && text.is_ascii() {
        return Some(format!("HEAD{}", text.get(4..).unwrap_or_default()));
    }
    let is_id = (7..=40).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_hexdigit())
        && text.bytes().any(|byte| byte.is_ascii_digit());
    // A version that no tag has is a tag that is missing.
    let is_version = text.strip_prefix('v').is_some_and(|rest| {
        rest.contains('.') && rest.split('.').all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
    });
    (is_id || is_version).then(|| text.to_owned())
}

/// An author by the full name, the first or the last one.
fn author(text: &str, next: &str, facts: &QuestionFacts<'_>) -> Option<(String, usize)> {
    let lower = text.to_lowercase();
    if lower.chars().count() < 2 {
        return None;
    }
    let whole = format!("{lower} {next}");
    let full = facts.authors.iter().find(|name| name.to_lowercase() == whole);
    if let Some(name) = full {
        return Some((name.clone(), 2));
    }
    let part = |name: &&String| {
        name.to_lowercase() == lower
            || name.split_whitespace().any(|part| part.len() > 2 && part.to_lowercase() == lower)
    };
    facts.authors.iter().find(part).map(|name| (name.clone(), 1))
}

/// A file or a directory by its path, the end of its path, or its name.
fn place(text: &str, facts: &QuestionFacts<'_>) -> Option<(Slot, String)> {
    let wanted = text.trim_start_matches("./").trim_end_matches('/');
    if wanted.len() < 2 {
        return None;
    }
    let ends = |path: &str| path == wanted || path.strip_suffix(wanted).is_some_and(|rest| rest.ends_with('/'));
    let mut files = facts.files.iter().filter(|path| ends(path));
    if let Some(only) = files.next().filter(|_| files.next().is_none()) {
        return Some((Slot::File, only.clone()));
    }
    if facts.files.iter().any(|path| path == wanted) {
        return Some((Slot::File, wanted.to_owned()));
    }
    let mut directories: Vec<&str> = Vec::new();
    for path in facts.files {
        for (at, _) in path.match_indices('/') {
            let directory = path.get(..at).unwrap_or_default();
            if ends(directory) && !directories.contains(&directory) {
                directories.push(directory);
            }
        }
    }
    directories.sort_by_key(|directory| directory.len());
    directories.first().map(|directory| (Slot::Directory, (*directory).to_owned()))
}

/// `TIMEOUT_S`, `retainDays`, `Store`: what prose has no such word for.
pub fn is_name(text: &str) -> bool {
    let plain = text.chars().all(|letter| letter.is_ascii_alphanumeric() || "_.:-$".contains(letter));
    let inner = text.chars().skip(1).any(|letter| letter.is_ascii_uppercase());
    let starts = text.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_');
    plain && starts && text.len() > 2 && (inner || text.contains('_') || text.contains("::"))
}

/// A piece of code: `verify=False`, `.unwrap()`, `process.exit`.
fn is_code(text: &str) -> bool {
    let calls = text.contains('(') || text.starts_with('.') && text.len() > 2;
    let dotted = text.split_once('.').is_some_and(|(before, after)| {
        before.len() > 2
            && after.len() > 1
            && after.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
    });
    text.is_ascii() && (calls || text.contains(['=', '<', '{', '$']) && text.len() > 2 || dotted)
}
