//! Commands that do harm by their name, subcommand, flags and arguments: tables, with examples that a test runs.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, OnceLock};

use regex::Regex;
use shell_line::Word;

use crate::safety::Harm;
use crate::safety::nested_commands::{NestedCommand, is_flag};
use crate::safety::toml_table;

const TABLES: [&str; 11] = [
    include_str!("../../data/safety/rules/cloud.toml"),
    include_str!("../../data/safety/rules/clusters.toml"),
    include_str!("../../data/safety/rules/containers.toml"),
    include_str!("../../data/safety/rules/databases.toml"),
    include_str!("../../data/safety/rules/disks.toml"),
    include_str!("../../data/safety/rules/files.toml"),
    include_str!("../../data/safety/rules/git.toml"),
    include_str!("../../data/safety/rules/network.toml"),
    include_str!("../../data/safety/rules/packages.toml"),
    include_str!("../../data/safety/rules/system.toml"),
    include_str!("../../data/safety/rules/tools.toml"),
];

struct Rule {
    /// Words that have to follow the name, ignoring flags; any of them.
    subs: Vec<Vec<String>>,
    /// One of these flags is present.
    flags: Vec<String>,
    /// All of these are present.
    all: Vec<String>,
    /// With one of these the command does nothing.
    unless: Vec<String>,
    /// Matches a whole word after the subcommand that is no flag.
    argument: Option<Arc<Pattern>>,
    /// Matches a whole word, or a flag with its value (`--replicas=0`).
    word: Option<Arc<Pattern>>,
    /// Matches any word, unprocessed.
    raw: Option<Arc<Pattern>>,
    /// `None` for a rule that declares a command harmless.
    harm: Option<Harm>,
}

/// Words of a command that patterns are matched against.
const MAX_WORDS: usize = 256;

/// Compiled on first use: most never are, and compiling all takes longer than a request may.
enum Pattern {
    /// Only literal words.
    Words(Vec<String>),
    Regex {
        pattern: String,
        ready: OnceLock<Option<Regex>>,
    },
}

impl Pattern {
    fn new(pattern: String) -> Self {
        let plain =
            |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b':' | b'|' | b'=' | b'/' | b' ');
        match pattern.bytes().all(plain) {
            true => Pattern::Words(pattern.split('|').map(str::to_owned).collect()),
            false => Pattern::Regex { pattern, ready: OnceLock::new() },
        }
    }

    /// An invalid pattern matches everything: a false alarm is better than a miss.
    fn fits<'w>(&self, mut words: impl Iterator<Item = &'w str>) -> bool {
        match self {
            Pattern::Words(known) => words.any(|word| known.iter().any(|known| known == word)),
            Pattern::Regex { pattern, ready } => {
                let ready = ready.get_or_init(|| Regex::new(&format!("^(?:{pattern})$")).ok());
                ready.as_ref().is_none_or(|pattern| words.any(|word| pattern.is_match(word)))
            }
        }
    }
}

#[derive(Default)]
struct Rules {
    by_name: HashMap<String, Vec<Arc<Rule>>>,
    /// Flags that take the next word.
    values: HashMap<String, Vec<String>>,
}

static RULES: LazyLock<Rules> = LazyLock::new(|| {
    let mut rules = Rules::default();
    TABLES.iter().for_each(|table| read(table, &mut rules));
    rules
});

fn read(table: &str, rules: &mut Rules) {
    for row in toml_table::rows(table, "values") {
        for name in row.keys() {
            rules.values.entry(name.to_owned()).or_default().extend(row.list(name));
        }
    }
    for row in toml_table::rows(table, "rule") {
        let pattern = |key: &str| row.text(key).map(|pattern| Arc::new(Pattern::new(pattern)));
        let subs = row.list("sub");
        let rule = Arc::new(Rule {
            subs: subs.iter().map(|sub| sub.split(' ').map(str::to_owned).collect()).collect(),
            flags: row.list("flags"),
            all: row.list("all"),
            unless: row.list("unless"),
            argument: pattern("argument"),
            word: pattern("word"),
            raw: pattern("raw"),
            harm: row.text("harm").as_deref().and_then(Harm::of),
        });
        for name in row.list("command") {
            rules.by_name.entry(name).or_default().push(Arc::clone(&rule));
        }
    }
}

