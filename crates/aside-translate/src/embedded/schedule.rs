//! Recurring times as cron fields: `every day at 3am` is `0 3 * * *`.

use crate::embedded::analysis::AnalyzedQuery;
use crate::embedded::entities::{Entity, Time, Unit};

/// The five fields, and the words they were read from.
pub fn find(reading: &AnalyzedQuery<'_>) -> Option<(String, Vec<usize>)> {
    let low = |place: usize| reading.words.get(place).map_or("", |word| word.low.as_str());
    let mut words = Vec::new();
    let mut clock = None;
    let mut span = None;
    let mut weekday = None;
    for (place, word) in reading.words.iter().enumerate() {
        let before = place.checked_sub(1).map_or("", &low);
        let text = word.low.as_str();
        if let Some(time) = time_of_day(text, before) {
            clock = Some(time);
        } else if let Some(day) = day_of_week(text) {
            weekday = Some(day);
        } else if let Some(often) = said(text, before) {
            span = Some(often);
        } else if let (Some(Entity::Time(Time::Ago { amount, unit })), "every" | "each" | "每") = (&word.thing, before)
        {
            span = Some(every(*amount, *unit)?);
        } else if text == "every" || text == "each" || text == "每" {
            // Means nothing without what comes after it.
        } else {
            continue;
        }
        words.push(place);
    }
    let (hour, minute) = clock.unwrap_or((0, 0));
    let fields = match (span, weekday) {
        (None, Some(day)) => format!("{minute} {hour} * * {day}"),
        (Some(Often::Days), day) => format!("{minute} {hour} * * {}", day.unwrap_or("*")),
        (Some(Often::Weeks), day) => format!("{minute} {hour} * * {}", day.unwrap_or("0")),
        (Some(Often::Months), _) => format!("{minute} {hour} 1 * *"),
        (Some(Often::Weekdays), _) => format!("{minute} {hour} * * 1-5"),
        (Some(Often::Minutes(1)), _) => "* * * * *".to_owned(),
        (Some(Often::Minutes(minutes)), _) => format!("*/{minutes} * * * *"),
        (Some(Often::Hours(1)), _) => format!("{minute} * * * *"),
        (Some(Often::Hours(hours)), _) => format!("{minute} */{hours} * * *"),
        // A time alone refers to one day, and cron only has recurring times.
        (None, None) => return None,
    };
    Some((fields, words))
}

enum Often {
    Minutes(u64),
    Hours(u64),
    Days,
    Weekdays,
    Weeks,
    Months,
}

fn said(text: &str, before: &str) -> Option<Often> {
    let is_each = matches!(before, "every" | "each" | "per" | "每");
    Some(match text {
        "minutely" => Often::Minutes(1),
        "hourly" | "每小时" => Often::Hours(1),
        "daily" | "nightly" | "每天" | "每日" | "每晚" => Often::Days,
        "weekly" | "每周" => Often::Weeks,
        "monthly" | "每月" | "每个月" => Often::Months,
        "weekdays" | "工作日" => Often::Weekdays,
        "minute" if is_each => Often::Minutes(1),
        "hour" if is_each => Often::Hours(1),
        "day" | "night" | "morning" | "evening" | "days" if is_each => Often::Days,
        "weekday" if is_each => Often::Weekdays,
        "week" if is_each => Often::Weeks,
        "month" if is_each => Often::Months,
        _ => return None,
    })
}

/// cron counts within an hour or a day, so only divisors of them recur evenly.
fn every(amount: u64, unit: Unit) -> Option<Often> {
    match unit {
        Unit::Minute if (1..60).contains(&amount) => Some(Often::Minutes(amount)),
        Unit::Hour if (1..24).contains(&amount) => Some(Often::Hours(amount)),
        Unit::Day if amount == 1 => Some(Often::Days),
        Unit::Week if amount == 1 => Some(Often::Weeks),
        Unit::Month if amount == 1 => Some(Often::Months),
        _ => None,
    }
}

/// `3am`, `15:30`, `9:30pm`, `midnight`, `at 3`, `3点`.
fn time_of_day(text: &str, before: &str) -> Option<(u32, u32)> {
    match text {
        "midnight" | "午夜" => return Some((0, 0)),
        "noon" | "中午" => return Some((12, 0)),
        _ => {}
    }
    let (digits, half) = match (text.strip_suffix("am"), text.strip_suffix("pm")) {
        (Some(digits), _) => (digits, Some(0)),
        (_, Some(digits)) => (digits, Some(12)),
        _ => (text, None),
    };
    let (hour, minute) = digits.split_once(':').map_or((digits, None), |(hour, minute)| (hour, Some(minute)));
    let is_time = half.is_some() || minute.is_some() || before == "at";
    let hour = hour.parse::<u32>().ok().filter(|_| is_time && hour.len() <= 2)?;
    let minute = minute.map_or(Some(0), |minute| minute.parse().ok().filter(|_| minute.len() == 2))?;
    let hour = match half {
        Some(half) if (1..=12).contains(&hour) => hour % 12 + half,
        Some(_) => return None,
        None => hour,
    };
    (hour < 24 && minute < 60).then_some((hour, minute))
}

fn day_of_week(text: &str) -> Option<&'static str> {
    const DAYS: &[(&str, &str)] = &[
        ("sunday", "0"),
        ("monday", "1"),
        ("tuesday", "2"),
        ("wednesday", "3"),
        ("thursday", "4"),
        ("friday", "5"),
        ("saturday", "6"),
    ];
    let one = text.strip_suffix('s').unwrap_or(text);
    DAYS.iter().find(|(name, _)| *name == one).map(|(_, number)| *number)
}

#[cfg(test)]
mod tests {
    use crate::embedded::fake::Fake;

    #[test]
    fn times_that_come_again_are_lines_of_cron() {
        for (said, expected) in [
            ("every day at 3am", "0 3 * * *"),
            ("daily at 15:30", "30 15 * * *"),
            ("every 5 minutes", "*/5 * * * *"),
            ("every minute", "* * * * *"),
            ("every hour", "0 * * * *"),
            ("hourly", "0 * * * *"),
            ("every 2 hours", "0 */2 * * *"),
            ("every monday at 9:30pm", "30 21 * * 1"),
            ("every weekday at 8am", "0 8 * * 1-5"),
            ("weekly", "0 0 * * 0"),
            ("every month", "0 0 1 * *"),
            ("every night at 12am", "0 0 * * *"),
        ] {
            let command = Fake::default().best(&format!("run deploy.sh {said}"));
            assert!(command.contains(&format!("'{expected}'")), "{said}: {command}");
        }
    }
}
