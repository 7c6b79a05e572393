//! Takes a command apart: its name, its subcommands, each flag of a bundle with its value, each argument, and the
//! command that it runs. Has no wording.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use aside_commands::spec::format::{Flag, Spec, Style};
use aside_commands::spec::kind::ArgKind;
use aside_commands::spec::walk::{SpecEnd, SpecWalk, SpecWord, WalkStep};
use shell_line::{Dialect, Word};

use crate::TranslateContext;
use crate::explain::{MAX_DEPTH, manual};

/// Words of one command that are read; further words are usually more of the same.
const MAX_WORDS: usize = 200;
/// Shells, whose `-c` takes a script.
const SHELLS: [&str; 6] = ["sh", "bash", "zsh", "dash", "ksh", "fish"];

/// Whether the output of another command is its input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadsPipe {
    Yes,
    No,
}

#[derive(Clone, Debug, Default)]
pub struct DissectedCommand {
    /// As typed, with the subcommands that follow directly.
    pub text: String,
    pub span: Range<usize>,
    pub name_span: Option<Range<usize>>,
    /// Without its directory. Empty when only the shell can expand it.
    pub name: String,
    /// The command and its subcommands by their canonical names: `git stash pop`.
    pub chain: String,
    /// From its spec or its manual page.
    pub about: String,
    /// The description of the command itself, if a flag stands before its subcommand.
    pub outer: Option<String>,
    pub source: CommandSource,
    pub items: Vec<CommandPart>,
}

/// The source of the description.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum CommandSource {
    Spec,
    Manual,
    /// The text of the alias.
    Alias(String),
    Function,
    /// The value of a variable is the command.
    Variable,
    #[default]
    Unknown,
}

#[derive(Clone, Debug)]
pub struct CommandPart {
    pub text: String,
    pub span: Range<usize>,
    pub what: PartKind,
}

#[derive(Clone, Debug)]
pub enum PartKind {
    /// A subcommand with its description.
    Sub(String),
    Flag {
        /// As typed, without its value: `-z`, `--color`, `if`.
        name: String,
        flag: Option<Arc<Flag>>,
        value: Option<Value>,
    },
    Argument {
        value: Value,
        /// Its index among the arguments, from 0.
        number: usize,
        kinds: Vec<ArgKind>,
    },
    /// `NAME=value` of env and sudo.
    Assignment,
    Dashes,
    /// The command that it runs.
    Runs(Box<DissectedCommand>),
    /// `;` or `+` after the command of `find -exec`.
    End,
    /// An argument that a shell runs.
    Script(String),
    /// Already contained in the text of the name.
    Merged,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    pub value: String,
    pub fixed: bool,
}

impl DissectedCommand {
    /// Whether the flag is given, by any of its names.
    pub fn has(&self, name: &str) -> bool {
        self.flags().any(|(given, flag, _)| given == name || flag.is_some_and(|flag| flag.is(name)))
    }

    pub fn has_any(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.has(name))
    }

    pub fn value(&self, name: &str) -> Option<&str> {
        let mut given =
            self.flags().filter(|(given, flag, _)| *given == name || flag.is_some_and(|flag| flag.is(name)));
        given.find_map(|(_, _, value)| value.map(|value| value.value.as_str()))
    }

    pub fn flags(&self) -> impl Iterator<Item = (&str, Option<&Arc<Flag>>, Option<&Value>)> {
        self.items.iter().filter_map(|item| match &item.what {
            PartKind::Flag { name, flag, value } => Some((name.as_str(), flag.as_ref(), value.as_ref())),
            _ => None,
        })
    }

    pub fn arguments(&self) -> Vec<&str> {
        let values = self.items.iter().filter_map(|item| match &item.what {
            PartKind::Argument { value, .. } => Some(value.value.as_str()),
            _ => None,
        });
        values.collect()
    }

    /// How many arguments there are.
    pub fn count(&self) -> usize {
        self.items.iter().filter(|item| matches!(item.what, PartKind::Argument { .. })).count()
    }

    pub fn runs(&self) -> Option<&DissectedCommand> {
        self.items.iter().find_map(|item| match &item.what {
            PartKind::Runs(inner) => Some(&**inner),
            _ => None,
        })
    }

    pub fn scripts(&self) -> impl Iterator<Item = &str> {
        self.items.iter().filter_map(|item| match &item.what {
            PartKind::Script(script) => Some(script.as_str()),
            _ => None,
        })
    }
}

