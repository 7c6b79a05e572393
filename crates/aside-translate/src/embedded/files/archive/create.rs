//! Packs files into a new archive, or compresses one file in its place.

use crate::embedded::analysis::AnalyzedQuery;
use crate::embedded::draft::Draft;
use crate::embedded::entities::Entity;
use crate::embedded::files::archive::format::{Format, format_said, is_archive, take_words};
use crate::embedded::files::scan::{NamedFile, WordScan};
use crate::embedded::files::several;
use crate::embedded::slots::single;

/// What to pack, as words of the command.
enum Source {
    Here,
    Paths(Vec<String>),
    Glob(String),
}

pub fn create(reading: &AnalyzedQuery<'_>) -> Vec<Draft> {
    let mut scan = WordScan::new(reading);
    if ["larger", "smaller", "older", "newer", "empty"].iter().any(|filter| reading.has(filter)) {
        return Vec::new();
    }
    let named = NamedParts::of(&scan);
    let NamedParts { not, output, excluded, not_globs, sources, globs, loose_name, format } = named;
    let said_format = format.is_some();
    let tool_verb = reading.find("compress").map(|at| scan.low(at)).unwrap_or_default();
    let Some(source) = pack_source(&mut scan, &sources, &globs) else { return Vec::new() };
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
        let commands = compress_one(&mut scan, &paths[0], format, said_format);
        return several(commands, &scan.used, 0.0, "files-archive");
    }
    let base = base_name(&mut scan, &source, &sources, loose_name, format);
    let name = match &output {
        Some(output) => output.path.clone(),
        None if Format::of(&base).is_some() => base.clone(),
        None => format!("{base}.{}", format.ending()),
    };
    let password = password(&mut scan);
    if scan.says(&["half", "quality", "resolution", "video"]).is_some() {
        return Vec::new();
    }
    let mut leaves: Vec<String> = excluded.iter().map(|object| object.path.trim_end_matches('/').to_owned()).collect();
    leaves.extend(not_globs.iter().map(|(_, glob)| glob.clone()));
    let pack = Pack { source: &source, name: &name, archive: scan.quoted(&name), format, leaves: &leaves };
    let commands = match format {
        _ if format.is_tar() => {
            let gzip_each = !said_format || matches!(tool_verb, "gzip") && output.is_none();
            let zip_as = (!said_format).then(|| scan.quoted(&base));
            let mut commands = pack.tar(&scan, zip_as.as_deref(), gzip_each);
            if let (Source::Here, None) = (&source, &output) {
                commands.extend(pack.tar_from_parent(&scan));
            }
            commands
        }
        Format::Zip => {
            let mut excludes: Vec<String> =
                excluded.iter().map(|object| single(&format!("*{}/*", object.path.trim_end_matches('/')))).collect();
            excludes.extend(not_globs.iter().map(|(_, glob)| single(glob)));
            let has_directory = sources.iter().any(|source| source.is_directory);
            vec![(pack.zip(&mut scan, has_directory, excludes, password), PACKS)]
        }
        Format::Seven => {
            let excludes: String = leaves.iter().map(|leave| format!(" {}", single(&format!("-xr!{leave}")))).collect();
            vec![(format!("7z a {} {}{excludes}", pack.archive, pack.what()), PACKS)]
        }
        Format::Rar if leaves.is_empty() => vec![(format!("rar a {} {}", pack.archive, pack.what()), PACKS)],
        _ => return Vec::new(),
    };
    several(commands, &scan.used, 0.0, "files-archive")
}

/// What the query names, before any of it is explained.
struct NamedParts {
    /// The word that excludes what follows.
    not: Option<usize>,
    output: Option<NamedFile>,
    excluded: Vec<NamedFile>,
    not_globs: Vec<(usize, String)>,
    sources: Vec<NamedFile>,
    globs: Vec<(usize, String)>,
    loose_name: Option<usize>,
    format: Option<Format>,
}

