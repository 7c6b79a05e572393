//! Tidying that a request names by its kind: output for debugging, keys in order, a misspelt word, the layout of one file. What exactly
//! goes or moves is found in the files; where several things may be meant, they are listed and nothing is changed.

pub mod formatter;
mod marks;
mod prints;
mod sorting;
mod typo;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use aside_text::lazy_regex::Regex;
use regex::Captures;

use crate::run::exact_edit::{EditResult, NAME, PATH, is_file, whole};
use formatter::{FileGoal, FormatFile};
use marks::Mark;
use prints::Prints;
use sorting::Sorting;
use typo::Typo;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cleanup {
    /// Statements that only print.
    Prints(Prints),
    Sort(Sorting),
    Typo(Typo),
    /// A comment with a mark such as TODO, by what it says.
    Mark(Mark),
    /// A formatter writes the file; the project says which one.
    Format(FormatFile),
}

/// What is printed with, as a request calls it.
const PRINTS: &str = r"(?i:print|printf|println|eprintln|dbg|cout|cerr|puts|var_dump|console\.(?:log|debug|info|trace|dir|table|warn|error)|console|System\.(?:out|err)(?:\.print(?:ln|f)?)?|(?:fmt|log)\.Print(?:ln|f)?|output|log|logging|line|statement|call)";

