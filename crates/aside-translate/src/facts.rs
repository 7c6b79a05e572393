//! What a model is told about the place a command is for. Redacts secrets from every item, no matter which caller
//! collected it.

use std::collections::BTreeMap;

use aside_commands::world::{DirEntry, LiveKind};
use aside_redact as redact;
use aside_text as text;
use shell_line::Dialect;

use crate::{ToolFlavor, TranslateContext, tools};

/// More items cost time and tell a model little.
pub const MAX_RECENT: usize = 20;
pub const MAX_FILES: usize = 40;
/// Characters of one command or name; longer items are dropped.
pub const MAX_ITEM: usize = 200;
/// Characters of a directory path.
const MAX_PATH: usize = 400;

/// The context that is sent with a query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PromptFacts {
    pub shell: String,
    /// With its version where it is known: `Ubuntu 24.04`.
    pub os: String,
    pub system: ToolFlavor,
    /// Programs on PATH that a model cannot take for granted, the most useful first.
    pub tools: Vec<String>,
    pub cwd: String,
    /// What is activated in the shell: `VIRTUAL_ENV=/src/.venv`.
    pub environment: String,
    /// Kind of project: `Rust (Cargo), Git`.
    pub project: String,
    /// Names in the directory.
    pub files: Vec<String>,
    /// The branch that is checked out.
    pub branch: String,
    /// Oldest first.
    pub recent: Vec<String>,
}

/// Marker files and the project kind that each implies.
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

impl PromptFacts {
    /// Collects what the world has cached and skips what would need a lookup first. `recent` is oldest first.
    pub fn of(place: &TranslateContext<'_>, os: &str, recent: &[String]) -> Self {
        let programs = place.world.programs().yes();
        let project = project(place);
        let entries = place.world.entries(place.cwd).yes();
        let shown = entries.iter().flat_map(|entries| entries.iter()).filter(|entry| !entry.name.starts_with('.'));
        let branches = place.world.live(LiveKind::GitBranch, place.cwd).yes();
        let current = branches.iter().flat_map(|items| items.iter()).find(|item| &*item.about == "current");
        Self {
            shell: shell(place.dialect).to_owned(),
            os: os.to_owned(),
            system: place.system,
            tools: tools::listed_tools(programs.as_deref().unwrap_or_default(), &project, recent, place.specs),
            cwd: place.cwd.to_owned(),
            environment: String::new(),
            project,
            files: shown.take(MAX_FILES).map(|entry| entry.name.to_string()).collect(),
            branch: current.map(|item| item.name.to_string()).unwrap_or_default(),
            recent: recent.get(recent.len().saturating_sub(MAX_RECENT)..).unwrap_or_default().to_vec(),
        }
    }

    /// The facts line by line. What changes least comes first, so that a server's prompt cache reuses the longest
    /// prefix.
    pub fn told(&self) -> String {
        let PromptFacts { shell, os, system, tools, cwd, environment, project, files, branch, recent } = self;
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

/// Environment variables that name what is activated in a shell. Only these of a client's hints reach a model.
const ACTIVATED: [&str; 3] = ["VIRTUAL_ENV", "CONDA_DEFAULT_ENV", "IN_NIX_SHELL"];

/// The activated environments among a client's hints, worded for a model.
pub fn activated(hints: &BTreeMap<String, String>) -> String {
    let told = ACTIVATED.iter().filter_map(|name| hints.get(*name).map(|value| format!("{name}={value}")));
    told.collect::<Vec<_>>().join(", ")
}

/// The search path for programs: the client's virtual environment first, then the PATH it hints, with `path` as the
/// fallback.
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

fn flavour(system: ToolFlavor) -> &'static str {
    match system {
        ToolFlavor::Gnu => "GNU",
        ToolFlavor::Bsd => "BSD, as on macOS (sed -i takes a suffix, stat and date differ)",
        ToolFlavor::Busybox => "BusyBox (few flags)",
    }
}

/// Kind of the project in this directory and in the repository around it.
pub fn project(place: &TranslateContext<'_>) -> String {
    let root = place.world.repository(place.cwd).yes();
    let here = place.world.entries(place.cwd).yes();
    let above = root.as_ref().filter(|root| ***root != *place.cwd).and_then(|root| place.world.entries(root).yes());
    let has = |entries: &[DirEntry], file: &str| entries.binary_search_by(|entry| (*entry.name).cmp(file)).is_ok();
    let mut kinds: Vec<&str> = Vec::new();
    for entries in here.iter().chain(&above) {
        for (_, kind) in SIGNS.iter().filter(|(file, _)| has(entries, file)) {
            // The first sign of a language is the most specific: a lock file comes before the manifest.
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

/// Joins the names; names that are too long are dropped.
fn listed(names: &[String], most: usize) -> String {
    let names = names.iter().map(|name| item(name)).filter(|name| !name.is_empty()).take(most);
    names.collect::<Vec<_>>().join(", ")
}

/// One line without secrets; empty when the text is too long to be useful.
pub fn item(text: &str) -> String {
    if text.chars().nth(MAX_ITEM).is_some() { String::new() } else { one_line(text) }
}

fn path(text: &str) -> String {
    if text.chars().nth(MAX_PATH).is_some() { String::new() } else { one_line(text) }
}

/// Cleans before redacting: a secret with an invisible character in it is still a secret.
pub fn one_line(text: &str) -> String {
    let clean = text::clean(text);
    redact::redact(clean.trim()).replace('\n', "\\n").replace('\t', " ")
}
