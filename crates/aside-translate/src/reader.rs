//! The language model that travels with us, as a source of answers: how a request is put to it, and which of its answers may be shown.
//! It proposes freely; here an answer is held against the request and the machine. What it says that neither of them has is not shown.

mod grounds;

use aside_text as text;

use crate::check::check;
use crate::embedded;
use crate::{Completeness, Proposal, ProposalSource, TranslateQuery};

/// Bytes of a request that are put to it; what is longer is a text about something.
pub const MAX_REQUEST: usize = 400;
/// Score, the logarithm of a probability, from which an answer is one: chosen on the dev half so that nineteen of twenty are right.
const SURE: f32 = -0.60;
/// Score from which it is shown as the closest command.
const CLOSE: f32 = -1.0;
/// Answers that are shown beside the first one.
const OTHERS: usize = 2;
/// How much less likely than the best an alternative may be.
const BESIDE: f32 = 3.0;

/// What it says to a request, and the logarithm of the answer's probability.
#[derive(Clone, Debug, PartialEq)]
pub struct ReaderAnswer {
    pub text: String,
    pub score: f32,
}

/// The prompt for a request; `None` for what is no request of one line, for one that is too long, and for one that
/// means nothing alone.
pub fn prompt(request: &str) -> Option<String> {
    let request = request.trim();
    let is_plain = !embedded::leans_on_another(request)
        && !request.is_empty()
        && request.len() <= MAX_REQUEST
        && text::is_clean(request)
        && !request.contains(['\n', '\t']);
    is_plain.then(|| format!("# {request}\n$"))
}

/// The answers that may be shown, the best first.
pub fn proposals(query: &TranslateQuery<'_>, answers: &[ReaderAnswer]) -> Vec<Proposal> {
    // The likeliest answer says whether there is one: `-` is none, and a verb is for a task.
    if answers.first().is_none_or(|best| is_none(&best.text)) {
        return Vec::new();
    }
    let best = answers[0].score;
    let mut proposals: Vec<Proposal> = Vec::new();
    for ReaderAnswer { text, score } in answers.iter().filter(|answer| !is_none(&answer.text)) {
        if proposals.len() > OTHERS || *score < CLOSE || *score < best - BESIDE {
            break;
        }
        let Some(command) = verified(query, text.trim()) else { continue };
        if proposals.iter().any(|known| known.command == command) {
            continue;
        }
        let nearness = if *score >= SURE { Completeness::Answer } else { Completeness::Closest };
        let (source, about) = (ProposalSource::Reader, String::new());
        proposals.push(Proposal { command, source, confidence: score.exp().clamp(0.0, 0.99), about, nearness });
    }
    proposals
}

fn is_none(answer: &str) -> bool {
    let answer = answer.trim();
    answer.is_empty() || answer == "-" || answer.starts_with('@')
}

/// The command, spelled as things are called here, if everything in it is accounted for.
fn verified(query: &TranslateQuery<'_>, command: &str) -> Option<String> {
    let command = grounds::grounded(query.words, command, &query.place)?;
    let command = embedded::vetted(query, &command)?;
    let is_whole = check(&command, &query.place, &[]).is_ok_and(|checked| checked.holes.is_empty());
    is_whole.then_some(command)
}

#[cfg(test)]
mod tests;
