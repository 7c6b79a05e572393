//! Searches through the lines of all files for what a language means by a word: imports, calls, tests, functions without a comment. Parses
//! the request and judges the lines of one file; reads nothing itself.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use aside_core::agent::language::Language;
use aside_text::lazy_regex::Regex;
use regex::Captures;

use crate::run::find::{FINDS, HERE, Scope, Sort, UNDER, defined};
use crate::run::review::file_kind;
use crate::run::search::{definitions, lists};

/// What is looked for, where, and whether only its number is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextSearch {
    pub what: TextFind,
    pub under: Option<String>,
    pub counts: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextFind {
    /// Functions without a comment or a docstring.
    Undocumented(Scope),
    /// Lines that import a module, in files with one of these endings or all.
    Imports(String, Vec<String>),
    /// Lines that call a function, without its definition.
    CallsOf(String),
    /// Lines longer than so many characters.
    LongLines(usize),
    Macros,
    Tests,
    /// Comments with these marks, such as TODO.
    Marks(Vec<String>),
    Definitions(Sort, Scope),
    /// Lines of code, by the ends of the names of files; all code where it is empty.
    CodeLines(Vec<String>),
    Addresses,
    /// Names that nothing else mentions.
    Unused(Scope),
}

static SHAPES: LazyLock<Vec<(&'static str, Regex)>> = LazyLock::new(|| {
    let many = r"(?:how many|count(?: me)?(?: all)?(?: the| our)?|(?:what is )?(?:the )?number of)";
    let there = r"(?: (?:are there|is there|do we have|have we(?: got)?|does (?:it|this|the (?:project|repo|code)) have|exist|in total|are left|left|there are|are (?:in )?(?:here|the (?:project|repo|code|code ?base)|this (?:project|repo))))*";
    let call = r"[A-Za-z_$][\w$]*(?:(?:\.|::)[A-Za-z_$][\w$]*)*";
    let rows = [
        (
            "undocumented",
            format!(
                r"^(?:{FINDS} )?(?:(?P<scope>public|exported|pub) )?(?:functions?|methods?|defs?|functions? (?:and|or) methods?)(?: (?:that|which) (?:have|has|are|lack)| (?:have|with|has|are|lack|having))?(?: (?:without|no|missing|lacking|not having))?(?: an?| any| the| their)? (?:doc ?strings?|doc ?comments?|comments?|documentation|docs|godoc|jsdoc)(?P<lack>)?{UNDER}{HERE}$"
            ),
        ),
        (
            "undocumented",
            format!(
                r"^(?:{FINDS} )?undocumented (?:(?P<scope>public|exported|pub) )?(?:functions?|methods?){UNDER}{HERE}$"
            ),
        ),
        (
            "imports",
            format!(
                r#"^(?:(?:{FINDS}|any|all|is there any|are there any) )?(?:other )?(?:(?P<language>[\w+#]+) )?(?:files?|modules?|code|places?|sources?|components?|packages?|tests?|classes|scripts?)(?: that| which| here)? (?:imports?|includes?|requires?|importing|including|requiring|pulls? in|depends? on|depending on|has? an import of)(?: from)?(?: the| our)?(?: module| header| package| library| file| crate)? ["'`<]?(?P<name>@?[\w][\w./@:-]*)["'`>]?(?: module| header| package| library| crate)?{HERE}$"#
            ),
        ),
        (
            "imports",
            format!(
                r#"^(?:who|what|which|anything that|is there anything that) (?:imports?|includes?|requires?|pulls? in|depends? on)(?: from)?(?: the| our)?(?: module| header| package| library| file| crate)? ["'`<]?(?P<name>@?[\w][\w./@:-]*)["'`>]?(?: module| header| package| library| crate)?{HERE}$"#
            ),
        ),
        (
            "imports",
            format!(
                r#"^(?:{FINDS} )?(?:imports|importers|includes|inclusions) of (?:the )?(?:module |header |package |library |file |crate )?["'`<]?(?P<name>@?[\w][\w./@:-]*)["'`>]?{HERE}$"#
            ),
        ),
        (
            "imports",
            format!(
                r#"^where (?:is|are|do we|does it) (?:import |include |require )?["'`<]?(?P<name>@?[\w][\w./@:-]*)["'`>]?(?: (?:being )?(?:imported|included|required))?{HERE}$"#
            ),
        ),
        (
            "imports",
            r#"^(?:请)?(?:找出|列出|查找|有)?(?:所有|哪些|什么|哪个|谁)(?:[\w+#]*)(?:的)?(?:文件|模块|代码|地方|源文件)?(?:里|中)?(?:都)?(?:导入|引入|包含|依赖|import|include)(?:了|的|过)?(?P<name>@?[A-Za-z_][\w./@:-]*)(?:的文件|的模块)?(?:头文件|模块|库|包)?$|^(?P<other>@?[A-Za-z_][\w./@:-]*)(?:这个)?(?:模块|库|包|头文件)?(?:在哪里|在哪儿|在哪|被哪些文件|被谁|被哪里)(?:被)?(?:导入|引入|包含|依赖|import|include)(?:了|的)?$"#.to_owned(),
        ),
        (
            "calls-of",
            format!(
                r"^(?:what|who|which functions?|which code|anything that) calls? `?(?P<name>{call})(?:\(\))?`?{HERE}$|^(?:{FINDS} )?(?:all )?callers of `?(?P<other>{call})(?:\(\))?`?{HERE}$"
            ),
        ),
        (
            "calls",
            format!(r"^(?:{FINDS}) `?(?P<name>{call})!?(?:\(\))?`? (?:statements?|calls?|invocations?){UNDER}{HERE}$"),
        ),
        (
            "calls",
            format!(
                r"^(?:any|are there(?: any| still any| still)?|is there(?: any| still a| a)?|do we (?:still )?have(?: any)?)(?: leftover| stray| debug)? `?(?P<name>console\.(?:log|debug)|print|println|debugger|breakpoint|dbg|fmt\.Println|{call}\(\))!?(?:\(\))?s?`?(?: statements?| calls?)?(?: (?:left|remaining|anywhere|around|there|still))*{UNDER}{HERE}$"
            ),
        ),
        (
            "long",
            format!(
                r"^(?:{FINDS} )?lines? (?:that are |which are )?(?:longer than|over|above|exceeding|with more than|of more than|wider than) (?P<many>\d+)(?: characters?| chars?| columns?)?{UNDER}{HERE}$"
            ),
        ),
        ("macros", format!(r"^{FINDS} (?:macros?|#?defines?|preprocessor macros?){UNDER}{HERE}$")),
        ("addresses", format!(r"^(?:{FINDS}|any|is there any|are there any|do we have any) (?:hard ?-?coded )(?:urls?|addresses|links|endpoints){UNDER}{HERE}$")),
        (
            "unused",
            format!(
                r"^(?:{FINDS} |any |are there )?(?:unused|dead|unreferenced|never used) (?:(?P<scope>exports?|exported functions?|public functions?)|functions?|code|methods?|functions? and classes){UNDER}{HERE}$"
            ),
        ),
        (
            "unused",
            format!(
                r"^(?:which|what) (?:(?P<scope>exports?|exported functions?|public functions?)|functions?|methods?) are (?:unused|not used|never used|never called|dead){UNDER}{HERE}$"
            ),
        ),
        (
            "count-tests",
            format!(
                r"^{many} (?:unit )?tests?(?: cases?| functions?)?{UNDER}{there}{UNDER2}{HERE}$",
                UNDER2 = UNDER.replace("under>", "below>")
            ),
        ),
        (
            "count-marks",
            format!(
                r"^{many} (?P<marks>(?:todo|fixme|hack|xxx)s?(?:(?:,| and| or|,? and|/)? ?(?:todo|fixme|hack|xxx)s?)*)(?: comments?| notes?)?{UNDER}{there}{HERE}$"
            ),
        ),
        ("count-lines", format!(r"^{many} lines(?: of (?P<language>[\w+#]+)(?: code)?)?{UNDER}{there}{HERE}$")),
        (
            "count-definitions",
            format!(
                r"^{many} (?:(?P<scope>public|exported|pub) )?(?P<sort>functions?|methods?|class(?:es)?|structs?|enums?|interfaces?|traits?|constants?){UNDER}{there}{HERE}$"
            ),
        ),
    ];
    rows.into_iter().filter_map(|(name, pattern)| Some((name, Regex::new(&format!("(?i){pattern}")).ok()?))).collect()
});

