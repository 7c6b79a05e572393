//! Sorts the imports of a file within their groups, as the formatters of the languages do. A group ends at a blank line, at a comment and at
//! code. Where the order may mean something, such as imports for their side effects, nothing is moved.

use std::collections::BTreeMap;

use super::ending;
use crate::run::code;
use crate::run::exact_edit::EditResult;

pub fn sort(files: &BTreeMap<String, String>) -> EditResult {
    let Some((path, text)) = files.first_key_value() else { return EditResult::Nothing(String::new()) };
    let language = ending(path);
    let known = [
        "py", "js", "jsx", "ts", "tsx", "mjs", "go", "rs", "java", "kt", "c", "h", "cc", "cpp", "cxx", "hpp", "hh",
        "cs",
    ];
    if !known.contains(&language) {
        return EditResult::Nothing(format!("How imports of {} are sorted is not known.", code(path)));
    }
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut made: Vec<String> = Vec::new();
    let mut at = 0;
    let mut in_block = false;
    while at < lines.len() {
        let mut group: Vec<String> = Vec::new();
        while let Some((statement, next)) = statement(&lines, at, language, in_block) {
            group.push(statement);
            at = next;
        }
        if group.iter().any(|one| is_effect(one, language)) {
            return EditResult::Nothing(format!(
                "{} imports something for its effect alone, so the order may mean something; nothing is sorted.",
                code(path)
            ));
        }
        group.sort_by_key(|one| key(one, language));
        made.extend(group);
        if let Some(line) = lines.get(at) {
            in_block = match line.trim() {
                "import (" if language == "go" => true,
                ")" => false,
                _ => in_block,
            };
            made.push((*line).to_owned());
            at += 1;
        }
    }
    let made = made.concat();
    if made == *text {
        return EditResult::Nothing(format!("The imports of {} are sorted already.", code(path)));
    }
    super::one(path, made, format!("Sort the imports of {}", code(path)))
}

/// An import with all of its lines, and the line behind it.
fn statement(lines: &[&str], at: usize, language: &str, in_block: bool) -> Option<(String, usize)> {
    let first = lines.get(at)?;
    let trimmed = first.trim();
    let is_import = match language {
        "go" => in_block && trimmed.contains('"') && !trimmed.starts_with("//"),
        "rs" => trimmed.starts_with("use ") || trimmed.starts_with("pub use "),
        "py" => !first.starts_with([' ', '\t']) && (trimmed.starts_with("import ") || trimmed.starts_with("from ")),
        "c" | "h" | "cc" | "cpp" | "cxx" | "hpp" | "hh" => trimmed.starts_with("#include"),
        "cs" => trimmed.starts_with("using ") && trimmed.ends_with(';') && !trimmed.contains('('),
        _ => trimmed.starts_with("import ") || trimmed.starts_with("import{"),
    };
    if !is_import || first.starts_with([' ', '\t']) && language != "go" {
        return None;
    }
    let mut text = String::new();
    let mut depth = 0_i32;
    for (number, line) in lines.iter().enumerate().skip(at) {
        text.push_str(line);
        depth += line.chars().fold(0, |depth, letter| match letter {
            '(' | '{' => depth + 1,
            ')' | '}' => depth - 1,
            _ => depth,
        });
        let ends = depth <= 0 && !line.trim_end().ends_with('\\');
        if ends {
            // A last line without a line break would run into the next one.
            return text.ends_with('\n').then_some((text, number + 1));
        }
    }
    None
}

/// `import "./setup"` in JavaScript, a feature of the language in Python.
fn is_effect(statement: &str, language: &str) -> bool {
    match language {
        "js" | "jsx" | "ts" | "tsx" | "mjs" => {
            !statement.contains(" from ") && !statement.contains("}from") && !statement.contains('=')
        }
        _ => false,
    }
}

/// What is compared: the form, then the module, in the order of the usual formatter.
fn key(statement: &str, language: &str) -> (u8, String, String) {
    let line = statement.trim().trim_end_matches(';');
    let quoted = || line.split(['"', '\'']).nth(1).unwrap_or_default().to_owned();
    let whole = line.to_owned();
    match language {
        "py" => {
            let form = match () {
                () if line.starts_with("from __future__") => 0,
                () if line.starts_with("import ") => 1,
                () => 2,
            };
            let module = line.split_whitespace().nth(1).unwrap_or_default().to_lowercase();
            (form, module, whole)
        }
        "go" => (0, quoted(), whole),
        // Packages before files of the project.
        "js" | "jsx" | "ts" | "tsx" | "mjs" => {
            let module = quoted();
            let place = match () {
                () if module.starts_with("..") => 1,
                () if module.starts_with('.') => 2,
                () => 0,
            };
            (place, module.to_lowercase(), whole)
        }
        _ => (0, line.to_owned(), whole),
    }
}
