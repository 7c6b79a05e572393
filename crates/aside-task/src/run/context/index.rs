//! A light index of a workspace for one request: which files define what its words name, which tests mention it, and which files use it.
//! Finds definitions line by line with the patterns of `data/task/search.toml`, and compares names regardless of case and separators, so
//! that "memory store" is `MemoryStore`.

use std::collections::{BTreeMap, HashMap, HashSet};

use regex::Regex;

use crate::run::facts::{self, FactQuestion};
use crate::run::review::file_kind;
use crate::run::search::definitions;

/// Words of a request that are searched, and files of each role.
const MAX_WORDS: usize = 60;
const MAX_DEFINES: usize = 5;
const MAX_TESTS: usize = 2;
const MAX_USES: usize = 2;
/// Letters of the shortest word that can be a name by itself.
const SHORTEST: usize = 3;

/// A file, and why it is worth reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    pub path: String,
    /// The line with the name.
    pub line: usize,
    pub name: String,
    pub role: Role,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    Defines,
    Tests,
    Uses,
}

#[derive(Clone)]
pub struct Index {
    /// Normalised names from the request, and how sure it is that a name was meant.
    wanted: HashMap<String, u8>,
    /// Matches every line that has one of them, and few others: nearly all lines are not split into tokens. `None` if it is too large.
    sieve: Option<Regex>,
    defines: Vec<(u8, Hit)>,
    /// For each file, the names in it, each with its first line.
    mentions: Vec<(String, BTreeMap<String, usize>)>,
    uses: bool,
}

impl Index {
    pub fn new(words: &str) -> Self {
        let mut wanted = HashMap::new();
        let mut want = |name: String, sure: u8| {
            let known = wanted.entry(name).or_insert(0);
            *known = sure.max(*known);
        };
        if let Some(FactQuestion::Name(name)) = facts::parse_question(words, None) {
            want(plain(name.rsplit(['.', ':']).next().unwrap_or(&name)), 3);
        }
        let all: Vec<&str> = words
            .split(|letter: char| !(letter.is_alphanumeric() || letter == '_' || letter == '$'))
            .filter(|word| !word.is_empty())
            .take(MAX_WORDS)
            .collect();
        for (at, word) in all.iter().enumerate() {
            let special =
                is_special(word) || words.contains(&format!("`{word}`")) || words.contains(&format!("{word}()"));
            let common = COMMON.contains(&word.to_lowercase().as_str());
            match () {
                () if special => want(plain(word), 3),
                () if word.len() >= SHORTEST && !common => {
                    want(plain(word), 1);
                    want(plain(word.trim_end_matches('s')), 1);
                }
                () => {}
            }
            for length in 2..=3 {
                let Some(several) = all.get(at..at + length) else { continue };
                if several.iter().all(|word| word.is_ascii()) {
                    want(plain(&several.concat()), 2);
                }
            }
        }
        wanted.remove("");
        const USES: [&str; 12] = [
            "use",
            "uses",
            "used",
            "usage",
            "call",
            "calls",
            "called",
            "caller",
            "callers",
            "rename",
            "everywhere",
            "signature",
        ];
        let uses = all.iter().any(|word| USES.contains(&word.to_lowercase().as_str()));
        let sieve = sieve(wanted.keys());
        Self { wanted, sieve, defines: Vec::new(), mentions: Vec::new(), uses }
    }

    /// Whether the request has no name to search for.
    pub fn is_empty(&self) -> bool {
        self.wanted.is_empty()
    }

    /// Adds what another thread found in other files.
    pub fn merge(&mut self, other: Self) {
        self.defines.extend(other.defines);
        self.mentions.extend(other.mentions);
    }