impl NamedParts {
    fn of(scan: &WordScan<'_, '_>) -> Self {
        let not = scan.reading.find("not");
        let objects: Vec<NamedFile> = scan
            .objects(false)
            .into_iter()
            .filter(|object| Format::said(&object.path.to_lowercase()).is_none())
            .collect();
        let output =
            objects.iter().rfind(|object| is_archive(&object.path) && (object.is_goal || !object.is_there)).cloned();
        let is_output = |object: &NamedFile| output.as_ref().is_some_and(|output| output.at == object.at);
        let mut excluded: Vec<NamedFile> = objects
            .iter()
            .filter(|object| not.is_some_and(|not| object.at > not) && !is_output(object))
            .cloned()
            .collect();
        excluded.extend(not.into_iter().flat_map(|not| excluded_names(scan, not)));
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
            .or_else(|| format_said(scan).map(|(_, format)| format));
        let globs: Vec<(usize, String)> = scan
            .globs()
            .into_iter()
            .filter(|(at, _)| {
                let low = scan.low(*at);
                let is_format = Format::said(low).is_some();
                !is_format && not.is_none_or(|not| *at < not)
            })
            .collect();
        Self { not, output, excluded, not_globs, sources, globs, loose_name, format }
    }
}

/// `without node_modules`: excludes the name at any depth.
fn excluded_names(scan: &WordScan<'_, '_>, not: usize) -> Vec<NamedFile> {
    let mut excluded = Vec::new();
    for at in not + 1..scan.len() {
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
    excluded
}

/// Named files, else a pattern, else the current directory if the query speaks of it.
fn pack_source(scan: &mut WordScan<'_, '_>, sources: &[NamedFile], globs: &[(usize, String)]) -> Option<Source> {
    let reading = scan.reading;
    if !sources.is_empty() {
        sources.iter().for_each(|source| source.take(scan));
        let quoted = sources.iter().map(|source| scan.quoted(source.path.trim_end_matches('/')));
        return Some(Source::Paths(quoted.collect()));
    }
    if let Some((at, glob)) = globs.first() {
        if !glob.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"*?._-".contains(&byte)) {
            return None;
        }
        scan.mark(*at);
        return Some(Source::Glob(glob.clone()));
    }
    let is_here = reading.has("here")
        || reading.has("all")
        || scan.says(&["this", "project"]).is_some()
        || reading.has("directory");
    if !is_here || scan.has("each") {
        return None;
    }
    scan.take(&["here"]);
    scan.take_said(&["project"]);
    Some(Source::Here)
}

fn compress_one(
    scan: &mut WordScan<'_, '_>,
    path: &str,
    format: Format,
    said_format: bool,
) -> Vec<(String, &'static str)> {
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
    commands
}

/// The archive's name without an ending, if the query has no path for it.
fn base_name(
    scan: &mut WordScan<'_, '_>,
    source: &Source,
    sources: &[NamedFile],
    loose_name: Option<usize>,
    format: Format,
) -> String {
    match (source, loose_name) {
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
        _ => free_name(scan.reading, format),
    }
}

enum Password {
    None,
    /// zip asks for it.
    Asked,
    /// The word of the query that has it.
    Said(usize),
}

fn password(scan: &mut WordScan<'_, '_>) -> Password {
    if !(scan.take_said(&["password", "encrypted", "protected", "password-protected"]) | scan.take(&["encrypt"])) {
        return Password::None;
    }
    let secret = (0..scan.len()).find(|at| matches!(scan.thing(*at), Some(Entity::Text(_))));
    secret.map_or(Password::Asked, Password::Said)
}

const PACKS: &str = "packs it into an archive";

struct Pack<'p> {
    source: &'p Source,
    name: &'p str,
    /// The name, quoted.
    archive: String,
    format: Format,
    /// What is left out.
    leaves: &'p [String],
}

