//! Parses reserved words of zsh and bash, and what comes between them: the words of a loop, the patterns of `case`, `[[ … ]]`.

use crate::scan::{Block, Frame, Position, Scan, is_end_of_word, is_name};
use crate::word::Place;
use crate::{CursorRole, Dialect, Join, Unclosed, Word};

/// Length of the longest reserved word.
const KEYWORD_LENGTH: usize = "nocorrect".len();

impl<'a> Scan<'a> {
    /// Whether `else` or `elif` follows the brace that was just closed.
    pub(super) fn goes_on(&self) -> bool {
        let rest = self.bytes.get(self.at..self.end).unwrap_or_default();
        let rest = rest.trim_ascii_start();
        rest.starts_with(b"else") || rest.starts_with(b"elif")
    }

    /// The word here, cut one byte beyond the longest reserved word, so that a longer word matches none.
    pub(super) fn keyword(&self) -> &'a str {
        let rest = self.bytes.get(self.at..self.end).unwrap_or_default();
        let length = rest.iter().take_while(|byte| !is_end_of_word(**byte)).take(KEYWORD_LENGTH + 1).count();
        self.text.get(self.at..self.at + length).unwrap_or_default()
    }

    /// Reads a reserved word, if there is one here.
    pub(super) fn reserved(&mut self, frame: &mut Frame) -> bool {
        let zsh = self.dialect == Dialect::Zsh;
        let top = frame.blocks.last().copied();
        let mut keyword = self.keyword();
        if zsh && keyword.starts_with('{') {
            keyword = "{";
        }
        let length = keyword.len();
        let known = match keyword {
            "if" | "while" | "until" | "for" | "select" | "case" | "function" | "{" | "!" | "time" | "coproc"
            | "[[" => true,
            "then" => top == Some(Block::If),
            "elif" => matches!(top, Some(Block::Then | Block::IfBrace)),
            "else" => matches!(top, Some(Block::Then | Block::IfBrace)),
            "fi" => matches!(top, Some(Block::Then | Block::If)),
            "do" => matches!(top, Some(Block::While | Block::Body)),
            "done" => matches!(top, Some(Block::Do)),
            "esac" => top == Some(Block::Case),
            "repeat" | "foreach" | "noglob" | "nocorrect" | "-" => zsh,
            "end" => zsh && top == Some(Block::End),
            "always" => zsh && frame.position == Position::Done,
            _ => false,
        };
        if !known {
            return false;
        }
        let (start, typed) = (self.at, &self.text[self.at..self.at + length]);
        if keyword == "{" {
            self.at += length;
            self.brace(frame);
            self.mark(CursorRole::Name, start, typed, true);
            return true;
        }
        if matches!(
            keyword,
            "if" | "while" | "until" | "for" | "select" | "case" | "function" | "[[" | "repeat" | "foreach"
        ) {
            self.enter(frame);
        }
        if keyword == "[[" {
            self.condition(frame);
            return true;
        }
        self.at += length;
        self.mark(CursorRole::Name, start, typed, true);
        match keyword {
            "if" => self.opens(frame, Block::If),
            "while" | "until" => self.opens(frame, Block::While),
            "then" => self.turns(frame, Block::Then),
            "elif" => self.turns(frame, Block::If),
            "else" if top == Some(Block::IfBrace) => self.turns(frame, Block::Body),
            "else" => self.turns(frame, Block::Then),
            "do" => self.turns(frame, Block::Do),
            "fi" | "done" | "esac" | "end" => {
                frame.blocks.pop();
                self.done(frame);
            }
            "for" | "select" | "foreach" => self.for_header(frame, keyword == "foreach"),
            "case" => self.case_header(frame),
            "function" => self.function_header(frame),
            "repeat" => {
                self.header_word();
                frame.blocks.push(Block::Body);
            }
            "always" => {
                frame.position = Position::Start;
            }
            "coproc" => self.coproc_name(),
            "time" => self.time_flag(),
            _ => {}
        }
        true
    }

    pub(super) fn opens(&mut self, frame: &mut Frame, block: Block) {
        frame.blocks.push(block);
        frame.position = Position::Start;
    }

    pub(super) fn turns(&mut self, frame: &mut Frame, block: Block) {
        frame.blocks.pop();
        frame.blocks.push(block);
        self.end_command(frame);
        frame.join = Join::Next;
    }

    pub(super) fn brace(&mut self, frame: &mut Frame) {
        let short = self.dialect == Dialect::Zsh && frame.position == Position::Done;
        match frame.blocks.last() {
            Some(Block::Body) => drop(frame.blocks.pop()),
            Some(Block::While) if short => drop(frame.blocks.pop()),
            Some(Block::If) if short => {
                frame.blocks.pop();
                frame.blocks.push(Block::IfBrace);
            }
            _ => {}
        }
        if frame.position == Position::Done {
            self.end_command(frame);
        }
        frame.dangling = false;
        frame.blocks.push(Block::Brace);
        frame.position = Position::Start;
        self.braces += 1;
    }

    /// `time -p ls`
    pub(super) fn time_flag(&mut self) {
        if self.dialect == Dialect::Bash && self.starts_with(" -p ") {
            self.at += 4;
        }
    }

    /// `coproc NAME { …`
    pub(super) fn coproc_name(&mut self) {
        let rest = self.bytes.get(self.at..self.end).unwrap_or_default();
        let blanks = rest.iter().take_while(|byte| **byte == b' ').count();
        let name = rest.iter().skip(blanks).take_while(|byte| is_name(**byte)).count();
        if rest.get(blanks + name..).is_some_and(|rest| rest.starts_with(b" {") || rest.starts_with(b" (")) && name > 0
        {
            self.at += blanks + name;
        }
    }

    /// A word between reserved words, as in `case word in`.
    pub(super) fn header_word(&mut self) -> Option<Word> {
        self.skip_blanks();
        if self.peek().is_none_or(is_end_of_word) {
            self.mark_none(CursorRole::Argument(1));
            return None;
        }
        let word = self.word(Place::Plain);
        self.mark_word(CursorRole::Argument(1), &word);
        Some(word)
    }

    pub(super) fn skip_new_lines(&mut self) {
        loop {
            self.skip_blanks();
            match self.peek() {
                Some(b'\n') => self.new_line(),
                Some(b'#') => self.skip_comment(),
                _ => return,
            }
        }
    }

    pub(super) fn for_header(&mut self, frame: &mut Frame, foreach: bool) {
        let body = if foreach { Block::End } else { Block::Body };
        frame.blocks.push(body);
        frame.position = Position::Start;
        frame.join = Join::Next;
        self.skip_blanks();
        if self.starts_with("((") {
            self.at += 2;
            return self.arithmetic();
        }
        loop {
            self.skip_new_lines();
            match self.peek() {
                None => return self.mark_none(CursorRole::Other),
                Some(b'(') => {
                    self.at += 1;
                    return self.words_up_to(b')', None);
                }
                Some(b';' | b'&' | b'|' | b')' | b'<' | b'>') => return,
                Some(_) => {}
            }
            match self.keyword() {
                "in" => {
                    self.at += 2;
                    self.mark(CursorRole::Other, self.at, "", true);
                    return self.words_up_to(b'\n', None);
                }
                "do" | "{" => return,
                _ => {
                    let before = self.at;
                    let word = self.word(Place::Plain);
                    self.mark(CursorRole::Other, word.span.start, &word.value, word.fixed);
                    if self.at == before {
                        self.at += 1;
                    }
                }
            }
        }
    }

    pub(super) fn case_header(&mut self, frame: &mut Frame) {
        frame.blocks.push(Block::Case);
        frame.join = Join::Next;
        self.header_word();
        self.skip_new_lines();
        match self.keyword() {
            "in" => self.at += 2,
            "{" if self.dialect == Dialect::Zsh => {
                self.at += 1;
                self.braces += 1;
                frame.blocks.insert(frame.blocks.len() - 1, Block::Brace);
            }
            _ => {}
        }
        self.mark_none(CursorRole::Other);
        frame.position = Position::Start;
        frame.dangling = false;
        self.case_patterns(frame);
    }

    /// After `;;` and the like, patterns follow again.
    pub(super) fn case_ends(&mut self, frame: &mut Frame) {
        if frame.blocks.last() != Some(&Block::Case) {
            return;
        }
        let mut ends = false;
        while let Some(b';' | b'&' | b'|') = self.peek() {
            self.at += 1;
            ends = true;
        }
        if ends {
            self.case_patterns(frame);
        }
    }

    /// Reads up to the `)` after which the commands of a branch begin, or past `esac`.
    pub(super) fn case_patterns(&mut self, frame: &mut Frame) {
        self.skip_new_lines();
        if self.peek() == Some(b'}') && self.braces > 0 {
            return;
        }
        if self.keyword() == "esac" {
            self.at += 4;
            frame.blocks.pop();
            self.done(frame);
            self.mark_none(CursorRole::Other);
            return;
        }
        let mut deep = 0usize;
        let mut began = false;
        loop {
            let Some(byte) = self.peek() else {
                return self.mark_none(CursorRole::Other);
            };
            match byte {
                b'(' => {
                    deep += 1;
                    self.at += 1;
                }
                b')' => {
                    self.at += 1;
                    deep = deep.saturating_sub(1);
                    let blank = self.peek().is_none_or(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b';'));
                    if deep == 0 && (!began || blank || self.dialect == Dialect::Bash) {
                        return;
                    }
                    if deep == 0 {
                        began = false;
                    }
                    continue;
                }
                b'\n' if deep == 0 => return,
                b' ' | b'\t' | b'\n' | b'|' | b';' | b'&' | b'<' | b'>' | b'}' => self.at += 1,
                _ => {
                    let before = self.at;
                    let word = self.word(Place::Plain);
                    self.mark(CursorRole::Other, word.span.start, &word.value, word.fixed);
                    if self.at == before {
                        self.at += 1;
                    }
                }
            }
            began |= byte == b'(' && deep == 1;
        }
    }

    pub(super) fn function_header(&mut self, frame: &mut Frame) {
        frame.blocks.push(Block::Body);
        frame.join = Join::Next;
        frame.position = Position::Start;
        loop {
            self.skip_blanks();
            match self.peek() {
                None => return self.mark_none(CursorRole::Other),
                Some(b'(') => {
                    if let Some(length) = self.empty_parens() {
                        self.at += length;
                    }
                    return;
                }
                Some(b'{' | b'\n' | b';' | b'&' | b'|' | b')' | b'<' | b'>' | b'}') => return,
                Some(_) => {
                    let word = self.word(Place::Plain);
                    self.mark(CursorRole::Other, word.span.start, &word.value, word.fixed);
                }
            }
        }
    }

    /// `[[ … ]]`, whose operators are words.
    pub(super) fn condition(&mut self, frame: &mut Frame) {
        let start = self.at;
        self.command(frame);
        self.at += 2;
        self.push_word(Word { span: start..self.at, value: "[[".to_owned(), fixed: true });
        self.mark(CursorRole::Name, start, "[[", true);
        frame.position = Position::Done;
        loop {
            self.skip_blanks();
            let Some(byte) = self.peek() else {
                self.mark_none(self.next_role());
                return self.unfinished(Unclosed::Bracket);
            };
            let start = self.at;
            match byte {
                b'\n' => {
                    self.new_line();
                    continue;
                }
                b'(' if !self.after_match() => self.at += 1,
                b')' | b'<' | b'>' | b';' if !self.is_word_after_angle() => self.at += 1,
                b'&' | b'|' if self.ahead(1) == Some(byte) => self.at += 2,
                _ => {
                    let word = self.word(Place::Condition);
                    let ends = word.value == "]]" && word.fixed && word.span.len() == 2;
                    self.mark_word(self.next_role(), &word);
                    if self.at == start {
                        self.at += 1;
                    }
                    self.push_word(word);
                    if ends {
                        return;
                    }
                    continue;
                }
            }
            let value = self.text.get(start..self.at).unwrap_or_default().to_owned();
            self.push_word(Word { span: start..self.at, value, fixed: true });
        }
    }

    /// Whether the word before is `=~` or `==`, after which a bracket belongs to the pattern.
    pub(super) fn after_match(&self) -> bool {
        let command = self.owner.and_then(|owner| self.commands.get(owner));
        let last = command.and_then(|command| command.words.last());
        last.is_some_and(|word| matches!(word.value.as_str(), "=~" | "==" | "=" | "!="))
    }
}