/// The search that a request asks for.
pub fn read(asked: &str) -> Option<TextSearch> {
    // Blanks beside Chinese letters are a matter of taste.
    let squeezed: String = match Language::of(asked) {
        Language::English => asked.to_owned(),
        Language::Chinese => asked.chars().filter(|letter| !letter.is_whitespace()).collect(),
    };
    let asked = squeezed.as_str();
    SHAPES.iter().find_map(|(shape, pattern)| search(shape, &pattern.captures(asked)?))
}

fn search(shape: &str, found: &Captures<'_>) -> Option<TextSearch> {
    let of = |group: &str| found.name(group).map(|value| value.as_str().trim().to_owned());
    let whole = found.get(0).map_or("", |whole| whole.as_str()).to_lowercase();
    let scope = match of("scope") {
        Some(_) => Scope::Public,
        None => Scope::All,
    };
    let what = match shape {
        // "Functions with comments" is another question.
        "undocumented" => {
            let lacks = ["without", " no ", "missing", "lack", "not having", "undocumented"];
            lacks.iter().any(|word| whole.contains(word)).then_some(TextFind::Undocumented(scope))?
        }
        "imports" => {
            let says = ["import", "inclu", "require", "pull", "depend", "导入", "引入", "包含", "依赖"];
            let says = says.iter().any(|word| whole.contains(word));
            // "C files": only those; "other files" and "test files" are of no language.
            let endings = of("language").and_then(|language| lists::endings(&language.to_lowercase()));
            let endings = endings.map(<[String]>::to_vec).unwrap_or_default();
            let name = of("name").or_else(|| of("other")).filter(|name| says && !is_prose(name))?;
            TextFind::Imports(name, endings)
        }
        "calls-of" => TextFind::CallsOf(of("name").or_else(|| of("other")).filter(|name| !is_prose(name))?),
        "calls" => TextFind::CallsOf(
            of("name").map(|name| name.trim_end_matches("()").to_owned()).filter(|name| !is_prose(name))?,
        ),
        "long" => TextFind::LongLines(of("many")?.parse().ok()?),
        "macros" => TextFind::Macros,
        "addresses" => TextFind::Addresses,
        "unused" => TextFind::Unused(scope),
        "count-tests" => TextFind::Tests,
        "count-marks" => {
            let marks = of("marks")?.to_uppercase();
            let known = ["TODO", "FIXME", "HACK", "XXX"].into_iter().filter(|mark| marks.contains(mark));
            TextFind::Marks(known.map(str::to_owned).collect())
        }
        "count-lines" => match of("language").map(|language| language.to_lowercase()).as_deref() {
            None => TextFind::CodeLines(Vec::new()).filter_named(found.name("under").is_some())?,
            Some("code" | "source") => TextFind::CodeLines(Vec::new()),
            Some(language) => TextFind::CodeLines(lists::endings(language)?.to_vec()),
        },
        "count-definitions" => TextFind::Definitions(Sort::named(&of("sort")?), scope),
        _ => return None,
    };
    let under = of("under").or_else(|| of("below")).map(|under| under.trim_end_matches('/').to_owned());
    Some(TextSearch { what, under, counts: shape.starts_with("count") })
}

