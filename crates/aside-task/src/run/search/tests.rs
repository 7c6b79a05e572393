//! A small project in memory, and searches in it.

use regex::Regex;

use super::file_matches::FileMatcher;
use super::plan::plan;
use super::render::outcome;
use super::*;
use crate::proposal::Proposal;

const FILES: &[(&str, &str)] = &[
    (
        "src/config.rs",
        "/// How it is set up.\npub struct Config {\n    pub port: u16,\n}\n\nimpl Config {\n    pub fn load(path: &str) -> Self {\n        parse_config(path)\n    }\n}\n\npub fn parse_config(text: &str) -> Config {\n    let port = 80;\n}\n",
    ),
    (
        "src/main.rs",
        "use crate::config::Config;\n\nfn main() {\n    let config = Config::load(\"app.toml\");\n    // parse_config is called by load\n    report(parseConfig);\n}\n",
    ),
    (
        "web/app.js",
        "import { report } from './report'\nexport function handleSubmit(event) {\n  const token = \"ghp_16C7e42F292c6912E7710c838347Ae178B4a\"\n}\n",
    ),
    ("app.toml", "[server]\nport = 8080\n"),
    ("Cargo.lock", "parse_config = 1\n"),
    ("docs/guide.md", "Use parse_config to read it. The port is in app.toml.\n"),
    ("src/登录.py", "# 处理用户登录\ndef sign_in(user):\n    pass\n"),
];

fn searched(words: &str, query: &str, files: &[&str]) -> RunnerOutcome {
    let files: Vec<String> = files.iter().map(|file| (*file).to_owned()).collect();
    let plan = plan(words, query, &files);
    let pattern = Regex::new(&plan.pattern).unwrap();
    let mut found = Vec::new();
    for (path, text) in FILES.iter().filter(|(path, _)| plan.admits(path)) {
        let mut look = FileMatcher::new(&plan, path);
        if plan.reads() {
            for (at, line) in text.lines().enumerate().filter(|(_, line)| pattern.is_match(line)) {
                look.line(at + 1, line);
            }
        }
        found.extend(look.done());
    }
    outcome(&plan, &SearchOutcome { found, files: FILES.len(), notes: Vec::new() })
}

use crate::run::RunnerOutcome;

fn paths(words: &str, query: &str) -> Vec<String> {
    paths_with(words, query, &[])
}

fn paths_with(words: &str, query: &str, files: &[&str]) -> Vec<String> {
    let Proposal::SearchResults { items } = searched(words, query, files).proposal else { panic!() };
    items.into_iter().map(|item| item.path).collect()
}

fn first(words: &str, query: &str) -> String {
    paths(words, query).into_iter().next().unwrap_or_default()
}

#[test]
fn definitions_come_before_uses_and_uses_first_when_they_are_asked_for() {
    assert_eq!(first("where is parse_config", "parse_config"), "src/config.rs:12");
    assert_eq!(first("where is `parse_config` defined", "parse_config"), "src/config.rs:12");
    assert_eq!(first("find usages of parse_config", "parse_config"), "src/config.rs:8");
    assert_eq!(first("哪里定义了 parseConfig", "parseConfig"), "src/config.rs:12");
    assert_eq!(paths("where is parse_config", "parse_config").last().unwrap(), "Cargo.lock:1");
}

#[test]
fn a_name_is_found_with_what_it_belongs_to() {
    let all = paths("find usages of Config::load", "Config::load");
    assert_eq!(all.first().unwrap(), "src/main.rs:4");
    assert_eq!(first("where is Config::load defined", "Config::load"), "src/config.rs:7");
}

#[test]
fn a_name_with_a_capital_is_that_name_first() {
    let all = paths("which files use Config", "Config");
    assert!(all.contains(&"src/main.rs:4".to_owned()), "{all:?}");
    assert!(!all.contains(&"src/config.rs:8".to_owned()), "parse_config is another name: {all:?}");
}

#[test]
fn a_question_may_have_a_name_in_it() {
    for (question, name) in [
        ("explain what Counter does", Some("Counter")),
        ("what does `parse_line()` do?", Some("parse_line")),
        ("how is Config::load used", Some("Config::load")),
        ("Why is the build slow", None),
        ("explain closures in Rust", None),
        ("计算总价是做什么的", None),
    ] {
        assert_eq!(plan::subject(question), name, "{question}");
    }
}

#[test]
fn all_files_are_listed_when_that_is_all_that_is_said() {
    for (words, query) in [("list all files", "files"), ("which files are there", "files"), ("列出所有文件", "文件")]
    {
        assert_eq!(paths(words, query).len(), FILES.len(), "{words}");
    }
    assert_eq!(paths("list all files in src", "files"), ["src/config.rs", "src/main.rs", "src/登录.py"]);
    assert_eq!(paths("list all files in docs", "docs"), ["docs/guide.md"], "of a directory, those");
    assert_eq!(first("list the files that mention handleSubmit", "handleSubmit"), "web/app.js:2");
}

