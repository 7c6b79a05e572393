//! Lines of a project that answer a question about all of it: its routes, its ports, the flags that it takes, where it starts. Patterns and
//! examples are in `data/task/scan.toml`.

use std::sync::LazyLock;

use aside_text::lazy_regex::Regex;

use crate::run::toml_lists;

const LIST: &str = include_str!("../../data/task/scan.toml");

/// What is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scan {
    Routes,
    Ports,
    Flags,
    BuildOptions,
    Environment,
    Start,
    Ci,
    Subcommands,
}

struct Pattern {
    of: String,
    /// Endings of the files that it applies to; empty for all.
    files: Vec<String>,
    pattern: Regex,
}

static ALL: LazyLock<Vec<Pattern>> = LazyLock::new(|| {
    toml_lists::tables(LIST, "scan", |table| {
        let files = toml_lists::text(table, "files").unwrap_or_default();
        Some(Pattern {
            of: toml_lists::text(table, "of")?,
            files: files.split_whitespace().map(str::to_owned).collect(),
            pattern: toml_lists::pattern(table, "pattern")?,
        })
    })
});

impl Scan {
    fn name(self) -> &'static str {
        match self {
            Scan::Routes => "routes",
            Scan::Ports => "ports",
            Scan::Flags => "flags",
            Scan::BuildOptions => "build-options",
            Scan::Environment => "environment",
            Scan::Start => "start",
            Scan::Ci => "ci",
            Scan::Subcommands => "subcommands",
        }
    }

    /// For "nothing was found".
    pub fn words(self) -> (&'static str, &'static str) {
        match self {
            Scan::Routes => ("a route of a server", "服务器路由"),
            Scan::Ports => ("a port", "端口"),
            Scan::Flags => ("a flag of a command line", "命令行参数"),
            Scan::BuildOptions => ("an option of a build file", "构建选项"),
            Scan::Environment => ("a variable of the environment", "环境变量"),
            Scan::Start => ("where a program starts", "程序入口"),
            Scan::Ci => ("a command of a CI job", "CI 任务里的命令"),
            Scan::Subcommands => ("a subcommand of a program", "程序的子命令"),
        }
    }

    /// The lines of a file that answer it, from 0.
    pub fn places(self, path: &str, text: &str) -> Vec<usize> {
        let mut found: Vec<usize> = text
            .lines()
            .enumerate()
            .filter(|(_, line)| line.len() < MAX_LINE && self.finds(path, line))
            .map(|(at, _)| at)
            .collect();
        if self == Scan::Subcommands && path.ends_with(".rs") {
            found.extend(variants(text));
            found.sort_unstable();
        }
        found
    }

    fn finds(self, path: &str, line: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        let applies = |pattern: &&Pattern| {
            let ends = |ending: &String| {
                name == ending || name.strip_suffix(ending.as_str()).is_some_and(|rest| rest.ends_with('.'))
            };
            pattern.of == self.name() && (pattern.files.is_empty() || pattern.files.iter().any(ends))
        };
        ALL.iter().filter(applies).any(|pattern| pattern.pattern.is_match(line))
    }
}

/// Bytes of a line from which it is generated.
const MAX_LINE: usize = 400;

/// The variants of an enum that clap derives subcommands from.
fn variants(text: &str) -> Vec<usize> {
    let lines: Vec<&str> = text.lines().collect();
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut found = Vec::new();
    for (at, _) in lines.iter().enumerate().filter(|(_, line)| line.contains("derive(") && line.contains("Subcommand"))
    {
        let Some(open) = lines.iter().skip(at).position(|line| line.contains("enum ")).map(|below| at + below) else {
            continue;
        };
        let own = lines.get(open).map_or(0, |line| indent(line));
        for (number, line) in lines.iter().enumerate().skip(open + 1) {
            if line.trim_start().starts_with('}') && indent(line) == own {
                break;
            }
            if indent(line) == own + 4 && line.trim_start().starts_with(char::is_uppercase) {
                found.push(number);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_has_its_hits_and_misses() {
        assert_eq!(ALL.len(), toml_lists::count(LIST, "scan"));
        let examples = toml_lists::tables(LIST, "scan", |table| {
            Some((toml_lists::texts(table, "hits"), toml_lists::texts(table, "misses")))
        });
        let mut wrong = Vec::new();
        for (pattern, (hits, misses)) in ALL.iter().zip(examples) {
            assert!(!hits.is_empty() && !misses.is_empty(), "{}", pattern.pattern.as_str());
            wrong.extend(hits.iter().filter(|line| !pattern.pattern.is_match(line)).cloned());
            wrong
                .extend(misses.iter().filter(|line| pattern.pattern.is_match(line)).map(|line| format!("miss {line}")));
        }
        assert_eq!(wrong, Vec::<String>::new());
        assert!(Scan::Start.finds("cmd/a/main.go", "func main() {"));
        assert!(!Scan::Start.finds("README.md", "func main() {"));
        let clap = "#[derive(Subcommand)]\nenum Command {\n    /// Reads\n    Check,\n    Run {\n        port: u16,\n    },\n}\n";
        assert_eq!(Scan::Subcommands.places("src/main.rs", clap), [3, 4]);
    }
}
