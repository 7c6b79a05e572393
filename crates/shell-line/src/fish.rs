//! Parses what is different in fish: its quotes, its substitutions, its blocks that end with `end`.

use crate::scan::{Block, Closer, Frame, MAX_DEPTH, Position, Scan, is_end_of_word, is_name};
use crate::word::{Build, braces_expand};
use crate::{CursorRole, Join, Quote, Unclosed, Word};

pub(super) fn list(scan: &mut Scan<'_>, frame: &mut Frame) {
    loop {
        scan.skip_blanks();
        let Some(byte) = scan.peek() else {
            let role = match frame.position {
                Position::Words => scan.next_role(),
                Position::Start | Position::Done => CursorRole::Name,
            };
            scan.mark_none(role);
            scan.unfinished_list(frame);
            scan.owner = None;
            return;
        };
        match byte {
            b'#' => scan.skip_comment(),
            b'\n' | b'\r' => {
                scan.at += 1;
                scan.end_command(frame);
            }
            b';' => {
                scan.at += 1;
                scan.end_command(frame);
                frame.dangling = false;
                frame.join = Join::Next;
            }
            b'&' if scan.ahead(1) == Some(b'>') => scan.redirect(frame),
            b'&' | b'|' => operator(scan, frame),
            b')' => {
                scan.at += 1;
                scan.end_command(frame);
                if frame.closer == Closer::Paren {
                    return;
                }
            }
            b'<' | b'>' => redirect(scan, frame),
            b'0'..=b'9' if scan.has_descriptor() => redirect(scan, frame),
            _ if frame.position == Position::Start && reserved(scan, frame) => {}
            _ => simple(scan, frame),
        }
    }
}

/// Parses a redirection. `2>|` is a pipe.
fn redirect(scan: &mut Scan<'_>, frame: &mut Frame) {
    let rest = scan.bytes.get(scan.at..scan.end).unwrap_or_default();
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if rest.get(digits..).is_some_and(|rest| rest.starts_with(b">|")) {
        scan.at += digits + 1;
        return operator(scan, frame);
    }
    scan.redirect(frame);
}

fn operator(scan: &mut Scan<'_>, frame: &mut Frame) {
    let (length, join) = match (scan.peek(), scan.ahead(1)) {
        (Some(b'&'), Some(b'&')) => (2, Join::And),
        (Some(b'&'), Some(b'|')) => (2, Join::Pipe),
        (Some(b'&'), _) => (1, Join::Next),
        (_, Some(b'|')) => (2, Join::Or),
        _ => (1, Join::Pipe),
    };
    scan.at += length;
    scan.end_command(frame);
    frame.join = join;
    frame.dangling = join != Join::Next;
}

fn reserved(scan: &mut Scan<'_>, frame: &mut Frame) -> bool {
    let keyword = scan.keyword().split('\r').next().unwrap_or_default();
    let opens = matches!(keyword, "if" | "while" | "for" | "switch" | "function" | "begin");
    let other = matches!(keyword, "and" | "or" | "not" | "!" | "time" | "else" | "end" | "case");
    if !opens && !other {
        return false;
    }
    // `function --help` and the like are commands.
    let flag = scan.bytes.get(scan.at + keyword.len()..scan.end).unwrap_or_default().trim_ascii_start();
    if opens && (flag.starts_with(b"--help") || flag.starts_with(b"-h ")) {
        return false;
    }
    let start = scan.at;
    scan.at += keyword.len();
    scan.mark(CursorRole::Name, start, keyword, true);
    if opens {
        frame.blocks.push(Block::End);
        frame.dangling = false;
    }
    match keyword {
        "and" => frame.join = Join::And,
        "or" => frame.join = Join::Or,
        "else" => {
            frame.join = Join::Next;
            scan.skip_blanks();
            // `else if` opens nothing.
            if scan.starts_with("if ") {
                scan.at += 2;
            }
        }
        "end" => {
            frame.blocks.pop();
            scan.end_command(frame);
            frame.join = Join::Next;
            frame.position = Position::Done;
        }
        "for" | "switch" | "function" | "case" => {
            header(scan, keyword);
            frame.join = Join::Next;
        }
        _ => {}
    }
    true
}

