//! Corrections as the user sees them: scenes with a line, `|` being the cursor.

use super::*;
use crate::complete::fake::Fake;

const MACHINE: &str = "
    program cargo
    program cat
    program cp
    program docker
    program git
    program gitk
    program grep
    program gtk-launch
    program ls
    program make
    program mkdir
    program npm
    program python3
    program ssh
    program sudo
    program sort
    program who
    program weird-tool
    alias gst=git status
    function mkcd
    builtin cd
    builtin echo
    builtin export
    file README.md
    file report1.pdf
    file projects/aside/Cargo.toml
    file projects/other/x
    program tools/build.sh
    program ./script.sh
    file My Documents/a b.txt
    file 日本語/x
    file /etc/hosts
    git-branch main
    git-branch feature-login
    git-remote origin
    make-target test
    make-target install
    host production
    host web1
";

fn candidates_of(scene: &str) -> Vec<Candidate> {
    candidates(&Fake::new(scene).context())
}

fn texts(scene: &str) -> String {
    candidates_of(scene).iter().map(|candidate| candidate.text.as_str()).collect::<Vec<_>>().join(" / ")
}

#[track_caller]
fn check(more: &str, cases: &[(&str, &str)]) {
    for (line, expected) in cases {
        assert_eq!(texts(&format!("{MACHINE}\n{more}\nline {line}")), *expected, "{line}");
    }
}

#[test]
fn names_of_commands() {
    for shell in ["shell zsh", "shell bash", "shell fish"] {
        check(
            shell,
            &[
                ("gti status|", "git status"),
                ("gti |", "git "),
                ("gti|", "git"),
                ("grpe x|", "grep x"),
                ("sl -l|", "ls -l"),
                ("pyhton3 x.py|", "python3 x.py"),
                ("whiel true|", "while true"),
                ("ls; gti log|", "ls; git log"),
                ("ls \\| srot|", "ls | sort"),
                ("sudo gti pull|", "sudo git pull"),
                ("sudo -u me gti pull|", "sudo -u me git pull"),
                ("A=1 gti log|", "A=1 git log"),
                ("gts|", "gst"),
                ("mkdc x|", "mkcd x"),
            ],
        );
    }
    check("", &[("echo $(gti log|", "echo $(git log"), ("gst|", ""), ("gts |", "gst ")]);
    check("shell fish", &[("echo (gti log|", "echo (git log"), ("ls; and gti log|", "ls; and git log")]);
}

#[test]
fn a_name_is_mended_together_with_the_subcommand_behind_it() {
    check(
        "",
        &[("gti st|", "git status"), ("gti chec|", "git checkout"), ("gti s|", "git s"), ("gti st |", "git st ")],
    );
}

#[test]
fn a_program_that_is_only_not_installed_is_none_that_is_misspelled() {
    let programs = "program node\nprogram psql\nprogram nmap";
    check(programs, &[("code |", ""), ("code .|", ""), ("mysql |", ""), ("bap x|", ""), ("noed x.js|", "node x.js")]);
}

#[test]
fn not_while_a_name_is_being_typed() {
    check(
        "",
        &[
            ("g|", ""),
            ("gt|", ""),
            // `gtk-launch` begins like this.
            ("gtk|", ""),
            ("gt|i status", ""),
            ("|gti status", ""),
            ("carg|", ""),
            ("wierd-tool|", "weird-tool"),
            ("weird-|", ""),
        ],
    );
}

#[test]
fn not_what_may_be_right() {
    check(
        "",
        &[
            ("git status|", ""),
            ("xyzzy foo|", ""),
            ("GTI=1|", ""),
            ("GTI=1 git log|", ""),
            ("$gti status|", ""),
            ("'gti' status|", ""),
            ("\\gti status|", ""),
            ("gt* status|", ""),
            ("gti() { git status; }; gti|", ""),
            ("%gti |", ""),
            ("!gti |", ""),
            ("# gti status|", ""),
            ("projects |", ""),
            ("echo gti status|", ""),
            // A request for a model: prose that begins with an unknown word.
            ("how many files are here|", ""),
            ("shoe me the files|", ""),
        ],
    );
    // The shell has not reported its names, or the programs are not listed yet.
    assert_eq!(texts("program git\nline gti status|"), "");
    assert_eq!(texts("program git\nbuiltin cd\nslow programs\nline gti status|"), "");
    assert_eq!(texts("program git\nbuiltin cd\nline gti status|"), "git status");
    // It succeeded before.
    check("history gti status --all", &[("gti status|", "")]);
}

#[test]
fn what_the_person_uses_is_meant() {
    let both = "program tid\nprogram tit\nprogram tiz\nprogram tib\nbuiltin cd";
    // Too many similar names.
    assert_eq!(texts(&format!("{both}\nline tix |")), "");
    assert_eq!(texts(&format!("{both}\nhistory tid\nhistory tid\nhistory tid log\nline tix |")), "tid ");
}

#[test]
fn subcommands_and_flags() {
    check(
        "",
        &[
            ("git chekcout main|", "git checkout main"),
            ("git statsu |", "git status "),
            ("git comit -m x|", "git commit -m x"),
            // No subcommand begins like this.
            ("git chekcout|", "git checkout"),
            ("git psuh|", "git push"),
            ("docker comopse|", "docker compose"),
            ("git chec|", ""),
            ("git ps|", ""),
            ("git lol |", "git log "),
            ("git st |", ""),
            ("git zzz |", ""),
            ("sudo git chekcout main|", "sudo git checkout main"),
            ("git status --shrot |", "git status --short "),
            ("git --verson |", "git --version "),
            ("git --verson|", ""),
            // Many programs accept a prefix of a flag.
            ("git status --shor |", ""),
            ("git status -z |", ""),
            ("cargo buidl --release|", "cargo build --release"),
            ("git $x |", ""),
            ("git 'chekcout' |", ""),
        ],
    );
    check("history git lol --all", &[("git lol |", "")]);
    check("alias g=git", &[("g chekcout |", "g checkout ")]);
}

