//! Takes colours out of what cards print.

/// Text without escape sequences.
pub fn strip_ansi_codes(text: &str) -> String {
    let mut plain = String::new();
    let mut escaped = false;
    for letter in text.chars() {
        match letter {
            '\u{1b}' => escaped = true,
            'm' if escaped => escaped = false,
            _ if !escaped => plain.push(letter),
            _ => {}
        }
    }
    plain
}
