//! Decides whether a request asks for what a draft would change. A command that only reads may answer anything. A
//! command that changes something needs a clause that asks to act (`speech_act`), must answer the verb of that clause, and
//! may name only what is an object there.

use std::ops::Range;

use aside_commands::safety;
use aside_text::speech_act::verbs::VerbForm;
use aside_text::speech_act::word_lists::{English, LISTS};
use aside_text::speech_act::{Clause, ClauseVerb, SpeechAct, VerbEffect};
use shell_line::{self as line, Dialect};

use crate::embedded::analysis::{AnalyzedQuery, QueryWord};
use crate::embedded::draft::{Draft, Objects};
use crate::embedded::entities;
use crate::embedded::lexicon::is_han;
use crate::embedded::remote;
use crate::read_only::is_read_only;

mod contents;
pub mod omissions;

use contents::{edits_leftover, removes_place};
pub use omissions::{
    forgets_each, forgets_exception, forgets_limit, forgets_order, forgets_scope, inverts_bound, reads_missing,
    respells_name, searches_as_said, searches_unannounced,
};

/// Words that ask to remove, replace or end something.
pub const DESTROYS: &[&str] = &[
    "delete",
    "overwrite",
    "replace",
    "kill",
    "stop",
    "force",
    "reset",
    "discard",
    "undo",
    "clear",
    "truncate",
    "move",
    "rename",
    "format",
    "prune",
    "shred",
    "drop",
    "restart",
    "uninstall",
    "clean",
    "revert",
    "write",
    "save",
    "convert",
    "change",
    "set",
    "sync",
    "restore",
    "shutdown",
    "reboot",
    "disable",
    "unstage",
    "checkout",
    "redirect",
    "edit",
    "insert",
    "add",
    "append",
    "prepend",
    "put",
    "trim",
    "merge",
    "join",
    "concatenate",
    "dos2unix",
    "comment",
    "uncomment",
    "normalize",
    "resize",
    "copy",
    "strip",
    "sort",
    "abort",
    "quit",
    "empty",
    "permission",
    "world-writable",
    "compress",
    "resolve",
    "accept",
    "free",
    "destroy",
    "cleanup",
    "drain",
    "scale",
    "install",
    "upgrade",
    "purge",
    "flush",
    "unset",
    "apply",
    "backup",
    "dump",
    "export",
    "record",
    "create",
    "close",
    "suspend",
    "allow",
    "block",
    "download",
    "encrypt",
    "decrypt",
    "extract",
    "down",
    "mask",
    "cordon",
    "kick",
    "resume",
    "continue",
    "lock",
    "eject",
    "rotate",
    "compact",
    "import",
    "rollback",
    "rebuild",
    "reload",
    "bump",
    "fix",
    "repair",
    "become",
    "push",
    "logout",
    "ban",
    "suspend",
];

/// Words of a text that may be written as it stands; longer text is a sentence about something.
const MAX_TEXT: usize = 12;
/// Words above this weight must be answered by the command.
const WEIGHS: f32 = 0.3;

/// Whether a draft may be shown for this request, as the answer or as an alternative.
pub fn permits(reading: &AnalyzedQuery<'_>, draft: &Draft) -> bool {
    let reads = is_read_only(&draft.command, reading.place.dialect);
    if reads && (describes_by_verb(reading, draft) || searches_for_order(reading, draft)) || stays_here(reading, draft)
    {
        return false;
    }
    reads && !searches_without_verb(reading, draft)
        || reading.speech_acts.orders().any(|order| is_ordered(reading, draft, order))
            && !is_forbidden(reading, draft)
            && names_only_objects(reading, draft)
            && !removes_place(reading, draft)
            && !edits_leftover(reading, draft)
            && !forgets_exception(reading, draft)
            && !forgets_limit(reading, draft)
            && !inverts_bound(reading, draft)
            && !respells_name(reading, draft)
            && !reading.forbids_object
}

