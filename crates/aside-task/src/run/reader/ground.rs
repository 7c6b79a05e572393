//! What the words of a request name in the repository: files, directories, identifiers, targets, members. A name that fits two things
//! names neither.

use std::sync::OnceLock;

use aside_core::detect::word_lists::{is_one_slip, lists};

use crate::run::reader::keys::{KeyLine, key_lines, parts};
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
    /// Services of the compose file: the name, and the other words for it. `None` without such a file.
    pub services: Option<Vec<(String, Vec<String>)>>,
    /// Test runners and other tools that the project uses.
    pub tools: Vec<String>,
    pub git: GitFacts,
    /// Some texts are not here, so that a name may also stand elsewhere.
    pub is_partial: bool,
    /// Found on first use.
    pub keys: OnceLock<Vec<KeyLine>>,
}

impl RepositoryFacts {
    /// Whether a name is that of a file, with or without a line number, or of a branch or tag, or stands in a text.
    pub fn has_named(&self, name: &str) -> bool {
        let file = name.split(':').next().unwrap_or(name).trim_start_matches("./");
        let refs = self.git.branches.iter().chain(&self.git.remote_branches).chain(&self.git.tags);
        let is_it = |there: &String| there == file || there == name || there.ends_with(&format!("/{file}"));
        self.files.iter().chain(refs).any(is_it) || self.texts.iter().any(|(_, text)| text.contains(name))
    }
}

/// What git knows.
#[derive(Clone, Debug, Default)]
pub struct GitFacts {
    /// Empty with a detached HEAD.
    pub current: String,
    pub branches: Vec<String>,
    /// `origin/main`.
    pub remote_branches: Vec<String>,
    pub tags: Vec<String>,
}

impl GitFacts {
    /// The remote that is meant without its name.
    pub fn remote(&self) -> Option<&str> {
        let mut names: Vec<&str> = self.remote_branches.iter().filter_map(|name| name.split('/').next()).collect();
        names.dedup();
        names
            .iter()
            .find(|name| **name == "origin")
            .or(match names.as_slice() {
                [only] => Some(only),
                _ => None,
            })
            .copied()
    }
}

/// A target or script of the project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    pub name: String,
    pub command: String,
    /// What it runs.
    pub recipe: String,
    /// Whether it takes one value behind its name.
    pub takes_value: bool,
}

/// What a slot of an operation takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotKind {
    /// A name that the code has.
    Identifier,
    /// A function that the code defines once.
    Function,
    /// A name that the code may not have yet.
    Name,
    /// A word of the files that no dictionary has.
    Misspelt,
    Word,
    /// Any word, for the value of a setting.
    AnyWord,
    /// An identifier that no prose has.
    Constant,
    /// A mark in capitals, or a text in quotes, that the files have.
    Mark,
    /// A text that the files have.
    Text,
    /// A text in quotes, and one that the files have.
    Quoted,
    QuotedText,
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
    /// A target that takes a value behind its name.
    TargetWithValue,
    /// The name of a new tag.
    Tag,
    /// A tag that is there.
    KnownTag,
    /// A branch that is there.
    Branch,
    /// The name of a new branch.
    NewBranch,
    /// The same, by its shape.
    BranchLike,
    /// A branch, a tag, or the id of a commit.
    Revision,
    Remote,
    Port,
    /// `NAME=VALUE`.
    Assignment,
    /// A word for the compose file.
    Compose,
    Service,
    /// The name of a setting or constant, in one word or several.
    Key,
    /// Words of the only such name.
    PartOfKey,
    /// A setting that is on or off.
    Switch,
    TestFile,
    TestName,
    /// A function behind `#[test]`.
    RustTest,
    /// A word of the name of a test or its file.
    TestWord,
    /// A word of the name of a file with tests.
    TestStem,
    /// Everything behind its marker.
    Rest,
}

