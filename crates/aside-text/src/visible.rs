//! Renders text for approval: spells out what is hidden or looks like something else in `⟨…⟩`. No two texts look the same. Does not change
//! what is run.

use std::borrow::Cow;

/// So many blanks in a row could push what follows out of sight.
const MAX_BLANKS: usize = 8;

/// For text that a machine will read: spells out look-alikes too.
pub fn exact(text: &str) -> Cow<'_, str> {
    spelled(text, |letter| is_unseen(letter) || likeness(letter).is_some())
}

/// For prose in any language: spells out only invisible characters.
pub fn prose(text: &str) -> Cow<'_, str> {
    spelled(text, is_unseen)
}

/// The ASCII character that a character could be taken for.
pub fn likeness(letter: char) -> Option<char> {
    let like = match letter {
        '\u{a0}'
        | '\u{1680}'
        | '\u{2000}'..='\u{200a}'
        | '\u{202f}'
        | '\u{205f}'
        | '\u{2800}'
        | '\u{3000}'
        | '\u{3164}'
        | '\u{115f}'
        | '\u{1160}'
        | '\u{ffa0}' => ' ',
        '\u{2010}'..='\u{2015}'
        | '\u{2212}'
        | '\u{2043}'
        | '\u{fe58}'
        | '\u{fe63}'
        | '\u{30fc}'
        | '\u{2796}'
        | '\u{02d7}' => '-',
        '\u{37e}' | '\u{204f}' | '\u{fe54}' => ';',
        '\u{2044}' | '\u{2215}' | '\u{29f8}' | '\u{2571}' => '/',
        '\u{2216}' | '\u{29f5}' | '\u{fe68}' => '\\',
        '\u{2018}' | '\u{2019}' | '\u{201b}' | '\u{2032}' | '\u{2bc}' | '\u{2b9}' | '\u{b4}' => '\'',
        '\u{201c}'..='\u{201f}' | '\u{2033}' | '\u{2ba}' => '"',
        '\u{2223}' | '\u{1c0}' | '\u{23d0}' => '|',
        '\u{2024}' | '\u{fe52}' => '.',
        '\u{2236}' | '\u{a789}' | '\u{fe55}' => ':',
        '\u{2217}' | '\u{204e}' | '\u{fe61}' => '*',
        '\u{ff04}' | '\u{fe69}' => '$',
        '\u{2039}' | '\u{fe64}' => '<',
        '\u{203a}' | '\u{fe65}' => '>',
        '\u{223c}' | '\u{2dc}' => '~',
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(letter) - 0xfee0)?,
        '\u{1d400}'..='\u{1d7ff}' => '?',
        'а' => 'a',
        'е' => 'e',
        'ɑ' => 'a',
        'о' | 'ο' | 'օ' | 'ᴏ' => 'o',
        'р' | 'ρ' => 'p',
        'с' | 'ϲ' | 'ⅽ' | 'ᴄ' => 'c',
        'х' | 'ⅹ' => 'x',
        'у' | 'ү' => 'y',
        'і' | 'ı' | 'ⅰ' => 'i',
        'ј' | 'ϳ' => 'j',
        'ѕ' | 'ꜱ' => 's',
        'ԁ' | 'ⅾ' => 'd',
        'һ' | 'հ' => 'h',
        'ɡ' | 'ց' => 'g',
        'ν' | 'ѵ' | 'ⅴ' | 'ᴠ' => 'v',
        'ա' | 'ԝ' | 'ᴡ' => 'w',
        'ո' => 'n',
        'ӏ' | 'ⅼ' => 'l',
        'ⅿ' => 'm',
        'ԛ' | 'զ' => 'q',
        'ս' | 'ᴜ' => 'u',
        'ᴢ' => 'z',
        'А' | 'Α' => 'A',
        'В' | 'Β' => 'B',
        'Е' | 'Ε' => 'E',
        'К' | 'Κ' => 'K',
        'М' | 'Μ' => 'M',
        'Н' | 'Η' => 'H',
        'О' | 'Ο' => 'O',
        'Р' | 'Ρ' => 'P',
        'С' | 'Ⅽ' => 'C',
        'Ⅾ' => 'D',
        'Ј' => 'J',
        'Ⅼ' => 'L',
        'Ⅿ' => 'M',
        'Ԛ' => 'Q',
        'Ѕ' => 'S',
        'Ⅴ' | 'Ѵ' => 'V',
        'Ԝ' => 'W',
        'Ζ' => 'Z',
        'Т' | 'Τ' => 'T',
        'Х' | 'Χ' | 'Ⅹ' => 'X',
        'У' | 'Υ' => 'Y',
        'І' | 'Ι' | 'Ӏ' | 'Ⅰ' => 'I',
        _ => return None,
    };
    Some(like)
}

