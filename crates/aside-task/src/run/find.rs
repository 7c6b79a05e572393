//! Searches by what things are: files of a kind or a length, commits about something, the files of an author, definitions of a sort. Parses
//! the request and judges lines; reads nothing itself.

pub mod in_texts;
pub mod select;
pub mod untested;

use std::sync::LazyLock;

use aside_text::lazy_regex::Regex;
use regex::Captures;

use crate::run::review::file_kind;
use crate::run::search::definitions;

/// What is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Find {
    /// Files of a kind: tests, documentation.
    Files { kind: Kind, under: Option<String> },
    /// Files by their number of lines.
    Lines { than: Than, lines: usize },
    /// Commits that mention a text.
    Commits { about: String },
    /// Commits of an author.
    CommitsBy(String),
    /// The files in commits of an author.
    FilesBy(String),
    /// When the file that these words name was added, and who added it.
    Added(Vec<String>),
    /// Files by their kind and by what is said of them.
    Select(select::Selection),
    /// Commits that changed a file.
    CommitsOf(String),
    /// Whether a test mentions a name.
    TestFor(String),
    /// Commits that added or removed a text.
    Touching(String),
    /// Lines of all files by what they are, or their number.
    InTexts(in_texts::TextSearch),
    /// Where a name is defined that is also a word: `Station`.
    Definition(String),
    /// Code that no test covers.
    Untested(untested::Untested),
    /// The first files in an order.
    Ordered { what: select::FileSet, order: Order, many: usize, under: Option<String> },
    /// Functions, classes and the like.
    Definitions { sort: Sort, scope: Scope, under: Option<String> },
}

/// Which files come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Largest,
    Smallest,
    Newest,
    Oldest,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Than {
    More,
    Fewer,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Tests,
    Documentation,
    Configuration,
    Code,
    Logs,
    Data,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    Function,
    Class,
    Struct,
    Enum,
    Interface,
    Constant,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    All,
    Public,
    Tests,
}

/// Files that are listed in an order where the request says no number.
const MANY: usize = 10;
const FINDS: &str = r"(?:find|list|show|search(?: for)?|look for|give|get|which|what|where|are there|display|print|see)(?: me| us)?(?: are| is)?(?: all| every| any)?(?: of)?(?: the| our| my)?";
const HERE: &str =
    r"(?: (?:here|there are|we have|in (?:this|the) (?:project|repo|repository|code ?base|code|directory|folder)))?";
const UNDER: &str = r"(?: (?:in|under|inside|within|of) (?:the )?(?:file |directory |folder )?`?(?P<under>[\w.-]*[/.][\w./-]+|src|lib|tests?|app|cmd|internal|docs)`?(?: (?:directory|folder))?)?";

