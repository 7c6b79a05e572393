//! Tokenizes a line as a reader of prose sees it, and scores how much suggests prose. Knows no shell and no machine.

use crate::detect::word_lists::{WordClass, lists};

/// Words of a line that are read; longer lines are decided by their beginning.
const MAX_WORDS: usize = 64;

/// One word, between blanks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    pub raw: &'a str,
    /// In lower case, without the punctuation around it.
    pub plain: String,
    pub sort: TokenKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    Core,
    Link,
    Speech,
    /// In the specified list, but also a word of commands.
    Listed,
    /// Letters, perhaps with digits among them.
    Word,
    /// `3000`, `10MB`, `50%`
    Number,
    /// `README.md`, `src/main.rs`, `node_modules`
    Name,
    /// Inside quotes.
    Quoted,
    /// Something that only commands have: a flag, an assignment, a pipe, a glob.
    Sign,
}

/// The tokens of a line.
pub struct EnglishLine<'a> {
    pub tokens: Vec<Token<'a>>,
}

/// How strongly some words suggest prose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProseScore {
    pub words: usize,
    pub core: usize,
    pub link: usize,
    pub speech: usize,
    pub signs: usize,
    pub quoted: usize,
    pub names: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProseLevel {
    None,
    Weak,
    Fair,
    Strong,
}

impl<'a> EnglishLine<'a> {
    pub fn of(line: &'a str) -> Self {
        let mut tokens: Vec<Token<'a>> = Vec::new();
        let mut quote = None;
        for raw in line.split_whitespace().take(MAX_WORDS) {
            let sort = if let Some(open) = quote {
                if closes(raw, open) {
                    quote = None;
                }
                TokenKind::Quoted
            } else if let Some((open, rest)) = opens(raw) {
                if !closes(rest, open) {
                    quote = Some(open);
                }
                TokenKind::Quoted
            } else {
                TokenKind::Word
            };
            let plain = plain(raw);
            let sort = match sort {
                TokenKind::Quoted => sort,
                // The start of a function definition.
                _ if tokens.is_empty() && raw.contains("()") => TokenKind::Sign,
                _ if raw.contains("()") => TokenKind::Name,
                _ => sort_of(raw, &plain),
            };
            tokens.push(Token { raw, plain, sort });
        }
        for at in 0..tokens.len() {
            let followed =
                tokens.get(at + 1).is_some_and(|next| next.is_wordy() && next.plain.chars().nth(1).is_some());
            let loops = tokens.get(at + 1).is_some_and(|next| next.plain == "in");
            let before = at.checked_sub(1).and_then(|before| tokens.get(before));
            let preceded = before.is_some_and(|before| before.is_functional() || before.plain == "do");
            if let Some(token) = tokens.get_mut(at)
                && ((token.plain == "a" && !followed) || (token.plain == "i" && at > 0 && (loops || !preceded)))
            {
                token.sort = TokenKind::Word;
            }
        }
        Self { tokens }
    }

    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    /// The same, with globs and variables counted as names.
    pub fn softened(mut self) -> Self {
        for token in self.tokens.iter_mut().filter(|token| token.is_soft()) {
            token.sort = TokenKind::Name;
        }
        self
    }

    pub fn first(&self) -> Option<&Token<'a>> {
        self.tokens.first()
    }

    pub fn rest(&self) -> &[Token<'a>] {
        self.tokens.get(1..).unwrap_or_default()
    }
}

/// The quote that a word begins with, and the rest. Some quotes follow a bracket.
fn opens(raw: &str) -> Option<(char, &str)> {
    let bare = raw.trim_start_matches('(');
    let open = bare.chars().next().filter(|letter| matches!(letter, '"' | '\'' | '`'))?;
    Some((open, bare.get(1..).unwrap_or_default()))
}

/// Whether an open quote ends with this word.
fn closes(raw: &str, quote: char) -> bool {
    raw.trim_end_matches(['.', ',', '?', '!', ';', ':', ')']).ends_with(quote)
}

