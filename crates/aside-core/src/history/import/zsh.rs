//! Parses zsh's `$HISTFILE`, with times (`EXTENDED_HISTORY`), without, or both in one file:
//!
//! ```text
//! : 1700000000:5;for name in *; do\
//! echo $name\
//! done
//! make
//! ```
//!
//! A newline inside a command is written as backslash, newline. A command that ends with a backslash (and spaces) gets
//! one more space, or it would look continued. Without times, a command that begins with a colon gets a backslash in
//! front. And all bytes that zsh uses as tokens are "metafied": written as 0x83 and the byte with its sixth bit
//! flipped, which hits the middle of many UTF-8 characters.

use super::{ImportFormat, ParsedHistory, lines, seconds, text};

const META: u8 = 0x83;

pub fn parse(file: &[u8]) -> ParsedHistory {
    let mut parsed = ParsedHistory::default();
    let mut command: Vec<u8> = Vec::new();
    for line in lines(file) {
        if let Some(line) = line.strip_suffix(b"\\") {
            command.extend_from_slice(line);
            command.push(b'\n');
            continue;
        }
        command.extend_from_slice(line);
        push(&mut parsed, &command);
        command.clear();
    }
    // The file ends in the middle of a command: it was truncated, or is being written right now.
    if !command.is_empty() {
        push(&mut parsed, &command);
    }
    parsed
}

pub(super) fn is_extended(line: &[u8]) -> bool {
    header(line).is_some()
}

fn push(parsed: &mut ParsedHistory, written: &[u8]) {
    let written = without_guard(written);
    match header(written) {
        Some((start_ms, duration_ms, command)) => {
            parsed.push(ImportFormat::Zsh, decode(command), start_ms, duration_ms)
        }
        None => {
            let command = if written.starts_with(b"\\:") { &written[1..] } else { written };
            parsed.push(ImportFormat::Zsh, decode(command), None, None);
        }
    }
}

/// Removes the space that kept a final backslash from continuing the line.
fn without_guard(written: &[u8]) -> &[u8] {
    let guarded = written.ends_with(b" ") && written.iter().rfind(|&&byte| byte != b' ') == Some(&b'\\');
    if guarded { &written[..written.len() - 1] } else { written }
}

/// `: start:elapsed;command`. With `INC_APPEND_HISTORY` zsh writes before the command ends, with a duration of 0: so 0
/// means unknown.
fn header(written: &[u8]) -> Option<(Option<i64>, Option<i64>, &[u8])> {
    let rest = written.strip_prefix(b":")?.trim_ascii_start();
    let (start, rest) = split_once(rest, b':')?;
    let (elapsed, command) = split_once(rest, b';')?;
    let is_number = |digits: &[u8]| {
        let digits = digits.strip_prefix(b"-").unwrap_or(digits);
        !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
    };
    (is_number(start) && is_number(elapsed)).then(|| (seconds(start), seconds(elapsed), command))
}

fn split_once(bytes: &[u8], separator: u8) -> Option<(&[u8], &[u8])> {
    let at = bytes.iter().position(|&byte| byte == separator)?;
    Some((&bytes[..at], &bytes[at + 1..]))
}

fn decode(written: &[u8]) -> Option<String> {
    // A file that another program wrote is not metafied; if undoing it gives no UTF-8, the bytes are taken as they are.
    text(&unmetafy(written)).or_else(|| text(written))
}

