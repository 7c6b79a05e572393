//! Builds a search from the words of a request and the router's parameters: names, texts, words, files by name; and whether the definition
//! or the uses are wanted.

use std::sync::LazyLock;

use aside_core::agent::language::Language;
use aside_text::lazy_regex::Regex;

use crate::denied_files::denied;
use crate::run::search::identifiers::Tokens;
use crate::run::search::lists;
use crate::run::search::stop_words::STOP;
use crate::run::search::term::{MAX_TERMS, Term, joined};
use crate::run::search::{FileMatches, Strengths};
use crate::run::short;

/// Characters of the search description.
const MAX_SAID: usize = 80;
/// Globs, and directories, of one request.
const MAX_GLOBS: usize = 8;

/// What to search for.
#[derive(Clone, Debug)]
pub struct SearchPlan {
    /// A regular expression that every relevant line matches. Empty when only file names count.
    pub pattern: String,
    /// The search in words, for the user.
    pub said: String,
    pub(super) want: SearchTarget,
    pub(super) terms: Vec<Term>,
    /// The number of leading terms that are sought; the others only describe it.
    about: usize,
    pub(super) files: Vec<String>,
    /// File extensions: exclusive ones, and preferred ones.
    pub(super) endings: Vec<String>,
    pub(super) boosted: Vec<String>,
    pub(super) tests: bool,
    pub(super) documents: bool,
    pub(super) comments: bool,
    pub(super) imports: bool,
    pub(super) language: Language,
    globs: Vec<regex::Regex>,
    under: Vec<String>,
    /// Any file matches: "list all files".
    pub(super) every: bool,
    first: Option<regex::Regex>,
    /// What a path has that matches a term.
    in_names: Vec<String>,
}

/// What is wanted about the subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SearchTarget {
    /// Files by their names; the contents do not count.
    Names,
    /// A file, by its name or its contents.
    File,
    Definition,
    /// Where it gets its value.
    Setting,
    Uses,
    Anything,
}

struct Frames {
    names: Regex,
    file: Regex,
    definition: Regex,
    setting: Regex,
    uses: Regex,
    imports: Regex,
    tests: Regex,
    documents: Regex,
    comments: Regex,
    under: Regex,
    files_of: Regex,
    every: Regex,
    unsaid: Regex,
    glob: Regex,
    name: Regex,
}

