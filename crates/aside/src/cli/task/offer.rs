//! What is proposed, as rows: all of it where a person is asked, or as much as the screen has room for, with a count of what is left. The
//! daemon's rows say what is hidden; nothing is added to them or taken away.

use aside_core::proto::task::Offer;
use aside_core::task::proposal::{FileSummary, Found, Proposal};
use aside_core::text::visible;

use crate::cli::one_line;
use crate::cli::task::diff;
use crate::cli::task::look::{BOLD, DIM, GREEN, Look, MAGENTA, RED, YELLOW, code};
use crate::screen::{Size, high};

/// What is kept of a long part, however small the screen.
const LEAST: usize = 3;
/// Below the proposal: a gap, the question, and a row to write on.
const BELOW: usize = 3;
const LABEL: usize = 9;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    Screen(Size),
    All,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    pub rows: Vec<String>,
    /// Lines that are not among the rows.
    pub left: usize,
    /// All of it was on the screen at once.
    pub whole: bool,
}

pub fn page(offer: &Offer, summary: &str, look: Look, extent: Extent) -> Page {
    let is_diff = offer.action == "apply_diff";
    let mut long: Vec<String> = Vec::new();
    let mut rest: Vec<String> = Vec::new();
    let mut last = "";
    for row in &offer.rows {
        let label = if row.label == last { "" } else { row.label.as_str() };
        last = row.label.as_str();
        let shown = labelled(label, &row.label, &row.text, look);
        if matches!(row.label.as_str(), "command" | "file") { long.push(shown) } else { rest.push(shown) }
    }
    if is_diff {
        long.push(String::new());
        long.extend(diff::rows(&offer.text, look));
        rest.insert(0, String::new());
    }
    let head = vec![String::new(), look.with(BOLD, &one_line(summary))];
    let left = match extent {
        Extent::All => 0,
        Extent::Screen(size) => {
            let taken: usize = head.iter().chain(&rest).map(|row| high(row, size)).sum();
            let room = size.rows.saturating_sub(taken + BELOW).max(LEAST);
            cut(&mut long, room, size)
        }
    };
    if left > 0 {
        long.push(look.with(YELLOW, &format!("… {left} more {}: v shows them", lines(left))));
    }
    let rows: Vec<String> = head.into_iter().chain(long).chain(rest).collect();
    let whole = match extent {
        Extent::All => true,
        Extent::Screen(size) => left == 0 && rows.iter().map(|row| high(row, size)).sum::<usize>() + BELOW <= size.rows,
    };
    Page { rows, left, whole }
}

pub fn lines(count: usize) -> &'static str {
    if count == 1 { "line" } else { "lines" }
}

/// Rows that do not fit go, and one more for the word about them.
fn cut(long: &mut Vec<String>, room: usize, size: Size) -> usize {
    let heights: Vec<usize> = long.iter().map(|row| high(row, size)).collect();
    if heights.iter().sum::<usize>() <= room {
        return 0;
    }
    let mut used = 1;
    let fits = heights.iter().take_while(|height| {
        used += **height;
        used <= room
    });
    let kept = fits.count().max(1);
    let left = long.len() - kept;
    long.truncate(kept);
    left
}

fn labelled(label: &str, kind: &str, text: &str, look: Look) -> String {
    let text = match kind {
        "command" => look.with(BOLD, text),
        "danger" => look.with(RED, text),
        "file" => file(text, look),
        "rule" | "in" | "with" | "because" => text.to_owned(),
        _ => look.with(YELLOW, text),
    };
    format!("  {}{text}", look.with(DIM, &format!("{label:LABEL$}")))
}

/// `M src/x.rs +3 -1`, the numbers in the colours of the lines.
fn file(row: &str, look: Look) -> String {
    let words: Vec<String> = row
        .split(' ')
        .map(|word| {
            let counts = |sign: char| {
                word.strip_prefix(sign)
                    .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
            };
            match (counts('+'), counts('-')) {
                (true, _) => look.with(GREEN, word),
                (_, true) => look.with(RED, word),
                (false, false) => word.to_owned(),
            }
        })
        .collect();
    words.join(" ")
}

/// A proposal that nobody is asked about any more, or that only says something.
pub fn told(proposal: &Proposal, look: Look) -> Vec<String> {
    match proposal {
        // These are Markdown, and shown as such.
        Proposal::Plan { .. } | Proposal::Answer { .. } => Vec::new(),
        Proposal::Command { cmd, cwd, reason, confine: _ } => {
            let mut rows = Vec::new();
            for (number, line) in cmd.split('\n').enumerate() {
                rows.push(labelled(if number == 0 { "command" } else { "" }, "command", &visible::exact(line), look));
            }
            rows.extend(cwd.iter().map(|cwd| labelled("in", "in", &visible::exact(cwd), look)));
            rows.extend(reason.iter().map(|reason| labelled("because", "because", &visible::prose(reason), look)));
            rows
        }
        Proposal::Diff { unified_diff, files, .. } => {
            let row =
                |file: &FileSummary| format!("{} +{} -{}", visible::exact(&file.path), file.additions, file.deletions);
            let files = files
                .iter()
                .enumerate()
                .map(|(number, file)| labelled(if number == 0 { "file" } else { "" }, "file", &row(file), look));
            files.chain([String::new()]).chain(diff::rows(unified_diff, look)).collect()
        }
        Proposal::SearchResults { items } => items.iter().map(|item| found(item, look)).collect(),
    }
}

