//! Decides whether a command may be shown, and which warning goes with it. Runs nothing; the only change it makes to a
//! command is to remove invisible characters.

use aside_commands::safety::nested_commands::{self, NestedCommand, NestedCommands};
use aside_commands::safety::{self, Danger};
use aside_commands::shell_names::builtins;
use aside_commands::world::{self, Fact};
use aside_text as text;
use shell_line::{self as line, Dialect, Unclosed, Word};

use crate::TranslateContext;
use crate::placeholders::{self, Placeholder, PlaceholderKind};

/// Longest command in bytes; users do not read longer ones before running them.
pub const MAX_COMMAND: usize = 2000;

/// Factor applied to the confidence of a command that still has placeholders.
pub const HOLE: f32 = 0.5;

/// A command that may be shown.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckedCommand {
    /// One line, without control or invisible characters.
    pub command: String,
    pub dangers: Vec<Danger>,
    /// What the command may destroy, the worst first; empty when there is no danger.
    pub warning: String,
    /// One line about the command that does the work; empty when no spec describes it.
    pub about: String,
    /// Placeholders that the user has to fill in. A command with placeholders is shown as the closest match, never as
    /// an answer.
    pub holes: Vec<Placeholder>,
}

impl CheckedCommand {
    /// Description and warning joined into one line.
    pub fn description(&self) -> String {
        match (self.about.is_empty(), self.warning.is_empty()) {
            (false, false) => format!("{}; {}", self.about, self.warning),
            (true, _) => self.warning.clone(),
            (false, true) => self.about.clone(),
        }
    }

    /// Scales the confidence that the source reported by `HOLE` when the command has placeholders.
    pub fn confidence(&self, confidence: f32) -> f32 {
        if self.holes.is_empty() { confidence } else { confidence * HOLE }
    }
}

/// Why a command is not shown to the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckRefusal {
    Empty,
    TooLong,
    SeveralLines,
    Unfinished(Unclosed),
    /// There is no program, alias or function of this name.
    NotFound(String),
    /// The path does not exist or is not a program.
    NoProgram(String),
    /// A blocklist entry matches.
    Blocked(String),
    /// A placeholder that the shell would read as other syntax.
    Hole(String),
    /// A word that an interactive shell replaces by a line of its history.
    History(String),
}

impl CheckRefusal {
    /// One short sentence for the user, without a full stop.
    pub fn reason(&self) -> String {
        match self {
            CheckRefusal::Empty => "there is no command in it".to_owned(),
            CheckRefusal::TooLong => format!("it is longer than {MAX_COMMAND} bytes"),
            CheckRefusal::SeveralLines => "it has more than one line".to_owned(),
            CheckRefusal::Unfinished(Unclosed::Quote) => "a quote is not closed".to_owned(),
            CheckRefusal::Unfinished(Unclosed::Bracket) => "a bracket is not closed".to_owned(),
            CheckRefusal::Unfinished(Unclosed::Operator) => "it ends after an operator".to_owned(),
            CheckRefusal::Unfinished(Unclosed::Compound) => "a loop or a condition is not closed".to_owned(),
            CheckRefusal::Unfinished(Unclosed::HereDocument) => "a here-document is not closed".to_owned(),
            CheckRefusal::Unfinished(Unclosed::Backslash) => "it ends with a backslash".to_owned(),
            CheckRefusal::NotFound(name) => format!("there is no command `{name}` here"),
            CheckRefusal::NoProgram(path) => format!("`{path}` is not a program here"),
            CheckRefusal::Blocked(entry) => format!("it is on your blocklist: {entry}"),
            CheckRefusal::Hole(hole) => format!("`{hole}` has to be filled in"),
            CheckRefusal::History(word) => format!("`{word}` would be replaced by an earlier line"),
        }
    }
}

