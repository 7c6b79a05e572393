//! The pairs in `data/pairs`: their form, and that no request of an evaluation set is among them, so that the reader is not taught
//! what it is measured with.

#![allow(clippy::disallowed_methods, reason = "the test reads the data of the repository")]

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

/// A row of a file: `request, command`, or `before, request, command`.
type Row = Vec<String>;

#[test]
fn every_pair_is_well_formed() {
    let mut wrong = Vec::new();
    for (name, rows) in pairs() {
        let mut commands = HashMap::new();
        for (at, row) in rows.iter().enumerate() {
            let at = at + 1;
            if !(2..=3).contains(&row.len()) {
                wrong.push(format!("{name}:{at}: {} fields", row.len()));
            } else if row.iter().any(|field| field.trim().is_empty()) {
                wrong.push(format!("{name}:{at}: an empty field"));
            } else if let Some(before) = commands.insert(&row[..row.len() - 1], at) {
                wrong.push(format!("{name}:{at}: the request of line {before} again"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_request_of_an_evaluation_set_is_taught() {
    let requests = requests();
    let failures = failures();
    assert!(requests.len() > 4000 && failures.len() > 300, "{} {}", requests.len(), failures.len());
    let mut wrong = Vec::new();
    for (name, rows) in pairs() {
        for (at, row) in rows.iter().enumerate() {
            let taught = match name.starts_with("fixes") {
                true => failures.contains(&normalized(&format!("{} {}", row[0], row[1]))),
                false => requests.contains(&normalized(&row[row.len() - 2])),
            };
            if taught {
                wrong.push(format!("{name}:{}", at + 1));
            }
        }
    }
    assert!(wrong.is_empty(), "requests of an evaluation set, to be taken out:\n{}", wrong.join("\n"));
}

/// In lower case, each run of what is neither a letter nor a digit a single space.
fn normalized(words: &str) -> String {
    let spaced: String = words.to_lowercase().chars().map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect();
    spaced.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn pairs() -> Vec<(String, Vec<Row>)> {
    let files = files("data/pairs", ".tsv");
    assert!(files.len() > 40, "{files:?}");
    let rows = |file: &PathBuf| text(file).lines().map(|line| line.split('\t').map(str::to_owned).collect()).collect();
    files.iter().map(|file| (name(file), rows(file))).collect()
}

/// The requests of all evaluation sets.
fn requests() -> HashSet<String> {
    let mut requests = Vec::new();
    for file in ["dev", "held"].iter().flat_map(|half| files(&format!("crates/aside/eval/{half}"), ".txt")) {
        requests.extend(text(&file).lines().filter_map(|line| line.strip_prefix("? ")).map(str::to_owned));
    }
    // What is in the files `taught` is not measured.
    for file in files("crates/aside/eval/task", ".txt").iter().filter(|file| !name(file).starts_with("taught")) {
        let rows = text(file);
        let rows = rows.lines().filter(|line| !line.starts_with('#'));
        requests.extend(rows.filter_map(|line| line.split_once('\t')).map(|(_, request)| request.to_owned()));
    }
    for file in files("crates/aside/eval/detect", ".txt") {
        let rows = text(&file);
        let rows = rows.lines().filter(|line| !line.starts_with('#'));
        requests.extend(rows.filter_map(|line| line.split('\t').nth(7)).map(str::to_owned));
    }
    let queries = text(&root().join("crates/aside/eval/task/search/queries.toml"));
    let words = queries.lines().filter_map(|line| line.strip_prefix("words = "));
    requests.extend(words.map(|words| words.trim_matches('"').to_owned()));
    let mut recorded = files("crates/aside-core/eval/unseen/requests", ".jsonl");
    recorded.extend(files("crates/aside/eval/bulk", ".jsonl"));
    for file in recorded {
        for line in text(&file).lines().filter(|line| !line.trim().is_empty()) {
            let case: serde_json::Value = serde_json::from_str(line).expect("a case in JSON");
            requests.push(case["request"].as_str().expect("a request").to_owned());
        }
    }
    requests.iter().map(|request| normalized(request)).filter(|request| !request.is_empty()).collect()
}

/// The commands of `eval/suggest` that failed, each with its output.
fn failures() -> HashSet<String> {
    let mut failures = HashSet::new();
    for half in ["dev", "held"] {
        let cases = text(&root().join(format!("crates/aside/eval/suggest/{half}.txt")));
        for case in cases.split("\n## ").skip(1) {
            let of = |key: &str| -> Vec<String> {
                let rows = case.lines().skip(1).map(|row| row.split_once(' ').unwrap_or((row, "")));
                rows.filter(|(name, _)| *name == key).map(|(_, rest)| rest.to_owned()).collect()
            };
            if let Some(line) = of("line").first() {
                failures.insert(normalized(&format!("{line} {}", of("out").join(" "))));
            }
        }
    }
    failures
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the repository").to_owned()
}

fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let folder = root().join(folder);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<_> = entries.map(|entry| entry.expect("a readable folder").path()).collect();
    files.retain(|file| name(file).ends_with(ending));
    files.sort();
    files
}

fn name(file: &Path) -> String {
    file.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn text(file: &Path) -> String {
    std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}
