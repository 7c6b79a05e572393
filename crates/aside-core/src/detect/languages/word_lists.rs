//! The words of the languages from data/detect/languages, parsed on first use. Each line has a class and its words; `hit`
//! and `miss` lines are examples for the tests.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::Language;

/// The languages with blanks between words.
pub const SPACED: [Language; 5] =
    [Language::German, Language::French, Language::Spanish, Language::Portuguese, Language::Russian];

pub const FILES: [(Language, &str); 8] = [
    (Language::German, include_str!("../../../data/detect/languages/de.txt")),
    (Language::French, include_str!("../../../data/detect/languages/fr.txt")),
    (Language::Spanish, include_str!("../../../data/detect/languages/es.txt")),
    (Language::Portuguese, include_str!("../../../data/detect/languages/pt.txt")),
    (Language::Russian, include_str!("../../../data/detect/languages/ru.txt")),
    (Language::Chinese, include_str!("../../../data/detect/languages/zh.txt")),
    (Language::Japanese, include_str!("../../../data/detect/languages/ja.txt")),
    (Language::Korean, include_str!("../../../data/detect/languages/ko.txt")),
];

const PROGRAMS: &str = include_str!("../../../data/detect/languages/programs.txt");

/// The role of a word in one language. The order is by weight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    #[default]
    Unknown,
    Weak,
    Known,
    Order,
    Alone,
    Strong,
    /// As strong, and the beginning of a question.
    Ask,
}

/// In the order of `SPACED`.
pub type Roles = [Role; SPACED.len()];

/// What the words after a program are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    Names,
    Text,
    Plain,
    /// Not a program, but a technical term used in every language.
    Thing,
}

/// Words of a language that does not separate them, or only in parts.
#[derive(Debug, Default)]
pub struct Marks {
    pub ask: Vec<&'static str>,
    pub order: Vec<&'static str>,
    pub tell: Vec<&'static str>,
    pub end: Vec<&'static str>,
    pub small: Vec<&'static str>,
    pub alone: Vec<&'static str>,
}

static WORDS: LazyLock<HashMap<Box<str>, Roles>> = LazyLock::new(words);
static PROGRAM: LazyLock<HashMap<&str, Program>> = LazyLock::new(programs);
pub static CHINESE: LazyLock<Marks> = LazyLock::new(|| marks(Language::Chinese));
pub static JAPANESE: LazyLock<Marks> = LazyLock::new(|| marks(Language::Japanese));
pub static KOREAN: LazyLock<Marks> = LazyLock::new(|| marks(Language::Korean));

/// The roles of a word in any case, with or without its accents.
pub fn roles(word: &str) -> Roles {
    let small = word.to_lowercase();
    if let Some(roles) = WORDS.get(small.as_str()) {
        return *roles;
    }
    if small.is_ascii() {
        return Roles::default();
    }
    WORDS.get(plain(&small, Umlaut::Letter).as_str()).copied().unwrap_or_default()
}

pub fn program(word: &str) -> Option<Program> {
    PROGRAM.get(word).copied()
}

pub fn lines(text: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    text.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(' '))
}

fn words() -> HashMap<Box<str>, Roles> {
    let mut words = HashMap::new();
    let mut plainer = HashMap::new();
    for (language, text) in FILES {
        let Some(place) = SPACED.iter().position(|spaced| *spaced == language) else {
            continue;
        };
        for (sort, list) in lines(text) {
            let role = match sort {
                "ask" => Role::Ask,
                "strong" => Role::Strong,
                "weak" => Role::Weak,
                "order" => Role::Order,
                "known" => Role::Known,
                "alone" => Role::Alone,
                _ => continue,
            };
            for word in list.split_whitespace() {
                put(&mut words, word, place, role);
                // A short word without its accents is ambiguous: `é` is a letter, `où` becomes `ou`.
                for umlaut in [Umlaut::Letter, Umlaut::Two] {
                    let plain = plain(word, umlaut);
                    if plain != word && plain.len() > 1 {
                        put(&mut plainer, &plain, place, if plain.len() < 4 { role.min(Role::Weak) } else { role });
                    }
                }
            }
        }
    }
    // The exact entry of a word takes precedence: `execute` is weaker than `exécute`.
    for (word, roles) in plainer {
        let own: &mut Roles = words.entry(word).or_default();
        for (own, role) in own.iter_mut().zip(roles).filter(|(own, _)| **own == Role::Unknown) {
            *own = role;
        }
    }
    words
}

fn put(words: &mut HashMap<Box<str>, Roles>, word: &str, place: usize, role: Role) {
    let roles: &mut Roles = words.entry(word.into()).or_default();
    if let Some(old) = roles.get_mut(place) {
        *old = role.max(*old);
    }
}

/// How `ä` is written on a keyboard without it.
#[derive(Clone, Copy)]
enum Umlaut {
    Letter,
    Two,
}

fn plain(word: &str, umlaut: Umlaut) -> String {
    let mut plain = String::with_capacity(word.len());
    for letter in word.chars() {
        let (one, two) = match letter {
            'ä' => ("a", "ae"),
            'ö' => ("o", "oe"),
            'ü' => ("u", "ue"),
            'ß' => ("ss", "ss"),
            'á' | 'à' | 'â' | 'ã' => ("a", "a"),
            'é' | 'è' | 'ê' | 'ë' => ("e", "e"),
            'í' | 'ì' | 'î' | 'ï' => ("i", "i"),
            'ó' | 'ò' | 'ô' | 'õ' => ("o", "o"),
            'ú' | 'ù' | 'û' => ("u", "u"),
            'ç' => ("c", "c"),
            'ñ' => ("n", "n"),
            'œ' => ("oe", "oe"),
            'ё' => ("е", "е"),
            // Combining accents, as in file names on macOS.
            '\u{300}'..='\u{36f}' => ("", ""),
            _ => {
                plain.push(letter);
                continue;
            }
        };
        plain.push_str(match umlaut {
            Umlaut::Letter => one,
            Umlaut::Two => two,
        });
    }
    plain
}

fn programs() -> HashMap<&'static str, Program> {
    let mut programs = HashMap::new();
    for (sort, list) in lines(PROGRAMS) {
        let program = match sort {
            "names" => Program::Names,
            "text" => Program::Text,
            "things" => Program::Thing,
            _ => Program::Plain,
        };
        for word in list.split_whitespace() {
            programs.entry(word).or_insert(program);
        }
    }
    programs
}

fn marks(language: Language) -> Marks {
    let mut marks = Marks::default();
    for (_, text) in FILES.iter().filter(|(of, _)| *of == language) {
        for (sort, list) in lines(text) {
            let into = match sort {
                "ask" => &mut marks.ask,
                "order" => &mut marks.order,
                "tell" => &mut marks.tell,
                "end" => &mut marks.end,
                "small" => &mut marks.small,
                "alone" => &mut marks.alone,
                _ => continue,
            };
            into.extend(list.split_whitespace());
        }
    }
    marks
}
