//! The question below a proposal, and what keys mean to it. A key that does something with the proposal has to stand alone, after everything
//! above was on the screen for a moment; the usual key does not approve what was never shown.

use aside_proto::task::ApprovalOffer;

use crate::cli::task::keys::KeyPress;
use crate::cli::task::proposal::lines;
use crate::cli::task::style::{BOLD, DIM, Style};
use crate::lone_key::LoneKey;
use crate::screen::Size;

pub struct ApprovalPrompt {
    pub offer: ApprovalOffer,
    pub keys: LoneKey<()>,
    pub seen: ShownExtent,
    /// The proposal in one line.
    pub summary: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShownExtent {
    Whole,
    /// So many lines were not shown; 0 when all were, but not at once.
    Part(usize),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyDecision {
    Approve,
    Reject,
    Edit,
    View,
    Confine,
    Help,
    Leave,
    /// Does nothing, and says why.
    Remark(String),
    Nothing,
}

impl ApprovalPrompt {
    pub fn new(offer: ApprovalOffer, summary: String, seen: ShownExtent) -> Self {
        Self { offer, keys: LoneKey::default(), seen, summary }
    }

    fn runs(&self) -> bool {
        self.offer.action == "run_command"
    }

    pub fn means(&self, pressed: KeyPress) -> KeyDecision {
        match (pressed, self.seen) {
            (KeyPress::Letter('y'), ShownExtent::Whole) | (KeyPress::Letter('Y'), _) => KeyDecision::Approve,
            (KeyPress::Letter('y'), ShownExtent::Part(0)) => KeyDecision::Remark(
                "not all of it was on the screen: v shows it, Y approves it all the same".to_owned(),
            ),
            (KeyPress::Letter('y'), ShownExtent::Part(1)) => {
                KeyDecision::Remark("1 line was not shown: v shows it, Y approves it all the same".to_owned())
            }
            (KeyPress::Letter('y'), ShownExtent::Part(left)) => KeyDecision::Remark(format!(
                "{left} {} were not shown: v shows them, Y approves it all the same",
                lines(left)
            )),
            (KeyPress::Letter('n') | KeyPress::Escape, _) => KeyDecision::Reject,
            (KeyPress::Letter('e'), _) => KeyDecision::Edit,
            (KeyPress::Letter('v'), _) => KeyDecision::View,
            (KeyPress::Letter('c'), _) if self.runs() => KeyDecision::Confine,
            (KeyPress::Letter('?' | 'h'), _) => KeyDecision::Help,
            (KeyPress::Letter('q') | KeyPress::End, _) => KeyDecision::Leave,
            (KeyPress::Several, _) => KeyDecision::Remark("several keys came at once: press one".to_owned()),
            (KeyPress::Letter(_) | KeyPress::Enter | KeyPress::Other, _) => KeyDecision::Nothing,
        }
    }

    /// One row, cut to the width. It is dim until a key counts.
    pub fn row(&self, look: Style, size: Size, now: u64) -> String {
        let asks = if self.runs() { "Run it?" } else { "Write it?" };
        let mut keys = vec![
            ("y", "yes"),
            ("n", "no"),
            ("e", "edit"),
            ("v", "view"),
            ("c", "confine"),
            ("q", "later"),
            ("?", "help"),
        ];
        if self.offer.confine == "workspace" {
            keys[4].1 = "unconfine";
        }
        keys.retain(|(key, _)| *key != "c" || self.runs());
        let is_read = self.keys.is_read(now);
        let lit = |text: &str| if is_read { look.with(BOLD, text) } else { text.to_owned() };
        let row = |text: String| if is_read { text } else { look.with(DIM, &text) };
        let long: usize = keys.iter().map(|(key, word)| key.len() + word.len() + 3).sum();
        let width = asks.len() + long;
        let asks = lit(asks);
        if width < size.columns {
            let keys: Vec<String> = keys.iter().map(|(key, word)| format!("{} {word}", lit(key))).collect();
            return row(format!("{asks}  {}  ", keys.join("  ")));
        }
        let keys: Vec<&str> = keys.into_iter().map(|(key, _)| key).collect();
        row(format!("{asks} {} ", keys.join("/")))
    }

    pub fn help(&self) -> Vec<String> {
        let act = if self.runs() { "run it, exactly as it is shown" } else { "write it, exactly as it is shown" };
        let mut rows = vec![
            format!("  y  {act}"),
            "  n  reject it; Escape too".to_owned(),
            "  e  edit it in $VISUAL or $EDITOR; it is shown and asked about again".to_owned(),
            "  v  view all of it in $PAGER".to_owned(),
        ];
        if self.runs() {
            rows.push("  c  let it write in the workspace only, or not; it is asked about again".to_owned());
        }
        rows.push("  q  leave it waiting; Ctrl-C too".to_owned());
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Paint;
    use crate::cli::task::style::Charset;

    fn question(action: &str, seen: ShownExtent) -> ApprovalPrompt {
        ApprovalPrompt::new(
            ApprovalOffer { action: action.to_owned(), ..ApprovalOffer::default() },
            String::new(),
            seen,
        )
    }

    #[test]
    fn only_what_was_seen_is_approved_by_y() {
        let whole = question("run_command", ShownExtent::Whole);
        assert_eq!(whole.means(KeyPress::Letter('y')), KeyDecision::Approve);
        let part = question("run_command", ShownExtent::Part(12));
        let KeyDecision::Remark(remark) = part.means(KeyPress::Letter('y')) else { panic!() };
        assert_eq!(remark, "12 lines were not shown: v shows them, Y approves it all the same");
        assert_eq!(part.means(KeyPress::Letter('Y')), KeyDecision::Approve);
        assert!(matches!(
            question("run_command", ShownExtent::Part(0)).means(KeyPress::Letter('y')),
            KeyDecision::Remark(_)
        ));
    }

    #[test]
    fn everything_else_approves_nothing() {
        let whole = question("apply_diff", ShownExtent::Whole);
        for pressed in
            (0..=0x2ff).filter_map(char::from_u32).filter(|letter| !"yY".contains(*letter)).map(KeyPress::Letter)
        {
            assert_ne!(whole.means(pressed), KeyDecision::Approve, "{pressed:?}");
        }
        for pressed in [KeyPress::Escape, KeyPress::End, KeyPress::Several, KeyPress::Enter, KeyPress::Other] {
            assert_ne!(whole.means(pressed), KeyDecision::Approve, "{pressed:?}");
        }
        assert_eq!(whole.means(KeyPress::Letter('c')), KeyDecision::Nothing, "a change is confined anyway");
    }

    #[test]
    fn the_question_fits_on_one_row() {
        let look = Style { paint: Paint::Plain, letters: Charset::All };
        let row = |action, columns| question(action, ShownExtent::Whole).row(look, Size { columns, rows: 24 }, 0);
        assert_eq!(row("run_command", 80), "Run it?  y yes  n no  e edit  v view  c confine  q later  ? help  ");
        assert_eq!(row("apply_diff", 80), "Write it?  y yes  n no  e edit  v view  q later  ? help  ");
        assert_eq!(row("run_command", 30), "Run it? y/n/e/v/c/q/? ");
    }
}