/// Decides whether the command may be shown at this place. Blocklist entries are prefixes of commands.
pub fn check(
    command: &str,
    place: &TranslateContext<'_>,
    blocklist: &[String],
) -> Result<CheckedCommand, CheckRefusal> {
    if command.len() > MAX_COMMAND {
        return Err(CheckRefusal::TooLong);
    }
    let command = text::clean(command).replace('\t', " ");
    let command = command.trim();
    if command.is_empty() {
        return Err(CheckRefusal::Empty);
    }
    if command.contains('\n') {
        return Err(CheckRefusal::SeveralLines);
    }
    if let Some(word) = recalled(command, place.dialect) {
        return Err(CheckRefusal::History(word.to_owned()));
    }
    let line = line::parse(command, place.dialect);
    if let Some(open) = line.open {
        return Err(CheckRefusal::Unfinished(open));
    }
    if line.commands.is_empty() {
        return Err(CheckRefusal::Empty);
    }
    let runs = NestedCommands::of(command, place.dialect);
    if let Some(entry) = blocking(&runs, place.dialect, blocklist) {
        return Err(CheckRefusal::Blocked(text::clean(entry.trim()).into_owned()));
    }
    let exists = |word: &Word| kind(word, place).is_some_and(|kind| matches!(kind, Fact::Yes(_)));
    let holes = placeholders::find_placeholders(command, &line.commands, exists);
    if let Some(hole) = holes.iter().find(|hole| hole.kind == PlaceholderKind::Misread) {
        return Err(CheckRefusal::Hole(command.get(hole.span.clone()).unwrap_or_default().to_owned()));
    }
    for (number, run) in runs.runs.iter().enumerate() {
        finds(&runs, number, run, command, place)?;
    }
    let mut dangers = safety::dangers_in(command, place.dialect, place.cwd, place.world);
    for run in &runs.runs {
        dangers.extend(
            behind_alias(run, command, place)
                .into_iter()
                .filter(|danger| !dangers.contains(danger))
                .collect::<Vec<_>>(),
        );
    }
    dangers.sort_by_key(|danger| danger.span.start);
    let warning = safety::summary(&dangers);
    Ok(CheckedCommand { command: command.to_owned(), dangers, warning, about: about(&runs, place), holes })
}

/// The `!` outside of single quotes, and what follows it, that an interactive zsh or bash replaces by a line of its history. `sudo !!`
/// alone is meant so.
fn recalled(command: &str, dialect: Dialect) -> Option<&str> {
    if dialect == Dialect::Fish || matches!(command, "sudo !!" | "doas !!" | "!!") {
        return None;
    }
    let (mut is_single, mut is_double) = (false, false);
    let mut before = ' ';
    let mut letters = command.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' if !is_single => {
                letters.next();
            }
            '\'' if !is_double => is_single = !is_single,
            '"' if !is_single => is_double = !is_double,
            '!' if !is_single => {
                let next = command[at + 1..].chars().next().unwrap_or(' ');
                // `$!`, `${!name}`, `[!a]` of bash
                let is_syntax = before == '$' || before == '{' || before == '[' && dialect == Dialect::Bash;
                if !is_syntax && !next.is_whitespace() && !matches!(next, '=' | '(' | '"' | ')' | ';') {
                    return command[at..].split_whitespace().next();
                }
            }
            _ => {}
        }
        before = letter;
    }
    None
}

/// Dangers of the user's alias behind the command's name, with the arguments appended to its text.
fn behind_alias(run: &NestedCommand, command: &str, place: &TranslateContext<'_>) -> Vec<Danger> {
    let Some(name) = run.words.first().filter(|name| name.fixed && run.place == nested_commands::RunsWhere::Here)
    else {
        return Vec::new();
    };
    let aliases = &place.names.aliases;
    let found = aliases.binary_search_by(|(alias, _)| (**alias).cmp(&name.value)).ok();
    let Some((_, text)) = found.and_then(|found| aliases.get(found)) else { return Vec::new() };
    let arguments = command.get(name.span.end..run.span().end).unwrap_or_default();
    let dangers = safety::dangers(&format!("{text}{arguments}"), place.dialect);
    dangers.into_iter().map(|danger| Danger { span: run.span(), ..danger }).collect()
}

/// The first blocklist entry that is a prefix of a command in the line, also behind `sudo` and inside `sh -c`.
pub fn blocked<'b>(command: &str, dialect: Dialect, blocklist: &'b [String]) -> Option<&'b str> {
    blocking(&NestedCommands::of(command, dialect), dialect, blocklist)
}

fn blocking<'b>(runs: &NestedCommands, dialect: Dialect, blocklist: &'b [String]) -> Option<&'b str> {
    blocklist.iter().map(String::as_str).find(|entry| is_blocked(runs, entry, dialect))
}

/// Checks that a command's name resolves to something that can run, wherever in the line it stands.
fn finds(
    runs: &NestedCommands,
    number: usize,
    run: &NestedCommand,
    command: &str,
    place: &TranslateContext<'_>,
) -> Result<(), CheckRefusal> {
    let Some(name) = run.words.first().filter(|name| name.fixed && run.place == nested_commands::RunsWhere::Here)
    else {
        return Ok(());
    };
    let value = name.value.as_str();
    if value.contains('/') {
        // An earlier command of the line may create the program or change to its directory.
        let before = runs.runs.get(..number).unwrap_or_default();
        let alone = before.iter().all(|before| before.span().end >= run.span().end);
        return match kind(name, place).filter(|_| alone) {
            Some(Fact::No | Fact::Yes(world::FileKind::File | world::FileKind::Directory)) => {
                Err(CheckRefusal::NoProgram(value.to_owned()))
            }
            Some(Fact::Yes(_) | Fact::NotYet) | None => Ok(()),
        };
    }
    // The shell expands these words before it looks up the command.
    let expanded = value.starts_with(['!', '%', '^']) && run.dialect != Dialect::Fish || value.contains("{}");
    if expanded || is_defined(command, value) {
        return Ok(());
    }
    // Without aliases and functions reported by a shell, only builtins and programs resolve; a model does not know the
    // others either.
    if builtins::has(place.names, run.dialect, value) {
        return Ok(());
    }
    match place.world.has_program(value) {
        Fact::Yes(false) => Err(CheckRefusal::NotFound(value.to_owned())),
        Fact::Yes(true) | Fact::No | Fact::NotYet => Ok(()),
    }
}

