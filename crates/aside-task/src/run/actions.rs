//! Commands of a project's tools for what a request asks to have done: apply migrations, build the image, seed the database. The words and
//! the commands are in `data/task/actions.toml`; a target of the project that does it comes before them. Reads no file itself.

use std::sync::LazyLock;

use aside_text::lazy_regex::Regex;

use crate::run::project::Project;
use crate::run::toml_lists;

const LIST: &str = include_str!("../../data/task/actions.toml");

struct Action {
    name: String,
    pattern: Regex,
    recipe: Option<Regex>,
    /// What a recipe that does something else has.
    avoid: Option<Regex>,
}

struct Way {
    of: String,
    files: Vec<String>,
    says: Vec<(String, String)>,
    packages: Vec<String>,
    cmd: String,
    about: String,
}

static ACTIONS: LazyLock<Vec<Action>> = LazyLock::new(|| {
    toml_lists::tables(LIST, "action", |table| {
        let polite = r"(?:(?:please|pls|plz|can you|could you|would you|now|just|i want to|i need to|i'd like to|let's|lets|hey|go ahead and)[\s,]+)*";
        let pattern = toml_lists::text(table, "pattern")?;
        let whole =
            format!(r"(?i)^\s*{polite}(?:{pattern})(?:\s*,?\s*(?:please|pls|thanks|now|for me|again))*\s*[.!?]*\s*$");
        Some(Action {
            name: toml_lists::text(table, "name")?,
            pattern: Regex::new(&whole).ok()?,
            recipe: toml_lists::pattern(table, "recipe"),
            avoid: toml_lists::pattern(table, "avoid"),
        })
    })
});

static WAYS: LazyLock<Vec<Way>> = LazyLock::new(|| {
    toml_lists::tables(LIST, "way", |table| {
        let says = toml_lists::texts(table, "says");
        let says =
            says.iter().filter_map(|says| says.split_once(": ")).map(|(file, text)| (file.to_owned(), text.to_owned()));
        Some(Way {
            of: toml_lists::text(table, "of")?,
            files: toml_lists::texts(table, "files"),
            says: says.collect(),
            packages: toml_lists::texts(table, "packages"),
            cmd: toml_lists::text(table, "cmd")?,
            about: toml_lists::text(table, "about").unwrap_or_default(),
        })
    })
});

/// A command, and what of the project says that it is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectAction {
    pub cmd: String,
    /// A file, a package, or the target by which the project does it.
    pub sign: String,
    pub about: String,
}

/// Whether the words ask for one of the actions, in whatever project.
pub fn is_asked(words: &str) -> bool {
    ACTIONS.iter().any(|action| action.pattern.is_match(words))
}

/// The command for a request; `None` where it asks for something else, or the project has no tool for it.
pub fn command(words: &str, project: &Project, has_file: &dyn Fn(&str) -> bool) -> Option<ProjectAction> {
    let (action, found) = ACTIONS.iter().find_map(|action| Some((action, action.pattern.captures(words)?)))?;
    let group = |name: &str| found.name(name).map(|value| value.as_str().to_owned());
    if group("name").is_none()
        && group("text").is_none()
        && let Some(target) = target(action, project, has_file)
    {
        return Some(target);
    }
    let packages: Vec<String> =
        project.manifests().into_iter().flat_map(|manifest| manifest.dependencies).map(|(name, _)| name).collect();
    let sign = |way: &Way| {
        let file = way.files.iter().find(|file| has_file(file));
        let said =
            way.says.iter().find(|(file, text)| project.text(file).is_some_and(|known| known.contains(text.as_str())));
        let package = way.packages.iter().find(|package| packages.contains(package));
        file.or(said.map(|(file, _)| file)).or(package).cloned()
    };
    let (way, sign) = WAYS.iter().filter(|way| way.of == action.name).find_map(|way| Some((way, sign(way)?)))?;
    let name = project.manifests().into_iter().map(|manifest| manifest.name).find(|name| !name.is_empty());
    let name =
        name.map(|name| name.rsplit('/').next().unwrap_or_default().to_lowercase()).filter(|name| is_plain(name));
    let mut cmd = way.cmd.clone();
    for key in ["name", "other"] {
        if cmd.contains(&format!("{{{key}}}")) {
            cmd = cmd.replace(&format!("{{{key}}}"), &group(key).filter(|value| is_plain(value))?);
        }
    }
    if cmd.contains("{text}") {
        let text = group("text").filter(|text| !text.contains(['\'', '\n']))?;
        cmd = cmd.replace("{text}", &format!("'{text}'"));
    }
    let cmd = cmd.replace("{project}", name.as_deref().unwrap_or("app"));
    Some(ProjectAction { cmd: through(&cmd, has_file), sign, about: way.about.clone() })
}

fn is_plain(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with('-')
        && text.chars().all(|letter| letter.is_ascii_alphanumeric() || "._/-".contains(letter))
}

/// The command in the environment where the project keeps its tools.
pub fn through(cmd: &str, has_file: &dyn Fn(&str) -> bool) -> String {
    let program = cmd.split(' ').next().unwrap_or_default();
    let is_python =
        ["alembic", "python", "pytest", "flask", "uvicorn", "celery", "mypy", "ruff", "black"].contains(&program);
    match cmd.strip_prefix("npx ") {
        Some(rest) if has_file("pnpm-lock.yaml") => format!("pnpm exec {rest}"),
        Some(rest) if has_file("yarn.lock") => format!("yarn {rest}"),
        Some(rest) if has_file("bun.lock") || has_file("bun.lockb") => format!("bunx {rest}"),
        None if is_python && has_file("poetry.lock") => format!("poetry run {cmd}"),
        None if is_python && has_file("uv.lock") => format!("uv run {cmd}"),
        None if is_python && has_file("Pipfile.lock") => format!("pipenv run {cmd}"),
        None if cmd.starts_with("./gradlew ") && !has_file("gradlew") => cmd.replacen("./gradlew", "gradle", 1),
        None if cmd.starts_with("mvn ") && has_file("mvnw") => cmd.replacen("mvn", "./mvnw", 1),
        _ => cmd.to_owned(),
    }
}

