//! What the words of a request name in the repository: files, directories, identifiers, targets, members. A name that fits two things
//! names neither.

use aside_core::detect::word_lists::{is_one_slip, lists};

use crate::run::reader::tokens::{Token, TokenKind};
use crate::run::search::definitions::is_import;

/// What the repository has, as values.
#[derive(Clone, Debug, Default)]
pub struct RepositoryFacts {
    /// Paths from the root, of files that git does not ignore.
    pub files: Vec<String>,
    /// The texts among them.
    pub texts: Vec<(String, String)>,
    /// Names of the workspace's members.
    pub members: Vec<String>,
    pub dependencies: Vec<String>,
    pub targets: Vec<Target>,
    pub has_compose: bool,
}

/// A target or script of the project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    pub name: String,
    pub command: String,
    /// What it runs.
    pub recipe: String,
}

/// What a slot of an operation takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotKind {
    /// A name that the code has.
    Identifier,
    /// A name that the code may not have yet.
    Name,
    /// A word of the files that no dictionary has.
    Misspelt,
    Word,
    /// An identifier that no prose has.
    Constant,
    /// A mark in capitals, or a text in quotes, that the files have.
    Mark,
    /// A text that the files have.
    Text,
    /// A number, or a text in quotes, that may be new.
    Literal,
    /// Any text in quotes, or a number.
    Value,
    File,
    /// A file or a directory.
    Place,
    /// A path that may not be there yet.
    Path,
    Pattern,
    Version,
    /// The name of a module.
    Module,
    /// A call that prints, whether for debugging or not.
    Print,
    /// A call that only debugging needs.
    DebugPrint,
    Dependency,
    Member,
    Target,
    Tag,
    Port,
    Compose,
    /// Everything behind its marker.
    Rest,
}

impl SlotKind {
    pub fn of(name: &str) -> Option<Self> {
        Some(match name {
            "identifier" => SlotKind::Identifier,
            "name" => SlotKind::Name,
            "misspelt" => SlotKind::Misspelt,
            "word" => SlotKind::Word,
            "constant" => SlotKind::Constant,
            "mark" => SlotKind::Mark,
            "text" => SlotKind::Text,
            "literal" => SlotKind::Literal,
            "value" => SlotKind::Value,
            "file" => SlotKind::File,
            "place" => SlotKind::Place,
            "path" => SlotKind::Path,
            "pattern" => SlotKind::Pattern,
            "version" => SlotKind::Version,
            "module" => SlotKind::Module,
            "print" => SlotKind::Print,
            "debug-print" => SlotKind::DebugPrint,
            "dependency" => SlotKind::Dependency,
            "member" => SlotKind::Member,
            "target" => SlotKind::Target,
            "tag" => SlotKind::Tag,
            "port" => SlotKind::Port,
            "compose" => SlotKind::Compose,
            "rest" => SlotKind::Rest,
            _ => return None,
        })
    }
}

/// Nouns for files by what they are, and the endings of such files.
const NOUNS: &[(&[&str], &[&str])] = &[
    (&["script", "脚本"], &["sh", "bash", "py", "js", "mjs", "ts", "rb", "pl"]),
    (
        &["config", "configuration", "settings", "配置", "配置文件"],
        &["toml", "yaml", "yml", "json", "ini", "cfg", "conf", "env"],
    ),
    (&["docs", "doc", "page", "文档"], &["md", "rst", "txt", "adoc"]),
    (&["component", "组件"], &["tsx", "jsx", "vue", "svelte"]),
];

/// Files that have a common name in prose.
const CALLED: &[(&str, &str)] = &[
    ("readme", "readme"),
    ("changelog", "changelog"),
    ("makefile", "makefile"),
    ("dockerfile", "dockerfile"),
    ("licence", "license"),
    ("license", "license"),
];

const PRINTS: &[&str] = &["print", "printf", "println", "eprintln", "fmt.Println", "System.out.println", "cout"];
const DEBUG_PRINTS: &[&str] = &["console.log", "console.debug", "dbg", "var_dump", "debugger", "breakpoint"];

