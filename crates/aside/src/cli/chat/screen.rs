//! Takes over the terminal and restores it, also when the program is stopped, killed by a signal, or panics. Paints with sequences that
//! every terminal since the VT100 understands, queries nothing, and leaves the mouse alone.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::os::fd::AsFd;
use std::sync::{Mutex, PoisonError};

use anyhow::Context;
use ratatui_core::backend::{Backend, ClearType, WindowSize};
use ratatui_core::buffer::Cell;
use ratatui_core::layout::{Position, Size};
use ratatui_core::style::{Color, Modifier};
use rustix::termios::{self, OptionalActions, Termios};

use crate::cli::Paint;

/// Alternate screen, bracketed paste, all attributes off.
const TAKE: &str = "\x1b[?1049h\x1b[?2004h\x1b[0m\x1b[2J";
const GIVE_BACK: &str = "\x1b[0m\x1b[?2004l\x1b[?25h\x1b[?1049l";
/// Synchronized output: terminals that know it show a frame when it is complete; others ignore it.
const PICTURE: &str = "\x1b[?2026h";
const PICTURED: &str = "\x1b[?2026l";
/// For a terminal without a size.
const USUAL: (u16, u16) = (80, 24);

/// The saved modes while the terminal is ours. A static and not a field of `Screen`, so that a panic hook can restore them.
static BEFORE: Mutex<Option<Termios>> = Mutex::new(None);

/// The terminal, taken over. Dropping it gives it back.
pub struct Screen(());

impl Screen {
    pub fn take() -> anyhow::Result<Self> {
        let input = io::stdin();
        let before = termios::tcgetattr(&input).context("could not ask the terminal how it is")?;
        let mut raw = before.clone();
        raw.make_raw();
        *before_lock() = Some(before);
        termios::tcsetattr(&input, OptionalActions::Flush, &raw).context("could not take the terminal over")?;
        let screen = Self(());
        write(TAKE).context("could not write to the terminal")?;
        Ok(screen)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        give_back();
    }
}

/// Call it before another program uses the terminal, and before exit. Calling it twice does no harm. The terminal may be gone.
pub fn give_back() {
    if let Some(before) = before_lock().take() {
        let _ = write(GIVE_BACK);
        let _ = termios::tcsetattr(io::stdin(), OptionalActions::Drain, &before);
    }
}

/// Restores the terminal before a panic message is printed, so that the message stays visible.
pub fn give_back_on_panic() {
    let tell = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        give_back();
        tell(info);
    }));
}

/// Columns and rows.
pub fn size() -> (u16, u16) {
    match termios::tcgetwinsize(io::stdout().as_fd()) {
        Ok(size) if size.ws_col > 0 && size.ws_row > 0 => (size.ws_col, size.ws_row),
        _ => USUAL,
    }
}

fn before_lock() -> std::sync::MutexGuard<'static, Option<Termios>> {
    BEFORE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn write(text: &str) -> io::Result<()> {
    let mut output = io::stdout().lock();
    output.write_all(text.as_bytes())?;
    output.flush()
}

/// Turns cells into bytes, a frame at a time.
pub struct Canvas {
    paint: Paint,
    picture: String,
}

impl Canvas {
    pub fn new(paint: Paint) -> Self {
        Self { paint, picture: String::new() }
    }

    fn look(&mut self, cell: &Cell) {
        self.picture.push_str("\x1b[0");
        let modifiers = [
            (Modifier::BOLD, ";1"),
            (Modifier::DIM, ";2"),
            (Modifier::ITALIC, ";3"),
            (Modifier::UNDERLINED, ";4"),
            (Modifier::REVERSED, ";7"),
        ];
        for (modifier, code) in modifiers {
            if cell.modifier.contains(modifier) {
                self.picture.push_str(code);
            }
        }
        if self.paint == Paint::Colour
            && let Some(code) = foreground(cell.fg)
        {
            let _ = write!(self.picture, ";{code}");
        }
        self.picture.push('m');
    }

    fn go_to(&mut self, x: u16, y: u16) {
        let _ = write!(self.picture, "\x1b[{};{}H", y + 1, x + 1);
    }
}

