//! Where the text comes from: named files, files of a kind, a directory with everything below it.

use aside_commands::world::{DirEntry, FileKind};
use shell_line::quote;

use crate::embedded::entities::{self, Entity};
use crate::embedded::slots;
use crate::embedded::text::pattern;
use crate::embedded::text::phrases::PhraseReader;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    /// As named, not quoted yet.
    pub files: Vec<String>,
    pub directory: Option<String>,
    /// Further directories: `in web and src`.
    pub others: Vec<String>,
    /// `*.py`
    pub globs: Vec<String>,
    /// A name was guessed from the files here, which adds a little doubt.
    pub is_guessed: bool,
    /// The words it was read from.
    pub places: Vec<usize>,
}

/// Endings of binary files.
const BINARY: &[&str] = &[
    "pdf", "jpg", "jpeg", "png", "gif", "webp", "bmp", "ico", "zip", "gz", "tgz", "tar", "xz", "bz2", "7z", "mp3",
    "mp4", "mkv", "wav", "flac", "exe", "o", "so", "a", "pyc", "class", "jar", "db", "sqlite", "docx", "xlsx", "doc",
    "xls", "bin", "iso",
];

/// Words that are followed by a file name.
const BEFORE: &str = "in|of|from|file|inside|within|into|to|with|on|through|and";

impl Source {
    pub fn read(ask: &PhraseReader<'_, '_>) -> Self {
        let mut source = Self::default();
        for place in 0..ask.len() {
            source.word(ask, place);
        }
        if source.files.is_empty() && source.globs.is_empty() {
            source.guess(ask);
        }
        // `requests to /login in access.log`: that directory does not exist and a file is named, so it is part of the
        // text.
        if let (Some(directory), true) = (&source.directory, source.is_named())
            && let Some(place) = (0..ask.len()).find(|place| {
                ask.word(*place)
                    .is_some_and(|word| word.text == *directory && word.entry.is_none() && directory.starts_with('/'))
            })
        {
            source.places.retain(|known| *known != place);
            source.directory = None;
        }
        source.only_one_of_its_kind(ask);
        source
    }

    fn word(&mut self, ask: &PhraseReader<'_, '_>, place: usize) {
        let Some(word) = ask.word(place) else { return };
        let before = place.checked_sub(1).map_or("", |before| ask.low(before));
        match &word.thing {
            // `in this project` is the current directory, even if something has that name.
            Some(Entity::Path(path))
                if before == "this"
                    && matches!(path.as_str(), "project" | "code" | "repo" | "repository" | "codebase") =>
            {
                self.places.push(place);
            }
            Some(Entity::Glob(glob))
                if pattern::is_regex(glob) || matches!(before, "regex" | "pattern" | "expression") => {}
            // `lines ending with .py` is about the text.
            Some(Entity::Kind(_) | Entity::Glob(_)) if ends_a_line(ask, place) => {}
            // `grep for console.log in src`: the search text looks like a file but is not.
            Some(Entity::Path(path))
                if word.entry.is_none()
                    && matches!(
                        before,
                        "for" | "grep" | "containing" | "contains" | "mention" | "mentions" | "string" | "word"
                    )
                    && !path.starts_with('/')
                    && ask.find_from(place + 1, "in|inside|within|under|across|=from").is_some() => {}
            Some(Entity::Path(path)) if is_directory(ask, place, path) => {
                match &self.directory {
                    Some(_) => self.others.push(path.clone()),
                    None => self.directory = Some(path.clone()),
                }
                self.places.push(place);
            }
            Some(Entity::Path(path)) => {
                if !self.files.contains(path) {
                    self.files.push(path.clone());
                }
                self.places.push(place);
            }
            // A quoted text is a file only if it exists, or if the query calls it a file.
            Some(Entity::Text(text))
                if word.entry.is_some()
                    || (text.starts_with(['/', '~']) || entities::is_file_name(text))
                        && matches!(before, "in" | "of" | "from" | "file" | "inside") =>
            {
                if word.entry == Some(FileKind::Directory) {
                    self.directory = Some(text.clone());
                } else if !self.files.contains(text) {
                    self.files.push(text.clone());
                }
                self.places.push(place);
            }
            Some(Entity::Glob(glob)) => {
                self.globs.push(glob.clone());
                self.places.push(place);
            }
            Some(Entity::Kind(endings)) => {
                self.globs.extend(endings.iter().map(|ending| format!("*.{ending}")));
                self.places.push(place);
            }
            Some(Entity::Variable(variable)) => {
                self.files.push(variable.clone());
                self.places.push(place);
            }
            // `example.com` after `in` is not a file, `file1` is.
            None if word.concept.is_none() && is_called_a_file(ask, place) => {
                self.files.push(word.text.clone());
                self.places.push(place);
            }
            _ => {}
        }
    }

