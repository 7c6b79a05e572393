//! Answers about the code itself for questions that were read by facet: what a target runs, what an exit code of the project's own program
//! means, which declarations a directory has, where a text stands, which files are large.

use aside_core::agent::language::Language;
use aside_task::proposal::SearchResult;
use aside_task::run::context::Ignored;
use aside_task::run::facts::{self, FactQuestion};
use aside_task::run::model_reply::fenced;
use aside_task::run::search::definitions;
use aside_task::run::{RunnerOutcome, code, short};

use super::Inquiry;
use crate::daemon::tasks::attempt::fact_answers::{self, bytes, listed};
use crate::daemon::tasks::attempt::machine_facts::MachineFacts;
use crate::daemon::tasks::attempt::project_answers;

/// Caps on rows, and on lines around a place.
const MAX_ROWS: usize = 40;
const AROUND: usize = 3;
/// Files of "the largest files".
const LARGEST: usize = 10;
/// Targets that a target calls, one behind the other.
const MAX_DEPTH: usize = 4;

const CODE: [&str; 26] = [
    "rs", "go", "py", "ts", "tsx", "js", "jsx", "mjs", "c", "h", "cpp", "cc", "hpp", "java", "kt", "rb", "php", "cs",
    "swift", "scala", "sh", "lua", "ex", "vue", "svelte", "zig",
];

