//! Helpers that all readers of file queries share: what stands before a word, whether it is a place, a destination or a
//! name. Decides nothing about commands.

use aside_commands::world::FileKind;
use aside_text::speech_act::word_lists::LISTS;
use shell_line::quote;

use crate::embedded::analysis::{AnalyzedQuery, ExplainedWords, QueryWord};
use crate::embedded::entities::{self, Entity};

pub struct WordScan<'r, 'a> {
    pub reading: &'r AnalyzedQuery<'a>,
    pub used: ExplainedWords,
}

/// A file or directory that the query names.
#[derive(Clone, Debug)]
pub struct NamedFile {
    pub at: usize,
    /// With its directory where the query gives one: `a.txt in docs`.
    pub path: String,
    pub is_there: bool,
    pub is_directory: bool,
    /// Follows `to`, `into`, `as` or `called`.
    pub is_goal: bool,
    /// Index of the word for the directory that it is in.
    pub place: Option<usize>,
}

impl NamedFile {
    /// Marks all words that it was read from.
    pub fn take(&self, scan: &mut WordScan<'_, '_>) {
        scan.mark(self.at);
        if let Some(place) = self.place {
            scan.mark(place);
            if scan.is(place + 1, "directory") {
                scan.mark(place + 1);
            }
            if place > 0 && scan.is(place - 1, "directory") {
                scan.mark(place - 1);
            }
        }
        let before = self.at.wrapping_sub(1);
        if matches!(scan.low(before), "named" | "called") || scan.is(before, "name") {
            scan.mark(before);
        }
    }
}

/// Words that are followed by a place.
pub const INSIDE: &[&str] = &[
    "in",
    "inside",
    "under",
    "within",
    "from",
    "of",
    "at",
    "below",
    "beneath",
    "through",
    "throughout",
    "across",
    "on",
    "underneath",
    "在",
    "里",
    "下",
];
/// Total weight of unexpressed words from which no command that changes files is drafted.
const LEFT: f32 = 0.7;
/// Words that are followed by a destination.
pub const TOWARDS: &[&str] = &["改成", "改为", "to", "into", "onto", "as", "到", "为", "成", "至"];
/// Words that may stand between a preposition and its object.
const BETWEEN: &[&str] = &[
    "the",
    "my",
    "a",
    "an",
    "this",
    "that",
    "new",
    "called",
    "named",
    "directory",
    "folder",
    "dir",
    "file",
    "path",
    "same",
    "another",
    "subdirectory",
    "subfolder",
    "our",
    "your",
    "archive",
    "目录",
    "文件夹",
    "文件",
    "archives",
    "existing",
    "location",
    "one",
    "single",
];

impl<'r, 'a> WordScan<'r, 'a> {
    pub fn new(reading: &'r AnalyzedQuery<'a>) -> Self {
        Self { reading, used: reading.unused() }
    }

    pub fn len(&self) -> usize {
        self.reading.words.len()
    }

