//! Decides which parts of a command may come from an output, which a page, a log or a package's script may have
//! written. One check for everything that is offered on the word of an output: the program, the packages, the
//! addresses, the flags. The lists are data (`data/suggest/trust.txt`). `check` decides whether the command is
//! destructive.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use shell_line::{self as line, Word};

use crate::suggest::SuggestContext;
use crate::suggest::{did_you_mean, packages};

const LISTS: &str = include_str!("../../data/suggest/trust.txt");

#[derive(Default)]
struct Lists {
    programs: HashSet<&'static str>,
    never: HashSet<&'static str>,
    /// Words that install something, with the registry.
    installs: Vec<(&'static str, Vec<&'static str>)>,
    known: HashMap<&'static str, HashSet<&'static str>>,
    steers: Vec<&'static str>,
    settings: HashSet<&'static str>,
    /// Programs with subcommands that also work without one, and commands that need arguments.
    alone: HashSet<&'static str>,
    half: Vec<Vec<&'static str>>,
    /// Allowed first words behind a program's name.
    forms: HashMap<&'static str, Vec<Vec<&'static str>>>,
}

static TRUST: LazyLock<Lists> = LazyLock::new(|| {
    let mut lists = Lists::default();
    for row in LISTS.lines().filter(|row| !row.is_empty() && !row.starts_with('#')) {
        let Some((kind, rest)) = row.split_once(' ') else { continue };
        match kind {
            "program" => lists.programs.extend(rest.split(' ')),
            "never" => lists.never.extend(rest.split(' ')),
            "steers" => lists.steers.extend(rest.split(' ')),
            "setting" => lists.settings.extend(rest.split(' ')),
            "alone" => lists.alone.extend(rest.split(' ')),
            "half" => lists.half.extend(rest.split(", ").map(|command| command.split(' ').collect::<Vec<_>>())),
            "known" => {
                let Some((registry, names)) = rest.split_once(' ') else { continue };
                lists.known.entry(registry).or_default().extend(names.split(' '));
            }
            "form" => {
                let Some((program, forms)) = rest.split_once(' ') else { continue };
                let forms = forms.split(", ").map(|form| form.split(' ').collect());
                lists.forms.entry(program).or_default().extend(forms);
            }
            "install" => {
                let Some((registry, commands)) = rest.split_once(' ') else { continue };
                let words = commands.split(", ").map(|command| (registry, command.split(' ').collect()));
                lists.installs.extend(words);
            }
            _ => {}
        }
    }
    lists
});

/// Whether a command that an output names may be offered. `typed` are lines of the user, whose words are trusted.
pub fn believes(command: &str, typed: &[&str], place: &SuggestContext<'_>) -> bool {
    let parsed = line::parse(command, place.dialect);
    let [only] = parsed.commands.as_slice() else { return false };
    let mut words = only.words.as_slice();
    while let [first, rest @ ..] = words
        && matches!(&*first.value, "sudo" | "doas")
    {
        words = rest;
    }
    let Some((program, arguments)) = words.split_first() else { return false };
    let own = is_typed(&program.value, typed);
    let Some(program) = program_name(&program.value, own) else { return false };
    (own || TRUST.programs.contains(program))
        && !TRUST.never.contains(program)
        && !arguments.iter().any(|word| steers(&word.value) && !is_typed(&word.value, typed))
        && !arguments.iter().any(|word| is_address(&word.value) && !is_typed(&word.value, typed))
        && has_known_form(program, arguments)
        && (own || flags_are_known(program, arguments, place))
        && !signs_in_elsewhere(arguments, typed)
        && is_plain_setting(program, arguments)
        && !(program == "git" && arguments.iter().any(|word| word.value == "-c") && !is_typed("-c", typed))
        && is_plain_service(program, arguments, typed)
        && !arguments.iter().any(|word| is_variable(&word.value) && !is_typed(&word.value, typed))
        && !starts_container(program, arguments, typed)
        && installs_known(command, typed, place)
}

