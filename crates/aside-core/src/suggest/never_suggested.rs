//! Suggestions that are always rejected, whatever the source: what destroys more than the line that ended, the opposite
//! of what was typed, an incomplete command, a new project among existing files. Data: `data/suggest/opposites.txt`.

use std::sync::LazyLock;

use aside_commands::project;
use aside_commands::safety::{self, Harm};
use aside_commands::world::Fact;
use shell_line::{self as line, Dialect};

use crate::suggest::did_you_mean::REMOVES;
use crate::suggest::parsed_run::ParsedRun;
use crate::suggest::{EndedRun, SuggestContext, Suggestion, SuggestionSource, trust};

const OPPOSITES: &str = include_str!("../../data/suggest/opposites.txt");

/// Tools whose `init` starts a project in this directory.
const PROJECTS: [&str; 9] = ["git", "hg", "cargo", "npm", "pnpm", "yarn", "bun", "poetry", "uv"];
/// A shorter word with two letters prepended is similar to too many.
const MIN_VERB: usize = 3;
/// A shorter misspelt word could be anything destructive.
const MIN_SLIP: usize = 3;

pub fn allows(command: &str, parsed_run: &ParsedRun<'_>) -> bool {
    let dialect = parsed_run.place.dialect;
    let (old, new) = (words(parsed_run.line, dialect), words(command, dialect));
    !is_opposite(&old, &new)
        && !begins_needlessly(&old, &new, &parsed_run.place)
        && !destroys_more(command, &old, &new, parsed_run)
}

/// Whether a command could work here, whatever its source: a flag has its value, the project has the needed files, and
/// created or executable files are plausible. A program's own help is not a next command.
pub fn makes_sense(found: &Suggestion, ended: &EndedRun<'_>, place: &SuggestContext<'_>) -> bool {
    // If the same program just ran, it found its files, unless its output says otherwise.
    let ran = if ended.exit != 0 { words(ended.command, place.dialect) } else { Vec::new() };
    let has_files = |name: &str| ran.iter().any(|word| word == name) && !project::names_files(ended.output, name);
    let parsed = line::parse(&found.command, place.dialect);
    parsed.commands.iter().all(|command| {
        let words: Vec<&str> = command.words.iter().map(|word| word.value.as_str()).collect();
        let words = words.strip_prefix(&["sudo"]).unwrap_or(&words);
        let is_system = |path: &&str| ["/proc", "/sys", "/dev"].iter().any(|root| path.starts_with(root));
        match words {
            [_, "--help" | "-h" | "help"] if found.source == SuggestionSource::Output => false,
            ["mkdir" | "touch", paths @ ..] => !paths.iter().any(is_system),
            ["chmod", mode, paths @ ..] if mode.ends_with("+x") => paths.iter().all(|path| is_runnable(path)),
            words => {
                let runs_here = words.first().is_some_and(|name| has_files(name));
                !lacks_value(words, place) && (runs_here || !project::lacks_files(words, place.cwd, place.world))
            }
        }
    })
}

/// Whether it ends with a flag that needs a value: `flask --app`.
fn lacks_value(words: &[&str], place: &SuggestContext<'_>) -> bool {
    let [name, between @ .., last] = words else { return false };
    let Some(mut spec) = place.specs.find(name, place.world).filter(|_| last.starts_with("--")) else { return false };
    let mut takes = false;
    for word in between.iter().chain([last]) {
        if let Some(flag) = spec.flag(word) {
            takes = flag.takes.as_ref().is_some_and(|takes| !takes.optional);
        } else {
            takes = false;
            if let Some(deeper) = spec.sub(word).map(|sub| sub.spec.clone()) {
                spec = deeper;
            }
        }
    }
    takes
}

/// Whether the name is that of a script or a program, unlike `Makefile` and `notes.txt`.
fn is_runnable(path: &str) -> bool {
    const SCRIPTS: [&str; 16] = [
        "sh", "bash", "zsh", "fish", "py", "pl", "rb", "js", "mjs", "ts", "php", "lua", "awk", "run", "bin", "AppImage",
    ];
    let name = path.rsplit('/').next().unwrap_or(path);
    match name.rsplit_once('.') {
        Some((_, ending)) => SCRIPTS.contains(&ending),
        None => !name.starts_with(|letter: char| letter.is_ascii_uppercase()),
    }
}

