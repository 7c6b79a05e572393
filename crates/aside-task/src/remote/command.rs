//! What a message from a chat wants: most are requests in plain words; a few short ones are about tasks that are there already. What
//! approves, in whichever words, is recognised only to be told that it has to be done at the machine.

use crate::event::TaskId;

/// Words before a task's name, or alone for the newest one.
const CANCEL: [&str; 6] = ["cancel", "stop", "abort", "取消", "停止", "停下"];
const RETRY: [&str; 6] = ["retry", "again", "try again", "重试", "再试", "再来一次"];
/// Of which a message that approves or rejects has at least one.
const APPROVE: [&str; 12] =
    ["approve", "approved", "approving", "accept", "apply", "yes", "yep", "ok", "okay", "lgtm", "agree", "agreed"];
const REJECT: [&str; 8] = ["reject", "rejected", "deny", "decline", "no", "nope", "disapprove", "disagree"];
/// Besides them it has only such words and names of tasks: “yes, run the tests” is a request.
const BESIDE: [&str; 30] = [
    "please",
    "pls",
    "it",
    "all",
    "them",
    "that",
    "this",
    "these",
    "those",
    "both",
    "everything",
    "the",
    "of",
    "my",
    "task",
    "tasks",
    "proposal",
    "proposals",
    "change",
    "changes",
    "go",
    "ahead",
    "do",
    "now",
    "i",
    "sure",
    "y",
    "thanks",
    "and",
    "for",
];
/// The same in Chinese, which has no blanks: the longest piece that fits is taken.
const APPROVE_CHINESE: [&str; 12] =
    ["没问题", "批准", "同意", "应用", "通过", "确认", "好的", "可以", "是的", "赞成", "好", "行"];
const REJECT_CHINESE: [&str; 9] = ["不可以", "不同意", "不批准", "不通过", "不赞成", "不行", "拒绝", "驳回", "不好"];
const BESIDE_CHINESE: [&str; 24] = [
    "全部", "所有", "任务", "方案", "请求", "修改", "这个", "那个", "这些", "那些", "一下", "执行", "我", "请", "都",
    "吧", "了", "的", "它", "啊", "呀", "谢谢", "就", "把",
];
/// Words, or Chinese pieces, of a message that answers.
const MAX_ANSWER: usize = 10;
const STATUS: [&str; 8] = ["status", "tasks", "list", "show", "状态", "任务", "进度", "查看"];
const PAIR: [&str; 2] = ["pair", "配对"];

/// What a message wants. A name is as it was written, perhaps only its beginning; empty for the newest task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChatCommand<'a> {
    Ask(&'a str),
    Cancel(&'a str),
    Retry(&'a str),
    /// Approves, which is done at the machine alone.
    Answer(&'a str),
    /// Rejects, which is done there, too; from here the task can be cancelled.
    Reject(&'a str),
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
        if let Some(answer) = answer(bare) {
            return answer;
        }
        if known(&STATUS).is_some() {
            return Self::Status;
        }
        Self::Ask(text)
    }
}

/// An approval or a rejection, in whichever words. With the name of a task, if there is one.
fn answer(text: &str) -> Option<ChatCommand<'_>> {
    let is_between = |letter: char| letter.is_whitespace() || "。.!！,，:：;；?？~～、'\"`“”".contains(letter);
    let (mut name, mut approves, mut rejects, mut count) = ("", false, false, 0);
    let mut last = "";
    for word in text.split(is_between).filter(|word| !word.is_empty()) {
        let mut rest = word;
        while !rest.is_empty() {
            count += 1;
            let (piece, behind) = if rest.starts_with(|letter: char| letter.is_ascii()) {
                rest.split_at(rest.find(|letter: char| !letter.is_ascii()).unwrap_or(rest.len()))
            } else {
                let known = REJECT_CHINESE.iter().chain(&APPROVE_CHINESE).chain(&BESIDE_CHINESE);
                let longest = known.filter(|piece| rest.starts_with(**piece)).max_by_key(|piece| piece.len())?;
                rest.split_at(longest.len())
            };
            let is_one_of = |words: &[&str]| words.iter().any(|word| piece.eq_ignore_ascii_case(word));
            let goes_ahead = last.eq_ignore_ascii_case("go") && piece.eq_ignore_ascii_case("ahead");
            let is_beside = is_one_of(&BESIDE) || is_one_of(&BESIDE_CHINESE);
            if is_one_of(&REJECT) || is_one_of(&REJECT_CHINESE) {
                rejects = true;
            } else if is_one_of(&APPROVE) || is_one_of(&APPROVE_CHINESE) || goes_ahead {
                approves = true;
            } else if !is_beside && is_name(piece) && name.is_empty() {
                name = piece;
            } else if !is_beside {
                return None;
            }
            (last, rest) = (piece, behind);
        }
    }
    match (approves, rejects) {
        _ if count > MAX_ANSWER => None,
        (_, true) => Some(ChatCommand::Reject(name)),
        (true, false) => Some(ChatCommand::Answer(name)),
        (false, false) => None,
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
