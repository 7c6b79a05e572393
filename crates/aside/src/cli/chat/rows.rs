//! Text as rows of a screen: no row moves the cursor, hides or reorders letters, or exceeds its width. Knows nothing of tasks.

use aside_text as text;
use aside_text::markdown::{self, TextEnd, style};
use ratatui_core::style::{Color, Modifier, Style};
use ratatui_core::text::{Line, Span};
use unicode_width::UnicodeWidthChar;

pub type Row = Line<'static>;

/// Colours that every theme has, light or dark. No background: the user's own stays.
pub const PLAIN: Style = Style::new();
pub const BOLD: Style = Style::new().add_modifier(Modifier::BOLD);
pub const DIM: Style = Style::new().add_modifier(Modifier::DIM);
pub const TURNED: Style = Style::new().add_modifier(Modifier::REVERSED);
pub const ADDED: Style = Style::new().fg(Color::Green);
pub const REMOVED: Style = Style::new().fg(Color::Red);
pub const HUNK: Style = Style::new().fg(Color::Cyan);
pub const DANGER: Style = Style::new().fg(Color::Red).add_modifier(Modifier::BOLD);
pub const WAITS: Style = Style::new().fg(Color::Yellow).add_modifier(Modifier::BOLD);
pub const GOOD: Style = Style::new().fg(Color::Green).add_modifier(Modifier::BOLD);
pub const ASKED: Style = Style::new().fg(Color::Cyan).add_modifier(Modifier::BOLD);

/// Columns of a character. Variation selectors, which may widen the one before, do not occur here: `seen` removes them.
pub fn columns(letter: char) -> usize {
    UnicodeWidthChar::width(letter).unwrap_or(0)
}

pub fn width(text: &str) -> usize {
    text.chars().map(columns).sum()
}

/// Sanitizes text for the screen: no control characters but newlines, nothing invisible, and no variation selectors, about whose width
/// terminals disagree.
pub fn seen(text: &str) -> String {
    let letters = text::clean(text);
    letters
        .chars()
        .filter(|letter| !matches!(letter, '\u{fe00}'..='\u{fe0f}'))
        .collect::<String>()
        .replace('\t', "    ")
}

/// As `seen`, in one line.
pub fn one_line(text: &str) -> String {
    seen(text).split('\n').map(str::trim_end).collect::<Vec<&str>>().join(" ")
}

/// Truncates to so many columns, with an ellipsis.
pub fn cut(text: &str, most: usize) -> String {
    if width(text) <= most {
        return text.to_owned();
    }
    let mut kept = String::new();
    let mut used = 1;
    for letter in text.chars() {
        used += columns(letter);
        if used > most {
            break;
        }
        kept.push(letter);
    }
    if most > 0 {
        kept.push('…');
    }
    kept
}

/// Wraps wherever the row is full: for machine-readable text. Loses no letter, and gives at least one row.
pub fn fold(text: &str, most: usize) -> Vec<String> {
    let most = most.max(2);
    let mut rows = vec![String::new()];
    let mut used = 0;
    for letter in text.chars() {
        let columns = columns(letter);
        if used + columns > most {
            rows.push(String::new());
            used = 0;
        }
        used += columns;
        if let Some(row) = rows.last_mut() {
            row.push(letter);
        }
    }
    rows
}

/// Wraps between words where possible: for prose. Each line begins a row.
pub fn flow(text: &str, most: usize) -> Vec<String> {
    let most = most.max(2);
    text.split('\n').flat_map(|line| flow_line(line, most)).collect()
}

fn flow_line(line: &str, most: usize) -> Vec<String> {
    let mut rows = Vec::new();
    let mut row = String::new();
    for word in line.split_inclusive(' ') {
        if width(&row) + width(word.trim_end()) > most && !row.is_empty() {
            rows.push(std::mem::take(&mut row).trim_end().to_owned());
        }
        row.push_str(word);
        if width(row.trim_end()) > most {
            let mut folded = fold(row.trim_end(), most);
            row = folded.pop().unwrap_or_default() + if word.ends_with(' ') { " " } else { "" };
            rows.append(&mut folded);
        }
    }
    rows.push(row.trim_end().to_owned());
    rows
}

