//! What core may ask about the machine. The answers come from memory and at once; what is not known yet is said to be so,
//! and will be known a moment later, when the same question is asked again.

use std::sync::Arc;

/// Synchronous, bounded and without failure. A machine has nothing of what it does not implement.
pub trait World {
    /// The person's home directory, without a slash at the end.
    fn home(&self) -> &str;

    /// What is in a directory, given by its absolute path, in the order of names. At most some ten thousand entries.
    fn entries(&self, _directory: &str) -> Known<Arc<[Entry]>> {
        Known::No
    }

    /// The programs on PATH, in the order of names.
    fn programs(&self) -> Known<Arc<[Box<str>]>> {
        Known::No
    }

    /// Whether one of them has this name. An implementation without a list may know this for less.
    fn has_program(&self, name: &str) -> Known<bool> {
        has(self.programs(), name)
    }

    /// The root of the repository that the directory is in.
    fn repository(&self, _directory: &str) -> Known<Arc<str>> {
        Known::No
    }

    /// Names that change while one works: branches, targets, hosts. In the order of usefulness, as far as that is known.
    fn live(&self, _what: Live, _directory: &str) -> Known<Arc<[Item]>> {
        Known::No
    }

    /// What was learnt about a command from its own help: a text in the format of our specs.
    fn learnt(&self, _command: &str) -> Known<Arc<str>> {
        Known::No
    }

    /// The page of the manual about a command, as plain text, or as much of it as is kept.
    fn manual(&self, _command: &str) -> Known<Arc<str>> {
        Known::No
    }
}

/// Whether a name is in a list that is in the order of names.
pub fn has(names: Known<Arc<[Box<str>]>>, name: &str) -> Known<bool> {
    match names {
        Known::Yes(names) => Known::Yes(names.binary_search_by(|known| (**known).cmp(name)).is_ok()),
        Known::No => Known::No,
        Known::NotYet => Known::NotYet,
    }
}

/// A machine with nothing on it.
pub struct Nothing;

impl World for Nothing {
    fn home(&self) -> &str {
        "/"
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Known<T> {
    Yes(T),
    /// There is no such thing.
    No,
    /// It is being found out.
    NotYet,
}

impl<T> Known<T> {
    pub fn yes(self) -> Option<T> {
        match self {
            Known::Yes(value) => Some(value),
            Known::No | Known::NotYet => None,
        }
    }
}

/// One name in a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub name: Box<str>,
    pub kind: Kind,
}

/// What a link leads to counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    File,
    Program,
    Directory,
    /// A socket, a device, a link to nowhere.
    Other,
}

/// One live name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    pub name: Box<str>,
    /// One line about it, or nothing.
    pub about: Box<str>,
}

/// Kinds of names that change. Their names are those of the argument kinds in the specs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Live {
    GitBranch,
    GitRemote,
    GitTag,
    /// Modified, deleted or not tracked.
    GitChanged,
    GitStaged,
    GitStash,
    /// Recent commits, by their short names.
    GitCommit,
    /// What git has begun and not ended (`rebase`, `merge`, `bisect`), and `commits` with their number where that is known.
    GitState,
    MakeTarget,
    JustRecipe,
    NpmScript,
    CargoPackage,
    CargoBin,
    CargoExample,
    CargoTest,
    CargoFeature,
    Host,
    DockerContainer,
    DockerImage,
    SystemdUnit,
    TmuxSession,
    /// Numbers of processes, with the command as `about`.
    Process,
    ProcessName,
    User,
    Group,
    /// Names of installed packages of the system.
    Package,
}

impl Live {
    pub const ALL: [(Live, &'static str); 26] = [
        (Live::GitBranch, "git-branch"),
        (Live::GitRemote, "git-remote"),
        (Live::GitTag, "git-tag"),
        (Live::GitChanged, "git-changed"),
        (Live::GitStaged, "git-staged"),
        (Live::GitStash, "git-stash"),
        (Live::GitCommit, "git-commit"),
        (Live::GitState, "git-state"),
        (Live::MakeTarget, "make-target"),
        (Live::JustRecipe, "just-recipe"),
        (Live::NpmScript, "npm-script"),
        (Live::CargoPackage, "cargo-package"),
        (Live::CargoBin, "cargo-bin"),
        (Live::CargoExample, "cargo-example"),
        (Live::CargoTest, "cargo-test"),
        (Live::CargoFeature, "cargo-feature"),
        (Live::Host, "host"),
        (Live::DockerContainer, "docker-container"),
        (Live::DockerImage, "docker-image"),
        (Live::SystemdUnit, "systemd-unit"),
        (Live::TmuxSession, "tmux-session"),
        (Live::Process, "process"),
        (Live::ProcessName, "process-name"),
        (Live::User, "user"),
        (Live::Group, "group"),
        (Live::Package, "package"),
    ];

    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, known)| *known == name).map(|(live, _)| *live)
    }
}
