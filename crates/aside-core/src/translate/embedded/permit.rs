//! Whether a request asks for what a draft would change. What only reads may answer anything; what changes something needs an order, a
//! wish or a question for the command (`mood`), must answer the verb of that clause, and may name only what stands there as an object.

use std::ops::Range;

use crate::line::{self, Dialect};
use crate::mood::lists::{English, LISTS};
use crate::mood::verbs::Form;
use crate::mood::{Act, Clause, Head, Kind};
use crate::translate::embedded::draft::{Draft, Objects};
use crate::translate::embedded::lexicon::is_han;
use crate::translate::embedded::reading::{Reading, Word};
use crate::translate::reads::only_reads;

/// Words of a text that is written as it stands; what is longer is a sentence about something.
const MAX_TEXT: usize = 12;
/// What a word weighs that a command has to answer.
const WEIGHS: f32 = 0.3;

/// Whether a draft may be shown for this request, as the answer or as another one.
pub fn permits(reading: &Reading<'_>, draft: &Draft) -> bool {
    only_reads(&draft.command, reading.place.dialect) && !searches_without_verb(reading, draft)
        || reading.mood.orders().any(|order| is_ordered(reading, draft, order))
            && !is_forbidden(reading, draft)
            && names_only_objects(reading, draft)
}

/// Whether the draft is about every verb that is ordered: a search is nothing close to `delete Q3 report.txt`.
pub fn answers_verbs(reading: &Reading<'_>, draft: &Draft) -> bool {
    let orders = reading.mood.clauses.iter().filter(|clause| clause.kind.asks_to_act());
    let mut verbs = orders.flat_map(|clause| &clause.heads).filter(|head| head.act != Act::Reads);
    verbs.all(|head| {
        let mut words = places(reading, &head.span);
        words.any(|place| draft.used.has(place) || reading.words.get(place).is_some_and(|word| word.weight <= WEIGHS))
    })
}

/// `rather not delete app.log`: not lines without `delete`.
fn searches_without_verb(reading: &Reading<'_>, draft: &Draft) -> bool {
    if !draft.command.contains("grep -v") || ["line", "contain", "match"].iter().any(|word| reading.has(word)) {
        return false;
    }
    let heads = || reading.mood.clauses.iter().flat_map(|clause| &clause.heads).filter(|head| head.act == Act::Changes);
    let is_verb = |place: usize| {
        let Some(word) = reading.words.get(place).filter(|word| !is_typed(word)) else { return false };
        let destroys = LISTS.verbs.get(&word.low).is_some_and(|(verb, _)| verb.destroys);
        destroys || heads().any(|head| head.span.start < word.span.end && word.span.start < head.span.end)
    };
    let arguments = arguments(&draft.command, reading.place.dialect);
    arguments
        .iter()
        .any(|argument| occurrences(reading, argument).any(|range| range.len() == 1 && is_verb(range.start)))
}

/// Whether the draft is for the verb of this clause, and for now.
fn is_ordered(reading: &Reading<'_>, draft: &Draft, order: &Clause) -> bool {
    let answers = |place: usize, act: Act| match act {
        // A word that weighs nothing is in no rule.
        Act::Changes => draft.used.has(place) || reading.words.get(place).is_some_and(|word| word.weight <= 0.0),
        // What is done is said by other words, and not by one that only describes: `give the names of killed processes`.
        Act::Light => {
            draft.used.has(place) && reading.words.get(place).is_some_and(|word| word.weight > 0.0)
                || !places(reading, &order.span).any(|place| draft.used.has(place) && describes(reading, place))
        }
        Act::Reads => false,
    };
    let mut heads = order.heads.iter();
    let ordered = heads.any(|head| places(reading, &head.span).any(|place| answers(place, head.act)));
    let now = order.later.as_ref().is_none_or(|later| places(reading, later).all(|place| draft.used.has(place)));
    ordered && now
}

