//! Requests that change the one before: `only the big ones`, `same but in src`, `sorted by size`, `and count them`. The
//! request before must have been a query that shows files, and every word of the change must be understood; else there is
//! no answer.

use crate::embedded::analysis::AnalyzedQuery;
use crate::embedded::files::parse;
use crate::embedded::files::query::{Action, FileType, OutputShape, Query};
use crate::embedded::files::render;
use crate::embedded::files::spelling::ExplainedCommand;
use crate::embedded::lexicon::is_han;

/// Words of a change; a longer request stands for itself.
const MAX_WORDS: usize = 12;
/// Share of the weight that must be explained.
const WHOLE: f32 = 0.95;

/// Words that begin a change.
const BEGINS: &[&str] = &[
    "only", "just", "same", "and", "now", "but", "then", "also", "sorted", "sort", "as", "by", "newest", "oldest",
    "largest", "biggest", "smallest", "ok", "how", "names", "one",
];
/// Words that stand for the files that were shown.
const PRONOUNS: &[&str] = &["ones", "them", "those", "these", "they"];
/// Words that say no more than that the request goes on.
const GOES_ON: &[&str] = &[
    "and", "now", "ok", "okay", "then", "but", "please", "just", "only", "same", "again", "also", "thing", "that",
    "do", "show", "me", "query", "list",
];
const FILES: &[&str] = &["file", "files", "folder", "folders", "directory", "directories", "dirs"];
const BEGINS_HAN: &[&str] = &["只要", "只看", "只", "同样", "一样", "再", "但是", "但", "并", "然后", "按"];
const PRONOUNS_HAN: &[&str] = &["它们", "那些", "这些", "其中"];

/// A change as it was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// In words of its own that can be read as a query: `files in src`.
    Query(String),
    /// `as a list`: names only, one in a line.
    Plain,
}

impl Change {
    /// `None` for a request that does not refer to the one before.
    pub fn of(words: &str) -> Option<Self> {
        if words.chars().any(is_han) {
            return han(words);
        }
        let low = words.trim_end_matches(['.', '!', '?']).to_lowercase();
        let tokens: Vec<&str> = low.split_whitespace().collect();
        let is_about = BEGINS.contains(tokens.first()?) || tokens.iter().any(|token| PRONOUNS.contains(token));
        if !is_about || tokens.len() > MAX_WORDS {
            return None;
        }
        let all_in = |known: &[&str]| tokens.iter().all(|token| known.contains(token));
        if all_in(&[
            "as", "a", "plain", "list", "one", "per", "line", "names", "only", "just", "the", "in", "and", "now",
        ]) && tokens.iter().any(|token| matches!(*token, "list" | "line" | "names"))
        {
            return Some(Self::Plain);
        }
        if all_in(&["and", "how", "many", "are", "there", "is", "that", "of", "them", "those", "these", "now", "ok"]) {
            return tokens.contains(&"many").then(|| Self::Query("count files".to_owned()));
        }
        // A name keeps its case.
        let typed = words.trim_end_matches(['.', '!', '?']).split_whitespace();
        let kept = typed.zip(&tokens).filter(|(_, token)| !GOES_ON.contains(token));
        let kept: Vec<&str> = kept.map(|(word, token)| if PRONOUNS.contains(token) { "files" } else { word }).collect();
        let names_files = kept.iter().any(|word| FILES.contains(&word.to_lowercase().as_str()));
        let rest = kept.join(" ");
        (!rest.is_empty()).then(|| Self::Query(if names_files { rest } else { format!("files {rest}") }))
    }
}

fn han(words: &str) -> Option<Change> {
    let words = words.trim_end_matches(['。', '？', '！']);
    let begins = BEGINS_HAN.iter().find(|begin| words.starts_with(**begin));
    let pronoun = PRONOUNS_HAN.iter().find(|pronoun| words.contains(**pronoun));
    if begins.is_none() && pronoun.is_none() || words.chars().count() > 2 * MAX_WORDS {
        return None;
    }
    let rest = begins.filter(|begin| **begin != "按").map_or(words, |begin| &words[begin.len()..]);
    let rest = pronoun.map_or(rest.to_owned(), |pronoun| rest.replace(pronoun, "文件"));
    let rest = rest.trim();
    match rest {
        "" => None,
        _ if rest.contains("文件") => Some(Change::Query(rest.to_owned())),
        _ if rest.ends_with('的') => Some(Change::Query(format!("{rest}文件"))),
        _ => Some(Change::Query(format!("文件{rest}"))),
    }
}

/// The query of a request that shows files and that is understood to its last word.
pub fn typed(reading: &AnalyzedQuery<'_>) -> Option<Query> {
    let read = parse::read(reading)?;
    let (all, explained) = reading.weigh(&read.used);
    let is_whole = all <= 0.0 || explained / all >= WHOLE;
    (is_whole && read.query.action == Action::Show && !read.query.contradicts()).then_some(read.query)
}

/// The query with a change made to it; `None` if the change says nothing.
pub fn changed(before: &Query, change: Query) -> Option<Query> {
    let mut query = before.clone();
    let Query {
        roots,
        what,
        names,
        also,
        not_names,
        avoid,
        tests,
        texts,
        any_case,
        max_depth,
        min_depth,
        reach,
        order,
        top,
        is_rest,
        quiet: _,
        shape,
        details,
        human,
        absolute,
        base_names,
        with_hidden,
        action,
        save,
        each,
        is_search: _,
        only_files: _,
        all: _,
        vague,
    } = change;
    if action != Action::Show || save.is_some() {
        return None;
    }
    let replace = |old: &mut Vec<_>, new: Vec<_>| {
        if !new.is_empty() {
            *old = new;
        }
    };
    replace(&mut query.roots, roots);
    replace(&mut query.avoid, avoid);
    if !names.is_empty() || !also.is_empty() {
        (query.names, query.also) = (names, also);
    }
    if what == FileType::Directories {
        query.what = what;
    }
    query.not_names.extend(not_names);
    query.tests.extend(tests);
    query.texts.extend(texts);
    (query.max_depth, query.min_depth) = (max_depth.or(query.max_depth), min_depth.or(query.min_depth));
    if reach != Default::default() {
        query.reach = reach;
    }
    // A new order without a number still shows all that were shown.
    (query.order, query.top) = (order.or(query.order), top.or(query.top));
    query.vague = vague.or(query.vague);
    if shape != OutputShape::Names {
        query.shape = shape;
    }
    query.any_case |= any_case;
    query.is_rest |= is_rest;
    query.details |= details;
    query.human |= human;
    query.absolute |= absolute;
    query.base_names |= base_names;
    query.with_hidden |= with_hidden;
    query.each |= each;
    (query != *before && !query.contradicts()).then_some(query)
}

/// The names of what was shown, without details.
pub fn plain(before: &Query) -> Query {
    Query { shape: OutputShape::Names, details: false, human: false, ..before.clone() }
}

/// The command for a query.
pub fn command(reading: &AnalyzedQuery<'_>, query: &Query) -> Option<ExplainedCommand> {
    render::render(query, reading.place).into_iter().next()
}