/// The word without surrounding punctuation.
fn plain(raw: &str) -> String {
    let around = |letter: char| {
        matches!(letter, '(' | ')' | '"' | '“' | '”' | '‘' | '[' | ']' | '«' | '»' | '¿' | '¡' | '*' | '_')
    };
    let behind = |letter: char| {
        around(letter)
            || matches!(letter, ',' | '.' | '?' | '!' | ';' | ':' | '\'' | '’' | '…' | '？' | '！' | '。' | '，' | '、')
    };
    let bare = raw.trim_start_matches(around).trim_end_matches(behind);
    bare.to_lowercase().replace('’', "'")
}

fn sort_of(raw: &str, plain: &str) -> TokenKind {
    if is_sum(plain) {
        return TokenKind::Number;
    }
    if is_sign(raw) {
        return TokenKind::Sign;
    }
    match lists().class(plain) {
        Some(WordClass::Core | WordClass::Article) => return TokenKind::Core,
        Some(WordClass::Link) => return TokenKind::Link,
        Some(WordClass::Speech) => return TokenKind::Speech,
        Some(WordClass::Listed) => return TokenKind::Listed,
        None => {}
    }
    if is_contracted(plain) {
        return TokenKind::Core;
    }
    if plain.is_empty() {
        // A dash between words, an emoticon.
        if matches!(raw, "." | "..") {
            return TokenKind::Name;
        }
        return if raw.chars().all(|letter| matches!(letter, '-' | '–' | '—' | '.' | '…' | ',' | '?' | '!' | ')' | ':'))
        {
            TokenKind::Word
        } else {
            TokenKind::Sign
        };
    }
    if plain.starts_with(|letter: char| letter.is_ascii_digit())
        && plain.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '.' | ',' | '%' | ':' | '-'))
        && plain.chars().filter(char::is_ascii_alphabetic).count() <= 3
    {
        return TokenKind::Number;
    }
    let is_lettered = |letter: char| letter.is_alphanumeric() || matches!(letter, '\'' | '-');
    if plain.chars().all(is_lettered) { TokenKind::Word } else { TokenKind::Name }
}

/// `ain't`, `server's`: the apostrophe is a quote to a shell.
fn is_contracted(plain: &str) -> bool {
    let ends = ["n't", "'s", "'re", "'ll", "'ve", "'d", "'m"];
    ends.iter().any(|end| {
        plain.strip_suffix(end).is_some_and(|word| !word.is_empty() && word.chars().all(char::is_alphabetic))
    })
}

/// `3*7+2`
fn is_sum(plain: &str) -> bool {
    let is_digit = |letter: char| letter.is_ascii_digit();
    plain.starts_with(is_digit)
        && plain.ends_with(is_digit)
        && plain.contains(['+', '*', '/', '^'])
        && plain.chars().all(|letter| is_digit(letter) || matches!(letter, '+' | '-' | '*' | '/' | '.' | '^' | '%'))
}

/// Characters that prose does not use.
fn is_sign(raw: &str) -> bool {
    let bare = raw.trim_end_matches([',', '.', '?', '!', ';', ':', ')', '"']);
    if bare.starts_with("http://") || bare.starts_with("https://") {
        return false;
    }
    let is_flag = bare.len() > 1
        && bare.starts_with('-')
        && bare[1..].starts_with(|letter: char| letter == '-' || letter.is_ascii_alphanumeric());
    // `*word*` is emphasis.
    let stressed = bare.strip_prefix('*').and_then(|word| word.strip_suffix('*'));
    let inner = stressed.unwrap_or(bare).trim_start_matches('(');
    is_flag
        || raw.ends_with(';')
        || inner.contains(['$', '`', '|', '>', '<', '&', ';', '=', '*', '{', '}', '\\', '?', '^', '#'])
        || matches!(raw, "!" | "[" | "]" | "[[" | "]]" | "{" | "}" | "(" | ")")
}

