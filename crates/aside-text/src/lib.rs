//! Which characters may reach a terminal or a command line. `markdown` and `screen` render text; `speech_act` tells an order from a
//! question or a report. Knows no command and no machine.

pub mod base64;
pub mod edit_distance;
pub mod lazy_regex;
pub mod markdown;
pub mod path;
pub mod pattern;
pub mod rebuilt;
mod required_literals;
pub mod screen;
pub mod speech_act;
pub mod visible;

use std::borrow::Cow;

/// Removes what could move the cursor, hide text or reverse it: control characters other than newline and tab,
/// bidirectional controls, zero-width characters, and tag characters.
pub fn clean(text: &str) -> Cow<'_, str> {
    if is_clean(text) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().filter(|&character| !is_hidden(character)).collect())
}

/// Chinese characters, as far as requests have them.
pub fn is_han(letter: char) -> bool {
    matches!(letter, '\u{3400}'..='\u{9fff}')
}

/// JSON in which every character that `clean` would remove is spelled as an escape: the same value, harmless on a terminal.
pub fn escaped_json(json: &str) -> Cow<'_, str> {
    if is_clean(json) {
        return Cow::Borrowed(json);
    }
    let mut escaped = String::with_capacity(json.len());
    for character in json.chars() {
        if is_hidden(character) {
            // Outside of strings JSON has no such character.
            let units =
                character.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect::<String>();
            escaped.push_str(&units);
        } else {
            escaped.push(character);
        }
    }
    Cow::Owned(escaped)
}

/// Chat-template tokens that some model servers take for the end of a turn, wherever they occur, and their replacements.
const TURNS: [(&str, &str); 8] = [
    ("<|", "< |"),
    ("|>", "| >"),
    ("[INST]", "[ INST]"),
    ("[/INST]", "[ /INST]"),
    ("<start_of_turn>", "< start_of_turn>"),
    ("<end_of_turn>", "< end_of_turn>"),
    ("</s>", "< /s>"),
    ("<｜", "< ｜"),
];

/// Defuses chat-template tokens, so that no text in a prompt can end its turn.
pub fn escape_chat_turns(text: String) -> String {
    TURNS.iter().fold(text, |text, (turn, told)| if text.contains(turn) { text.replace(turn, told) } else { text })
}

/// Whether `clean` would leave the text as it is.
pub fn is_clean(text: &str) -> bool {
    // Nearly all text is printable ASCII; look at bytes before decoding.
    text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\t')) || !text.chars().any(is_hidden)
}

fn is_hidden(character: char) -> bool {
    match character {
        '\n' | '\t' => false,
        // U+200D joins emoji and shapes Indic and Arabic letters, but nothing at a prompt needs it badly enough to
        // let `r\u{200d}m` look like `rm`.
        '\u{ad}' | '\u{61c}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' => true,
        // Khmer vowels, shorthand joiners and musical beams that have no glyph.
        '\u{17b4}' | '\u{17b5}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' => true,
        '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}' => true,
        _ => character.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_the_same_value_without_hidden_characters() {
        for text in ["plain é 🦀", "a\u{9b}31m\u{202e}b\u{200d}", "\u{1b}[31m\u{7}\n\t\u{7f}", "\u{e0041}\u{1d173}"]
        {
            let json = serde_json::to_string_pretty(&[text]).unwrap();
            let escaped = escaped_json(&json);
            assert!(is_clean(&escaped), "{escaped:?}");
            assert_eq!(serde_json::from_str::<Vec<String>>(&escaped).unwrap(), [text]);
        }
    }

    #[test]
    fn hits_and_misses() {
        let kept = ["git status", "日本語 é ü", "a\tb\nc", "🦀", "e\u{301}"];
        for text in kept {
            assert_eq!(clean(text), text);
        }
        let cleaned = [
            ("\u{1b}[31mred", "[31mred"),
            ("a\u{7}b\0c\u{1f}d\r", "abcd"),
            ("\u{9b}31m", "31m"),
            ("r\u{200b}m", "rm"),
            ("r\u{17b4}\u{180b}\u{1bca0}\u{1d173}m", "rm"),
            ("\u{202e}txt.exe", "txt.exe"),
            ("a\u{2066}b\u{2069}", "ab"),
            ("x\u{7f}", "x"),
            ("\u{feff}ls", "ls"),
        ];
        for (text, expected) in cleaned {
            assert_eq!(clean(text), expected);
            assert!(!is_clean(text));
        }
    }
}