fn is_unseen(letter: char) -> bool {
    let mut buffer = [0; 4];
    let blank = likeness(letter) == Some(' ');
    let variation = matches!(letter, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}');
    matches!(letter, '\n' | '\t' | '⟨' | '⟩' | '\u{34f}' | '\u{e000}'..='\u{f8ff}')
        || blank
        || variation
        || !crate::is_clean(letter.encode_utf8(&mut buffer))
}

fn spelled(text: &str, spell: impl Fn(char) -> bool) -> Cow<'_, str> {
    let blanks = " ".repeat(MAX_BLANKS);
    if !text.contains(&spell) && !text.contains(&blanks) && !text.ends_with(' ') {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() * 2);
    let mut rest = text.chars().peekable();
    while let Some(letter) = rest.next() {
        if letter == ' ' {
            let mut count = 1;
            while rest.next_if_eq(&' ').is_some() {
                count += 1;
            }
            // A blank at the very end is invisible too.
            match count >= MAX_BLANKS || rest.peek().is_none() {
                true => shown.push_str(&format!("⟨{count} blanks⟩")),
                false => shown.push_str(&" ".repeat(count)),
            }
        } else if !spell(letter) {
            shown.push(letter);
        } else {
            shown.push_str(&match letter {
                '\n' => "⟨newline⟩".to_owned(),
                '\r' => "⟨return⟩".to_owned(),
                '\t' => "⟨tab⟩".to_owned(),
                '\u{1b}' => "⟨escape⟩".to_owned(),
                _ => format!("⟨U+{:04X}⟩", u32::from(letter)),
            });
        }
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_hidden_or_pretends_is_spelled_out() {
        let all = [
            ("git status", "git status"),
            ("rg 日本語 src", "rg 日本語 src"),
            ("ls\u{a0}-la", "ls⟨U+00A0⟩-la"),
            ("ls \u{2013}la", "ls ⟨U+2013⟩la"),
            ("ls\u{37e} x", "ls⟨U+037E⟩ x"),
            ("\u{440}wd", "⟨U+0440⟩wd"),
            ("\u{217c}s; r\u{217f} -r\u{4cf}", "⟨U+217C⟩s; r⟨U+217F⟩ -r⟨U+04CF⟩"),
            ("a\u{1d173}b\u{17b4}", "a⟨U+1D173⟩b⟨U+17B4⟩"),
            ("a\rb\nc\td", "a⟨return⟩b⟨newline⟩c⟨tab⟩d"),
            ("\u{1b}[2K", "⟨escape⟩[2K"),
            ("x\u{202e}y", "x⟨U+202E⟩y"),
            ("⟨newline⟩", "⟨U+27E8⟩newline⟨U+27E9⟩"),
            ("ls          ; rm x", "ls⟨10 blanks⟩; rm x"),
            ("ls ", "ls⟨1 blanks⟩"),
        ];
        for (text, expected) in all {
            assert_eq!(exact(text), expected);
        }
        assert_eq!(prose("Прочитать файл"), "Прочитать файл");
        assert_eq!(prose("a\u{200b}b"), "a⟨U+200B⟩b");
    }

    proptest! {
        #[test]
        fn no_two_texts_look_the_same(one in "[ a\u{a0}\n⟨⟩0-9U+]{0,12}", other in "[ a\u{a0}\n⟨⟩0-9U+]{0,12}") {
            prop_assert_eq!(exact(&one) == exact(&other), one == other);
            prop_assert!(crate::is_clean(&exact(&one)));
        }
    }
}
