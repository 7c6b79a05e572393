//! Finds and removes secrets before text leaves the machine. Judges text only; callers decide who may receive it.
//!
//! One Aho-Corasick pass searches for some hundred trigger words; everything else is tried only around a match, within
//! a window (`view`). So the time is linear in the text, and a text without trigger words costs next to nothing.

mod argv;
pub mod classifier;
mod entropy;
mod flag;
mod function_call;
mod key_value;
mod kubernetes;
mod name_fits_value;
mod name_then_value;
mod nested;
mod not_secret;
mod passphrase;
mod password_notes;
mod pem;
mod placeholder;
mod program;
mod recovery_codes;
mod rules;
mod scan;
mod secret_name;
mod secret_strength;
mod sentence;
mod sentence_context;
mod shell;
mod table;
mod trigger;
mod unquoted;
mod url;
mod view;
mod vocabulary;

#[cfg(test)]
mod corpus;
#[cfg(test)]
mod forms;
#[cfg(test)]
mod linear;
#[cfg(test)]
mod long;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use crate::trigger::TRIGGERS;

/// A secret in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Secret {
    /// Its bytes, without the surroundings: the name of a variable stays readable.
    pub span: Range<usize>,
    /// What it is, in a word or two: `github token`, `password`.
    pub kind: &'static str,
}

/// The replacement for a secret.
pub const REDACTED: &str = "[redacted]";

/// Removing a secret can, rarely, reveal another, so the rest is scanned again, at most this often, and as long as a
/// pass starts with this many bytes read at most.
const MAX_PASSES: usize = 6;
const MAX_READ: usize = 256 * 1024;

/// What the classifier's score of a word must exceed its threshold by, if a whole command is lost with the word.
const SURE: f32 = 2.0;

/// In the order of the text, without nesting.
pub fn secrets(text: &str) -> Vec<Secret> {
    secrets_above(text, 0.0)
}

/// Whether a command has a secret beyond doubt. A mistake costs the user the command, so a word that nothing names must
/// be a password by more than a guess.
pub fn is_secret(command: &str) -> bool {
    !secrets_above(command, SURE).is_empty()
}

fn secrets_above(text: &str, margin: f32) -> Vec<Secret> {
    let mut found = Vec::new();
    // Cheaper than a case-insensitive automaton.
    let low = text.to_ascii_lowercase();
    TRIGGERS.ascii.secrets(text, &low, &mut found);
    if !text.is_ascii() {
        TRIGGERS.other.secrets(text, &low, &mut found);
    }
    found.extend(entropy::strings(text).into_iter().map(|span| Secret { span, kind: "random string" }));
    let mut found = joined(found);
    let spans: Vec<Range<usize>> = found.iter().map(|secret| secret.span.clone()).collect();
    let judged = classifier::secrets(text, &spans, margin);
    let judged: Vec<Secret> = judged.into_iter().map(|span| Secret { span, kind: "chosen password" }).collect();
    if !judged.is_empty() {
        found = joined(found.into_iter().chain(judged).collect());
    }
    let again = repeated(text, &found);
    if again.is_empty() { found } else { joined(found.into_iter().chain(again).collect()) }
}

/// Distinct secrets of one text that are searched for elsewhere in it.
const MAX_REPEATED: usize = 64;

/// A secret in one place is a secret everywhere else in the text. Ordinary words are excepted: `postgres` may be a
/// password and a user.
fn repeated(text: &str, found: &[Secret]) -> Vec<Secret> {
    let mut kinds: BTreeMap<&str, &'static str> = BTreeMap::new();
    for secret in found {
        let value = text.get(secret.span.clone()).unwrap_or_default();
        let strong = secret_strength::secret_strength(value) >= Some(secret_strength::SecretStrength::Chosen);
        if (6..=200).contains(&value.len())
            && strong
            && secret.kind != "key"
            && !value.contains('\n')
            && kinds.len() < MAX_REPEATED
        {
            kinds.insert(value, secret.kind);
        }
    }
    // Nearly always there is none, and building an automaton takes longer than everything else about a short line.
    if kinds.is_empty() {
        return Vec::new();
    }
    let kinds: Vec<(&str, &'static str)> = kinds.into_iter().collect();
    // Mostly there is one secret, in one place, so a cheap automaton is built.
    let Ok(finder) = AhoCorasick::builder()
        .kind(Some(AhoCorasickKind::NoncontiguousNFA))
        .build(kinds.iter().map(|(value, _)| value))
    else {
        return Vec::new();
    };
    let bytes = text.as_bytes();
    let joins = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_alphanumeric);
    let hits = finder.find_iter(text).filter(|hit| !joins(hit.start().checked_sub(1)) && !joins(Some(hit.end())));
    hits.filter_map(|hit| {
        let (_, kind) = kinds.get(hit.pattern().as_usize())?;
        Some(Secret { span: hit.start()..hit.end(), kind })
    })
    .collect()
}

/// The text without its secrets. Idempotent: its output is returned unchanged.
pub fn redact(text: &str) -> Cow<'_, str> {
    let mut clean = Cow::Borrowed(text);
    let mut read = 0;
    for pass in 0..MAX_PASSES {
        if pass > 1 && read > MAX_READ {
            break;
        }
        let secrets = secrets(&clean);
        if secrets.is_empty() {
            break;
        }
        read += clean.len();
        clean = Cow::Owned(without(&clean, &secrets));
    }
    clean
}

/// Like `redact`, and also removes secrets of the other texts: a password in a request is one in the command made from
/// it. Leaves ordinary words, as `postgres` is a user as well.
pub fn redact_beside(text: &str, others: &[&str]) -> String {
    let mut clean = text.to_owned();
    for other in others {
        for Secret { span, .. } in secrets(other).into_iter().take(MAX_REPEATED) {
            let value = other.get(span).unwrap_or_default();
            if value.len() >= 4
                && secret_strength::secret_strength(value) >= Some(secret_strength::SecretStrength::Chosen)
            {
                clean = clean.replace(value, REDACTED);
            }
        }
    }
    redact(&clean).into_owned()
}

fn without(text: &str, secrets: &[Secret]) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut from = 0;
    for secret in secrets {
        clean.push_str(text.get(from..secret.span.start).unwrap_or_default());
        clean.push_str(REDACTED);
        from = secret.span.end;
    }
    clean.push_str(text.get(from..).unwrap_or_default());
    clean
}

/// Merges overlapping secrets: no rest of a secret may stay.
fn joined(mut found: Vec<Secret>) -> Vec<Secret> {
    // Of two that begin together the longer comes first. A specific kind replaces a general one below.
    found.sort_by_key(|secret| (secret.span.start, usize::MAX - secret.span.end));
    let mut joined: Vec<Secret> = Vec::with_capacity(found.len());
    for secret in found {
        match joined.last_mut() {
            Some(last) if secret.span.start < last.span.end => {
                last.span.end = last.span.end.max(secret.span.end);
                if is_general(last.kind) {
                    last.kind = secret.kind;
                }
            }
            _ => joined.push(secret),
        }
    }
    joined
}

fn is_general(kind: &str) -> bool {
    ["password", "secret", "token", "key", "random string", "authorization"].contains(&kind)
}
