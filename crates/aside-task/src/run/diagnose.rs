//! Diagnoses why something failed from its output: the line that says so, the location it names, and the command that fixes it where
//! `suggest` knows one. The output comes from a finished command, or from text that the user pasted.

mod cause;
mod environment;
pub mod general;
pub mod named;
pub mod own;
mod remedy;
pub mod under_test;

#[cfg(test)]
mod tests;

use std::sync::LazyLock;

use aside_core::agent::language::{Language, Message};
use aside_core::suggest::{self, EndedRun, SuggestionSource, suggest};
use aside_redact::redact;
use aside_text as text;
use aside_text::lazy_regex::Regex;

use crate::proposal::{Proposal, WriteConfinement};
use crate::route::params::split_piped;
use crate::run::explain::status;
use crate::run::{ModelNeed, RunnerOutcome, code, short};
use cause::Cause;
use own::OwnProject;
use remedy::Remedy;

/// Characters of a command and of a message that are shown.
const MAX_SHOWN: usize = 200;
/// Lines that are searched for a pasted command.
const MAX_PROMPTS: usize = 20;
/// Remedies of several errors that are shown.
const MAX_REMEDIES: usize = 4;

/// What of the project a question about a failure names, where it says nothing else: `tests` of "why do my tests fail", one test of "why
/// is test_login failing".
pub fn goal_asked_about(words: &str) -> Option<String> {
    static ONE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"^(?i:why|how come)\s+(?i:is|does|do|did|won't|doesn't|isn't)\s+(?i:the\s+)?(?i:test\s+)?`?(?P<name>[a-z]\w*_\w+|Test[A-Z]\w*)`?(?i:\s+test)?\s+(?i:(?:still|always|not|keep|now)\s+)*(?i:fail(?:s|ed|ing)?|red|broken|break(?:s|ing)?|pass(?:es|ing)?|crash(?:es|ed|ing)?)$").ok()
    });
    let bare = words.trim().trim_end_matches(['?', '.', '!']);
    if let Some(name) = ONE.as_ref().and_then(|pattern| pattern.captures(bare)).and_then(|found| found.name("name")) {
        return Some(format!("{} only", name.as_str()));
    }
    of_all(words).map(str::to_owned)
}

fn of_all(words: &str) -> Option<&'static str> {
    static ASKED: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"(?i)^(?:so |please )?(?:(?:why|how come|what makes)\s+(?:do|does|did|are|is|won't|don't|doesn't|can't)?\s*)?(?:(?:the|my|our|all|all the|unit|these)\s+)*(?P<goal>tests?|test suite|suite|build|compilation|lint(?:er|ing)?|type ?check(?:s|er)?)\s+(?:(?:is|are|do|does|don't|doesn't|won't|can't|cannot|isn't|aren't|keeps?|still|always|all|just|now|suddenly|has been|have been|not|no longer)\s+)*(?:fail(?:s|ed|ing)?|red|broken|break(?:s|ing)?|pass(?:es|ing)?|work(?:s|ing)?|compil(?:e|es|ing)|crash(?:es|ed|ing)?|complain(?:s|ing)?)(?:\s+(?:again|here|now|today|for me|on my machine|locally))?(?:,?\s+(?:(?:please\s+|can you\s+)?(?:find out|tell me|see|check|figure out|show me|explain|look)\s+)?why)?$|^what(?:'s| is) wrong with (?:the|my|our) (?P<other>tests?|build|lint|type ?check)$").ok()
    });
    let words = words.trim().trim_end_matches(['?', '.', '!']);
    let found = ASKED.as_ref()?.captures(words)?;
    let goal = found.name("goal").or(found.name("other"))?.as_str().to_lowercase();
    // "The tests pass" reports no failure.
    let lower = words.to_lowercase();
    let is_fine = ["pass", "work", "compil"].iter().any(|word| lower.contains(word))
        && !["not", "n't", "no longer", "why"].iter().any(|word| lower.contains(word))
        && !lower.contains("compilation");
    (!is_fine).then_some(match goal.as_str() {
        goal if goal.starts_with("test") || goal == "suite" => "tests",
        goal if goal.starts_with("lint") => "lint",
        goal if goal.starts_with("type") => "typecheck",
        _ => "build",
    })
}

/// What failed: the command where it is known, and its output or what the user pasted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DiagnosedFailure<'a> {
    /// Empty when unknown.
    pub command: &'a str,
    pub exit: Option<i32>,
    pub output: &'a str,
    /// The project whose command it was, where that is known.
    pub project: Option<&'a OwnProject>,
}

