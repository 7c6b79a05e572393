//! bash's history file. With `HISTTIMEFORMAT` set, a line `#1700000000` precedes each command, and everything up to
//! the next such line is that command; before the first one, and in a file without any, each line is a command.
//!
//! bash itself takes every line that begins with `#` and a digit for a time, and so loses comments like `#1 priority`;
//! we want nothing but digits, and enough of them to be a date after 1973.

use super::{Format, Parsed, lines, seconds, text};

pub fn parse(file: &[u8]) -> Parsed {
    let mut parsed = Parsed::default();
    let mut timed: Option<(i64, Vec<u8>)> = None;
    for line in lines(file) {
        if let Some(start_ms) = timestamp(line) {
            if let Some((start_ms, command)) = timed.replace((start_ms, Vec::new())) {
                parsed.push(Format::Bash, text(&command), Some(start_ms), None);
            }
        } else if let Some((_, command)) = &mut timed {
            if !command.is_empty() {
                command.push(b'\n');
            }
            command.extend_from_slice(line);
        } else {
            parsed.push(Format::Bash, text(line), None, None);
        }
    }
    if let Some((start_ms, command)) = timed {
        parsed.push(Format::Bash, text(&command), Some(start_ms), None);
    }
    parsed
}

pub(super) fn timestamp(line: &[u8]) -> Option<i64> {
    let digits = line.strip_prefix(b"#")?;
    let plausible = (9..=11).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit);
    if plausible { seconds(digits) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(file: &[u8]) -> Vec<String> {
        let parsed = parse(file);
        assert!(parsed.entries.iter().all(|entry| entry.shell == "bash"));
        let start = |start: Option<i64>| start.map_or_else(|| "-".to_owned(), |start| start.to_string());
        let entries = parsed.entries.iter().map(|entry| format!("{}|{}", start(entry.start_ms), entry.command));
        let skipped = (parsed.skipped > 0).then(|| format!("skipped {}", parsed.skipped));
        entries.chain(skipped).collect()
    }

    #[test]
    fn without_times_each_line_is_a_command() {
        assert_eq!(
            read(b"ls\n\nfor i in 1; do echo; done\n# a note\n"),
            ["-|ls", "-|for i in 1; do echo; done", "-|# a note"]
        );
    }

    #[test]
    fn with_times_a_command_may_have_several_lines() {
        assert_eq!(
            read(b"#1700000000\ncat <<X\n#12345\n\nX\n#1700000009\nls\n"),
            ["1700000000000|cat <<X\n#12345\n\nX", "1700000009000|ls"]
        );
    }

    #[test]
    fn what_precedes_the_first_time_has_none() {
        assert_eq!(read(b"ls\npwd\n#1700000000\nmake\n"), ["-|ls", "-|pwd", "1700000000000|make"]);
    }

    #[test]
    fn a_time_without_a_command_is_nothing() {
        assert_eq!(read(b"#1700000000\n#1700000001\n\n#1700000002\nls\n\n#1700000003"), ["1700000002000|ls"]);
    }

    #[test]
    fn a_comment_that_begins_with_digits_is_a_command() {
        assert_eq!(read(b"#1 priority\n#12345\n"), ["-|#1 priority", "-|#12345"]);
    }

    #[test]
    fn counts_what_is_not_text() {
        assert_eq!(read(b"bad \xff\nls\n#1700000000\nnul \0\n"), ["-|ls", "skipped 2"]);
    }
}