static FRAMES: LazyLock<Option<Frames>> = LazyLock::new(|| {
    let new = |pattern: &str| Regex::new(&format!("(?i){pattern}")).ok();
    Some(Frames {
        names: new(
            r"\bfiles? (?:that (?:is|are) |which (?:is|are) )?(?:named|called|matching|like|ending)\b|\bfile ?names?\b|\b(?:named|called) \S+$|名为|名叫|文件名|叫做?\s*\S+\s*的文件",
        )?,
        file: new(
            r"\b(?:which|what|the|in which|in what|a) (?:file|module|script|component|page|migration)\b|where(?:'s|s| is| are) the \S+(?: \S+)?$|哪个文件|哪些文件|什么文件|哪个模块",
        )?,
        definition: new(
            r"\b(?:defin(?:ed|es?|ition|itions)|declar(?:ed|es?|ation|ations)|implement(?:ed|s|ation|ations)?|function|method|class|struct|enum|trait|interface|constant|helper|type)\b|\bcode (?:that|which)\b|\bwhat (?:does|computes|sends|makes)\b|定义|声明|实现|函数|方法|类型|常量|结构体",
        )?,
        setting: new(
            r"\b(?:configured?|configuration|settings?|set|sets|assigned|initiali[sz]ed|default(?: value)?|comes? from|coming from|value)\b|配置|设置|赋值|初始化|默认值",
        )?,
        uses: new(
            r"\b(?:usages?|uses?|used|using|call(?:s|ed|ers?|ing)?|references?|referenced|mentions?|mentioned|occurrences?|occurs?|imports?|imported|touch(?:es)?|reads?|loaded|depends? on|hits?)\b|调用|引用|用到|使用|谁在用|用了|提到|读取|出现",
        )?,
        imports: new(r"\b(?:imports?|imported|depends? on|include[sd]?|requires?)\b|引用|导入|引入|依赖")?,
        tests: new(r"\btests?\b|\bspecs?\b|测试|用例")?,
        documents: new(r"\b(?:docs?|documentation|documented|readme|changelog)\b|文档|说明")?,
        comments: new(r"\b(?:comments?|todos?|fixmes?)\b|注释|待办")?,
        under: new(
            r"\b(?:in|under|inside|within|below|from) (?:the )?(?:directory |folder |dir )?`?([A-Za-z0-9_.-]+(?:/[A-Za-z0-9_.-]+)*/?)`?(?: (?:directory|folder|dir)\b|$|[,.?])|在?\s*`?([A-Za-z0-9_./-]+)`?\s*(?:目录|文件夹|下面|里面|中|下|里)",
        )?,
        files_of: new(
            r"\b([a-z+]+) (?:files?|code|scripts?|sources?)\b|\.([a-z0-9]{1,6}) files?\b|([a-z+]+) ?(?:文件|代码|脚本)",
        )?,
        every: new(
            r"\b(?:list|show|all|every|which|what)\b.*\bfiles\b|\bfiles are there\b|(?:列出|显示|所有|全部|哪些|什么).*文件|文件(?:列表|有哪些)",
        )?,
        unsaid: new(
            r"^(?:(?:list|show|me|all|every|the|which|what|files?|are|is|there|here|in|of|this|directory|folder|project|repo|repository)\s*|[列出显示所有全部哪些什么的文件这里个项目目录下中]|\s)*$",
        )?,
        glob: new(r"[^\s`'\x22,;]*\*[^\s`'\x22,;]*")?,
        name: new(r"^[\w$]+(?:(?:::|\.|->|#|/)[\w$]+)*(?:\(\)|!)?$|^[\w$]+(?:-[\w$]+)+$")?,
    })
});

/// The same in Chinese, longest first.
const STOP_CHINESE: &[&str] = &[
    "在什么地方",
    "什么地方",
    "在哪里",
    "在哪个",
    "在哪儿",
    "有没有",
    "现成的",
    "哪里",
    "哪个",
    "哪些",
    "哪儿",
    "在哪",
    "文件夹",
    "文件",
    "逻辑",
    "代码",
    "定义",
    "声明",
    "实现",
    "函数",
    "方法",
    "地方",
    "位置",
    "所有",
    "全部",
    "一下",
    "引用",
    "调用",
    "使用",
    "用到",
    "目录",
    "模块",
    "写在",
    "名为",
    "名叫",
    "叫做",
    "读取",
    "查找",
    "搜索一下",
    "看看",
    "列出",
    "显示",
    "这个",
    "那个",
    "我们",
    "项目",
    "里面",
    "下面",
    "相关",
    "处理",
    "注释",
    "请问",
    "帮我",
    "负责",
    "谁在",
    "是",
    "的",
    "了",
    "在",
    "里",
    "下",
    "中",
    "和",
    "与",
    "用",
    "被",
    "把",
    "找",
    "查",
    "搜",
    "谁",
    "吗",
    "呢",
    "有",
    "个",
    "类",
    "叫",
];

