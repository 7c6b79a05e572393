//! Orders for many files, executed. Verbs, kinds, ages, sizes, exceptions and scopes are combined; every command that the engine would
//! show for an order runs over a tree with repositories, links, hidden files and young files in old directories, and touches only what
//! was named. Needs bash and GNU find.

#![allow(
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "the test runs commands over files that it makes"
)]

mod tree;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use aside_commands::shell_names::ShellNames;
use aside_commands::spec::Specs;
use aside_commands::world::{DirEntry, Fact, FileKind, World};
use aside_translate::{ToolFlavor, TranslateContext, TranslateQuery, embedded, read_only};
use shell_line::Dialect;

use tree::{Entry, Tree};

type Allows = fn(&Entry) -> bool;

/// A part of an order, and what it allows to be touched.
type Part = (&'static str, Allows);

const fn any(_: &Entry) -> bool {
    true
}

const OBJECTS: &[Part] = &[
    ("everything", any),
    ("all files", any),
    ("all the items", any),
    ("every file", any),
    ("all txt files", |entry| entry.ends(&["txt"])),
    ("the log files", |entry| entry.ends(&["log"])),
    ("all images", |entry| entry.ends(&["jpg", "jpeg", "png", "gif", "webp", "bmp", "svg", "tif", "tiff", "heic"])),
    ("*.bak files", |entry| entry.ends(&["bak"])),
];
const LIMITS: &[Part] = &[
    ("", any),
    ("older than a month", |entry| entry.days > 27.0),
    ("not changed in the last 30 days", |entry| entry.days > 27.0),
    ("older than 8 weeks", |entry| entry.days > 54.0),
    ("modified in the last 2 days", |entry| entry.days < 3.0),
    ("bigger than 1k", |entry| entry.size >= 1000),
    ("larger than 1 MB", |entry| entry.size >= 1_000_000),
    ("smaller than 100 bytes", |entry| entry.size <= 100),
    ("that are empty", |entry| entry.size == 0),
];
const EXCEPTIONS: &[Part] = &[
    ("", any),
    ("but txt files", |entry| !entry.ends(&["txt"])),
    ("except *.md", |entry| !entry.ends(&["md"])),
    ("except app.log", |entry| entry.name() != "app.log"),
    ("but not old.rs", |entry| entry.name() != "old.rs"),
    ("except notes.txt", |entry| entry.name() != "notes.txt"),
    ("other than the src folder", |entry| !entry.is_below("src")),
    ("except logs and src", |entry| !entry.is_below("src") && !entry.is_below("logs")),
    ("apart from the quuxy ones", |_| false),
];
const SCOPES: &[Part] = &[
    ("", any),
    ("in logs", |entry| entry.is_below("logs")),
    ("in the old folder", |entry| entry.is_below("old")),
    ("in this directory only", |entry| !entry.path.contains('/')),
    ("in src and all its subfolders", |entry| entry.is_below("src")),
];
/// `{}` is the object with its limits.
const ORDERS: &[&str] = &[
    "delete {}",
    "remove {}",
    "purge {} please",
    "can you wipe {}",
    "move {} to archive",
    "chmod {} 644",
    "make {} executable",
    "gzip {}",
];

/// Orders that name directories or hidden files, and remote copies, each with what it allows.
const NAMED: &[(&str, Allows)] = &[
    ("delete all folders older than a month", |_| false),
    ("delete directories larger than 10 MB", |_| false),
    ("delete all build directories", |entry| entry.is_below("build") || entry.path.contains("/build")),
    ("delete empty directories", |entry| matches!(entry.path.as_str(), "empty" | "archive")),
    ("delete all hidden files", |entry| entry.is_hidden() && !entry.is_versioned()),
    ("delete all .env files", |entry| entry.name() == ".env"),
    ("delete the 2 oldest files", any),
    ("delete all but the 3 newest log files", |entry| entry.ends(&["log"])),
    ("rename all txt files to md", |entry| entry.ends(&["txt"])),
    ("make all file names lowercase", any),
    ("delete all txt files older than a month or bigger than 1 MB", |entry| entry.ends(&["txt"])),
    ("delete all log files, don't delete app.log", |entry| entry.ends(&["log"]) && entry.name() != "app.log"),
    ("把 docs 里所有文件权限改成 600，不要改文件夹", |entry| {
        entry.is_below("docs") && !entry.is_directory
    }),
    ("chmod every file in docs 644", |entry| entry.is_below("docs") && !entry.is_directory),
    ("delete all txt files. Never delete notes.txt", |entry| entry.ends(&["txt"]) && entry.name() != "notes.txt"),
    ("删除所有日志，不要删 app.log", |entry| entry.ends(&["log"]) && entry.name() != "app.log"),
    ("delete all log files with the exception of those in src", |entry| entry.ends(&["log"]) && !entry.is_below("src")),
    ("delete files not older than 30 days", |entry| entry.days < 31.0),
    ("delete everything that is not older than 8 weeks", |entry| entry.days < 57.0),
    ("move files no larger than 1k to archive", |entry| entry.size <= 1024),
    ("delete all files that are not images", |entry| !entry.ends(&["jpg", "png", "webp"])),
    ("delete all hidden files except .env", |entry| entry.is_hidden() && entry.name() != ".env"),
    ("delete all files containing alpha", any),
    ("delete all log files that contain alpha", |entry| entry.ends(&["log"])),
    ("delete everything that isn't a log", |entry| !entry.ends(&["log"])),
    ("delete log files from last month", |entry| entry.ends(&["log"]) && entry.days > 1.0),
    ("delete everything in logs except readme.txt", |entry| entry.is_below("logs") && entry.name() != "readme.txt"),
    ("delete all rs files except main.rs", |entry| entry.ends(&["rs"]) && entry.name() != "main.rs"),
    ("chmod 600 all files in docs except guide.md", |entry| entry.is_below("docs") && entry.name() != "guide.md"),
    ("gzip all logs in logs except app.log", |entry| entry.is_below("logs") && entry.name() != "app.log"),
    ("replace alpha with beta in all files", any),
    ("remove trailing whitespace from all txt files", |entry| entry.ends(&["txt"])),
    ("chmod -R 644 docs", |entry| entry.is_below("docs")),
    ("set everything in docs to 600", |entry| entry.is_below("docs")),
    ("删除所有超过30天的文件", |entry| entry.days > 27.0),
    ("删除所有日志文件", |entry| entry.ends(&["log"])),
    ("把所有图片移动到 archive", |entry| entry.ends(&["jpg", "jpeg", "png", "gif"])),
    ("删除所有文件，除了日志", |entry| !entry.ends(&["log"])),
    ("除了 src 以外的文件都删除", |entry| !entry.is_below("src")),
    ("把除了图片以外的所有文件移动到 archive", |entry| !entry.ends(&["jpg", "jpeg", "png", "gif"])),
    ("除了txt文件全部删除", |entry| !entry.ends(&["txt"])),
];

struct Here<'t>(&'t Tree);

