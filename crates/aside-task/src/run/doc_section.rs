//! The section of a project's documentation that says how something is done: `how do we deploy` is answered by `docs/deploy.md`. Compares
//! words with headings and file names; reads no file itself.

use crate::run::search::identifiers::parts;

/// Lines of a section that are shown.
const MAX_LINES: usize = 40;

/// Words of such questions that name no subject.
const FILLERS: &[&str] = &[
    "how", "do", "does", "we", "i", "you", "one", "the", "a", "an", "to", "this", "it", "is", "are", "our", "my",
    "here", "what", "work", "works", "process", "go", "about", "steps", "for", "of", "in", "on", "new", "get", "make",
    "can", "should", "would", "done", "project", "explain", "describe", "app", "service", "package", "library", "code",
    "with", "tell", "me", "out", "up",
];

/// A section that may answer, the better the higher.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DocSection {
    pub score: u8,
    pub line: usize,
    pub text: String,
}

/// Whether a file is documentation.
pub fn is_document(path: &str) -> bool {
    let lower = path.to_lowercase();
    [".md", ".mdx", ".rst", ".adoc"].iter().any(|ending| lower.ends_with(ending)) && !lower.contains("changelog")
}

/// The words of a question that a heading has to have; empty where it is about anything.
pub fn subject(question: &str) -> Vec<String> {
    let words = question.split_whitespace().flat_map(parts).map(|word| word.to_lowercase());
    words.filter(|word| !FILLERS.contains(&word.as_str()) && word.chars().all(char::is_alphanumeric)).collect()
}

/// Titles of sections about how a project is laid out, the likeliest first.
pub const LAYOUT: [&str; 8] =
    ["architecture", "layout", "structure", "directories", "organization", "packages", "overview", "design"];

/// The section of a file whose title has all words of the subject. The name of the file counts for its first title.
pub fn section(subject: &[String], path: &str, text: &str) -> Option<DocSection> {
    if subject.is_empty() || subject.len() > 4 {
        return None;
    }
    let lines: Vec<&str> = text.lines().collect();
    let titles = titles(&lines);
    let name = path.rsplit('/').next().unwrap_or(path).split('.').next().unwrap_or_default();
    let of_file: Vec<String> = parts(name).iter().map(|part| stem(part)).collect();
    let mut best: Option<DocSection> = None;
    for (place, (at, level, title)) in titles.iter().enumerate() {
        let mut known: Vec<String> = title.split_whitespace().flat_map(parts).map(|part| stem(&part)).collect();
        let own = known.len();
        if place == 0 {
            known.extend(of_file.iter().cloned());
        }
        if !subject.iter().all(|word| known.contains(&stem(word)) || is_alias(word, &known)) {
            continue;
        }
        let end =
            titles.iter().skip(place + 1).find(|(_, other, _)| other <= level).map_or(lines.len(), |(at, ..)| *at);
        let body = lines.get(at + 1..end).unwrap_or_default();
        let shown = cut(body);
        if shown.trim().is_empty() {
            continue;
        }
        // A title that says nothing else fits best.
        let score = 10 - u8::try_from(own.saturating_sub(subject.len()).min(8)).unwrap_or(8);
        let found = DocSection { score, line: at + 1, text: shown };
        if best.as_ref().is_none_or(|best| best.score < found.score) {
            best = Some(found);
        }
    }
    best
}

/// Sections about contributing are often called after what a contributor does.
fn is_alias(word: &str, known: &[String]) -> bool {
    let other = match stem(word).as_str() {
        "contribut" => ["develop", "hack"],
        "install" => ["setup", "start"],
        "releas" => ["deploy", "publish"],
        _ => return false,
    };
    other.iter().any(|name| known.iter().any(|known| known == name))
}

fn cut(body: &[&str]) -> String {
    let shown = body.iter().take(MAX_LINES).copied().collect::<Vec<_>>().join("\n").trim_matches('\n').to_owned();
    // Closes a fence that was cut open.
    let open = shown.lines().filter(|line| line.trim_start().starts_with("```")).count() % 2 == 1;
    let more = if body.len() > MAX_LINES { "\n…" } else { "" };
    if open { format!("{shown}\n```{more}") } else { format!("{shown}{more}") }
}

/// Titles with their lines (from 0) and levels.
fn titles<'a>(lines: &[&'a str]) -> Vec<(usize, usize, &'a str)> {
    let (mut found, mut fenced) = (Vec::new(), false);
    for (at, line) in lines.iter().enumerate() {
        fenced ^= line.trim_start().starts_with("```");
        let level = line.chars().take_while(|letter| *letter == '#' || *letter == '=').count();
        let title = line.get(level..).unwrap_or_default();
        if !fenced && (1..=6).contains(&level) && title.starts_with(' ') {
            found.push((at, level, title.trim()));
        }
    }
    found
}

/// `deploying`, `deployment` and `deploys` are one word.
fn stem(word: &str) -> String {
    let lower = word.to_lowercase();
    let endings = ["ments", "ment", "ations", "ation", "ings", "ing", "ers", "er", "ies", "es", "ed", "e", "s", "y"];
    let cut = endings.iter().find_map(|ending| lower.strip_suffix(ending).filter(|rest| rest.len() >= 3));
    let cut = cut.unwrap_or(&lower);
    // `running` and `run`, `rolling` and `roll`.
    let mut letters = cut.chars().rev();
    match (letters.next(), letters.next()) {
        (Some(one), Some(other)) if one == other && cut.len() > 3 => {
            cut.get(..cut.len() - one.len_utf8()).unwrap_or(cut).to_owned()
        }
        _ => cut.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_is_found_by_its_title_or_its_file() {
        let deploy = "# Deploying\n\n1. Tag it.\n2. Push it.\n\n## Rolling back\n\nSet the former tag.\n";
        let told = |question: &str, path: &str, text: &str| {
            section(&subject(question), path, text).map(|found| found.text).unwrap_or_default()
        };
        assert!(told("deploy", "docs/deploy.md", deploy).starts_with("1. Tag it."));
        assert_eq!(told("roll back", "docs/deploy.md", deploy), "Set the former tag.");
        assert_eq!(told("how does the deployment work", "docs/ops.md", deploy).lines().next(), Some("1. Tag it."));
        assert_eq!(told("cook", "docs/deploy.md", deploy), "");
        assert_eq!(told("deploy the database", "docs/deploy.md", deploy), "");
        assert_eq!(told("release", "docs/release.md", "# How it goes\n\nBump it.\n"), "Bump it.");
        assert_eq!(told("contribute", "README.md", "# x\n\n## Development\n\nTest it.\n"), "Test it.");
        assert_eq!(subject("how do we do this"), Vec::<String>::new());
        assert_eq!(told("run", "README.md", "# x\n\n```\n# Run\n```\n"), "");
    }
}
