//! Changes of the parts of a file that a request names: a comment, a definition, an item of a list, its imports, its blanks, an entry of
//! the changelog. Each part is found by the syntax of the file; what cannot be found exactly is left alone.

pub mod cmake;
mod comment;
mod copyright;
mod definition;
mod entry;
mod item;
pub mod key;
mod known_package;
pub mod port;
mod sort_imports;
mod standard;
mod whitespace;
mod word;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use aside_text::lazy_regex::Regex;
use regex::Captures;

use crate::run::exact_edit::assign::Value;
use crate::run::exact_edit::{EditResult, NAME, PATH, is_file, whole};

use comment::Target;
use entry::Entry;
use item::{Container, Item};
use standard::Standard;
use whitespace::Blanks;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileEdit {
    /// Makes lines a comment, or takes the marks of one away.
    Comment {
        target: Target,
        undo: bool,
        file: String,
    },
    /// A function, a class or a constant with all of its lines.
    RemoveDefinition {
        name: String,
        file: Option<String>,
    },
    /// The standard of C or C++ that everything is compiled with.
    Standard {
        standard: Standard,
        file: Option<String>,
    },
    /// An item of a list, of a variable or of a file of lines.
    Item(Item),
    Blanks {
        blanks: Blanks,
        file: Option<String>,
    },
    Entry(Entry),
    SortImports {
        file: String,
    },
    /// The port that the Dockerfile exposes, wherever the project repeats it.
    ExposedPort {
        to: String,
    },
    /// A port, wherever the project repeats it.
    Port {
        from: String,
        to: String,
        file: Option<String>,
    },
    /// A word as a whole, in one file.
    Word {
        from: String,
        to: String,
        file: String,
    },
    Copyright {
        year: String,
        file: Option<String>,
    },
    /// A key that a file does not have yet.
    AddKey {
        key: String,
        value: Value,
        file: String,
    },
    /// A package that everyone knows by its name alone.
    AddPackage(String),
}

/// A value that a list holds: a path, a flag, a name.
const ITEM: &str = r"[\w@./:*+#%=~!-]+";

