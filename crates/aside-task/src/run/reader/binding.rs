//! Binds one operation to the tokens of a request: takes its trigger words, fills its slots from the repository, and lists the words that
//! nothing explains.

use std::collections::BTreeMap;

use aside_core::detect::word_lists::{is_one_slip, lists};

use crate::run::phrase::Phrase;
use crate::run::reader::clauses::reasons;
use crate::run::reader::ground::{RepositoryFacts, SlotKind, has_word};
use crate::run::reader::keys::parts;
use crate::run::reader::scope::{Scope, scope};
use crate::run::reader::table::{Operation, Slot, TABLE};
use crate::run::reader::tokens::{Token, TokenKind, tokens};
use crate::run::reader::{ReadMiss, Reading, Understood};

/// Words shorter than that have too many neighbours for a slip to be recognized.
const LEAST_SLIP: usize = 4;
/// Cap on the files of a change that is limited to some.
const MAX_SCOPED: usize = 100;
/// Words that are named as not understood.
const MAX_NAMED: usize = 3;

/// What is the same for all operations, found once.
pub struct Prepared {
    tokens: Vec<Token>,
    /// Tokens of clauses that only give a reason.
    reasons: Vec<bool>,
    is_question: bool,
    /// Where phrases stand that forbid something, with what that is, that say nothing more, and that are fillers: index and length.
    forbids: Vec<(usize, usize, &'static [String])>,
    tails: Vec<(usize, usize)>,
    fillers: Vec<(usize, usize)>,
}

impl Prepared {
    pub fn new(request: &str, facts: &RepositoryFacts) -> Self {
        let mut all = tokens(request, &|word| TABLE.is_han_word(word));
        for token in all.iter_mut().filter(|token| token.kind == TokenKind::Word) {
            // A misspelt word that nothing here is called.
            let is_word = token.lower.len() >= LEAST_SLIP && token.lower.bytes().all(|byte| byte.is_ascii_lowercase());
            if is_word
                && !TABLE.words.contains(&token.lower)
                && !lists().is_word(&token.lower)
                && !facts.occurs(&token.text)
            {
                let near =
                    TABLE.words.iter().filter(|known| known.len() >= LEAST_SLIP && is_one_slip(known, &token.lower));
                token.slips = near.cloned().collect();
            }
        }
        let places = |phrases: &[Phrase]| -> Vec<(usize, usize)> {
            let of = |phrase: &Phrase| {
                let found = (0..all.len()).filter(|at| phrase.stands_at(&all, *at));
                found.map(|at| (at, phrase.len())).collect::<Vec<_>>()
            };
            phrases.iter().flat_map(of).collect()
        };
        let forbids = TABLE.forbids.iter().flat_map(|forbid| {
            places(&forbid.words).into_iter().map(|(at, len)| (at, len, forbid.texts.as_slice())).collect::<Vec<_>>()
        });
        let mut forbids: Vec<_> = forbids.collect();
        forbids.sort_by_key(|(_, len, _)| std::cmp::Reverse(*len));
        Self {
            reasons: reasons(&all),
            is_question: TABLE.questions.iter().any(|phrase| phrase.stands_at(&all, 0)),
            forbids,
            tails: places(&TABLE.tails),
            fillers: places(&TABLE.fillers),
            tokens: all,
        }
    }
}

pub struct Binding<'a> {
    operation: &'a Operation,
    prepared: &'a Prepared,
    tokens: &'a [Token],
    facts: &'a RepositoryFacts,
    used: Vec<bool>,
    values: BTreeMap<&'a str, Vec<String>>,
    options: String,
    scope: Option<Scope>,
    forbidden: Vec<&'a str>,
    forbids: bool,
    /// Tokens that are triggers, names or options.
    score: usize,
    has_verb: bool,
    is_prose: bool,
}

impl<'a> Binding<'a> {
    pub fn new(operation: &'a Operation, prepared: &'a Prepared, facts: &'a RepositoryFacts) -> Self {
        let tokens = prepared.tokens.as_slice();
        let used = tokens.iter().map(|token| token.kind == TokenKind::Break).collect();
        Self {
            operation,
            prepared,
            tokens,
            facts,
            used,
            values: BTreeMap::new(),
            options: String::new(),
            scope: None,
            forbidden: Vec::new(),
            forbids: false,
            score: 0,
            has_verb: false,
            is_prose: false,
        }
    }

