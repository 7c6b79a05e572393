//! What a model is told about the place a command is for. Secrets are taken out of every piece, whoever collected it.

use std::collections::BTreeMap;

use crate::line::Dialect;
use crate::redact;
use crate::text;
use crate::translate::{Place, System, tools};
use crate::world::{Entry, Live};

/// More tell a model little and cost time.
pub const MAX_RECENT: usize = 20;
pub const MAX_FILES: usize = 40;
/// Characters of one command or name; what is longer is left out.
pub const MAX_ITEM: usize = 200;
/// Characters of a directory.
const MAX_PATH: usize = 400;

/// What is known around a wish.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    pub shell: String,
    /// With its version, as far as it is known: `Ubuntu 24.04`.
    pub os: String,
    pub system: System,
    /// Of those that a model may not take for granted, the ones on PATH, the most useful first.
    pub tools: Vec<String>,
    pub cwd: String,
    /// What the shell has activated: `VIRTUAL_ENV=/src/.venv`.
    pub environment: String,
    /// What is worked on here: `Rust (Cargo), Git`.
    pub project: String,
    /// Names in the directory.
    pub files: Vec<String>,
    /// The branch that is checked out.
    pub branch: String,
    /// Oldest first.
    pub recent: Vec<String>,
}

/// A file, and what its being there says.
const SIGNS: [(&str, &str); 27] = [
    ("Cargo.toml", "Rust (Cargo)"),
    ("pnpm-lock.yaml", "Node (pnpm)"),
    ("yarn.lock", "Node (Yarn)"),
    ("bun.lock", "Node (Bun)"),
    ("bun.lockb", "Node (Bun)"),
    ("package.json", "Node (npm)"),
    ("deno.json", "Deno"),
    ("uv.lock", "Python (uv)"),
    ("poetry.lock", "Python (Poetry)"),
    ("pyproject.toml", "Python"),
    ("requirements.txt", "Python (pip)"),
    ("setup.py", "Python"),
    ("go.mod", "Go"),
    ("pom.xml", "Java (Maven)"),
    ("build.gradle", "Java (Gradle)"),
    ("build.gradle.kts", "Kotlin (Gradle)"),
    ("Gemfile", "Ruby (Bundler)"),
    ("composer.json", "PHP (Composer)"),
    ("mix.exs", "Elixir (Mix)"),
    ("CMakeLists.txt", "C or C++ (CMake)"),
    ("flake.nix", "Nix"),
    ("main.tf", "Terraform"),
    ("compose.yaml", "Docker Compose"),
    ("docker-compose.yml", "Docker Compose"),
    ("Dockerfile", "Docker"),
    ("justfile", "Just"),
    ("Makefile", "Make"),
];

impl Facts {
    /// From what the machine knows by now; what it has to find out first is left out. The recent commands come oldest
    /// first.
    pub fn of(place: &Place<'_>, os: &str, recent: &[String]) -> Self {
        let programs = place.world.programs().yes();
        let project = project(place);
        let entries = place.world.entries(place.cwd).yes();
        let shown = entries.iter().flat_map(|entries| entries.iter()).filter(|entry| !entry.name.starts_with('.'));
        let branches = place.world.live(Live::GitBranch, place.cwd).yes();
        let current = branches.iter().flat_map(|items| items.iter()).find(|item| &*item.about == "current");
        Self {
            shell: shell(place.dialect).to_owned(),
            os: os.to_owned(),
            system: place.system,
            tools: tools::told(programs.as_deref().unwrap_or_default(), &project, recent, place.specs),
            cwd: place.cwd.to_owned(),
            environment: String::new(),
            project,
            files: shown.take(MAX_FILES).map(|entry| entry.name.to_string()).collect(),
            branch: current.map(|item| item.name.to_string()).unwrap_or_default(),
            recent: recent.get(recent.len().saturating_sub(MAX_RECENT)..).unwrap_or_default().to_vec(),
        }
    }