    /// `the access log` is access.log, `in notes` is notes.md, if they exist here.
    fn guess(&mut self, ask: &PhraseReader<'_, '_>) {
        let Some(here) = ask.reading.place.world.entries(ask.reading.place.cwd).yes() else { return };
        for place in 0..ask.len() {
            let Some(word) = ask.word(place).filter(|word| word.thing.is_none()) else { continue };
            let next = ask.low(place + 1);
            let joined =
                [format!("{}.{next}", word.low), format!("{}_{next}", word.low), format!("{}-{next}", word.low)];
            if !next.is_empty()
                && let Some(entry) = here.iter().find(|entry| entry.kind == FileKind::File && *entry.name == *joined[0])
            {
                self.files.push(entry.name.to_string());
                self.places.extend([place, place + 1]);
                self.is_guessed = true;
                return;
            }
            let before = place.checked_sub(1).map_or("", |before| ask.low(before));
            let earlier = place.checked_sub(2).map_or("", |before| ask.low(before));
            let is_said = |word: &str| BEFORE.split('|').any(|known| known == word);
            let is_named = is_said(before) || matches!(before, "the" | "my" | "that" | "this") && is_said(earlier);
            if word.low.len() < 3 || !is_named && word.concept.is_some() {
                continue;
            }
            let mut found = here.iter().filter(|entry| is_text(entry) && stem(&entry.name) == word.low);
            if let (Some(entry), None) = (found.next(), found.next())
                && is_named
            {
                self.files.push(entry.name.to_string());
                self.places.push(place);
                self.is_guessed = true;
                return;
            }
        }
        // `in all logs`, if there is a directory of that name.
        if let Some(place) = (0..ask.len())
            .find(|place| ask.low(*place) == "logs" && ask.word(*place).is_some_and(|word| word.thing.is_none()))
        {
            if here.iter().any(|entry| entry.kind == FileKind::Directory && &*entry.name == "logs") {
                self.directory = Some("logs".to_owned());
            } else {
                self.globs.push("*.log".to_owned());
            }
            self.places.push(place);
            self.is_guessed = true;
            return;
        }
        // `errors in the log`, if there is exactly one log.
        const KINDS: &[&str] =
            &["log", "json", "csv", "tsv", "yaml", "yml", "xml", "markdown", "sql", "html", "logfile", "txt"];
        for place in 0..ask.len() {
            let Some(word) = ask.word(place).filter(|word| KINDS.contains(&word.low.as_str())) else { continue };
            if ask.low(place + 1).starts_with("file") && ask.low(place + 1) != "file" {
                continue;
            }
            let ending = if word.low == "logfile" { "log" } else { word.low.as_str() };
            let ending = entities::kind(ending).and_then(|endings| endings.into_iter().next()).unwrap_or_default();
            let mut found = here.iter().filter(|entry| is_text(entry) && entry.name.ends_with(&format!(".{ending}")));
            match (found.next(), found.next()) {
                (Some(entry), None) => self.files.push(entry.name.to_string()),
                (Some(_), Some(_)) if ending == "log" && !ask.says("commit|=git|branch") => {
                    self.globs.push("*.log".to_owned())
                }
                _ => continue,
            }
            self.places.push(place);
            self.is_guessed = true;
            return;
        }
    }

    /// `the csv` is the only one here; `csv files` are many.
    fn only_one_of_its_kind(&mut self, ask: &PhraseReader<'_, '_>) {
        let [glob] = self.globs.as_slice() else { return };
        if !self.files.is_empty() || self.directory.is_some() {
            return;
        }
        let Some(ending) = glob.strip_prefix('*') else { return };
        let Some(place) = self
            .places
            .iter()
            .copied()
            .find(|place| matches!(ask.word(*place).map(|word| &word.thing), Some(Some(Entity::Kind(_)))))
        else {
            return;
        };
        let is_many = ask.low(place + 1).ends_with('s') && ask.low(place + 1).starts_with(['f', 's', 'd'])
            || ask.says("all|=every|=each|=files|recursive|=per|=所有|=全部|=所有的")
            || ask.low(place).ends_with('s')
            || ask.low(place + 1) == "code";
        let Some(here) = ask.reading.place.world.entries(ask.reading.place.cwd).yes().filter(|_| !is_many) else {
            return;
        };
        let mut found = here.iter().filter(|entry| is_text(entry) && entry.name.ends_with(ending));
        if let (Some(entry), None) = (found.next(), found.next()) {
            self.files.push(entry.name.to_string());
            self.globs.clear();
            self.is_guessed = true;
        }
    }

    pub fn mark(&self, ask: &mut PhraseReader<'_, '_>) {
        self.places.iter().for_each(|place| ask.used.mark(*place));
        ask.take("file|directory|here|=code|=script|=scripts|=source");
    }