/// What the tables say about a command.
#[derive(Debug, Default)]
pub struct RuleHits {
    pub harms: Vec<Harm>,
    /// A rule declares it harmless: verbs in it are ignored.
    pub harmless: bool,
}

pub fn matching_rules(run: &NestedCommand) -> RuleHits {
    let name = run.name();
    // `mkfs.ext4` and the like.
    let family = name.split_once('.').map_or(name, |(family, _)| family);
    let rules = RULES.by_name.get(name).or_else(|| RULES.by_name.get(family));
    let values = RULES.values.get(name).map(Vec::as_slice).unwrap_or_default();
    let mut said = RuleHits::default();
    for rule in rules.into_iter().flatten().filter(|rule| rule.matches(run.arguments(), values)) {
        match rule.harm {
            Some(harm) => said.harms.push(harm),
            None => said.harmless = true,
        }
    }
    if said.harmless {
        said.harms.clear();
    }
    said
}

/// Its words, without the values of flags that take one.
pub fn own_words(run: &NestedCommand) -> impl Iterator<Item = &Word> {
    let values = RULES.values.get(run.name()).map(Vec::as_slice).unwrap_or_default();
    let mut is_value = false;
    run.arguments().iter().filter(move |word| {
        let own = !is_value;
        is_value = own && values.contains(&word.value);
        own
    })
}

impl Rule {
    fn matches(&self, arguments: &[Word], values: &[String]) -> bool {
        let plain = plain(arguments, values);
        let behind = match self.subs.is_empty() {
            true => Some(0),
            false => self.subs.iter().find_map(|sub| begins(&plain, sub)),
        };
        let Some(behind) = behind else { return false };
        let taken = |at: usize| at > 0 && arguments.get(at - 1).is_some_and(|before| values.contains(&before.value));
        let own = arguments.iter().enumerate().filter(|(at, _)| !taken(*at)).map(|(_, word)| word);
        let own: Vec<&Word> = own.collect();
        let has = |flags: &[String]| has_flag(own.iter().copied(), flags);
        let words = plain.get(behind..).unwrap_or_default().iter().filter(|plain| !plain.is_value);
        let words = words.map(|plain| plain.word.value.as_str()).take(MAX_WORDS);
        (self.flags.is_empty() || has(&self.flags))
            && self.all.iter().all(|flag| has(std::slice::from_ref(flag)))
            && !has(&self.unless)
            && self.argument.as_ref().is_none_or(|argument| argument.fits(words))
            && self
                .raw
                .as_ref()
                .is_none_or(|raw| raw.fits(arguments.iter().map(|word| word.value.as_str()).take(MAX_WORDS)))
            && self.word.as_ref().is_none_or(|pattern| {
                let arguments = arguments.get(..MAX_WORDS).unwrap_or(arguments);
                let pairs: Vec<String> = pairs(arguments);
                let flags = arguments.iter().map(|word| word.value.as_str()).filter(|word| is_flag(word));
                let plain = plain.iter().take(MAX_WORDS).filter(|plain| !plain.is_value);
                let plain = plain.map(|plain| plain.word.value.as_str());
                pattern.fits(flags.chain(plain).chain(pairs.iter().map(String::as_str)))
            })
    }
}

/// A flag joined with the word after it.
fn pairs(arguments: &[Word]) -> Vec<String> {
    let pair = |pair: &[Word]| match pair {
        [flag, value] if is_flag(&flag.value) && !flag.value.contains('=') && !is_flag(&value.value) => {
            Some(format!("{}={}", flag.value, value.value))
        }
        _ => None,
    };
    arguments.windows(2).filter_map(pair).collect()
}