impl SlotKind {
    pub fn of(name: &str) -> Option<Self> {
        Some(match name {
            "identifier" => SlotKind::Identifier,
            "function" => SlotKind::Function,
            "name" => SlotKind::Name,
            "misspelt" => SlotKind::Misspelt,
            "word" => SlotKind::Word,
            "any-word" => SlotKind::AnyWord,
            "constant" => SlotKind::Constant,
            "mark" => SlotKind::Mark,
            "text" => SlotKind::Text,
            "quoted" => SlotKind::Quoted,
            "quoted-text" => SlotKind::QuotedText,
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
            "target-with-value" => SlotKind::TargetWithValue,
            "tag" => SlotKind::Tag,
            "known-tag" => SlotKind::KnownTag,
            "branch" => SlotKind::Branch,
            "new-branch" => SlotKind::NewBranch,
            "branch-like" => SlotKind::BranchLike,
            "revision" => SlotKind::Revision,
            "remote" => SlotKind::Remote,
            "port" => SlotKind::Port,
            "assignment" => SlotKind::Assignment,
            "service" => SlotKind::Service,
            "key" => SlotKind::Key,
            "part-of-key" => SlotKind::PartOfKey,
            "switch" => SlotKind::Switch,
            "test-file" => SlotKind::TestFile,
            "test-name" => SlotKind::TestName,
            "rust-test" => SlotKind::RustTest,
            "test-word" => SlotKind::TestWord,
            "test-stem" => SlotKind::TestStem,
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

/// Words of the longest name of a setting that is looked up.
const MAX_KEY_WORDS: usize = 4;

/// English words of names for Chinese ones.
const KEY_NOUNS: &[(&str, &str)] = &[
    ("日志级别", "log level"),
    ("超时时间", "timeout"),
    ("超时", "timeout"),
    ("端口", "port"),
    ("重试次数", "retries"),
    ("缓存大小", "cache size"),
    ("主机", "host"),
    ("线程数", "threads"),
    ("版本", "version"),
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
            SlotKind::Function => one(is_identifier(text) && is_constant(text) && self.is_function(text)),
            SlotKind::Name => one(is_identifier(text)),
            SlotKind::Misspelt => one(is_letters(text) && self.occurs(text) && !lists().is_word(&text.to_lowercase())),
            SlotKind::Word => one(is_letters(text)),
            SlotKind::AnyWord => one(!quoted
                && text.len() > 1
                && self.value(tokens, at).is_none()
                && text.starts_with(|letter: char| letter.is_ascii_alphabetic())
                && text.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_./:".contains(letter))),
            SlotKind::Constant => one(is_identifier(text) && is_constant(text) && self.occurs(text)),
            SlotKind::Mark => {
                one((quoted || text.len() > 2 && text.bytes().all(|byte| byte.is_ascii_uppercase()))
                    && self.occurs(text))
            }
            SlotKind::Literal => one(quoted || text.starts_with(|letter: char| letter.is_ascii_digit())),
            SlotKind::Text => one((quoted || text.contains(|letter: char| letter.is_ascii_digit())) && self.has(text)),
            SlotKind::Quoted => one(quoted && !text.contains('"')),
            SlotKind::QuotedText => one(quoted && !text.contains('"') && self.has(text)),
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
            SlotKind::TargetWithValue => {
                self.target(text).filter(|target| target.takes_value).map(|target| (target.name.clone(), 1))
            }
            SlotKind::Tag => one(is_tag(text) && !self.git.tags.iter().any(|known| known == text)),
            SlotKind::KnownTag => one(self.git.tags.iter().any(|known| known == text)),
            SlotKind::Branch => self.branch(text).map(|name| (name, 1)),
            SlotKind::NewBranch => one(is_branch_name(text) && self.branch(text).is_none()),
            SlotKind::BranchLike => {
                one(is_branch_name(text) && text.contains(['-', '/', '_']) && self.branch(text).is_none())
            }
            SlotKind::Revision => self.revision(text).map(|name| (name, 1)),
            SlotKind::Remote => one(self.git.remote_branches.iter().any(|name| name.split('/').next() == Some(text))),
            SlotKind::Assignment => one(is_assignment(text)),
            SlotKind::Service => self.service(text).map(|name| (name, 1)),
            SlotKind::Key => self.key(tokens, at, &|line, words| line.is(words)),
            SlotKind::PartOfKey => self.key(tokens, at, &|line, words| line.has(words)),
            SlotKind::Switch => {
                self.key(tokens, at, &|line, words| line.is_switch() && (line.is(words) || line.has(words)))
            }
            SlotKind::TestFile => self.file(tokens, at).filter(|(path, _)| is_test_file(path)),
            SlotKind::TestName => one(is_identifier(text) && is_constant(text) && self.is_test(text)),
            SlotKind::RustTest => one(is_identifier(text) && is_constant(text) && self.is_rust_test(text)),
            SlotKind::TestWord => one(is_letters(text) && (self.is_stem_of_test(text) || self.is_in_test_name(text))),
            SlotKind::TestStem => one(is_letters(text) && self.is_stem_of_test(text)),
            SlotKind::Port => one(text.len() > 1 && text.parse::<u16>().is_ok()),
            // Whether there is a compose file decides; the token is a word for it.
            SlotKind::Compose => {
                let words = ["compose", "stack", "containers", "container", "services", "容器", "服务"];
                one(self.services.is_some() && words.contains(&text))
            }
            SlotKind::Rest => None,
        }
    }

    /// Whether some text has it as a whole word.
    pub fn occurs(&self, word: &str) -> bool {
        self.texts.iter().any(|(_, text)| has_word(text, word))
    }

    /// The files that have it as a whole word.
    pub fn files_with(&self, word: &str) -> impl Iterator<Item = &str> {
        self.texts.iter().filter(move |(_, text)| has_word(text, word)).map(|(path, _)| path.as_str())
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

    /// The lines that give names a value; found on first use.
    pub fn keys(&self) -> &[KeyLine] {
        self.keys.get_or_init(|| {
            let texts = self.texts.iter().filter(|(path, _)| !is_lock_file(path));
            texts.flat_map(|(path, text)| key_lines(path, text)).collect()
        })
    }

    /// The name that up to four words mean, the most words first. Two names that fit are as good as none.
    fn key(&self, tokens: &[Token], at: usize, fits: &dyn Fn(&KeyLine, &[String]) -> bool) -> Option<(String, usize)> {
        (1..=MAX_KEY_WORDS).rev().find_map(|len| {
            let said = tokens.get(at..at + len)?;
            said.iter().all(|token| token.kind == TokenKind::Word).then_some(())?;
            let words: Vec<Vec<String>> = said.iter().map(|token| parts(noun(&token.text))).collect();
            words.iter().all(|parts| !parts.is_empty()).then_some(())?;
            let words = words.concat();
            words.iter().all(|word| word.starts_with(char::is_alphabetic)).then_some(())?;
            let mut keys: Vec<&str> =
                self.keys().iter().filter(|line| fits(line, &words)).map(|line| line.key.as_str()).collect();
            keys.sort_unstable();
            keys.dedup();
            // The spelling of the request decides between `port` and `PORT`.
            if let Some(same) = keys.iter().find(|key| said.first().is_some_and(|token| token.text == **key)) {
                return Some(((*same).to_owned(), len));
            }
            match keys.as_slice() {
                [only] => Some(((*only).to_owned(), len)),
                _ => None,
            }
        })
    }

    /// A branch by its name, or by that without the name of its remote.
    fn branch(&self, text: &str) -> Option<String> {
        let git = &self.git;
        let is_there = git.branches.iter().any(|name| name == text)
            || git.remote_branches.iter().any(|name| name.split_once('/').is_some_and(|(_, name)| name == text));
        is_there.then(|| text.to_owned())
    }

    fn revision(&self, text: &str) -> Option<String> {
        let git = &self.git;
        let is_id = (7..=40).contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_hexdigit())
            && text.contains(|letter: char| letter.is_ascii_digit());
        let bare = text.split(['~', '^']).next().unwrap_or_default();
        let is_head =
            bare == "HEAD" && text.chars().all(|letter| letter.is_ascii_alphanumeric() || "~^".contains(letter));
        let known = git.branches.iter().chain(&git.remote_branches).chain(&git.tags).any(|name| name == text);
        (known || is_id || is_head).then(|| text.to_owned())
    }

    fn service(&self, text: &str) -> Option<String> {
        let lower = text.to_lowercase();
        let services = self.services.as_ref()?;
        if let Some((name, _)) = services.iter().find(|(name, _)| name.to_lowercase() == lower) {
            return Some(name.clone());
        }
        let mut found = services.iter().filter(|(_, called)| called.contains(&lower));
        found.next().filter(|_| found.next().is_none()).map(|(name, _)| name.clone())
    }

    /// Whether one line defines a function of that name.
    fn is_function(&self, name: &str) -> bool {
        let heads = ["def ", "fn ", "function ", "func "];
        let lines = self.texts.iter().flat_map(|(_, text)| text.lines());
        let defines = |line: &&str| {
            heads.iter().any(|head| {
                line.split_once(head)
                    .and_then(|(_, rest)| rest.strip_prefix(name))
                    .is_some_and(|rest| rest.starts_with(['(', '<']))
            })
        };
        lines.filter(defines).take(2).count() == 1
    }

    /// Whether a file of tests has it as a name.
    fn is_test(&self, name: &str) -> bool {
        self.texts.iter().any(|(path, text)| {
            (is_test_file(path) || text.contains("#[test]") || text.contains("@Test")) && has_word(text, name)
        })
    }

    fn is_rust_test(&self, name: &str) -> bool {
        let head = format!("fn {name}(");
        self.texts.iter().filter(|(path, text)| path.ends_with(".rs") && text.contains(&head)).any(|(_, text)| {
            let before = text.split(&head).next().unwrap_or_default();
            before.lines().rev().take(4).any(|line| line.contains("test]"))
        })
    }

    fn is_stem_of_test(&self, word: &str) -> bool {
        let lower = word.to_lowercase();
        self.files.iter().any(|path| is_test_file(path) && parts(name_of(path)).contains(&lower))
    }

    /// Whether the name of a test function has the word.
    fn is_in_test_name(&self, word: &str) -> bool {
        let lower = word.to_lowercase();
        let heads = ["def test", "func Test", "fn ", "it(", "test("];
        let tests = self.texts.iter().filter(|(path, text)| is_test_file(path) || text.contains("#[test]"));
        tests
            .flat_map(|(_, text)| text.lines())
            .map(str::trim)
            .any(|line| heads.iter().any(|head| line.starts_with(head)) && parts(line).contains(&lower))
    }

    /// A number with its unit, a text in quotes, or a word for a truth.
    fn value(&self, tokens: &[Token], at: usize) -> Option<(String, usize)> {
        let token = tokens.get(at)?;
        let text = token.text.as_str();
        let words =
            ["true", "false", "on", "off", "null", "none", "debug", "info", "warn", "warning", "error", "trace"];
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

/// The English words for a Chinese name of a setting.
fn noun(text: &str) -> &str {
    KEY_NOUNS.iter().find(|(chinese, _)| *chinese == text).map_or(text, |(_, english)| english)
}

/// Whether Chinese letters name a setting.
pub fn is_key_noun(text: &str) -> bool {
    KEY_NOUNS.iter().any(|(chinese, _)| *chinese == text)
}

fn is_lock_file(path: &str) -> bool {
    let name = name_of(path);
    name.ends_with(".lock") || ["package-lock.json", "pnpm-lock.yaml", "go.sum"].contains(&name)
}

/// By its path: `tests/a.py`, `a_test.go`, `a.test.ts`, `a.spec.js`.
pub fn is_test_file(path: &str) -> bool {
    let is_word = |word: &str| ["test", "tests", "spec", "specs", "__tests__"].contains(&word);
    let name = name_of(path);
    path.split('/').rev().skip(1).any(is_word)
        || name.split(['.', '_', '-']).any(is_word)
        || name.contains("Test.")
        || name.contains("Tests.")
}

fn is_branch_name(text: &str) -> bool {
    let plain = text.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_/.".contains(letter));
    plain
        && text.len() > 1
        && text.starts_with(|letter: char| letter.is_ascii_alphanumeric())
        && !text.ends_with(['/', '.'])
        && !text.contains("..")
        && !text.contains("//")
}

fn is_assignment(text: &str) -> bool {
    text.split_once('=').is_some_and(|(name, value)| {
        let plain = |letter: char| letter.is_ascii_alphanumeric() || "_-./:@,".contains(letter);
        let is_name = name.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_')
            && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
        is_name && !value.is_empty() && value.chars().all(plain)
    })
}
