//! A fake machine for tests: a directory with files, a repository, programs.

use std::sync::Arc;

use aside_commands::shell_names::ShellNames;
use aside_commands::spec::Specs;
use aside_commands::world::{DirEntry, Fact, FileKind, LiveItem, LiveKind, World};
use shell_line::Dialect;

use crate::embedded::analysis::{AnalyzedQuery, QueryWord};
use crate::embedded::{BOOK, answer, drafts, follow_up};
use crate::{Proposal, ToolFlavor, TranslateContext, TranslateQuery};

/// What most machines have. Without a list of programs every program counts as installed.
pub struct Fake {
    pub directory: Vec<(&'static str, FileKind)>,
    pub branches: Vec<&'static str>,
    /// What git would commit; `None` means not known.
    pub staged: Option<Vec<&'static str>>,
    pub changed: Vec<&'static str>,
    pub programs: Vec<&'static str>,
    pub system: ToolFlavor,
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
        let files = files.map(|name| (name, FileKind::File));
        let directories = directories.map(|name| (name, FileKind::Directory));
        Self {
            directory: files.into_iter().chain(directories).collect(),
            branches: vec!["main", "feature", "develop", "feature/login"],
            staged: None,
            changed: Vec::new(),
            programs: Vec::new(),
            system: ToolFlavor::Gnu,
            dialect: Dialect::Zsh,
        }
    }
}

impl Fake {
    /// The answers to a query, the best first.
    pub fn answers(&self, words: &str) -> Vec<Proposal> {
        let (names, specs) = (ShellNames::default(), Specs::default());
        let place = TranslateContext {
            cwd: "/code",
            dialect: self.dialect,
            system: self.system,
            world: self,
            names: &names,
            specs: &specs,
        };
        answer(&TranslateQuery { words, place, limit: 5 })
    }

    /// A directory with these files.
    pub fn beside(files: &[&'static str]) -> Self {
        Self { directory: files.iter().map(|name| (*name, FileKind::File)).collect(), ..Self::default() }
    }

    pub fn best(&self, words: &str) -> String {
        self.answers(words).into_iter().next().map(|proposal| proposal.command).unwrap_or_default()
    }
}

impl Fake {
    /// The command for a request that changes those before it.
    pub fn follow_up(&self, words: &str, before: &[String]) -> Option<String> {
        let (names, specs) = (ShellNames::default(), Specs::default());
        let place = self.place(&names, &specs);
        let found = follow_up(&TranslateQuery { words, place, limit: 5 }, before)?;
        found.into_iter().next().map(|proposal| proposal.command)
    }

    /// Each word with its weight, and the thing it was read as.
    pub fn words(&self, words: &str) -> Vec<(String, f32, String)> {
        let (names, specs) = (ShellNames::default(), Specs::default());
        let place = self.place(&names, &specs);
        let reading = AnalyzedQuery::new(words, place, &BOOK.lexicon);
        let shown = |word: &QueryWord| {
            let concept = word.concept.map(|concept| BOOK.lexicon.text(concept)).unwrap_or("?");
            let thing = word.thing.as_ref().map(|thing| format!(" {thing:?}")).unwrap_or_default();
            (word.text.clone(), word.weight, format!("{concept}{thing}"))
        };
        reading.words.iter().map(shown).collect()
    }

    fn place<'a>(&'a self, names: &'a ShellNames, specs: &'a Specs) -> TranslateContext<'a> {
        TranslateContext { cwd: "/code", dialect: self.dialect, system: self.system, world: self, names, specs }
    }

    /// The rule or domain that drafted a command.
    pub fn rule_of(&self, words: &str, command: &str) -> &'static str {
        let drafts = self.with_reading(words, drafts);
        drafts.into_iter().find(|draft| draft.command == command).map_or("nothing", |draft| draft.rule)
    }

    /// Reads a query and passes it to `make`, for example to get one domain's drafts before ranking.
    pub fn with_reading<T>(&self, words: &str, make: impl FnOnce(&AnalyzedQuery<'_>) -> T) -> T {
        let (names, specs) = (ShellNames::default(), Specs::default());
        make(&AnalyzedQuery::new(words, self.place(&names, &specs), &BOOK.lexicon))
    }
}

impl World for Fake {
    fn home(&self) -> &str {
        "/home/me"
    }

    fn entries(&self, directory: &str) -> Fact<Arc<[DirEntry]>> {
        if directory == "/code/logs" {
            return Fact::Yes([DirEntry { name: "web.log".into(), kind: FileKind::File }].into());
        }
        if directory != "/code" {
            return Fact::No;
        }
        let entry = |(name, kind): &(&str, FileKind)| DirEntry { name: (*name).into(), kind: *kind };
        Fact::Yes(self.directory.iter().map(entry).collect())
    }

    fn programs(&self) -> Fact<Arc<[Box<str>]>> {
        if self.programs.is_empty() {
            return Fact::NotYet;
        }
        let mut programs: Vec<Box<str>> = self.programs.iter().map(|name| (*name).into()).collect();
        programs.sort();
        Fact::Yes(programs.into())
    }

    fn repository(&self, _directory: &str) -> Fact<Arc<str>> {
        Fact::Yes("/code".into())
    }

    fn live(&self, what: LiveKind, _directory: &str) -> Fact<Arc<[LiveItem]>> {
        let item = |name: &&str| LiveItem { name: (*name).into(), about: "".into() };
        match what {
            LiveKind::GitBranch => Fact::Yes(self.branches.iter().map(item).collect()),
            LiveKind::GitStaged => match &self.staged {
                Some(staged) => Fact::Yes(staged.iter().map(item).collect()),
                None => Fact::NotYet,
            },
            LiveKind::GitChanged => Fact::Yes(self.changed.iter().map(item).collect()),
            LiveKind::NpmScript => Fact::Yes(["dev", "start", "test", "lint", "build"].iter().map(item).collect()),
            LiveKind::MakeTarget if self.directory.iter().any(|(name, _)| *name == "Makefile") => {
                Fact::Yes(["test", "install", "clean"].iter().map(item).collect())
            }
            LiveKind::Host => Fact::Yes(["web1", "db2"].iter().map(item).collect()),
            LiveKind::GitRemote => Fact::Yes(["origin"].iter().map(item).collect()),
            LiveKind::User => Fact::Yes(["root", "alice", "www-data"].iter().map(item).collect()),
            LiveKind::ProcessName => Fact::Yes(["nginx", "python3", "firefox"].iter().map(item).collect()),
            _ => Fact::No,
        }
    }
}
