//! Adds a version to the list of those that CI tests, or takes one out: `also test on python 3.12`, `drop python 3.9 from CI`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use aside_text::lazy_regex::Regex;

use crate::run::code;
use crate::run::exact_edit::EditResult;
use crate::run::exact_edit::place::Place;
use crate::run::versions;

/// A version to add or to take out, and what it is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatrixEntry {
    pub name: String,
    pub version: String,
    pub change: MatrixChange,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatrixChange {
    Add,
    Remove,
}

struct Lists {
    /// `python-version: ["3.10", "3.11"]`
    inline: Regex,
    /// The same with one row each.
    rows: Regex,
}

static LISTS: LazyLock<Option<Lists>> = LazyLock::new(|| {
    let key = r#"(?m)^[ \t]*["']?(?P<name>[a-z]+)(?:[-_]version)?s?["']?:"#;
    Some(Lists {
        inline: Regex::new(&format!(r"{key}[ \t]*\[(?P<all>[^\]\n]*)\]")).ok()?,
        rows: Regex::new(&format!(r#"{key}[ \t]*\n(?P<all>(?:[ \t]*-[ \t]*["']?v?\d[\w.]*["']?[ \t]*\n)+)"#)).ok()?,
    })
});

pub fn change(wanted: &MatrixEntry, files: &BTreeMap<String, String>) -> EditResult {
    let Some(lists) = LISTS.as_ref() else { return EditResult::Nothing(String::new()) };
    let mut made = BTreeMap::new();
    let mut is_there = false;
    for (path, text) in files.iter().filter(|(path, _)| Place::Ci.has(path)) {
        let inline = lists.inline.captures_iter(text).map(|found| (found, true));
        let rows = lists.rows.captures_iter(text).map(|found| (found, false));
        // Only one list per file: several would be several jobs.
        let mut lists = inline.chain(rows).filter(|(found, _)| {
            let versions = found["all"].split([',', '\n', '-']).map(bare).filter(|one| !one.is_empty());
            versions::likeness(&found["name"], &wanted.name) == Some(0)
                && versions.clone().count() > 0
                && versions.into_iter().all(|one| one.starts_with(|letter: char| letter.is_ascii_digit()))
        });
        let (Some((found, is_inline)), None) = (lists.next(), lists.next()) else { continue };
        let Some(all) = found.name("all") else { continue };
        let rows: Vec<&str> = all.as_str().split([',', '\n']).collect();
        let is_it = |row: &&&str| bare(row.trim_start_matches([' ', '\t', '-'])) == wanted.version;
        let has = rows.iter().any(|row| is_it(&row));
        match wanted.change {
            MatrixChange::Add if has => {
                is_there = true;
                continue;
            }
            MatrixChange::Remove if !has => continue,
            MatrixChange::Remove => {
                let left: Vec<&str> = rows.iter().filter(|row| !is_it(row)).copied().collect();
                if left.iter().all(|row| row.trim().is_empty()) {
                    return EditResult::Nothing(format!(
                        "{} is the only version in {}.",
                        code(&wanted.version),
                        code(path)
                    ));
                }
                let left = if is_inline { left.join(",").trim_start().to_owned() } else { left.join("\n") };
                let mut changed = text.clone();
                changed.replace_range(all.range(), &left);
                made.insert(path.clone(), changed);
                continue;
            }
            MatrixChange::Add => {}
        }
        let quote = all.as_str().chars().find(|letter| ['"', '\''].contains(letter));
        let new = quote.map_or(wanted.version.clone(), |quote| format!("{quote}{}{quote}", wanted.version));
        let mut changed = text.clone();
        if is_inline {
            changed.insert_str(all.start() + all.as_str().trim_end().len(), &format!(", {new}"));
        } else {
            let indent: String = all.as_str().chars().take_while(|letter| *letter == ' ' || *letter == '\t').collect();
            changed.insert_str(all.end(), &format!("{indent}- {new}\n"));
        }
        made.insert(path.clone(), changed);
    }
    let (name, version) = (code(&wanted.name), code(&wanted.version));
    if wanted.change == MatrixChange::Remove {
        if made.is_empty() {
            return EditResult::Nothing(format!(
                "No workflow here lists {name} {version} among others, so nothing is taken out."
            ));
        }
        let places: Vec<String> = made.keys().map(|path| code(path)).collect();
        let summary = format!("CI no longer runs with {name} {version}, in {}", places.join(", "));
        return EditResult::Texts { files: made, summary, note: String::new() };
    }
    match (made.is_empty(), is_there) {
        (true, true) => EditResult::Nothing(format!("CI runs with {name} {version} already.")),
        (true, false) => {
            EditResult::Nothing(format!("No workflow here has one list of versions of {name}, so none is added."))
        }
        (false, _) => {
            let places: Vec<String> = made.keys().map(|path| code(path)).collect();
            let summary = format!("CI also runs with {name} {version}, in {}", places.join(", "));
            EditResult::Texts { files: made, summary, note: String::new() }
        }
    }
}

fn bare(version: &str) -> &str {
    version.trim().trim_matches(['"', '\''])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn added(text: &str, name: &str, version: &str) -> String {
        changed(text, name, version, MatrixChange::Add)
    }

    fn changed(text: &str, name: &str, version: &str, how: MatrixChange) -> String {
        let files = BTreeMap::from([(".github/workflows/ci.yml".to_owned(), text.to_owned())]);
        match change(&MatrixEntry { name: name.to_owned(), version: version.to_owned(), change: how }, &files) {
            EditResult::Texts { files, .. } => files.into_values().next().unwrap(),
            EditResult::Nothing(why) => format!("? {why}"),
            EditResult::Move { .. } => panic!("no move"),
        }
    }

    #[test]
    fn a_version_joins_the_list() {
        assert_eq!(
            added("      python-version: [\"3.10\", \"3.11\"]\n", "python", "3.12"),
            "      python-version: [\"3.10\", \"3.11\", \"3.12\"]\n"
        );
        assert_eq!(added("node: [18, 20]\n", "node", "22"), "node: [18, 20, 22]\n");
        assert_eq!(
            added("  go-version:\n    - '1.21'\n    - '1.22'\n  os: x\n", "go", "1.23"),
            "  go-version:\n    - '1.21'\n    - '1.22'\n    - '1.23'\n  os: x\n"
        );
        assert!(added("node: [18, 20]\n", "node", "20").contains("already"));
        assert!(added("python-version: '3.10'\n", "python", "3.12").starts_with("? No workflow"));
        assert!(added("node: [a, b]\n", "node", "20").starts_with("? No workflow"));
    }

    #[test]
    fn a_version_leaves_the_list() {
        let removed = |text: &str, version: &str| changed(text, "python", version, MatrixChange::Remove);
        assert_eq!(removed("python-version: [\"3.10\", \"3.11\"]\n", "3.10"), "python-version: [\"3.11\"]\n");
        assert_eq!(removed("python-version: [\"3.10\", \"3.11\"]\n", "3.11"), "python-version: [\"3.10\"]\n");
        assert_eq!(removed("python:\n  - '3.9'\n  - '3.10'\nos: x\n", "3.9"), "python:\n  - '3.10'\nos: x\n");
        assert!(removed("python: ['3.9']\n", "3.9").contains("only version"));
        assert!(removed("python: ['3.9']\n", "3.8").contains("nothing is taken out"));
    }
}
