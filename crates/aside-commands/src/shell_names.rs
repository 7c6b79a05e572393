//! Names that only the shell knows, as it sends them. Does not ask for them, and judges none.

pub mod builtins;

use aside_text as text;

/// Names that only the shell itself knows, each list sorted by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShellNames {
    /// Each with its value.
    pub aliases: Vec<(Box<str>, Box<str>)>,
    pub functions: Vec<Box<str>>,
    pub builtins: Vec<Box<str>>,
    /// Names of variables, without their values.
    pub variables: Vec<Box<str>>,
    /// `~name` and the path it stands for.
    pub directories: Vec<(Box<str>, Box<str>)>,
    /// The shell's PATH; `None` before the shell has sent it.
    pub path: Option<Box<str>>,
}

/// Names of one kind; further ones are dropped.
const MAX_NAMES: usize = 20_000;
/// Bytes of one name, or of an alias and its value.
const MAX_NAME: usize = 1024;
/// Bytes of a PATH; further directories are dropped.
const MAX_PATH: usize = 32 * 1024;

impl ShellNames {
    /// Takes one part of a list, as lines. Part 0 begins a new list. Ignores unknown kinds.
    pub fn take(&mut self, kind: &str, part: u32, lines: &str) {
        let lines = lines.lines().filter(|line| !line.is_empty() && line.len() <= MAX_NAME && text::is_clean(line));
        match kind {
            "alias" => put(&mut self.aliases, part, lines.filter_map(pair)),
            "directory" => put(&mut self.directories, part, lines.filter_map(pair)),
            "function" => put(&mut self.functions, part, lines.map(Box::from)),
            "builtin" => put(&mut self.builtins, part, lines.map(Box::from)),
            "variable" => put(&mut self.variables, part, lines.map(Box::from)),
            "path" => self.search(part, lines),
            _ => {}
        }
    }

    /// Directories, in search order.
    fn search<'a>(&mut self, part: u32, directories: impl Iterator<Item = &'a str>) {
        let mut path = self.path.take().filter(|_| part > 0).map(String::from).unwrap_or_default();
        for directory in directories.filter(|directory| !directory.contains(':')) {
            if path.len() + directory.len() >= MAX_PATH {
                break;
            }
            if !path.is_empty() {
                path.push(':');
            }
            path.push_str(directory);
        }
        self.path = Some(path.into());
    }
}

fn put<T: Ord>(list: &mut Vec<T>, part: u32, new: impl Iterator<Item = T>) {
    if part == 0 {
        list.clear();
    }
    list.extend(new);
    list.truncate(MAX_NAMES);
    list.sort();
    list.dedup();
}

fn pair(line: &str) -> Option<(Box<str>, Box<str>)> {
    line.split_once('=').map(|(name, value)| (name.into(), value.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_in_parts_and_begin_anew_with_part_0() {
        let mut names = ShellNames::default();
        names.take("alias", 0, "gst=git status\nbroken\n");
        names.take("alias", 1, "a=b=c\n\n");
        names.take("function", 0, "mkcd\nmkcd\nback");
        names.take("nonsense", 0, "x");
        assert_eq!(names.aliases, [("a".into(), "b=c".into()), ("gst".into(), "git status".into())]);
        assert_eq!(names.functions, ["back".into(), "mkcd".into()]);
        names.take("alias", 0, "");
        assert!(names.aliases.is_empty());
    }

    #[test]
    fn a_path_is_put_together_in_its_own_order_and_has_an_end() {
        let mut names = ShellNames::default();
        assert_eq!(names.path, None);
        names.take("path", 0, "/usr/bin\n/bin\n\nodd:one\n");
        names.take("path", 1, "/a b");
        assert_eq!(names.path.as_deref(), Some("/usr/bin:/bin:/a b"));
        names.take("path", 0, "/bin");
        assert_eq!(names.path.as_deref(), Some("/bin"));
        for part in 1..100 {
            names.take("path", part, &format!("/{}", "x".repeat(MAX_NAME - 1)));
        }
        let length = names.path.as_deref().map_or(0, str::len);
        assert!(length > MAX_PATH - 2 * MAX_NAME && length <= MAX_PATH, "{length}");
        names.take("path", 0, "");
        assert_eq!(names.path.as_deref(), Some(""), "a shell may have none");
    }
}
