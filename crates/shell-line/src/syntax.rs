//! Decides whether a shell would run a line, ask for more of it, or refuse it. Where the command parser is lenient, this one follows the
//! shells' own grammars; it accepts the contents of substitutions and patterns as they are.
//!
//! The costly mistake is to refuse what a shell accepts: a command would be taken for prose. So wherever a grammar is too odd to follow,
//! the result is a doubt, and a doubt is never `Broken`. Aliases and options that change the grammar are not known here.

mod bash;
mod condition;
mod fish;
mod zsh;

use crate::scan::{self, Closer, Frame, Position, Scan, is_end_of_word};
use crate::word::Place;
use crate::{Dialect, Join, Syntax, Unclosed, parse};

/// Maximum nesting of commands. Deeper ones are not judged: no user types them, and each level costs stack.
const MAX_DEPTH: usize = 40;

pub(super) fn judge(text: &str, dialect: Dialect) -> Syntax {
    let mut judge = Judge::new(text, dialect);
    let judged = match dialect {
        Dialect::Zsh => judge.zsh(),
        Dialect::Bash => judge.bash(),
        Dialect::Fish => judge.fish(),
    };
    // A shell reads the offending word to its end before it refuses.
    let judged = if judged == Err(Stop::Broken) { Err(judge.refused()) } else { judged };
    match judged {
        Ok(()) if !judge.scan.documents.is_empty() => Syntax::Open(Unclosed::HereDocument),
        Ok(()) => Syntax::Whole,
        Err(Stop::More(open)) => Syntax::Open(open),
        Err(Stop::Broken) => Syntax::Broken,
        Err(Stop::Doubt) => parse(text, dialect).open.map_or(Syntax::Whole, Syntax::Open),
    }
}

/// Why parsing ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stop {
    /// The text ended where the shell would ask for more.
    More(Unclosed),
    Broken,
    /// It may be valid.
    Doubt,
}

type Judged<T> = Result<T, Stop>;

struct Judge<'a> {
    scan: Scan<'a>,
    frame: Frame,
    depth: usize,
}

impl<'a> Judge<'a> {
    fn new(text: &'a str, dialect: Dialect) -> Self {
        let mut scan = scan::start(text, text.len(), dialect);
        // In zsh, a brace that nothing in a word opened is not part of the word, even with none open outside.
        scan.braces = usize::from(dialect == Dialect::Zsh);
        let frame = Frame {
            closer: Closer::End,
            blocks: Vec::new(),
            parens: 0,
            join: Join::First,
            position: Position::Start,
            dangling: false,
        };
        Judge { scan, frame, depth: 0 }
    }

    /// The next byte after blanks and a comment, if any.
    fn peek(&mut self) -> Judged<Option<u8>> {
        self.scan.skip_blanks();
        if self.scan.peek() == Some(b'#') {
            self.scan.skip_comment();
        }
        self.whole_so_far()?;
        Ok(self.scan.peek())
    }

    /// Fails if something already read is left open by the end of the text.
    fn whole_so_far(&self) -> Judged<()> {
        self.scan.open.map_or(Ok(()), |open| Err(Stop::More(open)))
    }

    /// The result for a line whose next word is refused.
    fn refused(&mut self) -> Stop {
        self.scan.skip_blanks();
        let from = self.scan.at;
        if self.scan.starts_with("((") {
            self.scan.at += 2;
            self.scan.arithmetic();
        } else {
            self.scan.word(Place::Plain);
        }
        let word = self.scan.text.get(from..self.scan.at).unwrap_or_default();
        match self.scan.open {
            Some(open) => Stop::More(open),
            // The shell reports an error inside the word first.
            None if word.contains(['$', '`']) && self.scan.dialect != Dialect::Fish => Stop::Doubt,
            None => Stop::Broken,
        }
    }

    /// Skips empty lines and the texts of here-documents.
    fn new_lines(&mut self) -> Judged<Option<u8>> {
        loop {
            match self.peek()? {
                Some(b'\n') => {
                    self.scan.new_line();
                    self.whole_so_far()?;
                }
                other => return Ok(other),
            }
        }
    }

