//! A pending proposal as shown to the user: all of its rows, and which of them were on the screen. An answer applies to exactly what was
//! painted: another offer is another card, which is unseen.

use std::collections::HashSet;

use aside_proto::task::ApprovalOffer;
use ratatui_core::text::{Line, Span};

use crate::cli::chat::diff_view::{DiffLayout, Patch, RowStart};
use crate::cli::chat::rows::{self, Row};

/// Columns of the labels.
const LABEL: usize = 9;

#[derive(Clone, Debug)]
pub struct Card {
    offer: ApprovalOffer,
    patch: Patch,
    sides: DiffLayout,
    /// The width that the rows were laid out for.
    width: usize,
    rows: Vec<CardRow>,
    pub top: usize,
}

#[derive(Clone, Debug)]
struct CardRow {
    row: Row,
    /// The offer's lines that this row contains.
    lines: [Option<usize>; 2],
    begins: RowStart,
    seen: Seen,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seen {
    Yes,
    No,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Forward,
    Back,
}

impl Card {
    pub fn of(offer: ApprovalOffer) -> Self {
        let patch = if offer.action == "apply_diff" { Patch::read(&offer.text) } else { Patch::default() };
        Self { offer, patch, sides: DiffLayout::One, width: 0, rows: Vec::new(), top: 0 }
    }

    pub fn offer(&self) -> &ApprovalOffer {
        &self.offer
    }

    pub fn is_change(&self) -> bool {
        self.offer.action == "apply_diff"
    }

    pub fn files(&self) -> usize {
        self.patch.files()
    }

    pub fn rows(&self) -> impl ExactSizeIterator<Item = &Row> {
        self.rows.iter().map(|row| &row.row)
    }

    pub fn unseen(&self) -> usize {
        self.rows.iter().filter(|row| row.seen == Seen::No).count()
    }

    /// Wraps to this width. A line that was seen whole stays seen, however it is wrapped.
    pub fn lay(&mut self, width: usize) {
        if width == self.width && !self.rows.is_empty() {
            return;
        }
        let unseen: HashSet<usize> =
            self.rows.iter().filter(|row| row.seen == Seen::No).flat_map(|row| row.lines).flatten().collect();
        let first = self.rows.is_empty();
        let place = self.rows.get(self.top).and_then(|row| row.lines.into_iter().flatten().next());
        self.width = width;
        self.rows = self.made(width);
        for row in &mut self.rows {
            let known = !first && row.lines.iter().flatten().all(|line| !unseen.contains(line));
            row.seen = if known { Seen::Yes } else { Seen::No };
        }
        self.top =
            place.and_then(|place| self.rows.iter().position(|row| row.lines.contains(&Some(place)))).unwrap_or(0);
    }

    /// Notes that the card is on the screen, in so many rows.
    pub fn painted(&mut self, height: usize) {
        for row in self.rows.iter_mut().skip(self.top).take(height) {
            row.seen = Seen::Yes;
        }
    }

    pub fn turn(&mut self) {
        self.sides = match self.sides {
            DiffLayout::One => DiffLayout::Two,
            DiffLayout::Two => DiffLayout::One,
        };
        // Forces a new layout even at the same width.
        let width = std::mem::take(&mut self.width);
        self.lay(width);
    }

    pub fn scroll_to(&mut self, top: usize, height: usize) {
        self.top = top.min(self.rows.len().saturating_sub(height));
    }

    /// Jumps to the next or previous file or hunk.
    pub fn jump(&mut self, to: RowStart, way: Direction, height: usize) {
        let mut places = self.rows.iter().enumerate().filter(|(_, row)| row.begins == to).map(|(at, _)| at);
        let place = match way {
            Direction::Forward => places.find(|at| *at > self.top),
            Direction::Back => places.take_while(|at| *at < self.top).last(),
        };
        if let Some(place) = place {
            self.scroll_to(place, height);
        }
    }

    fn made(&self, width: usize) -> Vec<CardRow> {
        let made = |row, lines, begins| CardRow { row, lines, begins, seen: Seen::No };
        let mut all = Vec::new();
        for (at, row) in self.offer.rows.iter().enumerate() {
            for row in labelled(&row.label, &row.text, width) {
                all.push(made(row, [Some(at), None], RowStart::Nothing));
            }
        }
        let head = self.offer.rows.len();
        for row in self.patch.rows(width, self.sides) {
            all.push(made(row.row, row.lines.map(|line| line.map(|line| head + line)), row.begins));
        }
        all
    }
}

/// `command  make test`. Sanitizes the text although the daemon has escaped invisible characters: the terminal must not depend on that.
pub fn labelled(label: &str, text: &str, width: usize) -> Vec<Row> {
    let style = match label {
        "command" => rows::BOLD,
        "danger" => rows::DANGER,
        "file" | "in" | "with" => rows::PLAIN,
        _ => rows::DIM,
    };
    let text = rows::one_line(text);
    let room = width.saturating_sub(LABEL);
    let broken = match label {
        "because" | "rule" | "writes" => rows::flow(&text, room),
        _ => rows::fold(&text, room),
    };
    let label = rows::cut(&rows::one_line(label), LABEL - 1);
    let first = format!("{label}{}", " ".repeat(LABEL.saturating_sub(rows::width(&label))));
    let broken = broken.into_iter().enumerate();
    broken
        .map(|(row, text)| {
            let label = if row == 0 { first.clone() } else { " ".repeat(LABEL) };
            Line::from(vec![Span::styled(label, rows::DIM), Span::styled(text, style)])
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use aside_proto::task::OfferRow as Told;

    use super::*;

    fn card(lines: usize) -> Card {
        let body: String = (0..lines).map(|line| format!("+line {line}\n")).collect();
        let text = format!("diff --git a/n b/n\n--- /dev/null\n+++ b/n\n@@ -0,0 +1,{lines} @@\n{body}");
        let rows = vec![Told { label: "file".to_owned(), text: format!("A n +{lines} -0") }];
        Card::of(ApprovalOffer { action: "apply_diff".to_owned(), text, rows, ..ApprovalOffer::default() })
    }

    #[test]
    fn what_was_jumped_over_was_not_seen() {
        let mut card = card(30);
        card.lay(40);
        card.painted(10);
        assert_eq!(card.unseen(), 25);
        card.scroll_to(usize::MAX, 10);
        card.painted(10);
        assert_eq!(card.unseen(), 15);
        for top in [10, 20] {
            card.scroll_to(top, 10);
            card.painted(10);
        }
        assert_eq!(card.unseen(), 0);
        // Wrapped differently, it is the same text.
        card.lay(20);
        assert_eq!(card.unseen(), 0);
    }

    #[test]
    fn a_line_of_which_a_part_was_seen_was_not_seen() {
        let text = "x".repeat(100);
        let rows = vec![Told { label: "command".to_owned(), text }];
        let mut card = Card::of(ApprovalOffer { action: "run_command".to_owned(), rows, ..ApprovalOffer::default() });
        card.lay(29);
        card.painted(3);
        assert_eq!(card.unseen(), 2);
        card.lay(59);
        assert_eq!(card.unseen(), 2);
    }
}
