//! A command that may answer a wish, and which of its words it answers.

use crate::translate::embedded::reading::Used;

#[derive(Clone, Debug)]
pub struct Draft {
    pub command: String,
    /// One line: what it does.
    pub about: String,
    /// The words that it explains.
    pub used: Used,
    pub objects: Objects,
    /// What speaks against it although the words fit, 0 to 1.
    pub doubt: f32,
    /// How much it was asked for by name: of two that explain the same words, the more specific is meant. Nothing where only the
    /// learned reader speaks for it.
    pub specific: usize,
    /// Where it comes from: a rule's name, or a domain's.
    pub rule: &'static str,
}

/// How the words are known that stand in the command itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Objects {
    /// They filled its slots, and `used` knows them.
    Filled,
    /// By comparing its arguments with the words of the request.
    Spelled,
}
