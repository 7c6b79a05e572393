//! Decides which file names a patch may use: relative ones that stay inside the workspace, outside of `.git`, and not on the deny list.
//! What a name leads to on the disk, e.g. through links, is checked where the file is opened.

use std::fmt;

use aside_text as text;

use crate::denied_files;

pub const MAX_NAME: usize = 1024;
/// The limit of Linux and macOS.
pub const MAX_PART: usize = 255;

/// A path with `/`, relative to the workspace. Only `new` makes one, so every name is checked.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RelativePath(String);

impl RelativePath {
    /// Fails with the reason, phrased as the end of a sentence.
    pub fn new(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Err("the name is empty".to_owned());
        }
        if text.len() > MAX_NAME {
            return Err(format!("the name is longer than {MAX_NAME} bytes"));
        }
        if !text::is_clean(text) || text.contains(['\n', '\t']) {
            return Err("the name has characters that cannot be seen".to_owned());
        }
        if text.starts_with(['/', '~']) || text.as_bytes().get(1) == Some(&b':') {
            return Err("the name is not relative to the workspace; write it from the workspace's root".to_owned());
        }
        if text.contains('\\') {
            return Err("the name has a backslash; write it with /".to_owned());
        }
        for part in text.split('/') {
            check_part(part)?;
        }
        match denied_files::denied(text) {
            Some(what) => Err(format!("this is {what}, which no task touches; change it yourself")),
            None => Ok(Self(text.to_owned())),
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The directories above it, outermost first, and its last component.
    pub fn split(&self) -> (Vec<&str>, &str) {
        let mut parts: Vec<&str> = self.0.split('/').collect();
        let last = parts.pop().unwrap_or_default();
        (parts, last)
    }

    /// Whether the other name is below this one.
    pub fn is_above(&self, other: &RelativePath) -> bool {
        other.0.strip_prefix(&self.0).is_some_and(|rest| rest.starts_with('/'))
    }
}

impl fmt::Display for RelativePath {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

fn check_part(part: &str) -> Result<(), String> {
    match part {
        "" => return Err("the name has an empty part; write it without // and without / at its end".to_owned()),
        "." | ".." => return Err("the name leads out of its directory with . or ..; write it without".to_owned()),
        _ => {}
    }
    if part.len() > MAX_PART {
        return Err(format!("a part of the name is longer than {MAX_PART} bytes"));
    }
    if part.starts_with(char::is_whitespace) || part.ends_with(char::is_whitespace) {
        return Err("a part of the name begins or ends with a blank".to_owned());
    }
    if is_git(part) {
        return Err("it is inside .git, which no task touches".to_owned());
    }
    if part.starts_with(".aside-") {
        return Err("names that begin with .aside- are those of files that are being written".to_owned());
    }
    Ok(())
}

/// Also matches what file systems that ignore case, trailing dots or streams take for `.git`, and its short name on Windows.
fn is_git(part: &str) -> bool {
    // Nearly all names end here, without a copy.
    if part.bytes().next().is_some_and(|first| first.is_ascii() && !matches!(first, b'.' | b'g' | b'G')) {
        return false;
    }
    let lower = part.to_lowercase();
    let base = lower.split(':').next().unwrap_or_default().trim_end_matches(['.', ' ']);
    base == ".git" || base.strip_prefix("git~").is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_stay_inside_are_taken() {
        for name in [
            "a",
            "src/main.rs",
            ".gitignore",
            ".github/workflows/ci.yml",
            "a b/c d.txt",
            "日本/é.md",
            "x/.gitkeep",
            "...",
            "a..b",
        ] {
            assert_eq!(RelativePath::new(name).map(|name| name.to_string()), Ok(name.to_owned()));
        }
    }

    #[test]
    fn a_name_knows_its_parts() {
        let name = RelativePath::new("a/b/c").unwrap();
        assert_eq!(name.split(), (vec!["a", "b"], "c"));
        assert!(RelativePath::new("a/b").unwrap().is_above(&name));
        assert!(!RelativePath::new("a/b/c").unwrap().is_above(&name) && RelativePath::new("a/").is_err());
        assert!(!RelativePath::new("a/bb").unwrap().is_above(&RelativePath::new("a/bbb").unwrap()));
    }
}
