//! Lock files that repeat the version of the project itself: they go along when it changes, so that the next build finds nothing to update.

use std::collections::BTreeMap;

use aside_text::lazy_regex::Regex;

pub fn is_lock(path: &str) -> bool {
    matches!(path.rsplit('/').next(), Some("Cargo.lock" | "package-lock.json" | "npm-shrinkwrap.json"))
}

/// The lock files with the new version of the project's own packages.
pub fn with_version(old: &str, new: &str, files: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let mut made = BTreeMap::new();
    for (path, text) in files.iter().filter(|(path, _)| is_lock(path)) {
        let changed = match path.ends_with("Cargo.lock") {
            true => in_cargo(old, new, text, files),
            false => in_npm(old, new, text),
        };
        if changed != *text {
            made.insert(path.clone(), changed);
        }
    }
    made
}

/// The packages whose manifests are here, and have this version.
fn in_cargo(old: &str, new: &str, text: &str, files: &BTreeMap<String, String>) -> String {
    let Ok(name) = Regex::new(r#"(?m)^\[package\]\s*(?:[^\[]*?\n)?name\s*=\s*"([^"]+)""#) else {
        return text.to_owned();
    };
    let mut made = text.to_owned();
    for manifest in files.iter().filter(|(path, _)| path.ends_with("Cargo.toml")).map(|(_, text)| text) {
        let Some(package) = name.captures(manifest).map(|found| found[1].to_owned()) else { continue };
        let before = format!("name = \"{package}\"\nversion = \"{old}\"");
        made = made.replace(&before, &format!("name = \"{package}\"\nversion = \"{new}\""));
    }
    made
}

/// The version at the top, and the one of the package with the empty name.
fn in_npm(old: &str, new: &str, text: &str) -> String {
    let old = regex::escape(old);
    let heads = [
        format!(r#"(?P<head>^\{{\s*"name":\s*"[^"]*",\s*"version":\s*"){old}""#),
        format!(r#"(?P<head>"":\s*\{{\s*"name":\s*"[^"]*",\s*"version":\s*"){old}""#),
    ];
    heads
        .iter()
        .filter_map(|head| Regex::new(head).ok())
        .fold(text.to_owned(), |text, head| head.replace(&text, format!("${{head}}{new}\"")).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_projects_own_packages_change() {
        let files = BTreeMap::from([
            ("Cargo.toml".to_owned(), "[package]\nname = \"own\"\nversion = \"0.1.0\"\n".to_owned()),
            (
                "Cargo.lock".to_owned(),
                "[[package]]\nname = \"own\"\nversion = \"0.1.0\"\n\n[[package]]\nname = \"log\"\nversion = \"0.1.0\"\n".to_owned(),
            ),
            (
                "package-lock.json".to_owned(),
                "{\n  \"name\": \"a\",\n  \"version\": \"0.1.0\",\n  \"packages\": {\n    \"\": {\n      \"name\": \"a\",\n      \"version\": \"0.1.0\"\n    },\n    \"b\": {\"version\": \"0.1.0\"}\n  }\n}\n".to_owned(),
            ),
        ]);
        let made = with_version("0.1.0", "0.2.0", &files);
        assert_eq!(made["Cargo.lock"].matches("0.2.0").count(), 1);
        assert!(made["Cargo.lock"].contains("name = \"log\"\nversion = \"0.1.0\""));
        assert_eq!(made["package-lock.json"].matches("0.2.0").count(), 2);
    }
}
