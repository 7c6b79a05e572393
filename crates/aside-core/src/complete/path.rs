//! Candidates from the disk: paths as the shell would expand them, of the kind that is expected at the cursor. One
//! level deep, and further only where there is no choice.

use std::sync::Arc;

use aside_commands::world::{DirEntry, Fact, FileKind};
use aside_text as text;
use shell_line::quote::{self, WordEnd};
use shell_line::{self as line, CursorRole, CursorSpot, Dialect, Join, Quote, Redirect};

use crate::complete::candidate::{self, Candidate, CandidateFacts, CandidateSource, MatchKind};
use crate::complete::context::CompletionContext;
use crate::complete::resolve_path;
use crate::complete::spec::expected::{self, Expected, ExpectedFiles, PathKind};
use crate::complete::spec::{self, resolve};

/// With more entries than this the user has to type more, and the shell's own menu shows them better.
const MANY: usize = 8;
/// Up to this many entries are checked one by one.
const FEW: usize = 64;
/// How far to descend where every directory has only one entry.
const MAX_CHAIN: usize = 8;
/// Rank for overwriting an existing file, which is rarely meant.
const LOW: usize = 100;

pub fn candidates(context: &CompletionContext<'_>, spot: &CursorSpot<'_>) -> Vec<Candidate> {
    if context.is_in_word(spot.quote) {
        return Vec::new();
    }
    let Some(wanted) = Wanted::at(context, spot) else { return Vec::new() };
    let value = &spot.typed[wanted.skip..];
    if let (Some(name), false) = (value.strip_prefix('~').filter(|name| !name.contains('/')), spot.fixed) {
        return named(context, spot, &wanted, name);
    }
    let Some(cwd) = cwd(context, spot) else { return Vec::new() };
    let Some(place) = Place::of(&CompletionContext { cwd: &cwd, ..*context }, value, spot.fixed) else {
        return Vec::new();
    };
    // Where a directory is accepted these are complete: `docker build .` does not continue as `.git`.
    if matches!(place.name, "." | "..") && wanted.files.which != PathKind::File {
        return Vec::new();
    }
    let Fact::Yes(entries) = context.world.entries(&place.directory) else { return Vec::new() };
    let mut found = Found::among(&entries, &place, &wanted, &given(spot, &wanted));
    found.leave_out_barren(context, &place, &wanted.files);
    found.leave_out_without_programs(context, &place, &wanted.files);
    offer(context, spot, &wanted, &place, found)
}

/// Which paths are wanted.
struct Wanted {
    files: ExpectedFiles,
    /// Bytes of `CursorSpot::typed` before the path.
    skip: usize,
    /// Arguments that are already given are not offered again.
    repeats: bool,
    low: bool,
}

impl Wanted {
    fn at(context: &CompletionContext<'_>, spot: &CursorSpot<'_>) -> Option<Self> {
        let typed = &*spot.typed;
        let expected = expected::expected(context, spot);
        let any = ExpectedFiles { which: PathKind::Any, globs: Vec::new(), must_exist: false };
        let low = matches!(spot.role, CursorRole::Target(Redirect::Write | Redirect::Append));
        let mut wanted = Wanted { files: any, skip: expected.skip, repeats: expected.repeats, low };
        match &spot.role {
            CursorRole::Variable | CursorRole::Other => return None,
            CursorRole::Target(Redirect::Descriptor | Redirect::HereDocument | Redirect::HereString) => return None,
            // Offering an existing file as a redirection target before anything is typed would invite data loss.
            CursorRole::Target(Redirect::Write | Redirect::Append) if typed.is_empty() => return None,
            CursorRole::Value(_) => wanted.skip = typed.rfind(':').map_or(0, |colon| colon + 1),
            CursorRole::Name | CursorRole::Argument(_) | CursorRole::Target(_) => {}
        }
        let value = typed.get(wanted.skip..)?;
        // A remote address.
        if value.contains("://") || value.split(':').next().is_some_and(|host| host != value && host.contains('@')) {
            return None;
        }
        wanted.narrow(context, expected, spot)?;
        Some(wanted)
    }

