//! Reads a query: each word with its meaning, the thing it stands for, and whether something of that name exists here.
//! Decides nothing about commands.

mod languages;
mod live_names;

use std::collections::HashSet;
use std::ops::Range;
use std::sync::{Arc, LazyLock};

use aside_commands::world::{DirEntry, FileKind};
use aside_redact::{self as redact, Secret};
use aside_text::speech_act::word_lists::LISTS;
use aside_text::speech_act::{SpeechAct as Said, SpeechActs};

use crate::TranslateContext;
use crate::embedded::entities::{self, Entity};
use crate::embedded::lexicon::{Concept, Lexicon, is_han};
use crate::embedded::tokenize::{self, Token};

pub struct AnalyzedQuery<'a> {
    /// As it was typed, also where the words are a part of it.
    pub request: String,
    pub words: Vec<QueryWord>,
    pub place: TranslateContext<'a>,
    pub lexicon: &'a Lexicon,
    /// Whether the words order, ask or tell, and the verbs of an order.
    pub speech_acts: SpeechActs,
    /// A clause that was left out forbids something by its name: `delete the logs, but don't delete a.log`.
    pub forbids_object: bool,
    /// Bit set of the meanings that occur.
    meant: Vec<u64>,
}

#[derive(Clone, Debug)]
pub struct QueryWord {
    /// As typed, without quotes.
    pub text: String,
    pub low: String,
    /// Byte range in the request.
    pub span: Range<usize>,
    pub concept: Option<Concept>,
    /// A word of the language; otherwise it is unknown, or the name of a tool.
    pub is_spoken: bool,
    pub thing: Option<Entity>,
    /// What exists in this directory under this name, or at this path.
    pub entry: Option<FileKind>,
    /// How much it counts when an answer does not explain it.
    pub weight: f32,
}

/// Which words a draft has explained.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExplainedWords {
    marked: Vec<bool>,
    /// Number of words that are used as names although they mean something.
    guesses: usize,
    /// Words that fill a slot of the command.
    filling: Vec<usize>,
}

/// Weight of a thing: if nothing in the command stands for it, it was probably the point.
const THING: f32 = 1.3;
/// Weight of an unknown name or text.
const UNKNOWN: f32 = 1.0;
/// Subdirectories that are searched for a file.
const MAX_BELOW: usize = 64;
/// Weight of an unknown Chinese character.
const LETTER: f32 = 0.4;

impl ExplainedWords {
    pub fn mark(&mut self, place: usize) {
        if let Some(slot) = self.marked.get_mut(place) {
            *slot = true;
        }
    }

    /// Marks a word that appears in the command itself.
    pub fn fill(&mut self, place: usize) {
        self.mark(place);
        self.filling.push(place);
    }

    pub fn filling(&self) -> &[usize] {
        &self.filling
    }

    pub fn guess(&mut self) {
        self.guesses += 1;
    }

    pub fn guesses(&self) -> usize {
        self.guesses
    }

    pub fn any(&self) -> bool {
        self.marked.contains(&true)
    }

    pub fn has(&self, place: usize) -> bool {
        self.marked.get(place).copied().unwrap_or(true)
    }
}

impl<'a> AnalyzedQuery<'a> {
    pub fn new(request: &str, place: TranslateContext<'a>, lexicon: &'a Lexicon) -> Self {
        let units = units(request, lexicon);
        let speech_acts = SpeechActs::of(request);
        let here = place.world.entries(place.cwd).yes().unwrap_or_else(|| Arc::from([]));
        let mut reader = Reader { units: &units, place, lexicon, here, words: Vec::new() };
        let mut at = 0;
        while at < units.len() {
            at += reader.word(at).max(1);
        }
        let mut words = reader.words;
        unweigh_frames(&mut words, &speech_acts, lexicon);
        unweigh_filler(&mut words);
        unweigh_here(&mut words);
        let forbids_object = leave_out_forbidden(&mut words, &speech_acts, lexicon);
        unweigh_secrets(request, &mut words);
        let mut meant = Vec::new();
        for number in words.iter().filter_map(|word| word.concept).map(Concept::number) {
            if meant.len() <= number / 64 {
                meant.resize(number / 64 + 1, 0_u64);
            }
            meant[number / 64] |= 1 << (number % 64);
        }
        Self { request: request.to_owned(), words, place, lexicon, speech_acts, forbids_object, meant }
    }