impl<'a> DiagnosedFailure<'a> {
    /// A failure pasted into a request: uses all of the text, and takes a command after a prompt for the one that failed.
    pub fn pasted(request: &'a str) -> Self {
        let request = split_piped(request).1.unwrap_or(request);
        // A command below the error came after it.
        let message = cause::cause(request).map(|cause| cause.message().to_owned()).unwrap_or_default();
        let says = |line: &str| !message.is_empty() && line.contains(message.as_str());
        let until = request.lines().position(says).unwrap_or(usize::MAX);
        let prompts = request.lines().take(MAX_PROMPTS.min(until)).filter_map(|line| {
            let line = line.trim();
            let typed = ["$ ", "% ", "❯ ", "➜ "].iter().find_map(|prompt| line.strip_prefix(prompt));
            typed.or_else(|| line.split_once("$ ").filter(|(before, _)| before.contains('@')).map(|(_, typed)| typed))
        });
        // `❯ src/a.test.ts:6:76` points at a place, and `❯ src/a.test.ts (2)` at a file of tests.
        let is_place = |typed: &&str| {
            let first = typed.split_whitespace().next().unwrap_or_default();
            let last = first.rsplit(':').next().unwrap_or_default();
            let is_line = first.contains(':') && !last.is_empty() && last.chars().all(|letter| letter.is_ascii_digit());
            is_line || first.contains(".test.") || first.contains(".spec.")
        };
        let prompts = prompts.filter(|typed| !is_place(typed));
        Self { command: prompts.last().map_or("", str::trim), exit: None, output: request, project: None }
    }
}

/// The files and lines that the output names, the decisive one first, for collecting the model's context.
pub fn places(output: &str) -> Vec<(String, usize)> {
    cause::places(output)
}

/// Like `places`, plus everything that looks like a location: precise enough for reading a file.
pub fn mentioned(output: &str) -> Vec<(String, usize)> {
    cause::mentioned(output)
}

pub fn diagnose(request: &str, failure: &DiagnosedFailure<'_>, place: &suggest::SuggestContext<'_>) -> RunnerOutcome {
    let language = Language::of(request);
    let output = text::clean(failure.output);
    // One line of the request itself is prose, unless a pattern knows the error that it quotes.
    let is_prose = failure.output.trim() == request.trim() && output.trim().lines().count() == 1;
    let causes = if is_prose && !cause::is_known(&output) { Vec::new() } else { cause::causes(&output) };
    let cause = causes.first().cloned();
    // A missing key of the environment is an error of a dictionary by its words only.
    let unset = environment::unset(&output).map(Remedy::of_project);
    let own = |lines: &str| failure.project.and_then(|project| project.advice(lines)).map(Remedy::of_project);
    let of_cause = |cause: &Cause| own(&cause.lines()).or_else(|| remedy::of_cause(&cause.lines()));
    let mut remedies: Vec<Remedy> = match unset {
        Some(unset) => vec![unset],
        None => remedy::distinct(causes.iter().filter_map(of_cause), MAX_REMEDIES),
    };
    // A line elsewhere in the output may be about another error than one whose place is known.
    if remedies.is_empty() && causes.iter().all(|cause| cause.is_test() || !cause.has_place()) {
        remedies.extend(own(&output).or_else(|| remedy::of_output(&output)));
    }
    if let Some(project) = failure.project {
        remedies.iter_mut().for_each(|remedy| remedy.say(|text| project.in_terms(text)));
    }
    let remedy = remedies.first().cloned();
    // Piped-in output comes without its command: any command that fails in this way will do to look up the fix.
    let assumed = remedy.as_ref().map(|remedy| remedy.command.as_str()).filter(|_| failure.command.is_empty());
    let cure = cure(failure, &output, place).or_else(|| {
        let command = assumed.filter(|command| !command.is_empty())?;
        self::cure(&DiagnosedFailure { command, ..*failure }, &output, place)
    });
    // What is the project's own is not installed, and what is not is installed with the project's package manager.
    let cure = match failure.project {
        Some(project) => cure
            .filter(|(command, _)| !project.installs_own(command))
            .map(|(command, reason)| (project.in_terms(&command), project.in_terms(&reason))),
        None => cure,
    };
    if let Some((command, reason)) = cure {
        // The reasons of suggestions are English.
        let reason = match language {
            Language::English => capital(&reason),
            Language::Chinese => remedy.as_ref().map(|remedy| remedy.sentence(language).to_owned()).unwrap_or_default(),
        };
        let sentence = match &cause {
            Some(cause) => {
                let space = language.pick(" ", "");
                format!("{}{space}{reason}", cause.sentence(language))
            }
            None => reason.clone(),
        };
        let details = told(failure, &causes, Some(&command), &[], language);
        let summary = match language {
            Language::English => short(&format!("{}: {}", reason.trim_end_matches('.'), command), MAX_SHOWN),
            Language::Chinese => short(&format!("运行 {}", code(&command)), MAX_SHOWN),
        };
        let proposal = Proposal::Command {
            cmd: command,
            cwd: Some(place.cwd.to_owned()),
            reason: Some(short(&sentence, MAX_SHOWN * 2)),
            confine: WriteConfinement::No,
        };
        return RunnerOutcome { proposal, summary, details, model: ModelNeed::Better };
    }
    if let Some(cause) = cause {
        let text = told(failure, &causes, None, &remedies, language);
        return RunnerOutcome::answer(text, short(&cause.sentence(language), MAX_SHOWN), ModelNeed::Better);
    }
    if let Some(remedy) = remedy {
        let text = told(failure, &[], None, &remedies, language);
        return RunnerOutcome::answer(text, short(remedy.sentence(language), MAX_SHOWN), ModelNeed::Better);
    }
    unknown(request, failure)
}

