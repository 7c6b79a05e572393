//! Finds what a command line can destroy, by parsing it. Knows nothing about users, tasks or models, and forbids nothing.
//!
//! How it decides where the line alone does not tell:
//! - `> file` overwrites, unless the world knows that the file does not exist; `> /dev/null` and `>> file` do not.
//! - `cp a b` and `mv a b` mostly make something new. They overwrite with `-f`, or when `dangers_in` sees that the target is an existing
//!   file.
//! - What asks first (`rmdir`, `git branch -d`, `fdisk -l`) or only simulates (`--dry-run`, `--help`) destroys nothing.
//! - A function runs where the line calls it. Code that the line does not show (`eval "$x"`) is reported as unreadable.

pub mod nested_commands;

mod blocks;
mod bulk;
mod code;
mod database_clients;
mod files;
mod inspect;
mod known_output;
mod network;
mod overwrites;
mod rules;
mod runners;
mod sql;
mod startup;
mod target;
mod toml_table;
mod variables;
mod verbs;
mod wrappers;

#[cfg(test)]
mod tests;

use std::ops::Range;

use shell_line::Dialect;

use crate::safety::nested_commands::NestedCommands;
use crate::safety::overwrites::WorldView;
use crate::world::World;

/// One thing that cannot be undone, or that weakens protection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Danger {
    pub harm: Harm,
    /// The bytes of the line that do it.
    pub span: Range<usize>,
}

/// Ordered by severity: the worst is the greatest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Harm {
    /// `make clean`: a build brings it back
    DeletesBuild,
    /// `> file`, `tee file`, `cp` or `mv` onto something
    Overwrites,
    /// `sed -i`, `perl -pi`
    EditsInPlace,
    /// `>> ~/.profile`, `tee -a /etc/crontab`
    RunsLater,
    /// `apt remove`, `brew uninstall`
    Uninstalls,
    /// `kill`, `pkill`, `systemctl stop`
    Stops,
    /// `chmod 777`
    WorldWritable,
    /// `iptables -F`, `ufw disable`
    Unprotects,
    /// `chmod -R`, `chown -R`, `chmod 644 *`
    ChangesOwner,
    /// `git reset --hard`, `git clean`: work that is in no commit
    LosesWork,
    /// `git push --force`, `git filter-branch`
    RewritesShared,
    /// `shutdown`, `kill -9 -1`, a fork bomb
    TakesDown,
    /// `curl … | sh`
    RunsUnseen,
    /// `eval "$x"`, code that makes code
    Opaque,
    /// `rm`, `find -delete`, `rsync --delete`, `truncate`, `shred`
    DeletesFiles,
    /// `docker system prune`, `kubectl delete`, `DROP TABLE`, `userdel`: what is not a file
    DeletesOther,
    /// `rm -r ~`
    DeletesHome,
    /// `dd of=/dev/…`, `mkfs`, `> /dev/sda`
    RawDisk,
    /// `rm -rf /`: nothing would be left
    EndsSystem,
}

impl Harm {
    pub const ALL: [Harm; 19] = [
        Harm::DeletesBuild,
        Harm::Overwrites,
        Harm::EditsInPlace,
        Harm::RunsLater,
        Harm::Uninstalls,
        Harm::Stops,
        Harm::WorldWritable,
        Harm::Unprotects,
        Harm::ChangesOwner,
        Harm::LosesWork,
        Harm::RewritesShared,
        Harm::TakesDown,
        Harm::RunsUnseen,
        Harm::Opaque,
        Harm::DeletesFiles,
        Harm::DeletesOther,
        Harm::DeletesHome,
        Harm::RawDisk,
        Harm::EndsSystem,
    ];

    /// For the description of a command, after its name: "deletes files".
    pub fn words(self) -> &'static str {
        match self {
            Harm::DeletesBuild => "deletes build output",
            Harm::Overwrites => "overwrites a file",
            Harm::EditsInPlace => "edits files in place",
            Harm::RunsLater => "changes what runs later by itself",
            Harm::Uninstalls => "removes software",
            Harm::Stops => "stops a running program",
            Harm::WorldWritable => "makes files world-writable",
            Harm::Unprotects => "takes a protection away",
            Harm::ChangesOwner => "changes owners or permissions of many files",
            Harm::LosesWork => "discards work that may be nowhere else",
            Harm::RewritesShared => "rewrites history that others may have",
            Harm::TakesDown => "takes the machine down",
            Harm::RunsUnseen => "runs code that you have not seen",
            Harm::Opaque => "runs code that Aside cannot read",
            Harm::DeletesFiles => "deletes files",
            Harm::DeletesOther => "deletes data",
            Harm::DeletesHome => "deletes your home directory",
            Harm::RawDisk => "writes to a raw disk",
            Harm::EndsSystem => "destroys the system",
        }
    }

    /// The name in our rule tables.
    pub fn name(self) -> &'static str {
        match self {
            Harm::DeletesBuild => "build",
            Harm::Overwrites => "overwrites",
            Harm::EditsInPlace => "edits",
            Harm::RunsLater => "later",
            Harm::Uninstalls => "uninstalls",
            Harm::Stops => "stops",
            Harm::WorldWritable => "world-writable",
            Harm::Unprotects => "unprotects",
            Harm::ChangesOwner => "owner",
            Harm::LosesWork => "work",
            Harm::RewritesShared => "shared",
            Harm::TakesDown => "down",
            Harm::RunsUnseen => "unseen",
            Harm::Opaque => "opaque",
            Harm::DeletesFiles => "files",
            Harm::DeletesOther => "data",
            Harm::DeletesHome => "home",
            Harm::RawDisk => "disk",
            Harm::EndsSystem => "system",
        }
    }

    fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|harm| harm.name() == name)
    }
}

/// All dangers of the line, including nested commands, in the order of the line. Whether a file exists is unknown: every certain write
/// overwrites.
pub fn dangers(line: &str, dialect: Dialect) -> Vec<Danger> {
    found(&NestedCommands::of(line, dialect), WorldView { world: None, cwd: "/" })
}

/// Like `dangers`, for a line that would run in this directory: `rm -rf *` in a home deletes the home.
pub fn dangers_at(line: &str, dialect: Dialect, cwd: &str) -> Vec<Danger> {
    found(&NestedCommands::at(line, dialect, cwd), WorldView { world: None, cwd })
}

/// Like `dangers`, with a world: only existing files are overwritten. `cwd` is where the line would run.
pub fn dangers_in(line: &str, dialect: Dialect, cwd: &str, world: &dyn World) -> Vec<Danger> {
    found(&NestedCommands::at(line, dialect, cwd), WorldView { world: Some(world), cwd })
}

/// For the description of a command: the worst first, each once.
pub fn summary(dangers: &[Danger]) -> String {
    let mut harms: Vec<Harm> = dangers.iter().map(|danger| danger.harm).collect();
    harms.sort_unstable_by(|one, other| other.cmp(one));
    harms.dedup();
    harms.iter().map(|harm| harm.words()).collect::<Vec<_>>().join("; ")
}

fn found(runs: &NestedCommands, view: WorldView<'_>) -> Vec<Danger> {
    let mut dangers = Vec::new();
    for run in &runs.runs {
        inspect::inspect(runs, run, view, &mut dangers);
    }
    dangers.sort_unstable_by_key(|danger| (danger.span.start, danger.span.end, danger.harm));
    dangers.dedup();
    dangers
}
