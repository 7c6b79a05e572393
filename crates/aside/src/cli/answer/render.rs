//! How an answer is shown while it streams. Decides what to write; does not write.

use aside_proto::prose::AskResult;
use aside_text::markdown::style;
use unicode_width::UnicodeWidthStr;

use crate::cli::{Paint, one_line};
use crate::screen::{Live, Size, Surface};

const BOLD: &str = "1";
const DIM: &str = "2";
const RED: &str = "31";

const THINKING: &str = "thinking…";
/// If the command stands within this many rows from the end, it is not repeated below the answer.
const NEAR: usize = 8;
pub struct AnswerRenderer {
    paint: Paint,
    /// How the command can be accepted, shown once beside it; empty when it cannot.
    hint: String,
    /// How many rows have been printed.
    printed: usize,
    /// The rows below them that are redrawn.
    live: Live,
}

/// The last of the answer, and separately the notes that do not belong into a file.
#[derive(Debug, PartialEq, Eq)]
pub struct FinalOutput {
    pub shown: String,
    pub remarks: Vec<String>,
}

impl AnswerRenderer {
    pub fn new(surface: Surface, paint: Paint, hint: String) -> Self {
        Self { paint, hint, printed: 0, live: Live::new(surface) }
    }

    /// Shows that the model is thinking, until there is something to read.
    pub fn thinks(&mut self, size: Size) -> String {
        self.draws(&[], vec![self.paint.with(DIM, THINKING)], size)
    }

    pub fn goes_on(&mut self, said: &AskResult, size: Size) -> String {
        if said.rows.is_empty() && said.tail.is_empty() {
            return self.thinks(size);
        }
        let tail = said.tail.iter().map(|row| self.row(row)).collect();
        self.draws(&said.rows, tail, size)
    }

    pub fn ends(&mut self, said: &AskResult, size: Size) -> FinalOutput {
        let mut rows: Vec<String> = said.rows.iter().chain(&said.tail).cloned().collect();
        let below = self.below(said, &mut rows, size);
        let mut shown = self.draws(&rows, Vec::new(), size);
        if !below.is_empty() {
            let gap = if rows.is_empty() { "" } else { "\n" };
            shown.push_str(&format!("{gap}  {below}\n"));
        }
        let note = one_line(&said.note);
        let mut remarks = Vec::new();
        match (note.is_empty(), rows.is_empty() && said.proposal.is_empty(), self.live.surface()) {
            (true, true, _) => remarks.push("no answer".to_owned()),
            (true, false, _) => {}
            (false, false, Surface::Terminal) => shown.push_str(&format!("{}\n", self.paint.with(DIM, &note))),
            (false, true, _) | (false, false, Surface::Paper) => remarks.push(note),
        }
        FinalOutput { shown, remarks }
    }

    /// What to add about the command below the rows: the command, what it may destroy and how to accept it, as far as the rows do not say
    /// it. The hint stands beside the command if that row is not printed yet and has room.
    fn below(&self, said: &AskResult, rows: &mut [String], size: Size) -> String {
        if said.proposal.is_empty() {
            return String::new();
        }
        let (command, warning) = (one_line(&said.proposal), one_line(&said.warning));
        let hint = self.paint.with(DIM, &self.hint);
        let near = rows.len().saturating_sub(NEAR);
        let last: Vec<String> = rows.iter().skip(near).map(|row| style::paint(row, style::ColorMode::Plain)).collect();
        let beside = rows.iter_mut().skip(near.max(self.printed)).find(|row| {
            let plain = style::paint(row, style::ColorMode::Plain);
            plain.trim() == command && plain.width() + 2 + self.hint.width() < size.columns
        });
        let (shows, hints) = match beside {
            Some(row) if !self.hint.is_empty() => {
                row.push_str(&format!("  {}{}{}", style::DIM, self.hint, style::RESET));
                (true, true)
            }
            Some(_) => (true, true),
            None => (stands_in(&command, &last), self.hint.is_empty()),
        };
        let warns = last.join(" ").contains(&warning);
        let mut parts = Vec::new();
        if !shows {
            parts.push(self.paint.with(BOLD, &command));
        }
        if !warns {
            parts.push(self.paint.with(RED, &format!("! {warning}")));
        }
        if !hints {
            parts.push(hint);
        }
        parts.join("  ")
    }

