//! The parameters of an intent: the files named, the command, the search words, and a summary line. Copies words as written; makes none up.

use std::ops::Range;
use std::sync::LazyLock;

use crate::redact::redact;
use crate::task::route::command::MAX_COMMAND;
use crate::task::route::intent::{Kind, Params, Written};
use crate::task::route::literal::{self, Literal};
use crate::task::route::object::Sort;
use crate::task::route::reading::Reading;
use crate::task::route::weigh::Verdict;
use crate::task::route::words;
use crate::text::pattern::Pattern;

/// Files of one request.
pub const MAX_FILES: usize = 10;
/// Characters of a question or query that is passed on.
pub const MAX_WORDS: usize = 4000;
/// Characters of search words.
const MAX_QUERY: usize = 200;
/// Characters of a summary after the kind.
const MAX_SUMMARY: usize = 80;

struct Frames {
    /// The words before the search term.
    search: Pattern,
    /// The words after it.
    behind: Pattern,
    run: Pattern,
    search_chinese: Pattern,
    behind_chinese: Pattern,
    run_chinese: Pattern,
}

static FRAMES: LazyLock<Option<Frames>> = LazyLock::new(|| {
    Some(Frames {
        search: words::pattern(
            r"^(?:(?:search|look|looking|searching|hunt|grep)(?: (?:the )?(?:repo|repository|code|codebase|project|sources?))?(?: for)?|find|locate|list|show|give|tell|see|track down|trace|where(?:'s|s)?|who|which|what|in which|i'm|need to find|is there|are there|do we(?: already| still)? have|any|definitions?|occurrences?|usages?|references?|callers?)(?: (?:me|us|out|up|where|all|every|any|each|the|a|an|of|to|is|are|was|were|do|does|we|did|files?|modules?|tests?|places?|place|that|which|usages?|uses?|references?|occurrences?|callers?|calls?|definitions?|list|code|everything|mentions?|set|contains?|imports?|has|have|looking|searching|for|in|file|module|live|lives|file|left|already|some|function|helper))* ",
        )?,
        behind: words::pattern(
            r" (?:is |are |was |gets? |being )?(?:defined|declared|used|called|configured|implemented|located|set|assigned|coming from|comes? from|come from|left|live|lives|stored|again|already)[? ]*$",
        )?,
        run: words::pattern(
            r"^(?:run|rerun|re-run|execute|launch|start|kick off|invoke|trigger|i want you to run|now run|do) (?:(?:the|a|an|my|our|all|this|that|it|again|following|command|for|me) )*",
        )?,
        search_chinese: words::pattern(
            r"^(?:全局)?(?:搜索|搜一下|搜下|搜|查找|查一下|查|找一下|找下|找找|找到|找出|找|定位一下|定位|列出|哪里定义了|哪些文件(?:引用了|用了|用到)?|有没有)(?:看|所有|全部|调用|用到|现成的|一下|引用)*",
        )?,
        behind_chinese: words::pattern(r"(?:在哪.*|的地方|定义的.*|写在.*|在什么.*|的代码|被.*)$")?,
        run_chinese: words::pattern(r"^(?:重新|再)?(?:运行|执行|跑一下|跑下|跑|启动)(?:一下|下)?")?,
    })
});

pub fn params(reading: &Reading, verdict: &Verdict) -> Params {
    let all = || Some(cut(reading.all(), MAX_WORDS)).filter(|words| !words.is_empty());
    let mut params = Params { files: files(reading), ..Params::default() };
    match verdict.kind {
        Kind::Help | Kind::Status | Kind::Review => {}
        Kind::Explain => params.question = all(),
        Kind::Change | Kind::Diagnose => params.change_request = all(),
        Kind::Search => params.query = query(reading, &verdict.range),
        Kind::Run => {
            params = run(reading, &verdict.range, params);
        }
    }
    params
}

/// Files that the request names, each once.
pub fn files(reading: &Reading) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    for object in reading.objects.iter().filter(|object| is_file(object.sort, &object.text)) {
        let path = object.text.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == ':');
        let path = if path.is_empty() { object.text.as_str() } else { path };
        if !files.iter().any(|known| known == path) && files.len() < MAX_FILES {
            files.push(path.to_owned());
        }
    }
    files
}

fn is_file(sort: Sort, text: &str) -> bool {
    use crate::task::route::object::sort_of;
    sort == Sort::File || sort == Sort::Code && sort_of(text) == (Some(Sort::File), text.len())
}

