//! A fake of the machine on which the history was typed, as far as the commands name it: files, targets and scripts exist from the
//! beginning, as on a real machine, and what a command creates exists once it ran. Other files, which a real machine has too, do
//! not.

use std::collections::HashMap;
use std::sync::Arc;

use aside_commands::world::{DirEntry, Fact, FileKind, LiveItem, LiveKind, World};
use aside_text::path;

use super::history_lines::{HOME, HistoryLine};

#[derive(Default)]
pub struct Remembered {
    directories: HashMap<String, Arc<[DirEntry]>>,
    /// By kind and by the directory in which they are known, newest first.
    names: HashMap<(LiveKind, String), Arc<[LiveItem]>>,
    repositories: HashMap<String, Arc<str>>,
}

/// Commands and the files without which they do nothing.
const PROJECTS: [(&[&str], &str); 9] = [
    (&["cargo"], "Cargo.toml"),
    (&["npm", "npx", "yarn", "pnpm"], "package.json"),
    (&["make"], "Makefile"),
    (&["docker compose"], "compose.yaml"),
    (&["docker build"], "Dockerfile"),
    (&["go"], "go.mod"),
    (&["./gradlew"], "build.gradle"),
    (&["pytest"], "pyproject.toml"),
    (&["just"], "justfile"),
];
/// Commands whose arguments exist only after them.
const MAKERS: [&str; 4] = ["mkdir", "touch", "cp", "mv"];

impl Remembered {
    pub fn of(all: &[HistoryLine]) -> Self {
        let mut machine = Self::default();
        // The newest branch, which is learnt last, comes first: branches are created one by one.
        all.iter().for_each(|typed| machine.learn_from(typed, When::Before));
        machine
    }

    pub fn ran(&mut self, typed: &HistoryLine) {
        self.learn_from(typed, When::After);
    }

    fn learn_from(&mut self, typed: &HistoryLine, when: When) {
        let HistoryLine { command, cwd, .. } = typed;
        self.directories.entry(cwd.clone()).or_insert_with(|| Arc::new([]));
        for part in command.split(['|', ';', '&']) {
            let words: Vec<&str> = part.split_whitespace().filter(|word| *word != "sudo").collect();
            let [name, rest @ ..] = words.as_slice() else { continue };
            let begin = words.iter().take(2).copied().collect::<Vec<_>>().join(" ");
            for (_, file) in
                PROJECTS.iter().filter(|(names, _)| names.contains(name) || names.contains(&begin.as_str()))
            {
                self.put(cwd, file, FileKind::File);
            }
            let is_made =
                MAKERS.contains(name) || begin == "git checkout" || begin == "git switch" || begin == "git push";
            if is_made && when == When::Before {
                continue;
            }
            if *name == "git" && !self.repositories.contains_key(cwd) {
                self.repositories.insert(cwd.clone(), cwd.as_str().into());
                ["main", "master", "develop"].iter().for_each(|branch| self.learn(LiveKind::GitBranch, cwd, branch));
                self.learn(LiveKind::GitRemote, cwd, "origin");
            }
            if let Some((live, named)) = named(name, rest) {
                self.learn(live, cwd, named);
            }
            let is_path = |word: &&&str| (word.contains(['/', '.']) || matches!(*name, "cd" | "ls")) && is_plain(word);
            for word in words.iter().skip(usize::from(!name.contains('/'))).filter(is_path) {
                let is_directory = *name == "cd" || word.ends_with('/');
                self.learn_path(
                    cwd,
                    word,
                    if is_directory { FileKind::Directory } else { FileKind::File },
                    word == name,
                );
            }
        }
    }

    fn learn_path(&mut self, cwd: &str, typed: &str, kind: FileKind, is_program: bool) {
        let (begin, rest) = match typed.strip_prefix('~') {
            Some(rest) => (HOME, rest),
            None if typed.starts_with('/') => ("", typed),
            None => (cwd, typed),
        };
        let parts = path::names(begin.split('/').chain(rest.split('/')));
        for depth in 0..parts.len() {
            let is_last = depth + 1 == parts.len();
            let kind = match (is_last, is_program) {
                (false, _) => FileKind::Directory,
                (true, true) => FileKind::Program,
                (true, false) => kind,
            };
            self.put(&format!("/{}", parts[..depth].join("/")), parts[depth], kind);
        }
        if let Some(inside) = format!("/{}", parts.join("/")).strip_prefix(&format!("{cwd}/")) {
            self.learn(LiveKind::GitChanged, cwd, inside);
            self.learn(LiveKind::GitStaged, cwd, inside);
        }
    }

    fn put(&mut self, directory: &str, name: &str, kind: FileKind) {
        let known = self.directories.entry(directory.to_owned()).or_insert_with(|| Arc::new([]));
        if let Err(place) = known.binary_search_by(|entry| (*entry.name).cmp(name)) {
            let mut entries = known.to_vec();
            entries.insert(place, DirEntry { name: name.into(), kind });
            *known = entries.into();
        }
    }

    fn learn(&mut self, live: LiveKind, directory: &str, name: &str) {
        let known = self.names.entry((live, directory.to_owned())).or_insert_with(|| Arc::new([]));
        let others = known.iter().filter(|item| *item.name != *name).cloned();
        *known = std::iter::once(LiveItem { name: name.into(), about: "".into() }).chain(others).collect();
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum When {
    /// Nothing has run yet.
    Before,
    /// It just ran.
    After,
}

/// Names in a command that only its tool can list.
fn named<'a>(name: &str, rest: &[&'a str]) -> Option<(LiveKind, &'a str)> {
    let found = match (name, rest) {
        ("git", ["checkout" | "switch", .., branch]) => (LiveKind::GitBranch, *branch),
        ("git", ["push" | "pull", .., "origin", branch]) => (LiveKind::GitBranch, *branch),
        ("make", [.., target]) => (LiveKind::MakeTarget, *target),
        ("just", [recipe, ..]) => (LiveKind::JustRecipe, *recipe),
        ("npm" | "yarn" | "pnpm", ["run", script, ..] | [script, ..]) => (LiveKind::NpmScript, *script),
        ("cargo", [.., "-p", package]) => (LiveKind::CargoPackage, *package),
        ("cargo", [.., "--example", example]) => (LiveKind::CargoExample, *example),
        ("cargo", ["test", test, ..]) => (LiveKind::CargoTest, *test),
        _ => return None,
    };
    Some(found).filter(|(_, name)| is_plain(name) && !name.starts_with('-'))
}

/// A word without expansions that is neither a flag nor an address.
fn is_plain(word: &str) -> bool {
    !word.starts_with('-') && !word.contains(['*', '?', '[', '{', '$', '\'', '"', '`', '(', '>', '<', ':', '\\', '='])
}

impl World for Remembered {
    fn home(&self) -> &str {
        HOME
    }

    fn entries(&self, directory: &str) -> Fact<Arc<[DirEntry]>> {
        self.directories.get(directory).map_or(Fact::No, |entries| Fact::Yes(Arc::clone(entries)))
    }

    fn repository(&self, directory: &str) -> Fact<Arc<str>> {
        self.repositories.get(directory).map_or(Fact::No, |root| Fact::Yes(Arc::clone(root)))
    }

    fn live(&self, what: LiveKind, directory: &str) -> Fact<Arc<[LiveItem]>> {
        self.names.get(&(what, directory.to_owned())).map_or(Fact::No, |names| Fact::Yes(Arc::clone(names)))
    }
}
