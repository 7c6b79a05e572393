//! Changes the contents of a named file: writes text into it, splits it, joins files.

use crate::embedded::analysis::AnalyzedQuery;
use crate::embedded::draft::Draft;
use crate::embedded::entities::{self, Entity};
use crate::embedded::files::scan::{NamedFile, WordScan};
use crate::embedded::files::several;
use crate::embedded::shell_syntax;
use crate::embedded::slots::single;

/// The text to write: quoted, or the words between the verb and the destination.
fn written(scan: &mut WordScan<'_, '_>, verb: usize, end: usize) -> Option<String> {
    if let Some(at) =
        (0..scan.len()).find(|at| matches!(scan.thing(*at), Some(Entity::Text(_))) && scan.path(*at).is_none())
    {
        scan.mark(at);
        for place in verb..at {
            if matches!(
                scan.low(place),
                "line" | "text" | "word" | "string" | "content" | "words" | "contents" | "saying" | "containing"
            ) {
                scan.mark(place);
            }
        }
        return match scan.thing(at) {
            Some(Entity::Text(text)) => Some(text.clone()),
            _ => None,
        };
    }
    let mut from = verb + 1;
    while from < end
        && (scan.is(from, "contain")
            || matches!(
                scan.low(from),
                "the"
                    | "a"
                    | "an"
                    | "line"
                    | "text"
                    | "word"
                    | "words"
                    | "string"
                    | "saying"
                    | "new"
                    | "that"
                    | "says"
                    | "with"
                    | "content"
                    | "contents"
                    | "of"
                    | "is"
            ))
    {
        scan.mark(from);
        from += 1;
    }
    let mut to = end;
    while to > from
        && (crate::embedded::files::scan::TOWARDS.contains(&scan.low(to - 1))
            || matches!(scan.low(to - 1), "the" | "file" | "end" | "of" | "at" | "in" | "my" | "a" | "bottom"))
    {
        to -= 1;
    }
    // The output of a command is not a text: `put a list of the files into x`.
    let asks = |at: usize| {
        ["file", "directory", "name", "count", "size", "show", "largest", "newest", "all"]
            .iter()
            .any(|meaning| scan.is(at, meaning))
    };
    if from >= to || to - from > 12 || (from..to).any(asks) {
        return None;
    }
    let words: Vec<&str> = (from..to).filter_map(|at| scan.word(at)).map(|word| word.text.as_str()).collect();
    scan.mark_all(from, to);
    Some(words.join(" "))
}

/// Binary formats that appended text would corrupt: `add a border to photo.jpg`.
fn is_no_text(path: &str) -> bool {
    const ENDINGS: &[&str] = &[
        "jpg", "jpeg", "png", "gif", "webp", "bmp", "svg", "pdf", "mp3", "mp4", "mkv", "mov", "avi", "wav", "flac",
        "ogg", "docx", "xlsx", "pptx", "db", "sqlite", "exe", "bin", "iso", "o", "so", "class", "jar", "pyc",
    ];
    path.rsplit_once('.').is_some_and(|(_, ending)| ENDINGS.contains(&ending.to_lowercase().as_str()))
}

