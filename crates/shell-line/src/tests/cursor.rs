//! The word at the cursor, and how its rest is quoted.

use insta::assert_snapshot;

use crate::quote::{self, WordEnd};
use crate::tests::differing;
use crate::{Dialect, Quote, parse};

/// What is at `|` (the last one in the text).
fn at(text: &str, dialect: Dialect) -> String {
    let cursor = text.rfind('|').unwrap();
    let whole = format!("{}{}", &text[..cursor], &text[cursor + 1..]);
    let line = parse(&whole, dialect);
    let spot = line.at(cursor);
    let command = spot.command.map_or("-".to_owned(), |command| {
        command.words.first().map_or("(no name)".to_owned(), |word| word.value.clone())
    });
    let fixed = if spot.fixed { "" } else { " expands" };
    let quote = if spot.quote == Quote::None { String::new() } else { format!(" in {:?}", spot.quote) };
    format!("{:?} of {command}: {:?} from {}{fixed}{quote}", spot.role, spot.typed, spot.start)
}

fn spots(dialect: Dialect, lines: &[&str]) -> String {
    lines.iter().map(|line| format!("{}\n    {}\n", line.replace('\n', "⏎"), at(line, dialect))).collect()
}

#[test]
fn the_cursor_stands_in_a_word() {
    let lines = [
        "|",
        "gi|",
        "|git status",
        "gi|t status",
        "git |",
        "git st|",
        "git st|atus --short",
        "git  |  status",
        "ls | gr|",
        "ls |gr|",
        "make && |",
        "FOO=bar ma|",
        "FOO=b|",
        "FOO=|",
        "PATH=~/b| ls",
        "a=(x y|",
        "cat < |",
        "cat <fi|le",
        "cat > out/|",
        "ls 2>&1|",
        "ls 2>& |",
        "cat \"My F|",
        "cat 'My F|",
        "cat My\\ F|",
        "cat $'a\\tb|",
        "cat \"My File\"|",
        "cat \"My File\" |",
        "echo $HO|",
        "echo \"$HO|",
        "echo ${HO|",
        "echo \"x ${HO|",
        "echo $|",
        "echo $HOME/x|",
        "echo ${HOME}/|",
        "cd ~/wo|",
        "ls *.r|",
        "echo $(git st|",
        "echo \"$(git st|)\"",
        "echo `git st|`",
        "echo `git st|",
        "diff <(so|",
        "ls # comm|ent",
        "cat <<EOF\ntext| more\nEOF",
        "cat <<EOF\ntext\nEOF|",
        "cat <<EOF\ntext\nEOF\nl|",
        "cat <<EO|",
        "cat <<EOF\n$HO|",
        "echo $((1 + x|",
        "((x|",
        "if gr|",
        "if| ",
        "for f in a b|",
        "for x|",
        "for f in *; do rm |",
        "case x in a|",
        "[[ -f x|",
        "(cd x; l|",
        "{ ls; } |",
        "f() { ls |",
        "echo a\\|",
        "sudo -u r|oot ls",
        "ls;|",
        "ls \\\n  -|",
    ];
    assert_eq!(differing(&lines, spots), "");
    assert_snapshot!(spots(Dialect::Zsh, &lines), @r#"
    |
        Name of -: "" from 0
    gi|
        Name of gi: "gi" from 0
    |git status
        Name of git: "" from 0
    gi|t status
        Name of git: "gi" from 0
    git |
        Argument(1) of git: "" from 4
    git st|
        Argument(1) of git: "st" from 4
    git st|atus --short
        Argument(1) of git: "st" from 4
    git  |  status
        Argument(1) of git: "" from 5
    ls | gr|
        Name of gr: "gr" from 5
    ls |gr|
        Name of gr: "gr" from 4
    make && |
        Name of -: "" from 8
    FOO=bar ma|
        Name of ma: "ma" from 8
    FOO=b|
        Value("FOO") of (no name): "b" from 4
    FOO=|
        Value("FOO") of (no name): "" from 4
    PATH=~/b| ls
        Value("PATH") of ls: "~/b" from 5 expands
    a=(x y|
        Value("a") of (no name): "y" from 5
    cat < |
        Target(Read) of cat: "" from 6
    cat <fi|le
        Target(Read) of cat: "fi" from 5
    cat > out/|
        Target(Write) of cat: "out/" from 6
    ls 2>&1|
        Target(Descriptor) of ls: "1" from 6
    ls 2>& |
        Target(Descriptor) of ls: "" from 7
    cat "My F|
        Argument(1) of cat: "My F" from 4 in Double
    cat 'My F|
        Argument(1) of cat: "My F" from 4 in Single
    cat My\ F|
        Argument(1) of cat: "My F" from 4
    cat $'a\tb|
        Argument(1) of cat: "a\tb" from 4 in Dollar
    cat "My File"|
        Argument(1) of cat: "My File" from 4
    cat "My File" |
        Argument(2) of cat: "" from 14
    echo $HO|
        Variable of echo: "HO" from 6
    echo "$HO|
        Variable of echo: "HO" from 7 in Double
    echo ${HO|
        Variable of echo: "HO" from 7
    echo "x ${HO|
        Variable of echo: "HO" from 10 in Double
    echo $|
        Variable of echo: "" from 6
    echo $HOME/x|
        Argument(1) of echo: "$HOME/x" from 5 expands
    echo ${HOME}/|
        Argument(1) of echo: "${HOME}/" from 5 expands
    cd ~/wo|
        Argument(1) of cd: "~/wo" from 3 expands
    ls *.r|
        Argument(1) of ls: "*.r" from 3 expands
    echo $(git st|
        Argument(1) of git: "st" from 11
    echo "$(git st|)"
        Argument(1) of git: "st" from 12
    echo `git st|`
        Argument(1) of git: "st" from 10
    echo `git st|
        Argument(1) of git: "st" from 10
    diff <(so|
        Name of so: "so" from 7
    ls # comm|ent
        Other of ls: "" from 9
    cat <<EOF⏎text| more⏎EOF
        Other of -: "" from 14
    cat <<EOF⏎text⏎EOF|
        Other of -: "" from 18
    cat <<EOF⏎text⏎EOF⏎l|
        Name of l: "l" from 19
    cat <<EO|
        Target(HereDocument) of cat: "EO" from 6
    cat <<EOF⏎$HO|
        Variable of cat: "HO" from 11 in Double
    echo $((1 + x|
        Other of echo: "" from 13
    ((x|
        Other of -: "" from 3
    if gr|
        Name of gr: "gr" from 3
    if| 
        Name of -: "if" from 0
    for f in a b|
        Argument(2) of -: "b" from 11
    for x|
        Other of -: "x" from 4
    for f in *; do rm |
        Argument(1) of rm: "" from 18
    case x in a|
        Other of -: "a" from 10
    [[ -f x|
        Argument(2) of [[: "x" from 6
    (cd x; l|
        Name of l: "l" from 7
    { ls; } |
        Other of -: "" from 8
    f() { ls |
        Argument(1) of ls: "" from 9
    echo a\|
        Other of echo: "" from 7
    sudo -u r|oot ls
        Argument(2) of sudo: "r" from 8
    ls;|
        Name of -: "" from 3
    ls \⏎  -|
        Argument(1) of ls: "-" from 7
    "#);
    let lines = [
        "gi|",
        "echo (git st|",
        "echo \"$(git st|",
        "echo 'it\\'s|",
        "echo \"$HO|",
        "echo $HO|",
        "and gi|",
        "begin; ls |",
        "for x in a|",
        "switch $x|",
        "function f|",
        "FOO=b|",
        "ls >o|",
        "ls # a|",
    ];
    assert_snapshot!(spots(Dialect::Fish, &lines), @r#"
    gi|
        Name of gi: "gi" from 0
    echo (git st|
        Argument(1) of git: "st" from 10
    echo "$(git st|
        Argument(1) of git: "st" from 12
    echo 'it\'s|
        Argument(1) of echo: "it's" from 5 in Single
    echo "$HO|
        Variable of echo: "HO" from 7 in Double
    echo $HO|
        Variable of echo: "HO" from 6
    and gi|
        Name of gi: "gi" from 4
    begin; ls |
        Argument(1) of ls: "" from 10
    for x in a|
        Argument(3) of -: "a" from 9
    switch $x|
        Variable of -: "x" from 8
    function f|
        Other of -: "f" from 9
    FOO=b|
        Value("FOO") of (no name): "b" from 4
    ls >o|
        Target(Write) of ls: "o" from 4
    ls # a|
        Other of ls: "" from 6
    "#);
}

#[test]
fn a_word_is_spelled_with_few_backslashes() {
    let values = [
        "plain",
        "",
        "My File",
        "it's",
        "~/a b",
        "~",
        "~user",
        "a\nb",
        "naïve 文",
        "$HOME",
        "#x",
        "a*b",
        "=x",
        "a!b",
        "-x=y",
        "a\x07b",
    ];
    let spell = |value: &&str| {
        let each = [Dialect::Zsh, Dialect::Bash, Dialect::Fish].map(|dialect| quote::word(value, dialect));
        format!("{value:?}: {}\n", each.join("  "))
    };
    assert_snapshot!(values.iter().map(spell).collect::<String>(), @r##"
    "plain": plain  plain  plain
    "": ''  ''  ''
    "My File": My\ File  My\ File  My\ File
    "it's": it\'s  it\'s  it\'s
    "~/a b": ~/a\ b  ~/a\ b  ~/a\ b
    "~": ~  ~  ~
    "~user": \~user  \~user  \~user
    "a\nb": a$'\n'b  a$'\n'b  a\nb
    "naïve 文": naïve\ 文  naïve\ 文  naïve\ 文
    "$HOME": \$HOME  \$HOME  \$HOME
    "#x": \#x  \#x  \#x
    "a*b": a\*b  a\*b  a\*b
    "=x": \=x  =x  =x
    "a!b": a\!b  a\!b  a!b
    "-x=y": -x=y  -x=y  -x=y
    "a\u{7}b": a$'\007'b  a$'\007'b  a\u0007b
    "##);
}

#[test]
fn the_rest_of_a_word_stays_in_its_quotes() {
    let quotes = [Quote::None, Quote::Single, Quote::Double, Quote::Dollar];
    let mut rows = String::new();
    for dialect in [Dialect::Zsh, Dialect::Bash, Dialect::Fish] {
        for quote in quotes {
            let end = quote::rest("a 'b\"$c!\n", quote, dialect, WordEnd::End);
            let more = quote::rest("a b/", quote, dialect, WordEnd::More);
            rows += &format!("{dialect:?} {quote:?}: {end}   {more}\n");
        }
    }
    assert_snapshot!(rows, @r#"
    Zsh None: a\ \'b\"\$c\!$'\n'   a\ b/
    Zsh Single: a '\''b"$c!'$'\n'''   a b/
    Zsh Double: a 'b\"\$c"\!""$'\n'""   a b/
    Zsh Dollar: a \'b"$c!\n'   a b/
    Bash None: a\ \'b\"\$c\!$'\n'   a\ b/
    Bash Single: a '\''b"$c!'$'\n'''   a b/
    Bash Double: a 'b\"\$c"\!""$'\n'""   a b/
    Bash Dollar: a \'b"$c!\n'   a b/
    Fish None: a\ \'b\"\$c!\n   a\ b/
    Fish Single: a \'b"$c!'\n''   a b/
    Fish Double: a 'b\"\$c!"\n""   a b/
    Fish Dollar: a \'b"$c!\n'   a b/
    "#);
}
