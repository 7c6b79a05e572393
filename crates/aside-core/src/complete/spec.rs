//! Candidates from specs: subcommands, flags and arguments of commands. Specs are built-in data, written by the user,
//! or learnt. Files and command names are offered by other sources.

pub mod check;
mod common_flags;
pub mod expected;
pub(super) mod resolve;

use aside_commands::spec::format::{Flag, Style};
use aside_commands::spec::kind::ArgKind;
use aside_commands::spec::walk::{NextWord, SpecWord, WalkStep};
use aside_commands::world::{self, LiveKind};
use shell_line::quote::WordEnd;
use shell_line::{CursorRole, CursorSpot};

use crate::complete::candidate::{self, Candidate, CandidateFacts, CandidateSource, MatchKind};
use crate::complete::context::CompletionContext;
use crate::complete::filter;
use crate::complete::spec::resolve::{Resolution, ResolvedCommand};

/// More than are shown, so that the ranking has a choice; a client that asks for more gets more.
const MAX_OFFERS: usize = 64;
/// Subcommands that can be read at a glance, where the usual ones are not known.
const FEW_SUBS: usize = 6;
/// Upper bound of counted rivals; a repository may have thousands of branches.
const MAX_RIVALS: usize = 250;

/// What the command's spec has for the word at the cursor. Flags are offered only after a dash is typed, except in a
/// list.
pub fn candidates(context: &CompletionContext<'_>, spot: &CursorSpot<'_>) -> Vec<Candidate> {
    let (CursorRole::Argument(number), Some(command)) = (&spot.role, spot.command) else { return Vec::new() };
    if !spot.fixed || context.is_in_word(spot.quote) {
        return Vec::new();
    }
    let Resolution::Spec(reached) = resolve::resolve(context, command, *number) else { return Vec::new() };
    let mut offers = Offers::new(&spot.typed, Case::Same, context.limit);
    gather(context, &reached, &mut offers);
    if offers.count == 0 && !spot.typed.is_empty() {
        offers = Offers::new(&spot.typed, Case::Any, context.limit);
        gather(context, &reached, &mut offers);
    }
    offers.candidates(context, spot)
}

/// One line about the innermost subcommand of a command.
pub fn about(context: &CompletionContext<'_>, command: &shell_line::Command) -> Option<Box<str>> {
    let Resolution::Spec(reached) = resolve::resolve(context, command, command.words.len()) else { return None };
    Some(reached.walk.spec().about.clone()).filter(|about| !about.is_empty())
}

fn gather(context: &CompletionContext<'_>, reached: &ResolvedCommand<'_>, offers: &mut Offers<'_>) {
    let typed = offers.typed;
    match reached.walk.next(typed) {
        NextWord::Nothing | NextWord::Command => {}
        NextWord::Flag => flags(context, reached, offers),
        NextWord::Value { flag, skip } => {
            offers.skip = skip;
            values_of(context, reached, flag, &typed[..skip], offers);
        }
        NextWord::Argument { kinds, subcommand } => {
            let spec = reached.walk.spec();
            let complete = spec.sub(typed).filter(|sub| subcommand && !sub.spec.addon);
            // A complete name is not a prefix of another: `git commit`, and not `git commit-graph`; `cargo t` is
            // `cargo test`. But `npm r` is `npm uninstall`, and more often the beginning of `npm run`.
            if subcommand && complete.is_none_or(|sub| !sub.name.starts_with(typed)) {
                // Before a letter is typed, only the most used; and none where arguments are as likely.
                let shown = match (typed.is_empty() && !context.list, spec.common) {
                    (true, 0) if !kinds.is_empty() || spec.subs.len() > FEW_SUBS => 0,
                    (true, common) if common > 0 => common,
                    _ => spec.subs.len(),
                };
                for sub in spec.subs[..shown].iter().filter(|sub| !sub.spec.addon) {
                    offers.add("", &sub.name, &sub.spec.about, candidate::CandidateKind::Subcommand, WordEnd::End);
                }
            }
            // `cargo t` is complete, but the user may still want to see `cargo test`.
            if let Some(sub) = complete.filter(|sub| &*sub.name != typed) {
                offers.add("", &sub.name, &sub.spec.about, candidate::CandidateKind::Subcommand, WordEnd::End);
            }
            values(context, reached, kinds, "", offers);
            if spec.style == Style::Bare {
                bare_flags(reached, offers);
            }
            if context.list && typed.is_empty() && matches!(reached.walk.next("-"), NextWord::Flag) {
                flags(context, reached, offers);
            }
        }
    }
}

