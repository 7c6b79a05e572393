//! Finds words that comments do not use: people are users, clients or callers, and things have the names of the field (STYLE.md).

use crate::tidy::source::Source;

const LEFT_BEHIND: &[&str] = &["somebody", "nobody", "whoever", "anybody", "everybody"];

/// Also for JavaScript and TypeScript, whose comments look the same.
pub fn in_rust(source: &Source) -> Vec<String> {
    source.comments().into_iter().flat_map(|(line, text)| found(source, line, text)).collect()
}

pub fn in_shell(source: &Source) -> Vec<String> {
    let lines = source.text.lines().zip(1..);
    lines
        .filter(|(text, _)| text.trim_start().starts_with('#'))
        .flat_map(|(text, line)| found(source, line, text))
        .collect()
}

fn found(source: &Source, line: usize, text: &str) -> Vec<String> {
    let mut in_code = false;
    // What is quoted is a name, or a text of the program.
    let prose: String = text
        .chars()
        .filter(|letter| {
            in_code ^= *letter == '`';
            !in_code
        })
        .collect();
    let words = prose.split(|letter: char| !letter.is_alphanumeric()).map(str::to_lowercase);
    let wrong = words.filter(|word| LEFT_BEHIND.contains(&word.as_str()));
    wrong.map(|word| format!("{}:{line}: a comment says `{word}`; STYLE.md has better words", source.path)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> Source {
        Source { path: "x".to_owned(), text: text.to_owned() }
    }

    #[test]
    fn a_word_that_was_left_behind_is_found_in_comments_alone() {
        let text = "//! Nobody asks.\nfn nobody() { \"somebody\" } // Whoever.\n#[cfg(test)]\nmod tests {\n    // `nobody` stays.\n}";
        let lines: Vec<String> = in_rust(&source(text)).iter().map(|wrong| wrong[..4].to_owned()).collect();
        assert_eq!(lines, ["x:1:", "x:2:"]);
        assert_eq!(in_shell(&source("# Somebody.\nnobody=1\n  # fine\n")).len(), 1);
    }
}
