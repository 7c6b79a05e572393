//! Languages with blanks between words: the share of the words that belong to the language, and the confidence. German,
//! French, Spanish and Portuguese are told apart by their words, Russian by its letters.

use super::tokens::{FirstToken, Token, TokenKind, TokenizedLine};
use super::word_lists::{self, Program, Role, Roles, SPACED};
use super::{Language, LanguageMatch, keyboard_keys};

/// Weights of a word.
const STRONG: f32 = 1.0;
const ORDER: f32 = 0.9;
const KNOWN: f32 = 0.8;
const WEAK: f32 = 0.5;
/// Weight of an unknown word with letters that only some languages have.
const ACCENTED: f32 = 0.5;
/// More when a line begins with an order, which is how users address a computer.
const ORDERED: f32 = 0.7;
/// How quickly weight becomes confidence, and how much of a line must belong to the language for full confidence.
const STEEP: f32 = 0.55;
const COVERED: f32 = 2.0;
/// Upper bounds for words after the name of a program, and after a program that takes any words.
const AFTER_PROGRAM: f32 = 0.75;
const AFTER_NAMES: f32 = 0.45;
const AFTER_TEXT: f32 = 0.2;

/// Below this nothing is reported.
const LEAST: f32 = 0.1;

/// English words that none of these languages have.
const ENGLISH: &[&str] = &[
    "the", "is", "are", "what", "how", "this", "that", "to", "of", "you", "my", "with", "and", "please", "for",
    "which", "not", "it", "why", "does", "did", "should", "can", "would", "where", "there", "all", "i", "it", "be",
    "have", "has", "from", "at", "by", "your",
];

/// Words before an apostrophe in French.
const ELIDED: &[&str] = &["l", "d", "j", "n", "s", "c", "qu", "m", "t", "jusqu", "lorsqu", "puisqu"];
/// Words after a hyphen in French.
const AFTER_HYPHEN: &[&str] =
    &["moi", "toi", "nous", "vous", "lui", "il", "elle", "ils", "elles", "je", "tu", "on", "les"];

pub fn latin(sentence: &TokenizedLine<'_>) -> Option<LanguageMatch> {
    let mut tallies = [Tally::default(); SPACED.len()];
    let mut words = 0_u32;
    let mut english = 0_u32;
    for (at, piece) in
        sentence.pieces.iter().enumerate().filter(|(_, piece)| piece.kind == TokenKind::Plain && !piece.given)
    {
        words += u32::from(counts(piece.text));
        if piece.text.is_ascii() && ENGLISH.contains(&piece.text.to_ascii_lowercase().as_str()) {
            english += 1;
        }
        let roles = roles(piece.text);
        for ((tally, role), language) in tallies.iter_mut().zip(roles).zip(SPACED) {
            tally.add(at, role);
            if role == Role::Unknown && has_accent(piece.text, language) {
                tally.accented += 1;
            }
        }
    }
    let weighed = SPACED.into_iter().zip(tallies).filter(|(language, _)| *language != Language::Russian);
    let (language, tally) = weighed.max_by(|(_, one), (_, other)| one.worth().total_cmp(&other.worth()))?;
    let mut weight = tally.weight(sentence, words)?;
    if english > 0 && english >= tally.strong {
        weight *= 0.3;
    }
    (weight >= LEAST).then_some(LanguageMatch { language, weight })
}

pub fn russian(sentence: &TokenizedLine<'_>) -> Option<f32> {
    let mut tally = Tally::default();
    let mut words = 0_u32;
    for (at, piece) in
        sentence.pieces.iter().enumerate().filter(|(_, piece)| piece.kind == TokenKind::Plain && !piece.given)
    {
        words += u32::from(counts(piece.text));
        let role = of(&word_lists::roles(piece.text), Language::Russian);
        tally.add(at, role);
        if role == Role::Unknown && piece.script.is_some() {
            tally.accented += 1;
        }
    }
    if tally.evidence() == 0 && is_mistyped(sentence) {
        return None;
    }
    tally.weight(sentence, words).filter(|weight| *weight >= LEAST)
}

pub fn function_word(word: &str) -> Option<Language> {
    let roles = roles(word.trim_matches(|letter: char| !letter.is_alphanumeric()));
    SPACED.into_iter().zip(roles).find(|(_, role)| *role >= Role::Strong).map(|(language, _)| language)
}

/// Names of programs occur in sentences of every language, so they do not lower the share.
fn counts(word: &str) -> bool {
    word_lists::program(word).is_none()
}

