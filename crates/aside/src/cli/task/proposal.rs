//! A proposal as rows: all of it, or as much as the screen has room for, with a count of what is left. Shows the daemon's rows unchanged.

use aside_proto::task::ApprovalOffer;
use aside_task::proposal::{FileSummary, Proposal, SearchResult};
use aside_text::visible;
use unicode_width::UnicodeWidthStr;

use crate::cli::one_line;
use crate::cli::task::diff;
use crate::cli::task::style::{BOLD, DIM, GREEN, MAGENTA, RED, Style, YELLOW, code};
use crate::screen::{Size, high};

/// Rows kept of a long part, however small the screen.
const LEAST: usize = 3;
/// Rows below the proposal: a gap, the question, and one to write on.
const BELOW: usize = 3;
const LABEL: usize = 9;
/// Minimum width for wrapping text.
const NARROWEST: usize = 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    Screen(Size),
    All,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    pub rows: Vec<String>,
    /// Lines left out.
    pub left: usize,
    /// All of it was on the screen at once.
    pub whole: bool,
}

pub fn page(offer: &ApprovalOffer, summary: &str, workspace: &str, look: Style, extent: Extent) -> Page {
    let is_diff = offer.action == "apply_diff";
    let columns = match extent {
        Extent::Screen(size) => size.columns,
        Extent::All => usize::MAX,
    };
    let mut long: Vec<String> = Vec::new();
    let mut rest: Vec<String> = Vec::new();
    let mut last = "";
    for row in &offer.rows {
        let label = if row.label == last { "" } else { row.label.as_str() };
        last = row.label.as_str();
        let shown = labelled(label, &row.label, &row.text, look, columns);
        if matches!(row.label.as_str(), "command" | "file") { long.extend(shown) } else { rest.extend(shown) }
    }
    if is_diff {
        long.push(String::new());
        long.extend(diff::rows(&offer.text, look));
        // Names the workspace: the user may be elsewhere.
        if !workspace.is_empty() {
            rest.splice(0..0, labelled("in", "in", &visible::exact(workspace), look, columns));
        }
        rest.insert(0, String::new());
    }
    let head = vec![String::new(), look.with(BOLD, &one_line(&heading(offer, summary)))];
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

/// A title in one line. Leaves out the reason of a change, which stands below it.
fn heading(offer: &ApprovalOffer, summary: &str) -> String {
    let files = offer.rows.iter().filter(|row| row.label == "file").count();
    let is_reason = offer.rows.iter().any(|row| row.label == "because" && row.text == summary);
    match files {
        1 if is_reason => "A change to 1 file".to_owned(),
        2.. if is_reason => format!("A change to {files} files"),
        _ => summary.to_owned(),
    }
}

pub fn lines(count: usize) -> &'static str {
    if count == 1 { "line" } else { "lines" }
}

/// Drops the rows that do not fit, and one more for the note about them.
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

/// Wraps prose with an indent. A command or text to write is one row, however long: its end must be visible as such.
fn labelled(label: &str, kind: &str, text: &str, look: Style, columns: usize) -> Vec<String> {
    let is_prose = matches!(kind, "rule" | "because" | "note");
    let room = columns.saturating_sub(2 + LABEL);
    let parts = if is_prose && room >= NARROWEST { wrapped(text, room) } else { vec![text.to_owned()] };
    let rows = parts.iter().enumerate().map(|(number, part)| {
        let label = if number == 0 { label } else { "" };
        let part = match kind {
            "command" => look.with(BOLD, part),
            "danger" => look.with(RED, part),
            "file" => file(part, look),
            "rule" | "in" | "with" | "because" => part.to_owned(),
            _ => look.with(YELLOW, part),
        };
        format!("  {}{part}", look.with(DIM, &format!("{label:LABEL$}")))
    });
    rows.collect()
}

/// Wraps at blanks; leaves a longer word to the terminal.
pub fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let mut rows = vec![String::new()];
    for word in text.split(' ') {
        let Some(row) = rows.last_mut() else { continue };
        if row.is_empty() {
            row.push_str(word);
        } else if row.width() + 1 + word.width() <= columns {
            row.push(' ');
            row.push_str(word);
        } else {
            rows.push(word.to_owned());
        }
    }
    rows
}