/// Words that name no module and no function.
fn is_prose(name: &str) -> bool {
    const WORDS: &[&str] = &[
        "it", "this", "that", "the", "them", "a", "an", "all", "any", "us", "me", "what", "which", "anything", "files",
        "code", "tests", "test", "all", "function", "system", "api", "import", "include", "require", "if", "return",
    ];
    WORDS.contains(&name.to_lowercase().as_str()) || name.len() < 2
}

impl TextFind {
    /// Without a language or a place, "how many lines" is about what was said before.
    fn filter_named(self, is_named: bool) -> Option<Self> {
        is_named.then_some(self)
    }

    /// What is looked for, for a sentence: `functions without a comment`.
    pub fn name(&self) -> String {
        match self {
            TextFind::Undocumented(_) => "functions without a comment".to_owned(),
            TextFind::Imports(name, _) => format!("imports of `{name}`"),
            TextFind::CallsOf(name) => format!("calls of `{name}`"),
            TextFind::LongLines(many) => format!("lines of more than {many} characters"),
            TextFind::Macros => "macros".to_owned(),
            TextFind::Tests => "tests".to_owned(),
            TextFind::Marks(marks) => format!("lines with {}", marks.join(" or ")),
            TextFind::Definitions(sort, _) => sort.name().to_owned(),
            TextFind::CodeLines(_) => "lines that are not blank".to_owned(),
            TextFind::Addresses => "addresses in the code".to_owned(),
            TextFind::Unused(_) => "names that nothing else mentions".to_owned(),
        }
    }