impl RepositoryFacts {
    /// What a slot gets from the tokens that begin at an index, and how many of them.
    pub fn ground(&self, kind: SlotKind, tokens: &[Token], at: usize) -> Option<(String, usize)> {
        let token = tokens.get(at).filter(|token| token.kind != TokenKind::Break)?;
        let text = token.text.as_str();
        let quoted = token.kind == TokenKind::Quoted;
        let one = |fits: bool| fits.then(|| (text.to_owned(), 1));
        match kind {
            SlotKind::Identifier => one(is_identifier(text) && self.occurs(text)),
            SlotKind::Name => one(is_identifier(text)),
            SlotKind::Misspelt => one(is_letters(text) && self.occurs(text) && !lists().is_word(&text.to_lowercase())),
            SlotKind::Word => one(is_letters(text)),
            SlotKind::Constant => one(is_identifier(text) && is_constant(text) && self.occurs(text)),
            SlotKind::Mark => {
                one((quoted || text.len() > 2 && text.bytes().all(|byte| byte.is_ascii_uppercase()))
                    && self.occurs(text))
            }
            SlotKind::Literal => one(quoted || text.starts_with(|letter: char| letter.is_ascii_digit())),
            SlotKind::Text => one((quoted || text.contains(|letter: char| letter.is_ascii_digit())) && self.has(text)),
            SlotKind::Value => self.value(tokens, at),
            SlotKind::File => self.file(tokens, at),
            SlotKind::Place => self.file(tokens, at).or_else(|| {
                one(self.is_directory(text)).map(|(path, many)| (path.trim_end_matches('/').to_owned(), many))
            }),
            SlotKind::Path => one(!quoted && is_path(text)),
            SlotKind::Pattern => one(is_pattern(text)),
            SlotKind::Version => {
                one(is_version(text)).map(|(version, many)| (version.trim_start_matches('v').to_owned(), many))
            }
            SlotKind::Module => one(self.is_imported(text)),
            SlotKind::Print => print(text, PRINTS).map(|name| (name.to_owned(), 1)),
            SlotKind::DebugPrint => print(text, DEBUG_PRINTS).map(|name| (name.to_owned(), 1)),
            SlotKind::Dependency => one(self.dependencies.iter().any(|known| known == text)),
            SlotKind::Member => self.member(text).map(|name| (name, 1)),
            SlotKind::Target => self.target(text).map(|target| (target.name.clone(), 1)),
            SlotKind::Tag => one(is_tag(text)),
            SlotKind::Port => one(text.len() > 1 && text.parse::<u16>().is_ok()),
            // Whether there is a compose file decides; the token is a word for it.
            SlotKind::Compose => one(self.has_compose && ["compose", "stack", "containers", "容器"].contains(&text)),
            SlotKind::Rest => None,
        }
    }

    /// Whether some text has it as a whole word.
    pub fn occurs(&self, word: &str) -> bool {
        self.texts.iter().any(|(_, text)| has_word(text, word))
    }

    fn has(&self, text: &str) -> bool {
        self.texts.iter().any(|(_, known)| known.contains(text))
    }

    /// Whether a line imports a module of that name.
    fn is_imported(&self, name: &str) -> bool {
        let lines = self.texts.iter().flat_map(|(_, text)| text.lines());
        !name.is_empty() && lines.into_iter().any(|line| is_import(line) && has_word(line, name))
    }

    /// The lines that have a text as a whole word, at most two, in one file or in all of them.
    pub fn lines_with(&self, word: &str, file: Option<&str>) -> Vec<&str> {
        let files = self.texts.iter().filter(|(path, _)| file.is_none_or(|file| path == file));
        files.flat_map(|(_, text)| text.lines()).filter(|line| has_word(line, word)).take(2).collect()
    }

    /// Whether one line has both words.
    pub fn has_line(&self, one: &str, other: &str, file: Option<&str>) -> bool {
        let files = self.texts.iter().filter(|(path, _)| file.is_none_or(|file| path == file));
        files.flat_map(|(_, text)| text.lines()).any(|line| has_word(line, one) && has_word(line, other))
    }

    /// A number with its unit, a text in quotes, or a word for a truth.
    fn value(&self, tokens: &[Token], at: usize) -> Option<(String, usize)> {
        let token = tokens.get(at)?;
        let text = token.text.as_str();
        let words = ["true", "false", "on", "off", "null", "none", "debug", "info", "warn", "error"];
        let is_number = text.starts_with(|letter: char| letter.is_ascii_digit() || letter == '-')
            && text.contains(|letter: char| letter.is_ascii_digit());
        if token.kind == TokenKind::Quoted {
            return Some((format!("\"{text}\""), 1));
        }
        if !is_number && !words.contains(&text.to_lowercase().as_str()) {
            return None;
        }
        let units = [
            "seconds",
            "second",
            "secs",
            "sec",
            "minutes",
            "minute",
            "hours",
            "hour",
            "days",
            "day",
            "ms",
            "milliseconds",
            "bytes",
            "items",
            "rows",
            "times",
        ];
        if let Some(value) = with_unit(text) {
            return Some((value, 1));
        }
        let unit = tokens.get(at + 1).filter(|next| units.contains(&next.text.as_str())).filter(|_| is_number);
        Some(match unit {
            Some(unit) => (format!("{text} {}", unit.text), 2),
            None => (text.to_owned(), 1),
        })
    }

