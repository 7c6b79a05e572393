//! What the first words of a request say about its form: a question, an order to explain, a wish to see a change. Knows no kinds of tasks.

/// Whether a request begins as a question does, or with what is asked for.
pub(super) fn asks(words: &str) -> bool {
    let lower = words.trim().to_lowercase();
    let first = lower.split_whitespace().next().unwrap_or_default();
    [
        "anything",
        "something",
        "any",
        "what",
        "what's",
        "which",
        "who",
        "when",
        "is",
        "are",
        "am",
        "commits",
        "how",
        "do",
        "did",
    ]
    .contains(&first)
}

/// Whether a request begins with an order to explain.
pub(super) fn explains(words: &str) -> bool {
    let lower = words.trim().to_lowercase();
    let lower = lower.trim_start_matches("please ").trim_start_matches("can you ").trim_start_matches("could you ");
    [
        "explain ",
        "describe ",
        "summarize ",
        "summarise ",
        "walk me through ",
        "tell me about ",
        "what does ",
        "what is ",
    ]
    .iter()
    .any(|verb| lower.starts_with(verb))
}

/// Whether a request wants to see a change itself, not which files it has: "show my staged changes".
pub(super) fn shows_change(words: &str) -> bool {
    let lower = words.to_lowercase();
    let has = |all: &[&str]| lower.split(|end: char| !end.is_alphanumeric()).any(|word| all.contains(&word));
    has(&["show", "see", "display", "print", "view", "look"]) && has(&["changes", "diff", "diffs", "edits", "work"])
}
