//! Tests with a small project: documentation, two packages, a workflow, a file that git ignores.

use std::path::Path;

use super::*;

static NEVER: AtomicBool = AtomicBool::new(false);
const TOKEN: &str = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";

fn project(files: &[(&str, &str)]) -> (tempfile::TempDir, Workspace) {
    let temp = tempfile::tempdir().unwrap();
    let all = [
        ("Cargo.toml", "[workspace]\nmembers = [\"crates/*\"]\n"),
        (".gitignore", "/target\n"),
        ("target/notes.md", "# Layout\n\nWhat was built.\n"),
        (
            "crates/ledger/Cargo.toml",
            "[package]\nname = \"ledger\"\nversion = \"0.3.0\"\ndescription = \"Keeps books\"\n\n[dependencies]\nserde = \"1\"\n",
        ),
        ("crates/ledger/src/lib.rs", "//! Accounts and their entries.\n\npub mod entry;\n"),
        ("crates/ledger/src/entry.rs", "pub struct Entry;\n"),
        (
            "crates/shop/Cargo.toml",
            "[package]\nname = \"shop\"\nversion = \"0.1.0\"\n\n[dependencies]\nledger = { path = \"../ledger\" }\n",
        ),
        ("crates/shop/src/main.rs", "//! Sells things.\n\nuse ledger::entry::Entry;\n"),
        ("crates/shop/tests/sale.rs", "use ledger::entry::Entry;\n"),
        ("crates/shop/src/price.rs", "pub fn ledger_of_prices() {}\n"),
    ];
    let root = temp.path();
    std::fs::create_dir(root.join(".git")).unwrap();
    for (file, text) in all.iter().chain(files) {
        std::fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
        std::fs::write(root.join(file), text).unwrap();
    }
    let workspace = Workspace::of(Path::new(root)).unwrap();
    (temp, workspace)
}

fn text(outcome: Option<RunnerOutcome>) -> String {
    match outcome.map(|outcome| outcome.proposal) {
        Some(Proposal::Answer { text }) => text,
        other => panic!("{other:?}"),
    }
}

fn laid_out(workspace: &Workspace) -> String {
    text(layout(workspace, Secrets::Included, Language::English, &NEVER))
}

#[test]
fn the_layout_is_what_the_likeliest_section_says_wherever_it_is() {
    let overview = ("docs/a.md", "# Overview\n\nA shop.\n");
    let design = ("docs/b.md", "# Structure\n\nTwo crates.\n");
    let (_temp, workspace) = project(&[overview, design]);
    let told = laid_out(&workspace);
    assert!(told.contains("Two crates.") && told.contains("docs/b.md:1"), "{told}");
    let (_temp, workspace) = project(&[overview]);
    assert!(laid_out(&workspace).contains("A shop."));
}

#[test]
fn a_project_without_such_a_section_is_laid_out_by_its_directories() {
    let (_temp, workspace) = project(&[("crates/shop/src/zzz.rs", "// Zero.\n")]);
    assert_eq!(
        laid_out(&workspace),
        "- `crates/ledger` (3 files): Accounts and their entries\n- `crates/shop` (5 files): Sells things\n"
    );
}

#[test]
fn the_best_section_of_all_documents_is_told_without_its_secrets() {
    let setup = format!("# Notes\n\n## Deploy\n\nExport {TOKEN} first.\n");
    let (_temp, workspace) = project(&[("docs/setup.md", &setup), ("notes.txt", "# Deploy\n\nNot here.\n")]);
    let subject = ["deploy".to_owned()];
    let told = text(documented(&workspace, &subject, Secrets::Included, Language::English, &NEVER));
    assert!(told.contains("first.") && told.contains("docs/setup.md:3") && !told.contains("ghp_"), "{told}");
    let none = documented(&workspace, &["rollback".to_owned()], Secrets::Included, Language::English, &NEVER);
    assert!(none.is_none());
}

#[test]
fn a_directory_is_told_with_its_package_its_files_and_the_files_that_use_it() {
    let (_temp, workspace) = project(&[]);
    let told = text(directory(&workspace, "ledger", Secrets::Included, Language::English, &NEVER));
    for part in ["`crates/ledger`", "`ledger`", "0.3.0", "Keeps books", "lib.rs", "Accounts and their entries"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let users = users(&workspace, "crates/ledger", "ledger", Secrets::Included, &NEVER);
    assert_eq!(users, ["crates/shop/Cargo.toml", "crates/shop/src/main.rs", "crates/shop/tests/sale.rs"]);
    let at = |user: &str| told.find(user).unwrap_or_else(|| panic!("{user}: {told}"));
    assert!(at("crates/shop/Cargo.toml") < at("crates/shop/tests/sale.rs"), "{told}");
    assert!(!told.contains("price.rs"), "{told}");
    assert!(directory(&workspace, "nowhere", Secrets::Included, Language::English, &NEVER).is_none());
}

#[test]
fn a_file_is_used_by_those_that_import_it() {
    let (_temp, workspace) = project(&[("crates/ledger/src/book.rs", "use crate::entry::Entry;\n")]);
    let found = users(&workspace, "crates/ledger/src/entry.rs", "", Secrets::Included, &NEVER);
    let expected = ["crates/ledger/src/book.rs", "crates/shop/src/main.rs", "crates/shop/tests/sale.rs"];
    assert_eq!(found, expected);
}

#[test]
fn workflows_are_described_and_other_files_of_ci_are_not() {
    let yaml = "on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - run: cargo test\n";
    let (_temp, workspace) = project(&[(".github/workflows/ci.yml", yaml), ("docs/workflow.yml", yaml)]);
    let told = text(workflows(&workspace, Secrets::Included, Language::English, &NEVER));
    assert!(told.contains("cargo test") && told.contains("ci.yml") && !told.contains("docs/"), "{told}");
    let (_temp, workspace) = project(&[]);
    assert!(workflows(&workspace, Secrets::Included, Language::English, &NEVER).is_none());
}

#[test]
fn dependencies_are_those_of_the_member_that_is_named_else_of_all() {
    let (_temp, workspace) = project(&[]);
    let of = |question: &str| text(dependencies(&workspace, question, Language::English, &NEVER));
    let named = of("what does shop depend on?");
    assert!(named.contains("ledger") && !named.contains("serde"), "{named}");
    let all = of("what are the dependencies?");
    assert!(all.contains("ledger") && all.contains("serde"), "{all}");
}

#[test]
fn what_was_cancelled_has_no_answer() {
    let (_temp, workspace) = project(&[("docs/b.md", "# Structure\n\nTwo crates.\n")]);
    assert!(layout(&workspace, Secrets::Included, Language::English, &AtomicBool::new(true)).is_none());
}
