//! The hits and misses of all facets, in a repository of a few files.

use super::table::LIST;
use super::way::{self, WayContext};
use super::*;
use crate::run::toml_lists;
use aside_core::agent::language::Language;

const FILES: &[&str] = &["README.md", "Makefile", "src/tree.py", "src/peel/core.py", "docs/guide.md"];

fn read_here(request: &str, root_files: &[String]) -> Option<QuestionReading> {
    let owned = |all: &[&str]| all.iter().map(|text| (*text).to_owned()).collect::<Vec<String>>();
    let files = owned(FILES);
    let refs = owned(&["main", "ice", "origin/main", "v0.1.0", "v0.2.0"]);
    let (authors, targets) = (owned(&["Mara Lind", "Tor Ek"]), owned(&["check", "run"]));
    let facts = QuestionFacts {
        files: &files,
        refs: &refs,
        authors: &authors,
        targets: &targets,
        has_name: &|name| ["MAX_DEPTH", "parseTree"].contains(&name),
        has_root_file: &|file| root_files.iter().any(|known| known == file),
    };
    read(request, &facts)
}

fn named(request: &str, root_files: &[String]) -> String {
    match read_here(request, root_files) {
        Some(reading) if reading.is_certain() => reading.facet.name.clone(),
        Some(reading) => format!("near {} without {:?}", reading.facet.name, reading.left),
        None => "-".to_owned(),
    }
}

#[test]
fn every_facet_has_its_hits_and_misses() {
    assert_eq!(TABLE.facets.len(), toml_lists::count(LIST, "facet"));
    let examples = toml_lists::tables(LIST, "facet", |table| {
        Some((toml_lists::texts(table, "hits"), toml_lists::texts(table, "misses")))
    });
    let mut wrong = Vec::new();
    for (facet, (hits, misses)) in TABLE.facets.iter().zip(examples) {
        assert!(!hits.is_empty() && !misses.is_empty(), "{}", facet.name);
        // Of several tools for one purpose the project has this one.
        let files = facet.files.get(..1).unwrap_or_default();
        for (request, is_hit) in hits.iter().map(|hit| (hit, true)).chain(misses.iter().map(|miss| (miss, false))) {
            let told = named(request, files);
            if (told == facet.name) != is_hit {
                wrong.push(format!("{} {}: {request} => {told}", if is_hit { "hit" } else { "miss" }, facet.name));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn things_are_found_by_their_names() {
    let things = |request: &str| read_here(request, &[]).map(|reading| reading.things).unwrap_or_default();
    assert_eq!(things("what did mara do in the last two weeks").authors, ["Mara Lind"]);
    assert_eq!(things("files that changed between 0.1.0 and v0.2.0").refs, ["v0.1.0", "v0.2.0"]);
    assert_eq!(things("how do I unstage tree.py").files, ["src/tree.py"]);
    assert_eq!(things("what does `make check` do").targets, ["check"]);
    assert_eq!(things("last three commits").numbers, [3]);
}

#[test]
fn a_thing_without_a_place_makes_it_another_question() {
    for request in
        ["which commits have I not pushed to v0.1.0", "unmerged branches of mara", "what is in the stash of Tor"]
    {
        assert_eq!(named(request, &[]), "-", "{request}");
    }
}

#[test]
fn a_word_without_a_meaning_is_named() {
    let left = read_here("any branches not merged into main, grouped?", &[]).map(|reading| reading.left);
    assert_eq!(left.unwrap_or_default(), ["grouped"]);
}

#[test]
fn ways_have_the_names_of_the_question() {
    let told = |request: &str| {
        let context = WayContext { branch: "main".to_owned(), test: "make test".to_owned(), ..WayContext::default() };
        read_here(request, &[]).and_then(|reading| way::told(&reading, &context, Language::English)).unwrap_or_default()
    };
    for (request, expected) in [
        ("how do I unstage tree.py", "git restore --staged src/tree.py"),
        ("how do I unstage a file", "git restore --staged FILE"),
        ("how do I get src/tree.py back as it was 2 commits ago", "git restore --source=HEAD~2 src/tree.py"),
        ("view README.md as of v0.1.0, how?", "git show v0.1.0:README.md"),
        ("how do I get my stashed changes back", "stash@{1}"),
        ("how do I find the commit that broke the tests", "git bisect run make test"),
    ] {
        assert!(told(request).contains(expected), "{request}: {}", told(request));
    }
}
