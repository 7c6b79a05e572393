//! Splits a query into words as typed: a quoted text is one word, and punctuation around a word is dropped. Knows no
//! meanings.

/// One word, as typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    pub text: String,
    pub is_quoted: bool,
}

/// Words of a query; longer text is not a query.
pub const MAX_WORDS: usize = 120;

/// Opening quotes and what closes each.
const QUOTES: [(char, char); 7] =
    [('"', '"'), ('`', '`'), ('\'', '\''), ('“', '”'), ('‘', '’'), ('「', '」'), ('«', '»')];

pub fn split(words: &str) -> Vec<Token> {
    let letters: Vec<char> = words.chars().collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < letters.len() && tokens.len() < MAX_WORDS {
        let letter = letters[at];
        if letter.is_whitespace() {
            at += 1;
        } else if let Some(end) = braced(&letters, at) {
            tokens.push(Token { text: letters[at..end].iter().collect(), is_quoted: true });
            at = end;
        } else if let Some(end) = quoted(&letters, at) {
            let text: String = letters[at + 1..end].iter().collect();
            tokens.push(Token { text, is_quoted: true });
            at = end + 1;
            // `delete "a b.txt".`: punctuation at the end of a sentence is no word.
            let marks =
                letters.iter().skip(at).take_while(|letter| matches!(letter, '.' | ',' | ';' | '!' | '?')).count();
            if letters.get(at + marks).is_none_or(|next| next.is_whitespace()) {
                at += marks;
            }
        } else {
            let end = word_end(&letters, at);
            word(&letters[at..end], &mut tokens);
            at = end;
        }
    }
    tokens
}

/// Where the quote that begins here is closed. An apostrophe opens a quote only at the beginning of a word and closes
/// it only at the end: `what's`, `users' files`.
fn quoted(letters: &[char], at: usize) -> Option<usize> {
    let (_, close) = QUOTES.iter().find(|(open, _)| *open == letters[at])?;
    let ends = |end: &usize| {
        letters[*end] == *close && (*close != '\'' || letters.get(end + 1).is_none_or(|next| !next.is_alphanumeric()))
    };
    (at + 1..letters.len()).find(ends).filter(|end| *end > at + 1)
}

/// JSON is one word, with its braces.
fn braced(letters: &[char], at: usize) -> Option<usize> {
    let is_json = letters[at] == '{' && letters.get(at + 1).is_some_and(|next| matches!(next, '"' | '}' | ' '));
    if !is_json {
        return None;
    }
    let mut depth = 0_usize;
    for (place, letter) in letters.iter().enumerate().skip(at) {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(place + 1);
        }
    }
    None
}

fn word_end(letters: &[char], at: usize) -> usize {
    let kind = script(letters[at]);
    let mut end = at + 1;
    while end < letters.len() {
        let letter = letters[end];
        // `author:"me"`: the quote begins inside the word.
        let opens = letter != '\'' && QUOTES.iter().any(|(open, _)| *open == letter) && quoted(letters, end).is_some();
        if letter.is_whitespace() || opens || script(letter) != kind {
            break;
        }
        end += 1;
    }
    end
}

/// Whether the character is Chinese, which is written without blanks and next to Latin words.
fn script(letter: char) -> bool {
    matches!(letter, '\u{2e80}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{ff01}'..='\u{ff60}')
}

fn word(letters: &[char], tokens: &mut Vec<Token>) {
    let text: String = letters.iter().collect();
    if letters.first().is_some_and(|letter| script(*letter)) {
        let ends = |letter: char| !letter.is_alphanumeric();
        let parts = text.split(ends).filter(|part| !part.is_empty());
        tokens.extend(parts.map(|part| Token { text: part.to_owned(), is_quoted: false }));
        return;
    }
    if matches!(text.as_str(), ">" | "<" | ">=" | "<=" | "==" | "!=" | "=") {
        tokens.push(Token { text, is_quoted: false });
        return;
    }
    let mut rest = text.as_str();
    // Brackets and commas around a word; not the dot of `.bashrc`, nor the star of `*.log`.
    rest = rest.trim_start_matches(['(', ',', ';', '!', '"', '\'', '“', '‘']);
    loop {
        let shorter = match rest.chars().last() {
            Some(',' | ';' | '!' | '"' | '\'' | '”' | '’' | '…') => &rest[..rest.len() - last_length(rest)],
            Some(')') if !rest.contains('(') => &rest[..rest.len() - 1],
            // `main.?` and `data?` end a question; `file?.txt` is a pattern.
            Some('?') if !rest[..rest.len() - 1].contains(['?', '*']) => &rest[..rest.len() - 1],
            Some(':') if rest.len() > 1 && !rest.contains('/') => &rest[..rest.len() - 1],
            Some('.') if !matches!(rest, "." | "..") && !rest.ends_with("/.") && !rest.ends_with("/..") => {
                &rest[..rest.len() - 1]
            }
            _ => break,
        };
        if shorter.is_empty() {
            break;
        }
        rest = shorter;
    }
    // `>50MB`, `<= 10k`: the sign is a word of its own.
    let sign = rest.len() - rest.trim_start_matches(['<', '>', '=']).len();
    if rest.starts_with(['<', '>']) && (1..=2).contains(&sign) {
        let (sign, number) = rest.split_at(sign);
        if number.is_empty() || number.starts_with(|letter: char| letter.is_ascii_digit()) {
            tokens.push(Token { text: sign.to_owned(), is_quoted: false });
            rest = number;
        }
    }
    if rest.chars().any(|letter| letter.is_alphanumeric() || "./~*?$+-_@#%".contains(letter)) {
        tokens.push(Token { text: rest.to_owned(), is_quoted: false });
    }
}

fn last_length(text: &str) -> usize {
    text.chars().last().map_or(0, char::len_utf8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(words: &str) -> String {
        let show = |token: Token| if token.is_quoted { format!("<{}>", token.text) } else { token.text };
        split(words).into_iter().map(show).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn words_are_told_from_what_stands_around_them() {
        for (words, expected) in [
            ("find files, please!", "find files please"),
            ("what's in main.rs?", "what's in main.rs"),
            ("grep \"foo bar\" in a.txt.", "grep <foo bar> in a.txt"),
            ("replace 'a' with 'b'", "replace <a> with <b>"),
            ("the users' files don't", "the users files don't"),
            ("all *.log files (old)", "all *.log files old"),
            ("go up to .. and .", "go up to .. and ."),
            ("查找大于100MB的文件", "查找大于 100MB 的文件"),
            ("删除，所有 .log 文件。", "删除 所有 .log 文件"),
            ("author:\"me\"", "author <me>"),
            ("post {\"a\": {\"b\": 1}} to x", "post <{\"a\": {\"b\": 1}}> to x"),
            ("files >50MB or < 1k", "files > 50MB or < 1k"),
            ("it's \"unclosed", "it's unclosed"),
            ("", ""),
        ] {
            assert_eq!(shown(words), expected, "{words}");
        }
    }
}