#[test]
fn words_are_found_in_names() {
    assert_eq!(first("where is the port configured", "port"), "app.toml:2");
    assert!(
        !paths("where is the port configured", "port").iter().any(|path| path.starts_with("web/")),
        "report, import"
    );
    assert_eq!(first("登录逻辑在哪个文件", "登录逻辑"), "src/登录.py");
    assert_eq!(first("where do we handle sign in", "sign in"), "src/登录.py:2");
}

#[test]
fn files_are_found_by_their_names() {
    assert_eq!(paths("find files named *.toml", "named *.toml"), ["app.toml"]);
    assert_eq!(paths("list all python files", "python files"), ["src/登录.py"]);
    assert_eq!(paths("list all .rs files", ".rs files"), ["src/main.rs", "src/config.rs"]);
    assert_eq!(paths_with("where is app.toml", "app.toml", &["app.toml"]), ["app.toml"]);
    let read = paths_with("where is app.toml read", "app.toml", &["app.toml"]);
    assert_eq!(read.first().unwrap(), "src/main.rs:4");
}

#[test]
fn texts_and_patterns_are_taken_as_they_are() {
    assert_eq!(paths("grep for \"Use parse_config\"", "Use parse_config"), ["docs/guide.md:1"]);
    assert_eq!(paths("search for /port\\s*=\\s*\\d{4}/", "/port\\s*=\\s*\\d{4}/"), ["app.toml:2"]);
    // An invalid regular expression is a text.
    assert!(paths("search for /(/", "/(/").is_empty());
    assert_eq!(paths("find parse_config in docs", "parse_config"), ["docs/guide.md:1"]);
}

#[test]
fn no_secret_is_told() {
    let told = searched("find token", "token", &[]);
    assert!(!format!("{told:?}").contains("ghp_16C7"), "{told:?}");
    assert!(told.details.contains("web/app.js"), "{}", told.details);
}

#[test]
fn what_is_told_says_how_much_there_is() {
    let told = searched("find usages of parse_config", "parse_config", &[]);
    assert_eq!(told.summary, "6 places in 4 files for parse_config; first: src/config.rs:8");
    assert!(told.details.contains("- `src/config.rs`\n  - 8: `parse_config(path)`\n"), "{}", told.details);
    let none = searched("where is frobnicate", "frobnicate", &[]);
    assert_eq!(none.summary, "Nothing was found for frobnicate in 7 files");
    let none = searched("frobnicate 在哪里", "frobnicate", &[]);
    assert_eq!(none.summary, "在 7 个文件中没有找到 frobnicate");
}

#[test]
fn many_places_are_bounded_and_counted() {
    let plan = plan("find usages of x_y", "x_y", &[]);
    let found: Vec<FileMatches> = (0..60)
        .map(|file| {
            let mut look = FileMatcher::new(&plan, &format!("src/f{file:02}.rs"));
            assert!((1..=9).all(|line| look.line(line, "x_y()")));
            look.done().unwrap()
        })
        .collect();
    let one = SearchOutcome { found: found[..1].to_vec(), files: 60, notes: Vec::new() };
    let all = SearchOutcome { found, files: 60, notes: vec!["a note".to_owned()] };
    let count = |searched: &SearchOutcome| match outcome(&plan, searched).proposal {
        Proposal::SearchResults { items } => items.len(),
        _ => 0,
    };
    assert_eq!(count(&all), render::MAX_ITEMS);
    assert_eq!(count(&one), 9, "of one file alone, all");
    let told = outcome(&plan, &all).details;
    assert!(told.contains("  - 4 more\n") && told.contains("- a note\n"), "{told}");
    assert!(told.contains("440 more places are not shown, also in 40 other files."), "{told}");
    let three = SearchOutcome { found: all.found[..3].to_vec(), files: 60, notes: Vec::new() };
    assert_eq!(count(&three), 15);
    assert!(
        outcome(&plan, &three).details.contains("12 more places are not shown."),
        "of each file, some are left out"
    );
    let two = SearchOutcome { found: all.found[..2].to_vec(), files: 60, notes: Vec::new() };
    assert_eq!(count(&two), 18, "so few are all told");
}

#[test]
fn no_text_makes_it_panic() {
    for text in [
        "",
        " ",
        "*",
        "**",
        "/",
        "//",
        "/(/",
        "(",
        "{",
        "{}*",
        "a".repeat(5000).as_str(),
        "\u{0}",
        "在",
        "的的的",
        "::",
        "()",
        ".",
        "*{",
        "x*{a,",
        "登录x登",
        "é-é",
        "_",
    ] {
        for words in [
            text.to_owned(),
            format!("find `{text}`"),
            format!("where is {text} used in {text}"),
            format!("名为 {text} 的文件"),
        ] {
            let plan = plan(&words, text, &[text.to_owned()]);
            assert!(plan.pattern.is_empty() || Regex::new(&plan.pattern).is_ok(), "{words}: {}", plan.pattern);
            let mut look = FileMatcher::new(&plan, text);
            look.line(1, text);
            look.line(2, &"字".repeat(1000));
            let found = look.done().into_iter().collect();
            outcome(&plan, &SearchOutcome { found, files: 1, notes: Vec::new() });
        }
    }
}
