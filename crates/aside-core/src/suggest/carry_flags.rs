//! Carries flags of the line that ended over to a command that was named without them: `git push --quiet` stays quiet
//! with an upstream.

use std::ops::Range;

use shell_line as line;

use crate::suggest::parsed_run::{ParsedRun, SimpleCommand, VALUED};
use crate::suggest::trust;

/// With one of these a command does something else, and takes no other flags.
const ALONE: [&str; 11] =
    ["--abort", "--continue", "--skip", "--quit", "--help", "-h", "--version", "--list", "help", "version", "--resume"];

/// Which flags are carried over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlagScope {
    /// Those before the subcommand: `git -C dir`.
    Program,
    /// Those of the same subcommand as well.
    All,
}

/// The words of a command: its subcommands, and its flags with the number of subcommands before them.
struct Shape {
    subs: Vec<(String, usize)>,
    flags: Vec<Flag>,
}

struct Flag {
    name: String,
    depth: usize,
    /// Its words, including the value.
    words: Range<usize>,
}

/// The command with the flags of the step that failed.
pub fn with_flags(command: &str, step: &SimpleCommand, scope: FlagScope, parsed_run: &ParsedRun<'_>) -> Option<String> {
    let parsed = line::parse(command, parsed_run.place.dialect);
    let [only] = parsed.commands.as_slice() else { return Some(command.to_owned()) };
    let words: Vec<&str> = only.words.iter().map(|word| word.value.as_str()).collect();
    let differs = words.first() != Some(&step.name()) || words.iter().any(|word| ALONE.contains(word));
    if parsed_run.exit == 0 || differs || trust::installs(&words) {
        return Some(command.to_owned());
    }
    let typed: Vec<&str> = step.words.iter().map(|word| word.value.as_str()).collect();
    let (old, new) = (shape(&typed, parsed_run), shape(&words, parsed_run));
    let is_same = |depth: usize| {
        let names = |shape: &Shape| shape.subs.iter().map(|(name, _)| name.clone()).take(depth).collect::<Vec<_>>();
        names(&old) == names(&new)
    };
    let mut result = command.to_owned();
    // Inserts from the end, so that earlier positions stay valid.
    for flag in old.flags.iter().rev() {
        let whole = flag.depth == 0 && !old.subs.is_empty();
        let fits = whole || scope == FlagScope::All && old.subs.len() == new.subs.len() && is_same(usize::MAX);
        let has = new.flags.iter().any(|other| is_same_flag(&flag.name, &other.name, &typed, parsed_run));
        if !fits || has {
            continue;
        }
        let spans =
            step.words.get(flag.words.clone())?.iter().map(|word| word.span.clone()).collect::<Option<Vec<_>>>();
        let Some(spans) = spans else { continue };
        let text = parsed_run.line.get(spans.first()?.start..spans.last()?.end)?;
        let before = flag.depth.checked_sub(1).and_then(|depth| new.subs.get(depth)).map_or(0, |(_, at)| *at);
        let at = only.words.get(before)?.span.end;
        result.insert_str(at, &format!(" {text}"));
    }
    Some(result)
}

fn shape(words: &[&str], parsed_run: &ParsedRun<'_>) -> Shape {
    let place = &parsed_run.place;
    let mut spec = words.first().and_then(|name| place.specs.find(name, place.world));
    let is_known = spec.is_some();
    let mut shape = Shape { subs: Vec::new(), flags: Vec::new() };
    let mut in_subs = true;
    let mut at = 1;
    while let Some(word) = words.get(at) {
        if *word == "--" {
            break;
        }
        let mut end = at + 1;
        if word.starts_with('-') && word.len() > 1 {
            let takes = match &spec {
                Some(spec) => spec.flag(word).and_then(|flag| flag.takes.as_ref()).is_some_and(|takes| !takes.optional),
                None => false,
            };
            let takes = takes || shape.subs.is_empty() && is_known && VALUED.contains(word);
            if takes && words.len() > end {
                end += 1;
            }
            let name = word.split_once('=').map_or(*word, |(name, _)| name).to_owned();
            shape.flags.push(Flag { name, depth: shape.subs.len(), words: at..end });
        } else if in_subs {
            let deeper = spec.as_ref().and_then(|spec| spec.sub(word)).map(|sub| sub.spec.clone());
            in_subs = deeper.is_some();
            // Without a spec the first word is taken for a subcommand.
            if in_subs || !is_known && shape.subs.is_empty() {
                shape.subs.push(((*word).to_owned(), at));
            }
            if deeper.is_some() {
                spec = deeper;
            }
        }
        at = end;
    }
    shape
}

/// `-u` and `--set-upstream` are the same flag of `git push`.
fn is_same_flag(one: &str, other: &str, words: &[&str], parsed_run: &ParsedRun<'_>) -> bool {
    if one == other {
        return true;
    }
    let place = &parsed_run.place;
    let mut spec = words.first().and_then(|name| place.specs.find(name, place.world));
    let mut words = words.iter().skip(1);
    while let Some(here) = spec {
        if here.flags.iter().any(|flag| flag.is(one) && flag.is(other)) {
            return true;
        }
        spec = words.find(|word| !word.starts_with('-')).and_then(|word| Some(here.sub(word)?.spec.clone()));
    }
    false
}
