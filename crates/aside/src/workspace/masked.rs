//! The text of a file with a mark in place of each secret, so that a request from a chat can be looked up in it without an answer that
//! depends on what the secret is. Lines keep their numbers.

use std::ops::Range;

use aside_redact::{REDACTED, Secret, secrets};

/// Whether secrets are part of the text that a request is looked up in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Secrets {
    /// For the user at this machine.
    Included,
    /// For a remote user.
    Masked,
}

impl Secrets {
    /// The whole text as it may be shown. Masked before it is cut: a part of a secret is not recognised as one. `None` if it is too long to
    /// be masked.
    pub fn shown(self, text: String) -> Option<String> {
        match self {
            Self::Included => Some(text),
            Self::Masked => Masked::new(&text).map(|masked| shown(&masked.text)),
        }
    }

    /// The whole text as words are looked up in it: no word of a request is the mark of a secret. `None` if it is too long to be masked.
    pub fn searched(self, text: String) -> Option<String> {
        match self {
            Self::Included => Some(text),
            Self::Masked => Masked::new(&text).map(|masked| masked.text),
        }
    }
}

/// Taking out one secret can reveal another: the rest is scanned again, at most so often.
const MAX_PASSES: usize = 6;
/// Marks are characters of the last private-use plane, one for each secret of a text.
const FIRST: u32 = 0x10_0000;
const LAST: u32 = 0x10_FFFD;

pub struct Masked {
    /// What may be searched.
    pub text: String,
    /// What each mark stands for.
    hidden: Vec<String>,
}

impl Masked {
    /// None for a text that has marks of its own, or more secrets than there are marks.
    pub fn new(text: &str) -> Option<Self> {
        if text.contains(is_mark) {
            return None;
        }
        let mut hidden: Vec<String> = text.matches(REDACTED).map(str::to_owned).collect();
        let mut clean = text.to_owned();
        for _ in 0..MAX_PASSES {
            let found = secrets(&clean);
            if found.is_empty() {
                break;
            }
            (clean, hidden) = without(&clean, &found, &hidden);
        }
        let mut marked = String::with_capacity(clean.len());
        let mut pieces = clean.split(REDACTED);
        marked.push_str(pieces.next().unwrap_or_default());
        for ((at, secret), piece) in hidden.iter().enumerate().zip(pieces) {
            marked.push(mark(at)?);
            marked.push_str(&newlines(secret));
            marked.push_str(piece);
        }
        Some(Self { text: marked, hidden })
    }

    /// A changed text with its secrets back in place. None when the change has torn one apart.
    pub fn restored(&self, changed: &str) -> Option<String> {
        let mut text = String::with_capacity(changed.len());
        let mut rest = changed;
        while let Some(at) = rest.find(is_mark) {
            let (before, from) = rest.split_at(at);
            let letter = from.chars().next()?;
            let secret = self.hidden.get(usize::try_from(u32::from(letter) - FIRST).ok()?)?;
            text.push_str(before);
            text.push_str(secret);
            rest = from.get(letter.len_utf8()..)?.strip_prefix(newlines(secret).as_str())?;
        }
        text.push_str(rest);
        Some(text)
    }
}

/// A line of a masked text, as it may be shown.
pub fn shown(line: &str) -> String {
    line.replace(is_mark, REDACTED)
}

fn mark(at: usize) -> Option<char> {
    let code = FIRST.checked_add(u32::try_from(at).ok()?).filter(|code| *code <= LAST)?;
    char::from_u32(code)
}

fn is_mark(letter: char) -> bool {
    (FIRST..=LAST).contains(&u32::from(letter))
}

fn newlines(secret: &str) -> String {
    "\n".repeat(secret.matches('\n').count())
}

/// The text with `REDACTED` for each secret, and what each `REDACTED` in it stands for. `hidden` is that of the text before.
fn without(text: &str, found: &[Secret], hidden: &[String]) -> (String, Vec<String>) {
    let (mut clean, mut all) = (String::with_capacity(text.len()), Vec::new());
    let mut known = hidden.iter();
    let mut from = 0;
    for Secret { span, .. } in found {
        let Range { start, end } = *span;
        let kept = text.get(from..start).unwrap_or_default();
        all.extend(known.by_ref().take(kept.matches(REDACTED).count()).cloned());
        clean.push_str(kept);
        clean.push_str(REDACTED);
        let mut secret = String::new();
        let mut pieces = text.get(start..end).unwrap_or_default().split(REDACTED);
        secret.push_str(pieces.next().unwrap_or_default());
        for piece in pieces {
            secret.push_str(known.next().map_or(REDACTED, String::as_str));
            secret.push_str(piece);
        }
        all.push(secret);
        from = end;
    }
    clean.push_str(text.get(from..).unwrap_or_default());
    all.extend(known.cloned());
    (clean, all)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";

    #[test]
    fn secrets_are_gone_lines_keep_their_numbers_and_everything_comes_back() {
        let key = "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA0Z3VS5JJcds3xfn/ygWyF0qB\nc2VjcmV0\n-----END RSA PRIVATE KEY-----";
        let text = format!("deploy with {TOKEN}\n[redacted] stays\n{key}\nlast line, {TOKEN}\n");
        let masked = Masked::new(&text).unwrap();
        assert!(!masked.text.contains("ghp_") && !masked.text.contains("MIIE"), "{}", masked.text);
        let line = |text: &str| text.lines().position(|line| line.starts_with("last line"));
        assert_eq!(line(&masked.text), line(&text));
        assert_eq!(masked.restored(&masked.text).as_deref(), Some(text.as_str()));
        let changed = masked.text.replace("deploy", "ship");
        assert_eq!(masked.restored(&changed), Some(text.replace("deploy", "ship")));
        let first = masked.text.lines().next().unwrap();
        assert_eq!(shown(first), "deploy with [redacted]");
    }

    #[test]
    fn a_text_with_marks_of_its_own_is_not_searched() {
        assert!(Masked::new("a\u{100000}b").is_none());
        assert_eq!(Masked::new("plain\n").unwrap().text, "plain\n");
    }
}