/// `lösche old.log`: an unknown word before a file says what to do with it, and is no text to look for.
fn searches_for_order(reading: &AnalyzedQuery<'_>, draft: &Draft) -> bool {
    let (Some(first), Some(second)) = (reading.words.first(), reading.words.get(1)) else { return false };
    let is_word = !is_typed(first) && first.text.chars().all(|letter| letter.is_lowercase());
    let is_file = second.text.contains(['.', '/']);
    is_word && is_file && is_open_word(first) && draft.command.starts_with(&format!("grep '{}'", first.text))
}

/// A word that is in no list of ours.
fn is_open_word(word: &QueryWord) -> bool {
    word.concept.is_none() && word.thing.is_none() && word.entry.is_none()
}

/// Whether the request copies from or to a login on another machine and the command does not: a copy to `ada@build` is none into a
/// directory here, and no search for `ada@build`.
fn stays_here(reading: &AnalyzedQuery<'_>, draft: &Draft) -> bool {
    const SENDS: &[&str] = &[
        "copy", "move", "upload", "download", "send", "transfer", "scp", "fetch", "pull", "push", "get", "put",
        "bring", "grab", "sync", "backup", "复制", "拷贝", "上传", "下载", "发送", "传到", "移动",
    ];
    let sends = |place: usize| {
        let low = reading.words[place].low.as_str();
        SENDS.contains(&low) || SENDS.contains(&reading.meaning(place))
    };
    let Some(host) = reading.words.iter().find_map(|word| remote::login(&word.text)) else { return false };
    // `ada@build:/srv` is no directory here.
    const REMOTE: &[&str] = &["scp", "rsync", "sftp", "ssh", "curl", "git", "ssh-copy-id", "sshfs", "mosh"];
    let line = line::parse(&draft.command, reading.place.dialect);
    let is_local = |run: &line::Command| run.words.first().is_none_or(|name| !REMOTE.contains(&name.value.as_str()));
    let names = |run: &line::Command| run.words.iter().any(|word| word.value.starts_with(&format!("{host}:")));
    if line.commands.iter().any(|run| is_local(run) && names(run)) {
        return true;
    }
    let direction = (0..reading.words.len()).find(|place| reading.words[*place].text.contains(host)).map(|at| {
        const CALLED: &[&str] = &["my", "the", "our", "remote", "server", "host", "machine", "box"];
        (0..at)
            .rev()
            .map(|place| reading.words[place].low.as_str())
            .find(|low| !CALLED.contains(low))
            .unwrap_or_default()
    });
    // What comes from there does not go there.
    let goes_there = draft.command.split(' ').next_back().is_some_and(|last| last.starts_with(&format!("{host}:")));
    match direction {
        Some("from" | "off" | "从") if goes_there => return true,
        Some("to" | "into" | "onto" | "on" | "到") if draft.command.starts_with("scp ") && !goes_there => return true,
        _ => {}
    }
    let reaches =
        draft.command.contains(&format!("{host}:")) || draft.command.starts_with("ssh") && draft.command.contains(host);
    (0..reading.words.len()).any(sends) && !reaches
}

/// Whether the draft covers every verb of an order: a search is not close to `delete Q3 report.txt`.
pub fn answers_verbs(reading: &AnalyzedQuery<'_>, draft: &Draft) -> bool {
    let orders = reading.speech_acts.clauses.iter().filter(|clause| clause.kind.asks_to_act());
    let mut verbs = orders.flat_map(|clause| &clause.heads).filter(|head| head.act != VerbEffect::Reads);
    verbs.all(|head| {
        let mut words = places(reading, &head.span);
        words.any(|place| draft.used.has(place) || reading.words.get(place).is_some_and(|word| word.weight <= WEIGHS))
    })
}

