//! Rules about commands by their parsed words, in three layers: built in, the user's, the repository's. A rule turns *ask* into *deny*, or
//! allows a read-only command without approval. A repository can only tighten. `parse` parses a file.

mod parse;

use std::fmt;
use std::sync::LazyLock;

use aside_commands::safety::nested_commands::{NestedCommand, NestedCommands};
use aside_commands::safety::{self, Danger, Harm};
use aside_translate::check::blocked;
use regex::Regex;
use shell_line::{Dialect, Redirect};

use crate::gate::read_only::ReadOnlyCommand;
use crate::gate::unambiguous::UnambiguousLine;
use crate::gate::{Decision, GateVerdict, RuleOrigin, excerpt};

const BUILT_IN: &str = include_str!("../../data/task/rules.toml");

/// Why an entry of the blocklist denies a line.
const BLOCKED: &str = "it is in your security.command_blocklist";

/// Who wrote the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleLayer {
    BuiltIn,
    Person,
    Repository,
}

/// All rules that apply to a task.
pub struct Rules {
    person: RulesFile,
    repository: RulesFile,
    /// Prefixes of commands that the settings refuse: `security.command_blocklist`.
    blocklist: Vec<String>,
}

/// The rules of a file, and the entries that were refused.
#[derive(Default)]
pub struct RulesFile {
    rules: Vec<Rule>,
    refused: Vec<RefusedRule>,
}

/// An entry that does not count, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedRule {
    /// Line in the file, from 1; 0 for the whole file.
    pub line: usize,
    pub reason: String,
}

impl fmt::Display for RefusedRule {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(out, "the file {}", self.reason),
            line => write!(out, "line {line}: {}", self.reason),
        }
    }
}

struct Rule {
    decision: Decision,
    origin: RuleOrigin,
    why: String,
    /// `*` matches any program. Empty only if `harms` is set.
    programs: Vec<String>,
    /// Subcommands, any of which matches. Empty: every one.
    subs: Vec<Vec<String>>,
    /// To ask or deny: one of them is present. To allow: no other flag is present. Empty: any flags.
    flags: Vec<String>,
    /// To ask or deny: matches one whole argument. To allow: matches every one.
    arguments: Option<Regex>,
    /// The line does one of these. Empty: not checked. All conditions of a rule have to hold together.
    harms: Vec<Harm>,
}

static OURS: LazyLock<RulesFile> = LazyLock::new(|| RulesFile::read(BUILT_IN, RuleLayer::BuiltIn));

impl RulesFile {
    /// Parses a file. A rule whose own examples do not hold is refused.
    pub fn read(text: &str, layer: RuleLayer) -> Self {
        parse::parse_file(text, layer)
    }

    /// Stands for a file whose content is unknown, and why: it may have a rule to ask.
    pub fn unreadable(reason: String) -> Self {
        Self { rules: Vec::new(), refused: vec![RefusedRule { line: 0, reason }] }
    }

    pub fn refused(&self) -> &[RefusedRule] {
        &self.refused
    }
}

impl Rules {
    /// No files: nothing is allowed.
    pub fn none() -> Self {
        Rules { person: RulesFile::default(), repository: RulesFile::default(), blocklist: Vec::new() }
    }

    /// Drops rules that were read for another layer, and reports them as refused.
    pub fn new(person: RulesFile, repository: RulesFile) -> Self {
        let (person, repository) = (person.only(RuleLayer::Person), repository.only(RuleLayer::Repository));
        Rules { person, repository, blocklist: Vec::new() }
    }

    /// Denies every line with a command that begins like one of these, whatever the files say.
    pub fn blocking(mut self, blocklist: &[String]) -> Self {
        self.blocklist = blocklist.to_vec();
        self
    }

    /// Whether a file has a refused entry. It may have been a rule to ask, so nothing is allowed then.
    pub fn is_broken(&self) -> bool {
        !self.person.refused.is_empty() || !self.repository.refused.is_empty()
    }

