//! Resolves the words of a line at the place where it was typed: commands, files, subcommands, targets. What is not
//! known yet counts as present: no line is taken from the shell on a guess.

use std::borrow::Cow;

use crate::detect::lists::{is_one_slip, lists};
use crate::detect::{Facts, First};
use crate::line::Dialect;
use crate::names::shell;
use crate::world::{Known, Live};

/// What the first word of a line is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Head<'a> {
    /// A program or builtin, by the name under which its grammar is known.
    Command(Cow<'a, str>),
    /// An alias or function of the user, which may take anything.
    Own,
    /// Nothing: the line would fail.
    Missing,
    /// Not known yet.
    Perhaps,
}

pub fn head<'a>(word: &'a str, facts: &Facts<'_>) -> Head<'a> {
    match facts.first {
        First::Program | First::Builtin | First::Reserved => Head::Command(word.into()),
        First::Alias => alias(word, facts),
        // Common commands are often wrapped in a function of the same name.
        First::Function if is_known_command(word, facts) => Head::Command(word.into()),
        First::Function | First::Directory => Head::Own,
        First::Nothing => Head::Missing,
        First::Unasked => looked_up(word, facts),
    }
}

fn looked_up<'a>(word: &'a str, facts: &Facts<'_>) -> Head<'a> {
    let among = |list: &[Box<str>]| list.binary_search_by(|known| (**known).cmp(word)).is_ok();
    if facts.names.aliases.binary_search_by(|(known, _)| (**known).cmp(word)).is_ok() {
        return alias(word, facts);
    }
    if among(&facts.names.functions) {
        return if is_known_command(word, facts) { Head::Command(word.into()) } else { Head::Own };
    }
    if among(&facts.names.builtins) || shell::builtins(facts.dialect).contains(&word) {
        return Head::Command(word.into());
    }
    match facts.world.has_program(word) {
        Known::Yes(true) => Head::Command(word.into()),
        Known::Yes(false) | Known::No => Head::Missing,
        Known::NotYet => Head::Perhaps,
    }
}

/// An alias that only adds flags or abbreviates a command is treated as that command.
fn alias<'a>(word: &'a str, facts: &Facts<'_>) -> Head<'a> {
    let found = facts.names.aliases.binary_search_by(|(known, _)| (**known).cmp(word)).ok();
    let Some((_, value)) = found.and_then(|found| facts.names.aliases.get(found)) else { return Head::Own };
    let target = value.split_whitespace().find(|part| !part.contains('='));
    match target {
        Some(target) if target == word => Head::Command(word.into()),
        // A longer alias puts words of its own before the ones that follow.
        Some(target) if is_known_command(target, facts) && value.split_whitespace().nth(1).is_none() => {
            Head::Command(target.to_owned().into())
        }
        Some(_) | None => Head::Own,
    }
}

/// Whether such a command exists on some machine.
pub fn is_known_command(word: &str, facts: &Facts<'_>) -> bool {
    facts.specs.has(word)
        || lists().is_command(word)
        || [Dialect::Zsh, Dialect::Bash, Dialect::Fish].iter().any(|dialect| shell::builtins(*dialect).contains(&word))
}

/// Whether it is the beginning of a pasted error message.
pub fn is_error(word: &str, facts: &Facts<'_>) -> bool {
    word.strip_suffix(':').is_some_and(|name| is_known_command(name, facts))
}

/// Whether it is one typo away from a command.
pub fn is_misspelt(word: &str, facts: &Facts<'_>) -> bool {
    let near = |known: &str| known.len() > 1 && is_one_slip(known, word);
    word.len() > 2
        && !lists().common.contains(word)
        && lists().opener(word).is_none()
        && (lists().commands().any(near) || facts.specs.names().any(near))
}

/// Whether it is one typo away from a subcommand.
pub fn is_misspelt_subcommand(command: &str, word: &str, facts: &Facts<'_>) -> bool {
    let Some(spec) = facts.specs.find(command, facts.world) else { return true };
    if lists().is_word(word) {
        return false;
    }
    let near = |known: &str| strsim::osa_distance(known, word) <= if word.len() > 4 { 2 } else { 1 };
    spec.subs.is_empty() || spec.subs.iter().any(|sub| near(&sub.name))
}

/// Whether a file or directory of this name exists, or may exist.
pub fn exists(word: &str, facts: &Facts<'_>) -> bool {
    let (directory, name) = match word.rsplit_once('/') {
        Some((_, "")) => return exists(word.trim_end_matches('/'), facts) && !word.trim_matches('/').is_empty(),
        Some(("", name)) => (Cow::Borrowed("/"), name),
        Some((directory, name)) => (resolved(directory, facts), name),
        None => (Cow::Borrowed(facts.cwd), word),
    };
    match facts.world.entries(&directory) {
        Known::Yes(entries) => entries.binary_search_by(|entry| (*entry.name).cmp(name)).is_ok(),
        Known::No => false,
        Known::NotYet => true,
    }
}

fn resolved<'w>(directory: &'w str, facts: &Facts<'_>) -> Cow<'w, str> {
    if directory.starts_with('/') {
        directory.into()
    } else if let Some(rest) = directory.strip_prefix('~') {
        format!("{}{rest}", facts.world.home()).into()
    } else {
        format!("{}/{}", facts.cwd, directory.trim_start_matches("./")).into()
    }
}

/// Whether a word other than the first, which the shell was not asked about, is or may be a command.
pub fn runs(word: &str, facts: &Facts<'_>) -> bool {
    let facts = Facts { first: First::Unasked, ..*facts };
    !matches!(head(word, &facts), Head::Missing)
}

/// Whether the command knows the second word of the line: a subcommand, a target, a script, something here.
pub fn knows(command: &str, second: &str, facts: &Facts<'_>) -> bool {
    if let Some(spec) = facts.specs.find(command, facts.world)
        && spec.sub(second).is_some()
    {
        return true;
    }
    is_live(command, second, facts) || exists(second, facts)
}

/// Whether it is a target, a script, a branch, a host: a name that its command knows right now.
pub fn is_live(command: &str, word: &str, facts: &Facts<'_>) -> bool {
    let lives: &[Live] = match command {
        "make" | "gmake" => &[Live::MakeTarget],
        "just" => &[Live::JustRecipe],
        "npm" | "yarn" | "pnpm" | "bun" => &[Live::NpmScript],
        "git" | "g" => &[Live::GitBranch],
        "systemctl" | "service" => &[Live::SystemdUnit],
        "ssh" | "scp" | "ping" => &[Live::Host],
        "tmux" => &[Live::TmuxSession],
        "killall" | "pkill" => &[Live::ProcessName],
        _ => &[],
    };
    let is_live = |live: &Live| match facts.world.live(*live, facts.cwd) {
        Known::Yes(items) => items.iter().any(|item| *item.name == *word),
        Known::No => false,
        Known::NotYet => true,
    };
    lives.iter().any(is_live)
}