fn flags(context: &CompletionContext<'_>, reached: &ResolvedCommand<'_>, offers: &mut Offers<'_>) {
    let typed = offers.typed;
    // The usual ones first; several letters may form a cluster: `-la`.
    let path: Vec<&str> = reached.walk.path(&reached.pieces).collect();
    let usual = common_flags::flags(&path.join(" "));
    for name in usual.iter().filter(|name| name.starts_with('-') && **name != "-" && **name != "--") {
        let flag = reached.walk.flag(name);
        // The spec on this machine may lack it.
        let piece = SpecWord { value: (*name).into(), fixed: true, word: None };
        let is_known = || matches!(reached.walk.clone().go(reached.pieces.len(), &piece), WalkStep::Flag);
        if offers.fits(name) && flag.map_or_else(is_known, |flag| !reached.walk.is_used(flag)) {
            let about = flag.map_or("", |flag| &*flag.about);
            offers.add_usual(name, about);
        }
    }
    for flag in reached.walk.reach().flat_map(|spec| &spec.flags).filter(|flag| !reached.walk.is_used(flag)) {
        if let Some(name) = flag.names.iter().find(|name| name.starts_with('-') && offers.fits(name)) {
            offers.add("", name, &flag.about, candidate::CandidateKind::Flag, WordEnd::End);
        }
        // An optional value can only be given with `=`.
        let optional = flag.takes.as_ref().is_some_and(|takes| takes.optional);
        if optional && typed.starts_with("--") && flag.is(typed) {
            values_of(context, reached, flag, &format!("{typed}="), offers);
        }
    }
}

/// `if=` of dd, `aux` of ps. Single letters form one word, which is not completed.
fn bare_flags(reached: &ResolvedCommand<'_>, offers: &mut Offers<'_>) {
    let flags = &reached.walk.spec().flags;
    for flag in flags.iter().filter(|flag| !reached.walk.is_used(flag)) {
        for name in flag.names.iter().filter(|name| !name.starts_with('-') && name.len() > 1) {
            match flag.takes {
                Some(_) => {
                    offers.add("", &format!("{name}="), &flag.about, candidate::CandidateKind::Flag, WordEnd::More)
                }
                None => offers.add("", name, &flag.about, candidate::CandidateKind::Flag, WordEnd::End),
            }
        }
    }
}

fn values_of(
    context: &CompletionContext<'_>,
    reached: &ResolvedCommand<'_>,
    flag: &Flag,
    before: &str,
    offers: &mut Offers<'_>,
) {
    if let Some(takes) = &flag.takes {
        values(context, reached, &takes.kinds, before, offers);
    }
}

fn values(
    context: &CompletionContext<'_>,
    reached: &ResolvedCommand<'_>,
    kinds: &[ArgKind],
    before: &str,
    offers: &mut Offers<'_>,
) {
    for kind in kinds {
        match kind {
            ArgKind::List(choices) => {
                for choice in choices {
                    offers.add(before, &choice.value, &choice.about, candidate::CandidateKind::Value, WordEnd::End);
                }
            }
            ArgKind::Live(live) => {
                let directory = resolve::directory(context, reached);
                let items = directory.and_then(|directory| context.world.live(*live, &directory).yes());
                // `git add a b`: offers neither of them again. Checked last, because there can be many names and few
                // match.
                let given = |name: &str| reached.pieces.iter().skip(1).any(|piece| *piece.value == *name);
                // A host among paths begins a remote path: `scp a.txt web1:`.
                let is_path_there = *live == LiveKind::Host
                    && kinds.iter().any(|kind| matches!(kind, ArgKind::Path | ArgKind::File(_)));
                // Names of one kind compete with each other: a hundred commits do not make two branches harder to
                // choose from.
                offers.begin_group();
                let mut is_remote = false;
                let is_fit = |item: &&world::LiveItem| filter::git::takes(reached, *live, item);
                for item in items.iter().flat_map(|items| items.iter()).filter(is_fit) {
                    if offers.count >= MAX_RIVALS {
                        break;
                    }
                    if !offers.fit(before, &item.name) || given(&item.name) {
                        continue;
                    }
                    // Remote branches come last.
                    if *live == LiveKind::GitBranch && &*item.about == "remote" && !is_remote {
                        is_remote = true;
                        offers.begin_group();
                    }
                    match is_path_there {
                        true => {
                            let name = format!("{}:", item.name);
                            offers.add(before, &name, &item.about, candidate::CandidateKind::Name, WordEnd::More);
                        }
                        false => {
                            offers.add(before, &item.name, &item.about, candidate::CandidateKind::Name, WordEnd::End)
                        }
                    }
                }
            }
            ArgKind::File(_) | ArgKind::Directory | ArgKind::Path | ArgKind::Program => {}
            ArgKind::Free(_) | ArgKind::Command | ArgKind::Variable | ArgKind::ManPage => {}
        }
    }
}

/// Whether case matters in matching.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Case {
    Same,
    Any,
}

