//! Fills the slots of a template from the things and names of a query, and spells them for the shell.

use aside_commands::world::FileKind;
use aside_text::speech_act::word_lists::LISTS;
use shell_line::Dialect;
use shell_line::{self as line, quote};

use crate::embedded::analysis::{AnalyzedQuery, ExplainedWords, QueryWord};
use crate::embedded::arithmetic;
use crate::embedded::entities::{Entity, Time};
use crate::embedded::schedule;

/// A slot's value, spelled for the shell, and the words that it explains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilledSlot {
    pub spelled: String,
    pub words: Vec<usize>,
    pub doubt: SlotDoubt,
}

/// Whether the words are known to stand for what they are used as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotDoubt {
    None,
    /// A word with another meaning, used as a name.
    Guessed,
}

/// Runtimes and servers that have rules of their own.
const RUNTIMES: &[&str] = &[
    "node", "python", "java", "ruby", "php", "postgres", "redis", "mysql", "mongo", "docker", "nginx", "apache", "ssh",
    "cron", "firefox", "chrome",
];

/// Words that are followed by a name.
const NAMING: &[&str] = &["called", "named", "name", "叫", "名为"];
/// Words that are followed by a search text.
const MENTIONING: &[&str] = &[
    "for",
    "containing",
    "contains",
    "contain",
    "matching",
    "word",
    "string",
    "text",
    "mentioning",
    "mention",
    "about",
    "phrase",
    "包含",
];
/// Words that separate a source from its destination.
const TOWARDS: &[&str] = &["to", "into", "as", "onto", "with", "到", "为", "成"];

/// Whether a slot takes plain words as names. The others take only typed things, or what follows a word that announces
/// it.
pub fn names(slot: &str) -> bool {
    let name = slot.split(':').next().unwrap_or_default().trim_end_matches('2');
    !matches!(
        name,
        "number" | "size" | "time" | "date" | "sum" | "cron" | "zone" | "ext" | "port" | "mode" | "address" | "after"
    )
}

/// Fills the slot `name` or `name:form`. `used` marks words that are already explained.
pub fn fill(slot: &str, reading: &AnalyzedQuery<'_>, used: &ExplainedWords) -> Option<FilledSlot> {
    let (name, form) = slot.split_once(':').unwrap_or((slot, ""));
    // A second slot of the same kind: `path2`.
    let (name, skip) = match name.strip_suffix('2') {
        Some(first) => (first, 1_usize),
        None => (name, 0),
    };
    let slot = OpenSlot { form, skip, reading, used };
    slot.value(name)
        .or_else(|| slot.file(name))
        .or_else(|| slot.text(name))
        .or_else(|| slot.network(name))
        .or_else(|| slot.known_name(name))
}

/// Whether a word refers to something instead of naming it: `this project`, `my laptop`, `the server`. A program may be
/// called `my nginx`, and `my login branch` has the name before its kind.
fn refers(reading: &AnalyzedQuery<'_>, place: usize) -> bool {
    const POINTING: &[&str] = &["this", "that", "these", "those", "my", "our", "your", "their", "its"];
    const ARTICLES: &[&str] = &["the", "a", "an"];
    const COMMON: &[&str] = &[
        "project",
        "server",
        "laptop",
        "machine",
        "computer",
        "app",
        "application",
        "package",
        "program",
        "tool",
        "repo",
        "repository",
        "service",
        "container",
        "site",
        "website",
        "database",
        "device",
        "network",
        "connection",
        "thing",
        "script",
        "library",
        "box",
    ];
    let at = |place: usize| reading.words.get(place).map_or("", |word| word.low.as_str());
    let Some(word) = reading.words.get(place).filter(|word| word.thing.is_none() && word.entry.is_none()) else {
        return false;
    };
    let Some(before) = place.checked_sub(1).map(at) else { return false };
    let is_tool = word.concept.is_some() && !word.is_spoken
        || reading.place.specs.has(&word.low)
        || reading.place.world.has_program(&word.low).yes() == Some(true);
    POINTING.contains(&before) && !is_tool && !LISTS.kinds.contains(at(place + 1))
        || ARTICLES.contains(&before) && COMMON.contains(&word.low.as_str())
}

/// A slot to fill. Each of its methods knows some of the names.
struct OpenSlot<'s, 'a> {
    form: &'s str,
    /// How many words that fit are left for the slots before this one.
    skip: usize,
    reading: &'s AnalyzedQuery<'a>,
    used: &'s ExplainedWords,
}

