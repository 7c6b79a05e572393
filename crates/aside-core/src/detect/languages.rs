//! Detects sentences in Chinese, Japanese, Korean, Russian, German, French, Spanish or Portuguese, and lines that were
//! typed with the wrong keyboard layout. Knows neither English nor the machine.
//!
//! File names and messages in these languages are common in command lines, so a character or a word says little: what
//! counts is the grammar between the words, and what precedes them. A word that may be a name (it has an ending, a
//! slash), that is quoted, or that a flag may have asked for, counts for nothing.

mod asian;
mod european;
mod keyboard_keys;
mod keyboard_layout;
#[cfg(test)]
mod tests;
mod tokens;
mod word_lists;

use self::tokens::TokenizedLine;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    Chinese,
    Japanese,
    Korean,
    Russian,
    German,
    French,
    Spanish,
    Portuguese,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LanguageMatch {
    pub language: Language,
    /// Probability, 0 to 1, that these words are a sentence of that language, judged by the words alone. From 0.5 on it
    /// is more likely than not.
    pub weight: f32,
}

/// Scripts other than Latin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Script {
    Han,
    Kana,
    Hangul,
    Cyrillic,
}

/// Takes the words of a line as they are between blanks, including the first, with quotes and punctuation.
pub fn detect_language(words: &[&str]) -> Option<LanguageMatch> {
    let sentence = TokenizedLine::read(words)?;
    match sentence.script {
        Some(Script::Han) => {
            asian::chinese(&sentence).map(|weight| LanguageMatch { language: Language::Chinese, weight })
        }
        Some(Script::Kana) => {
            asian::japanese(&sentence).map(|weight| LanguageMatch { language: Language::Japanese, weight })
        }
        Some(Script::Hangul) => {
            asian::korean(&sentence).map(|weight| LanguageMatch { language: Language::Korean, weight })
        }
        Some(Script::Cyrillic) => {
            european::russian(&sentence).map(|weight| LanguageMatch { language: Language::Russian, weight })
        }
        None => european::latin(&sentence),
    }
}

/// Whether it is a function word that hardly occurs in commands, with or without its accents.
pub fn is_function_word(word: &str) -> Option<Language> {
    european::function_word(word)
}

/// Whether it contains a Chinese, Japanese, Korean or Cyrillic character.
pub fn is_foreign_script(word: &str) -> bool {
    word.chars().any(|letter| Script::of(letter).is_some())
}

/// The line as if its keys had been pressed on an English keyboard, if its first word is then a command according to
/// `is_command`.
pub fn wrong_layout(line: &str, is_command: impl Fn(&str) -> bool) -> Option<String> {
    keyboard_layout::corrected(line, is_command)
}

impl Language {
    pub fn name(self) -> &'static str {
        match self {
            Language::Chinese => "Chinese",
            Language::Japanese => "Japanese",
            Language::Korean => "Korean",
            Language::Russian => "Russian",
            Language::German => "German",
            Language::French => "French",
            Language::Spanish => "Spanish",
            Language::Portuguese => "Portuguese",
        }
    }
}

impl Script {
    pub fn of(letter: char) -> Option<Self> {
        match letter {
            '\0'..='\u{3ff}' => None,
            '\u{400}'..='\u{52f}' => Some(Script::Cyrillic),
            '\u{1100}'..='\u{11ff}' | '\u{3130}'..='\u{318f}' | '\u{ac00}'..='\u{d7ff}' => Some(Script::Hangul),
            '\u{3041}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{ff66}'..='\u{ff9f}' => Some(Script::Kana),
            '\u{3005}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' => Some(Script::Han),
            '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}' => Some(Script::Han),
            _ => None,
        }
    }
}
