//! Lines and what they destroy, spans, limits.

use super::*;
use crate::world::{DirEntry, Fact, FileKind};
use proptest::prelude::*;
use std::sync::Arc;

fn harms(line: &str, dialect: Dialect) -> String {
    let mut harms: Vec<Harm> = dangers(line, dialect).iter().map(|danger| danger.harm).collect();
    harms.sort_unstable();
    harms.dedup();
    if harms.is_empty() { "-".to_owned() } else { harms.iter().map(|harm| harm.name()).collect::<Vec<_>>().join(" ") }
}

#[test]
fn every_line_of_the_table_says_its_harms_and_no_others() {
    let table = include_str!("../../data/safety/lines.txt");
    let mut wrong = Vec::new();
    let mut count = 0;
    for row in table.lines().filter(|row| !row.is_empty() && !row.starts_with('#')) {
        let (expected, line) = row.split_once(": ").unwrap_or_else(|| panic!("{row}"));
        let (dialect, expected) = match expected.split_once('|') {
            Some((shell, expected)) => (Dialect::of(shell), expected),
            None => (Dialect::Zsh, expected),
        };
        count += 1;
        let said = harms(line, dialect);
        if said != expected {
            wrong.push(format!("{expected}, but said {said}: {line}"));
        }
    }
    assert_eq!(wrong, [""; 0]);
    assert!(count >= 250, "{count}");
}

#[test]
fn the_bytes_that_do_it_are_told() {
    let cases = [
        ("ls; rm -rf x; ls", "rm -rf x"),
        ("sudo rm x", "rm x"),
        ("ls > out 2>&1", "> out"),
        ("sh -c 'ls; rm x'", "rm x"),
        ("sudo sh -c \"ls && rm -rf x\" _", "rm -rf x"),
        ("sh -c 'ls; rm '\\''x'", "'ls; rm '\\''x'"),
        ("echo é $(rm ü)", "rm ü"),
        ("eval rm x", "rm x"),
        ("find . -exec rm {} \\;", "rm {}"),
        ("echo 'rm x' | sh", "echo 'rm x'"),
    ];
    for (line, expected) in cases {
        let spans: Vec<&str> = dangers(line, Dialect::Zsh).iter().map(|danger| &line[danger.span.clone()]).collect();
        assert_eq!(spans, [expected], "{line}");
    }
}

#[test]
fn a_script_in_a_here_document_is_read() {
    let line = "ls\nsudo bash <<'EOF'\ncd x\nrm y\nEOF\nls";
    let spans: Vec<&str> = dangers(line, Dialect::Bash).iter().map(|danger| &line[danger.span.clone()]).collect();
    assert_eq!(spans, ["rm y"]);
    assert_eq!(dangers("cat <<EOF\nrm y\nEOF", Dialect::Bash), []);
}

/// Deep nesting hides nothing.
#[test]
fn what_is_too_deep_to_read_is_said_to_be() {
    for count in [1, 2, 7, 8, 9, 15, 16, 17, 20, 39, 47, 48, 49, 60, 200] {
        let nested = |open: &str, close: &str| format!("{}rm x{}", open.repeat(count), close.repeat(count));
        let lines = [
            nested("eval ", ""),
            nested("sudo ", ""),
            nested("nice env ", ""),
            nested("find . -exec ", ""),
            nested("echo $(", ")"),
            nested("eval \"$(", ")\""),
            nested("sh -c \"sudo $(", ")\""),
            nested("ssh h ", ""),
        ];
        for line in lines {
            let worst = dangers(&line, Dialect::Bash).iter().map(|danger| danger.harm).max();
            assert!(worst >= Some(Harm::RunsUnseen), "{count} {worst:?}: {line}");
        }
    }
}

#[test]
fn the_worst_is_said_first_and_once() {
    let said = |line: &str| summary(&dangers(line, Dialect::Bash));
    assert_eq!(said("ls > x; rm y; rm z"), "deletes files; overwrites a file");
    assert_eq!(said("chmod 777 x"), "makes files world-writable");
    assert_eq!(said("dd if=x of=/dev/sda"), "writes to a raw disk");
    assert_eq!(said("rm -rf /"), "destroys the system; deletes files");
    assert_eq!(said("ls"), "");
}

#[test]
fn all_harms_are_in_the_order_of_weight() {
    assert!(Harm::ALL.is_sorted());
    for harm in Harm::ALL {
        assert_eq!(Harm::of(harm.name()), Some(harm));
    }
}

struct Directory;

impl World for Directory {
    fn home(&self) -> &str {
        "/home/me"
    }

    fn entries(&self, directory: &str) -> Fact<Arc<[DirEntry]>> {
        let entry = |name: &str, kind| DirEntry { name: name.into(), kind };
        match directory {
            "/home/me" => Fact::Yes(Arc::new([entry("notes", FileKind::File), entry("src", FileKind::Directory)])),
            "/home/me/node_modules/.bin" => Fact::Yes(Arc::new([entry("own-tool", FileKind::Program)])),
            "/home/me/src" => Fact::Yes(Arc::new([entry("a", FileKind::File)])),
            _ => Fact::No,
        }
    }
}

