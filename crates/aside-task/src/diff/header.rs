//! Parses the header above the hunks of a file: its names, with or without the prefixes and quotes of git, and whether it is created,
//! deleted or renamed.

use crate::diff::Mode;
use crate::diff::path::MAX_NAME;

/// Longest `diff --git` line that is split: two names, with every byte escaped.
const LONGEST: usize = 2 * 4 * MAX_NAME + 16;

/// One side of a change as the patch writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Side {
    /// `/dev/null`
    Nothing,
    Path(String),
}

/// The lines from `diff --git` to the first hunk, as far as they are present.
#[derive(Clone, Debug, Default)]
pub struct Header {
    /// From the `diff --git` line, with its prefixes.
    pub git: Option<(String, String)>,
    pub old: Option<Side>,
    pub new: Option<Side>,
    pub rename: (Option<String>, Option<String>),
    pub created: bool,
    pub deleted: bool,
    pub mode: Option<Mode>,
}

/// The names that a header means, without prefixes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names {
    pub old: Option<String>,
    pub new: Option<String>,
}

impl Header {
    /// Takes a line between `diff --git` and the first hunk. Fails with a message when the line makes the whole patch unusable.
    pub fn take(&mut self, line: &[u8]) -> Result<bool, &'static str> {
        let Ok(line) = std::str::from_utf8(line) else { return Ok(false) };
        if line.starts_with("copy from ") || line.starts_with("copy to ") {
            return Err("copies are not taken; write the copy as a new file");
        }
        if line.starts_with("similarity index ")
            || line.starts_with("dissimilarity index ")
            || line.starts_with("index ")
        {
            return Ok(true);
        }
        let rest = |start: &str| line.strip_prefix(start);
        if let Some(name) = rest("rename from ") {
            self.rename.0 = Some(unquoted(name));
        } else if let Some(name) = rest("rename to ") {
            self.rename.1 = Some(unquoted(name));
        } else if let Some(mode) = rest("old mode ") {
            self::mode(mode)?;
        } else if let Some(mode) = rest("new mode ") {
            self.mode = Some(self::mode(mode)?);
        } else if let Some(mode) = rest("new file mode ") {
            self.mode = Some(self::mode(mode)?);
            self.created = true;
        } else if let Some(mode) = rest("deleted file mode ") {
            self::mode(mode)?;
            self.deleted = true;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// The names that the header means. Fails where its lines contradict each other.
    pub fn names(&self) -> Result<Names, &'static str> {
        const CONTRADICTION: &str = "its header lines name different files; name the same file in all of them";
        let git = self.git.as_ref().map(|(old, new)| without_prefixes(Some(old), Some(new)));
        let prefixed = self.git.as_ref().zip(git.as_ref()).map(|((old, _), names)| names.old.as_ref() != Some(old));
        let mut sides = match (&self.old, &self.new) {
            (None, _) | (_, None) => None,
            (Some(old), Some(new)) => Some(match (path(old), path(new), prefixed) {
                (None, None, _) => return Err("both of its names are /dev/null; name the file"),
                // A single name does not tell whether `b/` is a prefix; the `diff --git` line does.
                (old, new, Some(false)) => Names { old: old.cloned(), new: new.cloned() },
                (old, new, Some(true) | None) => without_prefixes(old, new),
            }),
        };
        if let (Some(sides), Some(git)) = (&sides, &git) {
            let same = |side: &Option<String>, git: &Option<String>| side.is_none() || side == git;
            if !same(&sides.old, &git.old) || !same(&sides.new, &git.new) {
                return Err(CONTRADICTION);
            }
        }
        if let (Some(from), Some(to)) = &self.rename {
            let renamed = Names { old: Some(from.clone()), new: Some(to.clone()) };
            let known = sides.as_ref().or(git.as_ref());
            return if known.is_none_or(|known| *known == renamed) { Ok(renamed) } else { Err(CONTRADICTION) };
        }
        if self.rename != (None, None) {
            return Err("half of a rename is missing; write both `rename from` and `rename to`");
        }
        if sides.is_none() {
            sides = git;
        }
        let names = sides.ok_or("its name is missing; write `--- a/NAME` and `+++ b/NAME`")?;
        match (&names.old, &names.new) {
            (Some(old), Some(new)) if old != new => {
                Err("it has two names; a rename needs `rename from` and `rename to`")
            }
            _ => Ok(names),
        }
    }
}

