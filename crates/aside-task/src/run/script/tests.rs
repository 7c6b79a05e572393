//! Projects of many shapes, and what "run the tests" means in each.

use std::collections::BTreeMap;
use std::sync::Arc;

use aside_commands::world::{DirEntry, FileKind, LiveItem, LiveKind};

use super::*;
use crate::route::{RouteOptions, Routed, route};
use crate::run::toml_lists;

static NO_FILES: crate::run::project::Project = crate::run::project::Project { files: Vec::new() };

/// A project as one line: `Makefile justfile src/ run.sh* make:test,build npm:dev`, at `/p`.
struct Project {
    directories: BTreeMap<String, Vec<DirEntry>>,
    live: Vec<(LiveKind, String, Vec<LiveItem>)>,
}

impl Project {
    fn of(text: &str) -> Self {
        let mut directories: BTreeMap<String, Vec<DirEntry>> = BTreeMap::from([("/p".to_owned(), Vec::new())]);
        for place in ["/", "/home"] {
            let entry = |name: &str, kind| DirEntry { name: name.into(), kind };
            directories
                .insert(place.to_owned(), vec![entry("bin", FileKind::Directory), entry("test.sh", FileKind::Program)]);
            let below = format!("{}/bin", place.trim_end_matches('/'));
            directories.insert(below, vec![entry("test", FileKind::Program)]);
        }
        let mut live = Vec::new();
        for word in text.split_whitespace() {
            if let Some((kind, names)) = word.split_once('=') {
                let (kind, directory) = kind.split_once('@').unwrap_or((kind, ""));
                let item = |name: &str| LiveItem { name: name.into(), about: "".into() };
                let directory = format!("/p/{directory}").trim_end_matches('/').to_owned();
                live.push((LiveKind::of(kind).unwrap(), directory, names.split(',').map(item).collect()));
                continue;
            }
            let (path, kind) = match (word.strip_suffix('/'), word.strip_suffix('*')) {
                (Some(path), _) => (path, FileKind::Directory),
                (_, Some(path)) => (path, FileKind::Program),
                _ => (word, FileKind::File),
            };
            let whole = format!("/p/{path}");
            let (directory, name) = whole.rsplit_once('/').unwrap();
            directories.entry(directory.to_owned()).or_default().push(DirEntry { name: name.into(), kind });
            if kind == FileKind::Directory {
                directories.entry(whole.clone()).or_default();
            }
        }
        Self { directories, live }
    }
}

impl World for Project {
    fn home(&self) -> &str {
        "/home"
    }

    fn entries(&self, directory: &str) -> Fact<Arc<[DirEntry]>> {
        self.directories.get(directory).map_or(Fact::No, |entries| Fact::Yes(entries.clone().into()))
    }

    fn programs(&self) -> Fact<Arc<[Box<str>]>> {
        let names = [
            "bundle",
            "bun",
            "cargo",
            "cmake",
            "dart",
            "docker",
            "dotnet",
            "flutter",
            "frobnicate",
            "go",
            "gradle",
            "just",
            "make",
            "mix",
            "mvn",
            "mypy",
            "node",
            "npm",
            "npx",
            "pnpm",
            "poetry",
            "pytest",
            "python",
            "ruff",
            "sbt",
            "swift",
            "uv",
            "yarn",
            "bash",
            "python3",
            "yes",
        ];
        Fact::Yes(names.map(Box::from).into())
    }

    fn repository(&self, _directory: &str) -> Fact<Arc<str>> {
        Fact::Yes("/p".into())
    }

    fn live(&self, what: LiveKind, directory: &str) -> Fact<Arc<[LiveItem]>> {
        let found = self.live.iter().find(|(kind, at, _)| *kind == what && at == directory);
        found.map_or(Fact::No, |(_, _, items)| Fact::Yes(items.clone().into()))
    }
}