/// For a draft that changes something but matched no rule's words: whether the verb of an order asks for it. A
/// destructive command needs a destructive verb, whatever the learned classifier makes of the other words.
pub fn is_evident(reading: &AnalyzedQuery<'_>, draft: &Draft) -> bool {
    let destroys = !safety::dangers(&draft.command, reading.place.dialect).is_empty();
    let asks = |place: usize| {
        let Some(word) = reading.words.get(place).filter(|_| draft.used.has(place)) else { return false };
        let is_of_class = || {
            LISTS.verbs.get(&word.low).is_some_and(|(verb, _)| verb.destroys)
                || word.concept.is_some_and(|_| DESTROYS.contains(&reading.meaning(place)))
        };
        word.weight > 0.0 && (!destroys || is_of_class())
    };
    let heads: Vec<usize> = reading
        .speech_acts
        .orders()
        .flat_map(|order| &order.heads)
        .filter(|head| head.act == VerbEffect::Changes)
        .flat_map(|head| places(reading, &head.span))
        .collect();
    // `reset`, `tidy up`: a verb alone names nothing that could be changed.
    let names = |(place, word): (usize, &QueryWord)| {
        let is_verb = heads.contains(&place) || word.thing.is_none() && LISTS.verbs.get(&word.low).is_some();
        word.weight >= 1.0 && draft.used.has(place) && !is_verb
    };
    heads.iter().copied().any(asks) && reading.words.iter().enumerate().any(names)
}

/// Whether the word is a plain word that is completely unknown.
fn is_open(reading: &AnalyzedQuery<'_>, place: usize) -> bool {
    let Some(word) = reading.words.get(place) else { return false };
    let is_plain = word.low == word.text && word.low.bytes().all(|byte| byte.is_ascii_lowercase());
    is_plain
        && word.concept.is_none()
        && word.thing.is_none()
        && word.entry.is_none()
        && entities::kind(&word.low).is_none()
}

/// Whether the draft ignores an unknown word: `show the last 5 quux commits`.
pub fn leaves_unknown(reading: &AnalyzedQuery<'_>, draft: &Draft) -> bool {
    let weighs = |word: &QueryWord| word.weight > WEIGHS;
    let mut words = reading.words.iter().enumerate();
    words.any(|(place, word)| weighs(word) && !draft.used.has(place) && is_open(reading, place))
}

/// Whether an unknown word became a pattern or a name although nothing announces one: `differing` in `show the
/// differing lines`.
pub fn invents(reading: &AnalyzedQuery<'_>, draft: &Draft) -> bool {
    let is_open = |place: usize| is_open(reading, place);
    // `including the ones in docs`: a pronoun refers to something else, unless the request calls it a word.
    let is_pronoun = |range: &Range<usize>| {
        let at = |place: usize| reading.words.get(place).map_or("", |word| word.low.as_str());
        let is_quoted = is_typed_at(reading, range);
        let before = range.start.checked_sub(1).map_or("", at);
        range.len() == 1 && PRONOUNS.contains(&at(range.start)) && !is_quoted && !WORDS.contains(&before)
    };
    let invents = |argument: &String| {
        let bare = argument.trim_matches(['*', '.', '/', '^', '$']);
        let mut said = occurrences(reading, bare).peekable();
        said.peek().is_some()
            && said.all(|range| {
                let is_invented = range.clone().any(is_open) && !is_typed_at(reading, &range);
                is_pronoun(&range) || is_invented && !announces(reading, &range)
            })
    };
    let arguments = || arguments(&draft.command, reading.place.dialect);
    draft.objects == Objects::Spelled && (invents_letters(reading, draft) || arguments().iter().any(invents))
}

