//! What a change makes weaker, which only lines together show: a check that is gone, a comparison or a number that is another one now, an
//! error that is caught and dropped. Does not know whether the change is meant.

use std::collections::BTreeSet;

use aside_core::agent::language::Bilingual;
use aside_redact::redact;

use crate::run::review::patch::{FileChangeKind, PatchFile, PatchRow, RowSide};
use crate::run::review::{FindingLocation, Severity};
use crate::run::search::{definitions, lists};
use crate::run::short;

/// A finding before it is merged with others of its rule.
pub struct Weakening {
    pub rule: &'static str,
    pub weight: Severity,
    pub what: Bilingual,
    pub spot: FindingLocation,
}

/// Characters of a line that are shown.
const MAX_SHOWN: usize = 60;
/// Shared words from which two lines are versions of one, in percent.
const SIMILAR: usize = 50;

pub fn weakened(file: &PatchFile<'_>, kind: &str) -> Vec<Weakening> {
    if file.change == FileChangeKind::Deleted || file.change == FileChangeKind::Added {
        return swallowed(file);
    }
    let mut found = Vec::new();
    let hunks = file.rows.last().map_or(0, |row| row.hunk + 1);
    for hunk in 0..hunks {
        let of = |side: RowSide| -> Vec<&PatchRow<'_>> { file.of_side(side).filter(|row| row.hunk == hunk).collect() };
        let (removed, added) = (of(RowSide::Removed), of(RowSide::Added));
        for old in &removed {
            let changed = added.iter().find_map(|new| Some((new, change(old.text, new.text)?)));
            if let Some((new, changed)) = changed {
                found.push(Weakening { spot: both(file, old, new), ..changed });
            }
        }
        if kind != "tests" {
            found.extend(checks(file, &removed, &added));
        }
    }
    found.extend(swallowed(file));
    found
}

fn both(file: &PatchFile<'_>, old: &PatchRow<'_>, new: &PatchRow<'_>) -> FindingLocation {
    let shown = |row: &PatchRow<'_>| short(&redact(row.text.trim()), MAX_SHOWN);
    let text = format!("{} → {}", shown(old), shown(new));
    FindingLocation { path: file.path.clone(), line: Some(new.line), text }
}

fn at(file: &PatchFile<'_>, row: &PatchRow<'_>) -> FindingLocation {
    let text = short(&redact(row.text.trim()), MAX_SHOWN);
    FindingLocation { path: file.path.clone(), line: Some(row.line), text }
}

/// What differs between two versions of a line, where only a comparison or a number does.
fn change(old: &str, new: &str) -> Option<Weakening> {
    let (old, new) = (old.trim(), new.trim());
    if old == new || lists::is_comment(old) {
        return None;
    }
    let spot = FindingLocation { path: String::new(), line: None, text: String::new() };
    let weakening = |rule, weight, what: Bilingual| Some(Weakening { rule, weight, what, spot });
    if without_comparisons(old) == without_comparisons(new) && !old.contains("=>") {
        let what = Bilingual::new("a comparison is another one now", "比较条件变了");
        return weakening("comparison-changed", Severity::Look, what);
    }
    let is_named = old.chars().filter(|letter| letter.is_alphabetic()).count() > 3;
    if is_named && numbers_out(old) == numbers_out(new) && !is_version(old) {
        return weakening("number-changed", Severity::Minor, Bilingual::new("a number changed", "数值变了"));
    }
    None
}

/// A line with every comparison as the same sign.
fn without_comparisons(line: &str) -> String {
    let line = ["===", "!==", "<=", ">=", "==", "!=", " < ", " > "].iter().fold(line.to_owned(), |line, sign| {
        let blank = if sign.starts_with(' ') { " ⋚ " } else { "⋚" };
        line.replace(sign, blank)
    });
    line.split_whitespace().collect()
}

/// A line with every number as the same sign; what has none stays as it is.
fn numbers_out(line: &str) -> String {
    let mut out = String::new();
    let mut before = ' ';
    for letter in line.chars() {
        let is_part =
            letter.is_ascii_digit() && !before.is_alphabetic() && before != '_' || letter == '.' && before == '#';
        match is_part {
            true if before == '#' => {}
            true => {
                out.push('#');
                before = '#';
            }
            false => {
                out.push(letter);
                before = letter;
            }
        }
    }
    out
}

/// Numbers of versions, dates and hashes change without a meaning of their own.
fn is_version(line: &str) -> bool {
    let lower = line.to_lowercase();
    lower.contains("version")
        || lower.contains("commit ")
        || lower.contains("sha")
        || lower.contains("resolved")
        || lower.contains("integrity")
}

