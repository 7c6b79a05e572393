//! Archives: create, unpack, list, test, append. The ending of the name selects the tool.

use crate::embedded::analysis::AnalyzedQuery;
use crate::embedded::draft::Draft;
use crate::embedded::files::scan::{NamedFile, WordScan};
use crate::embedded::files::several;
use crate::embedded::shell_syntax;

mod create;
mod format;

pub use format::is_archive;
use format::{Format, format_said, take_words};

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
        return create::create(reading);
    }
    Vec::new()
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

const UNPACKS: &str = "unpacks the archive";

fn extract(reading: &AnalyzedQuery<'_>) -> Vec<Draft> {
    let mut scan = WordScan::new(reading);
    let mut objects = scan.objects(false);
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
        return extract_each(&mut scan, format);
    }
    let found = archive(&mut scan, &objects);
    let by_guess = found.is_none();
    let Some((path, format)) = found.or_else(|| only_archive(&mut scan)) else { return Vec::new() };
    take_words(&mut scan);
    let goal = extract_goal(&scan, &objects, &path);
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
    let Some(command) = extract_command(&scan, format, &spelled, &inner, goal.as_ref(), keeps) else {
        return Vec::new();
    };
    several(vec![(command, UNPACKS)], &scan.used, if by_guess { 0.05 } else { 0.0 }, "files-extract")
}

/// Unpacks every archive of the format in the current directory.
fn extract_each(scan: &mut WordScan<'_, '_>, format: Format) -> Vec<Draft> {
    let reading = scan.reading;
    take_words(scan);
    scan.take(&["all", "each", "every", "here"]);
    let own = scan.says(&["own", "separate", "separately"]).is_some() || reading.has("directory");
    scan.take(&["directory"]);
    scan.take_said(&["own", "separate", "same"]);
    let dialect = reading.place.dialect;
    let ending = format.ending();
    let file = shell_syntax::file_variable(dialect);
    let inner = match format {
        Format::Zip if own && shell_syntax::has_parameter_expansion(dialect) => {
            "unzip \"$f\" -d \"${f%.zip}\"".to_owned()
        }
        Format::Zip => format!("unzip {file}"),
        Format::Seven => format!("7z x {file}"),
        Format::Rar => format!("unrar x {file}"),
        Format::Gz => return several(vec![("gunzip *.gz".to_owned(), UNPACKS)], &scan.used, 0.0, "files-extract"),
        Format::Bz2 => return several(vec![("bunzip2 *.bz2".to_owned(), UNPACKS)], &scan.used, 0.0, "files-extract"),
        Format::Xz => return several(vec![("unxz *.xz".to_owned(), UNPACKS)], &scan.used, 0.0, "files-extract"),
        Format::Zst => return several(vec![("unzstd *.zst".to_owned(), UNPACKS)], &scan.used, 0.0, "files-extract"),
        _ => format!("tar -xf {file}"),
    };
    let command = shell_syntax::for_each_file(dialect, &format!("*.{ending}"), &inner);
    several(vec![(command, "unpacks each of the archives")], &scan.used, 0.0, "files-extract")
}

/// Where the user wants the files: a directory beside the archive's name, in words or as a path.
fn extract_goal(scan: &WordScan<'_, '_>, objects: &[NamedFile], path: &str) -> Option<NamedFile> {
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
    goal.or_else(|| {
        let tmp = scan.says(&["home"])?;
        Some(NamedFile {
            at: tmp,
            path: "~".to_owned(),
            is_there: true,
            is_directory: true,
            is_goal: true,
            place: None,
        })
    })
}

/// `inner` are the members to unpack, each behind a space; without any, all are.
fn extract_command(
    scan: &WordScan<'_, '_>,
    format: Format,
    spelled: &str,
    inner: &str,
    goal: Option<&NamedFile>,
    keeps: bool,
) -> Option<String> {
    let (make, target) = match goal {
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
    Some(match (format, &target) {
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
        (Format::Bz2 | Format::Xz | Format::Zst, Some(_)) => return None,
        (_, Some(target)) => format!("{make}tar -xf {spelled} -C {target}{inner}"),
        (_, None) => format!("tar -xf {spelled}{inner}"),
    })
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
