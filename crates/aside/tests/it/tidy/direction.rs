//! Which module may import which. The tables mirror the picture in ARCHITECTURE.md.

use std::collections::BTreeSet;

use crate::tidy::source::Source;

/// A crate's top-level modules in rows; a module may import from the rows below its own.
pub struct Layers {
    pub root: &'static str,
    pub rows: &'static [&'static [&'static str]],
    /// Modules of the lowest row that may import only these neighbours. The other modules there may import each other.
    pub alone: &'static [(&'static str, &'static [&'static str])],
    /// Modules whose children may not import each other.
    pub strangers: &'static [&'static str],
}

pub const CORE: Layers = Layers {
    root: "crates/aside-core/src",
    rows: &[&["agent"], &["suggest", "complete", "detect"], &["history"]],
    alone: &[],
    strangers: &[],
};

pub const COMMANDS: Layers = Layers {
    root: "crates/aside-commands/src",
    rows: &[&["safety", "project"], &["world", "shell_names", "spec"]],
    alone: &[],
    strangers: &[],
};

pub const ASIDE: Layers = Layers {
    root: "crates/aside/src",
    rows: &[
        &["cli"],
        &["daemon"],
        &["runner", "bridge"],
        &[
            "provider",
            "agent",
            "exec",
            "capture",
            "world",
            "store",
            "apply",
            "workspace",
            "config",
            "paths",
            "client",
            "screen",
            "connections",
            "confirm",
            "lone_key",
            "rc",
            "reader_file",
            "text_work",
            "touched_files",
            "trusted_file",
        ],
    ],
    alone: &[],
    strangers: &["cli", "daemon::handlers"],
};

/// What no crate but `aside` and `aside-relay` may use: they decide, and `aside` acts.
const ACTS: &[&str] = &[
    "std::fs",
    "std::env",
    "std::net",
    "std::process",
    "std::thread",
    "std::time::SystemTime",
    "std::time::Instant",
    "tokio",
];

/// A message for each import in the wrong direction. Takes all files, to tell a module from an item.
pub fn wrong_imports(sources: &[Source], layers: &Layers) -> Vec<String> {
    let modules: BTreeSet<Vec<String>> = sources.iter().filter_map(|source| source.module(layers.root)).collect();
    let mut wrong = BTreeSet::new();
    for source in sources {
        let Some(module) = source.module(layers.root).filter(|module| !module.is_empty()) else { continue };
        if row(layers, &module[0]).is_none() {
            wrong.insert(format!("{}: give `{}` a row in tests/it/tidy/direction.rs", source.path, module[0]));
        }
        for target in source.paths().iter().filter_map(|path| resolve(path, &module)) {
            let stranger = layers.strangers.iter().any(|parent| are_strangers(parent, &module, &target, &modules));
            if stranger || !may_import(layers, &module, &target) {
                wrong.insert(format!("{}: must not import `{}`", source.path, target.join("::")));
            }
        }
    }
    wrong.into_iter().collect()
}

/// Files that contain only tests.
const TESTS: [&str; 5] = ["/tests.rs", "/tests/teach.rs", "/adversarial.rs", "/random_tests.rs", "/linear.rs"];

/// A message for each use of something that only `aside` may do.
pub fn acts(source: &Source) -> Vec<String> {
    // Tests may read from the environment how much of them to run.
    if TESTS.iter().any(|name| source.path.ends_with(name)) {
        return Vec::new();
    }
    let paths: BTreeSet<String> = source.paths().iter().map(|path| path.join("::")).collect();
    let acting = paths.iter().filter(|path| {
        // A glob import brings the clock along.
        *path == "std::time::*" || ACTS.iter().any(|act| *path == act || path.starts_with(&format!("{act}::")))
    });
    acting.map(|path| format!("{}: core only decides, it must not use `{path}`", source.path)).collect()
}

/// The module path, from the root of the crate, of an import inside the crate.
fn resolve(path: &[String], module: &[String]) -> Option<Vec<String>> {
    match path[0].as_str() {
        "crate" => Some(path[1..].to_vec()),
        "super" => {
            let up = path.iter().take_while(|part| *part == "super").count();
            let base = &module[..module.len().saturating_sub(up)];
            Some(base.iter().chain(&path[up..]).cloned().collect())
        }
        _ => None,
    }
}

