//! Values in words: sizes, times, patterns, fields, signals. Each function returns `None` for what it does not
//! understand.

use crate::explain::{mode, script};

/// Replaces `{}` with the value and `{size}` with the value in words. `None` when the value is not understood; the
/// caller then uses shorter wording.
pub fn fill(phrase: &str, value: &str) -> Option<String> {
    let Some((before, rest)) = phrase.split_once('{') else { return Some(phrase.to_owned()) };
    let (kind, after) = rest.split_once('}')?;
    let filled = match kind {
        "" => value.to_owned(),
        "size" => size(value)?,
        "days" => ago(value, "day")?,
        "minutes" => ago(value, "minute")?,
        "times" => ago(value, "time")?,
        "glob" => glob(value).unwrap_or_else(|| format!("fit {value}")),
        "mode" => permissions(value)?,
        "fields" => fields(value)?,
        "separator" => separator(value),
        "key" => key(value)?,
        "head" => head(value)?,
        "tail" => tail(value)?,
        "signal" => signal(value).unwrap_or_else(|| value.to_owned()),
        "range" => range(value)?,
        "levels" => count(value, "level")?,
        "lines" => count(value, "line")?,
        "items" => count(value, "item")?,
        "commits" => count(value, "commit")?,
        "seconds" => duration(value)?,
        "publish" => publish(value)?,
        "volume" => volume(value)?,
        "forward" => forward(value)?,
        "sed" => script::sed(value).unwrap_or_else(|| value.to_owned()),
        "type" => match value {
            "f" | "file" => "files".to_owned(),
            "d" | "directory" => "directories".to_owned(),
            "l" | "symlink" => "links".to_owned(),
            "x" | "executable" => "programs".to_owned(),
            "s" => "sockets".to_owned(),
            "p" => "pipes".to_owned(),
            "b" => "block devices".to_owned(),
            "c" => "character devices".to_owned(),
            other => other.to_owned(),
        },
        _ => return None,
    };
    Some(format!("{before}{filled}{}", fill(after, value)?))
}

