//! Commands with their expected explanations.

use std::sync::Arc;

use aside_commands::shell_names::ShellNames;
use aside_commands::spec::Specs;
use aside_commands::world::{DirEntry, Fact, FileKind, World};
use insta::assert_snapshot;
use proptest::prelude::*;
use shell_line::Dialect;

use super::*;
use crate::ToolFlavor;

/// A fake machine with a manual and two directory entries.
struct Machine;

impl World for Machine {
    fn home(&self) -> &str {
        "/home/me"
    }

    fn entries(&self, directory: &str) -> Fact<Arc<[DirEntry]>> {
        let entry = |name: &str, kind| DirEntry { name: name.into(), kind };
        match directory {
            "/work" => Fact::Yes(Arc::new([entry("src", FileKind::Directory), entry("notes.txt", FileKind::File)])),
            _ => Fact::No,
        }
    }

    fn learnt(&self, command: &str) -> Fact<Arc<str>> {
        match command {
            "learned" => Fact::Yes("about = \"do what was learnt\"\n[flags]\n\"-q\" = \"say less\"\n".into()),
            _ => Fact::No,
        }
    }

    fn manual(&self, command: &str) -> Fact<Arc<str>> {
        match command {
            "frob" => Fact::Yes("NAME\n       frob - frob files\n\nOPTIONS\n       -a, --all\n              Frob all of them.\n\n       -o FILE\n              write to FILE\n".into()),
            _ => Fact::No,
        }
    }
}

fn explained(command: &str, dialect: Dialect) -> Explanation {
    let mut names = ShellNames::default();
    names.take("alias", 0, "ll=ls -l\n");
    let specs = Specs::default();
    let place = TranslateContext {
        cwd: "/work",
        dialect,
        system: ToolFlavor::Gnu,
        world: &Machine,
        names: &names,
        specs: &specs,
    };
    explain(command, &place)
}

/// The summary, then a row for each part.
fn told(command: &str, dialect: Dialect) -> String {
    let Explanation { parts, summary } = explained(command, dialect);
    let mut rows = vec![summary];
    for Part { text, about, harm } in &parts {
        let harm = harm.map(|harm| format!("  ! {}", harm.words())).unwrap_or_default();
        rows.push(format!("  {text} = {about}{harm}"));
    }
    rows.join("\n")
}

/// Each block has a command line after `$ ` (`fish$ ` for another shell), the summary, and the parts.
#[test]
fn every_command_of_the_table_is_told_so() {
    let table = include_str!("tests/commands.txt");
    let mut wrong = Vec::new();
    let mut tools = std::collections::BTreeSet::new();
    let mut count = 0;
    for block in table.split("\n\n").map(str::trim).filter(|block| !block.is_empty()) {
        let (head, expected) = block.split_once('\n').unwrap_or((block, ""));
        let (shell, command) = head.split_once("$ ").unwrap_or_else(|| panic!("{head}"));
        let dialect = if shell.is_empty() { Dialect::Bash } else { Dialect::of(shell) };
        let said = told(command, dialect);
        let said: Vec<&str> = said.lines().map(str::trim_end).collect();
        let said = said.join("\n");
        if said != expected {
            wrong.push(format!("{head}\n{said}"));
        }
        tools.extend(
            line::parse(command, dialect)
                .commands
                .iter()
                .filter_map(|command| command.words.first()?.value.split(' ').next().map(str::to_owned)),
        );
        count += 1;
    }
    assert!(wrong.is_empty(), "{} are told otherwise:\n{}\n", wrong.len(), wrong.join("\n\n"));
    assert!(count >= 60 && tools.len() >= 60, "{count} commands of {} tools", tools.len());
}