/// The verb may stand behind its object: as a participle, or in Chinese.
fn is_caused(reading: &Reading<'_>, head: &Head) -> bool {
    let mut words = places(reading, &head.span).filter_map(|place| reading.words.get(place));
    words.any(|word| {
        word.low.chars().any(is_han) || LISTS.verbs.get(&word.low).is_some_and(|(_, form)| form == Form::Participle)
    })
}

/// Whether something of this name can run, as far as is known.
fn is_program(reading: &Reading<'_>, word: &Word) -> bool {
    let is_tool = word.concept.is_some() && !word.is_spoken;
    is_tool || reading.place.specs.has(&word.text) || reading.place.world.has_program(&word.text).yes() == Some(true)
}

/// `killed`: a verb that ends something, in a form that orders nothing.
fn describes(reading: &Reading<'_>, place: usize) -> bool {
    let verb = reading.words.get(place).and_then(|word| LISTS.verbs.get(&word.low));
    verb.is_some_and(|(verb, form)| verb.destroys && matches!(form, Form::Past | Form::Participle))
}

/// Whether the draft does what another clause forbids. A rule that minds the prohibition explains its words: `but keep the changes`.
fn is_forbidden(reading: &Reading<'_>, draft: &Draft) -> bool {
    let mut forbids = reading.mood.clauses.iter().filter(|clause| clause.kind == Kind::Forbids);
    forbids.any(|clause| {
        let weighs = |place: &usize| reading.words.get(*place).is_some_and(|word| word.weight > WEIGHS);
        let takes = places(reading, &clause.span).filter(weighs).any(|place| draft.used.has(place));
        let minds = places(reading, &clause.by).any(|place| draft.used.has(place));
        takes && !minds
    })
}

/// The words that lie in a piece of the request.
fn places<'r>(reading: &'r Reading<'_>, span: &Range<usize>) -> impl Iterator<Item = usize> + use<'r> {
    let span = span.clone();
    let words = reading.words.iter().enumerate();
    words.filter(move |(_, word)| word.span.start < span.end && span.start < word.span.end).map(|(place, _)| place)
}

/// Whether every word of the request that stands in the command is the object of an order.
fn names_only_objects(reading: &Reading<'_>, draft: &Draft) -> bool {
    match draft.objects {
        // A slot for a name takes the word that announces it along: `called x`.
        Objects::Filled => draft.used.filling().iter().all(|place| {
            let announces = reading.words.get(*place).is_some_and(|word| NAMES.contains(&word.low.as_str()));
            announces || is_object(reading, *place..place + 1)
        }),
        Objects::Spelled => {
            let arguments = arguments(&draft.command, reading.place.dialect);
            // `add logging to parser.py` is work for a programmer: only what stands in quotes goes into code as it is.
            let into_code = draft.command.contains('>') && arguments.iter().any(|argument| is_code(argument));
            arguments.iter().all(|argument| {
                let mut said = occurrences(reading, argument).peekable();
                let is_typed =
                    |range: &Range<usize>| range.len() == 1 && reading.words.get(range.start).is_some_and(is_typed);
                // Words that a command shares with the request by chance: `chmod`, `replace`.
                let is_meant = |range: &Range<usize>| {
                    range.len() == 1
                        && reading.words.get(range.start).is_some_and(|word| word.is_spoken && word.thing.is_none())
                };
                let fits = |range: Range<usize>| is_object(reading, range.clone()) && (!into_code || is_typed(&range));
                said.peek().is_none() || said.any(|range| is_meant(&range) && !into_code || fits(range))
            })
        }
    }
}

fn is_code(path: &str) -> bool {
    const ENDINGS: &[&str] = &[
        "py", "rs", "js", "jsx", "ts", "tsx", "mjs", "go", "c", "h", "cc", "cpp", "hpp", "java", "kt", "rb", "php",
        "sh", "bash", "zsh", "fish", "pl", "lua", "r", "swift", "scala", "hs", "ex", "exs", "clj", "cs", "dart", "vue",
        "svelte", "html", "css", "scss", "sql", "tf", "json",
    ];
    path.rsplit_once('.').is_some_and(|(_, ending)| ENDINGS.contains(&ending))
}

