//! Classifies a file by its path, with `data/task/kinds.toml`. Looks at names only.

use std::sync::LazyLock;

use aside_core::agent::language::{Bilingual, Language};
use aside_text::lazy_regex::Regex;

use crate::run::toml_lists;

const LIST: &str = include_str!("../../../data/task/kinds.toml");

pub const CODE: &str = "code";

struct Kind {
    name: Bilingual,
    pattern: Regex,
}

static ALL: LazyLock<Vec<Kind>> = LazyLock::new(|| {
    toml_lists::tables(LIST, "kind", |table| {
        Some(Kind { name: toml_lists::both(table, "name")?, pattern: toml_lists::pattern(table, "pattern")? })
    })
});

pub fn of(path: &str) -> &'static str {
    ALL.iter().find(|kind| kind.pattern.is_match(path)).map_or(CODE, |kind| kind.name.english.as_str())
}

/// The user-visible name of a kind.
pub fn called(kind: &str, language: Language) -> &str {
    let known = ALL.iter().map(|kind| &kind.name).find(|name| name.english == kind);
    known.map_or_else(|| if kind == CODE { language.pick(CODE, "代码") } else { kind }, |name| name.of(language))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_hits_and_misses() {
        assert_eq!(ALL.len(), toml_lists::count(LIST, "kind"));
        let mut wrong = Vec::new();
        let examples = toml_lists::tables(LIST, "kind", |table| {
            Some((
                toml_lists::text(table, "name")?,
                toml_lists::texts(table, "hits"),
                toml_lists::texts(table, "misses"),
            ))
        });
        for (name, hits, misses) in examples {
            assert!(hits.len() >= 3 && misses.len() >= 2, "{name}");
            wrong.extend(
                hits.iter().filter(|path| of(path) != name).map(|path| format!("{name} hit {path}: {}", of(path))),
            );
            wrong.extend(misses.iter().filter(|path| of(path) == name).map(|path| format!("{name} miss {path}")));
        }
        assert_eq!(wrong, Vec::<String>::new());
    }
}
