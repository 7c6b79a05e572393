//! Relates a task to the earlier ones of its conversation: what "again", "undo that" and "why?" refer to, which files are meant, and what a
//! model is told. Earlier messages are only information: what acts is proposed and approved anew.

use aside_core::agent::language::Language;
use aside_task::proposal::Proposal;
use aside_task::route::intent::TaskKind;
use aside_task::route::{Route, RouteOptions};
use aside_task::run::conversation::{Conversation, EarlierTask, MAX_BYTES};
use aside_task::run::follow_up::{self, FollowUp};
use aside_task::run::{ModelNeed, RunnerOutcome, code};
use aside_task::state::StateName;

use crate::daemon::tasks::attempt::{Attempt, answer, blocking};

/// The fraction of a small model's context that earlier exchanges may take.
const PART: usize = 6;

impl Attempt {
    /// The earlier requests, oldest first.
    pub(super) async fn earlier(&self) -> &[EarlierTask] {
        self.earlier.get_or_init(|| self.state.tasks().earlier(&self.id, &self.request)).await
    }

    /// What is sent to a model of them; empty if none is asked.
    pub(super) async fn conversation(&self) -> &Conversation {
        let make = async || {
            if self.lack().is_some() {
                return Conversation::default();
            }
            let may = |line: &str| self.state.may_leave(line);
            let leaving: Vec<EarlierTask> =
                self.earlier().await.iter().filter_map(|earlier| earlier.leaving(&may)).collect();
            Conversation::of(&leaving, MAX_BYTES.min(self.all_room() / PART))
        };
        self.conversation.get_or_init(make).await
    }

    /// The route of a request that follows up on an earlier one.
    pub(super) async fn followed(&self, ours: &Route, options: &RouteOptions<'_>) -> Option<Route> {
        follow_up::parse(self.words())?;
        follow_up::wanted(self.words(), self.earlier().await, ours, options)
    }

    /// An answer that needs nothing but the earlier requests.
    pub(super) async fn follow_up(&self, kind: TaskKind) -> Option<RunnerOutcome> {
        let words = self.words();
        match (follow_up::parse(words)?, kind) {
            (FollowUp::Again { .. }, TaskKind::Run) => follow_up::again(words, self.earlier().await),
            (FollowUp::Back, TaskKind::Explain) => {
                let (earlier, tasks) = (self.earlier().await, self.state.tasks());
                let other = tasks.changed_last(&self.request).await;
                Some(follow_up::back(words, earlier, &tasks.can_be_undone(earlier), other.as_ref()))
            }
            (FollowUp::Why | FollowUp::Cure, TaskKind::Diagnose) => follow_up::why(words, self.earlier().await),
            _ => None,
        }
    }

    /// "Undo that commit", where the commit of the conversation failed: there is nothing to undo, and an earlier commit is not meant.
    pub(super) async fn undoes_nothing(&self) -> Option<RunnerOutcome> {
        let lower = self.words().trim().trim_end_matches(['.', '!']).to_lowercase();
        let words: Vec<&str> = lower.split_whitespace().collect();
        let noun = match words.as_slice() {
            ["undo" | "revert" | "reset" | "drop", "that" | "this", noun] => *noun,
            ["take" | "roll", "back", "that" | "this", noun] | ["take" | "roll", "that" | "this", noun, "back"] => {
                *noun
            }
            _ => return None,
        };
        let command = |earlier: &EarlierTask| match &earlier.proposal {
            Some(Proposal::Command { cmd, .. }) if cmd.contains(&format!("git {noun}")) => Some(cmd.clone()),
            _ => None,
        };
        let (earlier, cmd) = self.earlier().await.iter().rev().find_map(|one| Some((one, command(one)?)))?;
        if earlier.state == StateName::Completed {
            return None;
        }
        let text = match Language::of(self.words()) {
            Language::English => format!("{} did not succeed, so there is nothing of it to undo.", code(&cmd)),
            Language::Chinese => format!("{} 没有成功，所以没有可以撤销的。", code(&cmd)),
        };
        Some(answer(format!("{text}\n"), text, String::new(), ModelNeed::Unneeded))
    }

    pub(super) fn is_known_from_before(&self) -> bool {
        matches!(follow_up::parse(self.words()), Some(FollowUp::Back))
    }

    /// Files that are referred to without being named: those of the last change or proposal, by their paths from the root.
    pub(super) async fn spoken_of(&self) -> Vec<String> {
        if !follow_up::refers(self.words()) {
            return Vec::new();
        }
        let changed = self.earlier().await.iter().rev().map(EarlierTask::files).find(|files| !files.is_empty());
        let paths: Vec<String> = changed.into_iter().flatten().map(|file| file.path.clone()).collect();
        let root = self.workspace.root().to_owned();
        let there = blocking(move |_| {
            paths.into_iter().filter(|path| std::fs::symlink_metadata(root.join(path)).is_ok()).collect()
        });
        there.await.unwrap_or_default()
    }
}