impl OpenSlot<'_, '_> {
    fn pick(&self, accept: &dyn Fn(usize, &QueryWord) -> Option<String>) -> Option<FilledSlot> {
        let all = || self.reading.words.iter().enumerate();
        // The first of them may be filled already.
        let taken = all().filter(|(place, word)| self.used.has(*place) && accept(*place, word).is_some()).count();
        let skip = self.skip.saturating_sub(taken);
        let is_free =
            |place: usize| !self.used.has(place) && !self.reading.is_verb(place) && !refers(self.reading, place);
        let free = all().filter(|(place, _)| is_free(*place));
        let mut found = free.filter_map(|(place, word)| {
            accept(place, word).map(|spelled| FilledSlot { spelled, words: vec![place], doubt: SlotDoubt::None })
        });
        found.nth(skip)
    }

    fn quoted(&self, text: &str) -> String {
        quote::word(text, self.reading.place.dialect)
    }

    /// Numbers, sizes, times and what else has a spelling of its own.
    fn value(&self, name: &str) -> Option<FilledSlot> {
        match name {
            "number" => self.pick(&|_, word| match &word.thing {
                Some(Entity::Number(number)) => Some(number.to_string()),
                _ => None,
            }),
            "size" => self.pick(&|_, word| match &word.thing {
                Some(Entity::Size(size)) if self.form == "bytes" => Some(size.bytes.to_string()),
                Some(Entity::Size(size)) => Some(size.spelled.clone()),
                _ => None,
            }),
            "time" => self.pick(&|_, word| match &word.thing {
                Some(Entity::Time(time)) => spell_time(time, self.form, self.reading.place.dialect),
                _ => None,
            }),
            "date" => self.pick(&|_, word| match &word.thing {
                Some(Entity::Time(Time::Date(date))) => Some(self.quoted(date)),
                _ => None,
            }),
            "sum" => arithmetic::find(self.reading).map(|(spelled, words)| FilledSlot {
                spelled,
                words,
                doubt: SlotDoubt::None,
            }),
            "cron" => schedule::find(self.reading).map(|(fields, words)| FilledSlot {
                spelled: single(&fields),
                words,
                doubt: SlotDoubt::None,
            }),
            // `Europe/Berlin`, `UTC`
            "zone" => self.pick(&|_, word| {
                let is_zone = |text: &str| {
                    text.split('/').count() == 2
                        && text.split('/').all(|part| part.starts_with(|letter: char| letter.is_ascii_uppercase()))
                };
                (is_zone(&word.text) && word.entry.is_none()).then(|| self.quoted(&word.text))
            }),
            "ext" => self.pick(&|_, word| match &word.thing {
                Some(Entity::Kind(endings)) => endings.first().cloned(),
                Some(Entity::Glob(glob)) => {
                    let is_plain =
                        |ending: &&str| ending.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'.');
                    glob.strip_prefix("*.").filter(is_plain).map(str::to_owned)
                }
                _ => None,
            }),
            "mode" => self.pick(&|_, word| match &word.thing {
                Some(Entity::Mode(mode)) => Some(mode.clone()),
                _ => None,
            }),
            _ => None,
        }
    }

    /// Files and directories, and patterns of their names.
    fn file(&self, name: &str) -> Option<FilledSlot> {
        match name {
            "path" => self.pick(&|_, word| path(word).map(|text| self.quoted(&text))),
            "file" => self.pick(&|_, word| {
                let file = (word.entry != Some(FileKind::Directory)).then(|| path(word)).flatten()?;
                // The form `full` is absolute, because the command runs later and from another directory.
                let ends =
                    |ending: &str| file.rsplit_once('.').is_some_and(|(_, end)| end.eq_ignore_ascii_case(ending));
                if !matches!(self.form, "" | "full") && !ends(self.form) {
                    return None;
                }
                let is_full = file.starts_with(['/', '~', '$']);
                Some(if self.form == "full" && !is_full {
                    format!("\"$PWD\"/{}", self.quoted(&file))
                } else {
                    self.quoted(&file)
                })
            }),
            "dir" => self.pick(&|place, word| {
                is_directory(self.reading, place, word).then(|| path(word)).flatten().map(|text| self.quoted(&text))
            }),
            "from" => self.pick(&|place, word| {
                (!is_goal(self.reading, place)).then(|| path(word)).flatten().map(|text| self.quoted(&text))
            }),
            "to" => self.pick(&|place, word| {
                is_goal(self.reading, place)
                    .then(|| path(word).or_else(|| plain(word)))
                    .flatten()
                    .map(|text| self.quoted(&text))
            }),
            "glob" => self.pick(&|_, word| glob(word).map(|glob| single(&glob))),
            // This slot is outside quotes, so the value must be a pattern and nothing else.
            "bareglob" => self.pick(&|_, word| {
                let is_plain = |letter: char| letter.is_alphanumeric() || "._*?[]-/".contains(letter);
                glob(word).filter(|glob| glob.chars().all(is_plain) && !glob.starts_with('-'))
            }),
            "jsonfile" => {
                self.pick(&|_, word| path(word).filter(|text| text.ends_with(".json")).map(|text| self.quoted(&text)))
            }
            "csvfile" => {
                self.pick(&|_, word| path(word).filter(|text| text.ends_with(".csv")).map(|text| self.quoted(&text)))
            }
            _ => None,
        }
    }

    /// Words of the query itself.
    fn text(&self, name: &str) -> Option<FilledSlot> {
        match name {
            "quoted" => self.pick(&|_, word| match &word.thing {
                Some(Entity::Text(text)) => Some(spell_text(text, self.form, self.reading.place.dialect)),
                _ => None,
            }),
            "jsonkey" => self.pick(&|place, word| {
                json_key(self.reading, place, word).filter(|key| self.form != "flat" || !key.contains('.'))
            }),
            "text" => text(self.reading, self.used, self.form, self.skip),
            "name" => named(self.reading, self.used, self.skip),
            // A name that is not local but may look like a path: an image, a package of a registry.
            "ref" => self
                .pick(&|_, word| match &word.thing {
                    Some(Entity::Path(path)) if word.entry.is_none() => Some(self.quoted(path)),
                    Some(Entity::Host(host)) => Some(self.quoted(host)),
                    _ => plain(word).map(|text| self.quoted(&text)),
                })
                .or_else(|| fill(if self.skip == 0 { "word:any" } else { "word2:any" }, self.reading, self.used)),
            // A word that was not quoted, for rules in which a quoted text is something else.
            "bare" => self.pick(&|_, word| {
                (!matches!(word.thing, Some(Entity::Text(_))))
                    .then(|| plain(word))
                    .flatten()
                    .map(|text| self.quoted(&text))
            }),
            // A runtime or server: `kill all node processes`, `start redis`. These are words of other rules as well.
            "runtime" => self.pick(&|place, word| {
                (word.thing.is_none() && RUNTIMES.contains(&self.reading.meaning(place))
                    || matches!(word.thing, Some(Entity::Process(_))))
                .then(|| self.quoted(&word.text))
            }),
            "word" => self
                .pick(&|_, word| plain(word).map(|text| self.quoted(&text)))
                .or_else(|| branch_at_end(self.reading, self.used).filter(|_| self.skip == 0))
                .or_else(|| {
                    let is_name = |word: &QueryWord| word.thing.is_none() && word.weight >= 1.0 && word.low.is_ascii();
                    // The name of a tool that some rule knows, `nginx`; or, where that is allowed, any word that means
                    // something.
                    let named =
                        self.pick(&|_, word| (is_name(word) && !word.is_spoken).then(|| self.quoted(&word.text)));
                    let any = || self.pick(&|_, word| is_name(word).then(|| self.quoted(&word.text)));
                    let guessed = named.or_else(|| (self.form == "any").then(any).flatten());
                    guessed.map(|filled| FilledSlot { doubt: SlotDoubt::Guessed, ..filled })
                }),
            "variable" => self.pick(&|_, word| match &word.thing {
                Some(Entity::Variable(variable)) => Some(variable.trim_start_matches('$').to_owned()),
                None if word.text.len() > 1
                    && word.text.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_') =>
                {
                    Some(word.text.clone())
                }
                _ => None,
            }),
            // Everything behind a word: `<after:message|saying>`.
            "after" => after(self.reading, self.form),
            _ => None,
        }
    }

    /// Ports, machines and URLs.
    fn network(&self, name: &str) -> Option<FilledSlot> {
        match name {
            "port" => self.pick(&|_, word| match &word.thing {
                Some(Entity::Port(port)) => Some(port.to_string()),
                Some(Entity::Number(number)) if self.form == "any" => {
                    u16::try_from(*number).ok().map(|port| port.to_string())
                }
                _ => None,
            }),
            "address" => self.pick(&|_, word| match &word.thing {
                Some(Entity::Address(address)) => Some(address.clone()),
                _ => None,
            }),
            "host" => self.pick(&|_, word| match &word.thing {
                Some(Entity::Host(host) | Entity::Address(host)) => Some(self.quoted(host)),
                Some(Entity::Email(host)) if self.form == "login" => Some(self.quoted(host)),
                _ => None,
            }),
            "url" => self.pick(&|_, word| match &word.thing {
                Some(Entity::Url(url)) if url.starts_with("s3://") == (self.form == "s3") => Some(self.quoted(url)),
                Some(Entity::Host(host)) if self.form == "any" => Some(self.quoted(host)),
                _ => None,
            }),
            "email" => self.pick(&|_, word| match &word.thing {
                Some(Entity::Email(email)) => Some(self.quoted(email)),
                _ => None,
            }),
            // Where to copy to or from: a path on another machine, or its home directory.
            "there" => self.pick(&|_, word| match &word.thing {
                Some(Entity::Elsewhere(path)) => Some(self.quoted(path)),
                Some(Entity::Host(host) | Entity::Address(host) | Entity::Email(host)) => {
                    Some(format!("{}:", self.quoted(host)))
                }
                _ => None,
            }),
            _ => None,
        }
    }

    /// Names that this machine or its repository has.
    fn known_name(&self, name: &str) -> Option<FilledSlot> {
        match name {
            "group" => group(self.reading, self.used),
            "branch" => self
                .pick(&|place, word| match &word.thing {
                    Some(Entity::Branch(_)) if self.form == "into" && !is_goal(self.reading, place) => None,
                    Some(Entity::Branch(_)) if self.form == "from" && is_goal(self.reading, place) => None,
                    Some(Entity::Branch(branch)) => Some(self.quoted(branch)),
                    _ => None,
                })
                .or_else(|| {
                    beside(self.reading, self.used, "branch")
                        .filter(|_| self.skip == 0 && matches!(self.form, "" | "from"))
                }),
            "remote" => self.pick(&|_, word| match &word.thing {
                Some(Entity::Remote(remote)) => Some(self.quoted(remote)),
                _ if word.low == "origin" || word.low == "upstream" => Some(word.low.clone()),
                _ => None,
            }),
            "tag" => self
                .pick(&|_, word| match &word.thing {
                    Some(Entity::Tag(tag)) => Some(self.quoted(tag)),
                    _ => None,
                })
                .or_else(|| beside(self.reading, self.used, "tag").filter(|_| self.skip == 0)),
            "commit" => self.pick(&|_, word| match &word.thing {
                Some(Entity::Commit(commit)) => Some(self.quoted(commit)),
                _ => None,
            }),
            "user" => self
                .pick(&|_, word| match &word.thing {
                    Some(Entity::User(user)) => Some(self.quoted(user)),
                    _ => None,
                })
                .or_else(|| beside(self.reading, self.used, "user").filter(|_| self.skip == 0))
                .or_else(|| {
                    self.pick(&|place, word| {
                        let before = place.checked_sub(1).and_then(|before| self.reading.words.get(before));
                        (self.form == "as" && word.thing.is_none() && before.is_some_and(|word| word.low == "as"))
                            .then(|| self.quoted(&word.text))
                    })
                }),
            "process" => self
                .pick(&|_, word| match &word.thing {
                    Some(Entity::Process(process)) => Some(self.quoted(process)),
                    _ => None,
                })
                .or_else(|| beside(self.reading, self.used, "process").filter(|_| self.skip == 0)),
            _ => None,
        }
    }
}

