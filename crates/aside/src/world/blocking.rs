//! The machine for a one-shot process: looks everything up synchronously, each thing once. Starts no process except for a man page when one
//! is asked for; what else only another program could tell stays unknown.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::Hash;
use std::path::Path;
use std::sync::Arc;

use aside_commands::world::{self, DirEntry, Fact, LiveItem, LiveKind, World};

use crate::world::{Environment, directory, lookup, manual, plain, pool, repository};

/// Cap on cached answers of each kind.
const MAX_LOOKED_UP: usize = 64;

pub struct BlockingWorld {
    environment: Environment,
    entries: Looked<Box<str>, Arc<[DirEntry]>>,
    programs: Looked<(), Arc<[Box<str>]>>,
    program: Looked<Box<str>, bool>,
    repositories: Looked<Box<str>, Arc<str>>,
    live: Looked<(LiveKind, Box<str>), Arc<[LiveItem]>>,
    manuals: Looked<Box<str>, Arc<str>>,
}

type Looked<K, V> = RefCell<HashMap<K, Option<V>>>;

impl BlockingWorld {
    pub fn new(environment: Environment) -> Self {
        Self {
            environment,
            entries: RefCell::default(),
            programs: RefCell::default(),
            program: RefCell::default(),
            repositories: RefCell::default(),
            live: RefCell::default(),
            manuals: RefCell::default(),
        }
    }
}

impl World for BlockingWorld {
    fn home(&self) -> &str {
        &self.environment.home
    }

    fn is_root(&self) -> bool {
        rustix::process::geteuid().is_root()
    }

    fn entries(&self, directory: &str) -> Fact<Arc<[DirEntry]>> {
        let Some(directory) = plain(directory) else { return Fact::No };
        once(&self.entries, directory.into(), || directory::list(directory, None).map(|listing| listing.entries))
    }

    fn programs(&self) -> Fact<Arc<[Box<str>]>> {
        once(&self.programs, (), || Some(lookup::programs(&self.environment.path)))
    }

    /// Checking for a few programs costs a fraction of listing all.
    fn has_program(&self, name: &str) -> Fact<bool> {
        if self.program.borrow().len() >= MAX_LOOKED_UP {
            // After so many checks the list is cheaper.
            return world::has(self.programs(), name);
        }
        once(&self.program, name.into(), || Some(lookup::has_program(&self.environment.path, name)))
    }

    fn repository(&self, directory: &str) -> Fact<Arc<str>> {
        let Some(directory) = plain(directory) else { return Fact::No };
        once(&self.repositories, directory.into(), || {
            let root = repository::root(Path::new(directory))?;
            root.into_os_string().into_string().ok().map(Arc::from)
        })
    }

    fn live(&self, what: LiveKind, directory: &str) -> Fact<Arc<[LiveItem]>> {
        let place = match lookup::scope(what) {
            lookup::LookupScope::Directory => plain(directory),
            lookup::LookupScope::Home => Some(&*self.environment.home),
            lookup::LookupScope::Anywhere => Some(""),
        };
        match place {
            Some(place) if pool::is_quick(what) => {
                once(&self.live, (what, place.into()), || lookup::names(what, place))
            }
            Some(_) | None => Fact::No,
        }
    }

    fn manual(&self, command: &str) -> Fact<Arc<str>> {
        once(&self.manuals, command.into(), || manual::page(command, &self.environment.path))
    }
}

fn once<K: Eq + Hash, V: Clone>(looked: &Looked<K, V>, key: K, look: impl FnOnce() -> Option<V>) -> Fact<V> {
    if let Some(known) = looked.borrow().get(&key) {
        return known.clone().map_or(Fact::No, Fact::Yes);
    }
    let found = look();
    let mut looked = looked.borrow_mut();
    // Clears the cache instead of skipping the lookup: "there is no such thing" would be wrong.
    if looked.len() >= MAX_LOOKED_UP {
        looked.clear();
    }
    looked.insert(key, found.clone());
    found.map_or(Fact::No, Fact::Yes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_known_at_once() {
        let temp = tempfile::tempdir().unwrap();
        let here = temp.path().to_str().unwrap();
        std::fs::create_dir(temp.path().join(".git")).unwrap();
        std::fs::write(temp.path().join("a"), "").unwrap();
        let environment = Environment { home: here.into(), path: format!("/nowhere:{here}:/bin").into() };
        let now = BlockingWorld::new(environment);
        let names: Vec<String> = now.entries(here).yes().unwrap().iter().map(|entry| entry.name.to_string()).collect();
        assert_eq!(names, [".git", "a"]);
        let programs = now.programs().yes().unwrap();
        assert!(programs.iter().any(|name| &**name == "sh"));
        for name in ["sh", "a", "ls", "no-such-program", "", ".", "../bin/sh", "/bin/sh", "new\nline"] {
            assert_eq!(now.has_program(name), Fact::Yes(programs.iter().any(|known| &**known == name)), "{name}");
        }
        assert_eq!(now.repository(here).yes().as_deref(), Some(here));
        assert_eq!(now.entries("/nowhere/at/all"), Fact::No);
        assert_eq!(now.live(LiveKind::GitChanged, here), Fact::No, "it would take a process");
    }

    #[test]
    fn whoever_asks_for_much_is_told_the_truth_all_the_same() {
        let temp = tempfile::tempdir().unwrap();
        let here = temp.path().to_str().unwrap();
        let now = BlockingWorld::new(Environment { home: here.into(), path: "/bin".into() });
        for number in 0..3 * MAX_LOOKED_UP {
            let directory = format!("{here}/{number}");
            std::fs::create_dir(&directory).unwrap();
            assert!(now.entries(&directory).yes().is_some(), "{directory}");
            assert_eq!(now.has_program(&format!("no-such-program-{number}")), Fact::Yes(false));
            assert!(now.entries.borrow().len() <= MAX_LOOKED_UP && now.program.borrow().len() <= MAX_LOOKED_UP);
        }
        assert_eq!(now.has_program("sh"), Fact::Yes(true));
        assert_eq!(now.entries(here).yes().map(|entries| entries.len()), Some(3 * MAX_LOOKED_UP));
    }
}
