//! Files by what they are and by what is said of them: `python files changed this week`, `notebooks larger than 1 MB`, `yaml files in config`.
//! Every word of the request counts: what is not understood makes it another search.

use std::sync::LazyLock;

use aside_text::lazy_regex::Regex;

use crate::run::find::{Kind, Than};
use crate::run::search::lists;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    pub what: FileSet,
    pub filters: Vec<Filter>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileSet {
    All,
    /// By the ends of their names.
    Endings(Vec<String>),
    Kind(Kind),
    /// Definitions that begin with this word, else what is in a directory of the name: `resources`, `roles`.
    Noun(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Filter {
    Larger(u64),
    Smaller(u64),
    Lines(Than, usize),
    Since(Since),
    /// Not changed since then.
    Before(Since),
    /// Written after the file of this name, or before it.
    Newer(String),
    Older(String),
    By(String),
    Under(String),
    Empty,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Since {
    Days(u64),
    /// From the first of this month on, 1 to 12.
    Month(u8),
    /// `2026-10-01`.
    Date(String),
}

/// Nouns for files, and the ends of their names.
const NOUNS: &[(&[&str], &[&str])] = &[
    (&["notebook", "jupyter notebook"], &["ipynb"]),
    (&["header", "header file", "c header"], &["h", "hpp", "hh", "hxx"]),
    (&["image", "picture", "icon"], &["png", "jpg", "jpeg", "gif", "svg", "webp", "ico", "bmp"]),
    (&["shell script"], &["sh", "bash", "zsh"]),
    (&["stylesheet", "style sheet"], &["css", "scss", "sass", "less"]),
    (&["template"], &["j2", "tmpl", "tpl", "erb", "hbs", "mustache", "ejs", "jinja"]),
    (&["archive"], &["zip", "tar", "gz", "tgz", "xz", "7z", "bz2", "jar"]),
    (&["csv", "spreadsheet"], &["csv", "tsv", "xlsx"]),
    (&["proto", "protobuf"], &["proto"]),
    (&["terraform"], &["tf", "tfvars"]),
    (&["certificate"], &["pem", "crt", "cer"]),
    (&["pdf"], &["pdf"]),
    (&["text"], &["txt"]),
    (&["log"], &["log"]),
    (&["dart"], &["dart"]),
    (&["lua"], &["lua"]),
    (&["scala"], &["scala"]),
    (&["haskell"], &["hs"]),
    (&["elixir"], &["ex", "exs"]),
    (&["perl"], &["pl", "pm"]),
    (&["xml"], &["xml"]),
    (&["vue"], &["vue"]),
    (&["properties"], &["properties"]),
    (&["gradle"], &["gradle", "gradle.kts"]),
    (&["make"], &["mk"]),
];

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

struct Patterns {
    head: Regex,
    clauses: Vec<(&'static str, Regex)>,
}

static PATTERNS: LazyLock<Option<Patterns>> = LazyLock::new(|| {
    let clause = |pattern: &str| Regex::new(&format!("(?i)^(?:{pattern})(?: |$)")).ok();
    Some(Patterns {
        head: Regex::new(r"(?i)^(?:(?P<verb>find|list|show|search(?: for)?|look for|give|get|which|what|where are|are there|display|print|see)(?: me| us)?(?: are)?(?: all| every| any)?(?: of)?(?: the| our| my)? )?(?P<what>.+)$").ok()?,
        clauses: vec![
            ("size", clause(r"(?:that are |which are |are )?(?P<way>larger|bigger|over|above|smaller|under|below|less|more)(?: than)? (?P<size>\d+(?:\.\d+)?) ?(?P<unit>b|bytes?|k|kb|kib|m|mb|mib|g|gb|gib|kilobytes?|megabytes?|gigabytes?)")?),
            ("lines", clause(r"(?:that (?:have|are) |which have |have |with |of )?(?P<way>more than|over|at least|longer than|fewer than|less than|under|shorter than) (?P<size>\d+) lines?(?: long| of code)?")?),
            ("before", clause(r"(?:that |which )?(?:have(?:n'?t| not)|has(?:n'?t| not)|had not|were(?:n'?t| not)|was(?:n'?t| not)|did(?:n'?t| not)|not|never|un)(?: yet)?(?: been)? ?(?:changed?|modif(?:ied|y)|edit(?:ed)?|touch(?:ed)?|updated?|committed) (?P<when>today|this week|this month|this year)")?),
            ("before", clause(r"(?:that |which )?(?:have(?:n'?t| not)|has(?:n'?t| not)|had not|were(?:n'?t| not)|was(?:n'?t| not)|did(?:n'?t| not)|not|never|un)(?: yet)?(?: been)? ?(?:changed?|modif(?:ied|y)|edit(?:ed)?|touch(?:ed)?|updated?|committed) (?:in|for|within|during|over|since)(?: the| more than| over| at least)?(?: last| past)? (?:(?P<number>\d+|an?|one|two|three|six) )?(?P<unit>hours?|days?|weeks?|months?|years?)")?),
            ("before", clause(r"(?:that |which )?(?:have(?:n'?t| not)|has(?:n'?t| not)|had not|were(?:n'?t| not)|was(?:n'?t| not)|did(?:n'?t| not)|not|never|un)(?: yet)?(?: been)? ?(?:changed?|modif(?:ied|y)|edit(?:ed)?|touch(?:ed)?|updated?|committed) (?:since|after|in) (?P<month>january|february|march|april|may|june|july|august|september|october|november|december|\d{4}-\d{2}-\d{2})")?),
            ("before", clause(r"(?:that are |which are )?older than (?:(?P<number>\d+|an?|one|two|three|six) )?(?P<unit>days?|weeks?|months?|years?)")?),
            ("before", clause(r"(?:that are |which are )?older than (?P<month>january|february|march|april|may|june|july|august|september|october|november|december|\d{4}-\d{2}-\d{2})|(?:last )?(?:changed|modified|edited|touched|updated) before (?P<earlier>january|february|march|april|may|june|july|august|september|october|november|december|\d{4}-\d{2}-\d{2})")?),
            ("since", clause(r"(?:that are |which are )?newer than (?P<month>january|february|march|april|may|june|july|august|september|october|november|december|\d{4}-\d{2}-\d{2})")?),
            ("since", clause(r"(?:that are |which are )?newer than (?P<number>\d+) (?P<unit>hours?|days?|weeks?|months?)")?),
            ("newer", clause(r"(?:that are |which are )?(?P<way>newer|older) than (?:the )?(?:file )?`?(?P<name>[\w./-]*[\w-]+\.\w{1,8}|Makefile|Dockerfile)`?")?),
            ("since", clause(r"(?:that |which )?(?:were |was |have |has |have been |got )?(?:changed|modified|edited|touched|updated|created|added|committed|new|from)(?: (?:since|after|from))? (?P<when>today|yesterday|this week|this month|last week|last month|this year)")?),
            ("since", clause(r"(?:that |which )?(?:were |was |have |has |have been |got )?(?:changed|modified|edited|touched|updated|created|added|committed|new|from) (?:in|within|during|over) the (?:last|past) (?:(?P<number>\d+) )?(?P<unit>hours?|days?|weeks?|months?|year)")?),
            ("since", clause(r"(?:that |which )?(?:were |was |have |has |have been |got )?(?:changed|modified|edited|touched|updated|created|added|committed|new) (?:since|after|in) (?P<month>january|february|march|april|may|june|july|august|september|october|november|december|\d{4}-\d{2}-\d{2})")?),
            ("by", clause(r"(?:that (?:were |was )?|which (?:were |was )?)?(?:changed|modified|edited|touched|written|committed|added|created) by (?P<name>[\w.@-]+(?: (?-i:[A-Z])[\w.-]*)?)")?),
            ("by", clause(r"(?:that |which )?(?P<name>(?-i:[A-Z])[\w.@-]*) (?:has |have |had )?(?:changed|modified|edited|touched|wrote|written|committed|added|created)")?),
            ("empty", clause(r"(?:that are |which are )?empty")?),
            ("under", clause(r"(?:in|under|inside|within|below) (?:the )?(?:directory |folder )?`?(?P<name>[\w./-]+)`?(?: (?:directory|folder))?")?),
            ("nothing", clause(r"here|there are|are there|there|we have|do we have|exist|are (?:defined|declared|used)|is defined|defined|in (?:this|the) (?:project|repo|repository|code ?base|code|directory|folder)|and")?),
        ],
    })
});

/// Nouns that other parts answer: history, branches, tasks of Aside, words of prose.
const OTHERS: &[&str] = &[
    "commit",
    "commits",
    "branches",
    "branch",
    "tags",
    "tag",
    "remotes",
    "tasks",
    "task",
    "changes",
    "files",
    "file",
    "routes",
    "endpoints",
    "ports",
    "scripts",
    "targets",
    "dependencies",
    "packages",
    "errors",
    "bugs",
    "problems",
    "places",
    "usages",
    "uses",
    "todos",
    "secrets",
    "tests",
    "lines",
    "processes",
    "containers",
    "users",
    "differences",
    "contributors",
    "authors",
    "versions",
    "version",
    "options",
    "flags",
    "arguments",
    "jobs",
    "me",
    "it",
    "this",
    "that",
    "everything",
    "code",
    "things",
    "here",
    "status",
    "docs",
    "words",
    "conflicts",
    "warnings",
    "functions",
    "methods",
    "classes",
    "proposals",
    "is",
    "does",
    "are",
    "environment",
    "proposal",
];

pub fn read(asked: &str) -> Option<Selection> {
    let patterns = PATTERNS.as_ref()?;
    let found = patterns.head.captures(asked)?;
    let words: Vec<&str> = found.name("what")?.as_str().split_whitespace().collect();
    // The fewest words that name files and leave nothing over that is not understood.
    let read = |many: usize| {
        let said = words.get(..many)?.join(" ").to_lowercase();
        // "Ansible roles": the tool before the noun says nothing more.
        let noun = said.split_once(' ').map(|(_, noun)| noun).filter(|noun| !noun.starts_with("file"));
        let what = set(&said).or_else(|| set(noun?))?;
        Some((what, filters(&words.get(many..)?.join(" "), patterns)?))
    };
    let (what, filters) = (1..=3).find_map(read)?;
    let has_verb = found.name("verb").is_some();
    match (&what, filters.is_empty()) {
        // Without anything said of them, all files are not a search.
        (FileSet::All, true) => None,
        // "SQL files" names nothing else.
        _ if !has_verb && (filters.is_empty() && !asked.ends_with(" files") || matches!(what, FileSet::Noun(_))) => {
            None
        }
        // Everyday words need more than the shape of a sentence.
        (FileSet::Noun(_), false) if filters.iter().any(|filter| !matches!(filter, Filter::Under(_))) => None,
        _ => Some(Selection { what, filters }),
    }
}

/// What is said of the files; `None` where a word is not understood.
fn filters(said: &str, patterns: &Patterns) -> Option<Vec<Filter>> {
    let mut rest = said.to_owned();
    let mut filters = Vec::new();
    while !rest.is_empty() {
        let (name, clause) =
            patterns.clauses.iter().find_map(|(name, pattern)| Some((*name, pattern.captures(&rest)?)))?;
        filters.extend(filter(name, &clause)?);
        let end = clause.get(0)?.end();
        rest = rest.get(end..).unwrap_or_default().trim().to_owned();
    }
    Some(filters)
}

/// The files that words name; never a directory.
pub fn named(said: &str) -> Option<FileSet> {
    set(said).filter(|set| !matches!(set, FileSet::Noun(_)))
}

/// The files that words name.
fn set(said: &str) -> Option<FileSet> {
    let bare = said.strip_suffix(" files").or_else(|| said.strip_suffix(" file"));
    let word = bare.unwrap_or(said).trim();
    let singular = word.strip_suffix('s').unwrap_or(word);
    if said == "files" || said == "file" {
        return Some(FileSet::All);
    }
    if let Some((_, endings)) = NOUNS.iter().find(|(names, _)| names.contains(&word) || names.contains(&singular)) {
        let is_clear = bare.is_some()
            || [
                "notebook",
                "header",
                "image",
                "picture",
                "icon",
                "stylesheet",
                "template",
                "archive",
                "certificate",
                "shell script",
            ]
            .contains(&singular);
        return is_clear.then(|| FileSet::Endings(endings.iter().map(|ending| (*ending).to_owned()).collect()));
    }
    if let Some(ending) =
        word.strip_prefix("*.").or_else(|| word.strip_prefix('.')).filter(|_| bare.is_some() || word.starts_with('*'))
    {
        return Some(FileSet::Endings(vec![ending.to_owned()]));
    }
    if let Some(endings) = lists::endings(word).filter(|_| bare.is_some()) {
        return Some(FileSet::Endings(endings.to_vec()));
    }
    let kind = match singular {
        "test" | "spec" if bare.is_some() || word == "specs" => Some(Kind::Tests),
        "doc" | "documentation" if bare.is_some() => Some(Kind::Documentation),
        "config" | "configuration" | "setting" if bare.is_some() => Some(Kind::Configuration),
        "source" | "code" if bare.is_some() => Some(Kind::Code),
        "data" if bare.is_some() => Some(Kind::Data),
        _ => None,
    };
    if let Some(kind) = kind {
        return Some(FileSet::Kind(kind));
    }
    if bare.is_some() && lists::is_ending(word) {
        return Some(FileSet::Endings(vec![word.to_owned()]));
    }
    let is_noun = bare.is_none()
        && word.len() > 4
        && word.ends_with('s')
        && word.chars().all(|letter| letter.is_ascii_lowercase());
    (is_noun && !OTHERS.contains(&word)).then(|| FileSet::Noun(word.to_owned()))
}

fn filter(name: &str, found: &regex::Captures<'_>) -> Option<Option<Filter>> {
    let of = |group: &str| found.name(group).map(|value| value.as_str().to_lowercase());
    Some(match name {
        "size" => {
            let unit = match of("unit")?.chars().next()? {
                'k' => 1024.0,
                'm' => 1024.0 * 1024.0,
                'g' => 1024.0 * 1024.0 * 1024.0,
                _ => 1.0,
            };
            let bytes = (of("size")?.parse::<f64>().ok()? * unit) as u64;
            let is_less = ["smaller", "under", "below", "less"].contains(&of("way")?.as_str());
            Some(if is_less { Filter::Smaller(bytes) } else { Filter::Larger(bytes) })
        }
        "lines" => {
            let lines: usize = of("size")?.parse().ok()?;
            Some(match of("way")?.as_str() {
                "fewer than" | "less than" | "under" | "shorter than" => Filter::Lines(Than::Fewer, lines),
                "at least" => Filter::Lines(Than::More, lines.saturating_sub(1)),
                _ => Filter::Lines(Than::More, lines),
            })
        }
        "newer" => {
            let file = found.name("name")?.as_str().to_owned();
            Some(if of("way")? == "newer" { Filter::Newer(file) } else { Filter::Older(file) })
        }
        "since" | "before" => {
            let since = match (of("when").as_deref(), of("month").or_else(|| of("earlier")), of("unit")) {
                (Some("today"), ..) => Since::Days(1),
                (Some("yesterday"), ..) => Since::Days(2),
                (Some("this week" | "last week"), ..) => Since::Days(7),
                (Some("this year"), ..) => Since::Month(1),
                (Some(_), ..) => Since::Days(31),
                (None, Some(month), _) => match MONTHS.iter().position(|known| *known == month) {
                    Some(at) => Since::Month(u8::try_from(at + 1).ok()?),
                    None => Since::Date(month),
                },
                (None, None, unit) => {
                    let number: u64 = match of("number").as_deref() {
                        None | Some("a" | "an" | "one") => 1,
                        Some("two") => 2,
                        Some("three") => 3,
                        Some("six") => 6,
                        Some(number) => number.parse().ok()?,
                    };
                    Since::Days(match unit?.trim_end_matches('s') {
                        "hour" => number.div_ceil(24),
                        "week" => number * 7,
                        "month" => number * 31,
                        "year" => number * 366,
                        _ => number,
                    })
                }
            };
            Some(if name == "before" { Filter::Before(since) } else { Filter::Since(since) })
        }
        "by" => {
            let name = found.name("name")?.as_str().to_owned();
            let is_person = !["i", "me", "you", "we", "that", "which", "git"].contains(&name.to_lowercase().as_str());
            Some(Filter::By(Some(name).filter(|_| is_person)?))
        }
        "under" => {
            let name = found.name("name")?.as_str().trim_matches('/').to_owned();
            let is_place = !["the", "this", "total", "general", "it"].contains(&name.as_str());
            Some(Filter::Under(Some(name).filter(|_| is_place)?))
        }
        "empty" => Some(Filter::Empty),
        _ => None,
    })
}

impl FileSet {
    /// Whether a file at this path belongs to it.
    pub fn has(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
        match self {
            FileSet::All => true,
            FileSet::Endings(endings) => {
                endings.iter().any(|ending| name.strip_suffix(ending.as_str()).is_some_and(|rest| rest.ends_with('.')))
            }
            FileSet::Kind(kind) => kind.has(path),
            FileSet::Noun(noun) => path.split('/').rev().skip(1).any(|part| part.eq_ignore_ascii_case(noun)),
        }
    }
}

/// Nouns of prose: no language begins a definition with one, and a text search finds them.
const OF_PROSE: [&str; 8] =
    ["comments", "fixmes", "mentions", "occurrences", "references", "callers", "calls", "strings"];

/// Whether a definition may begin with the word of a noun, so that all files are worth reading for it.
pub fn may_lead(noun: &str) -> bool {
    !OF_PROSE.contains(&noun)
}

/// The lines of a file that begin a definition with the word of a noun: `resource "aws_instance" "web" {` for `resources`.
pub fn led_by(noun: &str, text: &str) -> Vec<(usize, String)> {
    let singular = match noun {
        noun if noun.ends_with("ies") => format!("{}y", &noun[..noun.len() - 3]),
        noun if noun.ends_with("sses") => noun[..noun.len() - 2].to_owned(),
        noun => noun.strip_suffix('s').unwrap_or(noun).to_owned(),
    };
    // Most texts do not have the word at all.
    if !text.contains(&singular) {
        return Vec::new();
    }
    let modifiers = ["pub", "export", "public", "private", "static", "abstract", "const", "default", "declare"];
    let leads = |line: &str| {
        let mut words =
            line.split(|letter: char| letter.is_whitespace() || letter == '(').filter(|word| !word.is_empty());
        let first = words.by_ref().find(|word| !modifiers.contains(word));
        first == Some(singular.as_str())
            && words.next().is_some_and(|next| {
                next.starts_with(|letter: char| letter.is_alphabetic() || "\"'*(_:".contains(letter))
            })
    };
    text.lines()
        .enumerate()
        .filter(|(_, line)| line.len() < 400 && leads(line))
        .map(|(at, line)| (at + 1, line.trim().to_owned()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_noun_of_prose_is_no_reason_to_read_all_files() {
        let Some(Selection { what: FileSet::Noun(noun), .. }) = read("find all TODO comments") else { panic!() };
        assert!(!may_lead(&noun));
        assert!(may_lead("resources"));
    }

    #[test]
    fn files_are_selected_by_what_is_said_of_them() {
        let endings = |list: &[&str]| FileSet::Endings(list.iter().map(|one| (*one).to_owned()).collect());
        for (request, expected) in [
            ("find notebooks", Some((endings(&["ipynb"]), vec![]))),
            ("find header files", Some((endings(&["h", "hpp", "hh", "hxx"]), vec![]))),
            (
                "find python files changed this week",
                Some((endings(&["py", "pyi"]), vec![Filter::Since(Since::Days(7))])),
            ),
            ("list yaml files in config", Some((endings(&["yml", "yaml"]), vec![Filter::Under("config".to_owned())]))),
            ("find kotlin files bigger than 2 KB", Some((endings(&["kt", "kts"]), vec![Filter::Larger(2048)]))),
            ("which files changed since October", Some((FileSet::All, vec![Filter::Since(Since::Month(10))]))),
            ("which python files did it", None),
            (
                "find rust files with more than 300 lines",
                Some((endings(&["rs"]), vec![Filter::Lines(Than::More, 300)])),
            ),
            (
                "list test files modified by Ada Smith",
                Some((FileSet::Kind(Kind::Tests), vec![Filter::By("Ada Smith".to_owned())])),
            ),
            ("what resources are defined", Some((FileSet::Noun("resources".to_owned()), vec![]))),
            ("find all typedefs", Some((FileSet::Noun("typedefs".to_owned()), vec![]))),
            ("find the config loader", None),
            ("find files", None),
            ("what tasks are waiting", None),
            (
                "find images larger than 1 MB in docs",
                Some((
                    endings(&["png", "jpg", "jpeg", "gif", "svg", "webp", "ico", "bmp"]),
                    vec![Filter::Larger(1024 * 1024), Filter::Under("docs".to_owned())],
                )),
            ),
        ] {
            let told = read(request).map(|selection| (selection.what, selection.filters));
            assert_eq!(told, expected, "{request}");
        }
    }

    #[test]
    fn a_noun_is_the_word_that_leads_a_definition() {
        let text = "resource \"aws_s3_bucket\" \"backups\" {\n  bucket = \"x\"\n}\noutput \"ip\" {\n}\n# resource x\n";
        assert_eq!(led_by("resources", text), [(1, "resource \"aws_s3_bucket\" \"backups\" {".to_owned())]);
        assert_eq!(led_by("traits", "pub trait LineSink {\n"), [(1, "pub trait LineSink {".to_owned())]);
        assert!(led_by("resources", "the resource is gone\n").is_empty());
    }
}
