//! Splits English sentences into clauses and classifies the mood of each. A clause is judged by how it begins; `verb_phrase`
//! judges what a verb governs.

use std::ops::Range;

use crate::speech_act::token::{Token, TokenKind};
use crate::speech_act::verb_phrase::{self, VerbObject};
use crate::speech_act::verbs::VerbForm;
use crate::speech_act::word_lists::{English, LISTS};
use crate::speech_act::{Clause, ClauseVerb, SpeechAct, VerbEffect, put_off, read_sentences, waits};

pub fn clauses(tokens: &[Token]) -> Vec<Clause> {
    read_sentences(tokens, |tokens, asked, clauses| Sentence { tokens, asked, lists: &LISTS }.read(clauses))
}

/// One sentence, up to the mark that ends it.
struct Sentence<'t> {
    tokens: &'t [Token],
    /// It ends with a question mark.
    asked: bool,
    lists: &'static English,
}

/// What separates a clause from the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Joint {
    Start,
    Comma,
    And,
    Or,
    But,
}

/// A parsed clause, and what the next one may inherit from it.
struct Read {
    clause: Clause,
    /// A bare verb may continue it: `we will stop it, delete it`.
    goes_on: bool,
    /// It has a verb of saying: `my boss wrote, …`.
    quotes: bool,
    /// It says what to keep, and what follows may say what not: `keep the newest and delete the rest`.
    keeps: bool,
}