pub fn write(reading: &AnalyzedQuery<'_>) -> Vec<Draft> {
    let mut scan = WordScan::new(reading);
    if reading.has("replace")
        || reading.has("sort")
        || reading.has("compress")
        || reading.has("copy")
        || reading.has("move")
        || reading.has("permission")
    {
        return Vec::new();
    }
    let append = reading.find("append").or_else(|| scan.says(&["append", "add"]));
    let verb = append
        .or_else(|| scan.says(&["write", "put", "echo", "insert"]))
        .or_else(|| reading.find("save"))
        .or_else(|| {
            reading.find("create").filter(|_| {
                reading.has("content") || reading.has("contain") || scan.says(&["saying", "text", "with"]).is_some()
            })
        });
    let Some(verb) = verb else { return Vec::new() };
    let creates = reading.is(verb, "create");
    let objects = scan.objects(false);
    let files: Vec<&NamedFile> =
        objects.iter().filter(|object| !object.is_directory || object.path.contains('.')).collect();
    let [file] = files.as_slice() else { return Vec::new() };
    if entities::is_packed(&file.path) || objects.len() > 1 && append.is_some() {
        return Vec::new();
    }
    if scan.word(file.at).is_some_and(|word| matches!(word.thing, Some(Entity::Text(_)))) && !file.is_there {
        return Vec::new();
    }
    scan.mark(verb);
    let text = if file.at < verb || creates {
        let after = scan
            .says(&["saying", "containing", "with", "text", "content", "contents"])
            .filter(|at| *at > file.at)
            .unwrap_or(file.at);
        let end = scan.len();
        written(&mut scan, after, end)
    } else {
        written(&mut scan, verb, file.at)
    };
    // `save` usually refers to the output of a command, so only a quoted text counts.
    let quoted = (0..scan.len()).any(|at| matches!(scan.thing(at), Some(Entity::Text(_))));
    if (reading.is(verb, "save") || is_no_text(&file.path)) && !quoted {
        return Vec::new();
    }
    let numbers = scan.says(&["numbers", "number", "numbering"]).is_some() && reading.has("line");
    let Some(text) = text.filter(|text| !text.is_empty() && (!numbers || quoted)) else { return Vec::new() };
    file.take(&mut scan);
    scan.take(&["file", "append", "save", "create", "contain", "content"]);
    scan.take_said(&["end", "text", "line", "called", "named", "write", "saying", "bottom"]);
    let at_top = scan.says(&["beginning", "start", "top", "prepend"]).is_some();
    if at_top {
        return Vec::new();
    }
    if scan.leaves_out() {
        return Vec::new();
    }
    let path = scan.quoted(&file.path);
    let text = single(&text);
    let commands = if append.is_some() {
        vec![(format!("echo {text} >> {path}"), "adds the text to the end of the file")]
    } else {
        vec![(format!("echo {text} > {path}"), "writes the text into the file")]
    };
    several(commands, &scan.used, 0.0, "files-write")
}

pub fn truncate(reading: &AnalyzedQuery<'_>) -> Vec<Draft> {
    let mut scan = WordScan::new(reading);
    let verb = reading
        .find("truncate")
        .or_else(|| reading.find("empty").filter(|at| *at <= 1))
        .or_else(|| scan.says(&["clear", "blank", "wipe", "erase", "truncate"]))
        .or_else(|| reading.find("delete").filter(|_| scan.says(&["content", "contents", "内容"]).is_some()));
    let Some(verb) = verb else { return Vec::new() };
    let objects = scan.objects(false);
    let [file] = objects.as_slice() else { return Vec::new() };
    if reading.has("create") || reading.has("find") {
        return Vec::new();
    }
    scan.mark(verb);
    if file.is_directory {
        // `empty the logs directory`: the directory stays, its contents go.
        scan.take(&["directory", "content", "all", "truncate"]);
        scan.take_said(&["out", "clear"]);
        file.take(&mut scan);
        let plain = !matches!(file.path.as_str(), "/" | "~" | "." | ".." | "~/");
        if !plain || scan.leaves_out() || reading.has("delete") && !reading.has("content") {
            return Vec::new();
        }
        let command = format!("find {} -mindepth 1 -delete", scan.quoted(&file.path));
        return several(vec![(command, "deletes all that is in the directory")], &scan.used, 0.0, "files-truncate");
    }
    file.take(&mut scan);
    scan.take(&["file", "content", "truncate", "all"]);
    scan.take_said(&["out", "without", "deleting", "clear"]);
    let lines =
        ["line", "word", "column", "character", "sort", "duplicate", "not"].iter().any(|part| reading.has(part));
    if lines {
        return Vec::new();
    }
    let path = scan.quoted(&file.path);
    let size = (0..scan.len()).find_map(|at| match scan.thing(at) {
        Some(Entity::Size(size)) => Some((at, size.spelled.replace('c', ""))),
        _ => None,
    });
    let command = match size {
        Some((at, size)) => {
            scan.mark(at);
            format!("truncate -s {size} {path}")
        }
        None => shell_syntax::truncated(reading.place.dialect, &path),
    };
    if scan.leaves_out() {
        return Vec::new();
    }
    several(vec![(command, "empties the file")], &scan.used, 0.0, "files-truncate")
}