/// A French word may be two.
fn roles(word: &str) -> Roles {
    let mut roles = word_lists::roles(word);
    let is_elided = |(before, after): (&str, &str)| {
        ELIDED.contains(&before.to_lowercase().as_str())
            && after.to_lowercase().starts_with(|letter: char| "aeiouyhéèêàâîôœ".contains(letter))
    };
    if word.split_once(['\'', '’']).is_some_and(is_elided) {
        give(&mut roles, Language::French, Role::Strong);
    }
    if let Some((before, after)) = word.rsplit_once('-')
        && before.len() > 2
    {
        if AFTER_HYPHEN.contains(&after) {
            let is_order = of(&word_lists::roles(before), Language::French) == Role::Order;
            give(&mut roles, Language::French, if is_order { Role::Alone } else { Role::Strong });
        } else if after == "me" {
            give(&mut roles, Language::Portuguese, Role::Strong);
        }
    }
    roles
}

fn of(roles: &Roles, language: Language) -> Role {
    SPACED.into_iter().zip(roles).find(|(own, _)| *own == language).map(|(_, role)| *role).unwrap_or_default()
}

fn give(roles: &mut Roles, language: Language, role: Role) {
    for (own, _) in roles.iter_mut().zip(SPACED).filter(|(_, of)| *of == language) {
        *own = role;
    }
}

fn has_accent(word: &str, language: Language) -> bool {
    let letters = match language {
        Language::German => "äöüßÄÖÜ",
        Language::French => "éèêëàâçîïôûùœÉÈÊÀÇ",
        Language::Spanish => "áéíóúñÁÉÍÓÚÑ",
        Language::Portuguese => "ãõáéíóúâêôçàÃÕÁÉÍÓÚÇ",
        Language::Russian | Language::Chinese | Language::Japanese | Language::Korean => "",
    };
    !word.is_ascii() && word.contains(|letter| letters.contains(letter))
}

/// Cyrillic that is a program when the keys are read as Latin ones, or that does not look like Russian.
fn is_mistyped(sentence: &TokenizedLine<'_>) -> bool {
    let first = sentence.pieces.first().map(|piece| piece.text).unwrap_or_default();
    let meant = keyboard_keys::latin(first);
    if meant.is_some_and(|meant| word_lists::program(&meant).is_some()) {
        return true;
    }
    let is_possible = |piece: &Token<'_>| {
        let small = piece.text.to_lowercase();
        small.contains(|letter| "аеёиоуыэюя".contains(letter)) && !small.starts_with(['ы', 'ь', 'ъ'])
    };
    !sentence.plain().filter(|piece| piece.script.is_some()).all(is_possible)
}

/// Counts of the words that one language knows.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    strong: u32,
    orders: u32,
    known: u32,
    weak: u32,
    accented: u32,
    first: Role,
}

impl Tally {
    fn add(&mut self, at: usize, role: Role) {
        match role {
            Role::Strong | Role::Ask => self.strong += 1,
            Role::Order => self.orders += 1,
            Role::Known | Role::Alone => self.known += 1,
            Role::Weak => self.weak += 1,
            Role::Unknown => {}
        }
        if at == 0 {
            self.first = role;
        }
    }

    fn evidence(&self) -> u32 {
        self.strong + self.orders + self.known
    }

    /// Whether there is more than nouns.
    fn has_grammar(&self) -> bool {
        self.strong + self.orders > 0 || (self.weak > 0 && self.known + self.weak > 2)
    }

    fn worth(&self) -> f32 {
        STRONG * self.strong as f32
            + ORDER * self.orders as f32
            + KNOWN * self.known as f32
            + WEAK * self.weak as f32
            + ACCENTED * self.accented as f32
    }

    fn weight(&self, sentence: &TokenizedLine<'_>, words: u32) -> Option<f32> {
        if sentence.pieces.len() == 1 {
            return match self.first {
                Role::Alone => Some(0.7),
                Role::Ask | Role::Strong | Role::Order => Some(0.3),
                Role::Unknown | Role::Weak | Role::Known => None,
            };
        }
        let is_own = match self.first {
            Role::Ask | Role::Strong | Role::Order | Role::Known | Role::Alone => true,
            Role::Weak => sentence.leader == FirstToken::Other,
            Role::Unknown => sentence.leader == FirstToken::Own,
        };
        if self.evidence() == 0 || (!is_own && (sentence.flags || !self.has_grammar())) {
            return None;
        }
        let mut worth = self.worth();
        if matches!(self.first, Role::Ask | Role::Order | Role::Alone) {
            worth += ORDERED;
        }
        let cover = (COVERED * worth / words.max(1) as f32).min(1.0);
        let mut weight = (1.0 - (-STEEP * worth).exp()) * cover;
        if sentence.flags && self.evidence() + self.weak + self.accented < 2 {
            weight *= 0.5;
        }
        if sentence.operators {
            weight *= 0.4;
        }
        let most = match sentence.leader {
            FirstToken::Program(Program::Text) => AFTER_TEXT,
            FirstToken::Program(Program::Names) if !is_own => AFTER_NAMES,
            FirstToken::Program(_) | FirstToken::Other if !is_own => AFTER_PROGRAM,
            FirstToken::Own | FirstToken::Other | FirstToken::Program(_) => 1.0,
        };
        Some(weight.min(most))
    }
}
