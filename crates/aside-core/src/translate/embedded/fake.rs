//! A fake machine for tests: a directory with files, a repository, programs.

use std::sync::Arc;

use crate::line::Dialect;
use crate::names::Names;
use crate::spec::Specs;
use crate::translate::embedded::reading::{Reading, Word};
use crate::translate::embedded::{BOOK, answer, drafts};
use crate::translate::{Place, Proposal, System, Wish};
use crate::world::{Entry, Item, Kind, Known, Live, World};

/// What most machines have. Without a list of programs every program counts as installed.
pub struct Fake {
    pub directory: Vec<(&'static str, Kind)>,
    pub branches: Vec<&'static str>,
    /// What git would commit; `None` means not known.
    pub staged: Option<Vec<&'static str>>,
    pub changed: Vec<&'static str>,
    pub programs: Vec<&'static str>,
    pub system: System,
    pub dialect: Dialect,
}

impl Default for Fake {
    fn default() -> Self {
        let files = [
            "a.txt",
            "b.txt",
            "data.csv",
            "error.log",
            "access.log",
            "main.py",
            "notes.md",
            "photo.jpg",
            "backup.tar.gz",
            "app.zip",
            "config.json",
            "deploy.sh",
            "report.pdf",
            "Makefile",
            "README.md",
            "package.json",
        ];
        let directories = ["docs", "src", "logs", "build", "node_modules", "project", "images"];
        let files = files.map(|name| (name, Kind::File));
        let directories = directories.map(|name| (name, Kind::Directory));
        Self {
            directory: files.into_iter().chain(directories).collect(),
            branches: vec!["main", "feature", "develop", "feature/login"],
            staged: None,
            changed: Vec::new(),
            programs: Vec::new(),
            system: System::Gnu,
            dialect: Dialect::Zsh,
        }
    }
}

impl Fake {
    /// The answers to a query, the best first.
    pub fn answers(&self, words: &str) -> Vec<Proposal> {
        let (names, specs) = (Names::default(), Specs::default());
        let place = Place {
            cwd: "/code",
            dialect: self.dialect,
            system: self.system,
            world: self,
            names: &names,
            specs: &specs,
        };
        answer(&Wish { words, place, limit: 5 })
    }

    pub fn best(&self, words: &str) -> String {
        self.answers(words).into_iter().next().map(|proposal| proposal.command).unwrap_or_default()
    }
}

impl Fake {
    /// Each word with its weight, and the thing it was read as.
    pub fn words(&self, words: &str) -> Vec<(String, f32, String)> {
        let (names, specs) = (Names::default(), Specs::default());
        let place = self.place(&names, &specs);
        let reading = Reading::new(words, place, &BOOK.lexicon);
        let shown = |word: &Word| {
            let concept = word.concept.map(|concept| BOOK.lexicon.text(concept)).unwrap_or("?");
            let thing = word.thing.as_ref().map(|thing| format!(" {thing:?}")).unwrap_or_default();
            (word.text.clone(), word.weight, format!("{concept}{thing}"))
        };
        reading.words.iter().map(shown).collect()
    }

    fn place<'a>(&'a self, names: &'a Names, specs: &'a Specs) -> Place<'a> {
        Place { cwd: "/code", dialect: self.dialect, system: self.system, world: self, names, specs }
    }

    /// The rule or domain that drafted a command.
    pub fn rule_of(&self, words: &str, command: &str) -> &'static str {
        let drafts = self.with_reading(words, drafts);
        drafts.into_iter().find(|draft| draft.command == command).map_or("nothing", |draft| draft.rule)
    }

    /// Reads a query and passes it to `make`, for example to get one domain's drafts before ranking.
    pub fn with_reading<T>(&self, words: &str, make: impl FnOnce(&Reading<'_>) -> T) -> T {
        let (names, specs) = (Names::default(), Specs::default());
        make(&Reading::new(words, self.place(&names, &specs), &BOOK.lexicon))
    }
}

impl World for Fake {
    fn home(&self) -> &str {
        "/home/me"
    }

    fn entries(&self, directory: &str) -> Known<Arc<[Entry]>> {
        if directory == "/code/logs" {
            return Known::Yes([Entry { name: "web.log".into(), kind: Kind::File }].into());
        }
        if directory != "/code" {
            return Known::No;
        }
        let entry = |(name, kind): &(&str, Kind)| Entry { name: (*name).into(), kind: *kind };
        Known::Yes(self.directory.iter().map(entry).collect())
    }

    fn programs(&self) -> Known<Arc<[Box<str>]>> {
        if self.programs.is_empty() {
            return Known::NotYet;
        }
        let mut programs: Vec<Box<str>> = self.programs.iter().map(|name| (*name).into()).collect();
        programs.sort();
        Known::Yes(programs.into())
    }

    fn repository(&self, _directory: &str) -> Known<Arc<str>> {
        Known::Yes("/code".into())
    }

    fn live(&self, what: Live, _directory: &str) -> Known<Arc<[Item]>> {
        let item = |name: &&str| Item { name: (*name).into(), about: "".into() };
        match what {
            Live::GitBranch => Known::Yes(self.branches.iter().map(item).collect()),
            Live::GitStaged => match &self.staged {
                Some(staged) => Known::Yes(staged.iter().map(item).collect()),
                None => Known::NotYet,
            },
            Live::GitChanged => Known::Yes(self.changed.iter().map(item).collect()),
            Live::NpmScript => Known::Yes(["dev", "start", "test", "lint", "build"].iter().map(item).collect()),
            Live::MakeTarget if self.directory.iter().any(|(name, _)| *name == "Makefile") => {
                Known::Yes(["test", "install", "clean"].iter().map(item).collect())
            }
            Live::Host => Known::Yes(["web1", "db2"].iter().map(item).collect()),
            Live::GitRemote => Known::Yes(["origin"].iter().map(item).collect()),
            Live::User => Known::Yes(["root", "alice", "www-data"].iter().map(item).collect()),
            Live::ProcessName => Known::Yes(["nginx", "python3", "firefox"].iter().map(item).collect()),
            _ => Known::No,
        }
    }
}