static SHAPES: LazyLock<Vec<(&'static str, Regex)>> = LazyLock::new(|| {
    let rows = [
        ("files", format!(r"^(?:{FINDS}|all|every|all the|all our) (?P<kind>tests?|specs?|docs?|documentation|config(?:uration)?|settings|source|code|log|data) files?{UNDER}{HERE}$")),
        ("files", r"^where are (?:the |our |my |all )*(?P<kind>tests|docs)$".to_owned()),
        ("lines", format!(r"^{FINDS} (?:\w+ )?files? (?:that (?:have|are)|which (?:have|are)|have|are|with|having|of)?\s*(?P<than>more than|over|at least|longer than|greater than|bigger than|larger than|fewer than|less than|under|shorter than|at most|than) (?P<many>\d+) lines?(?: long| of code)?{HERE}$")),
        ("lines", format!(r"^{FINDS} (?:\w+ )?files? (?P<than>longer|shorter) than (?P<many>\d+) lines?{HERE}$")),
        ("commits-by", format!(r"^{FINDS} commits?(?: made| done| written)? (?:by|from|of) (?P<name>(?-i:[A-Z])[\w.@-]*(?: (?-i:[A-Z])[\w.-]*)?)$|^(?:which|what) commits did (?P<other>[\w.@-]+) (?:make|write|do)$")),
        ("commits-of", r"^(?:find|show|which|what|list|give)(?: me)?(?: the| all)?(?: last| recent)? commits? (?:(?:that|which) )?(?:have |has )?(?:changed|touched|touch|modified|edited|affected|for|of|in|to|on)(?: the)?(?: file)? `?(?P<file>[\w./-]*[\w-]+\.\w{1,8}|[\w.-]+(?:/[\w.-]+)+)`?$|^(?:show (?:me )?)?(?:the )?(?:git |commit )?(?:log|history|commits) (?:for|of) (?:the )?(?:file )?`?(?P<other>[\w./-]*[\w-]+\.\w{1,8}|[\w.-]+(?:/[\w.-]+)+)`?$".to_owned()),
        ("test-for", r"^(?:is|are) there (?:already )?(?:a |an |any |some )?(?:unit )?tests? (?:for|of|that (?:covers?|tests?|uses?|calls?|checks?)|covering) (?:the )?(?:function |method |class |constant )?`?(?P<name>[A-Za-z_][\w.:]*)(?:\(\))?`?(?: (?:function|method|class))?$|^do we (?:have|test) (?:a |any )?(?:tests? for )?`?(?P<other>[A-Za-z_]\w*_\w+|[a-z]+[A-Z]\w*)(?:\(\))?`?$|^is `?(?P<third>[A-Za-z_]\w*_\w+|[a-z]+[A-Z]\w*)(?:\(\))?`? (?:tested|covered)(?: by .*)?$".to_owned()),
        ("touching", r#"^(?:find|show|which|what|list|give)(?: me)?(?: was| is)?(?: the| all)?(?: first| last)? commits? (?:(?:that|which|where|in which) )?(?:changed|introduced|added|removed|deleted|touched|modified|set|renamed|created|brought) (?:the )?(?:value of |function |constant |text |line |word )?["'`]?(?P<text>[^"'`]+?)["'`]?(?: (?:was|were|has been|got) (?:changed|introduced|added|removed|deleted|touched|modified|set|created))?$|^(?:when|in which commit|which commit) (?:was|were|did) ["'`]?(?P<other>[\w.:-]+)["'`]? (?:changed|introduced|added|removed|deleted|modified|set|appear|disappear)$"#.to_owned()),
        ("commits", format!(r#"^{FINDS} commits? (?:about|mentioning|that mentions?|which mention|with|containing|that contain|matching|related to|concerning|regarding|for|named|called|on) (?:the )?(?:word |text |message )?["'`]?(?P<about>[^"'`]+?)["'`]?(?: in (?:the|their) (?:message|subject|log|history))?$"#)),
        ("files-by", format!(r"^{FINDS} files? (?:that |which )?(?P<name>(?-i:[A-Z])[\w.@-]*(?: (?-i:[A-Z])[\w.-]*)?) (?:has |have |had )?(?:changed|modified|edited|touched|wrote|written|committed|added|worked on)$|^(?:which|what) files? (?:did|has|have) (?P<other>[a-z][\w.@-]*(?: (?-i:[A-Z])[\w.-]*)?) (?:change|changed|modify|modified|edit|edited|touch|touched|add|added|commit|committed)$")),
        ("added", r"^(?:when|by whom) (?:was|were|has|did) (?:the |our )?(?P<what>[\w -]+?) (?:script|file|module|tests?|config|page|component)(?: been)? (?:added|created|written|introduced|first committed)$|^who (?:added|created|wrote|introduced) (?:the |our )?(?P<other>[\w -]+?) (?:script|file|module|config|page|component)$".to_owned()),
        ("ordered", format!(r"^(?:{FINDS} )?(?:the |our )?(?:top )?(?P<many>\d+)? ?(?P<order>largest|biggest|smallest|newest|latest|oldest|most recent|most recently (?:changed|modified|edited|touched)) (?P<more>\d+ )?(?P<kind>[\w.+#*-]+(?: [\w+#]+)?) files?{UNDER}{HERE}$")),
        ("ordered", r"^(?:(?:find|list|show|which|what|give)(?: me)?(?: are| is)? )?(?:the |our )?(?:top )?(?P<many>\d+)? ?(?P<order>largest|biggest|smallest|newest|latest|oldest) (?P<more>\d+ )?files? (?:in|under|inside|below) (?:the )?(?:directory |folder )?`?(?P<under>[\w./-]*[\w-])`?(?: (?:directory|folder))?$".to_owned()),
        ("definition", r"^(?:where(?:'s| is| are|s)|find|show(?: me)?|locate|what(?:'s| is))(?: the)?(?: definition| declaration| implementation| source)?(?: of| for)?(?: the| our)? (?:(?:class|interface|struct|type|model|enum|trait|component|function|constant|table) )?`?(?P<name>[A-Z][A-Za-z0-9]+)`?(?P<sort> (?:class|interface|struct|type|model|enum|trait|component|object|table))?(?P<said> (?:defined|declared|implemented|located|coming from|from))?(?: in (?:this|the) (?:code|project|repo|code ?base))?$".to_owned()),
        ("definitions", format!(r"^{FINDS} (?:(?P<scope>public|exported|test|unit test|pub) )?(?P<sort>functions?|methods?|class(?:es)?|structs?|enums?|interfaces?|traits?|constants?|types?)(?: that are (?P<behind>public|exported))?{UNDER}{HERE}$")),
    ];
    rows.into_iter().filter_map(|(name, pattern)| Some((name, Regex::new(&format!("(?i){pattern}")).ok()?))).collect()
});

static CHINESE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^(?:请)?(?:找出|列出|查找|找到|找|显示|搜索)(?:所有|全部)?的?测试(?P<what>函数|用例|文件)$").ok()
});