/// Checks that are removed and have no new version in the hunk. Those of a function that went as a whole went with it.
fn checks(file: &PatchFile<'_>, removed: &[&PatchRow<'_>], added: &[&PatchRow<'_>]) -> Vec<Weakening> {
    let whole = removed.iter().any(|row| lists::defined_by_keyword(row.text) && definitions::is_definition(row.text))
        && !added.iter().any(|row| definitions::is_definition(row.text));
    if whole {
        return Vec::new();
    }
    let gone =
        removed.iter().filter(|row| is_check(row.text) && !added.iter().any(|new| is_similar(row.text, new.text)));
    gone.map(|row| Weakening {
        rule: "check-removed",
        weight: Severity::Look,
        what: Bilingual::new("a check removed", "删除了检查"),
        spot: at(file, row),
    })
    .collect()
}

fn is_check(line: &str) -> bool {
    let line = line.trim().trim_start_matches(['}', ' ']);
    let words = [
        "if ", "if(", "elif ", "else if ", "unless ", "guard ", "assert ", "assert(", "require(", "ensure!(",
        "assert!(",
    ];
    words.iter().any(|word| line.starts_with(word)) && !line.contains("__name__") && !line.contains("DEBUG")
}

/// Whether two lines share most of their words.
pub fn is_similar(one: &str, other: &str) -> bool {
    let words = |line: &str| -> BTreeSet<String> {
        let parts = line.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
        parts.filter(|part| !part.is_empty()).map(str::to_owned).collect()
    };
    let (one, other) = (words(one), words(other));
    let shared = one.intersection(&other).count();
    shared * 100 >= one.len().max(1) * SIMILAR && (shared > 1 || one.len() <= 2)
}

/// Errors that are caught, with nothing done about them in the next line.
fn swallowed(file: &PatchFile<'_>) -> Vec<Weakening> {
    let rows: Vec<&PatchRow<'_>> =
        file.rows.iter().filter(|row| row.side != RowSide::Removed && !row.text.trim().is_empty()).collect();
    let mut found = Vec::new();
    for pair in rows.windows(2) {
        let [first, next] = pair else { continue };
        let (head, body) = (first.text.trim(), next.text.trim());
        let is_new = first.side == RowSide::Added || next.side == RowSide::Added;
        // A bare `except:` has a rule of its own.
        let python = head.starts_with("except ")
            && !head.starts_with("except Exception:")
            && head.ends_with(':')
            && ["pass", "continue", "...", "return", "return None"].contains(&body);
        let braces = (head.contains("catch (")
            || head.contains("catch(")
            || head.ends_with("catch {")
            || head == "if err != nil {")
            && head.ends_with('{')
            && body.starts_with('}');
        if is_new && (python || braces) {
            let what = Bilingual::new("an error is swallowed", "错误被吞掉");
            found.push(Weakening { rule: "error-swallowed", weight: Severity::Look, what, spot: at(file, first) });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use crate::run::review::summarize;

    fn told(path: &str, diff: &str) -> String {
        let whole = format!("diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -1,9 +1,9 @@\n{diff}");
        let review = summarize(&whole);
        let rows = review
            .risks
            .iter()
            .flat_map(|risk| risk.places.iter().map(|place| format!("{}: {}", risk.rule, place.text)));
        rows.collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn comparisons_numbers_and_checks_that_went_are_named() {
        assert_eq!(
            told("a.go", " func IsPeak(h int) bool {\n-\treturn h >= 8 && h < 22\n+\treturn h >= 8 && h <= 22\n }\n"),
            "comparison-changed: return h >= 8 && h < 22 → return h >= 8 && h <= 22"
        );
        assert_eq!(
            told("a.c", "-#define LIMIT_C 500\n+#define LIMIT_C 200\n"),
            "number-changed: #define LIMIT_C 500 → #define LIMIT_C 200"
        );
        let gone = told(
            "a.ts",
            " const res = await get();\n-if (!user.active) return null;\n+console.info(1);\n return res;\n",
        );
        assert!(gone.contains("check-removed: if (!user.active) return null;"), "{gone}");
        // A check that says more now is not gone.
        let kept = told("a.ts", "-if (!user.active) return null;\n+if (!user.active || user.banned) return null;\n");
        assert!(!kept.contains("check-removed"), "{kept}");
    }

    #[test]
    fn an_error_that_is_caught_and_dropped_is_named() {
        assert!(
            told("a.py", "+try:\n+    save()\n+except ValueError:\n+    pass\n")
                .contains("error-swallowed: except ValueError:")
        );
        assert!(told("a.ts", "+} catch (error) {\n+}\n").contains("error-swallowed"));
        assert!(!told("a.ts", "+} catch (error) {\n+  throw error;\n+}\n").contains("error-swallowed"));
    }
}
