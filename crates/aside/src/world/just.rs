//! Recipes of a justfile. Leaves out those of modules, whose names have another form.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use aside_commands::world::LiveItem;
use regex::Regex;

use crate::world::read::{item, read_below};
use crate::world::repository::base_of;

const MAX_IMPORTS: usize = 16;

pub fn recipes(directory: &Path) -> Option<Vec<LiveItem>> {
    let file = directory.ancestors().find_map(justfile)?;
    let around = file.parent()?;
    // A foreign justfile must not turn the user's other files into names.
    let base = base_of(around);
    let mut recipes = Vec::new();
    let imported = parse(&read_below(&base, &file)?, &mut recipes);
    for import in imported.iter().take(MAX_IMPORTS) {
        parse(&read_below(&base, &around.join(import)).unwrap_or_default(), &mut recipes);
    }
    Some(recipes)
}

/// The name in any case.
fn justfile(directory: &Path) -> Option<PathBuf> {
    let names = std::fs::read_dir(directory).ok()?.flatten();
    let mut found = names.filter(|entry| {
        let name = entry.file_name();
        name.eq_ignore_ascii_case("justfile") || name.eq_ignore_ascii_case(".justfile")
    });
    found.next().map(|entry| entry.path())
}

/// Adds the recipes, and returns the imported files.
fn parse(text: &str, recipes: &mut Vec<LiveItem>) -> Vec<String> {
    static HEAD: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"^@?([A-Za-z_][\w-]*)((?:\s+(?:[^:"'\s]|"[^"]*"|'[^']*')+)*)\s*:(?:[^=]|$)"#).unwrap()
    });
    static ALIAS: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^alias\s+([\w-]+)\s*:=\s*([\w:-]+)").unwrap());
    static IMPORT: LazyLock<Regex> = LazyLock::new(|| Regex::new(r#"^import\??\s+['"]([^'"]+)['"]"#).unwrap());
    static DOC: LazyLock<Regex> = LazyLock::new(|| Regex::new(r#"doc\s*[(:]\s*['"]([^'"]*)['"]"#).unwrap());
    let mut imported = Vec::new();
    let (mut doc, mut private) = (String::new(), false);
    for line in text.lines() {
        if line.starts_with([' ', '\t']) {
            continue;
        }
        if let Some(comment) = line.strip_prefix('#') {
            doc = comment.trim().to_owned();
        } else if line.starts_with('[') {
            private |= line.contains("private");
            if let Some(said) = DOC.captures(line) {
                doc = said[1].to_owned();
            }
        } else {
            let (doc, private) = (std::mem::take(&mut doc), std::mem::take(&mut private));
            if let Some(alias) = ALIAS.captures(line) {
                recipes.push(item(&alias[1], format!("alias of {}", &alias[2])));
            } else if let Some(import) = IMPORT.captures(line) {
                imported.push(import[1].to_owned());
            } else if let Some(head) = HEAD.captures(line)
                && !private
                && !head[1].starts_with('_')
            {
                let about = if doc.is_empty() { head[2].trim().to_owned() } else { doc };
                recipes.push(item(&head[1], about));
            }
        }
    }
    imported
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::read::repository_beside_a_secret;

    #[test]
    fn files_outside_of_the_repository_are_not_read() {
        let temp = repository_beside_a_secret();
        let at = |name: &str| temp.path().join(name);
        let outside = at("netrc").display().to_string();
        let text = format!("import '{outside}'\nimport '../../netrc'\nimport '../link'\nimport '../up'\nown: \n");
        std::fs::write(at("repo/below/justfile"), text).unwrap();
        std::fs::write(at("repo/up"), "shared: \n").unwrap();
        let names = |items: Vec<LiveItem>| items.into_iter().map(|item| item.name.to_string()).collect::<Vec<_>>();
        assert_eq!(names(recipes(&at("repo/below")).unwrap()), ["own", "shared"]);
        std::fs::remove_file(at("repo/below/justfile")).unwrap();
        std::os::unix::fs::symlink(at("netrc"), at("repo/below/justfile")).unwrap();
        assert_eq!(recipes(&at("repo/below")).map(names), None);
    }

    #[test]
    fn hits_and_misses() {
        let temp = tempfile::tempdir().unwrap();
        let text = r#"
set shell := ["bash", "-c"]
version := "1:2"
export PATH := "x"
import 'more.just'
mod sub

alias b := build

# build everything
build target="a:b" *flags: lint
    cargo build
    echo not: this

@quiet:
  true

_hidden:
[private]
secret:
[group('x')]
[doc("say hello")]
hello name:
nothing here
deploy host port='22':
"#;
        std::fs::write(temp.path().join("Justfile"), text).unwrap();
        std::fs::write(temp.path().join("more.just"), "lint: \n  true\n").unwrap();
        let below = temp.path().join("a/b");
        std::fs::create_dir_all(&below).unwrap();
        let items = recipes(&below).unwrap();
        let found: Vec<String> = items.iter().map(|item| format!("{} {}", item.name, item.about)).collect();
        let expected = [
            "b alias of build",
            "build build everything",
            "quiet ",
            "hello say hello",
            "deploy host port='22'",
            "lint ",
        ];
        assert_eq!(found, expected);
    }
}
