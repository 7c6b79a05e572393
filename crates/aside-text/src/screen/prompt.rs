//! Reads the line being typed at a prompt from what the shell draws between our plugin's markers and the cursor; and draws ghost text after
//! it that can be erased without a trace. Reports a line only where all of it is certain: the prompt begins on an empty row, everything
//! drawn since is understood, the cursor is after the last character, and nothing is right of it or below. Anything unknown ends the
//! reading until the next prompt. Performs no I/O itself.

mod blank_below;
mod colors;
mod drawn;
#[cfg(test)]
mod tests;

use memchr::memchr;

use blank_below::BlankTracker;
use colors::TextColors;
use drawn::{CursorMove, DrawnRows};

const BEL: u8 = 0x07;
const CAN: u8 = 0x18;
const SUB: u8 = 0x1a;
const ESC: u8 = 0x1b;

/// Bytes of a control sequence that is understood, and of a string that may be a marker.
const MAX_SEQUENCE: usize = 64;
const MAX_MARK: usize = 160;
/// Characters of a line; a longer one is not a typed line.
const MAX_LINE: usize = 2000;
/// What readline writes in place of the prompt while it searches, counts or asks; with an empty prompt nothing else tells.
const QUESTIONS: [&str; 5] = ["(reverse-i-search)", "(i-search)", "(failed ", "(arg: ", "(bck-i-search)"];

/// Erases ghost text: right of the cursor there was nothing before it was drawn. The second is for a terminal that has been resized, which
/// may have moved a part of it to the next row.
pub const ERASE: &[u8] = b"\x1b[K";
pub const ERASE_WRAPPED: &[u8] = b"\x1b[J";

/// Sees everything that a shell writes, in slices of any size.
pub struct Prompt {
    /// The secret of the markers that are trusted.
    mark: String,
    columns: usize,
    rows: usize,
    state: State,
    /// The sequence being read, or the first bytes of a character.
    held: Vec<u8>,
    pen: TextColors,
    /// The pen saved with the cursor position.
    saved: TextColors,
    blank: BlankTracker,
    /// What was drawn since the prompt began.
    page: Option<DrawnRows>,
    session: String,
    /// Whether anything was written.
    begun: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Ground,
    Letter,
    Escape,
    /// After `ESC [`.
    Control,
    /// In an operating system command.
    Command,
    /// In another string that shows nothing, or an image.
    Other,
    /// In one of the two, after an ESC.
    Ending,
}

/// A line with the cursor after its last character.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypedLine {
    pub text: String,
    /// The session of the shell, from its marker.
    pub session: String,
    /// Columns right of the cursor that can be drawn on; the last of a row cannot.
    pub room: usize,
    /// Restores the shell's colours.
    restore: String,
}

/// Marks text that goes on beyond the right edge. In ASCII: terminals disagree about the width of an ellipsis.
const CUT: &str = "...";

impl TypedLine {
    /// The sequence that draws `text` as ghost text after the line, as far as it fits, and leaves the cursor in place. `None` where
    /// nothing of it fits or terminals disagree about widths.
    pub fn drawn(&self, text: &str, style: &str) -> Option<String> {
        let shown = self.shown(text)?;
        let mark = if shown.len() < text.len() { CUT } else { "" };
        Some(format!("\x1b[0;{style}m{shown}{mark}{}\x1b[{}D", self.restore, shown.len() + mark.len()))
    }

    /// The part of `text` that `drawn` shows; a key takes no more than that.
    pub fn shown<'a>(&self, text: &'a str) -> Option<&'a str> {
        if !text.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic()) {
            return None;
        }
        let room = if text.len() > self.room { self.room.saturating_sub(CUT.len()) } else { text.len() };
        let shown = &text[..room];
        (!shown.trim().is_empty()).then_some(shown)
    }
}

impl Prompt {
    pub fn new(mark: &str, columns: u16, rows: u16) -> Self {
        let (columns, rows) = (usize::from(columns), usize::from(rows));
        Self {
            mark: mark.to_owned(),
            columns,
            rows,
            state: State::Ground,
            held: Vec::new(),
            pen: TextColors::default(),
            saved: TextColors::default(),
            // Assumes, as readline does, that the terminal of a starting shell is empty below the cursor.
            blank: BlankTracker::new(rows),
            page: None,
            session: String::new(),
            begun: false,
        }
    }

    /// A terminal keeps the row of the cursor, and what is blank below it.
    pub fn resize(&mut self, columns: u16, rows: u16) {
        let (columns, rows) = (usize::from(columns), usize::from(rows));
        if (self.columns, self.rows) == (columns, rows) {
            return;
        }
        (self.columns, self.rows) = (columns, rows);
        let is_last = self.page.take().map_or_else(|| self.blank.is_last(), |page| page.is_last());
        self.blank = match (self.begun, is_last) {
            (false, _) => BlankTracker::new(rows),
            (true, true) => BlankTracker::behind_text(rows),
            (true, false) => BlankTracker::unknown(rows),
        };
    }

