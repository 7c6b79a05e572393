//! Chinese, Japanese and Korean: scores the words and what precedes them. Their sentences need no blanks, or have their
//! grammar in the ends of words.

use super::tokens::{FirstToken, Token, TokenizedLine};
use super::word_lists::{CHINESE, JAPANESE, KOREAN, Marks, Program};
use super::{Script, keyboard_keys, word_lists};

/// Weights; each is named after the evidence.
const SAID: f32 = 0.95;
const ORDERED: f32 = 0.85;
const LIKELY: f32 = 0.65;
const PERHAPS: f32 = 0.55;
const HARDLY: f32 = 0.3;
const TEXT: f32 = 0.2;

/// Words for things to find, not a directory: `find 大文件`.
const SOUGHT: &[&str] = &["大", "小", "所有", "最", "空", "旧", "重复"];

pub fn chinese(sentence: &TokenizedLine<'_>) -> Option<f32> {
    let marks = &*CHINESE;
    let letters = letters(sentence);
    let asks = has(sentence, &marks.ask) || sentence.asks && letters >= 4;
    let first = spoken(sentence).next()?;
    let is_more = |order: &str| {
        letters > order.chars().count() || sentence.pieces.len() > 1 && sentence.leader == FirstToken::Own
    };
    let orders = marks.order.iter().any(|order| first.text.starts_with(order) && is_more(order));
    let weight = match sentence.leader {
        FirstToken::Own if is_alone(sentence, marks) || asks => SAID,
        FirstToken::Own if sentence.flags && letters < 6 => return None,
        FirstToken::Own if orders => ORDERED,
        FirstToken::Own if letters >= 4 && (has(sentence, &marks.small) || has(sentence, &marks.order)) => ORDERED,
        FirstToken::Own if letters >= 6 || letters >= 4 && sentence.pieces.len() > 1 => LIKELY,
        FirstToken::Own if letters >= 4 => PERHAPS,
        FirstToken::Own => HARDLY,
        FirstToken::Program(Program::Text) => TEXT,
        _ if asks => LIKELY,
        FirstToken::Program(Program::Names) if begins(sentence, "find") && !sentence.flags && has(sentence, SOUGHT) => {
            PERHAPS
        }
        FirstToken::Program(Program::Names) => HARDLY,
        FirstToken::Program(Program::Plain | Program::Thing) | FirstToken::Other => {
            after_program(sentence, marks, letters, orders)
        }
    };
    Some(lessened(sentence, weight))
}

pub fn japanese(sentence: &TokenizedLine<'_>) -> Option<f32> {
    let marks = &*JAPANESE;
    let letters = letters(sentence);
    let ends = spoken(sentence).last().is_some_and(|piece| marks.end.iter().any(|end| piece.text.ends_with(end)));
    let particles = particles(sentence, marks);
    let asks = has(sentence, &marks.ask) || sentence.asks && letters >= 4;
    let weight = match sentence.leader {
        FirstToken::Own if sentence.flags => (asks || particles > 1).then_some(SAID)?,
        FirstToken::Own if is_alone(sentence, marks) || asks => SAID,
        FirstToken::Own if ends && particles > 0 => SAID,
        FirstToken::Own if letters >= 4 && (ends || particles > 0) => ORDERED,
        FirstToken::Own if letters >= 6 => LIKELY,
        FirstToken::Own => HARDLY,
        FirstToken::Program(Program::Text) => TEXT,
        _ if sentence.flags => (asks && ends).then_some(PERHAPS)?,
        _ if is_joined(sentence, marks) => ORDERED,
        _ if asks && letters >= 3 => LIKELY,
        FirstToken::Program(Program::Names) => HARDLY,
        FirstToken::Program(Program::Plain | Program::Thing) | FirstToken::Other if ends && particles > 0 => LIKELY,
        FirstToken::Program(Program::Plain | Program::Thing) | FirstToken::Other => HARDLY,
    };
    Some(lessened(sentence, weight))
}

