//! Commands that an output names: quoted, indented below a sentence that asks for them, behind "run" or "try". Only in
//! these shapes, only from commands that report about themselves, and never a destructive one.

use std::sync::LazyLock;

use aside_commands::shell_names::builtins;
use aside_commands::world::Fact;
use aside_text::lazy_regex::Regex;
use shell_line as line;

use crate::suggest::carry_flags::{self, FlagScope};
use crate::suggest::check::{Trust, interprets, passes};
use crate::suggest::parsed_run::{ParsedRun, SimpleCommand};
use crate::suggest::placeholder::has_placeholder;
use crate::suggest::worth_asking::{self, filter};
use crate::suggest::{Suggestion, SuggestionSource, listed_choices, never_suggested, template, tool_did_you_mean};

/// Minimum confidence after a failure, and after a success.
const LEAST_FAILED: f32 = 0.4;
const LEAST_WELL: f32 = 0.6;
/// Lines of an output that complains; a longer one explains.
const MAX_COMPLAINT: usize = 12;
/// Bytes of a reason.
const MAX_REASON: usize = 120;

struct Candidate<'o> {
    text: &'o str,
    /// The line that contains it, for the reason.
    line: &'o str,
    shape: Shape,
}

/// How the output names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Quoted,
    Indented,
    Prompt,
    /// Behind "run:".
    Colon,
    /// Behind "resume with".
    Resume,
    /// Behind "run", with nothing that marks its end.
    Bare,
}

pub fn named_command(parsed_run: &ParsedRun<'_>) -> Option<Suggestion> {
    let output = parsed_run.output.as_deref()?;
    let step = parsed_run.last()?;
    if filter().is_hostile(&parsed_run.lower) || !worth_asking::is_worth(step.name(), parsed_run.exit, output) {
        return None;
    }
    // A program without arguments that prints its usage names all of its commands and recommends none.
    let is_usage = step.words.len() == 1 && (parsed_run.exit == 0 || output.lines().count() > MAX_COMPLAINT);
    if is_usage && parsed_run.lower.lines().any(|line| line.trim_start().starts_with("usage:")) {
        return None;
    }
    if parsed_run.steps.iter().any(|step| filter().is_content(step)) {
        return own_help(output, step, parsed_run);
    }
    if let Some(meant) = tool_did_you_mean::suggestion(output, parsed_run) {
        return Some(meant);
    }
    let lines: Vec<&str> = worth_asking::tail(output).collect();
    let mut best: Option<Suggestion> = None;
    for candidate in candidates(&lines, step.name()) {
        let Some(offer) = candidate.judged(parsed_run, step) else { continue };
        if best.as_ref().is_none_or(|best| offer.confidence > best.confidence) {
            best = Some(offer);
        }
    }
    let least = if parsed_run.exit == 0 { LEAST_WELL } else { LEAST_FAILED };
    best.filter(|best| best.confidence >= least)
}

