//! Splits Chinese sentences into clauses and classifies the mood of each. There are no blanks and no verb forms; what
//! stands before the verb, after it and at the end decides. A clause is an order only if nothing precedes its verb that
//! orders do not have there.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

use crate::speech_act::token::{Token, TokenKind};
use crate::speech_act::verbs::VerbForm;
use crate::speech_act::word_lists::{LISTS, sections};
use crate::speech_act::{Clause, ClauseVerb, SpeechAct, VerbEffect, put_off, read_sentences};

const CHINESE: &str = include_str!("../../data/speech_act/chinese.words");

/// Characters before `怎么`; with more it is a sentence about something.
const MAX_ASKING: usize = 14;

/// Stands for a name, or a word of another language.
const NAME: char = '#';
/// The same for an English verb in its base form: `kill 掉`, `push 到`.
const VERB: char = '¤';

struct Lists {
    acts: Words,
    reads: Words,
    light: Words,
    speaks: Words,
    polite: Words,
    requests: Words,
    wishes: Words,
    howto: Words,
    asking: Words,
    manner: Words,
    forbids: Words,
    others: Words,
    asks: Words,
    asks_loosely: Words,
    conditions: Words,
    condition_ends: Words,
    awaits: Words,
    await_ends: Words,
    undone: Words,
    compounds: Words,
    kept: Words,
    tells: Words,
    tails: Words,
    nicely: Words,
    thanks: Words,
    jests: Words,
    later: Words,
    settled: Words,
    allows: Words,
    in_time: Words,
    leads: Words,
    texts: Words,
    details: Words,
}

static WORDS: LazyLock<Lists> = LazyLock::new(|| {
    let sections = sections(CHINESE);
    let words = |name: &str| Words::new(sections.get(name).map(Vec::as_slice).unwrap_or_default());
    Lists {
        acts: words("acts"),
        reads: words("reads"),
        light: words("light"),
        speaks: words("speaks"),
        polite: words("polite"),
        requests: words("requests"),
        wishes: words("wishes"),
        howto: words("howto"),
        asking: words("asking"),
        manner: words("manner"),
        forbids: words("forbids"),
        others: words("others"),
        asks: words("asks"),
        asks_loosely: words("asks-loosely"),
        conditions: words("conditions"),
        condition_ends: words("condition-ends"),
        awaits: words("awaits"),
        await_ends: words("await-ends"),
        undone: words("undone"),
        compounds: words("compounds"),
        kept: words("kept"),
        tells: words("tells"),
        tails: words("tails"),
        nicely: words("nicely"),
        thanks: words("thanks"),
        jests: words("jests"),
        later: words("later"),
        settled: words("settled"),
        allows: words("allows"),
        in_time: words("in-time"),
        leads: words("leads"),
        texts: words("texts"),
        details: words("details"),
    }
});

/// Words by their first and by their last character, the longest first.
struct Words {
    first: HashMap<char, Vec<Vec<char>>>,
    last: HashMap<char, Vec<Vec<char>>>,
}

impl Words {
    fn new(items: &[&str]) -> Self {
        let mut words: Vec<Vec<char>> = items.iter().map(|item| item.chars().collect()).collect();
        words.sort_by_key(|word| std::cmp::Reverse(word.len()));
        let (mut first, mut last): (HashMap<char, Vec<_>>, HashMap<char, Vec<_>>) = Default::default();
        for word in words {
            let (Some(begins), Some(ends)) = (word.first().copied(), word.last().copied()) else { continue };
            first.entry(begins).or_default().push(word.clone());
            last.entry(ends).or_default().push(word);
        }
        Self { first, last }
    }

    /// The length of the longest word that a text begins with.
    fn at(&self, text: &[char]) -> Option<usize> {
        self.first.get(text.first()?)?.iter().find(|word| text.starts_with(word)).map(Vec::len)
    }

    /// The length of the longest word that a text ends with.
    fn ends(&self, text: &[char]) -> Option<usize> {
        self.last.get(text.last()?)?.iter().find(|word| text.ends_with(word)).map(Vec::len)
    }

    fn find(&self, text: &[char]) -> Option<(usize, usize)> {
        (0..text.len()).find_map(|at| Some((at, self.at(text.get(at..)?)?)))
    }
}

