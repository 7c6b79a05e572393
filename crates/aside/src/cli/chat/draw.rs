//! Paints the state of a conversation into cells. Decides position and style; the text was sanitized before, and is sanitized once more
//! here.

#[cfg(test)]
mod tests;

use std::time::Duration;

use aside_task::state::StateName;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::{Position, Rect};
use ratatui_core::style::Style;
use ratatui_core::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

use crate::cli::chat::conversation_view::MARGIN;
use crate::cli::chat::input::Input;
use crate::cli::chat::layout::{self, Areas, PROMPT};
use crate::cli::chat::model::task::TaskView;
use crate::cli::chat::model::threads::Mark;
use crate::cli::chat::model::{Focus, Line as Connection, Model, NoteKind};
use crate::cli::chat::rows::{self, Row};
use crate::cli::{STALLED, span, stalled};

/// Milliseconds per spinner frame.
const TURN: u64 = 120;
const TURNING: [&str; 8] = ["⣷", "⣯", "⣟", "⡿", "⢿", "⣻", "⣽", "⣾"];

/// Paints everything, and returns the cursor's position if it is visible. `turn` counts spinner frames.
pub fn draw(model: &Model, turn: usize, buffer: &mut Buffer) -> Option<Position> {
    let areas = model.areas();
    title(model, &areas, buffer);
    match model.focus {
        Focus::Card | Focus::Editing => card(model, &areas, buffer),
        Focus::Output => pane(model, " output ", areas.main, buffer),
        Focus::Found => pane(model, " found ", areas.main, buffer),
        Focus::Help => pane(model, " keys ", areas.main, buffer),
        Focus::Input | Focus::Talk | Focus::Threads | Focus::Search => talk(model, turn, areas.main, buffer),
    }
    if areas.list.width > 0 {
        list(model, areas.list, buffer);
    }
    let style = if model.focus == Focus::Input { rows::ASKED } else { rows::DIM };
    put_line(buffer, areas.rule, 0, &Line::styled("─".repeat(usize::from(areas.rule.width)), style));
    status(model, areas.status, buffer);
    let (sign, typed) = match model.focus {
        Focus::Editing => ("$ ", &model.words),
        Focus::Search => ("/ ", &model.words),
        _ => ("› ", &model.input),
    };
    let cursor = input(sign, typed, model, areas.input, buffer);
    matches!(model.focus, Focus::Input | Focus::Editing | Focus::Search).then_some(cursor)
}

/// Paints one row, clipped to its area.
fn put_line(buffer: &mut Buffer, area: Rect, row: u16, line: &Row) {
    put_at(buffer, area, 0, row, line);
}

fn put_at(buffer: &mut Buffer, area: Rect, column: u16, row: u16, line: &Row) {
    // The window may have shrunk since the areas were computed.
    let area = area.intersection(buffer.area);
    if row >= area.height || column >= area.width {
        return;
    }
    let mut x = area.x + column;
    for span in &line.spans {
        let style = line.style.patch(span.style);
        let text = rows::seen(&span.content);
        let room = usize::from(area.right().saturating_sub(x));
        (x, _) = buffer.set_stringn(x, area.y + row, text.replace('\n', " "), room, style);
    }
}

fn fill(buffer: &mut Buffer, area: Rect, style: Style) {
    let blank = " ".repeat(usize::from(area.width));
    for row in 0..area.height {
        put_line(buffer, area, row, &Line::styled(blank.clone(), style));
    }
}

fn title(model: &Model, areas: &Areas, buffer: &mut Buffer) {
    let known = model.threads.iter().find(|thread| thread.id == model.thread && !model.thread.is_empty());
    let first = model.tasks.first().map_or("new conversation", |task| task.request.as_str());
    let title = known.map_or(first, |thread| thread.title.as_str());
    let waiting = model.threads.iter().filter(|thread| thread.mark == Mark::Waits && thread.id != model.thread).count();
    let right = match (&model.line, waiting) {
        (Connection::Down, _) => "no connection ".to_owned(),
        (Connection::Up, 0) => String::new(),
        (Connection::Up, waiting) => format!("{waiting} waiting elsewhere "),
    };
    let width = usize::from(areas.title.width);
    let left = rows::cut(&format!(" aside · {}", rows::one_line(title)), width.saturating_sub(rows::width(&right) + 1));
    let gap = width.saturating_sub(rows::width(&left) + rows::width(&right));
    let line =
        Line::from(vec![Span::styled(left, rows::BOLD), Span::raw(" ".repeat(gap)), Span::styled(right, rows::WAITS)]);
    put_line(buffer, areas.title, 0, &line);
}

