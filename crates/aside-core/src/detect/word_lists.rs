//! The word lists that tell prose from commands, from `data/detect`. Decides nothing.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use shell_line::Dialect;

const SEED: &str = include_str!("../../data/detect/seed.txt");
const ENGLISH: &str = include_str!("../../data/detect/english.txt");
const ACTS: &str = include_str!("../../data/detect/acts.txt");
const TAKES: &str = include_str!("../../data/detect/takes.txt");
const COMMANDS: &str = include_str!("../../data/detect/commands.txt");
const ERRORS: &str = include_str!("../../data/detect/errors.txt");

type Set = HashSet<&'static str>;

/// The role of a word in a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordClass {
    /// Occurs only in sentences.
    Core,
    /// The same, if a word of letters follows.
    Article,
    /// Joins the words of a sentence; some commands accept a few of them.
    Link,
    Speech,
    /// In the specified list, but may be a subcommand or a file as well.
    Listed,
}

/// How a line begins that is not a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SentenceOpener {
    Asks,
    Tells,
    Wishes,
    /// A request even without a word that only sentences have.
    WishesAlone,
    /// A request, or a command without its program: `push origin main`.
    Forgets,
}

/// The sections that give words a class.
const CLASSES: [(&str, WordClass); 4] = [
    ("core", WordClass::Core),
    ("article", WordClass::Article),
    ("link", WordClass::Link),
    ("speech", WordClass::Speech),
];

pub struct Lists {
    pub reserved: Vec<&'static str>,
    /// Words that begin a construct of the shell and, as often, a sentence.
    pub constructs: Vec<&'static str>,
    pub errors: Vec<&'static str>,
    pub syntax_errors: Vec<&'static str>,
    /// Errors that are not in the specified list.
    pub more_errors: Vec<&'static str>,
    /// The specified list of natural-language words, complete.
    pub words: Set,
    pub agent: Set,
    pub reports: Set,
    /// Predicates: `is`, `doesn't`.
    pub predicates: Set,
    /// Common words, few of which are names of programs.
    pub common: Set,
    /// Words that are names of programs as well.
    programs: Set,
    /// Subcommands that are sometimes typed without their program.
    pub forgotten: Set,
    /// Commands that accept no words.
    pub bare: Set,
    /// Commands whose arguments are existing files.
    pub files: Set,
    /// Commands that take any words literally.
    pub free: Set,
    /// Commands whose first argument is a search text.
    pub patterns: Set,
    /// Commands that run what follows them.
    pub runs: Set,
    /// Commands that run a script.
    pub scripts: Set,
    /// Commands that take the name of a host or a user.
    pub hosts: Set,
    /// Commands that take the name of a user.
    pub users: Set,
    /// Commands that create something with the name that follows.
    pub creates: Set,
    classes: HashMap<&'static str, WordClass>,
    openers: HashMap<&'static str, SentenceOpener>,
    /// Commands that would act on prose, with the subcommands that do; an empty list when the command itself does.
    acts: HashMap<&'static str, Vec<&'static str>>,
    commands: Set,
}

/// The words about which a shell asks whatever follows them: the specified ones, and those that open a construct in it. Reads only the
/// sections it needs, as `markers` does: every new shell waits for them.
pub fn reserved_in(dialect: Dialect) -> Vec<&'static str> {
    let more = if dialect == Dialect::Zsh { "constructs-zsh" } else { "" };
    ["reserved", "constructs", more].into_iter().flat_map(|name| in_section(SEED, name)).collect()
}

/// The marker words that flag a line before it runs: without one of them, the shell does not ask about an existing command.
pub fn markers() -> Vec<&'static str> {
    let sections = CLASSES.iter().map(|(name, _)| *name).chain(["markers"]);
    let mut markers: Vec<&str> = sections.flat_map(|name| in_section(ENGLISH, name)).collect();
    markers.sort_unstable();
    markers.dedup();
    markers
}

pub fn lists() -> &'static Lists {
    static LISTS: LazyLock<Lists> = LazyLock::new(Lists::read);
    &LISTS
}