/// What a command is given: words behind the name, and the files that it writes to.
fn arguments(command: &str, dialect: Dialect) -> Vec<String> {
    let mut arguments = Vec::new();
    for command in &line::parse(command, dialect).commands {
        let targets = command.redirections.iter().filter_map(|redirection| redirection.target.as_ref());
        for word in command.words.iter().skip(1).chain(targets) {
            let value = match word.value.starts_with('-') {
                true => word.value.split_once('=').map_or("", |(_, value)| value),
                false => &word.value,
            };
            if !value.is_empty() {
                arguments.push(value.to_lowercase());
            }
        }
    }
    arguments
}

/// Where an argument stands in the request, as one word or as several.
fn occurrences<'r>(reading: &'r Reading<'_>, argument: &str) -> impl Iterator<Item = Range<usize>> + use<'r> {
    let parts: Vec<String> = argument.split(' ').take(MAX_TEXT + 1).map(str::to_owned).collect();
    let whole = argument.to_owned();
    (0..reading.words.len()).filter_map(move |place| {
        let words = reading.words.get(place..)?;
        if words.first()?.low == whole {
            return Some(place..place + 1);
        }
        let several = words.get(..parts.len()).filter(|_| parts.len() > 1)?;
        several.iter().zip(&parts).all(|(word, part)| word.low == *part).then_some(place..place + parts.len())
    })
}

fn is_object(reading: &Reading<'_>, range: Range<usize>) -> bool {
    let Some(word) = reading.words.get(range.start) else { return false };
    let mut clauses = reading.mood.clauses.iter();
    let clause = clauses.find(|clause| clause.span.start <= word.span.start && word.span.end <= clause.span.end);
    match clause.map_or(Kind::Mention, |clause| clause.kind) {
        Kind::Order | Kind::Wish | Kind::HowTo if range.len() > 1 => {
            range.len() <= MAX_TEXT && is_announced(reading, range.start, TEXTS)
        }
        Kind::Order | Kind::Wish | Kind::HowTo => is_typed(word) || is_named(reading, range.start),
        // What is told beside an order may say what that is about: `a.txt is useless, delete it`.
        Kind::Statement | Kind::Mention | Kind::Talk | Kind::Thanks => range.len() == 1 && is_typed(word),
        // `is_forbidden` has seen that the draft minds it.
        Kind::Forbids => is_typed(word),
        Kind::Question | Kind::Condition | Kind::Reported | Kind::Writing => false,
    }
}

/// A path, something in quotes, a number, something that is here; or spelled as no word of a language is.
fn is_typed(word: &Word) -> bool {
    let is_spelled = |letter: char| letter.is_ascii_digit() || "_./:@+~*-".contains(letter);
    word.thing.is_some() || word.entry.is_some() || word.text.contains(is_spelled)
}

/// Behind one of these stands a name, whatever word it is.
const NAMES: &[&str] = &[
    "called",
    "named",
    "titled",
    "message",
    "msg",
    "saying",
    "text",
    "content",
    "name",
    "comment",
    "叫",
    "叫做",
    "名为",
    "名叫",
    "命名为",
    "改名为",
    "重命名为",
    "改为",
    "改成",
    "为",
    "成",
    "说明",
    "信息",
    "内容",
];
/// Behind one of these stands what may be called as things are called otherwise: `move them to old`.
const GOALS: &[&str] = &["to", "into", "as", "onto", "inside", "in", "到", "with", "from"];
/// Behind one of these stands a text of several words.
const TEXTS: &[&str] = &[
    "saying",
    "says",
    "message",
    "msg",
    "text",
    "content",
    "contents",
    "line",
    "string",
    "word",
    "words",
    "phrase",
    "called",
    "named",
    "titled",
    "comment",
    "with",
    "containing",
    "to",
    "reading",
    "as",
    "title",
    "name",
    "write",
    "echo",
    "append",
    "insert",
    "add",
    "put",
    "prepend",
    "say",
    "replace",
    "by",
    "the",
    "内容",
    "说明",
    "信息",
    "写入",
];

