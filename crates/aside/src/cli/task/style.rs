//! How rows look: colours where they are wanted, and characters that the terminal supports.

use std::borrow::Cow;

use aside_text::markdown::CodeSpans;
use aside_text::visible;

use crate::cli::{Paint, paint};

pub const BOLD: &str = "1";
pub const DIM: &str = "2";
pub const RED: &str = "31";
pub const GREEN: &str = "32";
pub const YELLOW: &str = "33";
pub const MAGENTA: &str = "35";
pub const CYAN: &str = "36";

/// Tab width.
const TAB: usize = 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    pub paint: Paint,
    pub letters: Charset,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Charset {
    All,
    /// A terminal without UTF-8 takes parts of some characters for control characters.
    Ascii,
}

impl Style {
    pub fn here() -> Self {
        let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let locale = set("LC_ALL").or_else(|| set("LC_CTYPE")).or_else(|| set("LANG"));
        Self { paint: paint(), letters: letters(locale.as_deref()) }
    }

    /// Without colours, for a file or a program that does not support them.
    pub fn plain(self) -> Self {
        Self { paint: Paint::Plain, ..self }
    }

    pub fn with(self, style: &str, text: &str) -> String {
        self.paint.with(style, text)
    }

    /// How inline code stands out.
    pub fn spans(self) -> CodeSpans {
        match self.paint {
            Paint::Plain => CodeSpans::Quoted,
            Paint::Colour => CodeSpans::Marked,
        }
    }

    /// Renders a row of `markdown`.
    pub fn marked(self, row: &str) -> String {
        self.paint.row(row)
    }

    /// The final step for each row.
    pub fn written(self, row: &str) -> Cow<'_, str> {
        match self.letters {
            Charset::Ascii if !row.is_ascii() => Cow::Owned(row.chars().map(ascii).collect()),
            Charset::Ascii | Charset::All => Cow::Borrowed(row),
        }
    }
}

/// UTF-8 unless the locale says otherwise.
fn letters(locale: Option<&str>) -> Charset {
    let is_utf8 = |locale: &str| {
        let locale = locale.to_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    };
    match locale {
        None => Charset::All,
        Some(locale) if is_utf8(locale) => Charset::All,
        Some(_) => Charset::Ascii,
    }
}

fn ascii(letter: char) -> String {
    match letter {
        '…' => "...".to_owned(),
        '→' => "->".to_owned(),
        '·' | '─' | '–' | '—' => "-".to_owned(),
        '•' => "*".to_owned(),
        '│' => "|".to_owned(),
        '⟨' => "<".to_owned(),
        '⟩' => ">".to_owned(),
        _ if letter.is_ascii() => letter.to_string(),
        _ => format!("<U+{:04X}>", u32::from(letter)),
    }
}

/// A line of a program or a file: keeps blanks and tabs, escapes invisible characters, and never cuts, so that nothing can be pushed out of
/// sight.
pub fn code(line: &str) -> String {
    let mut shown = String::with_capacity(line.len());
    let mut column = 0;
    for letter in line.chars() {
        if letter == '\t' {
            let width = TAB - column % TAB;
            shown.push_str(&" ".repeat(width));
            column += width;
        } else {
            let before = shown.len();
            match letter {
                ' ' => shown.push(' '),
                _ if letter.is_ascii_graphic() => shown.push(letter),
                _ => shown.push_str(&visible::prose(letter.encode_utf8(&mut [0; 4]))),
            }
            column += shown.get(before..).map_or(1, |added| added.chars().count());
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_code_keeps_its_blanks_and_hides_nothing() {
        for (line, shown) in [
            ("\tmake", "        make"),
            ("ab\tc", "ab      c"),
            ("            deep", "            deep"),
            ("// 日本語 Привет", "// 日本語 Привет"),
            ("a\u{202e}b\u{200b}\x1b[2J", "a⟨U+202E⟩b⟨U+200B⟩⟨escape⟩[2J"),
            ("x\r", "x⟨return⟩"),
            ("\u{e101}mark", "⟨U+E101⟩mark"),
        ] {
            assert_eq!(code(line), shown);
        }
    }

    #[test]
    fn where_the_locale_has_no_utf8_only_ascii_is_written() {
        assert_eq!(letters(None), Charset::All);
        assert_eq!(letters(Some("de_AT.UTF-8")), Charset::All);
        assert_eq!(letters(Some("C.utf8")), Charset::All);
        assert_eq!(letters(Some("C")), Charset::Ascii);
        assert_eq!(letters(Some("de_DE.ISO-8859-1")), Charset::Ascii);
        let look = Style { paint: Paint::Plain, letters: Charset::Ascii };
        assert_eq!(look.written("wait… ⟨escape⟩ À → é"), "wait... <escape> <U+00C0> -> <U+00E9>");
        let look = Style { letters: Charset::All, ..look };
        assert_eq!(look.written("wait… À"), "wait… À");
    }
}
