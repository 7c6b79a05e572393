//! Explains the shell's own syntax: operators between commands, redirections, assignments, expansions in a word. Knows
//! no commands.

use std::ops::Range;

use shell_line::{Assignment, Dialect, Redirect, Redirection};

use crate::explain::{mode, value};

/// Position of a gap relative to the commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GapPosition {
    Before,
    /// After the last command.
    Last,
}

/// An operator or reserved word between commands.
pub struct Sign {
    /// Byte range in the gap.
    pub span: Range<usize>,
    pub about: String,
    /// What it says about the command that follows, for the summary sentence.
    pub leads: Option<String>,
}

impl Sign {
    fn new(span: Range<usize>, about: impl Into<String>) -> Self {
        Self { span, about: about.into(), leads: None }
    }

    fn leading(span: Range<usize>, about: impl Into<String>, leads: impl Into<String>) -> Self {
        Self { span, about: about.into(), leads: Some(leads.into()) }
    }
}

/// Longest first, so that the longest operator matches.
const OPERATORS: [(&str, &str); 15] = [
    (";;&", "ends this case, and tries the next"),
    (";;", "ends this case"),
    (";&", "goes on with the next case"),
    ("&&", "and if that succeeds"),
    ("||", "or if that fails"),
    ("|&", "feeds its output and its errors to"),
    ("&!", "in the background, and lets go of it"),
    ("&|", "in the background, and lets go of it"),
    ("|", "feeds its output to"),
    (";", "then, whatever came of it"),
    ("&", "in the background, without waiting for it"),
    ("(", "in a shell of their own:"),
    (")", "end of that"),
    ("{", "together:"),
    ("}", "end of that"),
];

/// The operators and reserved words in a gap, in order. Line ends and mere separators are skipped.
pub fn signs(gap: &str, dialect: Dialect, stands: GapPosition) -> Vec<Sign> {
    let mut signs = Vec::new();
    let mut at = 0;
    while let Some(rest) = gap.get(at..).filter(|rest| !rest.is_empty()) {
        let blanks = rest.len() - rest.trim_start().len();
        if blanks > 0 {
            at += blanks;
            continue;
        }
        if rest.starts_with('#') {
            let end = rest.find('\n').unwrap_or(rest.len());
            signs.push(Sign::new(at..at + end, "a comment: nothing of it is run"));
            at += end;
            continue;
        }
        let function = rest.find("()").filter(|end| *end > 0 && rest[..*end].trim().chars().all(is_name));
        if let Some(end) = function {
            let about = format!("makes a function {}, which runs what follows when it is called", rest[..end].trim());
            signs.push(Sign::leading(at..at + end + 2, about, "makes a function that, when it is called,"));
            at += end + 2;
            continue;
        }
        if let Some((length, sign)) = bracketed(rest, at) {
            signs.push(sign);
            at += length;
            continue;
        }
        if let Some((operator, about)) = OPERATORS.iter().find(|(operator, _)| rest.starts_with(operator)) {
            // fish: `for x in y;` and `else;` do not end the statement.
            let within = signs.last().is_some_and(|sign| sign.leads.is_some());
            let silent = *operator == ";" && (within || is_silent(&rest[1..], stands));
            if !silent {
                signs.push(Sign::new(at..at + operator.len(), *about));
            }
            at += operator.len();
            continue;
        }
        let end = rest.find([' ', '\t', '\n', ';', '&', '|', '(', ')']).unwrap_or(rest.len()).max(1);
        let end = rest.ceil_char_boundary(end);
        let length = reserved(&mut signs, rest, at, end, dialect);
        at += length.max(1);
        while !gap.is_char_boundary(at) {
            at += 1;
        }
    }
    signs
}

/// The `;` before `do`, `then`, `done` and fish's `and`, which only the grammar requires.
fn is_silent(rest: &str, stands: GapPosition) -> bool {
    let word = rest.trim_start().split([' ', '\t', '\n', ';']).next().unwrap_or_default();
    (rest.trim().is_empty() && stands == GapPosition::Last)
        || matches!(word, "do" | "then" | "done" | "fi" | "else" | "elif" | "end" | "and" | "or" | "}" | "esac")
}

/// `[[ … ]]` and `(( … ))`.
fn bracketed(rest: &str, at: usize) -> Option<(usize, Sign)> {
    for (open, close, about) in
        [("[[", "]]", "tests whether this is so"), ("((", "))", "reckons with numbers; succeeds unless it is 0")]
    {
        if rest.starts_with(open) {
            let end = rest.find(close).map_or(rest.len(), |end| end + close.len());
            return Some((end, Sign::leading(at..at + end, about, "tests a condition")));
        }
    }
    None
}

