//! Extracts commands from a model's answer: removes its reasoning, fences, prose, numbers, prompts and comments. Models of every size wrap
//! their answers, small ones most, so careful parsing is half of what a small model is worth. Does not judge what a command does, nor
//! whether it can run.
//!
//! How several lines are read: lines with numbers or bullets, several fences, or lines with an "or" between are alternatives; bare lines
//! below each other are steps, and become one line joined by `&&`. A here-document or a quoted newline does not fit in one line and is no
//! answer.

mod command_line;
pub mod explanation;
mod json;
mod lines;
mod markdown;
mod reasoning;
pub mod repetition;

#[cfg(test)]
mod tests;

pub use command_line::SENTENCE_OPENINGS;
pub use reasoning::REASONING_TAGS;

use std::borrow::Cow;

use aside_text as text;
use shell_line::Dialect;

use crate::lines::Block;

/// Bytes of an answer that are read.
const MAX_SAID: usize = 64 * 1024;
/// Bytes of one command; a longer text is a program.
const MAX_COMMAND: usize = 4096;
const MAX_COMMANDS: usize = 8;
/// Nesting of fences.
const MAX_DEPTH: usize = 3;

/// The commands of a complete answer, the best first; empty when it is only prose, or a refusal.
pub fn commands(said: &str, dialect: Dialect) -> Vec<String> {
    let said = readable(said);
    let Some(spoken) = reasoning::strip_all(&said) else { return Vec::new() };
    let mut commands: Vec<String> = Vec::new();
    for command in found(&spoken, dialect, 0) {
        let command = command_line::polished(&command);
        let fits = !command.is_empty() && command.len() <= MAX_COMMAND && !command.contains(char::is_control);
        if fits && !commands.contains(&command) && commands.len() < MAX_COMMANDS {
            commands.push(command);
        }
    }
    commands
}

/// The visible part of an answer, complete or not: without reasoning and escape sequences. `None` while it may still be reasoning.
pub fn without_reasoning(said: &str) -> Option<String> {
    let said = readable(said);
    reasoning::strip_all(&said).map(Cow::into_owned)
}

/// Like `spoken`, but byte for byte: blanks and tabs of a diff are significant. `None` while it may still be reasoning.
pub fn without_reasoning_exact(said: &str) -> Option<String> {
    let spoken = reasoning::strip_reasoning(said)?;
    Some(reasoning::strip_end_marks(&spoken).to_owned())
}

/// The part of the best command that no later text can change, while the answer streams. Holds back the last word until something follows
/// it.
pub fn partial(said: &str, dialect: Dialect) -> Option<String> {
    if said.len() > MAX_SAID {
        return None;
    }
    let said = readable(said);
    let spoken = reasoning::strip_all(&said)?;
    let shown = match json::begins(&spoken) {
        json::Begins::Yes => readable(&json::begun(&spoken)?),
        json::Begins::Maybe => return None,
        json::Begins::No => lines::begun(&spoken, dialect)?,
    };
    let shown = command_line::polished_so_far(&shown)?;
    (!shown.is_empty() && shown.len() <= MAX_COMMAND && !shown.contains(char::is_control)).then_some(shown)
}

fn found(spoken: &str, dialect: Dialect, depth: usize) -> Vec<String> {
    if let Some(commands) = json::commands(spoken) {
        let commands = commands.iter().map(|command| readable(command));
        return commands.filter_map(|command| within(&command, dialect, depth).into_iter().next()).collect();
    }
    let parts = markdown::parts(spoken);
    // A command before any fence is the answer; a fence after it shows example output.
    if let Some(block) = parts.first().filter(|part| part.fence.is_none()).map(|part| Block::of(&part.text))
        && block.leads()
    {
        return block.commands(dialect);
    }
    let mut commands: Vec<String> = Vec::new();
    for step in markdown::fenced(&parts) {
        let inside = within(&step.text, dialect, depth);
        match (commands.pop(), inside.first()) {
            (Some(before), Some(next)) if step.goes_on => commands.push(format!("{before} && {next}")),
            (before, _) => commands.extend(before.into_iter().chain(inside)),
        }
    }
    if !commands.is_empty() {
        return commands;
    }
    let outside = parts.iter().filter(|part| part.fence.is_none()).map(|part| part.text.as_str());
    Block::of(&outside.collect::<Vec<_>>().join("\n")).commands(dialect)
}

/// The contents of a fence or a JSON string may be wrapped once more.
fn within(text: &str, dialect: Dialect, depth: usize) -> Vec<String> {
    let wrapped = markdown::has_fence(text) || json::commands(text).is_some();
    if wrapped && depth < MAX_DEPTH { found(text, dialect, depth + 1) } else { Block::fenced(text).commands(dialect) }
}

/// Removes escape sequences, with their letters, so that these do not become words.
fn readable(said: &str) -> String {
    let said = said.get(..said.floor_char_boundary(MAX_SAID)).unwrap_or_default();
    let said = said.replace("\r\n", "\n").replace(['\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}'], "\n");
    let said = if said.contains('\u{1b}') { without_sequences(&said) } else { said };
    text::clean(&said).replace('\t', " ")
}

fn without_sequences(said: &str) -> String {
    let mut kept = String::with_capacity(said.len());
    let mut letters = said.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter != '\u{1b}' {
            kept.push(letter);
            continue;
        }
        match letters.next() {
            // To its final byte.
            Some('[') => {
                while letters.next_if(|inside| matches!(inside, '0'..='?' | ' '..='/')).is_some() {}
                letters.next_if(|end| matches!(end, '@'..='~'));
            }
            // A title or a link, to its end on the same line.
            Some(']' | 'P' | '_' | '^' | 'X') => {
                while let Some(inside) = letters.next_if(|inside| *inside != '\n') {
                    let ends = inside == '\u{7}' || inside == '\u{1b}' && letters.next_if_eq(&'\\').is_some();
                    if ends {
                        break;
                    }
                }
            }
            _ => {}
        }
    }
    kept
}
