//! Moves, renames, copies, backs up and removes named files.

use crate::embedded::analysis::AnalyzedQuery;
use crate::embedded::draft::Draft;
use crate::embedded::entities::Entity;
use crate::embedded::files::scan::{NamedFile, WordScan};
use crate::embedded::files::several;
use crate::embedded::shell_syntax;

/// A destination in words instead of a path: home, up.
fn spoken_goal(scan: &mut WordScan<'_, '_>) -> Option<NamedFile> {
    let made = |at: usize, path: &str| {
        Some(NamedFile { at, path: path.to_owned(), is_there: true, is_directory: true, is_goal: true, place: None })
    };
    if let Some(at) = scan.says(&["parent"]) {
        scan.mark_all(at, at + 2);
        return made(at, "..");
    }
    if let Some(at) = scan.says(&["up"]) {
        scan.mark(at);
        scan.take(&["level", "directory"]);
        let one: Vec<usize> = (0..scan.len()).filter(|at| scan.thing(*at) == Some(&Entity::Number(1))).collect();
        one.into_iter().for_each(|at| scan.mark(at));
        return made(at, "..");
    }
    if let Some(at) = scan.says(&["home"]) {
        scan.mark(at);
        scan.take(&["directory"]);
        return made(at, "~");
    }
    if let Some(at) = scan.says(&["desktop", "downloads", "documents"]) {
        scan.mark(at);
        scan.take(&["directory"]);
        let mut name = scan.low(at).to_owned();
        name[..1].make_ascii_uppercase();
        return made(at, &format!("~/{name}"));
    }
    let here = scan.reading.find("here")?;
    scan.mark(here);
    made(here, ".")
}

/// Verbs that mean moving when the object is a file and the destination a directory.
pub const PUTS: &[&str] = &["put", "place", "stick", "throw", "relocate", "放", "放到", "放进"];

/// Verbs for copying to or from another machine.
pub const SENDS: &[&str] = &["upload", "send", "transfer", "scp", "download", "fetch"];

/// The remote end of a copy in scp's syntax.
fn elsewhere(scan: &WordScan<'_, '_>) -> Option<(usize, String)> {
    let mut ends = (0..scan.len()).filter_map(|at| match scan.thing(at)? {
        Entity::Elsewhere(path) => Some((at, scan.quoted(path))),
        Entity::Host(host) | Entity::Address(host) | Entity::Email(host) => {
            Some((at, format!("{}:", scan.quoted(host))))
        }
        _ => None,
    });
    // A copy between two remote machines is another query.
    ends.next().filter(|_| ends.next().is_none())
}

/// `copy a.txt to bob@web1:/tmp`, `download web1:/var/log/app.log`
pub fn over_ssh(reading: &AnalyzedQuery<'_>) -> Vec<Draft> {
    let mut scan = WordScan::new(reading);
    let Some((at, there)) = elsewhere(&scan) else { return Vec::new() };
    let copies = scan.take(&["copy", "upload", "download"]) | scan.take_said(SENDS) | scan.take_said(PUTS);
    if !copies || reading.has("move") || reading.has("not") {
        return Vec::new();
    }
    scan.mark(at);
    scan.take(&["file", "directory", "server", "remote", "recursive"]);
    scan.take_said(&["machine", "host", "box", "over", "ssh", "via", "scp", "folder"]);
    let objects = scan.objects(false);
    let leads = scan.leads(at);
    let to = scan.is_goal(at) || matches!(leads, "on" | "onto" | "server" | "host" | "machine") && !objects.is_empty();
    let (paths, deep): (Vec<&NamedFile>, bool) = match to {
        true => (objects.iter().collect(), objects.iter().any(|object| object.is_directory)),
        false => (objects.iter().filter(|object| object.is_goal).collect(), true),
    };
    let is_path = matches!(scan.thing(at), Some(Entity::Elsewhere(_)));
    if to && (paths.is_empty() || paths.iter().any(|object| object.is_goal)) || !to && (!is_path || paths.len() > 1) {
        return Vec::new();
    }
    paths.iter().for_each(|object| object.take(&mut scan));
    let recursive = if deep { " -r" } else { "" };
    let paths: Vec<String> = paths.iter().map(|object| scan.quoted(&object.path)).collect();
    let command = match (to, paths.first()) {
        (true, _) => format!("scp{recursive} {} {there}", paths.join(" ")),
        (false, Some(goal)) => format!("scp{recursive} {there} {goal}"),
        (false, None) => {
            scan.take(&["here"]);
            format!("scp{recursive} {there} .")
        }
    };
    let about = if to { "copies it to the other machine" } else { "copies it from the other machine" };
    if scan.leaves_out() {
        return Vec::new();
    }
    several(vec![(command, about)], &scan.used, 0.0, "files-remote")
}

