//! Matches the words of a command against its spec: what each word is, and what may come next. Does no lookups; aliases
//! and other commands' specs are up to the caller.

use std::borrow::Cow;
use std::sync::Arc;

use crate::spec::format::{Args, Flag, Spec, Style};
use crate::spec::kind::ArgKind;

/// Flags of find that are followed by another test.
const OPERATORS: [&str; 3] = ["-or", "-and", "-not"];

/// A word, as the command would receive it.
#[derive(Clone, Debug, PartialEq)]
pub struct SpecWord<'w> {
    pub value: Cow<'w, str>,
    /// The value is final: the shell would expand nothing in it.
    pub fixed: bool,
    /// Its index among the words of the line; `None` when it comes from an alias.
    pub word: Option<usize>,
}

/// The state after some words.
#[derive(Clone, Debug)]
pub struct SpecWalk {
    /// The command, its subcommand, that one's subcommand, and so on.
    pub chain: Vec<Arc<Spec>>,
    pub given: Vec<Arc<Flag>>,
    /// What each word after the name is.
    pub steps: Vec<WalkStep>,
    /// The values of flags that set the working directory, and whether they are fixed.
    pub moves: Vec<(String, bool)>,
    /// The flag that takes the next word as its value.
    pending: Option<Arc<Flag>>,
    /// Arguments since the last subcommand.
    count: usize,
    /// Arguments since a bare `--`.
    dashes: Option<usize>,
    end: SpecEnd,
}

/// Whether the spec covers the words to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpecEnd {
    /// It does.
    Open,
    /// Another command line begins with the word of this index.
    Command(usize),
    /// The word of this index should be a subcommand and is not a known one.
    Lost(usize),
}

#[derive(Clone, Debug)]
pub enum WalkStep {
    Subcommand,
    /// One or more flags, with or without a value in the same word.
    Flag,
    /// The value of the flag before it.
    Value,
    /// The argument with this index of this spec.
    Argument(Arc<Spec>, usize),
    AfterDashes,
    Dashes,
    /// A flag or a subcommand that the spec does not have.
    Unknown,
}

/// What may come at the cursor.
#[derive(Debug, PartialEq)]
pub enum NextWord<'w> {
    Nothing,
    /// The name of another command.
    Command,
    /// A flag.
    Flag,
    /// The value of a flag; `skip` bytes of the word are not part of it (`--color=`).
    Value {
        flag: &'w Flag,
        skip: usize,
    },
    /// An argument, or a subcommand as an alternative.
    Argument {
        kinds: &'w [ArgKind],
        subcommand: bool,
    },
}

