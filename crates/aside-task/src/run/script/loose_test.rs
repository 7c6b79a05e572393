//! One test that a request describes by some words: "run the distance test". Looks for them in the names of tests, then in the names of
//! their files, then in what they test; the command names the test or the file that was found, so that it never runs nothing.

use std::sync::LazyLock;

use aside_text::lazy_regex::Regex;

use crate::run::actions;
use crate::run::project::Project;
use crate::run::search::identifiers::{parts, stem};

/// Tests that are named where several are meant.
pub const MAX_LISTED: usize = 8;

/// A test by its file and its name; all of the file where there is no name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundTest {
    pub path: String,
    pub name: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LooseTest {
    One(FoundTest),
    /// All tests below a directory.
    Below(String),
    Several(Vec<FoundTest>),
    /// No test has these words.
    None,
}

/// The directory whose tests are asked for: `internal/relay` of "run the tests in internal/relay".
pub fn asked_directory(words: &str) -> Option<String> {
    static SHAPE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"(?i)^\s*(?:(?:please|pls|can you)\s+)*(?:run|execute|rerun)\s+(?:only\s+|just\s+|all\s+)*(?:the\s+)?(?:unit\s+)?tests?\s+(?:of|in|under|for|from|inside)\s+(?:the\s+)?`?(?P<path>\.?/?[\w.-]+(?:/[\w.-]+)*/?)`?(?:\s+(?:folder|directory|package|dir))?(?:\s+(?:only|alone|please|pls))*\s*[.!?]*\s*$").ok()
    });
    let path = SHAPE
        .as_ref()?
        .captures(words)?
        .name("path")?
        .as_str()
        .trim_start_matches("./")
        .trim_end_matches('/')
        .to_owned();
    (!path.is_empty() && !path.starts_with(['-', '/']) && !path.contains("..")).then_some(path)
}

/// The command for all tests below a directory.
pub fn of_directory(
    path: &str,
    files: &[(String, String)],
    project: &Project,
    has_file: &dyn Fn(&str) -> bool,
) -> Option<String> {
    let below = format!("{path}/");
    let ending = files
        .iter()
        .filter(|(file, text)| file.starts_with(&below) && !names(file, text).is_empty())
        .find_map(|(file, _)| file.rsplit_once('.').map(|(_, ending)| ending.to_owned()))?;
    let cmd = match ending.as_str() {
        "go" => format!("go test ./{path}/..."),
        "py" if says_pytest(project) || !has_file("manage.py") => format!("pytest {path}"),
        "py" => format!("python manage.py test {}", path.replace('/', ".")),
        "js" | "jsx" | "ts" | "tsx" | "mjs" | "cjs" => {
            let scripts = project.text("package.json").unwrap_or_default();
            match () {
                () if scripts.contains("vitest") => format!("npx vitest run {path}"),
                () if scripts.contains("jest") => format!("npx jest {path}"),
                () => return None,
            }
        }
        "rb" => format!("bundle exec rspec {path}"),
        _ => return None,
    };
    Some(actions::through(&cmd, has_file))
}

