//! The layout for a screen of any size: the list of conversations, the conversation, the input, one line about keys.

use ratatui_core::layout::Rect;

use crate::cli::chat::rows;

/// Width from which the list has its own column, and the width of that column.
const WIDE: u16 = 100;
const LIST: u16 = 30;
/// Height from which there is a title row.
const TALL: u16 = 12;
/// Cap on the rows of the input.
const MOST_INPUT: u16 = 8;
/// Columns of the prompt before the input.
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
    /// Rows of a full view, which has a head row of its own.
    pub fn pane_rows(&self) -> u16 {
        self.main.height.saturating_sub(1)
    }
}

pub fn has_room_for_list(width: u16) -> bool {
    width >= WIDE
}

/// In a narrow window the list replaces the conversation while it has the focus.
pub fn layout((width, height): (u16, u16), list_shown: bool, list_focused: bool, typed: &str) -> Areas {
    let beside = list_shown && has_room_for_list(width);
    let left = if beside { LIST } else { 0 };
    let row =
        |from: u16, rows: u16| Rect::new(left, from.min(height), width - left, rows.min(height - from.min(height)));
    let title = u16::from(height >= TALL);
    let status = u16::from(height >= 3);
    let rule = u16::from(height >= 6);
    // The conversation gets at least half of the height.
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

/// The input, wrapped into rows.
pub fn typed_rows(typed: &str, width: u16) -> Vec<String> {
    // Leaves one column for the cursor behind the last letter.
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
                    let areas = layout((width, height), true, false, typed);
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