impl Pack<'_> {
    fn what(&self) -> String {
        match self.source {
            Source::Here => ".".to_owned(),
            Source::Paths(paths) => paths.join(" "),
            Source::Glob(glob) => glob.clone(),
        }
    }

    /// The archive would contain itself.
    fn is_inside_source(&self) -> bool {
        matches!(self.source, Source::Here) && !self.name.contains('/')
    }

    fn tar(&self, scan: &WordScan<'_, '_>, zip_as: Option<&str>, gzip_each: bool) -> Vec<(String, &'static str)> {
        let mut parts = vec!["tar".to_owned()];
        parts.extend(self.leaves.iter().map(|leave| format!("--exclude={}", single(leave))));
        if self.is_inside_source() {
            parts.push(format!("--exclude={}", scan.quoted(&format!("./{}", self.name))));
        }
        parts.push(format!("{} {} {}", self.format.tar_flags(), self.archive, self.what()));
        let packed = parts.join(" ");
        match self.source {
            // tar complains about a file that appears while it reads the directory, so the archive is created before.
            Source::Here if self.is_inside_source() => vec![(format!("touch {} && {packed}", self.archive), PACKS)],
            Source::Here => vec![(packed, PACKS)],
            Source::Paths(_) => {
                let zipped = zip_as.map(|base| (format!("zip -r {base}.zip {}", self.what()), PACKS));
                std::iter::once((packed, PACKS)).chain(zipped).collect()
            }
            Source::Glob(glob) => {
                let each = gzip_each.then(|| (format!("gzip {glob}"), "compresses each of the files"));
                each.into_iter().chain([(packed, PACKS)]).collect()
            }
        }
    }

    /// Runs from the parent, so that the directory itself is in the archive.
    fn tar_from_parent(&self, scan: &WordScan<'_, '_>) -> Option<(String, &'static str)> {
        let cwd = scan.reading.place.cwd.trim_end_matches('/');
        let (_, here) = cwd.rsplit_once('/').filter(|(_, here)| !here.is_empty())?;
        let here = scan.quoted(here);
        let excludes: String = self.leaves.iter().map(|leave| format!(" --exclude={}", single(leave))).collect();
        let (flags, ending) = (self.format.tar_flags(), self.format.ending());
        Some((format!("tar{excludes} {flags} ../{here}.{ending} -C .. {here}"), PACKS))
    }

    fn zip(
        &self,
        scan: &mut WordScan<'_, '_>,
        has_directory: bool,
        mut excludes: Vec<String>,
        password: Password,
    ) -> String {
        let mut flags = String::new();
        if has_directory || matches!(self.source, Source::Here) {
            flags.push('r');
        }
        if self.is_inside_source() {
            excludes.push(self.archive.clone());
        }
        let secret = match password {
            Password::Said(at) => {
                scan.mark(at);
                scan.word(at).map(|word| format!(" -P {}", single(&word.text))).unwrap_or_default()
            }
            Password::Asked => {
                flags.push('e');
                String::new()
            }
            Password::None => String::new(),
        };
        let flags = if flags.is_empty() { String::new() } else { format!(" -{flags}") };
        let excludes = if excludes.is_empty() { String::new() } else { format!(" -x {}", excludes.join(" ")) };
        format!("zip{flags}{secret} {} {}{excludes}", self.archive, self.what())
    }
}

/// `archive` with the format's ending, unless that exists: nothing is overwritten unasked.
fn free_name(reading: &AnalyzedQuery<'_>, format: Format) -> String {
    let plain = format!("archive.{}", format.ending());
    let here = reading.place.world.entries(reading.place.cwd).yes();
    let is_taken = here.is_some_and(|entries| entries.iter().any(|entry| *entry.name == *plain));
    let cwd = reading.place.cwd.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    if is_taken && !cwd.is_empty() { cwd.to_owned() } else { "archive".to_owned() }
}
