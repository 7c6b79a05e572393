//! Adds an item to a section of a Markdown file: an entry of the changelog.

use std::collections::BTreeMap;

use crate::run::code;
use crate::run::exact_edit::EditResult;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub text: String,
    /// The heading, as the request has it; of a changelog, what is not released yet.
    pub section: Option<String>,
    pub file: String,
}

/// A heading with its level and its lines up to the next of the same level or above.
struct Section {
    level: usize,
    title: String,
    from: usize,
    to: usize,
}

impl Entry {
    pub fn add(&self, files: &BTreeMap<String, String>) -> EditResult {
        let Some((path, text)) = files.first_key_value() else { return EditResult::Nothing(String::new()) };
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let sections = sections(&lines);
        let wanted = self.section.as_deref().map(plain);
        let fits = |section: &&Section| match &wanted {
            Some(wanted) => section.title == *wanted || section.title.starts_with(&format!("{wanted} ")),
            None => section.title.starts_with("unreleased") || section.title.starts_with("next"),
        };
        let found: Vec<&Section> = sections.iter().filter(fits).collect();
        let section = match found.as_slice() {
            [only] => *only,
            [] => {
                let what = self.section.as_deref().unwrap_or("Unreleased");
                return EditResult::Nothing(format!(
                    "{} has no section {}, so nothing is added.",
                    code(path),
                    code(what)
                ));
            }
            several => {
                return EditResult::Nothing(format!(
                    "{} sections of {} are called so; say the one above it as well.",
                    several.len(),
                    code(path)
                ));
            }
        };
        let below: Vec<&Section> = sections
            .iter()
            .filter(|below| below.level > section.level && below.from > section.from && below.to <= section.to)
            .collect();
        if !below.is_empty() {
            let names: Vec<String> = below.iter().map(|below| code(&below.title)).collect();
            return EditResult::Nothing(format!(
                "That section of {} is divided into {}. Say which one, as in: add \"…\" under {} in {path}.",
                code(path),
                names.join(", "),
                below.first().map_or("", |below| below.title.as_str())
            ));
        }
        let body = lines.get(section.from + 1..section.to).unwrap_or_default();
        let is_item = |line: &&&str| line.trim_start().starts_with(['-', '*', '+']) && line.trim().len() > 1;
        let mark = body.iter().find(is_item).and_then(|line| line.trim_start().chars().next()).unwrap_or('-');
        let bare = self.text.trim().trim_start_matches(['-', '*', '+']).trim_start();
        let row = format!("{mark} {bare}\n");
        if body.iter().any(|line| line.trim_end() == row.trim_end()) {
            return EditResult::Nothing(format!("{} has that entry already.", code(path)));
        }
        let used = body.iter().rposition(|line| !line.trim().is_empty()).map(|at| section.from + 2 + at);
        let (at, before, after) = match used {
            Some(at) => (at, "", ""),
            // A heading, a blank line, the item, a blank line.
            None => {
                let gap = body.iter().take_while(|line| line.trim().is_empty()).count();
                (section.from + 1, "\n", if gap == 0 && section.to < lines.len() { "\n" } else { "" })
            }
        };
        let mut made: String = lines.iter().take(at).copied().collect();
        if !made.ends_with('\n') {
            made.push('\n');
        }
        made.push_str(before);
        made.push_str(&row);
        made.push_str(after);
        made.extend(lines.iter().skip(at).copied());
        super::one(path, made, format!("Add an entry to {}", code(path)))
    }
}

fn plain(title: &str) -> String {
    title.trim_start_matches('#').replace(['[', ']', '`', '*'], "").trim().to_lowercase()
}

fn sections(lines: &[&str]) -> Vec<Section> {
    let mut all: Vec<Section> = Vec::new();
    let mut fenced = false;
    for (at, line) in lines.iter().enumerate() {
        fenced ^= line.trim_start().starts_with("```");
        let level = line.chars().take_while(|letter| *letter == '#').count();
        if fenced || level == 0 || !line.get(level..).is_some_and(|rest| rest.starts_with(' ')) {
            continue;
        }
        for open in all.iter_mut().filter(|open| open.to == usize::MAX && open.level >= level) {
            open.to = at;
        }
        all.push(Section { level, title: plain(line), from: at, to: usize::MAX });
    }
    for open in all.iter_mut().filter(|open| open.to == usize::MAX) {
        open.to = lines.len();
    }
    all
}