    /// What the request means as this operation, and how many of its tokens that takes as names or verbs.
    pub fn read(mut self, request: &str) -> Result<(usize, Understood), ReadMiss> {
        let is_near =
            || self.operation.needs.iter().all(|group| group.iter().any(|phrase| self.trigger(phrase).is_some()));
        if self.prepared.is_question || !is_near() {
            return Err(ReadMiss::Unknown);
        }
        self.rest(request).ok_or(ReadMiss::Unknown)?;
        self.take_forbidden();
        self.take_unused(&self.prepared.tails);
        if !self.triggered() {
            return Err(ReadMiss::Unknown);
        }
        if self.operation.scoped.is_some()
            && let Some((scope, taken)) = scope(self.tokens, &|at| self.is_used(at), self.facts)
        {
            taken.iter().for_each(|at| self.take(*at, 1));
            self.score += taken.len();
            self.scope = Some(scope);
        }
        let slots = &self.operation.slots;
        // What a marker points at is settled first, so that the rest is what stands alone.
        for slot in slots.iter().filter(|slot| slot.marker.is_some() && slot.kind != SlotKind::Rest) {
            self.bind(slot)?;
        }
        self.take_options();
        for slot in slots.iter().filter(|slot| slot.marker.is_none()) {
            self.bind(slot)?;
        }
        for phrase in &self.operation.allows {
            self.take_all(phrase);
        }
        self.take_unused(&self.prepared.fillers);
        let left = self.unexplained();
        if !left.is_empty() {
            return Err(ReadMiss::NotUnderstood(left));
        }
        // Without an option or a name, the project's own command is meant.
        if self.operation.is_special && self.options.is_empty() && self.values.is_empty() {
            return Err(ReadMiss::Unknown);
        }
        let needs_texts = self.operation.slots.iter().any(|slot| slot.kind.is_in_texts());
        if self.facts.is_partial && needs_texts && !self.values.contains_key("file") {
            return Err(ReadMiss::Unknown);
        }
        let reading = self.rendered()?;
        Ok((self.score + self.operation.rank(), Understood { reading, forbids: self.forbids, is_prose: self.is_prose }))
    }

    /// Takes one phrase of each group of triggers.
    pub fn triggered(&mut self) -> bool {
        let operation = self.operation;
        operation.needs.iter().all(|group| {
            // An arrow only stands for a verb where there is none.
            let found = group.iter().filter_map(|phrase| Some((phrase.is_verb(), phrase.len(), self.trigger(phrase)?)));
            let Some((is_verb, len, at)) = found.max_by_key(|(verb, len, _)| (*verb, *len)) else { return false };
            self.has_verb |= is_verb;
            self.take(at, len);
            self.score += len;
            true
        })
    }

    /// Where a trigger stands: in the order, or in a statement where the operation is for one.
    fn trigger(&self, phrase: &Phrase) -> Option<usize> {
        let stated = || (0..self.tokens.len()).find(|at| !self.is_used(*at) && phrase.stands_at(self.tokens, *at));
        self.find(phrase).or_else(|| stated().filter(|_| self.operation.is_stated))
    }

    /// "Don't push": holds for every operation that does not push.
    fn take_forbidden(&mut self) {
        for (at, len, texts) in &self.prepared.forbids {
            if (*at..at + len).all(|at| !self.is_used(at)) {
                self.take(*at, *len);
                self.forbids = true;
                self.forbidden.extend(texts.iter().map(String::as_str));
            }
        }
    }

    fn take_unused(&mut self, places: &[(usize, usize)]) {
        for (at, len) in places {
            if (*at..at + len).all(|at| !self.is_used(at)) {
                self.take(*at, *len);
            }
        }
    }

