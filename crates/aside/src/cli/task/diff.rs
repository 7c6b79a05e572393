//! A unified diff as coloured rows. Shows all of it; the diff was checked elsewhere.

use crate::cli::task::style::{BOLD, CYAN, DIM, GREEN, RED, Style, code};

pub fn rows(diff: &str, look: Style) -> Vec<String> {
    // Lines of the old and the new file left in the hunk: a removed line may look like a header.
    let (mut old, mut new) = (0_usize, 0_usize);
    let mut rows = Vec::new();
    for line in diff.split_terminator('\n') {
        let row = if old == 0 && new == 0 {
            match hunk(line) {
                Some((removed, added)) => {
                    (old, new) = (removed, added);
                    look.with(CYAN, &code(line))
                }
                None if line.starts_with('\\') => look.with(DIM, &code(line)),
                None => look.with(BOLD, &code(line)),
            }
        } else {
            match line.as_bytes().first() {
                Some(b'+') => {
                    new = new.saturating_sub(1);
                    look.with(GREEN, &code(line))
                }
                Some(b'-') => {
                    old = old.saturating_sub(1);
                    look.with(RED, &code(line))
                }
                Some(b'\\') => look.with(DIM, &code(line)),
                _ => {
                    (old, new) = (old.saturating_sub(1), new.saturating_sub(1));
                    code(line.strip_suffix('\r').unwrap_or(line))
                }
            }
        };
        rows.push(row);
    }
    rows
}

/// Line counts of the old and the new file: `@@ -3,7 +3,8 @@`.
fn hunk(line: &str) -> Option<(usize, usize)> {
    let mut words = line.strip_prefix("@@ -")?.split(' ');
    let count = |range: &str| match range.split_once(',') {
        Some((_, count)) => count.parse().ok(),
        None => Some(1),
    };
    let old = count(words.next()?)?;
    let new = count(words.next()?.strip_prefix('+')?)?;
    Some((old, new))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Paint;
    use crate::cli::task::style::Charset;

    const COLOUR: Style = Style { paint: Paint::Colour, letters: Charset::All };

    fn painted(diff: &str) -> Vec<(&'static str, String)> {
        let name = |row: &str| {
            [(BOLD, "head"), (CYAN, "hunk"), (GREEN, "add"), (RED, "remove"), (DIM, "note")]
                .into_iter()
                .find(|(style, _)| row.starts_with(&format!("\x1b[{style}m")))
                .map_or("same", |(_, name)| name)
        };
        let plain = rows(diff, COLOUR.plain());
        rows(diff, COLOUR).iter().map(|row| name(row)).zip(plain).collect()
    }

    #[test]
    fn what_comes_and_goes_has_its_colour_whatever_it_looks_like() {
        let diff = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,3 +1,2 @@\n same\n--- gone\n-+++ b/y\n+++ new\n\\ No newline at end of file\ndiff --git a/y b/y\n";
        let kinds: Vec<&str> = painted(diff).into_iter().map(|(kind, _)| kind).collect();
        assert_eq!(kinds, ["head", "head", "head", "hunk", "same", "remove", "remove", "add", "note", "head"]);
    }

    #[test]
    fn nothing_in_a_diff_reaches_the_terminal_as_a_command() {
        let diff = "@@ -1 +1 @@\n-\x1b[2Ka\u{202e}b\n+\tx\r\n";
        let rows: Vec<String> = painted(diff).into_iter().map(|(_, row)| row).collect();
        assert_eq!(rows, ["@@ -1 +1 @@", "-⟨escape⟩[2Ka⟨U+202E⟩b", "+       x⟨return⟩"]);
    }
}
