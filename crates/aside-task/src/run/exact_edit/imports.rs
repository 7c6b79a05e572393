//! Adds an import to a file after the existing ones, or removes one imported name.

use std::collections::BTreeMap;

use aside_text::lazy_regex::Regex;

use crate::run::code;
use crate::run::exact_edit::EditResult;

pub fn add(import: &str, files: &BTreeMap<String, String>) -> EditResult {
    let Some((path, text)) = files.first_key_value() else { return EditResult::Nothing(String::new()) };
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    let Some(line) = spelled(import, ending) else {
        return EditResult::Nothing(format!(
            "{} is no import of {} that can be told without a model.",
            code(import),
            code(path)
        ));
    };
    if text.lines().any(|known| known.trim().trim_end_matches(';') == line.trim_end_matches(';')) {
        return EditResult::Nothing(format!("{} has {} already.", code(path), code(&line)));
    }
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let (at, row) = match ending {
        "go" => go(&lines, &line),
        "py" => (beside(&lines, &line), format!("{line}\n")),
        _ => (behind(&lines, ending), format!("{line}\n")),
    };
    let mut made: String = lines.iter().take(at).copied().collect();
    if !made.is_empty() && !made.ends_with('\n') {
        made.push('\n');
    }
    made.push_str(&row);
    made.extend(lines.iter().skip(at).copied());
    let summary = format!("Add {} to {}", code(&line), code(path));
    EditResult::Texts { files: BTreeMap::from([(path.clone(), made)]), summary, note: String::new() }
}

/// The import as the file's language writes it.
fn spelled(import: &str, ending: &str) -> Option<String> {
    let import = import.trim().trim_end_matches(';');
    let word = import.split_whitespace().next()?;
    if let Some(header) = import.strip_prefix('#').map(str::trim_start).and_then(|rest| rest.strip_prefix("include")) {
        let is_c = ["c", "h", "cc", "cpp", "cxx", "hpp", "hh", "m", "mm", "ino"].contains(&ending);
        return is_c.then(|| format!("#include {}", header.trim()));
    }
    let plain = !import.contains(['\n', '#']);
    let fits = match (ending, word) {
        ("py", "import") => true,
        ("py", "from") => import.contains(" import "),
        ("js" | "ts" | "jsx" | "tsx" | "mjs", "import") => import.contains(['"', '\'']),
        ("rs", "use") | ("java" | "kt" | "scala" | "swift" | "dart", "import") | ("cs", "using") => true,
        ("go", "import") => import.contains('"'),
        ("rb" | "lua" | "php", "require" | "require_relative") => import.contains(['"', '\'']),
        _ => false,
    };
    let ends = match ending {
        "js" | "ts" | "jsx" | "tsx" | "mjs" | "rs" | "java" | "cs" | "dart" => ";",
        _ => "",
    };
    (fits && plain).then(|| format!("{import}{ends}"))
}

fn is_import(line: &str, ending: &str) -> bool {
    let word = line.split_whitespace().next().unwrap_or_default();
    match ending {
        "py" => matches!(word, "import" | "from"),
        "rs" => matches!(word, "use") || line.starts_with("pub use "),
        "cs" => word == "using",
        "rb" | "lua" | "php" => word.starts_with("require"),
        "c" | "h" | "cc" | "cpp" | "cxx" | "hpp" | "hh" | "m" | "mm" | "ino" => {
            line.trim_start().strip_prefix('#').is_some_and(|rest| rest.trim_start().starts_with("include"))
        }
        _ => word == "import",
    }
}

/// In Python, the line after the last import of the same form at the top of the file: `import os` goes above `from a import b`.
fn beside(lines: &[&str], import: &str) -> usize {
    let last = behind(lines, "py");
    let word = import.split_whitespace().next().unwrap_or_default();
    let alike = |line: &&str| line.split_whitespace().next() == Some(word) && !line.starts_with([' ', '\t']);
    lines.get(..last).unwrap_or_default().iter().rposition(alike).map_or(last, |at| at + 1)
}

