//! Command not found: the name that was meant, a replacement, or the package to install. Needs no output.

use aside_commands::shell_names::builtins;
use aside_commands::world::{Fact, FileKind};
use shell_line::quote;

use crate::suggest::check::{Trust, passes};
use crate::suggest::did_you_mean::{self, NameKind};
use crate::suggest::packages;
use crate::suggest::parsed_run::{ParsedRun, SimpleCommand};
use crate::suggest::tool_did_you_mean::mentions;
use crate::suggest::{Suggestion, SuggestionSource, never_suggested};

/// Words from which a line of plain words is prose and not a typo.
const SENTENCE: usize = 5;

/// Bytes of flags that are joined to a name: `ls-lah`.
const MAX_FLAGS: usize = 5;

/// Marks at the end of a prompt.
const PROMPTS: [&str; 8] = ["$", "%", "❯", "➜", "»", "›", "λ", "$>"];

/// A command that was pasted together with its prompt.
pub fn pasted(parsed_run: &ParsedRun<'_>) -> Option<Suggestion> {
    let (mark, mut rest) = parsed_run.line.split_once(char::is_whitespace)?;
    // Pasted several times, with the prompt each time.
    while let Some(("$" | "%" | "❯" | "➜", behind)) = rest.trim_start().split_once(char::is_whitespace) {
        rest = behind;
    }
    let is_host = mark.contains('@') && mark.ends_with(['$', '#', '%']);
    let command = rest.trim_start();
    let place = &parsed_run.place;
    let is_known = |name: &str| builtins::known(place.names, place.world, place.dialect, name) == Fact::Yes(());
    let fits = (PROMPTS.contains(&mark) || is_host)
        && command.split_whitespace().next().is_some_and(is_known)
        && passes(command, Trust::Rule { may: None, line: "" }, place);
    let reason = format!("{mark} belongs to a prompt");
    fits.then(|| Suggestion { command: command.to_owned(), source: SuggestionSource::Rule, reason, confidence: 0.9 })
}

/// The line with the corrected name.
pub fn slip(parsed_run: &ParsedRun<'_>) -> Option<Suggestion> {
    let (step, name) = missing(parsed_run)?;
    let span = step.words.first()?.span.clone()?;
    let replaced =
        |new: &str| Some([parsed_run.line.get(..span.start)?, new, parsed_run.line.get(span.end..)?].concat());
    let offered = |new: &str, reason: String, confidence: f32| {
        let command = replaced(new)?;
        let fits = passes(&command, Trust::Typed, &parsed_run.place) && never_suggested::allows(&command, parsed_run);
        fits.then_some(Suggestion { command, source: SuggestionSource::Rule, reason, confidence })
    };
    if is_cd(name, step, parsed_run) {
        return offered("cd", format!("there is no {name}, but cd"), 0.85);
    }
    if let Some(parted) = parted(name, parsed_run) {
        return offered(&parted, format!("a blank is missing in {name}"), 0.85);
    }
    for other in packages::instead(name) {
        if let Some(offer) = offered(other, format!("there is no {name} here, but {other}"), 0.85) {
            return Some(offer);
        }
    }
    // A command that exists on other machines is not a typo.
    if is_prose(step) || packages::is_program(name) || parsed_run.place.specs.has(name) {
        return None;
    }
    let near = did_you_mean::nearest(NameKind::Program, name, step, &parsed_run.place)?;
    if !takes(&near, name, step, parsed_run) {
        return None;
    }
    offered(&quote::word(&near, parsed_run.place.dialect), format!("there is no {name}, but {near}"), 0.85)
}

/// How to install it, where that is well known.
pub fn package(parsed_run: &ParsedRun<'_>) -> Option<Suggestion> {
    let (_, name) = missing(parsed_run)?;
    let command = packages::install(name, &parsed_run.place)?;
    let reason = format!("{name} is not installed");
    let fits = passes(&command, Trust::Rule { may: None, line: parsed_run.line }, &parsed_run.place);
    fits.then_some(Suggestion { command, source: SuggestionSource::Rule, reason, confidence: 0.75 })
}

