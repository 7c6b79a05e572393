//! What the domains in code write differently in each shell. A new shell is a new arm of each function here.

use shell_line::Dialect;

/// The variable of a loop as one word.
pub fn file_variable(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Zsh | Dialect::Bash => "\"$f\"",
        Dialect::Fish => "$f",
    }
}

/// A loop over what matches the pattern, with the name in `file_variable`.
pub fn for_each_file(dialect: Dialect, glob: &str, body: &str) -> String {
    match dialect {
        Dialect::Zsh | Dialect::Bash => format!("for f in {glob}; do {body}; done"),
        Dialect::Fish => format!("for f in {glob}; {body}; end"),
    }
}

/// The output of a command as a part of a word; a day or a number, which no shell splits.
pub fn substitution(dialect: Dialect, command: &str) -> String {
    match dialect {
        Dialect::Zsh | Dialect::Bash => format!("$({command})"),
        Dialect::Fish => format!("({command})"),
    }
}

/// The output of a command as one word.
pub fn quoted_substitution(dialect: Dialect, command: &str) -> String {
    match dialect {
        Dialect::Zsh | Dialect::Bash => format!("\"$({command})\""),
        Dialect::Fish => format!("({command})"),
    }
}

/// A word for each number, with the same text around all of them.
pub fn numbered(dialect: Dialect, stem: &str, from: u64, to: u64, ending: &str) -> String {
    match dialect {
        Dialect::Zsh | Dialect::Bash => format!("{stem}{{{from}..{to}}}{ending}"),
        Dialect::Fish => format!("{stem}(seq {from} {to}){ending}"),
    }
}

/// Empties a file.
pub fn truncated(dialect: Dialect, path: &str) -> String {
    match dialect {
        Dialect::Zsh | Dialect::Bash => format!(": > {path}"),
        Dialect::Fish => format!("true > {path}"),
    }
}

/// `<(command)`
pub fn has_process_substitution(dialect: Dialect) -> bool {
    match dialect {
        Dialect::Zsh | Dialect::Bash => true,
        Dialect::Fish => false,
    }
}

/// `${f%.zip}`, `${f//a/b}`
pub fn has_parameter_expansion(dialect: Dialect) -> bool {
    match dialect {
        Dialect::Zsh | Dialect::Bash => true,
        Dialect::Fish => false,
    }
}
