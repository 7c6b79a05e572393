//! Answers prose without a model: a request becomes a command to review, a question about a command its explanation, a typo the intended
//! line; everything else gets the answer that it needs a model. `prompt` builds what a model is told, and `model_reply` parses its reply. Calls no
//! model and runs nothing.

mod explain_command;
pub mod language;
mod last_failure;
pub mod model_reply;
pub mod phrasing;
pub mod prompt;
mod query;
mod shell_symbols;
mod wording;

#[cfg(test)]
mod tests;

use aside_commands::project;
use aside_text as text;
use aside_translate::TranslateContext;

use crate::history::index::HistoryIndex;
use language::{Language, Message};

/// Characters of prose; longer text was pasted, and is for a model.
pub const MAX_WORDS: usize = 600;

/// Prose, and what is known about it.
#[derive(Clone, Copy)]
pub struct AgentQuery<'a> {
    /// Without the prefix that marked it as prose.
    pub words: &'a str,
    /// Exit status of the line; zero when it was not run.
    pub exit: i32,
    /// Its output, when known.
    pub output: Option<&'a str>,
    /// Earlier commands: a line that once succeeded is no typo.
    pub history: &'a HistoryIndex,
    /// Prefixes of commands that are never proposed.
    pub blocklist: &'a [String],
    pub model: ModelAbsence,
}

/// Why no model answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelAbsence {
    /// No model is configured.
    Unset,
    /// No model is configured, and the user was told so a moment ago.
    StillUnset,
    /// A model is configured, but was not asked or did not answer. The caller says why.
    Silent,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Advice {
    pub kind: AdviceKind,
    pub markdown: String,
    pub proposal: Option<OfferedCommand>,
    /// A model would know more.
    pub lacks_model: bool,
}

/// A command that is ready to be accepted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OfferedCommand {
    pub command: String,
    /// What it may destroy; empty when nothing.
    pub warning: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdviceKind {
    /// A command for the request.
    Query,
    /// The closest known command, which ignores some words.
    Close,
    /// What a command does.
    About,
    /// The line as it was intended.
    Slip,
    /// What an error means.
    Error,
    /// A polite phrase.
    Talk,
    /// Only a model could tell.
    Beyond,
}

/// The answer when no model gives one.
pub fn embedded(asked: &AgentQuery<'_>, place: &TranslateContext<'_>) -> Advice {
    let words = text::clean(asked.words);
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    let language = Language::of(&words);
    // A command that just failed has printed why: `kill it` needs no model, and no remark about one.
    let has_run = !matches!(asked.exit, 0 | 126 | 127);
    let is_command = || has_run && words.split(' ').count() <= 2 && query::begins_with_command(&words, place);
    let beyond = || Advice {
        kind: AdviceKind::Beyond,
        markdown: if is_command() { String::new() } else { language.says(Message::Beyond(asked.model)) },
        proposal: None,
        lacks_model: true,
    };
    if words.chars().nth(MAX_WORDS).is_some() || words.is_empty() {
        return beyond();
    }
    if let Some(phrase) = phrasing::small_talk(&words) {
        return Advice::said(AdviceKind::Talk, language.says(phrase));
    }
    if let Some(markdown) = explain_command::answer(&words, place, language) {
        return Advice::said(AdviceKind::About, markdown);
    }
    let asked = AgentQuery { words: &words, ..*asked };
    if let Some(advice) = last_failure::english_layout(&asked, place) {
        return advice;
    }
    let query = || query::answer(&asked, place, language);
    let beyond = || match project::requested_goal(&words) {
        Some(_) if asked.model != ModelAbsence::Silent => {
            Advice::said(AdviceKind::Beyond, language.says(Message::Project))
        }
        _ => beyond(),
    };
    if phrasing::is_prose(&words) {
        return query().unwrap_or_else(beyond);
    }
    // A few bare words may be either: an almost certain typo comes first, then a confident translation.
    let slip = last_failure::corrected_line(&asked, place, language);
    if let Some(slip) = slip.as_ref().filter(|slip| slip.clear) {
        return slip.advice.clone();
    }
    let count = words.split(' ').count();
    let may_query = last_failure::is_bare(&words) && (count > 2 || count > 1 && asked.exit == 0);
    let sure = may_query.then(query).flatten().filter(|query| query.kind == AdviceKind::Query);
    let ours = sure.or_else(|| slip.map(|slip| slip.advice)).or_else(|| last_failure::error(&asked, place, language));
    // A failed command is no request, whatever its words could mean.
    let may_be_words = asked.exit == 0 && !query::begins_with_command(&words, place);
    ours.or_else(|| may_be_words.then(query).flatten()).unwrap_or_else(beyond)
}

/// Whether prose asks about the command that just failed. These few only: any other word may ask for something else.
pub fn asks_why(words: &str) -> bool {
    const ASKS: [&str; 18] = [
        "how can i fix it",
        "how can i fix that",
        "how can i fix this",
        "how do i fix it",
        "how do i fix that",
        "how do i fix this",
        "what did i do wrong",
        "what was wrong",
        "what went wrong",
        "why did it fail",
        "why did my last command fail",
        "why did that fail",
        "why did that not work",
        "why did the last command fail",
        "why did this fail",
        "why didn't it work",
        "why didn't that work",
        "why does it fail",
    ];
    let words = words.trim_end_matches(['?', '!', '.', ' ']).to_lowercase();
    ASKS.contains(&words.split_whitespace().collect::<Vec<_>>().join(" ").as_str())
}

impl Advice {
    fn said(kind: AdviceKind, markdown: String) -> Self {
        Self { kind, markdown, proposal: None, lacks_model: false }
    }
}

impl AdviceKind {
    pub fn name(self) -> &'static str {
        match self {
            AdviceKind::Query => "wish",
            AdviceKind::Close => "close",
            AdviceKind::About => "about",
            AdviceKind::Slip => "slip",
            AdviceKind::Error => "error",
            AdviceKind::Talk => "talk",
            AdviceKind::Beyond => "beyond",
        }
    }
}
