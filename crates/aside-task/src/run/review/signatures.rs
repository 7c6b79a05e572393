//! Functions whose declaration a change alters, and how that affects calls elsewhere. Finds the names; the caller looks for the calls.

use std::sync::LazyLock;

use aside_text::lazy_regex::Regex;

use crate::run::review::patch::{self, PatchFile, RowSide};
use crate::run::review::{file_kind, findings};
use crate::run::search::definitions;

/// Declarations that are followed.
const MAX_NAMES: usize = 20;

/// A function that is declared otherwise than before, or no more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedSignature {
    pub name: String,
    pub path: String,
    /// The declaration before, without its indentation.
    pub old: String,
    /// The new one; empty where the function is gone.
    pub new: String,
}

/// The functions of a change whose parameters are other ones, or that are gone.
pub fn changed(diff: &str) -> Vec<ChangedSignature> {
    let patch::Patch { files, .. } = patch::read(diff);
    let mut found: Vec<ChangedSignature> = Vec::new();
    let added: Vec<(String, &str)> = files.iter().flat_map(|file| declarations(file, RowSide::Added)).collect();
    for file in files.iter().filter(|file| file_kind::of(&file.path) == file_kind::CODE) {
        for (name, old) in declarations(file, RowSide::Removed) {
            let new = added.iter().find(|(other, _)| *other == name).map_or("", |(_, text)| text);
            let same = parameters(old) == parameters(new);
            if same || found.iter().any(|known| known.name == name) || name.starts_with("test") {
                continue;
            }
            let (old, new) = (old.trim().to_owned(), new.trim().to_owned());
            found.push(ChangedSignature { name, path: file.path.clone(), old, new });
        }
    }
    found.truncate(MAX_NAMES);
    found
}

fn declarations<'a>(file: &PatchFile<'a>, side: RowSide) -> Vec<(String, &'a str)> {
    static FUNCTION: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"^\s*(?:(?:pub(?:\([^)]*\))?|export|default|async|public|private|protected|static|final|inline|unsafe|const|extern)\s+)*(?:fn|func|def|function\*?|fun)\s+(?:\([^)]*\)\s*)?(?P<name>[A-Za-z_]\w*)").ok()
    });
    let of = |text: &str| Some(FUNCTION.as_ref()?.captures(text)?.name("name")?.as_str().to_owned());
    // A declaration over several lines cannot be compared by its first.
    let is_whole = |text: &str| text.contains('(') && text.contains(')');
    file.of_side(side).filter(|row| is_whole(row.text)).filter_map(|row| Some((of(row.text)?, row.text))).collect()
}

/// What stands between the brackets of a declaration, without blanks.
fn parameters(declaration: &str) -> Option<String> {
    let name = findings::declared_name(declaration)?;
    let behind = declaration.split_once(&name)?.1;
    let start = behind.find('(')?;
    let mut depth = 0;
    for (at, letter) in behind.char_indices().skip_while(|(at, _)| *at < start) {
        match letter {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(behind.get(start..at)?.split_whitespace().collect());
        }
    }
    None
}

/// Whether a line calls a function: its name and a bracket behind it, and no declaration or comment.
pub fn calls(line: &str, name: &str) -> bool {
    let trimmed = line.trim_start();
    let is_comment = ["//", "#", "*", "/*", "--"].iter().any(|start| trimmed.starts_with(start));
    let edge = |letter: Option<char>| letter.is_none_or(|letter| !letter.is_alphanumeric() && letter != '_');
    !is_comment
        && !definitions::defines(line, name)
        && line.match_indices(name).any(|(at, found)| {
            edge(line.get(..at).and_then(|before| before.chars().next_back()))
                && line
                    .get(at + found.len()..)
                    .is_some_and(|behind| behind.starts_with(['(', '<']) || behind.starts_with("::<"))
        })
}

/// The lines that a change adds to a file, by their numbers.
pub fn added_lines(diff: &str, path: &str) -> Vec<usize> {
    let patch::Patch { files, .. } = patch::read(diff);
    files.iter().filter(|file| file.path == path).flat_map(|file| file.added()).map(|(line, _)| line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_parameters_change_a_signature() {
        let names = |diff: &str| -> Vec<String> {
            changed(diff).into_iter().map(|one| format!("{}: {}", one.name, one.new)).collect()
        };
        let diff = "diff --git a/src/a.py b/src/a.py\n--- a/src/a.py\n+++ b/src/a.py\n@@ -1,9 +1,8 @@\n-def fee(loan, day):\n+def fee(loan, day, currency):\n     pass\n-def same(a):\n+def same( a ):\n     pass\n-def gone(a):\n-    pass\n";
        assert_eq!(names(diff), ["fee: def fee(loan, day, currency):", "gone: "]);
        let rust = "diff --git a/src/a.rs b/src/a.rs\n--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1,4 +1,4 @@\n-pub fn area(w: f64) -> f64 {\n+pub fn area(w: f64, h: f64) -> f64 {\n-    fn test_area() {}\n";
        assert_eq!(names(rust), ["area: pub fn area(w: f64, h: f64) -> f64 {"]);
    }

    #[test]
    fn calls_are_told_from_declarations() {
        for (line, expected) in [
            ("return fee(loan, today)", true),
            ("    let x = area(1.0);", true),
            ("def fee(loan):", false),
            ("from a import fee", false),
            ("# fee(loan) was here", false),
            ("late_fee(loan)", false),
        ] {
            assert_eq!(calls(line, "fee") || calls(line, "area"), expected, "{line}");
        }
    }
}