/// `copy the permissions of a to b` leaves the contents of b alone.
fn is_of_attributes(scan: &WordScan<'_, '_>) -> bool {
    let of_it = ["permission", "owner", "time", "date", "access"];
    let only_about =
        scan.says(&["timestamp", "timestamps", "mode", "ownership", "owner", "permissions", "rights"]).is_some()
            || of_it.iter().any(|meaning| scan.reading.has(meaning));
    let keeps = scan.says(&["preserve", "preserving", "keep", "keeping", "with", "including", "attributes"]).is_some();
    only_about && !keeps
}

pub fn transfer(reading: &AnalyzedQuery<'_>) -> Vec<Draft> {
    let mut scan = WordScan::new(reading);
    if elsewhere(&scan).is_some() {
        return Vec::new();
    }
    let rename = scan.take(&["rename"]);
    let puts = scan.take_said(PUTS);
    let moves = scan.take(&["move"]) || puts && !reading.has("copy");
    let copies = scan.take(&["copy"]) | (scan.is(0, "duplicate") && scan.take(&["duplicate"]));
    // Two operations at once do not fit one command; `only new files` selects files and does not name them.
    let new_files = (0..scan.len()).any(|at| scan.low(at) == "new" && scan.is(at + 1, "file"));
    if copies && (rename || moves || is_of_attributes(&scan)) || new_files {
        return Vec::new();
    }
    scan.take(&["file", "directory", "recursive", "create"]);
    let tool = if rename || moves { "mv" } else { "cp" };
    let objects = scan.objects(true);
    // `and move b.txt into it`: a pronoun is no name.
    if objects.iter().any(|object| matches!(object.path.as_str(), "it" | "them" | "there" | "that" | "those")) {
        return Vec::new();
    }
    let is_kind = |object: &NamedFile| matches!(scan.thing(object.at), Some(Entity::Kind(_)));
    if objects.len() > 1 && objects.iter().all(is_kind) {
        return Vec::new();
    }
    if reading.has("archive") || objects.iter().any(|object| object.path.contains('*')) {
        return Vec::new();
    }
    let (goals, sources): (Vec<NamedFile>, Vec<NamedFile>) = objects.into_iter().partition(|object| object.is_goal);
    let mut sources = sources;
    let is_pair = rename && sources.len() == 2 && sources[0].is_there && !sources[1].is_there;
    let as_typed = (scan.says(&["mv", "cp"]).is_some() || is_pair) && goals.is_empty() && sources.len() > 1;
    let goal = match goals.into_iter().next_back() {
        Some(goal) => Some(goal),
        None if as_typed => sources.pop(),
        None => spoken_goal(&mut scan),
    };
    if let (Some(goal), true, false) = (&goal, sources.is_empty(), moves || rename) {
        return copy_here(scan, goal);
    }
    // `rename a.pdf to a 2022.pdf`: a name with a blank that is not quoted.
    let is_odd = sources.is_empty() || rename && sources.len() > 1;
    let (Some(goal), false) = (goal, is_odd) else { return Vec::new() };
    if puts && !(goal.is_directory && goal.is_there && sources.iter().all(|source| source.is_there)) {
        return Vec::new();
    }
    goal.take(&mut scan);
    sources.iter().for_each(|source| source.take(&mut scan));
    let everything = reading.find("all").is_some_and(|at| scan.low(at) == "everything" || reading.has("content"))
        || reading.has("content");
    let all_of = everything && sources.len() == 1 && sources[0].is_directory;
    if reading.has("all") && !all_of || reading.has("not") {
        return Vec::new();
    }
    scan.take(&["all", "content"]);
    let recursive = if tool == "cp" && sources.iter().any(|source| source.is_directory) { " -r" } else { "" };
    let keeps = tool == "cp"
        && scan.take_said(&["preserve", "preserving", "attributes", "timestamps", "metadata", "permissions"]);
    let recursive = if keeps { if recursive.is_empty() { " -p" } else { " -a" } } else { recursive };
    let spelled: Vec<String> = if all_of {
        let root = scan.quoted(sources[0].path.trim_end_matches('/'));
        vec![if tool == "cp" { format!("{root}/.") } else { format!("{root}/*") }]
    } else {
        sources.iter().map(|source| scan.quoted(&source.path)).collect()
    };
    let sources_said = spelled.join(" ");
    let target = scan.quoted(&beside_source(&scan, &sources, &goal, rename).unwrap_or_else(|| goal.path.clone()));
    let into = target.trim_end_matches('/').to_owned();
    let is_plain = !goal.path.rsplit('/').next().unwrap_or_default().contains('.') || goal.path.ends_with('/');
    let said_directory = goal.path.ends_with('/') || scan.beside_directory(goal.at) || scan.says(&["into"]).is_some();
    let is_far = goal.path.starts_with(['/', '~']) && is_plain;
    let makes = !goal.is_there && !is_far && (sources.len() > 1 || all_of || said_directory && !rename && is_plain);
    if scan.leaves_out() {
        return Vec::new();
    }
    let about = match tool {
        "mv" if rename => "renames it",
        "mv" => "moves it",
        _ => "copies it",
    };
    let plain = format!("{tool}{recursive} {sources_said} {target}");
    let inside = format!("mkdir -p {into} && {tool}{recursive} {sources_said} {into}/");
    let mut commands = Vec::new();
    if makes {
        commands.push((inside, about));
    } else if (goal.is_there && goal.is_directory || is_far) && goal.path != "." && goal.path != ".." {
        let slash = if into.ends_with('~') || into == "/" || into.is_empty() { "" } else { "/" };
        let into = if into.is_empty() { "/".to_owned() } else { into };
        commands.push((format!("{tool}{recursive} {sources_said} {into}{slash}"), about));
    } else if !goal.is_there
        && is_plain
        && !rename
        && sources.iter().all(|source| !source.is_directory)
        && !(copies && sources.len() == 1 && !sources[0].path.contains('.'))
    {
        commands.push((inside, about));
        commands.push((plain, about));
    } else {
        commands.push((plain, about));
    }
    several(commands, &scan.used, 0.0, "files-transfer")
}