/// Whether it is a program without its required subcommand, or a subcommand without its required arguments.
pub fn is_incomplete(command: &str, place: &SuggestContext<'_>) -> bool {
    let mut words = words(command, place.dialect);
    words.retain(|word| !matches!(word.as_str(), "sudo" | "doas"));
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        [program] => {
            let has_subs = place.specs.find(program, place.world).is_some_and(|spec| !spec.subs.is_empty());
            has_subs && !trust::works_alone(program)
        }
        words => trust::needs_arguments(words),
    }
}

fn words(line: &str, dialect: Dialect) -> Vec<String> {
    let parsed = line::parse(line, dialect);
    parsed.commands.into_iter().flat_map(|command| command.words).map(|word| word.value).collect()
}

/// Whether it loses something that the line itself would not have lost.
fn destroys_more(command: &str, old: &[String], new: &[String], parsed_run: &ParsedRun<'_>) -> bool {
    let place = &parsed_run.place;
    let worst = |line: &str| -> Option<Harm> {
        let dangers = safety::dangers_in(line, place.dialect, place.cwd, place.world);
        dangers.iter().map(|danger| danger.harm).max()
    };
    match worst(command) {
        None => false,
        Some(Harm::Uninstalls) if is_other_word(old, new) => false,
        // It may delete what the line named, but nothing else of a similar name.
        Some(harm) if Some(harm) <= worst(parsed_run.line) => {
            (harm == Harm::Uninstalls || harm >= Harm::DeletesFiles) && names_more(old, new)
        }
        Some(_) => !is_as_typed(old, new),
    }
}

fn names_more(old: &[String], new: &[String]) -> bool {
    let is_name = |word: &&String| !word.starts_with('-') && !matches!(word.as_str(), "sudo" | "doas");
    new.iter().filter(is_name).any(|word| !old.contains(word))
}

/// `pip remove x` asks for what pip calls `uninstall`.
fn is_other_word(old: &[String], new: &[String]) -> bool {
    let mut changed = old.iter().zip(new).filter(|(old, new)| old != new);
    let (Some((typed, meant)), None) = (changed.next(), changed.next()) else { return false };
    let removes = |word: &String| REMOVES.contains(&word.as_str());
    old.len() == new.len() && removes(typed) && removes(meant)
}

/// The same words in another order, or one of them with a one-letter typo: the user asked for what it destroys.
fn is_as_typed(old: &[String], new: &[String]) -> bool {
    let sorted = |words: &[String]| {
        let mut words = words.to_vec();
        words.sort_unstable();
        words
    };
    if sorted(old) == sorted(new) {
        return true;
    }
    let mut changed = old.iter().zip(new).filter(|(old, new)| old != new);
    let (Some((typed, meant)), None) = (changed.next(), changed.next()) else { return false };
    let is_name = |word: &str| word.len() >= MIN_SLIP && word.starts_with(|letter: char| letter.is_ascii_alphabetic());
    old.len() == new.len() && is_name(typed) && is_name(meant) && strsim::osa_distance(typed, meant) <= 1
}

/// Whether a word of the line was replaced by its opposite, or a misspelt one by the opposite of what it resembles.
fn is_opposite(old: &[String], new: &[String]) -> bool {
    let gone: Vec<&str> = old.iter().filter(|word| !new.contains(word)).map(String::as_str).collect();
    let mut added = new.iter().filter(|word| !old.contains(word)).map(String::as_str);
    !gone.is_empty() && added.any(|new| gone.iter().any(|old| are_opposites(old, new)))
}

fn are_opposites(typed: &str, meant: &str) -> bool {
    let (typed, meant) = (typed.to_lowercase(), meant.to_lowercase());
    if negates(&typed, &meant) || negates(&meant, &typed) {
        return true;
    }
    let bare = |word: &str| word.trim_start_matches('-').to_owned();
    let (typed, meant) = (bare(&typed), bare(&meant));
    let is_same_side = |side: &Vec<&str>| side.contains(&typed.as_str()) && side.contains(&meant.as_str());
    if rows().iter().flatten().any(is_same_side) {
        return false;
    }
    let distance = strsim::osa_distance(&typed, &meant);
    let is_nearer = |word: &str| {
        let other = strsim::osa_distance(&typed, word);
        other == 0 || other <= 2 && other < distance && typed.chars().count() > 3
    };
    let is_verb = meant.len() >= MIN_VERB;
    let negated = is_verb && ["un", "dis", "de"].iter().any(|begin| is_nearer(&format!("{begin}{meant}")));
    negated
        || rows().iter().any(|[left, right]| {
            left.contains(&meant.as_str()) && right.iter().any(|word| is_nearer(word))
                || right.contains(&meant.as_str()) && left.iter().any(|word| is_nearer(word))
        })
}