/// What describes the test, in lower case; `None` where the request is for all tests, or for something else.
pub fn asked(words: &str) -> Option<Vec<String>> {
    static SHAPES: LazyLock<Vec<Regex>> = LazyLock::new(|| {
        let polite = r"(?:(?:please|pls|can you|could you|now|i want to|i need to|i'd like to|let's|lets)[\s,]+)*";
        let rows = [
            r"(?:re-?run|run|execute|try|start)\s+(?:only\s+|just\s+)*(?:the\s+|that\s+|a\s+|my\s+)?(?:single\s+|one\s+)?(?P<x>[A-Za-z][\w' -]{1,60}?)\s+(?:unit\s+)?(?:tests?|specs?|test\s+case)(?:\s+(?:only|alone|by\s+itself))?",
            r"(?:re-?run|run|execute|try)\s+(?:only\s+|just\s+)*(?:the\s+|that\s+|a\s+)?(?:single\s+|one\s+)?(?:tests?|specs?)\s+(?:for|about|of|called|named|on|covering|that\s+(?:checks?|covers?|says)|which\s+(?:checks?|covers?))\s+(?:the\s+)?(?P<x>[A-Za-z][\w.' -]{1,60}?)(?:\s+(?:only|alone))?",
        ];
        let whole = |row: &&str| {
            Regex::new(&format!(r"(?i)^\s*{polite}(?:{row})(?:\s*,?\s*(?:please|pls|thanks|again))*\s*[.!?]*\s*$")).ok()
        };
        rows.iter().filter_map(whole).collect()
    });
    // How the output looks is for the runner to be told.
    if ["verbose", " with -v", "coverage", "parallel", "watch"].iter().any(|mode| words.to_lowercase().contains(mode)) {
        return None;
    }
    let found = SHAPES.iter().find_map(|shape| shape.captures(words))?;
    let said = found.name("x")?.as_str();
    let fillers = [
        "rs",
        "py",
        "ts",
        "tsx",
        "js",
        "jsx",
        "go",
        "java",
        "cpp",
        "c",
        "rb",
        "package",
        "packag",
        "module",
        "modul",
        "crate",
        "folder",
        "directory",
        "directori",
        "file",
        "component",
        "class",
        "function",
        "method",
        "the",
        "a",
        "an",
        "that",
        "one",
        "of",
        "for",
        "is",
        "are",
        "we",
        "if",
        "when",
        "it",
        "my",
        "s",
    ];
    let all: Vec<String> = said
        .split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .flat_map(parts)
        .map(|word| stem(&word.to_lowercase()))
        .filter(|word| !word.is_empty() && !fillers.contains(&word.as_str()))
        .collect();
    let others = [
        "all",
        "unit",
        "integration",
        "whole",
        "every",
        "failing",
        "failed",
        "slow",
        "fast",
        "last",
        "new",
        "e2e",
        "end",
        "smoke",
        "verbose",
        "regression",
        "backend",
        "frontend",
        "go",
        "python",
        "rust",
        "cargo",
        "npm",
        "project",
        "host",
        "fail",
    ];
    let is_other = |word: &String| others.iter().any(|other| stem(other) == word.as_str());
    (!all.is_empty() && all.len() <= 6 && !all.iter().any(is_other)).then_some(all)
}

/// Whether a file may have tests.
pub fn is_test_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let (head, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    match ending {
        "py" => head.starts_with("test_") || head.ends_with("_test") || head == "tests",
        "js" | "jsx" | "ts" | "tsx" | "mjs" | "cjs" => {
            head.ends_with(".test") || head.ends_with(".spec") || path.contains("__tests__/")
        }
        "go" => head.ends_with("_test"),
        "rs" => true,
        "java" | "kt" => {
            head.ends_with("Test") || head.ends_with("Tests") || head.starts_with("Test") || head.ends_with("IT")
        }
        "c" | "cc" | "cpp" | "cxx" => head.starts_with("test_") || head.ends_with("_test") || path.contains("test"),
        "rb" => head.ends_with("_spec") || head.ends_with("_test"),
        "php" | "cs" => head.ends_with("Test") || head.ends_with("Tests"),
        "exs" => head.ends_with("_test"),
        "txt" => name == "CMakeLists.txt",
        _ => false,
    }
}