#[test]
fn what_is_brought_back_given_up_or_only_shown_is_told_so() {
    let mut wrong = Vec::new();
    for (command, summary) in [
        ("git checkout -- .", "Discards the changes of this directory"),
        ("git checkout .", "Discards the changes of this directory"),
        ("git checkout -- a.txt", "Discards the changes of a.txt"),
        ("git checkout main -- a.txt", "Puts a.txt back as in main, over what is there"),
        ("git checkout main", "Goes to main"),
        ("git clean -n", "Shows which files that git does not track would be deleted"),
        ("git clean -nd", "Shows which files that git does not track would be deleted"),
        ("git merge --abort", "Gives up the merge that is under way, and goes back to before it"),
        ("git rebase --continue", "Goes on with the rebase that is under way"),
        ("git branch -D x", "Deletes the branch x, merged or not"),
        ("rsync -n --delete a/ b/", "Only shows what would be copied from a/ to b/, and what would be deleted there"),
        ("history -c", "Forgets all past commands of this shell"),
        ("find . -mindepth 1 -delete", "Deletes everything here and below, hidden files and .git too"),
        ("find . -maxdepth 1 -type f", "Finds files here"),
        ("find src -maxdepth 1 -name '*.rs'", "Finds files and directories whose names end in .rs in src"),
        ("find . -maxdepth 2 -type d", "Finds directories here and below, 2 levels deep at most"),
    ] {
        let said = explained(command, Dialect::Bash).summary;
        if said != summary {
            wrong.push(format!("{command}: {said}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn below_a_prompt_there_are_two_columns_and_few_lines() {
    let shown = |command: &str, width: usize| summary_lines(&explained(command, Dialect::Bash), width).join("\n");
    assert_snapshot!(shown("rm -rf build", 78), @"
    Deletes build and everything in it without asking  ! deletes files
    rm     remove files  ! deletes files
    -r     directories with everything in them
    -f     without asking, and without complaint about what is missing
    build  what to delete
    ");
    assert_snapshot!(shown("rm -rf 日本語のファイル.txt", 40), @"
    Deletes 日本語のファイル.txt and
    everything in it without asking  ! dele…
    rm             remove files  ! deletes…
    -r             directories with everyth…
    -f             without asking, and with…
    日本語のファ…  what to delete
    ");
    assert_eq!(shown("clear", 78), "Clears the screen");
    let many = summary_lines(&explained(&"ls -l; ".repeat(30), Dialect::Bash), 78);
    assert_eq!(many.len(), 12);
    assert!(many.last().unwrap().starts_with("… and "), "{many:?}");
}

#[test]
fn what_is_not_known_is_said_to_be() {
    for (command, known) in [
        ("ls", true),
        ("qqjjzzxx --frob x", false),
        ("qqjjzzxx > out", true),
        ("frob -a", true),
        ("", false),
        ("| |", true),
    ] {
        assert_eq!(is_known(&explained(command, Dialect::Bash)), known, "{command}");
    }
}

#[test]
fn nothing_that_a_terminal_obeys_is_said() {
    let explanation = explained("echo \u{1b}[31mred\u{202e}x\u{7} 'a\nb' \u{9b}2J", Dialect::Zsh);
    let all = std::iter::once(&explanation.summary)
        .chain(explanation.parts.iter().flat_map(|part| [&part.text, &part.about]));
    for text in all {
        assert!(text::is_clean(text) && !text.contains(['\n', '\t']), "{text:?}");
    }
}

#[test]
fn what_lies_deep_or_is_long_is_cut_and_not_followed_for_ever() {
    for line in [
        "sudo ".repeat(3000),
        "echo $(".repeat(500),
        "sh -c \"sh -c \\\"ls\\\"\"".to_owned(),
        "find . -exec ".repeat(400),
        "a;".repeat(5000),
        "x ".repeat(5000),
        "{a,b}".repeat(500),
    ] {
        let explanation = explained(&line, Dialect::Bash);
        assert!(explanation.parts.len() <= MAX_PARTS);
        assert!(summary_lines(&explanation, 80).len() <= 12);
    }
}

/// Pieces of syntax for random lines.
const PIECES: &[&str] = &[
    " ",
    " ",
    " ",
    "ls",
    "find",
    "sed",
    "awk",
    "tar",
    "git",
    "log",
    "chmod",
    "jq",
    "sort",
    "xargs",
    "sudo",
    "sh",
    "-c",
    "-exec",
    "{}",
    "+",
    "\\;",
    "-n",
    "-5",
    "-k2,2nr",
    "-size",
    "+1G",
    "755",
    "u+x",
    "s/a/b/g",
    "'{print $1}'",
    "'",
    "\"",
    "`",
    "$(",
    ")",
    "(",
    "((",
    "[[",
    "]]",
    "${",
    "}",
    "{",
    "{a,b}",
    "<(",
    ">",
    ">>",
    "2>&1",
    "<<<",
    "<<E",
    "|",
    "||",
    "&&",
    "&",
    ";",
    ";;",
    "for",
    "in",
    "do",
    "done",
    "if",
    "then",
    "fi",
    "case",
    "esac",
    "function",
    "()",
    "f()",
    "~",
    "*",
    "**/*.x",
    "[a]",
    "$x",
    "$?",
    "HEAD~1",
    "a..b",
    "é",
    "日",
    "\u{1b}",
    "\u{202e}",
    "\n",
    "\t",
    "#",
    "=",
    "A=b",
    "--x=y",
    "--",
    "-",
    "@{1}",
    "0 5 * * *",
    "*/5",
    "@daily",
    "ssh",
    "h:p",
    "s|é|ü|",
    "/é/",
    ".a[].b",
    "date",
    "+%F%",
    "docker",
    "run",
    "-v",
    "a:b:c",
];

proptest! {
    #[test]
    fn whatever_is_typed_is_told_without_fail(
        pieces in proptest::collection::vec(proptest::sample::select(PIECES), 0..24), noise in ".{0,12}", shell in 0..3usize, width in 0..120usize,
    ) {
        let dialect = [Dialect::Zsh, Dialect::Bash, Dialect::Fish][shell];
        for line in [pieces.concat(), pieces.join(" "), format!("{}{noise}", pieces.join(" ")), noise] {
            let explanation = explained(&line, dialect);
            for part in &explanation.parts {
                prop_assert!(text::is_clean(&part.text) && text::is_clean(&part.about) && !part.text.is_empty());
                prop_assert!(!part.text.contains('\n') && !part.about.contains('\n'));
            }
            prop_assert!(text::is_clean(&explanation.summary) && !explanation.summary.contains('\n'), "{:?}", explanation.summary);
            let lines = summary_lines(&explanation, width);
            prop_assert!(lines.len() <= 12);
            for line in &lines {
                prop_assert!(unicode_width::UnicodeWidthStr::width(line.as_str()) <= width, "{width} {line:?}");
            }
        }
    }
}

/// Each brace of a word stands for words that hold all of the text around it.
#[test]
fn braces_are_spelled_out_only_where_that_is_short() {
    let nested = |count: usize| {
        let (open, commas, rest) = ("{".repeat(count), ",".repeat(count), "x".repeat(count));
        format!("{open}{commas}}}{rest}")
    };
    for count in [10, 160, 1300] {
        let many = format!("{}{}", "{a,".repeat(count), "}".repeat(32));
        for word in [nested(count), many, "{".repeat(count) + "1..2}"] {
            let notes = crate::explain::shell::expansions(&word);
            let length: usize = notes.iter().map(String::len).sum();
            assert!(notes.len() <= 12 && length < 12 * 500, "{length} bytes for {} bytes", word.len());
        }
    }
    assert_eq!(crate::explain::shell::expansions("a{b,c}"), ["stands for ab and ac"]);
    assert_eq!(crate::explain::shell::expansions(&format!("{{{}}}", "x,".repeat(20))), ["stands for 21 words"]);
}
