//! Whether each word of a request for a change of many files is accounted for: by a word of the list, by the command, or by its form. One
//! that is not may be a limit, and the command would take more than was meant; such a command is dropped. Works on the finished command,
//! whichever rule made it. Leaves commands that only read, or that name their files, as they are.

use std::collections::HashSet;
use std::sync::LazyLock;

use shell_line as line;

use crate::embedded::analysis::AnalyzedQuery;
use crate::embedded::dropped;
use crate::embedded::lexicon::is_han;
use crate::read_only::is_read_only;

/// Words that limit nothing, that say what the other checks of a change read, or whose limit is checked below.
static PLAIN: LazyLock<HashSet<&str>> =
    LazyLock::new(|| include_str!("../../data/translate/bulk_words.txt").split_whitespace().collect());

/// Words for some of many: the command has to choose them.
const SOME: &[&str] = &["first", "newest", "oldest", "latest", "biggest", "largest", "smallest", "longest", "top"];
const CHOOSES: &[&str] = &["head", "tail", "sort", "-empty", "sed -n", "uniq", "awk"];
const COUNTS: &[&str] = &["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "dozen"];
/// Behind these a number is an age or a size, whose form the command changes.
const UNITS: &[&str] = &[
    "second",
    "minute",
    "min",
    "hour",
    "day",
    "night",
    "week",
    "fortnight",
    "month",
    "quarter",
    "year",
    "byte",
    "kb",
    "kib",
    "k",
    "mb",
    "mib",
    "m",
    "meg",
    "megabyte",
    "gb",
    "gib",
    "g",
    "gig",
    "gigabyte",
    "tb",
    "percent",
    "%",
];
/// Characters that a request describes: `starting with a dash` is not about names that begin with those letters.
const CHARACTERS: &[&str] = &[
    "dash",
    "hyphen",
    "dot",
    "period",
    "underscore",
    "tilde",
    "quote",
    "quotes",
    "number",
    "numbers",
    "digit",
    "digits",
    "space",
    "spaces",
    "letter",
    "letters",
    "comma",
    "star",
    "hash",
    "apostrophe",
    "newline",
    "uppercase",
    "lowercase",
    "vowel",
    "umlaut",
    "bracket",
    "brackets",
    "parenthesis",
    "colon",
    "symbol",
    "emoji",
];

/// Whether the command may be shown for the request.
pub fn is_accounted_for(reading: &AnalyzedQuery<'_>, command: &str) -> bool {
    if is_read_only(command, reading.place.dialect) {
        return true;
    }
    if dropped::drops(reading, command) {
        return false;
    }
    let words = words(reading);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    if !is_of_many(reading, command) {
        return !widens_people(&words, command);
    }
    // `example\.com` in the pattern of a program is `example.com`.
    let low = command.replace('\\', "").to_lowercase();
    let every = (0..words.len()).all(|place| is_known(&words, place, &low));
    every
        && chooses(&words, &low)
        && !takes_reference(&low)
        && !describes_character(&words, &low)
        && !widens_people(&words, command)
        && !widens_links(&words, &low)
        && !widens_typed(&words, &low)
        && !excludes_text(reading, &low)
}

/// Whether each word is known or in the command, however many files it is about.
pub fn accounts_for_each(reading: &AnalyzedQuery<'_>, command: &str) -> bool {
    let words = words(reading);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let low = command.replace('\\', "").to_lowercase();
    (0..words.len()).all(|place| is_known(&words, place, &low))
}

fn words(reading: &AnalyzedQuery<'_>) -> Vec<String> {
    let words = reading.words.iter().flat_map(|word| word.low.split_whitespace()).map(|part| trimmed(part).to_owned());
    words.filter(|word| !word.is_empty()).collect()
}

/// Whether it changes what a search finds, or what a pattern matches.
fn is_of_many(reading: &AnalyzedQuery<'_>, command: &str) -> bool {
    const CHANGERS: &[&str] = &[
        "rm",
        "mv",
        "cp",
        "chmod",
        "chown",
        "chgrp",
        "setfacl",
        "trash",
        "trash-put",
        "shred",
        "truncate",
        "sed",
        "ln",
    ];
    let line = line::parse(command, reading.place.dialect);
    line.commands.iter().any(|run| {
        let mut words = run.words.iter().skip_while(|word| matches!(word.value.as_str(), "sudo" | "doas" | "command"));
        let name = words.next().map_or("", |word| word.value.as_str());
        let is_pattern = |word: &line::Word| !word.fixed && word.value.contains(['*', '?', '[']);
        name == "find" || CHANGERS.contains(&name) && words.any(|word| is_pattern(word) || word.value == "-R")
    })
}

fn trimmed(word: &str) -> &str {
    word.trim_matches(|letter: char| matches!(letter, ',' | '.' | '!' | '?' | ';' | ':' | '"' | '\'' | '`' | '(' | ')'))
}

fn is_known(words: &[&str], place: usize, command: &str) -> bool {
    let word = words[place];
    let singular = word.strip_suffix("'s").or(word.strip_suffix('s')).unwrap_or(word);
    // `whose names end in`, and not `whose directory is old`.
    let of_name = word == "whose" && words.get(place + 1).is_some_and(|next| next.starts_with("name"));
    if word.chars().any(is_han) || of_name || PLAIN.contains(word) || PLAIN.contains(singular) || SOME.contains(&word) {
        return true;
    }
    if word.starts_with(|letter: char| letter.is_ascii_digit()) || COUNTS.contains(&word) {
        let unit = word.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
        let next = words.get(place + 1).copied().unwrap_or_default();
        let is_unit = |text: &str| UNITS.contains(&text.trim_end_matches('s'));
        return is_unit(unit) || is_unit(next) || is_unit(unit.trim_start_matches('-')) || has(command, word);
    }
    has(command, word) || singular.len() > 2 && has(command, singular)
}

/// A word of the command, or a part of one that begins or ends where letters do.
fn has(command: &str, word: &str) -> bool {
    let word = word.trim_start_matches("./").trim_end_matches('/');
    command.match_indices(word).any(|(at, _)| {
        let before = command[..at].chars().next_back();
        let after = command[at + word.len()..].chars().next();
        !before.is_some_and(char::is_alphanumeric) || !after.is_some_and(char::is_alphanumeric)
    })
}

/// `the first 3 files`: a command over all of them does more.
fn chooses(words: &[&str], command: &str) -> bool {
    let is_period = |place: usize| words.get(place + 1).is_some_and(|next| UNITS.contains(&next.trim_end_matches('s')));
    let is_some = words.iter().enumerate().any(|(place, word)| SOME.contains(word) && !is_period(place));
    let chinese = words.iter().any(|word| {
        ["最新", "最旧", "最老", "最大", "最小"].iter().any(|some| word.contains(some))
            || word.split_once('前').is_some_and(|(_, rest)| {
                rest.contains('个') && rest.starts_with(|letter: char| letter.is_ascii_digit() || is_han(letter))
            })
    });
    !(is_some || chinese) || CHOOSES.iter().any(|mark| command.contains(mark))
}

/// `older than data.csv` as `-not -newer data.csv` takes data.csv itself, and what is as old.
fn takes_reference(command: &str) -> bool {
    ["-not -newer", "! -newer"].iter().any(|test| command.contains(test))
}

fn describes_character(words: &[&str], command: &str) -> bool {
    let is_pattern = |word: &str| command.contains(&format!("*{word}")) || command.contains(&format!("{word}*"));
    words.iter().any(|word| CHARACTERS.contains(word) && is_pattern(word))
}

/// `take write permission from others` is no `a-w`.
fn widens_people(words: &[&str], command: &str) -> bool {
    let said = |list: &[&str]| words.iter().any(|word| list.contains(word));
    let some = said(&["others", "group", "owner", "else"]);
    let everyone = ["chmod a", "chmod +", "chmod -w", "chmod -r", "chmod -x", "chmod -R a", "chmod -R +", "chmod -R -"];
    some && everyone.iter().any(|mode| command.contains(mode))
}

/// `links to directories`: where a link leads is no test of the command.
fn widens_links(words: &[&str], command: &str) -> bool {
    let leads = ["to", "behind", "pointing", "into", "broken", "dangling"];
    command.contains("-type l")
        && words.windows(2).any(|pair| pair[0].contains("link") && leads.contains(&pair[1]) || leads[1] == pair[0])
        && !command.contains("-xtype")
        && !command.contains("-lname")
}

/// A command that was typed, or files `here`, and a search below.
fn widens_typed(words: &[&str], command: &str) -> bool {
    const PROGRAMS: &[&str] = &["chmod", "chown", "chgrp", "rm", "mv", "cp"];
    const DEEP: &[&str] = &[
        "below",
        "recursive",
        "recursively",
        "under",
        "underneath",
        "tree",
        "everywhere",
        "anywhere",
        "subfolders",
        "subdirectories",
        "subdirs",
        "subfolder",
        "subdirectory",
        "nested",
        "deep",
        "deeper",
        "down",
        "inside",
        "within",
    ];
    let is_deep = command.contains("find ") && !command.contains("-maxdepth 1");
    let first = words.first().copied().unwrap_or_default();
    let is_typed = PROGRAMS.contains(&first)
        && words.iter().skip(1).any(|word| word.contains(['*', '+']) || word.starts_with('-'));
    let flattens = ["-exec mv", "-exec cp"].iter().any(|act| command.contains(act));
    let asks_deep = words.iter().any(|word| DEEP.contains(word));
    // `remove backup*`
    let is_glob = words.len() == 2 && words[1].contains('*');
    is_deep && !asks_deep && (is_typed && !words.contains(&"all") || flattens || is_glob || words.contains(&"here"))
}

/// `不包括 a.txt` is an exception, and no search for that text.
fn excludes_text(reading: &AnalyzedQuery<'_>, command: &str) -> bool {
    let said: String = reading.words.iter().map(|word| word.low.as_str()).collect();
    let excepts = ["不包", "不含", "除", "except", "exclud"].into_iter().any(|word| said.contains(word));
    // `not containing x` is `! -exec grep`, and so is a name that was taken for a text.
    let seeks = command.contains("! -exec grep") || command.contains("-not -exec grep");
    seeks && (excepts || said.chars().any(is_han)) || excepts && command.contains("grep")
}
