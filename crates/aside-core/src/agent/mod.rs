//! Answers prose without a model: a request becomes a command to review, a question about a command its explanation, a typo the intended
//! line; everything else gets the answer that it needs a model. `prompt` builds what a model is told, and `said` parses its reply. Calls no
//! model and runs nothing.

mod about;
mod failed;
pub mod prompt;
pub mod said;
pub mod sentence;
mod symbol;
pub mod tongue;
mod wish;

#[cfg(test)]
mod tests;

use crate::history::index::Index;
use crate::project;
use crate::text;
use crate::translate::Place;
use tongue::{Phrase, Tongue};

/// Characters of prose; longer text was pasted, and is for a model.
pub const MAX_WORDS: usize = 600;

/// Prose, and what is known about it.
#[derive(Clone, Copy)]
pub struct Asked<'a> {
    /// Without the prefix that marked it as prose.
    pub words: &'a str,
    /// Exit status of the line; zero when it was not run.
    pub exit: i32,
    /// Its output, when known.
    pub output: Option<&'a str>,
    /// Earlier commands: a line that once succeeded is no typo.
    pub history: &'a Index,
    /// Prefixes of commands that are never proposed.
    pub blocklist: &'a [String],
    pub model: Model,
}

/// Why no model answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// No model is configured.
    Unset,
    /// No model is configured, and the user was told so a moment ago.
    StillUnset,
    /// A model is configured, but was not asked or did not answer. The caller says why.
    Silent,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Advice {
    pub kind: Kind,
    pub markdown: String,
    pub proposal: Option<Offered>,
    /// A model would know more.
    pub lacks_model: bool,
}

/// A command that is ready to be accepted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Offered {
    pub command: String,
    /// What it may destroy; empty when nothing.
    pub warning: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A command for the request.
    Wish,
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
pub fn embedded(asked: &Asked<'_>, place: &Place<'_>) -> Advice {
    let words = text::clean(asked.words);
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    let tongue = Tongue::of(&words);
    // A command that just failed has printed why: `kill it` needs no model, and no remark about one.
    let has_run = !matches!(asked.exit, 0 | 126 | 127);
    let is_command = || has_run && words.split(' ').count() <= 2 && wish::begins_with_command(&words, place);
    let beyond = || Advice {
        kind: Kind::Beyond,
        markdown: if is_command() { String::new() } else { tongue.says(Phrase::Beyond(asked.model)) },
        proposal: None,
        lacks_model: true,
    };
    if words.chars().nth(MAX_WORDS).is_some() || words.is_empty() {
        return beyond();
    }
    if let Some(phrase) = sentence::talk(&words) {
        return Advice::said(Kind::Talk, tongue.says(phrase));
    }
    if let Some(markdown) = about::answer(&words, place, tongue) {
        return Advice::said(Kind::About, markdown);
    }
    let asked = Asked { words: &words, ..*asked };
    if let Some(advice) = failed::layout(&asked, place) {
        return advice;
    }
    let wish = || wish::answer(&asked, place, tongue);
    let beyond = || match project::asked(&words) {
        Some(_) if asked.model != Model::Silent => Advice::said(Kind::Beyond, tongue.says(Phrase::Project)),
        _ => beyond(),
    };
    if sentence::is_prose(&words) {
        return wish().unwrap_or_else(beyond);
    }
    // A few bare words may be either: an almost certain typo comes first, then a confident translation.
    let slip = failed::slip(&asked, place, tongue);
    if let Some(slip) = slip.as_ref().filter(|slip| slip.clear) {
        return slip.advice.clone();
    }
    let count = words.split(' ').count();
    let may_wish = failed::is_bare(&words) && (count > 2 || count > 1 && asked.exit == 0);
    let sure = may_wish.then(wish).flatten().filter(|wish| wish.kind == Kind::Wish);
    let ours = sure.or_else(|| slip.map(|slip| slip.advice)).or_else(|| failed::error(&asked, place, tongue));
    // A failed command is no request, whatever its words could mean.
    let may_be_words = asked.exit == 0 && !wish::begins_with_command(&words, place);
    ours.or_else(|| may_be_words.then(wish).flatten()).unwrap_or_else(beyond)
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
    fn said(kind: Kind, markdown: String) -> Self {
        Self { kind, markdown, proposal: None, lacks_model: false }
    }
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::Wish => "wish",
            Kind::Close => "close",
            Kind::About => "about",
            Kind::Slip => "slip",
            Kind::Error => "error",
            Kind::Talk => "talk",
            Kind::Beyond => "beyond",
        }
    }
}
