//! Command lines written as a list: `["mysql", "-u", "root", "-pvalue"]`, `Command::new("mysql").arg("-pvalue")`, and a
//! YAML list with a word on each line. `program` decides what the words mean.

use std::ops::Range;

use shell_line::Word;

use crate::program::programs;
use crate::scan::{self, line_end, line_start, next_line};

/// Limits: words of one list, bytes of an unquoted word, bytes of the path before a program's name.
const MAX_WORDS: usize = 48;
const MAX_BARE: usize = 200;
const MAX_PATH: usize = 60;

/// `name` is the span of a program's name.
pub fn secrets(text: &str, name: &Range<usize>) -> Vec<Range<usize>> {
    let arguments = match List::at(text, name) {
        Some(List::Quoted) => quoted(text, name.end + 1),
        Some(List::Bare) => bare(text, name.end),
        Some(List::Lines) => lines(text, name),
        Some(List::Audit) => audit(text, name.end + 1),
        None => return Vec::new(),
    };
    let mut found = Vec::new();
    for program in text.get(name.clone()).into_iter().flat_map(|name| programs().of(name)) {
        program.arguments(text, &arguments, &mut |span| found.push(span));
    }
    found
}

enum List {
    Quoted,
    /// `[mysql, -u, root]`, as in logs.
    Bare,
    /// `- mysql` above `- -uroot`.
    Lines,
    /// `a0="mysql" a1="-uroot"`, a record of the Linux audit system.
    Audit,
}

impl List {
    fn at(text: &str, name: &Range<usize>) -> Option<Self> {
        let from = text.ceil_char_boundary(name.start.saturating_sub(MAX_PATH));
        let before = text
            .get(from..name.start)?
            .trim_end_matches(|letter: char| letter.is_ascii_alphanumeric() || "/._-".contains(letter));
        let next = *text.as_bytes().get(name.end)?;
        let last = before.bytes().next_back();
        match next {
            b'"' if before.ends_with("a0=\"") => Some(List::Audit),
            b'"' | b'\'' if last == Some(next) => Some(List::Quoted),
            b',' if last == Some(b'[') => Some(List::Bare),
            b'\n' | b'\r' => {
                let line = text.get(line_start(text, name.start)..name.start)?;
                line.trim_start().starts_with("- ").then_some(List::Lines)
            }
            _ => None,
        }
    }
}

/// The words behind a comma or inside `.arg(…)`. A variable keeps its position.
fn quoted(text: &str, from: usize) -> Vec<Word> {
    let mut words = Vec::new();
    let mut at = from;
    while words.len() < MAX_WORDS {
        let rest = text.get(at..text.floor_char_boundary(at.saturating_add(MAX_BARE))).unwrap_or_default();
        let length = rest.len();
        // `"x".into()`
        let rest = [".into()", ".to_string()", ".to_owned()", ".clone()"]
            .iter()
            .find_map(|call| rest.strip_prefix(call))
            .unwrap_or(rest);
        let behind = rest.trim_start_matches([' ', '\t', '\n', '\r', ',', ')', '[', '&', ']']);
        let separators = rest.get(..rest.len() - behind.len()).unwrap_or_default();
        let called = [".args(", ".arg("].iter().find_map(|call| behind.strip_prefix(call));
        if called.is_none() && !separators.contains(',') || separators.contains(']') && called.is_none() {
            break;
        }
        let word = called.unwrap_or(behind).trim_start_matches(['[', '&', ' ', '\n', '\t']);
        let place = at + (length - word.len());
        match scan::quoted(text, place) {
            Some(inner) => {
                let value = text.get(inner.clone()).unwrap_or_default().to_owned();
                at = inner.end + 1;
                words.push(Word { span: place..at, value, fixed: true });
            }
            None => {
                let end = word.find(|letter: char| ",)]\n".contains(letter)).unwrap_or(word.len());
                if end == 0 {
                    break;
                }
                at = place + end;
                words.push(Word { span: place..at, value: "$".to_owned(), fixed: false });
            }
        }
    }
    words
}

fn audit(text: &str, from: usize) -> Vec<Word> {
    let mut words = Vec::new();
    let mut at = from;
    while words.len() < MAX_WORDS {
        let prefix = format!(" a{}=", words.len() + 1);
        let Some(rest) = text.get(at..).filter(|rest| rest.starts_with(&prefix)) else { break };
        let start = at + prefix.len();
        let Some(inner) = scan::quoted(text, start) else {
            // Values with blanks are written in hexadecimal.
            let hex = rest.get(prefix.len()..).unwrap_or_default().bytes().take_while(u8::is_ascii_hexdigit).count();
            if hex == 0 {
                break;
            }
            at = start + hex;
            words.push(Word {
                span: start..at,
                value: text.get(start..at).unwrap_or_default().to_owned(),
                fixed: true,
            });
            continue;
        };
        let value = text.get(inner.clone()).unwrap_or_default().to_owned();
        at = inner.end + 1;
        words.push(Word { span: start..at, value, fixed: true });
    }
    words
}

fn bare(text: &str, from: usize) -> Vec<Word> {
    let line = text.get(from..line_end(text, from)).unwrap_or_default();
    let Some(close) = line.find(']') else { return Vec::new() };
    let mut at = from;
    let mut words = Vec::new();
    for part in line.get(..close).unwrap_or_default().split(',').take(MAX_WORDS) {
        let span = scan::trimmed(text, at..at + part.len());
        at += part.len() + 1;
        if !span.is_empty() {
            words.push(Word { value: part.trim().to_owned(), span, fixed: true });
        }
    }
    words
}

fn lines(text: &str, name: &Range<usize>) -> Vec<Word> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let own = indent(text.get(line_start(text, name.start)..name.start).unwrap_or_default());
    let mut words = Vec::new();
    let mut at = name.end;
    while words.len() < MAX_WORDS
        && let Some(line) = next_line(text, at)
    {
        at = line.end;
        let content = text.get(line.clone()).unwrap_or_default();
        if indent(content) != own || !content.trim_start().starts_with("- ") {
            break;
        }
        let span = scan::trimmed(text, line.start + own + 2..line.end);
        let value = text.get(span.clone()).unwrap_or_default().trim_matches(['"', '\'']).to_owned();
        words.push(Word { span, value, fixed: true });
    }
    words
}