impl Inquiry<'_> {
    pub(super) fn project(&self) -> Option<String> {
        let project = self.workspace.project();
        let mut text = facts::of_project(&FactQuestion::Project, &project, self.language)?;
        let wanted = ["run", "start", "local", "跑", "启动", "运行", "install", "set up", "setup"];
        if wanted.iter().any(|word| self.words.contains(word)) {
            let titles = [
                "run",
                "running",
                "install",
                "installation",
                "setup",
                "start",
                "started",
                "quickstart",
                "usage",
                "development",
                "develop",
                "use",
            ];
            match project.section(&titles) {
                Some((file, section)) => {
                    text.push_str(&format!("\n{section}\n\n{}\n", facts::source(file, self.language)));
                }
                None => text.push_str(&facts::of_project(&FactQuestion::Install, &project, self.language)?),
            }
        }
        Some(text)
    }

    /// What a target runs, with the targets that it needs first, and what of it destroys something.
    pub(super) fn target(&self, here: &MachineFacts) -> Option<String> {
        let (mut text, mut careful) = (String::new(), String::new());
        for name in &self.reading.things.targets {
            let mut own = String::new();
            self.add_target(name, here, &mut own, &mut careful, &mut Vec::new())?;
            let newline = if text.is_empty() { "" } else { "\n" };
            text.push_str(&format!("{newline}{own}"));
        }
        if !careful.is_empty() {
            let head = self.language.pick("Careful, part of it destroys something:", "注意，其中有破坏性的操作：");
            text = format!("{head}\n\n{careful}\n{text}");
        }
        Some(text)
    }

    fn add_target(
        &self,
        name: &str,
        here: &MachineFacts,
        text: &mut String,
        careful: &mut String,
        seen: &mut Vec<String>,
    ) -> Option<()> {
        if seen.len() >= MAX_DEPTH || seen.iter().any(|known| known == name) {
            return None;
        }
        seen.push(name.to_owned());
        let project = self.workspace.project();
        let (file, commands) = match project.script(name) {
            Some(script) => ("package.json".to_owned(), script.split(" && ").map(str::to_owned).collect::<Vec<_>>()),
            None => {
                let (file, lines) = project.recipe(name)?;
                (file.to_owned(), lines)
            }
        };
        let needs = project.prerequisites(name);
        let first = match (needs.is_empty(), self.language) {
            (true, _) => String::new(),
            (false, Language::English) => format!(" first needs {}, then", list(&needs)),
            (false, Language::Chinese) => format!(" 先需要 {}，然后", list(&needs)),
        };
        let comment = project.comment(name).map(|comment| format!(" ({comment})")).unwrap_or_default();
        text.push_str(&match self.language {
            Language::English => format!("{} in {}{comment}{first} runs:\n\n", code(name), code(&file)),
            Language::Chinese => format!("{}（{}）{comment}{first} 运行：\n\n", code(name), code(&file)),
        });
        for command in &commands {
            let (about, harm) = here.about(command);
            let shown = code(&short(&aside_redact::redact(command), 160));
            let about = match self.language {
                Language::English if !about.is_empty() => format!(": {}", short(&about, 200)),
                Language::English | Language::Chinese => String::new(),
            };
            text.push_str(&format!("- {shown}{about}{}\n", self.script_comment(command)));
            if !harm.is_empty() {
                careful.push_str(&format!("- {shown}: {}\n", self.language.warns(&harm)));
            }
        }
        let called = commands.iter().filter_map(|command| {
            let rest = command.strip_prefix("$(MAKE) ").or_else(|| command.strip_prefix("make "))?;
            Some(rest.split_whitespace().next()?.to_owned())
        });
        let more: Vec<String> = needs.iter().cloned().chain(called).collect();
        for other in more {
            let mut below = String::new();
            if self.add_target(&other, here, &mut below, careful, seen).is_some() {
                text.push_str(&format!("\n{below}"));
            }
        }
        Some(())
    }

    /// The comment at the top of a script that a command runs.
    fn script_comment(&self, command: &str) -> String {
        let is_path =
            |word: &&str| word.contains('/') && [".sh", ".py", ".js", ".mjs"].iter().any(|end| word.ends_with(end));
        let Some(path) = command.split_whitespace().find(is_path) else { return String::new() };
        let Some(text) = self.text_of(path.trim_start_matches("./")) else { return String::new() };
        let comment = text.lines().take(6).find(|line| line.starts_with("# ") || line.starts_with("// "));
        comment.map(|line| format!(" ({})", line.trim_start_matches(['#', '/', ' ']))).unwrap_or_default()
    }

    fn text_of(&self, wanted: &str) -> Option<String> {
        let mut found = None;
        self.workspace.each_text(self.secrets, self.cancelled, |path, text| {
            if path == wanted {
                found = Some(text.to_owned());
            }
        })?;
        found
    }

    /// What a dependency is by its manifest, and where it is imported.
    pub(super) fn dependency(&self) -> Option<String> {
        let [word] = self.reading.things.words.as_slice() else { return None };
        let manifests = project_answers::manifests(self.workspace, self.cancelled);
        let (file, name, version) = manifests.iter().find_map(|manifest| {
            let (name, version) = manifest.dependencies.iter().find(|(name, _)| name.eq_ignore_ascii_case(word))?;
            Some((manifest.file.clone(), name.clone(), version.clone()))
        })?;
        let (mut imports, mut scripts) = (String::new(), String::new());
        self.workspace.each_text(self.secrets, self.cancelled, |path, text| {
            let is_manifest = path == file || path.contains("lock");
            for (at, line) in text.lines().enumerate().filter(|(_, line)| fact_answers::has_word(line, &name)) {
                let row = || format!("- {} {}\n", code(&format!("{path}:{}", at + 1)), code(&short(line.trim(), 120)));
                match definitions::is_import(line) && !is_manifest {
                    true => imports.push_str(&row()),
                    // A script of the manifest that calls it.
                    false if path == file && line.contains(": \"") && !line.contains(&format!("\"{name}\":")) => {
                        scripts.push_str(&row());
                    }
                    false => {}
                }
            }
        })?;
        let head = match self.language {
            Language::English => format!("{} is a dependency ({} {version}).", code(&name), code(&file)),
            Language::Chinese => format!("{} 是一个依赖（{} {version}）。", code(&name), code(&file)),
        };
        let (used, called) = match self.language {
            Language::English => ("Imported in:", "Called by:"),
            Language::Chinese => ("导入它的地方：", "调用它的脚本："),
        };
        let mut text = format!("{head}\n");
        for (title, rows) in [(used, imports), (called, scripts)].iter().filter(|(_, rows)| !rows.is_empty()) {
            text.push_str(&format!("\n{title}\n\n{rows}"));
        }
        Some(text)
    }

    /// What the project's own files say about an exit code.
    pub(super) fn exit_code(&self) -> Option<String> {
        let number = self.reading.things.numbers.first()?;
        let forms =
            ["exit({})", "Exit({})", "from({})", "exit {}", "_exit({})", "SystemExit({})", "return {};", "return {}"];
        let forms: Vec<String> = forms.iter().map(|form| form.replace("{}", &number.to_string())).collect();
        let words = &self.reading.things.words;
        let (mut documented, mut places) = (Vec::new(), Vec::new());
        self.workspace.each_text(self.secrets, self.cancelled, |path, text| {
            let lower_path = path.to_lowercase();
            let is_prose = path.ends_with(".md") || path.ends_with(".rst") || path.ends_with(".txt");
            let is_main =
                ["main.", "cli.", "__main__", "/bin/", "scripts/"].iter().any(|part| lower_path.contains(part));
            let is_named = words.iter().any(|word| word.len() > 2 && lower_path.contains(word.as_str()));
            let lines: Vec<&str> = text.lines().collect();
            for (at, line) in lines.iter().enumerate() {
                let lower = line.to_lowercase();
                let says_exit = lower.contains("exit") || lower.contains("退出");
                let has_number = fact_answers::has_word(line, &number.to_string());
                if is_prose {
                    if says_exit && has_number {
                        documented.push((path.to_owned(), at + 1, line.trim().to_owned()));
                    }
                    continue;
                }
                let Some(form) = forms.iter().find(|form| ends_at_number(line, form)) else { continue };
                let returns = form.starts_with("return");
                if returns && !is_main || form.starts_with("from") && !line.contains("ExitCode") {
                    continue;
                }
                let from = at.saturating_sub(AROUND);
                let body = lines.get(from..(at + 2).min(lines.len())).unwrap_or_default().join("\n");
                places.push((!is_named, path.to_owned(), at + 1, body));
            }
        })?;
        if documented.is_empty() && places.is_empty() {
            return None;
        }
        places.sort();
        // The program that the question names decides where others do the same.
        let named: Vec<_> = places.iter().filter(|(other, ..)| !other).cloned().collect();
        let places = if named.is_empty() { places } else { named };
        let mut text = match self.language {
            Language::English => format!("What the files here say about exit code {number}:\n\n"),
            Language::Chinese => format!("这里的文件关于退出码 {number} 的说明：\n\n"),
        };
        for (path, line, said) in documented.iter().take(3) {
            text.push_str(&format!(
                "- {} {}\n",
                code(&format!("{path}:{line}")),
                short(&aside_redact::redact(said), 200)
            ));
        }
        for (_, path, line, body) in places.iter().take(3) {
            let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
            text.push_str(&format!(
                "\n{}:\n\n{}\n",
                code(&format!("{path}:{line}")),
                fenced(ending, &aside_redact::redact(body))
            ));
        }
        Some(text)
    }

    pub(super) fn largest_files(&self) -> Option<RunnerOutcome> {
        let things = &self.reading.things;
        let by_lines = self.words.contains("line") || self.words.contains("longest") || self.words.contains('长');
        let ending = language_ending(&things.words)?;
        let tree = self.workspace.tree(&[], self.cancelled).ok()?;
        let in_code = ["source", "code", "module", "源"].iter().any(|word| self.words.contains(word));
        let under = things.directories.first().map(|directory| format!("{directory}/")).unwrap_or_default();
        let mut rows: Vec<(u64, String)> = Vec::new();
        let fits = |path: &str| {
            let own = path.rsplit_once('.').map_or("", |(_, ending)| ending);
            path.starts_with(&under)
                && match ending.is_empty() {
                    true => !in_code || CODE.contains(&own),
                    false => ending.contains(&own),
                }
        };
        if by_lines {
            self.workspace.each_text(self.secrets, self.cancelled, |path, text| {
                if fits(path) {
                    rows.push((text.lines().count() as u64, path.to_owned()));
                }
            })?;
        } else {
            for listed in tree.listed().iter().filter(|listed| listed.ignored == Ignored::No && fits(listed.path)) {
                let meta = std::fs::symlink_metadata(self.workspace.root().join(listed.path)).ok();
                if let Some(meta) = meta.filter(std::fs::Metadata::is_file) {
                    rows.push((meta.len(), listed.path.to_owned()));
                }
            }
        }
        rows.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
        rows.truncate(things.numbers.first().copied().unwrap_or(LARGEST).min(MAX_ROWS));
        let preview = |size: u64| if by_lines { format!("{size} lines") } else { bytes(size) };
        let items = rows.into_iter().map(|(size, path)| SearchResult { path, preview: Some(preview(size)) });
        Some(listed(items.collect(), "files, the largest first"))
    }

    /// Declarations of a kind, in a directory, a file, or a part of the project that a word names.
    pub(super) fn declarations(&self) -> Option<RunnerOutcome> {
        let kind = KINDS.iter().find(|(words, _)| words.iter().any(|word| self.has_word(word)))?;
        let exported =
            ["exported", "public", "pub", "export", "导出", "公开"].iter().any(|word| self.words.contains(word));
        let things = &self.reading.things;
        let mut items: Vec<SearchResult> = Vec::new();
        self.workspace.each_text(self.secrets, self.cancelled, |path, text| {
            let below = things.directories.iter().all(|directory| path.starts_with(&format!("{directory}/")));
            let same = things.files.iter().all(|file| file == path);
            let lower = path.to_lowercase();
            let named =
                things.words.iter().all(|word| lower.split(['/', '_', '-', '.']).any(|part| part == word.as_str()));
            if !(below && same && named) {
                return;
            }
            let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
            for (at, line) in text.lines().enumerate() {
                if declares(line, kind.1, ending) && (!exported || is_exported(line, ending)) {
                    let preview = Some(short(&aside_redact::redact(line.trim()), 160));
                    items.push(SearchResult { path: format!("{path}:{}", at + 1), preview });
                }
            }
        })?;
        (!items.is_empty()).then_some(())?;
        Some(listed(items, "declarations"))
    }

    fn has_word(&self, word: &str) -> bool {
        match word.is_ascii() {
            true => self.words.split(|letter: char| !letter.is_ascii_alphanumeric()).any(|own| own == word),
            false => self.words.contains(word),
        }
    }

    /// Lines with a mark of unfinished work, or where an error is caught and forgotten.
    pub(super) fn scanned_lines(&self, todo: bool) -> Option<RunnerOutcome> {
        let things = &self.reading.things;
        let mut items: Vec<SearchResult> = Vec::new();
        self.workspace.each_text(self.secrets, self.cancelled, |path, text| {
            let below = things.directories.iter().all(|directory| path.starts_with(&format!("{directory}/")));
            let same = things.files.iter().all(|file| file == path);
            if !below || !same {
                return;
            }
            let lines: Vec<&str> = text.lines().collect();
            for (at, line) in lines.iter().enumerate() {
                let found = match todo {
                    true => ["TODO", "FIXME", "XXX"].iter().any(|mark| fact_answers::has_word(line, mark)),
                    false => {
                        let below = lines.iter().skip(at + 1).map(|line| line.trim()).find(|line| !line.is_empty());
                        is_swallowed(line.trim(), below.unwrap_or_default())
                    }
                };
                if found {
                    let preview = Some(short(&aside_redact::redact(line.trim()), 160));
                    items.push(SearchResult { path: format!("{path}:{}", at + 1), preview });
                }
            }
        })?;
        let what = if todo { "lines with TODO, FIXME or XXX" } else { "places where an error is caught and forgotten" };
        Some(listed(items, what))
    }

    /// Lines with a text that only code has.
    pub(super) fn text_lines(&self) -> Option<RunnerOutcome> {
        let things = &self.reading.things;
        // The bracket that closes a call is cut off with the punctuation.
        let text = things.texts.first()?;
        let is_call = text.ends_with('(') && self.words.contains(&format!("{})", text.to_lowercase()));
        let wanted = if is_call { format!("{text})") } else { text.clone() };
        let no_tests = ["outside", "excluding", "except", "not in test", "production", "以外", "之外", "除了"];
        let no_tests = no_tests.iter().any(|word| self.words.contains(word));
        let mut items: Vec<SearchResult> = Vec::new();
        self.workspace.each_text(self.secrets, self.cancelled, |path, text| {
            let is_test =
                path.split(['/', '_', '.', '-']).any(|part| ["test", "tests", "spec", "specs"].contains(&part));
            let below = things.directories.iter().all(|directory| path.starts_with(&format!("{directory}/")));
            if no_tests && is_test || !below {
                return;
            }
            for (at, line) in text.lines().enumerate() {
                // The tests of a Rust file are at its end.
                if no_tests && line.trim() == "#[cfg(test)]" {
                    break;
                }
                if line.contains(&wanted) {
                    let preview = Some(short(&aside_redact::redact(line.trim()), 160));
                    items.push(SearchResult { path: format!("{path}:{}", at + 1), preview });
                }
            }
        })?;
        (!items.is_empty()).then_some(())?;
        Some(listed(items, "lines"))
    }
}

