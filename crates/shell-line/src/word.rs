//! Parses one word of zsh or bash: removes its quotes, and finds its expansions without performing them. Parses the commands in it in
//! place.

use crate::scan::{Scan, is_end_of_word, is_name};
use crate::{CursorRole, Dialect, Quote, Unclosed, Word};

/// Where a word stands, which decides what ends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Plain,
    /// After `name=`
    Value,
    /// In `a=( … )` or `for x in …`
    Array,
    /// In `[[ … ]]`
    Condition,
}

/// A word under construction.
pub(super) struct Build {
    pub value: String,
    pub fixed: bool,
}

impl Build {
    pub(super) fn new() -> Self {
        Build { value: String::new(), fixed: true }
    }
}

/// Bytes that are special to no shell, anywhere in a word.
pub(super) fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || byte >= 0x80
        || matches!(byte, b'_' | b'-' | b'.' | b'/' | b':' | b'@' | b'%' | b'+' | b',')
}

impl Scan<'_> {
    /// Reads a word up to what cannot belong to it; may be empty.
    pub(super) fn word(&mut self, place: Place) -> Word {
        let start = self.at;
        let zsh = self.dialect == Dialect::Zsh;
        let mut build = Build::new();
        let (mut brace, mut bracket) = (None, None);
        let mut deep = 0usize;
        loop {
            self.plain(&mut build);
            let Some(byte) = self.peek() else { break };
            let first = self.at == start;
            match byte {
                b' ' | b'\t' | b'\n' | b';' | b')' => break,
                b'&' if place != Place::Condition || self.ahead(1) == Some(b'&') => break,
                b'|' if place != Place::Condition || self.ahead(1) == Some(b'|') => break,
                b'<' | b'>' if self.ahead(1) == Some(b'(') && (first || place != Place::Condition) => {
                    self.process(&mut build, 2);
                }
                b'<' if let Some(length) = self.range() => {
                    let from = self.at;
                    self.at += length;
                    self.keep(&mut build, from);
                }
                b'<' | b'>' => break,
                b'=' if zsh && first && self.ahead(1) == Some(b'(') => self.process(&mut build, 2),
                b'=' => {
                    // zsh: `=ls` expands to the path of ls.
                    build.fixed &= !(zsh && first && self.ahead(1).is_some_and(is_name));
                    self.take(&mut build);
                }
                b'(' if place == Place::Condition => self.group(&mut build, b'(', b')'),
                b'(' if zsh && (first || self.ahead(1) != Some(b')')) => self.group(&mut build, b'(', b')'),
                b'(' if !zsh && !first && self.is_extended_glob() => self.group(&mut build, b'(', b')'),
                b'(' if !zsh && self.at > start && self.bytes.get(self.at - 1) == Some(&b'=') => {
                    // `declare a=(1 2)`
                    let from = self.at;
                    self.at += 1;
                    self.deeper((b'(', b')'), |scan| scan.words_up_to(b')', None));
                    self.keep(&mut build, from);
                }
                b'(' => break,
                b'\\' | b'\'' | b'"' | b'`' | b'$' => self.special(&mut build, byte),
                b'*' | b'?' => {
                    build.fixed = false;
                    self.take(&mut build);
                }
                b'~' => {
                    build.fixed &= !(first || (place == Place::Value && self.bytes.get(self.at - 1) == Some(&b':')));
                    self.take(&mut build);
                }
                b'[' if self.is_subscript(start, place) => self.group(&mut build, b'[', b']'),
                b'[' => {
                    bracket = bracket.or(Some(self.at));
                    self.take(&mut build);
                }
                b'{' => {
                    brace = brace.or(Some(self.at));
                    deep += 1;
                    self.take(&mut build);
                }
                b'}' if zsh && deep == 0 && self.braces > 0 && place == Place::Plain && self.ends_word(1) => break,
                b'}' => {
                    deep = deep.saturating_sub(1);
                    self.take(&mut build);
                }
                _ => self.take(&mut build),
            }
        }
        let raw = |from: Option<usize>| from.and_then(|from| self.text.get(from..self.at)).unwrap_or_default();
        build.fixed &= !raw(bracket).contains(']') && !braces_expand(raw(brace));
        Word { span: start..self.at, value: build.value, fixed: build.fixed }
    }

    /// Whether the word here would end after so many bytes.
    pub(super) fn ends_word(&self, bytes: usize) -> bool {
        let paren = self.ahead(bytes + 1) == Some(b'(');
        match self.ahead(bytes) {
            None => true,
            // zsh reads brackets as part of the word, except those of a function.
            Some(b'(') => self.dialect != Dialect::Zsh || self.ahead(bytes + 1) == Some(b')'),
            Some(b'<' | b'>') => !paren,
            Some(byte) => is_end_of_word(byte),
        }
    }

    /// Reads the plain bytes from here.
    pub(super) fn plain(&mut self, build: &mut Build) {
        let from = self.at;
        while self.at < self.end && self.bytes.get(self.at).is_some_and(|byte| is_plain(*byte)) {
            self.at += 1;
        }
        self.push(build, from);
    }

    pub(super) fn push(&self, build: &mut Build, from: usize) {
        build.value.push_str(self.text.get(from..self.at).unwrap_or_default());
    }

    /// Reads one character as it is.
    pub(super) fn take(&mut self, build: &mut Build) {
        if let Some(letter) = self.text.get(self.at..).and_then(|rest| rest.chars().next()) {
            self.at += letter.len_utf8();
            build.value.push(letter);
        }
    }

    /// Keeps the source text of an expansion, from `from` to here.
    pub(super) fn keep(&self, build: &mut Build, from: usize) {
        build.fixed = false;
        self.push(build, from);
    }

    /// Quotes, escapes and expansions.
    pub(super) fn special(&mut self, build: &mut Build, byte: u8) {
        match byte {
            b'\\' if self.backquoted && self.ahead(1) == Some(b'`') => self.inner_backquotes(build),
            b'\\' => self.escape(build),
            b'\'' => self.single(build),
            b'"' => self.double(build),
            b'`' => self.backquotes(build),
            _ => self.dollar(build, Quote::None),
        }
    }

    pub(super) fn escape(&mut self, build: &mut Build) {
        self.at += 1;
        match self.peek() {
            None => {
                self.unfinished(Unclosed::Backslash);
                self.mark_none(CursorRole::Other);
            }
            Some(b'\n') => self.at += 1,
            Some(_) => self.take(build),
        }
    }

    pub(super) fn single(&mut self, build: &mut Build) {
        self.at += 1;
        let from = self.at;
        while self.peek().is_some_and(|byte| byte != b'\'') {
            self.at += 1;
        }
        self.push(build, from);
        if self.peek().is_none() {
            return self.unclosed(Quote::Single);
        }
        self.at += 1;
    }

    pub(super) fn double(&mut self, build: &mut Build) {
        self.at += 1;
        loop {
            let from = self.at;
            while self.peek().is_some_and(|byte| !matches!(byte, b'"' | b'\\' | b'$' | b'`')) {
                self.at += 1;
            }
            self.push(build, from);
            match self.peek() {
                None => return self.unclosed(Quote::Double),
                Some(b'"') => {
                    self.at += 1;
                    return;
                }
                Some(b'\\') => {
                    self.at += 1;
                    match self.peek() {
                        None => self.mark_none(CursorRole::Other),
                        Some(b'\n') => self.at += 1,
                        Some(b'"' | b'\\' | b'$' | b'`') => self.take(build),
                        Some(_) => build.value.push('\\'),
                    }
                }
                Some(b'`') => self.backquotes(build),
                Some(_) => self.dollar(build, Quote::Double),
            }
        }
    }

    /// `$'…'`
    pub(super) fn dollar_single(&mut self, build: &mut Build) {
        self.at += 2;
        let mut bytes = Vec::new();
        loop {
            let Some(byte) = self.peek() else {
                self.unclosed(Quote::Dollar);
                break;
            };
            self.at += 1;
            match byte {
                b'\'' => break,
                b'\\' => self.dollar_escape(&mut bytes),
                _ => bytes.push(byte),
            }
        }
        match String::from_utf8(bytes) {
            Ok(text) => build.value.push_str(&text),
            Err(broken) => {
                build.fixed = false;
                build.value.push_str(&String::from_utf8_lossy(broken.as_bytes()));
            }
        }
    }

    pub(super) fn dollar_escape(&mut self, bytes: &mut Vec<u8>) {
        let Some(byte) = self.peek() else {
            return self.mark_none(CursorRole::Other);
        };
        self.at += 1;
        let plain = match byte {
            b'a' => 7,
            b'b' => 8,
            b'e' | b'E' => 27,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'v' => 11,
            b'\\' | b'\'' | b'"' | b'?' => byte,
            b'0'..=b'7' => {
                self.at -= 1;
                (self.number(8, 3).unwrap_or_default() & 0xff) as u8
            }
            b'x' => match self.number(16, 2) {
                Some(number) => (number & 0xff) as u8,
                None => return bytes.extend(b"\\x"),
            },
            b'u' | b'U' => {
                let letter = self.number(16, if byte == b'u' { 4 } else { 8 }).and_then(char::from_u32);
                let mut buffer = [0; 4];
                match letter {
                    Some(letter) => bytes.extend(letter.encode_utf8(&mut buffer).as_bytes()),
                    None => bytes.extend([b'\\', byte]),
                }
                return;
            }
            b'c' if self.dialect == Dialect::Bash => {
                let Some(letter) = self.peek().filter(|byte| byte.is_ascii() && *byte != b'\'') else {
                    return bytes.extend(b"\\c");
                };
                self.at += 1;
                letter.to_ascii_uppercase() ^ 0x40
            }
            _ => {
                if self.dialect == Dialect::Bash {
                    bytes.push(b'\\');
                }
                byte
            }
        };
        bytes.push(plain);
    }

    /// Reads digits of a number, at most `most` of them.
    pub(super) fn number(&mut self, radix: u32, most: usize) -> Option<u32> {
        let mut number = None;
        for _ in 0..most {
            let Some(digit) = self.peek().and_then(|byte| char::from(byte).to_digit(radix)) else { break };
            number = Some(number.unwrap_or(0u32).wrapping_mul(radix).wrapping_add(digit));
            self.at += 1;
        }
        number
    }

    /// Whether `<` begins a process substitution or a range, and thus a word.
    pub(super) fn is_word_after_angle(&self) -> bool {
        matches!(self.peek(), Some(b'<' | b'>')) && (self.ahead(1) == Some(b'(') || self.range().is_some())
    }

    /// zsh: length of `<1-9>` or `<->` here.
    pub(super) fn range(&self) -> Option<usize> {
        if self.dialect != Dialect::Zsh || self.peek() != Some(b'<') {
            return None;
        }
        let rest = self.bytes.get(self.at + 1..self.end)?;
        let low = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if rest.get(low) != Some(&b'-') {
            return None;
        }
        let high = rest.iter().skip(low + 1).take_while(|byte| byte.is_ascii_digit()).count();
        (rest.get(low + 1 + high) == Some(&b'>')).then_some(low + high + 3)
    }

    pub(super) fn is_extended_glob(&self) -> bool {
        matches!(self.bytes.get(self.at - 1), Some(b'?' | b'*' | b'+' | b'@' | b'!'))
    }

    /// Brackets in a word: glob qualifiers, alternatives, a group of a regular expression.
    fn group(&mut self, build: &mut Build, open: u8, close: u8) {
        build.fixed = false;
        let mut deep = 0usize;
        while let Some(byte) = self.peek() {
            if let b'\\' | b'\'' | b'"' | b'`' | b'$' = byte {
                self.special(build, byte);
                continue;
            }
            self.take(build);
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
    }

    /// bash: `name[` at the start of a command is an array element, up to its `]`, whatever follows.
    fn is_subscript(&self, start: usize, place: Place) -> bool {
        let name = self.bytes.get(start..self.at).unwrap_or_default();
        let begins = place == Place::Plain && self.dialect == Dialect::Bash && self.next_role() == CursorRole::Name;
        begins && name.iter().all(|byte| is_name(*byte)) && name.first().is_some_and(|byte| !byte.is_ascii_digit())
    }
}

/// Whether braces expand: `{a,b}` and `{1..9}` do, `{}` and `HEAD@{1}` do not.
pub(super) fn braces_expand(raw: &str) -> bool {
    raw.contains('}') && (raw.contains(',') || raw.contains(".."))
}