/// The name of a JSON value: `the version from …`, `the "name" field`.
fn json_key(reading: &AnalyzedQuery<'_>, place: usize, word: &QueryWord) -> Option<String> {
    const AFTER: &[&str] = &["field", "key", "property", "value", "from", "in", "of", "out", "inside"];
    const NEVER: &[&str] = &[
        "field",
        "key",
        "property",
        "value",
        "values",
        "json",
        "show",
        "print",
        "get",
        "read",
        "what",
        "file",
        "object",
        "item",
        "element",
        "array",
        "content",
        "contents",
        "data",
        "list",
        "length",
        "size",
        "keys",
        "items",
        "everything",
    ];
    let text = match &word.thing {
        Some(Entity::Text(text)) => text.as_str(),
        None if word.weight >= 0.5 || word.concept.is_none() => word.text.as_str(),
        _ => return None,
    };
    let is_key =
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'));
    let at =
        |place: Option<usize>| place.and_then(|place| reading.words.get(place)).map_or("", |word| word.low.as_str());
    let is_named = AFTER.contains(&at(Some(place + 1)))
        || matches!(at(place.checked_sub(1)), "key" | "field" | "property" | "called" | "named" | "of");
    (is_key && !NEVER.contains(&word.low.as_str()) && is_named).then(|| text.to_owned())
}