/// The words after `for`, `switch`, `function` and `case`.
fn header(scan: &mut Scan<'_>, keyword: &str) {
    let mut count = 0usize;
    loop {
        scan.skip_blanks();
        let role = |count| match keyword {
            "function" => CursorRole::Other,
            "for" if count < 3 => CursorRole::Other,
            _ => CursorRole::Argument(count),
        };
        count += 1;
        match scan.peek() {
            None => return scan.mark_none(role(count)),
            Some(b'\n' | b'\r' | b';' | b'&' | b'|' | b')' | b'<' | b'>') => return,
            Some(_) => {
                let word = word(scan);
                scan.mark_word(role(count), &word);
            }
        }
    }
}

fn simple(scan: &mut Scan<'_>, frame: &mut Frame) {
    if frame.position == Position::Done {
        scan.end_command(frame);
        frame.join = Join::Next;
    }
    let name = assigned(scan).filter(|_| scan.next_role() == CursorRole::Name);
    scan.command(frame);
    frame.position = Position::Words;
    if let Some(name) = name {
        return scan.assignment(name);
    }
    let role = scan.next_role();
    let word = word(scan);
    if word.span.is_empty() {
        scan.at += 1;
        return;
    }
    scan.mark_word(role, &word);
    scan.push_word(word);
}

fn assigned(scan: &Scan<'_>) -> Option<(usize, usize)> {
    let rest = scan.bytes.get(scan.at..scan.end)?;
    let name = rest.iter().take_while(|byte| is_name(**byte)).count();
    (name > 0 && !rest.first().is_some_and(u8::is_ascii_digit) && rest.get(name) == Some(&b'='))
        .then_some((name, name + 1))
}

/// Reads a word up to what cannot belong to it; may be empty.
pub(super) fn word(scan: &mut Scan<'_>) -> Word {
    let start = scan.at;
    let mut build = Build::new();
    let mut brace = None;
    // Missing closing brackets; blanks between them belong to the word.
    let mut closing = Vec::new();
    loop {
        scan.plain(&mut build);
        // Where one of these is missing at the end, fish reports an error and does not ask for more.
        let Some(byte) = scan.peek() else { break };
        let first = scan.at == start;
        match byte {
            b'\\' => escape(scan, &mut build),
            b'\'' => single(scan, &mut build),
            b'"' => double(scan, &mut build),
            b'$' => dollar(scan, &mut build, Quote::None),
            b'(' => parens(scan, &mut build, 1),
            b'*' | b'?' => {
                build.fixed = false;
                scan.take(&mut build);
            }
            b'~' => {
                build.fixed &= !first;
                scan.take(&mut build);
            }
            b'{' => {
                brace = brace.or(Some(scan.at));
                closing.push(b'}');
                scan.take(&mut build);
            }
            b'[' if !first => {
                build.fixed = false;
                closing.push(b']');
                scan.take(&mut build);
            }
            b'}' | b']' => {
                if closing.last() == Some(&byte) {
                    closing.pop();
                }
                scan.take(&mut build);
            }
            b')' => break,
            _ if !closing.is_empty() => scan.take(&mut build),
            b' ' | b'\t' | b'\n' | b'\r' | b';' | b'|' | b'<' | b'>' => break,
            b'&' if scan.ahead(1).is_none_or(|byte| is_end_of_word(byte) || byte == b'\r') => break,
            _ => scan.take(&mut build),
        }
    }
    let raw = brace.and_then(|brace| scan.text.get(brace..scan.at)).unwrap_or_default();
    build.fixed &= !braces_expand(raw);
    Word { span: start..scan.at, value: build.value, fixed: build.fixed }
}