    /// By its path, its name, its stem, or a word of its name and what it is: `the fetch script`.
    fn file(&self, tokens: &[Token], at: usize) -> Option<(String, usize)> {
        let text = tokens.get(at)?.text.trim_start_matches("./");
        if let Some(path) = self.files.iter().find(|path| *path == text) {
            return Some((path.clone(), 1));
        }
        let only = |fits: &dyn Fn(&str) -> bool| {
            let mut found = self.files.iter().filter(|path| fits(path));
            found.next().filter(|_| found.next().is_none()).cloned()
        };
        let next =
            tokens.get(at + 1).filter(|token| token.kind == TokenKind::Word).map(|token| token.text.to_lowercase());
        if let Some((_, endings)) =
            NOUNS.iter().find(|(nouns, _)| next.as_deref().is_some_and(|next| nouns.contains(&next)))
        {
            let word = text.to_lowercase();
            let fits = |path: &str| {
                let name = name_of(path);
                let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
                endings.contains(&ending) && parts(name).contains(&word)
            };
            if let Some(path) = only(&fits) {
                return Some((path, 2));
            }
        }
        if let Some((_, stem)) = CALLED.iter().find(|(called, _)| *called == text.to_lowercase()) {
            let fits = |path: &str| !path.contains('/') && path.to_lowercase().split('.').next() == Some(stem);
            return only(&fits).map(|path| (path, 1));
        }
        if text.contains('.') {
            return only(&|path| name_of(path) == text || path.ends_with(&format!("/{text}"))).map(|path| (path, 1));
        }
        let is_name = text.contains(['_', '-']) || text.chars().skip(1).any(char::is_uppercase);
        only(&|path| is_name && name_of(path).split('.').next() == Some(text)).map(|path| (path, 1))
    }

    fn is_directory(&self, text: &str) -> bool {
        let below = format!("{}/", text.trim_start_matches("./").trim_end_matches('/'));
        below.len() > 1 && self.files.iter().any(|path| path.starts_with(&below))
    }

    /// By its name, or by the last part of it: `store` for `hailpad-store`.
    fn member(&self, text: &str) -> Option<String> {
        if let Some(name) = self.members.iter().find(|name| *name == text) {
            return Some(name.clone());
        }
        let mut found = self.members.iter().filter(|name| name.rsplit(['-', '_', '/']).next() == Some(text));
        found.next().filter(|_| found.next().is_none()).cloned()
    }

    /// By its name, also with one slip in it.
    pub fn target(&self, text: &str) -> Option<&Target> {
        let lower = text.to_lowercase();
        if let Some(target) = self.targets.iter().find(|target| target.name == lower) {
            return Some(target);
        }
        if lower.len() < 5 || lists().is_word(&lower) {
            return None;
        }
        let mut near = self.targets.iter().filter(|target| is_one_slip(&target.name, &lower));
        near.next().filter(|_| near.next().is_none())
    }
}

/// `15s` is `15 seconds`.
fn with_unit(text: &str) -> Option<String> {
    let number: String = text.chars().take_while(char::is_ascii_digit).collect();
    let unit = match text.strip_prefix(number.as_str())? {
        "s" | "sec" => "seconds",
        "ms" => "ms",
        "min" => "minutes",
        "h" => "hours",
        "d" => "days",
        _ => return None,
    };
    (!number.is_empty()).then(|| format!("{number} {unit}"))
}

/// What is printed with, without its plural and its sign.
fn print(text: &str, known: &[&'static str]) -> Option<&'static str> {
    let bare = text.trim_end_matches("()").trim_end_matches('!');
    let same = |known: &&&str| bare == **known || bare.strip_suffix('s') == Some(known);
    known.iter().find(same).copied()
}

fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The words of a file's name, in lower case.
fn parts(name: &str) -> Vec<String> {
    let mut all = vec![String::new()];
    for letter in name.chars() {
        if !letter.is_alphanumeric() || letter.is_uppercase() {
            all.push(String::new());
        }
        if let Some(last) = all.last_mut().filter(|_| letter.is_alphanumeric()) {
            last.extend(letter.to_lowercase());
        }
    }
    all
}

pub fn has_word(text: &str, word: &str) -> bool {
    let is_part = |letter: Option<char>| letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '_');
    text.match_indices(word).any(|(at, _)| {
        let (before, after) = (text.get(..at).unwrap_or_default(), text.get(at + word.len()..).unwrap_or_default());
        !is_part(before.chars().next_back()) && !is_part(after.chars().next())
    })
}

fn is_identifier(text: &str) -> bool {
    text.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_' || letter == '$')
        && text.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_' || letter == '$')
}

/// `TIMEOUT_S`, `retain_days`, `maxRetries`.
fn is_constant(text: &str) -> bool {
    text.contains('_') || text.len() > 2 && text.chars().skip(1).any(char::is_uppercase)
}

fn is_letters(text: &str) -> bool {
    text.len() > 2 && text.chars().all(|letter| letter.is_ascii_alphabetic())
}

fn is_path(text: &str) -> bool {
    let plain = text.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-./".contains(letter));
    plain && !text.contains("..") && (text.contains('.') || text.contains('/')) && !is_version(text)
}

fn is_pattern(text: &str) -> bool {
    let plain = text.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-./*?[]".contains(letter));
    plain && text.contains(['*', '.', '/']) && ![".gitignore", ".", "/", "*"].contains(&text) && !is_version(text)
}

fn is_version(text: &str) -> bool {
    let text = text.strip_prefix('v').unwrap_or(text);
    let number = text.split('-').next().unwrap_or_default();
    number.contains('.')
        && number.split('.').all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
}

/// A version with or without its `v`, and what may be behind it.
fn is_tag(text: &str) -> bool {
    is_version(text) && text.chars().all(|letter| letter.is_ascii_alphanumeric() || "._-".contains(letter))
}
