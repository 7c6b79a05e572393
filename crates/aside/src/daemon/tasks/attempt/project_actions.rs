//! Commands that the files of the project decide: what its tools do for the words of a request, a script with its arguments, one package, one
//! test by some words about it. Reads the files; runs nothing.

use std::sync::atomic::AtomicBool;

use aside_core::agent::language::Language;
use aside_task::route::intent::{IntentParams, TaskKind};
use aside_task::route::params::split_piped;
use aside_task::route::{Route, TaskScope};
use aside_task::run::context::Ignored;
use aside_task::run::exact_edit::{self, Edit};
use aside_task::run::facts::FactQuestion;
use aside_task::run::project::Project;
use aside_task::run::script::call::{self, ScriptFile};
use aside_task::run::script::loose_test::{self, FoundTest, LooseTest};
use aside_task::run::script::{cmake, member_goal};
use aside_task::run::{ModelNeed, RunnerOutcome, actions, code, compose, short, wording};

use crate::daemon::tasks::attempt::machine_facts::MachineFacts;
use crate::daemon::tasks::attempt::{Attempt, MAX_SAID, answer, blocking, project_answers};
use crate::workspace::Workspace;
use crate::workspace::read::read;
use crate::workspace::rooted_fs::Root;

/// Files of tests and of CMake that are read.
const MAX_FILES: usize = 2_000;
const SCRIPT_DIRECTORIES: [&str; 7] = ["", "scripts", "script", "bin", "tools", "ci", "hack"];

/// What the project has for a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ProjectCommand {
    /// The command, and what says that it is meant.
    One { cmd: String, sign: String, about: String },
    /// No command, and why.
    Told(String),
}

impl Attempt {
    /// A request that a formatter or a command of the project answers is routed as that, whatever its words are like.
    pub(super) async fn about_project(&self, mut route: Route) -> Route {
        let words = self.words();
        let is_how_to = matches!(self.fact_question(&route.intent.params), Some(FactQuestion::HowTo(_)));
        if route.held || is_how_to || split_piped(words).1.is_some() || words.contains('\n') {
            return route;
        }
        let english = wording::english(words);
        let files = route.intent.params.files.clone();
        let (kind, params) = match () {
            // "gofmt FILE" would only print it; a request about one file means to have it written.
            () if route.intent.kind != TaskKind::Change && exact_edit::formats(&english) => (
                TaskKind::Change,
                IntentParams { change_request: Some(words.to_owned()), files, ..IntentParams::default() },
            ),
            // "Create a migration called X", "configure without the tests": the tools of the project have a command for it.
            () if !matches!(route.intent.kind, TaskKind::Run | TaskKind::Status)
                && route.intent.params.cmd.is_none()
                && exact_edit::readings(&english).iter().all(Edit::is_guess)
                && matches!(
                    self.command_of_project(&IntentParams::default()).await,
                    Ok(Some(ProjectCommand::One { .. }))
                ) =>
            {
                (TaskKind::Run, IntentParams { query: Some(words.to_owned()), files, ..IntentParams::default() })
            }
            () => return route,
        };
        route.intent.summary = format!("{}: {}", kind.label(), short(words, MAX_SAID));
        route.intent.kind = kind;
        route.intent.params = params;
        route.scope = TaskScope::Full;
        route
    }

    /// The command of the project for the words, if its files have one.
    async fn command_of_project(&self, params: &IntentParams) -> Result<Option<ProjectCommand>, String> {
        let words = wording::english(self.words()).into_owned();
        if words.contains('\n') {
            return Ok(None);
        }
        // A command that is spelled out is meant as it is, unless it is a target that does not exist.
        let is_bare = |cmd: &str| {
            ["cmake", "golangci-lint"].contains(&cmd) || cmd.starts_with("make ") && actions::is_asked(&words)
        };
        if params.cmd.as_deref().is_some_and(|cmd| !is_bare(cmd)) {
            return Ok(None);
        }
        let (workspace, language) = (self.workspace.clone(), Language::of(self.words()));
        let look_up = || blocking(move |cancelled| found(&workspace, &words, language, cancelled));
        Ok(self.project_command.get_or_try_init(look_up).await?.clone())
    }

