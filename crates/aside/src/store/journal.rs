//! Records what left this machine: each request, byte for byte, before it is sent, and how it was answered. Does not decide what may be
//! sent; a caller that cannot write here must not send.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

use aside_redact::{self as redact, REDACTED};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::paths::Paths;
use crate::store::jsonl::{Caps, JsonlFile, JsonlTail};

/// About a thousand requests a file.
const CAPS: Caps = Caps { bytes: 4 * 1024 * 1024, files: 4 };

pub struct Journal {
    lines: JsonlFile,
    last: AtomicU64,
}

/// A request about to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutboundRecord<'a> {
    /// The feature that asks: `complete`, `suggest`, `translate`, `explain`, `ask`, `task`.
    pub purpose: &'a str,
    /// As in the settings.
    pub provider: &'a str,
    pub model: &'a str,
    /// The whole URL. A user or key in it is not stored.
    pub address: &'a str,
    /// The body as it goes over the wire.
    pub body: &'a str,
}

/// Identifies a request, so that its answer can be recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Id(u64);

/// How a request ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// The HTTP status; missing if there was no answer.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub status: Option<u16>,
    /// Bytes of the body, as far as it was read.
    pub bytes: u64,
    /// From the request to the end of the answer.
    pub ms: u64,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub input_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub output_tokens: Option<u64>,
    /// Why there is no answer, in words: `cancelled`, `it took too long to answer`.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub failure: String,
}

/// A sent request, as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    pub id: Id,
    /// RFC 3339, in UTC.
    pub ts: String,
    #[serde(rename = "use")]
    pub purpose: String,
    pub provider: String,
    pub model: String,
    pub address: String,
    pub bytes: u64,
    /// Number of redactions.
    pub redacted: usize,
    pub body: String,
    /// Missing while the request is in progress, and if the daemon was killed meanwhile.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub answer: Option<Answer>,
}

/// A line of the file. `untagged`, so that requests are easy to find with `grep` and `jq`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Line {
    Left(Entry),
    Answered { id: Id, answer: Answer },
}

impl Journal {
    pub fn new(paths: &Paths) -> Self {
        Self { lines: JsonlFile::new(paths.privacy_journal(), CAPS), last: AtomicU64::new(0) }
    }

    pub fn lines(&self) -> &JsonlFile {
        &self.lines
    }

    /// Must be called before the request is sent. On an error it must not be sent.
    pub fn leaves(&self, leaving: &OutboundRecord<'_>) -> io::Result<Id> {
        let now = Timestamp::now();
        let id = self.next(now);
        let OutboundRecord { purpose, provider, model, address, body } = *leaving;
        self.lines.append(&Line::Left(Entry {
            id,
            ts: now.to_string(),
            purpose: purpose.to_owned(),
            provider: provider.to_owned(),
            model: model.to_owned(),
            address: public(address),
            bytes: body.len() as u64,
            redacted: body.matches(REDACTED).count(),
            body: body.to_owned(),
            answer: None,
        }))?;
        Ok(id)
    }

    pub fn answered(&self, id: Id, answer: Answer) -> io::Result<()> {
        self.lines.append(&Line::Answered { id, answer })
    }

    /// All stored requests, oldest first.
    pub fn read(&self) -> io::Result<Vec<Entry>> {
        let mut entries: Vec<Entry> = Vec::new();
        for line in self.lines.read()? {
            match line {
                Line::Left(entry) => entries.push(entry),
                // Answers come soon after their requests.
                Line::Answered { id, answer } => {
                    if let Some(entry) = entries.iter_mut().rev().find(|entry| entry.id == id) {
                        entry.answer = Some(answer);
                    }
                }
            }
        }
        Ok(entries)
    }

    pub fn follow(&self) -> io::Result<JsonlTail> {
        self.lines.follow()
    }

    /// The time in microseconds, or the next unused number.
    fn next(&self, now: Timestamp) -> Id {
        let now = u64::try_from(now.as_microsecond()).unwrap_or(0);
        let next = |last: u64| Some(now.max(last + 1));
        let last = self.last.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next).unwrap_or(0);
        Id(now.max(last + 1))
    }
}

/// The address without user, password and secret parameters.
fn public(address: &str) -> String {
    let Some((scheme, rest)) = address.split_once("://") else { return redact::redact(address).into_owned() };
    let (host, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    redact::redact(&format!("{scheme}://{host}{path}")).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn journal(dir: &std::path::Path) -> Journal {
        Journal { lines: JsonlFile::new(dir.join("privacy.jsonl"), CAPS), last: AtomicU64::new(0) }
    }

    fn leaving<'a>(address: &'a str, body: &'a str) -> OutboundRecord<'a> {
        OutboundRecord { purpose: "translate", provider: "openai", model: "m", address, body }
    }

    #[test]
    fn a_request_is_kept_byte_for_byte_with_its_answer() {
        let temp = tempfile::tempdir().unwrap();
        let journal = journal(temp.path());
        let body = "{\"a\":\"\\n\\u0000 é\u{1b}[31m\u{2028}\"}\n[redacted]";
        let first = journal.leaves(&leaving("http://127.0.0.1:1/v1", body)).unwrap();
        let second = journal.leaves(&leaving("http://127.0.0.1:1/v1", "two")).unwrap();
        assert_ne!(first, second);
        let answer = Answer { status: Some(200), bytes: 7, ms: 3, ..Answer::default() };
        journal.answered(first, answer.clone()).unwrap();
        let entries = journal.read().unwrap();
        assert_eq!(entries.len(), 2);
        assert_eq!((entries[0].body.as_str(), entries[0].bytes, entries[0].redacted), (body, body.len() as u64, 1));
        assert_eq!((&entries[0].answer, &entries[1].answer), (&Some(answer), &None));
        assert_eq!((entries[1].purpose.as_str(), entries[1].provider.as_str()), ("translate", "openai"));
    }

    #[test]
    fn every_request_has_a_number_of_its_own() {
        let temp = tempfile::tempdir().unwrap();
        let journal = journal(temp.path());
        let now = Timestamp::from_microsecond(5).unwrap();
        assert_eq!([journal.next(now), journal.next(now), journal.next(now)], [Id(5), Id(6), Id(7)]);
        assert_eq!(journal.next(Timestamp::from_microsecond(100).unwrap()), Id(100));
        assert_eq!(journal.next(now), Id(101), "a clock that was set back");
    }

    #[test]
    fn an_address_tells_where_and_no_more() {
        for (address, kept) in [
            ("https://api.example.com/v1/chat", "https://api.example.com/v1/chat"),
            ("https://me:pw@h.example:8443/v1?x=1", "https://h.example:8443/v1?x=1"),
            ("https://me@h.example", "https://h.example"),
            ("http://h.example/a@b", "http://h.example/a@b"),
        ] {
            assert_eq!(public(address), kept);
        }
    }

    #[test]
    fn what_cannot_be_noted_is_an_error() {
        let temp = tempfile::tempdir().unwrap();
        std::fs::write(temp.path().join("file"), "").unwrap();
        let journal = journal(&temp.path().join("file"));
        assert!(journal.leaves(&leaving("http://127.0.0.1:1", "x")).is_err());
    }
}
