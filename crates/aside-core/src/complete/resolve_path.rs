//! Resolves a typed path as the shell would: `~`, `$HOME`, `.`, `..` and an earlier `cd`. Follows no links.

use std::borrow::Cow;

use aside_commands::world::{Fact, FileKind};
use aside_text as text;
use shell_line::{Command, Join, Line};

use crate::complete::context::CompletionContext;

/// Most entries of a directory that the world lists; a larger directory may have others.
pub const MAX_ENTRIES: usize = 10_000;

/// An absolute path without `.` and `..` from a typed one; `None` when only the shell can expand it. `fixed` says that
/// nothing in it would be expanded.
pub fn absolute(context: &CompletionContext<'_>, value: &str, fixed: bool) -> Option<String> {
    let (begin, rest) = match fixed {
        true if value.starts_with('/') => ("", value),
        true => (context.cwd, value),
        false => expanded(context, value)?,
    };
    Some(text::path::normalized(begin, rest))
}

/// The expanded part before the first slash, and the rest.
fn expanded<'a>(context: &'a CompletionContext<'_>, value: &'a str) -> Option<(&'a str, &'a str)> {
    let (first, rest) = value.split_at(value.find('/').unwrap_or(value.len()));
    // Whether these are expanded is unknown, because the quotes are gone.
    if rest.contains(['$', '*', '?', '[', '{', '`', '(']) {
        return None;
    }
    let begin = match first {
        "~" | "$HOME" | "${HOME}" => context.world.home(),
        _ => {
            let name = first.strip_prefix('~')?;
            let known = &context.names.directories;
            let found = known.binary_search_by(|(known, _)| (**known).cmp(name)).ok()?;
            &known[found].1
        }
    };
    begin.starts_with('/').then_some((begin, rest))
}

/// What exists at an absolute path, as far as is known.
pub fn kind(context: &CompletionContext<'_>, path: &str) -> Fact<FileKind> {
    let Some((parent, name)) = path.rsplit_once('/').filter(|(_, name)| !name.is_empty()) else {
        return Fact::Yes(FileKind::Directory);
    };
    let entries = match context.world.entries(if parent.is_empty() { "/" } else { parent }) {
        Fact::Yes(entries) => entries,
        Fact::No => return Fact::No,
        Fact::NotYet => return Fact::NotYet,
    };
    // Some file systems ignore case.
    let found = entries.binary_search_by(|entry| (*entry.name).cmp(name)).ok().map(|found| &entries[found]);
    match found.or_else(|| entries.iter().find(|entry| entry.name.eq_ignore_ascii_case(name))) {
        Some(entry) => Fact::Yes(entry.kind),
        None if entries.len() >= MAX_ENTRIES => Fact::NotYet,
        None => Fact::No,
    }
}

/// The directory in which a command of the line will run, after any `cd there &&`. `None` when that is unknown.
pub fn cwd<'a>(context: &CompletionContext<'a>, line: &Line<'_>, command: &Command) -> Option<Cow<'a, str>> {
    let mut cwd = Cow::Borrowed(context.cwd);
    if matches!(command.join, Join::First) && command.inside.is_none() {
        return Some(cwd);
    }
    let earlier = line.commands.iter().take_while(|earlier| earlier.span.start < command.span.start);
    for earlier in earlier.filter(|earlier| earlier.inside == command.inside) {
        let Some(name) = earlier.words.first() else { continue };
        match &*name.value {
            "cd" | "pushd" | "chdir" => {}
            "popd" | "z" | "zi" | "j" | "prevd" | "nextd" | "eval" | "source" | "." => return None,
            _ => continue,
        }
        let mut arguments =
            earlier.words.iter().skip(1).filter(|word| !matches!(&*word.value, "--" | "-P" | "-L" | "-q"));
        let at = CompletionContext { cwd: &cwd, ..*context };
        let moved = match (arguments.next(), arguments.next()) {
            (None, _) if &*name.value == "pushd" => return None,
            (None, _) => context.world.home().to_owned(),
            (Some(to), None) if !to.value.starts_with(['-', '+']) => absolute(&at, &to.value, to.fixed)?,
            (Some(_), _) => return None,
        };
        cwd = Cow::Owned(moved);
    }
    Some(cwd)
}