/// Consumes a reserved word with what belongs to it, and returns the length.
fn reserved(signs: &mut Vec<Sign>, rest: &str, at: usize, end: usize, dialect: Dialect) -> usize {
    let word = &rest[..end];
    // Up to the end of the word list.
    let head = rest.find([';', '\n']).unwrap_or(rest.len());
    let head = rest.find(" do ").map_or(head, |at| head.min(at));
    let about = match word {
        "for" | "foreach" | "select" => {
            let text = rest[..head].trim_end();
            let (about, leads) = repeated(text);
            signs.push(Sign::leading(at..at + text.len(), about, leads));
            return head;
        }
        "case" | "switch" => {
            let text = rest[..head.max(end)].trim_end();
            let text = text.find(" in").map_or(text, |at| &text[..at + 3]);
            signs.push(Sign::leading(at..at + text.len(), "chooses by what this is", "depending on a value,"));
            return text.len();
        }
        "function" => {
            let text = rest[..rest.find(['{', ';', '\n', '(']).unwrap_or(rest.len())].trim_end();
            let about = "makes a function, which runs what follows when it is called";
            signs.push(Sign::leading(at..at + text.len(), about, "makes a function that, when it is called,"));
            return text.len();
        }
        "while" => ("repeats as long as this succeeds:", "again and again,"),
        "until" => ("repeats until this succeeds:", "again and again until it succeeds,"),
        "if" => ("if this succeeds:", ""),
        "elif" => ("else, if this succeeds:", "otherwise"),
        "then" => ("then", "if that succeeds,"),
        "else" => ("else", "otherwise"),
        "do" => ("each time:", "each time,"),
        "done" | "fi" | "esac" => ("end of that", ""),
        "end" if dialect == Dialect::Fish => ("end of that", ""),
        "begin" if dialect == Dialect::Fish => ("together:", ""),
        "and" if dialect == Dialect::Fish => ("and if that succeeds", ""),
        "or" if dialect == Dialect::Fish => ("or if that fails", ""),
        "!" | "not" => ("succeeds when this fails:", "succeeds when this fails:"),
        "time" => ("says how long this takes:", ""),
        "noglob" | "nocorrect" => ("nothing in it is expanded or corrected:", ""),
        "coproc" => ("runs beside the shell, connected with it:", ""),
        _ => ("", ""),
    };
    if !about.0.is_empty() {
        let sign = Sign::new(at..at + end, about.0);
        signs.push(Sign { leads: Some(about.1.to_owned()).filter(|leads| !leads.is_empty()), ..sign });
    } else if rest[end..].trim_start().starts_with(')') {
        // A case pattern: `*.txt)`.
        let close = rest.find(')').map_or(end, |close| close + 1);
        signs.push(Sign::new(at..at + close, "if it fits this:"));
        return close;
    }
    end
}

fn repeated(text: &str) -> (String, String) {
    let mut words = text.split_whitespace().skip(1);
    let name = words.next().unwrap_or_default();
    if text.contains("((") {
        return ("repeats, counting".to_owned(), "repeatedly, counting".to_owned());
    }
    match words.next() {
        Some("in") => {
            let list = words.collect::<Vec<_>>().join(" ");
            let list = if list.is_empty() { "nothing".to_owned() } else { list };
            (format!("repeats what follows for each of {list}, as ${name}"), format!("for each of {list},"))
        }
        _ => (format!("repeats what follows for each argument, as ${name}"), "for each argument,".to_owned()),
    }
}

/// Whether the text after a command puts it in the background.
pub fn is_background(after: &str) -> bool {
    let after = after.trim_start();
    after.starts_with('&') && !after.starts_with("&&") && !after.starts_with("&>")
}

pub fn assignment(assignment: &Assignment, alone: bool) -> String {
    let name = &assignment.name;
    let value = &assignment.value.value;
    let what = if value.is_empty() { "to nothing".to_owned() } else { format!("to {value}") };
    let until = if alone { "" } else { ", for this command only" };
    format!("sets {name} {what}{until}")
}