/// The names of the tests of a file.
fn names(path: &str, text: &str) -> Vec<String> {
    static PATTERNS: LazyLock<Vec<(&'static [&'static str], Regex)>> = LazyLock::new(|| {
        let rows: [(&'static [&'static str], &str); 8] = [
            (&["py"], r"(?m)^\s*(?:async\s+)?def\s+(?P<name>test\w*)"),
            (
                &["js", "jsx", "ts", "tsx", "mjs", "cjs"],
                r#"(?m)\b(?:it|test)(?:\.(?:only|each\([^)]*\)|concurrent))?\(\s*["'`](?P<name>[^"'`\n]+)["'`]"#,
            ),
            (&["go"], r"(?m)^func\s+(?P<name>Test\w+)\("),
            (
                &["rs"],
                r"(?m)#\[(?:\w+::)?test\b[^\]]*\](?:\s*#\[[^\]]*\])*\s*(?:pub\s+)?(?:async\s+)?fn\s+(?P<name>\w+)",
            ),
            (
                &["java", "kt"],
                r"(?m)@(?:Test|ParameterizedTest)\b[^{;]*?(?:void|fun)\s+`?(?P<name>[\w ]+?)`?\s*\(|^\s+(?:public\s+)?void\s+(?P<other>\w+)\(\)",
            ),
            (&["txt"], r"add_test\(\s*NAME\s+(?P<name>[\w.-]+)|add_test\(\s*(?P<other>[a-z][\w.-]*)\s"),
            (
                &["cc", "cpp", "cxx"],
                r#"\bTEST(?:_F|_P)?\(\s*\w+\s*,\s*(?P<name>\w+)\)|TEST_CASE\(\s*"(?P<other>[^"]+)""#,
            ),
            (&["rb"], r#"\bit\s+["'](?P<name>[^"'\n]+)["']"#),
        ];
        rows.into_iter().filter_map(|(endings, pattern)| Some((endings, Regex::new(pattern).ok()?))).collect()
    });
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    // A program that is a test by itself.
    if ["c", "cc", "cpp", "cxx"].contains(&ending) && text.contains(" main(") {
        return vec![program(path)];
    }
    let Some((_, pattern)) = PATTERNS.iter().find(|(endings, _)| endings.contains(&ending)) else { return Vec::new() };
    pattern
        .captures_iter(text)
        .filter_map(|found| found.name("name").or(found.name("other")).map(|name| name.as_str().to_owned()))
        .collect()
}

/// What a program that is a test is called in CTest: `pid` of `tests/test_pid.c`.
fn program(path: &str) -> String {
    let name = path.rsplit('/').next().and_then(|name| name.split('.').next()).unwrap_or_default();
    let bare = name.strip_prefix("test_").or_else(|| name.strip_suffix("_test")).unwrap_or(name);
    bare.to_owned()
}

fn has_words(text: &str, words: &[String]) -> bool {
    let own: Vec<String> = text
        .split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .flat_map(parts)
        .map(|word| stem(&word.to_lowercase()))
        .collect();
    words.iter().all(|word| own.contains(word))
}

/// The test that the words describe, among the files of tests.
pub fn find(words: &[String], files: &[(String, String)]) -> LooseTest {
    let stem_of = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or(path);
        name.split('.').next().unwrap_or(name).to_owned()
    };
    let has_tests = |(path, text): &&(String, String)| !names(path, text).is_empty();
    let is_list = |path: &str| path.ends_with("CMakeLists.txt");
    // A file that is called exactly so has the tests of that name.
    let exact: Vec<&(String, String)> = files
        .iter()
        .filter(|(path, _)| {
            !is_list(path) && has_words(&stem_of(path), words) && {
                let own = parts(&stem_of(path)).into_iter().map(|part| stem(&part.to_lowercase()));
                own.filter(|part| !["test", "spec"].contains(&part.as_str())).count() == words.len()
            }
        })
        .filter(has_tests)
        .collect();
    if let [(path, _)] = exact.as_slice() {
        return LooseTest::One(FoundTest { path: path.clone(), name: None });
    }
    let named: Vec<FoundTest> = files
        .iter()
        .flat_map(|(path, text)| names(path, text).into_iter().map(move |name| (path, name)))
        .filter(|(_, name)| has_words(name, words))
        .map(|(path, name)| FoundTest { path: path.clone(), name: Some(name) })
        .collect();
    match named.as_slice() {
        [only] => return LooseTest::One(only.clone()),
        [] => {}
        several => {
            // All tests of one file that has no others are the file.
            let path = &several.first().map(|one| one.path.clone()).unwrap_or_default();
            let all = files.iter().find(|(known, _)| known == path).map_or(0, |(path, text)| names(path, text).len());
            if several.iter().all(|one| one.path == *path)
                && (all == several.len() || !is_list(path))
                && !path.ends_with(".rs")
            {
                return LooseTest::One(FoundTest { path: path.clone(), name: None });
            }
            return LooseTest::Several(several.to_vec());
        }
    }
    // A directory of tests may be called so.
    if let [word] = words {
        let named = |path: &str| path.split('/').rev().skip(1).any(|part| stem(&part.to_lowercase()) == *word);
        let mut below = files.iter().filter(|(path, _)| named(path)).filter(has_tests);
        if let Some((path, _)) = below.next() {
            let parts: Vec<&str> = path.split('/').collect();
            let at = parts.iter().position(|part| stem(&part.to_lowercase()) == *word).unwrap_or(0);
            let directory = parts.get(..=at).unwrap_or_default().join("/");
            return LooseTest::Below(directory);
        }
    }
    let by_file: Vec<&(String, String)> =
        files.iter().filter(|(path, _)| !is_list(path) && has_words(&stem_of(path), words)).filter(has_tests).collect();
    let by_text = || -> Vec<&(String, String)> {
        let says = |(_, text): &&(String, String)| text.lines().any(|line| has_words(line, words));
        files.iter().filter(|(path, _)| !is_list(path)).filter(says).filter(has_tests).collect()
    };
    let found = if by_file.is_empty() { by_text() } else { by_file };
    let tests: Vec<FoundTest> = found.iter().map(|(path, _)| FoundTest { path: path.clone(), name: None }).collect();
    match tests.as_slice() {
        [only] => LooseTest::One(only.clone()),
        [] => LooseTest::None,
        _ => LooseTest::Several(tests),
    }
}

