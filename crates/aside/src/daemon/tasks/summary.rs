//! Summarizes a task from its events without asking its actor: one line of a list.

use std::collections::BTreeSet;

use aside_proto::task::TaskBrief;
use aside_task::event::{Event, EventKind, OfferedProposal, StateChange, TransitionCause};
use aside_task::log;
use aside_task::proposal::{Proposal, SearchResult, TaskResult, UserRequest};
use aside_task::route::intent::ApprovalAction;
use aside_task::state::StateName;

use crate::apply::undo_log::Receipt;

/// Characters of a request in a list. The events hold all of it.
const MAX_TEXT: usize = 2000;
/// Characters of the summary of a proposal.
const MAX_SUMMARY: usize = 400;
/// How the lines of streamed chunks begin, which do not affect the summary; most lines are such.
const CHUNK: &[u8] = br#"{"type":"task_stream_chunk""#;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskSummary {
    pub brief: TaskBrief,
    /// The change that it wrote.
    pub wrote: Option<Receipt>,
    /// The session that it was requested from.
    pub session: String,
    pub private: bool,
    /// The action of its proposal. In the brief only while it waits.
    acts: Option<ApprovalAction>,
}

impl TaskSummary {
    /// Builds the summary from a log. Skips unreadable lines: a list is no place for errors.
    pub fn of(log: &[u8]) -> Self {
        let mut known = Self::default();
        let lines = log.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        for (number, line) in lines.enumerate() {
            known.brief.seq = number as u64 + 1;
            if let Some(event) =
                Some(line).filter(|line| !line.starts_with(CHUNK)).and_then(|line| log::read(line).ok())
            {
                known.take(&event);
            }
        }
        known
    }

    pub fn take(&mut self, event: &Event) {
        let brief = &mut self.brief;
        brief.seq = event.seq;
        // A proposal that is shown again after a restart is not news: an old task would otherwise move to the top of the list.
        let asks_again =
            event.cause == Some(TransitionCause::Restarted) && brief.state == spelled(StateName::WaitingApproval);
        if !asks_again {
            brief.at = event.at;
        }
        brief.attempt = event.attempt;
        if brief.task_id.is_empty() {
            brief.task_id = event.task_id.to_string();
            brief.thread_id.clone_from(&event.thread_id);
            brief.since = event.at;
        }
        match &event.what {
            EventKind::TaskStart { intent, scope: _ } => {
                intent.kind.name().clone_into(&mut brief.kind);
                brief.summary = cut(&intent.summary, MAX_SUMMARY);
            }
            EventKind::TaskState(change) => {
                self.moved(change);
                if event.cause == Some(TransitionCause::Undone) {
                    self.brief.undo = false;
                    self.brief.undone_by = change.by.clone().unwrap_or_default();
                }
            }
            EventKind::TaskProposal(offered) => {
                let OfferedProposal { result, .. } = &**offered;
                brief.summary = cut(&result.summary, MAX_SUMMARY);
                self.acts = result.proposal.action();
            }
            EventKind::TaskStreamChunk { .. } | EventKind::TaskEnd { .. } => {}
        }
    }

    fn moved(&mut self, change: &StateChange) {
        let brief = &mut self.brief;
        if let Some(UserRequest { source, from_user, text, meta, thread_id: _ }) = &change.request {
            brief.text = cut(text, MAX_TEXT);
            source.name().clone_into(&mut brief.source);
            brief.from_user = from_user.clone().unwrap_or_default();
            brief.workspace.clone_from(&meta.workspace);
            brief.summary.clear();
            brief.undone_by.clear();
            self.session.clone_from(&meta.session);
            self.private = meta.private;
            self.acts = None;
        }
        spelled(change.state).clone_into(&mut brief.state);
        let waits = change.state == StateName::WaitingApproval;
        let acts = self.acts.filter(|_| waits).map(|action| match action {
            ApprovalAction::ApplyDiff => "apply_diff",
            ApprovalAction::RunCommand => "run_command",
        });
        acts.unwrap_or_default().clone_into(&mut brief.action);
        if let (StateName::Failed | StateName::Rejected, Some(message)) = (change.state, &change.message) {
            brief.summary = cut(message, MAX_SUMMARY);
        }
        if let Some(undo) = change.outcome.as_ref().and_then(|outcome| outcome.undo.as_ref()) {
            self.wrote = Receipt::read(undo);
            brief.undo = self.wrote.is_some();
        }
    }

