//! Files that the shell or the system executes by itself, and names whose meaning everyone relies on. What runs there, a user no longer
//! sees. Settings that run nothing are not reported.

use std::sync::LazyLock;

use shell_line::Dialect;

use crate::safety::{self, target, toml_table};

const TABLE: &str = include_str!("../../data/safety/startup.toml");

struct Place {
    /// Below a home. A name that ends with `/` is a directory.
    home: Vec<String>,
    /// Beginnings of absolute paths.
    system: Vec<String>,
    /// Directories anywhere.
    anywhere: Vec<String>,
    /// First words of lines that run nothing of their own.
    settings: Vec<String>,
}

static PLACES: LazyLock<Vec<Place>> = LazyLock::new(|| {
    let rows = toml_table::rows(TABLE, "place");
    let place = |row: &toml_table::Row<'_>| Place {
        home: row.list("home"),
        system: row.list("system"),
        anywhere: row.list("anywhere"),
        settings: row.list("settings"),
    };
    rows.iter().map(place).collect()
});

static EVERYDAY: LazyLock<Vec<String>> =
    LazyLock::new(|| toml_table::rows(TABLE, "everyday").first().map(|row| row.list("names")).unwrap_or_default());

/// A command that everyone expects to destroy nothing.
pub fn is_everyday(name: &str) -> bool {
    EVERYDAY.iter().any(|known| known == name)
}

/// Whether this text, written to this file, changes what is executed later. An empty text is unknown.
pub fn runs_later(path: &str, text: &str) -> bool {
    let path = &*target::resolved(path);
    let place = PLACES.iter().find(|place| place.holds(path));
    place.is_some_and(|place| text.trim().is_empty() || !place.only_sets(text))
}

impl Place {
    fn holds(&self, path: &str) -> bool {
        let fits =
            |known: &String, path: &str| path == known || known.ends_with('/') && path.starts_with(known.as_str());
        below_home(path).is_some_and(|rest| self.home.iter().any(|known| fits(known, rest)))
            || self.system.iter().any(|begin| path.starts_with(begin.as_str()))
            || self.anywhere.iter().any(|part| path.starts_with(part) || path.contains(&format!("/{part}")))
    }

    fn only_sets(&self, text: &str) -> bool {
        let sets = |line: &str| {
            let first = line.split([' ', '\t', ';']).next().unwrap_or_default();
            let assigns = first
                .split_once('=')
                .is_some_and(|(name, _)| name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_'));
            first.is_empty()
                || first.starts_with('#')
                || assigns
                || self.settings.iter().any(|known| known.eq_ignore_ascii_case(first))
        };
        text.lines().all(|line| sets(line.trim())) && safety::dangers(text, Dialect::Bash).is_empty()
    }
}

fn below_home(path: &str) -> Option<&str> {
    let spelled = ["~/", "$HOME/", "${HOME}/", "/root/"].iter().find_map(|home| path.strip_prefix(home));
    spelled.or_else(|| {
        let rest = path.strip_prefix("/home/").or(path.strip_prefix("/Users/"))?;
        rest.split_once('/').map(|(_, rest)| rest)
    })
}

#[cfg(test)]
mod tests {
    use crate::safety::{self, Harm, toml_table};
    use shell_line::Dialect;

    #[test]
    fn every_place_hits_and_misses() {
        toml_table::tests::is_read_whole(super::TABLE);
        let table: toml_edit::DocumentMut = super::TABLE.parse().unwrap();
        let mut wrong = Vec::new();
        for row in table["place"].as_array_of_tables().unwrap() {
            for (key, expected) in [("hits", true), ("misses", false)] {
                for line in row[key].as_array().unwrap() {
                    let line = line.as_str().unwrap();
                    let dangers = safety::dangers(line, Dialect::Bash);
                    if dangers.iter().any(|danger| danger.harm == Harm::RunsLater) != expected {
                        wrong.push(format!("{key}: {line}"));
                    }
                }
            }
        }
        assert_eq!(wrong, [""; 0]);
    }
}
