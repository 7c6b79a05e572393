//! Did you mean: the similar name for one that does not exist, of files, branches, programs, subcommands. Returns
//! nothing when two are equally likely.

use aside_commands::shell_names::builtins;
use aside_commands::world::{Fact, FileKind, LiveKind};
use aside_text as text;
use aside_text::edit_distance::{MaxDistance, near_words};

use crate::suggest::parsed_run::SimpleCommand;
use crate::suggest::{SuggestContext, packages};

/// Names that cost this much more than the best are dropped.
const CLEARLY: f32 = 0.25;
/// Bytes from which a word may have two typos.
const LONG: usize = 7;
/// A shorter word is one letter from too many others.
const SHORT: usize = 4;
/// Components of a path that are checked.
const MAX_PARTS: usize = 16;

/// The kind of name to search; a rule has a word for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameKind {
    Path(Option<FileKind>),
    Program,
    /// A subcommand of the command, at the position of the word.
    Sub,
    Flag,
    /// An executable file, by its path.
    ProgramFile,
    /// A unit of systemd, with or without its ending.
    Unit,
    /// A name from one of our own lists.
    Listed(&'static str),
    Live(LiveKind),
}

impl NameKind {
    pub fn of(word: &str) -> Option<Self> {
        Some(match word {
            "path" => NameKind::Path(None),
            "file" => NameKind::Path(Some(FileKind::File)),
            "dir" => NameKind::Path(Some(FileKind::Directory)),
            "program" => NameKind::Program,
            "sub" => NameKind::Sub,
            "flag" => NameKind::Flag,
            "program-file" => NameKind::ProgramFile,
            "unit" => NameKind::Unit,
            "python-module" => NameKind::Listed("standard"),
            "python-tool" => NameKind::Listed("python-tools"),
            "python-package" => NameKind::Listed("modules"),
            "kubernetes" => NameKind::Listed("kubernetes"),
            "find" => NameKind::Listed("find"),
            live => NameKind::Live(LiveKind::of(live)?),
        })
    }
}

pub fn nearest(names: NameKind, typed: &str, step: &SimpleCommand, place: &SuggestContext<'_>) -> Option<String> {
    match names {
        NameKind::Path(kind) => path(typed, kind, place),
        NameKind::Program => program(typed, place),
        NameKind::Sub => sub(typed, step, place),
        NameKind::Flag => flag(typed, step, place),
        NameKind::ProgramFile => path(typed, Some(FileKind::Program), place),
        NameKind::Unit => {
            let units = place.world.live(LiveKind::SystemdUnit, place.cwd).yes()?;
            let ending = [".service", ".timer", ".socket"].into_iter().find(|ending| typed.ends_with(ending));
            let names = units.iter().filter_map(|unit| match ending {
                Some(_) => Some(&*unit.name),
                None => unit.name.strip_suffix(".service").or(Some(&unit.name)),
            });
            best(typed, names, |_| 0.0)
        }
        NameKind::Listed(list) => best(typed, packages::names(list).iter().copied(), |_| 0.0),
        NameKind::Live(live) => {
            let items = place.world.live(live, place.cwd).yes()?;
            let has = |name: &str| items.iter().any(|item| *item.name == *name);
            // The two names of a default branch are interchangeable, except when deleting one.
            let deletes = step.words.iter().any(|word| word.value == "branch");
            match typed {
                "main" if live == LiveKind::GitBranch && has("master") && !has(typed) && !deletes => {
                    Some("master".to_owned())
                }
                "master" if live == LiveKind::GitBranch && has("main") && !has(typed) && !deletes => {
                    Some("main".to_owned())
                }
                _ => best(typed, items.iter().map(|item| &*item.name), |_| 0.0),
            }
        }
    }
}

/// The nearest name, if it is one or two typos away and no other is as near.
pub fn clear_nearest<'a>(typed: &str, names: impl Iterator<Item = &'a str>) -> Option<String> {
    let found = best(typed, names, |_| 0.0)?;
    let slips = strsim::osa_distance(typed, &found);
    (slips == 1 || slips == 2 && typed.len() >= LONG).then_some(found)
}

