//! Archives: create, unpack, list, test, append. The ending of the name selects the tool.

use shell_line::Dialect;

use crate::embedded::analysis::AnalyzedQuery;
use crate::embedded::draft::Draft;
use crate::embedded::entities::Entity;
use crate::embedded::files::scan::{NamedFile, WordScan};
use crate::embedded::files::several;
use crate::embedded::slots::single;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Tar,
    TarGz,
    TarBz2,
    TarXz,
    TarZst,
    Zip,
    Seven,
    Rar,
    Gz,
    Bz2,
    Xz,
    Zst,
}

impl Format {
    /// The format by the end of a name.
    fn of(name: &str) -> Option<Self> {
        let low = name.to_lowercase();
        const ENDS: &[(&str, Format)] = &[
            (".tar.gz", Format::TarGz),
            (".tgz", Format::TarGz),
            (".tar.bz2", Format::TarBz2),
            (".tbz2", Format::TarBz2),
            (".tbz", Format::TarBz2),
            (".tar.xz", Format::TarXz),
            (".txz", Format::TarXz),
            (".tar.zst", Format::TarZst),
            (".tar", Format::Tar),
            (".zip", Format::Zip),
            (".jar", Format::Zip),
            (".7z", Format::Seven),
            (".rar", Format::Rar),
            (".gz", Format::Gz),
            (".bz2", Format::Bz2),
            (".xz", Format::Xz),
            (".zst", Format::Zst),
        ];
        ENDS.iter().find(|(end, _)| low.ends_with(end)).map(|(_, format)| *format)
    }

    /// The format by a word for it.
    fn said(low: &str) -> Option<Self> {
        // `tar up`, `zip up` are one word of the reading.
        let low = low.strip_suffix(" up").unwrap_or(low);
        Some(match low.trim_start_matches("*.").trim_start_matches('.') {
            "tar.gz" | "tgz" | "tarball" | "targz" | "tarballs" => Format::TarGz,
            "tar" => Format::Tar,
            "tar.bz2" | "tbz2" | "tar.bzip2" => Format::TarBz2,
            "tar.xz" | "txz" => Format::TarXz,
            "tar.zst" | "tar.zstd" => Format::TarZst,
            "zip" | "zipfile" | "zips" | "unzip" | "zipped" => Format::Zip,
            "7z" | "7zip" | "7-zip" => Format::Seven,
            "rar" | "unrar" => Format::Rar,
            "gz" | "gzip" | "gunzip" | "gzipped" => Format::Gz,
            "bz2" | "bzip2" | "bunzip2" => Format::Bz2,
            "xz" | "unxz" => Format::Xz,
            "zst" | "zstd" => Format::Zst,
            _ => return None,
        })
    }

    fn ending(self) -> &'static str {
        match self {
            Format::Tar => "tar",
            Format::TarGz => "tar.gz",
            Format::TarBz2 => "tar.bz2",
            Format::TarXz => "tar.xz",
            Format::TarZst => "tar.zst",
            Format::Zip => "zip",
            Format::Seven => "7z",
            Format::Rar => "rar",
            Format::Gz => "gz",
            Format::Bz2 => "bz2",
            Format::Xz => "xz",
            Format::Zst => "zst",
        }
    }

    fn is_tar(self) -> bool {
        matches!(self, Format::Tar | Format::TarGz | Format::TarBz2 | Format::TarXz | Format::TarZst)
    }

    /// Formats that compress one file into one file.
    fn is_single(self) -> bool {
        matches!(self, Format::Gz | Format::Bz2 | Format::Xz | Format::Zst)
    }

    /// The same compression around a tar.
    fn with_tar(self) -> Self {
        match self {
            Format::Gz => Format::TarGz,
            Format::Bz2 => Format::TarBz2,
            Format::Xz => Format::TarXz,
            Format::Zst => Format::TarZst,
            other => other,
        }
    }

    fn tar_flags(self) -> &'static str {
        match self {
            Format::TarGz => "-czf",
            Format::TarBz2 => "-cjf",
            Format::TarXz => "-cJf",
            Format::TarZst => "--zstd -cf",
            _ => "-cf",
        }
    }
}

