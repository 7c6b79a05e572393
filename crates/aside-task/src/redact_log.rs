//! Redacts secrets from what a task writes to its log. The machine gets redacted inputs, so that its state, its events and its log agree
//! and a replay takes the same steps; the caller keeps the original in memory for as long as it needs it.
//!
//! Paths, names and digests stay unredacted: a task is resumed by them.

use std::ops::Range;

use aside_redact::{REDACTED, redact, secrets};

use crate::event::{ActOutcome, Event, EventKind, OfferedProposal, StateChange};
use crate::input::{Input, ProposalDraft};
use crate::log;
use crate::machine::{MAX_CHUNK, clipped};
use crate::proposal::{Proposal, SearchResult, UserRequest};
use crate::route::intent::{Intent, IntentParams, UnparsedCommand};

/// Bytes that a stream holds back while it waits for the end of a line or of a private key.
const MAX_HELD: usize = 64 * 1024;
/// Bytes before a piece that redaction looks at for context: the name in front of a value, the header of a key.
const CONTEXT: usize = 8 * 1024;
/// Redacting a secret can uncover another one.
const MAX_PASSES: usize = 3;

/// A redacted log.
#[derive(Debug, PartialEq, Eq)]
pub struct Cleaned {
    pub bytes: Vec<u8>,
    /// Number of changed lines.
    pub lines: usize,
}

pub fn request(mut request: UserRequest) -> UserRequest {
    clean_request(&mut request);
    request
}

/// Redacts everything that the log keeps of an input. Streamed text goes through a `Stream` instead.
pub fn input(mut input: Input) -> Input {
    match &mut input {
        Input::Routed { intent, scope: _ } => clean_intent(intent),
        Input::Proposed(draft) | Input::Edited(draft) => clean_draft(draft),
        Input::Rejected { reason, by: _ } => optional(reason),
        Input::Finished(outcome) => clean_outcome(outcome),
        Input::Failed { reason } => text(reason),
        Input::Piece(_)
        | Input::Output(_)
        | Input::Collected(_)
        | Input::Approved(_)
        | Input::Cancelled
        | Input::Retried
        | Input::RetriedPrivately
        | Input::Undone { .. }
        | Input::Restarted => {}
    }
    input
}

/// Rewrites a log that was written with secrets; `None` if it holds none, or is no log. The caller has to check that the result still
/// replays: a placeholder may push a text over a cap of the machine.
pub fn log(bytes: &[u8]) -> Option<Cleaned> {
    let mut events: Vec<Event> = Vec::new();
    for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        events.push(log::read(line).ok()?);
    }
    let before = events.clone();
    events.iter_mut().for_each(clean_event);
    clean_chunks(&mut events);
    let lines = before.iter().zip(&events).filter(|(before, after)| before != after).count();
    if lines == 0 {
        return None;
    }
    let cleaned = events.iter().map(log::line).collect::<String>().into_bytes();
    Some(Cleaned { bytes: cleaned, lines })
}

/// How much of the end a stream holds back until it is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    /// The last word: a model's answer is shown while it is written.
    Word,
    /// The last line: a program may print anything.
    Line,
}

/// Redacts text that arrives in pieces. Releases a piece once its line or word is complete, since redaction does not recognise half a
/// secret.
#[derive(Debug)]
pub struct Stream {
    hold: Hold,
    /// The text released last, unredacted.
    before: String,
    held: String,
}

impl Stream {
    pub fn new(hold: Hold) -> Self {
        Self { hold, before: String::new(), held: String::new() }
    }

    /// Takes the next piece; returns the text that can be released.
    pub fn push(&mut self, piece: &str) -> String {
        self.held.push_str(piece);
        let end = match self.hold {
            Hold::Line => self.held.rfind(['\n', '\r']).map_or(0, |at| at + 1),
            Hold::Word => self.held.rfind(char::is_whitespace).map_or(0, |at| self.held.ceil_char_boundary(at + 1)),
        };
        let end = match open_key(&self.held) {
            Some(key) => end.min(key),
            None => end,
        };
        let end = if self.held.len() > MAX_HELD { self.held.len() } else { end };
        self.give(end)
    }

    /// Releases everything that is held: the stream has ended, or was idle for a while.
    pub fn rest(&mut self) -> String {
        self.give(self.held.len())
    }

    pub fn is_holding(&self) -> bool {
        !self.held.is_empty()
    }

    fn give(&mut self, end: usize) -> String {
        if end == 0 {
            return String::new();
        }
        let rest = self.held.split_off(end);
        let ready = std::mem::replace(&mut self.held, rest);
        let known = self.before.len();
        self.before.push_str(&ready);
        let found: Vec<Range<usize>> = secrets(&self.before).into_iter().map(|secret| secret.span).collect();
        let given = part(&self.before, known..self.before.len(), &found);
        let keep = self.before.ceil_char_boundary(self.before.len().saturating_sub(CONTEXT));
        self.before.drain(..keep);
        redact(&given).into_owned()
    }
}

/// The start of a private key whose end has not arrived yet.
fn open_key(text: &str) -> Option<usize> {
    let begin = text.rfind("-----BEGIN ")?;
    let is_open = !text.get(begin..)?.contains("-----END ");
    is_open.then(|| text.get(..begin).and_then(|before| before.rfind('\n')).map_or(0, |line| line + 1))
}

