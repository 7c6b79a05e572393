//! Reads and writes the log of a task: one JSON event a line, append-only, with the event's number equal to its line number. Replay repeats
//! the steps of the machine and compares their events with the log, so there is no second description of what an event does to a task.
//! Opens no file; the caller passes the bytes.

#[cfg(test)]
mod tests;

use std::fmt;

use crate::effect::Effect;
use crate::event::{Approval, Event, EventKind, OfferedProposal, OutputChannel, StateChange, TransitionCause, VERSION};
use crate::input::{Input, ProposalDraft};
use crate::machine::{Task, step};
use crate::proposal::UserRequest;

/// Bytes of one line. The largest proposal fits even when JSON escapes all of its characters.
pub const MAX_LINE: usize = 32 * 1024 * 1024;
/// Bytes of a log. The machine's own caps allow less.
pub const MAX_BYTES: usize = 256 * 1024 * 1024;

/// A task rebuilt from its log.
#[derive(Debug, PartialEq)]
pub struct Replayed {
    pub task: Task,
    /// Length of the valid prefix. The caller truncates the log to it before it appends.
    pub good: usize,
    /// Events of the last step that were never written. The caller appends them; no effect of that step has run.
    pub missing: Vec<Event>,
}

/// A fault in a log other than an incomplete last line.
#[derive(Debug, PartialEq)]
pub struct Damage {
    /// Counts from 1.
    pub line: usize,
    pub what: String,
    /// The task as of the lines before the fault; `None` if the first line is bad.
    pub kept: Option<Box<Replayed>>,
}

/// Serializes an event as a line, with its newline.
pub fn line(event: &Event) -> String {
    // Our own types have string keys and finite numbers, so serialization cannot fail.
    let mut line = serde_json::to_string(event).unwrap_or_default();
    line.push('\n');
    line
}

/// Rebuilds a task from its log; `Ok(None)` if not even the first event was written. Ignores a last line without a newline: it was being
/// written at a crash, so nothing has acted upon it.
pub fn replay(log: &[u8]) -> Result<Option<Replayed>, Damage> {
    if log.len() > MAX_BYTES {
        return Err(Damage { line: 1, what: format!("the log has more than {MAX_BYTES} bytes"), kept: None });
    }
    let mut fold = Fold { task: None, good: 0, due: Vec::new() };
    for (index, bytes) in lines(log).enumerate() {
        if let Err(what) = fold.take(bytes) {
            // The fold may already have taken the step that the bad line begins; a replay of the good lines alone gives the task before it.
            let kept = log.get(..fold.good).and_then(|good| replay(good).ok().flatten());
            return Err(Damage { line: index + 1, what, kept: kept.map(Box::new) });
        }
    }
    Ok(fold.done())
}

/// The complete lines after this number, for a client that has seen the events up to it.
pub fn since(log: &[u8], seq: u64) -> impl Iterator<Item = &[u8]> {
    lines(log).skip(usize::try_from(seq).unwrap_or(usize::MAX))
}

pub fn read(line: &[u8]) -> Result<Event, String> {
    #[derive(serde::Deserialize)]
    struct Versioned {
        v: u32,
    }
    if line.len() > MAX_LINE {
        return Err(format!("the line has more than {MAX_LINE} bytes"));
    }
    match serde_json::from_slice::<Versioned>(line) {
        Ok(Versioned { v: VERSION }) => {}
        Ok(Versioned { v }) => return Err(format!("it has format {v}, this aside reads {VERSION}")),
        Err(error) => return Err(format!("not an event: {error}")),
    }
    serde_json::from_slice(line).map_err(|error| format!("not an event: {error}"))
}

/// Complete lines only, without their newlines.
fn lines(log: &[u8]) -> impl Iterator<Item = &[u8]> {
    log.split_inclusive(|&byte| byte == b'\n').filter_map(|line| line.strip_suffix(b"\n"))
}

struct Fold {
    task: Option<Task>,
    good: usize,
    /// Events of the current step that the log has not confirmed yet, last one first.
    due: Vec<Event>,
}

impl Fold {
    fn take(&mut self, line: &[u8]) -> Result<(), String> {
        let event = read(line)?;
        let told = self.task.as_ref().map_or(0, Task::seq).saturating_sub(self.due.len() as u64);
        let seq = told.saturating_add(1);
        if event.seq != seq {
            return Err(format!("event {} is where {seq} has to be", event.seq));
        }
        if self.due.is_empty() {
            self.step(&event)?;
        }
        if self.due.last() != Some(&event) {
            return Err(format!("event {seq} does not follow from those before it"));
        }
        self.due.pop();
        self.good += line.len() + 1;
        Ok(())
    }