/// The first command of the line that does not exist.
fn missing<'s>(parsed_run: &'s ParsedRun<'_>) -> Option<(&'s SimpleCommand, &'s str)> {
    let says = ["command not found", "unknown command", "not found", "is not recognized"];
    // Tools say "not found" about other things as well, so the name must be on the same line.
    let is_said = |name: &str| {
        let output = parsed_run.output.as_deref().unwrap_or_default();
        output.lines().any(|line| says.iter().any(|text| line.to_lowercase().contains(text)) && mentions(line, name))
    };
    let place = &parsed_run.place;
    let is_missing =
        |name: &str| !name.contains('/') && builtins::known(place.names, place.world, place.dialect, name) == Fact::No;
    parsed_run
        .steps
        .iter()
        .map(|step| (step, step.name()))
        .find(|(_, name)| !name.is_empty() && is_missing(name) && (parsed_run.exit == 127 || is_said(name)))
}

/// `cs src/`: a two-letter typo is similar to many programs, but a lone directory means `cd`.
fn is_cd(name: &str, step: &SimpleCommand, parsed_run: &ParsedRun<'_>) -> bool {
    let [_, only] = step.words.as_slice() else { return false };
    let is_directory = || did_you_mean::kind(&only.value, &parsed_run.place) == Some(Some(FileKind::Directory));
    name.len() <= 3 && strsim::osa_distance(name, "cd") == 1 && (only.value.ends_with('/') || is_directory())
}

/// `cd..`, `ls-la`, `gitstatus`: inserts the missing blank.
fn parted(name: &str, parsed_run: &ParsedRun<'_>) -> Option<String> {
    let place = &parsed_run.place;
    let is_known = |begin: &str| {
        begin.len() > 1 && builtins::known(place.names, place.world, place.dialect, begin) == Fact::Yes(())
    };
    for at in [name.find(".."), name.find('-'), name.find('/')].into_iter().flatten() {
        let (begin, rest) = name.split_at_checked(at)?;
        let is_flag = rest.len() > 1 && rest.starts_with('-') || rest.starts_with("..") && begin == "cd";
        // A few letters are flags; more are a name, such as `npm-run`.
        let plain = place.specs.find(begin, place.world).is_some_and(|spec| spec.subs.is_empty());
        if is_flag && rest.len() <= MAX_FLAGS && is_known(begin) && plain {
            return Some(format!("{begin} {rest}"));
        }
    }
    // `git-log`, `apt-install`
    let joined = name.split_once('-').and_then(|(begin, sub)| {
        let spec = place.specs.find(begin, place.world).filter(|_| is_known(begin))?;
        spec.sub(sub).is_some_and(|sub| !sub.spec.addon).then(|| format!("{begin} {sub}"))
    });
    if joined.is_some() {
        return joined;
    }
    let before = ["sudo", "man", "which", "watch", "time", "type"].iter().find_map(|begin| {
        let rest = name.strip_prefix(begin).filter(|rest| is_known(begin) && is_known(rest))?;
        Some(format!("{begin} {rest}"))
    });
    if before.is_some() {
        return before;
    }
    let begins = ["git", "docker", "cargo", "npm", "make", "kubectl", "sudo", "cd", "apt", "brew"];
    begins.iter().filter(|begin| is_known(begin)).find_map(|begin| {
        let rest = name.strip_prefix(begin)?;
        let spec = place.specs.find(begin, place.world)?;
        spec.sub(rest).is_some().then(|| format!("{begin} {rest}"))
    })
}

/// Whether a program accepts the words behind its name: `svc start` is no typo for `svn`, which has no start. Swapped
/// letters are a typo whatever follows.
fn takes(program: &str, typed: &str, step: &SimpleCommand, parsed_run: &ParsedRun<'_>) -> bool {
    let Some(spec) = parsed_run.place.specs.find(program, parsed_run.place.world) else { return true };
    let is_open = spec.subs.is_empty() || !spec.args.is_empty() || spec.command_at.is_some();
    let Some(word) = step.words.get(step.skip_flags(1)).filter(|_| !is_open) else { return true };
    did_you_mean::is_swap(typed, program) || spec.sub(&word.value).is_some()
}

fn is_prose(step: &SimpleCommand) -> bool {
    let is_word = |word: &str| word.chars().all(char::is_alphabetic);
    step.words.len() >= SENTENCE && step.words.iter().all(|word| is_word(&word.value))
}
