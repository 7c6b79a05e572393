//! An explanation for the few lines below a prompt.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::explain::{Explanation, Part, one_line};

/// Lines below a prompt.
const MAX_LINES: usize = 12;
/// Width of the aligned column of parts; a longer part pushes its own description to the right.
const WIDEST: usize = 24;

pub fn summary_lines(explanation: &Explanation, width: usize) -> Vec<String> {
    let Explanation { parts, summary } = explanation;
    let mut lines = Vec::new();
    let worst = parts.iter().filter_map(|part| part.harm).max();
    let worst = worst.map(|harm| format!("! {}", harm.words()));
    let first: Vec<String> = [Some(one_line(summary)), worst].into_iter().flatten().collect();
    let first = first.join("  ");
    if !first.trim().is_empty() {
        lines.extend(folded(first.trim(), width));
    }
    // For a command without flags and arguments the summary says it all.
    let told = match parts.as_slice() {
        [only] if !summary.is_empty() && only.harm.is_none() => &[],
        parts => parts,
    };
    let widest = (width / 3).clamp(8, WIDEST);
    let texts: Vec<String> = told.iter().map(|part| cut(&one_line(&part.text), widest)).collect();
    let column = texts.iter().map(|text| text.width()).max().unwrap_or(0);
    let room = MAX_LINES.saturating_sub(lines.len());
    let fits = told.len() <= room;
    let shown = if fits { told.len() } else { room.saturating_sub(1) };
    for (Part { about, harm, .. }, text) in told.iter().zip(&texts).take(shown) {
        let fill = " ".repeat(column.saturating_sub(text.width()));
        let mut about = one_line(about);
        if let Some(harm) = harm {
            about = format!("{about}  ! {}", harm.words()).trim_start().to_owned();
        }
        lines.push(cut(format!("{text}{fill}  {about}").trim_end(), width));
    }
    if !fits && room > 0 {
        lines.push(cut(&format!("… and {} more: aside explain", told.len() - shown), width));
    }
    lines
}

/// On one line, or wrapped at a blank to two.
fn folded(text: &str, width: usize) -> Vec<String> {
    let mut used = 0;
    let mut end = None;
    for (at, letter) in text.char_indices() {
        if letter == ' ' {
            end = Some(at);
        }
        used += letter.width().unwrap_or(0);
        if used > width {
            break;
        }
    }
    match end {
        Some(end) if text.width() > width => {
            let (first, second) = text.split_at(end);
            vec![first.trim_end().to_owned(), cut(second.trim_start(), width)]
        }
        _ => vec![cut(text, width)],
    }
}

/// At most `width` columns, ending in `…` if something is cut.
pub fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut kept = String::new();
    let mut used = 0;
    for letter in text.chars() {
        let wide = letter.width().unwrap_or(0);
        if used + wide + 1 > width {
            break;
        }
        used += wide;
        kept.push(letter);
    }
    let kept = kept.trim_end();
    if width == 0 { String::new() } else { format!("{kept}…") }
}
