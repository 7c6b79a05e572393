//! Which names of a repository the subcommands of git accept: a remote branch is not a local one, an untracked file
//! cannot be restored, and `HEAD~3` needs more than three commits.

use aside_commands::world::{Fact, LiveItem, LiveKind};

use crate::complete::context::CompletionContext;
use crate::complete::spec::resolve::{self, ResolvedCommand};

/// Subcommands that work on tracked files.
const TRACKED: [&str; 9] = ["rm", "mv", "restore", "checkout", "diff", "difftool", "blame", "annotate", "commit"];
/// Flags with which such a subcommand takes any file.
const TAKES_ANY: [&str; 2] = ["--no-index", "--ignore-unmatch"];
/// Flags of `git branch` that work on local branches.
const LOCAL: [&str; 11] =
    ["-d", "-D", "--delete", "-m", "-M", "--move", "-c", "-C", "--copy", "--edit-description", "--unset-upstream"];

/// Long-lived branches, and flags of `git branch` that delete one.
const MAIN: [&str; 4] = ["main", "master", "trunk", "develop"];
const DELETE: [&str; 3] = ["-d", "-D", "--delete"];

/// Whether the command accepts this name of a kind.
pub fn takes(reached: &ResolvedCommand<'_>, live: LiveKind, item: &LiveItem) -> bool {
    match live {
        LiveKind::GitBranch if &*item.about == "remote" => takes_remote(reached),
        LiveKind::GitBranch => {
            !(MAIN.contains(&&*item.name) && has(reached, &DELETE) && sub(reached) == Some("branch"))
        }
        LiveKind::GitChanged if &*item.about == "not tracked" => !wants_tracked(reached),
        _ => true,
    }
}

fn has(reached: &ResolvedCommand<'_>, words: &[&str]) -> bool {
    reached.pieces.iter().any(|piece| words.contains(&&*piece.value))
}

fn takes_remote(reached: &ResolvedCommand<'_>) -> bool {
    let has = |words: &[&str]| has(reached, words);
    match sub(reached) {
        Some("branch") => !has(&LOCAL) || has(&["-r", "--remotes"]),
        Some("switch") => has(&["-d", "--detach", "-c", "-C", "--create", "--force-create", "-t", "--track"]),
        Some("push") => false,
        _ => true,
    }
}

fn wants_tracked(reached: &ResolvedCommand<'_>) -> bool {
    sub(reached).is_some_and(|sub| TRACKED.contains(&sub)) && !has(reached, &TAKES_ANY)
}

/// Whether the command needs a tracked file and this path is untracked.
pub fn is_untracked(context: &CompletionContext<'_>, reached: &ResolvedCommand<'_>, value: &str) -> bool {
    if !wants_tracked(reached) {
        return false;
    }
    let Some(directory) = resolve::directory(context, reached) else { return false };
    let Fact::Yes(changed) = context.world.live(LiveKind::GitChanged, &directory) else { return false };
    // git reports a directory without tracked files by its name and a slash.
    let is_in = |item: &LiveItem| match item.name.strip_suffix('/') {
        Some(around) => value.strip_prefix(around).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')),
        None => *item.name == *value,
    };
    changed.iter().any(|item| &*item.about == "not tracked" && is_in(item))
}

/// Whether there are as many commits as `HEAD~3` counts back, as far as is known.
pub fn reaches(context: &CompletionContext<'_>, reached: &ResolvedCommand<'_>, value: &str) -> bool {
    let Some(back) = steps_back(value) else { return true };
    let Some(directory) = resolve::directory(context, reached) else { return true };
    let Fact::Yes(state) = context.world.live(LiveKind::GitState, &directory) else { return true };
    let commits = state.iter().find(|item| &*item.name == "commits").and_then(|item| item.about.parse::<usize>().ok());
    commits.is_none_or(|commits| back < commits)
}

/// `HEAD~3` is 3, `HEAD^^` is 2; only counts from the newest commit.
fn steps_back(value: &str) -> Option<usize> {
    let first = value.split("..").next().unwrap_or_default();
    let rest = first.strip_prefix("HEAD").or_else(|| first.strip_prefix('@'))?;
    match rest.strip_prefix('~') {
        Some("") => Some(1),
        Some(number) => number.parse().ok(),
        None => (!rest.is_empty() && rest.chars().all(|letter| letter == '^')).then_some(rest.len()),
    }
}

/// The subcommand of git.
fn sub<'r>(reached: &'r ResolvedCommand<'_>) -> Option<&'r str> {
    let mut path = reached.walk.path(&reached.pieces);
    path.next().filter(|name| *name == "git")?;
    path.next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_back() {
        let cases = [("HEAD~3", Some(3)), ("HEAD~", Some(1)), ("@^^", Some(2)), ("HEAD~2..HEAD", Some(2))];
        for (value, expected) in cases.into_iter().chain([("HEAD", None), ("main~2", None), ("HEAD^2", None)]) {
            assert_eq!(steps_back(value), expected, "{value}");
        }
    }
}