    pub fn see(&mut self, bytes: &[u8]) {
        self.begun |= !bytes.is_empty();
        let mut rest = bytes;
        while let Some((byte, behind)) = rest.split_first() {
            rest = match self.state {
                State::Ground if *byte == ESC => {
                    self.begin(State::Escape);
                    behind
                }
                State::Ground => {
                    let (plain, behind) = rest.split_at(memchr(ESC, rest).unwrap_or(rest.len()));
                    self.plain(plain);
                    behind
                }
                State::Letter => self.letter(rest),
                State::Escape => {
                    self.escape(*byte);
                    behind
                }
                State::Control => {
                    self.control(*byte);
                    behind
                }
                State::Command | State::Other => {
                    self.string(*byte);
                    behind
                }
                State::Ending => {
                    self.ending(*byte);
                    behind
                }
            };
        }
    }

    /// The line, where it is certain.
    pub fn line(&self) -> Option<TypedLine> {
        let page = self.page.as_ref().filter(|_| self.state == State::Ground)?;
        let (text, room) = page.line()?;
        let is_question = QUESTIONS.iter().any(|question| text.starts_with(question));
        let restore = self.pen.restore().filter(|_| !is_question && text.len() <= MAX_LINE)?;
        Some(TypedLine { text, session: self.session.clone(), room, restore })
    }

    fn begin(&mut self, state: State) {
        self.held.clear();
        self.state = state;
    }

    fn lose(&mut self) {
        if self.page.take().is_some() {
            self.blank.lose();
        }
    }

    /// Text without escapes.
    fn plain(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while let Some((first, behind)) = rest.split_first() {
            if self.page.is_none() {
                self.blank.plain(rest);
                if self.pen.paints() && memchr(b'\n', rest).is_some() {
                    self.blank.lose();
                }
                return;
            }
            if first.is_ascii() {
                self.write(char::from(*first));
                rest = behind;
            } else {
                self.begin(State::Letter);
                rest = self.letter(rest);
            }
        }
    }

    fn write(&mut self, letter: char) {
        let Some(page) = &mut self.page else { return };
        // A new row at the bottom of the screen is painted with the background.
        let moved = if self.pen.paints() && page.begins_row(letter) { CursorMove::Lost } else { page.write(letter) };
        self.heed(moved);
    }