pub fn count(value: &str, what: &str) -> Option<String> {
    let number: u64 = value.parse().ok()?;
    Some(if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") })
}

/// `+100M` of find.
pub fn size(value: &str) -> Option<String> {
    let (relation, rest) = match value.split_at_checked(1)? {
        ("+", rest) => ("larger than ", rest),
        ("-", rest) => ("smaller than ", rest),
        _ => ("of exactly ", value),
    };
    let end = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
    let (number, unit) = rest.split_at(end);
    let number: u64 = number.parse().ok()?;
    let unit = match unit {
        "c" if number == 1 => " byte",
        "c" => " bytes",
        "k" => " kB",
        "M" => " MB",
        "G" => " GB",
        "T" => " TB",
        "b" | "" => " blocks of 512 bytes",
        _ => return None,
    };
    Some(format!("{relation}{number}{unit}"))
}

/// `+7` of `find -mtime`.
fn ago(value: &str, unit: &str) -> Option<String> {
    let (sign, rest) = match value.split_at_checked(1)? {
        (sign @ ("+" | "-"), rest) => (sign, rest),
        _ => ("", value),
    };
    let number: u64 = rest.parse().ok()?;
    let many = if number == 1 { format!("1 {unit}") } else { format!("{number} {unit}s") };
    if unit == "time" {
        return Some(match sign {
            "+" => format!("more than {number}"),
            "-" => format!("fewer than {number}"),
            _ => format!("exactly {number}"),
        });
    }
    Some(match (sign, number) {
        ("+", _) => format!("more than {many} ago"),
        ("-", 1) => format!("within the last {unit}"),
        ("-", _) => format!("within the last {many}"),
        (_, 0) => format!("within the last {unit}"),
        (_, _) => format!("{many} ago"),
    })
}

/// A verb phrase about the matching names: `end in .log`.
pub fn glob(pattern: &str) -> Option<String> {
    let plain = |text: &str| !text.is_empty() && !text.contains(['*', '?', '[', '{']);
    if pattern == "*" {
        return Some("are anything".to_owned());
    }
    if plain(pattern) {
        return Some(format!("are {pattern}"));
    }
    if let Some(middle) = pattern.strip_prefix('*').and_then(|rest| rest.strip_suffix('*'))
        && plain(middle)
    {
        return Some(format!("contain {middle}"));
    }
    if let Some(end) = pattern.strip_prefix('*').filter(|end| plain(end)) {
        return Some(format!("end in {end}"));
    }
    if let Some(start) = pattern.strip_suffix('*').filter(|start| plain(start)) {
        return Some(format!("begin with {start}"));
    }
    let (start, end) = pattern.split_once('*')?;
    (plain(start) && plain(end)).then(|| format!("begin with {start} and end in {end}"))
}

/// Of `find -perm`.
fn permissions(value: &str) -> Option<String> {
    match value.split_at_checked(1)? {
        ("-", rest) => Some(format!("with at least the permissions {rest}")),
        ("/" | "+", rest) => Some(format!("with any of the permissions {rest}")),
        _ => mode::words(value).map(|words| format!("with exactly the permissions {value}: {words}")),
    }
}

/// `1,3-5` of cut.
fn fields(value: &str) -> Option<String> {
    let parts: Option<Vec<String>> = value.split(',').map(field).collect();
    let parts = parts?;
    let several = parts.len() > 1 || value.contains('-');
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    Some(format!("{}{}", if several { "s " } else { " " }, mode::join(&parts)?))
}

fn field(part: &str) -> Option<String> {
    let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match part.split_once('-') {
        None => number(part).then(|| part.to_owned()),
        Some(("", to)) => number(to).then(|| format!("1 to {to}")),
        Some((from, "")) => number(from).then(|| format!("{from} and all that follow")),
        Some((from, to)) => (number(from) && number(to)).then(|| format!("{from} to {to}")),
    }
}

pub fn separator(value: &str) -> String {
    match value {
        "," => "commas".to_owned(),
        ":" => "colons".to_owned(),
        ";" => "semicolons".to_owned(),
        " " => "blanks".to_owned(),
        "\t" | "\\t" => "tabs".to_owned(),
        "|" => "bars (|)".to_owned(),
        "\n" | "\\n" => "new lines".to_owned(),
        "\0" | "\\0" => "zero bytes".to_owned(),
        "/" => "slashes".to_owned(),
        "=" => "equal signs".to_owned(),
        "" => "nothing".to_owned(),
        other => format!("\u{201c}{other}\u{201d}"),
    }
}

/// `2,2nr` of sort.
fn key(value: &str) -> Option<String> {
    let letters = value.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == ',' || letter == '.');
    let places = value.get(..value.len() - letters.len())?;
    let mut words = match places.split_once(',') {
        Some((from, to)) if from == to => format!("field {from}"),
        Some((from, to)) => format!("fields {from} to {to}"),
        None => format!("field {places} and what follows"),
    };
    if places.is_empty() || places.ends_with(',') {
        return None;
    }
    for letter in letters.chars() {
        words.push_str(match letter {
            'n' => ", as numbers",
            'h' => ", as sizes like 2K",
            'r' => ", largest or last first",
            'V' => ", as versions",
            'f' => ", ignoring case",
            'M' => ", as months",
            'g' => ", as numbers, 1e3 too",
            'b' => ", ignoring blanks before it",
            'd' => ", by letters and digits only",
            _ => return None,
        });
    }
    Some(words)
}

fn head(value: &str) -> Option<String> {
    match value.strip_prefix('-') {
        Some(rest) => Some(format!("all but the last {}", count(rest, "line")?)),
        None if value == "1" => Some("only the first line".to_owned()),
        None => Some(format!("only the first {}", count(value, "line")?)),
    }
}