impl Lists {
    fn read() -> Self {
        let words: Set = in_section(SEED, "words").collect();
        let mut classes = HashMap::new();
        for (section, class) in CLASSES {
            for word in in_section(ENGLISH, section) {
                classes.entry(word).or_insert(class);
            }
        }
        for &word in &words {
            classes.entry(word).or_insert(WordClass::Listed);
        }
        let mut openers = HashMap::new();
        let sections = [
            ("asks", SentenceOpener::Asks),
            ("tells", SentenceOpener::Tells),
            ("wishes-alone", SentenceOpener::WishesAlone),
            ("forgets", SentenceOpener::Forgets),
            ("wishes", SentenceOpener::Wishes),
        ];
        for (section, opener) in sections {
            for word in in_section(ENGLISH, section) {
                openers.entry(word).or_insert(opener);
            }
        }
        let mut acts: HashMap<&'static str, Vec<&'static str>> = HashMap::new();
        for row in rows(ACTS) {
            let (name, subcommand) = row.split_once(' ').map_or((row, None), |(name, sub)| (name, Some(sub)));
            acts.entry(name).or_default().extend(subcommand);
        }
        Self {
            reserved: in_section(SEED, "reserved").collect(),
            constructs: in_section(SEED, "constructs").chain(in_section(SEED, "constructs-zsh")).collect(),
            errors: section(SEED, "errors").collect(),
            syntax_errors: section(SEED, "syntax").collect(),
            more_errors: rows(ERRORS).collect(),
            words,
            agent: in_section(SEED, "agent").collect(),
            reports: in_section(ENGLISH, "reports").collect(),
            predicates: in_section(ENGLISH, "predicates").collect(),
            common: in_section(ENGLISH, "common").collect(),
            programs: in_section(ENGLISH, "programs").collect(),
            forgotten: in_section(ENGLISH, "forgets").chain(in_section(ENGLISH, "targets")).collect(),
            bare: in_section(TAKES, "bare").collect(),
            files: in_section(TAKES, "files").collect(),
            free: in_section(TAKES, "free").collect(),
            patterns: in_section(TAKES, "patterns").collect(),
            runs: in_section(TAKES, "runs").collect(),
            scripts: in_section(TAKES, "scripts").collect(),
            hosts: in_section(TAKES, "hosts").collect(),
            users: in_section(TAKES, "users").collect(),
            creates: in_section(TAKES, "creates").collect(),
            classes,
            openers,
            acts,
            commands: rows(COMMANDS).flat_map(str::split_whitespace).collect(),
        }
    }

    /// Whether a command takes names, which may be any word: of files, scripts, hosts, users.
    pub fn takes_names(&self, command: &str) -> bool {
        let Self { files, scripts, hosts, users, patterns, .. } = self;
        [files, scripts, hosts, users, patterns].iter().any(|list| list.contains(command))
    }

    pub fn class(&self, word: &str) -> Option<WordClass> {
        self.classes.get(word).copied()
    }

    pub fn opener(&self, word: &str) -> Option<SentenceOpener> {
        self.openers.get(word).copied()
    }

    /// Whether it is an English word, or a form of one.
    pub fn is_word(&self, word: &str) -> bool {
        self.has_word(word) || self.has_stem(word)
    }

    fn has_word(&self, word: &str) -> bool {
        self.common.contains(word)
            || self.classes.contains_key(word)
            || self.openers.contains_key(word)
            || self.reports.contains(word)
            || self.programs.contains(word)
    }

    fn has_stem(&self, word: &str) -> bool {
        if let Some(stem) = word.strip_suffix("ies") {
            return self.has_word(&format!("{stem}y"));
        }
        let endings = ["'s", "s", "es", "ed", "ing", "ly"];
        let stems = endings.iter().filter_map(|ending| word.strip_suffix(ending)).filter(|stem| stem.len() > 2);
        let mut stems = stems.filter(|stem| stem.is_ascii());
        stems.any(|stem| {
            let (short, last) = stem.split_at(stem.len() - 1);
            self.has_word(stem) || self.has_word(&format!("{stem}e")) || short.ends_with(last) && self.has_word(short)
        })
    }

