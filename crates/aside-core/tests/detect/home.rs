//! A fake of the machine on which the corpus was typed, as far as core may ask about it: the same wherever the tests run.

use std::collections::BTreeMap;
use std::sync::Arc;

use aside_commands::shell_names::ShellNames;
use aside_commands::world::{DirEntry, Fact, FileKind, LiveItem, LiveKind, World};

/// Its contents, one per row; see `crates/aside/eval/detect/README.md`.
const WORLD: &str = include_str!("../../../aside/eval/detect/world.txt");
/// The programs on PATH.
const PROGRAMS: &str = include_str!("../../../aside/eval/detect/programs.txt");

pub struct Home {
    home: String,
    root: String,
    entries: BTreeMap<String, Arc<[DirEntry]>>,
    programs: Arc<[Box<str>]>,
    /// By kind and, where the row says `in`, by directory.
    live: Vec<(LiveKind, Option<String>, LiveItem)>,
    names: BTreeMap<&'static str, ShellNames>,
}

impl Home {
    pub fn new() -> Self {
        let (mut home, mut root, mut live) = (String::new(), String::new(), Vec::new());
        let mut entries: BTreeMap<String, Vec<DirEntry>> = BTreeMap::new();
        let mut names: BTreeMap<&'static str, ShellNames> = BTreeMap::new();
        for row in WORLD.lines().filter(|row| !row.starts_with('#')) {
            let (word, rest) = row.split_once(' ').expect("a word and what it says");
            match word {
                "home" => home = rest.to_owned(),
                "repository" => root = rest.to_owned(),
                "file" => put(&mut entries, rest, FileKind::File),
                "program" => put(&mut entries, rest, FileKind::Program),
                "directory" => put(&mut entries, rest, FileKind::Directory),
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
                    let kind = LiveKind::of(word).unwrap_or_else(|| panic!("unknown word: {word}"));
                    let (name, place) = match rest.split_once(" in ") {
                        Some((name, place)) => (name, Some(place.to_owned())),
                        None => (rest, None),
                    };
                    live.push((kind, place, LiveItem { name: name.into(), about: "".into() }));
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
    pub fn names(&self, shell: &str) -> ShellNames {
        self.names.get(shell).cloned().unwrap_or_default()
    }
}

/// Adds the parent directories too.
fn put(entries: &mut BTreeMap<String, Vec<DirEntry>>, path: &str, kind: FileKind) {
    let mut directory = String::new();
    let mut parts = path.split('/').skip(1).peekable();
    while let Some(part) = parts.next() {
        let kind = if parts.peek().is_some() { FileKind::Directory } else { kind };
        let here = entries.entry(if directory.is_empty() { "/".to_owned() } else { directory.clone() }).or_default();
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
        &self.home
    }

    fn entries(&self, directory: &str) -> Fact<Arc<[DirEntry]>> {
        self.entries.get(directory).map_or(Fact::No, |entries| Fact::Yes(Arc::clone(entries)))
    }

    fn programs(&self) -> Fact<Arc<[Box<str>]>> {
        Fact::Yes(Arc::clone(&self.programs))
    }

    fn repository(&self, directory: &str) -> Fact<Arc<str>> {
        let inside = directory.strip_prefix(&self.root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        if inside { Fact::Yes(self.root.as_str().into()) } else { Fact::No }
    }

    fn live(&self, what: LiveKind, directory: &str) -> Fact<Arc<[LiveItem]>> {
        let here = self.live.iter().filter(|(kind, place, _)| {
            // Branches are known in the whole repository, targets only beside their file.
            let place = place.as_deref();
            *kind == what && place.is_none_or(|place| place == directory)
        });
        let items: Vec<LiveItem> = here.map(|(_, _, item)| item.clone()).collect();
        if items.is_empty() { Fact::No } else { Fact::Yes(items.into()) }
    }
}