    /// Leaves the readable rows, and the cursor below them.
    pub fn stops(&mut self, size: Size) -> String {
        let thinking = self.paint.with(DIM, THINKING);
        let left = self.live.rows().iter().filter(|row| **row != thinking);
        let left: Vec<String> = left.map(|row| format!("{row}\n")).collect();
        self.live.clears(size) + &left.concat()
    }

    /// Prints the new rows, and replaces the live ones.
    fn draws(&mut self, rows: &[String], live: Vec<String>, size: Size) -> String {
        let fresh: Vec<String> = rows.iter().skip(self.printed).map(|row| self.row(row)).collect();
        self.printed = self.printed.max(rows.len());
        self.live.draws(&fresh, live, size)
    }

    fn row(&self, row: &str) -> String {
        self.paint.row(row)
    }
}

/// Whether the command has rows of its own, however it is wrapped.
fn stands_in(command: &str, rows: &[String]) -> bool {
    let dense = |text: &str| text.split_whitespace().collect::<String>();
    let command = dense(command);
    (0..rows.len()).any(|first| {
        let mut joined = String::new();
        rows.iter().skip(first).any(|row| {
            joined.push_str(&dense(row));
            joined == command
        })
    })
}

#[cfg(test)]
mod tests {
    use aside_proto::query::ReplyStage;

    use super::*;

    const SIZE: Size = Size { columns: 20, rows: 5 };

    fn said(rows: &[&str], tail: &[&str]) -> AskResult {
        let owned = |rows: &[&str]| rows.iter().map(|row| (*row).to_owned()).collect();
        AskResult {
            state: ReplyStage::Partial,
            note: String::new(),
            proposal: String::new(),
            warning: String::new(),
            rows: owned(rows),
            tail: owned(tail),
        }
    }

    fn terminal() -> AnswerRenderer {
        AnswerRenderer::new(Surface::Terminal, Paint::Plain, String::new())
    }

    #[test]
    fn rows_are_printed_once_and_the_rest_is_drawn_anew() {
        let mut show = terminal();
        assert_eq!(show.thinks(SIZE), "thinking…");
        assert_eq!(show.goes_on(&said(&[], &[]), SIZE), "");
        assert_eq!(show.goes_on(&said(&[], &["on", "two"]), SIZE), "\r\x1b[2K\x1b[Jon\ntwo");
        assert_eq!(show.goes_on(&said(&["one"], &["two"]), SIZE), "\r\x1b[2K\x1b[A\x1b[2K\x1b[Jone\ntwo");
        assert_eq!(show.goes_on(&said(&["one"], &["two"]), SIZE), "");
        assert_eq!(show.ends(&said(&["one", "two"], &[]), SIZE).shown, "\r\x1b[2K\x1b[Jtwo\n");
    }

    #[test]
    fn what_is_live_never_leaves_the_screen() {
        let mut show = terminal();
        assert_eq!(show.goes_on(&said(&[], &["1", "2", "3", "4", "5", "6"]), SIZE), "3\n4\n5\n6");
        let wide = "x".repeat(39);
        assert_eq!(
            show.goes_on(&said(&[], &["1", "2", "3", &wide]), SIZE),
            format!("\r\x1b[2K\x1b[A\x1b[2K\x1b[A\x1b[2K\x1b[A\x1b[2K\x1b[J2\n3\n{wide}")
        );
        assert_eq!(show.goes_on(&said(&[], &["1"]), SIZE), "\r\x1b[2K\x1b[A\x1b[2K\x1b[A\x1b[2K\x1b[A\x1b[2K\x1b[J1");
    }