/// Renders Markdown, which may be incomplete.
pub fn markdown(text: &str, most: usize, whole: TextEnd) -> Vec<Row> {
    let rendered = markdown::render(&seen(text), most, whole);
    rendered.rows.iter().chain(&rendered.tail).map(|row| marked(row)).collect()
}

fn marked(row: &str) -> Row {
    let mut spans: Vec<Span<'static>> = Vec::new();
    let mut style = PLAIN;
    for letter in seen(row).chars().filter(|letter| *letter != '\n') {
        match look(letter) {
            Some(None) => style = PLAIN,
            Some(Some(look)) => style = style.patch(look),
            None if style::is_mark(letter) => {}
            None => match spans.last_mut().filter(|span| span.style == style) {
                Some(span) => span.content.to_mut().push(letter),
                None => spans.push(Span::styled(letter.to_string(), style)),
            },
        }
    }
    Line::from(spans)
}

/// `None` for an ordinary letter; `Some(None)` resets all styles.
fn look(letter: char) -> Option<Option<Style>> {
    let modifier = |modifier| Some(Some(PLAIN.add_modifier(modifier)));
    match letter {
        style::RESET => Some(None),
        style::BOLD | style::HEADING => modifier(Modifier::BOLD),
        style::DIM | style::QUOTE => modifier(Modifier::DIM),
        style::ITALIC => modifier(Modifier::ITALIC),
        style::UNDERLINE | style::LINK => modifier(Modifier::UNDERLINED),
        style::CODE => Some(Some(PLAIN.fg(Color::Cyan))),
        _ => None,
    }
}

/// `3 more rows`
pub fn more(rows: usize) -> String {
    format!("{rows} more {}", if rows == 1 { "row" } else { "rows" })
}

/// The text of a row, without styles.
pub fn plain(row: &Row) -> String {
    row.spans.iter().map(|span| span.content.as_ref()).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn rows_are_broken_between_words_or_where_they_are_full() {
        assert_eq!(flow("why is the build slow", 10), ["why is the", "build slow"]);
        assert_eq!(flow("a averyverylongword b", 8), ["a", "averyver", "ylongwor", "d b"]);
        assert_eq!(flow("日本語の文 です", 6), ["日本語", "の文", "です"]);
        assert_eq!(flow("one\n\ntwo", 10), ["one", "", "two"]);
        assert_eq!(fold("日本語", 5), ["日本", "語"]);
        assert_eq!(fold("", 5), [""]);
        assert_eq!((cut("日本語", 5), cut("abc", 3), cut("abcd", 3)), ("日本…".into(), "abc".into(), "ab…".into()));
    }

    #[test]
    fn nothing_hidden_reaches_the_screen() {
        assert_eq!(seen("a\u{1b}[31m\u{202e}b\u{200d}\u{fe0f}\tc\r"), "a[31mb    c");
        let rows = markdown("**a**\u{1b}]0;x\u{7} `b`", 40, TextEnd::Yes);
        assert_eq!(rows.iter().map(plain).collect::<Vec<_>>(), ["a]0;x b"]);
        assert_eq!(rows[0].spans.len(), 3);
    }

    proptest! {
        #[test]
        fn no_row_is_too_wide_and_no_letter_is_lost(text in "[a日 é\u{301}🦀\n]{0,60}", most in 2usize..20) {
            for row in flow(&text, most).iter().chain(&fold(&text.replace('\n', ""), most)) {
                prop_assert!(width(row) <= most, "{row:?}");
            }
            let letters = |text: &str| text.chars().filter(|letter| !letter.is_whitespace()).collect::<String>();
            prop_assert_eq!(letters(&flow(&text, most).concat()), letters(&text));
            prop_assert_eq!(fold(&text.replace('\n', ""), most).concat(), text.replace('\n', ""));
        }
    }
}
