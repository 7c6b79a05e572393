//! The map of ARCHITECTURE.md against the tree: every folder is named, and every named folder exists.

use std::collections::BTreeSet;
use std::path::Path;

const HEADING: &str = "## The map";

/// Folders besides the crates' `src`, and how many levels below them the map names.
const OTHERS: &[(&str, usize)] = &[
    ("crates/aside/shell", 0),
    ("crates/aside/web", 0),
    ("crates/aside/tests/it", 0),
    ("crates/aside/benches", 0),
    ("crates/aside/eval", 0),
    ("data", 1),
    ("editors", 1),
    ("scripts", 0),
    ("packaging", 0),
];

/// Levels below a crate's `src` and below its `data`. A crate that is a single module has one level less.
const DEPTH: usize = 2;
const MODULES: [&str; 3] = ["crates/shell-line", "crates/aside-task", "crates/aside-translate"];

/// A complaint for each folder that the map does not name, and for each named path that is gone. A path also names the
/// folders above it.
pub fn wrong_map(architecture: &str, folders: &[String]) -> Vec<String> {
    let named = named_paths(architecture);
    let with_parents = |paths: &mut dyn Iterator<Item = &str>| -> BTreeSet<String> {
        paths.flat_map(|path| Path::new(path).ancestors()).map(|path| path.display().to_string()).collect()
    };
    let known = with_parents(&mut named.iter().map(String::as_str));
    let there = with_parents(&mut folders.iter().map(String::as_str));
    let missing = folders.iter().filter(|folder| !known.contains(*folder));
    let missing = missing.map(|folder| format!("ARCHITECTURE.md: the map does not name {folder}/"));
    let gone = named.iter().filter(|path| !there.contains(*path));
    missing.chain(gone.map(|path| format!("ARCHITECTURE.md: the map names {path}/, which is gone"))).collect()
}

/// The folders that the map has to name, relative to the root. Leaves out those that hold only tests.
pub fn folders(root: &Path) -> Vec<String> {
    let crates = children(root, "crates");
    let depth = |name: &str| if MODULES.contains(&name) { DEPTH - 1 } else { DEPTH };
    let sources = crates.iter().map(|name| (format!("{name}/src"), depth(name)));
    let data = crates.iter().map(|name| (format!("{name}/data"), 1));
    let others = OTHERS.iter().map(|(folder, depth)| ((*folder).to_owned(), *depth));
    let mut found = Vec::new();
    for (folder, depth) in sources.chain(data).chain(others).filter(|(folder, _)| root.join(folder).is_dir()) {
        collect(root, folder, depth, &mut found);
    }
    found
}

fn collect(root: &Path, folder: String, depth: usize, found: &mut Vec<String>) {
    if depth > 0 {
        for child in children(root, &folder).into_iter().filter(|child| has_more_than_tests(root, child)) {
            collect(root, child, depth - 1, found);
        }
    }
    found.push(folder);
}

fn has_more_than_tests(root: &Path, folder: &str) -> bool {
    const TESTS: [&str; 3] = ["tests", "random_tests", "adversarial"];
    let mut entries = std::fs::read_dir(root.join(folder)).unwrap().map(|entry| entry.unwrap().path());
    let is_test = |path: &Path| path.file_stem().is_some_and(|stem| TESTS.iter().any(|name| stem == *name));
    !is_test(Path::new(folder))
        && entries.any(|path| match path.strip_prefix(root) {
            Ok(below) if path.is_dir() => has_more_than_tests(root, &below.display().to_string()),
            _ => !is_test(&path),
        })
}

fn children(root: &Path, folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(root.join(folder)).unwrap().map(|entry| entry.unwrap());
    let folders = entries.filter(|entry| entry.path().is_dir()).map(|entry| entry.file_name().into_string().unwrap());
    let mut names: Vec<String> = folders.map(|name| format!("{folder}/{name}")).collect();
    names.sort_unstable();
    names
}

/// The first word of each line of the map, if it ends with a slash. An indented path is below the last one at the margin;
/// `a/{b,c}/` is two paths.
fn named_paths(architecture: &str) -> Vec<String> {
    let section = architecture.lines().skip_while(|line| *line != HEADING).skip(1);
    let section = section.take_while(|line| !line.starts_with("## "));
    let fenced =
        section.skip_while(|line| !line.starts_with("```")).skip(1).take_while(|line| !line.starts_with("```"));
    let mut base = "";
    let mut paths = Vec::new();
    for line in fenced {
        let Some(path) = line.split_whitespace().next().and_then(|word| word.strip_suffix('/')) else { continue };
        if line.starts_with(' ') {
            paths.extend(expanded(path).into_iter().map(|path| format!("{base}/{path}")));
        } else {
            base = path;
            paths.extend(expanded(path));
        }
    }
    paths
}

fn expanded(path: &str) -> Vec<String> {
    let braces = path.split_once('{').and_then(|(head, rest)| Some((head, rest.split_once('}')?)));
    let Some((head, (names, tail))) = braces else { return vec![path.to_owned()] };
    names.split(',').map(|name| format!("{head}{name}{tail}")).collect()
}

#[test]
fn a_folder_that_the_map_lacks_or_that_is_gone_is_found() {
    let page = "# Page\n\n```\nother/  no map\n```\n\n## The map\n\n```\ncrates/x/src/  all\n  a/   one\n  \
                b/{c,d}/  two\nscripts/   last\n```\n\n## Next\n\n```\nlater/  no map\n```\n";
    let folders = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<String>>();
    let there = ["crates/x/src", "crates/x/src/a", "crates/x/src/b", "crates/x/src/b/c", "crates/x/src/b/d", "scripts"];
    assert_eq!(wrong_map(page, &folders(&there)), [""; 0]);
    assert_eq!(
        wrong_map(page, &folders(&[&there[..], &["crates/x/src/new"]].concat())),
        ["ARCHITECTURE.md: the map does not name crates/x/src/new/"]
    );
    assert_eq!(wrong_map(page, &folders(&there[..5])), ["ARCHITECTURE.md: the map names scripts/, which is gone"]);
    assert_eq!(wrong_map("", &folders(&there)).len(), there.len());
}

#[test]
fn folders_are_found_without_those_of_tests() {
    let found = folders(&super::root());
    assert!(found.contains(&"crates/aside-task/src/gate".to_owned()), "{found:?}");
    assert!(!found.contains(&"crates/aside-task/src/machine".to_owned()), "it holds only tests");
}