    fn take_options(&mut self) {
        let operation = self.operation;
        for (phrases, text) in &operation.options {
            let found = phrases.iter().filter_map(|phrase| Some((self.find(phrase)?, phrase.len()))).next();
            if let Some((at, len)) = found {
                self.take(at, len);
                self.score += len;
                self.is_prose |= self.tokens.get(at).is_some_and(|token| !token.text.starts_with('-'));
                if !text.is_empty() {
                    self.options.push(' ');
                    self.options.push_str(text);
                }
            }
        }
    }

    /// The text behind a marker, to the end of the request. `None` where it may hold more than that.
    fn rest(&mut self, request: &str) -> Option<()> {
        let Some(slot) = self.operation.slots.iter().find(|slot| slot.kind == SlotKind::Rest) else { return Some(()) };
        let markers = TABLE.markers(slot.marker.as_deref()?);
        let at = markers.iter().filter_map(|phrase| Some((self.find(phrase)?, std::cmp::Reverse(phrase.len())))).min();
        let Some((at, std::cmp::Reverse(len))) = at else { return slot.optional.then_some(()) };
        let behind = (at + len..self.tokens.len())
            .find(|behind| self.tokens.get(*behind).is_some_and(|token| token.kind != TokenKind::Break))?;
        let first = self.tokens.get(behind)?;
        if first.kind == TokenKind::Quoted {
            self.take(at, behind + 1 - at);
            self.score += 2;
            self.values.insert(&slot.name, vec![first.text.clone()]);
            return Some(());
        }
        let text = request.get(first.start..)?.trim();
        // The quotes may be gone, and with them the end of the text.
        let lower = text.to_lowercase();
        let more = [" push", "don't", "do not", " then ", ", and ", " but ", " amend", "，", " please", "不要"];
        if text.is_empty() || more.iter().any(|more| lower.contains(more)) {
            return None;
        }
        self.take(at, self.tokens.len() - at);
        self.score += 2;
        self.values.insert(&slot.name, vec![text.to_owned()]);
        Some(())
    }

    /// Fills a slot, from a reason only where the order itself names nothing that fits.
    fn bind(&mut self, slot: &'a Slot) -> Result<(), ReadMiss> {
        let mut found = self.fitting(slot);
        if found.iter().any(|(at, _, _)| !self.is_reason(*at)) {
            found.retain(|(at, _, _)| !self.is_reason(*at));
        }
        // Of the words that no dictionary has, the one that is meant is near the right one.
        if let Some(right) = self.values.get("right").and_then(|all| all.first()).filter(|_| found.len() > 1) {
            found.retain(|(_, _, value)| is_one_slip(value, right));
        }
        // The stem of a file is its name only where no path is written.
        let is_written = |at: usize| self.tokens.get(at).is_some_and(|token| token.text.contains(['.', '/']));
        if slot.kind == SlotKind::File && found.iter().any(|(at, _, _)| is_written(*at)) {
            found.retain(|(at, _, _)| is_written(*at));
        }
        let mut values: Vec<String> = Vec::new();
        for (at, len, value) in found {
            if let Some((marker, many)) = slot.marker.as_deref().and_then(|marker| self.marker_before(at, marker)) {
                self.take(marker, many);
            }
            self.take(at, len);
            self.score += len;
            if !values.contains(&value) {
                values.push(value);
            }
        }
        match values.len() {
            0 if slot.optional => Ok(()),
            0 => Err(self.not_there(slot)),
            many if many > 1 && !slot.many => Err(ReadMiss::Ambiguous),
            _ => {
                self.values.insert(&slot.name, values);
                Ok(())
            }
        }
    }

    /// The tokens that a slot can take: index, length and value.
    fn fitting(&self, slot: &Slot) -> Vec<(usize, usize, String)> {
        let mut found: Vec<(usize, usize, String)> = Vec::new();
        for at in 0..self.tokens.len() {
            if self.is_used(at) || found.last().is_some_and(|(last, len, _)| at < last + len) {
                continue;
            }
            let Some((value, len)) = self.facts.ground(slot.kind, self.tokens, at) else { continue };
            // "A branch called x" is called x, not "called".
            let is_marker = |marker: &str| TABLE.markers(marker).iter().any(|phrase| phrase.stands_at(self.tokens, at));
            if slot.marker.as_deref().is_some_and(is_marker) {
                continue;
            }
            let is_free = (at..at + len).all(|at| !self.is_used(at));
            let is_marked = slot.marker.as_deref().is_none_or(|marker| self.marker_before(at, marker).is_some());
            if is_free && is_marked && (len > 1 || !self.is_plain(at, slot.kind)) {
                found.push((at, len, value));
            }
        }
        found
    }

