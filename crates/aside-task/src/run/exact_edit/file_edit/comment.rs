//! Comments lines out, or takes the marks away again. A line that opens a block stays, since its block would hang in the air.

use std::collections::BTreeMap;

use super::ending;
use crate::run::code;
use crate::run::exact_edit::EditResult;

const MAX_PLACES: usize = 6;

/// The lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// Counted from 1.
    Lines(usize, usize),
    /// With this text.
    Text(String),
    /// With all of these words.
    Words(Vec<String>),
}

impl Target {
    /// The words that a line has to have; those that only describe it say nothing.
    pub fn words(said: &str) -> Option<Self> {
        const DESCRIBE: &[&str] = &[
            "marker",
            "line",
            "lines",
            "call",
            "statement",
            "import",
            "decorator",
            "the",
            "attribute",
            "annotation",
            "option",
            "setting",
            "check",
            "test",
            "rule",
            "entry",
        ];
        let words: Vec<String> = said
            .split_whitespace()
            .filter(|word| !DESCRIBE.contains(&word.to_lowercase().as_str()))
            .map(|word| word.trim_end_matches("()").to_owned())
            .collect();
        let is_prose = ["code", "everything", "it", "this", "that", "block", "function", "body"];
        let only_prose = words.iter().all(|word| is_prose.contains(&word.as_str()));
        (!words.is_empty() && !only_prose).then_some(Target::Words(words))
    }

    fn has(&self, number: usize, line: &str) -> bool {
        match self {
            Target::Lines(first, last) => (*first..=*last).contains(&number),
            Target::Text(text) => line.contains(text.as_str()),
            Target::Words(words) => words.iter().all(|word| is_word(line, word)),
        }
    }
}

/// Whether a line has a word, not as a part of a longer one.
fn is_word(line: &str, word: &str) -> bool {
    let (line, word) = (line.to_lowercase(), word.to_lowercase());
    line.match_indices(&word).any(|(at, _)| {
        let is_letter = |letter: char| letter.is_alphanumeric();
        !line.get(..at).unwrap_or_default().ends_with(is_letter)
            && !line.get(at + word.len()..).unwrap_or_default().starts_with(is_letter)
    })
}

/// The marks of a comment of one line, before and behind it.
fn marks(path: &str) -> Option<(&'static str, &'static str)> {
    let name = path.rsplit('/').next().unwrap_or(path);
    Some(match ending(path) {
        _ if ["Makefile", "makefile", "Dockerfile", "CMakeLists.txt", "Procfile", "Gemfile", "Rakefile"]
            .contains(&name)
            || name.starts_with("Dockerfile")
            || name.starts_with(".env")
            || name.ends_with("ignore")
            || name == "requirements.txt" =>
        {
            ("# ", "")
        }
        "py" | "rb" | "sh" | "bash" | "zsh" | "yml" | "yaml" | "toml" | "cfg" | "conf" | "ini" | "cmake" | "mk"
        | "tf" | "pl" | "r" | "ex" | "exs" | "properties" | "fish" | "nix" | "hcl" => ("# ", ""),
        "js" | "jsx" | "ts" | "tsx" | "mjs" | "cjs" | "go" | "rs" | "c" | "h" | "cc" | "cpp" | "cxx" | "hpp" | "hh"
        | "java" | "kt" | "kts" | "swift" | "scala" | "cs" | "dart" | "php" | "proto" | "zig" | "scss" | "jsonc"
        | "gradle" => ("// ", ""),
        "sql" | "lua" | "hs" | "elm" => ("-- ", ""),
        "html" | "xml" | "vue" | "svelte" | "md" => ("<!-- ", " -->"),
        "css" => ("/* ", " */"),
        _ => return None,
    })
}

pub fn change(target: &Target, undo: bool, files: &BTreeMap<String, String>) -> EditResult {
    let Some((path, text)) = files.first_key_value() else { return EditResult::Nothing(String::new()) };
    let Some((open, close)) = marks(path) else {
        return EditResult::Nothing(format!("How {} writes comments is not known.", code(path)));
    };
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let is_comment = |line: &str| line.trim_start().starts_with(open.trim());
    let fits =
        |(at, line): &(usize, &&str)| target.has(at + 1, line) && !line.trim().is_empty() && is_comment(line) == undo;
    let found: Vec<usize> = lines.iter().enumerate().filter(fits).map(|(at, _)| at).collect();
    let what = if undo { "commented out" } else { "to comment out" };
    if found.is_empty() {
        return EditResult::Nothing(format!("{} has no such line that is {what}.", code(path)));
    }
    if found.len() > 1 && !matches!(target, Target::Lines(..)) {
        let rows: Vec<String> = found
            .iter()
            .take(MAX_PLACES)
            .map(|at| format!("- `{path}:{}` {}", at + 1, code(lines.get(*at).unwrap_or(&"").trim())))
            .collect();
        return EditResult::Nothing(format!(
            "{} lines of {} fit. Say which by number, as in: comment out line 5 of {path}.\n\n{}",
            found.len(),
            code(path),
            rows.join("\n")
        ));
    }
    if !undo
        && let Some(at) = found.iter().find(|at| lines.get(**at).is_some_and(|line| opens(line)))
        && !matches!(target, Target::Lines(first, last) if last > first)
    {
        return EditResult::Nothing(format!(
            "`{path}:{}` is only a part of a statement, so it is not commented out alone. Say the lines, as in: comment out lines 5-8 of {path}.",
            at + 1
        ));
    }
    // The marks stand in one column, that of the line with the least indentation.
    let indent = |line: &str| line.len() - line.trim_start().len();
    let column = found.iter().filter_map(|at| lines.get(*at)).map(|line| indent(line)).min().unwrap_or(0);
    let made: String = lines
        .iter()
        .enumerate()
        .map(|(at, line)| match (found.contains(&at), undo) {
            (false, _) => (*line).to_owned(),
            (true, false) => {
                let body = line.trim_end_matches(['\n', '\r']);
                let end = line.get(body.len()..).unwrap_or_default();
                let (before, rest) = body.split_at_checked(column).unwrap_or(("", body));
                format!("{before}{open}{rest}{close}{end}")
            }
            (true, true) => uncommented(line, open.trim(), close.trim()),
        })
        .collect();
    let many = if found.len() == 1 { "1 line".to_owned() } else { format!("{} lines", found.len()) };
    let verb = if undo { "Uncomment" } else { "Comment out" };
    super::one(path, made, format!("{verb} {many} of {}", code(path)))
}

fn uncommented(line: &str, open: &str, close: &str) -> String {
    let body = line.trim_end_matches(['\n', '\r']);
    let end = line.get(body.len()..).unwrap_or_default();
    let start = body.len() - body.trim_start().len();
    let rest = body.get(start..).unwrap_or_default().strip_prefix(open).unwrap_or_default();
    let rest = rest.strip_prefix(' ').unwrap_or(rest);
    let rest = if close.is_empty() { rest } else { rest.trim_end().strip_suffix(close).unwrap_or(rest).trim_end() };
    format!("{}{rest}{end}", body.get(..start).unwrap_or_default())
}

/// Whether a line begins or ends something that goes on in other lines.
fn opens(line: &str) -> bool {
    let line = line.split(" #").next().unwrap_or(line).trim_end();
    let depth: i32 = line.chars().fold(0, |depth, letter| match letter {
        '(' | '[' | '{' => depth + 1,
        ')' | ']' | '}' => depth - 1,
        _ => depth,
    });
    depth != 0 || line.ends_with([':', '\\', '{'])
}