/// The first piece is the name of the command.
pub fn walk(spec: Arc<Spec>, pieces: &[SpecWord<'_>]) -> SpecWalk {
    let mut walk = SpecWalk::begin(spec);
    for (number, piece) in pieces.iter().enumerate().skip(1) {
        if walk.end != SpecEnd::Open {
            break;
        }
        walk.go(number, piece);
    }
    walk
}

impl SpecWalk {
    /// The state after the name of the command, before any other word.
    pub fn begin(spec: Arc<Spec>) -> Self {
        SpecWalk {
            chain: vec![spec],
            given: Vec::new(),
            steps: Vec::new(),
            moves: Vec::new(),
            pending: None,
            count: 0,
            dashes: None,
            end: SpecEnd::Open,
        }
    }

    /// Advances by one word, for callers that inspect each step. The name has index 0.
    pub fn go(&mut self, number: usize, piece: &SpecWord<'_>) -> &WalkStep {
        let step = self.step(number, piece);
        self.steps.push(step);
        &self.steps[self.steps.len() - 1]
    }

    /// Whether flags may come: not after a bare `--`, nor after a script's name, as with python, whose own flags those
    /// would be.
    fn takes_flags(&self) -> bool {
        self.dashes.is_none() && !self.is_past_flags()
    }

    /// Whether the words belong to another program, which the first argument has named.
    pub fn is_past_flags(&self) -> bool {
        self.spec().flags_first && self.count > 0
    }

    /// The flag that takes the next word as its value.
    pub fn pending(&self) -> Option<&Arc<Flag>> {
        self.pending.as_ref()
    }

    pub fn spec(&self) -> &Arc<Spec> {
        // `walk` pushes one, and nothing removes it.
        &self.chain[self.chain.len() - 1]
    }

    pub fn end(&self) -> SpecEnd {
        self.end
    }

    /// The specs whose flags may come here, the innermost first.
    pub fn reach(&self) -> impl Iterator<Item = &Arc<Spec>> {
        let outer = self.chain.iter().rev().skip(1).take_while(|spec| !spec.flags_first);
        std::iter::once(self.spec()).chain(outer)
    }

    /// The canonical names of the command and of its subcommands.
    pub fn path<'p>(&'p self, pieces: &'p [SpecWord<'_>]) -> impl Iterator<Item = &'p str> {
        let name = pieces.first().map_or("", |piece| piece.value.rsplit('/').next().unwrap_or_default());
        let subs = self
            .chain
            .windows(2)
            .filter_map(|pair| pair[0].subs.iter().find(|sub| Arc::ptr_eq(&sub.spec, &pair[1])).map(|sub| &*sub.name));
        std::iter::once(name).chain(subs)
    }

    pub fn flag(&self, name: &str) -> Option<&Arc<Flag>> {
        self.reach().find_map(|spec| spec.flag(name))
    }

    /// Whether the word is one or more flags that do not take the next word as a value.
    pub fn is_switch(&self, word: &str) -> bool {
        let takes_nothing = |flag: &Arc<Flag>| flag.takes.as_ref().is_none_or(|takes| takes.optional);
        if let Some(flag) = self.flag(word) {
            return takes_nothing(flag);
        }
        if !word.starts_with('-') || word.len() < 2 {
            return false;
        }
        let are_letters = self.spec().style != Style::Single && !word.starts_with("--");
        let is_switch = |letter: char| self.flag(&format!("-{letter}")).is_some_and(takes_nothing);
        self.value_inside(word).is_some() || are_letters && word.chars().skip(1).all(is_switch)
    }

    /// Whether the flag is already given and may not repeat. A test of find repeats only after an operator.
    pub fn is_used(&self, flag: &Arc<Flag>) -> bool {
        let is_given = || self.given.iter().any(|given| Arc::ptr_eq(given, flag));
        let has_operators = || self.spec().style == Style::Single && self.spec().flag("-or").is_some();
        (!flag.repeats || has_operators() && flag.takes.is_some() && !self.is_behind_operator()) && is_given()
    }

    fn is_behind_operator(&self) -> bool {
        match self.steps.last() {
            Some(WalkStep::Flag) => self.given.last().is_some_and(|flag| OPERATORS.iter().any(|name| flag.is(name))),
            // `!` and a bracket.
            Some(WalkStep::Argument(..) | WalkStep::Unknown) => true,
            _ => false,
        }
    }

    /// The arguments, unless a flag has changed them.
    fn args(&self) -> &Args {
        self.given.iter().rev().find_map(|flag| flag.args.as_ref()).unwrap_or(&self.spec().args)
    }

    /// What the word may be, given the typed part.
    pub fn next(&self, typed: &str) -> NextWord<'_> {
        if self.end != SpecEnd::Open {
            return NextWord::Nothing;
        }
        if let Some(flag) = &self.pending {
            return match &flag.takes {
                Some(takes) if takes.command => NextWord::Command,
                _ => NextWord::Value { flag, skip: 0 },
            };
        }
        if self.takes_flags() {
            if let Some((flag, skip)) = self.value_inside(typed) {
                return NextWord::Value { flag, skip };
            }
            if typed.starts_with('-') {
                return NextWord::Flag;
            }
        }
        let spec = self.spec();
        if spec.command_at.is_some_and(|at| self.count + 1 >= at) && !is_assignment(typed) {
            return NextWord::Command;
        }
        match (&spec.after_dashes, self.dashes) {
            (Some(args), Some(number)) => argument(args, number, false),
            (_, None) if spec.style == Style::Bare => {
                NextWord::Argument { kinds: self.args().at(self.count), subcommand: false }
            }
            (_, dashes) => {
                argument(self.args(), self.count, dashes.is_none() && self.count == 0 && !spec.subs.is_empty())
            }
        }
    }

    fn step(&mut self, number: usize, piece: &SpecWord<'_>) -> WalkStep {
        let value = &*piece.value;
        if let Some(flag) = self.pending.take() {
            if flag.takes.as_ref().is_some_and(|takes| takes.command) {
                self.end = SpecEnd::Command(number);
            }
            if flag.moves {
                self.moves.push((value.to_owned(), piece.fixed));
            }
            return WalkStep::Value;
        }
        if self.takes_flags() {
            if value == "--" {
                self.dashes = Some(0);
                return WalkStep::Dashes;
            }
            if let Some(step) = self.flag_step(number, piece) {
                return step;
            }
        }
        self.argument_step(number, piece)
    }

    fn argument_step(&mut self, number: usize, piece: &SpecWord<'_>) -> WalkStep {
        let spec = Arc::clone(self.spec());
        if let (Some(_), Some(count)) = (&spec.after_dashes, self.dashes) {
            self.dashes = Some(count + 1);
            return WalkStep::AfterDashes;
        }
        let begins = spec.command_at.is_some_and(|at| self.count + 1 >= at);
        if begins && is_assignment(&piece.value) {
            return WalkStep::Unknown;
        }
        if begins {
            self.end = SpecEnd::Command(number);
            return WalkStep::Argument(spec, self.count);
        }
        if self.dashes.is_none() && self.count == 0 && !spec.subs.is_empty() {
            if let Some(sub) = spec.sub(&piece.value).filter(|_| piece.fixed) {
                self.chain.push(Arc::clone(&sub.spec));
                return WalkStep::Subcommand;
            }
            if spec.args.is_empty() {
                self.end = SpecEnd::Lost(number);
                return WalkStep::Unknown;
            }
        }
        self.count += 1;
        WalkStep::Argument(spec, self.count - 1)
    }

    /// `None` when the word is not a flag.
    fn flag_step(&mut self, number: usize, piece: &SpecWord<'_>) -> Option<WalkStep> {
        let value = &*piece.value;
        let style = self.spec().style;
        if let Some((flag, skip)) = self.value_inside(value).map(|(flag, skip)| (Arc::clone(flag), skip)) {
            self.take_letters(&value[..skip], style);
            self.pending = None;
            if flag.moves {
                self.moves.push((value[skip..].to_owned(), piece.fixed));
            }
            self.given.push(flag);
            return Some(WalkStep::Flag);
        }
        if style == Style::Bare && !value.starts_with('-') {
            // `c` can be a file too; it is a flag of tar only as the first word.
            if value.len() > 1 && self.take(value) {
                return Some(WalkStep::Flag);
            }
            if number == 1 && self.are_letters(value) {
                for letter in value.chars() {
                    self.take(letter.encode_utf8(&mut [0; 4]));
                }
                return Some(WalkStep::Flag);
            }
        }
        // A lone dash is standard input, and a flag is never empty.
        if value.len() < 2 || !value.starts_with(['-', '+']) {
            return None;
        }
        if self.take(value) {
            return Some(WalkStep::Flag);
        }
        if value.starts_with('+') {
            return None;
        }
        if !self.take_letters(value, style) {
            return Some(WalkStep::Unknown);
        }
        Some(WalkStep::Flag)
    }

    /// Records the flag; its value is next, if it must have one.
    fn take(&mut self, name: &str) -> bool {
        let Some(flag) = self.flag(name).map(Arc::clone) else { return false };
        if flag.takes.as_ref().is_some_and(|takes| !takes.optional) {
            self.pending = Some(Arc::clone(&flag));
        }
        self.given.push(flag);
        true
    }

    /// `-abc`. Returns whether all of them are known.
    fn take_letters(&mut self, value: &str, style: Style) -> bool {
        if style == Style::Single || value.starts_with("--") || !value.starts_with('-') {
            return false;
        }
        value.chars().skip(1).all(|letter| self.take(&format!("-{letter}")))
    }

    fn are_letters(&self, value: &str) -> bool {
        value.chars().all(|letter| self.flag(letter.encode_utf8(&mut [0; 4])).is_some())
    }

    /// `--flag=value`, `-fvalue`, `name=value`: the flag, and where its value begins.
    pub fn value_inside(&self, word: &str) -> Option<(&Arc<Flag>, usize)> {
        let style = self.spec().style;
        if let Some((name, _)) = word.split_once('=') {
            let spelled = match style {
                Style::Dash => name.starts_with("--"),
                Style::Single => name.starts_with('-'),
                Style::Bare => name.starts_with("--") || !name.starts_with('-'),
            };
            let flag = self.flag(name).filter(|flag| spelled && flag.takes.is_some());
            if let Some(flag) = flag {
                return Some((flag, name.len() + 1));
            }
        }
        if style == Style::Single || !word.starts_with('-') || word.starts_with("--") || self.flag(word).is_some() {
            return None;
        }
        for (at, letter) in word.char_indices().skip(1) {
            let flag = self.flag(&format!("-{letter}"))?;
            let end = at + letter.len_utf8();
            if flag.takes.is_some() {
                return (end < word.len()).then_some((flag, end));
            }
        }
        None
    }
}

fn argument(args: &Args, number: usize, subcommand: bool) -> NextWord<'_> {
    match args.at(number) {
        [] if !subcommand => NextWord::Nothing,
        kinds => NextWord::Argument { kinds, subcommand },
    }
}

/// `NAME=value`, as env and sudo take them before the command.
fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && !name.starts_with(|letter: char| letter.is_ascii_digit())
            && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
    })
}
