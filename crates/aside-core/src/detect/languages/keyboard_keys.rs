//! The keys behind letters of other keyboard layouts: Russian and Ukrainian, Korean, full-width letters.

use super::Script;

/// The Russian letters of the keys, in the order of `LATIN`; the last ones are on the digit keys.
const RUSSIAN: &str = "йцукенгшщзхъфывапролджэячсмитьбюёіїєґЙЦУКЕНГШЩЗХЪФЫВАПРОЛДЖЭЯЧСМИТЬБЮЁІЇЄҐ№";
const LATIN: &str = "qwertyuiop[]asdfghjkl;'zxcvbnm,.`s]'\\QWERTYUIOP{}ASDFGHJKL:\"ZXCVBNM<>~S}\"|#";

/// Korean letters by their position in a syllable, each as the keys that produce it.
const INITIALS: [&str; 19] =
    ["r", "R", "s", "e", "E", "f", "a", "q", "Q", "t", "T", "d", "w", "W", "c", "z", "x", "v", "g"];
const MIDDLES: [&str; 21] =
    ["k", "o", "i", "O", "j", "p", "u", "P", "h", "hk", "ho", "hl", "y", "n", "nj", "np", "nl", "b", "m", "ml", "l"];
const FINALS: [&str; 28] = [
    "", "r", "R", "rt", "s", "sw", "sg", "e", "f", "fr", "fa", "fq", "ft", "fx", "fv", "fg", "a", "q", "qt", "t", "T",
    "d", "w", "c", "z", "x", "v", "g",
];
/// Single letters, from U+3131 on.
const LOOSE: [&str; 51] = [
    "r", "R", "rt", "s", "sw", "sg", "e", "E", "f", "fr", "fa", "fq", "ft", "fx", "fv", "fg", "a", "q", "Q", "qt", "t",
    "T", "d", "w", "W", "c", "z", "x", "v", "g", "k", "o", "i", "O", "j", "p", "u", "P", "h", "hk", "ho", "hl", "y",
    "n", "nj", "np", "nl", "b", "m", "ml", "l",
];

/// The keys of a word as Latin letters; `None` when no letter is of another layout, or one is of a script without a
/// layout.
pub fn latin(word: &str) -> Option<String> {
    let mut is_other = false;
    let mut meant = String::with_capacity(word.len());
    for letter in word.chars() {
        match keys(letter) {
            Some(keys) => {
                is_other = true;
                keys.push_to(&mut meant);
            }
            None if letter.is_ascii() => meant.push(letter),
            None => return None,
        }
    }
    is_other.then_some(meant)
}

pub enum Keys {
    One(char),
    Three([&'static str; 3]),
}

impl Keys {
    pub fn push_to(&self, text: &mut String) {
        match self {
            Keys::One(letter) => text.push(*letter),
            Keys::Three(parts) => parts.iter().for_each(|part| text.push_str(part)),
        }
    }
}

pub fn keys(letter: char) -> Option<Keys> {
    let code = u32::from(letter);
    match letter {
        // Full-width characters have a constant offset from ASCII.
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(code - 0xff01 + 0x21).map(Keys::One),
        '\u{3131}'..='\u{3163}' => LOOSE.get((code - 0x3131) as usize).map(|keys| Keys::Three([*keys, "", ""])),
        '\u{ac00}'..='\u{d7a3}' => {
            let at = (code - 0xac00) as usize;
            let initial = INITIALS.get(at / 588)?;
            let middle = MIDDLES.get(at % 588 / 28)?;
            let last = FINALS.get(at % 28)?;
            Some(Keys::Three([*initial, *middle, *last]))
        }
        _ if letter == '№' || Script::of(letter) == Some(Script::Cyrillic) => {
            let at = RUSSIAN.chars().position(|own| own == letter)?;
            LATIN.chars().nth(at).map(Keys::One)
        }
        _ => None,
    }
}
