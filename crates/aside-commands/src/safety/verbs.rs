//! Judges a command by the verb in it, for the hundreds of programs that have subcommands: `kubectl delete`, `heroku apps:destroy`, `aws
//! ec2 terminate-instances`. Also by the name of a program or a target, and by long flags. The words are data (`data/safety/verbs.toml`).

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use shell_line::Word;

use crate::safety::Harm;
use crate::safety::nested_commands::{NestedCommand, is_flag};
use crate::safety::rules::has_flag;
use crate::safety::toml_table;

const TABLE: &str = include_str!("../../data/safety/verbs.toml");

/// Words of a command that are searched for its verb.
const MAX_LEADING: usize = 5;

#[derive(Default)]
struct Verbs {
    destroys: HashMap<String, Harm>,
    harmless: HashSet<String>,
    things: HashSet<String>,
    closed: HashSet<String>,
    runners: HashSet<String>,
    runs: HashSet<String>,
    strong: HashSet<String>,
    pairs: Vec<String>,
    names_unless: HashSet<String>,
    flags_begin: Vec<String>,
    flags_whole: HashSet<String>,
    flags_unless: Vec<String>,
    flags_closed: HashSet<String>,
    dry: Vec<String>,
    dry_of: HashMap<String, Vec<String>>,
}

static VERBS: LazyLock<Verbs> = LazyLock::new(|| read(TABLE));

fn read(table: &str) -> Verbs {
    let mut verbs = Verbs::default();
    let list = |name: &str, key: &str| -> Vec<String> {
        toml_table::rows(table, name).first().map(|row| row.list(key)).unwrap_or_default()
    };
    for harm in Harm::ALL {
        verbs.destroys.extend(list("destroys", harm.name()).into_iter().map(|verb| (verb, harm)));
    }
    verbs.harmless = list("harmless", "words").into_iter().collect();
    verbs.things = list("harmless", "things").into_iter().collect();
    verbs.closed = list("closed", "commands").into_iter().collect();
    verbs.runners = list("runners", "commands").into_iter().collect();
    verbs.runs = list("runners", "words").into_iter().collect();
    verbs.strong = list("names", "strong").into_iter().collect();
    verbs.pairs = list("names", "pairs");
    verbs.names_unless = list("names", "unless").into_iter().collect();
    verbs.flags_begin = list("flags", "begins");
    verbs.flags_whole = list("flags", "whole").into_iter().collect();
    verbs.flags_unless = list("flags", "unless");
    verbs.flags_closed = list("flags", "closed").into_iter().collect();
    verbs.dry = list("dry", "any");
    for row in toml_table::rows(table, "dry.of") {
        verbs.dry_of.extend(row.keys().map(|name| (name.to_owned(), row.list(name))));
    }
    verbs
}

/// Whether the words of a command are not subcommands.
pub fn is_closed(name: &str) -> bool {
    VERBS.closed.contains(name)
}

/// Whether it is a dry run. Takes the command's own words.
pub fn is_dry(name: &str, words: &[&Word]) -> bool {
    let own = || words.iter().copied().take_while(|word| word.value != "--");
    let dry = own().filter(|word| is_flag(&word.value) && !is_off(&word.value)).any(|word| {
        let flag = word.value.split_once('=').map_or(word.value.as_str(), |(flag, _)| flag);
        VERBS.dry.iter().any(|known| known == flag || *known == word.value)
    });
    if dry {
        return true;
    }
    let family = name.split_once('.').map_or(name, |(family, _)| family);
    let Some(flags) = VERBS.dry_of.get(name).or_else(|| VERBS.dry_of.get(family)) else { return false };
    has_flag(own(), flags) || own().any(|word| flags.contains(&word.value) && !is_flag(&word.value))
}

/// `--dry-run=none`, `--delete-old=false`
fn is_off(word: &str) -> bool {
    let value = word.split_once('=').map(|(_, value)| value.to_lowercase());
    matches!(value.as_deref(), Some("none" | "false" | "no" | "0" | "off"))
}