/// A word that is neither a flag nor the value of a known flag.
struct Plain<'w> {
    word: &'w Word,
    /// It follows a flag, and may be its value.
    after_flag: bool,
    /// It follows a long flag after the subcommand, and most likely is its value.
    is_value: bool,
}

fn plain<'w>(arguments: &'w [Word], values: &[String]) -> Vec<Plain<'w>> {
    let mut plain = Vec::new();
    let mut words = arguments.iter();
    let (mut after_flag, mut after_long) = (false, false);
    while let Some(word) = words.next() {
        if word.value == "--" {
            plain.extend(words.map(|word| Plain { word, after_flag: false, is_value: false }));
            break;
        } else if values.contains(&word.value) {
            words.next();
            after_flag = false;
        } else if is_flag(&word.value) {
            after_flag = !word.value.contains('=');
            after_long = word.value.starts_with("--");
        } else {
            let is_value = after_flag && after_long && !plain.is_empty();
            plain.push(Plain { word, after_flag, is_value });
            after_flag = false;
        }
    }
    plain
}

/// Where the words after a subcommand begin. Only possible values of flags may precede it.
fn begins(plain: &[Plain<'_>], sub: &[String]) -> Option<usize> {
    for (at, one) in plain.iter().enumerate() {
        let here = plain.get(at..at + sub.len()).unwrap_or_default();
        if !here.is_empty() && here.iter().zip(sub).all(|(plain, sub)| plain.word.value == *sub) {
            return Some(at + sub.len());
        }
        if !one.after_flag {
            return None;
        }
    }
    None
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
    use crate::safety;
    use shell_line::Dialect;

    #[test]
    fn every_rule_hits_and_misses() {
        let mut count = 0;
        let mut wrong = Vec::new();
        for table in TABLES {
            toml_table::tests::is_read_whole(table);
            let table: toml_edit::DocumentMut = table.parse().unwrap_or_else(|error| panic!("{error}"));
            for row in table["rule"].as_array_of_tables().unwrap() {
                let list = |key: &str| -> Vec<String> {
                    let list = row.get(key).and_then(|list| list.as_array()).into_iter().flatten();
                    list.map(|item| item.as_str().unwrap().to_owned()).collect()
                };
                for key in ["argument", "word", "raw"] {
                    if let Some(pattern) = row.get(key).and_then(|text| text.as_str()) {
                        assert!(Regex::new(pattern).is_ok(), "{pattern}");
                    }
                }
                let known =
                    ["command", "sub", "flags", "all", "unless", "argument", "word", "raw", "harm", "hits", "misses"];
                assert!(row.iter().all(|(key, _)| known.contains(&key)), "{row}");
                assert!(!list("misses").is_empty(), "{row}");
                let harm =
                    row.get("harm").map(|harm| harm.as_str().and_then(Harm::of).unwrap_or_else(|| panic!("{row}")));
                let dangers = |line: &str| safety::dangers(line, Dialect::Zsh);
                count += list("hits").len() + list("misses").len();
                let Some(harm) = harm else {
                    wrong.extend(list("misses").into_iter().filter(|miss| !dangers(miss).is_empty()));
                    continue;
                };
                let says = |line: &str| dangers(line).iter().any(|danger| danger.harm == harm);
                assert!(!list("hits").is_empty(), "{row}");
                let missed = list("hits").into_iter().filter(|hit| !says(hit));
                wrong.extend(missed.map(|hit| format!("no {}: {hit}", harm.name())));
                let hit = list("misses").into_iter().filter(|miss| says(miss));
                wrong.extend(hit.map(|miss| format!("{}: {miss}", harm.name())));
            }
        }
        assert_eq!(wrong, [""; 0]);
        assert!(count > 600, "{count}");
    }
}
