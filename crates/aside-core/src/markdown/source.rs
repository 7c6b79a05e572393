//! What is read of a text: without what no terminal may see, and without the parts of Markdown that reach back to rows that
//! have been shown. What is appended to a text is appended to this, so a row that is settled stays so.

use std::borrow::Cow;

use crate::markdown::mark;
use crate::text;

/// Nobody reads more than this at a prompt.
pub const MAX_TEXT: usize = 256 * 1024;

/// Stands inside what would change the text before it, so that it does not. One of the marks, so it is never shown.
pub const SEVERED: char = '\u{e1ff}';

/// Two things reach back. `[name]: address` makes a link of every `[name]` above; it is shown as it is. And `--|--` makes a table
/// of the line above, which only a table's head that begins with a bar is let do: any other line is shown while it is
/// written.
pub fn prepare(text: &str) -> String {
    let mut end = text.len().min(MAX_TEXT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let mut source = String::with_capacity(end + 64);
    let mut above = "";
    for line in shown(text.get(..end).unwrap_or_default()).split_inclusive('\n') {
        let severed = rules(line).filter(|_| !begins_with_bar(above));
        let mut before = ' ';
        for (place, letter) in line.char_indices() {
            // Two underscores belong to a name: `__init__.py`. What is bold has asterisks.
            let is_name = (before, letter) == ('_', '_');
            if (before, letter) == (']', ':') || is_name {
                source.push(SEVERED);
            }
            source.push(letter);
            if is_name {
                source.push(SEVERED);
            }
            // Behind it, where it is inside a cell if this is the head of a table.
            if severed == Some(place) {
                source.push(SEVERED);
            }
            before = letter;
        }
        above = line;
    }
    source
}

/// Where a line turns out to have a bar and a dash and nothing but what else is below the head of a table, so far.
fn rules(line: &str) -> Option<usize> {
    let (mut bar, mut dash) = (None, None);
    for (place, letter) in line.char_indices() {
        match letter {
            '|' => bar = bar.or(Some(place)),
            '-' => dash = dash.or(Some(place)),
            ' ' | '\t' | '>' | ':' => {}
            _ => return None,
        }
        if let (Some(bar), Some(dash)) = (bar, dash) {
            return Some(bar.max(dash));
        }
    }
    None
}

/// Behind what may stand before a paragraph: indentation, bars of quotations, bullets and numbers.
pub fn begins_with_bar(line: &str) -> bool {
    let text = line.trim_start_matches(|letter: char| {
        " \t>-+*.)".contains(letter) || letter == SEVERED || letter.is_ascii_digit()
    });
    text.starts_with('|')
}

/// The letters that may be shown. Entities such as `&#27;` stand for others, so this is asked again after they were read.
pub fn shown(text: &str) -> Cow<'_, str> {
    let text = text::clean(text);
    // With a variation selector a letter is as wide as the terminal likes, and rows would not be as wide as we think.
    let hides =
        |letter: char| mark::is_mark(letter) || matches!(letter, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}');
    if text.is_ascii() || !text.contains(hides) {
        return text;
    }
    Cow::Owned(text.chars().filter(|letter| !hides(*letter)).collect())
}
