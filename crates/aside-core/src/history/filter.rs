//! Decides which commands may be stored in the history, and in which form. Secrets are recognised by `redact` alone;
//! the patterns are the user's own. Does not know where commands are stored.

use std::borrow::Cow;
use std::fmt;

use aside_redact as redact;
use regex::{Regex, RegexSet};

use crate::history::HistoryEntry;

/// A longer command was pasted, not typed, and is useless as a completion.
pub const MAX_COMMAND: usize = 16 * 1024;

#[derive(Clone, Debug)]
pub struct HistoryFilter {
    patterns: RegexSet,
    secrets: SecretPolicy,
}

/// How a command that contains a secret is handled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SecretPolicy {
    /// It is not stored.
    #[default]
    Skip,
    /// It is stored with `[redacted]` in place of the secret. Such a line is never offered as a completion.
    Redact,
    /// It is stored as it was typed.
    Keep,
}

/// Why a command is not stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotStored {
    Blank,
    /// It begins with a space: the user does not want it recorded.
    Hidden,
    TooLong,
    /// It matches one of the ignore patterns.
    Ignored,
    /// It contains a secret, and the setting is `SecretPolicy::Skip`.
    Secret,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadPattern {
    pub pattern: String,
    pub why: String,
}

impl HistoryFilter {
    pub fn new(patterns: &[String], secrets: SecretPolicy) -> Result<Self, BadPattern> {
        // `RegexSet` errors do not name the wrong pattern, so each one is compiled alone first.
        for pattern in patterns {
            Regex::new(pattern).map_err(|error| bad(pattern, &error))?;
        }
        let patterns = RegexSet::new(patterns).map_err(|error| bad(&patterns.join(" | "), &error))?;
        Ok(Self { patterns, secrets })
    }

    /// The command in the form in which it is stored.
    pub fn stored<'a>(&self, command: &'a str) -> Result<Cow<'a, str>, NotStored> {
        if let Some(refusal) = self.refuses_unread(command) {
            return Err(refusal);
        }
        match self.secrets {
            SecretPolicy::Keep => Ok(Cow::Borrowed(command)),
            SecretPolicy::Skip if !redact::is_secret(command) => Ok(Cow::Borrowed(command)),
            SecretPolicy::Skip => Err(NotStored::Secret),
            SecretPolicy::Redact => match redact::redact(command) {
                // The placeholder may be longer than the secret was.
                redacted if redacted.len() > MAX_COMMAND => Err(NotStored::TooLong),
                redacted => Ok(redacted),
            },
        }
    }

    /// Whether the command is stored, in either form.
    pub fn keeps(&self, command: &str) -> bool {
        self.refuses(command).is_none()
    }

    pub fn refuses(&self, command: &str) -> Option<NotStored> {
        self.stored(command).err()
    }

    /// Keeps the entries that may be stored, in their stored form. Calls `refused` for each of the others.
    pub fn sift(&self, entries: &mut Vec<HistoryEntry>, mut refused: impl FnMut(NotStored)) {
        entries.retain_mut(|entry| match self.stored(&entry.command) {
            Ok(Cow::Borrowed(_)) => true,
            Ok(Cow::Owned(redacted)) => {
                entry.command = redacted;
                true
            }
            Err(refusal) => {
                refused(refusal);
                false
            }
        });
    }

    /// Whether one of the user's patterns matches.
    pub fn is_ignored(&self, text: &str) -> bool {
        self.patterns.is_match(text)
    }

    /// Checks that need no scan for secrets.
    fn refuses_unread(&self, command: &str) -> Option<NotStored> {
        if command.trim().is_empty() {
            Some(NotStored::Blank)
        } else if command.starts_with([' ', '\t']) {
            Some(NotStored::Hidden)
        } else if command.len() > MAX_COMMAND {
            Some(NotStored::TooLong)
        } else if self.is_ignored(command) {
            Some(NotStored::Ignored)
        } else {
            None
        }
    }
}