    pub fn is_named(&self) -> bool {
        !self.files.is_empty()
    }

    /// The names as arguments; files of a kind in one directory as a shell pattern.
    pub fn arguments(&self, ask: &PhraseReader<'_, '_>) -> Option<String> {
        let spell = |name: &String| quote_path(ask, name);
        if self.is_named() {
            return Some(self.files.iter().map(spell).collect::<Vec<_>>().join(" "));
        }
        let directory =
            self.directory.as_ref().map(|name| format!("{}/", spell(&name.trim_end_matches('/').to_owned())));
        let is_plain =
            |glob: &&String| !glob.contains([' ', '\'', '"', '$', ';', '&', '|', '(', ')', '<', '>', '`', '\\']);
        let globs: Vec<String> = self
            .globs
            .iter()
            .filter(is_plain)
            .map(|glob| format!("{}{glob}", directory.as_deref().unwrap_or_default()))
            .collect();
        (!globs.is_empty() && globs.len() == self.globs.len()).then(|| globs.join(" "))
    }

    pub fn directory(&self, ask: &PhraseReader<'_, '_>) -> String {
        let names = self.directory.iter().chain(&self.others);
        let spelled: Vec<String> = names.map(|name| quote_path(ask, name)).collect();
        if spelled.is_empty() { ".".to_owned() } else { spelled.join(" ") }
    }

    /// `find` for the files of a kind, or for all.
    pub fn find(&self, ask: &PhraseReader<'_, '_>) -> String {
        let names: Vec<String> = self.globs.iter().map(|glob| format!("-name {}", slots::single(glob))).collect();
        let names = match names.as_slice() {
            [] => String::new(),
            [one] => format!(" {one}"),
            many => format!(" \\( {} \\)", many.join(" -o ")),
        };
        format!("find {} -type f{names}", self.directory(ask))
    }

    /// The ending of the file name, which tells the column delimiter.
    pub fn ending(&self) -> &str {
        let name = self.files.first().or(self.globs.first()).map_or("", String::as_str);
        name.rsplit_once('.').map_or("", |(_, ending)| ending)
    }
}

fn ends_a_line(ask: &PhraseReader<'_, '_>, place: usize) -> bool {
    let phrases = "end with|ends with|ending with|ending in|end in|ends in|start with|starts with|starting with|begin with|beginning with|contain|containing";
    let Some(phrase) =
        (place.saturating_sub(2)..place).find_map(|near| ask.begins(near, phrases).filter(|range| range.end == place))
    else {
        return false;
    };
    (phrase.start.saturating_sub(3)..phrase.start).any(|near| ask.begins(near, "line").is_some())
}

pub fn quote_path(ask: &PhraseReader<'_, '_>, name: &str) -> String {
    if name.starts_with('$') && name[1..].bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
        return format!("\"{name}\"");
    }
    let spelled = quote::word(name, ask.reading.place.dialect);
    // A leading dash would be read as a flag.
    if spelled.starts_with('-') { format!("./{spelled}") } else { spelled }
}

fn is_text(entry: &DirEntry) -> bool {
    let ending = entry.name.rsplit_once('.').map_or("", |(_, ending)| ending);
    matches!(entry.kind, FileKind::File | FileKind::Program) && !BINARY.contains(&ending)
}

fn stem(name: &str) -> &str {
    name.split_once('.').map_or(name, |(stem, _)| stem)
}

fn is_directory(ask: &PhraseReader<'_, '_>, place: usize, path: &str) -> bool {
    let Some(word) = ask.word(place) else { return false };
    match word.entry {
        Some(kind) => kind == FileKind::Directory,
        None => {
            let last = path.rsplit('/').next().unwrap_or_default();
            let beside = |place: Option<usize>| place.is_some_and(|place| ask.reading.is(place, "directory"));
            let is_system_file =
                path.starts_with("/etc/") || path.starts_with("/var/log/") || path.starts_with("/proc/");
            path.ends_with('/')
                || matches!(path, "." | ".." | "~")
                || beside(place.checked_sub(1))
                || beside(Some(place + 1))
                || !is_system_file && !last.contains('.')
        }
    }
}

/// `file foo`, `file1`, `the foo file`
fn is_called_a_file(ask: &PhraseReader<'_, '_>, place: usize) -> bool {
    let low = ask.low(place);
    let numbered = low.strip_prefix("file").is_some_and(|rest| {
        !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_alphanumeric()) && rest.len() < 3
    });
    let before = place.checked_sub(1).map_or("", |before| ask.low(before));
    let earlier = place.checked_sub(2).map_or("", |before| ask.low(before));
    numbered
        || before == "file" && matches!(earlier, "in" | "of" | "the" | "from" | "a" | "inside")
        || matches!(before, "called" | "named") && earlier == "file"
}