    #[test]
    fn paper_gets_only_what_stands() {
        let mut show = AnswerRenderer::new(Surface::Paper, Paint::Plain, String::new());
        assert_eq!(show.thinks(SIZE), "");
        assert_eq!(show.goes_on(&said(&["\u{e101}one\u{e100}"], &["two"]), SIZE), "one\n");
        let last =
            AskResult { note: "from here".to_owned(), proposal: "ls -l".to_owned(), ..said(&["one", "two!"], &[]) };
        let FinalOutput { shown, remarks } = show.ends(&last, SIZE);
        assert_eq!((shown.as_str(), remarks), ("two!\n\n  ls -l\n", vec!["from here".to_owned()]));
    }

    #[test]
    fn a_command_has_its_warning_and_a_word_about_how_to_take_it() {
        let last = AskResult {
            note: "from here".to_owned(),
            proposal: "rm -rf build".to_owned(),
            warning: "deletes files".to_owned(),
            ..said(&[], &[])
        };
        let shown =
            |hint: &str| AnswerRenderer::new(Surface::Terminal, Paint::Colour, hint.to_owned()).ends(&last, SIZE).shown;
        let note = "\x1b[2mfrom here\x1b[0m\n";
        let command = "  \x1b[1mrm -rf build\x1b[0m  \x1b[31m! deletes files\x1b[0m";
        assert_eq!(shown(""), format!("{command}\n{note}"));
        assert_eq!(shown("Tab takes it"), format!("{command}  \x1b[2mTab takes it\x1b[0m\n{note}"));
    }

    #[test]
    fn a_command_is_shown_once() {
        const WIDE: Size = Size { columns: 60, rows: 20 };
        let last = |rows: &[&str]| AskResult { proposal: "git log -p".to_owned(), ..said(rows, &[]) };
        let show = |hint: &str| AnswerRenderer::new(Surface::Terminal, Paint::Plain, hint.to_owned());
        let ends = |hint: &str, rows: &[&str], size| show(hint).ends(&last(rows), size).shown;
        let rows = ["  \u{e105}git log -p\u{e100}", "", "Shows changes."];
        assert_eq!(ends("", &rows, WIDE), "  git log -p\n\nShows changes.\n");
        assert_eq!(ends("Tab", &rows, WIDE), "  git log -p  Tab\n\nShows changes.\n");
        // No room beside it, or the command has two rows.
        assert_eq!(ends("Tab takes it", &rows, SIZE), "  git log -p\n\nShows changes.\n\n  Tab takes it\n");
        assert_eq!(ends("Tab", &["  git log", "  -p"], SIZE), "  git log\n  -p\n\n  Tab\n");
        // Within a sentence it is no command to accept.
        assert_eq!(ends("Tab", &["Try git log -p."], WIDE), "Try git log -p.\n\n  git log -p  Tab\n");
        // It is too far up, or already printed.
        let far: Vec<&str> = ["  git log -p"].into_iter().chain(["more"; NEAR]).collect();
        assert!(ends("", &far, WIDE).ends_with("more\n\n  git log -p\n"));
        let mut show = show("Tab");
        assert_eq!(show.goes_on(&said(&["  git log -p"], &[]), WIDE), "  git log -p\n");
        assert_eq!(show.ends(&last(&["  git log -p", "So."]), WIDE).shown, "So.\n\n  Tab\n");
    }

    #[test]
    fn a_warning_is_said_once() {
        let last = AskResult {
            proposal: "rm a".to_owned(),
            warning: "deletes files".to_owned(),
            ..said(&["  rm a", "Careful: deletes files."], &[])
        };
        assert_eq!(terminal().ends(&last, SIZE).shown, "  rm a\nCareful: deletes files.\n");
    }

    #[test]
    fn nothing_said_is_said() {
        let ending = terminal().ends(&said(&[], &[]), SIZE);
        assert_eq!(ending, FinalOutput { shown: String::new(), remarks: vec!["no answer".to_owned()] });
    }

    #[test]
    fn stopping_leaves_what_was_read() {
        let mut show = terminal();
        show.thinks(SIZE);
        assert_eq!(show.stops(SIZE), "\r\x1b[2K\x1b[J");
        show.goes_on(&said(&["one"], &["two"]), SIZE);
        assert_eq!(show.stops(SIZE), "\r\x1b[2K\x1b[Jtwo\n");
        assert_eq!(show.stops(SIZE), "");
    }
}