    /// The word that looks like what the slot takes, and names nothing here.
    fn not_there(&self, slot: &Slot) -> ReadMiss {
        let is_name = |text: &str| {
            let is_code = text.contains('_') || text.chars().skip(1).any(char::is_uppercase);
            match slot.kind {
                // Without a dot it may be a branch.
                SlotKind::File | SlotKind::Place | SlotKind::TestFile => {
                    text.contains('.') && text.contains(char::is_alphabetic)
                }
                SlotKind::Branch | SlotKind::Revision => text.contains(['-', '/']),
                _ => is_code && text.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_'),
            }
        };
        let grounds = matches!(
            slot.kind,
            SlotKind::Identifier
                | SlotKind::Function
                | SlotKind::Constant
                | SlotKind::Key
                | SlotKind::File
                | SlotKind::Place
                | SlotKind::TestFile
                | SlotKind::TestName
                | SlotKind::Branch
                | SlotKind::Revision
        );
        let named = (0..self.tokens.len()).filter(|at| !self.is_used(*at)).filter_map(|at| self.tokens.get(at));
        let named = named
            .map(|token| token.text.as_str())
            .find(|text| grounds && self.has_verb && is_name(text) && !self.facts.has_named(text));
        named.map_or(ReadMiss::Unknown, |text| ReadMiss::NotThere(text.to_owned()))
    }

    /// Whether a token is a word of the table, which names something only where the slot is for such words.
    fn is_plain(&self, at: usize, kind: SlotKind) -> bool {
        let takes_any = matches!(
            kind,
            SlotKind::Identifier
                | SlotKind::Name
                | SlotKind::Word
                | SlotKind::AnyWord
                | SlotKind::Misspelt
                | SlotKind::Module
                | SlotKind::Key
                | SlotKind::PartOfKey
                | SlotKind::Switch
                | SlotKind::TestWord
                | SlotKind::TestStem
                | SlotKind::NewBranch
                | SlotKind::Target
        );
        let quoted = self.tokens.get(at).is_some_and(|token| token.kind == TokenKind::Quoted);
        let known = self.operation.allows.iter().chain(&TABLE.fillers).chain(self.operation.needs.iter().flatten());
        takes_any && !quoted && known.into_iter().any(|phrase| phrase.len() == 1 && phrase.stands_at(self.tokens, at))
    }

    /// The marker before a token, with nothing but articles between them: its index and length.
    fn marker_before(&self, at: usize, marker: &str) -> Option<(usize, usize)> {
        let markers = TABLE.markers(marker);
        for before in (0..at).rev() {
            let ends = |phrase: &&Phrase| {
                before + 1 >= phrase.len() && phrase.stands_at(self.tokens, before + 1 - phrase.len())
            };
            if let Some(len) = markers.iter().filter(ends).map(Phrase::len).max() {
                return Some((before + 1 - len, len));
            }
            if !TABLE.articles.iter().any(|phrase| phrase.stands_at(self.tokens, before)) {
                return None;
            }
        }
        None
    }

    fn is_used(&self, at: usize) -> bool {
        self.used.get(at).copied().unwrap_or(true)
    }

    fn is_reason(&self, at: usize) -> bool {
        self.prepared.reasons.get(at).copied().unwrap_or(false)
    }

    fn take(&mut self, at: usize, len: usize) {
        for used in self.used.iter_mut().skip(at).take(len) {
            *used = true;
        }
    }

    fn take_all(&mut self, phrase: &Phrase) {
        while let Some(at) = self.find(phrase) {
            self.take(at, phrase.len());
        }
    }

    /// Where the words of a phrase follow each other, are not used yet, and are not those of a reason.
    fn find(&self, phrase: &Phrase) -> Option<usize> {
        (0..self.tokens.len()).find(|at| {
            (0..phrase.len()).all(|offset| !self.is_used(at + offset) && !self.is_reason(at + offset))
                && phrase.stands_at(self.tokens, *at)
        })
    }

