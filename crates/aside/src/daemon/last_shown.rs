//! Remembers what was last shown to each shell, for `aside why`. Kept in memory only.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use aside_core::complete::rank::Ranked;
use aside_proto::command_ended::SuggestResult;
use aside_proto::{self as proto, CompleteParams, WireCandidate};

use crate::daemon::candidate_wire::encode;

/// Cap on shells; the one with the oldest offer is evicted.
const MAX_OFFERS: usize = 32;
/// This line itself is skipped, since the user asks about the line before.
const QUESTION: &str = "aside why";

#[derive(Default)]
pub struct LastShown(Mutex<VecDeque<Offer>>);

struct Offer {
    asked: CompleteParams,
    found: Found,
    when: Instant,
}

enum Found {
    Candidates(Vec<Ranked>),
    /// The suggested next command, on an empty prompt.
    Next(WireCandidate),
}

impl LastShown {
    /// Records the candidates of a line; a line without any is skipped.
    pub fn note(&self, asked: &CompleteParams, found: &[Ranked]) {
        if found.is_empty() || is_question(&asked.left) {
            return;
        }
        self.put(asked.clone(), Found::Candidates(found.to_vec()));
    }

    pub fn note_next(&self, session: &str, cwd: &str, found: &SuggestResult) {
        let asked = CompleteParams { session: session.to_owned(), cwd: cwd.to_owned(), ..CompleteParams::default() };
        let candidate = WireCandidate {
            completion: found.command.clone(),
            confidence: found.confidence,
            source: found.source.clone(),
            facts: found.reason.clone(),
            ..WireCandidate::default()
        };
        self.put(asked, Found::Next(candidate));
    }

    fn put(&self, asked: CompleteParams, found: Found) {
        let offer = Offer { asked, found, when: Instant::now() };
        let mut last_shown = self.lock();
        last_shown.retain(|known| known.asked.session != offer.asked.session);
        if last_shown.len() == MAX_OFFERS {
            last_shown.pop_front();
        }
        last_shown.push_back(offer);
    }

    /// The last offer to this shell, or to any if `session` is empty.
    pub fn last(&self, session: &str) -> Option<proto::WhyResult> {
        let last_shown = self.lock();
        let Offer { asked, found, when } =
            last_shown.iter().rfind(|offer| session.is_empty() || offer.asked.session == session)?;
        let CompleteParams {
            session,
            cwd,
            left,
            right,
            shell: _,
            wait: _,
            describe: _,
            list: _,
            max_candidates: _,
            ghost: _,
        } = asked.clone();
        let ms_ago = u64::try_from(when.elapsed().as_millis()).unwrap_or(u64::MAX);
        let candidates = match found {
            Found::Candidates(found) => encode(found.clone()),
            Found::Next(candidate) => vec![candidate.clone()],
        };
        Some(proto::WhyResult { session, cwd, left, right, ms_ago, candidates })
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Offer>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is_question(left: &str) -> bool {
    let left = left.trim_start();
    QUESTION.starts_with(left) || left.starts_with(QUESTION)
}

#[cfg(test)]
mod tests {
    use super::*;
    use aside_core::complete::candidate::{Candidate, CandidateFacts, CandidateKind, CandidateSource, MatchKind};

    fn offer(last_shown: &LastShown, session: &str, left: &str) {
        let facts = CandidateFacts::new(CandidateKind::Line, MatchKind::Extends);
        let text = format!("{left}…");
        let candidate = Candidate { text, cursor: None, source: CandidateSource::History, facts, about: String::new() };
        let asked = CompleteParams { session: session.to_owned(), left: left.to_owned(), ..CompleteParams::default() };
        last_shown.note(&asked, &[Ranked { candidate, chance: 0.5 }]);
    }

    fn last(last_shown: &LastShown, session: &str) -> Option<String> {
        last_shown.last(session).map(|offer| offer.left)
    }

    #[test]
    fn the_newest_of_all_or_of_one_shell() {
        let last_shown = LastShown::default();
        assert_eq!(last(&last_shown, ""), None);
        offer(&last_shown, "a", "git s");
        offer(&last_shown, "b", "ls");
        offer(&last_shown, "a", "git st");
        offer(&last_shown, "b", "ls -");
        last_shown.note(&CompleteParams { session: "b".to_owned(), ..CompleteParams::default() }, &[]);
        assert_eq!(last(&last_shown, ""), Some("ls -".to_owned()));
        assert_eq!(last(&last_shown, "a"), Some("git st".to_owned()));
        assert_eq!(last(&last_shown, "c"), None);
    }

    #[test]
    fn the_way_to_the_question_is_not_what_it_is_about() {
        let last_shown = LastShown::default();
        offer(&last_shown, "a", "git st");
        for end in 1..=QUESTION.len() {
            offer(&last_shown, "a", &QUESTION[..end]);
        }
        offer(&last_shown, "a", " aside why --json");
        assert_eq!(last(&last_shown, ""), Some("git st".to_owned()));
    }

    #[test]
    fn the_oldest_is_forgotten() {
        let last_shown = LastShown::default();
        for number in 0..=MAX_OFFERS {
            offer(&last_shown, &number.to_string(), "x");
        }
        assert_eq!((last(&last_shown, "0"), last(&last_shown, "1")), (None, Some("x".to_owned())));
    }
}
