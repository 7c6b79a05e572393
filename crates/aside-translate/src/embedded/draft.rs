//! A command that may answer a query, and which words of the query it explains.

use crate::embedded::analysis::ExplainedWords;

#[derive(Clone, Debug)]
pub struct Draft {
    pub command: String,
    /// One line: what it does.
    pub about: String,
    /// The words of the query that the command explains.
    pub used: ExplainedWords,
    pub objects: Objects,
    /// Penalty for what speaks against it although the words fit, 0 to 1.
    pub doubt: f32,
    /// How specifically it was asked for: of two drafts that explain the same words, the more specific wins. 0 where
    /// only the learned classifier proposed it.
    pub specific: usize,
    /// The rule or domain that made the draft.
    pub rule: &'static str,
}

/// How the words of the query that appear in the command are identified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Objects {
    /// They filled its slots and are recorded in `used`.
    Filled,
    /// By comparing the command's arguments with the words of the query.
    Spelled,
}
