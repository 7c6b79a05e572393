//! Tokenizes code of some language into names, strings and marks. Knows just enough to tell a call from words in a string; ignores what it
//! does not recognise.

/// Tokens of one program; the rest is ignored.
const MAX_TOKENS: usize = 8192;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token {
    Name(String),
    /// A string without its quotes. Interpolations stay as `{x}` or `${x}`.
    Text(String),
    /// Between backquotes, where these run a shell.
    Shell(String),
    Mark(char),
    /// A newline.
    End,
}

/// What differs between languages.
#[derive(Clone, Copy, Debug, Default)]
pub struct Grammar {
    /// `f x` is a call.
    pub bare: bool,
    /// `(f x)` is a call.
    pub lisp: bool,
    /// Begins a comment.
    pub comment: &'static str,
    /// Backquotes run a shell.
    pub backquotes: bool,
    /// Additional characters of names.
    pub letters: &'static str,
    /// `/…/` is a regular expression.
    pub patterns: bool,
    /// A single quote begins no string.
    pub quote: bool,
}

pub fn grammar(language: &str) -> Grammar {
    let usual = Grammar::default();
    match language {
        "python" => Grammar { comment: "#", ..usual },
        "perl" | "raku" => Grammar { bare: true, comment: "#", backquotes: true, patterns: true, ..usual },
        "ruby" => Grammar { bare: true, comment: "#", backquotes: true, patterns: true, letters: "!?%", ..usual },
        "node" | "mongo" => Grammar { comment: "//", patterns: true, ..usual },
        "php" => Grammar { comment: "//", backquotes: true, ..usual },
        "lua" => Grammar { bare: true, comment: "--", ..usual },
        "r" | "matlab" => Grammar { comment: "#", ..usual },
        "julia" => Grammar { comment: "#", backquotes: true, ..usual },
        "tcl" => Grammar { bare: true, quote: true, ..usual },
        "elixir" => Grammar { bare: true, comment: "#", letters: "!?", ..usual },
        "erlang" => Grammar { comment: "%", ..usual },
        "jvm" | "swift" => Grammar { bare: true, comment: "//", ..usual },
        "haskell" => Grammar { bare: true, comment: "--", ..usual },
        "lisp" => Grammar { lisp: true, comment: ";", letters: "-/:.!*", quote: true, ..usual },
        "applescript" => Grammar { bare: true, comment: "--", quote: true, ..usual },
        "powershell" => Grammar { bare: true, comment: "#", letters: "-", ..usual },
        _ => usual,
    }
}

pub fn tokens(code: &str, grammar: Grammar) -> Vec<Token> {
    let mut lexer = Lexer { letters: code.chars().collect(), at: 0, grammar, tokens: Vec::new() };
    while lexer.at < lexer.letters.len() && lexer.tokens.len() < MAX_TOKENS {
        lexer.next();
    }
    lexer.tokens
}

struct Lexer {
    letters: Vec<char>,
    at: usize,
    grammar: Grammar,
    tokens: Vec<Token>,
}

impl Lexer {
    fn peek(&self, by: usize) -> Option<char> {
        self.letters.get(self.at + by).copied()
    }

