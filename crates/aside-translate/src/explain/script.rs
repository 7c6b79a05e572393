//! Explains small programs that are passed as arguments: sed, awk and jq. A program that is not understood is only
//! called a program.

use crate::explain::mode;

/// `s/a/b/g` of sed. Several commands are described one after the other.
pub fn sed(script: &str) -> Option<String> {
    let mut told = Vec::new();
    let mut rest = script.trim();
    while !rest.is_empty() {
        let (words, after) = sed_command(rest)?;
        told.push(words);
        rest = after.trim_start_matches([';', ' ', '\n']);
    }
    (!told.is_empty()).then(|| told.join("; then "))
}

/// One command, and the rest of the script.
fn sed_command(script: &str) -> Option<(String, &str)> {
    let (place, rest) = address(script)?;
    let rest = rest.trim_start();
    let mut letters = rest.chars();
    let (not, command) = match letters.next()? {
        '!' => (true, letters.next()?),
        letter => (false, letter),
    };
    let place = match (place, not) {
        (Some(place), true) => format!(", except {place}"),
        (Some(place), false) => format!(", in {place}"),
        (None, _) => String::new(),
    };
    let after = letters.as_str();
    let of = |verb: &str| {
        let lines = place.strip_prefix(", in ").unwrap_or("every line");
        let except = place.strip_prefix(", except ").map(|place| format!(", except {place}")).unwrap_or_default();
        format!("{verb} {lines}{except}")
    };
    match command {
        's' | 'y' => {
            let mark = after.chars().next()?;
            if mark.is_alphanumeric() || mark == '\\' {
                return None;
            }
            let (from, to) = divided(after, mark)?;
            let (to, flags) = divided_rest(to, mark)?;
            let end = flags.find([';', '\n', ' ', '}']).unwrap_or(flags.len());
            let (flags, rest) = flags.split_at(end);
            if command == 'y' {
                return Some((format!("replaces each letter of {from} by the one below it in {to}{place}"), rest));
            }
            let mut words = match to {
                "" => format!("removes {}", quoted(from)),
                to => format!("replaces {} by {}", quoted(from), quoted(to)),
            };
            words.push_str(if flags.contains('g') { ", wherever it occurs" } else { ", once in each line" });
            if flags.contains(['i', 'I']) {
                words.push_str(", ignoring case");
            }
            if flags.contains('p') {
                words.push_str(", and prints the line");
            }
            Some((words + &place, rest))
        }
        'd' => Some((of("deletes"), after)),
        'p' => Some((of("prints"), after)),
        'q' => Some((
            if place.is_empty() { "stops".to_owned() } else { format!("stops{}", place.replace(", in", " after")) },
            after,
        )),
        '=' => Some((of("prints the number of"), after)),
        'a' | 'i' | 'c' => {
            let text = after.trim_start_matches(['\\', ' ', '\n']);
            let verb = match command {
                'a' => "adds a line after",
                'i' => "adds a line before",
                _ => "replaces",
            };
            Some((format!("{}: {text}", of(verb)), ""))
        }
        _ => None,
    }
}

/// The lines that a command applies to, in words.
fn address(script: &str) -> Option<(Option<String>, &str)> {
    let (first, rest) = one_address(script)?;
    let Some(first) = first else { return Some((None, script)) };
    match rest.strip_prefix(',') {
        Some(rest) => {
            let (second, rest) = one_address(rest)?;
            let (first, second) = (first.trim_start_matches("line "), second?);
            let numbers = first.bytes().all(|byte| byte.is_ascii_digit());
            let to = second.trim_start_matches("line ");
            let words = if numbers && to.bytes().all(|byte| byte.is_ascii_digit()) {
                format!("lines {first} to {to}")
            } else if numbers {
                format!("the lines from line {first} to {second}")
            } else {
                format!("the lines from {first} to {second}")
            };
            Some((Some(words.replace("lines with", "one with")), rest))
        }
        None => Some((Some(first), rest)),
    }
}

fn one_address(text: &str) -> Option<(Option<String>, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if digits > 0 {
        return Some((Some(format!("line {}", &text[..digits])), &text[digits..]));
    }
    if let Some(rest) = text.strip_prefix('$') {
        return Some((Some("the last line".to_owned()), rest));
    }
    if text.starts_with('/') {
        let (pattern, rest) = divided(text, '/')?;
        let rest = rest.strip_prefix('I').unwrap_or(rest);
        return Some((Some(matching(pattern)), rest));
    }
    Some((None, text))
}