/// Takes the words of the request, the query that the router extracted, and the files that it names.
pub fn plan(words: &str, query: &str, files: &[String]) -> SearchPlan {
    let query = query.trim();
    let query = if query.is_empty() { words.trim() } else { query };
    let mut plan = SearchPlan {
        pattern: String::new(),
        said: short(query, MAX_SAID),
        want: SearchTarget::Anything,
        terms: Vec::new(),
        about: 0,
        files: files.to_vec(),
        endings: Vec::new(),
        boosted: Vec::new(),
        tests: false,
        documents: false,
        comments: false,
        imports: false,
        language: Language::of(words),
        globs: Vec::new(),
        under: Vec::new(),
        every: false,
        first: None,
        in_names: Vec::new(),
    };
    let Some(frames) = FRAMES.as_ref() else { return plan };
    // The query itself says nothing about what is wanted of it.
    let is_quoted = is_quoted(words, query);
    let around = if is_quoted || frames.name.is_match(query) { words.replace(query, " ") } else { words.to_owned() };
    let around = around.trim();
    plan.tests = frames.tests.is_match(around);
    plan.documents = frames.documents.is_match(around);
    plan.comments = frames.comments.is_match(around);
    plan.imports = frames.imports.is_match(around);
    plan.want = match () {
        () if frames.names.is_match(around) => SearchTarget::Names,
        () if frames.uses.is_match(around) => SearchTarget::Uses,
        () if frames.definition.is_match(around) => SearchTarget::Definition,
        () if frames.setting.is_match(around) => SearchTarget::Setting,
        () if frames.file.is_match(around) => SearchTarget::File,
        () => SearchTarget::Anything,
    };
    // For "list all files in docs" the router takes `docs` as the query.
    let around = if frames.every.is_match(words) { words } else { around };
    plan.under = frames
        .under
        .captures_iter(around)
        .filter_map(|found| found.get(1).or(found.get(2)))
        .map(|found| found.as_str().trim_end_matches(['.', '/', '?']).to_owned())
        .filter(|dir| is_directory(dir, around))
        .take(MAX_GLOBS)
        .collect();
    let mut rest = query.to_owned();
    if !is_quoted && let Some(regex) = slashed(query) {
        plan.terms.extend(Term::pattern(regex));
        rest.clear();
    } else if is_quoted {
        quoted(query, frames, &mut plan);
        rest.clear();
    } else {
        globs(&mut rest, words, frames, &mut plan);
        kinds_of_files(&mut rest, frames, &mut plan);
        if is_type(query) && plan.is_empty() && words.trim() != query {
            name(query, &mut plan);
            rest.clear();
        }
    }
    // A named file is the one sought, unless the request asks for mentions of it, or names it as the place to search.
    if let Some(file) = files.iter().find(|file| rest.contains(file.as_str()) && denied(file).is_none()) {
        if is_place(words, file) {
            plan.want = if plan.want == SearchTarget::Names { SearchTarget::Anything } else { plan.want };
        } else if plan.want == SearchTarget::Uses {
            plan.terms.extend(Term::text(file.rsplit('/').next().unwrap_or(file)));
            plan.files.clear();
        } else {
            plan.want = SearchTarget::Names;
            plan.globs.extend(glob(file));
        }
        rest = rest.replace(file.as_str(), " ");
    }
    for under in &plan.under {
        rest = rest.replace(under.as_str(), " ");
    }
    words_of(&rest, frames, &mut plan);
    plan.about = plan.terms.len();
    if !is_quoted && !plan.terms.first().is_some_and(Term::is_exact) && plan.globs.is_empty() {
        // The router keeps only the query; the words around it help to rank.
        let mut more = words.replace(query, " ");
        for known in files.iter().chain(&plan.under) {
            more = more.replace(known.as_str(), " ");
        }
        kinds_of_files(&mut more, frames, &mut plan);
        words_of(&more, frames, &mut plan);
        if plan.about == 0 {
            plan.about = plan.terms.len();
        }
    }
    plan.every = !is_quoted && plan.is_empty() && frames.every.is_match(words) && frames.unsaid.is_match(&rest);
    if plan.is_empty() && !plan.every {
        // The query has only stop words: then those are sought.
        words_left(query, &mut plan);
    }
    if plan.is_empty() && !plan.every && !query.is_empty() {
        plan.terms.extend(Term::text(query));
    }
    plan.terms.truncate(MAX_TERMS);
    if plan.terms.is_empty() {
        plan.want = SearchTarget::Names;
    }
    if plan.want != SearchTarget::Names {
        let sieves: Vec<String> = plan.terms.iter().flat_map(Term::sieve).collect();
        plan.pattern = format!("(?i)(?:{})", sieves.join("|"));
        plan.first = regex::Regex::new(&plan.pattern).ok();
    }
    plan.in_names = plan.terms.iter().filter_map(Term::in_names).flatten().collect();
    plan
}

