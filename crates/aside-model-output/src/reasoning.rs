//! Removes a model's reasoning, and the tokens that its template leaves behind, from an answer.

use std::borrow::Cow;

use crate::command_line;

/// Tags around a model's reasoning.
pub const REASONING_TAGS: [(&str, &str); 8] = [
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("<reflection>", "</reflection>"),
    ("<scratchpad>", "</scratchpad>"),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
];

/// End-of-answer tokens, whatever a server lets through after them.
const ENDS: [&str; 12] = [
    "<|im_end|>",
    "<|endoftext|>",
    "<|eot_id|>",
    "<|end|>",
    "<|return|>",
    "<|im_start|>",
    "<end_of_turn>",
    "<eos>",
    "</s>",
    "[/INST]",
    "<｜end▁of▁sentence｜>",
    "<|EOT|>",
];

/// Models that reason in channels put the answer in this one.
const FINAL: &str = "final<|message|>";

/// Tags around an answer. Their contents count.
const TAGS: [&str; 8] = ["command", "answer", "cmd", "bash", "shell", "code", "output", "response"];

/// Without reasoning, and otherwise byte for byte. `None` while it still reasons, or may be about to.
pub fn strip_reasoning(said: &str) -> Option<Cow<'_, str>> {
    let mut spoken = Cow::Borrowed(said);
    if said.contains("<|channel|>") || said.starts_with("<|start|>") {
        let from = said.rfind(FINAL)? + FINAL.len();
        spoken = Cow::Borrowed(said.get(from..)?);
    }
    // Some templates open the reasoning in the prompt, so that only its end is in the answer.
    for (open, close) in REASONING_TAGS {
        if let Some(end) = spoken.rfind(close).map(|end| end + close.len())
            && !spoken.get(..end).is_some_and(|before| before.contains(open) && !before.trim_start().starts_with(open))
        {
            spoken = Cow::Owned(spoken.get(end..)?.to_owned());
        }
    }
    loop {
        let start = spoken.trim_start();
        // A prefix of an opening tag is not shown yet.
        let opening = REASONING_TAGS.iter().map(|(open, _)| *open).chain(["<|channel|>", "<|start|>"]);
        let about_to =
            !start.is_empty() && opening.into_iter().any(|open| open.len() > start.len() && open.starts_with(start));
        if about_to {
            return None;
        }
        let Some((open, close, at)) = first_thought(&spoken) else { break };
        let after = spoken.get(at + open.len()..)?;
        let Some(end) = after.find(close) else {
            // Cut off during reasoning; the text before counts.
            let before = spoken.get(..at)?.to_owned();
            return (!before.trim().is_empty()).then_some(Cow::Owned(before));
        };
        let rest = after.get(end + close.len()..)?;
        spoken = Cow::Owned(format!("{}{rest}", spoken.get(..at)?));
    }
    Some(spoken)
}

/// Removes the end tokens at the very end. In the middle they may be the subject.
pub fn strip_end_marks(spoken: &str) -> &str {
    let mut spoken = spoken;
    while let Some(before) = ENDS.iter().find_map(|end| spoken.trim_end().strip_suffix(end)) {
        spoken = before;
    }
    spoken
}

/// The text to search for commands. `None` as for `strip_reasoning`.
pub fn strip_all(said: &str) -> Option<Cow<'_, str>> {
    let mut spoken = strip_reasoning(said)?;
    if let Some(end) = ENDS.iter().filter_map(|end| spoken.find(end)).min() {
        spoken = Cow::Owned(spoken.get(..end)?.to_owned());
    }
    // Some models continue with a request of their own, and answer that.
    let said = spoken.len() - spoken.trim_start().len();
    let own = format!("\n{}", command_line::REQUEST);
    if let Some(end) = spoken.get(said..).and_then(|rest| rest.find(&own)).map(|end| said + end) {
        spoken = Cow::Owned(spoken.get(..end)?.to_owned());
    }
    Some(untagged(spoken))
}

/// Reasoning stands on a line of its own; in the middle of a line it is a word of a command.
fn first_thought(spoken: &str) -> Option<(&'static str, &'static str, usize)> {
    let found = REASONING_TAGS.iter().filter_map(|(open, close)| {
        let at = spoken.find(open)?;
        let alone = spoken.get(..at)?.lines().next_back().is_none_or(|line| line.trim().is_empty())
            || spoken.get(..at)?.ends_with('\n');
        alone.then_some((*open, *close, at))
    });
    found.min_by_key(|(_, _, at)| *at)
}

/// The contents of `<command>…</command>`, when the answer begins with it.
fn untagged(spoken: Cow<'_, str>) -> Cow<'_, str> {
    let start = spoken.trim_start();
    for tag in TAGS {
        let open = format!("<{tag}>");
        if let Some(inside) = start.strip_prefix(&open) {
            let end = inside.find(&format!("</{tag}>")).unwrap_or(inside.len());
            return Cow::Owned(inside.get(..end).unwrap_or_default().to_owned());
        }
    }
    spoken
}