fn bad(pattern: &str, error: &regex::Error) -> BadPattern {
    // The regex crate's error message has a drawing over several lines; the last line says what is wrong.
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

    fn refusal(patterns: &[&str], command: &str) -> Option<NotStored> {
        let patterns: Vec<String> = patterns.iter().map(|pattern| (*pattern).to_owned()).collect();
        HistoryFilter::new(&patterns, SecretPolicy::Skip).unwrap().refuses(command)
    }

    fn with(secrets: SecretPolicy) -> HistoryFilter {
        HistoryFilter::new(&[], secrets).unwrap()
    }

    #[test]
    fn keeps_an_ordinary_command() {
        assert_eq!(refusal(&["secret"], "git status"), None);
        assert!(with(SecretPolicy::Skip).keeps("git status"));
    }

    #[test]
    fn forgets_what_begins_with_a_space_or_a_tab() {
        assert_eq!(refusal(&[], " export TOKEN=x"), Some(NotStored::Hidden));
        assert_eq!(refusal(&[], "\texport TOKEN=x"), Some(NotStored::Hidden));
    }

    #[test]
    fn forgets_what_is_blank() {
        for blank in ["", "  ", "\n", " \t\n"] {
            assert_eq!(refusal(&[], blank), Some(NotStored::Blank), "{blank:?}");
        }
    }

    #[test]
    fn forgets_what_is_longer_than_the_cap() {
        assert_eq!(refusal(&[], &"x".repeat(MAX_COMMAND)), None);
        assert_eq!(refusal(&[], &"x".repeat(MAX_COMMAND + 1)), Some(NotStored::TooLong));
    }

    #[test]
    fn forgets_what_matches_any_pattern_anywhere_in_the_command() {
        let patterns = ["^pass ", "(?i)token="];
        assert_eq!(refusal(&patterns, "pass show mail"), Some(NotStored::Ignored));
        assert_eq!(refusal(&patterns, "curl -d Token=1 example.org"), Some(NotStored::Ignored));
        assert_eq!(refusal(&patterns, "echo pass "), None);
    }

    #[test]
    fn names_the_pattern_that_is_wrong() {
        let error = HistoryFilter::new(&["fine".to_owned(), "bad(".to_owned()], SecretPolicy::Skip).unwrap_err();
        assert_eq!(error, BadPattern { pattern: "bad(".to_owned(), why: "unclosed group".to_owned() });
    }

    #[test]
    fn a_secret_is_skipped_redacted_or_kept() {
        let line = "mysql -u root -phunter2 shop";
        assert_eq!(with(SecretPolicy::Skip).stored(line), Err(NotStored::Secret));
        assert_eq!(with(SecretPolicy::Redact).stored(line).unwrap(), "mysql -u root -p[redacted] shop");
        assert_eq!(with(SecretPolicy::Keep).stored(line).unwrap(), line);
        for secrets in [SecretPolicy::Skip, SecretPolicy::Redact, SecretPolicy::Keep] {
            assert_eq!(with(secrets).stored("git checkout 8cb8404 && ls").unwrap(), "git checkout 8cb8404 && ls");
            assert_eq!(with(secrets).stored(" mysql -phunter2"), Err(NotStored::Hidden));
        }
    }

    #[test]
    fn a_pattern_comes_before_the_search_for_secrets() {
        assert_eq!(refusal(&["^mysql"], "mysql -phunter2"), Some(NotStored::Ignored));
        assert!(HistoryFilter::new(&["^mysql".to_owned()], SecretPolicy::Keep).unwrap().is_ignored("mysql"));
    }

    #[test]
    fn a_redacted_line_stays_below_the_cap() {
        let line = format!("mysql -phunter2 {}", "x ".repeat(MAX_COMMAND));
        let line = &line[..MAX_COMMAND];
        assert_eq!(with(SecretPolicy::Redact).stored(line), Err(NotStored::TooLong));
    }
}
