//! What to look for when somebody asks where something is, and which of what was found is told first. `plan` says what to look for;
//! whoever acts goes through the files, gives each line in which `Plan::pattern` is to a `Look`, and what the looks came to, to `tell`.
//! Reads nothing itself.
//!
//! A request has words, a project has names. So a name is looked for in all the ways it may be spelled, a word by its stem and by what
//! code calls the same thing; and a line counts for what it has of the request, what stands near it, the path, and whether it defines
//! what is sought or only speaks of it.

pub mod definitions;
pub mod look;
pub mod plan;
pub mod tell;

mod lists;
mod names;
mod rank;
mod term;

#[cfg(test)]
mod tests;

use term::MAX_TERMS;

/// What was found in one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    pub path: String,
    kind: &'static str,
    /// The best of it.
    lines: Vec<Line>,
    /// How many there were.
    all: usize,
    /// How well each term is in the path, and in the name of the file.
    path_has: Strengths,
    name_has: Strengths,
    /// How well each term is anywhere in it.
    has: Strengths,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Line {
    number: usize,
    text: String,
    /// How well each term is on it, in the name that it defines, and within some lines of it.
    here: Strengths,
    defines: Strengths,
    near: Strengths,
    sort: Sort,
}

/// Of each term, from 0 to 100.
type Strengths = [u8; MAX_TERMS];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sort {
    Defines,
    Imports,
    Comments,
    Calls,
    Other,
}

/// How the search went.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Searched {
    pub found: Vec<Found>,
    /// Files that were looked at.
    pub files: usize,
    /// What was not looked at, and why.
    pub notes: Vec<String>,
}