static SHAPES: LazyLock<Vec<(&'static str, Regex)>> = LazyLock::new(|| {
    let quoted = r#"(?:"(?P<A>[^"]+)"|'(?P<B>[^']+)'|`(?P<C>[^`]+)`|“(?P<D>[^”]+)”)"#;
    let file = format!(r"(?:the\s+)?(?:file\s+)?`?(?P<file>{PATH})`?");
    let inside = format!(r"(?:\s+(?:in|inside|within|of|from)\s+{file})");
    let remove = r"(?i:remove|delete|drop|get\s+rid\s+of|take\s+out|strip(?:\s+out)?|kill|erase)";
    let sort = r"(?i:function|method|class|struct|enum|interface|type|trait|constant|variable|macro|helper|fixture|test|component|hook|definition\s+of)";
    let rows = [
        (
            "comment",
            format!(
                r"(?P<un>(?i:un))?(?i:comment)(?i:\s+out)?\s+(?:the\s+)?lines?\s+(?P<first>\d+)(?:\s*(?:-|–|to|through|until|and)\s*(?P<last>\d+))?{inside}"
            ),
        ),
        (
            "comment",
            format!(
                r"(?P<un>(?i:un))?(?i:comment)(?i:\s+out)?\s+(?:the\s+|all\s+|every\s+)*(?:lines?\s+(?:that\s+|which\s+)?(?:contain(?:s|ing)?|with|ha(?:s|ve)|says?|saying)\s+)?(?:(?:call|calls)\s+(?:to|of)\s+)?(?:{quoted}|(?P<words>[\w@#.:/()!_-]+(?:\s+[\w@#.:/()!_-]+){{0,3}}?)){inside}"
            ),
        ),
        (
            "definition",
            format!(
                r"{remove}\s+(?:the\s+)?(?:(?i:unused|dead|old|deprecated|obsolete)\s+)?{sort}\s+`?(?P<name>{NAME}(?:(?:\.|::){NAME})*)(?:\(\))?`?{inside}?"
            ),
        ),
        (
            "definition",
            format!(
                r"{remove}\s+(?:the\s+)?(?:(?i:unused|dead|old|deprecated|obsolete)\s+)?`?(?P<name>{NAME}(?:(?:\.|::){NAME})*)(?:\(\))?`?\s+{sort}{inside}?"
            ),
        ),
        (
            "standard",
            format!(
                r"(?i:use|switch\s+to|move\s+to|compile\s+(?:with|as)|build\s+(?:with|as)|upgrade\s+to|update\s+to|bump\s+to|go\s+to|require|target)\s+(?:the\s+)?(?:standard\s+)?`?(?P<language>(?i:c\+\+|cpp|cxx|c))[\s-]?(?P<version>\d\d)`?(?:\s+standard)?{inside}?"
            ),
        ),
        (
            "standard",
            format!(
                r"(?i:set|change|switch|update|bump|raise|move|upgrade)\s+(?:the\s+)?(?P<language>(?i:c\+\+|cpp|cxx|c))\s+(?:language\s+)?(?:standard|version)(?:\s+from\s+\S+)?\s+to\s+(?:(?i:c\+\+|cpp|cxx|c)[\s-]?)?(?P<version>\d\d){inside}?"
            ),
        ),
        (
            "trailing",
            format!(
                r"(?i:remove|strip|trim|delete|clean(?:\s+up)?)\s+(?:all\s+|the\s+)*trailing\s+(?:white\s*spaces?|spaces|blanks)(?:{inside}|\s+(?:everywhere|in\s+all\s+files))?"
            ),
        ),
        (
            "newline",
            format!(
                r"(?i:add|put)\s+(?:a\s+|the\s+)?(?:(?:missing|final|trailing)\s+)*new\s*line\s+(?:to|at)\s+(?:the\s+end\s+of\s+)?{file}"
            ),
        ),
        (
            "unix",
            format!(
                r"(?i:convert|change|switch)\s+(?:the\s+line\s+endings\s+(?:of|in)\s+)?{file}\s+to\s+(?i:lf|unix)(?:\s+line\s+endings|\s+newlines)?"
            ),
        ),
        (
            "tabs",
            format!(
                r"(?i:replace|convert|change)\s+(?:all\s+|the\s+)*tabs\s+(?:with|by|to|into)\s+(?:(?P<many>\d+|two|four|eight)\s+)?spaces{inside}"
            ),
        ),
        (
            "entry",
            format!(
                r"(?i:add|put|write)\s+(?:an?\s+|the\s+|this\s+)?(?:new\s+)?(?:changelog\s+(?:entry|line|item|note)|(?:entry|line|item|bullet|note)\s+(?:to|in)\s+(?:the\s+)?(?:changelog|CHANGELOG\.md))(?:\s+(?:under|for|in|below)\s+(?:the\s+)?`?(?P<section>[\w. -]+?)`?(?:\s+section|\s+heading)?)?(?:\s*:\s*|\s+(?:saying|that\s+says)\s+|\s+)(?:{quoted}|(?P<text>\S.*\S))"
            ),
        ),
        (
            "entry",
            format!(
                r"(?i:add|put|write|append|mention|note)\s+(?:the\s+(?:line|entry|item|bullet)\s+)?{quoted}\s+(?:to|in|into)\s+(?:the\s+)?(?:changelog|CHANGELOG\.md)(?:\s+(?:under|for|in|below)\s+(?:the\s+)?`?(?P<section>[\w. -]+?)`?(?:\s+section|\s+heading)?)?"
            ),
        ),
        (
            "entry",
            format!(
                r"(?i:add|put|write|append|insert)\s+(?:the\s+(?:line|entry|item|bullet)\s+)?{quoted}\s+(?:under|below|in|to)\s+(?:the\s+)?(?:section\s+|heading\s+)?`?(?P<section>[A-Z#][\w. #-]*?)`?(?:\s+section|\s+heading)?\s+(?:in|of)\s+{file}"
            ),
        ),
        (
            "sort-imports",
            format!(
                r"(?i:sort|order|organi[sz]e|alphabeti[sz]e|tidy(?:\s+up)?|reorder)\s+(?:the\s+|all\s+)*(?i:imports|includes|import\s+(?:statements|lines|block)|use\s+(?:statements|lines)|uses){inside}(?:\s+alphabetically)?"
            ),
        ),
        (
            "port",
            format!(
                r"(?i:change|switch|move|update|set)\s+(?:the\s+|our\s+)?(?:(?:default|server|app|http|dev|listening)\s+)?ports?(?:\s+number)?\s+from\s+:?(?P<from>\d{{2,5}})\s+to\s+:?(?P<to>\d{{2,5}})(?:\s+(?:everywhere|in\s+all\s+files|in\s+the\s+(?:whole\s+)?(?:project|repo|code\s?base))|{inside})?"
            ),
        ),
        (
            "port",
            format!(
                r"(?i:use|listen\s+on|run\s+on|serve\s+on|expose|take)\s+(?:the\s+)?port\s+(?P<to>\d{{2,5}})\s+(?:instead\s+of|rather\s+than|in\s+place\s+of)\s+(?:port\s+)?(?P<from>\d{{2,5}})(?:\s+everywhere|{inside})?"
            ),
        ),
        (
            "port-to",
            r"(?i:change|switch|move|update|set)\s+(?:the\s+|our\s+)?(?:(?:default|server|app|http|dev|listening|container|exposed)\s+)?ports?(?:\s+number)?\s+to\s+:?(?P<to>\d{2,5})(?:\s+everywhere)?".to_owned(),
        ),
        (
            "word",
            format!(
                r"(?i:replace|substitute)\s+(?:all\s+|every\s+|the\s+)*(?:(?:word|name|call|calls\s+to|uses?\s+of|occurrences?\s+of)\s+)*`?(?P<from>[A-Za-z_][\w.:-]*?)(?P<call>\(\))?`?\s+(?:with|by)\s+`?(?P<to>[A-Za-z_][\w.:-]*)(?:\(\))?`?\s+(?:in|inside|within)\s+{file}"
            ),
        ),
        (
            "word",
            format!(
                r"(?i:use|write|have)\s+`?(?P<to>[A-Za-z_][\w.:+-]*)`?\s+(?:instead\s+of|rather\s+than|in\s+place\s+of)\s+`?(?P<from>[A-Za-z_][\w.:+-]*)`?\s+(?:in|inside|within)\s+{file}"
            ),
        ),
        (
            "copyright",
            format!(
                r"(?i:update|change|bump|set)\s+(?:the\s+)?(?i:copyright|license|licence)(?:\s+years?)?{inside}?\s+to\s+(?P<year>20\d\d)"
            ),
        ),
        (
            "copyright",
            format!(
                r"(?i:update|change|bump|set)\s+(?:the\s+)?(?i:copyright)(?:\s+years?)?\s+to\s+(?P<year>20\d\d){inside}?"
            ),
        ),
        (
            "add-item",
            format!(
                r#"(?i:add|append|put)\s+(?:the\s+)?(?:(?:flag|option|value|entry|element|item|file|source|sources|path|host|library|definition|pattern|line)\s+)?(?:{quoted}|(?P<value>{ITEM}(?:(?:\s*,\s*|\s+and\s+){ITEM})*))\s+(?i:to|into|in)\s+(?:the\s+)?(?P<what>(?i:compile(?:r)?\s+(?:options|flags|definitions)|link(?:er)?\s+libraries|linked\s+libraries)|sources|source\s+files|libraries)(?:\s+(?:of|for)\s+(?:the\s+)?(?:target\s+)?`?(?P<target>[\w.-]+)`?)?{inside}?"#
            ),
        ),
        (
            "add-item",
            format!(
                r#"(?i:add|append|put)\s+(?:the\s+)?(?:{quoted}|(?P<value>{ITEM}(?:(?:\s*,\s*|\s+and\s+){ITEM})+|{ITEM}))\s+(?i:to|into|in)\s+(?:the\s+)?`?(?P<key>{NAME})`?\s+(?:list|array|set|tuple){inside}?"#
            ),
        ),
        (
            "add-item",
            format!(
                r#"(?i:add|append|put)\s+(?:the\s+)?(?:(?:pattern|line|entry|path|rule|folder|directory)\s+)?(?:{quoted}|(?P<value>{ITEM}))\s+(?i:to|into|in)\s+(?:the\s+)?`?(?P<file>(?:[\w./-]*/)?\.(?:docker|npm|eslint|prettier|helm|gcloud|style)ignore)`?"#
            ),
        ),
        (
            "remove-item",
            format!(
                r#"(?i:remove|drop|delete|take|strip)\s+(?:the\s+)?(?:(?:flag|option|value|entry|element|item|file|source|pattern|line|word|path|host|library|rule)\s+)?(?:{quoted}|(?P<value>{ITEM}))\s+(?:back\s+)?(?i:from|out\s+of)\s+(?:the\s+)?(?:(?:variable|list|array|sources\s+(?:in|of))\s+)?`?(?P<key>[A-Z][A-Z0-9_]+|[a-z]\w*_\w+|[a-z]+[A-Z]\w*)`?(?:\s+(?:list|array|set|variable|flags))?{inside}?"#
            ),
        ),
        (
            "remove-item",
            format!(
                r#"(?i:remove|drop|delete|take|strip)\s+(?:the\s+)?(?:(?:flag|option|value|entry|element|item|file|source|pattern|line|word|path|host|library|rule)\s+)?(?:{quoted}|(?P<value>{ITEM}))\s+(?:back\s+)?(?i:from|out\s+of)\s+(?:the\s+)?(?:(?:variable|list|array|sources\s+(?:in|of))\s+)?{file}"#
            ),
        ),
        (
            "add-env",
            format!(
                r#"(?i:add|append|put|define)\s+(?:the\s+|an?\s+)?(?:(?:env(?:ironment)?\s+)?(?:var(?:iable)?|setting|key)\s+|line\s+)?`?(?P<key>[A-Z][A-Z0-9_]+)(?:=(?P<value>[^\s`]*)|\s+(?:with\s+(?:the\s+)?value|set\s+to|as)\s+(?P<other>[^\s`]+))?`?\s+(?i:to|in|into)\s+{file}"#
            ),
        ),
        (
            "add-key",
            format!(
                r#"(?i:add|put)\s+(?:the\s+|an?\s+)?(?:(?:key|setting|option|field|property|line)\s+)?["`]?(?P<key>[A-Za-z_][\w.-]*)["`]?\s*[:=]\s*(?:{quoted}|(?P<value>-?\d[\w.]*|true|false|null|[\w./-]+))\s+(?i:to|in|into)\s+{file}"#
            ),
        ),
        ("package", r"(?i:add|install)\s+(?:the\s+)?`?(?P<name>@?[a-z][\w./@-]*)`?".to_owned()),
    ];
    rows.into_iter().filter_map(|(name, pattern)| Some((name, whole(&pattern)?))).collect()
});

