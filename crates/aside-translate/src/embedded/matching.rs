//! Decides whether a query asks for a rule, and renders the rule's command. Knows no particular rule; `rank` compares
//! the drafts.

use aside_commands::safety;
use aside_text::speech_act::word_lists::LISTS;
use shell_line::Dialect;

use crate::ToolFlavor;
use crate::embedded::analysis::{AnalyzedQuery, ExplainedWords, QueryWord};
use crate::embedded::draft::{Draft, Objects};
use crate::embedded::entities::{self, Entity};
use crate::embedded::lexicon;
use crate::embedded::rules::{Choice, Part, Rule, Term};
use crate::embedded::slots::{self, FilledSlot, SlotDoubt};

/// Penalty for each further command of a rule relative to the one before.
const SECOND: f32 = 0.06;

/// The commands of a rule whose words are all in the query.
pub fn drafts(rule: &'static Rule, reading: &AnalyzedQuery<'_>) -> Vec<Draft> {
    // Nearly every rule is rejected here: no slot is tried before all words are there.
    let possible = rule.needs.iter().filter(|need| need.iter().all(|term| may_be(term, reading)));
    let needs = possible.filter_map(|need| all(need, reading, &reading.unused()));
    let Some((used, specific)) = needs.max_by(|one, two| {
        let weight = |used: &ExplainedWords| reading.weigh(used).1;
        weight(&one.0).total_cmp(&weight(&two.0))
    }) else {
        return Vec::new();
    };
    // A `not` word as typed counts even if a `need` has used it: it may have the right meaning and still be the wrong
    // word.
    let is_said = |choice: &Choice| match choice {
        Choice::Is(text) => reading.words.iter().any(|word| word.low == *text),
        Choice::Means(_) | Choice::Form(_) | Choice::Slot(_) => false,
    };
    let body = rule.body(reading.lexicon);
    if body.not.iter().any(|term| term.0.iter().any(is_said) || one(term, reading, &used).is_some()) {
        return Vec::new();
    }
    made(rule, reading, &used, specific)
}

/// The commands of a rule that the learned classifier proposed although its words are missing. `known` are words that
/// requests for the rule typically use: they fill no slot, unless nothing else does and they could name a program. A
/// destructive command still needs most of a rule's words.
pub fn learned(rule: &'static Rule, reading: &AnalyzedQuery<'_>, known: &[usize]) -> Vec<Draft> {
    let is_name = |place: usize| {
        let Some(word) = reading.words.get(place) else { return false };
        let is_tool = word.concept.is_some() && !word.is_spoken;
        word.thing.is_some() || word.weight > 0.0 && (is_tool || reading.place.specs.has(&word.low))
    };
    let marked = |is_vocabulary: &dyn Fn(usize) -> bool| {
        let mut used = reading.unused();
        // A verb is not a name: `bounce the web server`.
        let verbs = (0..reading.words.len()).filter(|place| {
            let word = &reading.words[*place];
            word.thing.is_none() && word.entry.is_none() && LISTS.verbs.get(&word.low).is_some() && !is_name(*place)
        });
        verbs.chain(known.iter().copied().filter(|place| is_vocabulary(*place))).for_each(|place| used.mark(place));
        used
    };
    let is_word = |place: usize| {
        let word = reading.words.get(place).filter(|word| word.thing.is_none());
        word.is_some_and(|word| word.low.chars().all(char::is_alphabetic) || word.low.contains(' '))
    };
    let is_spoken = |place: usize| reading.words.get(place).is_some_and(|word| word.is_spoken || word.weight <= 0.0);
    let mut drafts = made(rule, reading, &marked(&is_word), 0);
    if drafts.is_empty() {
        drafts = made(rule, reading, &marked(&|place| is_word(place) && is_spoken(place) && !is_name(place)), 0);
    }
    // Drops drafts that use an ordinary word as a name: neither the rule's words nor the classifier support that.
    drafts.retain(|draft| draft.used.guesses() == 0);
    let there = |need: &Vec<Term>| {
        let count = need.iter().filter(|term| may_be(term, reading)).count();
        count > 1 && 2 * count > need.len()
    };
    let destroys = |draft: &Draft| !safety::dangers(&draft.command, reading.place.dialect).is_empty();
    drafts.retain(|draft| rule.needs.iter().any(there) || !destroys(draft));
    for draft in &mut drafts {
        known.iter().filter(|place| is_word(**place)).for_each(|place| draft.used.mark(*place));
    }
    drafts
}

