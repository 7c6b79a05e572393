//! What a message from a chat wants: most are requests in plain words; a few short ones are about tasks that are there already. What
//! approves is recognised only to be told that it has to be done at the machine.

use crate::event::TaskId;

/// Words before a task's name, or alone for the newest one.
const CANCEL: [&str; 6] = ["cancel", "stop", "abort", "取消", "停止", "停下"];
const RETRY: [&str; 6] = ["retry", "again", "try again", "重试", "再试", "再来一次"];
const APPROVE: [&str; 11] =
    ["approve", "apply", "yes", "ok", "lgtm", "go ahead", "同意", "批准", "应用", "好的", "可以"];
const REJECT: [&str; 4] = ["reject", "no", "拒绝", "不行"];
const STATUS: [&str; 8] = ["status", "tasks", "list", "show", "状态", "任务", "进度", "查看"];
const PAIR: [&str; 2] = ["pair", "配对"];

/// What a message wants. A name is as it was written, perhaps only its beginning; empty for the newest task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChatCommand<'a> {
    Ask(&'a str),
    Cancel(&'a str),
    Retry(&'a str),
    /// Approves or rejects, which is done at the machine alone.
    Answer(&'a str),
    /// How the tasks of this user stand.
    Status,
    /// Brings the code by which a user is let in.
    Pair(&'a str),
    Nothing,
}

impl<'a> ChatCommand<'a> {
    /// `prefix` is that of the short forms (`@dev`).
    pub fn of(text: &'a str, prefix: &str) -> Self {
        let text = unmentioned(text, prefix).trim();
        let bare = without(text, prefix);
        let known = |words: &[&str]| words.iter().find_map(|word| name_behind(bare, word));
        if bare.is_empty() {
            return Self::Nothing;
        }
        if let Some(code) = PAIR.iter().find_map(|word| behind(bare, word)).filter(|code| !code.is_empty()) {
            return Self::Pair(code);
        }
        if let Some(name) = known(&CANCEL) {
            return Self::Cancel(name);
        }
        if let Some(name) = known(&RETRY) {
            return Self::Retry(name);
        }
        if let Some(name) = known(&APPROVE).or_else(|| known(&REJECT)) {
            return Self::Answer(name);
        }
        if known(&STATUS).is_some() {
            return Self::Status;
        }
        Self::Ask(text)
    }
}

/// In a group a robot is called with `@name`, which is no part of the request. The prefix of the short forms is.
fn unmentioned<'a>(text: &'a str, prefix: &str) -> &'a str {
    let text = text.trim_start();
    if !text.starts_with('@') || is_prefixed(text, prefix) {
        return text;
    }
    // WeCom puts a blank behind the name, or one of the four widths that it has for it.
    text.split_once([' ', '\u{2005}', '\u{2006}', '\u{a0}', '\n']).map_or("", |(_, rest)| rest)
}

fn is_prefixed(text: &str, prefix: &str) -> bool {
    !prefix.is_empty()
        && text.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace))
}

fn without<'a>(text: &'a str, prefix: &str) -> &'a str {
    if is_prefixed(text, prefix) { text[prefix.len()..].trim_start() } else { text }
}

/// What follows a word.
fn behind<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let begins = text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    let rest = text.get(word.len()..).filter(|_| begins)?;
    let ends = rest.is_empty() || rest.starts_with(|letter: char| !letter.is_alphanumeric() || !word.is_ascii());
    ends.then(|| rest.trim_matches(|letter: char| letter.is_whitespace() || "。.!！,，:：".contains(letter)))
}

/// The word alone, or before the name of a task. "Cancel the upload when the token expires" is a request.
fn name_behind<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    behind(text, word).filter(|rest| rest.is_empty() || is_name(rest))
}

/// As our names of tasks begin: `t` and letters with digits. A word of a sentence hardly ever does.
fn is_name(word: &str) -> bool {
    TaskId::of(word).is_some() && word.starts_with('t') && (4..=16).contains(&word.len())
}
