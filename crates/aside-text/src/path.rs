//! Paths as text. Follows no links and reads no disk.

/// The names on the way from the root to an absolute path, without `.` and `..`.
pub fn names<'a>(parts: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let mut names = Vec::new();
    for part in parts {
        match part {
            "" | "." => {}
            ".." => drop(names.pop()),
            name => names.push(name),
        }
    }
    names
}

/// A path below a directory as an absolute one without `.`, `..` and double slashes. An absolute path has `""` as its directory.
pub fn normalized(directory: &str, path: &str) -> String {
    format!("/{}", names(directory.split('/').chain(path.split('/'))).join("/"))
}

#[cfg(test)]
mod tests {
    use super::normalized;

    #[test]
    fn dots_and_slashes_go_and_nothing_is_above_the_root() {
        for (directory, path, expected) in [
            ("/home/ann", "src/../docs/./a.md", "/home/ann/docs/a.md"),
            ("/home/ann/", "..", "/home"),
            ("", "//usr///bin/", "/usr/bin"),
            ("", "/../../etc", "/etc"),
            ("/", "../..", "/"),
            ("", "/a/...", "/a/..."),
        ] {
            assert_eq!(normalized(directory, path), expected, "{directory:?} {path:?}");
        }
    }
}
