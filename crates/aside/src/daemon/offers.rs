//! Remembers what was last shown to each shell, for `aside why`. Kept in memory only.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use aside_core::complete::rank::Ranked;
use aside_core::proto::command_ended::SuggestResult;
use aside_core::proto::{self, CompleteParams, WireCandidate};

use crate::daemon::spoken::spoken;

/// Cap on shells; the one with the oldest offer is evicted.
const MAX_OFFERS: usize = 32;
/// This line itself is skipped, since the user asks about the line before.
const QUESTION: &str = "aside why";

#[derive(Default)]
pub struct Offers(Mutex<VecDeque<Offer>>);

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

impl Offers {
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
        let mut offers = self.lock();
        offers.retain(|known| known.asked.session != offer.asked.session);
        if offers.len() == MAX_OFFERS {
            offers.pop_front();
        }
        offers.push_back(offer);
    }

    /// The last offer to this shell, or to any if `session` is empty.
    pub fn last(&self, session: &str) -> Option<proto::WhyResult> {
        let offers = self.lock();
        let Offer { asked, found, when } =
            offers.iter().rfind(|offer| session.is_empty() || offer.asked.session == session)?;
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
            Found::Candidates(found) => spoken(found.clone()),
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

    fn offer(offers: &Offers, session: &str, left: &str) {
        let facts = CandidateFacts::new(CandidateKind::Line, MatchKind::Extends);
        let text = format!("{left}…");
        let candidate = Candidate { text, cursor: None, source: CandidateSource::History, facts, about: String::new() };
        let asked = CompleteParams { session: session.to_owned(), left: left.to_owned(), ..CompleteParams::default() };
        offers.note(&asked, &[Ranked { candidate, chance: 0.5 }]);
    }

    fn last(offers: &Offers, session: &str) -> Option<String> {
        offers.last(session).map(|offer| offer.left)
    }

    #[test]
    fn the_newest_of_all_or_of_one_shell() {
        let offers = Offers::default();
        assert_eq!(last(&offers, ""), None);
        offer(&offers, "a", "git s");
        offer(&offers, "b", "ls");
        offer(&offers, "a", "git st");
        offer(&offers, "b", "ls -");
        offers.note(&CompleteParams { session: "b".to_owned(), ..CompleteParams::default() }, &[]);
        assert_eq!(last(&offers, ""), Some("ls -".to_owned()));
        assert_eq!(last(&offers, "a"), Some("git st".to_owned()));
        assert_eq!(last(&offers, "c"), None);
    }

    #[test]
    fn the_way_to_the_question_is_not_what_it_is_about() {
        let offers = Offers::default();
        offer(&offers, "a", "git st");
        for end in 1..=QUESTION.len() {
            offer(&offers, "a", &QUESTION[..end]);
        }
        offer(&offers, "a", " aside why --json");
        assert_eq!(last(&offers, ""), Some("git st".to_owned()));
    }

    #[test]
    fn the_oldest_is_forgotten() {
        let offers = Offers::default();
        for number in 0..=MAX_OFFERS {
            offer(&offers, &number.to_string(), "x");
        }
        assert_eq!((last(&offers, "0"), last(&offers, "1")), (None, Some("x".to_owned())));
    }
}