fn tail(value: &str) -> Option<String> {
    match value.strip_prefix('+') {
        Some(rest) => rest.parse::<u64>().ok().map(|_| format!("everything from line {rest} on")),
        None if value.trim_start_matches('-') == "1" => Some("only the last line".to_owned()),
        None => Some(format!("only the last {}", count(value.trim_start_matches('-'), "line")?)),
    }
}

const SIGNALS: [(&str, &str, &str); 12] = [
    ("1", "HUP", "hang up, often: read the settings again"),
    ("2", "INT", "interrupt, as Ctrl-C does"),
    ("3", "QUIT", "end with a core dump"),
    ("6", "ABRT", "abort"),
    ("9", "KILL", "end at once; it cannot refuse"),
    ("10", "USR1", "whatever the program makes of it"),
    ("12", "USR2", "whatever the program makes of it"),
    ("13", "PIPE", "nobody reads any more"),
    ("15", "TERM", "end, politely"),
    ("18", "CONT", "go on after a pause"),
    ("19", "STOP", "pause"),
    ("20", "TSTP", "pause, as Ctrl-Z does"),
];

pub fn signal(value: &str) -> Option<String> {
    let upper = value.to_ascii_uppercase();
    let name = upper.strip_prefix("SIG").unwrap_or(&upper);
    if name == "0" {
        return Some("nothing is sent, only whether it could be".to_owned());
    }
    let found = SIGNALS.iter().find(|(number, known, _)| *number == name || *known == name);
    found.map(|(_, known, about)| format!("{known}: {about}"))
}

/// `10,20` of `git log -L` and the like.
fn range(value: &str) -> Option<String> {
    let (from, to) = value.split_once([',', '-', ':'])?;
    Some(format!("{from} to {to}"))
}

/// `10s`, `5m`, `1h30m`, `10`.
pub fn duration(value: &str) -> Option<String> {
    let end = value.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(value.len());
    let (number, unit) = value.split_at(end);
    let unit = match unit {
        "" | "s" => "second",
        "m" => "minute",
        "h" => "hour",
        "d" => "day",
        _ => return None,
    };
    if number.is_empty() {
        return None;
    }
    Some(if number == "1" { format!("1 {unit}") } else { format!("{number} {unit}s") })
}

/// `8080:80` of docker.
fn publish(value: &str) -> Option<String> {
    let mut parts: Vec<&str> = value.split(':').collect();
    let inner = parts.pop()?;
    let outer = parts.pop()?;
    let address = parts.pop().unwrap_or("this machine");
    parts.is_empty().then(|| format!("port {outer} of {address} leads to port {inner} of the container"))
}

/// `src:/app:ro` of docker.
fn volume(value: &str) -> Option<String> {
    let parts: Vec<&str> = value.split(':').collect();
    let (from, to, rest) = match parts.as_slice() {
        [from, to] => (from, to, ""),
        [from, to, options] if options.split(',').any(|option| option == "ro") => (from, to, ", only to be read"),
        [from, to, _] => (from, to, ""),
        _ => return None,
    };
    let volume = if from.starts_with(['/', '.', '~', '$']) { "" } else { "the volume " };
    Some(format!("{volume}{from} is seen in the container as {to}{rest}"))
}

/// `8080:localhost:80` of ssh.
fn forward(value: &str) -> Option<String> {
    let parts: Vec<&str> = value.split(':').collect();
    match parts.as_slice() {
        [port, host, there] | [_, port, host, there] => Some(format!("port {port} leads to port {there} of {host}")),
        _ => None,
    }
}