pub fn clauses(tokens: &[Token]) -> Vec<Clause> {
    read_sentences(tokens, sentence)
}

fn sentence(tokens: &[Token], asked: bool, clauses: &mut Vec<Clause>) {
    let whole = Piece::of(tokens, asked);
    if let Some((at, taken)) = WORDS.jests.find(&whole.letters) {
        clauses.push(whole.plain(SpeechAct::Talk, at..at + taken));
        return;
    }
    if let Some(colon) = tokens.iter().position(|token| token.sort == TokenKind::Mark && token.low == ":") {
        let label = Piece::of(tokens.get(..colon).unwrap_or_default(), false);
        if label.without_manners(0).0 == label.letters.len() {
            sentence(tokens.get(colon + 1..).unwrap_or_default(), asked, clauses);
            return;
        }
        if !label.judge(None).kind.asks_to_act() {
            clauses.push(whole.plain(SpeechAct::Reported, 0..label.letters.len()));
            return;
        }
    }
    let first = clauses.len();
    let mut before: Option<Clause> = None;
    for piece in tokens.split(|token| token.sort == TokenKind::Mark && matches!(token.low.as_str(), "," | ":")) {
        for part in Piece::of(piece, asked).parts() {
            let clause = part.judge(before.as_ref());
            clauses.push(clause.clone());
            // Small talk does not affect what follows it.
            if before.is_none() || !matches!(clause.kind, SpeechAct::Talk | SpeechAct::Thanks) {
                before = Some(clause);
            }
        }
    }
    let said = clauses.get_mut(first..).unwrap_or_default();
    put_off(said);
    if let Some(by) = whole.waits() {
        let waiting = |clause: &&mut Clause| clause.span.end > by.start;
        said.iter_mut().filter(waiting).for_each(|clause| clause.waits = Some(by.clone()));
    }
    let asks_back = said.iter().skip(1).any(|clause| clause.kind == SpeechAct::Question);
    for clause in said.iter_mut().filter(|clause| clause.kind == SpeechAct::Order) {
        let is_bare = clause.heads.first().is_some_and(|head| head.span == clause.by);
        if (asked || asks_back) && is_bare {
            clause.kind = SpeechAct::Question;
        }
    }
}

/// A clause as characters, each with the token that it stands for.
struct Piece<'t> {
    tokens: &'t [Token],
    letters: Vec<char>,
    places: Vec<usize>,
    asked: bool,
}

impl<'t> Piece<'t> {
    fn of(tokens: &'t [Token], asked: bool) -> Self {
        let (mut letters, mut places) = (Vec::new(), Vec::new());
        for (place, token) in tokens.iter().enumerate() {
            let letter = match token.sort {
                TokenKind::Han => token.low.chars().next().unwrap_or(NAME),
                TokenKind::Word
                    if LISTS.verbs.get(&token.low).is_some_and(|(verb, form)| verb.acts && form == VerbForm::Base) =>
                {
                    VERB
                }
                TokenKind::Word | TokenKind::Name | TokenKind::Quoted => NAME,
                TokenKind::Mark => continue,
            };
            letters.push(letter);
            places.push(place);
        }
        Self { tokens, letters, places, asked }
    }

