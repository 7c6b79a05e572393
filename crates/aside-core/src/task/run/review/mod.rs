//! A change as git shows it, summed up for the person who has to look at it: what kinds of files it is about, how large it is,
//! and what rules find in it. Found by rules, and said to be so: nobody has read the change.

pub mod denied;
pub mod fresh;
pub(in crate::task::run) mod kind;
mod look;
mod patch;
mod rule;
mod tell;
pub mod what;

#[cfg(test)]
mod tests;

use crate::task::run::{Model, Outcome};
use patch::{Change, Patch};

/// What was found, for whoever shows it otherwise than as Markdown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Review {
    pub files: Vec<File>,
    /// The gravest first, then in the order of the files.
    pub risks: Vec<Risk>,
    /// What was not looked at, and why.
    pub notes: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    pub path: String,
    /// `new`, `deleted`, `renamed from x`; empty for most.
    pub change: String,
    /// `tests`, `documentation`, `code`.
    pub kind: &'static str,
    pub added: usize,
    pub removed: usize,
}

/// One thing that was found, at all its places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Risk {
    pub rule: String,
    pub weight: Weight,
    /// What it is, in some words.
    pub what: String,
    pub places: Vec<Spot>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    pub path: String,
    /// In the new file; in the old one for what was removed. None when it is about the file.
    pub line: Option<usize>,
    /// The line, without secrets.
    pub text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// Should not be committed at all.
    Grave,
    Look,
    /// Good to know.
    Minor,
}

/// What git printed, and how many lines the summary may have.
pub fn review(diff: &str, lines: usize) -> Outcome {
    let review = look(diff);
    let text = tell::markdown(&review, lines);
    // Whether the change is right, no rule can say.
    let model = if review.files.is_empty() { Model::Unneeded } else { Model::Better };
    Outcome::answer(text, tell::summary(&review), model)
}

pub fn look(diff: &str) -> Review {
    let Patch { files, notes } = patch::read(diff);
    let kinds: Vec<&'static str> = files.iter().map(|file| kind::of(&file.path)).collect();
    let risks = look::risks(&files, &kinds);
    let files = files.iter().zip(kinds).map(|(file, kind)| {
        let (added, removed) = file.counts();
        File { path: file.path.clone(), change: said(file), kind, added, removed }
    });
    Review { files: files.collect(), risks, notes }
}

fn said(file: &patch::File<'_>) -> String {
    let mut said = match &file.change {
        Change::Modified => String::new(),
        Change::Added => "new".to_owned(),
        Change::Deleted => "deleted".to_owned(),
        Change::Renamed { from } => format!("renamed from {from}"),
        Change::Copied { from } => format!("copied from {from}"),
    };
    if file.binary {
        said.push_str(if said.is_empty() { "binary" } else { ", binary" });
    }
    said
}