    /// One line for each rule and each refused entry.
    pub fn listed(&self) -> Vec<String> {
        let rules = [&*OURS, &self.person, &self.repository].into_iter().flat_map(|file| &file.rules);
        let mut listed: Vec<String> = rules.map(Rule::listed).collect();
        listed.extend(self.blocklist.iter().map(|entry| format!("deny {}: {BLOCKED}", excerpt::short(entry))));
        for (whose, file) in [("your rules", &self.person), ("the repository's rules", &self.repository)] {
            listed.extend(file.refused.iter().map(|refused| format!("refused: {whose}, {refused}")));
        }
        listed
    }

    /// The strictest rule against the line, if any; among equals built-in rules win over the user's, and these over the repository's.
    pub(super) fn forbidding(
        &self,
        text: &str,
        dialect: Dialect,
        runs: &NestedCommands,
        dangers: &[Danger],
    ) -> Option<GateVerdict> {
        if let Some(entry) = blocked(text, dialect, &self.blocklist) {
            let why = format!("{BLOCKED} as `{}`", excerpt::short(entry));
            return Some(GateVerdict { decision: Decision::Deny, rule: None, part: text.to_owned(), why });
        }
        let rules = [&*OURS, &self.person, &self.repository].into_iter().flat_map(|file| &file.rules);
        let mut strictest: Option<GateVerdict> = None;
        for rule in rules.filter(|rule| rule.decision > Decision::Allow) {
            if strictest.as_ref().is_some_and(|verdict| verdict.decision >= rule.decision) {
                continue;
            }
            if let Some(span) = rule.part(runs, dangers) {
                strictest = Some(GateVerdict {
                    decision: rule.decision,
                    rule: Some(rule.origin),
                    part: text.get(span).unwrap_or(text).to_owned(),
                    why: rule.why.clone(),
                });
            }
        }
        strictest
    }

    /// The user's rule that allows this use of a read-only command without approval.
    pub(super) fn allowing(&self, entry: &ReadOnlyCommand, command: &UnambiguousLine) -> Option<RuleOrigin> {
        let mut rules = self.person.rules.iter().filter(|rule| rule.decision == Decision::Allow);
        rules.find(|rule| rule.allows(entry, command)).map(|rule| rule.origin)
    }
}

impl RulesFile {
    fn only(mut self, layer: RuleLayer) -> Self {
        let before = self.rules.len();
        self.rules.retain(|rule| rule.origin.layer == layer);
        if self.rules.len() < before {
            self.refused.push(RefusedRule { line: 1, reason: "these rules belong to another user".to_owned() });
        }
        self
    }
}

impl Rule {
    fn listed(&self) -> String {
        let mut what: Vec<String> = Vec::new();
        for program in &self.programs {
            match self.subs.is_empty() {
                true => what.push(program.clone()),
                false => what.extend(self.subs.iter().map(|sub| format!("{program} {}", sub.join(" ")))),
            }
        }
        what.extend(self.harms.iter().map(|harm| format!("what {}", harm.words())));
        let mut line = format!("{} {}", self.decision.name(), excerpt::short(&what.join(", ")));
        if !self.flags.is_empty() {
            line.push_str(&format!(" with {}", excerpt::short(&self.flags.join(" "))));
        }
        format!("{line}: {} ({})", excerpt::short(&self.why), self.origin)
    }

    /// The part of the line that the rule asks about or denies.
    fn part(&self, runs: &NestedCommands, dangers: &[Danger]) -> Option<std::ops::Range<usize>> {
        let danger = dangers.iter().find(|danger| self.harms.contains(&danger.harm));
        if !self.harms.is_empty() && danger.is_none() {
            return None;
        }
        if self.programs.is_empty() && self.arguments.is_none() && self.flags.is_empty() {
            return danger.map(|danger| danger.span.clone());
        }
        runs.runs.iter().find(|run| self.fits(run)).map(NestedCommand::span)
    }