/// The spans of `words` are offsets into `text`. The first word is the name.
pub fn dissect(text: &str, words: &[Word], place: &TranslateContext<'_>, depth: usize) -> DissectedCommand {
    let Some(first) = words.first() else { return DissectedCommand::default() };
    let name = first.value.rsplit('/').next().unwrap_or_default().to_owned();
    let mut taken = DissectedCommand {
        text: raw(text, first),
        span: first.span.clone(),
        name_span: Some(first.span.clone()),
        chain: plain(&name).to_owned(),
        name: if first.fixed { name } else { String::new() },
        ..DissectedCommand::default()
    };
    if !first.fixed && first.value.contains(['$', '`']) {
        taken.source = CommandSource::Variable;
    }
    let spec = spec(&mut taken, first, place);
    let words = words.get(..MAX_WORDS).unwrap_or(words);
    let mut taking = Taking { text, words, place, depth, taken, count: 0, end_of_flags: false };
    match spec {
        // Arguments of a shell are parsed as commands.
        Some(spec) if !SHELLS.contains(&taking.taken.name.as_str()) => taking.by_spec(spec),
        _ => taking.by_looks(1),
    }
    taking.taken
}

/// The canonical name of the command in our data.
fn plain(name: &str) -> &str {
    match name {
        "gawk" | "mawk" | "nawk" => "awk",
        "egrep" | "fgrep" | "zgrep" => "grep",
        "gsed" => "sed",
        "gfind" => "find",
        "gtar" | "bsdtar" => "tar",
        "python3" => "python",
        "pip3" => "pip",
        "nodejs" => "node",
        "[" | "[[" => "test",
        "." => "source",
        "md5sum" | "sha1sum" | "sha512sum" | "shasum" | "b2sum" | "sha224sum" | "sha384sum" => "sha256sum",
        other => other,
    }
}

fn spec(taken: &mut DissectedCommand, first: &Word, place: &TranslateContext<'_>) -> Option<Arc<Spec>> {
    if !first.fixed {
        return None;
    }
    if place.dialect == Dialect::Fish && taken.name == "set" {
        // Not the `set` of the other shells.
        taken.chain = "fish set".to_owned();
        taken.about = "set or show variables".to_owned();
        taken.source = CommandSource::Spec;
        return None;
    }
    // Aliases and functions take precedence over programs of the same name.
    let of_shell = !first.value.contains('/');
    let aliases = &place.names.aliases;
    let alias = aliases.binary_search_by(|(known, _)| (**known).cmp(&first.value)).ok().filter(|_| of_shell);
    if let Some((_, stands_for)) = alias.and_then(|at| aliases.get(at)) {
        taken.source = CommandSource::Alias(stands_for.to_string());
        // An alias of `ls` to `ls --color` is the same command with a flag.
        let same = stands_for.split_whitespace().next() == Some(&*first.value);
        if !same {
            return None;
        }
    }
    let found =
        place.specs.find(&taken.name, place.world).or_else(|| place.specs.find(plain(&taken.name), place.world));
    if found.is_none()
        && of_shell
        && place.names.functions.binary_search_by(|known| (**known).cmp(&first.value)).is_ok()
    {
        taken.source = CommandSource::Function;
        return None;
    }
    if let Some(spec) = found {
        taken.about = spec.about.to_string();
        if taken.source == CommandSource::Unknown {
            taken.source = CommandSource::Spec;
        }
        return Some(spec);
    }
    let page = place.world.manual(&taken.name).yes().filter(|_| taken.name.len() > 1)?;
    let spec = manual::spec(&page)?;
    taken.about = spec.about.to_string();
    taken.source = CommandSource::Manual;
    Some(Arc::new(spec))
}

