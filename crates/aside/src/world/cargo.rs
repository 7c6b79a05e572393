//! Packages of a Cargo workspace and their targets. Goes by file locations, as Cargo does.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use aside_commands::world::LiveItem;
use toml_edit::DocumentMut;

use crate::world::read::{glob, item, read_below, resolved_below};
use crate::world::repository::base_of;

/// Cap on packages of a workspace.
const MAX_PACKAGES: usize = 500;

/// Kinds of which a package may have several.
#[derive(Clone, Copy)]
pub enum Target {
    Bin,
    Example,
    Test,
}

pub fn packages(directory: &Path) -> Option<Vec<LiveItem>> {
    let nearest = nearest(directory)?;
    let members = workspace(&nearest);
    let mut names: Vec<LiveItem> = members.iter().filter_map(|member| Some(item(member.name()?, ""))).collect();
    // The current package is the most likely one.
    names.sort_by_key(|member| Some(&*member.name) != nearest.name());
    Some(names)
}

pub fn targets(directory: &Path, target: Target) -> Option<Vec<LiveItem>> {
    let mut items = Vec::new();
    for package in meant(directory)? {
        let about = package.name().unwrap_or_default();
        items.extend(package.targets(target).into_iter().map(|name| item(name, about)));
    }
    Some(items)
}

pub fn features(directory: &Path) -> Option<Vec<LiveItem>> {
    let mut items = Vec::new();
    for package in meant(directory)? {
        items.extend(package.features());
    }
    items.sort_by_key(|feature| &*feature.name == "default");
    Some(items)
}

/// The packages that Cargo selects without `-p`: the current one, or all of a virtual workspace.
fn meant(directory: &Path) -> Option<Vec<Manifest>> {
    let nearest = nearest(directory)?;
    Some(if nearest.name().is_some() { vec![nearest] } else { workspace(&nearest) })
}

struct Manifest {
    directory: PathBuf,
    document: DocumentMut,
    /// Nothing outside of it is read: a foreign manifest must not turn the user's other files into names.
    base: PathBuf,
}

fn nearest(directory: &Path) -> Option<Manifest> {
    directory.ancestors().find_map(Manifest::found)
}

/// Every package of the manifest's workspace.
fn workspace(nearest: &Manifest) -> Vec<Manifest> {
    let mut above = nearest.directory.ancestors().filter_map(Manifest::found);
    let Some(root) = above.find(|manifest| manifest.document.get("workspace").is_some()) else {
        return Manifest::found(&nearest.directory).into_iter().collect();
    };
    let listed = |key: &str| {
        let list = root.document["workspace"].get(key).and_then(|list| list.as_array());
        let patterns = list.into_iter().flatten().filter_map(|pattern| pattern.as_str());
        glob(patterns.map(|pattern| root.directory.join(pattern)))
    };
    let excluded: HashSet<PathBuf> = listed("exclude").into_iter().collect();
    let mut directories = listed("members");
    directories.retain(|directory| !excluded.contains(directory));
    directories.insert(0, root.directory.clone());
    directories.dedup();
    directories.iter().take(MAX_PACKAGES).filter_map(|directory| Manifest::read(directory, &root.base)).collect()
}

impl Manifest {
    fn found(directory: &Path) -> Option<Self> {
        // Checks for the file first: finding the repository takes longer.
        directory.join("Cargo.toml").is_file().then(|| Self::read(directory, &base_of(directory)))?
    }

    fn read(directory: &Path, base: &Path) -> Option<Self> {
        let document = read_below(base, &directory.join("Cargo.toml"))?.parse().ok()?;
        Some(Self { directory: directory.to_owned(), document, base: base.to_owned() })
    }

    fn name(&self) -> Option<&str> {
        self.document.get("package")?.get("name")?.as_str()
    }

