//! Which code no test covers: by the names of tests, what they import, and tests in the same file or package. Whether a test really runs the
//! code only a coverage tool knows. Parses the request and judges paths and texts; reads nothing itself.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use aside_text::lazy_regex::Regex;

use crate::run::find::{Scope, Sort, defined};
use crate::run::importers;
use crate::run::review::file_kind;
use crate::run::search::{definitions, lists};

/// The code that is asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Untested {
    pub what: TestedPart,
    pub under: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TestedPart {
    Files,
    /// Files of a language, by the ends of their names.
    Endings(Vec<String>),
    /// Directories that have code.
    Packages,
    Functions,
    /// Files by their role: `component`, `hook`, `view`.
    Role(String),
}

static SHAPES: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let noun = r"(?P<noun>(?:[\w+#-]+ )?(?:components?|hooks?|packages?|modules?|files?|code|classes|functions?|methods?|crates?|utils|utilities|helpers?|views?|models?|services?|routes?|handlers?|controllers?|pages?|tasks?|commands?|parts?|directories|folders|things|stuff|subpackages?))";
    let lead = r"(?:(?:which|what|list|show(?: me)?|find(?: me)?|give me|are there(?: any| still)?|is there(?: any)?|any|do we have(?: any)?)(?: are| is)?(?: all| the| of the| of our| our| my)* )?";
    let not = r"(?:have no|has no|with no|without(?: any| a)?|(?:do|does|did)(?: not|n't|nt) have(?: any| a)?|(?:have|has)(?:n't|nt) (?:got )?(?:any|a)?|lack(?:ing|s)?(?: a| any)?|missing(?: a)?|that are missing|are missing|need(?:s)?|have not got(?: any)?)";
    let tests = r"(?:unit |proper |corresponding |own |automated )*(?:tests?|test (?:files?|cases?|coverage)|specs?|coverage)(?: (?:for (?:it|them)|at all|yet|here|in (?:this|the) (?:repo|project|code ?base)))*";
    let under = r"(?: (?:in|under|inside|within) (?:the )?(?:directory |folder )?`?(?P<under>[\w./-]+)`?)?";
    let negated = r"(?:not|never|n't|nt|un)";
    let rows = [
        format!(r"^{lead}{noun}(?: (?:that|which|in [\w/]+))? {not} ?{tests}{under}$"),
        format!(r"^{lead}(?:un|non-?)tested {noun}(?: (?:here|are there|do we have))?{under}$"),
        format!(r"^{lead}{noun}(?: (?:that|which))? (?:is|are|was|were)(?: still| yet)*(?: {negated}|n't|nt) ?(?:yet |being |been )?(?:tested|covered)(?: (?:by|with|in) (?:any |a |the |unit )*tests?)?{under}$"),
        format!(r"^what(?:'s| is| isn't|isnt| are| is still| isnt)?(?: {negated})? ?(?:yet |being |been )?(?:un)?(?:tested|covered)(?: (?:by|with|in) (?:any |a |the |unit )*tests?)?(?: here| yet)?{under}$"),
        r"^(?:哪些|什么|有哪些|列出)?(?:地方|没有测试的|缺少测试的|未测试的)?(?P<han>包|模块|组件|文件|函数|代码|源文件|目录)?(?:还)?(?:没有|没|缺少|缺|未)(?:写|被|有|单元)*(?:单元)?测试(?:覆盖|到|的)?(?P<tail>包|模块|组件|文件|函数|代码|源文件|目录)?(?:有哪些)?$".to_owned(),
    ];
    rows.into_iter().filter_map(|pattern| Regex::new(&format!("(?i){pattern}")).ok()).collect()
});

pub fn read(asked: &str) -> Option<Untested> {
    let squeezed: String = match asked.is_ascii() {
        true => asked.to_owned(),
        false => asked.chars().filter(|letter| !letter.is_whitespace()).collect(),
    };
    let lower = squeezed.to_lowercase();
    // "What is tested" asks for the opposite.
    let denies = [
        "no ",
        "without",
        "not",
        "n't",
        "nt ",
        "untested",
        "uncovered",
        "lack",
        "missing",
        "need",
        "没",
        "缺",
        "未",
        "non",
    ];
    denies.iter().any(|word| lower.contains(word)).then_some(())?;
    let found = SHAPES.iter().find_map(|pattern| pattern.captures(&squeezed))?;
    let of = |group: &str| found.name(group).map(|value| value.as_str().to_lowercase());
    let what = match of("han").or_else(|| of("tail")) {
        Some(han) => match han.as_str() {
            "包" | "目录" => TestedPart::Packages,
            "组件" => TestedPart::Role("component".to_owned()),
            "函数" => TestedPart::Functions,
            _ => TestedPart::Files,
        },
        None => part(&of("noun").unwrap_or_default()),
    };
    Some(Untested { what, under: of("under") })
}

