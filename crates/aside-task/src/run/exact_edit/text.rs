//! Replaces texts, identifiers and lines: a text has to match exactly, and an identifier only matches as a whole word.

use std::collections::BTreeMap;

use aside_text::lazy_regex::Regex;

use crate::run::exact_edit::EditResult;
use crate::run::search::definitions::{defines, is_import};
use crate::run::{code, short};

/// Occurrences of a name that are listed.
const MAX_PLACES: usize = 5;
const MAX_SAID: usize = 60;

pub fn replace(from: &str, to: &str, files: &BTreeMap<String, String>) -> EditResult {
    let changed: BTreeMap<String, String> = files
        .iter()
        .filter(|(_, text)| text.contains(from))
        .map(|(path, text)| (path.clone(), text.replace(from, to)))
        .collect();
    let count: usize = files.values().map(|text| text.matches(from).count()).sum();
    if changed.is_empty() {
        let near = files.iter().find_map(|(path, text)| {
            let lower = from.to_lowercase();
            let (at, line) = text.lines().enumerate().find(|(_, line)| line.to_lowercase().contains(&lower))?;
            Some(format!(" `{path}:{}` has it in other letters: {}.", at + 1, code(short(line, MAX_SAID).trim())))
        });
        return EditResult::Nothing(format!(
            "{} is not in {}, so nothing is changed.{}",
            code(&short(from, MAX_SAID)),
            place(files),
            near.unwrap_or_default()
        ));
    }
    let summary = format!(
        "Replace {} with {}, {} in {}",
        code(&short(from, MAX_SAID)),
        code(&short(to, MAX_SAID)),
        times(count),
        counted(changed.len())
    );
    EditResult::Texts { files: changed, summary, note: String::new() }
}

pub fn rename(from: &str, to: &str, files: &BTreeMap<String, String>) -> EditResult {
    let Some(word) = whole(from) else { return EditResult::Nothing(String::new()) };
    let definitions = |name: &str| -> Vec<String> {
        let places = files.iter().flat_map(|(path, text)| {
            let lines = text.lines().enumerate().filter(|(_, line)| defines(line, name));
            lines.map(move |(at, _)| format!("`{path}:{}`", at + 1))
        });
        places.take(MAX_PLACES).collect()
    };
    let defined = definitions(from);
    if defined.is_empty() {
        return EditResult::Nothing(format!(
            "Nothing in {} defines {}, so nothing is renamed. For a text, write it in quotes: replace \"{from}\" with \"{to}\".",
            place(files),
            code(from)
        ));
    }
    let taken = definitions(to);
    if !taken.is_empty() {
        return EditResult::Nothing(format!(
            "{} is defined already, at {}: two things of one name would be mixed up. Choose another name.",
            code(to),
            taken.join(", ")
        ));
    }
    // A file of that name stays where it is, unless it is one of a class or a component.
    let is_called = |path: &String| path.rsplit('/').next().and_then(|name| name.split('.').next()) == Some(from);
    let is_module = from.starts_with(char::is_lowercase) && files.keys().any(is_called);
    let mut count = 0;
    let mut changed = BTreeMap::new();
    for (path, text) in files {
        let mut here = 0;
        let renamed = |line: &str| -> String {
            let new = word.replace_all(line, |found: &regex::Captures<'_>| {
                let range = found.get(0).map_or(0..0, |whole| whole.range());
                if is_module && names_module(line, &range, from) {
                    return found[0].to_owned();
                }
                here += 1;
                format!("{}{to}", &found["before"])
            });
            new.into_owned()
        };
        let new: String = text.split_inclusive('\n').map(renamed).collect();
        if new != *text {
            count += here;
            changed.insert(path.clone(), new);
        }
    }
    let summary = format!("Rename {} to {}, {} in {}", code(from), code(to), times(count), counted(changed.len()));
    let mut note = format!(
        "Defined at {}. Every {} as a whole word is renamed, by its name and not by its type.",
        defined.join(", "),
        code(from)
    );
    if defined.len() > 1 {
        note.push_str(" It is defined more than once: see whether all of them are meant.");
    }
    EditResult::Texts { files: changed, summary, note }
}

/// Whether a match is the name of a file or a module, not of what it defines: `./rates`, `rates.py`, `mod rates;`, `from rates import`.
fn names_module(line: &str, range: &std::ops::Range<usize>, name: &str) -> bool {
    let start = range.end - name.len();
    let (before, behind) = (line.get(..start).unwrap_or_default(), line.get(range.end..).unwrap_or_default());
    let head = before.trim_start();
    let in_import = is_import(line) || head.starts_with("from ") || head.starts_with("import ");
    let is_dotted = before.ends_with('.') && in_import && (behind.starts_with(" import") || behind.trim().is_empty());
    before.ends_with('/')
        || before.ends_with("mod ")
        || behind.starts_with("::")
        || ["from ", "import "].contains(&head)
        || is_dotted
        || behind.strip_prefix('.').is_some_and(|rest| {
            let ending: String = rest.chars().take_while(|letter| letter.is_alphanumeric()).collect();
            ["py", "rs", "ts", "tsx", "js", "jsx", "c", "h", "cpp", "hpp", "go", "rb", "java"]
                .contains(&ending.as_str())
        })
}

