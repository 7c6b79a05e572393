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

use crate::agent::tongue::{Both, Tongue};
use crate::task::run::{Model, Outcome};
use patch::{Change, Patch};

/// What was found, for whoever shows it otherwise than as Markdown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Review {
    pub files: Vec<File>,
    /// The gravest first, then in the order of the files.
    pub risks: Vec<Risk>,
    /// What was not looked at, and why.
    pub notes: Vec<Both>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    pub path: String,
    /// `new`, `deleted`, `renamed from x`; empty for most.
    pub change: Both,
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
    pub what: Both,
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

/// What git printed, how many lines the summary may have, and in which language.
pub fn review(diff: &str, lines: usize, tongue: Tongue) -> Outcome {
    let review = look(diff);
    let text = tell::markdown(&review, lines, tongue);
    // Whether the change is right, no rule can say.
    let model = if review.files.is_empty() { Model::Unneeded } else { Model::Better };
    Outcome::answer(text, tell::summary(&review, tongue), model)
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

fn said(file: &patch::File<'_>) -> Both {
    let said = match &file.change {
        Change::Modified => Both::default(),
        Change::Added => Both::new("new", "新文件"),
        Change::Deleted => Both::new("deleted", "已删除"),
        Change::Renamed { from } => Both::new(format!("renamed from {from}"), format!("由 {from} 改名")),
        Change::Copied { from } => Both::new(format!("copied from {from}"), format!("复制自 {from}")),
    };
    match (file.binary, said.english.is_empty()) {
        (false, _) => said,
        (true, true) => Both::new("binary", "二进制"),
        (true, false) => Both::new(format!("{}, binary", said.english), format!("{}，二进制", said.chinese)),
    }
}
