//! The programs that a project itself makes, by their names: of `[project.scripts]`, `bin` of package.json, `cmd/NAME` of Go and
//! `add_executable` of CMake. Cargo's are among the targets already.

use std::sync::LazyLock;

use aside_commands::world::Fact;
use aside_core::agent::language::Language;
use aside_text::lazy_regex::Regex;
use serde_json::Value;
use toml_edit::Document;

use super::arguments::Argument;
use super::{ScriptContext, is_there, proposed};
use crate::run::{ModelNeed, RunnerOutcome, code};

/// How a program of the project is started.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Start {
    Command(String),
    /// It has to be installed first, by this command.
    Install(String),
}

/// The command that starts the program of this name, if the project makes one. `Fact::No` where it has none of this name.
pub fn own(name: &str, arguments: &[Argument], place: &ScriptContext<'_>) -> Fact<RunnerOutcome> {
    let is_name = !name.is_empty()
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_".contains(letter))
        && !name.starts_with('-');
    if !is_name {
        return Fact::No;
    }
    let (file, start) = match start(name, place) {
        Fact::Yes(found) => found,
        Fact::No => return Fact::No,
        Fact::NotYet => return Fact::NotYet,
    };
    let (shown, language) = (code(name), place.language);
    let mut input = String::new();
    for argument in arguments {
        match (argument, &start) {
            (Argument::Input(value), _) => input.push_str(&format!(" {value}")),
            (other, Start::Command(cmd)) => {
                let (said, cmd) = (code(&other.said()), code(cmd));
                let text = match language {
                    Language::English => {
                        format!(
                            "How {shown} is told {said} is not known here, so nothing is proposed. Without it: {cmd}."
                        )
                    }
                    Language::Chinese => format!("不知道怎样把 {said} 告诉 {shown}，所以没有提出命令。不带它：{cmd}。"),
                };
                return Fact::Yes(RunnerOutcome::answer(format!("{text}\n"), text, ModelNeed::Unneeded));
            }
            (_, Start::Install(_)) => {}
        }
    }
    match start {
        Start::Command(cmd) => {
            let reason = match language {
                Language::English => format!("{} makes {shown}.", code(&file)),
                Language::Chinese => format!("{shown} 由 {} 定义。", code(&file)),
            };
            Fact::Yes(proposed(format!("{cmd}{input}"), place.cwd, place, reason))
        }
        Start::Install(install) => {
            let (install, file) = (code(&install), code(&file));
            let text = match language {
                Language::English => format!(
                    "{shown} is a program of this project ({file}) and is not installed yet: {install} installs it, then {} runs it.",
                    code(&format!("{name}{input}"))
                ),
                Language::Chinese => format!(
                    "{shown} 是这个项目的程序（{file}），还没有安装：{install} 安装它，然后用 {} 运行。",
                    code(&format!("{name}{input}"))
                ),
            };
            Fact::Yes(RunnerOutcome::answer(format!("{text}\n"), text, ModelNeed::Unneeded))
        }
    }
}

fn start(name: &str, place: &ScriptContext<'_>) -> Fact<(String, Start)> {
    let found = |file: &str, start: Start| Fact::Yes((file.to_owned(), start));
    if place.project.text("pyproject.toml").is_some_and(|text| python_scripts(text).iter().any(|script| script == name))
    {
        let local = [format!(".venv/bin/{name}"), format!("venv/bin/{name}")];
        for path in local {
            match is_there(&path, place) {
                Fact::Yes(()) => return found("pyproject.toml", Start::Command(path)),
                Fact::NotYet => return Fact::NotYet,
                Fact::No => {}
            }
        }
        let is_installed =
            place.world.programs().yes().is_some_and(|programs| programs.iter().any(|known| &**known == name));
        let start = match (is_installed, is_there("uv.lock", place), is_there("poetry.lock", place)) {
            (true, ..) => Start::Command(name.to_owned()),
            (false, Fact::Yes(()), _) => Start::Command(format!("uv run {name}")),
            (false, _, Fact::Yes(())) => Start::Command(format!("poetry run {name}")),
            (false, ..) => Start::Install("pip install -e .".to_owned()),
        };
        return found("pyproject.toml", start);
    }
    if let Some(path) = place.project.text("package.json").and_then(|text| node_program(text, name)) {
        return match is_there(&path, place) {
            Fact::Yes(()) => found("package.json", Start::Command(format!("node {path}"))),
            Fact::No => Fact::No,
            Fact::NotYet => Fact::NotYet,
        };
    }
    if place.project.text("go.mod").is_some() {
        let directory = format!("cmd/{name}");
        match is_there(&directory, place) {
            Fact::Yes(()) => return found(&directory, Start::Command(format!("go run ./{directory}"))),
            Fact::NotYet => return Fact::NotYet,
            Fact::No => {}
        }
    }
    if place.project.text("CMakeLists.txt").is_some_and(|text| makes(text, name)) {
        let path = format!("build/{name}");
        return match is_there(&path, place) {
            Fact::Yes(()) => found("CMakeLists.txt", Start::Command(format!("./{path}"))),
            Fact::No => {
                let build = format!("cmake -B build && cmake --build build --target {name} && ./{path}");
                found("CMakeLists.txt", Start::Command(build))
            }
            Fact::NotYet => Fact::NotYet,
        };
    }
    Fact::No
}

fn python_scripts(text: &str) -> Vec<String> {
    let Ok(document) = Document::parse(text) else { return Vec::new() };
    let of_project = document.get("project").and_then(|project| project.get("scripts"));
    let of_poetry = document.get("tool").and_then(|tool| tool.get("poetry")).and_then(|poetry| poetry.get("scripts"));
    let tables = [of_project, of_poetry].into_iter().flatten().filter_map(|table| table.as_table_like());
    tables.flat_map(|table| table.iter().map(|(name, _)| name.to_owned()).collect::<Vec<_>>()).collect()
}

fn node_program(text: &str, name: &str) -> Option<String> {
    let package: Value = serde_json::from_str(text).ok()?;
    let bin = package.get("bin")?;
    let only = bin.as_str().filter(|_| package.get("name").and_then(Value::as_str) == Some(name));
    let path = only.or_else(|| bin.get(name)?.as_str())?.trim_start_matches("./");
    let is_plain = path.chars().all(|letter| letter.is_alphanumeric() || "./_-@".contains(letter));
    (is_plain && !path.starts_with('-')).then(|| path.to_owned())
}

/// Whether CMake builds a program of this name.
fn makes(text: &str, name: &str) -> bool {
    static EXECUTABLE: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"(?i)\badd_executable\s*\(\s*([\w.+-]+)").ok());
    EXECUTABLE.as_ref().is_some_and(|pattern| {
        pattern.captures_iter(text).any(|found| found.get(1).is_some_and(|made| made.as_str() == name))
    })
}
