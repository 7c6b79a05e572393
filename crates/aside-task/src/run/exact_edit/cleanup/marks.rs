//! Takes out one comment with a mark: `remove the TODO about caching`. It has to be a whole line, and the only one that has the words.

use std::collections::BTreeMap;

use crate::run::code;
use crate::run::exact_edit::EditResult;
use crate::run::exact_edit::lines::{has_mark, is_comment};
use crate::run::search::identifiers::stem;

const MAX_LISTED: usize = 8;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    mark: String,
    /// What the comment is about, by the stems of its words.
    words: Vec<String>,
    pub file: Option<String>,
}

impl Mark {
    /// `None` where a file alone says which lines are meant; all of its marks go then.
    pub fn new(mark: &str, words: Option<String>, file: Option<String>) -> Option<Self> {
        let fillers = ["the", "a", "an", "to", "of", "for", "in", "it", "we", "is", "be", "and"];
        let words: Vec<String> = words
            .unwrap_or_default()
            .split_whitespace()
            .map(|word| stem(&word.to_lowercase()))
            .filter(|word| !fillers.contains(&word.as_str()))
            .collect();
        (file.is_none() || !words.is_empty()).then(|| Self { mark: mark.to_uppercase(), words, file })
    }

    pub fn needle(&self) -> Option<&str> {
        self.file.is_none().then_some(self.mark.as_str())
    }

    pub fn remove(&self, files: &BTreeMap<String, String>) -> EditResult {
        let says = |line: &str| {
            let own: Vec<String> =
                line.split(|letter: char| !letter.is_alphanumeric()).map(|word| stem(&word.to_lowercase())).collect();
            self.words.iter().all(|word| own.contains(word))
        };
        let found: Vec<(&String, usize, &str)> = files
            .iter()
            .flat_map(|(path, text)| text.lines().enumerate().map(move |(at, line)| (path, at, line)))
            .filter(|(_, _, line)| has_mark(line, &self.mark) && says(line))
            .collect();
        match found.as_slice() {
            [] => EditResult::Nothing(format!("No {} here says that.", code(&self.mark))),
            [(path, at, line)] if !is_comment(line) => EditResult::Nothing(format!(
                "`{path}:{}` has more than the comment, or only a part of it, so nothing is deleted.",
                at + 1
            )),
            [(path, at, _)] => {
                let text = files.get(*path).map_or("", String::as_str);
                let kept: String = text
                    .split_inclusive('\n')
                    .enumerate()
                    .filter(|(line, _)| line != at)
                    .map(|(_, line)| line)
                    .collect();
                let summary = format!("Delete the comment at `{path}:{}`", at + 1);
                EditResult::Texts { files: BTreeMap::from([((*path).clone(), kept)]), summary, note: String::new() }
            }
            several => {
                let rows: Vec<String> = several
                    .iter()
                    .take(MAX_LISTED)
                    .map(|(path, at, line)| format!("- `{path}:{}` {}", at + 1, code(line.trim())))
                    .collect();
                EditResult::Nothing(format!(
                    "{} comments have that mark. Say the file, or what it is about:\n\n{}",
                    several.len(),
                    rows.join("\n")
                ))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_one_comment_with_the_words_goes() {
        let files = BTreeMap::from([(
            "a.py".to_owned(),
            "# TODO: store the points\nx = 1\n# TODO: cache\ny = 2  # TODO here\n".to_owned(),
        )]);
        let told = |words: &str| match Mark::new("TODO", Some(words.to_owned()), None).unwrap().remove(&files) {
            EditResult::Texts { files, .. } => files["a.py"].clone(),
            EditResult::Nothing(why) => format!("? {why}"),
            other => panic!("{other:?}"),
        };
        assert_eq!(told("storing the points"), "x = 1\n# TODO: cache\ny = 2  # TODO here\n");
        assert!(told("").starts_with("? 3 comments"));
        assert!(told("here").starts_with("? `a.py:4` has more"));
        assert!(told("pasta").starts_with("? No"));
        assert!(Mark::new("TODO", None, Some("a.py".to_owned())).is_none());
    }
}