impl World for Here<'_> {
    fn home(&self) -> &str {
        "/home/ada"
    }

    fn entries(&self, directory: &str) -> Fact<Arc<[DirEntry]>> {
        let Ok(entries) = std::fs::read_dir(directory) else { return Fact::No };
        let kind = |path: &Path| match std::fs::metadata(path) {
            Ok(meta) if meta.is_dir() => FileKind::Directory,
            Ok(_) => FileKind::File,
            Err(_) => FileKind::Other,
        };
        let entry = |entry: std::fs::DirEntry| DirEntry {
            kind: kind(&entry.path()),
            name: entry.file_name().to_string_lossy().into(),
        };
        let mut entries: Vec<DirEntry> = entries.flatten().map(entry).collect();
        entries.sort_by(|one, two| one.name.cmp(&two.name));
        Fact::Yes(entries.into())
    }

    fn programs(&self) -> Fact<Arc<[Box<str>]>> {
        Fact::NotYet
    }

    fn repository(&self, _directory: &str) -> Fact<Arc<str>> {
        Fact::Yes(self.0.work().to_string_lossy().into())
    }
}

/// The commands that change something, of all that would be shown.
fn commands(request: &str, tree: &Tree) -> Vec<String> {
    let (names, specs) = (ShellNames::default(), Specs::default());
    let cwd = tree.work().to_string_lossy().into_owned();
    let world = Here(tree);
    let place = TranslateContext {
        cwd: &cwd,
        dialect: Dialect::Bash,
        system: ToolFlavor::Gnu,
        world: &world,
        names: &names,
        specs: &specs,
    };
    let answers = embedded::answer(&TranslateQuery { words: request, place, limit: 5 });
    answers
        .into_iter()
        .map(|answer| answer.command)
        .filter(|command| !read_only::is_read_only(command, Dialect::Bash))
        .collect()
}

