//! Judgements of whole lines. Other tests compare them with the real shells.

use crate::{Dialect, Syntax, Unclosed, syntax};

const TABLE: &str = include_str!("syntax.txt");

#[test]
fn lines_are_run_asked_more_of_or_refused_as_the_table_says() {
    let mut wrong = Vec::new();
    for row in TABLE.lines().filter(|row| !row.starts_with('#')) {
        let (verdicts, line) = row.split_at_checked(22).unwrap();
        let text = line.replace("\\\\", "\0").replace("\\n", "\n").replace("\\t", "\t").replace('\0', "\\");
        let judged = [Dialect::Zsh, Dialect::Bash, Dialect::Fish].map(|dialect| match syntax(&text, dialect) {
            Syntax::Whole => "whole",
            Syntax::Open(_) => "open",
            Syntax::Broken => "broken",
        });
        if verdicts.split_whitespace().ne(judged) {
            wrong.push(format!("{judged:?} {row}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_open_is_named() {
    for (text, open) in [
        ("what's my ip", Unclosed::Quote),
        ("echo \"a", Unclosed::Quote),
        ("{ ls", Unclosed::Bracket),
        ("(ls", Unclosed::Bracket),
        ("[[ -f x &&", Unclosed::Bracket),
        ("echo $(ls", Unclosed::Bracket),
        ("ls |", Unclosed::Operator),
        ("ls &&", Unclosed::Operator),
        ("if you can list files", Unclosed::Compound),
        ("while you are at it fix the tests", Unclosed::Compound),
        ("f()", Unclosed::Compound),
        ("case x in", Unclosed::Compound),
        ("cat <<E", Unclosed::HereDocument),
        ("ls \\", Unclosed::Backslash),
    ] {
        for dialect in [Dialect::Zsh, Dialect::Bash] {
            assert_eq!(syntax(text, dialect), Syntax::Open(open), "{dialect:?} {text:?}");
        }
    }
}

/// No user types these; refusing them would be a guess.
#[test]
fn what_lies_too_deep_is_never_refused() {
    for dialect in [Dialect::Zsh, Dialect::Bash] {
        for (open, middle, close) in [("(", "ls", ")"), ("{ ", "ls; ", "} ; "), ("if x; then ", "y; ", "fi; ")] {
            let deep = [open.repeat(500), middle.to_owned(), close.repeat(500)].concat();
            assert_ne!(syntax(&deep, dialect), Syntax::Broken, "{dialect:?} {open:?}");
        }
    }
}