/// An error message that a question quotes: `why does it say KeyError: 'net'`, `what does the error 'x not found' mean`.
pub fn quoted(question: &str) -> Option<&str> {
    if question.contains('\n') || question.chars().nth(MAX_QUESTION).is_some() {
        return None;
    }
    let found = QUOTED.as_ref()?.captures(question)?;
    let message = ["quote", "double", "first", "tick", "say", "exception"]
        .iter()
        .find_map(|group| found.name(group))?
        .as_str()
        .trim();
    is_known(message).then_some(message)
}

/// Characters of a question that quotes an error.
const MAX_QUESTION: usize = 300;

static QUOTED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let asks = r"(?i)^.*\b(?:error|exception|message|say|says|saying|complain\w*|fails? with|get|getting|got|see|seeing|mean|means|报错|错误|提示|说)";
    Regex::new(&format!(
        r#"{asks}\b.*?(?:'(?P<quote>.{{8,}})'|"(?P<double>[^"]{{8,}})")|^.*?(?:"(?P<first>[^"]{{8,}})"|`(?P<tick>[^`]{{8,}})`).*\b(?:mean|error|wrong|do about)|{asks}:? +(?P<say>\S.{{8,}})$|(?P<exception>\b(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception)\b: .+)$"#
    ))
    .ok()
});

/// Whether an output contains a known error.
pub fn is_known(output: &str) -> bool {
    cause::is_known(output) || remedy::of_output(output).is_some()
}

/// Whether a line of an output says that something is wrong, whichever tool it is of.
pub fn says_error(output: &str) -> bool {
    is_known(output) || general::said(output).is_some()
}

/// What the decisive line of an output says.
pub fn message(output: &str) -> Option<String> {
    cause::cause(&text::clean(output)).map(|cause| cause.message().to_owned())
}

/// What `suggest` would run next. A habitual next command is not a fix.
fn cure(failure: &DiagnosedFailure<'_>, output: &str, place: &suggest::SuggestContext<'_>) -> Option<(String, String)> {
    let exit = failure.exit.unwrap_or(1);
    let ended = EndedRun { command: failure.command, exit, output: Some(output), previous: &[], next: &[] };
    let suggestion = suggest(&ended, place)?;
    match suggestion.source {
        SuggestionSource::Output | SuggestionSource::Rule => Some((suggestion.command, suggestion.reason)),
        SuggestionSource::History | SuggestionSource::Model => None,
    }
}