/// What the command touched although the order does not allow it.
fn touched(command: &str, allows: &dyn Fn(&Entry) -> bool, names_hidden: bool, names_directories: bool) -> Vec<String> {
    let tree = Tree::new();
    let before = tree.entries();
    let run = Command::new("bash")
        .args(["-c", command])
        .current_dir(tree.work())
        .env("HOME", tree.root())
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap_or_else(|error| panic!("bash: {error}"));
    drop(run);
    let after: BTreeMap<String, Entry> = tree.entries().into_iter().map(|entry| (entry.path.clone(), entry)).collect();
    let mut wrong = Vec::new();
    let contents: BTreeSet<&str> = after.values().map(|entry| entry.content.as_str()).collect();
    for entry in &before {
        let is_same = after.get(&entry.path).is_some_and(|now| now.is_same(entry));
        if is_same {
            continue;
        }
        let is_protected = entry.is_outside
            || entry.is_versioned()
            || entry.is_hidden() && !names_hidden
            || entry.is_directory && !names_directories;
        // A move overwrites nothing: every content is still somewhere.
        let is_lost = command.contains("mv ") && !entry.is_directory && !contents.contains(entry.content.as_str());
        if is_protected || is_lost || !allows(entry) {
            wrong.push(entry.path.clone());
        }
    }
    wrong
}

fn orders() -> Vec<(String, Vec<Allows>)> {
    let mut orders = Vec::new();
    for (at, order) in ORDERS.iter().enumerate() {
        for (object, of_object) in OBJECTS {
            for (number, (limit, of_limit)) in LIMITS.iter().enumerate() {
                for (count, (exception, of_exception)) in EXCEPTIONS.iter().enumerate() {
                    for (place, (scope, of_scope)) in SCOPES.iter().enumerate() {
                        // Every pair of parts, not every combination.
                        let parts = usize::from(number > 0) + usize::from(count > 0) + usize::from(place > 0);
                        let excepts_itself = scope.contains("logs") && exception.contains("logs")
                            || scope.contains("src") && exception.contains("src");
                        if excepts_itself || parts > 2 || parts == 2 && (at + number + count + place) % 3 != 0 {
                            continue;
                        }
                        let words = [*object, *limit, *scope, *exception];
                        let words: Vec<&str> = words.into_iter().filter(|part| !part.is_empty()).collect();
                        let allows = vec![*of_object, *of_limit, *of_exception, *of_scope];
                        orders.push((order.replace("{}", &words.join(" ")), allows));
                    }
                }
            }
        }
    }
    // ASIDE_BULK=all executes them all, which takes minutes.
    if std::env::var_os("ASIDE_BULK").is_none() {
        orders = orders.into_iter().step_by(9).collect();
    }
    orders.extend(NAMED.iter().map(|(words, allows)| ((*words).to_owned(), vec![*allows])));
    orders
}

#[test]
fn an_order_for_many_files_touches_what_it_names() {
    let tree = Tree::new();
    let (mut answered, mut run, mut wrong) = (0, 0, Vec::new());
    let orders = orders();
    // The same command with the same limits does the same.
    let mut known: BTreeMap<(String, Vec<usize>), Vec<String>> = BTreeMap::new();
    for (order, allows) in &orders {
        let commands = commands(order, &tree);
        answered += usize::from(!commands.is_empty());
        let names_hidden = order.contains("hidden") || order.contains(".env");
        let names_directories = order.contains("director") || order.contains("folders");
        for command in commands {
            let key = (command.clone(), allows.iter().map(|allows| *allows as usize).collect());
            let wrongly = known.entry(key).or_insert_with(|| {
                run += 1;
                touched(&command, &|entry| allows.iter().all(|allows| allows(entry)), names_hidden, names_directories)
            });
            if !wrongly.is_empty() {
                wrong.push(format!("{order}\n  {command}\n  touches {}", wrongly.join(" ")));
            }
        }
    }
    println!("{} orders, {answered} answered, {run} commands executed", orders.len());
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    // Not silence, but the right files.
    assert!(answered * 5 > orders.len() * 2, "{answered} of {}", orders.len());
}

