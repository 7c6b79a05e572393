//! Secrets that are called by their name: `NAME=value`, `"name": "value"`, `name: value`, `--name value`, `<name>value<`.
//! Finds where the value begins and ends; whether it is one is decided in `name` and `value`.

use std::ops::Range;

use crate::redact::name;
use crate::redact::value::{self, Class};

/// Bytes of a name on either side of what was noticed, and of a value.
const MAX_NAME: usize = 80;
const MAX_VALUE: usize = 4096;

/// Words of a value without quotes, in a file of settings.
const MAX_WORDS: usize = 5;

/// Where a name with this part in it stands. Dots and dashes belong to it: `db.password`, `--db-password`.
pub fn around(text: &str, part: Range<usize>) -> Range<usize> {
    let bytes = text.as_bytes();
    let of_name = |at: usize| bytes.get(at).is_some_and(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(byte));
    let mut start = part.start;
    while start > 0 && part.start - start < MAX_NAME && of_name(start - 1) {
        start -= 1;
    }
    let mut end = part.end;
    while end - part.end < MAX_NAME && of_name(end) {
        end += 1;
    }
    while end > part.end && bytes.get(end - 1).is_some_and(|byte| b"-.".contains(byte)) {
        end -= 1;
    }
    start..end
}

/// The value that belongs to the name at `name`, if it is a secret.
pub fn value(text: &str, name: Range<usize>) -> Option<(Range<usize>, Class)> {
    let class = name::class(text.get(name.clone())?)?;
    let found = Reader { text, bytes: text.as_bytes(), name, class }.value()?;
    (!found.is_empty()).then_some((found, class))
}

struct Reader<'a> {
    text: &'a str,
    bytes: &'a [u8],
    name: Range<usize>,
    class: Class,
}

