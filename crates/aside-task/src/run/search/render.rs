//! Renders search results: the best places first, some of each file, and how many more there are. Redacts secrets.

use aside_core::agent::language::Language;
use aside_redact::redact;

use crate::proposal::{self, Proposal};
use crate::run::search::plan::{SearchPlan, SearchTarget};
use crate::run::search::rank::{Weights, weights, worth, worth_file};
use crate::run::search::{FileMatches, MatchedLine, SearchOutcome};
use crate::run::{ModelNeed, RunnerOutcome, code, short};

/// Places that are listed, and those of one file unless it is the only one.
pub const MAX_ITEMS: usize = 100;
pub const MAX_OF_FILE: usize = 5;
/// Up to this many fit on a screen, and all of them are listed.
const FEW: usize = 24;
/// Characters of a line.
const MAX_PREVIEW: usize = 160;
/// Places that score below this fraction of the best are left out.
const LEAST: f32 = 0.35;

/// A place: a line, or a file by its name.
struct Place<'a> {
    worth: f32,
    found: &'a FileMatches,
    line: Option<&'a MatchedLine>,
}

/// The places of one file, the best first.
struct Group<'a> {
    path: &'a str,
    places: Vec<Place<'a>>,
}

/// The places of a group that are listed, each with its line as it is shown.
struct ShownGroup<'a> {
    group: &'a Group<'a>,
    places: Vec<(&'a Place<'a>, Option<String>)>,
}

pub fn outcome(plan: &SearchPlan, searched: &SearchOutcome) -> RunnerOutcome {
    let groups = groups(plan, searched);
    let all: usize = groups.iter().map(|group| group.places.len()).sum();
    let of_file = if groups.len() == 1 || all <= FEW { MAX_ITEMS } else { MAX_OF_FILE };
    let mut left = MAX_ITEMS;
    let mut shown: Vec<ShownGroup<'_>> = Vec::new();
    for group in &groups {
        let places = group.places.get(..group.places.len().min(of_file).min(left)).unwrap_or_default();
        left -= places.len();
        if places.is_empty() {
            break;
        }
        // Finding secrets takes longer than anything else here, so each line is redacted once, and only if it is listed.
        let redacted = places.iter().map(|place| (place, place.line.map(|line| preview(&line.text))));
        shown.push(ShownGroup { group, places: redacted.collect() });
    }
    let items: Vec<proposal::SearchResult> =
        shown.iter().flat_map(|group| &group.places).map(|(place, preview)| item(place, preview.as_deref())).collect();
    let summary = summary(plan, searched, &groups, all, &items);
    let details = details(plan, searched, &shown, all, groups.len());
    let model = match plan.terms.first() {
        _ if items.is_empty() => ModelNeed::Better,
        Some(first) if !first.is_exact() => ModelNeed::Better,
        Some(_) | None => ModelNeed::Unneeded,
    };
    RunnerOutcome { proposal: Proposal::SearchResults { items }, summary, details, model }
}

/// In display order.
fn groups<'a>(plan: &SearchPlan, searched: &'a SearchOutcome) -> Vec<Group<'a>> {
    let weights: Weights = weights(plan, &searched.found, searched.files);
    let least = plan.least(&searched.found);
    let mut groups: Vec<Group<'a>> = Vec::new();
    for found in &searched.found {
        let lines = found.lines.iter().filter(|line| line.here.first().is_none_or(|first| *first >= least));
        let mut places: Vec<Place<'a>> =
            lines.map(|line| Place { worth: worth(plan, found, line, &weights), found, line: Some(line) }).collect();
        places.sort_by(|one, other| other.worth.total_cmp(&one.worth).then(number(one).cmp(&number(other))));
        let file = worth_file(plan, found, &weights);
        let best = places.first().map_or(0.0, |place| place.worth);
        // A file sought by its name is a place of its own, before those in it.
        let by_name = plan.want == SearchTarget::Names || least == 0 && file > best && file > 0.3;
        if by_name {
            places.insert(0, Place { worth: file, found, line: None });
        }
        if !places.is_empty() {
            groups.push(Group { path: &found.path, places });
        }
    }
    let of = |group: &Group<'_>| group.places.first().map_or(0.0, |place| place.worth);
    groups.sort_by(|one, other| of(other).total_cmp(&of(one)).then_with(|| one.path.cmp(other.path)));
    let top = groups.first().map_or(0.0, of);
    // For a name all uses are wanted; for words only the best matches.
    let bar = if least > 0 || plan.terms.is_empty() { f32::MIN } else { top * LEAST };
    for group in &mut groups {
        group.places.retain(|place| place.worth >= bar);
    }
    groups.retain(|group| !group.places.is_empty());
    groups
}