/// The one target or script of the project whose recipe does it, and nothing else.
fn target(action: &Action, project: &Project, has_file: &dyn Fn(&str) -> bool) -> Option<ProjectAction> {
    let recipe = action.recipe.as_ref()?;
    let does = |line: &str| recipe.is_match(line) && !action.avoid.as_ref().is_some_and(|avoid| avoid.is_match(line));
    let mut found: Vec<ProjectAction> = Vec::new();
    for (file, program) in [("Makefile", "make"), ("makefile", "make"), ("justfile", "just"), ("Justfile", "just")] {
        let Some(text) = project.text(file) else { continue };
        for (name, lines) in targets(text) {
            if !lines.is_empty() && lines.iter().all(|line| does(line)) {
                found.push(ProjectAction {
                    cmd: format!("{program} {name}"),
                    sign: file.to_owned(),
                    about: String::new(),
                });
            }
        }
    }
    if let Some(package) =
        project.text("package.json").and_then(|text| serde_json::from_str::<serde_json::Value>(text).ok())
        && let Some(scripts) = package.get("scripts").and_then(|scripts| scripts.as_object())
    {
        let runner = match () {
            () if has_file("pnpm-lock.yaml") => "pnpm run",
            () if has_file("yarn.lock") => "yarn run",
            () if has_file("bun.lock") || has_file("bun.lockb") => "bun run",
            () => "npm run",
        };
        for (name, line) in scripts {
            // A script is called by what it does, or runs a file that is.
            if line.as_str().is_some_and(&does)
                && name.chars().all(|letter| letter.is_ascii_alphanumeric() || ":_-".contains(letter))
            {
                found.push(ProjectAction {
                    cmd: format!("{runner} {name}"),
                    sign: "package.json".to_owned(),
                    about: String::new(),
                });
            }
        }
    }
    if found.len() == 1 { found.pop() } else { None }
}

/// The targets of a Makefile or a justfile, with the lines of their recipes.
fn targets(text: &str) -> Vec<(String, Vec<String>)> {
    let mut all: Vec<(String, Vec<String>)> = Vec::new();
    for line in text.lines() {
        if line.starts_with(['\t', ' ']) {
            let line = line.trim().trim_start_matches(['@', '-']).to_owned();
            if let Some((_, lines)) = all.last_mut().filter(|_| !line.is_empty() && !line.starts_with('#')) {
                lines.push(line);
            }
        } else if let Some((name, rest)) = line.split_once(':')
            && !rest.starts_with('=')
            && name.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-".contains(letter))
            && !name.is_empty()
        {
            all.push((name.to_owned(), Vec::new()));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_action_has_its_hits_and_misses() {
        assert_eq!(ACTIONS.len(), toml_lists::count(LIST, "action"));
        assert_eq!(WAYS.len(), toml_lists::count(LIST, "way"));
        let examples = toml_lists::tables(LIST, "action", |table| {
            Some((toml_lists::texts(table, "hits"), toml_lists::texts(table, "misses")))
        });
        let mut wrong = Vec::new();
        for (action, (hits, misses)) in ACTIONS.iter().zip(examples) {
            assert!(!hits.is_empty() && !misses.is_empty(), "{}", action.name);
            assert!(WAYS.iter().any(|way| way.of == action.name), "{}", action.name);
            wrong.extend(hits.into_iter().filter(|hit| !action.pattern.is_match(hit)));
            wrong.extend(
                misses.into_iter().filter(|miss| action.pattern.is_match(miss)).map(|miss| format!("miss {miss}")),
            );
        }
        assert_eq!(wrong, Vec::<String>::new());
    }

    #[test]
    fn the_projects_own_target_comes_first() {
        let told = |words: &str, files: &[(&str, &str)]| {
            let project =
                Project { files: files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect() };
            command(words, &project, &|name| files.iter().any(|(path, _)| *path == name))
                .map(|found| found.cmd)
                .unwrap_or_default()
        };
        let make = (
            "Makefile",
            "image:\n\tdocker build -t beacon:dev .\n\ndb-up:\n\tmigrate -path db up\n\nrun: image\n\tdocker run beacon\n",
        );
        assert_eq!(told("build the docker image", &[make, ("Dockerfile", "")]), "make image");
        assert_eq!(told("apply the db migrations", &[make]), "make db-up");
        assert_eq!(
            told(
                "pls apply the migrations",
                &[
                    ("manage.py", ""),
                    ("Makefile", "migrate:\n\tpython manage.py makemigrations\n\tpython manage.py migrate\n")
                ]
            ),
            "python manage.py migrate"
        );
        assert_eq!(
            told("run the migrations", &[("alembic.ini", ""), ("poetry.lock", "")]),
            "poetry run alembic upgrade head"
        );
        assert_eq!(told("create a migration named add_x", &[("diesel.toml", "")]), "diesel migration generate add_x");
        assert_eq!(
            told("build the docker image", &[("Dockerfile", ""), ("package.json", "{\"name\": \"@a/Web\"}")]),
            "docker build -t web ."
        );
        assert_eq!(told("run the migrations", &[("README.md", "")]), "");
        assert_eq!(
            told("seed the database", &[("package.json", "{\"scripts\": {\"db:seed\": \"tsx prisma/seed.ts\"}}")]),
            "npm run db:seed"
        );
    }
}