/// The identifier that a question is about: `Counter` in "explain what Counter does". `None` when it names no identifier.
pub fn subject(question: &str) -> Option<&str> {
    let frames = FRAMES.as_ref()?;
    let trims = |letter: char| !(letter.is_alphanumeric() || letter == '_');
    let words = question.split_whitespace().map(|word| word.trim_matches(trims));
    let is_name = |(at, word): &(usize, &str)| {
        let special = word.contains('_') || word.contains("::") || has_hump(word) || *at > 0 && is_type(word);
        special && word.is_ascii() && frames.name.is_match(word)
    };
    words.enumerate().find(is_name).map(|(_, word)| word)
}

impl SearchPlan {
    /// Whether a file is worth searching, by its path.
    pub fn admits(&self, path: &str) -> bool {
        if self.is_empty() && self.under.is_empty() && !self.every {
            return false;
        }
        let under = self.under.is_empty()
            || self.under.iter().any(|dir| {
                let start = format!("{dir}/");
                path.starts_with(&start) || path.contains(&format!("/{start}"))
            });
        let ends = self.endings.is_empty()
            || path
                .rsplit_once('.')
                .is_some_and(|(_, ending)| self.endings.iter().any(|known| ending.eq_ignore_ascii_case(known)));
        let globs = self.globs.is_empty() || self.globs.iter().any(|glob| glob.is_match(path));
        under && ends && globs
    }

    fn is_empty(&self) -> bool {
        self.terms.is_empty() && self.globs.is_empty() && self.endings.is_empty()
    }

    /// Whether file contents count.
    pub fn reads(&self) -> bool {
        !self.pattern.is_empty()
    }

    pub(super) fn strengths(&self, line: &Tokens<'_>) -> Strengths {
        let mut all = [0; MAX_TERMS];
        for (strength, term) in all.iter_mut().zip(&self.terms) {
            *strength = term.strength(line);
        }
        all
    }

    pub(super) fn named(&self, name: &str) -> Strengths {
        let mut all = [0; MAX_TERMS];
        for (strength, term) in all.iter_mut().zip(&self.terms) {
            *strength = term.names(name);
        }
        all
    }

    /// Whether a path may match a term, or be one of its settings: a cheap check for the many files that have no line with one.
    pub(super) fn may_name(&self, path: &str) -> bool {
        let path = joined(path);
        self.terms.is_empty()
            || self.in_names.iter().any(|text| path.contains(text.as_str()))
            || self.terms.iter().any(Term::is_setting)
    }

    /// Where the first match is in a long line.
    pub(super) fn first_in(&self, text: &str) -> usize {
        self.first.as_ref().and_then(|first| first.find(text)).map_or(0, |found| found.start())
    }

    /// Exact terms count more than descriptive words.
    pub(super) fn weight(&self, at: usize) -> f32 {
        let exact = |at: usize| self.terms.get(at).is_some_and(Term::is_exact);
        if at == 0 && exact(0) {
            3.0
        } else if exact(0) || at >= self.about {
            0.5
        } else {
            1.0
        }
    }

    /// Minimum score of the first term, if it is exact: hides approximate matches when exact ones exist.
    pub(super) fn least(&self, found: &[FileMatches]) -> u8 {
        let Some(first) = self.terms.first().filter(|term| term.is_exact()) else { return 0 };
        let best = found
            .iter()
            .flat_map(|found| &found.lines)
            .filter_map(|line| line.here.first().copied())
            .max()
            .unwrap_or(0);
        match first {
            Term::Name { owner: Some(_), .. } => best.min(70),
            Term::Text { .. } | Term::Pattern { .. } | Term::Name { .. } | Term::Word { .. } | Term::Han { .. } => {
                best.min(85)
            }
        }
    }
}

fn is_quoted(words: &str, query: &str) -> bool {
    [('"', '"'), ('`', '`'), ('\'', '\''), ('“', '”'), ('「', '」'), ('‘', '’')]
        .iter()
        .any(|(open, close)| words.contains(&format!("{open}{query}{close}")))
}

/// A regular expression between slashes. A path has slashes too, so it must have a special character.
fn slashed(query: &str) -> Option<&str> {
    let inner = query.strip_prefix('/')?.strip_suffix('/')?;
    let special = inner.contains(['*', '+', '?', '[', '(', '|', '\\', '^', '$', '{']);
    (special && Term::pattern(inner).is_some()).then_some(inner)
}