/// A range of a text, with the placeholder where a secret of the whole text overlaps it.
fn part(text: &str, range: Range<usize>, found: &[Range<usize>]) -> String {
    let mut out = String::new();
    let mut from = range.start;
    for span in found.iter().filter(|span| span.start < range.end && span.end > range.start) {
        out.push_str(text.get(from..span.start.max(from)).unwrap_or_default());
        out.push_str(REDACTED);
        from = span.end.min(range.end);
    }
    out.push_str(text.get(from..range.end).unwrap_or_default());
    out
}

fn clean_event(event: &mut Event) {
    match &mut event.what {
        EventKind::TaskStart { intent, scope: _ } => clean_intent(intent),
        EventKind::TaskState(change) => {
            let StateChange { message, request, outcome, state: _, context: _, step: _, digest: _, by: _ } =
                &mut **change;
            if let Some(message) = message {
                sentence(message);
            }
            request.iter_mut().for_each(clean_request);
            outcome.iter_mut().for_each(clean_outcome);
        }
        EventKind::TaskProposal(offered) => {
            let OfferedProposal { result, step: _, digest: _ } = &mut **offered;
            clean_intent(&mut result.intent);
            clean_proposal(&mut result.proposal);
            sentence(&mut result.summary);
            optional(&mut result.details);
        }
        EventKind::TaskStreamChunk { .. } | EventKind::TaskEnd { .. } => {}
    }
}

/// The chunks of a message, joined: a secret may begin in one chunk and end in the next.
struct Joined {
    message: String,
    text: String,
    /// The event index of each chunk, and its range in the text.
    chunks: Vec<(usize, Range<usize>)>,
}

fn joined(events: &[Event]) -> Vec<Joined> {
    let mut messages: Vec<Joined> = Vec::new();
    for (number, event) in events.iter().enumerate() {
        let EventKind::TaskStreamChunk { message_id, channel: _, chunk } = &event.what else { continue };
        if messages.last().is_none_or(|joined| joined.message != *message_id) {
            messages.push(Joined { message: message_id.clone(), text: String::new(), chunks: Vec::new() });
        }
        let Some(Joined { text, chunks, .. }) = messages.last_mut() else { continue };
        let start = text.len();
        text.push_str(chunk);
        chunks.push((number, start..text.len()));
    }
    messages
}

fn clean_chunks(events: &mut [Event]) {
    for _ in 0..MAX_PASSES {
        let mut changed = false;
        for Joined { message: _, text, chunks } in joined(events) {
            let found: Vec<Range<usize>> = secrets(&text).into_iter().map(|secret| secret.span).collect();
            for (number, range) in chunks.into_iter().filter(|_| !found.is_empty()) {
                if let Some(EventKind::TaskStreamChunk { chunk, .. }) =
                    events.get_mut(number).map(|event| &mut event.what)
                {
                    *chunk = part(&text, range, &found);
                    // A replay would split a longer chunk into two events.
                    chunk.truncate(chunk.floor_char_boundary(MAX_CHUNK));
                    changed = true;
                }
            }
        }
        if !changed {
            break;
        }
    }
}

fn clean_request(request: &mut UserRequest) {
    text(&mut request.text);
    text(&mut request.meta.selection);
    text(&mut request.meta.diagnostics);
}

fn clean_intent(intent: &mut Intent) {
    let Intent { kind: _, confidence: _, summary, params } = intent;
    sentence(summary);
    let IntentParams { files, cmd, question, change_request, query, written } = params;
    files.iter_mut().for_each(text);
    [cmd, question, change_request, query].into_iter().for_each(optional);
    if let Some(UnparsedCommand::Rest(said) | UnparsedCommand::Unclear(said)) = written.as_deref_mut() {
        text(said);
    }
}

fn clean_draft(draft: &mut ProposalDraft) {
    let ProposalDraft { proposal, summary, details, digest: _ } = draft;
    clean_proposal(proposal);
    text(summary);
    optional(details);
}

fn clean_proposal(proposal: &mut Proposal) {
    match proposal {
        Proposal::Plan { text: said } | Proposal::Answer { text: said } => text(said),
        Proposal::Diff { diff_id: _, unified_diff, files: _ } => text(unified_diff),
        Proposal::Command { cmd, cwd: _, reason, confine: _ } => {
            text(cmd);
            optional(reason);
        }
        Proposal::SearchResults { items } => {
            items.iter_mut().for_each(|SearchResult { path: _, preview }| optional(preview));
        }
    }
}

fn clean_outcome(outcome: &mut ActOutcome) {
    let ActOutcome { summary, exit: _, undo: _, next: _ } = outcome;
    sentence(summary);
}

/// Clips as the machine does, since a replay clips again.
fn sentence(message: &mut String) {
    text(message);
    *message = clipped(std::mem::take(message));
}

fn optional(field: &mut Option<String>) {
    if let Some(field) = field {
        text(field);
    }
}

fn text(field: &mut String) {
    if let std::borrow::Cow::Owned(redacted) = redact(field) {
        *field = redacted;
    }
}

#[cfg(test)]
mod tests;
