//! Creates files, directories and links.

use crate::embedded::analysis::AnalyzedQuery;
use crate::embedded::draft::Draft;
use crate::embedded::entities::Entity;
use crate::embedded::files::scan::{NamedFile, WordScan};
use crate::embedded::files::several;
use crate::embedded::shell_syntax;

/// What other operations create, or other operations on what is there.
const ALIEN: &[&str] = &[
    "archive",
    "compress",
    "branch",
    "repository",
    "user",
    "group",
    "backup",
    "copy",
    "commit",
    "move",
    "rename",
    "delete",
    "find",
    "extract",
    "contain",
    "prefix",
    "suffix",
    "permission",
    "executable",
    "writable",
    "readonly",
    "all",
];

/// Words around the names that say nothing more.
const FILLER: &[&str] = &[
    "named",
    "called",
    "nested",
    "missing",
    "parent",
    "parents",
    "needed",
    "blank",
    "following",
    "structure",
    "several",
    "multiple",
    "new",
    "two",
    "three",
];

pub fn create(reading: &AnalyzedQuery<'_>) -> Vec<Draft> {
    let mut scan = WordScan::new(reading);
    if ALIEN.iter().any(|alien| reading.has(alien)) {
        return Vec::new();
    }
    if (0..scan.len()).any(|at| matches!(scan.thing(at), Some(Entity::Time(_) | Entity::Mode(_) | Entity::Branch(_)))) {
        return Vec::new();
    }
    let verb = reading.find("create").or_else(|| scan.says(&["make", "add"]));
    let Some(verb) = verb else { return Vec::new() };
    scan.take(&["create"]);
    scan.mark(verb);
    if scan.says(&["accessible", "private", "readable"]).is_some() {
        return Vec::new();
    }
    let mkdir = scan.low(verb) == "mkdir";
    let touch = scan.low(verb) == "touch";
    // `file named` may be one word of the reading.
    let named = |noun: &str| reading.find("name").filter(|at| scan.low(*at).starts_with(noun));
    let directory_at = reading
        .find("directory")
        .or_else(|| named("folder"))
        .or_else(|| named("directory"))
        .or_else(|| reading.find("tree"));
    let file_at = reading.find("file").or_else(|| named("file"));
    let directory = mkdir || directory_at.is_some() && !touch;
    let spoken = directory_at.is_some() || file_at.is_some() || mkdir || touch;
    if scan.low(verb) == "add" && scan.says(&["prefix", "suffix", "extension"]).is_some() {
        return Vec::new();
    }
    let objects = named_objects(&scan, verb, spoken);
    if objects.is_empty() {
        return Vec::new();
    }
    let ranges = ranged(&mut scan, &objects, directory);
    if let Some(command) = ranges {
        return several(vec![(command, "makes them, numbered")], &scan.used, 0.0, "files-create");
    }
    for at in 0..scan.len() {
        match scan.thing(at) {
            // `three folders named a, b and c`
            Some(Entity::Number(number)) if usize::try_from(*number) == Ok(objects.len()) => scan.mark(at),
            Some(Entity::Number(_)) => return Vec::new(),
            _ => {}
        }
    }
    // Creating a file with a text is left to `write`.
    if reading.has("content") || scan.says(&["saying", "text", "says"]).is_some() {
        return Vec::new();
    }
    // As is any other content: `a file a.txt with hi in it`.
    let with = (0..scan.len()).find(|at| *at > verb && matches!(scan.low(*at), "with" | "containing" | "holding"));
    let inside = objects.iter().filter(|object| with.is_some_and(|with| object.at > with)).count();
    let is_empty = scan.says(&["nothing", "no", "parents", "missing"]).is_some();
    if with.is_some() && inside == 0 && !is_empty {
        return Vec::new();
    }
    let only_paths = !spoken && objects.iter().any(|object| object.is_there || !object.path.contains(['.', '/']));
    if only_paths {
        return Vec::new();
    }
    scan.take(&["directory", "file", "empty", "recursive", "name", "tree"]);
    scan.take_said(FILLER);
    objects.iter().for_each(|object| object.take(&mut scan));
    let below = subdirectories_at(&scan, directory_at);
    let paths = paths_of(&objects, below.filter(|_| directory));
    // `a folder x with index.html in it`
    if let [folder, files @ ..] = objects.as_slice()
        && directory
        && below.is_none()
        && file_at.is_none()
        && inside > 0
        && inside == files.len()
        && files.iter().all(|file| file.path.contains('.'))
    {
        let root = folder.path.trim_end_matches('/');
        let files: Vec<String> = files.iter().map(|file| scan.quoted(&format!("{root}/{}", file.path))).collect();
        let command = format!("mkdir -p {} && touch {}", scan.quoted(root), files.join(" "));
        return several(vec![(command, "makes the directory and what is in it")], &scan.used, 0.0, "files-create");
    }
    // `main.py in src`
    let spelled: Vec<String> = paths.iter().map(|path| scan.quoted(path)).collect();
    let spelled = spelled.join(" ");
    let both = directory_at.zip(file_at).filter(|_| !mkdir && !touch);
    if let Some((directory_at, file_at)) = both {
        let command = directory_and_file(&scan, &objects, &spelled, directory_at, file_at);
        return command.map_or_else(Vec::new, |command| several(vec![command], &scan.used, 0.0, "files-create"));
    }
    let enters = scan.says(&["cd", "enter", "go"]).is_some();
    if enters {
        scan.take_said(&["cd", "enter", "go", "into"]);
    }
    let commands = if directory {
        let cd = if enters && paths.len() == 1 { format!(" && cd {spelled}") } else { String::new() };
        vec![(format!("mkdir -p {spelled}{cd}"), "makes the directory")]
    } else if !scan.has("directory") && (file_at.is_some() || touch || paths.iter().any(|path| path.contains('.'))) {
        touches(&scan, &objects, &paths, &spelled)
    } else {
        return Vec::new();
    };
    several(commands, &scan.used, 0.0, "files-create")
}