    /// Applies what is expected. `None` when no path is.
    fn narrow(&mut self, context: &CompletionContext<'_>, expected: Expected, spot: &CursorSpot<'_>) -> Option<()> {
        let typed = &*spot.typed;
        let value = &typed[self.skip..];
        if expected.command && (matches!(spot.role, CursorRole::Name) || expected.files.is_none()) {
            self.files.which = PathKind::Program;
            return value.contains('/').then_some(());
        }
        if expected.anything && !matches!(spot.role, CursorRole::Value(_)) {
            if let Some((name, value)) = typed.split_once('=')
                && (name.starts_with('-') || is_path(value))
            {
                self.skip = name.len() + 1;
                return (!value.is_empty()).then_some(());
            }
            return ((context.list || !typed.is_empty()) && !typed.starts_with('-')).then_some(());
        }
        if expected.package && !value.contains('/') {
            return None;
        }
        match expected.files {
            Some(files) => self.files = files,
            // A flag that the spec lacks: `--unheard-of=./`.
            None if typed.starts_with("--") && self.skip == 0 => {
                let (name, value) = typed.split_once('=').filter(|(_, value)| is_path(value))?;
                self.skip = name.len() + 1;
                return (!value.is_empty()).then_some(());
            }
            // A path may be typed where none is expected. In quotes it is more likely a pattern.
            None => return (is_path(value) && spot.quote == Quote::None && !value.ends_with('/')).then_some(()),
        }
        let anything = matches!(spot.role, CursorRole::Value(_)) && value.is_empty();
        (!anything && (self.skip > 0 || !typed.starts_with('-'))).then_some(())
    }
}

/// Whether it can hardly be anything but a path.
fn is_path(value: &str) -> bool {
    ["/", "./", "../", "~/", "$HOME/", "${HOME}/"].iter().any(|begin| value.starts_with(begin))
}

/// `~na` is a named directory.
fn named(context: &CompletionContext<'_>, spot: &CursorSpot<'_>, wanted: &Wanted, typed: &str) -> Vec<Candidate> {
    if typed.is_empty() {
        return Vec::new();
    }
    let known = context.names.directories.iter();
    let names: Vec<String> =
        known.filter(|(name, _)| name.starts_with(typed)).map(|(name, _)| format!("~{name}/")).collect();
    let rivals = names.len();
    let before = &spot.typed[..wanted.skip];
    let names = names.iter().take(context.limit).enumerate();
    names
        .map(|(place, name)| extend(context, spot, &[before, name].concat(), typed, place, rivals, WordEnd::More))
        .collect()
}

/// The working directory of the command at the cursor: `cd there && …`, `git -C there …`.
fn cwd(context: &CompletionContext<'_>, spot: &CursorSpot<'_>) -> Option<String> {
    let Some(command) = spot.command else { return Some(context.cwd.to_owned()) };
    let mut cwd = context.cwd.to_owned();
    if command.join != Join::First {
        cwd = resolve_path::cwd(context, &line::parse(context.left, context.dialect), command)?.into_owned();
    }
    if let CursorRole::Argument(number) = spot.role {
        let context = CompletionContext { cwd: &cwd, ..*context };
        if let resolve::Resolution::Spec(reached) = resolve::resolve(&context, command, number) {
            return resolve::directory(&context, &reached);
        }
    }
    Some(cwd)
}

/// The given arguments, if none of them would be given twice.
fn given<'s>(spot: &'s CursorSpot<'_>, wanted: &Wanted) -> Vec<&'s str> {
    let (CursorRole::Argument(number), Some(command), true) = (&spot.role, spot.command, wanted.repeats) else {
        return Vec::new();
    };
    let words = command.words.iter().enumerate().filter(|(place, _)| place != number).skip(1);
    words.map(|(_, word)| &*word.value).collect()
}

/// The directory to list, and the prefix of an entry.
struct Place<'v> {
    directory: String,
    /// The typed path up to the last slash.
    before: &'v str,
    name: &'v str,
}

