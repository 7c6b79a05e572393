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
    name: String,
    pattern: Regex,
    /// For a question in other words: what all of it has to mention, and what makes it another question.
    about: Vec<Regex>,
    not: Option<Regex>,
    says: Bilingual,
}

static ALL: LazyLock<Vec<Topic>> = LazyLock::new(|| {
    toml_lists::tables(LIST, "topic", |table| {
        let pattern = toml_lists::text(table, "pattern")?.replace("<HOW>", HOW).replace("<YOU>", "(?:you|u|aside)");
        let pattern = Regex::new(&format!("(?i)(?:{pattern})")).ok()?;
        let words = |text: &str| {
            let text = text.replace("<YOU>", r"(?:you|u|your|yours|yourself|aside|aside\x27s)");
            Regex::new(&format!(r"(?i)\b(?:{text})\b")).ok()
        };
        let groups = toml_lists::texts(table, "about");
        let about = groups.iter().map(|group| words(group)).collect::<Option<Vec<Regex>>>()?;
        let not = match toml_lists::text(table, "not") {
            Some(not) => Some(words(&not)?),
            None => None,
        };
        let name = toml_lists::text(table, "name")?;
        Some(Topic { name, pattern, about, not, says: toml_lists::both(table, "says")? })
    })
});

/// The topic of a question: by its pattern, else by the words that it mentions.
fn found(question: &str) -> Option<&'static Topic> {
    let said = || ALL.iter().find(|topic| topic.pattern.is_match(question));
    said().or_else(|| {
        let question = addressed(question)?;
        ALL.iter().find(|topic| {
            !topic.about.is_empty()
                && topic.about.iter().all(|group| group.is_match(&question))
                && !topic.not.as_ref().is_some_and(|not| not.is_match(&question))
        })
    })
}

/// A question without the "you" of "how do you" and "can you tell me", which addresses no one. `None` for what is no question, and for
/// one that names a file or an identifier: that is about the project.
fn addressed(question: &str) -> Option<String> {
    static GENERIC: LazyLock<Option<[Regex; 3]>> = LazyLock::new(|| {
        Some([
            Regex::new(r"(?i)^(?:hey|hi|hello|ok|okay|so|sorry|please|and|but)[,!]? +").ok()?,
            Regex::new(r"(?i)\b(?:(?:can|could|would|will) you(?: please)? (?:tell|show|explain(?: to)?|help|teach|remind) (?:me|us)|do you know|how (?:do|can|would|could|should|must) (?:you|i|we|one)|(?:can|could|may|should|do) (?:i|we))\b").ok()?,
            Regex::new(r"(?i)^(?:how|what|what\x27s|whats|where|where\x27s|which|who|why|when|can|could|do|does|did|is|are|will|would|should|must|may|tell|show|explain|help|i|any|got|am)\b").ok()?,
        ])
    });
    let [greeting, generic, asks] = GENERIC.as_ref()?;
    let question = greeting.replace(question.trim(), "");
    let is_object = |word: &str| {
        let bare = word.trim_end_matches(['?', '!', ',', '.', ':']).trim_end_matches("'s");
        bare.contains(['_', '`', '(', '<', '=']) || bare.contains('.') || bare.len() > 1 && bare.contains('/')
    };
    if !asks.is_match(&question) || question.split_whitespace().any(is_object) {
        return None;
    }
    Some(generic.replace_all(&question, "how").into_owned())
}

/// The answer of a topic by its name.
pub fn named(name: &str, language: Language) -> Option<String> {
    ALL.iter().find(|topic| topic.name == name).map(|topic| topic.says.of(language).to_owned())
}

/// The answer, if the question is about Aside.
pub fn topic(question: &str) -> Option<RunnerOutcome> {
    let question = question.trim();
    if question.contains('\n') || question.chars().nth(MAX_LETTERS).is_some() {
        return None;
    }
    let topic = found(question)?;
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
            let is_it = |question: &String| {
                found(question).zip(ALL.get(at)).is_some_and(|(found, topic)| std::ptr::eq(found, topic))
            };
            wrong.extend(hits.into_iter().filter(|question| !is_it(question)));
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
