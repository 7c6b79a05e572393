//! Requests with commands that lack something of them, or have it the other way round, and with commands that are right.

use aside_commands::world::FileKind;
use shell_line::Dialect;

use crate::embedded::dropped::{drops, guarded};
use crate::embedded::fake::Fake;

/// Requests, and commands that must not be shown for them.
const LACKS: &[(&str, &str)] = &[
    // A file to compare with.
    ("delete pictures that are older than photo.jpg", "find . -type f -iname '*.png' -newer photo.jpg -delete"),
    ("remove all logs older than main.py", "find . -name '*.log' ! -iname main.py -delete"),
    ("gzip the csv files changed before notes.md", "find . -name '*.csv' -newer notes.md -exec gzip {} +"),
    ("delete all files changed after README.md", "find . -type f ! -iname README.md -delete"),
    ("删除比notes.md新的文件", "find notes.md -type f -delete"),
    ("删除比 notes.md 旧的文件", "find . -type f -newer notes.md -delete"),
    ("truncate all logs older than a.txt", "truncate -s 0 a.txt"),
    ("remove files larger than data.csv", "find . -type f ! -iname data.csv -delete"),
    // A directory that is left out.
    ("delete all csv files outside of images", "find images -type f -name '*.csv' -delete"),
    ("replace x with y in the txt files not in the logs folder", "find logs -name '*.txt' -exec sed -i 's/x/y/g' {} +"),
    ("delete all txt files that are not in docs or src", "find . -name '*.txt' -not -path '*/docs/*' -delete"),
    ("gzip all logs except in build", "find build -name '*.log' -exec gzip {} +"),
    ("删除images目录以外的所有png文件", "find images -name '*.png' -delete"),
    ("删除不在docs里的txt文件", "find docs -name '*.txt' -delete"),
    // A word taken for a part of names.
    ("delete the logs here, don't go into subfolders", "find . -maxdepth 1 -name '*.log' -not -iname '*.go' -delete"),
    ("delete all tmp files, no asking please", "find . -name '*.tmp' -not -iname '*asking*' -delete"),
    ("delete the logs without bothering me", "find . -name '*.log' -not -name '*bothering*' -delete"),
    ("删除所有日志，不要询问", "find . -name '*.log' -not -name '*询*' -delete"),
    // A depth.
    ("delete all logs here, not in subfolders", "find . -name '*.log' -delete"),
    ("make the scripts executable without going deeper", "find . -name '*.sh' -exec chmod +x {} +"),
    ("chmod 600 all files, only this directory", "chmod -R 600 ."),
    ("删除png文件，不要进入子目录", "find . -name '*.png' -delete"),
    // Overwriting.
    ("copy all txt files to docs without overwriting", "cp ./*.txt docs/"),
    ("move the logs to logs, don't overwrite anything", "mv ./*.log logs/"),
    ("copy the csv files to docs, skip the ones that exist", "find . -name '*.csv' -exec cp -t docs {} +"),
    ("把日志复制到docs，不要覆盖", "cp -u ./*.log docs/"),
    // Emptying.
    ("empty all csv files", "find . -name '*.csv' -delete"),
    ("clear the contents of every log", "rm ./*.log"),
    ("empty out the md files in docs", "find docs -name '*.md' -delete"),
    ("清空所有日志文件的内容", "find . -name '*.log' -delete"),
    ("remove the empty files in docs", "rmdir docs"),
    // A star that is a name.
    ("delete the file called *", "find . -name '*' -delete"),
    ("remove the file named \"*\"", "rm *"),
    ("删除名为*的文件", "find . -type f -name '*' -delete"),
    // Names of another directory.
    ("delete the 2 oldest files in docs", "ls -tr docs | head -n 2 | xargs -d '\\n' rm --"),
    ("move the newest file in logs to docs", "mv \"$(ls -t logs | head -n 1)\" docs/"),
    // A Chinese place.
    ("删除 images 里的图片", "find . -name '*.jpg' -delete"),
    ("清理logs目录下的空文件", "find . -type f -empty -delete"),
    // Articles.
    ("make a folder named pics", "mkdir -p a pics"),
    ("copy a file to docs", "cp -r a docs/"),
    ("move it to docs", "mv -n it docs/"),
    // Kinds, times, lines.
    ("replace x with y in all config files", "find . -type f -exec sed -i 's/x/y/g' {} +"),
    ("remove blank lines from the source files", "find . -type f -exec sed -i '/^$/d' {} +"),
    ("chmod 600 every hidden file", "find . -type f -exec chmod 600 {} +"),
    ("chmod 600 all files changed yesterday", "find . -type f -exec chmod 600 {} +"),
    ("gzip the files created in the last 2 days", "find . -type f -exec gzip {} +"),
    ("replace a with b in lines containing x in all txt files", "find . -name '*.txt' -exec sed -i 's/a/b/g' {} +"),
    // One archive.
    ("compress the csv files into a single archive", "gzip ./*.csv"),
    ("把日志压缩成一个文件", "gzip ./*.log"),
    // Directories here.
    ("make every directory here private", "chmod 700 ."),
    // The parent.
    ("move the files in images up a level", "mv images/* .."),
    ("move everything in docs to the parent directory", "find docs -maxdepth 1 -type f -exec mv -n -t .. {} +"),
    // Renames.
    ("rename all csv files to all.csv", "for f in *.csv; do mv -- \"$f\" \"all.csv\"; done"),
    ("replace x with y in all documents", "find . -type f -exec sed -i 's/x/y/g' {} +"),
    ("truncate every log in docs except a.log", "find docs -type f ! -iname a.log -exec truncate -s 0 {} +"),
    (
        "make the file extensions lowercase",
        "for f in *; do mv -n -- \"$f\" \"$(printf %s \"$f\" | tr '[:upper:]' '[:lower:]')\"; done",
    ),
    (
        "rename the directories to uppercase",
        "for f in *; do [ -f \"$f\" ] && mv -n -- \"$f\" \"$(printf %s \"$f\" | tr '[:lower:]' '[:upper:]')\"; done",
    ),
    ("remove (3) from all file names", "for f in *3*; do [ -f \"$f\" ] && mv -n -- \"$f\" \"${f//3/}\"; done"),
];