fn matching(pattern: &str) -> String {
    match pattern {
        "^$" => "lines that are empty".to_owned(),
        "^#" => "lines that begin with #".to_owned(),
        pattern => format!("lines with {}", quoted(pattern)),
    }
}

/// `/a/rest`: the text between the first two delimiters, and the rest.
fn divided(text: &str, mark: char) -> Option<(&str, &str)> {
    divided_rest(text.strip_prefix(mark)?, mark)
}

fn divided_rest(text: &str, mark: char) -> Option<(&str, &str)> {
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        if letter == '\\' {
            letters.next();
        } else if letter == mark {
            return Some((&text[..at], &text[at + mark.len_utf8()..]));
        }
    }
    None
}

pub fn quoted(text: &str) -> String {
    format!("\u{201c}{text}\u{201d}")
}

/// An awk program: its patterns and actions.
pub fn awk(program: &str) -> Option<String> {
    let program = program.trim();
    if program == "!seen[$0]++" || (program.starts_with('!') && program.ends_with("[$0]++")) {
        return Some("prints each line once, keeping their order".to_owned());
    }
    let mut told = Vec::new();
    let mut rest = program;
    while !rest.trim().is_empty() {
        rest = rest.trim_start_matches([';', ' ', '\n']);
        let (pattern, after) = match rest.find('{') {
            Some(at) => (rest[..at].trim(), &rest[at..]),
            None => (rest.trim(), ""),
        };
        if pattern.contains('/') && pattern.matches('/').count() % 2 == 1 {
            return None;
        }
        let (action, after) = match after.strip_prefix('{') {
            Some(body) => {
                let end = closing(body)?;
                (Some(body[..end].trim()), &body[end + 1..])
            }
            None => (None, ""),
        };
        let lines = match pattern {
            "" => "each line".to_owned(),
            "BEGIN" => "before the first line".to_owned(),
            "END" => "at the end".to_owned(),
            pattern => condition(pattern),
        };
        told.push(match action {
            None => format!("prints {}", lines.replacen("each line", "all lines", 1)),
            Some(action) => {
                let action = action_words(action)?;
                if matches!(pattern, "BEGIN" | "END") {
                    format!("{lines}, {action}")
                } else if action.starts_with("prints ") {
                    format!("{action} of {lines}")
                } else {
                    format!("{action} for {lines}")
                }
            }
        });
        rest = after;
    }
    let told: Vec<String> = told.into_iter().filter(|words| !words.is_empty()).collect();
    (!told.is_empty()).then(|| told.join("; "))
}

fn closing(text: &str) -> Option<usize> {
    let mut deep = 0usize;
    let mut quoted = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'"' => quoted = !quoted,
            _ if quoted => {}
            b'{' => deep += 1,
            b'}' if deep == 0 => return Some(at),
            b'}' => deep -= 1,
            _ => {}
        }
    }
    None
}

fn condition(pattern: &str) -> String {
    if let Some(inner) = pattern.strip_prefix('/').and_then(|rest| rest.strip_suffix('/')) {
        return matching(inner);
    }
    if let Some(inner) = pattern.strip_prefix("!/").and_then(|rest| rest.strip_suffix('/')) {
        return matching(inner).replacen("lines with", "lines without", 1);
    }
    let spaced = pattern.replace(' ', "");
    if let Some(number) = spaced.strip_prefix("NR==") {
        return format!("line {number}");
    }
    if let Some(number) = spaced.strip_prefix("NR>") {
        return format!("the lines after line {}", number.trim_start_matches('='));
    }
    format!("lines where {}", fields(pattern))
}

/// `$2` is field 2.
fn fields(text: &str) -> String {
    let mut words = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        words.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        let digits = after.bytes().take_while(u8::is_ascii_digit).count();
        match &after[..digits] {
            "" if after.starts_with("NF") => {
                words.push_str("the last field");
                rest = &after[2..];
            }
            "" => {
                words.push('$');
                rest = after;
            }
            "0" => {
                words.push_str("the line");
                rest = &after[1..];
            }
            number => {
                words.push_str("field ");
                words.push_str(number);
                rest = &after[digits..];
            }
        }
    }
    words.push_str(rest);
    words
}

