//! Resolves the words of a line at the place where it was typed: commands, files, subcommands, targets. What is not
//! known yet counts as present: no line is taken from the shell on a guess.

use std::borrow::Cow;

use aside_commands::shell_names::builtins;
use aside_commands::world::{Fact, LiveKind};
use shell_line::Dialect;

use crate::detect::word_lists::{is_one_slip, lists};
use crate::detect::{DetectContext, FirstWord};

/// What the first word of a line is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommandHead<'a> {
    /// A program or builtin, by the name under which its grammar is known.
    Command(Cow<'a, str>),
    /// An alias or function of the user, which may take anything.
    Own,
    /// Nothing: the line would fail.
    Missing,
    /// Not known yet.
    Perhaps,
}

pub fn command_head<'a>(word: &'a str, facts: &DetectContext<'_>) -> CommandHead<'a> {
    match facts.first {
        FirstWord::Program | FirstWord::Builtin | FirstWord::Reserved => CommandHead::Command(word.into()),
        FirstWord::Alias => alias(word, facts),
        // Common commands are often wrapped in a function of the same name.
        FirstWord::Function if is_known_command(word, facts) => CommandHead::Command(word.into()),
        FirstWord::Function | FirstWord::Directory => CommandHead::Own,
        FirstWord::Nothing => CommandHead::Missing,
        FirstWord::Unasked => looked_up(word, facts),
    }
}

fn looked_up<'a>(word: &'a str, facts: &DetectContext<'_>) -> CommandHead<'a> {
    let among = |list: &[Box<str>]| list.binary_search_by(|known| (**known).cmp(word)).is_ok();
    if facts.names.aliases.binary_search_by(|(known, _)| (**known).cmp(word)).is_ok() {
        return alias(word, facts);
    }
    if among(&facts.names.functions) {
        return if is_known_command(word, facts) { CommandHead::Command(word.into()) } else { CommandHead::Own };
    }
    if among(&facts.names.builtins) || builtins::builtins(facts.dialect).contains(&word) {
        return CommandHead::Command(word.into());
    }
    match facts.world.has_program(word) {
        Fact::Yes(true) => CommandHead::Command(word.into()),
        Fact::Yes(false) | Fact::No => CommandHead::Missing,
        Fact::NotYet => CommandHead::Perhaps,
    }
}

/// An alias that only adds flags or abbreviates a command is treated as that command.
fn alias<'a>(word: &'a str, facts: &DetectContext<'_>) -> CommandHead<'a> {
    let found = facts.names.aliases.binary_search_by(|(known, _)| (**known).cmp(word)).ok();
    let Some((_, value)) = found.and_then(|found| facts.names.aliases.get(found)) else { return CommandHead::Own };
    let target = value.split_whitespace().find(|part| !part.contains('='));
    match target {
        Some(target) if target == word => CommandHead::Command(word.into()),
        // A longer alias puts words of its own before the ones that follow.
        Some(target) if is_known_command(target, facts) && value.split_whitespace().nth(1).is_none() => {
            CommandHead::Command(target.to_owned().into())
        }
        Some(_) | None => CommandHead::Own,
    }
}

/// Whether such a command exists on some machine.
pub fn is_known_command(word: &str, facts: &DetectContext<'_>) -> bool {
    facts.specs.has(word)
        || lists().is_command(word)
        || [Dialect::Zsh, Dialect::Bash, Dialect::Fish]
            .iter()
            .any(|dialect| builtins::builtins(*dialect).contains(&word))
}

/// Whether it is the beginning of a pasted error message.
pub fn is_error(word: &str, facts: &DetectContext<'_>) -> bool {
    word.strip_suffix(':').is_some_and(|name| is_known_command(name, facts))
}

/// Whether it is one typo away from a command.
pub fn is_misspelt(word: &str, facts: &DetectContext<'_>) -> bool {
    let near = |known: &str| known.len() > 1 && is_one_slip(known, word);
    word.len() > 2
        && !lists().common.contains(word)
        && lists().opener(word).is_none()
        && (lists().commands().any(near) || facts.specs.names().any(near))
}

/// Whether it is one typo away from a subcommand.
pub fn is_misspelt_subcommand(command: &str, word: &str, facts: &DetectContext<'_>) -> bool {
    let Some(spec) = facts.specs.find(command, facts.world) else { return true };
    if lists().is_word(word) {
        return false;
    }
    let near = |known: &str| strsim::osa_distance(known, word) <= if word.len() > 4 { 2 } else { 1 };
    spec.subs.is_empty() || spec.subs.iter().any(|sub| near(&sub.name))
}

/// Whether a file or directory of this name exists, or may exist.
pub fn exists(word: &str, facts: &DetectContext<'_>) -> bool {
    let (directory, name) = match word.rsplit_once('/') {
        Some((_, "")) => return exists(word.trim_end_matches('/'), facts) && !word.trim_matches('/').is_empty(),
        Some(("", name)) => (Cow::Borrowed("/"), name),
        Some((directory, name)) => (resolved(directory, facts), name),
        None => (Cow::Borrowed(facts.cwd), word),
    };
    match facts.world.entries(&directory) {
        Fact::Yes(entries) => entries.binary_search_by(|entry| (*entry.name).cmp(name)).is_ok(),
        Fact::No => false,
        Fact::NotYet => true,
    }
}

fn resolved<'w>(directory: &'w str, facts: &DetectContext<'_>) -> Cow<'w, str> {
    if directory.starts_with('/') {
        directory.into()
    } else if let Some(rest) = directory.strip_prefix('~') {
        format!("{}{rest}", facts.world.home()).into()
    } else {
        format!("{}/{}", facts.cwd, directory.trim_start_matches("./")).into()
    }
}

/// Whether a word other than the first, which the shell was not asked about, is or may be a command.
pub fn runs(word: &str, facts: &DetectContext<'_>) -> bool {
    let facts = DetectContext { first: FirstWord::Unasked, ..*facts };
    !matches!(command_head(word, &facts), CommandHead::Missing)
}

/// Whether the command knows the second word of the line: a subcommand, a target, a script, something here.
pub fn knows(command: &str, second: &str, facts: &DetectContext<'_>) -> bool {
    if let Some(spec) = facts.specs.find(command, facts.world)
        && spec.sub(second).is_some()
    {
        return true;
    }
    is_live(command, second, facts) || exists(second, facts)
}

/// Whether it is a target, a script, a branch, a host: a name that its command knows right now.
pub fn is_live(command: &str, word: &str, facts: &DetectContext<'_>) -> bool {
    let lives: &[LiveKind] = match command {
        "make" | "gmake" => &[LiveKind::MakeTarget],
        "just" => &[LiveKind::JustRecipe],
        "npm" | "yarn" | "pnpm" | "bun" => &[LiveKind::NpmScript],
        "git" | "g" => &[LiveKind::GitBranch],
        "systemctl" | "service" => &[LiveKind::SystemdUnit],
        "ssh" | "scp" | "ping" => &[LiveKind::Host],
        "tmux" => &[LiveKind::TmuxSession],
        "killall" | "pkill" => &[LiveKind::ProcessName],
        _ => &[],
    };
    let is_live = |live: &LiveKind| match facts.world.live(*live, facts.cwd) {
        Fact::Yes(items) => items.iter().any(|item| *item.name == *word),
        Fact::No => false,
        Fact::NotYet => true,
    };
    lives.iter().any(is_live)
}