/// Whether a line catches an error of which the next one makes nothing.
fn is_swallowed(line: &str, below: &str) -> bool {
    let bare: String = line.split_whitespace().collect::<Vec<_>>().join(" ");
    let catches = bare.contains("catch") || bare.starts_with("rescue");
    let is_empty = catches && (bare.ends_with("{}") || bare.ends_with("{ }") || bare.contains("catch (...) {}"));
    let opens = catches && bare.ends_with('{') && below.starts_with('}');
    let forgets =
        ["pass", "continue", "return", "return None", "return null", "..."].contains(&below.trim_end_matches(';'));
    let python = bare.starts_with("except") && bare.ends_with(':') && forgets;
    let chained = bare.contains(".catch(() => {})") || bare.contains(".catch(() => null)");
    is_empty || opens || python || chained || catches && bare.ends_with('{') && forgets
}

fn list(names: &[String]) -> String {
    names.iter().map(|name| code(name)).collect::<Vec<_>>().join(", ")
}

/// Whether a line has the form with exactly its number.
fn ends_at_number(line: &str, form: &str) -> bool {
    line.match_indices(form).any(|(at, _)| {
        let behind = line.get(at + form.len()..).and_then(|rest| rest.chars().next());
        !behind.is_some_and(|letter| letter.is_ascii_digit() || letter == '.')
    })
}