    fn starts_with(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(by, letter)| self.peek(by) == Some(letter))
    }

    fn next(&mut self) {
        let Some(letter) = self.peek(0) else { return };
        let before = self.at.checked_sub(1).and_then(|at| self.letters.get(at));
        let comment = self.grammar.comment;
        // `s#a#b#` and `$#x` are no comments.
        let begins = before.is_none_or(|before| before.is_whitespace() || ";{}".contains(*before));
        if !comment.is_empty() && self.starts_with(comment) && (begins || comment != "#") {
            while self.peek(0).is_some_and(|letter| letter != '\n') {
                self.at += 1;
            }
            return;
        }
        match letter {
            '\n' => {
                self.tokens.push(Token::End);
                self.at += 1;
            }
            letter if letter.is_whitespace() => self.at += 1,
            '\'' if self.grammar.quote => self.mark('\''),
            '"' | '\'' => self.string(letter),
            '`' => {
                let text = self.until('`');
                self.tokens.push(if self.grammar.backquotes { Token::Shell(text) } else { Token::Text(text) });
            }
            '/' if self.grammar.patterns && self.pattern_begins() => drop(self.until('/')),
            letter if letter.is_alphabetic() || letter == '_' => self.name(),
            '%' if self.grammar.letters.contains('%') && self.starts_with("%x") => {
                self.at += 2;
                let text = self.bracketed();
                self.tokens.push(Token::Shell(text));
            }
            letter if letter.is_ascii_digit() => {
                let from = self.at;
                while self.peek(0).is_some_and(|letter| letter.is_alphanumeric() || letter == '.') {
                    self.at += 1;
                }
                let number: String = self.letters.get(from..self.at).unwrap_or_default().iter().collect();
                self.tokens.push(Token::Name(number));
            }
            letter => self.mark(letter),
        }
    }

    fn mark(&mut self, letter: char) {
        self.tokens.push(Token::Mark(letter));
        self.at += 1;
    }

    fn name(&mut self) {
        let from = self.at;
        let extra = self.grammar.letters;
        while self.peek(0).is_some_and(|one| one.is_alphanumeric() || one == '_' || (extra.contains(one) && one != '%'))
        {
            self.at += 1;
        }
        let name: String = self.letters.get(from..self.at).unwrap_or_default().iter().collect();
        // `r'…'`, `f"…"`
        let prefix = name.len() <= 2 && name.chars().all(|letter| "rbfuRBFU".contains(letter));
        match (name.as_str(), self.peek(0)) {
            (_, Some(quote @ ('"' | '\''))) if prefix => self.string(quote),
            ("q" | "qq" | "qw" | "qx", Some('(' | '{' | '[' | '/' | '|' | '!')) if self.grammar.backquotes => {
                let text = self.bracketed();
                self.tokens.push(if name == "qx" { Token::Shell(text) } else { Token::Text(text) });
            }
            ("m", Some('/' | '{' | '|' | '#' | '!')) if self.grammar.patterns => drop(self.bracketed()),
            ("s" | "y" | "tr", Some(open @ ('/' | '{' | '|' | '#' | '!'))) if self.grammar.patterns => {
                drop(self.bracketed());
                match open {
                    '{' => drop(self.bracketed()),
                    mark => {
                        self.at = self.at.saturating_sub(1);
                        drop(self.until(mark));
                    }
                }
            }
            _ => self.tokens.push(Token::Name(name)),
        }
    }

    fn string(&mut self, quote: char) {
        let triple: String = std::iter::repeat_n(quote, 3).collect();
        let text = if self.starts_with(&triple) {
            self.at += 3;
            let from = self.at;
            while self.at < self.letters.len() && !self.starts_with(&triple) {
                self.at += 1;
            }
            let text = self.letters.get(from..self.at).unwrap_or_default().iter().collect();
            self.at = (self.at + 3).min(self.letters.len());
            text
        } else {
            self.until(quote)
        };
        self.tokens.push(Token::Text(text));
    }

    /// The text up to the next closing quote; the opening one is here.
    fn until(&mut self, close: char) -> String {
        self.at += 1;
        let mut text = String::new();
        while let Some(letter) = self.peek(0) {
            self.at += 1;
            match letter {
                letter if letter == close => break,
                '\\' => {
                    match self.peek(0) {
                        Some('n') => text.push('\n'),
                        Some('r') => text.push('\n'),
                        Some('t') => text.push('\t'),
                        Some(letter) => text.push(letter),
                        None => {}
                    }
                    self.at += 1;
                }
                letter => text.push(letter),
            }
        }
        text
    }

    /// `(…)`, `{…}`, `/…/`
    fn bracketed(&mut self) -> String {
        let close = match self.peek(0) {
            Some('(') => ')',
            Some('{') => '}',
            Some('[') => ']',
            Some('<') => '>',
            Some(other) => other,
            None => return String::new(),
        };
        self.until(close)
    }

    /// Whether a slash here cannot be a division.
    fn pattern_begins(&self) -> bool {
        match self.tokens.last() {
            None | Some(Token::End) => true,
            Some(Token::Mark(mark)) => !matches!(mark, ')' | ']'),
            Some(Token::Name(name)) => {
                matches!(name.as_str(), "if" | "unless" | "and" | "or" | "not" | "split" | "grep" | "return" | "when")
            }
            Some(Token::Text(_) | Token::Shell(_)) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn short(code: &str, language: &str) -> String {
        let tokens = tokens(code, grammar(language)).into_iter().map(|token| match token {
            Token::Name(name) => name,
            Token::Text(text) => format!("'{text}'"),
            Token::Shell(text) => format!("`{text}`"),
            Token::Mark(mark) => mark.to_string(),
            Token::End => "$".to_owned(),
        });
        tokens.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn names_texts_and_marks() {
        assert_eq!(short("os.remove('a b') # x(y)", "python"), "os . remove ( 'a b' )");
        assert_eq!(short("f\"\"\"a\"b\"\"\"", "python"), "'a\"b'");
        assert_eq!(short("print if /unlink x/i; s#a#b#; `ls`", "perl"), "print if i ; ; `ls`");
        assert_eq!(short("a = b / c / d", "node"), "a = b / c / d");
        assert_eq!(short("%x(ls) qx{rm}", "ruby"), "`ls` `rm`");
        assert_eq!(short("(delete-file \"x\") ; y", "lisp"), "( delete-file 'x' )");
        assert_eq!(short("'", "python"), "''");
        assert_eq!(short("\"\\", "python"), "''");
    }
}
