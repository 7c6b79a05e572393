//! The next command, from what a model said: one that may be shown, or nothing. A model has read what programs printed, so
//! it is believed no more than they are: whatever an output could talk it into has to be harmless.

use crate::line::Dialect;
use crate::names::shell;
use crate::safety::runs::{self, Runs};
use crate::said;
use crate::suggest::check::{Trust, interprets, passes};
use crate::suggest::filter::filter;
use crate::suggest::{Ended, Place, Source, Suggestion, fill, hint};
use crate::world::Known;

/// It has seen one session, and knows neither the person nor the machine.
const CONFIDENCE: f32 = 0.5;

/// How a model spells that it has nothing to say.
const NOTHING: [&str; 13] = [
    "nothing",
    "none",
    "empty",
    "null",
    "n/a",
    "nil",
    "no",
    "no command",
    "no suggestion",
    "nothing to suggest",
    "no output",
    "no next command",
    "unknown",
];

/// Programs that fetch a program by its name and run it.
const FETCH_AND_RUN: [&str; 8] = ["npx", "bunx", "pnpx", "uvx", "pipx", "pnpm dlx", "yarn dlx", "go run"];

/// Parts of words that make a program run something else, or be another one: options of git, ssh, tar, rsync.
const RUN_OTHERS: [&str; 13] = [
    "proxycommand",
    "localcommand",
    "sshcommand",
    "core.pager",
    "core.editor",
    "core.hookspath",
    "alias.",
    "ext::",
    "--upload-pack",
    "--receive-pack",
    "--checkpoint-action",
    "--use-compress-program",
    "--exec",
];

/// What installs something, in words.
const INSTALLS: [&str; 26] = [
    "pip install",
    "pip3 install",
    "pipx install",
    "uv add",
    "poetry add",
    "npm install",
    "npm i",
    "npm add",
    "pnpm add",
    "pnpm install",
    "yarn add",
    "bun add",
    "cargo install",
    "cargo add",
    "gem install",
    "go get",
    "go install",
    "apt install",
    "apt-get install",
    "dnf install",
    "brew install",
    "snap install",
    "apk add",
    "docker pull",
    "docker run",
    "conda install",
];

/// What the answer suggests after a command.
pub fn suggestion(said: &str, ended: &Ended<'_>, place: &Place<'_>) -> Option<Suggestion> {
    let command = first(said, place.dialect)?;
    let command = command.trim();
    let is_news = !same(command, ended.command);
    let fits = is_news
        && !is_nothing(command)
        && !hint::has_placeholder(command)
        && !filter().is_ignored(command)
        && fill::is_plain(command, place.dialect)
        && !interprets(command, place)
        && !runs_others(command, ended)
        && names_what_was_seen(command, ended)
        && programs_exist(command, place)
        && passes(command, Trust::Output, place);
    let program = ended.command.split_whitespace().next().unwrap_or("the last command");
    let reason = format!("a model expects it after what {program} did");
    fits.then(|| Suggestion { command: command.to_owned(), source: Source::Model, reason, confidence: CONFIDENCE })
}

/// The first command of an answer. Of several lines only the first: below each other they are guesses here, not steps.
fn first(said: &str, dialect: Dialect) -> Option<String> {
    let spoken = said::spoken(said)?;
    let command = said::commands(said, dialect).into_iter().next()?;
    let mut end = command.len();
    loop {
        let part = command.get(..end)?;
        if spoken.contains(part) {
            return Some(part.to_owned());
        }
        end = part.rfind(" && ")?;
    }
}

fn is_nothing(command: &str) -> bool {
    let bare = command.trim_matches(|mark: char| mark.is_ascii_punctuation() && mark != '/' || mark.is_whitespace());
    let lower = bare.to_lowercase();
    bare.is_empty() || NOTHING.contains(&lower.as_str())
}

/// The same but for blanks: what the arrow up is for.
fn same(one: &str, other: &str) -> bool {
    one.split_whitespace().eq(other.split_whitespace())
}

/// What a program fetches to run it, or is made to run, unless the person typed the same before.
fn runs_others(command: &str, ended: &Ended<'_>) -> bool {
    let lower = command.to_lowercase();
    let is_git_setting = lower.starts_with("git -c ") || lower.contains(" git -c ");
    if is_git_setting || RUN_OTHERS.iter().any(|part| lower.contains(part)) {
        return true;
    }
    let fetches = FETCH_AND_RUN.iter().any(|begin| begins(command, begin));
    let mut words = command.split_whitespace();
    let begin = [words.next(), words.next()].map(Option::unwrap_or_default).join(" ");
    fetches && !typed(ended).any(|line| begins(line, &begin))
}

/// Where no shell has told its aliases and functions, a model does not know them either: what is no program is nothing.
fn programs_exist(command: &str, place: &Place<'_>) -> bool {
    Runs::of(command, place.dialect).runs.iter().all(|run| {
        let name = run.words.first().map(|word| word.value.as_str()).unwrap_or_default();
        let is_elsewhere = run.place == runs::Place::Elsewhere || name.contains('/');
        is_elsewhere || shell::has(place.names, run.dialect, name) || place.world.has_program(name) != Known::Yes(false)
    })
}

/// Addresses have to be typed by the person, and packages at least to stand in the session: a name that a model makes up
/// may be somebody's trap.
fn names_what_was_seen(command: &str, ended: &Ended<'_>) -> bool {
    let is_address =
        |word: &str| word.contains("://") || word.split_once('@').is_some_and(|(_, host)| host.contains([':', '/']));
    let words = || command.split_whitespace().map(|word| word.trim_matches(['"', '\'']));
    if words().filter(|word| is_address(word)).any(|word| !typed(ended).any(|line| line.contains(word))) {
        return false;
    }
    let bare = command.strip_prefix("sudo ").unwrap_or(command);
    let bare = ["python -m ", "python3 -m "].iter().find_map(|module| bare.strip_prefix(module)).unwrap_or(bare);
    let Some(install) = INSTALLS.iter().find(|install| begins(bare, install)) else { return true };
    let packages = bare.get(install.len()..).unwrap_or_default().split_whitespace();
    packages.filter(|word| !word.starts_with(['-', '.', '/'])).all(|package| {
        let name = package.trim_matches(['"', '\'']).to_lowercase();
        typed(ended).chain(printed(ended)).any(|text| has_word(&text.to_lowercase(), &name))
    })
}

/// Whether it stands there by itself, and not as a part of another name.
fn has_word(text: &str, word: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_');
    text.match_indices(word).any(|(at, _)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let behind = text.get(at + word.len()..).and_then(|behind| behind.chars().next());
        !before.is_some_and(is_part) && !behind.is_some_and(is_part)
    })
}

fn begins(line: &str, words: &str) -> bool {
    line.strip_prefix(words).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

fn typed<'e>(ended: &Ended<'e>) -> impl Iterator<Item = &'e str> {
    ended.previous.iter().map(|past| past.command).chain([ended.command])
}

fn printed<'e>(ended: &Ended<'e>) -> impl Iterator<Item = &'e str> {
    ended.previous.iter().filter_map(|past| past.output).chain(ended.output)
}
