//! The hits and misses of the table, in one repository.

use super::*;
use crate::run::reader::ground::Target;
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
        ("configs/app.toml", "retain_days = 365\n"),
        ("tests/CMakeLists.txt", "# snowpit_test(test_report)\n"),
        ("src/report.cpp", "std::fprintf(stderr, \"XXX rows %d\", n);\nreturn 1;\n"),
        ("README.md", "The API is at http://localhost:8000/docs\n"),
        ("package.json", "{ \"dependencies\": { \"lodash\": \"4.17.0\" } }\n"),
    ];
    let target = |name: &str, command: &str, recipe: &str| Target {
        name: name.to_owned(),
        command: command.to_owned(),
        recipe: recipe.to_owned(),
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
        ],
        has_compose: true,
    }
}

fn told(request: &str) -> String {
    match read(request, &facts()) {
        Ok(Reading::Change(text) | Reading::Command(text)) => text.replace('\n', " / "),
        Err(Some(word)) => format!("? {word}"),
        Err(None) => "?".to_owned(),
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
            if told(request) != expected || !may_mean(request) {
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
    assert_eq!(told("rename calcFee to lateFee but not in the tests"), "? but");
    assert_eq!(told("set TIMEOUT_S to 30 unless CI is set"), "? unless");
    assert_eq!(told("what is this"), "?");
}