struct Taking<'a> {
    text: &'a str,
    words: &'a [Word],
    place: &'a TranslateContext<'a>,
    depth: usize,
    taken: DissectedCommand,
    /// Number of arguments so far.
    count: usize,
    end_of_flags: bool,
}

impl Taking<'_> {
    fn by_spec(&mut self, spec: Arc<Spec>) {
        let mut walk = SpecWalk::begin(spec);
        let mut number = 1;
        while let Some(word) = self.words.get(number) {
            let piece = SpecWord { value: Cow::Borrowed(&*word.value), fixed: word.fixed, word: Some(number) };
            if let Some(flag) = walk.pending().cloned() {
                if flag.takes.as_ref().is_some_and(|takes| takes.command) {
                    // `find -exec`: the inner command ends with `;` or `+`, then find's flags go on.
                    number = self.exec(number);
                    walk = SpecWalk::begin(Arc::clone(walk.spec()));
                    continue;
                }
                walk.go(number, &piece);
                self.value(&flag, word);
                number += 1;
                continue;
            }
            if self.is_expression(word) {
                self.argument(word, Vec::new());
                number += 1;
                continue;
            }
            let step = walk.go(number, &piece).clone();
            if let SpecEnd::Command(from) = walk.end() {
                return self.inner(from);
            }
            match step {
                WalkStep::Subcommand => {
                    let outer = walk.chain.iter().rev().nth(1);
                    let name = outer.and_then(|outer| outer.sub(&word.value)).map_or(&*word.value, |sub| &*sub.name);
                    self.sub(word, name, walk.spec());
                }
                WalkStep::Flag => self.flags(word, &walk),
                WalkStep::Value => self.argument(word, Vec::new()),
                WalkStep::Argument(spec, place) => self.argument(word, spec.args.at(place).to_vec()),
                WalkStep::AfterDashes => {
                    let kinds = walk.spec().after_dashes.as_ref().map(|args| args.at(0).to_vec());
                    self.argument(word, kinds.unwrap_or_default());
                }
                WalkStep::Dashes => self.push(word, PartKind::Dashes),
                WalkStep::Unknown if is_assignment(&word.value) && walk.spec().command_at.is_some() => {
                    self.push(word, PartKind::Assignment);
                }
                WalkStep::Unknown if word.value.starts_with('-') => self.unknown_flag(word, &walk),
                WalkStep::Unknown => {
                    self.argument(word, Vec::new());
                    return self.by_looks(number + 1);
                }
            }
            number += 1;
            if self.taken.chain == "ssh" && self.count == 1 && walk.pending().is_none() && number < self.words.len() {
                return self.remote(number);
            }
        }
    }

    /// Without known flags, every word with a leading dash is one.
    fn by_looks(&mut self, from: usize) {
        let shell = SHELLS.contains(&self.taken.name.as_str());
        let mut script = false;
        for word in self.words.iter().skip(from) {
            if script && self.depth < MAX_DEPTH {
                script = false;
                self.push(word, PartKind::Script(word.value.clone()));
            } else if word.value == "--" && !self.end_of_flags {
                self.end_of_flags = true;
                self.push(word, PartKind::Dashes);
            } else if word.value.len() > 1 && word.value.starts_with('-') && !self.end_of_flags {
                let (name, value) = match word.value.split_once('=') {
                    Some((name, value)) if word.value.starts_with("--") => {
                        (name.to_owned(), Some(Value { value: value.to_owned(), fixed: word.fixed }))
                    }
                    _ => (word.value.clone(), None),
                };
                script = shell && !name.starts_with("--") && name.ends_with('c') && name != "-";
                self.push(word, PartKind::Flag { name, flag: None, value });
            } else {
                if shell {
                    self.end_of_flags = true;
                }
                self.argument(word, Vec::new());
            }
        }
    }

    fn push(&mut self, word: &Word, what: PartKind) {
        self.taken.items.push(CommandPart { text: raw(self.text, word), span: word.span.clone(), what });
    }

    fn argument(&mut self, word: &Word, kinds: Vec<ArgKind>) {
        let value = Value { value: word.value.clone(), fixed: word.fixed };
        self.push(word, PartKind::Argument { value, number: self.count, kinds });
        self.count += 1;
    }

    /// Brackets and the exclamation mark of find, the operators of test.
    fn is_expression(&self, word: &Word) -> bool {
        self.taken.chain == "find" && matches!(&*word.value, "(" | ")" | "!" | ",")
    }

    /// `name` is the canonical name, in case an alias was typed.
    fn sub(&mut self, word: &Word, name: &str, spec: &Spec) {
        self.taken.chain = format!("{} {name}", self.taken.chain);
        self.count = 0;
        let about = spec.about.to_string();
        let follows = self.taken.items.iter().all(|item| matches!(item.what, PartKind::Merged));
        if follows {
            self.taken.text = format!("{} {}", self.taken.text, raw(self.text, word));
            self.taken.span.end = word.span.end;
            self.taken.about = about;
            self.push(word, PartKind::Merged);
        } else {
            let outer = std::mem::replace(&mut self.taken.about, about.clone());
            self.taken.outer.get_or_insert(outer);
            self.push(word, PartKind::Sub(about));
        }
    }

    /// The value for the flag that expects one.
    fn value(&mut self, flag: &Arc<Flag>, word: &Word) {
        let given = Value { value: word.value.clone(), fixed: word.fixed };
        let text = raw(self.text, word);
        let waits = self.taken.items.iter_mut().rev().find(|item| match &item.what {
            PartKind::Flag { flag: Some(known), value: None, .. } => Arc::ptr_eq(known, flag),
            _ => false,
        });
        if let Some(item) = waits
            && let PartKind::Flag { value, .. } = &mut item.what
        {
            *value = Some(given);
            item.text = format!("{} {text}", item.text);
            item.span = item.span.start.min(word.span.start)..word.span.end.max(item.span.end);
        }
    }

    fn flags(&mut self, word: &Word, walk: &SpecWalk) {
        let typed = &*word.value;
        let style = walk.spec().style;
        let bundled = style != Style::Single && !typed.starts_with("--") && typed.starts_with('-');
        if let Some((flag, skip)) = walk.value_inside(typed) {
            let (name, value) = typed.split_at_checked(skip).unwrap_or((typed, ""));
            let value = Some(Value { value: value.to_owned(), fixed: word.fixed });
            let letters: Vec<char> = name.chars().skip(1).collect();
            if bundled && let Some((last, others)) = letters.split_last() {
                for letter in others {
                    self.letter(word, &format!("-{letter}"), walk);
                }
                let name = format!("-{last}");
                let text = if others.is_empty() { raw(self.text, word) } else { format!("{name}{}", &typed[skip..]) };
                let what = PartKind::Flag { name, flag: Some(Arc::clone(flag)), value };
                self.taken.items.push(CommandPart { text, span: word.span.clone(), what });
            } else {
                let name = name.trim_end_matches('=').to_owned();
                self.push(word, PartKind::Flag { name, flag: Some(Arc::clone(flag)), value });
            }
        } else if let Some(flag) = walk.flag(typed) {
            self.push(word, PartKind::Flag { name: typed.to_owned(), flag: Some(Arc::clone(flag)), value: None });
        } else if bundled {
            for letter in typed.chars().skip(1) {
                self.letter(word, &format!("-{letter}"), walk);
            }
        } else {
            for letter in typed.chars() {
                self.letter(word, letter.encode_utf8(&mut [0; 4]), walk);
            }
        }
    }

    fn letter(&mut self, word: &Word, name: &str, walk: &SpecWalk) {
        let flag = walk.flag(name).map(Arc::clone);
        let what = PartKind::Flag { name: name.to_owned(), flag, value: None };
        self.taken.items.push(CommandPart { text: name.to_owned(), span: word.span.clone(), what });
    }

    /// A flag that is missing from the spec; the manual may have it.
    fn unknown_flag(&mut self, word: &Word, walk: &SpecWalk) {
        let typed = &*word.value;
        let single = walk.spec().style == Style::Single || typed.starts_with("--");
        let number = typed.len() > 1 && typed[1..].bytes().all(|byte| byte.is_ascii_digit());
        if number {
            let value = Some(Value { value: typed[1..].to_owned(), fixed: true });
            return self.push(word, PartKind::Flag { name: "-#".to_owned(), flag: None, value });
        }
        let known = typed.chars().skip(1).filter(|letter| walk.flag(&format!("-{letter}")).is_some()).count();
        if !single && known > 0 {
            for letter in typed.chars().skip(1) {
                self.letter(word, &format!("-{letter}"), walk);
            }
            return;
        }
        let (name, value) = match typed.split_once('=') {
            Some((name, value)) => (name, Some(Value { value: value.to_owned(), fixed: word.fixed })),
            None => (typed, None),
        };
        let flag = self.flag_of_manual(name);
        self.push(word, PartKind::Flag { name: name.to_owned(), flag, value });
    }

    fn flag_of_manual(&self, name: &str) -> Option<Arc<Flag>> {
        let page = self.place.world.manual(&self.taken.name).yes()?;
        manual::spec(&page)?.flag(name).map(Arc::clone)
    }

    /// Starts an inner command at this word.
    fn inner(&mut self, from: usize) {
        let words = self.words.get(from..).unwrap_or_default();
        let Some(first) = words.first() else { return };
        if matches!(self.taken.chain.as_str(), "watch" | "eval") && first.value.contains(' ') {
            for word in words {
                self.push(word, PartKind::Script(word.value.clone()));
            }
            return;
        }
        self.runs(words, None);
    }

    fn runs(&mut self, words: &[Word], limit: Option<&Word>) {
        let (Some(first), Some(last)) = (words.first(), words.last()) else { return };
        if self.depth >= MAX_DEPTH {
            let item = CommandPart {
                text: self.text.get(first.span.start..last.span.end).unwrap_or_default().to_owned(),
                span: first.span.start..last.span.end,
                what: PartKind::Argument {
                    value: Value { value: first.value.clone(), fixed: false },
                    number: self.count,
                    kinds: vec![ArgKind::Command],
                },
            };
            return self.taken.items.push(item);
        }
        let inner = dissect(self.text, words, self.place, self.depth + 1);
        let item = CommandPart {
            text: String::new(),
            span: first.span.start..last.span.end,
            what: PartKind::Runs(Box::new(inner)),
        };
        self.taken.items.push(item);
        if let Some(limit) = limit {
            self.push(limit, PartKind::End);
        }
    }

    /// Reads the inner command of `-exec`, and returns the index of the word after it.
    fn exec(&mut self, from: usize) -> usize {
        let rest = self.words.get(from..).unwrap_or_default();
        let ends = |word: &Word| matches!(&*word.value, ";" | "+");
        let length = rest.iter().position(ends).unwrap_or(rest.len());
        let (words, limit) = (rest.get(..length).unwrap_or_default(), rest.get(length));
        self.runs(words, limit);
        from + length + 1
    }

    /// The command for the remote machine.
    fn remote(&mut self, from: usize) {
        let words = self.words.get(from..).unwrap_or_default();
        match words {
            [word] => self.push(word, PartKind::Script(word.value.clone())),
            words => self.runs(words, None),
        }
    }
}

fn raw(text: &str, word: &Word) -> String {
    text.get(word.span.clone()).unwrap_or_default().to_owned()
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
    })
}
