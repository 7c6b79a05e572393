//! Looks up the package of a program, a module or a header, as far as it is well known. Data:
//! `data/suggest/packages.txt`.

use std::collections::HashMap;
use std::sync::LazyLock;

use aside_commands::world::{Fact, FileKind};

use crate::suggest::SuggestContext;

const PACKAGES: &str = include_str!("../../data/suggest/packages.txt");

/// Package managers in order of preference, and whether they need root.
const MANAGERS: [(&str, &str, Rights); 6] = [
    ("apt", "apt install", Rights::Root),
    ("dnf", "dnf install", Rights::Root),
    ("pacman", "pacman -S", Rights::Root),
    ("apk", "apk add", Rights::Root),
    ("zypper", "zypper install", Rights::Root),
    ("brew", "brew install", Rights::Own),
];

/// Subdirectories, and entries of each, in which a module may be the user's own.
const MAX_DIRECTORIES: usize = 8;
const MAX_ENTRIES: usize = 200;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rights {
    Own,
    Root,
}

#[derive(Default)]
struct Table {
    /// Packages by program and manager; `*` for all other managers.
    programs: HashMap<&'static str, Vec<(&'static str, &'static str)>>,
    modules: HashMap<&'static str, &'static str>,
    headers: HashMap<&'static str, Vec<(&'static str, &'static str)>>,
    instead: HashMap<&'static str, Vec<&'static str>>,
    /// Well-known names, by section.
    names: HashMap<&'static str, Vec<&'static str>>,
}

fn table() -> &'static Table {
    static TABLE: LazyLock<Table> = LazyLock::new(|| {
        let mut table = Table::default();
        let mut section = "";
        for row in PACKAGES.lines().map(str::trim).filter(|row| !row.is_empty() && !row.starts_with('#')) {
            if let Some(name) = row.strip_prefix('[').and_then(|row| row.strip_suffix(']')) {
                section = name;
                continue;
            }
            let Some((name, rest)) = row.split_once(": ") else { continue };
            let by_manager =
                || rest.split_whitespace().map(|word| word.split_once('=').unwrap_or(("*", word))).collect();
            match section {
                "programs" => drop(table.programs.insert(name, by_manager())),
                "headers" => drop(table.headers.insert(name, by_manager())),
                "modules" => {
                    table.modules.insert(name, rest);
                    table.names.entry("modules").or_default().push(rest);
                }
                "standard" | "python-tools" | "kubernetes" | "find" => {
                    table.names.entry(section).or_default().extend(rest.split_whitespace());
                }
                "instead" => drop(table.instead.insert(name, rest.split(", ").collect())),
                _ => {}
            }
        }
        table
    });
    &TABLE
}

/// The command that installs the package of a program.
pub fn install(program: &str, place: &SuggestContext<'_>) -> Option<String> {
    installed(table().programs.get(program)?, place)
}

/// The same for a C header.
pub fn header(name: &str, place: &SuggestContext<'_>) -> Option<String> {
    installed(table().headers.get(name)?, place)
}

/// The pip package of a module. `None` for a name that resembles another one: misspelt package names are a common trap
/// (typosquatting).
pub fn module(name: &str, place: &SuggestContext<'_>) -> Option<String> {
    if let Some(package) = table().modules.get(name) {
        return Some((*package).to_owned());
    }
    let is_near =
        |known: &str| known != name && strsim::osa_distance(known, name) <= if name.len() > 4 { 2 } else { 1 };
    let taken = table()
        .modules
        .keys()
        .copied()
        .chain(names("standard").iter().copied())
        .any(|known| known == name || is_near(known));
    let own = |known: &str| known == name || is_near(known);
    (!taken && !local(place).iter().any(|known| own(known))).then(|| name.to_owned())
}

/// Names of files and directories here and one level below, without their endings.
fn local(place: &SuggestContext<'_>) -> Vec<String> {
    let stem = |name: &str| name.split('.').next().unwrap_or(name).to_owned();
    let Some(here) = place.world.entries(place.cwd).yes() else { return Vec::new() };
    let mut names: Vec<String> = here.iter().map(|entry| stem(&entry.name)).collect();
    let directories = here.iter().filter(|entry| entry.kind == FileKind::Directory && !entry.name.starts_with('.'));
    for directory in directories.take(MAX_DIRECTORIES) {
        let below = place.world.entries(&format!("{}/{}", place.cwd.trim_end_matches('/'), directory.name)).yes();
        names.extend(below.iter().flat_map(|below| below.iter()).take(MAX_ENTRIES).map(|entry| stem(&entry.name)));
    }
    names
}

/// Whether it is a package in one of our lists.
pub fn is_package(name: &str) -> bool {
    let lists = table().programs.values().chain(table().headers.values());
    lists.flatten().any(|(_, packages)| packages.split(',').any(|package| package == name))
}

/// Whether it is a program that some package contains.
pub fn is_program(name: &str) -> bool {
    table().programs.contains_key(name)
}

/// The names of one of our lists.
pub fn names(list: &str) -> &'static [&'static str] {
    table().names.get(list).map_or(&[], Vec::as_slice)
}

/// Replacements for a command that is not installed, the best first.
pub fn instead(program: &str) -> &'static [&'static str] {
    table().instead.get(program).map_or(&[], Vec::as_slice)
}

fn installed(packages: &[(&str, &str)], place: &SuggestContext<'_>) -> Option<String> {
    let has = |name: &str| place.world.has_program(name) == Fact::Yes(true);
    let (manager, command, rights) = MANAGERS.iter().find(|(manager, _, _)| has(manager))?;
    let named = packages.iter().find(|(of, _)| of == manager).or_else(|| packages.iter().find(|(of, _)| *of == "*"))?;
    // `-` marks a manager without such a package.
    if named.1 == "-" {
        return None;
    }
    let root = if *rights == Rights::Root && has("sudo") && !place.world.is_root() { "sudo " } else { "" };
    // Several packages are separated by commas.
    Some(format!("{root}{command} {}", named.1.replace(',', " ")))
}
