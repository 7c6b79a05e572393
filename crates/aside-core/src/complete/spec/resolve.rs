//! Finds the spec that applies at the cursor: through aliases of the shell, and through commands that run another one,
//! such as sudo. Does not say what comes there.

use std::borrow::Cow;

use aside_commands::spec::walk::{self, SpecEnd, SpecWalk, SpecWord};
use aside_text as text;
use shell_line::{self as line, Command};

use crate::complete::context::CompletionContext;

/// Nesting of commands: `sudo env nice …`, aliases of aliases.
const MAX_DEPTH: usize = 8;

/// The innermost command.
pub struct ResolvedCommand<'w> {
    /// Its words, the name first.
    pub pieces: Vec<SpecWord<'w>>,
    pub walk: SpecWalk,
}

/// What is at the end of the words.
pub enum Resolution<'w> {
    Spec(ResolvedCommand<'w>),
    /// The next word is the name of a command.
    Command,
    /// There is no spec for it, or the command cannot be determined.
    Unknown,
}

/// Follows the first `count` words of the command.
pub fn resolve<'w>(context: &CompletionContext<'_>, command: &'w Command, count: usize) -> Resolution<'w> {
    let words = command.words.iter().take(count).enumerate();
    let piece = |(number, word): (usize, &'w line::Word)| SpecWord {
        value: Cow::Borrowed(&*word.value),
        fixed: word.fixed,
        word: Some(number),
    };
    let mut pieces: Vec<SpecWord<'w>> = words.map(piece).collect();
    let mut aliases = true;
    let mut moves = Vec::new();
    for _ in 0..MAX_DEPTH {
        if aliases {
            aliases = expand(context, &mut pieces);
        }
        let Some(first) = pieces.first() else { return Resolution::Command };
        if !first.fixed {
            return Resolution::Unknown;
        }
        let name = first.value.rsplit('/').next().unwrap_or_default();
        let Some(spec) = context.specs.find(name, context.world) else { return Resolution::Unknown };
        let mut walk = walk::walk(spec, &pieces);
        // `env -C there git …` moves git.
        moves.append(&mut walk.moves);
        let SpecEnd::Command(at) = walk.end() else {
            walk.moves = moves;
            return Resolution::Spec(ResolvedCommand { pieces, walk });
        };
        pieces.drain(..at);
        // The command that find runs has ended and find's own expression continues, which is not followed.
        if pieces.iter().any(|piece| matches!(&*piece.value, ";" | "+")) {
            return Resolution::Unknown;
        }
    }
    Resolution::Unknown
}

/// The command's directory: flags such as `git -C` move it. `None` when it is unknown.
pub fn directory(context: &CompletionContext<'_>, reached: &ResolvedCommand<'_>) -> Option<String> {
    let mut directory = context.cwd.to_owned();
    for (value, fixed) in &reached.walk.moves {
        directory = path(context, &directory, value, *fixed)?;
    }
    Some(directory)
}

/// An absolute path without `.` and `..` from a typed one.
pub fn path(context: &CompletionContext<'_>, directory: &str, value: &str, fixed: bool) -> Option<String> {
    let home = context.world.home();
    let whole = match value.strip_prefix('~') {
        _ if fixed && value.starts_with('/') => value.to_owned(),
        _ if fixed => format!("{directory}/{value}"),
        Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("{home}{rest}"),
        _ => return None,
    };
    // Contains expansions other than `~`.
    if !fixed && whole.contains(['$', '*', '?', '[', '{', '`', '~', '(']) {
        return None;
    }
    Some(text::path::normalized("", &whole))
}

/// Expands aliases as the shell does: none twice, and only for the name. Returns whether the next word is expanded too:
/// when the alias ends in a blank.
fn expand(context: &CompletionContext<'_>, pieces: &mut Vec<SpecWord<'_>>) -> bool {
    let mut seen: Vec<String> = Vec::new();
    let mut goes_on = false;
    while let Some(first) = pieces.first() {
        let name = &*first.value;
        // A quoted name is not an alias, but the quotes are gone here; the meaning is the same.
        if seen.len() >= MAX_DEPTH || seen.iter().any(|seen| seen == name) {
            break;
        }
        let aliases = &context.names.aliases;
        let Ok(found) = aliases.binary_search_by(|(known, _)| (**known).cmp(name)) else { break };
        let value = &*aliases[found].1;
        let parsed = line::parse(value, context.dialect);
        // `cd there && git`: the typed words continue the last command.
        let Some(last) = parsed.commands.last().filter(|_| parsed.open.is_none()) else { break };
        seen.push(name.to_owned());
        goes_on |= value.ends_with(' ');
        let words = last.words.iter();
        let stands =
            words.map(|word| SpecWord { value: Cow::Owned(word.value.clone()), fixed: word.fixed, word: None });
        pieces.splice(..1, stands);
    }
    goes_on
}