    /// Indexes one file of the workspace.
    pub fn look(&mut self, path: &str, text: &str) {
        let mut lines = relevant(text, self.sieve.as_ref()).peekable();
        if lines.peek().is_none() {
            return;
        }
        let is_code = matches!(file_kind::of(path), file_kind::CODE | "tests");
        let mut mentioned: BTreeMap<String, usize> = BTreeMap::new();
        for (at, line) in lines {
            let mut here = false;
            for token in line.split(|letter: char| !(letter.is_alphanumeric() || letter == '_' || letter == '$')) {
                if token.len() < SHORTEST || !self.wanted.contains_key(&plain(token)) {
                    continue;
                }
                here = true;
                mentioned.entry(token.to_owned()).or_insert(at + 1);
            }
            if !here || !is_code || !definitions::is_definition(line) {
                continue;
            }
            let Some(name) = definitions::defined(line) else { continue };
            if let Some(sure) = self.wanted.get(&plain(name)) {
                let hit = Hit { path: path.to_owned(), line: at + 1, name: name.to_owned(), role: Role::Defines };
                self.defines.push((*sure, hit));
            }
        }
        if !mentioned.is_empty() && is_code {
            self.mentions.push((path.to_owned(), mentioned));
        }
    }

    /// The surest definitions first; then tests and users of what they define.
    pub fn done(mut self) -> Vec<Hit> {
        // Threads end in any order.
        self.mentions.sort_by(|(one, _), (other, _)| one.cmp(other));
        // A word that names half of the code says nothing.
        let mut counts: HashMap<String, usize> = HashMap::new();
        for (_, hit) in &self.defines {
            *counts.entry(hit.name.clone()).or_default() += 1;
        }
        self.defines.retain(|(sure, hit)| *sure > 1 || counts.get(&hit.name).is_some_and(|count| *count <= 3));
        self.defines.sort_by_cached_key(|(sure, hit)| (u8::MAX - sure, is_test(&hit.path), hit.path.clone(), hit.line));
        let mut hits: Vec<Hit> = Vec::new();
        for (_, hit) in self.defines {
            if hits.len() < MAX_DEFINES && !hits.iter().any(|known| known.path == hit.path) {
                hits.push(hit);
            }
        }
        let names: HashSet<String> = hits.iter().map(|hit| hit.name.clone()).collect();
        let taken: HashSet<String> = hits.iter().map(|hit| hit.path.clone()).collect();
        let mut more: Vec<Hit> = Vec::new();
        for (path, mentioned) in self.mentions.iter().filter(|(path, _)| !taken.contains(path)) {
            let Some((name, line)) = mentioned.iter().find(|(name, _)| names.contains(*name)) else { continue };
            let role = if is_test(path) { Role::Tests } else { Role::Uses };
            let most = if role == Role::Tests { MAX_TESTS } else { MAX_USES };
            let wanted = role == Role::Tests || self.uses;
            if wanted && more.iter().filter(|hit| hit.role == role).count() < most {
                more.push(Hit { path: path.clone(), line: *line, name: name.clone(), role });
            }
        }
        more.sort_by_key(|hit| hit.role);
        hits.extend(more);
        hits
    }
}

/// Bytes of a compiled sieve.
const MAX_SIEVE: usize = 4 * 1024 * 1024;

/// Tokens are compared without case and without `_` and `$`.
fn sieve<'a>(names: impl Iterator<Item = &'a String>) -> Option<Regex> {
    let spelled = |name: &String| {
        let letters: Vec<String> = name.chars().map(|letter| regex::escape(letter.encode_utf8(&mut [0; 4]))).collect();
        letters.join("[_$]*")
    };
    // Sorted, so that the same request makes the same expression.
    let mut all: Vec<String> = names.map(spelled).collect();
    all.sort_unstable();
    // `İ`, whose lower case is two characters, is the only letter that the expression would miss.
    let is_simple = !all.iter().any(|name| name.contains('\u{307}'));
    let pattern = format!("(?i){}", all.join("|"));
    is_simple.then(|| regex::RegexBuilder::new(&pattern).size_limit(MAX_SIEVE).build().ok()).flatten()
}

/// The lines that match, with their indices; all lines without an expression.
fn relevant<'a>(text: &'a str, sieve: Option<&'a Regex>) -> Box<dyn Iterator<Item = (usize, &'a str)> + 'a> {
    let Some(sieve) = sieve else { return Box::new(text.lines().enumerate()) };
    let (mut from, mut number) = (0, 0);
    Box::new(std::iter::from_fn(move || {
        let found = sieve.find_at(text, from)?;
        let before = text.get(from..found.start())?;
        number += before.matches('\n').count();
        let start = text.get(..found.start())?.rfind('\n').map_or(0, |at| at + 1);
        let end = text.get(found.end()..)?.find('\n').map_or(text.len(), |at| found.end() + at);
        let line = text.get(start..end)?;
        let line = line.strip_suffix('\r').unwrap_or(line);
        let this = number;
        // Behind the line, so that each is taken once.
        from = (end + 1).min(text.len());
        number += 1;
        (found.start() < text.len()).then_some((this, line))
    }))
}