/// `M src/x.rs +3 -1`, with coloured numbers.
fn file(row: &str, look: Style) -> String {
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

/// A proposal that needs no answer any more, or that is only informative.
pub fn settled_rows(proposal: &Proposal, look: Style) -> Vec<String> {
    let whole = |label: &str, kind: &str, text: &str| labelled(label, kind, text, look, usize::MAX);
    match proposal {
        // These are shown as Markdown elsewhere.
        Proposal::Plan { .. } | Proposal::Answer { .. } => Vec::new(),
        Proposal::Command { cmd, cwd, reason, confine: _ } => {
            let mut rows = Vec::new();
            for (number, line) in cmd.split('\n').enumerate() {
                rows.extend(whole(if number == 0 { "command" } else { "" }, "command", &visible::exact(line)));
            }
            rows.extend(cwd.iter().flat_map(|cwd| whole("in", "in", &visible::exact(cwd))));
            rows.extend(reason.iter().flat_map(|reason| whole("because", "because", &visible::prose(reason))));
            rows
        }
        Proposal::Diff { unified_diff, files, .. } => {
            let row =
                |file: &FileSummary| format!("{} +{} -{}", visible::exact(&file.path), file.additions, file.deletions);
            let files = files
                .iter()
                .enumerate()
                .flat_map(|(number, file)| whole(if number == 0 { "file" } else { "" }, "file", &row(file)));
            files.chain([String::new()]).chain(diff::rows(unified_diff, look)).collect()
        }
        Proposal::SearchResults { items } => items.iter().map(|item| found(item, look)).collect(),
    }
}

/// `src/main.rs:12  fn main() {`
fn found(item: &SearchResult, look: Style) -> String {
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
    use aside_proto::task::OfferRow;

    use super::*;
    use crate::cli::Paint;
    use crate::cli::task::style::Charset;

    const PLAIN: Style = Style { paint: Paint::Plain, letters: Charset::All };

    fn offer(action: &str, rows: &[(&str, &str)], text: &str) -> ApprovalOffer {
        let rows = rows.iter().map(|(label, text)| OfferRow { label: (*label).to_owned(), text: (*text).to_owned() });
        ApprovalOffer {
            action: action.to_owned(),
            rows: rows.collect(),
            text: text.to_owned(),
            ..ApprovalOffer::default()
        }
    }

    #[test]
    fn a_command_is_shown_with_everything_around_it() {
        let rows =
            [("command", "make"), ("command", "make test"), ("in", "/w"), ("danger", "writes /"), ("rule", "asks")];
        let page = page(&offer("run_command", &rows, "make\nmake test"), "Run make", "/w", PLAIN, Extent::All);
        assert_eq!(
            page.rows.join("\n"),
            "\nRun make\n  command  make\n           make test\n  in       /w\n  danger   writes /\n  rule     asks"
        );
        assert!(page.whole);
    }

    fn long(lines: usize) -> ApprovalOffer {
        let diff: String = (0..lines).map(|line| format!("+line {line}\n")).collect();
        let diff = format!("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -0,0 +1,{lines} @@\n{diff}");
        offer("apply_diff", &[("file", "M x +9 -0"), ("because", "it is wanted"), ("rule", "asks")], &diff)
    }

    #[test]
    fn what_does_not_fit_is_counted_and_nothing_around_it_is_lost() {
        let size = Size { columns: 40, rows: 16 };
        let page = page(&long(100), "Add lines", "/w", PLAIN, Extent::Screen(size));
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
        let seen = |offer: &ApprovalOffer, columns, rows| {
            let page = page(offer, "Add lines", "", PLAIN, Extent::Screen(Size { columns, rows }));
            (page.left, page.whole)
        };
        assert_eq!(seen(&long(5), 40, 24), (0, true));
        let mut wide = long(5);
        wide.rows.push(OfferRow { label: "danger".to_owned(), text: "x".repeat(900) });
        // The danger alone is longer than the screen: it is not cut, and not all of it was visible.
        assert!(!seen(&wide, 40, 24).1);
    }

    #[test]
    fn sentences_go_on_below_where_they_began() {
        let because = "`test` is a target of the Makefile. There is also `./bin/test.sh`.";
        let rows = [("command", "make test"), ("because", because), ("rule", "asks")];
        let size = Size { columns: 40, rows: 24 };
        let page = page(&offer("run_command", &rows, "make test"), "Run make", "", PLAIN, Extent::Screen(size));
        assert_eq!(
            page.rows.join("\n"),
            "\nRun make\n  command  make test\n  because  `test` is a target of the\n           Makefile. There is also\n           `./bin/test.sh`.\n  rule     asks"
        );
    }

    #[test]
    fn a_change_says_where_it_is_and_its_reason_once() {
        let page = page(&long(1), "it is wanted", "/w/app", PLAIN, Extent::All);
        let text = page.rows.join("\n");
        assert!(text.starts_with("\nA change to 1 file\n"), "{text}");
        assert_eq!(text.matches("it is wanted").count(), 1, "{text}");
        assert!(text.contains("\n  in       /w/app\n"), "{text}");
    }

    #[test]
    fn what_was_found_has_its_place_and_its_line() {
        let item = |path: &str, preview: Option<&str>| SearchResult {
            path: path.to_owned(),
            preview: preview.map(str::to_owned),
        };
        let items = vec![
            item("src/a.rs:12", Some("    fn main() {")),
            item("b\x1b[2J.txt", None),
            item("c:x", Some("a\u{202e}\nsecond")),
        ];
        let rows = settled_rows(&Proposal::SearchResults { items }, PLAIN);
        assert_eq!(rows, ["src/a.rs:12  fn main() {", "b⟨escape⟩[2J.txt", "c:x  a⟨U+202E⟩"]);
    }
}
