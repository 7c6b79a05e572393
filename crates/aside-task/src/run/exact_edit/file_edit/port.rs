//! Another port, wherever the project repeats it as one. The same number elsewhere stays.

use std::collections::BTreeMap;

use aside_text::lazy_regex::Regex;

use crate::run::code;
use crate::run::exact_edit::{EditResult, text};
use crate::run::review::file_kind;

const MAX_PLACES: usize = 6;

/// How many lines have the number as a port.
pub fn occurrences(number: &str, files: &BTreeMap<String, String>) -> usize {
    let EditResult::Texts { files: made, .. } = change(number, "", files) else { return 0 };
    let changed = |path: &String, text: &String| {
        let old = files.get(path).map_or("", String::as_str);
        old.lines().zip(text.lines()).filter(|(old, new)| old != new).count()
    };
    made.iter().map(|(path, text)| changed(path, text)).sum()
}

/// Changes the only port that a Dockerfile exposes; which other port would be meant, cannot be told.
pub fn change_exposed(to: &str, files: &BTreeMap<String, String>) -> EditResult {
    let Ok(exposed) = Regex::new(r"(?m)^EXPOSE[ \t]+(\d{2,5})") else { return EditResult::Nothing(String::new()) };
    let is_docker =
        |path: &&String| path.rsplit('/').next().is_some_and(|name| name.to_lowercase().contains("dockerfile"));
    let texts = files.keys().filter(is_docker).filter_map(|path| files.get(path));
    let mut ports: Vec<String> = texts
        .flat_map(|text| exposed.captures_iter(text).map(|found| found[1].to_owned()).collect::<Vec<_>>())
        .collect();
    ports.dedup();
    match ports.as_slice() {
        [only] if only != to => change(only, to, files),
        _ => EditResult::Nothing(String::new()),
    }
}

pub fn change(from: &str, to: &str, files: &BTreeMap<String, String>) -> EditResult {
    // Behind a colon, beside the word, or where a container exposes or maps it.
    let number = format!(r"(?P<number>{from})");
    let patterns = [
        format!(r":{number}\b"),
        format!(r#"(?i:port)s?["'`]?\)?\s*(?:\w+\s*)?(?:[=:,|?(-]|\?\?|\|\||\s|:=|is|on)*\s*["'`]?{number}\b"#),
        format!(r"\b(?:EXPOSE|PORT)\s+{number}\b"),
        format!(r#"(?:^|["'\s-]){number}:\d{{2,5}}\b"#),
        format!(r#"\blisten(?:\w*)\(?\s*["']?{number}\b"#),
    ];
    let patterns: Vec<Regex> =
        patterns.iter().filter_map(|pattern| Regex::new(&format!("(?m){pattern}")).ok()).collect();
    let Ok(word) = Regex::new(&format!(r"\b{from}\b")) else { return EditResult::Nothing(String::new()) };
    let mut made = BTreeMap::new();
    let (mut count, mut left) = (0, Vec::new());
    for (path, text) in files {
        if matches!(file_kind::of(path), "lock file" | "generated" | "log" | "media" | "data") {
            continue;
        }
        let mut new = String::new();
        for (at, line) in text.split_inclusive('\n').enumerate() {
            let mut ranges: Vec<std::ops::Range<usize>> = Vec::new();
            for pattern in &patterns {
                for found in pattern.captures_iter(line).filter_map(|found| found.name("number").map(|one| one.range()))
                {
                    if !ranges.contains(&found) {
                        ranges.push(found);
                    }
                }
            }
            if word.find_iter(line).any(|found| !ranges.contains(&found.range())) && left.len() < MAX_PLACES {
                left.push(format!("- `{path}:{}` {}", at + 1, code(line.trim())));
            }
            ranges.sort_by_key(|range| std::cmp::Reverse(range.start));
            let mut line = line.to_owned();
            for range in ranges {
                line.replace_range(range, to);
                count += 1;
            }
            new.push_str(&line);
        }
        if new != *text {
            made.insert(path.clone(), new);
        }
    }
    if made.is_empty() {
        return EditResult::Nothing(String::new());
    }
    let note = match left.is_empty() {
        true => String::new(),
        false => format!("Left, since it may be another number:\n\n{}", left.join("\n")),
    };
    let summary =
        format!("Port {} becomes {}, {} in {}", code(from), code(to), text::times(count), text::counted(made.len()));
    EditResult::Texts { files: made, summary, note }
}
