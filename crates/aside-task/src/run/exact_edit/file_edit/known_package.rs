//! Packages that everyone knows by their names, so that `add zod` says enough. Any other word may name anything.

use std::collections::BTreeMap;

use crate::run::exact_edit::EditResult;
use crate::run::exact_edit::manifest::{self, Dependency};

const LIST: &str = include_str!("../../../../data/task/packages.txt");

/// The registries that know the name, and the name that they know it by.
fn registries(name: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    LIST.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(':')).flat_map(
        move |(registry, names)| {
            names
                .split_whitespace()
                .map(|known| known.split_once('=').unwrap_or((known, known)))
                .filter(move |(short, _)| *short == name)
                .map(move |(_, full)| (registry, full))
        },
    )
}

pub fn is_known(name: &str) -> bool {
    registries(name).next().is_some() || name.starts_with('@') && name.matches('/').count() == 1
}

/// The dependency as the registry of a project with these files knows it.
fn dependency(name: &str, has: &dyn Fn(&str) -> bool) -> Option<Dependency> {
    let registry = match () {
        () if has("package.json") => "npm",
        () if has("Cargo.toml") => "cargo",
        () if has("pyproject.toml") || has("requirements.txt") => "pip",
        () if has("go.mod") => "go",
        () => return None,
    };
    let made = |name: &str, dev: bool| Some(Dependency { name: name.to_owned(), version: None, dev, file: None });
    if registry == "npm" && name.starts_with('@') {
        return made(name, name.starts_with("@types/"));
    }
    let (known, full) = registries(name).find(|(known, _)| known.trim_end_matches("-dev") == registry)?;
    made(full, known.ends_with("-dev"))
}

pub fn command(name: &str, has: &dyn Fn(&str) -> bool) -> Option<String> {
    manifest::command(&dependency(name, has)?, has)
}

pub fn add(name: &str, files: &BTreeMap<String, String>) -> EditResult {
    match dependency(name, &|file| files.contains_key(file)) {
        Some(dependency) => manifest::add(&dependency, files),
        None => EditResult::Nothing(String::new()),
    }
}
