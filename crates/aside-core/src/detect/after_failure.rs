//! Decides whether a line that ran and failed was prose. The second layer of requirement 001 (docs/requirements.md) is
//! the first filter; further guards follow.

use std::ops::RangeInclusive;

use crate::detect::arguments::ArgumentReading;
use crate::detect::before_run::{has_agent_prefix, is_quotation, is_subject};
use crate::detect::english::{EnglishLine, ProseLevel, ProseScore, Token, TokenKind};
use crate::detect::evidence::{self, Evidence};
use crate::detect::local_names::{self, CommandHead};
use crate::detect::phrase::{has_content, is_amount};
use crate::detect::word_lists::lists;
use crate::detect::{Classification, DetectContext, FailureVerdict, RunEnd, languages, unknown_command};

/// Exit statuses by which a shell reports a signal. Others from 128 on are a program's own: git exits with 128 and 129.
const SIGNALS: RangeInclusive<i32> = 130..=150;
/// Commands whose status 1 is an answer: no match, not equal, not there. A line that they cannot read ends with 2. `test` is left out: it is a verb, too.
const PREDICATES: [&str; 12] =
    ["cmp", "contains", "diff", "egrep", "expr", "fgrep", "functions", "grep", "pgrep", "rg", "status", "string"];

pub fn after_failure(line: &str, end: &RunEnd<'_>, facts: &DetectContext<'_>) -> Classification<FailureVerdict> {
    let line = line.trim();
    if end.exit == 0 {
        return nothing("it went well");
    }
    if SIGNALS.contains(&end.exit) || end.exit < 0 {
        return nothing("a signal ended it");
    }
    if line.contains('\n') || line.starts_with('#') || has_agent_prefix(line, facts.agent_prefix) {
        return nothing("it has no words of a sentence");
    }
    let reading = read(line);
    let Some(first) = reading.first().filter(|_| reading.len() >= 2) else { return nothing("one word is a command") };
    if end.exit == 1 && PREDICATES.contains(&first.raw) {
        return nothing(format!("status 1 is an answer of {}", first.raw));
    }
    let failed = Failed { is_denied: is_denied(&reading, end), ..Failed::of(&reading, Evidence::of(end)) };
    if !failed.begins_a_sentence(first) {
        return nothing("it begins as only commands do");
    }
    // A single sign in a long sentence is the subject of the sentence.
    let ProseScore { core, signs, .. } = failed.rest;
    if signs > 0 && !(core >= 2 && signs * 5 <= failed.rest.functional()) {
        return nothing("it has the signs of a command");
    }
    if local_names::is_error(first.raw, facts) {
        return nothing("it is an error message");
    }
    // The shell treats these as its own words.
    if lists().constructs.contains(&first.raw) || lists().reserved.contains(&first.raw) {
        return failed.construct(first.raw, end);
    }
    let command = match local_names::command_head(first.raw, facts) {
        CommandHead::Missing => {
            return unknown_command::after_failure(&reading, failed.level, failed.by_document, failed.evidence, facts);
        }
        CommandHead::Own if end.output.is_none() || failed.level < ProseLevel::Strong => {
            return nothing(format!("{} is a command of your own", first.raw));
        }
        CommandHead::Own | CommandHead::Perhaps => first.raw.into(),
        CommandHead::Command(command) => command,
    };
    failed.command(&command, facts)
}

/// A glob does not make a command of a line that uses it as a noun: `find all *.tmp files`.
fn read(line: &str) -> EnglishLine<'_> {
    let reading = EnglishLine::of(line);
    let begins = reading.rest().first().is_some_and(|second| second.is_functional() || is_amount(second));
    let wordy = reading.rest().iter().filter(|token| token.is_wordy()).count();
    let soft = reading.rest().iter().filter(|token| token.is_soft()).count();
    if begins && soft > 0 && wordy > soft { reading.softened() } else { reading }
}

/// A line that failed, and what is known of it.
struct Failed<'r, 'l> {
    reading: &'r EnglishLine<'l>,
    /// The words behind the first.
    words: &'r [Token<'l>],
    rest: ProseScore,
    evidence: Evidence,
    /// How strongly these words suggest prose.
    level: ProseLevel,
    is_foreign: bool,
    /// The specified rule (requirement 001) says that it is prose.
    by_document: bool,
    /// Several words that the shell could not parse.
    by_syntax: bool,
    /// The tool itself says that it has no such subcommand.
    is_denied: bool,
}

fn is_denied(reading: &EnglishLine<'_>, end: &RunEnd<'_>) -> bool {
    let second = reading.rest().first().map_or("", |second| second.raw);
    !second.is_empty() && end.output.is_some_and(|output| evidence::denies(output, second))
}

impl<'r, 'l> Failed<'r, 'l> {
    fn of(reading: &'r EnglishLine<'l>, evidence: Evidence) -> Self {
        let words = reading.rest();
        let rest = ProseScore::of(words);
        let second = words.first().map_or("", |second| second.plain.as_str());
        let by_syntax = reading.len() >= 4 && evidence.syntax;
        let raw: Vec<&str> = reading.tokens.iter().map(|token| token.raw).collect();
        let is_foreign = rest.signs == 0 && languages::detect_language(&raw).is_some_and(|spoken| spoken.weight >= 0.5);
        // A sign in a long sentence does not change that it is one.
        let is_long = rest.signs > 0 && rest.core >= 2;
        Self {
            reading,
            words,
            evidence,
            level: if is_foreign || is_long { ProseLevel::Strong } else { rest.level() },
            rest,
            is_foreign,
            by_document: evidence.named && (lists().words.contains(second) || by_syntax),
            by_syntax,
            is_denied: false,
        }
    }