    /// The lines of a file that fit, with their numbers from 1.
    pub fn lines(&self, path: &str, text: &str) -> Vec<(usize, String)> {
        let kind = file_kind::of(path);
        let is_code = kind == file_kind::CODE || kind == "tests";
        let rows = |fits: &dyn Fn(&str) -> bool| -> Vec<(usize, String)> {
            let numbered = text.lines().enumerate().filter(|(_, line)| fits(line));
            numbered.map(|(at, line)| (at + 1, line.trim().to_owned())).collect()
        };
        match self {
            TextFind::Undocumented(scope) if kind == file_kind::CODE => undocumented(path, text, *scope),
            TextFind::Imports(name, endings) if is_code => {
                let of = path.rsplit_once('.').map_or("", |(_, ending)| ending);
                match endings.is_empty() || endings.iter().any(|ending| ending == of) {
                    true => imports(path, text, name),
                    false => Vec::new(),
                }
            }
            TextFind::CallsOf(name) if is_code => rows(&|line| calls(line, name)),
            TextFind::LongLines(many) if is_code || kind == "documentation" => {
                rows(&|line| line.chars().count() > *many)
            }
            TextFind::Macros if is_code => {
                let is_macro = |line: &str| {
                    let line = line.trim_start();
                    let define =
                        line.strip_prefix('#').map(str::trim_start).and_then(|rest| rest.strip_prefix("define "));
                    // A guard of a header has no value.
                    define.is_some_and(|rest| rest.split_whitespace().count() > 1) || line.starts_with("macro_rules!")
                };
                rows(&is_macro)
            }
            TextFind::Tests if is_code => tests(path, text),
            TextFind::Marks(marks) if kind != "lock file" && kind != "generated" && kind != "log" => {
                rows(&|line| marks.iter().any(|mark| has_mark(line, mark)))
            }
            TextFind::Definitions(sort, scope) => defined(path, text, *sort, *scope),
            TextFind::CodeLines(endings) => {
                let of = path.rsplit_once('.').map_or("", |(_, ending)| ending);
                let fits = match endings.is_empty() {
                    true => is_code,
                    false => endings.iter().any(|ending| ending == of),
                };
                if fits { rows(&|line| !line.trim().is_empty()) } else { Vec::new() }
            }
            TextFind::Addresses if kind == file_kind::CODE => rows(&|line| {
                !lists::is_comment(line)
                    && (line.contains("\"http") || line.contains("'http") || line.contains("`http"))
            }),
            _ => Vec::new(),
        }
    }
}

fn is_word_at(line: &str, at: usize, length: usize) -> bool {
    let is_letter = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '$';
    !line.get(..at).unwrap_or_default().ends_with(is_letter)
        && !line.get(at + length..).unwrap_or_default().starts_with(is_letter)
}

fn has_mark(line: &str, mark: &str) -> bool {
    line.match_indices(mark).any(|(at, _)| is_word_at(line, at, mark.len()))
}

/// Whether a line calls the function and does not define it.
fn calls(line: &str, name: &str) -> bool {
    let bracket = |rest: &str| rest.starts_with('(') || rest.starts_with("!(") || rest.starts_with("::<");
    let is_bare = name == "debugger";
    // A prototype or a definition of C: a type before the name, at the beginning of the line.
    let is_declared = !line.starts_with([' ', '\t'])
        && line.find(name).is_some_and(|at| {
            let before = line.get(..at).unwrap_or_default().trim_end_matches(['*', ' ']);
            !before.is_empty()
                && before.chars().all(|letter| letter.is_alphanumeric() || "_ *".contains(letter))
                && before != "return"
        })
        && line.trim_end().ends_with([';', '{', ')']);
    if lists::is_comment(line) || is_declared || definitions::defines(line, name) && lists::defined_by_keyword(line) {
        return false;
    }
    line.match_indices(name).any(|(at, _)| {
        let rest = line.get(at + name.len()..).unwrap_or_default();
        is_word_at(line, at, name.len()) && (bracket(rest) || is_bare && rest.trim_start().starts_with(';'))
    })
}

