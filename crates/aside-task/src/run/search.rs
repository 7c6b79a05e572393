//! Decides what to search for when the user asks where something is, and ranks what was found. `plan` makes the search; the caller scans
//! the files, passes each line that matches `SearchPlan::pattern` to a `FileMatcher`, and the results of the looks to `render`. Reads nothing itself.
//!
//! A request has words, a project has names. So a name is searched in all its spellings, and a word by its stem and its synonyms in code. A
//! line scores for the terms it has, what stands near it, its path, and whether it defines the term or only mentions it.

pub mod definitions;
pub mod file_matches;
pub mod plan;
pub mod render;

pub(super) mod identifiers;
pub(super) mod lists;
mod rank;
mod stop_words;
pub(super) mod term;

#[cfg(test)]
mod tests;

use term::MAX_TERMS;

/// The matches of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileMatches {
    pub path: String,
    kind: &'static str,
    /// The best lines.
    lines: Vec<MatchedLine>,
    /// Number of matches.
    all: usize,
    /// How well each term matches the path, and the name of the file.
    path_has: Strengths,
    name_has: Strengths,
    /// How well each term matches anywhere in the file.
    has: Strengths,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct MatchedLine {
    number: usize,
    text: String,
    /// How well each term matches the line, the name that it defines, and the lines nearby.
    here: Strengths,
    defines: Strengths,
    near: Strengths,
    sort: Sort,
}

/// A score for each term, from 0 to 100.
type Strengths = [u8; MAX_TERMS];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sort {
    Defines,
    Imports,
    Comments,
    Calls,
    Other,
}

/// The result of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchOutcome {
    pub found: Vec<FileMatches>,
    /// Number of files searched.
    pub files: usize,
    /// What was not searched, and why.
    pub notes: Vec<String>,
}