    /// Whether it contains every one of these words.
    pub fn has(&self, words: &SearchedWords) -> bool {
        words.0.is_empty() || words.are_in(&self.listed())
    }

    /// The same, including everything in its log: answers, proposals and output.
    pub fn has_said(&self, words: &SearchedWords, log: &[u8]) -> bool {
        words.are_in(&(self.listed() + &said(log)))
    }

    /// What a list shows of it, a field on each line: no word contains a line end.
    fn listed(&self) -> String {
        let TaskBrief { task_id, text, summary, kind, workspace, .. } = &self.brief;
        format!("{task_id}\n{text}\n{summary}\n{kind}\n{workspace}\n")
    }
}

/// The words that a list is searched for, in lower case, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchedWords(BTreeSet<String>);

impl SearchedWords {
    /// Each of them is searched for in every log.
    const MAX_WORDS: usize = 32;
    const MAX_LENGTH: usize = 4 * 1024;

    /// Or why it is too much to search for.
    pub fn of(text: &str) -> Result<Self, String> {
        if text.len() > Self::MAX_LENGTH {
            return Err(format!("a search is for at most {} KiB of words", Self::MAX_LENGTH / 1024));
        }
        let words: BTreeSet<String> = text.to_lowercase().split_whitespace().map(str::to_owned).collect();
        if words.len() > Self::MAX_WORDS {
            return Err(format!("a search is for at most {} words", Self::MAX_WORDS));
        }
        Ok(Self(words))
    }

    fn are_in(&self, text: &str) -> bool {
        let low = text.to_lowercase();
        self.0.iter().all(|word| low.contains(word))
    }
}

/// All texts of a log, joined in order: a word may cross the end of a piece.
fn said(log: &[u8]) -> String {
    let lines = log.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let mut said = String::new();
    for event in lines.filter_map(|line| log::read(line).ok()) {
        match event.what {
            EventKind::TaskStreamChunk { chunk, .. } => said.push_str(&chunk),
            EventKind::TaskProposal(offered) => {
                let TaskResult { proposal, summary, details, .. } = offered.result;
                let proposed = match proposal {
                    Proposal::Plan { text } | Proposal::Answer { text } => text,
                    Proposal::Diff { unified_diff, .. } => unified_diff,
                    Proposal::Command { cmd, reason, .. } => format!("{cmd}\n{}", reason.unwrap_or_default()),
                    Proposal::SearchResults { items } => {
                        let line = |item: &SearchResult| {
                            format!("{} {}\n", item.path, item.preview.as_deref().unwrap_or_default())
                        };
                        items.iter().map(line).collect()
                    }
                };
                said.push_str(&format!("\n{summary}\n{proposed}\n{}\n", details.unwrap_or_default()));
            }
            EventKind::TaskState(change) => {
                let request = change.request.map(|request| request.text).unwrap_or_default();
                said.push_str(&format!("\n{request}\n{}\n", change.message.unwrap_or_default()));
            }
            EventKind::TaskStart { .. } | EventKind::TaskEnd { .. } => {}
        }
    }
    said
}

/// The spelling of the states in docs/protocol.md.
pub fn spelled(name: StateName) -> &'static str {
    match name {
        StateName::Received => "RECEIVED",
        StateName::Routed => "ROUTED",
        StateName::ContextCollected => "CONTEXT_COLLECTED",
        StateName::Proposing => "PROPOSING",
        StateName::ProposalReady => "PROPOSAL_READY",
        StateName::WaitingApproval => "WAITING_APPROVAL",
        StateName::Executing => "EXECUTING",
        StateName::Completed => "COMPLETED",
        StateName::Failed => "FAILED",
        StateName::Rejected => "REJECTED",
    }
}