fn query(reading: &Reading, range: &Range<usize>) -> Option<String> {
    let texts = |wanted: &[Sort]| {
        reading
            .objects_in(range)
            .find(|object| wanted.contains(&object.sort))
            .map(|object| cut(&object.text, MAX_QUERY))
    };
    if let Some(quoted) = texts(&[Sort::Quote, Sort::Code]).or_else(|| texts(&[Sort::Name])) {
        return Some(quoted);
    }
    let clause = reading.text(range);
    let frames = FRAMES.as_ref()?;
    let start =
        frames.search.find(clause).or_else(|| frames.search_chinese.find(clause)).map_or(0, |found| found.end());
    let rest = clause.get(start..)?;
    let end =
        frames.behind.find(rest).or_else(|| frames.behind_chinese.find(rest)).map_or(rest.len(), |found| found.start());
    let raw = reading.raw(&(range.start + start..range.start + start + end));
    let words = cut(raw.trim().trim_end_matches(['?', '？', '.', '。', ',', '!']).trim(), MAX_QUERY);
    // Only the frame is left: then the whole text is the search term.
    Some(if words.is_empty() { cut(reading.raw(range).trim(), MAX_QUERY) } else { words })
        .filter(|words| !words.is_empty())
}

/// A request that is a command line, with or without `run` before it.
pub fn line(reading: &Reading) -> Params {
    let all = reading.all();
    let literal = match literal::rest(all) {
        Some(_) => literal::order(all, &|_| false),
        None => literal::read(all, &|_| false),
    };
    let params = Params { files: files(reading), ..Params::default() };
    match literal {
        Literal::Line(cmd) => Params { cmd: Some(cmd), ..params },
        Literal::Words if !literal::restricts(all) && literal::rest(all).is_none() => {
            Params { cmd: Some(all.to_owned()), ..params }
        }
        Literal::Words | Literal::Unclear => Params { written: unclear(all), ..params },
    }
}

/// What to run: a command that was spelled out, unchanged, or words. Text before the order may be a condition on it.
fn run(reading: &Reading, range: &Range<usize>, params: Params) -> Params {
    let (before, order) = reading.around(range);
    let (order, all) = (split_piped(order).0, split_piped(reading.all()).0);
    let written = literal::rest(order).map(|rest| Box::new(Written::Rest(cut(rest, MAX_COMMAND))));
    match literal::order(order, &|_| false) {
        Literal::Line(cmd) if !literal::restricts(before) => return Params { cmd: Some(cmd), ..params },
        Literal::Line(_) | Literal::Unclear => {
            return Params { written: unclear(all), ..params };
        }
        Literal::Words => {}
    }
    match quoted(reading, range) {
        Some(_) if literal::restricts(all) => Params { written: unclear(all), ..params },
        Some(cmd) => Params { cmd: Some(cmd), ..params },
        None if is_piped_only(reading, range) => Params { written: Some(Box::new(Written::Piped)), ..params },
        None => Params { query: named(reading, range).map(|words| with_joined(&words, order)), written, ..params },
    }
}

/// The words with what the same sentence joins to them: of "lint and build" no half may be left out. Politeness is.
fn with_joined(words: &str, order: &str) -> String {
    let Some(at) = order.find(words) else { return words.to_owned() };
    let behind = order.get(at + words.len()..).unwrap_or_default();
    let sentence = behind.split(['\n', '!', '?', '。', '！', '？']).next().unwrap_or_default();
    let sentence = sentence.split(". ").next().unwrap_or_default().trim_end().trim_end_matches('.');
    let joins = ["and ", "then ", "but ", "& ", ", ", "，", "然后", "并"];
    if !joins.iter().any(|joint| sentence.trim_start().starts_with(joint)) {
        return words.to_owned();
    }
    let whole = literal::without_tail(order.get(at..at + words.len() + sentence.len()).unwrap_or(words));
    cut(whole.trim_end_matches([',', '，']), MAX_QUERY)
}

/// The parameter for a command that cannot be told from the words around it.
pub fn unclear(text: &str) -> Option<Box<Written>> {
    Some(Box::new(Written::Unclear(cut(text, MAX_COMMAND))))
}

