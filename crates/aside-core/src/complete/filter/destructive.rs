//! Decides whether a candidate destroys something that was not typed.

use aside_commands::safety::{self, Harm};
use aside_commands::world::{Fact, FileKind};
use shell_line::{Command, Word};

use crate::complete::candidate::{Candidate, CandidateKind as Adds, MatchKind};
use crate::complete::context::CompletionContext;
use crate::complete::filter::{MAX_WORDS, Proof, Slot};
use crate::complete::resolve_path;

/// Whether it adds something destructive. At least a letter of the destructive word must be typed, and only what ran
/// here may follow it.
pub fn guesses_destruction(
    context: &CompletionContext<'_>,
    candidate: &Candidate,
    text: &str,
    from: usize,
    proof: Proof,
) -> bool {
    // A fuzzy match (`MatchKind::Contains`) may not be destructive at all; a correction keeps what was typed.
    match candidate.facts.fit {
        MatchKind::Extends => {}
        MatchKind::Contains => {
            return !safety::dangers_in(text, context.dialect, context.cwd, context.world).is_empty();
        }
        MatchKind::Mends { .. } => return false,
    }
    let is_grave = |harm: Harm| match harm {
        // Redirections, in-place edits and clean builds are everyday work, so lines that ran before may have them.
        Harm::DeletesBuild | Harm::Overwrites | Harm::EditsInPlace | Harm::RunsLater => {
            !matches!(proof, Proof::RanHere | Proof::Ran)
        }
        _ => true,
    };
    let dangers = safety::dangers_in(text, context.dialect, context.cwd, context.world);
    let added: Vec<Harm> = dangers
        .iter()
        .filter(|danger| is_grave(danger.harm) && danger.span.end > from)
        .map(|danger| danger.harm)
        .collect();
    if added.is_empty() {
        return false;
    }
    // `xargs r` does not become `xargs rm`: destructive commands must be typed in full.
    if candidate.facts.kind == Adds::Command {
        return true;
    }
    // If several match, the user has to choose.
    let is_one_of = matches!(candidate.facts.kind, Adds::Path | Adds::Name) && candidate.facts.rivals > 1;
    if is_one_of && proof != Proof::RanHere && !context.list {
        return true;
    }
    // The only file with changes is what is meant, and the command needs its name.
    let is_only = candidate.facts.kind == Adds::Name && candidate.facts.rivals == 1;
    if is_only && added.iter().all(|harm| *harm == Harm::LosesWork) {
        return false;
    }
    // Only the word at the cursor may be completed, and it must be begun; of a path, its last component.
    let rest = text.get(from..).unwrap_or_default();
    let is_begun = context.left.ends_with(|last: char| !last.is_whitespace() && !"/=:,-".contains(last))
        && !rest.starts_with(char::is_whitespace);
    let is_one_word = !rest.trim_end().contains(char::is_whitespace);
    match proof {
        // A habit of this directory whose destructive part is already typed.
        Proof::RanHere if is_begun && !is_one_word => {
            let typed = safety::dangers_in(context.left, context.dialect, context.cwd, context.world);
            !added.iter().all(|harm| typed.iter().any(|danger| danger.harm == *harm))
        }
        _ => !(is_begun && is_one_word),
    }
}

impl Slot<'_, '_> {
    /// Whether it names the target of a destructive command while no letter of the target is typed.
    pub fn is_blind(&self, command: &Command) -> bool {
        let left = self.context.left;
        let is_open = left.ends_with(|last: char| last.is_whitespace() || "/=:,".contains(last));
        // `git branch -d` refuses unmerged branches, and which ones are merged is not known here.
        let is_one_of = self.candidate.facts.rivals > 1;
        let ends = || is_one_of && command.words.first().is_some_and(|name| name.value == "git");
        let typed = || command.words.iter().filter(|word| word.span.end <= left.len()).take(MAX_WORDS);
        is_open
            && self.candidate.facts.fit == MatchKind::Extends
            && self.proof != Proof::RanHere
            && typed().any(|word| {
                ENDS.contains(&&*word.value) && (!word.value.starts_with('-') || ends() || self.is_danger())
            })
    }

    /// Whether it gives a directory to `rm`, which takes none without a flag.
    pub fn is_undeletable(&self, context: &CompletionContext<'_>, command: &Command, word: &Word) -> bool {
        let mut words = command.words.iter().map(|word| word.value.as_str());
        let names = words.by_ref().take_while(|word| matches!(*word, "sudo" | "command" | "rm")).collect::<Vec<_>>();
        let is_deep = |flag: &&str| {
            matches!(*flag, "--recursive" | "--dir" | "--help")
                || flag.starts_with('-') && !flag.starts_with("--") && flag.contains(['r', 'R', 'd'])
        };
        let flags = command.words.iter().map(|word| word.value.as_str());
        let path = || resolve_path::absolute(context, &word.value, word.fixed);
        names.last() == Some(&"rm")
            && !context.list
            && !flags.skip(names.len()).any(|flag| is_deep(&flag))
            && path().is_some_and(|path| matches!(resolve_path::kind(context, &path), Fact::Yes(FileKind::Directory)))
    }

    /// Whether the line is dangerous at all: `-d` of docker has nothing to do with deleting.
    fn is_danger(&self) -> bool {
        let CompletionContext { dialect, cwd, world, .. } = *self.context;
        !safety::dangers_in(&self.candidate.text, dialect, cwd, world).is_empty()
    }
}

/// Commands, subcommands and flags that are followed by what they delete or end.
const ENDS: [&str; 40] = [
    "rm",
    "rmdir",
    "unlink",
    "shred",
    "dd",
    "kill",
    "pkill",
    "killall",
    "mkfs",
    "wipefs",
    "truncate",
    "userdel",
    "groupdel",
    "delete",
    "del",
    "remove",
    "destroy",
    "drop",
    "purge",
    "prune",
    "uninstall",
    "erase",
    "wipe",
    "rmi",
    "clean",
    "reset",
    "delete-branch",
    "terminate",
    "deregister",
    "revoke",
    "-d",
    "-D",
    "--delete",
    "--remove",
    "stop",
    "down",
    "poweroff",
    "reboot",
    "shutdown",
    "mv",
];
