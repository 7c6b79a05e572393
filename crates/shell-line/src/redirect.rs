//! Parses redirections, and the text of here-documents.

use crate::scan::{Document, Frame, Position, Scan, is_end_of_word, is_name};
use crate::word::{Build, Place};
use crate::{CursorRole, Dialect, Quote, Redirect, Redirection, Unclosed, Word, fish};

impl Scan<'_> {
    /// Whether a number or `{name}` stands here, right before `<` or `>`.
    pub(super) fn has_descriptor(&self) -> bool {
        let rest = self.bytes.get(self.at..self.end).unwrap_or_default();
        matches!(rest.get(descriptor(rest)), Some(b'<' | b'>')) && descriptor(rest) > 0
    }

    /// Reads a redirection, and begins a command if there is none.
    pub(super) fn redirect(&mut self, frame: &mut Frame) {
        let start = self.at;
        if frame.position != Position::Done {
            frame.position = Position::Words;
        }
        self.command(frame);
        self.at += descriptor(self.bytes.get(self.at..self.end).unwrap_or_default());
        let (kind, tabs) = self.redirect_operator();
        self.skip_blanks();
        let begins_word = self.peek().is_some_and(|byte| !is_end_of_word(byte)) || self.is_word_after_angle();
        let target = if begins_word {
            let word = match self.dialect {
                Dialect::Fish => fish::word(self),
                Dialect::Zsh | Dialect::Bash => self.word(Place::Plain),
            };
            Some(word).filter(|word| !word.span.is_empty())
        } else {
            None
        };
        let kind = match (kind, &target) {
            (Redirect::Descriptor, Some(word)) if !self.is_descriptor(word) => Redirect::Write,
            (kind, _) => kind,
        };
        match &target {
            Some(word) => self.mark_word(CursorRole::Target(kind), word),
            None => self.mark_none(CursorRole::Target(kind)),
        }
        if let Some(word) = target.as_ref().filter(|_| kind == Redirect::HereDocument) {
            let raw = self.text.get(word.span.clone()).unwrap_or_default();
            let expands = !raw.contains(['\'', '"', '\\']);
            self.documents.push(Document { delimiter: word.value.clone(), tabs, expands, owner: self.owner });
        }
        let end = target.as_ref().map_or(self.at.min(self.trimmed(start)), |word| word.span.end);
        if let Some(command) = self.owner.and_then(|owner| self.commands.get_mut(owner)) {
            command.span.end = end.max(command.span.end);
            command.redirections.push(Redirection { span: start..end, kind, target });
        }
        if frame.position == Position::Done && !self.owned_has_words() {
            self.owner = None;
        }
    }

    fn owned_has_words(&self) -> bool {
        self.owner.and_then(|owner| self.commands.get(owner)).is_some_and(|command| !command.words.is_empty())
    }

    /// The end of the text from `start` to here, without trailing blanks.
    fn trimmed(&self, start: usize) -> usize {
        start + self.text.get(start..self.at).unwrap_or_default().trim_end_matches([' ', '\t']).len()
    }

    /// The target distinguishes `>&1` from `>& file`.
    fn is_descriptor(&self, word: &Word) -> bool {
        let digits = word.value.strip_suffix('-').unwrap_or(&word.value);
        let coproc = self.dialect == Dialect::Zsh && word.value == "p";
        coproc || digits.bytes().all(|byte| byte.is_ascii_digit()) || word.value.starts_with('$')
    }

    fn redirect_operator(&mut self) -> (Redirect, bool) {
        let zsh = self.dialect == Dialect::Zsh;
        let fish = self.dialect == Dialect::Fish;
        let writes = self.peek() != Some(b'<');
        let (kind, length) = match (self.peek(), self.ahead(1), self.ahead(2)) {
            (Some(b'&'), _, Some(b'>')) => (Redirect::Append, 3),
            (Some(b'&'), _, _) => (Redirect::Write, 2),
            (Some(b'<'), Some(b'<'), Some(b'<')) => (Redirect::HereString, 3),
            (Some(b'<'), Some(b'<'), Some(b'-')) => (Redirect::HereDocument, 3),
            (Some(b'<'), Some(b'<'), _) => (Redirect::HereDocument, 2),
            (Some(b'<'), Some(b'>'), _) => (Redirect::Write, 2),
            (Some(b'<'), Some(b'&'), _) => (Redirect::Descriptor, 2),
            (Some(b'<'), _, _) => (Redirect::Read, 1),
            (_, Some(b'>'), Some(b'&')) if zsh => (Redirect::Append, 3),
            (_, Some(b'>'), _) => (Redirect::Append, 2),
            (_, Some(b'&'), _) => (Redirect::Descriptor, 2),
            (_, Some(b'|'), _) => (Redirect::Write, 2),
            (_, Some(b'?'), _) if fish => (Redirect::Write, 2),
            _ => (Redirect::Write, 1),
        };
        let kind =
            if fish && matches!(kind, Redirect::HereDocument | Redirect::HereString) { Redirect::Read } else { kind };
        let tabs = kind == Redirect::HereDocument && length == 3;
        self.at += length;
        // zsh: `>!`, `>>|`, `>&!` write despite `noclobber`.
        let forced = self.bytes.get(self.at - 1) == Some(&b'|');
        if zsh && writes && !forced && matches!(self.peek(), Some(b'!' | b'|')) {
            self.at += 1;
        }
        (kind, tabs)
    }

    /// Skips a newline, and the here-documents that begin after it.
    pub(super) fn new_line(&mut self) {
        self.at += 1;
        for document in std::mem::take(&mut self.documents) {
            self.document(&document);
        }
    }

    fn document(&mut self, document: &Document) {
        let from = self.at;
        let mut line = from;
        let (body, next) = loop {
            if line >= self.end {
                break (self.end, None);
            }
            let rest = self.bytes.get(line..self.end).unwrap_or_default();
            let length = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
            let text = self.text.get(line..line + length).unwrap_or_default();
            let text = if document.tabs { text.trim_start_matches('\t') } else { text };
            if text == document.delimiter {
                break (line, Some(line + length));
            }
            line += length + 1;
        };
        if document.expands
            && self.bytes.get(from..body).is_some_and(|text| text.contains(&b'$') || text.contains(&b'`'))
        {
            self.document_body(document, body);
        }
        match next {
            Some(next) => {
                self.at = next;
                self.mark_none(CursorRole::Other);
                // The newline after the delimiter ends no command.
                self.at = (next + 1).min(self.end);
            }
            None => {
                self.at = self.end;
                self.mark_none(CursorRole::Other);
                self.unfinished(Unclosed::HereDocument);
            }
        }
    }

    fn document_body(&mut self, document: &Document, end: usize) {
        let outer = (self.end, self.owner);
        self.end = end;
        self.owner = document.owner;
        let mut build = Build::new();
        while let Some(byte) = self.peek() {
            build.value.clear();
            match byte {
                b'\\' => self.at = (self.at + 2).min(self.end),
                b'$' => self.dollar(&mut build, Quote::Double),
                b'`' => self.backquotes(&mut build),
                _ => self.at += 1,
            }
        }
        (self.end, self.owner) = outer;
    }
}

/// Length of the number or `{name}` before a redirection.
fn descriptor(rest: &[u8]) -> usize {
    match rest.first() {
        Some(b'{') => {
            let name = rest.iter().skip(1).take_while(|byte| is_name(**byte)).count();
            if name > 0 && rest.get(name + 1) == Some(&b'}') { name + 2 } else { 0 }
        }
        _ => rest.iter().take_while(|byte| byte.is_ascii_digit()).count(),
    }
}