/// Lines that import a module: within the brackets of Go and JavaScript too.
fn imports(path: &str, text: &str, name: &str) -> Vec<(usize, String)> {
    let is_go = path.ends_with(".go");
    // A file is imported without its ending, but for headers.
    let endings = [".py", ".ts", ".tsx", ".js", ".jsx", ".mjs", ".rs", ".go", ".java", ".kt", ".rb", ".vue"];
    let name = endings.iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name);
    let mut in_block = false;
    let mut found = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let trimmed = line.trim();
        in_block = match trimmed {
            "import (" if is_go => true,
            ")" => false,
            _ => in_block,
        };
        let is_import = lists::is_import(line) || in_block || trimmed.starts_with("} from ");
        let has = line.match_indices(name).any(|(at, _)| {
            let is_letter = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '-';
            !line.get(..at).unwrap_or_default().ends_with(is_letter)
                && !line.get(at + name.len()..).unwrap_or_default().starts_with(is_letter)
        });
        if is_import && has {
            found.push((at + 1, trimmed.to_owned()));
        }
    }
    found
}

/// Tests as the usual frameworks declare them.
fn tests(path: &str, text: &str) -> Vec<(usize, String)> {
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    let lines: Vec<&str> = text.lines().collect();
    let is_test = |at: usize, line: &str| {
        let line = line.trim_start();
        let before = at.checked_sub(1).and_then(|before| lines.get(before)).map_or("", |before| before.trim());
        match ending {
            "py" => line.starts_with("def test_") || line.starts_with("async def test_"),
            "js" | "jsx" | "ts" | "tsx" | "mjs" => {
                ["it(", "test(", "it.only(", "test.only(", "it.skip(", "test.skip(", "it.each", "test.each"]
                    .iter()
                    .any(|start| line.starts_with(start))
            }
            "go" => line.starts_with("func Test") && line.contains("*testing.T"),
            "rs" => line.starts_with("#[test]") || line.starts_with("#[tokio::test") || line.starts_with("#[rstest"),
            "java" | "kt" | "cs" => {
                line.starts_with("@Test")
                    || line.starts_with("@ParameterizedTest")
                    || line == "[Fact]"
                    || line == "[Test]"
            }
            "cc" | "cpp" | "cxx" => ["TEST(", "TEST_F(", "TEST_P(", "TEST_CASE(", "BOOST_AUTO_TEST_CASE("]
                .iter()
                .any(|start| line.starts_with(start)),
            "rb" => line.starts_with("it \"") || line.starts_with("it '") || line.starts_with("def test_"),
            "ex" | "exs" => line.starts_with("test \""),
            "php" => line.contains("function test") || before == "#[Test]",
            "swift" => line.starts_with("func test"),
            _ => false,
        }
    };
    let found = lines.iter().enumerate().filter(|(at, line)| is_test(*at, line));
    found.map(|(at, line)| (at + 1, line.trim().to_owned())).collect()
}

/// Functions whose comment is missing: below the signature in Python, above the definition elsewhere.
fn undocumented(path: &str, text: &str, scope: Scope) -> Vec<(usize, String)> {
    let lines: Vec<&str> = text.lines().collect();
    let has_comment = |at: usize| match path.ends_with(".py") || path.ends_with(".pyi") {
        true => {
            let mut body = at;
            while lines
                .get(body)
                .is_some_and(|line| !line.split('#').next().unwrap_or_default().trim_end().ends_with(':'))
            {
                body += 1;
            }
            let first = lines.get(body + 1..).unwrap_or_default().iter().find(|line| !line.trim().is_empty());
            first.is_some_and(|line| {
                let line = line.trim_start().trim_start_matches(['r', 'R', 'u', 'f', 'b']);
                line.starts_with("\"\"\"") || line.starts_with("'''") || line.starts_with(['"', '\''])
            })
        }
        false => {
            let above = lines.get(..at).unwrap_or_default().iter().rev();
            let mut above = above.skip_while(|line| {
                let line = line.trim();
                line.starts_with('@') || line.starts_with("#[") || line.starts_with("template")
            });
            above.next().is_some_and(|line| lists::is_comment(line) || line.trim_end().ends_with("*/"))
        }
    };
    let functions = defined(path, text, Sort::Function, scope);
    functions.into_iter().filter(|(number, _)| !has_comment(number - 1)).collect()
}

