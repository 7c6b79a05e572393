//! Tests which commands may be shown on a small machine.

use std::sync::Arc;

use aside_commands::shell_names::ShellNames;
use aside_commands::spec::Specs;
use aside_commands::world::{DirEntry, World};
use proptest::prelude::*;

use super::*;
use crate::ToolFlavor;

struct Machine {
    programs: Fact<Arc<[Box<str>]>>,
}

const PROGRAMS: [&str; 30] = [
    "bash", "cat", "cp", "curl", "date", "docker", "env", "find", "fish", "git", "grep", "head", "kill", "ls", "lsof",
    "make", "man", "nice", "npx", "rm", "sed", "sh", "sort", "ssh", "sudo", "tar", "tee", "timeout", "xargs", "zsh",
];

impl World for Machine {
    fn home(&self) -> &str {
        "/home/me"
    }

    fn entries(&self, directory: &str) -> Fact<Arc<[DirEntry]>> {
        let entry = |name: &str, kind| DirEntry { name: name.into(), kind };
        match directory {
            "/home/me" => Fact::Yes(Arc::new([
                entry("filename", world::FileKind::File),
                entry("notes", world::FileKind::File),
                entry("run.sh", world::FileKind::Program),
                entry("src", world::FileKind::Directory),
            ])),
            "/slow" => Fact::NotYet,
            _ => Fact::No,
        }
    }

    fn programs(&self) -> Fact<Arc<[Box<str>]>> {
        self.programs.clone()
    }
}

fn machine() -> Machine {
    Machine { programs: Fact::Yes(PROGRAMS.iter().map(|name| (*name).into()).collect()) }
}

fn on(machine: &Machine, dialect: Dialect, command: &str, blocklist: &[&str]) -> Result<CheckedCommand, CheckRefusal> {
    let mut names = ShellNames::default();
    names.take("builtin", 0, "cd\necho\nprint");
    names.take("alias", 0, "away=rm -rf\ngst=git status\nrm=rm -i");
    names.take("function", 0, "mkcd");
    let specs = Specs::default();
    let place = TranslateContext {
        cwd: "/home/me",
        dialect,
        system: ToolFlavor::Gnu,
        world: machine,
        names: &names,
        specs: &specs,
    };
    let blocklist: Vec<String> = blocklist.iter().map(|entry| (*entry).to_owned()).collect();
    check(command, &place, &blocklist)
}

fn said(command: &str) -> String {
    match on(&machine(), Dialect::Zsh, command, &[]) {
        Ok(checked) => checked.command,
        Err(refused) => format!("! {}", refused.reason()),
    }
}

#[test]
fn what_can_run_is_shown_as_it_is() {
    let shown = [
        "ls -la",
        "git status | head",
        "gst",
        "mkcd x",
        "cd src && make",
        "sudo nice -n 5 make",
        "find . -exec grep x {} +",
        "for f in *; do cat \"$f\"; done",
        "if true; then ls; fi",
        "f() { ls; }; f",
        "alias ll='ls -l'; ll",
        "$EDITOR x",
        "./run.sh",
        "~/run.sh x",
        "make && ./out",
        "cd src && ./x",
        "/slow/x",
        "$DIR/x",
        "ssh host unknown-there",
        "docker run alpine apk add x",
        "npx create-something x",
        "bash -c 'shopt -s nullglob; ls'",
        "sudo !!",
        "find . ! -name a",
        "grep '!x' notes",
        "grep \\!x notes",
        "git commit -m \"done!\"",
        "ls & kill $!",
        "ls | xargs -I{} {} --version",
        "A=1 git log",
        "A=1",
        "time make",
        "> new",
        "[[ -f notes ]] && cat notes",
        "\\ls",
        "echo 'gti status'",
        "cat filename",
        "autoload -Uz zmv; zmv '(*).jpeg' '$1.jpg'",
    ];
    for command in shown {
        assert_eq!(said(command), command);
    }
}

#[test]
fn what_cannot_run_is_refused_with_a_reason() {
    let refused = [
        ("grep done !x", "! `!x` would be replaced by an earlier line"),
        ("git commit -m \"fixed !now\"", "! `!now\"` would be replaced by an earlier line"),
        ("rm !!", "! `!!` would be replaced by an earlier line"),
        ("", "! there is no command in it"),
        ("  ", "! there is no command in it"),
        ("# only a comment", "! there is no command in it"),
        ("gti status", "! there is no command `gti` here"),
        ("git log | haed", "! there is no command `haed` here"),
        ("ls && gti", "! there is no command `gti` here"),
        ("echo $(gti log)", "! there is no command `gti` here"),
        ("cat <(gti log)", "! there is no command `gti` here"),
        ("sudo gti status", "! there is no command `gti` here"),
        ("doas ls", "! there is no command `doas` here"),
        ("ls | xargs -n 1 gti", "! there is no command `gti` here"),
        ("sh -c 'ls; gti'", "! there is no command `gti` here"),
        ("sudo sh -c \"xargs gti\"", "! there is no command `gti` here"),
        ("find . -exec gti {} \\;", "! there is no command `gti` here"),
        ("timeout 5 gti", "! there is no command `gti` here"),
        ("shopt -s nullglob", "! there is no command `shopt` here"),
        ("./walk.sh", "! `./walk.sh` is not a program here"),
        ("./notes", "! `./notes` is not a program here"),
        ("sudo ./walk.sh", "! `./walk.sh` is not a program here"),
        ("src/", "! `src/` is not a program here"),
        ("echo 'a", "! a quote is not closed"),
        ("echo $(ls", "! a bracket is not closed"),
        ("ls |", "! it ends after an operator"),
        ("for f in *; do ls", "! a loop or a condition is not closed"),
        ("ls \\", "! it ends with a backslash"),
        ("cat <<EOF", "! a here-document is not closed"),
        ("ls\nrm x", "! it has more than one line"),
        ("cat <file>", "! `<file>` has to be filled in"),
        ("tar xf {{archive}}", "! `{{archive}}` has to be filled in"),
        ("zmv '(*).jpeg' '$1.jpg'", "! there is no command `zmv` here"),
        ("You can use ls", "! there is no command `You` here"),
    ];
    for (command, expected) in refused {
        assert_eq!(said(command), expected, "{command}");
    }
    assert_eq!(said(&format!("ls {}", "x".repeat(MAX_COMMAND))), "! it is longer than 2000 bytes");
}

