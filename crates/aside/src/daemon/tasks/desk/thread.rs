//! Relates a task to the earlier ones of its conversation: what "again", "undo that" and "why?" refer to, which files are meant, and what a
//! model is told. Earlier messages are only information: what acts is proposed and approved anew.

use aside_core::agent::tongue::Tongue;
use aside_core::task::proposal::Proposal;
use aside_core::task::route::intent::Kind;
use aside_core::task::route::{Options, Route};
use aside_core::task::run::follow::{self, Follow};
use aside_core::task::run::thread::{Conversation, Earlier, MAX_BYTES};
use aside_core::task::run::{Model, Outcome, code};
use aside_core::task::state::Name;

use crate::daemon::tasks::desk::{Desk, answer, blocking};

/// The fraction of a small model's context that earlier exchanges may take.
const PART: usize = 6;

impl Desk {
    /// The earlier requests, oldest first.
    pub(super) async fn earlier(&self) -> &[Earlier] {
        self.earlier.get_or_init(|| self.state.tasks().earlier(&self.id, &self.request)).await
    }

    /// What is sent to a model of them; empty if none is asked.
    pub(super) async fn conversation(&self) -> &Conversation {
        let make = async || {
            if self.lack().is_some() {
                return Conversation::default();
            }
            let may = |line: &str| self.state.may_leave(line);
            let leaving: Vec<Earlier> =
                self.earlier().await.iter().filter_map(|earlier| earlier.leaving(&may)).collect();
            Conversation::of(&leaving, MAX_BYTES.min(self.all_room() / PART))
        };
        self.conversation.get_or_init(make).await
    }

    /// The route of a request that follows up on an earlier one.
    pub(super) async fn followed(&self, ours: &Route, options: &Options<'_>) -> Option<Route> {
        follow::read(self.words())?;
        follow::wanted(self.words(), self.earlier().await, ours, options)
    }

    /// An answer that needs nothing but the earlier requests.
    pub(super) async fn follow_up(&self, kind: Kind) -> Option<Outcome> {
        let words = self.words();
        match (follow::read(words)?, kind) {
            (Follow::Again { .. }, Kind::Run) => follow::again(words, self.earlier().await),
            (Follow::Back, Kind::Explain) => {
                let (earlier, tasks) = (self.earlier().await, self.state.tasks());
                let other = tasks.changed_last(&self.request).await;
                Some(follow::back(words, earlier, &tasks.can_be_undone(earlier), other.as_ref()))
            }
            (Follow::Why | Follow::Cure, Kind::Diagnose) => follow::why(words, self.earlier().await),
            _ => None,
        }
    }

    /// "Undo that commit", where the commit of the conversation failed: there is nothing to undo, and an earlier commit is not meant.
    pub(super) async fn undoes_nothing(&self) -> Option<Outcome> {
        let lower = self.words().trim().trim_end_matches(['.', '!']).to_lowercase();
        let words: Vec<&str> = lower.split_whitespace().collect();
        let noun = match words.as_slice() {
            ["undo" | "revert" | "reset" | "drop", "that" | "this", noun] => *noun,
            ["take" | "roll", "back", "that" | "this", noun] | ["take" | "roll", "that" | "this", noun, "back"] => {
                *noun
            }
            _ => return None,
        };
        let command = |earlier: &Earlier| match &earlier.proposal {
            Some(Proposal::Command { cmd, .. }) if cmd.contains(&format!("git {noun}")) => Some(cmd.clone()),
            _ => None,
        };
        let (earlier, cmd) = self.earlier().await.iter().rev().find_map(|one| Some((one, command(one)?)))?;
        if earlier.state == Name::Completed {
            return None;
        }
        let text = match Tongue::of(self.words()) {
            Tongue::English => format!("{} did not succeed, so there is nothing of it to undo.", code(&cmd)),
            Tongue::Chinese => format!("{} 没有成功，所以没有可以撤销的。", code(&cmd)),
        };
        Some(answer(format!("{text}\n"), text, String::new(), Model::Unneeded))
    }

    pub(super) fn is_known_from_before(&self) -> bool {
        matches!(follow::read(self.words()), Some(Follow::Back))
    }

    /// Files that are referred to without being named: those of the last change or proposal, by their paths from the root.
    pub(super) async fn spoken_of(&self) -> Vec<String> {
        if !follow::refers(self.words()) {
            return Vec::new();
        }
        let changed = self.earlier().await.iter().rev().map(Earlier::files).find(|files| !files.is_empty());
        let paths: Vec<String> = changed.into_iter().flatten().map(|file| file.path.clone()).collect();
        let root = self.workspace.root().to_owned();
        let there = blocking(move |_| {
            paths.into_iter().filter(|path| std::fs::symlink_metadata(root.join(path)).is_ok()).collect()
        });
        there.await.unwrap_or_default()
    }
}