    /// The word here if it is reserved, else an empty string.
    fn keyword(&self) -> &'a str {
        let mut word = self.scan.keyword();
        if self.scan.dialect == Dialect::Zsh && !word.contains('{') && word.len() > 1 {
            word = word.strip_suffix('}').unwrap_or(word);
        }
        let closes = self.scan.ahead(word.len()) == Some(b'}');
        let known = match self.scan.dialect {
            Dialect::Zsh if word.starts_with('{') => return "{",
            Dialect::Zsh if word.starts_with('}') => return if self.is_closing_brace() { "}" } else { "" },
            // A substitution belongs to the word, and in zsh a bracket too.
            Dialect::Zsh | Dialect::Bash if !closes && !self.scan.ends_word(word.len()) => false,
            Dialect::Zsh => zsh::RESERVED.contains(&word),
            Dialect::Bash => bash::RESERVED.contains(&word),
            Dialect::Fish => false,
        };
        if known { word } else { "" }
    }

    /// zsh: braces up to the end of a word.
    fn is_closing_brace(&self) -> bool {
        let rest = self.scan.bytes.get(self.scan.at..self.scan.end).unwrap_or_default();
        let run = rest.iter().take_while(|byte| **byte == b'}').count();
        run > 0 && self.scan.ends_word(run)
    }

    /// Consumes the reserved word that must stand here.
    fn closing(&mut self, keyword: &str, open: Unclosed) -> Judged<()> {
        if self.peek()?.is_none() {
            return Err(Stop::More(open));
        }
        if self.keyword() != keyword {
            return Err(Stop::Broken);
        }
        self.scan.at += keyword.len();
        Ok(())
    }

    fn closing_paren(&mut self) -> Judged<()> {
        match self.peek()? {
            None => Err(Stop::More(Unclosed::Bracket)),
            Some(b')') => {
                self.scan.at += 1;
                Ok(())
            }
            Some(_) => Err(Stop::Broken),
        }
    }

    /// Runs `read` one nesting level deeper.
    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Judged<T>) -> Judged<T> {
        if self.depth >= MAX_DEPTH {
            return Err(Stop::Doubt);
        }
        self.depth += 1;
        let judged = read(self);
        self.depth -= 1;
        judged
    }

    /// `;` that is not `;;`, `;&` or `;|`.
    fn is_semicolon(&self) -> bool {
        self.scan.peek() == Some(b';') && !matches!(self.scan.ahead(1), Some(b';' | b'&' | b'|'))
    }

    /// Consumes the end of a `case` branch.
    fn case_end(&mut self) -> bool {
        if self.scan.peek() != Some(b';') || self.is_semicolon() {
            return false;
        }
        self.scan.at += 2;
        if self.scan.dialect == Dialect::Bash && self.scan.peek() == Some(b'&') {
            self.scan.at += 1;
        }
        true
    }

    /// `&` that runs the command before it in the background.
    fn is_background(&self) -> bool {
        self.scan.peek() == Some(b'&') && !matches!(self.scan.ahead(1), Some(b'&' | b'>'))
    }

    /// Consumes `&&` or `||`.
    fn and_or(&mut self) -> bool {
        let is = self.scan.starts_with("&&") || self.scan.starts_with("||");
        self.scan.at += if is { 2 } else { 0 };
        is
    }

    /// Consumes `|` or `|&`.
    fn pipe(&mut self) -> bool {
        if self.scan.peek() != Some(b'|') || self.scan.ahead(1) == Some(b'|') {
            return false;
        }
        self.scan.at += if self.scan.ahead(1) == Some(b'&') { 2 } else { 1 };
        true
    }

    fn is_redirection(&self) -> bool {
        match self.scan.peek() {
            Some(b'<' | b'>') => !self.scan.is_word_after_angle(),
            Some(b'&') => self.scan.ahead(1) == Some(b'>'),
            Some(b'0'..=b'9' | b'{') => self.scan.has_descriptor(),
            _ => false,
        }
    }

    fn redirection(&mut self) -> Judged<()> {
        // A number before `>(` is part of the word.
        let digits = self.scan.bytes.get(self.scan.at..self.scan.end).unwrap_or_default();
        let digits = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits > 0 && self.scan.ahead(digits + 1) == Some(b'(') {
            return Err(Stop::Doubt);
        }
        self.scan.redirect(&mut self.frame);
        self.whole_so_far()?;
        let command = self.scan.owner.and_then(|owner| self.scan.commands.get(owner));
        let target = command.and_then(|command| command.redirections.last()).and_then(|last| last.target.as_ref());
        match target {
            Some(_) => Ok(()),
            // zsh takes a pattern for a name.
            None if self.scan.dialect == Dialect::Zsh && self.scan.peek() == Some(b'(') => Err(Stop::Doubt),
            None => Err(Stop::Broken),
        }
    }

    /// Redirections after a compound command.
    fn redirections(&mut self) -> Judged<()> {
        self.begin();
        while self.peek()?.is_some() && self.is_redirection() {
            self.redirection()?;
        }
        Ok(())
    }

    /// Detaches what is read next from the command before.
    fn begin(&mut self) {
        self.scan.owner = None;
        self.frame.position = Position::Start;
    }

    /// A word or an assignment of a simple command.
    fn word_of_command(&mut self) -> Judged<()> {
        let before = self.scan.at;
        self.scan.simple(&mut self.frame);
        self.whole_so_far()?;
        if self.scan.at == before { Err(Stop::Doubt) } else { Ok(()) }
    }

    /// A word that no command owns; false when none begins here.
    fn word(&mut self) -> Judged<bool> {
        self.begin();
        let first = self.peek()?;
        let angle = self.scan.is_word_after_angle();
        if first.is_none_or(|byte| is_end_of_word(byte) && byte != b'(' && !angle) {
            return Ok(false);
        }
        let zsh = self.scan.dialect == Dialect::Zsh;
        if first == Some(b'(') && (!zsh || self.scan.ahead(1) == Some(b')')) || (zsh && self.is_closing_brace()) {
            return Ok(false);
        }
        let before = self.scan.at;
        self.scan.word(Place::Plain);
        self.whole_so_far()?;
        Ok(self.scan.at > before)
    }

    /// `((…))`, if arithmetic begins here.
    fn arithmetic(&mut self) -> Judged<bool> {
        if !self.scan.starts_with("((") || !self.scan.is_arithmetic() {
            return Ok(false);
        }
        let from = self.scan.at;
        self.scan.at += 2;
        self.scan.arithmetic();
        self.whole_so_far()?;
        // Quotes may hide its end.
        let text = self.scan.bytes.get(from..self.scan.at).unwrap_or_default();
        if text.contains(&b'\'') { Err(Stop::Doubt) } else { Ok(true) }
    }
}