fn may_import(layers: &Layers, module: &[String], target: &[String]) -> bool {
    let (Some(from), Some(to)) = (module.first(), target.first()) else { return true };
    if from == to {
        return true;
    }
    match (row(layers, from), row(layers, to)) {
        (Some(from_row), Some(to_row)) if from_row == to_row => {
            let only = layers.alone.iter().find(|(module, _)| module == from).map(|(_, only)| only);
            from_row + 1 == layers.rows.len() && only.is_none_or(|only| only.contains(&to.as_str()))
        }
        (Some(from_row), Some(to_row)) => from_row < to_row,
        // Not a module of the table: an item of the crate's root, or a module that another rule reports.
        (None, _) | (_, None) => true,
    }
}

/// Whether both are different modules below `parent`. Items of `parent` itself are open to all.
fn are_strangers(parent: &str, module: &[String], target: &[String], modules: &BTreeSet<Vec<String>>) -> bool {
    let parent: Vec<String> = parent.split("::").map(str::to_owned).collect();
    let below = |path: &[String]| (path.len() > parent.len() && path.starts_with(&parent)).then_some(parent.len());
    let (Some(depth), Some(_)) = (below(module), below(target)) else { return false };
    module[depth] != target[depth] && modules.contains(&target[..=depth])
}

fn row(layers: &Layers, module: &str) -> Option<usize> {
    layers.rows.iter().position(|row| row.contains(&module))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(path: &str, text: &str) -> Source {
        Source { path: path.to_owned(), text: text.to_owned() }
    }

    fn core(path: &str, text: &str) -> Vec<String> {
        wrong_imports(&[source(&format!("crates/aside-core/src/{path}"), text)], &CORE)
    }

    fn aside(path: &str, text: &str) -> Vec<String> {
        let neighbours = ["cli/man.rs", "cli/mod.rs", "daemon/handlers/detect.rs"]
            .map(|path| source(&format!("crates/aside/src/{path}"), ""));
        let sources = [&neighbours[..], &[source(&format!("crates/aside/src/{path}"), text)]].concat();
        wrong_imports(&sources, &ASIDE)
    }

    #[test]
    fn core_imports_go_one_way() {
        assert_eq!(core("agent/query.rs", "use crate::{detect::x, history};"), Vec::<String>::new());
        assert_eq!(core("history/mod.rs", "use shell_line::Line;\nuse super::filter;"), Vec::<String>::new());
        assert_eq!(core("complete/rank.rs", "use super::facts::Facts;"), Vec::<String>::new());
        assert_eq!(
            core("complete/rank.rs", "use crate::detect::x;"),
            ["crates/aside-core/src/complete/rank.rs: must not import `detect::x`"]
        );
        assert_eq!(core("history.rs", "fn f() { crate::suggest::run() }").len(), 1);
        assert_eq!(core("history.rs", "use super::agent;").len(), 1);
        assert_eq!(core("utils.rs", "").len(), 1);
        assert_eq!(core("lib.rs", "use crate::agent::x;"), Vec::<String>::new());
    }

    #[test]
    fn aside_imports_go_one_way() {
        assert_eq!(aside("cli/init.rs", "use crate::{cli::Exit, daemon, store::x, client};"), Vec::<String>::new());
        assert_eq!(aside("store/mod.rs", "use crate::paths::Paths;"), Vec::<String>::new());
        assert_eq!(aside("cli/init.rs", "use crate::cli::man;").len(), 1);
        assert_eq!(aside("cli/init.rs", "use super::man::page;").len(), 1);
        assert_eq!(aside("daemon/handlers/complete.rs", "use super::detect::x;").len(), 1);
        assert_eq!(aside("daemon/handlers/complete.rs", "use crate::daemon::session::x;"), Vec::<String>::new());
        assert_eq!(aside("runner.rs", "use crate::bridge::web;").len(), 1);
        assert_eq!(aside("store/mod.rs", "use crate::daemon::x;").len(), 1);
    }

    #[test]
    fn core_must_not_act() {
        let wrong = |text| acts(&source("crates/shell-line/src/lib.rs", text)).len();
        assert_eq!(wrong("use std::{collections::HashMap, fmt, time::Duration};"), 0);
        assert_eq!(wrong("use std::{fs, time::{Duration, Instant}};"), 2);
        assert_eq!(wrong("fn f() { std::env::var(\"HOME\"); }"), 1);
        assert_eq!(wrong("use std::time::*;"), 1);
        assert_eq!(wrong("use tokio::sync::mpsc;"), 1);
        assert_eq!(wrong("// std::fs\n#[cfg(test)]\nmod tests { use std::fs; }"), 0);
    }
}