    /// A character of several bytes, some of which may still have to come.
    fn letter<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        for (at, byte) in bytes.iter().enumerate() {
            self.held.push(*byte);
            match str::from_utf8(&self.held) {
                Ok(text) => {
                    let letter = text.chars().next();
                    self.begin(State::Ground);
                    if let Some(letter) = letter {
                        self.write(letter);
                    }
                    return &bytes[at + 1..];
                }
                Err(error) if error.error_len().is_some() => {
                    self.begin(State::Ground);
                    self.lose();
                    // It may begin another sequence.
                    return if *byte == ESC { &bytes[at..] } else { &bytes[at + 1..] };
                }
                Err(_) => {}
            }
        }
        &[]
    }

    fn heed(&mut self, moved: CursorMove) {
        match moved {
            CursorMove::Within => {}
            CursorMove::Lost => self.lose(),
            CursorMove::Below { column } => {
                self.page = None;
                self.blank.begin_row(column == 0);
            }
        }
    }

    fn escape(&mut self, byte: u8) {
        self.held.push(byte);
        match self.held.as_slice() {
            [b'['] => self.begin(State::Control),
            [b']'] => self.begin(State::Command),
            [b'P' | b'X' | b'^' | b'_' | b'k'] => {
                self.lose();
                self.begin(State::Other);
            }
            [ESC] => self.begin(State::Escape),
            // Character sets and the like: one more byte.
            [b' '..=b'/'] => {}
            [b'(', b'B'] | [b'=' | b'>'] => self.begin(State::Ground),
            [b'7'] => {
                self.saved = self.pen.clone();
                if let Some(page) = &mut self.page {
                    page.save();
                }
                self.begin(State::Ground);
            }
            [b'8'] => {
                self.restore_cursor();
                self.begin(State::Ground);
            }
            [b'c'] => {
                self.page = None;
                (self.pen, self.saved) = (TextColors::default(), TextColors::default());
                self.blank = BlankTracker::new(self.rows);
                self.begin(State::Ground);
            }
            _ => {
                self.lose();
                self.blank.lose();
                self.begin(State::Ground);
            }
        }
    }

    fn restore_cursor(&mut self) {
        self.pen = self.saved.clone();
        let moved = self.page.as_mut().map(DrawnRows::restore);
        match moved {
            Some(moved) => self.heed(moved),
            None => self.blank.lose(),
        }
    }

    fn control(&mut self, byte: u8) {
        match byte {
            b' '..=b'?' if self.held.len() < MAX_SEQUENCE => self.held.push(byte),
            b'@'..=b'~' => {
                let held = std::mem::take(&mut self.held);
                let (kind, numbers) = parameters(&held);
                self.command(kind, &numbers, byte, &held);
                self.begin(State::Ground);
            }
            ESC => {
                self.lose();
                self.begin(State::Escape);
            }
            // Too long, or with bytes that terminals treat differently.
            _ => {
                self.lose();
                self.blank.lose();
                self.begin(State::Ground);
            }
        }
    }

    /// Interprets a control sequence: its prefix if it has one, its numbers, its final byte.
    fn command(&mut self, kind: u8, numbers: &[usize], action: u8, text: &[u8]) {
        match (kind, action) {
            (0, b'm') => return self.pen.select(text),
            (b'?', b'h') if numbers.contains(&1049) => self.saved = self.pen.clone(),
            (b'?', b'l') if numbers.contains(&1049) => self.pen = self.saved.clone(),
            (0, b's') if text.is_empty() => {
                self.saved = self.pen.clone();
                if let Some(page) = &mut self.page {
                    page.save();
                }
                return;
            }
            (0, b'u') if text.is_empty() => return self.restore_cursor(),
            _ => {}
        }
        if let Some(page) = &mut self.page {
            let paints = self.pen.paints() && !matches!(action, b'A'..=b'G' | b'h' | b'l');
            let moved = if paints { CursorMove::Lost } else { page.command(kind, numbers, action) };
            let is_known = moved != CursorMove::Lost;
            self.heed(moved);
            if is_known {
                return;
            }
        }
        self.blank.command(kind, numbers, action);
        match action {
            b'K' | b'P' | b'X' | b'@' if self.pen.paints() => self.blank.paint(),
            b'J' if self.pen.paints() => self.blank.lose(),
            _ => {}
        }
    }

    fn string(&mut self, byte: u8) {
        match byte {
            BEL if self.state == State::Command => self.commanded(),
            CAN | SUB => self.begin(State::Ground),
            // Keeps one byte more than a marker can have, to recognise longer strings.
            ESC if self.state == State::Command => self.state = State::Ending,
            ESC => self.begin(State::Ending),
            _ if self.held.len() <= MAX_MARK => self.held.push(byte),
            _ => {}
        }
    }

    fn ending(&mut self, byte: u8) {
        if byte == b'\\' {
            return self.commanded();
        }
        self.begin(State::Escape);
        self.escape(byte);
    }

    /// Handles a complete operating system command.
    fn commanded(&mut self) {
        let held = std::mem::take(&mut self.held);
        self.begin(State::Ground);
        // An image moves the cursor.
        if held.starts_with(b"1337;") {
            return self.lose();
        }
        let Some((kind, session)) = (held.len() <= MAX_MARK).then(|| self.read_mark(&held)).flatten() else { return };
        match kind {
            b'A' => {
                self.session = session;
                match &mut self.page {
                    Some(page) => page.begin_prompt(),
                    None if self.blank.is_empty() && self.columns > 0 => {
                        self.page = Some(DrawnRows::new(self.columns, self.rows))
                    }
                    None => {}
                }
            }
            _ => {
                if let Some(page) = &mut self.page {
                    page.end_prompt();
                }
            }
        }
    }

    /// `7133;A;aside=MARK.SESSION` where a prompt begins, the same with `B` where it ends.
    fn read_mark(&self, text: &[u8]) -> Option<(u8, String)> {
        let text = str::from_utf8(text).ok()?.strip_prefix("7133;")?;
        let (kind, ours) = text.split_once(";aside=")?;
        let (mark, session) = ours.split_once('.')?;
        let kind = match kind {
            "A" => b'A',
            "B" => b'B',
            _ => return None,
        };
        (!self.mark.is_empty() && mark == self.mark).then(|| (kind, session.to_owned()))
    }
}

/// The prefix of a control sequence if it has one, and its numbers; 0 for an omitted one.
fn parameters(text: &[u8]) -> (u8, Vec<usize>) {
    let (kind, text) = match text {
        [kind @ b'<'..=b'?', rest @ ..] => (*kind, rest),
        // An intermediate byte makes it another sequence.
        text if text.iter().any(|byte| matches!(byte, b' '..=b'/')) => (b' ', text),
        text => (0, text),
    };
    let number = |digits: &[u8]| str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok()).unwrap_or(0);
    (kind, text.split(|byte| *byte == b';').map(number).collect())
}