    pub fn word(&self, at: usize) -> Option<&'r QueryWord> {
        self.reading.words.get(at)
    }

    pub fn low(&self, at: usize) -> &'r str {
        self.reading.words.get(at).map_or("", |word| word.low.as_str())
    }

    pub fn before(&self, at: usize) -> &'r str {
        at.checked_sub(1).map_or("", |before| self.low(before))
    }

    pub fn thing(&self, at: usize) -> Option<&'r Entity> {
        self.word(at).and_then(|word| word.thing.as_ref())
    }

    pub fn is(&self, at: usize, meaning: &str) -> bool {
        self.reading.is(at, meaning)
    }

    pub fn has(&self, meaning: &str) -> bool {
        self.reading.has(meaning)
    }

    /// The first of these words, as typed.
    pub fn says(&self, words: &[&str]) -> Option<usize> {
        (0..self.len()).find(|at| words.contains(&self.low(*at)) && self.thing(*at).is_none())
    }

    pub fn mark(&mut self, at: usize) {
        self.used.mark(at);
    }

    pub fn mark_all(&mut self, from: usize, to: usize) {
        (from..to).for_each(|at| self.used.mark(at));
    }

    /// Marks all words with these meanings, and returns whether there was one.
    pub fn take(&mut self, meanings: &[&str]) -> bool {
        self.reading.take(&mut self.used, meanings)
    }

    /// Marks these words as typed, and returns whether there was one.
    pub fn take_said(&mut self, words: &[&str]) -> bool {
        let places: Vec<usize> =
            (0..self.len()).filter(|at| words.contains(&self.low(*at)) && self.thing(*at).is_none()).collect();
        places.iter().for_each(|at| self.used.mark(*at));
        !places.is_empty()
    }

    /// Whether too much of the query is not expressed to destroy anything.
    pub fn leaves_out(&self) -> bool {
        let words = self.reading.words.iter().enumerate();
        let left: f32 = words
            .filter(|(at, _)| !self.used.has(*at))
            .map(|(_, word)| word.weight)
            .filter(|weight| *weight > 0.3)
            .sum();
        left >= LEFT
    }

    /// The first word before this one that is not an article: it decides how this one is meant.
    pub fn leads(&self, at: usize) -> &'r str {
        let mut place = at;
        while let Some(before) = place.checked_sub(1) {
            let low = self.low(before);
            if !BETWEEN.contains(&low) {
                return low;
            }
            place = before;
        }
        ""
    }

    pub fn is_inside(&self, at: usize) -> bool {
        INSIDE.contains(&self.leads(at))
    }

    pub fn is_goal(&self, at: usize) -> bool {
        let leads = self.leads(at);
        // `移动到`, `重命名为`: the verb includes the preposition.
        TOWARDS.contains(&leads)
            || !leads.is_ascii() && leads.chars().count() > 1 && leads.ends_with(['到', '为', '成', '至'])
    }

    pub fn beside_directory(&self, at: usize) -> bool {
        at.checked_sub(1).is_some_and(|before| self.is(before, "directory")) || self.is(at + 1, "directory")
    }

    /// A path, a quoted name, or a word that is nothing else.
    pub fn name(&self, at: usize) -> Option<String> {
        let word = self.word(at)?;
        match &word.thing {
            Some(Entity::Path(path)) => Some(path.clone()),
            Some(Entity::Text(text)) => Some(text.clone()),
            Some(Entity::Variable(variable)) => Some(variable.clone()),
            Some(
                Entity::Branch(name)
                | Entity::Tag(name)
                | Entity::Remote(name)
                | Entity::Process(name)
                | Entity::User(name)
                | Entity::Host(name),
            ) => Some(name.clone()),
            Some(_) => None,
            None if word.entry.is_some() => Some(word.text.clone()),
            None if word.concept.is_none() => Some(word.text.clone()),
            // A single letter is a name, even if a tool has the same name.
            None if word.low.len() == 1 && word.weight >= 1.0 => Some(word.text.clone()),
            None => None,
        }
    }

    /// Whether the word is none of this domain's own words.
    pub fn is_bare(&self, at: usize) -> bool {
        const SPOKEN: &[&str] = &[
            "file",
            "directory",
            "not",
            "contain",
            "older",
            "newer",
            "larger",
            "smaller",
            "sort",
            "size",
            "name",
            "here",
            "recursive",
            "flat",
            "count",
            "case",
            "change",
            "access",
            "create",
            "delete",
            "move",
            "copy",
            "first",
            "last",
            "starting-with",
            "ending-with",
            "extension",
            "show",
            "find",
            "total",
            "largest",
            "smallest",
            "newest",
            "oldest",
            "level",
            "human",
            "long",
            "match",
            "line",
        ];
        self.word(at).is_some_and(|word| {
            word.thing.is_none() && word.weight >= 0.9 && !SPOKEN.contains(&self.reading.meaning(at))
        })
    }

    /// A certain path: it exists here, or is spelled like one.
    pub fn path(&self, at: usize) -> Option<String> {
        let word = self.word(at)?;
        match &word.thing {
            Some(Entity::Path(path)) => Some(path.clone()),
            Some(Entity::Variable(variable)) => Some(variable.clone()),
            Some(Entity::Text(text))
                if text.starts_with('.')
                    && !text.contains('/')
                    && (self.is(at + 1, "file") || self.is(at + 1, "extension")) =>
            {
                let _ = text;
                None
            }
            Some(Entity::Text(text))
                if word.entry.is_some() || entities::is_file_name(text) || text.starts_with(['/', '~', '.']) =>
            {
                Some(text.clone())
            }
            _ => None,
        }
    }

    pub fn is_directory(&self, at: usize) -> bool {
        let Some(word) = self.word(at) else { return false };
        if let Some(kind) = word.entry {
            return kind == FileKind::Directory;
        }
        let text = word.text.as_str();
        let last = text.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        self.beside_directory(at) || text.ends_with('/') || matches!(last, "." | ".." | "~" | "") || !last.contains('.')
    }

    /// The files and directories that the query names, in order. With `loosely`, unknown words count too.
    pub fn objects(&self, loosely: bool) -> Vec<NamedFile> {
        let mut objects: Vec<NamedFile> = Vec::new();
        let mut last = None;
        // `a file in docs called x`: the place comes first.
        let mut place_first: Option<(usize, String)> = None;
        for at in 0..self.len() {
            let Some(word) = self.word(at) else { continue };
            // In `the names of files` the preposition is no name.
            let named = matches!(self.before(at), "named" | "called" | "叫" | "名为")
                || self.is(at.wrapping_sub(1), "name") && !LISTS.prepositions.contains(word.low.as_str());
            // `to out`, `folder photos`: in these positions any word is a name.
            let ends = at + 1 == self.len() || self.is(at + 1, "directory") || self.low(at + 1) == "and";
            let aimed = loosely
                && word.text.len() > 1
                && !word.text.contains(' ')
                && !matches!(
                    word.thing,
                    Some(Entity::Email(_) | Entity::Url(_) | Entity::Host(_) | Entity::Address(_) | Entity::Port(_))
                )
                && !BETWEEN.contains(&word.low.as_str())
                && (TOWARDS.contains(&self.before(at)) && ends && !self.is(at, "here")
                    || matches!(self.before(at), "dir" | "mkdir" | "directory" | "folder")
                        && at + 1 == self.len()
                        && !self.is(at, "recursive")
                    || matches!(self.before(at), "directory" | "folder" | "dir" | "mkdir")
                        && word.weight >= 0.9
                        && !INSIDE.contains(&word.low.as_str())
                        && !matches!(word.low.as_str(), "named" | "called" | "if" | "recursively"));
            let dotted =
                matches!(word.thing, Some(Entity::Kind(_))) && word.text.starts_with('.') && !self.is(at + 1, "file");
            let text = match self.path(at) {
                Some(path) => path,
                None if dotted || aimed && !matches!(word.thing, Some(Entity::Glob(_))) => word.text.clone(),
                None if named || loosely && !self.is_unnamed(at) => match self.name(at) {
                    Some(name) if !name.contains(['*', '?']) => name,
                    None if named && word.thing.is_none() => word.text.clone(),
                    _ => continue,
                },
                None => continue,
            };
            let is_directory = self.is_directory(at);
            let is_place = matches!(self.leads(at), "in" | "inside" | "from" | "under" | "within" | "of") && !named;
            // `a.txt in docs`, `b.txt from src`: all objects named before are in that directory.
            let of_last = last.is_some_and(|last| at - last <= 4) && self.leads(at) != "of";
            if is_place && is_directory && of_last && objects.iter().any(|object| !object.path.contains('/')) {
                let root = text.trim_end_matches('/');
                for object in
                    objects.iter_mut().filter(|object| object.place.is_none() && !object.path.starts_with(['/', '~']))
                {
                    object.path = format!("{root}/{}", object.path);
                    object.place = Some(at);
                }
                continue;
            }
            let names_follow = (at + 1..self.len()).any(|later| matches!(self.low(later), "named" | "called"));
            if is_place && is_directory && objects.is_empty() && names_follow && loosely {
                place_first = Some((at, text));
                continue;
            }
            last = Some(at);
            if let Some((place, root)) = &place_first {
                let path = format!("{}/{text}", root.trim_end_matches('/'));
                objects.push(NamedFile {
                    at,
                    path,
                    is_there: false,
                    is_directory: false,
                    is_goal: false,
                    place: Some(*place),
                });
                continue;
            }
            objects.push(NamedFile {
                at,
                path: text,
                is_there: self.is_there(at),
                is_directory,
                is_goal: self.is_goal(at) || named && !objects.is_empty(),
                place: None,
            });
        }
        objects
    }

    /// Whether it is a function word, which is never a name by itself.
    fn is_unnamed(&self, at: usize) -> bool {
        let Some(word) = self.word(at) else { return true };
        word.concept.is_some() && word.low.len() > 1 && !matches!(word.thing, Some(Entity::Path(_) | Entity::Text(_)))
            || word.text.chars().count() < 2 && !word.text.bytes().all(|byte| byte.is_ascii_alphanumeric())
            || matches!(
                word.low.as_str(),
                "named"
                    | "called"
                    | "nested"
                    | "subfolders"
                    | "new"
                    | "contents"
                    | "together"
                    | "single"
                    | "it"
                    | "another"
                    | "blank"
                    | "up"
                    | "parent"
                    | "home"
                    | "instead"
                    | "again"
                    | "cd"
                    | "go"
                    | "level"
                    | "levels"
                    | "following"
                    | "structure"
                    | "enter"
                    | "preserving"
                    | "preserve"
                    | "timestamp"
                    | "timestamps"
                    | "attributes"
                    | "metadata"
            )
    }

    /// The patterns and kinds in the query, as patterns.
    pub fn globs(&self) -> Vec<(usize, String)> {
        let glob = |at: usize| match self.thing(at)? {
            Entity::Glob(glob) => Some((at, glob.clone())),
            Entity::Kind(endings) => endings.first().map(|ending| (at, format!("*.{ending}"))),
            _ => None,
        };
        (0..self.len()).filter_map(glob).collect()
    }

    pub fn is_there(&self, at: usize) -> bool {
        self.word(at).is_some_and(|word| word.entry.is_some() || matches!(word.text.as_str(), "." | ".." | "~" | "/"))
    }

    pub fn quoted(&self, text: &str) -> String {
        spell(text, self.reading)
    }
}

/// A path as a word of the command; keeps a leading dash from being read as a flag.
pub fn spell(text: &str, reading: &AnalyzedQuery<'_>) -> String {
    if text.starts_with('$') && text[1..].bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
        return format!("\"{text}\"");
    }
    let safe = if text.starts_with('-') { format!("./{text}") } else { text.to_owned() };
    quote::word(&safe, reading.place.dialect)
}