/// All readings of a request as such a change. The files decide which one is meant.
pub fn readings(request: &str) -> Vec<FileEdit> {
    let mut all: Vec<FileEdit> = Vec::new();
    for edit in SHAPES.iter().filter_map(|(name, pattern)| edit(name, &pattern.captures(request)?)) {
        if !all.contains(&edit) {
            all.push(edit);
        }
    }
    all
}

fn edit(name: &str, found: &Captures<'_>) -> Option<FileEdit> {
    let of = |group: &str| found.name(group).map(|value| value.as_str().trim().to_owned());
    let quoted = || ["A", "B", "C", "D"].iter().find_map(|group| of(group));
    // "In the sidebar" is no file, so the sentence is about something else.
    let file = of("file").filter(|file| is_file(file));
    if file.is_none() && found.name("file").is_some() {
        return None;
    }
    let value = |text: Option<String>| match quoted() {
        Some(text) => Some(Value { text, quoted: true }),
        None => Some(Value { text: text?, quoted: false }),
    };
    Some(match name {
        "comment" => {
            let number = |group: &str| of(group).and_then(|number| number.parse::<usize>().ok());
            let target = match (number("first"), quoted(), of("words")) {
                (Some(first), ..) => Target::Lines(first, number("last").unwrap_or(first)),
                (None, Some(text), _) => Target::Text(text),
                (None, None, words) => Target::words(&words?)?,
            };
            FileEdit::Comment { target, undo: found.name("un").is_some(), file: file? }
        }
        "definition" => FileEdit::RemoveDefinition { name: of("name").filter(|name| definition::may_be(name))?, file },
        "standard" => FileEdit::Standard { standard: Standard::new(&of("language")?, &of("version")?)?, file },
        "trailing" => FileEdit::Blanks { blanks: Blanks::Trailing, file },
        "newline" => FileEdit::Blanks { blanks: Blanks::LastLine, file: Some(file?) },
        "unix" => FileEdit::Blanks { blanks: Blanks::Carriage, file: Some(file?) },
        "tabs" => {
            let many = match of("many").as_deref() {
                None | Some("four") => 4,
                Some("two") => 2,
                Some("eight") => 8,
                Some(number) => number.parse().ok().filter(|many| (1..=8).contains(many))?,
            };
            FileEdit::Blanks { blanks: Blanks::Tabs(many), file: Some(file?) }
        }
        "entry" => {
            let text = quoted().or_else(|| of("text"))?;
            FileEdit::Entry(Entry {
                text,
                section: of("section"),
                file: file.unwrap_or_else(|| "CHANGELOG.md".to_owned()),
            })
        }
        "sort-imports" => FileEdit::SortImports { file: file? },
        "port" => {
            let (from, to) = (of("from")?, of("to")?);
            (from != to).then_some(FileEdit::Port { from, to, file })?
        }
        "port-to" => FileEdit::ExposedPort { to: of("to")? },
        "word" => word::read(&of("from")?, &of("to")?, file?)?,
        "copyright" => FileEdit::Copyright { year: of("year")?, file },
        "add-item" | "remove-item" => {
            let container = match (of("what"), of("key"), &file) {
                (Some(what), ..) => Container::Cmake(cmake::Arguments::new(&what, of("target"))?),
                (None, Some(key), _) => Container::Variable(key),
                (None, None, Some(_)) => Container::File,
                (None, None, None) => return None,
            };
            let values = match quoted() {
                Some(text) => vec![Value { text, quoted: true }],
                None => item::split(&of("value")?),
            };
            FileEdit::Item(Item { values, container, remove: name == "remove-item", file })
        }
        "add-env" => {
            let file = file.filter(|file| key::is_environment(file))?;
            let text = of("value").or_else(|| of("other")).unwrap_or_default();
            FileEdit::AddKey { key: of("key")?, value: Value { text, quoted: false }, file }
        }
        "add-key" => FileEdit::AddKey { key: of("key")?, value: value(of("value"))?, file: file? },
        "package" => FileEdit::AddPackage(of("name").filter(|name| known_package::is_known(name))?),
        _ => return None,
    })
}

