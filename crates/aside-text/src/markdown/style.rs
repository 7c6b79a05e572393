//! Style marks in the text of a row, which the client turns into the terminal's escape sequences. Knows no Markdown.

use std::ops::BitOr;

/// Ends all styles.
pub const RESET: char = '\u{e100}';
pub const BOLD: char = '\u{e101}';
pub const DIM: char = '\u{e102}';
pub const ITALIC: char = '\u{e103}';
pub const UNDERLINE: char = '\u{e104}';
pub const CODE: char = '\u{e105}';
pub const HEADING: char = '\u{e106}';
pub const QUOTE: char = '\u{e107}';
pub const LINK: char = '\u{e108}';

/// In the order of the bits of `TextStyle`.
const MARKS: [char; 8] = [BOLD, DIM, ITALIC, UNDERLINE, CODE, HEADING, QUOTE, LINK];

/// Whether the character is a mark, or reserved for one. None of these is ever part of the text.
pub fn is_mark(letter: char) -> bool {
    matches!(letter, '\u{e100}'..='\u{e1ff}')
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColorMode {
    Plain,
    Colour,
}

/// The row as a terminal shows it. Uses only the eight colours that every theme has, and no background.
pub fn paint(row: &str, palette: ColorMode) -> String {
    let mut painted = String::with_capacity(row.len() + 16);
    let mut looks_plain = true;
    // Rows may come from elsewhere than `render`, so they are cleaned of escape sequences here.
    for letter in crate::clean(row).chars().filter(|letter| !matches!(letter, '\n' | '\t')) {
        match (palette, style(letter)) {
            (_, None) if is_mark(letter) => {}
            (_, None) => painted.push(letter),
            (ColorMode::Plain, Some(_)) => {}
            (ColorMode::Colour, Some(style)) => {
                painted.push_str(&format!("\x1b[{style}m"));
                looks_plain = letter == RESET;
            }
        }
    }
    if !looks_plain {
        painted.push_str("\x1b[0m");
    }
    painted
}

fn style(mark: char) -> Option<&'static str> {
    match mark {
        RESET => Some("0"),
        BOLD | HEADING => Some("1"),
        DIM | QUOTE => Some("2"),
        ITALIC => Some("3"),
        UNDERLINE | LINK => Some("4"),
        CODE => Some("36"),
        _ => None,
    }
}

/// The set of styles of a character.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextStyle(u8);

impl TextStyle {
    pub const PLAIN: Self = Self(0);

    pub fn of(mark: char) -> Self {
        MARKS.iter().position(|known| *known == mark).map_or(Self::PLAIN, |place| Self(1 << place))
    }
}

impl BitOr for TextStyle {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// A row under construction, character by character. Always ends with all styles ended.
#[derive(Default)]
pub struct StyledRow {
    text: String,
    looks: TextStyle,
}

impl StyledRow {
    pub fn push(&mut self, letter: char, looks: TextStyle) {
        self.turn(looks);
        self.text.push(letter);
    }

    pub fn push_str(&mut self, text: &str, looks: TextStyle) {
        text.chars().for_each(|letter| self.push(letter, looks));
    }

    pub fn finish(mut self) -> String {
        self.turn(TextStyle::PLAIN);
        self.text
    }

    fn turn(&mut self, looks: TextStyle) {
        if self.looks.0 & !looks.0 != 0 {
            self.text.push(RESET);
            self.looks = TextStyle::PLAIN;
        }
        let added = looks.0 & !self.looks.0;
        let marks = MARKS.iter().enumerate().filter(|(place, _)| added & (1 << place) != 0);
        self.text.extend(marks.map(|(_, mark)| mark));
        self.looks = looks;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_become_what_a_terminal_understands_or_nothing() {
        let row = "a \u{e101}b\u{e105}c\u{e100} d\u{e102}e";
        assert_eq!(paint(row, ColorMode::Colour), "a \x1b[1mb\x1b[36mc\x1b[0m d\x1b[2me\x1b[0m");
        assert_eq!(paint(row, ColorMode::Plain), "a bc de");
    }

    #[test]
    fn nothing_else_reaches_the_terminal() {
        for palette in [ColorMode::Plain, ColorMode::Colour] {
            assert_eq!(paint("a\x1b[31m\u{202e}b\n\t\u{e1aa}c", palette), "a[31mbc");
        }
    }

    #[test]
    fn looks_are_told_only_where_they_change() {
        let (bold, code) = (TextStyle::of(BOLD), TextStyle::of(CODE));
        let mut writing = StyledRow::default();
        writing.push_str("ab", bold);
        writing.push_str("cd", bold | code);
        writing.push_str("ef", code);
        writing.push_str("gh", TextStyle::PLAIN);
        assert_eq!(writing.finish(), "\u{e101}ab\u{e105}cd\u{e100}\u{e105}ef\u{e100}gh");
    }
}
