//! Decides which files a task neither reads nor writes because they hold secrets, from the list in `data/task/deny.toml`. No setting and no
//! argument overrides it.

use std::sync::LazyLock;

use aside_core::agent::language::Bilingual;
use aside_text::lazy_regex::Regex;

use crate::path_patterns::{self, PathEntry};

const LIST: &str = include_str!("../data/task/deny.toml");

/// What kind of secret file the path names, e.g. `a private key`; `None` if a task may touch it. Takes a path with `/`, relative or not.
pub fn denied(path: &str) -> Option<&'static str> {
    denial(path).map(|what| what.english.as_str())
}

/// Like `denied`, with the text in both languages.
pub fn denial(path: &str) -> Option<&'static Bilingual> {
    // A search asks for every file of a repository: one pass over the path rules nearly all of them out. It knows ASCII only.
    if path.is_ascii() && SIEVE.as_ref().is_some_and(|sieve| !sieve.is_match(path)) {
        return None;
    }
    path_patterns::find(&ALL, path).map(|deny| &deny.what)
}

static ALL: LazyLock<Vec<PathEntry>> = LazyLock::new(|| path_patterns::entries(LIST, "deny"));

/// Matches every ASCII path that has the last part of a pattern, and so every one that is denied.
static SIEVE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let last = |pattern: &Vec<String>| Some(regex::escape(pattern.last()?).replace(r"\*", "[^/]*"));
    let all: Vec<String> = ALL.iter().flat_map(|deny| &deny.patterns).filter_map(last).collect();
    Regex::new(&format!(r"(?i)(?:^|/)(?:{})[. ]*(?:/|$)", all.join("|"))).ok()
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_does_what_its_examples_say() {
        assert!(ALL.len() >= 7);
        path_patterns::check(&ALL);
        for hit in ALL.iter().flat_map(PathEntry::hits) {
            assert!(denied(hit).is_some(), "{hit}");
        }
    }
}
