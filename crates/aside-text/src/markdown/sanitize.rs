//! Prepares the source: removes what no terminal may see, and disables the parts of Markdown that reach back to rows already shown.
//! Appending to the text appends to the result, so a settled row stays settled.

use std::borrow::Cow;

use crate::markdown::style;

/// Bytes of a text; the rest is ignored.
pub const MAX_TEXT: usize = 256 * 1024;

/// Breaks up markup that would change the text before it. One of the marks, so it is never shown.
pub const SEVERED: char = '\u{e1ff}';

/// Two constructs reach back. `[name]: address` makes a link of every `[name]` above; it is shown as it is. And `--|--` makes a table of
/// the line above; that is allowed only for a head that begins with a bar, since any other line is shown while it is written.
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
            // Two underscores belong to a name: `__init__.py`. Bold text has asterisks.
            let is_name = (before, letter) == ('_', '_');
            if (before, letter) == (']', ':') || is_name {
                source.push(SEVERED);
            }
            source.push(letter);
            if is_name {
                source.push(SEVERED);
            }
            // After it, so that it is inside a cell if this is the head of a table.
            if severed == Some(place) {
                source.push(SEVERED);
            }
            before = letter;
        }
        above = line;
    }
    source
}

/// Where a line turns out to be a table's delimiter row: it has a bar and a dash, and so far nothing that such a row cannot have.
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

/// Looks after what may precede a paragraph: indentation, bars of quotations, bullets and numbers.
pub fn begins_with_bar(line: &str) -> bool {
    let text = line.trim_start_matches(|letter: char| {
        " \t>-+*.)".contains(letter) || letter == SEVERED || letter.is_ascii_digit()
    });
    text.starts_with('|')
}

/// Removes characters that may not be shown. Called again after entities such as `&#27;` are decoded.
pub fn shown(text: &str) -> Cow<'_, str> {
    let text = crate::clean(text);
    // The width of a character with a variation selector depends on the terminal, so rows would have unknown widths.
    let hides =
        |letter: char| style::is_mark(letter) || matches!(letter, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}');
    if text.is_ascii() || !text.contains(hides) {
        return text;
    }
    Cow::Owned(text.chars().filter(|letter| !hides(*letter)).collect())
}