#[test]
fn live_names() {
    check(
        "",
        &[
            ("git checkout mian |", "git checkout main "),
            ("git checkout mian|", ""),
            ("git checkout main |", ""),
            ("git checkout feature-lgoin |", "git checkout feature-login "),
            ("git checkout -b mian |", ""),
            ("git push orgin main|", "git push origin main"),
            ("make tset |", "make test "),
            ("make isntall test|", "make install test"),
            ("ssh prodcution |", "ssh production "),
            // Another host, not a typo.
            ("ssh web2 |", ""),
        ],
    );
    check("slow git-branch", &[("git checkout mian |", "")]);
}

#[test]
fn paths() {
    check(
        "",
        &[
            ("cat READEM.md |", "cat README.md "),
            ("cat READEM.md|", ""),
            ("cd porjects |", "cd projects "),
            ("cd porjects|", ""),
            // A component is finished when the next one is begun.
            ("cd porjects/|", "cd projects/"),
            ("cd porjects/aside|", "cd projects/aside"),
            ("cd porjects/asdie |", "cd projects/aside "),
            ("cd ./porjects/aside |", "cd ./projects/aside "),
            ("cd ~/porjects/aside |", "cd ~/projects/aside "),
            ("cd /home/me/porjects |", "cd /home/me/projects "),
            ("cat /ect/hosts |", "cat /etc/hosts "),
            ("cat projects/aside/Crago.toml |", "cat projects/aside/Cargo.toml "),
            ("sort < READEM.md |", "sort < README.md "),
            ("./scrpit.sh |", "./script.sh "),
            ("tolos/build.sh |", "tools/build.sh "),
            ("cd 日本语 |", "cd 日本語 "),
            ("cp READEM.md /etc|", "cp README.md /etc"),
            ("cd projects && cat aisde/Cargo.toml |", "cd projects && cat aside/Cargo.toml "),
        ],
    );
}

#[test]
fn paths_that_may_be_right() {
    check(
        "",
        &[
            ("cat README.md |", ""),
            ("cat readme.md |", ""),
            ("cat report2.pdf |", ""),
            ("mkdir porjects |", ""),
            ("cp README.md READEM.md |", ""),
            ("ls >READEM.md |", ""),
            ("cat 'READEM.md' |", ""),
            ("cat READEM* |", ""),
            ("cat $x/READEM.md |", ""),
            ("unheard-of READEM.md |", ""),
            ("git clone x porject && cd porject |", ""),
            ("cat README.md:12 |", ""),
            // The similar name is of another kind.
            ("cd READEM.md |", ""),
        ],
    );
    check("slow /home/me", &[("cat READEM.md |", "")]);
}

#[test]
fn a_name_that_needs_quotes() {
    check("", &[("cd MyDocuments |", "cd My\\ Documents ")]);
    check("shell fish", &[("cd MyDocuments |", "cd My\\ Documents ")]);
}

#[test]
fn several_slips_at_once() {
    check("", &[("gti chekcout mian |", "git checkout main "), ("gti statsu; sl -l|", "git status; ls -l")]);
}

#[test]
fn the_cursor_stays_where_it_is() {
    let cursor = |line: &str| {
        let candidates = candidates_of(&format!("{MACHINE}\nline {line}"));
        let marked = candidates.iter().map(|candidate| match candidate.cursor {
            Some(cursor) => format!("{}|{}", &candidate.text[..cursor], &candidate.text[cursor..]),
            None => format!("{}|", candidate.text),
        });
        marked.collect::<Vec<_>>().join(" / ")
    };
    assert_eq!(cursor("git comit -m|"), "git commit -m|");
    assert_eq!(cursor("git comit | -m x"), "git commit | -m x");
    assert_eq!(cursor("git log | ; git comit -m x"), "git log | ; git commit -m x");
    assert_eq!(cursor("sl | -l"), "ls | -l");
}

#[test]
fn what_the_ranking_gets() {
    let candidates = candidates_of(&format!("{MACHINE}\nline gti comit |"));
    let [candidate] = &candidates[..] else { panic!("{candidates:?}") };
    assert_eq!(candidate.about, "gti → git, comit → commit");
    let expected = CandidateFacts {
        rivals: 1,
        typed: 3,
        adds: 1,
        ..CandidateFacts::new(CandidateKind::Command, MatchKind::Mends { edits: 2 })
    };
    assert_eq!((candidate.facts, candidate.source), (expected, CandidateSource::Correction));
}

#[test]
fn many_names_and_many_entries() {
    let programs: String = (0..10_000).map(|number| format!("program tool{number:04}\n")).collect();
    assert_eq!(texts(&format!("{programs}program git\nbuiltin cd\nline gti log|")), "git log");
    // The directory has more entries than are listed, so nothing is certain.
    assert_eq!(texts("many 10000 image-\nfile README\nprogram cat\nbuiltin cd\nline cat READEM |"), "");
    let long = "x".repeat(5000);
    assert_eq!(texts(&format!("{MACHINE}\nline {long} a|")), "");
}
