//! Extracts the command from a model's output: without reasoning, fences, prose, labels, prompts and comments. Models
//! of every size wrap their answers, small ones the most; half of a small model's value depends on reading it well.

use std::borrow::Cow;

use aside_model_output::{REASONING_TAGS, SENTENCE_OPENINGS};
use aside_text as text;

use crate::complete::model::open_quote;
use crate::complete::model::prompt::CURSOR;

/// A command of more lines is a script.
const MAX_LINES: usize = 6;

/// Whether the output is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplyCompleteness {
    Part,
    All,
}

pub struct ReplyCommand {
    pub text: String,
    /// Further output cannot change it.
    pub settled: bool,
}

const FENCE: &str = "```";

const LABELS: [&str; 8] =
    ["command:", "completion:", "completed line:", "answer:", "output:", "suggestion:", "line:", "result:"];

/// Replies that mean an empty answer.
const NOTHING: [&str; 9] =
    ["nothing", "nothing to add", "empty", "empty string", "none", "n/a", "no completion", "null", "no output"];

pub fn command(left: &str, said: &str, heard: ReplyCompleteness) -> Option<ReplyCommand> {
    let said = without_cursor(&text::clean(said), heard);
    let spoken = without_thoughts(&said, heard)?;
    let (body, fence) = within_fence(spoken, heard)?;
    let in_quote = open_quote(left).is_some();
    let mut lines = body.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        let whole = line.ends_with('\n') || heard == ReplyCompleteness::All || fence == Fence::Closed;
        let mut line = Cow::Borrowed(line.trim_end_matches(['\n', '\r']));
        if line.trim().is_empty() {
            continue;
        }
        let mut settled = whole && heard == ReplyCompleteness::Part;
        if !in_quote && !repeats(left, &line) {
            if is_nothing(&line) {
                return None;
            }
            if is_talk(&line, whole) {
                continue;
            }
            let (bare, closed) = unwrapped(left, without_label(left, &line), whole)?;
            settled |= closed && heard == ReplyCompleteness::Part;
            line = Cow::Owned(bare.to_owned());
        } else if in_quote && let Some(inside) = line.trim().strip_prefix('`') {
            // Inside a quote the backticks would be a command substitution.
            let bare = inside.strip_suffix('`').filter(|_| whole)?.to_owned();
            line = Cow::Owned(bare);
        }
        let mut text = line.into_owned();
        while whole && goes_on(&text) {
            // A continuation line must be complete.
            let more = lines.next()?;
            settled = more.ends_with('\n') && heard == ReplyCompleteness::Part || fence == Fence::Closed;
            if !settled && heard == ReplyCompleteness::Part || text.lines().count() == MAX_LINES {
                return None;
            }
            text.push('\n');
            text.push_str(more.trim_end_matches(['\n', '\r']));
        }
        return Some(ReplyCommand { text: without_comment(&text, whole || settled).to_owned(), settled });
    }
    None
}

/// Bytes of output after the reasoning.
pub fn talk(said: &str) -> usize {
    without_thoughts(said, ReplyCompleteness::Part).map_or(0, str::len)
}

/// Removes the cursor mark, which some models copy.
fn without_cursor(said: &str, heard: ReplyCompleteness) -> String {
    let mut said = said.replace(CURSOR, "");
    let half = (1..CURSOR.len()).rev().find(|length| said.ends_with(&CURSOR[..*length]));
    if let (ReplyCompleteness::Part, Some(length)) = (heard, half) {
        said.truncate(said.len() - length);
    }
    said
}

/// `None` while the model is still reasoning, or may be about to start.
fn without_thoughts(said: &str, heard: ReplyCompleteness) -> Option<&str> {
    let ends = REASONING_TAGS.iter().filter_map(|(_, close)| said.rfind(close).map(|place| place + close.len()));
    // Some chat templates open the reasoning in the prompt, so that only its end is in the output.
    let thought = ends.max();
    let rest = thought.map_or(said, |end| said[end..].trim_start());
    let start = rest.trim_start();
    for (open, _) in REASONING_TAGS {
        let about_to = heard == ReplyCompleteness::Part && !start.is_empty() && open.starts_with(start);
        if start.starts_with(open) || about_to {
            return None;
        }
    }
    Some(rest)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Fence {
    None,
    Open,
    Closed,
}

/// The text between the first fence and the next; everything when there is none.
fn within_fence(spoken: &str, heard: ReplyCompleteness) -> Option<(&str, Fence)> {
    let start = spoken.trim_start();
    if heard == ReplyCompleteness::Part && !start.is_empty() && FENCE.starts_with(start) {
        return None;
    }
    let Some(open) = fence_at_line_start(spoken) else { return Some((spoken, Fence::None)) };
    let after = spoken[open..].trim_start_matches('`');
    let Some((info, body)) = after.split_once('\n') else {
        // All on one line, or not a complete line yet.
        let close = after.find(FENCE)?;
        return Some((&after[..close], Fence::Closed));
    };
    if let Some(close) = info.find(FENCE) {
        return Some((&info[..close], Fence::Closed));
    }
    match fence_at_line_start(body) {
        Some(close) => Some((&body[..close], Fence::Closed)),
        None => Some((without_half_fence(body, heard), Fence::Open)),
    }
}

/// The last line of a stream may be the beginning of the closing fence.
fn without_half_fence(body: &str, heard: ReplyCompleteness) -> &str {
    let last = body.rfind('\n').map_or(0, |end| end + 1);
    let half = heard == ReplyCompleteness::Part && !body[last..].is_empty() && FENCE.starts_with(&body[last..]);
    if half { &body[..last] } else { body }
}

fn fence_at_line_start(text: &str) -> Option<usize> {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let blank = line.len() - line.trim_start().len();
        if line[blank..].starts_with(FENCE) {
            return Some(start + blank);
        }
        start += line.len();
    }
    None
}