/// Has subcommands, but also works without one.
pub fn works_alone(program: &str) -> bool {
    TRUST.alone.contains(program)
}

/// Only the words of a command that needs arguments, and flags.
pub fn needs_arguments(words: &[&str]) -> bool {
    let plain: Vec<&str> = words.iter().copied().filter(|word| !word.starts_with('-')).collect();
    TRUST.half.iter().any(|half| half.as_slice() == plain || half.as_slice() == words)
}

/// Whether the command installs packages that it names.
pub fn installs(words: &[&str]) -> bool {
    installed(words).is_some_and(|(_, packages)| !packages.is_empty())
}

/// Whether the program is in one of the lists.
pub fn lists(program: &str) -> bool {
    TRUST.programs.contains(program) || TRUST.never.contains(program)
}

/// The program of a path: only those that projects keep in their own tree, or that the user typed.
fn program_name(word: &str, own: bool) -> Option<&str> {
    const PLACES: [&str; 3] = ["bin/", "vendor/bin/", "node_modules/.bin/"];
    match word.rsplit_once('/') {
        None => Some(word),
        Some((_, name)) if own => Some(name),
        Some(_) => {
            let word = word.strip_prefix("./").unwrap_or(word);
            let name = PLACES.iter().find_map(|place| word.strip_prefix(place))?;
            (!name.contains('/')).then_some(name)
        }
    }
}

/// Whether the arguments are in the program's allow list, or the program has none.
fn has_known_form(program: &str, arguments: &[Word]) -> bool {
    let Some(forms) = TRUST.forms.get(program).filter(|_| !arguments.is_empty()) else { return true };
    let all: Vec<&str> = arguments.iter().map(|word| word.value.as_str()).collect();
    let plain: Vec<&str> = all.iter().copied().filter(|word| !word.starts_with('-')).collect();
    let helps = matches!(all.as_slice(), ["--help" | "-h" | "--version" | "help"]);
    helps
        || forms.iter().any(|form| match form.as_slice() {
            ["*"] => true,
            ["="] => all.iter().all(|word| !word.starts_with(['-', '+'])),
            form => all.starts_with(form) || plain.starts_with(form),
        })
}

/// `docker login HOST` would send credentials there.
fn signs_in_elsewhere(arguments: &[Word], typed: &[&str]) -> bool {
    let mut words = arguments.iter().map(|word| word.value.as_str());
    words.any(|word| matches!(word, "login" | "signin" | "adduser"))
        && words.any(|word| word.contains('.') && !is_typed(word, typed))
}

/// `docker run IMAGE …` unless the user typed each word: an image may be given any directory and any command.
fn starts_container(program: &str, arguments: &[Word], typed: &[&str]) -> bool {
    let starts = arguments.first().is_some_and(|word| matches!(&*word.value, "run" | "exec" | "create"));
    matches!(program, "docker" | "podman" | "nerdctl")
        && starts
        && !arguments.iter().all(|word| is_typed(&word.value, typed))
}

/// Whether every package that a command installs is typed by the user or well known: a name that only an output has may
/// be a trap.
pub fn installs_known(command: &str, typed: &[&str], place: &SuggestContext<'_>) -> bool {
    let parsed = line::parse(command, place.dialect);
    parsed.commands.iter().all(|command| {
        let words: Vec<&str> = command.words.iter().map(|word| word.value.as_str()).collect();
        let Some((registry, packages)) = installed(&words) else { return true };
        packages.iter().all(|package| is_known(registry, package, typed, place))
    })
}

