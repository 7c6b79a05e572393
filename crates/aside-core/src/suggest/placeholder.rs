//! Commands with a part that the user must fill in: tools print such examples.

pub fn has_placeholder(command: &str) -> bool {
    let lower = command.to_lowercase();
    command.contains(['<', '>', '[', ']', '…', '{', '}', '|', '*', '?'])
        || command.contains(" +")
        || command.contains("...")
        || ["your-", "your_", "your name", "path/to", "xxx", "_name", "%s", "example.com", "foo", "my-app"]
            .iter()
            .any(|sign| lower.contains(sign))
        || command.split(' ').skip(1).any(|word| {
            let letters = word.trim_start_matches('-');
            letters.len() >= 2
                && letters.chars().all(|letter| letter.is_ascii_uppercase() || letter == '_' || letter == '-')
                && !matches!(letters, "HEAD" | "ORIG_HEAD" | "FETCH_HEAD")
                && !word.starts_with('-')
        })
}
