//! Common prefixes of guesses: a prefix that several share is likelier than each, and worth offering by itself. `git
//! checkout feature/` is certain when what follows is not.

use std::collections::HashMap;

use crate::complete::candidate::{Candidate, CandidateFacts, CandidateKind, MatchKind};
use crate::complete::rank::Ranked;

/// Shorter ones are typed faster than read.
const MIN_ADDED: usize = 2;
/// Factor by which it must be likelier than the best guess that it begins.
const SURER: f32 = 1.1;
/// Upper bound of the probability.
const AT_MOST: f32 = 0.97;

/// The combined probabilities of the guesses that share a prefix.
struct Shared<'a> {
    lines: f32,
    words: f32,
    best: f32,
    of: &'a Candidate,
}

/// Prefixes of lines and words from history, up to a blank or a separator of a path or name. `typed` is the length of
/// the typed part.
pub fn common_prefixes(ranked: &[Ranked], typed: usize) -> Vec<Ranked> {
    let mut shared: HashMap<&str, Shared<'_>> = HashMap::new();
    for Ranked { candidate, chance } in ranked {
        let from_history = matches!(candidate.facts.kind, CandidateKind::Line | CandidateKind::Words);
        if !from_history || candidate.facts.fit != MatchKind::Extends {
            continue;
        }
        for part in beginnings(&candidate.text, typed) {
            let shared = shared.entry(part).or_insert(Shared { lines: 0.0, words: 0.0, best: 0.0, of: candidate });
            match candidate.facts.kind {
                CandidateKind::Line => shared.lines += chance,
                _ => shared.words += chance,
            }
            shared.best = shared.best.max(*chance);
        }
    }
    let surer = shared.into_iter().filter_map(|(text, Shared { lines, words, best, of })| {
        // Lines that ran and words that were used are two views of the same event, so they are not added.
        let chance = lines.max(words).min(AT_MOST);
        (chance >= best * SURER).then(|| part(text, of, chance, typed))
    });
    surer.collect()
}

fn part(text: &str, of: &Candidate, chance: f32, typed: usize) -> Ranked {
    let adds = text[typed..].chars().count() as u16;
    let facts = CandidateFacts { adds, habit: Some(chance), past: None, kind: CandidateKind::Words, ..of.facts };
    Ranked { chance, candidate: Candidate { text: text.to_owned(), facts, ..of.clone() } }
}

fn beginnings(text: &str, typed: usize) -> impl Iterator<Item = &str> {
    let bytes = text.as_bytes();
    let ends =
        move |&end: &usize| matches!(bytes[end - 1], b' ' | b'/' | b'=' | b':' | b'@') && bytes[end] != bytes[end - 1];
    (typed + MIN_ADDED..text.len()).filter(ends).map(|end| &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::complete::candidate::CandidateSource;

    fn guess(text: &str, kind: CandidateKind, chance: f32) -> Ranked {
        let facts = CandidateFacts::new(kind, MatchKind::Extends);
        let candidate = Candidate {
            text: text.into(),
            cursor: None,
            source: CandidateSource::History,
            facts,
            about: String::new(),
        };
        Ranked { candidate, chance }
    }

    fn shown(guesses: &[Ranked], typed: usize) -> Vec<(String, u32)> {
        let percent = |ranked: &Ranked| (ranked.candidate.text.clone(), (ranked.chance * 100.0).round() as u32);
        let mut shown: Vec<_> = common_prefixes(guesses, typed).iter().map(percent).collect();
        shown.sort();
        shown
    }

    #[test]
    fn what_several_guesses_begin_with_is_surer_than_each() {
        let guesses = [
            guess("git checkout main", CandidateKind::Line, 0.3),
            guess("git checkout feature/a", CandidateKind::Line, 0.2),
            guess("git checkout feature/b", CandidateKind::Line, 0.2),
            guess("git commit", CandidateKind::Line, 0.1),
        ];
        let expected = [("git checkout ".to_owned(), 70), ("git checkout feature/".to_owned(), 40)];
        assert_eq!(shown(&guesses, "git c".len()), expected);
    }

    #[test]
    fn one_guess_has_no_part_of_its_own_and_two_views_of_it_count_once() {
        assert_eq!(shown(&[guess("git checkout main", CandidateKind::Line, 0.5)], 5), []);
        let twice = [guess("cd src/a", CandidateKind::Line, 0.4), guess("cd src/a", CandidateKind::Words, 0.4)];
        assert_eq!(shown(&twice, 3), []);
    }

    #[test]
    fn never_cuts_a_letter() {
        let guesses = [guess("cd é/日本/x", CandidateKind::Line, 0.3), guess("cd é/日本/y", CandidateKind::Line, 0.3)];
        assert_eq!(shown(&guesses, 3), [("cd é/".to_owned(), 60), ("cd é/日本/".to_owned(), 60)]);
    }
}