/// `%F %T` of date.
pub fn date_format(format: &str) -> Option<String> {
    let mut words = Vec::new();
    let mut letters = format.chars();
    while let Some(letter) = letters.next() {
        if letter != '%' {
            continue;
        }
        words.push(match letters.find(|letter| !matches!(letter, '-' | '_' | '0' | ':'))? {
            'F' => "date as 2030-12-31",
            'T' => "time as 23:59:59",
            'R' => "time as 23:59",
            'Y' => "year",
            'y' => "year, two digits",
            'm' => "month",
            'd' | 'e' => "day",
            'H' => "hour",
            'I' => "hour of 12",
            'M' => "minute",
            'S' => "second",
            'N' => "nanosecond",
            's' => "seconds since 1970",
            'a' | 'A' => "weekday",
            'b' | 'B' | 'h' => "name of the month",
            'j' => "day of the year",
            'u' | 'w' => "number of the weekday",
            'V' | 'U' | 'W' => "week",
            'Z' | 'z' => "time zone",
            'p' => "AM or PM",
            'D' => "date as 12/31/30",
            _ => continue,
        });
    }
    (!words.is_empty()).then(|| words.join(", "))
}

/// `user@host:path`, `host:path`
pub fn remote(value: &str) -> Option<String> {
    let (machine, path) = value.split_once(':')?;
    if machine.is_empty() || machine.contains('/') || path.starts_with("//") {
        return None;
    }
    let path = if path.is_empty() { "the home directory".to_owned() } else { path.to_owned() };
    Some(format!("{path} on {}", host(machine)))
}

pub fn host(value: &str) -> String {
    match value.split_once('@') {
        Some((user, host)) => format!("the machine {host}, as {user}"),
        None => format!("the machine {value}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hits() {
        for (phrase, value, expected) in [
            ("{size}", "+100M", "larger than 100 MB"),
            ("{size}", "-1k", "smaller than 1 kB"),
            ("{size}", "0", "of exactly 0 blocks of 512 bytes"),
            ("changed {days}", "+7", "changed more than 7 days ago"),
            ("changed {days}", "-1", "changed within the last day"),
            ("changed {minutes}", "-60", "changed within the last 60 minutes"),
            ("whose names {glob}", "*.log", "whose names end in .log"),
            ("whose names {glob}", "a*b", "whose names begin with a and end in b"),
            ("whose names {glob}", "[ab]*", "whose names fit [ab]*"),
            ("{mode}", "-4000", "with at least the permissions 4000"),
            ("field{fields}", "1,3-5", "fields 1 and 3 to 5"),
            ("field{fields}", "2", "field 2"),
            ("field{fields}", "3-", "fields 3 and all that follow"),
            ("separated by {separator}", ":", "separated by colons"),
            ("by {key}", "2,2nr", "by field 2, as numbers, largest or last first"),
            ("{head}", "20", "only the first 20 lines"),
            ("{head}", "-2", "all but the last 2 lines"),
            ("{tail}", "+2", "everything from line 2 on"),
            ("{signal}", "SIGKILL", "KILL: end at once; it cannot refuse"),
            ("{seconds}", "1.5h", "1.5 hours"),
            ("{publish}", "8080:80", "port 8080 of this machine leads to port 80 of the container"),
            ("{volume}", "$PWD:/app:ro", "$PWD is seen in the container as /app, only to be read"),
            ("{forward}", "8080:localhost:80", "port 8080 leads to port 80 of localhost"),
            ("{} and {}", "x", "x and x"),
        ] {
            assert_eq!(fill(phrase, value).as_deref(), Some(expected), "{phrase} {value}");
        }
        assert_eq!(date_format("%Y-%m-%d").as_deref(), Some("year, month, day"));
        assert_eq!(remote("me@host:/srv").as_deref(), Some("/srv on the machine host, as me"));
    }

    #[test]
    fn misses() {
        for (phrase, value) in [
            ("{size}", "x"),
            ("{size}", ""),
            ("{days}", "ü"),
            ("{key}", "2q"),
            ("{head}", "-"),
            ("{nothing}", "1"),
            ("{", ""),
        ] {
            assert_eq!(fill(phrase, value), None, "{phrase} {value}");
        }
        assert_eq!(remote("./a:b"), None);
        assert_eq!(remote("https://x"), None);
    }
}
