//! The parameters of an intent: the files named, the command, the search words, and a summary line. Copies words as written; makes none up.

use std::ops::Range;
use std::sync::LazyLock;

use aside_redact::redact;
use aside_text::pattern::Pattern;

use crate::route::combine_clauses::RouteVerdict;
use crate::route::command::MAX_COMMAND;
use crate::route::intent::{IntentParams, TaskKind, UnparsedCommand};
use crate::route::literal_command::{self, Literal};
use crate::route::mentions::MentionKind;
use crate::route::normalize::NormalizedRequest;
use crate::route::word_lists;

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
        search: word_lists::pattern(
            r"^(?:(?:search|look|looking|searching|hunt|grep)(?: (?:the )?(?:repo|repository|code|codebase|project|sources?))?(?: for)?|find|locate|list|show|give|tell|see|track down|trace|where(?:'s|s)?|who|which|what|in which|i'm|need to find|is there|are there|do we(?: already| still)? have|any|definitions?|occurrences?|usages?|references?|callers?)(?: (?:me|us|out|up|where|all|every|any|each|the|a|an|of|to|is|are|was|were|do|does|we|did|files?|modules?|tests?|places?|place|that|which|usages?|uses?|references?|occurrences?|callers?|calls?|definitions?|list|code|everything|mentions?|set|contains?|imports?|has|have|looking|searching|for|in|file|module|live|lives|file|left|already|some|function|helper))* ",
        )?,
        behind: word_lists::pattern(
            r" (?:is |are |was |gets? |being )?(?:defined|declared|used|called|configured|implemented|located|set|assigned|coming from|comes? from|come from|left|live|lives|stored|again|already)[? ]*$",
        )?,
        run: word_lists::pattern(
            r"^(?:run|rerun|re-run|execute|launch|start|kick off|invoke|trigger|i want you to run|now run|do) (?:(?:the|a|an|my|our|all|this|that|it|again|following|command|for|me) )*",
        )?,
        search_chinese: word_lists::pattern(
            r"^(?:全局)?(?:搜索|搜一下|搜下|搜|查找|查一下|查|找一下|找下|找找|找到|找出|找|定位一下|定位|列出|哪里定义了|哪些文件(?:引用了|用了|用到)?|有没有)(?:看|所有|全部|调用|用到|现成的|一下|引用)*",
        )?,
        behind_chinese: word_lists::pattern(r"(?:在哪.*|的地方|定义的.*|写在.*|在什么.*|的代码|被.*)$")?,
        run_chinese: word_lists::pattern(r"^(?:重新|再)?(?:运行|执行|跑一下|跑下|跑|启动)(?:一下|下)?")?,
    })
});

pub fn params(reading: &NormalizedRequest, verdict: &RouteVerdict) -> IntentParams {
    let all = || Some(cut(reading.all(), MAX_WORDS)).filter(|words| !words.is_empty());
    let mut params = IntentParams { files: files(reading), ..IntentParams::default() };
    match verdict.kind {
        TaskKind::Help | TaskKind::Status | TaskKind::Review => {}
        TaskKind::Explain => params.question = all(),
        TaskKind::Change | TaskKind::Diagnose => params.change_request = all(),
        TaskKind::Search => params.query = query(reading, &verdict.range),
        TaskKind::Run => {
            params = run(reading, &verdict.range, params);
        }
    }
    params
}

