//! Answers to questions about Aside itself, from `data/task/topics.toml`: undoing, approval, models, privacy.

use std::sync::LazyLock;

use aside_core::agent::language::{Bilingual, Language};
use aside_text::lazy_regex::Regex;

use crate::run::{ModelNeed, RunnerOutcome, short, toml_lists};

const LIST: &str = include_str!("../../data/task/topics.toml");
/// Characters of such a question, and of a summary.
const MAX_LETTERS: usize = 160;
const MAX_SUMMARY: usize = 160;
/// "How do I", also as it is said with the words in another order.
const HOW: &str = r"(?:(?:please )?how (?:do|can|would|could|should|must|does) (?:i|we|one|you)|(?:please )?how (?:i|we) (?:can|must|should|could|do|may)|how to|can i|could i|is there (?:a|any) way to|what(?:\x27s| is) the (?:way|command) to|i want to|where (?:do|can) i)";

struct Topic {
    pattern: Regex,
    says: Bilingual,
}

static ALL: LazyLock<Vec<Topic>> = LazyLock::new(|| {
    toml_lists::tables(LIST, "topic", |table| {
        let pattern = toml_lists::text(table, "pattern")?.replace("<HOW>", HOW).replace("<YOU>", "(?:you|u|aside)");
        let pattern = Regex::new(&format!("(?i)(?:{pattern})")).ok()?;
        Some(Topic { pattern, says: toml_lists::both(table, "says")? })
    })
});

/// The answer, if the question is about Aside.
pub fn topic(question: &str) -> Option<RunnerOutcome> {
    let question = question.trim();
    if question.contains('\n') || question.chars().nth(MAX_LETTERS).is_some() {
        return None;
    }
    let topic = ALL.iter().find(|topic| topic.pattern.is_match(question))?;
    let text = topic.says.of(Language::of(question));
    Some(RunnerOutcome::answer(format!("{text}\n"), short(text, MAX_SUMMARY), ModelNeed::Unneeded))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_topic_has_its_hits_and_misses() {
        assert_eq!(ALL.len(), toml_lists::count(LIST, "topic"));
        let examples = toml_lists::tables(LIST, "topic", |table| {
            Some((toml_lists::texts(table, "hits"), toml_lists::texts(table, "misses")))
        });
        let mut wrong = Vec::new();
        for (at, (hits, misses)) in examples.into_iter().enumerate() {
            let found = |question: &str| ALL.iter().position(|topic| topic.pattern.is_match(question));
            wrong.extend(hits.into_iter().filter(|question| found(question) != Some(at)));
            wrong.extend(
                misses.into_iter().filter(|question| found(question).is_some()).map(|miss| format!("miss {miss}")),
            );
        }
        assert_eq!(wrong, Vec::<String>::new());
        for other in [
            "undo my last commit",
            "how do I undo a commit",
            "explain the model in src/user.rs",
            "who uses User",
            "rename a to b",
        ] {
            assert!(topic(other).is_none(), "{other}");
        }
    }
}
