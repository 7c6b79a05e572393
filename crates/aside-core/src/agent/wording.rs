//! How answers spell code, sentences and warnings.

use crate::agent::language::{Language, Message};

pub fn careful(warning: &str, language: Language) -> String {
    match warning {
        "" => String::new(),
        warning => {
            let (says, warns) = (language.says(Message::Careful), language.warns(warning));
            match language {
                Language::English => format!("**{says}** {warns}."),
                // Markdown does not close bold text between punctuation and a letter.
                Language::Chinese => format!("**{}**：{warns}。", says.trim_end_matches('：')),
            }
        }
    }
}

/// The fence is longer than any in the command.
pub fn fenced(command: &str) -> String {
    let fence = "`".repeat(longest_run(command).max(2) + 1);
    format!("{fence}sh\n{command}\n{fence}\n")
}

/// Inline code, with as many backquotes around it as needed.
pub fn code(text: &str) -> String {
    let marks = "`".repeat(longest_run(text) + 1);
    let room = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{marks}{room}{text}{room}{marks}")
}

fn longest_run(text: &str) -> usize {
    text.split(|letter| letter != '`').map(str::len).max().unwrap_or(0)
}

/// Adds a capital letter and a full stop.
pub fn sentence(text: &str) -> String {
    let text = text.trim();
    let mut letters = text.chars();
    let Some(first) = letters.next() else { return String::new() };
    let stop = if text.ends_with(['.', '!', '?', '…', '。']) { "" } else { "." };
    format!("{}{}{stop}", first.to_uppercase(), letters.as_str())
}

/// Without the quotes around it.
pub fn unquoted(text: &str) -> &str {
    let text = text.trim();
    let pairs = [('`', '`'), ('"', '"'), ('\'', '\''), ('“', '”'), ('「', '」')];
    let inner = pairs.iter().find_map(|(open, close)| text.strip_prefix(*open)?.strip_suffix(*close));
    inner.map_or(text, str::trim)
}
