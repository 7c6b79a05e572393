//! Parses bash's history file. With `HISTTIMEFORMAT` set, a line `#1700000000` precedes each command, which may have
//! several lines; in a file without any, each line is a command. A file may have both if the setting changed: after a
//! complete command, a line without a time is a command of its own.
//!
//! bash itself takes every line that begins with `#` and a digit for a time, and so loses comments like `#1 priority`;
//! we require only digits, and enough of them for a date after 1973. A time before 1970 is ignored.

use shell_line::{self as line, Dialect, Syntax};

use super::{ImportFormat, ParsedHistory, lines, seconds, text};

/// Lines and bytes up to which a command is checked for completeness; a longer one ends at the next time.
const MAX_LINES: usize = 64;
const MAX_BYTES: usize = 16 * 1024;

/// A command behind a line with a time.
struct Timed {
    start_ms: Option<i64>,
    command: Vec<u8>,
    lines: usize,
}

pub fn parse(file: &[u8]) -> ParsedHistory {
    let mut parsed = ParsedHistory::default();
    let mut open: Option<Timed> = None;
    for line in lines(file) {
        if let Some(start_ms) = time(line) {
            push(&mut parsed, open.replace(Timed { start_ms, command: Vec::new(), lines: 0 }));
            continue;
        }
        match &mut open {
            Some(timed) if timed.goes_on() => timed.take(line),
            // Empty lines separate nothing: the next time may still follow.
            _ if line.is_empty() => {}
            _ => {
                push(&mut parsed, open.take());
                parsed.push(ImportFormat::Bash, text(line), None, None);
            }
        }
    }
    push(&mut parsed, open);
    parsed
}

fn push(parsed: &mut ParsedHistory, timed: Option<Timed>) {
    if let Some(Timed { start_ms, command, .. }) = timed {
        parsed.push(ImportFormat::Bash, text(&command), start_ms, None);
    }
}

impl Timed {
    /// Whether the next line belongs to the command: bash would prompt for it.
    fn goes_on(&self) -> bool {
        if self.command.is_empty() || self.lines > MAX_LINES || self.command.len() > MAX_BYTES {
            return true;
        }
        let is_open = |text: &str| matches!(line::syntax(text, Dialect::Bash), Syntax::Open(_));
        std::str::from_utf8(&self.command).is_ok_and(is_open)
    }

    fn take(&mut self, line: &[u8]) {
        if !self.command.is_empty() {
            self.command.push(b'\n');
        }
        self.command.extend_from_slice(line);
        self.lines += 1;
    }
}

/// The time of a timestamp line; the inner `None` is an implausible time.
fn time(line: &[u8]) -> Option<Option<i64>> {
    let is_number = |digits: &[u8]| !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    let before_1970 = line.strip_prefix(b"#-").is_some_and(is_number);
    if before_1970 { Some(None) } else { timestamp(line).map(Some) }
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
    fn a_line_without_a_time_behind_a_whole_command_is_another_command() {
        for (file, expected) in [
            ("#1700000000\nmake\nls\npwd\n", vec!["1700000000000|make", "-|ls", "-|pwd"]),
            ("#1700000000\nmake\n\nls\n", vec!["1700000000000|make", "-|ls"]),
            ("#1700000000\nmake\nls\n#1700000009\npwd\n", vec!["1700000000000|make", "-|ls", "1700000009000|pwd"]),
            (
                "#1700000000\nfor i in 1; do\necho $i\ndone\nls\n",
                vec!["1700000000000|for i in 1; do\necho $i\ndone", "-|ls"],
            ),
            ("#1700000000\necho 'a\nb'\nls\n", vec!["1700000000000|echo 'a\nb'", "-|ls"]),
            ("#1700000000\ncat <<X\na\nX\nls\n", vec!["1700000000000|cat <<X\na\nX", "-|ls"]),
            ("#1700000000\nmake &&\n  ls\npwd\n", vec!["1700000000000|make &&\n  ls", "-|pwd"]),
            ("#1700000000\nmake \\\n  all\npwd\n", vec!["1700000000000|make \\\n  all", "-|pwd"]),
            ("#1700000000\necho )\nls\n", vec!["1700000000000|echo )", "-|ls"]),
        ] {
            assert_eq!(read(file.as_bytes()), expected, "{file}");
        }
    }

    #[test]
    fn a_time_before_1970_is_no_command_and_no_time() {
        assert_eq!(read(b"#-1700000000\nls\n#-1\npwd\n#1700000000\nmake\n"), ["-|ls", "-|pwd", "1700000000000|make"]);
        assert_eq!(read(b"#-5\nfor i in 1; do\ndone\n#-\n"), ["-|for i in 1; do\ndone", "-|#-"]);
        assert_eq!(read(b"#-x\n#- 5\n"), ["-|#-x", "-|#- 5"]);
    }

    #[test]
    fn a_command_without_an_end_ends_with_the_next_time() {
        let file = format!("#1700000000\necho '{}#1700000009\nls\n", "a\n".repeat(500));
        assert_eq!(read(file.as_bytes()).len(), 2);
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