static SHAPES: LazyLock<Vec<(&'static str, Regex)>> = LazyLock::new(|| {
    let file = format!(r"(?:the\s+)?(?:file\s+)?`?(?P<file>{PATH})`?(?:\s+file)?");
    let inside = format!(r"(?:\s+(?:in|from|of|inside|within|out\s+of)\s+{file})");
    let everywhere = r"(?:\s+(?:everywhere|in\s+all\s+files|from\s+(?:the\s+)?(?:code|project|codebase|repo)))";
    let tools = formatter::names(FileGoal::Format).join("|");
    let linters = formatter::names(FileGoal::Lint).join("|");
    let checkers = formatter::names(FileGoal::Types).join("|");
    let word = r#"["'`“]?(?P<wrong>[A-Za-z][A-Za-z'-]*)["'`”]?"#;
    let other = r#"["'`“]?(?P<right>[A-Za-z][A-Za-z'-]*)["'`”]?"#;
    let misspelt =
        r"(?i:typos?|spelling(?:\s+(?:mistakes?|errors?))?|misspellings?|mistakes?|misspelt\s+word|misspelled\s+word)";
    let order = r"(?:\s+(?i:alphabetically|by\s+name|a\s?-\s?z|in\s+alphabetical\s+order))";
    let sort = r"(?i:sort|order|alphabeti[sz]e|reorder)";
    let rows = [
        (
            "prints",
            format!(
                r"(?i:remove|take\s+out|delete|drop|get\s+rid\s+of|strip(?:\s+out)?|clean\s+(?:up|out)|cut)\s+(?P<mods>(?:(?i:all|every|any|the|my|those|that|these|this|leftover|left-over|stray|remaining|old|of|single|one|debug(?:ging)?)\s+)*)`?(?P<what>{PRINTS})!?(?:\(\))?(?P<plural>s)?`?(?:\s+(?P<noun>(?i:statements?|calls?|lines?|macros?|output|logs?|messages?|logging)))?(?:{inside}|{everywhere})?"
            ),
        ),
        (
            "format",
            format!(
                r"(?i:(?:auto-?)?format|reformat|prettify|beautify|pretty-?print|fmt)\s+{file}(?:\s+(?:with|using)\s+(?P<tool>{tools}))?"
            ),
        ),
        (
            "format",
            format!(
                r"(?i:fix|tidy(?:\s+up)?|clean\s+up|correct|apply)\s+(?:the\s+)?(?i:code\s+)?(?i:format(?:ting)?|layout|indentation|code\s+style){inside}"
            ),
        ),
        ("format", format!(r"(?i:(?:run|use|apply|do)\s+)?(?P<tool>{tools})\s+(?:(?i:on|over|to|for|in)\s+)?{file}")),
        (
            "lint",
            format!(
                r"(?i:lint|run\s+(?:the\s+)?linter\s+(?:on|over|for)|run\s+lint\s+on)\s+{file}(?:\s+(?:with|using)\s+(?P<tool>{linters}))?"
            ),
        ),
        ("lint", format!(r"(?i:(?:run|use)\s+)?(?P<tool>{linters})\s+(?i:on|over|for)\s+{file}")),
        (
            "types",
            format!(
                r"(?i:type-?check|check\s+(?:the\s+)?types\s+(?:of|in)|run\s+(?:the\s+)?type\s?checker\s+on)\s+{file}(?:\s+(?:with|using)\s+(?P<tool>{checkers}))?"
            ),
        ),
        ("types", format!(r"(?i:(?:run|use)\s+)?(?P<tool>{checkers})\s+(?i:on|over|for)\s+{file}")),
        (
            "sort",
            format!(
                r"{sort}\s+(?:the\s+|all\s+)*(?i:json\s+)?(?i:keys|entries|translations|properties|fields|messages|strings){order}?{inside}{order}?"
            ),
        ),
        ("sort", format!(r"{sort}\s+(?:the\s+)?`?(?P<file>[\w./-]+\.json)`?(?:\s+(?i:keys))?{order}?")),
        (
            "sort",
            format!(
                r"{sort}\s+(?:the\s+)?`?(?P<name>{NAME})`?(?:\s+(?i:list|array|section|table|object|block|tuple|set))?{order}?{inside}{order}?"
            ),
        ),
        (
            "sort",
            format!(
                r"{sort}\s+(?:the\s+)?`?(?P<name>{NAME})`?(?:\s+(?i:list|array|section|table|object|block|tuple|set))?{order}"
            ),
        ),
        ("sort", format!(r"{sort}\s+(?:the\s+)?(?i:list|array|tuple|set)\s+`?(?P<name>{NAME})`?{order}?(?:{inside})?")),
        (
            "sort",
            format!(
                r"(?i:alphabeti[sz]e)\s+(?:the\s+)?`?(?P<name>{NAME})`?(?:\s+(?i:list|array|section|table|object|block|tuple|set))?(?:{inside})?"
            ),
        ),
        (
            "mark",
            format!(
                r"(?i:delete|remove|drop|get\s+rid\s+of|clear)\s+(?:the\s+|that\s+)?(?P<mark>TODO|FIXME|XXX|HACK|todo|fixme)(?:[\s-](?i:comment|note|line|remark))?(?:\s+(?i:about|for|on|regarding|that\s+says|saying|to|with)\s+(?P<words>[\w\s'-]+?))?(?:{inside})?"
            ),
        ),
        (
            "typo",
            format!(
                r"(?i:fix|correct|repair)\s+(?:the\s+|a\s+)?{misspelt}\s+(?:(?i:of|in)\s+)?(?:(?i:the\s+)?(?i:word)\s+)?{word}\s*(?:->|=>|→|\s(?i:to|into|with|by)\s)\s*{other}(?:{inside})?"
            ),
        ),
        (
            "typo",
            format!(
                r"(?i:fix|correct|repair)\s+(?:the\s+|a\s+)?{misspelt}\s+(?:(?i:of)\s+)?(?:(?i:the\s+)?(?i:word)\s+)?{word}(?:{inside})?"
            ),
        ),
        (
            "typo",
            format!(
                r"(?i:fix|correct|repair)\s+(?:the\s+|a\s+|all\s+|any\s+)*{misspelt}{inside}(?:\s*[,:;]?\s*{word}\s+(?i:should\s+be|->|=>|→|is|must\s+be)\s+{other})?"
            ),
        ),
        (
            "typo",
            format!(
                r"(?i:there(?:'s|s|\s+is)\s+a\s+(?:typo|spelling\s+mistake|misspelling)){inside}\s*[,:;]?\s*{word}\s+(?i:should\s+be|must\s+be|->|=>)\s+{other}"
            ),
        ),
        (
            "typo",
            format!(
                r"{word}\s+(?i:should\s+(?:be|read|say)(?:\s+spelled)?|is\s+misspelled,?\s+it\s+should\s+be)\s+{other}{inside}"
            ),
        ),
        (
            "typo",
            format!(
                r"(?i:correct|fix)\s+(?:the\s+)?(?:(?i:spelling\s+of|misspelt|misspelled)\s+)(?:(?i:the\s+)?(?i:word)\s+)?{word}(?:{inside})?"
            ),
        ),
    ];
    rows.into_iter().filter_map(|(name, pattern)| Some((name, whole(&pattern)?))).collect()
});