/// The matches for the word, in the order in which they were added.
struct Offers<'t> {
    typed: &'t str,
    case: Case,
    /// Bytes of `typed` that are the flag whose value is being typed.
    skip: usize,
    fitting: Vec<Offer>,
    /// How many of them are kept.
    most: usize,
    /// Number of all matches, including those that are not kept and one that is typed completely.
    count: usize,
    /// The same for each group of names; an offer in no group competes with all.
    groups: Vec<usize>,
}

struct Offer {
    value: String,
    about: String,
    kind: candidate::CandidateKind,
    after: WordEnd,
    usual: bool,
    group: Option<usize>,
}

impl<'t> Offers<'t> {
    fn new(typed: &'t str, case: Case, wanted: usize) -> Self {
        let most = wanted.max(MAX_OFFERS);
        Self { typed, case, skip: 0, fitting: Vec::new(), most, count: 0, groups: Vec::new() }
    }

    fn begin_group(&mut self) {
        self.groups.push(0);
    }

    fn fits(&self, value: &str) -> bool {
        self.fit("", value)
    }

    fn fit(&self, before: &str, value: &str) -> bool {
        // Either all of `before` is typed, or the typed text is a prefix of it.
        let typed = match before {
            "" => self.typed,
            _ => match self.typed.strip_prefix(before) {
                Some(typed) => typed,
                None => return before.starts_with(self.typed),
            },
        };
        let (Some(first), Some(other)) = (typed.as_bytes().first(), value.as_bytes().first()) else {
            return typed.is_empty();
        };
        match self.case {
            // The first letter rejects nearly every name without a call to compare whole texts.
            Case::Same => first == other && value.starts_with(typed),
            // A one-letter flag is another flag as a capital.
            Case::Any => !is_short(value) && edits(typed, value).is_some(),
        }
    }

    fn add(&mut self, before: &str, value: &str, about: &str, kind: candidate::CandidateKind, after: WordEnd) {
        if !self.fit(before, value) {
            return;
        }
        self.count += 1;
        let group = self.groups.len().checked_sub(1).filter(|_| kind == candidate::CandidateKind::Name);
        if let Some(group) = group {
            self.groups[group] += 1;
        }
        let is_typed = self.typed.len() == before.len() + value.len() && self.typed.ends_with(value);
        if !is_typed && self.fitting.len() < self.most {
            let value = [before, value].concat();
            if self.fitting.iter().any(|offer| offer.usual && offer.value == value) {
                self.count -= 1;
                return;
            }
            self.fitting.push(Offer { value, about: about.to_owned(), kind, after, usual: false, group });
        }
    }

    fn add_usual(&mut self, flag: &str, about: &str) {
        let before = self.fitting.len();
        self.add("", flag, about, candidate::CandidateKind::Flag, WordEnd::End);
        self.fitting.iter_mut().skip(before).for_each(|offer| offer.usual = true);
    }

    fn candidates(&self, context: &CompletionContext<'_>, spot: &CursorSpot<'_>) -> Vec<Candidate> {
        let short = |number: usize| u16::try_from(number).unwrap_or(u16::MAX);
        let typed = short(self.typed[self.skip..].chars().count());
        let offers = self.fitting.iter().enumerate();
        let candidates = offers.map(|(place, offer)| {
            let fit = match edits(self.typed, &offer.value) {
                None | Some(0) => MatchKind::Extends,
                Some(edits) => MatchKind::Mends { edits },
            };
            // The kinds are in order of likelihood: a tag competes with the branches before it.
            let rivals = offer.group.map_or(self.count, |group| self.groups[..=group].iter().sum());
            let (rivals, place) = (short(rivals), short(place));
            let facts =
                CandidateFacts { rivals, place, typed, usual: offer.usual, ..CandidateFacts::new(offer.kind, fit) };
            let candidate = context.word(spot, &offer.value, CandidateSource::Spec, facts, offer.after);
            Candidate { about: offer.about.clone(), ..candidate }
        });
        candidates.collect()
    }
}

fn is_short(value: &str) -> bool {
    value.starts_with('-') && !value.starts_with("--")
}

/// How many letters change if `value` is typed instead of `typed`; `None` if more than their case differs.
pub(super) fn edits(typed: &str, value: &str) -> Option<u8> {
    let mut letters = value.chars();
    let mut edits = 0u8;
    for typed in typed.chars() {
        let letter = letters.next()?;
        if letter == typed {
            continue;
        }
        let ascii = letter.is_ascii() && typed.is_ascii();
        if !letter.eq_ignore_ascii_case(&typed) && (ascii || !letter.to_lowercase().eq(typed.to_lowercase())) {
            return None;
        }
        edits = edits.saturating_add(1);
    }
    Some(edits)
}

#[cfg(test)]
mod tests;
