//! The scanner state. Reads from left to right, never back, in linear time, and remembers what the text ends in: that is how the word at a
//! cursor is found.

use crate::{Command, CursorRole, Dialect, Join, Quote, Unclosed, Word, fish};

/// Maximum nesting of substitutions. Reads deeper ones as text: no user types them, and each level costs stack.
pub(super) const MAX_DEPTH: usize = 48;

/// Budget for look-ahead, as a multiple of the text, to tell `((1 + 2))` from `((ls); ls)`.
const LOOK_AHEAD: usize = 4;

pub(super) struct Read {
    pub commands: Vec<Command>,
    pub open: Option<Unclosed>,
    pub last: Option<Last>,
}

/// What the text ends in.
pub(super) struct Last {
    /// Index in `Read::commands`.
    pub command: Option<usize>,
    pub role: CursorRole,
    pub start: usize,
    pub typed: String,
    pub fixed: bool,
    pub quote: Quote,
}

/// Reads up to `stop`, which must be at a character boundary.
pub(super) fn read(text: &str, stop: usize, dialect: Dialect) -> Read {
    let mut scan = start(text, stop, dialect);
    scan.list(Closer::End);
    Read { commands: scan.commands, open: scan.open, last: scan.last }
}

/// The initial state.
pub(super) fn start(text: &str, stop: usize, dialect: Dialect) -> Scan<'_> {
    Scan {
        text,
        bytes: text.as_bytes(),
        dialect,
        at: 0,
        end: stop,
        stop,
        depth: 0,
        braces: 0,
        backquoted: false,
        look_ahead: text.len() * LOOK_AHEAD,
        commands: Vec::new(),
        inside: None,
        owner: None,
        documents: Vec::new(),
        open: None,
        last: None,
        unclosed: Quote::None,
    }
}

pub(super) struct Scan<'a> {
    pub text: &'a str,
    pub bytes: &'a [u8],
    pub dialect: Dialect,
    pub at: usize,
    /// Reading stops here: the end of backquotes or of a here-document, else `stop`.
    pub end: usize,
    pub stop: usize,
    pub depth: usize,
    /// Number of open `{` around the current command, in this substitution.
    pub braces: usize,
    /// In backquotes, where an escaped backquote begins a nested pair.
    pub backquoted: bool,
    /// Remaining look-ahead budget, in bytes.
    pub look_ahead: usize,
    pub commands: Vec<Command>,
    /// `Command::inside` for new commands.
    pub inside: Option<usize>,
    /// The current command.
    pub owner: Option<usize>,
    /// Here-documents whose text begins after the next newline.
    pub documents: Vec<Document>,
    pub open: Option<Unclosed>,
    pub last: Option<Last>,
    /// The innermost quote in which the text ends.
    pub unclosed: Quote,
}

pub(super) struct Document {
    pub delimiter: String,
    /// `<<-`
    pub tabs: bool,
    /// The delimiter is not quoted.
    pub expands: bool,
    pub owner: Option<usize>,
}

/// What ends a list of commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Closer {
    End,
    /// `)`
    Paren,
    /// `}`, of `${ ls; }`
    Brace,
}