/// Whether an unquoted, unknown word became a name by its looks: Chinese characters (`空格` as a pattern), or an ending
/// (`crlf files` as `*.crlf`).
pub fn spells_unknown(reading: &AnalyzedQuery<'_>, draft: &Draft) -> bool {
    const NAMING: &[&str] =
        &["called", "named", "titled", "name", "contain", "match", "starting-with", "ending-with", "with", "like"];
    let at = |place: usize| reading.words.get(place).map_or("", |word| word.low.as_str());
    let names = |place: &usize| NAMING.contains(&at(*place)) || NAMING.contains(&reading.meaning(*place));
    let spells = |(place, word): (usize, &QueryWord)| match word.text.chars().all(is_han) {
        true => draft.command.contains(&word.text),
        // `leaf directories`: the word before a kind of thing may be its name or an adjective.
        false => {
            let is_named = (place.saturating_sub(3)..place).any(|place| names(&place));
            let mut quoted = draft.command.split('\'').skip(1).step_by(2);
            let spelled = quoted.any(|text| match text.strip_prefix("*.") {
                Some(ending) => ending == word.low,
                None => text.trim_matches('*') == word.low && !is_named,
            });
            spelled && draft.rule.starts_with("files") && entities::kind(&word.low).is_none()
        }
    };
    let is_open = |word: &QueryWord| word.concept.is_none() && word.entry.is_none() && word.thing.is_none();
    reading.words.iter().enumerate().filter(|(_, word)| is_open(word)).any(spells)
}

/// Whether unknown Chinese characters became a search text although nothing says that they are one: `几` in `有几张图片`.
fn invents_letters(reading: &AnalyzedQuery<'_>, draft: &Draft) -> bool {
    const SAYS: &[&str] = &[
        "包含", "含有", "含", "带有", "带", "叫", "叫做", "名为", "名叫", "写着", "内容", "出现", "关于", "contain",
        "find", "search", "match", "name",
    ];
    const ASKS: &[&str] = &["几", "多少", "哪", "谁", "什么"];
    let asks = |word: &QueryWord| ASKS.iter().any(|asks| word.text.starts_with(asks));
    let is_asked = |word: &QueryWord| word.thing.is_none() && asks(word) && draft.command.contains(&word.text);
    if reading.words.iter().any(is_asked) {
        return true;
    }
    let letters = |place: usize| {
        let word = reading.words.get(place).filter(|word| word.concept.is_none() && word.thing.is_none());
        word.is_some_and(|word| word.entry.is_none() && word.text.chars().all(is_han))
    };
    (0..reading.words.len()).filter(|place| letters(*place)).any(|place| {
        let first = (0..=place).rev().take_while(|place| letters(*place)).last().unwrap_or(place);
        let says = |place: usize| {
            let low = reading.words.get(place).map_or("", |word| word.low.as_str());
            SAYS.contains(&low) || SAYS.contains(&reading.meaning(place))
        };
        let text = &reading.words[place].text;
        draft.command.contains(text.as_str()) && !first.checked_sub(1).is_some_and(says)
    })
}

fn is_typed_at(reading: &AnalyzedQuery<'_>, range: &Range<usize>) -> bool {
    range.clone().filter_map(|place| reading.words.get(place)).any(is_typed)
}

/// Whether the words around a name or a text announce it as one.
fn announces(reading: &AnalyzedQuery<'_>, range: &Range<usize>) -> bool {
    let at =
        |place: Option<usize>| place.and_then(|place| reading.words.get(place)).map_or("", |word| word.low.as_str());
    // A phrase is one word of a reading: `search for`.
    let back = |count: usize| at(range.start.checked_sub(count)).rsplit(' ').next().unwrap_or_default();
    let (before, after) = (back(1), at(Some(range.end)));
    // `without the debug lines`
    let leads = if ARTICLES.contains(&before) { SAYS.contains(&back(2)) } else { TEXTS.contains(&before) };
    let counted = before == "of" && COUNTED.contains(&back(2));
    let searched = SEARCHES.contains(&before) && (after.is_empty() || PLACES.contains(&after));
    leads
        || counted
        || searched
        || [NAMES, GOALS, SAYS].iter().any(|list| list.contains(&before))
        || LISTS.kinds.contains(before)
        || LISTS.kinds.contains(after)
        || APPEARS.contains(&after)
        || before.chars().any(is_han)
}

const PRONOUNS: &[&str] = &[
    "ones",
    "one",
    "it",
    "them",
    "they",
    "those",
    "these",
    "that",
    "this",
    "what",
    "which",
    "whatever",
    "everything",
    "anything",
    "something",
    "stuff",
    "things",
    "thing",
];
/// Words that are followed by a literal word.
const WORDS: &[&str] =
    &["word", "words", "string", "text", "called", "named", "phrase", "pattern", "literal", "单词", "字符串"];