/// The line after the last import at the top, or after what has to stand first.
fn behind(lines: &[&str], ending: &str) -> usize {
    let mut last = None;
    let mut open = 0_i32;
    let mut text = false;
    for (at, line) in lines.iter().enumerate() {
        let trimmed = line.trim();
        let inside = open > 0;
        if last.is_some() && inside {
            open += brackets(line);
            last = Some(at);
            continue;
        }
        if ending == "py" && (trimmed.matches("\"\"\"").count() == 1 || trimmed.matches("'''").count() == 1) {
            text = !text;
            continue;
        }
        if text || trimmed.is_empty() || is_head(trimmed, ending) {
            continue;
        }
        if line.starts_with([' ', '\t']) || !is_import(line, ending) {
            break;
        }
        last = Some(at);
        open = brackets(line);
    }
    if let Some(last) = last {
        return last + 1;
    }
    // No imports yet: after the header comments and the docstring.
    let mut text = false;
    let mut at = 0;
    for (number, line) in lines.iter().enumerate() {
        let trimmed = line.trim();
        let marks = trimmed.matches("\"\"\"").count();
        if ending == "py" && marks > 0 {
            text = if marks == 1 { !text } else { text };
            at = number + 1;
        } else if text || is_head(trimmed, ending) {
            at = number + 1;
        } else if !trimmed.is_empty() {
            break;
        }
    }
    at
}

fn is_head(line: &str, ending: &str) -> bool {
    line.starts_with("#!")
        || ending == "py" && (line.starts_with('#') || line.starts_with("\"\"\"") || line.starts_with("'''"))
        || line.starts_with("//")
        || line.starts_with("package ")
        || line.starts_with("'use ")
        || line.starts_with("\"use ")
        || line.starts_with("<?php")
}

fn brackets(line: &str) -> i32 {
    line.chars().fold(0, |open, letter| match letter {
        '(' | '{' => open + 1,
        ')' | '}' => open - 1,
        _ => open,
    })
}

/// Go has its imports in brackets, or one on a line.
fn go(lines: &[&str], line: &str) -> (usize, String) {
    let name = line.trim_start_matches("import").trim();
    if let Some(open) = lines.iter().position(|line| line.trim() == "import (") {
        return (open + 1, format!("\t{name}\n"));
    }
    let behind = lines.iter().rposition(|line| line.starts_with("import "));
    let package = lines.iter().position(|line| line.starts_with("package "));
    match (behind, package) {
        (Some(at), _) => (at + 1, format!("import {name}\n")),
        (None, Some(at)) => (at + 1, format!("\nimport {name}\n")),
        (None, None) => (0, format!("import {name}\n")),
    }
}

pub fn remove(name: &str, unused: bool, files: &BTreeMap<String, String>) -> EditResult {
    let Some((path, text)) = files.first_key_value() else { return EditResult::Nothing(String::new()) };
    if let Some(header) = name
        .trim_start_matches('#')
        .trim_start()
        .strip_prefix("include")
        .map(str::trim)
        .or_else(|| name.starts_with('<').then_some(name))
    {
        return remove_include(header, path, text);
    }
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut made = Vec::new();
    let mut gone = None;
    for (number, line) in lines.iter().enumerate() {
        match Some(line).filter(|_| gone.is_none()).and_then(|line| without(line, name)) {
            Some(rest) => {
                gone = Some(number + 1);
                made.push(rest);
            }
            None => made.push((*line).to_owned()),
        }
    }
    let Some(at) = gone else {
        return EditResult::Nothing(format!("{} does not import {} in a line of its own.", code(path), code(name)));
    };
    let last = name.rsplit('.').next().unwrap_or(name);
    let used = Regex::new(&format!(r"\b{}\b", regex::escape(last))).ok().and_then(|word| {
        let other = |(number, line): &(usize, &&str)| number + 1 != at && word.is_match(line);
        lines.iter().enumerate().find(other).map(|(number, _)| number + 1)
    });
    let note = match used {
        Some(line) if unused => {
            return EditResult::Nothing(format!("{} is used in `{path}:{line}`, so the import stays.", code(name)));
        }
        Some(line) => format!("{} is still used in `{path}:{line}`.", code(name)),
        None => String::new(),
    };
    let summary = format!("Remove the import of {} from {}", code(name), code(path));
    EditResult::Texts { files: BTreeMap::from([(path.clone(), made.concat())]), summary, note }
}

