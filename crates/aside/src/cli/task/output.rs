//! A running command's output as printable lines: removes escape sequences, and keeps the last state of a line that is overwritten.

use aside_text as text;

/// Cap on an unterminated line.
const MAX_LINE: usize = 8 * 1024;

#[derive(Default)]
pub struct Output {
    line: String,
    within: Within,
    /// The line ended with a carriage return; what follows is either a newline or overwrites it.
    returned: bool,
}

/// Parser state: a sequence may be split between two chunks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Within {
    #[default]
    Text,
    Escape,
    /// Until a final byte.
    Control,
    /// Until BEL or `ESC \`.
    String,
    StringEscape,
}

impl Output {
    /// Returns the completed lines.
    pub fn push(&mut self, chunk: &str) -> Vec<String> {
        let mut lines = Vec::new();
        for letter in chunk.chars() {
            if self.within != Within::Text {
                self.within = passes(self.within, letter);
                continue;
            }
            match letter {
                '\x1b' => self.within = Within::Escape,
                '\u{9b}' => self.within = Within::Control,
                '\n' => {
                    self.returned = false;
                    lines.push(std::mem::take(&mut self.line));
                }
                '\r' => self.returned = true,
                '\x08' => {
                    self.line.pop();
                }
                '\t' => {
                    self.overwrites();
                    let column = self.line.chars().count();
                    self.line.push_str(&" ".repeat(8 - column % 8));
                }
                _ if text::is_clean(letter.encode_utf8(&mut [0; 4])) => {
                    self.overwrites();
                    self.line.push(letter);
                }
                _ => {}
            }
            if self.line.len() > MAX_LINE {
                lines.push(std::mem::take(&mut self.line));
            }
        }
        lines
    }

    /// The incomplete line.
    pub fn line(&self) -> &str {
        &self.line
    }

    pub fn ends(&mut self) -> Option<String> {
        (self.within, self.returned) = (Within::Text, false);
        Some(std::mem::take(&mut self.line)).filter(|line| !line.is_empty())
    }

    fn overwrites(&mut self) {
        if std::mem::take(&mut self.returned) {
            self.line.clear();
        }
    }
}

fn passes(within: Within, letter: char) -> Within {
    match (within, letter) {
        (Within::Text, _) => Within::Text,
        (Within::Escape, '[') => Within::Control,
        (Within::Escape, ']' | 'P' | 'X' | '^' | '_') => Within::String,
        // `ESC ( B` and the like have an intermediate byte.
        (Within::Escape, ' '..='/') => Within::Escape,
        (Within::Escape, _) => Within::Text,
        (Within::Control, '\x40'..='\x7e' | '\n') => Within::Text,
        (Within::Control, _) => Within::Control,
        (Within::String, '\x07' | '\u{9c}') => Within::Text,
        (Within::String, '\x1b') => Within::StringEscape,
        (Within::String, _) => Within::String,
        (Within::StringEscape, '\\') => Within::Text,
        (Within::StringEscape, _) => Within::String,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(chunks: &[&str]) -> Vec<String> {
        let mut output = Output::default();
        let mut lines: Vec<String> = chunks.iter().flat_map(|chunk| output.push(chunk)).collect();
        lines.extend(output.ends());
        lines
    }

    #[test]
    fn sequences_are_taken_out_wherever_they_are_cut() {
        assert_eq!(shown(&["\x1b[1;3", "2mok\x1b[0m\n"]), ["ok"]);
        assert_eq!(shown(&["a\x1b]0;title\x07b\x1b", "]2;x\x1b", "\\c\n"]), ["abc"]);
        assert_eq!(shown(&["\x1b(Bplain\x1b[?25l\x07\u{202e}\n"]), ["plain"]);
        assert_eq!(shown(&["\u{9b}2Jx\n"]), ["x"]);
    }

    #[test]
    fn a_line_that_is_written_over_is_what_it_was_last() {
        assert_eq!(shown(&["10%\r", "20%\r100%\n"]), ["100%"]);
        assert_eq!(shown(&["windows\r\nlines\r\n"]), ["windows", "lines"]);
        assert_eq!(shown(&["abc\x08d\n"]), ["abd"]);
        assert_eq!(shown(&["a\tb\n"]), ["a       b"]);
    }

    #[test]
    fn what_has_no_end_is_shown_all_the_same() {
        let mut output = Output::default();
        assert_eq!(output.push("half"), Vec::<String>::new());
        assert_eq!(output.line(), "half");
        assert_eq!(output.ends().as_deref(), Some("half"));
        let long = "x".repeat(3 * MAX_LINE);
        assert!(shown(&[&long]).iter().all(|line| line.len() <= MAX_LINE + 1));
    }
}