pub fn korean(sentence: &TokenizedLine<'_>) -> Option<f32> {
    let marks = &*KOREAN;
    if is_mistyped(sentence) {
        return None;
    }
    let words = spoken(sentence).count();
    let ends = spoken(sentence).last().is_some_and(|piece| marks.end.iter().any(|end| piece.text.ends_with(end)));
    let asks = spoken(sentence).any(|piece| {
        marks.ask.iter().any(|ask| piece.text == *ask || ask.chars().count() > 1 && piece.text.ends_with(ask))
    });
    let second = sentence.pieces.get(1).is_some_and(|piece| piece.script.is_some());
    let smalls = spoken(sentence)
        .take(words.saturating_sub(1))
        .filter(|piece| marks.small.iter().any(|small| piece.text.len() > small.len() && piece.text.ends_with(small)))
        .count();
    let weight = match sentence.leader {
        FirstToken::Own if sentence.flags => asks.then_some(SAID)?,
        FirstToken::Own if is_alone(sentence, marks) || (asks && words > 1) => SAID,
        FirstToken::Own if words > 1 && (ends || smalls > 0) => ORDERED,
        FirstToken::Own if words > 1 || asks || sentence.asks => LIKELY,
        FirstToken::Own => HARDLY,
        FirstToken::Program(Program::Text) => TEXT,
        _ if sentence.flags => (asks && ends).then_some(PERHAPS)?,
        _ if asks && (ends || sentence.asks || words > 1) => LIKELY,
        FirstToken::Program(Program::Names) => HARDLY,
        FirstToken::Program(Program::Plain | Program::Thing) | FirstToken::Other
            if ends && (smalls > 0 || second && words > 1) =>
        {
            LIKELY
        }
        FirstToken::Program(Program::Plain | Program::Thing) | FirstToken::Other
            if second && words > 2 && smalls > 0 =>
        {
            LIKELY
        }
        FirstToken::Program(Program::Plain | Program::Thing) | FirstToken::Other if ends && sentence.asks => LIKELY,
        FirstToken::Program(Program::Plain | Program::Thing) | FirstToken::Other => HARDLY,
    };
    Some(lessened(sentence, weight))
}

/// In `git 撤销上次提交` the second word is an order; in `git branch 修复登录` the third is a name.
fn after_program(sentence: &TokenizedLine<'_>, marks: &Marks, letters: usize, orders: bool) -> f32 {
    let second = sentence.pieces.get(1).is_some_and(|piece| piece.script.is_some());
    let is_said = letters >= 4 && (orders || has(sentence, &marks.tell));
    if second && is_said && !sentence.flags { LIKELY } else { HARDLY }
}

/// Words in the script of the language that may be part of the sentence, and not the value of a flag.
fn spoken<'s, 'a>(sentence: &'s TokenizedLine<'a>) -> impl Iterator<Item = &'s Token<'a>> {
    sentence.plain().filter(|piece| piece.script.is_some() && !piece.given)
}

fn letters(sentence: &TokenizedLine<'_>) -> usize {
    spoken(sentence).flat_map(|piece| piece.text.chars()).filter(|letter| Script::of(*letter).is_some()).count()
}

fn has(sentence: &TokenizedLine<'_>, marks: &[&str]) -> bool {
    spoken(sentence).any(|piece| marks.iter().any(|mark| piece.text.contains(mark)))
}

fn begins(sentence: &TokenizedLine<'_>, word: &str) -> bool {
    sentence.pieces.first().is_some_and(|piece| piece.text == word)
}

fn is_alone(sentence: &TokenizedLine<'_>, marks: &Marks) -> bool {
    sentence.pieces.len() <= 2 && spoken(sentence).next().is_some_and(|piece| marks.alone.contains(&piece.text))
}

fn lessened(sentence: &TokenizedLine<'_>, weight: f32) -> f32 {
    if sentence.operators { weight * 0.4 } else { weight }
}

/// Particles behind other words; names have few.
fn particles(sentence: &TokenizedLine<'_>, marks: &Marks) -> usize {
    let after =
        |piece: &Token<'_>, mark: &str| piece.text.match_indices(mark).any(|(at, _)| at > 0) || piece.text == mark;
    marks.small.iter().filter(|mark| spoken(sentence).any(|piece| after(piece, mark))).count()
}

/// Whether a particle joins words in another script to the rest: `git の直前`, `README を`. A name that begins with the
/// same character continues in the same script (`はじめに`).
fn is_joined(sentence: &TokenizedLine<'_>, marks: &Marks) -> bool {
    spoken(sentence).any(|piece| {
        let begins = |mark: &&&str| {
            piece
                .text
                .strip_prefix(**mark)
                .is_some_and(|rest| !rest.starts_with(|letter| ('\u{3041}'..='\u{309f}').contains(&letter)))
        };
        marks.small.iter().any(|mark| begins(&mark)) && (piece.text.chars().count() > 1 || sentence.pieces.len() > 2)
    })
}

/// Characters that form no word, or a program when the keys are read as Latin ones.
fn is_mistyped(sentence: &TokenizedLine<'_>) -> bool {
    let is_laughter = |letter| matches!(letter, 'ㅋ' | 'ㅎ' | 'ㅠ' | 'ㅜ' | 'ㅇ');
    let is_loose = |letter: char| ('\u{3130}'..='\u{318f}').contains(&letter) && !is_laughter(letter);
    if spoken(sentence).any(|piece| piece.text.contains(is_loose)) {
        return true;
    }
    let first = sentence.pieces.first().map(|piece| piece.text).unwrap_or_default();
    keyboard_keys::latin(first).is_some_and(|meant| word_lists::program(&meant).is_some())
}