/// The commands of a rule, with its slots filled from the words that are not used yet.
fn made(rule: &'static Rule, reading: &AnalyzedQuery<'_>, used: &ExplainedWords, specific: usize) -> Vec<Draft> {
    let body = rule.body(reading.lexicon);
    let mut drafts = Vec::new();
    let runs = match reading.place.system {
        _ if reading.place.dialect == Dialect::Fish && !body.fish.is_empty() => &body.fish,
        ToolFlavor::Bsd if !body.bsd.is_empty() => &body.bsd,
        ToolFlavor::Bsd | ToolFlavor::Gnu | ToolFlavor::Busybox => &body.runs,
    };
    for run in runs {
        let mut used = used.clone();
        // Slots come first, because quoted texts and named things belong to them; then parts and the words around them.
        // The words of another `need` also belong to this rule: `stop all docker containers`.
        for term in body.may.iter().chain(rule.needs.iter().flatten()) {
            every(term, reading, &mut used, |word| word.thing.is_none());
        }
        let Some(command) = render(run, &body.parts, reading, &mut used) else { continue };
        // `push to origin` says no more than `push`.
        for term in &body.may {
            every(term, reading, &mut used, |word| matches!(word.thing, Some(Entity::Remote(_))));
        }
        // A file that the command names by itself, such as requirements.txt, counts as explained.
        for (place, word) in reading.words.iter().enumerate() {
            if matches!(word.thing, Some(Entity::Path(_))) && command.split(' ').any(|part| part == word.text) {
                used.mark(place);
            }
        }
        let doubt = SECOND * drafts.len() as f32;
        let objects = Objects::Filled;
        drafts.push(Draft { command, about: rule.about.to_owned(), used, objects, doubt, specific, rule: rule.name });
    }
    drafts
}

/// Cheap pre-check whether a term can match; never wrong when it says no.
fn may_be(term: &Term, reading: &AnalyzedQuery<'_>) -> bool {
    term.0.iter().any(|choice| match choice {
        Choice::Means(concept) => reading.means(*concept),
        Choice::Is(text) => reading.words.iter().any(|word| word.low == *text),
        Choice::Form(text) => reading.words.iter().any(|word| is_form(word, text)),
        Choice::Slot(_) => true,
    })
}

/// Matches all terms, each with a word of its own; returns the used words and the number of terms.
fn all(terms: &[Term], reading: &AnalyzedQuery<'_>, used: &ExplainedWords) -> Option<(ExplainedWords, usize)> {
    let mut used = used.clone();
    for term in terms {
        for place in one(term, reading, &used)? {
            used.mark(place);
        }
    }
    Some((used, terms.len()))
}

/// The unused words that match one term. A slot is only tested here and filled later.
fn one(term: &Term, reading: &AnalyzedQuery<'_>, used: &ExplainedWords) -> Option<Vec<usize>> {
    term.0.iter().find_map(|choice| match choice {
        Choice::Slot(slot) => slots::fill(slot, reading, used).map(|_| Vec::new()),
        _ => (0..reading.words.len())
            .find(|place| !used.has(*place) && is(choice, reading, *place))
            .map(|place| vec![place]),
    })
}

fn every(term: &Term, reading: &AnalyzedQuery<'_>, used: &mut ExplainedWords, fits: fn(&QueryWord) -> bool) {
    for place in 0..reading.words.len() {
        let exact = |choice: &Choice| matches!(choice, Choice::Is(_)) && is(choice, reading, place);
        let fitting = fits(&reading.words[place]) && term.0.iter().any(|choice| is(choice, reading, place));
        if fitting || term.0.iter().any(exact) {
            used.mark(place);
        }
    }
}

/// `frames` is a form of `frame`. Compares the beginning first, which rejects most words.
fn is_form(word: &QueryWord, text: &str) -> bool {
    word.low == text
        || word.concept.is_none()
            && word.low.as_bytes().first() == text.as_bytes().first()
            && lexicon::forms(&word.low).iter().any(|form| form == text)
}

fn is(choice: &Choice, reading: &AnalyzedQuery<'_>, place: usize) -> bool {
    let Some(word) = reading.words.get(place) else { return false };
    match choice {
        // A word that names a file has no other meaning (`in logs`), but still matches by its own name.
        Choice::Means(concept) => {
            let is_file = matches!(word.thing, Some(Entity::Path(_)))
                && reading.meaning(place) != word.low
                && !entities::is_file_name(&word.low);
            word.concept == Some(*concept) && !is_file
        }
        Choice::Is(text) => word.low == *text,
        Choice::Form(text) => is_form(word, text),
        Choice::Slot(_) => false,
    }
}

