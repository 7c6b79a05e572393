//! Links between the documentation pages, and the index that lists every page.

use std::path::Path;

use super::source::Source;

/// Links to missing files, or to headings that their page does not have.
pub fn dead(page: &Source, root: &Path) -> Vec<String> {
    let folder = Path::new(&page.path).parent().unwrap_or(Path::new(""));
    let mut wrong = Vec::new();
    for target in targets(&page.text) {
        if target.contains("://") || target.starts_with("mailto:") {
            continue;
        }
        let (path, heading) = target.split_once('#').unwrap_or((target, ""));
        let file = if path.is_empty() { root.join(&page.path) } else { root.join(folder).join(path) };
        let is_there = match std::fs::read_to_string(&file) {
            Ok(text) => heading.is_empty() || anchors(&text).contains(&heading.to_owned()),
            // A directory, or a picture.
            Err(_) => heading.is_empty() && file.exists(),
        };
        if !is_there {
            wrong.push(format!("{}: nothing is at `{target}`", page.path));
        }
    }
    wrong
}

/// Pages that the index does not list.
pub fn unlisted(index: &str, pages: &[Source]) -> Vec<String> {
    let listed: Vec<&str> = targets(index).collect();
    let name = |page: &Source| page.path.strip_prefix("docs/").unwrap_or(&page.path).to_owned();
    let names = pages.iter().map(name).filter(|name| name != "README.md" && !listed.contains(&name.as_str()));
    names.map(|name| format!("docs/README.md: does not name {name}")).collect()
}

fn targets(text: &str) -> impl Iterator<Item = &str> {
    text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target.trim())
}

/// The anchors of all headings; the second of the same name has `-1` at its end.
fn anchors(text: &str) -> Vec<String> {
    let plain: Vec<String> = text.lines().filter(|line| line.starts_with('#')).map(anchor).collect();
    let numbered = |(at, name): (usize, &String)| match plain[..at].iter().filter(|other| *other == name).count() {
        0 => name.clone(),
        before => format!("{name}-{before}"),
    };
    plain.iter().enumerate().map(numbered).collect()
}

/// The anchor that the usual renderers derive from a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.trim_start_matches('#').trim().chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

#[test]
fn a_dead_link_is_seen() {
    let page = |text: &str| Source { path: "docs/x.md".to_owned(), text: text.to_owned() };
    let root = super::root();
    assert_eq!(dead(&page("[a](tour.md) [b](../README.md#install) [c](https://example.com/x.md)"), &root), [""; 0]);
    assert_eq!(dead(&page("[a](gone.md) [b](../README.md#gone)"), &root).len(), 2);
    assert_eq!(unlisted("[a](a.md)", &[Source { path: "docs/b.md".to_owned(), text: String::new() }]).len(), 1);
}