    fn targets(&self, target: Target) -> Vec<String> {
        let (key, directory) = match target {
            Target::Bin => ("bin", "src/bin"),
            Target::Example => ("example", "examples"),
            Target::Test => ("test", "tests"),
        };
        let written = self.document.get(key).and_then(|list| list.as_array_of_tables());
        let text = |key: &'static str| {
            written.into_iter().flatten().filter_map(move |one| one.get(key)?.as_str()).map(str::to_owned)
        };
        let mut names: Vec<String> = text("name").collect();
        // A file with an explicit target name contributes no name of its own.
        let paths: HashSet<String> = text("path").map(|path| path.trim_start_matches("./").to_owned()).collect();
        let is_named = |path: &str| paths.contains(path);
        let main = !is_named("src/main.rs") && self.directory.join("src/main.rs").is_file();
        names.extend(self.name().filter(|_| matches!(target, Target::Bin) && main).map(str::to_owned));
        let mut found = Vec::new();
        let listed = resolved_below(&self.base, &self.directory.join(directory)).map(std::fs::read_dir);
        for entry in listed.into_iter().flatten().flatten().flatten() {
            let Ok(name) = entry.file_name().into_string() else { continue };
            match name.strip_suffix(".rs") {
                Some(_) if is_named(&format!("{directory}/{name}")) => {}
                Some(stem) => found.push(stem.to_owned()),
                None if entry.path().join("main.rs").is_file() => found.push(name),
                None => {}
            }
        }
        found.sort();
        names.extend(found);
        names
    }

    fn features(&self) -> Vec<LiveItem> {
        let table = |key: &str| self.document.get(key).and_then(|item| item.as_table_like());
        let mut features: Vec<LiveItem> = Vec::new();
        let mut mentioned: HashSet<&str> = HashSet::new();
        for (name, value) in table("features").into_iter().flat_map(|table| table.iter()) {
            let parts: Vec<&str> = value.as_array().into_iter().flatten().filter_map(|part| part.as_str()).collect();
            mentioned.extend(parts.iter().filter_map(|part| part.strip_prefix("dep:")));
            features.push(item(name, parts.join(" ")));
        }
        // An optional dependency is a feature, unless a feature refers to it as `dep:`.
        for (name, value) in table("dependencies").into_iter().flat_map(|table| table.iter()) {
            let optional = value.get("optional").and_then(|optional| optional.as_bool()) == Some(true);
            if optional && !mentioned.contains(name) {
                features.push(item(name, "optional dependency"));
            }
        }
        features
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::read::repository_beside_a_secret;

    fn names(items: Option<Vec<LiveItem>>) -> Vec<String> {
        items.unwrap().into_iter().map(|item| item.name.into_string()).collect()
    }

    #[test]
    fn files_outside_of_the_repository_are_not_read() {
        let temp = repository_beside_a_secret();
        let at = |name: &str| temp.path().join(name);
        let write = |name: &str, text: &str| {
            std::fs::create_dir_all(at(name).parent().unwrap()).unwrap();
            std::fs::write(at(name), text).unwrap();
        };
        write("private/Cargo.toml", "[package]\nname = 'private'\n");
        write("private/bins/secret.rs", "");
        write("repo/own/Cargo.toml", "[package]\nname = 'own'\n");
        let outside = at("private").display().to_string();
        let members = format!("'../private', '../*', '{outside}', 'member', 'file', 'own'");
        write("repo/Cargo.toml", &format!("[workspace]\nmembers = [{members}]\n"));
        std::os::unix::fs::symlink("../private", at("repo/member")).unwrap();
        std::fs::create_dir_all(at("repo/file")).unwrap();
        std::os::unix::fs::symlink("../../private/Cargo.toml", at("repo/file/Cargo.toml")).unwrap();
        std::fs::create_dir_all(at("repo/own/src")).unwrap();
        std::os::unix::fs::symlink("../../../private/bins", at("repo/own/src/bin")).unwrap();
        assert_eq!(names(packages(&at("repo"))), ["own"]);
        assert_eq!(names(targets(&at("repo/own"), Target::Bin)), Vec::<String>::new());
        std::fs::remove_file(at("repo/Cargo.toml")).unwrap();
        std::os::unix::fs::symlink("../private/Cargo.toml", at("repo/Cargo.toml")).unwrap();
        assert_eq!(packages(&at("repo")), None);
    }

    #[test]
    fn a_workspace_and_what_is_in_it() {
        let temp = tempfile::tempdir().unwrap();
        for (file, text) in [
            ("Cargo.toml", "[workspace]\nmembers = ['crates/*', 'tool']\nexclude = ['crates/old']\n"),
            ("crates/old/Cargo.toml", "[package]\nname = 'old'\n"),
            (
                "crates/app/Cargo.toml",
                "[package]\nname = 'app'\n[[bin]]\nname = 'extra'\npath = 'x.rs'\n[features]\ndefault = ['fast']\nfast = ['dep:a']\n\
                 [dependencies]\na = { version = '1', optional = true }\nb = { version = '1', optional = true }\nc = '1'\n",
            ),
            ("crates/app/src/main.rs", ""),
            ("crates/app/src/bin/second.rs", ""),
            ("crates/app/src/bin/third/main.rs", ""),
            ("crates/app/src/bin/third/other.rs", ""),
            ("crates/app/examples/demo.rs", ""),
            ("crates/app/tests/it.rs", ""),
            ("crates/app/tests/data/file.txt", ""),
            ("crates/library/Cargo.toml", "[package]\nname = 'library'\n"),
            ("tool/Cargo.toml", "[package]\nname = 'tool'\n"),
            ("tool/src/main.rs", ""),
        ] {
            std::fs::create_dir_all(temp.path().join(file).parent().unwrap()).unwrap();
            std::fs::write(temp.path().join(file), text).unwrap();
        }
        let root = temp.path();
        let inside = root.join("crates/app/src");
        assert_eq!(names(packages(root)), ["app", "library", "tool"]);
        assert_eq!(names(packages(&root.join("tool"))), ["tool", "app", "library"]);
        assert_eq!(names(targets(&inside, Target::Bin)), ["extra", "app", "second", "third"]);
        assert_eq!(names(targets(root, Target::Bin)), ["extra", "app", "second", "third", "tool"]);
        assert_eq!(names(targets(&inside, Target::Example)), ["demo"]);
        assert_eq!(names(targets(&inside, Target::Test)), ["it"]);
        assert_eq!(names(features(&inside)), ["fast", "b", "default"]);
        assert_eq!(names(targets(&root.join("crates/library"), Target::Bin)), Vec::<String>::new());
        std::fs::write(root.join("tool/Cargo.toml"), "not toml = = ").unwrap();
        assert_eq!(names(packages(&root.join("tool"))), ["app", "library"]);
    }
}
