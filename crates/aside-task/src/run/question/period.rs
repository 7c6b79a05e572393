//! A time in a question, as a run of tokens: `in the last 3 weeks`, `since monday`, `上周`.

use crate::run::reader::tokens::Token;
use crate::run::repository::Period;

const NUMBERS: [&str; 12] =
    ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
const HAN: [&str; 10] = ["一", "二", "三", "四", "五", "六", "七", "八", "九", "十"];
const WEEKDAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/// A number in digits or words.
pub fn number(text: &str) -> Option<usize> {
    let lower = text.to_lowercase();
    let at = |list: &[&str]| list.iter().position(|word| *word == lower).map(|at| at + 1);
    lower.parse().ok().filter(|number| *number < 100_000).or_else(|| at(&NUMBERS)).or_else(|| at(&HAN)).or(match text {
        "两" => Some(2),
        "couple" => Some(2),
        _ => None,
    })
}

/// The time that begins at a token, and how many tokens it takes.
pub fn period(all: &[Token], at: usize) -> Option<(Period, usize)> {
    let word = |offset: usize| all.get(at + offset).map(|token| token.text.to_lowercase()).unwrap_or_default();
    let fixed: [(&[&str], Period); 20] = [
        (&["today"], Period::Days { from: 0, to: 0 }),
        (&["yesterday"], Period::Days { from: 1, to: 1 }),
        (&["since", "yesterday"], Period::Days { from: 1, to: 0 }),
        (&["this", "week"], Period::ThisWeek),
        (&["last", "week"], Period::LastWeek),
        (&["past", "week"], Period::Days { from: 6, to: 0 }),
        (&["this", "month"], Period::ThisMonth),
        (&["last", "month"], Period::LastMonth),
        (&["past", "month"], Period::Days { from: 30, to: 0 }),
        (&["this", "year"], Period::Days { from: 365, to: 0 }),
        (&["lately"], Period::Days { from: 30, to: 0 }),
        (&["recently"], Period::Days { from: 30, to: 0 }),
        (&["本", "周"], Period::ThisWeek),
        (&["这", "周"], Period::ThisWeek),
        (&["上", "周"], Period::LastWeek),
        (&["本", "月"], Period::ThisMonth),
        (&["这", "个", "月"], Period::ThisMonth),
        (&["上", "个", "月"], Period::LastMonth),
        (&["今", "天"], Period::Days { from: 0, to: 0 }),
        (&["昨", "天"], Period::Days { from: 1, to: 1 }),
    ];
    let fits = |words: &[&str]| words.iter().enumerate().all(|(offset, known)| word(offset) == *known);
    let longest = fixed.iter().filter(|(words, _)| fits(words)).max_by_key(|(words, _)| words.len());
    if let Some((words, period)) = longest {
        return Some((*period, words.len()));
    }
    let skips =
        ["in", "within", "during", "over", "for", "since", "the", "last", "past", "previous", "最", "近", "过", "去"];
    let before = (0..5).take_while(|offset| skips.contains(&word(*offset).as_str())).count();
    if before > 0 && word(before - 1) != "the" && WEEKDAYS.contains(&word(before).as_str()) {
        let day = WEEKDAYS.iter().position(|day| *day == word(before))?;
        return Some((Period::Weekday(u8::try_from(day).ok()?), before + 1));
    }
    let (many, after) = match number(&word(before)) {
        Some(many) => (many, before + 1),
        None if before > 1 => (1, before),
        None => return None,
    };
    let after = after + usize::from(["个", "of"].contains(&word(after).as_str()));
    let days = match word(after).trim_end_matches('s') {
        "day" | "天" => many,
        "week" | "周" | "星" => (many * 7).saturating_sub(1),
        "month" | "月" => many * 31,
        "year" | "年" => many * 365,
        "hour" | "小" => many / 24,
        _ => return None,
    };
    // The second letter of 星期 and 小时.
    let len = after + 1 + usize::from(["ago", "期", "时"].contains(&word(after + 1).as_str()));
    Some((Period::Days { from: u64::try_from(days).ok()?, to: 0 }, len))
}