#[test]
fn nothing_hidden_is_shown() {
    assert_eq!(said("\u{1b}[31mls\u{1b}[0m"), "! there is no command `[31mls[0m` here");
    assert_eq!(said("l\u{200b}s -la"), "ls -la");
    assert_eq!(said("ls\t-la"), "ls -la");
    assert_eq!(said("ls \u{202e}x\0"), "ls x");
    assert_eq!(said("  ls  "), "ls");
}

#[test]
fn what_is_not_known_yet_is_possible() {
    let slow = Machine { programs: Fact::NotYet };
    assert!(on(&slow, Dialect::Zsh, "gti status", &[]).is_ok());
    assert!(on(&slow, Dialect::Zsh, "echo 'a", &[]).is_err());
    assert!(on(&machine(), Dialect::Fish, "string length x", &[]).is_ok());
    assert!(on(&machine(), Dialect::Bash, "string length x", &[]).is_err());
}

#[test]
fn a_blocklist_is_matched_word_by_word() {
    let list = ["rm -rf", "git push --force", "sed -i", "docker system", "curl", "kill -9", "make 'x y'"];
    let blocked = |command: &str| match on(&machine(), Dialect::Zsh, command, &list) {
        Err(CheckRefusal::Blocked(entry)) => entry,
        _ => "-".to_owned(),
    };
    let cases = [
        ("rm -rf x", "rm -rf"),
        ("rm -fr x", "rm -rf"),
        ("rm -r -f x", "rm -rf"),
        ("sudo rm -rf x", "rm -rf"),
        ("sudo sh -c 'rm -rf x'", "rm -rf"),
        ("find . | xargs rm -rf", "rm -rf"),
        ("/bin/rm -rf x", "rm -rf"),
        ("rm x", "-"),
        ("rm -r x", "-"),
        ("echo rm -rf", "-"),
        ("git push origin --force", "git push --force"),
        ("git push", "-"),
        ("git log --force push", "-"),
        ("docker system prune", "docker system"),
        ("docker ps system", "-"),
        ("ls; curl x", "curl"),
        ("ls curl", "-"),
        ("lsof -ti:1 | xargs kill -9", "kill -9"),
        ("make 'x y' z", "make 'x y'"),
        ("make x y", "-"),
    ];
    for (command, expected) in cases {
        assert_eq!(blocked(command), expected, "{command}");
    }
    assert!(on(&machine(), Dialect::Zsh, "ls", &["", " ", "'", "#"]).is_ok());
}

#[test]
fn a_name_to_fill_in_lowers_what_it_is_worth() {
    let checked = on(&machine(), Dialect::Zsh, "cat path/to/file", &[]).unwrap();
    assert_eq!(checked.holes.len(), 1);
    assert!(checked.confidence(0.8) < 0.5);
    let checked = on(&machine(), Dialect::Zsh, "cat filename", &[]).unwrap();
    assert_eq!((checked.holes.len(), checked.confidence(0.8)), (0, 0.8), "it is there");
}

#[test]
fn it_says_what_it_is_and_what_it_destroys() {
    let of = |command: &str| on(&machine(), Dialect::Zsh, command, &[]).unwrap();
    let checked = of("sudo rm -rf src > notes");
    assert_eq!(checked.warning, "deletes files; overwrites a file");
    assert!(checked.description().ends_with("; deletes files; overwrites a file"), "{}", checked.description());
    assert!(!checked.about.is_empty());
    assert_eq!(of("mkcd x").description(), "");
    assert_eq!(of("ls; away src").warning, "deletes files");
    assert_eq!(of("away ~").warning, "deletes your home directory; deletes files");
    assert_eq!(of("rm x").dangers.len(), 1, "its alias says nothing new");
    assert_eq!(of("gst").warning, "");
    assert_eq!(of("cp src/a notes").warning, "overwrites a file");
    assert_eq!(of("cp src/a new").warning, "");
}

proptest! {
    #[test]
    fn whatever_the_command_is_what_is_shown_is_one_clean_line(command in "(?s).{0,60}", entry in ".{0,10}") {
        if let Ok(checked) = on(&machine(), Dialect::Zsh, &command, &[&entry]) {
            prop_assert!(!checked.command.contains(char::is_control));
            prop_assert!(text::is_clean(&checked.command));
            for danger in checked.dangers {
                prop_assert!(checked.command.get(danger.span).is_some());
            }
        }
    }
}
