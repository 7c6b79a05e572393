//! The hits and misses in the data files: every `+` row is what its list is for, every `-` row what it must not match.

use shell_line::Dialect;

use super::{Wrong, with};
use crate::detect::evidence::Evidence;
use crate::detect::{FailureVerdict, PreRunVerdict, RunEnd, after_failure, before_run};

const SEED: &str = include_str!("../../../data/detect/seed.txt");
const ENGLISH: &str = include_str!("../../../data/detect/english.txt");
const ACTS: &str = include_str!("../../../data/detect/acts.txt");
const TAKES: &str = include_str!("../../../data/detect/takes.txt");
const ERRORS: &str = include_str!("../../../data/detect/errors.txt");

struct Example {
    section: &'static str,
    is_hit: bool,
    line: &'static str,
}

fn examples(text: &'static str) -> Vec<Example> {
    let mut section = "";
    let mut examples = Vec::new();
    for row in text.lines() {
        if let Some(line) = row.strip_prefix("+ ").or_else(|| row.strip_prefix("- ")) {
            examples.push(Example { section, is_hit: row.starts_with('+'), line });
        } else if let Some(name) = row.strip_prefix('[').and_then(|row| row.strip_suffix(']')) {
            section = if name.is_empty() || name == "[" { section } else { name };
        }
    }
    examples
}

/// Before it runs, or after it has failed without a captured output.
fn reaches_the_agent(line: &str) -> bool {
    with(Dialect::Zsh, |facts| {
        let ends = [1, 127].map(|exit| RunEnd { exit, unreadable: false, output: None });
        before_run(line, facts).verdict == PreRunVerdict::Agent
            || ends.iter().any(|end| after_failure(line, end, facts).verdict == FailureVerdict::Agent)
    })
}

fn check(text: &'static str, is_reached: impl Fn(&Example) -> bool) {
    let examples = examples(text);
    assert!(examples.len() > 20, "a test of nothing");
    let mut wrong = Wrong::default();
    for example in examples.iter().filter(|example| is_reached(example) != example.is_hit) {
        wrong.0.push(format!("[{}] {} {}", example.section, if example.is_hit { "+" } else { "-" }, example.line));
    }
    wrong.none();
}

#[test]
fn what_acts_is_taken_before_it_runs_and_nothing_else() {
    check(ACTS, |example| with(Dialect::Zsh, |facts| before_run(example.line, facts).verdict == PreRunVerdict::Agent));
}

#[test]
fn what_commands_take_is_left_to_them() {
    check(TAKES, |example| reaches_the_agent(example.line));
}

#[test]
fn the_words_of_english_do_what_their_list_says() {
    check(ENGLISH, |example| reaches_the_agent(example.line));
}

#[test]
fn the_lists_of_the_document_reach_what_they_are_for() {
    check(SEED, |example| match example.section {
        "errors" => Evidence::read(example.line).named,
        "syntax" => Evidence::read(example.line).syntax,
        _ => reaches_the_agent(example.line),
    });
}

#[test]
fn errors_are_known_by_their_words() {
    check(ERRORS, |example| Evidence::read(example.line).more);
}

/// A list without examples could contain anything.
#[test]
fn every_list_has_an_example() {
    for text in [SEED, ENGLISH, TAKES] {
        let examples = examples(text);
        let headings = text.lines().filter(|row| row.len() > 2 && row.starts_with('[') && row.ends_with(']'));
        for name in headings.map(|row| row.trim_matches(['[', ']'])) {
            assert!(examples.iter().any(|example| example.section == name), "{name}");
        }
    }
}
