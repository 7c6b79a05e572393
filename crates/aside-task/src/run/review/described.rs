//! Files that a request for a review describes instead of naming them: "the CI workflow", "the C code", "the whole project". Patterns and
//! endings are in `data/task/described.toml`.

use std::sync::LazyLock;

use aside_text::lazy_regex::Regex;

use crate::run::review::file_kind;
use crate::run::toml_lists;

const LIST: &str = include_str!("../../../data/task/described.toml");

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileSet(&'static Described);

#[derive(Debug, PartialEq, Eq)]
struct Described {
    /// A kind of kinds.toml; empty for any.
    kind: String,
    /// Endings of names; empty for any.
    endings: Vec<String>,
}

static ALL: LazyLock<Vec<(Regex, Described)>> = LazyLock::new(|| {
    toml_lists::tables(LIST, "files", |table| {
        let pattern = Regex::new(&format!("(?i){}", toml_lists::text(table, "pattern")?)).ok()?;
        let kind = toml_lists::text(table, "kind").unwrap_or_default();
        Some((pattern, Described { kind, endings: toml_lists::texts(table, "endings") }))
    })
});

/// The files that the words describe; `None` where they are about a change, or name no files.
pub fn files(words: &str) -> Option<FileSet> {
    if super::target::is_about_changes(words) {
        return None;
    }
    ALL.iter().find(|(pattern, _)| pattern.is_match(words)).map(|(_, described)| FileSet(described))
}

impl FileSet {
    pub fn has(self, path: &str) -> bool {
        let Described { kind, endings } = self.0;
        let is_kind = kind.is_empty() || file_kind::of(path) == kind;
        is_kind && (endings.is_empty() || endings.iter().any(|ending| path.ends_with(ending.as_str())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_has_its_hits_and_misses() {
        assert_eq!(ALL.len(), toml_lists::count(LIST, "files"));
        let examples = toml_lists::tables(LIST, "files", |table| {
            Some((toml_lists::texts(table, "hits"), toml_lists::texts(table, "misses")))
        });
        for (at, (hits, misses)) in examples.into_iter().enumerate() {
            let found = |words: &str| ALL.iter().position(|(pattern, _)| pattern.is_match(words));
            assert_eq!(hits.iter().filter(|hit| found(hit) != Some(at)).collect::<Vec<_>>(), Vec::<&String>::new());
            assert_eq!(misses.iter().filter(|miss| files(miss).is_some()).collect::<Vec<_>>(), Vec::<&String>::new());
        }
    }

    #[test]
    fn a_set_has_files_by_kind_and_ending() {
        let ci = files("sanity check the CI workflow").unwrap();
        assert!(ci.has(".github/workflows/a.yml") && !ci.has("src/a.rs"));
        let c = files("anything dangerous in the C code?").unwrap();
        assert!(c.has("src/a.c") && c.has("include/a.h") && !c.has("a.py"));
    }
}
