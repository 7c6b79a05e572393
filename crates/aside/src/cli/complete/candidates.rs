//! Formats candidates: in columns for a user, with tabs for a program. Knows neither their sources nor why they are asked for.

use aside_proto::WireCandidate;
use unicode_width::UnicodeWidthStr;

use crate::cli::{Paint, one_line};

/// Width to which columns are aligned; a longer candidate pushes its own row to the right.
const WIDEST: usize = 60;
/// Marks the cursor's position in a candidate.
const CURSOR: char = '|';

const DIM: &str = "2";
const BOLD: &str = "1";

/// Candidate, score, source, then what it does and what is known about it.
pub fn aligned(found: &[WireCandidate], paint: Paint) -> String {
    let shown: Vec<String> = found.iter().map(shown).collect();
    let widths = shown.iter().map(|text| text.width()).filter(|width| *width <= WIDEST);
    let widest = widths.max().unwrap_or(0);
    let sources = found.iter().map(|candidate| candidate.source.width()).max().unwrap_or(0);
    let rows = found.iter().zip(&shown).map(|(candidate, shown)| {
        let WireCandidate { completion: _, cursor_pos: _, confidence, source, description, facts } = candidate;
        let fill = " ".repeat(widest.saturating_sub(shown.width()));
        let mut row = format!("{}{fill}  {confidence:.2}  {source:sources$}", paint.with(BOLD, shown));
        let known = known(description, facts);
        if known.is_empty() {
            row.truncate(row.trim_end().len());
        } else {
            row.push_str(&format!("  {}", paint.with(DIM, &known)));
        }
        row + "\n"
    });
    rows.collect()
}

/// One line each. Escapes tabs and line breaks in a field.
pub fn tabbed(found: &[WireCandidate]) -> String {
    let row = |candidate: &WireCandidate| {
        let WireCandidate { completion, cursor_pos: _, confidence, source, description, facts } = candidate;
        let [completion, source, facts, description] =
            [completion, source, facts, description].map(|text| one_line(text));
        format!("{completion}\t{confidence:.2}\t{source}\t{facts}\t{description}\n")
    };
    found.iter().map(row).collect()
}

/// Description and facts of a candidate.
pub fn known(description: &str, facts: &str) -> String {
    let both = [description, facts].into_iter().filter(|text| !text.is_empty());
    both.map(one_line).collect::<Vec<_>>().join(" · ")
}

/// On one line, with the cursor mark.
pub fn shown(candidate: &WireCandidate) -> String {
    let text = candidate.completion.as_str();
    let cursor = candidate.cursor_pos.and_then(|cursor| text.char_indices().nth(cursor as usize));
    match cursor {
        Some((cursor, _)) => line_with_cursor(&text[..cursor], &text[cursor..]),
        None => on_one_line(text),
    }
}

pub fn line_with_cursor(left: &str, right: &str) -> String {
    format!("{}{CURSOR}{}", on_one_line(left), on_one_line(right))
}

fn on_one_line(text: &str) -> String {
    text.split('\n').map(one_line).collect::<Vec<_>>().join("⏎")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found() -> Vec<WireCandidate> {
        let candidate = |completion: &str, cursor_pos, source: &str, description: &str| WireCandidate {
            completion: completion.to_owned(),
            cursor_pos,
            confidence: 0.625,
            source: source.to_owned(),
            description: description.to_owned(),
            facts: "ran here, 12×".to_owned(),
        };
        vec![
            candidate("git status", None, "history", ""),
            candidate("git commit -m ''", Some(15), "spec", "record what is staged"),
            candidate("echo 日本\n\x1b[31mred\t", None, "llm", ""),
            candidate(&"x".repeat(70), None, "llm", ""),
        ]
    }

    #[test]
    fn the_columns_are_aligned_and_nothing_moves_the_cursor() {
        let expected = format!(
            "git status                 0.62  history  ran here, 12×\n\
             git commit -m '|'          0.62  spec     record what is staged · ran here, 12×\n\
             echo 日本⏎\\u{{1b}}[31mred\\t  0.62  llm      ran here, 12×\n\
             {}  0.62  llm      ran here, 12×\n",
            "x".repeat(70)
        );
        assert_eq!(aligned(&found(), Paint::Plain), expected);
    }

    #[test]
    fn colour_adds_nothing_but_colour() {
        let coloured = aligned(&found(), Paint::Colour);
        assert!(coloured.starts_with("\x1b[1mgit status\x1b[0m "), "{coloured:?}");
        let escapes = regex::Regex::new("\x1b\\[[0-9;]*m").unwrap();
        assert_eq!(escapes.replace_all(&coloured, ""), aligned(&found(), Paint::Plain));
    }

    #[test]
    fn with_tabs_every_row_has_five_fields() {
        let rows = tabbed(&found());
        let rows: Vec<Vec<&str>> = rows.lines().map(|row| row.split('\t').collect()).collect();
        assert_eq!(rows[1], ["git commit -m ''", "0.62", "spec", "ran here, 12×", "record what is staged"]);
        assert_eq!(rows[2][0], "echo 日本\\n\\u{1b}[31mred\\t");
        assert!(rows.len() == 4 && rows.iter().all(|row| row.len() == 5), "{rows:?}");
    }
}
