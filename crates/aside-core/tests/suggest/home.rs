//! A fake of the machine on which a command of the corpus ran, as far as core may ask about it: the same wherever the tests run.

use std::collections::BTreeMap;
use std::sync::Arc;

use aside_commands::shell_names::ShellNames;
use aside_commands::world::{DirEntry, Fact, FileKind, LiveItem, LiveKind, World};

use crate::corpus::Case;

/// The programs on PATH.
const PROGRAMS: &str = include_str!("../../../aside/eval/detect/programs.txt");
/// Further programs of the corpus.
const MORE: [&str; 12] = [
    "rustup",
    "black",
    "ruff",
    "flake8",
    "poetry",
    "lsof",
    "createdb",
    "ansible-galaxy",
    "dpkg",
    "ruff",
    "tsc",
    "pnpm",
];

pub const CWD: &str = "/home/me/app";

pub struct Home {
    entries: BTreeMap<String, Arc<[DirEntry]>>,
    programs: Arc<[Box<str>]>,
    live: Vec<(LiveKind, LiveItem)>,
    is_repository: bool,
}

impl Home {
    pub fn new(case: &Case) -> Self {
        let mut entries: BTreeMap<String, Vec<DirEntry>> = BTreeMap::new();
        let mut programs: Vec<Box<str>> = PROGRAMS.lines().chain(MORE).map(Box::from).collect();
        let mut live = Vec::new();
        entries.entry(CWD.to_owned()).or_default();
        for fact in &case.has {
            let (word, name) = fact.split_once(' ').expect("a kind and a name");
            match word {
                "file" => put(&mut entries, name, FileKind::File),
                "dir" => put(&mut entries, name, FileKind::Directory),
                "program" => put(&mut entries, name, FileKind::Program),
                "path" => programs.push(name.into()),
                kind => {
                    let kind = LiveKind::of(kind).unwrap_or_else(|| panic!("{}: unknown fact {fact}", case.name));
                    live.push((kind, LiveItem { name: name.into(), about: "".into() }));
                }
            }
        }
        programs.retain(|name| !case.lacks.contains(&&**name));
        programs.sort();
        programs.dedup();
        let is_repository = entries.get(CWD).is_some_and(|all| all.iter().any(|entry| &*entry.name == ".git"));
        let entries = entries.into_iter().map(|(directory, mut entries)| {
            entries.sort_by(|one, other| one.name.cmp(&other.name));
            (directory, entries.into())
        });
        Self { entries: entries.collect(), programs: programs.into(), live, is_repository }
    }

    pub fn names() -> ShellNames {
        let mut names = ShellNames::default();
        names.take("builtin", 0, "cd");
        names
    }
}

/// Adds the parent directories too.
fn put(entries: &mut BTreeMap<String, Vec<DirEntry>>, path: &str, kind: FileKind) {
    let mut directory = CWD.to_owned();
    let mut parts = path.split('/').peekable();
    while let Some(part) = parts.next() {
        let kind = if parts.peek().is_some() { FileKind::Directory } else { kind };
        let here = entries.entry(directory.clone()).or_default();
        if !here.iter().any(|entry| *entry.name == *part) {
            here.push(DirEntry { name: part.into(), kind });
        }
        directory = format!("{directory}/{part}");
    }
    if kind == FileKind::Directory {
        entries.entry(directory).or_default();
    }
}

impl World for Home {
    fn home(&self) -> &str {
        "/home/me"
    }

    fn entries(&self, directory: &str) -> Fact<Arc<[DirEntry]>> {
        self.entries.get(directory).map_or(Fact::No, |entries| Fact::Yes(Arc::clone(entries)))
    }

    fn programs(&self) -> Fact<Arc<[Box<str>]>> {
        Fact::Yes(Arc::clone(&self.programs))
    }

    fn repository(&self, _directory: &str) -> Fact<Arc<str>> {
        if self.is_repository { Fact::Yes(CWD.into()) } else { Fact::No }
    }

    fn live(&self, what: LiveKind, _directory: &str) -> Fact<Arc<[LiveItem]>> {
        let items: Vec<LiveItem> =
            self.live.iter().filter(|(kind, _)| *kind == what).map(|(_, item)| item.clone()).collect();
        if items.is_empty() { Fact::No } else { Fact::Yes(items.into()) }
    }
}