    /// The proposal for such a command.
    pub(super) async fn project_action(
        &self,
        params: &IntentParams,
        here: &MachineFacts,
    ) -> Result<Option<RunnerOutcome>, String> {
        let language = Language::of(self.words());
        let told = |text: String| {
            Some(answer(
                format!("{text}\n"),
                text.lines().next().unwrap_or_default().to_owned(),
                String::new(),
                ModelNeed::Unneeded,
            ))
        };
        Ok(match self.command_of_project(params).await? {
            None => None,
            Some(ProjectCommand::Told(text)) => told(text),
            Some(ProjectCommand::One { cmd, sign, about }) => {
                let reason = match language {
                    Language::English if about.is_empty() => {
                        format!("{} says that this is the command here.", code(&sign))
                    }
                    Language::English => format!("{} says that this is the command here. {about}", code(&sign)),
                    Language::Chinese => format!("根据 {}，这是这里对应的命令。", code(&sign)),
                };
                let spellings: Vec<String> = match cmd.strip_prefix("python ") {
                    Some(rest) => vec![cmd.clone(), format!("python3 {rest}")],
                    None => vec![cmd.clone()],
                };
                match here.runnable(&spellings).await {
                    Some(cmd) => {
                        let outcome = here.proposed(cmd, reason);
                        Some(RunnerOutcome { summary: wording::sentence(&outcome.summary, language), ..outcome })
                    }
                    None => {
                        let program = here
                            .missing_program(&cmd)
                            .await
                            .unwrap_or_else(|| cmd.split(' ').next().unwrap_or_default().to_owned());
                        told(match language {
                            Language::English => {
                                format!("{} is not installed; {} is the command for that.", code(&program), code(&cmd))
                            }
                            Language::Chinese => {
                                format!("{} 没有安装；这件事的命令是 {}。", code(&program), code(&cmd))
                            }
                        })
                    }
                }
            }
        })
    }
}

fn found(workspace: &Workspace, words: &str, language: Language, cancelled: &AtomicBool) -> Option<ProjectCommand> {
    // Commands run in the current directory; the files that decide are those of the root.
    if workspace.cwd() != workspace.root() {
        return None;
    }
    let project = workspace.project();
    let has = |name: &str| workspace.root().join(name).exists();
    let one = |cmd: String, sign: &str| Some(ProjectCommand::One { cmd, sign: sign.to_owned(), about: String::new() });
    if let Some(action) = actions::command(words, &project, &has) {
        return Some(ProjectCommand::One { cmd: action.cmd, sign: action.sign, about: action.about });
    }
    if ["log", "container", "service"].iter().any(|word| words.contains(word))
        && let Some((file, text)) = compose::FILES.iter().find_map(|file| Some((*file, text_of(workspace, file)?)))
        && let Some(cmd) = compose::command(words, &text)
    {
        return one(cmd, file);
    }
    if let Some(cmd) = script_with_words(workspace, words) {
        return one(cmd, "the script that you named");
    }
    if has("go.mod")
        && let Some(cmd) = go_program(workspace, words, &project)
    {
        return one(cmd, "cmd/");
    }
    if has("CMakeLists.txt")
        && let Some(cmd) = cmake::command(
            words,
            &texts(workspace, cancelled, &|path| path.ends_with("CMakeLists.txt"))
                .into_iter()
                .map(|(_, text)| text)
                .collect::<Vec<_>>(),
        )
    {
        return one(cmd, "CMakeLists.txt");
    }
    if let Some(path) = loose_test::asked_directory(words).filter(|path| workspace.root().join(path).is_dir()) {
        let cmd =
            loose_test::of_directory(&path, &texts(workspace, cancelled, &loose_test::is_test_file), &project, &has);
        if let Some(cmd) = cmd {
            return one(cmd, &path);
        }
    }
    let mut scripts = scripts(workspace);
    let commands =
        texts(workspace, cancelled, &|path| path.contains("/management/commands/") && !path.ends_with("__init__.py"));
    scripts.extend(commands.into_iter().map(|(path, text)| ScriptFile { path, text, is_executable: false }));
    if let Some(cmd) = call::command(words, &scripts, &project) {
        let sign = scripts.iter().find(|script| cmd.contains(&script.path)).map(|script| script.path.clone());
        let sign = sign.unwrap_or_else(|| if cmd.contains("manage.py") { "manage.py" } else { "Makefile" }.to_owned());
        return one(cmd, &sign);
    }
    let manifests: Vec<(String, String)> = project_answers::manifests(workspace, cancelled)
        .into_iter()
        .map(|manifest| (manifest.file, manifest.name))
        .collect();
    if let Some(cmd) = member_goal::command(words, &manifests, &has) {
        return one(cmd, "Cargo.toml");
    }
    loose(workspace, words, &project, &manifests, language, cancelled)
}

