//! `scripts/scenes-of.txt` against the tree: `make check` plays no scene that it does not name.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What the paths of the list may begin.
pub const TREES: [&str; 8] = ["README.md", "crates", "data", "docs", "editors", "examples", "packaging", "scripts"];

/// A complaint for each scene that no path leads to, each name that is neither group nor scene, each path that begins no file, and
/// each file of a crate's sources that no path begins.
pub fn untrue(list: &str, scenes: &BTreeSet<String>, files: &[String]) -> Vec<String> {
    let lines = list.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let (groups, paths): (Vec<&str>, Vec<&str>) = lines.partition(|line| line.split_whitespace().nth(1) == Some("="));
    let groups: BTreeMap<&str, Vec<&str>> = groups.into_iter().map(|line| (head(line), words(line, 2))).collect();
    let paths: Vec<(&str, Vec<&str>)> = paths.into_iter().map(|line| (head(line), words(line, 1))).collect();

    let mut wrong = Vec::new();
    let used = paths.iter().flat_map(|(_, named)| named.iter().copied()).chain(["always"]);
    let mut reached = BTreeSet::new();
    for name in used {
        match groups.get(name) {
            Some(members) => reached.extend(members.iter().copied()),
            None => _ = reached.insert(name),
        }
    }
    let known = |name: &&str| scenes.contains(*name) || ["all", "none"].contains(name);
    let unknown = groups.values().flatten().chain(&reached).filter(|name| !known(name)).collect::<BTreeSet<_>>();
    wrong.extend(unknown.into_iter().map(|name| format!("`{name}` is no scene file and no group")));
    let unreached = scenes.iter().filter(|scene| !reached.contains(scene.as_str()));
    wrong.extend(unreached.map(|scene| format!("no path leads to {scene}.rs")));
    let begins = |path: &str| files.iter().any(|file| file.starts_with(path));
    wrong.extend(paths.iter().filter(|(path, _)| !begins(path)).map(|(path, _)| format!("{path} is gone")));
    let missed = files.iter().filter(|file| file.contains("/src/"));
    let missed = missed.filter(|file| !paths.iter().any(|(path, _)| file.starts_with(path)));
    wrong.extend(missed.map(|file| format!("no path begins {file}")));
    wrong.iter().map(|complaint| format!("scripts/scenes-of.txt: {complaint}")).collect()
}

/// The files below a path, relative to the root.
pub fn files(root: &Path, path: &str) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(root.join(path)) else { return vec![path.to_owned()] };
    let names = entries.flatten().map(|entry| format!("{path}/{}", entry.file_name().display()));
    names.flat_map(|path| files(root, &path)).collect()
}

fn head(line: &str) -> &str {
    line.split_whitespace().next().unwrap_or_default()
}

fn words(line: &str, after: usize) -> Vec<&str> {
    line.split_whitespace().skip(after).collect()
}

#[test]
fn what_is_not_named_is_found() {
    let scenes = ["bar", "zsh"].map(str::to_owned).into();
    let files = ["crates/a/src/lib.rs".to_owned(), "crates/b/src/lib.rs".to_owned()];
    let untrue = |list| untrue(list, &scenes, &files);
    assert_eq!(untrue("always = bar\nline = zsh\n\ncrates/a line\ncrates/b none\n"), Vec::<String>::new());
    let found = untrue("always = bar\nline = zshh\ncrates/a line\ncrates/c/src none\n").join("\n");
    for part in ["`zshh` is no scene", "no path leads to zsh.rs", "crates/c/src is gone", "no path begins crates/b/src"]
    {
        assert!(found.contains(part), "{part}: {found}");
    }
}
