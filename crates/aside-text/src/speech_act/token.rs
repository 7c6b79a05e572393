//! Tokenizes a request: words with their positions, and punctuation. Quoted text, and anything that is not spelled like
//! a word (`main.rs`, `--force`, `feature/login`), is a name, whatever words it contains.

use std::ops::Range;

use crate::is_han;

/// Tokens that are read; the rest of a longer text is ignored.
const MAX_TOKENS: usize = 400;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// In lower case; an apostrophe is always `'`.
    pub low: String,
    pub span: Range<usize>,
    pub sort: TokenKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// Letters, with apostrophes and hyphens among them
    Word,
    /// A file, a flag, a number, a version
    Name,
    Quoted,
    Mark,
    /// One Chinese character
    Han,
}

impl Token {
    pub fn is(&self, word: &str) -> bool {
        self.low == word && self.sort != TokenKind::Quoted
    }

    pub fn is_word(&self) -> bool {
        self.sort == TokenKind::Word
    }
}

/// Opening quotes and what closes each.
const QUOTES: [(char, char); 10] = [
    ('"', '"'),
    ('`', '`'),
    ('\'', '\''),
    ('“', '”'),
    ('‘', '’'),
    ('「', '」'),
    ('『', '』'),
    ('«', '»'),
    ('《', '》'),
    ('〈', '〉'),
];

pub fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(letter) = text.get(at..).and_then(|rest| rest.chars().next()) {
        if tokens.len() >= MAX_TOKENS {
            break;
        }
        let rest = text.get(at..).unwrap_or_default();
        let taken = if letter == '\n' {
            push(&mut tokens, "\n", at..at + 1, TokenKind::Mark);
            1
        } else if letter.is_whitespace() {
            letter.len_utf8()
        } else if let Some(length) = quoted(rest) {
            push(&mut tokens, rest.get(..length).unwrap_or_default(), at..at + length, TokenKind::Quoted);
            length
        } else if is_han(letter) && !is_named_han(rest) {
            let length = letter.len_utf8();
            push(&mut tokens, rest.get(..length).unwrap_or_default(), at..at + length, TokenKind::Han);
            length
        } else if let Some(mark) = mark(letter) {
            let length = letter.len_utf8();
            push(&mut tokens, mark, at..at + length, TokenKind::Mark);
            length
        } else {
            word(rest, at, &mut tokens)
        };
        at += taken.max(1);
    }
    tokens
}

fn push(tokens: &mut Vec<Token>, text: &str, span: Range<usize>, sort: TokenKind) {
    let low = text.to_lowercase().replace(['’', '´', '‘'], "'");
    tokens.push(Token { low, span, sort });
}

/// The length of a quoted text here. An apostrophe closes only at the end of a word: `what's`, `users' files`.
fn quoted(rest: &str) -> Option<usize> {
    let mut letters = rest.char_indices();
    let (_, first) = letters.next()?;
    let (_, close) = QUOTES.iter().find(|(open, _)| *open == first)?;
    let ends = |(at, letter): &(usize, char)| {
        let next = rest.get(at + letter.len_utf8()..).and_then(|rest| rest.chars().next());
        *letter == *close && (!matches!(close, '\'' | '’') || next.is_none_or(|next| !next.is_alphanumeric()))
    };
    let (at, letter) = letters.find(ends)?;
    (at > first.len_utf8()).then_some(at + letter.len_utf8())
}

/// A punctuation mark in its normalized form.
fn mark(letter: char) -> Option<&'static str> {
    Some(match letter {
        ',' | '，' | '(' | ')' | '（' | '）' => ",",
        '、' => "、",
        ';' | '；' => ";",
        '?' | '？' => "?",
        '!' | '！' => "!",
        '。' => ".",
        '：' => ":",
        '…' => ".",
        '—' | '–' => ";",
        _ => return None,
    })
}

