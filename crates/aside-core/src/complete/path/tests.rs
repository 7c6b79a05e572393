//! Paths as the user sees them: scenes with a line, `|` being the cursor.

use shell_line as line;

use super::*;
use crate::complete::fake::Fake;

const HOME: &str = "
    file notes.txt
    file notebook.md
    file README.md
    file script.py
    file setup.py
    file 日本語.txt
    file My Documents/report 1.pdf
    file My Documents/report 2.pdf
    file src/main.rs
    file src/lib.rs
    directory src/complete/spec/data
    file src/complete/spec/mod.rs
    program ./run.sh
    program tools/build.sh
    file tools/readme
    file .config/aside/config.toml
    file .zshrc
    directory java/main/org/aside/core
    file java/main/org/aside/core/App.java
    directory empty
    file /etc/passwd
    file /etc/hosts
    directory /etc/ssh
    file /code/big.log
    directory /code/site
    named work=/code
";

fn candidates_of(fake: &Fake) -> Vec<Candidate> {
    let text = format!("{}{}", fake.left, fake.right);
    let line = line::parse(&text, fake.dialect);
    candidates(&fake.context(), &line.at(fake.left.len()))
}

fn texts(scene: &str) -> String {
    let candidates = candidates_of(&Fake::new(scene));
    candidates.iter().map(|candidate| candidate.text.as_str()).collect::<Vec<_>>().join(" / ")
}

/// The same with the facts that the ranking gets.
fn details(scene: &str) -> String {
    let rows = candidates_of(&Fake::new(scene)).into_iter().map(|candidate| {
        let CandidateFacts { kind, fit, rivals, place, usual: _, typed, adds, past: _, habit: _ } = candidate.facts;
        format!("{}: {kind:?} {fit:?} {place} of {rivals}, {typed} typed, {adds} more", candidate.text)
    });
    rows.collect::<Vec<_>>().join("\n")
}

#[track_caller]
fn check(shell: &str, cases: &[(&str, &str)]) {
    for (line, expected) in cases {
        assert_eq!(texts(&format!("{HOME}\nshell {shell}\nline {line}")), *expected, "{shell}: {line}");
    }
}

#[test]
fn paths_as_the_shell_expands_them() {
    for shell in ["zsh", "bash", "fish"] {
        check(
            shell,
            &[
                ("cat not|", "cat notebook.md / cat notes.txt"),
                ("cat notes|", "cat notes.txt"),
                ("cat ./notes|", "cat ./notes.txt"),
                ("cat src/../notes|", "cat src/../notes.txt"),
                ("cat src//ma|", "cat src//main.rs"),
                ("cat ../me/notes|", "cat ../me/notes.txt"),
                ("cat /etc/pa|", "cat /etc/passwd"),
                ("cat /et|", "cat /etc/"),
                ("cat ~/notes|", "cat ~/notes.txt"),
                ("cat $HOME/notes|", "cat $HOME/notes.txt"),
                ("cat \"$HOME/notes|", "cat \"$HOME/notes.txt\""),
                ("cat ~work/b|", "cat ~work/big.log"),
                ("cat ~wo|", "cat ~work/"),
                ("cat 日|", "cat 日本語.txt"),
            ],
        );
    }
    check("zsh", &[("cat ${HOME}/notes|", "cat ${HOME}/notes.txt")]);
    check("bash", &[("cat ${HOME}/notes|", "cat ${HOME}/notes.txt")]);
}

#[test]
fn what_cannot_be_known_is_left_alone() {
    check(
        "zsh",
        &[
            ("cat $DIR/no|", ""),
            ("cat *.t|", ""),
            ("cat ~nobody/no|", ""),
            ("cat ~|", ""),
            ("cat '~/no|", ""),
            ("cat \\$HOME/no|", ""),
            ("cat no|tes.txt", ""),
            ("scp me@host:no|", ""),
            ("unheard-of me@host:no|", ""),
            ("unheard-of https://no|", ""),
            ("cat notes.txt|", ""),
            ("cat nothing|", ""),
            ("cat nowhere/no|", ""),
            ("# cat no|", ""),
            ("cat <<no|", ""),
            ("cat 2>&|", ""),
            ("echo $no|", ""),
        ],
    );
}

