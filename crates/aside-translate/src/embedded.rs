//! The engine that needs no model. `analysis` reads a query, every domain and rule drafts commands from it, and `rank`
//! chooses among them by how many of the words each explains. Rules are data (`data/translate`); what is too free for a
//! rule is a domain written in code.

mod accounted;
#[cfg(test)]
mod adversarial;
mod analysis;
mod arithmetic;
mod authorize;
mod bulk;
mod draft;
mod dropped;
mod entities;
mod existence;
#[cfg(test)]
mod fake;
mod files;
#[cfg(test)]
mod guard_tests;
#[cfg(test)]
mod harmless;
mod learned;
mod lexicon;
mod manifest;
mod matching;
mod multiword_names;
mod project;
mod rank;
mod remote;
mod rephrase;
mod rules;
mod schedule;
mod shell_syntax;
mod slots;
mod text;
mod tokenize;
mod vetted;

#[cfg(test)]
mod tests;

use std::sync::LazyLock;

use aside_redact as redact;
use aside_text::speech_act::{SpeechAct, SpeechActs};

use crate::embedded::analysis::AnalyzedQuery;
use crate::embedded::bulk::Named;
use crate::embedded::draft::{Draft, Objects};
use crate::embedded::files::follow::{self, Change};
use crate::embedded::learned::{FrameScores, verify};
use crate::embedded::lexicon::Lexicon;
use crate::embedded::rules::Rule;
pub use crate::embedded::vetted::vetted;
use crate::{Completeness, Proposal, ProposalSource, TranslateQuery, read_only};

/// Bytes of a query; longer text is not a query.
const MAX_WISH: usize = 2000;
/// Confidence of a change to the request before, of which every word is understood.
const FOLLOWS: f32 = 0.92;