/// The search that a request asks for; `None` where it is one for a text or a name.
pub fn read(request: &str) -> Option<Find> {
    let trimmed = request.trim().trim_end_matches(['?', '.', '!', '。', '？']).trim();
    let lower = trimmed.to_lowercase();
    let polite = ["please ", "can you ", "could you ", "now "].iter().filter(|polite| lower.starts_with(**polite));
    let start = polite.map(|polite| polite.len()).max().unwrap_or(0);
    let asked = trimmed.get(start..).unwrap_or(trimmed).trim_end_matches(" please").trim();
    if asked.contains('\n') || asked.split_whitespace().count() > 14 {
        return None;
    }
    if let Some(wanted) = untested::read(asked) {
        return Some(Find::Untested(wanted));
    }
    if let Some(search) = in_texts::read(asked) {
        return Some(Find::InTexts(search));
    }
    if let Some(found) = CHINESE.as_ref().and_then(|pattern| pattern.captures(asked)) {
        return Some(match found.name("what").map_or("", |what| what.as_str()) {
            "文件" => Find::Files { kind: Kind::Tests, under: None },
            _ => Find::Definitions { sort: Sort::Function, scope: Scope::Tests, under: None },
        });
    }
    // Whatever is said of files counts, so a kind with a time is not only the time.
    let selected = select::read(asked);
    if let Some(selected) = selected
        .clone()
        .filter(|selected| !matches!(selected.what, select::FileSet::Noun(_)) && !selected.filters.is_empty())
    {
        return Some(Find::Select(selected));
    }
    let found = SHAPES.iter().find_map(|(shape, pattern)| find(shape, &pattern.captures(asked)?));
    found.or_else(|| selected.map(Find::Select))
}

