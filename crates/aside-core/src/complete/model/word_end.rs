//! Decides whether a word is complete, by what is known here. A blank belongs between a complete word and the next one,
//! and models often omit it.

use aside_commands::shell_names::ShellNames;
use aside_commands::world::World;

use crate::history::index::HistoryIndex;

/// Whether the last word of a line is known to be complete.
pub type IsWholeWord<'a> = &'a dyn Fn(LastWord<'_>) -> bool;

/// The last word of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastWord<'a> {
    /// The whole line, up to the end of the word.
    pub line: &'a str,
    pub word: &'a str,
    pub place: WordRole,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordRole {
    /// The name of a command.
    Command,
    /// Anything after it.
    Argument,
}

/// A word that was followed by another one in history, a command that exists, or a file in this directory.
pub fn is_whole(word: LastWord<'_>, history: &HistoryIndex, names: &ShellNames, world: &dyn World, cwd: &str) -> bool {
    let LastWord { line, word, place } = word;
    if !history.starting_with(&format!("{line} "), cwd, 1).is_empty() {
        return true;
    }
    match place {
        WordRole::Command => {
            let has = |list: &[Box<str>]| list.binary_search_by(|name| (**name).cmp(word)).is_ok();
            has(&names.functions)
                || has(&names.builtins)
                || names.aliases.binary_search_by(|(name, _)| (**name).cmp(word)).is_ok()
                || world.programs().yes().is_some_and(|programs| has(&programs))
        }
        WordRole::Argument => {
            let entries = world.entries(cwd).yes();
            entries.is_some_and(|entries| entries.binary_search_by(|entry| (*entry.name).cmp(word)).is_ok())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::run_record::RunRecord;
    use aside_commands::world::EmptyWorld;

    #[test]
    fn a_word_is_whole_when_another_followed_it_or_when_it_is_a_command() {
        let mut history = HistoryIndex::default();
        history.add(RunRecord { command: "git add src", cwd: Some("/"), exit: Some(0), session: None, private: false });
        let mut names = ShellNames::default();
        names.take("alias", 0, "ll=ls -l");
        let whole = |line: &str| {
            let (place, word) = match line.rsplit_once(' ') {
                Some((_, word)) => (WordRole::Argument, word),
                None => (WordRole::Command, line),
            };
            is_whole(LastWord { line, word, place }, &history, &names, &EmptyWorld, "/")
        };
        for line in ["git", "git add", "ll"] {
            assert!(whole(line), "{line}");
        }
        for line in ["gi", "git ad", "git add src", "l", "echo git"] {
            assert!(!whole(line), "{line}");
        }
    }
}
