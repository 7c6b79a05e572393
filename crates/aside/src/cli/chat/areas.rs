//! Where things are on a screen of any size: the list of conversations, the conversation, what is typed, one line about keys.

use ratatui_core::layout::Rect;

use crate::cli::chat::rows;

/// Columns from which the list has a place of its own, and how many it takes.
const WIDE: u16 = 100;
const LIST: u16 = 30;
/// Rows from which there is one for the title.
const TALL: u16 = 12;
/// Of what is typed.
const MOST_INPUT: u16 = 8;
/// What stands before it.
pub const PROMPT: u16 = 2;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Areas {
    pub list: Rect,
    pub title: Rect,
    pub main: Rect,
    pub rule: Rect,
    pub input: Rect,
    pub status: Rect,
}

impl Areas {
    /// Rows of something that is looked at in full: it has a head of its own.
    pub fn pane_rows(&self) -> u16 {
        self.main.height.saturating_sub(1)
    }
}

pub fn has_room_for_list(width: u16) -> bool {
    width >= WIDE
}

/// In a narrow window the list takes the place of the conversation, while keys go there.
pub fn of((width, height): (u16, u16), list_shown: bool, list_focused: bool, typed: &str) -> Areas {
    let beside = list_shown && has_room_for_list(width);
    let left = if beside { LIST } else { 0 };
    let row =
        |from: u16, rows: u16| Rect::new(left, from.min(height), width - left, rows.min(height - from.min(height)));
    let title = u16::from(height >= TALL);
    let status = u16::from(height >= 3);
    let rule = u16::from(height >= 6);
    // The conversation has at least half of what there is.
    let most = (height.saturating_sub(title + status + rule) / 2).clamp(1, MOST_INPUT);
    let input = typed_rows(typed, width - left).len().try_into().unwrap_or(most).clamp(1, most);
    let main = height.saturating_sub(title + rule + input + status);
    let mut areas = Areas {
        list: Rect::default(),
        title: row(0, title),
        main: row(title, main),
        rule: row(title + main, rule),
        input: row(title + main + rule, input),
        status: row(title + main + rule + input, status),
    };
    if beside {
        areas.list = Rect::new(0, 0, LIST, height);
    } else if list_focused {
        areas.list = areas.main;
    }
    areas
}

/// What is typed, in rows.
pub fn typed_rows(typed: &str, width: u16) -> Vec<String> {
    // One column for the cursor behind the last letter.
    let room = usize::from(width.saturating_sub(PROMPT + 1));
    typed.split('\n').flat_map(|line| rows::fold(line, room)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_has_its_place_in_any_window() {
        for width in [1, 5, 20, 40, 99, 100, 200] {
            for height in [1, 2, 3, 5, 6, 10, 12, 60] {
                for typed in ["", "a", &"long ".repeat(99)] {
                    let areas = of((width, height), true, false, typed);
                    let rows = [areas.title, areas.main, areas.rule, areas.input, areas.status];
                    let used: u16 = rows.iter().map(|area| area.height).sum();
                    assert_eq!(used, height, "{width}x{height}: {areas:?}");
                    assert!(rows.iter().all(|area| area.right() <= width && area.bottom() <= height), "{areas:?}");
                    assert!(height < 10 || areas.main.height >= height / 2 - 1, "{width}x{height}: {areas:?}");
                }
            }
        }
    }
}
