//! Parses fish's `fish_history`. It looks like YAML and is not: two escapes, `\\` and `\n`, and no quotes.
//!
//! ```text
//! - cmd: for name in *\necho $name\nend
//!   when: 1700000000
//!   paths:
//!     - Cargo.toml
//! ```
//!
//! A last line without a line break was truncated while it was written: its command would be incomplete, its time
//! wrong.
//!
//! fish stores a command once, with the time of its last run, so older runs are not in the file.

use super::{ImportFormat, ParsedHistory, lines, seconds, text};

pub fn parse(file: &[u8]) -> ParsedHistory {
    let mut parsed = ParsedHistory::default();
    let mut open: Option<(&[u8], Option<i64>)> = None;
    let written = file.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    for line in lines(file.get(..written).unwrap_or_default()) {
        if let Some(command) = line.strip_prefix(b"- cmd: ") {
            if let Some((command, start_ms)) = open.replace((command, None)) {
                push(&mut parsed, command, start_ms);
            }
        } else if let (Some(when), Some((_, start_ms))) = (line.strip_prefix(b"  when: "), &mut open) {
            *start_ms = seconds(when.trim_ascii());
        }
    }
    if let Some((command, start_ms)) = open {
        push(&mut parsed, command, start_ms);
    }
    parsed
}

fn push(parsed: &mut ParsedHistory, command: &[u8], start_ms: Option<i64>) {
    parsed.push(ImportFormat::Fish, text(&unescape(command)), start_ms, None);
}

fn unescape(written: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(written.len());
    let mut rest = written;
    while let [byte, tail @ ..] = rest {
        let (byte, tail) = match rest {
            [b'\\', b'\\', tail @ ..] => (b'\\', tail),
            [b'\\', b'n', tail @ ..] => (b'\n', tail),
            _ => (*byte, tail),
        };
        bytes.push(byte);
        rest = tail;
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(file: &[u8]) -> Vec<String> {
        let parsed = parse(file);
        assert!(parsed.entries.iter().all(|entry| entry.shell == "fish"));
        let start = |start: Option<i64>| start.map_or_else(|| "-".to_owned(), |start| start.to_string());
        let entries = parsed.entries.iter().map(|entry| format!("{}|{}", start(entry.start_ms), entry.command));
        let skipped = (parsed.skipped > 0).then(|| format!("skipped {}", parsed.skipped));
        entries.chain(skipped).collect()
    }

    #[test]
    fn reads_commands_and_times_and_leaves_the_paths() {
        let file = b"- cmd: cat a b\n  when: 1700000000\n  paths:\n    - a\n    - b\n- cmd: ls\n  when: 1700000009\n";
        assert_eq!(read(file), ["1700000000000|cat a b", "1700000009000|ls"]);
    }

    #[test]
    fn undoes_the_two_escapes() {
        assert_eq!(
            read(b"- cmd: for i in 1\\necho $i\\nend\n- cmd: echo 'a\\\\b' \\\\n\n- cmd: echo \\x \\\n"),
            ["-|for i in 1\necho $i\nend", "-|echo 'a\\b' \\n", "-|echo \\x \\"]
        );
    }

    #[test]
    fn a_torn_last_line_is_left_out() {
        for (file, expected) in [
            ("- cmd: ls\n  when: 1700000000\n- cmd: rm -r bui", vec!["1700000000000|ls"]),
            ("- cmd: ls\n  when: 1700000000\n- cmd: make\n  when: 1700", vec!["1700000000000|ls", "-|make"]),
            ("- cmd: ls\n  when: 1700000000\n- cm", vec!["1700000000000|ls"]),
            ("- cmd: ls\n  when: 1700000000\n  paths:\n    - a", vec!["1700000000000|ls"]),
            ("- cmd: ls\n  wh", vec!["-|ls"]),
            ("- cmd: ls", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(read(file.as_bytes()), expected, "{file}");
        }
    }

    #[test]
    fn a_time_before_1970_is_none() {
        assert_eq!(read(b"- cmd: ls\n  when: -5\n- cmd: pwd\n  when: 0\n"), ["-|ls", "-|pwd"]);
    }

    #[test]
    fn a_command_that_looks_like_a_key_stays_a_command() {
        assert_eq!(read(b"- cmd: when: 5\n  when: 1700000000\n"), ["1700000000000|when: 5"]);
    }

    #[test]
    fn counts_what_is_not_text() {
        assert_eq!(read(b"- cmd: \xff\n  when: 1700000000\n- cmd: ls\n"), ["-|ls", "skipped 1"]);
    }

    #[test]
    fn a_file_of_another_kind_holds_nothing() {
        assert_eq!(read(b"ls\n: 1700000000:0;ls\n#1700000000\n"), Vec::<String>::new());
    }
}
