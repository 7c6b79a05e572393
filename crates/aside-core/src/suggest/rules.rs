//! Parses rules from `data/suggest/*.rules` (format: docs/suggest-rules.md): how a command ended, and what comes next.
//! Finds the first rule that matches. `template` renders the command.

use std::collections::BTreeMap;
use std::sync::{LazyLock, OnceLock};

use aside_commands::safety::Harm;
use aside_commands::world::{Fact, FileKind, LiveKind};
use aside_text::lazy_regex::Regex;

use crate::suggest::carry_flags::{self, FlagScope};
use crate::suggest::check::{Trust, passes};
use crate::suggest::did_you_mean;
use crate::suggest::parsed_run::{ParsedRun, SimpleCommand};
use crate::suggest::template::{self, RuleMatch};
use crate::suggest::{self, EndedRun, Suggestion, SuggestionSource, never_suggested, trust};

/// In the order in which they are tried: rules for a program before general ones.
const FILES: &[(&str, &str)] = &[
    ("git", include_str!("../../data/suggest/git.rules")),
    ("node", include_str!("../../data/suggest/node.rules")),
    ("python", include_str!("../../data/suggest/python.rules")),
    ("languages", include_str!("../../data/suggest/languages.rules")),
    ("containers", include_str!("../../data/suggest/containers.rules")),
    ("system", include_str!("../../data/suggest/system.rules")),
    ("network", include_str!("../../data/suggest/network.rules")),
    ("cloud", include_str!("../../data/suggest/cloud.rules")),
    ("files", include_str!("../../data/suggest/files.rules")),
    ("shell", include_str!("../../data/suggest/shell.rules")),
];

/// Default confidence of a rule.
const CONFIDENCE: f32 = 0.8;
/// Commands before the last one whose words and outputs a rule may refer to.
const MAX_EARLIER: usize = 6;

pub struct Rule {
    pub name: &'static str,
    reason: &'static str,
    /// Prefixes of the command; empty for any command.
    on: Vec<Vec<Box<str>>>,
    ends: Ends,
    /// Texts in the output, in lower case: one of each row must occur.
    says: Vec<Vec<String>>,
    not: Vec<String>,
    out: Vec<Pattern>,
    line: Vec<Pattern>,
    conditions: Vec<Condition>,
    runs: Vec<&'static str>,
    may: Option<Harm>,
    confidence: f32,
    #[cfg(test)]
    pub hits: Vec<&'static str>,
    #[cfg(test)]
    pub misses: Vec<&'static str>,
}

/// How the command must have ended.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Ends {
    Failed,
    Well,
    Any,
    With(Vec<i32>),
}

