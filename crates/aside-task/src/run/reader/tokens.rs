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
    /// In lower case, which words of the table are.
    pub lower: String,
    /// Words of the table that it may be a misspelling of.
    pub slips: Vec<String>,
    pub kind: TokenKind,
    /// The byte of the request where it begins.
    pub start: usize,
}

impl Token {
    fn new(text: impl Into<String>, kind: TokenKind, start: usize) -> Self {
        let text = text.into();
        Self { lower: text.to_lowercase(), text, slips: Vec::new(), kind, start }
    }

    /// Whether it is a word of the table, in the singular or the plural.
    pub fn is(&self, known: &str) -> bool {
        self.lower == known
            || self.lower.strip_suffix('s') == Some(known)
            || self.slips.iter().any(|slip| slip == known)
    }
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
        // An apostrophe within a word is no quote; Chinese has no blank before one.
        let is_within = at > 0 && letter(at - 1).is_some_and(|before| before.is_alphanumeric() && !is_han(before));
        if let Some(close) = closing(first).filter(|_| !is_within)
            && let Some(end) = (at + 1..letters.len()).find(|end| letter(*end) == Some(close))
        {
            all.push(Token::new(text(at + 1, end), TokenKind::Quoted, start));
            at = end + 1;
        } else if first.is_whitespace() {
            at += 1;
        } else if "→⇒".contains(first) {
            all.push(Token::new("->".to_owned(), TokenKind::Word, start));
            at += 1;
        } else if is_break(first) {
            all.push(Token::new(first.to_string(), TokenKind::Break, start));
            at += 1;
        } else if is_han(first) {
            let end = (at..letters.len()).find(|end| !letter(*end).is_some_and(is_han)).unwrap_or(letters.len());
            let cut = (at + 1..=end.min(at + MAX_HAN)).rev().find(|cut| is_known(&text(at, *cut)));
            // Letters without a meaning here stay one by one; none of them is explained by the table.
            let cut = cut.unwrap_or(at + 1);
            all.push(Token::new(text(at, cut), TokenKind::Word, start));
            at = cut;
        } else {
            let ends = |letter: char| letter.is_whitespace() || is_han(letter) || "，。；：！？、“”→⇒".contains(letter);
            // At least one letter, also where a quote is not closed.
            let end = (at + 1..letters.len()).find(|end| letter(*end).is_some_and(ends)).unwrap_or(letters.len());
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
    if let Some((before, behind)) = bare.split_once("->").or_else(|| bare.split_once("=>"))
        && !before.is_empty()
        && !behind.is_empty()
    {
        word(before, start, all);
        all.push(Token::new("->".to_owned(), TokenKind::Word, start + before.len()));
        word(behind, start + bare.len() - behind.len(), all);
        return;
    }
    let arrow = ["=>", "-->", "->"].contains(&bare);
    let (core, tail) = if arrow { ("->", "") } else { (core, bare.get(core.len()..).unwrap_or_default()) };
    let name = core.strip_suffix("'s").or_else(|| core.strip_suffix("’s")).unwrap_or(core);
    if !name.is_empty() {
        all.push(Token::new(name.to_owned(), TokenKind::Word, start));
    }
    if tail.contains([',', ';', ':', '.', '!', '?']) {
        let start = start + core.len();
        all.push(Token::new(tail.to_owned(), TokenKind::Break, start));
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
        assert_eq!(told("里“记笔记”"), "里|记笔记");
        assert_eq!(told("里”x“y don't"), "里|”x|“y|don't");
        assert_eq!(told("30s->60s"), "30s|->|60s");
        assert_eq!(told("里面"), "里|面");
    }
}
