//! Typos in paths: the first component that does not exist, if a similar one does.

use std::ops::Range;

use aside_commands::world::{self, Fact};
use aside_text::edit_distance::{self, MaxDistance, NearWord};
use shell_line::quote::{self, WordEnd};
use shell_line::{Command, Join, Quote, Word};

use crate::complete::candidate::CandidateKind;
use crate::complete::correct::{Fix, Scene};
use crate::complete::resolve_path::{self, MAX_ENTRIES};
use crate::complete::spec::check::{self, InvalidReason, Validity};
use crate::complete::spec::expected::{ExpectedFiles, PathKind};
use crate::complete::spec::resolve;

/// Components of one path that may be corrected.
const MAX_PARTS: usize = 2;
/// Corrections of one component that are followed.
const MAX_WAYS: usize = 3;

/// What the last component of a path has to be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Any,
    Directory,
    Program,
    /// Not checked: it is being typed, or need not exist.
    Open,
}

/// The name of a command, given as a path.
pub fn name(scene: &Scene<'_>, command: &Command, word: &Word) -> Vec<Fix> {
    let end = if scene.is_finished(&word.span) { End::Program } else { End::Open };
    mend(scene, command, word, scene.context.cwd, end, MaxDistance::Usual)
}

/// The source of a `<` redirection.
pub fn target(scene: &Scene<'_>, command: &Command, word: &Word) -> Vec<Fix> {
    let end = if scene.is_finished(&word.span) { End::Any } else { End::Open };
    mend(scene, command, word, scene.context.cwd, end, MaxDistance::Usual)
}

/// An argument that is a path.
pub fn argument(scene: &Scene<'_>, command: &Command, number: usize, word: &Word, files: &ExpectedFiles) -> Vec<Fix> {
    let Some(cwd) = cwd(scene, command, number) else { return Vec::new() };
    let value = &*word.value;
    // `host:path`, `+1` for an entry of the directory stack, `./...` for all Go packages.
    if value.contains(':') || value.contains("...") || value.starts_with(['-', '+', '@', '%']) {
        return Vec::new();
    }
    let missing = match check::check(scene.context, command) {
        Validity::Impossible(reason) => reason.word == Some(number) && reason.wrong == InvalidReason::Missing,
        Validity::Possible | Validity::Unknown => false,
    };
    let last = command.words.len() == number + 1;
    let end = match files.which {
        _ if !scene.is_finished(&word.span) => End::Open,
        PathKind::Directory if missing => End::Directory,
        PathKind::Any | PathKind::File | PathKind::Program if missing => End::Any,
        // The last of several is often the destination and need not exist; the others must.
        _ if last && command.words.len() > 2 => End::Open,
        PathKind::Directory => End::Directory,
        PathKind::Any | PathKind::File | PathKind::Program => End::Any,
    };
    let reach = if missing || files.must_exist { MaxDistance::Usual } else { MaxDistance::Careful };
    mend(scene, command, word, &cwd, end, reach)
}

/// Whether such a file exists; also true when that is unknown.
pub fn exists(scene: &Scene<'_>, command: &Command, number: usize, word: &Word) -> bool {
    let Some(cwd) = cwd(scene, command, number) else { return true };
    let context = crate::complete::context::CompletionContext { cwd: &cwd, ..*scene.context };
    match resolve_path::absolute(&context, &word.value, word.fixed) {
        Some(path) => resolve_path::kind(&context, &path) != Fact::No,
        None => true,
    }
}

fn cwd(scene: &Scene<'_>, command: &Command, number: usize) -> Option<String> {
    match resolve::resolve(scene.context, command, number) {
        resolve::Resolution::Spec(reached) => resolve::directory(scene.context, &reached),
        resolve::Resolution::Command | resolve::Resolution::Unknown => None,
    }
}

fn mend(scene: &Scene<'_>, command: &Command, word: &Word, cwd: &str, end: End, reach: MaxDistance) -> Vec<Fix> {
    let context = crate::complete::context::CompletionContext { cwd, ..*scene.context };
    let raw = scene.line.text.get(word.span.clone()).unwrap_or_default();
    // An earlier command of the line may have created the file.
    if raw != word.value || !is_alone(scene, command) {
        return Vec::new();
    }
    // Keeps what the shell expands: `~/`, `$HOME/`.
    let begin = match word.value.find('/') {
        _ if word.fixed => 0,
        Some(slash) => slash,
        None => return Vec::new(),
    };
    let from = match (word.fixed, word.value.starts_with('/')) {
        (true, true) => "/".to_owned(),
        (true, false) => cwd.to_owned(),
        (false, _) => match resolve_path::absolute(&context, &word.value[..begin], false) {
            Some(from) if !word.value[begin..].contains(['$', '*', '?', '[', '{', '`', '(']) => from,
            _ => return Vec::new(),
        },
    };
    let mut parts: Vec<Range<usize>> = Vec::new();
    let mut at = begin;
    for part in word.value[begin..].split('/') {
        if !part.is_empty() {
            parts.push(at..at + part.len());
        }
        at += part.len() + 1;
    }
    // `porjects/` is finished even while the next component is typed.
    let ended = word.value.ends_with('/');
    let end = match end {
        End::Open if ended => End::Directory,
        end => end,
    };
    let mut walk = Walk { scene, word, parts: &parts, end, reach, found: Vec::new() };
    walk.follow(&from, 0, &mut Vec::new());
    let mut found = walk.found;
    found.sort_by(|one, other| one.0.total_cmp(&other.0).then_with(|| one.1.text.cmp(&other.1.text)));
    let least = found.first().map_or(0.0, |(cost, _)| *cost);
    found.into_iter().take_while(|(cost, _)| *cost <= least + 0.5).map(|(_, fix)| fix).collect()
}