fn action_words(action: &str) -> Option<String> {
    let mut told = Vec::new();
    for statement in action.split(';').map(str::trim).filter(|statement| !statement.is_empty()) {
        told.push(match statement {
            "print" | "print $0" => "prints all".to_owned(),
            "next" => "skips the rest".to_owned(),
            "exit" => "stops".to_owned(),
            _ => {
                if let Some(what) = statement.strip_prefix("print ") {
                    let parts: Vec<String> = what.split(',').map(|part| fields(part.trim())).collect();
                    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
                    let numbers: Option<Vec<&str>> = parts.iter().map(|part| part.strip_prefix("field ")).collect();
                    match numbers {
                        Some(numbers) if numbers.len() > 1 && numbers.iter().all(|number| !number.contains(' ')) => {
                            format!("prints fields {}", mode::join(&numbers)?)
                        }
                        _ => format!("prints {}", mode::join(&parts)?),
                    }
                } else if let Some(what) = statement.strip_prefix("printf") {
                    let format = what.trim().trim_start_matches('(');
                    format!("prints in the form {}", format.split(',').next().unwrap_or(format))
                } else if let Some((sum, what)) = statement.split_once("+=") {
                    format!("adds {} to {}", fields(what.trim()), sum.trim())
                } else if let Some(counter) = statement.strip_suffix("++") {
                    format!("counts in {}", fields(counter))
                } else if statement.contains("gsub(") || statement.contains("sub(") {
                    "replaces text".to_owned()
                } else if let Some((name, value)) =
                    statement.split_once('=').filter(|(name, _)| !name.contains(['(', '"']))
                {
                    format!("sets {} to {}", fields(name.trim()), fields(value.trim()))
                } else {
                    return None;
                }
            }
        });
    }
    Some(told.join(" and "))
}

/// A jq filter, step by step.
pub fn jq(filter: &str) -> Option<String> {
    let steps = split_top(filter, '|');
    let told: Vec<String> = steps.iter().map(|step| jq_step(step.trim())).collect::<Option<_>>()?;
    Some(told.join(", then "))
}

fn jq_step(step: &str) -> Option<String> {
    if let Some(inner) =
        step.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).filter(|inner| !inner.is_empty())
    {
        return Some(format!("a list of: {}", jq(inner)?));
    }
    if step.starts_with('{') && step.ends_with('}') {
        let names: Vec<&str> =
            step[1..step.len() - 1].split(',').map(|part| part.split(':').next().unwrap_or(part).trim()).collect();
        return Some(format!("an object with {}", mode::join(&names)?));
    }
    if step.starts_with('"') {
        return Some("a text made from its values".to_owned());
    }
    if let Some((name, inner)) = step.strip_suffix(')').and_then(|rest| rest.split_once('(')) {
        return Some(match name {
            "map" => format!("for each element: {}", jq(inner)?),
            "select" => format!("only where {inner}"),
            "sort_by" => format!("sorted by {inner}"),
            "group_by" => format!("grouped by {inner}"),
            "unique_by" => format!("each {inner} once"),
            "has" => format!("whether it has {inner}"),
            "test" => format!("whether it matches {inner}"),
            "join" => format!("joined with {inner}"),
            "split" => format!("split at {inner}"),
            "del" => format!("without {inner}"),
            "contains" => format!("whether it contains {inner}"),
            "max_by" => format!("the one with the largest {inner}"),
            "min_by" => format!("the one with the smallest {inner}"),
            _ => return None,
        });
    }
    let known = match step {
        "." => "all of it, laid out neatly",
        ".[]" => "each element",
        "length" => "how many there are",
        "keys" | "keys_unsorted" => "its keys",
        "values" => "what is not null",
        "sort" => "sorted",
        "unique" => "each once, sorted",
        "add" => "all added up",
        "first" => "the first one",
        "last" => "the last one",
        "reverse" => "the other way round",
        "flatten" => "lists in lists as one",
        "to_entries" => "key and value pairs",
        "from_entries" => "an object from pairs",
        "type" => "its type",
        "tostring" => "as text",
        "tonumber" => "as a number",
        "@csv" => "as a line of CSV",
        "@tsv" => "as a line with tabs",
        "@base64" => "encoded in base64",
        "@base64d" => "decoded from base64",
        "not" => "the opposite",
        "empty" => "nothing",
        "min" => "the smallest",
        "max" => "the largest",
        "any" => "whether any is true",
        "all" => "whether all are true",
        _ => "",
    };
    if !known.is_empty() {
        return Some(known.to_owned());
    }
    path(step)
}