fn quoted(query: &str, frames: &Frames, plan: &mut SearchPlan) {
    if frames.name.is_match(query) {
        name(query, plan);
        return;
    }
    plan.terms.extend(Term::text(query));
    // Code assembles messages from parts: it has the words even where it does not have the whole text.
    if query.split_whitespace().count() >= 3 {
        words_of(query, frames, plan);
    }
}

fn name(text: &str, plan: &mut SearchPlan) {
    let Some(term) = Term::name(text) else { return };
    let owner = match &term {
        Term::Name { owner, .. } => owner.as_deref().and_then(Term::name),
        _ => None,
    };
    plan.terms.push(term);
    plan.terms.extend(owner);
}

/// `*.toml` and the like, which match file names.
fn globs(rest: &mut String, words: &str, frames: &Frames, plan: &mut SearchPlan) {
    let found: Vec<String> =
        frames.glob.find_iter(words).take(MAX_GLOBS).map(|found| found.as_str().to_owned()).collect();
    for text in found.iter().filter(|text| text.len() > 1) {
        if let Some(glob) = glob(text) {
            plan.globs.push(glob);
            *rest = rest.replace(text.as_str(), " ");
        }
    }
}

/// "Python files", ".toml files".
fn kinds_of_files(rest: &mut String, frames: &Frames, plan: &mut SearchPlan) {
    let copy = rest.clone();
    for found in frames.files_of.captures_iter(&copy) {
        let Some(word) = found.get(1).or(found.get(2)).or(found.get(3)) else { continue };
        let lower = word.as_str().to_lowercase();
        let endings = match lists::endings(&lower) {
            Some(endings) => endings.to_vec(),
            None if found.get(2).is_some() || lists::is_ending(&lower) => vec![lower],
            None => continue,
        };
        plan.endings.extend(endings);
        *rest = rest.replace(found.get(0).map_or("", |found| found.as_str()), " ");
    }
}

fn words_of(text: &str, frames: &Frames, plan: &mut SearchPlan) {
    let separates = |letter: char| {
        letter.is_whitespace() || "`'\",;?!，。？、：（）()[]{}<>=".contains(letter) || letter == '“' || letter == '”'
    };
    for word in text.split(separates) {
        let word = word.trim_matches(['.', ':', '-', '/']);
        if word.is_empty() || plan.terms.len() >= MAX_TERMS {
            continue;
        }
        if !word.is_ascii() {
            chinese(word, frames, plan);
            continue;
        }
        let lower = word.to_lowercase();
        let special = word.contains(['_', '$', '#']) || word.contains("::") || has_hump(word) || is_dotted(word);
        if special && frames.name.is_match(word) {
            // Exact terms come first; descriptive words help to rank.
            let at = plan.terms.len();
            name(word, plan);
            if !plan.terms.first().is_some_and(Term::is_exact) {
                plan.terms.rotate_left(at);
            }
        } else if !STOP.contains(&lower.as_str()) && lower.chars().any(char::is_alphanumeric) {
            for part in lower
                .split(['-', '/', '.'])
                .filter(|part| part.len() > 1 || part.chars().any(|letter| letter.is_numeric()))
            {
                if let Some(endings) = lists::endings(part) {
                    plan.boosted.extend(endings.to_vec());
                }
                add(part, plan);
            }
        }
    }
}

/// Adds each word once.
fn add(word: &str, plan: &mut SearchPlan) {
    let term = Term::word(word);
    if plan.terms.len() < MAX_TERMS && !plan.terms.iter().any(|known| known.is_same(&term)) {
        plan.terms.push(term);
    }
}

/// Used when all words were stop words.
fn words_left(text: &str, plan: &mut SearchPlan) {
    let words = text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| word.chars().count() > 1);
    plan.terms.extend(words.take(MAX_TERMS).map(Term::word));
}

/// `getUser`, but not `Please`.
fn has_hump(word: &str) -> bool {
    word.chars().zip(word.chars().skip(1)).any(|(one, next)| one.is_lowercase() && next.is_uppercase())
}