fn find(shape: &str, found: &Captures<'_>) -> Option<Find> {
    let of = |group: &str| found.name(group).map(|value| value.as_str().trim().to_owned());
    let lower = |group: &str| of(group).map(|value| value.to_lowercase());
    let under = || of("under").map(|under| under.trim_end_matches('/').to_owned());
    let person = || of("name").or_else(|| of("other")).filter(|name| !is_pronoun(name));
    Some(match shape {
        "files" => {
            let kind = match lower("kind")?.trim_end_matches('s') {
                "test" | "spec" => Kind::Tests,
                "doc" | "documentation" => Kind::Documentation,
                "config" | "configuration" | "setting" => Kind::Configuration,
                "log" => Kind::Logs,
                "data" => Kind::Data,
                _ => Kind::Code,
            };
            Find::Files { kind, under: under() }
        }
        "lines" => {
            let than = match lower("than")?.as_str() {
                "fewer than" | "less than" | "under" | "shorter" | "shorter than" | "at most" => Than::Fewer,
                _ => Than::More,
            };
            let lines: usize = of("many")?.parse().ok()?;
            let lines = match lower("than")?.as_str() {
                "at least" => lines.saturating_sub(1),
                "at most" => lines.saturating_add(1),
                _ => lines,
            };
            Find::Lines { than, lines }
        }
        "definition" => {
            let name = of("name")?;
            let whole = found.get(0)?.as_str().to_lowercase();
            let asks = found.name("sort").is_some()
                || found.name("said").is_some()
                || ["definition", "declaration", "implementation", " class ", " interface ", " struct ", " model "]
                    .iter()
                    .any(|word| whole.contains(word));
            // Small letters are prose, and other words are found by the search as well.
            let is_name = name.starts_with(char::is_uppercase) && name.chars().any(char::is_lowercase);
            (asks && is_name).then_some(Find::Definition(name))?
        }
        "commits-of" => Find::CommitsOf(of("file").or_else(|| of("other"))?),
        "test-for" => {
            let name = of("name").or_else(|| of("other")).or_else(|| of("third"))?;
            // A word of prose is not the name of a function.
            let is_name = name.contains(['_', '.', ':']) || name.chars().skip(1).any(char::is_uppercase);
            Find::TestFor(Some(name).filter(|_| is_name)?)
        }
        "touching" => {
            let text = of("text").or_else(|| of("other"))?;
            // A name or a text, not a description.
            let is_name = text.split_whitespace().count() == 1
                && (text.contains(['_', '.', ':', '(']) || text.chars().any(char::is_uppercase) || text.len() > 5);
            Find::Touching(
                Some(text.trim_end_matches("()").to_owned()).filter(|_| is_name || found[0].contains(['"', '`']))?,
            )
        }
        "commits" => Find::Commits { about: of("about")? },
        "commits-by" => Find::CommitsBy(person()?),
        "files-by" => Find::FilesBy(person()?),
        "added" => {
            let words = of("what").or_else(|| of("other"))?.to_lowercase();
            Find::Added(words.split([' ', '-']).map(str::to_owned).collect())
        }
        "ordered" => {
            let order = match lower("order")?.as_str() {
                "largest" | "biggest" => Order::Largest,
                "smallest" => Order::Smallest,
                "oldest" => Order::Oldest,
                _ => Order::Newest,
            };
            let number = of("many").or_else(|| of("more")).and_then(|number| number.parse().ok());
            let what = match lower("kind") {
                Some(kind) => select::named(&format!("{kind} files"))?,
                None => select::FileSet::All,
            };
            let is_place =
                of("under").is_none_or(|under| !["this", "the", "project", "repo", "code"].contains(&under.as_str()));
            is_place.then_some(())?;
            Find::Ordered { what, order, many: number.unwrap_or(MANY), under: under() }
        }
        "definitions" => {
            let sort = Sort::named(&lower("sort")?);
            let scope = match lower("scope").or_else(|| lower("behind")).as_deref() {
                Some("public" | "exported" | "pub") => Scope::Public,
                Some(_) => Scope::Tests,
                None => Scope::All,
            };
            Find::Definitions { sort, scope, under: under() }
        }
        _ => return None,
    })
}

