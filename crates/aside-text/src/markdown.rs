//! Renders Markdown as rows for a terminal, also while it still streams. Decides how an answer looks, and which of its rows no further text
//! can change; does not know the client, nor what the text means.

pub mod style;

mod code;
mod inline;
mod parse;
mod sanitize;
mod stable_rows;
mod streaming_prose;
mod table;
#[cfg(test)]
mod tests;
mod wrap;

const USUAL_WIDTH: usize = 80;
const NARROWEST: usize = 20;
const WIDEST: usize = 400;

/// Whether the text is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextEnd {
    Yes,
    No,
}

/// How inline code stands out from prose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeSpans {
    /// By its style mark.
    Marked,
    /// By backquotes, where styles are not shown: without them `run ./test.sh` would look like prose.
    Quoted,
}

/// Rows contain style marks (`mark`) and no other control characters, and no style extends beyond its row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rendered {
    /// These never change, whatever text is appended.
    pub rows: Vec<String>,
    /// These may still change. Empty when the text is complete.
    pub tail: Vec<String>,
}

/// No row is wider than `width` columns, within limits: below 20 nothing is usable, and an unknown width counts as 80.
pub fn render(text: &str, width: usize, whole: TextEnd) -> Rendered {
    render_with(text, width, whole, CodeSpans::Marked)
}

pub fn render_with(text: &str, width: usize, whole: TextEnd, spans: CodeSpans) -> Rendered {
    let width = if width == 0 { USUAL_WIDTH } else { width.clamp(NARROWEST, WIDEST) };
    let source = sanitize::prepare(text);
    let leaves = parse::leaves(&source, width, spans);
    let settled = match whole {
        TextEnd::Yes => usize::MAX,
        TextEnd::No => stable_rows::rows(&source, &leaves),
    };
    let mut rows: Vec<String> = leaves.into_iter().flat_map(|leaf| leaf.rows).map(|row| row.text).collect();
    let tail = rows.split_off(settled.min(rows.len()));
    Rendered { rows, tail }
}
