//! Asks a model for a task and streams its answer without the reasoning. A request that is too long is repeated with less context; other
//! failures become a sentence with one thing to do.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use aside_model_output::repetition::repetition_start;
use aside_model_output::without_reasoning_exact;
use aside_task::run::context::ModelContext;
use aside_task::run::model_reply::without_repeats;
use aside_task::run::prompt::STOPS;
use aside_text as text;
use aside_translate::prompt::ModelPrompt;

use crate::daemon::model::Purpose;
use crate::daemon::model::streaming::{StreamReader, read_stream};
use crate::daemon::tasks::attempt::{Attempt, TextSink};
use crate::provider::http_exchange::FinishReason;
use crate::provider::{Failure, Question};

/// Interval between two pieces: faster than the user reads.
const PACE: Duration = Duration::from_millis(100);
/// Divisors of the context for a model that rejected the request as too long.
const LESS: [usize; 2] = [3, 12];

pub struct ModelStream<'a> {
    attempt: &'a Attempt,
    say: TextSink<'a>,
    max_tokens: u32,
    /// Examples of requests and answers that precede the first request.
    examples: &'static [(&'static str, &'static str)],
    /// The part of the current answer that was streamed.
    said: Mutex<String>,
    /// The previous answer, which a second one often repeats.
    before: Mutex<String>,
    /// Whether the conversation is left out, since a request was too long with it.
    forgets: AtomicBool,
}

/// A model's answer without the reasoning.
pub struct ModelAnswer {
    pub aloud: String,
    pub end: AnswerEnd,
}

/// Whether the answer is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerEnd {
    Whole,
    /// It reached the token limit.
    Cut,
    /// It repeated itself, and was stopped.
    Stuck,
}

/// Why the answer is missing or incomplete.
pub struct AnswerFailure {
    pub failure: Failure,
    /// The text before the failure.
    pub aloud: String,
    /// The server's own error message.
    pub complaint: String,
}

impl AnswerFailure {
    /// What happened and one thing to do, for a user who can retry.
    pub fn excuse(&self) -> String {
        excuse(&self.failure, &self.complaint)
    }
}

/// A request and its answer, for a follow-up.
pub struct Exchange {
    pub prompt: ModelPrompt,
    pub heard: ModelAnswer,
}

impl<'a> ModelStream<'a> {
    pub fn new(attempt: &'a Attempt, say: TextSink<'a>, max_tokens: u32) -> Self {
        Self {
            attempt,
            say,
            max_tokens,
            examples: &[],
            said: Mutex::default(),
            before: Mutex::default(),
            forgets: AtomicBool::new(false),
        }
    }

    pub fn after(self, examples: &'static [(&'static str, &'static str)]) -> Self {
        Self { examples, ..self }
    }

    /// Asks with as much of the context as the model accepts.
    pub async fn asks(
        &self,
        context: &ModelContext,
        make: impl Fn(&ModelContext) -> ModelPrompt,
    ) -> Result<Exchange, AnswerFailure> {
        let mut context = context.clone();
        let mut max_tokens = self.max_tokens;
        let all = context.bytes();
        for part in LESS {
            let prompt = make(&context);
            match self.ask(&prompt, &[], max_tokens).await {
                Ok(heard) => return Ok(Exchange { prompt, heard }),
                // Servers word the error for a too long request differently, but all use one of these statuses.
                Err(AnswerFailure { failure: Failure::Status(400 | 413 | 422), .. })
                    if all > 0 || self.remembers().await =>
                {
                    self.forgets.store(true, Ordering::Relaxed);
                    context = context.within(all / part);
                    max_tokens /= 2;
                }
                Err(silence) => return Err(silence),
            }
        }
        let prompt = make(&context);
        self.ask(&prompt, &[], max_tokens).await.map(|heard| Exchange { prompt, heard })
    }

    /// Asks again in the same conversation.
    pub async fn asks_again(&self, before: &Exchange, words: String) -> Result<ModelAnswer, AnswerFailure> {
        before.heard.aloud.clone_into(&mut self.before.lock().unwrap_or_else(PoisonError::into_inner));
        let exchanges = [(before.prompt.user(), before.heard.aloud.clone())];
        let prompt = ModelPrompt { system: before.prompt.system, facts: String::new(), ask: words };
        self.ask(&prompt, &exchanges, self.max_tokens).await
    }

    /// Whether earlier exchanges are sent.
    async fn remembers(&self) -> bool {
        !self.forgets.load(Ordering::Relaxed) && !self.attempt.conversation().await.exchanges.is_empty()
    }

    /// Inserts a remark of Aside between two answers.
    pub fn remarks(&self, words: &str) {
        (self.say)(&format!("\n\n{words}\n\n"));
    }