/// `src/main.rs:12  fn main() {`
fn found(item: &Found, look: Look) -> String {
    let (path, line) = match item.path.rsplit_once(':') {
        Some((path, line)) if !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit()) => (path, Some(line)),
        _ => (item.path.as_str(), None),
    };
    let mut row = look.with(MAGENTA, &visible::exact(path));
    if let Some(line) = line {
        row.push_str(&format!(":{}", look.with(GREEN, line)));
    }
    let preview = item.preview.as_deref().unwrap_or_default();
    match preview.split('\n').next().map(str::trim_end) {
        Some("") | None => row,
        Some(preview) => format!("{row}  {}", code(preview.trim_start())),
    }
}

#[cfg(test)]
mod tests {
    use aside_core::proto::task::Row;

    use super::*;
    use crate::cli::Paint;
    use crate::cli::task::look::Letters;

    const PLAIN: Look = Look { paint: Paint::Plain, letters: Letters::All };

    fn offer(action: &str, rows: &[(&str, &str)], text: &str) -> Offer {
        let rows = rows.iter().map(|(label, text)| Row { label: (*label).to_owned(), text: (*text).to_owned() });
        Offer { action: action.to_owned(), rows: rows.collect(), text: text.to_owned(), ..Offer::default() }
    }

    #[test]
    fn a_command_is_shown_with_everything_around_it() {
        let rows =
            [("command", "make"), ("command", "make test"), ("in", "/w"), ("danger", "writes /"), ("rule", "asks")];
        let page = page(&offer("run_command", &rows, "make\nmake test"), "Run make", PLAIN, Extent::All);
        assert_eq!(
            page.rows.join("\n"),
            "\nRun make\n  command  make\n           make test\n  in       /w\n  danger   writes /\n  rule     asks"
        );
        assert!(page.whole);
    }

    fn long(lines: usize) -> Offer {
        let diff: String = (0..lines).map(|line| format!("+line {line}\n")).collect();
        let diff = format!("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -0,0 +1,{lines} @@\n{diff}");
        offer("apply_diff", &[("file", "M x +9 -0"), ("because", "it is wanted"), ("rule", "asks")], &diff)
    }

    #[test]
    fn what_does_not_fit_is_counted_and_nothing_around_it_is_lost() {
        let size = Size { columns: 40, rows: 16 };
        let page = page(&long(100), "Add lines", PLAIN, Extent::Screen(size));
        let height: usize = page.rows.iter().map(|row| high(row, size)).sum();
        assert!(height + BELOW <= size.rows, "{height}: {:#?}", page.rows);
        assert!(!page.whole);
        let shown = page.rows.iter().filter(|row| row.starts_with("+line")).count();
        assert_eq!(page.left, 100 - shown);
        assert!(page.rows.contains(&format!("… {} more lines: v shows them", page.left)), "{:#?}", page.rows);
        assert!(page.rows.iter().any(|row| row.contains("because") && row.contains("it is wanted")));
    }

    #[test]
    fn what_fits_is_whole_and_what_wraps_off_the_screen_is_not() {
        let seen = |offer: &Offer, columns, rows| {
            let page = page(offer, "Add lines", PLAIN, Extent::Screen(Size { columns, rows }));
            (page.left, page.whole)
        };
        assert_eq!(seen(&long(5), 40, 24), (0, true));
        let mut wide = long(5);
        wide.rows.push(Row { label: "danger".to_owned(), text: "x".repeat(900) });
        // Its danger alone is longer than the screen: nothing of that is cut, and it was not all on it.
        assert!(!seen(&wide, 40, 24).1);
    }

    #[test]
    fn what_was_found_has_its_place_and_its_line() {
        let item =
            |path: &str, preview: Option<&str>| Found { path: path.to_owned(), preview: preview.map(str::to_owned) };
        let items = vec![
            item("src/a.rs:12", Some("    fn main() {")),
            item("b\x1b[2J.txt", None),
            item("c:x", Some("a\u{202e}\nsecond")),
        ];
        let rows = told(&Proposal::SearchResults { items }, PLAIN);
        assert_eq!(rows, ["src/a.rs:12  fn main() {", "b⟨escape⟩[2J.txt", "c:x  a⟨U+202E⟩"]);
    }
}