    /// The kind of opener that a word is a typo of, if any.
    pub fn misspelt_opener(&self, word: &str) -> Option<SentenceOpener> {
        let mut openers = self.openers.iter().filter(|(known, _)| known.len() > 2 && is_one_slip(known, word));
        if word.len() > 3 { openers.next().map(|(_, opener)| *opener) } else { None }
    }

    /// Whether a command acts on whatever words follow it.
    pub fn acts(&self, command: &str, second: &str) -> bool {
        self.acts.get(command).is_some_and(|subcommands| subcommands.is_empty() || subcommands.contains(&second))
    }

    pub fn commands(&self) -> impl Iterator<Item = &'static str> {
        self.commands.iter().copied()
    }

    /// Whether it is the name of a command, here or elsewhere. Those with a spec are not included.
    pub fn is_command(&self, word: &str) -> bool {
        self.commands.contains(word)
    }
}

/// Whether two words differ by one inserted, deleted or changed letter, or by two swapped letters.
pub fn is_one_slip(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    if one == other || one.len().abs_diff(other.len()) > 1 {
        return false;
    }
    let same = one.iter().zip(other).take_while(|(one, other)| one == other).count();
    let (one, other) = (one.get(same..).unwrap_or_default(), other.get(same..).unwrap_or_default());
    match (one, other) {
        ([first, second, rest @ ..], [third, fourth, tail @ ..])
            if first == fourth && second == third && rest == tail =>
        {
            true
        }
        ([_, rest @ ..], [_, tail @ ..]) if rest == tail => true,
        ([_, rest @ ..], other) if rest == other => true,
        (one, [_, tail @ ..]) => one == tail,
        _ => false,
    }
}

fn in_section(text: &'static str, name: &'static str) -> impl Iterator<Item = &'static str> {
    section(text, name).flat_map(str::split_whitespace)
}

/// The rows between a heading and the next.
fn section(text: &'static str, name: &'static str) -> impl Iterator<Item = &'static str> {
    let heading = move |row: &&str| row.strip_prefix('[').and_then(|row| row.strip_suffix(']')) == Some(name);
    let is_heading = |row: &str| row.len() > 2 && row.starts_with('[') && row.ends_with(']');
    rows(text).skip_while(move |row| !heading(row)).skip(1).take_while(move |row| !is_heading(row))
}

/// Whether the row is an example for the words above it. Only tests read these.
fn is_example(row: &str) -> bool {
    row.starts_with("+ ") || row.starts_with("- ")
}

fn rows(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines().map(str::trim).filter(|row| !row.is_empty() && !row.starts_with('#') && !is_example(row))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_of_the_document_are_whole() {
        let lists = lists();
        assert_eq!(
            lists.reserved,
            "do done then else elif fi esac in select function coproc { } ! [[".split(' ').collect::<Vec<_>>()
        );
        assert_eq!(lists.errors.len(), 17);
        assert_eq!(lists.syntax_errors, ["parse error", "syntax error", "unexpected token"]);
        assert_eq!(lists.words.len(), 397);
        assert!((130..=190).contains(&lists.agent.len()), "{}", lists.agent.len());
        for word in ["a", "underneath", "frankly", "wherever", "entry", "nevertheless", "ourselves"] {
            assert!(lists.words.contains(word) && lists.class(word).is_some(), "{word}");
        }
        for word in ["packages", "copied", "stopped", "taking", "biggest", "memory"] {
            assert!(lists.is_word(word), "{word}");
        }
        assert!(!lists.is_word("frobnicate") && !lists.is_word("gti"));
        assert!(lists.acts("touch", "base") && lists.acts("pip", "install") && !lists.acts("pip", "list"));
    }

    #[test]
    fn a_slip_is_one_letter_or_two_in_the_wrong_order() {
        for (one, other) in [("which", "whcih"), ("which", "wich"), ("find", "fiind"), ("list", "lost"), ("a", "ab")] {
            assert!(is_one_slip(one, other) && is_one_slip(other, one), "{one} {other}");
        }
        for (one, other) in
            [("which", "which"), ("list", "tsil"), ("find", "fi"), ("é", "e"), ("", "ab"), ("abcd", "badc")]
        {
            assert!(!is_one_slip(one, other), "{one} {other}");
        }
    }
}
