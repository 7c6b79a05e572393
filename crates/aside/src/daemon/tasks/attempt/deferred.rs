//! Requests that say when, and not now: `as soon as the build is green, delete the branch`. What is proposed here is done when it is approved,
//! so nothing is proposed, and that is said.

use aside_core::agent::language::Language;
use aside_task::proposal::Proposal;
use aside_task::route::intent::TaskKind;
use aside_task::route::literal_command::{self, Literal};
use aside_task::route::params::split_piped;
use aside_task::run::{ModelNeed, RunnerOutcome, short};
use aside_text::speech_act::SpeechActs;

use super::{Attempt, MAX_SAID};

impl Attempt {
    /// What is said in place of a change or a command for such a request.
    pub(super) fn deferred(&self, kind: TaskKind) -> Option<RunnerOutcome> {
        let (words, _) = split_piped(self.words());
        // A command line has no moods.
        if matches!(literal_command::order(words, &|_| false), Literal::Line(line) if line == words.trim()) {
            return None;
        }
        let speech_acts = SpeechActs::of(words);
        let when = speech_acts.waits()?;
        // `when the token has expired, remove the cookie`: a model that writes code makes a branch of a condition, but not of a time.
        let is_time = speech_acts.clauses.iter().any(|clause| clause.later.as_ref() == Some(&when));
        if kind == TaskKind::Change && !is_time && self.lack().is_none() {
            return None;
        }
        let when = short(words.get(when).unwrap_or_default(), MAX_SAID);
        let text = match Language::of(words) {
            Language::English => {
                format!(
                    "This says when, not now: \u{201c}{when}\u{201d}. Nothing here waits for that: ask again when it is so."
                )
            }
            Language::Chinese => {
                format!("这里说的是以后或有条件的：“{when}”，不是现在。Aside 不会替你等：到时候请再说一次。")
            }
        };
        Some(RunnerOutcome {
            proposal: Proposal::Answer { text: format!("{text}\n") },
            summary: text,
            details: String::new(),
            model: ModelNeed::Unneeded,
        })
    }

    /// The same for what would be carried out, whichever way it was found.
    pub(super) fn not_yet(&self, outcome: RunnerOutcome) -> RunnerOutcome {
        let kind = match &outcome.proposal {
            Proposal::Plan { .. } | Proposal::Answer { .. } | Proposal::SearchResults { .. } => return outcome,
            Proposal::Command { .. } => TaskKind::Run,
            Proposal::Diff { .. } => TaskKind::Change,
        };
        self.deferred(kind).unwrap_or(outcome)
    }
}