/// The harm that the verb, the name or the flags of a command indicate.
pub fn harm(run: &NestedCommand) -> Option<Harm> {
    let name = run.name();
    if let Some(harm) = by_name(name) {
        return Some(harm);
    }
    if VERBS.runners.contains(name) {
        return target(run);
    }
    if VERBS.closed.contains(name) || name.is_empty() {
        return None;
    }
    match leading(run.arguments()) {
        Verb::Destroys(harm) => Some(harm),
        Verb::Harmless => None,
        Verb::Unknown => by_flag(run),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verb {
    Destroys(Harm),
    Harmless,
    Unknown,
}

/// The verb of a command: the first among the words before its flags. A word right after a flag may be its value, and is skipped when it is
/// no verb.
fn leading(arguments: &[Word]) -> Verb {
    let mut seen = 0;
    let (mut after_flag, mut thing) = (false, false);
    for word in arguments {
        let value = word.value.as_str();
        if value == "--" || seen >= MAX_LEADING {
            break;
        }
        if is_flag(value) {
            if seen > 0 {
                break;
            }
            after_flag = !value.contains('=');
            continue;
        }
        // After another word, `drop_x` is more likely a name.
        let named = seen > 0 && value.contains('_');
        match verb(value) {
            Verb::Destroys(_) if named => seen += 1,
            // `gcloud run services delete`
            Verb::Harmless if VERBS.things.contains(value) => {
                thing = true;
                seen += 1;
            }
            Verb::Unknown if after_flag => {}
            Verb::Unknown => seen += 1,
            known => return known,
        }
        after_flag = false;
    }
    if thing { Verb::Harmless } else { Verb::Unknown }
}

/// Classifies a word, whole or by its parts.
fn verb(word: &str) -> Verb {
    let plain = word.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b':'));
    if !plain || word.is_empty() {
        return Verb::Unknown;
    }
    let known = |word: &str| match VERBS.destroys.get(word) {
        Some(harm) => Verb::Destroys(*harm),
        None if VERBS.harmless.contains(word) || VERBS.things.contains(word) => Verb::Harmless,
        None => Verb::Unknown,
    };
    let lower = word.to_lowercase();
    // A noun alone is a topic and no verb; as a part it counts: `schedule-key-deletion`.
    if matches!(lower.as_str(), "deletion" | "removal" | "termination") {
        return Verb::Unknown;
    }
    if let whole @ (Verb::Destroys(_) | Verb::Harmless) = known(&lower) {
        return whole;
    }
    let parts = parts(word);
    if parts.len() < 2 {
        return Verb::Unknown;
    }
    // `apps:destroy`: the verb comes last.
    let topic = word.contains(':').then(|| parts.last()).flatten().map_or(Verb::Unknown, |last| known(last));
    if topic != Verb::Unknown {
        return topic;
    }
    let first = parts.first().map_or(Verb::Unknown, |first| known(first));
    if first != Verb::Unknown {
        return first;
    }
    // `stanza-delete`, `admin-delete-user`
    let strong = |part: &&String| VERBS.strong.contains(*part);
    let last = parts.last().filter(|last| matches!(known(last), Verb::Destroys(_)));
    match last.or_else(|| parts.iter().find(strong)).map(|part| known(part)) {
        Some(Verb::Destroys(harm)) => Verb::Destroys(harm),
        _ => Verb::Unknown,
    }
}

