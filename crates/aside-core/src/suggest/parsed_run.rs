//! The last command as rules see it: each simple command of the line without wrappers and aliases, and the relevant
//! part of the output. Decides nothing.

use std::ops::Range;

use aside_commands::shell_names::ShellNames;
use shell_line::{self as line, Command, Word};

use crate::suggest::{self, EarlierRun, EndedRun, SuggestContext};

/// Bytes of the output that are read, at its beginning and at its end.
const MAX_HEAD: usize = 4 * 1024;
const MAX_TAIL: usize = 12 * 1024;
/// Simple commands of a line that are read.
const MAX_STEPS: usize = 8;
/// Wrappers before one command.
const MAX_WRAPPERS: usize = 4;

/// Commands that run the rest of the line.
const WRAPPERS: [&str; 12] =
    ["sudo", "doas", "command", "builtin", "exec", "time", "nohup", "env", "nice", "noglob", "nocorrect", "caffeinate"];

/// Flags before a subcommand that take a value.
pub const VALUED: [&str; 24] = [
    "-C",
    "-c",
    "-n",
    "-H",
    "-f",
    "-p",
    "-L",
    "-S",
    "-u",
    "-g",
    "--context",
    "--namespace",
    "--prefix",
    "--git-dir",
    "--work-tree",
    "--host",
    "--file",
    "--project-name",
    "--profile",
    "--region",
    "--project",
    "--manifest-path",
    "--kubeconfig",
    "--cwd",
];

pub struct ParsedRun<'a> {
    pub line: &'a str,
    pub exit: i32,
    pub steps: Vec<SimpleCommand>,
    /// `None` when it was not captured, and for a line that runs Aside.
    pub output: Option<String>,
    /// The same in lower case.
    pub lower: String,
    pub previous: &'a [EarlierRun<'a>],
    pub place: SuggestContext<'a>,
}

/// One simple command.
pub struct SimpleCommand {
    /// Byte range in the line, without wrappers.
    pub span: Range<usize>,
    /// The first is its name, without its directory.
    pub words: Vec<CommandWord>,
}

/// One word of it.
pub struct CommandWord {
    pub value: String,
    /// Position in the line; `None` if it comes from an alias.
    pub span: Option<Range<usize>>,
}

impl<'a> ParsedRun<'a> {
    pub fn new(ended: &EndedRun<'a>, place: SuggestContext<'a>) -> Self {
        let line = ended.command.trim();
        let parsed = line::parse(line, place.dialect);
        let steps = parsed.commands.iter().take(MAX_STEPS).filter_map(|command| step(command, place.names)).collect();
        // Requests from chats, answers of models and old commands: none of it is meant for this user's prompt.
        let is_own = suggest::runs_aside(line, place.dialect, place.names);
        let output = ended.output.filter(|_| !is_own).map(ends).filter(|output| !output.trim().is_empty());
        let lower = output.as_deref().map(str::to_lowercase).unwrap_or_default();
        Self { line, exit: ended.exit, steps, output, lower, previous: ended.previous, place }
    }

    /// Of several commands, those whose names an error begins with; empty when the error names none.
    pub fn blamed(&self) -> Vec<usize> {
        if self.steps.len() < 2 {
            return Vec::new();
        }
        let begins = |line: &str, name: &str| {
            let line = ["bash: ", "zsh: ", "fish: "].iter().find_map(|shell| line.strip_prefix(shell)).unwrap_or(line);
            line.strip_prefix(name).is_some_and(|rest| rest.starts_with(':'))
        };
        let output = self.output.as_deref().unwrap_or_default();
        let is_blamed =
            |step: &SimpleCommand| !step.name().is_empty() && output.lines().any(|line| begins(line, step.name()));
        let steps = self.steps.iter().enumerate();
        steps.filter(|(_, step)| is_blamed(step)).map(|(number, _)| number).collect()
    }

    /// The last command of the line, whose output is on the screen.
    pub fn last(&self) -> Option<&SimpleCommand> {
        self.steps.last()
    }
}

impl SimpleCommand {
    pub fn name(&self) -> &str {
        self.words.first().map_or("", |word| &word.value)
    }