fn cut(text: &str, letters: usize) -> String {
    match text.char_indices().nth(letters) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aside_task::effect::Effect;
    use aside_task::event::{ActOutcome, Approval, ApprovalDigest, TaskId};
    use aside_task::input::{Input, ProposalDraft};
    use aside_task::machine::{Task, step};
    use aside_task::proposal::{Proposal, RequestMeta};
    use aside_task::route::TaskScope;
    use aside_task::route::intent::{Intent, IntentParams, TaskKind};

    #[test]
    fn a_line_of_a_list_follows_from_the_events_however_it_gets_them() {
        let id = TaskId::of("t1").unwrap();
        let meta = RequestMeta { workspace: "/p".to_owned(), ..RequestMeta::default() };
        let request = UserRequest { text: "make it blue".to_owned(), meta, ..UserRequest::default() };
        let (mut task, effects) = Task::received(id.clone(), request, 5).unwrap();
        let mut told = effects;
        let digest = ApprovalDigest::of_hex(&"a".repeat(64)).unwrap();
        let proposal = Proposal::Diff { diff_id: "d".to_owned(), unified_diff: "x".to_owned(), files: Vec::new() };
        let intent = Intent {
            kind: TaskKind::Change,
            confidence: 0.9,
            summary: "Change".to_owned(),
            params: IntentParams::default(),
        };
        let draft =
            ProposalDraft { proposal, summary: "Make it blue".to_owned(), details: None, digest: Some(digest.clone()) };
        let approval = Approval { task_id: id, step: 1, digest, by: "me".to_owned() };
        let outcome = ActOutcome { summary: "done".to_owned(), undo: Some("77".to_owned()), ..ActOutcome::default() };
        let mut states = Vec::new();
        let mut live = TaskSummary::default();
        for input in [
            Input::Routed { intent, scope: TaskScope::Full },
            Input::Collected(aside_task::event::GatheredFiles::default()),
            Input::Piece("hm".to_owned()),
            Input::Proposed(draft),
            Input::Restarted,
            Input::Approved(approval),
            Input::Finished(outcome),
        ] {
            let (next, effects) = step(task, if matches!(input, Input::Restarted) { 99 } else { 9 }, input);
            task = next;
            told.extend(effects.unwrap());
            let events: Vec<&Event> = told
                .iter()
                .filter_map(|effect| match effect {
                    Effect::Emit(event) => Some(&**event),
                    _ => None,
                })
                .collect();
            live = TaskSummary::default();
            events.iter().for_each(|event| live.take(event));
            let log: String = events.iter().map(|event| log::line(event)).collect();
            assert_eq!(TaskSummary::of(log.as_bytes()), live);
            assert_eq!(live.brief.at, 9, "a daemon that asks again makes nothing new");
            states.push(format!("{} {}", live.brief.state, live.brief.action));
        }
        let waiting = "WAITING_APPROVAL apply_diff";
        assert_eq!(states, ["ROUTED ", "PROPOSING ", "PROPOSING ", waiting, waiting, "EXECUTING ", "COMPLETED "]);
        assert_eq!(
            (live.wrote.clone(), live.brief.undo, live.brief.since, live.brief.at),
            (Receipt::read("77"), true, 5, 9)
        );
        let has = |words| live.has(&SearchedWords::of(words).unwrap());
        assert!(has("BLUE /p blue") && has(" ") && !has("red") && !has("blue red"));
    }

    #[test]
    fn a_search_is_for_a_few_words() {
        let many = |count: usize| (0..count).map(|number| format!("w{number} ")).collect::<String>();
        assert_eq!(SearchedWords::of("Blue  blue\nRED").unwrap().0.into_iter().collect::<Vec<_>>(), ["blue", "red"]);
        assert!(SearchedWords::of(&many(32)).is_ok());
        assert_eq!(SearchedWords::of(&many(33)), Err("a search is for at most 32 words".to_owned()));
        for huge in [many(300_000), "w ".repeat(300_000), "w".repeat(5000)] {
            assert_eq!(SearchedWords::of(&huge), Err("a search is for at most 4 KiB of words".to_owned()));
        }
        let log = br#"{"type":"task_stream_chunk"}"#;
        let known = TaskSummary {
            brief: TaskBrief { text: "Blau".to_owned(), ..TaskBrief::default() },
            ..TaskSummary::default()
        };
        assert!(known.has_said(&SearchedWords::of("blau").unwrap(), log));
        assert!(!known.has_said(&SearchedWords::of("blau grau").unwrap(), log));
    }
}
