//! Arithmetic in words and signs: `12 plus 30`, `3 * 4 + 5`, `15% of 240`. The result contains only digits and signs.

use crate::embedded::analysis::AnalyzedQuery;

/// Operators and numbers of an expression; users do not type longer ones.
const MAX_PIECES: usize = 40;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Number,
    Sign,
}

/// The longest expression from the first number on, in awk's syntax, and the words it takes.
pub fn find(reading: &AnalyzedQuery<'_>) -> Option<(String, Vec<usize>)> {
    (0..reading.words.len()).find_map(|start| from(reading, start))
}

fn from(reading: &AnalyzedQuery<'_>, start: usize) -> Option<(String, Vec<usize>)> {
    let low = |place: usize| reading.words.get(place).map_or("", |word| word.low.as_str());
    let mut pieces: Vec<(Kind, String)> = Vec::new();
    let mut words = Vec::new();
    let mut at = start;
    while at < reading.words.len() && pieces.len() < MAX_PIECES {
        let wants = match pieces.last() {
            None | Some((Kind::Sign, _)) => Kind::Number,
            Some((Kind::Number, _)) => Kind::Sign,
        };
        let found = match wants {
            Kind::Number => joined(low(at)).map(|inner| (inner, 1)),
            Kind::Sign => sign(&low, at).map(|(sign, taken)| (vec![(Kind::Sign, sign.to_owned())], taken)),
        };
        let Some((inner, taken)) = found else { break };
        pieces.extend(inner);
        words.extend(at..at + taken);
        at += taken;
    }
    let is_whole = matches!(pieces.last(), Some((Kind::Number, _)));
    let signs = pieces.iter().filter(|(kind, _)| *kind == Kind::Sign).count();
    if !is_whole || signs == 0 {
        return None;
    }
    let texts: Vec<&str> = pieces.iter().map(|(_, text)| text.as_str()).collect();
    Some((texts.join(" "), words))
}

/// An operator of one or more words, and how many.
fn sign<'a>(low: &impl Fn(usize) -> &'a str, at: usize) -> Option<(&'static str, usize)> {
    let phrase = [low(at), low(at + 1), low(at + 2), low(at + 3)];
    Some(match phrase {
        ["to", "the", "power", "of"] => ("^", 4),
        ["multiplied" | "times", "by", ..] => ("*", 2),
        ["divided", "by", ..] => ("/", 2),
        ["plus" | "+" | "加" | "加上", ..] => ("+", 1),
        ["minus" | "-" | "减" | "减去", ..] => ("-", 1),
        ["times" | "x" | "*" | "×" | "乘" | "乘以" | "of", ..] => ("*", 1),
        ["/" | "÷" | "over" | "除以", ..] => ("/", 1),
        ["^" | "**", ..] => ("^", 1),
        ["mod" | "modulo" | "%", ..] => ("%", 1),
        _ => return None,
    })
}

/// A number, a percentage, or an expression written without blanks: `12`, `15%`, `3*4+5`.
fn joined(word: &str) -> Option<Vec<(Kind, String)>> {
    if let Some(percent) = word.strip_suffix('%').filter(|text| is_number(text)) {
        return Some(vec![(Kind::Number, format!("{percent} / 100"))]);
    }
    let mut pieces = Vec::new();
    let mut rest = word;
    loop {
        let end = rest.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(rest.len());
        let (number, after) = rest.split_at(end);
        if !is_number(number) {
            return None;
        }
        pieces.push((Kind::Number, number.to_owned()));
        let Some(sign) = after.chars().next() else { return Some(pieces) };
        if !matches!(sign, '+' | '-' | '*' | '/' | '^') {
            return None;
        }
        pieces.push((Kind::Sign, sign.to_string()));
        rest = &after[1..];
    }
}

fn is_number(text: &str) -> bool {
    text.len() <= 15 && text.bytes().any(|byte| byte.is_ascii_digit()) && text.parse::<f64>().is_ok_and(f64::is_finite)
}
