//! Which lines define something, and what: by the lists of this search, for other readers of files.

use crate::task::run::search::lists;

/// Whether a line defines a name.
pub fn defines(line: &str, name: &str) -> bool {
    line.contains(name) && !lists::is_import(line) && !lists::is_comment(line) && lists::defined(line) == Some(name)
}

/// The name that a line defines.
pub fn defined(line: &str) -> Option<&str> {
    lists::defined(line)
}

/// Whether a line defines something that others call by its name: no variable within a function.
pub fn is_definition(line: &str) -> bool {
    let indented = line.starts_with([' ', '\t']);
    let keyword = lists::defined_by_keyword(line);
    !lists::is_comment(line) && !lists::is_import(line) && (keyword || !indented && lists::defined(line).is_some())
}