fn path(side: &Side) -> Option<&String> {
    match side {
        Side::Nothing => None,
        Side::Path(path) => Some(path),
    }
}

/// Strips git's prefixes: `a/x` and `b/x` are `x`. Also handles git's other prefix letters, a single name, and a pair of which only one has
/// a prefix.
fn without_prefixes(old: Option<&String>, new: Option<&String>) -> Names {
    let after = |name: &str, prefix: &str| name.strip_prefix(prefix).map(str::to_owned);
    let as_they_are = || Names { old: old.cloned(), new: new.cloned() };
    match (old, new) {
        (Some(old), Some(new)) => {
            let letters = |name: &str| match name.as_bytes() {
                [letter @ (b'a' | b'b' | b'c' | b'i' | b'o' | b'w'), b'/', ..] => Some(*letter),
                _ => None,
            };
            if let (Some(one), Some(other)) = (after(old, "a/"), after(new, "b/")) {
                return Names { old: Some(one), new: Some(other) };
            }
            let differ = letters(old).zip(letters(new)).is_some_and(|(one, other)| one != other);
            let name = if differ && old.get(2..) == new.get(2..) {
                old.get(2..).map(str::to_owned)
            } else {
                after(old, "a/").filter(|name| name == new).or_else(|| after(new, "b/").filter(|name| name == old))
            };
            name.map_or_else(as_they_are, |name| Names { old: Some(name.clone()), new: Some(name) })
        }
        (Some(old), None) => after(old, "a/").map_or_else(as_they_are, |old| Names { old: Some(old), new: None }),
        (None, Some(new)) => after(new, "b/").map_or_else(as_they_are, |new| Names { old: None, new: Some(new) }),
        (None, None) => as_they_are(),
    }
}

/// Parses the text after `--- ` or `+++ `: a name, possibly quoted, possibly followed by a tab and a time. `None` when it is not UTF-8.
pub fn side(text: &[u8]) -> Option<Side> {
    let text = std::str::from_utf8(text).ok()?;
    let name = if text.starts_with('"') {
        unquoted(text)
    } else {
        text.split('\t').next().unwrap_or_default().trim_end().to_owned()
    };
    Some(if name == "/dev/null" { Side::Nothing } else { Side::Path(name) })
}

/// Both names of a `diff --git` line, if the boundary is clear: they are quoted, or equal, or have no blanks.
pub fn git_names(text: &[u8]) -> Option<(String, String)> {
    let text = std::str::from_utf8(text).ok()?.trim_end();
    if text.len() > LONGEST {
        return None;
    }
    if text.starts_with('"') || text.ends_with('"') {
        let end = match text.strip_prefix('"') {
            Some(rest) => closing(rest)? + 2,
            None => text.find(" \"")?,
        };
        return Some((unquoted(text.get(..end)?), unquoted(text.get(end..)?.trim_start())));
    }
    let splits: Vec<(&str, &str)> =
        text.match_indices(' ').filter_map(|(at, _)| Some((text.get(..at)?, text.get(at + 1..)?))).collect();
    let same = splits.iter().find(|(old, new)| {
        let names = without_prefixes(Some(&(*old).to_owned()), Some(&(*new).to_owned()));
        names.old == names.new
    });
    let only = match splits.as_slice() {
        [only] => Some(only),
        _ => None,
    };
    same.or(only).map(|(old, new)| ((*old).to_owned(), (*new).to_owned()))
}

fn mode(text: &str) -> Result<Mode, &'static str> {
    match text.trim() {
        "100644" | "100664" | "100600" => Ok(Mode::Plain),
        "100755" | "100775" | "100700" => Ok(Mode::Executable),
        "120000" => Err("it is a symbolic link; make links yourself"),
        "160000" => Err("it is a submodule; change submodules with git"),
        _ => Err("its mode is neither 100644 nor 100755"),
    }
}

/// Where the quotes close that were opened before `text`.
fn closing(text: &str) -> Option<usize> {
    let mut escaped = false;
    text.bytes().position(|byte| {
        let closes = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        closes
    })
}