/// What the query names behind its verb. With `spoken`, plain words may be names too.
fn named_objects(scan: &WordScan<'_, '_>, verb: usize, spoken: bool) -> Vec<NamedFile> {
    let mut objects: Vec<NamedFile> = Vec::new();
    for object in scan.objects(spoken).into_iter().filter(|object| object.at > verb) {
        // A word that is no path counts as a name only in the position of a name.
        let before = scan.before(object.at);
        let stands = scan.path(object.at).is_some()
            || matches!(before, "named" | "called" | "mkdir" | "touch" | "and" | "name" | "叫" | "名为")
            || scan.is(object.at - 1, "directory")
            || scan.is(object.at - 1, "file")
            || objects.last().is_some_and(|last| last.at + 1 == object.at)
            || scan.is(object.at + 1, "directory");
        if stands {
            objects.push(object);
        }
    }
    objects
}

/// `a folder x with subfolders a and b`
fn subdirectories_at(scan: &WordScan<'_, '_>, directory_at: Option<usize>) -> Option<usize> {
    (0..scan.len()).find(|at| {
        scan.is(*at, "directory")
            && Some(*at) != directory_at
            && (scan.before(*at) == "with" || scan.before(*at) == "and" || scan.low(*at).starts_with("sub"))
    })
}

/// What is named behind `below` goes into the first directory.
fn paths_of(objects: &[NamedFile], below: Option<usize>) -> Vec<String> {
    if let Some(below) = below
        && let Some(first) = objects.first().filter(|first| first.at < below)
    {
        let inner: Vec<String> = objects
            .iter()
            .filter(|object| object.at > below)
            .map(|object| format!("{}/{}", first.path.trim_end_matches('/'), object.path))
            .collect();
        if !inner.is_empty() {
            return inner;
        }
    }
    objects.iter().map(|object| object.path.trim_end_matches('/').to_owned()).collect()
}

/// `a directory x with a file y in it`
fn directory_and_file(
    scan: &WordScan<'_, '_>,
    objects: &[NamedFile],
    spelled: &str,
    directory_at: usize,
    file_at: usize,
) -> Option<(String, &'static str)> {
    let folder = objects
        .iter()
        .find(|object| object.at > directory_at && !object.path.contains('.') || object.at + 1 == directory_at);
    let file = objects.iter().rev().find(|object| folder.is_none_or(|folder| folder.at != object.at));
    match (folder, file) {
        (Some(folder), Some(file)) if !folder.is_there => {
            let root = folder.path.trim_end_matches('/');
            let name = file.path.rsplit('/').next().unwrap_or_default();
            let (root, path) = (scan.quoted(root), scan.quoted(&format!("{root}/{name}")));
            Some((format!("mkdir -p {root} && touch {path}"), "makes the directory and the file"))
        }
        _ if file_at < directory_at || objects.len() == 1 => Some((format!("touch {spelled}"), "makes an empty file")),
        _ => None,
    }
}

/// Creates the parent directory first, unless it is known to exist.
fn touches(
    scan: &WordScan<'_, '_>,
    objects: &[NamedFile],
    paths: &[String],
    spelled: &str,
) -> Vec<(String, &'static str)> {
    let parents: Vec<&str> = paths
        .iter()
        .filter_map(|path| path.rsplit_once('/').map(|(parent, _)| parent))
        .filter(|parent| !parent.is_empty())
        .collect();
    let touch = format!("touch {spelled}");
    match parents.as_slice() {
        [parent, ..]
            if objects.iter().all(|object| object.place.is_none()) && !directory_known(scan.reading, parent) =>
        {
            vec![
                (format!("mkdir -p {} && {touch}", scan.quoted(parent)), "makes an empty file"),
                (touch, "makes an empty file"),
            ]
        }
        _ => vec![(touch, "makes an empty file")],
    }
}