    /// Index of the word behind the prefix, skipping flags between its words; `None` when the command begins otherwise.
    pub fn after(&self, prefix: &[Box<str>]) -> Option<usize> {
        let (name, rest) = prefix.split_first()?;
        if self.name() != &**name {
            return None;
        }
        let mut at = 1;
        for wanted in rest {
            // A flag may be part of the prefix, as in `python -m`.
            while self.words.get(at)?.value != **wanted {
                let next = self.skip_flag(at);
                if next == at {
                    return None;
                }
                at = next;
            }
            at += 1;
        }
        Some(at)
    }

    pub fn skip_flags(&self, mut at: usize) -> usize {
        while self.skip_flag(at) > at {
            at = self.skip_flag(at);
        }
        at
    }

    fn skip_flag(&self, at: usize) -> usize {
        match self.words.get(at).map(|word| &*word.value) {
            Some(word) if VALUED.contains(&word) => at + 2,
            Some(word) if word.starts_with('-') => at + 1,
            Some(_) | None => at,
        }
    }

    /// Words that are not flags, from this index on.
    pub fn arguments(&self, from: usize) -> impl DoubleEndedIterator<Item = &str> {
        let words = self.words.get(from..).unwrap_or_default().iter().map(|word| &*word.value);
        words.filter(|word| !word.starts_with('-') && !word.is_empty())
    }
}

pub fn step(command: &Command, names: &ShellNames) -> Option<SimpleCommand> {
    let mut words: &[Word] = &command.words;
    for _ in 0..MAX_WRAPPERS {
        let Some((first, rest)) = words.split_first() else { break };
        if !WRAPPERS.contains(&first.value.as_str()) || rest.is_empty() {
            break;
        }
        let flags = rest.iter().take_while(|word| word.value.starts_with('-') || word.value.contains('='));
        let inner = rest.get(flags.count()..).unwrap_or_default();
        // `sudo -u me ls`: the value of the flag is ambiguous, so only a command is unwrapped.
        if inner.is_empty() {
            break;
        }
        words = inner;
    }
    let (first, rest) = words.split_first()?;
    let span = first.span.start..command.span.end;
    let mut parts = expanded(first, names);
    parts.extend(rest.iter().map(|word| CommandWord { value: word.value.clone(), span: Some(word.span.clone()) }));
    Some(SimpleCommand { span, words: parts })
}

/// The words of an alias, if it consists of plain words.
fn expanded(word: &Word, names: &ShellNames) -> Vec<CommandWord> {
    let as_typed = |value: &str| CommandWord { value: value.to_owned(), span: Some(word.span.clone()) };
    let aliases = &names.aliases;
    let found = aliases.binary_search_by(|(name, _)| (**name).cmp(&word.value)).ok().and_then(|at| aliases.get(at));
    let plain = |value: &str| value.chars().all(|letter| letter.is_alphanumeric() || " -_./=+".contains(letter));
    let Some((_, value)) = found.filter(|(_, value)| plain(value)) else {
        let name = word.value.rsplit('/').next().filter(|name| !name.is_empty() && word.value.starts_with('/'));
        return vec![as_typed(name.unwrap_or(&word.value))];
    };
    let mut values = value.split(' ').filter(|value| !value.is_empty() && !WRAPPERS.contains(value));
    let mut parts: Vec<CommandWord> = values.next().map(as_typed).into_iter().collect();
    parts.extend(values.map(|value| CommandWord { value: value.to_owned(), span: None }));
    if parts.is_empty() { vec![as_typed(&word.value)] } else { parts }
}

/// The beginning and the end of a long output. Removes what a terminal would not show, so that nothing can hide in it.
fn ends(output: &str) -> String {
    let cut = if output.len() <= MAX_HEAD + MAX_TAIL {
        output.to_owned()
    } else {
        let head = output.get(..output.floor_char_boundary(MAX_HEAD)).unwrap_or_default();
        let tail = output.get(output.ceil_char_boundary(output.len() - MAX_TAIL)..).unwrap_or_default();
        format!("{head}\n{tail}")
    };
    aside_text::clean(&cut).into_owned()
}
