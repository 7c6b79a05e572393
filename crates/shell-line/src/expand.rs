//! Expansions in a word of zsh or bash: variables, arithmetic, command substitution.

use crate::scan::{Closer, Scan, is_name};
use crate::word::Build;
use crate::{CursorRole, Dialect, Quote, Unclosed};

impl Scan<'_> {
    pub(super) fn backquotes(&mut self, build: &mut Build) {
        // Quotes inside do not hide the end; only a backslash does.
        let mut close = self.at + 1;
        while close < self.end && self.bytes.get(close) != Some(&b'`') {
            close += if self.bytes.get(close) == Some(&b'\\') { 2 } else { 1 };
        }
        let outer = std::mem::replace(&mut self.backquoted, true);
        self.between_backquotes(build, 1, close);
        self.backquoted = outer;
    }

    /// A nested pair, each with a backslash before it.
    pub(super) fn inner_backquotes(&mut self, build: &mut Build) {
        let rest = self.bytes.get(self.at + 2..self.end).unwrap_or_default();
        let length = rest.windows(2).position(|pair| pair == b"\\`").unwrap_or(rest.len());
        self.between_backquotes(build, 2, self.at + 2 + length);
    }

    /// The commands between two markers of this length, the second of which is at `close`.
    fn between_backquotes(&mut self, build: &mut Build, mark: usize, close: usize) {
        let from = self.at;
        let outer = self.end;
        self.at += mark;
        self.end = close.min(outer);
        self.substitution(Closer::End);
        self.at = self.end;
        self.end = outer;
        if close < outer {
            self.at += mark;
        } else {
            self.unfinished(Unclosed::Bracket);
        }
        self.keep(build, from);
    }

    /// `$` and what belongs to it, inside or outside double quotes.
    pub(super) fn dollar(&mut self, build: &mut Build, quote: Quote) {
        let from = self.at;
        let zsh = self.dialect == Dialect::Zsh;
        match self.ahead(1) {
            Some(b'\'') if quote == Quote::None => return self.dollar_single(build),
            Some(b'"') if quote == Quote::None && !zsh => {
                self.at += 1;
                return self.double(build);
            }
            Some(b'(') => {
                self.at += 1;
                if self.ahead(1) == Some(b'(') && self.is_arithmetic() {
                    self.at += 2;
                    self.arithmetic();
                } else {
                    self.at += 1;
                    self.substitution(Closer::Paren);
                }
            }
            Some(b'{') => self.parameter(build, quote),
            Some(b'[') => {
                self.at += 2;
                self.skip_brackets(b'[', b']');
            }
            Some(byte) if is_name(byte) => {
                self.at += 1;
                self.name(quote);
            }
            Some(b'+' | b'#' | b'^' | b'=' | b'~') if zsh && self.ahead(2).is_some_and(is_name) => {
                self.at += 2;
                self.name(quote);
            }
            Some(b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!') => self.at += 2,
            Some(_) => return self.take(build),
            None => {
                self.at += 1;
                self.variable(self.at, quote);
                return build.value.push('$');
            }
        }
        self.keep(build, from);
    }

    /// The name of a variable here.
    pub(super) fn name(&mut self, quote: Quote) {
        let from = self.at;
        if self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
                self.at += 1;
            }
            return;
        }
        while self.peek().is_some_and(is_name) {
            self.at += 1;
        }
        self.variable(from, quote);
    }

    /// A variable name at the cursor, from `from` to the end.
    pub(super) fn variable(&mut self, from: usize, quote: Quote) {
        if self.at_stop() && self.last.is_none() {
            let inner = std::mem::replace(&mut self.unclosed, quote);
            self.mark(CursorRole::Variable, from, self.text.get(from..self.at).unwrap_or_default(), true);
            self.unclosed = inner;
        }
    }

    /// `${…}`
    pub(super) fn parameter(&mut self, build: &mut Build, quote: Quote) {
        self.at += 2;
        if let Some(b' ' | b'\t' | b'\n' | b'|') = self.peek() {
            // bash 5.3 and zsh 5.10: a substitution that does not fork.
            self.at += usize::from(self.peek() == Some(b'|'));
            return self.substitution(Closer::Brace);
        }
        let kept = build.value.len();
        self.deeper((b'{', b'}'), |scan| scan.parameter_body(build, quote));
        build.value.truncate(kept);
    }

    pub(super) fn parameter_body(&mut self, build: &mut Build, quote: Quote) {
        let zsh = self.dialect == Dialect::Zsh;
        if zsh && self.peek() == Some(b'(') {
            self.at += 1;
            self.skip_brackets(b'(', b')');
        }
        while let Some(b'#' | b'!' | b'^' | b'=' | b'~' | b'+') = self.peek() {
            self.at += 1;
        }
        self.name(quote);
        let mut deep = 0usize;
        loop {
            let Some(byte) = self.peek() else {
                if quote != Quote::None {
                    self.unclosed(quote);
                }
                return self.unfinished(Unclosed::Bracket);
            };
            match byte {
                b'{' if zsh && quote == Quote::None => {
                    deep += 1;
                    self.at += 1;
                }
                b'}' if deep > 0 => {
                    deep -= 1;
                    self.at += 1;
                }
                b'}' => {
                    self.at += 1;
                    return;
                }
                b'\'' if zsh && quote != Quote::None => self.at += 1,
                b'$' => self.dollar(build, quote),
                b'\\' | b'\'' | b'"' | b'`' => self.special(build, byte),
                _ => self.at += 1,
            }
        }
    }

    /// Reads up to `))`, after the opening.
    pub(super) fn arithmetic(&mut self) {
        self.deeper((b'(', b')'), Self::arithmetic_body);
    }

    fn arithmetic_body(&mut self) {
        let mut build = Build::new();
        let mut deep = 0usize;
        loop {
            let Some(byte) = self.peek() else {
                self.mark_none(CursorRole::Other);
                return self.unfinished(Unclosed::Bracket);
            };
            match byte {
                b'(' => deep += 1,
                b')' if deep == 0 => {
                    self.at += if self.ahead(1) == Some(b')') { 2 } else { 1 };
                    if self.bytes.get(self.at - 2) != Some(&b')') {
                        self.mark_none(CursorRole::Other);
                        self.unfinished(Unclosed::Bracket);
                    }
                    return;
                }
                b')' => deep -= 1,
                b'$' | b'`' | b'"' | b'\\' => {
                    build.value.clear();
                    self.special(&mut build, byte);
                    continue;
                }
                _ => {}
            }
            self.at += 1;
        }
    }

    /// `<(…)`, `>(…)`, zsh's `=(…)`
    pub(super) fn process(&mut self, build: &mut Build, opening: usize) {
        let from = self.at;
        self.at += opening;
        self.substitution(Closer::Paren);
        self.keep(build, from);
    }
}