/// Matches the name where it is not part of another. Captures the character before it, which is kept.
fn whole(name: &str) -> Option<Regex> {
    Regex::new(&format!(r"(?P<before>^|[^\w$]){}\b", regex::escape(name))).ok()
}

pub fn ignore(patterns: &[String], files: &BTreeMap<String, String>) -> EditResult {
    let old = files.get(".gitignore").map_or("", String::as_str);
    let is_there = |pattern: &&String| {
        let bare = pattern.trim_matches('/');
        old.lines().any(|line| line.trim().trim_matches('/') == bare)
    };
    let (known, new): (Vec<&String>, Vec<&String>) = patterns.iter().partition(is_there);
    let listed = |all: &[&String]| all.iter().map(|pattern| code(pattern)).collect::<Vec<_>>().join(", ");
    if new.is_empty() {
        let verb = if known.len() == 1 { "is" } else { "are" };
        return EditResult::Nothing(format!("{} {verb} in `.gitignore` already.", listed(&known)));
    }
    let newline = if old.is_empty() || old.ends_with('\n') { "" } else { "\n" };
    let rows: String = new.iter().map(|pattern| format!("{pattern}\n")).collect();
    let text = format!("{old}{newline}{rows}");
    let summary = format!("Ignore {} in git", listed(&new));
    let mut note = "Files that git tracks already stay tracked: `git rm --cached FILE` ends that.".to_owned();
    if !known.is_empty() {
        note = format!("{} is there already. {note}", listed(&known));
    }
    EditResult::Texts { files: BTreeMap::from([(".gitignore".to_owned(), text)]), summary, note }
}

pub fn sort(files: &BTreeMap<String, String>) -> EditResult {
    let Some((path, text)) = files.first_key_value() else { return EditResult::Nothing(String::new()) };
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    if !matches!(ending, "txt" | "in" | "list" | "csv" | "dic" | "gitignore" | "words") {
        return EditResult::Nothing(format!(
            "{} is no plain list of lines: sorted, it would mean something else. A list can be sorted, such as requirements.txt.",
            code(path)
        ));
    }
    // Comments at the top are about the whole list, so they stay there.
    let head = text.lines().take_while(|line| line.starts_with('#') || line.trim().is_empty()).count();
    let head = if ending == "csv" { 1 } else { head };
    let lines: Vec<&str> = text.lines().collect();
    let (head, rest) = lines.split_at(head.min(lines.len()));
    if rest.iter().any(|line| line.trim_start().starts_with('#') || line.starts_with([' ', '\t'])) {
        return EditResult::Nothing(format!(
            "{} has comments or indented lines that belong to their neighbours.",
            code(path)
        ));
    }
    let mut rest: Vec<&str> = rest.iter().copied().filter(|line| !line.trim().is_empty()).collect();
    rest.sort_by_key(|line| line.to_lowercase());
    let sorted: String = head.iter().chain(&rest).map(|line| format!("{line}\n")).collect();
    if sorted == *text {
        return EditResult::Nothing(format!("{} is sorted already.", code(path)));
    }
    EditResult::Texts {
        files: BTreeMap::from([(path.clone(), sorted)]),
        summary: format!("Sort {}", code(path)),
        note: String::new(),
    }
}

pub fn append(line: &str, files: &BTreeMap<String, String>) -> EditResult {
    let Some((path, text)) = files.first_key_value() else { return EditResult::Nothing(String::new()) };
    if text.lines().any(|known| known == line) {
        return EditResult::Nothing(format!("{} has that line already.", code(path)));
    }
    let newline = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    let summary = format!("Add a line to {}", code(path));
    EditResult::Texts {
        files: BTreeMap::from([(path.clone(), format!("{text}{newline}{line}\n"))]),
        summary,
        note: String::new(),
    }
}

/// Tells code from the texts in it, letter by letter.
#[derive(Default)]
pub struct Quotes {
    open: Option<char>,
    escaped: bool,
}

impl Quotes {
    /// Whether a letter belongs to a text, with the signs around that. `signs` are those that begin one.
    pub fn hold(&mut self, letter: char, signs: &str) -> bool {
        match self.open {
            Some(_) if self.escaped => self.escaped = false,
            Some(_) if letter == '\\' => self.escaped = true,
            Some(open) if open == letter => self.open = None,
            Some(_) => {}
            None if signs.contains(letter) => self.open = Some(letter),
            None => return false,
        }
        true
    }

    /// The sign of a text that has not ended.
    pub fn open(&self) -> Option<char> {
        self.open
    }
}

fn place(files: &BTreeMap<String, String>) -> String {
    match files.len() {
        1 => files.keys().next().map(|path| code(path)).unwrap_or_default(),
        _ => "the files of the project".to_owned(),
    }
}

pub fn times(count: usize) -> String {
    match count {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        many => format!("{many} times"),
    }
}

pub fn counted(files: usize) -> String {
    if files == 1 { "1 file".to_owned() } else { format!("{files} files") }
}