#[test]
fn quotes_stay_as_they_are_typed() {
    check(
        "zsh",
        &[
            ("cd My|", "cd My\\ Documents/"),
            ("cd My\\ |", "cd My\\ Documents/"),
            ("cd 'My |", "cd 'My Documents/"),
            ("cd \"My |", "cd \"My Documents/"),
            ("cat My\\ Documents/report\\ 1|", "cat My\\ Documents/report\\ 1.pdf"),
            ("cat 'My Documents/report 1|", "cat 'My Documents/report 1.pdf'"),
            ("cat 'My Documents/report 1|'", "cat 'My Documents/report 1.pdf'"),
            ("cat \"My Documents/report 1|\" -n", "cat \"My Documents/report 1.pdf\" -n"),
            ("cat ~/My\\ Documents/report\\ 2|", "cat ~/My\\ Documents/report\\ 2.pdf"),
        ],
    );
    check("fish", &[("cd My|", "cd My\\ Documents/"), ("cd 'My |", "cd 'My Documents/")]);
    check("bash", &[("cd My|", "cd My\\ Documents/"), ("cd 'My |", "cd 'My Documents/")]);
}

#[test]
fn only_what_the_command_takes() {
    check(
        "zsh",
        &[
            ("cd s|", "cd src/"),
            ("cd n|", ""),
            ("rmdir e|", "rmdir empty/"),
            // Files of the right kind, then directories on the way.
            ("python s|", "python script.py / python setup.py / python src/"),
            // None of them is; the typed name may be one all the same.
            ("python no|", "python notebook.md / python notes.txt"),
            ("git -C src log -- ma|", "git -C src log -- main.rs"),
            ("cd src && cat ma|", "cd src && cat main.rs"),
            ("cd src; cat no|", ""),
            ("cd - && cat no|", ""),
            // Arguments that are given are not offered again.
            ("cat notes.txt no|", "cat notes.txt notebook.md"),
            ("cat src/main.rs src/|", "cat src/main.rs src/complete/ / cat src/main.rs src/lib.rs"),
        ],
    );
}

#[test]
fn programs_where_a_command_begins() {
    check(
        "zsh",
        &[
            ("./r|", "./run.sh"),
            ("tools/|", "tools/build.sh"),
            ("sudo ./r|", "sudo ./run.sh"),
            ("ls; ./r|", "ls; ./run.sh"),
            ("ru|", ""),
            ("./no|", ""),
            ("|", ""),
        ],
    );
}

#[test]
fn redirections_and_assignments() {
    check(
        "zsh",
        &[
            ("sort <no|", "sort <notebook.md / sort <notes.txt"),
            ("sort < src/ma|", "sort < src/main.rs"),
            ("ls >no|", "ls >notebook.md / ls >notes.txt"),
            ("ls >|", ""),
            ("ls >> notes|", "ls >> notes.txt"),
            ("FILE=no|", "FILE=notebook.md / FILE=notes.txt"),
            ("FILE=/etc/pa| cat", "FILE=/etc/passwd cat"),
            ("FILE=|", ""),
            ("PATH=/bin:/et|", "PATH=/bin:/etc/"),
        ],
    );
    assert_eq!(
        details(&format!("{HOME}\nline ls >> notes|")),
        "ls >> notes.txt: Path Extends 100 of 1, 5 typed, 4 more"
    );
}

#[test]
fn a_command_that_nobody_knows() {
    check(
        "zsh",
        &[
            ("unheard-of |", ""),
            ("unheard-of n|", "unheard-of notebook.md / unheard-of notes.txt"),
            ("unheard-of src/ma|", "unheard-of src/main.rs"),
            ("unheard-of -no|", ""),
            ("unheard-of --file=/et|", "unheard-of --file=/etc/"),
            ("unheard-of --file=no|", "unheard-of --file=notebook.md / unheard-of --file=notes.txt"),
            ("unheard-of --file=|", ""),
            ("unheard-of if=./no|", "unheard-of if=./notebook.md / unheard-of if=./notes.txt"),
            // A path that is typed where none is expected.
            ("echo ~/notes|", "echo ~/notes.txt"),
            ("echo notes|", ""),
        ],
    );
}