    fn slice(&self, range: Range<usize>) -> Piece<'t> {
        let letters = self.letters.get(range.clone()).unwrap_or_default().to_vec();
        let places = self.places.get(range).unwrap_or_default().to_vec();
        Piece { tokens: self.tokens, letters, places, asked: self.asked }
    }

    /// What the order behind it waits for: `等构建通过再删除分支`, `明天删除日志`.
    fn waits(&self) -> Option<Range<usize>> {
        let starts = |at: usize| {
            let place = self.places.get(at).copied().unwrap_or_default();
            let before = place.checked_sub(1).and_then(|before| self.tokens.get(before));
            before.is_none_or(|before| before.sort == TokenKind::Mark)
        };
        (0..self.letters.len()).find_map(|at| {
            let rest = self.rest(at);
            let begins = |at: usize| starts(at) || self.without_manners(0).0 == at;
            let awaits = WORDS.awaits.at(rest).filter(|_| begins(at) && WORDS.others.at(rest).is_none());
            let taken = awaits.or_else(|| WORDS.await_ends.at(rest)).or_else(|| WORDS.later.at(rest))?;
            let behind = self.rest(at + taken);
            let orders = |place: usize| {
                let rest = behind.get(place..).unwrap_or_default();
                let taken = WORDS.acts.at(rest).or((rest.first() == Some(&VERB)).then_some(1));
                taken.is_some_and(|taken| WORDS.undone.at(rest.get(taken..).unwrap_or_default()).is_none())
            };
            let describes = behind.first() == Some(&'的');
            (!describes && (0..behind.len()).any(orders)).then(|| self.span(at..at + taken))
        })
    }

    /// Splits where another verb is joined: `找出大文件并删除`.
    fn parts(self) -> Vec<Piece<'t>> {
        const JOINS: [&[char]; 8] =
            [&['然', '后'], &['接', '着'], &['并', '且'], &['但', '是'], &['不', '过'], &['并'], &['但'], &['再']];
        let mut cuts = vec![0];
        for at in 1..self.letters.len() {
            let rest = self.letters.get(at..).unwrap_or_default();
            let Some(join) = JOINS.iter().find(|join| rest.starts_with(join)) else { continue };
            let behind = rest.get(join.len()..).unwrap_or_default();
            let before = self.letters.get(at - 1).copied().unwrap_or_default();
            let is_verb = WORDS.acts.at(behind).is_some()
                || WORDS.reads.at(behind).is_some()
                || WORDS.forbids.at(behind).is_some()
                || matches!(behind.first(), Some('把' | '将' | '请' | '帮' | '只' | '先'));
            let is_inner = matches!(before, '合' | '不' | '经' | '已');
            if is_verb && !is_inner {
                cuts.push(at);
            }
        }
        cuts.push(self.letters.len());
        cuts.windows(2).map(|cut| self.slice(cut[0]..cut[1])).filter(|part| !part.letters.is_empty()).collect()
    }

    fn span(&self, range: Range<usize>) -> Range<usize> {
        let token = |at: usize| self.places.get(at).and_then(|place| self.tokens.get(*place));
        let start =
            token(range.start).or(token(self.places.len().saturating_sub(1))).map_or(0, |token| token.span.start);
        let end = range.end.checked_sub(1).and_then(token).map_or(start, |token| token.span.end);
        start..end.max(start)
    }

    fn plain(&self, kind: SpeechAct, by: Range<usize>) -> Clause {
        let later = WORDS.later.find(&self.letters).map(|(at, taken)| self.span(at..at + taken));
        let done =
            self.letters.last() == Some(&'了') && !self.letters.iter().any(|letter| matches!(letter, '把' | '将'));
        let wants = self.letters.iter().any(|letter| matches!(letter, '该' | '吧' | '给' | '别'))
            || WORDS.allows.find(&self.letters).is_some();
        let settled = !kind.asks_to_act()
            && kind != SpeechAct::Condition
            && !wants
            && (done || self.outside(&WORDS.settled, 0..self.letters.len()).is_some());
        Clause {
            span: self.span(0..self.letters.len()),
            kind,
            by: self.span(by),
            heads: Vec::new(),
            later,
            waits: None,
            frame: None,
            settled,
        }
    }

    fn rest(&self, at: usize) -> &[char] {
        self.letters.get(at..).unwrap_or_default()
    }

    /// Where the content begins, and the polite forms before it.
    fn without_manners(&self, mut at: usize) -> (usize, Manners) {
        let mut manners = Manners::default();
        loop {
            let rest = self.rest(at);
            let is_other = WORDS.others.at(rest).is_some();
            if let Some(taken) = WORDS.requests.at(rest) {
                manners.asks_nicely = true;
                at += taken;
            } else if let Some(taken) = WORDS.wishes.at(rest).filter(|_| !is_other) {
                manners.wishes = true;
                at += taken;
                manners.takes |= matches!(self.letters.get(at - 1), Some('把'));
            } else if let Some(taken) = WORDS.polite.at(rest).filter(|taken| {
                // `重新加载` is a verb, although `重新` alone is an adverb.
                let is_verb = WORDS.acts.at(rest).is_some_and(|verb| verb > *taken);
                !is_verb && !is_other && WORDS.asking_for(rest).is_none()
            }) {
                let said = rest.get(..taken).unwrap_or_default();
                manners.orders |= said.iter().any(|letter| matches!(letter, '请' | '帮' | '烦' | '托' | '驾'))
                    || said == ['给', '我'];
                manners.contrasts |= matches!(said, ['只'] | ['只', '要'] | ['直', '接'] | ['就'] | ['只', '需', '要']);
                at += taken;
                manners.takes |= matches!(self.letters.get(at - 1), Some('把'));
            } else {
                return (at, manners);
            }
        }
    }

    fn judge(&self, before: Option<&Clause>) -> Clause {
        let (at, manners) = self.without_manners(0);
        let rest = self.rest(at);
        if rest.is_empty() {
            return self.plain(SpeechAct::Talk, 0..self.letters.len());
        }
        let depends = before.is_some_and(|before| before.kind == SpeechAct::Condition);
        if depends {
            return self.plain(SpeechAct::Condition, 0..1);
        }
        if let Some(how) = self.how_to() {
            return how;
        }
        if let Some(taken) = WORDS.thanks.at(rest).filter(|_| !manners.orders) {
            return self.plain(SpeechAct::Thanks, at..at + taken);
        }
        if let Some(taken) = WORDS.conditions.at(rest).filter(|_| WORDS.others.at(rest).is_none()) {
            return self.plain(SpeechAct::Condition, at..at + taken);
        }
        // `禁止 bluetooth 服务开机自启` is an order to a machine.
        let bans = rest.starts_with(&['禁', '止', NAME]);
        if let Some(taken) = WORDS.forbids.at(rest).filter(|_| WORDS.others.at(rest).is_none() && !bans) {
            let verb = self.verb(at + taken, self.letters.len()).filter(|verb| self.act(verb) != VerbEffect::Reads);
            let heads =
                verb.map(|verb| ClauseVerb { act: self.act(&verb), span: self.span(verb) }).into_iter().collect();
            return Clause { heads, ..self.plain(SpeechAct::Forbids, at..at + taken) };
        }
        let nicely =
            (manners.asks_nicely || manners.orders).then(|| WORDS.nicely.ends(&self.letters)).flatten().unwrap_or(0);
        let end = self.tail(at, nicely);
        let asks =
            WORDS.asks.find(self.letters.get(at..end).unwrap_or_default()).map(|(asks, taken)| (at + asks, taken));
        if let Some((asks, taken)) = asks.or_else(|| self.outside(&WORDS.asks_loosely, at..end)) {
            return self.plain(SpeechAct::Question, asks..asks + taken);
        }
        match self.order(at, end, manners) {
            Ok(heads) => {
                let kind = if manners.wishes { SpeechAct::Wish } else { SpeechAct::Order };
                let bare = heads.first().map_or(at..at + 1, |head| head.clone());
                let polite = manners.orders || manners.asks_nicely || manners.wishes;
                let by = if polite { 0..at.max(1) } else { bare };
                let heads =
                    heads.into_iter().map(|head| ClauseVerb { act: self.act(&head), span: self.span(head) }).collect();
                let frame = (at > 0).then(|| self.span(0..at));
                self.joined(Clause { heads, frame, ..self.plain(kind, by) }, manners, before)
            }
            // `新建用户 x，密码为 y`: the order continues.
            Err(_) if before.is_some_and(|before| before.kind.asks_to_act()) && WORDS.details.at(rest).is_some() => {
                self.plain(before.map_or(SpeechAct::Mention, |before| before.kind), at..at + 1)
            }
            Err(kind) => self.plain(kind, at..at + 1),
        }
    }

    fn act(&self, head: &Range<usize>) -> VerbEffect {
        let rest = self.rest(head.start);
        let longest = |words: &Words| words.at(rest).unwrap_or(0);
        match longest(&WORDS.acts) {
            acts if longest(&WORDS.reads) > acts => VerbEffect::Reads,
            acts if acts > 0 && longest(&WORDS.light) == acts => VerbEffect::Light,
            _ => VerbEffect::Changes,
        }
    }

    /// The end without final particles and polite endings.
    fn tail(&self, at: usize, nicely: usize) -> usize {
        let mut end = self.letters.len() - nicely;
        while let Some(taken) = WORDS.tails.ends(self.letters.get(at..end).unwrap_or_default()) {
            if taken >= end - at {
                break;
            }
            end -= taken;
        }
        end
    }

    /// The first of some words that does not modify a noun: no `的` follows it.
    fn outside(&self, words: &Words, range: Range<usize>) -> Option<(usize, usize)> {
        let text = self.letters.get(range.clone()).unwrap_or_default();
        let mut at = 0;
        while at < text.len() {
            let rest = text.get(at..).unwrap_or_default();
            match (WORDS.others.at(rest), words.at(rest)) {
                (Some(other), _) => at += other,
                (None, Some(taken)) => {
                    let behind = rest.get(taken..).unwrap_or_default();
                    let describes =
                        behind.iter().position(|letter| *letter == '的').is_some_and(|of| of + 1 < behind.len());
                    if !describes {
                        return Some((range.start + at, taken));
                    }
                    at += taken;
                }
                (None, None) => at += 1,
            }
        }
        None
    }

    /// `怎么删除远程分支`, `git 如何撤销提交`; not `怎么又重启了`.
    fn how_to(&self) -> Option<Clause> {
        let (how, taken) = WORDS.howto.find(&self.letters).filter(|(how, _)| *how <= MAX_ASKING)?;
        if WORDS.asks.at(self.rest(how)).is_some_and(|asks| asks > taken) {
            return None;
        }
        let mut at = 0;
        while at < how {
            let rest = self.rest(at);
            let is_place = rest.first().is_some_and(|letter| matches!(*letter, NAME | VERB));
            at += WORDS.asking.at(rest).or_else(|| WORDS.polite.at(rest)).or(is_place.then_some(1))?;
        }
        let mut at = how + taken;
        let takes = self.letters.get(at - 1) == Some(&'把');
        while let Some(manner) = WORDS.manner.at(self.rest(at)) {
            at += manner;
        }
        let end = self.tail(at, WORDS.nicely.ends(self.rest(at)).unwrap_or(0));
        if self.letters.get(end.saturating_sub(1)) == Some(&'了') {
            return None;
        }
        let manners = Manners { takes, wishes: true, ..Manners::default() };
        let heads = self.order(at, end, manners).ok()?;
        let heads = heads.into_iter().map(|head| ClauseVerb { act: self.act(&head), span: self.span(head) }).collect();
        let frame = Some(self.span(how..how + taken));
        Some(Clause { heads, frame, ..self.plain(SpeechAct::HowTo, how..how + taken) })
    }

    /// The verbs of an order, or the kind that the clause is instead.
    fn order(&self, at: usize, end: usize, manners: Manners) -> Result<Vec<Range<usize>>, SpeechAct> {
        let text = self.letters.get(..end).unwrap_or_default();
        let rest = text.get(at..).unwrap_or_default();
        if let Some(taken) = WORDS.speaks.at(rest).filter(|taken| WORDS.acts.at(rest).is_none_or(|acts| acts < *taken))
        {
            let _ = taken;
            return Err(SpeechAct::Writing);
        }
        let explicit = manners.orders || manners.asks_nicely || manners.wishes;
        let takes = manners.takes || matches!(rest.first(), Some('把' | '将'));
        if takes {
            let from = at + usize::from(matches!(rest.first(), Some('把' | '将')));
            let verbs = self.verbs(from, end);
            let Some(last) = verbs.last().cloned() else { return Err(SpeechAct::Statement) };
            self.undone(&last, end, true, explicit)?;
            return Ok(verbs);
        }
        if let Some(verb) = self.verb(at, end) {
            self.undone(&verb, end, false, explicit)?;
            return Ok(vec![verb]);
        }
        let leads = WORDS.leads.at(rest).is_some() || self.in_time(at, end);
        let names = matches!(rest.first(), Some(&NAME | &VERB));
        if !leads && !names {
            return Err(if WORDS.acts.find(rest).is_some() { SpeechAct::Statement } else { SpeechAct::Mention });
        }
        let verbs = self.verbs(at, end);
        let (Some(verb), Some(last)) = (verbs.first().cloned(), verbs.last().cloned()) else {
            return Err(SpeechAct::Mention);
        };
        let lead = self.letters.get(at..verb.start).unwrap_or_default();
        // `给删死代码这个提交…`: nothing stands between.
        if WORDS.leads.at(rest).is_some_and(|taken| taken >= lead.len()) && !self.in_time(at, end) {
            return Err(SpeechAct::Statement);
        }
        if ['了', '被', '又', '会', '都', '每', '人', '我', '你', '他', '她', '就', '也', '让', '说']
            .iter()
            .any(|letter| lead.contains(letter))
        {
            return Err(SpeechAct::Statement);
        }
        if lead.contains(&'写') {
            return Err(SpeechAct::Writing);
        }
        // `nginx 重启一下` is an order; `nginx 重启` may be anything.
        let is_tool = lead.len() == 1
            && self.token(at).is_some_and(|token| LISTS.tools.at(std::slice::from_ref(token)).is_some());
        let softened =
            self.letters.len() > end
                || text.get(verb.end - 1..).unwrap_or_default().windows(2).any(|pair| {
                    matches!(pair, ['一', '下'] | ['成' | '为' | '叫' | '到', NAME | VERB]) || pair[0] == '掉'
                });
        let topics = !self.in_time(at, end) && matches!(rest.first(), Some(&NAME))
            || matches!(rest.first(), Some('当' | '这' | '那' | '本' | '该' | '所' | '全' | '整'));
        if topics && !is_tool && !softened && !manners.orders && !manners.asks_nicely {
            return Err(SpeechAct::Statement);
        }
        self.undone(&last, end, false, explicit)?;
        Ok(verbs)
    }

    fn token(&self, at: usize) -> Option<&Token> {
        self.places.get(at).and_then(|place| self.tokens.get(*place))
    }

    /// `十分钟后`
    fn in_time(&self, at: usize, end: usize) -> bool {
        let text = self.letters.get(at..end.min(at + 8)).unwrap_or_default();
        WORDS.in_time.find(text).is_some_and(|(place, _)| {
            let number = text.get(..place).unwrap_or_default();
            !number.is_empty() && number.iter().all(|letter| "一二两三四五六七八九十百半几#".contains(*letter))
        })
    }

    /// A verb at exactly this position.
    fn verb(&self, at: usize, end: usize) -> Option<Range<usize>> {
        let rest = self.letters.get(at..end)?;
        if rest.first() == Some(&VERB) {
            return Some(at..at + 1);
        }
        let taken = WORDS.acts.at(rest).max(WORDS.reads.at(rest))?;
        (WORDS.others.at(rest).is_none_or(|other| other <= taken)).then_some(at..at + taken)
    }

    /// The verbs from a position on, without those that modify a noun: `已删除的文件`.
    fn verbs(&self, from: usize, end: usize) -> Vec<Range<usize>> {
        let mut verbs = Vec::new();
        let mut at = from;
        while at < end {
            let rest = self.letters.get(at..end).unwrap_or_default();
            if let Some(other) = WORDS.others.at(rest) {
                at += other;
                continue;
            }
            let han = rest.first() != Some(&VERB);
            match WORDS.acts.at(rest).filter(|_| han) {
                Some(taken) => {
                    let behind = rest.get(taken..).unwrap_or_default();
                    let describes =
                        behind.iter().position(|letter| *letter == '的').is_some_and(|of| of + 1 < behind.len());
                    if !describes {
                        verbs.push(at..at + taken);
                    }
                    at += taken;
                }
                None if rest.first() == Some(&VERB) && at > from => {
                    verbs.push(at..at + 1);
                    at += 1;
                }
                None => at += 1,
            }
        }
        verbs
    }

    /// Whether the words after the verb change its meaning.
    fn undone(&self, verb: &Range<usize>, end: usize, takes: bool, explicit: bool) -> Result<(), SpeechAct> {
        let behind = self.letters.get(verb.end..end).unwrap_or_default();
        let verb_text = self.letters.get(verb.clone()).unwrap_or_default();
        let ends_in_done = behind.last() == Some(&'了') || behind.is_empty() && verb_text.last() == Some(&'了');
        let is_done = behind.first() == Some(&'了');
        if is_done && behind.len() > 1 || ends_in_done && !takes {
            return Err(SpeechAct::Statement);
        }
        if WORDS.undone.at(behind).is_some() {
            return Err(SpeechAct::Mention);
        }
        // `清空日志`, `删除记录`: logs and records are files here.
        let works =
            verb_text.first().is_some_and(|letter| "清删导存备压打截归移复拷恢保抹擦查看运执跑".contains(*letter));
        let is_thing = WORDS.compounds.at(behind).is_some_and(|taken| {
            let ends = behind.get(taken).is_none_or(|next| matches!(next, '的' | '在' | '里' | '有' | '和'));
            ends && !(works && WORDS.kept.at(behind) == Some(taken))
        });
        if is_thing && !explicit {
            return Err(SpeechAct::Mention);
        }
        if WORDS.condition_ends.ends(behind).is_some() || behind.ends_with(&['时']) || behind.ends_with(&['后']) {
            return Err(SpeechAct::Condition);
        }
        if behind.ends_with(&['没'])
            || behind.ends_with(&['没', '有'])
            || behind.ends_with(&['不'])
            || behind.ends_with(&['否'])
        {
            return Err(SpeechAct::Question);
        }
        if self.outside(&WORDS.tells, verb.end..end).is_some() {
            return Err(SpeechAct::Statement);
        }
        let writes = verb_text.first().is_some_and(|letter| "写生创添加增补新建".contains(*letter));
        // `添加测试`: the last verb is a noun there.
        let noun = self.letters.get(verb.start.saturating_sub(2)..verb.start).unwrap_or_default();
        let adds = WORDS.texts.at(verb_text).is_some()
            && (noun.ends_with(&['添', '加']) || noun.ends_with(&['增', '加']) || noun.ends_with(&['加']));
        if adds || writes && WORDS.texts.ends(behind).is_some() {
            return Err(SpeechAct::Writing);
        }
        Ok(())
    }

    /// A bare verb after another clause may belong to that clause.
    fn joined(&self, clause: Clause, manners: Manners, before: Option<&Clause>) -> Clause {
        let Some(before) = before else { return clause };
        let explicit = manners.orders || manners.asks_nicely;
        let reads = clause.heads.iter().all(|head| head.act == VerbEffect::Reads);
        let takes = self.letters.contains(&'把') || self.letters.contains(&'将');
        let done = self.letters.last() == Some(&'了');
        let kind = match before.kind {
            SpeechAct::Order | SpeechAct::Wish | SpeechAct::HowTo => before.kind,
            SpeechAct::Forbids if reads || explicit || manners.contrasts => clause.kind,
            SpeechAct::Forbids => SpeechAct::Forbids,
            SpeechAct::Question
            | SpeechAct::Writing
            | SpeechAct::Statement
            | SpeechAct::Reported
            | SpeechAct::Mention
                if explicit =>
            {
                clause.kind
            }
            SpeechAct::Statement | SpeechAct::Mention if takes && !done => clause.kind,
            SpeechAct::Question
            | SpeechAct::Writing
            | SpeechAct::Statement
            | SpeechAct::Condition
            | SpeechAct::Reported
            | SpeechAct::Mention => before.kind,
            SpeechAct::Thanks | SpeechAct::Talk => clause.kind,
        };
        Clause { kind, ..clause }
    }
}

impl Lists {
    /// `请问`: a question follows.
    fn asking_for(&self, text: &[char]) -> Option<usize> {
        self.asking.at(text).filter(|_| text.starts_with(&['请', '问']))
    }
}

/// The polite forms before the content.
#[derive(Clone, Copy, Debug, Default)]
struct Manners {
    /// `请`, `帮我`
    orders: bool,
    /// `能不能帮我`
    asks_nicely: bool,
    /// `我想`
    wishes: bool,
    /// `只`, `直接`
    contrasts: bool,
    /// The object comes first: `把`.
    takes: bool,
}