#[test]
fn what_is_there_is_overwritten() {
    let cases = [
        ("cp a notes", true),
        ("mv a ./notes", true),
        ("sudo cp a notes", true),
        ("cp a src", true),
        ("cp x/a src/", true),
        ("cp b src", false),
        ("cp a new", false),
        ("cp -n a notes", false),
        ("mv -i a notes", false),
        ("cp a src/../notes", true),
        ("curl -o notes x", true),
        ("curl -o new x", false),
        ("wget -O notes x", true),
        ("cd src && cp a notes", false),
        ("ssh host cp a notes", false),
        ("cp notes", false),
        ("cp a $x", false),
    ];
    for (line, expected) in cases {
        let dangers = dangers_in(line, Dialect::Zsh, "/home/me", &Directory);
        assert_eq!(dangers.iter().any(|danger| danger.harm == Harm::Overwrites), expected, "{line}");
    }
}

#[test]
fn what_the_project_has_installed_is_not_downloaded() {
    let cases = [
        ("npx own-tool x", false),
        ("npx @scope/own-tool", false),
        ("cd src && npx own-tool@2", false),
        ("npx other-tool", true),
        ("cd /srv && npx own-tool", true),
        ("docker compose exec web npx other-tool", false),
    ];
    for (line, expected) in cases {
        let dangers = dangers_in(line, Dialect::Zsh, "/home/me", &Directory);
        assert_eq!(dangers.iter().any(|danger| danger.harm == Harm::RunsUnseen), expected, "{line}");
    }
}

/// Building blocks of hostile lines.
const PIECES: [&str; 44] = [
    "rm ",
    "-rf ",
    "/",
    "~",
    "$HOME",
    "sudo ",
    "sh -c ",
    "eval ",
    "bash -c ",
    "'",
    "\"",
    "\\",
    " ",
    ";",
    "|",
    "&",
    "\n",
    "$(",
    ")",
    "`",
    "{ ",
    "}",
    "<(",
    ">",
    "> ",
    "/dev/sda",
    "<<< ",
    "<<E\n",
    "find . -exec ",
    "\\;",
    "xargs ",
    "ssh h ",
    "-- ",
    "git ",
    "push ",
    "é",
    "日",
    "\0",
    "env -S",
    "kubectl ",
    "exec ",
    "psql -c ",
    "watch ",
    ":(){ :|:& };:",
];

proptest! {
    #[test]
    fn whatever_the_line_is_the_spans_are_its_bytes(
        parts in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..40),
        text in "\\PC{0,40}",
        number in 0..3usize,
    ) {
        let dialect = [Dialect::Zsh, Dialect::Bash, Dialect::Fish][number];
        for line in [parts.concat(), format!("{}{text}", parts.concat()), format!("rm {text}")] {
            let dangers = dangers(&line, dialect);
            for danger in &dangers {
                prop_assert!(line.get(danger.span.clone()).is_some(), "{line:?} {danger:?}");
            }
            prop_assert!(dangers.is_sorted_by_key(|danger| danger.span.start));
            prop_assert!(summary(&dangers).len() < 600);
        }
    }
}

/// Superlinear work would exceed the time limit of a test.
#[test]
fn long_and_deep_lines_are_read_to_an_end() {
    let nested = |open: &str, close: &str, count: usize| format!("{}rm x{}", open.repeat(count), close.repeat(count));
    let lines = [
        "sudo ".repeat(4_000),
        "sh | ".repeat(4_000),
        "a|".repeat(8_000),
        "curl | sh | ".repeat(2_000),
        "rm x; ".repeat(3_000),
        nested("sh -c \"$(", ")\"", 1_500),
        nested("eval \"$(", ")\"", 40),
        nested("eval ", "", 4_000),
        nested("find . -exec ", "", 2_000),
        nested("$(", ")", 8_000),
        format!("rm {}", "x ".repeat(8_000)),
        "> a ".repeat(6_000),
        ":(){ :|:& };:".repeat(4_000),
        "eval 'eval \"".repeat(4_000),
    ];
    for line in lines {
        for dialect in [Dialect::Zsh, Dialect::Bash, Dialect::Fish] {
            for danger in dangers(&line, dialect) {
                assert!(line.get(danger.span).is_some());
            }
        }
    }
}

/// Copies of lists and bodies come out of a budget, and what is beyond it is not taken for harmless.
#[test]
fn a_line_of_twice_the_length_is_twice_the_work() {
    let lines: [fn(usize) -> String; 5] = [
        |count| format!("set -- {}; {}", "a ".repeat(count), "f $@; ".repeat(count / 4)),
        |count| format!("set -- {}; f {}", "a ".repeat(count), "$@ ".repeat(count / 4)),
        |count| format!("f() {{ {} }}; f {}", "g $@; ".repeat(count / 6), "a ".repeat(count)),
        |count| format!("x=({}); {}", "a ".repeat(60), "f ${x[@]}; ".repeat(count / 4)),
        |count| {
            let aliases: String = (0..30).map(|at| format!("alias a{at}='a{} a{}';", at + 1, at + 1)).collect();
            format!("{aliases} {}", "a0; ".repeat(count / 4))
        },
    ];
    for make in lines {
        let words = |line: &str| -> usize {
            NestedCommands::of(line, Dialect::Bash).runs.iter().map(|run| run.words.len() + 1).sum()
        };
        let (line, doubled) = (make(2_000), make(4_000));
        let (once, twice) = (words(&line), words(&doubled));
        assert!(twice <= once * 5 / 2, "{once} {twice}: {}", line.get(..60).unwrap_or_default());
        assert!(once <= line.len() * 10, "{once}");
    }
    let beyond = lines[0](4_000);
    assert!(dangers(&beyond, Dialect::Bash).iter().any(|danger| danger.harm == Harm::Opaque));
    assert_eq!(dangers("set -- a b c; f $@; g $@ $@", Dialect::Bash), []);
}