fn part(noun: &str) -> TestedPart {
    let (kind, word) = noun.rsplit_once(' ').map_or(("", noun), |(kind, word)| (kind, word));
    if let Some(endings) = lists::endings(kind) {
        return TestedPart::Endings(endings.to_vec());
    }
    match word.trim_end_matches('s') {
        "package" | "subpackage" | "directorie" | "folder" | "crate" => TestedPart::Packages,
        "function" | "method" => TestedPart::Functions,
        role @ ("component" | "hook" | "view" | "model" | "service" | "route" | "handler" | "controller" | "page"
        | "task" | "command" | "helper" | "util") => TestedPart::Role(role.to_owned()),
        "utilitie" => TestedPart::Role("util".to_owned()),
        _ => TestedPart::Files,
    }
}

impl TestedPart {
    pub fn name(&self) -> String {
        match self {
            TestedPart::Files | TestedPart::Endings(_) => "source files without a test".to_owned(),
            TestedPart::Packages => "packages without a test".to_owned(),
            TestedPart::Functions => "functions that no test mentions".to_owned(),
            TestedPart::Role(role) => format!("{role}s without a test"),
        }
    }

    fn has(&self, path: &str) -> bool {
        let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
        let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
        match self {
            TestedPart::Files | TestedPart::Packages | TestedPart::Functions => true,
            TestedPart::Endings(endings) => endings.iter().any(|known| known == ending),
            TestedPart::Role(role) => {
                let in_directory = above.split('/').any(|part| part.trim_end_matches('s').eq_ignore_ascii_case(role));
                let is_hook =
                    role == "hook" && stem.starts_with("use") && stem.chars().nth(3).is_some_and(char::is_uppercase);
                let is_component = role == "component" && ["vue", "svelte"].contains(&ending);
                let lower = stem.to_lowercase();
                in_directory
                    || is_hook
                    || is_component
                    || lower.trim_end_matches('s') == role
                    || role != "component" && lower.ends_with(role.as_str())
            }
        }
    }
}

/// Whether a file has code that may be tested: no settings, no migration, no file that only says that a directory is a package.
fn may_be_tested(path: &str, text: &str) -> bool {
    const CODE: &[&str] = &[
        "py", "js", "jsx", "ts", "tsx", "mjs", "cjs", "vue", "svelte", "go", "rs", "c", "cc", "cpp", "cxx", "java",
        "kt", "cs", "rb", "php", "swift", "scala", "ex", "dart", "lua",
    ];
    let name = path.rsplit('/').next().unwrap_or(path);
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    let has = |sort| !defined(path, text, sort, Scope::All).is_empty();
    let is_script = ["py", "js", "jsx", "ts", "tsx", "mjs", "cjs"].contains(&ending);
    let is_only_types = is_script && !has(Sort::Function) && !has(Sort::Class);
    let is_settings = name.contains(".config.")
        || name.starts_with('.')
        || ["setup", "conftest", "manage", "build"].contains(&stem) && !path.contains('/');
    CODE.contains(&ending)
        && file_kind::of(path) == file_kind::CODE
        && !is_settings
        && !is_only_types
        && !name.ends_with(".d.ts")
        && text.lines().any(|line| !line.trim().is_empty() && definitions::is_definition(line))
}

/// Whether a test is named for the file: `test_a.py`, `a_test.go`, `a.test.ts`, `ATest.java` for `a`.
fn is_named_for(test: &str, stem: &str) -> bool {
    let name = test.rsplit('/').next().unwrap_or(test);
    let bare = name.split('.').next().unwrap_or(name).to_lowercase();
    let stem = stem.to_lowercase();
    let parts: Vec<&str> = bare.split(['_', '-']).filter(|part| !["test", "tests", "spec"].contains(part)).collect();
    parts.join("_") == stem.replace('-', "_")
        || bare.strip_suffix("tests").or_else(|| bare.strip_suffix("test")).is_some_and(|rest| rest == stem)
}

