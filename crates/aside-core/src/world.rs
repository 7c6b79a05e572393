//! What core may ask about the machine. Answers come from a cache and at once; what is not cached yet is `NotYet`, and is known a moment
//! later, when the caller asks again.

use std::sync::Arc;

/// Synchronous, bounded and infallible. The default for everything is that the machine has none.
pub trait World {
    /// The user's home directory, without a slash at the end.
    fn home(&self) -> &str;

    /// The entries of a directory, given by its absolute path, sorted by name. At most some ten thousand.
    fn entries(&self, _directory: &str) -> Known<Arc<[Entry]>> {
        Known::No
    }

    /// The programs on PATH, sorted by name.
    fn programs(&self) -> Known<Arc<[Box<str>]>> {
        Known::No
    }

    /// Whether one of them has this name. An implementation without a list may have a cheaper way.
    fn has_program(&self, name: &str) -> Known<bool> {
        has(self.programs(), name)
    }

    /// Whether the user is root, who needs no `sudo`.
    fn is_root(&self) -> bool {
        false
    }

    /// The root of the repository that contains the directory.
    fn repository(&self, _directory: &str) -> Known<Arc<str>> {
        Known::No
    }

    /// Names that change during work: branches, targets, hosts. The most useful first, as far as that is known.
    fn live(&self, _what: Live, _directory: &str) -> Known<Arc<[Item]>> {
        Known::No
    }

    /// A spec learnt from the command's own help, in the format of our specs.
    fn learnt(&self, _command: &str) -> Known<Arc<str>> {
        Known::No
    }

    /// The manual page of a command as plain text, possibly truncated.
    fn manual(&self, _command: &str) -> Known<Arc<str>> {
        Known::No
    }
}

/// Binary search in a list sorted by name.
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
    /// It does not exist.
    No,
    /// The lookup is in progress.
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

/// Links are resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    File,
    Program,
    Directory,
    /// A socket, a device, a dangling link.
    Other,
}

/// One live name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    pub name: Box<str>,
    /// One line about it, or empty.
    pub about: Box<str>,
}

/// Kinds of names that change. Named like the argument kinds in the specs.
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
    /// Operations that git has begun and not ended (`rebase`, `merge`, `bisect`), and `commits` with their number where that is known.
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
    /// Process ids, with the command as `about`.
    Process,
    ProcessName,
    User,
    Group,
    /// Names of installed system packages.
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
