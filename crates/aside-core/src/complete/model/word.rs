//! Decides whether a word is complete, by what is known here. A blank belongs between a complete word and the next one,
//! and models often omit it.

use crate::history::index::Index;
use crate::names::Names;
use crate::world::World;

/// Whether the last word of a line is known to be complete.
pub type Knows<'a> = &'a dyn Fn(Word<'_>) -> bool;

/// The last word of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word<'a> {
    /// The whole line, up to the end of the word.
    pub line: &'a str,
    pub word: &'a str,
    pub place: Place,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The name of a command.
    Command,
    /// Anything after it.
    Argument,
}

/// A word that was followed by another one in history, a command that exists, or a file in this directory.
pub fn is_whole(word: Word<'_>, history: &Index, names: &Names, world: &dyn World, cwd: &str) -> bool {
    let Word { line, word, place } = word;
    if !history.starting_with(&format!("{line} "), cwd, 1).is_empty() {
        return true;
    }
    match place {
        Place::Command => {
            let has = |list: &[Box<str>]| list.binary_search_by(|name| (**name).cmp(word)).is_ok();
            has(&names.functions)
                || has(&names.builtins)
                || names.aliases.binary_search_by(|(name, _)| (**name).cmp(word)).is_ok()
                || world.programs().yes().is_some_and(|programs| has(&programs))
        }
        Place::Argument => {
            let entries = world.entries(cwd).yes();
            entries.is_some_and(|entries| entries.binary_search_by(|entry| (*entry.name).cmp(word)).is_ok())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::index::Ran;
    use crate::world::Nothing;

    #[test]
    fn a_word_is_whole_when_another_followed_it_or_when_it_is_a_command() {
        let mut history = Index::default();
        history.add(Ran { command: "git add src", cwd: Some("/"), exit: Some(0), session: None, private: false });
        let mut names = Names::default();
        names.take("alias", 0, "ll=ls -l");
        let whole = |line: &str| {
            let (place, word) = match line.rsplit_once(' ') {
                Some((_, word)) => (Place::Argument, word),
                None => (Place::Command, line),
            };
            is_whole(Word { line, word, place }, &history, &names, &Nothing, "/")
        };
        for line in ["git", "git add", "ll"] {
            assert!(whole(line), "{line}");
        }
        for line in ["gi", "git ad", "git add src", "l", "echo git"] {
            assert!(!whole(line), "{line}");
        }
    }
}
