//! The hits and misses of the table, in one repository.

use super::*;
use crate::run::reader::ground::{GitFacts, Target};
use crate::run::toml_lists;

fn facts() -> RepositoryFacts {
    let texts = [
        (
            "src/services/loanService.ts",
            "export function calcFee(days) {}\nthrow new Error(`loan is allready closed`);\n",
        ),
        ("src/routes/loans.ts", "import { calcFee } from \"../services/loanService\";\nconsole.log(calcFee(1));\n"),
        ("src/config.ts", "export const port = 1;\n"),
        ("src/utils/format.ts", "export function formatDay(day) {}\n"),
        ("scripts/fetch_station.py", "import json\nimport os\nimport sys\nTIMEOUT_S = 10\nprint(TIMEOUT_S)\n"),
        ("scripts/format.sh", "clang-format -i src\n"),
        ("configs/app.dev.toml", "retain_days = 7\n"),
        ("configs/app.toml", "retain_days = 365\nmode = \"lenient\"\nverbose = false\n"),
        ("tests/test_loans.py", "def test_due_date():\n    pass\n"),
        ("src/mix.rs", "#[test]\nfn mixes_well() {}\n\nfn calc_fee() {}\n"),
        ("tests/loans.test.ts", "it(\"closes\", () => {});\n"),
        ("tests/CMakeLists.txt", "# snowpit_test(test_report)\n"),
        ("src/report.cpp", "std::fprintf(stderr, \"XXX rows %d\", n);\nreturn 1;\n"),
        ("README.md", "The API is at http://localhost:8000/docs\n"),
        ("package.json", "{ \"dependencies\": { \"lodash\": \"4.17.0\" } }\n"),
    ];
    let target = |name: &str, command: &str, recipe: &str| Target {
        name: name.to_owned(),
        command: command.to_owned(),
        recipe: recipe.to_owned(),
        takes_value: name == "deploy",
    };
    RepositoryFacts {
        files: texts.iter().map(|(path, _)| (*path).to_owned()).collect(),
        texts: texts.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect(),
        members: ["pad-core", "pad-store"].map(str::to_owned).to_vec(),
        dependencies: vec!["lodash".to_owned(), "vitest".to_owned()],
        targets: vec![
            target("lint", "npm run lint", "eslint src tests"),
            target("types", "make types", "mypy src"),
            target("migrate", "make migrate", "alembic upgrade head"),
            target("test-all", "make test-all", "cargo test -- --include-ignored"),
            target("serve", "make serve", "uvicorn app --port $(PORT)"),
            target("samples", "make samples", "scripts/run_samples.sh build/debug/snowpit"),
            target("clean", "make clean", "rm -rf build"),
            target("all", "make all", "cmake --build build"),
            target("deploy", "just deploy", "scripts/deploy.sh {{env}}"),
        ],
        services: Some(vec![("db".to_owned(), vec!["postgres".to_owned()]), ("web".to_owned(), Vec::new())]),
        tools: ["compose", "pytest", "vitest", "cargo", "go"].map(str::to_owned).to_vec(),
        git: GitFacts {
            current: "feature/x".to_owned(),
            branches: ["main", "develop", "release/1.0", "feature/x"].map(str::to_owned).to_vec(),
            remote_branches: ["origin/main"].map(str::to_owned).to_vec(),
            tags: vec!["v1.0.0".to_owned()],
        },
        ..RepositoryFacts::default()
    }
}

fn told(request: &str) -> String {
    match read(request, &facts()).map(|understood| understood.reading) {
        Ok(Reading::Change(text)) => text.replace('\n', " / "),
        Ok(Reading::Command(commands)) => commands.first().cloned().unwrap_or_default(),
        Err(ReadMiss::NotUnderstood(words)) => format!("? {}", words.join(" ")),
        Err(ReadMiss::NotThere(name)) => format!("? no {name}"),
        Err(ReadMiss::Ambiguous) => "? two".to_owned(),
        Err(ReadMiss::Unknown) => "?".to_owned(),
    }
}