pub fn draft(reading: &AnalyzedQuery<'_>) -> Vec<Draft> {
    let scan = WordScan::new(reading);
    let named = (0..scan.len()).any(|at| scan.path(at).is_some_and(|path| is_archive(&path)));
    let said = format_said(&scan).is_some() || reading.has("archive");
    let extracts =
        reading.has("extract") || scan.says(&["unrar", "un-tar", "open", "unzip"]).is_some() && (named || said);
    if ["commit", "branch", "process", "replace"].iter().any(|alien| reading.has(alien)) {
        return Vec::new();
    }
    let not_extracted = reading.find("not").is_some_and(|not| scan.is(not + 1, "extract"));
    if extracts && !not_extracted {
        return extract(reading);
    }
    let shows = reading.has("show")
        || reading.has("content")
        || scan.says(&["what", "what's", "whats", "which", "inside", "read", "how"]).is_some()
        || reading.has("count");
    let compresses = reading.has("compress")
        || reading.has("archive")
        || said && (reading.has("create") || scan.says(&["make"]).is_some() || reading.has("backup"));
    let to_archive = (0..scan.len()).any(|at| scan.is_goal(at) && scan.path(at).is_some_and(|path| is_archive(&path)));
    let compresses = compresses || to_archive && (reading.has("backup") || reading.has("save"));
    let tests =
        reading.has("test") || scan.says(&["verify", "integrity", "corrupt", "corrupted", "valid", "intact"]).is_some();
    if named && tests {
        return test(reading);
    }
    let adds = scan.says(&["add", "append", "update", "put"]).is_some();
    if named && adds {
        return add(reading);
    }
    if named && shows && !reading.has("create") && !reading.has("delete") {
        let listed = list(reading);
        if !listed.is_empty() {
            return listed;
        }
    }
    let looks = shows && said && !named && (reading.has("content") || scan.says(&["in", "inside"]).is_some());
    if looks && !reading.has("create") && !reading.has("find") && scan.objects(false).is_empty() {
        return list(reading);
    }
    if compresses && !reading.has("delete") && !reading.has("find") && !reading.has("count") {
        return create(reading);
    }
    Vec::new()
}

pub fn is_archive(path: &str) -> bool {
    Format::of(path).is_some() && Format::said(path).is_none()
}

/// The archive format that the query names, and where.
fn format_said(scan: &WordScan<'_, '_>) -> Option<(usize, Format)> {
    let last = |at: &usize| {
        let word = scan.word(*at)?;
        if matches!(word.thing, Some(Entity::Text(_))) {
            return None;
        }
        Format::said(&word.low).map(|format| (*at, format))
    };
    // `tar the folder into a tar.gz`: the more specific word wins.
    let all: Vec<(usize, Format)> = (0..scan.len()).collect::<Vec<_>>().iter().filter_map(last).collect();
    all.iter().find(|(_, format)| !matches!(format, Format::Tar | Format::Zip)).or_else(|| all.first()).copied()
}

/// The archive that the query names, or the only one here.
fn archive(scan: &mut WordScan<'_, '_>, objects: &[NamedFile]) -> Option<(String, Format)> {
    let found = objects.iter().find(|object| is_archive(&object.path))?;
    let format = Format::of(&found.path)?;
    found.clone().take(scan);
    Some((found.path.clone(), format))
}

