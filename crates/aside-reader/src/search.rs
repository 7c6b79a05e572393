//! Finds the likeliest continuations of a prompt: greedy with one beam, or beam search. What may stand in a continuation is up to the caller.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::error::Error;
use crate::forward::{Forward, Row};
use crate::model::Model;

/// Tokens of a prompt at most.
pub const PROMPT: usize = 512;
/// Tokens of a continuation, and beams, at most: more are cut to that.
pub const TOKENS: usize = 128;
pub const BEAMS: usize = 8;
/// The token that ends a continuation.
pub const END: u32 = 0;
/// Candidates that are looked at for each beam in each step, besides the end. If all are forbidden the beam is dropped.
const CANDIDATES: usize = 32;
/// A logit that far below the largest adds nothing to the sum of their exponentials.
const NEGLIGIBLE: f32 = 25.0;
/// Tokens that are read between two looks at the deadline.
const READ: usize = 64;

#[derive(Clone, Copy, Debug)]
pub struct Search<'a> {
    pub beams: usize,
    /// How many answers are wanted: the search ends when no continuation could be among that many. As many as there are beams at most.
    pub answers: usize,
    pub tokens: usize,
    pub deadline: Option<Instant>,
    pub cancel: Option<&'a AtomicBool>,
}

/// A continuation so far, and the token that would come next.
#[derive(Debug)]
pub struct Step<'a> {
    pub tokens: &'a [u32],
    /// The bytes of the tokens; they may end within a character.
    pub text: &'a [u8],
    pub next: Next<'a>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next<'a> {
    Token { id: u32, bytes: &'a [u8] },
    End,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    pub text: String,
    pub tokens: Vec<u32>,
    /// The log-probability of each token, then that of the end.
    pub log_probabilities: Vec<f32>,
    /// Their sum.
    pub score: f32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// No continuation that is left could be among the best.
    Complete,
    /// The continuations became too long.
    TooLong,
    Deadline,
    Cancelled,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Those that ended, the likeliest first.
    pub answers: Vec<Answer>,
    pub stopped: Stopped,
}

pub struct Reader {
    model: Arc<Model>,
    forward: Forward,
    logits: Vec<f32>,
}

#[derive(Clone)]
struct Beam {
    tokens: Vec<u32>,
    text: Vec<u8>,
    log_probabilities: Vec<f32>,
    score: f32,
    path: Vec<u32>,
}

struct Candidate {
    beam: usize,
    token: u32,
    log_probability: f32,
    score: f32,
}

impl Search<'_> {
    fn interruption(&self) -> Option<Stopped> {
        if self.cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed)) {
            return Some(Stopped::Cancelled);
        }
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline).then_some(Stopped::Deadline)
    }
}

impl Reader {
    /// With that many threads, the caller's included.
    pub fn new(model: Arc<Model>, threads: usize) -> Reader {
        let forward = Forward::new(Arc::clone(&model), threads);
        Reader { model, forward, logits: Vec::new() }
    }

    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The logits of the token after each token of a text. For tests of the arithmetic.
    pub fn logits(&mut self, text: &str) -> Result<Vec<Vec<f32>>, Error> {
        let (tokens, path) = self.prompt(text)?;
        let rows: Vec<Row> = (0..tokens.len()).map(|i| Row { token: tokens[i], path: &path[..=i] }).collect();
        let mut logits = Vec::new();
        self.forward.read(&rows, rows.len(), &mut logits);
        self.forward.forget();
        Ok(logits.chunks(self.model.shape.vocabulary).map(<[f32]>::to_vec).collect())
    }

    /// The likeliest continuations of a prompt of which `allows` permits every step.
    pub fn search(
        &mut self,
        prompt: &str,
        search: &Search,
        allows: &mut dyn FnMut(&Step) -> bool,
    ) -> Result<Found, Error> {
        let (tokens, path) = self.prompt(prompt)?;
        let found = self.run(&tokens, path, search, allows);
        self.forward.forget();
        Ok(found)
    }

    fn prompt(&self, text: &str) -> Result<(Vec<u32>, Vec<u32>), Error> {
        let tokens = self.model.tokenizer().encode_at_most(text, PROMPT);
        match tokens.len() {
            0 => Err(Error::EmptyPrompt),
            count if count > PROMPT => Err(Error::PromptTooLong { tokens: count, at_most: PROMPT }),
            count => Ok((tokens, (0..count as u32).collect())),
        }
    }

