//! Requests for changes of a part of a file, and what becomes of the file.

use crate::run::exact_edit::tests::made;

/// A request, the existing files, and the result.
type Case = (&'static str, &'static [(&'static str, &'static str)], &'static str);

#[test]
fn every_shape_is_a_pattern() {
    assert_eq!(super::SHAPES.len(), 29);
}

fn check(cases: &[Case]) {
    let wrong: Vec<String> = cases
        .iter()
        .filter(|(request, files, expected)| made(request, files) != *expected)
        .map(|(request, files, _)| format!("{request}: {:?}", made(request, files)))
        .collect();
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn lines_are_commented_out_and_back() {
    check(&[
        ("comment out line 2 of a.py", &[("a.py", "a = 1\n  b = 2\n")], "a.py: a = 1\n  # b = 2\n"),
        (
            "comment out the cache.clear call in a.ts",
            &[("a.ts", "cache.clear();\ngo();\n")],
            "a.ts: // cache.clear();\ngo();\n",
        ),
        ("uncomment line 1 of a.rs", &[("a.rs", "// go();\n")], "a.rs: go();\n"),
        ("comment out lines 1-2 in run.sh", &[("run.sh", "a\nb\nc\n")], "run.sh: # a\n# b\nc\n"),
        (
            "comment out the go call in a.js",
            &[("a.js", "go();\ngo();\n")],
            "? 2 lines of `a.js` fit. Say which by number, as in: comment out line 5 of a.js.\n\n- `a.js:1` `go();`\n- `a.js:2` `go();`",
        ),
        ("comment out the check in a.py", &[("a.py", "if check(\n")], "none"),
    ]);
    assert!(made("comment out line 1 of a.py", &[("a.py", "def f():\n    x\n")]).starts_with("? "));
}

#[test]
fn a_definition_goes_with_all_of_its_lines() {
    const PY: &str = "import a\n\n\ndef keep():\n    pass\n\n\n@cached\ndef gone(\n    x,\n):\n    \"\"\"Says\nx.\"\"\"\n    if x:\n        return {}\n\n    return x\n\n\nLAST = 1\n";
    const GO: &str =
        "package a\n\n// Old does nothing.\nfunc Old(x string) {\n\tif x == \"}\" {\n\t}\n}\n\nfunc New() {}\n";
    check(&[
        ("remove the function gone", &[("a.py", PY)], "a.py: import a\n\n\ndef keep():\n    pass\n\n\nLAST = 1\n"),
        ("delete Old function from a.go", &[("a.go", GO)], "a.go: package a\n\nfunc New() {}\n"),
        ("drop the constant LIMIT", &[("a.ts", "const A = 1;\nconst LIMIT = 3;\n")], "a.ts: const A = 1;\n"),
        ("delete the missing function", &[("a.py", PY)], "none"),
        ("remove the dead function", &[("a.py", PY)], "none"),
    ]);
    assert!(
        made("remove the function f", &[("a.py", "def f(): pass\n"), ("b.py", "def f(): pass\n")]).starts_with("? ")
    );
}

#[test]
fn the_standard_is_set_in_every_build_file() {
    check(&[
        (
            "use C++20",
            &[
                ("CMakeLists.txt", "set(CMAKE_CXX_STANDARD 17)\nset(CMAKE_C_STANDARD 11)\n"),
                ("Makefile", "CXXFLAGS = -std=c++17 -O2\n"),
            ],
            "CMakeLists.txt: set(CMAKE_CXX_STANDARD 20)\nset(CMAKE_C_STANDARD 11)\nMakefile: CXXFLAGS = -std=c++20 -O2\n",
        ),
        (
            "set the C standard to 17",
            &[("CMakeLists.txt", "set(CMAKE_C_STANDARD 99)\n")],
            "CMakeLists.txt: set(CMAKE_C_STANDARD 17)\n",
        ),
        (
            "switch to c++17",
            &[("CMakeLists.txt", "target_compile_features(a PUBLIC cxx_std_14)\n")],
            "CMakeLists.txt: target_compile_features(a PUBLIC cxx_std_17)\n",
        ),
        ("use C++17", &[("CMakeLists.txt", "set(CMAKE_CXX_STANDARD 17)\n")], "? C++17 is the standard already."),
    ]);
    assert!(made("use C++17", &[("CMakeLists.txt", "project(a)\n")]).contains("No build file"));
}

#[test]
fn items_of_lists_come_and_go() {
    check(&[
        (
            "remove src/b.c from CMakeLists.txt",
            &[("CMakeLists.txt", "add_library(a src/a.c src/b.c)\n")],
            "CMakeLists.txt: add_library(a src/a.c)\n",
        ),
        (
            "take b.c out of the CMakeLists",
            &[("CMakeLists.txt", "set(SRC\n  a.c\n  b.c\n)\n")],
            "CMakeLists.txt: set(SRC\n  a.c\n)\n",
        ),
        (
            "add -Wextra to the compile options of mill",
            &[(
                "CMakeLists.txt",
                "target_compile_options(mill PRIVATE -Wall)\ntarget_compile_options(x PRIVATE -O2)\n",
            )],
            "CMakeLists.txt: target_compile_options(mill PRIVATE -Wall -Wextra)\ntarget_compile_options(x PRIVATE -O2)\n",
        ),
        ("add b.c to SOURCES", &[("CMakeLists.txt", "set(SOURCES a.c)\n")], "CMakeLists.txt: set(SOURCES a.c b.c)\n"),
        ("remove -O2 from CFLAGS", &[("Makefile", "CFLAGS = -Wall -O2 -g\n")], "Makefile: CFLAGS = -Wall -g\n"),
        ("remove \"ftp\" from SCHEMES", &[("a.py", "SCHEMES = [\"http\", \"ftp\"]\n")], "a.py: SCHEMES = [\"http\"]\n"),
        ("remove \"http\" from SCHEMES", &[("a.py", "SCHEMES = [\"http\", \"ftp\"]\n")], "a.py: SCHEMES = [\"ftp\"]\n"),
        (
            "add SE and DK to the EU set",
            &[("a.ts", "const EU = new Set([\"DE\", \"FR\"]);\n")],
            "? `EU` in `a.ts`: it is no list, so nothing can be added to it.",
        ),
        ("add SE and DK to the EU list", &[("a.py", "EU = [\"DE\"]\n")], "a.py: EU = [\"DE\", \"SE\", \"DK\"]\n"),
        ("remove dist from .gitignore", &[(".gitignore", "node_modules\ndist\n")], ".gitignore: node_modules\n"),
        (
            "remove staticcheck from lint.yml",
            &[("lint.yml", "enable:\n  - govet\n  - staticcheck\n")],
            "lint.yml: enable:\n  - govet\n",
        ),
        (
            "remove -g from CFLAGS",
            &[("Makefile", "CFLAGS = -O2\n")],
            "? `CFLAGS` does not have `-g`, so nothing is changed.",
        ),
        ("add *.tmp to .dockerignore", &[(".dockerignore", "target\n")], ".dockerignore: target\n*.tmp\n"),
    ]);
}

#[test]
fn blanks_entries_and_years() {
    check(&[
        ("remove trailing whitespace in a.py", &[("a.py", "a = 1  \n\tb\t\n")], "a.py: a = 1\n\tb\n"),
        ("strip trailing whitespace", &[("a.py", "a \n"), ("b.md", "b  \n")], "a.py: a\n"),
        ("replace tabs with 2 spaces in a.js", &[("a.js", "\tx('\t')\n")], "a.js:   x('\t')\n"),
        ("replace tabs with spaces in main.go", &[("main.go", "\tx\n")], "? `main.go` needs its tabs."),
        ("add a newline at the end of a.txt", &[("a.txt", "x")], "a.txt: x\n"),
        ("convert a.sh to unix line endings", &[("a.sh", "a\r\nb\r\n")], "a.sh: a\nb\n"),
        (
            "add a changelog entry: Faster start",
            &[("CHANGELOG.md", "# Changes\n\n## [Unreleased]\n\n- One.\n\n## 1.0\n\n- Two.\n")],
            "CHANGELOG.md: # Changes\n\n## [Unreleased]\n\n- One.\n- Faster start\n\n## 1.0\n\n- Two.\n",
        ),
        (
            "add \"Fix it\" to the changelog under 1.0",
            &[("CHANGELOG.md", "## Unreleased\n\n## 1.0\n\n* Two.\n")],
            "CHANGELOG.md: ## Unreleased\n\n## 1.0\n\n* Two.\n* Fix it\n",
        ),
        (
            "add \"x\" to the changelog",
            &[("CHANGELOG.md", "## 1.0\n")],
            "? `CHANGELOG.md` has no section `Unreleased`, so nothing is added.",
        ),
        (
            "update the copyright year to 2026",
            &[("LICENSE", "Copyright (c) 2021-2024 A\n")],
            "LICENSE: Copyright (c) 2021-2026 A\n",
        ),
    ]);
    assert!(
        made("add \"x\" to the changelog", &[("CHANGELOG.md", "## Unreleased\n\n### Added\n\n- a\n\n### Fixed\n")])
            .contains("divided")
    );
}

#[test]
fn imports_are_sorted_within_their_groups() {
    check(&[
        (
            "sort the imports in a.py",
            &[("a.py", "import sys\nfrom a import (\n    b,\n)\nimport os\n\nimport z\nimport y\n\nx = 1\n")],
            "a.py: import os\nimport sys\nfrom a import (\n    b,\n)\n\nimport y\nimport z\n\nx = 1\n",
        ),
        (
            "organize imports in a.ts",
            &[("a.ts", "import { c } from \"./c\";\nimport b from \"b\";\nimport a from \"a\";\n\ngo();\n")],
            "a.ts: import a from \"a\";\nimport b from \"b\";\nimport { c } from \"./c\";\n\ngo();\n",
        ),
        (
            "sort includes in a.c",
            &[("a.c", "#include <string.h>\n#include <stdio.h>\n\n#include \"b.h\"\n")],
            "a.c: #include <stdio.h>\n#include <string.h>\n\n#include \"b.h\"\n",
        ),
        (
            "sort the imports of main.go",
            &[("main.go", "import (\n\t\"os\"\n\t\"fmt\"\n\n\t\"x.org/b\"\n)\n")],
            "main.go: import (\n\t\"fmt\"\n\t\"os\"\n\n\t\"x.org/b\"\n)\n",
        ),
        (
            "sort the imports in a.ts",
            &[("a.ts", "import \"./setup\";\nimport a from \"a\";\n")],
            "? `a.ts` imports something for its effect alone, so the order may mean something; nothing is sorted.",
        ),
        (
            "sort the imports in a.py",
            &[("a.py", "import os\nimport sys\n")],
            "? The imports of `a.py` are sorted already.",
        ),
    ]);
}

#[test]
fn a_port_and_a_word_are_changed_where_they_are_meant() {
    check(&[
        (
            "change the port from 3000 to 4000",
            &[
                ("Dockerfile", "EXPOSE 3000\n"),
                ("a.ts", "app.listen(3000);\nconst limit = 3000;\n"),
                ("c.yml", "  - \"3000:3000\"\n  - 30001\n"),
            ],
            "Dockerfile: EXPOSE 4000\na.ts: app.listen(4000);\nconst limit = 3000;\nc.yml:   - \"4000:4000\"\n  - 30001\n",
        ),
        ("use port 81 instead of 80", &[("a.yml", "port: 80\nmax: 80\n")], "a.yml: port: 81\nmax: 80\n"),
        (
            "replace strcpy with strncpy in a.c",
            &[("a.c", "strcpy(a); my_strcpy(b);\n"), ("b.c", "strcpy(c);\n")],
            "a.c: strncpy(a); my_strcpy(b);\n",
        ),
        ("use clang++ instead of g++ in the Makefile", &[("Makefile", "CXX = g++\n")], "Makefile: CXX = clang++\n"),
        ("rename the getA function to readA", &[("a.js", "function getA() {}\n")], "a.js: function readA() {}\n"),
        (
            "change the port to 90",
            &[("a.py", "PORT = 80\n"), ("b.yml", "ports:\n  - \"80:80\"\n")],
            "? `port` is `80` at `a.py:1`, and other lines have the same port. For all of them: change the port from 80 to 90. For one: change port in FILE to 90.",
        ),
        ("replace n with count in a.c", &[("a.c", "n++; a->n = x-n;\n")], "a.c: count++; a->count = x-count;\n"),
        ("use let instead of var in a.js", &[("a.js", "var a, variant;\nvar b;\n")], "a.js: let a, variant;\nlet b;\n"),
        (
            "use https instead of http in a.md",
            &[("a.md", "http://a.org http://localhost:1 https://b.org\n")],
            "a.md: https://a.org http://localhost:1 https://b.org\n",
        ),
        ("replace print with logging in a.py", &[("a.py", "print(1)\n")], "none"),
        (
            "replace foo with bar in a.c",
            &[("a.c", "food\n")],
            "? `a.c` does not have the word `foo`, so nothing is changed.",
        ),
    ]);
}

#[test]
fn keys_and_packages_are_added() {
    check(&[
        ("add API_KEY=abc to .env.example", &[(".env.example", "A=1\n")], ".env.example: A=1\nAPI_KEY=abc\n"),
        ("add API_KEY to .env.example", &[(".env.example", "A=1\n")], ".env.example: A=1\nAPI_KEY=\n"),
        (
            "add \"type\": \"module\" to package.json",
            &[("package.json", "{\n  \"name\": \"a\",\n  \"bin\": {\n    \"x\": \"y\"\n  }\n}\n")],
            "package.json: {\n  \"name\": \"a\",\n  \"bin\": {\n    \"x\": \"y\"\n  },\n  \"type\": \"module\"\n}\n",
        ),
        (
            "enable noImplicitAny in tsconfig",
            &[("tsconfig.json", "{\n  \"compilerOptions\": {\n    \"strict\": true\n  }\n}\n")],
            "tsconfig.json: {\n  \"compilerOptions\": {\n    \"strict\": true,\n    \"noImplicitAny\": true\n  }\n}\n",
        ),
        ("add httpx", &[("requirements.txt", "flask\n")], "requirements.txt: flask\nhttpx\n"),
        ("add logging", &[("requirements.txt", "flask\n")], "none"),
        ("add zod", &[("requirements.txt", "flask\n")], "none"),
        (
            "add gunicorn to requirements.txt",
            &[("requirements.txt", "flask\n"), ("pyproject.toml", "[project]\ndependencies = [\"flask\"]\n")],
            "requirements.txt: flask\ngunicorn\n",
        ),
    ]);
}

#[test]
fn values_are_set_wherever_they_stand() {
    check(&[
        (
            "set tabWidth to 4",
            &[(".prettierrc", "{ \"semi\": true, \"tabWidth\": 2 }\n")],
            ".prettierrc: { \"semi\": true, \"tabWidth\": 4 }\n",
        ),
        (
            "change the retries in api.ts to 5",
            &[("api.ts", "const c = make({ url: U, retries: 3 });\n")],
            "api.ts: const c = make({ url: U, retries: 5 });\n",
        ),
        (
            "raise the cpu limit to 2",
            &[("v.yaml", "limits:\n  cpu: 1\nrequests:\n  cpu: 1\n")],
            "v.yaml: limits:\n  cpu: 2\nrequests:\n  cpu: 1\n",
        ),
        ("turn debug off in a.py", &[("a.py", "DEBUG = True\n")], "a.py: DEBUG = False\n"),
        (
            "enable lto",
            &[("Cargo.toml", "[profile.release]\nlto = false\n")],
            "Cargo.toml: [profile.release]\nlto = true\n",
        ),
        (
            "turn WITH_TLS off by default",
            &[("CMakeLists.txt", "option(WITH_TLS \"Use TLS\" ON)\n")],
            "CMakeLists.txt: option(WITH_TLS \"Use TLS\" OFF)\n",
        ),
        (
            "disable no-console",
            &[(".eslintrc.json", "{\n  \"no-console\": \"warn\"\n}\n")],
            ".eslintrc.json: {\n  \"no-console\": \"off\"\n}\n",
        ),
        (
            "turn on format on save",
            &[("settings.json", "{\"editor.formatOnSave\": false, \"a\": 1}\n")],
            "settings.json: {\"editor.formatOnSave\": true, \"a\": 1}\n",
        ),
        ("enable dark mode", &[("a.ts", "const theme = \"dark\";\n")], "none"),
        (
            "switch to edition 2024",
            &[("Cargo.toml", "edition = \"2021\"\n"), ("rustfmt.toml", "edition = \"2021\"\n")],
            "Cargo.toml: edition = \"2024\"\n",
        ),
        (
            "switch BASE_URL to https",
            &[("a.py", "BASE_URL = \"http://x.org/a\"\n")],
            "a.py: BASE_URL = \"https://x.org/a\"\n",
        ),
        (
            "set MAX_DAYS to 28",
            &[("a.py", "MAX_DAYS = int(os.environ.get(\"MAX_DAYS\", \"21\"))\n")],
            "a.py: MAX_DAYS = int(os.environ.get(\"MAX_DAYS\", \"28\"))\n",
        ),
        (
            "set interval to 60",
            &[("a.go", "const interval = 30 * time.Second\n")],
            "a.go: const interval = 60 * time.Second\n",
        ),
        (
            "change TIMEOUT_MS to 10 seconds",
            &[("a.js", "const TIMEOUT_MS = 5000;\n")],
            "a.js: const TIMEOUT_MS = 10000;\n",
        ),
        ("MAX_SIZE should be 20", &[("a.c", "#define MAX_SIZE 10\n")], "a.c: #define MAX_SIZE 20\n"),
        ("chnage LIMIT to 5", &[("a.py", "LIMIT = 3\n"), ("tests/test_a.py", "LIMIT = 3\n")], "a.py: LIMIT = 5\n"),
        (
            "bump redis to 5.0.4",
            &[
                ("requirements.txt", "redis==5.0.1\n"),
                ("docker-compose.yml", "services:\n  c:\n    image: redis:7.0-alpine\n"),
            ],
            "requirements.txt: redis==5.0.4\n",
        ),
        (
            "upgrade the base image to node 22",
            &[("Dockerfile", "FROM node:20-slim\n")],
            "Dockerfile: FROM node:22-slim\n",
        ),
        (
            "remove console.log calls",
            &[("a.ts", "console.log(1);\nx();\n"), ("b.ts", "console.log(2);\ny();\n")],
            "a.ts: x();\nb.ts: y();\n",
        ),
        ("remove the dbg! from a.rs", &[("a.rs", "dbg!(x);\ny();\n")], "a.rs: y();\n"),
        (
            "remove all print statements from a.py",
            &[("a.py", "print(1)\nx = 1\n"), ("b.py", "print(1)\n")],
            "a.py: x = 1\n",
        ),
        (
            "add a typecheck script: tsc --noEmit",
            &[("package.json", "{\n  \"scripts\": {\n    \"a\": \"b\"\n  }\n}\n")],
            "package.json: {\n  \"scripts\": {\n    \"a\": \"b\",\n    \"typecheck\": \"tsc --noEmit\"\n  }\n}\n",
        ),
        (
            "remove the unused import from a.py",
            &[("a.py", "import os\nimport sys\n\nsys.exit()\n")],
            "a.py: import sys\n\nsys.exit()\n",
        ),
    ]);
}
