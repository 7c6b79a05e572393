//! What core may ask about the machine. Answers come from a cache and at once; what is not cached yet is `NotYet`, and is known a moment
//! later, when the caller asks again.

use std::sync::Arc;

/// Synchronous, bounded and infallible. The default for everything is that the machine has none.
pub trait World {
    /// The user's home directory, without a slash at the end.
    fn home(&self) -> &str;

    /// The entries of a directory, given by its absolute path, sorted by name. At most some ten thousand.
    fn entries(&self, _directory: &str) -> Fact<Arc<[DirEntry]>> {
        Fact::No
    }

    /// The programs on PATH, sorted by name.
    fn programs(&self) -> Fact<Arc<[Box<str>]>> {
        Fact::No
    }

    /// Whether one of them has this name. An implementation without a list may have a cheaper way.
    fn has_program(&self, name: &str) -> Fact<bool> {
        has(self.programs(), name)
    }

    /// Whether the user is root, who needs no `sudo`.
    fn is_root(&self) -> bool {
        false
    }

    /// The root of the repository that contains the directory.
    fn repository(&self, _directory: &str) -> Fact<Arc<str>> {
        Fact::No
    }

    /// Names that change during work: branches, targets, hosts. The most useful first, as far as that is known.
    fn live(&self, _what: LiveKind, _directory: &str) -> Fact<Arc<[LiveItem]>> {
        Fact::No
    }

    /// A spec learnt from the command's own help, in the format of our specs.
    fn learnt(&self, _command: &str) -> Fact<Arc<str>> {
        Fact::No
    }

    /// The manual page of a command as plain text, possibly truncated.
    fn manual(&self, _command: &str) -> Fact<Arc<str>> {
        Fact::No
    }
}

/// Binary search in a list sorted by name.
pub fn has(names: Fact<Arc<[Box<str>]>>, name: &str) -> Fact<bool> {
    match names {
        Fact::Yes(names) => Fact::Yes(names.binary_search_by(|known| (**known).cmp(name)).is_ok()),
        Fact::No => Fact::No,
        Fact::NotYet => Fact::NotYet,
    }
}

/// A machine with nothing on it.
pub struct EmptyWorld;

impl World for EmptyWorld {
    fn home(&self) -> &str {
        "/"
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fact<T> {
    Yes(T),
    /// It does not exist.
    No,
    /// The lookup is in progress.
    NotYet,
}

impl<T> Fact<T> {
    pub fn yes(self) -> Option<T> {
        match self {
            Fact::Yes(value) => Some(value),
            Fact::No | Fact::NotYet => None,
        }
    }
}

/// One name in a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirEntry {
    pub name: Box<str>,
    pub kind: FileKind,
}

/// Links are resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    File,
    Program,
    Directory,
    /// A socket, a device, a dangling link.
    Other,
}

/// One live name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveItem {
    pub name: Box<str>,
    /// One line about it, or empty.
    pub about: Box<str>,
}

/// Kinds of names that change. Named like the argument kinds in the specs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LiveKind {
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

impl LiveKind {
    pub const ALL: [(LiveKind, &'static str); 26] = [
        (LiveKind::GitBranch, "git-branch"),
        (LiveKind::GitRemote, "git-remote"),
        (LiveKind::GitTag, "git-tag"),
        (LiveKind::GitChanged, "git-changed"),
        (LiveKind::GitStaged, "git-staged"),
        (LiveKind::GitStash, "git-stash"),
        (LiveKind::GitCommit, "git-commit"),
        (LiveKind::GitState, "git-state"),
        (LiveKind::MakeTarget, "make-target"),
        (LiveKind::JustRecipe, "just-recipe"),
        (LiveKind::NpmScript, "npm-script"),
        (LiveKind::CargoPackage, "cargo-package"),
        (LiveKind::CargoBin, "cargo-bin"),
        (LiveKind::CargoExample, "cargo-example"),
        (LiveKind::CargoTest, "cargo-test"),
        (LiveKind::CargoFeature, "cargo-feature"),
        (LiveKind::Host, "host"),
        (LiveKind::DockerContainer, "docker-container"),
        (LiveKind::DockerImage, "docker-image"),
        (LiveKind::SystemdUnit, "systemd-unit"),
        (LiveKind::TmuxSession, "tmux-session"),
        (LiveKind::Process, "process"),
        (LiveKind::ProcessName, "process-name"),
        (LiveKind::User, "user"),
        (LiveKind::Group, "group"),
        (LiveKind::Package, "package"),
    ];

    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, known)| *known == name).map(|(live, _)| *live)
    }
}