impl<'v> Place<'v> {
    fn of(context: &CompletionContext<'_>, value: &'v str, fixed: bool) -> Option<Self> {
        let (before, name) = value.split_at(value.rfind('/').map_or(0, |slash| slash + 1));
        if !fixed && (before.is_empty() || name.contains(['$', '*', '?', '[', '{', '`', '('])) {
            return None;
        }
        Some(Place { directory: resolve_path::absolute(context, before, fixed)?, before, name })
    }
}

/// The matching entries, the most wanted first.
struct Found<'e> {
    entries: Vec<&'e DirEntry>,
    /// Number of all matches, including one that is typed completely.
    count: usize,
    fit: MatchKind,
}

impl<'e> Found<'e> {
    fn among(entries: &'e Arc<[DirEntry]>, place: &Place<'_>, wanted: &Wanted, given: &[&str]) -> Self {
        let usable = |entry: &&DirEntry| place.name.starts_with('.') || !entry.name.starts_with('.');
        let from = entries.partition_point(|entry| *entry.name < *place.name);
        let with_prefix = entries[from..].iter().take_while(|entry| entry.name.starts_with(place.name));
        let found: Vec<&DirEntry> = with_prefix.filter(usable).collect();
        let mut found = Found { entries: pick(found, &wanted.files, place), count: 0, fit: MatchKind::Extends };
        if found.entries.is_empty() && !place.name.is_empty() {
            // Falls back to another case; of several, those with the fewest changed letters.
            let any = entries.iter().filter(|entry| begins_alike(place.name, &entry.name));
            let any = any.filter_map(|entry| spec::edits(place.name, &entry.name).map(|edits| (edits, entry)));
            let any: Vec<(u8, &DirEntry)> = any.filter(|(_, entry)| usable(entry)).collect();
            if let Some(edits) = any.iter().map(|(edits, _)| *edits).min().filter(|edits| *edits > 0) {
                let nearest = any.iter().filter(|(of, _)| *of == edits).map(|(_, entry)| *entry).collect();
                found =
                    Found { entries: pick(nearest, &wanted.files, place), count: 0, fit: MatchKind::Mends { edits } };
            }
        }
        // With very many entries this makes no difference.
        if found.entries.len() <= FEW {
            found.entries.retain(|entry| !given.iter().any(|given| is_given(given, place, &entry.name)));
        }
        found.count = found.entries.len();
        found.entries.retain(|entry| entry.kind == FileKind::Directory || *entry.name != *place.name);
        found
    }
}

impl Found<'_> {
    /// Where files of one kind are wanted, drops directories that contain neither such a file nor a directory.
    fn leave_out_barren(&mut self, context: &CompletionContext<'_>, place: &Place<'_>, files: &ExpectedFiles) {
        if files.which != PathKind::File || files.globs.is_empty() || self.entries.len() > MANY {
            return;
        }
        let leads = |entry: &&DirEntry| {
            let path = format!("{}/{}", place.directory.trim_end_matches('/'), entry.name);
            let Fact::Yes(below) = context.world.entries(&path) else { return true };
            // While no letter is typed, only a matching file is a reason to show the way to it; a further directory is
            // not.
            let goes_on = |below: &DirEntry| below.kind == FileKind::Directory && !place.name.is_empty();
            let is_fit = |below: &DirEntry| goes_on(below) || files.globs.iter().any(|glob| fits(glob, &below.name));
            below.iter().any(is_fit)
        };
        self.entries.retain(|entry| entry.kind != FileKind::Directory || leads(entry));
        self.count = self.entries.len();
    }

    /// In the place of a command, drops directories with no program in them, nor one directory further. fish changes
    /// to a directory that is given alone, and so does zsh in many setups.
    fn leave_out_without_programs(
        &mut self,
        context: &CompletionContext<'_>,
        place: &Place<'_>,
        files: &ExpectedFiles,
    ) {
        if files.which != PathKind::Program || context.dialect != Dialect::Bash || self.entries.len() > MANY {
            return;
        }
        let has_program = |below: &[DirEntry]| below.iter().any(|entry| entry.kind == FileKind::Program);
        let leads = |entry: &&DirEntry| {
            let path = format!("{}/{}", place.directory.trim_end_matches('/'), entry.name);
            // Until it is known, nothing is offered; the reply is updated then.
            let Fact::Yes(below) = context.world.entries(&path) else { return false };
            let mut further = below.iter().filter(|entry| entry.kind == FileKind::Directory).take(MANY);
            let leads_on = |entry: &DirEntry| {
                let path = format!("{path}/{}", entry.name);
                matches!(context.world.entries(&path), Fact::Yes(below) if has_program(&below))
            };
            has_program(&below) || further.any(leads_on)
        };
        self.entries.retain(|entry| entry.kind != FileKind::Directory || leads(entry));
        self.count = self.entries.len();
    }
}