/// The command that runs a test, with the runner that the project uses. `packages` are the manifests with the names of their packages.
pub fn command(
    test: &FoundTest,
    project: &Project,
    has_file: &dyn Fn(&str) -> bool,
    packages: &[(String, String)],
) -> Option<String> {
    let FoundTest { path, name } = test;
    let is_plain = |text: &str| {
        !text.starts_with('-') && text.chars().all(|letter| letter.is_alphanumeric() || "./_-+@".contains(letter))
    };
    if !is_plain(path) {
        return None;
    }
    let name = name.as_deref().filter(|name| !name.contains(['\'', '"', '\\', '$', '`', '\n']));
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    let directory = path.rsplit_once('/').map_or(".", |(directory, _)| directory);
    let class = path.rsplit('/').next().and_then(|file| file.split('.').next()).unwrap_or_default();
    let cmd = match ending {
        "py" if has_file("manage.py") && !says_pytest(project) => {
            format!("python manage.py test -k {}", name.unwrap_or(class))
        }
        "py" => match name {
            Some(name) => format!("pytest {path} -k {name}"),
            None => format!("pytest {path}"),
        },
        "js" | "jsx" | "ts" | "tsx" | "mjs" | "cjs" => {
            let scripts = project.text("package.json").unwrap_or_default();
            let (runner, flag) = match () {
                () if scripts.contains("vitest") => ("npx vitest run", "-t"),
                () if scripts.contains("jest") => ("npx jest", "-t"),
                () if scripts.contains("playwright") => ("npx playwright test", "-g"),
                () if scripts.contains("mocha") => ("npx mocha", "-g"),
                () if scripts.contains("node --test") => ("node --test", ""),
                () => return None,
            };
            match name.filter(|_| !flag.is_empty()) {
                Some(name) => format!("{runner} {path} {flag} '{name}'"),
                None => format!("{runner} {path}"),
            }
        }
        "go" => match name {
            Some(name) => format!("go test ./{directory} -run '^{name}$'"),
            None => format!("go test ./{directory}"),
        },
        "rs" => {
            let owner = packages
                .iter()
                .filter(|(file, _)| file.ends_with("Cargo.toml"))
                .filter(|(file, _)| path.starts_with(file.trim_end_matches("Cargo.toml")))
                .max_by_key(|(file, _)| file.len())?;
            let of = match owner {
                (file, _) if file == "Cargo.toml" => String::new(),
                (_, package) if has_file("Cargo.toml") && is_plain(package) => format!(" -p {package}"),
                (file, _) => format!(" --manifest-path {file}"),
            };
            match (name, path.contains("tests/")) {
                (Some(name), _) => format!("cargo test{of} {name}"),
                (None, true) => format!("cargo test{of} --test {class}"),
                (None, false) => format!("cargo test{of} {class}"),
            }
        }
        "java" | "kt" => {
            let name = name.filter(|name| !name.contains(' '));
            match (has_file("pom.xml"), name) {
                (true, Some(name)) => format!("mvn test -Dtest={class}#{name}"),
                (true, None) => format!("mvn test -Dtest={class}"),
                (false, Some(name)) => format!("./gradlew test --tests '*{class}.{name}'"),
                (false, None) => format!("./gradlew test --tests '*{class}'"),
            }
        }
        "c" | "cc" | "cpp" | "cxx" => format!("ctest --test-dir build -R {} --output-on-failure", program(path)),
        "txt" => format!("ctest --test-dir build -R '^{}$' --output-on-failure", name?),
        "rb" if path.ends_with("_spec.rb") => format!("bundle exec rspec {path}"),
        "rb" => format!("ruby -Itest {path}"),
        "php" => format!("vendor/bin/phpunit {path}"),
        "cs" => format!("dotnet test --filter {class}"),
        "exs" => format!("mix test {path}"),
        _ => return None,
    };
    Some(actions::through(&cmd, has_file))
}

