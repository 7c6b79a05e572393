//! A fake of the machine on which a command of the corpus ran, as far as core may ask about it: the same wherever the tests run.

use std::collections::BTreeMap;
use std::sync::Arc;

use aside_core::names::Names;
use aside_core::world::{Entry, Item, Kind, Known, Live, World};

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
    entries: BTreeMap<String, Arc<[Entry]>>,
    programs: Arc<[Box<str>]>,
    live: Vec<(Live, Item)>,
    is_repository: bool,
}

impl Home {
    pub fn new(case: &Case) -> Self {
        let mut entries: BTreeMap<String, Vec<Entry>> = BTreeMap::new();
        let mut programs: Vec<Box<str>> = PROGRAMS.lines().chain(MORE).map(Box::from).collect();
        let mut live = Vec::new();
        entries.entry(CWD.to_owned()).or_default();
        for fact in &case.has {
            let (word, name) = fact.split_once(' ').expect("a kind and a name");
            match word {
                "file" => put(&mut entries, name, Kind::File),
                "dir" => put(&mut entries, name, Kind::Directory),
                "program" => put(&mut entries, name, Kind::Program),
                "path" => programs.push(name.into()),
                kind => {
                    let kind = Live::of(kind).unwrap_or_else(|| panic!("{}: unknown fact {fact}", case.name));
                    live.push((kind, Item { name: name.into(), about: "".into() }));
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

    pub fn names() -> Names {
        let mut names = Names::default();
        names.take("builtin", 0, "cd");
        names
    }
}

/// Adds the parent directories too.
fn put(entries: &mut BTreeMap<String, Vec<Entry>>, path: &str, kind: Kind) {
    let mut directory = CWD.to_owned();
    let mut parts = path.split('/').peekable();
    while let Some(part) = parts.next() {
        let kind = if parts.peek().is_some() { Kind::Directory } else { kind };
        let here = entries.entry(directory.clone()).or_default();
        if !here.iter().any(|entry| *entry.name == *part) {
            here.push(Entry { name: part.into(), kind });
        }
        directory = format!("{directory}/{part}");
    }
    if kind == Kind::Directory {
        entries.entry(directory).or_default();
    }
}

impl World for Home {
    fn home(&self) -> &str {
        "/home/me"
    }

    fn entries(&self, directory: &str) -> Known<Arc<[Entry]>> {
        self.entries.get(directory).map_or(Known::No, |entries| Known::Yes(Arc::clone(entries)))
    }

    fn programs(&self) -> Known<Arc<[Box<str>]>> {
        Known::Yes(Arc::clone(&self.programs))
    }

    fn repository(&self, _directory: &str) -> Known<Arc<str>> {
        if self.is_repository { Known::Yes(CWD.into()) } else { Known::No }
    }

    fn live(&self, what: Live, _directory: &str) -> Known<Arc<[Item]>> {
        let items: Vec<Item> =
            self.live.iter().filter(|(kind, _)| *kind == what).map(|(_, item)| item.clone()).collect();
        if items.is_empty() { Known::No } else { Known::Yes(items.into()) }
    }
}