fn escape(scan: &mut Scan<'_>, build: &mut Build) {
    scan.at += 1;
    let Some(byte) = scan.peek() else {
        scan.unfinished(Unclosed::Backslash);
        return scan.mark_none(CursorRole::Other);
    };
    scan.at += 1;
    let letter = match byte {
        b'\n' => return,
        b'a' => Some('\x07'),
        b'b' => Some('\x08'),
        b'e' => Some('\x1b'),
        b'f' => Some('\x0c'),
        b'n' => Some('\n'),
        b'r' => Some('\r'),
        b't' => Some('\t'),
        b'v' => Some('\x0b'),
        b'0'..=b'7' => {
            scan.at -= 1;
            scan.number(8, 3).and_then(char::from_u32)
        }
        b'x' | b'X' => scan.number(16, 2).and_then(char::from_u32),
        b'u' => scan.number(16, 4).and_then(char::from_u32),
        b'U' => scan.number(16, 8).and_then(char::from_u32),
        b'c' => {
            let control = scan.peek().filter(u8::is_ascii_alphabetic);
            scan.at += usize::from(control.is_some());
            control.map(|byte| char::from(byte & 0x1f))
        }
        _ => {
            scan.at -= 1;
            return scan.take(build);
        }
    };
    match letter {
        Some(letter) if letter.is_ascii() || matches!(byte, b'u' | b'U') => build.value.push(letter),
        // A lone byte, or not a character at all.
        _ => build.fixed = false,
    }
}

fn single(scan: &mut Scan<'_>, build: &mut Build) {
    scan.at += 1;
    loop {
        match scan.peek() {
            None => return scan.unclosed(Quote::Single),
            Some(b'\'') => {
                scan.at += 1;
                return;
            }
            Some(b'\\') if matches!(scan.ahead(1), Some(b'\\' | b'\'')) => {
                scan.at += 1;
                scan.take(build);
            }
            Some(_) => scan.take(build),
        }
    }
}

fn double(scan: &mut Scan<'_>, build: &mut Build) {
    scan.at += 1;
    loop {
        match scan.peek() {
            None => return scan.unclosed(Quote::Double),
            Some(b'"') => {
                scan.at += 1;
                return;
            }
            Some(b'\\') => match scan.ahead(1) {
                Some(b'\n') => scan.at += 2,
                Some(b'"' | b'\\' | b'$') => {
                    scan.at += 1;
                    scan.take(build);
                }
                _ => scan.take(build),
            },
            Some(b'$') => dollar(scan, build, Quote::Double),
            Some(_) => scan.take(build),
        }
    }
}

fn dollar(scan: &mut Scan<'_>, build: &mut Build, quote: Quote) {
    let from = scan.at;
    if scan.ahead(1) == Some(b'(') {
        return parens(scan, build, 2);
    }
    while scan.peek() == Some(b'$') {
        scan.at += 1;
    }
    let name = scan.at;
    while scan.peek().is_some_and(is_name) {
        scan.at += 1;
    }
    scan.variable(name, quote);
    if scan.peek() == Some(b'[') {
        // Also inside quotes: `"$path[1]"`.
        scan.at += 1;
        subscript(scan, build, quote);
    }
    scan.keep(build, from);
}

fn subscript(scan: &mut Scan<'_>, build: &mut Build, quote: Quote) {
    let kept = build.value.len();
    loop {
        match scan.peek() {
            None => break,
            Some(b'"') if quote == Quote::Double => break,
            Some(b']') => {
                scan.at += 1;
                break;
            }
            Some(b'$') if scan.depth < MAX_DEPTH => {
                scan.depth += 1;
                dollar(scan, build, quote);
                scan.depth -= 1;
            }
            Some(b'(') if quote == Quote::None => parens(scan, build, 1),
            Some(_) => scan.take(build),
        }
    }
    build.value.truncate(kept);
}

/// `(…)`, `$(…)`
fn parens(scan: &mut Scan<'_>, build: &mut Build, opening: usize) {
    let from = scan.at;
    scan.at += opening;
    scan.substitution(Closer::Paren);
    scan.keep(build, from);
}