/// Swapped letters, or one wrong letter in a word that is not similar to many; in a long word two.
pub fn is_slip(typed: &str, meant: &str) -> bool {
    let slips = strsim::osa_distance(typed, meant);
    is_swap(typed, meant) || slips == 1 && typed.len() >= SHORT || slips == 2 && typed.len() >= LONG
}

/// The nearest word, if it is clearly the nearest. `extra` is an additional cost of a word.
fn best<'a>(typed: &str, words: impl Iterator<Item = &'a str>, extra: impl Fn(&str) -> f32) -> Option<String> {
    let words: Vec<&str> = words.filter(|word| aside_text::is_clean(word)).collect();
    // A name that exists is not misspelt.
    if words.contains(&typed) {
        return None;
    }
    // A word of a few letters is similar to many, so its first letter must be right.
    let stem = typed.split('.').find(|part| !part.is_empty()).unwrap_or(typed);
    let is_short = stem.chars().count() <= 4;
    let found = near_words(typed, words.iter().copied(), MaxDistance::Usual).into_iter();
    let found = found.filter(|near| !is_short || near.begins || near.swapped);
    let mut found: Vec<(f32, &str)> = found.map(|near| (near.cost(), near.word)).collect();
    found.extend(words.iter().filter_map(|word| Some((otherwise(typed, word)?, *word))));
    found.iter_mut().for_each(|(cost, word)| *cost += extra(word));
    found.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(other.1)));
    found.dedup_by_key(|(_, word)| *word);
    let (cost, word) = *found.first()?;
    let rival = found.iter().find(|(_, other)| *other != word);
    rival.is_none_or(|(other, _)| other - cost >= CLEARLY).then(|| word.to_owned())
}

/// Similarity other than edit distance.
fn otherwise(typed: &str, word: &str) -> Option<f32> {
    let letters = typed.chars().count();
    if word.eq_ignore_ascii_case(typed) {
        return Some(0.1);
    }
    // `login` for `feature/login`.
    if letters >= 3 && word.strip_suffix(typed).is_some_and(|rest| rest.ends_with('/')) {
        return Some(0.4);
    }
    // `main` for `main.py`; a separator after the prefix costs less than more letters.
    let rest = word.strip_prefix(typed)?;
    let length = f32::from(u8::try_from(rest.len()).unwrap_or(u8::MAX));
    (letters >= 3).then_some(if rest.starts_with(['.', '-', '_', '@']) { 0.6 } else { 0.9 + 0.05 * length })
}

/// Verbs that begin prose and that resemble the name of some program.
const ORDERS: [&str; 36] = [
    "add", "ask", "build", "change", "check", "clean", "close", "copy", "delete", "do", "end", "explain", "fix", "get",
    "give", "help", "list", "look", "make", "move", "open", "print", "put", "read", "remove", "rename", "run", "save",
    "search", "send", "show", "start", "stop", "take", "tell", "undo",
];

fn program(typed: &str, place: &SuggestContext<'_>) -> Option<String> {
    // `stop` begins prose more often than it is a typo for `top`.
    if ORDERS.contains(&typed) {
        return None;
    }
    let programs = place.world.programs().yes()?;
    let names = place.names;
    let own = names.aliases.iter().map(|(name, _)| &**name).chain(names.functions.iter().map(|name| &**name));
    let builtins = builtins::builtins(place.dialect).iter().copied();
    let all = programs.iter().map(|name| &**name).chain(own).chain(builtins);
    let is_typed_often = |name: &str| place.specs.has(name) || builtins::builtins(place.dialect).contains(&name);
    let found = best(typed, all.filter(|name| !name.is_empty()), |name| if is_typed_often(name) { -0.5 } else { 0.0 })?;
    // Among thousands of programs one is similar to every word, so one without a spec must be very near.
    let close = strsim::osa_distance(typed, &found) == 1 && typed.chars().count() > 3;
    // The first letter is seldom wrong; with a second wrong letter it is another word.
    let begins = typed.chars().next() == found.chars().next() || strsim::osa_distance(typed, &found) == 1;
    let often = is_typed_often(&found) && !found.starts_with(typed) && begins;
    // `manls` is `man` and something else, not a typo of `man`.
    let goes_on = typed.strip_prefix(&*found).is_some_and(|rest| rest.len() > 1);
    ((often && !goes_on) || is_swap(typed, &found) || close).then_some(found)
}