    /// Whether any word has this meaning.
    pub fn means(&self, concept: Concept) -> bool {
        let number = concept.number();
        self.meant.get(number / 64).is_some_and(|bits| bits >> (number % 64) & 1 == 1)
    }

    pub fn unused(&self) -> ExplainedWords {
        ExplainedWords { marked: vec![false; self.words.len()], guesses: 0, filling: Vec::new() }
    }

    /// Whether the word at a place has this meaning, which any synonym may name.
    pub fn is(&self, place: usize, meaning: &str) -> bool {
        let wanted = self.lexicon.get(meaning);
        self.words.get(place).is_some_and(|word| wanted.is_some() && word.concept == wanted)
    }

    /// The meaning of the word at a place, as its first synonym; empty when unknown.
    pub fn meaning(&self, place: usize) -> &str {
        let concept = self.words.get(place).and_then(|word| word.concept);
        concept.map_or("", |concept| self.lexicon.text(concept))
    }

    /// The first place with this meaning.
    pub fn find(&self, meaning: &str) -> Option<usize> {
        let wanted = self.lexicon.get(meaning)?;
        self.words.iter().position(|word| word.concept == Some(wanted))
    }

    pub fn has(&self, meaning: &str) -> bool {
        self.find(meaning).is_some()
    }

    /// The first place with any of these meanings.
    pub fn any(&self, meanings: &[&str]) -> Option<usize> {
        meanings.iter().filter_map(|meaning| self.find(meaning)).min()
    }

    /// Marks every word with one of the meanings; returns whether there was one.
    pub fn take(&self, used: &mut ExplainedWords, meanings: &[&str]) -> bool {
        let mut found = false;
        for meaning in meanings {
            let Some(wanted) = self.lexicon.get(meaning) else { continue };
            for (place, word) in self.words.iter().enumerate() {
                if word.concept == Some(wanted) {
                    used.mark(place);
                    found = true;
                }
            }
        }
        found
    }

    /// The weight of all words, and of those that are used.
    pub fn weigh(&self, used: &ExplainedWords) -> (f32, f32) {
        let all = self.words.iter().map(|word| word.weight).sum();
        let marked = self.words.iter().enumerate().filter(|(place, _)| used.has(*place));
        (all, marked.map(|(_, word)| word.weight).sum())
    }

    /// The text as typed from a place to the end.
    pub fn rest(&self, from: usize) -> String {
        let texts: Vec<&str> = self.words.iter().skip(from).map(|word| word.text.as_str()).collect();
        texts.join(" ")
    }

    /// Whether a word is the verb of an order, and so never a name: `delete` in `delete the nginx logs`.
    pub fn is_verb(&self, place: usize) -> bool {
        let Some(word) = self.words.get(place).filter(|word| word.thing.is_none()) else { return false };
        let asks = self.speech_acts.clauses.iter().filter(|clause| clause.kind.asks_to_act());
        let mut heads = asks.flat_map(|clause| &clause.heads);
        heads.any(|head| head.span.start <= word.span.start && word.span.end <= head.span.end)
    }

    /// Whether a program is installed. Counts as installed while that is not known yet.
    pub fn is_installed(&self, program: &str) -> bool {
        self.place.world.has_program(program).yes().unwrap_or(true)
    }
}

/// A token, or one word of a Chinese token.
struct Unit {
    text: String,
    low: String,
    span: Range<usize>,
    is_quoted: bool,
}

fn units(words: &str, lexicon: &Lexicon) -> Vec<Unit> {
    let mut units = Vec::new();
    // Units come in the order of the text, so one forward scan finds their spans.
    let mut read = 0;
    let mut span = |text: &str| {
        let at = words.get(read..).and_then(|rest| rest.find(text)).map_or(read, |found| read + found);
        read = at + text.len();
        at..read
    };
    for Token { text, is_quoted } in tokenize::split(words) {
        if is_quoted || !text.chars().next().is_some_and(is_han) {
            let (low, span) = (text.to_lowercase(), span(&text));
            units.push(Unit { text, low, span, is_quoted });
            continue;
        }
        let mut rest = text.as_str();
        while let Some(letter) = rest.chars().next() {
            let length = lexicon.han(rest).map_or(letter.len_utf8(), |(_, length)| length);
            let word = &rest[..length];
            units.push(Unit { text: word.to_owned(), low: word.to_owned(), span: span(word), is_quoted: false });
            rest = &rest[length..];
        }
    }
    units
}

