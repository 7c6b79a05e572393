//! `docs/requirements.md` says which test covers each requirement, and `docs/compat.md` where Aside deviates. Checks that every row
//! names a test that exists, and a decision that exists where it claims one.

use std::collections::{BTreeMap, BTreeSet};

use crate::tidy::source::Source;

const DECISION: &str = "[decision](compat.md#decisions)";

/// What is wrong with the two tables.
pub fn untrue(requirements: &str, compat: &str, tests: &BTreeSet<String>) -> Vec<String> {
    let decisions = rows(section(compat, "## Decisions"));
    let decided: BTreeSet<&str> = decisions.iter().filter_map(|row| row.first().copied()).collect();
    let mut wrong: Vec<String> = decisions.iter().flat_map(|row| bad_row("compat.md", row, 5, tests)).collect();
    let mut numbers: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
    for row in rows(requirements) {
        wrong.extend(bad_row("requirements.md", &row, 3, tests));
        let Some((letter, number)) = numbered(row[0]) else {
            wrong.push(format!("requirements.md: `{}` is no number of a requirement", row[0]));
            continue;
        };
        numbers.entry(letter).or_default().insert(number);
        let claims = row.last().is_some_and(|held| held.contains(DECISION));
        if claims != decided.contains(row[0]) {
            wrong.push(format!("requirements.md: {} and the decisions of compat.md disagree", row[0]));
        }
    }
    for (letter, found) in numbers {
        let last = found.last().copied().unwrap_or_default();
        wrong.extend(
            (1..last).filter(|n| !found.contains(n)).map(|n| format!("requirements.md: {letter}{n} is missing")),
        );
    }
    wrong
}

/// What is wrong with the table of the shells: each cell says ✓, or – and why; scenes cover each row; and the README's copy says the same.
pub fn untrue_of_shells(page: &str, readme: &str, tests: &BTreeSet<String>) -> Vec<String> {
    let all = rows(page);
    let of_shells = |row: &&Vec<&str>| row.get(1).is_some_and(|cell| cell.starts_with(['✓', '–']));
    let mut wrong: Vec<String> = all.iter().flat_map(|row| bad_row("shells.md", row, 5, tests)).collect();
    for row in &all {
        let cells = row.get(1..row.len().saturating_sub(1)).unwrap_or_default();
        let bad = cells.iter().filter(|cell| !(cell.starts_with('✓') || cell.starts_with("– ")));
        wrong.extend(bad.map(|cell| format!("shells.md: `{cell}` is neither ✓ nor – with a reason")));
    }
    let said = rows(readme);
    let said = said.iter().filter(of_shells);
    let known = |row: &[&str]| all.iter().any(|known| known.get(..4) == Some(row));
    wrong.extend(
        said.filter(|row| !known(row)).map(|row| format!("README.md: shells.md has no row {}", row.join(" | "))),
    );
    wrong
}

fn bad_row(file: &str, row: &[&str], cells: usize, tests: &BTreeSet<String>) -> Vec<String> {
    let name = row.first().copied().unwrap_or_default();
    if row.len() != cells || row.iter().any(|cell| cell.is_empty()) {
        return vec![format!("{file}: the row of {name} must have {cells} cells with something in each")];
    }
    let held = row[cells - 1];
    let named: Vec<&str> = held.split('`').skip(1).step_by(2).collect();
    if named.is_empty() {
        return vec![format!("{file}: {name} is held by no test")];
    }
    let missing = named.into_iter().filter(|test| !tests.contains(*test));
    missing.map(|test| format!("{file}: {name} is held by `{test}`, and there is no such test")).collect()
}

/// The cells of every row of every table, without headers and separators.
fn rows(text: &str) -> Vec<Vec<&str>> {
    let lines: Vec<&str> = text.lines().collect();
    let is_rule = |line: &&str| line.starts_with("|--");
    let is_row =
        |at: &usize| lines[*at].starts_with('|') && !is_rule(&lines[*at]) && !lines.get(at + 1).is_some_and(is_rule);
    let cells = |at: usize| lines[at].trim().trim_matches('|').split(" | ").map(str::trim).collect();
    (0..lines.len()).filter(is_row).map(cells).collect()
}