fn is_pronoun(name: &str) -> bool {
    ["i", "we", "you", "they", "it", "that", "which", "recently", "the", "git"].contains(&name.to_lowercase().as_str())
}

impl Kind {
    /// Whether a file at this path is of the kind.
    pub fn has(self, path: &str) -> bool {
        let of = file_kind::of(path);
        match self {
            Kind::Tests => of == "tests",
            Kind::Documentation => of == "documentation",
            Kind::Configuration => ["configuration", "dependencies", "CI"].contains(&of),
            Kind::Code => of == file_kind::CODE,
            Kind::Logs => of == "log",
            Kind::Data => of == "data",
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Kind::Tests => "test files",
            Kind::Documentation => "documentation files",
            Kind::Configuration => "configuration files",
            Kind::Code => "source files",
            Kind::Logs => "log files",
            Kind::Data => "data files",
        }
    }
}

impl Sort {
    fn named(word: &str) -> Self {
        match word.to_lowercase().as_str() {
            "class" | "classes" => Sort::Class,
            "struct" | "structs" => Sort::Struct,
            "enum" | "enums" => Sort::Enum,
            "interface" | "interfaces" | "trait" | "traits" | "type" | "types" => Sort::Interface,
            "constant" | "constants" => Sort::Constant,
            _ => Sort::Function,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Sort::Function => "functions",
            Sort::Class => "classes",
            Sort::Struct => "structs",
            Sort::Enum => "enums",
            Sort::Interface => "interfaces and types",
            Sort::Constant => "constants",
        }
    }

    fn has(self, line: &str) -> bool {
        let words: &[&str] = match self {
            Sort::Function => &["fn", "func", "function", "function*", "def", "fun", "sub", "defp"],
            Sort::Class => &["class"],
            Sort::Struct => &["struct"],
            Sort::Enum => &["enum"],
            Sort::Interface => &["interface", "trait", "type", "protocol"],
            Sort::Constant => &["const", "static", "final"],
        };
        // Python and shells have no word for a constant, only its letters.
        let name = line.split([' ', '=', ':']).next().unwrap_or_default();
        let is_loud = name.len() > 1
            && name.chars().all(|letter| letter.is_ascii_uppercase() || letter.is_ascii_digit() || letter == '_');
        if self == Sort::Constant && is_loud && line.contains('=') {
            return true;
        }
        let arrow = self == Sort::Function && line.contains("=>") && line.contains("const ") && line.contains('(');
        arrow
            || line
                .split(|letter: char| letter.is_whitespace() || letter == '(')
                .take(6)
                .any(|word| words.contains(&word))
    }
}

/// The lines of a file that define something of the sort, with their numbers from 1.
pub fn defined(path: &str, text: &str, sort: Sort, scope: Scope) -> Vec<(usize, String)> {
    if file_kind::of(path) != file_kind::CODE && file_kind::of(path) != "tests" {
        return Vec::new();
    }
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    let mut found = Vec::new();
    let mut before = "";
    for (at, line) in text.lines().enumerate() {
        let name = definitions::defined(line).filter(|_| sort.has(line) && definitions::is_definition(line));
        if name.is_some_and(|name| scope.has(name, line, before, ending)) {
            found.push((at + 1, line.trim().to_owned()));
        }
        before = if line.trim().is_empty() { before } else { line };
    }
    found
}

