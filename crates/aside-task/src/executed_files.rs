//! Tells which files other programs execute, from the list in `data/task/executed.toml`: who approves a change of one lets its contents run,
//! without being asked again.

use std::sync::LazyLock;

use aside_core::agent::language::Bilingual;

use crate::path_patterns::{self, PathEntry};

const LIST: &str = include_str!("../data/task/executed.toml");
/// Files that are named; of more, the number.
const MAX_NAMED: usize = 8;

static ALL: LazyLock<Vec<PathEntry>> = LazyLock::new(|| path_patterns::entries(LIST, "executed"));

/// Who executes a file, and when. Takes a path with `/`, relative or not.
fn runner(path: &str) -> Option<&'static Bilingual> {
    path_patterns::find(&ALL, path).map(|entry| &entry.what)
}

/// A sentence for each changed file that others execute.
pub fn notes<'p>(paths: impl IntoIterator<Item = &'p str>) -> Vec<Bilingual> {
    let executed: Vec<(&str, &Bilingual)> = paths.into_iter().filter_map(|path| Some((path, runner(path)?))).collect();
    let note = |(path, who): &(&str, &Bilingual)| {
        let path = aside_text::clean(path);
        Bilingual::new(
            format!("what {path} says is run by others: {}", who.english),
            format!("{path} 的内容会被别的程序执行：{}", who.chinese),
        )
    };
    let mut notes: Vec<Bilingual> = executed.iter().take(MAX_NAMED).map(note).collect();
    if let left @ 1.. = executed.len().saturating_sub(MAX_NAMED) {
        notes.push(Bilingual::new(
            format!("others run {left} more of these files, too"),
            format!("还有 {left} 个文件也会被别的程序执行"),
        ));
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_does_what_its_examples_say() {
        assert!(ALL.len() >= 20);
        path_patterns::check(&ALL);
    }

    #[test]
    fn what_others_execute_is_told_by_its_name() {
        let told = |paths: &[&str]| -> Vec<String> {
            notes(paths.iter().copied()).into_iter().map(|note| note.english).collect()
        };
        assert_eq!(
            told(&["src/main.rs", "web/.vscode/tasks.json"]),
            ["what web/.vscode/tasks.json says is run by others: VS Code, also by itself when the folder is opened"]
        );
        let many: Vec<String> = (0..20).map(|at| format!("{at}/Makefile")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(told(&many).last().map(String::as_str), Some("others run 12 more of these files, too"));
    }
}