pub fn is_swap(one: &str, other: &str) -> bool {
    let sorted = |word: &str| {
        let mut letters: Vec<char> = word.chars().collect();
        letters.sort_unstable();
        letters
    };
    sorted(one) == sorted(other)
}

/// A subcommand of the innermost command that the words before it name.
fn sub(typed: &str, step: &SimpleCommand, place: &SuggestContext<'_>) -> Option<String> {
    let mut spec = place.specs.find(step.name(), place.world)?;
    let mut at = 1;
    while let Some(word) = step.words.get(step.skip_flags(at)) {
        at = step.skip_flags(at) + 1;
        if word.value == typed {
            break;
        }
        let Some(deeper) = spec.sub(&word.value).map(|sub| sub.spec.clone()) else { break };
        spec = deeper;
    }
    let offered = spec.subs.iter().filter(|sub| !sub.spec.addon);
    let names = offered.flat_map(|sub| std::iter::once(&sub.name).chain(&sub.spec.aliases));
    let usual: Vec<&str> = spec.subs.iter().take(spec.common).map(|sub| &*sub.name).collect();
    let names: Vec<&str> = names.map(|name| &**name).collect();
    let mut longer = names.iter().filter(|name| name.starts_with(typed) && typed.len() > 1);
    if let (Some(only), None) = (longer.next(), longer.next())
        && *only != typed
    {
        return Some((*only).to_owned());
    }
    // Swapped letters are the likeliest typo: `tset` is `test` rather than `set`.
    let mut swapped = names.iter().filter(|name| is_swap(typed, name) && strsim::osa_distance(typed, name) == 1);
    if let (Some(only), None) = (swapped.next(), swapped.next()) {
        return Some((*only).to_owned());
    }
    // `uninstall` is a word of its own, not a typo for `install`.
    let removes = synonym(typed, &names).filter(|_| REMOVES.contains(&typed));
    let near = || best(typed, names.iter().copied(), |name| if usual.contains(&name) { -0.3 } else { 0.0 });
    removes.or_else(near).or_else(|| synonym(typed, &names))
}

/// Words for removing a package.
pub const REMOVES: [&str; 2] = ["remove", "uninstall"];

/// Words that other tools use for the same: `require` given to yarn means `add`.
const SYNONYMS: [&[&str]; 10] = [
    &REMOVES,
    &["install", "add", "require", "get"],
    &["list", "ls", "show-all"],
    &["search", "find", "lookup"],
    &["info", "show", "view", "describe", "inspect"],
    &["update", "upgrade"],
    &["create", "new", "init", "make"],
    &["start", "up", "run", "launch"],
    &["logs", "log"],
    &["help", "usage", "man"],
];

/// The only name of the tool that is a synonym of the typed word.
fn synonym(typed: &str, names: &[&str]) -> Option<String> {
    let row = SYNONYMS.iter().find(|row| row.contains(&typed))?;
    let mut found = row.iter().filter(|word| **word != typed && names.contains(word));
    found.next().filter(|_| found.next().is_none()).map(|word| (*word).to_owned())
}

fn flag(typed: &str, step: &SimpleCommand, place: &SuggestContext<'_>) -> Option<String> {
    let mut spec = place.specs.find(step.name(), place.world)?;
    let mut flags: Vec<String> = Vec::new();
    let mut at = 1;
    loop {
        let names = spec.flags.iter().flat_map(|flag| &flag.names);
        flags.extend(names.filter(|name| name.starts_with("--")).map(|name| name.to_string()));
        at = step.skip_flags(at);
        let Some(deeper) = step.words.get(at).and_then(|word| Some(spec.sub(&word.value)?.spec.clone())) else { break };
        spec = deeper;
        at += 1;
    }
    let (name, value) = typed.split_once('=').map_or((typed, None), |(name, value)| (name, Some(value)));
    flags.sort_unstable();
    flags.dedup();
    // The common dashes would distort the distance.
    let name = name.strip_prefix("--")?;
    let names = || flags.iter().filter_map(|flag| flag.strip_prefix("--"));
    let mut longer = names().filter(|flag| flag.starts_with(name) && name.len() > 1);
    let found = match (longer.next(), longer.next()) {
        (Some(only), None) if only != name => only.to_owned(),
        _ => best(name, names(), |_| 0.0)?,
    };
    Some(value.map_or_else(|| format!("--{found}"), |value| format!("--{found}={value}")))
}