fn run(project: &str, cwd: &str, words: &str, files: &[&str]) -> String {
    let world = Project::of(project);
    let place = ScriptContext {
        cwd,
        world: &world,
        test_command: "",
        language: Language::English,
        project: &NO_FILES,
        part: None,
    };
    let files = files.iter().map(|file| (*file).to_owned()).collect();
    let params = IntentParams {
        query: Some(words.to_owned()),
        written: Some(Box::new(UnparsedCommand::Rest(words.to_owned()))),
        files,
        ..IntentParams::default()
    };
    told(command(&params, &place))
}

fn told(outcome: Fact<RunnerOutcome>) -> String {
    match outcome {
        Fact::Yes(RunnerOutcome { proposal: Proposal::Command { cmd, cwd, reason, confine: _ }, .. }) => {
            assert!(reason.is_some_and(|reason| reason.ends_with('.')), "{cmd}");
            match cwd.as_deref() {
                Some("/p") | None => cmd,
                Some(cwd) => format!("{cmd} in {cwd}"),
            }
        }
        Fact::Yes(RunnerOutcome { proposal: Proposal::Answer { text }, .. }) => format!("? {}", text.trim_end()),
        other => format!("{other:?}"),
    }
}

#[test]
fn the_lists_are_read_whole() {
    assert_eq!(goal::GOALS.len(), toml_lists::count(goal::LIST, "goal"));
    let tools = toml_lists::tables(goal::LIST, "tool", |table| toml_lists::text(table, "name"));
    assert_eq!(tools.len(), toml_lists::count(goal::LIST, "tool"));
    assert!(tools.len() >= 25);
}