/// Drafts commands in code, beside the rules.
type Domain = fn(&AnalyzedQuery<'_>) -> Vec<Draft>;

const DOMAINS: &[Domain] = &[files::draft, text::draft, project::draft, manifest::draft];

/// The built-in words and rules, parsed on first use.
static BOOK: LazyLock<Book> = LazyLock::new(Book::new);

struct Book {
    lexicon: Lexicon,
    rules: Vec<Rule>,
}

macro_rules! data {
    ($name:literal) => {
        ($name, include_str!(concat!("../data/translate/", $name)))
    };
}

const WORDS: &[(&str, &str)] = &[
    data!("common.words"),
    data!("files.words"),
    data!("text.words"),
    data!("git.words"),
    data!("system.words"),
    data!("dev.words"),
    data!("phrases.words"),
    data!("chinese.words"),
];
const RULES: &[(&str, &str)] = &[
    data!("seed.rules"),
    data!("files.rules"),
    data!("text.rules"),
    data!("git.rules"),
    data!("system.rules"),
    data!("dev.rules"),
];
/// The long tail of rules, whose words are not added to the lexicon.
const TAIL: &[(&str, &str)] = &[
    data!("docker.rules"),
    data!("kubernetes.rules"),
    data!("systemd.rules"),
    data!("packages.rules"),
    data!("node.rules"),
    data!("python.rules"),
    data!("languages.rules"),
    data!("ssh.rules"),
    data!("web.rules"),
    data!("crypto.rules"),
    data!("tmux.rules"),
    data!("media.rules"),
    data!("database.rules"),
    data!("cloud.rules"),
    data!("shell.rules"),
    data!("admin.rules"),
    data!("desktop.rules"),
];

impl Book {
    fn new() -> Self {
        let mut lexicon = Lexicon::parse(WORDS.iter().map(|(_, text)| *text));
        rules::learn(RULES, &mut lexicon);
        let mut rules = Vec::new();
        for (file, text) in RULES {
            rules::parse(file, text, &lexicon, &mut rules);
        }
        for (file, text) in TAIL {
            rules::parse(file, text, &lexicon, &mut rules);
        }
        Self { lexicon, rules }
    }
}

/// Answers, the best first; empty when the query is not understood.
pub fn answer(query: &TranslateQuery<'_>) -> Vec<Proposal> {
    // A mark that stands alone at the end is no pattern: `delete all jpg files ?`
    let marked = query.words.trim_end().strip_suffix('?').filter(|rest| rest.ends_with(' '));
    let joined = marked.map(|rest| format!("{}?", rest.trim_end()));
    let query = &TranslateQuery { words: joined.as_deref().unwrap_or(query.words), ..*query };
    let said = rephrase::rephrase(query.words).filter(|_| query.words.len() <= MAX_WISH);
    let known = said
        .map(|said| answer_part(&TranslateQuery { words: &said, place: query.place, limit: query.limit }, query.words));
    let known = known.filter(|known| !known.is_empty()).unwrap_or_else(|| answer_part(query, query.words));
    if known.first().is_some_and(|best| best.nearness == Completeness::Answer) {
        return known;
    }
    let part = asking_part(query.words)
        .map(|words| answer_part(&TranslateQuery { words, ..*query }, query.words))
        .unwrap_or_default();
    let confidence = |answers: &[Proposal]| answers.first().map_or(0.0, |best| best.confidence);
    if confidence(&part) > confidence(&known) { part } else { known }
}

/// Answers a request that changes those before it, the oldest first: `only the big ones`. `None` for a request that
/// stands for itself, and where the requests before have no typed form that could be changed.
pub fn follow_up(query: &TranslateQuery<'_>, before: &[String]) -> Option<Vec<Proposal>> {
    let change = Change::of(query.words)?;
    let (first, changes) = before.split_first()?;
    let read = |words: &str| {
        let reading = AnalyzedQuery::new(words, query.place, &BOOK.lexicon);
        let typed = follow::typed(&reading)?;
        Some((reading, typed))
    };
    let (reading, mut typed) = read(first)?;
    // What was shown must have been this query, and not the command of a rule.
    let shown = answer(&TranslateQuery { words: first, place: query.place, limit: 1 }).into_iter().next()?;
    if follow::command(&reading, &typed)?.0 != shown.command {
        return None;
    }
    for change in changes.iter().map(|words| Change::of(words)).chain([Some(change)]) {
        typed = match change? {
            Change::Plain => follow::plain(&typed),
            Change::Query(words) => follow::changed(&typed, read(&words)?.1)?,
        };
    }
    let (command, about) = follow::command(&reading, &typed)?;
    let is_bare_list = command == "ls" || command.starts_with("ls ") && !command.starts_with("ls -");
    let command = match Change::of(query.words)? {
        Change::Plain if is_bare_list => command.replacen("ls", "ls -1", 1),
        Change::Plain | Change::Query(_) => command,
    };
    // `only the quuxy ones`: an unknown word is no name.
    let draft = Draft {
        command: command.clone(),
        about: about.clone(),
        used: reading.unused(),
        objects: Objects::Spelled,
        doubt: 0.0,
        specific: 0,
        rule: "files",
    };
    let said = AnalyzedQuery::new(query.words, query.place, &BOOK.lexicon);
    let invents = authorize::invents(&said, &draft) || authorize::spells_unknown(&said, &draft);
    if invents || !read_only::is_read_only(&command, query.place.dialect) {
        return None;
    }
    let (source, nearness) = (ProposalSource::Embedded, Completeness::Answer);
    Some(vec![Proposal { command, source, confidence: FOLLOWS, about, nearness }])
}

/// The one clause of a request that asks for something, without the story around it: `my folder got huge, can you list
/// the five largest files?` `None` when that clause refers back to the story.
fn asking_part(words: &str) -> Option<&str> {
    const BACK: &[&str] =
        &["it", "its", "them", "they", "those", "these", "that", "there", "their", "this", "它", "它们", "那个"];
    let speech_acts = SpeechActs::of(words);
    let is_story = |kind: SpeechAct| matches!(kind, SpeechAct::Statement | SpeechAct::Talk | SpeechAct::Thanks);
    let mut asking = speech_acts.clauses.iter().filter(|clause| !is_story(clause.kind));
    let clause = asking.next().filter(|_| asking.next().is_none())?;
    let story = speech_acts.clauses.iter().filter(|clause| is_story(clause.kind));
    let is_plain = |text: &str| {
        !text.contains(['/', '.', '"', '\'', '`', '~', '_']) && !text.bytes().any(|byte| byte.is_ascii_digit())
    };
    // What limits the request is no story: `delete a.json, but only if it is empty`.
    const LIMITS: &[&str] = &["if", "unless", "except", "excluding", "besides", "only", "如果", "除非", "除了", "只"];
    let limits = |text: &str| text.split(|letter: char| !letter.is_alphanumeric()).any(|word| LIMITS.contains(&word));
    let mut told = story.filter_map(|clause| words.get(clause.span.clone()));
    let asks = clause.kind.asks_to_act() || clause.kind == SpeechAct::Question;
    let part = words.get(clause.span.clone()).filter(|part| asks && part.len() < words.len())?;
    let mut parts = part.split(|letter: char| !letter.is_alphanumeric());
    let speaks_back = parts.any(|word| BACK.contains(&word.to_lowercase().as_str()));
    (told.all(|text| is_plain(text) && !limits(text)) && !speaks_back).then_some(part)
}

/// Like `answer`, for words that a caller took out of a request or rephrased. The mood of the whole request counts as
/// well, so that `can I delete a.txt` is not answered as `delete a.txt` is.
pub fn answer_part(query: &TranslateQuery<'_>, request: &str) -> Vec<Proposal> {
    if query.words.len() > MAX_WISH {
        return Vec::new();
    }
    let book = &*BOOK;
    let words = remote::spelled(dropped::unguarded(query.words));
    let words = multiword_names::quoted(&words, &query.place);
    let mut reading = AnalyzedQuery::new(&words, query.place, &book.lexicon);
    request.clone_into(&mut reading.request);
    if reading.speech_acts.only_forbids() {
        return Vec::new();
    }
    if request != query.words && !SpeechActs::of(request).asks_to_act() {
        reading.speech_acts = SpeechActs::default();
    }
    let heard = FrameScores::of(&reading, learned::embedded_weights());
    let mut drafts = candidates(&reading, &heard);
    // Drops drafts that contain a password from the query.
    let secrets: Vec<&str> = redact::secrets(query.words)
        .into_iter()
        .filter_map(|secret| query.words.get(secret.span))
        .filter(|secret| secret.len() > 2)
        .collect();
    drafts.retain(|draft| !secrets.iter().any(|secret| draft.command.contains(secret)));
    rank::rank(&reading, drafts, &heard, query.limit)
}

/// Whether a request changes the one before it, and means nothing alone: `only the big ones`.
pub fn leans_on_another(words: &str) -> bool {
    Change::of(words).is_some()
}

/// For a request without an answer, the words that the likeliest draft does not explain.
pub fn not_understood(query: &TranslateQuery<'_>) -> Option<String> {
    let words = query.words.get(..MAX_WISH).unwrap_or(query.words);
    let reading = AnalyzedQuery::new(words, query.place, &BOOK.lexicon);
    let heard = FrameScores::of(&reading, learned::embedded_weights());
    let weighed = rank::weigh(&reading, candidates(&reading, &heard), &heard);
    let best = weighed.into_iter().max_by(|one, two| one.confidence.total_cmp(&two.confidence))?;
    let left: Vec<usize> = verify::unexplained(&reading, &heard, &best.draft)
        .into_iter()
        .filter_map(|(at, _)| heard.tokens.get(at).map(|token| token.place))
        .collect();
    let first = *left.first()?;
    let last = left.iter().copied().zip(first..).take_while(|(place, next)| place == next).last()?.0;
    let (start, end) = (reading.words.get(first)?.span.start, reading.words.get(last)?.span.end);
    // In scripts without blanks a word of ours may be a part of one.
    let start = words.get(..start)?.rfind(char::is_whitespace).map_or(0, |at| at + 1);
    let end = words.get(end..)?.find(char::is_whitespace).map_or(words.len(), |at| end + at);
    words.get(start..end).map(str::to_owned)
}

/// Rules that the learned classifier may add to those whose words match.
const LEARNED: usize = 3;

/// All drafts for a query: from the domains, from rules whose words match, and from rules that the learned classifier
/// proposes.
fn candidates(reading: &AnalyzedQuery<'_>, heard: &FrameScores<'_>) -> Vec<Draft> {
    let mut drafts = drafts(reading);
    for frame in heard.best(LEARNED) {
        let name = heard.weights.frames().get(frame).copied().unwrap_or_default();
        let Some(rule) = BOOK.rules.iter().find(|rule| rule.name == name) else { continue };
        if drafts.iter().any(|draft| draft.rule == rule.name) {
            continue;
        }
        let known = heard.known(frame);
        let places = heard.tokens.iter().zip(known).filter(|(_, known)| *known).map(|(token, _)| token.place);
        drafts.extend(matching::learned(rule, reading, &places.collect::<Vec<_>>()));
    }
    let named = Named::of(reading);
    let confined = |draft: Draft| {
        let command = bulk::confined(&draft.command, named, &reading.place)?;
        let command = bulk::safe_patterns(&command, &reading.place);
        let command = dropped::guarded(&reading.request, &command, reading.place.dialect);
        if !accounted::is_accounted_for(reading, &command) {
            return None;
        }
        // What was said about the command before may not hold any more.
        let about = if command == draft.command { draft.about } else { bulk::about(&command) };
        Some(Draft { command, about, ..draft })
    };
    drafts.into_iter().filter_map(confined).collect()
}

/// The drafts of domains and of rules whose words match, before ranking.
fn drafts(reading: &AnalyzedQuery<'_>) -> Vec<Draft> {
    let book = &*BOOK;
    let mut drafts: Vec<Draft> = DOMAINS.iter().flat_map(|domain| domain(reading)).collect();
    drafts.extend(book.rules.iter().flat_map(|rule| matching::drafts(rule, reading)));
    drafts
}