/// Only the theme's sixteen colours.
fn foreground(colour: Color) -> Option<u8> {
    Some(match colour {
        Color::Black => 30,
        Color::Red => 31,
        Color::Green => 32,
        Color::Yellow => 33,
        Color::Blue => 34,
        Color::Magenta => 35,
        Color::Cyan => 36,
        Color::Gray => 37,
        Color::DarkGray => 90,
        Color::LightRed => 91,
        Color::LightGreen => 92,
        Color::LightYellow => 93,
        Color::LightBlue => 94,
        Color::LightMagenta => 95,
        Color::LightCyan => 96,
        Color::White => 97,
        Color::Reset | Color::Rgb(..) | Color::Indexed(_) => return None,
    })
}

impl Backend for Canvas {
    type Error = io::Error;

    fn draw<'a, I>(&mut self, content: I) -> io::Result<()>
    where
        I: Iterator<Item = (u16, u16, &'a Cell)>,
    {
        let mut place = None;
        let mut look: Option<(Color, Modifier)> = None;
        for (x, y, cell) in content {
            if place != Some((x, y)) {
                self.go_to(x, y);
            }
            if look != Some((cell.fg, cell.modifier)) {
                self.look(cell);
                look = Some((cell.fg, cell.modifier));
            }
            let symbol = cell.symbol();
            // Last line of defence: no control character reaches the terminal.
            let is_harmless = !symbol.chars().any(char::is_control);
            self.picture.push_str(if is_harmless { symbol } else { " " });
            // Terminals disagree on the width of some characters: sets the cursor position anew after each non-ASCII one.
            place = symbol.is_ascii().then_some((x + 1, y));
        }
        self.picture.push_str("\x1b[0m");
        Ok(())
    }

    fn hide_cursor(&mut self) -> io::Result<()> {
        self.picture.push_str("\x1b[?25l");
        Ok(())
    }

    fn show_cursor(&mut self) -> io::Result<()> {
        self.picture.push_str("\x1b[?25h");
        Ok(())
    }

    /// Not supported: the terminal's reply would come between keys.
    fn get_cursor_position(&mut self) -> io::Result<Position> {
        Ok(Position::ORIGIN)
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> io::Result<()> {
        let Position { x, y } = position.into();
        self.go_to(x, y);
        Ok(())
    }

    fn clear(&mut self) -> io::Result<()> {
        self.picture.push_str("\x1b[0m\x1b[2J");
        Ok(())
    }

    fn clear_region(&mut self, _: ClearType) -> io::Result<()> {
        self.clear()
    }

    fn size(&self) -> io::Result<Size> {
        let (width, height) = size();
        Ok(Size { width, height })
    }

    fn window_size(&mut self) -> io::Result<WindowSize> {
        Ok(WindowSize { columns_rows: self.size()?, pixels: Size { width: 0, height: 0 } })
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.picture.is_empty() {
            return Ok(());
        }
        let picture = std::mem::take(&mut self.picture);
        write(&format!("{PICTURE}{picture}{PICTURED}"))
    }
}

#[cfg(test)]
mod tests {
    use ratatui_core::style::Style;

    use super::*;

    fn drawn(paint: Paint, symbols: &[(&str, Style)]) -> String {
        let mut canvas = Canvas::new(paint);
        let cells: Vec<Cell> = symbols
            .iter()
            .map(|(symbol, style)| {
                let mut cell = Cell::default();
                cell.set_symbol(symbol).set_style(*style);
                cell
            })
            .collect();
        canvas.draw(cells.iter().enumerate().map(|(x, cell)| (u16::try_from(x).unwrap(), 0, cell))).unwrap();
        canvas.picture
    }

    #[test]
    fn looks_are_told_where_they_change_and_colours_only_to_those_who_want_them() {
        let red = Style::new().fg(Color::Red).add_modifier(Modifier::BOLD);
        let cells = [("a", red), ("b", red), ("c", Style::new())];
        assert_eq!(drawn(Paint::Colour, &cells), "\x1b[1;1H\x1b[0;1;31mab\x1b[0mc\x1b[0m");
        assert_eq!(drawn(Paint::Plain, &cells), "\x1b[1;1H\x1b[0;1mab\x1b[0mc\x1b[0m");
    }

    #[test]
    fn behind_a_letter_of_doubtful_width_the_place_is_told_again() {
        let plain = Style::new();
        assert_eq!(drawn(Paint::Plain, &[("👍🏽", plain), ("b", plain)]), "\x1b[1;1H\x1b[0m👍🏽\x1b[1;2Hb\x1b[0m");
    }

    #[test]
    fn no_cell_commands_the_terminal() {
        assert_eq!(drawn(Paint::Plain, &[("\x1b]0;x", Style::new())]), "\x1b[1;1H\x1b[0m \x1b[0m");
    }
}
