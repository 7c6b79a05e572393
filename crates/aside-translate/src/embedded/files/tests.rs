//! Queries about files in users' words: each with the command that must come first, queries that belong to other
//! domains, and what must hold for every draft.

mod done;
mod found;

use shell_line::{self as line, Dialect};

use crate::ToolFlavor;
use crate::embedded::fake::Fake;

fn check(machine: &Fake, table: &[(&str, &str)]) {
    let wrong: Vec<String> = table
        .iter()
        .filter_map(|(words, expected)| {
            let best = machine.best(words);
            (best != *expected).then(|| format!("{words}\n  is      {best}\n  must be {expected}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {} wrong:\n{}", wrong.len(), table.len(), wrong.join("\n"));
}

#[test]
fn questions_about_files_are_understood() {
    check(&Fake::default(), found::FOUND);
}

#[test]
fn an_order_is_not_taken_for_a_description() {
    let machine = Fake::default();
    for words in ["empty the log file", "empty all log files", "please empty this file", "duplicate the file"] {
        let best = machine.best(words);
        assert!(!best.contains("-empty") && !best.contains("md5sum"), "{words}: {best}");
    }
    for words in ["empty files", "list the empty files", "which files are empty"] {
        assert!(machine.best(words).contains("-empty"), "{words}");
    }
}

#[test]
fn parts_that_exclude_each_other_were_misread() {
    let machine = Fake::default();
    for words in ["show pictures of the summer folder", "the oldest thing in this folder tree"] {
        let best = machine.best(words);
        assert!(!best.contains("-type d") && !best.contains("find . | sort"), "{words}: {best}");
    }
}

#[test]
fn files_are_worked_on_as_asked() {
    check(&to_rename(), done::DONE);
}

/// A machine with files that the queries name.
fn to_rename() -> Fake {
    let mut machine = Fake::default();
    let files = ["lake.jpeg", "two words.odt", "foo_1.dat", "tmp_2.dat"];
    machine.directory.extend(files.map(|name| (name, aside_commands::world::FileKind::File)));
    machine
}

#[test]
fn names_are_changed_below_where_none_fits_here() {
    check(
        &Fake::default(),
        &[
            (
                "rename .jpeg files to .jpg",
                r#"find . -xdev -type f -not -path '*/.*' -name '*.jpeg' -exec sh -c 'cd "${1%/*}" && f=${1##*/} && mv -n -- "$f" "${f%.jpeg}.jpg"' _ {} \;"#,
            ),
            (
                "replace foo with bar in all filenames",
                r#"find . -xdev -type f -not -path '*/.*' -name '*foo*' -exec bash -c 'cd "${1%/*}" && f=${1##*/} && mv -n -- "$f" "${f//foo/bar}"' _ {} \;"#,
            ),
            ("rename .txt to .md", r#"for f in *.txt; do [ -f "$f" ] && mv -n -- "$f" "${f%.txt}.md"; done"#),
        ],
    );
}

#[test]
fn a_word_can_be_a_name() {
    let mut machine = Fake::default();
    machine.directory.extend(["old", "Documents"].map(|name| (name, aside_commands::world::FileKind::Directory)));
    check(
        &machine,
        &[
            ("make a folder called backup", "mkdir -p backup"),
            ("create new directory archive", "mkdir -p archive"),
            ("make me a directory named test", "mkdir -p test"),
            ("创建一个名为 backup 的目录", "mkdir -p backup"),
            ("delete directory old recursively", "rm -r old"),
            ("remove the old folder", "rm -r old"),
            ("压缩 Documents 文件夹", "tar -czf Documents.tar.gz Documents"),
            ("copy pdfs from Documents here", "cp Documents/*.pdf ./"),
            (
                "move every jpg in images into a new folder called jpgs",
                "mkdir -p jpgs && find images -maxdepth 1 -type f -not -name '.*' -name '*.jpg' -exec mv -n -t jpgs {} +",
            ),
            ("copy the docs folder with everything in it to docs2", "cp -r docs docs2"),
        ],
    );
}

#[test]
fn who_can_do_what_is_a_sentence() {
    check(
        &Fake::default(),
        &[
            ("find files that everybody can write to", "find . -type f -perm -o+w"),
            ("which files can anyone modify", "find . -type f -perm -o+w"),
            ("files i cannot read", "find . -type f -not -readable"),
            ("files in src that are not executable", "find src -type f -not -perm -u+x"),
            ("make deploy.sh not executable", "chmod -x deploy.sh"),
            ("nobody but me should read a.txt", "chmod 600 a.txt"),
            ("everyone can read a.txt but only i can change it", "chmod 644 a.txt"),
            ("remove all permissions for others on docs", "chmod o-rwx docs"),
            ("chmod x deploy.sh", "chmod +x deploy.sh"),
            ("only me should be able to read a.txt", "chmod 600 a.txt"),
            ("change owner of docs to bob recursively", "sudo chown -R bob docs"),
            ("给 deploy.sh 加上可执行权限", "chmod +x deploy.sh"),
        ],
    );
}

#[test]
fn other_systems_get_their_own_flags() {
    let bsd = Fake { system: ToolFlavor::Bsd, ..Fake::default() };
    check(
        &bsd,
        &[
            ("10 largest files", "find . -type f -exec stat -f '%z%t%N' {} + | sort -rn | head -n 10"),
            ("newest file", "find . -type f -exec stat -f '%m%t%N' {} + | sort -rn | head -n 1 | cut -f2-"),
            ("find broken symlinks", r"find . -type l ! -exec test -e {} \; -print"),
            (
                "move txt files larger than 1M to docs",
                r"find . -maxdepth 1 -type f -not -name '.*' -name '*.txt' -size +1M -exec mv -n {} docs/ \;",
            ),
            ("md5 of a.txt", "md5 -r a.txt"),
            ("when was a.txt last modified", "stat -f %Sm a.txt"),
            ("list just the names of python files", r"find . -type f -name '*.py' -exec basename {} \;"),
        ],
    );
    let busybox = Fake { system: ToolFlavor::Busybox, ..Fake::default() };
    check(
        &busybox,
        &[
            ("3 smallest files", "find . -type f -exec stat -c '%s %n' {} + | sort -n | head -n 3"),
            ("all files except *.txt", "find . -type f ! -name '*.txt'"),
            ("files changed today", "find . -type f -mtime -1"),
            ("python files containing TODO", "find . -type f -name '*.py' -exec grep -l 'TODO' {} +"),
        ],
    );
}

#[test]
fn fish_gets_its_own_loops() {
    let fish = Fake { dialect: Dialect::Fish, ..to_rename() };
    check(
        &fish,
        &[
            (
                "rename all .jpeg files to .jpg",
                r"for f in *.jpeg; test -f $f; and mv -n -- $f (string replace -r '\.jpeg$' .jpg $f); end",
            ),
            (
                "replace spaces with underscores in file names",
                r"for f in *\ *; test -f $f; and mv -n -- $f (string replace -a ' ' '_' $f); end",
            ),
            ("unzip all zip files", "for f in *.zip; unzip $f; end"),
            ("empty the file error.log", "true > error.log"),
        ],
    );
}

/// Queries that only resemble queries about files: this domain gives no draft, or none as an answer.
const OTHERS: &[&str] = &[
    "remove duplicate lines from a.txt",
    "delete lines containing foo from a.txt",
    "delete the first line of a.txt",
    "delete line 5 from a.txt",
    "remove empty lines from a.txt",
    "delete blank lines in notes.md",
    "delete all comments from main.py",
    "remove the word foo from a.txt",
    "remove all spaces from a.txt",
    "remove trailing whitespace from main.py",
    "remove the header from data.csv",
    "delete column 2 in data.csv",
    "delete the last 3 lines of a.txt",
    "delete foo from all files",
    "remove TODO from all python files",
    "delete the word foo in every txt file",
    "find and replace foo with bar in all txt files",
    "delete the branch feature",
    "rename branch feature to feat",
    "delete merged branches",
    "remove a.txt from staging",
    "remove docs from the index",
    "discard changes in a.txt",
    "show untracked files",
    "remove user bob",
    "delete the docker image nginx",
    "delete all stopped containers",
    "remove package vim",
    "kill the process that uses a.txt",
    "show open files",
    "extract all emails from a.txt",
    "extract the second column of data.csv",
    "convert photo.jpg to png",
    "merge branch feature into main",
    "create a branch called test",
    "move to the next line",
    "compress video.mp4 to half the size",
    "sort a.txt",
    "show running processes",
];

#[test]
fn what_is_not_about_files_is_left_to_others() {
    let machine = Fake::default();
    let wrong: Vec<String> = OTHERS
        .iter()
        .flat_map(|words| machine.answers(words).into_iter().map(move |answer| (words, answer)))
        .filter(|(words, answer)| {
            let ours = machine.rule_of(words, &answer.command).starts_with("files");
            ours && answer.nearness == crate::Completeness::Answer
        })
        .map(|(words, answer)| format!("{words}: {}", answer.command))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Words for random queries.
const WORDS: &[&str] = &[
    "find",
    "list",
    "delete",
    "remove",
    "move",
    "copy",
    "rename",
    "all",
    "files",
    "file",
    "directories",
    "folder",
    "in",
    "to",
    "into",
    "called",
    "not",
    "except",
    "older",
    "larger",
    "than",
    "10MB",
    "7 days",
    "today",
    "docs",
    "a.txt",
    "*.log",
    ".py",
    "'it''s'",
    "\"x y\"",
    "$HOME",
    "~",
    "-rf",
    "/",
    "..",
    "5",
    "0",
    "largest",
    "newest",
    "sorted",
    "by",
    "size",
    "name",
    "empty",
    "hidden",
    "zip",
    "tar.gz",
    "extract",
    "compress",
    "backup.tar.gz",
    "chmod",
    "755",
    "executable",
    "owner",
    "alice",
    "containing",
    "TODO",
    "starting with",
    "ending in",
    "and",
    "or",
    "but",
    "only",
    "recursively",
    "here",
    "this directory",
    "count",
    "lines",
    "duplicate",
    "tree",
    "each",
    "每个",
    "删除",
    "文件",
    "大于",
    "link",
    "permission",
    "between",
    "2024-01-01",
    "first",
    "last",
    "keep",
    "the",
    "rest",
    "images",
    "extension",
    "replace",
    "with",
    "prefix",
    "create",
    "write",
    "append",
    "split",
    "merge",
    "`a`",
    "»",
];

/// A random number generator with a fixed seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or(0) % sides
    }
}

#[test]
fn nothing_is_destroyed_unasked_and_every_draft_parses() {
    let mut dice = Dice(7);
    let asks = ["delete", "remove", "删除", "empty", "-rf", "keep"];
    for round in 0..6_000 {
        let count = 1 + dice.roll(9);
        let words: Vec<&str> = (0..count).map(|_| WORDS[dice.roll(WORDS.len())]).collect();
        let words = words.join(" ");
        let system = [ToolFlavor::Gnu, ToolFlavor::Bsd, ToolFlavor::Busybox][round % 3];
        let dialect = [Dialect::Zsh, Dialect::Bash, Dialect::Fish][dice.roll(3)];
        let machine = Fake { system, dialect, ..Fake::default() };
        for draft in machine.with_reading(&words, super::draft) {
            let line = line::parse(&draft.command, dialect);
            assert!(line.open.is_none() && !line.commands.is_empty(), "{words}\n{}", draft.command);
            let asked = asks.iter().any(|word| words.contains(word));
            let destroys =
                draft.command.contains("-delete") || draft.command.split([' ', ';']).any(|word| word == "rm");
            assert!(asked || !destroys, "{words}\n{}", draft.command);
            assert!(
                !draft.command.contains("rm -rf /") && !draft.command.contains("rm -r /"),
                "{words}\n{}",
                draft.command
            );
        }
    }
}