/// The paths, or functions with their places, that no test covers. Texts are those of all files by their paths.
pub fn untested(wanted: &Untested, texts: &BTreeMap<String, String>) -> Vec<String> {
    let is_test = |path: &str| file_kind::of(path) == "tests";
    let tests: Vec<(&String, &String)> = texts.iter().filter(|(path, _)| is_test(path)).collect();
    let code = texts.iter().filter(|(path, text)| may_be_tested(path, text));
    let has_inside =
        |path: &str, text: &str| path.ends_with(".rs") && (text.contains("#[test]") || text.contains("::test]"));
    let directory = |path: &str| path.rsplit_once('/').map_or(".".to_owned(), |(above, _)| above.to_owned());
    let is_covered = |path: &str, text: &str| {
        let name = path.rsplit('/').next().unwrap_or(path);
        let stem = name.split('.').next().unwrap_or(name);
        // A C file is included by its header.
        let header =
            path.rsplit_once('.').map(|(before, _)| format!("{}.h", before.rsplit('/').next().unwrap_or(before)));
        has_inside(path, text)
            || tests.iter().any(|(test, tested)| {
                // Tests of Go are beside their package.
                !path.ends_with(".go") && is_named_for(test, stem)
                    || path.ends_with(".go") && directory(test) == directory(path)
                    || importers::is_importer(path, test, tested)
                    || [".c", ".cc", ".cpp", ".cxx"].iter().any(|end| path.ends_with(end))
                        && header.as_ref().is_some_and(|header| tested.contains(&format!("{header}\"")))
            })
    };
    let under = |path: &str| {
        wanted.under.as_deref().is_none_or(|under| path.starts_with(&format!("{}/", under.trim_matches('/'))))
    };
    let mut found: Vec<String> = match &wanted.what {
        TestedPart::Packages => {
            let mut all: BTreeMap<String, bool> = BTreeMap::new();
            for (path, text) in code.filter(|(path, _)| under(path)) {
                *all.entry(directory(path)).or_default() |= is_covered(path, text);
            }
            all.into_iter().filter(|(_, covered)| !covered).map(|(path, _)| path).collect()
        }
        TestedPart::Functions => {
            let words: BTreeSet<&str> = tests
                .iter()
                .flat_map(|(_, text)| text.split(|letter: char| !letter.is_alphanumeric() && letter != '_'))
                .collect();
            let mut all = Vec::new();
            for (path, text) in code.filter(|(path, _)| under(path)) {
                for (line, row) in defined(path, text, Sort::Function, Scope::All) {
                    let name = definitions::defined(&row).unwrap_or_default();
                    let is_special = name.starts_with("__") || ["main", "init"].contains(&name);
                    if !name.is_empty() && !is_special && !words.contains(name) && !has_inside(path, text) {
                        all.push(format!("{path}:{line} {name}"));
                    }
                }
            }
            all
        }
        what => code
            .filter(|(path, text)| under(path) && what.has(path) && !is_covered(path, text))
            .map(|(path, _)| path.clone())
            .collect(),
    };
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_for_what_lacks_tests_are_read() {
        let files = Some(TestedPart::Files);
        for (asked, expected) in [
            ("which components have no test", Some(TestedPart::Role("component".to_owned()))),
            ("which packages have no tests", Some(TestedPart::Packages)),
            ("list untested packages", Some(TestedPart::Packages)),
            ("what isn't tested", files.clone()),
            ("files without tests", files.clone()),
            ("which hooks don't have tests", Some(TestedPart::Role("hook".to_owned()))),
            ("which source files have no test", files.clone()),
            ("what code is not covered by any test", files.clone()),
            ("which functions are not tested", Some(TestedPart::Functions)),
            ("哪些包没有测试", Some(TestedPart::Packages)),
            ("which modules are missing tests", files),
            ("which tests are there", None),
            ("what is tested", None),
            ("which components have a test", None),
            ("which tests fail without network", None),
        ] {
            assert_eq!(read(asked).map(|found| found.what), expected, "{asked}");
        }
    }

    #[test]
    fn a_test_covers_by_its_name_its_imports_or_its_package() {
        let texts: BTreeMap<String, String> = [
            ("src/components/Card.tsx", "export function Card() {}"),
            ("src/components/List.tsx", "export function List() {}"),
            ("src/components/Card.test.tsx", "import { Card } from './Card';"),
            ("internal/a/a.go", "func A() {}"),
            ("internal/a/b_test.go", "func TestA(t *testing.T) {}"),
            ("internal/b/b.go", "func B() {}"),
            ("src/pid.c", "int pid(void) {\n}"),
            ("src/main.c", "int main(void) {\n}"),
            ("tests/test_control.c", "#include \"pid.h\"\n"),
            ("lib/x.rs", "fn x() {}\n#[test]\nfn y() {}"),
            ("app/__init__.py", ""),
        ]
        .into_iter()
        .map(|(path, text)| (path.to_owned(), text.to_owned()))
        .collect();
        let told = |asked: &str| untested(&read(asked).unwrap(), &texts).join(" ");
        assert_eq!(told("which components have no test"), "src/components/List.tsx");
        assert_eq!(told("which files have no test in src"), "src/components/List.tsx src/main.c");
        assert_eq!(told("which packages have no tests in internal"), "internal/b");
    }
}
