//! What `cp`, `mv`, `ln`, `curl -o` and `wget -O` would overwrite because it is there. Knows only what the world knows.

use crate::line::Word;
use crate::safety::rules::has_flag;
use crate::safety::runs::{Place, Run, Runs, is_flag};
use crate::safety::{Danger, Harm};
use crate::world::{Kind, Known, World};

pub fn overwritten(runs: &Runs, cwd: &str, world: &dyn World) -> Vec<Danger> {
    // After `cd there` we would look in the wrong place.
    if runs.runs.iter().any(|run| matches!(run.name(), "cd" | "pushd" | "popd" | "chdir" | "z")) {
        return Vec::new();
    }
    let here = runs.runs.iter().filter(|run| run.place == Place::Here);
    let hits = here.filter(|run| targets(run).iter().any(|path| is_file(path, cwd, world)));
    hits.map(|run| Danger { harm: Harm::Overwrites, span: run.span() }).collect()
}

/// The paths that the command would write to.
fn targets(run: &Run) -> Vec<String> {
    let arguments = run.arguments();
    let flag = |names: &[&str]| {
        let at = arguments.iter().position(|word| names.contains(&word.value.as_str()));
        at.and_then(|at| arguments.get(at + 1)).map(|word| word.value.clone())
    };
    match run.name() {
        "cp" | "mv" | "install" => copied(arguments),
        "curl" => flag(&["-o", "--output"]).into_iter().collect(),
        "wget" => flag(&["-O", "--output-document"]).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// The target itself, and the files of these names in it should it be a directory.
fn copied(arguments: &[Word]) -> Vec<String> {
    if has_flag(arguments, &["-i", "--interactive", "-n", "--no-clobber", "-b", "--backup", "-t", "-u", "--update"]) {
        return Vec::new();
    }
    let plain: Vec<&Word> = arguments.iter().filter(|word| !is_flag(&word.value)).collect();
    let Some((target, sources)) = plain.split_last().filter(|(_, sources)| !sources.is_empty()) else {
        return Vec::new();
    };
    if !target.fixed {
        return Vec::new();
    }
    let inside = sources.iter().filter(|source| source.fixed).filter_map(|source| {
        let name = source.value.trim_end_matches('/').rsplit('/').next()?;
        Some(format!("{}/{name}", target.value))
    });
    std::iter::once(target.value.clone()).chain(inside).collect()
}

fn is_file(path: &str, cwd: &str, world: &dyn World) -> bool {
    let path = if path.starts_with('/') { path.to_owned() } else { format!("{cwd}/{path}") };
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    let Some(name) = parts.pop() else { return false };
    let Known::Yes(entries) = world.entries(&format!("/{}", parts.join("/"))) else { return false };
    let found = entries.binary_search_by(|entry| (*entry.name).cmp(name)).ok().and_then(|found| entries.get(found));
    found.is_some_and(|entry| matches!(entry.kind, Kind::File | Kind::Program))
}