fn is_announced(reading: &Reading<'_>, place: usize, by: &[&str]) -> bool {
    let before = place.checked_sub(1).and_then(|before| reading.words.get(before));
    before.is_some_and(|word| by.contains(&word.low.as_str()))
}

/// Whether a word comes right behind the verb, and is the last of the clause.
fn is_first(order: &Clause, place: usize, reading: &Reading<'_>) -> bool {
    let last = places(reading, &order.span).last() == Some(place);
    let head = order.heads.first().and_then(|head| places(reading, &head.span).last());
    last && place > 0 && head == Some(place - 1)
}

/// A plain word in the place of a name: behind the verb, an article, a preposition, or beside what says what it is.
fn is_named(reading: &Reading<'_>, place: usize) -> bool {
    let Some(word) = reading.words.get(place) else { return false };
    let English { determiners, prepositions, kinds, unnamed, qualities, adverbs, verbs, .. } = &*LISTS;
    let low = word.low.as_str();
    if is_announced(reading, place, NAMES) {
        return true;
    }
    // `install less`
    let is_tool = reading.place.specs.has(low) && reading.mood.orders().any(|order| is_first(order, place, reading));
    if unnamed.contains(low) && !is_tool || low.chars().any(is_han) {
        return false;
    }
    let heads: Vec<&Head> = reading.mood.orders().flat_map(|order| &order.heads).collect();
    // In English the object follows the verb; where it does not (`I want nginx stopped`) the verb is a participle.
    // A tool may be named first: `nginx restart please`.
    let beside = |head: &&Head| is_program(reading, word) && places(reading, &head.span).next() == Some(place + 1);
    let follows = |head: &&Head| head.span.end <= word.span.start || is_caused(reading, head) || beside(head);
    if !heads.is_empty() && !heads.iter().any(follows) {
        return false;
    }
    if is_announced(reading, place, GOALS) {
        return true;
    }
    let is_adverb = adverbs.is(low) || low.len() > 4 && low.ends_with("ly");
    if is_adverb || qualities.contains(low) {
        return false;
    }
    let Some(before) = place.checked_sub(1).and_then(|before| reading.words.get(before)) else { return true };
    let after = reading.words.get(place + 1).map_or("", |word| word.low.as_str());
    let is_head = heads.iter().any(|head| head.span.start < before.span.end && before.span.start < head.span.end);
    // `kill the lights`: with an article a name goes with what the thing is, unless it is a program.
    let is_definite =
        matches!(before.low.as_str(), "the" | "a" | "an" | "my" | "your" | "this" | "that" | "our" | "these" | "those");
    let is_name = place > 0 && is_announced(reading, place - 1, NAMES);
    let ends = heads.iter().flat_map(|head| places(reading, &head.span)).any(|place| {
        reading.words.get(place).and_then(|word| verbs.get(&word.low)).is_some_and(|(verb, _)| verb.destroys)
    });
    if ends && is_definite && !is_name && !kinds.contains(after) && !is_program(reading, word) {
        return false;
    }
    let leads = |word: &str| determiners.contains(word) || prepositions.contains(word) || kinds.contains(word);
    // `the old branch x`: what describes a thing stands before its name; a verb in its bare form does not.
    let describes = qualities.contains(before.low.as_str())
        || before.concept.is_some() && verbs.get(&before.low).is_none_or(|(_, form)| form != Form::Base);
    is_head
        || leads(&before.low)
        || kinds.contains(after)
        || is_typed(before)
        || before.low.chars().any(is_han)
        || describes
        // `install tree htop curl`
        || before.concept.is_none() && place > 1 && is_named(reading, place - 1)
}
