//! A fake machine and shell for tests, built from the rows of a scene.

use std::collections::BTreeMap;
use std::sync::Arc;

use aside_commands::shell_names::ShellNames;
use aside_commands::spec::Specs;
use aside_commands::world::{DirEntry, Fact, FileKind, LiveItem, LiveKind, World};
use shell_line::Dialect;

use crate::complete::context::CompletionContext;
use crate::history::index::HistoryIndex;
use crate::history::run_record::RunRecord;

/// Everything that a `CompletionContext` borrows.
pub struct Fake {
    pub world: FakeWorld,
    pub names: ShellNames,
    pub history: HistoryIndex,
    pub specs: Specs,
    pub cwd: String,
    pub dialect: Dialect,
    pub left: String,
    pub right: String,
}

#[derive(Default)]
pub struct FakeWorld {
    home: String,
    /// By directory.
    entries: BTreeMap<String, Vec<DirEntry>>,
    programs: Vec<Box<str>>,
    /// By kind and, where the row says `in`, by directory.
    live: Vec<(LiveKind, Option<String>, LiveItem)>,
    slow: Vec<LiveKind>,
    /// Directories, or `programs`, that are not known yet.
    late: Vec<String>,
    root: Option<String>,
    learnt: Vec<(String, Arc<str>)>,
}

impl Fake {
    /// One fact per row; the first word says which: `file`, `directory` and `program` (paths from cwd; a program
    /// without a slash is on PATH), `alias NAME=TEXT`, `function`, `variable`, `spec NAME TEXT`, `learnt NAME TEXT`
    /// (`\n` for a new line), a live kind with a name, `slow KIND` (not known yet; also a directory or `programs`),
    /// `named NAME=DIR` (`~NAME`), `history LINE`, `repository DIR`, `many COUNT NAME` (files `NAME00000` and so on),
    /// `cwd`, `shell`, and `line` with `|` as the cursor (`\|` for a pipe).
    pub fn new(scene: &str) -> Self {
        let mut fake = Self {
            world: FakeWorld { home: "/home/me".into(), ..FakeWorld::default() },
            names: ShellNames::default(),
            history: HistoryIndex::default(),
            specs: Specs::default(),
            cwd: "/home/me".into(),
            dialect: Dialect::Zsh,
            left: String::new(),
            right: String::new(),
        };
        let mut own = Vec::new();
        for row in scene.lines().map(str::trim_start).filter(|row| !row.is_empty()) {
            let (word, rest) = row.split_once(char::is_whitespace).unwrap_or((row, ""));
            let rest = rest.trim_start();
            let pair = || {
                let (name, text) = rest.split_once(' ').expect("a name and a text");
                (name.to_owned(), text.trim_start().replace("\\n", "\n"))
            };
            match word {
                "file" => fake.path(rest, FileKind::File),
                "directory" => fake.path(rest, FileKind::Directory),
                "program" if rest.contains('/') => fake.path(rest, FileKind::Program),
                "program" => fake.world.programs.push(rest.trim_end().into()),
                "alias" | "function" | "variable" | "builtin" => fake.names.take(word, 1, rest),
                "spec" => own.push(pair()),
                "learnt" => {
                    let (name, text) = pair();
                    fake.world.learnt.push((name, text.into()));
                }
                "cwd" => fake.cwd = rest.trim_end().to_owned(),
                "shell" => fake.dialect = Dialect::of(rest.trim_end()),
                "named" => fake.names.take("directory", 1, rest),
                "history" => {
                    let (rest, exit) = match rest.rsplit_once(" exit ") {
                        Some((rest, exit)) => (rest.trim_end(), exit.trim().parse().expect("a number")),
                        None => (rest.trim_end(), 0),
                    };
                    let (command, cwd) = match rest.rsplit_once(" in ") {
                        Some((command, cwd)) => (command.trim_end(), cwd.to_owned()),
                        None => (rest, fake.cwd.clone()),
                    };
                    let command = command.replace("\\n", "\n");
                    fake.history.add(RunRecord {
                        command: &command,
                        cwd: Some(&cwd),
                        exit: Some(exit),
                        session: None,
                        private: false,
                    });
                }
                "repository" => fake.world.root = Some(rest.trim_end().to_owned()),
                "many" => {
                    let (count, name) = rest.split_once(' ').expect("a count and a name");
                    let names = (0..count.parse().expect("a number")).map(|number: u32| format!("{name}{number:05}"));
                    let entries = names.map(|name| DirEntry { name: name.into(), kind: FileKind::File });
                    let all = fake.world.entries.entry(fake.cwd.clone()).or_default();
                    all.extend(entries);
                    all.sort_by(|one, other| one.name.cmp(&other.name));
                }
                "slow" if rest.starts_with('/') || rest == "programs" => fake.world.late.push(rest.to_owned()),
                "slow" => fake.world.slow.push(LiveKind::of(rest.trim_end()).expect("a live kind")),
                "line" => {
                    let line = rest.replace("\\|", "\0");
                    let (left, right) = line.split_once('|').expect("the line has a cursor");
                    fake.left = left.replace('\0', "|");
                    fake.right = right.replace('\0', "|");
                }
                _ => {
                    let kind = LiveKind::of(word).unwrap_or_else(|| panic!("unknown word in scene: {word}"));
                    let (rest, directory) = match rest.split_once(" in ") {
                        Some((rest, directory)) => (rest, Some(directory.trim().to_owned())),
                        None => (rest, None),
                    };
                    let (name, about) = rest.split_once("  ").unwrap_or((rest, ""));
                    let item = LiveItem { name: name.trim().into(), about: about.trim().into() };
                    fake.world.live.push((kind, directory, item));
                }
            }
        }
        fake.world.programs.sort();
        let (specs, problems) = Specs::with(own);
        assert_eq!(problems, []);
        fake.specs = specs;
        fake
    }