/// The registry and the packages of an install command.
fn installed<'w>(words: &[&'w str]) -> Option<(&'static str, Vec<&'w str>)> {
    let mut rest = words;
    while let Some((first, behind)) = rest.split_first() {
        let module = matches!(behind.first(), Some(&"-m")) && first.starts_with("python");
        match *first {
            "sudo" | "doas" => rest = behind,
            _ if module => rest = behind.get(1..)?,
            _ => break,
        }
    }
    let (registry, length) = TRUST.installs.iter().find_map(|(registry, install)| {
        let begins = rest.len() >= install.len() && install.iter().zip(rest).all(|(wanted, word)| wanted == word);
        begins.then_some((*registry, install.len()))
    })?;
    let mut packages = Vec::new();
    let mut words = rest.get(length..)?.iter();
    while let Some(word) = words.next() {
        match *word {
            // A requirements file must exist here.
            "-r" | "--requirement" | "-c" | "--constraint" | "-p" | "--package" | "-t" | "--target" => {
                packages.extend(words.next());
            }
            "--version" | "-v" | "--vers" | "--features" | "-F" | "-e" | "--env" | "--name" => drop(words.next()),
            flag if flag.starts_with('-') => {}
            word => packages.push(word),
        }
        // What follows the image or the program belongs to it, and is never taken from an output.
        if matches!(registry, "docker") && !packages.is_empty() {
            break;
        }
    }
    Some((registry, packages))
}

fn is_known(registry: &str, package: &str, typed: &[&str], place: &SuggestContext<'_>) -> bool {
    if is_typed(package, typed) || package == "." {
        return true;
    }
    let file = package.contains(['/', '.']) && !package.contains("://");
    if file && did_you_mean::kind(package, place).is_some_and(|kind| kind.is_some()) {
        return true;
    }
    // `express@4`, `flask==2`, `uvicorn[standard]`
    let end =
        package.char_indices().skip(1).find(|(_, letter)| matches!(letter, '@' | '=' | '<' | '>' | '~' | '[' | '!'));
    let bare = package.get(..end.map_or(package.len(), |(at, _)| at)).unwrap_or(package);
    let lower = bare.to_lowercase().replace('_', "-");
    let listed = |registry: &str, name: &str| TRUST.known.get(registry).is_some_and(|known| known.contains(name));
    let typed_part = |part: &str| part.len() > 2 && is_typed(part, typed);
    match registry {
        "system" | "brew" => {
            // `python3.11-venv`
            let python =
                bare.strip_prefix("python3.").map(|rest| rest.trim_start_matches(|one: char| one.is_ascii_digit()));
            let plain = python.map_or_else(|| bare.to_owned(), |rest| format!("python3{rest}"));
            packages::is_package(bare) || packages::is_program(bare) || listed("system", &plain)
        }
        // `nightly-2024-01-01`, `stable-x86_64-unknown-linux-gnu`
        "rustup" => listed("rustup", bare) || bare.split('-').next().is_some_and(|channel| listed("rustup", channel)),
        "pip" => {
            listed("pip", &lower) || packages::names("modules").iter().any(|known| known.eq_ignore_ascii_case(bare))
        }
        // `cargo watch` needs `cargo-watch`.
        "cargo" => {
            listed("cargo", bare) || listed("cargo", &lower) || bare.strip_prefix("cargo-").is_some_and(typed_part)
        }
        registry => listed(registry, bare) || listed(registry, &lower),
    }
}

/// Whether it is a whole word in a line of the user.
fn is_typed(word: &str, typed: &[&str]) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_' | '.' | '/' | '@');
    !word.is_empty()
        && typed.iter().any(|line| {
            line.match_indices(word).any(|(at, _)| {
                let before = line.get(..at).and_then(|before| before.chars().next_back());
                let behind = line.get(at + word.len()..).and_then(|behind| behind.chars().next());
                !before.is_some_and(|letter| is_part(letter) && letter != '/') && !behind.is_some_and(is_part)
            })
        })
}

/// Whether it makes a program fetch from elsewhere, run something else, or disable a safety check.
fn steers(word: &str) -> bool {
    let lower = word.to_lowercase();
    TRUST.steers.iter().any(|part| match part.starts_with("--") {
        true => lower.starts_with(part),
        false => lower.contains(part),
    })
}