fn only_archive(scan: &mut WordScan<'_, '_>) -> Option<(String, Format)> {
    let said = format_said(scan);
    if said.is_none() && !scan.has("archive") {
        return None;
    }
    let entries = scan.reading.place.world.entries(scan.reading.place.cwd).yes()?;
    let fits = |name: &str| {
        let format = Format::of(name)?;
        let same = said.is_none_or(|(_, said)| said == format || said == Format::Tar && format.is_tar());
        same.then(|| (name.to_owned(), format))
    };
    let mut found = entries.iter().filter_map(|entry| fits(&entry.name));
    let only = found.next()?;
    found.next().is_none().then_some(only)
}

fn take_words(scan: &mut WordScan<'_, '_>) {
    for at in 0..scan.len() {
        if scan
            .word(at)
            .is_some_and(|word| Format::said(&word.low).is_some() && !matches!(word.thing, Some(Entity::Text(_))))
        {
            scan.mark(at);
        }
    }
    scan.take(&["archive", "file"]);
    scan.take_said(&["called", "named", "using", "zipped"]);
}

fn extract(reading: &AnalyzedQuery<'_>) -> Vec<Draft> {
    let mut scan = WordScan::new(reading);
    let mut objects = scan.objects(false);
    let about = "unpacks the archive";
    // `untar a.tar in old`: if the archive is in the current directory, the named one is the destination.
    let mut into = None;
    for object in &mut objects {
        if let (Some(place), true) = (object.place, scan.is_there(object.at))
            && let Some(name) = scan.path(object.at)
        {
            (object.path, object.place) = (name, None);
            into = scan.path(place).map(|path| NamedFile {
                at: place,
                path,
                is_there: scan.is_there(place),
                is_directory: true,
                is_goal: true,
                place: None,
            });
        }
    }
    objects.extend(into);
    let each = reading.has("all")
        || reading.has("each")
        || reading.has("every")
        || reading.find("file").is_some_and(|at| scan.low(at) == "files")
        || reading.find("archive").is_some_and(|at| scan.low(at) == "archives");
    let by_name = objects.iter().any(|object| is_archive(&object.path));
    scan.take(&["extract"]);
    scan.take_said(&["open", "unrar", "unzip"]);
    if !by_name
        && each
        && let Some((_, format)) = format_said(&scan)
    {
        take_words(&mut scan);
        scan.take(&["all", "each", "every", "here"]);
        let own = scan.says(&["own", "separate", "separately"]).is_some() || reading.has("directory");
        scan.take(&["directory"]);
        scan.take_said(&["own", "separate", "same"]);
        let fish = reading.place.dialect == Dialect::Fish;
        let ending = format.ending();
        let file = if fish { "$f" } else { "\"$f\"" };
        let inner = match format {
            Format::Zip if own && !fish => "unzip \"$f\" -d \"${f%.zip}\"".to_owned(),
            Format::Zip => format!("unzip {file}"),
            Format::Seven => format!("7z x {file}"),
            Format::Rar => format!("unrar x {file}"),
            Format::Gz => return several(vec![("gunzip *.gz".to_owned(), about)], &scan.used, 0.0, "files-extract"),
            Format::Bz2 => return several(vec![("bunzip2 *.bz2".to_owned(), about)], &scan.used, 0.0, "files-extract"),
            Format::Xz => return several(vec![("unxz *.xz".to_owned(), about)], &scan.used, 0.0, "files-extract"),
            Format::Zst => return several(vec![("unzstd *.zst".to_owned(), about)], &scan.used, 0.0, "files-extract"),
            _ => format!("tar -xf {file}"),
        };
        let command = if fish {
            format!("for f in *.{ending}; {inner}; end")
        } else {
            format!("for f in *.{ending}; do {inner}; done")
        };
        return several(vec![(command, "unpacks each of the archives")], &scan.used, 0.0, "files-extract");
    }
    let found = archive(&mut scan, &objects);
    let by_guess = found.is_none();
    let Some((path, format)) = found.or_else(|| only_archive(&mut scan)) else { return Vec::new() };
    take_words(&mut scan);
    let goal = objects
        .iter()
        .find(|object| {
            object.path != path
                && (object.is_goal || scan.is_inside(object.at) && object.is_directory)
                && !is_archive(&object.path)
        })
        .cloned();
    let goal = goal.or_else(|| {
        // `into a folder called out`, `to out`
        let loose = scan.objects(true);
        loose.into_iter().find(|object| object.is_goal && object.path != path && !is_archive(&object.path))
    });
    let goal = goal.or_else(|| {
        let tmp = scan.says(&["home"])?;
        Some(NamedFile {
            at: tmp,
            path: "~".to_owned(),
            is_there: true,
            is_directory: true,
            is_goal: true,
            place: None,
        })
    });
    let members: Vec<NamedFile> = objects
        .iter()
        .filter(|object| object.path != path && goal.as_ref().is_none_or(|goal| goal.at != object.at))
        .cloned()
        .collect();
    if let Some(goal) = &goal {
        goal.take(&mut scan);
        scan.take(&["directory"]);
        let new: Vec<usize> = (0..scan.len()).filter(|at| scan.low(*at) == "new").collect();
        new.into_iter().for_each(|at| scan.mark(at));
    }
    members.iter().for_each(|member| member.take(&mut scan));
    scan.take(&["content", "here", "all"]);
    let keeps = scan.take_said(&["keep", "keeping"]);
    if keeps {
        scan.take_said(&["original"]);
    }
    let spelled = scan.quoted(&path);
    let inner: String = members.iter().map(|member| format!(" {}", scan.quoted(&member.path))).collect();
    let (make, target) = match &goal {
        Some(goal) => {
            let target = scan.quoted(goal.path.trim_end_matches('/'));
            let make = if goal.is_there || goal.path.starts_with(['/', '~', '.']) && goal.path.len() < 5 {
                String::new()
            } else {
                format!("mkdir -p {target} && ")
            };
            (make, Some(target))
        }
        None => (String::new(), None),
    };
    let keep = if keeps { " -k" } else { "" };
    let command = match (format, &target) {
        (Format::Zip, Some(target)) => format!("unzip {spelled}{inner} -d {target}"),
        (Format::Zip, None) => format!("unzip {spelled}{inner}"),
        (Format::Seven, Some(target)) => format!("7z x {spelled} -o{target}{inner}"),
        (Format::Seven, None) => format!("7z x {spelled}{inner}"),
        (Format::Rar, Some(target)) => format!("unrar x {spelled}{inner} {target}/"),
        (Format::Rar, None) => format!("unrar x {spelled}{inner}"),
        (Format::Gz | Format::Bz2 | Format::Xz | Format::Zst, None) => {
            let tool = match format {
                Format::Gz => "gunzip",
                Format::Bz2 => "bunzip2",
                Format::Xz => "unxz",
                _ => "unzstd",
            };
            format!("{tool}{keep} {spelled}")
        }
        (Format::Gz, Some(target)) => format!("gunzip -c {spelled} > {target}"),
        (Format::Bz2 | Format::Xz | Format::Zst, Some(_)) => return Vec::new(),
        (_, Some(target)) => format!("{make}tar -xf {spelled} -C {target}{inner}"),
        (_, None) => format!("tar -xf {spelled}{inner}"),
    };
    several(vec![(command, about)], &scan.used, if by_guess { 0.05 } else { 0.0 }, "files-extract")
}