    async fn ask(
        &self,
        prompt: &ModelPrompt,
        exchanges: &[(String, String)],
        max_tokens: u32,
    ) -> Result<ModelAnswer, AnswerFailure> {
        let mut user = if prompt.facts.is_empty() { prompt.ask.clone() } else { prompt.user() };
        if self.attempt.agent().is_some() {
            let said = self.attempt.agent_answers(prompt.system, &user, self.say).await;
            return match said {
                Ok(aloud) => Ok(ModelAnswer { aloud, end: AnswerEnd::Whole }),
                Err(what) => {
                    Err(AnswerFailure { failure: Failure::Agent(what), aloud: String::new(), complaint: String::new() })
                }
            };
        }
        let mut exchanges = exchanges.to_vec();
        if self.remembers().await {
            let conversation = self.attempt.conversation().await;
            // The outcome of the last answer precedes the next request.
            let next = exchanges.first_mut().map_or(&mut user, |(asked, _)| asked);
            next.insert_str(0, &conversation.last);
            exchanges.splice(0..0, conversation.exchanges.iter().cloned());
        }
        let examples = self.examples.iter().map(|(asked, answered)| ((*asked).to_owned(), (*answered).to_owned()));
        exchanges.splice(0..0, examples);
        let question = Question {
            max_tokens,
            stop: STOPS.map(str::to_owned).to_vec(),
            privacy: self.attempt.privacy(),
            session: self.attempt.request.meta.session.clone(),
            variety: self.attempt.variety,
            exchanges,
            ..Question::new(prompt.system.to_owned(), user)
        };
        self.said.lock().unwrap_or_else(PoisonError::into_inner).clear();
        let listener = StreamReader {
            pace: PACE,
            enough: |text: &str| repetition_start(text).is_some(),
            tell: |text: &str| self.tell(&without_reasoning_exact(text).unwrap_or_default()),
        };
        let (outcome, heard) = read_stream(&self.attempt.state, Purpose::Task, &question, listener).await;
        match outcome {
            Ok(said) => {
                let mut aloud = without_reasoning_exact(&said.text).unwrap_or_default();
                self.tell(&aloud);
                let end = match (repetition_start(&aloud), said.end) {
                    (Some(end), _) => {
                        aloud.truncate(end);
                        AnswerEnd::Stuck
                    }
                    // The model never stopped reasoning.
                    (None, _) if repetition_start(&said.text).is_some() => AnswerEnd::Stuck,
                    (None, FinishReason::Cut) => AnswerEnd::Cut,
                    (None, FinishReason::Whole) => AnswerEnd::Whole,
                };
                Ok(ModelAnswer { aloud, end })
            }
            Err(failure) => {
                let aloud = without_reasoning_exact(&heard).unwrap_or_default();
                self.tell(&aloud);
                Err(AnswerFailure { failure, aloud, complaint: question.complaint.sentence() })
            }
        }
    }

    /// Streams the new part of the answer.
    fn tell(&self, aloud: &str) {
        let clean = text::clean(aloud.trim_start_matches(['\n', '\r'])).into_owned();
        let before = self.before.lock().unwrap_or_else(PoisonError::into_inner);
        let clean = if before.is_empty() { clean } else { without_repeats(&clean, &before) };
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        if said.starts_with(&clean) {
            return;
        }
        match clean.strip_prefix(said.as_str()) {
            Some(more) => (self.say)(more),
            // What was streamed turned out to be reasoning.
            None => (self.say)(&format!("\n\n{clean}")),
        }
        *said = clean;
    }
}

/// Adds a capital letter and a full stop.
pub fn sentence(words: &str) -> String {
    let mut letters = words.trim_end_matches('.').chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}

fn excuse(failure: &Failure, complaint: &str) -> String {
    if let Failure::Agent(what) = failure {
        return sentence(what);
    }
    let quoted =
        if complaint.is_empty() { String::new() } else { format!(" (“{}”)", complaint.trim_end_matches('.')) };
    let what = format!("The model did not answer: {failure}{quoted}.");
    let advice = match failure {
        Failure::Offline(_) => "Start its server, or see `aside doctor`; then retry.",
        Failure::TooLate => "Retry, or name fewer files; llm.timeout_task_ms gives it more time.",
        Failure::Unauthorized => "Set the key that it wants; then retry.",
        Failure::RateLimited { .. } | Failure::Resting => "Retry a little later.",
        Failure::Starting => "Retry in a moment.",
        Failure::NoModel => "`aside model list` shows which there are; then retry.",
        Failure::Status(400 | 413 | 422) => {
            "Most likely the request is too long for it: name fewer files, or let it read more (llm.local.context)."
        }
        Failure::ServerDied(_) | Failure::NotHere { .. } | Failure::NoServer { .. } => "Then retry.",
        Failure::Settings(_) | Failure::NoProvider => "`aside config` shows the settings; then retry.",
        Failure::Agent(_) => "",
        Failure::Private => "Ask again where it is not private.",
        Failure::HungUp(_) | Failure::Status(_) | Failure::Garbled(_) => "Retry; `aside doctor` says how the model is.",
    };
    format!("{what} {advice}")
}