pub fn merge(reading: &AnalyzedQuery<'_>) -> Vec<Draft> {
    let mut scan = WordScan::new(reading);
    if reading.has("branch")
        || reading.has("commit")
        || reading.has("column")
        || reading.has("line")
        || scan.says(&["pdfs", "side"]).is_some()
    {
        return Vec::new();
    }
    let objects = scan.objects(false);
    if objects.iter().any(|object| entities::is_packed(&object.path)) {
        return Vec::new();
    }
    let globs = scan.globs();
    let (goals, sources): (Vec<&NamedFile>, Vec<&NamedFile>) = objects.iter().partition(|object| object.is_goal);
    let parts: Vec<String> = match (sources.len(), globs.as_slice()) {
        (2.., _) => sources.iter().map(|source| scan.quoted(&source.path)).collect(),
        (0, [(at, glob), ..]) => {
            scan.mark(*at);
            vec![glob.clone()]
        }
        _ => return Vec::new(),
    };
    sources.iter().for_each(|source| source.take(&mut scan));
    scan.take(&["merge", "file", "all", "content", "save", "create"]);
    scan.take_said(&[
        "concatenate",
        "concat",
        "cat",
        "join",
        "together",
        "single",
        "one",
        "called",
        "named",
        "big",
        "new",
        "output",
        "result",
    ]);
    let (numbers, larger): (Vec<usize>, Option<usize>) =
        ((0..scan.len()).filter(|at| scan.low(*at) == "one").collect(), reading.find("larger"));
    numbers.into_iter().chain(larger).for_each(|at| scan.mark(at));
    let parts = parts.join(" ");
    let command = match goals.first() {
        Some(goal) => {
            goal.take(&mut scan);
            format!("cat {parts} > {}", scan.quoted(&goal.path))
        }
        None if scan.says(&["into", "one", "single"]).is_some() => {
            let ending = globs.first().and_then(|(_, glob)| glob.rsplit_once('.')).map_or("txt", |(_, ending)| ending);
            format!("cat {parts} > combined.{ending}")
        }
        None => format!("cat {parts}"),
    };
    if scan.leaves_out() {
        return Vec::new();
    }
    several(vec![(command, "puts the files one after another")], &scan.used, 0.0, "files-merge")
}

pub fn split(reading: &AnalyzedQuery<'_>) -> Vec<Draft> {
    let mut scan = WordScan::new(reading);
    let objects = scan.objects(false);
    let [file] = objects.as_slice() else { return Vec::new() };
    if file.is_directory || reading.has("column") {
        return Vec::new();
    }
    file.take(&mut scan);
    scan.take(&["split", "file", "each"]);
    scan.take_said(&[
        "chunks", "chunk", "pieces", "piece", "parts", "part", "equal", "smaller", "multiple", "sized", "at most",
    ]);
    scan.take(&["smaller"]);
    let path = scan.quoted(&file.path);
    let things: Vec<(usize, Entity)> =
        (0..scan.len()).filter_map(|at| scan.thing(at).map(|thing| (at, thing.clone()))).collect();
    for (at, thing) in things {
        match thing {
            Entity::Size(size) => {
                scan.mark(at);
                let size = size.spelled.replace('c', "").replace('k', "K");
                return several(
                    vec![(format!("split -b {size} {path}"), "cuts the file into parts of this size")],
                    &scan.used,
                    0.0,
                    "files-split",
                );
            }
            Entity::Number(number) if number > 0 => {
                scan.mark(at);
                if scan.is(at + 1, "line") || reading.has("line") {
                    scan.take(&["line"]);
                    return several(
                        vec![(format!("split -l {number} {path}"), "cuts the file into parts of so many lines")],
                        &scan.used,
                        0.0,
                        "files-split",
                    );
                }
            }
            _ => {}
        }
    }
    Vec::new()
}