impl Token<'_> {
    /// Letters, or a number.
    pub fn is_plain(&self) -> bool {
        self.is_wordy() || self.sort == TokenKind::Number
    }

    pub fn is_contracted(&self) -> bool {
        is_contracted(&self.plain)
    }

    /// A number, or a word in the dictionary.
    pub fn is_english(&self) -> bool {
        match self.sort {
            TokenKind::Core | TokenKind::Link | TokenKind::Speech | TokenKind::Listed | TokenKind::Number => true,
            TokenKind::Word => lists().is_word(&self.plain),
            TokenKind::Name | TokenKind::Quoted | TokenKind::Sign => false,
        }
    }

    /// A glob, a variable, or `<file>`: it stands for a name, also in prose.
    pub fn is_soft(&self) -> bool {
        let bare = self.raw.trim_end_matches([',', '.', '?', '!', ':', ')']);
        let is_placeholder = bare.len() > 2 && bare.starts_with('<') && bare.ends_with('>');
        let is_hard = |letter: char| !(letter.is_alphanumeric() || "*$.-_/{}?~@".contains(letter));
        self.sort == TokenKind::Sign
            && !bare.starts_with('-')
            && (is_placeholder || !bare.contains(is_hard) && bare.contains(['*', '$']) && bare.len() > 1)
    }

    /// Function words, which hold a sentence together.
    pub fn is_functional(&self) -> bool {
        matches!(self.sort, TokenKind::Core | TokenKind::Link | TokenKind::Speech)
    }

    pub fn is_wordy(&self) -> bool {
        matches!(self.sort, TokenKind::Core | TokenKind::Link | TokenKind::Speech | TokenKind::Listed | TokenKind::Word)
    }
}

impl ProseScore {
    pub fn of(tokens: &[Token<'_>]) -> Self {
        let count = |sort: TokenKind| tokens.iter().filter(|token| token.sort == sort).count();
        Self {
            words: tokens.len(),
            core: count(TokenKind::Core),
            link: count(TokenKind::Link),
            speech: count(TokenKind::Speech),
            signs: count(TokenKind::Sign),
            quoted: count(TokenKind::Quoted),
            names: count(TokenKind::Name),
        }
    }

    pub fn functional(&self) -> usize {
        self.core + self.link + self.speech
    }

    /// The level of the words behind a command.
    pub fn level(&self) -> ProseLevel {
        let together = self.functional();
        if self.signs > 0 {
            return if together > 0 { ProseLevel::Weak } else { ProseLevel::None };
        }
        if self.words >= 2 && (self.core >= 2 || self.core >= 1 && together >= 2) {
            ProseLevel::Strong
        } else if self.core >= 1 && self.words >= 2 || together >= 2 && self.words >= 3 {
            ProseLevel::Fair
        } else if together > 0 {
            ProseLevel::Weak
        } else {
            ProseLevel::None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorts(line: &str) -> Vec<TokenKind> {
        EnglishLine::of(line).tokens.iter().map(|token| token.sort).collect()
    }

    #[test]
    fn words_are_sorted_by_what_they_do_for_a_sentence() {
        use TokenKind::*;
        assert_eq!(sorts("make sure the tests pass"), [Listed, Core, Core, Listed, Word]);
        assert_eq!(sorts("ls -la | wc"), [Word, Sign, Sign, Word]);
        assert_eq!(sorts("what's in src/main.rs?"), [Core, Link, Name]);
        assert_eq!(sorts("kill 3000, 10MB (now)"), [Word, Number, Number, Speech]);
        assert_eq!(sorts("git commit -m \"fix the bug\" x"), [Word, Listed, Sign, Quoted, Quoted, Quoted, Word]);
        assert_eq!(sorts("cp a b"), [Word, Word, Word], "a letter is no article");
        assert_eq!(sorts("for i in x"), [Link, Word, Link, Word]);
        assert_eq!(sorts("do i have it"), [Listed, Core, Core, Core]);
        assert_eq!(sorts("rm *.txt a=b $x {a,b} how?"), [Word, Sign, Sign, Sign, Sign, Core]);
    }
}