impl Candidate<'_> {
    fn judged(&self, parsed_run: &ParsedRun<'_>, step: &SimpleCommand) -> Option<Suggestion> {
        let command = trimmed(self.text, self.shape);
        // Wide gaps mean a table of commands, which is not an instruction to run one.
        let is_listed = command.contains("  ") && self.shape != Shape::Quoted;
        if is_listed
            || command.is_empty()
            || command == parsed_run.line
            || has_placeholder(command)
            || filter().is_ignored(command)
            || never_suggested::is_incomplete(command, &parsed_run.place)
            || forces(command, parsed_run)
        {
            return None;
        }
        let dialect = parsed_run.place.dialect;
        let parsed = line::parse(command, dialect);
        let words = &parsed.commands.first()?.words;
        let name = words.first()?.value.as_str();
        if interprets(command, &parsed_run.place) {
            return None;
        }
        let second = words.get(1).map(|word| word.value.as_str());
        if !self.is_command(name, second, step, parsed_run)
            || !template::is_plain(command, dialect)
            || !passes(command, Trust::Output { typed: &[parsed_run.line] }, &parsed_run.place)
        {
            return None;
        }
        let kept = carry_flags::with_flags(command, step, FlagScope::All, parsed_run)?;
        if kept == parsed_run.line
            || !never_suggested::allows(command, parsed_run)
            || !never_suggested::allows(&kept, parsed_run)
        {
            return None;
        }
        let confidence = self.confidence(command, name, step);
        let line = self.line.trim();
        let cut = line.get(..line.floor_char_boundary(MAX_REASON)).unwrap_or(line);
        let reason = format!("{} says: {cut}", step.name());
        Some(Suggestion { command: kept, source: SuggestionSource::Output, reason, confidence })
    }

    /// Whether it begins like a command, and not like the rest of a sentence.
    fn is_command(&self, name: &str, second: Option<&str>, step: &SimpleCommand, parsed_run: &ParsedRun<'_>) -> bool {
        let place = &parsed_run.place;
        let known = builtins::known(place.names, place.world, place.dialect, name);
        if name == step.name() && known != Fact::No {
            // A program's own name in a sentence: `run make` is a command, `use git carefully` is not.
            return self.shape != Shape::Bare || second.is_none_or(|second| is_argument(name, second, parsed_run));
        }
        let is_word = filter().words.contains(&name)
            || !name.chars().all(|letter| letter.is_ascii_lowercase() || "-_.0123456789/".contains(letter));
        let is_path = name.starts_with("./") || name.starts_with("../");
        match self.shape {
            Shape::Quoted | Shape::Indented | Shape::Prompt | Shape::Colon | Shape::Resume => {
                if is_path {
                    return true;
                }
                known != Fact::No && (!is_word || second.is_some_and(|second| is_argument(name, second, parsed_run)))
            }
            Shape::Bare => known == Fact::Yes(()) && second.is_some_and(|second| is_argument(name, second, parsed_run)),
        }
    }

    fn confidence(&self, command: &str, name: &str, step: &SimpleCommand) -> f32 {
        let shape = match self.shape {
            Shape::Resume => 0.9,
            Shape::Quoted | Shape::Indented | Shape::Colon => 0.75,
            Shape::Prompt => 0.7,
            Shape::Bare => 0.65,
        };
        let own = if name == step.name() { 0.05 } else { 0.0 };
        let words: Vec<&str> = command.split(' ').collect();
        let helps =
            words.iter().any(|word| matches!(*word, "--help" | "-h" | "help" | "--usage" | "--version" | "man"));
        let odd = ["--abort", "--force", "-f", "--hard", "uninstall", "remove", "--quit", "--skip"];
        let odd = words.iter().any(|word| odd.contains(word));
        shape + own - if helps { 0.3 } else { 0.0 } - if odd { 0.15 } else { 0.0 }
    }
}

/// Whether it bypasses a check that the tool has just made, or gives up what was begun, without the user having asked
/// for that.
fn forces(command: &str, parsed_run: &ParsedRun<'_>) -> bool {
    const FORCE: [&str; 10] = [
        "--force",
        "--hard",
        "--overwrite",
        "--discard-changes",
        "--clobber",
        "--purge",
        "-D",
        "--abort",
        "--quit",
        "--skip",
    ];
    let typed: Vec<&str> = parsed_run.line.split_whitespace().collect();
    command.split_whitespace().any(|word| {
        let name = word.split_once('=').map_or(word, |(name, _)| name);
        FORCE.contains(&name) && !typed.contains(&word)
    })
}

/// A flag, a path, a subcommand: nothing that continues a sentence.
fn is_argument(name: &str, word: &str, parsed_run: &ParsedRun<'_>) -> bool {
    let place = &parsed_run.place;
    word.starts_with('-') && word.len() > 1
        || word.contains(['/', '=', '.'])
        || place.specs.find(name, place.world).is_some_and(|spec| spec.sub(word).is_some())
}

/// Whether it is one of the hints that git prints below every status: after `git stash pop` they do not ask for a
/// commit. Hints to push or pull are kept.
fn is_status(line: &str) -> bool {
    let is_aside = line.contains("(use \"git ") || line.trim().starts_with('(') && line.trim().ends_with(')');
    is_aside && !["\"git push\"", "\"git pull\""].iter().any(|named| line.contains(named))
}