fn number(place: &Place<'_>) -> usize {
    place.line.map_or(0, |line| line.number)
}

fn item(place: &Place<'_>, preview: Option<&str>) -> proposal::SearchResult {
    let path = match place.line {
        None => place.found.path.clone(),
        Some(line) => format!("{}:{}", place.found.path, line.number),
    };
    proposal::SearchResult { path, preview: preview.map(str::to_owned) }
}

/// Redacts before it cuts, so that no secret is cut in two.
fn preview(text: &str) -> String {
    short(&redact(text), MAX_PREVIEW)
}

fn summary(
    plan: &SearchPlan,
    searched: &SearchOutcome,
    groups: &[Group<'_>],
    all: usize,
    items: &[proposal::SearchResult],
) -> String {
    let said = redact(&plan.said).into_owned();
    let files = groups.len();
    match (plan.language, items.first()) {
        (Language::English, None) => format!("Nothing was found for {said} in {}", counted(searched.files, "file")),
        (Language::Chinese, None) => format!("在 {} 个文件中没有找到 {said}", searched.files),
        (Language::English, Some(first)) if plan.want == SearchTarget::Names => {
            format!("{} for {said}: {}{}", counted(files, "file"), first.path, if files > 1 { ", …" } else { "" })
        }
        (Language::Chinese, Some(first)) if plan.want == SearchTarget::Names => {
            format!("{said}：{files} 个文件，第一个是 {}", first.path)
        }
        (Language::English, Some(first)) => {
            format!("{} in {} for {said}; first: {}", counted(all, "place"), counted(files, "file"), first.path)
        }
        (Language::Chinese, Some(first)) => format!("{said}：{files} 个文件中有 {all} 处，最可能是 {}", first.path),
    }
}

fn details(plan: &SearchPlan, searched: &SearchOutcome, shown: &[ShownGroup<'_>], all: usize, files: usize) -> String {
    let mut rows: Vec<String> = Vec::new();
    let mut told = 0;
    let told_files = shown.len();
    for ShownGroup { group, places } in shown {
        rows.push(format!("- {}", code(&short(group.path, MAX_PREVIEW))));
        for (place, preview) in places {
            told += 1;
            if let (Some(line), Some(text)) = (place.line, preview) {
                let text = if text.is_empty() { String::new() } else { format!(" {}", code(text)) };
                rows.push(format!("  - {}:{text}", line.number));
            }
        }
        let more = group.places.len() - places.len();
        if more > 0 {
            rows.push(match plan.language {
                Language::English => format!("  - {more} more"),
                Language::Chinese => format!("  - 还有 {more} 处"),
            });
        }
    }
    if rows.is_empty() {
        rows.push(match plan.language {
            Language::English if searched.files == 0 => {
                "There are no files here to look in; ask in the directory of a project. Files that git ignores are not looked at.".to_owned()
            }
            Language::Chinese if searched.files == 0 => {
                "这里没有可以搜索的文件；请在项目的目录里再问。被 git 忽略的文件不会被搜索。".to_owned()
            }
            Language::English => format!(
                "Nothing was found for {}. Another word, a part of a name, or a text in quotes may find it; files that git ignores are not looked at.",
                code(&redact(&plan.said))
            ),
            Language::Chinese => format!(
                "没有找到 {}。可以换一个词、名字的一部分，或者用引号括起原文；被 git 忽略的文件不会被搜索。",
                code(&redact(&plan.said))
            ),
        });
    }
    if all > told {
        let (places, more) = (all - told, files - told_files);
        rows.push(String::new());
        rows.push(match (plan.language, plan.want, more) {
            (Language::English, SearchTarget::Names, _) => format!("{} not shown.", were(more, "more file")),
            (Language::Chinese, SearchTarget::Names, _) => format!("还有 {more} 个文件没有列出。"),
            (Language::English, _, 0) => format!("{} not shown.", were(places, "more place")),
            (Language::Chinese, _, 0) => format!("还有 {places} 处没有列出。"),
            (Language::English, ..) => {
                format!("{} not shown, also in {}.", were(places, "more place"), counted(more, "other file"))
            }
            (Language::Chinese, ..) => format!("还有 {places} 处没有列出，其中有另外 {more} 个文件。"),
        });
    }
    for (at, note) in searched.notes.iter().enumerate() {
        if at == 0 {
            rows.push(String::new());
        }
        rows.push(format!("- {note}"));
    }
    rows.join("\n") + "\n"
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

fn were(count: usize, what: &str) -> String {
    format!("{} {}", counted(count, what), if count == 1 { "is" } else { "are" })
}
