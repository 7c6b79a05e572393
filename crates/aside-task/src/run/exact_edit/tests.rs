//! Requests that specify a change exactly, their results, and requests that do not.

use super::*;

pub(super) fn made(request: &str, files: &[(&str, &str)]) -> String {
    let made = readings(request).into_iter().map(|edit| of_edit(edit, files));
    made.into_iter().find(|made| made != "none").unwrap_or_else(|| "none".to_owned())
}

fn of_edit(edit: Edit, files: &[(&str, &str)]) -> String {
    let named = edit.files();
    let files = files
        .iter()
        .filter(|(path, _)| named.is_empty() || named.contains(path))
        .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
        .collect();
    match apply(&edit, &files) {
        EditResult::Texts { files, .. } => {
            files.iter().map(|(path, text)| format!("{path}: {text}")).collect::<Vec<_>>().join("")
        }
        EditResult::Move { from, to } => format!("{from} -> {to}"),
        EditResult::Nothing(why) if why.is_empty() => "none".to_owned(),
        EditResult::Nothing(why) => format!("? {why}"),
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
        ("can you rename a to b?", &[("x.py", "def a(): pass\n")], "x.py: def b(): pass\n"),
        ("delete the TODO in a.py", &[("a.py", "x = 1\n# TODO: y\nz = 2\n")], "a.py: x = 1\nz = 2\n"),
        (
            "delete the TODO in a.py",
            &[("a.py", "x = 1 # TODO: y\n")],
            "? `a.py:1` has more than the comment, or only a part of it, so nothing is deleted.",
        ),
        (
            "require click >= 8.2",
            &[("pyproject.toml", "[project]\ndependencies = [\"click>=8.1\"]\n")],
            "pyproject.toml: [project]\ndependencies = [\"click>=8.2\"]\n",
        ),
        (
            "replace \"8000\" with \"9000\" in the Dockerfile",
            &[("Dockerfile", "EXPOSE 8000\n")],
            "Dockerfile: EXPOSE 9000\n",
        ),
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
            "bump the minor version",
            &[("package.json", r#"{"name":"version","x":{"version":"9"},"version":"1.4.2"}"#)],
            r#"package.json: {"name":"version","x":{"version":"9"},"version":"1.5.0"}"#,
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
        (
            "bump guava to 33.0.0-jre",
            &[("build.gradle.kts", "    implementation(\"com.google.guava:guava:32.1.3-jre\")\n")],
            "build.gradle.kts:     implementation(\"com.google.guava:guava:33.0.0-jre\")\n",
        ),
        ("pin numpy to 1.26.4", &[("requirements.txt", "a\nnumpy>=1.24\n")], "requirements.txt: a\nnumpy==1.26.4\n"),
        (
            "use alpine 3.20 in the Dockerfile",
            &[("Dockerfile", "FROM alpine:3.19\n")],
            "Dockerfile: FROM alpine:3.20\n",
        ),
        (
            "use go 1.22 in CI and the Dockerfile",
            &[
                (".github/workflows/ci.yml", "          go-version: \"1.21\"\n"),
                ("Dockerfile", "FROM golang:1.21-alpine AS build\n"),
            ],
            ".github/workflows/ci.yml:           go-version: \"1.22\"\nDockerfile: FROM golang:1.22-alpine AS build\n",
        ),
        (
            "CI should run on node 20",
            &[(".github/workflows/ci.yml", "          node-version: 18\n")],
            ".github/workflows/ci.yml:           node-version: 20\n",
        ),
        (
            "upgrade postgres to 16 in compose",
            &[("docker-compose.yml", "    image: postgres:15\n")],
            "docker-compose.yml:     image: postgres:16\n",
        ),
        (
            "also test on python 3.12 in CI",
            &[(".github/workflows/t.yml", "python-version: [\"3.11\"]\n")],
            ".github/workflows/t.yml: python-version: [\"3.11\", \"3.12\"]\n",
        ),
        ("take out the breakpoint() call", &[("a.py", "x = 1\nbreakpoint()\n")], "a.py: x = 1\n"),
        ("remove the dbg! call", &[("a.rs", "fn a() {\n    dbg!(x);\n    b();\n}\n")], "a.rs: fn a() {\n    b();\n}\n"),
        ("make the request timeout 10s", &[("a.yaml", "request_timeout: 5s\n")], "a.yaml: request_timeout: 10s\n"),
        ("remove all console.logs", &[("a.ts", "console.log(1);\ngo();\nconsole.log(2);\n")], "a.ts: go();\n"),
        (
            "add a script \"cover\" that runs vitest run --coverage",
            &[("package.json", "{\n  \"scripts\": {\n    \"test\": \"vitest\"\n  }\n}\n")],
            "package.json: {\n  \"scripts\": {\n    \"test\": \"vitest\",\n    \"cover\": \"vitest run --coverage\"\n  }\n}\n",
        ),
        (
            "update regex to 1.11",
            &[("Cargo.toml", "[dependencies]\nregex = \"1.10\"\n")],
            "Cargo.toml: [dependencies]\nregex = \"1.11\"\n",
        ),
        (
            "bump the version to 2.5.0",
            &[("build.gradle", "version = '2.4.0'\n"), ("web/build.gradle", "version = '9'\n")],
            "build.gradle: version = '2.5.0'\n",
        ),
        (
            "bump the version to 0.4.0",
            &[("setup.py", "setup(\n    version=\"0.3.0\",\n)\n"), ("churn/__init__.py", "__version__ = \"0.3.0\"\n")],
            "churn/__init__.py: __version__ = \"0.4.0\"\nsetup.py: setup(\n    version=\"0.4.0\",\n)\n",
        ),
        (
            "add -Wextra to CFLAGS",
            &[("Makefile", "CFLAGS = -O2 -Wall\nall:\n")],
            "Makefile: CFLAGS = -O2 -Wall -Wextra\nall:\n",
        ),
        ("add util.o to OBJS", &[("Makefile", "OBJS = a.o \\\n  b.o\n")], "Makefile: OBJS = a.o \\\n  b.o util.o\n"),
        (
            "add \"api\" to ALLOWED_HOSTS",
            &[("s.py", "ALLOWED_HOSTS = [\n    \"a\",\n]\n")],
            "s.py: ALLOWED_HOSTS = [\n    \"a\",\n    \"api\",\n]\n",
        ),
        (
            "add #include <string.h> to main.c",
            &[("main.c", "#include <stdio.h>\n\nint x;\n")],
            "main.c: #include <stdio.h>\n#include <string.h>\n\nint x;\n",
        ),
        (
            "change the threshold to 0.7",
            &[("f.py", "DEFAULT_THRESHOLD = 0.5\n\ndef f(threshold=DEFAULT_THRESHOLD):\n")],
            "f.py: DEFAULT_THRESHOLD = 0.7\n\ndef f(threshold=DEFAULT_THRESHOLD):\n",
        ),
        (
            "change the instance type to t3.large",
            &[
                ("main.tf", "resource \"aws_instance\" \"web\" {\n  instance_type = var.instance_type\n}\n"),
                ("variables.tf", "variable \"instance_type\" {\n  default = \"t3.small\"\n}\n"),
            ],
            "variables.tf: variable \"instance_type\" {\n  default = \"t3.large\"\n}\n",
        ),
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
    assert_eq!(SHAPES.0.len(), 62);
}

#[test]
fn values_and_versions_are_set_in_whatever_words() {
    for (request, files, expected) in [
        ("make kMaxDepth 64", ("a.hpp", "constexpr int kMaxDepth = 32;\n"), "a.hpp: constexpr int kMaxDepth = 64;\n"),
        (
            "turn no-alert into an error",
            (".eslintrc.json", "  \"no-alert\": \"warn\"\n"),
            ".eslintrc.json:   \"no-alert\": \"error\"\n",
        ),
        ("turn USE_CACHE to false", ("s.py", "USE_CACHE = True\n"), "s.py: USE_CACHE = False\n"),
        (
            "use ruby 3.3 in the Dockerfile",
            ("Dockerfile", "FROM ruby:3.2-slim-bookworm\n"),
            "Dockerfile: FROM ruby:3.3-slim-bookworm\n",
        ),
        (
            "Dockerfile should use golang 1.23",
            ("Dockerfile", "FROM golang:1.22-alpine AS b\n"),
            "Dockerfile: FROM golang:1.23-alpine AS b\n",
        ),
        (
            "bump redis to 7.4-bookworm",
            ("compose.yml", "  image: redis:7.2-alpine\n"),
            "compose.yml:   image: redis:7.4-bookworm\n",
        ),
        // A pre-release is no variant.
        (
            "bump serde to 1.0.200",
            ("Cargo.toml", "[dependencies]\nserde = \"1.0.0-rc.1\"\n"),
            "Cargo.toml: [dependencies]\nserde = \"1.0.200\"\n",
        ),
    ] {
        assert_eq!(made(request, &[files]), expected, "{request}");
    }
    for request in ["make the_header sticky", "turn the page", "make it faster", "make build"] {
        assert_eq!(made(request, &[("a.py", "the_header = 1\n")]), "none", "{request}");
    }
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
        ("sort notes.md", ("notes.md", "b\na\n"), "no plain list"),
        ("sort package.json", ("package.json", "{}\n"), "sorted already"),
        ("bump the version", ("VERSION", "1.2.3\n"), "Which part"),
        ("add *.log to .gitignore", (".gitignore", "*.log\n"), "already"),
    ] {
        let told = made(request, &[files]);
        assert!(told.starts_with("? ") && told.contains(why), "{request}: {told}");
    }
}

#[test]
fn a_name_gets_another_value_and_keeps_its_name() {
    let cases: &[Case] = &[
        (
            "change TIMEOUT_SECONDS to 60",
            &[("a.py", "TIMEOUT_SECONDS = 30\nx(TIMEOUT_SECONDS)\n")],
            "a.py: TIMEOUT_SECONDS = 60\nx(TIMEOUT_SECONDS)\n",
        ),
        ("set TIMEOUT_SECONDS to 60", &[("a.py", "TIMEOUT_SECONDS = 30  # s\n")], "a.py: TIMEOUT_SECONDS = 60  # s\n"),
        (
            "change DEFAULT_RATE to 0.25",
            &[("a.py", "DEFAULT_RATE = Decimal(\"0.20\")\ndef f(rate=DEFAULT_RATE):\n")],
            "a.py: DEFAULT_RATE = Decimal(\"0.25\")\ndef f(rate=DEFAULT_RATE):\n",
        ),
        (
            "change API_URL to https://rates.example.com/v2",
            &[("a.py", "API_URL = \"http://a.example\"\nget(API_URL)\n")],
            "a.py: API_URL = \"https://rates.example.com/v2\"\nget(API_URL)\n",
        ),
        (
            "change timeout in config.yaml to 30s",
            &[("config.yaml", "workers: 4\ntimeout: 10s # each\n")],
            "config.yaml: workers: 4\ntimeout: 30s # each\n",
        ),
        ("set workers to 16 in config.yaml", &[("config.yaml", "workers: 4\n")], "config.yaml: workers: 16\n"),
        (
            "change server.port to 9000",
            &[("c.yaml", "server:\n  port: 80\nadmin:\n  port: 81\n")],
            "c.yaml: server:\n  port: 9000\nadmin:\n  port: 81\n",
        ),
        (
            "set server.port to 9000",
            &[("c.toml", "[admin]\nport = 1\n[server]\nport = 2\n")],
            "c.toml: [admin]\nport = 1\n[server]\nport = 9000\n",
        ),
        (
            "change the strict setting in tsconfig.json to false",
            &[("tsconfig.json", "{\n  \"strict\": true,\n}\n")],
            "tsconfig.json: {\n  \"strict\": false,\n}\n",
        ),
        (
            "set LOG_LEVEL to debug in .env.example",
            &[(".env.example", "LOG_LEVEL=info\n")],
            ".env.example: LOG_LEVEL=debug\n",
        ),
        ("change the max retries to 5", &[("a.go", "const maxRetries = 3\n")], "a.go: const maxRetries = 5\n"),
        (
            "increase MAX_SIZE to 200",
            &[("a.rs", "pub const MAX_SIZE: usize = 100;\n")],
            "a.rs: pub const MAX_SIZE: usize = 200;\n",
        ),
        (
            "change the port from 8080 to 5000",
            &[("s.ts", "const port = Number(process.env.PORT ?? 8080);\n")],
            "s.ts: const port = Number(process.env.PORT ?? 5000);\n",
        ),
        ("change NAME to \"b c\"", &[("a.js", "const NAME = 'a';\n")], "a.js: const NAME = 'b c';\n"),
        ("set CFLAGS to -O3", &[("Makefile", "CFLAGS ?= -O2\n")], "Makefile: CFLAGS ?= -O3\n"),
        ("change LIMIT to 5", &[("a.h", "#define LIMIT 3\n")], "a.h: #define LIMIT 5\n"),
        (
            "change getUser to fetchUser",
            &[("a.js", "function getUser() {}\ngetUserName()\n")],
            "a.js: function fetchUser() {}\ngetUserName()\n",
        ),
    ];
    let wrong: Vec<String> = cases
        .iter()
        .map(|(request, files, expected)| (request, made(request, files), expected))
        .filter(|(_, told, expected)| told != *expected)
        .map(|(request, told, _)| format!("{request}: {told:?}"))
        .collect();
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn a_part_of_an_address_is_not_its_value_and_dots_may_be_of_the_name() {
    let config = &[("config.py", "BASE_URL = \"http://api.example.org/v2\"\n")];
    for request in ["change BASE_URL to staging", "set BASE_URL to localhost"] {
        let told = made(request, config);
        assert!(told.starts_with('?') || told == "none", "{request}: {told}");
    }
    let whole = made("change BASE_URL to https://api.example.org/v2", config);
    assert_eq!(whole, "config.py: BASE_URL = \"https://api.example.org/v2\"\n");
    let properties = &[("app.properties", "timeout.seconds=30\norg.caching=true\n")];
    assert_eq!(made("set timeout.seconds to 45", properties), "app.properties: timeout.seconds=45\norg.caching=true\n");
    assert_eq!(made("set server.port to 90", &[("a.yaml", "server:\n  port: 80\n")]), "a.yaml: server:\n  port: 90\n");
}

#[test]
fn a_value_that_cannot_be_told_is_not_guessed() {
    let cases: &[Case] = &[
        ("change PORT to 1", &[("a.py", "PORT = 2\n"), ("b.py", "PORT = 3\n")], "is set at 2 places"),
        ("change DAY to 5", &[("a.py", "DAY = 60 * 24\n")], "it is computed"),
        ("change PORT to 5", &[("a.py", "PORT = os.getenv(\"PORT\")\n")], "it is computed"),
        ("change COUNT to 5", &[("a.py", "COUNT = total + 1\n")], "it is computed"),
        ("change LIMIT to many", &[("a.py", "LIMIT = 5\n")], "is no such value"),
        ("change userName to fullName", &[("a.js", "const userName = \"x\";\n")], "may be the new name"),
        ("change timeout in a.yaml to 5", &[("a.yaml", "x: 1\n")], "is not given a value in `a.yaml`"),
        ("change NO_SUCH to 5", &[("a.py", "x = NO_SUCH\n")], "is not given a value"),
        ("change the port from 3000 to 5000", &[("a.js", "const port = 8080;\n")], "not `3000`"),
        ("change LIMIT to 5", &[("a.py", "if LIMIT == 3:\n    f(LIMIT=3)\n")], "is not given a value"),
        ("delete line 9 of a.txt", &[("a.txt", "a\n")], "has 1 lines"),
        (
            "add x to the dev dependencies",
            &[("pyproject.toml", "[project]\ndependencies = []\n")],
            "only development needs",
        ),
    ];
    for (request, files, why) in cases {
        let told = made(request, files);
        assert!(told.starts_with("? ") && told.contains(why), "{request}: {told}");
    }
    for request in ["change the button to blue", "change it to 5", "set the color in the sidebar to red"] {
        assert_eq!(made(request, &[("a.py", "the button\n")]), "none", "{request}");
    }
}

#[test]
fn lines_scripts_and_lists_of_development() {
    const PROJECT: &str =
        "[project]\ndependencies = [\n    \"a\",\n]\n\n[project.optional-dependencies]\ndev = [\"pytest\"]\n";
    let with_dev = PROJECT.replace("[\"pytest\"]", "[\"pytest\", \"requests-mock\"]");
    let package = "{\n  \"scripts\": {\n    \"test\": \"x\"\n  },\n  \"y\": 1\n}\n";
    let cases: Vec<(&str, (&str, &str), String)> = vec![
        ("delete line 2 of a.md", ("a.md", "a\nb\nc\n"), "a\nc\n".into()),
        ("remove lines 1-2 from a.md", ("a.md", "a\nb\nc\n"), "c\n".into()),
        ("delete the last line of a.md", ("a.md", "a\nb\nc"), "a\nb\n".into()),
        ("delete the first two lines of a.md", ("a.md", "a\nb\nc\n"), "c\n".into()),
        ("remove all lines containing \"b\" from a.md", ("a.md", "a\nb\ncb\n"), "a\n".into()),
        ("remove empty lines from a.md", ("a.md", "a\n\nc\n"), "a\nc\n".into()),
        ("sort the lines of a.txt", ("a.txt", "b\na\n"), "a\nb\n".into()),
        ("add requests-mock to the dev dependencies", ("pyproject.toml", PROJECT), with_dev.clone()),
        ("add requests-mock as a dev dependency", ("pyproject.toml", PROJECT), with_dev),
        (
            "add b>=2 to the dependencies",
            ("pyproject.toml", PROJECT),
            PROJECT.replace("\"a\",\n", "\"a\",\n    \"b>=2\",\n"),
        ),
        (
            "add a script called types that runs tsc --noEmit",
            ("package.json", package),
            package.replace("\"x\"", "\"x\",\n    \"types\": \"tsc --noEmit\""),
        ),
        (
            "add a make target called fmt that runs cargo fmt",
            ("Makefile", "a:\n\tb\n"),
            "a:\n\tb\n\nfmt:\n\tcargo fmt\n".into(),
        ),
        (
            "remove the unused imports in a.py",
            ("a.py", "import os\nimport sys, json\nfrom m import A, B\n\njson.x(A)\n"),
            "import json\nfrom m import A\n\njson.x(A)\n".into(),
        ),
        (
            "remove unused imports from a.ts",
            ("a.ts", "import { a, b } from \"./x\";\nimport \"./side\";\nb();\n"),
            "import { b } from \"./x\";\nimport \"./side\";\nb();\n".into(),
        ),
    ];
    for (request, file, expected) in cases {
        assert_eq!(made(request, &[file]), format!("{}: {expected}", file.0), "{request}");
    }
    let both =
        [("pyproject.toml", "[project]\nversion = \"0.1.0\"\n"), ("src/a/__init__.py", "__version__ = \"0.1.0\"\n")];
    assert_eq!(
        made("bump the version to 0.2.0", &both),
        "pyproject.toml: [project]\nversion = \"0.2.0\"\nsrc/a/__init__.py: __version__ = \"0.2.0\"\n"
    );
}

#[test]
fn the_manager_of_the_project_adds_what_development_needs_apart() {
    for (file, request, command) in [
        ("package.json", "add vitest to the dev dependencies", "npm install --save-dev vitest"),
        ("package.json", "add vitest to devDependencies", "npm install --save-dev vitest"),
        ("package.json", "install vitest as a dev dependency", "npm install --save-dev vitest"),
        ("Cargo.toml", "add proptest to the dev dependencies", "cargo add --dev proptest"),
        ("Cargo.toml", "add proptest as a development dependency", "cargo add --dev proptest"),
        ("Cargo.toml", "add serde = \"1\" to the dependencies", "cargo add serde@1"),
        ("Cargo.toml", "add a dev dependency on proptest", "cargo add --dev proptest"),
        ("uv.lock", "add ruff to the dev dependencies", "uv add --dev ruff"),
        ("uv.lock", "add httpx>=0.27 to the dependencies", "uv add 'httpx>=0.27'"),
        ("pnpm-lock.yaml", "add lodash@4 to the dependencies", "pnpm add lodash@4"),
        ("go.mod", "add x to the dev dependencies", ""),
    ] {
        let edit = parse(request).unwrap_or_else(|| panic!("{request}"));
        let told = super::command(&edit, &|name| name == file);
        assert_eq!(told.as_deref().unwrap_or_default(), command, "{request}");
    }
}

#[test]
fn a_moved_file_takes_its_imports_along() {
    let files =
        |all: &[(&str, &str)]| all.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    let told = |references: moved::References| {
        let changed: String = references.files.iter().map(|(path, text)| format!("{path}: {text}")).collect();
        format!("{changed}left: {}", references.left.join(" "))
    };
    let python = files(&[
        ("src/pkg/a.py", "from pkg.tax import f\nimport pkg.tax\npkg.tax.f()\npkg.taxes\n"),
        ("src/pkg/b.py", "from .tax import f\nfrom pkg import tax\n"),
    ]);
    assert_eq!(
        told(moved::references("src/pkg/tax.py", "src/pkg/dues.py", &python)),
        "src/pkg/a.py: from pkg.dues import f\nimport pkg.dues\npkg.dues.f()\npkg.taxes\nsrc/pkg/b.py: from .dues import f\nfrom pkg import tax\nleft: src/pkg/b.py:2"
    );
    let script = files(&[
        ("src/a.ts", "import { x } from \"./utils\";\nimport y from './utils.js';\nimport z from \"./utils2\";\n"),
        ("test/b.js", "import { x } from \"../src/utils.js\";\n"),
    ]);
    assert_eq!(
        told(moved::references("src/utils.ts", "src/lib/strings.ts", &script)),
        "src/a.ts: import { x } from \"./lib/strings\";\nimport y from './lib/strings.js';\nimport z from \"./utils2\";\ntest/b.js: import { x } from \"../src/lib/strings.js\";\nleft: "
    );
    let rust = files(&[("src/main.rs", "mod args;\nuse args::Args;\n")]);
    assert_eq!(
        told(moved::references("src/args.rs", "src/cli.rs", &rust)),
        "src/main.rs: mod cli;\nuse cli::Args;\nleft: "
    );
}

#[test]
fn a_member_of_a_workspace_has_dependencies_of_its_own() {
    let manifests = [
        ("apps/web/package.json".to_owned(), "@shop/web".to_owned()),
        ("packages/utils/package.json".to_owned(), "@shop/utils".to_owned()),
        ("crates/core/Cargo.toml".to_owned(), "sieve-core".to_owned()),
        ("package.json".to_owned(), "shop".to_owned()),
    ];
    let told = |request: &str, lock: &str| {
        let readings = readings(request);
        let found = readings.iter().find_map(|edit| match edit {
            Edit::MemberDependency(wanted) => wanted.command(&manifests, &|name| name == lock),
            _ => None,
        });
        found.unwrap_or_default()
    };
    assert_eq!(told("add date-fns to @shop/utils", "pnpm-lock.yaml"), "pnpm --filter @shop/utils add date-fns");
    assert_eq!(told("remove lodash from the web app", "pnpm-lock.yaml"), "pnpm --filter @shop/web remove lodash");
    assert_eq!(told("add lodash to apps/web", ""), "npm install lodash -w @shop/web");
    assert_eq!(told("add serde to sieve-core", "Cargo.toml"), "cargo add --package sieve-core serde");
    assert_eq!(
        told("add serde 1.0 to the core crate", ""),
        "cargo add --manifest-path crates/core/Cargo.toml serde@1.0"
    );
    assert_eq!(told("add a button to the header", "pnpm-lock.yaml"), "");
    assert_eq!(told("add numpy to the dependencies", ""), "");
}