#[test]
fn every_operation_has_its_hits_and_misses() {
    assert!(table::is_read_whole());
    let mut wrong = Vec::new();
    for (hits, misses) in toml_lists::tables(table::LIST, "operation", |table| {
        Some((toml_lists::texts(table, "hits"), toml_lists::texts(table, "misses")))
    }) {
        for hit in hits {
            let (request, expected) = hit.rsplit_once(" => ").unwrap();
            if told(request) != expected || needs(request).is_none() {
                wrong.push(format!("{request}: {}", told(request)));
            }
        }
        wrong.extend(
            misses.iter().filter(|miss| !told(miss).starts_with('?')).map(|miss| format!("{miss}: {}", told(miss))),
        );
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn the_word_that_is_not_understood_is_named() {
    assert_eq!(told("rename calcFee to lateFee but not in the lib"), "? but not lib");
    assert_eq!(told("set TIMEOUT_S to 30 unless CI is set"), "? unless CI set");
    assert_eq!(told("set NO_SUCH_NAME to 30"), "? no NO_SUCH_NAME");
    assert_eq!(told("rename noSuch to lateFee"), "? no noSuch");
    assert_eq!(told("what is this"), "?");
}

#[test]
fn a_reason_needs_no_meaning_and_a_restriction_does() {
    assert_eq!(told("tests are slow, so set TIMEOUT_S to 30"), "change TIMEOUT_S to 30");
    assert_eq!(told("set TIMEOUT_S to 30, it is too short"), "change TIMEOUT_S to 30");
    assert_eq!(told("set TIMEOUT_S to 30, notify the team"), "? notify team");
    assert!(told("production must keep 10, set TIMEOUT_S to 30").starts_with('?'));
    assert!(told("don't set TIMEOUT_S to 30").starts_with('?'));
}

#[test]
fn what_is_forbidden_is_not_done() {
    let forbids = |request: &str| read(request, &facts()).is_ok_and(|understood| understood.forbids);
    assert!(forbids("tag this commit as v2.0.0, don't push"));
    assert!(!forbids("tag this commit as v2.0.0"));
    assert_eq!(told("push the tag v1.0.0, don't push"), "? push");
}

#[test]
fn a_command_that_leaves_out_a_word_is_not_given() {
    let unmet = |request: &str, command: &str| unmet::unmet(request, command, &facts()).unwrap_or_default();
    assert_eq!(unmet("run all tests, even the ignored ones", "make test"), "ignored");
    assert_eq!(unmet("run all tests, even the ignored ones", "make test-all"), "");
    assert_eq!(unmet("docker compose up, rebuild the image", "npm run build"), "compose");
    assert_eq!(unmet("把 src/config.ts 收起来", "npx tsx src/config.ts"), "收起来");
    assert_eq!(unmet("undo what I did to src/config.ts", "node src/config.ts"), "undo");
    assert_eq!(unmet("run src/config.ts", "node src/config.ts"), "");
    assert_eq!(unmet("serve with ENV=staging", "make serve"), "ENV=staging");
    assert_eq!(unmet("serve with ENV=staging", "make serve ENV=ENV=staging"), "ENV=staging");
    let no_target = |command: &str| unmet::no_target(command, &facts()).unwrap_or_default();
    assert_eq!(no_target("make backup.sh executable"), "backup.sh");
    assert_eq!(no_target("make samples ENV=dev -j 4"), "");
}

#[test]
fn nothing_is_unique_where_some_texts_are_missing() {
    let facts = RepositoryFacts { is_partial: true, ..facts() };
    assert_eq!(read("set TIMEOUT_S to 30", &facts), Err(ReadMiss::Unknown));
    assert!(read("set TIMEOUT_S in scripts/fetch_station.py to 30", &facts).is_ok());
    assert!(read("go back to the develop branch", &facts).is_ok());
}

#[test]
fn an_order_is_not_also_a_question() {
    use crate::run::question;
    let facts = facts();
    let refs: Vec<String> = facts.git.branches.iter().chain(&facts.git.tags).cloned().collect();
    let targets: Vec<String> = facts.targets.iter().map(|target| target.name.clone()).collect();
    let asked = question::QuestionFacts {
        files: &facts.files,
        refs: &refs,
        authors: &["Ada Byron".to_owned()],
        targets: &targets,
        has_name: &|name| facts.texts.iter().any(|(_, text)| text.contains(name)),
        has_root_file: &|file| facts.files.iter().any(|path| path == file),
    };
    let is_certain = |request: &str| question::read(request, &asked).is_some_and(|reading| reading.is_certain());
    let hits = toml_lists::tables(table::LIST, "operation", |table| Some(toml_lists::texts(table, "hits")));
    let requests = hits.iter().flatten().map(|hit| hit.rsplit_once(" => ").unwrap().0);
    // Where both readers are certain, whether the request is a question decides.
    let both: Vec<&str> = requests.filter(|request| question::is_question(request) && is_certain(request)).collect();
    assert_eq!(both, Vec::<&str>::new());
    assert!(is_certain("shelve my changes for now") && !question::is_question("shelve my changes for now"));
}

#[test]
fn what_is_there_is_not_called_missing() {
    let facts = facts();
    for name in
        ["scripts/fetch_station.py:62", "fetch_station.py", "./scripts/fetch_station.py", "develop", "TIMEOUT_S"]
    {
        assert!(facts.has_named(name), "{name}");
    }
    assert!(!facts.has_named("scripts/nowhere.py") && !facts.has_named("NOWHERE_S"));
}
