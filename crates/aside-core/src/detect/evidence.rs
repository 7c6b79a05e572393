//! What a failure reveals about the line that failed. Does not look at the line.

use crate::detect::RunEnd;
use crate::detect::word_lists::lists;

const NOT_FOUND: i32 = 127;
/// Bytes of the output that are read, from its beginning and its end.
const MAX_OUTPUT: usize = 16 * 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// The output was captured.
    pub seen: bool,
    pub any: bool,
    /// One of the specified errors (data/detect/seed.txt).
    pub named: bool,
    pub syntax: bool,
    /// One of our additional errors, which prove less.
    pub more: bool,
}

impl Evidence {
    pub fn of(end: &RunEnd<'_>) -> Self {
        match end.output {
            Some(output) => Self::read(output),
            None => Self::guessed(end),
        }
    }

    pub fn read(output: &str) -> Self {
        let output = ends(output).to_lowercase();
        let has = |errors: &[&str]| errors.iter().any(|error| output.contains(error));
        Self {
            seen: true,
            any: !output.trim().is_empty(),
            named: has(&lists().errors),
            syntax: has(&lists().syntax_errors),
            more: has(&lists().more_errors),
        }
    }

    /// Without a captured output, guesses from how the line ended.
    fn guessed(end: &RunEnd<'_>) -> Self {
        let named = end.unreadable || end.exit == NOT_FOUND;
        Self { seen: false, any: false, named, syntax: end.unreadable, more: false }
    }
}

/// How tools say, beside its name, that they have no such subcommand.
const DENIALS: [&str; 6] = [
    "is not a ",
    "no such command",
    "no such subcommand",
    "unknown command",
    "unknown subcommand",
    "unrecognized subcommand",
];

/// Whether the output says that the command has no such subcommand.
pub fn denies(output: &str, subcommand: &str) -> bool {
    let subcommand = subcommand.to_lowercase();
    let is_word = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()) == subcommand;
    ends(output)
        .to_lowercase()
        .lines()
        .any(|line| DENIALS.iter().any(|denial| line.contains(denial)) && line.split([' ', ':']).any(is_word))
}

/// The beginning and the end of a long text.
fn ends(text: &str) -> String {
    if text.len() <= 2 * MAX_OUTPUT {
        return text.to_owned();
    }
    let (mut head, mut tail) = (MAX_OUTPUT, text.len() - MAX_OUTPUT);
    while !text.is_char_boundary(head) {
        head -= 1;
    }
    while !text.is_char_boundary(tail) {
        tail += 1;
    }
    format!("{}\n{}", &text[..head], &text[tail..])
}

#[cfg(test)]
mod tests {
    use super::denies;

    #[test]
    fn a_tool_denies_the_word_that_it_names() {
        assert!(denies("git: 'feature' is not a git command. See 'git --help'.", "feature"));
        assert!(denies("error: no such command: `ahead`", "ahead"));
        assert!(denies("Error: unknown command \"me\" for \"kubectl\"", "me"));
        assert!(!denies("git: 'feature' is not a git command. See 'git --help'.", "bug"));
        assert!(!denies("fatal: feature does not exist", "feature"));
    }
}