    fn begins_a_sentence(&self, first: &Token<'_>) -> bool {
        match first.sort {
            TokenKind::Core
            | TokenKind::Link
            | TokenKind::Speech
            | TokenKind::Listed
            | TokenKind::Word
            | TokenKind::Number => true,
            TokenKind::Name => is_subject(self.reading),
            TokenKind::Quoted => is_quotation(self.reading),
            TokenKind::Sign => false,
        }
    }

    fn construct(&self, first: &str, end: &RunEnd<'_>) -> Classification<FailureVerdict> {
        if (end.unreadable || self.evidence.syntax) && self.level >= ProseLevel::Fair {
            agent(format!("the shell cannot read it, and what follows “{first}” is a sentence"))
        } else {
            nothing(format!("“{first}” begins a construct of the shell"))
        }
    }

    fn command(&self, command: &str, facts: &DetectContext<'_>) -> Classification<FailureVerdict> {
        if lists().free.contains(command) {
            return nothing(format!("{command} takes words for what they are"));
        }
        // The specified filter: an output without any such error is that of a command that ran.
        let Evidence { seen, named, more, .. } = self.evidence;
        if seen && !named && !more && !self.is_foreign {
            return nothing("its output names no error that a sentence causes");
        }
        let second = self.words.first().map_or("", |second| second.raw);
        let meaning = ArgumentReading { command, words: self.words, rest: &self.rest, facts };
        if meaning.runs_another() {
            return nothing(format!("{command} runs what follows it"));
        }
        if !self.is_denied && local_names::knows(command, second, facts) {
            // A sentence may mention a subcommand or a file; a target or a script is meant as such.
            return if !local_names::is_live(command, second, facts) && meaning.is_about_known() {
                agent(format!("{command} failed, and the line reads as a sentence"))
            } else {
                nothing(format!("{second} is known to {command}, or is here"))
            };
        }
        if meaning.is_name() {
            return nothing("a file is called like that");
        }
        let takes_names = lists().takes_names(command);
        if meaning.is_missing()
            || self.is_foreign_sentence()
            || !meaning.is_pattern() && (self.is_sentence() || !takes_names && self.is_listed())
        {
            agent(format!("{command} failed, and what follows it reads as a sentence"))
        } else {
            nothing("nothing speaks for a sentence")
        }
    }

    /// Whether the words and the failure together are sufficient.
    fn is_sentence(&self) -> bool {
        let Self { words, rest, evidence, level, .. } = self;
        let second = words.first();
        let speaks = second.is_some_and(Token::is_functional);
        let count = words.len();
        if count < 3 && !has_content(words) {
            return false;
        }
        match (self.by_document, evidence.seen) {
            // Both the error and the word are in the specified lists.
            (true, true) => {
                *level >= ProseLevel::Fair
                    || rest.names == 0 && (speaks && count >= 2 || rest.functional() >= 1 && count >= 3)
                    || second.is_some_and(|second| matches!(second.plain.as_str(), "ahead" | "please" | "sure"))
            }
            (false, true) => evidence.more && *level >= ProseLevel::Strong && count >= 3 || self.is_certain(),
            // Only the exit status is known.
            (_, false) => self.is_certain() && (evidence.named || rest.names == 0 || self.is_long()),
        }
    }

    /// Only the specified rule, for plain words that name nothing here. Two words are too few: `git update`.
    fn is_listed(&self) -> bool {
        let is_seen = self.by_document && self.evidence.seen && self.words.len() >= 2;
        // `make check test`, where neither target exists.
        let is_target = |token: &Token<'_>| lists().forgotten.contains(token.plain.as_str());
        (is_seen || self.by_syntax) && self.words.iter().all(Token::is_plain) && !self.words.iter().all(is_target)
    }

    fn is_foreign_sentence(&self) -> bool {
        self.is_foreign && (self.evidence.any || !self.evidence.seen)
    }

    /// Sufficient evidence of prose where only the exit status is known.
    fn is_certain(&self) -> bool {
        let Self { words, rest, level, .. } = self;
        let count = words.len();
        *level == ProseLevel::Strong && (rest.core >= 2 || count >= 3 && rest.functional() * 4 >= count)
            || *level >= ProseLevel::Fair && count >= 4 && rest.core >= 1
            || rest.functional() >= 2 && count >= 3 && self.is_all_words()
    }

    /// Only words, of which the second is a function word: `ls but only directories`.
    fn is_all_words(&self) -> bool {
        self.words.first().is_some_and(Token::is_functional) && self.words.iter().all(Token::is_wordy)
    }

    /// Contains names, but is a sentence without them.
    fn is_long(&self) -> bool {
        let Self { words, rest, .. } = self;
        let begins = words.first().is_some_and(Token::is_wordy);
        begins && rest.core >= 1 && rest.functional() >= 2 && rest.functional() + rest.core >= 4 + rest.names
    }
}

fn agent(reason: impl Into<String>) -> Classification<FailureVerdict> {
    Classification::<FailureVerdict>::reroute(reason)
}

fn nothing(reason: impl Into<String>) -> Classification<FailureVerdict> {
    Classification::<FailureVerdict>::nothing(reason)
}
