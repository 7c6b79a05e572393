//! Scanning helpers: lines, blanks, quotes. All of them are bounded.

use std::ops::Range;

/// Bytes of a line that are scanned on either side.
pub const MAX_LINE: usize = 4096;

/// The beginning of the line around `at`.
pub fn line_start(text: &str, at: usize) -> usize {
    let from = text.ceil_char_boundary(at.saturating_sub(MAX_LINE));
    text.get(from..at).and_then(|before| memchr::memrchr(b'\n', before.as_bytes())).map_or(from, |back| from + back + 1)
}

/// The end of the line around `at`, before its line break.
pub fn line_end(text: &str, at: usize) -> usize {
    let limit = text.floor_char_boundary(at.saturating_add(MAX_LINE));
    let end = text.get(at..limit).and_then(|rest| memchr::memchr(b'\n', rest.as_bytes())).map_or(limit, |end| at + end);
    if end > at && text.as_bytes().get(end - 1) == Some(&b'\r') { end - 1 } else { end }
}

/// The line after the one around `at`.
pub fn next_line(text: &str, at: usize) -> Option<Range<usize>> {
    let mut start = line_end(text, at);
    if text.as_bytes().get(start) == Some(&b'\r') {
        start += 1;
    }
    if text.as_bytes().get(start) != Some(&b'\n') {
        return None;
    }
    Some(start + 1..line_end(text, start + 1))
}

pub fn previous_line(text: &str, at: usize) -> Option<Range<usize>> {
    let end = line_start(text, at).checked_sub(1)?;
    (text.as_bytes().get(end) == Some(&b'\n')).then(|| line_start(text, end)..end)
}

/// Skips spaces and tabs.
pub fn blank(text: &str, mut at: usize) -> usize {
    while matches!(text.as_bytes().get(at), Some(b' ' | b'\t')) {
        at += 1;
    }
    at
}

/// The range without the spaces at its ends.
pub fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let inner = text.get(range.clone()).unwrap_or_default();
    let start = range.start + inner.len() - inner.trim_start().len();
    start..start + inner.trim().len()
}

/// The inside of the quotes that open at `at`, on this line. `''` is a quote in YAML and SQL.
pub fn quoted(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let escaped = bytes.get(at) == Some(&b'\\');
    let open = at + usize::from(escaped);
    if let Some(close) = text.get(open..).and_then(|rest| rest.chars().next()).and_then(closing) {
        let start = open + text.get(open..)?.chars().next()?.len_utf8();
        let end = text.get(start..line_end(text, start))?.find(close)?;
        return Some(start..start + end);
    }
    let quote = bytes.get(open).copied().filter(|byte| b"\"'`".contains(byte))?;
    let triple = text.get(open..open + 3).is_some_and(|three| three.bytes().all(|byte| byte == quote)) && quote != b'`';
    let start = open + if triple { 3 } else { 1 };
    let end = line_end(text, start);
    let mut at = start;
    while at < end {
        match bytes.get(at) {
            Some(b'\\') if escaped && bytes.get(at + 1) == Some(&quote) => return Some(start..at),
            Some(b'\\') if quote == b'"' || bytes.get(at + 1) == Some(&b'\'') => at += 1,
            Some(b'\'') if quote == b'\'' && bytes.get(at + 1) == Some(&b'\'') && !triple => at += 1,
            // `'it'\''s'`, `'it'"'"'s'`: a quote within shell quotes.
            Some(b'\'') if quote == b'\'' && !escaped && bytes.get(at..at + 4) == Some(b"'\\''") => at += 3,
            Some(b'\'') if quote == b'\'' && !escaped && bytes.get(at..at + 5) == Some(b"'\"'\"'") => at += 4,
            Some(byte) if *byte == quote && !escaped => return Some(start..at),
            _ => {}
        }
        at += 1;
    }
    None
}

/// The closing quote, for quotes that open and close differently.
fn closing(open: char) -> Option<char> {
    Some(match open {
        '“' | '„' => '”',
        '«' => '»',
        '「' => '」',
        '『' => '』',
        '‘' => '’',
        _ => return None,
    })
}

/// Whether a line looks like a setting: `name = value`, `name: value`.
pub fn is_setting(line: &str) -> bool {
    let line = line.trim_start_matches([' ', '\t', '+', '-', '"', '\'', '#', ';']);
    let name = line.find(|letter: char| !letter.is_ascii_alphanumeric() && !"_.-\"' []".contains(letter));
    name.is_some_and(|end| {
        end > 0
            && end < 60
            && line
                .get(end..)
                .is_some_and(|rest| rest.starts_with(['=', ':']) && !rest.starts_with("==") && !rest.starts_with("::"))
    })
}

/// The words between blanks.
pub fn words(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    text.split(char::is_whitespace).filter_map(move |word| {
        let start = at;
        at = start + word.len();
        at += text.get(at..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
        (!word.is_empty()).then_some(start..start + word.len())
    })
}