struct Reader<'r, 'a> {
    units: &'r [Unit],
    place: TranslateContext<'a>,
    lexicon: &'a Lexicon,
    /// The entries of the current directory.
    here: Arc<[DirEntry]>,
    words: Vec<QueryWord>,
}

impl Reader<'_, '_> {
    /// Reads the word at a place, and returns how many units it took.
    fn word(&mut self, at: usize) -> usize {
        let Some(unit) = self.units.get(at) else { return 1 };
        if unit.is_quoted {
            let entry = self.entry(&unit.text);
            // A name with a blank must be quoted; if it exists here, it is a file.
            let is_file = entry.is_some() && unit.text.contains(' ') && entities::is_file_name(&unit.text);
            let text = unit.text.clone();
            let thing = if is_file { Entity::Path(text) } else { Entity::Text(text) };
            self.push(at, 1, None, Some(thing), entry, THING);
            return 1;
        }
        if self.is_a_name(at) {
            let entry = self.entry(&unit.text);
            let thing = entry.map(|_| Entity::Path(unit.text.clone()));
            let weight = if thing.is_some() { THING } else { UNKNOWN };
            self.push(at, 1, None, thing, entry, weight);
            return 1;
        }
        if let Some((thing, taken)) = self.thing(at) {
            let entry = match &thing {
                Entity::Path(path) => self.entry(path),
                _ => None,
            };
            let concept = (taken == 1).then(|| self.lexicon.meaning(&unit.low)).flatten();
            self.push(at, taken, concept, Some(thing), entry, THING);
            return taken;
        }
        if let Some((concept, taken)) = self.phrase(at) {
            self.push(at, taken, Some(concept), None, None, self.lexicon.weight(concept));
            return taken;
        }
        // `main` is a word, but more often a branch. A word without weight is never a name.
        let weighs = |concept: Concept| self.lexicon.weight(concept) >= 1.0;
        let known = self.lexicon.meaning(&unit.low);
        if known.is_none_or(weighs)
            && let Some(thing) = self.live(at, known)
        {
            self.push(at, 1, known, Some(thing), None, THING);
            return 1;
        }
        let entry = self.entry(&unit.text);
        let han =
            self.lexicon.han(&unit.low).filter(|(_, length)| *length == unit.low.len()).map(|(concept, _)| concept);
        if let Some(concept) = han.or_else(|| self.lexicon.meaning(&unit.low)) {
            let is_word = unit.low.chars().all(char::is_alphabetic);
            let named = entry.is_some() && (!is_word || self.is_spoken_of_as_a_name(at));
            let thing = named.then(|| Entity::Path(unit.text.clone()));
            let weight = if named { THING } else { self.lexicon.weight(concept) };
            self.push(at, 1, Some(concept), thing, entry, weight);
            return 1;
        }
        if entry.is_some() {
            self.push(at, 1, None, Some(Entity::Path(unit.text.clone())), entry, THING);
            return 1;
        }
        // Skips the spell check for names: they have characters that words do not have, or a capital inside a sentence.
        let is_word = unit.low.bytes().all(|byte| byte.is_ascii_lowercase()) && (at == 0 || unit.text == unit.low);
        if let Some(concept) = is_word.then(|| self.lexicon.misspelt(&unit.low)).flatten() {
            self.push(at, 1, Some(concept), None, None, self.lexicon.weight(concept));
            return 1;
        }
        let letter = unit.text.chars().count() == 1 && unit.text.chars().next().is_some_and(is_han);
        self.push(at, 1, None, None, None, if letter { LETTER } else { UNKNOWN });
        1
    }