/// The endings of the files of a language that the words name; `None` where they name something else.
fn language_ending(words: &[String]) -> Option<Vec<&'static str>> {
    const LANGUAGES: [(&str, &[&str]); 14] = [
        ("go", &["go"]),
        ("python", &["py"]),
        ("rust", &["rs"]),
        ("typescript", &["ts", "tsx"]),
        ("javascript", &["js", "jsx", "mjs"]),
        ("java", &["java"]),
        ("c", &["c", "h"]),
        ("cpp", &["cpp", "cc", "hpp", "h"]),
        ("c++", &["cpp", "cc", "hpp", "h"]),
        ("markdown", &["md"]),
        ("yaml", &["yml", "yaml"]),
        ("json", &["json"]),
        ("shell", &["sh"]),
        ("sql", &["sql"]),
    ];
    match words {
        [] => Some(Vec::new()),
        [word] => LANGUAGES
            .iter()
            .find(|(name, ends)| name == word || ends.contains(&word.as_str()))
            .map(|(_, ends)| ends.to_vec()),
        _ => None,
    }
}

/// Words for kinds of declarations, and the keywords of each.
const KINDS: [(&[&str], &[&str]); 9] = [
    (&["struct", "structs", "结构体"], &["struct"]),
    (&["class", "classes", "类"], &["class"]),
    (&["interface", "interfaces", "接口"], &["interface"]),
    (&["enum", "enums", "枚举"], &["enum"]),
    (&["trait", "traits"], &["trait"]),
    (&["constant", "constants", "consts", "const", "常量"], &["const", "static", "#define", "final"]),
    (&["function", "functions", "funcs", "method", "methods", "函数", "方法"], &["fn", "func", "def", "function"]),
    (&["macro", "macros"], &["macro_rules!", "#define"]),
    (&["type", "types", "类型"], &["type", "struct", "class", "enum", "interface"]),
];