fn candidates<'o>(lines: &[&'o str], name: &str) -> Vec<Candidate<'o>> {
    let mut found = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        let line = *line;
        if is_noise(line) || line.len() >= worth_asking::MAX_LINE || name == "git" && is_status(line) {
            continue;
        }
        found.extend(quoted(line, name).into_iter().map(|text| Candidate { text, line, shape: Shape::Quoted }));
        found.extend(behind(line));
        if let Some(text) = prompt(line) {
            found.push(Candidate { text, line, shape: Shape::Prompt });
        } else if (is_indented(line) || is_own(line, name)) && asks(lines, number) {
            found.push(Candidate { text: line.trim(), line, shape: Shape::Indented });
        }
    }
    found
}

/// A notice about something other than the failure.
fn is_noise(line: &str) -> bool {
    ["[notice]", "npm notice", "DEPRECATED", "DEPRECATION:"].iter().any(|begin| line.trim_start().starts_with(begin))
        && !line.contains("To update, run:")
}

/// Quoted text behind a word that introduces a command; with the quotes of other languages, anything that begins with
/// the program itself.
fn quoted<'o>(line: &'o str, name: &str) -> Vec<&'o str> {
    let mut found = Vec::new();
    let pairs =
        [('`', '`'), ('\'', '\''), ('"', '"'), ('“', '”'), ('‘', '’'), ('`', '\''), ('»', '«'), ('«', '»'), ('„', '“')];
    for (open, close) in pairs {
        let mut from = 0;
        while let Some(start) = line.get(from..).and_then(|rest| rest.find(open)).map(|at| from + at) {
            let begin = start + open.len_utf8();
            let Some(end) = line.get(begin..).and_then(|rest| rest.find(close)).map(|at| begin + at) else { break };
            from = end + close.len_utf8();
            let before = line.get(..start).unwrap_or_default();
            // A quote within a command: its end is not certain.
            let behind = line.get(from..).unwrap_or_default();
            let ends = |letter: char| letter.is_whitespace() || ".,;:)!?]”’`\"".contains(letter);
            let mixed = open != close && open == '`' && behind.contains('`');
            let opens = line.get(begin..end).is_some_and(|text| text.ends_with(char::is_whitespace));
            let goes_on = mixed || opens || !behind.chars().next().is_none_or(ends);
            if goes_on {
                from = begin;
                continue;
            }
            // `Use the 'flask --app' option`: mentioned, not meant to be run.
            let spoken = ["option", "flag", "argument", "parameter", "setting", "variable", "environment"];
            if spoken.iter().any(|what| behind.trim_start().starts_with(what)) {
                continue;
            }
            let is_foreign = matches!(open, '»' | '«' | '„');
            let is_own = || line.get(begin..end).is_some_and(|text| text.starts_with(name) && text.len() > name.len());
            let is_asked = leads(before) || is_foreign && is_own();
            if before.chars().next_back().is_none_or(|letter| !letter.is_alphanumeric()) && is_asked {
                found.extend(line.get(begin..end));
            } else if open == close {
                // The quote may have been a closing one.
                from = begin;
            }
        }
    }
    found
}

/// Whether the last words introduce a command.
fn leads(before: &str) -> bool {
    const LEADS: [&str; 18] = [
        "run", "running", "rerun", "try", "use", "using", "execute", "type", "with", "invoke", "via", "do", "call",
        "command", "trying", "enter", "issue", "or",
    ];
    // Only the last sentence counts.
    let before = before.rsplit_once(". ").map_or(before, |(_, before)| before);
    let words = before.rsplit(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    words.take(3).any(|word| LEADS.contains(&word.to_lowercase().as_str()))
}

/// An unquoted command behind such a word.
fn behind(line: &str) -> Option<Candidate<'_>> {
    static COLON: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"(?i)\b(?:run|try|use|execute|type|with|running|using|command|issue|do)(?: (?:this|it|the following|command|again|with|instead|now)){0,3}:\s+(?P<text>\S.*)$").ok()
    });
    static RESUME: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"(?i)\b(?:resume|continue|reattach|restore|pick up|reconnect)\b[^.:]{0,40}\b(?:with|using|by running|via|run)\b:?\s+(?P<text>[a-z][\w.-]*\s.*)$").ok()
    });
    static BARE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"\b(?:[Rr]un|[Tt]ry|[Uu]se|[Ee]xecute|[Uu]sing|[Rr]unning|RUN|[Tt]ype)\s+(?P<text>(?:sudo )?[a-z][\w.-]*(?:\s.*)?)$").ok()
    });
    for (regex, shape) in [(&RESUME, Shape::Resume), (&COLON, Shape::Colon), (&BARE, Shape::Bare)] {
        let text = regex.as_ref().and_then(|regex| regex.captures(line)?.name("text"));
        if let Some(text) = text {
            return Some(Candidate { text: text.as_str(), line, shape });
        }
    }
    None
}