/// Undoes git's quotes and escapes; returns other names as they are. A name that is not UTF-8 gets a character that `RelativePath` rejects.
fn unquoted(text: &str) -> String {
    let Some(inner) = text.trim_end().strip_prefix('"').and_then(|rest| rest.get(..closing(rest)?)) else {
        return text.trim_end().to_owned();
    };
    let mut bytes = Vec::new();
    let mut rest = inner.bytes().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match rest.next() {
            Some(b'n') => bytes.push(b'\n'),
            Some(b't') => bytes.push(b'\t'),
            Some(b'r') => bytes.push(b'\r'),
            Some(b'a') => bytes.push(7),
            Some(b'b') => bytes.push(8),
            Some(b'v') => bytes.push(11),
            Some(b'f') => bytes.push(12),
            Some(digit @ b'0'..=b'7') => {
                let mut value = u32::from(digit - b'0');
                for _ in 0..2 {
                    let Some(digit) = rest.next_if(|digit| (b'0'..=b'7').contains(digit)) else { break };
                    value = value * 8 + u32::from(digit - b'0');
                }
                bytes.push(u8::try_from(value).unwrap_or(0));
            }
            Some(other) => bytes.push(other),
            None => {}
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| "\0".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(old: &str, new: &str, git: Option<(&str, &str)>) -> Result<(String, String), &'static str> {
        let header = Header {
            git: git.map(|(old, new)| (old.to_owned(), new.to_owned())),
            old: side(old.as_bytes()),
            new: side(new.as_bytes()),
            ..Header::default()
        };
        header.names().map(|names| (names.old.unwrap_or("-".to_owned()), names.new.unwrap_or("-".to_owned())))
    }

    #[test]
    fn prefixes_go_and_directories_stay() {
        let cases = [
            ("a/x", "b/x", None, "x", "x"),
            ("x", "x", None, "x", "x"),
            ("i/x", "w/x", None, "x", "x"),
            ("a/x", "x", None, "x", "x"),
            ("x", "b/x", None, "x", "x"),
            ("a/x", "a/x", None, "a/x", "a/x"),
            ("a/a/x", "b/a/x", None, "a/x", "a/x"),
            ("/dev/null", "b/x", None, "-", "x"),
            ("a/x", "/dev/null", None, "x", "-"),
            ("/dev/null", "b/x", Some(("b/x", "b/x")), "-", "b/x"),
            ("/dev/null", "b/b/x", Some(("a/b/x", "b/b/x")), "-", "b/x"),
            ("a/x\t2024-01-01 10:00:00", "b/x\t2024-01-02", None, "x", "x"),
            ("\"a/\\303\\244\"", "\"b/\\303\\244\"", None, "ä", "ä"),
        ];
        for (old, new, git, one, other) in cases {
            assert_eq!(names(old, new, git), Ok((one.to_owned(), other.to_owned())), "{old} {new}");
        }
        for (old, new, git) in [
            ("a/x", "b/y", None),
            ("/dev/null", "/dev/null", None),
            ("a/x", "b/x", Some(("a/y", "b/y"))),
            ("x.orig", "x", None),
        ] {
            assert!(names(old, new, git).is_err(), "{old} {new}");
        }
    }

    #[test]
    fn the_line_of_git_is_split_where_it_can_be() {
        let both = |text: &str| git_names(text.as_bytes()).map(|(old, new)| format!("{old}|{new}"));
        assert_eq!(both("a/x b/x"), Some("a/x|b/x".to_owned()));
        assert_eq!(both("a/x y b/x y"), Some("a/x y|b/x y".to_owned()));
        assert_eq!(both("x x"), Some("x|x".to_owned()));
        assert_eq!(both("a/x b/y"), Some("a/x|b/y".to_owned()));
        assert_eq!(both("a/x 1 b/y"), None);
        assert_eq!(both("\"a/\\\"x\" \"b/\\\"x\""), Some("a/\"x|b/\"x".to_owned()));
        assert_eq!(both("a/x \"b/\\303\\244\""), Some("a/x|b/ä".to_owned()));
        assert_eq!(both("a/x"), None);
    }
}