/// The new name of a file in another directory, where only a name is given. A file that is renamed stays where it is, as
/// does the copy of one whose directory was not said.
fn beside_source(scan: &WordScan<'_, '_>, sources: &[NamedFile], goal: &NamedFile, rename: bool) -> Option<String> {
    let [source] = sources else { return None };
    let (directory, _) = source.path.trim_end_matches('/').rsplit_once('/')?;
    let is_name = !goal.path.contains('/') && !goal.path.starts_with(['.', '~', '$']);
    let is_file = goal.path.contains('.') && !scan.low(source.at).contains('/');
    let is_new = is_name && !(goal.is_there && goal.is_directory) && !scan.has("here");
    (is_new && (rename || is_file && !scan.has("move"))).then(|| format!("{directory}/{}", goal.path))
}

/// `copy everything to x`, `copy this directory to x`
fn copy_here(mut scan: WordScan<'_, '_>, goal: &NamedFile) -> Vec<Draft> {
    let reading = scan.reading;
    goal.take(&mut scan);
    let whole = reading.find("all").is_some_and(|at| scan.low(at) == "everything");
    if !whole && !reading.has("here") || goal.path == "." || reading.has("not") || !scan.globs().is_empty() {
        return Vec::new();
    }
    scan.take(&["all", "here"]);
    let target = scan.quoted(goal.path.trim_end_matches('/'));
    let command =
        if whole { format!("mkdir -p {target} && cp -r . {target}/") } else { format!("cp -r \"$PWD\" {target}/") };
    several(vec![(command, "copies all that is here")], &scan.used, 0.0, "files-transfer")
}