/// `uninstall` and `install`, `--no-verify` and `--verify`
fn negates(one: &str, other: &str) -> bool {
    let dashes = other.len() - other.trim_start_matches('-').len();
    let (Some(one), Some(other)) = (one.get(dashes..), other.get(dashes..)) else { return false };
    other.len() > 2 && ["un", "dis", "de", "no-", "no"].iter().any(|begin| one.strip_prefix(begin) == Some(other))
}

fn rows() -> &'static [[Vec<&'static str>; 2]] {
    static ROWS: LazyLock<Vec<[Vec<&'static str>; 2]>> = LazyLock::new(|| {
        let rows = OPPOSITES.lines().filter(|row| !row.starts_with('#')).filter_map(|row| row.split_once(" | "));
        rows.map(|(left, right)| [left, right].map(|side| side.split_whitespace().collect())).collect()
    });
    &ROWS
}

/// `git init` among existing files. A typo for `init` counts as typed.
fn begins_needlessly(old: &[String], new: &[String], place: &SuggestContext<'_>) -> bool {
    let mut words = new.iter().map(String::as_str).filter(|word| !word.starts_with('-'));
    let begins = words.next().is_some_and(|name| PROJECTS.contains(&name)) && words.next() == Some("init");
    let is_typed = || old.iter().any(|word| strsim::osa_distance(word, "init") <= 2);
    begins && words.next().is_none() && !is_typed() && !is_empty(place)
}

/// Whether this directory has only hidden entries.
pub fn is_empty(place: &SuggestContext<'_>) -> bool {
    match place.world.entries(place.cwd) {
        Fact::Yes(entries) => entries.iter().all(|entry| entry.name.starts_with('.')),
        Fact::No | Fact::NotYet => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_makes_no_sense_is_told_by_its_words() {
        let (names, specs) =
            (aside_commands::shell_names::ShellNames::default(), aside_commands::spec::Specs::default());
        let world = aside_commands::world::EmptyWorld;
        let place =
            SuggestContext { cwd: "/home/me", dialect: Dialect::Zsh, world: &world, names: &names, specs: &specs };
        for (command, expected) in [
            ("git log --author", false),
            ("git log --author me", true),
            ("docker --help", false),
            ("docker ps", true),
            ("mkdir -p /proc/1/x", false),
            ("sudo touch /sys/x", false),
            ("mkdir -p build/x", true),
            ("chmod +x ./Makefile", false),
            ("chmod +x notes.txt", false),
            ("chmod +x ./deploy.sh", true),
            ("chmod u+x bin/run-all", true),
            ("git push --set-upstream origin main", true),
        ] {
            let (command, reason) = (command.to_owned(), String::new());
            let found = Suggestion { command, source: SuggestionSource::Output, reason, confidence: 1.0 };
            let ended = EndedRun { command: "x", exit: 1, output: None, previous: &[], next: &[] };
            assert_eq!(makes_sense(&found, &ended, &place), expected, "{}", found.command);
        }
    }

    #[test]
    fn opposites_are_told_by_rows_and_by_prefixes() {
        assert!(rows().len() > 20);
        for (typed, meant) in [
            ("uninstall", "install"),
            ("unistall", "install"),
            ("install", "uninstall"),
            ("add", "remove"),
            ("rm", "create"),
            ("stop", "start"),
            ("disbale", "enable"),
            ("unlok", "lock"),
            ("umount", "mount"),
            ("--no-verify", "--verify"),
            ("deactivate", "activate"),
            ("--decrypt", "--encrypt"),
        ] {
            assert!(are_opposites(typed, meant), "{typed} {meant}");
        }
        for (typed, meant) in [
            ("isntall", "install"),
            ("unistall", "uninstall"),
            ("strat", "start"),
            ("stpo", "stop"),
            ("enbale", "enable"),
            ("status", "start"),
            ("tset", "test"),
            ("udpate", "upgrade"),
            ("push", "pull"),
            ("ad", "add"),
            ("rn", "run"),
            ("install", "add"),
            ("uninstall", "remove"),
            ("manls", "ls"),
        ] {
            assert!(!are_opposites(typed, meant), "{typed} {meant}");
        }
    }
}
