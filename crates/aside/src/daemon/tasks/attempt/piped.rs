//! Routes a question about piped-in output: whatever its words, it asks what went wrong there.

use aside_task::route::intent::{IntentParams, TaskKind};
use aside_task::route::params::split_piped;
use aside_task::route::{Route, TaskScope};
use aside_task::run::diagnose::{is_known, named, says_error};
use aside_task::run::short;
use aside_text::speech_act;

use crate::daemon::tasks::attempt::MAX_SAID;

/// A piped-in error is diagnosed, however the question is phrased: explaining it means saying what went wrong.
pub(super) fn about_piped(route: Route, request: &str) -> Route {
    let (words, piped) = split_piped(request);
    let Some(piped) = piped else { return route };
    let asks = match route.intent.kind {
        TaskKind::Explain | TaskKind::Help | TaskKind::Status => true,
        // `where is the leak?`, `how do I get it going again`: the text is what is asked about.
        TaskKind::Search | TaskKind::Change | TaskKind::Run
            if route.intent.params.cmd.is_none() && is_question(words) && !named::wants_else(words) =>
        {
            true
        }
        // `curl is stuck`, `cmake cant configure`, `ruff`: a statement or a name, and no order.
        TaskKind::Search | TaskKind::Change | TaskKind::Run
            if is_statement(words) && !named::wants_else(words) && named::is_failure(piped) =>
        {
            true
        }
        TaskKind::Search | TaskKind::Change | TaskKind::Run => is_about_failure(words),
        TaskKind::Diagnose | TaskKind::Review => false,
    };
    if asks && named::is_failure(piped) && !named::wants_else(words) {
        return to_diagnose(route, words, request);
    }
    // What no pattern knows is still an error if it says so and the question is about one.
    let says = || is_about_failure(words) || says_error(piped) && asks_why(words);
    if asks && (is_known(piped) || says() && says_error(piped)) { to_diagnose(route, words, request) } else { route }
}

pub(super) fn to_diagnose(mut route: Route, words: &str, request: &str) -> Route {
    let params = &mut route.intent.params;
    let question = params.question.take().unwrap_or_else(|| request.to_owned());
    *params = IntentParams {
        change_request: Some(question),
        files: std::mem::take(&mut params.files),
        ..IntentParams::default()
    };
    route.intent.kind = TaskKind::Diagnose;
    route.intent.summary = format!("Diagnose: {}", short(words, MAX_SAID));
    route.scope = TaskScope::Full;
    route
}

/// Whether words ask something, or ask for help.
fn is_question(words: &str) -> bool {
    let lower = words.trim().to_lowercase();
    let first = lower.split(|letter: char| !letter.is_alphanumeric() && letter != '\'').next().unwrap_or_default();
    let asks = [
        "why", "what", "what's", "where", "where's", "how", "which", "who", "when", "is", "are", "does", "do", "did",
        "can", "any", "explain", "help",
    ];
    lower.ends_with(['?', '？'])
        || asks.contains(&first)
        || lower.split_whitespace().any(|word| word.trim_matches(',') == "help")
}

/// Whether words state something, or only name a thing: their first word, or the program that they begin with, is no order.
fn is_statement(words: &str) -> bool {
    let lower = words.trim().to_lowercase().replace('\'', "");
    let parts: Vec<&str> = lower
        .split(|letter: char| !letter.is_alphanumeric() && letter != '-')
        .filter(|part| !part.is_empty())
        .collect();
    let states = [
        "is",
        "are",
        "was",
        "gives",
        "gave",
        "says",
        "said",
        "wont",
        "cant",
        "cannot",
        "doesnt",
        "didnt",
        "isnt",
        "fails",
        "failed",
        "broke",
        "breaks",
        "broken",
        "complains",
        "complained",
        "dies",
        "died",
        "dying",
        "keeps",
        "hangs",
        "shows",
        "prints",
        "returns",
        "throws",
        "spits",
        "blows",
        "blew",
        "crashes",
        "crashed",
        "exits",
        "refuses",
        "output",
        "log",
        "error",
        "errors",
        "not",
        "stuck",
        "does",
        "has",
        "never",
        "stopped",
        "stops",
        "wants",
        "goes",
        "went",
        "unhappy",
        "red",
    ];
    match parts.as_slice() {
        [only] => !speech_act::is_order(only) || aside_task::route::command::is_program(only),
        [_, rest @ ..] => rest.iter().take(3).any(|word| states.contains(word)),
        [] => true,
    }
}

/// Whether words about piped text ask what it means or why it is so.
fn asks_why(words: &str) -> bool {
    let lower = words.to_lowercase();
    let small = ["why", "what", "explain", "how come", "help", "为什么", "怎么", "解释", "什么"];
    small.iter().any(|word| lower.trim_start().starts_with(word)) && lower.split_whitespace().count() <= 8
}

/// Whether words about piped text ask what failed, or order to fix it without saying what else to change.
fn is_about_failure(words: &str) -> bool {
    let lower = words.to_lowercase();
    let mut parts = lower.split(|letter: char| !letter.is_alphanumeric()).filter(|part| !part.is_empty());
    let fails = [
        "fail", "failed", "fails", "failing", "failure", "failures", "broke", "broken", "wrong", "error", "errors",
        "crash", "crashed", "problem", "issue",
    ];
    let small = [
        "fix", "solve", "repair", "resolve", "this", "it", "that", "please", "for", "me", "can", "you", "the", "make",
        "work", "do", "now", "what", "how", "i", "to", "should",
    ];
    let chinese = ["失败", "出错", "报错", "错误", "问题", "修复", "解决", "怎么办", "挂了"];
    parts.clone().any(|part| fails.contains(&part))
        || parts.all(|part| small.contains(&part))
        || chinese.iter().any(|word| words.contains(word))
}

#[cfg(test)]
mod tests {
    use aside_task::route::{RouteOptions, Routed, route};

    use super::*;

    fn kind(words: &str, piped: &str) -> TaskKind {
        let request = format!("{words}\n\n```stdin\n{piped}```\n");
        assert!(split_piped(&request).1.is_some(), "{request}");
        match route(&request, &RouteOptions::default()) {
            Routed::Task(route) => about_piped(route, &request).intent.kind,
            Routed::Apply { .. } => panic!("{words}"),
        }
    }

    #[test]
    fn a_question_over_piped_errors_is_about_them() {
        let trace = "Traceback (most recent call last):\n  File \"pump.py\", line 3, in run\nKeyError: 'rate'\n";
        for words in [
            "where is the bug?",
            "the pump keeps stopping, help",
            "what do I need to do to get the pump going again",
            "explain these key errors",
            "how do I make this go away",
            "which line is it",
            "python is stuck",
            "pump.py keeps dying",
            "cmake cant configure",
            "ruff",
            "pytest output",
        ] {
            assert_eq!(kind(words, trace), TaskKind::Diagnose, "{words}");
        }
        for words in ["find the lines with KeyError", "grep for rate", "review this", "add a test for rate"] {
            assert_ne!(kind(words, trace), TaskKind::Diagnose, "{words}");
        }
        // Text that reports no failure is what the words say it is.
        assert_ne!(kind("what does this do", "def run(rate):\n    return rate\n"), TaskKind::Diagnose);
    }
}