/// Parsed on first use.
struct Pattern {
    text: &'static str,
    parsed: OnceLock<Option<Regex>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Condition {
    Program(&'static str, Wanted),
    File(&'static str, Wanted),
    /// What exists at the captured path.
    At(&'static str, At),
    Repository(Wanted),
    /// The capture is a name of this kind: a script, a branch.
    Live(LiveKind, &'static str),
    /// This directory is empty.
    Empty,
    /// A text that was typed or printed shortly before.
    Earlier(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    There,
    Missing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    Nothing,
    File,
    Program,
    Directory,
}

pub fn all() -> &'static [Rule] {
    static ALL: LazyLock<Vec<Rule>> = LazyLock::new(|| FILES.iter().flat_map(|(_, text)| read(text)).collect());
    &ALL
}

/// The correction of a command that failed.
pub fn correction(parsed_run: &ParsedRun<'_>) -> Option<Suggestion> {
    all().iter().find_map(|rule| rule.applied(parsed_run))
}

/// The follow-up of a command that succeeded.
pub fn follow_up(parsed_run: &ParsedRun<'_>) -> Option<Suggestion> {
    all().iter().filter(|rule| rule.ends != Ends::Failed).find_map(|rule| rule.applied(parsed_run))
}

impl Rule {
    pub fn applied(&self, parsed_run: &ParsedRun<'_>) -> Option<Suggestion> {
        if !self.ended(parsed_run.exit) || !self.said(parsed_run) {
            return None;
        }
        let blamed = parsed_run.blamed();
        parsed_run.steps.iter().enumerate().find_map(|(number, step)| {
            if !blamed.is_empty() && !blamed.contains(&number) {
                return None;
            }
            let after = self.begins(step)?;
            let found = self.found(parsed_run, step, after)?;
            self.conditions.iter().all(|condition| condition.holds(parsed_run, &found)).then_some(())?;
            // `uv add` without a uv project yields to the next command of the rule.
            let output = parsed_run.output.as_deref();
            let ended = EndedRun { command: parsed_run.line, exit: parsed_run.exit, output, previous: &[], next: &[] };
            let mut made = self.runs.iter().filter_map(|template| self.made(template, parsed_run, &found));
            made.find(|made| never_suggested::makes_sense(made, &ended, &parsed_run.place))
        })
    }

    fn made(&self, template: &str, parsed_run: &ParsedRun<'_>, found: &RuleMatch<'_>) -> Option<Suggestion> {
        let command = template::fill_template(template, parsed_run, found)?;
        let trust = if template.starts_with("<swap") {
            Trust::Typed
        } else {
            Trust::Rule { may: self.may, line: parsed_run.line }
        };
        let named = template.starts_with("<raw ");
        // Text of the rule itself is trusted.
        let typed = [parsed_run.line, template];
        let is_fine = |command: &str| {
            template::is_plain(command, parsed_run.place.dialect)
                && trust::believes(command, &typed, &parsed_run.place)
                && never_suggested::allows(command, parsed_run)
        };
        let is_trap = named && !is_fine(&command);
        let edits =
            ["<swap", "<add", "<append", "<before", "<line", "<drop", "<quote", "<sed", "<without", "<turn", "<lead"];
        let command = match edits.iter().any(|edit| template.starts_with(edit)) {
            true => command,
            false => {
                let scope = if named { FlagScope::All } else { FlagScope::Program };
                carry_flags::with_flags(&command, found.step, scope, parsed_run)?
            }
        };
        if is_trap
            || command == parsed_run.line
            || !passes(&command, trust, &parsed_run.place)
            || !never_suggested::allows(&command, parsed_run)
            || !trust::installs_known(&command, &typed, &parsed_run.place)
        {
            return None;
        }
        Some(Suggestion {
            reason: template::reason(self.reason, found),
            command,
            source: if named { SuggestionSource::Output } else { SuggestionSource::Rule },
            confidence: self.confidence,
        })
    }

    fn ended(&self, exit: i32) -> bool {
        match &self.ends {
            Ends::Failed => exit != 0,
            Ends::Well => exit == 0,
            Ends::Any => true,
            Ends::With(codes) => codes.contains(&exit),
        }
    }

    fn said(&self, parsed_run: &ParsedRun<'_>) -> bool {
        self.says.iter().all(|row| row.iter().any(|text| parsed_run.lower.contains(text.as_str())))
            && !self.not.iter().any(|text| parsed_run.lower.contains(text.as_str()))
    }

    /// Index of the word behind the words that the rule matches.
    fn begins(&self, step: &SimpleCommand) -> Option<usize> {
        if self.on.is_empty() {
            return Some(1);
        }
        self.on.iter().find_map(|prefix| step.after(prefix))
    }

    fn found<'s>(&self, parsed_run: &'s ParsedRun<'_>, step: &'s SimpleCommand, after: usize) -> Option<RuleMatch<'s>> {
        let mut captures = BTreeMap::new();
        let mut arguments = step.arguments(after);
        if let Some(first) = arguments.next() {
            captures.insert("arg1".to_owned(), first.to_owned());
            captures.insert("arg".to_owned(), arguments.next_back().unwrap_or(first).to_owned());
        }
        captures.insert("name".to_owned(), step.name().to_owned());
        let typed = parsed_run.line.get(step.span.clone()).unwrap_or_default();
        for pattern in &self.line {
            pattern.take(typed, &mut captures)?;
        }
        for pattern in &self.out {
            pattern.take(parsed_run.output.as_deref()?, &mut captures)?;
        }
        Some(RuleMatch { step, after, captures })
    }
}

impl Pattern {
    fn take(&self, text: &str, captures: &mut BTreeMap<String, String>) -> Option<()> {
        let regex = self.parsed.get_or_init(|| Regex::new(&format!("(?m){}", self.text)).ok()).as_ref()?;
        let matched = regex.captures(text)?;
        for name in regex.capture_names() {
            if let Some(group) = matched.name(&name) {
                let text = group.as_str().trim().to_owned();
                captures.insert(name, text);
            }
        }
        Some(())
    }
}

impl Condition {
    fn holds(&self, parsed_run: &ParsedRun<'_>, found: &RuleMatch<'_>) -> bool {
        let place = &parsed_run.place;
        // A program that the rule names itself, or a captured one.
        let named = |name: &'static str| found.captures.get(name).map_or(name, String::as_str);
        match self {
            Condition::Program(name, wanted) => match (place.world.has_program(named(name)), wanted) {
                (Fact::Yes(true), Wanted::There) | (Fact::Yes(false) | Fact::No, Wanted::Missing) => true,
                (Fact::NotYet, Wanted::There) => true,
                (Fact::Yes(_) | Fact::No | Fact::NotYet, _) => false,
            },
            Condition::File(path, wanted) => match did_you_mean::kind(path, place) {
                Some(Some(_)) => *wanted == Wanted::There,
                Some(None) => *wanted == Wanted::Missing,
                None => false,
            },
            Condition::At(name, at) => {
                let Some(kind) = found.captures.get(*name).and_then(|path| did_you_mean::kind(path, place)) else {
                    return false;
                };
                match (at, kind) {
                    (At::Nothing, None)
                    | (At::File, Some(FileKind::File))
                    | (At::Program, Some(FileKind::Program))
                    | (At::Directory, Some(FileKind::Directory)) => true,
                    (At::Nothing | At::File | At::Program | At::Directory, _) => false,
                }
            }
            Condition::Repository(wanted) => {
                let there = place.world.repository(place.cwd) != Fact::No;
                there == (*wanted == Wanted::There)
            }
            Condition::Live(kind, name) => {
                let items = place.world.live(*kind, place.cwd).yes();
                let wanted = found.captures.get(*name);
                items.is_some_and(|items| items.iter().any(|item| Some(&*item.name) == wanted.map(String::as_str)))
            }
            Condition::Empty => never_suggested::is_empty(place),
            Condition::Earlier(text) => parsed_run.previous.iter().rev().take(MAX_EARLIER).any(|past| {
                let is_own = suggest::runs_aside(past.command, place.dialect, place.names);
                let output = past.output.filter(|_| !is_own).unwrap_or_default();
                past.command.to_lowercase().contains(text) || output.to_lowercase().contains(text)
            }),
        }
    }
}

fn read(text: &'static str) -> Vec<Rule> {
    let mut rules: Vec<Rule> = Vec::new();
    for row in text.lines() {
        let content = row.trim();
        if content.is_empty() || content.starts_with('#') {
            continue;
        }
        if !row.starts_with(' ') {
            let (name, reason) = content.split_once(": ").unwrap_or((content, ""));
            rules.push(Rule::new(name, reason));
            continue;
        }
        let (word, rest) = content.split_once(' ').unwrap_or((content, ""));
        if let Some(rule) = rules.last_mut() {
            rule.take(word, rest.trim());
        }
    }
    rules
}

impl Rule {
    fn new(name: &'static str, reason: &'static str) -> Self {
        Self {
            name,
            reason,
            on: Vec::new(),
            ends: Ends::Failed,
            says: Vec::new(),
            not: Vec::new(),
            out: Vec::new(),
            line: Vec::new(),
            conditions: Vec::new(),
            runs: Vec::new(),
            may: None,
            confidence: CONFIDENCE,
            #[cfg(test)]
            hits: Vec::new(),
            #[cfg(test)]
            misses: Vec::new(),
        }
    }

    fn take(&mut self, word: &str, rest: &'static str) {
        let pattern = |text| Pattern { text, parsed: OnceLock::new() };
        match word {
            "on" if rest == "*" => {}
            "on" => self.on.extend(rest.split(", ").map(|begin| begin.split_whitespace().map(Box::from).collect())),
            "exit" => self.ends = ends(rest),
            "says" => self.says.push(rest.split(" || ").map(str::to_lowercase).collect()),
            "not" => self.not.extend(rest.split(" || ").map(str::to_lowercase)),
            "out" => self.out.push(pattern(rest)),
            "line" => self.line.push(pattern(rest)),
            "if" => self.conditions.extend(condition(rest)),
            "run" => self.runs.push(rest),
            "may" => self.may = Harm::ALL.into_iter().find(|harm| harm.name() == rest),
            "sure" => self.confidence = rest.parse().unwrap_or(CONFIDENCE),
            #[cfg(test)]
            "hit" => self.hits.push(rest),
            #[cfg(test)]
            "miss" => self.misses.push(rest),
            #[cfg(not(test))]
            "hit" | "miss" => {}
            other => debug_assert!(false, "{}: no rule has a line {other}", self.name),
        }
    }
}

fn ends(text: &str) -> Ends {
    match text {
        "ok" => Ends::Well,
        "any" => Ends::Any,
        "failed" => Ends::Failed,
        codes => Ends::With(codes.split_whitespace().filter_map(|code| code.parse().ok()).collect()),
    }
}

fn condition(text: &'static str) -> Option<Condition> {
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    let condition = match (word, rest) {
        ("program", name) => Condition::Program(name, Wanted::There),
        ("no-program", name) => Condition::Program(name, Wanted::Missing),
        ("file", path) => Condition::File(path, Wanted::There),
        ("no-file", path) => Condition::File(path, Wanted::Missing),
        ("missing", name) => Condition::At(name, At::Nothing),
        ("is-file", name) => Condition::At(name, At::File),
        ("is-program", name) => Condition::At(name, At::Program),
        ("is-dir", name) => Condition::At(name, At::Directory),
        ("live", rest) => {
            let (kind, name) = rest.split_once(' ')?;
            Condition::Live(LiveKind::of(kind)?, name)
        }
        ("repository", _) => Condition::Repository(Wanted::There),
        ("no-repository", _) => Condition::Repository(Wanted::Missing),
        ("empty", _) => Condition::Empty,
        ("earlier", text) => Condition::Earlier(text.to_lowercase()),
        _ => {
            debug_assert!(false, "no condition: {text}");
            return None;
        }
    };
    Some(condition)
}

#[cfg(test)]
impl Rule {
    /// An exit status that the rule accepts, for its examples.
    pub fn exit(&self) -> i32 {
        match &self.ends {
            Ends::Failed => 1,
            Ends::Well | Ends::Any => 0,
            Ends::With(codes) => codes.first().copied().unwrap_or(1),
        }
    }

    /// Errors that would otherwise go unnoticed: an invalid pattern, a rule that can never give anything.
    pub fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        for pattern in self.out.iter().chain(&self.line) {
            if let Err(error) = regex::RegexBuilder::new(pattern.text).multi_line(true).build() {
                problems.push(format!("{}: {error}", self.name));
            }
        }
        if self.runs.is_empty() || self.reason.is_empty() {
            problems.push(format!("{}: has no run or no reason", self.name));
        }
        if self.hits.is_empty() || self.misses.is_empty() {
            problems.push(format!("{}: has no hit or no miss", self.name));
        }
        problems
    }
}