impl FileEdit {
    /// Whether the words can mean nothing else, whatever the files have.
    pub fn is_certain(&self) -> bool {
        match self {
            FileEdit::Comment { .. }
            | FileEdit::Standard { .. }
            | FileEdit::Blanks { .. }
            | FileEdit::Entry(_)
            | FileEdit::SortImports { .. }
            | FileEdit::Word { .. }
            | FileEdit::Copyright { .. }
            | FileEdit::AddKey { .. } => true,
            FileEdit::RemoveDefinition { .. }
            | FileEdit::Item(_)
            | FileEdit::Port { .. }
            | FileEdit::ExposedPort { .. }
            | FileEdit::AddPackage(_) => false,
        }
    }

    /// The file that it names.
    pub fn file(&self) -> Option<&str> {
        match self {
            FileEdit::Comment { file, .. }
            | FileEdit::SortImports { file }
            | FileEdit::Word { file, .. }
            | FileEdit::AddKey { file, .. } => Some(file),
            FileEdit::RemoveDefinition { file, .. }
            | FileEdit::Standard { file, .. }
            | FileEdit::Blanks { file, .. }
            | FileEdit::Port { file, .. }
            | FileEdit::Copyright { file, .. } => file.as_deref(),
            FileEdit::Item(item) => item.file.as_deref(),
            FileEdit::Entry(entry) => Some(&entry.file),
            FileEdit::AddPackage(_) | FileEdit::ExposedPort { .. } => None,
        }
    }

