//! Whether a line defines something, and what: exposes the search's patterns to other modules.

use crate::run::search::lists;

/// Whether a line defines a name.
pub fn defines(line: &str, name: &str) -> bool {
    line.contains(name) && !lists::is_import(line) && !lists::is_comment(line) && lists::defined(line) == Some(name)
}

/// The name that a line defines.
pub fn defined(line: &str) -> Option<&str> {
    lists::defined(line)
}

/// Whether a line defines something that other code refers to: not a variable within a function.
pub fn is_definition(line: &str) -> bool {
    let indented = line.starts_with([' ', '\t']);
    let keyword = lists::defined_by_keyword(line);
    !lists::is_comment(line) && !lists::is_import(line) && (keyword || !indented && lists::defined(line).is_some())
}

pub fn is_import(line: &str) -> bool {
    lists::is_import(line)
}
