//! The requests of the evaluation and how an answer is judged: parses the files below `eval/dev` and `eval/held`. Runs nothing.
//!
//! A file consists of blocks separated by empty lines. A block without a question sets what applies from there on; a block with
//! questions (several are the same query in other words) says what is accepted:
//!
//! ```text
//! domain files          in downloads          running
//! ? words               what a user typed
//! by HOW                what is compared, see `By`; add `in order` where the order matters
//! = command             does what was requested; there may be several, each in another way
//! | command             must be accepted too, though it is written differently
//! x command             must not be accepted
//! ~ regex               a command that is accepted by its text, without quotes and without sudo
//! says regex            the output matches it; `never regex`: it does not
//! # …                   for the reader
//! ```

use std::path::Path;
use std::sync::Arc;

use regex::Regex;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Half {
    /// May be tuned on; its failures are listed.
    Dev,
    /// Only its figures are looked at.
    Held,
    /// From an outside directory: only its figures are shown, never its failures.
    Extra,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// The files that the output names, whatever else it says about them.
    Names,
    /// Lines; a file name and a number may precede each.
    Lines,
    /// Exactly these lines.
    Exact,
    /// The words of each line, in any order: counts before or after what is counted.
    Fields,
    /// The number that the last line begins with.
    Number,
    /// The whole output.
    Text,
    /// The conditions of `says` and `never` on the output.
    Says,
    /// The commits that the output names.
    Commits,
    /// The resulting files and directories.
    Tree,
    /// The same, and their modification times.
    Times,
    /// The contents of the single new archive, whatever its name.
    Archive,
    /// The resulting repository, its files and its remote.
    Git,
    /// The processes that still run.
    Procs,
    /// The text of the command.
    Command,
    /// No command is right.
    Nothing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Any,
    Asked,
}

#[derive(Debug)]
pub struct Check {
    pub by: By,
    pub order: Order,
    pub references: Vec<String>,
    pub also: Vec<String>,
    pub wrong: Vec<String>,
    pub patterns: Vec<Regex>,
    pub says: Vec<Regex>,
    pub never: Vec<Regex>,
}

#[derive(Clone, Debug)]
pub struct Request {
    pub half: Half,
    /// `dev/files.txt:12`.
    pub at: String,
    pub domain: String,
    pub place: Place,
    pub words: String,
    pub check: Arc<Check>,
}

/// Where in the fixture home the request is made, and whether programs run there.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    pub folder: String,
    pub running: bool,
}

impl Place {
    pub fn is_repository(&self) -> bool {
        matches!(self.folder.as_str(), "repo" | "clean")
    }
}

impl Request {
    /// The file that it is from, without directory and extension: where each author has a file, the author.
    pub fn writer(&self) -> &str {
        let file = self.at.split(':').next().unwrap_or_default();
        file.rsplit('/').next().unwrap_or_default().trim_end_matches(".txt")
    }

    pub fn is_chinese(&self) -> bool {
        self.words.chars().any(|letter| ('\u{4e00}'..='\u{9fff}').contains(&letter))
    }
}

/// Every request below `eval`, in the order of the files' names.
pub fn all(eval: &Path) -> Vec<Request> {
    let halves = [(Half::Dev, "dev"), (Half::Held, "held")];
    halves.into_iter().flat_map(|(half, folder)| folder_of(half, folder, &eval.join(folder))).collect()
}

/// The requests of a directory. Each `.txt` file has one author.
pub fn folder_of(half: Half, shown: &str, folder: &Path) -> Vec<Request> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<_> = entries.flatten().map(|file| file.path()).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "txt"));
    files.sort();
    let read_file = |file: &std::path::PathBuf| {
        let name = format!("{shown}/{}", file.file_name().unwrap_or_default().to_string_lossy());
        read(half, &name, &std::fs::read_to_string(file).expect("a readable file"))
    };
    files.iter().flat_map(read_file).collect()
}

/// Panics on anything that it does not understand: the author is watching.
pub fn read(half: Half, name: &str, text: &str) -> Vec<Request> {
    let mut requests = Vec::new();
    let mut domain = String::new();
    let mut place = Place { folder: "project".to_owned(), running: false };
    let mut usual = None;
    let lines: Vec<(usize, &str)> = text.lines().enumerate().map(|(at, line)| (at + 1, line)).collect();
    for block in lines.split(|(_, line)| line.trim().is_empty()) {
        let mut block_lines = block.iter().filter(|(_, line)| !line.starts_with('#')).peekable();
        if block_lines.peek().is_none() {
            continue;
        }
        let mut check = Check {
            by: By::Nothing,
            order: Order::Any,
            references: Vec::new(),
            also: Vec::new(),
            wrong: Vec::new(),
            patterns: Vec::new(),
            says: Vec::new(),
            never: Vec::new(),
        };
        let mut by = usual;
        let mut questions = Vec::new();
        for (at, line) in block_lines {
            let (mark, rest) = line.split_once(' ').unwrap_or((line, ""));
            let regex = |pattern: &str| {
                Regex::new(pattern).unwrap_or_else(|error| panic!("{name}:{at}: not a pattern: {error}"))
            };
            match mark {
                "domain" => domain = rest.to_owned(),
                "in" => place.folder = rest.to_owned(),
                "running" => place.running = true,
                "by" => by = Some(how(rest).unwrap_or_else(|| panic!("{name}:{at}: compared by what?"))),
                "?" => questions.push((at, rest.to_owned())),
                "=" => check.references.push(rest.to_owned()),
                "|" => check.also.push(rest.to_owned()),
                "x" => check.wrong.push(rest.to_owned()),
                "~" => check.patterns.push(regex(&format!("^(?:{rest})$"))),
                "says" => check.says.push(regex(&format!("(?m){rest}"))),
                "never" => check.never.push(regex(&format!("(?m){rest}"))),
                _ => panic!("{name}:{at}: not understood: {line}"),
            }
        }
        if questions.is_empty() {
            usual = by;
            continue;
        }
        (check.by, check.order) = by.unwrap_or_else(|| panic!("{name}: {:?} is compared by nothing", questions[0]));
        let check = Arc::new(check);
        requests.extend(questions.into_iter().map(|(at, words)| Request {
            half,
            at: format!("{name}:{at}"),
            domain: domain.clone(),
            place: place.clone(),
            words,
            check: Arc::clone(&check),
        }));
    }
    requests
}

fn how(text: &str) -> Option<(By, Order)> {
    let (name, order) = match text.strip_suffix(" in order") {
        Some(name) => (name, Order::Asked),
        None => (text, Order::Any),
    };
    let by = match name {
        "names" => By::Names,
        "lines" => By::Lines,
        "exact" => By::Exact,
        "fields" => By::Fields,
        "number" => By::Number,
        "text" => By::Text,
        "says" => By::Says,
        "commits" => By::Commits,
        "tree" => By::Tree,
        "times" => By::Times,
        "archive" => By::Archive,
        "git" => By::Git,
        "procs" => By::Procs,
        "command" => By::Command,
        "nothing" => By::Nothing,
        _ => return None,
    };
    Some((by, order))
}