/// `.a.b[].c`, from the inside out.
fn path(step: &str) -> Option<String> {
    let parts = split_top(step, ',');
    if parts.len() > 1 {
        let parts: Vec<String> = parts.iter().map(|part| path(part.trim())).collect::<Option<_>>()?;
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        return mode::join(&parts);
    }
    let rest = step.strip_prefix('.')?;
    if !rest.chars().all(|letter| letter.is_alphanumeric() || "_.[]-?:\"".contains(letter)) {
        return None;
    }
    let rest = rest.trim_end_matches('?');
    let mut words = Vec::new();
    for key in rest.split('.') {
        let (name, index) = key.split_once('[').map_or((key, None), |(name, index)| (name, Some(index)));
        if !name.is_empty() {
            words.push(name.trim_matches('"').to_owned());
        }
        match index.map(|index| index.trim_end_matches([']', '['])) {
            Some("") => words.push("each element".to_owned()),
            Some("-1") => words.push("the last element".to_owned()),
            Some(index) if index.contains(':') => words.push(format!("elements {index}")),
            Some(index) if index.starts_with('"') => words.push(index.trim_matches('"').to_owned()),
            Some(index) => words.push(format!("element {index}")),
            None => {}
        }
    }
    words.reverse();
    Some(words.join(" of "))
}

/// Splits outside of brackets and quotes.
fn split_top(text: &str, mark: char) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut deep, mut quoted, mut from) = (0usize, false, 0);
    for (at, letter) in text.char_indices() {
        match letter {
            '"' => quoted = !quoted,
            _ if quoted => {}
            '(' | '[' | '{' => deep += 1,
            ')' | ']' | '}' => deep = deep.saturating_sub(1),
            letter if letter == mark && deep == 0 => {
                parts.push(&text[from..at]);
                from = at + letter.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(&text[from..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sed_is_told() {
        for (script, expected) in [
            ("s/a/b/g", "replaces “a” by “b”, wherever it occurs"),
            ("s/a/b/", "replaces “a” by “b”, once in each line"),
            ("s|/usr|/opt|gi", "replaces “/usr” by “/opt”, wherever it occurs, ignoring case"),
            ("s/x//g", "removes “x”, wherever it occurs"),
            ("/foo/d", "deletes lines with “foo”"),
            ("/^$/d", "deletes lines that are empty"),
            ("5d", "deletes line 5"),
            ("2,5p", "prints lines 2 to 5"),
            ("$d", "deletes the last line"),
            ("/a/,/b/p", "prints the lines from one with “a” to one with “b”"),
            ("/x/!d", "deletes every line, except lines with “x”"),
            ("1i hello", "adds a line before line 1: hello"),
            ("s/a/b/;s/c/d/g", "replaces “a” by “b”, once in each line; then replaces “c” by “d”, wherever it occurs"),
            ("10q", "stops after line 10"),
            ("2,5s/a/b/", "replaces “a” by “b”, once in each line, in lines 2 to 5"),
        ] {
            assert_eq!(sed(script).as_deref(), Some(expected), "{script}");
        }
        for script in ["", "s/a", "sababa", "zzz", "é", "s", "/", "1,"] {
            assert_eq!(sed(script), None, "{script}");
        }
    }

    #[test]
    fn awk_is_told() {
        for (program, expected) in [
            ("{print $2}", "prints field 2 of each line"),
            ("{print $1, $3}", "prints fields 1 and 3 of each line"),
            ("{ print $NF }", "prints the last field of each line"),
            ("/foo/", "prints lines with “foo”"),
            ("$3 > 100", "prints lines where field 3 > 100"),
            ("$3 > 100 {print $1}", "prints field 1 of lines where field 3 > 100"),
            ("NR==5", "prints line 5"),
            ("{s+=$1} END {print s}", "adds field 1 to s for each line; at the end, prints s"),
            ("!seen[$0]++", "prints each line once, keeping their order"),
            ("NR>1", "prints the lines after line 1"),
        ] {
            assert_eq!(awk(program).as_deref(), Some(expected), "{program}");
        }
        for program in ["", "{", "{for(;;)x}", "function f(x) { return x }"] {
            assert_eq!(awk(program), None, "{program}");
        }
    }

    #[test]
    fn jq_is_told() {
        for (filter, expected) in [
            (".", "all of it, laid out neatly"),
            (".a.b", "b of a"),
            (".items[].name", "name of each element of items"),
            (".[0]", "element 0"),
            (".[] | select(.age > 3) | .name", "each element, then only where .age > 3, then name"),
            ("map(.x) | add", "for each element: x, then all added up"),
            ("keys", "its keys"),
            (".a, .b", "a and b"),
        ] {
            assert_eq!(jq(filter).as_deref(), Some(expected), "{filter}");
        }
        for filter in ["reduce .[] as $x (0; . + $x)", "foo(", "é"] {
            assert_eq!(jq(filter), None, "{filter}");
        }
    }
}