fn talk(model: &Model, turn: usize, area: Rect, buffer: &mut Buffer) {
    let height = usize::from(area.height);
    let last = model.laid.len().saturating_sub(height);
    let top = model.top.unwrap_or(last).min(last);
    let margin = u16::try_from(MARGIN).unwrap_or(0);
    for row in 0..area.height {
        let at = top + usize::from(row);
        let Some(line) = model.laid.row(at) else { break };
        let is_hit = model.found_row == Some(at) && model.focus == Focus::Talk;
        let line = if is_hit { line.clone().style(rows::TURNED) } else { line.clone() };
        put_at(buffer, area, margin, row, &line);
        if model.laid.is_busy(at) {
            let sign = TURNING.get(turn % TURNING.len()).copied().unwrap_or("·");
            put_at(buffer, area, margin + 2, row, &Line::styled(sign, rows::ASKED));
            let column = margin + u16::try_from(line.width()).unwrap_or(u16::MAX);
            let now = u64::try_from(turn).unwrap_or(0).saturating_mul(TURN);
            let task = model.laid.task_of(at).and_then(|task| model.tasks.get(task));
            if let Some(note) = task.map(|task| busy(task, now)) {
                put_at(buffer, area, column, row, &Line::styled(note, rows::DIM));
            }
        }
        if model.focus == Focus::Talk && model.laid.task_of(at) == Some(model.chosen) {
            put_line(buffer, area, row, &Line::styled("▌", rows::ASKED));
        }
    }
    // Shows that there is more below.
    if top < last && area.height > 0 {
        let text = format!(" ↓ {} ", rows::more(last - top));
        let column = area.width.saturating_sub(u16::try_from(rows::width(&text)).unwrap_or(0));
        put_at(buffer, area, column, area.height - 1, &Line::styled(text, rows::TURNED));
    }
}

/// Text behind the spinner: for how long, and how to stop.
fn busy(task: &TaskView, now: u64) -> String {
    let quiet = Duration::from_millis(now.saturating_sub(task.heard));
    if matches!(task.state, StateName::Proposing | StateName::ContextCollected) && quiet >= STALLED {
        return format!(" · {}", stalled(quiet));
    }
    match task.begun.map(|begun| now.saturating_sub(begun) / 1000) {
        Some(seconds @ 2..) => format!(" · {} · Ctrl-C stops", span(seconds)),
        Some(_) | None => String::new(),
    }
}

/// Paints a proposal over the whole area, so that it cannot be mistaken for text in the conversation.
fn card(model: &Model, areas: &Areas, buffer: &mut Buffer) {
    let area = areas.main;
    let Some(card) = model.card() else {
        return put_line(buffer, area, 0, &Line::styled(" asking what is proposed ", rows::TURNED));
    };
    let height = usize::from(areas.pane_rows());
    let what = if card.is_change() { " Write this change? " } else { " Run this command? " };
    let unseen = card.unseen();
    let rows_left = card.rows().len().saturating_sub(card.top + height);
    let right = match (rows_left, unseen) {
        (0, 0) => " all of it ".to_owned(),
        (0, 1) => " 1 row not seen ".to_owned(),
        (0, unseen) => format!(" {unseen} rows not seen "),
        (below, _) => format!(" ↓ {} ", rows::more(below)),
    };
    head(what, &right, area, buffer);
    for (row, line) in card.rows().skip(card.top).take(height).enumerate() {
        put_line(buffer, area, u16::try_from(row + 1).unwrap_or(u16::MAX), line);
    }
}

fn head(left: &str, right: &str, area: Rect, buffer: &mut Buffer) {
    let style = rows::WAITS.patch(rows::TURNED);
    fill(buffer, Rect { height: area.height.min(1), ..area }, style);
    put_line(buffer, area, 0, &Line::styled(left.to_owned(), style));
    let column = usize::from(area.width).saturating_sub(rows::width(right));
    if column > rows::width(left) {
        put_at(buffer, area, u16::try_from(column).unwrap_or(0), 0, &Line::styled(right.to_owned(), style));
    }
}

fn pane(model: &Model, what: &str, area: Rect, buffer: &mut Buffer) {
    let height = usize::from(area.height.saturating_sub(1));
    let below = model.pane.rows.len().saturating_sub(model.pane.top + height);
    let right = if below == 0 { String::new() } else { format!(" ↓ {} ", rows::more(below)) };
    fill(buffer, Rect { height: area.height.min(1), ..area }, rows::TURNED);
    put_line(buffer, area, 0, &Line::styled(what.to_owned(), rows::TURNED));
    let column = usize::from(area.width).saturating_sub(rows::width(&right));
    put_at(buffer, area, u16::try_from(column).unwrap_or(0), 0, &Line::styled(right, rows::TURNED));
    for (row, line) in model.pane.rows.iter().skip(model.pane.top).take(height).enumerate() {
        put_line(buffer, area, u16::try_from(row + 1).unwrap_or(u16::MAX), line);
    }
}