fn list(reading: &AnalyzedQuery<'_>) -> Vec<Draft> {
    let mut scan = WordScan::new(reading);
    let objects = scan.objects(false);
    let found = archive(&mut scan, &objects);
    let Some((path, format)) = found.or_else(|| only_archive(&mut scan)) else { return Vec::new() };
    if objects.len() > 1 || reading.has("size") && !reading.has("content") {
        return Vec::new();
    }
    take_words(&mut scan);
    scan.take(&["show", "content", "all", "compress"]);
    scan.take_said(&["what", "what's", "inside", "extracting", "unpacking", "which", "file", "names", "read"]);
    let counts = scan.take(&["count"]);
    if counts && format.is_single() {
        return Vec::new();
    }
    // `without extracting it` is what listing does anyway.
    if let Some(not) = reading.find("not").filter(|not| scan.is(not + 1, "extract")) {
        scan.mark_all(not, not + 2);
    }
    let path = scan.quoted(&path);
    let command = match format {
        Format::Zip if counts => format!("unzip -Z1 {path} | grep -vc '/$'"),
        _ if counts && format.is_tar() => format!("tar -tf {path} | grep -vc '/$'"),
        _ if counts => return Vec::new(),
        Format::Zip => format!("unzip -l {path}"),
        Format::Seven => format!("7z l {path}"),
        Format::Rar => format!("unrar l {path}"),
        Format::Gz => format!("zcat {path}"),
        Format::Bz2 => format!("bzcat {path}"),
        Format::Xz => format!("xzcat {path}"),
        Format::Zst => format!("zstdcat {path}"),
        _ => {
            let flag = if scan.take(&["long"]) { "-tvf" } else { "-tf" };
            format!("tar {flag} {path}")
        }
    };
    several(vec![(command, "lists what is in the archive")], &scan.used, 0.0, "files-archive-list")
}