#[test]
fn hidden_files_only_after_a_dot() {
    check(
        "zsh",
        &[
            ("cat .z|", "cat .zshrc"),
            ("cat .|", "cat .config/ / cat .zshrc"),
            ("cat ~/.c|", "cat ~/.config/aside/"),
            ("unheard-of zsh|", ""),
        ],
    );
}

#[test]
fn the_other_case_when_nothing_fits() {
    check(
        "zsh",
        &[
            ("cat readme|", "cat README.md"),
            ("cat ~/readme|", "cat ~/README.md"),
            ("cat $HOME/SRC/|", ""),
            ("cd my|", "cd My\\ Documents/"),
            ("cd 'my |", "cd 'My Documents/"),
            ("cd \"$HOME/my |", "cd \"$HOME/My Documents/"),
        ],
    );
    assert_eq!(
        details(&format!("{HOME}\nline cat readm|")),
        "cat README.md: Path Mends { edits: 5 } 0 of 1, 5 typed, 4 more"
    );
    // A name in the right case is better.
    assert_eq!(texts("file Makefile\nfile make.log\nline cat ma|"), "cat make.log");
}

#[test]
fn goes_down_where_there_is_nothing_to_choose() {
    check("zsh", &[("cd j|", "cd java/main/org/aside/core/"), ("cd src/|", "cd src/complete/spec/")]);
    // Where the first directory itself may be meant.
    check("zsh", &[("rm -r j|", "rm -r java/"), ("ls j|", "ls java/")]);
    let deep = format!("directory {}\nline cd a|", ["a"; 20].join("/"));
    assert_eq!(texts(&deep), format!("cd {}/", ["a"; 9].join("/")));
}

#[test]
fn many_entries_are_bounded() {
    let scene = |line: &str| format!("many 10000 image-\nline {line}");
    // The common prefix, and no more.
    assert_eq!(details(&scene("cat im|")), "cat image-0: Path Extends 0 of 1, 2 typed, 5 more");
    assert_eq!(
        details(&scene("cat image-0|")).lines().collect::<Vec<_>>(),
        [
            "cat image-00000: Path Extends 0 of 10000, 7 typed, 4 more",
            "cat image-00001: Path Extends 1 of 10000, 7 typed, 4 more",
            "cat image-00002: Path Extends 2 of 10000, 7 typed, 4 more",
            "cat image-00003: Path Extends 3 of 10000, 7 typed, 4 more",
        ]
    );
    assert_eq!(texts(&scene("cat image-0999|")).split(" / ").count(), 4);
    assert_eq!(texts(&scene("cat image-09999|")), "");
    assert_eq!(texts(&scene("cat image-0998|")).split(" / ").count(), 4);
    // Multi-byte characters are not cut.
    let names = ["ä", "á", "â", "à", "ã", "å", "ā", "ă", "ą", "æ"];
    let files: String = names.iter().map(|name| format!("file x{name}\n")).collect();
    assert_eq!(texts(&format!("{files}line cat |")), "cat x");
}

#[test]
fn what_is_not_known_yet_and_what_must_not_be_shown() {
    assert_eq!(texts("file notes\nslow /home/me\nline cat no|"), "");
    assert_eq!(texts("file no\u{1b}[31mtes\nfile no\u{202e}tes\nline cat no|"), "");
    assert_eq!(texts("file a;b\nfile a$b\nline cat a|"), "cat a\\$b / cat a\\;b");
}

#[test]
fn patterns() {
    for (glob, name, expected) in [
        ("*.py", "a.py", true),
        ("*.py", "a.PY", true),
        ("*.py", "py", false),
        ("Makefile*", "makefile.am", true),
        ("*.tar.*", "a.tar.gz", true),
        ("*.tar.*", "a.tgz", false),
        ("a*a", "a", false),
        ("Dockerfile", "Dockerfile", true),
    ] {
        assert_eq!(fits(glob, name), expected, "{glob} {name}");
    }
}
