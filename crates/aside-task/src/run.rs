//! The pure part of each kind of request: the caller passes what git, the project, the screen and the settings say as values, and gets a
//! proposal. Reads no file, runs nothing, and calls no model; `prompt` builds what a model would be asked.

pub mod actions;
pub mod ci;
pub mod compose;
pub mod config_keys;
pub mod context;
pub mod conversation;
pub mod diagnose;
pub mod directory;
pub mod doc_section;
pub mod documented;
pub mod edits;
pub mod exact_edit;
pub mod explain;
pub mod facts;
pub mod find;
pub mod follow_up;
pub mod help_and_status;
pub mod importers;
pub mod model_reply;
pub mod orders;
pub mod overreach;
pub mod passages;
mod phrase;
pub mod plan;
pub mod print_text;
pub mod project;
pub mod prompt;
pub mod question;
pub mod reader;
pub mod recipes;
pub mod repository;
pub mod review;
pub mod scan;
pub mod script;
pub mod search;
mod spelling;
pub mod topics;
pub mod values;
pub mod versions;
pub mod wording;

mod toml_lists;

use crate::proposal::Proposal;

/// The result of a runner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunnerOutcome {
    pub proposal: Proposal,
    /// One line, for a notification.
    pub summary: String,
    /// For a full screen; empty when the proposal says it all.
    pub details: String,
    pub model: ModelNeed,
}

/// What a model could add.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelNeed {
    /// Nothing is missing.
    Unneeded,
    /// There is an answer; a model may have a better one.
    Better,
    /// The answer only says that a model is needed.
    Needed,
}

impl RunnerOutcome {
    fn answer(text: String, summary: impl Into<String>, model: ModelNeed) -> Self {
        Self { proposal: Proposal::Answer { text }, summary: summary.into(), details: String::new(), model }
    }
}

/// Shortens to so many characters, on one line, with a mark where it was cut.
pub fn short(text: &str, letters: usize) -> String {
    let clean = aside_text::clean(text).replace(['\n', '\t'], " ");
    let clean = clean.trim();
    match clean.char_indices().nth(letters) {
        Some((at, _)) => format!("{}…", clean.get(..at).unwrap_or_default()),
        None => clean.to_owned(),
    }
}

/// Text as inline code in Markdown, whatever backquotes it has.
pub fn code(text: &str) -> String {
    let longest = text.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let edge = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{edge}{text}{edge}{fence}")
}
