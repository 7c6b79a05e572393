//! Which commands may be kept. Knows the person's ignore patterns; says nothing about where commands are kept.

use std::fmt;

use regex::{Regex, RegexSet};

/// A longer command was pasted, not typed; nobody wants it completed.
pub const MAX_COMMAND: usize = 16 * 1024;

#[derive(Clone, Debug)]
pub struct Filter {
    patterns: RegexSet,
}

/// Why a command is not kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    Blank,
    /// It begins with a space: the person asked for it to be forgotten.
    Hidden,
    TooLong,
    /// It matches one of the ignore patterns.
    Ignored,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadPattern {
    pub pattern: String,
    pub why: String,
}

impl Filter {
    pub fn new(patterns: &[String]) -> Result<Self, BadPattern> {
        // A set reports its errors without saying which pattern was wrong, so try each one first.
        for pattern in patterns {
            Regex::new(pattern).map_err(|error| bad(pattern, &error))?;
        }
        let patterns = RegexSet::new(patterns).map_err(|error| bad(&patterns.join(" | "), &error))?;
        Ok(Self { patterns })
    }

    pub fn keeps(&self, command: &str) -> bool {
        self.refuses(command).is_none()
    }

    pub fn refuses(&self, command: &str) -> Option<Refusal> {
        if command.trim().is_empty() {
            Some(Refusal::Blank)
        } else if command.starts_with([' ', '\t']) {
            Some(Refusal::Hidden)
        } else if command.len() > MAX_COMMAND {
            Some(Refusal::TooLong)
        } else if self.patterns.is_match(command) {
            Some(Refusal::Ignored)
        } else {
            None
        }
    }
}

fn bad(pattern: &str, error: &regex::Error) -> BadPattern {
    // The regex crate draws a picture over several lines; the last one says what is wrong.
    let text = error.to_string();
    let why = text.lines().last().unwrap_or_default().trim();
    BadPattern { pattern: pattern.to_owned(), why: why.strip_prefix("error: ").unwrap_or(why).to_owned() }
}

impl fmt::Display for BadPattern {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "the ignore pattern `{}` is not a regular expression: {}", self.pattern, self.why)
    }
}

impl std::error::Error for BadPattern {}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(patterns: &[&str], command: &str) -> Option<Refusal> {
        let patterns: Vec<String> = patterns.iter().map(|pattern| (*pattern).to_owned()).collect();
        Filter::new(&patterns).unwrap().refuses(command)
    }

    #[test]
    fn keeps_an_ordinary_command() {
        assert_eq!(refusal(&["secret"], "git status"), None);
        assert!(Filter::new(&[]).unwrap().keeps("git status"));
    }

    #[test]
    fn forgets_what_begins_with_a_space_or_a_tab() {
        assert_eq!(refusal(&[], " export TOKEN=x"), Some(Refusal::Hidden));
        assert_eq!(refusal(&[], "\texport TOKEN=x"), Some(Refusal::Hidden));
    }

    #[test]
    fn forgets_what_is_blank() {
        for blank in ["", "  ", "\n", " \t\n"] {
            assert_eq!(refusal(&[], blank), Some(Refusal::Blank), "{blank:?}");
        }
    }

    #[test]
    fn forgets_what_is_longer_than_the_cap() {
        assert_eq!(refusal(&[], &"x".repeat(MAX_COMMAND)), None);
        assert_eq!(refusal(&[], &"x".repeat(MAX_COMMAND + 1)), Some(Refusal::TooLong));
    }

    #[test]
    fn forgets_what_matches_any_pattern_anywhere_in_the_command() {
        let patterns = ["^pass ", "(?i)token="];
        assert_eq!(refusal(&patterns, "pass show mail"), Some(Refusal::Ignored));
        assert_eq!(refusal(&patterns, "curl -d Token=1 example.org"), Some(Refusal::Ignored));
        assert_eq!(refusal(&patterns, "echo pass "), None);
    }

    #[test]
    fn names_the_pattern_that_is_wrong() {
        let error = Filter::new(&["fine".to_owned(), "bad(".to_owned()]).unwrap_err();
        assert_eq!(error, BadPattern { pattern: "bad(".to_owned(), why: "unclosed group".to_owned() });
    }
}