fn is_test(path: &str) -> bool {
    file_kind::of(path) == "tests"
}

/// Spelled as only code is: `load_user`, `getUser`, `MAX`.
fn is_special(word: &str) -> bool {
    let bytes = word.as_bytes();
    word.contains('_')
        || bytes.windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
        || word.len() > 2 && bytes.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
}

/// A name without case and separators.
fn plain(name: &str) -> String {
    name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Words of requests that are also common identifiers.
const COMMON: &[&str] = &[
    "add",
    "all",
    "and",
    "any",
    "are",
    "ask",
    "because",
    "bug",
    "but",
    "call",
    "called",
    "can",
    "change",
    "check",
    "class",
    "code",
    "could",
    "create",
    "delete",
    "describe",
    "does",
    "each",
    "error",
    "every",
    "explain",
    "fail",
    "fails",
    "file",
    "files",
    "find",
    "fix",
    "for",
    "from",
    "function",
    "get",
    "give",
    "handle",
    "has",
    "have",
    "how",
    "implement",
    "into",
    "its",
    "line",
    "list",
    "log",
    "main",
    "make",
    "method",
    "more",
    "move",
    "name",
    "need",
    "new",
    "not",
    "now",
    "off",
    "one",
    "only",
    "open",
    "our",
    "out",
    "please",
    "print",
    "project",
    "raise",
    "read",
    "refactor",
    "remove",
    "rename",
    "replace",
    "return",
    "returns",
    "run",
    "set",
    "should",
    "show",
    "slow",
    "some",
    "start",
    "stop",
    "support",
    "take",
    "test",
    "tests",
    "that",
    "the",
    "their",
    "them",
    "then",
    "there",
    "this",
    "throw",
    "type",
    "update",
    "use",
    "used",
    "uses",
    "value",
    "want",
    "was",
    "what",
    "when",
    "where",
    "which",
    "why",
    "will",
    "with",
    "without",
    "work",
    "works",
    "write",
    "wrong",
    "you",
    "your",
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Most lines are ruled out by an expression before they are split into names; it finds the same as all lines do.
    #[test]
    fn lines_that_are_passed_over_have_no_wanted_name() {
        let text = "use crate::x;\r\nfn memory_store() {}\r\nlet a = 1;\nstruct MemoryStore;\nlet $memory$store = memoryStore;\n\nmemory store\nMEMORY__STORE memory-store\nΣ σ store\nlast store";
        for words in ["explain the memory store", "what does memory_store do", "解释 MemoryStore", "x", "ΣTORE store"]
        {
            let (mut ours, mut all) = (Index::new(words), Index::new(words));
            all.sieve = None;
            for path in ["src/a.rs", "tests/b.rs", "notes.md"] {
                ours.look(path, text);
                all.look(path, text);
            }
            assert_eq!((&ours.defines, &ours.mentions), (&all.defines, &all.mentions), "{words}");
        }
        assert!(Index::new("explain the memory store").sieve.is_some());
    }

    #[test]
    fn what_threads_found_is_the_same_in_any_order() {
        let files = [
            ("src/a.rs", "fn load_user() {}\n"),
            ("src/b.rs", "load_user();\n"),
            ("src/c.rs", "load_user();\n"),
            ("tests/d.rs", "load_user();\n"),
        ];
        let found = |order: &[usize]| {
            let mut index = Index::new("rename load_user everywhere");
            for at in order {
                let mut other = index.clone();
                other.defines.clear();
                other.mentions.clear();
                other.look(files[*at].0, files[*at].1);
                index.merge(other);
            }
            index.done()
        };
        let paths: Vec<String> = found(&[0, 1, 2, 3]).into_iter().map(|hit| hit.path).collect();
        assert_eq!(paths, ["src/a.rs", "tests/d.rs", "src/b.rs", "src/c.rs"]);
        assert_eq!(found(&[0, 1, 2, 3]), found(&[3, 2, 1, 0]));
    }
}