/// From a heading to the next one of its level.
fn section<'a>(text: &'a str, heading: &str) -> &'a str {
    let Some((_, rest)) = text.split_once(&format!("{heading}\n")) else { return "" };
    rest.split_once("\n## ").map_or(rest, |(inside, _)| inside)
}

fn numbered(name: &str) -> Option<(&str, u32)> {
    let (letter, number) = name.split_at_checked(1)?;
    number
        .parse()
        .ok()
        .filter(|_| letter.chars().all(|letter| letter.is_ascii_uppercase()))
        .map(|number| (letter, number))
}

/// The names of all test functions.
pub fn tests(sources: &[Source]) -> BTreeSet<String> {
    sources.iter().flat_map(|source| tests_of(&source.text)).collect()
}

fn tests_of(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut is_marked = false;
    for line in text.lines().map(str::trim) {
        if line == "#[test]" || line.starts_with("#[tokio::test") {
            is_marked = true;
        } else if is_marked && let Some((_, rest)) = line.split_once("fn ") {
            found.extend(rest.split(['(', '<']).next().map(str::to_owned));
            is_marked = false;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_that_is_said_to_have_what_no_scene_holds_is_found() {
        let known: BTreeSet<String> = ["one".to_owned()].into();
        let head = "| | zsh | bash | fish | held by |\n|---|---|---|---|---|\n";
        let complain = |row: &str, readme: &str| untrue_of_shells(&format!("{head}{row}\n"), readme, &known).len();
        assert_eq!(complain("| a | ✓ | – why | ✓ Tab | `one` |", "| a | ✓ | – why | ✓ Tab |\n"), 0);
        assert_eq!(complain("| a | ✓ | – why | ✓ Tab | `two` |", ""), 1);
        assert_eq!(complain("| a | ✓ | – | soon | `one` |", ""), 2);
        assert_eq!(complain("| a | ✓ | – why | ✓ Tab | `one` |", "| a | ✓ | ✓ | ✓ Tab |\n"), 1);
    }

    const HEAD: &str = "| number | what | held by |\n|---|---|---|\n";

    #[test]
    fn a_row_that_names_nothing_is_found() {
        let known: BTreeSet<String> =
            tests_of("#[test]\nfn one() {}\n#[tokio::test]\nasync fn two() {}\nfn three() {}\n").into_iter().collect();
        assert_eq!(known.iter().map(String::as_str).collect::<Vec<_>>(), ["one", "two"]);
        let decisions = "## Decisions\n\n| number | says | we do | because | held by |\n|---|---|---|---|---|\n\
            | S2 | a | b | c | `two` |\n\n## Next\n\n| S1 |\n";
        let complain = |rows: &str, compat: &str| untrue(&format!("{HEAD}{rows}"), compat, &known).len();
        assert_eq!(
            complain("| S1 | a | `one`, `two` |\n| S2 | b | `one`; [decision](compat.md#decisions) |\n", decisions),
            0
        );
        assert_eq!(complain("| S1 | a | `three` |\n", ""), 1);
        assert_eq!(complain("| S1 | a | soon |\n", ""), 1);
        assert_eq!(complain("| S1 | a |\n", ""), 1);
        assert_eq!(complain("| first | a | `one` |\n", ""), 1);
        assert_eq!(complain("| S1 | a | `one` |\n| S3 | a | `one` |\n", ""), 1);
        assert_eq!(complain("| S1 | a | `one`; [decision](compat.md#decisions) |\n", ""), 1);
        assert_eq!(complain("| S2 | a | `one` |\n| S1 | a | `one` |\n", decisions), 1);
    }
}