fn text_of(workspace: &Workspace, path: &str) -> Option<String> {
    let root = Root::open(workspace.root()).ok()?;
    String::from_utf8(read(&root, path).ok()?).ok()
}

/// "Run manage.py check": what stands behind a script is what it is given.
fn script_with_words(workspace: &Workspace, words: &str) -> Option<String> {
    let words: Vec<&str> =
        words.trim().trim_end_matches(['.', '!']).trim_end_matches(" please").split_whitespace().collect();
    let (script, arguments) = match words.as_slice() {
        ["run" | "execute", script, arguments @ ..] if !arguments.is_empty() => (*script, arguments),
        _ => return None,
    };
    let is_plain =
        |word: &&str| word.chars().all(|letter| letter.is_ascii_alphanumeric() || "./_-=:@".contains(letter));
    let prose = [
        "on", "with", "again", "please", "and", "in", "for", "only", "now", "using", "to", "the", "a", "but",
        "without", "if",
    ];
    let path = script.trim_start_matches("./");
    if !arguments.iter().all(is_plain)
        || arguments.iter().any(|word| prose.contains(word))
        || !is_plain(&path)
        || path.starts_with(['/', '-'])
        || path.contains("..")
    {
        return None;
    }
    let found = workspace.root().join(path);
    let reader = match path.rsplit_once('.')?.1 {
        "py" => "python ",
        "sh" | "bash" => "bash ",
        "js" | "mjs" => "node ",
        "rb" => "ruby ",
        _ => return None,
    };
    found.is_file().then(|| format!("{reader}{path} {}", arguments.join(" ")))
}

/// "Run the program", where the only program of a Go module is below `cmd`.
fn go_program(workspace: &Workspace, words: &str, project: &Project) -> Option<String> {
    let lower = words.to_lowercase();
    let asked = [
        "run the program",
        "run the app",
        "run it",
        "start the program",
        "start the app",
        "run the server",
        "start the server",
        "run the service",
        "start it",
    ];
    let has_target = project.text("Makefile").is_some_and(|text| {
        ["run:", "start:", "serve:", "dev:"].iter().any(|name| text.lines().any(|line| line.starts_with(name)))
    });
    if !asked.contains(&lower.trim_end_matches(['.', '!', '?']).trim_end_matches(" please"))
        || has_target
        || workspace.root().join("main.go").exists()
    {
        return None;
    }
    let mut below: Vec<String> = std::fs::read_dir(workspace.root().join("cmd"))
        .ok()?
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    let is_plain = |name: &String| name.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-".contains(letter));
    if below.len() == 1 { below.pop().filter(is_plain).map(|name| format!("go run ./cmd/{name}")) } else { None }
}

