//! Cleans an agent's text for the terminal, and makes the commands that it wants to run valid in any shell.

use aside_text as text;
use shell_line::quote::{self, WordEnd};
use shell_line::{Dialect, Quote};

use crate::exec;

/// Bytes of a step that are shown.
const TOLD: usize = 300;
/// Cap on plan entries that are shown.
const MAX_POINTS: usize = 20;

/// The first line of a text, without escape sequences.
pub fn short(said: &str) -> String {
    let line = said.trim().lines().next().unwrap_or_default();
    let clean = text::clean(line).into_owned();
    clean.get(..clean.floor_char_boundary(TOLD)).unwrap_or_default().to_owned()
}

/// Renders plan entries as a checklist.
pub fn checklist<'a>(points: impl Iterator<Item = (&'a str, bool)>) -> String {
    let row = |(point, is_done): (&str, bool)| format!("- [{}] {}", if is_done { 'x' } else { ' ' }, short(point));
    points.take(MAX_POINTS).map(row).collect::<Vec<_>>().join("\n")
}

/// Extracts the script of `/bin/bash -lc 'SCRIPT'`, and says whether a shell was wrapped around it.
pub fn script(command: &str) -> (String, bool) {
    let words = exec::split(command).unwrap_or_default();
    match words.as_slice() {
        [shell, flag, script] if shell.ends_with("sh") && matches!(flag.as_str(), "-c" | "-lc") => {
            (script.clone(), true)
        }
        _ => (command.to_owned(), false),
    }
}

/// Unwraps a command that means the same in every shell; any other keeps the shell that it was written for.
pub fn plain(command: &str) -> String {
    match script(command) {
        (script, true) if is_plain(&script) => script,
        _ => command.replacen(" -lc ", " -c ", 1),
    }
}

/// Wraps a command in `bash -c` unless it is plain or wrapped already, for agents that run every command in bash.
pub fn in_bash(command: &str) -> String {
    if is_plain(command) || script(command).1 {
        return plain(command);
    }
    format!("bash -c {}", quoted(command))
}

fn is_plain(text: &str) -> bool {
    text.chars().all(|letter| letter.is_ascii_alphanumeric() || " _./:,@%+-=".contains(letter))
        && !text.split(' ').next().unwrap_or_default().contains('=')
}

pub fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_./:,@%+-=~".contains(letter);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}", quote::rest(word, Quote::Single, Dialect::Bash, WordEnd::End))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_keeps_its_shell_unless_any_shell_reads_it_alike() {
        assert_eq!(plain("/bin/bash -lc 'cargo test --all'"), "cargo test --all");
        assert_eq!(plain("/bin/bash -lc 'cargo test | tail'"), "/bin/bash -c 'cargo test | tail'");
        assert_eq!(plain("/bin/bash -lc 'A=1 make'"), "/bin/bash -c 'A=1 make'");
        assert_eq!(plain("make all"), "make all");
        assert_eq!(in_bash("make all"), "make all");
        assert_eq!(in_bash("touch a | cat"), "bash -c 'touch a | cat'");
        assert_eq!(in_bash("echo 'a b'"), r"bash -c 'echo '\''a b'\'''");
        assert_eq!(in_bash("sh -c 'a | b'"), "sh -c 'a | b'");
    }

    #[test]
    fn what_goes_to_the_screen_has_no_escape_sequence() {
        assert_eq!(short("a\u{1b}[31mb\u{7}\nnext"), text::clean("a\u{1b}[31mb\u{7}"));
        assert_eq!(checklist([("look", true), ("mend", false)].into_iter()), "- [x] look\n- [ ] mend");
    }

    #[test]
    fn a_command_is_read_again_as_it_was_given() {
        for words in [vec!["/opt/codex/bin/codex"], vec!["/opt/my codex", "-c", "model='x'"], vec!["codex", ""]] {
            let line: Vec<String> = words.iter().map(|word| quoted(word)).collect();
            assert_eq!(exec::split(&line.join(" ")).unwrap(), words);
        }
    }
}