/// A path, also a quoted one.
pub fn path(word: &QueryWord) -> Option<String> {
    match &word.thing {
        Some(Entity::Path(path)) => Some(path.clone()),
        Some(Entity::Text(text))
            if word.entry.is_some() || super::entities::is_file_name(text) || text.starts_with(['/', '~']) =>
        {
            Some(text.clone())
        }
        Some(Entity::Variable(variable)) => Some(variable.clone()),
        _ => None,
    }
}

fn is_directory(reading: &AnalyzedQuery<'_>, place: usize, word: &QueryWord) -> bool {
    let beside = |place: Option<usize>| place.is_some_and(|place| reading.is(place, "directory"));
    word.entry == Some(FileKind::Directory)
        || word.entry.is_none()
            && (beside(place.checked_sub(1)) || beside(Some(place + 1)) || word.text.ends_with('/') || is_bare(word))
}

fn is_bare(word: &QueryWord) -> bool {
    let last = word.text.rsplit('/').next().unwrap_or_default();
    !last.contains('.') || matches!(word.text.as_str(), "." | "..") || matches!(last, "." | "..")
}

/// Whether the word follows `to`, `into`, `as`.
fn is_goal(reading: &AnalyzedQuery<'_>, place: usize) -> bool {
    let mut before = reading.words[..place.min(reading.words.len())].iter().rev();
    // `to the new directory called x`
    before.by_ref().take(5).take_while(|word| word.thing.is_none()).any(|word| TOWARDS.contains(&word.low.as_str()))
}