/// Whether the first letters are equal except for case: a cheap check that rejects most names.
fn begins_alike(one: &str, other: &str) -> bool {
    match (one.as_bytes().first(), other.as_bytes().first()) {
        (Some(one), Some(other)) => !one.is_ascii() || !other.is_ascii() || one.eq_ignore_ascii_case(other),
        _ => false,
    }
}

/// Whether a terminal can show it unchanged.
fn is_shown(name: &str) -> bool {
    text::is_clean(name) && !name.contains(['\n', '\t'])
}

fn is_given(given: &str, place: &Place<'_>, name: &str) -> bool {
    let rest = given.strip_prefix(place.before).and_then(|rest| rest.strip_prefix(name));
    rest.is_some_and(|rest| rest.is_empty() || rest == "/")
}

/// The entries of the wanted kind; files before directories where files of one kind are wanted.
fn pick<'e>(entries: Vec<&'e DirEntry>, files: &ExpectedFiles, place: &Place<'_>) -> Vec<&'e DirEntry> {
    let is_directory = |entry: &&&DirEntry| entry.kind == FileKind::Directory;
    match files.which {
        PathKind::Any => entries,
        PathKind::Directory => entries.iter().filter(is_directory).copied().collect(),
        PathKind::Program => {
            let programs = entries.into_iter();
            programs.filter(|entry| matches!(entry.kind, FileKind::Program | FileKind::Directory)).collect()
        }
        PathKind::File if files.globs.is_empty() => entries,
        PathKind::File => {
            let fits =
                |entry: &&&DirEntry| !is_directory(entry) && files.globs.iter().any(|glob| fits(glob, &entry.name));
            let mut picked: Vec<&DirEntry> = entries.iter().filter(fits).copied().collect();
            picked.extend(entries.iter().filter(is_directory));
            // A script need not end in `.py`, but then its name must be begun.
            if picked.is_empty() && !place.name.is_empty() { entries } else { picked }
        }
    }
}

/// Whether a name matches a pattern with `*`, ignoring case.
pub fn fits(glob: &str, name: &str) -> bool {
    let (glob, name) = (glob.to_lowercase(), name.to_lowercase());
    let Some((first, rest)) = glob.split_once('*') else { return glob == name };
    let Some(mut left) = name.strip_prefix(first) else { return false };
    let mut parts = rest.split('*').peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return left.ends_with(part);
        }
        let Some(at) = left.find(part) else { return false };
        left = &left[at + part.len()..];
    }
    true
}

fn offer(
    context: &CompletionContext<'_>,
    spot: &CursorSpot<'_>,
    wanted: &Wanted,
    place: &Place<'_>,
    found: Found<'_>,
) -> Vec<Candidate> {
    let before = [&spot.typed[..wanted.skip], place.before].concat();
    let low = if wanted.low { LOW } else { 0 };
    if found.count > MANY && found.fit == MatchKind::Extends && !context.list {
        let common = common(&found.entries);
        if common.len() > place.name.len() && found.count == found.entries.len() && is_shown(common) {
            return vec![extend(context, spot, &(before + common), place.name, low, 1, WordEnd::More)];
        }
    }
    let shown = if found.count > MANY { context.limit } else { MANY };
    let entries = found.entries.iter().filter(|entry| is_shown(&entry.name)).take(shown).enumerate();
    let candidates = entries.filter_map(|(number, entry)| {
        let mut name = entry.name.to_string();
        let mut after = WordEnd::End;
        if entry.kind == FileKind::Directory {
            name.push('/');
            after = WordEnd::More;
            // Where any path is accepted, the first directory itself may be meant: `rm -r target`.
            if found.count == 1 && wanted.files.which != PathKind::Any {
                chain(context, &place.directory, &mut name);
            }
        }
        let (number, rivals) = (low + number, found.count);
        match found.fit {
            MatchKind::Mends { .. } => mend(context, spot, &before, place.name, &name, number, rivals, found.fit),
            MatchKind::Extends | MatchKind::Contains => {
                Some(extend(context, spot, &[&*before, &name].concat(), place.name, number, rivals, after))
            }
        }
    });
    candidates.collect()
}