pub fn redirection(raw: &str, redirection: &Redirection) -> String {
    let target = redirection.target.as_ref().map_or("", |target| target.value.as_str());
    let digits = raw.bytes().take_while(u8::is_ascii_digit).count();
    let (number, operator) = raw.split_at(digits);
    let both = operator.starts_with('&') || operator.starts_with(">&") && redirection.kind == Redirect::Write;
    let what = match number {
        _ if both => "output and errors",
        "" | "1" => "the output",
        "2" => "errors",
        _ => "what is written there",
    };
    match redirection.kind {
        Redirect::Write if target == "/dev/null" => format!("throws {what} away"),
        Redirect::Append if target == "/dev/null" => format!("throws {what} away"),
        Redirect::Write => format!("writes {what} to {target}, in place of what is in it"),
        Redirect::Append => format!("adds {what} to the end of {target}"),
        Redirect::Read if target == "/dev/null" => "gives it nothing to read".to_owned(),
        Redirect::Read => format!("reads its input from {target}"),
        Redirect::HereDocument => format!("reads the lines that follow, up to {target}"),
        Redirect::HereString => "reads this text as its input".to_owned(),
        Redirect::Descriptor => match (number, target) {
            ("2", "1") => "sends errors where the output goes".to_owned(),
            ("" | "1", "2") => "sends the output where errors go".to_owned(),
            (_, "-") => format!("closes {what}"),
            (_, _) => format!("sends {what} where {target} goes"),
        },
    }
}

/// Variables that every shell has.
const VARIABLES: [(&str, &str); 21] = [
    ("HOME", "your home directory"),
    ("PWD", "this directory"),
    ("OLDPWD", "the directory before this one"),
    ("USER", "your user name"),
    ("LOGNAME", "your user name"),
    ("PATH", "where programs are looked for"),
    ("SHELL", "your shell"),
    ("EDITOR", "your editor"),
    ("HOSTNAME", "the name of this machine"),
    ("HOST", "the name of this machine"),
    ("RANDOM", "a random number"),
    ("TMPDIR", "the directory for temporary files"),
    ("UID", "your user number"),
    ("?", "how the last command ended"),
    ("!", "the process in the background"),
    ("$", "the number of this shell"),
    ("@", "all arguments"),
    ("*", "all arguments"),
    ("#", "the number of arguments"),
    ("0", "the name of the script"),
    ("status", "how the last command ended"),
];

/// Notes on one word. What is substituted behind them is not explained.
const MAX_NOTES: usize = 12;
/// Words that `{a,b}` is spelled out for, and their bytes. More are only counted: each holds all that stands around the braces.
const MAX_SPELLED: usize = 12;
const MAX_SPELLED_BYTES: usize = 400;

/// What the shell substitutes for parts of a word as typed; empty when it changes nothing.
pub fn expansions(raw: &str) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    // Every brace is looked at once, and its end is looked for.
    let mut seen = 0;
    let mut add = |note: String| {
        if notes.len() < MAX_NOTES && !notes.contains(&note) {
            notes.push(note);
        }
    };
    let mut single = false;
    let mut double = false;
    let mut letters = raw.char_indices().peekable();
    let mut glob = false;
    while let Some((at, letter)) = letters.next() {
        let rest = &raw[at + letter.len_utf8()..];
        match letter {
            '\\' if !single => drop(letters.next()),
            '\'' if !double => single = !single,
            '"' if !single => double = !double,
            _ if single => {}
            '`' => {
                add("`…` is replaced by what the command inside prints".to_owned());
                break;
            }
            '$' if rest.starts_with("((") => add("$((…)) is replaced by the number it comes to".to_owned()),
            '$' if rest.starts_with('(') => {
                add("$(…) is replaced by what the command inside prints".to_owned());
                break;
            }
            '$' => {
                let braces = rest.starts_with('{');
                let inner = rest.trim_start_matches('{');
                let special = inner.chars().next().filter(|letter| "?!$@*#".contains(*letter));
                let name: String = match special {
                    Some(special) => special.to_string(),
                    None => inner.chars().take_while(|letter| is_variable(*letter)).collect(),
                };
                if name.is_empty() {
                    continue;
                }
                let written = if braces { format!("${{{name}}}") } else { format!("${name}") };
                let known = VARIABLES.iter().find(|(known, _)| *known == name);
                let about = match known {
                    Some((_, about)) => format!("{written} is {about}"),
                    None if name.bytes().all(|byte| byte.is_ascii_digit()) => format!("{written} is argument {name}"),
                    None => format!("{written} is a variable"),
                };
                add(about);
            }
            '<' | '>' if !double && rest.starts_with('(') => {
                add(match letter {
                    '<' => "<(…) is a file with what the command inside prints".to_owned(),
                    _ => ">(…) is a file that feeds the command inside".to_owned(),
                });
                break;
            }
            '~' if at == 0 && !double => {
                let user: String = rest.chars().take_while(|letter| is_name(*letter)).collect();
                add(if user.is_empty() {
                    "~ is your home directory".to_owned()
                } else {
                    format!("~{user} is the home directory of {user}")
                });
            }
            '{' if !double && seen < MAX_NOTES => {
                seen += 1;
                if let Some(note) = braces(&raw[..at], rest) {
                    add(note);
                }
            }
            '*' | '?' if !double => glob = true,
            '[' if !double && rest.contains(']') => glob = true,
            _ => {}
        }
    }
    if glob {
        add(glob_note(raw));
    }
    notes
}