fn test(reading: &AnalyzedQuery<'_>) -> Vec<Draft> {
    let mut scan = WordScan::new(reading);
    let objects = scan.objects(false);
    let Some((path, format)) = archive(&mut scan, &objects) else { return Vec::new() };
    take_words(&mut scan);
    scan.take(&["show", "test"]);
    scan.take_said(&["verify", "integrity", "corrupt", "corrupted", "valid", "intact", "whether", "ok"]);
    let path = scan.quoted(&path);
    let command = match format {
        Format::Zip => format!("unzip -t {path}"),
        Format::Seven => format!("7z t {path}"),
        Format::Rar => format!("unrar t {path}"),
        Format::Gz | Format::TarGz => format!("gzip -t {path}"),
        Format::Bz2 | Format::TarBz2 => format!("bzip2 -t {path}"),
        Format::Xz | Format::TarXz => format!("xz -t {path}"),
        Format::Zst | Format::TarZst => format!("zstd -t {path}"),
        Format::Tar => format!("tar -tf {path} > /dev/null"),
    };
    several(vec![(command, "tests whether the archive is whole")], &scan.used, 0.0, "files-archive-test")
}

fn add(reading: &AnalyzedQuery<'_>) -> Vec<Draft> {
    let mut scan = WordScan::new(reading);
    let objects = scan.objects(false);
    let Some((path, format)) = archive(&mut scan, &objects) else { return Vec::new() };
    let sources: Vec<NamedFile> = objects.into_iter().filter(|object| object.path != path).collect();
    if sources.is_empty() {
        return Vec::new();
    }
    take_words(&mut scan);
    scan.take(&["append", "directory"]);
    scan.take_said(&["add", "put", "update", "existing"]);
    sources.iter().for_each(|source| source.take(&mut scan));
    let spelled: Vec<String> = sources.iter().map(|source| scan.quoted(&source.path)).collect();
    let (path, sources_said) = (scan.quoted(&path), spelled.join(" "));
    let recursive = if sources.iter().any(|source| source.is_directory) { "-r " } else { "" };
    let command = match format {
        Format::Zip => format!("zip {recursive}{path} {sources_said}"),
        Format::Tar => format!("tar -rf {path} {sources_said}"),
        Format::Seven => format!("7z a {path} {sources_said}"),
        _ => return Vec::new(),
    };
    several(vec![(command, "adds it to the archive")], &scan.used, 0.0, "files-archive-add")
}

/// What to pack, as words of the command.
enum Source {
    Here,
    Paths(Vec<String>),
    Glob(String),
}