const ARTICLES: &[&str] = &["the", "a", "an", "any", "all", "every", "each"];
/// Words that are followed by a search text.
const SAYS: &[&str] = &[
    "for",
    "contain",
    "contains",
    "containing",
    "has",
    "have",
    "having",
    "mention",
    "mentions",
    "mentioning",
    "matching",
    "matches",
    "match",
    "about",
    "like",
    "and",
    "or",
    "not",
    "without",
    "with",
    "use",
    "uses",
    "using",
    "import",
    "imports",
    "start",
    "starts",
    "begin",
    "begins",
    "end",
    "ends",
    "include",
    "includes",
    "including",
    "exactly",
    "before",
    "after",
    "around",
    "does",
    "is",
    "says",
    "saying",
    "has",
];
const SEARCHES: &[&str] = &["grep", "search", "find", "locate", "look", "count"];
const PLACES: &[&str] = &["in", "inside", "within", "from", "across", "under", "anywhere", "here"];
/// Words that are preceded by a search text.
const APPEARS: &[&str] = &["appear", "appears", "occur", "occurs", "mentioned", "used", "found"];
/// `occurrences of x`
const COUNTED: &[&str] = &[
    "occurrence",
    "occurrences",
    "instance",
    "instances",
    "match",
    "matches",
    "mention",
    "mentions",
    "number",
    "count",
    "times",
    "appearances",
];

