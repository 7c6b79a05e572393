//! Cuts what rules and commands say, for one line of an explanation.

use aside_text::visible;

/// Characters of a quotation in an explanation. An offer itself is never cut.
const MAX_QUOTED: usize = 120;

/// For one line of an explanation.
pub fn short(text: &str) -> String {
    cut(text, MAX_QUOTED)
}

/// At most so many characters, none of them hidden.
pub fn cut(text: &str, most: usize) -> String {
    let shown = visible::exact(text);
    match shown.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", shown.get(..end).unwrap_or_default()),
        None => shown.into_owned(),
    }
}