/// An unknown word, which is most likely a name. Ordinary words are not, unless something here has that name: `myself`,
/// `the stuck process`.
fn plain(word: &QueryWord) -> Option<String> {
    let is_listed = || LISTS.unnamed.contains(word.low.as_str()) || LISTS.qualities.contains(word.low.as_str());
    let is_ordinary = || word.entry.is_none() && is_listed();
    match &word.thing {
        None if word.concept.is_none() && !word.text.is_empty() && !is_ordinary() => Some(word.text.clone()),
        Some(Entity::Text(text)) => Some(text.clone()),
        Some(Entity::Branch(name) | Entity::Remote(name) | Entity::Tag(name) | Entity::Process(name)) => {
            Some(name.clone())
        }
        Some(Entity::Host(name)) if !name.contains('.') => Some(name.clone()),
        _ => None,
    }
}

pub fn glob(word: &QueryWord) -> Option<String> {
    match &word.thing {
        Some(Entity::Glob(glob)) => Some(glob.clone()),
        Some(Entity::Kind(endings)) => endings.first().map(|ending| format!("*.{ending}")),
        Some(Entity::Text(text)) if text.contains('*') => Some(text.clone()),
        _ => None,
    }
}

/// In single quotes, so that the shell expands nothing.
pub fn single(text: &str) -> String {
    format!("'{}'", inside_single(text))
}

/// Text for between single quotes. In fish a backslash there escapes a quote or another backslash, so such a backslash
/// is written outside the quotes, where every shell reads it alike.
fn inside_single(text: &str) -> String {
    let mut spelled = String::with_capacity(text.len() + 2);
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\'' => spelled.push_str("'\\''"),
            '\\' if matches!(letters.peek(), None | Some('\\' | '\'')) => spelled.push_str("'\\\\'"),
            _ => spelled.push(letter),
        }
    }
    spelled
}