    fn push(
        &mut self,
        at: usize,
        taken: usize,
        concept: Option<Concept>,
        thing: Option<Entity>,
        entry: Option<FileKind>,
        weight: f32,
    ) {
        let units = &self.units[at..(at + taken).min(self.units.len())];
        let texts: Vec<&str> = units.iter().map(|unit| unit.text.as_str()).collect();
        let text = texts.join(" ");
        let low = text.to_lowercase();
        let start = units.first().map_or(0, |unit| unit.span.start);
        let span = start..units.last().map_or(start, |unit| unit.span.end);
        let is_spoken = concept.is_some_and(|concept| self.lexicon.is_spoken(concept));
        self.words.push(QueryWord { text, low, span, concept, is_spoken, thing, entry, weight });
    }

    fn low(&self, at: usize) -> Option<&str> {
        self.units.get(at).filter(|unit| !unit.is_quoted).map(|unit| unit.low.as_str())
    }

    fn phrase(&self, at: usize) -> Option<(Concept, usize)> {
        self.lexicon.phrase(self.low(at)?, |place| self.low(at + 1 + place))
    }

    fn thing(&self, at: usize) -> Option<(Entity, usize)> {
        let unit = self.units.get(at)?;
        let (text, low) = (unit.text.as_str(), unit.low.as_str());
        let before = at.checked_sub(1).and_then(|before| self.low(before)).unwrap_or_default();
        let after = self.low(at + 1).unwrap_or_default();
        let lows: Vec<&str> =
            self.units[at..].iter().take(5).take_while(|unit| !unit.is_quoted).map(|unit| unit.low.as_str()).collect();
        let speaks_of_rights = || {
            self.units.iter().any(|unit| {
                matches!(unit.low.as_str(), "chmod" | "permission" | "permissions" | "perms" | "mode" | "权限")
            })
        };
        if entities::is_url(text) {
            return Some((Entity::Url(text.to_owned()), 1));
        }
        if let Some(port) = port(low, before, at.checked_sub(2).and_then(|two| self.low(two)), after)
            .or_else(|| self.served(low, before))
        {
            return Some((Entity::Port(port), 1));
        }
        if entities::is_mode(low) && (low.contains(['+', '=']) || low.len() == 9 || speaks_of_rights()) {
            return Some((Entity::Mode(text.to_owned()), 1));
        }
        if let Some((time, taken)) = entities::time(&lows) {
            return Some((Entity::Time(time), taken));
        }
        if let Some((size, taken)) = entities::size(low, self.low(at + 1)) {
            return Some((Entity::Size(size), taken));
        }
        // `with the one on main`: it stands for something that was said before.
        let is_pronoun = matches!(before, "the" | "this" | "that" | "another")
            && matches!(
                after,
                "" | "on" | "in" | "from" | "at" | "of" | "with" | "under" | "inside" | "i" | "that" | "which"
            );
        let is_number = low != "one" || !is_pronoun && !matches!(after, "line" | "liner" | "per" | "by" | "big");
        if let Some(number) = entities::number(low).filter(|_| is_number) {
            return Some((Entity::Number(number), 1));
        }
        if entities::is_address(low) {
            return Some((Entity::Address(text.to_owned()), 1));
        }
        if entities::is_elsewhere(text) || self.is_at_host(text) {
            return Some((Entity::Elsewhere(text.to_owned()), 1));
        }
        if entities::is_email(low) {
            return Some((Entity::Email(text.to_owned()), 1));
        }
        if low.len() > 1
            && low
                .strip_prefix('$')
                .is_some_and(|name| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'))
        {
            return Some((Entity::Variable(text.to_owned()), 1));
        }
        if entities::is_commit(text) && self.entry(text).is_none() {
            return Some((Entity::Commit(text.to_owned()), 1));
        }
        // `the access log` is access.log, where that exists.
        if entities::kind(after).is_some() && !self.is_new(before) {
            let name = format!("{text}.{after}");
            if let Some(path) = self.entry(&name).map(|_| name.clone()).or_else(|| self.deeper(&name)) {
                return Some((Entity::Path(path), 2));
            }
        }
        let of_files = matches!(
            after,
            "file" | "files" | "script" | "scripts" | "source" | "sources" | "code" | "文件" | "脚本" | "代码"
        ) || entities::is_language(low) && self.is_written_in(at);
        if self.entry(text).is_none() {
            if let Some(ending) = entities::ending(low) {
                return Some((Entity::Kind(vec![ending]), 1));
            }
            if let Some(kind) = entities::kind(low).filter(|_| of_files || entities::is_only_a_kind(low)) {
                return Some((Entity::Kind(kind), 1));
            }
        } else if let Some(kind) = entities::kind(low).filter(|_| matches!(after, "files" | "scripts")) {
            return Some((Entity::Kind(kind), 1));
        }
        let is_pattern = text.contains('*') || text.contains('[') && text.contains(']') || text.contains('?');
        if is_pattern && find(&self.here, text).is_none() {
            return Some((Entity::Glob(text.to_owned()), 1));
        }
        // `the branch feature/login` is a path only if it exists.
        let says_branch = |word: &str| matches!(word, "branch" | "branches" | "tag" | "分支" | "标签");
        if (says_branch(before) || says_branch(after))
            && text.contains('/')
            && !text.starts_with(['/', '.', '~'])
            && self.entry(text).is_none()
        {
            return None;
        }
        if self.is_path(text) {
            let elsewhere = entities::is_file_name(text)
                && self.entry(text).is_none()
                && !self.is_new(before)
                && !self.is_sought(at);
            let path = elsewhere.then(|| self.deeper(text)).flatten();
            return Some((Entity::Path(path.unwrap_or_else(|| text.to_owned())), 1));
        }
        entities::is_host(low).then(|| (Entity::Host(text.to_owned()), 1))
    }

    /// A number that can only be a port: `what runs on 8080`.
    fn served(&self, low: &str, before: &str) -> Option<u16> {
        const SERVES: &[&str] = &[
            "listen",
            "listens",
            "listening",
            "running",
            "runs",
            "process",
            "server",
            "using",
            "uses",
            "serve",
            "serving",
            "ports",
            "bound",
            "port",
            "localhost",
            "kill",
            "free",
        ];
        let spoken = || self.units.iter().any(|unit| SERVES.contains(&unit.low.as_str()));
        let number = low.parse::<u16>().ok().filter(|number| *number >= 80)?;
        (matches!(before, "on" | "using" | "uses" | "at") && spoken()).then_some(number)
    }

    fn is_path(&self, text: &str) -> bool {
        if matches!(text, "." | ".." | "~" | "/")
            || text.starts_with("./")
            || text.starts_with("../")
            || text.starts_with("~/")
        {
            return true;
        }
        if text.starts_with('.') && text.len() > 2 && !text.contains('/') {
            return text[1..].starts_with(|letter: char| letter.is_ascii_alphabetic());
        }
        if entities::is_file_name(text) && (self.entry(text).is_some() || !entities::is_host(&text.to_lowercase())) {
            return true;
        }
        if !text.contains('/') {
            return false;
        }
        let is_known = |part: &str| self.lexicon.meaning(&part.to_lowercase()).is_some();
        // `and/or`, `tcp/udp` and `origin/main` are no paths.
        text.starts_with('/') || text.ends_with('/') || self.entry(text).is_some() || !text.split('/').any(is_known)
    }

    /// What exists under this name here, as far as the world knows.
    fn entry(&self, text: &str) -> Option<FileKind> {
        if text.is_empty() || text.contains('\0') {
            return None;
        }
        let path = text.trim_end_matches('/');
        match path.rsplit_once('/') {
            None => find(&self.here, path),
            Some((directory, name)) => {
                let directory = if directory.is_empty() {
                    "/".to_owned()
                } else if let Some(rest) = directory.strip_prefix('~') {
                    format!("{}{rest}", self.place.world.home())
                } else if directory.starts_with('/') {
                    directory.to_owned()
                } else {
                    let inner = directory.trim_start_matches("./");
                    format!("{}/{inner}", self.place.cwd.trim_end_matches('/'))
                };
                find(&self.place.world.entries(&directory).yes()?, name)
            }
        }
    }

    /// Whether a name after this word, or in this query, is one that does not exist yet.
    fn is_new(&self, before: &str) -> bool {
        const MAKES: &[&str] = &["create", "touch", "new", "mkdir", "创建", "新建"];
        matches!(before, "called" | "named" | "as") || self.units.iter().any(|unit| MAKES.contains(&unit.low.as_str()))
    }

    /// Whether the query asks where this name is: `where is app.js`, `find the file app.js`.
    fn is_sought(&self, at: usize) -> bool {
        const FILLS: &[&str] = &["the", "my", "is", "a", "file", "files", "me", "did", "i", "put", "文件"];
        const SEEKS: &[&str] =
            &["find", "locate", "where", "where's", "wheres", "search", "找", "找到", "查找", "找一下"];
        const ASKS: &[&str] = &["在哪", "在哪里", "在哪儿", "哪里", "位置"];
        let mut before = (0..at).rev().map(|place| self.low(place).unwrap_or_default());
        let leads = before.find(|low| !FILLS.contains(low)).is_some_and(|low| SEEKS.contains(&low));
        let asks = self.low(at + 1).is_some_and(|low| ASKS.contains(&low));
        asks || leads && at + 1 == self.units.len()
    }

    /// The path of a file that is named as if it were here but is in exactly one subdirectory.
    fn deeper(&self, name: &str) -> Option<String> {
        if name.contains('/') {
            return None;
        }
        let is_open = |entry: &&DirEntry| {
            entry.kind == FileKind::Directory
                && !entry.name.starts_with('.')
                && !matches!(&*entry.name, "node_modules" | "target" | "vendor")
        };
        let below = self.here.iter().filter(is_open).take(MAX_BELOW);
        let mut found = below.filter_map(|directory| {
            let path = format!("{}/{}", self.place.cwd.trim_end_matches('/'), directory.name);
            let entries = self.place.world.entries(&path).yes()?;
            find(&entries, name).map(|_| format!("{}/{name}", directory.name))
        });
        // With two matches it is ambiguous.
        found.next().filter(|_| found.next().is_none())
    }

    /// `in src`, `the docs folder`: an ordinary word that is also the name of something here.
    fn is_spoken_of_as_a_name(&self, at: usize) -> bool {
        const BEFORE: &[&str] = &[
            "in",
            "into",
            "to",
            "from",
            "inside",
            "under",
            "within",
            "of",
            "called",
            "named",
            "file",
            "folder",
            "directory",
            "dir",
            "at",
            "and",
            "到",
            "进",
            "从",
            "把",
            "将",
            "on",
        ];
        const AFTER: &[&str] = &["file", "folder", "directory", "dir", "目录", "文件夹"];
        let before = at.checked_sub(1).and_then(|before| self.low(before)).unwrap_or_default();
        let earlier = at.checked_sub(2).and_then(|before| self.low(before)).unwrap_or_default();
        let after = self.low(at + 1).unwrap_or_default();
        let says_so = |word: &str| BEFORE.contains(&word);
        let is_plain =
            self.lexicon.meaning(&self.units[at].low).is_none_or(|concept| self.lexicon.weight(concept) >= 1.0);
        is_plain
            && (says_so(before)
                || after == "端口"
                || matches!(before, "the" | "my") && says_so(earlier)
                || AFTER.contains(&after))
    }

    /// `called backup`, `a new folder old`, `the Documents directory`: a word that is used only as a name, whatever
    /// else it means.
    fn is_a_name(&self, at: usize) -> bool {
        const NAMED: &[&str] = &["called", "named", "名为", "叫", "叫做", "名叫", "命名为"];
        const DIRECTORY: &[&str] =
            &["folder", "directory", "dir", "subfolder", "subdirectory", "mkdir", "目录", "文件夹", "子目录"];
        const MAKES: &[&str] = &["create", "make", "mkdir", "add", "创建", "新建", "建立", "建"];
        const NOT: &[&str] = &["empty", "hidden", "temporary", "nested", "new", "tar", "zip", "missing", "single"];
        let Some(unit) = self.units.get(at) else { return false };
        let low = unit.low.as_str();
        let is_letters = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        if low.len() < 2 || !low.bytes().all(is_letters) || !low.bytes().any(|byte| byte.is_ascii_alphabetic()) {
            return false;
        }
        let Some(concept) = self.lexicon.meaning(low) else {
            // `called jpgs`: a kind of file is a name here too.
            let before = at.checked_sub(1).and_then(|before| self.low(before)).unwrap_or_default();
            return NAMED.contains(&before) && entities::kind(low).is_some();
        };
        let said = |place: Option<usize>| place.and_then(|place| self.low(place)).unwrap_or_default();
        let (before, after) = (said(at.checked_sub(1)), said(Some(at + 1)));
        let weighs = self.lexicon.weight(concept) > 0.3;
        if NAMED.contains(&before) {
            return weighs && self.phrase(at).is_none();
        }
        let is_noun = |word: &str| DIRECTORY.contains(&word);
        if is_noun(low) || NOT.contains(&low) {
            return false;
        }
        if self.entry(&unit.text).is_some() {
            let is_spelled = at > 0 && unit.text != unit.low;
            return is_spelled || is_noun(after) && weighs || is_noun(before) && weighs && !self.leads_on(at);
        }
        let makes = self.units.iter().take(3).any(|unit| MAKES.contains(&unit.low.as_str()));
        let ends = matches!(after, "" | "and" | "in" | "inside" | "under" | "here" | "," | "if");
        makes
            && weighs
            && (is_noun(before) && ends && !self.leads_on(at)
                || is_noun(after) && (matches!(before, "a" | "an" | "new" | "一个") || MAKES.contains(&before)))
    }

    /// `the folder size`, `directory contents`, `folder recursively`: the word asks about the folder and is not its
    /// name.
    fn leads_on(&self, at: usize) -> bool {
        const ABOUT: &[&str] = &[
            "size",
            "sizes",
            "contents",
            "content",
            "structure",
            "tree",
            "listing",
            "names",
            "name",
            "recursively",
            "recursive",
            "permissions",
            "here",
            "only",
            "usage",
            "exists",
            "count",
            "path",
            "empty",
        ];
        self.low(at).is_some_and(|low| ABOUT.contains(&low))
    }
}

/// Takes the weight and meaning from words that only introduce an order: `what is the best way to`, `麻烦你`.
fn unweigh_frames(words: &mut [QueryWord], speech_acts: &SpeechActs, lexicon: &Lexicon) {
    let polite = lexicon.get("please");
    for frame in speech_acts.clauses.iter().filter_map(|clause| clause.frame.as_ref()) {
        let inside = |word: &&mut QueryWord| {
            frame.start <= word.span.start && word.span.end <= frame.end && word.thing.is_none()
        };
        for word in words.iter_mut().filter(inside) {
            word.weight = 0.0;
            word.concept = polite;
            word.is_spoken = true;
            // Otherwise the `to` of `I want to copy a.txt` would read as a destination.
            word.low = "please".to_owned();
        }
    }
}

/// Takes the weight from `under the current directory`, `in this folder`: commands work there anyway.
fn unweigh_here(words: &mut [QueryWord]) {
    const IN: &[&str] = &["in", "under", "below", "inside", "within", "beneath"];
    const HERE: &[&str] = &["the", "this", "my", "our", "current", "present", "working"];
    const PLACES: &[&str] = &["directory", "folder", "dir", "tree", "hierarchy"];
    let is_any = |word: Option<&QueryWord>, known: &[&str]| word.is_some_and(|word| known.contains(&word.low.as_str()));
    for start in 0..words.len() {
        if !is_any(words.get(start), IN) {
            continue;
        }
        let count =
            |from: usize, known: &[&str]| (from..words.len()).take_while(|at| is_any(words.get(*at), known)).count();
        let said = count(start + 1, HERE);
        let places = count(start + 1 + said, PLACES);
        let is_here = (start + 1..=start + said).any(|at| !is_any(words.get(at), &["the", "my", "our"]));
        if is_here && places > 0 {
            words.iter_mut().skip(start).take(1 + said + places).for_each(|word| word.weight = 0.0);
        }
    }
}

/// Takes the weight from filler such as `honestly` or `I think`, but only if the words are otherwise unknown.
fn unweigh_filler(words: &mut [QueryWord]) {
    static FILLER: LazyLock<HashSet<&str>> = LazyLock::new(|| {
        let lines = include_str!("../../data/translate/filler.txt").lines().filter(|line| !line.starts_with('#'));
        lines.flat_map(str::split_whitespace).collect()
    });
    let is_filler = |word: &&mut QueryWord| {
        word.concept.is_none() && word.thing.is_none() && word.entry.is_none() && FILLER.contains(word.low.as_str())
    };
    words.iter_mut().filter(is_filler).for_each(|word| word.weight = 0.0);
}

/// Takes the weight from secrets, so that no command gains by containing one.
fn unweigh_secrets(request: &str, words: &mut [QueryWord]) {
    for Secret { span, .. } in redact::secrets(request) {
        let inside = |word: &&mut QueryWord| word.span.start < span.end && span.start < word.span.end;
        for word in words.iter_mut().filter(inside) {
            (word.thing, word.entry, word.weight) = (None, None, 0.0);
        }
    }
}

/// Removes forbidden clauses: `don't delete the logs, just list them` is answered by the rest. Keeps what a rule may
/// respect: `but keep the changes`, `without overwriting`, and what limits a search. Returns whether something was forbidden by its name.
fn leave_out_forbidden(words: &mut [QueryWord], speech_acts: &SpeechActs, lexicon: &Lexicon) -> bool {
    const PRONOUNS: &[&str] = &["it", "them", "that", "this", "anything", "any", "me", "yet", "please", "它", "它们"];
    let mut forbids_object = false;
    if !speech_acts.clauses.iter().any(|clause| clause.kind.asks_to_act()) {
        return false;
    }
    let polite = lexicon.get("please");
    let low = |words: &[QueryWord], span: &Range<usize>| {
        words.iter().find(|word| word.span == *span).map(|word| word.low.clone())
    };
    for clause in speech_acts.clauses.iter().filter(|clause| clause.kind == Said::Forbids) {
        let by = low(words, &clause.by).unwrap_or_default();
        let ends = clause.heads.iter().any(|head| {
            low(words, &head.span).is_some_and(|verb| {
                verb.chars().any(is_han) || LISTS.verbs.get(&verb).is_some_and(|(verb, _)| verb.destroys)
            })
        });
        if !ends || matches!(by.as_str(), "keep" | "leave" | "without" | "preserve" | "保留" | "留着") {
            continue;
        }
        let inside = |word: &&mut QueryWord| clause.span.start <= word.span.start && word.span.end <= clause.span.end;
        let is_head = |word: &QueryWord| clause.heads.iter().any(|head| head.span == word.span);
        let names = |word: &&QueryWord| {
            (word.thing.is_some() || word.entry.is_some() || word.weight >= 0.3)
                && !is_head(word)
                && !PRONOUNS.contains(&word.low.as_str())
                && word.span.start >= clause.heads.first().map_or(0, |head| head.span.end)
        };
        forbids_object |= words.iter().filter(|word| inside(&&mut (*word).clone())).any(|word| names(&word));
        for word in words.iter_mut().filter(inside) {
            *word = QueryWord {
                low: "please".to_owned(),
                concept: polite,
                is_spoken: true,
                thing: None,
                entry: None,
                weight: 0.0,
                ..word.clone()
            };
        }
    }
    forbids_object
}

fn find(entries: &[DirEntry], name: &str) -> Option<FileKind> {
    entries.iter().find(|entry| &*entry.name == name).map(|entry| entry.kind)
}

/// `:3000`, `localhost:3000`, or a number that is called a port.
fn port(low: &str, before: &str, earlier: Option<&str>, after: &str) -> Option<u16> {
    let number = |text: &str| text.parse::<u16>().ok().filter(|port| *port > 0);
    if let Some(port) = low.strip_prefix(':').and_then(number) {
        return Some(port);
    }
    if let Some((host, port)) =
        low.split_once(':').filter(|(host, _)| *host == "localhost" || entities::is_address(host))
    {
        let _ = host;
        return number(port);
    }
    let says_so = |word: &str| matches!(word, "port" | "ports" | "端口");
    (says_so(before)
        || after == "端口"
        || matches!(before, "number" | "no" | "=" | "is") && earlier.is_some_and(says_so))
    .then(|| number(low))
    .flatten()
}
