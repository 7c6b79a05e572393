//! Commands that do harm by their name, subcommand, flags and arguments: a table, with examples that a test runs.

use std::collections::HashMap;
use std::sync::{LazyLock, OnceLock};

use regex::Regex;

use crate::line::Word;
use crate::safety::Harm;
use crate::safety::runs::{Run, is_flag};

const TABLE: &str = include_str!("../../data/safety/rules.toml");

struct Rule {
    /// Words that have to follow the name, flags left out; any of them.
    subs: Vec<Vec<String>>,
    /// One of them is there.
    flags: Vec<String>,
    /// With one of them nothing is done.
    unless: Vec<String>,
    /// One of the words behind the subcommand, flags left out, is wholly this.
    argument: Option<Argument>,
    harm: Harm,
}

/// Made ready when a command is first compared with it: most never are, and all together take longer than a wish may.
struct Argument {
    pattern: String,
    ready: OnceLock<Option<Regex>>,
}

impl Argument {
    /// A pattern that makes no sense fits everything: too much is told rather than too little.
    fn fits(&self, words: &[&Word]) -> bool {
        let ready = self.ready.get_or_init(|| Regex::new(&format!("^(?:{})$", self.pattern)).ok());
        ready.as_ref().is_none_or(|pattern| words.iter().any(|word| pattern.is_match(&word.value)))
    }
}

#[derive(Default)]
struct Rules {
    by_name: HashMap<String, Vec<Rule>>,
    /// Flags that take the next word, before a subcommand.
    values: HashMap<String, Vec<String>>,
}

static RULES: LazyLock<Rules> = LazyLock::new(|| read(TABLE));

fn read(table: &str) -> Rules {
    let mut rules = Rules::default();
    let Ok(table) = table.parse::<toml_edit::DocumentMut>() else { return rules };
    let strings = |item: Option<&toml_edit::Item>| -> Vec<String> {
        let list = item.and_then(|list| list.as_array()).into_iter().flatten();
        list.filter_map(|item| item.as_str()).map(str::to_owned).collect()
    };
    let values = table.get("values").and_then(|values| values.as_table());
    for (name, list) in values.into_iter().flatten() {
        rules.values.insert(name.to_owned(), strings(Some(list)));
    }
    for row in table.get("rule").and_then(|rows| rows.as_array_of_tables()).into_iter().flatten() {
        let text = |key: &str| row.get(key).and_then(|text| text.as_str());
        let Some(harm) = text("harm").and_then(Harm::of) else { continue };
        for name in strings(row.get("command")) {
            let subs = strings(row.get("sub"));
            rules.by_name.entry(name).or_default().push(Rule {
                subs: subs.iter().map(|sub| sub.split(' ').map(str::to_owned).collect()).collect(),
                flags: strings(row.get("flags")),
                unless: strings(row.get("unless")),
                argument: text("argument")
                    .map(|pattern| Argument { pattern: pattern.to_owned(), ready: OnceLock::new() }),
                harm,
            });
        }
    }
    rules
}

/// What the table says about a command.
pub fn harms(run: &Run) -> Vec<Harm> {
    let name = run.name();
    // `mkfs.ext4` and its like.
    let family = name.split_once('.').map_or(name, |(family, _)| family);
    let rules = RULES.by_name.get(name).or_else(|| RULES.by_name.get(family));
    let values = RULES.values.get(name).map(Vec::as_slice).unwrap_or_default();
    let matching = rules.into_iter().flatten().filter(|rule| rule.matches(run.arguments(), values));
    matching.map(|rule| rule.harm).collect()
}

impl Rule {
    fn matches(&self, arguments: &[Word], values: &[String]) -> bool {
        let behind = if self.subs.is_empty() {
            Some(plain(arguments, values))
        } else {
            let plain = plain(arguments, values);
            let sub = self.subs.iter().find(|sub| {
                plain.len() >= sub.len() && sub.iter().zip(&plain).all(|(wanted, word)| *wanted == word.value)
            });
            sub.map(|sub| plain.get(sub.len()..).unwrap_or_default().to_vec())
        };
        let Some(behind) = behind else { return false };
        let taken = |at: usize| at > 0 && arguments.get(at - 1).is_some_and(|before| values.contains(&before.value));
        let own = arguments.iter().enumerate().filter(|(at, _)| !taken(*at)).map(|(_, word)| word);
        let own: Vec<&Word> = own.collect();
        (self.flags.is_empty() || has_flag(own.iter().copied(), &self.flags))
            && !has_flag(own, &self.unless)
            && self.argument.as_ref().is_none_or(|argument| argument.fits(&behind))
    }
}

/// The words that are neither flags nor what a known flag takes.
fn plain<'w>(arguments: &'w [Word], values: &[String]) -> Vec<&'w Word> {
    let mut plain = Vec::new();
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        if word.value == "--" {
            plain.extend(words);
            break;
        } else if values.contains(&word.value) {
            words.next();
        } else if !is_flag(&word.value) {
            plain.push(word);
        }
    }
    plain
}

/// Whether one of the flags is among the words before `--`: `-f` also in `-rf`, `--force` also as `--force=yes`.
pub fn has_flag<'w, S: AsRef<str>>(arguments: impl IntoIterator<Item = &'w Word>, flags: &[S]) -> bool {
    let words = arguments.into_iter().map(|word| word.value.as_str()).take_while(|word| *word != "--");
    words.filter(|word| is_flag(word) || word.starts_with('+')).any(|word| {
        flags.iter().map(AsRef::as_ref).any(|flag| {
            let rest = word.strip_prefix(flag);
            let letter =
                flag.strip_prefix('-').filter(|letter| letter.len() == 1 && letter.starts_with(char::is_alphabetic));
            let cluster = word.strip_prefix('-').filter(|cluster| !cluster.starts_with('-'));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
                || letter.zip(cluster).is_some_and(|(letter, cluster)| {
                    cluster.bytes().all(|byte| byte.is_ascii_alphanumeric()) && cluster.contains(letter)
                })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line::Dialect;
    use crate::safety;

    #[test]
    fn every_rule_hits_and_misses() {
        let table: toml_edit::DocumentMut = TABLE.parse().unwrap();
        let mut count = 0;
        let mut wrong = Vec::new();
        for row in table["rule"].as_array_of_tables().unwrap() {
            let list = |key: &str| -> Vec<String> {
                let list = row.get(key).and_then(|list| list.as_array()).into_iter().flatten();
                list.map(|item| item.as_str().unwrap().to_owned()).collect()
            };
            let harm = row["harm"].as_str().and_then(Harm::of).unwrap_or_else(|| panic!("{row}"));
            if let Some(pattern) = row.get("argument").and_then(|text| text.as_str()) {
                assert!(Regex::new(pattern).is_ok(), "{pattern}");
            }
            let says = |line: &str| safety::dangers(line, Dialect::Zsh).iter().any(|danger| danger.harm == harm);
            assert!(!list("hits").is_empty(), "{row}");
            for hit in list("hits") {
                count += 1;
                if !says(&hit) {
                    wrong.push(format!("no {}: {hit}", harm.name()));
                }
            }
            for miss in list("misses") {
                count += 1;
                if says(&miss) {
                    wrong.push(format!("{}: {miss}", harm.name()));
                }
            }
        }
        assert_eq!(wrong, [""; 0]);
        assert!(count > 200, "{count}");
    }
}