pub fn delete(reading: &AnalyzedQuery<'_>) -> Vec<Draft> {
    let mut scan = WordScan::new(reading);
    // Selecting among many files is another query.
    let chooses = [
        "not",
        "older",
        "newer",
        "larger",
        "smaller",
        "all",
        "each",
        "line",
        "duplicate",
        "oldest",
        "newest",
        "largest",
        "smallest",
        "first",
        "last",
        "word",
        "column",
        "name",
        "starting-with",
        "ending-with",
        "hidden",
    ];
    let everything = |at: usize| reading.is(at, "all") && !matches!(scan.low(at), "everything" | "entire" | "whole");
    if chooses.iter().filter(|meaning| **meaning != "all").any(|meaning| reading.has(meaning))
        || (0..scan.len()).any(everything)
    {
        return Vec::new();
    }
    let asks_rights =
        reading.has("permission") || reading.has("executable") || reading.has("extension") || reading.has("content");
    if asks_rights
        || (0..scan.len()).any(|at| {
            matches!(
                scan.thing(at),
                Some(Entity::Kind(_) | Entity::Glob(_) | Entity::Time(_) | Entity::Size(_) | Entity::Mode(_))
            )
        })
    {
        return Vec::new();
    }
    scan.take(&["delete"]);
    let is_empty = scan.take(&["empty"]);
    let directory = scan.take(&["directory"]);
    let deep = scan.take(&["recursive"]) || reading.has("all");
    if deep {
        scan.take(&["all", "content"]);
    }
    let deep = deep | scan.take_said(&["-rf", "-r", "-fr"]);
    let force = scan.take(&["force"]) | scan.take_said(&["-f"]) | scan.says(&["-rf", "-fr"]).is_some();
    let objects: Vec<NamedFile> = scan.objects(directory || reading.has("file"));
    scan.take(&["file"]);
    if objects.is_empty() || objects.iter().any(|object| object.is_goal) {
        return Vec::new();
    }
    // For `everything in build` the directory itself stays.
    if reading.has("all") && objects.iter().any(|object| scan.is_inside(object.at)) {
        return Vec::new();
    }
    if objects
        .iter()
        .any(|object| object.path == "/" || object.path == "~" || object.path.trim_end_matches('/').is_empty())
    {
        return Vec::new();
    }
    // `.DS_Store files` may be at any depth.
    if scan.says(&["files"]).is_some() && objects.iter().all(|object| !object.is_there && !object.path.contains('/')) {
        return Vec::new();
    }
    objects.iter().for_each(|object| object.take(&mut scan));
    let paths: Vec<String> = objects.iter().map(|object| scan.quoted(&object.path)).collect();
    let paths = paths.join(" ");
    let any_directory = directory || deep || objects.iter().any(|object| object.is_there && object.is_directory);
    let flags = match (any_directory, force) {
        (true, true) => " -rf",
        (true, false) => " -r",
        (false, true) => " -f",
        (false, false) => "",
    };
    if scan.leaves_out() {
        return Vec::new();
    }
    let commands = if is_empty && any_directory {
        vec![(format!("rmdir {paths}"), "removes the directory if it is empty")]
    } else if any_directory {
        vec![(format!("rm{flags} {paths}"), "deletes the directory and all that is in it")]
    } else {
        vec![(format!("rm{flags} {paths}"), "deletes it")]
    };
    several(commands, &scan.used, 0.0, "files-delete")
}

pub fn back_up(reading: &AnalyzedQuery<'_>) -> Vec<Draft> {
    let mut scan = WordScan::new(reading);
    let objects: Vec<NamedFile> = scan.objects(false).into_iter().filter(|object| !object.is_goal).collect();
    let [one] = objects.as_slice() else { return Vec::new() };
    let to_backup = reading.find("backup").is_some_and(|at| scan.is_goal(at) || scan.is(at + 1, "directory"));
    if to_backup && (reading.has("copy") || reading.has("move")) {
        return Vec::new();
    }
    if reading.has("compress")
        || reading.has("archive")
        || reading.has("copy") && (0..scan.len()).any(|at| scan.is_goal(at) && scan.path(at).is_some())
    {
        return Vec::new();
    }
    scan.take(&["backup", "copy", "create", "file", "directory"]);
    scan.take_said(&["make", "with", "extension", "before", "of"]);
    one.take(&mut scan);
    if let Some(at) = (0..scan.len()).find(|at| matches!(scan.low(*at), ".bak" | "bak")) {
        scan.mark(at);
    }
    let flag = if one.is_directory { "cp -r" } else { "cp" };
    let path = scan.quoted(one.path.trim_end_matches('/'));
    let dated = scan.take(&["date", "time"])
        | scan.take_said(&["timestamp", "timestamped", "dated", "today", "today's"])
        || (0..scan.len()).any(|at| matches!(scan.thing(at), Some(Entity::Time(_))));
    let day = shell_syntax::substitution(reading.place.dialect, "date +%F");
    let goal = if dated { format!("{path}.{day}") } else { format!("{path}.bak") };
    if dated {
        (0..scan.len())
            .filter(|at| matches!(scan.thing(*at), Some(Entity::Time(_))))
            .collect::<Vec<_>>()
            .into_iter()
            .for_each(|at| scan.mark(at));
    }
    several(vec![(format!("{flag} {path} {goal}"), "keeps a copy beside it")], &scan.used, 0.0, "files-backup")
}

pub fn swap(reading: &AnalyzedQuery<'_>) -> Vec<Draft> {
    let mut scan = WordScan::new(reading);
    let objects = scan.objects(false);
    let [one, two] = objects.as_slice() else { return Vec::new() };
    scan.take_said(&["swap", "exchange", "switch"]);
    scan.take(&["replace", "name", "content", "file"]);
    one.take(&mut scan);
    two.take(&mut scan);
    let (one, two, between) =
        (scan.quoted(&one.path), scan.quoted(&two.path), scan.quoted(&format!("{}.swap", one.path)));
    several(
        vec![(format!("mv {one} {between} && mv {two} {one} && mv {between} {two}"), "exchanges the two")],
        &scan.used,
        0.0,
        "files-swap",
    )
}
