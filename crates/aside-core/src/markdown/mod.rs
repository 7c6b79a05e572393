//! Markdown becomes rows for a terminal, also while it is still being written. Decides how an answer looks, and which of its
//! rows no further text can change; does not know who shows it, nor what the text means.

pub mod mark;

mod code;
mod flow;
mod read;
mod settled;
mod source;
mod table;
#[cfg(test)]
mod tests;
mod text;

const USUAL_WIDTH: usize = 80;
const NARROWEST: usize = 20;
const WIDEST: usize = 400;

/// Whether there is more text to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whole {
    Yes,
    No,
}

/// How code within a sentence stands out from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spans {
    /// By its mark.
    Marked,
    /// By backquotes, where nobody sees a mark: without them `run ./test.sh` could not be told from the sentence around it.
    Quoted,
}

/// The rows have marks for their looks (`mark`), no other control characters, and no look lasts beyond its row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rendered {
    /// Whatever text is appended, these stay as they are.
    pub rows: Vec<String>,
    /// These may become others. Empty when the text is whole.
    pub tail: Vec<String>,
}

/// No row is wider than `width` columns, unless that is absurd: nothing is usable below 20, and nothing known is 80.
pub fn render(text: &str, width: usize, whole: Whole) -> Rendered {
    render_with(text, width, whole, Spans::Marked)
}

pub fn render_with(text: &str, width: usize, whole: Whole, spans: Spans) -> Rendered {
    let width = if width == 0 { USUAL_WIDTH } else { width.clamp(NARROWEST, WIDEST) };
    let source = source::prepare(text);
    let leaves = read::leaves(&source, width, spans);
    let settled = match whole {
        Whole::Yes => usize::MAX,
        Whole::No => settled::rows(&source, &leaves),
    };
    let mut rows: Vec<String> = leaves.into_iter().flat_map(|leaf| leaf.rows).map(|row| row.text).collect();
    let tail = rows.split_off(settled.min(rows.len()));
    Rendered { rows, tail }
}