    pub fn context(&self) -> CompletionContext<'_> {
        CompletionContext {
            left: &self.left,
            right: &self.right,
            cwd: &self.cwd,
            dialect: self.dialect,
            names: &self.names,
            history: &self.history,
            session: "",
            world: &self.world,
            specs: &self.specs,
            idea: None,
            limit: 4,
            list: false,
        }
    }

    /// Adds the path and its parent directories.
    fn path(&mut self, path: &str, kind: FileKind) {
        let path = path.trim_end();
        let whole = if path.starts_with('/') { path.to_owned() } else { format!("{}/{path}", self.cwd) };
        let mut directory = String::new();
        let parts: Vec<&str> = whole.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
        for (number, part) in parts.iter().enumerate() {
            let kind = if number + 1 == parts.len() { kind } else { FileKind::Directory };
            let name = if directory.is_empty() { "/" } else { &directory };
            let entries = self.world.entries.entry(name.to_owned()).or_default();
            if !entries.iter().any(|entry| *entry.name == **part) {
                entries.push(DirEntry { name: (*part).into(), kind });
                entries.sort_by(|one, other| one.name.cmp(&other.name));
            }
            directory = format!("{directory}/{part}");
        }
        if kind == FileKind::Directory {
            self.world.entries.entry(directory).or_default();
        }
    }
}

impl World for FakeWorld {
    fn home(&self) -> &str {
        &self.home
    }

    fn entries(&self, directory: &str) -> Fact<Arc<[DirEntry]>> {
        if self.late.iter().any(|late| late == directory) {
            return Fact::NotYet;
        }
        self.entries.get(directory).map_or(Fact::No, |entries| Fact::Yes(entries.clone().into()))
    }

    fn programs(&self) -> Fact<Arc<[Box<str>]>> {
        if self.late.iter().any(|late| late == "programs") {
            return Fact::NotYet;
        }
        Fact::Yes(self.programs.clone().into())
    }

    fn repository(&self, _directory: &str) -> Fact<Arc<str>> {
        match self.root.as_deref() {
            Some("none") => Fact::No,
            Some(root) => Fact::Yes(root.into()),
            None => Fact::NotYet,
        }
    }

    fn live(&self, what: LiveKind, directory: &str) -> Fact<Arc<[LiveItem]>> {
        if self.slow.contains(&what) {
            return Fact::NotYet;
        }
        let here = self
            .live
            .iter()
            .filter(|(kind, place, _)| *kind == what && place.as_deref().is_none_or(|place| place == directory));
        let items: Vec<LiveItem> = here.map(|(_, _, item)| item.clone()).collect();
        if items.is_empty() { Fact::No } else { Fact::Yes(items.into()) }
    }

    fn learnt(&self, command: &str) -> Fact<Arc<str>> {
        let found = self.learnt.iter().find(|(name, _)| name == command);
        found.map_or(Fact::No, |(_, text)| Fact::Yes(Arc::clone(text)))
    }
}
