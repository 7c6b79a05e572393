//! Classifies a file by its path, with `data/task/kinds.toml`. Looks at names only.

use std::sync::LazyLock;

use regex::Regex;

use crate::agent::tongue::{Both, Tongue};
use crate::task::run::list;

const LIST: &str = include_str!("../../../../data/task/kinds.toml");

pub const CODE: &str = "code";

struct Kind {
    name: Both,
    pattern: Regex,
}

static ALL: LazyLock<Vec<Kind>> = LazyLock::new(|| {
    list::tables(LIST, "kind", |table| {
        Some(Kind { name: list::both(table, "name")?, pattern: list::pattern(table, "pattern")? })
    })
});

pub fn of(path: &str) -> &'static str {
    ALL.iter().find(|kind| kind.pattern.is_match(path)).map_or(CODE, |kind| kind.name.english.as_str())
}

/// The user-visible name of a kind.
pub fn called(kind: &str, tongue: Tongue) -> &str {
    let known = ALL.iter().map(|kind| &kind.name).find(|name| name.english == kind);
    known.map_or_else(|| if kind == CODE { tongue.pick(CODE, "代码") } else { kind }, |name| name.of(tongue))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_hits_and_misses() {
        assert_eq!(ALL.len(), list::count(LIST, "kind"));
        let mut wrong = Vec::new();
        let examples = list::tables(LIST, "kind", |table| {
            Some((list::text(table, "name")?, list::texts(table, "hits"), list::texts(table, "misses")))
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
