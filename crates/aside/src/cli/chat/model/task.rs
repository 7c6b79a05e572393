//! A task rebuilt from its events, as far as a conversation shows it, with a cap on everything. The daemon keeps the whole.

use aside_proto::task::TaskBrief;
use aside_task::event::{ActOutcome, Event, EventKind, OutputChannel, TransitionCause};
use aside_task::proposal::{Proposal, RequestSource};
use aside_task::route::intent::TaskKind;
use aside_task::state::StateName;

use crate::cli::chat::model::proposal_card::Card;

/// Caps in bytes. An answer keeps its beginning, an output its end.
pub const MAX_ANSWER: usize = 128 * 1024;
pub const MAX_OUTPUT: usize = 64 * 1024;
/// Cap on search results.
const MAX_FOUND: usize = 1000;

#[derive(Clone, Debug)]
pub struct TaskView {
    pub id: String,
    pub request: String,
    /// The sender, if the request came from elsewhere.
    pub from: Option<String>,
    pub state: StateName,
    pub attempt: u32,
    /// The sequence number of the last event.
    pub seq: u64,
    /// Why it failed, or what is in progress.
    pub message: String,
    /// The request as it was understood.
    pub wanted: String,
    pub looked_at: Option<usize>,
    pub answer: String,
    /// The answer may contain changes, which are shown as a proposal and not while they stream.
    pub changes: bool,
    /// When the first and last event arrived, by the caller's clock.
    pub begun: Option<u64>,
    pub heard: u64,
    answer_id: String,
    pub output: String,
    /// The beginning of the output was dropped.
    pub output_cut: bool,
    pub proposal: Option<Proposal>,
    pub summary: String,
    pub details: Option<String>,
    /// The pending proposal.
    pub card: Option<Card>,
    /// The step of the pending proposal, before its offer is known.
    pub waits: Option<u32>,
    pub outcome: Option<ActOutcome>,
    /// It wrote something that can be undone.
    pub undo: bool,
    pub undone_by: Option<String>,
    /// Start and end of its execution, in milliseconds since 1970.
    began: Option<u64>,
    ended: Option<u64>,
    /// Changes whenever anything shown changes, so that rows are laid out once.
    pub version: u64,
}

impl TaskView {
    pub fn of(brief: &TaskBrief) -> Self {
        let from = match brief.source.as_str() {
            "" | "local_ui" => None,
            source if brief.from_user.is_empty() => Some(source.to_owned()),
            source => Some(format!("{} ({source})", brief.from_user)),
        };
        Self {
            id: brief.task_id.clone(),
            request: brief.text.clone(),
            from,
            state: state(&brief.state),
            // The log starts with attempt 1, whichever is current.
            attempt: 1,
            seq: 0,
            message: String::new(),
            wanted: String::new(),
            looked_at: None,
            answer: String::new(),
            changes: false,
            begun: None,
            heard: 0,
            answer_id: String::new(),
            output: String::new(),
            output_cut: false,
            proposal: None,
            summary: brief.summary.clone(),
            details: None,
            card: None,
            waits: None,
            outcome: None,
            undo: brief.undo,
            undone_by: None,
            began: None,
            ended: None,
            version: 0,
        }
    }

    pub fn hear(&mut self, event: &Event) {
        // After a reconnect, events are sent again.
        if event.seq <= self.seq {
            return;
        }
        self.seq = event.seq;
        self.version += 1;
        if event.attempt > self.attempt {
            self.begin_again(event.attempt);
        }
        match &event.what {
            EventKind::TaskStart { intent, scope: _ } => {
                self.wanted.clone_from(&intent.summary);
                self.changes = matches!(intent.kind, TaskKind::Change | TaskKind::Diagnose);
            }
            EventKind::TaskState(change) => {
                self.state = change.state;
                self.message = change.message.clone().unwrap_or_default();
                if let Some(request) = &change.request {
                    self.request.clone_from(&request.text);
                    self.from = match (request.source, &request.from_user) {
                        (RequestSource::LocalUi, _) => None,
                        (source @ (RequestSource::Wecom | RequestSource::Webhook | RequestSource::Relay), None) => {
                            Some(source.name().to_owned())
                        }
                        (
                            source @ (RequestSource::Wecom | RequestSource::Webhook | RequestSource::Relay),
                            Some(user),
                        ) => Some(format!("{user} ({})", source.name())),
                    };
                }
                if let Some(context) = &change.context {
                    self.looked_at = Some(context.files.len());
                }
                self.waits = change.step.filter(|_| change.state == StateName::WaitingApproval);
                if self.waits.is_none() || self.card.as_ref().map(|card| card.offer().step) != self.waits {
                    self.card = None;
                }
                match change.state {
                    StateName::Executing => self.began = Some(event.at),
                    _ if event.cause == Some(TransitionCause::Undone) => {
                        (self.undo, self.undone_by) = (false, change.by.clone());
                    }
                    StateName::Completed | StateName::Failed | StateName::Rejected => self.ended = Some(event.at),
                    _ => {}
                }
                if let Some(outcome) = &change.outcome {
                    self.undo = outcome.undo.is_some();
                    self.outcome = Some(outcome.clone());
                }
            }
            EventKind::TaskStreamChunk { message_id, channel: OutputChannel::Answer, chunk } => {
                if *message_id != self.answer_id {
                    self.answer.clear();
                    self.answer_id.clone_from(message_id);
                }
                push_bounded(&mut self.answer, chunk);
            }
            EventKind::TaskStreamChunk { channel: OutputChannel::Output, chunk, .. } => {
                self.output.push_str(chunk);
                if self.output.len() > 2 * MAX_OUTPUT {
                    self.cut_output();
                }
            }
            EventKind::TaskProposal(offered) => {
                let result = &offered.result;
                self.summary.clone_from(&result.summary);
                self.details.clone_from(&result.details);
                self.proposal = Some(bounded(&result.proposal));
            }
            EventKind::TaskEnd { .. } => {}
        }
    }