/// The template with its slots filled; `None` when a required slot is empty.
fn render(template: &str, adding: &[Part], reading: &AnalyzedQuery<'_>, used: &mut ExplainedWords) -> Option<String> {
    let mut parts = String::new();
    if template.contains("<parts>") {
        for part in adding {
            let mut tried = used.clone();
            // A word that matched a `need` may match a part as well: `last`, `all`.
            let words = part.terms.iter().all(|term| match again(term, reading, &tried) {
                Some(places) => {
                    places.into_iter().for_each(|place| tried.mark(place));
                    true
                }
                None => false,
            });
            if words && let Some(text) = fill(part.adds, reading, &mut tried) {
                *used = tried;
                // `--oneline` may be in the template already.
                if !template.split_whitespace().any(|word| word == text) {
                    parts.push(' ');
                    parts.push_str(&text);
                }
            }
        }
    }
    // Splits the template before filling it, so that typed text is never parsed as a template.
    let (before, after) = template.split_once("<parts>").unwrap_or((template, ""));
    let before = fill(before, reading, used)?;
    let after = fill(after, reading, used)?;
    let before = before.trim_end();
    let after = after.trim();
    let blank = if after.is_empty() { "" } else { " " };
    let command = format!("{before}{parts}{blank}{after}");
    let command = command.trim();
    (!command.is_empty()).then(|| command.to_owned())
}

/// Like `one`, but words that are already used count too.
fn again(term: &Term, reading: &AnalyzedQuery<'_>, used: &ExplainedWords) -> Option<Vec<usize>> {
    one(term, reading, used).or_else(|| one(term, reading, &reading.unused()).filter(|places| !places.is_empty()))
}

/// Slots are `<name>` and `<name=default>`; `{? … }` is kept only if everything in it is filled.
fn fill(template: &str, reading: &AnalyzedQuery<'_>, used: &mut ExplainedWords) -> Option<String> {
    let mut text = String::with_capacity(template.len() + 16);
    let mut rest = template;
    // A slot that occurs twice gets the same value twice.
    let mut known: Vec<(&str, String)> = Vec::new();
    while let Some(at) = rest.find(['<', '{']) {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(group) = rest.strip_prefix("{?") {
            let end = group.find('}')?;
            let mut tried = used.clone();
            match fill(&group[..end], reading, &mut tried) {
                Some(inner) => {
                    *used = tried;
                    text.push_str(inner.trim_start());
                }
                // Removes the blank before a dropped group, unless a word follows directly.
                None => {
                    if text.ends_with(' ') && group[end + 1..].chars().next().is_none_or(|next| next == ' ') {
                        text.pop();
                    }
                }
            }
            rest = &group[end + 1..];
        } else if let Some((slot, length)) = slot(rest) {
            let (name, default) = slot.split_once('=').map_or((slot, None), |(name, default)| (name, Some(default)));
            let before = known.iter().find(|(slot, _)| *slot == name).map(|(_, spelled)| spelled.clone());
            // `small-<file:base>` is written to the current directory, wherever the file is.
            let last = |slot: &str| {
                let spelled = known.iter().find(|(known, _)| *known == slot).map(|(_, spelled)| spelled)?;
                spelled.rsplit('/').next().map(str::to_owned)
            };
            let before = before.or_else(|| name.strip_suffix(":base").and_then(last));
            let now = || slots::fill(name, reading, used);
            match (
                before.map(|spelled| FilledSlot { spelled, words: Vec::new(), doubt: SlotDoubt::None }).or_else(now),
                default,
            ) {
                (Some(filled), _) => {
                    let names = slots::names(name);
                    filled.words.into_iter().for_each(|place| if names { used.fill(place) } else { used.mark(place) });
                    if filled.doubt == SlotDoubt::Guessed {
                        used.guess();
                    }
                    text.push_str(&filled.spelled);
                    known.push((name, filled.spelled));
                }
                (None, Some(default)) => text.push_str(default),
                (None, None) => return None,
            }
            rest = &rest[length..];
        } else {
            text.push_str(&rest[..1]);
            rest = &rest[1..];
        }
    }
    text.push_str(rest);
    Some(text)
}

/// A slot at the beginning of the text, and its length. `<<EOF`, `<(` and `< file` are shell syntax.
fn slot(text: &str) -> Option<(&str, usize)> {
    let end = text.find('>')?;
    let inner = text.get(1..end)?;
    let is_slot =
        inner.starts_with(|letter: char| letter.is_ascii_lowercase()) && !inner.contains([' ', '(', '$', '/']);
    // A default may be a path.
    let is_slot = is_slot
        || inner.split_once('=').is_some_and(|(name, default)| {
            name.bytes().all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'2' | b':'))
                && !name.is_empty()
                && !default.contains(' ')
        });
    is_slot.then_some((inner, end + 1))
}