    /// Takes the step that begins with this event.
    fn step(&mut self, event: &Event) -> Result<(), String> {
        let (task, effects) = match self.task.take() {
            None => {
                let received = received(event).ok_or("a log begins with what was received")?;
                let (task, effects) = Task::received(event.task_id.clone(), received, event.at)
                    .map_err(|refusal| format!("event {} cannot happen: {refusal}", event.seq))?;
                (task, effects)
            }
            Some(task) => {
                let input = input(event).ok_or_else(|| format!("event {} is not the first of any step", event.seq))?;
                let (task, effects) = step(task, event.at, input);
                (task, effects.map_err(|refusal| format!("event {} cannot happen: {refusal}", event.seq))?)
            }
        };
        self.task = Some(task);
        let told = effects.into_iter().rev().filter_map(|effect| match effect {
            Effect::Emit(event) => Some(*event),
            Effect::Save
            | Effect::Route
            | Effect::Collect
            | Effect::Propose
            | Effect::Ask { .. }
            | Effect::Execute(_)
            | Effect::Stop => None,
        });
        self.due = told.collect();
        Ok(())
    }

    fn done(self) -> Option<Replayed> {
        let Self { task, good, due } = self;
        task.map(|task| Replayed { task, good, missing: due.into_iter().rev().collect() })
    }
}

fn received(event: &Event) -> Option<UserRequest> {
    match (&event.what, event.cause) {
        (EventKind::TaskState(change), Some(TransitionCause::Received)) => change.request.clone(),
        _ => None,
    }
}

/// Reconstructs the input that produced this event.
fn input(event: &Event) -> Option<Input> {
    let cause = match (&event.what, event.cause) {
        (EventKind::TaskStreamChunk { channel, chunk, .. }, None) => {
            return Some(match channel {
                OutputChannel::Answer => Input::Piece(chunk.clone()),
                OutputChannel::Output => Input::Output(chunk.clone()),
            });
        }
        (_, cause) => cause?,
    };
    match &event.what {
        EventKind::TaskStart { intent, scope } => {
            (cause == TransitionCause::Routed).then(|| Input::Routed { intent: intent.clone(), scope: *scope })
        }
        EventKind::TaskProposal(offered) => {
            let OfferedProposal { result, step: _, digest } = &**offered;
            let draft = ProposalDraft {
                proposal: result.proposal.clone(),
                summary: result.summary.clone(),
                details: result.details.clone(),
                digest: digest.clone(),
            };
            match cause {
                TransitionCause::Proposed => Some(Input::Proposed(draft)),
                TransitionCause::Edited => Some(Input::Edited(draft)),
                _ => None,
            }
        }
        EventKind::TaskState(change) => changed(event, cause, change),
        EventKind::TaskStreamChunk { .. } | EventKind::TaskEnd { .. } => None,
    }
}

fn changed(event: &Event, cause: TransitionCause, change: &StateChange) -> Option<Input> {
    Some(match cause {
        TransitionCause::Collected => Input::Collected(change.context.clone()?),
        TransitionCause::Approved => Input::Approved(Approval {
            task_id: event.task_id.clone(),
            step: change.step?,
            digest: change.digest.clone()?,
            by: change.by.clone()?,
        }),
        TransitionCause::Rejected => Input::Rejected { reason: change.message.clone(), by: change.by.clone() },
        TransitionCause::Finished => Input::Finished(change.outcome.clone()?),
        TransitionCause::Failed => Input::Failed { reason: change.message.clone()? },
        TransitionCause::Cancelled => Input::Cancelled,
        // A retry repeats the request, with its current `private` flag.
        TransitionCause::Retried if change.request.as_ref().is_some_and(|request| request.meta.private) => {
            Input::RetriedPrivately
        }
        TransitionCause::Retried => Input::Retried,
        TransitionCause::Undone => Input::Undone { by: change.by.clone()? },
        TransitionCause::Restarted => Input::Restarted,
        TransitionCause::Received | TransitionCause::Routed | TransitionCause::Proposed | TransitionCause::Edited => {
            return None;
        }
    })
}

impl fmt::Display for Damage {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "line {}: {}", self.line, self.what)
    }
}

impl std::error::Error for Damage {}