/// Requests, and commands that may be shown for them.
const HAS: &[(&str, &str)] = &[
    ("delete the logs in docs but not in the subfolder src", "find docs -name '*.log' -not -path '*/src/*' -delete"),
    ("把所有 pdf 移动到 docs 文件夹", "mv -n ./*.pdf docs/"),
    ("chmod 644 all files that aren't scripts", "find . -type f -not -iname '*.sh' -exec chmod 644 {} +"),
    ("replace foo with bar in all filenames", "find . -name '*foo*' -exec rename foo bar {} +"),
    ("delete files newer than data.csv", "find . -type f -newer data.csv -delete"),
    ("delete logs older than 3 days", "find . -name '*.log' -mtime +3 -delete"),
    (
        "delete all txt files not in docs or src",
        "find . -name '*.txt' -not -path '*/docs/*' -not -path '*/src/*' -delete",
    ),
    ("delete all logs except those in build", "find . -name '*.log' -not -path '*/build/*' -delete"),
    ("move all files not in docs into docs", "find . -type f -not -path '*/docs/*' -exec mv -n -t docs {} +"),
    ("delete all go files", "find . -name '*.go' -delete"),
    ("delete files starting with report", "find . -name 'report*' -delete"),
    ("delete all files with old in the name", "rm -- ./*old*"),
    ("delete the txt files except docx and pdf files", "find . -not -iname '*.docx' -not -iname '*.pdf' -delete"),
    ("删除文件名包含旧的文件", "find . -name '*旧*' -delete"),
    ("delete all logs here, not in subfolders", "find . -maxdepth 1 -name '*.log' -delete"),
    ("delete all tmp files here, not recursively", "rm ./*.tmp"),
    ("copy all txt files to docs without overwriting", "cp -n ./*.txt docs/"),
    ("empty all log files", "find . -name '*.log' -exec truncate -s 0 {} +"),
    ("remove empty files", "find . -type f -empty -delete"),
    ("empty the docs folder", "find docs -type f -delete"),
    ("delete the contents of docs", "find docs -type f -delete"),
    ("清空logs目录", "find logs -type f -delete"),
    ("delete all files named *.bak", "find . -name '*.bak' -delete"),
    ("delete the 3 oldest log files", "ls -tr ./*.log | head -n 3 | xargs -d '\\n' rm --"),
    ("删除 images 里的图片", "find images -name '*.jpg' -delete"),
    ("copy a to docs", "cp a docs/"),
    ("delete the folder a", "rm -r a"),
    ("replace x with y in all yaml config files", "find . -name '*.yaml' -exec sed -i 's/x/y/g' {} +"),
    ("delete hidden files", "find . -maxdepth 1 -type f -name '.*' -delete"),
    ("delete files modified today", "find . -type f -newermt 'today 00:00' -delete"),
    ("replace today with yesterday in all txt files", "sed -i 's/today/yesterday/g' ./*.txt"),
    ("remove # from lines starting with # in a.txt", "sed -i 's/^#//' a.txt"),
    ("zip the csv files into one archive", "zip archive.zip ./*.csv"),
    ("make all directories here private", "find . -type d -exec chmod 700 {} +"),
    ("move all txt files up one level", "mv -n ./*.txt .."),
    (
        "lowercase all file names",
        "for f in *; do mv -n -- \"$f\" \"$(printf %s \"$f\" | tr '[:upper:]' '[:lower:]')\"; done",
    ),
];

