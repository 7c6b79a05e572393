//! Splits a request into words, quoted texts and breaks between clauses. Chinese has no blanks, so a run of its letters is cut into the
//! longest words that the table of operations knows.

/// Letters of the longest Chinese word that is looked up.
const MAX_HAN: usize = 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    Word,
    Quoted,
    /// A comma, or the end of a sentence.
    Break,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    pub text: String,
    pub kind: TokenKind,
    /// The byte of the request where it begins.
    pub start: usize,
}

pub fn tokens(request: &str, is_known: &dyn Fn(&str) -> bool) -> Vec<Token> {
    let letters: Vec<(usize, char)> = request.char_indices().collect();
    let letter = |at: usize| letters.get(at).map(|(_, letter)| *letter);
    let offset = |at: usize| letters.get(at).map_or(request.len(), |(offset, _)| *offset);
    let text = |from: usize, to: usize| request.get(offset(from)..offset(to)).unwrap_or_default().to_owned();
    let mut all = Vec::new();
    let mut at = 0;
    while let Some(first) = letter(at) {
        let start = offset(at);
        if let Some(close) = closing(first).filter(|_| at == 0 || !letter(at - 1).is_some_and(char::is_alphanumeric))
            && let Some(end) = (at + 1..letters.len()).find(|end| letter(*end) == Some(close))
        {
            all.push(Token { text: text(at + 1, end), kind: TokenKind::Quoted, start });
            at = end + 1;
        } else if first.is_whitespace() {
            at += 1;
        } else if "→⇒".contains(first) {
            all.push(Token { text: "->".to_owned(), kind: TokenKind::Word, start });
            at += 1;
        } else if is_break(first) {
            all.push(Token { text: first.to_string(), kind: TokenKind::Break, start });
            at += 1;
        } else if is_han(first) {
            let end = (at..letters.len()).find(|end| !letter(*end).is_some_and(is_han)).unwrap_or(letters.len());
            let cut = (at + 1..=end.min(at + MAX_HAN)).rev().find(|cut| is_known(&text(at, *cut)));
            // Letters without a meaning here stay one by one; none of them is explained by the table.
            let cut = cut.unwrap_or(at + 1);
            all.push(Token { text: text(at, cut), kind: TokenKind::Word, start });
            at = cut;
        } else {
            let ends = |letter: char| letter.is_whitespace() || is_han(letter) || "，。；：！？、“”→⇒".contains(letter);
            let end = (at..letters.len()).find(|end| letter(*end).is_some_and(ends)).unwrap_or(letters.len());
            word(&text(at, end), start, &mut all);
            at = end;
        }
    }
    all
}

/// A word without the punctuation around it, which may be a break.
fn word(written: &str, start: usize, all: &mut Vec<Token>) {
    let bare = written.trim_start_matches(['(', '"', '\'']);
    let start = start + written.len() - bare.len();
    let core = bare.trim_end_matches([',', ';', ':', '.', '!', '?', ')', '"', '\'']);
    // A dot alone is the current directory, and dots in front belong to a hidden file.
    let core = if core.is_empty() { bare } else { core };
    let arrow = ["=>", "-->", "->"].contains(&bare);
    let (core, tail) = if arrow { ("->", "") } else { (core, bare.get(core.len()..).unwrap_or_default()) };
    let name = core.strip_suffix("'s").or_else(|| core.strip_suffix("’s")).unwrap_or(core);
    if !name.is_empty() {
        all.push(Token { text: name.to_owned(), kind: TokenKind::Word, start });
    }
    if tail.contains([',', ';', ':', '.', '!', '?']) {
        let start = start + core.len();
        all.push(Token { text: tail.to_owned(), kind: TokenKind::Break, start });
    }
}

fn closing(open: char) -> Option<char> {
    Some(match open {
        '"' => '"',
        '\'' => '\'',
        '`' => '`',
        '“' => '”',
        '「' => '」',
        _ => return None,
    })
}

fn is_break(letter: char) -> bool {
    ",;，。；：！？、".contains(letter)
}

fn is_han(letter: char) -> bool {
    ('\u{4e00}'..='\u{9fff}').contains(&letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(request: &str) -> String {
        let known = |word: &str| ["加到", "里", "也"].contains(&word);
        let all = tokens(request, &known);
        all.iter().map(|token| token.text.clone()).collect::<Vec<_>>().join("|")
    }

    #[test]
    fn words_quotes_and_chinese_are_told_apart() {
        assert_eq!(told("rename a to b, \"x y\" too."), "rename|a|to|b|,|x y|too|.");
        assert_eq!(told("coverage/ 也加到 .gitignore 里"), "coverage/|也|加到|.gitignore|里");
        assert_eq!(told("version → 0.5.0"), "version|->|0.5.0");
        assert_eq!(told("hailpad-core's deps => ./x"), "hailpad-core|deps|->|./x");
        assert_eq!(told("里面"), "里|面");
    }
}