fn list(model: &Model, area: Rect, buffer: &mut Buffer) {
    let is_beside = area.x == 0 && area.height != model.areas().main.height;
    fill(buffer, area, rows::PLAIN);
    let focused = model.focus == Focus::Threads;
    let inner = Rect { width: area.width.saturating_sub(u16::from(is_beside)), ..area };
    let style = if focused { rows::TURNED } else { rows::DIM };
    fill(buffer, Rect { height: inner.height.min(1), ..inner }, style);
    put_line(buffer, inner, 0, &Line::styled(" conversations ", style));
    let height = usize::from(inner.height.saturating_sub(1));
    let top = if focused { model.list_at.saturating_sub(height.saturating_sub(1)) } else { 0 };
    for (row, (at, thread)) in model.threads.iter().enumerate().skip(top).take(height).enumerate() {
        let (sign, sign_style) = match thread.mark {
            Mark::Waits => ("●", rows::WAITS),
            Mark::Busy => ("…", rows::ASKED),
            Mark::Failed => ("✗", rows::DANGER),
            Mark::Quiet => (" ", rows::PLAIN),
        };
        let mut style = if thread.id == model.thread { rows::BOLD } else { rows::PLAIN };
        if focused && at == model.list_at {
            style = style.patch(rows::TURNED);
        }
        let room = usize::from(inner.width).saturating_sub(4);
        let title = rows::cut(&rows::one_line(&thread.title), room);
        let pad = " ".repeat(room.saturating_sub(rows::width(&title)));
        let line = Line::from(vec![
            Span::styled(sign, sign_style),
            Span::raw(" "),
            Span::styled(format!("{title}{pad} "), style),
        ]);
        put_line(buffer, inner, u16::try_from(row + 1).unwrap_or(u16::MAX), &line);
    }
    if is_beside {
        for row in 0..area.height {
            put_at(buffer, area, area.width.saturating_sub(1), row, &Line::styled("│", rows::DIM));
        }
    }
}

/// Paints the input and returns its cursor's position.
fn input(sign: &str, typed: &Input, model: &Model, area: Rect, buffer: &mut Buffer) -> Position {
    let (line, before) = typed.place();
    let lines: Vec<&str> = typed.text().split('\n').collect();
    let above: usize = lines.iter().take(line).map(|line| layout::typed_rows(line, area.width).len()).sum();
    let folded = layout::typed_rows(before, area.width);
    let cursor_row = above + folded.len() - 1;
    let column = folded.last().map_or(0, |row| row.width());
    let height = usize::from(area.height);
    let top = (cursor_row + 1).saturating_sub(height);
    let rows: Vec<String> = layout::typed_rows(typed.text(), area.width);
    let style = if model.focus == Focus::Input { rows::ASKED } else { rows::DIM };
    for (row, text) in rows.iter().skip(top).take(height).enumerate() {
        let row = u16::try_from(row).unwrap_or(u16::MAX);
        let first = top == 0 && row == 0;
        put_line(buffer, area, row, &Line::styled(if first { sign.to_owned() } else { "  ".to_owned() }, style));
        put_at(buffer, area, PROMPT, row, &Line::raw(text.clone()));
    }
    let x = (area.x + PROMPT + u16::try_from(column).unwrap_or(0)).min(area.right().saturating_sub(1));
    Position::new(x, (area.y + u16::try_from(cursor_row - top).unwrap_or(0)).min(area.bottom().saturating_sub(1)))
}

fn status(model: &Model, area: Rect, buffer: &mut Buffer) {
    let width = usize::from(area.width);
    if let Some((text, tone)) = &model.notice {
        let style = match tone {
            NoteKind::Told => rows::BOLD,
            NoteKind::Trouble => rows::DANGER,
        };
        return put_line(buffer, area, 0, &Line::styled(rows::cut(&rows::one_line(text), width), style));
    }
    let waits = model.waiting().is_some();
    let is_change = model.card().is_some_and(|card| card.is_change());
    let hints: &[&str] = match model.focus {
        Focus::Input if waits => &["Tab proposal", "Enter send", "Esc talk", "Ctrl-T list", "F1 keys"],
        Focus::Input => &["Enter send", "F1 keys", "Esc talk", "Ctrl-T list", "Ctrl-N new"],
        Focus::Talk => &["j k choose", "Enter look", "r retry", "u undo", "/ search", "Esc type"],
        Focus::Threads => &["Enter open", "j k choose", "n new", "Esc back", "Ctrl-T hide"],
        Focus::Card if is_change => &["y write", "n reject", "e edit", "Esc back", "v sides", "] [ hunks", "Tab files"],
        Focus::Card => &["y run", "n reject", "e edit", "Esc back", "c confine", "E editor"],
        Focus::Editing => &["Enter propose this", "Esc back"],
        Focus::Search => &["Enter search", "Esc back"],
        Focus::Output | Focus::Help => &["Esc back", "j k scroll", "g G ends"],
        Focus::Found => &["Enter take its name", "j k choose", "Esc back"],
    };
    let mut text = String::new();
    for hint in hints {
        let more = if text.is_empty() { (*hint).to_owned() } else { format!("{text} · {hint}") };
        if rows::width(&more) > width {
            break;
        }
        text = more;
    }
    put_line(buffer, area, 0, &Line::styled(text, rows::DIM));
}
