//! Numbers with a unit: `set the timeout to 10 seconds`, where the file counts milliseconds, or writes `10s`.

/// The number, or the text with the unit, that stands for the request's in the place of the old value. The error says why there is none.
pub fn number(old: &str, name: &str, number: &str, unit: &str) -> Result<String, String> {
    let Some(wanted) = seconds(unit) else {
        // Bytes, lines and times have no other measure.
        return Ok(number.to_owned());
    };
    let bare = old.trim_matches(['"', '\'']);
    let digits = bare.len() - bare.trim_start_matches(|letter: char| letter.is_ascii_digit()).len();
    let behind = bare.get(digits..).unwrap_or_default();
    // `30s`, `5m`: the unit is written, so the new one is too.
    if digits > 0 && ["ms", "s", "m", "h", "d"].contains(&behind) {
        let short = match wanted {
            Measure::Millisecond => "ms",
            Measure::Second => "s",
            Measure::Minute => "m",
            Measure::Hour => "h",
            Measure::Day => "d",
        };
        return Ok(format!("{number}{short}"));
    }
    let value: u64 = number.parse().map_err(|_| "only a whole number can be put there".to_owned())?;
    let total = value.checked_mul(wanted.milliseconds()).ok_or("the number is too large")?;
    if let Some(product) = product(old, value, wanted, hint(name)) {
        return Ok(product);
    }
    let counted = hint(old).or_else(|| hint(name)).or_else(|| by_size(old, name));
    let Some(counted) = counted else {
        return Err("it does not say what it counts; write the number alone, as it is to stand there".to_owned());
    };
    match total % counted.milliseconds() {
        0 => Ok((total / counted.milliseconds()).to_string()),
        _ => Err("it counts in a larger unit".to_owned()),
    }
}

/// The number and the unit of `30s`, `500ms`, `2h`; `None` for any other text.
pub fn split(text: &str) -> Option<(&str, &'static str)> {
    let digits = text.len() - text.trim_start_matches(|letter: char| letter.is_ascii_digit()).len();
    let unit = match text.get(digits..)? {
        "ms" | "msec" | "msecs" => "milliseconds",
        "s" | "sec" | "secs" => "seconds",
        "m" | "min" | "mins" => "minutes",
        "h" | "hr" | "hrs" => "hours",
        "d" => "days",
        _ => return None,
    };
    Some((text.get(..digits).filter(|number| !number.is_empty())?, unit))
}

/// `15 * 60 * 1000` for 30 minutes: the first factor counts what the others make of it.
fn product(old: &str, value: u64, wanted: Measure, named: Option<Measure>) -> Option<String> {
    let factors: Vec<&str> = old.split('*').map(str::trim).collect();
    let numbers: Option<Vec<u64>> = factors.iter().map(|factor| factor.replace('_', "").parse().ok()).collect();
    let numbers = numbers.filter(|numbers| numbers.len() > 1)?;
    let rest: u64 = numbers.get(1..)?.iter().product();
    // In milliseconds, or in seconds where the name or the size of the number says so.
    let counted = named.unwrap_or(if rest.is_multiple_of(1_000) { Measure::Millisecond } else { Measure::Second });
    (rest * counted.milliseconds() == wanted.milliseconds()).then_some(())?;
    let first = factors.first()?;
    Some(old.replacen(first, &value.to_string(), 1))
}

/// A bare timeout or interval of a thousand and more counts milliseconds; a small one counts seconds.
fn by_size(old: &str, name: &str) -> Option<Measure> {
    let lower = name.to_lowercase();
    let is_time = ["timeout", "interval", "delay", "ttl", "period", "wait", "expir", "duration", "backoff", "refresh"];
    let number: u64 = old.replace('_', "").parse().ok()?;
    let is_time = is_time.iter().any(|word| lower.contains(word));
    match number {
        _ if !is_time => None,
        1_000.. if number.is_multiple_of(100) => Some(Measure::Millisecond),
        1..=120 => Some(Measure::Second),
        _ => None,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Measure {
    Millisecond,
    Second,
    Minute,
    Hour,
    Day,
}

impl Measure {
    fn milliseconds(self) -> u64 {
        match self {
            Measure::Millisecond => 1,
            Measure::Second => 1_000,
            Measure::Minute => 60_000,
            Measure::Hour => 3_600_000,
            Measure::Day => 86_400_000,
        }
    }
}

fn seconds(unit: &str) -> Option<Measure> {
    Some(match unit.to_lowercase().trim_end_matches('s') {
        "m" | "millisecond" => Measure::Millisecond,
        "second" | "sec" => Measure::Second,
        "minute" | "min" => Measure::Minute,
        "hour" | "hr" => Measure::Hour,
        "day" => Measure::Day,
        _ => return None,
    })
}

/// What a name or an expression says that it counts: `timeout_ms`, `30 * time.Second`, `Duration::from_secs(5)`.
fn hint(text: &str) -> Option<Measure> {
    let mut words = Vec::new();
    let mut word = String::new();
    for letter in text.chars() {
        if !letter.is_alphabetic() || letter.is_uppercase() && word.chars().any(char::is_lowercase) {
            words.push(std::mem::take(&mut word));
        }
        if letter.is_alphabetic() {
            word.push(letter);
        }
    }
    words.push(word);
    words.iter().find_map(|word| match word.to_lowercase().as_str() {
        "ms" | "millis" | "milliseconds" | "millisecond" | "msec" => Some(Measure::Millisecond),
        "seconds" | "second" | "secs" | "sec" => Some(Measure::Second),
        "minutes" | "minute" | "mins" => Some(Measure::Minute),
        "hours" | "hour" => Some(Measure::Hour),
        "days" | "day" => Some(Measure::Day),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_becomes_that_of_the_file() {
        for (old, name, value, unit, expected) in [
            ("5000", "TIMEOUT_MS", "10", "seconds", "10000"),
            ("30", "timeoutSeconds", "2", "minutes", "120"),
            ("30 * time.Second", "interval", "60", "seconds", "60"),
            ("\"30s\"", "timeout", "2", "minutes", "2m"),
            ("21", "LOAN_DAYS", "28", "days", "28"),
            ("80", "width", "100", "characters", "100"),
        ] {
            assert_eq!(number(old, name, value, unit).as_deref(), Ok(expected), "{name}");
        }
        assert_eq!(number("30", "timeout", "10", "seconds").as_deref(), Ok("10"));
        assert_eq!(number("5000", "requestTimeout", "10", "seconds").as_deref(), Ok("10000"));
        assert_eq!(number("15 * 60 * 1000", "SESSION_TTL_MS", "30", "minutes").as_deref(), Ok("30 * 60 * 1000"));
        assert_eq!(number("15 * 60", "ttl", "30", "minutes").as_deref(), Ok("30 * 60"));
        assert!(number("15 * 60 * 1000", "ttl", "30", "seconds").is_err());
        assert_eq!(split("30s"), Some(("30", "seconds")));
        assert_eq!(split("3x"), None);
        assert!(number("300", "limit", "10", "seconds").is_err());
        assert!(number("1", "hours", "10", "minutes").is_err());
    }
}