/// All readings of a request as such a change.
pub fn readings(request: &str) -> Vec<Cleanup> {
    let mut all: Vec<Cleanup> = Vec::new();
    for cleanup in SHAPES.iter().filter_map(|(name, pattern)| cleanup(name, &pattern.captures(request)?)) {
        if !all.contains(&cleanup) {
            all.push(cleanup);
        }
    }
    all
}

fn cleanup(name: &str, found: &Captures<'_>) -> Option<Cleanup> {
    let of = |group: &str| found.name(group).map(|value| value.as_str().trim().to_owned());
    let file = of("file");
    Some(match name {
        "prints" => {
            // A class stands for its file: "from StopService".
            let is_named = |file: &String| is_file(file) || file.chars().next().is_some_and(char::is_uppercase);
            if file.as_ref().is_some_and(|file| !is_named(file)) {
                return None;
            }
            let mods = of("mods").unwrap_or_default().to_lowercase();
            let has = |word: &str| mods.split_whitespace().any(|known| known.starts_with(word));
            let noun = of("noun").unwrap_or_default().to_lowercase();
            let several =
                found.name("plural").is_some() || noun.ends_with('s') || ["output", "logging"].contains(&noun.as_str());
            let all = has("all") || has("every") || has("any") || several;
            Cleanup::Prints(Prints::new(&of("what")?, has("debug"), all, file)?)
        }
        "format" | "lint" | "types" => {
            let goal = match name {
                "lint" => FileGoal::Lint,
                "types" => FileGoal::Types,
                _ => FileGoal::Format,
            };
            Cleanup::Format(FormatFile { file: file.filter(|file| is_file(file))?, tool: of("tool"), goal })
        }
        "sort" => {
            let file = file.filter(|file| is_file(file));
            if file.is_none() && found.name("file").is_some() {
                return None;
            }
            Cleanup::Sort(Sorting::new(of("name"), file)?)
        }
        "mark" => Cleanup::Mark(Mark::new(&of("mark")?, of("words"), file.filter(|file| is_file(file)))?),
        "typo" => {
            let file = file.filter(|file| is_file(file));
            if file.is_none() && found.name("file").is_some() {
                return None;
            }
            Cleanup::Typo(Typo::new(of("wrong"), of("right"), file)?)
        }
        _ => return None,
    })
}

impl Cleanup {
    /// Whether the words can mean nothing else, whatever the files have.
    pub fn is_certain(&self) -> bool {
        match self {
            Cleanup::Prints(_) | Cleanup::Format(_) | Cleanup::Typo(_) | Cleanup::Mark(_) => true,
            Cleanup::Sort(sorting) => sorting.file.is_some(),
        }
    }

    pub fn file(&self) -> Option<&str> {
        match self {
            Cleanup::Prints(prints) => prints.file.as_deref(),
            Cleanup::Sort(sorting) => sorting.file.as_deref(),
            Cleanup::Typo(typo) => typo.file.as_deref(),
            Cleanup::Mark(mark) => mark.file.as_deref(),
            Cleanup::Format(format) => Some(&format.file),
        }
    }

    /// A text that a file must contain to be relevant, if any file may be.
    pub fn needle(&self) -> Option<&str> {
        match self {
            Cleanup::Prints(prints) if prints.file.is_none() => Some(prints.needle()),
            Cleanup::Sort(Sorting { name: Some(name), file: None }) => Some(name),
            Cleanup::Typo(typo) => typo.needle(),
            Cleanup::Mark(mark) => mark.needle(),
            Cleanup::Prints(_) | Cleanup::Sort(_) | Cleanup::Format(_) => None,
        }
    }

    pub fn apply(&self, files: &BTreeMap<String, String>) -> EditResult {
        match self {
            Cleanup::Prints(prints) => prints.remove(files),
            Cleanup::Sort(sorting) => sorting.sort(files),
            Cleanup::Typo(typo) => typo.fix(files),
            Cleanup::Mark(mark) => mark.remove(files),
            Cleanup::Format(_) => EditResult::Nothing(String::new()),
        }
    }
}
