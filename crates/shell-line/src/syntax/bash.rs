//! Checks bash's grammar. A list has at least one command, and a loop has its `do`.

use crate::Unclosed;
use crate::scan::is_end_of_word;
use crate::syntax::{Judge, Judged, Stop};
use crate::word::Place;

pub(super) const RESERVED: &[&str] = &[
    "!", "[[", "]]", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if", "in",
    "select", "then", "time", "until", "while", "{", "}",
];

impl Judge<'_> {
    pub(super) fn bash(&mut self) -> Judged<()> {
        self.bash_list()?;
        match self.peek()? {
            None => Ok(()),
            Some(_) => Err(Stop::Broken),
        }
    }

    /// False when it has no command.
    fn bash_list(&mut self) -> Judged<bool> {
        let mut found = false;
        loop {
            self.new_lines()?;
            if !self.bash_sublist()? {
                return Ok(found);
            }
            found = true;
            match self.peek()? {
                Some(b'\n') => {}
                Some(b';') if self.is_semicolon() => self.scan.at += 1,
                Some(b'&') if self.is_background() => self.scan.at += 1,
                _ => return Ok(true),
            }
        }
    }

    /// A list that must not be empty, and its end.
    fn bash_list_to(&mut self, keyword: &str) -> Judged<()> {
        self.bash_commands(Unclosed::Compound)?;
        self.closing(keyword, Unclosed::Compound)
    }

    fn bash_commands(&mut self, open: Unclosed) -> Judged<()> {
        match self.bash_list()? {
            true => Ok(()),
            false if self.peek()?.is_none() => Err(Stop::More(open)),
            false => Err(Stop::Broken),
        }
    }

    fn bash_sublist(&mut self) -> Judged<bool> {
        if !self.bash_pipeline()? {
            return Ok(false);
        }
        loop {
            self.peek()?;
            if !self.and_or() {
                return Ok(true);
            }
            self.new_lines()?.ok_or(Stop::More(Unclosed::Operator))?;
            if !self.bash_pipeline()? {
                return Err(Stop::Broken);
            }
        }
    }

    fn bash_pipeline(&mut self) -> Judged<bool> {
        let mut piped = false;
        loop {
            let prefixed = self.bash_prefixes()?;
            if !self.bash_command()? {
                return match self.peek()? {
                    None | Some(b'\n' | b';') if prefixed => Ok(true),
                    _ if piped || prefixed => Err(Stop::Broken),
                    _ => Ok(false),
                };
            }
            self.peek()?;
            if !self.pipe() {
                return Ok(true);
            }
            piped = true;
            self.new_lines()?.ok_or(Stop::More(Unclosed::Operator))?;
        }
    }

    /// `!`, `time`, `time -p --`
    fn bash_prefixes(&mut self) -> Judged<bool> {
        let mut found = false;
        loop {
            self.peek()?;
            let keyword = self.keyword();
            if !matches!(keyword, "!" | "time") {
                return Ok(found);
            }
            found = true;
            self.scan.at += keyword.len();
            // Without a blank it is an extended glob, if those are enabled.
            if keyword == "!" && self.scan.peek() == Some(b'(') {
                return Err(Stop::Doubt);
            }
            for flag in ["-p", "--"] {
                self.peek()?;
                if keyword == "time" && self.scan.keyword() == flag {
                    self.scan.at += flag.len();
                }
            }
        }
    }

    fn bash_command(&mut self) -> Judged<bool> {
        self.begin();
        if self.bash_compound()? {
            return Ok(true);
        }
        match self.keyword() {
            "" => self.bash_simple(),
            "function" => {
                self.scan.at += "function".len();
                if !self.word()? {
                    return Err(Stop::Broken);
                }
                self.peek()?;
                self.empty_parens();
                self.bash_function_body()?;
                Ok(true)
            }
            "coproc" => {
                self.scan.at += "coproc".len();
                self.bash_coproc()?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    fn bash_coproc(&mut self) -> Judged<()> {
        if self.bash_compound()? {
            return Ok(());
        }
        self.begin();
        if !matches!(self.peek()?, Some(byte) if !is_end_of_word(byte)) {
            return if self.bash_simple()? { Ok(()) } else { Err(Stop::Broken) };
        }
        self.word_of_command()?;
        // The word before may have been the coprocess's name.
        if !self.bash_compound()? {
            self.bash_simple()?;
        }
        Ok(())
    }

    /// Consumes `()`.
    fn empty_parens(&mut self) -> bool {
        let length = if self.scan.peek() == Some(b'(') { self.scan.empty_parens() } else { None };
        self.scan.at += length.unwrap_or(0);
        length.is_some()
    }

    fn bash_function_body(&mut self) -> Judged<()> {
        self.new_lines()?.ok_or(Stop::More(Unclosed::Compound))?;
        if self.bash_compound()? { Ok(()) } else { Err(Stop::Broken) }
    }

    fn bash_simple(&mut self) -> Judged<bool> {
        let mut found = false;
        loop {
            match self.peek()? {
                None | Some(b';' | b'\n' | b'|' | b')') => return Ok(found),
                Some(b'&') if !self.is_redirection() => return Ok(found),
                Some(b'(') => {
                    let owner = self.scan.owner.and_then(|owner| self.scan.commands.get(owner));
                    let named = owner.is_some_and(|command| {
                        command.words.len() == 1 && command.assignments.is_empty() && command.redirections.is_empty()
                    });
                    if !named {
                        return Err(Stop::Broken);
                    }
                    if !self.empty_parens() {
                        // bash refuses the word that comes next.
                        self.scan.at += 1;
                        return Err(Stop::Broken);
                    }
                    self.bash_function_body()?;
                    return Ok(true);
                }
                Some(_) if self.is_redirection() => self.redirection()?,
                Some(_) => self.word_of_command()?,
            }
            found = true;
        }
    }

    /// A compound command, which begins with a reserved word or a bracket; false when there is none.
    fn bash_compound(&mut self) -> Judged<bool> {
        self.deeper(Self::bash_compound_here)
    }

    fn bash_compound_here(&mut self) -> Judged<bool> {
        let first = self.peek()?;
        let keyword = self.keyword();
        match keyword {
            "" if first == Some(b'(') => {
                if !self.arithmetic()? {
                    self.scan.at += 1;
                    self.bash_commands(Unclosed::Bracket)?;
                    self.closing_paren()?;
                }
            }
            "[[" => self.condition()?,
            "{" => {
                self.scan.at += 1;
                self.bash_commands(Unclosed::Bracket)?;
                self.closing("}", Unclosed::Bracket)?;
            }
            "if" => self.bash_if()?,
            "while" | "until" => {
                self.scan.at += keyword.len();
                self.bash_list_to("do")?;
                self.bash_list_to("done")?;
            }
            "for" | "select" => self.bash_for(keyword)?,
            "case" => self.bash_case()?,
            _ => return Ok(false),
        }
        self.redirections()?;
        Ok(true)
    }

    fn bash_if(&mut self) -> Judged<()> {
        self.scan.at += "if".len();
        loop {
            self.bash_list_to("then")?;
            self.bash_commands(Unclosed::Compound)?;
            let next = self.peek()?;
            match self.keyword() {
                "elif" => self.scan.at += "elif".len(),
                "else" => {
                    self.scan.at += "else".len();
                    return self.bash_list_to("fi");
                }
                "fi" => {
                    self.scan.at += "fi".len();
                    return Ok(());
                }
                _ if next.is_none() => return Err(Stop::More(Unclosed::Compound)),
                _ => return Err(Stop::Broken),
            }
        }
    }

    fn bash_for(&mut self, keyword: &str) -> Judged<()> {
        self.scan.at += keyword.len();
        self.peek()?;
        if keyword == "for" && self.scan.starts_with("((") {
            if !self.arithmetic()? {
                return Err(Stop::Doubt);
            }
        } else if !self.word()? {
            return Err(Stop::Broken);
        }
        if self.peek()? != Some(b';') {
            self.new_lines()?;
            if self.scan.keyword() == "in" {
                self.scan.at += "in".len();
                while self.word()? {}
                match self.peek()? {
                    None => return Err(Stop::More(Unclosed::Compound)),
                    Some(b'\n' | b';') => {}
                    Some(_) => return Err(Stop::Broken),
                }
            }
        }
        self.peek()?;
        if self.is_semicolon() {
            self.scan.at += 1;
        }
        self.new_lines()?.ok_or(Stop::More(Unclosed::Compound))?;
        match self.keyword() {
            "do" => {
                self.scan.at += "do".len();
                self.bash_list_to("done")
            }
            "{" => {
                self.scan.at += 1;
                self.bash_commands(Unclosed::Bracket)?;
                self.closing("}", Unclosed::Bracket)
            }
            _ => Err(Stop::Broken),
        }
    }

    fn bash_case(&mut self) -> Judged<()> {
        self.scan.at += "case".len();
        if !self.word()? {
            return Err(Stop::Broken);
        }
        self.new_lines()?.ok_or(Stop::More(Unclosed::Compound))?;
        if self.scan.keyword() != "in" {
            return Err(Stop::Broken);
        }
        self.scan.at += "in".len();
        loop {
            let next = self.new_lines()?.ok_or(Stop::More(Unclosed::Compound))?;
            if self.keyword() == "esac" {
                return self.closing("esac", Unclosed::Compound);
            }
            self.scan.at += usize::from(next == b'(');
            self.bash_patterns()?;
            self.bash_list()?;
            if self.peek()?.is_none() {
                return Err(Stop::More(Unclosed::Compound));
            }
            if !self.case_end() {
                return self.closing("esac", Unclosed::Compound);
            }
        }
    }

    /// Reads up to the `)` after the patterns.
    fn bash_patterns(&mut self) -> Judged<()> {
        loop {
            self.begin();
            self.peek()?;
            let before = self.scan.at;
            self.scan.word(Place::Array);
            if self.scan.at == before {
                return Err(Stop::Doubt);
            }
            match self.peek()? {
                Some(b'|') => self.scan.at += 1,
                Some(b')') => {
                    self.scan.at += 1;
                    return Ok(());
                }
                Some(byte) if !is_end_of_word(byte) => return Err(Stop::Broken),
                _ => return Err(Stop::Doubt),
            }
        }
    }
}
