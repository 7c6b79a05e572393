//! Splits identifiers into words: `parseConfig`, `parse_config` and `PARSE-CONFIG` have the same two.

/// The identifiers of a line, in order.
pub struct Tokens<'a> {
    pub text: &'a str,
    pub names: Vec<Token<'a>>,
}

pub struct Token<'a> {
    pub text: &'a str,
    /// Its words, in lower case.
    pub parts: Vec<String>,
    /// Whether it is called.
    pub called: bool,
}

impl<'a> Tokens<'a> {
    pub fn of(text: &'a str) -> Self {
        let mut names = Vec::new();
        let mut rest = text;
        while let Some(start) = rest.find(is_letter) {
            let from = rest.get(start..).unwrap_or_default();
            let end = end(from);
            let (name, behind) = from.split_at_checked(end).unwrap_or((from, ""));
            names.push(Token { text: name, parts: parts(name), called: behind.starts_with(['(', '!']) });
            rest = behind;
        }
        Self { text, names }
    }
}

fn is_letter(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_' || letter == '$'
}

/// Where an identifier that begins here ends; a hyphen is part of it when more follows.
fn end(text: &str) -> usize {
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        let goes_on = letter == '-' && letters.peek().is_some_and(|(_, next)| next.is_alphanumeric());
        if !is_letter(letter) && !goes_on {
            return at;
        }
    }
    text.len()
}

/// The words of an identifier, in lower case.
pub fn parts(name: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut part = String::new();
    let letters: Vec<char> = name.chars().collect();
    for (at, letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| letters.get(at)).copied();
        let next = letters.get(at + 1).copied();
        let begins = match (before, next) {
            _ if !letter.is_alphanumeric() => {
                parts.extend(std::mem::take(&mut part).into_iter_nonempty());
                continue;
            }
            (Some(before), _) if before.is_ascii() != letter.is_ascii() => true,
            (Some(before), _) if before.is_lowercase() || before.is_numeric() => letter.is_uppercase(),
            // `HTTPServer`: the last capital of a run belongs to the next word.
            (Some(before), Some(next)) if before.is_uppercase() && letter.is_uppercase() => next.is_lowercase(),
            _ => false,
        };
        if begins {
            parts.extend(std::mem::take(&mut part).into_iter_nonempty());
        }
        part.extend(letter.to_lowercase());
    }
    parts.extend(part.into_iter_nonempty());
    parts
}

trait NonEmpty {
    fn into_iter_nonempty(self) -> Option<String>;
}

impl NonEmpty for String {
    fn into_iter_nonempty(self) -> Option<String> {
        (!self.is_empty()).then_some(self)
    }
}

/// The stem of an English word: `configured`, `configuration` and `configure` have `configur`.
pub fn stem(word: &str) -> String {
    let mut stem = word.to_owned();
    if !stem.is_ascii() || stem.len() < 4 {
        return stem;
    }
    let cut = |stem: &mut String, ending: &str, least: usize| {
        let fits = stem.ends_with(ending) && stem.len() >= least + ending.len();
        if fits {
            stem.truncate(stem.len() - ending.len());
        }
        fits
    };
    if cut(&mut stem, "ies", 2) {
        stem.push('y');
    } else if stem.ends_with("sses") || ["xes", "zes", "ches", "shes"].iter().any(|end| stem.ends_with(end)) {
        stem.truncate(stem.len() - 2);
    } else if !["ss", "us", "is"].iter().any(|end| stem.ends_with(end)) {
        cut(&mut stem, "s", 3);
    }
    let mut shorter = stem.clone();
    let cut_any = ["ing", "ed"].iter().any(|ending| cut(&mut shorter, ending, 3))
        || ["ions", "ion", "ers", "er", "ments", "ment"].iter().any(|ending| cut(&mut shorter, ending, 4));
    // `validator`, but not `author`.
    let cut_any = cut_any || shorter.ends_with("tor") && cut(&mut shorter, "or", 5);
    if cut_any && shorter.contains(['a', 'e', 'i', 'o', 'u', 'y']) {
        let mut letters = shorter.bytes().rev();
        // `logging` becomes `log`, but `calling` becomes `call`.
        if let (Some(last), Some(before)) = (letters.next(), letters.next())
            && last == before
            && !b"lsz".contains(&last)
        {
            shorter.pop();
        }
        stem = shorter;
    }
    if stem.len() > 3 {
        cut(&mut stem, "e", 3);
        if cut(&mut stem, "y", 2) {
            stem.push('i');
        }
    }
    // `validation` matches `validates`, `configuration` matches `configures`.
    cut(&mut stem, "at", 5);
    stem
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_words() {
        for (name, expected) in [
            ("parse_config", "parse config"),
            ("parseConfig", "parse config"),
            ("PARSE-CONFIG", "parse config"),
            ("HTTPServer2", "http server2"),
            ("__init__", "init"),
            ("utf8Text", "utf8 text"),
            ("登录Form", "登录 form"),
            ("$scope", "scope"),
            ("", ""),
        ] {
            assert_eq!(parts(name).join(" "), expected, "{name}");
        }
        let tokens = Tokens::of("let a-b = parse_config(x)? - 1; // 登录");
        let names: Vec<&str> = tokens.names.iter().map(|token| token.text).collect();
        assert_eq!(names, ["let", "a-b", "parse_config", "x", "1", "登录"]);
        assert!(tokens.names.iter().filter(|token| token.called).map(|token| token.text).eq(["parse_config"]));
    }

    #[test]
    fn forms_of_a_word_have_one_stem() {
        for forms in [
            "configure configured configuration configures",
            "log logs logging logger",
            "parse parser parsing parsed parses",
            "retry retries retrying",
            "connect connection connected",
            "validate validation validated",
            "call calls calling caller",
            "address addresses",
            "box boxes",
        ] {
            let mut stems: Vec<String> = forms.split(' ').map(stem).collect();
            stems.dedup();
            assert_eq!(stems.len(), 1, "{forms}: {stems:?}");
        }
        for (one, other) in
            [("port", "report"), ("user", "use"), ("order", "ord"), ("status", "state"), ("test", "tester2")]
        {
            assert_ne!(stem(one), stem(other));
        }
    }
}