/// A word up to a blank or a Chinese character, and the punctuation behind it.
fn word(rest: &str, at: usize, tokens: &mut Vec<Token>) -> usize {
    let ends = |letter: char| {
        letter.is_whitespace()
            || is_han(letter)
            || matches!(letter, '，' | '。' | '？' | '！' | '；' | '：' | '、' | '（' | '）')
    };
    let length = match is_named_han(rest) {
        true => rest.find(|letter: char| letter.is_whitespace() || mark(letter).is_some()).unwrap_or(rest.len()),
        false => rest.find(ends).unwrap_or(rest.len()),
    };
    let whole = rest.get(..length).unwrap_or_default();
    // A quote inside a word begins a token of its own: `author:"me"`.
    let length = whole.char_indices().skip(1).find(|(_, letter)| *letter == '"').map_or(length, |(quote, _)| quote);
    let whole = rest.get(..length).unwrap_or_default();
    let bare = whole.trim_end_matches([',', '.', ';', ':', '?', '!', ')', '…']);
    // `..`, `ls .` and `~/.` are names.
    let bare =
        if bare.is_empty() || bare.ends_with('/') { whole.trim_end_matches([',', ';', '?', '!', ')']) } else { bare };
    let opened = bare.len() - bare.trim_start_matches(['(', '[']).len();
    let inner = bare.get(opened..).unwrap_or_default();
    if opened > 0 {
        push(tokens, ",", at..at + opened, TokenKind::Mark);
    }
    let from = at + opened;
    match inner {
        "" if bare.is_empty() => {}
        "-" | "--" | "—" => push(tokens, ";", from..from + inner.len(), TokenKind::Mark),
        "" => {}
        inner => push(tokens, inner, from..from + inner.len(), sort_of(inner)),
    }
    for (index, letter) in whole.char_indices().skip_while(|(index, _)| *index < bare.len()) {
        let mark = match letter {
            ')' | ',' => ",",
            '.' | '…' => ".",
            ':' => ":",
            ';' => ";",
            '?' => "?",
            _ => "!",
        };
        push(tokens, mark, at + index..at + index + letter.len_utf8(), TokenKind::Mark);
    }
    length
}

fn sort_of(word: &str) -> TokenKind {
    let is_plain = |letter: char| letter.is_alphabetic() || matches!(letter, '\'' | '’' | '‘' | '´' | '-');
    let spelled = word.chars().all(is_plain) && !word.starts_with('-');
    let known = matches!(
        word.to_lowercase().as_str(),
        "w/o" | "and/or" | "/s" | "&" | "k8s" | "s3" | "pip3" | "dos2unix" | "unix2dos" | "base64"
    );
    if spelled || known { TokenKind::Word } else { TokenKind::Name }
}

/// `手册.doc`: a name that begins with Chinese.
fn is_named_han(rest: &str) -> bool {
    let mut letters = rest.chars();
    if !letters.next().is_some_and(is_han) {
        return false;
    }
    let end = rest.find(|letter: char| !is_han(letter)).unwrap_or(rest.len());
    let tail = rest.get(end..).unwrap_or_default();
    let mut after = tail.chars();
    end <= 8 * 3 && after.next() == Some('.') && after.next().is_some_and(|letter| letter.is_ascii_alphanumeric())
}

/// Whether it is Chinese with names in it, and not English with Chinese names.
pub fn is_chinese(tokens: &[Token]) -> bool {
    let han = tokens.iter().filter(|token| token.sort == TokenKind::Han).count();
    let words = tokens.iter().filter(|token| token.is_word()).count();
    han > 0
        && (han >= words
            || tokens.iter().any(|token| token.sort == TokenKind::Han && PARTICLES.contains(&token.low.as_str())))
}

/// Particles that occur in Chinese sentences.
const PARTICLES: [&str; 26] = [
    "的", "了", "吗", "把", "将", "不", "别", "没", "被", "是", "有", "在", "会", "要", "请", "帮", "怎", "谁", "呢",
    "吧", "和", "过", "着", "给", "到", "从",
];