/// A text that is searched for or replaced by: quoted, or a word that is nothing else.
fn text(reading: &AnalyzedQuery<'_>, used: &ExplainedWords, form: &str, skip: usize) -> Option<FilledSlot> {
    let free = |place: &usize| !used.has(*place) && !reading.is_verb(*place);
    let mut places: Vec<usize> = (0..reading.words.len())
        .filter(free)
        .filter(|place| matches!(reading.words[*place].thing, Some(Entity::Text(_))))
        .collect();
    if places.len() <= skip {
        let unknown = (0..reading.words.len()).filter(free).filter(|place| {
            let word = &reading.words[*place];
            word.thing.is_none() && word.concept.is_none()
                || matches!(word.thing, Some(Entity::Branch(_) | Entity::User(_) | Entity::Process(_) | Entity::Tag(_)))
                || word.thing.is_none()
                    && word.text.len() > 1
                    && word.text.bytes().all(|byte| byte.is_ascii_uppercase())
        });
        places.extend(unknown);
        places.sort_unstable();
    }
    if places.len() <= skip {
        // A known word that is used as a text: `for docker`, `containing error`.
        let is_named = |place: &usize| {
            let before = place.checked_sub(1).and_then(|before| reading.words.get(before));
            let says_so = before.is_some_and(|word| MENTIONING.contains(&word.low.as_str()));
            says_so && reading.words[*place].thing.is_none() && reading.words[*place].weight > 0.0
        };
        places.extend((0..reading.words.len()).filter(free).filter(is_named));
    }
    let place = *places.get(skip)?;
    let word = &reading.words[place];
    Some(FilledSlot {
        spelled: spell_text(&word.text, form, reading.place.dialect),
        words: vec![place],
        doubt: SlotDoubt::None,
    })
}

/// `raw` is for a slot that is already inside quotes: escapes what would end them.
fn spell_text(text: &str, form: &str, dialect: Dialect) -> String {
    match form {
        "raw" => inside_single(text),
        "sed" => sed(text),
        "word" => quote::word(text, dialect),
        "command" => spell_command(text, dialect),
        _ => single(text),
    }
}

/// A quoted command to run: as it is when it is plain words, else through its own shell.
fn spell_command(text: &str, dialect: Dialect) -> String {
    let line = line::parse(text, dialect);
    let is_plain = match line.commands.as_slice() {
        [one] => {
            line.open.is_none()
                && one.assignments.is_empty()
                && one.redirections.is_empty()
                && one.words.iter().all(|word| word.fixed)
                && one.span.len() == text.len()
                && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b" ./_-:,=+@".contains(&byte))
                && text.starts_with(|letter: char| letter.is_ascii_alphanumeric())
        }
        _ => false,
    };
    if is_plain { text.to_owned() } else { format!("sh -c {}", single(text)) }
}

/// Escapes a text for a single-quoted sed command that is delimited by slashes.
pub fn sed(text: &str) -> String {
    let mut spelled = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '/' | '.' | '*' | '[' | ']' | '^' | '$' | '\\' | '&' => {
                spelled.push('\\');
                spelled.push(letter);
            }
            '\'' => spelled.push_str("'\\''"),
            _ => spelled.push(letter),
        }
    }
    spelled
}

/// The word after `called` or `named`, else the only unknown word.
fn named(reading: &AnalyzedQuery<'_>, used: &ExplainedWords, skip: usize) -> Option<FilledSlot> {
    let fits = |place: usize| {
        let word = reading.words.get(place)?;
        let text = path(word).or_else(|| plain(word)).or_else(|| word.concept.is_some().then(|| word.text.clone()))?;
        Some(FilledSlot {
            spelled: quote::word(&text, reading.place.dialect),
            words: vec![place],
            doubt: SlotDoubt::None,
        })
    };
    let after = (0..reading.words.len()).filter(|place| NAMING.contains(&reading.words[*place].low.as_str()));
    let said = after.filter_map(|place| {
        fits(place + 1).map(|mut filled| {
            filled.words.push(place);
            filled
        })
    });
    let free = (0..reading.words.len())
        .filter(|place| !used.has(*place) && !reading.is_verb(*place) && !refers(reading, *place))
        .filter(|place| path(&reading.words[*place]).is_some() || plain(&reading.words[*place]).is_some());
    let found = said.chain(free.filter_map(fits)).nth(skip);
    found.or_else(|| branch_at_end(reading, used).filter(|_| skip == 0))
}