/// `https://…`, `git@host:…`, `host:port`
fn is_address(word: &str) -> bool {
    let bare = word.trim_matches(['"', '\'']);
    let host = bare.split_once('@').is_some_and(|(user, host)| !user.is_empty() && host.contains([':', '/']));
    let number = bare.split('.').count() == 4 && bare.split(['.', ':', '/']).all(|part| part.parse::<u16>().is_ok());
    bare.contains("://") || host || number || bare.starts_with("//")
}

/// Whether all flags of a program that the user did not run are in its spec.
fn flags_are_known(program: &str, arguments: &[Word], place: &SuggestContext<'_>) -> bool {
    let Some(spec) = place.specs.find(program, place.world) else { return true };
    let mut specs = vec![spec];
    arguments.iter().all(|word| {
        let value = word.value.as_str();
        if !value.starts_with('-') || value.len() < 2 {
            if let Some(sub) = specs.last().and_then(|spec| spec.sub(value).map(|sub| sub.spec.clone())) {
                specs.push(sub);
            }
            return true;
        }
        let flag = value.split_once('=').map_or(value, |(flag, _)| flag);
        let known = |flag: &str| specs.iter().any(|spec| spec.flag(flag).is_some());
        let letters = flag.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
        known(flag)
            || matches!(flag, "--help" | "-h" | "--version")
            || letters.is_some_and(|letters| letters.chars().all(|letter| known(&format!("-{letter}"))))
    })
}

/// Whether it is a setting of git that runs nothing; settings of other programs are rejected.
fn is_plain_setting(program: &str, arguments: &[Word]) -> bool {
    let mut plain = arguments.iter().map(|word| word.value.as_str()).filter(|word| !word.starts_with('-'));
    if plain.next() != Some("config")
        || matches!(program, "docker" | "docker-compose" | "kubectl" | "helm" | "terraform")
    {
        return true;
    }
    let key = plain.next().unwrap_or_default().to_lowercase();
    let everywhere = key == "safe.directory" && plain.next() == Some("*");
    match program {
        "git" => {
            !everywhere
                && (TRUST.settings.contains(key.as_str()) || key.starts_with("advice.") || key.starts_with("branch."))
        }
        // `npm config set registry …`
        _ => matches!(key.as_str(), "get" | "list" | "ls" | "show" | "view"),
    }
}

/// `make SHELL=./x`
fn is_variable(word: &str) -> bool {
    let name = word.split_once('=').map_or("", |(name, _)| name);
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
}

/// Services that the user named may be started; others may only be inspected.
fn is_plain_service(program: &str, arguments: &[Word], typed: &[&str]) -> bool {
    let mut plain = arguments.iter().map(|word| word.value.as_str()).filter(|word| !word.starts_with('-'));
    match program {
        "systemctl" => {
            let looks = matches!(
                plain.next(),
                Some("status" | "list-units" | "is-active" | "is-enabled" | "daemon-reload" | "cat")
            );
            looks || plain.all(|unit| is_typed(unit.trim_end_matches(".service"), typed))
        }
        "service" => plain.next().is_some_and(|unit| is_typed(unit, typed) || plain.next() == Some("status")),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_read() {
        assert!(TRUST.programs.len() > 60 && TRUST.installs.len() > 60 && TRUST.steers.len() > 60);
        assert!(TRUST.known.values().map(HashSet::len).sum::<usize>() > 500);
        for (registry, install) in &TRUST.installs {
            assert!(!install.is_empty(), "{registry}");
        }
    }

    #[test]
    fn words_are_typed_only_as_a_whole() {
        assert!(is_typed("lodash", &["npm i lodash"]));
        assert!(is_typed("mytool", &["/usr/bin/mytool x"]));
        assert!(!is_typed("lodash", &["npm i lodash-es"]));
        assert!(!is_typed("x", &["make xx"]));
        assert!(!is_typed("", &["x"]));
    }
}
