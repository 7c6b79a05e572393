//! Lists what a project can run: the targets of its own files, its scripts, and its tools' usual commands.

use std::sync::{Arc, LazyLock};

use crate::project::goal::{GOALS, LIST};
use crate::project::toml_lists;
use crate::world::{DirEntry, Fact, FileKind, LiveItem, LiveKind, World};

/// Parent directories that are searched.
const MAX_UP: usize = 12;

pub struct ProjectTarget {
    /// The target, or the script without its extension.
    pub name: String,
    pub cmd: String,
    pub directory: String,
    pub origin: TargetOrigin,
    /// The project's description of it.
    pub about: String,
    pub why: TargetReason,
}

/// Why it is offered. The strings are paths and names of the project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TargetReason {
    /// A recipe of the justfile, a target of the Makefile, a script of package.json.
    Recipe(String),
    MakeTarget(String),
    NpmScript(String),
    /// package.json lists what to install.
    Installs,
    /// package.json names this package.
    Package(String),
    /// A script in the project.
    Script(String),
    /// The usual command for a directory with this file.
    Usual(String),
    /// A test, a program or a package that Cargo knows.
    Cargo(String),
    /// A file that the request names.
    Named(String),
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum TargetOrigin {
    /// A file that the request names.
    File,
    Target,
    Script,
    /// The usual command of a goal, by the goal's name.
    Usual(&'static str),
}

struct Tool {
    name: String,
    files: Vec<String>,
    wrapper: Option<String>,
    /// The goal, and its command.
    commands: Vec<(&'static str, String)>,
}

struct Through {
    file: String,
    tools: Vec<String>,
    prefix: String,
}

static TOOLS: LazyLock<Vec<Tool>> = LazyLock::new(|| {
    toml_lists::tables(LIST, "tool", |table| {
        let command = |goal: &'static str| Some((goal, toml_lists::text(table, goal)?));
        Some(Tool {
            name: toml_lists::text(table, "name")?,
            files: toml_lists::texts(table, "files"),
            wrapper: toml_lists::text(table, "wrapper"),
            commands: GOALS.iter().filter_map(|goal| command(&goal.name)).collect(),
        })
    })
});

struct Package {
    name: String,
    /// The goal, and its command.
    commands: Vec<(&'static str, String)>,
}

static PACKAGES: LazyLock<Vec<Package>> = LazyLock::new(|| {
    toml_lists::tables(LIST, "package", |table| {
        let command = |goal: &'static str| Some((goal, toml_lists::text(table, goal)?));
        let commands = GOALS.iter().filter_map(|goal| command(&goal.name)).collect();
        Some(Package { name: toml_lists::text(table, "name")?, commands })
    })
});

/// What can be run because package.json names it.
pub fn of_packages(names: &[String], directory: &str) -> Vec<ProjectTarget> {
    let named = PACKAGES.iter().filter(|package| names.contains(&package.name));
    let offers = named.flat_map(|package| {
        let why = || TargetReason::Package(package.name.clone());
        package.commands.iter().map(move |(goal, command)| usual(goal, command, directory, why()))
    });
    offers.collect()
}

static THROUGH: LazyLock<Vec<Through>> = LazyLock::new(|| {
    toml_lists::tables(LIST, "through", |table| {
        Some(Through {
            file: toml_lists::text(table, "file")?,
            tools: toml_lists::texts(table, "tools"),
            prefix: toml_lists::text(table, "prefix")?,
        })
    })
});

/// From the current directory up to the root of the repository, the nearest first.
pub fn project_targets(cwd: &str, world: &dyn World, files: &[String]) -> Fact<Vec<ProjectTarget>> {
    let root = world.repository(cwd);
    if root == Fact::NotYet {
        return Fact::NotYet;
    }
    let root = root.yes();
    let mut all = Vec::new();
    for file in files {
        match named(file, cwd, world) {
            Fact::Yes(offer) => all.push(offer),
            Fact::No => {}
            Fact::NotYet => return Fact::NotYet,
        }
    }
    let mut directory = cwd;
    for _ in 0..MAX_UP {
        match of_directory(directory, world) {
            Fact::Yes(offers) => all.extend(offers),
            Fact::No => {}
            Fact::NotYet => return Fact::NotYet,
        }
        // Outside of a repository the end of the project is unknown.
        if root.as_deref().is_none_or(|root| root == directory) {
            break;
        }
        let Some((above, _)) = directory.rsplit_once('/').filter(|(above, _)| !above.is_empty()) else { break };
        directory = above;
    }
    Fact::Yes(all)
}

/// Makes the reason for a name.
type Named = fn(String) -> TargetReason;

fn of_directory(directory: &str, world: &dyn World) -> Fact<Vec<ProjectTarget>> {
    let entries = match world.entries(directory) {
        Fact::Yes(entries) => entries,
        Fact::No => return Fact::No,
        Fact::NotYet => return Fact::NotYet,
    };
    let has = |name: &str| entries.iter().any(|entry| &*entry.name == name);
    let mut all = Vec::new();
    let npm = node(&has);
    let just = has("justfile") || has("Justfile") || has(".justfile");
    let make = has("Makefile") || has("makefile") || has("GNUmakefile");
    let sources: [(bool, LiveKind, &str, Named); 3] = [
        (just, LiveKind::JustRecipe, "just", TargetReason::Recipe),
        (make, LiveKind::MakeTarget, "make", TargetReason::MakeTarget),
        (has("package.json"), LiveKind::NpmScript, npm, TargetReason::NpmScript),
    ];
    for (there, live, program, why) in sources {
        if !there {
            continue;
        }
        match world.live(live, directory) {
            Fact::NotYet => return Fact::NotYet,
            Fact::No => {}
            Fact::Yes(items) => {
                let items = items.iter().filter(|item| is_plain(&item.name));
                all.extend(items.map(|item| target(item, program, why, directory)));
            }
        }
    }
    if has("package.json") {
        all.push(usual(
            "install",
            &format!("{} install", npm.trim_end_matches(" run")),
            directory,
            TargetReason::Installs,
        ));
    }
    match scripts(directory, &entries, world) {
        Fact::Yes(scripts) => all.extend(scripts),
        Fact::No => {}
        Fact::NotYet => return Fact::NotYet,
    }
    for tool in TOOLS.iter() {
        let file = tool.files.iter().find_map(|file| entries.iter().find(|entry| is_called(&entry.name, file)));
        if let Some(file) = file {
            all.extend(of_tool(tool, &file.name, &has, directory));
        }
    }
    if has("Cargo.toml") {
        match cargo(directory, world) {
            Fact::Yes(offers) => all.extend(offers),
            Fact::No => {}
            Fact::NotYet => return Fact::NotYet,
        }
    }
    Fact::Yes(all)
}

fn is_called(name: &str, file: &str) -> bool {
    match file.strip_prefix('*') {
        Some(ending) => name.len() > ending.len() && name.ends_with(ending),
        None => name == file,
    }
}

fn target(item: &LiveItem, program: &str, why: Named, directory: &str) -> ProjectTarget {
    let name = &item.name;
    // npm has a short form for this one.
    let cmd =
        if program == "npm run" && &**name == "test" { "npm test".to_owned() } else { format!("{program} {name}") };
    ProjectTarget {
        name: name.to_string(),
        cmd,
        directory: directory.to_owned(),
        origin: TargetOrigin::Target,
        about: item.about.to_string(),
        why: why(name.to_string()),
    }
}

fn usual(goal: &'static str, cmd: &str, directory: &str, why: TargetReason) -> ProjectTarget {
    ProjectTarget {
        name: goal.to_owned(),
        cmd: cmd.to_owned(),
        directory: directory.to_owned(),
        origin: TargetOrigin::Usual(goal),
        about: String::new(),
        why,
    }
}

fn of_tool(tool: &Tool, file: &str, has: &impl Fn(&str) -> bool, directory: &str) -> Vec<ProjectTarget> {
    let through = THROUGH.iter().find(|through| has(&through.file) && through.tools.contains(&tool.name));
    let offer = |(goal, command): &(&'static str, String)| {
        let mut command = command.clone();
        if let Some(wrapper) = tool.wrapper.as_deref().filter(|wrapper| has(wrapper)) {
            let rest = command.split_once(' ').map_or("", |(_, rest)| rest).to_owned();
            command = format!("./{wrapper} {rest}");
        }
        if let Some(through) = through {
            command = format!("{} {command}", through.prefix);
        }
        usual(goal, &command, directory, TargetReason::Usual(file.to_owned()))
    };
    tool.commands.iter().map(offer).collect()
}

/// The runner of package.json scripts, by the lock file.
fn node(has: &impl Fn(&str) -> bool) -> &'static str {
    let locks = [
        ("pnpm-lock.yaml", "pnpm run"),
        ("pnpm-workspace.yaml", "pnpm run"),
        ("yarn.lock", "yarn run"),
        ("bun.lockb", "bun run"),
        ("bun.lock", "bun run"),
    ];
    locks.iter().find(|(lock, _)| has(lock)).map_or("npm run", |(_, program)| program)
}

/// Tests, programs and packages of a workspace by their names.
fn cargo(directory: &str, world: &dyn World) -> Fact<Vec<ProjectTarget>> {
    let kinds = [
        (LiveKind::CargoTest, "test --test", "test"),
        (LiveKind::CargoBin, "run --bin", "start"),
        (LiveKind::CargoExample, "run --example", "example"),
        (LiveKind::CargoPackage, "test -p", "test"),
    ];
    let mut all = Vec::new();
    for (live, with, word) in kinds {
        match world.live(live, directory) {
            Fact::NotYet => return Fact::NotYet,
            Fact::No => {}
            // With a single package, all tests are its tests.
            Fact::Yes(items) if live == LiveKind::CargoPackage && items.len() < 2 => {}
            Fact::Yes(items) => {
                all.extend(items.iter().filter(|item| is_plain(&item.name)).map(|item| ProjectTarget {
                    name: format!("{word} {}", item.name),
                    cmd: format!("cargo {with} {}", item.name),
                    directory: directory.to_owned(),
                    origin: TargetOrigin::Script,
                    about: item.about.to_string(),
                    why: TargetReason::Cargo(item.name.to_string()),
                }))
            }
        }
    }
    Fact::Yes(all)
}

/// Scripts in the directory, and in its usual script directories.
fn scripts(directory: &str, entries: &Arc<[DirEntry]>, world: &dyn World) -> Fact<Vec<ProjectTarget>> {
    // `/bin` and `~/bin` hold programs, none of which is a project's script.
    if directory == "/" || directory == world.home() {
        return Fact::No;
    }
    let mut all: Vec<ProjectTarget> = entries.iter().filter_map(|entry| script("", entry, directory)).collect();
    for below in ["scripts", "script", "bin", "tools", "ci", "hack"] {
        if !entries.iter().any(|entry| &*entry.name == below && entry.kind == FileKind::Directory) {
            continue;
        }
        match world.entries(&format!("{}/{below}", directory.trim_end_matches('/'))) {
            Fact::Yes(entries) => {
                all.extend(entries.iter().filter_map(|entry| script(&format!("{below}/"), entry, directory)));
            }
            Fact::No => {}
            Fact::NotYet => return Fact::NotYet,
        }
    }
    Fact::Yes(all)
}

fn script(below: &str, entry: &DirEntry, directory: &str) -> Option<ProjectTarget> {
    let ending = entry.name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let is_script = match entry.kind {
        FileKind::Program => !["gradlew", "mvnw"].contains(&&*entry.name),
        FileKind::File => matches!(ending, "sh" | "bash"),
        FileKind::Directory | FileKind::Other => false,
    };
    let path = format!("{below}{}", entry.name);
    let cmd = called(&path, entry.kind)?;
    is_script.then(|| ProjectTarget {
        name: entry.name.split('.').next().unwrap_or_default().to_owned(),
        cmd,
        directory: directory.to_owned(),
        origin: TargetOrigin::Script,
        about: String::new(),
        why: TargetReason::Script(path),
    })
}

/// Whether a name needs no quotes in a shell. A project must not be able to name a target `test; rm -rf .`.
fn is_plain(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with('-')
        && name.chars().all(|letter| letter.is_alphanumeric() || "./_-+@:".contains(letter))
}

/// How to run a file: directly if it is executable, else by its interpreter. `None` when its name would need quotes.
fn called(path: &str, kind: FileKind) -> Option<String> {
    if !is_plain(path) {
        return None;
    }
    if kind == FileKind::Program {
        return Some(if path.starts_with(['/', '.']) { path.to_owned() } else { format!("./{path}") });
    }
    let reader = match path.rsplit_once('.')?.1 {
        "sh" | "bash" => "bash",
        "zsh" => "zsh",
        "fish" => "fish",
        "py" => "python3",
        "js" | "mjs" | "cjs" => "node",
        "ts" => "npx tsx",
        "rb" => "ruby",
        "pl" => "perl",
        "php" => "php",
        "lua" => "lua",
        "go" => "go run",
        _ => return None,
    };
    Some(format!("{reader} {path}"))
}

/// A file that the request names. A test file is passed to the test runner.
fn named(file: &str, cwd: &str, world: &dyn World) -> Fact<ProjectTarget> {
    let whole = if file.starts_with('/') {
        file.to_owned()
    } else {
        format!("{}/{}", cwd.trim_end_matches('/'), file.trim_start_matches("./"))
    };
    let Some((directory, name)) = whole.rsplit_once('/') else { return Fact::No };
    let entries = match world.entries(if directory.is_empty() { "/" } else { directory }) {
        Fact::Yes(entries) => entries,
        Fact::No => return Fact::No,
        Fact::NotYet => return Fact::NotYet,
    };
    let Some(entry) = entries.iter().find(|entry| &*entry.name == name) else { return Fact::No };
    let path = file.trim_start_matches("./");
    let is_test =
        name.starts_with("test_") || name.contains("_test.") || name.contains(".test.") || name.contains(".spec.");
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let cmd = match ending {
        _ if called(&format!("x/{path}"), FileKind::Program).is_none() => None,
        "py" if is_test => Some(format!("pytest {path}")),
        "js" | "ts" | "jsx" | "tsx" if is_test => Some(format!("npm test -- {path}")),
        "go" if is_test => Some(format!("go test ./{}", path.rsplit_once('/').map_or("", |(below, _)| below))),
        _ => called(path, entry.kind),
    };
    let Some(cmd) = cmd else { return Fact::No };
    Fact::Yes(ProjectTarget {
        name: name.to_owned(),
        cmd,
        directory: cwd.to_owned(),
        origin: TargetOrigin::File,
        about: String::new(),
        why: TargetReason::Named(path.to_owned()),
    })
}