fn told(
    failure: &DiagnosedFailure<'_>,
    causes: &[Cause],
    cure: Option<&str>,
    remedies: &[Remedy],
    language: Language,
) -> String {
    let mut told = String::new();
    if !failure.command.is_empty() {
        let command = code(&short(&redact(failure.command), MAX_SHOWN));
        told.push_str(&match (failure.exit, language) {
            (Some(exit), Language::English) => format!("{command} failed with status {exit}. "),
            (Some(exit), Language::Chinese) => format!("{command} 以状态 {exit} 失败。"),
            (None, Language::English) => format!("{command} failed. "),
            (None, Language::Chinese) => format!("{command} 失败了。"),
        });
    }
    if let [_, _, ..] = causes {
        told.push_str(&match language {
            Language::English if causes.iter().all(Cause::is_test) => format!("{} tests failed:\n\n", causes.len()),
            Language::Chinese if causes.iter().all(Cause::is_test) => format!("有 {} 个测试失败：\n\n", causes.len()),
            Language::English => format!("The output names {} errors:\n\n", causes.len()),
            Language::Chinese => format!("输出里有 {} 个错误：\n\n", causes.len()),
        });
        causes.iter().for_each(|cause| told.push_str(&format!("- {}\n", cause.row(language))));
    } else if let Some(cause) = causes.first() {
        told.push_str(&cause.sentence(language));
        told.push_str("\n\n");
        // Does not repeat a line that the sentence already contains in full.
        if !cause.is_said() {
            told.push_str(&cause.quoted());
        }
    } else if let Some(about) = failure.exit.and_then(|exit| status(failure.command, exit, language)) {
        told.push_str(&about);
        told.push('\n');
    }
    for remedy in remedies {
        let newline = if told.is_empty() || told.ends_with("\n\n") { "" } else { "\n" };
        told.push_str(&format!("{newline}{}\n", remedy.sentence(language)));
    }
    if let Some(cure) = cure {
        told.push_str(&format!("\n{}{}\n", language.pick("This may fix it: ", "这也许能解决："), code(cure)));
    }
    told
}

/// No known error: explains the exit status, and what to do next.
fn unknown(request: &str, failure: &DiagnosedFailure<'_>) -> RunnerOutcome {
    let language = Language::of(request);
    let about = failure.exit.filter(|exit| *exit != 0).and_then(|exit| status(failure.command, exit, language));
    let seen = !failure.output.trim().is_empty() && failure.output != request;
    let lines = failure.output.lines().filter(|line| !line.trim().is_empty()).count();
    let lines = match lines {
        1 => "1 line".to_owned(),
        lines => format!("{lines} lines"),
    };
    let next = match (failure.command.is_empty(), seen, language) {
        (true, false, Language::English) => "I see no error: paste it with its last lines, pipe it in (`make 2>&1 | aside task why`), or run the command again in this shell and ask then.".to_owned(),
        (true, false, Language::Chinese) => "没有看到错误：请粘贴错误信息的最后几行，用管道传入（`make 2>&1 | aside task 为什么`），或者在这个 shell 里再运行一次该命令，然后再问。".to_owned(),
        (false, false, Language::English) => "Its output was not seen: run it again and paste the last lines.".to_owned(),
        (false, false, Language::Chinese) => "没有看到它的输出：请再运行一次，并粘贴最后几行。".to_owned(),
        (_, true, Language::English) => format!("I see no error that I know in this output ({lines})."),
        (_, true, Language::Chinese) => format!("在这个输出里没有看到认识的错误（{} 行）。", lines.trim_end_matches(" lines").trim_end_matches(" line")),
    };
    let about = about.map(|about| format!("{about} ")).unwrap_or_default();
    // Names the command if it was not pasted.
    let about = match (seen, failure.exit) {
        (true, Some(exit)) if !failure.command.is_empty() => {
            let command = code(&short(&redact(failure.command), MAX_SHOWN));
            match language {
                Language::English => format!("{command} failed with status {exit}. {about}"),
                Language::Chinese => format!("{command} 以状态 {exit} 失败。{about}"),
            }
        }
        _ => about,
    };
    // A model helps only where something seems to be wrong.
    let lower = failure.output.to_lowercase();
    let is_wrong =
        ["error", "fail", "fatal", "exception", "panic", "cannot", "could not", "denied", "not found", "错误", "失败"]
            .iter()
            .any(|word| lower.contains(word));
    let model = if seen && is_wrong {
        format!("\n\n{}", language.says(Message::Beyond(aside_core::agent::ModelAbsence::Unset)))
    } else {
        String::new()
    };
    let text = format!("{about}{next}{model}");
    RunnerOutcome::answer(text, short(&format!("{about}{next}"), MAX_SHOWN), ModelNeed::Needed)
}

/// Adds a capital letter and a full stop.
fn capital(text: &str) -> String {
    let text = text.trim();
    let mut letters = text.chars();
    let Some(first) = letters.next() else { return String::new() };
    let stop = if text.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{}{}{stop}", first.to_uppercase(), letters.as_str())
}