fn says_pytest(project: &Project) -> bool {
    project.files.iter().any(|(_, text)| text.contains("pytest"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(words: &str, files: &[(&str, &str)]) -> String {
        let Some(words) = asked(words) else { return "-".to_owned() };
        let owned: Vec<(String, String)> =
            files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        let tests: Vec<(String, String)> = owned.iter().filter(|(path, _)| is_test_file(path)).cloned().collect();
        let project = Project { files: owned };
        match find(&words, &tests) {
            LooseTest::One(test) => command(
                &test,
                &project,
                &|name| files.iter().any(|(path, _)| *path == name),
                &[("Cargo.toml".to_owned(), "a".to_owned())],
            )
            .unwrap_or_default(),
            LooseTest::Below(path) => of_directory(&path, &tests, &project, &|_| false).unwrap_or_default(),
            LooseTest::Several(all) => format!("{} tests", all.len()),
            LooseTest::None => "none".to_owned(),
        }
    }

    #[test]
    fn a_test_is_found_by_its_name_its_file_or_what_it_tests() {
        let node = ("package.json", "{\"scripts\": {\"test\": \"vitest run\"}}");
        let geo = (
            "src/geo.test.ts",
            "import { distance } from './geo';\nit('is zero at home', () => distance(1));\nit('adds up', () => 1);\n",
        );
        assert_eq!(told("i want to run just the distance test", &[node, geo]), "npx vitest run src/geo.test.ts");
        assert_eq!(
            told("run the zero at home test", &[node, geo]),
            "npx vitest run src/geo.test.ts -t 'is zero at home'"
        );
        assert_eq!(told("run the geo tests", &[node, geo]), "npx vitest run src/geo.test.ts");
        assert_eq!(told("run the pasta test", &[node, geo]), "none");
        assert_eq!(
            told(
                "run the unknown zone test",
                &[("tests/test_rates.py", "def test_unknown_zone_is_refused():\n    pass\ndef test_b():\n    pass\n")]
            ),
            "pytest tests/test_rates.py -k test_unknown_zone_is_refused"
        );
        assert_eq!(
            told(
                "run only the pool test",
                &[
                    ("go.mod", ""),
                    ("relay/relay_test.go", "func TestPoolIsEmpty(t *testing.T) {}\nfunc TestB(t *testing.T) {}\n")
                ]
            ),
            "go test ./relay -run '^TestPoolIsEmpty$'"
        );
        assert_eq!(
            told(
                "run only the heavy test",
                &[("Cargo.toml", ""), ("src/a.rs", "#[test]\nfn a_full_one_is_heavy() {}\n")]
            ),
            "cargo test a_full_one_is_heavy"
        );
        assert_eq!(
            told(
                "run just the orbit test",
                &[("tests/CMakeLists.txt", "add_test(NAME orbit_period COMMAND t)\nadd_test(NAME b COMMAND t)\n")]
            ),
            "ctest --test-dir build -R '^orbit_period$' --output-on-failure"
        );
        assert_eq!(
            told(
                "run the night test",
                &[
                    ("pom.xml", ""),
                    ("src/test/java/StopServiceTest.java", "@Test\nvoid noStopsAtNight() {}\n@Test\nvoid b() {}\n")
                ]
            ),
            "mvn test -Dtest=StopServiceTest#noStopsAtNight"
        );
    }

    #[test]
    fn all_tests_are_not_one_of_them() {
        for words in [
            "run the tests",
            "run all tests",
            "run the unit tests",
            "run the failing tests",
            "run the integration tests",
        ] {
            assert_eq!(asked(words), None, "{words}");
        }
    }
}