/// The common prefix of all names.
fn common<'e>(entries: &[&'e DirEntry]) -> &'e str {
    let names = || entries.iter().map(|entry| &*entry.name);
    let (Some(first), Some(last)) = (names().min(), names().max()) else { return "" };
    // All others sort between these two.
    let same = first.chars().zip(last.chars()).take_while(|(one, other)| one == other);
    &first[..same.map(|(letter, _)| letter.len_utf8()).sum()]
}

/// Descends while a directory contains nothing but another one.
fn chain(context: &CompletionContext<'_>, directory: &str, name: &mut String) {
    let mut at = format!("{}/{}", directory.trim_end_matches('/'), name.trim_end_matches('/'));
    for _ in 0..MAX_CHAIN {
        let Fact::Yes(entries) = context.world.entries(&at) else { return };
        let [only] = &*entries else { return };
        if only.kind != FileKind::Directory || only.name.starts_with('.') || !is_shown(&only.name) {
            return;
        }
        name.push_str(&only.name);
        name.push('/');
        at = format!("{at}/{}", only.name);
    }
}

fn extend(
    context: &CompletionContext<'_>,
    spot: &CursorSpot<'_>,
    value: &str,
    name: &str,
    place: usize,
    rivals: usize,
    after: WordEnd,
) -> Candidate {
    let adds = value.chars().count().saturating_sub(spot.typed.chars().count());
    let facts = facts(name, adds, place, rivals, MatchKind::Extends);
    context.word(spot, value, CandidateSource::Filesystem, facts, context.after(spot.quote, after))
}

/// Replaces only the last component of the path; the rest stays as typed, because it may have to be expanded.
#[expect(clippy::too_many_arguments, reason = "the facts of one entry, each told once")]
fn mend(
    context: &CompletionContext<'_>,
    spot: &CursorSpot<'_>,
    before: &str,
    typed: &str,
    name: &str,
    place: usize,
    rivals: usize,
    fit: MatchKind,
) -> Option<Candidate> {
    let adds = name.chars().count().saturating_sub(typed.chars().count());
    let facts = facts(typed, adds, place, rivals, fit);
    if spot.fixed && spot.quote == Quote::None {
        return Some(context.word(spot, &[before, name].concat(), CandidateSource::Filesystem, facts, WordEnd::End));
    }
    // In quotes or after `~`: possible only if the typed letters appear unchanged.
    let kept = context.left.strip_suffix(typed)?;
    let mut text = kept.to_owned();
    text.push_str(&quote::rest(name, spot.quote, context.dialect, WordEnd::More));
    let cursor = (!context.right.is_empty()).then_some(text.len());
    text.push_str(context.right);
    Some(Candidate { text, cursor, source: CandidateSource::Filesystem, facts, about: String::new() })
}

fn facts(typed: &str, adds: usize, place: usize, rivals: usize, fit: MatchKind) -> CandidateFacts {
    let short = |number: usize| u16::try_from(number).unwrap_or(u16::MAX);
    CandidateFacts {
        rivals: short(rivals),
        place: short(place),
        typed: short(typed.chars().count()),
        adds: short(adds),
        ..CandidateFacts::new(candidate::CandidateKind::Path, fit)
    }
}

#[cfg(test)]
mod tests;