/// The state of a list of commands.
pub(super) struct Frame {
    pub closer: Closer,
    pub blocks: Vec<Block>,
    /// Number of blocks that are `Block::Paren`.
    pub parens: usize,
    /// The join of the next command.
    pub join: Join,
    pub position: Position,
    /// An operator has no right-hand side yet.
    pub dangling: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Position {
    /// A command may begin.
    Start,
    /// In a simple command, which is `Scan::owner`.
    Words,
    /// After `)`, `}`, `fi`, …
    Done,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Block {
    /// After `if` or `elif`.
    If,
    /// After `then` or `else`.
    Then,
    /// zsh's `if [[ … ]] {`, under its `Brace`.
    IfBrace,
    /// After `while` or `until`.
    While,
    Do,
    Case,
    Brace,
    Paren,
    /// The next command is the body of a loop or a function.
    Body,
    /// zsh's `() {`, under its `Brace`: its arguments follow.
    Anonymous,
    /// zsh's `foreach`, fish's blocks: up to `end`.
    End,
}

impl Scan<'_> {
    pub(super) fn peek(&self) -> Option<u8> {
        self.ahead(0)
    }

    pub(super) fn ahead(&self, offset: usize) -> Option<u8> {
        let at = self.at + offset;
        if at < self.end { self.bytes.get(at).copied() } else { None }
    }

    pub(super) fn starts_with(&self, what: &str) -> bool {
        self.bytes.get(self.at..self.end).is_some_and(|rest| rest.starts_with(what.as_bytes()))
    }

    /// Whether the text ends here, as opposed to backquotes or a here-document.
    pub(super) fn at_stop(&self) -> bool {
        self.at >= self.end && self.end == self.stop
    }

    /// The first caller wins, which is the innermost construct.
    pub(super) fn unfinished(&mut self, why: Unclosed) {
        if self.at_stop() && self.open.is_none() {
            self.open = Some(why);
        }
    }

    pub(super) fn unclosed(&mut self, quote: Quote) {
        if self.at_stop() && self.unclosed == Quote::None {
            self.unclosed = quote;
        }
        self.unfinished(Unclosed::Quote);
    }

    /// Records what the text ends in, if this is the end and no inner construct has recorded it.
    pub(super) fn mark(&mut self, role: CursorRole, start: usize, typed: &str, fixed: bool) {
        if self.at_stop() && self.last.is_none() {
            let (command, quote) = (self.owner, self.unclosed);
            self.last = Some(Last { command, role, start, typed: typed.to_owned(), fixed, quote });
        }
    }

    pub(super) fn mark_word(&mut self, role: CursorRole, word: &Word) {
        if self.at_stop() {
            self.mark(role, word.span.start, &word.value, word.fixed);
        }
    }

    pub(super) fn mark_none(&mut self, role: CursorRole) {
        self.mark(role, self.at, "", true);
    }

    /// Skips blanks, and newlines after a backslash.
    pub(super) fn skip_blanks(&mut self) {
        loop {
            match self.peek() {
                Some(b' ' | b'\t') => self.at += 1,
                Some(b'\\') if self.ahead(1) == Some(b'\n') => self.at += 2,
                Some(b'\\') if self.ahead(1).is_none() && self.at_stop_after(1) => {
                    self.at += 1;
                    self.unfinished(Unclosed::Backslash);
                    self.mark_none(CursorRole::Other);
                }
                _ => return,
            }
        }
    }

    fn at_stop_after(&self, count: usize) -> bool {
        self.at + count >= self.end && self.end == self.stop
    }

    pub(super) fn skip_comment(&mut self) {
        while self.peek().is_some_and(|byte| byte != b'\n') {
            self.at += 1;
        }
        self.mark_none(CursorRole::Other);
    }

    /// Reads commands up to and including their closer.
    pub(super) fn list(&mut self, closer: Closer) {
        let mut frame = Frame {
            closer,
            blocks: Vec::new(),
            parens: 0,
            join: Join::First,
            position: Position::Start,
            dangling: false,
        };
        if self.dialect == Dialect::Fish {
            fish::list(self, &mut frame);
        } else {
            self.commands(&mut frame);
        }
    }

    /// Reads the commands of a substitution, after its opening.
    pub(super) fn substitution(&mut self, closer: Closer) {
        let brackets = if closer == Closer::Brace { (b'{', b'}') } else { (b'(', b')') };
        self.deeper(brackets, |scan| {
            let outer = (scan.inside, scan.owner, scan.braces);
            let documents = std::mem::take(&mut scan.documents);
            scan.inside = scan.owner.or(scan.inside);
            scan.owner = None;
            scan.braces = 0;
            scan.list(closer);
            (scan.inside, scan.owner, scan.braces) = outer;
            let inner = std::mem::replace(&mut scan.documents, documents);
            scan.documents.extend(inner);
        });
    }

    /// Reads what is in brackets, after the opening; skips it as text when nested too deeply.
    pub(super) fn deeper(&mut self, (open, close): (u8, u8), read: impl FnOnce(&mut Self)) {
        if self.depth >= MAX_DEPTH {
            return self.skip_brackets(open, close);
        }
        self.depth += 1;
        read(self);
        self.depth -= 1;
    }

    /// Skips to the bracket that closes one already read. Everything between is text.
    pub(super) fn skip_brackets(&mut self, open: u8, close: u8) {
        let mut deep = 1usize;
        while let Some(byte) = self.peek() {
            self.at += 1;
            if byte == open {
                deep += 1;
            } else if byte == close {
                deep -= 1;
                if deep == 0 {
                    return;
                }
            }
        }
        self.unfinished(Unclosed::Bracket);
        self.mark_none(CursorRole::Other);
    }
}

pub(super) fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

pub(super) fn is_end_of_word(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')')
}
