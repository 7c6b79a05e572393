//! Parses simple commands and what joins them, in zsh and bash: operators, parentheses, assignments.

use crate::scan::{Block, Closer, Frame, Position, Scan, is_end_of_word, is_name};
use crate::word::{Build, Place};
use crate::{Assignment, Command, CursorRole, Dialect, Join, Unclosed, Word, fish};

/// Maximum distance of the `]` of `name[…]=` from its `[`.
const LONGEST_SUBSCRIPT: usize = 256;

impl Scan<'_> {
    pub(super) fn commands(&mut self, frame: &mut Frame) {
        loop {
            self.skip_blanks();
            let Some(byte) = self.peek() else {
                return self.finish(frame);
            };
            match byte {
                // zsh reads comments at a prompt only with an option, but a user who types one has set it; and an apostrophe in one must
                // not open a quote.
                b'#' => self.skip_comment(),
                b'\n' => {
                    self.end_command(frame);
                    self.new_line();
                }
                b';' => {
                    self.at += 1;
                    self.end_command(frame);
                    frame.dangling = false;
                    frame.join = Join::Next;
                    self.case_ends(frame);
                }
                b'&' if self.ahead(1) == Some(b'>') => self.redirect(frame),
                b'&' | b'|' => self.operator(frame),
                b'(' => self.paren(frame),
                b')' => {
                    self.at += 1;
                    if frame.parens > 0 {
                        self.close(frame, Block::Paren);
                    } else if frame.closer == Closer::Paren {
                        self.owner = None;
                        return;
                    } else {
                        self.end_command(frame);
                        frame.join = Join::Next;
                    }
                }
                b'}' if self.closes_brace(frame) => {
                    self.mark(CursorRole::Other, self.at, "", true);
                    self.at += 1;
                    if self.braces == 0 {
                        self.owner = None;
                        return;
                    }
                    self.close(frame, Block::Brace);
                    self.mark_none(CursorRole::Other);
                }
                b'<' | b'>' if !self.is_word_after_angle() => self.redirect(frame),
                b'0'..=b'9' | b'{' if self.has_descriptor() => self.redirect(frame),
                _ if frame.position != Position::Words && self.reserved(frame) => {}
                _ => self.simple(frame),
            }
        }
    }

    pub(super) fn finish(&mut self, frame: &Frame) {
        let role = match frame.position {
            Position::Start => CursorRole::Name,
            Position::Words => self.next_role(),
            Position::Done => CursorRole::Other,
        };
        self.mark_none(role);
        self.unfinished_list(frame);
        self.owner = None;
    }

    pub(super) fn unfinished_list(&mut self, frame: &Frame) {
        if frame.dangling {
            self.unfinished(Unclosed::Operator);
        }
        if !self.documents.is_empty() {
            self.unfinished(Unclosed::HereDocument);
        }
        match frame.blocks.last() {
            Some(Block::Paren | Block::Brace) => self.unfinished(Unclosed::Bracket),
            Some(_) => self.unfinished(Unclosed::Compound),
            None if frame.closer != Closer::End => self.unfinished(Unclosed::Bracket),
            None => {}
        }
    }

    /// The role of the next word of the current command.
    pub(super) fn next_role(&self) -> CursorRole {
        match self.owner.and_then(|owner| self.commands.get(owner)).map(|command| command.words.len()) {
            None | Some(0) => CursorRole::Name,
            Some(count) => CursorRole::Argument(count),
        }
    }

    /// The current command; begins one here if there is none.
    pub(super) fn command(&mut self, frame: &mut Frame) -> Option<&mut Command> {
        let index = match self.owner {
            Some(owner) => owner,
            None => {
                let command = Command {
                    span: self.at..self.at,
                    join: frame.join,
                    inside: self.inside,
                    assignments: Vec::new(),
                    words: Vec::new(),
                    redirections: Vec::new(),
                };
                self.commands.push(command);
                self.commands.len() - 1
            }
        };
        self.owner = Some(index);
        frame.dangling = false;
        self.commands.get_mut(index)
    }

    pub(super) fn end_command(&mut self, frame: &mut Frame) {
        if frame.position != Position::Start && !frame.dangling {
            frame.join = Join::Next;
        }
        self.owner = None;
        frame.position = Position::Start;
    }

    /// Records that a command begins. In zsh it can be the whole body of a loop.
    pub(super) fn enter(&mut self, frame: &mut Frame) {
        let short = self.dialect == Dialect::Zsh && frame.position == Position::Done;
        match frame.blocks.last() {
            Some(Block::Body) => drop(frame.blocks.pop()),
            Some(Block::If | Block::While) if short => drop(frame.blocks.pop()),
            _ => {}
        }
        if frame.position == Position::Done {
            self.end_command(frame);
        }
        frame.dangling = false;
    }

    pub(super) fn operator(&mut self, frame: &mut Frame) {
        let zsh = self.dialect == Dialect::Zsh;
        let (length, join) = match (self.peek(), self.ahead(1)) {
            (Some(b'&'), Some(b'&')) => (2, Join::And),
            (Some(b'&'), Some(b'!' | b'|')) if zsh => (2, Join::Next),
            (Some(b'&'), _) => (1, Join::Next),
            (_, Some(b'|')) => (2, Join::Or),
            (_, Some(b'&')) => (2, Join::Pipe),
            _ => (1, Join::Pipe),
        };
        self.at += length;
        self.end_command(frame);
        frame.join = join;
        frame.dangling = join != Join::Next;
    }

    pub(super) fn paren(&mut self, frame: &mut Frame) {
        let empty = self.empty_parens();
        if frame.position == Position::Words {
            let names = self.owner.and_then(|owner| self.commands.get(owner)).is_some_and(|command| {
                command.assignments.is_empty() && command.redirections.is_empty() && !command.words.is_empty()
            });
            if let Some(length) = empty.filter(|_| names) {
                // What was taken for a command is the name of a function.
                if self.owner.is_some_and(|owner| owner + 1 == self.commands.len()) {
                    self.commands.pop();
                }
                self.at += length;
                self.owner = None;
                frame.position = Position::Start;
                frame.blocks.push(Block::Body);
                return;
            }
            if self.dialect == Dialect::Zsh {
                return self.simple(frame);
            }
        }
        if frame.position == Position::Words {
            self.end_command(frame);
        }
        if let Some(length) = empty {
            self.enter(frame);
            self.at += length;
            frame.blocks.extend([Block::Anonymous, Block::Body]);
        } else if self.ahead(1) == Some(b'(') && self.is_arithmetic() {
            self.enter(frame);
            self.at += 2;
            self.arithmetic();
            frame.position = Position::Done;
        } else {
            self.enter(frame);
            self.at += 1;
            frame.blocks.push(Block::Paren);
            frame.parens += 1;
            frame.position = Position::Start;
        }
    }

    /// Length of `()` here.
    pub(super) fn empty_parens(&self) -> Option<usize> {
        let rest = self.bytes.get(self.at + 1..self.end)?;
        let blanks = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        (rest.get(blanks) == Some(&b')')).then_some(blanks + 2)
    }

    /// Whether the `((` here ends with `))`. Looks past the cursor, so that a line means the same wherever that is.
    pub(super) fn is_arithmetic(&mut self) -> bool {
        let limit = if self.end == self.stop { self.bytes.len() } else { self.end };
        let mut deep = 0usize;
        let mut at = self.at + 2;
        while at < limit {
            if self.look_ahead == 0 {
                return true;
            }
            self.look_ahead -= 1;
            match self.bytes.get(at) {
                Some(b'(') => deep += 1,
                Some(b')') if deep == 0 => return self.bytes.get(at + 1) == Some(&b')') && at + 1 < limit,
                Some(b')') => deep -= 1,
                Some(b'\\') => at += 1,
                _ => {}
            }
            at += 1;
        }
        true
    }

    pub(super) fn closes_brace(&self, frame: &Frame) -> bool {
        let whole = self.ahead(1).is_none_or(is_end_of_word) || self.dialect == Dialect::Zsh;
        let place = frame.position != Position::Words || self.dialect == Dialect::Zsh;
        whole && place && (self.braces > 0 || frame.closer == Closer::Brace)
    }

    /// Closes the innermost block of this kind, and every block left open in it.
    pub(super) fn close(&mut self, frame: &mut Frame, block: Block) {
        while let Some(closed) = frame.blocks.pop() {
            match closed {
                Block::Paren => frame.parens -= 1,
                Block::Brace => self.braces = self.braces.saturating_sub(1),
                _ => {}
            }
            if closed == block {
                break;
            }
        }
        if block == Block::Brace && frame.blocks.last() == Some(&Block::IfBrace) && !self.goes_on() {
            frame.blocks.pop();
        }
        self.done(frame);
        if block == Block::Brace && frame.blocks.last() == Some(&Block::Anonymous) {
            frame.blocks.pop();
            self.words_up_to(b'\n', None);
        }
    }

    pub(super) fn done(&mut self, frame: &mut Frame) {
        self.end_command(frame);
        frame.join = Join::Next;
        frame.position = Position::Done;
    }

    /// Reads the words of a loop, or the elements of an array, up to and including `)`, or to the end of the line.
    pub(super) fn words_up_to(&mut self, close: u8, array: Option<&str>) {
        let mut count = 0;
        let role = |count| array.map_or(CursorRole::Argument(count), |name| CursorRole::Value(name.to_owned()));
        loop {
            self.skip_blanks();
            let Some(byte) = self.peek() else {
                self.mark_none(role(count + 1));
                if close == b')' {
                    self.unfinished(Unclosed::Bracket);
                }
                return;
            };
            match byte {
                b')' if close == b')' => {
                    self.at += 1;
                    return;
                }
                b'\n' if close == b')' => self.new_line(),
                b'#' => self.skip_comment(),
                b'\n' | b';' | b'&' | b'|' | b')' if close != b')' => return,
                _ => {
                    let before = self.at;
                    let word = self.word(Place::Array);
                    count += 1;
                    if self.at_stop() {
                        self.mark_word(role(count), &word);
                    }
                    if self.at == before {
                        self.at += 1;
                    }
                }
            }
        }
    }

    pub(super) fn push_word(&mut self, word: Word) {
        if let Some(command) = self.owner.and_then(|owner| self.commands.get_mut(owner)) {
            command.span.end = word.span.end.max(command.span.end);
            command.words.push(word);
        }
    }

    /// Reads the next word of a simple command, or an assignment before its name.
    pub(super) fn simple(&mut self, frame: &mut Frame) {
        if frame.position != Position::Words {
            self.enter(frame);
        }
        let name = self.assigned().filter(|_| self.next_role() == CursorRole::Name);
        self.command(frame);
        frame.position = Position::Words;
        if let Some(name) = name {
            return self.assignment(name);
        }
        let role = self.next_role();
        let word = self.word(Place::Plain);
        if word.span.is_empty() {
            // No word can begin here; skips the byte so that the scan always advances.
            self.at += 1;
            return;
        }
        self.mark_word(role, &word);
        self.push_word(word);
    }

    /// Length of `name` in `name=`, `name+=`, `name[…]=` here, and where its value begins.
    pub(super) fn assigned(&self) -> Option<(usize, usize)> {
        let rest = self.bytes.get(self.at..self.end)?;
        let name = rest.iter().take_while(|byte| is_name(**byte)).count();
        if name == 0 || rest.first().is_some_and(u8::is_ascii_digit) {
            return None;
        }
        let mut at = name;
        if rest.get(at) == Some(&b'[') {
            at += subscript(rest.get(at..)?)?;
        }
        if rest.get(at) == Some(&b'+') {
            at += 1;
        }
        (rest.get(at) == Some(&b'=')).then_some((name, at + 1))
    }

    pub(super) fn assignment(&mut self, (name, value): (usize, usize)) {
        let start = self.at;
        self.at += name;
        let name = self.text.get(start..self.at).unwrap_or_default().to_owned();
        // A subscript may contain commands.
        let mut subscript = Build::new();
        while self.at < start + value {
            match self.peek() {
                Some(byte @ (b'$' | b'`')) => self.special(&mut subscript, byte),
                _ => self.at += 1,
            }
        }
        let value = if self.peek() == Some(b'(') && self.dialect != Dialect::Fish {
            let from = self.at;
            self.at += 1;
            self.deeper((b'(', b')'), |scan| scan.words_up_to(b')', Some(&name)));
            let value = self.text.get(from..self.at).unwrap_or_default().to_owned();
            Word { span: from..self.at, value, fixed: false }
        } else if self.dialect == Dialect::Fish {
            fish::word(self)
        } else {
            self.word(Place::Value)
        };
        if self.at_stop() && self.last.is_none() {
            self.mark_word(CursorRole::Value(name.clone()), &value);
        }
        if let Some(command) = self.owner.and_then(|owner| self.commands.get_mut(owner)) {
            command.span.end = self.at;
            command.assignments.push(Assignment { span: start..self.at, name, value });
        }
    }
}

/// Length of `[…]` here; skips nested quotes and brackets.
fn subscript(rest: &[u8]) -> Option<usize> {
    let mut deep = 0usize;
    let mut quote = None;
    let mut at = 0;
    while at < LONGEST_SUBSCRIPT {
        match (*rest.get(at)?, quote) {
            (b'\n', _) => return None,
            (b'\\', _) => at += 1,
            (byte, Some(open)) if byte == open => quote = None,
            (_, Some(_)) => {}
            (byte @ (b'\'' | b'"'), None) => quote = Some(byte),
            (b'[', None) => deep += 1,
            (b']', None) if deep == 1 => return Some(at + 1),
            (b']', None) => deep -= 1,
            _ => {}
        }
        at += 1;
    }
    None
}