fn prompt(line: &str) -> Option<&str> {
    let text = line.trim_start();
    let rest = text.strip_prefix("$ ").or_else(|| text.strip_prefix("% "))?;
    rest.starts_with(|letter: char| letter.is_ascii_lowercase() || letter == '.').then_some(rest.trim())
}

fn is_indented(line: &str) -> bool {
    let text = line.trim_start();
    let depth = line.len() - text.len();
    (depth >= 2 || line.starts_with('\t'))
        && text.starts_with(|letter: char| letter.is_ascii_lowercase() || letter == '.')
}

/// A line that begins with the program's name needs no indentation.
fn is_own(line: &str, name: &str) -> bool {
    line.strip_prefix(name).is_some_and(|rest| rest.starts_with(' '))
}

/// Whether the text above an indented line introduces a command: the line above, or the one above an empty line.
fn asks(lines: &[&str], number: usize) -> bool {
    let above = lines.get(..number).unwrap_or_default().iter().rev();
    let mut above = above.skip_while(|line| is_indented(line)).map(|line| line.trim()).filter(|line| !line.is_empty());
    let Some(line) = above.next() else { return false };
    // `Command(s) not found:` lists unknown names.
    if listed_choices::complains(line) {
        return false;
    }
    let lower = line.to_lowercase();
    let asks = ["run", "use", "try", "execute", "with", "command", "by", "do", "to fix", "using", "following", "type"];
    let last = lower.trim_end_matches([':', '.', ' ', ')']).rsplit(' ').next().unwrap_or_default().to_owned();
    asks.contains(&last.as_str())
        || line.ends_with(':')
            && lower.split(|letter: char| !letter.is_alphanumeric()).any(|word| {
                matches!(
                    word,
                    "run" | "use" | "try" | "execute" | "running" | "using" | "command" | "commands" | "with" | "fix"
                )
            })
}

/// Strips what belongs to the sentence around it.
fn trimmed(text: &str, shape: Shape) -> &str {
    let mut text = text.trim();
    if let Some((command, _)) = text.split_once(" #") {
        text = command.trim_end();
    }
    if matches!(shape, Shape::Bare | Shape::Colon | Shape::Resume) {
        // Unquoted: cuts where the sentence continues after the command.
        let ends = [
            " to ",
            " for ",
            " and ",
            " or ",
            " if ",
            " before ",
            " when ",
            " instead",
            ", ",
            "; ",
            " (",
            " first",
            " again",
            " in order",
            " then ",
            " that ",
            " which ",
            " on your",
            " from the",
            ". ",
            " after",
            " as root",
        ];
        let end = ends.iter().filter_map(|end| text.find(end)).min().unwrap_or(text.len());
        // The rest of a sentence may be cut, but not the rest of a command.
        let rest = text.get(end..).unwrap_or_default();
        if rest.starts_with("; ") || rest.contains(['|', '`', '$', '>']) || rest.contains("&&") || rest.contains(" --")
        {
            return "";
        }
        text = text.get(..end).unwrap_or(text);
        text = text.trim_matches(['`', '"', '\'', '“', '”', '‘', '’']);
        // A path or a dot is an argument; sentence punctuation is not.
        if !text.ends_with(" .") && !text.ends_with("/.") {
            text = text.trim_end_matches(['.', ',', ';', ':', '!', ')']);
        }
    }
    text.trim()
}

/// `Try 'grep --help' for more information`: from any program, about itself.
fn own_help(output: &str, step: &SimpleCommand, parsed_run: &ParsedRun<'_>) -> Option<Suggestion> {
    let help = format!("{} --help", step.name());
    let line = worth_asking::tail(output).find(|line| line.contains("Try") && line.contains(&help))?;
    let fits = parsed_run.exit != 0
        && help != parsed_run.line
        && passes(&help, Trust::Output { typed: &[parsed_run.line] }, &parsed_run.place);
    let reason = format!("{} says: {}", step.name(), line.trim());
    fits.then_some(Suggestion { command: help, source: SuggestionSource::Output, reason, confidence: 0.45 })
}
