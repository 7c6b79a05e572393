//! Rules that match single lines of a change, from `data/task/risks.toml`.

use std::sync::LazyLock;

use aside_core::agent::language::Bilingual;
use aside_text::lazy_regex::Regex;
use toml_edit::Table;

use crate::run::review::Severity;
use crate::run::review::file_kind::CODE;
use crate::run::review::patch::RowSide;
use crate::run::toml_lists;

const LIST: &str = include_str!("../../../data/task/risks.toml");

/// Bytes of a line that are matched; longer lines are generated.
const MAX_LINE: usize = 1000;

pub struct Rule {
    pub name: String,
    pub what: Bilingual,
    pub weight: Severity,
    pub side: RowSide,
    files: Vec<String>,
    kinds: Vec<String>,
    pattern: Regex,
    not: Option<Regex>,
}

pub static ALL: LazyLock<Vec<Rule>> = LazyLock::new(|| toml_lists::tables(LIST, "risk", read));

fn read(table: &Table) -> Option<Rule> {
    let not = match table.get("not") {
        Some(_) => Some(toml_lists::pattern(table, "not")?),
        None => None,
    };
    Some(Rule {
        name: toml_lists::text(table, "name")?,
        what: toml_lists::both(table, "what")?,
        weight: match toml_lists::text(table, "weight")?.as_str() {
            "grave" => Severity::Grave,
            "look" => Severity::Look,
            "minor" => Severity::Minor,
            _ => return None,
        },
        side: match toml_lists::text(table, "side")?.as_str() {
            "added" => RowSide::Added,
            "removed" => RowSide::Removed,
            _ => return None,
        },
        files: toml_lists::texts(table, "files"),
        kinds: toml_lists::texts(table, "kinds"),
        pattern: toml_lists::pattern(table, "pattern")?,
        not,
    })
}

impl Rule {
    /// Whether the rule applies to such a file.
    pub fn is_about(&self, path: &str, kind: &str) -> bool {
        let ending = path.rsplit('/').next().and_then(|name| name.rsplit_once('.')).map_or("", |(_, ending)| ending);
        let of_kind = match self.kinds.as_slice() {
            [] => [CODE, "tests"].contains(&kind),
            kinds => kinds.iter().any(|known| known == kind || known == "*"),
        };
        of_kind && (self.files.is_empty() || self.files.iter().any(|known| known.eq_ignore_ascii_case(ending)))
    }

    pub fn finds(&self, line: &str) -> bool {
        line.len() <= MAX_LINE
            && self.pattern.is_match(line)
            && !self.not.as_ref().is_some_and(|not| not.is_match(line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_risk_has_its_hits_and_misses() {
        assert_eq!(ALL.len(), toml_lists::count(LIST, "risk"));
        let examples = toml_lists::tables(LIST, "risk", |table| {
            Some((
                toml_lists::text(table, "name")?,
                toml_lists::texts(table, "hits"),
                toml_lists::texts(table, "misses"),
            ))
        });
        let mut wrong = Vec::new();
        for (rule, (name, hits, misses)) in ALL.iter().zip(examples) {
            assert_eq!(rule.name, name);
            assert!(hits.len() >= 2 && misses.len() >= 2, "{name}");
            wrong.extend(hits.iter().filter(|line| !rule.finds(line)).map(|line| format!("{name} hit {line}")));
            wrong.extend(misses.iter().filter(|line| rule.finds(line)).map(|line| format!("{name} miss {line}")));
        }
        assert_eq!(wrong, Vec::<String>::new());
    }
}
