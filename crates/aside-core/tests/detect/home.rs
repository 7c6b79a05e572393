//! A fake of the machine on which the corpus was typed, as far as core may ask about it: the same wherever the tests run.

use std::collections::BTreeMap;
use std::sync::Arc;

use aside_core::names::Names;
use aside_core::world::{Entry, Item, Kind, Known, Live, World};

/// Its contents, one per row; see `crates/aside/eval/detect/README.md`.
const WORLD: &str = include_str!("../../../aside/eval/detect/world.txt");
/// The programs on PATH.
const PROGRAMS: &str = include_str!("../../../aside/eval/detect/programs.txt");

pub struct Home {
    home: String,
    root: String,
    entries: BTreeMap<String, Arc<[Entry]>>,
    programs: Arc<[Box<str>]>,
    /// By kind and, where the row says `in`, by directory.
    live: Vec<(Live, Option<String>, Item)>,
    names: BTreeMap<&'static str, Names>,
}

impl Home {
    pub fn new() -> Self {
        let (mut home, mut root, mut live) = (String::new(), String::new(), Vec::new());
        let mut entries: BTreeMap<String, Vec<Entry>> = BTreeMap::new();
        let mut names: BTreeMap<&'static str, Names> = BTreeMap::new();
        for row in WORLD.lines().filter(|row| !row.starts_with('#')) {
            let (word, rest) = row.split_once(' ').expect("a word and what it says");
            match word {
                "home" => home = rest.to_owned(),
                "repository" => root = rest.to_owned(),
                "file" => put(&mut entries, rest, Kind::File),
                "program" => put(&mut entries, rest, Kind::Program),
                "directory" => put(&mut entries, rest, Kind::Directory),
                "alias" | "function" | "variable" => {
                    for shell in ["zsh", "bash"] {
                        names.entry(shell).or_default().take(word, 1, rest);
                    }
                }
                "builtin" => {
                    let (shell, name) = rest.split_once(' ').expect("a shell and a name");
                    names.entry(shell).or_default().take(word, 1, name);
                }
                _ => {
                    let kind = Live::of(word).unwrap_or_else(|| panic!("unknown word: {word}"));
                    let (name, place) = match rest.split_once(" in ") {
                        Some((name, place)) => (name, Some(place.to_owned())),
                        None => (rest, None),
                    };
                    live.push((kind, place, Item { name: name.into(), about: "".into() }));
                }
            }
        }
        let entries = entries.into_iter().map(|(directory, mut entries)| {
            entries.sort_by(|one, other| one.name.cmp(&other.name));
            (directory, entries.into())
        });
        let mut programs: Vec<Box<str>> = PROGRAMS.lines().map(Box::from).collect();
        programs.sort();
        Self { home, root, entries: entries.collect(), programs: programs.into(), live, names }
    }

    /// What the user's shell reports about itself.
    pub fn names(&self, shell: &str) -> Names {
        self.names.get(shell).cloned().unwrap_or_default()
    }
}

/// Adds the parent directories too.
fn put(entries: &mut BTreeMap<String, Vec<Entry>>, path: &str, kind: Kind) {
    let mut directory = String::new();
    let mut parts = path.split('/').skip(1).peekable();
    while let Some(part) = parts.next() {
        let kind = if parts.peek().is_some() { Kind::Directory } else { kind };
        let here = entries.entry(if directory.is_empty() { "/".to_owned() } else { directory.clone() }).or_default();
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
        &self.home
    }

    fn entries(&self, directory: &str) -> Known<Arc<[Entry]>> {
        self.entries.get(directory).map_or(Known::No, |entries| Known::Yes(Arc::clone(entries)))
    }

    fn programs(&self) -> Known<Arc<[Box<str>]>> {
        Known::Yes(Arc::clone(&self.programs))
    }

    fn repository(&self, directory: &str) -> Known<Arc<str>> {
        let inside = directory.strip_prefix(&self.root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        if inside { Known::Yes(self.root.as_str().into()) } else { Known::No }
    }

    fn live(&self, what: Live, directory: &str) -> Known<Arc<[Item]>> {
        let here = self.live.iter().filter(|(kind, place, _)| {
            // Branches are known in the whole repository, targets only beside their file.
            let place = place.as_deref();
            *kind == what && place.is_none_or(|place| place == directory)
        });
        let items: Vec<Item> = here.map(|(_, _, item)| item.clone()).collect();
        if items.is_empty() { Known::No } else { Known::Yes(items.into()) }
    }
}