fn directory_known(reading: &AnalyzedQuery<'_>, path: &str) -> bool {
    path.starts_with(['/', '~', '.'])
        || reading.place.world.entries(reading.place.cwd).yes().is_some_and(|entries| {
            entries.iter().any(|entry| &*entry.name == path && entry.kind == aside_commands::world::FileKind::Directory)
        })
}

/// Numbered files: `10 files named file1 to file10`, `files 1 to 5`.
fn ranged(scan: &mut WordScan<'_, '_>, objects: &[NamedFile], directory: bool) -> Option<String> {
    let numbers: Vec<(usize, u64)> = (0..scan.len())
        .filter_map(|at| match scan.thing(at) {
            Some(Entity::Number(number)) => Some((at, *number)),
            _ => None,
        })
        .collect();
    let tool = if directory { "mkdir -p" } else { "touch" };
    let spell = |stem: &str, from: u64, to: u64, ending: &str| {
        let plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-/".contains(&byte));
        if !plain(stem) || !plain(ending) || to <= from || to - from > 10_000 {
            return None;
        }
        Some(format!("{tool} {}", shell_syntax::numbered(scan.reading.place.dialect, stem, from, to, ending)))
    };
    let parts = |name: &str| {
        let (stem, ending) = name.find('.').map_or((name, ""), |dot| name.split_at(dot));
        let letters = stem.trim_end_matches(|letter: char| letter.is_ascii_digit());
        let number: Option<u64> = stem[letters.len()..].parse().ok();
        (letters.to_owned(), number, ending.to_owned())
    };
    let command = match objects {
        [first, .., last] => {
            let ((stem, from, ending), (other, to, _)) = (parts(&first.path), parts(&last.path));
            let joined =
                matches!(scan.before(last.at), "to" | "through" | "until" | "-" | "..") || scan.before(last.at) == "to";
            (joined && stem == other && objects.len() == 2)
                .then_some(())
                .and(from.zip(to))
                .and_then(|(from, to)| spell(&stem, from, to, &ending))
        }
        [only] => {
            let (stem, number, ending) = parts(&only.path);
            match (number, numbers.as_slice()) {
                (Some(1), [(_, count)]) if *count > 1 => spell(&stem, 1, *count, &ending),
                (None, [(_, count)]) if *count > 1 && !only.is_there && only.path.len() > 1 => {
                    spell(&stem, 1, *count, &ending)
                }
                _ => None,
            }
        }
        [] => None,
    }?;
    objects.iter().for_each(|object| object.take(scan));
    numbers.iter().for_each(|(at, _)| scan.mark(*at));
    scan.take(&["file", "directory", "empty", "name"]);
    scan.take_said(&["named", "called", "numbered"]);
    Some(command)
}

pub fn link(reading: &AnalyzedQuery<'_>) -> Vec<Draft> {
    let mut scan = WordScan::new(reading);
    if reading.has("broken") || reading.has("delete") || reading.has("count") {
        return Vec::new();
    }
    let hard = scan.take(&["hardlink"]) || scan.says(&["hard"]).is_some();
    scan.take(&["link", "create", "file", "directory", "name", "show"]);
    scan.take_said(&["make", "add", "named", "called", "pointing", "points", "hard", "shortcut", "new"]);
    let objects = scan.objects(true);
    if let [only] = objects.as_slice()
        && (scan.says(&["where", "point", "points", "target", "follow", "resolve"]).is_some() || reading.has("find"))
    {
        let path = scan.quoted(&only.path);
        only.take(&mut scan);
        scan.take(&["find"]);
        scan.take_said(&["where", "point", "points", "target", "follow", "resolve", "actually"]);
        return several(
            vec![(format!("readlink -f {path}"), "says where the link leads")],
            &scan.used,
            0.0,
            "files-link",
        );
    }
    if let [only] = objects.as_slice()
        && only.is_there
        && reading.has("here") | scan.says(&["this"]).is_some()
    {
        only.take(&mut scan);
        return several(
            vec![(format!("ln -s {} .", scan.quoted(&only.path)), "makes a link here")],
            &scan.used,
            0.1,
            "files-link",
        );
    }
    let [one, two] = objects.as_slice() else { return Vec::new() };
    one.take(&mut scan);
    two.take(&mut scan);
    // The object that exists is the target of the link. Otherwise the words decide: `a link called b to a`, `from b to
    // a`.
    let named = |object: &NamedFile| {
        matches!(scan.before(object.at), "named" | "called" | "as") || scan.is(object.at.wrapping_sub(1), "name")
    };
    let (target, name) = match (one.is_there, two.is_there) {
        (true, false) => (one, two),
        (false, true) => (two, one),
        _ if named(two) => (one, two),
        _ if named(one) => (two, one),
        _ => (one, two),
    };
    let flag = if hard { "" } else { " -s" };
    let about = if hard { "makes a hard link" } else { "makes a symbolic link" };
    let command = format!("ln{flag} {} {}", scan.quoted(&target.path), scan.quoted(&name.path));
    several(vec![(command, about)], &scan.used, 0.0, "files-link")
}