    /// A text that a file must contain to be relevant, if any file may be.
    pub fn needle(&self) -> Option<&str> {
        match self {
            FileEdit::RemoveDefinition { name, .. } => Some(definition::last(name)),
            FileEdit::Blanks { file: None, .. } => Some(" \n"),
            FileEdit::Port { from, file: None, .. } => Some(from),
            // The number is only known once the Dockerfile is read.
            FileEdit::ExposedPort { .. } => Some(""),
            FileEdit::Copyright { file: None, .. } => Some("copyright"),
            FileEdit::Item(Item { file: None, container: Container::Variable(name), .. }) => Some(name),
            _ => None,
        }
    }

    /// Whether it concerns a file at this path, wherever that is.
    pub fn concerns(&self, path: &str) -> bool {
        match self {
            FileEdit::Standard { file: None, .. } => standard::reads(path),
            FileEdit::Item(Item { file: None, container: Container::Cmake(_), .. }) => cmake::is_cmake(path),
            _ => false,
        }
    }

    pub fn concerns_some(&self) -> bool {
        matches!(
            self,
            FileEdit::Standard { file: None, .. }
                | FileEdit::Item(Item { file: None, container: Container::Cmake(_), .. })
        )
    }

    pub fn manifests(&self) -> &'static [&'static str] {
        match self {
            FileEdit::AddPackage(_) => super::manifest::LISTS,
            _ => &[],
        }
    }

    /// The package manager's command, where it maintains its own list.
    pub fn command(&self, has: &dyn Fn(&str) -> bool) -> Option<String> {
        match self {
            FileEdit::AddPackage(name) => known_package::command(name, has),
            _ => None,
        }
    }

    pub fn apply(&self, files: &BTreeMap<String, String>) -> EditResult {
        match self {
            FileEdit::Comment { target, undo, .. } => comment::change(target, *undo, files),
            FileEdit::RemoveDefinition { name, file } => definition::remove(name, file.as_deref(), files),
            FileEdit::Standard { standard, .. } => standard.set(files),
            FileEdit::Item(item) => item.change(files),
            FileEdit::Blanks { blanks, file } => blanks.change(file.is_some(), files),
            FileEdit::Entry(entry) => entry.add(files),
            FileEdit::SortImports { .. } => sort_imports::sort(files),
            FileEdit::Port { from, to, .. } => port::change(from, to, files),
            FileEdit::ExposedPort { to } => port::change_exposed(to, files),
            FileEdit::Word { from, to, .. } => word::replace(from, to, files),
            FileEdit::Copyright { year, .. } => copyright::set(year, files),
            FileEdit::AddKey { key, value, .. } => key::add(key, value, files),
            FileEdit::AddPackage(name) => known_package::add(name, files),
        }
    }
}

/// The one changed file.
fn one(path: &str, text: String, summary: String) -> EditResult {
    EditResult::Texts { files: BTreeMap::from([(path.to_owned(), text)]), summary, note: String::new() }
}

fn ending(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or("", |(_, ending)| ending)
}