/// Whether nothing but `cd` comes before it on the line.
fn is_alone(scene: &Scene<'_>, command: &Command) -> bool {
    let before = scene.line.commands.iter().take_while(|before| before.span.start < command.span.start);
    let only_moves = before.into_iter().all(|before| before.words.first().is_some_and(|name| name.value == "cd"));
    only_moves || matches!(command.join, Join::First)
}

struct Walk<'w> {
    scene: &'w Scene<'w>,
    word: &'w Word,
    parts: &'w [Range<usize>],
    end: End,
    reach: MaxDistance,
    found: Vec<(f32, Fix)>,
}

impl Walk<'_> {
    /// Descends from a directory and corrects missing components. `changes` are the corrections on the way.
    fn follow(&mut self, directory: &str, from: usize, changes: &mut Vec<(usize, String, f32, u8)>) {
        let mut directory = directory.to_owned();
        for number in from..self.parts.len() {
            let last = number + 1 == self.parts.len();
            let name = &self.word.value[self.parts[number].clone()];
            if last && self.end == End::Open {
                break;
            }
            let path = match name {
                "." => continue,
                ".." => {
                    directory.truncate(directory.rfind('/').unwrap_or(0));
                    continue;
                }
                name => format!("{}/{name}", directory.trim_end_matches('/')),
            };
            match resolve_path::kind(self.scene.context, &path) {
                Fact::NotYet => return,
                Fact::Yes(kind) if self.may_be(kind, last) => directory = path,
                // It exists but is of another kind: no typo.
                Fact::Yes(_) => return,
                Fact::No => return self.mend(&directory, number, changes),
            }
        }
        self.note(changes);
    }

    fn may_be(&self, kind: world::FileKind, last: bool) -> bool {
        match self.end {
            _ if !last => kind == world::FileKind::Directory,
            End::Directory => kind == world::FileKind::Directory,
            End::Program => matches!(kind, world::FileKind::Program | world::FileKind::Directory),
            End::Any | End::Open => true,
        }
    }

    fn mend(&mut self, directory: &str, number: usize, changes: &mut Vec<(usize, String, f32, u8)>) {
        if changes.len() >= MAX_PARTS {
            return;
        }
        let last = number + 1 == self.parts.len();
        let name = &self.word.value[self.parts[number].clone()];
        let Fact::Yes(entries) = self.scene.context.world.entries(directory) else { return };
        if entries.len() >= MAX_ENTRIES {
            return;
        }
        let fitting = entries.iter().filter(|entry| self.may_be(entry.kind, last));
        let names = fitting.map(|entry| &*entry.name).filter(|near| near.starts_with('.') == name.starts_with('.'));
        let names = names.filter(|name| aside_text::is_clean(name) && !name.contains('\n'));
        let mut near: Vec<NearWord<'_>> = edit_distance::near_words(name, names, self.reach);
        near.sort_by(|one, other| one.cost().total_cmp(&other.cost()).then(one.word.cmp(other.word)));
        for near in near.iter().take(MAX_WAYS) {
            changes.push((number, near.word.to_owned(), near.cost(), near.edits));
            let path = format!("{}/{}", directory.trim_end_matches('/'), near.word);
            self.follow(&path, number + 1, changes);
            changes.pop();
        }
    }

    fn note(&mut self, changes: &[(usize, String, f32, u8)]) {
        let (Some(first), Some(last)) = (changes.first(), changes.last()) else { return };
        // Only the changed components are spelled anew.
        let span = self.parts[first.0].start..self.parts[last.0].end;
        let mut text = String::new();
        let mut at = span.start;
        for (number, name, _, _) in changes {
            let part = &self.parts[*number];
            text.push_str(&self.word.value[at..part.start]);
            text.push_str(&quote::rest(name, Quote::None, self.scene.line.dialect, WordEnd::More));
            at = part.end;
        }
        let begin = self.word.span.start;
        let edits = changes.iter().fold(0u8, |sum, change| sum.saturating_add(change.3));
        let cost = changes.iter().map(|change| change.2).sum();
        let fix = Fix { span: begin + span.start..begin + span.end, text, edits, kind: CandidateKind::Path };
        self.found.push((cost, fix));
    }
}
