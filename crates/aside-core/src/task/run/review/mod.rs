//! Summarises a change for review: what kinds of files it has, how large it is, and what rules find in it. Says that rules made the
//! findings, since no model or user has read the change.

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
use crate::redact::redact;
use crate::task::run::said::fenced;
use crate::task::run::{Model, Outcome, code};
use patch::{Change, Patch};

/// The findings, for clients that render something other than Markdown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Review {
    pub files: Vec<File>,
    /// The gravest first, then in the order of the files.
    pub risks: Vec<Risk>,
    /// What was not reviewed, and why.
    pub notes: Vec<Both>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    pub path: String,
    /// `new`, `deleted`, `renamed from x`; mostly empty.
    pub change: Both,
    /// `tests`, `documentation`, `code`.
    pub kind: &'static str,
    pub added: usize,
    pub removed: usize,
}

/// A finding, with all its places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Risk {
    pub rule: String,
    pub weight: Weight,
    /// A short description.
    pub what: Both,
    pub places: Vec<Spot>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    pub path: String,
    /// Line in the new file; in the old one for removed lines. `None` when it is about the whole file.
    pub line: Option<usize>,
    /// The line, with secrets redacted.
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

/// Reviews the output of `git diff`, in at most `lines` lines of the given language.
pub fn review(diff: &str, lines: usize, tongue: Tongue) -> Outcome {
    let review = look(diff);
    let text = tell::markdown(&review, lines, tongue);
    // Rules cannot tell whether the change is correct; a model may.
    let model = if review.files.is_empty() { Model::Unneeded } else { Model::Better };
    Outcome::answer(text, tell::summary(&review, tongue), model)
}

/// Lines of a change that are shown with its review.
const EXCERPT: usize = 40;
/// Characters of such a line.
const MAX_LINE: usize = 160;

/// The changed lines themselves, with secrets redacted; empty where they are too many to read at a glance.
pub fn excerpt(diff: &str, tongue: Tongue) -> String {
    let is_head = |line: &&str| {
        let heads = ["index ", "--- ", "similarity ", "new file mode", "deleted file mode", "old mode", "new mode"];
        !heads.iter().any(|head| line.starts_with(head))
    };
    let redacted = redact(diff);
    let lines: Vec<&str> = redacted.lines().filter(is_head).collect();
    let changed = lines.iter().filter(|line| line.starts_with(['+', '-'])).count();
    if changed == 0 || lines.len() > EXCERPT {
        return String::new();
    }
    let rows: Vec<String> = lines
        .iter()
        .filter(|line| !line.starts_with("diff --git"))
        .map(|line| match line.chars().count() > MAX_LINE {
            true => format!("{}…", line.chars().take(MAX_LINE).collect::<String>()),
            false => (*line).to_owned(),
        })
        .collect();
    let head = tongue.pick("The change:", "改动：");
    format!("\n{head}\n\n{}", fenced("diff", &rows.join("\n")))
}

/// What the rules of redaction find in the added lines, in a sentence and a list.
pub fn secrets(diff: &str, tongue: Tongue) -> String {
    let Patch { files, .. } = patch::read(diff);
    let mut places = Vec::new();
    for file in &files {
        for (line, text) in file.added() {
            if redact(text) != text {
                places.push(format!("- {}", code(&format!("{}:{line}", file.path))));
            }
        }
    }
    match (tongue, places.is_empty()) {
        (Tongue::English, true) => "No added line looks like a secret to the rules that redact them; values of another shape they do not know.\n\n".to_owned(),
        (Tongue::Chinese, true) => "按脱敏规则，新增的行里没有像密钥的内容；其他形式的值规则不认识。\n\n".to_owned(),
        (Tongue::English, false) => format!("These added lines look like secrets:\n\n{}\n\n", places.join("\n")),
        (Tongue::Chinese, false) => format!("这些新增的行像是密钥：\n\n{}\n\n", places.join("\n")),
    }
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
