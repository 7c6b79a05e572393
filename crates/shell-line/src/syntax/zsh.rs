//! Checks zsh's grammar. Lists may be empty, loops may be short, and `;` is equivalent to a newline.

use crate::Unclosed;
use crate::syntax::{Judge, Judged, Stop};

pub(super) const RESERVED: &[&str] = &[
    "!",
    "[[",
    "case",
    "coproc",
    "do",
    "done",
    "elif",
    "else",
    "end",
    "esac",
    "fi",
    "for",
    "foreach",
    "function",
    "if",
    "nocorrect",
    "repeat",
    "select",
    "then",
    "time",
    "until",
    "while",
    "{",
    "}",
];

impl Judge<'_> {
    pub(super) fn zsh(&mut self) -> Judged<()> {
        self.zsh_list()?;
        match self.peek()? {
            None => Ok(()),
            Some(_) => Err(Stop::Broken),
        }
    }

    /// Skips `;` and newlines.
    fn separators(&mut self) -> Judged<Option<u8>> {
        loop {
            match self.new_lines()? {
                Some(b';') if self.is_semicolon() => self.scan.at += 1,
                other => return Ok(other),
            }
        }
    }

    /// Skips separators where more has to follow.
    fn separators_and_more(&mut self, open: Unclosed) -> Judged<u8> {
        self.separators()?.ok_or(Stop::More(open))
    }

    fn zsh_list(&mut self) -> Judged<()> {
        loop {
            self.separators()?;
            if !self.zsh_sublist()? {
                return Ok(());
            }
            match self.peek()? {
                Some(b'\n') => {}
                Some(b';') if self.is_semicolon() => {}
                Some(b'&') if self.is_background() => {
                    self.scan.at += if matches!(self.scan.ahead(1), Some(b'!' | b'|')) { 2 } else { 1 };
                }
                _ => return Ok(()),
            }
        }
    }

    /// Pipelines joined by `&&` and `||`; false when there is none.
    fn zsh_sublist(&mut self) -> Judged<bool> {
        let mut found = self.zsh_pipeline()?;
        while found {
            self.peek()?;
            if !self.and_or() {
                return Ok(true);
            }
            self.separators_and_more(Unclosed::Operator)?;
            found = self.zsh_pipeline()?;
            // zsh accepts nothing after `&&`.
            if !found {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn zsh_pipeline(&mut self) -> Judged<bool> {
        self.peek()?;
        let keyword = self.keyword();
        let prefixed = matches!(keyword, "!" | "coproc");
        self.scan.at += if prefixed { keyword.len() } else { 0 };
        if !self.zsh_command()? {
            return Ok(prefixed);
        }
        loop {
            self.peek()?;
            if !self.pipe() {
                return Ok(true);
            }
            self.separators_and_more(Unclosed::Operator)?;
            if !self.zsh_command()? {
                return Err(Stop::Broken);
            }
        }
    }

    fn zsh_command(&mut self) -> Judged<bool> {
        self.deeper(Self::zsh_command_here)
    }

    fn zsh_command_here(&mut self) -> Judged<bool> {
        self.redirections()?;
        let redirected = self.scan.owner.is_some();
        let first = self.peek()?;
        let keyword = self.keyword();
        match keyword {
            "" if first == Some(b'(') && self.scan.ahead(1) != Some(b')') => {
                if !self.arithmetic()? {
                    self.scan.at += 1;
                    self.zsh_list()?;
                    self.closing_paren()?;
                }
            }
            "" | "nocorrect" => return Ok(self.zsh_simple()? || redirected),
            "{" => {
                self.zsh_group()?;
                self.always()?;
            }
            "[[" => self.condition()?,
            "time" => {
                self.scan.at += keyword.len();
                self.peek()?;
                // A second `time` is a word, whatever comes after it.
                if self.keyword() == "time" {
                    return Err(Stop::Doubt);
                }
                self.zsh_pipeline()?;
                return Ok(true);
            }
            "if" => self.zsh_if()?,
            "while" | "until" => {
                self.scan.at += keyword.len();
                self.zsh_list()?;
                self.zsh_body()?;
            }
            "repeat" => {
                self.scan.at += keyword.len();
                if !self.word()? {
                    return Err(Stop::Broken);
                }
                self.zsh_body()?;
            }
            "for" | "select" | "foreach" => self.zsh_for(keyword)?,
            "case" => self.zsh_case()?,
            "function" => self.zsh_function()?,
            _ => return Ok(redirected),
        }
        self.redirections()?;
        Ok(true)
    }

    fn zsh_simple(&mut self) -> Judged<bool> {
        let mut words = 0usize;
        let mut assigned = false;
        loop {
            match self.peek()? {
                None | Some(b';' | b'\n' | b'|' | b')') => break,
                Some(b'&') if !self.is_redirection() => break,
                Some(b'(') if self.scan.ahead(1) == Some(b')') => {
                    self.scan.at += 2;
                    self.zsh_function_body(words == 0)?;
                    return Ok(true);
                }
                Some(b'(') if words == 0 => return Err(Stop::Doubt),
                Some(b'}') if self.is_closing_brace() => break,
                Some(_) if self.is_redirection() => {
                    self.redirection()?;
                    assigned = true;
                }
                Some(_) if words == 0 && self.keyword() == "nocorrect" => {
                    self.scan.at += "nocorrect".len();
                    assigned = true;
                }
                // A reserved word is recognised after `name=value` too, where it is useless.
                Some(_) if words == 0 && !self.keyword().is_empty() => return Err(Stop::Doubt),
                Some(_) => {
                    self.word_of_command()?;
                    let owner = self.scan.owner.and_then(|owner| self.scan.commands.get(owner));
                    words = owner.map_or(0, |command| command.words.len());
                    assigned = true;
                }
            }
        }
        Ok(assigned)
    }

    /// From `{` to `}`.
    fn zsh_group(&mut self) -> Judged<()> {
        self.scan.at += 1;
        self.zsh_list()?;
        self.closing("}", Unclosed::Bracket)
    }

    fn always(&mut self) -> Judged<()> {
        self.peek()?;
        if self.scan.keyword() != "always" {
            return Ok(());
        }
        self.scan.at += "always".len();
        self.separators_and_more(Unclosed::Compound)?;
        if self.keyword() != "{" {
            return Err(Stop::Broken);
        }
        self.zsh_group()
    }

    fn zsh_if(&mut self) -> Judged<()> {
        self.scan.at += "if".len();
        loop {
            self.zsh_list()?;
            self.separators_and_more(Unclosed::Compound)?;
            let braces = match self.keyword() {
                "then" => {
                    self.scan.at += "then".len();
                    self.zsh_list()?;
                    false
                }
                "{" => {
                    self.zsh_group()?;
                    true
                }
                _ => {
                    self.zsh_sublist()?;
                    return Ok(());
                }
            };
            let next = self.peek()?;
            let keyword = self.keyword();
            match keyword {
                "elif" => self.scan.at += keyword.len(),
                "else" => {
                    self.scan.at += keyword.len();
                    self.separators_and_more(Unclosed::Compound)?;
                    if braces && self.keyword() == "{" {
                        return self.zsh_group();
                    }
                    self.zsh_list()?;
                    return self.closing("fi", Unclosed::Compound);
                }
                "fi" => {
                    self.scan.at += keyword.len();
                    return Ok(());
                }
                _ if braces => return Ok(()),
                _ if next.is_none() => return Err(Stop::More(Unclosed::Compound)),
                // zsh reads one word too far before it refuses, and may ask for that.
                _ => return Err(Stop::Doubt),
            }
        }
    }

    /// The body of a loop.
    fn zsh_body(&mut self) -> Judged<()> {
        self.separators_and_more(Unclosed::Compound)?;
        match self.keyword() {
            "do" => {
                self.scan.at += "do".len();
                self.zsh_list()?;
                self.closing("done", Unclosed::Compound)
            }
            "{" => self.zsh_group(),
            _ => self.zsh_sublist().map(drop),
        }
    }

    fn zsh_for(&mut self, keyword: &str) -> Judged<()> {
        self.scan.at += keyword.len();
        self.peek()?;
        if keyword == "for" && self.scan.starts_with("((") {
            if !self.arithmetic()? {
                return Err(Stop::Doubt);
            }
        } else {
            self.zsh_names(keyword)?;
            // At the end of the first line `in` may still follow.
            let late = self.peek()? == Some(b'\n');
            if self.scan.starts_with("()") {
                return Err(Stop::Doubt);
            }
            let next = self.new_lines()?.ok_or(Stop::More(Unclosed::Compound))?;
            if self.scan.keyword() == "in" {
                self.scan.at += "in".len();
                while self.word()? {}
                match self.peek()? {
                    None => return Err(Stop::More(Unclosed::Compound)),
                    Some(b'\n') => {}
                    Some(b';') if self.is_semicolon() => {}
                    Some(_) => return Err(Stop::Broken),
                }
            } else if next == b'(' && !late {
                self.scan.at += 1;
                while self.separators_and_more(Unclosed::Bracket)? != b')' {
                    if !self.word()? {
                        return Err(Stop::Broken);
                    }
                }
                self.scan.at += 1;
            }
        }
        if keyword != "foreach" {
            return self.zsh_body();
        }
        self.separators_and_more(Unclosed::Compound)?;
        if matches!(self.keyword(), "do" | "{") {
            return self.zsh_body();
        }
        self.zsh_list()?;
        self.closing("end", Unclosed::Compound)
    }

    /// The variables of a loop.
    fn zsh_names(&mut self, keyword: &str) -> Judged<()> {
        let mut first = true;
        loop {
            let next = self.peek()?;
            let from = self.scan.at;
            if !first && (keyword == "select" || self.scan.keyword() == "in" || !self.keyword().is_empty()) {
                return Ok(());
            }
            if !first && next == Some(b'(') || !self.word()? {
                return if first { Err(Stop::Broken) } else { Ok(()) };
            }
            first = false;
            let name = self.scan.text.get(from..self.scan.at).unwrap_or_default();
            if name.starts_with('(') {
                return Err(Stop::Broken);
            }
            if name.contains(['\\', '\'', '"', '$', '`', '=', '[']) || !name.is_ascii() {
                return Err(Stop::Doubt);
            }
            if !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
                return Err(Stop::Broken);
            }
        }
    }

    fn zsh_case(&mut self) -> Judged<()> {
        self.scan.at += "case".len();
        if !self.word()? {
            return Err(Stop::Broken);
        }
        self.separators_and_more(Unclosed::Compound)?;
        match (self.scan.keyword(), self.keyword()) {
            ("in", _) => self.scan.at += "in".len(),
            (_, "{") => self.scan.at += 1,
            _ => return Err(Stop::Broken),
        }
        loop {
            self.separators_and_more(Unclosed::Compound)?;
            if let keyword @ ("esac" | "}") = self.keyword() {
                self.scan.at += keyword.len();
                return Ok(());
            }
            self.scan.case_patterns(&mut self.frame);
            self.whole_so_far()?;
            if self.scan.bytes.get(self.scan.at.wrapping_sub(1)) != Some(&b')') {
                return Err(Stop::Doubt);
            }
            self.zsh_list()?;
            if self.peek()?.is_none() {
                return Err(Stop::More(Unclosed::Compound));
            }
            if self.case_end() {
                continue;
            }
            let keyword @ ("esac" | "}") = self.keyword() else {
                // The end of a pattern is hard to tell, so this may still be one.
                return Err(Stop::Doubt);
            };
            self.scan.at += keyword.len();
            return Ok(());
        }
    }

    fn zsh_function(&mut self) -> Judged<()> {
        self.scan.at += "function".len();
        let mut names = 0usize;
        loop {
            let brace = self.peek()? == Some(b'{') && self.scan.keyword() == "{";
            if brace || !self.word()? {
                break;
            }
            names += 1;
        }
        if self.scan.starts_with("()") {
            self.scan.at += 2;
        }
        self.separators_and_more(Unclosed::Compound)?;
        if self.keyword() == "{" {
            self.zsh_group()?;
            self.redirections()?;
        } else {
            self.zsh_sublist()?;
        }
        self.zsh_function_words(names == 0)
    }

    /// After `()`.
    fn zsh_function_body(&mut self, anonymous: bool) -> Judged<()> {
        self.separators_and_more(Unclosed::Compound)?;
        if self.keyword() == "{" {
            self.zsh_group()?;
            self.redirections()?;
        } else if !self.zsh_command()? {
            return Err(Stop::Broken);
        }
        self.zsh_function_words(anonymous)
    }

    /// Words after an anonymous function are its arguments.
    fn zsh_function_words(&mut self, anonymous: bool) -> Judged<()> {
        if anonymous {
            self.redirections()?;
            while self.word()? {
                self.redirections()?;
            }
        }
        Ok(())
    }
}