    pub fn has_ended(&self) -> bool {
        matches!(self.state, StateName::Completed | StateName::Failed | StateName::Rejected)
    }

    /// Work is in progress and the user has nothing to do.
    pub fn is_busy(&self) -> bool {
        !self.has_ended() && self.state != StateName::WaitingApproval
    }

    pub fn is_waiting(&self) -> bool {
        self.state == StateName::WaitingApproval
    }

    /// How long the execution took, in seconds.
    pub fn took(&self) -> Option<u64> {
        Some(self.ended?.saturating_sub(self.began?) / 1000)
    }

    fn begin_again(&mut self, attempt: u32) {
        let brief = TaskBrief { task_id: self.id.clone(), ..TaskBrief::default() };
        let Self { request, from, seq, version, .. } = self;
        let (request, from) = (std::mem::take(request), from.take());
        *self = Self { request, from, attempt, seq: *seq, version: *version, ..Self::of(&brief) };
    }

    fn cut_output(&mut self) {
        let from = self.output.len() - MAX_OUTPUT;
        // Cuts at the beginning of a line, if there is one nearby.
        let from = self.output.bytes().skip(from).position(|byte| byte == b'\n').map_or(from, |at| from + at + 1);
        let from = (from..=self.output.len()).find(|at| self.output.is_char_boundary(*at)).unwrap_or(0);
        self.output.drain(..from);
        self.output_cut = true;
    }
}

fn push_bounded(text: &mut String, more: &str) {
    let room = MAX_ANSWER.saturating_sub(text.len());
    let end = (0..=room.min(more.len())).rev().find(|end| more.is_char_boundary(*end)).unwrap_or(0);
    text.push_str(more.get(..end).unwrap_or_default());
}

/// The part of a proposal that a conversation shows. The offer has the whole text to approve.
fn bounded(proposal: &Proposal) -> Proposal {
    let short = |text: &str| {
        let mut kept = String::new();
        push_bounded(&mut kept, text);
        kept
    };
    match proposal {
        Proposal::Plan { text } => Proposal::Plan { text: short(text) },
        Proposal::Answer { text } => Proposal::Answer { text: short(text) },
        Proposal::Diff { diff_id, unified_diff: _, files } => {
            Proposal::Diff { diff_id: diff_id.clone(), unified_diff: String::new(), files: files.clone() }
        }
        Proposal::SearchResults { items } => {
            Proposal::SearchResults { items: items.iter().take(MAX_FOUND).cloned().collect() }
        }
        Proposal::Command { .. } => proposal.clone(),
    }
}

/// Parses a state's name from a task list.
pub fn state(name: &str) -> StateName {
    serde_json::from_value(serde_json::Value::String(name.to_owned())).unwrap_or(StateName::Received)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(json: &str) -> Event {
        serde_json::from_str(json).unwrap()
    }

    fn chunk(seq: u64, channel: &str, text: &str) -> Event {
        event(&format!(
            r#"{{"type":"task_stream_chunk","messageId":"m","channel":"{channel}","chunk":{},"threadId":"a","taskId":"t1","attempt":1,"seq":{seq},"at":1,"v":1}}"#,
            serde_json::Value::String(text.to_owned())
        ))
    }

    #[test]
    fn what_is_kept_of_a_task_is_bounded() {
        let mut shown = TaskView::of(&TaskBrief { task_id: "t1".to_owned(), ..TaskBrief::default() });
        for seq in 1..=40 {
            shown.hear(&chunk(2 * seq - 1, "answer", &"日".repeat(4000)));
            shown.hear(&chunk(2 * seq, "output", &format!("{seq} {}\n", "é".repeat(4000))));
        }
        assert!(shown.answer.len() <= MAX_ANSWER && shown.answer.starts_with("日日"));
        assert!(shown.output.len() <= 2 * MAX_OUTPUT, "{}", shown.output.len());
        assert!(shown.output_cut && shown.output.starts_with(|letter: char| letter.is_ascii_digit()));
        assert!(shown.output.trim_end().ends_with('é'));
    }

    #[test]
    fn an_event_that_comes_again_counts_once() {
        let mut shown = TaskView::of(&TaskBrief { task_id: "t1".to_owned(), ..TaskBrief::default() });
        shown.hear(&chunk(1, "answer", "a"));
        shown.hear(&chunk(1, "answer", "a"));
        shown.hear(&chunk(2, "answer", "b"));
        assert_eq!((shown.answer.as_str(), shown.seq), ("ab", 2));
    }

    #[test]
    fn the_next_attempt_begins_with_nothing_but_the_request() {
        // The list reports attempt 2 before the events of attempt 1 arrive.
        let brief =
            TaskBrief { task_id: "t1".to_owned(), text: "run it".to_owned(), attempt: 2, ..TaskBrief::default() };
        let mut shown = TaskView::of(&brief);
        shown.hear(&chunk(1, "output", "old"));
        shown.hear(&event(
            r#"{"type":"task_state","state":"RECEIVED","threadId":"a","taskId":"t1","attempt":2,"seq":2,"at":1,"v":1}"#,
        ));
        assert_eq!((shown.request.as_str(), shown.output.as_str(), shown.attempt, shown.seq), ("run it", "", 2, 2));
    }
}