    /// The words that mean nothing here. Words about the only place where something stands need no meaning of their own.
    fn unexplained(&self) -> Vec<String> {
        let place = self.place();
        let recipe = self.recipe();
        let is_there = |word: &str| {
            let said = |text: &str| {
                parts(text).iter().any(|part| {
                    part == word || part.strip_suffix('s') == Some(word) || word.strip_suffix('s') == Some(part)
                })
            };
            place.iter().any(|text| said(text)) || recipe.is_some_and(said)
        };
        let describes =
            |at: usize| !place.is_empty() && TABLE.describing.iter().any(|phrase| phrase.stands_at(self.tokens, at));
        let left = |at: &usize| {
            let Some(token) = self.tokens.get(*at) else { return false };
            // A word in capitals is a name, and no word about the place.
            let is_name = token.text.len() > 1 && token.text.chars().all(|letter| letter.is_ascii_uppercase());
            let said = is_there(token.lower.trim_end_matches('/')) && !(is_name && place.is_empty());
            !self.is_used(*at) && !self.is_reason(*at) && !said && !describes(*at)
        };
        let words = (0..self.tokens.len()).filter(left).filter_map(|at| self.tokens.get(at));
        words.map(|token| token.text.clone()).take(MAX_NAMED).collect()
    }

    /// The texts about the only place that the change is at: its line, and the path of its file.
    fn place(&self) -> Vec<&'a str> {
        let file = self.values.get("file").and_then(|files| files.first()).map(String::as_str);
        if let Some(key) = self.values.get("key").and_then(|keys| keys.first()) {
            let of_key = self.facts.keys().iter().filter(|line| line.key == *key);
            let lines: Vec<_> = of_key.filter(|line| file.is_none_or(|file| line.file == file)).take(2).collect();
            return match lines.as_slice() {
                [only] => vec![only.line.as_str(), only.file.as_str()],
                _ => Vec::new(),
            };
        }
        let Some(word) = self.operation.locates.as_deref().and_then(|slot| self.values.get(slot)?.first()) else {
            return Vec::new();
        };
        match self.facts.lines_with(word, file).as_slice() {
            [only] if has_word(only, word) => vec![only],
            _ => Vec::new(),
        }
    }

    fn recipe(&self) -> Option<&'a str> {
        let Some(name) = self.values.get("target").and_then(|names| names.first()) else {
            return self.operation.target(self.facts).map(|target| target.recipe.as_str());
        };
        self.facts.targets.iter().find(|target| target.name == *name).map(|target| target.recipe.as_str())
    }

    fn rendered(&self) -> Result<Reading, ReadMiss> {
        self.operation.is_sound(&self.values, self.facts).then_some(()).ok_or(ReadMiss::Unknown)?;
        let reading = self.operation.rendered(&self.values, &self.options, self.facts).ok_or(ReadMiss::Unknown)?;
        match reading {
            Reading::Change(text) => Ok(Reading::Change(self.in_scope(text)?)),
            Reading::Command(commands) => {
                let does = |word: &&&str| commands.iter().any(|command| has_word(command, word));
                match self.forbidden.iter().find(does) {
                    Some(word) => Err(ReadMiss::NotUnderstood(vec![(*word).to_owned()])),
                    None => Ok(Reading::Command(commands)),
                }
            }
        }
    }

    /// The change once for each file that it is limited to.
    fn in_scope(&self, text: String) -> Result<String, ReadMiss> {
        let Some(scope) = &self.scope else { return Ok(text) };
        let slot = self.operation.scoped.as_deref().unwrap_or_default();
        let word = self.values.get(slot).and_then(|all| all.first()).ok_or(ReadMiss::Unknown)?;
        let files: Vec<&str> = self.facts.files_with(word).filter(|path| scope.has(path)).collect();
        match files.len() {
            0 => Err(ReadMiss::NotThere(word.clone())),
            1..=MAX_SCOPED => Ok(files.iter().map(|path| format!("{text} in {path}")).collect::<Vec<_>>().join("\n")),
            _ => Err(ReadMiss::Unknown),
        }
    }
}