/// `Counter`, alone, after words without capitals: means the type of that name, not a word.
fn is_type(query: &str) -> bool {
    let mut letters = query.chars();
    query.len() > 2
        && letters.next().is_some_and(|letter| letter.is_ascii_uppercase())
        && letters.all(|letter| letter.is_ascii_lowercase())
        && lists::endings(&query.to_lowercase()).is_none()
        && !STOP.contains(&query.to_lowercase().as_str())
}

/// `process.env`, but not `e.g.` or a number.
fn is_dotted(word: &str) -> bool {
    word.split('.').count() > 1
        && word.split('.').all(|part| part.len() > 1 && part.starts_with(|letter: char| letter.is_alphabetic()))
}

/// Splits text without blanks into known words, and the rest between them.
fn chinese(text: &str, frames: &Frames, plan: &mut SearchPlan) {
    let mut rest = text;
    let mut unknown = String::new();
    let flush = |unknown: &mut String, plan: &mut SearchPlan| {
        if unknown.chars().count() >= 2 {
            add(unknown, plan);
        }
        unknown.clear();
    };
    while let Some(letter) = rest.chars().next() {
        let step = if letter.is_ascii() {
            let end = rest.find(|letter: char| !letter.is_ascii()).unwrap_or(rest.len());
            flush(&mut unknown, plan);
            words_of(rest.get(..end).unwrap_or_default(), frames, plan);
            end
        } else if let Some(known) = lists::known_start(rest) {
            flush(&mut unknown, plan);
            add(known, plan);
            known.len()
        } else if let Some(stop) = STOP_CHINESE.iter().find(|stop| rest.starts_with(**stop)) {
            flush(&mut unknown, plan);
            stop.len()
        } else {
            unknown.push(letter);
            letter.len_utf8()
        };
        rest = rest.get(step..).unwrap_or_default();
    }
    flush(&mut unknown, plan);
}

/// Whether a file is named as the place to search.
pub fn is_place(words: &str, file: &str) -> bool {
    ["in ", "inside ", "within ", "of ", "from "].iter().any(|before| words.contains(&format!(" {before}{file}")))
        || ["里", "中", "里面"]
            .iter()
            .any(|behind| words.contains(&format!("{file}{behind}")) || words.contains(&format!("{file} {behind}")))
}

/// Whether the word after "in" is a directory of the project.
fn is_directory(text: &str, words: &str) -> bool {
    let known = [
        "src", "lib", "libs", "app", "apps", "web", "tests", "test", "docs", "crates", "packages", "cmd", "internal",
        "pkg", "scripts",
    ];
    let said = ["directory", "folder", " dir", "目录", "文件夹"].iter().any(|word| words.contains(word));
    let ends = text.rsplit('/').next().is_some_and(|last| last.contains('.') && !last.starts_with('.'));
    !ends && (text.contains('/') || known.contains(&text) || said)
}

/// `*.toml` anywhere, `src/*.rs` there, `**` across directories.
fn glob(text: &str) -> Option<regex::Regex> {
    let text = text.trim_start_matches("./");
    let mut pattern = String::from(if text.contains('/') { "(?i)(?:^|/)" } else { "(?i)(?:^|.*/)" });
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let (piece, length) = match letter {
            '*' if rest.starts_with("**/") => ("(?:.*/)?".to_owned(), 3),
            '*' if rest.starts_with("**") => (".*".to_owned(), 2),
            '*' => ("[^/]*".to_owned(), 1),
            '?' => ("[^/]".to_owned(), 1),
            '{' if rest.contains('}') => {
                let end = rest.find('}').unwrap_or(rest.len());
                let inner = rest.get(1..end).unwrap_or_default().split(',').map(regex::escape).collect::<Vec<_>>();
                (format!("(?:{})", inner.join("|")), end + 1)
            }
            letter => (regex::escape(&letter.to_string()), letter.len_utf8()),
        };
        pattern.push_str(&piece);
        rest = rest.get(length..).unwrap_or_default();
    }
    regex::Regex::new(&format!("{pattern}$")).ok()
}
