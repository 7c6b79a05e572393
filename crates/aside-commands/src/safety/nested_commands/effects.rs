//! The effects of a command on later ones, and on those that it runs: variables, the directory, links and files that it makes, words that
//! it adds, and paths that are mounted in a container.

use std::ops::Range;

use shell_line::{Dialect, Redirect, Redirection, Word};

use crate::safety::known_output;
use crate::safety::nested_commands::{NestedCommand, is_flag};
use crate::safety::target;
use crate::safety::variables::Scope;
use crate::safety::wrappers;

/// Words that `xargs` adds.
const MAX_ADDED: usize = 32;
/// Bytes by which mapping container paths may lengthen a script.
const MAX_MOUNTED: usize = 1024;
/// A pseudo-variable for `set -o noclobber`; no shell has one of this name.
pub(super) const NOCLOBBER: &str = "set -C";

/// Records what a command writes to a file, where the line tells: `echo x > f`, `cat > f <<E`, `echo x | tee f`.
pub(super) fn writes(run: &NestedCommand, scope: &mut Scope) {
    let redirected = run.redirections.iter().filter(|one| matches!(one.kind, Redirect::Write | Redirect::Append));
    let mut files: Vec<(&Word, bool)> =
        redirected.filter_map(|one| Some((one.target.as_ref()?, one.kind == Redirect::Append))).collect();
    if run.name() == "tee" {
        let adds = run.arguments().iter().any(|word| word.value == "-a");
        files.extend(run.arguments().iter().filter(|word| !is_flag(&word.value)).map(|word| (word, adds)));
    }
    let files: Vec<_> = files.into_iter().filter(|(word, _)| word.fixed && !word.value.starts_with("/dev/")).collect();
    if files.is_empty() {
        return;
    }
    let text = if run.name() == "tee" { Some(run.fed.join("\n")) } else { known_output::output(run) };
    let Some(text) = text.filter(|text| !text.is_empty()) else { return };
    for (word, adds) in files {
        scope.write(&word.value, &text, adds);
    }
}

/// Records what a command changes for later ones.
pub(super) fn remember(run: &NestedCommand, scope: &mut Scope) {
    let arguments = run.arguments();
    let plain = || arguments.iter().filter(|word| !is_flag(&word.value));
    match run.name() {
        "cd" | "pushd" | "chdir" | "z" => {
            let target = plain().next().map_or("~", |word| word.value.as_str());
            scope.directory = Some(target::joined(scope.directory.as_deref(), target).into());
        }
        "popd" => scope.directory = Some("-".into()),
        "export" | "declare" | "typeset" | "local" | "readonly" | "let" => {
            for word in plain() {
                if let Some((name, value)) = word.value.split_once('=') {
                    scope.assign(name, vec![value.to_owned()]);
                }
            }
        }
        "ln" if arguments.iter().any(|word| is_flag(&word.value) && word.value.contains('s')) => {
            let mut words = plain();
            if let (Some(target), Some(name)) = (words.next(), words.next()) {
                scope.link(&name.value, &target::joined(scope.directory.clone().as_deref(), &target.value));
            }
        }
        "read" | "unset" => plain().for_each(|word| scope.forget(&word.value)),
        "alias" => {
            for word in plain() {
                if let Some((name, text)) = word.value.split_once('=') {
                    scope.set_alias(name, text);
                }
            }
        }
        "git" => {
            if let Some((name, text)) = wrappers::sets_git_alias(run) {
                scope.set_git_alias(&name, &text);
            }
        }
        "set" | "setopt" | "unsetopt" => set(run, scope),
        _ => {}
    }
}

fn set(run: &NestedCommand, scope: &mut Scope) {
    let values: Vec<String> = run.arguments().iter().map(|word| word.value.clone()).collect();
    let first = values.first().map(String::as_str);
    if run.dialect == Dialect::Fish && run.name() == "set" {
        let mut words = values.into_iter().skip_while(|word| is_flag(word));
        if let Some(name) = words.next() {
            scope.assign(&name, words.collect());
        }
        return;
    }
    let options: String =
        values.iter().map(|value| value.to_lowercase().replace('_', "")).collect::<Vec<_>>().join(" ");
    match (run.name(), first) {
        ("set", Some("--" | "-")) => scope.positional = Some(values.into_iter().skip(1).collect()),
        ("set", Some("-C" | "-eC" | "-euC")) => scope.assign(NOCLOBBER, vec![String::new()]),
        ("set", Some("-o")) | ("setopt", _) if options.contains("noclobber") => {
            scope.assign(NOCLOBBER, vec![String::new()]);
        }
        ("unsetopt", _) if options.contains("clobber") => scope.assign(NOCLOBBER, vec![String::new()]),
        ("set", Some("+o" | "+C")) => scope.forget(NOCLOBBER),
        _ => {}
    }
}

/// Resolves paths through links that the line has made.
pub(super) fn follow_links(words: &mut [Word], scope: &Scope) {
    for word in words.iter_mut().skip(1) {
        if let Some(path) = scope.followed(&word.value) {
            word.fixed &= !path.starts_with(['~', '$']);
            word.value = path;
        }
    }
}

/// `<>` and fish's `>?` write without losing anything: they count as appending. So does `>` with noclobber. `1<>` writes over the
/// beginning.
pub(super) fn gentle(text: &str, redirection: &Redirection, noclobber: bool) -> Redirection {
    let target = redirection.target.as_ref().map_or(redirection.span.end, |word| word.span.start);
    let operator = text.get(redirection.span.start..target).unwrap_or_default();
    let refuses = noclobber && !operator.contains(['|', '!']);
    let over = operator.starts_with("1<>");
    let keeps = operator.contains("<>") && !over || operator.contains(">?") || refuses;
    let kind = if keeps && redirection.kind == Redirect::Write { Redirect::Append } else { redirection.kind };
    Redirection { kind, ..redirection.clone() }
}

/// The words that `xargs` adds: those of its input, where the line tells, else a placeholder.
pub(super) fn added(run: &NestedCommand, span: Range<usize>) -> Vec<Word> {
    let text = run.fed.join("\n");
    let word = |value: &str| Word { span: span.clone(), value: value.to_owned(), fixed: true };
    let parts = |letter: char| letter.is_whitespace() || letter == '\0';
    let words: Vec<Word> = text.split(parts).filter(|part| !part.is_empty()).take(MAX_ADDED).map(word).collect();
    if words.is_empty() { vec![Word { fixed: false, ..word("{}") }] } else { words }
}

/// Maps a path in a container to the path outside.
pub(super) fn mounted(word: &mut Word, inside: &str, outside: &str) {
    let at_end = |behind: &str| behind.is_empty() || behind.starts_with(['/', ' ', ';', '"', '\'']);
    let mut made = String::new();
    let mut rest = word.value.as_str();
    while let Some(at) = rest.find(inside) {
        let (before, behind) = (rest.get(..at).unwrap_or_default(), rest.get(at + inside.len()..).unwrap_or_default());
        let starts = before.is_empty() || before.ends_with([' ', '"', '\'', '=', '>']);
        made.push_str(before);
        match starts && at_end(behind) {
            true => made.push_str(&format!("{outside}/.")),
            false => made.push_str(inside),
        }
        rest = behind;
        if made.len() > word.value.len() + MAX_MOUNTED {
            return;
        }
    }
    made.push_str(rest);
    word.value = made;
}
