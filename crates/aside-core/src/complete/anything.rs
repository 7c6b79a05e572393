//! Property tests: for any text and cursor position no source panics, and every candidate is a valid line.

use proptest::prelude::*;

use crate::complete::candidate::{Candidate, Fit};
use crate::complete::fake::Fake;
use crate::complete::{correct, environment, path, possible};
use crate::line;

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
    let ask = fake.ask();
    let line = line::parse(ask.left, ask.dialect);
    let spot = line.at(ask.left.len());
    let mut all: Vec<Candidate> = path::candidates(&ask, &spot);
    all.extend(environment::candidates(&ask, &spot));
    all.extend(correct::candidates(&ask));
    for candidate in all {
        let text = &candidate.text;
        prop_assert!(candidate.cursor.is_none_or(|cursor| text.is_char_boundary(cursor)), "{candidate:?}");
        if candidate.facts.fit == Fit::Extends {
            prop_assert!(text.starts_with(ask.left) && text.ends_with(ask.right), "{candidate:?}");
        }
        prop_assert!(*text != format!("{}{}", ask.left, ask.right), "{candidate:?}");
        possible::runs(&ask, text);
    }
    possible::runs(&ask, ask.left);
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