/// A header is used by names that only a compiler knows, so that it is unused is the user's word.
fn remove_include(header: &str, path: &str, text: &str) -> EditResult {
    let bare = header.trim_matches(['<', '>', '"']);
    let is_it = |line: &str| {
        let rest = line.trim().strip_prefix('#').map(str::trim_start).and_then(|rest| rest.strip_prefix("include"));
        rest.is_some_and(|rest| rest.trim().trim_matches(['<', '>', '"']) == bare)
    };
    let made: String = text.split_inclusive('\n').filter(|line| !is_it(line)).collect();
    if made == text {
        return EditResult::Nothing(format!("{} does not include {}.", code(path), code(bare)));
    }
    let summary = format!("Remove the include of {} from {}", code(bare), code(path));
    EditResult::Texts { files: BTreeMap::from([(path.to_owned(), made)]), summary, note: String::new() }
}

/// Removes the imports whose names occur nowhere else in the file.
pub fn remove_unused(files: &BTreeMap<String, String>) -> EditResult {
    let Some((path, text)) = files.first_key_value() else { return EditResult::Nothing(String::new()) };
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    let known = ["py", "js", "jsx", "ts", "tsx", "mjs", "java", "kt", "go", "rs", "cs"];
    if !known.contains(&ending) {
        return EditResult::Nothing(format!(
            "Which names the imports of {} bring in cannot be told without a compiler. For one of them: remove the import of NAME from {path}.",
            code(path)
        ));
    }
    if path.ends_with("__init__.py") {
        return EditResult::Nothing(format!("What {} imports is there for others to import.", code(path)));
    }
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    let names: Vec<(usize, String)> = lines
        .iter()
        .enumerate()
        .filter(|(at, line)| is_import(line, ending) || ending == "go" && is_in_block(&text_lines(text), *at))
        .flat_map(|(at, line)| bound(line, ending).into_iter().map(move |name| (at, name)))
        .collect();
    let mut gone = Vec::new();
    for (at, name) in names {
        let last = name.rsplit('.').next().unwrap_or(&name);
        let Ok(word) = Regex::new(&format!(r"\b{}\b", regex::escape(last))) else { continue };
        if lines.iter().enumerate().any(|(other, line)| other != at && !is_import(line, ending) && word.is_match(line))
        {
            continue;
        }
        // A trait is used without its name, by the methods that it brings.
        if ending == "rs" && TRAITS.contains(&last) {
            continue;
        }
        if let Some(rest) = lines.get(at).and_then(|line| without(line, &name))
            && let Some(line) = lines.get_mut(at)
        {
            *line = rest;
            gone.push(code(&name));
        }
    }
    if gone.is_empty() {
        return EditResult::Nothing(format!("{} uses every name that it imports in a line of its own.", code(path)));
    }
    let summary = format!("Remove the unused imports {} from {}", gone.join(", "), code(path));
    let note = "They are unused by name: nothing else in the file mentions them.".to_owned();
    EditResult::Texts { files: BTreeMap::from([(path.clone(), lines.concat())]), summary, note }
}

/// Traits of Rust's library whose methods are called without naming them.
const TRAITS: &[&str] =
    &["Read", "Write", "BufRead", "Seek", "FromStr", "Hash", "Any", "Error", "Borrow", "ToOwned", "Future"];

fn text_lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// Whether a line is between the brackets of Go's imports.
fn is_in_block(lines: &[&str], at: usize) -> bool {
    let before = lines.get(..at).unwrap_or_default();
    let open = before.iter().rposition(|line| line.trim() == "import (");
    let is_open =
        open.is_some_and(|open| !before.get(open..).unwrap_or_default().iter().any(|line| line.trim() == ")"));
    is_open && lines.get(at).is_some_and(|line| line.contains('"'))
}

/// Removes an import that nothing in its file uses. The one file that has it is meant.
pub fn remove_unused_name(name: &str, files: &BTreeMap<String, String>) -> EditResult {
    let last = name.rsplit([':', '.']).next().unwrap_or(name);
    let of = |(path, text): (&String, &String)| {
        let one = BTreeMap::from([(path.clone(), text.clone())]);
        match remove(last, true, &one) {
            made @ EditResult::Texts { .. } => Some(made),
            _ => None,
        }
    };
    let mut found = files.iter().filter_map(of);
    match (found.next(), found.next()) {
        (Some(only), None) => only,
        (Some(_), Some(_)) => EditResult::Nothing(format!(
            "Several files import {} and do not use it; say which: remove the unused import {last} from FILE.",
            code(name)
        )),
        (None, _) => EditResult::Nothing(format!("No file here imports {} without using it.", code(name))),
    }
}

