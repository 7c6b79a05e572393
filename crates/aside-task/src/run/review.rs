//! Summarises a change for review: what kinds of files it has, how large it is, and what rules find in it. Says that rules made the
//! findings, since no model or user has read the change.

pub mod denied_files;
pub mod described;
pub(in crate::run) mod file_kind;
mod findings;
pub mod focus;
mod patch;
mod render;
mod rules;
pub mod signatures;
pub mod target;
pub mod untracked;
mod weakened;

#[cfg(test)]
mod tests;

use aside_core::agent::language::{Bilingual, Language};
use aside_redact::redact;

use crate::run::model_reply::fenced;
use crate::run::{ModelNeed, RunnerOutcome, code};
use patch::{FileChangeKind, Patch};

/// The findings, for clients that render something other than Markdown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Review {
    pub files: Vec<ReviewedFile>,
    /// The gravest first, then in the order of the files.
    pub risks: Vec<Risk>,
    /// What was not reviewed, and why.
    pub notes: Vec<Bilingual>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReviewedFile {
    pub path: String,
    /// `new`, `deleted`, `renamed from x`; mostly empty.
    pub change: Bilingual,
    /// `tests`, `documentation`, `code`.
    pub kind: &'static str,
    pub added: usize,
    pub removed: usize,
}

/// A finding, with all its places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Risk {
    pub rule: String,
    pub weight: Severity,
    /// A short description.
    pub what: Bilingual,
    pub places: Vec<FindingLocation>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FindingLocation {
    pub path: String,
    /// Line in the new file; in the old one for removed lines. `None` when it is about the whole file.
    pub line: Option<usize>,
    /// The line, with secrets redacted.
    pub text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Should not be committed at all.
    Grave,
    Look,
    /// Good to know.
    Minor,
}

/// Reviews the output of `git diff`, in at most `lines` lines of the given language.
pub fn review(diff: &str, lines: usize, language: Language) -> RunnerOutcome {
    let review = summarize(diff);
    let text = render::markdown(&review, lines, language);
    // Rules cannot tell whether the change is correct; a model may.
    let model = if review.files.is_empty() { ModelNeed::Unneeded } else { ModelNeed::Better };
    RunnerOutcome::answer(text, render::summary(&review, language), model)
}

/// Lines of a change that are shown with its review.
const EXCERPT: usize = 40;
/// Characters of such a line.
const MAX_LINE: usize = 160;

/// The changed lines themselves, with secrets redacted; empty where they are too many to read at a glance.
pub fn excerpt(diff: &str, language: Language) -> String {
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
    let head = language.pick("The change:", "改动：");
    format!("\n{head}\n\n{}", fenced("diff", &rows.join("\n")))
}

/// What the rules of redaction find in the added lines, in a sentence and a list.
pub fn secrets(diff: &str, language: Language) -> String {
    let Patch { files, .. } = patch::read(diff);
    let mut places = Vec::new();
    for file in &files {
        for (line, text) in file.added() {
            if redact(text) != text {
                places.push(format!("- {}", code(&format!("{}:{line}", file.path))));
            }
        }
    }
    match (language, places.is_empty()) {
        (Language::English, true) => "No added line looks like a secret to the rules that redact them; values of another shape they do not know.\n\n".to_owned(),
        (Language::Chinese, true) => "按脱敏规则，新增的行里没有像密钥的内容；其他形式的值规则不认识。\n\n".to_owned(),
        (Language::English, false) => format!("These added lines look like secrets:\n\n{}\n\n", places.join("\n")),
        (Language::Chinese, false) => format!("这些新增的行像是密钥：\n\n{}\n\n", places.join("\n")),
    }
}

pub fn summarize(diff: &str) -> Review {
    let Patch { files, notes } = patch::read(diff);
    let kinds: Vec<&'static str> = files.iter().map(|file| file_kind::of(&file.path)).collect();
    let risks = findings::risks(&files, &kinds);
    let files = files.iter().zip(kinds).map(|(file, kind)| {
        let (added, removed) = file.counts();
        ReviewedFile { path: file.path.clone(), change: said(file), kind, added, removed }
    });
    Review { files: files.collect(), risks, notes }
}

fn said(file: &patch::PatchFile<'_>) -> Bilingual {
    let said = match &file.change {
        FileChangeKind::Modified => Bilingual::default(),
        FileChangeKind::Added => Bilingual::new("new", "新文件"),
        FileChangeKind::Deleted => Bilingual::new("deleted", "已删除"),
        FileChangeKind::Renamed { from } => Bilingual::new(format!("renamed from {from}"), format!("由 {from} 改名")),
        FileChangeKind::Copied { from } => Bilingual::new(format!("copied from {from}"), format!("复制自 {from}")),
    };
    match (file.binary, said.english.is_empty()) {
        (false, _) => said,
        (true, true) => Bilingual::new("binary", "二进制"),
        (true, false) => Bilingual::new(format!("{}, binary", said.english), format!("{}，二进制", said.chinese)),
    }
}