/// `delete-table`, `pg:reset`, `deleteDatabase`
fn parts(word: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut before = ' ';
    for letter in word.chars() {
        if matches!(letter, '-' | '_' | ':' | '.') {
            parts.push(String::new());
        } else {
            if letter.is_ascii_uppercase() && before.is_ascii_lowercase() {
                parts.push(String::new());
            }
            if let Some(last) = parts.last_mut() {
                last.push(letter.to_ascii_lowercase());
            }
        }
        before = letter;
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// What a file of commands or statements does, by its name: `drop-tables.sql`.
pub fn by_file(path: &str) -> Option<Harm> {
    let name = path.rsplit('/').next()?;
    let bare = name.rsplit_once('.').map_or(name, |(bare, _)| bare);
    by_target(bare)
}

/// A script or a target named after what it does: `destroy-stack.sh`, `db:reset`.
fn by_name(name: &str) -> Option<Harm> {
    const ENDINGS: [&str; 10] = [".sh", ".py", ".rb", ".js", ".pl", ".ts", ".bash", ".zsh", ".php", ".R"];
    let bare = ENDINGS.iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name);
    let is_script = bare.len() < name.len();
    let parts = parts(bare);
    if parts.len() < 2 && !is_script {
        return None;
    }
    by_parts(&parts)
}

/// `make destroy`, `npm run db:reset`
fn target(run: &NestedCommand) -> Option<Harm> {
    let mut words = run.arguments().iter().map(|word| word.value.as_str()).filter(|word| !is_flag(word)).peekable();
    let manager =
        matches!(run.name(), "npm" | "yarn" | "pnpm" | "bun" | "composer" | "deno" | "mise" | "hatch" | "pdm");
    if manager {
        let first = words.next()?;
        if !VERBS.runs.contains(first) {
            // `yarn db:drop`
            return if run.name() == "npm" { None } else { by_target(first) };
        }
        return words.next().and_then(by_target);
    }
    words.filter(|word| !word.contains('=')).find_map(by_target)
}

fn by_target(target: &str) -> Option<Harm> {
    if target.contains('/') {
        return None;
    }
    by_parts(&parts(target))
}

fn by_parts(parts: &[String]) -> Option<Harm> {
    if parts.iter().any(|part| VERBS.names_unless.contains(part)) {
        return None;
    }
    if parts.iter().any(|part| part == "uninstall") {
        return Some(Harm::Uninstalls);
    }
    let joined = parts.join(" ");
    let says =
        parts.iter().any(|part| VERBS.strong.contains(part)) || VERBS.pairs.iter().any(|pair| joined.contains(pair));
    says.then_some(Harm::DeletesOther)
}

/// `tool --delete-all`
fn by_flag(run: &NestedCommand) -> Option<Harm> {
    if VERBS.flags_closed.contains(run.name()) {
        return None;
    }
    let mut flags = run.arguments().iter().map(|word| word.value.as_str()).take_while(|word| *word != "--");
    let says = flags.any(|word| {
        let flag = word.split_once('=').map_or(word, |(flag, _)| flag);
        is_flag(word)
            && !is_off(word)
            && !VERBS.flags_unless.iter().any(|unless| unless == flag || unless == word)
            && (VERBS.flags_whole.contains(flag)
                || VERBS.flags_begin.iter().any(|begin| word == begin || flag.starts_with(begin.as_str())))
    });
    says.then_some(Harm::DeletesOther)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verbs_are_read_whole_and_in_parts() {
        let destroys = [
            "delete",
            "delete-table",
            "terminate-instances",
            "apps:destroy",
            "pg:reset",
            "purge_queue",
            "deleteDatabase",
            "stanza-delete",
            "schedule-key-deletion",
            "DELETE",
        ];
        for word in destroys {
            assert!(matches!(verb(word), Verb::Destroys(_)), "{word}");
        }
        for word in ["list", "list-deleted", "describe-x", "get-function", "create-delete-marker", "read"] {
            assert_eq!(verb(word), Verb::Harmless, "{word}");
        }
        for word in ["x", "web-1", "./delete", "delete.txt", "s3://delete", "undeleted", "-delete", ""] {
            assert_eq!(verb(word), Verb::Unknown, "{word}");
        }
    }

    #[test]
    fn every_verb_is_one_thing() {
        toml_table::tests::is_read_whole(TABLE);
        let both: Vec<&String> =
            VERBS.harmless.iter().chain(&VERBS.things).filter(|word| VERBS.destroys.contains_key(*word)).collect();
        assert_eq!(both, Vec::<&String>::new());
        assert!(VERBS.destroys.len() > 60 && VERBS.closed.len() > 200 && VERBS.dry_of.len() > 30);
    }
}
