//! Scripts of a JavaScript package, in the order of the file.

use std::collections::HashSet;
use std::fmt;
use std::path::Path;

use aside_commands::world::LiveItem;
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};

use crate::world::read::{item, read_below};
use crate::world::repository::base_of;

/// The scripts of the nearest package.
pub fn scripts(directory: &Path) -> Option<Vec<LiveItem>> {
    let around = directory.ancestors().find(|directory| directory.join("package.json").is_file())?;
    // A foreign package must not turn the user's other files into names.
    let text = read_below(&base_of(around), &around.join("package.json"))?;
    let package: Package = serde_json::from_str(&text).ok()?;
    let Scripts(scripts) = package.scripts;
    // `pretest` runs by itself before `test`, so it is not offered.
    let names: HashSet<&str> = scripts.iter().map(|(name, _)| &**name).collect();
    let accompanies = |name: &str| {
        let other = name.strip_prefix("pre").or_else(|| name.strip_prefix("post"));
        other.is_some_and(|other| names.contains(other))
    };
    let (last, first): (Vec<_>, Vec<_>) = scripts.iter().partition(|(name, _)| accompanies(name));
    Some(first.into_iter().chain(last).map(|(name, script)| item(&**name, &**script)).collect())
}

#[derive(Deserialize)]
struct Package {
    #[serde(default)]
    scripts: Scripts,
}

#[derive(Default)]
struct Scripts(Vec<(String, String)>);

impl<'de> Deserialize<'de> for Scripts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(InOrder)
    }
}

/// Deserializes into a list: a map would lose the order.
struct InOrder;

impl<'de> Visitor<'de> for InOrder {
    type Value = Scripts;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("scripts by name")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Scripts, A::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Script {
            Text(String),
            Other(IgnoredAny),
        }
        let mut scripts = Vec::new();
        while let Some((name, script)) = map.next_entry::<String, Script>()? {
            if let Script::Text(script) = script {
                scripts.push((name, script));
            }
        }
        Ok(Scripts(scripts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::read::repository_beside_a_secret;

    #[test]
    fn files_outside_of_the_repository_are_not_read() {
        let temp = repository_beside_a_secret();
        let at = |name: &str| temp.path().join(name);
        std::fs::write(at("netrc"), r#"{"scripts": {"secret": "x"}}"#).unwrap();
        for link in ["repo/package.json", "repo/below/package.json"] {
            std::os::unix::fs::symlink(at("netrc"), at(link)).unwrap();
            assert_eq!(scripts(&at("repo/below")), None, "{link}");
        }
        std::fs::rename(at("netrc"), at("repo/shared.json")).unwrap();
        std::fs::remove_file(at("repo/below/package.json")).unwrap();
        std::os::unix::fs::symlink("../shared.json", at("repo/below/package.json")).unwrap();
        assert_eq!(scripts(&at("repo/below")), Some(vec![item("secret", "x")]), "a link within it");
    }

    #[test]
    fn scripts_come_in_their_order_and_what_accompanies_another_last() {
        let temp = tempfile::tempdir().unwrap();
        let text = r#"{"name": "x", "scripts": {
            "pretest": "lint", "test": "vitest run", "build:web": "vite build", "odd": 3, "prepare": "husky"
        }, "scriptsx": {}}"#;
        std::fs::write(temp.path().join("package.json"), text).unwrap();
        let below = temp.path().join("src");
        std::fs::create_dir(&below).unwrap();
        let found: Vec<String> =
            scripts(&below).unwrap().iter().map(|item| format!("{}: {}", item.name, item.about)).collect();
        assert_eq!(found, ["test: vitest run", "build:web: vite build", "prepare: husky", "pretest: lint"]);
        std::fs::write(temp.path().join("package.json"), "{}").unwrap();
        assert_eq!(scripts(&below), Some(Vec::new()));
        std::fs::write(temp.path().join("package.json"), "{ not json").unwrap();
        assert_eq!(scripts(&below), None);
    }
}
