//! Which part of a project the tests are asked for: a package, a module, a file, by its name in the request and its path.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use aside_text::lazy_regex::Regex;

use super::arguments::{Argument, Arguments};

/// The part of the project whose tests are asked for: `counter` of "run the tests for the counter module only".
pub fn named(words: &str) -> Option<String> {
    static PART: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"(?i)\btests?\s+(?:for|of|in|from)\s+(?:the\s+)?`?(?P<name>[\w./-]+)`?(?:\s+(?:package|module|crate|file|directory|folder))?(?:\s+(?:only|alone))?\s*[.!?]?$|\b(?:the\s+)?`?(?P<other>[\w./-]+)`?\s+(?:package|module)(?:'s)?\s+tests?(?:\s+(?:only|alone))?\s*[.!?]?$|^(?:please\s+)?(?:(?:run|execute)\s+)?(?:(?:only|just)\s+)?the\s+`?(?P<third>[\w./-]+)`?\s+(?:tests?|specs?)(?:\s+(?:only|please))?\s*[.!?]?$").ok()
    });
    // "The parser tests verbosely" adds a mode to the part.
    let words = Arguments::of(words.trim().trim_end_matches(['.', '!', '?']).trim_end_matches(" please"));
    let words = words.all.iter().all(|one| matches!(one, Argument::Mode(_))).then_some(words.rest)?;
    let found = PART.as_ref()?.captures(&words)?;
    let name = found
        .name("name")
        .or(found.name("other"))
        .or(found.name("third"))?
        .as_str()
        .trim_matches(['/', '.'])
        .to_owned();
    let is_all = [
        "unit",
        "all",
        "whole",
        "integration",
        "failing",
        "failed",
        "slow",
        "fast",
        "other",
        "new",
        "end-to-end",
        "e2e",
    ];
    (!name.is_empty() && !is_all.contains(&name.to_lowercase().as_str())).then_some(name)
}

/// The one file or directory that a part is called by. Tests themselves do not count.
pub fn path<'a>(name: &str, paths: impl Iterator<Item = &'a str>) -> Option<String> {
    let mut found: BTreeSet<String> = BTreeSet::new();
    let all_paths: Vec<&str> = paths.collect();
    // A path is what it is.
    let below = format!("{name}/");
    if name.contains('/') && all_paths.iter().any(|path| *path == name || path.starts_with(&below)) {
        return Some(name.to_owned());
    }
    for path in &all_paths {
        let parts: Vec<&str> = path.split('/').collect();
        let Some((file, above)) = parts.split_last() else { continue };
        if let Some(at) = above.iter().position(|part| part.eq_ignore_ascii_case(name)) {
            found.insert(parts.get(..=at).unwrap_or_default().join("/"));
        } else if *path == name || file.split('.').next().is_some_and(|stem| stem.eq_ignore_ascii_case(name)) {
            found.insert((*path).to_owned());
        }
    }
    // The tests of it alone may be called so: `test_fees.py`, `limiter.test.ts`.
    if found.len() != 1
        && let Some(tests) = tests_of(name, &all_paths)
    {
        return Some(tests);
    }
    // A file in a directory of the same name belongs to it.
    let all = found.clone();
    found.retain(|path| !all.iter().any(|other| path != other && path.starts_with(&format!("{other}/"))));
    if found.len() == 1 { found.pop_first() } else { None }
}

/// The one file of tests that is called by a name, in the singular or the plural.
fn tests_of(name: &str, paths: &[&str]) -> Option<String> {
    let bare = |name: &str| name.to_lowercase().trim_end_matches('s').to_owned();
    let wanted = bare(name);
    let is_its = |path: &&&str| {
        let file = path.rsplit('/').next().unwrap_or(path);
        let stem = file.split('.').next().unwrap_or(file);
        let of = stem.strip_prefix("test_").or_else(|| stem.strip_suffix("_test")).or_else(|| {
            let is_test = file.contains(".test.") || file.contains(".spec.");
            is_test.then_some(stem)
        });
        of.is_some_and(|of| bare(of) == wanted)
    };
    let mut found = paths.iter().filter(is_its);
    found.next().filter(|_| found.next().is_none()).map(|path| (*path).to_owned())
}
