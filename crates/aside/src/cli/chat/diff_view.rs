//! A unified diff as rows, inline or side by side. Every byte of it is in some row, escaped where it would be invisible or look like
//! something else. Does not check the diff: that was done before it was offered.

use aside_text::visible;
use ratatui_core::style::Style;
use ratatui_core::text::{Line, Span};

use crate::cli::chat::rows::{self, Row};

/// Width from which the two sides fit beside each other.
pub const WIDE: usize = 100;
/// Width from which there is room for line numbers.
const NUMBERED: usize = 64;
/// How a tab is drawn. A literal `⇥` in a file is escaped.
const TAB: &str = "⇥   ";
const TAB_SIGN: char = '⇥';

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Patch {
    lines: Vec<PatchLine>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct PatchLine {
    kind: Kind,
    text: String,
    /// Line number in the current file, and in the changed one.
    old: Option<usize>,
    new: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// The first line of a file's part.
    File,
    /// A header of the file.
    Head,
    Hunk,
    Same,
    Removed,
    Added,
    /// A note about the line before.
    Note,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DiffLayout {
    #[default]
    One,
    Two,
}

/// A row, and the lines of the diff that it contains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatchRow {
    pub row: Row,
    pub lines: [Option<usize>; 2],
    pub begins: RowStart,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowStart {
    File,
    Hunk,
    Nothing,
}

impl Patch {
    pub fn read(diff: &str) -> Self {
        let mut lines = Vec::new();
        // Lines left in the hunk, by its header: a removed `-- x` looks like a file header.
        let (mut old_left, mut new_left) = (0, 0);
        let (mut old, mut new) = (0, 0);
        for text in diff.strip_suffix('\n').unwrap_or(diff).split('\n') {
            let inside = old_left > 0 || new_left > 0;
            let kind = match text.as_bytes().first() {
                Some(b'\\') => Kind::Note,
                Some(b'-') if inside => Kind::Removed,
                Some(b'+') if inside => Kind::Added,
                Some(b' ') | None if inside => Kind::Same,
                _ if text.starts_with("@@ ") => Kind::Hunk,
                _ if text.starts_with("diff --git ") => Kind::File,
                _ => Kind::Head,
            };
            let mut line = PatchLine { kind, text: text.to_owned(), old: None, new: None };
            match kind {
                Kind::Hunk => ((old, old_left), (new, new_left)) = ranges(text),
                Kind::Same | Kind::Removed | Kind::Added => {
                    if kind != Kind::Added {
                        line.old = Some(old);
                        (old, old_left) = (old + 1, old_left.saturating_sub(1));
                    }
                    if kind != Kind::Removed {
                        line.new = Some(new);
                        (new, new_left) = (new + 1, new_left.saturating_sub(1));
                    }
                }
                Kind::File | Kind::Head | Kind::Note => {}
            }
            lines.push(line);
        }
        Self { lines }
    }

    pub fn files(&self) -> usize {
        self.lines.iter().filter(|line| line.kind == Kind::File).count()
    }

    pub fn rows(&self, width: usize, sides: DiffLayout) -> Vec<PatchRow> {
        match sides {
            DiffLayout::Two if width >= WIDE => self.beside(width),
            DiffLayout::One | DiffLayout::Two => self.below(width),
        }
    }

    fn below(&self, width: usize) -> Vec<PatchRow> {
        let numbers = if width >= NUMBERED { self.digits() } else { 0 };
        let mut rows = Vec::new();
        for (at, line) in self.lines.iter().enumerate() {
            let gutter = if numbers > 0 && line.has_number() { 2 * (numbers + 1) } else { 0 };
            for (number, text) in rows::fold(&line.shown(), width.saturating_sub(gutter)).into_iter().enumerate() {
                let mut spans = Vec::new();
                if gutter > 0 {
                    let (old, new) = if number == 0 { (line.old, line.new) } else { (None, None) };
                    spans.push(Span::styled(format!("{} {} ", right(old, numbers), right(new, numbers)), rows::DIM));
                }
                spans.push(Span::styled(text, line.style()));
                rows.push(PatchRow { row: Line::from(spans), lines: [Some(at), None], begins: line.begins(number) });
            }
        }
        rows
    }

    fn beside(&self, width: usize) -> Vec<PatchRow> {
        let numbers = self.digits();
        let half = (width.saturating_sub(3)) / 2;
        let mut rows = Vec::new();
        let mut at = 0;
        while let Some(line) = self.lines.get(at) {
            match line.kind {
                Kind::File | Kind::Head | Kind::Hunk | Kind::Note => {
                    for (number, text) in rows::fold(&line.shown(), width).into_iter().enumerate() {
                        let row = Line::from(Span::styled(text, line.style()));
                        rows.push(PatchRow { row, lines: [Some(at), None], begins: line.begins(number) });
                    }
                    at += 1;
                }
                Kind::Same => {
                    self.pair(Some(at), Some(at), half, numbers, &mut rows);
                    at += 1;
                }
                Kind::Removed | Kind::Added => {
                    let count =
                        |from: usize, kind| self.lines.iter().skip(from).take_while(|line| line.kind == kind).count();
                    let removed = count(at, Kind::Removed);
                    let added = count(at + removed, Kind::Added);
                    for number in 0..removed.max(added) {
                        let left = (number < removed).then_some(at + number);
                        let right = (number < added).then_some(at + removed + number);
                        self.pair(left, right, half, numbers, &mut rows);
                    }
                    at += removed + added;
                }
            }
        }
        rows
    }

    /// One line of each side, in as many rows as the longer one needs.
    fn pair(&self, left: Option<usize>, right: Option<usize>, half: usize, numbers: usize, out: &mut Vec<PatchRow>) {
        let side = |at: Option<usize>, number: fn(&PatchLine) -> Option<usize>| {
            let Some(line) = at.and_then(|at| self.lines.get(at)) else { return Vec::new() };
            let folded = rows::fold(&line.shown(), half.saturating_sub(numbers + 1));
            let number = number(line);
            let rows = folded.into_iter().enumerate();
            rows.map(|(row, text)| (self::right(number.filter(|_| row == 0), numbers), text, line.style())).collect()
        };
        let (one, other) = (side(left, |line| line.old), side(right, |line| line.new));
        let lines = if left == right { [left, None] } else { [left, right] };
        for row in 0..one.len().max(other.len()) {
            let mut spans = Vec::new();
            for (place, side) in [&one, &other].into_iter().enumerate() {
                let mut used = 0;
                if let Some((number, text, style)) = side.get(row) {
                    used = numbers + 1 + rows::width(text);
                    spans.push(Span::styled(format!("{number} "), rows::DIM));
                    spans.push(Span::styled(text.clone(), *style));
                }
                if place == 0 {
                    spans.push(Span::styled(format!("{} │ ", " ".repeat(half.saturating_sub(used))), rows::DIM));
                }
            }
            out.push(PatchRow { row: Line::from(spans), lines, begins: RowStart::Nothing });
        }
    }

    fn digits(&self) -> usize {
        let largest = self.lines.iter().flat_map(|line| [line.old, line.new]).flatten().max().unwrap_or(0);
        largest.to_string().len().max(3)
    }
}

impl PatchLine {
    fn has_number(&self) -> bool {
        matches!(self.kind, Kind::Same | Kind::Removed | Kind::Added)
    }

    fn begins(&self, row: usize) -> RowStart {
        match self.kind {
            Kind::File if row == 0 => RowStart::File,
            Kind::Hunk if row == 0 => RowStart::Hunk,
            _ => RowStart::Nothing,
        }
    }

    fn style(&self) -> Style {
        match self.kind {
            Kind::File => rows::BOLD,
            Kind::Head | Kind::Note => rows::DIM,
            Kind::Hunk => rows::HUNK,
            Kind::Same => rows::PLAIN,
            Kind::Removed => rows::REMOVED,
            Kind::Added => rows::ADDED,
        }
    }

    /// The line with invisible characters escaped. Indentation stays; long runs of blanks elsewhere are counted.
    fn shown(&self) -> String {
        let sign = if self.has_number() { 1 } else { 0 };
        let (sign, text) = self.text.split_at_checked(sign).unwrap_or(("", &self.text));
        let sign = if sign.is_empty() && self.has_number() { " " } else { sign };
        let rest = text.trim_start_matches(' ');
        let indent = if rest.is_empty() { "" } else { text.get(..text.len() - rest.len()).unwrap_or_default() };
        let rest = text.get(indent.len()..).unwrap_or_default();
        let parts: Vec<String> = rest.split('\t').map(exact).collect();
        format!("{sign}{indent}{}", parts.join(TAB))
    }
}

fn exact(text: &str) -> String {
    visible::exact(text).replace(TAB_SIGN, "⟨U+21E5⟩")
}

fn right(number: Option<usize>, width: usize) -> String {
    number.map_or_else(|| " ".repeat(width), |number| format!("{number:>width$}"))
}

/// Parses `@@ -1,3 +1,4 @@`: where each side begins, and how many lines it has.
fn ranges(head: &str) -> ((usize, usize), (usize, usize)) {
    let mut words = head.split(' ').skip(1);
    let mut range = |sign| {
        let text = words.next().and_then(|word| word.strip_prefix(sign)).unwrap_or_default();
        let (start, count) = text.split_once(',').unwrap_or((text, "1"));
        (start.parse().unwrap_or(0), count.parse().unwrap_or(0))
    };
    (range('-'), range('+'))
}

#[cfg(test)]
mod tests {
    use super::*;

    pub const DIFF: &str = "diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1,4 +1,4 @@\n def f():\n-    return 1\n--- x\n+\treturn 2\n+            pass\u{202e}\n \ndiff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+日本語\n\\ No newline at end of file\n";

    fn text(rows: &[PatchRow]) -> String {
        rows.iter().map(|row| rows::plain(&row.row).trim_end().to_owned() + "\n").collect()
    }

    #[test]
    fn a_diff_below_each_other() {
        insta::assert_snapshot!(text(&Patch::read(DIFF).rows(70, DiffLayout::One)), @r"
    diff --git a/x.py b/x.py
    --- a/x.py
    +++ b/x.py
    @@ -1,4 +1,4 @@
      1   1  def f():
      2     -    return 1
      3     --- x
          2 +⇥   return 2
          3 +            pass⟨U+202E⟩
      4   4
    diff --git a/n b/n
    new file mode 100644
    --- /dev/null
    +++ b/n
    @@ -0,0 +1 @@
          1 +日本語
    \ No newline at end of file
    ");
    }

    #[test]
    fn a_diff_side_by_side() {
        insta::assert_snapshot!(text(&Patch::read(DIFF).rows(100, DiffLayout::Two)), @r"
    diff --git a/x.py b/x.py
    --- a/x.py
    +++ b/x.py
    @@ -1,4 +1,4 @@
      1  def f():                                    │   1  def f():
      2 -    return 1                                │   2 +⇥   return 2
      3 --- x                                        │   3 +            pass⟨U+202E⟩
      4                                              │   4
    diff --git a/n b/n
    new file mode 100644
    --- /dev/null
    +++ b/n
    @@ -0,0 +1 @@
                                                     │   1 +日本語
    \ No newline at end of file
    ");
    }

    #[test]
    fn every_line_is_in_some_row_however_wide_they_are() {
        let patch = Patch::read(DIFF);
        for (width, sides) in [
            (20, DiffLayout::One),
            (70, DiffLayout::One),
            (70, DiffLayout::Two),
            (100, DiffLayout::Two),
            (180, DiffLayout::Two),
        ] {
            let rows = patch.rows(width, sides);
            let mut lines: Vec<usize> = rows.iter().flat_map(|row| row.lines).flatten().collect();
            lines.sort_unstable();
            lines.dedup();
            assert_eq!(lines, (0..patch.lines.len()).collect::<Vec<_>>());
            for row in &rows {
                assert!(rows::width(&rows::plain(&row.row)) <= width, "{row:?}");
            }
            let begins = |begins| rows.iter().filter(|row| row.begins == begins).count();
            assert_eq!((begins(RowStart::File), begins(RowStart::Hunk)), (2, 2));
        }
    }

    #[test]
    fn nothing_in_a_diff_moves_or_hides_anything() {
        let shown = text(&Patch::read("@@ -1 +1 @@\n-a\u{1b}[2J\r\n+⇥\u{a0}b\tc  \n").rows(80, DiffLayout::One));
        assert!(shown.contains("⟨escape⟩[2J⟨return⟩"), "{shown}");
        assert!(shown.contains("⟨U+21E5⟩⟨U+00A0⟩b⇥   c⟨2 blanks⟩"), "{shown}");
    }
}
