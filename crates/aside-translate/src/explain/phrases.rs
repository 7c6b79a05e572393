//! Better wording where a spec is too terse, as data: `data/explain/phrases.toml`. A spec's descriptions are written
//! for a completion menu; these are written to be read beside the command. Does not know the arguments that are given.

use std::collections::HashMap;
use std::sync::LazyLock;

const TABLE: &str = include_str!("../../data/explain/phrases.toml");

/// The phrases of one command or subcommand.
#[derive(Debug, Default)]
pub struct Phrases {
    /// Replaces the spec's description.
    pub about: Option<String>,
    /// Descriptions of the arguments in order; the last applies to all that follow.
    pub args: Vec<String>,
    /// Description of the last argument, if there are several.
    pub last: Option<String>,
    /// By flag name; `{}` stands for the value, `{size}` and the like for the value in words.
    pub flags: HashMap<String, String>,
}

static PHRASES: LazyLock<HashMap<String, Phrases>> = LazyLock::new(|| read(TABLE));

/// Looks up the command with its subcommands: `git log`.
pub fn of(chain: &str) -> Option<&'static Phrases> {
    PHRASES.get(chain)
}

fn read(table: &str) -> HashMap<String, Phrases> {
    let Ok(table) = table.parse::<toml_edit::DocumentMut>() else { return HashMap::new() };
    let mut all = HashMap::new();
    for (name, section) in table.iter() {
        let Some(section) = section.as_table_like() else { continue };
        let mut phrases = Phrases::default();
        for (key, item) in section.iter() {
            match (key, item.as_str()) {
                ("about", Some(about)) => phrases.about = Some(about.to_owned()),
                ("last", Some(last)) => phrases.last = Some(last.to_owned()),
                ("args", _) => {
                    let list = item.as_array().into_iter().flatten();
                    phrases.args = list.filter_map(|role| role.as_str()).map(str::to_owned).collect();
                }
                (names, Some(about)) => {
                    for name in names.split(", ") {
                        phrases.flags.insert(name.to_owned(), about.to_owned());
                    }
                }
                _ => {}
            }
        }
        all.insert(name.to_owned(), phrases);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explain::value;
    use aside_commands::spec::Specs;
    use aside_commands::world::EmptyWorld;

    #[test]
    fn every_phrase_is_about_something_that_the_spec_has() {
        let specs = Specs::default();
        let mut wrong = Vec::new();
        assert!(TABLE.parse::<toml_edit::DocumentMut>().is_ok(), "{:?}", TABLE.parse::<toml_edit::DocumentMut>().err());
        for (chain, phrases) in PHRASES.iter() {
            let mut names = chain.split(' ');
            let Some(mut spec) = names.next().and_then(|name| specs.find(name, &EmptyWorld)) else {
                wrong.push(format!("{chain}: there is no spec"));
                continue;
            };
            // Innermost first, in the order of lookup.
            let mut flags = spec.flags.clone();
            for name in names {
                let Some(sub) = spec.sub(name).map(|sub| sub.spec.clone()) else {
                    wrong.push(format!("{chain}: there is no {name}"));
                    break;
                };
                spec = sub;
                flags.splice(0..0, spec.flags.iter().cloned());
            }
            for (name, about) in &phrases.flags {
                if name != "-#" && !flags.iter().any(|flag| flag.is(name)) {
                    wrong.push(format!("{chain}: there is no {name}"));
                }
                let takes = flags.iter().find(|flag| flag.is(name)).is_some_and(|flag| flag.takes.is_some());
                if about.contains('{') && !takes && name != "-#" {
                    wrong.push(format!("{chain}: {name} takes nothing"));
                }
                let samples = ["7", "8080:80", "8080:localhost:80"];
                let filled = samples.iter().find_map(|sample| value::fill(about, sample));
                if filled.as_deref().is_none_or(|filled| filled.contains(['{', '}'])) {
                    wrong.push(format!("{chain}: {name} has an unknown word in brackets: {filled:?}"));
                }
            }
        }
        wrong.sort();
        assert_eq!(wrong, [""; 0]);
    }
}