fn machine() -> Fake {
    let mut machine = Fake::default();
    machine.directory.push(("a", FileKind::Directory));
    machine
}

fn dropped(pairs: &[(&'static str, &'static str)], expected: bool) -> Vec<String> {
    let machine = machine();
    let differs =
        |(words, command): &&(&str, &str)| machine.with_reading(words, |reading| drops(reading, command)) != expected;
    pairs.iter().filter(differs).map(|(words, command)| format!("{words}: {command}")).collect()
}

#[test]
fn what_a_command_lacks_drops_it() {
    assert_eq!(dropped(LACKS, true), Vec::<String>::new());
}

#[test]
fn what_a_command_has_keeps_it() {
    assert_eq!(dropped(HAS, false), Vec::<String>::new());
}

#[test]
fn copies_and_moves_keep_what_exists() {
    let with = |words: &str, command: &str| guarded(words, command, Dialect::Bash);
    assert_eq!(with("copy all txt files to docs, don't overwrite", "cp ./*.txt docs/"), "cp -n ./*.txt docs/");
    assert_eq!(
        with("move the logs to docs without replacing existing files", "find . -name '*.log' -exec mv -t docs {} +"),
        "find . -name '*.log' -exec mv -n -t docs {} +"
    );
    assert_eq!(with("move the logs to docs", "mv ./*.log docs/"), "mv ./*.log docs/");
    assert_eq!(with("不要覆盖，复制日志到docs", "cp ./*.log docs/"), "cp -n ./*.log docs/");
}

#[test]
fn orders_over_many_files_lose_nothing() {
    let machine = machine();
    for (words, wrong) in LACKS {
        let answers = machine.answers(words);
        assert!(!answers.iter().any(|answer| answer.command == *wrong), "{words}: {wrong}");
    }
}

#[test]
fn orders_that_forbid_overwriting_are_answered() {
    let machine = machine();
    assert_eq!(machine.best("copy all csv files to docs without overwriting"), "cp -n *.csv docs/");
    assert_eq!(machine.best("move all txt files to docs, don't overwrite existing files"), "mv -n *.txt docs/");
    assert_eq!(machine.best("复制所有md文件到docs，不要覆盖"), "cp -n *.md docs/");
}

#[test]
fn a_mark_that_stands_alone_is_no_pattern() {
    let machine = machine();
    for words in ["how can i delete all jpg files ?", "list the jpg files ?"] {
        let command = machine.best(words);
        assert!(command.contains("jpg") && !command.contains('?'), "{words}: {command}");
    }
}