/// Whether the line itself defines the name as a function or alias.
fn is_defined(command: &str, name: &str) -> bool {
    let begins = |begin: String| command.contains(&begin);
    begins(format!("{name}()"))
        || begins(format!("{name} ()"))
        || begins(format!("function {name}"))
        || begins(format!("alias {name}="))
        || command.contains("autoload ")
}

/// What exists at the path that a word spells; `None` when only the shell can expand the path.
fn kind(word: &Word, place: &TranslateContext<'_>) -> Option<Fact<world::FileKind>> {
    let value = word.value.as_str();
    let path = match (value.strip_prefix("~/").filter(|_| !word.fixed), value.starts_with('/')) {
        (Some(below), _) if !below.contains(['$', '*', '?', '[', '{', '`', '(']) => {
            format!("{}/{below}", place.world.home())
        }
        _ if !word.fixed => return None,
        (_, true) => value.to_owned(),
        (_, false) => format!("{}/{value}", place.cwd),
    };
    Some(kind_at(&path, place))
}

/// What an absolute path leads to, as far as that is known.
pub fn kind_at(path: &str, place: &TranslateContext<'_>) -> Fact<world::FileKind> {
    let mut parts = text::path::names(path.split('/'));
    let Some(name) = parts.pop() else { return Fact::Yes(world::FileKind::Directory) };
    let entries = match place.world.entries(&format!("/{}", parts.join("/"))) {
        Fact::Yes(entries) => entries,
        Fact::No => return Fact::No,
        Fact::NotYet => return Fact::NotYet,
    };
    let found = entries.binary_search_by(|entry| (*entry.name).cmp(name)).ok().and_then(|found| entries.get(found));
    found.map_or(Fact::No, |entry| Fact::Yes(entry.kind))
}

/// Whether a command of the line starts with the entry: operands in order, flags in any order and cluster. `mkfs` also
/// matches `mkfs.ext4`, and the last of several words is a prefix: `rm -rf /` matches `rm -rf /etc`.
fn is_blocked(runs: &NestedCommands, entry: &str, dialect: Dialect) -> bool {
    let entry = line::parse(entry, dialect);
    let Some(words) = entry.commands.first().map(|command| command.words.as_slice()) else { return false };
    let Some((name, rest)) = words.split_first() else { return false };
    runs.runs.iter().any(|run| {
        let same = run.name() == name.value
            || run.words.first().is_some_and(|word| word.value == name.value)
            || run.name().strip_prefix(name.value.as_str()).is_some_and(|rest| rest.starts_with('.'));
        same && begins(rest, run.arguments())
    })
}

fn begins(entry: &[Word], arguments: &[Word]) -> bool {
    let flags = |words: &[Word]| -> Vec<String> { words.iter().flat_map(|word| letters(&word.value)).collect() };
    let has = flags(arguments);
    if !flags(entry).iter().all(|flag| has.contains(flag)) {
        return false;
    }
    let plain = |words: &[Word]| -> Vec<String> {
        words.iter().filter(|word| letters(&word.value).is_empty()).map(|word| word.value.clone()).collect()
    };
    let (wanted, given) = (plain(entry), plain(arguments));
    wanted.iter().enumerate().all(|(number, wanted_word)| {
        let last = number + 1 == wanted.len();
        given.get(number).is_some_and(|word| word == wanted_word || last && word.starts_with(wanted_word.as_str()))
    })
}

/// Splits a flag cluster: `-rf` is two flags.
fn letters(word: &str) -> Vec<String> {
    match word.strip_prefix('-') {
        None | Some("" | "-") => Vec::new(),
        Some(long) if long.starts_with('-') => vec![word.to_owned()],
        Some(short) => short.chars().map(|letter| format!("-{letter}")).collect(),
    }
}

/// Commands that only change how another command runs.
const WRAPPERS: [&str; 10] = ["sudo", "doas", "env", "time", "nice", "nohup", "timeout", "command", "exec", "cd"];

fn about(runs: &NestedCommands, place: &TranslateContext<'_>) -> String {
    let mut names =
        runs.runs.iter().map(NestedCommand::name).filter(|name| !name.is_empty() && !WRAPPERS.contains(name));
    names.next().and_then(|name| place.specs.about(name, place.world)).map(String::from).unwrap_or_default()
}

#[cfg(test)]
mod tests;
