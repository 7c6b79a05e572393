//! The built-in specs, each parsed on first use, and again on the first use after `rebuilt::release`.

use std::sync::{Arc, OnceLock};

use aside_text::rebuilt::Rebuilt;

use crate::spec::format::{self, Spec};

struct BuiltIn {
    name: &'static str,
    /// Empty if only the full parser can tell.
    about: &'static str,
    aliases: &'static [&'static str],
    /// Where it is in `PACKED`.
    start: usize,
    end: usize,
    parsed: OnceLock<Rebuilt<Spec>>,
}

impl BuiltIn {
    const fn new(
        name: &'static str,
        about: &'static str,
        aliases: &'static [&'static str],
        start: usize,
        end: usize,
    ) -> Self {
        Self { name, about, aliases, start, end, parsed: OnceLock::new() }
    }

    fn text(&self) -> Option<String> {
        let bytes = miniz_oxide::inflate::decompress_to_vec(PACKED.get(self.start..self.end)?).ok()?;
        String::from_utf8(bytes).ok()
    }
}

// Sorted by name; `build.rs` makes both from `data/spec`.
include!(concat!(env!("OUT_DIR"), "/specs.rs"));
static PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/specs.bin"));

/// By its name or one of its aliases.
pub fn find(name: &str) -> Option<Arc<Spec>> {
    let spec = &BUILT_IN[position(name)?];
    spec.parsed.get_or_init(Rebuilt::default).get_or_try_make(|| format::parse(spec.name, &spec.text()?).0)
}

/// One line about a command. The table has it, because parsing the spec of a large program takes longer than answering a
/// query.
pub fn about(name: &str) -> Option<Box<str>> {
    let spec = &BUILT_IN[position(name)?];
    match spec.about {
        "" => find(name).map(|spec| spec.about.clone()),
        about => Some(about.into()),
    }
}

pub fn names() -> impl Iterator<Item = &'static str> {
    BUILT_IN.iter().map(|spec| spec.name)
}

pub fn has(name: &str) -> bool {
    position(name).is_some()
}

fn position(name: &str) -> Option<usize> {
    BUILT_IN.binary_search_by(|spec| spec.name.cmp(name)).ok().or_else(|| by_alias(name))
}

fn by_alias(name: &str) -> Option<usize> {
    static ALIASES: OnceLock<Vec<(&'static str, usize)>> = OnceLock::new();
    let aliases = ALIASES.get_or_init(|| {
        let specs = BUILT_IN.iter().enumerate();
        let mut aliases: Vec<_> =
            specs.flat_map(|(number, spec)| spec.aliases.iter().map(move |alias| (*alias, number))).collect();
        aliases.sort_unstable();
        aliases
    });
    aliases.binary_search_by(|(alias, _)| (*alias).cmp(name)).ok().map(|found| aliases[found].1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::walk::{self, SpecEnd, SpecWord};
    use std::collections::BTreeSet;

    fn names() -> impl Iterator<Item = &'static str> {
        BUILT_IN.iter().map(|spec| spec.name)
    }

    fn specs() -> Vec<(&'static str, Arc<Spec>)> {
        names().map(|name| (name, find(name).unwrap_or_else(|| panic!("{name} is not read")))).collect()
    }

    /// Every spec and subcommand, with its full name.
    fn all() -> Vec<(String, Arc<Spec>)> {
        let mut found: Vec<(String, Arc<Spec>)> =
            specs().into_iter().map(|(name, spec)| (name.to_owned(), spec)).collect();
        let mut at = 0;
        while at < found.len() {
            let (name, spec) = found[at].clone();
            found.extend(spec.subs.iter().map(|sub| (format!("{name} {}", sub.name), Arc::clone(&sub.spec))));
            at += 1;
        }
        found
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "only the directory itself knows what is in it")]
    fn the_table_is_sorted_and_names_every_file() {
        let directory = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("data/spec");
        let files =
            std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let files: BTreeSet<String> = files.map(|file| file.trim_end_matches(".toml").to_owned()).collect();
        let table: Vec<&str> = names().collect();
        assert_eq!(table, files.iter().map(String::as_str).collect::<Vec<_>>());
    }

    #[test]
    fn the_table_says_what_the_whole_says() {
        for (name, spec) in specs() {
            let row = &BUILT_IN[position(name).unwrap()];
            assert!(row.about.is_empty() || row.about == &*spec.about, "{name}: {}", spec.about);
            assert_eq!(row.aliases, spec.aliases.iter().map(|alias| &**alias).collect::<Vec<_>>(), "{name}");
        }
        assert!(!BUILT_IN[position("git").unwrap()].about.is_empty(), "it is worth it");
    }

    #[test]
    fn nothing_is_wrong_with_them() {
        let problems = BUILT_IN.iter().flat_map(|spec| format::parse(spec.name, &spec.text().unwrap()).1);
        let problems: Vec<String> = problems.map(|problem| problem.to_string()).collect();
        assert_eq!(problems, Vec::<String>::new());
    }

    #[test]
    fn other_names_lead_to_them_and_to_one_only() {
        let mut seen: BTreeSet<String> = names().map(str::to_owned).collect();
        for (name, spec) in specs() {
            for alias in &spec.aliases {
                assert!(seen.insert(alias.to_string()), "{alias} is there twice");
                assert!(Arc::ptr_eq(&find(alias).unwrap(), &spec), "{alias} does not lead to {name}");
            }
        }
        assert!(find("no-such-command").is_none());
    }

    #[test]
    fn descriptions_are_short_lower_case_and_without_a_full_stop() {
        let mut bad = Vec::new();
        let mut check = |place: &str, about: &str| {
            // An abbreviation or a key name may begin with a capital: then the next letter is not lower case.
            let capital = about.starts_with(char::is_uppercase)
                && about.chars().nth(1).is_none_or(|letter| letter.is_lowercase())
                && !KEPT.iter().any(|word| about.starts_with(word));
            if about.ends_with('.') || capital || about.chars().count() > 100 {
                bad.push(format!("{place}: {about:?}"));
            }
        };
        for (name, spec) in all() {
            assert!(!spec.about.is_empty(), "{name} has no description");
            check(&name, &spec.about);
            for flag in &spec.flags {
                check(&format!("{name} {}", flag.names[0]), &flag.about);
            }
        }
        assert_eq!(bad, Vec::<String>::new());
    }

    /// Names that are always capitalized.
    const KEPT: &[&str] =
        &["Docker", "Go ", "Git", "Python", "Rust", "Cargo", "Perl", "Unix", "Node", "Ctrl", "Unicode", "Kubernetes"];

    #[test]
    fn every_subcommand_is_found_on_the_way() {
        for (name, spec) in all() {
            let pieces: Vec<SpecWord<'_>> =
                name.split(' ').map(|word| SpecWord { value: word.into(), fixed: true, word: None }).collect();
            let walk = walk::walk(find(&pieces[0].value).unwrap(), &pieces);
            assert!(Arc::ptr_eq(walk.spec(), &spec), "{name}");
            assert_eq!(walk.end(), SpecEnd::Open, "{name}");
        }
    }

    #[test]
    fn subcommands_have_different_names() {
        for (name, spec) in all() {
            let mut seen = BTreeSet::new();
            for sub in &spec.subs {
                for known in std::iter::once(&sub.name).chain(&sub.spec.aliases) {
                    assert!(seen.insert(known), "{name} {known} is there twice");
                }
            }
        }
    }
}