fn braces(before: &str, rest: &str) -> Option<String> {
    let end = rest.find('}')?;
    let inner = &rest[..end];
    let after = &rest[end + 1..];
    if let Some((from, to)) = inner.split_once("..") {
        let to = to.split("..").next().unwrap_or(to);
        return (inner.len() < MAX_SPELLED_BYTES).then(|| format!("one for each from {from} to {to}"));
    }
    let count = inner.split(',').count();
    let around = before.len().saturating_add(after.len());
    if count > MAX_SPELLED || count.saturating_mul(around).saturating_add(inner.len()) > MAX_SPELLED_BYTES {
        return (count > 1).then(|| format!("stands for {count} words"));
    }
    let words: Vec<String> = inner.split(',').map(|word| format!("{before}{word}{after}")).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    (words.len() > 1).then(|| format!("stands for {}", mode::join(&words).unwrap_or_default()))
}

fn glob_note(raw: &str) -> String {
    // zsh glob qualifiers: `*(.)` are only files, `*(om)` the newest first.
    if let Some((names, qualifiers)) = raw.strip_suffix(')').and_then(|raw| raw.rsplit_once('('))
        && !names.is_empty()
        && !qualifiers.contains('|')
    {
        return format!("{}, as ({qualifiers}) says", glob_note(names));
    }
    let (directory, name) = raw.rsplit_once('/').map_or(("", raw), |(directory, name)| (directory, name));
    let place = match directory {
        "" => "here".to_owned(),
        "**" | "./**" => "here and anywhere below".to_owned(),
        directory if directory.ends_with("/**") => format!("anywhere below {}", directory.trim_end_matches("/**")),
        directory if directory.contains(['*', '?', '[']) => return format!("all names that fit {raw}"),
        directory => format!("in {directory}"),
    };
    match name {
        "*" => format!("everything {place} whose name has no dot at its beginning"),
        "**" => format!("everything {place}, at any depth"),
        name => match value::glob(name) {
            Some(fits) => format!("all names {place} that {fits}"),
            None => format!("all names {place} that fit {name}"),
        },
    }
}

fn is_name(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.')
}

fn is_variable(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

const DAYS: [&str; 8] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// The five fields of a crontab line, or its `@daily`, and the rest of the line.
pub fn schedule(line: &str) -> Option<(&str, &str)> {
    let words: Vec<&str> = line.split_whitespace().take(6).collect();
    let first = *words.first()?;
    let nickname = ["@daily", "@hourly", "@weekly", "@monthly", "@yearly", "@annually", "@midnight", "@reboot"];
    let length = if nickname.contains(&first) {
        first.len()
    } else {
        let fields = words.get(..5)?;
        let fit = |field: &&str| {
            field.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"*/,-".contains(&byte))
                && field.starts_with(|letter: char| letter.is_ascii_digit() || letter == '*')
        };
        // Days and months may be names.
        let named = |field: &&str| fit(field) || (field.len() == 3 && field.chars().all(char::is_alphabetic));
        if !fields.iter().take(3).all(fit) || !fields.iter().skip(3).all(named) || words.len() < 6 {
            return None;
        }
        let last = fields.last()?;
        last.as_ptr() as usize - line.as_ptr() as usize + last.len()
    };
    let (when, rest) = line.split_at_checked(length)?;
    (!rest.trim().is_empty()).then(|| (when, rest.trim_start()))
}

