//! The built-in list of models: where each is, its size, and what to expect of it. Downloads nothing.

use std::sync::LazyLock;

use toml_edit::{DocumentMut, Table};

const MODELS: &str = include_str!("../../../data/models.toml");

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub name: String,
    pub about: String,
    pub url: String,
    pub bytes: u64,
    /// In hexadecimal, if public records agree on it.
    pub sha256: Option<String>,
    /// Memory while it runs, as measured.
    pub ram_mb: Option<u64>,
    pub quality: String,
    pub speed: String,
    pub license: String,
}

pub fn catalogue() -> &'static [Entry] {
    static CATALOGUE: LazyLock<Vec<Entry>> = LazyLock::new(|| read(MODELS).unwrap_or_default());
    &CATALOGUE
}

pub fn entry(name: &str) -> Option<&'static Entry> {
    catalogue().iter().find(|entry| entry.name.eq_ignore_ascii_case(name))
}

/// The default model.
pub const USUAL: &str = "qwen2.5-coder-1.5b";

fn read(text: &str) -> Option<Vec<Entry>> {
    let document: DocumentMut = text.parse().ok()?;
    document.get("model")?.as_array_of_tables()?.iter().map(one).collect()
}

fn one(table: &Table) -> Option<Entry> {
    let text = |name: &str| table.get(name)?.as_str().map(str::to_owned);
    let number = |name: &str| u64::try_from(table.get(name)?.as_integer()?).ok();
    Some(Entry {
        name: text("name")?,
        about: text("about")?,
        url: text("url")?,
        bytes: number("bytes")?,
        sha256: text("sha256"),
        ram_mb: number("ram_mb"),
        quality: text("quality").unwrap_or_default(),
        speed: text("speed").unwrap_or_default(),
        license: text("license")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::local::installed_models::Name;

    #[test]
    fn every_entry_can_be_fetched_by_its_name() {
        assert!(catalogue().len() >= 6);
        assert!(entry(USUAL).is_some());
        for known in catalogue() {
            assert_eq!(Name::new(&known.name).map(|name| name.to_string()), Ok(known.name.clone()));
            assert!(known.url.starts_with("https://") && known.url.ends_with(".gguf"), "{}", known.url);
            assert!(known.bytes > 1_000_000, "{}", known.name);
            let is_sum = |sum: &String| sum.len() == 64 && sum.bytes().all(|byte| byte.is_ascii_hexdigit());
            assert!(known.sha256.as_ref().is_none_or(is_sum), "{}", known.name);
            assert_eq!(catalogue().iter().filter(|other| other.name == known.name).count(), 1);
        }
    }
}
