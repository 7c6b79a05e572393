//! The pending suggestion of each shell: computed once, however often it is requested, and cancelled when the user types. Does not know how
//! it is computed.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use aside_proto::command_ended::SuggestResult;
use aside_proto::query::ReplyStage;
use tokio::sync::watch;
use tokio::task::AbortHandle;

use crate::text_work;

/// Cap on shells whose last suggestion is remembered; the oldest is evicted.
const MAX_SHELLS: usize = 256;

#[derive(Default)]
pub struct PendingSuggestions(Mutex<HashMap<String, PendingSuggestion>>);

/// The last suggestion request of a shell.
struct PendingSuggestion {
    seq: i64,
    command: String,
    found: watch::Receiver<SuggestResult>,
    task: AbortHandle,
    since: Instant,
}

impl PendingSuggestions {
    /// The pending or finished result of an earlier request, unless that was cancelled.
    pub fn known(&self, who: &str, seq: i64, command: &str) -> Option<watch::Receiver<SuggestResult>> {
        let pending_suggestions = self.lock();
        let next = pending_suggestions.get(who).filter(|next| next.seq == seq && next.command == command)?;
        let is_given_up = next.found.borrow().state != ReplyStage::Done && next.found.has_changed().is_err();
        (!is_given_up).then(|| next.found.clone())
    }

    /// Starts computing a suggestion, and cancels the shell's previous one.
    pub fn begin<T>(
        &self,
        who: &str,
        (seq, command): (i64, &str),
        think: impl FnOnce(watch::Sender<SuggestResult>) -> T,
    ) -> watch::Receiver<SuggestResult>
    where
        T: Future<Output = ()> + Send + 'static,
    {
        let (sender, found) = watch::channel(SuggestResult::none(ReplyStage::Thinking));
        let (given_up, thinking) = (sender.clone(), think(sender));
        let task = text_work::spawn(text_work::NO_TEXT, async move {
            if text_work::apart(text_work::UNKNOWN, thinking).await.is_err() {
                given_up.send_replace(SuggestResult::none(ReplyStage::Done));
            }
        })
        .abort_handle();
        let next =
            PendingSuggestion { seq, command: command.to_owned(), found: found.clone(), task, since: Instant::now() };
        let mut pending_suggestions = self.lock();
        if let Some(older) = pending_suggestions.insert(who.to_owned(), next) {
            older.task.abort();
        }
        if pending_suggestions.len() > MAX_SHELLS {
            let oldest = pending_suggestions.iter().min_by_key(|(_, next)| next.since).map(|(who, _)| who.clone());
            if let Some(oldest) = oldest.and_then(|who| pending_suggestions.remove(&who)) {
                oldest.task.abort();
            }
        }
        found
    }

    /// The user types, so the suggestion is cancelled.
    pub fn cancel(&self, who: &str) {
        if let Some(next) = self.lock().get(who) {
            next.task.abort();
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, PendingSuggestion>> {
        // A panic while it was held lost one answer; the remaining state is valid.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The current result. Counts as final if the computation was cancelled.
pub fn current(found: &watch::Receiver<SuggestResult>) -> SuggestResult {
    let known = found.borrow().clone();
    let is_over = known.state == ReplyStage::Done || found.has_changed().is_err();
    SuggestResult { state: if is_over { ReplyStage::Done } else { known.state }, ..known }
}

/// Waits for the final result.
pub async fn wait_final(mut found: watch::Receiver<SuggestResult>) -> SuggestResult {
    let _ = found.wait_for(|found| found.state == ReplyStage::Done).await;
    current(&found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn done(command: &str) -> SuggestResult {
        SuggestResult { command: command.to_owned(), ..SuggestResult::none(ReplyStage::Done) }
    }

    #[tokio::test]
    async fn the_same_question_is_thought_about_once() {
        let pending_suggestions = PendingSuggestions::default();
        let first = pending_suggestions.begin("a", (1, "make"), |sender| async move {
            sender.send_replace(done("make test"));
        });
        assert_eq!(current(&first), SuggestResult::none(ReplyStage::Thinking));
        assert_eq!(wait_final(pending_suggestions.known("a", 1, "make").unwrap()).await, done("make test"));
        assert_eq!(current(&first), done("make test"));
        assert!(
            pending_suggestions.known("a", 2, "make").is_none() && pending_suggestions.known("a", 1, "ls").is_none()
        );
        assert!(pending_suggestions.known("b", 1, "make").is_none());
    }

    #[tokio::test]
    async fn what_is_given_up_has_an_end() {
        let pending_suggestions = PendingSuggestions::default();
        let for_ever = |sender: watch::Sender<SuggestResult>| async move {
            std::future::pending::<()>().await;
            drop(sender);
        };
        let typed = pending_suggestions.begin("a", (1, "make"), for_ever);
        pending_suggestions.cancel("a");
        pending_suggestions.cancel("unknown");
        assert_eq!(wait_final(typed).await, SuggestResult::none(ReplyStage::Done));
        assert!(pending_suggestions.known("a", 1, "make").is_none(), "asked again, it is thought about again");
        let replaced = pending_suggestions.begin("a", (2, "make"), for_ever);
        let newer = pending_suggestions.begin("a", (3, "make"), for_ever);
        assert_eq!(wait_final(replaced).await, SuggestResult::none(ReplyStage::Done));
        assert_eq!(current(&newer), SuggestResult::none(ReplyStage::Thinking));
        for number in 0..=MAX_SHELLS {
            pending_suggestions.begin(&number.to_string(), (1, "ls"), for_ever);
        }
        assert_eq!(pending_suggestions.lock().len(), MAX_SHELLS);
        assert_eq!(wait_final(newer).await, SuggestResult::none(ReplyStage::Done));
    }
}