/// A command in backquotes or in a fence, if it is the only one.
fn quoted(reading: &Reading, range: &Range<usize>) -> Option<String> {
    let mut codes = reading.objects_in(range).filter(|object| object.sort == Sort::Code);
    let code = codes.next().map(|object| object.text.clone()).filter(|_| codes.next().is_none());
    let block = || {
        let block = reading.objects.iter().find(|object| object.sort == Sort::Block && !is_piped(&object.text))?;
        let mut lines = block.text.lines().skip(1).filter(|line| !line.trim_start().starts_with("```"));
        lines.next().map(|line| line.trim().trim_start_matches("$ ").to_owned()).filter(|_| lines.next().is_none())
    };
    code.or_else(block)
}

/// Info string of a fence around piped-in text: it is data, and never becomes a command.
pub const PIPED: &str = "stdin";

pub fn is_piped(block: &str) -> bool {
    block.lines().next().is_some_and(|fence| fence.trim().trim_start_matches(['`', '~']) == PIPED)
}

/// The words of a request, and the text that was piped in after them.
pub fn split_piped(request: &str) -> (&str, Option<&str>) {
    let mut at = 0;
    for line in request.split_inclusive('\n') {
        let fence = line.trim_end().strip_suffix(PIPED).filter(|fence| fence.len() >= 3);
        if let Some(fence) = fence.filter(|fence| fence.bytes().all(|byte| byte == b'`')) {
            let inner = request.get(at + line.len()..).unwrap_or_default();
            let inner = inner.trim_end().strip_suffix(fence).unwrap_or(inner);
            return (request.get(..at).unwrap_or_default().trim_end(), Some(inner));
        }
        at += line.len();
    }
    (request, None)
}

/// "Run this", where "this" can only mean what was piped in.
fn is_piped_only(reading: &Reading, range: &Range<usize>) -> bool {
    let piped = reading.objects.iter().any(|object| object.sort == Sort::Block && is_piped(&object.text));
    let named = named(reading, range).unwrap_or_default().to_lowercase();
    let points = |word: &str| {
        [
            "this", "that", "it", "these", "those", "them", "the", "command", "commands", "script", "run", "execute",
            "<block>",
        ]
        .contains(&word)
    };
    piped && named.lines().next().unwrap_or_default().split_whitespace().all(points)
}

/// What to run, in words.
fn named(reading: &Reading, range: &Range<usize>) -> Option<String> {
    let words = rest_of_run(reading, range).unwrap_or_else(|| reading.raw(range).trim().to_owned());
    let words = words.trim_end_matches(['?', '.', '。', '!', '？']).trim();
    Some(cut(words, MAX_QUERY)).filter(|words| !words.is_empty())
}

fn rest_of_run(reading: &Reading, range: &Range<usize>) -> Option<String> {
    let clause = reading.text(range);
    let frames = FRAMES.as_ref()?;
    let start = frames.run.find(clause).or_else(|| frames.run_chinese.find(clause))?.end();
    let raw = reading.raw(&(range.start + start..range.end)).trim().to_owned();
    Some(raw).filter(|raw| !raw.is_empty())
}

/// One line, with secrets redacted.
pub fn summary(kind: Kind, params: &Params, words: &str) -> String {
    let label = match kind {
        Kind::Help => return "Help".to_owned(),
        Kind::Status => "Status",
        Kind::Explain => "Explain",
        Kind::Change => "Change",
        Kind::Run => "Run",
        Kind::Diagnose => "Diagnose",
        Kind::Search => "Search",
        Kind::Review => "Review",
    };
    let said = match (kind, &params.cmd, &params.query) {
        (Kind::Run, Some(cmd), _) => cmd.as_str(),
        (Kind::Search, _, Some(query)) => query.as_str(),
        _ => words,
    };
    let said = redact(said);
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    // Trailing punctuation may be part of a command.
    let said = if params.cmd.is_some() { &said } else { said.trim_end_matches(['.', '。', ',', ';', ':']) };
    if said.is_empty() || said.eq_ignore_ascii_case(label) {
        return label.to_owned();
    }
    // Avoids "Run: run the tests".
    let said = match said.split_once(' ') {
        Some((verb, rest)) if verb.eq_ignore_ascii_case(label) && params.cmd.is_none() => rest,
        _ => said,
    };
    let short = match said.char_indices().nth(MAX_SUMMARY) {
        Some((end, _)) => format!("{}…", said.get(..end).unwrap_or_default().trim_end()),
        None => said.to_owned(),
    };
    format!("{label}: {short}")
}

pub fn cut(text: &str, letters: usize) -> String {
    match text.char_indices().nth(letters) {
        Some((end, _)) => text.get(..end).unwrap_or_default().to_owned(),
        None => text.to_owned(),
    }
}
