//! Replaces a whole file by the model's version. Refuses what looks like a part of the file, or like the file with omissions, since omitted
//! lines would be deleted.

use std::collections::BTreeSet;

use crate::run::edits::text::{FileText, ModelLine};

/// Lines from which a file may not shrink to less than half.
const LONG: usize = 6;
/// Words from which the new file must share some with the old one.
const LEAST_WORDS: usize = 4;

/// Replaces all lines. The error continues after the name of the file.
pub fn rewrite(text: &mut FileText, new: &[String]) -> Result<(), String> {
    let filled = |line: &&str| !line.trim().is_empty();
    let old: Vec<String> = text.lines.iter().map(|line| line.shown.clone()).collect();
    let old: Vec<&str> = old.iter().map(String::as_str).collect();
    let (before, after) =
        (old.iter().copied().filter(filled).count(), new.iter().map(String::as_str).filter(filled).count());
    if before >= LONG && after * 2 < before {
        return Err(format!(
            "it has {before} lines, and only {after} would be left; write all of the file, or blocks with SEARCH and REPLACE"
        ));
    }
    let indented = |line: Option<&str>| line.is_some_and(|line| line.starts_with([' ', '\t']));
    let first_new = new.iter().map(String::as_str).find(filled);
    if indented(first_new) && !indented(old.iter().copied().find(filled)) {
        return Err("what is written begins in its middle; write all of the file, from its first line".to_owned());
    }
    let (known, written) = (words(old.iter().copied()), words(new.iter().map(String::as_str)));
    if known.len() >= LEAST_WORDS && known.intersection(&written).count() * 3 < known.len() {
        return Err("hardly a word of it is left; write the file as it is shown, with the change".to_owned());
    }
    let new: Vec<ModelLine> = new
        .iter()
        .map(|line| ModelLine { compared: line.clone(), written: line.trim_end_matches('\r').to_owned() })
        .collect();
    text.replace(0..old.len(), &old, &new);
    Ok(())
}

/// Whether most lines of the file are in the new text, for a text that is only said to be the file.
pub fn resembles(text: &FileText, new: &[String]) -> bool {
    let new: BTreeSet<&str> = new.iter().map(|line| line.trim()).collect();
    let old: Vec<&str> = text.lines.iter().map(|line| line.shown.trim()).filter(|line| !line.is_empty()).collect();
    old.iter().filter(|line| new.contains(*line)).count() * 2 >= old.len()
}

fn words<'a>(lines: impl Iterator<Item = &'a str>) -> BTreeSet<&'a str> {
    let split = |line: &'a str| line.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    lines.flat_map(split).filter(|word| !word.is_empty()).collect()
}

/// Whether a line stands for omitted lines. `...` alone is code in Python.
pub fn elides(path: &str, line: &str) -> bool {
    const LEFT_OUT: [&str; 24] = [
        "rest of",
        "remaining",
        "remains",
        "remain ",
        "existing",
        "unchanged",
        "no change",
        "same as",
        "the same",
        "previous code",
        "other code",
        "omitted",
        "as before",
        "your code",
        "snip",
        "以下不变",
        "其余",
        "其他代码",
        "不变",
        "省略",
        "原有",
        "保持",
        "现有",
        "剩余",
    ];
    let line = line.trim();
    let python = path.ends_with(".py") || path.ends_with(".pyi");
    if matches!(line, "…" | "[...]" | "[…]" | "(...)" | "<...>") || (matches!(line, "..." | "....") && !python) {
        return true;
    }
    let Some(comment) = comment(line) else { return false };
    let bare = comment.trim_matches(|letter: char| letter == '.' || letter == '…' || letter.is_whitespace());
    let dotted =
        comment.starts_with("...") || comment.starts_with('…') || comment.ends_with("...") || comment.ends_with('…');
    let lower = format!("{} ", bare.to_lowercase());
    let says = LEFT_OUT.iter().any(|words| lower.contains(words));
    let begins = ["rest of", "remaining ", "existing code", "other methods", "unchanged", "其余", "其他代码"];
    dotted && (bare.is_empty() || says)
        || begins.iter().any(|words| lower.starts_with(words) || lower.starts_with(&format!("the {words}")))
}

/// The text of a comment that is alone on its line.
pub fn comment(line: &str) -> Option<&str> {
    let line = line.trim();
    let between = |start: &str, end: &str| line.strip_prefix(start).map(|rest| rest.strip_suffix(end).unwrap_or(rest));
    let told = between("<!--", "-->")
        .or_else(|| between("{/*", "*/}"))
        .or_else(|| between("/*", "*/"))
        .or_else(|| between("(*", "*)"))
        .or_else(|| line.strip_prefix("//"))
        .or_else(|| line.strip_prefix("--"))
        .or_else(|| line.strip_prefix('#'))
        .or_else(|| line.strip_prefix(';'))
        .or_else(|| line.strip_prefix('%'))?;
    Some(told.trim_start_matches(['/', '*', '#', '-', ';', '!']).trim_end_matches('*').trim())
}