/// Whether it begins like the typed line: then it is the command, whatever it looks like.
fn repeats(left: &str, line: &str) -> bool {
    let left = left.trim();
    !left.is_empty() && (line.trim_start().starts_with(left))
}

fn is_nothing(line: &str) -> bool {
    let bare = line.trim().trim_matches(|mark: char| mark.is_ascii_punctuation() && mark != '/' && mark != '-');
    let said = line.trim();
    if bare.is_empty() {
        return matches!(said, "\"\"" | "''" | "``" | "()" | "...");
    }
    let wrapped = said.len() > bare.len() || bare.starts_with(char::is_uppercase);
    wrapped && NOTHING.contains(&bare.to_lowercase().as_str())
}

/// Prose, or what may become prose.
fn is_talk(line: &str, whole: bool) -> bool {
    let line = line.trim();
    let first = line.split(|end: char| !end.is_alphabetic() && end != '\'').next().unwrap_or_default();
    if !whole && first.len() == line.len() {
        let begins =
            |word: &str| word.len() >= first.len() && word.is_char_boundary(first.len()) && word.starts_with(first);
        return first.starts_with(char::is_uppercase) && SENTENCE_OPENINGS.iter().any(|word| begins(word))
            || is_half_label(line);
    }
    if line.ends_with(':') && line.split_whitespace().count() > 2 {
        return true;
    }
    SENTENCE_OPENINGS.contains(&first)
        && (!whole || line.split_whitespace().count() > 2 || line.ends_with([':', '.', '!', ',', '…']))
}

fn is_half_label(line: &str) -> bool {
    let lower = line.to_lowercase();
    line.starts_with(char::is_uppercase) && LABELS.iter().any(|label| label.starts_with(&lower))
}

fn without_label<'a>(left: &str, line: &'a str) -> &'a str {
    let line = line.strip_prefix("$ ").unwrap_or(line);
    // The first item, if it is a list of lines.
    let item = line.trim_start().trim_start_matches(|mark: char| mark.is_ascii_digit() || "-*.)".contains(mark));
    if let Some(item) = item.strip_prefix(' ')
        && (item.starts_with('`') || repeats(left, item))
    {
        return item;
    }
    for label in LABELS {
        if line.get(..label.len()).is_some_and(|start| start.eq_ignore_ascii_case(label)) {
            return line[label.len()..].trim_start();
        }
    }
    line
}

/// Strips the quotes that the model put around the answer, and returns whether they were closed. `None` while it is
/// undecided whether they are the model's or the command's.
fn unwrapped<'a>(left: &str, line: &'a str, whole: bool) -> Option<(&'a str, bool)> {
    if !whole && line == "$" {
        return None;
    }
    let start = line.trim_start();
    if let Some(inside) = start.strip_prefix('`') {
        return match inside.split_once('`') {
            Some((inside, _)) => Some((inside, true)),
            None => Some((inside, false)),
        };
    }
    for quote in ['"', '\''] {
        let Some(inside) = start.strip_prefix(quote) else { continue };
        let typed = left.trim();
        // A quoted answer that repeats the line, or that begins with a blank, was quoted by the model.
        let ours = !typed.is_empty() && inside.starts_with(typed)
            || inside.starts_with(' ') && !left.ends_with(char::is_whitespace);
        let undecided = !whole && (typed.starts_with(inside) || inside.is_empty());
        match (ours, undecided, inside.strip_suffix(quote)) {
            (_, true, _) => return None,
            (true, false, Some(bare)) => return Some((bare, false)),
            (true, false, None) => return Some((inside, false)),
            (false, false, _) => {}
        }
    }
    Some((line, false))
}

fn goes_on(text: &str) -> bool {
    let text = text.trim_end();
    text.ends_with('\\') && !text.ends_with("\\\\") || text.ends_with('|') || text.ends_with("&&")
}

/// Removes a comment: by default zsh would run it as words at the prompt.
fn without_comment(text: &str, whole: bool) -> &str {
    let marks = text.match_indices(" #").map(|(place, _)| place);
    let is_comment = |place: &usize| {
        let after = text[place + 2..].chars().next();
        let blank = after.map_or(!whole, char::is_whitespace);
        blank && open_quote(&text[..*place]).is_none()
    };
    let end = marks.into_iter().find(is_comment).unwrap_or(text.len());
    &text[..end]
}