fn declares(line: &str, keywords: &[&str], ending: &str) -> bool {
    let trimmed = line.trim_start();
    if !definitions::is_definition(line) {
        return false;
    }
    let head: Vec<&str> = trimmed.split(['=', '{', '(']).next().unwrap_or_default().split_whitespace().collect();
    let has = |keyword: &&&str| head.iter().take(6).any(|word| *word == **keyword);
    let is_python_constant = || {
        let name = head.first().copied().unwrap_or_default();
        ending == "py"
            && keywords.contains(&"const")
            && !line.starts_with(' ')
            && trimmed.contains('=')
            && name.len() > 1
            && name.chars().all(|letter| letter.is_ascii_uppercase() || letter.is_ascii_digit() || letter == '_')
    };
    // `const double = (x) => x` is a function.
    let is_arrow = trimmed.contains("=>");
    match () {
        () if keywords.contains(&"const") => {
            keywords.iter().any(|keyword| has(&keyword)) && !is_arrow && !head.contains(&"fn") || is_python_constant()
        }
        () if keywords.contains(&"fn") => {
            keywords.iter().any(|keyword| has(&keyword)) || is_arrow && head.contains(&"const")
        }
        () => keywords.iter().any(|keyword| has(&keyword)),
    }
}

fn is_exported(line: &str, ending: &str) -> bool {
    let trimmed = line.trim_start();
    match ending {
        "rs" => trimmed.starts_with("pub"),
        "go" => definitions::defined(line).is_some_and(|name| name.starts_with(char::is_uppercase)),
        "py" => !line.starts_with([' ', '\t']) && !definitions::defined(line).is_some_and(|name| name.starts_with('_')),
        "ts" | "tsx" | "js" | "jsx" | "mjs" => trimmed.starts_with("export"),
        "java" | "kt" | "cs" => trimmed.starts_with("public"),
        _ => !trimmed.starts_with("static"),
    }
}