fn unmetafy(written: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(written.len());
    let mut rest = written.iter();
    while let Some(&byte) = rest.next() {
        bytes.push(match byte {
            META => rest.next().map_or(META, |&byte| byte ^ 0x20),
            _ => byte,
        });
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each command as `start ms+duration ms|command`, escaped, one per line.
    fn read(file: &[u8]) -> Vec<String> {
        let number = |number: Option<i64>| number.map_or_else(|| "-".to_owned(), |number| number.to_string());
        let parsed = parse(file);
        assert!(parsed.entries.iter().all(|entry| entry.shell == "zsh"));
        let mut lines: Vec<String> = parsed
            .entries
            .iter()
            .map(|entry| format!("{}+{}|{}", number(entry.start_ms), number(entry.duration_ms), entry.command))
            .collect();
        if parsed.skipped > 0 {
            lines.push(format!("skipped {}", parsed.skipped));
        }
        lines
    }

    #[test]
    fn reads_times_and_how_long_it_took() {
        assert_eq!(
            read(b": 1700000000:5;make\n: 1700000009:0;ls -l\n"),
            ["1700000000000+5000|make", "1700000009000+-|ls -l"]
        );
    }

    #[test]
    fn a_time_before_1970_is_no_time_and_no_command() {
        assert_eq!(read(b": -5:0;ls\n: -1700000000:-3;make\n: 0:0;pwd\n"), ["-+-|ls", "-+-|make", "-+-|pwd"]);
    }

    #[test]
    fn reads_a_plain_file_and_a_mixed_one() {
        assert_eq!(read(b"ls\nmake"), ["-+-|ls", "-+-|make"]);
        assert_eq!(read(b"ls\n: 1700000000:0;make\npwd\n"), ["-+-|ls", "1700000000000+-|make", "-+-|pwd"]);
    }

    #[test]
    fn joins_the_lines_of_one_command() {
        assert_eq!(
            read(b": 1700000000:0;for i in 1; do\\\necho $i\\\n\\\ndone\n: 1700000001:0;ls\n"),
            ["1700000000000+-|for i in 1; do\necho $i\n\ndone", "1700000001000+-|ls"]
        );
    }

    #[test]
    fn keeps_the_backslash_of_a_line_the_person_continued() {
        assert_eq!(read(b"echo one \\\\\ntwo\n"), ["-+-|echo one \\\ntwo"]);
    }

    #[test]
    fn takes_back_the_space_behind_a_final_backslash() {
        assert_eq!(
            read(b"one\\ \ntwo\\\\ \nthree\\  \nfour \n"),
            ["-+-|one\\", "-+-|two\\\\", "-+-|three\\ ", "-+-|four "]
        );
        assert_eq!(read(b"one\\ \\\ntwo\n"), ["-+-|one\\ \ntwo"]);
    }

    #[test]
    fn takes_back_the_backslash_before_a_colon() {
        assert_eq!(read(b"\\: nothing\n\\:\n"), ["-+-|: nothing", "-+-|:"]);
        assert_eq!(read(b": 1700000000:0;: nothing\n"), ["1700000000000+-|: nothing"]);
        assert_eq!(read(b": 1700000000:0;: 5:5;x\n"), ["1700000000000+-|: 5:5;x"]);
    }

    #[test]
    fn a_colon_that_begins_no_header_begins_a_command() {
        assert_eq!(read(b": nothing\n: a:b;c\n:\n"), ["-+-|: nothing", "-+-|: a:b;c", "-+-|:"]);
    }

    #[test]
    fn unmetafies() {
        // U+4E2D U+6587, U+1F600, U+00C3, as zsh 5.9 writes them.
        assert_eq!(
            read(b"\xe4\xb8\xad\xe6\x83\xb6\x83\xa7\n\xf0\x83\xbf\x83\xb8\x80\n\xc3\x83\xa3\n"),
            ["-+-|中文", "-+-|😀", "-+-|Ã"]
        );
    }

    #[test]
    fn reads_utf8_that_was_never_metafied() {
        assert_eq!(read("echo 文 😀 ホ\n".as_bytes()), ["-+-|echo 文 😀 ホ"]);
    }

    #[test]
    fn counts_what_is_not_text() {
        assert_eq!(read(b"bad\xff\nls\nnul\x83 x\n"), ["-+-|ls", "skipped 2"]);
    }

    #[test]
    fn a_time_that_no_clock_shows_is_no_time() {
        assert_eq!(
            read(b": 0:0;a\n: 99999999999999999999:0;b\n: 1700000000:-3;c\n"),
            ["-+-|a", "-+-|b", "1700000000000+-|c"]
        );
    }

    #[test]
    fn a_file_cut_in_the_middle_of_a_command_keeps_what_is_there() {
        assert_eq!(read(b"for i in 1; do\\\n"), ["-+-|for i in 1; do"]);
    }
}
