//! Packages that a runner downloads and runs at once: `npx x`, `uvx x`, `go run x@latest`. Silent for packages that everyone knows, and for
//! those that are installed in the project.

use std::sync::LazyLock;

use crate::safety::nested_commands::{NestedCommand, RunsWhere, is_flag};
use crate::safety::overwrites::WorldView;
use crate::safety::rules::has_flag;
use crate::safety::toml_table;

const TABLE: &str = include_str!("../../data/safety/runners.toml");

struct Runner {
    /// The name, and the words that have to follow it.
    command: Vec<String>,
    /// Flags whose value is the package.
    package: Vec<String>,
    /// Flags that take the next word.
    values: Vec<String>,
    /// With one of these nothing is downloaded.
    local: Vec<String>,
    /// Only a package with a version is not of the project.
    versioned: bool,
}

struct Runners {
    runners: Vec<Runner>,
    /// Names of packages; `*` ends a beginning.
    known: Vec<String>,
}

static RUNNERS: LazyLock<Runners> = LazyLock::new(|| {
    let mut runners = Vec::new();
    for row in toml_table::rows(TABLE, "runner") {
        runners.extend(row.list("command").iter().map(|command| Runner {
            command: command.split(' ').map(str::to_owned).collect(),
            package: row.list("package"),
            values: row.list("values"),
            local: row.list("local"),
            versioned: row.is("versioned"),
        }));
    }
    let known = toml_table::rows(TABLE, "known");
    Runners { runners, known: known.iter().flat_map(|row| row.keys().flat_map(|key| row.list(key))).collect() }
});

pub fn runs_unknown(run: &NestedCommand, view: WorldView<'_>) -> bool {
    let runner = RUNNERS.runners.iter().find(|runner| runner.is(run));
    let Some(package) = runner.filter(|_| run.place == RunsWhere::Here).and_then(|runner| runner.package(run)) else {
        return false;
    };
    let fits = |known: &String| match known.strip_suffix('*') {
        Some(begin) => package.starts_with(begin),
        None => known == package,
    };
    !RUNNERS.known.iter().any(fits) && !view.is_installed(run, package.rsplit('/').next().unwrap_or(package))
}

impl Runner {
    fn is(&self, run: &NestedCommand) -> bool {
        let Some((name, subs)) = self.command.split_first() else { return false };
        name == run.name() && subs.iter().eq(self.plain(run).into_iter().take(subs.len()))
    }

    fn plain<'r>(&self, run: &'r NestedCommand) -> Vec<&'r str> {
        let mut plain = Vec::new();
        let mut words = run.arguments().iter().map(|word| word.value.as_str());
        while let Some(word) = words.next() {
            if self.values.iter().chain(&self.package).any(|flag| flag == word) {
                words.next();
            } else if !is_flag(word) {
                plain.push(word);
            }
        }
        plain
    }

    /// The name of the package without its version, unless it is a path.
    fn package<'r>(&self, run: &'r NestedCommand) -> Option<&'r str> {
        let arguments = run.arguments();
        if has_flag(arguments.iter(), &self.local) {
            return None;
        }
        let name = self.plain(run).get(self.command.len() - 1).copied();
        // Flags behind the name are those of the program.
        let mut own = arguments.iter().enumerate().take_while(|(_, word)| Some(word.value.as_str()) != name);
        let given = own.find_map(|(at, word)| {
            let glued = |flag: &String| word.value.strip_prefix(flag.as_str())?.strip_prefix('=');
            let next = || arguments.get(at + 1).map(|next| next.value.as_str());
            if self.package.contains(&word.value) { next() } else { self.package.iter().find_map(glued) }
        });
        let package = given.or(name)?;
        let version = package.rfind('@').filter(|at| *at > 0);
        let path = package.starts_with(['.', '/', '~', '$', '{', '<']) || self.versioned && version.is_none();
        (!path).then(|| version.map_or(package, |at| package.get(..at).unwrap_or(package)))
    }
}

#[cfg(test)]
mod tests {
    use crate::safety::{self, Harm, toml_table};
    use shell_line::Dialect;

    #[test]
    fn every_runner_hits_and_misses() {
        toml_table::tests::is_read_whole(super::TABLE);
        let table: toml_edit::DocumentMut = super::TABLE.parse().unwrap();
        let mut wrong = Vec::new();
        for row in table["runner"].as_array_of_tables().unwrap() {
            for (key, expected) in [("hits", true), ("misses", false)] {
                for line in row[key].as_array().unwrap() {
                    let line = line.as_str().unwrap();
                    let dangers = safety::dangers(line, Dialect::Bash);
                    if dangers.iter().any(|danger| danger.harm == Harm::RunsUnseen) != expected {
                        wrong.push(format!("{key}: {line}"));
                    }
                }
            }
        }
        assert_eq!(wrong, [""; 0]);
    }
}