/// The schedule in words.
pub fn times(when: &str) -> String {
    let known = match when {
        "@reboot" => "once after each start of the machine",
        "@hourly" => "every hour",
        "@daily" | "@midnight" => "every day at 00:00",
        "@weekly" => "every Sunday at 00:00",
        "@monthly" => "on the first day of each month at 00:00",
        "@yearly" | "@annually" => "on the first of January at 00:00",
        _ => "",
    };
    if !known.is_empty() {
        return known.to_owned();
    }
    let fields: Vec<&str> = when.split_whitespace().collect();
    let [minute, hour, day, month, weekday] = fields.as_slice() else { return "at set times".to_owned() };
    let clock = match (minute.parse::<u8>(), hour.parse::<u8>()) {
        (Ok(minute), Ok(hour)) => format!("at {hour:02}:{minute:02}"),
        (Ok(0), Err(_)) if *hour == "*" => "every hour".to_owned(),
        (Ok(minute), Err(_)) if *hour == "*" => format!("at minute {minute} of every hour"),
        (Ok(minute), Err(_)) => format!("at minute {minute} of {}", every(hour, "hour", &[])),
        (Err(_), _) => {
            let minutes = every(minute, "minute", &[]);
            if *hour == "*" { minutes } else { format!("{minutes} of {}", every(hour, "hour", &[])) }
        }
    };
    let mut words = vec![clock];
    match (*day, *weekday) {
        ("*", "*")
            if *month == "*" && words.iter().any(|clock| clock.starts_with("at ") && hour.parse::<u8>().is_ok()) =>
        {
            words.insert(0, "every day".to_owned());
        }
        ("*", "*") => {}
        ("*", weekday) => words.push(format!("on {}", every(weekday, "weekday", &DAYS))),
        (day, "*") => words.push(format!("on {} of the month", every(day, "day", &[]))),
        (day, weekday) => words.push(format!(
            "on {} of the month, or on {}",
            every(day, "day", &[]),
            every(weekday, "weekday", &DAYS)
        )),
    }
    if *month != "*" {
        let months: Vec<&str> = std::iter::once("").chain(MONTHS).collect();
        words.push(format!("in {}", every(month, "month", &months)));
    }
    words.join(" ")
}

fn every(field: &str, unit: &str, names: &[&str]) -> String {
    let name = |text: &str| {
        let named = text.parse::<usize>().ok().and_then(|number| names.get(number)).map(|name| (*name).to_owned());
        named.unwrap_or_else(|| text.to_owned())
    };
    let unit_before = if names.is_empty() { format!("{unit} ") } else { String::new() };
    if field == "*" {
        return format!("every {unit}");
    }
    if let Some(step) = field.strip_prefix("*/") {
        return if step == "1" { format!("every {unit}") } else { format!("every {step} {unit}s") };
    }
    if let Some((from, to)) = field.split_once('-') {
        return format!("{unit_before}{} to {}", name(from), name(to));
    }
    let parts: Vec<String> = field.split(',').map(name).collect();
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    format!("{unit_before}{}", mode::join(&parts).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_crontab_say_when() {
        for (line, expected) in [
            ("0 5 * * * backup", "every day at 05:00"),
            ("*/5 * * * * x", "every 5 minutes"),
            ("30 2 * * 1-5 x", "at 02:30 on Monday to Friday"),
            ("0 0 1 * * x", "at 00:00 on day 1 of the month"),
            ("15 * * * * x", "at minute 15 of every hour"),
            ("0 9 * 1,7 * x", "at 09:00 in January and July"),
            ("0 */2 * * * x", "at minute 0 of every 2 hours"),
            ("@daily x", "every day at 00:00"),
        ] {
            let (when, _) = schedule(line).unwrap();
            assert_eq!(times(when), expected, "{line}");
        }
        for line in ["ls -l", "* * * * *", "echo 1 2 3 4 5 6", "", "1 2 3 4", "@daily"] {
            assert!(schedule(line).is_none(), "{line}");
        }
    }

    #[test]
    fn what_the_shell_expands_is_said() {
        for (raw, expected) in [
            ("*.log", "all names here that end in .log"),
            ("src/**/*.rs", "anywhere below src"),
            ("'*.log'", ""),
            ("\"$HOME/x\"", "$HOME is your home directory"),
            ("${foo}_$1", "${foo} is a variable; $1 is argument 1"),
            ("a{b,c}", "stands for ab and ac"),
            ("{1..5}", "one for each from 1 to 5"),
            ("~/x", "~ is your home directory"),
            ("$(date)", "$(…) is replaced by what the command inside prints"),
            ("<(ls)", "<(…) is a file with what the command inside prints"),
            ("a\\*b", ""),
            ("{}", ""),
        ] {
            let said = expansions(raw).join("; ");
            assert!(said == expected || (!expected.is_empty() && said.contains(expected)), "{raw}: {said}");
        }
    }
}
