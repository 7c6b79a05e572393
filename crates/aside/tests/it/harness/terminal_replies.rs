//! Escape sequences that a terminal handles apart from drawing: replies about identity and cursor, bells, the shells' own marks.

/// What a terminal sends back by itself: fish, for example, waits for it.
#[derive(Default)]
pub struct TerminalReplies {
    pub unsent: Vec<u8>,
    pub marks: usize,
    pub bells_since_mark: usize,
    /// The marks around commands, as `133;C;aside=…`, each with the row and column where it arrived.
    pub commands: Vec<(String, (u16, u16))>,
}

impl vt100::Callbacks for TerminalReplies {
    fn audible_bell(&mut self, _: &mut vt100::Screen) {
        self.bells_since_mark += 1;
    }

    fn unhandled_csi(&mut self, screen: &mut vt100::Screen, i1: Option<u8>, _: Option<u8>, params: &[&[u16]], c: char) {
        let parameter = params.first().and_then(|values| values.first()).copied().unwrap_or(0);
        match (i1, parameter, c) {
            (None, 0, 'c') => self.unsent.extend_from_slice(b"\x1b[?62;22c"),
            (None, 5, 'n') => self.unsent.extend_from_slice(b"\x1b[0n"),
            (None, 6, 'n') => {
                let (row, column) = screen.cursor_position();
                let column = column.min(screen.size().1.get() - 1);
                self.unsent.extend_from_slice(format!("\x1b[{};{}R", row + 1, column + 1).as_bytes());
            }
            _ => {}
        }
    }

    fn unhandled_osc(&mut self, screen: &mut vt100::Screen, params: &[&[u8]]) {
        if params.first() == Some(&b"7777".as_slice()) {
            self.marks += 1;
            self.bells_since_mark = 0;
        }
        if params.first().is_some_and(|number| [b"133".as_slice(), b"7133"].contains(number)) {
            let text = String::from_utf8_lossy(&params.join(&b';')).into_owned();
            self.commands.push((text, screen.cursor_position()));
        }
    }
}