impl Scope {
    fn has(self, name: &str, line: &str, before: &str, ending: &str) -> bool {
        let starts = |word: &str| line.trim_start().starts_with(word);
        match self {
            Scope::All => true,
            Scope::Public => match ending {
                "rs" => starts("pub ") || starts("pub("),
                "go" => name.starts_with(char::is_uppercase),
                "js" | "jsx" | "ts" | "tsx" | "mjs" => starts("export "),
                "py" | "rb" => !name.starts_with('_') && !line.starts_with([' ', '\t']),
                _ => starts("public "),
            },
            Scope::Tests => {
                let lower = name.to_lowercase();
                lower.starts_with("test")
                    || lower.ends_with("test")
                    || before.contains("#[test]")
                    || before.contains("::test]")
                    || before.trim() == "@Test"
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_by_kind_are_read() {
        assert_eq!(SHAPES.len(), 15);
        let of = |sort, scope| Some(Find::Definitions { sort, scope, under: None });
        let files = |kind| Some(Find::Files { kind, under: None });
        for (request, expected) in [
            ("find the test files", files(Kind::Tests)),
            ("list all config files in this repo", files(Kind::Configuration)),
            ("where are the tests?", files(Kind::Tests)),
            ("all test files", files(Kind::Tests)),
            (
                "show me the source files in src",
                Some(Find::Select(select::Selection {
                    what: select::FileSet::Kind(Kind::Code),
                    filters: vec![select::Filter::Under("src".to_owned())],
                })),
            ),
            ("find the commit that changed RING_CAPACITY", Some(Find::Touching("RING_CAPACITY".to_owned()))),
            ("which commits touched ring.c", Some(Find::CommitsOf("ring.c".to_owned()))),
            ("git log for src/ring.c", Some(Find::CommitsOf("src/ring.c".to_owned()))),
            ("is there a test for drainPump?", Some(Find::TestFor("drainPump".to_owned()))),
            ("is drain_pump tested", Some(Find::TestFor("drain_pump".to_owned()))),
            ("is there a test for the login", None),
            ("when was parse_config added", Some(Find::Touching("parse_config".to_owned()))),
            ("which commit introduced \"retry limit\"", Some(Find::Touching("retry limit".to_owned()))),
            ("find commits about docs", Some(Find::Commits { about: "docs".to_owned() })),
            ("show commits that mention \"retry\"", Some(Find::Commits { about: "retry".to_owned() })),
            ("list commits by Bo", Some(Find::CommitsBy("Bo".to_owned()))),
            (
                "list the files Bo changed",
                Some(Find::Select(select::Selection {
                    what: select::FileSet::All,
                    filters: vec![select::Filter::By("Bo".to_owned())],
                })),
            ),
            ("which files did Ana touch", Some(Find::FilesBy("Ana".to_owned()))),
            ("list the files I changed", None),
            ("list files that changed", None),
            ("when was the release script added", Some(Find::Added(vec!["release".to_owned()]))),
            ("where is Station defined", Some(Find::Definition("Station".to_owned()))),
            ("where is the Sailing model", Some(Find::Definition("Sailing".to_owned()))),
            ("where is the station defined", None),
            ("find public functions", of(Sort::Function, Scope::Public)),
            ("list all classes", of(Sort::Class, Scope::All)),
            ("找出所有测试函数", of(Sort::Function, Scope::Tests)),
            ("find functions that parse dates", None),
            ("find the config file loader", None),
            ("find console.log", None),
        ] {
            assert_eq!(read(request), expected, "{request}");
        }
    }

    #[test]
    fn definitions_are_told_by_their_lines() {
        let rust = "pub fn a() {}\nfn b() {}\n#[test]\nfn counts() {}\npub struct S;\n// fn c()\n";
        let told = |path: &str, text: &str, sort, scope| {
            let found = defined(path, text, sort, scope);
            found.iter().map(|(line, text)| format!("{line} {text}")).collect::<Vec<_>>().join("; ")
        };
        assert_eq!(told("a.rs", rust, Sort::Function, Scope::Public), "1 pub fn a() {}");
        assert_eq!(told("a.rs", rust, Sort::Function, Scope::Tests), "4 fn counts() {}");
        assert_eq!(told("a.rs", rust, Sort::Struct, Scope::All), "5 pub struct S;");
        assert_eq!(told("a.md", rust, Sort::Function, Scope::All), "");
        assert_eq!(told("a.go", "func New() {}\nfunc old() {}\n", Sort::Function, Scope::Public), "1 func New() {}");
    }
}
