//! Classifies the words of a line: possible words of a sentence, names, flags, or text that a command was given. Knows
//! no language.

use super::Script;
use super::word_lists::{self, Program};

/// Words that are read; the beginning is enough.
const MAX_WORDS: usize = 24;
/// Bytes of a word that are read: Chinese has no blanks, so a word may be a sentence.
const MAX_WORD: usize = 240;
/// Bytes of all words together.
const MAX_BYTES: usize = 480;

/// Flags that are followed by free text: a message, a title, a name.
const TEXT_FLAGS: &[&str] = &[
    "-m",
    "-am",
    "-sm",
    "-a",
    "--message",
    "-t",
    "--title",
    "-b",
    "--body",
    "-s",
    "--subject",
    "-n",
    "--name",
    "-c",
    "-e",
    "-p",
    "-i",
    "-o",
    "-d",
    "-v",
    "--text",
    "--comment",
    "--description",
];

/// Punctuation that is trimmed off a word.
const PUNCTUATION: &[char] = &[
    '.', ',', ';', ':', '!', '?', '¿', '¡', '…', '(', ')', '«', '»', '„', '“', '”', '‘', '’', '、', '。', '，', '！',
    '？', '：', '；', '（', '）', '「', '」', '『', '』', '《', '》', '【', '】', '～', '·',
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// It may be a word of a sentence.
    Plain,
    /// A file, a number, a variable: occurs in sentences too, and counts for nothing.
    Name,
    Flag,
    Operator,
    Quoted,
}

#[derive(Debug)]
pub struct Token<'a> {
    /// Without punctuation around it.
    pub text: &'a str,
    pub kind: TokenKind,
    /// It may be the value of a flag before it.
    pub given: bool,
    pub script: Option<Script>,
}

/// What a line begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstToken {
    /// A word in the script of the language.
    Own,
    /// A known program, by the kind of its arguments.
    Program(Program),
    /// A word in Latin letters, or a file.
    Other,
}

#[derive(Debug)]
pub struct TokenizedLine<'a> {
    pub pieces: Vec<Token<'a>>,
    pub leader: FirstToken,
    pub flags: bool,
    pub operators: bool,
    /// The script of the most telling words, if not Latin.
    pub script: Option<Script>,
    pub asks: bool,
}

impl<'a> TokenizedLine<'a> {
    /// `None` when the line cannot be a sentence whatever its words are.
    pub fn read(words: &[&'a str]) -> Option<Self> {
        let first = *words.first()?;
        if first.starts_with(['#', '-', '~', '$', '/', '\\', '\'', '"', '`', '&', '|', ';', '<', '>', '{', '}', '['])
            || first.starts_with("./")
            || first.starts_with("../")
        {
            return None;
        }
        let pieces = pieces(words);
        let leading = pieces.first()?;
        let is_named = leading.kind == TokenKind::Name
            && (leading.text.is_empty() || leading.text.contains(['/', '=', '$', '\\', '*']));
        if is_named || matches!(leading.kind, TokenKind::Flag | TokenKind::Operator | TokenKind::Quoted) {
            return None;
        }
        let leader = match (leading.script, word_lists::program(leading.text)) {
            (Some(_), _) if leading.kind == TokenKind::Plain => FirstToken::Own,
            (_, Some(program)) if program != Program::Thing => FirstToken::Program(program),
            (..) => FirstToken::Other,
        };
        let has = |kind: TokenKind| pieces.iter().any(|piece| piece.kind == kind);
        let last = words.last().copied().unwrap_or_default();
        Some(Self {
            leader,
            flags: has(TokenKind::Flag),
            operators: has(TokenKind::Operator),
            script: script(&pieces),
            asks: last.ends_with(['?', '？']),
            pieces,
        })
    }

    pub fn plain(&self) -> impl Iterator<Item = &Token<'a>> {
        self.pieces.iter().filter(|piece| piece.kind == TokenKind::Plain)
    }
}

