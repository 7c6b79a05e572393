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
    let Some(counted) = hint(old).or_else(|| hint(name)) else {
        return Err("it does not say what it counts; write the number alone, as it is to stand there".to_owned());
    };
    let value: u64 = number.parse().map_err(|_| "only a whole number can be put there".to_owned())?;
    let total = value.checked_mul(wanted.milliseconds()).ok_or("the number is too large")?;
    match total % counted.milliseconds() {
        0 => Ok((total / counted.milliseconds()).to_string()),
        _ => Err("it counts in a larger unit".to_owned()),
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
        "hour" => Measure::Hour,
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
        assert!(number("30", "timeout", "10", "seconds").is_err());
        assert!(number("1", "hours", "10", "minutes").is_err());
    }
}