impl Sentence<'_> {
    fn read(&self, clauses: &mut Vec<Clause>) {
        if let Some((at, taken)) = self.lists.jests.find(self.tokens) {
            clauses.push(Clause { settled: true, ..self.plain(0..self.tokens.len(), SpeechAct::Talk, at..at + taken) });
            return;
        }
        let colon = self.tokens.iter().position(|token| token.sort == TokenKind::Mark && token.low == ":");
        if let Some(colon) = colon {
            let label = 0..colon;
            let behind = self.tokens.get(colon + 1..).unwrap_or_default();
            if self.without_manners(label.clone()).0 == colon {
                Sentence { tokens: behind, ..*self }.read(clauses);
                return;
            }
            let named = self.clause(label.clone(), Joint::Start, None).clause;
            if !named.kind.asks_to_act() {
                clauses.push(self.plain(0..self.tokens.len(), SpeechAct::Reported, label));
                return;
            }
        }
        let first = clauses.len();
        let mut before: Option<Read> = None;
        for (piece, joint) in self.pieces() {
            let read = self.clause(piece, joint, before.as_ref());
            clauses.push(read.clause.clone());
            before = Some(read);
        }
        self.alternatives(clauses.get_mut(first..).unwrap_or_default());
        put_off(clauses.get_mut(first..).unwrap_or_default());
        self.wait(clauses.get_mut(first..).unwrap_or_default());
        self.ask_back(clauses.get_mut(first..).unwrap_or_default());
    }

    /// Notes what the orders wait for.
    fn wait(&self, clauses: &mut [Clause]) {
        let acts = |clause: &&Clause| clause.kind.asks_to_act();
        let heads = clauses.iter().filter(acts).flat_map(|clause| &clause.heads);
        let heads = heads.filter(|head| head.act != VerbEffect::Reads);
        let place = |head: &ClauseVerb| self.tokens.iter().position(|token| token.span.start == head.span.start);
        let orders: Vec<usize> = heads.filter_map(place).collect();
        let Some(wait) = waits::of(self.lists, self.tokens, &orders) else { return };
        let (by, over) = (self.span(wait.by), self.span(wait.over));
        let waiting = |clause: &&mut Clause| clause.span.start < over.end && over.start < clause.span.end;
        clauses.iter_mut().filter(waiting).for_each(|clause| clause.waits = Some(by.clone()));
    }

    /// `kill, stop or pause`: verbs without objects, which are alternatives.
    fn alternatives(&self, clauses: &mut [Clause]) {
        let is_bare = |clause: &Clause| clause.heads.first().is_some_and(|head| head.span == clause.span);
        if self.tokens.iter().any(|token| token.is("or")) && clauses.first().is_some_and(is_bare) {
            clauses
                .iter_mut()
                .filter(|clause| clause.kind == SpeechAct::Order)
                .for_each(|clause| clause.kind = SpeechAct::Mention);
        }
    }

    /// `delete it, is that safe?`, `kill the process?`: an order with a question mark is not an order, unless it is a
    /// polite request.
    fn ask_back(&self, clauses: &mut [Clause]) {
        // `try a reboot, they said`
        let mut told = clauses.iter().skip(1).filter(|clause| clause.kind == SpeechAct::Statement);
        let is_quoted = told.any(|clause| {
            let words: Vec<&Token> =
                self.tokens.iter().filter(|token| clause.span.contains(&token.span.start)).collect();
            words.len() <= 5 && words.iter().take(2).any(|token| self.lists.reports.contains(token.low.as_str()))
        });
        if is_quoted {
            clauses
                .iter_mut()
                .filter(|clause| clause.kind.asks_to_act())
                .for_each(|clause| clause.kind = SpeechAct::Reported);
        }
        let polite = clauses.iter().any(|clause| matches!(clause.kind, SpeechAct::HowTo | SpeechAct::Wish));
        let asks_back = clauses.iter().skip(1).any(|clause| clause.kind == SpeechAct::Question);
        for clause in clauses.iter_mut().filter(|clause| clause.kind == SpeechAct::Order) {
            let is_bare = clause.heads.first().is_some_and(|head| head.span == clause.by);
            if (self.asked && !polite || asks_back) && is_bare {
                clause.kind = SpeechAct::Question;
            }
        }
    }

    fn plain(&self, range: Range<usize>, kind: SpeechAct, by: Range<usize>) -> Clause {
        let later = self.lists.later.find(self.tokens.get(range.clone()).unwrap_or_default());
        let later = later.map(|(at, taken)| self.span(range.start + at..range.start + at + taken));
        let settled =
            matches!(kind, SpeechAct::Question | SpeechAct::Statement | SpeechAct::Reported | SpeechAct::Talk)
                && self.is_settled(range.clone());
        Clause {
            span: self.span(range),
            kind,
            by: self.span(by),
            heads: Vec::new(),
            later,
            waits: None,
            frame: None,
            settled,
        }
    }

    /// Whether a clause asks about or tells of the past or a state.
    fn is_settled(&self, range: Range<usize>) -> bool {
        let words = self.tokens.get(range).unwrap_or_default();
        let low = |at: usize| words.get(at).map_or("", |token| token.low.as_str());
        // `I'd appreciate it if the tests were run` is a request.
        let wants = low(0) == "i'd" || low(0) == "i" && matches!(low(1), "need" | "want" | "would" | "wish" | "hope");
        let is_time = words.windows(2).any(|pair| {
            pair[0].is("time") && matches!(pair[1].low.as_str(), "we" | "you" | "to" | "somebody" | "someone")
        });
        let supposes = is_time
            || words.iter().any(|token| {
                matches!(token.low.as_str(), "would" | "might" | "could" | "should" | "about" | "if" | "please")
            });
        if wants || supposes && !matches!(low(0), "who" | "when" | "did") {
            return false;
        }
        let asks = match low(0) {
            "who" | "whose" | "when" | "did" | "didn't" | "didnt" | "was" | "wasn't" | "were" | "weren't" | "has"
            | "hasn't" | "had" | "hadn't" => true,
            "why" | "how" => matches!(low(1), "did" | "was" | "were" | "has" | "had" | "does" | "is" | "come"),
            "have" | "haven't" => matches!(low(1), "you" | "we" | "they" | "i"),
            _ => false,
        };
        let form = |token: &Token| self.lists.verbs.get(&token.low).map(|(_, form)| form);
        let is_past = |token: &Token| token.is_word() && form(token) == Some(VerbForm::Past);
        // `was force pushed`, `were run`
        let is_participle = |token: &Token| {
            let same =
                matches!(token.low.as_str(), "run" | "put" | "set" | "reset" | "cut" | "shut" | "split" | "read");
            token.is_word() && (same || matches!(form(token), Some(VerbForm::Participle | VerbForm::Past)))
        };
        let passive = words.iter().enumerate().any(|(at, token)| {
            let be = matches!(
                token.low.as_str(),
                "is" | "are"
                    | "was"
                    | "were"
                    | "been"
                    | "being"
                    | "got"
                    | "gets"
                    | "has"
                    | "have"
                    | "had"
                    | "i've"
                    | "we've"
                    | "already"
                    | "just"
            );
            be && words.iter().skip(at + 1).take(2).any(is_participle)
        });
        let told = words.windows(2).any(|pair| {
            let subject = matches!(
                pair[0].low.as_str(),
                "i" | "we" | "he" | "she" | "they" | "someone" | "somebody" | "you" | "it"
            );
            subject && matches!(form(&pair[1]), Some(VerbForm::Participle))
        });
        let happened = words.iter().skip(1).any(|token| {
            let same = matches!(
                token.low.as_str(),
                "fixed"
                    | "failed"
                    | "worked"
                    | "helped"
                    | "broke"
                    | "hung"
                    | "crashed"
                    | "solved"
                    | "happened"
                    | "caused"
                    | "succeeded"
                    | "takes"
                    | "deletes"
                    | "removes"
                    | "kills"
                    | "overwrites"
                    | "wipes"
            );
            token.is_word() && same
        });
        asks || passive || told || happened || words.iter().any(is_past)
    }

    /// The byte range of some tokens.
    fn span(&self, range: Range<usize>) -> Range<usize> {
        let start = self.tokens.get(range.start).or(self.tokens.last()).map_or(0, |token| token.span.start);
        let end = range.end.checked_sub(1).and_then(|last| self.tokens.get(last)).map_or(start, |token| token.span.end);
        start..end.max(start)
    }

    fn from(&self, at: usize) -> &[Token] {
        self.tokens.get(at..).unwrap_or_default()
    }

    fn low(&self, at: usize) -> &str {
        self.tokens.get(at).filter(|token| token.sort != TokenKind::Quoted).map_or("", |token| token.low.as_str())
    }

    /// The clauses as token ranges. A comma always separates; a conjunction only where another clause begins behind it.
    fn pieces(&self) -> Vec<(Range<usize>, Joint)> {
        let mut pieces = Vec::new();
        let (mut start, mut joint) = (0, Joint::Start);
        let mut at = 0;
        while at < self.tokens.len() {
            let found = match self.low(at) {
                "," | ":" if self.tokens.get(at).is_some_and(|token| token.sort == TokenKind::Mark) => {
                    Some(Joint::Comma)
                }
                "and" | "then" | "&" | "plus" | "n" if at > start => self.joins(start, at).then_some(Joint::And),
                "or" if at > start => self.joins(start, at).then_some(Joint::Or),
                "but" | "however" | "yet" | "though" | "although" if at > start => {
                    (self.begins(at + 1) || self.tells(at + 1)).then_some(Joint::But)
                }
                "so" | "because" | "cause" | "cos" | "since" if at > start => self.tells(at + 1).then_some(Joint::But),
                _ if at > start && self.runs_on(at) => Some(Joint::Comma),
                // `kill it please do not …`
                "please" | "pls" if at > start => self.forbids(at + 1).then_some(Joint::Comma),
                _ => None,
            };
            if let Some(found) = found {
                if start < at {
                    pieces.push((start..at, joint));
                }
                joint = if joint == Joint::But && start == at { Joint::But } else { found };
                start = if self.runs_on(at) { at } else { at + 1 };
            }
            at += 1;
        }
        if start < self.tokens.len() {
            pieces.push((start..self.tokens.len(), joint));
        }
        pieces
    }

    /// `port 3000 is blocked kill it pls`: an order that nothing separates from the statement before it.
    fn runs_on(&self, at: usize) -> bool {
        let acts =
            self.lists.verbs.get(self.low(at)).is_some_and(|(verb, form)| verb.destroys && form == VerbForm::Base);
        let object = matches!(self.low(at + 1), "it" | "them");
        let ends = matches!(self.low(at + 2), "" | "please" | "pls" | "plz" | "now" | "thx" | "thanks" | ",");
        let English { subjects, determiners, prepositions, finite, adverbs, asks, forbids, .. } = self.lists;
        let before = at.checked_sub(1).map_or("", |before| self.low(before));
        let joins = [subjects, determiners, prepositions, finite].iter().any(|set| set.contains(before))
            || adverbs.is(before)
            || asks.is(before)
            || forbids.is(before)
            || self.lists.polite.is(before)
            || self.lists.verbs.get(before).is_some();
        acts && object && ends && !joins && !before.is_empty()
    }

    /// Whether a conjunction joins clauses. Search terms are joined too: `search for stop and restart in a.log`.
    fn joins(&self, start: usize, at: usize) -> bool {
        // `go ahead and delete it`
        let inside = |from: usize| self.lists.polite.at(self.from(from)).is_some_and(|taken| from + taken > at);
        if (start..at).any(inside) {
            return false;
        }
        if !self.begins(at + 1) {
            return self.tells(at + 1);
        }
        let (head, _) = self.without_manners(start..at);
        let reads = self.lists.verbs.get(self.low(head)).is_some_and(|(verb, _)| verb.reads && !verb.acts);
        if !reads || self.low(at) == "then" || at == head + 1 {
            return true;
        }
        let (verb, _) = self.without_manners(at + 1..self.tokens.len());
        let has_object = self.tokens.get(verb + 1).is_some_and(|token| {
            matches!(token.sort, TokenKind::Name | TokenKind::Quoted)
                || self.lists.determiners.contains(token.low.as_str())
        });
        // Search terms may be verbs, and a noun may look like one: `list logs and backup files`.
        let words = self.tokens.get(head + 1..at).unwrap_or_default();
        let seeks = words.iter().any(|token| self.lists.seeking.contains(token.low.as_str()));
        let mentions = words
            .last()
            .is_some_and(|token| self.lists.verbs.get(&token.low).is_some_and(|(_, form)| form == VerbForm::Base));
        let is_noun = self.lists.kinds.contains(self.low(verb)) || self.lists.nouns.contains(self.low(verb));
        has_object || !(seeks || mentions || is_noun)
    }

    /// Whether an order or a prohibition begins at a place.
    fn begins(&self, at: usize) -> bool {
        let (verb, _) = self.without_manners(at..self.tokens.len());
        let is_verb = self.tokens.get(verb).is_some_and(|token| {
            token.is_word() && self.lists.verbs.get(&token.low).is_some_and(|(_, form)| form == VerbForm::Base)
        });
        is_verb || self.forbids(verb) || self.lists.requests.at(self.from(verb)).is_some()
    }

    fn forbids(&self, at: usize) -> bool {
        let is_clear = matches!(
            self.low(at),
            "don't" | "dont" | "do" | "never" | "without" | "no" | "not" | "keep" | "leave" | "avoid"
        );
        is_clear && self.lists.forbids.at(self.from(at)).is_some()
    }

    /// Whether a subject with its verb, or a question, begins at a place: `and it hangs`, `and what is …`.
    fn tells(&self, at: usize) -> bool {
        let word = self.low(at);
        let is_pointing =
            matches!(word, "this" | "that" | "these" | "those" | "one" | "there" | "it" | "who" | "people");
        let is_finite = self.lists.finite.contains(self.low(at + 1));
        let asks = matches!(
            word,
            "what"
                | "what's"
                | "whats"
                | "why"
                | "who"
                | "who's"
                | "how"
                | "is"
                | "are"
                | "was"
                | "were"
                | "does"
                | "did"
        );
        self.lists.subjects.contains(word) && (!is_pointing || is_finite || word.contains('\'')) || asks
    }

    /// Where the content begins, after greetings, `please` and adverbs; and which polite or contrasting words precede
    /// it.
    fn without_manners(&self, range: Range<usize>) -> (usize, Manners) {
        let mut at = range.start;
        let mut manners = Manners::default();
        while at < range.end {
            let rest = self.tokens.get(at..range.end).unwrap_or_default();
            let tool = || {
                let taken = self.lists.tools.at(rest)?;
                let behind = rest.get(taken..).unwrap_or_default();
                let goes_on = behind.first().is_none_or(|next| {
                    next.is_word()
                        && (self.lists.tools.at(behind).is_some()
                            || self.lists.adverbs.at(behind).is_some()
                            || matches!(next.low.as_str(), "up" | "down")
                                && self.low(at + taken - 1).ends_with("compose")
                            || self.lists.verbs.get(&next.low).is_some_and(|(_, form)| form == VerbForm::Base)
                            || self.lists.howto.at(behind).is_some())
                });
                goes_on.then_some(taken)
            };
            let adverb = || {
                let taken = self.lists.adverbs.at(rest)?;
                // `force` and `clean` are verbs too; before another verb they are adverbs.
                let behind = rest.get(taken)?;
                let is_verb = self.lists.verbs.get(&behind.low).is_some_and(|(_, form)| form == VerbForm::Base);
                let is_adverb = self.lists.adverbs.at(rest.get(taken..)?).is_some();
                (behind.is_word() && (is_verb || is_adverb)).then_some(taken)
            };
            let Some(taken) = self.lists.polite.at(rest).or_else(adverb).or_else(tool) else { break };
            let word = self.low(at);
            manners.please |= matches!(word, "please" | "pls" | "plz" | "kindly" | "plss" | "pleas" | "plese");
            manners.contrasts |= matches!(word, "just" | "only" | "instead" | "rather" | "simply" | "please");
            at += taken;
        }
        (at, manners)
    }

    /// The end of the polite words.
    fn politely(&self, piece: Range<usize>) -> usize {
        let mut at = piece.start;
        while let Some(taken) = self.lists.polite.at(self.tokens.get(at..piece.end).unwrap_or_default()) {
            at += taken;
        }
        at
    }

    fn clause(&self, piece: Range<usize>, joint: Joint, before: Option<&Read>) -> Read {
        let mut clause = self.judge(piece.clone(), joint, before);
        // A clause that depends on a condition is one too.
        let depends = before.is_some_and(|before| before.clause.kind == SpeechAct::Condition) && joint == Joint::Comma;
        if depends && !self.is_existence(before) {
            clause.kind = SpeechAct::Condition;
        }
        let words = self.tokens.get(piece.clone()).unwrap_or_default();
        let goes_on = words.iter().enumerate().any(|(at, token)| {
            let is_modal = matches!(
                token.low.as_str(),
                "to" | "will"
                    | "would"
                    | "can"
                    | "could"
                    | "should"
                    | "must"
                    | "may"
                    | "might"
                    | "shall"
                    | "do"
                    | "does"
                    | "did"
                    | "let"
                    | "gonna"
                    | "wanna"
                    | "gotta"
                    | "have"
                    | "has"
                    | "need"
                    | "going"
            ) || token.low.ends_with("'ll")
                || token.low.ends_with("'d");
            let before = at.checked_sub(1).and_then(|before| words.get(before)).map_or("", |token| token.low.as_str());
            let is_bare = self.lists.verbs.get(&token.low).is_some_and(|(_, form)| form == VerbForm::Base)
                && self.lists.subjects.contains(before);
            token.is_word() && (is_modal || is_bare)
        });
        // `we always stop it, delete it`: a bare verb may continue a clause that has a subject.
        let habitual = words.first().is_some_and(|token| {
            matches!(token.low.as_str(), "i" | "we" | "you" | "they" | "people" | "most" | "many")
        }) && !words.iter().skip(1).take(3).any(|token| self.lists.finite.contains(token.low.as_str()));
        let inherits =
            before.is_some_and(|before| before.goes_on) && clause.kind == SpeechAct::Statement && joint != Joint::Start;
        let goes_on = goes_on || habitual || inherits;
        let quotes = words.iter().any(|token| self.lists.reports.contains(token.low.as_str()));
        let keeps = words.iter().any(|token| matches!(token.low.as_str(), "keep" | "leave" | "preserve" | "spare"));
        Read { clause, goes_on, quotes, keeps }
    }

    fn is_existence(&self, before: Option<&Read>) -> bool {
        let Some(before) = before else { return false };
        let start = self.tokens.iter().position(|token| token.span.start == before.clause.span.start);
        start.is_some_and(|start| self.lists.existence.at(self.from(start)).is_some())
    }

    fn judge(&self, piece: Range<usize>, joint: Joint, before: Option<&Read>) -> Clause {
        let plain = |kind: SpeechAct, by: Range<usize>| self.plain(piece.clone(), kind, by);
        let thanks = self.lists.thanks.at(self.tokens.get(piece.clone()).unwrap_or_default());
        if let Some(taken) = thanks.filter(|taken| matches!(self.low(piece.start + taken), "for" | "to")) {
            return plain(SpeechAct::Thanks, piece.start..piece.start + taken);
        }
        let (at, manners) = self.without_manners(piece.clone());
        let rest = self.tokens.get(at..piece.end).unwrap_or_default();
        if rest.is_empty() {
            return plain(SpeechAct::Talk, piece.clone());
        }
        if let Some(required) = self.required(piece.clone()) {
            let head = ClauseVerb { span: self.span(required.clone()), act: VerbEffect::Light };
            return Clause { heads: vec![head], ..plain(SpeechAct::Wish, required) };
        }
        // `docker compose down`
        let composes = at >= 1
            && matches!(self.low(at - 1), "compose" | "docker-compose")
            && matches!(self.low(at), "up" | "down");
        if composes && !self.has_finite(at..piece.end) && !self.asked {
            let head = ClauseVerb { span: self.span(at..at + 1), act: VerbEffect::Light };
            return Clause { heads: vec![head], ..plain(SpeechAct::Order, at..at + 1) };
        }
        let wakes = self.low(at) == "keep" && rest.last().is_some_and(|token| token.is("awake"));
        if wakes {
            let head = ClauseVerb { span: self.span(at..at + 1), act: VerbEffect::Light };
            return Clause { heads: vec![head], ..plain(SpeechAct::Order, at..at + 1) };
        }
        if let Some(taken) = self.lists.forbids.at(rest) {
            return Clause { heads: self.forbidden(at + taken), ..plain(SpeechAct::Forbids, at..at + taken) };
        }
        if let Some(taken) = self.lists.howto.at(rest) {
            return self.governed(piece.clone(), at + taken, SpeechAct::HowTo, at..at + taken);
        }
        if let Some(taken) = self.lists.requests.at(rest) {
            return match before {
                Some(before) if before.quotes && joint != Joint::Start => plain(SpeechAct::Reported, at..at + taken),
                _ => self.governed(piece.clone(), at + taken, SpeechAct::Order, at..at + taken),
            };
        }
        if let Some(taken) = self.lists.conditions.at(rest).filter(|_| !manners.please) {
            return plain(SpeechAct::Condition, at..at + taken);
        }
        if let Some(taken) = self.lists.wishes.at(rest) {
            return self.governed(piece.clone(), at + taken, SpeechAct::Wish, at..at + taken);
        }
        // `do a git pull`, `do delete a.txt`
        let acts =
            self.lists.verbs.get(self.low(at + 1)).is_some_and(|(verb, form)| verb.acts && form == VerbForm::Base);
        let names =
            self.tokens.get(at + 2).is_some_and(|token| matches!(token.sort, TokenKind::Name | TokenKind::Quoted));
        let does = self.low(at) == "do" && (matches!(self.low(at + 1), "a" | "an" | "the") || acts && names);
        let at = at + usize::from(does && acts);
        let rest = self.tokens.get(at..piece.end).unwrap_or_default();
        if let Some(taken) = self.lists.asks.at(rest).filter(|_| !does) {
            return plain(SpeechAct::Question, at..at + taken);
        }
        let order =
            verb_phrase::governed(self.lists, self.tokens.get(..piece.end).unwrap_or_default(), at, SpeechAct::Order);
        if let Some(order) = order.or_else(|| self.led(at..piece.end)) {
            let bare = if manners.please { piece.start..order.place + 1 } else { order.place..order.place + 1 };
            let clause = self.with(piece.clone(), order, SpeechAct::Order, bare);
            return self.joined(clause, manners, joint, before);
        }
        if let Some(taken) = self.lists.thanks.at(rest) {
            return plain(SpeechAct::Thanks, at..at + taken);
        }
        let tells = self.lists.subjects.contains(self.low(at)) || self.has_finite(at..piece.end);
        let kind = match before.filter(|before| before.clause.kind.asks_to_act() && joint != Joint::But) {
            // With `please` it is not a statement, whatever it is.
            _ if manners.please => SpeechAct::Mention,
            _ if tells => SpeechAct::Statement,
            // `named a, b and c`: the order continues.
            Some(before) => before.clause.kind,
            None => SpeechAct::Mention,
        };
        plain(kind, at..at + 1)
    }

    /// `only I should be able to read a.txt`: a requirement is a request. With `can` alone it states a fact.
    fn required(&self, range: Range<usize>) -> Option<Range<usize>> {
        let only = matches!(self.low(range.start), "only")
            && matches!(self.low(range.start + 1), "me" | "i" | "myself" | "owner" | "the");
        let none = matches!(self.low(range.start), "nobody" | "noone" | "everyone" | "everybody" | "anyone" | "others");
        let place = (range.start..range.end.min(range.start + 6))
            .find(|at| matches!(self.low(*at), "should" | "must" | "can" | "may"))?;
        let verb = (place + 1..range.end.min(place + 6)).find(|at| !matches!(self.low(*at), "be" | "able" | "to"))?;
        let grants = matches!(
            self.low(verb),
            "read" | "write" | "change" | "edit" | "execute" | "access" | "open" | "see" | "modify"
        );
        let excepts = (range.start..place).any(|at| matches!(self.low(at), "but" | "except" | "else"));
        let both = self
            .tokens
            .windows(3)
            .any(|three| three[0].is("only") && matches!(three[1].low.as_str(), "i" | "me") && three[2].is("can"));
        let wants = matches!(self.low(place), "should" | "must") && (only || excepts)
            || self.low(place) == "can" && both && (only || none);
        (wants && grants && !self.asked).then_some(place..verb + 1)
    }

    fn has_finite(&self, range: Range<usize>) -> bool {
        self.tokens
            .get(range)
            .unwrap_or_default()
            .iter()
            .any(|token| token.is_word() && self.lists.finite.contains(token.low.as_str()))
    }

    /// A verb behind a frame.
    fn governed(&self, piece: Range<usize>, from: usize, kind: SpeechAct, by: Range<usize>) -> Clause {
        let (at, _) = self.without_manners(from..piece.end);
        let rest = self.tokens.get(at..piece.end).unwrap_or_default();
        if self.lists.forbids.at(rest).is_some() {
            return self.plain(piece, SpeechAct::Forbids, by.start..at + 1);
        }
        // `would you rather …`, `can you even …`
        if (from..=at)
            .any(|at| matches!(self.low(at), "rather" | "ever" | "even" | "be" | "have" | "imagine" | "believe"))
        {
            return self.plain(piece, SpeechAct::Question, by.start..at + 1);
        }
        match verb_phrase::governed(self.lists, self.tokens.get(..piece.end).unwrap_or_default(), at, kind) {
            Some(order) => self.with(piece, order, kind, by),
            None if kind == SpeechAct::Wish => self.plain(piece, SpeechAct::Statement, by),
            None => self.plain(piece, SpeechAct::Question, by),
        }
    }

    /// The verb behind a prohibition: `don't delete it`, `no deleting`.
    fn forbidden(&self, from: usize) -> Vec<ClauseVerb> {
        let (at, _) = self.without_manners(from..self.tokens.len());
        let verb = self
            .lists
            .verbs
            .get(self.low(at))
            .filter(|(verb, form)| verb.acts && matches!(form, VerbForm::Base | VerbForm::Gerund));
        verb.map(|_| ClauseVerb { span: self.span(at..at + 1), act: VerbEffect::Changes }).into_iter().collect()
    }

    /// `in src, delete …`, `with docker stop …`: an order behind the place or the means.
    fn led(&self, range: Range<usize>) -> Option<VerbObject> {
        const LEADS: [&str; 14] = [
            "in", "on", "under", "inside", "within", "from", "using", "with", "via", "for", "through", "at", "below",
            "into",
        ];
        if !LEADS.contains(&self.low(range.start)) {
            return None;
        }
        let tokens = self.tokens.get(..range.end).unwrap_or_default();
        for at in range.start + 2..range.end {
            let token = tokens.get(at)?;
            if self.lists.subjects.contains(token.low.as_str()) || self.lists.finite.contains(token.low.as_str()) {
                return None;
            }
            let before = self.low(at - 1);
            let is_noun = self.lists.determiners.contains(before) || self.lists.prepositions.contains(before);
            let is_verb = self.lists.verbs.get(&token.low).is_some_and(|(_, form)| form == VerbForm::Base);
            if token.is_word() && is_verb && !is_noun {
                return verb_phrase::governed(self.lists, tokens, at, SpeechAct::Order);
            }
        }
        None
    }

    fn with(&self, piece: Range<usize>, order: VerbObject, kind: SpeechAct, by: Range<usize>) -> Clause {
        let VerbObject { place, act, kind: instead } = order;
        let heads = act.map(|act| ClauseVerb { span: self.span(place..place + 1), act }).into_iter().collect();
        let kind = instead.unwrap_or(kind);
        // A frame adds nothing but the mood; adverbs (`force`, `recursively`) and tools do.
        let framed = if by.end <= place { by.end } else { self.politely(piece.clone()) };
        let is_framed = kind.asks_to_act() && framed > piece.start && framed <= place;
        let frame = is_framed.then(|| self.span(piece.start..framed));
        Clause { heads, frame, ..self.plain(piece, kind, by) }
    }

    /// `and delete the rest`
    fn is_rest(&self, clause: &Clause) -> bool {
        let words = self.tokens.iter().filter(|token| clause.span.contains(&token.span.start));
        words.into_iter().any(|token| {
            matches!(token.low.as_str(), "rest" | "others" | "other" | "remaining" | "else" | "older" | "old")
        })
    }

    /// A bare verb after another clause may belong to that clause: `do not stop it, restart it or delete it`.
    fn joined(&self, clause: Clause, manners: Manners, joint: Joint, before: Option<&Read>) -> Clause {
        let Some(before) = before.filter(|_| joint != Joint::Start && clause.kind == SpeechAct::Order) else {
            return clause;
        };
        let reads = clause.heads.iter().all(|head| head.act == VerbEffect::Reads);
        let contrasts = manners.contrasts || joint == Joint::But;
        let kind = match before.clause.kind {
            SpeechAct::Order | SpeechAct::Wish | SpeechAct::HowTo => before.clause.kind,
            SpeechAct::Forbids if contrasts || reads || before.keeps && self.is_rest(&clause) => SpeechAct::Order,
            SpeechAct::Forbids => SpeechAct::Forbids,
            SpeechAct::Question | SpeechAct::Writing if manners.please => SpeechAct::Order,
            SpeechAct::Question | SpeechAct::Writing | SpeechAct::Condition | SpeechAct::Reported => before.clause.kind,
            // Nouns are joined as well: `difference between kill and stop`.
            SpeechAct::Mention if matches!(joint, Joint::And | Joint::Or) => SpeechAct::Mention,
            SpeechAct::Statement | SpeechAct::Mention if before.quotes => SpeechAct::Reported,
            SpeechAct::Statement | SpeechAct::Mention if before.goes_on && !manners.please => SpeechAct::Statement,
            SpeechAct::Statement | SpeechAct::Mention | SpeechAct::Thanks | SpeechAct::Talk => SpeechAct::Order,
        };
        Clause { kind, ..clause }
    }
}

/// The polite and contrasting words before the content.
#[derive(Clone, Copy, Debug, Default)]
struct Manners {
    please: bool,
    /// `just`, `only`, `instead`
    contrasts: bool,
}