    fn run(&mut self, prompt: &[u32], path: Vec<u32>, search: &Search, allows: &mut dyn FnMut(&Step) -> bool) -> Found {
        let width = search.beams.clamp(1, BEAMS);
        let wanted = search.answers.clamp(1, width);
        let rows: Vec<Row> = (0..prompt.len()).map(|i| Row { token: prompt[i], path: &path[..=i] }).collect();
        for part in rows.chunks(READ) {
            if let Some(stopped) = search.interruption() {
                return Found { answers: Vec::new(), stopped };
            }
            let is_last = part.last().is_some_and(|row| row.path.len() == prompt.len());
            self.forward.read(part, usize::from(is_last), &mut self.logits);
        }
        let mut next_slot = prompt.len() as u32;
        let mut live = vec![Beam { tokens: vec![], text: vec![], log_probabilities: vec![], score: 0.0, path }];
        let mut answers: Vec<Answer> = Vec::new();
        let mut left = search.tokens.clamp(1, TOKENS);
        let stopped = loop {
            live = self.extend(&live, width, &mut answers, allows);
            answers.truncate(wanted);
            let worst = if answers.len() == wanted { answers[wanted - 1].score } else { f32::NEG_INFINITY };
            // Scores only fall, so these can no longer be among the best.
            live.retain(|beam| beam.score > worst);
            if live.is_empty() {
                break Stopped::Complete;
            }
            left -= 1;
            if left == 0 {
                break Stopped::TooLong;
            }
            if let Some(stopped) = search.interruption() {
                break stopped;
            }
            for beam in &mut live {
                beam.path.push(next_slot);
                next_slot += 1;
            }
            let rows: Vec<Row> =
                live.iter().map(|beam| Row { token: beam.tokens[beam.tokens.len() - 1], path: &beam.path }).collect();
            self.forward.read(&rows, rows.len(), &mut self.logits);
        };
        Found { answers, stopped }
    }

    /// One step of all beams: the best continuations that go on, and into `answers` those that end.
    fn extend(
        &self,
        live: &[Beam],
        width: usize,
        answers: &mut Vec<Answer>,
        allows: &mut dyn FnMut(&Step) -> bool,
    ) -> Vec<Beam> {
        let tokenizer = self.model.tokenizer();
        let mut candidates = Vec::new();
        for (number, (beam, logits)) in live.iter().zip(self.logits.chunks(self.model.shape.vocabulary)).enumerate() {
            for (token, log_probability) in likeliest(logits) {
                let score = beam.score + log_probability;
                candidates.push(Candidate { beam: number, token, log_probability, score });
            }
        }
        candidates.sort_by(|one, other| other.score.total_cmp(&one.score));
        let mut next = Vec::new();
        let mut rank = 0;
        for candidate in candidates {
            if next.len() == width || rank == 2 * width {
                break;
            }
            let beam = &live[candidate.beam];
            let bytes = tokenizer.token_bytes(candidate.token);
            let is_end = candidate.token == END;
            let step = Step {
                tokens: &beam.tokens,
                text: &beam.text,
                next: if is_end { Next::End } else { Next::Token { id: candidate.token, bytes } },
            };
            if !allows(&step) {
                continue;
            }
            rank += 1;
            if !is_end {
                next.push(beam.with(&candidate, bytes));
            } else if rank <= width {
                let ended = beam.with(&candidate, &[]);
                let at = answers.partition_point(|answer| answer.score >= ended.score);
                let text = String::from_utf8_lossy(&beam.text).into_owned();
                let Beam { log_probabilities, score, .. } = ended;
                answers.insert(at, Answer { text, tokens: beam.tokens.clone(), log_probabilities, score });
            }
        }
        next
    }
}

impl Beam {
    fn with(&self, candidate: &Candidate, bytes: &[u8]) -> Beam {
        let mut beam = self.clone();
        beam.score = candidate.score;
        beam.log_probabilities.push(candidate.log_probability);
        beam.tokens.push(candidate.token);
        beam.text.extend(bytes);
        beam
    }
}

/// The tokens with the largest logits, and the end, with their log-probabilities.
fn likeliest(logits: &[f32]) -> Vec<(u32, f32)> {
    let largest = logits.iter().copied().fold(f32::MIN, |one, other| if other > one { other } else { one });
    let mut best: Vec<(u32, f32)> = Vec::with_capacity(CANDIDATES + 1);
    let mut sum = 0.0f64;
    let mut least = f32::NEG_INFINITY;
    for (token, logit) in (0u32..).zip(logits) {
        let below = largest - logit;
        if below < NEGLIGIBLE {
            sum += f64::from((-below).exp());
        }
        if *logit > least {
            let at = best.partition_point(|(_, other)| other >= logit);
            best.insert(at, (token, *logit));
            best.truncate(CANDIDATES);
            if best.len() == CANDIDATES {
                least = best[CANDIDATES - 1].1;
            }
        }
    }
    if best.iter().all(|(token, _)| *token != END) {
        best.push((END, logits[END as usize]));
    }
    let log_sum = largest + sum.ln() as f32;
    best.iter().map(|(token, logit)| (*token, logit - log_sum)).collect()
}
