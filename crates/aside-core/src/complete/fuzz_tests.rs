//! Property tests: for any text and cursor position no source panics, and every candidate is a valid line.

use proptest::prelude::*;
use shell_line as line;

use crate::complete::candidate::{Candidate, MatchKind};
use crate::complete::fake::Fake;
use crate::complete::{correct, environment, path, runnable};

const MACHINE: &str = "
    program git
    program cat
    program sudo
    builtin cd
    alias gst=git status
    alias loop=loop
    function mkcd
    variable HOME
    named work=/code
    file /code/x
    file README.md
    file My Documents/a b.txt
    file ä/ö
    file 日本語/x
    file a$b
    directory -dash
    file ~tilde
    git-branch main
    history git status
";

fn check(fake: &Fake) -> Result<(), TestCaseError> {
    let context = fake.context();
    let line = line::parse(context.left, context.dialect);
    let spot = line.at(context.left.len());
    let mut all: Vec<Candidate> = path::candidates(&context, &spot);
    all.extend(environment::candidates(&context, &spot));
    all.extend(correct::candidates(&context));
    for candidate in all {
        let text = &candidate.text;
        prop_assert!(candidate.cursor.is_none_or(|cursor| text.is_char_boundary(cursor)), "{candidate:?}");
        if candidate.facts.fit == MatchKind::Extends {
            prop_assert!(text.starts_with(context.left) && text.ends_with(context.right), "{candidate:?}");
        }
        prop_assert!(*text != format!("{}{}", context.left, context.right), "{candidate:?}");
        runnable::can_run(&context, text);
    }
    runnable::can_run(&context, context.left);
    Ok(())
}

/// Pieces of lines that sources react to.
fn piece() -> impl Strategy<Value = String> {
    const WORDS: &[&str] = &[
        "gti",
        "git",
        "chekcout",
        "mian",
        "cat",
        "cd",
        "sudo",
        "READEM.md",
        "RE",
        "My",
        "porjects",
        "/",
        "~",
        "~/",
        "~wo",
        "$HOME/",
        "${HO",
        "$",
        "ä",
        "日本",
        ".",
        "..",
        "-",
        "--",
        "=",
        "A=",
        "'",
        "\"",
        "\\",
        " ",
        " ",
        " ",
        "|",
        ";",
        "&&",
        "<",
        ">",
        "(",
        ")",
        "$(",
        "`",
        "{",
        "}",
        "*",
        "\n",
        "#",
        "loop",
        "!",
    ];
    prop_oneof![4 => prop::sample::select(WORDS).prop_map(str::to_owned), 1 => ".{0,3}"]
}

proptest! {
    #[test]
    fn no_source_fails(
        left in prop::collection::vec(piece(), 0..10),
        right in prop::collection::vec(piece(), 0..3),
        shell in prop::sample::select(&["zsh", "bash", "fish"][..]),
    ) {
        let mut fake = Fake::new(&format!("{MACHINE}\nshell {shell}"));
        fake.left = left.concat();
        fake.right = right.concat();
        check(&fake)?;
    }
}