/// Definitions whose names occur once in all texts. What a framework or a test runner calls by its name is left out.
pub fn unused(scope: Scope, texts: &BTreeMap<String, String>) -> Vec<(String, usize, String)> {
    let mut words: BTreeMap<&str, usize> = BTreeMap::new();
    for text in texts.values() {
        for word in text.split(|letter: char| !letter.is_alphanumeric() && letter != '_') {
            *words.entry(word).or_default() += 1;
        }
    }
    let called_by_others = |name: &str, line: &str| {
        name == "main"
            || name.starts_with("__")
            || name.to_lowercase().starts_with("test")
            || name == "init"
            || line.contains("export default")
    };
    let mut found = Vec::new();
    for (path, text) in texts.iter().filter(|(path, _)| file_kind::of(path) == file_kind::CODE) {
        let lines: Vec<&str> = text.lines().collect();
        for (number, line) in defined(path, text, Sort::Function, scope) {
            let Some(name) = definitions::defined(&line) else { continue };
            let before = number.checked_sub(2).and_then(|at| lines.get(at)).map_or("", |line| line.trim());
            // A decorator or an attribute registers it.
            let is_registered = before.starts_with('@') || before.starts_with("#[");
            if words.get(name) == Some(&1) && !called_by_others(name, &line) && !is_registered {
                found.push((path.clone(), number, line));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(request: &str, path: &str, text: &str) -> Vec<usize> {
        let search = read(request).unwrap_or_else(|| panic!("{request}"));
        search.what.lines(path, text).into_iter().map(|(number, _)| number).collect()
    }

    #[test]
    fn lines_are_found_by_what_they_are() {
        const PY: &str = "import os\nfrom app.mail import send\n\n\ndef add():\n    \"\"\"Says a.\"\"\"\n    print(1)\n\n\ndef b(\n    x,\n):\n    return add(x)\n";
        assert_eq!(told("functions without a docstring", "m.py", PY), [10]);
        assert_eq!(told("find undocumented functions", "m.py", PY), [10]);
        assert_eq!(told("which files import os", "m.py", PY), [1]);
        assert_eq!(told("who imports app.mail?".trim_end_matches('?'), "m.py", PY), [2]);
        assert_eq!(told("what calls add()", "m.py", PY), [13]);
        assert_eq!(told("find all print statements", "m.py", PY), [7]);
        assert_eq!(told("any print statements left", "m.py", PY), [7]);
        assert_eq!(told("how many functions are there", "m.py", PY), [5, 10]);
        assert_eq!(told("lines longer than 20 characters", "m.py", PY), [2]);
        const GO: &str = "package a\n\nimport (\n\t\"fmt\"\n\t\"os\"\n)\n\n// Add adds.\nfunc Add() {}\n\nfunc Sub() { fmt.Println(1) }\n\nfunc own() {}\n";
        assert_eq!(told("exported functions without a comment", "a.go", GO), [11]);
        assert_eq!(told("which files import fmt", "a.go", GO), [4]);
        assert_eq!(told("find all fmt.Println calls", "a.go", GO), [11]);
        assert_eq!(told("how many lines of go do we have", "a.go", GO), [1, 3, 4, 5, 6, 8, 9, 11, 13]);
        const H: &str = "#ifndef A_H\n#define A_H\n#define MAX 3\n#include <stdio.h>\n// TODO: x\n";
        assert_eq!(told("list all macros", "a.h", H), [3]);
        assert_eq!(told("which files include stdio.h", "a.h", H), [4]);
        assert_eq!(told("how many TODOs are there", "a.h", H), [5]);
        assert_eq!(
            told("how many tests do we have", "a.test.ts", "it(\"a\", () => {});\ntest('b', f);\nfoo();\n"),
            [1, 2]
        );
    }

    #[test]
    fn other_requests_are_no_search_of_lines() {
        for request in [
            "functions with a docstring",
            "what calls for attention",
            "how many lines",
            "which files are large",
            "where is the config",
            "find the import button",
            "how many users are there",
        ] {
            assert_eq!(read(request), None, "{request}");
        }
    }

    #[test]
    fn unused_names_occur_once() {
        let texts = BTreeMap::from([
            (
                "a.ts".to_owned(),
                "export function used() {}\nexport function alone() {}\nfunction own() {}\n".to_owned(),
            ),
            ("b.ts".to_owned(), "used();\n".to_owned()),
        ]);
        let names = |scope| unused(scope, &texts).into_iter().map(|(_, line, _)| line).collect::<Vec<_>>();
        assert_eq!(names(Scope::Public), [2]);
        assert_eq!(names(Scope::All), [2, 3]);
    }
}
