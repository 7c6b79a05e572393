//! Parses the history files of other shells: bytes in, entries out, in the order of the file. Counts and skips a line
//! that is not text. Does not decide which commands may be stored: that is `history::filter`.

use crate::history::HistoryEntry;

pub mod bash;
pub mod fish;
pub mod zsh;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportFormat {
    Zsh,
    Bash,
    Fish,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ParsedHistory {
    pub entries: Vec<HistoryEntry>,
    /// Commands that are not UTF-8 or contain a NUL: no shell could run them again from our text.
    pub skipped: usize,
}

impl ImportFormat {
    pub fn name(self) -> &'static str {
        match self {
            Self::Zsh => "zsh",
            Self::Bash => "bash",
            Self::Fish => "fish",
        }
    }

    pub fn parse(self, file: &[u8]) -> ParsedHistory {
        match self {
            Self::Zsh => zsh::parse(file),
            Self::Bash => bash::parse(file),
            Self::Fish => fish::parse(file),
        }
    }

    /// The shell that wrote this file, if its first line reveals it. A plain list of commands could be from any shell.
    pub fn guess(file: &[u8]) -> Option<Self> {
        let first = lines(file).next()?;
        if zsh::is_extended(first) {
            Some(Self::Zsh)
        } else if bash::timestamp(first).is_some() {
            Some(Self::Bash)
        } else if first.starts_with(b"- cmd: ") {
            Some(Self::Fish)
        } else {
            None
        }
    }
}

impl ParsedHistory {
    fn push(&mut self, format: ImportFormat, command: Option<String>, start_ms: Option<i64>, duration_ms: Option<i64>) {
        match command {
            None => self.skipped += 1,
            Some(command) if command.is_empty() => {}
            Some(command) => {
                let shell = format.name().to_owned();
                self.entries.push(HistoryEntry { command, start_ms, duration_ms, shell, ..HistoryEntry::default() });
            }
        }
    }
}

/// The end of the file also ends the last line; a newline there does not begin another one.
fn lines(file: &[u8]) -> impl Iterator<Item = &[u8]> {
    let file = file.strip_suffix(b"\n").unwrap_or(file);
    let empty = file.is_empty();
    file.split(|&byte| byte == b'\n').filter(move |_| !empty)
}

/// A trailing line break is not part of a command.
fn text(bytes: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(bytes).ok()?.trim_end_matches('\n');
    (!text.contains('\0')).then(|| text.to_owned())
}

/// Seconds as digits. Zero and implausible values count as no time.
fn seconds(digits: &[u8]) -> Option<i64> {
    let digits = std::str::from_utf8(digits).ok()?;
    let seconds: i64 = digits.parse().ok()?;
    (seconds > 0).then(|| seconds.checked_mul(1000))?
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn tells_the_formats_apart_by_their_first_line() {
        assert_eq!(ImportFormat::guess(b": 1700000000:0;ls\n"), Some(ImportFormat::Zsh));
        assert_eq!(ImportFormat::guess(b"#1700000000\nls\n"), Some(ImportFormat::Bash));
        assert_eq!(ImportFormat::guess(b"- cmd: ls\n  when: 1700000000\n"), Some(ImportFormat::Fish));
        assert_eq!(ImportFormat::guess(b"ls\n"), None);
        assert_eq!(ImportFormat::guess(b""), None);
    }

    /// Pieces of all three formats, so that edge cases occur often.
    fn nearly_a_file() -> impl Strategy<Value = Vec<u8>> {
        let piece = prop_oneof![
            prop_oneof![Just(": 1700000000:5;"), Just(": "), Just(":"), Just(";"), Just("\\:")],
            prop_oneof![Just("#1700000000\n"), Just("#"), Just("\n"), Just("\\\n"), Just("\\ \n"), Just("\\")],
            prop_oneof![Just("- cmd: "), Just("  when: 17\n"), Just("  paths:\n"), Just("    - a\n"), Just("\\n")],
            prop_oneof![Just("99999999999999999999"), Just("-1"), Just("ls"), Just("é"), Just(" "), Just("\0")],
        ];
        let piece = prop_oneof![
            piece.prop_map(|piece: &str| piece.as_bytes().to_vec()),
            Just(vec![0x83]),
            proptest::collection::vec(any::<u8>(), 0..4),
        ];
        proptest::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn no_file_makes_a_parser_panic(file in nearly_a_file()) {
            for format in [ImportFormat::Zsh, ImportFormat::Bash, ImportFormat::Fish] {
                let parsed = format.parse(&file);
                prop_assert!(parsed.entries.iter().all(|entry| !entry.command.is_empty()));
                prop_assert!(parsed.entries.len() + parsed.skipped <= file.len());
            }
            let _ = ImportFormat::guess(&file);
        }
    }
}
