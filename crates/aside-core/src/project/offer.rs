//! Lists what a project can run: the targets of its own files, its scripts, and its tools' usual commands.

use std::sync::{Arc, LazyLock};

use crate::project::goal::{GOALS, LIST};
use crate::project::tables;
use crate::world::{Entry, Item, Kind, Known, Live, World};

/// Parent directories that are searched.
const MAX_UP: usize = 12;

pub struct Offer {
    /// The target, or the script without its extension.
    pub name: String,
    pub cmd: String,
    pub directory: String,
    pub origin: Origin,
    /// The project's description of it.
    pub about: String,
    pub why: Why,
}

/// Why it is offered. The strings are paths and names of the project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
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
pub enum Origin {
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
    tables::tables(LIST, "tool", |table| {
        let command = |goal: &'static str| Some((goal, tables::text(table, goal)?));
        Some(Tool {
            name: tables::text(table, "name")?,
            files: tables::texts(table, "files"),
            wrapper: tables::text(table, "wrapper"),
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
    tables::tables(LIST, "package", |table| {
        let command = |goal: &'static str| Some((goal, tables::text(table, goal)?));
        let commands = GOALS.iter().filter_map(|goal| command(&goal.name)).collect();
        Some(Package { name: tables::text(table, "name")?, commands })
    })
});

/// What can be run because package.json names it.
pub fn of_packages(names: &[String], directory: &str) -> Vec<Offer> {
    let named = PACKAGES.iter().filter(|package| names.contains(&package.name));
    let offers = named.flat_map(|package| {
        let why = || Why::Package(package.name.clone());
        package.commands.iter().map(move |(goal, command)| usual(goal, command, directory, why()))
    });
    offers.collect()
}

static THROUGH: LazyLock<Vec<Through>> = LazyLock::new(|| {
    tables::tables(LIST, "through", |table| {
        Some(Through {
            file: tables::text(table, "file")?,
            tools: tables::texts(table, "tools"),
            prefix: tables::text(table, "prefix")?,
        })
    })
});

/// From the current directory up to the root of the repository, the nearest first.
pub fn offers(cwd: &str, world: &dyn World, files: &[String]) -> Known<Vec<Offer>> {
    let root = world.repository(cwd);
    if root == Known::NotYet {
        return Known::NotYet;
    }
    let root = root.yes();
    let mut all = Vec::new();
    for file in files {
        match named(file, cwd, world) {
            Known::Yes(offer) => all.push(offer),
            Known::No => {}
            Known::NotYet => return Known::NotYet,
        }
    }
    let mut directory = cwd;
    for _ in 0..MAX_UP {
        match of_directory(directory, world) {
            Known::Yes(offers) => all.extend(offers),
            Known::No => {}
            Known::NotYet => return Known::NotYet,
        }
        // Outside of a repository the end of the project is unknown.
        if root.as_deref().is_none_or(|root| root == directory) {
            break;
        }
        let Some((above, _)) = directory.rsplit_once('/').filter(|(above, _)| !above.is_empty()) else { break };
        directory = above;
    }
    Known::Yes(all)
}

/// Makes the reason for a name.
type Named = fn(String) -> Why;

fn of_directory(directory: &str, world: &dyn World) -> Known<Vec<Offer>> {
    let entries = match world.entries(directory) {
        Known::Yes(entries) => entries,
        Known::No => return Known::No,
        Known::NotYet => return Known::NotYet,
    };
    let has = |name: &str| entries.iter().any(|entry| &*entry.name == name);
    let mut all = Vec::new();
    let npm = node(&has);
    let just = has("justfile") || has("Justfile") || has(".justfile");
    let make = has("Makefile") || has("makefile") || has("GNUmakefile");
    let sources: [(bool, Live, &str, Named); 3] = [
        (just, Live::JustRecipe, "just", Why::Recipe),
        (make, Live::MakeTarget, "make", Why::MakeTarget),
        (has("package.json"), Live::NpmScript, npm, Why::NpmScript),
    ];
    for (there, live, program, why) in sources {
        if !there {
            continue;
        }
        match world.live(live, directory) {
            Known::NotYet => return Known::NotYet,
            Known::No => {}
            Known::Yes(items) => {
                let items = items.iter().filter(|item| is_plain(&item.name));
                all.extend(items.map(|item| target(item, program, why, directory)));
            }
        }
    }
    if has("package.json") {
        all.push(usual("install", &format!("{} install", npm.trim_end_matches(" run")), directory, Why::Installs));
    }
    match scripts(directory, &entries, world) {
        Known::Yes(scripts) => all.extend(scripts),
        Known::No => {}
        Known::NotYet => return Known::NotYet,
    }
    for tool in TOOLS.iter() {
        let file = tool.files.iter().find_map(|file| entries.iter().find(|entry| is_called(&entry.name, file)));
        if let Some(file) = file {
            all.extend(of_tool(tool, &file.name, &has, directory));
        }
    }
    if has("Cargo.toml") {
        match cargo(directory, world) {
            Known::Yes(offers) => all.extend(offers),
            Known::No => {}
            Known::NotYet => return Known::NotYet,
        }
    }
    Known::Yes(all)
}

fn is_called(name: &str, file: &str) -> bool {
    match file.strip_prefix('*') {
        Some(ending) => name.len() > ending.len() && name.ends_with(ending),
        None => name == file,
    }
}

fn target(item: &Item, program: &str, why: Named, directory: &str) -> Offer {
    let name = &item.name;
    // npm has a short form for this one.
    let cmd =
        if program == "npm run" && &**name == "test" { "npm test".to_owned() } else { format!("{program} {name}") };
    Offer {
        name: name.to_string(),
        cmd,
        directory: directory.to_owned(),
        origin: Origin::Target,
        about: item.about.to_string(),
        why: why(name.to_string()),
    }
}

fn usual(goal: &'static str, cmd: &str, directory: &str, why: Why) -> Offer {
    Offer {
        name: goal.to_owned(),
        cmd: cmd.to_owned(),
        directory: directory.to_owned(),
        origin: Origin::Usual(goal),
        about: String::new(),
        why,
    }
}

fn of_tool(tool: &Tool, file: &str, has: &impl Fn(&str) -> bool, directory: &str) -> Vec<Offer> {
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
        usual(goal, &command, directory, Why::Usual(file.to_owned()))
    };
    tool.commands.iter().map(offer).collect()
}

/// The runner of package.json scripts, by the lock file.
fn node(has: &impl Fn(&str) -> bool) -> &'static str {
    let locks =
        [("pnpm-lock.yaml", "pnpm run"), ("yarn.lock", "yarn run"), ("bun.lockb", "bun run"), ("bun.lock", "bun run")];
    locks.iter().find(|(lock, _)| has(lock)).map_or("npm run", |(_, program)| program)
}

/// Tests, programs and packages of a workspace by their names.
fn cargo(directory: &str, world: &dyn World) -> Known<Vec<Offer>> {
    let kinds = [
        (Live::CargoTest, "test --test", "test"),
        (Live::CargoBin, "run --bin", "start"),
        (Live::CargoExample, "run --example", "example"),
        (Live::CargoPackage, "test -p", "test"),
    ];
    let mut all = Vec::new();
    for (live, with, word) in kinds {
        match world.live(live, directory) {
            Known::NotYet => return Known::NotYet,
            Known::No => {}
            // With a single package, all tests are its tests.
            Known::Yes(items) if live == Live::CargoPackage && items.len() < 2 => {}
            Known::Yes(items) => all.extend(items.iter().filter(|item| is_plain(&item.name)).map(|item| Offer {
                name: format!("{word} {}", item.name),
                cmd: format!("cargo {with} {}", item.name),
                directory: directory.to_owned(),
                origin: Origin::Script,
                about: item.about.to_string(),
                why: Why::Cargo(item.name.to_string()),
            })),
        }
    }
    Known::Yes(all)
}

/// Scripts in the directory, and in its usual script directories.
fn scripts(directory: &str, entries: &Arc<[Entry]>, world: &dyn World) -> Known<Vec<Offer>> {
    // `/bin` and `~/bin` hold programs, none of which is a project's script.
    if directory == "/" || directory == world.home() {
        return Known::No;
    }
    let mut all: Vec<Offer> = entries.iter().filter_map(|entry| script("", entry, directory)).collect();
    for below in ["scripts", "script", "bin", "tools", "ci", "hack"] {
        if !entries.iter().any(|entry| &*entry.name == below && entry.kind == Kind::Directory) {
            continue;
        }
        match world.entries(&format!("{}/{below}", directory.trim_end_matches('/'))) {
            Known::Yes(entries) => {
                all.extend(entries.iter().filter_map(|entry| script(&format!("{below}/"), entry, directory)));
            }
            Known::No => {}
            Known::NotYet => return Known::NotYet,
        }
    }
    Known::Yes(all)
}

fn script(below: &str, entry: &Entry, directory: &str) -> Option<Offer> {
    let ending = entry.name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let is_script = match entry.kind {
        Kind::Program => !["gradlew", "mvnw"].contains(&&*entry.name),
        Kind::File => matches!(ending, "sh" | "bash"),
        Kind::Directory | Kind::Other => false,
    };
    let path = format!("{below}{}", entry.name);
    let cmd = called(&path, entry.kind)?;
    is_script.then(|| Offer {
        name: entry.name.split('.').next().unwrap_or_default().to_owned(),
        cmd,
        directory: directory.to_owned(),
        origin: Origin::Script,
        about: String::new(),
        why: Why::Script(path),
    })
}

/// Whether a name needs no quotes in a shell. A project must not be able to name a target `test; rm -rf .`.
fn is_plain(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with('-')
        && name.chars().all(|letter| letter.is_alphanumeric() || "./_-+@:".contains(letter))
}

/// How to run a file: directly if it is executable, else by its interpreter. `None` when its name would need quotes.
fn called(path: &str, kind: Kind) -> Option<String> {
    if !is_plain(path) {
        return None;
    }
    if kind == Kind::Program {
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
fn named(file: &str, cwd: &str, world: &dyn World) -> Known<Offer> {
    let whole = if file.starts_with('/') {
        file.to_owned()
    } else {
        format!("{}/{}", cwd.trim_end_matches('/'), file.trim_start_matches("./"))
    };
    let Some((directory, name)) = whole.rsplit_once('/') else { return Known::No };
    let entries = match world.entries(if directory.is_empty() { "/" } else { directory }) {
        Known::Yes(entries) => entries,
        Known::No => return Known::No,
        Known::NotYet => return Known::NotYet,
    };
    let Some(entry) = entries.iter().find(|entry| &*entry.name == name) else { return Known::No };
    let path = file.trim_start_matches("./");
    let is_test =
        name.starts_with("test_") || name.contains("_test.") || name.contains(".test.") || name.contains(".spec.");
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let cmd = match ending {
        _ if called(&format!("x/{path}"), Kind::Program).is_none() => None,
        "py" if is_test => Some(format!("pytest {path}")),
        "js" | "ts" | "jsx" | "tsx" if is_test => Some(format!("npm test -- {path}")),
        "go" if is_test => Some(format!("go test ./{}", path.rsplit_once('/').map_or("", |(below, _)| below))),
        _ => called(path, entry.kind),
    };
    let Some(cmd) = cmd else { return Known::No };
    Known::Yes(Offer {
        name: name.to_owned(),
        cmd,
        directory: cwd.to_owned(),
        origin: Origin::File,
        about: String::new(),
        why: Why::Named(path.to_owned()),
    })
}