#[test]
fn projects_of_many_shapes() {
    let make = "Makefile make-target=test,build,lint,deploy,clean";
    let npm = "package.json npm-script=dev,build,test,test:unit,test:e2e,lint,deploy:staging,deploy:prod";
    let cases = [
        (make, "the tests", "make test"),
        (make, "build", "make build"),
        (make, "the linter", "make lint"),
        (make, "the deploy script", "make deploy"),
        (make, "测试", "make test"),
        (make, "一下所有单元测试", "make test"),
        (make, "部署脚本", "make deploy"),
        (make, "清理", "make clean"),
        (make, "clean up the build", "make clean"),
        (make, "clean the project", "make clean"),
        (make, "cleanup", "make clean"),
        (make, "清理构建产物", "make clean"),
        (make, "clean build", "make clean && make build"),
        (make, "make", "make"),
        ("justfile just-recipe=ci", "just", "just"),
        (
            make,
            "deploy to production",
            "? Nothing here is called `deploy to production`. The nearest:\n\n- `make deploy`",
        ),
        (npm, "tests", "npm test"),
        (npm, "unit tests", "npm run test:unit"),
        (npm, "the e2e tests", "npm run test:e2e"),
        (npm, "the dev server", "npm run dev"),
        (npm, "the app", "npm run dev"),
        (npm, "项目", "npm run dev"),
        (npm, "staging deployment", "npm run deploy:staging"),
        (
            npm,
            "the deploy script",
            "? Which one do you mean by `the deploy script`?\n\n- `npm run deploy:staging`\n- `npm run deploy:prod`",
        ),
        (npm, "dependencies", "npm install"),
        ("package.json yarn.lock npm-script=test", "the tests", "yarn run test"),
        ("package.json pnpm-lock.yaml npm-script=lint", "lint", "pnpm run lint"),
        ("justfile just-recipe=test,ci Makefile make-target=test", "tests", "just test"),
        ("Cargo.toml", "the tests", "cargo test"),
        ("Cargo.toml", "编译", "cargo build"),
        ("Cargo.toml", "clippy", "cargo clippy"),
        ("Cargo.toml", "the formatter", "cargo fmt"),
        ("Cargo.toml", "格式化", "cargo fmt"),
        ("Cargo.toml", "benchmarks", "cargo bench"),
        ("Cargo.toml cargo-test=integration,cli", "the integration tests", "cargo test --test integration"),
        ("Cargo.toml cargo-package=core,web", "tests of core", "cargo test -p core"),
        ("Cargo.toml cargo-bin=server", "the server", "cargo run --bin server"),
        ("Cargo.toml Makefile make-target=test", "the tests", "make test"),
        ("Cargo.toml Makefile make-target=install", "the tests", "cargo test"),
        ("go.mod", "the tests", "go test ./..."),
        ("go.mod", "build", "go build ./..."),
        ("pyproject.toml", "the tests", "pytest"),
        ("pyproject.toml uv.lock", "the tests", "uv run pytest"),
        ("pyproject.toml poetry.lock", "tests", "poetry run pytest"),
        ("manage.py requirements.txt", "tests", "python manage.py test"),
        ("manage.py", "the server", "python manage.py runserver"),
        ("pom.xml", "tests", "mvn test"),
        ("pom.xml mvnw*", "tests", "./mvnw test"),
        ("build.gradle.kts gradlew*", "the build", "./gradlew build"),
        ("App.sln", "tests", "dotnet test"),
        ("Package.swift", "tests", "swift test"),
        ("mix.exs", "tests", "mix test"),
        ("CMakeLists.txt", "the build", "cmake --build build"),
        ("docker-compose.yml", "the services up, start", "docker compose up"),
        ("scripts/ scripts/deploy.sh*", "the deploy script", "./scripts/deploy.sh"),
        ("scripts/ scripts/deploy.sh", "the deploy script", "bash scripts/deploy.sh"),
        ("scripts/ scripts/gen-icons.sh*", "the gen icons script", "./scripts/gen-icons.sh"),
        ("test.sh*", "tests", "./test.sh"),
        (
            make,
            "the frobnicator",
            "? Nothing here is called `the frobnicator`. There is:\n\n- `make test`\n- `make build`\n- `make lint`\n- `make deploy`\n- `make clean`",
        ),
    ];
    let mut wrong = Vec::new();
    for (project, words, expected) in cases {
        let told = run(project, "/p", words, &[]);
        if told != expected {
            wrong.push(format!("{project} | {words}: {told}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn what_ships_is_never_guessed() {
    for project in ["Cargo.toml", "go.mod", "Makefile make-target=test"] {
        for words in ["deploy", "the release", "the migration", "deploy to production", "发布"] {
            assert!(run(project, "/p", words, &[]).starts_with("? "), "{project} {words}");
        }
    }
    let make = "Makefile make-target=deploy-staging";
    assert!(run(make, "/p", "deploy to production", &[]).starts_with("? "));
    let hostile = "Makefile make-target=test;reboot,$(reboot),-f,test";
    assert_eq!(run(hostile, "/p", "the tests", &[]), "make test");
    assert!(!run(hostile, "/p", "reboot", &[]).contains("reboot)"));
    assert!(run("", "/p", "the tests", &[]).starts_with("? Nothing here says how to run `the tests`"));
}

#[test]
fn programs_of_the_machine_are_no_scripts_of_a_project() {
    for place in ["/", "/home"] {
        assert!(run("", place, "the tests", &[]).starts_with("? Nothing here says how"), "{place}");
    }
}

#[test]
fn the_nearest_project_wins_and_the_one_above_is_found() {
    let project = "Makefile make-target=test,deploy web/ web/package.json npm-script@web=test web/src/";
    assert_eq!(run(project, "/p/web", "tests", &[]), "npm test in /p/web");
    assert_eq!(run(project, "/p/web/src", "tests", &[]), "npm test in /p/web");
    assert_eq!(run(project, "/p/web/src", "deploy", &[]), "make deploy");
}

#[test]
fn a_file_that_was_named_is_run() {
    let project = "run.sh* setup.sh main.py tests/ tests/test_login.py web/ web/a.test.ts a_test.go";
    let cases = [
        ("run.sh", "./run.sh"),
        ("./run.sh", "./run.sh"),
        ("setup.sh", "bash setup.sh"),
        ("main.py", "python3 main.py"),
        ("tests/test_login.py", "pytest tests/test_login.py"),
        ("web/a.test.ts", "npm test -- web/a.test.ts"),
    ];
    for (file, expected) in cases {
        assert_eq!(run(project, "/p", file, &[file]), expected);
    }
    assert!(run(project, "/p", "nothing.py", &["nothing.py"]).starts_with("? "));
    assert!(run("a;b.sh*", "/p", "it", &["a;b.sh"]).starts_with("? "), "a name must not become two commands");
}

#[test]
fn the_settings_and_the_person_have_the_first_word() {
    let world = Project::of("Cargo.toml");
    let place = ScriptContext {
        cwd: "/p",
        world: &world,
        test_command: "cargo nextest run",
        language: Language::English,
        project: &NO_FILES,
        part: None,
    };
    let asked = |query: &str| IntentParams { query: Some(query.to_owned()), ..IntentParams::default() };
    assert_eq!(told(command(&asked("the tests"), &place)), "cargo nextest run");
    assert_eq!(told(command(&asked("build"), &place)), "cargo build");
    let spelled = IntentParams { cmd: Some("ls -l".to_owned()), ..IntentParams::default() };
    assert_eq!(told(command(&spelled, &place)), "ls -l");
}

#[test]
fn what_is_to_be_cleaned_is_not_built() {
    for words in ["clean up the build", "clean the build", "清理构建"] {
        assert!(run("package.json npm-script=build,test", "/p", words, &[]).starts_with("? Nothing here"), "{words}");
    }
}

#[test]
fn what_is_to_be_left_out_is_not_run() {
    let npm = "package.json npm-script=test,test:e2e";
    for words in ["the tests but not e2e", "all tests except e2e", "tests only if it builds", "测试，但不要跑 e2e"]
    {
        assert!(run(npm, "/p", words, &[]).starts_with("? What is to be run in "), "{words}");
    }
}

#[test]
fn who_asks_in_chinese_is_told_in_chinese() {
    let asked = |project: &str, query: &str| {
        let world = Project::of(project);
        let place = ScriptContext {
            cwd: "/p",
            world: &world,
            test_command: "",
            language: Language::Chinese,
            project: &NO_FILES,
            part: None,
        };
        match command(&IntentParams { query: Some(query.to_owned()), ..IntentParams::default() }, &place) {
            Fact::Yes(RunnerOutcome { proposal: Proposal::Command { reason, .. }, summary, .. }) => {
                format!("{summary} | {}", reason.unwrap_or_default())
            }
            Fact::Yes(RunnerOutcome { proposal: Proposal::Answer { text }, summary, .. }) => {
                format!("{summary} | {}", text.trim_end())
            }
            other => format!("{other:?}"),
        }
    };
    let make = "Makefile make-target=test,deploy:staging,deploy:prod";
    assert_eq!(asked(make, "测试"), "运行 `make test` | `test` 是 Makefile 里的目标。");
    assert_eq!(asked("Cargo.toml", "测试"), "运行 `cargo test` | 这里有 `Cargo.toml`；这是它通常的命令。");
    assert_eq!(
        asked(make, "部署"),
        "`部署` 指的是哪一个？ | `部署` 指的是哪一个？\n\n- `make deploy:staging`\n- `make deploy:prod`"
    );
    assert!(
        asked("", "测试").starts_with("这里没有说明怎样运行 `测试` | 这里没有说明怎样运行 `测试`：这个目录"),
        "{}",
        asked("", "测试")
    );
}

#[test]
fn a_program_of_the_machine_is_run_as_it_was_typed() {
    let make = "Makefile make-target=test";
    assert_eq!(run(make, "/p", "frobnicate 30", &[]), "frobnicate 30");
    assert_eq!(run("", "/p", "frobnicate", &[]), "frobnicate");
    assert_eq!(run("", "/p", "frobnicate -v localhost:8080", &[]), "frobnicate -v localhost:8080");
    assert_eq!(run("", "/p", "frobnicate 1 > a.txt; ls .", &[]), "frobnicate 1 > a.txt; ls .");
    assert!(run(make, "/p", "frobnicate the parser", &[]).starts_with("? What is to be run in "));
    for words in ["yes please", "unknown 30"] {
        assert!(run(make, "/p", words, &[]).starts_with("? Nothing here"), "{words}");
    }
}

fn with_files(project: &str, words: &str, files: &[(&str, &str)]) -> String {
    let world = Project::of(project);
    let files = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    let project = crate::run::project::Project { files };
    let place = ScriptContext {
        cwd: "/p",
        world: &world,
        test_command: "",
        language: Language::English,
        project: &project,
        part: None,
    };
    let request = format!("run {words}");
    let Routed::Task(route) = route(&request, &RouteOptions::default()) else { panic!("{request}") };
    told(command(&route.intent.params, &place))
}

#[test]
fn what_is_said_beside_the_name_is_told_to_the_runner() {
    let make =
        ("Makefile", "PORT ?= 80\ntest:\n\t@python3 -m pytest -q\nserve:\n\tpython3 -m shop --port 8000\nup:\n\tx\n");
    let package = ("package.json", r#"{"scripts":{"test":"jest","dev":"vite","e2e":"./e2e.sh"}}"#);
    let npm = "package.json npm-script=test,dev,e2e";
    let cases = [
        ("Makefile make-target=test", "test_coupon only", vec![make], "python3 -m pytest -q -k test_coupon"),
        ("Makefile make-target=test", "the tests in parallel", vec![make], "python3 -m pytest -q -n auto"),
        (
            "Makefile make-target=serve",
            "the server on port 9000",
            vec![("Makefile", "serve:\n\tx --port 8000\n")],
            "x --port 9000",
        ),
        ("Makefile make-target=serve", "the server on port 9000", vec![make], "make serve PORT=9000"),
        ("pyproject.toml", "only the failed tests", vec![], "pytest --lf"),
        ("pyproject.toml", "the tests with coverage", vec![], "pytest --cov"),
        ("Cargo.toml", "only parses_dates", vec![], "cargo test parses_dates"),
        ("go.mod", "TestHello", vec![], "go test ./... -run '^TestHello$'"),
        ("go.mod", "the tests with coverage", vec![], "go test ./... -cover"),
        (npm, "the tests with coverage", vec![package], "npm test -- --coverage"),
        (npm, "the dev server on port 9000", vec![package], "npm run dev -- --port 9000"),
        (
            "package.json pnpm-lock.yaml npm-script=test",
            "the tests in watch mode",
            vec![package],
            "pnpm run test --watch",
        ),
    ];
    let mut wrong = Vec::new();
    for (project, words, files, expected) in cases {
        let told = with_files(project, words, &files);
        if told != expected {
            wrong.push(format!("{project} | {words}: {told}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    // An unsupported argument is not silently dropped.
    for (project, words, files) in [
        (npm, "the tests in parallel", vec![package]),
        (
            "Makefile make-target=test",
            "the tests with coverage",
            vec![("Makefile", "test:\n\tmake unit\n\tmake e2e\n")],
        ),
        ("Makefile make-target=serve", "the server on port 9000", vec![("Makefile", "serve:\n\tx\n")]),
    ] {
        let told = with_files(project, words, &files);
        assert!(told.starts_with("? How this project is told"), "{words}: {told}");
    }
}

#[test]
fn two_things_are_both_run() {
    let make = "Makefile make-target=test,build,lint";
    for (words, expected) in [
        ("the build and then the tests", "make build && make test"),
        ("lint and the tests", "make lint && make test"),
        ("the build, then the linter", "make build && make lint"),
        ("lint, build and test", "make lint && make build && make test"),
        ("all the tests", "make test"),
    ] {
        assert_eq!(run(make, "/p", words, &[]), expected, "{words}");
    }
    for words in
        ["the build and the migration", "the tests and fix what fails", "the build and the tests with coverage"]
    {
        assert!(run(make, "/p", words, &[]).starts_with("? "), "{words}: {}", run(make, "/p", words, &[]));
    }
    let routed = |words: &str| with_files(make, words, &[]);
    assert_eq!(routed("lint and build"), "make lint && make build");
    assert_eq!(routed("the tests, please"), "make test");
    assert_eq!(routed("the tests and tell me what fails"), "make test");
}

#[test]
fn a_word_that_no_command_honours_is_not_left_out() {
    let make = "Makefile make-target=test,build src/ src/a.txt tests/ Cargo.toml";
    for words in [
        "the smoke tests",
        "the tests on windows",
        "the tests for counter",
        "the build for arm64",
        "the tests in tests/test_nothing.py",
        "the slow tests",
        "the nightly build",
    ] {
        let files: Vec<&str> = words.split(' ').filter(|word| word.contains('/')).collect();
        let told = run(make, "/p", words, &files);
        assert!(told.starts_with("? ") && told.contains("nothing is proposed"), "{words}: {told}");
    }
    for (words, expected) in [
        ("the unit tests", "make test"),
        ("build in release mode", "cargo build --release"),
        ("the program on src/a.txt", "cargo run -- src/a.txt"),
        ("the program with arguments find 123", "cargo run -- find 123"),
        ("the program in release mode with src/a.txt", "cargo run --release -- src/a.txt"),
        ("install the program", "cargo fetch"),
        ("build the app", "make build"),
    ] {
        let files: Vec<&str> = words.split(' ').filter(|word| word.contains('/')).collect();
        let told = run(make, "/p", words, &files);
        assert!(told.starts_with(expected), "{words}: {told}");
    }
    let release = ("Makefile", "build:\n\tcargo build --release\n");
    assert_eq!(
        with_files("Makefile make-target=build Cargo.toml", "the build in release mode", &[release]),
        "make build"
    );
}

#[test]
fn just_is_a_word_where_it_has_no_recipes() {
    let of = |project: &str, cmd: &str| {
        let world = Project::of(project);
        let place = ScriptContext {
            cwd: "/p",
            world: &world,
            test_command: "",
            language: Language::English,
            project: &NO_FILES,
            part: None,
        };
        told(command(&IntentParams { cmd: Some(cmd.to_owned()), ..IntentParams::default() }, &place))
    };
    assert_eq!(of("pyproject.toml", "just test_negative"), "pytest -k test_negative");
    assert_eq!(of("justfile just-recipe=ci", "just ci"), "just ci");
    assert!(of("pyproject.toml", "just frob").starts_with("? "));
}

#[test]
fn the_tests_of_a_part_are_its_own() {
    let of = |project: &str, words: &str, part: Option<&str>| {
        let world = Project::of(project);
        let place = ScriptContext {
            cwd: "/p",
            world: &world,
            test_command: "",
            language: Language::English,
            project: &NO_FILES,
            part,
        };
        told(command(&IntentParams { query: Some(words.to_owned()), ..IntentParams::default() }, &place))
    };
    assert_eq!(
        of("go.mod", "tests for the parse package only", Some("internal/parse")),
        "go test ./internal/parse/..."
    );
    assert_eq!(of("Cargo.toml", "tests for counter", Some("src/counter.rs")), "cargo test counter");
    assert_eq!(of("pyproject.toml", "the tests of tax", Some("src/tax.py")), "pytest -k tax");
    assert!(of("go.mod", "tests for the parse package only", None).starts_with("? "));
    assert_eq!(part::named("run tests for the parse package only").as_deref(), Some("parse"));
    let paths = ["internal/parse/parse.go", "internal/parse/parse_test.go", "cmd/main.go"];
    assert_eq!(part::path("parse", paths.into_iter()).as_deref(), Some("internal/parse"));
    assert_eq!(part::path("nothing", paths.into_iter()), None);
}

#[test]
fn another_order_is_not_to_run_what_it_names() {
    let make = "Makefile make-target=test,build,serve,deploy,stop Cargo.toml";
    for words in [
        "kill the server",
        "delete the build",
        "cancel the deploy",
        "commit the build",
        "tag the build",
        "rename the tests",
        "disable the tests",
    ] {
        assert!(run(make, "/p", words, &[]).starts_with("? "), "{words}: {}", run(make, "/p", words, &[]));
    }
    assert_eq!(run(make, "/p", "stop the server", &[]), "make stop");
}

#[test]
fn what_is_not_installed_is_not_proposed() {
    assert_eq!(run("build.sbt", "/p", "the tests", &[]), "sbt test");
    let told = run("composer.json package.json", "/p", "the dependencies", &[]);
    assert!(told.contains("not installed: `composer`"), "{told}");
    let told = run("phpunit.xml composer.json", "/p", "the dependencies", &[]);
    assert!(told.starts_with("? What would run `the dependencies` here is not installed: `composer`"), "{told}");
}

/// The command in a project with these files, where their texts matter.
fn run_with(project: &str, files: &[(&str, &str)], part: Option<&str>, words: &str) -> String {
    let world = Project::of(project);
    let files = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    let project = crate::run::project::Project { files };
    let place = ScriptContext {
        cwd: "/p",
        world: &world,
        test_command: "",
        language: Language::English,
        project: &project,
        part,
    };
    let written = Some(Box::new(UnparsedCommand::Rest(words.to_owned())));
    told(command(&IntentParams { query: Some(words.to_owned()), written, ..IntentParams::default() }, &place))
}

#[test]
fn what_a_project_configures_comes_before_what_is_usual() {
    let django = "manage.py pyproject.toml docker-compose.yml";
    let pytest = [("pyproject.toml", "[tool.pytest.ini_options]\n")];
    assert_eq!(run_with(django, &pytest, None, "the tests"), "pytest");
    assert_eq!(run_with(django, &[("README.md", "# x\n\n    pytest\n")], None, "the tests"), "pytest");
    let ci = [(".github/workflows/ci.yml", "    steps:\n      - run: pytest -q\n")];
    assert_eq!(run_with(django, &ci, None, "the tests"), "pytest");
    assert_eq!(run_with(django, &[], None, "the tests"), "python manage.py test");
    // A server of the project comes before its containers, on the port of the README.
    assert_eq!(run_with(django, &[], None, "the dev server"), "python manage.py runserver");
    let readme = [("README.md", "# x\n\n## Run\n\n    python manage.py runserver 9005\n")];
    assert_eq!(run_with(django, &readme, None, "the dev server"), "python manage.py runserver 9005");
    assert_eq!(run_with(django, &pytest, Some("till/tests/test_coins.py"), "the coin tests"), "pytest -k test_coins");
}

#[test]
fn the_package_manager_and_the_members_are_those_of_the_workspace() {
    let root = "{\"name\": \"atlas\", \"packageManager\": \"yarn@4.1.0\"}";
    let api = "{\"name\": \"@atlas/api\", \"scripts\": {\"dev\": \"tsx watch src/main.ts\", \"start\": \"node out/main.js\"}}";
    let files = [("package.json", root), ("libs/api/package.json", api), ("README.md", "It listens on `PORT`.\n")];
    let here = "package.json npm-script=build,lint";
    let yarn = |words: &str| run_with(here, &files, None, words);
    assert_eq!(yarn("the dependencies"), "yarn install");
    assert_eq!(yarn("the build"), "yarn run build");
    assert_eq!(yarn("the api server"), "yarn workspace @atlas/api dev");
    assert_eq!(yarn("the server in watch mode"), "yarn workspace @atlas/api dev");
    assert_eq!(yarn("the server on port 7000"), "PORT=7000 yarn workspace @atlas/api dev");
    assert_eq!(run_with("package.json pnpm-workspace.yaml", &[], None, "the dependencies"), "pnpm install");
}

#[test]
fn a_missing_program_is_named_and_a_build_file_is_not_denied() {
    let files = [("package.json", "{\"packageManager\": \"bun@1.0.0\"}")];
    assert_eq!(run_with("package.json npm-script=lint", &files, None, "lint"), "bun run lint");
    let told = run_with("meson.build", &[("CMakeLists.txt", "project(x)\n")], None, "frobnication of the gears");
    assert!(!told.contains("no Makefile"), "{told}");
    let told = run_with("Cargo.toml", &[], None, "the docker image");
    assert!(!told.starts_with("cargo"), "{told}");
    assert_eq!(run_with("Cargo.toml Dockerfile", &[], None, "build the docker image"), "docker build .");
    assert_eq!(
        part::path("coin", ["till/coin.py", "till/tests/test_coins.py"].into_iter()).as_deref(),
        Some("till/coin.py")
    );
    assert_eq!(
        part::path("purse", ["a/purse.ts", "b/purse.ts", "b/purse.test.ts"].into_iter()).as_deref(),
        Some("b/purse.test.ts")
    );
}

#[test]
fn a_program_that_the_project_makes_is_started_by_its_name() {
    let python = [("pyproject.toml", "[project]\nname = \"desk\"\n[project.scripts]\nledger = \"desk.cli:main\"\n")];
    let told = run_with("pyproject.toml", &python, None, "ledger");
    assert!(
        told.starts_with("? `ledger` is a program of this project (`pyproject.toml`) and is not installed"),
        "{told}"
    );
    let local = "pyproject.toml .venv/ .venv/bin/ .venv/bin/ledger*";
    assert_eq!(run_with(local, &python, None, "start ledger"), ".venv/bin/ledger");
    assert_eq!(run_with("pyproject.toml uv.lock", &python, None, "ledger"), "uv run ledger");
    // The project as a whole is started by its own target.
    assert_eq!(run_with("pyproject.toml Makefile make-target=run,test", &python, None, "start desk"), "make run");
    let go = [("go.mod", "module example.com/mill\n")];
    assert_eq!(run_with("go.mod cmd/ cmd/millctl/", &go, None, "millctl"), "go run ./cmd/millctl");
    let cmake = [("CMakeLists.txt", "add_executable(rotor src/rotor.c)\n")];
    assert_eq!(run_with("CMakeLists.txt build/ build/rotor*", &cmake, None, "run rotor"), "./build/rotor");
    let node = [("package.json", "{\"name\": \"hull\", \"bin\": {\"keel\": \"./bin/keel.js\"}}")];
    assert_eq!(run_with("package.json bin/ bin/keel.js", &node, None, "keel"), "node bin/keel.js");
    // A name from a file of the project is never more than a name.
    let hostile = [("CMakeLists.txt", "add_executable(a;reboot x.c)\n")];
    assert!(run_with("CMakeLists.txt", &hostile, None, "a;reboot").starts_with("? "));
}

#[test]
fn variables_and_modes_in_words_are_part_of_the_command() {
    let npm = "package.json npm-script=dev,test,typecheck";
    let scripts =
        [("package.json", "{\"scripts\": {\"dev\": \"vite\", \"test\": \"vitest run\", \"typecheck\": \"tsc\"}}")];
    let of = |words: &str| run_with(npm, &scripts, None, words);
    assert_eq!(of("npm run dev with PORT=5000"), "PORT=5000 npm run dev");
    assert_eq!(of("the tests with CI=1 and DEBUG=api"), "CI=1 DEBUG=api npm test");
    assert_eq!(of("the type checker"), "npm run typecheck");
    assert!(of("the tests with care").starts_with("? "), "{}", of("the tests with care"));
    let cmd = |text: &str| {
        let world = Project::of("CMakeLists.txt build/ build/CTestTestfile.cmake");
        let place = ScriptContext {
            cwd: "/p",
            world: &world,
            test_command: "",
            language: Language::English,
            project: &NO_FILES,
            part: None,
        };
        told(command(&IntentParams { cmd: Some(text.to_owned()), ..IntentParams::default() }, &place))
    };
    assert_eq!(cmd("ctest"), "ctest --test-dir build");
    assert_eq!(cmd("ctest -j4 --output-on-failure"), "ctest --test-dir build -j4 --output-on-failure");
    assert_eq!(cmd("ctest --test-dir out"), "ctest --test-dir out");
    assert_eq!(cmd("ctest && true"), "ctest && true");
}
