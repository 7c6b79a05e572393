//! Asks git about a repository that may be hostile: an unpacked archive brings a configuration by which git would run commands. Git runs in
//! a sandbox in which it can read files and start nothing. Where the kernel has none, a question that could run a filter is asked only if
//! the whole configuration was read, and every filter in it is switched off.

pub(super) mod readable_paths;

use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::exec::run::environment::resolves_into;
use crate::exec::{
    AcceptedExit, DIFF_BYTES, LINE_BYTES, LIST_BYTES, ProbeSpec, Sandbox, command, is_executable, is_of_a_project,
    printed,
};

/// Timeout while the user types.
const AT_ONCE: Duration = Duration::from_millis(500);
/// Timeout when the user waits, in a repository of any size.
const PATIENTLY: Duration = Duration::from_secs(10);

/// What may be asked about a repository.
pub enum Question<'a> {
    /// The names of references with this prefix, one a line.
    Refs { prefix: &'a str },
    /// What differs: two letters, a blank, a path from the root, a NUL.
    Status { filters: &'a Filters },
    /// The same with the branch first, for a user who waits.
    State { filters: &'a Filters },
    /// The top of the working tree, as git sees it.
    Top,
    /// Settings that define filters: scope, NUL, setting, NUL.
    Filters,
    /// The diff between two states, of these files or all.
    Diff { filters: &'a Filters, between: &'a DiffSides, paths: &'a [String] },
    /// The short id and the first line of the newest commits of a revision, separated by a tab.
    Log { since: Option<&'a Revision>, of: &'a Revision },
    /// The newest commits: short id, author, day and first line, separated by tabs, and the paths that each changed, one a line. Limited to
    /// one path, to one author, and to what another revision lacks, where these are not empty.
    History { since: Option<&'a Revision>, of: &'a Revision, many: usize, path: &'a str, author: &'a str },
    /// The author of each of the newest commits of all branches and tags, one a line.
    Authors { many: usize },
    /// The entries of the stash: its name and message, separated by a tab.
    Stashes,
    /// The same for commits of which a changed line has a text.
    Touching { of: &'a Revision, many: usize, text: &'a str },
}

/// The filters that a repository's configuration defines. They are commands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filters {
    pub names: Vec<String>,
    /// Whether the whole configuration was read, so that the list is complete.
    pub are_all: bool,
}

/// States that git can compare.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DiffSides {
    /// The working tree with a commit.
    Files(Revision),
    /// The index with a commit.
    Staged(Revision),
    Commits(Revision, Revision),
    /// The second with the merge base of both.
    Fork(Revision, Revision),
}

/// The name of a commit or a tree, which git cannot mistake for an option, a path or a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revision(String);

impl Revision {
    /// Cap on its length.
    const MAX: usize = 200;

    pub fn new(text: &str) -> Option<Self> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._/@^~{}+-#".contains(&byte) || !byte.is_ascii();
        let names = !text.is_empty() && text.len() <= Self::MAX && text.bytes().all(plain);
        (names && !text.starts_with(['-', '^', '/', '.']) && !text.contains("..")).then(|| Self(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Question<'_> {
    pub(super) fn asked(&self, root: &Path) -> ProbeSpec {
        match self {
            Question::Refs { prefix } => {
                let mut command = command_in(root);
                command.args(["for-each-ref", "--sort=-creatordate", "--format=%(refname)", prefix]);
                asked(command, AT_ONCE, LIST_BYTES).cut_at(b'\n')
            }
            Question::Status { filters } => {
                let mut command = without_filters(root, filters);
                command.args(["status", "--porcelain=v1", "-z", "--untracked-files=normal", "--no-renames"]);
                command.arg("--ignore-submodules=all");
                ProbeSpec { sandbox: sandbox(filters), ..asked(command, AT_ONCE, LIST_BYTES).cut_at(b'\0') }
            }
            Question::State { filters } => {
                let mut command = without_filters(root, filters);
                command.args(["status", "--porcelain=v1", "--branch", "-z", "--untracked-files=all", "--no-renames"]);
                command.arg("--ignore-submodules=all");
                ProbeSpec { sandbox: sandbox(filters), ..asked(command, PATIENTLY, LIST_BYTES).cut_at(b'\0') }
            }
            Question::Top => {
                let mut command = quiet(root);
                command.args(["rev-parse", "--show-toplevel"]);
                asked(command, PATIENTLY, LINE_BYTES)
            }
            Question::Filters => {
                let mut command = quiet(root);
                command.args(["config", "--includes", "--show-scope", "-z", "--name-only", "--get-regexp"]);
                command.arg("^(filter|lfs\\.extension)\\.");
                // Git exits with a failure when there are none.
                ProbeSpec { counts: AcceptedExit::Any, ..asked(command, PATIENTLY, LINE_BYTES) }
            }
            Question::Diff { filters, between, paths } => {
                let mut command = without_filters(root, filters);
                // Overrides the user's own diff settings: this is the plain form.
                command.args(["diff", "--no-ext-diff", "--no-textconv", "--no-color", "--find-renames", "--unified=3"]);
                command.args(["--src-prefix=a/", "--dst-prefix=b/", "--no-relative", "--ignore-submodules=all"]);
                command.args(["--submodule=short", "--diff-algorithm=histogram", "--inter-hunk-context=0"]);
                match between {
                    DiffSides::Files(Revision(of)) => command.args(["--end-of-options", of]),
                    DiffSides::Staged(Revision(of)) => command.args(["--cached", "--end-of-options", of]),
                    DiffSides::Commits(Revision(one), Revision(other)) => {
                        command.args(["--end-of-options", one, other])
                    }
                    DiffSides::Fork(Revision(one), Revision(other)) => {
                        command.arg("--end-of-options").arg(format!("{one}...{other}"))
                    }
                };
                command.arg("--").args(*paths);
                ProbeSpec { sandbox: sandbox(filters), ..asked(command, PATIENTLY, DIFF_BYTES).cut_at(b'\n') }
            }
            Question::Log { since, of: Revision(of) } => {
                let mut command = quiet(root);
                command.args(["log", "--no-show-signature", "--no-color", "--no-decorate", "--no-notes"]);
                command.args(["--no-mailmap", "--max-count=50", "--format=%h%x09%s", "--end-of-options"]);
                match since {
                    Some(Revision(since)) => command.arg(format!("{since}..{of}")),
                    None => command.arg(of),
                };
                command.arg("--");
                asked(command, PATIENTLY, LINE_BYTES).cut_at(b'\n')
            }
            Question::History { since, of: Revision(of), many, path, author } => {
                let mut command = commits(root, *many);
                command.arg("--fixed-strings");
                if !author.is_empty() {
                    command.args(["--regexp-ignore-case", &format!("--author={author}")]);
                }
                command.arg("--end-of-options");
                match since {
                    Some(Revision(since)) => command.arg(format!("{since}..{of}")),
                    None => command.arg(of),
                };
                command.arg("--");
                if !path.is_empty() {
                    command.arg(path);
                }
                asked(command, PATIENTLY, LIST_BYTES).cut_at(b'\n')
            }
            Question::Authors { many } => asked(authors(root, *many), PATIENTLY, LIST_BYTES).cut_at(b'\n'),
            Question::Stashes => {
                let mut command = quiet(root);
                command.args(["log", "--walk-reflogs", "--first-parent", "--no-show-signature", "--no-color"]);
                command.args(["--no-notes", "--max-count=50", "--format=%gd%x09%gs"]);
                command.args(["--end-of-options", "refs/stash", "--"]);
                // Git fails where there is no stash.
                ProbeSpec { counts: AcceptedExit::Any, ..asked(command, PATIENTLY, LINE_BYTES).cut_at(b'\n') }
            }
            Question::Touching { of: Revision(of), many, text } => {
                let mut command = commits(root, *many);
                // As one word, so that no text is an option of its own.
                command.arg(format!("-G{}", regex_escape(text)));
                command.args(["--end-of-options", of, "--"]);
                asked(command, PATIENTLY, LIST_BYTES).cut_at(b'\n')
            }
        }
    }
}

/// A text as git's regular expressions read it literally.
fn regex_escape(text: &str) -> String {
    let mut escaped = String::new();
    for letter in text.chars() {
        match letter {
            '.' | '*' | '[' | ']' | '^' | '$' | '\\' => escaped.extend(['\\', letter]),
            _ => escaped.push(letter),
        }
    }
    escaped
}

/// For a question that runs no filter.
fn asked(command: Command, timeout: Duration, bytes: usize) -> ProbeSpec {
    ProbeSpec { sandbox: Sandbox::ReadOnlyIfPossible, ..ProbeSpec::new(command, timeout, bytes) }
}

/// For a question that could run a filter.
fn sandbox(filters: &Filters) -> Sandbox {
    if filters.are_all { Sandbox::ReadOnlyIfPossible } else { Sandbox::ReadOnly }
}

/// Directories from which a program may run in a repository although the user has not typed its name: neither a relative one, such as
/// `./node_modules/.bin`, nor one inside of the repository. A home directory is the user's, even if it is a repository.
fn places_outside(root: &Path, path: &OsStr) -> Vec<PathBuf> {
    let is_home = std::env::home_dir().is_some_and(|home| home.starts_with(root));
    let is_ours =
        |place: &PathBuf| place.is_absolute() && (is_home || !resolves_into(place, root)) && !is_of_a_project(place);
    std::env::split_paths(path).filter(is_ours).collect()
}

/// Git for the repository at `root` and no other: takes no lock, fetches nothing, never prompts.
pub(super) fn command_in(root: &Path) -> Command {
    let places = places_outside(root, &std::env::var_os("PATH").unwrap_or_default());
    let path = std::env::join_paths(&places).unwrap_or_default();
    let program = places.into_iter().map(|place| place.join("git")).find(|program| is_executable(program));
    let program = program.map_or_else(|| PathBuf::from("/nonexistent/git"), |program| real_program(&program));
    let mut command = command(program);
    command.env("PATH", path);
    // The daemon may have been started from a hook, whose variables name another repository.
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.as_encoded_bytes().starts_with(b"GIT_")) {
        command.env_remove(name);
    }
    command.env("GIT_OPTIONAL_LOCKS", "0").env("GIT_NO_LAZY_FETCH", "1").env("GIT_TERMINAL_PROMPT", "0");
    // Versions that lack GIT_NO_LAZY_FETCH would fetch missing objects, by a command that the repository names.
    command.env("GIT_ALLOW_PROTOCOL", "none");
    // Neither a repository above it, nor a directory that poses as a bare one.
    command.env("GIT_CEILING_DIRECTORIES", root.parent().unwrap_or(root)).args(["-c", "safe.bareRepository=explicit"]);
    command.env("LC_ALL", "C").arg("--no-optional-locks").current_dir(root);
    command
}

/// The program that a wrapper script of a version manager runs in the end: the sandbox lets no script start. Caches the result for each.
fn real_program(program: &Path) -> PathBuf {
    static KNOWN: Mutex<Option<HashMap<PathBuf, PathBuf>>> = Mutex::new(None);
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(real) = known().get_or_insert_default().get(program) {
        return real.clone();
    }
    let real = if is_script(program) {
        let mut command = command(program);
        command.arg("--exec-path").current_dir("/");
        let printed = printed(ProbeSpec::new(command, Duration::from_secs(2), LINE_BYTES));
        let real = printed.map(|directory| Path::new(directory.trim_end()).join("git"));
        real.filter(|real| real.is_absolute() && is_executable(real) && !is_script(real))
    } else {
        None
    };
    let real = real.unwrap_or_else(|| program.to_owned());
    known().get_or_insert_default().insert(program.to_owned(), real.clone());
    real
}

fn is_script(program: &Path) -> bool {
    use std::io::Read;
    let mut begins = [0; 2];
    std::fs::File::open(program).and_then(|mut file| file.read_exact(&mut begins)).is_ok() && &begins == b"#!"
}

/// A list of commits with author, day, subject and files. Runs no program of the repository's configuration.
fn commits(root: &Path, many: usize) -> Command {
    let mut command = quiet(root);
    command.args(["log", "--no-show-signature", "--no-color", "--no-decorate", "--no-notes", "--no-mailmap"]);
    command.args(["--date=short", "--format=%h%x09%an%x09%ad%x09%s", "--name-only", "--no-renames"]);
    command.args(["--no-ext-diff", "--no-textconv", "--ignore-submodules=all"]);
    command.arg(format!("--max-count={many}"));
    command
}

fn authors(root: &Path, many: usize) -> Command {
    let mut command = quiet(root);
    command.args(["log", "--no-show-signature", "--no-color", "--no-notes", "--no-mailmap", "--format=%an"]);
    command.arg(format!("--max-count={many}"));
    command.args(["--branches", "--remotes", "--tags", "HEAD", "--"]);
    command
}

/// Without the programs that the configuration would start: a pager, a monitor, a hook.
fn quiet(root: &Path) -> Command {
    let mut command = command_in(root);
    command.env("GIT_PAGER", "cat");
    command.args(["--no-pager", "--literal-pathspecs", "-c", "core.fsmonitor=", "-c", "core.hooksPath=/dev/null"]);
    // Prints names unquoted.
    command.args(["-c", "core.quotePath=false"]);
    command
}

/// For questions about the files themselves. Switches off Git LFS too, which most users have in their own configuration: the sandbox does
/// not let git start it, and then git fails.
fn without_filters(root: &Path, filters: &Filters) -> Command {
    let mut command = quiet(root);
    for name in filters.names.iter().map(String::as_str).chain(["lfs"]) {
        for what in ["clean=", "smudge=", "process=", "required=false"] {
            command.args(["-c", &format!("filter.{name}.{what}")]);
        }
    }
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_of_the_repository_is_not_found_by_a_name() {
        let temp = tempfile::tempdir().unwrap();
        let (root, outside) = (temp.path().join("repository"), temp.path().join("outside"));
        for place in [&root.join("bin"), &outside] {
            std::fs::create_dir_all(place).unwrap();
        }
        std::os::unix::fs::symlink(root.join("bin"), temp.path().join("link")).unwrap();
        let path = format!("node_modules/.bin:.::{0}/repository/bin:{0}/link:{0}/outside", temp.path().display());
        assert_eq!(places_outside(&root, OsStr::new(&path)), [outside]);
    }
}