fn create(reading: &AnalyzedQuery<'_>) -> Vec<Draft> {
    let mut scan = WordScan::new(reading);
    if ["larger", "smaller", "older", "newer", "empty"].iter().any(|filter| reading.has(filter)) {
        return Vec::new();
    }
    let not = reading.find("not");
    let objects: Vec<NamedFile> =
        scan.objects(false).into_iter().filter(|object| Format::said(&object.path.to_lowercase()).is_none()).collect();
    let output =
        objects.iter().rfind(|object| is_archive(&object.path) && (object.is_goal || !object.is_there)).cloned();
    let is_output = |object: &NamedFile| output.as_ref().is_some_and(|output| output.at == object.at);
    let mut excluded: Vec<NamedFile> =
        objects.iter().filter(|object| not.is_some_and(|not| object.at > not) && !is_output(object)).cloned().collect();
    // `without node_modules`: excludes the name at any depth.
    for at in not.map_or(0..0, |not| not + 1..scan.len()) {
        let Some(word) = scan.word(at) else { break };
        if matches!(word.low.as_str(), "and" | "or" | "the" | "any" | ",") || scan.is(at, "directory") {
            continue;
        }
        if word.thing.is_some() || word.weight < 0.9 || scan.is(at, "extract") {
            break;
        }
        let path = word.text.clone();
        excluded.push(NamedFile { at, path, is_there: false, is_directory: true, is_goal: false, place: None });
    }
    let not_globs: Vec<(usize, String)> = scan
        .globs()
        .into_iter()
        .filter(|(at, _)| not.is_some_and(|not| *at > not) && Format::said(scan.low(*at)).is_none())
        .collect();
    let mut sources: Vec<NamedFile> = objects
        .iter()
        .filter(|object| !is_output(object) && !excluded.iter().any(|other| other.at == object.at))
        .cloned()
        .collect();
    // `into a zip called stuff`
    let loose_name = (0..scan.len())
        .find(|at| matches!(scan.before(*at), "called" | "named") || scan.is(at.wrapping_sub(1), "name"));
    let loose_name = loose_name.filter(|at| output.is_none() && scan.word(*at).is_some());
    if let Some(at) = loose_name {
        sources.retain(|source| source.at != at);
    }
    let format = output
        .as_ref()
        .and_then(|output| Format::of(&output.path))
        .or_else(|| format_said(&scan).map(|(_, format)| format));
    let said_format = format.is_some();
    let globs: Vec<(usize, String)> = scan
        .globs()
        .into_iter()
        .filter(|(at, _)| {
            let low = scan.low(*at);
            let is_format = Format::said(low).is_some();
            !is_format && not.is_none_or(|not| *at < not)
        })
        .collect();
    let tool_verb = reading.find("compress").map(|at| scan.low(at)).unwrap_or_default();
    let source = if !sources.is_empty() {
        sources.iter().for_each(|source| source.take(&mut scan));
        Source::Paths(sources.iter().map(|source| scan.quoted(source.path.trim_end_matches('/'))).collect())
    } else if let Some((at, glob)) = globs.first() {
        if !glob.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"*?._-".contains(&byte)) {
            return Vec::new();
        }
        scan.mark(*at);
        Source::Glob(glob.clone())
    } else if reading.has("here")
        || reading.has("all")
        || scan.says(&["this", "project"]).is_some()
        || reading.has("directory")
    {
        if scan.has("each") {
            return Vec::new();
        }
        scan.take(&["here"]);
        scan.take_said(&["project"]);
        Source::Here
    } else {
        return Vec::new();
    };
    let each = (reading.has("each") || reading.has("every") || scan.says(&["individually", "separately"]).is_some())
        && output.is_none();
    if each {
        return Vec::new();
    }
    scan.take(&["compress", "create", "directory", "file", "all", "recursive", "backup", "content", "save"]);
    scan.take_said(&["make", "compressed", "single", "one", "put", "whole", "together", "entire", "contents"]);
    take_words(&mut scan);
    let one: Vec<usize> = (0..scan.len()).filter(|at| matches!(scan.low(*at), "one" | "single" | "1")).collect();
    one.into_iter().for_each(|at| scan.mark(at));
    if let Some(not) = not {
        scan.mark(not);
        excluded.iter().for_each(|object| object.take(&mut scan));
        not_globs.iter().for_each(|(at, _)| scan.mark(*at));
        if excluded.is_empty() && not_globs.is_empty() {
            return Vec::new();
        }
    }
    if let Some(output) = &output {
        output.take(&mut scan);
    }
    let format = match format {
        Some(format) if format.is_single() => {
            let one_file = matches!(&source, Source::Paths(paths) if paths.len() == 1)
                && sources.iter().all(|source| !source.is_directory);
            if one_file { format } else { format.with_tar() }
        }
        Some(Format::Tar) if output.is_none() && tool_verb.contains("compress") => Format::TarGz,
        Some(format) => format,
        None => Format::TarGz,
    };
    // One file and no format: gzip, which is installed everywhere.
    let one_file = sources.len() == 1 && !sources[0].is_directory && output.is_none();
    if one_file
        && (!said_format || format.is_single())
        && let Source::Paths(paths) = &source
    {
        let path = &paths[0];
        let keep = if scan.take_said(&["keep", "keeping"]) {
            scan.take_said(&["original", "originals"]);
            " -k"
        } else {
            ""
        };
        let tool = match format {
            Format::Bz2 => "bzip2",
            Format::Xz => "xz",
            Format::Zst => "zstd",
            _ => "gzip",
        };
        let mut commands = vec![(format!("{tool}{keep} {path}"), "compresses the file in its place")];
        if !said_format {
            commands.push((format!("zip {path}.zip {path}"), "packs the file"));
            commands.push((format!("tar -czf {path}.tar.gz {path}"), "packs the file"));
        }
        return several(commands, &scan.used, 0.0, "files-archive");
    }
    let base = match (&source, loose_name) {
        (_, Some(at)) => {
            scan.mark(at);
            scan.mark(at.wrapping_sub(1));
            scan.word(at).map(|word| word.text.clone()).unwrap_or_default()
        }
        (Source::Paths(_), None) if sources.len() == 1 => {
            let path = sources[0].path.trim_end_matches('/');
            let name = path.rsplit('/').next().unwrap_or(path);
            if name.is_empty() || name.starts_with(['.', '~', '$']) { "archive".to_owned() } else { name.to_owned() }
        }
        _ => free_name(reading, format),
    };
    let name = match &output {
        Some(output) => output.path.clone(),
        None if Format::of(&base).is_some() => base.clone(),
        None => format!("{base}.{}", format.ending()),
    };
    let archive = scan.quoted(&name);
    let password =
        scan.take_said(&["password", "encrypted", "protected", "password-protected"]) | scan.take(&["encrypt"]);
    let secret =
        password.then(|| (0..scan.len()).find(|at| matches!(scan.thing(*at), Some(Entity::Text(_))))).flatten();
    if scan.says(&["half", "quality", "resolution", "video"]).is_some() {
        return Vec::new();
    }
    let mut leaves: Vec<String> = excluded.iter().map(|object| object.path.trim_end_matches('/').to_owned()).collect();
    leaves.extend(not_globs.iter().map(|(_, glob)| glob.clone()));
    let about = "packs it into an archive";
    let mut commands = Vec::new();
    if format.is_tar() {
        let mut parts = vec!["tar".to_owned()];
        parts.extend(leaves.iter().map(|leave| format!("--exclude={}", single(leave))));
        match &source {
            Source::Here => {
                let is_inside = !name.contains('/');
                if is_inside {
                    parts.push(format!("--exclude={}", scan.quoted(&format!("./{name}"))));
                }
                parts.push(format!("{} {archive} .", format.tar_flags()));
                // tar complains about a file that appears while it reads the directory, so the archive is created
                // before.
                let first = if is_inside { format!("touch {archive} && ") } else { String::new() };
                commands.push((format!("{first}{}", parts.join(" ")), about));
                // Runs from the parent, so that the directory itself is in the archive.
                let cwd = reading.place.cwd.trim_end_matches('/');
                if let Some((_, here)) = cwd.rsplit_once('/').filter(|(_, here)| !here.is_empty() && output.is_none()) {
                    let here = scan.quoted(here);
                    let excludes: String = leaves.iter().map(|leave| format!(" --exclude={}", single(leave))).collect();
                    commands.push((
                        format!("tar{excludes} {} ../{here}.{} -C .. {here}", format.tar_flags(), format.ending()),
                        about,
                    ));
                }
            }
            Source::Paths(paths) => {
                parts.push(format!("{} {archive} {}", format.tar_flags(), paths.join(" ")));
                commands.push((parts.join(" "), about));
                if !said_format {
                    commands.push((format!("zip -r {}.zip {}", scan.quoted(&base), paths.join(" ")), about));
                }
            }
            Source::Glob(glob) => {
                parts.push(format!("{} {archive} {glob}", format.tar_flags()));
                let packed = (parts.join(" "), about);
                if !said_format || matches!(tool_verb, "gzip") && output.is_none() {
                    commands.push((format!("gzip {glob}"), "compresses each of the files"));
                }
                commands.push(packed);
            }
        }
    } else {
        let what = match &source {
            Source::Here => ".".to_owned(),
            Source::Paths(paths) => paths.join(" "),
            Source::Glob(glob) => glob.clone(),
        };
        let has_directory = matches!(source, Source::Here) || sources.iter().any(|source| source.is_directory);
        match format {
            Format::Zip => {
                let mut flags = String::new();
                if has_directory {
                    flags.push('r');
                }
                let mut excludes: Vec<String> = excluded
                    .iter()
                    .map(|object| single(&format!("*{}/*", object.path.trim_end_matches('/'))))
                    .collect();
                excludes.extend(not_globs.iter().map(|(_, glob)| single(glob)));
                if matches!(source, Source::Here) && !name.contains('/') {
                    excludes.push(archive.clone());
                }
                let secret = match (password, secret) {
                    (true, Some(at)) => {
                        scan.mark(at);
                        scan.word(at).map(|word| format!(" -P {}", single(&word.text))).unwrap_or_default()
                    }
                    (true, None) => {
                        flags.push('e');
                        String::new()
                    }
                    _ => String::new(),
                };
                let flags = if flags.is_empty() { String::new() } else { format!(" -{flags}") };
                let excludes = if excludes.is_empty() { String::new() } else { format!(" -x {}", excludes.join(" ")) };
                commands.push((format!("zip{flags}{secret} {archive} {what}{excludes}"), about));
            }
            Format::Seven => {
                let excludes: String =
                    leaves.iter().map(|leave| format!(" {}", single(&format!("-xr!{leave}")))).collect();
                commands.push((format!("7z a {archive} {what}{excludes}"), about));
            }
            Format::Rar if leaves.is_empty() => commands.push((format!("rar a {archive} {what}"), about)),
            _ => return Vec::new(),
        }
    }
    several(commands, &scan.used, 0.0, "files-archive")
}

/// `archive` with the format's ending, unless that exists: nothing is overwritten unasked.
fn free_name(reading: &AnalyzedQuery<'_>, format: Format) -> String {
    let plain = format!("archive.{}", format.ending());
    let here = reading.place.world.entries(reading.place.cwd).yes();
    let is_taken = here.is_some_and(|entries| entries.iter().any(|entry| *entry.name == *plain));
    let cwd = reading.place.cwd.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    if is_taken && !cwd.is_empty() { cwd.to_owned() } else { "archive".to_owned() }
}
