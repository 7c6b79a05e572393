//! Parses git's configuration syntax. More tolerant than git: continues with the next line where git would give up. Follows no includes.

/// Far more than any real file has.
const MAX_SETTINGS: usize = 20_000;

/// `[section "subsection"] key = value`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// In lower case. For `[a.b]` it is `a`.
    pub section: String,
    pub subsection: Vec<u8>,
    /// In lower case.
    pub key: String,
    /// Without quotes and comments. Empty where there is no `=`.
    pub value: Vec<u8>,
}

pub fn settings(text: &[u8]) -> Vec<Setting> {
    let mut reader = Reader { rest: text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text) };
    let (mut section, mut subsection) = (String::new(), Vec::new());
    let mut settings = Vec::new();
    while let Some(byte) = reader.peek().filter(|_| settings.len() < MAX_SETTINGS) {
        match byte {
            b'[' => (section, subsection) = reader.header(),
            byte if byte.is_ascii_alphanumeric() => {
                let key = reader.word(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
                reader.word(|byte| matches!(byte, b' ' | b'\t' | b'\r'));
                let value = if reader.peek() == Some(b'=') {
                    reader.next();
                    reader.value()
                } else {
                    Vec::new()
                };
                settings.push(Setting { section: section.clone(), subsection: subsection.clone(), key, value });
            }
            byte if byte.is_ascii_whitespace() => _ = reader.next(),
            // A comment, or invalid.
            _ => reader.line(),
        }
    }
    settings
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.rest.first().copied()
    }

    fn next(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    fn line(&mut self) {
        while !matches!(self.next(), None | Some(b'\n')) {}
    }

    /// In lower case.
    fn word(&mut self, fits: impl Fn(u8) -> bool) -> String {
        let length = self.rest.iter().take_while(|byte| fits(**byte)).count();
        let (word, rest) = self.rest.split_at(length);
        self.rest = rest;
        String::from_utf8_lossy(word).to_ascii_lowercase()
    }

    /// `[name "part"]` or the older `[name.part]`. A setting may follow on the same line.
    fn header(&mut self) -> (String, Vec<u8>) {
        self.next();
        let name = self.word(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.'));
        self.word(|byte| matches!(byte, b' ' | b'\t'));
        let mut part = Vec::new();
        if self.peek() == Some(b'"') {
            self.next();
            while let Some(byte) = self.next().filter(|byte| !matches!(byte, b'"' | b'\n')) {
                part.extend(if byte == b'\\' { self.next() } else { Some(byte) });
            }
        }
        while self.peek().is_some_and(|byte| byte != b'\n') && self.next() != Some(b']') {}
        match name.split_once('.') {
            Some((name, older)) if part.is_empty() => (name.to_owned(), older.as_bytes().to_owned()),
            _ => (name, part),
        }
    }

    /// Until the end of the line, including continuation lines.
    fn value(&mut self) -> Vec<u8> {
        let (mut value, mut is_quoted, mut length) = (Vec::new(), false, 0);
        while let Some(byte) = self.next() {
            match byte {
                b'\n' => break,
                b'"' => is_quoted = !is_quoted,
                b'#' | b';' if !is_quoted => {
                    self.line();
                    break;
                }
                b'\\' => match self.next() {
                    Some(b'\n') => continue,
                    Some(b'\r') if self.peek() == Some(b'\n') => {
                        self.next();
                        continue;
                    }
                    Some(b'n') => value.push(b'\n'),
                    Some(b't') => value.push(b'\t'),
                    Some(b'b') => value.push(8),
                    Some(other) => value.push(other),
                    None => break,
                },
                // Keeps blanks within quotes and between words.
                byte if byte.is_ascii_whitespace() && !is_quoted => {
                    if !value.is_empty() {
                        value.push(byte);
                    }
                    continue;
                }
                byte => value.push(byte),
            }
            length = value.len();
        }
        value.truncate(length);
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::git_in;

    const TEXT: &str = "\u{feff}[core]\n\tbare = false ; no\n\tpath = \"a # b\" c # d\n[Include] PATH = ../x\\\n  y\n\
        [a \"B\\\"]c\"] key = 1 2  \n[old.Part] flag\n # x = y\n[alias] l = \"!f() { :; }\\n; f\"\r\n\tempty =\n\tlast = \"  x\"";

    fn shown(text: &str) -> Vec<String> {
        let shown = settings(text.as_bytes()).into_iter().map(|Setting { section, subsection, key, value }| {
            let (part, value) = (String::from_utf8(subsection).unwrap(), String::from_utf8(value).unwrap());
            let dot = if part.is_empty() { "" } else { "." };
            format!("{section}{dot}{part}.{key}={value}")
        });
        shown.collect()
    }

    #[test]
    fn settings_are_those_that_git_lists() {
        let temp = tempfile::tempdir().unwrap();
        std::fs::write(temp.path().join("x"), TEXT).unwrap();
        let listed = git_in(temp.path(), &["config", "--no-includes", "--file", "x", "--list", "-z"]);
        let of_git: Vec<String> = listed
            .split_terminator('\0')
            .map(|entry| match entry.split_once('\n') {
                Some((key, value)) => format!("{key}={value}"),
                None => format!("{entry}="),
            })
            .collect();
        assert_eq!(shown(TEXT), of_git);
    }

    #[test]
    fn what_git_would_not_read_ends_nothing() {
        assert_eq!(shown("[a\nx = 1\n[] y = 2\n!z\n[b] \"\nw = \\"), ["a.x=1", ".y=2", "b.w="]);
        for end in 0..TEXT.len() {
            settings(&TEXT.as_bytes()[..end]);
        }
    }
}