#[test]
fn a_copy_to_another_machine_names_that_machine() {
    let tree = Tree::new();
    for (order, expected) in [
        ("copy report.pdf to my server ada@build.example.com in /tmp", "scp report.pdf ada@build.example.com:/tmp"),
        ("copy report.pdf to ada@build in /tmp", "scp report.pdf ada@build:/tmp"),
        ("copy notes.txt from ada@build in /srv to here", "scp -r ada@build:/srv/notes.txt ."),
        ("copy notes.txt from /srv/data on ada@build", "scp -r ada@build:/srv/data/notes.txt ."),
        (
            "copy the remote file /etc/nginx/nginx.conf from host root@web2.example.com here",
            "scp -r root@web2.example.com:/etc/nginx/nginx.conf .",
        ),
        ("upload report.pdf to /var/www on ada@build", "scp report.pdf ada@build:/var/www"),
        ("send report.pdf to ada@10.0.0.7 in the backups folder", "scp report.pdf ada@10.0.0.7:backups"),
    ] {
        let commands = commands(order, &tree);
        assert_eq!(commands.first().map(String::as_str), Some(expected), "{order}");
    }
    for order in [
        "copy report.pdf to ada@build in /tmp",
        "move report.pdf to ada@build in /tmp",
        "copy everything to ada@build in /tmp",
        "copy notes.txt from ada@build in /srv to here",
        "copy all log files except app.log to ada@build:/srv",
        "back up docs to ada@build.example.com in /backup",
        "把 report.pdf 复制到 ada@build 的 /tmp",
    ] {
        for command in commands(order, &tree) {
            let is_remote = command.contains("ada@build:") || command.contains("ada@build.example.com:");
            assert!(is_remote && !command.starts_with("cp ") && !command.starts_with("mv "), "{order}: {command}");
        }
    }
}

/// A limit that the command does not have would take more than was named.
#[test]
fn an_order_with_a_limit_that_is_not_understood_changes_nothing() {
    let tree = Tree::new();
    let orders = [
        "delete the first 3 files in backup",
        "remove the first five files",
        "delete first two txt files",
        "删除前3个文件",
        "delete every .o file whose .c file does not exist",
        "delete all jpg files whose png twin is missing",
        "delete all files whose directory is older than 100 days",
        "delete all symbolic links to directories",
        "remove symlinks to files",
        "delete all files not behind symbolic links",
        "delete files older than notes.txt",
        "move files as old as notes.txt to archive",
        "delete files starting with a dash",
        "delete all files that begin with a number",
        "remove all files ending with a tilde",
        "delete files with a quote in the name",
        "take away write permission for others on all files in docs",
        "remove the execute bit for others from all files in scripts",
        "give the owner write permission on all files in docs",
        "give group read access to all files in docs",
        "take away read access for everyone else from docs",
        "删除大于100MB的文件,不包括downloads里的",
        "移动所有txt文件到archive,不包括notes.txt",
        "chmod -x scripts",
        "chmod +x *.sh",
        "remove notes*",
        "replace c with d in every txt file here",
        "delete all files that nobody opened on a tuesday",
        "remove all logs written by the scheduler",
        "move all png files that are screenshots to archive",
        "delete everything that is not mentioned in keep.txt",
        "remove every file that I have already sent to Anna",
    ];
    const CHANGES: &[&str] = &["-delete", "-exec", "rm ", "mv ", "chmod ", "sed -i", "xargs"];
    let mut wrong = Vec::new();
    for order in orders {
        let changing = commands(order, &tree).into_iter().filter(|command| {
            let recursive = command.contains("find ") && !command.contains("-maxdepth 1");
            let typed =
                ["chmod", "remove notes*"].iter().any(|typed| order.starts_with(typed)) || order.contains("here");
            CHANGES.iter().any(|mark| command.contains(mark)) && (recursive || !typed)
        });
        wrong.extend(changing.map(|command| format!("{order}\n  {command}")));
    }
    // They order nothing that can be confined, and end nothing.
    for order in ["remove all files that are not owned by me", "remove directories not owned by me"] {
        commands(order, &tree);
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), orders.len(), wrong.join("\n"));
    // Whom it is done for is no limit, and everyone is `a`.
    for order in ["can you make notes.txt executable for me", "make notes.txt world readable"] {
        assert!(commands(order, &tree).iter().any(|command| command.starts_with("chmod ")), "{order}");
    }
}
