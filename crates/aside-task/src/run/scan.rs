//! Lines of a project that answer a question about all of it: its routes, its ports, the flags that it takes, where it starts. Patterns and
//! examples are in `data/task/scan.toml`.

use std::sync::LazyLock;

use regex::Regex;

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
        }
    }

    pub fn finds(self, path: &str, line: &str) -> bool {
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
            assert!(!hits.is_empty() && !misses.is_empty(), "{}", pattern.pattern);
            wrong.extend(hits.iter().filter(|line| !pattern.pattern.is_match(line)).cloned());
            wrong
                .extend(misses.iter().filter(|line| pattern.pattern.is_match(line)).map(|line| format!("miss {line}")));
        }
        assert_eq!(wrong, Vec::<String>::new());
        assert!(Scan::Start.finds("cmd/a/main.go", "func main() {"));
        assert!(!Scan::Start.finds("README.md", "func main() {"));
    }
}
