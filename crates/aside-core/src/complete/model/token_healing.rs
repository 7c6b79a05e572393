//! Token healing: cuts the line where a word begins, and lets a grammar hold the model to the typed part of the word. A
//! model reads and writes tokens, and a prompt that ends within one is unlike its training data. For servers that take
//! a grammar.

use std::fmt::Write as _;

use crate::complete::model::prompt::{LineContext, MAX_CHANGED, MAX_FILES, listed, one_line, shown};
use crate::history::filter::HistoryFilter;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Healed {
    /// Ends without a blank.
    pub prompt: String,
    /// GBNF. It allows the end of the line, or the model could not stop.
    pub grammar: String,
    /// The line up to where the model continues.
    pub head: String,
}

/// `None` for a line with line breaks, or with text after the cursor, which is better described in words.
pub fn heal(left: &str, right: &str, around: &LineContext, filter: &HistoryFilter) -> Option<Healed> {
    if left.contains(['\n', '\r']) || !right.trim().is_empty() || left.trim().is_empty() {
        return None;
    }
    let LineContext { cwd, shell, files, branch, changed, recent } = around;
    let mut prompt = String::new();
    let mut part = |title: &str, text: &str| {
        if !text.is_empty() {
            let _ = writeln!(prompt, "# {title}: {text}");
        }
    };
    part("shell", shell);
    part("directory", &one_line(cwd));
    part("files here", &listed(files, MAX_FILES));
    part("git branch", &one_line(branch.as_deref().unwrap_or_default()));
    part("changed files", &listed(changed, MAX_CHANGED));
    for command in shown(recent, filter) {
        let _ = writeln!(prompt, "$ {command}");
    }
    let (head, fragment) = cut(left);
    prompt.push('$');
    // The blank after the prompt sign belongs to the first word.
    let fragment = if head.is_empty() {
        format!(" {}", fragment.trim_start())
    } else {
        let _ = write!(prompt, " {head}");
        fragment.to_owned()
    };
    let grammar = format!("root ::= \"{}\" [^\\n]* \"\\n\"", escaped(&fragment));
    Some(Healed { prompt, grammar, head: head.to_owned() })
}

/// Splits off the last word together with the blanks before it.
fn cut(left: &str) -> (&str, &str) {
    let word = left.trim_end();
    let start = if word.len() < left.len() { word.len() } else { word.rfind(char::is_whitespace).unwrap_or(0) };
    let head = left.get(..start).unwrap_or_default().trim_end();
    (head, left.get(head.len()..).unwrap_or_default())
}

/// Escapes a text for a quoted string of the grammar.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for character in text.chars() {
        match character {
            '"' | '\\' => escaped.extend(['\\', character]),
            '\t' => escaped.push_str("\\t"),
            _ if character.is_control() => {
                let _ = write!(escaped, "\\U{:08X}", u32::from(character));
            }
            _ => escaped.push(character),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::complete::model::{ending, partial_ending};
    use crate::history::filter::SecretPolicy;
    use insta::assert_snapshot;
    use proptest::prelude::*;

    fn filter() -> HistoryFilter {
        HistoryFilter::new(&["(?i)token=".to_owned()], SecretPolicy::Skip).unwrap()
    }

    fn owned(items: &[&str]) -> Vec<String> {
        items.iter().map(|item| (*item).to_owned()).collect()
    }

    #[test]
    fn the_session_is_told_and_the_word_is_left_to_the_grammar() {
        let around = LineContext {
            cwd: "/home/ada/src".into(),
            shell: "zsh".into(),
            files: owned(&["Cargo.toml", "src"]),
            branch: Some("main".into()),
            changed: owned(&["src/main.rs"]),
            recent: owned(&["export TOKEN=abc", "cargo build", " hidden"]),
        };
        let healed = heal("git -C x com", "", &around, &filter()).unwrap();
        assert_snapshot!(healed.prompt, @r"
        # shell: zsh
        # directory: /home/ada/src
        # files here: Cargo.toml, src
        # git branch: main
        # changed files: src/main.rs
        $ cargo build
        $ git -C x
        ");
        assert_eq!(healed.grammar, r#"root ::= " com" [^\n]* "\n""#);
        assert_eq!(healed.head, "git -C x");
    }

    #[test]
    fn a_line_is_cut_where_a_word_begins() {
        let table = [
            ("git com", "$ git", r#"" com""#, "git"),
            ("git ", "$ git", r#"" ""#, "git"),
            ("git  x", "$ git", r#""  x""#, "git"),
            ("gi", "$", r#"" gi""#, ""),
            ("git commit -m \"fix th", "$ git commit -m \"fix", r#"" th""#, "git commit -m \"fix"),
            ("echo \"a\\b", "$ echo", r#"" \"a\\b""#, "echo"),
            ("echo\tä", "$ echo", r#""\tä""#, "echo"),
        ];
        for (left, prompt, fragment, head) in table {
            let healed = heal(left, "", &LineContext::default(), &filter()).unwrap();
            let grammar = format!("root ::= {fragment} [^\\n]* \"\\n\"");
            assert_eq!((&*healed.prompt, healed.grammar, &*healed.head), (prompt, grammar, head), "{left}");
        }
        for (left, right) in [("a\nb", ""), ("git ", " x"), ("", ""), ("  ", "")] {
            assert_eq!(heal(left, right, &LineContext::default(), &filter()), None, "{left:?}");
        }
    }

    #[test]
    fn what_the_model_adds_is_found_behind_the_head() {
        let knows = |_: crate::complete::model::word_end::LastWord<'_>| false;
        for (left, said, adds) in [
            ("git com", " commit -m x", Some("mit -m x")),
            ("git com", " com", None),
            ("git ", " status\n", Some("status")),
            ("gi", " git status", Some("t status")),
        ] {
            let head = heal(left, "", &LineContext::default(), &filter()).unwrap().head;
            assert_eq!(ending(left, "", &format!("{head}{said}"), &knows).as_deref(), adds, "{left} + {said}");
        }
        assert_eq!(partial_ending("git com", "", "git com", &knows), None, "it repeats so far");
    }

    proptest! {
        #[test]
        fn any_line_is_taken(left in ".{0,60}", right in ".{0,10}") {
            if let Some(healed) = heal(&left, &right, &LineContext::default(), &filter()) {
                prop_assert!(!healed.prompt.ends_with(' '));
                prop_assert!(left.starts_with(&healed.head));
            }
        }
    }
}