/// Files that the request names, each once.
pub fn files(reading: &NormalizedRequest) -> Vec<String> {
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

fn is_file(sort: MentionKind, text: &str) -> bool {
    use crate::route::mentions::mention_kind;
    sort == MentionKind::File
        || sort == MentionKind::Code && mention_kind(text) == (Some(MentionKind::File), text.len())
}

fn query(reading: &NormalizedRequest, range: &Range<usize>) -> Option<String> {
    let texts = |wanted: &[MentionKind]| {
        reading
            .objects_in(range)
            .find(|object| wanted.contains(&object.sort))
            .map(|object| cut(&object.text, MAX_QUERY))
    };
    if let Some(quoted) = texts(&[MentionKind::Quote, MentionKind::Code]).or_else(|| texts(&[MentionKind::Name])) {
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
pub fn line(reading: &NormalizedRequest) -> IntentParams {
    let all = reading.all();
    let literal = match literal_command::rest(all) {
        Some(_) => literal_command::order(all, &|_| false),
        None => literal_command::read(all, &|_| false),
    };
    let params = IntentParams { files: files(reading), ..IntentParams::default() };
    match literal {
        Literal::Line(cmd) => IntentParams { cmd: Some(cmd), ..params },
        Literal::Words if !literal_command::restricts(all) && literal_command::rest(all).is_none() => {
            IntentParams { cmd: Some(all.to_owned()), ..params }
        }
        Literal::Words | Literal::Unclear => IntentParams { written: unclear(all), ..params },
    }
}

/// What to run: a command that was spelled out, unchanged, or words. Text before the order may be a condition on it.
fn run(reading: &NormalizedRequest, range: &Range<usize>, params: IntentParams) -> IntentParams {
    let (before, order) = reading.around(range);
    let (order, all) = (split_piped(order).0, split_piped(reading.all()).0);
    let written = literal_command::rest(order).map(|rest| Box::new(UnparsedCommand::Rest(cut(rest, MAX_COMMAND))));
    match literal_command::order(order, &|_| false) {
        Literal::Line(cmd) if !literal_command::restricts(before) => return IntentParams { cmd: Some(cmd), ..params },
        Literal::Line(_) | Literal::Unclear => {
            return IntentParams { written: unclear(all), ..params };
        }
        Literal::Words => {}
    }
    match quoted(reading, range) {
        Some(_) if literal_command::restricts(all) => IntentParams { written: unclear(all), ..params },
        Some(cmd) => IntentParams { cmd: Some(cmd), ..params },
        None if is_piped_only(reading, range) => {
            IntentParams { written: Some(Box::new(UnparsedCommand::Piped)), ..params }
        }
        None => {
            IntentParams { query: named(reading, range).map(|words| with_joined(&words, order)), written, ..params }
        }
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
    let whole = literal_command::without_tail(order.get(at..at + words.len() + sentence.len()).unwrap_or(words));
    cut(whole.trim_end_matches([',', '，']), MAX_QUERY)
}

/// The parameter for a command that cannot be told from the words around it.
pub fn unclear(text: &str) -> Option<Box<UnparsedCommand>> {
    Some(Box::new(UnparsedCommand::Unclear(cut(text, MAX_COMMAND))))
}

/// A command in backquotes or in a fence, if it is the only one.
fn quoted(reading: &NormalizedRequest, range: &Range<usize>) -> Option<String> {
    let mut codes = reading.objects_in(range).filter(|object| object.sort == MentionKind::Code);
    let code = codes.next().map(|object| object.text.clone()).filter(|_| codes.next().is_none());
    let block = || {
        let block =
            reading.objects.iter().find(|object| object.sort == MentionKind::Block && !is_piped(&object.text))?;
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
fn is_piped_only(reading: &NormalizedRequest, range: &Range<usize>) -> bool {
    let piped = reading.objects.iter().any(|object| object.sort == MentionKind::Block && is_piped(&object.text));
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
fn named(reading: &NormalizedRequest, range: &Range<usize>) -> Option<String> {
    let words = rest_of_run(reading, range).unwrap_or_else(|| reading.raw(range).trim().to_owned());
    let words = words.trim_end_matches(['?', '.', '。', '!', '？']).trim();
    Some(cut(words, MAX_QUERY)).filter(|words| !words.is_empty())
}

fn rest_of_run(reading: &NormalizedRequest, range: &Range<usize>) -> Option<String> {
    let clause = reading.text(range);
    let frames = FRAMES.as_ref()?;
    let start = frames.run.find(clause).or_else(|| frames.run_chinese.find(clause))?.end();
    let raw = reading.raw(&(range.start + start..range.end)).trim().to_owned();
    Some(raw).filter(|raw| !raw.is_empty())
}

/// One line, with secrets redacted.
pub fn summary(kind: TaskKind, params: &IntentParams, words: &str) -> String {
    let label = match kind {
        TaskKind::Help => return "Help".to_owned(),
        TaskKind::Status => "Status",
        TaskKind::Explain => "Explain",
        TaskKind::Change => "Change",
        TaskKind::Run => "Run",
        TaskKind::Diagnose => "Diagnose",
        TaskKind::Search => "Search",
        TaskKind::Review => "Review",
    };
    let said = match (kind, &params.cmd, &params.query) {
        (TaskKind::Run, Some(cmd), _) => cmd.as_str(),
        (TaskKind::Search, _, Some(query)) => query.as_str(),
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
