//! Looks up what the grounded reader needs to know about a repository: files, texts, targets, services, references. Bounded: in a large
//! project only the files that a request names are read.

use std::sync::atomic::AtomicBool;

use aside_task::run::compose;
use aside_task::run::context::Ignored;
use aside_task::run::project::Project;
use aside_task::run::reader::FactNeeds;
use aside_task::run::reader::ground::{GitFacts, RepositoryFacts, Target};

use crate::daemon::tasks::attempt::project_answers;
use crate::exec::git::Question;
use crate::exec::{Probe, probe};
use crate::workspace::Workspace;
use crate::workspace::masked::Secrets;
use crate::workspace::texts::TextFilter;

/// Caps on the files and bytes that are read to look up names. Names of a larger project are only known in files that the request names.
const MAX_FILES: usize = 3_000;
const MAX_BYTES: usize = 8 * 1024 * 1024;

/// `None` where the project was not read in time.
pub(super) fn facts(
    workspace: &Workspace,
    needs: FactNeeds,
    request: &str,
    secrets: Secrets,
    cancelled: &AtomicBool,
) -> Option<RepositoryFacts> {
    let tree = workspace.tree(&[], cancelled).ok()?;
    let listed = tree.listed();
    let files: Vec<String> =
        listed.iter().filter(|listed| listed.ignored == Ignored::No).map(|listed| listed.path.to_owned()).collect();
    let mut facts = of_targets(workspace);
    facts.is_partial = files.len() > MAX_FILES;
    if needs.texts {
        let named = |path: &str| {
            let name = path.rsplit('/').next().unwrap_or(path);
            let stem = name.split('.').next().unwrap_or(name);
            request.contains(name) || stem.len() > 3 && request.contains(stem)
        };
        let wanted = |path: &str| !facts.is_partial || named(path);
        let (mut texts, mut bytes) = (Vec::new(), 0);
        let filter = TextFilter { path: &wanted, text: &|_, _| true };
        workspace.each_text_of(&filter, secrets, cancelled, |path, text| {
            bytes += text.len();
            if bytes <= MAX_BYTES {
                texts.push((path.to_owned(), text.to_owned()));
            }
        })?;
        facts.is_partial |= bytes > MAX_BYTES;
        facts.texts = texts;
    }
    if needs.git {
        facts.git = git(workspace);
    }
    let manifests = project_answers::manifests(workspace, cancelled);
    let is_cargo = |file: &str| file.ends_with("Cargo.toml");
    let members = manifests.iter().filter(|manifest| is_cargo(&manifest.file) && manifest.file.contains('/'));
    facts.members = members.map(|manifest| manifest.name.clone()).collect();
    let dependencies = manifests.iter().flat_map(|manifest| &manifest.dependencies);
    facts.dependencies = dependencies.map(|(name, _)| name.clone()).collect();
    facts.tools.extend(tools(&files, &facts));
    facts.files = files;
    Some(facts)
}

/// Only what the files of the root say.
pub(super) fn of_targets(workspace: &Workspace) -> RepositoryFacts {
    let project = workspace.project();
    let compose = compose::FILES.iter().find_map(|file| std::fs::read_to_string(workspace.root().join(file)).ok());
    let mut tools = Vec::new();
    tools.extend(compose.is_some().then(|| "compose".to_owned()));
    tools.extend(project.text("Cargo.toml").map(|_| "cargo".to_owned()));
    tools.extend(project.text("go.mod").map(|_| "go".to_owned()));
    let mentions = |name: &str| project.files.iter().any(|(path, text)| !path.contains('/') && text.contains(name));
    tools.extend(mentions("pytest").then(|| "pytest".to_owned()));
    RepositoryFacts {
        targets: targets(workspace, &project),
        services: compose.map(|text| compose::named_services(&text)),
        tools,
        ..RepositoryFacts::default()
    }
}

/// Tools that the dependencies name.
fn tools(files: &[String], facts: &RepositoryFacts) -> Vec<String> {
    let depends = |name: &str| facts.dependencies.iter().any(|known| known == name);
    let has_script = files.iter().any(|path| path == "package.json");
    ["vitest", "jest"].into_iter().filter(|name| has_script && depends(name)).map(str::to_owned).collect()
}

fn git(workspace: &Workspace) -> GitFacts {
    let root = workspace.root();
    let refs = probe(&Probe::Git { root, question: Question::Refs { prefix: "refs/" } }).unwrap_or_default();
    let of = |prefix: &str| -> Vec<String> {
        refs.lines().filter_map(|line| line.strip_prefix(prefix)).map(str::to_owned).collect()
    };
    let remote = of("refs/remotes/").into_iter().filter(|name| !name.ends_with("/HEAD"));
    let head = std::fs::read_to_string(root.join(".git/HEAD")).unwrap_or_default();
    GitFacts {
        current: head.trim().strip_prefix("ref: refs/heads/").unwrap_or_default().to_owned(),
        branches: of("refs/heads/"),
        remote_branches: remote.collect(),
        tags: of("refs/tags/"),
    }
}

/// The targets and scripts of the root.
fn targets(workspace: &Workspace, project: &Project) -> Vec<Target> {
    let has = |file: &str| workspace.root().join(file).is_file();
    let manager = match () {
        () if has("pnpm-lock.yaml") => "pnpm run",
        () if has("yarn.lock") => "yarn run",
        () if has("bun.lockb") || has("bun.lock") => "bun run",
        () => "npm run",
    };
    let variables: Vec<(&str, &str)> = ["Makefile", "makefile", "GNUmakefile"]
        .into_iter()
        .filter_map(|file| project.text(file))
        .flat_map(str::lines)
        .filter_map(|line| line.split_once("?=").or_else(|| line.split_once(":=")).or_else(|| line.split_once('=')))
        .map(|(name, value)| (name.trim(), value.trim()))
        .filter(|(name, _)| !name.is_empty() && name.chars().all(|letter| letter.is_alphanumeric() || letter == '_'))
        .collect();
    // What a target runs is looked up by its variables and by their values.
    let spelled_out = |recipe: String| {
        let values =
            variables.iter().fold(recipe.clone(), |text, (name, value)| text.replace(&format!("$({name})"), value));
        if values == recipe { recipe } else { format!("{recipe} {values}") }
    };
    let just = project.text("justfile").or_else(|| project.text("Justfile")).unwrap_or_default();
    // `deploy env:` takes a value, `deploy env="dev":` may take one.
    let takes_value = |name: &str| {
        just.lines().any(|line| {
            let mut words = line.split(':').next().unwrap_or_default().split_whitespace();
            !line.starts_with(char::is_whitespace) && words.next() == Some(name) && words.count() == 1
        })
    };
    let of = |(file, scripts): (&str, Vec<(String, String)>)| {
        let program = match file {
            "package.json" => Some(manager),
            "justfile" | "Justfile" => Some("just"),
            "Makefile" | "makefile" | "GNUmakefile" => Some("make"),
            _ => None,
        };
        let targets = scripts.into_iter().filter_map(|(name, recipe)| {
            let takes_value = program == Some("just") && takes_value(&name);
            Some(Target { command: format!("{} {name}", program?), name, recipe: spelled_out(recipe), takes_value })
        });
        targets.collect::<Vec<_>>()
    };
    project.all_scripts().into_iter().flat_map(of).collect()
}
