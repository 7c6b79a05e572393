//! A light index of a workspace for one request: which files define what its words name, which tests mention it, and which files use it.
//! Finds definitions line by line with the patterns of `data/task/search.toml`, and compares names regardless of case and separators, so
//! that "memory store" is `MemoryStore`.

use std::collections::{BTreeMap, HashMap, HashSet};

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

pub struct Index {
    /// Normalised names from the request, and how sure it is that a name was meant.
    wanted: HashMap<String, u8>,
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
        Self { wanted, defines: Vec::new(), mentions: Vec::new(), uses }
    }

    /// Whether the request has no name to search for.
    pub fn is_empty(&self) -> bool {
        self.wanted.is_empty()
    }

    /// Indexes one file of the workspace.
    pub fn look(&mut self, path: &str, text: &str) {
        let is_code = matches!(file_kind::of(path), file_kind::CODE | "tests");
        let mut mentioned: BTreeMap<String, usize> = BTreeMap::new();
        for (at, line) in text.lines().enumerate() {
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
        // A word that names half of the code says nothing.
        let count = |name: &str, all: &[(u8, Hit)]| all.iter().filter(|(_, hit)| hit.name == name).count();
        let all = self.defines.clone();
        self.defines.retain(|(sure, hit)| *sure > 1 || count(&hit.name, &all) <= 3);
        self.defines.sort_by(|(one, a), (other, b)| {
            let rank = |sure: u8, hit: &Hit| (u8::MAX - sure, is_test(&hit.path), hit.path.clone(), hit.line);
            rank(*one, a).cmp(&rank(*other, b))
        });
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