/// The names that an import line brings in. Names with an alias are left alone.
fn bound(line: &str, ending: &str) -> Vec<String> {
    let line = line.trim().trim_end_matches(';');
    // The package is called as the last part of its path; a version behind it is no name.
    if ending == "go" {
        let Some(path) = line.trim_start_matches("import ").strip_prefix('"').and_then(|rest| rest.strip_suffix('"'))
        else {
            return Vec::new();
        };
        let last = path.rsplit('/').next().unwrap_or(path);
        let is_plain = last.chars().all(char::is_alphanumeric);
        let is_version =
            last.starts_with('v') && last.get(1..).is_some_and(|rest| rest.chars().all(|one| one.is_ascii_digit()));
        return if is_plain && !is_version { vec![last.to_owned()] } else { Vec::new() };
    }
    if ending == "rs" {
        if line.starts_with("pub ") || line.contains("prelude") || line.contains("self") {
            return Vec::new();
        }
        let last = line.rsplit("::").next().unwrap_or_default();
        let inner = last.trim_matches(['{', '}']);
        return inner
            .split(',')
            .map(str::trim)
            .filter(|name| !name.is_empty() && !name.contains([' ', '*', '{']))
            .map(str::to_owned)
            .collect();
    }
    if line.contains(" as ") || line.contains('*') || line.contains("__future__") {
        return Vec::new();
    }
    let names = match ending {
        "py" => line.split_once(" import ").map(|(_, names)| names).or_else(|| line.strip_prefix("import ")),
        "java" | "kt" | "cs" => return line.rsplit('.').next().map(str::to_owned).into_iter().collect(),
        _ => line.split_once(" from ").and_then(|(names, _)| names.strip_prefix("import ")),
    };
    let names = names.unwrap_or_default().trim().trim_matches(['{', '}', '(', ')']);
    let is_name =
        |name: &&str| !name.is_empty() && name.chars().all(|letter| letter.is_alphanumeric() || "._$".contains(letter));
    names.split(',').map(str::trim).filter(is_name).map(str::to_owned).collect()
}

/// An import line without a name; empty when nothing is left of it. `None` when it does not import that name.
fn without(line: &str, name: &str) -> Option<String> {
    let trimmed = line.trim();
    let end = if line.ends_with('\n') { "\n" } else { "" };
    let escaped = regex::escape(name);
    let alone = Regex::new(&format!(
        r#"^(?:import\s+(?:static\s+)?[\w.]+\.{escaped};?|using\s+[\w.]+\.{escaped};|#\s*include\s*[<"]?{escaped}[>"]?|import\s+(?:\w+\s+)?"?(?:[\w./-]+/)?{escaped}"?;?|import\s+{escaped}(?:\s+as\s+\w+)?|from\s+[\w.]+\s+import\s+{escaped}|import\s+\{{?\s*{escaped}\s*\}}?\s+from\s+['"][^'"]+['"];?|(?:pub\s+)?use\s+(?:[\w:]+::)?{escaped};|const\s+\{{?\s*{escaped}\s*\}}?\s*=\s*require\([^)]*\);?|"(?:[\w./-]+/)?{escaped}")$"#
    ));
    if alone.ok()?.is_match(trimmed) {
        return Some(String::new());
    }
    // One of several names.
    let list = Regex::new(r"^(?P<head>\s*(?:from\s+[\w.]+\s+import\s+|import\s+\{\s*|import\s+|(?:pub\s+)?use\s+[\w:]+::\{))(?P<names>[\w\s,.]+?)(?P<tail>\s*\}.*)?$").ok()?;
    let found = list.captures(line.trim_end())?;
    let names: Vec<&str> =
        found.name("names")?.as_str().split(',').map(str::trim).filter(|one| !one.is_empty()).collect();
    let kept: Vec<&str> = names.iter().copied().filter(|one| *one != name).collect();
    let one_less = kept.len() + 1 == names.len() && !kept.is_empty();
    let tail = found.name("tail").map_or("", |tail| tail.as_str());
    one_less.then(|| format!("{}{}{tail}{end}", found.name("head").map_or("", |head| head.as_str()), kept.join(", ")))
}