    /// Line by line; what changes least comes first, so that a server which remembers a beginning computes less.
    pub fn told(&self) -> String {
        let Facts { shell, os, system, tools, cwd, environment, project, files, branch, recent } = self;
        let mut told = String::new();
        let mut part = |title: &str, text: &str| {
            if !text.is_empty() {
                told.push_str(title);
                told.push_str(text);
                told.push('\n');
            }
        };
        part("Shell: ", &item(shell));
        part("System: ", &item(os));
        part("Tools follow: ", flavour(*system));
        part("Also installed: ", &listed(tools, tools::MAX_TOOLS));
        part("Working directory: ", &path(cwd));
        part("Environment: ", &item(environment));
        part("Project: ", &item(project));
        part("Git branch: ", &item(branch));
        part("Files here: ", &listed(files, MAX_FILES));
        let recent = recent.get(recent.len().saturating_sub(MAX_RECENT)..).unwrap_or_default();
        let recent: Vec<String> =
            recent.iter().map(|command| item(command)).filter(|command| !command.is_empty()).collect();
        part("Recent commands:\n", &recent.join("\n"));
        told
    }
}

/// Variables that say what is activated in a shell. Of the hints of a client only these are told, whatever else it gives.
const ACTIVATED: [&str; 3] = ["VIRTUAL_ENV", "CONDA_DEFAULT_ENV", "IN_NIX_SHELL"];

/// What a client hints that is activated, in words for a model.
pub fn activated(hints: &BTreeMap<String, String>) -> String {
    let told = ACTIVATED.iter().filter_map(|name| hints.get(*name).map(|value| format!("{name}={value}")));
    told.collect::<Vec<_>>().join(", ")
}

/// Where programs are looked for, as a client hints: in its PATH, and in its virtual environment first.
pub fn search_path(hints: &BTreeMap<String, String>, path: &str) -> String {
    let path = hints.get("PATH").filter(|path| !path.is_empty()).map_or(path, String::as_str);
    let Some(root) = hints.get("VIRTUAL_ENV").filter(|root| root.starts_with('/')) else { return path.to_owned() };
    let bin = format!("{}/bin", root.trim_end_matches('/'));
    if path.split(':').any(|directory| directory == bin) { path.to_owned() } else { format!("{bin}:{path}") }
}

fn shell(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Zsh => "zsh",
        Dialect::Bash => "bash",
        Dialect::Fish => "fish",
    }
}

fn flavour(system: System) -> &'static str {
    match system {
        System::Gnu => "GNU",
        System::Bsd => "BSD, as on macOS (sed -i takes a suffix, stat and date differ)",
        System::Busybox => "BusyBox (few flags)",
    }
}

/// What is worked on in this directory and in the repository around it.
pub fn project(place: &Place<'_>) -> String {
    let root = place.world.repository(place.cwd).yes();
    let here = place.world.entries(place.cwd).yes();
    let above = root.as_ref().filter(|root| ***root != *place.cwd).and_then(|root| place.world.entries(root).yes());
    let has = |entries: &[Entry], file: &str| entries.binary_search_by(|entry| (*entry.name).cmp(file)).is_ok();
    let mut kinds: Vec<&str> = Vec::new();
    for entries in here.iter().chain(&above) {
        for (_, kind) in SIGNS.iter().filter(|(file, _)| has(entries, file)) {
            // The first that speaks of a language says it best: a lock file before what it locks.
            let language = kind.split(' ').next().unwrap_or(kind);
            if !kinds.iter().any(|known| known.split(' ').next() == Some(language)) {
                kinds.push(kind);
            }
        }
    }
    if root.is_some() {
        kinds.push("Git");
    }
    kinds.join(", ")
}

/// Names, or nothing for one that is too long.
fn listed(names: &[String], most: usize) -> String {
    let names = names.iter().map(|name| item(name)).filter(|name| !name.is_empty()).take(most);
    names.collect::<Vec<_>>().join(", ")
}

/// One line without secrets; nothing when it is too long to say much.
pub fn item(text: &str) -> String {
    if text.chars().nth(MAX_ITEM).is_some() { String::new() } else { one_line(text) }
}

fn path(text: &str) -> String {
    if text.chars().nth(MAX_PATH).is_some() { String::new() } else { one_line(text) }
}

/// Cleaned first: a secret with an invisible letter in it is one all the same.
pub fn one_line(text: &str) -> String {
    let clean = text::clean(text);
    redact::redact(clean.trim()).replace('\n', "\\n").replace('\t', " ")
}
