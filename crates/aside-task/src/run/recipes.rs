//! How things are done with the tools of a project and with those of every machine, from `data/task/recipes.toml`: one test alone, a
//! dependency of one package, the history of a file, a crash under a debugger. Answers questions; proposes nothing to run, since names are left for the user to fill in.

use std::sync::LazyLock;

use aside_core::agent::language::{Bilingual, Language};
use aside_text::lazy_regex::Regex;

use crate::run::model_reply::fenced;
use crate::run::toml_lists;

const LIST: &str = include_str!("../../data/task/recipes.toml");

struct Recipe {
    files: Vec<String>,
    tools: Vec<String>,
    pattern: Regex,
    cmd: String,
    says: Bilingual,
}

static ALL: LazyLock<Vec<Recipe>> = LazyLock::new(|| {
    toml_lists::tables(LIST, "recipe", |table| {
        Some(Recipe {
            files: toml_lists::texts(table, "files"),
            tools: toml_lists::texts(table, "tools"),
            pattern: toml_lists::pattern(table, "pattern")?,
            cmd: toml_lists::text(table, "cmd").unwrap_or_default(),
            says: toml_lists::both(table, "says")?,
        })
    })
});

/// The answer to "how do I WHAT", where the project has the tool or the question names it.
pub fn how_to(what: &str, has_file: &dyn Fn(&str) -> bool, language: Language) -> Option<String> {
    let lower = what.trim().trim_end_matches(['?', '.', '!']).to_lowercase();
    let words: Vec<&str> = lower.split(|letter: char| !letter.is_alphanumeric()).collect();
    let names = |recipe: &&Recipe| recipe.tools.iter().any(|tool| words.contains(&tool.as_str()));
    let fits = |recipe: &&Recipe| recipe.pattern.is_match(&lower);
    // A tool that the question names comes before one that the project has.
    let named = ALL.iter().filter(fits).find(names);
    let of_project = || ALL.iter().filter(fits).find(|recipe| recipe.files.iter().any(|file| has_file(file)));
    let usual = || ALL.iter().filter(fits).find(|recipe| recipe.files.is_empty() && recipe.tools.is_empty());
    let recipe = named.or_else(of_project).or_else(usual)?;
    let says = recipe.says.of(language);
    Some(if recipe.cmd.is_empty() { format!("{says}\n") } else { format!("{}\n{says}\n", fenced("sh", &recipe.cmd)) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_recipe_has_its_hits_and_misses() {
        assert_eq!(ALL.len(), toml_lists::count(LIST, "recipe"));
        let examples = toml_lists::tables(LIST, "recipe", |table| {
            Some((toml_lists::texts(table, "hits"), toml_lists::texts(table, "misses")))
        });
        let mut wrong = Vec::new();
        for (recipe, (hits, misses)) in ALL.iter().zip(examples) {
            assert!(!hits.is_empty() && !misses.is_empty(), "{}", recipe.pattern.as_str());
            wrong.extend(hits.into_iter().filter(|hit| !recipe.pattern.is_match(hit)));
            wrong.extend(
                misses.into_iter().filter(|miss| recipe.pattern.is_match(miss)).map(|miss| format!("miss {miss}")),
            );
        }
        assert_eq!(wrong, Vec::<String>::new());
    }

    #[test]
    fn the_tool_of_the_project_counts_unless_another_is_named() {
        let told = |what: &str, file: &str| how_to(what, &|name| name == file, Language::English).unwrap_or_default();
        assert!(told("run a single test", "go.mod").contains("go test"));
        assert!(told("run a single test", "Cargo.toml").contains("cargo test"));
        assert!(told("run a single go test", "Cargo.toml").contains("go test"));
        assert!(told("debug a failing pytest", "").contains("--pdb"));
        assert_eq!(told("run a single test", "Makefile"), "");
        assert_eq!(told("rotate the keys", "go.mod"), "");
        // What every machine has needs no file.
        assert!(told("debug a segfault with gdb", "").contains("gdb --args"));
        assert!(told("see the history of one file", "go.mod").contains("git log --follow"));
    }
}
