//! Command not found: the name that was meant, a replacement, or the package to install. Needs no output.

use crate::line::quote;
use crate::names::shell;
use crate::suggest::asked::mentions;
use crate::suggest::check::{Trust, passes};
use crate::suggest::near::{self, Names};
use crate::suggest::packages;
use crate::suggest::scene::{Scene, Step};
use crate::suggest::{Source, Suggestion, gate};
use crate::world::{Kind, Known};

/// Words from which a line of plain words is prose and not a typo.
const SENTENCE: usize = 5;

/// Bytes of flags that are joined to a name: `ls-lah`.
const MAX_FLAGS: usize = 5;

/// Marks at the end of a prompt.
const PROMPTS: [&str; 8] = ["$", "%", "❯", "➜", "»", "›", "λ", "$>"];

/// A command that was pasted together with its prompt.
pub fn pasted(scene: &Scene<'_>) -> Option<Suggestion> {
    let (mark, mut rest) = scene.line.split_once(char::is_whitespace)?;
    // Pasted several times, with the prompt each time.
    while let Some(("$" | "%" | "❯" | "➜", behind)) = rest.trim_start().split_once(char::is_whitespace) {
        rest = behind;
    }
    let is_host = mark.contains('@') && mark.ends_with(['$', '#', '%']);
    let command = rest.trim_start();
    let place = &scene.place;
    let is_known = |name: &str| shell::known(place.names, place.world, place.dialect, name) == Known::Yes(());
    let fits = (PROMPTS.contains(&mark) || is_host)
        && command.split_whitespace().next().is_some_and(is_known)
        && passes(command, Trust::Rule { may: None, line: "" }, place);
    let reason = format!("{mark} belongs to a prompt");
    fits.then(|| Suggestion { command: command.to_owned(), source: Source::Rule, reason, confidence: 0.9 })
}

/// The line with the corrected name.
pub fn slip(scene: &Scene<'_>) -> Option<Suggestion> {
    let (step, name) = missing(scene)?;
    let span = step.words.first()?.span.clone()?;
    let replaced = |new: &str| Some([scene.line.get(..span.start)?, new, scene.line.get(span.end..)?].concat());
    let offered = |new: &str, reason: String, confidence: f32| {
        let command = replaced(new)?;
        let fits = passes(&command, Trust::Typed, &scene.place) && gate::allows(&command, scene);
        fits.then_some(Suggestion { command, source: Source::Rule, reason, confidence })
    };
    if is_cd(name, step, scene) {
        return offered("cd", format!("there is no {name}, but cd"), 0.85);
    }
    if let Some(parted) = parted(name, scene) {
        return offered(&parted, format!("a blank is missing in {name}"), 0.85);
    }
    for other in packages::instead(name) {
        if let Some(offer) = offered(other, format!("there is no {name} here, but {other}"), 0.85) {
            return Some(offer);
        }
    }
    // A command that exists on other machines is not a typo.
    if is_prose(step) || packages::is_program(name) || scene.place.specs.has(name) {
        return None;
    }
    let near = near::nearest(Names::Program, name, step, &scene.place)?;
    if !takes(&near, name, step, scene) {
        return None;
    }
    offered(&quote::word(&near, scene.place.dialect), format!("there is no {name}, but {near}"), 0.85)
}

/// How to install it, where that is well known.
pub fn package(scene: &Scene<'_>) -> Option<Suggestion> {
    let (_, name) = missing(scene)?;
    let command = packages::install(name, &scene.place)?;
    let reason = format!("{name} is not installed");
    let fits = passes(&command, Trust::Rule { may: None, line: scene.line }, &scene.place);
    fits.then_some(Suggestion { command, source: Source::Rule, reason, confidence: 0.75 })
}

/// The first command of the line that does not exist.
fn missing<'s>(scene: &'s Scene<'_>) -> Option<(&'s Step, &'s str)> {
    let says = ["command not found", "unknown command", "not found", "is not recognized"];
    // Tools say "not found" about other things as well, so the name must be on the same line.
    let is_said = |name: &str| {
        let output = scene.output.as_deref().unwrap_or_default();
        output.lines().any(|line| says.iter().any(|text| line.to_lowercase().contains(text)) && mentions(line, name))
    };
    let place = &scene.place;
    let is_missing =
        |name: &str| !name.contains('/') && shell::known(place.names, place.world, place.dialect, name) == Known::No;
    scene
        .steps
        .iter()
        .map(|step| (step, step.name()))
        .find(|(_, name)| !name.is_empty() && is_missing(name) && (scene.exit == 127 || is_said(name)))
}

/// `cs src/`: a two-letter typo is similar to many programs, but a lone directory means `cd`.
fn is_cd(name: &str, step: &Step, scene: &Scene<'_>) -> bool {
    let [_, only] = step.words.as_slice() else { return false };
    let is_directory = || near::kind(&only.value, &scene.place) == Some(Some(Kind::Directory));
    name.len() <= 3 && strsim::osa_distance(name, "cd") == 1 && (only.value.ends_with('/') || is_directory())
}

/// `cd..`, `ls-la`, `gitstatus`: inserts the missing blank.
fn parted(name: &str, scene: &Scene<'_>) -> Option<String> {
    let place = &scene.place;
    let is_known =
        |begin: &str| begin.len() > 1 && shell::known(place.names, place.world, place.dialect, begin) == Known::Yes(());
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
fn takes(program: &str, typed: &str, step: &Step, scene: &Scene<'_>) -> bool {
    let Some(spec) = scene.place.specs.find(program, scene.place.world) else { return true };
    let is_open = spec.subs.is_empty() || !spec.args.is_empty() || spec.command_at.is_some();
    let Some(word) = step.words.get(step.skip_flags(1)).filter(|_| !is_open) else { return true };
    near::is_swap(typed, program) || spec.sub(&word.value).is_some()
}

fn is_prose(step: &Step) -> bool {
    let is_word = |word: &str| word.chars().all(char::is_alphabetic);
    step.words.len() >= SENTENCE && step.words.iter().all(|word| is_word(&word.value))
}