impl Reader<'_> {
    fn value(&self) -> Option<Range<usize>> {
        if self.before(1) == Some(b'<') && self.byte(self.name.end) == Some(b'>') {
            return self.element();
        }
        let (quoted, mut at) = self.after_name();
        let blank = self.blank(at);
        if quoted == Quoted::Call && self.byte(blank) == Some(b',') {
            return self.quoted(self.blank(blank + 1)).filter(|range| self.fits(range));
        }
        at = blank;
        if let Some(behind) = self.typed(at) {
            at = behind;
        }
        let tight_before = at == self.after_name().1;
        let two = self.bytes.get(at..at + 2).unwrap_or_default();
        let behind = match two.first().or(self.bytes.get(at)) {
            _ if [b"==", b"=~", b"::"].iter().any(|other| two == *other) => return None,
            _ if two == b"=>" || two == b":=" => at + 2,
            Some(b'=' | b':') => at + 1,
            _ if quoted == Quoted::No && !tight_before && self.takes_next_word() => return self.next_word(at),
            _ => return None,
        };
        let colon = self.byte(at) == Some(b':') && two != b":=";
        let from = self.blank(behind);
        let tight = from == behind;
        // `$'…'`, `b"…"`
        let prefix = usize::from(matches!(self.byte(from), Some(b'$' | b'b' | b'r' | b'@')));
        for start in [from, from + prefix] {
            if let Some(range) = self.quoted(start) {
                return Some(range).filter(|range| self.fits(range));
            }
        }
        if matches!(self.byte(from), None | Some(b'\n' | b'\r' | b'"' | b'\'' | b'`' | b'$' | b'(')) {
            return None;
        }
        match (colon, tight) {
            (false, true) => self.tight(from),
            (false, false) => self.spaced(from),
            (true, true) => self.tight(from).filter(|range| self.is_chosen(range)),
            (true, false) => self.behind_colon(from),
        }
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    fn before(&self, count: usize) -> Option<u8> {
        self.byte(self.name.start.checked_sub(count)?)
    }

    fn blank(&self, mut at: usize) -> usize {
        while matches!(self.byte(at), Some(b' ' | b'\t')) {
            at += 1;
        }
        at
    }

    fn of(&self, range: &Range<usize>) -> &str {
        self.text.get(range.clone()).unwrap_or_default()
    }

    fn fits(&self, range: &Range<usize>) -> bool {
        let value = self.of(range);
        // `password=password`, `key_password = args.key_password`
        let last = |text: &str| text.rsplit(['.', ':', '-']).next().unwrap_or_default().to_ascii_lowercase();
        value::fits(self.class, value) && last(value) != last(self.of(&self.name))
    }

    fn is_chosen(&self, range: &Range<usize>) -> bool {
        value::is_chosen(self.of(range)) && !value::is_path(self.of(range))
    }

    /// Past the quote and the bracket that close the name.
    fn after_name(&self) -> (Quoted, usize) {
        let Some(quote) = self.before(1).filter(|byte| b"\"'".contains(byte)) else {
            return (Quoted::No, self.name.end);
        };
        let mut at = self.name.end;
        let escaped = self.before(2) == Some(b'\\');
        if escaped && self.byte(at) == Some(b'\\') {
            at += 1;
        }
        if self.byte(at) != Some(quote) {
            return (Quoted::No, self.name.end);
        }
        at += 1;
        if self.byte(at) == Some(b']') {
            at += 1;
        }
        (if self.before(2) == Some(b'(') { Quoted::Call } else { Quoted::Yes }, at)
    }

    /// Past the type in `password string = "…"` and `password: str = "…"`.
    fn typed(&self, at: usize) -> Option<usize> {
        let line = self.text.get(at..self.line_end(at))?;
        let kind = line.trim_start_matches([':', ' ', '\t']);
        let rest = ["string", "str", "String", "&'static str", "&str", "text"]
            .iter()
            .find_map(|name| kind.strip_prefix(name))?;
        let rest = rest.trim_start();
        (rest.starts_with('=') && !rest.starts_with("==")).then(|| at + line.len() - rest.len())
    }

    fn line_end(&self, at: usize) -> usize {
        let limit = self.text.floor_char_boundary(at.saturating_add(MAX_VALUE));
        self.text.get(at..limit).and_then(|rest| rest.find('\n')).map_or(limit, |end| at + end)
    }

    /// Inside of the quotes that open here. In YAML `''` is a quote.
    fn quoted(&self, at: usize) -> Option<Range<usize>> {
        let escaped = self.byte(at) == Some(b'\\');
        let open = at + usize::from(escaped);
        let quote = self.byte(open).filter(|byte| b"\"'".contains(byte))?;
        let start = open + 1;
        let end = self.line_end(start);
        let mut at = start;
        while at < end {
            match self.byte(at) {
                Some(b'\\') if escaped && self.byte(at + 1) == Some(quote) => return Some(start..at),
                Some(b'\\') if quote == b'"' || self.byte(at + 1) == Some(b'\'') => at += 1,
                Some(b'\'') if quote == b'\'' && self.byte(at + 1) == Some(b'\'') => at += 1,
                Some(byte) if byte == quote && !escaped => return Some(start..at),
                _ => {}
            }
            at += 1;
        }
        None
    }

    fn element(&self) -> Option<Range<usize>> {
        let start = self.name.end + 1;
        let end = self.bytes.get(start..self.line_end(start))?.iter().position(|byte| *byte == b'<')?;
        Some(start..start + end).filter(|range| self.fits(range))
    }

    /// `NAME=value`: to the end of the word, or of the line when the line is nothing else.
    fn tight(&self, from: usize) -> Option<Range<usize>> {
        let line = from..self.line_end(from);
        let rest = self.of(&line).trim_end();
        let alone = self.begins_line() && !rest.contains(char::is_whitespace);
        let upper = !self.of(&self.name).bytes().any(|byte| byte.is_ascii_lowercase());
        let end = if alone && upper && !rest.starts_with('$') {
            rest.len()
        } else {
            let stops = |letter: char| letter.is_whitespace() || "\"'`;&|<>,)}\\".contains(letter);
            let stop = rest.find(stops).unwrap_or(rest.len());
            // `[x]` as a whole, but not the bracket around the pair.
            if rest.starts_with('[') { stop } else { rest.get(..stop)?.find(']').unwrap_or(stop) }
        };
        let range = from..from + end;
        let code = value::is_expression(self.of(&(from..line.end)))
            && (!self.begins_line() || self.of(&range).contains(['(', '[']))
            && matches!(self.byte(range.end), Some(b',' | b')' | b';' | b'(' | b'[' | b']'));
        (!code && self.fits(&range)).then_some(range)
    }

    /// `name = value`, in a file of settings or in code.
    fn spaced(&self, from: usize) -> Option<Range<usize>> {
        let range = self.to_comment(from);
        let rest = self.of(&range);
        let code = rest.ends_with([';', '{', '(', ','])
            || value::is_expression(rest)
            || rest.contains("(")
            || value::is_identifier(rest) && self.of(&self.name).contains('.') && self.before_last_dot_is_object();
        if code || !self.begins_line() && !self.is_chosen(&range) {
            return None;
        }
        self.words(range)
    }

    /// `self.password = value` is code, `db.password = value` a setting.
    fn before_last_dot_is_object(&self) -> bool {
        let name = self.of(&self.name);
        ["self.", "this.", "cls.", "args.", "options.", "opts."].iter().any(|object| name.starts_with(object))
            || name.bytes().filter(|byte| *byte == b'.').count() == 1 && self.of_line_start() != self.name.start
    }

    /// Where the line of the name begins.
    fn of_line_start(&self) -> usize {
        let before = self.bytes.get(..self.name.start).unwrap_or_default();
        before.iter().rev().take(MAX_NAME).position(|byte| *byte == b'\n').map_or(0, |back| self.name.start - back)
    }

    /// `name: value`, in a file of settings, a log, or a sentence.
    fn behind_colon(&self, from: usize) -> Option<Range<usize>> {
        let mut range = self.to_comment(from);
        // Nobody calls a text of many words a token.
        if self.class == Class::Token
            && !value::is_token(self.of(&range).split_whitespace().next()?.trim_end_matches([',', ';', ')']))
        {
            return None;
        }
        // One at a time: that is many times faster than both at once.
        for quote in ['"', '`'] {
            range.end = self.of(&range).find(quote).map_or(range.end, |end| range.start + end);
        }
        if self.is_declared(self.of(&range)) {
            return None;
        }
        if let Some(comma) = self.of(&range).find(", ") {
            range.end = range.start + comma;
        }
        let rest = self.of(&range);
        let closed = rest.trim_end_matches([',', ';', ')', '}', ']']);
        let unbalanced = !['(', '{', '['].iter().any(|open| closed.contains(*open));
        if unbalanced {
            range.end = range.start + closed.len();
        }
        self.words(range)
    }

    /// What stands behind the colon is a type, or a value of a program's.
    fn is_declared(&self, rest: &str) -> bool {
        let first = rest.split_whitespace().next().unwrap_or_default();
        let bare = first.trim_end_matches([',', ';', ')', '}']);
        let follows = rest.get(first.len()..).unwrap_or_default().trim_start();
        let listed = bare.len() < first.len()
            && (value::is_identifier(bare) || value::is_expression(bare) || value::is_type(bare));
        rest.starts_with(['*', '&', ':', '(', '|', '>', '['])
            || listed
            || follows.starts_with('=')
            || bare.contains("::")
            || value::is_expression(bare) && bare.contains(['(', '[', '<'])
    }

    fn to_comment(&self, from: usize) -> Range<usize> {
        let line = self.of(&(from..self.line_end(from)));
        let line = line.find(" #").map_or(line, |comment| line.get(..comment).unwrap_or(line)).trim_end();
        from..from + line.len()
    }

    /// One word is the value. Of several, the first, if nobody would say it; or all, when it is plainly a setting.
    fn words(&self, range: Range<usize>) -> Option<Range<usize>> {
        let rest = self.of(&range);
        let mut words = rest.split_whitespace();
        let (first, more) = (words.next()?, words.take(MAX_WORDS).count());
        let start = range.start + (rest.len() - rest.trim_start().len());
        let one = start..start + first.len();
        if more == 0 {
            return Some(one).filter(|range| self.fits(range));
        }
        let settings = matches!(self.class, Class::Password | Class::Secret) && more < MAX_WORDS;
        let plain = |rest: &str| {
            !rest.contains(['(', '{', '[', '<', '"', '\'', '|', '=']) && !rest.split_whitespace().any(value::is_prose)
        };
        if settings && plain(rest) && name::count(self.of(&self.name)) > 1 && self.begins_line() {
            return Some(range).filter(|range| self.fits(range));
        }
        let end = first.trim_end_matches([',', ';', ')']).len();
        let one = start..start + end;
        (self.is_chosen(&one) && self.fits(&one)).then_some(one)
    }

    /// Nothing but what may precede a setting is on the line before the name.
    fn begins_line(&self) -> bool {
        let start = self.name.start;
        let from = start.saturating_sub(MAX_NAME);
        let before = self.bytes.get(from..start).unwrap_or_default();
        let before = before
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(before, |end| before.get(end + 1..).unwrap_or_default());
        let before: Vec<u8> = before.iter().copied().filter(|byte| !b" \t+-\"'".contains(byte)).collect();
        matches!(before.as_slice(), b"" | b"export" | b"env" | b"ENV" | b"ARG" | b"set")
    }

    /// `--password value`, and `set -x NAME value` as fish assigns.
    fn takes_next_word(&self) -> bool {
        let name = self.of(&self.name);
        if let Some(long) = name.strip_prefix("--") {
            return long.len() > 2;
        }
        if let Some(flag) = name.strip_prefix('-') {
            // `-storepass value`; but `-pmypassword` is `-p` and its value.
            let word = flag.len() > 2 && flag.bytes().all(|byte| byte.is_ascii_lowercase());
            return word
                && (!flag.starts_with('p') || ["pass", "pwd", "psk"].iter().any(|start| flag.starts_with(start)));
        }
        let from = self.text.floor_char_boundary(self.name.start.saturating_sub(40));
        let before = self.of(&(from..self.name.start));
        let Some(at) = before.rfind("set") else { return false };
        let (first, flags) = before.split_at(at);
        let mut flags = flags.split_whitespace();
        let word = flags.next();
        first.chars().next_back().is_none_or(|letter| !letter.is_alphanumeric())
            && before.ends_with(' ')
            && (word == Some("setenv") && flags.clone().next().is_none()
                || word == Some("set") && flags.clone().next().is_some() && flags.all(|flag| flag.starts_with('-')))
    }

    fn next_word(&self, at: usize) -> Option<Range<usize>> {
        let range = match self.quoted(at) {
            Some(range) => range,
            None => {
                let line = self.of(&(at..self.line_end(at)));
                let stops = |letter: char| letter.is_whitespace() || "\"'`;&|<>)]".contains(letter);
                at..at + line.find(stops).unwrap_or(line.len())
            }
        };
        let word = self.of(&range);
        let number = word.bytes().all(|byte| byte.is_ascii_digit()) && word.len() < 4;
        let other = word.starts_with('-')
            || number
            || value::is_prose(word)
            || value::is_path(word)
            || word.contains(":") && word.starts_with("pass:");
        // `--secret id=npmrc,src=…`
        let parts =
            word.split_once('=').is_some_and(|(name, _)| ["id", "type", "source", "src", "name"].contains(&name));
        (!other && !parts && value::fits(Class::Password, word)).then_some(range)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quoted {
    No,
    Yes,
    /// As the first argument of a function: `define('NAME', 'value')`.
    Call,
}