/// One test by some words about it.
fn loose(
    workspace: &Workspace,
    words: &str,
    project: &Project,
    manifests: &[(String, String)],
    language: Language,
    cancelled: &AtomicBool,
) -> Option<ProjectCommand> {
    let asked = loose_test::asked(words)?;
    // A target of the project that is called so comes first.
    let is_target = |name: &str| asked.iter().all(|word| name.to_lowercase().contains(word.as_str()));
    let scripts = project.all_scripts().into_iter().flat_map(|(_, scripts)| scripts).map(|(name, _)| name);
    let targets = project
        .text("Makefile")
        .unwrap_or_default()
        .lines()
        .filter_map(|line| line.split_once(':').map(|(name, _)| name.to_owned()));
    if scripts.chain(targets.filter(|name| !name.contains([' ', '\t', '.']))).any(|name| is_target(&name)) {
        return None;
    }
    let files = texts(workspace, cancelled, &loose_test::is_test_file);
    let has = |name: &str| workspace.root().join(name).exists();
    match loose_test::find(&asked, &files) {
        LooseTest::One(test) => {
            let cmd = loose_test::command(&test, project, &has, manifests)?;
            Some(ProjectCommand::One { cmd, sign: test.path, about: String::new() })
        }
        LooseTest::Below(path) => {
            let cmd = loose_test::of_directory(&path, &files, project, &has)?;
            Some(ProjectCommand::One { cmd, sign: path, about: String::new() })
        }
        LooseTest::Several(tests) => {
            let row = |test: &FoundTest| match loose_test::command(test, project, &has, manifests) {
                Some(cmd) => format!("- {}", code(&cmd)),
                None => format!("- {}", code(&test.path)),
            };
            let mut rows: Vec<String> = tests.iter().map(row).collect();
            rows.dedup();
            rows.truncate(loose_test::MAX_LISTED);
            let head = match language {
                Language::English => format!("{} tests have these words. Which one is meant?", tests.len()),
                Language::Chinese => format!("有 {} 个测试符合。指的是哪一个？", tests.len()),
            };
            Some(ProjectCommand::Told(format!("{head}\n\n{}", rows.join("\n"))))
        }
        // A plural may be a group that only the runner knows.
        LooseTest::None if files.is_empty() => None,
        LooseTest::None => {
            let said = code(words.trim_end_matches(['.', '!', '?']));
            Some(ProjectCommand::Told(match language {
                Language::English => format!("No test here has the words of {said}, so nothing is proposed."),
                Language::Chinese => format!("这里没有测试符合 {said}，所以没有提出命令。"),
            }))
        }
    }
}

/// The texts of the files that a path selects.
fn texts(workspace: &Workspace, cancelled: &AtomicBool, is_one: &dyn Fn(&str) -> bool) -> Vec<(String, String)> {
    let (Ok(root), Ok(tree)) = (Root::open(workspace.root()), workspace.tree(&[], cancelled)) else {
        return Vec::new();
    };
    let listed = tree.listed();
    let mut paths: Vec<&str> = listed
        .iter()
        .filter(|listed| listed.ignored == Ignored::No && is_one(listed.path))
        .map(|listed| listed.path)
        .take(MAX_FILES)
        .collect();
    paths.sort_by_key(|path| path.matches('/').count());
    let text = |path: &&str| Some(((*path).to_owned(), String::from_utf8(read(&root, path).ok()?).ok()?));
    paths.iter().filter_map(text).collect()
}

/// The scripts in the usual directories, with their texts.
fn scripts(workspace: &Workspace) -> Vec<ScriptFile> {
    let Ok(root) = Root::open(workspace.root()) else { return Vec::new() };
    let mut all = Vec::new();
    for directory in SCRIPT_DIRECTORIES {
        let Ok(entries) = std::fs::read_dir(workspace.root().join(directory)) else { continue };
        for entry in entries.flatten().take(MAX_FILES) {
            let Ok(name) = entry.file_name().into_string() else { continue };
            let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
            let is_script = ["sh", "bash", "py", "js", "mjs", "ts", "rb"].contains(&ending)
                && (!directory.is_empty() || ["sh", "bash"].contains(&ending));
            if !is_script || !entry.file_type().is_ok_and(|kind| kind.is_file()) {
                continue;
            }
            let path = if directory.is_empty() { name } else { format!("{directory}/{name}") };
            use std::os::unix::fs::PermissionsExt;
            let is_executable = entry.metadata().is_ok_and(|meta| meta.permissions().mode() & 0o111 != 0);
            if let Some(text) = read(&root, &path).ok().and_then(|bytes| String::from_utf8(bytes).ok()) {
                all.push(ScriptFile { path, text, is_executable });
            }
        }
    }
    all.sort_by(|one, other| one.path.cmp(&other.path));
    all
}