/// A path with each missing component replaced by a similar one.
fn path(typed: &str, kind: Option<FileKind>, place: &SuggestContext<'_>) -> Option<String> {
    let (mut directory, mut found, rest) = match typed.strip_prefix("~/") {
        Some(rest) => (place.world.home().to_owned(), "~/".to_owned(), rest),
        None if typed.starts_with('/') => ("/".to_owned(), "/".to_owned(), typed.trim_start_matches('/')),
        None => (place.cwd.to_owned(), String::new(), typed),
    };
    let parts: Vec<&str> = rest.split('/').collect();
    if parts.len() > MAX_PARTS {
        return None;
    }
    let mut changed = false;
    for (number, part) in parts.iter().enumerate() {
        let is_last = number + 1 == parts.len() || parts.get(number + 1).is_some_and(|next| next.is_empty());
        if part.is_empty() {
            break;
        }
        if number > 0 {
            found.push('/');
        }
        if matches!(*part, "." | "..") {
            found.push_str(part);
            directory = joined(&directory, part);
            continue;
        }
        let entries = place.world.entries(&directory).yes()?;
        let fits = |entry: FileKind| match (is_last, kind) {
            (false, _) | (true, Some(FileKind::Directory)) => entry == FileKind::Directory,
            (true, Some(FileKind::Program)) => entry == FileKind::Program,
            (true, Some(_)) => matches!(entry, FileKind::File | FileKind::Program),
            (true, None) => true,
        };
        let here = || entries.iter().filter(|entry| fits(entry.kind)).map(|entry| &*entry.name);
        let name = if here().any(|name| name == *part) {
            (*part).to_owned()
        } else {
            changed = true;
            // The following words may be the rest of a name with blanks, and would stay on the line.
            let is_begun = |name: &str| name.strip_prefix(part).is_some_and(|rest| rest.starts_with(' '));
            let fits = |name: &&str| name.starts_with('.') == part.starts_with('.') && !is_begun(name);
            best(part, here().filter(fits), |_| 0.0)?
        };
        found.push_str(&name);
        directory = joined(&directory, &name);
    }
    if typed.ends_with('/') && !found.ends_with('/') {
        found.push('/');
    }
    changed.then_some(found)
}

/// What exists at a path; the outer `None` means unknown.
pub fn kind(path: &str, place: &SuggestContext<'_>) -> Option<Option<FileKind>> {
    let whole = whole(path, place);
    let whole = whole.trim_end_matches('/');
    if whole == place.cwd {
        return Some(Some(FileKind::Directory));
    }
    let Some((directory, name)) = whole.rsplit_once('/') else { return Some(Some(FileKind::Directory)) };
    if name.is_empty() || matches!(name, "." | "..") {
        return Some(Some(FileKind::Directory));
    }
    let directory = if directory.is_empty() { "/" } else { directory };
    match place.world.entries(directory) {
        Fact::Yes(entries) => Some(entries.iter().find(|entry| &*entry.name == name).map(|entry| entry.kind)),
        Fact::No => Some(None),
        Fact::NotYet => None,
    }
}

fn whole(path: &str, place: &SuggestContext<'_>) -> String {
    match path.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => text::path::normalized(place.world.home(), rest),
        _ if path.starts_with('/') => text::path::normalized("", path),
        _ => text::path::normalized(place.cwd, path),
    }
}

fn joined(directory: &str, part: &str) -> String {
    match part {
        "." => directory.to_owned(),
        ".." => directory.rsplit_once('/').map_or("/", |(up, _)| if up.is_empty() { "/" } else { up }).to_owned(),
        _ => format!("{}/{part}", directory.trim_end_matches('/')),
    }
}