/// The name of a branch that is also a word, as the last word: `rename this branch to dev`, `new branch test`.
fn branch_at_end(reading: &AnalyzedQuery<'_>, used: &ExplainedWords) -> Option<FilledSlot> {
    const BEFORE: &[&str] = &["branch", "分支", "to", "为", "成", "called", "named"];
    let place = reading.words.len().checked_sub(1).filter(|place| !used.has(*place) && !reading.is_verb(*place))?;
    let (word, before) = (reading.words.get(place)?, reading.words.get(place.checked_sub(1)?)?);
    let is_name = word.thing.is_none()
        && word.weight >= 1.0
        && word.low.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
        && ![&LISTS.unnamed, &LISTS.qualities, &LISTS.kinds].iter().any(|list| list.contains(word.low.as_str()));
    let is_said = reading.has("branch") && BEFORE.contains(&before.low.as_str());
    (is_name && is_said).then(|| FilledSlot {
        spelled: quote::word(&word.text, reading.place.dialect),
        words: vec![place],
        doubt: SlotDoubt::None,
    })
}

/// `the docker group`, `group docker`: also if the name is a word of other rules.
fn group(reading: &AnalyzedQuery<'_>, used: &ExplainedWords) -> Option<FilledSlot> {
    let at = reading.find("group")?;
    let fits = |place: usize| {
        let word =
            reading.words.get(place).filter(|word| !used.has(place) && word.low.is_ascii() && word.weight >= 1.0)?;
        let is_name = matches!(word.thing, None | Some(Entity::User(_) | Entity::Process(_)));
        is_name.then(|| FilledSlot {
            spelled: quote::word(&word.text, reading.place.dialect),
            words: vec![place],
            doubt: SlotDoubt::None,
        })
    };
    let named = reading.words.get(at + 1).is_some_and(|word| NAMING.contains(&word.low.as_str()));
    fits(if named { at + 2 } else { at + 1 }).or_else(|| at.checked_sub(1).and_then(fits))
}

/// The name next to a word: `branch foo`, `the foo branch`.
fn beside(reading: &AnalyzedQuery<'_>, used: &ExplainedWords, what: &str) -> Option<FilledSlot> {
    let at = reading.find(what)?;
    let fits = |place: usize| {
        let is_free = !used.has(place) && !reading.is_verb(place) && !refers(reading, place);
        let word = reading.words.get(place).filter(|_| is_free)?;
        plain(word).map(|text| FilledSlot {
            spelled: quote::word(&text, reading.place.dialect),
            words: vec![place],
            doubt: SlotDoubt::None,
        })
    };
    let next = match reading.words.get(at + 1).map(|word| word.low.as_str()) {
        Some("called" | "named" | "name" | "叫") => fits(at + 2),
        _ => fits(at + 1),
    };
    next.or_else(|| at.checked_sub(1).and_then(fits)).or_else(|| (0..reading.words.len()).find_map(fits))
}

fn after(reading: &AnalyzedQuery<'_>, markers: &str) -> Option<FilledSlot> {
    let is_marker = |word: &QueryWord| markers.split('|').any(|marker| marker == word.low);
    let at = reading.words.iter().position(is_marker)?;
    let words: Vec<usize> = (at..reading.words.len()).collect();
    let rest = reading.rest(at + 1);
    (!rest.is_empty()).then(|| FilledSlot { spelled: single(&rest), words, doubt: SlotDoubt::None })
}

fn spell_time(time: &Time, form: &str, dialect: Dialect) -> Option<String> {
    let days = |round: fn(u64) -> u64| time.seconds().map(round);
    match form {
        "days" => days(|seconds| seconds.div_ceil(86_400)).map(|days| days.to_string()),
        "minutes" => time.seconds().map(|seconds| (seconds / 60).to_string()),
        "seconds" => time.seconds().map(|seconds| seconds.to_string()),
        "future" => time.spoken().strip_suffix(" ago").map(|span| single(&format!("+{span}"))),
        "newer" => Some(single(&time.newer())),
        // Only a calendar date, not `yesterday`.
        "date" => matches!(time, Time::Date(_)).then(|| quote::word(&time.spoken(), dialect)),
        // git reads `today` as the current moment.
        "git" if *time == Time::Today => Some("midnight".to_owned()),
        "git" if *time == Time::Yesterday => Some("'yesterday 00:00'".to_owned()),
        // In the syntax of `date -d` and journalctl.
        _ => Some(match quote::word(&time.spoken(), dialect) {
            plain if !plain.contains('\\') => plain,
            _ => single(&time.spoken()),
        }),
    }
}