    /// Errs towards a match, since how a program parses its words is unknown here.
    fn fits(&self, run: &NestedCommand) -> bool {
        let named = |program: &String| program == "*" || program == run.name();
        let words: Vec<&str> = run.arguments().iter().map(|word| word.value.as_str()).collect();
        (self.programs.is_empty() || self.programs.iter().any(named))
            && (self.subs.is_empty() || self.subs.iter().any(|sub| begins(&words, sub)))
            && (self.flags.is_empty() || self.flags.iter().any(|flag| words.iter().any(|word| is_flag(word, flag))))
            && self.arguments.as_ref().is_none_or(|pattern| {
                let targets = run.redirections.iter().filter(|redirection| redirection.kind != Redirect::Descriptor);
                let targets = targets.filter_map(|redirection| redirection.target.as_ref());
                let targets = targets.map(|target| target.value.as_str());
                let paths = run.paths();
                let paths = paths.iter().map(String::as_str);
                words.iter().copied().chain(targets).chain(paths).any(|word| pattern.is_match(word))
            })
    }

    /// The catalogue entry has checked the command already; a rule can only narrow it.
    fn allows(&self, entry: &ReadOnlyCommand, command: &UnambiguousLine) -> bool {
        let sub = match self.subs.is_empty() {
            true => entry.sub.is_empty(),
            false => self.subs.contains(&entry.sub),
        };
        let behind = command.words.get(1..).unwrap_or_default().iter().map(|word| word.value.as_str());
        let (flags, others): (Vec<&str>, Vec<&str>) = behind.partition(|word| word.len() > 1 && word.starts_with('-'));
        let known = |word: &str| {
            let long = word.split_once('=').map_or(word, |(flag, _)| flag);
            self.flags.iter().any(|flag| flag == word || flag == long)
        };
        let letters =
            |word: &str| !word.starts_with("--") && word.chars().skip(1).all(|letter| known(&format!("-{letter}")));
        let mut others = others.into_iter().skip(entry.sub.len());
        sub && self.programs.contains(&entry.program)
            && (self.flags.is_empty() || flags.iter().all(|word| known(word) || letters(word)))
            && self.arguments.as_ref().is_none_or(|pattern| others.all(|word| pattern.is_match(word)))
    }

    /// Whether the rule matches an example by itself.
    fn hits(&self, example: &str) -> bool {
        let dangers = safety::dangers(example, Dialect::Bash);
        self.part(&NestedCommands::of(example, Dialect::Bash), &dangers).is_some()
    }
}

/// Whether the words begin with the subcommand, after skipping flags and their values.
fn begins(words: &[&str], sub: &[String]) -> bool {
    let Some((first, rest)) = sub.split_first() else { return true };
    let mut after_flag = false;
    for (at, word) in words.iter().enumerate() {
        if word == first && words.get(at + 1..).is_some_and(|words| begins(words, rest)) {
            return true;
        }
        let flag = word.starts_with('-');
        // One word after a flag may be its value.
        if !flag && !after_flag {
            return false;
        }
        after_flag = flag;
    }
    false
}

/// Finds `-f` also in `-rf`, and `--force` also as `--force=yes` or abbreviated.
fn is_flag(word: &str, flag: &str) -> bool {
    let long = word.split_once('=').map_or(word, |(flag, _)| flag);
    if long == flag {
        return true;
    }
    if flag.starts_with("--") {
        return long.len() > 3 && flag.starts_with(long);
    }
    let letter = flag.strip_prefix('-').filter(|letter| letter.chars().count() == 1);
    let cluster = word.strip_prefix('-').filter(|cluster| !cluster.starts_with('-'));
    letter.zip(cluster).is_some_and(|(letter, cluster)| cluster.contains(letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_rules_hold() {
        assert_eq!(OURS.refused, []);
        assert!(OURS.rules.len() >= 4);
        assert!(OURS.rules.iter().all(|rule| rule.decision > Decision::Allow));
    }
}