/// Rejects `grep -v delete` for `rather not delete app.log`.
fn searches_without_verb(reading: &AnalyzedQuery<'_>, draft: &Draft) -> bool {
    if !draft.command.contains("grep -v") || ["line", "contain", "match"].iter().any(|word| reading.has(word)) {
        return false;
    }
    let heads = || {
        reading
            .speech_acts
            .clauses
            .iter()
            .flat_map(|clause| &clause.heads)
            .filter(|head| head.act == VerbEffect::Changes)
    };
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

/// In `empty the log file` the word is a verb; as an adjective it follows the article.
fn describes_by_verb(reading: &AnalyzedQuery<'_>, draft: &Draft) -> bool {
    const EITHER: &[&str] = &["empty", "duplicate"];
    let is_polite = |word: &QueryWord| matches!(word.low.as_str(), "please" | "pls" | "just" | "now" | "then");
    let Some(place) = reading.words.iter().position(|word| !is_polite(word)) else { return false };
    let (Some(first), Some(second)) = (reading.words.get(place), reading.words.get(place + 1)) else { return false };
    let is_determined = ARTICLES.contains(&second.low.as_str())
        || matches!(second.low.as_str(), "this" | "that" | "my" | "our" | "these" | "those");
    EITHER.contains(&first.low.as_str()) && is_determined && draft.used.has(place)
}

/// Whether the draft does what this clause orders, now.
fn is_ordered(reading: &AnalyzedQuery<'_>, draft: &Draft, order: &Clause) -> bool {
    let answers = |place: usize, act: VerbEffect| match act {
        // A word without weight is in no rule, so the draft cannot have used it.
        VerbEffect::Changes => draft.used.has(place) || reading.words.get(place).is_some_and(|word| word.weight <= 0.0),
        // For a light verb the other words say what to do, but not a word that only describes: `give the names of
        // killed processes`.
        VerbEffect::Light => {
            draft.used.has(place) && reading.words.get(place).is_some_and(|word| word.weight > 0.0)
                || !places(reading, &order.span).any(|place| draft.used.has(place) && describes(reading, place))
        }
        VerbEffect::Reads => false,
    };
    let mut heads = order.heads.iter();
    let ordered = heads.any(|head| places(reading, &head.span).any(|place| answers(place, head.act)));
    let times = order.later.iter().chain(&order.waits);
    let now = times.into_iter().all(|later| places(reading, later).all(|place| draft.used.has(place)));
    ordered && now
}

/// Whether the verb may follow its object: a participle, or Chinese.
fn is_caused(reading: &AnalyzedQuery<'_>, head: &ClauseVerb) -> bool {
    let mut words = places(reading, &head.span).filter_map(|place| reading.words.get(place));
    words.any(|word| {
        word.low.chars().any(is_han) || LISTS.verbs.get(&word.low).is_some_and(|(_, form)| form == VerbForm::Participle)
    })
}

/// Whether something of this name can run, as far as is known.
fn is_program(reading: &AnalyzedQuery<'_>, word: &QueryWord) -> bool {
    let is_tool = word.concept.is_some() && !word.is_spoken;
    is_tool || reading.place.specs.has(&word.text) || reading.place.world.has_program(&word.text).yes() == Some(true)
}

/// `killed`: a verb of ending in a form that is no order.
fn describes(reading: &AnalyzedQuery<'_>, place: usize) -> bool {
    let verb = reading.words.get(place).and_then(|word| LISTS.verbs.get(&word.low));
    verb.is_some_and(|(verb, form)| verb.destroys && matches!(form, VerbForm::Past | VerbForm::Participle))
}

/// Whether the draft does what another clause forbids. A rule that respects the prohibition explains its words: `but
/// keep the changes`.
fn is_forbidden(reading: &AnalyzedQuery<'_>, draft: &Draft) -> bool {
    let mut forbids = reading.speech_acts.clauses.iter().filter(|clause| clause.kind == SpeechAct::Forbids);
    forbids.any(|clause| {
        let weighs = |place: &usize| reading.words.get(*place).is_some_and(|word| word.weight > WEIGHS);
        let takes = places(reading, &clause.span).filter(weighs).any(|place| draft.used.has(place));
        let minds = places(reading, &clause.by).any(|place| draft.used.has(place));
        takes && !minds
    })
}

/// Indices of the words inside a span of the request.
fn places<'r>(reading: &'r AnalyzedQuery<'_>, span: &Range<usize>) -> impl Iterator<Item = usize> + use<'r> {
    let span = span.clone();
    let words = reading.words.iter().enumerate();
    words.filter(move |(_, word)| word.span.start < span.end && span.start < word.span.end).map(|(place, _)| place)
}

/// Whether every word of the request that appears in the command is the object of an order.
fn names_only_objects(reading: &AnalyzedQuery<'_>, draft: &Draft) -> bool {
    match draft.objects {
        // A slot for a name also takes the word that announces it: `called x`.
        Objects::Filled => draft.used.filling().iter().all(|place| {
            let announces = reading.words.get(*place).is_some_and(|word| NAMES.contains(&word.low.as_str()));
            announces || is_object(reading, *place..place + 1)
        }),
        Objects::Spelled => {
            let arguments = arguments(&draft.command, reading.place.dialect);
            // `add logging to parser.py` is work for a programmer: only quoted text is written into code.
            let into_code = draft.command.contains('>') && arguments.iter().any(|argument| is_code(argument));
            arguments.iter().all(|argument| {
                let mut said = occurrences(reading, argument).peekable();
                let is_typed =
                    |range: &Range<usize>| range.len() == 1 && reading.words.get(range.start).is_some_and(is_typed);
                // Words that the command shares with the request by chance: `chmod`, `replace`.
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

/// A command's arguments, and the files that it redirects to.
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

/// Where an argument occurs in the request, as one word or as several.
fn occurrences<'r>(reading: &'r AnalyzedQuery<'_>, argument: &str) -> impl Iterator<Item = Range<usize>> + use<'r> {
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

fn is_object(reading: &AnalyzedQuery<'_>, range: Range<usize>) -> bool {
    let Some(word) = reading.words.get(range.start) else { return false };
    let mut clauses = reading.speech_acts.clauses.iter();
    let clause = clauses.find(|clause| clause.span.start <= word.span.start && word.span.end <= clause.span.end);
    match clause.map_or(SpeechAct::Mention, |clause| clause.kind) {
        SpeechAct::Order | SpeechAct::Wish | SpeechAct::HowTo if range.len() > 1 => {
            range.len() <= MAX_TEXT && is_announced(reading, range.start, TEXTS)
        }
        SpeechAct::Order | SpeechAct::Wish | SpeechAct::HowTo => is_typed(word) || is_named(reading, range.start),
        // A statement beside an order may name its object: `a.txt is useless, delete it`.
        SpeechAct::Statement | SpeechAct::Mention | SpeechAct::Talk | SpeechAct::Thanks => {
            range.len() == 1 && is_typed(word)
        }
        // `is_forbidden` has already checked that the draft respects the prohibition.
        SpeechAct::Forbids => is_typed(word),
        SpeechAct::Question | SpeechAct::Condition | SpeechAct::Reported | SpeechAct::Writing => false,
    }
}

/// A path, a quoted text, a number, something that exists here, or a spelling that no ordinary word has.
fn is_typed(word: &QueryWord) -> bool {
    let is_spelled = |letter: char| letter.is_ascii_digit() || "_./:@+~*-".contains(letter);
    word.thing.is_some() || word.entry.is_some() || word.text.contains(is_spelled)
}

/// Words that are followed by a name, whatever word it is.
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
/// Words that are followed by a target whose name may be an ordinary word: `move them to old`.
const GOALS: &[&str] = &["to", "into", "as", "onto", "inside", "in", "到", "with", "from"];
/// Words that are followed by a text of several words.
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

fn is_announced(reading: &AnalyzedQuery<'_>, place: usize, by: &[&str]) -> bool {
    let before = place.checked_sub(1).and_then(|before| reading.words.get(before));
    before.is_some_and(|word| by.contains(&word.low.as_str()))
}

/// Whether the word directly follows the verb and is the last of the clause.
fn is_first(order: &Clause, place: usize, reading: &AnalyzedQuery<'_>) -> bool {
    let last = places(reading, &order.span).last() == Some(place);
    let head = order.heads.first().and_then(|head| places(reading, &head.span).last());
    last && place > 0 && head == Some(place - 1)
}

/// Whether a plain word stands where a name would: behind the verb, an article or a preposition, or beside the word for
/// its kind.
fn is_named(reading: &AnalyzedQuery<'_>, place: usize) -> bool {
    let Some(word) = reading.words.get(place) else { return false };
    let English { determiners, prepositions, kinds, unnamed, qualities, adverbs, verbs, .. } = &*LISTS;
    let low = word.low.as_str();
    if is_announced(reading, place, NAMES) {
        return true;
    }
    // `install less`
    let is_tool =
        reading.place.specs.has(low) && reading.speech_acts.orders().any(|order| is_first(order, place, reading));
    if unnamed.contains(low) && !is_tool || low.chars().any(is_han) {
        return false;
    }
    let heads: Vec<&ClauseVerb> = reading.speech_acts.orders().flat_map(|order| &order.heads).collect();
    // In English the object follows the verb; where it does not (`I want nginx stopped`) the verb is a participle. A
    // tool may come first: `nginx restart please`.
    let beside =
        |head: &&ClauseVerb| is_program(reading, word) && places(reading, &head.span).next() == Some(place + 1);
    let follows = |head: &&ClauseVerb| head.span.end <= word.span.start || is_caused(reading, head) || beside(head);
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
    // `kill the lights`: a name with an article needs the word for its kind beside it, unless it is a program.
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
    // `the old branch x`: adjectives stand before a name; a verb in its base form does not.
    let describes = qualities.contains(before.low.as_str())
        || before.concept.is_some() && verbs.get(&before.low).is_none_or(|(_, form)| form != VerbForm::Base);
    is_head
        || leads(&before.low)
        || kinds.contains(after)
        || is_typed(before)
        || before.low.chars().any(is_han)
        || describes
        // `install tree htop curl`
        || before.concept.is_none() && place > 1 && is_named(reading, place - 1)
}
