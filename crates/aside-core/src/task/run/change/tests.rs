//! Requests that specify a change exactly, their results, and requests that do not.

use super::*;

fn made(request: &str, files: &[(&str, &str)]) -> String {
    let Some(edit) = read(request) else { return "none".to_owned() };
    let named = edit.files();
    let files = files
        .iter()
        .filter(|(path, _)| named.is_empty() || named.contains(path))
        .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
        .collect();
    match make(&edit, &files) {
        Made::Texts { files, .. } => {
            files.iter().map(|(path, text)| format!("{path}: {text}")).collect::<Vec<_>>().join("")
        }
        Made::Move { from, to } => format!("{from} -> {to}"),
        Made::Nothing(why) => format!("? {why}"),
    }
}

/// A request, the existing files, and the result.
type Case = (&'static str, &'static [(&'static str, &'static str)], &'static str);

#[test]
fn what_is_said_exactly_is_made_exactly() {
    const PY: &str = "import os\nimport json\n\nLIMIT = 30\n\ndef average(x):\n    return os.x(averages, average)\n";
    let cases: &[Case] = &[
        ("replace LIMIT = 30 with LIMIT = 60", &[("a.py", "LIMIT = 30\n")], "a.py: LIMIT = 60\n"),
        (
            "change \"Hello, \" to \"Hi, \" in a.go",
            &[("a.go", "x(\"Hello, \")\n"), ("b.go", "Hello, \n")],
            "a.go: x(\"Hi, \")\n",
        ),
        ("please replace `foo` with `bar` everywhere", &[("a", "foo\n"), ("b", "x foo\n")], "a: bar\nb: x bar\n"),
        (
            "rename average to mean",
            &[("a.py", PY)],
            "a.py: import os\nimport json\n\nLIMIT = 30\n\ndef mean(x):\n    return os.x(averages, mean)\n",
        ),
        (
            "rename the function addTask to createTask",
            &[("s.ts", "function addTask() {}\nthis.addTask()\n")],
            "s.ts: function createTask() {}\nthis.createTask()\n",
        ),
        ("rename notes.txt to todo.txt", &[], "notes.txt -> todo.txt"),
        ("move src/a.rs to lib/", &[], "src/a.rs -> lib/a.rs"),
        (
            "remove the unused import json from a.py",
            &[("a.py", "import os\nimport json\nos.x\n")],
            "a.py: import os\nos.x\n",
        ),
        ("remove the import B from a.py", &[("a.py", "from m import A, B, C\n")], "a.py: from m import A, C\n"),
        ("remove the import isOpen from a.ts", &[("a.ts", "import { isOpen } from \"./t\";\nx\n")], "a.ts: x\n"),
        (
            "add import sys to a.py",
            &[("a.py", "\"\"\"Doc.\"\"\"\nimport os\n\nx = 1\n")],
            "a.py: \"\"\"Doc.\"\"\"\nimport os\nimport sys\n\nx = 1\n",
        ),
        (
            "add import sys to a.py",
            &[("a.py", "#!/usr/bin/env python\nx = 1\n")],
            "a.py: #!/usr/bin/env python\nimport sys\nx = 1\n",
        ),
        (
            "add import \"os\" to a.go",
            &[("a.go", "package a\n\nimport (\n\t\"fmt\"\n)\n")],
            "a.go: package a\n\nimport (\n\t\"os\"\n\t\"fmt\"\n)\n",
        ),
        (
            "add use std::fs to a.rs",
            &[("a.rs", "use std::io;\n\nfn a() {}\n")],
            "a.rs: use std::io;\nuse std::fs;\n\nfn a() {}\n",
        ),
        ("ignore *.log files in git", &[(".gitignore", "a")], ".gitignore: a\n*.log\n"),
        ("add a .gitignore for *.exe", &[], ".gitignore: *.exe\n"),
        ("add node_modules/ to .gitignore", &[], ".gitignore: node_modules/\n"),
        ("ignore the build folder", &[], ".gitignore: build/\n"),
        (
            "bump the version to 0.4.0",
            &[("pyproject.toml", "[project]\nversion = \"0.3.1\"\n[tool.x]\nversion = \"9\"\n")],
            "pyproject.toml: [project]\nversion = \"0.4.0\"\n[tool.x]\nversion = \"9\"\n",
        ),
        (
            "bump the minor version",
            &[("package.json", "{\n  \"version\": \"1.4.2\",\n  \"x\": {\n    \"y\": 1\n  }\n}\n")],
            "package.json: {\n  \"version\": \"1.5.0\",\n  \"x\": {\n    \"y\": 1\n  }\n}\n",
        ),
        (
            "increment the patch version",
            &[("Cargo.toml", "[package]\nversion = \"1.4.2\"\n")],
            "Cargo.toml: [package]\nversion = \"1.4.3\"\n",
        ),
        ("sort requirements.txt", &[("requirements.txt", "# all\nb\nA\nc\n")], "requirements.txt: # all\nA\nb\nc\n"),
        ("add \"attrs\" to requirements.txt", &[("requirements.txt", "b")], "requirements.txt: b\nattrs\n"),
        (
            "add numpy to the dependencies",
            &[("pyproject.toml", "[project]\ndependencies = [\"a>=1\", \"b[x]\"]\n")],
            "pyproject.toml: [project]\ndependencies = [\"a>=1\", \"b[x]\", \"numpy\"]\n",
        ),
        ("add numpy to the requirements", &[("requirements.txt", "a\n")], "requirements.txt: a\nnumpy\n"),
        ("remove the click dependency", &[("requirements.txt", "a\nclick>=8\n")], "requirements.txt: a\n"),
        (
            "remove b from the dependencies",
            &[("pyproject.toml", "[project]\ndependencies = [\"a>=1\", \"b[x]\"]\n")],
            "pyproject.toml: [project]\ndependencies = [\"a>=1\"]\n",
        ),
    ];
    let mut wrong = Vec::new();
    for (request, files, expected) in cases {
        let told = made(request, files);
        if told != *expected {
            wrong.push(format!("{request}: {told:?}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert_eq!(SHAPES.0.len(), 21);
}

#[test]
fn what_is_not_exact_is_left_alone() {
    for request in [
        "change the button to blue",
        "replace the cache with redis",
        "rename it",
        "add dark mode",
        "add tests to cart.py",
        "fix the login",
        "ignore errors",
        "ignore it",
        "remove unused imports",
        "remove the tests",
        "sort imports",
        "make the header sticky",
        "add a column to the table",
        "change how totals are computed to use decimals",
    ] {
        assert_eq!(made(request, &[("a.py", "the button\nthe cache\n")]), "none", "{request}");
    }
}

#[test]
fn what_cannot_be_done_says_why() {
    for (request, files, why) in [
        ("replace foo_x with bar", ("a.py", "Foo_X\n"), "a.py:1` has it in other letters"),
        ("rename gone to mean", ("a.py", "x = gone\n"), "Nothing in `a.py` defines"),
        ("rename a to b", ("a.py", "def a(): pass\ndef b(): pass\n"), "is defined already"),
        ("remove the unused import os from a.py", ("a.py", "import os\nos.x\n"), "is used in `a.py:2`"),
        ("sort package.json", ("package.json", "{}\n"), "no plain list"),
        ("bump the version", ("VERSION", "1.2.3\n"), "Which part"),
        ("add *.log to .gitignore", (".gitignore", "*.log\n"), "already"),
    ] {
        let told = made(request, &[files]);
        assert!(told.starts_with("? ") && told.contains(why), "{request}: {told}");
    }
}
