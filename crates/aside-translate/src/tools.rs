//! Chooses which programs on PATH a model is told about: those that change the best answer, the most useful first,
//! within a budget. Does not read PATH itself.

use aside_commands::spec::Specs;

const TOOLS: &str = include_str!("../data/translate/tools.txt");

/// Budget in names and in total characters: about 300 tokens.
pub const MAX_TOOLS: usize = 120;
const MAX_CHARACTERS: usize = 900;
/// Characters of one name; real program names are shorter.
const MAX_NAME: usize = 40;

/// Order: tools of the project, tools that are useful everywhere, programs that ran here recently, programs with a
/// spec. Only the end depends on recent commands, so that a server's prompt cache keeps the beginning.
pub fn listed_tools(programs: &[Box<str>], project: &str, recent: &[String], specs: &Specs) -> Vec<String> {
    let has = |name: &str| programs.binary_search_by(|program| (**program).cmp(name)).is_ok();
    let usual: Vec<&str> = section("[usual]").collect();
    let project = project.to_lowercase();
    let of_project = project.split(|letter: char| !letter.is_ascii_alphanumeric());
    let mut lately: Vec<&str> = recent.iter().filter_map(|line| line.split_whitespace().next()).collect();
    lately.sort_unstable();
    let known = programs.iter().map(|name| &**name).filter(|name| specs.has(name));
    let others = lately.into_iter().chain(known).filter(|name| !usual.contains(name));
    let ranked = of_project.chain(section("[useful]")).chain(others);
    let mut told: Vec<String> = Vec::new();
    let mut characters = 0;
    for name in ranked.filter(|name| name.len() <= MAX_NAME && has(name)) {
        characters += name.len() + 2;
        if told.len() == MAX_TOOLS || characters > MAX_CHARACTERS {
            break;
        }
        if told.iter().any(|known| known == name) {
            characters -= name.len() + 2;
        } else {
            told.push(name.to_owned());
        }
    }
    told
}

fn section<'a>(name: &'static str) -> impl Iterator<Item = &'a str> {
    let rows = TOOLS.lines().skip_while(move |row| *row != name).skip(1);
    rows.take_while(|row| !row.starts_with('[')).flat_map(str::split_whitespace)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from(programs: &str, project: &str, recent: &[&str]) -> String {
        let mut programs: Vec<Box<str>> = programs.split_whitespace().map(Box::from).collect();
        programs.sort();
        let recent: Vec<String> = recent.iter().map(|line| (*line).to_owned()).collect();
        listed_tools(&programs, project, &recent, &Specs::default()).join(" ")
    }

    #[test]
    fn the_most_useful_tools_on_path_come_first() {
        let here = "zoxide ls grep git cargo docker jq deploy-tool hq7";
        assert_eq!(from(here, "", &[]), "git docker cargo jq zoxide");
        assert_eq!(from(here, "Rust (Cargo), Git", &[]), "cargo git docker jq zoxide");
        // Programs that are missing from PATH and programs that every system has are left out.
        let recent = ["deploy-tool --now", "gone x", "ls -l", "git push", "FOO=1 make"];
        assert_eq!(from(here, "", &recent), "git docker cargo jq zoxide deploy-tool");
    }

    #[test]
    fn a_tool_that_no_list_names_is_told_when_it_has_a_spec() {
        assert!(!section("[useful]").any(|tool| tool == "virsh"), "or this is a test of nothing");
        assert_eq!(from("virsh unheard-of git", "", &[]), "git virsh");
    }

    #[test]
    fn the_budget_cuts_the_least_useful() {
        let specs = Specs::default();
        let mut programs: Vec<Box<str>> =
            specs.names().map(Box::from).chain(section("[useful]").map(Box::from)).collect();
        programs.sort();
        programs.dedup();
        let told = listed_tools(&programs, "", &[], &specs);
        let characters: usize = told.iter().map(|name| name.len() + 2).sum();
        assert!(told.len() <= MAX_TOOLS && characters <= MAX_CHARACTERS, "{} {characters}", told.len());
        assert!(told.len() > 100, "{}", told.len());
        assert_eq!(told[..4], ["git", "docker", "podman", "kubectl"]);
        let expected: Vec<&str> = section("[useful]").take(told.len()).collect();
        assert_eq!(told, expected);
    }

    #[test]
    fn no_tool_is_named_twice() {
        let mut all: Vec<&str> = section("[useful]").chain(section("[usual]")).collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!((all.len(), count > 200), (count, true));
    }
}