/// Kana and Hangul identify the language even among Chinese characters.
fn script(pieces: &[Token<'_>]) -> Option<Script> {
    let has = |script| pieces.iter().any(|piece| piece.kind == TokenKind::Plain && piece.script == Some(script));
    [Script::Hangul, Script::Kana, Script::Han, Script::Cyrillic].into_iter().find(|script| has(*script))
}

fn pieces<'a>(words: &[&'a str]) -> Vec<Token<'a>> {
    let mut pieces = Vec::with_capacity(words.len().min(MAX_WORDS));
    let mut open = None;
    let mut before = "";
    let mut bytes = 0;
    for word in words.iter().take(MAX_WORDS) {
        let word = head(word);
        bytes += word.len();
        if bytes > MAX_BYTES {
            break;
        }
        let text = word.trim_matches(PUNCTUATION);
        let kind = if let Some(quote) = open {
            if word.contains(quote) {
                open = None;
            }
            TokenKind::Quoted
        } else if let Some(quote) = opened(word) {
            if word.matches(quote).count() % 2 == 1 {
                open = Some(quote);
            }
            TokenKind::Quoted
        } else if before.ends_with('\\') {
            TokenKind::Name
        } else {
            kind(word, text)
        };
        pieces.push(Token { text, kind, given: TEXT_FLAGS.contains(&before), script: letters(text) });
        before = word;
    }
    pieces
}

fn head(word: &str) -> &str {
    let end = word.char_indices().map(|(at, letter)| at + letter.len_utf8()).take_while(|end| *end <= MAX_WORD).last();
    word.get(..end.unwrap_or(0)).unwrap_or_default()
}

/// The quote that a word opens or contains. An apostrophe counts only where no word has one.
fn opened(word: &str) -> Option<char> {
    let is_around = word.matches('"').count().is_multiple_of(2)
        && word.chars().next().is_some_and(|letter| Script::of(letter).is_some());
    if word.contains('"') && !is_around {
        return Some('"');
    }
    (word.starts_with('\'') || word.contains("='") || word.matches('\'').count() > 1).then_some('\'')
}

fn kind(word: &str, text: &str) -> TokenKind {
    if word.starts_with('-') && word.len() > 1 {
        return TokenKind::Flag;
    }
    if word.contains(['|', '<', '>', '`', '&']) || word.ends_with(';') || word.contains("$(") {
        return TokenKind::Operator;
    }
    let is_spoken_around = text.contains('/') && is_path_in_sentence(text);
    let is_named = word.contains(['$', '*', '=', '\\', '{', '}', '@', '#', '%', '[', ']', '~', '^', '+', '_']);
    if text.is_empty() || is_named || (text.contains('/') && !is_spoken_around) || word.starts_with('.') {
        return TokenKind::Name;
    }
    if letters(text).is_some() {
        return if has_extension(text) { TokenKind::Name } else { TokenKind::Plain };
    }
    if text.contains(['.', ':', ',']) || text.contains(|letter: char| letter.is_ascii_digit()) {
        return TokenKind::Name;
    }
    TokenKind::Plain
}

/// `查看/var/log下的文件` is a sentence around a path, `文档/说明` is a path.
fn is_path_in_sentence(text: &str) -> bool {
    // File names are not that long, but `文件/目录` is how Chinese writes "or".
    if text.matches('/').count() == 1 && text.chars().filter(|letter| Script::of(*letter).is_some()).count() >= 8 {
        return true;
    }
    let after = text.split_once('/').and_then(|(_, rest)| rest.chars().next());
    let last = text.chars().last();
    after.is_some_and(|letter| letter.is_ascii()) && last.is_some_and(|letter| Script::of(letter).is_some())
}

/// `说明.txt`, but not `a.txt랑`.
fn has_extension(text: &str) -> bool {
    let Some((stem, extension)) = text.rsplit_once('.') else {
        return false;
    };
    let is_short =
        !extension.is_empty() && extension.len() <= 8 && extension.bytes().all(|byte| byte.is_ascii_alphanumeric());
    // `解压 a.tar.gz` is often written without the blank; the name then begins with a Latin letter after others.
    is_short
        && stem.chars().last().is_some_and(|letter| Script::of(letter).is_some() || letter.is_alphanumeric())
        && !is_named_in_sentence(stem)
}

/// Chinese or Japanese that runs into a Latin name: `解压a`, of `解压a.zip`.
fn is_named_in_sentence(stem: &str) -> bool {
    let foreign = stem.chars().take_while(|letter| Script::of(*letter).is_some()).count();
    foreign >= 2
        && stem.chars().nth(foreign).is_some_and(|letter| letter.is_ascii_alphabetic())
        && !stem.chars().any(|letter| Script::of(letter) == Some(Script::Cyrillic))
}

fn letters(text: &str) -> Option<Script> {
    let mut found = None;
    for letter in text.chars() {
        match Script::of(letter) {
            Some(Script::Hangul) => return Some(Script::Hangul),
            Some(Script::Kana) => found = Some(Script::Kana),
            Some(script) => found = found.or(Some(script)),
            None => {}
        }
    }
    found
}
