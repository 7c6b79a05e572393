//! The usual form of a request for a change: a misspelt verb corrected, the file at the end, files by their names instead of what they are
//! commonly called.

use std::sync::LazyLock;

use aside_text::edit_distance::{MaxDistance, near_words};
use aside_text::lazy_regex::Regex;

/// Verbs that a request for a change begins with.
const VERBS: &[&str] = &[
    "change",
    "replace",
    "rename",
    "remove",
    "delete",
    "update",
    "upgrade",
    "increase",
    "decrease",
    "switch",
    "comment",
    "uncomment",
    "enable",
    "disable",
    "install",
    "append",
    "insert",
    "convert",
    "bump",
    "raise",
    "lower",
    "reduce",
];

/// What files are called, and their names.
const FILES: &[(&str, &str)] = &[
    (r"ts[\s-]?config", "tsconfig.json"),
    (r"package[\s-]json", "package.json"),
    (r"pyproject", "pyproject.toml"),
    (r"cargo[\s.]toml", "Cargo.toml"),
    (r"readme", "README.md"),
    (r"(?:vs\s?code|editor)\s+settings", ".vscode/settings.json"),
    (r"cmake\s?lists(?:\.txt)?|cmake\s+file", "CMakeLists.txt"),
    (r"prettierrc|prettier(?:'s)?\s+(?:config|settings)", ".prettierrc"),
    (r"eslintrc|eslint(?:'s)?\s+(?:config|settings|rules)", ".eslintrc"),
    (r"env\s+example", ".env.example"),
    (r"gitignore", ".gitignore"),
    (r"dockerignore", ".dockerignore"),
];

static CALLED: LazyLock<Vec<(Regex, &'static str)>> = LazyLock::new(|| {
    let pattern = |called: &str| {
        format!(
            r"(?i)(?P<before>(?:^|\s)(?:in|of|from|to|into|inside|out\s+of)\s+)(?:the\s+|our\s+|my\s+)?(?:{called})(?:\s+file)?(?P<after>[\s,]|$)"
        )
    };
    FILES.iter().filter_map(|(called, file)| Some((Regex::new(&pattern(called)).ok()?, *file))).collect()
});

static FIRST: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^(?i:in|inside)\s+(?:the\s+|our\s+)?(?:file\s+)?`?(?P<file>[\w./-]*[./][\w./-]*\w|Makefile|Dockerfile|dockerfile|makefile)`?\s*[,:]?\s+(?P<rest>[a-z]+\s.+)$").ok()
});

pub fn normal(request: &str) -> String {
    let mut made = verb(request.trim());
    for (pattern, file) in CALLED.iter() {
        made = pattern.replace_all(&made, format!("${{before}}{file}${{after}}")).into_owned();
    }
    match FIRST.as_ref().and_then(|first| first.captures(&made)) {
        Some(found) => format!("{} in {}", verb(found["rest"].trim_end_matches(['.', '!'])), &found["file"]),
        None => made,
    }
}

/// With the first verb spelled as the rules have it.
fn verb(request: &str) -> String {
    const POLITE: &[&str] = &["please", "pls", "can", "could", "would", "you", "now", "kindly"];
    let mut words = request.split_whitespace().skip_while(|word| POLITE.contains(&word.to_lowercase().as_str()));
    let Some(first) = words.next().filter(|word| word.chars().all(|letter| letter.is_ascii_lowercase())) else {
        return request.to_owned();
    };
    if VERBS.contains(&first) {
        return request.to_owned();
    }
    // One slip, in a word that is long enough to be recognized.
    let near = near_words(first, VERBS.iter().copied(), MaxDistance::Careful);
    let known_otherwise = [
        "chance", "charge", "renamed", "removed", "moved", "move", "placed", "lump", "pump", "dump", "raised", "prove",
        "rise",
    ];
    match near.as_slice() {
        [only] if only.begins && first.len() > 4 && !known_otherwise.contains(&first) => {
            request.replacen(first, only.word, 1)
        }
        _ => request.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_gets_its_usual_form() {
        for (request, expected) in [
            ("chnage the timeout in api.ts to 10", "change the timeout in api.ts to 10"),
            ("please repalce a with b", "please replace a with b"),
            ("in config.py set DEBUG to false", "set DEBUG to false in config.py"),
            ("enable strict in the ts config", "enable strict in tsconfig.json"),
            ("take a.cpp out of the CMakeLists", "take a.cpp out of CMakeLists.txt"),
            ("remove the readme link", "remove the readme link"),
            ("charge the customer", "charge the customer"),
            ("move a to b", "move a to b"),
            ("in general use tabs", "in general use tabs"),
        ] {
            assert_eq!(normal(request), expected);
        }
    }
}
