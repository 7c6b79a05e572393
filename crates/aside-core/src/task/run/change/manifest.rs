//! Edits versions and dependencies in a project's manifest files. Changes only the line in question; all other bytes stay.

use std::collections::BTreeMap;

use regex::Regex;

use crate::task::run::change::{Bump, Made};
use crate::task::run::code;

/// Where a file states the version of the project.
fn version(path: &str, text: &str) -> Option<std::ops::Range<usize>> {
    let name = path.rsplit('/').next()?;
    let sections: &[&str] = match name {
        "package.json" | "composer.json" => {
            let found = Regex::new(r#"(?m)^(?:  |\t|    )"version"\s*:\s*"([^"]+)""#).ok()?.captures(text)?;
            return found.get(1).map(|version| version.range());
        }
        "VERSION" => {
            let trimmed = text.trim();
            let at = text.find(trimmed)?;
            return (!trimmed.is_empty() && !trimmed.contains('\n')).then(|| at..at + trimmed.len());
        }
        "pyproject.toml" => &["[project]", "[tool.poetry]"],
        "Cargo.toml" => &["[package]", "[workspace.package]"],
        "setup.cfg" => &["[metadata]"],
        _ => return None,
    };
    let line = Regex::new(r#"^version\s*=\s*["']?(\d[^"'\s]*)["']?"#).ok()?;
    let mut inside = false;
    let mut at = 0;
    for row in text.split_inclusive('\n') {
        if row.starts_with('[') {
            inside = sections.contains(&row.trim());
        }
        if let Some(found) = line.captures(row).filter(|_| inside).and_then(|found| found.get(1)) {
            return Some(at + found.start()..at + found.end());
        }
        at += row.len();
    }
    None
}

pub fn bump(bump: &Bump, files: &BTreeMap<String, String>) -> Made {
    let found: Vec<(&String, &String, std::ops::Range<usize>)> =
        files.iter().filter_map(|(path, text)| Some((path, text, version(path, text)?))).collect();
    let of = |text: &str, range: &std::ops::Range<usize>| text.get(range.clone()).unwrap_or_default().to_owned();
    let Some((_, text, range)) = found.first() else {
        return Made::Nothing(
            "No file here says a version: package.json, pyproject.toml, Cargo.toml and VERSION would.".to_owned(),
        );
    };
    let old = of(text, range);
    let others = found.iter().filter(|(_, text, range)| of(text, range) != old);
    if let Some((path, text, range)) = others.into_iter().next() {
        return Made::Nothing(format!(
            "The files do not agree on the version: {} and {} in {}. Say which file to change, as in: replace \"{old}\" with … in FILE.",
            code(&old),
            code(&of(text, range)),
            code(path)
        ));
    }
    let step = |part: usize| stepped(&old, part);
    let new = match bump {
        Bump::To(version) => Some(version.clone()),
        Bump::Major => step(0),
        Bump::Minor => step(1),
        Bump::Patch => step(2),
        Bump::Unsaid => {
            let choices = [("major", 0), ("minor", 1), ("patch", 2)];
            let rows: Vec<String> = choices
                .iter()
                .filter_map(|(name, part)| {
                    Some(format!("- `bump the {name} version`: {}", code(&stepped(&old, *part)?)))
                })
                .collect();
            return Made::Nothing(format!(
                "The version is {}. Which part is to go up?\n\n{}",
                code(&old),
                rows.join("\n")
            ));
        }
    };
    let Some(new) = new else {
        return Made::Nothing(format!("The version {} has no three numbers; say the new one.", code(&old)));
    };
    if new == old {
        return Made::Nothing(format!("The version is {} already.", code(&old)));
    }
    let changed = |(path, text, range): &(&String, &String, std::ops::Range<usize>)| {
        let mut made = (*text).clone();
        made.replace_range(range.clone(), &new);
        ((*path).clone(), made)
    };
    let files = found.iter().map(changed).collect();
    let summary = format!("Version {} becomes {}", code(&old), code(&new));
    Made::Texts { files, summary, note: String::new() }
}

fn stepped(version: &str, part: usize) -> Option<String> {
    let core = version.split(['-', '+']).next()?;
    let mut numbers: Vec<u64> = core.split('.').map(str::parse).collect::<Result<_, _>>().ok()?;
    *numbers.get_mut(part)? += 1;
    numbers.iter_mut().skip(part + 1).for_each(|number| *number = 0);
    (numbers.len() == 3).then(|| numbers.iter().map(u64::to_string).collect::<Vec<_>>().join("."))
}

fn is_requirement(line: &str, name: &str) -> bool {
    let end = line.find(|letter: char| "<>=!~;[ ".contains(letter)).unwrap_or(line.len());
    line.get(..end).is_some_and(|known| known.eq_ignore_ascii_case(name))
}

pub fn add(name: &str, files: &BTreeMap<String, String>) -> Made {
    if let Some(text) = files.get("pyproject.toml").filter(|text| text.contains("\ndependencies = [")) {
        return in_pyproject(text, name, files);
    }
    let Some(text) = files.get("requirements.txt") else { return no_list() };
    if text.lines().any(|line| is_requirement(line.trim(), name)) {
        return Made::Nothing(format!("`requirements.txt` has {} already.", code(name)));
    }
    let newline = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    let files = BTreeMap::from([("requirements.txt".to_owned(), format!("{text}{newline}{name}\n"))]);
    Made::Texts { files, summary: format!("Add {} to `requirements.txt`", code(name)), note: INSTALL.to_owned() }
}

const INSTALL: &str = "To install it: `pip install -r requirements.txt`, or `pip install -e .`";

fn in_pyproject(text: &str, name: &str, files: &BTreeMap<String, String>) -> Made {
    let Some((at, end)) = list(text) else { return no_list() };
    let inner = text.get(at..end).unwrap_or_default();
    let known = inner.split(',').map(|one| one.trim().trim_matches(['"', '\'', '\n']));
    if known.into_iter().any(|one| is_requirement(one, name)) {
        return Made::Nothing(format!("`pyproject.toml` has {} already.", code(name)));
    }
    let trimmed = inner.trim_end();
    let comma = if trimmed.is_empty() || trimmed.ends_with(',') { "" } else { "," };
    let rest = inner.get(trimmed.len()..).unwrap_or_default();
    let added = match inner.contains('\n') {
        true => format!("{trimmed}{comma}\n    \"{name}\",{rest}"),
        false if trimmed.is_empty() => format!("\"{name}\""),
        false => format!("{trimmed}{comma} \"{name}\"{rest}"),
    };
    let mut made = text.to_owned();
    made.replace_range(at..end, &added);
    let mut all = BTreeMap::from([("pyproject.toml".to_owned(), made)]);
    // A project that has both lists keeps them in step.
    if let Some(Made::Texts { files: more, .. }) = files
        .get("requirements.txt")
        .map(|list| add(name, &BTreeMap::from([("requirements.txt".to_owned(), list.clone())])))
    {
        all.extend(more);
    }
    Made::Texts { files: all, summary: format!("Add {} to the dependencies", code(name)), note: INSTALL.to_owned() }
}

/// The range between the brackets of the dependencies.
fn list(text: &str) -> Option<(usize, usize)> {
    let head = "\ndependencies = [";
    let at = text.find(head)? + head.len();
    let end = at + text.get(at..)?.find(']')?;
    // Skips brackets inside a requirement, `uvicorn[standard]`.
    let mut end = end;
    while text.get(at..end)?.matches('[').count() > text.get(at..end)?.matches(']').count() {
        end = end + 1 + text.get(end + 1..)?.find(']')?;
    }
    Some((at, end))
}

pub fn remove(name: &str, files: &BTreeMap<String, String>) -> Made {
    let mut made = BTreeMap::new();
    if let Some(text) = files.get("requirements.txt") {
        let kept: String = text.split_inclusive('\n').filter(|line| !is_requirement(line.trim(), name)).collect();
        if kept != *text {
            made.insert("requirements.txt".to_owned(), kept);
        }
    }
    if let Some((text, (at, end))) = files.get("pyproject.toml").and_then(|text| Some((text, list(text)?))) {
        let inner = text.get(at..end).unwrap_or_default();
        let quoted = Regex::new(r#"\s*["']([^"']+)["']\s*,?"#).ok();
        let gone = quoted.and_then(|quoted| {
            let found = quoted.captures_iter(inner).find(|found| is_requirement(&found[1], name))?;
            found.get(0).map(|whole| whole.range())
        });
        if let Some(range) = gone {
            let mut rest = inner.to_owned();
            rest.replace_range(range, "");
            let rest = if rest.contains('\n') { rest } else { rest.trim().trim_end_matches(',').to_owned() };
            let mut changed = text.clone();
            changed.replace_range(at..end, &rest);
            made.insert("pyproject.toml".to_owned(), changed);
        }
    }
    if made.is_empty() {
        return Made::Nothing(format!("{} is no dependency that a file here names.", code(name)));
    }
    Made::Texts { files: made, summary: format!("Remove {} from the dependencies", code(name)), note: String::new() }
}

fn no_list() -> Made {
    Made::Nothing("No file here lists dependencies that can be changed without its package manager.".to_owned())
}
